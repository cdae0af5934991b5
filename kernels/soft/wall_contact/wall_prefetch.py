"""Prefetch of the data that wall contacts read of the next bodies in a pass.

Bodies near walls are few and scattered in memory, and so are their data. Without prefetching, most of the time of a
wall contact is spent waiting for memory. Nothing in this module changes a result.
"""

from dem.kernels.compiler.jit import inline, select
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.simd.memory import prefetch
from dem.kernels.soft.chunks import CHUNK
from dem.kernels.soft.contact.surface_motion import spheres_of
from dem.kernels.soft.wall_contact.wall_arrays import WalledFaces, listed_at
from dem.kernels.walls.triangles import NUMBERS

FIRST, THEN, LAST = 24, 16, 8  # bodies ahead: who it is, what is kept for it, triangles near it
LINE = 8  # numbers of 8 bytes in a line of memory
MAX_TRIANGLES = 4  # triangles that are asked for; few spheres are near more


@inline
def prefetch_body(k, bodies, kinds, neighbours):
    """Prefetch the identifiers of the k-th body near walls."""
    b = neighbours.near_wall[k]
    prefetch(bodies.kind, b)
    if not kinds.all_single_spheres:
        prefetch(bodies.first_sphere, b)


@inline
def prefetch_record(k, walls, bodies, kinds, neighbours):
    """Prefetch the wall record of the first sphere of the k-th body near walls."""
    s, _ = spheres_of(neighbours.near_wall[k], bodies, kinds)
    prefetch(walls.sphere_records, s * walls.sphere_records.shape[1])


@inline
def prefetch_triangle(f, geometry):
    """Prefetch a triangle."""
    prefetch(geometry.triangle, f * NUMBERS)
    prefetch(geometry.triangle, f * NUMBERS + LINE)


@inline
def prefetch_triangles(c, k, walls, bodies, kinds, neighbours):
    """Prefetch the triangles near the k-th."""
    if walls.geometry.triangle.shape[0] > 0:
        s, _ = spheres_of(neighbours.near_wall[k], bodies, kinds)
        start, stop = listed_at(s, walls)
        if start >= 0:
            for entry in range(start, min(stop, start + MAX_TRIANGLES)):
                prefetch_triangle(walls.listed[c, entry], walls.geometry)


@inline
def prefetch_next_bodies_at_walls(box, c, k, stop, bodies, kinds, neighbours):
    """Prefetch the data that ``wall_contacts`` reads of the bodies after the k-th one near walls in chunk c.

    Before the first of them also of all that come soon: chunks are short.
    """
    walls, low = box.walls, c * CHUNK
    if k == low:
        for n in range(low, min(low + FIRST, stop)):
            prefetch_body(n, bodies, kinds, neighbours)
        for n in range(low, min(low + THEN, stop)):
            prefetch_record(n, walls, bodies, kinds, neighbours)
        for n in range(low, min(low + LAST, stop)):
            prefetch_triangles(c, n, walls, bodies, kinds, neighbours)
    if k + FIRST < stop:
        prefetch_body(k + FIRST, bodies, kinds, neighbours)
    if k + THEN < stop:
        prefetch_record(k + THEN, walls, bodies, kinds, neighbours)
    if k + LAST < stop:
        prefetch_triangles(c, k + LAST, walls, bodies, kinds, neighbours)


prefetch_ahead = select("box", {BoxFaces: None, WalledFaces: prefetch_next_bodies_at_walls})
