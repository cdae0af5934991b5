"""Particles at random places, and simulations from case files, in Python."""

import numpy as np
import pytest
from typer.testing import CliRunner

import dem
from dem.casefile.load import read
from dem.cli.application import app
from dem.model.particles import random_insertion
from dem.model.shapes.bodies import place


def spheres_of(particles):
    return place(
        particles.position, particles.orientation, particles.variant, [shape for shape, _ in particles.variants]
    )


def least_gap(particles, period):
    """Smallest distance of the surfaces of two bodies, over all pairs of spheres and their nearest images."""
    centres, radii, owner = spheres_of(particles)
    gap = centres[:, None] - centres
    gap -= period * np.round(gap / np.where(period > 0, period, np.inf))
    distance = np.linalg.norm(gap, axis=2) - radii[:, None] - radii
    return distance[owner[:, None] != owner].min()


@pytest.mark.parametrize("periodic", [(), ("x",), ("x", "y", "z")])
def test_nobody_overlaps_anybody_or_a_wall(periodic, nylon, ball):
    """Brute force over all pairs; across periodic faces many do come near, so that who forgets these overlaps."""
    box = dem.Box((0.01, 0, -0.02), (0.07, 0.06, 0.04), nylon, periodic=periodic)
    balls = dem.pack(ball, nylon, box, solid_fraction=0.12, scale=(0.5, 1.0), seed=3)
    fibres = dem.pack(dem.Fibre(diameter=0.005, aspect_ratio=3), nylon, box, number=12, others=[balls], seed=4)
    everybody = dem.Particles.concatenate([balls, fibres])
    period = np.array([0.06 if axis in periodic else 0.0 for axis in "xyz"])
    assert 0 < least_gap(everybody, period) < 0.002
    centres, radii, _ = spheres_of(everybody)
    for axis, name in enumerate("xyz"):
        beyond = (centres[:, axis] - radii < box.lower[axis]) | (centres[:, axis] + radii > box.upper[axis])
        assert beyond.any() == (name in periodic)
    volume = sum(s.mass_properties(1.0).volume for s in (balls.variants[k][0] for k in balls.variant))
    assert volume / 0.06**3 == pytest.approx(0.12, abs=0.5 * ball.mass_properties(1.0).volume / 0.06**3)
    sizes = np.array([balls.variants[k][0].diameter for k in balls.variant])
    assert 0.005 <= sizes.min() < 0.006
    assert 0.009 < sizes.max() <= 0.01
    again = dem.pack(ball, nylon, box, solid_fraction=0.12, scale=(0.5, 1.0), seed=3)
    np.testing.assert_array_equal(again.position, balls.position)
    assert not np.array_equal(dem.pack(ball, nylon, box, number=1, seed=5).position, balls.position[:1])


def test_a_region_without_a_box_and_one_orientation(nylon, fibre):
    found = dem.pack(fibre, nylon, number=20, lower=(0, 0, 0), upper=(0.1, 0.1, 0.05), orientation=(0, 0, 1, 0))
    np.testing.assert_array_equal(found.orientation, np.tile((0, 0, 1, 0), (20, 1)))
    centres, radii, _ = spheres_of(found)
    assert (centres - radii[:, None] >= 0).all()
    assert (centres + radii[:, None] <= (0.1, 0.1, 0.05)).all()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"number": 3}, "random needs lower and upper, or a box"),
        ({"lower": (0, 0, 0), "upper": (1, 1, 1)}, "give either number or solid_fraction"),
        ({"lower": (0, 0, 0), "upper": (1, 1, 1), "number": 1, "solid_fraction": 0.1}, "give either number or"),
        ({"lower": (0, 0, 0), "upper": (1, 1, 0), "number": 1}, "lower must be below upper"),
        ({"lower": (0, 0, 0), "upper": (1, 1, 1), "number": 0}, "number is 0, expected at least 1"),
        ({"lower": (0, 0, 0), "upper": (1, 1, 1), "number": 1, "scale": (2, 1)}, "the smaller number first"),
        (
            {"lower": (0, 0, 0), "upper": (1, 1, 1), "number": 1, "orientation": (1, 1, 0, 0)},
            "norm 1.41421, expected 1",
        ),
        (
            {"lower": (0, 0, 0), "upper": (0.012,) * 3, "number": 2},
            "places for 1 of 2 particles in .* fraction of 0.3,",
        ),
    ],
)
def test_what_cannot_be_packed_is_refused(options, error, nylon, ball):
    with pytest.raises(ValueError, match=error):
        dem.pack(ball, nylon, **options)


def packed_spheres(monkeypatch, nylon, ball, number, solid_fraction):
    """Positions of equal spheres in a periodic box, None if there is no room, and how many tries it took."""
    tries, insert = [], random_insertion.insertion.insert
    counting = lambda *given: [tries.append(given[5].shape[1]), insert(*given)]  # noqa: E731
    monkeypatch.setattr(random_insertion.insertion, "insert", counting)
    edge = (number * ball.mass_properties(1.0).volume / solid_fraction) ** (1 / 3)
    box = dem.Box((0, 0, 0), (edge,) * 3, nylon, periodic=["x", "y", "z"])
    try:
        return dem.pack(ball, nylon, box, number=number).position, sum(tries)
    except ValueError as error:
        assert "a solid fraction of 0.3" in str(error)  # noqa: PT017
        assert "take fewer" in str(error)  # noqa: PT017
        return None, sum(tries)


def test_what_can_never_fit_is_foreseen(monkeypatch, nylon, ball):
    """Before it jams, which takes a thousand tries for each particle; what is foreseen of equal spheres left out."""
    monkeypatch.setattr(random_insertion, "JAMMED", 1.0)
    found, tries = packed_spheres(monkeypatch, nylon, ball, 10_000, 0.6)
    assert found is None
    assert tries < 40 * 10_000


