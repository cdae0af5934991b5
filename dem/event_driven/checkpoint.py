"""Checkpoint of hard spheres: every particle at its own time, its next event, the event queue and the cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.event_driven.engine import PARTS, HardState
from dem.event_driven.simulation import HardSpheres
from dem.files.checkpoints.serialization import describe_particles, made, read_particles, recipe, write_particles
from dem.files.validation import input_validation
from dem.files.validation.input_validation import number
from dem.model.energy import energies_kept
from dem.system.energy_ledger import EnergyLedger

if TYPE_CHECKING:
    import h5py


# ruff: noqa: SLF001 (this is the other half of HardSpheres)


def describe(sim: HardSpheres) -> dict:
    """Input from which the simulation can be set up again."""
    laws = {name: value for name, value in sim.settings.items() if name not in {"method", "contact_time"}}
    return {
        **describe_particles(sim.particles),
        "box": sim.box and recipe(sim.box),
        "gravity": sim.gravity,
        "contact_time": sim._laws.contact_time,
        "laws": laws,
        "description": sim.description,
    }


def write(sim: HardSpheres, group: h5py.Group) -> None:
    """Write its state."""
    write_particles(sim.particles, group)
    state = sim._engine.snapshot()
    for part in PARTS:
        for name, values in getattr(state, part).items():
            group[f"{part}/{name}"] = values
    group["time"] = state.time
    ledger = sim._ledger
    group["datum"] = ledger.datum
    group["start_energy"] = np.array(ledger.start_energy[: energies_kept(fluid=False)])
    group["largest_kinetic"] = ledger.largest_kinetic
    if ledger.external_work:
        group["given"] = ledger.external_work


def read(given: dict, group: h5py.Group, threads: int | None) -> HardSpheres:
    """Set the simulation up again, in the state that was written, which must fit.

    See `event_driven.checkpoint_validation`.
    """
    del threads
    parts = {part: input_validation.arrays(group, part) for part in PARTS}
    return HardSpheres._restored(
        read_particles(given, group), made(given["box"]),
        HardState(**parts, time=number(group, "time")), gravity=given["gravity"],
        contact_time=given["contact_time"], laws=given["laws"], description=given["description"],
        ledger=EnergyLedger(
            number(group, "datum"), input_validation.energy(group, "start_energy"),
            number(group, "largest_kinetic", least=0), number(group, "given") if "given" in group else 0.0,
        ),
    )  # fmt: skip
