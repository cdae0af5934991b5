"""Free flight of hard spheres between impacts, and the search for the next event of each.

Each particle has its own time: its state is that of its last event, and its next event advances it (Lubachevsky, J.
Comput. Phys. 94 (1991) 255). Output in between is computed from this state without changing it, so the results do not
depend on when output is taken.

Events access particles one at a time in any order, never in loops over neighbours in memory. So the position, velocity,
time and radius of a particle are one row of 64 bytes, a cache line, and its predicted event is another row, instead of
(3, N) arrays with a line for each component.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline, kernel
from dem.kernels.event_driven.event_queue import reschedule
from dem.kernels.event_driven.impact import pair_time, plane_time, will_collide
from dem.kernels.numerics.quaternion import exponential, load_quaternion, norm_squared, product, store_quaternion
from dem.kernels.numerics.vector import dot, load, scale, store, subtract

TIME, RADIUS = 6, 7  # columns of SphereState.row, after position and velocity
IMPACT, PARTNER, PARTNER_IMPACTS, EXIT_TIME, FACE, CELL = range(6)  # columns of SphereState.plan
WALLED, PERIODIC, OPEN = range(3)  # axes
AROUND = (-1, 1, -1, 1, -1, 1)  # first and last cell of a block along each axis
NO_PARTNER = -7  # partner of a particle without an impact ahead; -1 to -6 are the walls, lower x, upper x, lower y ...


class SphereState(NamedTuple):
    """State of N hard spheres, each at the time of its last event.

    A row of `plan` holds the time of the next impact [s], the partner, the partner's number of impacts when this one
    was foreseen; the time of leaving the cell [s], through which face (twice the axis, plus 1 for the upper one); and
    the cell along each axis, on an open axis not wrapped.
    """

    row: np.ndarray  # (N, 8) position [m], velocity [m/s], time [s], radius [m]
    plan: np.ndarray  # (N, 8) see above
    image: np.ndarray  # (3, N) whole periods to add to the position
    omega: np.ndarray  # (3, N) angular velocity, world frame [rad/s]
    q: np.ndarray  # (4, N) orientation at the time `turned`
    turned: np.ndarray  # (N,) [s]
    mass: np.ndarray  # (N,) [kg]
    inertia: np.ndarray  # (N,) [kg m²]
    last: np.ndarray  # (N,) time of the last impact [s], -inf before the first
    impacts: np.ndarray  # (N,) number of impacts so far: by this others see that a prediction is void
    wall_impacts: np.ndarray  # (N,) number of those with walls


class Space(NamedTuple):
    """Simulation box by axis, its cells, and the linked lists of the spheres in them.

    Cells are at least as wide as the largest sphere. On a walled axis the outer cells reach to the walls, on a periodic
    one, with five cells or more, they are followed by each other, and on an open one space is wrapped onto them as
    often as needed.
    """

    boundary: tuple  # WALLED, PERIODIC or OPEN
    lower: tuple  # where the cells begin [m]
    upper: tuple  # [m]
    gravity: tuple  # [m/s²]
    period: tuple  # [m], 0 if there is none
    per_metre: tuple  # periods a metre, 0 if there is none
    cells: tuple  # number along each axis
    width: tuple  # of a cell [m]
    head: np.ndarray  # (cells,) first particle in each cell, N for none
    following: np.ndarray  # (N + 1,) next one in the same cell, N for none; the last entry is N
    preceding: np.ndarray  # (N,) the one before, or -1 - cell
    near: np.ndarray  # (N + 1,) room for a search


@inline
def position_at(row, i, t, space):
    """Position of particle i at time t in free flight."""
    s = t - row[i, TIME]
    h = 0.5 * s * s
    g = space.gravity
    return (
        row[i, 0] + s * row[i, 3] + h * g[0],
        row[i, 1] + s * row[i, 4] + h * g[1],
        row[i, 2] + s * row[i, 5] + h * g[2],
    )


@inline
def velocity_at(row, i, t, space):
    """Velocity of particle i at time t in free flight."""
    s = t - row[i, TIME]
    g = space.gravity
    return row[i, 3] + s * g[0], row[i, 4] + s * g[1], row[i, 5] + s * g[2]


@inline
def advance_to_time(row, i, t, space):
    """Advance particle i to time t in free flight."""
    x, v = position_at(row, i, t, space), velocity_at(row, i, t, space)
    for axis in range(3):
        row[i, axis] = x[axis]
        row[i, 3 + axis] = v[axis]
    row[i, TIME] = t


@inline
def orientation_at(spheres, i, t):
    """Orientation of particle i at time t, for a constant angular velocity since its last impact."""
    half = 0.5 * (t - spheres.turned[i])
    q = product(exponential(scale(half, load(spheres.omega, i))), load_quaternion(spheres.q, i))
    size = 1.0 / math.sqrt(norm_squared(q))
    return size * q[0], size * q[1], size * q[2], size * q[3]


@inline
def rotate_to_time(spheres, i, t):
    """Advance the orientation of particle i to time t, before its angular velocity changes."""
    store_quaternion(spheres.q, i, orientation_at(spheres, i, t))
    spheres.turned[i] = t


@inline
def nearest_image(r, space):
    """Separation r at the nearest periodic image, of particles in adjacent cells."""
    p, k = space.period, space.per_metre
    return (
        r[0] - p[0] * np.floor(r[0] * k[0] + 0.5),
        r[1] - p[1] * np.floor(r[1] * k[1] + 0.5),
        r[2] - p[2] * np.floor(r[2] * k[2] + 0.5),
    )


@inline
def cell_beside(c, axis, space):
    """Index in memory of cell c along an axis; -1 if the cell is beyond a wall."""
    cells = space.cells[axis]
    if 0 <= c < cells:
        return c
    return np.int64(-1) if space.boundary[axis] == WALLED else c % cells


@inline
def number_of_cell(x, y, z, space):
    """Number of a cell in memory."""
    return x + space.cells[0] * (y + space.cells[1] * z)


@inline
def cell_of(plan, i):
    """Indices along each axis of the cell of particle i."""
    return np.int64(plan[i, CELL]), np.int64(plan[i, CELL + 1]), np.int64(plan[i, CELL + 2])


@func
def enter_cell(i, plan, space):
    """Insert particle i at the head of the linked list of its cell."""
    x, y, z = cell_of(plan, i)
    c = number_of_cell(cell_beside(x, 0, space), cell_beside(y, 1, space), cell_beside(z, 2, space), space)
    first = space.head[c]
    space.following[i] = first
    space.preceding[i] = -1 - c
    if first < space.preceding.size:
        space.preceding[first] = i
    space.head[c] = i


@func
def leave_cell(i, space):
    """Remove particle i from the linked list of its cell."""
    before, after = space.preceding[i], space.following[i]
    if before >= 0:
        space.following[before] = after
    else:
        space.head[-1 - before] = after
    if after < space.preceding.size:
        space.preceding[after] = before


@func
def list_near(i, block, plan, space):
    """List the particles in the block of cells around that of particle i; returns their number.

    Half of all cells are empty and few have more than one particle, so the first particle is read without a branch.
    """
    count, own, nobody = 0, cell_of(plan, i), space.preceding.size
    for z in range(own[2] + block[4], own[2] + block[5] + 1):
        c_z = cell_beside(z, 2, space)
        for y in range(own[1] + block[2], own[1] + block[3] + 1):
            c_y = cell_beside(y, 1, space)
            if c_y < 0 or c_z < 0:
                continue
            for x in range(own[0] + block[0], own[0] + block[1] + 1):
                c_x = cell_beside(x, 0, space)
                if c_x < 0:
                    continue
                j = space.head[number_of_cell(c_x, c_y, c_z, space)]
                space.near[count] = j
                count += j < nobody
                j = space.following[j]
                while j < nobody:
                    space.near[count] = j
                    count += 1
                    j = space.following[j]
    return count


@func
def search(i, t, avoid, block, spheres, space, soonest, partner):
    """Soonest impact of particle i with the particles in a block of cells, and the partner, if sooner than a known one.

    Of partners at the same time the lowest number is taken. Writes `Space.near`.
    i, t: particle, and its time [s].
    avoid: partner of an impact that has just happened, or -1: the two cannot meet again before one has met another.
    block: first and last cell along each axis, relative to that of i.
    soonest, partner: impact known so far [s].
    """
    row = spheres.row
    x, v, radius = position_at(row, i, t, space), velocity_at(row, i, t, space), row[i, RADIUS]
    count, few = list_near(i, block, spheres.plan, space), 0
    for k in range(count):
        j = np.int64(space.near[k])
        r = nearest_image(subtract(x, position_at(row, j, t, space)), space)
        space.near[few] = j
        few += will_collide(r, v, velocity_at(row, j, t, space), radius + row[j, RADIUS]) & (j != i) & (j != avoid)
    for k in range(few):
        j = np.int64(space.near[k])
        r = nearest_image(subtract(x, position_at(row, j, t, space)), space)
        meet = t + pair_time(r, v, velocity_at(row, j, t, space), radius + row[j, RADIUS])
        if meet < soonest or (meet == soonest and j < partner):
            soonest, partner = meet, j
    return soonest, partner


@func
def next_wall(i, t, row, space):
    """Time at which particle i, now at time t, reaches a wall, and the wall."""
    soonest, wall = math.inf, np.int64(NO_PARTNER)
    for axis in range(3):
        if space.boundary[axis] == WALLED:
            x, v, g, radius = row[i, axis], row[i, 3 + axis], space.gravity[axis], row[i, RADIUS]
            down = t + plane_time(x - (space.lower[axis] + radius), v, g)
            if down < soonest:
                soonest, wall = down, np.int64(-1 - 2 * axis)
            up = t + plane_time((space.upper[axis] - radius) - x, -v, -g)
            if up < soonest:
                soonest, wall = up, np.int64(-2 - 2 * axis)
    return soonest, wall


@func
def predict_cell_exit(i, t, row, plan, space):
    """Predict the time at which particle i, now at time t, leaves its cell, and the face."""
    soonest, face, cell = math.inf, np.int64(0), cell_of(plan, i)
    for axis in range(3):
        c, walled = cell[axis], space.boundary[axis] == WALLED
        x, v, g = row[i, axis], row[i, 3 + axis], space.gravity[axis]
        low = space.lower[axis] + c * space.width[axis]
        if not (walled and c == 0):
            down = t + plane_time(x - low, v, g)
            if down < soonest:
                soonest, face = down, np.int64(2 * axis)
        if not (walled and c == space.cells[axis] - 1):
            up = t + plane_time(low + space.width[axis] - x, -v, -g)
            if up < soonest:
                soonest, face = up, np.int64(2 * axis + 1)
    plan[i, EXIT_TIME] = soonest
    plan[i, FACE] = face


@inline
def record_impact(i, soonest, partner, spheres):
    """Record an impact of particle i if it is the soonest one so far."""
    spheres.plan[i, IMPACT] = soonest
    spheres.plan[i, PARTNER] = partner
    spheres.plan[i, PARTNER_IMPACTS] = spheres.impacts[partner] if partner >= 0 else 0


@func
def predict_next_event(i, t, avoid, spheres, space, agenda):
    """Advance particle i to time t and predict its next event."""
    advance_to_time(spheres.row, i, t, space)
    soonest, partner = next_wall(i, t, spheres.row, space)
    soonest, partner = search(i, t, avoid, AROUND, spheres, space, soonest, partner)
    record_impact(i, soonest, partner, spheres)
    predict_cell_exit(i, t, spheres.row, spheres.plan, space)
    reschedule(agenda, i, min(soonest, spheres.plan[i, EXIT_TIME]))


@kernel
def synchronise(t, spheres, space, position, velocity, orientation, angular_velocity):
    """Write the state of all spheres at time t to four component-major arrays; the spheres stay as they are."""
    for i in range(spheres.mass.size):
        x = position_at(spheres.row, i, t, space)
        for axis in range(3):
            position[axis, i] = x[axis] + spheres.image[axis, i] * space.period[axis]
        store(velocity, i, velocity_at(spheres.row, i, t, space))
        store_quaternion(orientation, i, orientation_at(spheres, i, t))
        store(angular_velocity, i, load(spheres.omega, i))


@kernel
def deepest_pair(t, spheres, space):
    """Largest overlap of two spheres at time t over the sum of their radii, negative for gaps; and the pair."""
    row = spheres.row
    deepest, first, second = -math.inf, 0, 0
    for i in range(spheres.mass.size):
        x, radius = position_at(row, i, t, space), row[i, RADIUS]
        for k in range(list_near(i, AROUND, spheres.plan, space)):
            j = space.near[k]
            r = nearest_image(subtract(x, position_at(row, j, t, space)), space)
            overlap = 1.0 - math.sqrt(dot(r, r)) / (radius + row[j, RADIUS])
            if i < j and overlap > deepest:
                deepest, first, second = overlap, i, j
    return deepest, first, second


@kernel
def deepest_wall(t, spheres, space):
    """Largest overlap of a sphere with a wall at time t over its radius, negative for gaps; and the sphere."""
    row = spheres.row
    deepest, first = -math.inf, 0
    for i in range(spheres.mass.size):
        x, radius = position_at(row, i, t, space), row[i, RADIUS]
        for axis in range(3):
            if space.boundary[axis] == WALLED:
                gap = min(x[axis] - space.lower[axis], space.upper[axis] - x[axis])
                if 1.0 - gap / radius > deepest:
                    deepest, first = 1.0 - gap / radius, i
    return deepest, first
