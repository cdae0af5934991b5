"""Initial states of benchmarks: convex grains, spheres of two sizes, a dense bed sheared between two rough walls."""

import itertools
import math

import numpy as np

import dem
from dem.model.shapes.convex import supports

DIAMETER, LOOSE = 0.01, 0.5  # m; solid fraction of a lattice
SPEED = 0.5  # root mean square velocity of a gas [m/s]
APPROACH = 0.4  # of the walls [m/s]
HEAVY = 1e8  # times as heavy: what the bed pushes them by in a second is far below their distance

GRAINS = {
    "ellipsoid": dem.Ellipsoid(semi_axes=(1.25, 1.0, 0.8)),
    "superellipsoid": dem.Superellipsoid(semi_axes=(1.0, 1.0, 1.0), exponents=(4, 4)),
    "cube": dem.Polyhedron(vertices=list(itertools.product([-1.0, 1.0], repeat=3)), rounding=0.1),
}


def grain_of(shape: str) -> dem.Ellipsoid | dem.Superellipsoid | dem.Polyhedron:
    """The shape of this name in GRAINS, with the volume of a sphere of `DIAMETER`."""
    return GRAINS[shape].scaled(DIAMETER / (6 / math.pi * GRAINS[shape].volume) ** (1 / 3))


def lattice(side: int, pitch: float | np.ndarray) -> np.ndarray:
    """Sites (side³, 3) of a lattice from the origin, x fastest; pitch: of all axes, or of each [m]."""
    return (np.indices((side, side, side))[::-1].reshape(3, -1).T + 0.5) * pitch


def grain_gas(n: int, shape: str, threads: int | None, restitution: float, friction: float) -> dem.Simulation:
    """About n grains with random velocities and spins in a box, as dense as the spheres of the case many-spheres.

    All are turned alike: a lattice with the proportions of the grain leaves gaps between them at any solid fraction
    below that of a grain in its bounding box.
    """
    grain, side, rng = grain_of(shape), max(3, round(n ** (1 / 3))), np.random.default_rng(1)
    size = 2.0 * supports(grain, np.eye(3))[0]
    pitch = (grain.volume / LOOSE / size.prod()) ** (1 / 3) * size
    sites = lattice(side, pitch)
    sites += 0.499 * (pitch - size) * rng.uniform(-1, 1, sites.shape)
    material = dem.Material(young=5e7, poisson=0.35, density=1000, restitution=restitution, friction=friction)
    particles = dem.Particles(
        grain, material, position=sites, velocity=dem.random_velocities(len(sites), SPEED, rng),
        angular_velocity=dem.random_velocities(len(sites), SPEED / float(grain.radii[0]), rng),
    )  # fmt: skip
    wall = dem.Material(young=5e7, poisson=0.23, restitution=restitution, friction=0.0, name="wall")
    return dem.Simulation(particles, dem.Box((0, 0, 0), tuple(side * pitch), wall), time_step=1e-5, threads=threads)


def grains(n: int, shape: str, threads: int | None, restitution: float, friction: float) -> dem.Simulation:
    """About n grains of a shape of GRAINS, of the volume of a sphere, on a lattice over a floor, turned at random."""
    grain = grain_of(shape)
    side, pitch, rng = max(3, round(n ** (1 / 3))), 2.05 * float(grain.radii[0]), np.random.default_rng(1)
    sites = lattice(side, pitch)
    turned = rng.normal(size=(len(sites), 4))
    material = dem.Material(young=5e7, poisson=0.35, density=1100, restitution=restitution, friction=friction)
    particles = dem.Particles(
        grain, material, position=sites, orientation=turned / np.linalg.norm(turned, axis=1)[:, None],
        velocity=dem.random_velocities(len(sites), 0.3, rng),
    )  # fmt: skip
    box = dem.Box((0, 0, 0), (side * pitch,) * 3, material, periodic=["x", "y"])
    return dem.Simulation(particles, box, time_step=2e-5, threads=threads)


