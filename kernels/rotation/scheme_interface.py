"""Interface of a rotational scheme, and parts that several schemes share."""

from typing import NamedTuple

from dem.kernels.compiler.jit import closure, inline
from dem.kernels.numerics.quaternion import angular_acceleration, load_quaternion, rotate, rotate_back, store_quaternion
from dem.kernels.numerics.vector import add_scaled, divide, load, multiply, scale, store, subtract


@inline
def load_usual(q, w, a, more, b):
    """Memory (q, w, a) of body b."""
    return load_quaternion(q, b), load(w, b), load(a, b)


@inline
def store_usual(q, w, a, more, b, memory):
    """Write the memory (q, w, a) of body b."""
    store_quaternion(q, b, memory[0])
    store(w, b, memory[1])
    store(a, b, memory[2])


class Steps(NamedTuple):
    """The functions of a scheme with one torque a step, see the package's docstring, and how it keeps its memory."""

    start: object
    predict: object
    velocity: object
    correct: object
    whole: object
    load: object = load_usual
    store: object = store_usual
    quaternion: int = 4  # numbers of the quaternion in the memory; 0 where a scheme has none
    more: int = 0  # numbers beyond the usual memory
    half_step_velocity: object = None  # of some schemes, see the package's docstring
    gyroscopic: bool = False  # whether `correct` takes omega × I omega off the torque
    correct_by_rate: object = None  # of some of these, see there


# Schemes that make the whole step with the torque at its beginning: memory = (q_n, omega_body_n, world torque at n).


@inline
def start_whole(q, omega_body, torque, inertia, dt):
    """Whole-step state and torque, unchanged, as the memory of a scheme."""
    return q, omega_body, torque


@inline
def velocity_whole(memory, q_force, inertia, dt):
    """Angular velocity at the whole step, unchanged."""
    return memory[1]


@inline
def store_torque(memory, q_force, torque, inertia, dt):
    """Keep the new torque for the next step."""
    return memory[0], memory[1], torque


@inline
def whole_whole(memory, q_force, inertia, dt):
    """State at the whole step, unchanged."""
    return memory[0], memory[1]


def explicit(predict):
    """Steps of a scheme that makes the whole step in `predict`."""
    return Steps(start_whole, predict, velocity_whole, store_torque, whole_whole)


# Schemes whose angular velocity leaps over the torque: memory = (q_n, omega_body_{n+1/2}, its rate of change at n).


@inline
def start_half(q, omega_body, torque, inertia, dt):
    """Angular velocity half a step ahead."""
    rate = angular_acceleration(omega_body, rotate_back(q, torque), inertia)
    return q, add_scaled(omega_body, 0.5 * dt, rate), rate


@inline
def velocity_half(memory, q_force, inertia, dt):
    """Angular velocity at n + 1, extrapolated with the rate at n."""
    return add_scaled(memory[1], 0.5 * dt, memory[2])


@inline
def leap(memory, q_force, torque, inertia, dt):
    """omega_{n+3/2} = omega_{n+1/2} + dt rate_{n+1}."""
    q, omega, rate = memory
    predicted = add_scaled(omega, 0.5 * dt, rate)
    rate = angular_acceleration(predicted, rotate_back(q_force, torque), inertia)
    return q, add_scaled(omega, dt, rate), rate


@inline
def correct_half_by_rate(memory, q_force, rate, dt):
    """omega_{n+3/2} = omega_{n+1/2} + dt rate_{n+1}, with the rate in the body frame."""
    return memory[0], add_scaled(memory[1], dt, rate), rate


@inline
def whole_half(memory, q_force, inertia, dt):
    """Orientation at the torque, and the angular velocity half a step back."""
    return q_force, add_scaled(memory[1], -0.5 * dt, memory[2])


@inline
def velocity_before_torque(memory, inertia):
    """omega_{n+1/2}, half a step before the torque at n + 1."""
    return memory[1]


def leaping(predict):
    """Steps of a scheme whose `predict` moves q by a whole step with omega_body_{n+1/2}."""
    return Steps(
        start_half,
        predict,
        velocity_half,
        leap,
        whole_half,
        half_step_velocity=velocity_before_torque,
        gyroscopic=True,
        correct_by_rate=correct_half_by_rate,
    )


def spinning(spin_up, predict):
    """Steps of a leap-frog scheme; `spin_up(omega, body torque, inertia, dt)` advances omega by a step.

    memory = (q_n, omega_body_{n+1/2}, mean rate of change over the last step).
    """

    @closure
    def start(q, omega_body, torque, inertia, dt):
        """Angular velocity half a step ahead."""
        omega = spin_up(omega_body, rotate_back(q, torque), inertia, 0.5 * dt)
        return q, omega, scale(2.0 / dt, subtract(omega, omega_body))

    @closure
    def correct(memory, q_force, torque, inertia, dt):
        """omega_{n+3/2} from omega_{n+1/2} with the torque at n + 1."""
        q, omega, _ = memory
        new = spin_up(omega, rotate_back(q_force, torque), inertia, dt)
        return q, new, scale(1.0 / dt, subtract(new, omega))

    return Steps(start, predict, velocity_half, correct, whole_half)


# Schemes of angular momentum, kick - turn - kick: memory = (q_n, world angular momentum, world torque).


@inline
def start_momentum(q, omega_body, torque, inertia, dt):
    """World angular momentum and torque at n = 0."""
    return q, rotate(q, multiply(inertia, omega_body)), torque


@inline
def velocity_of_last_momentum(memory, q_force, inertia, dt):
    """Angular velocity from the angular momentum at n + 1/2, the latest one stored."""
    return divide(rotate_back(q_force, memory[1]), inertia)


@inline
def second_kick(memory, q_force, torque, inertia, dt):
    """The other half of the kick."""
    return q_force, add_scaled(memory[1], 0.5 * dt, torque), torque


@inline
def whole_momentum(memory, q_force, inertia, dt):
    """omega = I^-1 q* L q."""
    return q_force, divide(rotate_back(q_force, memory[1]), inertia)
