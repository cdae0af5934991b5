"""Candidate pairs: pairs of spheres that may touch within the next steps, selected from the pairs of bodies.

There are two lists, because their lifetimes differ. The neighbour list has a wide skin and lasts about a hundred steps.
Candidates are selected from it with a narrow skin, about every fifteen steps, so that each step checks few pairs that
do not touch (the dual pair list of GROMACS: Páll et al., J. Chem. Phys. 153, 134110 (2020)).
"""

import numpy as np
from dem.kernels.compiler.jit import argument, func, inline, select, vector_loop
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.laws import hertz
from dem.kernels.numerics.columns import BLOCK, flat, rows_on_stack
from dem.kernels.numerics.vector import add_scaled, dot, load, scale, store
from dem.kernels.simd.memory import atomic_add
from dem.kernels.soft.bonds.bond_types import alone_is_free
from dem.kernels.soft.chunks import CHUNK, candidate_room, chunk_of, first_candidate
from dem.kernels.soft.contact.capsule_blending import closest_parameters, separation_at
from dem.kernels.soft.contact.capsules import (
    PAIR_ROWS,
    Capsules,
    Mixed,
    closest_separation,
    has_one_candidate,
    pieces_of,
    read_poses,
)
from dem.kernels.soft.contact.convex_bodies import bounding_radius
from dem.kernels.soft.fixed_bodies import is_fixed
from dem.kernels.soft.neighbours.neighbour_list import SLACK, entry_pair, flag_pairs
from dem.kernels.soft.state import Kinds
from dem.kernels.soft.wall_contact.near_wall_bodies import centre, is_walled, read_spheres

GROUP = 4  # candidates of a body are gathered in groups of this many, see `force_accumulation.gather_single_spheres`
WORD_BITS = 64  # of an integer
COUNT_BITS = 24  # candidate pairs of one pair of bodies: below 2^24
CUT_OFF = PAIR_ROWS  # row of the distance of two axes below which a pair is a candidate [m]
rows_of_pairs = rows_on_stack(CUT_OFF + 1)


@inline
def pack(first, count):
    """First candidate pair and number of pairs in one integer."""
    return (first << COUNT_BITS) | count


@inline
def unpack(packed):
    """First candidate pair, number of pairs."""
    return packed >> COUNT_BITS, packed & ((1 << COUNT_BITS) - 1)


@func
def pick_spheres(kinds, c, skin, bodies, neighbours, box):
    """Fill the candidate pairs of chunk c, of bodies made of spheres; see `pick_capsules`."""
    if not kinds.all_single_spheres:
        pick_several(kinds, c, skin, bodies, neighbours, box)
        return
    start = first_candidate(c, neighbours)
    first, last = pairs_of(c, bodies, neighbours)
    neighbours.pairs[c] = pick_single_spheres(
        box, skin, neighbours.lower[first:last], neighbours.higher[first:last], bodies.kind, bodies.position, kinds,
        start, start + candidate_room(neighbours), neighbours.force_at[c], neighbours.candidate_range[first:last],
        neighbours.sphere_i, neighbours.sphere_j, neighbours.contact_distance, neighbours.stiffness,
    )  # fmt: skip


@func
def pick_several(kinds, c, skin, bodies, neighbours, box):
    """Fill the candidate pairs of chunk c, of which a pair of bodies may have several; see `pick_capsules`."""
    start = first_candidate(c, neighbours)
    k, stop, (first, last) = start, start + candidate_room(neighbours), pairs_of(c, bodies, neighbours)
    flag_pairs(first, last, skin, bodies, kinds, neighbours, box)
    own = 0
    for p in range(first, last):
        found = 0
        if neighbours.candidate_range[p] > 0:
            b, partner = neighbours.lower[p], neighbours.higher[p]
            found = pick_bodies(kinds, k, stop, b, partner, skin, bodies, neighbours, box)
            own += count_incident(b, c, found, neighbours) + count_incident(partner, c, found, neighbours)
        neighbours.candidate_range[p] = pack(k, found)
        k += found
    atomic_add(neighbours.pairs_of_body_count, c, own)
    neighbours.pairs[c] = k - start


