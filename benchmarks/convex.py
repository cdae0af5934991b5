"""Rates of this engine and of YADE for a settled bed of frictional cubes, from the same state.

``python -m benchmarks.convex`` settles a bed in a closed box and prints particle steps a second of one core, by process
time. YADE has polyhedra, whose forces are proportional to the volume of their intersection, and potential particles,
whose faces are rounded as those of `dem.Polyhedron` are. Forces differ, but the cubes and their contacts are the same.
"""

from __future__ import annotations

import time
from pathlib import Path

import dem
from dem.bench import yade
from dem.bench.initial_states import grains
from dem.bench.stepping import settle

CUBES, SETTLING, STEPS = 729, 36, 2000  # number; rounds of 500 steps; steps that are timed
KINDS = ("polyhedra", "potential particles")  # of YADE


def bed() -> dem.Simulation:
    """Cubes at rest in a closed box."""
    thrown = grains(CUBES, "cube", 1, restitution=0.9, friction=0.5)
    box = dem.Box(thrown.box.lower, thrown.box.upper, thrown.box.material)
    sim = dem.Simulation(thrown.particles, box, time_step=thrown.time_step, threads=1)
    settle(sim, SETTLING)
    return sim


def main() -> None:
    """Print the rates."""
    sim = bed()
    ((cube, stone),) = sim.particles.variants
    state = {
        "position": sim.particles.position, "orientation": sim.particles.orientation, "size": sim.box.size,
        "half_edge": float(cube.vertices.max()) + cube.rounding, "density": stone.density,
        "friction": stone.friction, "young": stone.young, "time_step": sim.time_step,
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
