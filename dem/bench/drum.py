"""Rotating drum of triangles for benchmarks, a third full of grains and periodic along its axis, y.

About one sphere in twenty is near the drum, and a tenth as many triangles as spheres make it up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import dem
from dem.bench import lammps
from dem.bench.stepping import StepBenchmark, restore_state, settle, share_of
from dem.bench.timing import REPEATS
from dem.model.walls.mesh_builders import turned

if TYPE_CHECKING:
    from dem.model.walls.wall import Wall

DIAMETER, DENSE, FILLING, RATE = 0.01, 0.55, 0.35, 1.0  # m; solid fraction at first; of the drum; rad/s


class Drum:
    """About n spheres in a drum as long as its radius, of triangles or `smooth`, that turns at a rate [rad/s]."""

    def __init__(
        self, n: int, threads: int | None, restitution: float, friction: float, *, smooth: bool = False,
        rate: float = RATE,
    ) -> None:  # fmt: skip
        volume = n * np.pi / 6 * DIAMETER**3
        self.radius = (volume / (DENSE * FILLING * np.pi)) ** (1 / 3)
        self.n, self.length, self.rate = n, self.radius, rate
        self.material = dem.Material(young=5e7, poisson=0.35, density=1100, restitution=restitution, friction=friction)
        half = 0.5 * self.length
        corner = np.array([2 * self.radius, half, 2 * self.radius])
        box = dem.Box(-corner, corner, self.material, periodic=["y"], open=["x-", "x+", "z-", "z+"])
        grains = dem.Particles(dem.Sphere(diameter=DIAMETER), self.material, position=self._lattice(n))
        wall = self._smooth() if smooth else self._mesh()
        self.sim = dem.Simulation(grains, box, walls=[wall], time_step=1e-5, threads=threads)

    def _lattice(self, n: int) -> np.ndarray:
        """Sites in the lower part of the drum, from below."""
        across = int(self.length / (1.001 * DIAMETER))
        pitch = np.array([1.002 * DIAMETER, self.length / across, 1.002 * DIAMETER])
        side = int(2 * self.radius / pitch[0]) + 1
        grid = np.indices((side, across, side)).reshape(3, -1).T + 0.5
        x = grid * pitch - [self.radius, 0.5 * self.length, self.radius]
        x = x[np.hypot(x[:, 0], x[:, 2]) < 0.999 * self.radius - 0.5 * DIAMETER]
        x = x[np.lexsort((x[:, 0], x[:, 1], x[:, 2]))][:n]
        return x + 4e-4 * DIAMETER * np.random.default_rng(1).uniform(-1, 1, x.shape)

    def _motion(self) -> dem.Motion:
        return dem.Motion(axis=(0, 1, 0), rate=self.rate)

    def _mesh(self) -> Wall:
        """Mesh of the drum: rings of triangles with sides of about equal length."""
        rings = max(2, round((self.n / 120) ** 0.5))
        profile = [(self.radius, z) for z in np.linspace(-0.5, 0.5, rings + 1) * self.length]
        vertices, triangles = turned(profile, segments=6 * rings)
        return dem.Mesh(vertices[:, [0, 2, 1]], triangles, material=self.material, motion=self._motion())

    def _smooth(self) -> Wall:
        half = 0.5 * self.length
        return dem.Cylinder((0, -half, 0), (0, half, 0), self.radius, material=self.material, motion=self._motion())


class Drumming(StepBenchmark):
    """Particle steps per second in a rotating drum of triangles."""

    def prepare(self, *, share: float = 1.0, threads: int | None = None) -> dem.Simulation:
        """Grains settled in the lower part of a drum of triangles, after a hundred steps of rotation."""
        rounds = share_of(self.warm, share)
        sim = Drum(threads=threads, **self.parameters).sim
        kept = {name: value for name, value in self.parameters.items() if name != "smooth"}

        def make() -> None:
            still = Drum(threads=threads, rate=0.0, **kept).sim
            settle(still, rounds)
            for name in still.particles.fields:
                setattr(sim.particles, name, getattr(still.particles, name))

        restore_state(sim, {"drum": rounds, **kept}, make)
        sim.step(100)
        return sim

    def against_lammps(self, share: float = 1.0) -> dict[str, float]:
        """Rates of LAMMPS, in a smooth rotating cylinder, and of this engine, on one core from the same state."""
        sim = self.prepare(share=share, threads=1)
        steps = share_of(self.steps, share)
        theirs, _ = lammps.run(sim, REPEATS * steps, cylinder(sim, Drum(threads=1, **self.parameters).radius))
        return {"lammps": theirs, "ours": self.rate(sim, steps)}


def cylinder(sim: dem.Simulation, radius: float) -> list[str]:
    """The drum in LAMMPS: a cylinder without ends that rotates about its axis."""
    grain = sim.particles.variants[0][1]
    pair = sim.contacts.between(grain, grain)
    law = f"granular hertz/material {grain.young!r} {pair.restitution!r} {grain.poisson!r} damping coeff_restitution"
    return [
        f"variable angle equal {RATE!r}*step*dt",
        f"region drum cylinder y 0 0 {radius!r} EDGE EDGE side in rotate v_angle 0 0 0 0 1 0 open 1 open 2",
        f"fix drum all wall/gran/region {law} tangential mindlin NULL 1.0 {pair.friction!r} region drum",
    ]
