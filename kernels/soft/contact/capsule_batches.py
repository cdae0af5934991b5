"""Pairs of capsules evaluated, many contacts at a time: gather, evaluate, scatter.

A pair of bodies has one candidate, one row of `Neighbours.force_torque` and one of what it remembers: in turn that of
each of its contacts, and behind it, as bits, which of them remember anything. So what friction remembers of nearly
parallel capsules belongs to their ends, and not to a point that wanders. A row of force_torque has the force on the
first body and the torques on both. A contact is evaluated as if it counted wholly, and what comes out is multiplied by
its weight.
"""

import numpy as np
from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, vector_loop
from dem.kernels.laws import hertz
from dem.kernels.numerics.energy import add_words, as_fixed, as_words
from dem.kernels.numerics.float_bits import bits_of_float
from dem.kernels.numerics.vector import add, scale
from dem.kernels.soft.chunks import first_candidate
from dem.kernels.soft.contact.batch_evaluation import FORCE, LASTS, put_torques, torques_of
from dem.kernels.soft.contact.batch_kinematics import NORMAL, OVERLAP, STIFFNESS, flat, get, put, touch_of
from dem.kernels.soft.contact.capsule_batch_kinematics import VOID, compute_kinematics
from dem.kernels.soft.contact.capsule_blending import gradient
from dem.kernels.soft.contact.capsule_detection import find_touching
from dem.kernels.soft.contact.capsule_kinematics import CANDIDATE, OF_I, OF_J, RECALLS, SLOT, WEIGHT, pose, weights_of
from dem.kernels.soft.contact.capsules import SLOTS, mean_radius
from dem.kernels.soft.contact.contact_detection import FORCE_J, ON_I, ON_J, Sums, joined, no_energy, no_sums

ENERGY = 7  # a row of what comes out besides: the energy if a contact counted wholly


@vector_loop
def evaluate_elastic(law, number, time_sign, half, per_joule, known, told, kept, out):
    """Hertz forces of the contacts of a block.

    Parameters
    ----------
    law, number, time_sign, half, per_joule, known, told, kept : see `evaluate_dissipative`

    Writes
    ------
    out : rows as FORCE to ON_J

    Returns
    -------
    `Sums`
    """
    elastic, largest = np.int64(0), np.int64(0)
    for t in range(number):
        overlap = max(known[flat(OVERLAP, t)], 0.0)
        energy = hertz.energy(known[flat(STIFFNESS, t)], overlap)
        force = known[flat(WEIGHT, t)] * hertz.force(known[flat(STIFFNESS, t)], overlap)
        put(out, FORCE, t, scale(force, get(known, NORMAL, t)))
        torque_i, torque_j = torques_of(known, t, get(out, FORCE, t))
        put_torques(out, t, torque_i, torque_j, (0.0, 0.0, 0.0))
        out[flat(ENERGY, t)] = energy
        elastic += as_fixed(known[flat(WEIGHT, t)] * energy, per_joule)
        bits = bits_of_float(overlap)
        largest = bits if bits > largest else largest
    return Sums(elastic, largest, np.int64(0), no_energy(), no_energy(), no_energy())


