"""Checkpoint of stochastic spheres: their state, counters, and the fluid velocity at the particles."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from dem.base import compilation
from dem.base.quaternions import UNIT_NORM
from dem.dsmc.engine import PARTS, StochasticState
from dem.dsmc.simulation import StochasticSpheres
from dem.files.checkpoints.serialization import describe_particles, from_recipe, read_particles, recipe, write_particles
from dem.files.validation import hdf5_validation
from dem.files.validation.hdf5_validation import check_alike, check_finite, check_within, number, require
from dem.kernels.event_driven.flight import RADIUS, TIME
from dem.model.energy import Energy, stored_energies
from dem.model.fluid.solids_pressure import SolidsPressure
from dem.model.fluid.turbulence import Turbulence
from dem.run.simulation_base import SimulationBase
from dem.system.energy_ledger import EnergyLedger
from dem.system.system import MAX_STEPS

if TYPE_CHECKING:
    import h5py

    from dem.dsmc.engine import StochasticEngine

# ruff: noqa: SLF001 (this is the other half of StochasticSpheres)
DERIVED = {"method", "time_step", "cells"}  # settings that are not given, or stored apart


def describe(sim: StochasticSpheres) -> dict:
    """Describe the input from which the simulation can be set up again."""
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
    """Write the state of a simulation."""
    write_particles(sim.particles, group)
    state = sim._engine.snapshot()
    for part in PARTS:
        for name, values in getattr(state, part).items():
            group[f"{part}/{name}"] = values
    ledger = sim._ledger
    booked = {
        "start_energy": ledger.start_energy[: stored_energies(fluid=True)], "largest_kinetic": ledger.largest_kinetic,
        "given": ledger.external_work, "datum": ledger.reference_potential,
        "start_momentum": sim._start_momentum, "pushed": sim._forced_axes,
    }  # fmt: skip
    for name, value in booked.items():
        group[f"booked/{name}"] = np.array(value, dtype=float)


def read(given: dict, group: h5py.Group, threads: int | None) -> StochasticSpheres:
    """Set up the simulation from its input and restore its state, which must be consistent, see `check_fits`."""
    del threads
    settings = given["settings"]
    turbulence = settings["turbulence"] and Turbulence(**settings["turbulence"])
    pressure = SolidsPressure(**settings["pressure"]) if "pressure" in settings else None
    state = StochasticState(**{part: hdf5_validation.arrays(group, part) for part in PARTS})
    booked = group["booked"]
    start = hdf5_validation.finite(booked, "start_energy", (stored_energies(fluid=True),))
    sim = StochasticSpheres.__new__(StochasticSpheres)
    SimulationBase.__init__(
        sim, read_particles(given, group), from_recipe(given["box"]), given["gravity"], given["description"]
    )
    sim._set_up(**{**settings, "turbulence": turbulence, "pressure": pressure})
    with compilation.announced():
        sim._choose_time_step(given["time_step"])
        sim._engine = sim._new_engine(0)
        check_fits(state, sim._engine)
        sim._engine.restore(state)
        sim._engine.advance(0)
    sim._shown = sim.step_count
    sim._ledger = EnergyLedger(
        number(booked, "datum"), Energy(*start.tolist()), number(booked, "largest_kinetic", least=0),
        number(booked, "given"),
    )  # fmt: skip
    sim._start_momentum = hdf5_validation.finite(booked, "start_momentum", (3,))
    sim._forced_axes = hdf5_validation.finite(booked, "pushed", (3,)) != 0
    return sim


NEVER = {"spheres": ("last",)}  # what may be infinite: times of what never has happened
COUNTS = ("pair", "wall", "lasting", "excess")


def check_fits(state: StochasticState, engine: StochasticEngine) -> None:
    """Raise DamagedError with the reason if the engine cannot continue from a state."""
    for part in PARTS:
        check_alike(part, getattr(state, part), getattr(engine, part)._asdict())
        check_finite(part, getattr(state, part), infinite=NEVER.get(part, ()))
    given, own = state.spheres, engine.spheres
    same = np.array_equal(given["row"][:, RADIUS], own.row[:, RADIUS])
    require(
        same and all(np.array_equal(given[n], getattr(own, n)) for n in ("mass", "inertia")), "spheres have changed"
    )
    off = np.abs(np.linalg.norm(given["q"], axis=0) - 1).max()
    require(off <= UNIT_NORM, f"spheres/q has a norm that is off by {off:.3g}")
    for name in ("impacts", "wall_impacts"):
        check_within(f"spheres/{name}", given[name], 0, np.iinfo(np.int64).max)
    check_within("tally/step", state.tally["step"], 0, int(MAX_STEPS))
    check_within("tally/stuck", state.tally["stuck"], 0, len(own.mass) - 1)
    for name in COUNTS:
        check_within(f"tally/{name}", state.tally[name], 0, np.iinfo(np.int64).max)
    time = int(state.tally["step"][0]) * engine.rule.time_step
    require(bool((given["row"][:, TIME] == time).all()), "spheres/row is not at the time of the latest step")
