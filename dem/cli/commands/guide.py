"""``dem guide``: show the pages of the documentation in the terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from dem.base import checks
from dem.cli.application import app, plain_errors, say

HERE = Path(__file__).resolve().parents[3]  # packages and pages lie in it
INSTALLED, CLONE = Path("dem/pages"), Path("docs")  # beside the packages; `setup.py` copies one to the other
ROOMS = ("guide", ".", "reference")


def pages() -> dict[str, Path]:
    """Each page by its name, the start first; raises FileNotFoundError where they were not installed."""
    root = HERE
    place = next((root / each for each in (INSTALLED, CLONE) if (root / each / "guide" / "start.md").exists()), None)
    if place is None:
        message = f"the pages are neither in {root / INSTALLED} nor in {root / CLONE}: install pcdm-dem again"
        raise FileNotFoundError(message)
    found = {path.stem: path for room in ROOMS for path in sorted((place / room).glob("*.md"))}
    for other in ("index", "contributing"):  # frames of the site
        found.pop(other, None)
    return {"start": found.pop("start"), **found}


def pages_beginning_with(incomplete: str) -> list[str]:
    """Names of pages with this prefix, for shell completion."""
    return [name for name in pages() if name.startswith(incomplete)]


@app.command()
@plain_errors
def guide(
    page: Annotated[
        str | None,
        typer.Argument(
            metavar="[PAGE]", autocompletion=pages_beginning_with, help="A page of the list that `dem guide` prints."
        ),
    ] = None,
) -> None:
    """Read a page of the guide, or list them: start, case-files, contacts, walls-and-meshes, ...

    A terminal shows the page formatted; otherwise it is printed as Markdown. Pictures, equations and all public names
    are on the site, which is built from the repository.
    """
    known = pages()
    if page is None:
        width = max(len(name) for name in known)
        say("\n".join(f"{name:{width}}  {_title(path)}" for name, path in known.items()))
        return
    text = known[checks.one_of("page", page, list(known))].read_text(encoding="utf-8")
    if not sys.stdout.isatty():
        say(text.rstrip())
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.markdown import Markdown  # noqa: PLC0415

    Console().print(Markdown(text))


def _title(path: Path) -> str:
    with path.open(encoding="utf-8") as text:
        return text.readline().removeprefix("# ").strip()
