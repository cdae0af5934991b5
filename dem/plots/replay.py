"""Picture of the last steps before a failure: overlap, speed and energy of some particles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.replace import replace_when_done
from dem.plots.figure import new_figure

if TYPE_CHECKING:
    from pathlib import Path

    from dem.run.replay import State

ENDINGS = (".png", ".pdf", ".svg", ".jpg")


def check_picture(path: Path) -> None:
    """Raise OSError or ValueError if a picture of this name cannot be written."""
    checks.ending(checks.output(path, what="picture"), ENDINGS, "a picture is drawn", what="picture", needed=True)


def draw_replay(frames: list[list[State]], path: Path) -> None:
    """Draw overlap, speed and kinetic energy of particles against time, to a new file."""
    figure = new_figure(6.4, 7)
    overlap, speed, energy = figure.subplots(3, sharex=True)
    histories: dict[int, list[State]] = {}
    for state in (state for frame in frames for state in frame):
        histories.setdefault(state.particle, []).append(state)
    for history in histories.values():
        time, label = [s.time for s in history], f"particle {history[0].particle}"
        overlap.plot(time, [100 * max((t.share for t in s.touches), default=0.0) for s in history], ".-", label=label)
        speed.plot(time, [np.linalg.norm(s.velocity) for s in history], ".-", label=label)
        energy.plot(time, [s.energy for s in history], ".-", label=label)
    overlap.set_ylabel("largest overlap [% of radius]")
    speed.set_ylabel("speed [m/s]")
    energy.set(ylabel="kinetic energy [J]", xlabel="time [s]")
    overlap.legend()
    with replace_when_done(path) as partial:
        figure.savefig(partial, dpi=120)
