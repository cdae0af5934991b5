"""Save a simulation to a file and go on from there, to the last bit.

What a step hands to the next one is kept: half-step velocities, the memory of the scheme and of the contacts, images in
periodic boxes, counts of rough wall contacts, and the account of energies. Lists are not; they show in no bit.
"""

from __future__ import annotations

import importlib
import json
import os
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import h5py
import numpy as np

from dem.box import Motion
from dem.contacts import Contacts
from dem.energy import Energy
from dem.held import Held
from dem.materials import Material
from dem.particles import STATE, Particles
from dem.watch import DEEPEST

if TYPE_CHECKING:
    from os import PathLike

    from dem.simulation import Simulation

FORMAT = "pcdm-dem checkpoint 1"
BODIES = (
    "position", "image", "velocity", "orientation", "memory_q", "memory_w", "memory_a", "memory_more", "force",
    "torque", "velocity_ahead", "spin",
)  # fmt: skip


def save(sim: Simulation, path: str | PathLike) -> None:
    """Write a checkpoint; an old one of that name is replaced when the new one is complete on the disk."""
    path = Path(path)
    described = json.dumps(_describe(sim))
    partial = path.with_name(path.name + ".partial")
    try:
        with h5py.File(partial, "w") as file:
            file.attrs["format"] = FORMAT
            file.attrs["input"] = described
            _write(sim, file)
        with partial.open("rb+") as written:
            os.fsync(written.fileno())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        message = f"checkpoint {path} cannot be written: {error}"
        raise OSError(message) from None


def _write(sim: Simulation, file: h5py.File) -> None:
    engine = sim._engine  # noqa: SLF001
    particles = sim.particles
    for name in STATE:
        file[f"particles/{name}"] = getattr(particles, name)
    file["particles/kind"] = particles.kind
    for name in BODIES:
        rows = getattr(engine.bodies, name)
        in_order = np.empty_like(rows)
        if rows.size:
            in_order[:, engine.bodies.identity] = rows
        file[f"bodies/{name}"] = in_order
    for group, arrays in (("contacts", engine.held()), ("progress", engine.progress)):
        for name, values in arrays._asdict().items():
            file[f"{group}/{name}"] = values
    file["unit"] = engine.setting.unit
    file["datum"] = engine.datum
    file["start_step"] = engine.start_step
    file["start_energy"] = np.array(sim.start_energy)
    file["largest_kinetic"] = sim._largest_kinetic  # noqa: SLF001


def _describe(sim: Simulation) -> dict:
    return {
        "kinds": [[_recipe(shape), _recipe(material)] for shape, material in sim.particles.kinds],
        "box": sim.box and _recipe(sim.box),
        "contacts": {"rule": sim.contacts.rule, "table": [[_recipe(thing) for thing in row] for row in sim.contacts]},
        "gravity": sim.gravity,
        "time_step": sim.time_step,
        "integrator": sim.integrator.name,
        "deepest_overlap": sim._deepest,  # noqa: SLF001
        "description": sim.description,
    }


def _recipe(thing: object) -> dict:
    """How to make a shape, material or box again."""
    kind = type(thing)
    if not is_dataclass(thing) or "<" in kind.__qualname__:
        message = f"{thing!r} cannot be saved: make its class a dataclass at the top of a module"
        raise TypeError(message)
    values = {field.name: getattr(thing, field.name) for field in fields(thing) if field.init}
    if hasattr(thing, "saved"):
        values = thing.saved()
    return {"class": f"{kind.__module__}:{kind.__qualname__}", "values": {k: _plain(v) for k, v in values.items()}}


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return {"tuple": [_plain(v) for v in value]}
    if isinstance(value, (Material, Motion)):
        return _recipe(value)
    return {key: _plain(v) for key, v in value.items()} if isinstance(value, dict) else value


def _made(recipe: object) -> object:
    """The thing that a recipe makes."""
    if isinstance(recipe, dict) and recipe.keys() == {"class", "values"}:
        module, _, name = recipe["class"].partition(":")
        try:
            kind = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError) as error:
            message = f"the checkpoint needs {recipe['class']}, which cannot be imported: {error}"
            raise ValueError(message) from None
        values = {k: _made(v) for k, v in recipe["values"].items()}
        return kind.restored(values) if hasattr(kind, "restored") else kind(**values)
    if isinstance(recipe, dict) and recipe.keys() == {"tuple"}:
        return tuple(_made(v) for v in recipe["tuple"])
    return {k: _made(v) for k, v in recipe.items()} if isinstance(recipe, dict) else recipe


def load(kind: type[Simulation], path: str | PathLike, threads: int | None) -> Simulation:
    """The simulation that a checkpoint holds; raises OSError or ValueError if it is none."""
    path = Path(path)
    if not path.exists():
        message = f"checkpoint {path} does not exist"
        raise FileNotFoundError(message)
    try:
        with h5py.File(path, "r") as file:
            if file.attrs.get("format") != FORMAT:
                raise KeyError
            return _load(kind, file, threads)
    except (KeyError, OSError):
        message = f"{path} is no complete checkpoint of this version: save one with Simulation.save"
        raise ValueError(message) from None


def _load(kind: type[Simulation], file: h5py.File, threads: int | None) -> Simulation:
    given = json.loads(file.attrs["input"])
    kinds = [tuple(_made(recipe) for recipe in pair) for pair in given["kinds"]]
    state = {name: file[f"particles/{name}"][:] for name in STATE}
    particles = Particles.of_kinds(kinds, file["particles/kind"][:], state)
    table = {(one, other): contact for one, other, contact in map(_made, given["contacts"]["table"])}
    sim = kind(
        particles, _made(given["box"]), gravity=given["gravity"], time_step=given["time_step"],
        integrator=given["integrator"], threads=threads, contacts=Contacts(table, rule=given["contacts"]["rule"]),
        deepest_overlap=given.get("deepest_overlap", DEEPEST), description=given["description"], _resumed=True,
    )  # fmt: skip
    _resume(sim, file)
    return sim


def _resume(sim: Simulation, file: h5py.File) -> None:
    """Put a simulation of the same input into the state that a checkpoint holds."""
    engine = sim._engine  # noqa: SLF001
    order = engine.bodies.identity
    for name in BODIES:
        rows = file[f"bodies/{name}"][:]
        if rows.size:
            getattr(engine.bodies, name)[:] = rows[:, order]
    held = Held(*(file[f"contacts/{name}"][:] for name in Held._fields))
    engine.bodies.wall_contacts[:] = held.wall_contacts[order]
    for name, values in engine.progress._asdict().items():
        values[:] = file[f"progress/{name}"][:]
    engine.go_on(held, unit=float(file["unit"][()]), datum=float(file["datum"][()]), start=int(file["start_step"][()]))
    sim._go_on(Energy(*file["start_energy"][:].tolist()), float(file["largest_kinetic"][()]))  # noqa: SLF001
