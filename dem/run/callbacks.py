"""Callbacks of a run: the user's own function, and the running table.

A file does not store the function, only its name and how often it was called.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, NamedTuple

from dem.base import checks
from dem.base.notices import Notice, issue
from dem.base.parsing import parse_json
from dem.base.text import counted
from dem.files.h5md import growing_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    import h5py

    from dem.files.writing.trajectory_writer import TrajectoryWriter
    from dem.system.system import FrameSegment, System

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "min": 60.0}


class Interval(NamedTuple):
    """How much of a run is between two calls: steps, or simulated seconds."""

    steps: int | None = None
    seconds: float | None = None

    @classmethod
    def checked(cls, name: str, value: object, sim: System | None = None) -> Interval:
        """From a whole number of steps, a float of seconds, or a text such as "2 ms"; raises ValueError, TypeError."""
        if isinstance(value, str):
            match = re.fullmatch(r"\s*([0-9.]+(?:e[+-]?[0-9]+)?)\s*(s|ms|us|µs|min|)\s*", value)
            try:
                number = float(match[1]) if match else 0.0
            except ValueError:
                number = 0.0
            if not 0 < number < math.inf:
                message = f"{name} is {value!r}, expected a number of steps, or a simulated time such as '2 ms'"
                raise ValueError(message)
            whole = not match[2] and number == int(number)
            value = int(number) if whole else number * SECONDS[match[2] or "s"]
        if isinstance(value, float):
            found = cls(seconds=checks.number(name, value, above=0, unit="s"))
        else:
            found = cls(steps=checks.whole(name, value, least=1))
        if sim is not None:
            found.check(name, sim)
        return found

    def check(self, name: str, sim: System) -> None:
        """Raise ValueError if a system cannot stop there."""
        if self.steps is not None and sim.step_count is None:
            message = f"{name} is {counted(self.steps, 'step')}, but hard spheres have none: give seconds as a float"
            raise ValueError(message)
        if self.seconds is not None and sim.time_step and self.seconds < sim.time_step:
            message = f"{name} is {self.seconds:g} s, shorter than one time step of {sim.time_step:g} s"
            raise ValueError(message)

    def __str__(self) -> str:
        """In words."""
        return f"{self.seconds:g} s" if self.steps is None else counted(self.steps, "step")


class Callback(NamedTuple):
    """A function to be called with the system, every so often from a place on."""

    function: Callable[[System], object]
    interval: Interval
    first: float  # step or time [s] from which intervals are counted

    @classmethod
    def checked(cls, every: tuple, sim: System, first: float) -> Callback:
        """Check an interval and a function of a user; raises ValueError, TypeError."""
        try:
            interval, function = every
        except (TypeError, ValueError):
            interval, function = None, None
        if not callable(function):
            message = f"every is {every!r}, expected a pair: steps or seconds, and a function of the simulation"
            raise TypeError(message)
        return cls(function, Interval.checked("every", interval, sim), first)

    @property
    def name(self) -> str:
        """Name of the function."""
        home, own = getattr(self.function, "__module__", None), getattr(self.function, "__qualname__", None)
        return f"{home}.{own}" if own else type(self.function).__qualname__

    def next_call(self, sim: System) -> float:
        """Next step or time [s] at which the call is due."""
        now = sim._now  # noqa: SLF001
        if self.interval.steps is not None:
            return self.first + ((now - self.first) // self.interval.steps + 1) * self.interval.steps
        seconds = self.interval.seconds
        k = math.floor((now - self.first) * (sim.time_step or 1.0) / seconds)
        while (stop := sim._stop_after(self.first, k * seconds)) <= now:  # noqa: SLF001
            k += 1
        return stop


HOOK = "hook"  # attribute of `parameters`


def callback_attributes(calls: Sequence[Callback]) -> dict[str, str]:
    """Entries in the file of a run that calls these."""
    calls_as_json = [json.dumps({"function": call.name, "every": str(call.interval)}) for call in calls]
    return {HOOK: calls_as_json[0]} if calls_as_json else {}


def resumed(
    writer: TrajectoryWriter, every: tuple | None, sim: System, plan: list[FrameSegment], *, strict: bool
) -> list[Callback]:
    """Callbacks of a resumed run; raises ValueError if one that it needs is missing."""
    if every is not None:
        calls = [Callback.checked(every, sim, plan[0].first)]
        writer.set_attributes(**callback_attributes(calls))
        return calls
    if HOOK not in writer.about:
        return []
    reason = f"{writer.path} was run with {_words_of_call(writer.about[HOOK])}"
    remedy = "give the function again: dem.resume(path, every=(interval, function))"
    if writer.was_changed:
        message = f"{reason} which changed it and is no part of the file: {remedy}"
        raise ValueError(message)
    issue([Notice("no-hook", f"{reason} which is not called from here on", remedy)], strict=strict, force=False)
    return []


def check_repeatable(path: str | PathLike, file: h5py.File) -> None:
    """Raise ValueError if a run was changed from outside, which its file cannot repeat."""
    changes = growing_tables.tables_in(file).get(growing_tables.CHANGES)
    if changes is not None and len(changes):
        mark = file["parameters"].attrs.get(HOOK)
        by = _words_of_call(mark) if mark else "an assignment between steps"
        message = (
            f"{path} cannot be run again: {by} changed it, {counted(len(changes), 'time')} from t = "
            f"{changes['time'][0]:.6g} s on, and is not stored in the file: repeat the run in Python, with the function"
        )
        raise ValueError(message)


def _words_of_call(mark: str) -> str:
    """Name and interval of the callback that a file names."""
    call = parse_json(mark, HOOK)
    return f"{call.get('function')}, called every {call.get('every')},"
