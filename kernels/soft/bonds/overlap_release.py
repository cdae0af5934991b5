"""Release of overlaps of bonded bodies: after a breakage they touch, at first without a force.

Bonded bodies have no contacts with each other. Spheres of a chain may overlap at rest, so the overlap at the moment of
the breakage, the slack, is subtracted from the contact distance. The slack shrinks with the overlap. As long as it
shrinks the contact has no force, hence no energy, and the breakage adds no energy.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline, kernel, select
from dem.kernels.convex.overlap import overlap as convex_overlap
from dem.kernels.convex.shape_registry import ZERO_VECTOR
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.numerics.quaternion import load_quaternion, rotate
from dem.kernels.numerics.vector import add, dot, load
from dem.kernels.soft.bonds.bond_types import Brittle, Lasting, NoBonds
from dem.kernels.soft.chunks import candidate_room
from dem.kernels.soft.contact.capsule_blending import closest_parameters, separation_at
from dem.kernels.soft.contact.capsules import Capsules, Mixed, half_axis, has_one_candidate, mean_radius, pieces_of
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds, bounding_radius, convex_body, row_of
from dem.kernels.soft.neighbours.candidate_pairs import unpack
from dem.kernels.soft.neighbours.neighbour_list import pair_room
from dem.kernels.soft.state import Kinds

FAR = 1e30  # slack of pairs without contact [m]


class ExcludedPairs(NamedTuple):
    """X pairs of bodies excluded from contact as long as all bonds on the path between them are intact."""

    # (X,) int32, index of a body; -1 if one of the two is on another rank (``subdomain_step``), too far
    first: np.ndarray
    second: np.ndarray  # (X,) int32, of the other
    row: np.ndarray  # (X,) int64, the pair among `Neighbours.lower`, -1 if it is not there
    slack: np.ndarray  # (X,) [m]; FAR before a bond breaks, zero when they touch as all others do
    over_first: np.ndarray  # (B + 1,) int64: bond k is on the path of the pairs over[over_first[k]] and on
    over: np.ndarray  # int64
    active: np.ndarray  # (X,) int64, pairs whose slack is neither FAR nor zero
    count: np.ndarray  # (1,) int64, their number
    apart_first: np.ndarray  # (N + 1,) int64, partners of body b are apart[apart_first[b]] to apart[apart_first[b + 1]]
    apart: np.ndarray  # (2 X,) int32, indices of these partners


@inline
def centre_of(b, s, bodies, kinds):
    """Centre of sphere s of body b [m]."""
    offset = load(kinds.offset, kinds.first_offset[bodies.kind[b]] + s)
    return add(load(bodies.position, b), rotate(load_quaternion(bodies.orientation, b), offset))


@func
def deepest_of_spheres(kinds, e, excluded, bodies, box):
    """Largest overlap of the spheres of pair e, at least zero [m]."""
    b, c = excluded.first[e], excluded.second[e]
    g, h = bodies.kind[b], bodies.kind[c]
    deep = 0.0
    for i in range(kinds.first_offset[g + 1] - kinds.first_offset[g]):
        x = centre_of(b, i, bodies, kinds)
        for j in range(kinds.first_offset[h + 1] - kinds.first_offset[h]):
            d = minimum_image(box, x, centre_of(c, j, bodies, kinds))
            reach = kinds.radius[kinds.first_offset[g] + i] + kinds.radius[kinds.first_offset[h] + j]
            deep = max(deep, reach - math.sqrt(dot(d, d)))
    return deep


@func
def deepest_of_capsules(kinds, e, excluded, bodies, box):
    """Overlap of the capsules of pair e, at least zero [m]."""
    b, c = excluded.first[e], excluded.second[e]
    x = minimum_image(box, load(bodies.position, b), load(bodies.position, c))
    u, v = half_axis(b, bodies, kinds), half_axis(c, bodies, kinds)
    s, t = closest_parameters(x, u, v)
    d = separation_at(x, u, v, s, t)
    return max(2.0 * mean_radius(b, c, bodies, kinds) - math.sqrt(dot(d, d)), 0.0)


@func
def deepest_of_pieces(kinds, e, excluded, bodies, box):
    """Largest overlap of the pieces of pair e, at least zero [m], with capsules and bodies of several spheres."""
    b, c = excluded.first[e], excluded.second[e]
    g, h, deep = bodies.kind[b], bodies.kind[c], 0.0
    u, v = half_axis(b, bodies, kinds), half_axis(c, bodies, kinds)
    for i in range(pieces_of(b, bodies, kinds)):
        x_i = load(bodies.position, b) if kinds.half[g] > 0.0 else centre_of(b, i, bodies, kinds)
        for j in range(pieces_of(c, bodies, kinds)):
            x_j = load(bodies.position, c) if kinds.half[h] > 0.0 else centre_of(c, j, bodies, kinds)
            x = minimum_image(box, x_i, x_j)
            s, t = closest_parameters(x, u, v)
            d = separation_at(x, u, v, s, t)
            reach = kinds.radius[kinds.first_offset[g] + i] + kinds.radius[kinds.first_offset[h] + j]
            deep = max(deep, reach - math.sqrt(dot(d, d)))
    return deep


@func
def deepest_of_convex(kinds, e, excluded, bodies, box):
    """Largest overlap of the convex pieces of pair e, at least zero [m]."""
    b, c = excluded.first[e], excluded.second[e]
    first_b, first_c, deep = bodies.first_sphere[b], bodies.first_sphere[c], 0.0
    for i in range(first_b, bodies.first_sphere[b + 1]):
        x, body_i = centre_of(b, i - first_b, bodies, kinds), convex_body(i, b, bodies, kinds)
        for j in range(first_c, bodies.first_sphere[c + 1]):
            r = minimum_image(box, x, centre_of(c, j - first_c, bodies, kinds))
            overlap, _, _, _, _, _ = convex_overlap(convex_body(j, c, bodies, kinds), body_i, r, ZERO_VECTOR, 0.0)
            deep = max(deep, overlap)
    return deep


deepest = select(
    "kinds",
    {
        Kinds: deepest_of_spheres, Capsules: deepest_of_capsules, Mixed: deepest_of_pieces,
        ConvexBodyKinds: deepest_of_convex,
    },
)  # fmt: skip


@func
def allow_contact_across_bond(k, excluded, bodies, kinds, box):
    """Allow contact of the pairs whose path contains the broken bond k; their overlap becomes the slack."""
    for n in range(excluded.over_first[k], excluded.over_first[k + 1]):
        e = excluded.over[n]
        if excluded.slack[e] == FAR:
            excluded.slack[e] = deepest(kinds, e, excluded, bodies, box) if excluded.first[e] >= 0 else 0.0
            excluded.active[excluded.count[0]] = e
            excluded.count[0] += 1


@inline
def distance_without_slack(k, bodies, kinds, neighbours):
    """Contact distance of candidate k without its slack: the sum of the radii of both bounding spheres [m]."""
    i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
    r_i = bounding_radius(kinds, row_of(i, bodies.owner[i], bodies, kinds))
    return r_i + bounding_radius(kinds, row_of(j, bodies.owner[j], bodies, kinds))


@func
def write_contact_distance(e, excluded, bodies, kinds, neighbours):
    """Set the contact distances of the candidates of pair e, less its slack."""
    if excluded.row[e] >= 0:
        start, count = unpack(neighbours.candidate_range[excluded.row[e]])
        if has_one_candidate(kinds):
            c = excluded.row[e] // pair_room(neighbours)
            start += c * candidate_room(neighbours) - neighbours.force_at[c]
        for k in range(start, start + count):
            neighbours.contact_distance[k] = distance_without_slack(k, bodies, kinds, neighbours) - excluded.slack[e]


@inline
def slack_of_candidate(k, bodies, kinds, neighbours):
    """Slack of candidate k [m], up to rounding; zero for pairs that touch as all others do."""
    return distance_without_slack(k, bodies, kinds, neighbours) - neighbours.contact_distance[k]


slack_if_brittle = select("brittle", {Lasting: 0.0, Brittle: slack_of_candidate}, handed=False)


@inline
def slack_in_bonds(bonds, k, bodies, kinds, neighbours):
    """Slack of candidate k in a run with bonds [m]."""
    return slack_if_brittle(bonds.form.brittle, k, bodies, kinds, neighbours)


slack_of = select("bonds", {NoBonds: 0.0, object: slack_in_bonds})


@func
def shrink_slack(excluded, bodies, kinds, neighbours, box):
    """Reduce the slack of pairs whose overlap has decreased; remove pairs without slack from the active ones."""
    remaining = 0
    for n in range(excluded.count[0]):
        e = excluded.active[n]
        if excluded.first[e] >= 0:
            excluded.slack[e] = min(excluded.slack[e], deepest(kinds, e, excluded, bodies, box))
            write_contact_distance(e, excluded, bodies, kinds, neighbours)
        excluded.active[remaining] = e
        remaining += 1 if excluded.slack[e] > 0.0 else 0
    excluded.count[0] = remaining


@func
def apply_slack(excluded, bodies, kinds, neighbours):
    """Set the contact distances of all pairs with slack, after candidate pairs have been rebuilt."""
    for e in range(excluded.slack.size):
        if excluded.slack[e] > 0.0:
            write_contact_distance(e, excluded, bodies, kinds, neighbours)


@kernel
def find_pair_rows(first, second, lower, higher, first_pair, count, row):
    """Find the rows of excluded pairs in a new neighbour list.

    first, second: (X,) of `ExcludedPairs`.
    lower, higher, first_pair, count: of `Neighbours`.
    Writes row: (X,).
    """
    for e in range(first.size):
        low, high = min(first[e], second[e]), max(first[e], second[e])
        row[e] = -1
        for b in (low, high):  # a pair is listed with its larger body, or with the first of equal ones
            for p in range(first_pair[b], first_pair[b] + count[b]):
                if lower[p] + higher[p] == low + high:
                    row[e] = p
