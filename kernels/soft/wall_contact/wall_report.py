"""Contacts with walls at the present moment, for reports, and how deep spheres are in walls.

The contacts are those of ``box_contacts`` and ``wall_contacts``, with a `ReportSink`.
"""

import math

import numpy as np
from dem.kernels.compiler.jit import fast_call, func, inline, select
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.numerics.vector import dot
from dem.kernels.soft.contact.capsules import Capsules
from dem.kernels.soft.contact.surface_motion import radius_of
from dem.kernels.soft.fixed_bodies import is_fixed
from dem.kernels.soft.state import Kinds
from dem.kernels.soft.wall_contact import box_contacts, wall_contacts
from dem.kernels.soft.wall_contact.convex_at_walls import find_contacts_of_piece
from dem.kernels.soft.wall_contact.overlap_regions import gradient_of
from dem.kernels.soft.wall_contact.wall_arrays import WalledFaces, acts_on
from dem.kernels.walls.potential_terms import DEEPEST

HERTZ = 1.5  # exponent of overlaps whose sums give the normal


@inline
def all_walls(box, sink, law, b, bodies, kinds):
    """List the contacts of body b with walls, unless it has been removed."""
    if b < bodies.n_active[0]:
        wall_contacts.add_body(sink, law, b, bodies, kinds, box)
        wall_contacts.add_sides(kinds, sink, law, b, bodies, box)


report_walls = select("box", {BoxFaces: None, WalledFaces: all_walls})


@func
def list_walls(sink, law, bodies, kinds, neighbours, box):
    """List the contacts with faces and walls, as `dem.kernels.soft.contact.contact_report.list_contacts` does."""
    for b in range(bodies.kind.size):
        if kinds.fixed and is_fixed(b, bodies.kind, kinds.inverse_mass):
            continue
        rate_face, rate = -1, 0.0
        for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
            _, rate_face, rate = box_contacts.add_sphere(
                sink, law, s, b, rate_face, rate, bodies, kinds, neighbours, box
            )
        report_walls(box, sink, law, b, bodies, kinds)


@inline
def record_deepest(w, s, c, count, box, overlap, wall, normal, n_contacts):
    """Update the deepest contact of sphere s by its `count` contacts with wall w, in the scratch of chunk c.

    Writes overlap, wall, normal, n_contacts: as `measure`.
    """
    n_contacts[s] += count
    for t in range(count):
        if box.walls.contacts[c, t, DEEPEST] > overlap[s]:
            overlap[s], wall[s] = box.walls.contacts[c, t, DEEPEST], w
            total = gradient_of(w, c, t, box)
            size = math.sqrt(dot(total, total))
            for k in range(3):
                normal[k, s] = total[k] / size


@func
def measure_side(kinds, w, b, bodies, box, overlap, wall, normal, n_contacts):
    """Record the overlap of the side of body b with wall w at its second end if that is less deep; as `measure`."""
    if kinds.half[bodies.kind[b]] > 0.0:
        (x, u), radius = wall_contacts.axis_now(b, bodies), kinds.radius[kinds.first_offset[bodies.kind[b]]]
        count = wall_contacts.find_of_side(w, 0, x, u, radius, HERTZ, box)
        record_deepest(w, bodies.first_sphere[b + 1] - 1, 0, count, box, overlap, wall, normal, n_contacts)


side_of = select("kinds", {Kinds: None, Capsules: measure_side})


@fast_call
def measure(bodies, kinds, box, overlap, wall, normal, n_contacts):
    """Measure overlaps of spheres, which have been placed, with walls.

    The bodies may differ from those of the engine: only the scratch of the first chunk is used.
    Writes overlap, wall, normal: (M,), (M,), (3, M) of the deepest contact of each sphere with a wall [m], which one
    that is, and the unit normal from it; negative if there is none. Writes n_contacts: (M,) number of these contacts.
    """
    walls = box.walls
    for b in range(bodies.kind.size):
        first, stop = bodies.first_sphere[b], bodies.first_sphere[b + 1]
        for s in range(first, stop):
            overlap[s], wall[s], n_contacts[s] = -np.inf, 0, 0
        for w in range(walls.material_row.size if b < bodies.n_active[0] else 0):
            if acts_on(w, b, bodies, walls):
                for s in range(first, stop):
                    radius = radius_of(s, b, bodies, kinds)
                    count = find_contacts_of_piece(kinds, w, s, b, 0, radius, HERTZ, bodies, box)
                    record_deepest(w, s, 0, count, box, overlap, wall, normal, n_contacts)
        for w in range(walls.material_row.size if b < bodies.n_active[0] else 0):
            if acts_on(w, b, bodies, walls):
                side_of(kinds, w, b, bodies, box, overlap, wall, normal, n_contacts)
