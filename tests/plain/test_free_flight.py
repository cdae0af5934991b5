"""Free flight of one particle: a uniform acceleration, whatever the law of its contacts."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dem


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_free_flight_is_a_parabola(friction):
    """What is seen at whole steps has x and v of a uniform acceleration, however the steps leap; energy too."""
    restitution = 0.8 if friction else 1.0
    material = dem.Material(young=5e7, poisson=0.35, density=1100.0, restitution=restitution, friction=friction)
    ball = dem.Particles(dem.Sphere(diameter=0.01), material, position=[[1, 2, 3]], velocity=[[0.3, -0.2, 4]],
                         angular_velocity=[[30.0, -20, 10]])  # fmt: skip
    g = np.array([0.5, 0.0, -9.81])
    sim = dem.Simulation(ball, gravity=tuple(g), time_step=1e-4, threads=1)
    before = sim.energy().total
    for steps in (1, 2, 300):
        sim.step(steps)
        t = sim.time
        np.testing.assert_allclose(sim.particles.velocity[0], [0.3, -0.2, 4] + g * t, rtol=1e-13)
        np.testing.assert_allclose(sim.particles.position[0], [1, 2, 3] + t * np.array([0.3, -0.2, 4]) + g * t**2 / 2,
                                   rtol=1e-13)  # fmt: skip
        turned = Rotation.from_rotvec(t * np.array([30.0, -20, 10])).as_quat(scalar_first=True)
        np.testing.assert_allclose(sim.particles.orientation[0], turned, rtol=0, atol=1e-13)
        assert sim.energy().total == pytest.approx(before, rel=1e-12)
    assert sim.energy_error < 1e-11  # of the ledger of the steps, kept in units of 1e-12 of the energy
