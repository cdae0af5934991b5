"""Steps or times at which frames of a run are written."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from dem.base import checks
from dem.base.parsing import parse_json
from dem.files.h5md.schema import PARTICLES
from dem.system.system import MAX_STEPS, FrameSegment

if TYPE_CHECKING:
    import h5py

    from dem.system.system import System

MAX_SEGMENTS = 10_000  # runs that were made longer
MAX_FRAMES = 10_000_000  # all of them are listed when a run is resumed


def plan_of(file: h5py.File, *, steps: bool) -> list[FrameSegment]:
    """Frame schedule of a trajectory, in steps or in seconds; raises ValueError if it is invalid."""
    given = parse_json(file["parameters"].attrs.get("plan", "[]"), "the plan")
    if not isinstance(given, list) or not all(isinstance(each, list) and len(each) == 3 for each in given):
        raise ValueError("the plan is no list of stretches: first, length and frames of each")
    try:
        plan = [_segment(*each, steps=steps) for each in given]
    except TypeError as error:
        raise ValueError(str(error)) from None
    frames = sum(segment.frames for segment in plan)
    if len(plan) > MAX_SEGMENTS or frames > MAX_FRAMES:
        message = f"the plan has {frames} frames in {len(plan)} stretches, at most {MAX_FRAMES} in {MAX_SEGMENTS}"
        raise ValueError(message)
    for one, after in itertools.pairwise(plan):
        if after.first != one.last:
            raise ValueError(f"the plan continues at {after.first:g} instead of {one.last:g}")
    return plan


def check_frames(file: h5py.File, sim: System, plan: list[FrameSegment]) -> None:
    """Raise ValueError unless the frames of a trajectory are at the times of its schedule, if it has one."""
    group = file[PARTICLES]
    held = group["position/time" if sim.step_count is None else "position/step"][:]
    stops = [stop for segment in plan for stop in sim._stops(segment)]  # noqa: SLF001
    if plan and [plan[0].first, *stops][: len(held)] != held.tolist():
        raise ValueError("the frames are not where the plan has them: this is not the file of one run")


def _segment(first: float, length: float, frames: int, *, steps: bool) -> FrameSegment:
    frames = checks.whole("frames of the plan", frames, least=1)
    if not steps:
        first = checks.number("start of the plan", first, least=0, unit="s")
        return FrameSegment(first, checks.number("length of the plan", length, above=0, unit="s"), frames)
    first = checks.whole("start of the plan", first, least=0)
    length = checks.whole("length of the plan", length, least=frames)
    if not math.isfinite(first + length) or first + length > MAX_STEPS:
        raise ValueError(f"the plan ends after {first + length} steps, which are too many to count")
    return FrameSegment(first, length, frames)
