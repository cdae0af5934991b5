"""Rows of frames and logs, collected in memory and appended to the data sets together, for ``trajectory_writer``.

Appended one by one, they would take a millisecond each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.files.h5md import growing_tables, layout, variable_population

if TYPE_CHECKING:
    import h5py

    from dem.system.system import System


class Waiting:
    """Rows of frames and of logs, by the names of their data sets."""

    def __init__(self, file: h5py.File, sim: System) -> None:
        self._file, self._sim = file, sim
        if sim.traffic:
            sim.traffic.ledger.fetch()  # what was before is in no file, or in another one
        self.of_frames = layout.frame_datasets(file)
        self.of_logs = growing_tables.found(file)
        self._rows = {name: [] for name in (*self.of_frames, *self.of_logs)}

    def __bool__(self) -> bool:
        """Whether any row waits."""
        return any(self._rows.values())

    @property
    def nbytes(self) -> int:
        """Bytes that they take."""
        return sum(sum(row.nbytes for row in rows) for rows in self._rows.values())

    def frame(self, rows: dict[str, object]) -> None:
        """Take a row of each data set that has one a frame."""
        if variable_population.ID in self.of_frames:
            variable_population.note_born(self._file, self._sim)
        for name, dataset in self.of_frames.items():
            self._rows[name].append(np.array(rows[name], dataset.dtype))
        if growing_tables.CONTACTS in self.of_logs:
            self._rows[growing_tables.CONTACTS].append(rows[growing_tables.CONTACTS])

    def hear(self, sim: System) -> None:
        """Add insertions and removals."""
        if sim.traffic and (rows := sim.traffic.ledger.fetch()).size:
            self._rows[growing_tables.EVENTS].append(rows)

    def log(self, name: str, row: tuple, kind: np.dtype, units: dict[str, str]) -> None:
        """Take a row of a log, which is made with its first one."""
        if name not in self.of_logs:
            self.of_logs[name], self._rows[name] = growing_tables.create(self._file, name, kind, units), []
        self._rows[name].append(np.array(row, kind))

    def write(self) -> None:
        """Put them into their data sets, all at once."""
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
