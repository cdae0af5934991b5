"""The first hour: what `dem` says by itself, what it offers, completes and diagnoses, and where errors lead."""

import os
import subprocess
import sys

import pages
import pytest
from typer.testing import CliRunner

import dem
from dem.cli import common
from dem.cli.common import app


@pytest.fixture
def cli(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, words, catch_exceptions=False)


def test_alone_it_says_what_to_do_first(cli):
    said = cli()
    assert said.exit_code == 0
    for line in said.output.splitlines():
        if line.startswith("  dem "):  # what it names is there
            words = line.split()[1:]
            assert words[0] in common.COMMANDS
            assert words[0] != "run" or words[1] in dem.cases()
    assert (pages.ROOT / "docs/guide/start.md").exists()


@pytest.mark.slow
def test_init_offers_every_case(cli, tmp_path):
    said = cli("init")
    assert said.exit_code == 0
    assert all(f"dem init {name} " in said.output for name in dem.cases())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "found"),
    [
        pytest.param("dem valid", {"validate"}, marks=pytest.mark.slow),
        ("dem run nine", {"nine-fibres"}),
        ("dem run he", {"heap", "heap.toml"}),
        pytest.param("dem init rotating", {"rotating-drum"}, marks=pytest.mark.slow),
        pytest.param("dem validate seelen", {"seelen-fig1", "seelen-fig5"}, marks=pytest.mark.slow),
    ],
)
@pytest.mark.few(1)
def test_the_shell_completes(tmp_path, words, found):
    (tmp_path / "heap.toml").touch()
    told = {"_DEM_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    code = "import sys; sys.argv = ['dem']; from dem.cli import main; main()"
    environment = {**os.environ, **told, "PYTHONPATH": str(pages.ROOT)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert set(done.stdout.split()) == found


def test_the_doctor_tells_what_an_issue_needs_and_what_is_wrong(cli):
    """Kernels are not compiled here, and that is what is wrong."""
    said = cli("doctor")
    assert said.exit_code == 1
    for name in ("pcdm-dem", "python", "needs", "processor", "memory", "settings", "extra plot", "MPI", "browser"):
        assert f"\n{name} " in f"\n{said.output}"
    assert "wrong: NUMBA_DISABLE_JIT is set" in said.output


def test_errors_lead_to_pages_that_are_there(cli, tmp_path):
    known = {*common.PAGES.values(), *common.TOPICS.values(), "guide/resume.md"}
    assert all((pages.ROOT / "docs" / page).exists() for page in known)
    refused = cli("run", "nine-fibres", "--time-step", "0.01", "--duration", "0.02")
    assert refused.exit_code == 2
    assert refused.stderr.splitlines()[-1] == "dem: docs/guide/warnings.md says more"
    quick = cli("run", "flexible-fibre", "--time-step", "1e-3", "--force")
    assert quick.exit_code == 2
    assert quick.stderr.splitlines()[-1] == "dem: docs/bonds.md says more"


def test_exports_that_take_long_show_how_far_they_are(monkeypatch):
    """Each walk through the frames by itself; a bar goes away when an export breaks."""
    from dem.base import progress  # noqa: PLC0415
    from dem.files.watched import Frames  # noqa: PLC0415

    told = []

    class Bar:
        def show(self, done, pace, left):
            told.append((done, pace, left))

        def close(self):
            told.append("closed")

    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_kind_of_bar", lambda: Bar)
    frames = Frames(range(2, 10, 2))
    assert list(frames) == [2, 4, 6, 8]
    assert [each[:2] for each in told[:-1]] == [
        (0.25, "1 frame"), (0.5, "2 frames"), (0.75, "3 frames"), (1.0, "4 frames"),
    ]  # fmt: skip
    assert told.pop() == "closed"
    told.clear()
    for number in frames:
        if number == 6:
            break
    frames.close()
    assert [len(told), told[-1]] == [3, "closed"]
    assert (len(frames), frames[0], frames[:1]) == (4, 2, range(2, 4, 2))


@pytest.mark.parametrize("watched", [True, False])
def test_bars_name_what_they_are_at_and_what_is_compiled(watched, monkeypatch, capsys):
    """On a terminal kernels are told on the bar, elsewhere in lines as ever."""
    from dem.base import compilation  # noqa: PLC0415
    from dem.cli.bars import bar  # noqa: PLC0415

    monkeypatch.setattr(sys.stderr, "isatty", lambda: watched, raising=False)
    with bar() as shown:
        seen = []
        for name, thing in shown.each("drawing", {"energy": 1, "scene": 2}):
            compilation._told.begin("serve")
            seen += [(name, thing)] + [(task.description, task.fields["compiled"]) for task in shown.tasks]
            compilation._told.end()
        shown.say("scene.png")
    told = [task.fields["compiled"] for task in shown.tasks]
    compiled = "compiling serve" if watched else ""
    assert seen == [("energy", 1), ("drawing energy", compiled), ("scene", 2), ("drawing scene", compiled)]
    assert told == [""]
    out, err = capsys.readouterr()
    assert out == "scene.png\n"
    assert ("compiling kernels" in err) is not watched
