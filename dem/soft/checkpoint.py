"""What a simulation in time steps needs to go on; its arrays are those of `dem.soft.snapshot`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.files import gate
from dem.files.gate import number
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
        "contacts": {
            "rule": sim.contacts.rule,
            "damped": sim.contacts.damped,
            "table": [[recipe(thing) for thing in row] for row in sim.contacts],
        },
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
    """Set it up again, in the state that was written; what it says must fit, see `dem.soft.fit`."""
    rows = ([made(thing) for thing in row] for row in given["contacts"]["table"])
    table = {(one, other): contact for one, other, contact in rows}
    remembered = gate.arrays(group, CONTACTS)
    state = Snapshot(
        bodies=gate.arrays(group, BODIES),
        contacts=ContactHistory(*(remembered[name] for name in ContactHistory._fields)),
        progress=gate.arrays(group, "progress"), energy_unit=number(group, "unit", above=0),
        datum=number(group, "datum"), start_step=int(gate.numbers(group, "start_step", (), "iu")[()]),
        watch=gate.numbers(group, "watch", (None,))[:] if "watch" in group else np.empty(0),
    )  # fmt: skip
    start_energy = gate.finite(group, "start_energy", (len(Energy._fields),))
    return Simulation._restored(
        read_particles(given, group), made(given["box"]), state,
        start_energy=Energy(*start_energy.tolist()), largest_kinetic=number(group, "largest_kinetic", least=0),
        booked=_booked(group, state),
        gravity=given["gravity"], description=given["description"], time_step=given["time_step"],
        integrator=given["integrator"], threads=threads, deepest_overlap=given["deepest_overlap"],
        contacts=Contacts(table, rule=given["contacts"]["rule"], damped=given["contacts"].get("damped", "alone")),
    )  # fmt: skip


def _booked(group: h5py.Group, state: Snapshot) -> Booked:
    """What the ledger had before."""
    if "booked" not in group:
        return Booked(first_step=state.start_step)
    *sums, first_step = gate.finite(group, "booked", (len(Booked._fields),)).tolist()
    return Booked(*sums, int(first_step))