@vector_loop
def evaluate_dissipative(law, number, time_sign, half, per_joule, known, told, kept, out):
    """Forces and couples of the contacts of a block, and what they remember.

    Parameters
    ----------
    law, time_sign, half, per_joule : see `dem.kernels.soft.state`
    number : of contacts
    known, told : see `dem.kernels.soft.contact.capsule_batch_kinematics.compute_kinematics`

    Writes
    ------
    kept : (R, BLOCK) what contacts remember, a column each
    out : rows as FORCE to ON_J

    Returns
    -------
    `Sums`
    """
    elastic, stored, largest = np.int64(0), np.int64(0), np.int64(0)
    loss, jump = no_energy(), no_energy()
    for t in range(number):
        touch = touch_of(known, t, True)
        count = known[flat(WEIGHT, t)]
        history = laws.load(law, kept.T, t, 0)
        outcome, history = laws.contact(law, told[OF_I, t], told[OF_J, t], touch, history, half, time_sign)
        laws.store(law, kept.T, t, 0, history)
        put(out, FORCE, t, scale(count, outcome.force))
        torque_i, torque_j = torques_of(known, t, get(out, FORCE, t))
        put_torques(out, t, torque_i, torque_j, scale(count, outcome.couple))
        out[flat(LASTS, t)] = 1.0 if outcome.persists else 0.0
        out[flat(ENERGY, t)] = outcome.elastic + outcome.stored
        elastic += as_fixed(count * outcome.elastic, per_joule)
        stored += as_fixed(count * outcome.stored, per_joule)
        loss = add_words(loss, as_words(count * outcome.loss, per_joule))
        jump = add_words(jump, as_words(count * outcome.instantaneous_dissipation, per_joule))
        bits = bits_of_float(max(touch.overlap, 0.0))
        largest = bits if bits > largest else largest
    return Sums(elastic, largest, stored, loss, no_energy(), jump)


evaluate_batch = laws.elastic_or(evaluate_elastic, evaluate_dissipative)


@inline
def recall_nothing(law, number, told, history, kept):
    """Elastic contacts remember nothing."""
    return


@vector_loop
def recall_contacts(law, number, told, history, kept):
    """Gather what contacts remember; those that begin, zeros."""
    columns = laws.columns(law)
    for t in range(number):
        k, at = told[CANDIDATE, t], columns * told[SLOT, t]
        for r in range(columns):
            kept[r, t] = history[k, at + r] if told[RECALLS, t] != 0 else 0.0


@inline
def keep_nothing(law, number, told, kept, out, history, has_history):
    """Elastic contacts remember nothing."""
    return


@vector_loop
def keep_contacts(law, number, told, kept, out, history, has_history):
    """Scatter what contacts remember.

    Parameters
    ----------
    law, number, told, kept, out : see `evaluate_dissipative`

    Writes
    ------
    history, has_history : of their candidates
    """
    columns, bits = laws.columns(law), 0
    for t in range(number):
        k, at = told[CANDIDATE, t], columns * told[SLOT, t]
        if k == VOID:
            continue
        for r in range(columns):
            history[k, at + r] = kept[r, t]
        bits = 0 if told[SLOT, t] == 0 else bits
        bits |= 1 << told[SLOT, t] if out[flat(LASTS, t)] > 0.0 else 0
        history[k, SLOTS * columns] = bits
        has_history[k] = 1 if bits != 0 else 0


load_history = laws.elastic_or(recall_nothing, recall_contacts)
store_history = laws.elastic_or(keep_nothing, keep_contacts)


@inline
def total(first, number, start, bodies, kinds, neighbours, box, known, told, out):
    """Force on the first body of a pair and torques on both, and the column after its last contact.

    Parameters
    ----------
    first, number, start : its first column, of so many; first candidate of the chunk
    bodies, kinds, neighbours, box : see `dem.kernels.soft.state`
    known, told, out : columns of a block

    Returns
    -------
    force [N], torque on the first, on the second [N m], column
    """
    force, on_i, on_j = get(out, FORCE, first), get(out, ON_I, first), get(out, ON_J, first)
    if known[flat(WEIGHT, first)] == 1.0:
        return force, on_i, on_j, first + 1
    return blended(first, number, force, on_i, on_j, start, bodies, kinds, neighbours, box, known, told, out)


