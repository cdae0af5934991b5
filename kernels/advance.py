"""The loop over time steps, compiled as a whole.

Back in Python only to make a new neighbour list or room for more pairs, for a frame, or because something is wrong:
nine fibres take a third of a microsecond a step, less than one call from Python.
"""

from typing import NamedTuple

import numpy as np

from kernels import sweeps
from kernels.jit import kernel, stage

# why `advance` came back
DONE, LIST_STALE, NO_ROOM, NOT_FINITE, TURNS_TOO_FAST = range(5)

# a step is either complete, or its positions are predicted and the forces are next
COMPLETE, PREDICTED = range(2)

LARGEST_TURN = 2.0  # rad in one step: the range of the series in kernels.quaternion


class Progress(NamedTuple):
    """What a run carries from call to call; arrays of one element, so that kernels can write them."""

    step: np.ndarray  # (1,) int64, steps completed
    phase: np.ndarray  # (1,) int64, COMPLETE or PREDICTED
    elastic: np.ndarray  # (1,) int64, elastic energy at the last step, in units
    energy_start: np.ndarray  # (1,) int64, total energy at the start, in units
    energy_error: np.ndarray  # (1,) int64, largest departure from it at any step
    list_travel: np.ndarray  # (1,) distance that no sphere exceeded since the neighbour list [m]
    candidate_travel: np.ndarray  # (1,) the same since the candidates
    largest_overlap: np.ndarray  # (1,) [m]


class Setting(NamedTuple):
    """What stays the same during a run."""

    dt: float  # [s]
    gravity_x: float  # [m/s2]; three floats, because numba takes no tuple within a tuple into a prange
    gravity_y: float
    gravity_z: float
    datum: float  # g·x at zero potential [m2/s2]
    unit: float  # units per joule
    list_skin: float  # [m]
    candidate_skin: float  # [m]


@kernel
def advance(scheme, mode, setting, stop, bodies, kinds, neighbours, box, progress, partial):
    """Take steps until `stop` of them are complete; returns why it came back."""
    while progress.step[0] < stop:
        if progress.phase[0] == COMPLETE:
            travel = sweeps.predict(mode, scheme, setting.dt, bodies, kinds, neighbours, partial)
            progress.list_travel[0] += travel
            progress.candidate_travel[0] += travel
            progress.phase[0] = PREDICTED
        if not progress.list_travel[0] < np.inf:
            return NOT_FINITE
        if 2.0 * progress.list_travel[0] > setting.list_skin:
            return LIST_STALE
        if 2.0 * progress.candidate_travel[0] > setting.candidate_skin:
            if not refresh_candidates(mode, setting, bodies, kinds, neighbours, box, progress):
                return NO_ROOM
        elastic, overlap = sweeps.evaluate(mode, setting.unit, bodies, neighbours, partial)
        gathered = sweeps.correct(mode, scheme, setting, bodies, kinds, neighbours, box, partial)
        account(elastic, overlap, gathered, progress)
        if not gathered[3] * setting.dt <= LARGEST_TURN:
            return TURNS_TOO_FAST
    return DONE


@stage
def refresh_candidates(mode, setting, bodies, kinds, neighbours, box, progress):
    """Pick the candidate pairs anew; False if they have outgrown their arrays."""
    fits = sweeps.pick(mode, setting.candidate_skin, bodies, kinds, neighbours, box)
    if fits:
        progress.candidate_travel[0] = 0.0
    return fits


@stage
def account(elastic, overlap, gathered, progress):
    """Count the step and keep the extremes."""
    wall_elastic, wall_overlap, moving, _ = gathered
    progress.elastic[0] = elastic + wall_elastic
    error = abs(progress.elastic[0] + moving - progress.energy_start[0])
    progress.energy_error[0] = max(progress.energy_error[0], error)
    progress.largest_overlap[0] = max(progress.largest_overlap[0], overlap, wall_overlap)
    progress.phase[0] = COMPLETE
    progress.step[0] += 1
