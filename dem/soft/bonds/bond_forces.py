"""The forces of the bonds of an engine at the present whole step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.soft.bonds.bond_arrays import BROKEN
from dem.model.bond_forces import BondEnds

if TYPE_CHECKING:
    from dem.model.contact.contact_forces import ContactForces
    from dem.soft.engine import Engine


def bond_forces(engine: Engine) -> ContactForces:
    """Unbroken bonds in their order, each as a contact in its middle, or at its end on the ground, with j = -1."""
    position, velocity, orientation, spin = engine.state()
    row, model = engine.numbering.rows(engine.bodies.identity), engine.bonds.model
    bodies = engine.bodies._replace(
        velocity_predicted=np.ascontiguousarray(velocity[:, row]),
        angular_velocity_predicted=np.ascontiguousarray(spin[:, row]),
    )
    values = engine.bonds.forces(engine.walls.faces, bodies)
    holds = np.flatnonzero(engine.bonds.arrays.state < BROKEN)
    ends = BondEnds.of(model, holds, position.T, orientation.T, engine.walls.cell())
    return ends.as_contacts(model, position.T, values[:3, holds].T, values[3:6, holds].T, values[9, holds])
