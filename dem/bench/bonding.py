"""What bonds cost: steps of flexible fibres, damped and not, and of their segments without bonds, in turns."""

from __future__ import annotations

import numpy as np

import dem
from dem.bench.stepping import RATE, share_of
from dem.bench.turns import cost_by_turns

APART = "apart"  # without bonds
DIAMETER, SEGMENTS, BENT = 1e-3, 10, 0.02  # m; bonds of a fibre; m/s by which nodes swing at first
DAMPING = {"undamped": 0.0, "damped": 0.05}


class Bonding:
    """Nanoseconds a step of segments with and without bonds, and what a bond takes."""

    unit = RATE

    def __init__(self, warm: int, steps: int, n: int) -> None:
        self.warm, self.steps, self.n = warm, steps, n

    def runs(self, *, share: float = 1.0, threads: int | None = None) -> dict[str, dem.Simulation]:
        """N fibres side by side, too far from each other to touch, that swing; and the same segments, which drift."""
        material = dem.Material(young=1e7, poisson=0.3, density=1000.0)
        side, length = int(np.ceil(self.n ** (1 / 2))), (SEGMENTS + 1) * DIAMETER
        place = np.stack(np.unravel_index(np.arange(self.n), (side, side)), 1) * 2 * DIAMETER
        runs, swing = {}, np.random.default_rng(1).normal(0.0, BENT, (self.n * (SEGMENTS + 1), 3))
        for name, damping in {APART: 0.0, **DAMPING}.items():
            fibre = dem.FlexibleFibre(diameter=DIAMETER, length=length, segments=SEGMENTS, young=1e7, damping=damping)
            bodies, bonds = fibre.make(material, position=np.column_stack([np.zeros(self.n), place]))
            bodies.velocity = swing * (0.01 if name == APART else 1.0)
            runs[name] = dem.Simulation(
                bodies, bonds=None if name == APART else bonds, time_step=1e-6, gravity=(0, 0, 0), threads=threads,
                integrator="splitting",
            )  # fmt: skip
            runs[name].step(share_of(self.warm, share))
        return runs

    def measure(self, *, share: float = 1.0, threads: int | None = None, split: bool = True) -> dict:
        """Least processor time of each, and what it has more than that without bonds, a bond."""
        del split
        runs, steps = self.runs(share=share, threads=threads), share_of(self.steps, share)
        least = {name: min(costs) for name, costs in cost_by_turns(runs, steps).items()}
        damped, bonds = runs["damped"], self.n * SEGMENTS
        bodies = len(damped.particles)
        return {
            "particles": bodies,
            "threads": damped.threads,
            "share": share,
            self.unit: 1e9 * bodies / least["damped"],
            "ns_per_particle_step": {name: ns / bodies for name, ns in least.items()},
            "ns_per_bond": {name: (least[name] - least[APART]) / bonds for name in DAMPING},
        }
