"""First use of `dem`: its output without arguments, suggestions, completion, diagnosis, and errors."""

import os
import re
import runpy
import subprocess
import sys
import types
import webbrowser

import pages
import pytest
from typer.testing import CliRunner

import dem
from dem.cli import application
from dem.cli.application import app
from dem.cli.commands import doctor


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
            assert words[0] in application.COMMANDS
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
        ("dem run heap", {"heap", "heap.toml"}),
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


def test_the_doctor_finds_a_browser_that_has_no_display(monkeypatch, tmp_path):
    """Python opens none of its own accord without a display, though one is installed."""

    def none():
        raise webbrowser.Error

    monkeypatch.setattr(webbrowser, "get", none)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert doctor._browser().startswith("none: ")
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert doctor._browser() == f"{program}, but no display to open it on: dem view --no-open writes pages"


def test_errors_lead_to_pages_that_are_there(cli, tmp_path):
    for page in {*application.PAGES.values(), *application.TOPICS.values(), "resume"}:
        assert cli("guide", page).output.startswith("# ")
    refused = cli("run", "nine-fibres", "--time-step", "0.01", "--duration", "0.02")
    assert refused.exit_code == 2
    assert refused.stderr.splitlines()[-1] == "dem: more: dem guide warnings"
    quick = cli("run", "flexible-fibre", "--time-step", "1e-3", "--force")
    assert quick.exit_code == 2
    assert quick.stderr.splitlines()[-1] == "dem: more: dem guide bonds"
    (tmp_path / "my case.toml").write_text("duration = 1\ntime_step 1\n")
    assert cli("check", "my case.toml").stderr.splitlines()[-1] == "dem: more: dem guide case-files"


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
        build_lib, editable_mode = str(tmp_path / "lib"), False

        def run(self):
            (tmp_path / "lib" / "dem").mkdir(parents=True)

    class Tools(types.ModuleType):
        def setup(self, cmdclass):
            cmdclass["build_py"]().run()

    for name in ("setuptools", "setuptools.command", "setuptools.command.build_py"):
        monkeypatch.setitem(sys.modules, name, Tools(name))
    sys.modules["setuptools.command.build_py"].build_py = Copying
    listed = cli("guide").output
    runpy.run_path(str(pages.ROOT / "setup.py"))
    monkeypatch.setattr("dem.cli.commands.guide.HERE", tmp_path / "lib")
    assert (tmp_path / "lib" / "dem" / "pages" / "guide" / "start.md").exists()
    assert cli("guide").output == listed
    monkeypatch.setattr("dem.cli.commands.guide.HERE", tmp_path / "elsewhere")
    assert "install pcdm-dem again" in cli("guide").stderr
