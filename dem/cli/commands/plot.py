"""``dem plot``: draw pictures and movies of a run."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from dem import plots
from dem.base import checks
from dem.base.replace import folder_for, replace_when_done
from dem.base.text import counted
from dem.cli.application import app, bar, plain_errors, say
from dem.files.reading.trajectory import Trajectory
from dem.plots.bodies import slender
from dem.plots.figure import check_pixels
from dem.plots.movie import check_movie
from dem.plots.scene import COLOURS, OPACITY, colours_of, frame_number

FORMATS = ("png", "pdf", "svg")


@app.command()
@plain_errors
def plot(
    file: Annotated[Path, typer.Argument(help="A trajectory.")],
    pictures: Annotated[
        list[str] | None, typer.Option("--picture", help=f"{', '.join(plots.PICTURES)}; repeatable; default: all.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("-o", "--output", help="Folder to write to; default: that of the trajectory.")
    ] = None,
    frame: Annotated[int | None, typer.Option(help="Frame in the scene; -1, the default, is the last one.")] = None,
    time: Annotated[float | None, typer.Option(help="Show the frame nearest to this time instead [s].")] = None,
    colour: Annotated[
        str, typer.Option(help=f"What colours show in the scene: {', '.join(COLOURS)}, or a scalar field of the file.")
    ] = "speed",
    exposures: Annotated[int, typer.Option(help="Number of frames up to this one that one scene shows.")] = 1,
    size: Annotated[
        tuple[int, int] | None,
        typer.Option(
            metavar="WIDTH HEIGHT",
            help="Size of scene and movie [pixels]; default: 1200 900 for the scene, 800 600 for the movie.",
        ),
    ] = None,
    walls: Annotated[float, typer.Option(help="Opacity of walls in scene and movie, 0 (only lines) to 1.")] = OPACITY,
    dpi: Annotated[int, typer.Option(help="Pixels per inch of all pictures but the scene.")] = 150,
    ending: Annotated[str, typer.Option("--format", help=f"Format: {', '.join(FORMATS)}.")] = "png",
    movie: Annotated[Path | None, typer.Option(help="Write a movie of the scene: .gif, or .mp4 with ffmpeg.")] = None,
    seconds: Annotated[float, typer.Option(help="Length of the movie [s].")] = 5.0,
    fps: Annotated[float, typer.Option(help="Pictures per second of the movie [1/s].")] = 20.0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace pictures and movie.")] = False,
) -> None:
    """Draw a trajectory: energy, paths, height, orientation, the scene, or all on one page; or make a movie."""
    for name in pictures or ():
        checks.one_of("picture", name, plots.PICTURES)
    checks.one_of("format", ending, FORMATS)
    checks.whole("dpi", dpi, least=10)
    checks.whole("exposures", exposures, least=1)
    for number in size or ():
        checks.whole("size", number, least=10)
    folder = folder or file.parent
    with Trajectory(file) as run:
        checks.one_of("colour", colour, colours_of(run))
        options = {"frame": _frame(run, frame, time), "colour": colour, "exposures": exposures}
        names = pictures if pictures or movie else [name for name in plots.PICTURES if _has_content(name, run)]
        paths = {name: folder / f"{file.stem}-{name}.{ending}" for name in names or ()}
        if paths:
            checks.folder(folder)
            _check_free(list(paths.values()), overwrite=overwrite)
        look = {"walls": checks.number("walls", walls, least=0, most=1)} | ({"size": size} if size else {})
        if movie:
            check_movie(movie, seconds, fps, overwrite=overwrite)
        with folder_for(folder) if paths else nullcontext(), bar() as shown:
            for name, path in shown.each("drawing", paths, how=str(file.stat().st_size)):
                given = options | look if name == "scene" else options if name == "overview" else {}
                figure = plots.PICTURES[name](run, **given)
                # the overview has pixels in every format, those of its scene
                if (ending == "png" and name != "scene") or name == "overview":
                    check_pixels(figure, dpi)
                with replace_when_done(path) as partial:
                    figure.savefig(partial, dpi="figure" if name == "scene" else dpi)
                shown.say(str(path))
        if movie:
            _write_movie(run, movie, seconds, fps, {"colour": colour, **look})


def _write_movie(run: Trajectory, path: Path, seconds: float, fps: float, options: dict) -> None:
    with bar() as shown:
        count = plots.movie(
            run, path, seconds=seconds, fps=fps, overwrite=True, **options,
            track=lambda frames: shown.track(frames, description="filming"),
        )  # fmt: skip
    say(f"{path}: {counted(count, 'picture')}")


def _frame(run: Trajectory, frame: int | None, time: float | None) -> int:
    """The frame with a given number or time."""
    if not len(run):
        message = f"{run.path} has no frames: there is nothing to draw"
        raise ValueError(message)
    if time is None:
        return frame_number(run, -1 if frame is None else frame)
    if frame is not None:
        message = "--frame and --time both say which frame: leave one of them out"
        raise ValueError(message)
    first, last = float(run.time[0]), float(run.time[-1])
    return int(np.abs(run.time - checks.number("time", time, least=first, most=last, unit="s")).argmin())


def _has_content(name: str, run: Trajectory) -> bool:
    """Whether a picture shows anything of a run."""
    if name == "orientation":
        return len(slender(run)) > 0
    if name == "element-test":
        return run.cell is not None
    return name in ("energy", "scene") or len(run.kind) > 0


def _check_free(paths: list[Path], *, overwrite: bool) -> None:
    """Refuse to draw if an output file exists, or may not be replaced."""
    taken = [path for path in paths if path.exists()]
    if overwrite:
        for path in taken:
            checks.output(path, overwrite=True, what="picture")
    elif taken:
        message = "\n".join(f"{path} exists already: choose another folder with -o, or --overwrite" for path in taken)
        raise FileExistsError(message)
