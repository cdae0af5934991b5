"""Kinematics of contacts of spheres with walls of any shape, as laws want to know them: of one, and of a batch.

In a batch of single spheres, what is looked up here and there is first put side by side; walls are taken one after the
other. So the rest is loops without a choice and without gathering, which LLVM makes vector code of on every processor.
"""

import math

from dem.kernels import laws
from dem.kernels.compiler.jit import inline, vector_loop
from dem.kernels.laws import hertz
from dem.kernels.laws.first_step import begins
from dem.kernels.numerics.quaternion import load_quaternion, rotate
from dem.kernels.numerics.vector import add, add_scaled, dot, load, scale, subtract
from dem.kernels.soft.contact.batch_kinematics import (
    MASS,
    NORMAL,
    OVERLAP,
    POINT,
    RADIUS,
    REDUCED,
    ROLLING,
    STIFFNESS,
    TURNING,
    VELOCITY,
    flat,
    get,
    put,
    put_touch,
)
from dem.kernels.soft.contact.surface_motion import (
    inverse_mass,
    radius_near,
    rolling_inertia,
    spin_of,
    surface_velocity,
    velocity_at,
)
from dem.kernels.soft.wall_contact.convex_at_walls import at_wall
from dem.kernels.soft.wall_contact.wall_arrays import surface_at, surface_velocity_at


@inline
def encounter(w, s, b, t, overlap, normal, bodies, kinds, box):
    """Kinematics of sphere s of body b and wall w, and the point halfway between their surfaces.

    Parameters
    ----------
    w, s, b, t : wall, sphere, its body, tree
    overlap, normal : see `region`
    bodies, kinds, box : see `dem.kernels.soft.state`

    Returns
    -------
    `laws.ContactKinematics`, point [m], velocity of the wall's surface there [m/s]
    """
    centre, radius = at_wall(kinds, w, s, b, t, bodies, box), radius_near(s, b, bodies, kinds)
    return encounter_at(w, centre, radius, b, overlap, normal, bodies, kinds, box)


@inline
def encounter_at(w, centre, radius, b, overlap, normal, bodies, kinds, box):
    """Kinematics of the contact of a sphere of body b, at any place, with wall w.

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
    """Kinematics of the contact of a sphere of body b with wall w.

    Parameters
    ----------
    w, b, radius, overlap, normal, bodies, kinds, box : see `encounter_at`
    x, of_wall, inverse : point [m], velocity of the wall's surface there [m/s], see `inverse_mass` [1/kg]

    Returns
    -------
    `laws.ContactKinematics`
    """
    modulus, mass = box.walls.modulus[kinds.material[bodies.kind[b]], w], kinds.mass[bodies.kind[b]]
    velocity, spin = subtract(surface_velocity(b, x, bodies, box), of_wall), spin_of(b, bodies)
    turning, rolling = load(box.walls.poses.spin, w), rolling_inertia(radius, b, bodies, kinds)
    return touch_at(overlap, normal, velocity, spin, turning, modulus, radius, inverse, mass, rolling)


@inline
def touch_at(overlap, normal, velocity, spin, turning, modulus, radius, inverse, mass, rolling):
    """Contact kinematics of a sphere and a wall, from their velocities, moduli and masses.

    Parameters
    ----------
    overlap, normal, radius, inverse : see `touch_of_wall`
    velocity, spin, turning : of the sphere's surface as the wall's sees it [m/s], of the sphere, of the wall [rad/s]
    modulus, mass, rolling : E* [Pa]; the body's mass [kg]; see `rolling_inertia` [kg m²]

    Returns
    -------
    `laws.ContactKinematics`
    """
    return laws.ContactKinematics(
        hertz.stiffness(modulus, radius), 1.0 / inverse, overlap, normal, velocity,
        0.5 * dot(add(spin, turning), normal), relative_angular_velocity=subtract(spin, turning), radius=radius,
        reduced_mass=mass,
        rolling_inertia=rolling, may_begin=True,
    )  # fmt: skip


@inline
def blended(law, m, row, touch, history, half, energy, power):
    """Energy of a contact of several pieces beyond that of one with the same force [J].

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


# rows of integers: materials; sphere, wall, `wall_history.key_of`, contacts of the sphere that have been kept before
OF_I, OF_J, SPHERE, WALL, KEY, KEPT = 2, 3, 4, 5, 6, 7
OF_WALL, PLACE = 19, 22  # rows of what is known besides: velocity of the wall's surface [m/s], point in the world [m]


