"""Files in the working folder that bear the names of our packages."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MINE = {"cases/__init__.py": "", "kernels.py": "", "benchmarks/__init__.py": ""}
COMMANDS = {"module": [sys.executable, "-m", "dem.cli"], "console script": [shutil.which("dem") or ""]}


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


@pytest.mark.parametrize(
    ("code", "name"),
    [("import dem; dem.Simulation", "kernels.py"), ("import dem; dem.cases()", "__init__.py"),
     ("import kernels; import dem; dem.Simulation", "kernels.py")],
)  # fmt: skip
def test_a_script_is_told_what_is_in_the_way(code, name, started, tmp_path):
    if "cases" in code:
        (tmp_path / "kernels.py").unlink()
    done = started(sys.executable, "-c", code)
    said = done.stderr.splitlines()[-1]
    assert "that belongs to dem: rename it, or start Python elsewhere" in said
    assert name in said
    assert str(tmp_path) in said


@pytest.mark.slow
def test_a_folder_of_case_files_is_in_nobodys_way(started, tmp_path):
    for name in MINE:
        (tmp_path / name).unlink()
    (tmp_path / "kernels").mkdir()
    done = started(sys.executable, "-c", "import dem; print(len(dem.cases()), dem.Simulation.unit)")
    assert done.stdout.split()[1:] == ["step"], done.stderr
