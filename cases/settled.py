"""Beds that have come to rest, made once and kept: making them may take minutes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import dem
from dem.base.progress import progress_bar
from dem.base.words import counted
from dem.bench import states

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

QUIET = 1e-3  # speed of what has come to rest: that of a fall through so many diameters
FALL = 5.0  # diameters through which the fastest have fallen
LOOK = 500  # steps between looks
KEPT = 0.8  # of the velocities, after each look at a bed that has fallen together
MOST = 2000  # looks


def settled(
    simulation: Callable[[object, np.ndarray], dem.Simulation], stages: Sequence, start: np.ndarray, size: float,
    recipe: dict,
) -> np.ndarray:  # fmt: skip
    """Centres (N, 3) of bodies at rest: let fall at the first stage, and brought to rest again at each further one.

    Each stage is kept, so that who is interrupted goes on there.

    Parameters
    ----------
    simulation : function
        Makes a simulation, given a stage and places.
    stages : sequence of plain values
        Such as how soft the bodies are.
    start : (N, 3) array
        Where they begin [m].
    size : float
        Of the smallest body [m].
    recipe : dict
        Plain values by which it is known another time.
    """
    places, about = start, {**recipe, "version": dem.__version__, "start": [float(x) for x in start.sum(0)]}
    for k, stage in enumerate(stages):

        def make(places: np.ndarray = places, stage: object = stage, k: int = k) -> np.ndarray:
            return _at_rest(simulation(stage, places), size, falls=k == 0)

        places = states.places({**about, "stages": list(stages[: k + 1])}, make)
    return places


def _at_rest(sim: dem.Simulation, size: float, *, falls: bool) -> np.ndarray:
    """Places when all have come to rest; nobody falls faster than through some diameters, or he would dent others."""
    strength = float(np.linalg.norm(sim.gravity))
    limit, most = 2 * strength * QUIET * size, math.sqrt(2 * strength * FALL * size)
    fastest = 0.0
    with progress_bar(1.0, lambda n, _: f"a bed settles, {counted(n, 'step')}", wanted=None, steady=False) as moved:
        for look in range(MOST):
            sim.step(LOOK)
            velocity = sim.particles.velocity
            speed = np.linalg.norm(velocity, axis=1)
            square = float((speed**2).mean())
            fastest = max(fastest, square)
            moved(1.0 / MOST, LOOK)
            if square < limit and (not falls or square < 0.1 * fastest):
                break
            kept = np.minimum(1.0, most / np.maximum(speed, 1e-300))[:, None]
            if not falls or (look > 10 and square < 0.25 * fastest):
                kept = np.minimum(kept, KEPT)
            sim.particles.velocity = kept * velocity
            sim.particles.angular_velocity = kept * sim.particles.angular_velocity
    return np.array(sim.particles.position)
