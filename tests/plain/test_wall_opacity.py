"""Walls in the scene: sheets hide objects behind them by their opacity, and none in front of them."""

import numpy as np
import pytest

import dem
from dem.plots.rendering.camera import Camera
from dem.plots.rendering.render import render
from dem.plots.rendering.walls import COLOUR, lay_over

SIZE = (60, 40)
FACING = Camera((0, 0, 0), forward=(0, 1, 0), span=4.0)
SQUARE = np.array([[[-1, 0, -1], [1, 0, -1], [1, 0, 1]], [[-1, 0, -1], [1, 0, 1], [-1, 0, 1]]], float)


def taken(y, sheets, opacity):
    """A ball at y, and sheets at y = 0, seen along y."""
    centres, radii = np.array([[0.0, y, 0.0]]), np.array([0.4])
    picture = render(centres, radii, [[1, 0, 0]], FACING, size=SIZE)
    return picture, lay_over(picture, sheets, FACING, centres, radii, opacity)


def test_a_sheet_takes_its_share_of_the_light_once_across_its_diagonal():
    """Straight on, its colour is as it is; the diagonal of the square counts for one of its triangles."""
    bare, seen = taken(2.0, SQUARE, 0.25)
    expected = np.rint(0.75 * bare + 0.25 * 255 * np.array(COLOUR))
    inside = np.zeros(SIZE[::-1], bool)
    inside[11:29, 21:39] = True  # of 10 pixels a metre, but for the rim
    assert (seen[inside] == expected[inside]).all()
    assert (seen[:9] == bare[:9]).all()
    assert (seen[:, :19] == bare[:, :19]).all()


def test_a_ball_before_a_sheet_hides_it():
    bare, seen = taken(-2.0, SQUARE, 0.6)
    assert (seen[20, 30] == bare[20, 30]).all()
    assert (seen[12, 22] != bare[12, 22]).any()


@pytest.mark.parametrize("order", [1, -1])
def test_of_opaque_sheets_the_nearest_is_seen(order):
    """One on edge, nearer, is darker than that behind it, whichever comes first."""
    steep = (
        SQUARE @ np.array([[0.3, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.3]])
        + SQUARE[:, :, :1] * [0, 2.0, 0]
        - [0, 1, 0]
    )
    _, seen = taken(2.0, np.concatenate([steep, SQUARE][::order]), 1.0)
    _, alone = taken(2.0, steep, 1.0)
    assert (seen[20, 30] == alone[20, 30]).all()
    assert (seen[20, 30] < seen[12, 22]).all()


@pytest.mark.slow
def test_scenes_of_runs_show_walls_as_opaque_as_asked(tmp_path):
    steel = dem.Material(young=5e6, poisson=0.3, density=1000.0)
    grain = dem.Particles(dem.Sphere(diameter=0.008), steel, position=[[0, 0, -0.02]])
    drum = dem.Cylinder((0, -0.03, 0), (0, 0.03, 0), 0.04, ends="both", material=steel)
    sim = dem.Simulation(grain, walls=[drum], time_step=2e-5)
    sim.run(duration=1e-4, output=tmp_path / "run.h5", frames=1, progress=False)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        shown = [
            np.asarray(dem.plots.scene(run, size=(120, 90), walls=walls).axes[0].images[0].get_array(), float)
            for walls in (0.0, 0.25, 1.0)
        ]
        with pytest.raises(ValueError, match=r"walls is 1\.5"):
            dem.plots.scene(run, size=(120, 90), walls=1.5)
    assert shown[0].mean() > shown[1].mean() > shown[2].mean()
