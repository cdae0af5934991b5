"""Capsules in Python: where pairs of bodies meet at one moment, and which walls they may meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.model.capsule import closest, has_capsules
from dem.model.mesh import Mesh
from dem.model.wall_blocks import Block, Rectangle, Rod
from dem.model.wall_rounds import Cylinder
from dem.model.wall_words import Ball, Plane
from kernels.soft.capsules import Capsules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.box import Box
    from dem.model.particles import Particles
    from dem.model.wall import Wall
    from kernels.soft.state import Bodies, Kinds

CONVEX = (Mesh, Block, Rectangle, Rod, Ball)  # or made of convex pieces


class Meetings(NamedTuple):
    """Where candidate pairs (K,) are closest, whether they touch or not."""

    gap: np.ndarray  # (3, K) from the point on j to that on i, on the axes of capsules, at the centres of spheres [m]
    arm_i: np.ndarray  # (3, K) to that on i from the centre of its body [m]
    arm_j: np.ndarray  # (3, K) the same of j


def meetings(
    b: Bodies, kinds: Kinds, i: np.ndarray, j: np.ndarray, periods: list[tuple[float, float]], arm: np.ndarray
) -> Meetings:
    """Of candidate pairs of spheres i and j, which have been placed; arms of all spheres are (3, M) [m]."""
    x = b.sphere_position
    if not isinstance(kinds, Capsules):
        return Meetings(gaps(x[:, i] - x[:, j], periods), arm[:, i], arm[:, j])
    (x_i, u), (x_j, v) = (_segments(b, spheres) for spheres in (i, j))
    gap = gaps(x_i - x_j, periods)
    s, t = closest(gap, u, v)
    middle_i, middle_j = arm[:, i] + u, arm[:, j] + v  # zero, but for rounding: first ends are at -u and -v
    return Meetings(gap + s * u - t * v, middle_i + s * u, middle_j + t * v)


def _segments(b: Bodies, spheres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Middles and half axes of the bodies that have these spheres, by where their first and last spheres are."""
    body = b.owner[spheres]
    first, last = b.sphere_position[:, b.first_sphere[body]], b.sphere_position[:, b.first_sphere[body + 1] - 1]
    return 0.5 * (first + last), 0.5 * (last - first)


def gaps(gap: np.ndarray, periods: list[tuple[float, float]]) -> np.ndarray:
    """Differences of places (3, K), the short way round [m]."""
    for axis, (_, length) in enumerate(periods):
        gap[axis] -= length * np.floor(gap[axis] / (length or 1) + 0.5)
    return gap


def check_walls(particles: Particles, walls: Sequence[Wall], box: Box | None) -> None:
    """Refuse walls that a capsule's side may meet in ways that are not known (``kernels.walls.sides``)."""
    if not has_capsules(particles.variants):
        return
    for k, wall in enumerate(walls):
        if isinstance(wall, Plane) or (isinstance(wall, (Ball, Cylinder)) and wall.inside):
            continue
        if not isinstance(wall, CONVEX):
            message = (
                f"walls[{k}] is {wall!r}, whose edges or bulges may touch a capsule between its ends, which is not "
                "known: make a dem.Mesh of its shape, or take dem.Fibre"
            )
            raise ValueError(message)
        if wall.roughness:
            message = f"walls[{k}] has roughness {wall.roughness:g}, which is not known of what touches a capsule "
            raise ValueError(message + "between its ends: leave it out, or take dem.Fibre")
        if box is not None and box.periodic:
            message = f"walls[{k}] is {wall!r}, which may touch a capsule between its ends, beside periodic faces: "
            raise ValueError(message + "take walls without such edges, closed faces, or dem.Fibre")
