"""What the contacts of capsules come to, by body."""

from kernels.base.jit import formula
from kernels.base.vector import add, scale, store
from kernels.soft.candidates import unpack
from kernels.soft.capsule_blocks import ON_I, ON_J


@formula
def row(wrench, k, at):
    """A vector of row k."""
    return wrench[k, at], wrench[k, at + 1], wrench[k, at + 2]


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
    """
    body, wrench = b, neighbours.wrench
    f = t = (0.0, 0.0, 0.0)
    middle = e + neighbours.incident_j[body]
    stop = middle + neighbours.incident_i[body]
    for n in range(e, stop):
        k, second = neighbours.incident[n], n < middle
        f = add(f, scale(-1.0 if second else 1.0, row(wrench, k, 0)))
        t = add(t, row(wrench, k, ON_J if second else ON_I))
    store(bodies.force, body, f)
    store(bodies.torque, body, t)
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
    """
    wrench = neighbours.wrench
    f = t = (0.0, 0.0, 0.0)
    middle = e + neighbours.incident_j[b]
    stop = middle + neighbours.incident_i[b]
    for n in range(e, stop):
        first, number = unpack(neighbours.packed[neighbours.incident[n]])
        for k in range(first, first + number):
            f = add(f, scale(-1.0 if n < middle else 1.0, row(wrench, k, 0)))
            t = add(t, row(wrench, k, ON_J if n < middle else ON_I))
    store(bodies.force, b, f)
    store(bodies.torque, b, t)
    return stop
