"""The contacts of an engine at the present whole step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.soft.contact import contact_report
from dem.model.contact.contact_forces import ContactForces

if TYPE_CHECKING:
    from dem.soft.engine import Engine

ROOM = 16  # rows, at first


def contact_forces(engine: Engine) -> ContactForces:
    """All contacts, by the numbers of the bodies and then those of their spheres."""
    position, velocity, _, spin = engine.state()
    engine.overlaps()  # which places all spheres
    row = engine.numbering.rows(engine.bodies.identity)
    turning = engine.bodies.torque.shape[1] > 0
    bodies = engine.bodies._replace(
        velocity_predicted=np.ascontiguousarray(velocity[:, row]),
        angular_velocity_predicted=np.ascontiguousarray(spin[:, row]) if turning else np.zeros((3, 0)),
    )
    listed = np.empty(engine.lists.arrays.sphere_i.size, np.int32)
    count, room = ROOM, 0
    while count > room:
        room = count
        who, what = np.empty((room, 4), np.int64), np.empty((room, contact_report.COLUMNS))
        count = contact_report.list_contacts(
            engine.law,
            0.5 * engine.dt,
            bodies,
            engine.kinds,
            engine.lists.arrays,
            engine.walls.faces,
            listed,
            who,
            what,
        )
    who, what = who[:count], what[:count]
    wall = who[:, 1] < 0
    order = np.lexsort((who[:, 3], who[:, 2], np.where(wall, -who[:, 1], who[:, 1]), who[:, 0], wall))
    who, what = who[order], what[order]
    i, j = engine.numbering.rows(who[:, 0]), who[:, 1].copy()
    j[j >= 0] = engine.numbering.rows(j[j >= 0])
    arm = what[:, contact_report.ARM : contact_report.BRANCH].copy()
    return ContactForces(
        i=i,
        j=j,
        overlap=what[:, contact_report.OVERLAP].copy(),
        normal=what[:, contact_report.NORMAL : contact_report.FORCE].copy(),
        force=what[:, contact_report.FORCE : contact_report.ARM].copy(),
        arm=arm,
        branch=what[:, contact_report.BRANCH : contact_report.LOSS].copy(),
        point=position.T[i] + arm,
        loss=what[:, contact_report.LOSS].copy(),
    )
