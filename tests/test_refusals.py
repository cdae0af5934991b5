"""What is refused at the command line is refused before any kernel is compiled."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILE = """
duration = 0.1
time_step = "1 us"
particles = [{shape = "ball", material = "nylon", position = [[0, 0, 1]]}]
[materials.nylon]
young = "50 MPa"
poisson = 0.35
density = 1100
[shapes.ball]
type = "sphere"
diameter = "10 mm"
"""
REFUSED = {
    "nine-fibres -o there.h5": "there.h5 exists already",
    "nine-fibres -o text.txt --overwrite": "text.txt is no HDF5 file",
    "nine-fibres -o run.csv": "run.csv ends in .csv, but a trajectory is HDF5, of which dem export makes csv, gsd and",
    "hard-spheres -o run.toml": "run.toml ends in .toml, but a trajectory is HDF5",
    "case.toml -o run.0": "let it end in .h5 or .hdf5 or .h5md or .vtkhdf\n",
    "rough-wall -o table.h5": "table.h5 ends in .h5, but a table is written: let it end in .csv or .txt or .dat\n",
    "nine-fibres -o nowhere/run.h5": "there is no folder nowhere",
    "nine-fibres -o .": "it is a folder",
    "nine-fibres --fields position,speed": "unknown field 'speed'",
    "nine-fibres --compression zip": "unknown compression 'zip'",
    "nine-fibres --checkpoint-every soon": "checkpoint_every is 'soon'",
    "nine-fibres --frames 0": "frames is 0",
    "nine-fibres --set angel=3": "unknown parameter of nine-fibres 'angel'",
    "nine-fibres --integrator pcmd": "unknown integrator 'pcmd'",
    "nine-fibres --integrator runge-kutta": "evaluates the torque 4 times a step",
    "nine-fibres --duration 1e-9": "shorter than one time step",
    "nine-fibres --duration 1e300": "too many time steps",
    "many-fibres --set n=50 -o there.h5": "there.h5 exists already",
    "many-fibres --set n=50 --fields speed": "unknown field 'speed'",
    "many-fibres --set n=50 --integrator pcmd": "unknown integrator 'pcmd'",
    "hard-spheres -o there.h5": "there.h5 exists already",
    "rough-wall -o text.txt": "text.txt exists already",
    "case.toml -o there.h5": "there.h5 exists already",
    "case.toml --duration 1e-9": "shorter than one time step",
    "--resume there.h5 --duration -1": "duration is -1",
    "--resume nowhere.h5": "nowhere.h5",
}


def dem(words, folder, cache=None):
    """Run `dem` in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(cache or folder / "cache")}
    command = [sys.executable, "-m", "dem.cli", *words.split()]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)


@pytest.mark.parametrize("words", REFUSED)
def test_nothing_is_compiled_for_what_is_refused(words, tmp_path):
    (tmp_path / "there.h5").write_bytes(b"\x89HDF\r\n\x1a\n")
    (tmp_path / "text.txt").write_text("mine\n")
    (tmp_path / "case.toml").write_text(FILE)
    before = sorted(tmp_path.iterdir())
    result = dem(f"run {words}", tmp_path)
    assert result.returncode == 2
    assert REFUSED[words] in result.stderr
    assert "compiling" not in result.stderr
    assert not [*(tmp_path / "cache").rglob("*.nb?")]
    assert [path for path in sorted(tmp_path.iterdir()) if path.name != "cache"] == before
