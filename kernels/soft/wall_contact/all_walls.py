"""Faces of a box, and walls of any shape beside them if there are any: what all of them do to a body."""

import math

from dem.kernels.compiler.jit import inline
from dem.kernels.soft.contact.contact_detection import joined, no_sums
from dem.kernels.soft.wall_contact.box_contacts import add_walls
from dem.kernels.soft.wall_contact.capsule_sides import add_sides
from dem.kernels.soft.wall_contact.contact_sinks import Accumulation
from dem.kernels.soft.wall_contact.wall_arrays import bare_or
from dem.kernels.soft.wall_contact.wall_contacts import add_body


@inline
def add_faces(box, law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours):
    """Add what the faces of a box do to body b, where there are no other walls.

    Parameters
    ----------
    law, b, shift, time_sign, half, per_joule, kinds, box : see `dem.kernels.soft.state`

    Writes
    ------
    bodies, neighbours : as `dem.kernels.soft.wall_contact.box_contacts.add_walls`

    Returns
    -------
    `Sums`
    """
    return add_walls(law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box)


@inline
def has_faces(box):
    """Whether any face is at a finite place: where all are open or periodic nobody need look."""
    lower, upper = box.lower, box.upper
    return max(lower[0], lower[1], lower[2]) > -math.inf or min(upper[0], upper[1], upper[2]) < math.inf


@inline
def add_all(box, law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours):
    """The same, and what all walls do.

    Parameters
    ----------
    law, b, shift, time_sign, half, per_joule, kinds : see `dem.kernels.soft.state`

    Writes
    ------
    bodies, neighbours : as `dem.kernels.soft.wall_contact.box_contacts.add_walls`
    box.walls : as `dem.kernels.soft.wall_contact.wall_contacts.add_body`

    Returns
    -------
    `Sums`
    """
    sums = no_sums()
    if has_faces(box):
        sums = add_walls(law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box)
    sink = Accumulation(shift, time_sign, half, per_joule)
    more, _ = add_body(sink, law, b, 0, bodies, kinds, box)
    of_sides, _ = add_sides(kinds, sink, law, b, 0, bodies, box)
    return joined(joined(sums, more), of_sides)


touch_walls = bare_or(add_faces, add_all)
