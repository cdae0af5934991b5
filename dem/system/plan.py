"""Where frames are due in a run."""

from __future__ import annotations

import math
from typing import NamedTuple

MOST_STEPS = 2.0**62  # what a 64-bit counter holds, with room


class FrameSegment(NamedTuple):
    """A stretch of a run with evenly spaced frames, in steps or, for hard spheres, in seconds."""

    first: float
    length: float
    frames: int

    @property
    def last(self) -> float:
        """Where it ends."""
        return self.first + self.length


def evenly(first: int, steps: int, frames: int) -> list[int]:
    """The steps at which `frames` frames are due, the last one after `steps` more."""
    return sorted({first + (steps * k + frames // 2) // frames for k in range(1, frames + 1)} | {first + steps})


def whole_steps(duration: float, time_step: float) -> int:
    """Number of time steps that a duration is rounded to; raises ValueError if it is none, or too many to count."""
    if not duration / time_step < MOST_STEPS:
        message = f"duration {duration:g} s is too many time steps of {time_step:g} s"
        raise ValueError(message)
    steps = math.floor(duration / time_step + 0.5)
    if steps < 1:
        message = f"duration {duration:g} s is shorter than one time step of {time_step:g} s"
        raise ValueError(message)
    return steps
