"""Read the bonds of a trajectory, see `dem.files.h5md.bonds`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks
from dem.files.h5md.bonds import GROUP, count
from dem.files.reading.stored_field import read_rows
from dem.files.validation import input_validation
from dem.files.validation.hdf5_validation import require
from dem.model.bonds import ARRAYS, BondGeometry, Bonds, Breakage

if TYPE_CHECKING:
    import h5py

UNIT_NORM = 1e-6


class StoredBonds(NamedTuple):
    """Bonds of a run, with their state at each frame."""

    made: Bonds  # with their shape at rest
    time: np.ndarray  # (T,) [s]
    energy: np.ndarray  # (T,) elastic, of all [J]
    broken_at: np.ndarray  # (T, B) int64, step at which each broke, -1 before

    @property
    def pairs(self) -> np.ndarray:
        """Numbers of the two bodies (B, 2); -1 is the ground."""
        return self.made.pairs

    @property
    def broken(self) -> np.ndarray:
        """Which are broken (T, B)."""
        return self.broken_at >= 0


def made_bonds(group: h5py.Group, particles: int) -> Bonds:
    """Bonds stored in a group; raises ValueError if its contents are invalid."""
    number = len(input_validation.numbers(group, "pairs", (None, 2), "iu"))
    values = {name: input_validation.numbers(group, name, (None, *group[name].shape[1:]), "iuf")[()] for name in ARRAYS
              if name in group or name != "contact"}  # fmt: skip
    length = input_validation.finite(group, "length", (number,), above=0)
    frames = input_validation.finite(group, "frames", (number, 2, 4))
    off = np.abs(np.linalg.norm(frames, axis=-1) - 1).max()
    require(off <= UNIT_NORM, f"frames of bonds have a norm that is off by {off:.3g}")
    bonds = Bonds(
        **values, apart=checks.whole("apart", group.attrs["apart"], least=1), geometry=BondGeometry(length, frames)
    )
    require(bool(bonds.pairs.max() < particles), f"a bond is of particle {bonds.pairs.max()}, there are {particles}")
    return bonds


def stored(file: h5py.File, frames: range, time: np.ndarray, particles: int) -> StoredBonds | None:
    """The bonds of a trajectory at some of its frames; None if there are none."""
    if not count(file):
        return None
    group = file[GROUP]
    energy, broken = (read_rows(group[f"{name}/value"], frames, slice(None)) for name in ("energy", "broken_at"))
    return StoredBonds(made_bonds(group, particles), time, energy, broken.astype(np.int64))


def breakages(bonds: StoredBonds | None, time_step: float | None) -> list[Breakage]:
    """Which bonds broke when, in the order of time, up to the last of these frames."""
    if bonds is None or not len(bonds.broken_at):
        return []
    return Breakage.of(bonds.broken_at[-1], bonds.pairs, time_step)
