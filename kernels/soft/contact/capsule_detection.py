"""Pairs of capsules that touch, found among their candidates."""

import math

from dem.kernels.compiler.jit import inline, select, vector_loop
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.numerics.vector import dot, subtract
from dem.kernels.simd.memory import prefetch
from dem.kernels.soft.contact.batch_kinematics import BLOCK, flat, get, put
from dem.kernels.soft.contact.capsule_blending import between, closest_of
from dem.kernels.soft.contact.capsules import PER, Capsules, Mixed, axis_of, centre_of
from dem.kernels.soft.uniform_values import of_pair

AHEAD, WIDTH = 12, 8  # pairs whose bodies are asked for; numbers of a pose


@vector_loop
def find(box, pose, owner, sphere_i, sphere_j, reach, least, rows, overlap):
    """Overlap of each candidate pair at its closest points, or the least wanted.

    Some pairs at a time: they are fetched one by one into rows of numbers, of which LLVM then makes vector code. Left
    to itself it fetches with gather instructions, and takes twice as long on processors that had to make these safe.
    Places are counted, not reckoned, so that it does not.

    pose, owner: of `Capsules`; (M,) row in there of each sphere.
    sphere_i, sphere_j, reach: (K,) a sphere of each body, R_i + R_j [m] or one for all.
    least: least overlap wanted [m].
    Writes rows: scratch of 11 rows or more, see `dem.kernels.soft.contact.batch_kinematics.flat`.
    Writes overlap: (K,) [m].
    """
    for first in range(0, sphere_i.size, BLOCK):
        number, n = min(BLOCK, sphere_i.size - first), 0
        last = sphere_i.size - 1
        for k in range(first, first + number):
            b, c = owner[sphere_i[k]], owner[sphere_j[k]]
            ahead = min(k + AHEAD, last)
            prefetch(pose, owner[sphere_i[ahead]] * WIDTH)
            prefetch(pose, owner[sphere_j[ahead]] * WIDTH)
            put(rows, 0, n, subtract(centre_of(pose, b), centre_of(pose, c)))
            put(rows, 3, n, axis_of(pose, b))
            put(rows, 6, n, axis_of(pose, c))
            rows[flat(9, n)], rows[flat(10, n)] = pose[b, PER], pose[c, PER]
            n += 1 if sphere_i[k] >= 0 else 0
        for m in range(number):
            x, u, v = minimum_image(box, get(rows, 0, m), (0.0, 0.0, 0.0)), get(rows, 3, m), get(rows, 6, m)
            s, t = closest_of(x, u, v, rows[flat(9, m)], rows[flat(10, m)])
            d = between(x, u, v, s, t)
            deep = of_pair(reach, first + m) - math.sqrt(dot(d, d))
            overlap[first + m] = deep if deep > least else least


@inline
def find_of_bodies(kinds, box, owner, sphere_i, sphere_j, reach, least, rows, overlap):
    """Pieces are whole bodies.

    box, owner, sphere_i, sphere_j, reach, least: see `find`; body of each sphere.
    Writes rows, overlap: as `find`.
    """
    find(box, kinds.pose, owner, sphere_i, sphere_j, reach, least, rows, overlap)


@inline
def find_of_pieces(kinds, box, owner, sphere_i, sphere_j, reach, least, rows, overlap):
    """Or spheres of bodies that have several.

    owner, sphere_i, sphere_j, reach, least: see `find_of_bodies`.
    Writes rows, overlap: as `find`.
    """
    find(box, kinds.pose, kinds.own, sphere_i, sphere_j, reach, least, rows, overlap)


find_any = select("kinds", {Capsules: find_of_bodies, Mixed: find_of_pieces})


@inline
def measure_overlaps(kinds, box, bodies, sphere_i, sphere_j, reach, least, rows, overlap):
    """Overlap of each candidate pair of a chunk at its closest points, or the least wanted.

    sphere_i, sphere_j, reach, least: see `find`.
    Writes rows, overlap: as `find`.
    """
    find_any(kinds, box, bodies.owner, sphere_i, sphere_j, reach, least, rows, overlap)