@func
def pick_capsules(kinds, c, skin, bodies, neighbours, box):
    """Store the candidate pairs of chunk c, and their number; pairs beyond the available room are only counted.

    Writes neighbours: candidates, each with the first spheres of its two bodies, and where those of a pair are.
    """
    start = first_candidate(c, neighbours)
    first, last = pairs_of(c, bodies, neighbours)
    lower, higher = neighbours.lower[first:last], neighbours.higher[first:last]
    flag_near_axes(
        box, skin, lower, higher, kinds.pose, bodies.kind, kinds, rows_of_pairs(),
        neighbours.candidate_range[first:last],
    )  # fmt: skip
    neighbours.pairs[c] = write_near(
        lower, higher, bodies.kind, bodies.first_sphere, kinds, start, start + candidate_room(neighbours),
        neighbours.force_at[c], neighbours.candidate_range[first:last], neighbours.sphere_i, neighbours.sphere_j,
        neighbours.contact_distance, neighbours.stiffness,
    )  # fmt: skip


@vector_loop
def flag_near_axes(box, skin, lower, higher, pose, kind, kinds, rows, near):
    """Flag the pairs of capsules that are closer than the skin.

    lower, higher: (P,) pairs of bodies of a chunk.
    pose, kind: of `Capsules` and `Bodies`. kinds: `Capsules`.
    Writes rows: scratch, `rows_of_pairs`. Writes near: (P,) 1 or 0.
    """
    for first in range(0, lower.size, BLOCK):
        count = min(BLOCK, lower.size - first)
        read_poses(pose, None, None, lower, higher, first, count, rows)
        for t in range(count):
            contact_distance = kinds.contact_distance
            if contact_distance == 0.0:
                g, h = kind[lower[first + t]], kind[higher[first + t]]
                contact_distance = kinds.radius[kinds.first_offset[g]] + kinds.radius[kinds.first_offset[h]]
            rows[flat(CUT_OFF, t)] = (contact_distance + skin) * SLACK
        for t in range(count):
            d, cut_off = closest_separation(box, t, rows), rows[flat(CUT_OFF, t)]
            near[first + t] = 1 if dot(d, d) < cut_off * cut_off else 0


@vector_loop
def write_near(
    lower, higher, kind, first_sphere, kinds, start, stop, column, near, sphere_i, sphere_j, reach, stiffness
):
    """Write the pairs of bodies that are flagged as near as candidates, one each.

    lower, higher, kind, first_sphere, kinds: pairs of bodies of a chunk, and of `Bodies` and `Capsules`.
    start, stop, column: the chunk's segment of the candidates, and where its rows of forces begin.
    Writes near: (P,) 1 or 0; after that the first candidate of each pair, and 1 or 0.
    Writes sphere_i, sphere_j, reach, stiffness: (C K,) from start on; the last two only if spheres differ.
    Returns the number of candidates, also of those for which there is no room.
    """
    k = start
    for p in range(lower.size):
        i, j, flag = lower[p], higher[p], near[p]
        if k < stop:
            sphere_i[k], sphere_j[k] = first_sphere[i], first_sphere[j]
        if kinds.contact_distance == 0.0:
            of_i, of_j = kinds.first_offset[kind[i]], kinds.first_offset[kind[j]]
            write_pair(k, stop, kind[i], kind[j], of_i, of_j, kinds, reach, stiffness)
        near[p] = pack(column + k - start, flag)
        k += flag
    return k - start


@inline
def count_incident(b, c, found, neighbours):
    """Add a number of candidates of body b to that of its chunk; for bodies of chunk c return it instead."""
    chunk = b // CHUNK
    if chunk == c:
        return found
    atomic_add(neighbours.pairs_of_body_count, chunk, found)
    return 0


