"""Sample a flow field at many positions, for bodies block by block and for users."""

import math

from dem.kernels.compiler.jit import kernel, select, vector_loop
from dem.kernels.fluid import gridded, medium_at, resist, sample_of, write_sample
from dem.kernels.fluid.gradients import PLACE, three
from dem.kernels.numerics.quaternion import load_quaternion, rotate_back
from dem.kernels.numerics.vector import dot, load, store, subtract

BLOCK = 64  # places: their rows stay in the fastest cache


@vector_loop
def fill_each(field, t, number, rows, scratch):
    """Sample a flow field at a time [s] and at the positions in the rows, one after the other.

    field, t: see `dem.kernels.fluid`.
    number: of places.
    Writes rows: (`rows_of` the field, BLOCK), except those of positions. Writes scratch: (gridded.SCRATCH, BLOCK).
    """
    for s in range(number):
        write_sample(sample_of(field, t, three(rows, PLACE, s)), rows, s)


fill = select("field", {gridded.FlowGrid: gridded.fill, object: fill_each})


@kernel
def speeds(field, time, position, speed):
    """Speeds of the fluid at positions (3, N) [m]; writes speed (N,) [m/s]."""
    for n in range(speed.size):
        u = sample_of(field, time, load(position, n)).velocity
        speed[n] = math.sqrt(dot(u, u))


@kernel
def resistances(fluid, kind, position, velocity, orientation, result):
    """Mean resistance of bodies along their axes: drag over the slip velocity [N s/m].

    fluid, kind: of ``dem.kernels.fluid``; (N,) variants.
    position, velocity, orientation: (3, N) [m], (3, N) [m/s], (4, N) of the bodies.
    Writes result: (N,) [N s/m].
    """
    for n in range(kind.size):
        g = kind[n]
        flow = sample_of(fluid.field, fluid.medium.clock[0], load(position, n))
        medium = medium_at(flow, fluid.medium)
        slip = rotate_back(load_quaternion(orientation, n), subtract(flow.velocity, load(velocity, n)))
        reynolds = medium.density * medium.diameter[g] * math.sqrt(dot(slip, slip)) / medium.viscosity
        along = resist(fluid.drag, medium, g, reynolds, slip, flow)
        result[n] = (along[0] + along[1] + along[2]) / 3.0


@kernel
def velocities(field, time, position, velocity):
    """Velocity of the fluid at positions (3, N) [m]; writes velocity (3, N) [m/s]."""
    for n in range(position.shape[1]):
        store(velocity, n, sample_of(field, time, load(position, n)).velocity)
