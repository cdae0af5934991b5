"""What a file tells of the function that a run called every so often: it is no part of the file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from dem.base.notices import Notice, tell
from dem.base.parsing import parse_json
from dem.base.text import counted
from dem.files.h5md import growing_tables
from dem.run.callbacks import Callback

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    import h5py

    from dem.files.writing.trajectory_writer import TrajectoryWriter
    from dem.system.plan import FrameSegment
    from dem.system.system import System

HOOK = "hook"  # attribute of `parameters`


def marks(calls: Sequence[Callback]) -> dict[str, str]:
    """What to write about a run that calls these."""
    told = [json.dumps({"function": call.name, "every": str(call.interval)}) for call in calls]
    return {HOOK: told[0]} if told else {}


def resumed(
    writer: TrajectoryWriter, every: tuple | None, sim: System, plan: list[FrameSegment], *, strict: bool
) -> list[Callback]:
    """What a run that goes on is to call; raises ValueError if it cannot go on without what it called before."""
    if every is not None:
        calls = [Callback.checked(every, sim, plan[0].first)]
        writer.note(**marks(calls))
        return calls
    if HOOK not in writer.about:
        return []
    reason = f"{writer.path} was run with {_told(writer.about[HOOK])}"
    remedy = "give the function again: dem.resume(path, every=(interval, function))"
    if writer.was_changed:
        message = f"{reason} which changed it and is no part of the file: {remedy}"
        raise ValueError(message)
    tell([Notice("no-hook", f"{reason} which is not called from here on", remedy)], strict=strict, force=False)
    return []


def check_repeatable(path: str | PathLike, file: h5py.File) -> None:
    """Raise ValueError if a run was changed from outside, which its file cannot repeat."""
    changes = growing_tables.found(file).get(growing_tables.CHANGES)
    if changes is not None and len(changes):
        told = file["parameters"].attrs.get(HOOK)
        by = _told(told) if told else "somebody from outside"
        message = (
            f"{path} cannot be run again: {by} changed it, {counted(len(changes), 'time')} from t = "
            f"{changes['time'][0]:.6g} s on, and is not stored in the file: repeat the run in Python, with the function"
        )
        raise ValueError(message)


def _told(mark: str) -> str:
    """Name and interval of the function that a file tells of."""
    told = parse_json(mark, HOOK)
    return f"{told.get('function')}, called every {told.get('every')},"
