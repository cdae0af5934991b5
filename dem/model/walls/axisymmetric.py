"""Words for walls that are figures of revolution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from dem.base import checks, portable
from dem.base.user_classes import hinted
from dem.model.walls.basic import Point, check_length, direction, keep, keep_flag, keep_sizes
from dem.model.walls.wall import Wall, on_line, parallel

if TYPE_CHECKING:
    from types import ModuleType

    from dem.model.walls.wall_shapes import WallShape

ENDS = ("none", "start", "end", "both")


class Axisymmetric(Protocol):
    """A wall that is a figure of revolution."""

    def profile(self) -> list[tuple[float, float]]:
        """Points (r, z) of the polyline."""

    def line(self) -> tuple[Point, Point]:
        """A point of the axis, where z is 0, and its direction."""


def revolved(wall: Axisymmetric, shapes: ModuleType) -> WallShape:
    """Shape of an axisymmetric wall: its profile, swept about its axis."""
    return shapes.revolution(wall.profile(), *wall.line())


def is_about(wall: Axisymmetric, centre: Point, axis: Point) -> bool:
    """Whether the wall stays the same if it turns about this axis: whether the axis is its own."""
    origin, own = wall.line()
    return on_line(origin, centre, axis) and parallel(own, axis)


def _closed(profile: list[tuple[float, float]], ends: str) -> list[tuple[float, float]]:
    """A profile with discs at its ends."""
    first = [(0.0, profile[0][1])] if ends in ("start", "both") and profile[0][0] > 0 else []
    last = [(0.0, profile[-1][1])] if ends in ("end", "both") and profile[-1][0] > 0 else []
    return [*first, *profile, *last]


@hinted
@dataclass(frozen=True, repr=False)
class Cylinder(Wall):
    """A cylinder: a tube or drum that particles are in, or a roll that they are outside of.

    Parameters
    ----------
    start, end : (3,) floats
        Middles of its two ends [m].
    radius : float
        [m].
    inside : bool
        Whether particles are inside. The shell is thin and pushes on both sides, so some may be outside as well; where
        this is false nobody may be inside.
    ends : "none", "start", "end" or "both", optional
        Which ends are closed by a disc; default: none where particles are inside, else both.
    material : Material
        Of the wall.
    motion : Motion or sequence of Motion, optional
        How it moves; of several, each moves what the ones before it have moved.
    surface_velocity : (3,) floats
        How its surface moves along itself as that of a belt does, the wall staying where it is [m/s].
    name : str
        By which it is called; default: its type in small letters.

    Raises
    ------
    ValueError, TypeError
        If a value is out of range, or start and end are the same.

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=2e8, poisson=0.3, name="steel")
    >>> turning = dem.Motion(axis=(0, 1, 0), rate=-2.0)
    >>> drum = dem.Cylinder((0, -0.03, 0), (0, 0.03, 0), 0.1, ends="both", material=steel, motion=turning)
    >>> drum.motion[0].rate
    -2.0
    """

    start: Point
    end: Point
    radius: float
    inside: bool = True
    ends: str = ""

    made, is_same_turned = revolved, is_about

    def __post_init__(self) -> None:
        """Check all of it."""
        keep(self, start="middle of an end of the cylinder [m]", end="middle of the other end of the cylinder [m]")
        keep_sizes(self, "radius")
        keep_flag(self, "inside")
        check_length(self)
        object.__setattr__(
            self,
            "ends",
            ("none" if self.inside else "both") if isinstance(self.ends, str) and not self.ends else self.ends,
        )
        checks.one_of("ends", self.ends, ENDS)
        super().__post_init__()

    def profile(self) -> list[tuple[float, float]]:
        """Points (r, z) of the polyline."""
        length = portable.length(direction(self.start, self.end))
        return _closed([(self.radius, 0.0), (self.radius, length)], self.ends)

    def line(self) -> tuple[Point, Point]:
        """The middle of the start, and the direction to the end."""
        return self.start, direction(self.start, self.end)

    def solid(self, points: np.ndarray) -> np.ndarray:
        """What is in a roll."""
        axis = np.subtract(self.end, self.start)
        along = ((points - self.start) * axis).sum(1) / portable.dot(axis, axis)
        off = np.linalg.norm(points - self.start - np.outer(along, axis), axis=1)
        return (along > 0) & (along < 1) & (off < self.radius) & (not self.inside)


@hinted
@dataclass(frozen=True, repr=False)
class Cone(Wall):
    """A cone, or what is left of one: a hopper or a chute that widens; particles may be on both sides.

    Parameters
    ----------
    start, end : (3,) floats
        Middles of its two ends [m].
    start_radius, end_radius : float
        There [m]; one of them may be zero.
    ends : "none", "start", "end" or "both"
        Which ends are closed by a disc.
    material, motion, surface_velocity, name
        As every wall has, see `dem.Cylinder`.

    Raises
    ------
    ValueError, TypeError
        If a value is out of range, or start and end are the same.

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=2e8, poisson=0.3, name="steel")
    >>> dem.Cone((0, 0, 0), (0, 0, 0.1), 0.02, 0.1, material=steel).profile()
    [(0.02, 0.0), (0.1, 0.1)]
    """

    start: Point
    end: Point
    start_radius: float
    end_radius: float
    ends: str = "none"

    made, is_same_turned = revolved, is_about

    def __post_init__(self) -> None:
        """Check all of it."""
        keep(self, start="middle of an end of the cone [m]", end="middle of the other end of the cone [m]")
        keep_sizes(self, "start_radius", "end_radius", least=0)
        check_length(self)
        if self.start_radius == self.end_radius == 0:
            message = "start_radius and end_radius of the cone are both 0 m: let one of them be above"
            raise ValueError(message)
        checks.one_of("ends", self.ends, ENDS)
        super().__post_init__()

    def profile(self) -> list[tuple[float, float]]:
        """Points (r, z) of the polyline."""
        length = portable.length(direction(self.start, self.end))
        return _closed([(self.start_radius, 0.0), (self.end_radius, length)], self.ends)

    def line(self) -> tuple[Point, Point]:
        """The middle of the start, and the direction to the end."""
        return self.start, direction(self.start, self.end)


@hinted
@dataclass(frozen=True, repr=False)
class Disc(Wall):
    """A disc, or a ring if it has a hole; particles may be on both sides.

    Parameters
    ----------
    centre, normal : (3,) floats
        [m]; direction of the axis, of any length.
    radius : float
        [m].
    inner_radius : float
        Of the hole [m]; 0 for none.
    material, motion, surface_velocity, name
        As every wall has, see `dem.Cylinder`.

    Raises
    ------
    ValueError, TypeError
        If a value is out of range, or the hole as large as the disc.

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=2e8, poisson=0.3, name="steel")
    >>> dem.Disc((0, 0, 0), (0, 0, 1), 0.1, inner_radius=0.02, material=steel).profile()
    [(0.02, 0.0), (0.1, 0.0)]
    """

    centre: Point
    normal: Point
    radius: float
    inner_radius: float = 0.0

    made, is_same_turned = revolved, is_about

    def __post_init__(self) -> None:
        """Check all of it."""
        keep(self, centre="of the disc [m]", normal="of the disc")
        keep_sizes(self, "inner_radius", least=0)
        object.__setattr__(self, "radius", checks.number("radius", self.radius, above=self.inner_radius, unit="m"))
        super().__post_init__()

    def profile(self) -> list[tuple[float, float]]:
        """Points (r, z) of the polyline."""
        return [(self.inner_radius, 0.0), (self.radius, 0.0)]

    def line(self) -> tuple[Point, Point]:
        """The centre and the normal."""
        return self.centre, self.normal


@hinted
@dataclass(frozen=True, repr=False)
class Revolution(Wall):
    """The surface that a polyline sweeps about an axis: silo, hopper or drum in one; particles may be on both sides.

    Parameters
    ----------
    points : (K, 2) floats
        (r, z) of the polyline, K at least 2 [m].
    origin, axis : (3,) floats
        Where r and z are 0 [m]; direction of z, of any length.
    material, motion, surface_velocity, name
        As every wall has, see `dem.Cylinder`.

    Raises
    ------
    ValueError, TypeError
        For fewer than two points, negative r, a point twice in a row, or a segment on the axis.

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=2e8, poisson=0.3, name="steel")
    >>> silo = dem.Revolution([(0.03, 0), (0.1, 0.07), (0.1, 0.4)], material=steel)
    >>> silo.points[0]
    (0.03, 0.0)
    """

    points: tuple[tuple[float, float], ...]
    origin: Point = (0.0, 0.0, 0.0)
    axis: Point = (0.0, 0.0, 1.0)

    made, is_same_turned = revolved, is_about

    def __post_init__(self) -> None:
        """Check all of it."""
        keep(self, origin="where r and z are 0 [m]", axis="of revolution")
        rows = checks.listed("points", self.points, "(0.1, 0.0)")
        values = checks.array("points", rows, (max(len(rows), 2), 2), "(r, z) of the polyline [m]", rows="N")
        object.__setattr__(self, "points", tuple(tuple(row) for row in values.tolist()))
        super().__post_init__()

    def profile(self) -> list[tuple[float, float]]:
        """Points (r, z) of the polyline."""
        return list(self.points)

    def line(self) -> tuple[Point, Point]:
        """Origin and axis."""
        return self.origin, self.axis
