"""Read the state of particles from CSV or NPZ files."""

from __future__ import annotations

import lzma
import math
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np

from dem.base import checks, parsing
from dem.files.validation.hdf5_validation import check_memory
from dem.model.particles.fields import ROWS, STATE, heading

# errors that archives raise which are cut off, changed, of an unknown compression, or locked by a password
BROKEN = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error,
    EOFError, OSError, KeyError, OverflowError, RuntimeError,
)  # fmt: skip


def state(path: Path) -> dict[str, np.ndarray]:
    """State of particles in a file: position, and any of orientation, velocity and angular_velocity.

    A CSV file has a line with the names of its columns, in SI units, spelt as ``dem export`` spells them, ``x [m]``,
    ``v_x [m/s]``, ``q_w``, ``omega_x [rad/s]``, or without units, or short: ``x, y, z`` and any of ``qw, qx, qy, qz,
    vx, vy, vz, wx, wy, wz``. It may have ``frame``, ``step``, ``time [s]``, ``particle`` and ``kind`` too. Of several
    frames the last one is taken, by ``frame``, or else by step or time; each particle is in it once, and they come in
    the order of their numbers. All are of one kind, since a group of a case file has one shape and material.

    An NPZ file has arrays with the names of the state.

    Raises
    ------
    OSError, ValueError
        If there is no such file, or it holds something else.
    """
    if not path.is_file():
        raise FileNotFoundError(f"no file {path}")
    readers = {".csv": _csv, ".npz": _npz}
    if path.suffix.lower() not in readers:
        raise ValueError(f"{path} is neither a .csv nor a .npz file")
    found = readers[path.suffix.lower()](path)
    if "position" not in found:
        raise ValueError(f"{path} holds no position")
    return found


def _csv(path: Path) -> dict[str, np.ndarray]:
    table = _last_frame(path, _table(path))
    found = {}
    for name, field in STATE.items():
        missing = [column for column in field.columns if column not in table]
        if not missing:
            found[name] = np.column_stack([table[column] for column in field.columns])
        elif len(missing) < field.width:
            there = [column for column in field.columns if column in table]
            raise ValueError(f"{path} has no column {', '.join(missing)} beside {', '.join(there)}")
    return found


def _table(path: Path) -> dict[str, np.ndarray]:
    """All columns of a CSV file, by name without units."""
    texts, rows = parsing.read_csv(path)
    names = [_column(path, name) for name in texts]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{path} has {names.count(name)} columns {name}: leave one")
    return dict(zip(names, parsing.csv_numbers(path, rows, len(names)).T, strict=True))


def _column(path: Path, name: str) -> str:
    """Column of a heading, with or without a unit, by its long or short name."""
    units = {column: field.unit for field in STATE.values() for column in field.columns} | ROWS
    spelt = {column: column for column in units}
    spelt |= {column.replace("omega", "w").replace("_", ""): column for column in units}
    word, bracket, unit = name.strip().partition(" [")
    column = spelt[checks.one_of(f"column of {path}", word, spelt)]
    if bracket and unit != f"{units[column]}]":
        raise ValueError(f"{path} has a column {name.strip()}, expected {heading(column, units[column])}")
    return column


def _last_frame(path: Path, table: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Rows of the last frame, ordered by particle; raises ValueError for a particle twice or for several kinds."""
    for name in ("frame", "step", "time"):
        if len(table.get(name, ())):
            if not np.isfinite(table[name]).all():
                raise ValueError(f"{path} has values in its column {name} that are not finite")
            last = table[name] == table[name].max()
            table = {column: values[last] for column, values in table.items()}
            break
    where = f"{path} has in its last frame"
    if "particle" in table:
        numbers, counts = np.unique(table["particle"], return_counts=True)
        if (counts > 1).any():
            raise ValueError(f"{where} particle {numbers[counts.argmax()]:g} {counts.max()} times, expected once")
        order = np.argsort(table["particle"])
        table = {column: values[order] for column, values in table.items()}
    kinds = np.unique(table.get("kind", ()))
    if len(kinds) > 1:
        raise ValueError(
            f"{where} particles of kinds {', '.join(f'{kind:g}' for kind in kinds)}, but a group has one shape and "
            "material: give a file with the rows of each kind, or the trajectory as last_frame"
        )
    return table


def _npz(path: Path) -> dict[str, np.ndarray]:
    message = f"{path} is not a readable NPZ file"
    if not zipfile.is_zipfile(path):
        raise ValueError(message)
    try:
        with zipfile.ZipFile(path) as packed:
            for entry in packed.infolist():
                _check_entry(packed, entry)
        with np.load(path) as arrays:
            names = [checks.one_of(f"array of {path}", name, STATE) for name in arrays]
            return {name: arrays[name] for name in names}
    except BROKEN as error:
        raise ValueError(f"{message}: {' '.join(str(error).split())}") from None


def _check_entry(packed: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    """Refuse an array larger than its data, or than the memory."""
    with packed.open(entry) as file:
        try:
            version = np.lib.format.read_magic(file)
            header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
            shape, _, dtype = header[version](file)
        except (ValueError, KeyError):
            return  # no such array, which is for numpy to say
        size = math.prod(shape) * dtype.itemsize
        check_memory(size, entry.filename)
        if size > entry.file_size:
            message = f"array {entry.filename} of {packed.filename} claims {size} bytes, there are {entry.file_size}"
            raise ValueError(message)
