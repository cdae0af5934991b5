"""Kinds of particles: groups with names, whose sizes are distributions, wherever particles are described."""

import json
import re
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

import dem
from dem.casefile.load import read
from dem.cli.application import app
from dem.model.particles.kinds import MAX_KINDS_LISTED, distribution, labels
from dem.soft.neighbour_lists import LIST_SKIN

DIAMETERS = np.linspace(0.004, 0.006, 500)


def row_of(count, y=0.0):
    """Places that are far from each other."""
    return np.column_stack([0.02 * np.arange(count), np.full(count, y), np.zeros(count)])


@pytest.fixture(scope="module")
def nylon():
    return dem.Material(young=5e7, poisson=0.35, density=1100.0, name="nylon")


@pytest.fixture(scope="module")
def polydisperse(nylon):
    """Beads of 500 sizes, and four rods."""
    beads = dem.Particles([dem.Sphere(diameter=d) for d in DIAMETERS], nylon, position=row_of(500), name="bead")
    rods = dem.Particles(dem.Fibre(diameter=0.004, aspect_ratio=3), nylon, position=row_of(4, 0.1))
    return dem.Particles.concatenate([beads, rods])


@pytest.fixture(scope="module")
def path(polydisperse, tmp_path_factory):
    path = tmp_path_factory.mktemp("kinds") / "run.h5"
    dem.Simulation(polydisperse.copy(), time_step=1e-5, threads=1).run(1e-4, output=path, frames=2)
    return path


def info(path, *words):
    shown = CliRunner().invoke(app, ["info", str(path), *words], catch_exceptions=False)
    assert shown.exit_code == 0
    return shown.stdout


def test_name_material_and_type_make_a_kind_and_sizes_do_not(nylon, polydisperse):
    assert [(kind.name, kind.shape) for kind in polydisperse.kinds] == [("bead", "Sphere"), ("fibre", "Fibre")]
    np.testing.assert_array_equal(polydisperse.kind, [0] * 500 + [1] * 4)
    np.testing.assert_array_equal(polydisperse.variant, [*range(500), *[500] * 4])
    assert repr(polydisperse) == (
        "<Particles: 500 x bead (Sphere, diameter 0.004 to 0.006), "
        "4 x fibre (Fibre, diameter 0.004, aspect_ratio 3, spheres 5, spacing 0.002)>"
    )
    ball, at = dem.Sphere(diameter=0.01), [[0, 0, 0]]
    steel = dem.Material(young=2e11, poisson=0.3, name="steel")
    same = dem.Material(young=5e7, poisson=0.35, density=1100.0, name="polyamide")
    groups = [
        dem.Particles(ball, nylon, position=at),
        dem.Particles(ball, steel, position=at),
        dem.Particles(dem.Sphere(diameter=0.02), nylon, position=at),
        dem.Particles(ball, nylon, position=at, name="tracer"),
        dem.Particles(ball, same, position=at),
    ]
    joined = dem.Particles.concatenate(groups)
    assert joined.kind.tolist() == [0, 1, 0, 2, 3]
    assert labels(kind.name for kind in joined.kinds) == ["sphere", "sphere-2", "tracer", "sphere-3"]
    assert joined.variant.tolist() == [0, 1, 2, 0, 3]  # the engine tells apart shapes and materials, not names of kinds
    with pytest.raises(TypeError, match="name is 3, expected text"):
        dem.Particles(ball, nylon, position=at, name=3)
    with pytest.raises(TypeError, match="name is None, expected text"):
        dem.Material(young=1.0, poisson=0.0, name=None)


def test_distributions_are_told_by_their_ends_and_mean():
    told = distribution([{"d": 1.0, "c": [1, 2]}, {"d": 4.0, "c": [1, 3]}, {"d": 4.0, "c": [1, 2]}], [2, 1, 1])
    assert told == {"d": {"least": 1.0, "most": 4.0, "mean": 2.5, "different": 2}, "c": {"different": 2}}


