"""The machine that this runs on."""

from __future__ import annotations

import platform
from pathlib import Path


def processor() -> str:
    """Model of the CPU."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
