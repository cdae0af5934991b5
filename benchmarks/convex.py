"""Cubes with friction in a settled bed, here and in YADE, from the same state.

``python -m benchmarks.convex`` settles a bed in a closed box and prints particle steps a second of one core, by process
time. YADE has polyhedra, whose forces are proportional to the volume of their intersection, and potential particles,
whose faces are rounded as those of `dem.Polyhedron` are. Forces differ, but the cubes and their contacts are the same.
"""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np

import dem
from dem.bench import yade
from dem.bench.settled_beds import DIAMETER, GRAINS
from dem.bench.stepping import settle

SIDE, SETTLING, STEPS = 9, 36, 2000  # cubes along an edge of the lattice; rounds of 500 steps; steps that are timed
KINDS = ("polyhedra", "potential particles")  # of YADE


def bed() -> dem.Simulation:
    """Cubes at rest in a closed box."""
    cube = GRAINS["cube"].scaled(DIAMETER / (6 / math.pi * GRAINS["cube"].volume) ** (1 / 3))
    pitch, rng = 2.05 * float(cube.radii[0]), np.random.default_rng(1)
    sites = (np.indices((SIDE,) * 3)[::-1].reshape(3, -1).T + 0.5) * pitch
    turned = rng.normal(size=(len(sites), 4))
    stone = dem.Material(young=5e7, poisson=0.35, density=1100, restitution=0.9, friction=0.5)
    cubes = dem.Particles(
        cube, stone, position=sites, orientation=turned / np.linalg.norm(turned, axis=1)[:, None],
        velocity=dem.random_velocities(len(sites), 0.3, rng),
    )  # fmt: skip
    sim = dem.Simulation(cubes, dem.Box((0, 0, 0), (SIDE * pitch,) * 3, stone), time_step=2e-5, threads=1)
    settle(sim, SETTLING)
    return sim


def main() -> None:
    """Print the rates."""
    sim = bed()
    state = {
        "position": sim.particles.position, "orientation": sim.particles.orientation, "size": sim.box.size,
        "half_edge": float(sim.particles.variants[0][0].vertices.max()) + sim.particles.variants[0][0].rounding,
        "density": 1100.0, "friction": 0.5, "young": 5e7, "time_step": sim.time_step,
    }  # fmt: skip
    start = time.process_time()
    sim.step(STEPS)
    own = len(sim.particles) * STEPS / (time.process_time() - start)
    print(f"{len(sim.particles)} cubes, {sim.contact_count} contacts: {own:.3g} particle steps a second")
    for kind in KINDS:
        end = yade.run(Path(__file__).with_name("yade_convex.py"), state | {"kind": KINDS.index(kind)})
        contacts, rate = int(end["contacts"]), float(end["rate"])
        print(f"YADE, {kind}, {contacts} contacts: {rate:.3g} a second; here {own / rate:.0f} times as many")


if __name__ == "__main__":
    main()
