"""Poses and velocities of walls as functions of time alone, so that restarts are exact.

A wall goes through the stages of its motion one after the other: each takes it rigidly from where the ones before have
put it. A stage is, at a time τ that runs from its start to its stop and stands still before and after,

    x -> c + d(τ) + R(θ(τ)) (x - c),    d = u τ + s (sin(ω τ + φ) - sin φ) + table,    θ = Ω τ + table

with the table linear between its rows, and R(θ) the rotation by θ about an axis through c.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline
from dem.kernels.numerics.quaternion import load_quaternion, norm_squared, product, rotate, store_quaternion
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, load, scale, store, subtract


class Motions(NamedTuple):
    """The stages of all walls, and where they are at time 0."""

    middle: np.ndarray  # (3, W) centre of the wall at time 0, or of its finite extents; a point of a plane [m]
    reach: np.ndarray  # (W,) distance from there that none of its points exceeds [m]
    pivot: np.ndarray  # (3, W) the point that torques are about, at time 0; it moves with the wall [m]
    first: np.ndarray  # (W + 1,) int64: stages of wall w are first[w] to first[w + 1]
    drift: np.ndarray  # (3, K) u [m/s]
    amplitude: np.ndarray  # (3, K) s [m]
    rate: np.ndarray  # (K,) ω [rad/s]
    phase: np.ndarray  # (K,) φ [rad]
    axis: np.ndarray  # (3, K) unit vector
    centre: np.ndarray  # (3, K) c [m]
    turning: np.ndarray  # (K,) Ω [rad/s]
    start: np.ndarray  # (K,) [s]
    stop: np.ndarray  # (K,) [s], infinite if it never stops
    first_row: np.ndarray  # (K + 1,) int64, into the table
    table: np.ndarray  # (5, R) times since the start [s], displacements in x, y, z [m], angles [rad]


class Poses(NamedTuple):
    """Poses and velocities of walls at present."""

    middle: np.ndarray  # (3, W) where the middle is [m]
    origin: np.ndarray  # (3, W) where what was the origin of the world is [m]
    orientation: np.ndarray  # (4, W) how it has turned since
    velocity: np.ndarray  # (3, W) of the middle [m/s]
    spin: np.ndarray  # (3, W) angular velocity, world frame [rad/s]
    pivot: np.ndarray  # (3, W) the point that torques are about [m]


@inline
def of_table(k, t, column, motions):
    """Value and rate of change of a column in the table of stage k, at a time since its start."""
    first, last = motions.first_row[k], motions.first_row[k + 1] - 1
    table = motions.table
    if last < first or t < table[0, first]:
        return (table[column, first] if first <= last else 0.0), 0.0
    row = first
    while row < last and table[0, row + 1] <= t:
        row += 1
    if row == last:
        return table[column, last], 0.0
    slope = (table[column, row + 1] - table[column, row]) / (table[0, row + 1] - table[0, row])
    return table[column, row] + slope * (t - table[0, row]), slope


@inline
def displacement(k, t, motions):
    """Displacement and velocity of a wall by stage k at a time since its start."""
    angle = motions.rate[k] * t + motions.phase[k]
    oscillation, oscillation_rate = math.sin(angle) - math.sin(motions.phase[k]), motions.rate[k] * math.cos(angle)
    u, s = load(motions.drift, k), load(motions.amplitude, k)
    d = add_scaled(scale(t, u), oscillation, s)
    v = add_scaled(u, oscillation_rate, s)
    if motions.first_row[k + 1] > motions.first_row[k]:
        x, v_x = of_table(k, t, 1, motions)
        y, v_y = of_table(k, t, 2, motions)
        z, v_z = of_table(k, t, 3, motions)
        d, v = add(d, (x, y, z)), add(v, (v_x, v_y, v_z))
    return d, v


@func
def stage_of(k, time, motions):
    """Displacement, its rate, rotation and angular velocity of stage k at a time."""
    t = min(max(time - motions.start[k], 0.0), motions.stop[k] - motions.start[k])
    moves = motions.start[k] <= time < motions.stop[k]
    d, v = displacement(k, t, motions)
    angle, rate = of_table(k, t, 4, motions)
    angle, rate = angle + motions.turning[k] * t, rate + motions.turning[k]
    axis = load(motions.axis, k)
    half = scale(math.sin(0.5 * angle), axis)
    q = (math.cos(0.5 * angle), half[0], half[1], half[2])
    if not moves:
        v, rate = (0.0, 0.0, 0.0), 0.0
    return d, v, q, scale(rate, axis)


@inline
def carried(x, q, c, d):
    """Point to which a stage of a motion carries x."""
    return add(add(c, d), rotate(q, subtract(x, c)))


@func
def place(w, time, offset, drift, motions, poses):
    """Set the pose of wall w at a time; returns an upper bound of the displacement of its points [m].

    offset, drift: displacement and velocity in addition to those of its stages [m, m/s].
    """
    before, turned = load(poses.middle, w), load_quaternion(poses.orientation, w)
    x, pivot, origin = load(motions.middle, w), load(motions.pivot, w), (0.0, 0.0, 0.0)
    q, velocity, spin = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(motions.first[w], motions.first[w + 1]):
        d, v, turn, rate = stage_of(k, time, motions)
        c = load(motions.centre, k)
        velocity = add(add(rotate(turn, velocity), v), cross(rate, rotate(turn, subtract(x, c))))
        spin = add(rotate(turn, spin), rate)
        x, pivot, origin = carried(x, turn, c, d), carried(pivot, turn, c, d), carried(origin, turn, c, d)
        q = product(turn, q)
    x, pivot, origin, velocity = add(x, offset), add(pivot, offset), add(origin, offset), add(velocity, drift)
    store(poses.middle, w, x)
    store(poses.origin, w, origin)
    store(poses.pivot, w, pivot)
    store_quaternion(poses.orientation, w, q)
    store(poses.velocity, w, velocity)
    store(poses.spin, w, spin)
    return displacement_bound(motions.reach[w], subtract(x, before), subtract_quaternions(q, turned))


@inline
def subtract_quaternions(p, q):
    """Difference p - q of two quaternions."""
    return p[0] - q[0], p[1] - q[1], p[2] - q[2], p[3] - q[3]


@inline
def displacement_bound(reach, moved, turned):
    """Upper bound of the displacement of points within `reach` of a centre that has moved and rotated.

    A turn by θ takes a point 2 reach sin(θ/2) away at most, and that is no more than 2 reach |q - q_old|.
    """
    change = norm_squared(turned)
    return math.sqrt(dot(moved, moved)) + (2.0 * reach * math.sqrt(change) if change > 0.0 else 0.0)
