"""Sweeps: each run has the file of `dem run` and a row of the table, and no run is computed twice."""

import csv
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

import h5py
import pandas as pd
import pytest
from dem.kernels.compiler import jit
from sample_runs import assert_same_frames
from typer.testing import CliRunner

import dem
from dem.cli.application import app
from dem.files.storage.journal import PAGE, path_of, write_journal
from dem.sweeps import execute_run
from dem.sweeps.execute_run import case_of, inspect_run
from dem.sweeps.sweep import shares
from dem.sweeps.sweep_runs import SweepRun, combined

# impacts of few hard spheres: the least that writes a trajectory
GAS = {"n": 8, "speed": [0.5, 1.0], "restitution": [0.5, 0.9], "duration": 1e-3, "frames": 1}
WORDS = ["--set", "n=8", "--set", "speed=0.5:1:2", "--set", "restitution=0.5,0.9", "--set", "duration=1e-3"]
WORDS += ["--set", "frames=1"]


@pytest.fixture
def cli(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)


@pytest.fixture
def pool():
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """The folder of a sweep by two processes, and what the command said."""
    folder = tmp_path_factory.mktemp("swept")
    command = [sys.executable, "-m", "dem", "sweep", "hard-spheres", *WORDS, "--jobs", "2", "-o", folder / "gas"]
    return folder / "gas", subprocess.run(command, capture_output=True, text=True, check=False)


def contents(folder):
    """The table without what depends on the clock."""
    with (folder / "sweep.csv").open(newline="") as file:
        return [{name: cell for name, cell in row.items() if name != "seconds"} for row in csv.DictReader(file)]


@pytest.mark.slow
def test_a_table_of_runs_that_pandas_reads_in_a_line(swept):
    folder, done = swept
    assert (done.returncode, done.stderr) == (0, "") or "compiling" in done.stderr
    assert done.stdout.splitlines()[-1] == f"{folder}/sweep.csv: 4 runs: 4 PASS"
    assert len(re.findall(r"^\d/4 n=8 speed=.*: PASS, [\d.]+ s$", done.stdout, re.MULTILINE)) == 4
    table = pd.read_csv(folder / "sweep.csv")
    assert list(table.columns) == ["case", *GAS, "file", "verdict", "seconds", "error"]
    assert table.speed.tolist() == [0.5, 0.5, 1, 1]
    assert table.restitution.tolist() == [0.5, 0.9, 0.5, 0.9]
    assert (table.seconds > 0).all()
    assert table.file.tolist() == sorted(path.name for path in folder.glob("*.h5"))  # names in the order of values


@pytest.mark.slow
def test_files_are_those_of_dem_run_alone(swept, cli, tmp_path):
    folder, _ = swept
    values = ("n=8", "speed=1", "restitution=0.9", "duration=1e-3", "frames=1")
    words = [word for value in values for word in ("--set", value)]
    assert cli("run", "hard-spheres", *words, "-o", "alone.h5").exit_code == 0
    file = folder / "hard-spheres_n=8_speed=1.0_restitution=0.9_duration=0.001_frames=1.h5"
    assert_same_frames(file, tmp_path / "alone.h5")
    with dem.Trajectory(file) as run, dem.Trajectory("alone.h5") as alone:
        assert run.input == alone.input
        assert run.verdict == alone.verdict


@pytest.mark.slow
def test_one_thread_of_python_makes_the_same_table_as_two_processes(swept, pool, tmp_path):
    table = dem.sweep("hard-spheres", GAS, folder=tmp_path / "gas", executor=pool)
    assert contents(tmp_path / "gas") == contents(swept[0])
    assert [row.verdict for row in table] == ["PASS"] * len(table)
    assert table.to_pandas().equals(pd.read_csv(table.path))


