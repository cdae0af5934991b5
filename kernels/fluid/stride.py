"""Relaxation towards the fluid, followed exactly however short its time: where the fluid's force acts in a step.

Velocity or angular velocity y obeys y' = rate (target - y) + push. From half a step before the forces to half a step
after them rate and push are held, and the target goes along its tangent, target + s slope:

    y_{n+1/2} = p(h/2) + E (y_{n-1/2} - p(-h/2)),  p(s) = target + push/rate + slope (s - 1/rate),  E = exp(-h rate)

For slow relaxation that is the leap-frog; for h rate = 1, 10, 1000 it is as stable, a body comes to its terminal
velocity to the last digit, and one that follows the fluid does so in second order: without the tangent it would by
Euler's method. Splitting drag from the other forces is off by h² rate²: the terminal velocity by 8 % at h rate = 1.

Such integrators are reviewed by M. Hochbruck, A. Ostermann, Acta Numer. 19 (2010) 209.
"""

import math
from typing import NamedTuple

from kernels.base.jit import formula

LEAST = 1e-300  # h rate that is divided by


class Shares(NamedTuple):
    """What a step makes of gap·rate + push, and of slope: along one axis, or along three, over h."""

    until: tuple  # from half a step before the forces to these: two factors
    whole: tuple  # to half a step after them
    after: tuple  # from the forces to half a step after them


@formula
def shares(h, rate):
    """Factors of one axis."""
    x = max(h * rate, LEAST)
    half = -math.expm1(-0.5 * x)
    kept, mean = 1.0 - half, half / x
    all_of_it = mean * (2.0 - half)
    return Shares((mean, 0.5 * kept - mean), (all_of_it, 0.5 * (1.0 + kept * kept) - all_of_it), (mean, 0.5 - mean))


@formula
def of_ball(h, rate):
    """Factors of a sphere: the same along all axes."""
    one = shares(h, rate[0])
    return one, one, one


@formula
def of_body(h, rate):
    """Factors along three axes."""
    return shares(h, rate[0]), shares(h, rate[1]), shares(h, rate[2])


@formula
def drive(rate, gap, push):
    """gap·rate + push along three axes."""
    return gap[0] * rate[0] + push[0], gap[1] * rate[1] + push[1], gap[2] * rate[2] + push[2]


@formula
def change(h, a, b, c, driven, slope):
    """Change along three axes, each by its own two factors."""
    return (
        h * (a[0] * driven[0] + a[1] * slope[0]),
        h * (b[0] * driven[1] + b[1] * slope[1]),
        h * (c[0] * driven[2] + c[1] * slope[2]),
    )


@formula
def step_until(h, three, driven, slope):
    """Change from half a step before the forces to these, along three axes."""
    return change(h, three[0].until, three[1].until, three[2].until, driven, slope)


@formula
def whole_step(h, three, driven, slope):
    """The same to half a step after the forces."""
    return change(h, three[0].whole, three[1].whole, three[2].whole, driven, slope)


@formula
def step_after(h, three, driven, slope):
    """The same from the forces, to whose time the gap belongs, to half a step after them."""
    return change(h, three[0].after, three[1].after, three[2].after, driven, slope)
