"""PCDM, the original predictor-corrector direct multiplication: first order, for comparison.

Zhao, F., van Wachem, B. G. M., Acta Mech. 224 (2013) 3091-3109, (55) to (63). The paper leaves open which torque
enters (62); with one force evaluation a step it is that of the last one, which lags by half a step and makes the scheme
first order. `dem.kernels.rotation.multistage.pcdm_midpoint` evaluates it at the half step. Runs use the second-order
predictor and corrector of `dem.kernels.rotation.improved_pcdm` by default.
"""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.quaternion import angular_acceleration, renormalise, rotate, rotate_back, turn
from dem.kernels.numerics.vector import add_scaled
from dem.kernels.rotation.scheme_interface import explicit


class PCDM(NamedTuple):
    """Selects the original PCDM scheme."""


@inline
def predict(memory, inertia, dt):
    """Make the whole step with the torque at n."""
    q, omega, torque = memory
    rate = angular_acceleration(omega, rotate_back(q, torque), inertia)  # (55, 56)
    omega_quarter = add_scaled(omega, 0.25 * dt, rate)  # (57)
    omega_half = add_scaled(omega, 0.5 * dt, rate)  # (57)
    q_half = turn(rotate(q, omega_quarter), 0.5 * dt, q)  # (58, 59)
    rate_half = angular_acceleration(omega_half, rotate_back(q_half, torque), inertia)  # (4)
    q = renormalise(turn(rotate(q_half, omega_half), dt, q))  # (60, 61)
    return q, (q, add_scaled(omega, dt, rate_half), torque)  # (62)


ORIGINAL_PCDM = explicit(predict)
