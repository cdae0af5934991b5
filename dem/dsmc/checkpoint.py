"""Checkpoint of spheres that collide at random: their state, what was counted, and the fluid at the particles."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from dem.dsmc.engine import PARTS, StochasticState
from dem.dsmc.simulation import StochasticSpheres
from dem.files.checkpoints.serialization import describe_particles, made, read_particles, recipe, write_particles
from dem.files.validation import input_validation
from dem.files.validation.input_validation import number
from dem.model.energy import Energy, energies_kept
from dem.model.fluid.solids_pressure import SolidsPressure
from dem.model.fluid.turbulence import Turbulence
from dem.system.energy_ledger import EnergyLedger

if TYPE_CHECKING:
    import h5py

# ruff: noqa: SLF001 (this is the other half of StochasticSpheres)
DERIVED = {"method", "time_step", "cells"}  # settings that are not given, or stored apart


def describe(sim: StochasticSpheres) -> dict:
    """Input from which the simulation can be set up again."""
    turbulence, pressure = sim._rule.turbulence, sim._rule.pressure
    return {
        **describe_particles(sim.particles),
        "box": recipe(sim.box),
        "gravity": sim.gravity,
        "time_step": sim.time_step,
        "settings": {name: value for name, value in sim.settings.items() if name not in DERIVED}
        | {"turbulence": turbulence and asdict(turbulence)}
        | ({"pressure": asdict(pressure)} if pressure else {}),
        "description": sim.description,
    }


def write(sim: StochasticSpheres, group: h5py.Group) -> None:
    """Write its state."""
    write_particles(sim.particles, group)
    state = sim._engine.snapshot()
    for part in PARTS:
        for name, values in getattr(state, part).items():
            group[f"{part}/{name}"] = values
    ledger = sim._ledger
    booked = {
        "start_energy": ledger.start_energy[: energies_kept(fluid=True)], "largest_kinetic": ledger.largest_kinetic,
        "given": ledger.external_work, "datum": ledger.datum,
        "start_momentum": sim._start_momentum, "pushed": sim._pushed,
    }  # fmt: skip
    for name, value in booked.items():
        group[f"booked/{name}"] = np.array(value, dtype=float)


def read(given: dict, group: h5py.Group, threads: int | None) -> StochasticSpheres:
    """Set the simulation up again in the state that was written, see `dem.dsmc.checkpoint_validation`."""
    del threads
    settings = given["settings"]
    turbulence = settings["turbulence"] and Turbulence(**settings["turbulence"])
    pressure = SolidsPressure(**settings["pressure"]) if "pressure" in settings else None
    return StochasticSpheres._restored(
        read_particles(given, group), made(given["box"]),
        StochasticState(**{part: input_validation.arrays(group, part) for part in PARTS}),
        gravity=given["gravity"], description=given["description"], ledger=_ledger(group["booked"]),
        start_momentum=input_validation.finite(group, "booked/start_momentum", (3,)),
        pushed=input_validation.finite(group, "booked/pushed", (3,)) != 0,
        time_step=given["time_step"], settings={**settings, "turbulence": turbulence, "pressure": pressure},
    )  # fmt: skip


def _ledger(group: h5py.Group) -> EnergyLedger:
    """The energy ledger."""
    start = input_validation.finite(group, "start_energy", (energies_kept(fluid=True),))
    return EnergyLedger(
        number(group, "datum"), Energy(*start.tolist()), number(group, "largest_kinetic", least=0),
        number(group, "given"),
    )  # fmt: skip
