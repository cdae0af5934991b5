"""What contacts come to by body, where each has a row with torques on both: capsules, and bodies of several spheres."""

from kernels.base.jit import formula, loop
from kernels.base.memory import add_eight
from kernels.soft.candidates import GROUP
from kernels.soft.touching import FORCE_J, clear, hand_over


@loop
def sum_rows(active, e, incident_j, incident_i, incident, row, wrench, sums, force, torque):
    """Force and torque of the candidate pairs on bodies.

    In one loop, first those in which a body is the second, and in whole groups, filled up with a row that is always
    zero: the processor guesses their number right more often than that of pairs on either side.

    Parameters
    ----------
    active, e : (n,) bodies; first incident candidate of the first of them
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
                add_eight(sums, wrench, row[incident[e + m]], FORCE_J if e + m < middle else 0)
            e += GROUP
        hand_over(sums, b, force, torque)


@formula
def gather_rows(law, c, active, e, bodies, neighbours, box):
    """Force and torque of the candidate pairs on bodies of chunk c, whose incident candidates begin at e.

    Parameters
    ----------
    law, c, active, e, neighbours, box : see `gather_capsules`

    Writes
    ------
    bodies.force, bodies.torque : of these bodies [N, N m]
    """
    sum_rows(
        active, e, neighbours.incident_j, neighbours.incident_i, neighbours.incident, neighbours.row, neighbours.wrench,
        neighbours.out[neighbours.block_of[c]], bodies.force, bodies.torque,
    )  # fmt: skip


@formula
def gather_capsules(kinds, law, c, active, e, bodies, neighbours, box):
    """As `gather_rows`, of capsules.

    Parameters
    ----------
    kinds, law, c, neighbours, box : see `kernels.soft.state`
    active, e : (n,) the bodies; first incident candidate

    Writes
    ------
    bodies.force, bodies.torque : of these bodies [N, N m]
    """
    gather_rows(law, c, active, e, bodies, neighbours, box)
