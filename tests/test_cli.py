"""The command line as a user meets it: output, exit status, and no traceback."""

import math
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import typer
from dem.kernels.compiler import jit
from typer.testing import CliRunner

import dem
from dem.base import interrupts
from dem.case import with_parameters
from dem.cli.application import COMMANDS, app, plain_errors

ROOT = Path(__file__).parent.parent
QUICK = ["--duration", "0.001", "--time-step", "1e-5", "--frames", "2"]


@pytest.fixture
def cli(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, list(words), catch_exceptions=False)


def test_run_prints_a_verdict_and_writes_a_file(cli, tmp_path):
    result = cli("run", "nine-fibres", *QUICK)
    assert result.exit_code == 0
    assert "nine-fibres.h5: 9 particles, 100 steps" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("PASS: 100 steps to t = 0.001 s, largest energy error")
    with dem.Trajectory(tmp_path / "nine-fibres.h5") as run:
        assert len(run) == 3


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.few(5)
def test_help_says_what_commands_say_of_themselves(cli, name):
    """It does so without importing them."""
    said = " ".join(cli(name, "--help").stdout.split())
    assert COMMANDS[name][1] in said
    assert COMMANDS[name][1].rstrip(".") in " ".join(cli("--help").stdout.split())


def test_a_misspelt_command(cli):
    result = cli("rum")
    assert result.exit_code == 2
    assert "Did you mean 'run'?" in result.stderr


def test_quiet_prints_nothing(cli):
    result = cli("run", "single-fibre", *QUICK, "--quiet")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


def test_a_free_name_is_chosen(cli, tmp_path):
    for _ in range(3):
        assert cli("run", "single-fibre", *QUICK, "--quiet").exit_code == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["single-fibre-2.h5", "single-fibre-3.h5", "single-fibre.h5"]


def test_a_free_name_that_another_run_takes_while_this_one_compiles(cli, tmp_path, monkeypatch):
    taken, plain_run = tmp_path / "single-fibre.h5", dem.Simulation.run
    monkeypatch.setattr(dem.Simulation, "run", lambda *words, **more: taken.touch() or plain_run(*words, **more))
    result = cli("run", "single-fibre", *QUICK)
    assert (result.exit_code, taken.stat().st_size) == (0, 0)
    assert result.stdout.startswith("single-fibre-2.h5: ")
    taken = tmp_path / "b.h5"
    assert cli("run", "single-fibre", *QUICK, "-o", "b.h5").stderr.startswith("dem: output b.h5 exists already")


