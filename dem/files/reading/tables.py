"""Runs as tables of pandas and datasets of xarray, with names, units and coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base import imports
from dem.model.particles.fields import FIELDS, ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    import xarray

    from dem.files.reading.stored_field import StoredField
    from dem.files.reading.stored_run import StoredRun
    from dem.model.contact.contact_forces import ContactForces

OF_CONTACTS = {"normal": "1", "force": "N", "couple": "N m", "point": "m", "branch": "m"}  # by component, and units
DIMENSIONS = {3: "component", 4: "quaternion"}  # by width


def to_pandas(run: StoredRun, fields: Sequence[str]) -> pd.DataFrame:
    """Table with a row for each particle in each frame, see `Trajectory.to_pandas`."""
    pd = imports.library("pandas", extra="tables", purpose="to_pandas")
    kind, frames = run.kind, np.asarray(run.frames)
    particles = len(kind)
    columns = {
        "frame": np.repeat(frames, particles),
        "time": np.repeat(run.time, particles),
        "particle": np.tile(np.arange(particles), len(frames)),
        "kind": np.tile(kind, len(frames)),
    }
    units = {"time": ROWS["time"]}
    for name in fields:
        values, field = run.field(name)[:], FIELDS[name]
        columns |= dict(zip(field.columns, values.reshape(-1, field.width).T, strict=True))
        units |= dict.fromkeys(field.columns, field.unit)
    table = pd.DataFrame(columns)
    if run.varies:  # only particles present, by their numbers
        table["particle"] = run.identity[table["particle"]]
        state = [column for name in fields for column in FIELDS[name].columns]
        table = table[~table[state].isna().all(axis=1)].reset_index(drop=True)
    table.attrs["units"] = units
    return table


def contacts(forces: ContactForces, identity: np.ndarray) -> pd.DataFrame:
    """Table with a row for each contact of particles with these permanent numbers (N,), see `Trajectory.contacts`."""
    pd = imports.library("pandas", extra="tables", purpose="Trajectory.contacts")
    push = np.einsum("ka,ka->k", forces.force, forces.normal)
    along, other = push[:, None] * forces.normal, np.where(forces.with_wall, forces.i, forces.j)
    columns = {
        "i": identity[forces.i], "j": np.where(forces.with_wall, forces.j, identity[other]),
        "overlap": forces.overlap, "normal_force": push,
        "tangential_force": np.linalg.norm(forces.force - along, axis=1),
    }  # fmt: skip
    units = {"overlap": "m", "normal_force": "N", "tangential_force": "N"}
    for name, unit in OF_CONTACTS.items():
        if (vectors := getattr(forces, name)) is not None:
            parts = {f"{name}_{axis}": values for axis, values in zip("xyz", vectors.T, strict=True)}
            columns |= parts
            units |= dict.fromkeys(parts, unit)
    table = pd.DataFrame(columns)
    table.attrs["units"] = units
    return table


def to_xarray(run: StoredRun, fields: Sequence[str]) -> xarray.Dataset:
    """Arrays with named dimensions that are read lazily, see `Trajectory.to_xarray`."""
    xr = imports.library("xarray", extra="tables", purpose="to_xarray")
    variables = {name: _variable(run.field(name)) for name in fields}
    for name, values in run.energy.items():
        attributes = {"units": "J", "long_name": f"{name} energy of the system"}
        variables[f"{name}_energy"] = xr.Variable("time", values, attributes)
    coordinates = {
        "time": xr.Variable("time", run.time, {"units": ROWS["time"]}),
        "step": xr.Variable("time", run.step),
        "frame": xr.Variable("time", np.asarray(run.frames, dtype=np.int64)),
        "kind": xr.Variable("particle", run.kind),
        **{DIMENSIONS[FIELDS[name].width]: list(FIELDS[name].components) for name in fields if FIELDS[name].width > 1},
    }
    if run.varies:  # columns are those of the particles in any frame
        coordinates["identity"] = xr.Variable("particle", run.identity)
    return xr.Dataset(variables, coordinates, {"source": str(run.path)})


def _variable(stored: StoredField) -> xarray.Variable:
    """A field that xarray reads lazily."""
    from xarray import Variable  # noqa: PLC0415
    from xarray.backends import BackendArray  # noqa: PLC0415, an extra
    from xarray.core import indexing  # noqa: PLC0415

    scalar = stored.field.width == 1
    dimensions = ("time", "particle", *(() if scalar else (DIMENSIONS[stored.field.width],)))
    component = (0,) if scalar else ()

    class OnDisk(BackendArray):
        shape, dtype = stored.shape[: len(dimensions)], stored.dtype

        def __getitem__(self, key: indexing.ExplicitIndexer) -> np.ndarray:
            basic = indexing.IndexingSupport.BASIC
            return indexing.explicit_indexing_adapter(key, self.shape, basic, lambda key: stored[(*key, *component)])

    attributes = {"units": stored.field.unit, "long_name": stored.field.meaning}
    return Variable(dimensions, indexing.LazilyIndexedArray(OnDisk()), attributes)
