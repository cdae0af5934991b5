"""What a share has to do with others: the motion that they are told, that which is heard, and reports.

What a share reports are integer sums and maxima, so that those of all shares come to what one alone would have: sums
over pairs that two shares have are told apart, and count half. Reports of a few shares lie side by side, one message
from each, and are combined here; those of many come combined, in one row.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.c_functions import call
from dem.kernels.compiler.jit import func, inline, select
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.soft.integration import sweeps
from dem.kernels.soft.wall_contact import wall_loads
from dem.kernels.soft.wall_contact.wall_arrays import WalledFaces

# columns of `sweeps` that are maxima; all others are sums, and those of pairs come first
MAXIMA = (
    sweeps.PAIRS + 1, sweeps.WALLS + 1, sweeps.SPIN, sweeps.BRISK, sweeps.TRAVEL, sweeps.LISTED, sweeps.REYNOLDS,
    sweeps.WHIRL, sweeps.OUTSIDE,
)  # fmt: skip
IS_MAXIMUM = tuple(k in MAXIMA for k in range(sweeps.COLUMNS))


# of a report: maxima, sums of this share, sums over pairs with ghosts, what walls feel, each with COLUMNS numbers
MOST, OWN, BOTH, FELT = 0, sweeps.COLUMNS, 2 * sweeps.COLUMNS, 3 * sweeps.COLUMNS


class HaloBuffers(NamedTuple):
    """L bodies that are ghosts of others, R numbers a motion; P shares of S numbers each report, or one.

    A motion is position, orientation unless all are spheres, and what a law wants to know: R numbers, first the first
    ones of all bodies that a share is told of, then the second ones, and so on. There are two sides, told on by turns:
    while shares read the one, others write the other.
    """

    index: np.ndarray  # (L,) int32, bodies whose motion others want
    motion: np.ndarray  # (N R,) what is told, what is heard, and what others of this machine tell each other
    told: np.ndarray  # (A, 2) int64, what shares are told each: its first row on the first side, and how many
    heard: np.ndarray  # (B, 2) int64, what shares tell each, likewise
    side: np.ndarray  # (1,) int64, which one was told on last, 0 or 1
    room: int  # rows from one side to the other
    columns: int  # R
    sends_orientation: bool  # of bodies, and of single spheres where they are bonded
    sent_rows: int  # of `Bodies.fields`, the first ones
    report: np.ndarray  # (S,) int64, what this share reports
    reports: np.ndarray  # (P, S) int64, what all do
    total: np.ndarray  # (1, COLUMNS) int64, that of all
    blocks: int  # of `Neighbours.block`, which hold the border: all bodies that others want, and some more
    swap: np.ndarray  # (WORDS,) int64, call by which all hear what all report; address 0 if kernels are not to call it
    clock: np.ndarray  # (WORDS,) int64, call that writes the time to `now`
    now: np.ndarray  # (2,) int64 [s, ns]
    waited: np.ndarray  # (1,) int64 [ns], that the calls of `swap` have taken


@func
def pack_halo(bodies, kinds, border):
    """Write down the motion that others want to know, on the side that was not told on last."""
    border.side[0] = 1 - border.side[0]
    n = 0
    for p in range(border.told.shape[0]):
        size = border.told[p, 1]
        k = (border.told[p, 0] + border.side[0] * border.room) * border.columns
        k = copy_in(bodies.position, n, size, k, border)
        if border.sends_orientation:
            k = copy_in(bodies.orientation, n, size, k, border)
        if bodies.velocity_predicted.shape[1] > 0:
            k = copy_in(bodies.velocity_predicted, n, size, k, border)
        if bodies.angular_velocity_predicted.shape[1] > 0:
            k = copy_in(bodies.angular_velocity_predicted, n, size, k, border)
        copy_in(bodies.fields[: border.sent_rows], n, size, k, border)
        n += size


@func
def unpack_halo(bodies, kinds, border):
    """Move the ghosts to where others have said last that they are."""
    b = 0
    for p in range(border.heard.shape[0]):
        size = border.heard[p, 1]
        k = (border.heard[p, 0] + border.side[0] * border.room) * border.columns
        k = copy_out(bodies.position, b, size, k, border)
        if border.sends_orientation:
            k = copy_out(bodies.orientation, b, size, k, border)
        if bodies.velocity_predicted.shape[1] > 0:
            k = copy_out(bodies.velocity_predicted, b, size, k, border)
        if bodies.angular_velocity_predicted.shape[1] > 0:
            k = copy_out(bodies.angular_velocity_predicted, b, size, k, border)
        copy_out(bodies.fields[: border.sent_rows], b, size, k, border)
        b += size


@inline
def copy_in(source, n, size, k, border):
    """Write down what so many bodies of `HaloBuffers.index` have, from the n-th on; returns where the next is to be."""
    for r in range(source.shape[0]):
        for m in range(size):
            border.motion[k + r * size + m] = source[r, border.index[n + m]]
    return k + source.shape[0] * size


@inline
def copy_out(target, b, size, k, border):
    """Let so many bodies have what is written down, from body b on; returns where the next is."""
    for r in range(target.shape[0]):
        for m in range(size):
            target[r, b + m] = border.motion[k + r * size + m]
    return k + target.shape[0] * size


@func
def local_sums(box, neighbours, partial, border):
    """Add up what the chunks report, those of ghosts apart."""
    row = border.report
    for k in range(FELT):
        row[k] = 0
    for c in range(partial.shape[0]):
        ghosts = c < neighbours.block[0]
        column = BOTH if ghosts else OWN
        for k in range(sweeps.COLUMNS):
            row[column + k] += 0 if IS_MAXIMUM[k] else partial[c, k]
            if not ghosts or k == sweeps.PAIRS + 1:  # all that ghosts report, and the overlap
                row[MOST + k] = max(row[MOST + k], partial[c, k])
    report_walls(box, neighbours.block[0], row)


@inline
def nothing_reported(box, first, row):
    """Report no loads of walls: there are none."""
    return


@inline
def add_up_walls(box, first, row):
    """Add up what walls feel from the chunks from `first` on."""
    part = box.walls.part
    for w in range(part.shape[1]):
        for k in range(wall_loads.COLUMNS):
            row[FELT + w * wall_loads.COLUMNS + k] = 0
    for c in range(first, part.shape[0]):
        for w in range(part.shape[1]):
            for k in range(wall_loads.COLUMNS):
                row[FELT + w * wall_loads.COLUMNS + k] += part[c, w, k]


report_walls = select("box", {BoxFaces: nothing_reported, WalledFaces: add_up_walls})


@inline
def time(border):
    """Time by a clock that only goes forward [ns]."""
    call(border.clock)
    return border.now[0] * 1_000_000_000 + border.now[1]


@func
def exchange_sums(border):
    """Hear what all report; returns 0, or what else the call returned.

    Writes
    ------
    border : `reports`, `waited`
    """
    began = time(border)
    code = call(border.swap)
    border.waited[0] += time(border) - began
    return code


@func
def add_sums(box, border):
    """What all shares have come to; also what walls feel, as if one chunk reported it.

    Writes
    ------
    border : `total`
    box : `Walls.part`
    """
    total, reports = border.total, border.reports
    for k in range(sweeps.COLUMNS):
        own, both = np.int64(0), np.int64(0)
        for r in range(reports.shape[0]):
            own += reports[r, OWN + k]
            both += reports[r, BOTH + k]
        total[0, k] = own + both // 2
    for k in MAXIMA:
        total[0, k] = 0
        for r in range(reports.shape[0]):
            total[0, k] = max(total[0, k], reports[r, MOST + k])
    note_walls(box, reports)


@inline
def nothing_noted(box, reports):
    """Record no loads of walls: there are none."""
    return


@inline
def add_walls(box, reports):
    """Let walls feel what they feel from all shares."""
    part = box.walls.part
    for c in range(part.shape[0]):
        for w in range(part.shape[1]):
            for k in range(wall_loads.COLUMNS):
                part[c, w, k] = 0
    for r in range(reports.shape[0]):
        for w in range(part.shape[1]):
            for k in range(wall_loads.COLUMNS):
                part[0, w, k] += reports[r, FELT + w * wall_loads.COLUMNS + k]


note_walls = select("box", {BoxFaces: nothing_noted, WalledFaces: add_walls})
