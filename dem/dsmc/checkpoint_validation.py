"""Check that the state of spheres that collide at random, from a file, fits an engine of the same input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.dsmc.engine import PARTS
from dem.files.validation.hdf5_validation import check_alike, check_finite, check_within, require
from dem.kernels.event_driven.flight import RADIUS, TIME
from dem.model.particles.particles import UNIT_NORM
from dem.system.plan import MOST_STEPS

if TYPE_CHECKING:
    from dem.dsmc.engine import StochasticEngine, StochasticState

NEVER = {"spheres": ("last",)}  # what may be infinite: times of what never has happened
COUNTS = ("pair", "wall", "lasting", "excess")


def check_fits(state: StochasticState, engine: StochasticEngine) -> None:
    """Raise DamagedError, saying what does not fit, unless the engine can go on from the state."""
    for part in PARTS:
        check_alike(part, getattr(state, part), getattr(engine, part)._asdict())
        check_finite(part, getattr(state, part), infinite=NEVER.get(part, ()))
    given, own = state.spheres, engine.spheres
    same = np.array_equal(given["row"][:, RADIUS], own.row[:, RADIUS])
    require(
        same and all(np.array_equal(given[n], getattr(own, n)) for n in ("mass", "inertia")), "spheres have changed"
    )
    off = np.abs(np.linalg.norm(given["q"], axis=0) - 1).max()
    require(off <= UNIT_NORM, f"spheres/q has a norm that is off by {off:.3g}")
    for name in ("impacts", "wall_impacts"):
        check_within(f"spheres/{name}", given[name], 0, np.iinfo(np.int64).max)
    check_within("tally/step", state.tally["step"], 0, int(MOST_STEPS))
    check_within("tally/stuck", state.tally["stuck"], 0, len(own.mass) - 1)
    for name in COUNTS:
        check_within(f"tally/{name}", state.tally[name], 0, np.iinfo(np.int64).max)
    time = int(state.tally["step"][0]) * engine.rule.time_step
    require(bool((given["row"][:, TIME] == time).all()), "spheres/row is not at the time of the latest step")
