"""Tables of records in a trajectory that grow independently of frames.

``pandas.DataFrame(h5py.File("run.h5")["table"][:])`` reads one into pandas. A file has the tables that it needs:
`TABLE`, the running table of a run; `CHANGES`, changes of the state by the user between steps; `CONTACTS`, contacts of
all frames one after the other, with their number in each frame in ``contacts/number``; `EVENTS`, insertions and
removals of particles.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import h5py

    from dem.model.contact.contact_forces import ContactForces

TABLE, CHANGES, CONTACTS, EVENTS = "table", "changes", "contacts/rows", "events"
CHANGED = np.dtype([("step", "<i8"), ("time", "<f8"), ("work", "<f8"), ("gravity", "<f8", 3)])
# of `dem.statistics.ContactForces`; the point is at the arm's end
VECTORS = [(name, "<f8", 3) for name in ("normal", "force", "arm", "branch")]
CONTACT = np.dtype([("i", "<i4"), ("j", "<i4"), ("overlap", "<f8"), *VECTORS])
CONTACT_WITH_COUPLE = np.dtype([*CONTACT.descr, ("couple", "<f8", 3)])
UNITS_OF_CONTACTS = {"overlap": "m", "force": "N", "arm": "m", "branch": "m", "couple": "N m"}
UNITS_OF_CHANGES = {"step": "1", "time": "s", "work": "J", "gravity": "m/s2"}
ROWS = 256  # that are stored together


def create(file: h5py.File, name: str, kind: np.dtype, units: dict[str, str]) -> h5py.Dataset:
    """Create an empty table."""
    dataset = file.create_dataset(name, (0,), kind, maxshape=(None,), chunks=(ROWS,))
    dataset.attrs["units"] = json.dumps(units)
    return dataset


def create_contacts(file: h5py.File, *, couples: bool) -> h5py.Dataset:
    """Create the table of contacts, with couples if contacts can have any."""
    kind = CONTACT_WITH_COUPLE if couples else CONTACT
    units = {name: unit for name, unit in UNITS_OF_CONTACTS.items() if name in kind.names}
    return create(file, CONTACTS, kind, units)


def contact_rows(contacts: ContactForces, kind: np.dtype) -> np.ndarray:
    """Records of contacts as they are stored, of one of the two types."""
    rows = np.empty(len(contacts.i), kind)
    for name in kind.names:
        rows[name] = 0.0 if getattr(contacts, name) is None else getattr(contacts, name)
    return rows


def tables_in(file: h5py.File) -> dict[str, h5py.Dataset]:
    """Tables in a file, by name."""
    return {name: file[name] for name in (TABLE, CHANGES, CONTACTS, EVENTS) if name in file}


def cut(dataset: h5py.Dataset, time: float) -> None:
    """Remove rows later than a time [s]; rows that belong to frames stay with them."""
    if "time" in dataset.dtype.names:
        dataset.resize(int(np.searchsorted(dataset["time"], time * (1 + 1e-12), side="right")), axis=0)
