"""Processor, memory and number of cores of this machine."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def processor() -> str:
    """Model of the CPU."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def memory() -> float:
    """Bytes of memory; infinite if the system does not tell."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return float("inf")


def cores() -> int:
    """Cores that this process may use: fewer than there are, in a job on a cluster."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
