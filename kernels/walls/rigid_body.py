"""Rigid-body dynamics of walls: leap-frog in momenta, with whole-step states at both ends of a step.

With v the velocity and L the angular momentum about a point of the wall, its centre of mass or one that is held,

    v' = F/m,  L' = T,  x' = v,  q' = ω q / 2,  ω = (R I Rᵗ)⁻¹ L,

half a kick, a drift in which ω is that in its middle, half a kick. Along axes of the world that are locked v and L are
0, and ω solves the equations of the rest: constraints do no work, and change no momentum along what is free.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline
from dem.kernels.numerics.quaternion import (
    exponential,
    load_quaternion,
    product,
    renormalise,
    rotate,
    rotate_back,
    store_quaternion,
)
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, load, multiply, scale, store, subtract
from dem.kernels.walls.poses import displacement_bound, subtract_quaternions

# rows of `FreeBodies.state`: displacement and turn since time 0 of the point that is held or the centre of mass, its
# velocity, and angular momentum about it, at whole steps; velocity and angular velocity as forces are to see them
SHIFT, TURN, VELOCITY, ANGULAR_MOMENTUM, PREDICTED_VELOCITY, PREDICTED_SPIN, ROWS = 0, 3, 7, 10, 13, 16, 19


class NoFreeWall(NamedTuple):
    """No wall is a free body."""


class FreeBodies(NamedTuple):
    """State of W walls, some of which are free bodies."""

    is_free: np.ndarray  # (W,) int8
    mobility: np.ndarray  # (3, W) along the axes of the world, 0 along locked ones [1/kg]
    turns: np.ndarray  # (3, W) 1 about axes of the world that it may turn about, else 0
    inertia: np.ndarray  # (6, W) about the point, at time 0: xx, yy, zz, yz, zx, xy [kg m²]
    arm: np.ndarray  # (3, W) from the point to the centre of mass, at time 0 [m]
    load: np.ndarray  # (3, W) weight and other forces on the centre of mass [N]
    dt: float  # [s]
    state: np.ndarray  # (ROWS, W)


@inline
def column(w, k, q, free):
    """Column k of the tensor of inertia of wall w turned by q."""
    u = rotate_back(q, (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0))
    i = free.inertia
    v = (
        i[0, w] * u[0] + i[5, w] * u[1] + i[4, w] * u[2],
        i[5, w] * u[0] + i[1, w] * u[1] + i[3, w] * u[2],
        i[4, w] * u[0] + i[3, w] * u[1] + i[2, w] * u[2],
    )
    v = multiply(rotate(q, v), load(free.turns, w))
    t = free.turns[k, w]
    return (
        t * v[0] + (1.0 - t if k == 0 else 0.0),
        t * v[1] + (1.0 - t if k == 1 else 0.0),
        t * v[2] + (1.0 - t if k == 2 else 0.0),
    )


@func
def spin_at(w, q, angular, free):
    """Angular velocity of wall w at orientation q, from an angular momentum about the axes that are free."""
    turns = load(free.turns, w)
    if dot(turns, turns) == 0.0:
        return (0.0, 0.0, 0.0)
    a, b, c = column(w, 0, q, free), column(w, 1, q, free), column(w, 2, q, free)
    across = cross(b, c)
    inverse = 1.0 / dot(a, across)
    components = (dot(angular, across), dot(a, cross(angular, c)), dot(a, cross(b, angular)))
    return multiply(scale(inverse, components), turns)


@inline
def rows(state, first, w):
    """Three rows of column w."""
    return state[first, w], state[first + 1, w], state[first + 2, w]


@inline
def put(state, first, w, u):
    """Write three rows of column w."""
    state[first, w], state[first + 1, w], state[first + 2, w] = u


@inline
def turn_of(state, w):
    """Quaternion by which wall w has turned."""
    return state[TURN, w], state[TURN + 1, w], state[TURN + 2, w], state[TURN + 3, w]


@inline
def acceleration_and_torque(w, loads, free):
    """Acceleration of wall w and torque on it by contacts and load, along its free axes."""
    force = add(rows(loads, 0, w), load(free.load, w))
    lever = rotate(turn_of(free.state, w), load(free.arm, w))
    torque = add(rows(loads, 3, w), cross(lever, load(free.load, w)))
    return multiply(force, load(free.mobility, w)), multiply(torque, load(free.turns, w))


@inline
def kick(w, loads, half, free):
    """Change the velocity and the angular momentum of wall w by half a step, by the loads of walls (7, W)."""
    acceleration, torque = acceleration_and_torque(w, loads, free)
    put(free.state, VELOCITY, w, add_scaled(rows(free.state, VELOCITY, w), half, acceleration))
    put(free.state, ANGULAR_MOMENTUM, w, add_scaled(rows(free.state, ANGULAR_MOMENTUM, w), half, torque))


@func
def advance_wall(w, loads, free):
    """Move wall w by a step, from velocities at its beginning to those in its middle, and predict those at its end."""
    s, half = free.state, 0.5 * free.dt
    kick(w, loads, half, free)
    velocity, angular = rows(s, VELOCITY, w), rows(s, ANGULAR_MOMENTUM, w)
    put(s, SHIFT, w, add_scaled(rows(s, SHIFT, w), free.dt, velocity))
    q = turn_of(s, w)
    middle = product(exponential(scale(0.5 * half, spin_at(w, q, angular, free))), q)
    q = renormalise(product(exponential(scale(half, spin_at(w, middle, angular, free))), q))
    acceleration, torque = acceleration_and_torque(w, loads, free)
    s[TURN, w], s[TURN + 1, w], s[TURN + 2, w], s[TURN + 3, w] = q
    put(s, PREDICTED_VELOCITY, w, add_scaled(velocity, half, acceleration))
    put(s, PREDICTED_SPIN, w, spin_at(w, q, add_scaled(angular, half, torque), free))


@inline
def complete_wall_step(w, loads, free):
    """Complete the step of wall w with the forces at its end; returns the differences from predicted velocities."""
    s = free.state
    before, turning = rows(s, PREDICTED_VELOCITY, w), rows(s, PREDICTED_SPIN, w)
    kick(w, loads, 0.5 * free.dt, free)
    put(s, PREDICTED_VELOCITY, w, rows(s, VELOCITY, w))
    put(s, PREDICTED_SPIN, w, spin_at(w, turn_of(s, w), rows(s, ANGULAR_MOMENTUM, w), free))
    return subtract(rows(s, PREDICTED_VELOCITY, w), before), subtract(rows(s, PREDICTED_SPIN, w), turning)


@func
def place_wall(w, motions, poses, free):
    """Write the pose of wall w from its state; returns a bound on the displacement of its points [m]."""
    before, turned = load(poses.middle, w), load_quaternion(poses.orientation, w)
    point, q = load(motions.pivot, w), turn_of(free.state, w)
    pivot = add(point, rows(free.state, SHIFT, w))
    middle = add(pivot, rotate(q, subtract(load(motions.middle, w), point)))
    spin = rows(free.state, PREDICTED_SPIN, w)
    store(poses.middle, w, middle)
    store(poses.pivot, w, pivot)
    store(poses.origin, w, subtract(pivot, rotate(q, point)))
    store_quaternion(poses.orientation, w, q)
    store(poses.velocity, w, add(rows(free.state, PREDICTED_VELOCITY, w), cross(spin, subtract(middle, pivot))))
    store(poses.spin, w, spin)
    return displacement_bound(motions.reach[w], subtract(middle, before), subtract_quaternions(q, turned))
