"""The loop over time steps, compiled as a whole.

Back in Python only to make a new neighbour list or room for more pairs, for a frame, or because something is wrong:
nine fibres take a third of a microsecond a step, less than one call from Python.
"""

from typing import NamedTuple

import numpy as np

from kernels import motion
from kernels.candidates import pick_candidates
from kernels.contact import contact, place_all
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
    pairs: np.ndarray  # (1,) int64, candidate pairs in use, or wanted after NO_ROOM
    elastic: np.ndarray  # (1,) int64, elastic energy at the last step, in units
    energy_start: np.ndarray  # (1,) int64, total energy at the start, in units
    energy_error: np.ndarray  # (1,) int64, largest departure from it at any step
    list_travel: np.ndarray  # (1,) distance that no sphere exceeded since the neighbour list [m]
    candidate_travel: np.ndarray  # (1,) the same since the candidates
    largest_overlap: np.ndarray  # (1,) [m]
    largest_turn: np.ndarray  # (1,) [rad] in one step


class Setting(NamedTuple):
    """What stays the same during a run."""

    dt: float  # [s]
    gravity: tuple  # (3,) [m/s2]
    datum: float  # g·x at zero potential [m2/s2]
    unit: float  # units per joule
    list_skin: float  # [m]
    candidate_skin: float  # [m]


@kernel
def advance(scheme, setting, stop, bodies, kinds, neighbours, box, progress):
    """Take steps until `stop` of them are complete; returns why it came back."""
    while progress.step[0] < stop:
        if progress.phase[0] == COMPLETE:
            predict(scheme, setting, bodies, kinds, progress)
        if not progress.list_travel[0] < np.inf:
            return NOT_FINITE
        if 2.0 * progress.list_travel[0] > setting.list_skin:
            return LIST_STALE
        if 2.0 * progress.candidate_travel[0] > setting.candidate_skin:
            if not refresh_candidates(setting, bodies, kinds, neighbours, box, progress):
                return NO_ROOM
        elastic, overlap = contact(bodies, kinds, neighbours, box, progress.pairs[0], setting.unit)
        moving, turn = correct(scheme, setting, bodies, kinds)
        account(elastic, moving, overlap, turn, progress)
        if turn > LARGEST_TURN:
            return TURNS_TOO_FAST
    return DONE


@stage
def predict(scheme, setting, bodies, kinds, progress):
    """Positions and orientations at which the next forces are wanted, and how far that went."""
    travel = setting.dt * motion.drift(setting.dt, bodies.position, bodies.velocity)
    if bodies.torque.shape[1] > 0:
        travel += motion.predict(scheme, setting.dt, bodies.kind, kinds.inertia, kinds.tip, bodies.orientation,
                                 bodies.memory_q, bodies.memory_w, bodies.memory_a)  # fmt: skip
    progress.list_travel[0] += travel
    progress.candidate_travel[0] += travel
    progress.phase[0] = PREDICTED


@stage
def refresh_candidates(setting, bodies, kinds, neighbours, box, progress):
    """Pick the candidate pairs anew; False if they have outgrown their arrays."""
    if bodies.torque.shape[1] > 0:
        place_all(bodies.position, bodies.orientation, bodies.kind, bodies.first_sphere, kinds.first_offset,
                  kinds.offset, bodies.sphere_position)  # fmt: skip
    progress.pairs[0] = pick_candidates(setting.candidate_skin, bodies, kinds, neighbours, box)
    fits = progress.pairs[0] <= neighbours.sphere_i.size
    if fits:
        progress.candidate_travel[0] = 0.0
    return fits


@stage
def correct(scheme, setting, bodies, kinds):
    """Complete the step with its forces; returns kinetic plus gravitational energy and the largest turn a step."""
    energy = motion.kick(setting.dt, setting.gravity, setting.datum, setting.unit, bodies.kind, kinds.mass,
                         bodies.position, bodies.velocity, bodies.force)  # fmt: skip
    turn = 0.0
    if bodies.torque.shape[1] > 0:
        spin, fastest = motion.correct(scheme, setting.dt, setting.unit, bodies.kind, kinds.inertia, bodies.orientation,
                                       bodies.memory_q, bodies.memory_w, bodies.memory_a, bodies.torque)  # fmt: skip
        energy += spin
        turn = fastest * setting.dt
    return energy, turn


@stage
def account(elastic, moving, overlap, turn, progress):
    """Count the step and keep the extremes."""
    progress.elastic[0] = elastic
    progress.energy_error[0] = max(progress.energy_error[0], abs(elastic + moving - progress.energy_start[0]))
    progress.largest_overlap[0] = max(progress.largest_overlap[0], overlap)
    progress.largest_turn[0] = max(progress.largest_turn[0], turn)
    progress.phase[0] = COMPLETE
    progress.step[0] += 1