@vector_loop
def pick_single_spheres(
    box, skin, lower, higher, kind, position, kinds, start, stop, column, packed, sphere_i, sphere_j, reach, stiffness
):
    """Select candidates among bodies of one sphere each, whose kind, sphere and body have one number.

    No branch on the distance: it would be mispredicted often, which takes longer than to write every pair.

    lower, higher: (P,) pairs of bodies of a chunk.
    kind, position: (N,), (3, N) [m].
    start, stop: the chunk's segment of the candidates.
    column: of pair_force, for the chunk's first candidate.
    Writes packed: (P,) first candidate of each pair, and 1 or 0.
    Writes sphere_i, sphere_j, reach, stiffness: (C K,) from start on; the last two only if spheres differ.
    Returns the number of candidates, also of those for which there is no room.
    """
    k = start
    for p in range(lower.size):
        i, j = lower[p], higher[p]
        if k < stop:
            sphere_i[k], sphere_j[k] = i, j
        r = kinds.contact_distance
        if r == 0.0:
            r = write_pair(k, stop, kind[i], kind[j], kind[i], kind[j], kinds, reach, stiffness)
        d = minimum_image(box, load(position, i), load(position, j))
        cut_off = (r + skin) * SLACK
        near = 1 if dot(d, d) < cut_off * cut_off else 0
        packed[p] = pack(column + k - start, near)
        k += near
    return k - start


@inline
def write_pair(k, stop, g, h, i, j, kinds, reach, stiffness):
    """Reach and stiffness of a candidate pair; returns the reach.

    k, stop: candidate, and the end of the room.
    g, h, i, j: kinds of the two bodies, and their spheres among those of all kinds.
    kinds: `Kinds`.
    Writes reach, stiffness: (C K,), entry k [m, N m^-1.5].
    """
    r_i, r_j = kinds.radius[i], kinds.radius[j]
    r = bounding_radius(kinds, i) + bounding_radius(kinds, j)
    if k < stop:
        reach[k] = r
        stiffness[k] = hertz.stiffness(kinds.modulus[kinds.material[g], kinds.material[h]], r_i * r_j / (r_i + r_j))
    return r


@inline
def pairs_of(c, bodies, neighbours):
    """First pair of bodies of chunk c, and the one after its last: they are stored without gaps."""
    low, high = chunk_of(c, bodies.kind.size)
    return neighbours.first[low], neighbours.first[high - 1] + neighbours.count[high - 1]


@inline
def write_candidate(k, stop, of_b, i, of_partner, j, kinds, neighbours):
    """Write spheres i and j of two bodies as candidate k, if there is room; returns R_i + R_j [m].

    of_b, of_partner: `SpheresOfBody`.
    """
    if k < stop:
        neighbours.sphere_i[k] = of_b.first + i
        neighbours.sphere_j[k] = of_partner.first + j
    if kinds.contact_distance > 0.0:
        return kinds.contact_distance
    g, h, i, j = of_b.kind, of_partner.kind, of_b.row + i, of_partner.row + j
    return write_pair(k, stop, g, h, i, j, kinds, neighbours.contact_distance, neighbours.stiffness)


@inline
def is_far_from_line(x, reach, spheres, kinds, box):
    """Whether a point is farther than `reach` [m] from all spheres of a body on a line; False of other bodies."""
    tip, d = kinds.max_sphere_offset[spheres.kind], minimum_image(box, x, spheres.position)
    along = min(max(dot(d, spheres.axis), -tip), tip)
    off = add_scaled(d, -along, spheres.axis)
    cut_off = (reach + kinds.bounding_radius[spheres.kind] - tip) * SLACK
    return spheres.is_collinear and dot(off, off) > cut_off * cut_off


@func
def write_spheres(kinds, k, stop, b, partner, skin, bodies, neighbours, box):
    """Write the candidates of one pair of bodies, from k on; returns their number.

    No branch on the distance: it would be mispredicted often, which takes longer than to write every pair.

    k, stop: next candidate, and the end of the room.
    b, partner: the two bodies, that of lower identity first.
    Writes neighbours.sphere_i, neighbours.sphere_j: from k on.
    Writes neighbours.contact_distance, neighbours.stiffness: the same, only if spheres differ.
    """
    start, of_b, of_partner = k, read_spheres(b, bodies, kinds), read_spheres(partner, bodies, kinds)
    for i in range(of_b.count):
        x_i = centre(of_b, i, bodies, kinds)
        if is_far_from_line(x_i, bounding_radius(kinds, of_b.row + i) + skin, of_partner, kinds, box):
            continue
        for j in range(of_partner.count):
            d = minimum_image(box, centre(of_partner, j, bodies, kinds), x_i)
            reach = write_candidate(k, stop, of_b, i, of_partner, j, kinds, neighbours)
            cut_off = (reach + skin) * SLACK
            k += 1 if dot(d, d) < cut_off * cut_off else 0
    return k - start


