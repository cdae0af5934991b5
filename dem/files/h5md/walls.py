"""Walls beside the box in files: their definition, once, and their pose and load at each frame.

In a trajectory the group ``walls`` holds ``definition``, how to make each wall again as JSON, arrays of meshes by the
number of the wall, and elements of H5MD with a row a wall at each frame: the pose (`position` of the middle, and
`orientation`), `force` and `torque` on the wall then, their time integrals since the run began, of which differences
are means, the `work` that it has done on particles, and the number of `contacts`. Of a wall that wears there is the
volume that has gone from each of its pieces besides, `worn_0` of the first wall.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import h5py

    from dem.system.system import System

GROUP = "walls"
WORN = "worn_"  # and the number of the wall
ELEMENTS = {
    "position": ((3,), "m"), "orientation": ((4,), ""), "force": ((3,), "N"), "torque": ((3,), "N m"),
    "impulse": ((3,), "N s"), "angular_impulse": ((3,), "N m s"), "work": ((), "J"), "contacts": ((), ""),
}  # fmt: skip


def create(file: h5py.File, sim: System, element: Callable) -> None:
    """Lay out what is written of walls at each frame, if there are any; see ``stored_walls`` for what they are."""
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
    """Datasets with a row a frame, by name; none if there are no walls."""
    if GROUP not in file:
        return {}
    names = [*ELEMENTS, *(name for name in file[GROUP] if name.startswith(WORN))]
    return {f"{GROUP}/{name}": file[f"{GROUP}/{name}/value"] for name in names}


def rows(sim: System) -> dict[str, np.ndarray]:
    """What the present state puts into each of them."""
    if not sim.walls:
        return {}
    made = {f"{GROUP}/{name}": np.array([getattr(each, name) for each in sim.walls], float) for name in ELEMENTS}
    return made | {f"{GROUP}/{WORN}{k}": each.worn for k, each in _worn(sim)}


def _worn(sim: System) -> list[tuple[int, object]]:
    """Numbers of the walls that wear, and these."""
    return [(k, each) for k, each in enumerate(sim.walls) if each.wear > 0]
