"""What a user sees of ellipsoids and superellipsoids: words, advice, pictures."""

import numpy as np
import pytest

import dem
from dem.model.shapes.convex import directions, filling, supports

STUFF = dem.Material(young=5e6, poisson=0.3, density=2500.0)
GRAIN = dem.Ellipsoid(semi_axes=(0.004, 0.003, 0.002))
BLOCK = dem.Superellipsoid(semi_axes=(0.003, 0.003, 0.002), exponents=(4, 3))


def test_particles_are_described_with_their_semi_axes_and_exponents():
    both = [dem.Particles(shape, STUFF, position=[[x, 0, 0]]) for shape, x in ((GRAIN, 0.0), (BLOCK, 0.01))]
    words = repr(dem.Particles.concatenate(both))
    assert "(Ellipsoid, semi_axes (0.004, 0.003, 0.002), contact_radius 0.0028845)" in words
    assert "(Superellipsoid, semi_axes (0.003, 0.003, 0.002), exponents (4, 3), contact_radius" in words


def test_advice_on_ellipsoids_is_in_english():
    two = dem.Particles(GRAIN, STUFF, position=[[0, 0, 0], [0, 0, 0.02]], velocity=[[0, 0, 1], [0, 0, 0]])
    sim = dem.Simulation(two, gravity=(0, 0, 0), time_step=1e-5, threads=1)
    assert sim.advice().shortest == "an ellipsoid's tip on an ellipsoid's tip"


def test_a_file_is_described_as_its_particles_are(tmp_path):
    one = dem.Particles(GRAIN, STUFF, position=[[0, 0, 0]])
    dem.Simulation(one, time_step=1e-5, threads=1).run(1e-5, output=tmp_path / "run.h5", frames=1)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert "(Ellipsoid, semi_axes (0.004, 0.003, 0.002), contact_radius 0.0028845)" in repr(run)


@pytest.mark.parametrize("shape", [GRAIN, BLOCK, dem.Superellipsoid(semi_axes=(0.003, 0.003, 0.002), exponents=(8, 8))])
def test_balls_of_pictures_touch_the_surface_without_warts(shape):
    """Balls that stick out, or small ones on a smooth side, are seen; sizes are those of the shape by its largest."""
    centres, radii = filling(shape)
    normals = directions(1999)
    h, x = supports(shape, normals)
    # no ball leaves the shape by more than what normals in between, 3 degrees apart, leave open
    assert (centres @ normals + radii[:, None] - h).max() < 0.003 * h.max()
    # a ball at a place of a smooth side is as large as the shape's curvature there lets it be: no radius below c²/a
    if isinstance(shape, dem.Ellipsoid):
        a, _, c = shape.semi_axes
        assert radii.min() > 0.95 * c**2 / a
        gap = (np.linalg.norm(x.T[:, None] - centres, axis=2) - radii).min(1)
        assert gap.mean() < 0.01 * h.max()  # between places 20 degrees apart
