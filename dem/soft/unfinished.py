"""Motions of walls and insertions that are still to come when a run ends."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dem.soft.engine import Engine
    from dem.soft.insertion.population import Population


def unfinished(engine: Engine, population: Population | None) -> tuple[str, ...]:
    """Motions of walls and inserters that end, or begin, after the present step, in words for the verdict."""
    step = int(engine.progress.step[0])
    now = step * engine.dt
    found = []
    for wall, name in zip(engine.walls.models, engine.walls.called, strict=True):
        moving = [motion for motion in wall.motion if motion.moves]
        ends = [motion.end for motion in moving if now + 0.5 * engine.dt < motion.end < math.inf]
        begins = [motion.start for motion in moving if now + 0.5 * engine.dt < motion.start and motion.end == math.inf]
        if ends:
            found.append(f"the {name} moves until {max(ends):.6g} s")
        elif begins:
            found.append(f"the {name} begins to move at {max(begins):.6g} s")
    found += [words for source in (population.sources if population else ()) if (words := source.unfinished(step))]
    return tuple(f"{words}, the run ended at {now:.6g} s" for words in found)
