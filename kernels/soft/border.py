"""What a share has to do with others: the motion that they are told, that which is heard, and reports.

What a share reports are integer sums and maxima, so that those of all shares come to what one alone would have: sums
over pairs that two shares have are told apart, and count half. Reports of a few shares lie side by side, one message
from each, and are combined here; those of many come combined, in one row.
"""

from typing import NamedTuple

import numpy as np

from kernels.base.jit import formula, part
from kernels.soft import felt, sweeps
from kernels.soft.walled import bare_or

# columns of `sweeps` that are maxima; all others are sums, and those of pairs come first
MAXIMA = (
    sweeps.PAIRS + 1, sweeps.WALLS + 1, sweeps.SPIN, sweeps.BRISK, sweeps.TRAVEL, sweeps.LISTED, sweeps.REYNOLDS,
    sweeps.WHIRL, sweeps.OUTSIDE,
)  # fmt: skip
IS_MAXIMUM = tuple(k in MAXIMA for k in range(sweeps.COLUMNS))


# of a report: maxima, sums of this share, sums over pairs with ghosts, what walls feel, each with COLUMNS numbers
MOST, OWN, BOTH, FELT = 0, sweeps.COLUMNS, 2 * sweeps.COLUMNS, 3 * sweeps.COLUMNS


class Border(NamedTuple):
    """G ghosts, L bodies that are ghosts of others, R numbers a motion; P shares of S numbers each report, or one.

    A motion is position, orientation unless all are spheres, and what a law wants to know. There are two sides, told on
    by turns: while shares read the one, others write the other.
    """

    index: np.ndarray  # (L,) int32, bodies whose motion others want
    rows: np.ndarray  # (N, R) motions: what is told, what is heard, and what others of this machine tell each other
    at: np.ndarray  # (G,) int64, rows of the ghosts on the first side
    side: np.ndarray  # (1,) int64, which one was told on last, 0 or 1
    first: int  # row of the first that is told on the first side
    room: int  # rows from one side to the other
    report: np.ndarray  # (S,) int64, what this share reports
    reports: np.ndarray  # (P, S) int64, what all do
    total: np.ndarray  # (1, COLUMNS) int64, that of all
    blocks: int  # of `Neighbours.block`, which hold the border: all bodies that others want, and some more


@formula
def tells_orientation(border):
    """Whether orientations are told, also of single spheres where they are bonded: all else has three numbers."""
    return border.rows.shape[1] % 3 == 1


@part
def tell(bodies, kinds, border):
    """Write down the motion that others want to know, on the side that was not told on last."""
    border.side[0] = 1 - border.side[0]
    first = border.first + border.side[0] * border.room
    for n in range(border.index.size):
        b, row = border.index[n], first + n
        r = copy_in(bodies.position, b, border.rows, row, 0)
        if tells_orientation(border):
            r = copy_in(bodies.orientation, b, border.rows, row, r)
            border.rows[row, r] = bodies.orientation[3, b]
            r += 1
        if bodies.velocity_ahead.shape[1] > 0:
            r = copy_in(bodies.velocity_ahead, b, border.rows, row, r)
        if bodies.spin.shape[1] > 0:
            copy_in(bodies.spin, b, border.rows, row, r)


@part
def hear(bodies, kinds, border):
    """Move the ghosts to where others have said last that they are."""
    further = border.side[0] * border.room
    for b in range(border.at.size):
        row = border.at[b] + further
        r = copy_out(bodies.position, b, border.rows, row, 0)
        if tells_orientation(border):
            r = copy_out(bodies.orientation, b, border.rows, row, r)
            bodies.orientation[3, b] = border.rows[row, r]
            r += 1
        if bodies.velocity_ahead.shape[1] > 0:
            r = copy_out(bodies.velocity_ahead, b, border.rows, row, r)
        if bodies.spin.shape[1] > 0:
            copy_out(bodies.spin, b, border.rows, row, r)


@formula
def copy_in(source, b, rows, n, r):
    """Copy the first three numbers that body b has to row n, from column r on; the column after."""
    rows[n, r], rows[n, r + 1], rows[n, r + 2] = source[0, b], source[1, b], source[2, b]
    return r + 3


@formula
def copy_out(target, b, rows, n, r):
    """Copy what row n has from column r on to body b, three numbers; the column after."""
    target[0, b], target[1, b], target[2, b] = rows[n, r], rows[n, r + 1], rows[n, r + 2]
    return r + 3


@part
def report(box, neighbours, partial, border):
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


@formula
def nothing_reported(box, first, row):
    """Where there are no walls."""
    return


@formula
def add_up_walls(box, first, row):
    """Add up what walls feel from the chunks from `first` on."""
    part = box.walls.part
    for w in range(part.shape[1]):
        for k in range(felt.COLUMNS):
            row[FELT + w * felt.COLUMNS + k] = 0
    for c in range(first, part.shape[0]):
        for w in range(part.shape[1]):
            for k in range(felt.COLUMNS):
                row[FELT + w * felt.COLUMNS + k] += part[c, w, k]


report_walls = bare_or(nothing_reported, add_up_walls)


@part
def add_reports(box, border):
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


@formula
def nothing_noted(box, reports):
    """Where there are no walls."""
    return


@formula
def add_walls(box, reports):
    """Let walls feel what they feel from all shares."""
    part = box.walls.part
    for c in range(part.shape[0]):
        for w in range(part.shape[1]):
            for k in range(felt.COLUMNS):
                part[c, w, k] = 0
    for r in range(reports.shape[0]):
        for w in range(part.shape[1]):
            for k in range(felt.COLUMNS):
                part[0, w, k] += reports[r, FELT + w * felt.COLUMNS + k]


note_walls = bare_or(nothing_noted, add_walls)
