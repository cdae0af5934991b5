"""The stages of a step that are machine code of their own, each told no more than it needs: see `kernels.base.pieces`.

What a stage is made for are the types that it is called with. So a scheme is made for movers alone, a law for what
touches, walls beside the box for what looks at them; all others are told of one that stands for many.
"""

import numpy as np

from kernels import laws, rotation
from kernels.base.jit import formula, piece
from kernels.soft import (
    at_walls,
    bonded,
    candidates,
    capsule_picks,
    contact,
    gather,
    history,
    motion,
    travel,
    whole_steps,
)
from kernels.soft.touching import no_sums


@formula
def of_elastic(law):
    """As it is."""
    return laws.Elastic()


@formula
def of_lossy(law):
    """One for all."""
    return motion.Lossy()


@formula
def of_spheres(scheme):
    """As it is."""
    return rotation.SphericalPCDM()


@formula
def of_bodies(scheme):
    """One for all."""
    return rotation.Euler()


any_law = laws.elastic_or(of_elastic, of_lossy)  # to who only asks whether velocities are wanted
any_scheme = rotation.spheres_or(of_spheres, of_bodies)  # to who only asks whether it is that of single spheres


@piece
def meet(scheme, law, c, evaluates, d, gathers, shift, time_sign, setting, bodies, kinds, neighbours, box):
    """Evaluate the candidate pairs of one chunk, and sum what they came to for the bodies of another, or either.

    In one call, which takes some thirty nanoseconds: nine fibres take a thousand a step.

    Parameters
    ----------
    scheme, law, time_sign, setting, kinds, box : see `kernels.soft.state`
    c, evaluates : the one, and whether to do so
    d, gathers, shift : the other, whether to do so, and where to, as of `kernels.soft.gather.gather_pairs`

    Writes
    ------
    neighbours : as `kernels.soft.contact.evaluate`
    bodies : as `kernels.soft.gather.gather_pairs`

    Returns
    -------
    `Sums` over the pairs evaluated
    """
    sums, half = no_sums(), 0.5 * setting.dt
    if evaluates:
        sums = contact.evaluate(kinds, law, scheme, c, time_sign, half, setting.per_joule, bodies, neighbours, box)
    if gathers:
        bonded.clear(neighbours.bonds, d, shift, bodies)
        gather.gather_pairs(scheme, law, d, shift, bodies, kinds, neighbours, box)
    return sums


@piece
def gather_walls(scheme, law, c, shift, time_sign, setting, bodies, kinds, neighbours, box):
    """As `kernels.soft.at_walls.gather_one_by_one`.

    Parameters
    ----------
    scheme, law, c, shift, time_sign, setting, kinds, box : see `kernels.soft.state`

    Writes
    ------
    bodies, neighbours : as `kernels.soft.at_walls.gather_one_by_one`

    Returns
    -------
    `Sums` at the walls
    """
    half = 0.5 * setting.dt
    return at_walls.gather_walls(
        law, scheme, c, shift, time_sign, half, bodies, kinds, neighbours, box, setting.per_joule
    )


@formula
def leave(scheme, c, bodies, kinds, neighbours):
    """Single spheres are where their bodies are."""
    return


@formula
def place_any(scheme, c, bodies, kinds, neighbours):
    """Place the spheres of the bodies of chunk c that have anything to touch."""
    if not kinds.round:
        contact.place(kinds, c, bodies, neighbours)


place = rotation.spheres_or(leave, place_any)


@piece
def go(scheme, c, corrects, predicts, shift, setting, bodies, kinds, neighbours, box):
    """Complete the step of chunk c and predict the next one, in which what has anything to touch is placed, or either.

    Parameters
    ----------
    scheme, c, shift, setting, kinds, neighbours, box : see `kernels.soft.state`
    corrects, predicts : whether to do so

    Writes
    ------
    bodies : as `kernels.soft.motion.correct` and `kernels.soft.motion.predict`

    Returns
    -------
    what both return
    """
    energy, spin, brisk, gone = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    if corrects:
        gravity, per_joule = (setting.gravity_x, setting.gravity_y, setting.gravity_z), setting.per_joule
        energy, spin, brisk = motion.correct(
            scheme, c, shift, setting.dt, gravity, setting.datum, per_joule, bodies, kinds, box
        )
    if predicts:
        gone = motion.predict(scheme, c, setting.dt, bodies, kinds, box)
        place(scheme, c, bodies, kinds, neighbours)
    return energy, spin, brisk, gone


@piece
def place_all(bodies, kinds):
    """As `kernels.soft.contact.place_all`."""
    contact.place_all(bodies, kinds)


@piece
def place_off_line(c, bodies, kinds):
    """As `kernels.soft.contact.place_off_line`."""
    contact.place_off_line(c, bodies, kinds)


@piece
def displacement(c, bodies, kinds, neighbours, box):
    """As `kernels.soft.travel.displacement`."""
    return travel.displacement(c, bodies, kinds, neighbours, box)


@piece
def pick(c, skin, bodies, kinds, neighbours, box):
    """Pick the candidates of a chunk, what they remember put aside unless it is already."""
    if neighbours.history.shape[1] > 0 and neighbours.aside_count[c] < 0:
        history.put_aside(c, bodies, neighbours)
    capsule_picks.pick(kinds, c, skin, bodies, neighbours, box)


@piece
def finish_pick(c, anew, skin, bodies, kinds, neighbours, box):
    """List by body what was picked, if anew, and who is near walls."""
    if anew and neighbours.history.shape[1] > 0:
        history.give_back(c, neighbours)
    candidates.list_incident(c, anew, skin, bodies, kinds, neighbours, box)
    if not kinds.round:
        contact.place(kinds, c, bodies, neighbours)


@piece
def start(scheme, setting, bodies, kinds, box):
    """As `kernels.soft.whole_steps.start`."""
    gravity = (setting.gravity_x, setting.gravity_y, setting.gravity_z)
    return whole_steps.start(scheme, setting.dt, gravity, setting.datum, setting.per_joule, bodies, kinds, box)


@piece
def synchronise(scheme, elapsed, setting, bodies, kinds, box, view):
    """As `kernels.soft.whole_steps.synchronise`."""
    gravity = (setting.gravity_x, setting.gravity_y, setting.gravity_z)
    whole_steps.synchronise(
        scheme, setting.dt, elapsed, gravity, bodies, kinds, box,
        view.position, view.velocity, view.orientation, view.angular_velocity,
    )  # fmt: skip
