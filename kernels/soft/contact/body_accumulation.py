"""What contacts come to by body, where each has a row with torques on both: capsules, and bodies of several spheres."""

from dem.kernels.compiler.jit import inline, vector_loop
from dem.kernels.simd.memory import add_eight
from dem.kernels.soft.contact.contact_detection import FORCE_J, clear, write_force_torque
from dem.kernels.soft.neighbours.candidate_pairs import GROUP


@vector_loop
def sum_rows(active, e, count_as_second, count_as_first, incident, row, force_torque, sums, force, torque):
    """Force and torque of the candidate pairs on bodies.

    In one loop, first those in which a body is the second, and in whole groups, filled up with a row that is always
    zero: the processor guesses their number right more often than that of pairs on either side.

    Parameters
    ----------
    active, e : (n,) bodies; first incident candidate of the first of them
    count_as_second, count_as_first, incident, row, force_torque : of `Neighbours`

    Writes
    ------
    force, torque : (3, N) of these bodies, world frame [N, N m]
    sums : (8,) or longer, scratch
    """
    for a in range(active.size):
        b = active[a]
        clear(sums)
        middle = e + count_as_second[b]
        stop = middle + count_as_first[b]
        while e < stop:
            for m in range(GROUP):
                add_eight(sums, force_torque, row[incident[e + m]], FORCE_J if e + m < middle else 0)
            e += GROUP
        write_force_torque(sums, b, force, torque)


@inline
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
        active, e, neighbours.count_as_second, neighbours.count_as_first, neighbours.pairs_of_body,
        neighbours.contact_slot, neighbours.force_torque,
        neighbours.batch_forces[neighbours.block_of[c]], bodies.force, bodies.torque,
    )  # fmt: skip


@inline
def gather_capsules(kinds, law, c, active, e, bodies, neighbours, box):
    """Sum the forces and torques of the candidate pairs on the capsules of chunk c.

    Parameters
    ----------
    kinds, law, c, neighbours, box : see `dem.kernels.soft.state`
    active, e : (n,) the bodies; first incident candidate

    Writes
    ------
    bodies.force, bodies.torque : of these bodies [N, N m]
    """
    gather_rows(law, c, active, e, bodies, neighbours, box)
