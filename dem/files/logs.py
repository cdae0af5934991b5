"""Tables in a trajectory that grow by rows of their own, at other times than its frames: plain data sets of records.

``pandas.DataFrame(h5py.File("run.h5")["table"][:])`` is one as pandas has it. A file has those that it needs: `TABLE`,
the running table of a run that was to have one; `CHANGES`, what somebody from outside changed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import h5py

TABLE, CHANGES = "table", "changes"
CHANGED = np.dtype([("step", "<i8"), ("time", "<f8"), ("work", "<f8"), ("gravity", "<f8", 3)])
UNITS_OF_CHANGES = {"step": "1", "time": "s", "work": "J", "gravity": "m/s2"}
ROWS = 256  # that are stored together


def create(file: h5py.File, name: str, kind: np.dtype, units: dict[str, str]) -> h5py.Dataset:
    """An empty one."""
    dataset = file.create_dataset(name, (0,), kind, maxshape=(None,), chunks=(ROWS,))
    dataset.attrs["units"] = json.dumps(units)
    return dataset


def found(file: h5py.File) -> dict[str, h5py.Dataset]:
    """Those that a file has, by name."""
    return {name: file[name] for name in (TABLE, CHANGES) if name in file}


def cut(dataset: h5py.Dataset, time: float) -> None:
    """Leave out what was written after a time [s]."""
    dataset.resize(int(np.searchsorted(dataset["time"], time * (1 + 1e-12), side="right")), axis=0)
