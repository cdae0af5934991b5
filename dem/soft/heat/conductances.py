"""Contacts of an engine at a complete step, with the conductances of a scalar exchange."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.kernels.compiler.jit import in_python
from dem.kernels.heat import conductances
from dem.kernels.heat.conductances import COLUMNS, CONDUCTANCE, OVERLAP, RADIUS, GapGas, gas_conductance
from dem.kernels.soft.state import Kinds
from dem.soft.contact.contact_forces import contact_forces
from dem.soft.contact.convex_bodies import touches_with_corners

if TYPE_CHECKING:
    from collections.abc import Callable

    from dem.model.bonds import Bonds
    from dem.model.contact.contact_forces import ContactForces
    from dem.model.materials import Material
    from dem.model.particles.particles import Particles
    from dem.soft.engine import Engine

SAME_REGION = 0.5  # angle of normals of corners, below which they touch the same region of a wall [rad]
RATE_BITS = 50  # of the largest conductance, in whose units the rates of bodies are summed


class ConductanceTables(NamedTuple):
    """Factors of contact conductances by pair of materials, by wall and by bond."""

    of_pairs: np.ndarray  # (A, A) conductance over contact radius, by materials of particles
    of_walls: np.ndarray  # (6 + W, A) by face or wall and material
    shrink_of_pairs: np.ndarray  # (A, A) real over present contact radius
    shrink_of_walls: np.ndarray  # (6 + W, A)
    gas: GapGas  # in the gaps about contacts
    of_bonds: np.ndarray  # (B,) of each bond
    radius: np.ndarray  # (G,) that bodies count as having which are no spheres [m], by kind
    has_corners: np.ndarray  # (G,) whether corners touch flat walls one by one, by kind
    unit: float  # of rates: a power of two in 1 of the conductance


class ContactRows(NamedTuple):
    """Contacts of pairs or with walls, see `dem.kernels.heat.conductances`."""

    indices: np.ndarray
    values: np.ndarray


def radii(particles: Particles) -> np.ndarray:
    """Radius of the capsule, or of the sphere of the volume of the body, by variant (G,) [m]."""
    found = []
    for shape, material in particles.variants:
        volume = shape.mass_properties(material.density).volume
        found.append(shape.radii[0] if hasattr(shape, "length") else (0.75 * volume / math.pi) ** (1 / 3))
    return np.array(found)


def have_corners(particles: Particles) -> np.ndarray:
    """Whether a shape touches flat walls with each of its corners, by variant (G,)."""
    return np.array([touches_with_corners(shape) for shape, _ in particles.variants])


def deepest_corners(found: ContactForces, has_corners: np.ndarray) -> np.ndarray:
    """Whether a contact (K,) is the deepest of one body in one region of a wall, or no contact of a corner with a wall.

    has_corners: (K,) whether the first body of the contact has corners.
    Contacts in the same region have normals that differ by less than `SAME_REGION`.
    """
    deepest = np.ones(found.i.size, bool)
    rows = np.flatnonzero(has_corners & (found.j < 0))
    rows = rows[np.lexsort((rows, -found.overlap[rows], found.j[rows], found.i[rows]))]
    i, j, normal = found.i[rows], found.j[rows], found.normal[rows]
    for lag in range(1, rows.size):  # compare each contact with the deeper ones of the same body and wall
        same = (i[lag:] == i[:-lag]) & (j[lag:] == j[:-lag])
        if not same.any():
            break
        aligned = (normal[lag:] * normal[:-lag]).sum(1) > math.cos(SAME_REGION)
        deepest[rows[lag:][same & aligned]] = False
    return deepest


def rate_unit(largest: float) -> float:
    """Units in one conductance, a power of two: the largest conductance is then an integer of some `RATE_BITS` bits."""
    return 2.0 ** (RATE_BITS - math.frexp(largest)[1]) if largest > 0 else 1.0


def rows_for(room: int) -> ContactRows:
    """Empty rows for a number of contacts."""
    return ContactRows(np.empty((room, 2), np.int64), np.empty((room, COLUMNS)))


def list_contacts(
    engine: Engine, tables: ConductanceTables, rows: list[ContactRows]
) -> tuple[ContactRows, ContactRows, np.ndarray]:
    """Contacts and bonds of pairs, contacts with walls, and the rate of each body (N,), by index.

    rows: of both, to be filled; replaced by more if there are too few.
    """
    pairs, walls, rate = _list_contacts(engine, tables, rows)
    if engine.bonds:
        pairs, rate[:] = _with_bonds(engine, tables, pairs), 0
        for each in (pairs, walls):
            add_rates(each, tables.unit, rate)
    return pairs, walls, rate


def of_bonds(bonds: Bonds, particles: Particles, through: Callable[[Material, Material], float]) -> np.ndarray:
    """Conductance k A/l of each bond (B,); of those to the ground 0. through: k of two materials."""
    ends = np.array([particles.variant[pair] for pair in np.maximum(bonds.pairs, 0)]).reshape(-1, 2)
    known = {tuple(both): through(*(particles.variants[v][1] for v in both)) for both in np.unique(ends, axis=0)}
    conductivity = np.array([known[tuple(both)] for both in ends])
    section = math.pi / 4 * np.broadcast_to(bonds.diameter, len(bonds)) ** 2
    return np.where(bonds.pairs[:, 1] < 0, 0.0, conductivity * section / bonds.geometry.length)


def _with_bonds(engine: Engine, tables: ConductanceTables, pairs: ContactRows) -> ContactRows:
    """Contacts of pairs but those that bonds exclude, and the bonds that are whole."""
    arrays = engine.bonds.arrays
    meet = engine.bonds.have_contact(*pairs.indices.T, engine.owned)
    whole = np.flatnonzero(arrays.live > 0)
    values = np.zeros((whole.size, COLUMNS))
    values[:, CONDUCTANCE] = tables.of_bonds[arrays.bond[whole]]
    indices = np.column_stack([arrays.first[whole], arrays.second[whole]]).astype(np.int64)
    return ContactRows(np.concatenate([pairs.indices[meet], indices]), np.concatenate([pairs.values[meet], values]))


def _list_contacts(
    engine: Engine, tables: ConductanceTables, rows: list[ContactRows]
) -> tuple[ContactRows, ContactRows, np.ndarray]:
    """Contacts as `list_contacts` has them, without bonds."""
    if type(engine.kinds) is not Kinds:
        return _report_contacts(engine, tables)
    if not engine.kinds.all_single_spheres:
        engine.place_spheres()
    rate, of_walls = np.zeros((2, engine.owned), np.int64)
    fill = conductances.list_near_pairs if tables.gas.range > 0 else conductances.list_pairs
    pairs = _filled(engine, fill, tables, (tables.of_pairs, tables.shrink_of_pairs), rows, 0, rate)
    return pairs, list_wall_contacts(engine, tables, rows, of_walls), rate + of_walls


def list_wall_contacts(
    engine: Engine, tables: ConductanceTables, rows: list[ContactRows], rate: np.ndarray
) -> ContactRows:
    """Contacts of placed spheres with faces and walls; writes the sums of conductances by body to the rates (N,)."""
    fill = conductances.list_near_walls if tables.gas.range > 0 else conductances.list_at_walls
    return _filled(engine, fill, tables, (tables.of_walls, tables.shrink_of_walls), rows, 1, rate)


def _filled(
    engine: Engine, fill: Callable, tables: ConductanceTables, factors: tuple[np.ndarray, np.ndarray],
    rows: list[ContactRows], of: int, rate: np.ndarray,
) -> ContactRows:  # fmt: skip
    """Contacts that a kernel lists into rows[of], replaced by more rows if there are too few, and their rates (N,)."""
    while True:
        rate[:] = 0
        count = fill(
            engine.bodies, engine.kinds, engine.lists.arrays, engine.walls.faces, *factors, tables.gas, tables.unit,
            *rows[of], rate,
        )  # fmt: skip
        if count <= len(rows[of].indices):
            return ContactRows(*(a[:count] for a in rows[of]))
        rows[of] = rows_for(2 * count)


def _report_contacts(engine: Engine, tables: ConductanceTables) -> tuple[ContactRows, ContactRows, np.ndarray]:
    """Contacts of capsules and convex bodies from the contact report, with conductances.

    A polyhedron and a flat wall conduct by one contact, the deepest of its corners, as all pairs do.
    """
    found = contact_forces(engine)
    index = np.empty(engine.owned, np.int64)
    index[engine.numbering.rows(engine.bodies.identity)] = np.arange(engine.owned)
    at_wall, rate = found.j < 0, np.zeros(engine.owned, np.int64)
    kind, listed = engine.bodies.kind, []
    material = engine.kinds.material[kind]
    corners = tables.has_corners[kind[index[found.i]]]
    conducts = deepest_corners(found, corners) & (found.overlap > 0)
    for is_wall in (False, True):
        chosen = (at_wall == is_wall) & conducts
        i, overlap = index[found.i[chosen]], found.overlap[chosen]
        of_i, values = tables.radius[kind[i]], np.empty((i.size, COLUMNS))
        radius = of_i
        if is_wall:
            j = found.j[chosen]
            values[:, RADIUS], entry = of_i, (-1 - j, material[i])
            factor, shrink = tables.of_walls[entry], tables.shrink_of_walls[entry]
        else:
            j = index[found.j[chosen]]
            of_j = tables.radius[kind[j]]
            radius = np.minimum(of_i, of_j)
            values[:, RADIUS], entry = of_i * of_j / (of_i + of_j), (material[i], material[j])
            factor, shrink = tables.of_pairs[entry], tables.shrink_of_pairs[entry]
        rim = np.sqrt(values[:, RADIUS] * overlap)
        values[:, OVERLAP], values[:, CONDUCTANCE] = overlap, factor * rim
        for k in np.flatnonzero(factor) if tables.gas.conductivity > 0 else ():
            mean = values[k, RADIUS] * (1.0 if is_wall else 2.0)
            through_gap = in_python(gas_conductance)(mean, radius[k], shrink[k] * rim[k], 0.0, tables.gas, is_wall)
            values[k, CONDUCTANCE] += through_gap
        listed.append(ContactRows(np.column_stack([i, j]), values))
        add_rates(listed[-1], tables.unit, rate)
    return *listed, rate


def add_rates(listed: ContactRows, unit: float, rate: np.ndarray) -> None:
    """Add the conductances of contacts to the rates (N,) of bodies."""
    share = np.ceil(listed.values[:, CONDUCTANCE] * unit).astype(np.int64)
    np.add.at(rate, listed.indices[:, 0], share)
    pairs = listed.indices[:, 1] >= 0
    np.add.at(rate, listed.indices[pairs, 1], share[pairs])
