"""Priority queue of the next event of every particle: an indexed heap with four children a node.

Williams, Comm. ACM 7 (1964) 347; Rapaport, J. Comput. Phys. 34 (1980) 184 for its use here. Every particle is in it
once, so changing a particle's event costs at most log₄ N levels. Events at the same time go by particle number.
Four children share a cache line, and halve the levels.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline


class EventQueue(NamedTuple):
    """Heap of N events."""

    time: np.ndarray  # (N,) [s] of the event in each slot of the heap
    particle: np.ndarray  # (N,) its particle
    slot: np.ndarray  # (N,) of each particle


@inline
def before(time, i, other_time, j):
    """Whether the event of particle i comes before that of particle j."""
    return time < other_time or (time == other_time and i < j)


@inline
def put(agenda, slot, time, i):
    """Write the event of particle i to a slot of the heap."""
    agenda.time[slot] = time
    agenda.particle[slot] = i
    agenda.slot[i] = slot


@inline
def soonest_child(agenda, slot):
    """Slot of the child with the soonest event; -1 if a slot has no children."""
    low = 4 * slot + 1
    n = agenda.time.size
    if low >= n:
        return -1
    best = low
    for child in range(low + 1, min(low + 4, n)):
        if before(agenda.time[child], agenda.particle[child], agenda.time[best], agenda.particle[best]):
            best = child
    return best


@func
def reschedule(agenda, i, time):
    """Set the time of the event of particle i and restore the order of the heap."""
    slot = agenda.slot[i]
    while slot > 0:
        parent = (slot - 1) >> 2
        if not before(time, i, agenda.time[parent], agenda.particle[parent]):
            break
        put(agenda, slot, agenda.time[parent], agenda.particle[parent])
        slot = parent
    child = soonest_child(agenda, slot)
    while child >= 0 and before(agenda.time[child], agenda.particle[child], time, i):
        put(agenda, slot, agenda.time[child], agenda.particle[child])
        slot = child
        child = soonest_child(agenda, slot)
    put(agenda, slot, time, i)


@func
def clear(agenda):
    """Set the time of all events to infinity."""
    for i in range(agenda.time.size):
        put(agenda, i, np.inf, i)
