"""Calls of C functions that kernels make, see `dem.kernels.compiler.c_functions`."""

from __future__ import annotations

import ctypes
import os
import time
from functools import cache

import numpy as np

from dem.kernels.compiler.c_functions import WORDS

Call = list[int]  # address of a function, and what it is given


def of_border(swap: Call | None) -> dict[str, np.ndarray]:
    """The calls in `HaloBuffers`: one that exchanges sums, if there is one, and a clock."""
    now = np.zeros(2, np.int64)
    clock = _clock(now)
    return {
        "swap": _words(swap if clock else None), "clock": _words(clock), "now": now, "waited": np.zeros(1, np.int64)
    }  # fmt: skip


def _words(call: Call | None) -> np.ndarray:
    """A call as kernels take it; zeros if there is none."""
    found = np.zeros(WORDS, np.int64)
    if call:
        found[: len(call)] = [ctypes.c_int64(word).value for word in call]
    return found


@cache
def address_of(library: str | None, name: str) -> int | None:
    """Where a function of a library is, or of one that it stands on, or of this process; None if there is none."""
    try:
        return ctypes.cast(getattr(ctypes.CDLL(library), name), ctypes.c_void_p).value
    except AttributeError:
        return None


def _clock(now: np.ndarray) -> Call | None:
    """Call that writes the time, by a clock that only goes forward, in whole seconds and the ns beyond (2,) int64."""
    if os.name != "posix" or ctypes.sizeof(ctypes.c_long) != now.itemsize:
        return None
    address = address_of(None, "clock_gettime")
    return [address, time.CLOCK_MONOTONIC, now.ctypes.data] if address else None