def test_parameters_reach_the_case(cli, tmp_path):
    result = cli("run", "nine-fibres", *QUICK, "-o", "a.h5", "--set", "velocity=0,-2,0.5", "--set", "young=1e8",
                 "--integrator", "splitting")  # fmt: skip
    assert result.exit_code == 0
    with dem.Trajectory(tmp_path / "a.h5") as run:
        assert run.velocity[0, 4].tolist() == [0, -2, 0.5]
        assert run.input["integrator"] == "splitting"
        assert run.input["kinds"][0]["material"]["young"] == 1e8


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["run", "nine-fibers"], ["dem: unknown case 'nine-fibers': did you mean nine-fibres? known are"]),
        (["run", "nine-fibres", "--integrator", "pcmd"], ["dem: unknown integrator 'pcmd': did you mean pcdm?"]),
        (["run", "nine-fibres", "--time-step", "0"], ["dem: time_step is 0.0: input should be greater than 0"]),
        (["run", "nine-fibres", "--duration", "nan"], ["dem: duration is nan: input should be a finite number"]),
        (["run", "nine-fibres", "--duration", "1e-9"], ["dem: duration 1e-09 s is shorter than one time step"]),
        (["run", "nine-fibres", "--set", "diameter"], ["dem: --set diameter: expected NAME=VALUE"]),
        (
            ["run", "nine-fibres", "--set", "diametre=1", "--set", "poisson=0.7", "--frames", "0"],
            [
                "dem: frames is 0: input should be greater than 0",
                "dem: poisson is '0.7': input should be less than or equal to 0.5",
                "dem: unknown parameter of nine-fibres 'diametre': did you mean diameter?",
            ],
        ),
        (["run", "single-fibre", "--set", "diameter=0.5"], ["dem: particle 0 overlaps a wall by"]),
        (["run", "many-fibres", "--set", "spacing=1.5"], ["dem: lattice pitch 0.015 m is too narrow"]),
        (
            ["run", "single-fibre", "-o", "no/such/folder.h5"],
            ["dem: output no/such/folder.h5 cannot be written: there is no"],
        ),
        (["run", "single-fibre", "-o", "."], ["dem: output . cannot be written: it is a folder"]),
        (
            ["run", "single-fibre", "-o", "/dev/null", "--overwrite"],
            ["dem: output /dev/null cannot be written: it"],
        ),
        (["run", "many-spheres", "--set", "n=10000000000000"], ["dem: there is not enough memory"]),
        (
            ["run", "single-fibre", "--set", "spheres=1000000000000"],
            ["dem: a fibre of 1000000000000 spheres, expected 4000 at most"],
        ),
        (["run", "single-fibre", "--set", "aspect_ratio=1e300"], ["dem: aspect_ratio is 1e+300, expected"]),
        (
            ["run", "single-fibre", "--duration", "1e40", "--time-step", "1e-40"],
            ["dem: duration 1e+40 s is too"],
        ),
        (["info", "nothing.h5"], ["dem: no file nothing.h5"]),
        (["info", "."], ["dem: . is a folder"]),
        (["view", "."], ["dem: . is a folder"]),
        (["cases", "nine"], ["dem: unknown case 'nine'"]),
    ],
)
def test_bad_input_gets_a_line_each_and_status_2(cli, words, lines, tmp_path):
    result = cli(*words)
    assert result.exit_code == 2
    said = [line for line in result.stderr.splitlines() if not line.startswith("compiling kernels (")]  # by the first
    assert len(said) == len(lines)
    for line, start in zip(said, lines, strict=True):
        assert line.startswith(start)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("run ok.tom", "ok.tom is neither a case (see dem cases) nor a case file: did you mean ok.toml?"),
        ("check ok", "ok is neither a case (see dem cases) nor a case file: did you mean ok.toml?"),
        ("run ./ok.toml2", "./ok.toml2 is neither a case (see dem cases) nor a case file: did you mean ok.toml?"),
        ("run my.py", "my.py is neither a case (see dem cases) nor a case file: run it as a script, python my.py, or"),
        ("run gas.json", "gas.json is neither a case (see dem cases) nor a case file: the name of a case file ends in"),
        ("run run.h5", "run.h5 looks like a trajectory, expected a case or a case file: --resume run.h5 continues it"),
    ],
)
def test_what_looks_like_a_file_is_not_looked_for_among_cases(cli, words, said, tmp_path):
    (tmp_path / "ok.toml").touch()
    result = cli(*words.split())
    assert result.exit_code == 2
    assert result.stderr.startswith(f"dem: {said}")
    assert len(result.stderr.splitlines()) == 1


def test_parameters_speak_of_what_a_case_has(cli):
    for case, foreign in (("many-spheres", "fibre"), ("hard-spheres", "fibre"), ("granular-cooling", "fibre")):
        said = cli("cases", case).stdout
        assert "diameter" in said
        assert foreign not in said


INTERRUPTED = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
sys.argv = ["dem", "cases"]
from dem.cli import main
main()
"""


@pytest.mark.parametrize("module", ["typer", "dem.cli.commands.lists", "dem.cases.nine_fibres"])
@pytest.mark.few(2)
def test_ctrl_c_at_any_import_is_one_line(module):
    """The application's, a command's, those while it runs."""
    script = INTERRUPTED.format(module=module)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


WHILE_COMPILING = """
import os, signal, sys
from numba.core.codegen import JITCodeLibrary

def hook(*_):
    os.kill(os.getpid(), signal.SIGINT)

JITCodeLibrary._object_compiled_hook = hook
sys.argv = ["dem", "run", "single-fibre"]
from dem.cli import main
main()
"""


@pytest.mark.skipif(bool(jit.numba.config.DISABLE_JIT), reason="nothing is compiled")
@pytest.mark.slow
def test_ctrl_c_is_not_lost_in_the_compiler(tmp_path):
    """It comes while the compiler calls back, where exceptions end."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-c", WHILE_COMPILING]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert (done.returncode, done.stdout) == (130, "")
    assert re.fullmatch(r"(compiling kernels \(.*\): \w+)?\ninterrupted\n", done.stderr)


