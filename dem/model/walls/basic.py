"""Words for walls: planes and balls, and what all words share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dem.base import checks
from dem.base.user_classes import hinted
from dem.model.walls.wall import Wall, on_line, parallel

if TYPE_CHECKING:
    from types import ModuleType

    from dem.model.walls.wall_shapes import WallShape

Point = tuple[float, float, float]


def keep(wall: Wall, **meanings: str) -> None:
    """Check vectors of a wall, and keep them as tuples of floats."""
    for name, meaning in meanings.items():
        object.__setattr__(wall, name, checks.vector(name, getattr(wall, name), meaning))


def keep_sizes(wall: Wall, *names: str, least: float | None = None) -> None:
    """Check lengths of a wall: above zero, or at least so much."""
    for name in names:
        limit = {"above": 0} if least is None else {"least": least}
        object.__setattr__(wall, name, checks.number(name, getattr(wall, name), unit="m", **limit))


def keep_flag(wall: Wall, name: str) -> None:
    """Check that something is true or false."""
    if not isinstance(getattr(wall, name), bool):
        message = f"{name} of the {wall.word} is {getattr(wall, name)!r}, expected True or False"
        raise TypeError(message)


@hinted
@dataclass(frozen=True, repr=False)
class Plane(Wall):
    """A plane without end, and all that is behind it.

    Parameters
    ----------
    point : (3,) floats
        Any of its points [m].
    normal : (3,) floats
        Its direction, to where particles are; of any length.
    material, motion, surface_velocity, name
        As every wall has, see `dem.Cylinder`. A plane may turn about its normal only.

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

    ENDLESS: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check all of it."""
        keep(self, point="of the plane [m]", normal="of the plane")
        super().__post_init__()

    def made(self, shapes: ModuleType) -> WallShape:
        """Its shape."""
        return shapes.plane(self.point, self.normal)

    def is_same_turned(self, centre: Point, axis: Point) -> bool:
        """If it turns about its normal."""
        del centre
        return parallel(axis, self.normal)

    @property
    def middle(self) -> np.ndarray:
        """The point that was given (3,) [m]."""
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
    >>> dem.Ball((0, 0, 0), 0.1, material=steel, inside=True).radius
    0.1
    """

    centre: Point
    radius: float
    inside: bool = False

    def __post_init__(self) -> None:
        """Check all of it."""
        keep(self, centre="of the ball [m]")
        keep_sizes(self, "radius")
        keep_flag(self, "inside")
        super().__post_init__()

    def made(self, shapes: ModuleType) -> WallShape:
        """Its shape."""
        return shapes.ball(self.centre, self.radius, inside=self.inside)

    def is_same_turned(self, centre: Point, axis: Point) -> bool:
        """About any axis through its centre."""
        return on_line(self.centre, centre, axis)


def check_length(wall: Wall) -> None:
    """Refuse ends that are the same."""
    if wall.start == wall.end:
        message = f"start and end of the {wall.word} are both {wall.start}: let them differ"
        raise ValueError(message)


def direction(start: Point, end: Point) -> Point:
    """From start to end."""
    x, y, z = np.subtract(end, start).tolist()
    return x, y, z
