"""What walls cost: steps of a drum of triangles, of a smooth one, and of the same grains without, in turns."""

from __future__ import annotations

import time

import numpy as np

from dem.bench.drum import Drum, Drumming
from dem.bench.stepping import RATE, share_of
from dem.model.fields import STATE
from dem.soft.simulation import Simulation

ROUNDS = 9  # of all runs, one after the other, so that what else the machine does slows all of them alike
LISTING = 3  # steps after a state is given: what is listed anew is not counted
WITHOUT, CYLINDER, TRIANGLES = "without", "cylinder", "triangles"


class Walling:
    """Nanoseconds a particle step in a drum of triangles and in a smooth one, and which share of it is the wall's."""

    unit = RATE

    def __init__(self, warm: int, steps: int, **parameters: float) -> None:
        self.steps, self.parameters = steps, parameters
        self.drumming = Drumming("", warm, steps, **parameters)

    def runs(self, *, share: float = 1.0, threads: int | None = None) -> dict[str, Simulation]:
        """The same grains in no drum, a smooth one and one of triangles."""
        triangles = self.drumming.prepare(share=share, threads=threads)
        smooth = Drum(threads=threads, **self.parameters, smooth=True).sim
        bare = Simulation(triangles.particles, triangles.box, time_step=triangles.time_step, threads=threads)
        return {WITHOUT: bare, CYLINDER: smooth, TRIANGLES: triangles}

    def measure(self, *, share: float = 1.0, threads: int | None = None, split: bool = True) -> dict:
        """Least processor time of each, the share that the one without lacks, and how many spheres are near the wall.

        Without a wall grains fly apart, so all runs begin each round where that of triangles is; friction begins
        anew there, in all of them.
        """
        del split
        runs, steps = self.runs(share=share, threads=threads), share_of(self.steps, share)
        cost: dict[str, list[float]] = {name: [] for name in runs}
        for _ in range(ROUNDS):
            state = {name: np.array(getattr(runs[TRIANGLES].particles, name)) for name in STATE}
            for name, sim in runs.items():
                for field, rows in state.items():
                    setattr(sim.particles, field, rows)
                sim.step(LISTING)
                start = time.process_time()
                sim.step(steps)
                cost[name].append(1e9 * (time.process_time() - start) / steps / len(sim.particles))
        sizes, least = sim.sizes(), {name: min(costs) for name, costs in cost.items()}
        return {
            "particles": len(sim.particles),
            "threads": sim.threads,
            "share": share,
            self.unit: 1e9 / least[TRIANGLES],
            "ns_per_particle_step": least,
            "share_of_walls": {name: 1 - least[WITHOUT] / ns for name, ns in least.items() if name != WITHOUT},
            "near_walls": sizes.near_walls / sizes.spheres,
        }
