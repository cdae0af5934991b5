"""Particles outside of the closed walls that should contain them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base import portable
from dem.base.notices import Notice
from dem.base.text import counted
from dem.model.domain.regions import region_of
from dem.model.walls.enclosure import enclosed, is_closed
from dem.model.walls.mesh import Mesh
from dem.model.walls.primitives import Ball, Cone, Cylinder, Revolution, Torus
from dem.soft.checks import in_frame
from dem.system.diagnosis import point

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.model.walls.wall import Wall
    from dem.soft.engine import Engine


def is_container(wall: Wall) -> bool:
    """Whether a wall is closed and made for particles inside."""
    if isinstance(wall, Cylinder | Cone | Revolution):
        profile = wall.profile()
        return getattr(wall, "inside", True) and profile[0][0] == 0 == profile[-1][0]
    return isinstance(wall, Ball | Torus) and wall.inside


def container_meshes(engine: Engine) -> tuple[int, ...]:
    """Numbers of the closed meshes that hold particles, if these are more than half of all particles.

    A mesh has no word for the side that particles are on: what most of them are in is a container, and blades, bodies
    or a platform that has few or none in it are not.
    """
    if not _is_open_space(engine):
        return ()
    x = _places(engine)
    is_inside, found = np.zeros(len(x), bool), []
    for k, wall in _present(engine):
        if isinstance(wall, Mesh) and is_closed(wall):
            within = _within(engine, k, x)
            is_inside |= within
            found += [k] * bool(within.any())
    return tuple(found) if 2 * is_inside.sum() > len(x) else ()


def particles_outside(engine: Engine, meshes: tuple[int, ...]) -> np.ndarray:
    """Numbers of the particles that are outside of every closed wall, and over or beside no other wall.

    Closed meshes that held most particles at the start, `meshes`, or hold most of them now, count as such walls.
    None is outside if there is a box, a plane, or no closed wall that particles are to be in: they may leave
    through the open ends of a hopper. Other walls catch particles above them, or near them without gravity; the sphere
    about each wall decides.
    """
    if not _is_open_space(engine):
        return np.empty(0, np.int64)
    walls, container_numbers = _present(engine), {*meshes, *container_meshes(engine)}
    closed = [k for k, wall in walls if is_container(wall) or k in container_numbers]
    if not closed:
        return np.empty(0, np.int64)
    x = _places(engine)
    is_outside = engine.walls.faces.walls.acts[closed][:, engine.bodies.kind[: engine.owned]].any(0)
    for k in closed:
        is_outside &= ~_within(engine, k, x)
    down = np.array(engine.gravity) / (portable.length(engine.gravity) or 1.0)
    for k, wall in walls:
        if is_outside.any() and k not in closed:
            reach = 0.5 * portable.length(wall.shape.upper - wall.shape.lower) + float(
                engine.kinds.bounding_radius.max()
            )
            way = engine.walls.faces.walls.poses.middle[:, k] - x
            along = (way * down).sum(1)
            is_outside &= (np.linalg.norm(way - along[:, None] * down, axis=1) > reach) | (along < -reach)
    return np.sort(engine.bodies.identity[: engine.owned][is_outside])


def _is_open_space(engine: Engine) -> bool:
    """Whether particles may fall without end: there are walls, but neither a box nor an infinite wall."""
    return (
        bool(engine.owned and engine.walls.models)
        and engine.box is None
        and not any(w.is_endless for _, w in _present(engine))
    )


def _present(engine: Engine) -> list[tuple[int, Wall]]:
    """The walls that are there now, with their numbers."""
    return [(k, wall) for k, wall in enumerate(engine.walls.models) if engine.walls.present[k]]


def _places(engine: Engine) -> np.ndarray:
    """Centres of mass (N, 3) [m]."""
    return engine.bodies.position[:, : engine.owned].T


def _within(engine: Engine, k: int, x: np.ndarray) -> np.ndarray:
    """Which of the points (N, 3) are inside wall k, where it is now."""
    wall, x = engine.walls.models[k], in_frame(engine, k, x)
    if isinstance(wall, Mesh):
        return enclosed(wall.vertices, wall.triangles, x)
    return region_of(wall, "wall").depth(x) >= 0


def startup_notices(engine: Engine, meshes: tuple[int, ...]) -> Iterator[Notice]:
    """Notice before a run if particles are outside of the closed walls."""
    found = particles_outside(engine, meshes)
    if found.size:
        at = point(engine.by_row(engine.bodies.position)[:, engine.numbering.rows(found[:1])[0]])
        reason = f"particle {found[0]}, at {at} m, is outside the closed walls ({found.size} in all)"
        yield Notice("outside-walls", reason, "move it inside, or fill the wall by dem.pack(..., inside=wall)")


def doubts(engine: Engine, meshes: tuple[int, ...]) -> list[str]:
    """Line of the verdict if particles are outside of the closed walls."""
    found = particles_outside(engine, meshes)
    if not found.size:
        return []
    outside = f"{counted(found.size, 'particle')} of {engine.owned}, the first one particle {found[0]},"
    verb = "is" if found.size == 1 else "are"
    return [
        f"{outside} {verb} outside of the closed walls, and nothing holds them: put all inside at the start; if they "
        "were, lower time_step or close gaps of the walls"
    ]
