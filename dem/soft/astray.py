"""Particles outside of closed walls that are to hold them, with nothing else that could."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base import portable
from dem.base.notices import Notice
from dem.base.words import counted
from dem.model.regions import region_of
from dem.model.wall_blocks import Torus
from dem.model.wall_rounds import Cone, Cylinder, Revolution
from dem.model.wall_words import Ball
from dem.soft.checks import in_frame
from dem.system.diagnosis import point

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.model.wall import Wall
    from dem.soft.engine import Engine


def holds(wall: Wall) -> bool:
    """Whether a wall is closed, and made for particles inside of it."""
    if isinstance(wall, Cylinder | Cone | Revolution):
        profile = wall.profile()
        return getattr(wall, "inside", True) and profile[0][0] == 0 == profile[-1][0]
    return isinstance(wall, Ball | Torus) and wall.inside


def astray(engine: Engine) -> np.ndarray:
    """Numbers of the particles that are outside of every closed wall, and over or beside no other wall.

    Nobody is astray where there is a box, a plane, or no closed wall that particles are to be in: through the open
    ends of a hopper they leave without a fault. Other walls catch whoever is above them, or without gravity near them,
    by the sphere about each.
    """
    walls = list(enumerate(engine.walls))
    closed = [(k, wall) for k, wall in walls if holds(wall)]
    if engine.box is not None or not closed or not engine.owned or any(wall.ENDLESS for wall in engine.walls):
        return np.empty(0, np.int64)
    x = engine.bodies.position[:, : engine.owned].T
    out = np.ones(len(x), bool)
    for k, wall in closed:
        out &= region_of(wall, "wall").depth(in_frame(engine, k, x)) < 0
    down = np.array(engine.gravity) / (portable.length(engine.gravity) or 1.0)
    for k, wall in walls:
        if out.any() and not holds(wall):
            reach = 0.5 * portable.length(wall.shape.upper - wall.shape.lower) + float(engine.kinds.bound.max())
            way = engine.faces.walls.poses.middle[:, k] - x
            along = (way * down).sum(1)
            out &= (np.linalg.norm(way - along[:, None] * down, axis=1) > reach) | (along < -reach)
    return np.sort(engine.bodies.identity[: engine.owned][out])


def foreseen(engine: Engine) -> Iterator[Notice]:
    """What should be known of them before a run begins."""
    found = astray(engine)
    if found.size:
        at = point(engine.by_row(engine.bodies.position)[:, engine.numbering.rows(found[:1])[0]])
        reason = (
            f"particle {found[0]}, at {at} m, is outside of the closed walls ({found.size} such), and nothing holds it"
        )
        yield Notice("outside-walls", reason, "move it inside, or fill the wall by dem.pack(..., inside=wall)")


def doubts(engine: Engine) -> list[str]:
    """What a verdict says of them."""
    found = astray(engine)
    if not found.size:
        return []
    outside = f"{counted(found.size, 'particle')} of {engine.owned}, the first one particle {found[0]},"
    verb = "is" if found.size == 1 else "are"
    return [
        f"{outside} {verb} outside of the closed walls, and nothing holds them: put all inside at the start; if they "
        "were, lower time_step or close gaps of the walls"
    ]
