"""List the present contacts of spheres with spheres, faces and walls, with their conductances.

A contact conducts G = g_ij a with the contact radius of Hertz, a = √(R* δ), and a factor g_ij of the two materials: for
heat 2 k_h (E*/E*_real)^⅓ with the harmonic mean k_h of the conductivities (G. K. Batchelor & R. W. O'Brien, Proc. R.
Soc. Lond. A 355 (1977) 313).

A gas in the gap about a contact conducts besides, between surfaces of one temperature each, from the contact's rim to
the equators of the spheres, ∫ 2π r k_g/(h(r) + M) dr with the gap h(r) and the jump length M (M. Bahrami, M. M.
Yovanovich & J. R. Culham, Int. J. Heat Mass Transf. 49 (2006) 3691). Surfaces up to a range apart conduct so as well,
from their axis on: these pairs come from the list of neighbours, which reaches farther by that range.

The kernels write:

    ids    (R, 2) int64: index of a body; index of the other one, or -1 - face, or -7 - w for wall w
    data   (R, 3): overlap δ [m], less than 0 where a gap lies between, reduced radius R* [m], conductance G
    rate   (N,) int64: sum of the conductances of each body, in units of `unit`
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline, kernel, select
from dem.kernels.domain.faces import BoxFaces, signed_distance
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.numerics.elementary import logarithm
from dem.kernels.numerics.vector import dot, load
from dem.kernels.soft.chunks import CHUNK, chunk_of, first_candidate
from dem.kernels.soft.contact.surface_motion import radius_of
from dem.kernels.soft.fixed_bodies import is_fixed
from dem.kernels.soft.neighbours.candidate_pairs import pairs_of
from dem.kernels.soft.wall_contact.convex_at_walls import find_contacts_of_piece
from dem.kernels.soft.wall_contact.overlap_regions import find_all_contacts
from dem.kernels.soft.wall_contact.wall_arrays import WalledFaces, acts_on, in_frame
from dem.kernels.walls.geometry import clearance
from dem.kernels.walls.potential_terms import DEEPEST

FACES, HERTZ = 6, 1.5  # exponent of overlaps by which pieces of a wall are summed
OVERLAP, RADIUS, CONDUCTANCE, COLUMNS = 0, 1, 2, 3


class GapGas(NamedTuple):
    """Gas in the gaps of contacts."""

    conductivity: float  # k_g [W/(m K)]; 0 without gas
    jump: float  # M, of temperature at both surfaces [m]
    range: float  # largest distance of surfaces that do not touch [m]; 0: none conduct


@inline
def gas_conductance(radius, least, rim, gap, gas, walls):
    """Conductance of the gas between two spheres, or of one and a wall; walls: whether it is a wall.

    π k_g [S ln((S - z)/(S - y)) - (y - z)] with y = √(R² - a²), z = √(R² - R_s²), S = R + (g + M)/2; twice that with
    S = R + g + M at a wall. Exact for equal radii and walls.
    radius, least: harmonic mean R of the radii, and the smaller one R_s [m].
    rim, gap: a of a contact; g of surfaces that do not touch [m].
    """
    square = radius * radius
    y, z = math.sqrt(max(square - rim * rim, 0.0)), math.sqrt(max(square - least * least, 0.0))
    s = radius + (gap + gas.jump if walls else 0.5 * (gap + gas.jump))
    return (2.0 if walls else 1.0) * math.pi * gas.conductivity * (s * logarithm((s - z) / (s - y)) - (y - z))


@inline
def conductance_of(overlap, radius, least, factor, shrink, gas, walls):
    """Conductance of a contact or, with a gas, of a gap of spheres, or of one with a wall; walls: whether it is one.

    radius, least: reduced and smaller radius [m]. shrink: real over present contact radius.
    """
    rim = math.sqrt(radius * max(overlap, 0.0))
    conductance = factor * rim
    if gas.conductivity > 0.0 and factor > 0.0:
        mean, gap = radius if walls else 2.0 * radius, max(-overlap, 0.0)
        conductance += gas_conductance(mean, least, shrink * rim, gap, gas, walls)
    return conductance


@inline
def add_row(count, i, j, overlap, radius, least, factor, shrink, gas, unit, ids, data, rate):
    """Write row `count`, if there is room for it; returns the number of rows; arguments as of `conductance_of`."""
    if count < ids.shape[0]:
        conductance = conductance_of(overlap, radius, least, factor, shrink, gas, j < 0)
        ids[count, 0], ids[count, 1] = i, j
        data[count, OVERLAP], data[count, RADIUS], data[count, CONDUCTANCE] = overlap, radius, conductance
        share = np.int64(np.ceil(conductance * unit))
        rate[i] += share
        if j >= 0:
            rate[j] += share
    return count + 1


@inline
def add_wall_row(count, b, wall, overlap, radius, bodies, kinds, factor, shrink, gas, unit, ids, data, rate):
    """Write row `count` of a sphere of body b at a face or wall, as `add_row`; wall: row of `factor` and `shrink`."""
    m = kinds.material[bodies.kind[b]]
    return add_row(
        count, b, -1 - wall, overlap, radius, radius, factor[wall, m], shrink[wall, m], gas, unit, ids, data, rate
    )  # fmt: skip


@kernel
def list_pairs(bodies, kinds, neighbours, box, factor, shrink, gas, unit, ids, data, rate):
    """List the touching among the candidate pairs, whose spheres have been placed.

    factor, shrink: (A, A) conductance over contact radius, real over present contact radius, by materials.
    gas: `GapGas`.
    Writes ids, data, rate: see the top. Returns the number of contacts, also of those without room.
    """
    count = 0
    for c in range(neighbours.pairs.size):
        start = first_candidate(c, neighbours)
        for k in range(start, start + neighbours.pairs[c]):
            s, t = neighbours.sphere_i[k], neighbours.sphere_j[k]
            d = minimum_image(box, load(bodies.sphere_position, s), load(bodies.sphere_position, t))
            i, j = bodies.owner[s], bodies.owner[t]
            of_s, of_t = radius_of(s, i, bodies, kinds), radius_of(t, j, bodies, kinds)
            overlap = of_s + of_t - math.sqrt(dot(d, d))
            if overlap > 0.0:
                radius = of_s * of_t / (of_s + of_t)
                m, n = kinds.material[bodies.kind[i]], kinds.material[bodies.kind[j]]
                count = add_row(
                    count, i, j, overlap, radius, min(of_s, of_t), factor[m, n], shrink[m, n], gas, unit, ids, data,
                    rate,
                )  # fmt: skip
    return count


@kernel
def list_near_pairs(bodies, kinds, neighbours, box, factor, shrink, gas, unit, ids, data, rate):
    """List the spheres of different bodies that touch, or have surfaces no farther apart than the range of the gas.

    Arguments and results are those of `list_pairs`.
    """
    count = 0
    for c in range(neighbours.pairs.size):
        first, last = pairs_of(c, bodies, neighbours)
        for p in range(first, last):
            i, j = neighbours.lower[p], neighbours.higher[p]
            m, n = kinds.material[bodies.kind[i]], kinds.material[bodies.kind[j]]
            for s in range(bodies.first_sphere[i], bodies.first_sphere[i + 1]):
                of_s = radius_of(s, i, bodies, kinds)
                for t in range(bodies.first_sphere[j], bodies.first_sphere[j + 1]):
                    of_t = radius_of(t, j, bodies, kinds)
                    d = minimum_image(box, load(bodies.sphere_position, s), load(bodies.sphere_position, t))
                    overlap = of_s + of_t - math.sqrt(dot(d, d))
                    if overlap > -gas.range:
                        radius = of_s * of_t / (of_s + of_t)
                        count = add_row(
                            count, i, j, overlap, radius, min(of_s, of_t), factor[m, n], shrink[m, n], gas, unit, ids,
                            data, rate,
                        )  # fmt: skip
    return count


@inline
def no_walls(box, b, bodies, kinds, factor, shrink, gas, unit, count, ids, data, rate):
    """Add no contacts: there are no walls besides the faces of the box."""
    return count


@inline
def add_walls(box, b, bodies, kinds, factor, shrink, gas, unit, count, ids, data, rate):
    """Add the contacts of body b with walls beside the box; returns the number of rows."""
    walls = box.walls
    for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
        radius = radius_of(s, b, bodies, kinds)
        for w in range(walls.material_row.size):
            if acts_on(w, b, bodies, walls):
                for t in range(find_contacts_of_piece(kinds, w, s, b, 0, radius, HERTZ, bodies, box)):
                    overlap = walls.contacts[0, t, DEEPEST]
                    if overlap > 0.0:
                        count = add_wall_row(
                            count, b, FACES + w, overlap, radius, bodies, kinds, factor, shrink, gas, unit, ids, data,
                            rate,
                        )  # fmt: skip
    return count


@inline
def add_near_walls(box, b, bodies, kinds, factor, shrink, gas, unit, count, ids, data, rate):
    """Add the walls beside the box that body b touches, or is no farther from than the range; as `add_walls`.

    A sphere that is larger by the range touches them.
    """
    walls, c = box.walls, b // CHUNK
    for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
        radius, x = radius_of(s, b, bodies, kinds), load(bodies.sphere_position, s)
        for w in range(walls.material_row.size):
            if acts_on(w, b, bodies, walls):
                reach, u = radius + gas.range, in_frame(w, x, box)
                found = 0
                if clearance(w, u, walls.geometry) < reach:
                    found = find_all_contacts(w, c, u, reach, HERTZ, walls)
                for t in range(found):
                    overlap = walls.contacts[c, t, DEEPEST] - gas.range
                    count = add_wall_row(
                        count, b, FACES + w, overlap, radius, bodies, kinds, factor, shrink, gas, unit, ids, data, rate
                    )  # fmt: skip
    return count


with_walls = select("box", {BoxFaces: no_walls, WalledFaces: add_walls})
with_near_walls = select("box", {BoxFaces: no_walls, WalledFaces: add_near_walls})


@inline
def add_faces(b, reach, bodies, kinds, box, factor, shrink, gas, unit, count, ids, data, rate):
    """Add the faces that body b touches, or is nearer to than `reach` [m]; as `add_walls`."""
    for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
        radius, x = radius_of(s, b, bodies, kinds), load(bodies.sphere_position, s)
        for face in range(FACES):
            overlap = radius - signed_distance(x, face, box)
            if overlap > -reach:
                count = add_wall_row(
                    count, b, face, overlap, radius, bodies, kinds, factor, shrink, gas, unit, ids, data, rate
                )  # fmt: skip
    return count


@kernel
def list_at_walls(bodies, kinds, neighbours, box, factor, shrink, gas, unit, ids, data, rate):
    """List the contacts of spheres, which have been placed, with faces and walls; roughness does not count.

    factor, shrink: (6 + W, A) conductance over contact radius, real over present contact radius, by face or wall and
        material.
    gas: `GapGas`.
    Writes ids, data, rate: see the top. Returns the number of contacts, also of those without room.
    """
    count = 0
    for c in range(neighbours.pairs.size):
        low, _ = chunk_of(c, bodies.kind.size)
        for n in range(low, low + neighbours.near_wall_count[c]):
            b = neighbours.near_wall[n]
            if kinds.fixed and is_fixed(b, bodies.kind, kinds.inverse_mass):
                continue
            count = add_faces(b, 0.0, bodies, kinds, box, factor, shrink, gas, unit, count, ids, data, rate)
            count = with_walls(box, b, bodies, kinds, factor, shrink, gas, unit, count, ids, data, rate)
    return count


@kernel
def list_near_walls(bodies, kinds, neighbours, box, factor, shrink, gas, unit, ids, data, rate):
    """List the faces and walls that spheres touch, or are no farther from than the range of the gas.

    Arguments and results are those of `list_at_walls`.
    """
    count = 0
    for b in range(bodies.n_active[0]):
        if kinds.fixed and is_fixed(b, bodies.kind, kinds.inverse_mass):
            continue
        count = add_faces(b, gas.range, bodies, kinds, box, factor, shrink, gas, unit, count, ids, data, rate)
        count = with_near_walls(box, b, bodies, kinds, factor, shrink, gas, unit, count, ids, data, rate)
    return count