@pytest.mark.slow
def test_what_just_fits_is_not_given_up(monkeypatch, nylon, ball):
    found, tries = packed_spheres(monkeypatch, nylon, ball, 2000, 0.35)
    assert len(found) == 2000
    assert tries > 5 * random_insertion.MIN_ATTEMPTS * 2000  # it was looked at many times


def test_more_are_foreseen_than_come_by_the_law_of_spheres():
    """Of 10 000, c/∛tries are still to come: who wants no more than all of them is never refused."""
    tries = np.arange(1, 4000) * 10_000
    placed = (10_000 * (1 - 0.5 * (1e4 / tries) ** (1 / 3))).astype(int)
    so_far = [(0, 0), *zip(tries.tolist(), placed.tolist(), strict=True)]
    refused = {
        n: [random_insertion.is_too_full(so_far[:k], n) for k in range(2, len(so_far))] for n in (10_000, 12_000)
    }
    assert not any(refused[10_000])
    assert refused[12_000].index(True) < 300


class Cube:
    """A shape of somebody's own, as simple as can be."""

    offsets, radii = np.zeros((1, 3)), np.ones(1)

    def mass_properties(self, density):
        return dem.Sphere(diameter=2).mass_properties(density)


def test_sizes_are_those_of_the_shape_times_a_factor(nylon, ball, fibre):
    clump = dem.Clump(offsets=[[0, 0, 0], [0.004, 0, 0]], radii=[0.005, 0.003])
    for shape in (ball, fibre, clump):
        small, large = shape.mass_properties(7.0), shape.scaled(2.0).mass_properties(7.0)
        assert large.mass == pytest.approx(8 * small.mass, rel=1e-14)
        assert large.inertia == pytest.approx([32 * moment for moment in small.inertia], rel=1e-13)
        np.testing.assert_array_equal(shape.scaled(2.0).radii, 2 * shape.radii)
        np.testing.assert_array_equal(shape.scaled(2.0).offsets, 2 * shape.offsets)
    region = {"lower": (0, 0, 0), "upper": (9, 9, 9), "number": 2}
    assert len(dem.pack(Cube(), nylon, **region)) == 2
    for shape, material, options, error in (
        (
            Cube(),
            nylon,
            {"scale": (1, 2)},
            r"has a method scaled\(factor\), which Cube has not",
        ),
        ("ball", nylon, {}, "'ball'"),
        (nylon, ball, {}, "Material"),
        (ball, "nylon", {}, "material is str, expected dem.Material"),
    ):
        with pytest.raises(TypeError, match=error):
            dem.pack(shape, material, **region, **options)


CASE = """
duration = "1 ms"
time_step = "10 us"
materials.nylon = { young = "50 MPa", poisson = 0.35, density = "1.1 g/cm3" }
shapes.bead = { type = "sphere", diameter = "10 mm" }
box = { upper = ["8 cm", "8 cm", "8 cm"], material = "nylon" }
[[particles]]
shape = "bead"
material = "nylon"
random = { number = 40 }
speed = "50 cm/s"
"""


def test_a_case_file_is_the_simulation_that_the_command_line_runs(tmp_path):
    path = tmp_path / "gas.toml"
    path.write_text(CASE)
    done = CliRunner().invoke(app, ["run", str(path), "-o", str(tmp_path / "run.h5"), "--frames", "2"])
    assert done.exit_code == 0, done.output
    sim = dem.load(path)
    assert isinstance(sim, dem.Simulation)
    assert sim.description["case_file"]["duration"] == 0.001
    sim.run(sim.description["case_file"]["duration"])
    with dem.Trajectory(tmp_path / "run.h5") as run:
        for name in run.fields:
            np.testing.assert_array_equal(run.field(name)[-1], getattr(sim.particles, name))
    assert dem.load(str(path), {"time_step": 2e-6}).time_step == 2e-6


def test_hard_spheres_and_cases_by_name_are_loaded_too(tmp_path):
    hard = tmp_path / "hard.toml"
    hard.write_text('method = "hard-spheres"' + CASE.replace('time_step = "10 us"', ""))
    assert isinstance(dem.load(hard), dem.HardSpheres)
    named = tmp_path / "named.toml"
    named.write_text('case = "nine-fibres"\nparameters = { time_step = 1e-5 }')
    assert len(dem.load(named).particles) == 9


def test_what_is_no_case_file_is_told_apart(tmp_path):
    study = tmp_path / "study.toml"
    study.write_text('case = "symmetric-top"')
    with pytest.raises(ValueError, match="describes no particles but a study, symmetric-top: dem run"):
        dem.load(study)
    assert read(study).name == "study"
    state = tmp_path / "state.h5"
    dem.cases()["nine-fibres"](time_step=1e-5).simulation().save(state)
    with pytest.raises(ValueError, match=r"no case file, but HDF5: dem\.Simulation\.load"):
        dem.load(state)
    state.rename(tmp_path / "state.toml")
    refused = CliRunner().invoke(app, ["run", str(tmp_path / "state.toml")])
    assert "state.toml is no case file, but HDF5: dem.Simulation.load reads a state, dem run --res" in refused.stderr
    study.write_bytes(b"duration = 1\xb5s")
    with pytest.raises(ValueError, match=r"study\.toml is no case file, which is text in UTF-8: byte 12 is 0xb5"):
        dem.load(study)
    with pytest.raises(FileNotFoundError, match="no file"):
        dem.load(tmp_path / "none.toml")
