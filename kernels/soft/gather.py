"""Forces and torques on bodies: what their candidate pairs came to, see ``contact``."""

from kernels import laws
from kernels.base.jit import formula, loop
from kernels.base.memory import add_eight, add_four, turn_four
from kernels.base.vector import add, add_scaled, cross, load, store, subtract
from kernels.box.periodic import gap
from kernels.soft.candidates import GROUP, first_incident, unpack
from kernels.soft.capsule_sums import gather_capsules, gather_pieces
from kernels.soft.capsules import capsules_or
from kernels.soft.chunks import CHUNK, chunk_of
from kernels.soft.touching import BELOW, below_of, clear, couple_of, force_of, hand_over, on_j


@formula
def gather_pairs(law, c, shift, bodies, kinds, neighbours, box):
    """Sum pair forces and their torques for the bodies of chunk c; that of body b goes to column b - shift."""
    low, high = chunk_of(c, bodies.kind.size)
    e = first_incident(low, neighbours.first_entry)
    if not kinds.round:
        active = neighbours.active[low : low + neighbours.active_count[c]]
        gather_bodies(kinds, law, c, active, e, bodies, neighbours, box)
    else:
        gather_spheres(law, low, high, shift, e, bodies, kinds, neighbours, box)


@loop
def gather_round(low, high, shift, e, incident_j, incident_i, incident, pair_force, force):
    """Force of the candidate pairs on bodies that are one sphere: one candidate a pair, no torque.

    In whole groups, filled up with a candidate that is always zero: the processor guesses the number of groups right
    more often than that of pairs. Bodies without a wrong guess take 7 ns, with one 10.

    Parameters
    ----------
    low, high, shift : bodies, and how far before them their columns of `force` are
    e : first incident pair of body low
    incident_j, incident_i, incident, pair_force : of `Neighbours`

    Writes
    ------
    force : (3, N) world frame [N]
    """
    for b in range(low, high):
        f = (0.0, 0.0, 0.0)
        middle = e + incident_j[b]
        stop = middle + incident_i[b]
        while e < middle:
            for m in range(GROUP):
                f = subtract(f, load(pair_force, incident[e + m]))
            e += GROUP
        while e < stop:
            for m in range(GROUP):
                f = add(f, load(pair_force, incident[e + m]))
            e += GROUP
        store(force, b - shift, f)


@formula
def gather_elastic(law, low, high, shift, e, bodies, kinds, neighbours, box):
    """Force on single spheres.

    Parameters
    ----------
    law, low, high, shift, e, neighbours : see `gather_round`
    kinds, box : not looked at

    Writes
    ------
    bodies.force : (3, N) world frame [N]
    """
    gather_round(
        low, high, shift, e, neighbours.incident_j, neighbours.incident_i, neighbours.incident, neighbours.pair_force,
        bodies.force,
    )  # fmt: skip