@func
def blended(first, number, force, on_i, on_j, start, bodies, kinds, neighbours, box, known, told, out):
    """Force and torques of all contacts of two nearly parallel capsules, with those of the gradient of their weights.

    Parameters
    ----------
    first, number, start, bodies, kinds, neighbours, box, known, told, out : see `total`
    force, on_i, on_j : of the first contact [N, N m]

    Returns
    -------
    as `total`
    """
    first_i, second_i, first_j, second_j = 0.0, 0.0, 0.0, 0.0
    t = first + 1
    while t < number and told[SLOT, t] > 0:
        force = add(force, get(out, FORCE, t))
        on_i, on_j = add(on_i, get(out, ON_I, t)), add(on_j, get(out, ON_J, t))
        slot, energy = told[SLOT, t], out[flat(ENERGY, t)]
        first_i, second_i = energy if slot == 1 else first_i, energy if slot == 2 else second_i
        first_j, second_j = energy if slot == 3 else first_j, energy if slot == 4 else second_j
        t += 1
    k = start + told[CANDIDATE, first]
    b, c, x, u, v = pose(k, bodies, kinds, neighbours, box)
    mean = mean_radius(b, c, bodies, kinds)
    energies = (out[flat(ENERGY, first)], first_i, second_i, first_j, second_j)
    f, more_i, more_j = gradient(x, u, v, weights_of(x, u, v, mean), energies)
    return add(force, f), add(on_i, more_i), add(on_j, more_j), t


@inline
def scatter_forces(number, start, bodies, kinds, neighbours, box, known, told, out):
    """Scatter forces and torques.

    Parameters
    ----------
    number, start, bodies, kinds, box, known, told, out : see `total`

    Writes
    ------
    neighbours.force_torque : of the candidates of the block
    """
    t, force_torque = 0, neighbours.force_torque
    while t < number:
        k = start + told[CANDIDATE, t]
        if told[CANDIDATE, t] == VOID:
            t += 1
            continue
        force, on_i, on_j, t = total(t, number, start, bodies, kinds, neighbours, box, known, told, out)
        r = neighbours.contact_slot[k]
        force_torque[r, 0], force_torque[r, 1], force_torque[r, 2] = force
        force_torque[r, ON_I], force_torque[r, ON_I + 1], force_torque[r, ON_I + 2] = on_i
        force_torque[r, FORCE_J], force_torque[r, FORCE_J + 1], force_torque[r, FORCE_J + 2] = scale(-1.0, force)
        force_torque[r, ON_J], force_torque[r, ON_J + 1], force_torque[r, ON_J + 2] = on_j


@inline
def evaluate_capsules(kinds, law, scheme, c, time_sign, half, per_joule, bodies, neighbours, box):
    """Evaluate the touching among the candidate pairs of chunk c.

    Parameters
    ----------
    kinds, law, scheme, c, time_sign, half, per_joule, bodies, box : see `dem.kernels.soft.state`

    Writes
    ------
    neighbours.force_torque, neighbours.history, neighbours.has_history : of the chunk's candidates
    neighbours.overlap, neighbours.touching, neighbours.contact_slot : of the chunk's segment
    neighbours.batch_kinematics, neighbours.batch_history, neighbours.batch_forces, neighbours.batch_ids : scratch

    Returns
    -------
    `Sums`
    """
    start, block = first_candidate(c, neighbours), neighbours.evaluating_block[c]
    known, kept, out, told = (
        neighbours.batch_kinematics[block],
        neighbours.batch_history[block],
        neighbours.batch_forces[block],
        neighbours.batch_ids[block],
    )
    history, has_history = neighbours.history[start:], neighbours.has_history[start:]
    touched = find_touching(law, c, bodies, kinds, neighbours, box)
    listed = neighbours.touching[start : start + touched]
    sums = no_sums()
    first = 0
    while first < listed.size:
        number, first = compute_kinematics(
            law, start, first, listed, half, bodies, kinds, neighbours, box, out, known, told
        )
        if has_history.size > 0:
            load_history(law, number, told, history, kept)
        more = evaluate_batch(law, number, time_sign, half, per_joule, known, told, kept, out)
        if has_history.size > 0:
            store_history(law, number, told, kept, out, history, has_history)
        scatter_forces(number, start, bodies, kinds, neighbours, box, known, told, out)
        sums = joined(sums, more)
    return sums