@pytest.mark.parametrize("words", [["run"], ["run", "nine-fibres", "--bogus"], ["fly"]])
def test_usage_errors_are_status_2(cli, words):
    assert cli(*words).exit_code == 2


def test_an_existing_output_is_left_alone(cli, tmp_path):
    (tmp_path / "mine.h5").write_text("precious")
    result = cli("run", "single-fibre", *QUICK, "-o", "mine.h5")
    assert result.exit_code == 2
    assert "mine.h5 exists already: choose another name, or --overwrite" in result.stderr
    assert (tmp_path / "mine.h5").read_text() == "precious"
    refused = cli("run", "single-fibre", *QUICK, "-o", "mine.h5", "--overwrite")
    assert (refused.exit_code, refused.stderr) == (
        2, "dem: output mine.h5 is no HDF5 file: remove it by hand, or choose another name\n"
    )  # fmt: skip
    (tmp_path / "mine.h5").unlink()
    for _ in range(2):
        assert cli("run", "single-fibre", *QUICK, "-o", "mine.h5", "--overwrite").exit_code == 0


@pytest.mark.parametrize(
    "words",
    [
        "run nine-fibres", "run symmetric-top", "init nine-fibres", "bench nine_fibres --json a.json",
        "validate sphere", "validate sphere -o new/folder", "plot run.h5", "plot run.h5 -o new",
        "plot run.h5 --movie a.gif", "export run.h5 --to csv", "replay run.h5 --plot a.png",
    ],
)  # fmt: skip
@pytest.mark.few(1)
def test_a_folder_that_nobody_may_write_to(cli, words, tmp_path, monkeypatch):
    cli("run", "single-fibre", *QUICK, "-o", "run.h5")
    monkeypatch.setattr("os.access", lambda _, mode: mode != os.W_OK)  # the superuser may do everything
    refused = cli(*words.split())
    assert (refused.exit_code, len(refused.stderr.splitlines())) == (2, 1)
    assert "no permission to write to the folder" in refused.stderr
    assert refused.stderr.endswith(": choose another\n")
    assert "may not be written to: copy it to where" in cli("repair", "run.h5").stderr
    assert [path.name for path in tmp_path.iterdir()] == ["run.h5"]


def test_a_read_only_file_is_not_overwritten(cli, tmp_path, monkeypatch):
    """Its folder would allow that."""
    cli("run", "single-fibre", *QUICK, "-o", "run.h5")
    before = (tmp_path / "run.h5").read_bytes()
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != "run.h5" or mode != os.W_OK)
    refused = cli("run", "single-fibre", *QUICK, "-o", "run.h5", "--overwrite")
    assert (refused.exit_code, refused.stderr) == (2, "dem: output run.h5 cannot be written: it is read-only\n")
    assert (tmp_path / "run.h5").read_bytes() == before


def test_what_the_system_says_comes_without_its_numbers(capsys):
    with pytest.raises(typer.Exit, match="2"):
        plain_errors(lambda: Path("/no/such/file").read_bytes())()
    assert capsys.readouterr().err == "dem: /no/such/file: no such file or directory\n"


@pytest.mark.parametrize("words", ["run symmetric-top", "init nine-fibres", "plot run.h5 -o a --picture energy"])
@pytest.mark.few(1)
def test_what_cannot_be_completed_leaves_nothing(cli, words, tmp_path, monkeypatch):
    """Of files that are written at once, nor of folders made for them."""
    cli("run", "single-fibre", *QUICK, "-o", "run.h5")

    def stopped(self, target):
        assert self.exists()
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", stopped)
    assert cli(*words.split()).exit_code == 130
    assert [path.name for path in tmp_path.iterdir()] == ["run.h5"]


def test_one_step_is_not_plural(cli):
    result = cli("run", "single-fibre", "--duration", "1e-5", "--time-step", "1e-5", "--frames", "1", "-o", "run.h5")
    assert "run.h5: 1 particle, 1 step in " in result.stdout
    assert "PASS: 1 step to t = 1e-05 s" in result.stdout
    assert "run.h5: all bytes of 2 frames are the same" in cli("rerun", "run.h5").stdout
    checked = cli("check", "single-fibre", "--set", "duration=1e-5", "--set", "time_step=1e-5").stdout
    assert re.search(r"duration +1e-05 s = 1 step\s", checked)
    assert re.search(r"mass +0.00215984 kg\s", checked)


