"""Checkpoints (restarts): save a simulation to a file, and load it to continue with the same bytes.

A checkpoint is a group of HDF5: in a file of its own (`save`, `load`), or in a trajectory, where
`dem.files.writing.trajectory_writer` stores the initial state and the latest one. Each kind of system has a module that
writes and reads the group (`KINDS`).
"""

from __future__ import annotations

import importlib
import io
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import h5py

from dem.base import checks
from dem.base.parsing import parse_json
from dem.base.replace import unused_name
from dem.base.text import error_in_words
from dem.files.storage.journaled_file import open_to_read
from dem.files.storage.output_file import output_file
from dem.files.validation.hdf5_validation import DamagedError, check_memory, damaged, require, size_of, text
from dem.files.validation.input_validation import CHECKPOINT, is_checkpoint
from dem.model.fluid.coupling import with_coupling_function

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from types import ModuleType

    from dem.system.system import System

FORMAT = f"{CHECKPOINT} 3"
COPIES = 4  # of an array that going on may need at once
KINDS = {  # class of a system: module that describes, writes and reads such systems, imported when it is needed
    "Simulation": "dem.soft.checkpoint",
    "HardSpheres": "dem.event_driven.checkpoint",
    "StochasticSpheres": "dem.dsmc.checkpoint",
}


def kind(name: str) -> ModuleType:
    """Module that reads and writes checkpoints of a class of systems; raises KeyError for an unknown class."""
    return importlib.import_module(KINDS[name])


def write(sim: System, group: h5py.Group) -> None:
    """Write a checkpoint into an empty group.

    Raises
    ------
    TypeError
        If a shape cannot be described by its class and values, or files do not support the class of the system;
        nothing is written then.
    """
    name = type(sim).__name__
    if name not in KINDS:
        message = f"a {name} cannot be saved, copied or pickled, expected one of {', '.join(KINDS)}, not a subclass"
        raise TypeError(message)
    described = json.dumps(kind(name).describe(sim))
    group.attrs["format"], group.attrs["kind"] = FORMAT, name
    group["input"] = described
    kind(name).write(sim, group)


def read(group: h5py.Group, threads: int | None = None) -> System:
    """Make a simulation from a checkpoint group.

    Raises
    ------
    KeyError
        If the group is no checkpoint.
    ValueError
        If it is of another version, the class of a shape is missing, or its values contradict each other.
    """
    written, name = group.attrs["format"], group.attrs["kind"]
    if not (isinstance(written, str) and written == FORMAT):
        raise ValueError(f"the checkpoint has the format {written!r}, this version reads {FORMAT!r}")
    group.visititems(_check_size)
    try:
        given = parse_json(text(group["input"]), "the input of the checkpoint")
        require(isinstance(name, str) and isinstance(given, dict), "the checkpoint does not say what it is of")
        return kind(name).read(given, group, threads)
    except (DamagedError, KeyError, TypeError, IndexError) as error:
        raise ValueError(f"the checkpoint {damaged(error)}") from None


def _check_size(name: str, thing: h5py.Group | h5py.Dataset) -> None:
    if isinstance(thing, h5py.Dataset):
        check_memory(COPIES * size_of(thing), f"{name} of the checkpoint")


def latest(trajectory: h5py.File) -> h5py.Group:
    """Latest state stored in a trajectory."""
    return trajectory["restart"].get("latest", trajectory["restart/start"])


def save(sim: System, path: str | PathLike) -> None:
    """Write a checkpoint to a file; an old file of that name is replaced once the new one is complete on disk."""
    path = checks.output(path, overwrite=True, what="checkpoint")
    if path.exists() and not _is_checkpoint(path):
        message = f"checkpoint {path} cannot be written: there is a file of that name that is none: choose another name"
        raise FileExistsError(message)
    partial = unused_name(path, ".partial")
    try:
        with output_file(partial) as file:
            write(sim, file)
        with partial.open("rb+") as written:
            os.fsync(written.fileno())
        partial.replace(path)
    except OSError as error:
        raise OSError(f"checkpoint {path} cannot be written: {error_in_words(error)}") from None
    finally:
        partial.unlink(missing_ok=True)


def packed(sim: System) -> bytes:
    """Checkpoint as bytes; raises TypeError as `write` does."""
    memory = io.BytesIO()
    with h5py.File(memory, "w") as file:
        write(sim, file)
    return memory.getvalue()


def unpacked(data: bytes, threads: int | None, coupling: Callable | None) -> System:
    """Simulation from the bytes of `packed`, with the callback of a coupled fluid."""
    with with_coupling_function(coupling), h5py.File(io.BytesIO(data), "r") as file:
        return read(file, threads)


def _is_checkpoint(path: Path) -> bool:
    try:
        with h5py.File(path, "r") as file:
            return is_checkpoint(file)
    except OSError:
        return False


def load(path: str | PathLike, threads: int | None = None) -> System:
    """Simulation from a checkpoint, or from the latest checkpoint of a trajectory.

    Raises
    ------
    OSError, ValueError
        If there is no such file, or no complete checkpoint in it.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"checkpoint {path} {'is a folder' if path.is_dir() else 'does not exist'}")
    try:
        with open_to_read(path) as file:
            return read(latest(file) if "restart" in file else file, threads)
    except (KeyError, OSError):
        raise ValueError(f"{path} is no complete checkpoint of this version: save one with Simulation.save") from None