def mixture(n: int, threads: int | None, restitution: float, friction: float, wall_friction: float) -> dem.Simulation:
    """About n spheres of two sizes, the small ones in the holes of a cubic lattice of large ones, in a box."""
    large, small = 0.01, 0.002
    side = max(2, round((n / 9) ** (1 / 3)))
    pitch = 1.1 * large
    sites = (np.indices((side, side, side)).reshape(3, -1).T + 0.5) * pitch
    corners = 1.15 * small * (np.indices((2, 2, 2)).reshape(3, -1).T - 0.5)
    holes = sites[(sites < side * pitch - pitch).all(1)] + 0.5 * pitch
    grain = dem.Material(
        young=5e7, poisson=0.35, density=1100, restitution=restitution, friction=friction, name="grain"
    )
    wall = dem.Material(young=5e7, poisson=0.23, restitution=restitution, friction=wall_friction, name="wall")
    position = np.concatenate([sites, (holes[:, None] + corners).reshape(-1, 3)])
    shapes = [dem.Sphere(diameter=large)] * len(sites) + [dem.Sphere(diameter=small)] * (8 * len(holes))
    return dem.Simulation(
        dem.Particles(shapes, grain, position=position), dem.Box((0, 0, 0), (side * pitch,) * 3, wall), time_step=2e-6,
        threads=threads,
        contacts=dem.Contacts({(grain, wall): dem.Contact(restitution=restitution, friction=wall_friction)}),
    )  # fmt: skip


class ShearedBed:
    """About n spheres between two layers of wall spheres; the lower and the upper layer are the last particles."""

    def __init__(self, n: int, threads: int | None, restitution: float, friction: float) -> None:
        side = max(3, round(n ** (1 / 3)))
        pitch = DIAMETER * (np.pi / 6 / LOOSE) ** (1 / 3)
        self.n, self.width = side**3, side * pitch
        rng = np.random.default_rng(1)
        inner = (np.indices((side,) * 3).reshape(3, -1).T + 0.5) * pitch
        inner += 0.499 * (pitch - DIAMETER) * rng.uniform(-1, 1, inner.shape) + [0, 0, DIAMETER]
        along = int(self.width / (1.01 * DIAMETER))
        flat = (np.indices((along, along)).reshape(2, -1).T + 0.5) * self.width / along
        self.layer = len(flat)
        ends = [np.column_stack([flat, np.full(len(flat), z)]) for z in (0.4 * DIAMETER, self.width + 1.6 * DIAMETER)]
        grain, rough = (
            dem.Material(
                young=5e7, poisson=0.35, density=density, restitution=restitution, friction=friction, name=name
            )
            for name, density in (("grain", 1100), ("rough", HEAVY * 1100))
        )
        ball = dem.Sphere(diameter=DIAMETER)
        moving = dem.Particles(ball, grain, position=inner, velocity=dem.random_velocities(self.n, 0.3, rng))
        walls = dem.Particles(ball, rough, position=np.concatenate(ends))
        box = dem.Box((0, 0, 0), (self.width, self.width, self.width + 2 * DIAMETER), grain, periodic=["x", "y"],
                  open=["z-", "z+"])  # fmt: skip
        self.sim = dem.Simulation(dem.Particles.concatenate([moving, walls]), box, gravity=(0, 0, 0), time_step=1e-5,
                              threads=threads)  # fmt: skip

    def drive(self, lower: tuple, upper: tuple, kept: float = 1.0) -> None:
        """Set the velocities of the walls, and scale those of the bed by a factor."""
        p = self.sim.particles
        velocity, spin = kept * p.velocity, kept * p.angular_velocity
        velocity[self.n : self.n + self.layer], velocity[self.n + self.layer :] = lower, upper
        p.velocity, p.angular_velocity = velocity, spin

    def gap(self) -> float:
        """Gap between the surfaces of the walls [m]."""
        z = self.sim.particles.position[:, 2]
        return float(z[-1] - z[self.n]) - DIAMETER

    def press(self, solid_fraction: float) -> None:
        """Bring the walls together until the bed between them is dense, and damp its motion on the way."""
        final = self.n * np.pi / 6 * DIAMETER**3 / (solid_fraction * self.width**2)
        while self.gap() > final:
            self.drive((0, 0, APPROACH / 2), (0, 0, -APPROACH / 2), kept=0.95)
            self.sim.step(100)

    def shear(self, speed: float, strain: float) -> None:
        """Move the walls past each other by a fraction of the distance between them."""
        self.drive((-speed / 2, 0, 0), (speed / 2, 0, 0))
        self.sim.step(int(strain * self.gap() / speed / self.sim.time_step))
