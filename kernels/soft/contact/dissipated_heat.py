"""Energy dissipated by contacts and bonds, body by body, for heat: the terms of the energy ledger in a finer unit.

For a contact, l is the energy that it loses in half a step, s the energy stored in its springs of friction, and j what
it loses at once. Its heat so far is Σ (2 l + j) - (l + s): the sum is over all evaluations, the last two terms are of
the last one, whose second half step is still to come. Each of two bodies gets half of the heat; a body at a wall or on
the ground gets all of it.

Rows of `Neighbours.force_torque` have room for both amounts beside the force and the torque, so that they are summed
with these by body. What a body gets in a step is then rounded to an integer; sums of integers depend on no order.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline, kernel, select
from dem.kernels.numerics.columns import flat
from dem.kernels.numerics.energy import as_fixed
from dem.kernels.simd.memory import (
    negate_first_four,
    negate_first_three,
    swap_halves_negating,
    swap_halves_negating_three,
)
from dem.kernels.soft.contact.batch_kinematics import LOSS, OPEN_LOSS
from dem.kernels.soft.contact.contact_detection import FORCE_J, LINE, ON_I, SHARED
from dem.kernels.soft.contact.result_sinks import ForceSink, HeatSink

HEAT_SUBUNITS = 2.0**16  # units in a unit of energy
# rows of `Bodies.dissipated`: Σ (2 l + j); l + s of the last evaluation, if it was the last of a stretch of steps
DISSIPATED_ROW, OPEN_ROW, ROWS = 0, 1, 2
OPEN_COLUMN, DISSIPATED_COLUMN = ON_I - 1, LINE - 1  # where they are in the sums of a body


class NoHeat(NamedTuple):
    """Marks a run in which energy dissipated by contacts does not become heat."""


class ContactHeat(NamedTuple):
    """Marks a run in which energy dissipated by contacts becomes heat of the bodies."""

    is_last: np.ndarray  # (1,) int64, whether the last evaluation was the last of a stretch of steps


@inline
def begin_evaluation(heat, is_last, bodies):
    """Clear the terms of the last evaluation, and store whether the next one is the last of a stretch of steps."""
    heat.is_last[0] = 1 if is_last else 0
    for b in range(bodies.dissipated.shape[1] if is_last else 0):
        bodies.dissipated[OPEN_ROW, b] = 0


record_evaluation = select("heat", {NoHeat: None, ContactHeat: begin_evaluation})


@inline
def write_row(k, kept, gross, force_torque):
    """Write l + s and 2 l + j of a contact [J] to row k, for both of its bodies."""
    width = force_torque.shape[1]
    force_torque[k, OPEN_COLUMN] = gross if width == SHARED else kept
    force_torque[k, DISSIPATED_COLUMN] = kept if width == SHARED else gross
    if width > LINE:
        force_torque[k, FORCE_J + OPEN_COLUMN] = gross if width == SHARED else kept
    if width > SHARED:
        force_torque[k, FORCE_J + DISSIPATED_COLUMN] = gross


@inline
def write_column(sink, t, out, force_torque):
    """Write the energy that the contact of column t dissipates to row t."""
    write_row(t, out[flat(OPEN_LOSS, t)], out[flat(LOSS, t)], force_torque)


@inline
def write_columns(sink, k, first, stop, out, force_torque):
    """Write the energy that the contacts of one pair, columns first to stop, dissipate to row k."""
    kept, gross = 0.0, 0.0
    for t in range(first, stop):
        kept, gross = kept + out[flat(OPEN_LOSS, t)], gross + out[flat(LOSS, t)]
    write_row(k, kept, gross, force_torque)


write_heat = select("sink", {ForceSink: None, HeatSink: write_column})
write_heat_of_pair = select("sink", {ForceSink: None, HeatSink: write_columns})
# Functions of (heat, sums): from the sums over pairs in which a body is the second one to those in which it is the
# first, where rows are shared; where rows have both bodies' torques
reverse_force_line = select("heat", {NoHeat: negate_first_four, ContactHeat: negate_first_three}, handed=False)
reverse_shared_line = select(
    "heat", {NoHeat: swap_halves_negating, ContactHeat: swap_halves_negating_three}, handed=False
)


@inline
def add_dissipation(heat, dissipated, b, gross, kept, per_joule):
    """Add dissipated energy 2 l + j, and its open part l + s [J], to the sums of body b; per_joule: units a joule."""
    dissipated[DISSIPATED_ROW, b] += as_fixed(gross, per_joule * HEAT_SUBUNITS)
    if heat.is_last[0] != 0:
        dissipated[OPEN_ROW, b] += as_fixed(kept, per_joule * HEAT_SUBUNITS)


@inline
def add_dissipation_sums(heat, b, sums, dissipated, per_joule):
    """Add half of the energy that the pairs of body b dissipate."""
    add_dissipation(heat, dissipated, b, sums[DISSIPATED_COLUMN], sums[OPEN_COLUMN], 0.5 * per_joule)


add_dissipation_of_pairs = select("heat", {NoHeat: None, ContactHeat: add_dissipation_sums})


@kernel
def collect(dissipated, per_unit, remainder):
    """Add the energy dissipated since the last call to the remainders of bodies, without the open half step.

    dissipated: of `Bodies`. per_unit: amount of a unit, a power of two.
    Writes remainder: (N,), added. Writes dissipated: only the open half step remains. Returns the sum [units].
    """
    total = np.int64(0)
    for b in range(remainder.size):
        units = dissipated[DISSIPATED_ROW, b] - dissipated[OPEN_ROW, b]
        dissipated[DISSIPATED_ROW, b] = dissipated[OPEN_ROW, b]
        remainder[b] += units * per_unit
        total += units
    return total
