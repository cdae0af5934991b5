"""Impact of two spheres with given velocities and random offset, by the collision rule of hard spheres."""

import math

from dem.kernels.compiler.jit import inline
from dem.kernels.domain.roughness import perpendicular
from dem.kernels.event_driven.flight import RADIUS
from dem.kernels.event_driven.impact import contact_velocity, impulse
from dem.kernels.numerics.vector import add_scaled, cross, dot, load, scale, subtract


@inline
def velocity_of(row, i):
    """Velocity of particle i at its own time."""
    return row[i, 3], row[i, 4], row[i, 5]


@inline
def random_normal(g, offset_squared, turn):
    """Unit normal from sphere 2 to 1 for the velocity g of 1 relative to 2 and the offset L (R1 + R2).

    Spheres that come along parallel lines meet wherever these pierce a disc of radius R1 + R2, so L² is uniform in
    (0, 1), and so is the azimuth, as a part of a turn. Then n·g = -√(1 - L²) |g|; the direction in which smooth elastic
    spheres part is uniform on the sphere.
    """
    forward = scale(1.0 / math.sqrt(dot(g, g)), g)
    side = perpendicular(forward)
    other = cross(forward, side)
    offset, angle = math.sqrt(offset_squared), 2.0 * math.pi * turn
    n = scale(-math.sqrt(1.0 - offset_squared), forward)
    n = add_scaled(add_scaled(n, offset * math.cos(angle), side), offset * math.sin(angle), other)
    return scale(1.0 / math.sqrt(dot(n, n)), n)


@inline
def random_impulse(spheres, i, j, v_j, omega_j, law, offset_squared, turn):
    """Normal, impulse on particle i and energy loss of an impact with a sphere of given velocity and spin.

    v_j, omega_j: velocity and angular velocity of the partner [m/s, rad/s]; v_j is not that of i.
    offset_squared, turn: see `random_normal`.
    Returns normal from j to i, normal and tangential part of the impulse on i [kg m/s], energy [J].
    """
    row, v_i = spheres.row, velocity_of(spheres.row, i)
    n = random_normal(subtract(v_i, v_j), offset_squared, turn)
    arm_i, arm_j = row[i, RADIUS], row[j, RADIUS]
    q = contact_velocity(n, v_i, v_j, arm_i, load(spheres.omega, i), arm_j, omega_j)
    inverse_mass = 1.0 / spheres.mass[i] + 1.0 / spheres.mass[j]
    inverse_inertia = arm_i * arm_i / spheres.inertia[i] + arm_j * arm_j / spheres.inertia[j]
    normal, tangential, lost = impulse(n, q, inverse_mass, inverse_inertia, law, law.restitution)
    return n, normal, tangential, lost
