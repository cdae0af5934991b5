"""What a simulation in time steps needs to go on; its arrays are those of `dem.soft.snapshot`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.files.recipes import describe_particles, made, read_particles, recipe, write_particles
from dem.model.contacts import Contacts
from dem.model.energy import Energy
from dem.soft.accounted import Booked
from dem.soft.history import ContactHistory
from dem.soft.per_body import BODIES, CONTACTS
from dem.soft.simulation import Simulation
from dem.soft.snapshot import Snapshot

if TYPE_CHECKING:
    import h5py


# ruff: noqa: SLF001 (this is the other half of Simulation)


def describe(sim: Simulation) -> dict:
    """How to set it up again."""
    return {
        **describe_particles(sim.particles),
        "box": sim.box and recipe(sim.box),
        "contacts": {"rule": sim.contacts.rule, "table": [[recipe(thing) for thing in row] for row in sim.contacts]},
        "gravity": sim.gravity,
        "time_step": sim.time_step,
        "integrator": sim.integrator.name,
        "deepest_overlap": sim._deepest,
        "description": sim.description,
    }


def write(sim: Simulation, group: h5py.Group) -> None:
    """Write its state."""
    write_particles(sim.particles, group)
    state = sim._engine.snapshot()
    for part, arrays in ((BODIES, state.bodies), (CONTACTS, state.contacts._asdict()), ("progress", state.progress)):
        for name, values in arrays.items():
            group[f"{part}/{name}"] = values
    group["unit"] = state.energy_unit
    group["datum"] = state.datum
    group["start_step"] = state.start_step
    group["watch"] = state.watch
    group["start_energy"] = np.array(sim.start_energy)
    group["largest_kinetic"] = sim._largest_kinetic
    booked = sim._booked._replace(given=sim._given)
    if booked != Booked(first_step=state.start_step):
        group["booked"] = np.array(booked)


def read(given: dict, group: h5py.Group, threads: int | None) -> Simulation:
    """Set it up again, in the state that was written."""
    rows = ([made(thing) for thing in row] for row in given["contacts"]["table"])
    table = {(one, other): contact for one, other, contact in rows}
    bodies, progress = ({name: values[:] for name, values in group[part].items()} for part in (BODIES, "progress"))
    state = Snapshot(
        bodies=bodies, contacts=ContactHistory(*(group[f"{CONTACTS}/{name}"][:] for name in ContactHistory._fields)),
        progress=progress, energy_unit=float(group["unit"][()]), datum=float(group["datum"][()]),
        start_step=int(group["start_step"][()]),
        watch=group["watch"][:] if "watch" in group else np.empty(0),  # files of version 0.1 have none
    )  # fmt: skip
    *sums, first_step = group["booked"][:].tolist() if "booked" in group else Booked(first_step=state.start_step)
    return Simulation._restored(
        read_particles(given, group), made(given["box"]), state,
        start_energy=Energy(*group["start_energy"][:].tolist()), largest_kinetic=float(group["largest_kinetic"][()]),
        booked=Booked(*sums, int(first_step)),
        gravity=given["gravity"], description=given["description"], time_step=given["time_step"],
        integrator=given["integrator"], threads=threads, contacts=Contacts(table, rule=given["contacts"]["rule"]),
        deepest_overlap=given["deepest_overlap"],
    )  # fmt: skip
