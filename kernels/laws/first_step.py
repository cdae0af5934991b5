"""First step of a contact: weights that keep impacts of second order although forces begin like a root of time.

A scheme with fixed steps sums samples of a force. If a force begins at a time t₀ between two samples and grows like
(t - t₀)^s, the sum has the error ζ(-s, θ) dt^(1+s), with the fraction θ of a step from t₀ to the first sample and
Hurwitz' ζ (I. Navot, J. Math. Phys. 40 (1961) 271). A dashpot, s = 1/4, would then make impacts of order 5/4, and a
tangential spring, s = 1/2, of order 3/2. The weight -ζ(-s, 1 + θ) of the first sample, in place of θ^s, removes this
error, and impacts are of second order. The polynomials below approximate the weights within 2e-4. The end of a contact
is the same backwards in time: the next sample, if there is one, contains what the last sample lacks.
"""

import math

from dem.kernels.compiler.jit import inline

TINY_FRACTION = 1e-9
NOT_FIRST_STEP = 2.0  # in place of a fraction, of contacts that there were before


@inline
def has_begun(overlap, normal_velocity, dt):
    """Whether a contact has begun in the last step.

    Surfaces that just touched at the last sample, without a force, begin too: they have touched for a whole step now.
    """
    return -normal_velocity * dt * (1.0 + 1e-9) > overlap


@inline
def first_step_fraction(contact, normal_velocity, dt):
    """Fraction θ in (0, 1] of the last step for which two surfaces have touched, or `NOT_FIRST_STEP`.

    It is `NOT_FIRST_STEP` if the surfaces touched before that step, and if they are apart. A contact begins only with
    surfaces that approach, so the division by the distance of a step is safe.
    """
    if contact.may_begin and contact.overlap >= 0.0 and has_begun(contact.overlap, normal_velocity, dt):
        return min(contact.overlap / (-normal_velocity * dt), 1.0)
    return NOT_FIRST_STEP


@inline
def first_samples_of_root(theta, ahead):
    """Samples of a square root √δ that grows from 0 as δ = θ g in the first step, with `ahead` = √g.

    The first is for terms proportional to √δ, -ζ(-1/2, 1 + θ) √g; the second for terms proportional to its root,
    [ζ(-1/4, 1 + θ)]² √g. In later steps, with θ = `NOT_FIRST_STEP` and g = δ, both are √δ. The argument is √g, because
    a division by powers of θ would need roots of roots.
    """
    fourth = 0.32028287 + theta * (0.86413853 + theta * (0.16409575 - 0.02819668 * theta))
    has_begun = theta <= 1.0
    return (square_root_weight(theta) if has_begun else 1.0) * ahead, (fourth * fourth if has_begun else 1.0) * ahead


@inline
def square_root_weight(theta):
    """Weight -ζ(-1/2, 1 + θ) of the first sample of a square root."""
    return 0.2076902 + theta * (0.73458957 + theta * (0.30384932 - 0.03839839 * theta))


@inline
def constant_weight(theta):
    """Weight of the first sample of a constant force, which starts with a jump: -ζ(0, 1 + θ)."""
    return 0.5 + theta if theta <= 1.0 else 1.0


@inline
def weight_after_start(overlap, normal_velocity, dt):
    """Weight of a sample of a constant force that starts or ends anywhere in a step.

    The first sample counts 1/2 + θ in all. If rounding took θ for 1 where it is a little more, there would be half a
    sample too many or too few; so it is spread over two samples, 3/2 θ and 2 - (1 + θ)/2, which do not jump. A force
    that ends with a jump counts likewise, by the remaining fraction of the last step.
    """
    return weight_near_jump(overlap, -normal_velocity * dt)


@inline
def weight_near_jump(overlap, displacement):
    """Weight of a sample a number of steps (overlap over displacement) from a jump; 1 if there is no jump ahead."""
    if 2.0 * displacement <= max(overlap, 0.0):
        return 1.0
    theta = overlap / displacement
    return 1.5 * theta if theta < 1.0 else 2.0 - 0.5 * theta


@inline
def last_step_fraction(beyond, normal_velocity, dt):
    """Fraction θ in (0, 1) of the last step for which a contact existed that ended `beyond` [m] ago."""
    displacement = normal_velocity * dt
    return min(max(1.0 - beyond / displacement, TINY_FRACTION), 1.0 - TINY_FRACTION) if displacement > 0.0 else 0.5


@inline
def end_correction_of_constant(theta):
    """Correction, in the sample after its end, of a constant force that ended a fraction θ after the last sample."""
    return constant_weight(theta) - 1.0


@inline
def end_correction_of_square_root(theta):
    """Correction after the end of a force that ends like a square root, over its value a step before the end."""
    return square_root_weight(theta) - math.sqrt(theta)


@inline
def power_weight(theta, s):
    """Weight of the first sample of a force that starts with the power s ≥ 0: -ζ(-s, 1 + θ)/θ^s (Euler-Maclaurin)."""
    own = theta**s
    if theta <= 1.0 and own > 0.0:  # at θ = 0 there is nothing to correct
        q = theta + 4.0
        remainder = q**s * (q / (1.0 + s) - 0.5 + s / (12.0 * q) - s * (s - 1.0) * (s - 2.0) / (720.0 * q * q * q))
        return (remainder - (1.0 + theta) ** s - (2.0 + theta) ** s - (3.0 + theta) ** s) / own
    return 1.0
