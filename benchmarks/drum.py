"""`python -m benchmarks.drum [--n N] [--steps S]`: rotating drums of triangles and, in LAMMPS, a smooth one.

All programs start from the same settled spheres with friction, with the same time step, on one core, and run
alternately. `dem.bench.yade` finds YADE, and `dem.bench.lammps` LAMMPS.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dem.bench import drum, lammps, yade

if TYPE_CHECKING:
    from dem.soft.simulation import Simulation

FIRST = 20  # steps in which either makes its lists
FRICTION = {"restitution": 0.5, "friction": 0.5}


def state_of(sim: Simulation, steps: int) -> dict[str, np.ndarray | float]:
    """Initial state for YADE, in its periodic cell with a corner at the origin."""
    shape, material = sim.particles.variants[0]
    pair, surface, low = sim.contacts.between(material, material), sim.walls[0].shape.surface, sim.box.lower
    angle = drum.RATE * sim.time
    x, y, z = surface.vertices.T
    turned = np.stack([x * np.cos(angle) + z * np.sin(angle), y, z * np.cos(angle) - x * np.sin(angle)], axis=1)
    numbers = [material.young, material.poisson, material.density, pair.restitution, pair.friction, sim.time_step,
               drum.RATE, sim.box.size[1], sim.box.size[0]]  # fmt: skip
    return {
        "position": sim.particles.position - low, "velocity": sim.particles.velocity,
        "spin": sim.particles.angular_velocity, "radius": 0.5 * shape.diameter,
        "triangles": turned[surface.triangles] - low,
        "numbers": np.array(numbers, float), "gravity": np.array(sim.gravity), "first": FIRST, "steps": steps,
    }  # fmt: skip


def theirs(sim: Simulation, steps: int) -> tuple[float, np.ndarray]:
    """Seconds of YADE for a number of steps on one core from the present state, and the final positions."""
    end = yade.run(Path(__file__).with_name("yade_drum.py"), state_of(sim, steps))
    return float(end["seconds"]), end["position"] + sim.box.lower


def ours(sim: Simulation, steps: int) -> float:
    """Seconds of pcdm-dem for a number of steps, after the first ones."""
    sim.step(FIRST)
    start = time.perf_counter()
    sim.step(steps)
    return time.perf_counter() - start


def departure(sim: Simulation, before: np.ndarray, other: np.ndarray) -> float:
    """Mean distance between the spheres of two engines, relative to their mean displacement."""
    length = sim.box.size[1]

    def way(x: np.ndarray, y: np.ndarray) -> float:
        d = x - y
        d[:, 1] -= length * np.round(d[:, 1] / length)
        return float(np.linalg.norm(d, axis=1).mean())

    return way(other, sim.particles.position) / way(before, sim.particles.position)


def main() -> None:
    """Measure all installed programs in turn, each from the same initial state."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drum", description=__doc__)
    parser.add_argument("--n", type=int, default=10_000, help="spheres; default 10000")
    parser.add_argument("--steps", type=int, default=400, help="default 400")
    parser.add_argument("--rounds", type=int, default=3, help="default 3")
    arguments = parser.parse_args()
    n, steps = arguments.n, arguments.steps
    made = drum.Drumming("", 30, steps, n=n, **FRICTION)
    sim = made.prepare(threads=1)
    radius = drum.Drum(n, 1, **FRICTION).radius
    seconds: dict[str, list[float]] = {"YADE": [], "LAMMPS, smooth": [], "here": []}
    for _ in range(arguments.rounds):
        start = sim.particles.position.copy()
        spent, end = theirs(sim, steps)
        seconds["YADE"].append(spent)
        try:
            rate, _state = lammps.run(sim, steps, drum.cylinder(sim, radius))
            seconds["LAMMPS, smooth"].append(n * steps / rate)
        except ValueError as reason:
            sys.stderr.write(f"{reason}\n")
        seconds["here"].append(ours(sim, steps))
        far = departure(sim, start, end)
    for name, spent in seconds.items():
        if spent:
            each = 1e9 * statistics.median(spent) / n / steps
            ratio = statistics.median(spent) / statistics.median(seconds["here"])
            print(f"{name}: {each:.4g} ns a particle step, {ratio:.3g} times as long as here")
    print(f"YADE's spheres are {far:.1%} of the way that they went from where they are here")
    sys.stderr.write(
        f"{n} spheres, {len(sim.walls[0].shape.surface.triangles)} triangles, load {os.getloadavg()[0]:.1f}\n"
    )


if __name__ == "__main__":
    main()