@inline
def upright(total):
    """The unit normal, given a sum of pieces; as `dem.kernels.soft.wall_contact.overlap_regions.region`."""
    return scale(1.0 / math.sqrt(dot(total, total)), total)


@vector_loop
def gather_contacts(number, told, bodies, kinds, box, known):
    """What is known of the sphere and the wall of each contact, side by side: looked up number by number.

    Parameters
    ----------
    number : of columns
    bodies, kinds, box : see `dem.kernels.soft.state`
    told : all rows

    Writes
    ------
    known : PLACE, VELOCITY and TURNING, where a sphere is and how it moves; RADIUS, REDUCED, ROLLING; its inverse mass
        in MASS, the effective modulus in STIFFNESS

    Returns
    -------
    how many are of other materials than the first
    """
    others = 0
    for t in range(number):
        b, g = told[SPHERE, t], bodies.kind[told[SPHERE, t]]
        radius = kinds.radius[kinds.first_offset[g]]
        put(known, PLACE, t, load(bodies.position, b))
        put(known, VELOCITY, t, load(bodies.velocity_predicted, b))
        put(known, TURNING, t, spin_of(b, bodies))
        known[flat(RADIUS, t)], known[flat(REDUCED, t)] = radius, kinds.mass[g]
        known[flat(ROLLING, t)] = rolling_inertia(radius, b, bodies, kinds)
        known[flat(MASS, t)] = kinds.inverse_mass[g]
        known[flat(STIFFNESS, t)] = box.walls.modulus[kinds.material[g], told[WALL, t]]
        others += 1 if told[OF_I, t] != told[OF_I, 0] or told[OF_J, t] != told[OF_J, 0] else 0
    return others


@vector_loop
def turn_normals(w, first, last, orientation, known):
    """Turn NORMAL of columns, as wall w sees them, into the world: by itself, as LLVM makes no vectors of a choice."""
    q = load_quaternion(orientation, w)
    for t in range(first, last):
        put(known, NORMAL, t, rotate(q, get(known, NORMAL, t)))


@vector_loop
def meet_wall(w, first, last, turns, dt, box, known):
    """Find out what spheres and wall w do to each other.

    Parameters
    ----------
    w, first, last : wall, columns
    turns, dt, box : whether spheres can turn; time step [s]; see `dem.kernels.soft.state`

    Writes
    ------
    known : all rows but OVERLAP, which is read, as are NORMAL, a sum of pieces, and what `gather_contacts` writes

    Returns
    -------
    how many may have begun in the last step
    """
    began = 0
    for t in range(first, last):
        overlap, radius = known[flat(OVERLAP, t)], known[flat(RADIUS, t)]
        normal = upright(get(known, NORMAL, t))
        centre, spin = get(known, PLACE, t), get(known, TURNING, t)
        x = point_at(centre, radius, overlap, normal)
        of_wall = surface_at(w, x, (0.0, 0.0, 0.0), box)
        velocity = subtract(velocity_at(x, centre, get(known, VELOCITY, t), spin, turns, box), of_wall)
        touch = touch_at(
            overlap, normal, velocity, spin, load(box.walls.poses.spin, w), known[flat(STIFFNESS, t)], radius,
            known[flat(MASS, t)], known[flat(REDUCED, t)], known[flat(ROLLING, t)],
        )  # fmt: skip
        put_touch(t, touch, known)
        put(known, POINT, t, subtract(x, centre))
        put(known, OF_WALL, t, of_wall)
        put(known, PLACE, t, x)
        began += 1 if begins(overlap, dot(velocity, normal), dt) else 0
    return began


@inline
def meet_walls(number, dt, bodies, kinds, box, told, known):
    """Find out what so many spheres and walls do to each other, those that follow each other at one wall together.

    Parameters
    ----------
    number, dt : of columns; time step [s]
    bodies, kinds, box : see `dem.kernels.soft.state`
    told : all rows

    Writes
    ------
    known : all rows but OVERLAP, which is read, as is NORMAL: a sum of pieces in the wall's frame

    Returns
    -------
    how many are of other materials than the first; how many may have begun in the last step
    """
    others, began, first = gather_contacts(number, told, bodies, kinds, box, known), 0, 0
    for t in range(1, number + 1):
        w = told[WALL, first]
        if t == number or told[WALL, t] != w:
            if box.walls.moving:
                turn_normals(w, first, t, box.walls.poses.orientation, known)
            began += meet_wall(w, first, t, bodies.angular_velocity_predicted.shape[1] > 0, dt, box, known)
            first = t
    return others, began
