"""A lens as a convex shape of one's own: its surface in closed form, and the energy of two that collide."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dem

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from lens import Lens  # noqa: E402, lies beside this file

ELASTIC = dem.Material(young=5e6, poisson=0.3, density=1500.0)
LENS, BALL = Lens(ball_radius=0.004, thickness=0.004), dem.Sphere(diameter=0.004)


def test_mass_properties_are_those_of_two_caps_and_of_random_points():
    found = LENS.mass_properties(1500.0)
    assert found.volume == pytest.approx(2 * math.pi / 3 * 0.002**2 * (3 * 0.004 - 0.002), rel=1e-12)
    x = np.random.default_rng(1).uniform(-1, 1, (500_000, 3)) * LENS.radii[0]
    ball, off, _ = LENS.convex_numbers
    inside = np.hypot(np.abs(x[:, 0]) + off, np.hypot(x[:, 1], x[:, 2])) < ball
    second = (x[inside] ** 2).sum(0) / len(x) * (2 * LENS.radii[0]) ** 3
    np.testing.assert_allclose(found.inertia, 1500.0 * (second.sum() - second), rtol=1e-2)


@pytest.mark.parametrize("k", range(6))
def test_a_ball_is_touched_at_the_nearest_point_of_a_lens(k):
    """On a cap along its radius, at the rim from the circle: both in closed form."""
    rng, overlap = np.random.default_rng(k), 5e-5
    ball, off, rim = LENS.convex_numbers
    turn, angle, round_axis = Rotation.random(rng=rng), rng.uniform(0.05, math.pi / 2), rng.uniform(0, 2 * math.pi)
    radial = np.array([0, math.cos(round_axis), math.sin(round_axis)])
    normal = math.cos(angle) * np.eye(3)[0] + math.sin(angle) * radial
    nearest = ball * normal - off * np.eye(3)[0] if math.cos(angle) * ball > off else rim * radial
    centre = turn.apply(nearest + (0.002 - overlap) * normal)
    both = dem.Particles.concatenate(
        [
            dem.Particles(LENS, ELASTIC, position=[[0, 0, 0]], orientation=[turn.as_quat(scalar_first=True)]),
            dem.Particles(BALL, ELASTIC, position=[centre]),
        ]
    )
    found = dem.Simulation(both, gravity=(0, 0, 0), time_step=1e-6, threads=1).contact_forces()
    assert found.overlap == pytest.approx([overlap], abs=1e-15)
    np.testing.assert_allclose(found.normal, [turn.apply(-normal)], rtol=0, atol=1e-9)


@pytest.mark.long
def test_energy_and_momentum_of_two_lenses_that_meet_at_their_rims_are_kept():
    """Rims that cross: energy to second order in the time step, momentum and angular momentum to rounding."""
    errors = []
    for dt in (4e-6, 2e-6):
        q = Rotation.from_rotvec([[0, 0.2, 0.1], [0.9, 0.3, 1.4]]).as_quat(scalar_first=True)
        pair = dem.Particles(
            LENS, ELASTIC, position=[[0, 0, 0], [0.0003, 0.0066, 0.0002]], orientation=q,
            velocity=[[0, 0.5, 0], [0, -0.5, 0.1]], angular_velocity=[[0, 5, 20], [10, 0, -30]],
        )  # fmt: skip
        sim = dem.Simulation(pair, gravity=(0, 0, 0), time_step=dt, threads=1)
        before, touched = sim.momentum(), 0
        for _ in range(22):
            sim.step(round(1e-4 / dt))
            touched += sim.contact_count
        assert touched
        assert sim.contact_count == 0
        errors.append(sim.energy_error)
        np.testing.assert_allclose(sim.momentum()[0], before[0], rtol=0, atol=1e-12 * pair.mass.sum())
    assert errors[0] < 1e-3
    assert errors[1] < 0.35 * errors[0]
