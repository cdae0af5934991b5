"""Three ways to move q with the angular velocity at half steps: second order.

Zhao, F., van Wachem, B. G. M., Acta Mech. 224 (2013) 3091: leap-frog (33, 34), after Walton and Braun; its form as a
product (35) to (39); predictor-corrector (53, 54), after Allen and Tildesley. (37, 38) are misprinted: with
f = 1/|beta|² the product has unit length, needs no normalisation, and equals (33, 34) to rounding.
"""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.quaternion import cayley, derivative, product, renormalise, step, unit
from dem.kernels.numerics.vector import add_scaled, dot, scale
from dem.kernels.rotation.scheme_interface import leaping


class Leapfrog(NamedTuple):
    """Selects the leap-frog method."""


class LeapfrogProduct(NamedTuple):
    """Selects the leap-frog method as a product of quaternions."""


class PredictorCorrector(NamedTuple):
    """Selects the predictor-corrector method."""


@inline
def leap_frog(memory, inertia, dt):
    """q_{n+1} = q_n + dt/2 q_{n+1/2} omega_{n+1/2} with q_{n+1/2} = (q_n + q_{n+1})/2, solved (33, 34)."""
    q, omega, rate = memory
    q = renormalise(cayley(q, omega, dt))
    return q, (q, omega, rate)


@inline
def leap_frog_product(memory, inertia, dt):
    """q_{n+1} = q_n f beta beta with beta = [1, dt/4 omega_{n+1/2}] (35, 36, 39) and f = 1/|beta|²."""
    q, omega, rate = memory
    b = scale(0.25 * dt, omega)
    beta = (1.0, b[0], b[1], b[2])
    f = 1.0 / (1.0 + dot(b, b))
    bb = product(beta, beta)
    q = renormalise(product(q, (f * bb[0], f * bb[1], f * bb[2], f * bb[3])))
    return q, (q, omega, rate)


@inline
def predictor_corrector(memory, inertia, dt):
    """q_{n+1/2} from the rate at n (53), then q_{n+1} from that at n + 1/2 (54), normalised."""
    q, omega, rate = memory
    q_half = step(q, 0.5 * dt, derivative(q, add_scaled(omega, -0.5 * dt, rate)))
    q = unit(step(q, dt, derivative(q_half, omega)))
    return q, (q, omega, rate)


LEAPFROG = leaping(leap_frog)
LEAPFROG_PRODUCT = leaping(leap_frog_product)
PREDICTOR_CORRECTOR = leaping(predictor_corrector)
