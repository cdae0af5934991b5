"""Runs as pandas and xarray know data: with names, units and coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base import optional
from dem.files.schema import MEANINGS
from dem.files.series import Series

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    import xarray

    from dem.files.stored import StoredRun

COMPONENTS = {3: ("component", ("x", "y", "z")), 4: ("quaternion", ("w", "x", "y", "z"))}  # dimension and labels


def to_pandas(run: StoredRun, fields: Sequence[str]) -> pd.DataFrame:
    """A row for each particle in each frame, see `Trajectory.to_pandas`."""
    pd = optional.library("pandas", extra="tables", purpose="to_pandas")
    series = [run.series(name) for name in fields]
    frames, particles = np.asarray(run.frames), len(run.species)
    columns = {
        "frame": np.repeat(frames, particles),
        "time": np.repeat(run.time, particles),
        "particle": np.tile(np.arange(particles), len(frames)),
        "species": np.tile(run.species, len(frames)),
    }
    units = {"time": "s"}
    for each in series:
        values = each[:].reshape(-1, each.shape[-1])
        columns |= dict(zip(each.meaning.columns, values.T, strict=True))
        units |= dict.fromkeys(each.meaning.columns, each.unit)
    table = pd.DataFrame(columns)
    table.attrs["units"] = units
    return table


def to_xarray(run: StoredRun, fields: Sequence[str]) -> xarray.Dataset:
    """Arrays with named dimensions that are read when they are used, see `Trajectory.to_xarray`."""
    xr = optional.library("xarray", extra="tables", purpose="to_xarray")
    variables = {name: _variable(run.series(name)) for name in fields}
    for name, values in run.energy.items():
        attributes = {"units": "J", "long_name": f"{name} energy of the system"}
        variables[f"{name}_energy"] = xr.Variable("time", values, attributes)
    widths = {run.series(name).shape[-1] for name in fields}
    coordinates = {
        "time": xr.Variable("time", run.time, {"units": "s"}),
        "step": xr.Variable("time", run.step),
        "frame": xr.Variable("time", np.asarray(run.frames, dtype=np.int64)),
        "species": xr.Variable("particle", run.species),
        **{COMPONENTS[width][0]: list(COMPONENTS[width][1]) for width in widths},
    }
    return xr.Dataset(variables, coordinates, {"source": str(run.path)})


def _variable(series: Series) -> xarray.Variable:
    """A field that xarray reads when its values are asked for."""
    from xarray import Variable  # noqa: PLC0415
    from xarray.backends import BackendArray  # noqa: PLC0415, an extra
    from xarray.core import indexing  # noqa: PLC0415

    class OnDisk(BackendArray):
        shape, dtype = series.shape, series.dtype

        def __getitem__(self, key: indexing.ExplicitIndexer) -> np.ndarray:
            basic = indexing.IndexingSupport.BASIC
            return indexing.explicit_indexing_adapter(key, self.shape, basic, series.__getitem__)

    attributes = {"units": series.unit, "long_name": MEANINGS[series.name].text}
    dimensions = ("time", "particle", COMPONENTS[series.shape[-1]][0])
    return Variable(dimensions, indexing.LazilyIndexedArray(OnDisk()), attributes)
