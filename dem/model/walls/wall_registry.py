"""Registry of walls of other packages, which adds them to case files and kernels."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import TYPE_CHECKING

from dem.base.imports import installed, load_entry
from dem.model.walls.wall import Wall

if TYPE_CHECKING:
    from dem.kernels.walls.wall_registry import WallKind

GROUP = "dem.walls"  # entry-point group of walls by their type in case files; any installed package may add to it
REGISTERED: dict[str, type[Wall]] = {}  # walls of other packages by their type


def register_wall(wall: type[Wall], kind: type, row: WallKind) -> type[Wall]:
    """Register a kind of wall for simulations, case files and the kernels.

    Case files know the wall by its class name in small letters. They find it by an entry point of the group of walls,
    with that name and the class, see ``dem guide own``. Values that no wall of `dem` has are keys of case files if
    their field is a `number` or `vector` of `dem.model.contact.law_component`.

    Parameters
    ----------
    wall : type
        A frozen dataclass that derives from `dem.model.walls.wall.Wall`; its `build_shape` returns a `WallShape`.
    kind : type
        A NamedTuple without fields, by which kernels find the row.
    row : WallKind
        Distance, how sides of capsules meet it, and triangles, see `dem.kernels.walls.wall_registry.WallKind`.

    Returns
    -------
    type
        The wall.

    Raises
    ------
    TypeError, ValueError
        If it is no such dataclass, or its type that of another wall.

    Examples
    --------
    >>> import dem
    >>> import numpy as np
    >>> from dataclasses import dataclass
    >>> from typing import NamedTuple
    >>> from dem.kernels.compiler.jit import inline
    >>> from dem.kernels.walls.wall_registry import WallKind
    >>> from dem.model.walls.wall import Wall
    >>> from dem.model.walls.wall_shapes import WallShape
    >>> @inline
    ... def distance(x, numbers, k):
    ...     return x[2] - numbers[k], (0.0, 0.0, 1.0)
    >>> class LevelKind(NamedTuple):
    ...     "All above a level."
    >>> @dataclass(frozen=True, repr=False)
    ... class Level(Wall):
    ...     level: float
    ...
    ...     def build_shape(self, shapes):
    ...         endless = np.full(3, np.inf)
    ...         return WallShape(LevelKind, np.array([self.level]), -endless, endless)
    >>> dem.register_wall(Level, LevelKind, WallKind(distance=distance)).type_name()
    'level'
    >>> unregister_wall(Level, LevelKind)
    """
    from dem.kernels.walls.wall_registry import KINDS  # noqa: PLC0415, runs are read without numba

    if not (isinstance(wall, type) and issubclass(wall, Wall) and is_dataclass(wall)):
        message = (
            f"{wall!r} is no dataclass of a Wall: derive it from dem.model.walls.wall.Wall, with "
            "@dataclass(frozen=True)"
        )
        raise TypeError(message)
    if not (isinstance(kind, type) and hasattr(kind, "_fields")) or not callable(row.distance):
        message = f"{wall.__name__} has the kind {kind!r} and the distance {row.distance!r}, expected a NamedTuple "
        raise TypeError(message + "and a formula")
    name, module = wall.type_name(), wall.__module__
    others = {each.type_name(): each.__module__ for each in Wall.__subclasses__() if each is not wall}
    if others.get(name, module) != module:
        message = f"type of {wall.__name__} is {name!r}, which is that of a wall of {others[name]}: rename its class"
        raise ValueError(message)
    KINDS[kind], REGISTERED[name] = row, wall
    return wall


def unregister_wall(wall: type[Wall], kind: type) -> None:
    """Unregister a wall and its kind."""
    from dem.kernels.walls.wall_registry import KINDS  # noqa: PLC0415, runs are read without numba

    del KINDS[kind], REGISTERED[wall.type_name()]


def registered_walls() -> dict[str, type[Wall]]:
    """Walls of other packages by their type; raises ValueError if one cannot be loaded."""
    for entry in installed(GROUP).values():
        load_entry("wall", entry)
    return REGISTERED
