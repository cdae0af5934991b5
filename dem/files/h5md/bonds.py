"""Bonds in trajectories: what they are, once, and at each frame which are broken and what energy they hold.

The group ``bonds`` holds the arrays of `dem.Bonds` with the shape at rest (``pairs``, ``young``, ..., ``length``,
``frames``), and two elements of H5MD: ``energy``, elastic, of all [J], and ``broken_at``, the step at which each broke,
-1 before. So the last frame has when each of them did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import h5py

    from dem.model.bonds import Bonds
    from dem.system.system import System

GROUP = "bonds"
SHAPE = ("length", "frames")  # of the geometry at rest


def write_arrays(bonds: Bonds, group: h5py.Group) -> None:
    """Write all arrays of bonds."""
    for name, values in bonds.values().items():
        if name != "contact":
            group[name] = values
        elif values.any():  # files of version 0.2 do not have it
            group[name] = values.astype(np.int8)
    for name in SHAPE:
        group[name] = getattr(bonds.geometry, name)
    group.attrs["apart"] = bonds.apart


def create(file: h5py.File, sim: System, element: Callable) -> None:
    """Lay out what is written of bonds at each frame, and write what they are, if there are any."""
    if sim.bonds is None:
        return
    group = file.create_group(GROUP)
    write_arrays(sim.bonds.made, group)
    element(file, group, "energy", ()).attrs["unit"] = "J"
    element(file, group, "broken_at", (len(sim.bonds),), np.float64, "gzip")


def count(file: h5py.File) -> int:
    """Bonds of a trajectory."""
    return len(file[f"{GROUP}/pairs"]) if GROUP in file else 0


def datasets(file: h5py.File) -> dict[str, h5py.Dataset]:
    """Datasets with a row a frame, by name; none if there are no bonds."""
    return (
        {f"{GROUP}/{name}": file[f"{GROUP}/{name}/value"] for name in ("energy", "broken_at")} if GROUP in file else {}
    )


def shapes(file: h5py.File) -> dict[str, tuple]:
    """What shapes these have."""
    return {f"{GROUP}/energy": (None,), f"{GROUP}/broken_at": (None, count(file))}


def rows(sim: System) -> dict[str, object]:
    """What the present state puts into each of them."""
    if sim.bonds is None:
        return {}
    return {f"{GROUP}/energy": float(np.sort(sim.bonds.energies).sum()), f"{GROUP}/broken_at": sim.bonds.broken_at}
