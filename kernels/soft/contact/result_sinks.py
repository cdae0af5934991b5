"""Sinks of evaluated contacts, whose type says at compile time where results go: into a step, or to a report.

In a step, batches of contacts between bodies have a `ForceSink`, and contacts with faces and walls a `WallForceSink`.
Both have a `ReportSink` for a list of the contacts of the present moment, which changes nothing else. The sink also
says which contacts are looked for, see `wall_contact.wall_contacts`.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline, select, type_is

OVERLAP, NORMAL, FORCE, ARM, BRANCH, COUPLE, LOSS, COLUMNS = 0, 1, 4, 7, 10, 13, 16, 17  # where things are in a row


class ForceSink(NamedTuple):
    """Sink of a step: forces and torques go to `Neighbours.force_torque`, and contact history is stored."""


class HeatSink(NamedTuple):
    """A `ForceSink` that also sums the energy dissipated by contacts for each body, see `dissipated_heat`."""

    extends = (ForceSink,)


class WallForceSink(NamedTuple):
    """Forces at walls are added to bodies and walls, energies to sums; see `dem.kernels.soft.state`."""

    first_body: int  # forces on body b go to column b - first_body
    time_sign: float
    half: float  # half a time step [s]
    per_joule: float


class HeatWallSink(NamedTuple):
    """A `WallForceSink` that also sums the energy dissipated by contacts for each body."""

    first_body: int
    time_sign: float
    half: float
    per_joule: float
    heat: tuple  # `dissipated_heat.ContactHeat`

    extends = (WallForceSink,)


class ReportSink(NamedTuple):
    """Each contact gets a row, and nothing else is written."""

    ids: np.ndarray  # (R, 4) int64: numbers of the two bodies, and of the spheres within them
    data: np.ndarray  # (R, COLUMNS), see `dem.kernels.soft.contact.contact_report.list_contacts`
    number: np.ndarray  # (1,) int64, contacts so far, also those for which there is no room
    time_sign: float  # -1: forces are evaluated at the time of the history
    half: float  # half a time step [s]


class Reported(NamedTuple):
    """Overlap [m] and normal, from the second body to the first, of a contact that is reported."""

    overlap: float
    normal: tuple[float, float, float]


batch_sink = select("sink", {WallForceSink: ForceSink(), HeatWallSink: HeatSink()})  # of contacts in batches at walls
is_report = type_is(lambda sink: sink is ReportSink)


@inline
def write_row(sink, i, j, of_i, of_j, contact, force, couple, loss, arm, branch):
    """Write the next row of a report, if there is room for it.

    sink: `ReportSink`.
    i, j, of_i, of_j: the two bodies' numbers, and those of the spheres within them.
    contact, force, couple, loss, arm, branch: the contact [N, N m, W, m, m].
    Writes sink: as `dem.kernels.soft.contact.contact_report.list_contacts`.
    """
    n, ids, data = sink.number[0], sink.ids, sink.data
    sink.number[0] += 1
    if n < ids.shape[0]:
        ids[n, 0], ids[n, 1], ids[n, 2], ids[n, 3] = i, j, of_i, of_j
        data[n, OVERLAP], data[n, LOSS] = contact.overlap, loss
        for axis in range(3):
            data[n, NORMAL + axis] = contact.normal[axis]
            data[n, FORCE + axis] = force[axis]
            data[n, ARM + axis] = arm[axis]
            data[n, BRANCH + axis] = branch[axis]
            data[n, COUPLE + axis] = couple[axis]
