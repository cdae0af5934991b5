"""Code on pages of Markdown: the blocks of a page run in order in one folder, as for a reader."""

import re
import shlex
import sys
from pathlib import Path

from typer.testing import CliRunner

from dem.casefile.toml import tomllib
from dem.cli.application import app
from dem.files import exports
from dem.model.contact import law_registry
from dem.model.fluid import drag_registry
from dem.model.particles.fields import STATE
from dem.model.particles.particles import unregister_field
from dem.model.walls import wall_registry

ROOT = Path(__file__).parent.parent
PAGES = sorted(page for page in (ROOT / "docs").rglob("*.md") if "made" not in page.relative_to(ROOT).parts)
LANGUAGES = {"python", "toml", "console", "text", "bash", "json", "csv", ""}
# what installs, or needs machines that a test has not: shown, and not run
SHOWN = (
    "python3 -m venv",
    "pip install",
    ".venv/bin/",
    "mpiexec",
    "sbatch",
    "srun",
    "ssh",
    "python -m sphinx",
    "python docs/",
    "cd ",
    "git ",
)


def blocks(page):
    """Language and text of each block of code; what stands in directives of the site is none."""
    text = page.read_text()
    return [(lang, body) for lang, body in re.findall(r"^```([\w{}-]*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
            if not lang.startswith("{")]  # fmt: skip


def follow(page, *, commands):
    """Run the code of a page in the working folder; without `commands` what stands in consoles is passed over.

    Packages that the page writes and installs are known until its end.
    """
    path, modules = list(sys.path), set(sys.modules)
    registries = (
        law_registry.REGISTERED, drag_registry.REGISTERED, drag_registry.DRAGS, exports.FORMATS,
        wall_registry.REGISTERED,
    )  # fmt: skip
    known = [dict(registry) for registry in registries]
    sys.path.insert(0, str(Path.cwd()))  # as Python does for scripts: blocks import files that the page writes
    try:
        _follow(page, commands=commands)
    finally:
        sys.path[:] = path
        for registry, rows in zip(registries, known, strict=True):
            registry.clear()
            registry.update(rows)
        if "moisture" in STATE:
            unregister_field("moisture")
        for name in set(sys.modules) - modules:
            if str(getattr(sys.modules[name], "__file__", None)).startswith(str(Path.cwd())):
                del sys.modules[name]
        law_registry.installed.cache_clear()


def install(folder):
    """What ``pip install -e`` comes to of a package whose folder holds its modules."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    told = Path(f"{project['name']}-{project['version']}.dist-info")
    told.mkdir()
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    lines = (f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in each.items())
             for group, each in project["entry-points"].items())  # fmt: skip
    (told / "entry_points.txt").write_text("".join(lines))


def write(name, body):
    """A file of the page."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(body)


def _follow(page, *, commands):
    known = {"__name__": "page"}
    for number, (language, body) in enumerate(blocks(page)):
        assert language in LANGUAGES, f"{page}: a block of {language}"
        if language == "python" and (named := re.match(r"# (\S+\.py)\n", body)):
            write(named[1], body)
        elif language == "python":
            exec(compile(body, f"{page}, block {number}", "exec"), known)
        elif language == "toml":
            tomllib.loads(body)
            if named := re.match(r"# (\S+\.toml)\n", body):
                write(named[1], body)
        elif language == "console":
            for line in re.findall(r"^\$ (.*)$", body, re.MULTILINE):
                if line.startswith("dem "):
                    if commands:
                        command(line)
                elif line.startswith("pip install -e ") and Path(line.split()[-1], "pyproject.toml").exists():
                    install(Path(line.split()[-1]))
                else:
                    assert line.startswith(SHOWN), f"{page}: nobody knows whether this runs: {line}"


def command(line):
    """Run a command line of `dem`, which is to end well."""
    words = shlex.split(line.partition("#")[0])[1:]
    words += ["--no-open"] * (words[0] == "view" and "--no-open" not in words)
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0, f"{line}: {done.output}"
    return done.output
