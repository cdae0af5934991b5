"""What the contacts of capsules come to, by body."""

from kernels.base.jit import formula
from kernels.base.memory import add_four
from kernels.base.vector import store
from kernels.soft.candidates import unpack
from kernels.soft.capsule_blocks import ON_I, ON_J
from kernels.soft.chunks import CHUNK
from kernels.soft.touching import LINE


@formula
def add_wrench(second, r, wrench, sums):
    """Add the force of row r and its torque to the sums of a body that is the first of its pair, or the second."""
    add_four(sums, 0, wrench, r, 0, -1.0 if second else 1.0)
    add_four(sums, ON_I, wrench, r, ON_J if second else ON_I, 1.0)


@formula
def end(b, sums, bodies):
    """Have them as those of body b."""
    store(bodies.force, b, (sums[0], sums[1], sums[2]))
    store(bodies.torque, b, (sums[ON_I], sums[ON_I + 1], sums[ON_I + 2]))


@formula
def gather_capsules(kinds, law, b, e, bodies, neighbours, box):
    """Force and torque of the candidate pairs on body b, whose incident pairs begin at e; returns their end.

    In one loop, first those in which it is the second: most bodies have one or two, and the processor guesses the end
    of one loop right more often than those of two.

    Parameters
    ----------
    kinds, law, b, neighbours, box : see `kernels.soft.state`
    e : first incident pair

    Writes
    ------
    bodies.force, bodies.torque : of body b [N, N m]
    neighbours.out : scratch
    """
    sums = neighbours.out[neighbours.block_of[b // CHUNK], 0]
    for r in range(LINE):
        sums[r] = 0.0
    middle = e + neighbours.incident_j[b]
    stop = middle + neighbours.incident_i[b]
    for n in range(e, stop):
        add_wrench(n < middle, neighbours.row[neighbours.incident[n]], neighbours.wrench, sums)
    end(b, sums, bodies)
    return stop


@formula
def gather_pieces(kinds, law, b, e, bodies, neighbours, box):
    """The same where pairs of bodies may have several candidates, and incident are pairs.

    Parameters
    ----------
    kinds, law, b, e, neighbours, box : see `gather_capsules`

    Writes
    ------
    bodies.force, bodies.torque : of body b [N, N m]
    neighbours.out : scratch
    """
    sums = neighbours.out[neighbours.block_of[b // CHUNK], 0]
    for r in range(LINE):
        sums[r] = 0.0
    middle = e + neighbours.incident_j[b]
    stop = middle + neighbours.incident_i[b]
    for n in range(e, stop):
        first, number = unpack(neighbours.packed[neighbours.incident[n]])
        for k in range(first, first + number):
            add_wrench(n < middle, neighbours.row[k], neighbours.wrench, sums)
    end(b, sums, bodies)
    return stop
