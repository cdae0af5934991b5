"""A flow field at many places: for bodies that are in it, block by block, and for who looks at it."""

import math

from kernels.base.jit import by_type_of_first, kernel, loop
from kernels.base.vector import dot, load
from kernels.fluid import gridded, sample_of
from kernels.fluid.gradients import PLACE, put_sample, three

BLOCK = 64  # places: their rows stay in the fastest cache


@loop
def fill_each(field, t, number, rows, one):
    """Samples at a time [s] and at so many places, which stand in the rows.

    Parameters
    ----------
    field, t : see `kernels.fluid`
    number : of places

    Writes
    ------
    rows : (ROWS, BLOCK) of ``gradients``, but for places
    one : (gridded.WIDTH,) scratch
    """
    for s in range(number):
        put_sample(sample_of(field, t, three(rows, PLACE, s)), rows, s)


fill = by_type_of_first(lambda field: gridded.fill if field is gridded.Grid else fill_each)


@kernel
def speeds(field, time, position, speed):
    """Speeds of the fluid at positions (3, N) [m]; writes speed (N,) [m/s]."""
    for n in range(speed.size):
        u = sample_of(field, time, load(position, n)).velocity
        speed[n] = math.sqrt(dot(u, u))
