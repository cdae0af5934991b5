"""The first example of the README and the case file of the guide run as they stand, and pass."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dem
from dem.cli.application import app

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
GUIDE = (ROOT / "docs" / "guide" / "case-files.md").read_text()


def examples(language, text=README):
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def command(*words, folder):
    """Output and exit status of a command in a process of its own, as in a shell."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "dem", *words]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_first_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (example,) = examples("python")
    exec(compile(example, "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("PASS")
    with dem.Trajectory("run.h5") as run:
        assert len(run) == 101


@pytest.mark.slow
def test_the_case_file_ends_well_and_check_says_so(tmp_path):
    (example,) = examples("toml", GUIDE)
    (tmp_path / "gas.toml").write_text(example)
    done = command("run", "gas.toml", folder=tmp_path)
    assert (done.returncode, done.stdout.splitlines()[1][:5]) == (0, "PASS:"), done
    assert "warning" not in done.stderr
    with dem.Trajectory(tmp_path / "gas.h5") as run:
        assert len(run) == 101
    shown = command("check", "gas.toml", folder=tmp_path)
    assert (shown.returncode, "warning" in shown.stderr) == (0, False)
    assert shown.stdout.startswith("gas.toml: nothing is wrong with it\n")


@pytest.mark.slow
def test_the_advice_on_a_coarse_run_helps(tmp_path, monkeypatch):
    """Steps four times too long: the verdict names time step and scheme; the latter alone makes it a good one."""
    monkeypatch.chdir(tmp_path)
    (example,) = examples("toml", GUIDE)
    Path("gas.toml").write_text(example.replace('duration = "0.02 s"', 'duration = "0.2 s"'))

    def verdict(*words):
        done = CliRunner().invoke(app, ["run", "gas.toml", "--time-step", "10 us", "--force", *words])
        return done.exit_code, done.stdout.splitlines()[1]

    code, said = verdict("-o", "drifting.h5")
    assert (code, said[:5]) == (1, "FAIL:")
    assert "lower time_step, or take the integrator splitting, whose energy does not drift" in said
    code, said = verdict("--integrator", "splitting")
    assert (code, said[:5]) == (0, "WARN:")  # of contacts of few steps, no longer of the energy
    assert "energy error above" not in said


@pytest.mark.slow
def test_the_published_run_ends_well(tmp_path):
    (words,) = re.findall(r"`dem\s+(run [^`]*)`\s+repeats\s+the\s+run\s+of\s+the\s+paper", README)
    done = command(*words.split(), folder=tmp_path)
    assert (done.returncode, done.stdout.splitlines()[1][:24]) == (0, "PASS: 20000000 steps to "), done
    with dem.Trajectory(tmp_path / "nine-fibres.h5") as run:
        assert run.time[-1] == pytest.approx(2.0, rel=1e-12)
