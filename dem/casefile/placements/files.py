"""The state of particles from a CSV or NPZ file."""

from __future__ import annotations

import csv
import zipfile
from pathlib import Path

import numpy as np

from dem.base import checks
from dem.model.particles import STATE

COLUMNS = {
    "position": ("x", "y", "z"),
    "orientation": ("qw", "qx", "qy", "qz"),
    "velocity": ("vx", "vy", "vz"),
    "angular_velocity": ("wx", "wy", "wz"),
}  # of a CSV file, SI units


def state(path: Path) -> dict[str, np.ndarray]:
    """What a file tells of the state: position, and any of orientation, velocity and angular_velocity.

    A CSV file has a line with the names of its columns, ``x, y, z`` and any of ``qw, qx, qy, qz, vx, vy, vz, wx, wy,
    wz``; an NPZ file has arrays with the names of the state.

    Raises
    ------
    OSError, ValueError
        If there is no such file, or it holds something else.
    """
    if not path.is_file():
        message = f"no file {path}"
        raise FileNotFoundError(message)
    readers = {".csv": _csv, ".npz": _npz}
    if path.suffix.lower() not in readers:
        message = f"{path} is neither a .csv nor a .npz file"
        raise ValueError(message)
    found = readers[path.suffix.lower()](path)
    if "position" not in found:
        message = f"{path} holds no position"
        raise ValueError(message)
    return found


def _csv(path: Path) -> dict[str, np.ndarray]:
    with path.open(newline="") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if row]
    names = [name.strip() for name in rows[0]] if rows else []
    known = [name for columns in COLUMNS.values() for name in columns]
    for name in names:
        checks.one_of(f"column of {path}", name, known)
    values = np.empty((len(rows) - 1 if rows else 0, len(names)))
    for number, row in enumerate(rows[1:]):
        try:
            values[number] = [float(text) for text in row]
        except ValueError:
            message = f"{path}: row {number + 1} is {','.join(row)!r}, expected {len(names)} numbers"
            raise ValueError(message) from None
    found = {}
    for field, columns in COLUMNS.items():
        missing = [name for name in columns if name not in names]
        if not missing:
            found[field] = values[:, [names.index(name) for name in columns]]
        elif len(missing) < len(columns):
            message = f"{path} has no column {', '.join(missing)} beside {', '.join(set(columns) - set(missing))}"
            raise ValueError(message)
    return found


def _npz(path: Path) -> dict[str, np.ndarray]:
    if not zipfile.is_zipfile(path):
        message = f"{path} is not a readable NPZ file"
        raise ValueError(message)
    with np.load(path) as arrays:
        return {checks.one_of(f"array of {path}", name, STATE): arrays[name] for name in arrays}
