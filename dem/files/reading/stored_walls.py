"""Read the walls of a trajectory, see `dem.files.h5md.walls`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.parsing import parse_json
from dem.files.checkpoints.serialization import made, recipe
from dem.files.h5md.walls import ELEMENTS, GROUP, WORN
from dem.files.reading.stored_field import read_rows
from dem.files.validation import input_validation
from dem.files.validation.hdf5_validation import require
from dem.model.walls.wall import Wall

if TYPE_CHECKING:
    from collections.abc import Sequence

    import h5py

    from dem.system.system import System


def recipes(walls: Sequence[Wall]) -> list[dict]:
    """How to make walls again, but for arrays."""
    return [recipe(wall) for wall in walls]


def write_arrays(walls: Sequence[Wall], group: h5py.Group) -> None:
    """Write the arrays of walls that have any."""
    for k, wall in enumerate(walls):
        for name in wall.ARRAYS:
            group[f"{k}/{name}"] = getattr(wall, name)


def define(file: h5py.File, sim: System) -> None:
    """Write what the walls of a simulation are, if it has any."""
    if sim.walls:
        group, walls = file[GROUP], [each.wall for each in sim.walls]
        group["definition"] = json.dumps(recipes(walls))
        group.attrs["names"] = json.dumps([each.called for each in sim.walls])
        write_arrays(walls, group)


def made_walls(given: list[dict], group: h5py.Group | None) -> list[Wall]:
    """Walls made from recipes; raises ValueError for an invalid recipe."""
    require(isinstance(given, list), "its walls are no list")
    found = []
    for k, each in enumerate(given):
        require(isinstance(each, dict) and isinstance(each.get("values"), dict), f"wall {k} is {each!r}")
        if group is not None and str(k) in group:
            each["values"] |= input_validation.arrays(group, str(k))
        wall = made(each)
        require(isinstance(wall, Wall), f"wall {k} is {wall!r}")
        found.append(wall)
    return found


class StoredWall(NamedTuple):
    """A wall of a run, with its pose and load at each frame.

    Arrays: (T, 3) [m], (T, 4) how it has turned since time 0, (T, 3) [N, N m, N s, N m s], (T,) [J], (T,). Force and
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
    worn: np.ndarray  # (T, P) volume worn off each of its pieces [m³]; P = 0 without wear

    @property
    def mean_force(self) -> np.ndarray:
        """Mean force from the frame before to each (T, 3) [N]; at the first one it is what it is then."""
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
    """The walls of a trajectory, at some of its frames."""
    if GROUP not in file:
        return ()
    group = file[GROUP]
    walls = made_walls(parse_json(input_validation.text(group["definition"]), "the walls"), group)
    names = parse_json(group.attrs["names"], "names of walls")
    every = {name: read_rows(group[f"{name}/value"], frames, slice(None)) for name in ELEMENTS}

    def worn(w: int) -> np.ndarray:
        name = f"{WORN}{w}"
        return read_rows(group[f"{name}/value"], frames, slice(None)) if name in group else np.zeros((len(frames), 0))

    return tuple(
        StoredWall(wall, name, time, **{what: values[:, w] for what, values in every.items()}, worn=worn(w))
        for w, (wall, name) in enumerate(zip(walls, names, strict=True))
    )