@pytest.mark.slow
def test_a_process_pool_of_the_users(swept, tmp_path):
    """It gets functions and arguments that can be sent."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        dem.sweep("hard-spheres", GAS, folder=tmp_path / "gas", executor=pool)
    assert contents(tmp_path / "gas") == contents(swept[0])


def test_a_second_call_runs_nothing_and_more_values_only_what_is_new(swept, cli, monkeypatch, pool, tmp_path):
    folder = shutil.copytree(swept[0], tmp_path / "gas")
    before = {path: path.stat().st_mtime_ns for path in folder.glob("*.h5")}
    monkeypatch.setattr("dem.sweeps.processes.by_processes", None)  # nobody to run anything
    again = cli("sweep", "hard-spheres", *WORDS, "-o", folder)
    assert again.exit_code == 0
    assert again.stdout.splitlines()[0] == f"{folder}: 0 to run, 4 of 4 are done"
    table = dem.sweep("hard-spheres", GAS | {"speed": [0.5, 10.0]}, folder=folder, executor=pool)
    assert [(row.parameters["speed"], row.verdict) for row in table] == [
        ("0.5", "PASS"), ("0.5", "PASS"), ("10", "PASS"), ("10", "PASS"), ("1", "PASS"), ("1", "PASS"),
    ]  # fmt: skip
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert len([*folder.glob("*.h5")]) == 6


@pytest.mark.slow
def test_runs_that_fail_are_told_and_passed_over(cli, tmp_path):
    """Of more spheres than there is room for nobody knows before they are made."""
    words = ["--set", "n=10000000000000,8", "--set", "duration=1e-3", "--set", "frames=1", "-o", "gas"]
    done = cli("sweep", "hard-spheres", *words, "--jobs", 1)
    assert done.exit_code == 1
    assert "dem: n=10000000000000 duration=0.001 frames=1: there is not enough memory" in done.stderr
    assert done.stdout.splitlines()[-1] == "gas/sweep.csv: 2 runs: 1 ERROR, 1 PASS"
    rows = contents(tmp_path / "gas")
    assert [(row["verdict"], row["error"][:26]) for row in rows] == [
        ("ERROR", "there is not enough memory"),
        ("PASS", ""),
    ]
    assert [path.name for path in (tmp_path / "gas").glob("*.h5")] == [rows[1]["file"]]
    assert cli("sweep", "hard-spheres", *words, "--collect").exit_code == 1
    assert contents(tmp_path / "gas") == rows


@pytest.mark.slow
def test_a_process_that_dies_does_not_take_others_with_it(tmp_path):
    """It is killed by what it runs; so are those beside it, which are made again."""
    (tmp_path / "dying.py").write_text(
        "import os, signal, dem\n"
        "class Dying(dem.StudyCase):\n"
        "    name = 'dying'\n"
        "    n: int = 0\n"
        "    def table(self):\n"
        "        if self.n == 2:\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        "        return [[self.n]], 'n', 'counted'\n"
        "if __name__ == '__main__':\n"
        "    table = dem.sweep(Dying, {'n': [1, 2, 3]}, folder='runs', jobs=2)\n"
        "    print([(row.verdict, row.error) for row in table])\n"
    )
    done = script("dying.py", tmp_path)
    assert done.stdout == "[('DONE', ''), ('ERROR', 'its process died, maybe of too little memory'), ('DONE', '')]\n"


def script(name, folder):
    """Run a script as a user does."""
    environment = {**os.environ, "PYTHONPATH": str(Path(dem.__file__).parent.parent)}
    command = [sys.executable, name]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


EXECUTORS = {
    "distributed": (
        "from distributed import Client\n"
        "    with Client(n_workers=1, threads_per_worker=1, dashboard_address=None) as client:\n"
        "        executor = client.get_executor()\n"
    ),
    "mpi4py": "from mpi4py.futures import MPIPoolExecutor\n    with MPIPoolExecutor() as executor:\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("library", EXECUTORS)
def test_executors_of_other_libraries(library, swept, tmp_path):
    """As the README has them; they need not be installed."""
    if not find_spec(library):
        pytest.skip(f"{library} is not installed")
    (tmp_path / "script.py").write_text(
        "import dem\n"
        "if __name__ == '__main__':\n"
        f"    {EXECUTORS[library]}"
        f"        dem.sweep('hard-spheres', {GAS}, folder='gas', executor=executor)\n"
    )
    started = (
        ["mpiexec", "-n", "2", sys.executable, "-m", "mpi4py.futures"] if library == "mpi4py" else [sys.executable]
    )
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    subprocess.run([*started, "script.py"], cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert contents(tmp_path / "gas") == contents(swept[0])


@pytest.mark.slow
def test_a_script_without_a_guard_is_told_so(tmp_path):
    (tmp_path / "script.py").write_text("import dem\ndem.sweep('hard-spheres', {'n': [8, 9]}, folder='runs')\n")
    done = script("script.py", tmp_path)
    assert done.returncode == 1
    assert "does so below if __name__ == '__main__':" in done.stderr.splitlines()[-1]


def test_an_unfinished_run_is_gone_on_with(swept, pool, tmp_path, monkeypatch):
    """It is stopped by a signal after its first checkpoint, as by Ctrl-C."""
    whole = swept[0] / "hard-spheres_n=8_speed=0.5_restitution=0.5_duration=0.001_frames=1.h5"
    member = SweepRun(
        "hard-spheres", {name: str(value) for name, value in _first(GAS).items()}, tmp_path / whole.name, {}
    )
    case = case_of(member).case

    def stop(sim):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        case.simulation().run(case.duration, output=member.path, frames=case.frames, every=(2e-4, stop))
    assert inspect_run(member, case_of(member)).state == "unfinished"
    assert inspect_run(member, case_of(member)).outcome.verdict == "STOPPED"
    monkeypatch.setattr(type(case), "simulation", None)  # so that it cannot be started anew
    with pytest.warns(dem.DemWarning, match="no-hook"):
        outcome = execute_run.carry_out(member)
    assert outcome.verdict == "PASS", outcome
    assert_same_frames(whole, member.path)


@pytest.mark.parametrize("journaled", [True, False], ids=["whole journal", "empty journal"])
def test_a_file_that_a_kill_left_unsigned_is_read_by_its_journal_or_begun_anew(swept, tmp_path, journaled):
    """The first page of a new file, with HDF5's signature, is written after all others and after the journal."""
    whole = swept[0] / "hard-spheres_n=8_speed=0.5_restitution=0.5_duration=0.001_frames=1.h5"
    settings = {name: str(value) for name, value in _first(GAS).items()}
    member = SweepRun("hard-spheres", settings, tmp_path / whole.name, {})
    data = whole.read_bytes()
    member.path.write_bytes(bytes(PAGE) + data[PAGE:])
    with path_of(member.path).open("wb") as journal:
        if journaled:
            write_journal(journal, {0: data[:PAGE]}, len(data), {0: bytes(PAGE)}, 0)
    assert inspect_run(member, case_of(member)).state == ("finished" if journaled else "begun")
    before = member.path.stat().st_mtime_ns
    outcome = execute_run.carry_out(member)
    assert outcome.verdict == "PASS", outcome
    assert (member.path.stat().st_mtime_ns == before) is journaled
    if not journaled:
        assert_same_frames(whole, member.path)


