"""What a simulation in time steps needs to go on; the arrays are those of `dem.soft.copies`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.files.recipes import kinds_of, made, read_particles, recipe, write_particles
from dem.model.contacts import Contacts
from dem.model.energy import Energy
from dem.soft.copies import bodies_of, put_back
from dem.soft.history import Held
from dem.soft.simulation import Simulation

if TYPE_CHECKING:
    import h5py


# ruff: noqa: SLF001 (this is the other half of Simulation)


def describe(sim: Simulation) -> dict:
    """How to set it up again."""
    return {
        "kinds": kinds_of(sim.particles),
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
    engine = sim._engine
    write_particles(sim.particles, group)
    for name, rows in bodies_of(engine).items():
        group[f"bodies/{name}"] = rows
    for part, arrays in (("contacts", engine.held()), ("progress", engine.progress)):
        for name, values in arrays._asdict().items():
            group[f"{part}/{name}"] = values
    group["unit"] = engine.setting.unit
    group["datum"] = engine.datum
    group["start_step"] = engine.start_step
    group["start_energy"] = np.array(sim.start_energy)
    group["largest_kinetic"] = sim._largest_kinetic


def read(given: dict, group: h5py.Group, threads: int | None) -> Simulation:
    """Set it up again, in the state that was written."""
    rows = ([made(thing) for thing in row] for row in given["contacts"]["table"])
    table = {(one, other): contact for one, other, contact in rows}
    sim = Simulation(
        read_particles(given["kinds"], group), made(given["box"]), gravity=given["gravity"],
        time_step=given["time_step"], integrator=given["integrator"], threads=threads,
        contacts=Contacts(table, rule=given["contacts"]["rule"]), deepest_overlap=given["deepest_overlap"],
        description=given["description"], _resumed=True,
    )  # fmt: skip
    engine = sim._engine
    bodies, progress = ({name: values[:] for name, values in group[part].items()} for part in ("bodies", "progress"))
    held = Held(*(group[f"contacts/{name}"][:] for name in Held._fields))
    put_back(engine, bodies, held, progress)
    engine.go_on(held, float(group["unit"][()]), float(group["datum"][()]), int(group["start_step"][()]))
    sim._go_on(Energy(*group["start_energy"][:].tolist()), float(group["largest_kinetic"][()]))
    return sim
