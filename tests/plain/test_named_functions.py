"""Functions named in files are used only if the program, or an installed package, has registered them."""

import json
import sys

import h5py
import pytest
from typer.testing import CliRunner

import dem
from dem.base import imports
from dem.cli.application import app

PLANTED = """
import pathlib
from dataclasses import dataclass
pathlib.Path(__file__).with_name("ran").touch()
@dataclass(frozen=True)
class Wall:
    a: int = 1
def flow(t, x, y, z):
    return (0.0, 0.0, 0.0)
"""


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """A module beside the notebook, which tells whether it was imported."""
    (tmp_path / "planted.py").write_text(PLANTED)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("planted", None)


@pytest.fixture
def run(planted, nylon, ball):
    path = planted / "run.h5"
    particles = dem.Particles(ball, nylon, position=[[0.0, 0.0, 0.1]])
    floor = dem.Plane(material=nylon, point=(0, 0, 0), normal=(0, 0, 1))
    sim = dem.Simulation(particles, walls=[floor], time_step=1e-6, threads=1)
    sim.run(2e-6, output=path, frames=1)
    return path


@pytest.mark.parametrize("words", [["view", "--no-open"], ["run", "--resume"], ["rerun"]])
@pytest.mark.parametrize("name", ["planted:Wall", "this:s"])
def test_a_file_does_not_choose_what_is_imported(run, words, name, monkeypatch):
    monkeypatch.chdir(run.parent)
    before = set(sys.modules)
    with h5py.File(run, "r+") as file:
        walls = json.loads(file["walls/definition"].asstr()[()])
        walls[0]["class"] = name
        del file["walls/definition"]
        file["walls/definition"] = json.dumps(walls)
        for place in ("start", "latest"):
            state = json.loads(file[f"restart/{place}/input"].asstr()[()])
            state["walls"][0]["class"] = name
            del file[f"restart/{place}/input"]
            file[f"restart/{place}/input"] = json.dumps(state)
    result = CliRunner().invoke(app, [*words, str(run)])
    assert result.exit_code == 2
    assert f"{name} is not found: import its module" in result.stderr
    assert not (run.parent / "ran").exists()
    assert not ({name.partition(":")[0]} & (set(sys.modules) - before))


def test_a_function_of_a_flow_comes_back_when_the_program_has_imported_it(planted):
    values = {"function": "planted:flow"}
    with pytest.raises(ValueError, match="planted:flow is not found: import its module 'planted' in the program"):
        dem.FunctionFlow.restored(values)
    assert not (planted / "ran").exists()
    import planted as module  # noqa: PLC0415

    assert dem.FunctionFlow.restored(values).function is module.flow


@pytest.mark.parametrize("name", ["os:system", "subprocess:run", "dem.files.checkpoints.serialization:np", "", ":"])
def test_what_a_program_has_imported_for_itself_is_not_found(name):
    with pytest.raises(ValueError, match=r"is not found|is not defined in"):
        imports.named(name)


def test_what_a_script_defined_is_to_be_put_into_a_module():
    with pytest.raises(ValueError, match="Wind is not found: it was defined in the script that wrote the file"):
        imports.named("__main__:Wind")


def test_what_an_installed_package_declares_is_found():
    """Those of this package: cases and couplings."""
    assert imports.named("dem.cases.gas_column:GasColumn").__name__ == "GasColumn"
