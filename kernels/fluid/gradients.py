"""Samples of flow fields, and velocity gradients as tuples of nine floats: ∂u_x/∂x, ∂u_x/∂y, ∂u_x/∂z, ∂u_y/∂x, ..."""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline


class Sample(NamedTuple):
    """A flow field at a position and a time."""

    velocity: tuple[float, float, float]  # u [m/s]
    gradient: tuple[float, float, float, float, float, float, float, float, float]  # ∇u [1/s]
    change: tuple[float, float, float]  # ∂u/∂t [m/s²]
    outside: int  # 1 outside the field; the values are then those of the nearest position or time


# rows of numbers in which many of them are kept: velocity, gradient, change, whether outside, of which place
GRADIENT, CHANGE, OUTSIDE, PLACE, ROWS = 3, 12, 15, 16, 19
NO_GRADIENT = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inline
def three(rows, r, s):
    """Read vector number s, stored in the three rows from r on."""
    return rows[r, s], rows[r + 1, s], rows[r + 2, s]


@inline
def write_three(rows, r, s, v):
    """Write vector number s to the three rows from r on."""
    rows[r, s], rows[r + 1, s], rows[r + 2, s] = v


@inline
def write_sample(flow, rows, s):
    """Write `Sample` number s."""
    g = flow.gradient
    write_three(rows, 0, s, flow.velocity)
    write_three(rows, GRADIENT, s, (g[0], g[1], g[2]))
    write_three(rows, GRADIENT + 3, s, (g[3], g[4], g[5]))
    write_three(rows, GRADIENT + 6, s, (g[6], g[7], g[8]))
    write_three(rows, CHANGE, s, flow.change)
    rows[OUTSIDE, s] = flow.outside


@inline
def sample_in(field, rows, s):
    """Read sample number s of a field."""
    (a, b, c), (d, e, f) = three(rows, GRADIENT, s), three(rows, GRADIENT + 3, s)
    g, h, i = three(rows, GRADIENT + 6, s)
    return Sample(three(rows, 0, s), (a, b, c, d, e, f, g, h, i), three(rows, CHANGE, s), rows[OUTSIDE, s])


@inline
def along(gradient, v):
    """Rate of change (v·∇)u of u along a path of velocity v [m/s²]."""
    return (
        gradient[0] * v[0] + gradient[1] * v[1] + gradient[2] * v[2],
        gradient[3] * v[0] + gradient[4] * v[1] + gradient[5] * v[2],
        gradient[6] * v[0] + gradient[7] * v[1] + gradient[8] * v[2],
    )


@inline
def curl(gradient):
    """∇×u [1/s]."""
    return gradient[7] - gradient[5], gradient[2] - gradient[6], gradient[3] - gradient[1]


@inline
def strain(gradient):
    """Rate of strain E, the symmetric part of ∇u: xx, yy, zz, xy, xz, yz [1/s]."""
    return (
        gradient[0], gradient[4], gradient[8], 0.5 * (gradient[1] + gradient[3]), 0.5 * (gradient[2] + gradient[6]),
        0.5 * (gradient[5] + gradient[7]),
    )  # fmt: skip


@inline
def stretch(rate, d):
    """Product E d of a rate of strain E with a direction d [1/s]."""
    return (
        rate[0] * d[0] + rate[3] * d[1] + rate[4] * d[2],
        rate[3] * d[0] + rate[1] * d[1] + rate[5] * d[2],
        rate[4] * d[0] + rate[5] * d[1] + rate[2] * d[2],
    )
