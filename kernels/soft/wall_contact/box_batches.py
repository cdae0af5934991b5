"""Contacts of single spheres with the faces of a box, many at a time, as those of pairs are: see ``contact_batches``.

One by one each waits for its own roots and divisions, of which there are a dozen one after the other: the sixth of a
bed's spheres that touch its walls took a sixth of a step.
"""

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline
from dem.kernels.domain.faces import height, inward
from dem.kernels.numerics.energy import add_words, as_words
from dem.kernels.numerics.vector import add, dot, load, store, subtract
from dem.kernels.rotation.spherical import SphericalPCDM
from dem.kernels.soft.chunks import chunk_of
from dem.kernels.soft.contact.batch_evaluation import FORCE, evaluate_new
from dem.kernels.soft.contact.batch_kinematics import BLOCK, OF_FACES, POINT, get, put, put_touch
from dem.kernels.soft.contact.contact_batches import load_history, store_history
from dem.kernels.soft.contact.contact_detection import ON_I, ON_J, Sums, joined, no_energy, no_sums
from dem.kernels.soft.contact.surface_motion import radius_of
from dem.kernels.soft.wall_contact.box_contacts import forget, meeting, touches_wall

OF_I, OF_J, FACE = 2, 3, 4  # rows of integers: materials, row of what is remembered; see `Neighbours.batch_ids`


@inline
def touch_faces(box, law, c, shift, time_sign, half, per_joule, bodies, kinds, neighbours):
    """Add the forces and torques of the faces of a box on the single spheres of chunk c that are near them.

    Parameters
    ----------
    box, law, c, shift, time_sign, half, per_joule, kinds : see `dem.kernels.soft.state`

    Writes
    ------
    bodies, neighbours : as `evaluate`

    Returns
    -------
    `Sums`
    """
    sums, number = no_sums(), 0
    low, _ = chunk_of(c, bodies.kind.size)
    has_history, block = neighbours.wall_has_history, neighbours.block_of[c]
    both, told = neighbours.batch_kinematics[block], neighbours.batch_ids[block]
    known = both[OF_FACES:]
    forgets = not (laws.has_range(law) or laws.begins(law) > 0.0)
    for n in range(low, low + neighbours.near_wall_count[c]):
        b = neighbours.near_wall[n]
        x, radius = load(bodies.position, b), radius_of(b, b, bodies, kinds)
        if forgets and not touches_wall(x, radius, box):
            forget(b, has_history)
            continue
        for face in range(6):
            k, overlap = 6 * b + face, radius - height(x, face, box)
            if overlap > -laws.begins(law) or (laws.has_range(law) and has_history[k] != 0):
                compute_kinematics(number, b, face, overlap, bodies, kinds, box, known, told)
                number += 1
            elif has_history.size > 0:
                has_history[k] = 0
        if number > BLOCK - 6:
            sums = evaluate(law, number, c, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box, sums)
            number = 0
    if number > 0:
        sums = evaluate(law, number, c, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box, sums)
    return sums


@inline
def compute_kinematics(t, b, face, overlap, bodies, kinds, box, known, told):
    """Write what a law wants to know of the contact of sphere b with a face to column t.

    Parameters
    ----------
    t, b, face, overlap : column, sphere, number of the face, overlap with it [m]
    bodies, kinds, box : see `dem.kernels.soft.state`

    Writes
    ------
    known, told : column t
    """
    touch, x = meeting(b, b, face, overlap, inward(face), bodies, kinds, box)
    put_touch(t, touch, known)
    put(known, POINT, t, subtract(x, load(bodies.position, b)))
    told[OF_I, t], told[OF_J, t] = kinds.material[bodies.kind[b]], kinds.modulus.shape[0]
    told[FACE, t] = 6 * b + face


@func
def evaluate(law, number, c, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box, sums):
    """Evaluate so many contacts, and add what they come to.

    Parameters
    ----------
    law, c, shift, time_sign, half, per_joule, kinds, box : see `dem.kernels.soft.state`
    number, sums : of columns; sums so far

    Writes
    ------
    bodies.force, bodies.torque : columns b - shift, added to [N, N m]
    neighbours.wall_history, neighbours.wall_has_history : rows 6 b + face
    neighbours.batch_history, neighbours.batch_forces : scratch

    Returns
    -------
    `Sums` of both
    """
    block = neighbours.block_of[c]
    both, told = neighbours.batch_kinematics[block], neighbours.batch_ids[block]
    known = both[OF_FACES:]
    kept, out, history, has_history = (
        neighbours.batch_history[block], neighbours.batch_forces[block], neighbours.wall_history,
        neighbours.wall_has_history
    )  # fmt: skip
    if has_history.size > 0:
        load_history(law, 0, number, told[FACE], history, has_history, kept)
    alike = kinds.contact_distance > 0.0
    more = evaluate_new(
        SphericalPCDM(), law, number, alike, time_sign, half, per_joule, known, told[OF_I], told[OF_J], kept, out
    )
    if has_history.size > 0:
        store_history(law, 0, number, told[FACE], kept, out, history, has_history)
    work = no_energy()
    for t in range(number):
        b, face, force = told[FACE, t] // 6, told[FACE, t] % 6, get(out, FORCE, t)
        store(bodies.force, b - shift, add(load(bodies.force, b - shift), force))
        if bodies.torque.shape[1] > 0:
            torque = get(out, ON_I, t)
            if laws.turns(law) and not alike:  # of others the couple is told by itself
                torque = add(torque, get(out, ON_J, t))
            store(bodies.torque, b - shift, add(load(bodies.torque, b - shift), torque))
        work = add_words(work, as_words(half * dot(force, load(box.velocity, face)), per_joule))
    sums = joined(sums, more)
    return Sums(sums.elastic, sums.overlap, sums.stored, sums.loss, add_words(sums.work, work), sums.jump)
