"""What the contacts of capsules come to, by body."""

from kernels.base.jit import formula, loop
from kernels.base.memory import add_four
from kernels.soft.candidates import GROUP, unpack
from kernels.soft.capsule_blocks import ON_I, ON_J
from kernels.soft.touching import clear, hand_over


@formula
def add_wrench(second, r, wrench, sums):
    """Add the force of row r and its torque to the sums of a body that is the first of its pair, or the second."""
    add_four(sums, 0, wrench, r, 0, -1.0 if second else 1.0)
    add_four(sums, ON_I, wrench, r, ON_J if second else ON_I, 1.0)


@loop
def sum_capsules(active, e, incident_j, incident_i, incident, row, wrench, sums, force, torque):
    """Force and torque of the candidate pairs on bodies, which have one candidate a pair of bodies.

    In one loop, first those in which a body is the second, and in whole groups, filled up with a row that is always
    zero: the processor guesses their number right more often than that of pairs on either side.

    Parameters
    ----------
    active, e : (n,) bodies; first incident pair of the first of them
    incident_j, incident_i, incident, row, wrench : of `Neighbours`

    Writes
    ------
    force, torque : (3, N) of these bodies, world frame [N, N m]
    sums : (8,) or longer, scratch
    """
    for a in range(active.size):
        b = active[a]
        clear(sums)
        middle = e + incident_j[b]
        stop = middle + incident_i[b]
        while e < stop:
            for m in range(GROUP):
                add_wrench(e + m < middle, row[incident[e + m]], wrench, sums)
            e += GROUP
        hand_over(sums, b, force, torque)


@loop
def sum_pieces(active, e, incident_j, incident_i, incident, packed, row, wrench, sums, force, torque):
    """The same where pairs of bodies may have several candidates, and incident are pairs.

    Parameters
    ----------
    active, e, incident_j, incident_i, incident, row, wrench : see `sum_capsules`
    packed : of `Neighbours`

    Writes
    ------
    force, torque, sums : as `sum_capsules`
    """
    for a in range(active.size):
        b = active[a]
        clear(sums)
        middle = e + incident_j[b]
        stop = middle + incident_i[b]
        for n in range(e, stop):
            first, number = unpack(packed[incident[n]])
            for k in range(first, first + number):
                add_wrench(n < middle, row[k], wrench, sums)
        e = stop
        hand_over(sums, b, force, torque)


@formula
def gather_capsules(kinds, law, c, active, e, bodies, neighbours, box):
    """Force and torque of the candidate pairs on bodies of chunk c, whose incident pairs begin at e.

    Parameters
    ----------
    kinds, law, c, neighbours, box : see `kernels.soft.state`
    active, e : (n,) the bodies; first incident pair

    Writes
    ------
    bodies.force, bodies.torque : of these bodies [N, N m]
    """
    sum_capsules(
        active, e, neighbours.incident_j, neighbours.incident_i, neighbours.incident, neighbours.row, neighbours.wrench,
        neighbours.out[neighbours.block_of[c]], bodies.force, bodies.torque,
    )  # fmt: skip


@formula
def gather_pieces(kinds, law, c, active, e, bodies, neighbours, box):
    """The same where pairs of bodies may have several candidates, and incident are pairs.

    Parameters
    ----------
    kinds, law, c, active, e, neighbours, box : see `gather_capsules`

    Writes
    ------
    bodies.force, bodies.torque : of these bodies [N, N m]
    """
    sum_pieces(
        active, e, neighbours.incident_j, neighbours.incident_i, neighbours.incident, neighbours.packed, neighbours.row,
        neighbours.wrench, neighbours.out[neighbours.block_of[c]], bodies.force, bodies.torque,
    )  # fmt: skip
