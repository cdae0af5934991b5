"""``dem guide``: show the pages of the documentation in the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from dem.base import checks
from dem.cli.application import app, plain_errors, say
from dem.cli.completion import guide_pages
from dem.cli.guide_pages import pages

if TYPE_CHECKING:
    from pathlib import Path


@app.command()
@plain_errors
def guide(
    page: Annotated[
        str | None, typer.Argument(metavar="[PAGE]", autocompletion=guide_pages, help="One of those that are listed.")
    ] = None,
) -> None:
    """Read a page of the guide, or list them: start, case-files, contacts, walls-and-meshes, ...

    On a terminal it is set, elsewhere Markdown as it was written. Pictures, equations and the interface are on the
    site, which is built from the repository.
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
