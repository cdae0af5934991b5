"""Where frames are due in a run."""

from __future__ import annotations

from typing import NamedTuple


class Segment(NamedTuple):
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
