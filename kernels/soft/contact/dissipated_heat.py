"""Energy dissipated by contacts, body by body, for heat: the terms of the energy ledger in a finer unit.

A contact with the rate of loss l in half a step, springs of friction that hold s, and what it loses at once, j, has
turned Σ (2 l + j) - (l + s) into heat: the sum is over all evaluations, the last two terms are of the last one, whose
second half step is to come. Either of two bodies gets half of it, a body at a wall all of it. Sums are integers, which
depend on no order; each thread has rows of its own.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline, kernel, select
from dem.kernels.numerics.energy import as_fixed

FINER = 2.0**16  # units in a unit of energy


class NoHeat(NamedTuple):
    """Marker of a run that does not turn what contacts take up into heat."""


class ContactHeat(NamedTuple):
    """Sums by the identities of bodies, for each of B blocks of chunks."""

    taken: np.ndarray  # (B, I) int64: Σ (2 l + j) [units of energy / FINER]
    held: np.ndarray  # (B, I) int64: l + s of the last evaluation, if it was the last of a stretch of steps
    is_last: np.ndarray  # (1,) int64, whether it was


@inline
def begin_evaluation(heat, is_last):
    """Clear what the last evaluation held, and note whether the next one is the last of a stretch."""
    heat.is_last[0] = 1 if is_last else 0
    if is_last:
        heat.held[:] = 0


note_evaluation = select("heat", {NoHeat: None, ContactHeat: begin_evaluation})


@inline
def is_between(heat, time_sign):
    """Whether an evaluation is neither the first of a run nor the last of a stretch, as most are."""
    return time_sign > 0.0 and heat.is_last[0] == 0


@inline
def give_both(taken, block, i, j, gross, per_joule):
    """Add 2 l + j of a contact [J] to the sums of two bodies, in an evaluation that `is_between`; as `give`."""
    amount = as_fixed(gross, per_joule * FINER)
    taken[block, i] += amount
    taken[block, j] += amount


@inline
def give(taken, held, is_last, block, body, gross, kept, time_sign, per_joule):
    """Add 2 l + j and l + s of a contact [J] to the sums of a body; per_joule: units of energy a joule.

    The first evaluation of a run, with time_sign -1, counts for its second half step only.
    """
    now = as_fixed(kept, per_joule * FINER)
    taken[block, body] += now if time_sign < 0.0 else as_fixed(gross, per_joule * FINER)
    if is_last[0] != 0:
        held[block, body] += now


@kernel
def collect(taken, held, identity, per_unit, remainder):
    """Give bodies what contacts took up since this was last called, but for what the last evaluation holds.

    taken, held: of `ContactHeat`. identity: (N,) of bodies by index. per_unit: amount of a unit, a power of two.
    Writes remainder: (N,), added. Writes taken: what is held. Returns the sum [units].
    """
    total = np.int64(0)
    for b in range(identity.size):
        n, units = identity[b], np.int64(0)
        for block in range(taken.shape[0]):
            units += taken[block, n] - held[block, n]
            taken[block, n] = held[block, n]
        remainder[b] += units * per_unit
        total += units
    return total
