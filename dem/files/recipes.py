"""How to make the shapes, materials and boxes of a run again, as plain values that JSON can hold."""

from __future__ import annotations

import importlib
import itertools
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

import numpy as np

from dem.model.box import Box, Motion
from dem.model.clump import Clump
from dem.model.contacts import Contact
from dem.model.fields import STATE
from dem.model.kinds import Kind, kind_of, numbered
from dem.model.materials import Material
from dem.model.particles import Particles
from dem.model.shapes import Fibre, Sphere

if TYPE_CHECKING:
    import h5py

    from dem.model.shapes import Shape

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
        kind = OURS.get(given["class"]) or _imported(given["class"])
        if not (isinstance(kind, type) and is_dataclass(kind)):  # a file must not make us call just anything
            message = f"the checkpoint needs {given['class']}, which is no dataclass"
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
    except (ImportError, AttributeError) as error:
        message = f"the checkpoint needs {name}, which cannot be imported: {error}"
        raise ValueError(message) from None


def describe_particles(particles: Particles) -> dict:
    """Recipes of all variants, those of one class and material in columns; and what kinds there are."""
    variants, kinds = [], []
    for material, stretch in itertools.groupby(particles.variants, key=lambda variant: variant[1]):
        recipes = [recipe(shape) for shape, _ in stretch]
        for name, alike in itertools.groupby(recipes, key=lambda each: (each["class"], tuple(each["values"]))):
            rows = [each["values"] for each in alike]
            columns = {key: [row[key] for row in rows] for key in name[1]}
            variants.append({"class": name[0], "number": len(rows), "columns": columns, "material": recipe(material)})
    for kind in particles.kinds:
        kinds.append({"name": kind.name, "shape": kind.shape, "material": recipe(kind.material)})
    return {"variants": variants, "kinds": kinds}


def variants_of(given: dict) -> list[tuple[Shape, Material]]:
    """Shape and material of each variant, as `describe_particles` gave them, or as files did once, one by one."""
    if "variants" not in given:
        return [tuple(made(each) for each in pair) for pair in given["kinds"]]
    found = []
    for stretch in given["variants"]:
        material, columns = made(stretch["material"]), stretch["columns"]
        for k in range(stretch["number"]):
            values = {key: column[k] for key, column in columns.items()}
            found.append((made({"class": stretch["class"], "values": values}), material))
    return found


def write_particles(particles: Particles, group: h5py.Group) -> None:
    """Write kinds and variants by number, and the whole-step state."""
    for name in (*STATE, "kind", "variant"):
        group[f"particles/{name}"] = getattr(particles, name)


def read_particles(given: dict, group: h5py.Group) -> Particles:
    """Particles as `write_particles` left them, of kinds and variants as `describe_particles` gave them."""
    state = {name: group[f"particles/{name}"][:] for name in STATE}
    variants, stored = variants_of(given), group["particles"]
    if "variants" in given:
        kinds = [Kind(kind["name"], kind["shape"], made(kind["material"])) for kind in given["kinds"]]
        return Particles.known(variants, stored["variant"][:], kinds, stored["kind"][:], state)
    variant = stored["kind"][:]
    kinds, which = numbered(kind_of(*each) for each in variants)
    return Particles.known(variants, variant, kinds, np.array(which)[variant], state)
