"""`python -m benchmarks.drum [--n N] [--steps S]`: a drum of triangles, in YADE and here; in LAMMPS, a smooth one.

The same settled spheres with friction, the same drum that turns, the same time step, one core each, by turns. YADE is
the program `yade`, or what the environment variable YADE says; LAMMPS is found as by `dem bench --against lammps`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dem.bench import drum, lammps

if TYPE_CHECKING:
    from dem.soft.simulation import Simulation

FIRST = 20  # steps in which either makes its lists
FRICTION = {"restitution": 0.5, "friction": 0.5}


def program() -> str:
    """Path of YADE; raises ValueError if there is none."""
    found = os.environ.get("YADE") or shutil.which("yade")
    if not found:
        message = "YADE is not installed: apt install yade, or put its path into the environment variable YADE"
        raise ValueError(message)
    return found


def state_of(sim: Simulation, steps: int) -> dict[str, np.ndarray | float]:
    """What YADE is to begin with, in its periodic cell, whose corner is its origin."""
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
    """Seconds that YADE takes for so many steps on one core from the present state, and where the spheres are then."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "state.npz", Path(folder) / "end.npz"
        np.savez(before, **state_of(sim, steps))
        script = Path(__file__).with_name("yade_drum.py")
        done = subprocess.run(
            [program(), "-n", "-x", "-j", "1", str(script), str(before), str(after)], capture_output=True, text=True,
            check=False, env={k: v for k, v in os.environ.items() if k not in {"VIRTUAL_ENV", "PYTHONPATH"}},
        )  # fmt: skip
        if not after.exists():
            message = f"YADE failed: {(done.stdout + done.stderr).strip()[-2000:]}"
            raise ValueError(message)
        end = np.load(after)
        return float(end["seconds"]), end["position"] + sim.box.lower


def ours(sim: Simulation, steps: int) -> float:
    """Seconds that this engine takes for so many steps, after the first ones."""
    sim.step(FIRST)
    start = time.perf_counter()
    sim.step(steps)
    return time.perf_counter() - start


def departure(sim: Simulation, before: np.ndarray, other: np.ndarray) -> float:
    """How far spheres of another engine are from where they are here, over the way that they went: both in the mean."""
    length = sim.box.size[1]

    def way(x: np.ndarray, y: np.ndarray) -> float:
        d = x - y
        d[:, 1] -= length * np.round(d[:, 1] / length)
        return float(np.linalg.norm(d, axis=1).mean())

    return way(other, sim.particles.position) / way(before, sim.particles.position)


def main() -> None:
    """Measure all that are there, by turns, each from the state in which the others begin."""
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
            ratio = statistics.median(a / b for a, b in zip(spent, seconds["here"], strict=True))
            print(f"{name}: {each:.4g} ns a particle step, {ratio:.3g} times as long as here")
    print(f"YADE's spheres are {far:.1%} of the way that they went from where they are here")
    sys.stderr.write(
        f"{n} spheres, {len(sim.walls[0].shape.surface.triangles)} triangles, load {os.getloadavg()[0]:.1f}\n"
    )


if __name__ == "__main__":
    main()