def test_a_run_tells_kinds_and_keeps_all_sizes(path, polydisperse):
    with dem.Trajectory(path) as run:
        assert run.kinds == polydisperse.kinds
        np.testing.assert_array_equal(run.kind, polydisperse.kind)
        np.testing.assert_array_equal(run.to_pandas(["position"]).kind[:504], polydisperse.kind)
        assert [variant.radii[0] for variant in run.variants[:500]] == (DIAMETERS / 2).tolist()
        assert run.shapes == polydisperse.variants
        assert "; 500 x bead (Sphere, diameter 0.004 to 0.006), 4 x fibre (Fibre" in repr(run)
        assert run.input["kinds"] == run.describe() == json.loads(json.dumps(polydisperse.describe()))
        assert run.describe()[0]["sizes"] == {
            "diameter": {"least": 0.004, "most": 0.006, "mean": pytest.approx(0.005, rel=1e-15), "different": 500}
        }
    shown = info(path)
    assert "500 x bead  Sphere, diameter 0.004 to 0.006 m (mean 0.005, 500 different), material nylon, mass " in shown
    assert re.search(r"^nylon +young 50000000 Pa", shown, re.MULTILINE)
    assert len(shown.splitlines()) < 80
    masses = [kind["mass"] for kind in json.loads(info(path, "--json"))["kinds"]]
    assert masses[0] == {"least": polydisperse.mass[:500].min(), "most": polydisperse.mass[:500].max()}


def test_checkpoints_write_materials_once_and_sizes_as_columns(path, polydisperse):
    with h5py.File(path) as file:
        text = file["restart/start/input"].asstr()[()]
    columns = [stretch["columns"] for stretch in json.loads(text)["variants"]]
    assert columns[0] == {"diameter": DIAMETERS.tolist()}
    assert text.count('"young"') < 10
    sim = dem.Simulation.load(path)
    assert (sim.particles.kinds, sim.particles.variants) == (polydisperse.kinds, polydisperse.variants)
    assert dem.rerun(path).same


def test_many_kinds_are_summarised(nylon):
    ball, count = dem.Sphere(diameter=0.01), MAX_KINDS_LISTED + 488
    singles = [dem.Particles(ball, nylon, position=[[0, 0, k]], name=f"ball {k}") for k in range(count)]
    said = repr(dem.Particles.concatenate(singles))
    assert said.endswith("1 x ball 11 (Sphere, diameter 0.01) and 488 kinds more>")
    assert said.count(" x ") == MAX_KINDS_LISTED


def older(path):
    """Make a file what it would have been before there were variants, when each size was a kind."""
    with h5py.File(path, "r+") as file:
        group, parameters = file["particles/trajectory"], file["parameters"]
        group["species"][:] = group["variant"][:]
        del group["variant"]
        file.move("parameters/variants", "parameters/kinds")
        parameters.attrs["format"] = 2
        rewrite(parameters, lambda given: given | {"kinds": old_kinds(path, given)})
        for name in ("start", "latest"):
            checkpoint = file[f"restart/{name}"]
            checkpoint.attrs["format"] = "pcdm-dem checkpoint 2"
            checkpoint["particles/kind"][:] = checkpoint["particles/variant"][:]
            del checkpoint["particles/variant"]
            rewrite(checkpoint, old_checkpoint)


def rewrite(group, change):
    given = json.loads(group["input"].asstr()[()])
    del group["input"]
    group["input"] = json.dumps(change(given))


def material_of(values):
    return {key: value for key, value in values.items() if key != "name"}


def old_kinds(path, given):
    del path
    bead, rod = given["kinds"]
    beads = [{"shape": "Sphere", "diameter": d, "material": material_of(bead["material"])} for d in DIAMETERS]
    return [*beads, {"shape": "Fibre", **rod["sizes"], "material": material_of(rod["material"])}]


def old_checkpoint(given):
    pairs = []
    for stretch in given.pop("variants"):
        material = stretch["material"] | {"values": material_of(stretch["material"]["values"])}
        for k in range(stretch["number"]):
            values = {name: column[k] for name, column in stretch["columns"].items()}
            pairs.append([{"class": stretch["class"], "values": values}, material])
    return given | {"kinds": pairs}


