"""What walls cost: steps of a drum of triangles, of a smooth one, and of the same grains without, in turns."""

from __future__ import annotations

import numpy as np

import dem
from dem.bench.drum import Drum, Drumming
from dem.bench.stepping import RATE, share_of
from dem.bench.timing import Sizes
from dem.bench.turns import cost_by_turns
from dem.model.particles.fields import STATE

LISTING = 3  # steps after a state is given: what is listed anew is not counted
WITHOUT, CYLINDER, TRIANGLES = "without", "cylinder", "triangles"


class Walling:
    """Nanoseconds a particle step in a drum of triangles and in a smooth one, and which share of it is the wall's."""

    unit = RATE

    def __init__(self, warm: int, steps: int, **parameters: float) -> None:
        self.steps, self.parameters = steps, parameters
        self.drumming = Drumming("", warm, steps, **parameters)

    def runs(self, *, share: float = 1.0, threads: int | None = None) -> dict[str, dem.Simulation]:
        """One bed of grains without a drum, in a smooth drum and in a drum of triangles."""
        triangles = self.drumming.prepare(share=share, threads=threads)
        smooth = Drum(threads=threads, **self.parameters, smooth=True).sim
        bare = dem.Simulation(triangles.particles, triangles.box, time_step=triangles.time_step, threads=threads)
        return {WITHOUT: bare, CYLINDER: smooth, TRIANGLES: triangles}

    def measure(self, *, share: float = 1.0, threads: int | None = None, split: bool = True) -> dict:
        """Least processor time of each, the share that the one without lacks, and how many spheres are near the wall.

        Without a wall grains fly apart, so all runs begin each round where that of triangles is; friction begins
        anew there, in all of them.
        """
        del split
        runs, steps = self.runs(share=share, threads=threads), share_of(self.steps, share)
        triangles = runs[TRIANGLES]  # the last

        def begin(sim: dem.Simulation) -> None:
            for name in STATE:
                setattr(sim.particles, name, np.array(getattr(triangles.particles, name)))
            sim.step(LISTING)

        cost, n = cost_by_turns(runs, steps, before=begin), len(triangles.particles)
        sizes, least = Sizes.of(triangles), {name: min(costs) / n for name, costs in cost.items()}
        return {
            "particles": n,
            "threads": triangles.threads,
            "share": share,
            self.unit: 1e9 / least[TRIANGLES],
            "ns_per_particle_step": least,
            "share_of_walls": {name: 1 - least[WITHOUT] / ns for name, ns in least.items() if name != WITHOUT},
            "near_walls": sizes.near_walls / sizes.spheres,
        }
