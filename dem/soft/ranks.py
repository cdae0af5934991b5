"""Whether simulations are shared by several ranks."""

from __future__ import annotations

from dem.ranks.crew import Crew
from dem.soft.engine import Engine


def engine_class() -> type[Engine]:
    """What moves the particles: an engine, or one with shares for several ranks."""
    if Crew.current is None:
        return Engine
    from dem.soft.ranked import RankedEngine  # noqa: PLC0415, most runs are on one rank

    return RankedEngine
