"""Lees-Edwards cell: a periodic domain that is sheared along x with the gradient along y, at a constant rate.

A. W. Lees, S. F. Edwards, The computer study of transport processes under extreme conditions, J. Phys. C 5 (1972)
1921-1928. The image n of a body at x is at x + n L + n_y o e_x, with the offset o of the cell above.

    box = ShearedBox.shear((0.1, 0.1, 0.1), rate=2.0)
    sim = dem.Simulation(particles, box, gravity=(0, 0, 0), ...)

An own domain is a type, functions for the tables of ``dem.kernels.domain.periodic``, and a box that users see. This one
is a cell that deforms, of which one edge leans over one other: nearest images take a multiplication more than at right
angles, where any cell takes eighteen. What it leaves as it is comes from the type that it extends: motion in the cell,
velocities of images, the search for neighbours, and the work of the cell in the ledger.
"""

from dataclasses import dataclass
from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.domain import periodic
from dem.kernels.domain.deforming_cell import DeformingFaces
from dem.kernels.domain.periodic import nearest_along
from dem.kernels.numerics.vector import subtract

import dem
from dem.model.domain import box_walls

ShearedFaces = NamedTuple("ShearedFaces", [*DeformingFaces.__annotations__.items()])
ShearedFaces.extends = (DeformingFaces,)


@dataclass(frozen=True)
class ShearedBox(dem.Cell):
    """Cell as wide as high, of which x moves along y."""


def sheared_domain(box):
    """Domain of a sheared box."""
    return ShearedFaces(*box_walls.deforming_domain(box))


@inline
def nearest_sheared(box, u, v):
    """Return u - v for the nearest image of v, and its number along each edge."""
    d = subtract(u, v)
    d_1, n_1 = nearest_along(d[1], box.edges[1, 1], box.to_scaled[1, 1])
    d_0, n_0 = nearest_along(d[0] - n_1 * box.edges[0, 1], box.edges[0, 0], box.to_scaled[0, 0])
    d_2, n_2 = nearest_along(d[2], box.edges[2, 2], box.to_scaled[2, 2])
    return (d_0, d_1, d_2), (n_0, n_1, n_2)


# tables of the engine, and what this domain puts into them
DOMAIN_FUNCTIONS = ((periodic, "nearest_image", nearest_sheared),)

for module, name, function in DOMAIN_FUNCTIONS:
    getattr(module, name).functions[ShearedFaces] = function
box_walls.DOMAINS[ShearedBox] = sheared_domain
