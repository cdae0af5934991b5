"""Contacts of two capsules: at the closest points of their segments, or at both ends if they are nearly parallel.

Closest points: C. Ericson, Real-Time Collision Detection (2005), section 5.1.9; C. Vega, S. Lago, Comput. Chem. 18
(1994) 55. The energy of the overlap there is continuous for all poses, but the contact point of parallel segments is
not: it jumps from end to end. So with D = sin² of their angle the energy of two capsules is

    U = w(D/D₀) E₀ + (1 - w) ½ Σ_e [v_e E_Ae + (1 - v_e) E_Be]

with E₀ at the closest points, and on either side e the end of capsule A against segment B, E_Ae, or that of B on the
same side against segment A, E_Be, whichever overlaps more: v = 1 or 0, smoothly within λ = R̄/50 of where one takes over
from the other, and both are alike by symmetry. Distances of points from segments are smooth, w and v are y² (3 - 2 y),
so force and couple are continuous; parallel capsules have two contacts of half the stiffness each. √D₀ = R̄/10 over the
shorter half length: there the ends of the shorter one are R̄/10 off the other one's side. The weights hand energy over,
so their gradients are forces too, see `gradient`: U is what is conserved.
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, scale, subtract

SHARE = 0.1  # of the mean radius, over half the length: √D₀
WIDEST = 0.01  # D₀ of short capsules
WIDTH = 0.02  # λ over the mean radius
TINY_SQUARE = 1e-300  # in place of a length of zero


@inline
def clamp(s):
    """Value s limited to [-1, 1]."""
    return min(max(s, -1.0), 1.0)


@inline
def inverse_square(u):
    """1/u² of a half axis [1/m²], stored because each pair uses it; segments may have no length."""
    return 1.0 / max(dot(u, u), TINY_SQUARE)


@inline
def closest(x, u, v):
    """Parameters s, t of the closest points of two segments, from -1 to 1; x from the middle of the second one."""
    return closest_of(x, u, v, inverse_square(u), inverse_square(v))


@inline
def closest_of(x, u, v, inverse_a, inverse_e):
    """Parameters of the closest points of two segments, from -1 to 1, given `inverse_square` of both half axes.

    Without branches: the closest points of the two lines, limited to the segments one after the other. For parallel
    segments the points are one pair of many, the distance is right.
    """
    a, b, e = dot(u, u), dot(u, v), dot(v, v)
    c, f = dot(u, x), dot(v, x)
    s = clamp((b * f - c * e) / max(a * e - b * b, TINY_SQUARE))
    t = clamp((b * s + f) * inverse_e)
    return clamp((b * t - c) * inverse_a), t


@inline
def between(x, u, v, s, t):
    """Vector from the point of parameter t on the second segment to that of parameter s on the first."""
    return add_scaled(add_scaled(x, s, u), -t, v)


@inline
def smooth(y):
    """Return y² (3 - 2 y) between 0 and 1, and its slope."""
    y = min(max(y, 0.0), 1.0)
    return y * y * (3.0 - 2.0 * y), 6.0 * y * (1.0 - y)


class Weights(NamedTuple):
    """Weights of the contacts of two capsules, and the terms of the gradients of the weights."""

    closest: float  # w
    slope: float  # dw/dD
    low: float  # v of the first end of A
    low_slope: float  # its derivative by how far the end of B lies beyond that of A [1/m]
    high: float  # v of the second end of A
    high_slope: float
    sign: float  # 1 if both axes point the same way, else -1
    cosine: float  # of the angle between the axes


@inline
def single_contact():
    """`Weights` of two capsules that have only the contact of their closest points."""
    return Weights(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


@inline
def are_nearly_parallel(u, v, mean):
    """Whether D is below D₀; R̄ is the mean radius [m]."""
    return are_parallel_of(u, v, mean, inverse_square(u), inverse_square(v))


@inline
def are_parallel_of(u, v, mean, inverse_a, inverse_e):
    """Whether D is below D₀, given `inverse_square` of both half axes."""
    a, b, e = dot(u, u), dot(u, v), dot(v, v)
    limit = min(SHARE * SHARE * mean * mean * max(inverse_a, inverse_e), WIDEST)
    return a * e - b * b < limit * a * e


@inline
def weights(x, u, v, mean):
    """`Weights` of two capsules of half axes u and v, x from the second one's middle, that are nearly parallel."""
    a, e = dot(u, u), dot(v, v)
    h_u, h_v = math.sqrt(a), math.sqrt(e)
    cosine = dot(u, v) / (h_u * h_v)
    normal = cross(u, v)
    sine2 = dot(normal, normal) / (a * e)
    limit = min(SHARE * SHARE * mean * mean / min(a, e), WIDEST)
    w, slope = smooth(sine2 / limit)
    sign = math.copysign(1.0, cosine)
    along = 0.5 * (dot(x, u) / h_u + sign * dot(x, v) / h_v)
    longer = 0.5 * (h_v - h_u) * (1.0 + abs(cosine))
    width = WIDTH * mean
    low, low_slope = smooth(0.5 + 0.5 * (longer + along) / width)
    high, high_slope = smooth(0.5 + 0.5 * (longer - along) / width)
    return Weights(w, slope / limit, low, 0.5 * low_slope / width, high, 0.5 * high_slope / width, sign, cosine)


