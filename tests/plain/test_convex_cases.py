"""Built-in cases of convex grains: initial states and observables."""

import numpy as np
import pytest

import dem
from dem.model.shapes.convex_hull import convex_hull

OBSERVED = {
    "dice": "solid_fraction", "ellipsoid-packing": "solid_fraction", "ellipsoids-hopper": "discharged_share",
    "superellipsoid-drum": "surface_angle_deg", "tablets-heap": "angle_of_repose_deg",
}  # fmt: skip


@pytest.mark.parametrize("name", [pytest.param(each, marks=[pytest.mark.long] * (each == "dice")) for each in OBSERVED])
def test_a_case_starts_without_overlaps_and_observes_its_end(name, tmp_path):
    case = dem.cases()[name](n=10)
    sim = case.simulation()
    assert len(sim.particles) == (0 if case.inserters() else 10)
    assert sim.contact_count == 0
    sim.run(3 * sim.time_step, output=tmp_path / "run.h5", frames=1)
    if len(sim.particles):
        with dem.Trajectory(tmp_path / "run.h5") as run:
            assert {*case.observables(run)} == {*case.observable_names} == {OBSERVED[name]}
            assert np.isfinite(case.observables(run)[OBSERVED[name]])


@pytest.mark.parametrize("name", ["ellipsoids-hopper", pytest.param("superellipsoid-drum", marks=pytest.mark.long)])
def test_clumps_take_the_places_of_grains_with_their_mass_and_nearly_their_size(name):
    """The spheres are inside of a mesh that is inside of the grain."""
    case = dem.cases()[name](n=10, exponent=4, spheres=3)
    grain, (clump,) = case.grain(), case.shapes()
    assert len(clump.radii) == 3
    np.testing.assert_allclose(clump.mass_properties(1.0).inertia, grain.mass_properties(1.0).inertia, rtol=1e-15)
    reach = np.sqrt((clump.offsets**2).sum(1)) + clump.radii
    assert 0.8 * grain.radii[0] < reach.max() < grain.radii[0]
    assert case.simulation().contact_count == 0


def test_dice_are_the_five_platonic_solids_of_one_volume():
    case = dem.cases()["dice"](edge=0.2)
    shapes = case.shapes()
    assert [kind.name for kind in case.build()[0].kinds] == list(case.kinds)
    assert [len(convex_hull(shape.vertices).faces) for shape in shapes] == [4, 6, 8, 12, 20]
    for shape in shapes:
        hull = convex_hull(shape.vertices)
        assert shape.volume == pytest.approx(np.pi / 6 * case.diameter**3, rel=1e-12)
        np.testing.assert_allclose(hull.heights, hull.heights[0], rtol=1e-12)  # all faces are as far from the centre
        assert shape.rounding == pytest.approx(0.2 * hull.heights[0], rel=1e-12)


def test_solid_fraction_of_a_bed_is_that_of_its_volume(tmp_path):
    """Dice at known places: the height counted is twice that of their centre of mass."""
    case = dem.cases()["dice"](n=10, amplitude=0.0)
    sim = case.simulation()
    sim.run(sim.time_step, output=tmp_path / "run.h5", frames=1)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        height = 2 * run.position[-1][:, 2].mean()
        volume = 10 * np.pi / 6 * case.diameter**3
        assert case.observables(run)["solid_fraction"] == pytest.approx(volume / (0.04**2 * height), rel=1e-12)
