"""Single spheres without orientations, `integrator="spin-only"`."""

import copy

import numpy as np
import pytest

import dem

SAND = dem.Material(young=5e6, poisson=0.3, density=2500.0, restitution=0.6, friction=0.5)
BOX = dem.Box((0, 0, 0), (0.03, 0.03, 0.04), SAND)


def crowd(integrator, **more):
    """Spheres of two sizes that collide with each other and with walls."""
    rng = np.random.default_rng(3)
    place = 0.011 * np.stack(np.unravel_index(np.arange(12), (2, 2, 3)), 1) + 0.008
    shape = [dem.Sphere(diameter=0.01), dem.Sphere(diameter=0.008)]
    grains = dem.Particles(
        [shape[k % 2] for k in range(12)], SAND, position=place, velocity=rng.normal(0, 0.5, place.shape),
        angular_velocity=rng.normal(0, 20, place.shape), orientation=[(0.5, 0.5, -0.5, 0.5)] * 12,
    )  # fmt: skip
    return dem.Simulation(grains, BOX, time_step=2e-5, integrator=integrator, threads=1, **more)


@pytest.mark.parametrize("fluid", [None, dem.Fluid(density=1.2, viscosity=1.8e-5)], ids=["dry", "air"])
def test_forces_and_motion_are_those_with_orientations(fluid):
    """To the bit; angular velocities are turned to the body frame and back for output, which rounds them."""
    with_all, without = (crowd(integrator, fluid=fluid) for integrator in ("improved-pcdm", "spin-only"))
    given = without.particles.orientation.copy()
    for sim in (with_all, without):
        sim.step(300)
    assert with_all.energy().dissipated > 0.01 * with_all.energy().kinetic
    for name in ("position", "velocity"):
        np.testing.assert_array_equal(getattr(without.particles, name), getattr(with_all.particles, name))
    spins = with_all.particles.angular_velocity
    np.testing.assert_allclose(without.particles.angular_velocity, spins, rtol=0, atol=1e-14 * abs(spins).max())
    np.testing.assert_array_equal(without.particles.orientation, given)
    assert abs(with_all.particles.orientation - given).max() > 0.01


def test_a_copy_goes_on_to_the_same_bits():
    sim = crowd("spin-only")
    sim.step(100)
    other = copy.deepcopy(sim)
    for each in (sim, other):
        each.step(100)
    np.testing.assert_array_equal(other.particles.angular_velocity, sim.particles.angular_velocity)


def test_files_have_no_orientations(tmp_path):
    sim, file = crowd("spin-only"), tmp_path / "run.h5"
    with pytest.raises(ValueError, match="orientation, which the integrator spin-only does not compute"):
        sim.run(1e-3, output=file, fields=["position", "orientation"])
    assert not file.exists()
    sim.run(1e-3, output=file, frames=2)
    assert dem.Trajectory(file).fields == ("position", "velocity", "angular_velocity")
    dem.resume(file, duration=2e-3)
    sim.step(50)
    np.testing.assert_array_equal(dem.Trajectory(file).angular_velocity[-1], sim.particles.angular_velocity)


ODD = [dem.Ellipsoid(semi_axes=(0.005, 0.006, 0.007)), dem.Fibre(diameter=0.005, spheres=4)]


@pytest.mark.parametrize("shape", ODD)
def test_bodies_that_need_an_orientation_are_refused(shape):
    body = dem.Particles(shape, SAND, position=[[0.025, 0.025, 0.025]])
    with pytest.raises(ValueError, match="only single spheres without bonds can do without: choose another one"):
        dem.Simulation(body, BOX, time_step=1e-6, integrator="spin-only")


def test_no_body_rotates_without_an_orientation():
    with pytest.raises(ValueError, match="spin-only"):
        dem.integrate_rotation("spin-only", inertia=(1, 2, 3), angular_velocity=(1, 1, 1), time_step=0.1, steps=2)
