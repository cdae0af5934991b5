"""Serialise shapes, materials and boxes to plain JSON values (recipes), and make objects from these."""

from __future__ import annotations

import itertools
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.imports import named
from dem.base.quaternions import UNIT_NORM
from dem.base.text import shown
from dem.files.validation import hdf5_validation
from dem.files.validation.hdf5_validation import check_memory, require
from dem.model.contact.law_registry import part_of_class
from dem.model.materials import Material
from dem.model.particles.fields import GROUP as FIELDS_GROUP
from dem.model.particles.fields import MOTION, REMAINDER, STATE, load_fields, remainder_of
from dem.model.particles.kinds import Kind, is_fixed, variant_of
from dem.model.shapes.shape import check_shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    import h5py

    from dem.model.particles.particles import Particles
    from dem.model.shapes.shape import Shape

A_PARTICLE, A_SPHERE = 2048, 512  # bytes for each that going on may need
CLASSES = {  # of this package, by what their modules are called in files and where they are: imported once one is met
    ("dem.box", "domain.box"): "Box",
    ("dem.box", "walls.motion"): "Motion",
    ("dem.capsules", "shapes.capsule"): "Capsule",
    ("dem.clump", "shapes.clump"): "Clump",
    ("dem.contacts", "contact.contacts"): "Contact",
    ("dem.fluid", "contact.lubrication"): "Lubrication",
    ("dem.fluid", "fluid.cells"): "Cells",
    ("dem.fluid", "fluid.coupling"): "Coupling",
    ("dem.fluid", "fluid.flows"): "UniformFlow ShearFlow RotatingFlow ChannelFlow PipeFlow TaylorGreenFlow ABCFlow",
    ("dem.fluid", "fluid.fluid"): "Fluid",
    ("dem.fluid", "fluid.given_flows"): "GriddedFlow FunctionFlow",
    ("dem.heat", "heat"): "Heat",
    ("dem.heat", "heat_transfer"): "Convection Radiation",
    ("dem.materials", "materials"): "Material",
    ("dem.parts", "contact.law_parts"): "Hertz Linear Hysteretic EEPA PowerLaw Viscoelastic Dashpot Rolling Twisting "
    "DMT JKR Bridge",
    ("dem.shapes", "shapes.capsule"): "FibreSegment",
    ("dem.shapes", "shapes.ellipsoid"): "Ellipsoid Superellipsoid",
    ("dem.shapes", "shapes.flexible"): "FlexibleFibre",
    ("dem.shapes", "shapes.polyhedron"): "Polyhedron",
    ("dem.shapes", "shapes.rounded_cylinder"): "RoundedCylinder",
    ("dem.shapes", "shapes.shape"): "Fibre Sphere",
    ("dem.traffic", "insertion"): "Inserter Outlet",
    ("dem.traffic", "particles.sizes"): "SieveSizes ListedSizes UniformSizes NormalSizes LogNormalSizes "
    "RosinRammlerSizes",
    ("dem.walls", "walls.mesh"): "Mesh",
    ("dem.walls", "walls.primitives"): "Ball Block Cone Cylinder Disc Plane Rectangle Revolution Torus",
    ("dem.walls", "walls.servo"): "Servo PID",
}
OURS = {
    f"{stored}:{name}": f"dem.model.{module}:{name}"
    for (stored, module), names in CLASSES.items()
    for name in names.split()
}
OURS |= {  # as 0.2 calls them
    "dem.walls:Free": "dem.model.walls.rigid_body:RigidWall",
    "dem.walls:Rod": "dem.model.walls.primitives:CapsuleWall",
}
NAMES = {place: name for name, place in OURS.items()}


def recipe(thing: object) -> dict:
    """Recipe of a shape, material or box: its class and values; raises TypeError if JSON cannot hold them."""
    kind = type(thing)
    if not is_dataclass(thing) or kind.__qualname__ != kind.__name__:
        raise TypeError(f"{thing!r} cannot be saved: make its class a dataclass at the top of a module")
    values = {field.name: getattr(thing, field.name) for field in fields(thing) if field.init}
    if hasattr(thing, "saved"):
        values = thing.saved()
    place = f"{kind.__module__}:{kind.__qualname__}"
    return {"class": NAMES.get(place, place), "values": {k: _plain(v) for k, v in values.items()}}


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return {"tuple": [_plain(v) for v in value]}
    if is_dataclass(value) and not isinstance(value, type):
        return recipe(value)
    return {key: _plain(v) for key, v in value.items()} if isinstance(value, dict) else value


def from_recipe(given: object) -> object:
    """Object made from a recipe; raises ValueError if its class cannot be imported."""
    if isinstance(given, dict) and given.keys() == {"class", "values"}:
        name = given["class"] if isinstance(given["class"], str) else ""
        kind = named(OURS[name]) if name in OURS else part_of_class(name) or named(name)
        if not (isinstance(kind, type) and is_dataclass(kind)):  # a file must not make us call just anything
            raise ValueError(f"the checkpoint needs {name}, which is no dataclass")
        if not isinstance(given["values"], dict):
            raise ValueError(f"the recipe of a {kind.__name__} has no values")
        values = {k: from_recipe(v) for k, v in given["values"].items()}
        return kind.restored(values) if hasattr(kind, "restored") else kind(**values)
    if isinstance(given, dict) and given.keys() == {"tuple"}:
        return tuple(from_recipe(v) for v in given["tuple"])
    return {k: from_recipe(v) for k, v in given.items()} if isinstance(given, dict) else given


