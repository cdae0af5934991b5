"""The forces of the bonds of an engine at the present whole step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base.quaternions import rotate
from dem.kernels.soft.bonds.bond_arrays import BROKEN
from dem.model.contact.contact_forces import ContactForces

if TYPE_CHECKING:
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
    x, q, ground = position.T, orientation.T, model.pairs[:, 1] < 0
    ends = np.zeros((len(model), 3))
    ends[ground] = model.ground
    holds = np.flatnonzero(engine.bonds.arrays.state < BROKEN)
    (i, j), grounded, anchors = model.pairs[holds].T, ground[holds, None], model.anchors[holds]
    from_i = np.where(grounded, ends[holds], x[j]) - x[i]
    from_i = np.ascontiguousarray(engine.walls.cell().nearest(from_i.T).T)  # to the centre of j, or to the ground
    arm_i, arm_j = rotate(q[i], anchors[:, 0]), np.where(grounded, 0.0, rotate(q[j], anchors[:, 1]))
    chord = from_i + arm_j - arm_i
    length = np.linalg.norm(chord, axis=1)
    arm = np.where(grounded, from_i, arm_i + 0.5 * chord)
    force, torque = values[:3, holds].T, values[3:6, holds].T
    return ContactForces(
        i=i, j=j, overlap=model.geometry.length[holds] - length, normal=-chord / length[:, None], force=force, arm=arm,
        branch=-from_i, point=x[i] + arm, loss=values[9, holds], couple=torque - np.cross(arm, force),
    )  # fmt: skip
