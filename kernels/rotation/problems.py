"""Torque laws with known solutions, for comparisons of schemes.

As numbers, not functions, so that one compiled loop serves them all and is found in the cache by the next process.
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.quaternion import rotate
from dem.kernels.numerics.vector import add_scaled

KINDS = range(6)
FREE, SPHERE, CYLINDER, HEAVY_TOP, SPRING, DRAG = KINDS  # the last two are for tests of order


class Problem(NamedTuple):
    """A torque law; `ahead` shifts its time."""

    kind: int
    ahead: float = 0.0


@inline
def torque(problem, t, q, omega):
    """Torque of a problem [N m], world or body frame as the problem has it."""
    t += problem.ahead
    if problem.kind == SPHERE:  # Zhao & van Wachem 2013, third test case; Seelen et al. 2016, (4)
        return 0.0, 1e5 * math.exp(t), 0.0
    if problem.kind == CYLINDER:  # Zhao & van Wachem 2013, fourth test case; Seelen et al. 2016, (5)
        return 5e-4 * math.sin(200.0 * math.pi * t), 1e-5 * math.exp(3.0 + 24.0 * t), 1e-5 * 5.0 ** (52.0 * t)
    if problem.kind == HEAVY_TOP:  # weight 1 N at the distance 1 m on the body's z axis, fixed in the origin
        z = rotate(q, (0.0, 0.0, 1.0))
        return z[1] * -1.0, z[0], 0.0
    if problem.kind == SPRING or problem.kind == DRAG:  # noqa: PLR1714, numba wants it spelt out
        a = rotate(q, (0.3, 1.0, 0.2))  # depends on the orientation, without symmetry
        tau = (2.0 * a[1], -3.0 * a[0], a[2] * a[0])
        return add_scaled(tau, -0.4, omega) if problem.kind == DRAG else tau
    return 0.0, 0.0, 0.0
