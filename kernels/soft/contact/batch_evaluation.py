"""Contacts of a block, a column of numbers each: what they come to, in loops that LLVM makes vector code of.

What each wants to know is in ``batch_kinematics``; ``contact_batches`` gathers it, and scatters what comes out.
"""

from dem.kernels import laws, rotation
from dem.kernels.compiler.jit import inline, vector_loop
from dem.kernels.numerics.energy import add_words, as_fixed, as_words
from dem.kernels.numerics.float_bits import bits_of_float
from dem.kernels.numerics.vector import add, cross, scale, subtract
from dem.kernels.soft.contact.batch_kinematics import ARM, MAY_BE_NEW, ONGOING, POINT, flat, get, put, touch_of
from dem.kernels.soft.contact.contact_detection import ON_I, ON_J, Sums, no_sums

FORCE, LASTS = 0, 3  # rows of what comes out, the others of which are columns of `Neighbours.force_torque`: ON_I, ON_J


@inline
def torques_of(known, t, force):
    """Torques of a contact's force about the centres of both bodies."""
    return cross(get(known, POINT, t), force), cross(get(known, ARM, t), scale(-1.0, force))


@inline
def put_torques(out, t, torque_i, torque_j, couple):
    """Write torques on both bodies, and the couple with them, of which one feels the opposite of the other."""
    put(out, ON_I, t, add(torque_i, couple))
    put(out, ON_J, t, subtract(torque_j, couple))


@inline
def turn_spheres(scheme, law, alike, known, t, point, outcome, out):
    """Write the torques on single spheres; where they are not alike but there are couples, that of the force on i.

    Parameters
    ----------
    scheme, law, alike, known, t : see `act`; column
    point, outcome : as of `touch_of`; what the law said

    Writes
    ------
    out : row ON_I, and ON_J if both torques differ; the couple there, for `share_couples`, if they are not alike
    """
    torque = cross(point, outcome.force)
    if alike and laws.turns(law):
        put_torques(out, t, torque, torque, outcome.couple)
    else:
        put(out, ON_I, t, torque)
        if laws.turns(law):
            put(out, ON_J, t, outcome.couple)
        elif not alike:
            put(out, ON_J, t, cross(get(known, ARM, t), scale(-1.0, outcome.force)))


@inline
def turn_bodies(scheme, law, alike, known, t, point, outcome, out):
    """Write the torques on other bodies, or under other schemes.

    Parameters
    ----------
    scheme, law, alike, known, t, point, outcome : see `turn_spheres`

    Writes
    ------
    out : rows ON_I and ON_J
    """
    couple = outcome.couple if laws.turns(law) else (0.0, 0.0, 0.0)
    torque_i, torque_j = torques_of(known, t, outcome.force)
    put_torques(out, t, torque_i, torque_j, couple)


turn = rotation.spheres_or(turn_spheres, turn_bodies)


@inline
def evaluate_column(scheme, law, alike, may_begin, i, j, t, time_sign, half, per_joule, known, kept, out, sums):
    """Force and couple of one contact, and what it remembers.

    Parameters
    ----------
    scheme, law, time_sign, half, per_joule : see `dem.kernels.soft.state`
    alike, may_begin : whether both are single spheres of one kind; whether it may have begun in the last step
    i, j, t, known, sums : the two materials, column; see `compute_sphere_kinematics`; sums so far

    Writes
    ------
    kept : (R, BLOCK) what contacts remember, a column each
    out : rows FORCE, LASTS, ON_I and ON_J

    Returns
    -------
    `Sums` with this contact's
    """
    touch, point = touch_of(known, t, may_begin), get(known, POINT, t)
    history = laws.load(law, kept.T, t, 0)
    outcome, history = laws.contact(law, i, j, touch, history, half, time_sign)
    laws.store(law, kept.T, t, 0, history)
    put(out, FORCE, t, outcome.force)
    turn(scheme, law, alike, known, t, point, outcome, out)
    out[flat(LASTS, t)] = 1.0 if outcome.persists else 0.0
    return Sums(
        sums.elastic + as_fixed(outcome.elastic, per_joule),
        max(sums.overlap, bits_of_float(max(touch.overlap, 0.0))),
        sums.stored + as_fixed(outcome.stored, per_joule),
        add_words(sums.loss, as_words(outcome.loss, per_joule)),
        sums.work,
        add_words(sums.jump, as_words(outcome.instantaneous_dissipation, per_joule)),
    )


