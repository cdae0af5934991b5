"""The flow of a periodic cell that deforms, u = L r, relative to which velocities in the cell are measured.

A body of the peculiar velocity v moves at v + L r, so that the fluid at its place has the slip -v: drag depends on v
alone, and not on the origin. The relaxation of v takes no slope: -L v, the rate of change of v by the cell, is taken
exactly by the step of the cell (`dem.kernels.domain.deforming_cell`). The acceleration (dL/dt + L L) r of the flow is
left out, as in the equations of motion of the cell. Laws that see shear (torque, lift) have the gradient L.

At whole steps L is the mean of those of the step before and of the step after it; at the start it is that of the first
step.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.fluid.gradients import Sample


class AffineFlow(NamedTuple):
    """Velocity gradient of the fluid in a deforming cell."""

    gradient: np.ndarray  # (3, 3) L at the forces [1/s]


@inline
def sample(field, t, x):
    """Sample the flow relative to the cell: velocity zero, with the velocity gradient of the laboratory frame."""
    g = field.gradient
    rows = (g[0, 0], g[0, 1], g[0, 2], g[1, 0], g[1, 1], g[1, 2], g[2, 0], g[2, 1], g[2, 2])
    return Sample((0.0, 0.0, 0.0), rows, (0.0, 0.0, 0.0), 0)


@inline
def follow(field, box, starts):
    """Set the velocity gradient to that of the cell at the forces.

    starts: whether a run starts, before which no step was.
    Writes field.gradient.
    """
    for a in range(3):
        for b in range(3):
            mean = 0.5 * (box.gradient[a, b] + box.next_gradient[a, b])
            field.gradient[a, b] = box.next_gradient[a, b] if starts else mean
