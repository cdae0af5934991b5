"""Runs timed in turns: what else the machine does slows all of them alike."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import dem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


ROUNDS = 9


def cost_by_turns(
    runs: Mapping[str, dem.Simulation],
    steps: int,
    *,
    before: Callable[[dem.Simulation], None] = lambda sim: None,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, list[float]]:
    """Nanoseconds a step of each run (ROUNDS,) by turns; `before` is done with each first, and not timed."""
    cost: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, sim in runs.items():
            before(sim)
            start = clock()
            sim.step(steps)
            cost[name].append(1e9 * (clock() - start) / steps)
    return cost
