"""Summary of a trajectory as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import h5py
import numpy as np

from dem.base.parsing import parse_json

if TYPE_CHECKING:
    from dem.files.reading.stored_run import StoredRun

# shown as a whole, with their meaning
GROUPS = {
    "restart/start": "state at the start: dem rerun",
    "restart/latest": "latest checkpoint: dem run --resume, Simulation.load",
    "VTKHDF": "the same data for ParaView and VTK",
    "changes": "what was changed from outside: Trajectory.changes",
    "contacts": "contacts of each frame: Frame.contact_forces",
    "events": "insertions and removals: Trajectory.events",
    "table": "running table: Trajectory.table",
}
APART = ("input", "verdict", "error")  # of the attributes of `parameters`; the others tell where the file comes from


def of(run: StoredRun, file: h5py.File) -> dict:
    """Summary of a trajectory for JSON: numbers, datasets, input, provenance, energies, verdict."""
    kind, mass = run.kind, run.mass
    time, step = run.time.tolist(), run.step.tolist()
    attributes = {name: _plain(value) for name, value in file["parameters"].attrs.items()}
    energies = {name: values.tolist() for name, values in run.energy.items()}
    return {
        "file": str(run.path),
        "bytes": run.location.stat().st_size,
        "frames": len(time),
        "particles": len(kind),
        "time": [time[0], time[-1]] if time else None,
        "step": [step[0], step[-1]] if step else None,
        "fields": list(run.fields),
        "energy": {name: {"first": v[0], "last": v[-1], "unit": "J"} for name, v in energies.items() if v},
        "kinds": [{**each, "mass": _min_and_max(mass[kind == k])} for k, each in enumerate(run.describe())],
        "input": run.input,
        "provenance": {name: value for name, value in attributes.items() if name not in APART},
        "datasets": _datasets(file),
        "groups": {name: _group(file[name]) for name in GROUPS if name in file},
        "verdict": run.verdict,
        "error": run.error,
    }


def _min_and_max(values: np.ndarray) -> dict[str, float] | None:
    """Smallest and largest value, by name; None if there are no values."""
    return {"least": float(values.min()), "most": float(values.max())} if values.size else None


def _datasets(file: h5py.File) -> list[dict]:
    """Name, shape, type and attributes of every dataset; step and time only once, for the positions."""
    shared = {file[name]: name for name in (f"particles/trajectory/position/{part}" for part in ("step", "time"))}
    found: dict[str, dict] = {}

    def visit(name: str, thing: h5py.Group | h5py.Dataset) -> None:
        if isinstance(thing, h5py.Dataset) and not name.startswith(tuple(GROUPS)):
            name = shared.get(thing, name)
            attributes = {key: _plain(value) for key, value in thing.attrs.items()}
            found[name] = {
                "name": name,
                "shape": list(thing.shape),
                "dtype": str(thing.dtype),
                "unit": attributes.pop("unit", attributes.pop("si_unit", None)),
                "chunks": list(thing.chunks) if thing.chunks else None,
                "compression": thing.compression,
                "bytes": thing.id.get_storage_size(),
                "attributes": attributes,
            }

    file.visititems(visit)
    return [found[name] for name in sorted(found)]


def _group(group: h5py.Group | h5py.Dataset) -> dict:
    """Size of a group or of a dataset of records."""
    sizes = [group.id.get_storage_size()] if isinstance(group, h5py.Dataset) else []
    if not sizes:
        group.visititems(lambda _, thing: sizes.append(thing.id.get_storage_size() if hasattr(thing, "shape") else 0))
    return {"meaning": GROUPS[group.name.strip("/")], "bytes": sum(sizes)}


def _plain(value: object) -> object:
    """Attribute as JSON value; text that contains a JSON object or list is parsed."""
    if isinstance(value, bytes):
        value = value.decode()
    if isinstance(value, str) and value[:1] in {"{", "["}:
        try:
            return parse_json(value, "an attribute")
        except ValueError:
            return value
    if isinstance(value, np.ndarray):
        return [_plain(each) for each in value.tolist()]
    return value.item() if isinstance(value, np.generic) else value
