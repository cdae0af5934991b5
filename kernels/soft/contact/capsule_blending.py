"""Contacts of two capsules, and weights that make the sum of their energies differentiable.

The axis of a capsule is a segment. Its points are c + s u, with the centre c and the half axis u; s is -1 at the first
end and 1 at the second end. Capsules A and B have the half axes u and v. x is the vector from the centre of B to that
of A [m]. Five contacts are possible, each with a number, its *slot*: one at the closest points of both segments, and
one at each of the four ends, with the point of the other segment that is closest to the end.

Crossed capsules touch at their closest points only, with energy E₀. This energy is continuous in all poses, but the
contact point is not: while two capsules pass through the parallel pose, it jumps from one end to the other. So nearly
parallel capsules touch at their ends. A *side* of the pair is low at the first end of A, and high at its second end. On
each side there is an end of A, with energy E_A, and an end of B, with energy E_B. Of these the end that lies within the
length of the other capsule counts. The energy of the pair is

    U = w E₀ + (1 - w) ½ Σ [a E_A + (1 - a) E_B]   over both sides,

    w = S(D / D₀)                 D: sin² of the angle between the axes
    a = S(½ + ½ b / λ)            b: how far the end of B is beyond that of A, along the mean axis [m]
    S(y) = y² (3 - 2 y)           for 0 < y < 1, else 0 or 1

The weights w and a are differentiable, as are distances of points from segments, so force and torque are continuous.
U is symmetric in A and B. Two parallel capsules have two contacts, each with half the stiffness.

√D₀ is R̄/10 over the shorter half length, with the mean radius R̄: at this angle the ends of the shorter capsule are
R̄/10 off the axis of the other one. λ is R̄/50.

The force is -∇U. It consists of the forces of the contacts times their weights, and of the gradients of the weights
times the energies (`weight_gradient_forces`). Without the second part, energy would not be conserved.

Closest points: C. Ericson, Real-Time Collision Detection (2005), section 5.1.9; C. Vega, S. Lago, Comput. Chem. 18
(1994) 55.
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, scale, subtract

CLOSEST, FIRST_END_A, SECOND_END_A, FIRST_END_B, SECOND_END_B = range(5)
SLOTS = 5
BLEND_ANGLE = 0.1  # √D₀ times the shorter half length over R̄
MAX_BLEND_SINE2 = 0.01  # largest D₀, of short capsules
BLEND_LENGTH = 0.02  # λ/R̄
TINY_SQUARE = 1e-300  # in place of a squared length of zero


@inline
def clamp(s):
    """Value s limited to [-1, 1]."""
    return min(max(s, -1.0), 1.0)


@inline
def inverse_square(u):
    """1/u² of a half axis [1/m²], very large but finite for one of zero length."""
    return 1.0 / max(dot(u, u), TINY_SQUARE)


@inline
def closest_parameters(x, u, v):
    """Parameters s of A and t of B, from -1 to 1, at the closest points of the segments; x, u, v [m]: see module."""
    return closest_parameters_given_inverses(x, u, v, inverse_square(u), inverse_square(v))


@inline
def closest_parameters_given_inverses(x, u, v, inverse_u2, inverse_v2):
    """Parameters s of A and t of B at the closest points, given the `inverse_square` of both half axes.

    Computed without branches, for vector code: the closest points of the two infinite lines, limited to one segment
    after the other. Parallel segments have many pairs of closest points; the result is one of them.
    """
    uu, uv, vv = dot(u, u), dot(u, v), dot(v, v)
    ux, vx = dot(u, x), dot(v, x)
    s = clamp((uv * vx - ux * vv) / max(uu * vv - uv * uv, TINY_SQUARE))
    t = clamp((uv * s + vx) * inverse_v2)
    return clamp((uv * t - ux) * inverse_u2), t


@inline
def separation_at(x, u, v, s, t):
    """Vector from the point t of segment B to the point s of segment A [m]."""
    return add_scaled(add_scaled(x, s, u), -t, v)


@inline
def are_nearly_parallel(u, v, mean_radius):
    """Whether D is below D₀, so that the ends of the capsules have contacts; mean_radius: R̄ [m]."""
    return are_nearly_parallel_given_inverses(u, v, mean_radius, inverse_square(u), inverse_square(v))


@inline
def are_nearly_parallel_given_inverses(u, v, mean_radius, inverse_u2, inverse_v2):
    """Whether D is below D₀, given the `inverse_square` of both half axes."""
    uu, uv, vv = dot(u, u), dot(u, v), dot(v, v)
    limit = min(BLEND_ANGLE * BLEND_ANGLE * mean_radius * mean_radius * max(inverse_u2, inverse_v2), MAX_BLEND_SINE2)
    return uu * vv - uv * uv < limit * uu * vv


class Weights(NamedTuple):
    """Weights of the contacts of two capsules, and what their derivatives need."""

    closest: float  # w
    closest_slope: float  # dw/dD
    low: float  # a of the low side
    low_slope: float  # da/db of the low side [1/m]
    high: float  # a of the high side
    high_slope: float  # da/db of the high side [1/m]
    sign: float  # 1 if both half axes point the same way, else -1
    cosine: float  # of the angle between the half axes


@inline
def single_contact_weights():
    """`Weights` of two capsules that touch at their closest points only."""
    return Weights(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


@inline
def smooth_step(y):
    """S(y) = y² (3 - 2 y) with y limited to [0, 1], and its slope."""
    y = min(max(y, 0.0), 1.0)
    return y * y * (3.0 - 2.0 * y), 6.0 * y * (1.0 - y)


@inline
def compute_weights(x, u, v, mean_radius):
    """`Weights` of two nearly parallel capsules; x, u, v, mean_radius [m]: see module."""
    uu, vv = dot(u, u), dot(v, v)
    half_u, half_v = math.sqrt(uu), math.sqrt(vv)
    cosine = dot(u, v) / (half_u * half_v)
    normal = cross(u, v)
    sine2 = dot(normal, normal) / (uu * vv)
    limit = min(BLEND_ANGLE * BLEND_ANGLE * mean_radius * mean_radius / min(uu, vv), MAX_BLEND_SINE2)
    w, slope = smooth_step(sine2 / limit)
    sign = math.copysign(1.0, cosine)
    shift = 0.5 * (dot(x, u) / half_u + sign * dot(x, v) / half_v)  # of A against B along the mean axis
    excess = 0.5 * (half_v - half_u) * (1.0 + abs(cosine))  # of the half length of B over that of A
    width = BLEND_LENGTH * mean_radius
    low, low_slope = smooth_step(0.5 + 0.5 * (excess + shift) / width)
    high, high_slope = smooth_step(0.5 + 0.5 * (excess - shift) / width)
    return Weights(w, slope / limit, low, 0.5 * low_slope / width, high, 0.5 * high_slope / width, sign, cosine)


@inline
def is_first_end(slot):
    """Whether the contact of a slot is at the first end of A or of B."""
    return slot in (FIRST_END_A, FIRST_END_B)


@inline
def contact_parameters(slot, x, u, v):
    """Parameters s of A and t of B, from -1 to 1, at the contact of a slot."""
    if slot == CLOSEST:
        return closest_parameters(x, u, v)
    end = -1.0 if is_first_end(slot) else 1.0
    if slot < FIRST_END_B:
        return end, clamp((dot(v, x) + end * dot(u, v)) / max(dot(v, v), TINY_SQUARE))
    return clamp((end * dot(u, v) - dot(u, x)) / max(dot(u, u), TINY_SQUARE)), end


@inline
def on_side_of_slot(slot, sign, low, high):
    """The value of the side that the end of a slot is on; sign: see `Weights`."""
    is_low = is_first_end(slot) if slot < FIRST_END_B else is_first_end(slot) == (sign > 0.0)
    return low if is_low else high


@inline
def weight_of_slot(slot, weights):
    """Weight of the energy of a contact in U."""
    if slot == CLOSEST:
        return weights.closest
    share = on_side_of_slot(slot, weights.sign, weights.low, weights.high)
    if slot >= FIRST_END_B:
        share = 1.0 - share
    return (1.0 - weights.closest) * 0.5 * share


class WeightRates(NamedTuple):
    """Time derivatives of the fields of `Weights` that have the same names [1/s]."""

    closest: float
    low: float
    high: float


@inline
def compute_weight_rates(x, u, v, weights, velocity, spin_a, spin_b):
    """`WeightRates` of two capsules that move.

    The power of the forces and torques of `weight_gradient_forces` is minus the rate of U by these rates.

    x, u, v: see module [m].
    velocity: of the centre of A relative to that of B [m/s].
    spin_a, spin_b: angular velocities [rad/s].
    """
    half_u, half_v = math.sqrt(dot(u, u)), math.sqrt(dot(v, v))
    axis_u, axis_v = scale(1.0 / half_u, u), scale(1.0 / half_v, v)
    cosine_rate = dot(subtract(spin_a, spin_b), cross(axis_u, axis_v))
    along_u = dot(velocity, axis_u) + dot(spin_a, cross(axis_u, x))
    along_v = dot(velocity, axis_v) + dot(spin_b, cross(axis_v, x))
    shift_rate = 0.5 * (along_u + weights.sign * along_v)
    excess_rate = 0.5 * (half_v - half_u) * weights.sign * cosine_rate
    return WeightRates(
        -2.0 * weights.cosine * cosine_rate * weights.closest_slope,
        weights.low_slope * (excess_rate + shift_rate),
        weights.high_slope * (excess_rate - shift_rate),
    )


@inline
def weight_rate_of_slot(slot, weights, rates):
    """Time derivative of `weight_of_slot` [1/s]."""
    if slot == CLOSEST:
        return rates.closest
    share = on_side_of_slot(slot, weights.sign, weights.low, weights.high)
    share_rate = on_side_of_slot(slot, weights.sign, rates.low, rates.high)
    if slot >= FIRST_END_B:
        share, share_rate = 1.0 - share, 0.0 - share_rate
    return 0.5 * ((1.0 - weights.closest) * share_rate - rates.closest * share)


@inline
def weight_gradient_forces(x, u, v, weights, energies):
    """Force and torques from the gradients of the weights: -∂U/∂w ∇w - Σ ∂U/∂a ∇a.

    x, u, v: see module [m].
    energies: of the contact of each slot, without its weight [J].
    Returns the force on A [N], which is minus that on B, the torque on A, and the torque on B [N m].
    """
    axis_u, axis_v = scale(1.0 / math.sqrt(dot(u, u)), u), scale(1.0 / math.sqrt(dot(v, v)), v)
    at_closest, low_a, high_a, first_b, second_b = energies
    low_b, high_b = (first_b, second_b) if weights.sign > 0.0 else (second_b, first_b)
    at_ends = 0.5 * (
        weights.low * low_a + (1.0 - weights.low) * low_b + weights.high * high_a + (1.0 - weights.high) * high_b
    )
    force_low = 0.5 * (1.0 - weights.closest) * (low_a - low_b) * weights.low_slope  # ∂U/∂b of the low side [N]
    force_high = 0.5 * (1.0 - weights.closest) * (high_a - high_b) * weights.high_slope
    along = 0.5 * (force_high - force_low)
    by_excess = 0.5 * (force_high + force_low) * (math.sqrt(dot(v, v)) - math.sqrt(dot(u, u))) * weights.sign
    by_angle = 2.0 * weights.cosine * weights.closest_slope * (at_closest - at_ends)
    turn = scale(by_angle - by_excess, cross(axis_u, axis_v))
    force = scale(along, add_scaled(axis_u, weights.sign, axis_v))
    on_a = add(scale(along, cross(axis_u, x)), turn)
    on_b = subtract(scale(along * weights.sign, cross(axis_v, x)), turn)
    return force, on_a, on_b
