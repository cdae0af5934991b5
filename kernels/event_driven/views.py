"""What an onlooker sees of hard spheres between their events; the spheres stay as they are."""

import math

from dem.kernels.compiler.jit import kernel
from dem.kernels.event_driven.flight import (
    AROUND,
    RADIUS,
    WALLED,
    list_near,
    nearest_image,
    orientation_at,
    position_at,
    velocity_at,
)
from dem.kernels.numerics.quaternion import store_quaternion
from dem.kernels.numerics.vector import dot, load, store, subtract


@kernel
def synchronise(t, spheres, space, position, velocity, orientation, angular_velocity):
    """Write the state at time t to four component-major arrays; the spheres stay as they are."""
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
    """Largest overlap of a sphere with a wall at time t over its radius, negative for gaps; and whose it is."""
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
