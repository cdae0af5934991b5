"""Exponential integration of drag: relaxation towards the fluid, stable for any ratio of step to relaxation time.

Velocity or angular velocity y obeys y' = rate (target - y) + push. From half a step before the forces to half a step
after them, rate and push are constant and the target is linear in time, target + s slope:

    y_{n+1/2} = p(h/2) + E (y_{n-1/2} - p(-h/2)),  p(s) = target + push/rate + slope (s - 1/rate),  E = exp(-h rate)

Relative to the target, y is pushed by push - slope. `relaxed` is the change in the first half of the step;
`whole_from_half` adds that in the second half, which acts on the slip left by the first.

For slow relaxation this is the leap-frog scheme. It is stable for h rate = 1, 10, 1000 too: the terminal velocity is
exact to rounding, and a body that follows the fluid does so with second order (first order without the slope).
Splitting drag from the other forces would have an error of h² rate²: 8 % of the terminal velocity at h rate = 1.

Such integrators are reviewed by M. Hochbruck, A. Ostermann, Acta Numer. 19 (2010) 209.
"""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.elementary import exponential_less_one

MIN_STEP_RATE = 1e-30  # h rate that is divided by; products of smaller ones are numbers that processors are slow with


class Share(NamedTuple):
    """Relaxation factors of half a step along one axis, for a slip velocity and for an acceleration by other forces."""

    loss: float  # of the slip, target less velocity: 1 - exp(-h rate/2)
    time: float  # loss over rate: for how long a push works [s]


@inline
def relaxation_of(h, rate):
    """Relaxation factors (`Share`) along one axis, for a step h [s] and a rate [1/s]."""
    x = max(h * rate, MIN_STEP_RATE)
    loss = -exponential_less_one(-0.5 * x)
    return Share(loss, h * (loss / x))


@inline
def of_sphere(h, rate):
    """Relaxation factors of a sphere, equal along all axes."""
    one = relaxation_of(h, rate[0])
    return one, one, one


@inline
def of_body(h, rate):
    """Relaxation factors of a body along its three axes."""
    return relaxation_of(h, rate[0]), relaxation_of(h, rate[1]), relaxation_of(h, rate[2])


@inline
def with_added_mass(mass_ratio, three):
    """Relaxation factors with added mass: forces act on the fraction `mass_ratio` of the total inertia."""
    a, b, c = three
    return Share(a.loss, mass_ratio * a.time), Share(b.loss, mass_ratio * b.time), Share(c.loss, mass_ratio * c.time)


@inline
def rate_of(one):
    """Relaxation rate [1/s] of a `Share`."""
    return one.loss / one.time


@inline
def relaxed(one, slip, push):
    """Change of velocity in half a step by relaxation of a slip and an acceleration, with a target at rest."""
    return one.loss * slip + one.time * push


@inline
def whole_from_half(one, change):
    """Change in a whole step, given that of its first half; the second half relaxes the remaining slip."""
    return (2.0 - one.loss) * change


@inline
def whole(h, one, slip, push, slope):
    """Change from half a step before the forces to half a step after them; the slip is to the target at the forces."""
    return whole_from_half(one, relaxed(one, slip - 0.5 * h * slope, push - slope)) + h * slope


@inline
def after(h, one, slip, push, slope):
    """Change of velocity in the half step after the forces."""
    return relaxed(one, slip, push - slope) + 0.5 * h * slope


@inline
def step_relaxed(three, slip, push):
    """Apply `relaxed` along three axes."""
    return relaxed(three[0], slip[0], push[0]), relaxed(three[1], slip[1], push[1]), relaxed(three[2], slip[2], push[2])


@inline
def step_whole_from_half(three, change):
    """Apply `whole_from_half` along three axes."""
    return (
        whole_from_half(three[0], change[0]),
        whole_from_half(three[1], change[1]),
        whole_from_half(three[2], change[2]),
    )


@inline
def whole_step(h, three, slip, push, slope):
    """Apply `whole` along three axes."""
    return (
        whole(h, three[0], slip[0], push[0], slope[0]),
        whole(h, three[1], slip[1], push[1], slope[1]),
        whole(h, three[2], slip[2], push[2], slope[2]),
    )


@inline
def step_after(h, three, slip, push, slope):
    """Apply `after` along three axes."""
    return (
        after(h, three[0], slip[0], push[0], slope[0]),
        after(h, three[1], slip[1], push[1], slope[1]),
        after(h, three[2], slip[2], push[2], slope[2]),
    )
