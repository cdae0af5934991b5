"""Contacts with walls of any shape one by one, for who looks at them; see ``contact_report`` and ``wall_contacts``."""

import numpy as np
from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, kernel
from dem.kernels.laws.merged_contacts import exponent
from dem.kernels.numerics.vector import load, scale, subtract
from dem.kernels.soft.contact.report_row import write
from dem.kernels.soft.contact.surface_motion import radius_of
from dem.kernels.soft.fixed import is_fixed
from dem.kernels.soft.wall_contact import (
    capsule_sides_report,
    overlap_regions,
    rough_walls,
    wall_contacts,
    wall_history,
)
from dem.kernels.soft.wall_contact.wall_arrays import acts_on, bare_or
from dem.kernels.soft.wall_contact.wall_kinematics import encounter

FACES = 6  # of a box, whose numbers come before those of walls


@inline
def elastic_now(law, w, s, b, t, overlap, normal, rate, found, history, half, bodies, kinds, box):
    """Hertz's force of a wall, as it is summed over its pieces.

    Parameters
    ----------
    law, w, s, b, t, overlap, normal, rate, found, history, half, bodies, kinds, box : see `dissipative_now`

    Returns
    -------
    as `dissipative_now`
    """
    touch, x, _ = encounter(w, s, b, overlap, normal, bodies, kinds, box)
    return touch, x, scale(touch.stiffness, overlap_regions.sum_of(w, 0, t, box)), 0.0


@inline
def dissipative_now(law, w, s, b, t, overlap, normal, rate, found, history, half, bodies, kinds, box):
    """Force of a wall by a law that needs velocities, at the time of what the contact remembers.

    Parameters
    ----------
    law, w, s, b, overlap, normal, half, bodies, kinds, box : see `kernels.soft.wall_contact.wall_kinematics.encounter`
    t, rate, found, history : tree; ω² that is shared, or 0 [1/s²]; contacts remembered, and what they remember

    Returns
    -------
    `laws.Touch`, point [m], force [N], energy taken up besides the elastic one [W]
    """
    touch, x, _ = encounter(w, s, b, overlap, normal, bodies, kinds, box)
    m, row = kinds.material[bodies.kind[b]], box.walls.contact_slot[w]
    if rate > 0.0:
        touch = wall_contacts.of_mass(touch, laws.secant(law, m, row, touch, history, half) / rate)
    outcome = laws.contact(law, m, row, touch, history, half, -1.0)[0]
    return touch, x, outcome.force, outcome.loss / half


@inline
def no_memory(law, w, t, count, box):
    """Elastic contacts remember nothing."""
    return (), 0


@inline
def memory(law, w, t, count, box):
    """What a contact remembers."""
    return wall_history.recall(law, 0, w, t, count, box.walls.trees[0], box.walls)


@inline
def no_rate(law, w, b, half, bodies, kinds, box):
    """Elastic contacts are not damped."""
    return 0.0


@inline
def rate(law, w, b, half, bodies, kinds, box):
    """ω² of a body at a wall."""
    return wall_contacts.rate_at_wall(law, 0, w, b, half, bodies, kinds, box) if laws.shares_damping(law) else 0.0


@inline
def no_range(law, w, radius, walls):
    """Elastic contacts end where surfaces part."""
    return 0.0


@inline
def elastic_region(law, w, t, count, radius, power, box):
    """Overlap with a tree, and the normal."""
    total = overlap_regions.sum_of(w, 0, t, box)
    size = np.sqrt(total[0] * total[0] + total[1] * total[1] + total[2] * total[2])
    return box.walls.trees[0, t, overlap_regions.DEEPEST], scale(1.0 / size, total)


@inline
def any_region(law, w, t, count, radius, power, box):
    """The same of other laws, with the plane that a rough wall showed last."""
    walls = box.walls
    overlap, normal = overlap_regions.region(w, 0, t, overlap_regions.beyond_of(law, w, radius, walls), power, box)
    k = wall_history.first_heir(0, w, t, count, walls) if rough_walls.is_rough(walls.rough, w) else -1
    return rough_walls.last_seen(walls.rough, w, k, overlap, normal, radius, box)


