"""Event loop of hard spheres: process the earliest event, then predict the next events of the particles involved.

Each particle has one event in the queue (Lubachevsky 1991): its impact, or the crossing into another cell if that comes
first. An impact is stored with the partner that was predicted last. It is void if the other partner has had an impact
since, which its impact counter shows; the particle is then predicted again. So an impact involves two particles only
and costs O(log N).

Inelastic spheres would collide infinitely often in finite time; the TC model prevents this
(`dem.kernels.event_driven.impact`): an impact of a particle that had its last impact less than t_c ago loses no energy.
A ball on the floor then bounces every t_c, by an invisible height. A ball that rests on the floor without bouncing is
lifted to such bounces: see `lift_from_wall`.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline, kernel
from dem.kernels.domain.roughness import tilted_normal
from dem.kernels.event_driven.event_queue import clear, reschedule
from dem.kernels.event_driven.flight import (
    CELL,
    EXIT_TIME,
    FACE,
    IMPACT,
    NO_PARTNER,
    OPEN,
    PARTNER,
    PARTNER_IMPACTS,
    PERIODIC,
    RADIUS,
    advance_to_time,
    enter_cell,
    leave_cell,
    nearest_image,
    position_at,
    predict_cell_exit,
    predict_next_event,
    record_impact,
    rotate_to_time,
    search,
    velocity_at,
)
from dem.kernels.event_driven.impact import ImpactLaw, contact_velocity, impulse, law_after
from dem.kernels.numerics.vector import add_scaled, cross, dot, load, scale, store, subtract

DONE, BUSY, STUCK = range(3)
MIN_REBOUND = 1e-3  # of the rebound that lasts t_c: what leaves a wall more slowly is lifted
MAX_TILTS = 100  # inclinations of a rough wall at one moment; the last one is none
MAX_SIMULTANEOUS_EVENTS = 1000  # events a particle at one moment; more than that and time stands still


class ImpactLaws(NamedTuple):
    """Impact laws of spheres with spheres and with walls."""

    pair: ImpactLaw
    wall: ImpactLaw
    contact_time: float  # t_c [s]
    roughness: float  # standard deviation of the walls' inclination [rad]
    seed: int  # of the inclinations


class ImpactTally(NamedTuple):
    """Numbers and energies of the events so far."""

    pair: np.ndarray  # (1,) impacts of two spheres
    wall: np.ndarray  # (1,) impacts with walls
    events: np.ndarray  # (1,) of all kinds
    standing: np.ndarray  # (1,) events since time last went on
    now: np.ndarray  # (1,) time of the last event [s]
    lost: np.ndarray  # (1,) energy that impacts have taken [J]
    lifted: np.ndarray  # (1,) energy given to what rests on walls [J]
    overlap: np.ndarray  # (1,) largest at an impact, over R1 + R2; from rounding
    latest: np.ndarray  # (2,) last particle that had an impact, and its partner


@inline
def apply_impulse(spheres, i, n, normal, tangential, t):
    """Apply an impulse to particle i at the point of its surface whose inward normal is n."""
    row, inverse = spheres.row, 1.0 / spheres.mass[i]
    for axis in range(3):
        row[i, 3 + axis] += inverse * (normal[axis] + tangential[axis])
    turn = cross(n, tangential)
    if dot(turn, turn) > 0.0:
        rotate_to_time(spheres, i, t)
        store(spheres.omega, i, add_scaled(load(spheres.omega, i), -row[i, RADIUS] / spheres.inertia[i], turn))


@inline
def apply_impact(spheres, i, n, normal, tangential, t):
    """Apply the impulse of an impact to particle i, and record the time and number of its impacts."""
    apply_impulse(spheres, i, n, normal, tangential, t)
    spheres.last[i] = t
    spheres.impacts[i] += 1


@func
def collide(i, j, t, spheres, space, laws, tally):
    """Impact of particles i and j at time t."""
    row = spheres.row
    advance_to_time(row, i, t, space)
    advance_to_time(row, j, t, space)
    r = nearest_image(subtract(position_at(row, i, t, space), position_at(row, j, t, space)), space)
    distance, reach = math.sqrt(dot(r, r)), row[i, RADIUS] + row[j, RADIUS]
    n = scale(1.0 / distance, r)
    arm_i, arm_j = row[i, RADIUS], row[j, RADIUS]
    v_i, v_j = velocity_at(row, i, t, space), velocity_at(row, j, t, space)
    q = contact_velocity(n, v_i, v_j, arm_i, load(spheres.omega, i), arm_j, load(spheres.omega, j))
    if dot(n, q) < 0.0:  # else rounding has made them part already
        law, most = law_after(t - max(spheres.last[i], spheres.last[j]), laws.pair, laws.contact_time)
        inverse_mass = 1.0 / spheres.mass[i] + 1.0 / spheres.mass[j]
        inverse_inertia = arm_i * arm_i / spheres.inertia[i] + arm_j * arm_j / spheres.inertia[j]
        normal, tangential, lost = impulse(n, q, inverse_mass, inverse_inertia, law, most)
        apply_impact(spheres, i, n, normal, tangential, t)
        apply_impact(spheres, j, scale(-1.0, n), scale(-1.0, normal), scale(-1.0, tangential), t)
        tally.lost[0] += lost
        tally.overlap[0] = max(tally.overlap[0], 1.0 - distance / reach)
        tally.pair[0] += 1


@inline
def lift_from_wall(spheres, i, n, laws, space, tally):
    """Lift a particle off a wall when gravity holds it there and its rebound is too slow to leave.

    Bounces as high as those of the TC model last t_c and start with u = -g·n t_c/2. What leaves with less than
    MIN_REBOUND u would bounce too often to be worth following, or not at all, so it gets u. It hovers at g t_c²/8, less
    than a nanometre for t_c = 1e-5 s; the energy that this takes is kept account of.
    """
    row, g = spheres.row, space.gravity
    v = (row[i, 3], row[i, 4], row[i, 5])
    speed = dot(v, n)
    rebound = -0.5 * laws.contact_time * (g[0] * n[0] + g[1] * n[1] + g[2] * n[2])
    if speed < MIN_REBOUND * rebound:
        for axis in range(3):
            row[i, 3 + axis] += (rebound - speed) * n[axis]
        tally.lifted[0] += 0.5 * spheres.mass[i] * (rebound * rebound - speed * speed)


@inline
def reflect(i, n, v, t, law, most, spheres):
    """Reflect particle i, of velocity v, from a wall with the normal n; returns the energy lost."""
    arm, still = spheres.row[i, RADIUS], (0.0, 0.0, 0.0)
    q = contact_velocity(n, v, still, arm, load(spheres.omega, i), 0.0, still)
    normal, tangential, lost = still, still, 0.0
    if dot(n, q) < 0.0:  # else it lies on the wall
        normal, tangential, lost = impulse(n, q, 1.0 / spheres.mass[i], arm * arm / spheres.inertia[i], law, most)
    apply_impact(spheres, i, n, normal, tangential, t)
    return lost


@func
def hit_wall(i, wall, t, spheres, space, laws, tally):
    """Impact of particle i on a wall at time t; its position is set to touch the wall.

    A rough wall is inclined, by contact number wall_impacts[i] of particle i. A particle that still moves into the flat
    wall then is hit again at once, by another inclination.
    """
    row, axis = spheres.row, wall // 2
    side = 1.0 - 2.0 * (wall % 2)
    advance_to_time(row, i, t, space)
    plane = space.upper[axis] if side < 0.0 else space.lower[axis]
    row[i, axis] = plane + side * row[i, RADIUS]
    flat = (side if axis == 0 else 0.0, side if axis == 1 else 0.0, side if axis == 2 else 0.0)
    law, most = law_after(t - spheres.last[i], laws.wall, laws.contact_time)
    for tilt in range(MAX_TILTS):
        n, v = flat, velocity_at(row, i, t, space)
        if laws.roughness > 0.0 and tilt < MAX_TILTS - 1:
            n = tilted_normal(flat, v, laws.roughness, laws.seed, i, spheres.wall_impacts[i])
        tally.lost[0] += reflect(i, n, v, t, law, most, spheres)
        spheres.wall_impacts[i] += 1
        tally.wall[0] += 1
        if dot(velocity_at(row, i, t, space), flat) >= 0.0 or laws.roughness == 0.0:
            break
    lift_from_wall(spheres, i, flat, laws, space, tally)


@func
def cross_face(i, t, spheres, space, agenda):
    """Move particle i into the next cell at time t, and predict impacts with particles in the new row of cells."""
    row, plan, face = spheres.row, spheres.plan, np.int64(spheres.plan[i, FACE])
    axis, side = face // 2, 2 * (face % 2) - 1
    advance_to_time(row, i, t, space)
    leave_cell(i, space)
    c = np.int64(plan[i, CELL + axis]) + side
    if space.boundary[axis] == PERIODIC and not 0 <= c < space.cells[axis]:
        c -= side * space.cells[axis]
        row[i, axis] -= side * space.period[axis]
        spheres.image[axis, i] += side
    plan[i, CELL + axis] = c
    enter_cell(i, plan, space)
    low_x, high_x = (side, side) if axis == 0 else (-1, 1)
    low_y, high_y = (side, side) if axis == 1 else (-1, 1)
    low_z, high_z = (side, side) if axis == 2 else (-1, 1)
    block = (low_x, high_x, low_y, high_y, low_z, high_z)
    known = plan[i, IMPACT]
    soonest, partner = search(i, t, -1, block, spheres, space, known, np.int64(NO_PARTNER))
    if soonest < known:
        record_impact(i, soonest, partner, spheres)
    predict_cell_exit(i, t, row, plan, space)
    reschedule(agenda, i, min(plan[i, IMPACT], plan[i, EXIT_TIME]))


@func
def process_event(i, t, spheres, space, laws, agenda, tally):
    """Process the event of particle i at time t: a cell crossing, or an impact with a wall or a particle."""
    plan = spheres.plan
    j = np.int64(plan[i, PARTNER])
    if plan[i, EXIT_TIME] < plan[i, IMPACT]:
        cross_face(i, t, spheres, space, agenda)
    elif j < 0:
        hit_wall(i, -1 - j, t, spheres, space, laws, tally)
        predict_next_event(i, t, -1, spheres, space, agenda)
        tally.latest[0], tally.latest[1] = i, j
    elif spheres.impacts[j] == plan[i, PARTNER_IMPACTS]:
        collide(i, j, t, spheres, space, laws, tally)
        predict_next_event(i, t, j, spheres, space, agenda)
        predict_next_event(j, t, i, spheres, space, agenda)
        tally.latest[0], tally.latest[1] = i, j
    else:
        predict_next_event(i, t, -1, spheres, space, agenda)


@kernel
def advance(stop, most, spheres, space, laws, agenda, tally):
    """Process all events up to the time `stop`, or at most `most` of them.

    Returns DONE, BUSY if there are more to come, or STUCK if time does not go on: MAX_SIMULTANEOUS_EVENTS a particle
    at one moment.
    """
    limit = MAX_SIMULTANEOUS_EVENTS * (agenda.time.size + 100)
    for _ in range(most):
        t = agenda.time[0]
        if not t <= stop:
            return DONE
        process_event(agenda.particle[0], t, spheres, space, laws, agenda, tally)
        tally.events[0] += 1
        tally.standing[0] = 0 if t > tally.now[0] else tally.standing[0] + 1
        tally.now[0] = t
        if tally.standing[0] > limit:
            return STUCK
    return BUSY


@kernel
def begin(t, spheres, space, agenda):
    """Sort the particles into cells and find the first event of each."""
    clear(agenda)
    space.following[agenda.time.size] = agenda.time.size
    for c in range(space.head.size):
        space.head[c] = agenda.time.size
    for i in range(agenda.time.size):
        for axis in range(3):
            c = np.int64(math.floor((spheres.row[i, axis] - space.lower[axis]) / space.width[axis]))
            if space.boundary[axis] != OPEN:
                c = min(max(c, 0), space.cells[axis] - 1)
            spheres.plan[i, CELL + axis] = c
        enter_cell(i, spheres.plan, space)
    for i in range(agenda.time.size):
        predict_next_event(i, t, -1, spheres, space, agenda)