@inline
def piece_centre(spheres, piece, bodies, kinds):
    """Centre of a piece of a body, of which `SpheresOfBody` are given [m]."""
    return spheres.position if kinds.half[spheres.kind] > 0.0 else centre(spheres, piece, bodies, kinds)


@func
def write_pieces(kinds, k, stop, b, partner, skin, bodies, neighbours, box):
    """Write the candidates of one pair of bodies, capsules or bodies of several spheres, from k on; their number.

    Arguments as of `write_spheres`.
    """
    start, of_b, of_partner = k, read_spheres(b, bodies, kinds), read_spheres(partner, bodies, kinds)
    u, v = scale(kinds.half[of_b.kind], of_b.axis), scale(kinds.half[of_partner.kind], of_partner.axis)
    for i in range(pieces_of(b, bodies, kinds)):
        x_i = piece_centre(of_b, i, bodies, kinds)
        for j in range(pieces_of(partner, bodies, kinds)):
            x = minimum_image(box, x_i, piece_centre(of_partner, j, bodies, kinds))
            reach = write_candidate(k, stop, of_b, i, of_partner, j, kinds, neighbours)
            s, t = closest_parameters(x, u, v)
            d, cut_off = separation_at(x, u, v, s, t), (reach + skin) * SLACK
            k += 1 if dot(d, d) < cut_off * cut_off else 0
    return k - start


pick_bodies = select("kinds", {Kinds: write_spheres, Mixed: write_pieces})
pick = select("kinds", {Kinds: pick_spheres, Capsules: pick_capsules, Mixed: pick_several})


@inline
def has_room(neighbours):
    """Whether every chunk's candidates fit its segment."""
    room = candidate_room(neighbours)
    fits = True
    for c in range(neighbours.pairs.size):
        fits = fits and neighbours.pairs[c] <= room
    return fits


@func
def list_incident(c, anew, skin, bodies, kinds, neighbours, box):
    """List the candidates of each body of chunk c, if they are new, the bodies near walls, and those with contacts.

    Bodies without candidates that are not near walls touch nothing until the next pick; their force is set to zero.
    """
    low, high = chunk_of(c, bodies.kind.size)
    if anew:
        first = neighbours.pairs_of_body_start[c] = first_incident(c, kinds, neighbours)
        list_pairs(
            low, high, first, has_one_candidate(kinds), kinds.all_single_spheres,
            zero_force_candidate(kinds, neighbours), neighbours.first_entry,
            neighbours.entry_count, neighbours.body_entries, neighbours.candidate_range, neighbours.pairs_of_body,
            neighbours.count_as_second,
            neighbours.count_as_first,
        )  # fmt: skip
    active, walled, start, placed = low, low, neighbours.pairs_of_body_start[c], bodies.first_sphere[low]
    for b in range(low, high):
        near = is_walled(box, b, skin, bodies, kinds, neighbours)
        near = near if b < bodies.n_active[0] else 0
        near = 0 if kinds.fixed and is_fixed(b, bodies.kind, kinds.inverse_mass) else near
        neighbours.near_wall[walled] = b
        walled += near
        if not kinds.all_single_spheres:
            neighbours.with_contacts[active] = b
            count = neighbours.count_as_second[b] + neighbours.count_as_first[b]
            if count + near > 0:
                active += 1
                placed = list_spheres(kinds, b, near > 0, start, placed, bodies, neighbours)
                start += count
            elif alone_is_free(neighbours.bonds):
                store(bodies.force, b, (0.0, 0.0, 0.0))
                store(bodies.torque, b, (0.0, 0.0, 0.0))
    neighbours.with_contacts_count[c] = active - low
    neighbours.spheres_to_place_count[c] = placed - bodies.first_sphere[low]
    neighbours.near_wall_count[c] = walled - low


