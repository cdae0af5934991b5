"""What a sphere and a wall of any shape do to each other at a contact: what laws want to know of it."""

from dem.kernels import laws
from dem.kernels.compiler.jit import inline
from dem.kernels.laws import hertz
from dem.kernels.numerics.vector import add, add_scaled, dot, load, subtract
from dem.kernels.soft.contact.surface_motion import (
    inverse_mass,
    radius_near,
    rolling_inertia,
    spin_of,
    surface_velocity,
)
from dem.kernels.soft.wall_contact.wall_arrays import surface_velocity_at


@inline
def encounter(w, s, b, overlap, normal, bodies, kinds, box):
    """What sphere s of body b and wall w do to each other, and the point halfway between their surfaces.

    Parameters
    ----------
    w, s, b : wall, sphere, its body
    overlap, normal : see `region`
    bodies, kinds, box : see `dem.kernels.soft.state`

    Returns
    -------
    `laws.Touch`, point [m], velocity of the wall's surface there [m/s]
    """
    centre, radius = load(bodies.sphere_position, s), radius_near(s, b, bodies, kinds)
    return encounter_at(w, centre, radius, b, overlap, normal, bodies, kinds, box)


@inline
def encounter_at(w, centre, radius, b, overlap, normal, bodies, kinds, box):
    """The same of a sphere of body b at any place.

    Parameters
    ----------
    w, b, overlap, normal, bodies, kinds, box : see `encounter`
    centre, radius : of the sphere [m]

    Returns
    -------
    as `encounter`
    """
    x = point_at(centre, radius, overlap, normal)
    of_wall = surface_velocity_at(w, x, normal, box)
    inverse = inverse_mass(b, x, normal, bodies, kinds, box)
    return touch_of_wall(w, x, of_wall, radius, inverse, b, overlap, normal, bodies, kinds, box), x, of_wall


@inline
def point_at(centre, radius, overlap, normal):
    """The point halfway between the surfaces of a sphere and a wall [m]."""
    return add_scaled(centre, 0.5 * overlap - radius, normal)


@inline
def touch_of_wall(w, x, of_wall, radius, inverse, b, overlap, normal, bodies, kinds, box):
    """What a sphere of body b and wall w do to each other.

    Parameters
    ----------
    w, b, radius, overlap, normal, bodies, kinds, box : see `encounter_at`
    x, of_wall, inverse : point [m], velocity of the wall's surface there [m/s], see `inverse_mass` [1/kg]

    Returns
    -------
    `laws.Touch`
    """
    modulus, mass = box.walls.modulus[kinds.material[bodies.kind[b]], w], kinds.mass[bodies.kind[b]]
    velocity, spin = subtract(surface_velocity(b, x, bodies, box), of_wall), spin_of(b, bodies)
    turning, rolling = load(box.walls.poses.spin, w), rolling_inertia(radius, b, bodies, kinds)
    return touch_at(overlap, normal, velocity, spin, turning, modulus, radius, inverse, mass, rolling)


@inline
def touch_at(overlap, normal, velocity, spin, turning, modulus, radius, inverse, mass, rolling):
    """The same by what it comes from.

    Parameters
    ----------
    overlap, normal, radius, inverse : see `touch_of_wall`
    velocity, spin, turning : of the sphere's surface as the wall's sees it [m/s], of the sphere, of the wall [rad/s]
    modulus, mass, rolling : E* [Pa]; the body's mass [kg]; see `rolling_inertia` [kg m²]

    Returns
    -------
    `laws.Touch`
    """
    return laws.ContactKinematics(
        hertz.stiffness(modulus, radius), 1.0 / inverse, overlap, normal, velocity,
        0.5 * dot(add(spin, turning), normal), relative_angular_velocity=subtract(spin, turning), radius=radius,
        reduced_mass=mass,
        rolling_inertia=rolling, may_begin=True,
    )  # fmt: skip


@inline
def blended(law, m, row, touch, history, half, energy, power):
    """What the energy of a contact of several pieces has beyond that of one with the same force [J].

    Parameters
    ----------
    law, m, row, touch, history, half : see `dem.kernels.laws.secant`
    energy, power : Σ± δ^(p+1)/(p+1) of the pieces, p

    Returns
    -------
    energy [J]
    """
    if touch.overlap <= 0.0:
        return 0.0
    one = touch.overlap ** (power + 1.0) / (power + 1.0)
    stiffness = laws.secant(law, m, row, touch, history, half) * touch.overlap ** (1.0 - power)
    return stiffness * (energy - one)
