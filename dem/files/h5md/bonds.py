"""Bonds in trajectories: their definition, stored once, and their state and energy in each frame.

The group ``bonds`` holds the arrays of `dem.Bonds` with the shape at rest (``pairs``, ``young``, ..., ``length``,
``frames``), and two elements of H5MD: ``energy``, elastic, of all [J], and ``broken_at``, the step at which each broke,
-1 before, -2 after its bodies have left. So the last frame has when each of them did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks
from dem.base.quaternions import UNIT_NORM
from dem.files.reading.stored_field import read_rows
from dem.files.validation import hdf5_validation
from dem.files.validation.hdf5_validation import require
from dem.model.bonds import ARRAYS, BondGeometry, Bonds, Breakage

if TYPE_CHECKING:
    from collections.abc import Callable

    import h5py

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
    """Create the datasets of bonds, and write their definition, if there are any."""
    if sim.bonds is None:
        return
    group = file.create_group(GROUP)
    write_arrays(sim.bonds.made, group)
    element(file, group, "energy", ()).attrs["unit"] = "J"
    element(file, group, "broken_at", (len(sim.bonds),), np.float64, "gzip")


def count(file: h5py.File) -> int:
    """Number of bonds in a trajectory."""
    return len(file[f"{GROUP}/pairs"]) if GROUP in file else 0


def datasets(file: h5py.File) -> dict[str, h5py.Dataset]:
    """Datasets of bonds with one row a frame, by name; none if there are no bonds."""
    return (
        {f"{GROUP}/{name}": file[f"{GROUP}/{name}/value"] for name in ("energy", "broken_at")} if GROUP in file else {}
    )


def shapes(file: h5py.File) -> dict[str, tuple]:
    """Shapes of the datasets of bonds."""
    return {f"{GROUP}/energy": (None,), f"{GROUP}/broken_at": (None, count(file))}


def rows(sim: System) -> dict[str, object]:
    """Rows of the datasets of bonds for the current state."""
    if sim.bonds is None:
        return {}
    return {f"{GROUP}/energy": float(np.sort(sim.bonds.energies).sum()), f"{GROUP}/broken_at": sim.bonds.broken_at}


class StoredBonds(NamedTuple):
    """Bonds of a run, with their state in each frame."""

    made: Bonds  # with their shape at rest
    time: np.ndarray  # (T,) [s]
    energy: np.ndarray  # (T,) elastic, of all [J]
    broken_at: np.ndarray  # (T, B) int64, step at which each broke, -1 before, -2 after its bodies have left

    @property
    def pairs(self) -> np.ndarray:
        """Numbers of the two bodies (B, 2); -1 is the ground."""
        return self.made.pairs

    @property
    def broken(self) -> np.ndarray:
        """Whether each bond is broken in each frame (T, B)."""
        return self.broken_at >= 0


def made_bonds(group: h5py.Group, particles: int) -> Bonds:
    """Bonds from a group of a file; raises ValueError if its contents are invalid."""
    number = len(hdf5_validation.numbers(group, "pairs", (None, 2), "iu"))
    values = {name: hdf5_validation.numbers(group, name, (None, *group[name].shape[1:]), "iuf")[()] for name in ARRAYS
              if name in group or name != "contact"}  # fmt: skip
    length = hdf5_validation.finite(group, "length", (number,), above=0)
    frames = hdf5_validation.finite(group, "frames", (number, 2, 4))
    off = np.abs(np.linalg.norm(frames, axis=-1) - 1).max()
    require(off <= UNIT_NORM, f"frames of bonds have a norm that is off by {off:.3g}")
    bonds = Bonds(
        **values, apart=checks.whole("apart", group.attrs["apart"], least=1), geometry=BondGeometry(length, frames)
    )
    require(bool(bonds.pairs.max() < particles), f"a bond is of particle {bonds.pairs.max()}, there are {particles}")
    return bonds


def stored(file: h5py.File, frames: range, time: np.ndarray, particles: int) -> StoredBonds | None:
    """Bonds of a trajectory in some of its frames; None if there are none."""
    if not count(file):
        return None
    group = file[GROUP]
    energy, broken = (read_rows(group[f"{name}/value"], frames, slice(None)) for name in ("energy", "broken_at"))
    return StoredBonds(made_bonds(group, particles), time, energy, broken.astype(np.int64))


def breakages(bonds: StoredBonds | None, time_step: float | None) -> list[Breakage]:
    """Broken bonds with the times of their breakage, in the order of time, up to the last of some frames."""
    if bonds is None or not len(bonds.broken_at):
        return []
    return Breakage.of(bonds.broken_at[-1], bonds.pairs, time_step)