@pytest.mark.parametrize(
    ("attribute", "said", "outcome"),
    [
        (
            "verdict",
            "FAIL: 3 steps; energy error above 1%: lower time_step",
            ("FAIL", "energy error above 1%: lower time_step"),
        ),
        ("verdict", "WARN: 3 steps; largest overlap 30% of a radius", ("WARN", "")),
        ("error", "FloatingPointError: particle 3 went through a wall", ("ERROR", "particle 3 went through a wall")),
    ],
)
def test_what_files_tell_of_runs_that_ended_badly(attribute, said, outcome, swept, pool, tmp_path):
    """They would again: they count as finished."""
    first = "hard-spheres_n=8_speed=0.5_restitution=0.5_duration=0.001_frames=1.h5"
    shutil.copy(swept[0] / first, tmp_path / first)
    with h5py.File(tmp_path / first, "r+") as file:
        del file["parameters"].attrs["verdict"]
        file["parameters"].attrs[attribute] = said
    table = dem.sweep("hard-spheres", _first(GAS), folder=tmp_path, executor=pool)
    assert [(row.verdict, row.error) for row in table] == [outcome]
    assert len(table.failed) == (outcome[0] != "WARN")


def _first(values):
    return {name: value[0] if isinstance(value, list) else value for name, value in values.items()}


@pytest.mark.slow
def test_commands_of_the_list_make_the_same_files(swept, cli, tmp_path):
    listed = cli("sweep", "hard-spheres", *WORDS, "-o", "gas", "--list").stdout.splitlines()
    assert len(listed) == 4
    assert contents_of_folder(tmp_path) == []
    for command in listed[:3]:
        program, *words = shlex.split(command)
        assert (program, cli(*words).exit_code) == ("dem", 0)
    for path in (tmp_path / "gas").glob("*.h5"):
        assert_same_frames(path, swept[0] / path.name)
    assert cli("sweep", "hard-spheres", *WORDS, "-o", "gas", "--list").stdout.splitlines() == listed[3:]
    collected = cli("sweep", "hard-spheres", *WORDS, "-o", "gas", "--collect")
    assert collected.stdout == "gas/sweep.csv: 4 runs: 3 PASS, 1 not run\n"
    known = {row["file"]: row for row in contents(swept[0])}
    assert [row for row in contents(tmp_path / "gas") if row["verdict"]] == [known[row["file"]] for row in
            contents(tmp_path / "gas") if row["verdict"]]  # fmt: skip