@inline
def contact_parameters(slot, x, u, v):
    """Parameters s, t of a contact on both segments: the closest points, the ends of the first, or of the second."""
    if slot == 0:
        return closest(x, u, v)
    if slot < 3:  # the end -1 or 1 of the first, and where the second is closest to it
        end = 2.0 * slot - 3.0
        return end, clamp((dot(v, x) + end * dot(u, v)) / max(dot(v, v), TINY_SQUARE))
    end = 2.0 * slot - 7.0
    return clamp((end * dot(u, v) - dot(u, x)) / max(dot(u, u), TINY_SQUARE)), end


@inline
def weight_of(slot, q):
    """Weight of a contact, of `Weights`."""
    if slot == 0:
        return q.closest
    side = 2 * (slot % 2) - 1  # -1 for second ends of a capsule, 1 for first ones
    if slot < 3:
        share = q.low if side > 0 else q.high
    else:
        share = 1.0 - (q.low if (side > 0) == (q.sign > 0.0) else q.high)
    return (1.0 - q.closest) * 0.5 * share


class WeightRates(NamedTuple):
    """Time derivatives of `Weights` [1/s]."""

    closest: float
    low: float
    high: float


@inline
def weight_rates(x, u, v, q, velocity, spin_u, spin_v):
    """`WeightRates` of two capsules that move.

    Forces and torques of `gradient` do the work by which the energies of the contacts change with these rates.

    x, u, v, q: see `gradient`.
    velocity: of the first one's middle, less that of the second one's [m/s].
    spin_u, spin_v: angular velocities [rad/s].
    """
    h_u, h_v = math.sqrt(dot(u, u)), math.sqrt(dot(v, v))
    d_u, d_v = scale(1.0 / h_u, u), scale(1.0 / h_v, v)
    cosine_rate = dot(subtract(spin_u, spin_v), cross(d_u, d_v))
    along_u = dot(velocity, d_u) + dot(spin_u, cross(d_u, x))
    along_v = dot(velocity, d_v) + dot(spin_v, cross(d_v, x))
    along = 0.5 * (along_u + q.sign * along_v)
    longer = 0.5 * (h_v - h_u) * q.sign * cosine_rate
    return WeightRates(
        -2.0 * q.cosine * cosine_rate * q.slope, q.low_slope * (longer + along), q.high_slope * (longer - along)
    )


@inline
def rate_of(slot, q, rates):
    """Time derivative of `weight_of` a contact [1/s], of `Weights` and `WeightRates`."""
    if slot == 0:
        return rates.closest
    side = 2 * (slot % 2) - 1
    if slot < 3:
        share, share_rate = (q.low, rates.low) if side > 0 else (q.high, rates.high)
    else:
        share, share_rate = (q.low, rates.low) if (side > 0) == (q.sign > 0.0) else (q.high, rates.high)
        share, share_rate = 1.0 - share, 0.0 - share_rate
    return 0.5 * ((1.0 - q.closest) * share_rate - rates.closest * share)


@inline
def gradient(x, u, v, q, energies):
    """Force on the first capsule and torques on both from the gradients of the weights, -∂U/∂w ∇w and -∂U/∂v ∇v.

    x, u, v, q: from the second one's middle, half axes [m], `Weights`.
    energies: of each of the five contacts, not weighted [J].
    Returns the force [N], torque on the first, torque on the second [N m].
    """
    d_u, d_v = scale(1.0 / math.sqrt(dot(u, u)), u), scale(1.0 / math.sqrt(dot(v, v)), v)
    of_closest, low_u, high_u, first_v, second_v = energies
    low_v, high_v = (first_v, second_v) if q.sign > 0.0 else (second_v, first_v)
    mean = 0.5 * (q.low * low_u + (1.0 - q.low) * low_v + q.high * high_u + (1.0 - q.high) * high_v)
    force_low = 0.5 * (1.0 - q.closest) * (low_u - low_v) * q.low_slope
    force_high = 0.5 * (1.0 - q.closest) * (high_u - high_v) * q.high_slope
    along = 0.5 * (force_high - force_low)
    longer = 0.5 * (force_high + force_low) * (math.sqrt(dot(v, v)) - math.sqrt(dot(u, u))) * q.sign
    turn = scale(2.0 * q.cosine * q.slope * (of_closest - mean) - longer, cross(d_u, d_v))
    force = scale(along, add_scaled(d_u, q.sign, d_v))
    on_first = add(scale(along, cross(d_u, x)), turn)
    on_second = subtract(scale(along * q.sign, cross(d_v, x)), turn)
    return force, on_first, on_second
