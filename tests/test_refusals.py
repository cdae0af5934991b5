"""The command line refuses wrong input before any kernel is compiled."""

import json
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
    "nine-fibres -o run.csv": "run.csv ends in .csv, but a trajectory is HDF5 (dem export converts it to csv, gsd,",
    "hard-spheres -o run.toml": "run.toml ends in .toml, but a trajectory is HDF5",
    "case.toml -o run.0": "let it end in .h5 or .hdf5 or .h5md or .vtkhdf\n",
    "rough-wall -o table.h5": "table.h5 ends in .h5, but a table is written: let it end in .csv or .txt or .dat\n",
    "nine-fibres -o nowhere/run.h5": "there is no folder nowhere",
    "nine-fibres -o .": "it is a folder",
    "nine-fibres --fields position,speed": "unknown field 'speed'",
    "nine-fibres --compression zip": "unknown compression 'zip'",
    "nine-fibres --checkpoint-every soon": "checkpoint_every is 'soon'",
    "nine-fibres --checkpoint-every 1e400": "checkpoint_every is '1e400'",
    "nine-fibres --checkpoint-every=": "checkpoint_every is ''",
    "nine-fibres --fields=": "unknown field ''",
    "nine-fibres --compression=": "unknown compression ''",
    "nine-fibres --columns=": "unknown column ''",
    "nine-fibres --frames 0": "frames is 0",
    "nine-fibres --set angel=3": "unknown parameter of nine-fibres 'angel'",
    "nine-fibres --integrator pcmd": "unknown integrator 'pcmd'",
    "nine-fibres --integrator runge-kutta": "evaluates the torque 4 times a step",
    "nine-fibres --time-step 0.01": "coarse-time-step: time_step 0.01 s leaves 0.027 steps",
    "nine-fibres --duration 1e-9": "shorter than one time step",
    "nine-fibres --duration 1e40": "too many time steps",
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


ONE_BY_ONE = """
import io, json, os, sys
from contextlib import redirect_stderr
from pathlib import Path
from dem.cli import main
for words in json.load(sys.stdin):
    told = io.StringIO()
    sys.argv = ["dem", "run", *words.split()]
    with redirect_stderr(told):
        try:
            main()
        except SystemExit as end:
            status = end.code
    compiled = [path.name for path in Path(os.environ["NUMBA_CACHE_DIR"]).rglob("*.nb?")]
    print(json.dumps([status, told.getvalue(), sorted(os.listdir(".")), compiled]))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What `dem run` says to all that is to be refused, one after the other in one process: status, text, files."""
    folder, cache = tmp_path_factory.mktemp("here"), tmp_path_factory.mktemp("cache")
    (folder / "there.h5").write_bytes(b"\x89HDF\r\n\x1a\n")
    (folder / "text.txt").write_text("mine\n")
    (folder / "case.toml").write_text(FILE)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", ONE_BY_ONE], input=json.dumps([*REFUSED]), capture_output=True,
                          text=True, check=True, cwd=folder, env=environment)  # fmt: skip
    return dict(zip(REFUSED, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("words", REFUSED)
def test_nothing_is_compiled_for_what_is_refused(words, answers):
    status, told, files, compiled = answers[words]
    assert status == 2
    assert REFUSED[words] in told
    assert "compiling" not in told
    assert files == ["case.toml", "text.txt", "there.h5"]
    assert compiled == []