def test_a_run_that_breaks_is_status_1(cli):
    result = cli("run", "nine-fibres", "--time-step", "0.01", "--duration", "2", "-o", "broken.h5", "--force")
    assert result.exit_code == 1
    assert "lower time_step" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["single-fibre", "--set", "gravity=1e40,0,0"], "could pass through others unseen"),
        (["nine-fibres", "--set", "velocity=1e200,0,0"], "faster than can be followed"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow encountered in scalar multiply")  # in plain Python
def test_a_run_that_cannot_be_followed_ends(cli, words, said):
    result = cli("run", *words, "--force")
    assert result.exit_code == 1
    assert said in result.stderr


def test_more_frames_than_steps_are_all_steps(cli, tmp_path):
    assert cli("run", "single-fibre", *QUICK[:4], "--frames", "1000000000000", "-o", "a.h5").exit_code == 0
    with dem.Trajectory(tmp_path / "a.h5") as run:
        assert len(run) == 101


def test_a_verdict_of_fail_is_status_1_even_when_quiet(cli):
    words = ["run", "single-fibre", "--time-step", "5e-5", "--force", "--duration", "0.4", "--quiet"]
    result = cli(*words)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1].startswith("FAIL: ")


def test_lists(cli):
    assert "nine-fibres" in cli("cases").stdout
    assert "solid_fraction" not in cli("cases", "nine-fibres").stdout
    assert "simulated time [s]" in cli("cases", "nine-fibres").stdout
    told = dict(line.split()[:2] for line in cli("cases", "nine-fibres").stdout.splitlines())
    assert [told[name] for name in ("young", "gravity", "velocity")] == ["50000000", "0,-9.81,0", "1,-1,0"]
    assert re.search(r"improved-pcdm +2 +1 ", cli("integrators").stdout)


def test_a_parameter_without_a_description_is_listed(cli, monkeypatch):
    class Fall(dem.Case):
        name = "fall"
        duration: float = 0.25

    monkeypatch.setattr("dem.cli.commands.lists.case", lambda name: Fall)
    assert re.search(r"^duration +0.25", cli("cases", "fall").stdout, re.M)


@pytest.mark.slow
def test_every_parameter_that_tells_its_unit_takes_it():
    """Degrees are degrees: nothing is 57 times what was meant."""
    for case in dem.cases().values():
        for name, field in case.model_fields.items():
            unit = re.search(r"\[(.+?)\]", field.description)
            if unit and isinstance(field.default, float):
                given = with_parameters(case, {name: f"{field.default!r} {unit[1]}"})
                assert getattr(given, name) == pytest.approx(field.default, rel=1e-15)
    tilted = with_parameters(dem.cases()["single-fibre"], {"angle": "0.5 rad"})
    assert tilted.angle == pytest.approx(math.degrees(0.5), rel=1e-15)


def test_info_shows_the_run(cli):
    cli("run", "nine-fibres", *QUICK)
    shown = cli("info", "nine-fibres.h5").stdout
    assert "improved-pcdm" in shown
    assert "0 to 0.001 s, step 100" in shown
    assert "PASS" in shown


def test_info_imports_no_compiler_no_figures_and_no_class_that_the_file_does_not_have(cli, tmp_path):
    cli("run", "nine-fibres", *QUICK)
    other = "{'numba', 'matplotlib', 'pandas', 'scipy', 'rich', 'dem.statistics', 'dem.model.fluid', "
    found = other + "'dem.model.insertion', 'dem.model.walls.primitives'} & set(sys.modules)"
    script = f"import sys, atexit; atexit.register(lambda: print({found})); sys.argv[1:] = ['info', 'nine-fibres.h5']"
    script += "; from dem.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "set()"


def test_version(cli):
    assert re.fullmatch(r"pcdm-dem \d+\.\d+\.\d+\n", cli("--version").stdout)


def test_an_interrupt_that_python_loses_comes_again():
    """An exception in a destructor, or in the callback of a weak reference, is not passed on by Python."""

    class Going:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    def work():
        Going()
        threading.Event().wait(60)

    with pytest.raises(interrupts.Stopped), interrupts.as_exceptions():
        work()


def test_the_version_is_that_of_the_distribution():
    assert CliRunner().invoke(app, ["--version"]).stdout.split()[-1] == dem.__version__
