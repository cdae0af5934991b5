"""Pictures of boxes that are open and far larger than what is in them."""

import numpy as np
import pytest

import dem
from dem.plots import bodies


@pytest.mark.parametrize("far", [0.2, 50.0])
def test_open_faces_far_away_come_nearer_in_pictures(tmp_path, far):
    """A wall stays where it is, and so do open faces that are not far from those inside."""
    sand = dem.Material(young=5e6, poisson=0.3, density=2500.0)
    grains = dem.Particles(dem.Sphere(diameter=0.01), sand, position=[[0.04 * k, 0, 0.02] for k in range(3)])
    box = dem.Box((-far, -far, 0), (far, far, far), sand, open=["x-", "x+", "y-", "z+"])
    sim = dem.Simulation(grains, box, time_step=2e-5)
    sim.run(2e-5, output=tmp_path / "run.h5", frames=1)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        lower, upper = bodies.corners(run, 0)
    if far < 1:
        np.testing.assert_array_equal([lower, upper], [[-far, -far, 0], [far, far, far]])
    else:
        reach = 1.5 * 0.09  # of 0.09 m from the first to the last
        np.testing.assert_allclose(
            [lower, upper], [[-0.005 - reach, -0.005 - reach, 0], [0.085 + reach, far, 0.025 + reach]]
        )
