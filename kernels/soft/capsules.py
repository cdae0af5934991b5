"""Capsules, cylinders with half spheres for ends: all points within a radius of a segment.

A body that is one has two spheres, its ends, which are what walls meet, and edges of walls meet its side (``sides``);
against other bodies it is its whole segment, and a sphere is a capsule of no length. Where a run has capsules its kinds
are of a type of their own, so that others pay nothing.
"""

from typing import NamedTuple

import numpy as np

from kernels.base.jit import by_type_of_first, formula
from kernels.base.quaternion import body_x, load_quaternion
from kernels.base.vector import load, scale
from kernels.soft.state import Kinds

Capsules = NamedTuple(
    "Capsules",
    [
        *Kinds.__annotations__.items(),
        ("half", np.ndarray),  # (G,) half the length of the segment, 0 of spheres [m]
        ("pose", np.ndarray),  # (N, 8) by index of the body: in 0 to 2 its centre, in 4 to 6 from there to its second
        # end [m]; a line of the cache each, because pairs want all of it
    ],
)

SLOTS = 5  # contacts of two capsules: that of their closest points; and those of the ends of either, see `blend`


def capsules_or(spheres, capsules):
    """Function of (kinds, *arguments): the first where bodies are made of spheres, the second where of capsules."""
    return by_type_of_first(lambda kinds: capsules if "pose" in kinds._fields else spheres)


@formula
def if_round(kinds):
    """Bodies of several spheres have several candidates a pair."""
    return kinds.round


@formula
def always(kinds):
    """Capsules have one."""
    return True


one_each = capsules_or(if_round, always)  # whether pairs of bodies have one candidate at most


@formula
def mean_radius(b, c, bodies, kinds):
    """R̄ of two bodies, whatever the slack of their reach [m]."""
    first = kinds.first_offset
    return 0.5 * (kinds.radius[first[bodies.kind[b]]] + kinds.radius[first[bodies.kind[c]]])


@formula
def half_axis(b, bodies, kinds):
    """From the centre of body b to its second end, as it is turned now [m]."""
    return scale(kinds.half[bodies.kind[b]], body_x(load_quaternion(bodies.orientation, b)))


@formula
def place_axis(b, bodies, kinds):
    """Note where body b is and where its axis points."""
    body, pose = np.uint64(b), kinds.pose
    pose[body, 0], pose[body, 1], pose[body, 2] = load(bodies.position, body)
    pose[body, 4], pose[body, 5], pose[body, 6] = half_axis(body, bodies, kinds)


@formula
def centre_of(pose, b):
    """Where body b is."""
    return pose[b, 0], pose[b, 1], pose[b, 2]


@formula
def axis_of(pose, b):
    """From there to its second end."""
    return pose[b, 4], pose[b, 5], pose[b, 6]
