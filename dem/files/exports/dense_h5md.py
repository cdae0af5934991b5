"""Export H5MD with a fixed column for each particle, for MDAnalysis and other programs that require this.

P. de Buyl et al., Comput. Phys. Commun. 185 (2014) 1546. A trajectory is such a file already, unless particles are
inserted or removed: then a frame has rows for the particles present, without gaps. In this format each particle that
was ever in a frame has its own column, in the order of ``id``; where it is absent, fields are NaN and ``id`` is -1.
Numbers are as precise as those of the trajectory; chunks without any particle take no space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import h5py
import numpy as np

from dem.files.exports.format import Format, check_room
from dem.files.h5md import layout
from dem.files.h5md.schema import PARTICLES, attributes
from dem.files.h5md.variable_population import ID
from dem.files.storage.output_file import output_file
from dem.model.particles.fields import STATE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from dem.files.reading.trajectory import Trajectory

COLUMNS = 4096  # that are stored together, of a frame


def _write(run: Trajectory, path: Path, frames: range, fields: Sequence[str]) -> None:
    identity, moving = run.identity, {name: run.field(name) for name in fields}
    reached = [_span(run[k].columns, len(identity)) for k in frames]
    needed = 8 * sum(end - start for start, end in reached) * (1 + sum(field.shape[2] for field in moving.values()))
    what = f"up to {needed:.3g} bytes, a column for each of {len(identity)} particles"
    check_room(
        path, needed, f"{run.path} as h5md takes {what}", "or fields, or csv, which has only the particles present"
    )
    with output_file(path) as file:
        layout.write_authorship(file)
        group = file.create_group(PARTICLES)
        group["position/step"], group["position/time"] = run.step[list(frames)], run.time[list(frames)]
        group["position/time"].attrs["unit"] = "s"
        group["mass"], group["species"] = run.mass, run.kind
        _lay_box(group, run, frames)
        size = len(frames), len(identity)
        identities = _empty(group, ID, size, np.int64, -1)
        stored = {name: _empty(group, name, (*size, f.shape[2]), f.dtype, np.nan) for name, f in moving.items()}
        for name, dataset in stored.items():
            dataset.attrs.update(attributes(name))
        for name, values in run.energy.items():
            energy = _element(group, file.require_group(f"observables/{name}_energy"))
            energy["value"] = values[list(frames)]
            energy["value"].attrs["unit"] = "J"
        for row, (k, (start, end)) in enumerate(zip(frames, reached, strict=True)):
            for dataset, values in _rows(run, k, identities, stored):
                part = np.full((end - start, *values.shape[1:]), dataset.fillvalue, dataset.dtype)
                part[np.arange(len(identity))[run[k].columns] - start] = values
                dataset[row, start:end] = part


def _rows(run: Trajectory, k: int, identities: h5py.Dataset, stored: dict) -> Iterator[tuple[h5py.Dataset, np.ndarray]]:
    """Values of each dataset for the particles present in a frame."""
    shot = run[k]
    yield identities, shot.identity
    for name, dataset in stored.items():
        yield dataset, shot.field(name)


def _span(columns: np.ndarray | slice, most: int) -> tuple[int, int]:
    """First of some columns, and one past the last."""
    there = np.arange(most)[columns]
    return (int(there[0]), int(there[-1]) + 1) if len(there) else (0, 0)


def _lay_box(group: h5py.Group, run: Trajectory, frames: range) -> None:
    """Write the box group, laid out as in a trajectory."""
    given = run.input["box"]
    periodic = given["periodic"] if given else ()
    box = layout.create_box(group, periodic)
    if periodic:
        edges = np.tile(np.subtract(given["upper"], given["lower"]), (len(frames), 1))
        if run.cell is not None:
            edges = np.swapaxes(run.cell.edges, 1, 2)[list(frames)]
        _element(group, box.create_group("edges"))["value"] = edges


def _element(group: h5py.Group, element: h5py.Group) -> h5py.Group:
    """Create an element that shares step and time with the positions."""
    for name in ("step", "time"):
        if name not in element:
            element[name] = group[f"position/{name}"]
    return element


def _empty(group: h5py.Group, name: str, size: tuple[int, ...], dtype: type, fill: float) -> h5py.Dataset:
    """Create a dataset (T, N, ...) with the fill value everywhere."""
    chunks = 1, max(1, min(size[1], COLUMNS)), *size[2:]
    element = _element(group, group.require_group(name))
    return element.create_dataset("value", size, dtype, chunks=chunks if size[1] else None, fillvalue=fill)


FORMAT = Format(
    (".dense.h5", ".h5md", ".h5"), lambda _: {name: (name,) for name in STATE}, _write, always=("position",)
)
