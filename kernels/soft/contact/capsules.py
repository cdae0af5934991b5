"""Capsules, cylinders with half spheres for ends: all points within a radius of a segment.

A capsule has two spheres, its ends. Walls touch these spheres and, with edges, the side of the capsule
(``wall_contacts``). Against other bodies a capsule is its whole segment, and a sphere is a capsule of zero length.

A run with capsules has kinds of the type `Capsules`, so that other runs do not compile their contacts. In runs that
also have bodies of several spheres, the type is `Mixed`: each capsule and each sphere of such a body is then a *piece*.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import argument, inline, select
from dem.kernels.numerics.quaternion import body_x, load_quaternion, rotate
from dem.kernels.numerics.vector import add, load, scale
from dem.kernels.soft.contact.capsule_blending import inverse_square
from dem.kernels.soft.state import Kinds

Capsules = NamedTuple(
    "Capsules",
    [
        *Kinds.__annotations__.items(),
        ("half", np.ndarray),  # (G,) half the length of the segment, 0 of spheres [m]
        ("pose", np.ndarray),  # (N, 8) by index of the body: in 0 to 2 its centre, in 4 to 6 from there to its second
        # end [m], in 3 its `inverse_square`; a line of the cache each, because pairs want all of it
    ],
)

Mixed = NamedTuple(
    "Mixed",
    [
        *Capsules.__annotations__.items(),  # of which ``pose`` has a row a sphere: of a piece, a capsule's first one
        ("lever", np.ndarray),  # (M, 4) from the centre of a body to that of a piece, by its sphere [m]
        ("own", np.ndarray),  # (M,) int32, the row of a sphere's pose
    ],
)

Capsules.extends, Mixed.extends = (Kinds,), (Capsules,)

INVERSE_SQUARE = 3


@inline
def are_single_spheres(kinds):
    """Whether all bodies are single spheres, so that a pair of bodies has one candidate at most."""
    return kinds.all_single_spheres


# whether pairs of bodies have one candidate at most
has_one_candidate = select("kinds", {Kinds: are_single_spheres, Capsules: True, Mixed: False})


@inline
def mean_radius(b, c, bodies, kinds):
    """Mean radius R̄ of two bodies [m]."""
    first = kinds.first_offset
    return 0.5 * (kinds.radius[first[bodies.kind[b]]] + kinds.radius[first[bodies.kind[c]]])


@inline
def half_axis(b, bodies, kinds):
    """Vector from the centre of body b to its second end, in its current orientation [m]."""
    return scale(kinds.half[bodies.kind[b]], body_x(load_quaternion(bodies.orientation, b)))


@inline
def owner_of(kinds, s, bodies):
    """Row of the pose of sphere s: that of its body."""
    return bodies.owner[s]


row_of = select("kinds", {Capsules: owner_of, Mixed: argument("s")})


@inline
def first_radius(kinds, s, b, bodies):
    """Radius of the piece of body b that sphere s stands for [m]: all of the body."""
    return kinds.radius[kinds.first_offset[bodies.kind[b]]]


@inline
def own_radius(kinds, s, b, bodies):
    """Radius of piece s of body b [m], a capsule or one sphere of several."""
    return kinds.radius[kinds.first_offset[bodies.kind[b]] + s - bodies.first_sphere[b]]


radius_at = select("kinds", {Capsules: first_radius, Mixed: own_radius})


@inline
def add_piece_offset(kinds, s, arm):
    """Vector to a point from the centre of a body, given the vector from the centre of its piece s [m]."""
    return arm[0] + kinds.lever[s, 0], arm[1] + kinds.lever[s, 1], arm[2] + kinds.lever[s, 2]


from_body = select("kinds", {Capsules: argument("arm"), Mixed: add_piece_offset})


@inline
def pieces_of(b, bodies, kinds):
    """Number of the pieces of body b, of a run with bodies of several spheres beside capsules."""
    g = bodies.kind[b]
    return 1 if kinds.half[g] > 0.0 else kinds.first_offset[g + 1] - kinds.first_offset[g]


@inline
def place_pieces(kinds, b, bodies):
    """Write centres and axes of the pieces of body b."""
    g, x, q, half = bodies.kind[b], load(bodies.position, b), load_quaternion(bodies.orientation, b), (0.0, 0.0, 0.0)
    if kinds.half[g] > 0.0:
        half = half_axis(b, bodies, kinds)
    for piece in range(pieces_of(b, bodies, kinds)):
        s, lever = bodies.first_sphere[b] + piece, (0.0, 0.0, 0.0)
        if kinds.half[g] == 0.0:
            lever = rotate(q, load(kinds.offset, kinds.first_offset[g] + piece))
        kinds.lever[s, 0], kinds.lever[s, 1], kinds.lever[s, 2] = lever
        kinds.pose[s, 0], kinds.pose[s, 1], kinds.pose[s, 2] = add(x, lever)
        kinds.pose[s, 4], kinds.pose[s, 5], kinds.pose[s, 6] = half
        kinds.pose[s, INVERSE_SQUARE] = inverse_square(half)


@inline
def place_axis(kinds, b, bodies):
    """Write centre and axis of body b."""
    pose = kinds.pose
    pose[b, 0], pose[b, 1], pose[b, 2] = load(bodies.position, b)
    half = half_axis(b, bodies, kinds)
    pose[b, 4], pose[b, 5], pose[b, 6] = half
    pose[b, INVERSE_SQUARE] = inverse_square(half)


@inline
def centre_of(pose, b):
    """Centre of body b in the table of poses [m]."""
    return pose[b, 0], pose[b, 1], pose[b, 2]


@inline
def axis_of(pose, b):
    """Vector from the centre of body b to its second end, from the table of poses [m]."""
    return pose[b, 4], pose[b, 5], pose[b, 6]
