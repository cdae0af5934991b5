"""``dem view``: show a run in a browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from dem.cli.application import app, bar, plain_errors, say
from dem.viewer.live import accompany, follow
from dem.viewer.view import MEGABYTES, view


@app.command("view")
@plain_errors
def view_file(
    file: Annotated[Path, typer.Argument(help="A trajectory.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Page to write; default: next to FILE, with its name.")
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Open no browser.")] = False,
    live: Annotated[bool, typer.Option("--live", help="Follow a run that is being computed, until Ctrl-C.")] = False,
    since: Annotated[
        float | None, typer.Option(hidden=True, help="Wait for a file that is newer, and end when stdin does.")
    ] = None,
    megabytes: Annotated[
        float, typer.Option(help="Largest size of the page [MB]; frames are left out to keep to it.")
    ] = MEGABYTES,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the page.")] = False,
) -> None:
    """Show a trajectory in the browser: particles, walls, bonds, time, colours and energies in one HTML file.

    The file needs no other file and no network. With --live, a page at 127.0.0.1, which only this machine can open,
    follows a run that is being computed.
    """
    if live:
        if output or overwrite:
            message = "--live serves a page and writes none: leave out --output and --overwrite"
            raise ValueError(message)
        if since is None:
            follow(file, show=not no_open)
        else:
            accompany(file, since, show=not no_open)
        return
    path = output or file.parent / f"{file.stem}.html"
    with bar() as shown:
        made = view(
            file, path, megabytes=megabytes, overwrite=overwrite,
            track=lambda parts: shown.track(parts, description="viewing"),
        )  # fmt: skip
    say(f"{path}: {made.shown}")
    if not (no_open or webbrowser.open(path.resolve().as_uri())):
        say(f"there is no browser here: open {path} in one")
