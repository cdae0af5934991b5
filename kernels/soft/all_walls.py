"""Faces of a box, and walls of any shape beside them if there are any: what all of them do to a body."""

import math

from kernels.base.jit import formula
from kernels.soft.obstacles import add_obstacles
from kernels.soft.sides import with_sides
from kernels.soft.touching import joined, no_sums
from kernels.soft.walled import bare_or
from kernels.soft.walls import add_walls


@formula
def add_faces(box, law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours):
    """Add what the faces of a box do to body b, where there are no other walls.

    Parameters
    ----------
    law, b, shift, time_sign, half, per_joule, kinds, box : see `kernels.soft.state`

    Writes
    ------
    bodies, neighbours : as `kernels.soft.walls.add_walls`

    Returns
    -------
    `Sums`
    """
    return add_walls(law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box)


@formula
def has_faces(box):
    """Whether any face is at a finite place: where all are open or periodic nobody need look."""
    lower, upper = box.lower, box.upper
    return max(lower[0], lower[1], lower[2]) > -math.inf or min(upper[0], upper[1], upper[2]) < math.inf


@formula
def add_all(box, law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours):
    """The same, and what all walls do.

    Parameters
    ----------
    law, b, shift, time_sign, half, per_joule, kinds : see `kernels.soft.state`

    Writes
    ------
    bodies, neighbours : as `kernels.soft.walls.add_walls`
    box.walls : as `add_obstacles`

    Returns
    -------
    `Sums`
    """
    sums = no_sums()
    if has_faces(box):
        sums = add_walls(law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box)
    sums = joined(sums, add_obstacles(law, b, shift, time_sign, half, per_joule, bodies, kinds, neighbours, box))
    return with_sides(kinds, sums, law, b, shift, time_sign, half, per_joule, bodies, box)


touch_walls = bare_or(add_faces, add_all)
