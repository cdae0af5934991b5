"""Results of contacts with faces and walls: forces on bodies, loads and energy of walls, wear, or rows of a report.

The work of a wall on a body is booked here. A contact adds half a time step times its power, force on the body times
velocity of the wall, to `Sums.work` of the pass. `dem.soft.energy_sums` passes the total to the energy ledger.
Contacts that are evaluated one by one end in `add_result`, those of batches in `work_of_face` and `load_of_batch`.
`update_servo_velocity` and `complete_free_wall_step` add the work of changes of a wall's velocity.

Loads of walls are sums over contacts that do not depend on their order: the load of each contact is rounded to integers
in a fixed unit, as energies are (`dem.kernels.numerics.energy`), and summed by chunk. `accumulate_loads` adds the
chunks up after each step, and integrates over time.

Walls wear as in J. F. Archard, Contact and rubbing of flat surfaces, J. Appl. Phys. 24 (1953) 981, eq. (10): the volume
worn off is k N s/H, N the normal force, s the way of sliding, k a coefficient, H the hardness. Summed is N s [J], by
piece of a wall: a triangle of a mesh, a segment of what a polyline sweeps, or all of it. Only sliding counts: a surface
that sticks while the spring of friction stretches does not wear, see `dem.kernels.laws.friction.spring_dashpot_slider`.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, select, vector_loop
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.domain.periodic import minimum_image
from dem.kernels.numerics.columns import get
from dem.kernels.numerics.energy import SUBUNITS_PER_UNIT, accumulate, as_words
from dem.kernels.numerics.vector import add, cross, dot, load, scale, store, subtract
from dem.kernels.simd.memory import atomic_add
from dem.kernels.soft.contact.contact_detection import ON_J, no_sums
from dem.kernels.soft.contact.contact_evaluation import FORCE as BATCH_FORCE
from dem.kernels.soft.contact.contact_evaluation import dissipated, energies_of
from dem.kernels.soft.contact.dissipated_heat import add_dissipation
from dem.kernels.soft.contact.result_sinks import HeatWallSink, ReportSink, WallForceSink, write_row
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
from dem.kernels.soft.wall_contact.wall_kinematics import OF_WALL, WALL, WORLD_POINT
from dem.kernels.walls.geometry import Unused, Used
from dem.kernels.walls.rigid_body import FreeBodies, NoFreeWall, complete_wall_step, place_wall, rows

# two words each but for the last; DAMPING is of dashpots, LOST the force along the axis of a servo that takes energy
FORCE, TORQUE, WORK, STIFFNESS, DAMPING, LOST, CONTACTS, COLUMNS = 0, 6, 12, 14, 16, 18, 20, 21
WORK_ROW = 6  # of `Walls.integrals`, after those of the force and of the torque


@inline
def elastic_outcome(force, energy):
    """`dem.kernels.laws.ContactForce` of a contact without losses: force [N] and energy [J]."""
    return laws.ContactForce(
        force, (0.0, 0.0, 0.0), elastic=energy, spring_energy=0.0, loss=0.0, instantaneous_dissipation=0.0,
        persists=False, sliding_distance=0.0,
    )  # fmt: skip


@inline
def with_pieces(outcome, couple, energy):
    """An outcome with another couple [N m], and with energy of several pieces of a wall added [J]."""
    return laws.ContactForce(
        outcome.force, couple, elastic=outcome.elastic + energy, spring_energy=outcome.spring_energy, loss=outcome.loss,
        instantaneous_dissipation=outcome.instantaneous_dissipation, persists=outcome.persists,
        sliding_distance=outcome.sliding_distance,
    )  # fmt: skip


@inline
def push(b, first_body, force, arm, bodies):
    """Add a force on body b, and its torque if that matters."""
    store(bodies.force, b - first_body, add(load(bodies.force, b - first_body), force))
    if bodies.torque.shape[1] > 0:
        store(bodies.torque, b - first_body, add(load(bodies.torque, b - first_body), cross(arm, force)))


@inline
def report(sink, b, of_b, partner, contact, point, arm, velocity, spin, outcome, turning, bodies):
    """Write a contact to the next row of a report; see `add_to_step`."""
    from_centre = subtract(point, load(bodies.position, b))
    write_row(
        sink, bodies.identity[b], partner, of_b, 0, contact, outcome.force, outcome.couple, outcome.loss / sink.half,
        from_centre, scale(-1.0, from_centre),
    )  # fmt: skip
    return no_sums()


@inline
def add_to_step(sink, b, of_b, partner, contact, point, arm, velocity, spin, outcome, turning, bodies):
    """Add the force and couple of a contact to body b; returns `Sums`: its energies, and the work of the wall.

    of_b, partner: number of the sphere in the body, number that stands for the wall; point, arm: where the force acts
    [m], from the body's centre [m]; velocity, spin: of the wall's surface there [m/s], of the wall [rad/s]; turning:
    whether there is a couple.
    """
    push(b, sink.first_body, outcome.force, arm, bodies)
    power = dot(outcome.force, velocity)
    if turning:
        column = b - sink.first_body
        store(bodies.torque, column, add(load(bodies.torque, column), outcome.couple))
        power += dot(outcome.couple, spin)
    work = as_words(sink.half * power, sink.per_joule)
    return energies_of(
        outcome, contact.overlap, 1.0, outcome.loss, outcome.instantaneous_dissipation, work, sink.per_joule
    )


@inline
def add_wall_dissipation(sink, b, gross, kept, bodies):
    """Add the dissipation of a contact with a wall to body b."""
    add_dissipation(sink.heat, bodies.dissipated, b, gross, kept, sink.per_joule)


@inline
def add_heated(sink, b, of_b, partner, contact, point, arm, velocity, spin, outcome, turning, bodies):
    """Add a contact to body b as `add_to_step` does, and heat the body by the dissipated energy."""
    at_once = outcome.instantaneous_dissipation
    gross, kept = dissipated(outcome.loss, outcome.spring_energy, at_once, sink.time_sign)
    add_wall_dissipation(sink, b, gross, kept, bodies)
    return add_to_step(sink, b, of_b, partner, contact, point, arm, velocity, spin, outcome, turning, bodies)


add_result = select("sink", {ReportSink: report, WallForceSink: add_to_step, HeatWallSink: add_heated})
add_wall_heat = select("sink", {WallForceSink: None, HeatWallSink: add_wall_dissipation})


@inline
def clear_loads(box, c):
    """Set the sums of loads of chunk c to zero."""
    box.walls.fullest[c] = 0
    for w in range(box.walls.material_row.size):
        for k in range(COLUMNS):
            box.walls.chunk_loads[c, w, k] = 0


clear_wall_loads = select("box", {BoxFaces: None, WalledFaces: clear_loads})


@inline
def add_number(c, w, column, value, unit, box):
    """Add a number to the sums."""
    whole, subunits = as_words(value, unit)
    box.walls.chunk_loads[c, w, column] += whole
    box.walls.chunk_loads[c, w, column + 1] += subunits


@inline
def add_terms_of_contact(c, w, spring, damping, lost, box):
    """Add to the sums for the servo of wall w: stiffness of a contact [N/m], coefficient of its dashpot [N s/m].

    lost: force on the sphere that takes energy from the motion [N].
    """
    walls = box.walls
    if walls.servo[SERVO_KIND, w] != 0.0:
        add_number(c, w, STIFFNESS, spring, walls.unit[2], box)
        add_number(c, w, DAMPING, damping, walls.unit[3], box)
        add_number(c, w, LOST, dot(lost, load(walls.servo, w)), walls.unit[0], box)


add_servo_terms = select("box.walls.extras", {Unused: None, Used: add_terms_of_contact})


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
def units_of(walls):
    """Units of the sums of loads in 1 N and in 1 N m."""
    return walls.unit[0], walls.unit[1]


@inline
def load_of_contact(motion, units, x, force, couple, work, box):
    """`WallLoad` on a wall of one contact at the point x [m].

    motion, units: `WallMotion` of the wall, see `units_of`.
    force, couple: on the sphere [N, N m]; work: that the wall does in half a step, in two words [units].
    """
    per_newton, per_newton_metre = units
    arm = add(minimum_image(box, x, motion.middle), subtract(motion.middle, motion.pivot))
    torque = scale(-1.0, add(cross(arm, force), couple))
    return WallLoad(
        vector_words(scale(-1.0, force), per_newton), vector_words(torque, per_newton_metre), work, np.int64(1)
    )


@inline
def add_times(a, b, times):
    """Add a multiple of the fixed-point number b to a."""
    return a[0] + times * b[0], a[1] + times * b[1]


@inline
def sum_of_loads(one, other, times):
    """Sum of a load and a multiple of another."""
    f, g, t, u = one.force, other.force, one.torque, other.torque
    return WallLoad(
        (add_times(f[0], g[0], times), add_times(f[1], g[1], times), add_times(f[2], g[2], times)),
        (add_times(t[0], u[0], times), add_times(t[1], u[1], times), add_times(t[2], u[2], times)),
        add_times(one.work, other.work, times), one.contacts + times * other.contacts,
    )  # fmt: skip


@inline
def add_to_loads(c, w, wall_load, box):
    """Add a load to the sums of chunk c and wall w."""
    row = box.walls.chunk_loads[c, w]
    for k in range(3):
        for word in range(2):
            row[FORCE + 2 * k + word] += wall_load.force[k][word]
            row[TORQUE + 2 * k + word] += wall_load.torque[k][word]
    row[WORK] += wall_load.work[0]
    row[WORK + 1] += wall_load.work[1]
    row[CONTACTS] += wall_load.contacts


@vector_loop
def load_of_batch(w, motion, units, count, half, per_joule, has_couples, ids, kinematics, out, box):
    """`WallLoad` on wall w of a batch of contacts, some of which may be at other walls.

    motion, units: see `load_of_contact`; has_couples: whether contacts transmit couples.
    """
    wall_load = zero_load()
    for t in range(count):
        force, couple = get(out, BATCH_FORCE, t), get(out, ON_J, t) if has_couples else (0.0, 0.0, 0.0)
        power = dot(force, get(kinematics, OF_WALL, t))
        if has_couples:
            power += dot(couple, motion.spin)
        work = as_words(half * power, per_joule)
        more = load_of_contact(motion, units, get(kinematics, WORLD_POINT, t), force, couple, work, box)
        wall_load = sum_of_loads(wall_load, more, 1 if ids[WALL, t] == w else 0)
    return wall_load


@inline
def work_of_face(face, force, sink, box):
    """Work of a face of the box in half a step, by a force on a body [N], in two words [units]."""
    return as_words(sink.half * dot(force, load(box.velocity, face)), sink.per_joule)


@inline
def total(w, column, walls):
    """Sum over all chunks."""
    whole, subunits = np.int64(0), np.int64(0)
    for c in range(walls.chunk_loads.shape[0]):
        whole += walls.chunk_loads[c, w, column]
        subunits += walls.chunk_loads[c, w, column + 1]
    return whole + subunits / SUBUNITS_PER_UNIT


@inline
def accumulate_compensated(total, k, w, value):
    """Add to a sum in time, and what rounding leaves out of it, as `dem.kernels.numerics.energy.accumulate`."""
    before = total[0, k, w]
    total[0, k, w] = before + value
    taken = total[0, k, w] - before
    total[1, k, w] += (before - (total[0, k, w] - taken)) + (value - taken)


@inline
def servo_velocity(w, measured_force, stiffness, damping, dt, walls):
    """Velocity at which a servo moves its wall: v = (α (F₀ - F) + c v_before)/(k dt + c), k and c of all its contacts.

    F then changes by k v dt + c (v - v_before), by springs and dashpots, which is α (F₀ - F). Itasca, PFC manual,
    "servo-controlled walls", there without dashpots.
    """
    missing, max_speed = walls.servo[SERVO_FORCE, w] - measured_force, walls.servo[SERVO_MAX_SPEED, w]
    resisting = stiffness * dt + damping
    if resisting > 0.0:
        speed = (walls.servo[SERVO_GAIN, w] * missing + damping * walls.servo_state[SPEED, w]) / resisting
        return max(min(speed, max_speed), -max_speed)
    return math.copysign(max_speed, missing) if missing != 0.0 else 0.0


@inline
def pid_velocity(w, measured_force, completes, dt, walls):
    """Velocity at which a PID moves its wall: v_max (k_p e + k_i ∫e dt + k_d de/dt), e = (F₀ - F)/|F₀|, at most v_max.

    The integral stands still while the speed is at its limit. Writes walls.servo_state: rows 3 to 5 of column w.
    """
    max_speed, state = walls.servo[SERVO_MAX_SPEED, w], walls.servo_state
    error = (walls.servo[SERVO_FORCE, w] - measured_force) / abs(walls.servo[SERVO_FORCE, w])
    change = (error - state[LAST_ERROR, w]) / dt if completes and state[HAS_LAST_ERROR, w] != 0.0 else 0.0
    output = walls.servo[SERVO_PROPORTIONAL, w] * error + walls.servo[SERVO_DERIVATIVE, w] * change
    if completes and abs(output + walls.servo[SERVO_INTEGRAL, w] * (state[ERROR_INTEGRAL, w] + dt * error)) < 1.0:
        state[ERROR_INTEGRAL, w] += dt * error
    if completes or state[HAS_LAST_ERROR, w] == 0.0:
        state[LAST_ERROR, w], state[HAS_LAST_ERROR, w] = error, 1.0
    return max_speed * max(min(output + walls.servo[SERVO_INTEGRAL, w] * state[ERROR_INTEGRAL, w], 1.0), -1.0)


@inline
def complete_free_wall_step(free, w, completes, half, per_joule, run_state, walls):
    """Complete the step of wall w if it is a rigid body; its work is taken at its final velocity.

    Writes free.state, walls.poses, walls.work_half_step, walls.integrals: of wall w.
    Writes run_state.wall_work, run_state.wall_work_half_step: what changes of velocity add to them.
    """
    if free.is_free[w] != 0 and completes:
        push, turning = complete_wall_step(w, walls.load, free)
        place_wall(w, walls.motions, walls.poses, free)
        more = -half * (dot(load(walls.load, w), push) + dot(rows(walls.load, 3, w), turning))
        accumulate_compensated(walls.integrals, WORK_ROW, w, more)
        walls.work_half_step[w] += more
        accumulate(run_state.wall_work, more * per_joule)
        run_state.wall_work_half_step[0] += more * per_joule


complete_free_walls = select("free", {NoFreeWall: None, FreeBodies: complete_free_wall_step})


@func
def update_servo_velocity(w, completes, constants, run_state, walls):
    """Choose the velocity of a servo until the next forces; work and losses of these are at the new velocity.

    Writes walls.servo_state, walls.work_half_step: column w. Writes run_state: wall_work_half_step,
        dissipated_half_step.
    """
    measured_force, before = -dot(load(walls.servo, w), load(walls.load, w)), walls.servo_state[SPEED, w]
    if walls.servo[SERVO_KIND, w] == 2.0:
        walls.servo_state[SPEED, w] = pid_velocity(w, measured_force, completes, constants.dt, walls)
    else:
        stiffness, damping = total(w, STIFFNESS, walls) / walls.unit[2], total(w, DAMPING, walls) / walls.unit[3]
        walls.servo_state[SPEED, w] = servo_velocity(w, measured_force, stiffness, damping, constants.dt, walls)
    faster = 0.5 * constants.dt * (walls.servo_state[SPEED, w] - before)
    walls.work_half_step[w] += faster * measured_force
    run_state.wall_work_half_step[0] += faster * measured_force * constants.per_joule
    run_state.dissipated_half_step[0] += faster * (total(w, LOST, walls) / walls.unit[0]) * constants.per_joule


@inline
def update_if_servo(w, completes, constants, run_state, walls):
    """Choose the velocity of wall w if it has a servo; see `update_servo_velocity`."""
    if walls.servo[SERVO_KIND, w] != 0.0:
        update_servo_velocity(w, completes, constants, run_state, walls)


update_servo = select("walls.extras", {Unused: None, Used: update_if_servo})


@func
def accumulate_loads(box, constants, completes, run_state):
    """Sum the loads of a pass, integrate them over time, and update servos.

    completes: whether a step has been completed with these forces. Writes box.walls: load, integrals, work_half_step,
    servo_state.
    Writes run_state: wall_work, wall_work_half_step, dissipated_half_step: what changes of velocity add to them.
    """
    walls = box.walls
    half = 0.5 * constants.dt
    for w in range(walls.material_row.size):
        for k in range(6):
            force = total(w, 2 * k, walls) / walls.unit[k // 3]
            if completes:
                accumulate_compensated(walls.integrals, k, w, half * (walls.load[k, w] + force))
            walls.load[k, w] = force
        work = total(w, WORK, walls) / constants.per_joule
        if completes:
            accumulate_compensated(walls.integrals, WORK_ROW, w, walls.work_half_step[w] + work)
        walls.work_half_step[w] = work
        contacts = np.int64(0)
        for c in range(walls.chunk_loads.shape[0]):
            contacts += walls.chunk_loads[c, w, CONTACTS]
        walls.load[6, w] = contacts
        complete_free_walls(walls.free, w, completes, half, constants.per_joule, run_state, walls)
        update_servo(w, completes, constants, run_state, walls)


accumulate_wall_loads = select("box", {BoxFaces: None, WalledFaces: accumulate_loads})


@inline
def wear(w, piece, outcome, contact, per_joule, walls):
    """Add N s of a contact, in the step that its force completes, to a piece of wall w, which wears.

    piece: anchor of the contact. If the wall has one piece only, it may be a corner of a polyhedron or a direction.
    """
    piece = min(piece, walls.worn_pieces[w] - 1)
    whole, subunits = as_words(max(dot(outcome.force, contact.normal), 0.0) * outcome.sliding_distance, per_joule)
    column = walls.first_worn[w] + piece
    atomic_add(walls.worn, column, whole)
    atomic_add(walls.worn, walls.worn.shape[1] + column, subunits)
