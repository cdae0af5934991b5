"""Walls of simple shapes for users: planes, balls, blocks, sheets, surfaces of revolution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from dem.base import checks, portable
from dem.base.user_classes import hinted
from dem.model.walls.wall import Wall, on_line, parallel

if TYPE_CHECKING:
    from types import ModuleType

    from dem.model.walls.wall_shapes import WallShape

Point = tuple[float, float, float]
ENDS = ("none", "start", "end", "both")


def keep(wall: Wall, **meanings: str) -> None:
    """Check vectors of a wall, and keep them as tuples of floats."""
    for name, meaning in meanings.items():
        object.__setattr__(wall, name, checks.vector(name, getattr(wall, name), meaning))


def store_sizes(wall: Wall, *names: str, **limit: float) -> None:
    """Check lengths of a wall: above zero, or within a limit as of `checks.number`."""
    for name in names:
        given = checks.number(name, getattr(wall, name), unit="m", **(limit or {"above": 0}))
        object.__setattr__(wall, name, given)


def store_flag(wall: Wall, name: str) -> None:
    """Check that something is true or false."""
    if not isinstance(getattr(wall, name), bool):
        message = f"{name} of the {wall.word} is {getattr(wall, name)!r}, expected True or False"
        raise TypeError(message)


def store_ends(wall: Wall, of: str) -> None:
    """Check and store the two ends of a wall."""
    keep(wall, start=f"middle of {of} [m]", end=f"middle of the other {of.partition(' ')[2]} [m]")
    if wall.start == wall.end:
        message = f"start and end of the {wall.word} are both {wall.start}: let them differ"
        raise ValueError(message)


def direction(start: Point, end: Point) -> Point:
    """Vector from start to end."""
    x, y, z = np.subtract(end, start).tolist()
    return x, y, z


class Axisymmetric(Protocol):
    """A wall that is a figure of revolution."""

    def profile(self) -> list[tuple[float, float]]:
        """Points (r, z) of the polyline."""

    def line(self) -> tuple[Point, Point]:
        """A point of the axis, where z is 0, and its direction."""


def revolved(wall: Axisymmetric, shapes: ModuleType) -> WallShape:
    """Shape of an axisymmetric wall: its profile, swept about its axis."""
    return shapes.revolution(wall.profile(), *wall.line())


def line_between_ends(wall: Cylinder | Cone) -> tuple[Point, Point]:
    """The middle of the start, and the direction to the end."""
    return wall.start, direction(wall.start, wall.end)


def is_about(wall: Axisymmetric, centre: Point, axis: Point) -> bool:
    """Whether the wall stays the same when rotated about an axis: whether the axis is its own."""
    origin, own = wall.line()
    return on_line(origin, centre, axis) and parallel(own, axis)


def _closed(profile: list[tuple[float, float]], ends: str) -> list[tuple[float, float]]:
    """A profile with discs at its ends."""
    first = [(0.0, profile[0][1])] if ends in ("start", "both") and profile[0][0] > 0 else []
    last = [(0.0, profile[-1][1])] if ends in ("end", "both") and profile[-1][0] > 0 else []
    return [*first, *profile, *last]


@hinted
@dataclass(frozen=True, repr=False)
class Plane(Wall):
    """An infinite plane; the half space behind it is solid.

    Parameters
    ----------
    point : (3,) floats
        Any of its points [m].
    normal : (3,) floats
        Its direction, to where particles are; of any length.
    material, motion, ..., name
        As every wall has, all of them at `dem.Cylinder`. A plane may turn about its normal only.

    Raises
    ------
    ValueError, TypeError
        If a value is not finite, or the normal zero.

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=2e8, poisson=0.3, name="steel")
    >>> dem.Plane((0, 0, 0), (1, 0, 1), material=steel).normal
    (1.0, 0.0, 1.0)
    """

    point: Point
    normal: Point

    def __post_init__(self) -> None:
        """Check all values."""
        keep(self, point="of the plane [m]", normal="of the plane")
        super().__post_init__()

    def build_shape(self, shapes: ModuleType) -> WallShape:
        """Shape of the wall."""
        return shapes.plane(self.point, self.normal)

    def is_same_turned(self, centre: Point, axis: Point) -> bool:
        """Whether the plane stays the same when rotated: about its normal."""
        del centre
        return parallel(axis, self.normal)

    @property
    def middle(self) -> np.ndarray:
        """The given point of the plane (3,) [m]."""
        return np.array(self.point)


@hinted
@dataclass(frozen=True, repr=False)
class Ball(Wall):
    """A ball that particles are outside of, or a hollow ball that they are inside of.

    Parameters
    ----------
    centre : (3,) floats
        [m].
    radius : float
        [m].
    inside : bool
        Whether particles are inside.
    material, motion, ..., name
        As every wall has, all of them at `dem.Cylinder`.

    Raises
    ------
    ValueError, TypeError
        If a value is out of range.

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=2e8, poisson=0.3, name="steel")
    >>> dem.Ball((0, 0, 0), 0.1, material=steel, inside=True).radius
    0.1
    """

    centre: Point
    radius: float
    inside: bool = False

    def __post_init__(self) -> None:
        """Check all values."""
        keep(self, centre="of the ball [m]")
        store_sizes(self, "radius")
        store_flag(self, "inside")
        super().__post_init__()

    def build_shape(self, shapes: ModuleType) -> WallShape:
        """Shape of the wall."""
        return shapes.ball(self.centre, self.radius, inside=self.inside)

    def is_same_turned(self, centre: Point, axis: Point) -> bool:
        """Whether the ball stays the same when rotated: about any axis through its centre."""
        return on_line(self.centre, centre, axis)


@hinted
@dataclass(frozen=True, repr=False)
class Rectangle(Wall):
    """A rectangle; particles may be on both sides.

    Parameters
    ----------
    centre : (3,) floats
        [m].
    edge, other_edge : (3,) floats
        Two of its edges, at right angles, as vectors from end to end [m].
    material, motion, ..., name
        As every wall has, all of them at `dem.Cylinder`.

    Raises
    ------
    ValueError, TypeError
        If a value is out of range, or the edges are not at right angles.

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=2e8, poisson=0.3, name="steel")
    >>> dem.Rectangle((0, 0, 0), (0.2, 0, 0), (0, 0.1, 0), material=steel).edge
    (0.2, 0.0, 0.0)
    """

    centre: Point
    edge: Point
    other_edge: Point

    def __post_init__(self) -> None:
        """Check all values."""
        keep(self, centre="of the rectangle [m]", edge="of the rectangle [m]", other_edge="of the rectangle [m]")
        super().__post_init__()

    def build_shape(self, shapes: ModuleType) -> WallShape:
        """Shape of the wall."""
        return shapes.rectangle(self.centre, self.edge, self.other_edge)


@hinted
@dataclass(frozen=True, repr=False)
class Block(Wall):
    """A block with edges along the axes, that particles are outside of.

    Parameters
    ----------
    lower, upper : (3,) floats
        Opposite corners [m], lower below upper on each axis.
    material, motion, ..., name
        As every wall has, all of them at `dem.Cylinder`.

    Raises
    ------
    ValueError, TypeError
        If the corners do not span a volume.

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=2e8, poisson=0.3, name="steel")
    >>> dem.Block((0, 0, 0), (0.1, 0.1, 0.02), material=steel).upper
    (0.1, 0.1, 0.02)
    """

    lower: Point
    upper: Point

    def __post_init__(self) -> None:
        """Check all values."""
        keep(self, lower="a corner of the block [m]", upper="the opposite corner of the block [m]")
        if not all(low < high for low, high in zip(self.lower, self.upper, strict=True)):
            message = f"block from {self.lower} to {self.upper} has no volume: lower must be below upper on each axis"
            raise ValueError(message)
        super().__post_init__()

    def build_shape(self, shapes: ModuleType) -> WallShape:
        """Shape of the wall."""
        middle = 0.5 * np.add(self.lower, self.upper)
        return shapes.block(middle, *np.diag(np.subtract(self.upper, self.lower)))


@hinted
@dataclass(frozen=True, repr=False)
class CapsuleWall(Wall):
    """A wall in the shape of a capsule, a cylinder with round ends, that particles are outside of.

    Parameters
    ----------
    start, end : (3,) floats
        Middles of its two caps [m].
    radius : float
        [m].
    material, motion, ..., name
        As every wall has, all of them at `dem.Cylinder`.

    Raises
    ------
    ValueError, TypeError
        If a value is out of range, or start and end are the same.

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=2e8, poisson=0.3, name="steel")
    >>> dem.CapsuleWall((0, 0, 0), (0, 0, 0.1), 0.005, material=steel).radius
    0.005
    """

    start: Point
    end: Point
    radius: float

    def __post_init__(self) -> None:
        """Check all values."""
        store_ends(self, "a cap of the capsule")
        store_sizes(self, "radius")
        super().__post_init__()

    def build_shape(self, shapes: ModuleType) -> WallShape:
        """Shape of the wall."""
        return shapes.capsule(self.start, self.end, self.radius)

    def is_same_turned(self, centre: Point, axis: Point) -> bool:
        """Whether the wall stays the same when rotated: about its own axis."""
        return on_line(self.start, centre, axis) and parallel(direction(self.start, self.end), axis)


@hinted
@dataclass(frozen=True, repr=False)
class Torus(Wall):
    """A torus: a ring that particles are outside of, or a tube bent round that they are inside of.

    Parameters
    ----------
    centre, axis : (3,) floats
        [m]; its direction, of any length.
    radius, tube : float
        Radius of the circle in the middle of the tube, and smaller radius of the tube itself [m].
    inside : bool
        Whether particles are in the tube.
    material, motion, ..., name
        As every wall has, all of them at `dem.Cylinder`.

    Raises
    ------
    ValueError, TypeError
        If a value is out of range.

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=2e8, poisson=0.3, name="steel")
    >>> dem.Torus((0, 0, 0), (0, 0, 1), 0.1, 0.02, material=steel, inside=True).tube
    0.02
    """

    centre: Point
    axis: Point
    radius: float
    tube: float
    inside: bool = False

    def __post_init__(self) -> None:
        """Check all values."""
        keep(self, centre="of the torus [m]", axis="of the torus")
        store_sizes(self, "radius", "tube")
        store_flag(self, "inside")
        super().__post_init__()

    def build_shape(self, shapes: ModuleType) -> WallShape:
        """Shape of the wall."""
        return shapes.torus(self.centre, self.axis, self.radius, self.tube, inside=self.inside)

    def is_same_turned(self, centre: Point, axis: Point) -> bool:
        """Whether the wall stays the same when rotated: about its own axis."""
        return on_line(self.centre, centre, axis) and parallel(self.axis, axis)


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
        Whether particles are inside. The shell is thin and pushes on both sides, so particles may be outside as well.
        If this is false, particles inside are refused.
    ends : "none", "start", "end" or "both", optional
        Which ends are closed by a disc; default: none where particles are inside, else both.
    material : Material
        Material of the wall; none if the wall is only a region (`dem.Inserter`, `dem.Outlet`).
    motion : Motion or sequence of Motion, optional
        Motion of the wall; of several, each moves what those before it have moved.
    servo : Servo or PID, optional
        Controller that moves the wall so that it presses with a force, in addition to its motion.
    free : RigidWall, optional
        Makes the wall a rigid body that particles move, in place of a motion.
    surface_velocity : (3,) floats
        Velocity of the surface along itself, like a conveyor belt, while the wall stays in place [m/s]; the part along
        the normal does not count. The velocity turns with the wall.
    roughness : float
        Standard deviation of its inclination [rad], at most 1: each contact of a particle's sphere meets a wall
        inclined at random, as at a rough `dem.Box`, drawn for it when it begins (`dem.effective_density`). The plane
        moves with the wall; on a curved one it holds within R times this much of the wall.
    seed : int
        Seed of the inclinations.
    wear : float
        Archard's k/H, a coefficient over the hardness [1/Pa]: the volume that a newton wears off in a metre of sliding
        [m³]. The worn volume is summed for each piece of the wall; the shape does not change.
    temperature : float, optional
        Temperature of the surface [K], in a run with `dem.Heat`; default: no heat passes by conduction.
    heat_capacity : float, optional
        Heat capacity of the whole wall [J/K]. Its temperature then changes by the heat that passes, from `temperature`
        at the start. Default: the temperature is constant.
    heat_flux : float
        Heat flux into the cross-section π R² of each particle in contact [W/m²], in such a run.
    present_from, present_until : float
        Times at which the wall appears and vanishes [s], both rounded up to whole steps; default: it is always present.
        Its motion continues while it is absent. A run stops with a ValueError if a wall appears where particles are.
    acts_on, ignores : str or sequence of str
        Names of the kinds of particles on which alone the wall acts, or does not act, like a sieve or a membrane: one
        of the two. A kind has its `name`, or that of its shape, see `dem.Particles`. Default: it acts on all.
    name : str
        Name of the wall; default: its type in lower case.

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

    build_shape, is_same_turned = revolved, is_about

    def __post_init__(self) -> None:
        """Check all values."""
        store_ends(self, "an end of the cylinder")
        store_sizes(self, "radius")
        store_flag(self, "inside")
        if isinstance(self.ends, str) and not self.ends:
            object.__setattr__(self, "ends", "none" if self.inside else "both")
        checks.one_of("ends", self.ends, ENDS)
        super().__post_init__()

    def profile(self) -> list[tuple[float, float]]:
        """Points (r, z) of the polyline."""
        length = portable.length(direction(self.start, self.end))
        return _closed([(self.radius, 0.0), (self.radius, length)], self.ends)

    line = line_between_ends

    def inside_shell(self, points: np.ndarray) -> np.ndarray:
        """Which points (M, 3) [m] are inside a roll, which particles are outside of (M,), at time 0.

        Examples
        --------
        >>> import dem
        >>> roll = dem.Cylinder((0, 0, 0), (0, 0, 1), 0.1, inside=False)
        >>> roll.inside_shell(np.array([[0, 0, 0.5], [0.2, 0, 0.5]]))
        array([ True, False])
        """
        axis = np.subtract(self.end, self.start)
        along = ((points - self.start) * axis).sum(1) / portable.dot(axis, axis)
        off = np.linalg.norm(points - self.start - np.outer(along, axis), axis=1)
        return (along > 0) & (along < 1) & (off < self.radius) & (not self.inside)


@hinted
@dataclass(frozen=True, repr=False)
class Cone(Wall):
    """A cone or a truncated cone, such as a hopper; particles may be on both sides.

    Parameters
    ----------
    start, end : (3,) floats
        Middles of its two ends [m].
    start_radius, end_radius : float
        There [m]; one of them may be zero.
    ends : "none", "start", "end" or "both"
        Which ends are closed by a disc.
    material, motion, ..., name
        As every wall has, all of them at `dem.Cylinder`.

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

    build_shape, is_same_turned = revolved, is_about

    def __post_init__(self) -> None:
        """Check all values."""
        store_ends(self, "an end of the cone")
        store_sizes(self, "start_radius", "end_radius", least=0)
        if self.start_radius == self.end_radius == 0:
            message = "start_radius and end_radius of the cone are both 0 m: let one of them be larger"
            raise ValueError(message)
        checks.one_of("ends", self.ends, ENDS)
        super().__post_init__()

    def profile(self) -> list[tuple[float, float]]:
        """Points (r, z) of the polyline."""
        length = portable.length(direction(self.start, self.end))
        return _closed([(self.start_radius, 0.0), (self.end_radius, length)], self.ends)

    line = line_between_ends


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
        Radius of the hole [m]; 0: no hole.
    material, motion, ..., name
        As every wall has, all of them at `dem.Cylinder`.

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

    build_shape, is_same_turned = revolved, is_about

    def __post_init__(self) -> None:
        """Check all values."""
        keep(self, centre="of the disc [m]", normal="of the disc")
        store_sizes(self, "inner_radius", least=0)
        store_sizes(self, "radius", above=self.inner_radius)
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
        Point at which r and z are 0 [m]; direction of z, of any length.
    material, motion, ..., name
        As every wall has, all of them at `dem.Cylinder`.

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

    build_shape, is_same_turned = revolved, is_about

    def __post_init__(self) -> None:
        """Check all values."""
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
