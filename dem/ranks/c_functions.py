"""Addresses and arguments of C functions that kernels call, see `dem.kernels.compiler.c_functions`."""

from __future__ import annotations

import ctypes
import os
import time
from functools import cache

import numpy as np

from dem.kernels.compiler.c_functions import WORDS

Call = list[int]  # address of a function, and its arguments


def halo_calls(exchange: Call | None) -> dict[str, np.ndarray]:
    """Calls stored in `HaloBuffers`: the exchange of reports, if kernels are to call it, and a clock."""
    clock_time = np.zeros(2, np.int64)
    clock = _clock(clock_time)
    return {
        "exchange": _words(exchange if clock else None), "clock": _words(clock), "clock_time": clock_time,
        "exchange_time": np.zeros(1, np.int64),
    }  # fmt: skip


def _words(call: Call | None) -> np.ndarray:
    """A call as the array that kernels read; zeros for no call."""
    found = np.zeros(WORDS, np.int64)
    if call:
        found[: len(call)] = [ctypes.c_int64(word).value for word in call]
    return found


@cache
def address_of(library: str | None, name: str) -> int | None:
    """Address of a function in a library or its dependencies (library None: this process); None if not found."""
    try:
        return ctypes.cast(getattr(ctypes.CDLL(library), name), ctypes.c_void_p).value
    except AttributeError:
        return None


def _clock(now: np.ndarray) -> Call | None:
    """Call that writes the time of a monotonic clock as whole seconds and nanoseconds, int64 (2,)."""
    if os.name != "posix" or ctypes.sizeof(ctypes.c_long) != now.itemsize:
        return None
    address = address_of(None, "clock_gettime")
    return [address, time.CLOCK_MONOTONIC, now.ctypes.data] if address else None
