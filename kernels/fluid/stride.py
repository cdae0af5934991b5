"""Relaxation towards the fluid, followed exactly however short its time: where the fluid's force acts in a step.

Velocity or angular velocity y obeys y' = rate (target - y) + push. From half a step before the forces to half a step
after them rate and push are held, and the target goes along its tangent, target + s slope:

    y_{n+1/2} = p(h/2) + E (y_{n-1/2} - p(-h/2)),  p(s) = target + push/rate + slope (s - 1/rate),  E = exp(-h rate)

For slow relaxation that is the leap-frog; for h rate = 1, 10, 1000 it is as stable, a body comes to its terminal
velocity to the last digit, and one that follows the fluid does so in second order: without the tangent it would by
Euler's method. Splitting drag from the other forces is off by h² rate²: the terminal velocity by 8 % at h rate = 1.

Such integrators are reviewed by M. Hochbruck, A. Ostermann, Acta Numer. 19 (2010) 209.
"""

from typing import NamedTuple

from kernels.base.elementary import exponential_less_one
from kernels.base.jit import formula

LEAST = 1e-30  # h rate that is divided by; products of smaller ones are numbers that processors are slow with


class Share(NamedTuple):
    """What half a step makes of a gap and of a push along one axis."""

    loss: float  # of the gap to the target, 1 - exp(-h rate/2)
    mean: float  # loss over h rate: what h push gives


@formula
def share(h, rate):
    """The `Share` of one axis."""
    x = max(h * rate, LEAST)
    loss = -exponential_less_one(-0.5 * x)
    return Share(loss, loss / x)


@formula
def of_ball(h, rate):
    """Of a sphere: the same along all axes."""
    one = share(h, rate[0])
    return one, one, one


@formula
def of_body(h, rate):
    """Along three axes."""
    return share(h, rate[0]), share(h, rate[1]), share(h, rate[2])


@formula
def rate_of(h, one):
    """The rate that a `Share` is of."""
    return one.loss / (h * one.mean)


@formula
def until(h, one, gap, push, slope):
    """Change from half a step before the forces to these."""
    return one.loss * gap + h * (one.mean * push + (0.5 * (1.0 - one.loss) - one.mean) * slope)


@formula
def whole(h, one, gap, push, slope):
    """The same to half a step after the forces."""
    kept = 1.0 - one.loss
    mean = one.mean * (1.0 + kept)
    return one.loss * (1.0 + kept) * gap + h * (mean * push + (0.5 * (1.0 + kept * kept) - mean) * slope)


@formula
def after(h, one, gap, push, slope):
    """The same from the forces, to whose time the gap belongs, to half a step after them."""
    return one.loss * gap + h * (one.mean * push + (0.5 - one.mean) * slope)


@formula
def step_until(h, three, gap, push, slope):
    """`until` along three axes."""
    return (
        until(h, three[0], gap[0], push[0], slope[0]),
        until(h, three[1], gap[1], push[1], slope[1]),
        until(h, three[2], gap[2], push[2], slope[2]),
    )


@formula
def whole_step(h, three, gap, push, slope):
    """`whole` along three axes."""
    return (
        whole(h, three[0], gap[0], push[0], slope[0]),
        whole(h, three[1], gap[1], push[1], slope[1]),
        whole(h, three[2], gap[2], push[2], slope[2]),
    )


@formula
def step_after(h, three, gap, push, slope):
    """`after` along three axes."""
    return (
        after(h, three[0], gap[0], push[0], slope[0]),
        after(h, three[1], gap[1], push[1], slope[1]),
        after(h, three[2], gap[2], push[2], slope[2]),
    )
