"""Convert a built-in case to the content of a case file."""

from __future__ import annotations

import itertools
from dataclasses import asdict, fields
from typing import TYPE_CHECKING

import numpy as np

from dem.case import HARD, STOCHASTIC, AnyCase, Case, HardSphereCase, StochasticCase
from dem.model.contact.law_registry import plain
from dem.model.domain.cell import Cell
from dem.model.fluid.given_flows import FunctionFlow, GriddedFlow
from dem.model.particles.fields import MOTION, STATE, carried_fields
from dem.model.particles.kinds import is_fixed, labels
from dem.model.shapes.capsule import Capsule
from dem.model.shapes.shape import Fibre, Sphere

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dem.model.contact.contacts import Contacts
    from dem.model.domain.box import Box
    from dem.model.fluid.fluid import Fluid
    from dem.model.materials import Material
    from dem.model.particles.particles import Particles

MAX_PARTICLES = 100  # particles that are written one by one


def content(case: AnyCase) -> dict | None:
    """Content of a case file for a case; None if a case file cannot describe it, or only at great length."""
    stepped = isinstance(case, Case) and type(case).simulation is Case.simulation
    hard = isinstance(case, HardSphereCase) and type(case).simulation is HardSphereCase.simulation
    stochastic = isinstance(case, StochasticCase) and type(case).simulation is StochasticCase.simulation
    if not (stepped or hard or stochastic):
        return None
    particles, box = case.build()
    if stepped and (
        isinstance(box, Cell)
        or case.heat()
        or case.scalars()
        or case.walls()
        or case.inserters()
        or case.outlets()
        or not _is_describable(case.fluid())
    ):
        return None
    more = any((particles.field(name) != STATE[name].default_row).any() for name in carried_fields(particles.fields))
    if (
        more
        or len(particles) > MAX_PARTICLES
        or not all(type(shape) in (Sphere, Fibre, Capsule) for shape, _ in particles.variants)
    ):
        return None
    materials = _materials(particles, box)
    types = dict.fromkeys(type(shape) for shape, _ in particles.variants)
    shapes = {}
    for each in types:
        shapes |= _names([shape for shape, _ in particles.variants if type(shape) is each], each.__name__.lower())
    found = {
        "duration": case.duration,
        "gravity": case.gravity,
        "output": {"frames": case.frames},
        "materials": {name: _values(material) for material, name in materials.items()},
        "shapes": {name: _shape(shape) for shape, name in shapes.items()},
        "particles": list(_groups(particles, materials, shapes)),
        "box": box and _box(box, materials[box.material]),
    }
    if hard:
        impacts = {key: getattr(case, key) for key in HARD if key != "gravity"}
        return {"method": "hard-spheres", **found, "impacts": impacts}
    if stochastic:
        return {"method": "stochastic", **found, **_stochastic(case)}
    steps = {"time_step": case.time_step, "integrator": case.integrator, "threads": case.threads}
    return {"method": "time-steps", **found, **steps, **_pairs(case.contacts(), materials), **_fluid(case.fluid())}


def _stochastic(case: StochasticCase) -> dict:
    """Settings of stochastic collisions."""
    values = {key: getattr(case, key) for key in STOCHASTIC if key != "gravity"}
    parts = {"turbulence": case.turbulence(), "pressure": case.pressure()}
    own = {key: values.pop(key) for key in ("time_step", "collisions", "cell", "correlation", "seed")}
    return {**own, "impacts": values, **{name: part and asdict(part) for name, part in parts.items()}}


def _materials(particles: Particles, box: Box | None) -> dict[Material, str]:
    """All materials, with a name for each."""
    grains = dict.fromkeys(material for _, material in particles.variants)
    every = list(grains | ({box.material: None} if box else {}))
    names = labels(material.name or ("grain" if material in grains else "wall") for material in every)
    return dict(zip(every, names, strict=True))


