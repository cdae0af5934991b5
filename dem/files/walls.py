"""Walls beside the box in files: what they are, once, and at each frame where they are and what they feel.

In a trajectory the group ``walls`` holds ``definition``, how to make each wall again as JSON, arrays of meshes by the
number of the wall, and elements of H5MD with a row a wall at each frame: the pose (`position` of the middle, and
`orientation`), `force` and `torque` on the wall then, their time integrals since the run began, of which differences
are means, the `work` that it has done on particles, and the number of `contacts`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import h5py

    from dem.system.system import System

GROUP = "walls"
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


def datasets(file: h5py.File) -> dict[str, h5py.Dataset]:
    """Datasets with a row a frame, by name; none if there are no walls."""
    return {f"{GROUP}/{name}": file[f"{GROUP}/{name}/value"] for name in ELEMENTS} if GROUP in file else {}


def rows(sim: System) -> dict[str, np.ndarray]:
    """What the present state puts into each of them."""
    if not sim.walls:
        return {}
    return {f"{GROUP}/{name}": np.array([getattr(each, name) for each in sim.walls], float) for name in ELEMENTS}
