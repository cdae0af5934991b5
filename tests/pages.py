"""Pages of Markdown, and the code on them: blocks run in order, in one folder, as for who follows the page."""

import re
import shlex
from pathlib import Path

from typer.testing import CliRunner

from dem.casefile.toml import tomllib
from dem.cli.common import app

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
    """Run the code of a page in the working folder; without `commands` what stands in consoles is passed over."""
    known = {"__name__": "page"}
    for number, (language, body) in enumerate(blocks(page)):
        assert language in LANGUAGES, f"{page}: a block of {language}"
        if language == "python":
            exec(compile(body, f"{page}, block {number}", "exec"), known)
        elif language == "toml":
            tomllib.loads(body)
            if named := re.match(r"# (\S+\.toml)\n", body):
                Path(named[1]).write_text(body)
        elif language == "console":
            for line in re.findall(r"^\$ (.*)$", body, re.MULTILINE):
                if line.startswith("dem "):
                    if commands:
                        command(line)
                else:
                    assert line.startswith(SHOWN), f"{page}: nobody knows whether this runs: {line}"


def command(line):
    """Run a command line of `dem`, which is to end well."""
    words = shlex.split(line.partition("#")[0])[1:]
    words += ["--no-open"] * (words[0] == "view" and "--no-open" not in words)
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0, f"{line}: {done.output}"
    return done.output
