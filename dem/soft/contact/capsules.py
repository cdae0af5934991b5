"""Capsules in Python: where candidate pairs touch, room for their poses in kernels, and which walls they may meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.large_pages import zeros
from dem.kernels.soft.contact.capsules import Capsules, Mixed
from dem.kernels.walls import geometry
from dem.model.shapes.capsule import closest, has_capsules
from dem.model.walls.primitives import Ball, Cylinder, Plane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.base.periodic import PeriodicCell
    from dem.kernels.soft.state import Bodies, Kinds
    from dem.model.particles.particles import Particles
    from dem.model.walls.wall import Wall
    from dem.model.walls.wall_shapes import WallShape

SPANNING = 1e-6  # of a period: a wall that is shorter or longer by less is as long; as near are vertices that are one
SINGLE = 2.0**-23  # of a coordinate: as much two corners from a file in single precision may be off together
STRAIGHT = 1 - 1e-12  # cosine of the angle between an edge and the axis that it goes along


class Meetings(NamedTuple):
    """Closest points of candidate pairs (K,), whether they touch or not."""

    gap: np.ndarray  # (3, K) from the point on j to that on i, on the axes of capsules, at the centres of spheres [m]
    arm_i: np.ndarray  # (3, K) to that on i from the centre of its body [m]
    arm_j: np.ndarray  # (3, K) the same of j


def meetings(b: Bodies, kinds: Kinds, i: np.ndarray, j: np.ndarray, cell: PeriodicCell, arm: np.ndarray) -> Meetings:
    """Contacts of candidate pairs of spheres i and j, which have been placed; arms of all spheres are (3, M) [m]."""
    x = b.sphere_position
    if not isinstance(kinds, Capsules | Mixed):
        return Meetings(cell.nearest(x[:, i] - x[:, j]), arm[:, i], arm[:, j])
    (x_i, u), (x_j, v) = (_segments(b, kinds, spheres) for spheres in (i, j))
    gap = cell.nearest(x_i - x_j)
    s, t = closest(gap, u, v)
    middle_i, middle_j = arm[:, i] + u, arm[:, j] + v  # zero, but for rounding: first ends are at -u and -v
    return Meetings(gap + s * u - t * v, middle_i + s * u, middle_j + t * v)


def _segments(b: Bodies, kinds: Kinds, spheres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Middles and half axes of the capsules that have these spheres, by where their ends are; or of the spheres."""
    body = b.owner[spheres]
    alone = kinds.half[b.kind[body]] == 0
    first = b.sphere_position[:, np.where(alone, spheres, b.first_sphere[body])]
    last = b.sphere_position[:, np.where(alone, spheres, b.first_sphere[body + 1] - 1)]
    return 0.5 * (first + last), 0.5 * (last - first)


def with_poses(kinds: Kinds | Capsules | Mixed, kind: np.ndarray) -> Kinds | Capsules | Mixed:
    """Tables of kinds, with room for the poses of bodies (N,) of these kinds where they include capsules."""
    if isinstance(kinds, Capsules):
        return kinds._replace(pose=zeros((len(kind), 8)))
    if isinstance(kinds, Mixed):
        spheres = int(np.diff(kinds.first_offset)[kind].sum())
        return kinds._replace(
            pose=zeros((spheres, 8)), lever=np.zeros((spheres, 4)), own=np.arange(spheres, dtype=np.int32)
        )
    return kinds


def check_walls(particles: Particles, walls: Sequence[Wall]) -> None:
    """Refuse walls whose contact with a capsule's side is not supported (``dem.kernels.walls.capsule_sides``)."""
    if not has_capsules(particles.variants):
        return
    for k, wall in enumerate(walls):
        if wall.roughness and not _is_hollow(wall):
            message = f"walls[{k}] has roughness {wall.roughness:g}, which is not known of what touches a capsule "
            raise ValueError(message + "between its ends: leave it out, or take dem.Fibre")


def _is_hollow(wall: Wall) -> bool:
    """Whether capsules touch it with their ends, but for rims."""
    return isinstance(wall, Plane) or (isinstance(wall, (Ball, Cylinder)) and wall.inside)


def shapes_for_sides(walls: Sequence[Wall], lengths: Sequence[float], reach: float) -> list[WallShape]:
    """Wall shapes for sides of capsules where a box has periods of these lengths (3,), 0 for none [m].

    A wall that is as long as a period goes on beyond it: longer by a period at both ends, so that no capsule near
    the seam meets an end. One that is shorter has to leave room for a capsule to its own image, of which `reach` is
    half. Nothing if all are as they are.

    Raises
    ------
    ValueError
        For walls that do neither.
    """
    shapes = [wall.shape for wall in walls]
    for k, wall in enumerate(walls):
        free = [size - (wall.shape.upper - wall.shape.lower)[axis] for axis, size in enumerate(lengths)]
        tight = [axis for axis, size in enumerate(lengths) if size > 0 and free[axis] < 2 * reach]
        for axis in () if isinstance(wall, (Plane, Ball)) and _is_hollow(wall) else tight:
            spans = free[axis] <= slack(wall, axis, lengths[axis])
            longer = lengthened(shapes[k], axis, lengths[axis]) if spans or _is_hollow(wall) else None
            if longer is None and not _is_hollow(wall):
                what = "has no straight shape along" if spans else f"leaves a gap of {free[axis]:.3g} m along"
                message = (
                    f"walls[{k}] ({wall.word}) {what} the periodic axis {'xyz'[axis]}, and its image may touch a "
                    f"capsule between its ends: leave a gap of {2 * reach:.3g} m or more, take a dem.Cylinder, "
                    "dem.Rectangle or dem.Block as long as the box, closed faces, or dem.Fibre"
                )
                raise ValueError(message)
            shapes[k] = longer or shapes[k]
    return shapes if any(shape is not wall.shape for shape, wall in zip(shapes, walls, strict=True)) else []


def slack(wall: Wall, axis: int, period: float) -> float:
    """Tolerance of the length of a wall that counts as spanning a period along an axis [m]."""
    farthest = max(abs(wall.shape.lower[axis]), abs(wall.shape.upper[axis]))
    return max(SPANNING * period, SINGLE * farthest if np.isfinite(farthest) else 0.0)


def lengthened(shape: WallShape, axis: int, by: float) -> WallShape | None:
    """A straight shape that is longer along an axis, by so much at both ends [m]; None if it is not straight."""
    numbers = shape.numbers.copy()
    if shape.kind == geometry.REVOLUTION and abs(numbers[3 + axis]) > STRAIGHT:
        radii, ends = numbers[10::2], numbers[11::2]
        rims = radii[radii > 0]
        if len(rims) > 1 and (rims == rims[0]).all():
            tube = [2, rims[0], ends.min() - by, rims[0], ends.max() + by]
            return shape._replace(numbers=np.array([*numbers[:9], *tube]))
    sheet = shape.kind == geometry.RECTANGLE
    if sheet or shape.kind == geometry.BLOCK:
        for edge in range(2 if sheet else 3):
            if abs(numbers[3 + 3 * edge + axis]) > STRAIGHT:
                numbers[12 + edge] += by
                return shape._replace(numbers=numbers)
    return None
