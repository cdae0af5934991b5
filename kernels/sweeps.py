"""Sweeps over all chunks of bodies: the parts of a time step, one after the other or spread over threads.

A chunk writes only to its own bodies, its own segment of the candidates, and its own row of `partial`. What the chunks
report is then combined in order, and by operations that do not depend on order anyway: integer sums and maxima. So
threads change no bit. Few bodies are better off without threads, whose start costs microseconds; ``Serial`` and
``Threaded`` are types, so that only the kind in use is compiled.
"""

from typing import NamedTuple

import numpy as np
from numba import prange
from numba.extending import overload

from kernels import candidates, contact, motion, neighbours
from kernels.jit import CHOICE, formula, kernel, stage, threaded


class Serial(NamedTuple):
    """One chunk after the other."""


class Threaded(NamedTuple):
    """Chunks spread over numba's threads."""


def by_mode(serial, parallel):
    """Function of (mode, *arguments) that calls one or the other according to the type of the mode."""
    table = {Serial: serial, Threaded: parallel}

    def sweep(mode, *arguments):
        return table[type(mode)](*arguments)

    @overload(sweep, jit_options=CHOICE)
    def compiled(mode, *arguments):
        chosen = table[mode.instance_class]
        return lambda mode, *arguments: chosen(*arguments)

    return sweep


@stage
def predict_chunk(c, scheme, dt, bodies, kinds, lists, partial):
    """Predict, and place what has anything to touch."""
    partial[c, 0], partial[c, 1] = motion.predict(scheme, c, dt, bodies, kinds)
    if bodies.torque.shape[1] > 0:
        contact.place(c, bodies, kinds, lists)


@stage
def evaluate_chunk(c, unit, bodies, lists, partial):
    """Evaluate candidate pairs."""
    partial[c, 0], partial[c, 1] = contact.evaluate(c, bodies, lists, unit)


@stage
def correct_chunk(c, scheme, setting, bodies, kinds, lists, box, partial):
    """Gather the forces and complete the step with them."""
    partial[c, 0], partial[c, 1] = contact.gather(c, bodies, kinds, lists, box, setting.unit)
    gravity = (setting.gravity_x, setting.gravity_y, setting.gravity_z)
    partial[c, 2], partial[c, 3] = motion.correct(
        scheme, c, setting.dt, gravity, setting.datum, setting.unit, bodies, kinds
    )


@stage
def as_float(bits):
    """Float with these bits."""
    return np.int64(bits).view(np.float64)


@stage
def travel_of(dt, partial):
    """How far a sphere may have gone, from the largest squared speed and squared tip displacement."""
    speed, tip = np.int64(0), np.int64(0)
    for c in range(partial.shape[0]):
        speed = max(speed, partial[c, 0])
        tip = max(tip, partial[c, 1])
    return dt * np.sqrt(as_float(speed)) + np.sqrt(as_float(tip))


@stage
def sum_and_largest(partial, first):
    """Sum of one column of partial results, largest of the next as float."""
    total, largest = np.int64(0), np.int64(0)
    for c in range(partial.shape[0]):
        total += partial[c, first]
        largest = max(largest, partial[c, first + 1])
    return total, as_float(largest)


@stage
def totals(partial):
    """Elastic energy of walls, largest overlap with them, energy of motion, largest angular speed."""
    elastic, overlap = sum_and_largest(partial, 0)
    moving, fastest = sum_and_largest(partial, 2)
    return elastic, overlap, moving, np.sqrt(fastest)


@formula
def predict_serial(scheme, dt, bodies, kinds, lists, partial):
    """Predict all bodies; returns how far any sphere may have gone."""
    for c in range(partial.shape[0]):
        predict_chunk(c, scheme, dt, bodies, kinds, lists, partial)
    return travel_of(dt, partial)


@threaded
def predict_threaded(scheme, dt, bodies, kinds, lists, partial):
    """The same by threads."""
    for c in prange(partial.shape[0]):
        predict_chunk(c, scheme, dt, bodies, kinds, lists, partial)
    return travel_of(dt, partial)


@formula
def evaluate_serial(unit, bodies, lists, partial):
    """Evaluate all candidate pairs; returns elastic energy and largest overlap."""
    for c in range(partial.shape[0]):
        evaluate_chunk(c, unit, bodies, lists, partial)
    return sum_and_largest(partial, 0)


@threaded
def evaluate_threaded(unit, bodies, lists, partial):
    """The same by threads."""
    for c in prange(partial.shape[0]):
        evaluate_chunk(c, unit, bodies, lists, partial)
    return sum_and_largest(partial, 0)


@formula
def correct_serial(scheme, setting, bodies, kinds, lists, box, partial):
    """Gather all forces and complete the step; returns `totals`."""
    for c in range(partial.shape[0]):
        correct_chunk(c, scheme, setting, bodies, kinds, lists, box, partial)
    return totals(partial)


@threaded
def correct_threaded(scheme, setting, bodies, kinds, lists, box, partial):
    """The same by threads."""
    for c in prange(partial.shape[0]):
        correct_chunk(c, scheme, setting, bodies, kinds, lists, box, partial)
    return totals(partial)


@kernel
def pick_serial(skin, bodies, kinds, lists, box):
    """Pick the candidates of all bodies; False, and nothing to rely on, if a chunk wants more room."""
    for c in range(lists.pairs.size):
        contact.place_all(c, bodies, kinds)
    for c in range(lists.pairs.size):
        candidates.pick(c, skin, bodies, kinds, lists)
    fits = candidates.has_room(lists)
    if fits:
        for c in range(lists.pairs.size):
            candidates.list_incident(c, skin, bodies, kinds, lists, box)
    return fits


@threaded
def pick_threaded(skin, bodies, kinds, lists, box):
    """The same by threads."""
    for c in prange(lists.pairs.size):
        contact.place_all(c, bodies, kinds)
    for c in prange(lists.pairs.size):
        candidates.pick(c, skin, bodies, kinds, lists)
    fits = candidates.has_room(lists)
    if fits:
        for c in prange(lists.pairs.size):
            candidates.list_incident(c, skin, bodies, kinds, lists, box)
    return fits


@kernel
def search_serial(skin, grid, cell, cell_first, bodies, kinds, lists, wanted):
    """List the pairs of all bodies, and the room that each chunk wants."""
    for c in range(wanted.size):
        wanted[c] = neighbours.search(c, skin, grid, cell, cell_first, bodies, kinds, lists)


@threaded
def search_threaded(skin, grid, cell, cell_first, bodies, kinds, lists, wanted):
    """The same by threads."""
    for c in prange(wanted.size):
        wanted[c] = neighbours.search(c, skin, grid, cell, cell_first, bodies, kinds, lists)


search = by_mode(search_serial, search_threaded)
predict = by_mode(predict_serial, predict_threaded)
evaluate = by_mode(evaluate_serial, evaluate_threaded)
correct = by_mode(correct_serial, correct_threaded)
pick = by_mode(pick_serial, pick_threaded)
