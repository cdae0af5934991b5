"""Beds that have come to rest, made once and kept: making them may take minutes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import dem
from dem.base.progress import progress_bar
from dem.base.words import counted
from dem.bench import states

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

QUIET = 1e-3  # speed of what has come to rest: that of a fall through so many diameters
LOOK = 500  # steps between looks
KEPT = 0.8  # of the velocities, after each look at a bed that has fallen together
MOST = 2000  # looks


def settled(
    simulation: Callable[[float, np.ndarray], dem.Simulation], stages: Sequence[float], start: np.ndarray, size: float,
    recipe: dict,
) -> np.ndarray:  # fmt: skip
    """Centres (N, 3) of bodies at rest: let fall at the first stage, and brought to rest again at each further one.

    Parameters
    ----------
    simulation : function
        Makes a simulation, given a stage and places.
    stages : sequence of floats
        Such as how soft the bodies are.
    start : (N, 3) array
        Where they begin [m].
    size : float
        Of the smallest body [m].
    recipe : dict
        Plain values by which it is known another time.
    """

    def make() -> np.ndarray:
        places = start
        for k, stage in enumerate(stages):
            places = _at_rest(simulation(stage, places), size, falls=k == 0)
        return places

    return states.places({**recipe, "version": dem.__version__, "start": _mark(start)}, make)


def _mark(start: np.ndarray) -> list[float]:
    return [float(x) for x in start.sum(0)]


def _at_rest(sim: dem.Simulation, size: float, *, falls: bool) -> np.ndarray:
    """Places when all have come to rest."""
    strength = float(np.linalg.norm(sim.gravity))
    limit = 2 * strength * QUIET * size  # of the mean square of the speed
    fastest, looks = 0.0, 0
    wanted = False
    with progress_bar(1.0, lambda n, _: f"a bed settles, {counted(n, 'step')}", wanted=wanted or None, steady=False) as moved:
        while looks < MOST:
            sim.step(LOOK)
            looks += 1
            square = float((sim.particles.velocity**2).sum(1).mean())
            fastest = max(fastest, square)
            moved(min(1.0, limit / square) if square else 1.0, LOOK)
            if square < limit and (not falls or looks * LOOK * sim.time_step > 0.02):
                break
            if not falls or square < 0.25 * fastest:
                sim.particles.velocity = KEPT * sim.particles.velocity
                sim.particles.angular_velocity = KEPT * sim.particles.angular_velocity
    return np.array(sim.particles.position)
