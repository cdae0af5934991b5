"""What the contacts of capsules come to, by body."""

from kernels.base.jit import formula
from kernels.base.vector import add, store, subtract
from kernels.soft.capsule_blocks import ON_I, ON_J


@formula
def row(wrench, k, at):
    """A vector of row k."""
    return wrench[k, at], wrench[k, at + 1], wrench[k, at + 2]


@formula
def gather_capsules(kinds, law, b, e, bodies, neighbours, box):
    """Force and torque of the candidate pairs on body b, whose incident pairs begin at e; returns their end.

    Parameters
    ----------
    kinds, law, b, neighbours, box : see `kernels.soft.state`
    e : first incident pair

    Writes
    ------
    bodies.force, bodies.torque : of body b [N, N m]
    """
    wrench = neighbours.wrench
    f = t = (0.0, 0.0, 0.0)
    middle = e + neighbours.incident_j[b]
    stop = middle + neighbours.incident_i[b]
    for n in range(e, middle):
        k = neighbours.incident[n]
        f, t = subtract(f, row(wrench, k, 0)), add(t, row(wrench, k, ON_J))
    for n in range(middle, stop):
        k = neighbours.incident[n]
        f, t = add(f, row(wrench, k, 0)), add(t, row(wrench, k, ON_I))
    store(bodies.force, b, f)
    store(bodies.torque, b, t)
    return stop
