"""``dem export``: write files for other programs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from dem.cli.application import app, plain_errors, say
from dem.files.exports import FORMATS, export, formats


@app.command("export")
@plain_errors
def export_file(
    file: Annotated[Path, typer.Argument(help="A trajectory.")],
    to: Annotated[
        str | None, typer.Option(help=f"Format: {', '.join(FORMATS)}; default: from the ending of -o.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write; default: next to FILE, with its name.")
    ] = None,
    fields: Annotated[str | None, typer.Option(help="Fields, such as position,velocity; default: all.")] = None,
    frames: Annotated[str, typer.Option(metavar="A:B:C", help="Every C-th frame from A to before B; or only A.")] = ":",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output file.")] = False,
) -> None:
    """Write a trajectory as a file for other programs: csv for tables, gsd for OVITO, spheres.vtkhdf for ParaView.

    In spheres.vtkhdf particles of all shapes are spheres: clumps and fibres their own, capsules and convex bodies those
    that fill them. Surfaces of convex bodies are in gsd and surfaces.vtkhdf, walls and contacts in walls.vtkhdf and
    contacts.vtkhdf.
    """
    names = None if fields is None else [name.strip() for name in fields.split(",")]
    to = _format_by_ending(output) if to is None else to
    path = export(file, to, output, fields=names, frames=_slice(frames), overwrite=overwrite)
    say(f"{path}: {path.stat().st_size} bytes")


def _format_by_ending(output: Path | None) -> str:
    """Format by the ending of a file name; the longest ending that matches."""
    name = output.name.lower() if output else ""
    alike = {
        to: max((len(end) for end in each.endings if name.endswith(end)), default=0) for to, each in formats().items()
    }
    found = max(alike, key=alike.get)
    if not alike[found]:
        message = f"give --to {', '.join(formats())}, or the name of such a file with -o"
        raise ValueError(message)
    return found


def _slice(frames: str) -> slice | int:
    """Frames as Python slices them."""
    if not re.fullmatch(r"-?\d+|(-?\d+)?:(-?\d+)?(:([1-9]\d*)?)?", frames):
        message = f"--frames {frames}: expected a number, or A:B:C: from A to before B, every C-th"
        raise ValueError(message)
    parts = [int(part) if part else None for part in frames.split(":")]
    return parts[0] if len(parts) == 1 else slice(*parts)
