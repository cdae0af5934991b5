"""The published tables and figures, as `dem validate` reproduces them."""

import importlib.util
import json

import pytest
from typer.testing import CliRunner

from dem.cli.application import app
from dem.validation import STUDIES
from dem.validation.report import Report


def validate(*arguments):
    return CliRunner().invoke(app, ["validate", *map(str, arguments)])


QUICK = ("sphere", "seelen-fig1", "seelen-fig5", "incline", "haff", "spheroids")
LONG = ("maw",)
# other studies take long, or compile kernels that no other test needs; other tests check parts of them
SLOW = [name for name in STUDIES if name not in (*QUICK, *LONG)]


@pytest.mark.parametrize(
    "name",
    [
        *QUICK,
        *(pytest.param(name, marks=pytest.mark.long) for name in LONG),
        *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW),
    ],
)
def test_quick_studies_pass(name, tmp_path):
    folder = tmp_path / "out"
    done = validate(name, "--quick", "-o", folder)
    assert done.exit_code == 0, done.stdout
    (numbers,) = [json.loads(p.read_text()) for p in folder.glob("*.json")]
    assert numbers["checks"]
    assert numbers["passed"]
    page = (folder / f"{numbers['name']}.md").read_text()
    assert page.count("| PASS |") == len(numbers["checks"])
    for picture in folder.glob("*.png"):
        assert f"({picture.name})" in page
        assert picture.read_bytes().startswith(b"\x89PNG")
    assert list(folder.glob("*.csv"))
    assert f"({numbers['name']}.md): PASS" in (folder / "README.md").read_text()


def test_a_figure_that_is_off_fails():
    report = Report("name", "title")
    report.near("a", 1.011, 1.0, within=0.01)
    report.below("b", 2.0, 1.0)
    report.factor("c", 3.1, 1.0)
    report.below("d", float("nan"), 1.0)
    assert [check.passed for check in report.checks] == [False] * 4
    assert not report.passed
    assert "**FAIL**" in report.page()


def test_nothing_of_the_users_is_touched(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    refused = validate("sphere", "-o", tmp_path)
    assert refused.exit_code == 2
    assert "exists already and is not an empty folder" in refused.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]
    unknown = validate("spheres", "-o", tmp_path / "new")
    assert unknown.exit_code == 2
    assert "unknown study 'spheres': did you mean sphere?" in unknown.stderr
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("finished", [0, 1])
def test_no_empty_folder_is_left_behind(tmp_path, monkeypatch, finished, there):
    """By who is interrupted, or fails, before there is anything to be kept; one that was there stays."""

    def stopped(quick):
        raise KeyboardInterrupt

    studies = {"whole": lambda quick: Report("whole", "title"), "stopped": stopped}
    monkeypatch.setattr("dem.validation.STUDIES", studies)
    if there:
        (tmp_path / "a" / "b").mkdir(parents=True)
    assert validate(*list(studies)[1 - finished :], "-o", tmp_path / "a" / "b").exit_code == 130
    left = ["a", "b"] * (there or finished) + ["whole.json", "whole.md"] * finished
    assert sorted(path.name for path in tmp_path.rglob("*")) == left


def test_without_matplotlib_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    refused = validate("sphere", "-o", tmp_path / "new")
    assert refused.exit_code == 2
    assert "pip install 'pcdm-dem[plot]'" in refused.stderr
