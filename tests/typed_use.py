"""User code for type checkers: ``mypy tests/typed_use.py`` finds no error, and knows every type in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_type

import dem

if TYPE_CHECKING:
    from pathlib import Path


def bed(path: Path) -> float:
    """A simulation, its file, and what is asked of it."""
    glass = dem.Material(young=5e6, poisson=0.25, density=2500.0, restitution=0.6, friction=0.4)
    box = dem.Box((0, 0, 0), (0.05, 0.05, 0.05), glass, open=("z+",))
    beads = dem.pack(dem.Sphere(diameter=0.004), glass, box, number=40)
    fibres = dem.Particles(dem.Fibre(diameter=0.004, aspect_ratio=3), glass, position=[[0.02, 0.02, 0.06]])
    both = dem.Particles.concatenate([beads, fibres])
    pairs = dem.Contacts({(glass, glass): dem.Contact(restitution=0.5, rolling=dem.Rolling(friction=0.1))})
    turning = (dem.Motion(axis=(0, 1, 0), rate=1.0),)
    drum = dem.Cylinder((0, 0, 0), (0, 0.1, 0), 0.1, material=glass, motion=turning)
    sim = dem.Simulation(both, box, contacts=pairs, walls=[drum], time_step="auto")
    sim.step(10)
    assert_type(sim.time, float)
    verdict = sim.run(0.1, output=path, frames=10)
    sim.save(path.with_name("state.h5"))
    with dem.Trajectory(path) as run:
        dem.view(run, path.with_suffix(".html")).save(path.with_name("again.html"))
        return float(run.position[-1].mean()) + float(verdict.passed)


def top() -> dem.RotationHistory:
    """One body."""
    return dem.integrate_rotation("splitting", inertia=(1, 1, 2), angular_velocity=(0, 0, 1), time_step=1e-3, steps=10)
