"""Write a trajectory frame by frame, so that it survives kills, full disks and power failures.

`TrajectoryWriter.frame` writes a frame. Its rows, one for each data set, come from `dem.files.h5md.layout.rows`.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import h5py
import numpy as np

from dem.base import checks
from dem.base.notices import Notice, warn
from dem.base.parsing import parse_json
from dem.base.replace import OutputError, unused_name
from dem.base.text import counted
from dem.files.checkpoints import checkpoint
from dem.files.h5md import growing_tables, layout, variable_population, walls
from dem.files.h5md.vtkhdf import write_view
from dem.files.storage.journaled_file import JournaledFile, LostError, check_journal, is_broken, unreadable
from dem.files.validation import input_validation
from dem.files.writing.frame_schedule import check_frames, plan_of
from dem.files.writing.output_settings import EVERY, Every, Output, check_ending, free_path
from dem.system.system import Change, Observer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike
    from types import TracebackType

    from dem.system.system import FrameSegment, Judgement, System

COMMIT_SECONDS = 0.5  # a frame reaches the disk after so long,
COMMIT_SHARE = 50  # and not before so many times what the last commit took: writing takes a few per cent at most
MAX_PENDING_BYTES = 1 << 26  # bytes of frames that may wait for it
MAX_RESUMPTIONS = 50  # latest resumptions that a file keeps: an attribute holds 64 kB


class TrajectoryWriter(Observer):
    """Context manager that writes frames and checkpoints of a simulation to a file; see `create` and `resume`."""

    def __init__(self, path: Path, store: JournaledFile, file: h5py.File, sim: System, every: Every) -> None:
        self.path, self.sim = path, sim
        self._store, self._file, self._every = store, file, every
        self._waiting = PendingRows(file, sim)  # what goes into the file at the next commit
        self.was_changed = False  # by the user, before the run was resumed
        self.frames = len(self._waiting.of_frames["step"])
        self._spent = float(file["parameters"].attrs.get("wall_time", 0.0))
        self._started = self._saved_at = time.perf_counter()
        self._saved_step = sim.step_count or 0
        self._next_commit = -np.inf
        self._finished = False
        self._error: BaseException | None = None  # that ended the run

    @classmethod
    def create(
        cls,
        path: str | PathLike,
        sim: System,
        plan: Sequence[FrameSegment] = (),
        output: Output | None = None,
        *,
        every: str | int | None = EVERY,
        overwrite: bool = False,
        about: dict[str, str] | None = None,
    ) -> TrajectoryWriter:
        """Create a new file with the initial state, and with further attributes `about` it.

        Raises
        ------
        FileExistsError
            If the file exists and is not to be overwritten.
        OSError
            If it cannot be written.
        """
        output, every = output or Output(), Every.parse(every)
        path = check_output(path, overwrite=overwrite)
        store = _new_store(path)
        file = h5py.File(store, "w")
        try:
            layout.create(file, sim, output)
            walls.define(file, sim)
            file["parameters"].attrs.update(about or {})
            layout.reserve_room(file)
            writer = cls(path, store, file, sim, every)
            writer.follow(plan)
            sim.energy()  # of frame 0, which a run that is resumed from the start does not evaluate
            writer._keep("start")
            writer.frame(0)
            if store.path != path.absolute():
                store.move(path)
        except BaseException:
            close(file, store)
            raise
        return writer

    @classmethod
    def resume(
        cls, path: str | PathLike, *, threads: int | None = None, every: str | int | None = EVERY
    ) -> TrajectoryWriter:
        """Continue a file from its latest checkpoint, of which `sim` is the simulation.

        Raises
        ------
        OSError, ValueError
            If there is no such file, it is none that can be resumed, or another process is writing it.
        """
        path, every = Path(path), Every.parse(every)
        store, file = open_again(path)
        try:
            if "restart" not in file or "unavailable" in file["restart"].attrs:
                why = file["restart"].attrs["unavailable"] if "restart" in file else "it has no checkpoint"
                raise ValueError(f"{path} cannot be resumed: {why}")
            sim = checkpoint.read(checkpoint.latest(file), threads)
            writer = cls(path, store, file, sim, every)
            check_frames(file, sim, writer.plan)
            writer.was_changed = growing_tables.CHANGES in writer._waiting.of_logs
            for log in writer._waiting.of_logs.values():
                growing_tables.cut(log, sim.time)
            writer._write_resumption()
        except BaseException:
            close(file, store)
            raise
        return writer

    @property
    def about(self) -> dict[str, object]:
        """Attributes next to the input."""
        return dict(self._file["parameters"].attrs)

    @property
    def plan(self) -> list[FrameSegment]:
        """Frame schedule of the file."""
        return plan_of(self._file, steps=self.sim.step_count is not None)

    def follow(self, plan: Sequence[FrameSegment]) -> None:
        """Store a frame schedule in the file, for resumed runs."""
        self._file["parameters"].attrs["plan"] = json.dumps(plan)
        for stale in ("verdict", "error"):
            self._file["parameters"].attrs.pop(stale, None)

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the file; if the run has failed, store the error."""
        try:
            if not (self._finished or isinstance(error, OutputError)):
                self._error = error
                if error is not None:
                    self.set_attributes(error=f"{type(error).__name__}: {error}")
                self._complete_file()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Close the file without a commit; pending changes are lost."""
        with nullcontext() if self._store.is_whole else suppress(OSError, RuntimeError):  # HDF5 may miss what is gone
            close(self._file, self._store)

    def frame(self, k: int) -> None:
        """Write the current state as frame k; a frame that exists must be equal to the bit.

        Raises
        ------
        ValueError
            If it is not.
        DiskFullError
            If there is no room for it.
        """
        rows = layout.rows(self.sim, k, contacts=layout.NUMBER in self._waiting.of_frames)
        if k < self.frames:
            difference = layout.difference(self._waiting.of_frames, rows, k)
            if difference:
                raise ValueError(
                    f"{self.path} cannot be resumed: frame {k} comes out differently, {difference}; it was written "
                    "with other kernels or on another machine, see dem info"
                )
            return
        self._waiting.frame(rows)
        self.frames = k + 1
        self.idle()

    def changed(self, change: Change) -> None:
        """Store a change of the state by the user."""
        row = change.step, change.time, change.work, change.gravity
        self._waiting.log(growing_tables.CHANGES, row, growing_tables.CHANGED, growing_tables.UNITS_OF_CHANGES)

    def row(self, values: tuple, kind: np.dtype, units: dict[str, str]) -> None:
        """Store a row of the running table."""
        self._waiting.log(growing_tables.TABLE, values, kind, units)

    def idle(self) -> None:
        """Write a checkpoint if one is due, and commit frames that have waited long enough."""
        self._waiting.record_events(self.sim)
        now, step = time.perf_counter(), self.sim.step_count or 0
        if now - self._saved_at >= self._every.seconds or step - self._saved_step >= self._every.steps:
            self.checkpoint()
        elif self._waiting and (now >= self._next_commit or self._waiting.nbytes > MAX_PENDING_BYTES):
            self._commit()

    def checkpoint(self) -> None:
        """Replace the checkpoint by the current state, from which the run can be resumed."""
        self._check()
        self._waiting.record_events(self.sim)
        self._keep("latest")
        self._complete_file()
        self._saved_at, self._saved_step = time.perf_counter(), self.sim.step_count or 0

    def _keep(self, name: str) -> None:
        group = self._file.require_group("restart")
        if "unavailable" in group.attrs:
            return
        group.pop(name, None)
        try:
            checkpoint.write(self.sim, group.create_group(name))
        except TypeError as error:  # a shape that only this process knows: the run goes on without
            del group[name]
            group.attrs["unavailable"] = str(error)
            notice = Notice("no-checkpoint", f"{self.path} cannot be resumed or run again", str(error))
            warn(notice)

    def _write_resumption(self) -> None:
        """Store on which machine and with which versions the run is resumed; warn if its bytes may change."""
        about = self._file["parameters"].attrs
        changed = layout.changed(self._file, self.sim)
        stretches = parse_json(about.get("resumed", "[]"), "what the file tells of earlier resumptions")
        about["resumed"] = json.dumps(
            [*stretches[1 - MAX_RESUMPTIONS :], {"at": self.sim.time, **layout.provenance(self.sim)}]
        )
        if changed:
            reason = f"{self.path} was begun with other " + ", ".join(changed)
            notice = Notice("other-origin", reason, "its bytes may not be those of one run: dem info shows both")
            warn(notice)

    def set_attributes(self, **attributes: object) -> None:
        """Set attributes of the file, unless another program has changed it."""
        if self._store.is_whole:
            self._file["parameters"].attrs.update(attributes)

    def _complete_file(self) -> None:
        """Commit all data, with a view of all frames for ParaView."""
        self._check()
        self._file["parameters"].attrs["wall_time"] = self._spent + time.perf_counter() - self._started
        self._waiting.write()
        write_view(self._file)
        self._commit()

    def _commit(self) -> None:
        """Commit all pending data to disk."""
        start = time.perf_counter()
        self._check()
        self._waiting.write()
        self._file.flush()
        try:
            self._store.commit()
        except LostError as error:
            raise self._save_elsewhere(str(error)) from self._error
        except OSError as error:
            reason = os.strerror(error.errno).lower() if error.errno else error
            message = f"output {self.path} cannot be written any further: {reason}"
            if self._store.on_disk:
                message += f"; what it holds is safe: make room, and go on with dem run --resume {self.path}"
            raise OutputError(message) from None
        end = time.perf_counter()
        self._next_commit = end + max(COMMIT_SECONDS, COMMIT_SHARE * (end - start))

    def finish(self, verdict: Judgement, *, interrupted: bool) -> None:
        """Store the verdict of the run, and whether the user has stopped it."""
        stopped = "interrupted; " if interrupted else ""
        self.set_attributes(verdict=stopped + str(verdict))
        self.checkpoint()
        self._check()
        self._finished = True

    def _check(self) -> None:
        """Check that no other program has changed the file; else save its data elsewhere and raise OutputError."""
        if lost := self._store.lost():
            raise self._save_elsewhere(lost) from self._error

    def _save_elsewhere(self, lost: str) -> OutputError:
        """Save the data of a lost file in a new one; returns the error with cause and path."""
        kept, path = "its frames could not be kept", None
        if self._store.is_whole:
            self._waiting.write()
            write_view(self._file)
            self._file.flush()
            path = _written_near(self._store.path, self._store.copy)
            if path:
                kept = f"its {counted(self.frames, 'frame')} are in {path}"
                verdict = str(self._file["parameters"].attrs.get("verdict", "interrupted"))
                if verdict.startswith("interrupted") and "unavailable" not in self._file["restart"].attrs:
                    kept += f": go on with dem run --resume {path}"
        elif self._error is None:
            path = _written_near(self._store.path, lambda path: checkpoint.save(self.sim, path))
            if path:
                load = f"dem.{type(self.sim).__name__}.load"
                kept = f"its frames are lost, the state at t = {self.sim.time:.6g} s is in {path}: see {load}"
        before = f"{self._error}\n" if str(self._error or "") else ""
        return OutputError(f"{before}output {self.path} cannot be written any further: {lost}; {kept}")


def _written_near(lost: Path, write: Callable[[Path], None]) -> Path | None:
    """Write a new file next to a lost one, or in the nearest writable folder above; None if there is none."""
    for folder in _fallback_folders(lost):
        if not folder.is_dir():
            continue
        path = free_path(folder / lost.name, "kept")
        try:
            write(path)
        except (OSError, TypeError):
            continue
        return path
    return None


def _fallback_folders(lost: Path) -> Iterator[Path]:
    """Parent folders of a lost file, the nearest first, then the folder for temporary files."""
    yield from lost.parents
    with suppress(OSError):
        yield Path(tempfile.gettempdir())


def open_again(path: Path) -> tuple[JournaledFile, h5py.File]:
    """Open a trajectory for writing; raises OSError or ValueError if this is impossible."""
    checks.existing_file(path)
    try:
        store = JournaledFile(path, new=False)
    except BlockingIOError:
        raise OSError(f"{path} is being read or written by another process: wait until it has ended") from None
    try:
        file = h5py.File(store, "r+")
    except (OSError, RuntimeError) as error:
        store.close()
        raise ValueError(unreadable(path, error)) from None
    problem = input_validation.problem(file)
    if problem:
        close(file, store)
        raise ValueError(f"{path} {problem}")
    return store, file


def close(file: h5py.File, store: JournaledFile) -> None:
    """Close the HDF5 file and the journaled file, even if the file is damaged."""
    try:
        file.close()
    finally:
        store.close()


def check_output(path: str | PathLike, *, overwrite: bool) -> Path:
    """Path to which a trajectory may be written; raises OSError, FileExistsError, ValueError."""
    path = checks.output(path, overwrite=overwrite)
    if path.exists():
        _check_free(path)
    check_ending(path)
    return path


def _new_store(path: Path) -> JournaledFile:
    """New journaled file; if it replaces an old file, it does so at its first commit."""
    target = path
    if path.exists():
        target = unused_name(path, ".partial")
    try:
        check_journal(path)
        return JournaledFile(target, new=True)
    except OSError as error:
        message = f"output {path} cannot be written: {os.strerror(error.errno).lower() if error.errno else error}"
        raise type(error)(message) from None


def _check_free(path: Path) -> None:
    """Refuse to replace a file that is not HDF5, or that is in use."""
    try:
        h5py.File(path, "r+").close()
    except BlockingIOError:
        raise OSError(f"output {path} is being read or written by another process: choose another name") from None
    except OSError:
        if not is_broken(path):
            raise OSError(f"output {path} is no HDF5 file: remove it by hand, or choose another name") from None


class PendingRows:
    """Rows of frames and logs that wait to be written, by the names of their datasets."""

    def __init__(self, file: h5py.File, sim: System) -> None:
        self._file, self._sim = file, sim
        if sim.population:
            sim.population.totals.fetch()  # what was before is in no file, or in another one
        self.of_frames = layout.frame_datasets(file)
        self.of_logs = growing_tables.tables_in(file)
        self._rows = {name: [] for name in (*self.of_frames, *self.of_logs)}
        self.nbytes = 0  # of all rows

    def __bool__(self) -> bool:
        """Whether any row waits."""
        return any(self._rows.values())

    def _keep(self, name: str, row: np.ndarray) -> None:
        """Append one or several rows for a dataset."""
        self._rows[name].append(row)
        self.nbytes += row.nbytes

    def frame(self, rows: dict[str, object]) -> None:
        """Append a row of each dataset with one row a frame."""
        if variable_population.ID in self.of_frames:
            variable_population.write_new_particles(self._file, self._sim)
        for name, dataset in self.of_frames.items():
            self._keep(name, np.array(rows[name], dataset.dtype))
        if growing_tables.CONTACTS in self.of_logs:
            kind = self.of_logs[growing_tables.CONTACTS].dtype
            self._keep(growing_tables.CONTACTS, growing_tables.contact_rows(rows[growing_tables.CONTACTS], kind))

    def record_events(self, sim: System) -> None:
        """Append insertions and removals."""
        if sim.population and (rows := sim.population.totals.fetch()).size:
            self._keep(growing_tables.EVENTS, rows)

    def log(self, name: str, row: tuple, kind: np.dtype, units: dict[str, str]) -> None:
        """Append a row of a log, which is created with its first row."""
        if name not in self.of_logs:
            self.of_logs[name], self._rows[name] = growing_tables.create(self._file, name, kind, units), []
        self._keep(name, np.array(row, kind))

    def write(self) -> None:
        """Write all rows to their datasets."""
        datasets = self.of_frames | self.of_logs
        for name, rows in self._rows.items():
            if rows:
                dataset = datasets[name]
                if dataset.ndim > 1 and dataset.maxshape[1] is None:
                    variable_population.append(dataset, rows)
                    rows.clear()
                    continue
                first = len(dataset)
                new = (
                    np.concatenate(rows) if name in (growing_tables.CONTACTS, growing_tables.EVENTS) else np.stack(rows)
                )
                dataset.resize(first + len(new), axis=0)
                dataset[first:] = new
                rows.clear()
        self.nbytes = 0
