"""A bed of two sizes, for benchmarks."""

import numpy as np

import dem


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
