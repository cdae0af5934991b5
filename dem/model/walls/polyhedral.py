"""Words for walls that are bodies or sheets with edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dem.base.user_classes import hinted
from dem.model.walls.basic import Point, check_length, direction, keep, keep_flag, keep_sizes
from dem.model.walls.wall import Wall, on_line, parallel

if TYPE_CHECKING:
    from types import ModuleType

    from dem.model.walls.wall_shapes import WallShape


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
    material, motion, surface_velocity, name
        As every wall has, see `dem.Cylinder`.

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
        """Check all of it."""
        keep(self, centre="of the rectangle [m]", edge="of the rectangle [m]", other_edge="of the rectangle [m]")
        super().__post_init__()

    def made(self, shapes: ModuleType) -> WallShape:
        """Its shape."""
        return shapes.rectangle(self.centre, self.edge, self.other_edge)


@hinted
@dataclass(frozen=True, repr=False)
class Block(Wall):
    """A block with edges along the axes, that particles are outside of.

    Parameters
    ----------
    lower, upper : (3,) floats
        Opposite corners [m], lower below upper on each axis.
    material, motion, surface_velocity, name
        As every wall has, see `dem.Cylinder`.

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
        """Check all of it."""
        keep(self, lower="a corner of the block [m]", upper="the opposite corner of the block [m]")
        if not all(low < high for low, high in zip(self.lower, self.upper, strict=True)):
            message = f"block from {self.lower} to {self.upper} has no volume: lower must be below upper on each axis"
            raise ValueError(message)
        super().__post_init__()

    def made(self, shapes: ModuleType) -> WallShape:
        """Its shape."""
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
    >>> dem.CapsuleWall((0, 0, 0), (0, 0, 0.1), 0.005, material=steel).radius
    0.005
    """

    start: Point
    end: Point
    radius: float

    def __post_init__(self) -> None:
        """Check all of it."""
        keep(self, start="middle of a cap of the capsule [m]", end="middle of the other cap of the capsule [m]")
        keep_sizes(self, "radius")
        check_length(self)
        super().__post_init__()

    def made(self, shapes: ModuleType) -> WallShape:
        """Its shape."""
        return shapes.capsule(self.start, self.end, self.radius)

    def is_same_turned(self, centre: Point, axis: Point) -> bool:
        """About its own axis."""
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
        Of the middle of the tube, and of the tube itself, the latter the smaller one [m].
    inside : bool
        Whether particles are in the tube.
    material, motion, surface_velocity, name
        As every wall has, see `dem.Cylinder`.

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
        """Check all of it."""
        keep(self, centre="of the torus [m]", axis="of the torus")
        keep_sizes(self, "radius", "tube")
        keep_flag(self, "inside")
        super().__post_init__()

    def made(self, shapes: ModuleType) -> WallShape:
        """Its shape."""
        return shapes.torus(self.centre, self.axis, self.radius, self.tube, inside=self.inside)

    def is_same_turned(self, centre: Point, axis: Point) -> bool:
        """About its own axis."""
        return on_line(self.centre, centre, axis) and parallel(self.axis, axis)
