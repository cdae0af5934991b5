"""Improved PCDM: leap-frog of unit quaternions by predictor, corrector and multiplication, second order.

Seelen, L. J. H., Padding, J. T., Kuipers, J. A. M., Acta Mech. 227 (2016) 3565-3576, section 2.2. The paper numbers the
steps there, but not their equations. omega' is Eq. (1), and q turns by Eq. (2).
memory = (q_{n+1/2}, omega_body_{n+1/2}, its rate of change at n).

A step, with the orientation q'_{n+1} at which forces are evaluated. exp is that of quaternions: exp(dt/4 omega) turns
by omega for half a step.

    q'_{n+1} = exp(dt/4 omega_{n+3/4}) q_{n+1/2}               omega_{n+3/4} = omega_{n+1/2} + dt/4 omega'_n
    omega'_{n+1} = I^-1 (torque - omega_{n+1} x I omega_{n+1})   omega_{n+1} = omega_{n+1/2} + dt/2 omega'_n
    omega_{n+3/2} = omega_{n+1/2} + dt omega'_{n+1}
    q_{n+3/2} = exp(dt/2 omega_{n+1}) q_{n+1/2}

Angular velocities and rates are in the body frame. To turn q they are rotated to the world frame, omega_{n+3/4} by
q_{n+1/2} and omega_{n+1} by q'_{n+1}.

Two choices beyond the paper. The start: omega_{1/2} = omega_0 + dt/2 omega'_0 and q_{1/2} = exp(dt/4 omega_{1/4}) q_0
with omega_{1/4} = omega_0 + dt/4 omega'_0, because simply copying q_0 makes the whole scheme first order. The output:
omega_{n+1} = omega_{n+1/2} + dt/2 omega'_{n+1} after the torque is known, which halves the error of the paper's
prediction at no cost.
"""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.quaternion import angular_acceleration, renormalise, rotate, rotate_back, turn
from dem.kernels.numerics.vector import add_scaled
from dem.kernels.rotation.scheme_interface import Steps, velocity_before_torque, velocity_half, whole_half


class ImprovedPCDM(NamedTuple):
    """Selects the improved PCDM scheme."""


@inline
def start(q, omega_body, torque, inertia, dt):
    """Half a step ahead from the whole-step state at n = 0."""
    rate = angular_acceleration(omega_body, rotate_back(q, torque), inertia)
    omega_quarter = rotate(q, add_scaled(omega_body, 0.25 * dt, rate))
    return turn(omega_quarter, 0.5 * dt, q), add_scaled(omega_body, 0.5 * dt, rate), rate


@inline
def predict(memory, inertia, dt):
    """Step 2 (b): q'_{n+1} = exp(dt/4 omega_{n+3/4}) q_{n+1/2}."""
    q, omega, rate = memory
    omega_three_quarters = rotate(q, add_scaled(omega, 0.25 * dt, rate))
    return turn(omega_three_quarters, 0.5 * dt, q), memory


@inline
def correct_by_rate(memory, q_force, rate, dt):
    """Steps 3 and 4 with the rate omega'_{n+1}: omega_{n+3/2} and q_{n+3/2}."""
    q, omega, before = memory
    omega_predicted = add_scaled(omega, 0.5 * dt, before)
    q = renormalise(turn(rotate(q_force, omega_predicted), dt, q))
    return q, add_scaled(omega, dt, rate), rate


@inline
def correct(memory, q_force, torque, inertia, dt):
    """Steps 2 (c) to 4 of the scheme: omega_{n+1}, its rate omega'_{n+1} from the torque, and `correct_by_rate`."""
    omega_predicted = add_scaled(memory[1], 0.5 * dt, memory[2])
    rate = angular_acceleration(omega_predicted, rotate_back(q_force, torque), inertia)
    return correct_by_rate(memory, q_force, rate, dt)


IMPROVED_PCDM = Steps(
    start,
    predict,
    velocity_half,
    correct,
    whole_half,
    half_step_velocity=velocity_before_torque,
    gyroscopic=True,
    correct_by_rate=correct_by_rate,
)
