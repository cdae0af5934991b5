"""Candidate pairs of capsules: one for each pair of bodies whose segments come close enough."""

from dem.kernels.compiler.jit import func, inline, select, vector_loop
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.numerics.vector import dot, load, scale
from dem.kernels.soft.chunks import candidate_room
from dem.kernels.soft.contact.capsule_blending import between, closest
from dem.kernels.soft.contact.capsules import Capsules, Mixed, pieces_of
from dem.kernels.soft.neighbours import candidate_pairs
from dem.kernels.soft.neighbours.body_pairs import SLACK, flag_near
from dem.kernels.soft.neighbours.candidate_pairs import note_candidates, pack, pairs_of, write_pair
from dem.kernels.soft.state import Kinds
from dem.kernels.soft.wall_contact.near_wall_bodies import axis, centre


@func
def pick_spheres(kinds, c, skin, bodies, neighbours, box):
    """Bodies made of spheres have candidates that are pairs of spheres.

    Writes neighbours: as `dem.kernels.soft.neighbours.candidate_pairs.pick`.
    """
    candidate_pairs.pick(c, skin, bodies, kinds, neighbours, box)


@func
def pick_capsules(kinds, c, skin, bodies, neighbours, box):
    """Fill the candidate pairs of chunk c and note their number; more than there is room for are only counted.

    Writes neighbours: candidates, each with the first spheres of its two bodies, and where those of a pair are.
    """
    start = c * candidate_room(neighbours)
    first, last = pairs_of(c, bodies, neighbours)
    lower, higher, near = (
        neighbours.lower[first:last],
        neighbours.higher[first:last],
        neighbours.candidate_range[first:last],
    )
    flag_near(
        box, skin, lower, higher, bodies.position, bodies.orientation, bodies.kind, kinds.max_sphere_offset,
        kinds.bounding_radius,
        kinds.is_collinear, near,
    )  # fmt: skip
    neighbours.pairs[c] = write_near(
        lower, higher, bodies.kind, bodies.first_sphere, kinds, start, start + candidate_room(neighbours),
        neighbours.force_at[c], near, neighbours.sphere_i, neighbours.sphere_j, neighbours.contact_distance,
        neighbours.stiffness,
    )  # fmt: skip


@vector_loop
def write_near(
    lower, higher, kind, first_sphere, kinds, start, stop, column, near, sphere_i, sphere_j, reach, stiffness
):
    """Write those pairs that are near.

    lower, higher, kind, first_sphere, kinds: pairs of bodies of a chunk, and of `Bodies` and `Capsules`.
    start, stop, column: the chunk's segment of the candidates, and where its wrenches begin.
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


@func
def pick_pieces(kinds, c, skin, bodies, neighbours, box):
    """Pick pairs of pieces as candidates, where bodies of several spheres are beside capsules.

    Writes neighbours: candidates, each with the spheres that stand for its pieces, and where those of a pair are.
    """
    room = candidate_room(neighbours)
    k, (first, last) = c * room, pairs_of(c, bodies, neighbours)
    flag_near(
        box, skin, neighbours.lower[first:last], neighbours.higher[first:last], bodies.position, bodies.orientation,
        bodies.kind, kinds.max_sphere_offset, kinds.bounding_radius, kinds.is_collinear,
        neighbours.candidate_range[first:last],
    )  # fmt: skip
    for p in range(first, last):
        found = 0
        if neighbours.candidate_range[p] > 0:
            b, partner = neighbours.lower[p], neighbours.higher[p]
            found = write_pieces(k, (c + 1) * room, b, partner, skin, bodies, kinds, neighbours, box)
        note_candidates(p, k, found, neighbours)
        k += found
    neighbours.pairs[c] = k - c * room


@inline
def place_of(b, piece, u, bodies, kinds):
    """Centre of a piece of body b, of which u is the axis if it is on a line."""
    return load(bodies.position, b) if kinds.half[bodies.kind[b]] > 0.0 else centre(b, piece, u, bodies, kinds)


@func
def write_pieces(k, stop, b, partner, skin, bodies, kinds, neighbours, box):
    """Candidates of one pair of bodies, from k on; returns their number.

    k, stop: next candidate, and the end of the room.
    b, partner: the two bodies, that of lower identity first.
    Writes neighbours.sphere_i, neighbours.sphere_j: from k on.
    Writes neighbours.contact_distance, neighbours.stiffness: the same, only if spheres differ.
    """
    start, g, h = k, bodies.kind[b], bodies.kind[partner]
    one, other = axis(b, bodies, kinds), axis(partner, bodies, kinds)
    u, v = scale(kinds.half[g], one), scale(kinds.half[h], other)
    for i in range(pieces_of(b, bodies, kinds)):
        place = place_of(b, i, one, bodies, kinds)
        for j in range(pieces_of(partner, bodies, kinds)):
            x = minimum_image(box, place, place_of(partner, j, other, bodies, kinds))
            if k < stop:
                neighbours.sphere_i[k] = bodies.first_sphere[b] + i
                neighbours.sphere_j[k] = bodies.first_sphere[partner] + j
            reach = kinds.contact_distance
            if reach == 0.0:
                at_i, at_j = kinds.first_offset[g] + i, kinds.first_offset[h] + j
                reach = write_pair(k, stop, g, h, at_i, at_j, kinds, neighbours.contact_distance, neighbours.stiffness)
            s, t = closest(x, u, v)
            d, cut_off = between(x, u, v, s, t), (reach + skin) * SLACK
            k += 1 if dot(d, d) < cut_off * cut_off else 0
    return k - start


pick = select("kinds", {Kinds: pick_spheres, Capsules: pick_capsules, Mixed: pick_pieces})
