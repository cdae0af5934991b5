"""The first hour: what `dem` says by itself, what it offers, completes and diagnoses, and where errors lead."""

import os
import re
import runpy
import subprocess
import sys
import threading
import types

import pages
import pytest
from typer.testing import CliRunner

import dem
from dem.base import shadows
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
    assert cli(*re.search(r"; dem (guide start)", said.output)[1].split()).output.startswith("# Start\n")


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
        pytest.param("dem guide wal", {"walls", "walls-and-meshes"}, marks=pytest.mark.slow),
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
    for page in {*common.PAGES.values(), *common.TOPICS.values(), "resume"}:
        assert cli("guide", page).output.startswith("# ")
    refused = cli("run", "nine-fibres", "--time-step", "0.01", "--duration", "0.02")
    assert refused.exit_code == 2
    assert refused.stderr.splitlines()[-1] == "dem: more: dem guide warnings"
    quick = cli("run", "flexible-fibre", "--time-step", "1e-3", "--force")
    assert quick.exit_code == 2
    assert quick.stderr.splitlines()[-1] == "dem: more: dem guide bonds"


def test_the_guide_has_every_page_that_somebody_wrote(cli, tmp_path):
    """By a name that no other has; also where only the packages are, without a clone."""
    written = [page for page in pages.PAGES if page.parent.name in {"docs", "guide", "reference"}]
    wanted = {page.stem: page for page in written}
    assert len(wanted) == len(written)
    wanted = {name: page for name, page in wanted.items() if name not in {"index", "contributing"}}
    listed = dict(line.split(None, 1) for line in cli("guide").output.splitlines())
    assert set(listed) == set(wanted)
    assert next(iter(listed)) == "start"
    for name, page in wanted.items():
        text = page.read_text()
        assert text.startswith(f"# {listed[name]}\n")
        assert cli("guide", name).output.strip() == text.strip()
    wrong = cli("guide", "warning")
    assert (wrong.exit_code, "did you mean warnings?" in wrong.stderr) == (2, True)


def test_the_guide_goes_with_the_packages(cli, tmp_path, monkeypatch):
    """What `setup.py` adds to a wheel, setuptools apart, is what the command reads there."""

    class Copying:
        build_lib, editable_mode = str(tmp_path), False

        def run(self):
            (tmp_path / "dem").mkdir()

    class Tools(types.ModuleType):
        def setup(self, cmdclass):
            cmdclass["build_py"]().run()

    for name in ("setuptools", "setuptools.command", "setuptools.command.build_py"):
        monkeypatch.setitem(sys.modules, name, Tools(name))
    sys.modules["setuptools.command.build_py"].build_py = Copying
    listed = cli("guide").output
    runpy.run_path(str(pages.ROOT / "setup.py"))
    monkeypatch.setattr(shadows, "HERE", tmp_path)
    assert (tmp_path / "dem" / "pages" / "guide" / "start.md").exists()
    assert cli("guide").output == listed
    monkeypatch.setattr(shadows, "HERE", tmp_path / "elsewhere")
    assert "install pcdm-dem again" in cli("guide").stderr


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
    monkeypatch.setattr(progress, "kind_of_bar", lambda: Bar)
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
def test_bars_name_what_they_are_at_and_what_is_compiled(watched, monkeypatch, tmp_path, capsys):
    """On a terminal kernels are told on the bar, elsewhere in lines as ever."""
    from dem.base import compilation  # noqa: PLC0415
    from dem.cli.bars import bar  # noqa: PLC0415

    remembered(monkeypatch, tmp_path, drawing_scene=60.0)
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


def remembered(monkeypatch, tmp_path, **seconds):
    """Have durations kept in a folder of the test, some of them known."""
    from dem.base import durations  # noqa: PLC0415

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name, each in seconds.items():
        durations.note(name.replace("_", " "), each)
    return durations


def test_what_is_done_again_is_told_its_time_from_the_last_time(monkeypatch, tmp_path):
    """One after the other 3 + 5 s, side by side 5 s; one never done before counts as those that are done."""
    durations = remembered(monkeypatch, tmp_path, drawing_a=3.0, drawing_b=5.0)
    monkeypatch.setattr(durations.time, "perf_counter", lambda: clock[0])
    clock = [100.0]
    things = {name: f"drawing {name}" for name in "ab"}
    took, beside = durations.Took(things), durations.Took(things, side_by_side=2)
    more = durations.Took({**things, "c": "drawing c"})
    assert (took.left(), beside.left(), more.left()) == (8.0, 5.0, None)
    clock[0] = 101.0
    assert (took.left(), beside.left()) == (7.0, 4.0)
    clock[0] = 104.0
    for each in (took, more):
        each.end("a")
    assert (took.left(), more.left()) == (5.0, 5.0 + 4.0)
    clock[0] = 200.0
    assert took.left() == 0.0
    assert durations.before("drawing a") == 4.0
    durations.place().write_text("broken")
    assert durations.before("drawing a") is None


@pytest.mark.parametrize("kind", ["terminal", "notebook", "pipe"])
def test_what_is_compiled_is_told_with_the_time_that_is_left(kind, monkeypatch, tmp_path, capsys):
    """Where somebody watches, and wiped away when it is done; elsewhere the line alone, and nothing is remembered."""
    from dem.base import compilation, countdown, progress  # noqa: PLC0415

    durations = remembered(monkeypatch, tmp_path)
    monkeypatch.setattr(compilation, "ANEW", False)
    durations.note(compilation._key("serve"), 40.0)
    below = []

    class Notebook:
        def show(self, done, pace, left):
            below.append((pace, left))

        def close(self):
            below.append("closed")

    monkeypatch.setattr(progress, "Notebook", Notebook)
    kinds = {"terminal": progress.Terminal, "notebook": Notebook, "pipe": None}
    monkeypatch.setattr(progress, "kind_of_bar", lambda: kinds[kind])
    monkeypatch.setattr(countdown, "TICK", 0.001)
    looked, words = threading.Event(), countdown.words
    monkeypatch.setattr(countdown, "words", lambda *given: (looked.set(), words(*given))[1])
    with compilation.announced():
        for name in ("search_serial", "serve"):
            compilation._told.begin(name)
            assert kind == "pipe" or looked.wait(timeout=60)
            compilation._told.end()
            looked.clear()
    err = capsys.readouterr().err
    behind = re.sub(r" \([^)]*(left|so far)\)\x1b\[K\x08+|\x1b\[K", "", err)
    assert re.fullmatch(rf"compiling kernels \({compilation.WHY}\): search_serial, serve, 0\.\d s\n", behind)
    assert ("(about 0:00:40 left)" in err) is (kind == "terminal")
    if kind == "notebook":  # one line for all
        assert [below[0][0], below.count("closed")] == ["compiling search_serial", 1]
        assert ("compiling serve", "about 0:00:40 left") in below
    else:
        assert below == []
    assert (durations.before(compilation._key("serve")) < 1.0) is (kind != "pipe")


def test_a_changing_rate_tells_about_how_long():
    """A way of which the second half takes four times as long a piece as the first."""
    from dem.base.progress import _Rate  # noqa: PLC0415

    rate = _Rate()
    for k in range(1, 5001):
        rate.note(k * 0.001, k * 0.0001)
    for k in range(1, 10_001):
        rate.note(5 + k * 0.001, 0.5 + k * 0.000025)
    assert rate.left(1.0, "about") == "about 0:00:10 left"  # a quarter of the way at 0.025 a second
    rate = _Rate()
    rate.note(1.0, 0.0)
    assert rate.left(1.0, "about") == ""
