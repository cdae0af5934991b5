"""What calls from Python cost where kernels have little to do: of `step(1)`, and of a neighbour list made anew."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from dem.bench.stepping import share_of
from dem.bench.timing import stages
from dem.case import case

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS, PER_ROUND = 9, 200  # rounds of so many calls each


class Calling:
    """Calls per second of `step(1)` and microseconds of each kind of call, of a built-in case with few bodies."""

    unit = "calls_per_second"

    def __init__(self, case: str, warm: int) -> None:
        self.case, self.warm = case, warm

    def measure(self, *, share: float = 1.0, threads: int | None = None, split: bool = True) -> dict:
        """Least processor time of a call in several rounds, by turns; the steps of one call in the long run as well."""
        del split
        sim = case(self.case)(threads=threads).simulation()
        sim.step(share_of(self.warm, share))
        calls = share_of(PER_ROUND, share)

        def repeat(call: Callable[[], None]) -> Callable[[], None]:
            return lambda: [call() for _ in range(calls)]

        works = {
            "step(1)": repeat(sim.step),
            "a step of many": lambda: sim.step(calls),
            "step(1), particles read": repeat(lambda: sim.step() or sim.particles),
        }
        cost = {name: [] for name in (*works, "list anew")}

        def measure(name: str, work: Callable[[], None]) -> None:
            start = time.process_time()
            work()
            cost[name].append(1e6 * (time.process_time() - start) / calls)

        for _ in range(ROUNDS):
            for name, work in works.items():
                measure(name, work)
            with stages(sim) as parts:
                measure("list anew", partial(parts["list neighbours"], calls))
        least = {name: max(min(costs), 1e-3) for name, costs in cost.items()}
        return {
            "particles": len(sim.particles),
            "threads": sim.threads,
            "share": share,
            self.unit: 1e6 / least["step(1)"],
            "us_per_call": least,
        }
