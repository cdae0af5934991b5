"""Walls beside the box in files: their definition, stored once, and pose and load in each frame.

In a trajectory the group ``walls`` holds ``definition``, the input of each wall as JSON; arrays of meshes by the number
of the wall; and elements of H5MD with a row for each wall in each frame: the pose (`position` of the middle, and
`orientation`), the present `force` and `torque` on the wall, their time integrals since the start of the run (whose
differences give means), the `work` of the wall on particles, and the number of `contacts`. A wall that wears also has
the volume worn off each of its pieces, `worn_0` for the first wall.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.parsing import parse_json
from dem.base.quaternions import rotate
from dem.base.text import shown
from dem.files.checkpoints.serialization import from_recipe, recipe
from dem.files.reading.stored_field import read_rows
from dem.files.validation import hdf5_validation
from dem.files.validation.hdf5_validation import require
from dem.model.walls.wall import Wall

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import h5py

    from dem.system.system import System

GROUP = "walls"
WORN = "worn_"  # and the number of the wall
ELEMENTS = {
    "position": ((3,), "m"), "orientation": ((4,), ""), "force": ((3,), "N"), "torque": ((3,), "N m"),
    "impulse": ((3,), "N s"), "angular_impulse": ((3,), "N m s"), "work": ((), "J"), "contacts": ((), ""),
}  # fmt: skip


def create(file: h5py.File, sim: System, element: Callable) -> None:
    """Create the datasets of walls with one row a frame, if there are walls; `define` writes their definition."""
    if not sim.walls:
        return
    group = file.create_group(GROUP)
    for name, (shape, unit) in ELEMENTS.items():
        dataset = element(file, group, name, (len(sim.walls), *shape))
        if unit:
            dataset.attrs["unit"] = unit
    for k, each in _worn(sim):
        element(file, group, f"{WORN}{k}", (each.pieces,)).attrs["unit"] = "m+3"


def datasets(file: h5py.File) -> dict[str, h5py.Dataset]:
    """Datasets of walls with one row a frame, by name; none if there are no walls."""
    if GROUP not in file:
        return {}
    names = [*ELEMENTS, *(name for name in file[GROUP] if name.startswith(WORN))]
    return {f"{GROUP}/{name}": file[f"{GROUP}/{name}/value"] for name in names}


def rows(sim: System) -> dict[str, np.ndarray]:
    """Rows of the datasets of walls for the current state."""
    if not sim.walls:
        return {}
    values = {f"{GROUP}/{name}": np.array([getattr(each, name) for each in sim.walls], float) for name in ELEMENTS}
    return values | {f"{GROUP}/{WORN}{k}": each.worn for k, each in _worn(sim)}


def _worn(sim: System) -> list[tuple[int, object]]:
    """Walls that wear, with their numbers."""
    return [(k, each) for k, each in enumerate(sim.walls) if each.wear > 0]


def recipes(walls: Sequence[Wall]) -> list[dict]:
    """Recipes from which walls can be made again, without their arrays."""
    return [recipe(wall) for wall in walls]


def write_arrays(walls: Sequence[Wall], group: h5py.Group) -> None:
    """Write the arrays of walls that have arrays."""
    for k, wall in enumerate(walls):
        for name in wall.ARRAYS:
            group[f"{k}/{name}"] = getattr(wall, name)


def define(file: h5py.File, sim: System) -> None:
    """Write the definitions of the walls of a simulation, if there are any."""
    if sim.walls:
        group, walls = file[GROUP], [each.wall for each in sim.walls]
        group["definition"] = json.dumps(recipes(walls))
        group.attrs["names"] = json.dumps([each.called for each in sim.walls])
        write_arrays(walls, group)


def made_walls(given: list[dict], group: h5py.Group | None) -> list[Wall]:
    """Walls from recipes; raises ValueError for an invalid recipe."""
    require(isinstance(given, list), "its walls are no list")
    found = []
    for k, each in enumerate(given):
        require(isinstance(each, dict) and isinstance(each.get("values"), dict), f"wall {k} is {shown(each)}")
        if group is not None and str(k) in group:
            each["values"] |= hdf5_validation.arrays(group, str(k))
        wall = from_recipe(each)
        require(isinstance(wall, Wall), f"wall {k} is {shown(wall)}")
        found.append(wall)
    return found


class StoredWall(NamedTuple):
    """A wall of a run, with its pose and load in each frame.

    Arrays: (T, 3) [m], (T, 4) how it has turned since time 0, (T, 3) [N, N m, N s, N m s], (T,) [J], (T,). Force and
    torque are those of particles on it; the torque is about `about`.
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
    worn: np.ndarray  # (T, P) volume worn off each of its pieces [m³]; P = 0 without wear

    @property
    def about(self) -> np.ndarray:
        """Point that the torque is about, in each frame (T, 3) [m]: see `Simulation.walls`."""
        arm = self.wall.torque_centre - self.wall.middle
        return self.position + rotate(self.orientation, np.broadcast_to(arm, self.position.shape))

    @property
    def mean_force(self) -> np.ndarray:
        """Mean force from the previous frame to each frame (T, 3) [N]; at the first frame the current force."""
        return _mean(self.impulse, self.time, self.force)

    @property
    def mean_torque(self) -> np.ndarray:
        """Mean torque from the previous frame to each frame (T, 3) [N m]; at the first frame the present torque."""
        return _mean(self.angular_impulse, self.time, self.torque)


def _mean(integral: np.ndarray, time: np.ndarray, now: np.ndarray) -> np.ndarray:
    span = np.diff(time)[:, None]
    between = np.diff(integral, axis=0) / np.where(span > 0, span, 1.0)
    return np.concatenate([now[:1], np.where(span > 0, between, now[1:])])


def stored(file: h5py.File, frames: range, time: np.ndarray) -> tuple[StoredWall, ...]:
    """Walls of a trajectory, in some of its frames."""
    if GROUP not in file:
        return ()
    group = file[GROUP]
    walls = made_walls(parse_json(hdf5_validation.text(group["definition"]), "the walls"), group)
    names = parse_json(group.attrs["names"], "names of walls")
    every = {name: read_rows(group[f"{name}/value"], frames, slice(None)) for name in ELEMENTS}

    def worn(w: int) -> np.ndarray:
        name = f"{WORN}{w}"
        return read_rows(group[f"{name}/value"], frames, slice(None)) if name in group else np.zeros((len(frames), 0))

    return tuple(
        StoredWall(wall, name, time, **{what: values[:, w] for what, values in every.items()}, worn=worn(w))
        for w, (wall, name) in enumerate(zip(walls, names, strict=True))
    )
