"""Fields of runs with insertion and removal: rows of the particles present, and their identities.

At frame t the first n rows of every field, along its second axis, are of the n particles present, in ascending
order of their numbers; the rest is filled, NaN for fields and -1 for ``id``, as H5MD has it (P. de Buyl et al. 2014,
section 3.3: the particle axis holds the largest number of particles, and the fill value of ``id`` marks those that are
absent). The axis grows as needed. ``born`` has the number of each particle that was ever in a frame, ascending, and
``species``, ``variant`` and ``mass`` go along with it: columns of the file are those of ``born``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import h5py
import numpy as np

from dem.files.h5md.schema import PARTICLES
from dem.files.validation.hdf5_validation import require

if TYPE_CHECKING:
    from dem.system.system import System

ID, BORN, EVENTS = "id", "born", "events"
TABLES = {BORN: np.int64, "species": np.int32, "variant": np.int32, "mass": np.float64}  # a row a particle
MIN_COLUMNS, MAX_COLUMNS = 64, 4096  # columns that are stored together
EVENT = np.dtype([
    ("step", "<i8"), ("time", "<f8"), ("particle", "<i8"), ("variant", "<i4"), ("gate", "<i4"),
    ("position", "<f8", 3), ("velocity", "<f8", 3),
])  # fmt: skip
UNITS = {"step": "1", "time": "s", "position": "m", "velocity": "m/s"}


def has_varying_number(file: h5py.File) -> bool:
    """Whether the number of particles varies in a file."""
    return f"{PARTICLES}/{ID}" in file


def create_tables(group: h5py.Group) -> None:
    """Create the empty tables of all particles that are ever present."""
    for name, kind in TABLES.items():
        group.create_dataset(name, (0,), kind, maxshape=(None,), chunks=(1024,))


def growing(
    group: h5py.Group, name: str, width: tuple[int, ...], dtype: type, columns: int, compression: str | None = None
) -> h5py.Dataset:
    """Create an empty dataset (0, 0, *width) that grows by frames and particles; absent particles have a fill value."""
    how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    how.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)  # so that a file has all values that it claims to have
    packed = {"compression": compression, "shuffle": True} if compression else {}
    chunk = 1, min(max(columns, MIN_COLUMNS), MAX_COLUMNS), *width
    fill = -1 if np.dtype(dtype).kind == "i" else np.nan
    return group.create_dataset(
        name, (0, 0, *width), dtype, maxshape=(None, None, *width), chunks=chunk, fillvalue=fill, dcpl=how, **packed
    )


def write_new_particles(file: h5py.File, sim: System) -> None:
    """Append the particles that are not in the tables yet."""
    group = file[PARTICLES]
    known, identity = group[BORN], sim.identities
    last = int(known[-1]) if len(known) else -1
    new = identity > last
    if new.any():
        p, first = sim.particles, len(known)
        values = {BORN: identity, "species": p.kind, "variant": p.variant, "mass": p.mass}
        for name, each in values.items():
            group[name].resize(first + int(new.sum()), axis=0)
            group[name][first:] = each[new]


def padded(rows: np.ndarray, dataset: h5py.Dataset) -> np.ndarray:
    """Rows of a frame, filled up to the width of the dataset."""
    rows = np.asarray(rows, dataset.dtype)
    if dataset.ndim < 2 or dataset.maxshape[1] is not None or len(rows) >= dataset.shape[1]:
        return rows
    fill = np.full((dataset.shape[1] - len(rows), *rows.shape[1:]), dataset.fillvalue, dataset.dtype)
    return np.concatenate([rows, fill])


def append(dataset: h5py.Dataset, rows: list[np.ndarray]) -> None:
    """Append frames to a dataset that also grows by particles."""
    first = len(dataset)
    wide = max(dataset.shape[1], *(len(each) for each in rows))
    dataset.resize((first + len(rows), wide, *dataset.shape[2:]))
    for k, each in enumerate(rows):
        if len(each):
            dataset[first + k, : len(each)] = each


def describe(sim: System) -> dict:
    """Descriptions of inserters and outlets by name."""
    population = sim.population
    return {
        "inserters": [each.name for each in population.inserters],
        "outlets": [each.name for each in population.outlets],
    }


def last(file: h5py.File) -> int:
    """One more than the largest number of a particle."""
    born = file[f"{PARTICLES}/{BORN}"]
    return int(born[-1]) + 1 if len(born) else 0


def check(file: h5py.File) -> None:
    """Raise DamagedError unless each frame begins with its particles, each known and present once."""
    group = file[PARTICLES]
    tables = [group.get(name) for name in TABLES]
    fits = all(isinstance(each, h5py.Dataset) and each.ndim == 1 and each.dtype.kind in "if" for each in tables)
    require(fits and len({len(each) for each in tables}) == 1, "the tables of particles are not of the same")
    born = group[BORN][:]
    require(bool((np.diff(born) > 0).all()) and not (born < 0).any(), f"{BORN} does not ascend from 0 on")
    require(isinstance(group.get(f"{ID}/value"), h5py.Dataset), f"it has no data set {ID}")
    identity = group[f"{ID}/value"]
    require(identity.ndim == 2 and identity.dtype.kind == "i", f"{ID} is no table of whole numbers")
    for name in group:
        values = group[name].get("value") if isinstance(group[name], h5py.Group) and name != "box" else None
        require(values is None or values.shape[:2] == identity.shape, f"{name} is not of as many particles as {ID}")
    for frame in range(len(identity)):
        row = identity[frame]
        there = row[: int((row >= 0).sum())]
        known = bool((np.diff(there) > 0).all()) and bool((there >= 0).all()) and np.isin(there, born).all()
        require(bool(known), f"{ID} of frame {frame} names particles that are none, or twice")
