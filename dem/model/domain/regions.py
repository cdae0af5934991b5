"""Volumes enclosed by walls and boxes: tests whether points are inside, and random points in them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import portable
from dem.model.domain.box import Box
from dem.model.walls.primitives import (
    Ball,
    Block,
    CapsuleWall,
    Cone,
    Cylinder,
    Disc,
    Plane,
    Rectangle,
    Revolution,
    Torus,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from dem.base.periodic import PeriodicCell

ROUNDING = 1e-6  # of a period, by which a region that is as long may exceed it


class Region(NamedTuple):
    """Region of space in which points may lie, by the distance from its boundary.

    A flat region, a disc or a rectangle, has no volume: depths are those within its rim, and of points on its plane.
    """

    lower: np.ndarray  # (3,) corners of what holds it [m]; infinite if it has no end there
    upper: np.ndarray  # (3,)
    depth: Callable[[np.ndarray], np.ndarray]  # of points (M, 3): how far inside they are (M,), negative outside [m]
    volume: float  # [m³]; of a flat region 0
    frame: np.ndarray | None = None  # (3, 3) of a flat region: two directions in it and its normal, as rows
    middle: np.ndarray | None = None  # (3,) of a flat region [m]
    half: tuple[float, float] = (0.0, 0.0)  # how far a flat region goes along these directions [m]

    @property
    def flat(self) -> bool:
        """Whether the region is a surface."""
        return self.frame is not None

    def points(self, numbers: np.ndarray) -> np.ndarray:
        """Map random numbers (M, 3) from 0 to 1 to points (M, 3) of the region; flat regions use two of three."""
        if self.frame is None:
            return self.lower + (self.upper - self.lower) * numbers
        across = (2 * numbers[:, :2] - 1) * self.half
        return self.middle + np.einsum("ij,jk->ik", across, self.frame[:2])

    def image_shift(self, points: np.ndarray, cell: PeriodicCell) -> np.ndarray:
        """Differences (M, 3) of points to their periodic images nearest to the middle of the region [m].

        They are zero along an axis along which the region is longer than the period, or without end.
        """
        extent = self.upper - self.lower
        bounded = extent <= (1 + ROUNDING) * cell.length
        if not bounded.any():
            return np.zeros_like(points)
        middle = np.where(bounded, self.lower + 0.5 * np.where(bounded, extent, 0.0), 0.0)
        gap = points - middle
        return np.where(bounded, gap - cell.nearest(gap.T).T, 0.0)

    def height(self, points: np.ndarray) -> np.ndarray:
        """Signed distance of points (M, 3) from a flat region along its normal (M,) [m]."""
        return ((points - self.middle) * self.frame[2]).sum(1)

    def extent(self, direction: np.ndarray) -> float:
        """Length of the region along a unit vector (3,) [m]."""
        if self.frame is not None:
            return 2 * portable.dot(np.abs((self.frame[:2] * direction).sum(1)), self.half)
        return portable.dot(np.abs(direction), self.upper - self.lower)


def region_of(thing: object, what: str) -> Region:
    """Region of a wall or box: the inside of a solid, the half space behind a plane, a disc, a rectangle.

    Raises TypeError, in which it is called `what`, for anything else.

    Examples
    --------
    >>> import dem
    >>> ball = region_of(dem.Ball((0, 0, 1), 0.1), "region")
    >>> ball.depth(np.array([[0, 0, 1.0], [0, 0, 1.25]])).round(3).tolist(), round(ball.volume * 1e3, 3)
    ([0.1, -0.15], 4.189)
    """
    if isinstance(thing, Box | Block):
        return _block(np.array(thing.lower), np.array(thing.upper))
    if isinstance(thing, Disc):
        return _disc(thing)
    if isinstance(thing, Rectangle):
        return _rectangle(thing)
    if isinstance(thing, Plane):
        return _behind(np.array(thing.point), np.array(thing.normal))
    solid = next((make for kind, make in SOLIDS.items() if isinstance(thing, kind)), None)
    if solid is None:
        expected = "a dem.Box, dem.Block, dem.Cylinder, dem.Cone, dem.Ball, dem.CapsuleWall, dem.Torus, dem.Revolution"
        raise TypeError(f"{what} is {thing!r}, expected {expected}, dem.Disc, dem.Rectangle or dem.Plane")
    return solid(thing)


def _block(lower: np.ndarray, upper: np.ndarray) -> Region:
    def depth(x: np.ndarray) -> np.ndarray:
        return np.minimum(x - lower, upper - x).min(1)

    return Region(lower, upper, depth, float(np.prod(upper - lower)))


def _behind(point: np.ndarray, normal: np.ndarray) -> Region:
    out = normal / portable.length(normal)

    def depth(x: np.ndarray) -> np.ndarray:
        return ((point - x) * out).sum(1)

    lower, upper = np.full(3, -np.inf), np.full(3, np.inf)
    for axis in range(3):
        if abs(out[axis]) == 1:
            (upper if out[axis] > 0 else lower)[axis] = point[axis]
    return Region(lower, upper, depth, math.inf)


def _ball(ball: Ball) -> Region:
    centre, radius = np.array(ball.centre), ball.radius

    def depth(x: np.ndarray) -> np.ndarray:
        return radius - np.linalg.norm(x - centre, axis=1)

    return Region(centre - radius, centre + radius, depth, 4 / 3 * math.pi * radius**3)


def _capsule(wall: CapsuleWall) -> Region:
    start, end, radius = np.array(wall.start), np.array(wall.end), wall.radius
    axis = end - start

    def depth(x: np.ndarray) -> np.ndarray:
        along = np.clip(((x - start) * axis).sum(1) / portable.dot(axis, axis), 0.0, 1.0)
        return radius - np.linalg.norm(x - start - np.outer(along, axis), axis=1)

    volume = math.pi * radius**2 * (portable.length(axis) + 4 / 3 * radius)
    return Region(np.minimum(start, end) - radius, np.maximum(start, end) + radius, depth, volume)


def _torus(torus: Torus) -> Region:
    centre, axis = np.array(torus.centre), np.array(torus.axis) / portable.length(torus.axis)

    def depth(x: np.ndarray) -> np.ndarray:
        r, z = _cylindrical(x, centre, axis)
        return torus.tube - np.hypot(r - torus.radius, z)

    half = torus.radius * np.sqrt(np.maximum(1 - axis**2, 0.0)) + torus.tube
    return Region(centre - half, centre + half, depth, 2 * math.pi**2 * torus.radius * torus.tube**2)


def _round(wall: Cylinder | Cone | Revolution) -> Region:
    """Region between a profile and its axis, closed by discs at both ends."""
    origin, axis = (np.array(each) for each in wall.line())
    axis = axis / portable.length(axis)
    profile = np.array(wall.profile())
    rim = np.concatenate([[[0.0, profile[0, 1]]], profile, [[0.0, profile[-1, 1]]]])
    rim = rim[np.concatenate([[True], (np.diff(rim, axis=0) != 0).any(1)])]

    def depth(x: np.ndarray) -> np.ndarray:
        r, z = _cylindrical(x, origin, axis)
        inside, nearest = np.zeros(len(r), bool), np.full(len(r), np.inf)
        for (r0, z0), (r1, z1) in zip(rim, np.roll(rim, -1, axis=0), strict=True):
            crosses = (z0 > z) != (z1 > z)
            with np.errstate(divide="ignore", invalid="ignore"):
                inside ^= crosses & (r < r0 + (z - z0) / (z1 - z0) * (r1 - r0))
            if r0 > 0 or r1 > 0:  # the axis is no surface
                dr, dz = r1 - r0, z1 - z0
                along = np.clip(((r - r0) * dr + (z - z0) * dz) / (dr * dr + dz * dz), 0.0, 1.0)
                nearest = np.minimum(nearest, np.hypot(r - r0 - along * dr, z - z0 - along * dz))
        return np.where(inside, nearest, -nearest)

    across, low, high = profile[:, 0].max() * np.sqrt(np.maximum(1 - axis**2, 0.0)), rim[:, 1].min(), rim[:, 1].max()
    ends = np.stack([origin + low * axis, origin + high * axis])
    r0, z0, r1, z1 = *rim[:-1].T, *rim[1:].T
    volume = abs(float((math.pi / 3 * (z1 - z0) * (r0 * r0 + r0 * r1 + r1 * r1)).sum()))
    return Region(ends.min(0) - across, ends.max(0) + across, depth, volume)


def _disc(disc: Disc) -> Region:
    centre, frame = np.array(disc.centre), _frame(np.array(disc.normal))

    def depth(x: np.ndarray) -> np.ndarray:
        r, _ = _cylindrical(x, centre, frame[2])
        return np.minimum(disc.radius - r, r - disc.inner_radius) if disc.inner_radius else disc.radius - r

    half = disc.radius * np.sqrt(np.maximum(1 - frame[2] ** 2, 0.0))
    return Region(centre - half, centre + half, depth, 0.0, frame, centre, (disc.radius, disc.radius))


def _rectangle(rectangle: Rectangle) -> Region:
    centre, edges = np.array(rectangle.centre), np.array([rectangle.edge, rectangle.other_edge])
    length = np.linalg.norm(edges, axis=1)
    frame = np.concatenate([edges / length[:, None], [np.cross(*(edges / length[:, None]))]])

    def depth(x: np.ndarray) -> np.ndarray:
        return (0.5 * length - np.abs(np.einsum("ik,jk->ij", x - centre, frame[:2]))).min(1)

    half = 0.5 * np.abs(edges).sum(0)
    return Region(centre - half, centre + half, depth, 0.0, frame, centre, tuple(0.5 * length))


def _frame(normal: np.ndarray) -> np.ndarray:
    """Two directions at right angles to a normal, and the normal, as rows."""
    out = normal / portable.length(normal)
    first = np.cross(out, np.eye(3)[np.abs(out).argmin()])
    first /= portable.length(first)
    return np.stack([first, np.cross(out, first), out])


def _cylindrical(x: np.ndarray, origin: np.ndarray, axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distance from an axis and place along it of points (M, 3): (M,), (M,) [m]."""
    z = ((x - origin) * axis).sum(1)
    return np.linalg.norm(x - origin - np.outer(z, axis), axis=1), z


SOLIDS = {Ball: _ball, CapsuleWall: _capsule, Torus: _torus, Cylinder: _round, Cone: _round, Revolution: _round}
