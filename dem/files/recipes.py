"""How to make the shapes, materials and boxes of a run again, as plain values that JSON can hold."""

from __future__ import annotations

import importlib
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

import numpy as np

from dem.files import gate
from dem.files.structure import check_memory, require
from dem.model.box import Box, Motion
from dem.model.clump import Clump
from dem.model.contacts import Contact
from dem.model.fields import STATE
from dem.model.materials import Material
from dem.model.particles import UNIT_NORM, Particles
from dem.model.shapes import Fibre, Shape, Sphere, check_shape

if TYPE_CHECKING:
    import h5py

# What our own classes go by in files, wherever they are defined.
OURS = {
    "dem.box:Box": Box,
    "dem.box:Motion": Motion,
    "dem.clump:Clump": Clump,
    "dem.contacts:Contact": Contact,
    "dem.materials:Material": Material,
    "dem.shapes:Fibre": Fibre,
    "dem.shapes:Sphere": Sphere,
}
A_PARTICLE, A_SPHERE = 2048, 512  # bytes for each that going on may need
NAMES = {kind: name for name, kind in OURS.items()}


def recipe(thing: object) -> dict:
    """How to make a shape, material or box again; raises TypeError if it cannot be told."""
    kind = type(thing)
    if not is_dataclass(thing) or kind.__qualname__ != kind.__name__:
        message = f"{thing!r} cannot be saved: make its class a dataclass at the top of a module"
        raise TypeError(message)
    values = {field.name: getattr(thing, field.name) for field in fields(thing) if field.init}
    if hasattr(thing, "saved"):
        values = thing.saved()
    name = NAMES.get(kind, f"{kind.__module__}:{kind.__qualname__}")
    return {"class": name, "values": {k: _plain(v) for k, v in values.items()}}


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return {"tuple": [_plain(v) for v in value]}
    if isinstance(value, (Material, Motion)):
        return recipe(value)
    return {key: _plain(v) for key, v in value.items()} if isinstance(value, dict) else value


def made(given: object) -> object:
    """The thing that a recipe makes; raises ValueError if its class is not there."""
    if isinstance(given, dict) and given.keys() == {"class", "values"}:
        name = given["class"] if isinstance(given["class"], str) else ""
        kind = OURS.get(name) or _imported(name)
        if not (isinstance(kind, type) and is_dataclass(kind)):  # a file must not make us call just anything
            message = f"the checkpoint needs {name}, which is no dataclass"
            raise ValueError(message)
        if not isinstance(given["values"], dict):
            message = f"the recipe of a {kind.__name__} has no values"
            raise ValueError(message)
        values = {k: made(v) for k, v in given["values"].items()}
        return kind.restored(values) if hasattr(kind, "restored") else kind(**values)
    if isinstance(given, dict) and given.keys() == {"tuple"}:
        return tuple(made(v) for v in given["tuple"])
    return {k: made(v) for k, v in given.items()} if isinstance(given, dict) else given


def _imported(name: str) -> object:
    """What a user's own class goes by: its module and its name."""
    module, _, name_there = name.partition(":")
    try:
        return getattr(importlib.import_module(module), name_there)
    except (ImportError, AttributeError, ValueError) as error:
        message = f"the checkpoint needs {name}, which cannot be imported: {error}"
        raise ValueError(message) from None


def kinds_of(particles: Particles) -> list:
    """Recipes of shape and material of each kind."""
    return [[recipe(shape), recipe(material)] for shape, material in particles.kinds]


def write_particles(particles: Particles, group: h5py.Group) -> None:
    """Write kinds by number, and the whole-step state."""
    for name in STATE:
        group[f"particles/{name}"] = getattr(particles, name)
    group["particles/kind"] = particles.kind


def kinds_made(given: object) -> list[tuple[Shape, Material]]:
    """Shape and material of each kind, from recipes as `kinds_of` gave them; raises ValueError if they are none."""
    if not isinstance(given, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in given):
        message = "the kinds are no list of shapes and materials"
        raise ValueError(message)
    pairs = [(made(shape), made(material)) for shape, material in given]
    for shape, material in pairs:
        if not isinstance(material, Material):
            message = f"a material is {material!r}"
            raise ValueError(message)
        check_shape(shape, material.density)
    return pairs


def read_particles(kinds: list, group: h5py.Group) -> Particles:
    """Particles as `write_particles` left them, of kinds as `kinds_of` gave them.

    Raises
    ------
    ValueError, TypeError
        If they could not have been written so: numbers are missing or not finite, kinds are not there.
    """
    pairs = kinds_made(kinds)
    count = len(gate.numbers(group, "particles/kind", (None,), "iu"))
    check_memory(A_PARTICLE * count, f"{count} particles")
    kind = gate.indices(group, "particles/kind", count, len(pairs))
    spheres = int(np.bincount(kind, minlength=len(pairs)) @ np.array([len(shape.radii) for shape, _ in pairs]))
    require(count > 0, "there are no particles")
    check_memory(A_SPHERE * spheres, f"{spheres} spheres")
    state = {name: gate.finite(group, f"particles/{name}", (count, field.width)) for name, field in STATE.items()}
    off = np.abs(np.linalg.norm(state["orientation"], axis=1) - 1).max()
    require(off <= UNIT_NORM, f"an orientation is no unit quaternion, its norm is off by {off:.3g}")
    return Particles.of_kinds(pairs, kind, state)
