"""Lees-Edwards cell: a periodic domain sheared along x with the gradient along y, at a constant rate.

A. W. Lees, S. F. Edwards, The computer study of transport processes under extreme conditions, J. Phys. C 5 (1972)
1921-1928. The image n of a body at x is at x + n L + n_y γ L_y t e_x and moves by n_y γ L_y e_x faster.

    box = ShearedBox((0, 0, 0), (0.1, 0.1, 0.1), material, periodic=["x", "y", "z"], shear_rate=2.0)
    sim = dem.Simulation(particles, box, ...)

An own domain is a type, the functions of ``dem.kernels.domain.periodic`` that differ, and a box that users see.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline
from dem.kernels.domain import faces, periodic
from dem.kernels.domain.periodic import PeriodicFaces, count_cells, nearest_along, wrap_along
from dem.kernels.numerics.vector import add, load, store, subtract
from dem.kernels.soft.neighbours import body_pairs
from dem.kernels.soft.neighbours.linked_cells import row_of

import dem
from dem.base.periodic import PeriodicCell
from dem.model.domain import box_walls

ShearedFaces = NamedTuple(
    "ShearedFaces",
    [
        *PeriodicFaces.__annotations__.items(),
        ("shear_rate", float),  # γ [1/s]
        ("offset", np.ndarray),  # (2,) of the image above, γ L_y t, at present and when bodies were listed [m]
    ],
)
ShearedFaces.extends = (PeriodicFaces,)


@dataclass(frozen=True, kw_only=True)
class ShearedBox(dem.Box):
    """Box of which all axes are periodic, sheared at a constant rate [1/s]."""

    shear_rate: float = 0.0


def sheared_domain(box):
    """Domain of a sheared box."""
    plain = box_walls.orthogonal_domain(box)
    return ShearedFaces(*plain, shear_rate=box.shear_rate, offset=np.zeros(2))


def sheared_cell(box):
    """Cell as it is now, in Python."""
    edges = np.diag(box.length)
    edges[0, 1] = box.offset[0]
    return PeriodicCell(box.corner, edges)


@inline
def nearest_sheared(box, u, v):
    """Return u - v for the nearest image of v, and its number along each axis."""
    d = subtract(u, v)
    d_1, n_1 = nearest_along(d[1], box.length[1], box.inverse[1])
    d_0, n_0 = nearest_along(d[0] - n_1 * box.offset[0], box.length[0], box.inverse[0])
    d_2, n_2 = nearest_along(d[2], box.length[2], box.inverse[2])
    return (d_0, d_1, d_2), (n_0, n_1, n_2)


@inline
def velocity_of_image(box, image, gap=(0.0, 0.0, 0.0)):
    """Velocity of an image less that of the body itself [m/s]."""
    return image[1] * box.shear_rate * box.length[1], 0.0, 0.0


@inline
def wrap_sheared(box, x, ahead):
    """Position in the cell, at a time so much ahead of the box, and the cells that it was further along."""
    x_1, n_1 = wrap_along(x[1], box.corner[1], box.length[1])
    x_2, n_2 = wrap_along(x[2], box.corner[2], box.length[2])
    x_0 = x[0] - n_1 * (box.offset[0] + box.shear_rate * box.length[1] * ahead)
    n_0 = math.floor((x_0 - box.corner[0]) * box.inverse[0])
    return (x_0 - n_0 * box.length[0], x_1, x_2), (n_0, n_1, n_2)


@inline
def note_sheared(box, cells, image, velocity, ahead, b):
    """Count the cells that body b went on by, and have it move as the image that it takes the place of."""
    count_cells(box, cells, image, velocity, ahead, b)
    change = velocity_of_image(box, (-cells[0], -cells[1], -cells[2]))
    store(velocity, b, add(load(velocity, b), change))
    if ahead.shape[1] > 0:
        store(ahead, b, add(load(ahead, b), change))


@inline
def unwrapped_sheared(box, x, image, b):
    """Position as if body b had never been wrapped."""
    n = load(image, b)
    x_0 = x[0] + n[0] * box.length[0] + n[1] * box.offset[0]
    return x_0, x[1] + n[1] * box.length[1], x[2] + n[2] * box.length[2]


@inline
def travel_since_listing(box):
    """Half of how far images have come since bodies were listed [m]."""
    return 0.5 * abs(box.offset[0] - box.offset[1])


@inline
def note_offset(box):
    """Bodies are listed anew."""
    box.offset[1] = box.offset[0]


@func
def move_images(time, box):
    """Put images where they are at a time; returns how far they have come since the last [m]."""
    before = box.offset[0]
    box.offset[0] = box.shear_rate * box.length[1] * time
    return abs(box.offset[0] - before)


@inline
def search_sheared(box, b, skin, grid, cell_first, k, stop, bodies, kinds, neighbours):
    """Bodies near body b, see `body_pairs.search_folded`; rows of cells are searched as a whole, wherever they are."""
    centre, bound, (_, y, z), span = body_pairs.near_body(box, b, skin, grid, bodies, kinds)
    low_y, cells_y = body_pairs.window(y, span, grid.shape_y, True)
    low_z, cells_z = body_pairs.window(z, span, grid.shape_z, True)
    for i in range(cells_z):
        for j in range(cells_y):
            base = row_of((low_y + j) % grid.shape_y, (low_z + i) % grid.shape_z, grid)
            k = body_pairs.search_row(
                box, cell_first[base], cell_first[base + grid.shape_x], b, False, centre, bound, skin,
                bodies.position, bodies.kind, kinds.bounding_radius, k, stop, neighbours.higher,
            )  # fmt: skip
    return k


SEAMS = (  # tables of the engine, and what this domain puts into them
    (periodic, "nearest_image", nearest_sheared),
    (periodic, "image_velocity", velocity_of_image),
    (periodic, "wrap_position", wrap_sheared),
    (periodic, "note_wrap", note_sheared),
    (periodic, "unwrap_position", unwrapped_sheared),
    (periodic, "image_travel", travel_since_listing),
    (periodic, "note_listing", note_offset),
    (faces, "move", move_images),
    (body_pairs, "search_around", search_sheared),
    (box_walls, "cell_of", sheared_cell),
)

for module, name, function in SEAMS:
    getattr(module, name).functions[ShearedFaces] = function
box_walls.DOMAINS[ShearedBox] = sheared_domain
