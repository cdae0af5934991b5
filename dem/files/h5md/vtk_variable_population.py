"""Show runs with a varying number of particles in ParaView: the group ``/VTKHDF``.

Unlike in ``vtkhdf``, each step has its own points, and steps follow each other. The vertices that make points visible
are stored once, for the step with the most points. Needs ParaView 5.13 or VTK 9.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import h5py
import numpy as np

from dem.files.h5md import variable_population
from dem.files.h5md.schema import PARTICLES, variants_in
from dem.model.particles.fields import STATE

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUP = "VTKHDF"


def write_crowd(file: h5py.File, frames: int) -> None:
    """Write the group for so many frames of a trajectory that is open for writing; positions are linked, not copied."""
    group = file[PARTICLES]
    identity = group[f"{variable_population.ID}/value"]
    there = np.array([int((identity[k] >= 0).sum()) for k in range(frames)])
    view = crowd(file, group["position/time"][:frames], there)
    data = view["PointData"]
    for name in [name for name in STATE if name in group]:
        where, called = (view, "Points") if name == "position" else (data, name)
        where.create_virtual_dataset(called, _pieces(group[f"{name}/value"], there))
    data.create_virtual_dataset("identity", _pieces(identity, there))
    for name, values in _by_particle(file, identity, there):
        data[name] = values
    begin_with_points(view)


def crowd(file: h5py.File, time: np.ndarray, there: np.ndarray) -> h5py.Group:
    """Lay out ``/VTKHDF`` for so many points at each time (T,), (T,), and return it.

    The caller creates ``Points`` and datasets in ``PointData`` with rows of all frames one after the other, and then
    calls `begin_with_points`. There is a vertex for each point, and none of the cells of other kinds.
    """
    view = file.create_group(GROUP)
    view.attrs["Version"] = np.array([2, 0])
    view.attrs["Type"] = np.bytes_(b"PolyData")
    view["NumberOfPoints"] = there
    most, nothing = int(there.max(initial=0)), np.zeros(len(there), np.int64)
    for cells in ("Vertices", "Lines", "Polygons", "Strips"):
        seen = cells == "Vertices"
        view[f"{cells}/NumberOfCells"] = view[f"{cells}/NumberOfConnectivityIds"] = there if seen else nothing
        view[f"{cells}/Offsets"] = np.arange(most + 1) if seen else nothing
        view[f"{cells}/Connectivity"] = np.arange(most if seen else 0)
    view.create_group("PointData")
    steps = view.create_group("Steps")
    steps.attrs["NSteps"] = len(time)
    steps["Values"] = time
    steps["NumberOfParts"] = np.ones(len(time), np.int64)
    steps["PartOffsets"] = np.arange(len(time))
    steps["PointOffsets"] = np.cumsum(there) - there
    for name in ("CellOffsets", "ConnectivityIdOffsets"):
        steps.create_dataset(name, (len(time), 4), np.int64)
    return view


def begin_with_points(view: h5py.Group) -> None:
    """Say that the point data of each frame begin where its points do."""
    steps = view["Steps"]
    for name in view["PointData"]:
        steps[f"PointDataOffsets/{name}"] = steps["PointOffsets"]


def _pieces(dataset: h5py.Dataset, there: np.ndarray) -> h5py.VirtualLayout:
    """Rows of the particles present, frame after frame, of a dataset with fill values."""
    ends = np.cumsum(there)
    flat = h5py.VirtualLayout((int(ends[-1]), *dataset.shape[2:]), dataset.dtype)
    source = h5py.VirtualSource(".", dataset.name, dataset.shape)
    for frame, (end, number) in enumerate(zip(ends, there, strict=True)):
        if number:
            flat[end - number : end] = source[frame, :number]
    return flat


def _by_particle(file: h5py.File, identity: h5py.Dataset, there: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """What particles have for ever, point by point of all frames: radius of the largest sphere [m], mass, kind."""
    group, (variant, tables) = file[PARTICLES], variants_in(file)
    born = group[variable_population.BORN][:]
    rows = [np.searchsorted(born, identity[frame, :number]) for frame, number in enumerate(there)]
    columns = np.concatenate([np.zeros(0, np.int64), *rows])
    largest = np.maximum.reduceat(tables["radii"][:], tables["first"][:-1])
    yield "radius", largest[variant[:]][columns]
    yield "mass", group["mass"][:][columns]
    yield "kind", group["species"][:][columns]