@inline
def list_touching_spheres(kinds, b, every, start, n, bodies, neighbours):
    """List the spheres of body b that have candidates, or all of them; returns the end of the list.

    Those with candidates are bits of an integer, for as many spheres at a time as it has.

    every, start, n: whether all of them; first incident candidate of the body; where to write.
    Writes neighbours.spheres_to_place: from n on.
    """
    middle = start + neighbours.count_as_second[b]
    stop = middle + neighbours.count_as_first[b]
    end = bodies.first_sphere[b + 1]
    column = kinds.first_offset[bodies.kind[b]] - bodies.first_sphere[b]
    for first in range(bodies.first_sphere[b], end, WORD_BITS):
        listed = np.int64(-1) if every else np.int64(0)
        for e in range(start, stop):
            k = neighbours.pairs_of_body[e]
            if k < neighbours.sphere_i.size:  # not one that fills up a group
                place = (neighbours.sphere_j[k] if e < middle else neighbours.sphere_i[k]) - first
                listed |= np.int64(0 <= place < WORD_BITS) << (place & (WORD_BITS - 1))
        for s in range(first, min(first + WORD_BITS, end)):
            store(neighbours.spheres_to_place, n, (s, b, column + s))
            n += listed >> (s - first) & 1
    return n


list_spheres = select("kinds", {Kinds: list_touching_spheres, Capsules: argument("n")})


@inline
def zero_force_candidate(kinds, neighbours):
    """Index of a candidate with zero force, to fill up groups; -1 if the spheres of candidates are read."""
    if neighbours.force_row.size > 0:
        return neighbours.force_row.size - 1
    return neighbours.pair_force.shape[1] - 1 if has_one_candidate(kinds) else -1


@vector_loop
def list_pairs(
    low, high, first, alone, apart, zero_candidate, first_entry, entry_count, entry, packed, incident, count_as_second,
    count_as_first,
):  # fmt: skip
    """List the incident candidates of the bodies low to high.

    Entries come in ascending identity of the partner, so those where b is on side j (the higher identity) come first.
    Both parts are filled up to whole groups with one that never has a force (see
    `force_accumulation.gather_single_spheres`), or only the last one so that both together are whole groups, if there
    is such a candidate.

    low, high, first: bodies of a chunk, and where theirs begin.
    alone: whether pairs of bodies have one candidate at most.
    apart: whether either part is filled up.
    zero_candidate: one without a force for ever; -1 if there is none.
    first_entry, entry_count, entry, packed: of `Neighbours`.
    Writes incident: from `first` on.
    Writes count_as_second, count_as_first: (N,) their numbers on either side, filled up.
    """
    padded, n = zero_candidate >= 0, first
    for b in range(low, high):
        e = first_entry[b]
        stop = e + entry_count[b]
        start = n
        while e < stop and entry[e] & 1 == 1:
            n += list_pair(n, alone, entry[e], packed, incident)
            e += 1
        n = fill_group(n, start, zero_candidate, incident) if padded and apart else n
        count_as_second[b] = n - start
        begin, start = start, n
        while e < stop:
            n += list_pair(n, alone, entry[e], packed, incident)
            e += 1
        n = fill_group(n, start if apart else begin, zero_candidate, incident) if padded else n
        count_as_first[b] = n - start


@inline
def first_incident(c, kinds, neighbours):
    """Index at which the incident candidates of chunk c begin: each body before may fill up two groups, or one."""
    if has_one_candidate(kinds):
        return neighbours.first_entry[c * CHUNK] + 2 * GROUP * CHUNK * c
    first = GROUP * CHUNK * c
    for before in range(c):
        first += neighbours.pairs_of_body_count[before]
    return first


@inline
def list_pair(n, alone, key, packed, incident):
    """Write the candidates of an entry's pair from index n on; returns their number."""
    k, count = unpack(packed[entry_pair(key)])
    if alone:
        incident[n] = k
    else:
        for m in range(count):
            incident[n + m] = k + m
    return count


@inline
def fill_group(n, start, zero_candidate, incident):
    """Fill up places from n to a whole number of groups since start; returns the new end.

    A whole group is written whatever is missing, for which the list has room: that needs no branch.
    """
    for m in range(GROUP):
        incident[n + m] = zero_candidate
    return start + (n - start + GROUP - 1) // GROUP * GROUP
