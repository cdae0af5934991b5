"""Files in the working folder that bear the names of our packages."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MINE = {"cases/__init__.py": "", "kernels.py": "", "benchmarks/__init__.py": ""}
COMMANDS = {"module": [sys.executable, "-m", "dem"], "console script": [shutil.which("dem") or ""]}


@pytest.fixture
def started(tmp_path):
    """Run a command in a folder that has all of these."""
    for name, text in MINE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return lambda *command: subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
    )


@pytest.mark.parametrize("how", COMMANDS)
@pytest.mark.few(1)
def test_commands_do_not_look_at_the_working_folder(how, started):
    if not COMMANDS[how][0]:
        pytest.skip("dem is not installed")
    listed = started(*COMMANDS[how], "cases")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "Nine fibres are thrown through a box" in listed.stdout
    known = started(*COMMANDS[how], "integrators")
    assert (known.returncode, known.stderr) == (0, "")


@pytest.mark.parametrize("first", ["", "import kernels, cases; "])
@pytest.mark.few(1, long=99)
def test_packages_called_kernels_and_cases_are_in_nobodys_way(first, started):
    """Those of a user, or of the package `kernels` of the index: ours are `dem.kernels` and `dem.cases`."""
    done = started(sys.executable, "-c", first + "import dem; print(len(dem.cases()), dem.Simulation.unit)")
    assert done.stdout.split()[1:] == ["step"], done.stderr
