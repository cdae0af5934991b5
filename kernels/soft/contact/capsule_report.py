"""The contacts of capsules at the present moment, one for each pair, as ``contact_report`` has those of spheres."""

from typing import NamedTuple

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, vector_loop
from dem.kernels.numerics.vector import dot, subtract
from dem.kernels.soft.chunks import first_candidate
from dem.kernels.soft.contact.batch_evaluation import LASTS
from dem.kernels.soft.contact.batch_kinematics import ARM, NORMAL, OVERLAP, POINT, flat, get, touch_of
from dem.kernels.soft.contact.capsule_batch_kinematics import VOID, compute_kinematics
from dem.kernels.soft.contact.capsule_batches import evaluate_batch, load_history, total
from dem.kernels.soft.contact.capsule_blending import between, closest
from dem.kernels.soft.contact.capsule_kinematics import CANDIDATE, OF_I, OF_J, WEIGHT, middle_of, pose, reach_of
from dem.kernels.soft.contact.report_row import write

LOST = LASTS  # row of a block that is free after `act`


class Seen(NamedTuple):
    """Contact of capsules as `report_row.write` reports it."""

    overlap: float  # [m]
    normal: tuple[float, float, float]  # from the second body to the first


@func
def list_near(kinds, law, c, bodies, neighbours, box, listed):
    """List the candidates of chunk c that touch, or have not let go since; returns their number.

    Parameters
    ----------
    kinds, law, c, bodies, neighbours, box : see `list_capsules`

    Writes
    ------
    listed : counted from the chunk's first
    """
    n, start = 0, first_candidate(c, neighbours)
    for k in range(neighbours.pairs[c]):
        _, _, x, u, v = pose(start + k, bodies, kinds, neighbours, box)
        reach, _ = reach_of(start + k, kinds, neighbours)
        s, t = closest(x, u, v)
        d = between(x, u, v, s, t)
        held = laws.has_range(law) and neighbours.has_history[start + k] != 0
        if dot(d, d) < reach * reach or held:
            listed[n] = k
            n += 1
    return n


@vector_loop
def lose_nothing(law, number, half, known, told, kept, out):
    """Elastic contacts take up nothing."""
    for t in range(number):
        out[flat(LOST, t)] = 0.0


@vector_loop
def lose_dissipative(law, number, half, known, told, kept, out):
    """Energy that the contacts of a block take up besides the elastic one [W].

    Parameters
    ----------
    law, number, half, known, told : see `dem.kernels.soft.contact.capsule_batches.evaluate_dissipative`
    kept : what contacts remember

    Writes
    ------
    out : the row LOST
    """
    for t in range(number):
        history = laws.load(law, kept.T, t, 0)
        touch = touch_of(known, t, True)
        outcome, _ = laws.contact(law, told[OF_I, t], told[OF_J, t], touch, history, half, -1.0)
        out[flat(LOST, t)] = known[flat(WEIGHT, t)] * outcome.loss / half


lose = laws.elastic_or(lose_nothing, lose_dissipative)


@func
def list_capsules(kinds, law, half, bodies, neighbours, box, listed, who, what):
    """List the contacts of two capsules: the whole force of a pair, at the middle of its contacts.

    Parameters
    ----------
    kinds, law, half, bodies, neighbours, box : see `dem.kernels.soft.contact.contact_report.list_contacts`

    Writes
    ------
    listed, who, what : as `dem.kernels.soft.contact.contact_report.list_contacts`

    Returns
    -------
    number of them, also of those for which there is no room
    """
    n = 0
    known, kept, out, told = (
        neighbours.batch_kinematics[0],
        neighbours.batch_history[0],
        neighbours.batch_forces[0],
        neighbours.batch_ids[0],
    )
    for c in range(neighbours.pairs.size):
        start = first_candidate(c, neighbours)
        present = listed[: list_near(kinds, law, c, bodies, neighbours, box, listed)]
        first = 0
        while first < present.size:
            number, first = compute_kinematics(
                law, start, first, present, half, bodies, kinds, neighbours, box, out, known, told
            )
            if neighbours.has_history.size > 0:
                load_history(law, number, told, neighbours.history[start:], kept)
            evaluate_batch(law, number, -1.0, half, 1.0, known, told, kept, out)
            if neighbours.has_history.size > 0:  # `act` has put what contacts remember now in their place
                load_history(law, number, told, neighbours.history[start:], kept)
            lose(law, number, half, known, told, kept, out)
            n = write_block(n, number, start, kinds, bodies, neighbours, box, known, told, out, who, what)
    return n


@inline
def write_block(n, number, start, kinds, bodies, neighbours, box, known, told, out, who, what):
    """Write a row for each pair of a block; returns the number of the next row.

    Parameters
    ----------
    n, number, start : rows so far, contacts of the block, first candidate of the chunk
    kinds, bodies, neighbours, box : see `list_capsules`
    known, told, out : see `dem.kernels.soft.contact.capsule_batches`

    Writes
    ------
    who, what : from row n on
    """
    t = 0
    while t < number:
        first = t
        if told[CANDIDATE, first] == VOID:
            t += 1
            continue
        k = start + told[CANDIDATE, first]
        b, c, _, _, _ = pose(k, bodies, kinds, neighbours, box)
        force, _, _, t = total(first, number, start, bodies, kinds, neighbours, box, known, told, out)
        arm = middle_of(first, t, known)
        branch = subtract(get(known, ARM, first), get(known, POINT, first))
        loss = 0.0
        for contact in range(first, t):
            loss += out[flat(LOST, contact)]
        touch = Seen(known[flat(OVERLAP, first)], get(known, NORMAL, first))
        of_b, of_c = neighbours.sphere_i[k] - bodies.first_sphere[b], neighbours.sphere_j[k] - bodies.first_sphere[c]
        write(n, bodies.identity[b], bodies.identity[c], of_b, of_c, touch, force, loss, arm, branch, who, what)
        n += 1
    return n
