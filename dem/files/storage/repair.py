"""`dem.repair`: recover the complete frames of a damaged trajectory."""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import h5py
import numpy as np

from dem.base import checks
from dem.base.replace import unused_name
from dem.base.text import counted
from dem.files.h5md import growing_tables, layout, variable_population
from dem.files.h5md.schema import PARTICLES
from dem.files.h5md.vtkhdf import GROUP, write_view
from dem.files.storage.journal import Pages, has_journal, path_of
from dem.files.storage.journaled_file import open_to_read, recover
from dem.files.storage.output_file import output_file
from dem.files.validation import hdf5_validation, input_validation
from dem.files.writing.output_settings import SIGNATURE, check_ending
from dem.files.writing.trajectory_writer import close, open_again

if TYPE_CHECKING:
    from collections.abc import Buffer
    from os import PathLike

END = 40  # where the first version of HDF5's superblock keeps the end of the file, 8 bytes


def repair(path: str | PathLike, output: str | PathLike | None = None) -> str:
    """Recover a trajectory, so that every program can read it.

    What a killed run left in its journal is put into a copy of the file, which takes its place when it has been read.
    A file that lost its end, as on a file system that broke down, stays as it is, and the frames that are complete go
    into a new one, from which `resume` computes the others again. HDF5 finds the data of a field by an index that it
    moves behind the data written so far when these reach 64 chunks, and again at some 3700: frames are lost if the file
    was cut off before that place.

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
    checks.existing_file(path)
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
        with (
            TruncatedFile(path.open("rb", buffering=0), size=end) as truncated,
            h5py.File(truncated, "r") as old,
            output_file(partial) as new,
        ):
            frames = _copy_frames(old, new, size)
        open_to_read(partial, input_validation.problem).close()
        partial.replace(target)
    except (KeyError, RuntimeError, ValueError, OSError) as failed:
        if getattr(failed, "errno", None):  # of the file system, such as a full disk
            raise
        reason = failed if isinstance(failed, hdf5_validation.DamagedError) else "the list of its contents is lost too"
        raise ValueError(f"{path} lost {end - size} of {end} bytes, and no frame can be saved: {reason}") from None
    finally:
        partial.unlink(missing_ok=True)
    return f"{target}: {counted(frames, 'frame')} saved from {path}, which lost {end - size} of {end} bytes"


class TruncatedFile(Pages):
    """File that has lost its end, which reads as bytes that HDF5 accepts in none of its structures."""

    def readinto(self, buffer: Buffer) -> int:
        """Fill a buffer up to the end that the file had."""
        kept = max(0, self.on_disk - self._at)
        number = super().readinto(buffer)
        memoryview(buffer).cast("B")[kept:number] = b"\xff" * max(0, number - kept)
        return number


def _copy_frames(old: h5py.File, new: h5py.File, size: int) -> int:
    """Copy what lies completely within the first `size` bytes of a file; returns the number of frames."""
    frames, rows = _complete_rows(old, size)
    hdf5_validation.require(frames > 0, "none of its frames is complete")
    copied: dict[h5py.HLObject, h5py.HLObject] = {}
    for name in old:
        if name not in (GROUP, "restart"):
            _copy(old, new, name, size, rows, copied)
    _copy_attributes(old, new)
    for stale in ("verdict", "error"):
        new["parameters"].attrs.pop(stale, None)
    try:
        _copy(old, new, "restart/start", size, rows, copied)
    except hdf5_validation.UNREADABLE:  # then the run cannot be resumed
        new.pop("restart", None)
    write_view(new)
    return frames


def _complete_rows(file: h5py.File, size: int) -> tuple[int, dict[h5py.Dataset, int]]:
    """Number of complete frames, and of rows of each data set that grows."""
    datasets, logs = layout.frame_datasets(file), growing_tables.tables_in(file)
    frames = min(_whole(dataset, size) for dataset in datasets.values())
    rows = {name: _whole(log, size) for name, log in logs.items()}
    if variable_population.has_varying_number(file):  # frames with particles whose properties are lost are cut
        tables = {name: file[f"{PARTICLES}/{name}"] for name in variable_population.TABLES}
        particles = min(_whole(table, size) for table in tables.values())
        there = [-1, *tables[variable_population.BORN][:particles]]
        identity = datasets[variable_population.ID]
        frames = next((k for k in range(frames) if not np.isin(identity[k], there).all()), frames)
        logs, rows = logs | tables, rows | dict.fromkeys(tables, particles)
    if layout.NUMBER in datasets:  # and frames whose contacts are
        last = np.cumsum(datasets[layout.NUMBER][:frames])
        frames = int(np.searchsorted(last, rows[growing_tables.CONTACTS], side="right"))
        rows[growing_tables.CONTACTS] = int(last[frames - 1]) if frames else 0
    rows |= dict.fromkeys(datasets, frames)
    return frames, {dataset: rows[name] for name, dataset in (logs | datasets).items()}


def _whole(dataset: h5py.Dataset, size: int) -> int:
    """Number of rows of a dataset that lie completely within a number of bytes."""
    rows, chunks = len(dataset), []
    try:
        dataset.id.chunk_iter(chunks.append)
    except RuntimeError:  # a part of the index is lost: the chunks up to there have been found, in their order
        rows = chunks[-1].chunk_offset[0] if chunks else 0
    for chunk in chunks:
        if chunk.byte_offset + chunk.size > size:
            rows = min(rows, chunk.chunk_offset[0])
    return rows


def _copy(
    old: h5py.Group,
    new: h5py.Group,
    name: str,
    size: int,
    rows: dict[h5py.Dataset, int],
    copied: dict[h5py.HLObject, h5py.HLObject],
) -> None:
    """Copy a group or a data set with all that is in it; data sets with several names are copied once."""
    thing = old[name]
    if thing in copied:
        new[name] = copied[thing]
    elif isinstance(thing, h5py.Group):
        copied[thing] = new.create_group(name)
        _copy_attributes(thing, new[name])
        for each in thing:
            _copy(thing, new[name], each, size, rows, copied)
    elif thing in rows:
        copied[thing] = _copy_rows(thing, new, name, rows[thing])
    else:
        place = thing.id.get_offset() or 0
        kept = _whole(thing, size) == len(thing) if thing.chunks else place + thing.id.get_storage_size() <= size
        hdf5_validation.require(kept, f"{thing.name} is lost")
        old.copy(name, new, name)
        copied[thing] = new[name]


def _copy_rows(dataset: h5py.Dataset, group: h5py.Group, name: str, rows: int) -> h5py.Dataset:
    """Copy the first rows of a data set that grows."""
    space = dataset.id.get_space()
    space.set_extent_simple((rows, *dataset.shape[1:]), space.get_simple_extent_dims(maxdims=True))
    how = dataset.id.get_create_plist()
    new = h5py.Dataset(h5py.h5d.create(group.id, name.encode(), dataset.id.get_type(), space, how))
    for first in range(0, rows, dataset.chunks[0]):
        block = slice(first, min(first + dataset.chunks[0], rows))
        new[block] = dataset[block]
    _copy_attributes(dataset, new)
    return new


def _copy_attributes(old: h5py.HLObject, new: h5py.HLObject) -> None:
    """Copy the attributes of a group or a data set that can be read."""
    for name in old.attrs:
        with suppress(OSError, RuntimeError):
            new.attrs[name] = old.attrs[name]
