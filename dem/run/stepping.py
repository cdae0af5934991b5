"""Time that goes in steps: where a run has come to, and how it is carried on."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, ClassVar

from dem.base.text import counted
from dem.run.record import next_chunk
from dem.run.runnable import Runnable
from dem.system.plan import FrameSegment, evenly, whole_steps

if TYPE_CHECKING:
    from collections.abc import Callable


class Stepping(Runnable):
    """A system whose time is a number of steps."""

    unit: ClassVar[str] = "step"  # of work
    _time_step: float
    _slice = 1  # steps between looks at the keyboard

    def __repr__(self) -> str:
        """Particles and time."""
        return (
            f"<{type(self).__name__}: {counted(len(self._particles), 'particle')}, t = {self.time:.6g} s after "
            f"{counted(self.step_count, 'step')} of {self.time_step:.6g} s>"
        )

    @property
    def time_step(self) -> float:
        """[s]."""
        return self._time_step

    @property
    def work_count(self) -> int:
        """Work done so far: steps."""
        return self.step_count

    @property
    def time(self) -> float:
        """Simulated time [s]: steps times time step."""
        return self.step_count * self.time_step

    def step(self, steps: int = 1) -> None:
        """Take a number of time steps."""
        raise NotImplementedError

    def carry_on(self, duration: float) -> None:
        """Go on for about so long [s], by one step at least, without a file or a verdict."""
        self.step(max(1, round(duration / self.time_step)))

    def pace(self, steps: int, seconds: float) -> str:
        """How fast so many steps in so much computing time are, in words."""
        rate = steps / seconds
        return f"{rate:.3g} steps/s, {rate * len(self._particles):.3g} particle steps/s"

    @property
    def _now(self) -> int:
        """Where it is, in what plans are made of: the step."""
        return self.step_count

    def _segment(self, duration: float, frames: int) -> FrameSegment:
        """Plan for a duration from now, rounded to whole steps."""
        steps = whole_steps(duration, self.time_step)
        return FrameSegment(self.step_count, steps, min(frames, steps))

    @staticmethod
    def _stops(segment: FrameSegment) -> list[int]:
        """Steps at which frames are due."""
        return evenly(*segment)

    def _mark(self, first: int, seconds: float) -> int:
        """The step nearest to so long after the step `first`."""
        return first + math.floor(seconds / self.time_step + 0.5)

    def _reach(self, stop: int, moved: Callable, interrupted: Callable[[], bool]) -> None:
        """Advance to a step in slices of about SLICE seconds. How it is cut does not change the result."""
        while self.step_count < stop and not interrupted():
            start = time.perf_counter()
            taken = min(self._slice, stop - self.step_count)
            self.step(taken)
            moved(taken, taken)
            self._slice = next_chunk(taken, start)