def evaluator_of(may_begin):
    """Function that evaluates contacts of spheres of one type, any or none of which may have begun in the last step."""

    @vector_loop
    def act_alike(scheme, law, number, i, j, time_sign, half, per_joule, known, kept, out):
        """Evaluate contacts, all of the same two materials.

        To look their numbers up contact by contact, in four tables, took a sixth of the time.

        Parameters
        ----------
        scheme, law, i, j, time_sign, half, per_joule, known : see `evaluate_column`
        number : of contacts

        Writes
        ------
        kept, out : as `evaluate_column`

        Returns
        -------
        `Sums`
        """
        sums = no_sums()
        for t in range(number):
            sums = evaluate_column(
                scheme, law, True, may_begin, i, j, t, time_sign, half, per_joule, known, kept, out, sums
            )
        return sums

    return act_alike


evaluate_one_type, evaluate_ongoing = evaluator_of(True), evaluator_of(False)


@vector_loop
def evaluate_mixed_types(scheme, law, number, time_sign, half, per_joule, known, material_i, material_j, kept, out):
    """Evaluate contacts of bodies of any kinds and materials.

    Parameters
    ----------
    scheme, law, number, time_sign, half, per_joule, known : see `acting`
    material_i, material_j : (BLOCK,)

    Writes
    ------
    kept, out : as `evaluate_column`

    Returns
    -------
    `Sums`
    """
    sums = no_sums()
    for t in range(number):
        i, j = material_i[t], material_j[t]
        sums = evaluate_column(scheme, law, False, True, i, j, t, time_sign, half, per_joule, known, kept, out, sums)
    return sums


@inline
def evaluate_new(scheme, law, number, alike, time_sign, half, per_joule, known, material_i, material_j, kept, out):
    """Evaluate contacts of single spheres, of one type or several, any of which may have begun in the last step.

    Parameters
    ----------
    scheme, law, number, time_sign, half, per_joule, known, material_i, material_j : see `evaluate_mixed_types`
    alike : whether bodies and materials of all contacts are the same

    Writes
    ------
    kept, out : as `evaluate_column`

    Returns
    -------
    `Sums`
    """
    if alike:
        i, j = material_i[0], material_j[0]
        return evaluate_one_type(scheme, law, number, i, j, time_sign, half, per_joule, known, kept, out)
    return evaluate_mixed_types(
        scheme, law, number, time_sign, half, per_joule, known, material_i, material_j, kept, out
    )


@inline
def evaluate_spheres(scheme, law, number, way, time_sign, half, per_joule, known, material_i, material_j, kept, out):
    """Evaluate a batch of contacts of single spheres, by the loop for its kind of batch.

    Parameters
    ----------
    scheme, law, number, time_sign, half, per_joule, known, material_i, material_j : see `evaluate_mixed_types`
    way : MIXED_TYPES, MAY_BE_NEW or ONGOING

    Writes
    ------
    kept, out : as `evaluate_column`

    Returns
    -------
    `Sums`
    """
    if way == ONGOING:
        i, j = material_i[0], material_j[0]
        return evaluate_ongoing(scheme, law, number, i, j, time_sign, half, per_joule, known, kept, out)
    alike = way == MAY_BE_NEW
    return evaluate_new(
        scheme, law, number, alike, time_sign, half, per_joule, known, material_i, material_j, kept, out
    )


@inline
def evaluate_bodies(scheme, law, number, way, time_sign, half, per_joule, known, material_i, material_j, kept, out):
    """Evaluate a batch of contacts of bodies other than single spheres, or under other schemes, by one loop.

    Parameters
    ----------
    scheme, law, number, time_sign, half, per_joule, known, material_i, material_j : see `evaluate_mixed_types`
    way : MIXED_TYPES

    Writes
    ------
    kept, out : as `evaluate_column`

    Returns
    -------
    `Sums`
    """
    return evaluate_mixed_types(
        scheme, law, number, time_sign, half, per_joule, known, material_i, material_j, kept, out
    )


evaluate_batch = rotation.spheres_or(evaluate_spheres, evaluate_bodies)
