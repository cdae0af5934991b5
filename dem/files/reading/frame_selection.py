"""Which frames belong to which times."""

from __future__ import annotations

import math

import numpy as np

from dem.base import checks

ROUNDING = 1e-9  # of the largest time: k dt and a time typed in differ in their last digits


def nearest(times: np.ndarray, time: float) -> int:
    """Number of the frame nearest to a time; raises ValueError if that is more than half an interval outside."""
    _check("time", time)
    margin = 0.5 * np.ptp(times) / max(1, len(times) - 1) if len(times) else 0.0
    if not (len(times) and times.min() - margin <= time <= times.max() + margin):
        message = f"no frame at {time:g} s: {_extent(times)}"
        raise ValueError(message)
    return int(np.abs(times - time).argmin())


def between(times: np.ndarray, start: float, end: float) -> slice:
    """The frames from one time to another, both included but for rounding; raises ValueError if there are none."""
    _check("start", start)
    _check("end", end)
    rounding = ROUNDING * np.abs(times).max(initial=0.0)
    chosen = np.flatnonzero((start - rounding <= times) & (times <= end + rounding))
    if not chosen.size:
        message = f"no frame between {start:g} and {end:g} s: {_extent(times)}"
        raise ValueError(message)
    return slice(int(chosen[0]), int(chosen[-1]) + 1)


def _check(name: str, time: float) -> None:
    """Refuse what is no number; those that are not finite are compared as they are."""
    if not (isinstance(time, float) and not math.isfinite(time)):
        checks.number(name, time)


def _extent(times: np.ndarray) -> str:
    return f"there are {len(times)}, from {times.min():g} to {times.max():g} s" if len(times) else "there are none"
