"""Built-in cases: published set-ups, and starts without overlap."""

from importlib.metadata import EntryPoint, entry_points

import numpy as np
import oracle
import pytest
from scipy.spatial import cKDTree
from typer.testing import CliRunner

import dem
from dem.cli import app


def test_all_cases_are_found_through_the_entry_points():
    assert set(dem.cases()) >= {"single-fibre", "nine-fibres", "many-fibres", "many-spheres"}
    assert all(issubclass(kind, dem.Case) and kind.name == name for name, kind in dem.cases().items())


@pytest.mark.parametrize("name", ["single-fibre", "nine-fibres", "many-fibres", "many-spheres"])
def test_every_case_runs(name, tmp_path):
    case = dem.cases()[name](**({"n": 50} if name.startswith("many") else {}), time_step=1e-5)
    verdict = case.simulation().run(0.01, output=tmp_path / "run.h5", frames=2)
    assert verdict.passed
    assert verdict.steps == 1000


def test_single_fibre_is_the_published_one():
    """Middle of a unit cube, at rest, 30 degrees from the floor, z up."""
    sim = dem.cases()["single-fibre"]().simulation()
    centre = oracle.spheres(sim.particles)[0]
    axis = (centre[-1] - centre[0]) / np.linalg.norm(centre[-1] - centre[0])
    assert axis[2] == pytest.approx(0.5)
    np.testing.assert_array_equal(sim.particles.position, [[0.5, 0.5, 0.5]])
    assert not sim.particles.velocity.any()
    assert sim.gravity == (0, 0, -9.81)


def test_nine_fibres_are_the_published_ones():
    sim = dem.cases()["nine-fibres"]().simulation()
    assert sorted(map(tuple, sim.particles.position)) == [
        (x, y, 0.5) for x in (0.25, 0.5, 0.75) for y in (0.25, 0.5, 0.75)
    ]
    centre = oracle.spheres(sim.particles)[0].reshape(9, 5, 3)
    axis = (centre[:, -1] - centre[:, 0]) / 0.02
    np.testing.assert_allclose(axis, [[np.cos(np.radians(75)), np.sin(np.radians(75)), 0]] * 9, atol=1e-14)
    np.testing.assert_array_equal(sim.particles.velocity, [[1, -1, 0]] * 9)


@pytest.mark.parametrize(("name", "parameters"), [
    ("many-fibres", {"n": 700}), ("many-fibres", {"n": 300, "spacing": 1.74}),
    ("many-fibres", {"n": 90, "aspect_ratio": 6, "spheres": 11, "spacing": 3.5}), ("many-spheres", {"n": 1001}),
])  # fmt: skip
def test_random_starts_do_not_overlap(name, parameters):
    particles, box = dem.cases()[name](**parameters).build()
    centre, radius, owner, _ = oracle.spheres(particles)
    assert (centre - radius[:, None] >= box.lower).all()
    assert (centre + radius[:, None] <= box.upper).all()
    pairs = cKDTree(centre).query_pairs(2 * radius.max() * 0.999999, output_type="ndarray")
    assert (owner[pairs[:, 0]] == owner[pairs[:, 1]]).all()


def test_random_starts_are_seeded():
    kind = dem.cases()["many-fibres"]
    one, two, other = (kind(n=40, seed=s).build()[0] for s in (7, 7, 8))
    np.testing.assert_array_equal(one.orientation, two.orientation)
    assert not np.array_equal(one.velocity, other.velocity)


def test_random_fibres_point_everywhere():
    """Second moments of the directions are those of the isotropic distribution within four standard errors."""
    particles, _ = dem.cases()["many-fibres"](n=8000, spacing=3.1).build()
    axis = oracle.Rotation.from_quat(particles.orientation, scalar_first=True).apply([1.0, 0, 0])
    # variance of x² on the sphere is 4/45
    np.testing.assert_allclose((axis**2).mean(0), 1 / 3, atol=4 * np.sqrt(4 / 45 / 8000))


def test_a_one_shape_many_radii_box_runs(nylon, rng):
    """Polydisperse spheres, one shape each."""
    grid = np.stack(np.meshgrid(*[np.arange(5)] * 3), -1).reshape(-1, 3) * 0.021 + 0.011
    balls = dem.Particles([dem.Sphere(diameter=d) for d in rng.uniform(0.002, 0.02, 125)], nylon, position=grid,
                          velocity=rng.normal(0, 1, (125, 3)))  # fmt: skip
    sim = dem.Simulation(balls, dem.Box((0, 0, 0), (0.106,) * 3, material=nylon), time_step=2e-6)
    assert sim.run(0.02).passed


def test_a_broken_case_of_another_package_does_not_hide_the_others(monkeypatch):
    mine = [EntryPoint("broken", "cases.nine_fibres:Nope", "dem.cases"), EntryPoint("odd", "math:pi", "dem.cases")]
    installed = list(entry_points(group="dem.cases"))

    def found(group, name=None):
        return [e for e in (*installed, *mine) if name in (None, e.name)]

    monkeypatch.setattr("dem.case.entry_points", found)
    listed = CliRunner().invoke(app, ["cases"])
    assert listed.exit_code == 0
    assert "Nine fibres are thrown" in listed.stdout
    assert "case broken cannot be loaded from cases.nine_fibres:Nope: AttributeError" in listed.stdout
    assert "case odd: math:pi is no dem.Case" in listed.stdout
