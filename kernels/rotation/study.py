"""Rotation of one body under a torque law: a separate loop over the formulae of the engine.

A law is a `problems.Problem`, or a function ``law(t, q, omega) -> torque``: a compiled one is a type of its own, with
which the loop is compiled anew; a plain one runs through the same lines in Python, hundreds of times slower.
"""

import math

from dem.kernels import rotation
from dem.kernels.compiler.jit import closure, kernel
from dem.kernels.numerics.quaternion import rotate, rotate_back
from dem.kernels.numerics.vector import dot
from dem.kernels.rotation import problems
from dem.kernels.rotation.multistage import MULTISTAGE
from numba import types
from numba.extending import overload, register_jitable

ALLOCATES = {"forceinline": True, "error_model": "numpy"}  # jit_options of what calls a user's law
DONE, NOT_FINITE, TURNS_TOO_FAST = range(3)


def evaluate(law, t, q, omega):
    """Torque of a law, in its frame."""
    return problems.torque(law, t, q, omega) if isinstance(law, problems.Problem) else law(t, q, omega)


@overload(evaluate, jit_options=ALLOCATES)
def _evaluate(law, t, q, omega):
    if isinstance(law, types.BaseTuple):
        return lambda law, t, q, omega: problems.torque(law, t, q, omega)
    return lambda law, t, q, omega: law(t, q, omega)


@register_jitable
def world_torque(law, body_frame, t, q, omega_body):
    """Torque of a law in the world frame."""
    tau = evaluate(law, t, q, omega_body if body_frame else rotate(q, omega_body))
    three = (float(tau[0]), float(tau[1]), float(tau[2]))
    return rotate(q, three) if body_frame else three


@register_jitable
def body_torque(law, body_frame, t, q, omega_body):
    """Torque of a law in the body frame."""
    return rotate_back(q, world_torque(law, body_frame, t, q, omega_body))


def several_step(scheme, law, body_frame, t, q, omega, inertia, dt):
    """A step of a scheme with several torques.

    scheme, law, body_frame: scheme of `multistage`, torque law, whether its frame is the body's.
    t, q, omega: time [s], orientation, angular velocity in the body frame [rad/s].
    inertia, dt: principal moments [kg m²], step [s].
    Returns q, omega after the step.
    """
    chosen = MULTISTAGE[type(scheme)]
    chosen = getattr(chosen, "py_func", chosen)  # without a compiler it is a plain function already
    return chosen(law, body_frame, body_torque, t, q, omega, inertia, dt)


@overload(several_step, jit_options=ALLOCATES)
def _several_step(scheme, law, body_frame, t, q, omega, inertia, dt):
    chosen = MULTISTAGE[scheme.instance_class]
    return lambda scheme, law, body_frame, t, q, omega, inertia, dt: chosen(
        law, body_frame, body_torque, t, q, omega, inertia, dt
    )


@register_jitable
def check_step(tau, omega, dt, most_turn):
    """Return DONE, NOT_FINITE, or TURNS_TOO_FAST if the step rotates by more than `most_turn`."""
    if not dot(tau, tau) + dot(omega, omega) < math.inf:
        return NOT_FINITE
    return DONE if math.sqrt(dot(omega, omega)) * dt <= most_turn else TURNS_TOO_FAST


@register_jitable
def store_column(row, q, omega_body, body_frame, orientation, angular_velocity):
    """Write one column of the result."""
    omega = omega_body if body_frame else rotate(q, omega_body)
    for k in range(4):
        orientation[k, row] = q[k]
    for k in range(3):
        angular_velocity[k, row] = omega[k]


