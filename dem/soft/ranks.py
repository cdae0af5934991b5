"""Whether simulations are shared by several ranks."""

from __future__ import annotations

from dem.ranks.crew import Crew
from dem.soft.bonded import BondedEngine
from dem.soft.engine import Engine


def bonded_class() -> type[BondedEngine]:
    """The same of particles that bonds hold together."""
    if Crew.current is None:
        return BondedEngine
    from dem.soft.ranked_bonds import RankedBondedEngine  # noqa: PLC0415, the same

    return RankedBondedEngine


def engine_class() -> type[Engine]:
    """What moves the particles: an engine, or one with shares for several ranks."""
    if Crew.current is None:
        return Engine
    from dem.soft.ranked import RankedEngine  # noqa: PLC0415, most runs are on one rank

    return RankedEngine
