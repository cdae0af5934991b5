"""The contacts of an engine at the present whole step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.kernels import rotation
from dem.kernels.fluid import Dry
from dem.kernels.soft.contact import contact_report, result_sinks
from dem.kernels.soft.state import StepContext
from dem.model.contact.contact_forces import ContactForces
from dem.soft.arrays import scratch

if TYPE_CHECKING:
    from dem.soft.engine import Engine

ROOM = 16  # rows, at first


def contact_forces(engine: Engine) -> ContactForces:
    """All contacts, by the numbers of the bodies and then those of their spheres."""
    position, velocity, _, spin = engine.state()
    engine.place_spheres()
    row = engine.numbering.rows(engine.bodies.identity)
    turning = engine.bodies.torque.shape[1] > 0
    bodies = engine.bodies._replace(
        velocity_predicted=np.ascontiguousarray(velocity[:, row]),
        angular_velocity_predicted=np.ascontiguousarray(spin[:, row]) if turning else np.zeros((3, 0)),
    )
    lists = engine.lists.arrays
    chunks, room = lists.pairs.size, lists.sphere_i.size // lists.pairs.size
    lists = lists._replace(  # scratch of one chunk, in place of that of the steps, which stays as it is
        force_at=np.zeros(chunks, np.int64), evaluating_block=np.zeros(chunks, np.int64),
        force_row=np.zeros(room + 1, np.int32), overlap=np.empty(room), touching=np.empty(room, np.int32),
        found=np.empty((lists.sphere_i.size, engine.layout.solver_columns)), lines=np.empty_like(lists.lines),
        **scratch(1, engine.layout._replace(needs_velocity=True)),
    )  # fmt: skip
    context = StepContext(
        rotation.Euler(), engine.law, Dry(), engine.constants._replace(per_joule=1.0), bodies, engine.kinds, lists,
        engine.walls.faces, engine.chunk_sums,
    )  # fmt: skip
    count, room = ROOM, 0
    while count > room:
        room = count
        sink = result_sinks.ReportSink(
            np.empty((room, 4), np.int64), np.empty((room, result_sinks.COLUMNS)), np.zeros(1, np.int64),
            time_sign=-1.0, half=0.5 * engine.dt,
        )  # fmt: skip
        count = contact_report.list_contacts(context, sink)
    ids, data = sink.ids[:count], sink.data[:count]
    wall = ids[:, 1] < 0
    order = np.lexsort((ids[:, 3], ids[:, 2], np.where(wall, -ids[:, 1], ids[:, 1]), ids[:, 0], wall))
    ids, data = ids[order], data[order]
    i, j = engine.numbering.rows(ids[:, 0]), ids[:, 1].copy()
    j[j >= 0] = engine.numbering.rows(j[j >= 0])
    arm = data[:, result_sinks.ARM : result_sinks.BRANCH].copy()
    return ContactForces(
        i=i,
        j=j,
        overlap=data[:, result_sinks.OVERLAP].copy(),
        normal=data[:, result_sinks.NORMAL : result_sinks.FORCE].copy(),
        force=data[:, result_sinks.FORCE : result_sinks.ARM].copy(),
        arm=arm,
        branch=data[:, result_sinks.BRANCH : result_sinks.COUPLE].copy(),
        point=position.T[i] + arm,
        loss=data[:, result_sinks.LOSS].copy(),
        couple=data[:, result_sinks.COUPLE : result_sinks.LOSS].copy() if engine.has_couples else None,
    )