@formula
def gather_dissipative(law, low, high, shift, e, bodies, kinds, neighbours, box):
    """Force on single spheres by a law that needs velocities, and torque if they turn.

    Parameters
    ----------
    law : see `kernels.soft.state`
    low, high, shift, e, neighbours : see `gather_wrenches`
    kinds, box : see `kernels.soft.state`

    Writes
    ------
    bodies.force, bodies.torque : (3, N) world frame [N, N m]
    """
    sums = neighbours.out[neighbours.block_of[low // CHUNK]]
    if kinds.reach > 0.0 and not laws.turns(law):
        gather_alike(
            low, high, shift, e, neighbours.incident_j, neighbours.incident_i, neighbours.incident, neighbours.row,
            neighbours.wrench, sums, bodies.force, bodies.torque,
        )  # fmt: skip
    else:
        gather_wrenches(
            low, high, shift, e, on_j(neighbours.wrench), neighbours.incident_j, neighbours.incident_i,
            neighbours.incident, neighbours.row, neighbours.wrench, sums, bodies.force, bodies.torque,
        )  # fmt: skip


gather_spheres = laws.elastic_or(gather_elastic, gather_dissipative)


@loop
def gather_alike(low, high, shift, e, incident_j, incident_i, incident, row, wrench, sums, force, torque):
    """Force and torque of the candidate pairs on spheres that are alike: rows of wrenches as they are, in groups.

    A pair's torque is the same on both, and its force the opposite: those on sides j are turned round once for all.

    Parameters
    ----------
    low, high, shift, e, incident_j, incident_i, incident : see `gather_round`
    row, wrench : of `Neighbours`

    Writes
    ------
    force, torque : (3, N) world frame [N, N m]; the latter may be empty
    sums : (8,) or longer, scratch
    """
    for b in range(low, high):
        clear(sums)
        middle = e + incident_j[b]
        stop = middle + incident_i[b]
        while e < middle:
            for m in range(GROUP):
                add_eight(sums, wrench, row[incident[e + m]])
            e += GROUP
        turn_four(sums)
        while e < stop:
            for m in range(GROUP):
                add_eight(sums, wrench, row[incident[e + m]])
            e += GROUP
        hand_over(sums, b - shift, force, torque)


@loop
def gather_wrenches(low, high, shift, e, other, incident_j, incident_i, incident, row, wrench, sums, force, torque):
    """The same on single spheres that are not alike, or with couples.

    Parameters
    ----------
    low, high, shift, e, incident_j, incident_i, incident : see `gather_round`
    other : column that the torques on spheres j are from
    row, wrench : of `Neighbours`

    Writes
    ------
    force, torque : (3, N) world frame [N, N m]; the latter may be empty
    sums : (8,) or longer, scratch
    """
    for b in range(low, high):
        clear(sums)
        middle = e + incident_j[b]
        stop = middle + incident_i[b]
        while e < middle:
            add_group(-1.0, e, other, incident, row, wrench, sums)
            e += GROUP
        while e < stop:
            add_group(1.0, e, BELOW, incident, row, wrench, sums)
            e += GROUP
        hand_over(sums, b - shift, force, torque)


@formula
def add_group(sign, e, below, incident, row, wrench, sums):
    """Add the wrenches of a group of candidates to the sums of a body that is on side i, sign 1, or j, sign -1."""
    for m in range(GROUP):
        k = row[incident[e + m]]
        add_four(sums, 0, wrench, k, 0, sign)
        add_four(sums, BELOW, wrench, k, below, 1.0)


@formula
def gather_candidates(kinds, law, c, active, e, bodies, neighbours, box):
    """Force and torque of the candidate pairs on bodies of chunk c, whose incident pairs begin at e.

    Parameters
    ----------
    kinds, law, c, active, e, neighbours, box : see `kernels.soft.capsule_sums.gather_capsules`

    Writes
    ------
    bodies.force, bodies.torque : of these bodies [N, N m]
    """
    for a in range(active.size):
        e = gather_body(law, active[a], e, bodies, neighbours, box)


@formula
def gather_body(law, b, e, bodies, neighbours, box):
    """The same on body b; returns where the incident pairs of the next one begin.

    Parameters
    ----------
    law, neighbours, box : see `kernels.soft.state`
    b, e : body, first incident pair

    Writes
    ------
    bodies.force, bodies.torque : of body b [N, N m]
    """
    x = load(bodies.position, b)
    f = (0.0, 0.0, 0.0)
    t = (0.0, 0.0, 0.0)
    middle = e + neighbours.incident_j[b]
    stop = middle + neighbours.incident_i[b]
    for n in range(e, stop):
        start, number = unpack(neighbours.packed[neighbours.incident[n]])
        sphere = neighbours.sphere_j if n < middle else neighbours.sphere_i
        sign = -1.0 if n < middle else 1.0
        for k in range(start, start + number):
            f_k, point = force_at_point(law, k, sphere[k], bodies, neighbours)
            f = add_scaled(f, sign, f_k)
            t = add_scaled(t, sign, cross(gap(box, point, x), f_k))
            t = turned(law, t, sign, k, neighbours)
    store(bodies.force, b, f)
    store(bodies.torque, b, t)
    return stop


gather_bodies = capsules_or(gather_candidates, gather_capsules, gather_pieces)


@formula
def at_centre(law, k, sphere, bodies, neighbours):
    """Force of candidate k, along the line of centres, so that the lever arm may end at the sphere's own centre."""
    return load(neighbours.pair_force, k), load(bodies.sphere_position, sphere)


@formula
def at_contact(law, k, sphere, bodies, neighbours):
    """Force of candidate k, and the point of contact."""
    r = neighbours.row[k]
    return force_of(neighbours.wrench, r), below_of(neighbours.wrench, r)


force_at_point = laws.elastic_or(at_centre, at_contact)


@formula
def not_turned(law, torque, sign, k, neighbours):
    """Elastic contacts have no couples."""
    return torque


@formula
def with_couple(law, torque, sign, k, neighbours):
    """A torque, and the couple of candidate k if contacts have any."""
    return add_scaled(torque, sign, couple_of(law, neighbours.wrench, neighbours.row[k])) if laws.turns(law) else torque


turned = laws.elastic_or(not_turned, with_couple)
