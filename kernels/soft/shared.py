"""The stages of a step that are machine code of their own, each told no more than it needs: see `kernels.base.pieces`.

What a stage is made for are the types that it is called with. So a scheme is made for movers alone, a law for what
touches, walls beside the box for what looks at them; all others are told of one that stands for many.
"""

from kernels.base.jit import piece
from kernels.soft import candidates, contact, gather, history, motion, travel, whole_steps


@piece
def evaluate(scheme, law, c, time_sign, setting, bodies, kinds, neighbours, box):
    """As `kernels.soft.contact.evaluate`.

    Parameters
    ----------
    scheme, law, c, time_sign, setting, bodies, kinds, box : see `kernels.soft.state`

    Writes
    ------
    neighbours : as `kernels.soft.contact.evaluate`

    Returns
    -------
    `Sums`
    """
    half = 0.5 * setting.dt
    return contact.evaluate(law, scheme, c, time_sign, half, setting.per_joule, bodies, kinds, neighbours, box)


@piece
def gather_pairs(law, c, shift, bodies, kinds, neighbours, box):
    """As `kernels.soft.gather.gather_pairs`."""
    gather.gather_pairs(law, c, shift, bodies, kinds, neighbours, box)


@piece
def gather_walls(law, c, shift, time_sign, setting, bodies, kinds, neighbours, box):
    """As `kernels.soft.gather.gather_walls`.

    Parameters
    ----------
    law, c, shift, time_sign, setting, kinds, box : see `kernels.soft.state`

    Writes
    ------
    bodies, neighbours : as `kernels.soft.gather.gather_walls`

    Returns
    -------
    `Sums` at the walls
    """
    half = 0.5 * setting.dt
    return gather.gather_walls(law, c, shift, time_sign, half, bodies, kinds, neighbours, box, setting.per_joule)


@piece
def correct(scheme, law, c, shift, setting, bodies, kinds, box):
    """As `kernels.soft.motion.correct`.

    Parameters
    ----------
    scheme, law, c, shift, setting, kinds, box : see `kernels.soft.state`

    Writes
    ------
    bodies : as `kernels.soft.motion.correct`

    Returns
    -------
    as `kernels.soft.motion.correct`
    """
    gravity = (setting.gravity_x, setting.gravity_y, setting.gravity_z)
    return motion.correct(scheme, law, c, shift, setting.dt, gravity, setting.datum, setting.per_joule, bodies, kinds, box)


@piece
def predict(scheme, law, c, dt, bodies, kinds, neighbours, box):
    """As `kernels.soft.motion.predict`, and what has anything to touch placed.

    Parameters
    ----------
    scheme, law, c, dt, kinds, neighbours, box : see `kernels.soft.state`

    Writes
    ------
    bodies : as `kernels.soft.motion.predict`

    Returns
    -------
    as `kernels.soft.motion.predict`
    """
    gone = motion.predict(scheme, law, c, dt, bodies, kinds, box)
    if not kinds.round:
        contact.place(c, bodies, kinds, neighbours)
    return gone


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
    candidates.pick(c, skin, bodies, kinds, neighbours, box)


@piece
def finish_pick(c, skin, bodies, kinds, neighbours, box):
    """List by body what was picked."""
    if neighbours.history.shape[1] > 0:
        history.give_back(c, neighbours)
    candidates.list_incident(c, skin, bodies, kinds, neighbours, box)
    if not kinds.round:
        contact.place(c, bodies, kinds, neighbours)


@piece
def start(scheme, law, setting, bodies, kinds, box):
    """As `kernels.soft.whole_steps.start`."""
    gravity = (setting.gravity_x, setting.gravity_y, setting.gravity_z)
    return whole_steps.start(scheme, law, setting.dt, gravity, setting.datum, setting.per_joule, bodies, kinds, box)


@piece
def synchronise(scheme, elapsed, setting, bodies, kinds, box, view):
    """As `kernels.soft.whole_steps.synchronise`."""
    gravity = (setting.gravity_x, setting.gravity_y, setting.gravity_z)
    whole_steps.synchronise(
        scheme, setting.dt, elapsed, gravity, bodies, kinds, box,
        view.position, view.velocity, view.orientation, view.angular_velocity,
    )  # fmt: skip

