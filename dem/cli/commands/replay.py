"""``dem replay``: step through the last steps before a failure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dem.base import checks
from dem.cli.application import app, plain_errors, say
from dem.files.reading.trajectory import Trajectory
from dem.plots.replay import check_picture, draw_replay
from dem.run import replay


@app.command("replay")
@plain_errors
def replay_file(
    file: Annotated[Path, typer.Argument(help="RUN.crash.h5, or any trajectory.")],
    particles: Annotated[
        list[int] | None, typer.Option("--particle", help="Particle to show; repeatable. Default: those of the error.")
    ] = None,
    last: Annotated[int | None, typer.Option(help="Number of last frames to show; default: all.")] = None,
    picture: Annotated[Path | None, typer.Option("--plot", help="Draw overlap, speed and energy to this file.")] = None,
) -> None:
    """Show step by step how a run failed: state, overlaps and forces of the particles concerned."""
    if picture:
        check_picture(picture)
    with Trajectory(file) as run:
        shown = particles or replay.particles_of_interest(run)
        for n in shown:
            if n not in run.identity:
                message = f"particle is {n}, expected 0 to {run.identity.max(initial=0)}"
                raise ValueError(message)
        first = 0 if last is None else max(0, len(run) - checks.whole("last", last, least=1))
        frames = list(replay.states(run, shown, first))
        error = run.error
    if not frames:
        message = f"none of these frames has particle {' or '.join(map(str, shown))}: leave out --last, or take others"
        raise ValueError(message)
    for frame in frames:
        say(f"step {frame[0].step}, t = {frame[0].time:.9g} s")
        for state in frame:
            say("\n".join(replay.in_words(state)))
    if error:
        say(error)
    if picture:
        draw_replay(frames, picture)
        say(f"picture: {picture}")
