"""What a simulation in time steps needs to go on.

What a step hands to the next one is kept: half-step velocities, the memory of the scheme and of the contacts, images in
periodic boxes, counts of rough wall contacts, and the account of energies. Lists are not; they show in no bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.checkpoint.recipes import kinds_of, made, read_particles, recipe, write_particles
from dem.contacts import Contacts
from dem.energy import Energy
from dem.held import Held

if TYPE_CHECKING:
    import h5py

    from dem.engine import Engine
    from dem.simulation import Simulation

# ruff: noqa: SLF001 (this is the other half of Simulation)

BODIES = (
    "position", "image", "velocity", "orientation", "memory_q", "memory_w", "memory_a", "memory_more", "force",
    "torque", "velocity_ahead", "spin",
)  # fmt: skip


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


def bodies_of(engine: Engine) -> dict[str, np.ndarray]:
    """Copies of all that is kept of bodies, in the user's order."""
    result = {}
    for name in BODIES:
        rows = getattr(engine.bodies, name)
        result[name] = np.empty_like(rows)
        if rows.size:
            result[name][:, engine.bodies.identity] = rows
    return result


def put_back(engine: Engine, bodies: dict[str, np.ndarray], held: Held, progress: dict[str, np.ndarray]) -> None:
    """Give an engine of the same input what `bodies_of`, `Engine.held` and its progress were; `go_on` comes after."""
    order = engine.bodies.identity
    for name, rows in bodies.items():
        if rows.size:
            getattr(engine.bodies, name)[:] = rows[:, order]
    engine.bodies.wall_contacts[:] = held.wall_contacts[order]
    for name, values in progress.items():
        getattr(engine.progress, name)[:] = values


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


def read(kind: type[Simulation], given: dict, group: h5py.Group, threads: int | None) -> Simulation:
    """Set it up again, in the state that was written."""
    rows = ([made(thing) for thing in row] for row in given["contacts"]["table"])
    table = {(one, other): contact for one, other, contact in rows}
    sim = kind(
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