def describe_particles(particles: Particles) -> dict:
    """Recipes of all variants, with columns for variants of one class and material; and names of the kinds."""
    variants, kinds = [], []
    for (material, fixed), stretch in itertools.groupby(particles.variants, key=lambda each: (each[1], is_fixed(each))):
        recipes = [recipe(shape) for shape, _ in stretch]
        for name, alike in itertools.groupby(recipes, key=lambda each: (each["class"], tuple(each["values"]))):
            rows = [each["values"] for each in alike]
            columns = {key: [row[key] for row in rows] for key in name[1]}
            entry = {"class": name[0], "number": len(rows), "columns": columns, "material": recipe(material)}
            variants.append(entry | ({"fixed": True} if fixed else {}))
    for kind in particles.kinds:
        kinds.append({"name": kind.name, "shape": kind.shape, "material": recipe(kind.material)})
    return {"variants": variants, "kinds": kinds}


def variants_of(given: dict) -> list[tuple[Shape, Material]]:
    """Shape and material of each variant, from `describe_particles` or from the older layout with one entry each.

    Raises
    ------
    ValueError, TypeError, KeyError
        If they are none.
    """
    pairs = list(_columns(given["variants"]) if "variants" in given else _pairs(given["kinds"]))
    for shape, material in pairs:
        if not isinstance(material, Material):
            raise ValueError(f"a material is {shown(material)}")
        check_shape(shape, material.density)
    return pairs


def _columns(given: list[dict]) -> Iterator[tuple[object, object]]:
    """Shapes and materials from the columns that `describe_particles` has made."""
    for stretch in hdf5_validation.tables(given, "variants"):
        number, columns = checks.whole("number of variants", stretch["number"], least=1), stretch["columns"]
        alike = isinstance(columns, dict) and {len(column) for column in columns.values()} <= {number}
        require(alike and bool(columns or number == 1), f"the columns of {number} variants are not as long")
        material = from_recipe(stretch["material"])
        for k in range(number):
            values = {key: column[k] for key, column in columns.items()}
            shape = from_recipe({"class": stretch["class"], "values": values})
            yield variant_of(shape, material, fixed=stretch.get("fixed") is True)


def _pairs(given: list) -> Iterator[tuple[object, object]]:
    """Shapes and materials from old files, which store both for each particle."""
    if not isinstance(given, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in given):
        raise ValueError("the kinds are no list of shapes and materials")
    for shape, material in given:
        yield from_recipe(shape), from_recipe(material)


def write_particles(particles: Particles, group: h5py.Group) -> None:
    """Write the numbers of kinds and variants, and the state at a whole step."""
    for name in particles.fields:
        group[f"particles/{name}"] = particles.field(name)
    for name in ("kind", "variant"):
        group[f"particles/{name}"] = getattr(particles, name)


def read_particles(given: dict, group: h5py.Group) -> Particles:
    """Read particles that `write_particles` has written, with kinds and variants from `describe_particles`.

    Raises
    ------
    ValueError, TypeError
        If they could not have been written so: numbers are missing or not finite, kinds are not there.
    """
    from dem.model.particles.particles import Particles  # noqa: PLC0415, most files are only looked at

    variants, kinds = variants_of(given), _kinds_of(given["kinds"])
    count = len(hdf5_validation.numbers(group, "particles/kind", (None,), "iu"))
    check_memory(A_PARTICLE * count, f"{count} particles")
    kind = hdf5_validation.indices(group, "particles/kind", count, len(kinds))
    variant = hdf5_validation.indices(group, "particles/variant", count, len(variants))
    spheres = int(np.bincount(variant, minlength=len(variants)) @ np.array([len(shape.radii) for shape, _ in variants]))
    require(count > 0 or "inserters" in given, "there are no particles")
    check_memory(A_SPHERE * spheres, f"{spheres} spheres")
    names = group["particles"].keys() - {"kind", "variant"}
    scalars = {name.removesuffix(REMAINDER) for name in names if name.endswith(REMAINDER)}
    if unknown := sorted(load_fields({name for name in names if not name.endswith(REMAINDER)} | scalars)):
        raise ValueError(
            f"the file has the field {', '.join(unknown)}, which is not registered: import the module that calls "
            f"dem.register_field, or install its package, with an entry point of the group {FIELDS_GROUP}"
        )
    for name in scalars:
        remainder_of(name)
    state = {
        name: hdf5_validation.finite(group, f"particles/{name}", (count, field.width), above=field.above)
        for name, field in STATE.items()
        if name in MOTION or name in group["particles"]
    }
    off = np.abs(np.linalg.norm(state["orientation"], axis=1) - 1).max(initial=0.0)
    require(off <= UNIT_NORM, f"an orientation is no unit quaternion, its norm is off by {off:.3g}")
    return Particles.from_checked(variants, variant, kinds, kind, state)


def _kinds_of(given: list[dict]) -> list[Kind]:
    """Kinds of particles that a table names."""
    kinds = [
        Kind(kind["name"], kind["shape"], from_recipe(kind["material"]))
        for kind in hdf5_validation.tables(given, "kinds")
    ]
    for name, shape, material in kinds:
        named = isinstance(name, str) and isinstance(shape, str) and isinstance(material, Material)
        require(named, f"a kind is {name!r} of shape {shown(shape)} and material {shown(material)}")
    return kinds
