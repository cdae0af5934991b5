"""Capsules, cylinders with half spheres for ends: all points within a radius of a segment.

A body that is one has two spheres, its ends, which are what walls meet; against other bodies it is its whole segment,
and a sphere is a capsule of no length. Where a run has capsules its kinds are of a type of their own, so that others
pay nothing.
"""

from typing import NamedTuple

import numpy as np

from kernels.base.jit import by_type_of_first, formula
from kernels.base.quaternion import body_x, load_quaternion
from kernels.base.vector import scale, store
from kernels.soft.state import Kinds

Capsules = NamedTuple(
    "Capsules",
    [
        *Kinds.__annotations__.items(),
        ("half", np.ndarray),  # (G,) half the length of the segment, 0 of spheres [m]
        ("axis", np.ndarray),  # (3, N) by index of the body: from its centre to its second end [m]
    ],
)

SLOTS = 5  # contacts of two capsules: that of their closest points; and those of the ends of either, see `blend`


def capsules_or(spheres, capsules):
    """Function of (kinds, *arguments): the first where bodies are made of spheres, the second where of capsules."""
    return by_type_of_first(lambda kinds: capsules if "axis" in kinds._fields else spheres)


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
def place_axis(b, bodies, kinds):
    """Turn the axis of body b to where it points."""
    store(kinds.axis, b, scale(kinds.half[bodies.kind[b]], body_x(load_quaternion(bodies.orientation, b))))
