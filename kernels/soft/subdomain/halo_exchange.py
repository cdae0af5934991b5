"""Halo exchange: pack the motion of bodies that are ghosts of other ranks, unpack that of ghosts, sum over ranks.

A rank reports integer sums and maxima, so that those over all ranks are bitwise those of one rank. Sums over pairs that
two ranks compute are reported separately and count half. With few ranks, the report of each is received and combined
here; with many, they arrive combined in one row.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.c_functions import call
from dem.kernels.compiler.jit import func, inline, select
from dem.kernels.domain.deforming_cell import COLUMNS as VIRIAL
from dem.kernels.domain.deforming_cell import MOTION, DeformingFaces
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.soft.contact.convex_contacts import MAX_SOLVER_STEPS
from dem.kernels.soft.integration import chunk_step
from dem.kernels.soft.state import SOLVER
from dem.kernels.soft.wall_contact import wall_loads
from dem.kernels.soft.wall_contact.wall_arrays import WalledFaces

# columns of `chunk_step` that are maxima; all others are sums, and those of pairs come first
MAXIMA = (
    chunk_step.PAIRS + 1, chunk_step.WALLS + 1, chunk_step.SPIN, chunk_step.ACCELERATION_SQUARED,
    chunk_step.DISPLACEMENT, chunk_step.LIST_DISPLACEMENT, chunk_step.REYNOLDS, chunk_step.ROTATIONAL_REYNOLDS,
    chunk_step.OUTSIDE, SOLVER + MAX_SOLVER_STEPS,
)  # fmt: skip
OF_PAIRS = tuple(k in (chunk_step.PAIRS + 1, SOLVER + MAX_SOLVER_STEPS) for k in range(chunk_step.COLUMNS))
IS_MAXIMUM = tuple(k in MAXIMA for k in range(chunk_step.COLUMNS))


# parts of a report: maxima, sums of this rank, sums over pairs with ghosts, COLUMNS numbers each; loads of walls, or
# the virial of a cell that deforms
LARGEST, OWN, SHARED, WALL_LOADS = 0, chunk_step.COLUMNS, 2 * chunk_step.COLUMNS, 3 * chunk_step.COLUMNS


class HaloBuffers(NamedTuple):
    """Buffers for L bodies that are ghosts of other ranks, with R numbers each, and P reports of S numbers.

    The R numbers are the position, the orientation unless all bodies are spheres, and velocities if the law needs them.
    They are stored by component: the first number of all bodies sent to a rank, then the second, and so on. The buffer
    has two sides, used alternately: one is read while the other is written.
    """

    index: np.ndarray  # (L,) int32, bodies that are ghosts of other ranks
    motion: np.ndarray  # (N R,) rows sent and received, of all ranks of this machine
    sent: np.ndarray  # (A, 2) int64, first row on the first side and number of rows, for each receiver
    received: np.ndarray  # (B, 2) int64, for each sender
    side: np.ndarray  # (1,) int64, the side sent last, 0 or 1
    side_rows: int  # rows from one side to the other
    columns: int  # R
    sends_orientation: bool  # of bodies, and of single spheres where they are bonded
    sent_rows: int  # of `Bodies.fields`, the first ones
    report: np.ndarray  # (S,) int64, of this rank
    reports: np.ndarray  # (P, S) int64, of all ranks
    total: np.ndarray  # (1, COLUMNS) int64, over all ranks
    blocks: int  # of `Neighbours.block`, those of the border: bodies that are ghosts of other ranks, in whole chunks
    exchange: np.ndarray  # (WORDS,) int64, call that exchanges reports; address 0 if Python does it
    clock: np.ndarray  # (WORDS,) int64, call that writes the time to `clock_time`
    clock_time: np.ndarray  # (2,) int64 [s, ns]
    exchange_time: np.ndarray  # (1,) int64 [ns], that the calls of `exchange` have taken


@func
def pack_halo(bodies, kinds, halo):
    """Pack the motion of the bodies that are ghosts of other ranks, into the other side of the send buffer."""
    halo.side[0] = 1 - halo.side[0]
    n = 0
    for p in range(halo.sent.shape[0]):
        n = copy_motion(True, n, halo.sent[p, 0], halo.sent[p, 1], bodies, halo)


@func
def unpack_halo(bodies, kinds, halo):
    """Unpack the motion of the ghosts here from the receive buffer."""
    b = 0
    for p in range(halo.received.shape[0]):
        b = copy_motion(False, b, halo.received[p, 0], halo.received[p, 1], bodies, halo)


@inline
def copy_motion(packs, b, row, size, bodies, halo):
    """Pack the data to be sent to another rank, or unpack received data, from a row of the buffer on; returns b + size.

    b, size: the first ghost, or place in `HaloBuffers.index` of the first body that is packed; number of bodies.
    """
    k = (row + halo.side[0] * halo.side_rows) * halo.columns
    k = copy_rows(packs, bodies.position, b, size, k, halo)
    if halo.sends_orientation:
        k = copy_rows(packs, bodies.orientation, b, size, k, halo)
    if bodies.velocity_predicted.shape[1] > 0:
        k = copy_rows(packs, bodies.velocity_predicted, b, size, k, halo)
    if bodies.angular_velocity_predicted.shape[1] > 0:
        k = copy_rows(packs, bodies.angular_velocity_predicted, b, size, k, halo)
    copy_rows(packs, bodies.fields[: halo.sent_rows], b, size, k, halo)
    return b + size


@inline
def copy_rows(packs, rows, b, size, k, halo):
    """Copy rows of `size` bodies to the buffer from number k on, or from there; returns the next k."""
    for r in range(rows.shape[0]):
        for m in range(size):
            if packs:
                halo.motion[k + r * size + m] = rows[r, halo.index[b + m]]
            else:
                rows[r, b + m] = halo.motion[k + r * size + m]
    return k + rows.shape[0] * size


@func
def local_sums(box, neighbours, chunk_sums, halo):
    """Sum the results of the chunks of this rank, and those of ghosts separately."""
    row = halo.report
    for k in range(WALL_LOADS):
        row[k] = 0
    for c in range(chunk_sums.shape[0]):
        ghosts = c < neighbours.block[0]
        column = SHARED if ghosts else OWN
        for k in range(chunk_step.COLUMNS):
            row[column + k] += 0 if IS_MAXIMUM[k] else chunk_sums[c, k]
            if not ghosts or OF_PAIRS[k]:  # maxima of own chunks; of ghosts those of pairs only
                row[LARGEST + k] = max(row[LARGEST + k], chunk_sums[c, k])
    report_loads(box, neighbours.block[0], row)


@inline
def sum_wall_loads(box, first, row):
    """Sum the loads on walls of the chunks from `first` on."""
    part = box.walls.chunk_loads
    for w in range(part.shape[1]):
        for k in range(wall_loads.COLUMNS):
            row[WALL_LOADS + w * wall_loads.COLUMNS + k] = 0
    for c in range(first, part.shape[0]):
        for w in range(part.shape[1]):
            for k in range(wall_loads.COLUMNS):
                row[WALL_LOADS + w * wall_loads.COLUMNS + k] += part[c, w, k]


@inline
def report_virial(box, first, row):
    """Sum the virial of a cell that deforms: of chunks from `first` on, then of pairs with ghosts."""
    for k in range(2 * VIRIAL):
        row[WALL_LOADS + k] = 0
    for c in range(box.parts.shape[0]):
        for k in range(VIRIAL if c >= first else MOTION):
            row[WALL_LOADS + (0 if c >= first else VIRIAL) + k] += box.parts[c, k]


report_loads = select("box", {BoxFaces: None, WalledFaces: sum_wall_loads, DeformingFaces: report_virial})


@inline
def time(halo):
    """Time by a clock that only goes forward [ns]."""
    call(halo.clock)
    return halo.clock_time[0] * 1_000_000_000 + halo.clock_time[1]


@func
def exchange_sums(halo):
    """Exchange reports with all ranks; returns 0, or the error code of the call.

    Writes halo: `reports`, `exchange_time`.
    """
    began = time(halo)
    code = call(halo.exchange)
    halo.exchange_time[0] += time(halo) - began
    return code


@func
def add_sums(box, halo):
    """Sum the reports of all ranks; the loads of walls are stored as if one chunk reported them.

    Writes halo: `total`. Writes box: `Walls.chunk_loads`, or `parts` of a cell that deforms.
    """
    total, reports = halo.total, halo.reports
    for k in range(chunk_step.COLUMNS):
        own, both = np.int64(0), np.int64(0)
        for r in range(reports.shape[0]):
            own += reports[r, OWN + k]
            both += reports[r, SHARED + k]
        total[0, k] = own + both // 2
    for k in MAXIMA:
        total[0, k] = 0
        for r in range(reports.shape[0]):
            total[0, k] = max(total[0, k], reports[r, LARGEST + k])
    set_loads(box, reports)


@inline
def add_wall_loads(box, reports):
    """Sum the loads on walls over all ranks."""
    part = box.walls.chunk_loads
    for c in range(part.shape[0]):
        for w in range(part.shape[1]):
            for k in range(wall_loads.COLUMNS):
                part[c, w, k] = 0
    for r in range(reports.shape[0]):
        for w in range(part.shape[1]):
            for k in range(wall_loads.COLUMNS):
                part[0, w, k] += reports[r, WALL_LOADS + w * wall_loads.COLUMNS + k]


@inline
def add_virial(box, reports):
    """Sum the virial of a cell that deforms over all ranks, as if the first chunk, of ghosts, had contributed it."""
    for k in range(VIRIAL):
        own, both = np.int64(0), np.int64(0)
        for r in range(reports.shape[0]):
            own += reports[r, WALL_LOADS + k]
            both += reports[r, WALL_LOADS + VIRIAL + k]
        for c in range(box.parts.shape[0]):
            box.parts[c, k] = 0
        box.parts[0, k] = own + both // 2


set_loads = select("box", {BoxFaces: None, WalledFaces: add_wall_loads, DeformingFaces: add_virial})
