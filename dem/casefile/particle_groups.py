"""Make particles from the ``[[particles]]`` tables of a case file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks
from dem.base.text import counted
from dem.casefile import state_files
from dem.files.reading.trajectory import Trajectory
from dem.model.particles import random_insertion
from dem.model.particles.fields import MOTION, STATE, load_fields
from dem.model.particles.grading import graded
from dem.model.particles.kinds import Kind, is_fixed, numbered, variant_of
from dem.model.particles.packing import random_orientations, random_velocities
from dem.model.particles.particles import Particles
from dem.model.shapes.capsule import Capsule
from dem.model.shapes.shape import AS_GIVEN, Fibre, standing
from dem.soft.walls.wall_arrays import wall_names

if TYPE_CHECKING:
    from dem.casefile.schema.case_tables import CaseKeys, GroupTable, LatticeTable
    from dem.model.domain.box import Box
    from dem.model.materials import Material
    from dem.model.shapes.shape import Shape
    from dem.model.walls.wall import Wall

ROUNDING = 1e-15  # of a norm
TURNS = ("random", AS_GIVEN)  # orientations that are said in a word


class Surroundings(NamedTuple):
    """Shapes, materials, box and walls to which groups may refer."""

    shapes: dict[str, Shape]
    materials: dict[str, Material]
    box: Box | None
    walls: list[Wall]


def particles(table: CaseKeys, around: Surroundings) -> Particles:
    """Make all particles of a case, numbered in the order of the file.

    Groups at random places come last, so that they avoid all others.

    Raises
    ------
    ValueError
        With a line for each group that cannot be made.
    """
    made: dict[int, Particles] = {}
    wrong = {}
    for number in sorted(range(len(table.particles)), key=lambda k: table.particles[k].random is not None):
        group = table.particles[number]
        try:
            made[number] = _group(group, around, list(made.values()), number)
        except (ValueError, TypeError, OSError) as error:
            wrong[number] = f"particles.{number}: {error}"
    if wrong:
        raise ValueError("\n".join(wrong[number] for number in sorted(wrong)))
    return Particles.concatenate([made[number] for number in range(len(made))])


def _group(group: GroupTable, around: Surroundings, others: list[Particles], number: int) -> Particles:
    """Make the particles of a group; random numbers differ between groups, even for equal seeds."""
    where, turned, thrown = (np.random.default_rng([group.seed, number, stream]) for stream in range(3))
    material = around.materials.get(group.material)
    shape = around.shapes.get(group.shape)
    shapes: Shape | list[Shape] = shape
    state = {}
    if group.last_frame is not None:
        before = last_frame(Path(group.last_frame))
        state = {name: before.field(name) for name in before.fields}
    elif group.file is not None:
        state = state_files.state(Path(group.file))
    elif group.position is not None:
        state["position"] = group.position
    elif group.lattice is not None:
        state["position"] = sites(group.lattice, around.box)
    else:
        shapes, state = _at_random(group, shape, around, others, where, number)
    n = len(state["position"])
    state |= {name: _rows(name, value, n) for name, value in _fields_given(group).items()}
    if group.orientation == "random" and group.random is None:
        state["orientation"] = _orientations(group, shape, n, turned)
    elif group.orientation == AS_GIVEN:
        each = [shape] * n if shape else [before.variants[variant][0] for variant in before.variant]
        state["orientation"] = np.array([standing(own) for own in each])
    if group.speed is not None:
        state["velocity"] = random_velocities(n, group.speed, thrown)
    if group.last_frame is not None:
        made = _like(before, group, shape, material)
        for name, rows in state.items():
            setattr(made, name, rows)  # which checks it
        return _exact(made, state)
    name, fixed = group.name or group.shape, bool(group.fixed)
    return _exact(Particles(shapes, material, **state, name=name, fixed=fixed), state)


def _like(before: Particles, group: GroupTable, shape: Shape | None, material: Material | None) -> Particles:
    """Copy particles of a file with the name, shape, material and fixed state that the group gives."""
    variants = [
        variant_of(shape or each[0], material or each[1], fixed=is_fixed(each) if group.fixed is None else group.fixed)
        for each in before.variants
    ]
    kinds, which = numbered(
        Kind(
            group.name or group.shape or kind.name,
            type(shape).__name__ if shape else kind.shape,
            material or kind.material,
        )
        for kind in before.kinds
    )
    state = {name: before.field(name) for name in before.fields}
    return Particles.from_checked(variants, before.variant, kinds, np.array(which)[before.kind], state)


def _fields_given(group: GroupTable) -> dict[str, float | tuple | list]:
    """State fields that a group gives, by name, without positions."""
    load_fields(group.fields)
    for name in group.fields:
        checks.one_of("field", name, [each for each, field in STATE.items() if field.width == 1 and not field.hidden])
    values = {name: getattr(group, name) for name in (*MOTION, "temperature") if name != "position"} | group.fields
    return {name: value for name, value in values.items() if value not in (None, *TURNS)}


def _rows(name: str, value: float | tuple | list, n: int) -> np.ndarray:
    """Values of a key as one row for each of n particles."""
    rows = np.array(value)
    if STATE[name].width == 1:
        rows = rows.reshape(-1, 1) if rows.ndim else rows.reshape(1)
    if rows.ndim == 1:
        return np.tile(rows, (n, 1))
    if len(rows) != n:
        message = f"{name} has {counted(len(rows), 'row')} for {counted(n, 'particle')}, expected one, or one each"
        raise ValueError(message)
    return rows


def _at_random(
    group: GroupTable, shape: Shape, around: Surroundings, others: list[Particles], rng: np.random.Generator, part: int
) -> tuple[list[Shape], dict]:
    """Shapes, positions and orientations of particles at random places without overlaps."""
    wanted, box = group.random, around.box
    within, walls = random_insertion.enclosing_region(_wall_named(wanted.inside, around.walls), around.walls)
    lower, upper = (within.lower, within.upper) if within and not box else (None, None)
    lower, upper = wanted.lower or lower, wanted.upper or upper
    corners = random_insertion.region(lower, upper, box)
    volume, scale = float(np.prod(corners[1] - corners[0])), random_insertion.span(wanted.scale, None)
    volume = min(volume, within.volume) if within else volume
    if wanted.sizes is None:
        shapes = random_insertion.scaled_shapes(shape, wanted.number, wanted.solid_fraction, scale, volume, rng)
    else:
        fill = volume * (wanted.solid_fraction or 0.0)
        shapes = graded(shape, wanted.sizes.build(), number=wanted.number, volume=fill, seed=group.seed, stream=part)
    given = standing(shape) if group.orientation == AS_GIVEN else group.orientation
    fixed = None if given in (None, "random") else np.array(given)
    if fixed is not None and fixed.ndim > 1:
        raise ValueError("orientation has a row for each particle, expected one for all, or none, at random places")
    large_first = wanted.sizes is not None
    position, orientation = random_insertion.scatter(
        shapes, corners, box, others, fixed, rng, walls=walls, inside=within, large_first=large_first
    )
    return shapes, {"position": position, "orientation": orientation}


def _wall_named(name: str | None, walls: list[Wall]) -> Wall | None:
    """Wall with a given name; None without a name."""
    if name is None:
        return None
    if not walls:
        raise ValueError(f"inside is {name}, but the file has no [[walls]]: add the wall")
    called = wall_names(walls)
    return walls[called.index(checks.one_of("wall", name, called))]


def _orientations(group: GroupTable, shape: Shape, n: int, rng: np.random.Generator) -> np.ndarray:
    """Random orientations; fibres on a lattice are turned such that they do not overlap."""
    if group.lattice is not None and isinstance(shape, (Fibre, Capsule)):
        return random_orientations(group.lattice.sites, group.lattice.pitch, shape, rng)
    return random_insertion.isotropic(rng, n)


def _exact(made: Particles, state: dict) -> Particles:
    """Particles with the given quaternions unchanged, if these are of unit length to rounding.

    Dividing by a norm that is off in the last digit would change them.
    """
    given = np.array(state.get("orientation", made.orientation), dtype=float)
    unit = np.abs(np.linalg.norm(given, axis=1) - 1) <= ROUNDING
    kept = np.where(unit[:, None], given, made.orientation)
    values = {name: made.field(name) for name in made.fields}
    state = values | {"orientation": kept}
    return Particles.from_checked(made.variants, made.variant, made.kinds, made.kind, state)


def sites(table: LatticeTable, box: Box | None) -> np.ndarray:
    """Positions (N, 3) [m] of a lattice, x fastest: origin + pitch (i, j, k).

    Raises
    ------
    ValueError
        If there is neither origin nor box.
    """
    if table.origin is None and box is None:
        raise ValueError("lattice needs an origin, or the file a box whose lower corner it starts from")
    origin = np.array(table.origin) if table.origin is not None else np.array(box.lower) + 0.5 * table.pitch
    x, y, z = table.sites
    checks.bodies(x * y * z, f"sites of a lattice, {x} x {y} x {z},")
    index = np.arange(x * y * z)
    return origin + table.pitch * np.column_stack([index % x, index // x % y, index // (x * y)])


def last_frame(path: Path) -> Particles:
    """Particles as in the last frame of a trajectory, to the bit.

    Raises
    ------
    OSError, ValueError
        If the file cannot be read, lacks a part of the state, or has shapes that only their process knew.
    """
    with Trajectory(path) as run:
        if not len(run):
            raise ValueError(f"{path} holds no complete frame")
        state = {name: run.field(name)[len(run) - 1] for name in STATE if name in run.fields}
        return Particles.from_checked(run.shapes, run.variant, run.kinds, run.kind, state)