def contents_of_folder(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_case_files_and_their_keys(tmp_path, pool):
    """A vector is one value; parameters may go together."""
    case = tmp_path / "gas.toml"
    case.write_text('case = "hard-spheres"\nparameters = {n = 8, duration = 1e-3, frames = 1}\n')
    values = {"gravity": [(0, 0, -9.81), (0, 0, 0)], "diameter": ["5 mm", "10 mm"]}
    table = dem.sweep(case, values, folder=tmp_path, executor=pool, zipped=True, fields="position", float32=True)
    assert [row.file for row in table] == [
        "gas_gravity=[0,0,-9.81]_diameter=05mm.h5",
        "gas_gravity=[0,0,0]_diameter=10mm.h5",
    ]
    with dem.Trajectory(tmp_path / table[1].file) as run:
        assert run.fields == ("position",)
        assert run.input["parameters"]["gravity"] == [0, 0, 0]
        assert run.input["parameters"]["diameter"] == 0.01
    case.write_text('case = "hard-spheres"\nparameters = {n = 9, duration = 1e-3, frames = 1}\n')
    with pytest.raises(ValueError, match=r"(?s)it is a run with n 8, not 9.*\(overwrite=True\) replaces them"):
        dem.sweep(case, values, folder=tmp_path, executor=pool, zipped=True, fields="position", float32=True)


def test_runs_of_other_kernels_are_not_taken_for_the_same(swept, monkeypatch, cli):
    monkeypatch.setattr(jit, "FINGERPRINT", "0123456789abcdef")
    done = cli("sweep", "hard-spheres", *WORDS, "-o", swept[0])
    assert done.exit_code == 2
    assert "it was run with other kernels, of pcdm-dem" in done.stderr
    assert "has 4 files of other runs: take another folder, or --overwrite" in done.stderr


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["--set", "sped=1,2", "--set", "n=8.5,9", "--set", "diametre=1"], [
            "dem: n is '8.5': input should be a valid integer",
            "dem: unknown parameter of hard-spheres 'diametre': did you mean diameter?",
            "dem: unknown parameter of hard-spheres 'sped': did you mean speed?",
        ]),
        (["--set", "speed=0:1", "--set", "n=1,,2", "--set", "frames", "--set", "speed=1"], [
            "dem: --set frames: expected NAME=VALUES",
            "dem: --set speed=1: speed is given already",
            "dem: n has an empty value",
            "dem: speed: 0:1 is no range: expected lo:hi:count, such as 0:0.5:6",
        ]),
        (["--set", "gravity=[0,0,0],[0,1", "--set", "n=1,2]"], [
            "dem: gravity: [0,0,0],[0,1 lacks a closing bracket",
            "dem: n: 1,2] lacks an opening bracket",
        ]),
        (["--set", "n=8,8"], ["dem: n is to be 8 twice"]),
        (["--set", "n=8,"], ["dem: n has an empty value"]),
        (["--set", "diameter=5 mm:1 cm:3"], ["dem: diameter: 5 mm:1 cm:3 is from mm to cm"]),
        (["--set", "speed=0:1:100", "--set", "n=1:10:10"], ["dem: these are 1000 runs: --yes (most=None) if"]),
        (["--set", "speed=0:1:1000", "--set", "n=1:1000:1000", "--yes"], ["dem: these are 1000000 runs: more than"]),
        (["--set", "n=1,2", "--set", "speed=1,2,3", "--zip"], ["dem: values that go together must be as many"]),
        (["--set", "n=1,2", "--random", "3"], ["dem: 3 of 2 combinations cannot be drawn"]),
        (["--set", "n=1,2", "--jobs", "0"], ["dem: jobs is 0, expected at least 1"]),
        (["--set", "n=1,2", "--fields", "positon"], ["dem: unknown field 'positon': did you mean position?"]),
        (["--set", "n=1,2", "--list", "--collect"], ["dem: --list and --collect are two things"]),
        (["--set", "n=1,2", "-o", "other"], ["dem: other holds another sweep, of hard-spheres by speed"]),
        ([], ["dem: give parameters and their values"]),
    ],
)  # fmt: skip
@pytest.mark.few(2)
def test_bad_input_is_refused_all_at_once_before_anything_is_run(cli, words, lines, tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "sweep.csv").write_text("case,speed,file,verdict,seconds,error\nhard-spheres,1,a.h5,,,\n")
    monkeypatch.setattr("dem.sweeps.processes.by_processes", None)
    result = cli("sweep", "hard-spheres", *words)
    assert result.exit_code == 2
    said = sorted(result.stderr.splitlines())
    assert len(said) == len(lines), said
    for line, begin in zip(said, lines, strict=True):
        assert line.startswith(begin), said
    assert not (tmp_path / "hard-spheres-sweep").exists()


