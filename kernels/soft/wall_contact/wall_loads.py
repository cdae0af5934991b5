"""Forces, torques and work on walls: sums over contacts that do not depend on their order, and their time integrals.

Each contact is rounded to integers in a fixed unit, as energies are (`kernels.numerics.energy`), by chunk; a step adds
the chunks up.

Walls wear as in J. F. Archard, Contact and rubbing of flat surfaces, J. Appl. Phys. 24 (1953) 981, eq. (10): the volume
worn off is k N s/H, N the normal force, s the way of sliding, k a coefficient, H the hardness. Summed is N s [J], by
piece of a wall: a triangle of a mesh, a segment of what a polyline sweeps, or all of it. Only sliding counts: a surface
that sticks while the spring of friction stretches does not wear, see `kernels.laws.friction.spring_dashpot_slider`.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline, select
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.numerics.energy import REST, accumulate, as_words
from dem.kernels.numerics.vector import add, cross, dot, load, scale, subtract
from dem.kernels.simd.memory import atomic_add
from dem.kernels.soft.wall_contact.wall_arrays import (
    ERROR_INTEGRAL,
    HAS_LAST_ERROR,
    LAST_ERROR,
    SERVO_DERIVATIVE,
    SERVO_FORCE,
    SERVO_GAIN,
    SERVO_INTEGRAL,
    SERVO_KIND,
    SERVO_MAX_SPEED,
    SERVO_PROPORTIONAL,
    SPEED,
    WalledFaces,
)
from dem.kernels.walls.rigid_body import FreeBodies, NoFreeWall, arrive, place, rows

# two words each but for the last; DAMPING is of dashpots, LOST the force along the axis of a servo that takes energy
FORCE, TORQUE, WORK, STIFFNESS, DAMPING, LOST, CONTACTS, COLUMNS = 0, 6, 12, 14, 16, 18, 20, 21


@inline
def no_load(box, c):
    """Clear no loads: there are no walls."""
    return


@inline
def clear_loads(box, c):
    """Set the sums of loads of chunk c to zero."""
    box.walls.fullest[c] = 0
    for w in range(box.walls.contact_slot.size):
        for k in range(COLUMNS):
            box.walls.part[c, w, k] = 0


begin = select("box", {BoxFaces: no_load, WalledFaces: clear_loads})


@inline
def add_number(c, w, column, value, unit, box):
    """Add a number to the sums."""
    whole, rest = as_words(value, unit)
    box.walls.part[c, w, column] += whole
    box.walls.part[c, w, column + 1] += rest


@inline
def add_servo_terms(c, w, spring, damping, lost, box):
    """Add the stiffness, dashpot and dissipative force of a contact to the sums for the servo of wall w.

    Parameters
    ----------
    c, w : chunk, wall
    spring, damping : stiffness of the contact [N/m], coefficient of its dashpot [N s/m]
    lost : force on the sphere that takes energy from the motion [N]

    Writes
    ------
    box.walls.part : row c, w
    """
    walls = box.walls
    add_number(c, w, STIFFNESS, spring, walls.unit[2], box)
    add_number(c, w, DAMPING, damping, walls.unit[3], box)
    add_number(c, w, LOST, dot(lost, load(walls.servo, w)), walls.unit[0], box)


class WallLoad(NamedTuple):
    """Load on a wall by contacts, each number in two words."""

    force: tuple
    torque: tuple
    work: tuple
    contacts: int


@inline
def zero_load():
    """Load of a wall without contacts: 0."""
    none = np.int64(0), np.int64(0)
    return WallLoad((none, none, none), (none, none, none), none, np.int64(0))


@inline
def vector_words(u, unit):
    """Fixed-point words of the components of a vector."""
    return as_words(u[0], unit), as_words(u[1], unit), as_words(u[2], unit)


@inline
def load_of_contact(w, x, force, couple, work, box):
    """Load on wall w of one contact.

    Parameters
    ----------
    w, x : wall, point [m]
    force, couple : on the sphere [N, N m]
    work : that the wall does in half a step, in two words [units]

    Returns
    -------
    `WallLoad`
    """
    walls = box.walls
    middle = load(walls.poses.middle, w)
    arm = add(minimum_image(box, x, middle), subtract(middle, load(walls.poses.about, w)))
    torque = scale(-1.0, add(cross(arm, force), couple))
    return WallLoad(
        vector_words(scale(-1.0, force), walls.unit[0]), vector_words(torque, walls.unit[1]), work, np.int64(1)
    )


@inline
def add_times(a, b, times):
    """Words a, and so many times b."""
    return a[0] + times * b[0], a[1] + times * b[1]


@inline
def sum_of_loads(one, other, times):
    """Sum of two loads, the other taken so many times."""
    f, g, t, u = one.force, other.force, one.torque, other.torque
    return WallLoad(
        (add_times(f[0], g[0], times), add_times(f[1], g[1], times), add_times(f[2], g[2], times)),
        (add_times(t[0], u[0], times), add_times(t[1], u[1], times), add_times(t[2], u[2], times)),
        add_times(one.work, other.work, times), one.contacts + times * other.contacts,
    )  # fmt: skip


@inline
def add_to_loads(c, w, wall_load, box):
    """Add a load to the sums of chunk c and wall w."""
    row = box.walls.part[c, w]
    for k in range(3):
        for word in range(2):
            row[FORCE + 2 * k + word] += wall_load.force[k][word]
            row[TORQUE + 2 * k + word] += wall_load.torque[k][word]
    row[WORK] += wall_load.work[0]
    row[WORK + 1] += wall_load.work[1]
    row[CONTACTS] += wall_load.contacts


@inline
def add_load(c, w, x, force, couple, work, box):
    """Note a contact of chunk c with wall w.

    Parameters
    ----------
    c, w, x, force, couple, work : chunk; see `load_of_contact`

    Writes
    ------
    box.walls.part : row c, w
    """
    add_to_loads(c, w, load_of_contact(w, x, force, couple, work, box), box)


@inline
def total(w, column, walls):
    """A sum over all chunks."""
    whole, rest = np.int64(0), np.int64(0)
    for c in range(walls.part.shape[0]):
        whole += walls.part[c, w, column]
        rest += walls.part[c, w, column + 1]
    return whole + rest / REST


@inline
def add_up(total, k, w, value):
    """Add to a sum in time, and what rounding leaves out of it, as `dem.kernels.numerics.energy.accumulate`."""
    before = total[0, k, w]
    total[0, k, w] = before + value
    taken = total[0, k, w] - before
    total[1, k, w] += (before - (total[0, k, w] - taken)) + (value - taken)


@inline
def no_account(box, constants, completes, progress):
    """Sum no loads: there are no walls."""
    return


@inline
def steered(w, pressed, stiffness, damping, dt, walls):
    """Velocity at which a servo moves its wall: v = (α (F₀ - F) + c v_before)/(k dt + c), k and c of all its contacts.

    F then changes by k v dt + c (v - v_before), by springs and dashpots, which is α (F₀ - F). Itasca, PFC manual,
    "servo-controlled walls", there without dashpots.
    """
    missing, max_speed = walls.servo[SERVO_FORCE, w] - pressed, walls.servo[SERVO_MAX_SPEED, w]
    resisting = stiffness * dt + damping
    if resisting > 0.0:
        speed = (walls.servo[SERVO_GAIN, w] * missing + damping * walls.driven[SPEED, w]) / resisting
        return max(min(speed, max_speed), -max_speed)
    return math.copysign(max_speed, missing) if missing != 0.0 else 0.0


@inline
def controlled(w, pressed, completes, dt, walls):
    """Velocity at which a PID moves its wall: v_max (k_p e + k_i ∫e dt + k_d de/dt), e = (F₀ - F)/|F₀|, at most v_max.

    The integral stands still while the speed is at its limit.

    Parameters
    ----------
    w, pressed : wall, what it presses with [N]
    completes, dt : whether a step has been completed, [s]
    walls : `dem.kernels.soft.wall_contact.wall_arrays.Walls`

    Writes
    ------
    walls.driven : rows 3 to 5 of column w

    Returns
    -------
    [m/s]
    """
    max_speed, state = walls.servo[SERVO_MAX_SPEED, w], walls.driven
    error = (walls.servo[SERVO_FORCE, w] - pressed) / abs(walls.servo[SERVO_FORCE, w])
    change = (error - state[LAST_ERROR, w]) / dt if completes and state[HAS_LAST_ERROR, w] != 0.0 else 0.0
    output = walls.servo[SERVO_PROPORTIONAL, w] * error + walls.servo[SERVO_DERIVATIVE, w] * change
    if completes and abs(output + walls.servo[SERVO_INTEGRAL, w] * (state[ERROR_INTEGRAL, w] + dt * error)) < 1.0:
        state[ERROR_INTEGRAL, w] += dt * error
    if completes or state[HAS_LAST_ERROR, w] == 0.0:
        state[LAST_ERROR, w], state[HAS_LAST_ERROR, w] = error, 1.0
    return max_speed * max(min(output + walls.servo[SERVO_INTEGRAL, w] * state[ERROR_INTEGRAL, w], 1.0), -1.0)


@inline
def complete_no_flight(free, w, completes, half, per_joule, progress, walls):
    """Complete no step: no wall is a free body."""
    return


@inline
def complete_flight(free, w, completes, half, per_joule, progress, walls):
    """Complete the step of a wall that is one; its work is that at the velocity which it has come to have.

    Parameters
    ----------
    free, w, walls : `dem.kernels.walls.rigid_body.FreeBodies`, wall, `dem.kernels.soft.wall_contact.wall_arrays.Walls`
    completes, half, per_joule : whether a step has been completed; see `dem.kernels.soft.state`

    Writes
    ------
    free.state, walls.poses, walls.working, walls.impulse : of wall w
    progress.wall_work, progress.wall_work_half_step : what changes of velocity add to them
    """
    if free.is_free[w] != 0 and completes:
        push, turning = arrive(w, walls.felt, free)
        place(w, walls.motions, walls.poses, free)
        more = -half * (dot(load(walls.felt, w), push) + dot(rows(walls.felt, 3, w), turning))
        add_up(walls.impulse, 6, w, more)
        walls.working[w] += more
        accumulate(progress.wall_work, more * per_joule)
        progress.wall_work_half_step[0] += more * per_joule


complete_flights = select("free", {NoFreeWall: complete_no_flight, FreeBodies: complete_flight})


@func
def steer(w, completes, constants, progress, walls):
    """See what the servo of wall w does until the next forces; work and losses of these are at the new velocity.

    Parameters
    ----------
    w, completes : wall, whether a step has been completed
    constants, walls : see `dem.kernels.soft.state`; `dem.kernels.soft.wall_contact.wall_arrays.Walls`

    Writes
    ------
    walls.driven, walls.working : column w
    progress : wall_work_half_step, dissipated_half_step
    """
    pressed, before = -dot(load(walls.servo, w), load(walls.felt, w)), walls.driven[SPEED, w]
    if walls.servo[SERVO_KIND, w] == 2.0:
        walls.driven[SPEED, w] = controlled(w, pressed, completes, constants.dt, walls)
    else:
        stiffness, damping = total(w, STIFFNESS, walls) / walls.unit[2], total(w, DAMPING, walls) / walls.unit[3]
        walls.driven[SPEED, w] = steered(w, pressed, stiffness, damping, constants.dt, walls)
    faster = 0.5 * constants.dt * (walls.driven[SPEED, w] - before)
    walls.working[w] += faster * pressed
    progress.wall_work_half_step[0] += faster * pressed * constants.per_joule
    progress.dissipated_half_step[0] += faster * (total(w, LOST, walls) / walls.unit[0]) * constants.per_joule


@func
def account(box, constants, completes, progress):
    """Note what walls felt in a sweep, and see what servos do until the next.

    Parameters
    ----------
    constants : see `dem.kernels.soft.state`
    completes : whether a step has been completed with them

    Writes
    ------
    box.walls : felt, impulse, working, driven
    progress : wall_work, wall_work_half_step, dissipated_half_step: what changes of velocity add to them
    """
    walls = box.walls
    half = 0.5 * constants.dt
    for w in range(walls.contact_slot.size):
        for k in range(6):
            force = total(w, 2 * k, walls) / walls.unit[k // 3]
            if completes:
                add_up(walls.impulse, k, w, half * (walls.felt[k, w] + force))
            walls.felt[k, w] = force
        work = total(w, WORK, walls) / constants.per_joule
        if completes:
            add_up(walls.impulse, 6, w, walls.working[w] + work)
        walls.working[w] = work
        contacts = np.int64(0)
        for c in range(walls.part.shape[0]):
            contacts += walls.part[c, w, CONTACTS]
        walls.felt[6, w] = contacts
        complete_flights(walls.free, w, completes, half, constants.per_joule, progress, walls)
        if walls.servo[SERVO_KIND, w] != 0.0:
            steer(w, completes, constants, progress, walls)


account_walls = select("box", {BoxFaces: no_account, WalledFaces: account})


@inline
def wear(w, piece, outcome, touch, per_joule, walls):
    """Add N s of a contact in the step that its force completes to a piece of wall w, which wears.

    Parameters
    ----------
    w, piece : wall, its piece
    outcome, touch : `dem.kernels.laws.ContactForce` and `dem.kernels.laws.ContactKinematics` of the contact
    per_joule : see `dem.kernels.soft.state`

    Writes
    ------
    walls : worn
    """
    whole, rest = as_words(max(dot(outcome.force, touch.normal), 0.0) * outcome.slid, per_joule)
    at = walls.first_worn[w] + piece
    atomic_add(walls.worn, at, whole)
    atomic_add(walls.worn, walls.worn.shape[1] + at, rest)