def integrate(scheme, law, body_frame, q, omega, inertia, dt, most_turn, steps, every, orientation, angular_velocity):
    """Take steps with one torque each, until all are done or one is unsound.

    scheme, law, body_frame: scheme, torque law, whether the law's frame (and that of the result) is the body's.
    q, omega: orientation at the start, angular velocity there in the body frame [rad/s].
    inertia, dt: principal moments [kg m²], step [s].
    most_turn: angle that a step may turn by [rad].
    steps, every: number of steps; from one column of the result to the next.
    Writes orientation, angular_velocity: (4, K), (3, K) at every `every`-th step.
    Returns code, n: DONE, NOT_FINITE or TURNS_TOO_FAST, and at which step.
    """
    tau = world_torque(law, body_frame, 0.0, q, omega)
    memory = rotation.start(scheme, q, omega, tau, inertia, dt)
    store_column(0, q, omega, body_frame, orientation, angular_velocity)
    code = check_step(tau, omega, dt, most_turn)
    n = 0
    while code == DONE and n < steps:
        n += 1
        q_force, memory = rotation.predict(scheme, memory, inertia, dt)
        omega = rotation.velocity(scheme, memory, q_force, inertia, dt)
        tau = world_torque(law, body_frame, n * dt, q_force, omega)
        memory = rotation.correct(scheme, memory, q_force, tau, inertia, dt)
        code = check_step(tau, omega, dt, most_turn)
        if n % every == 0:
            q, omega = rotation.whole(scheme, memory, q_force, inertia, dt)
            store_column(n // every, q, omega, body_frame, orientation, angular_velocity)
    return code, n


def integrate_several(
    scheme, law, body_frame, q, omega, inertia, dt, most_turn, steps, every, orientation, angular_velocity
):
    """Integrate one body with a scheme that evaluates several torques a step.

    scheme, law, body_frame, q, omega, inertia, dt, most_turn, steps, every: see `integrate`.
    Writes orientation, angular_velocity: (4, K), (3, K) at every `every`-th step. Returns code, n as of `integrate`.
    """
    store_column(0, q, omega, body_frame, orientation, angular_velocity)
    code = check_step(world_torque(law, body_frame, 0.0, q, omega), omega, dt, most_turn)
    n = 0
    while code == DONE and n < steps:
        q, omega = several_step(scheme, law, body_frame, n * dt, q, omega, inertia, dt)
        n += 1
        code = check_step(omega, omega, dt, most_turn)
        if n % every == 0:
            store_column(n // every, q, omega, body_frame, orientation, angular_velocity)
    return code, n


@kernel
def integrate_pair(scheme, radii, friction, inertia_1, inertia_2, omega_1, omega_2, dt, steps, result):
    """Two cylinders on parallel axes along z that rub against each other, F = -friction v (Seelen et al. 2016, 3.4).

    scheme: scheme with one torque a step.
    radii, friction: of the two cylinders [m]; force over slip [N s/m].
    inertia_1, inertia_2: principal moments of each [kg m²].
    omega_1, omega_2: angular velocity of each about z at the start [rad/s].
    dt, steps: [s].
    Writes result: (2, steps + 1) angular velocities about z [rad/s].
    """
    still = (1.0, 0.0, 0.0, 0.0)
    w_1, w_2 = (0.0, 0.0, omega_1), (0.0, 0.0, omega_2)
    force = friction * (radii[0] * omega_1 + radii[1] * omega_2)
    memory_1 = rotation.start(scheme, still, w_1, (0.0, 0.0, -radii[0] * force), inertia_1, dt)
    memory_2 = rotation.start(scheme, still, w_2, (0.0, 0.0, -radii[1] * force), inertia_2, dt)
    result[0, 0], result[1, 0] = omega_1, omega_2
    for n in range(1, steps + 1):
        q_1, memory_1 = rotation.predict(scheme, memory_1, inertia_1, dt)
        q_2, memory_2 = rotation.predict(scheme, memory_2, inertia_2, dt)
        w_1 = rotation.velocity(scheme, memory_1, q_1, inertia_1, dt)
        w_2 = rotation.velocity(scheme, memory_2, q_2, inertia_2, dt)
        force = friction * (radii[0] * w_1[2] + radii[1] * w_2[2])
        memory_1 = rotation.correct(scheme, memory_1, q_1, (0.0, 0.0, -radii[0] * force), inertia_1, dt)
        memory_2 = rotation.correct(scheme, memory_2, q_2, (0.0, 0.0, -radii[1] * force), inertia_2, dt)
        _, w_1 = rotation.whole(scheme, memory_1, q_1, inertia_1, dt)
        _, w_2 = rotation.whole(scheme, memory_2, q_2, inertia_2, dt)
        result[0, n], result[1, n] = w_1[2], w_2[2]


# by (whether the scheme evaluates several torques): for problems, for compiled laws, for plain functions
FOR_PROBLEMS = (kernel(integrate), kernel(integrate_several))
FOR_COMPILED = (closure(integrate), closure(integrate_several))
FOR_PLAIN = (integrate, integrate_several)