def _values(material: Material) -> dict:
    """Properties of a material without its name."""
    return {key: value for key, value in plain(material, packages=False).items() if key != "name"}


def _names(things: list, name: str) -> dict:
    """Name of each different thing, numbered if there are several."""
    each = list(dict.fromkeys(things))
    return {thing: name if len(each) == 1 else f"{name}-{k}" for k, thing in enumerate(each, start=1)}


def _shape(shape: Sphere | Fibre | Capsule) -> dict:
    """Type and sizes of a shape, without sizes that follow from others to the bit."""
    sizes = asdict(shape)
    if isinstance(shape, Capsule):
        exact = Capsule(diameter=shape.diameter, length=shape.length) == shape
        del sizes["aspect_ratio" if exact else "length"]
    if isinstance(shape, Fibre):
        fewer = {key: value for key, value in sizes.items() if key != "spacing"}
        sizes = fewer if Fibre(**fewer) == shape else sizes
    return {"type": type(shape).__name__.lower(), **sizes}


def _box(box: Box, material: str) -> dict:
    plain = {key: getattr(box, key) for key in ("lower", "upper", "open", "periodic", "roughness", "seed")}
    return {**plain, "material": material, "motion": {face: motion.saved() for face, motion in box.motion.items()}}


def _pairs(contacts: Contacts | None, names: dict[Material, str]) -> dict:
    """Contact parameters of pairs of materials, and the rule for other pairs."""
    if contacts is None:
        return {}
    rows = [
        {"materials": [names[one], names[other]], **plain(contact, packages=False)} for one, other, contact in contacts
    ]
    return {"contacts": rows, "contact_rule": contacts.rule or "none", "contact_damping": contacts.damped}


def _is_describable(fluid: Fluid | None) -> bool:
    """Whether a case file can describe a flow: not grids, functions, or directions that are not along axes."""
    if fluid is None:
        return True
    if fluid.coupling is not None:
        return False
    flow = fluid.velocity.arguments()
    aslant = any(isinstance(flow.get(name), tuple) for name in ("direction", "gradient", "normal"))
    return not (aslant or isinstance(fluid.velocity, (GriddedFlow, FunctionFlow)))


def _fluid(fluid: Fluid | None) -> dict:
    """Fluid of the case, if there is one."""
    if fluid is None:
        return {}
    values = {each.name: getattr(fluid, each.name) for each in fields(fluid) if each.name != "velocity"}
    in_beds = {key: values.pop(key) for key in ("cells", "model", "lubrication", "coupling")}
    entries = {key: "none" if value is None else value for key, value in values.items()}
    for key, value in in_beds.items():
        if value is not None:
            given = value.arguments() if hasattr(value, "arguments") else None
            entries[key] = value if given is None else {k: v for k, v in given.items() if k != "type"}
    return {"fluid": {**entries, "flow": fluid.velocity.arguments()}}


def _groups(particles: Particles, materials: dict, shapes: dict) -> Iterator[dict]:
    """Groups of consecutive particles of one kind and equal state."""
    ends = np.flatnonzero(np.diff(particles.kind) | np.diff(particles.variant)) + 1
    for start, end in itertools.pairwise([0, *ends.tolist(), len(particles)]):
        shape, material = variant = particles.variants[particles.variant[start]]
        name = particles.kinds[particles.kind[start]].name
        group = {"shape": shapes[shape], "material": materials[material]}
        group |= {"name": name} if name != shapes[shape] else {}
        group |= {"fixed": True} if is_fixed(variant) else {}
        for name in MOTION:
            rows, field = particles.field(name)[start:end], STATE[name]
            if not field.default_row or not _all(rows, rows[0]):
                group[name] = rows.tolist()
            elif not _all(rows, field.default_row):
                group[name] = rows[0].tolist()
        yield group


def _all(rows: np.ndarray, row: Sequence[float]) -> bool:
    """Whether all rows equal this one, to the bit."""
    return rows.tobytes() == np.tile(row, (len(rows), 1)).tobytes()
