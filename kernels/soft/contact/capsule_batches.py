"""Columns of pairs of capsules: their history, and what the contacts of a pair come to together.

A pair of bodies has one candidate, one row of `Neighbours.force_torque` and one of history: in turn that of each of
its contacts, and behind it, as bits, which of them have any. So what friction remembers of nearly parallel capsules
belongs to their ends, and not to a point that wanders. A row of force_torque has the force on the first body and the
torques on both. A contact is evaluated as if it counted wholly, and the result is multiplied by its weight.
"""

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, vector_loop
from dem.kernels.numerics.vector import add, scale
from dem.kernels.soft.contact.batch_kinematics import CANDIDATE, RECALLS, SLOT, VOID, WEIGHT, flat, get
from dem.kernels.soft.contact.capsule_blending import gradient
from dem.kernels.soft.contact.capsule_kinematics import pose, weights_of
from dem.kernels.soft.contact.capsules import SLOTS, mean_radius
from dem.kernels.soft.contact.contact_detection import FORCE_J, ON_I, ON_J
from dem.kernels.soft.contact.contact_evaluation import ENERGY, FORCE, LASTS


@vector_loop
def load_capsule_history(law, number, ids, history, batch_history):
    """Gather what contacts remember; those that begin, zeros."""
    columns = laws.columns(law)
    for t in range(number):
        k, at = ids[CANDIDATE, t], columns * ids[SLOT, t]
        for r in range(columns):
            batch_history[r, t] = history[k, at + r] if ids[RECALLS, t] != 0 else 0.0


@vector_loop
def store_capsule_history(law, number, ids, batch_history, out, history, has_history):
    """Scatter what contacts remember.

    number, ids: see `dem.kernels.soft.contact.contact_batches.evaluate_touching`.
    batch_history, out: history and results, a column a contact.
    Writes history, has_history: of their candidates.
    """
    columns, bits = laws.columns(law), 0
    for t in range(number):
        k, at = ids[CANDIDATE, t], columns * ids[SLOT, t]
        if k == VOID:
            continue
        for r in range(columns):
            history[k, at + r] = batch_history[r, t]
        bits = 0 if ids[SLOT, t] == 0 else bits
        bits |= 1 << ids[SLOT, t] if out[flat(LASTS, t)] > 0.0 else 0
        history[k, SLOTS * columns] = bits
        has_history[k] = 1 if bits != 0 else 0


@inline
def total(first, number, start, bodies, kinds, neighbours, box, kinematics, ids, out):
    """Force on the first body of a pair and torques on both, and the column after its last contact.

    first, number, start: its first column, of so many; first candidate of the chunk.
    kinematics, ids, out: columns of a block.
    Returns the force [N], torque on the first, on the second [N m], column.
    """
    force, on_i, on_j = get(out, FORCE, first), get(out, ON_I, first), get(out, ON_J, first)
    if kinematics[flat(WEIGHT, first)] == 1.0:
        return force, on_i, on_j, first + 1
    return blended(first, number, force, on_i, on_j, start, bodies, kinds, neighbours, box, kinematics, ids, out)


@func
def blended(first, number, force, on_i, on_j, start, bodies, kinds, neighbours, box, kinematics, ids, out):
    """Force and torques of all contacts of two nearly parallel capsules, with those of the gradient of their weights.

    first, number, start, kinematics, ids, out: see `total`.
    force, on_i, on_j: of the first contact [N, N m].
    Returns what `total` does.
    """
    first_i, second_i, first_j, second_j = 0.0, 0.0, 0.0, 0.0
    t = first + 1
    while t < number and ids[SLOT, t] > 0:
        force = add(force, get(out, FORCE, t))
        on_i, on_j = add(on_i, get(out, ON_I, t)), add(on_j, get(out, ON_J, t))
        slot, energy = ids[SLOT, t], out[flat(ENERGY, t)]
        first_i, second_i = energy if slot == 1 else first_i, energy if slot == 2 else second_i
        first_j, second_j = energy if slot == 3 else first_j, energy if slot == 4 else second_j
        t += 1
    k = start + ids[CANDIDATE, first]
    b, c, x, u, v = pose(k, bodies, kinds, neighbours, box)
    mean = mean_radius(b, c, bodies, kinds)
    energies = (out[flat(ENERGY, first)], first_i, second_i, first_j, second_j)
    f, more_i, more_j = gradient(x, u, v, weights_of(x, u, v, mean), energies)
    return add(force, f), add(on_i, more_i), add(on_j, more_j), t


@inline
def scatter_capsule_forces(number, start, bodies, kinds, neighbours, box, kinematics, ids, out):
    """Scatter forces and torques.

    number, start, kinematics, ids, out: see `total`.
    Writes neighbours.force_torque: of the candidates of the block.
    """
    t, force_torque = 0, neighbours.force_torque
    while t < number:
        k = start + ids[CANDIDATE, t]
        if ids[CANDIDATE, t] == VOID:
            t += 1
            continue
        force, on_i, on_j, t = total(t, number, start, bodies, kinds, neighbours, box, kinematics, ids, out)
        r = neighbours.contact_slot[k]
        force_torque[r, 0], force_torque[r, 1], force_torque[r, 2] = force
        force_torque[r, ON_I], force_torque[r, ON_I + 1], force_torque[r, ON_I + 2] = on_i
        force_torque[r, FORCE_J], force_torque[r, FORCE_J + 1], force_torque[r, FORCE_J + 2] = scale(-1.0, force)
        force_torque[r, ON_J], force_torque[r, ON_J + 1], force_torque[r, ON_J + 2] = on_j
