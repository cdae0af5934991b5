"""Capsules, cylinders with half spheres for ends: all points within a radius of a segment.

A capsule has two spheres, its ends. Walls touch these spheres and, with edges, the side of the capsule
(``wall_contacts``). Against other bodies a capsule is its whole segment, and a sphere is a capsule of zero length.

A run with capsules has kinds of the type `Capsules`, so that other runs do not compile their contacts. In runs that
also have bodies of several spheres, the type is `Mixed`: each capsule and each sphere of such a body is then a *piece*.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import argument, inline, select, vector_loop
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.numerics.columns import BLOCK, flat, get, put, rows_on_stack
from dem.kernels.numerics.quaternion import body_x, load_quaternion, rotate
from dem.kernels.numerics.vector import add, load, scale, subtract
from dem.kernels.simd.transpose import lines_of, pairs_of_lines
from dem.kernels.soft.contact.capsule_blending import closest_parameters_given_inverses, inverse_square, separation_at
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

INVERSE_SQUARE, POSE_NUMBERS = 3, 8  # column of a pose; its numbers
# rows of pairs of poses: vector between centres, half axes [m], their `inverse_square`
SEPARATION, AXIS_I, AXIS_J, INVERSE_I, INVERSE_J, PAIR_ROWS = 0, 3, 6, 9, 10, 11


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
    """Write the poses of the pieces of body b."""
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


write_lines_of_poses = lines_of(0, 1, 2, INVERSE_SQUARE, 4, 5, 6, INVERSE_SQUARE)  # nobody reads the last number
rows_of_poses = rows_on_stack(POSE_NUMBERS - 1)


@vector_loop
def place_axes(low, high, kind, half, position, orientation, rows, pose):
    """Write the poses of the bodies low to high, capsules and spheres.

    All of them: vector code does it faster than for those in a list.

    kind, half, position, orientation: of `Bodies` and `Capsules`.
    Writes rows: scratch, `rows_of_poses`. Writes pose: of `Capsules`.
    """
    for first in range(low, high, BLOCK):
        count = min(BLOCK, high - first)
        for t in range(count):
            u = scale(half[kind[first + t]], body_x(load_quaternion(orientation, first + t)))
            put(rows, 0, t, load(position, first + t))
            rows[flat(INVERSE_SQUARE, t)] = inverse_square(u)
            put(rows, 4, t, u)
        for t in range(write_lines_of_poses(rows, BLOCK, count, pose[first:], 0), count):
            for r in range(POSE_NUMBERS - 1):
                pose[first + t, r] = rows[flat(r, t)]


@inline
def entry_of(entries, k):
    """Entry k of a list, or k where there is none."""
    return k if entries is None else entries[k]


@inline
def centre_of(pose, b):
    """Centre of body b in the table of poses [m]."""
    return pose[b, 0], pose[b, 1], pose[b, 2]


@inline
def axis_of(pose, b):
    """Vector from the centre of body b to its second end, from the table of poses [m]."""
    return pose[b, 4], pose[b, 5], pose[b, 6]


read_lines_of_poses = pairs_of_lines(
    range(SEPARATION, SEPARATION + 3), [INVERSE_I, *range(AXIS_I, AXIS_I + 3), None],
    [INVERSE_J, *range(AXIS_J, AXIS_J + 3), None], in_turn=False,
)  # fmt: skip


@inline
def read_poses(pose, listed, owner, first, second, begin, count, rows):
    """Read the poses of pairs into columns of rows.

    pose: of `Capsules`.
    listed, owner, first, second, begin, count: see `dem.kernels.simd.transpose.pairs_of_lines`.
    Writes rows: SEPARATION, AXIS_I, AXIS_J, INVERSE_I and INVERSE_J, see `dem.kernels.numerics.columns.flat`.
    """
    for t in range(read_lines_of_poses(listed, owner, first, second, pose, begin, count, rows, BLOCK), count):
        k = entry_of(listed, begin + t)
        b, c = entry_of(owner, first[k]), entry_of(owner, second[k])
        put(rows, SEPARATION, t, subtract(centre_of(pose, b), centre_of(pose, c)))
        put(rows, AXIS_I, t, axis_of(pose, b))
        put(rows, AXIS_J, t, axis_of(pose, c))
        rows[flat(INVERSE_I, t)], rows[flat(INVERSE_J, t)] = pose[b, INVERSE_SQUARE], pose[c, INVERSE_SQUARE]


@inline
def closest_separation(box, t, rows):
    """Vector between the closest points of the pair of poses in column t [m]."""
    x, u, v = minimum_image(box, get(rows, SEPARATION, t), (0.0, 0.0, 0.0)), get(rows, AXIS_I, t), get(rows, AXIS_J, t)
    s_i, s_j = closest_parameters_given_inverses(x, u, v, rows[flat(INVERSE_I, t)], rows[flat(INVERSE_J, t)])
    return separation_at(x, u, v, s_i, s_j)
