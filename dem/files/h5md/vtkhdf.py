"""View of a trajectory for ParaView: the group ``/VTKHDF``, VTK's layout of moving points.

Format 2.0 of https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format, type PolyData, with steps: ParaView
5.12 or VTK 9.3 and later. VTK requires all four kinds of cells, even empty ones, and draws nothing without a vertex
for each point. Constant arrays are stored once, in one part whose offsets are zero at every step.

Of a cell that deforms, field data have its edges and what an element test measures (`dem.files.h5md.cell`).

Where the number of particles varies, each step has its own points, and steps follow each other; that needs ParaView
5.13 or VTK 9.4. The vertices that make points visible are stored once, for the step with the most points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import h5py
import numpy as np

from dem.files.h5md import bonds, cell, variable_population
from dem.files.h5md.schema import PARTICLES, variants_in
from dem.model.particles.fields import STATE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


def write_view(file: h5py.File) -> None:
    """Write the view of the complete frames of a trajectory open for writing; it replaces an earlier view.

    Points are the centres of mass, point data what else the file has of the state, with ``radius`` (of the largest
    sphere [m]), ``mass``, ``kind`` and ``identity``. Nothing of the state is copied: what moves are virtual datasets
    over the same file, which is why a view does not grow with the file and is written again. Bonds are lines.
    """
    file.pop(GROUP, None)
    group = file[PARTICLES]
    frames = len(group["position/step"])
    if not frames:
        return
    if variable_population.has_varying_number(file):
        write_varying_points(file, frames)
        return
    kind = group["species"]
    held = [name for name in STATE if name in group]
    variant, tables = variants_in(file)
    largest = np.maximum.reduceat(tables["radii"][:], tables["first"][:-1])
    fixed = {"radius": largest[variant[:]], "mass": group["mass"], "kind": kind}
    moving = [name for name in held if name != "position"]
    view = polydata(file, time=group["position/time"][:frames], points=len(kind), moving=moving, fixed=fixed)
    for name in held:
        dataset = group[f"{name}/value"]
        flat = h5py.VirtualLayout((frames * len(kind), dataset.shape[2]), dataset.dtype)
        flat[...] = h5py.VirtualSource(".", dataset.name, dataset.shape)[:frames]
        where = view if name == "position" else view["PointData"]
        where.create_virtual_dataset("Points" if name == "position" else name, flat)
    write_cell(view, file, frames)
    if bonds.count(file):
        held = file[f"{bonds.GROUP}/pairs"][:]
        draw_lines(view, held, file[f"{bonds.GROUP}/broken_at/value"][:frames])


def write_cell(view: h5py.Group, file: h5py.File, frames: int) -> None:
    """Write a deforming cell as field data: nine numbers a frame, the rows of a matrix.

    The rows of ``edges`` are the edges [m].
    """
    named = {name.removeprefix(f"{cell.GROUP}/"): dataset for name, dataset in cell.datasets(file).items()}
    if named:
        named["edges"] = file[f"{PARTICLES}/box/edges/value"]
    for name, dataset in named.items():
        rows = dataset[:frames].reshape(frames, -1)
        view[f"FieldData/{name}"] = rows
        view[f"Steps/FieldDataOffsets/{name}"] = np.arange(frames)
        view[f"Steps/FieldDataSizes/{name}"] = np.tile([rows.shape[1], 1], (frames, 1))


def begin_polydata(file: h5py.File) -> h5py.Group:
    """Create the group ``/VTKHDF`` for points, lines or surfaces."""
    view = file.create_group(GROUP)
    view.attrs["Version"], view.attrs["Type"] = np.array([2, 0]), np.bytes_(b"PolyData")
    return view


def write_cells(
    view: h5py.Group, drawn: str, number: np.ndarray, points: int = 1, connectivity: np.ndarray | None = None
) -> None:
    """Write the cells of one type, with their numbers in each part, and none of other types.

    A cell has so many `points`, by default the next ones. The connectivity is that of the part with the most cells.
    """
    most, none = int(number.max(initial=0)), np.zeros(len(number), np.int64)
    joined = np.arange(points * most) if connectivity is None else connectivity
    for kind in ("Vertices", "Lines", "Polygons", "Strips"):
        seen = kind == drawn
        view[f"{kind}/NumberOfCells"] = number if seen else none
        view[f"{kind}/NumberOfConnectivityIds"] = points * number if seen else none
        view[f"{kind}/Offsets"] = points * np.arange(most + 1) if seen else none
        view[f"{kind}/Connectivity"] = joined if seen else joined[:0]


def write_steps(view: h5py.Group, time: np.ndarray, point_offsets: np.ndarray, *, parts: bool) -> h5py.Group:
    """Write where the points of each step begin, and whether each step has its own part; returns the group."""
    steps = view.create_group("Steps")
    steps.attrs["NSteps"] = len(time)
    steps["Values"], steps["NumberOfParts"] = time, np.ones(len(time), np.int64)
    if parts:
        steps["PartOffsets"] = np.arange(len(time))
    steps["PointOffsets"] = point_offsets
    zeros = [("CellOffsets", (4,)), ("ConnectivityIdOffsets", (4,))]
    for name, shape in zeros if parts else [("PartOffsets", ()), *zeros]:
        steps.create_dataset(name, (len(time), *shape), np.int64)  # zeros: never written, so they take no room
    return steps


def draw_lines(view: h5py.Group, pairs: np.ndarray, broken_at: np.ndarray) -> None:
    """Write bonds as lines between points with given numbers (B, 2), and which are broken in each frame (T, B).

    Those to the ground, which is no point, are left out. Cell data ``broken`` is 1 for broken ones, and 0 for points.
    """
    both = np.flatnonzero((pairs >= 0).all(1))
    del view["Lines"]
    lines = view.create_group("Lines")
    lines["NumberOfCells"], lines["NumberOfConnectivityIds"] = np.array([len(both)]), np.array([2 * len(both)])
    lines["Offsets"], lines["Connectivity"] = 2 * np.arange(len(both) + 1), pairs[both].ravel()
    points = int(view["NumberOfPoints"][0])
    broken = np.zeros((len(broken_at), points + len(both)), np.int8)
    broken[:, points:] = broken_at[:, both] >= 0
    view["CellData/broken"] = broken.ravel()
    view["Steps/CellDataOffsets/broken"] = broken.shape[1] * np.arange(len(broken))


def polydata(
    file: h5py.File, *, time: np.ndarray, points: int, moving: Iterable[str], fixed: Mapping[str, np.ndarray]
) -> h5py.Group:
    """Create ``/VTKHDF`` for moving points; returns the group.

    Parameters
    ----------
    file : h5py.File
        Open for writing, without such a group.
    time : (T,) array
        Time of each frame [s].
    points : int
        Number P of points.
    moving : names
        Of the point data with T P rows, frame after frame. The caller creates these datasets in ``PointData``, and
        ``Points`` (T P, 3).
    fixed : mapping of name to (P,) array or dataset
        Point data that is the same in all frames; a dataset of this file is linked to, not copied.
    """
    view = begin_polydata(file)
    view["NumberOfPoints"] = np.array([points])
    write_cells(view, "Vertices", np.array([points]))
    data = view.create_group("PointData")
    for name, values in {**fixed, "identity": view["Vertices/Connectivity"]}.items():
        data[name] = values
    steps = write_steps(view, time, points * np.arange(len(time)), parts=False)
    for name in moving:
        steps[f"PointDataOffsets/{name}"] = steps["PointOffsets"]
    for name in data:
        steps[f"PointDataOffsets/{name}"] = steps["PartOffsets"]
    return view


GROUP = "VTKHDF"


def write_varying_points(file: h5py.File, frames: int) -> None:
    """Write the view of frames with a varying number of particles; positions are linked, not copied."""
    group = file[PARTICLES]
    identity = group[f"{variable_population.ID}/value"]
    there = np.array([int((identity[k] >= 0).sum()) for k in range(frames)])
    view = varying_points(file, group["position/time"][:frames], there)
    data = view["PointData"]
    for name in [name for name in STATE if name in group]:
        where, called = (view, "Points") if name == "position" else (data, name)
        where.create_virtual_dataset(called, _pieces(group[f"{name}/value"], there))
    data.create_virtual_dataset("identity", _pieces(identity, there))
    for name, values in _by_particle(file, identity, there):
        data[name] = values
    begin_with_points(view)


def varying_points(file: h5py.File, time: np.ndarray, there: np.ndarray) -> h5py.Group:
    """Create ``/VTKHDF`` for given numbers of points at each time (T,), (T,); returns the group.

    The caller creates ``Points`` and datasets in ``PointData`` with rows of all frames one after the other, and then
    calls `begin_with_points`. There is a vertex for each point, and none of the cells of other kinds.
    """
    view = begin_polydata(file)
    view["NumberOfPoints"] = there
    write_cells(view, "Vertices", there)
    view.create_group("PointData")
    write_steps(view, time, np.cumsum(there) - there, parts=True)
    return view


def begin_with_points(view: h5py.Group) -> None:
    """Set offsets of point data equal to the offsets of the points."""
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
    """Constant data of particles at the points of all frames: largest radius [m], mass, kind."""
    group, (variant, tables) = file[PARTICLES], variants_in(file)
    born = group[variable_population.BORN][:]
    rows = [np.searchsorted(born, identity[frame, :number]) for frame, number in enumerate(there)]
    columns = np.concatenate([np.zeros(0, np.int64), *rows])
    largest = np.maximum.reduceat(tables["radii"][:], tables["first"][:-1])
    yield "radius", largest[variant[:]][columns]
    yield "mass", group["mass"][:][columns]
    yield "kind", group["species"][:][columns]