def test_python_is_told_of_bad_values_as_well(pool):
    with pytest.raises(ValueError, match=r"(?s)n: nan is no finite number\nspeed: None is NoneType, expected numbers"):
        dem.sweep("hard-spheres", {"n": [float("nan")], "speed": [None]})
    with pytest.raises(TypeError, match=r"random is 2\.5, expected a whole number"):
        dem.sweep("hard-spheres", {"n": [1]}, random=2.5)
    with pytest.raises(TypeError, match="overwrite is 'no', expected True or False"):
        dem.sweep("hard-spheres", {"n": [8]}, overwrite="no")
    with pytest.raises(TypeError, match=r"executor is str, expected one of concurrent\.futures"):
        dem.sweep("hard-spheres", {"n": [1]}, executor="dask")
    with pytest.raises(ValueError, match=r"unknown option 'float23': did you mean float32\?"):
        dem.sweep("hard-spheres", {"n": [1]}, executor=pool, float23=True)


def test_jobs_and_threads_share_the_cores(monkeypatch):
    monkeypatch.setattr("dem.sweeps.sweep.cores", lambda: 8)
    assert shares(100, None, None) == (8, 1)
    assert shares(2, None, None) == (2, 4)
    assert shares(100, None, 3) == (2, 3)
    assert shares(100, 3, None) == (3, 2)
    with pytest.raises(ValueError, match="4 jobs of 3 threads want 12 cores, there are 8"):
        shares(100, 4, 3)


def test_drawn_at_random_are_the_same_each_time_and_each_once():
    values = {"speed": [str(k) for k in range(1000)], "n": [str(k) for k in range(1000)]}
    one, two, other = (combined(values, zipped=False, drawn=300, seed=seed, most=300) for seed in (1, 1, 2))
    assert one == two != other
    assert len({tuple(each.values()) for each in one}) == 300


@pytest.mark.slow
@pytest.mark.skipif(bool(jit.numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_two_processes_do_not_compile_the_same(tmp_path):
    """numba says of each kernel when it is put into the cache, which is empty at first."""
    command = [sys.executable, "-m", "dem", "sweep", "hard-spheres", *WORDS, "--jobs", "2", "-o", tmp_path / "gas"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DEBUG_CACHE": "1"}
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    saved = re.findall(r"data saved to .*/(\S+?)-\d+\.py", said)
    assert len(saved) >= 5
    assert len(saved) == len({*saved})


def test_a_second_sweep_in_the_folder_is_refused(cli, tmp_path, pool):
    """While the first one runs: each would write the table without what the other has computed."""
    said, values = [], {**GAS, "speed": 0.5}

    def meanwhile(work, member):
        again = cli("sweep", "hard-spheres", *WORDS, "-o", tmp_path / "gas")
        said.append((again.exit_code, again.stderr))
        return work(member)

    class Pool:
        def submit(self, work, member):
            return pool.submit(meanwhile, work, member)

    table = dem.sweep("hard-spheres", values, folder=tmp_path / "gas", executor=Pool())
    wanted = (
        f"dem: {tmp_path / 'gas'} is being written by another sweep: wait until it has ended, or take another folder"
    )
    assert said
    assert len(table) == 2
    assert all(code == 2 and answer.splitlines()[-1] == wanted for code, answer in said)
    assert [row["verdict"] for row in contents(tmp_path / "gas")] == ["PASS", "PASS"]
    assert cli("sweep", "hard-spheres", *WORDS, "-o", tmp_path / "gas").exit_code == 0
    assert [row["verdict"] for row in contents(tmp_path / "gas")] == 4 * ["PASS"]
