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

from kernels.base.jit import formula

LEAST = 1e-300  # h rate that is divided by


@formula
def whole(h, rate, gap, push, slope):
    """Change from half a step before the forces to half a step after; gap is target - y before."""
    x = max(h * rate, LEAST)
    half = -math.expm1(-0.5 * x)
    mean = half * (2.0 - half) / x
    kept = 1.0 - half
    return h * (mean * (gap * rate + push) + (0.5 * (1.0 + kept * kept) - mean) * slope)


@formula
def until(h, rate, gap, push, slope):
    """Change from half a step before the forces to these; gap is target - y before."""
    x = max(h * rate, LEAST)
    half = -math.expm1(-0.5 * x)
    return h * (half / x * (gap * rate + push) + (0.5 * (1.0 - half) - half / x) * slope)


@formula
def after(h, rate, gap, push, slope):
    """Change from the forces to half a step later; gap is target - y at the forces."""
    x = max(h * rate, LEAST)
    half = -math.expm1(-0.5 * x)
    return h * (half / x * (gap * rate + push) + (0.5 - half / x) * slope)


@formula
def whole_step(h, rate, gap, push, slope):
    """`whole` along three axes."""
    return (
        whole(h, rate[0], gap[0], push[0], slope[0]),
        whole(h, rate[1], gap[1], push[1], slope[1]),
        whole(h, rate[2], gap[2], push[2], slope[2]),
    )


@formula
def step_until(h, rate, gap, push, slope):
    """`until` along three axes."""
    return (
        until(h, rate[0], gap[0], push[0], slope[0]),
        until(h, rate[1], gap[1], push[1], slope[1]),
        until(h, rate[2], gap[2], push[2], slope[2]),
    )


@formula
def step_after(h, rate, gap, push, slope):
    """`after` along three axes."""
    return (
        after(h, rate[0], gap[0], push[0], slope[0]),
        after(h, rate[1], gap[1], push[1], slope[1]),
        after(h, rate[2], gap[2], push[2], slope[2]),
    )
