"""Velocity gradients, as tuples of nine floats: ∂u_x/∂x, ∂u_x/∂y, ∂u_x/∂z, ∂u_y/∂x and so on.

A flow field says of a place and a time what a `Sample` holds.
"""

from typing import NamedTuple

from kernels.base.jit import formula


class Sample(NamedTuple):
    """What a flow field says of a place and a time."""

    velocity: tuple[float, float, float]  # u [m/s]
    gradient: tuple[float, float, float, float, float, float, float, float, float]  # ∇u [1/s]
    change: tuple[float, float, float]  # ∂u/∂t [m/s²]
    outside: int  # 1 where the field is not known, and what stands here is that of the nearest place or time


NO_GRADIENT = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@formula
def along(gradient, v):
    """(v·∇)u: how u changes for who moves with v [m/s²]."""
    return (
        gradient[0] * v[0] + gradient[1] * v[1] + gradient[2] * v[2],
        gradient[3] * v[0] + gradient[4] * v[1] + gradient[5] * v[2],
        gradient[6] * v[0] + gradient[7] * v[1] + gradient[8] * v[2],
    )


@formula
def curl(gradient):
    """∇×u [1/s]."""
    return gradient[7] - gradient[5], gradient[2] - gradient[6], gradient[3] - gradient[1]


@formula
def stretch(gradient, d):
    """E d with the rate of strain E, the symmetric part of ∇u [1/s]."""
    xy = 0.5 * (gradient[1] + gradient[3])
    xz = 0.5 * (gradient[2] + gradient[6])
    yz = 0.5 * (gradient[5] + gradient[7])
    return (
        gradient[0] * d[0] + xy * d[1] + xz * d[2],
        xy * d[0] + gradient[4] * d[1] + yz * d[2],
        xz * d[0] + yz * d[1] + gradient[8] * d[2],
    )
