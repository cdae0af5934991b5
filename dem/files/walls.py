"""Walls beside the box in files: what they are, once, and at each frame where they are and what they feel.

In a trajectory the group ``walls`` holds ``definition``, how to make each wall again as JSON, arrays of meshes by the
number of the wall, and elements of H5MD with a row a wall at each frame: the pose (`position` of the middle, and
`orientation`), `force` and `torque` on the wall then, their time integrals since the run began, of which differences
are means, the `work` that it has done on particles, and the number of `contacts`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.json_texts import parsed
from dem.files import gate
from dem.files.recipes import made, recipe
from dem.files.stored_field import read_rows
from dem.files.structure import require
from dem.model.wall import Wall

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import h5py

    from dem.system.system import System

GROUP = "walls"
ELEMENTS = {
    "position": ((3,), "m"), "orientation": ((4,), ""), "force": ((3,), "N"), "torque": ((3,), "N m"),
    "impulse": ((3,), "N s"), "angular_impulse": ((3,), "N m s"), "work": ((), "J"), "contacts": ((), ""),
}  # fmt: skip


def recipes(walls: Sequence[Wall]) -> list[dict]:
    """How to make walls again, but for arrays."""
    return [recipe(wall) for wall in walls]


def write_arrays(walls: Sequence[Wall], group: h5py.Group) -> None:
    """Write the arrays of walls that have any."""
    for k, wall in enumerate(walls):
        for name in wall.ARRAYS:
            group[f"{k}/{name}"] = getattr(wall, name)


def made_walls(given: list[dict], group: h5py.Group | None) -> list[Wall]:
    """The walls that recipes tell; raises ValueError for what is none."""
    require(isinstance(given, list), "its walls are no list")
    found = []
    for k, each in enumerate(given):
        require(isinstance(each, dict) and isinstance(each.get("values"), dict), f"wall {k} is {each!r}")
        if group is not None and str(k) in group:
            each["values"] |= gate.arrays(group, str(k))
        wall = made(each)
        require(isinstance(wall, Wall), f"wall {k} is {wall!r}")
        found.append(wall)
    return found


def create(file: h5py.File, sim: System, element: Callable) -> None:
    """Lay out the walls of a simulation that has any."""
    if not sim.walls:
        return
    group = file.create_group(GROUP)
    walls = [each.wall for each in sim.walls]
    group["definition"] = json.dumps(recipes(walls))
    group.attrs["names"] = json.dumps([each.called for each in sim.walls])
    write_arrays(walls, group)
    for name, (shape, unit) in ELEMENTS.items():
        dataset = element(file, group, name, (len(walls), *shape))
        if unit:
            dataset.attrs["unit"] = unit


def datasets(file: h5py.File) -> dict[str, h5py.Dataset]:
    """Datasets with a row a frame, by name; none if there are no walls."""
    return {f"{GROUP}/{name}": file[f"{GROUP}/{name}/value"] for name in ELEMENTS} if GROUP in file else {}


def rows(sim: System) -> dict[str, np.ndarray]:
    """What the present state puts into each of them."""
    if not sim.walls:
        return {}
    return {f"{GROUP}/{name}": np.array([getattr(each, name) for each in sim.walls], float) for name in ELEMENTS}


def count(file: h5py.File) -> int:
    """Walls in a trajectory."""
    return len(parsed(gate.text(file[f"{GROUP}/definition"]), "the walls")) if GROUP in file else 0


class StoredWall(NamedTuple):
    """A wall of a run, with a row a frame of what it did and felt.

    Arrays: (T, 3) [m], (T, 4) how it has turned since time 0, (T, 3) [N, N m, N s, N m s], (T,) [J], (T,). Its force and
    torque are those of particles on it; the torque is about a point of its axis of rotation, or its middle.
    """

    wall: Wall
    name: str
    time: np.ndarray
    position: np.ndarray
    orientation: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    impulse: np.ndarray
    angular_impulse: np.ndarray
    work: np.ndarray
    contacts: np.ndarray

    @property
    def mean_force(self) -> np.ndarray:
        """Mean force from the frame before to each (T, 3) [N]; at the first one it is what it is then."""
        return _mean(self.impulse, self.time, self.force)

    @property
    def mean_torque(self) -> np.ndarray:
        """The same of the torque [N m]."""
        return _mean(self.angular_impulse, self.time, self.torque)


def _mean(integral: np.ndarray, time: np.ndarray, now: np.ndarray) -> np.ndarray:
    span = np.diff(time)[:, None]
    between = np.diff(integral, axis=0) / np.where(span > 0, span, 1.0)
    return np.concatenate([now[:1], np.where(span > 0, between, now[1:])])


def stored(file: h5py.File, frames: range, time: np.ndarray) -> tuple[StoredWall, ...]:
    """The walls of a trajectory, at some of its frames."""
    if GROUP not in file:
        return ()
    group = file[GROUP]
    walls = made_walls(parsed(gate.text(group["definition"]), "the walls"), group)
    names = parsed(group.attrs["names"], "names of walls")
    every = {name: read_rows(group[f"{name}/value"], frames, slice(None)) for name in ELEMENTS}
    return tuple(
        StoredWall(wall, name, time, **{what: values[:, w] for what, values in every.items()})
        for w, (wall, name) in enumerate(zip(walls, names, strict=True))
    )
