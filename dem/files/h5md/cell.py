"""Deforming cell in files: its edges and the measures of an element test, in each frame.

The edges are those of H5MD, ``box/edges`` of the particles: matrices whose rows are the edges. The group ``cell`` holds
an element for each other quantity of `dem.statistics.CellState`, by its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.model.domain.cell import Cell

if TYPE_CHECKING:
    from collections.abc import Callable

    import h5py

    from dem.model.contact.contact_forces import ContactForces
    from dem.statistics.cell_state import CellState
    from dem.system.system import System

GROUP = "cell"
ELEMENTS = {
    "rate": ((3, 3), "s-1"), "strain": ((3, 3), ""), "contact_stress": ((3, 3), "Pa"), "kinetic_stress": ((3, 3), "Pa"),
    "solid_fraction": ((), ""), "coordination": ((), ""), "unbalanced": ((), ""), "inertial_number": ((), ""),
    "fabric": ((3, 3), ""),
}  # fmt: skip


def create(file: h5py.File, sim: System, element: Callable) -> None:
    """Create the datasets of the cell, if there is one."""
    if not isinstance(sim.box, Cell):
        return
    group = file.create_group(GROUP)
    for name, (shape, unit) in ELEMENTS.items():
        dataset = element(file, group, name, shape)
        if unit:
            dataset.attrs["unit"] = unit


def datasets(file: h5py.File) -> dict[str, h5py.Dataset]:
    """Datasets of the cell with one row a frame, by name; none without a cell."""
    return {f"{GROUP}/{name}": file[f"{GROUP}/{name}/value"] for name in ELEMENTS} if GROUP in file else {}


def rows(sim: System, contacts: ContactForces) -> dict[str, np.ndarray]:
    """Rows of the datasets of a cell, and of the edges of H5MD, for the current state and given contacts."""
    state = sim._cell_with(contacts)  # noqa: SLF001, contacts are computed once a frame
    values = state._asdict() | {"contact_stress": state.stress.contact, "kinetic_stress": state.stress.kinetic}
    return {"edges": state.edges.T} | {f"{GROUP}/{name}": values[name] for name in ELEMENTS}


def state(edges: np.ndarray, values: dict[str, np.ndarray]) -> CellState:
    """State of the cell from rows of the edges of H5MD (..., 3, 3) and of each dataset in ELEMENTS."""
    from dem.statistics.cell_state import CellState  # noqa: PLC0415, few runs have a cell
    from dem.statistics.forces import Stress  # noqa: PLC0415, as above

    rest = dict(values)
    stress = Stress(rest.pop("contact_stress"), rest.pop("kinetic_stress"))
    return CellState(edges=np.swapaxes(edges, -1, -2), stress=stress, **rest)
