"""`dem.repair`: recover the complete frames of a damaged trajectory."""

from __future__ import annotations

import os
import shutil
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import h5py
import numpy as np

from dem.base import checks
from dem.base.replace import unused_name
from dem.base.text import counted
from dem.files.h5md import growing_tables, layout
from dem.files.h5md.vtkhdf import write_view
from dem.files.storage.journal import has_journal, path_of
from dem.files.storage.journaled_file import JournaledFile, open_to_read, recover
from dem.files.validation import input_validation
from dem.files.validation.hdf5_validation import chunks_of
from dem.files.writing.output_settings import SIGNATURE, check_ending
from dem.files.writing.trajectory_writer import close, open_again

if TYPE_CHECKING:
    from os import PathLike

END = 40  # where the first version of HDF5's superblock keeps the end of the file, 8 bytes


def repair(path: str | PathLike, output: str | PathLike | None = None) -> str:
    """Recover a trajectory, so that every program can read it.

    What a killed run left in its journal is put into a copy of the file, which takes its place when it has been read.
    A file that lost its end, as on a file system that broke down, stays as it is, and the frames that are whole go
    into a new one. This fails if the index of the file is lost too: after runs of more than a second, HDF5 mostly has
    parts of it at the end.

    Parameters
    ----------
    path : path
        The file.
    output : path, optional
        New file, if one is needed; default: its name with ``-repaired``.

    Returns
    -------
    str
        Summary of the repair.

    Raises
    ------
    OSError, ValueError
        If there is no such file, nothing can be saved, or the new one exists already.

    Examples
    --------
    >>> import dem, tempfile
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/fall.h5"
    ...     verdict = dem.Simulation(ball, time_step=1e-4).run(duration=0.1, output=path, frames=10)
    ...     dem.repair(path).removeprefix(folder)
    '/fall.h5: 11 frames, there was nothing to repair'
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no file {path}")
    if not os.access(path, os.W_OK):
        journal = f" and {path_of(path).name}" if has_journal(path) else ""
        raise OSError(f"{path} may not be written to: copy it{journal} to where that is allowed, and repair the copy")
    try:
        recovered = recover(path, input_validation.problem)
    except BlockingIOError:
        raise OSError(f"{path} is being written by another process: wait until it has ended") from None
    target = path.with_name(f"{path.stem}-repaired{path.suffix}")
    if output is not None:
        target = Path(output)
        check_ending(target)
    try:
        store, file = open_again(path)
    except ValueError as error:
        return _save(path, target, error)
    try:
        frames = len(layout.frame_datasets(file)["step"])
    finally:
        close(file, store)
    return f"{path}: {counted(frames, 'frame')}, {recovered or 'there was nothing to repair'}"


def _save(path: Path, target: Path, error: ValueError) -> str:
    """Copy the complete frames of a truncated file to a new file."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(END + 8)
    if not head.startswith(SIGNATURE + b"\0") or len(head) < END + 8:
        raise error
    (end,) = struct.unpack_from("<Q", head, END)
    if end <= size:
        raise error
    checks.output(target)
    partial = unused_name(target, ".partial")
    try:
        shutil.copyfile(path, partial)
        with partial.open("r+b") as file:
            file.truncate(end)
        frames = _cut(partial, size)
        open_to_read(partial, input_validation.problem).close()
        partial.replace(target)
    except (KeyError, RuntimeError, ValueError, OSError) as failed:
        if getattr(failed, "errno", None):  # of the file system, such as a full disk
            raise
        message = f"{path} lost {end - size} of {end} bytes, and its index with them: its frames cannot be found"
        raise ValueError(message) from None
    finally:
        partial.unlink(missing_ok=True)
    return f"{target}: {counted(frames, 'frame')} saved from {path}, which lost {end - size} of {end} bytes"


def _cut(path: Path, size: int) -> int:
    """Cut a file to the frames whose data lie within the first `size` bytes; returns their number."""
    store = JournaledFile(path, new=False)
    try:
        with h5py.File(store, "r+") as file:
            for name in ("VTKHDF", "restart"):  # may point anywhere, so that not even their room can be given back
                if name in file:
                    file.move(name, f"lost/{name}")
            datasets = layout.frame_datasets(file)
            frames = min(_whole(dataset, size) for dataset in datasets.values())
            for log in growing_tables.tables_in(file).values():
                log.resize(_whole(log, size), axis=0)
            if layout.NUMBER in datasets:  # frames whose contacts are lost are cut too
                last = np.cumsum(datasets[layout.NUMBER][:frames])
                frames = int(np.searchsorted(last, len(file[growing_tables.CONTACTS]), side="right"))
            for dataset in datasets.values():
                dataset.resize(frames, axis=0)
            if not frames:
                raise ValueError
            write_view(file)
        store.commit()
    finally:
        store.close()
    return frames


def _whole(dataset: h5py.Dataset, size: int) -> int:
    """Number of rows of a dataset that lie completely within a number of bytes."""
    rows = len(dataset)
    for chunk in chunks_of(dataset):
        if chunk.byte_offset + chunk.size > size:
            rows = min(rows, chunk.chunk_offset[0])
    return rows