force_now = laws.elastic_or(elastic_now, dissipative_now)
memory_now = laws.elastic_or(no_memory, memory)
rate_now = laws.elastic_or(no_rate, rate)
range_now = laws.elastic_or(no_range, overlap_regions.beyond_of)
region_now = laws.elastic_or(elastic_region, any_region)


@inline
def list_none(box, n, law, half, bodies, kinds, who, what):
    """Where there are no walls but faces.

    Parameters
    ----------
    box, n, law, half, bodies, kinds, who, what : see `list_all`

    Returns
    -------
    n
    """
    return n


@func
def list_all(box, n, law, half, bodies, kinds, who, what):
    """List the contacts with walls after n others; returns the number of all.

    Parameters
    ----------
    box, n, law, half, bodies, kinds : see `dem.kernels.soft.contact.contact_report.list_contacts`

    Writes
    ------
    who, what : as `dem.kernels.soft.contact.contact_report.list_contacts`
    """
    walls = box.walls
    for b in range(bodies.n_active[0]):
        if kinds.fixed and is_fixed(b, bodies.kind, kinds.inverse_mass):
            continue
        m = kinds.material[bodies.kind[b]]
        for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
            radius, x = radius_of(s, b, bodies, kinds), load(bodies.sphere_position, s)
            for w in range(walls.contact_slot.size):
                if not acts_on(w, b, bodies, walls):
                    continue
                p, together = exponent(law, m, walls.contact_slot[w]), rate_now(law, w, b, half, bodies, kinds, box)
                wall_history.look_up(0, s, walls)
                count = overlap_regions.trees_of(w, 0, x, radius + range_now(law, w, radius, walls), p, box)
                for t in range(count):
                    overlap, normal = region_now(law, w, t, count, radius, p, box)
                    history, found = memory_now(law, w, t, count, box)
                    if overlap > 0.0 or found > 0:
                        touch, point, force, loss = force_now(
                            law, w, s, b, t, overlap, normal, together, found, history, half, bodies, kinds, box
                        )
                        arm = subtract(point, load(bodies.position, b))
                        branch, identity = scale(-1.0, arm), bodies.identity[b]
                        of_b, partner = s - bodies.first_sphere[b], -1 - FACES - w
                        write(n, identity, partner, of_b, 0, touch, force, loss, arm, branch, who, what)
                        n += 1
        n = capsule_sides_report.listed(kinds, n, law, b, half, bodies, box, who, what)
    return n


list_obstacles = bare_or(list_none, list_all)


@kernel
def measure(bodies, kinds, box, overlap, wall, normal, number):
    """How deep spheres, which have been placed, are in walls.

    Parameters
    ----------
    bodies, kinds, box : see `dem.kernels.soft.state`

    Writes
    ------
    overlap, wall, normal : (M,), (M,), (3, M) of the deepest contact of each sphere with a wall [m], which one that is,
        and the unit normal from it; negative where there is none
    number : (M,) of its contacts with walls
    """
    walls = box.walls
    for b in range(bodies.kind.size):
        for s in range(bodies.first_sphere[b], bodies.first_sphere[b + 1]):
            x, radius = load(bodies.sphere_position, s), radius_of(s, b, bodies, kinds)
            overlap[s], wall[s], number[s] = -np.inf, 0, 0
            for w in range(walls.contact_slot.size if b < bodies.n_active[0] else 0):
                count = overlap_regions.trees_of(w, 0, x, radius, 1.5, box) if acts_on(w, b, bodies, walls) else 0
                number[s] += count
                for t in range(count):
                    if walls.trees[0, t, overlap_regions.DEEPEST] > overlap[s]:
                        overlap[s], wall[s] = walls.trees[0, t, overlap_regions.DEEPEST], w
                        total = overlap_regions.sum_of(w, 0, t, box)
                        size = np.sqrt(total[0] * total[0] + total[1] * total[1] + total[2] * total[2])
                        for k in range(3):
                            normal[k, s] = total[k] / size
        capsule_sides_report.measure(kinds, b, bodies, box, overlap, wall, normal, number)
