"""Meshes in simulations: particles slide over edges of triangles as over a plane."""

import numpy as np
import pytest

import dem
from dem.model.walls import mesh_builders

RUBBER = dem.Material(
    young=5e6, poisson=0.3, density=2500.0, restitution=0.7, friction=0.4, rolling=dem.Rolling(friction=0.1)
)


def net(seed=3, n=10, turned=None):
    """Triangles strewn over a square of 0.16 m, slivers among them; in another order if asked for."""
    rng = np.random.default_rng(seed)
    steps = [np.sort(np.r_[-0.08, rng.uniform(-0.07, 0.07, n), 0.08]) for _ in range(2)]
    x, y = np.meshgrid(*steps, indexing="ij")
    vertices, triangles = mesh_builders.sheet(np.stack([x, y, 0 * x], axis=-1))
    if turned is not None:
        triangles = np.random.default_rng(turned).permutation(np.roll(triangles, 1, axis=1))
    return dem.Mesh(vertices, triangles, material=RUBBER)


def slid(wall, steps=120):
    """A sphere and a fibre thrown flat over a floor: they hit it, slide and roll; forces on the floor on the way."""
    ball = dem.Particles(
        dem.Sphere(diameter=0.01), RUBBER, position=[(0.0013, -0.02, 0.00498)], velocity=[(2.0, 1.25, -0.05)]
    )
    rod = dem.Particles(
        dem.Fibre(diameter=0.01, aspect_ratio=3), RUBBER, position=[(-0.0013, 0.02, 0.00499)], velocity=[(1.5, -1.0, 0)]
    )
    particles = dem.Particles.concatenate([ball, rod])
    sim = dem.Simulation(particles, walls=[wall], time_step=5e-5, gravity=(0, 0, -200.0))
    forces = []
    for _ in range(steps // 10):
        sim.step(10)
        forces.append(sim.walls[0].force)
    return sim, np.array(forces)


@pytest.mark.slow
def test_sliding_over_triangles_is_sliding_over_a_plane():
    """Memory of friction goes from triangle to triangle without a dip; to rounding, whatever their order."""
    plane, pressed = slid(dem.Plane((0, 0, 0), (0, 0, 1), material=RUBBER))
    sim, forces = slid(net(turned=5))
    assert np.abs(plane.particles.position[:, :2] - [[0.0013, -0.02], [-0.0013, 0.02]]).max() > 0.008  # some triangles
    sliding = np.hypot(*pressed.T[:2]) / pressed[:, 2]
    assert np.abs(sliding).max() > 0.3  # both slide, one not quite along the other
    assert forces == pytest.approx(pressed, abs=1e-9 * np.abs(pressed).max())  # 1e-13, and what stiffness makes of it
    for name in ("position", "velocity", "angular_velocity"):
        mine, its = getattr(sim.particles, name), getattr(plane.particles, name)
        assert mine == pytest.approx(its, abs=1e-9 * np.abs(its).max())
    assert sim.energy().dissipated == pytest.approx(plane.energy().dissipated, rel=1e-9)
