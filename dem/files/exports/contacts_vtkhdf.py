"""Export contacts as lines for ParaView (force chains), as a separate VTKHDF file.

A line goes from the centre of mass of particle i to that of j, to its image next to i across a periodic face, or to the
point of contact at a wall. Cell data are ``force`` (on i [N]), ``normal_force`` (its part along the normal [N],
positive where surfaces push), ``normal`` (unit vector from j to i), ``overlap`` [m], and ``pair``: the numbers of i and
j, with -1 - face for j at a wall, as in `dem.statistics.ContactForces`. Point data are ``normal_force`` again, by which
tubes can be as thick as forces are large, and ``particle``, the number of the particle or wall at that end. Each frame
has the contacts there are then: ParaView 5.13 or VTK 9.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import h5py
import numpy as np

from dem.files.exports.format import Format
from dem.files.h5md.vtkhdf import begin_polydata, write_cells, write_steps
from dem.files.storage.output_file import output_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dem.files.reading.trajectory import Trajectory

COLUMNS = {"force": (3,), "normal_force": (), "normal": (3,), "overlap": ()}
CHUNK = 4096  # rows


def _fields(run: Trajectory) -> dict[str, tuple[str, ...]]:
    del run
    return dict.fromkeys((*COLUMNS, "pair"), ("position",))


def _write(run: Trajectory, path: Path, frames: range, fields: Sequence[str]) -> None:
    counts = []
    with output_file(path) as file:
        view = begin_polydata(file)
        points = _growing(view, "Points", (3,), float)
        cells = {
            name: _growing(view, f"CellData/{name}", shape, float) for name, shape in COLUMNS.items() if name in fields
        }
        if "pair" in fields:
            cells["pair"] = _growing(view, "CellData/pair", (2,), np.int64)
        thick = _growing(view, "PointData/normal_force", (), float)
        ends = _growing(view, "PointData/particle", (), np.int64)
        for k in frames:
            shot = run[k]
            found = shot.contact_forces()
            start, wall = shot.position[found.i], found.with_wall
            _append(points, np.stack([start, start - found.branch], axis=1).reshape(-1, 3))
            other = np.where(wall, found.j, shot.identity[np.where(wall, found.i, found.j)])
            pair = np.column_stack([shot.identity[found.i], other])
            pushed = (found.force * found.normal).sum(axis=1)
            values = {**found._asdict(), "normal_force": pushed, "pair": pair}
            for name, dataset in cells.items():
                _append(dataset, values[name])
            _append(thick, np.repeat(pushed, 2))
            _append(ends, pair.ravel())
            counts.append(len(pair))
        _lay_out(view, run.time[list(frames)], np.array(counts))


def _growing(view: h5py.Group, name: str, shape: tuple[int, ...], kind: type) -> h5py.Dataset:
    """Create a dataset without rows, to be extended."""
    return view.create_dataset(name, (0, *shape), kind, maxshape=(None, *shape), chunks=(CHUNK, *shape))


def _append(dataset: h5py.Dataset, rows: np.ndarray) -> None:
    before = len(dataset)
    dataset.resize(before + len(rows), axis=0)
    dataset[before:] = rows


def _lay_out(view: h5py.Group, time: np.ndarray, counts: np.ndarray) -> None:
    """Write everything except points and data, for given numbers of lines at each time (T,).

    The connectivity of lines is stored once, for the frame with the most lines.
    """
    view["NumberOfPoints"] = 2 * counts
    write_cells(view, "Lines", counts, points=2)
    steps = write_steps(view, time, 2 * (np.cumsum(counts) - counts), parts=True)
    for name in view["PointData"]:
        steps[f"PointDataOffsets/{name}"] = steps["PointOffsets"]
    for name in view.get("CellData", ()):
        steps[f"CellDataOffsets/{name}"] = np.cumsum(counts) - counts


FORMAT = Format((".contacts.vtkhdf", ".vtkhdf", ".hdf", ".h5"), _fields, _write)