@pytest.mark.slow
def test_files_without_variants_are_read_but_not_gone_on_from(polydisperse, tmp_path):
    path = tmp_path / "old.h5"
    dem.Simulation(polydisperse.copy(), time_step=1e-5, threads=1).run(1e-4, output=path, frames=2)
    older(path)
    with dem.Trajectory(path) as run:
        assert [(kind.name, kind.shape, kind.material.name) for kind in run.kinds] == [
            ("sphere", "Sphere", ""), ("fibre", "Fibre", ""),
        ]  # fmt: skip
        np.testing.assert_array_equal(run.kind, polydisperse.kind)
        assert run.shapes == [(shape, replace(material, name="")) for shape, material in polydisperse.variants]
        np.testing.assert_array_equal(run[0].spheres().radii[:500], DIAMETERS / 2)
        np.testing.assert_array_equal(run[0].kinetic_energies().translational, 0)
        assert "500 x sphere (Sphere, diameter 0.004 to 0.006), 4 x fibre (" in repr(run)
    assert "material 1  young 50000000 Pa" in info(path)
    for go_on in (dem.Simulation.load, dem.rerun, lambda path: dem.resume(path, duration=2e-4)):
        with pytest.raises(ValueError, match=r"the checkpoint has the format .* 2', this version reads"):
            go_on(path)


FILE = """
duration = 1e-6
time_step = 1e-6
threads = 1
materials.glass = { young = 7e7, poisson = 0.22, density = 2500.0 }
materials.steel = { young = 2e8, poisson = 0.3 }
shapes.rod = { type = "fibre", diameter = 0.004, aspect_ratio = 3 }
shapes.bead = { type = "sphere", diameter = 0.004 }
box = { upper = [0.1, 0.1, 0.1], material = "steel" }

[[particles]]
shape = "rod"
material = "glass"
position = [[0.05, 0.05, 0.05]]

[[particles]]
shape = "bead"
material = "glass"
random = { number = 20, scale = [0.8, 1.2] }

[[particles]]
name = "intruder"
shape = "bead"
material = "glass"
position = [[0.05, 0.05, 0.09]]
"""


def test_a_case_file_gives_kinds_and_materials_their_names(tmp_path):
    (tmp_path / "mine.toml").write_text(FILE)
    sim = read(tmp_path / "mine.toml").case.simulation()
    sim.run(1e-6, output=tmp_path / "run.h5", frames=1)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert [(kind.name, kind.material.name) for kind in run.kinds] == [
            ("rod", "glass"), ("bead", "glass"), ("intruder", "glass"),
        ]  # fmt: skip
        assert np.bincount(run.kind).tolist() == [1, 20, 1]
        assert run.box.material.name == "steel"
    shown = info(tmp_path / "run.h5")
    assert re.search(r"^20 x bead +Sphere, diameter 0\.00.*, material glass, mass", shown, re.MULTILINE)
    assert re.search(r"^glass, steel +restitution 1, friction 0", shown, re.MULTILINE)
    head = FILE.partition("[[particles]]")[0]
    (tmp_path / "next.toml").write_text(head + '[[particles]]\nlast_frame = "run.h5"\n')
    again = read(tmp_path / "next.toml").case.build()[0]
    assert (again.kinds, again.variants) == (sim.particles.kinds, sim.particles.variants)
    (tmp_path / "steel.toml").write_text(head + '[[particles]]\nlast_frame = "run.h5"\nmaterial = "steel"\n')
    kinds = read(tmp_path / "steel.toml").case.build()[0].kinds
    assert [(kind.name, kind.material.name) for kind in kinds] == [
        ("rod", "steel"), ("bead", "steel"), ("intruder", "steel"),
    ]  # fmt: skip


@pytest.mark.parametrize("room", ["soft", "hard", "bench"])
def test_engines_know_variants_only(room):
    """A table with a row for each variant, read at the number of a kind, would give wrong masses in silence."""
    for path in (Path(dem.__file__).parent / room).glob("*.py"):
        code = re.sub(r"^\s*from dem\..*$", "", path.read_text(), flags=re.MULTILINE)  # modules may go by that name
        assert not re.search(r"\b(\w*particles|p)\.kinds?\b", code), path


def test_lists_reach_as_far_as_the_median_sphere_wants():
    """One large ball, or few small grains, among others change no list: those of a third of a diameter suffice."""
    stuff = dem.Material(young=5e6, poisson=0.3)
    for diameters in ([0.003] * 39 + [0.09], [0.001] * 5 + [0.003] * 35):
        place = 0.1 * np.stack(np.meshgrid(*[np.arange(4)] * 3), -1).reshape(-1, 3)
        parts = [
            dem.Particles(dem.Sphere(diameter=d), stuff, position=place[k : k + 1]) for k, d in enumerate(diameters)
        ]
        sim = dem.Simulation(dem.Particles.concatenate(parts), time_step=1e-6, threads=1)
        np.testing.assert_allclose(sim._engine.skins.neighbours, LIST_SKIN * 0.003, rtol=1e-12)
