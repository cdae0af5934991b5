"""Benchmarks of particles in a flow: what a fluid adds to the time of a step, measured beside the same run dry."""

from __future__ import annotations

import statistics
import time

import numpy as np

import dem
from dem.bench.stepping import RATE, share_of
from dem.bench.turns import cost_by_turns
from dem.case import case

AIR = {"density": 1.2, "viscosity": 1.8e-5}
TURNOVER = 1.0  # time in which the flow goes through the box [s]
NODES = 25  # along each axis


def vortices(box: dem.Box) -> dem.GriddedFlow:
    """Vortices as large as a box, at the nodes of a grid that covers it, and some flow through them."""
    lower, upper = np.array(box.lower), np.array(box.upper)
    margin = 1e-6 * (upper - lower)
    axes = [np.linspace(*ends, NODES) for ends in zip(lower - margin, upper + margin, strict=True)]
    x, y, _ = np.meshgrid(*(2 * np.pi * (a - a[0]) / (a[-1] - a[0]) for a in axes), indexing="ij")
    speed = (upper - lower).max() / TURNOVER
    velocity = speed * np.stack([np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y), 0.2 * np.sin(x)], -1)
    return dem.GriddedFlow(
        velocity=velocity, spacing=tuple(float(a[1] - a[0]) for a in axes), origin=tuple(float(a[0]) for a in axes)
    )


class Flowing:
    """Nanoseconds a particle step of a case, dry and in fluids."""

    unit = RATE

    def __init__(self, case: str, warm: int, steps: int, fluids: dict[str, dict], **parameters: float | str) -> None:
        self.case, self.warm, self.steps, self.fluids, self.parameters = case, warm, steps, fluids, parameters

    def runs(self, *, share: float = 1.0, threads: int | None = None) -> dict[str, dem.Simulation]:
        """One simulation without a fluid and one in each fluid, from the same state after its first steps."""
        dry = case(self.case)(**self.parameters, threads=threads).simulation()
        dry.step(share_of(self.warm, share))
        flow = vortices(dry.box)
        told = {
            "gravity": dry.gravity, "time_step": dry.time_step, "integrator": dry.integrator.name, "threads": threads,
            "contacts": dry.contacts,
        }  # fmt: skip
        fluids = {name: dem.Fluid(**AIR, velocity=flow, **words) for name, words in self.fluids.items()}
        return {
            name: dem.Simulation(dry.particles, dry.box, fluid=fluid, **told)
            for name, fluid in {"dry": None, **fluids}.items()
        }

    def measure(self, *, share: float = 1.0, threads: int | None = None, split: bool = True) -> dict:
        """Cost of each, and over that of the dry one; the rate is that of the last."""
        del split
        runs, steps = self.runs(share=share, threads=threads), share_of(self.steps, share)
        for sim in runs.values():
            sim.step(share_of(20, share))
        cost = cost_by_turns(runs, steps, clock=time.perf_counter)
        last, n = list(runs)[-1], len(sim.particles)
        over = {
            name: statistics.median(a / b for a, b in zip(costs, cost["dry"], strict=True))
            for name, costs in cost.items()
        }
        return {
            "particles": n,
            "threads": sim.threads,
            "share": share,
            self.unit: 1e9 * n / statistics.median(cost[last]),
            "ns_per_particle_step": {name: statistics.median(costs) / n for name, costs in cost.items()},
            "times_dry": over,
        }
