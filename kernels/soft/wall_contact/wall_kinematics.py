"""Kinematics of wall contacts, one by one or in batches.

In a batch of single spheres, a first loop gathers data from scattered memory into rows, and walls are taken one after
the other. The other loops have neither branches nor gathers, so that LLVM vectorises them for every processor.
"""

import math

from dem.kernels import laws
from dem.kernels.compiler.jit import func, inline, vector_loop
from dem.kernels.laws import hertz
from dem.kernels.laws.first_step import has_begun
from dem.kernels.numerics.columns import flat, get, put
from dem.kernels.numerics.quaternion import load_quaternion, rotate
from dem.kernels.numerics.vector import add, add_scaled, dot, load, scale, subtract
from dem.kernels.soft.contact.batch_kinematics import (
    ARM_I,
    MASS,
    NORMAL,
    OVERLAP,
    RADIUS,
    REDUCED,
    ROLLING,
    STIFFNESS,
    TURNING,
    VELOCITY,
    write_kinematics,
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
from dem.kernels.soft.wall_contact.wall_arrays import as_plain_box, motion_of, surface_at, surface_velocity_at


@inline
def contact_kinematics(w, s, b, t, overlap, normal, bodies, kinds, box):
    """Kinematics of contact t of sphere s of body b with wall w; see `contact_kinematics_at`."""
    centre, radius = at_wall(kinds, w, s, b, t, bodies, box), radius_near(s, b, bodies, kinds)
    return contact_kinematics_at(w, centre, radius, b, overlap, normal, bodies, kinds, box)


@inline
def contact_kinematics_at(w, centre, radius, b, overlap, normal, bodies, kinds, box):
    """Kinematics of the contact of a sphere of body b, at any place, with wall w.

    Returns `dem.kernels.laws.ContactKinematics`, the point halfway between the surfaces [m], velocity of the wall's
    surface there [m/s].
    """
    x = point_at(centre, radius, overlap, normal)
    of_wall = surface_velocity_at(w, x, normal, box)
    inverse = inverse_mass(b, x, normal, bodies, kinds, box)
    modulus, mass = box.walls.modulus[kinds.material[bodies.kind[b]], w], kinds.mass[bodies.kind[b]]
    velocity, spin = subtract(surface_velocity(b, x, bodies, box), of_wall), spin_of(b, bodies)
    turning, rolling = load(box.walls.poses.spin, w), rolling_inertia(radius, b, bodies, kinds)
    contact = touch_at(overlap, normal, velocity, spin, turning, modulus, radius, inverse, mass, rolling)
    return contact, x, of_wall


@inline
def point_at(centre, radius, overlap, normal):
    """The point halfway between the surfaces of a sphere and a wall [m]."""
    return add_scaled(centre, 0.5 * overlap - radius, normal)


@inline
def touch_at(overlap, normal, velocity, spin, turning, modulus, radius, inverse, mass, rolling):
    """Contact kinematics of a sphere and a wall, from their velocities, moduli and masses.

    velocity, spin, turning: of the sphere's surface as the wall's sees it [m/s], of the sphere, of the wall [rad/s];
    modulus, mass, rolling: E* [Pa]; the body's mass [kg]; see `rolling_inertia` [kg m²].
    """
    return laws.ContactKinematics(
        hertz.stiffness(modulus, radius), 1.0 / inverse, overlap, normal, velocity,
        0.5 * dot(add(spin, turning), normal), relative_angular_velocity=subtract(spin, turning), radius=radius,
        reduced_mass=mass, rolling_inertia=rolling, may_begin=True, spring_aligned=False,
    )  # fmt: skip


@inline
def energy_of_pieces(law, m, row, contact, history, half, energy, power):
    """Energy of a contact with several pieces of a wall, less that of one piece with the same force [J].

    energy, power: Σ± δ^(p+1)/(p+1) of the pieces, p.
    """
    if contact.overlap <= 0.0:
        return 0.0
    one_piece = contact.overlap ** (power + 1.0) / (power + 1.0)
    stiffness = laws.secant(law, m, row, contact, history, half) * contact.overlap ** (1.0 - power)
    return stiffness * (energy - one_piece)


# rows of integers: materials; sphere, wall, `wall_history.key_of`, contacts of the sphere that have been kept before
OF_I, OF_J, SPHERE, WALL, KEY, KEPT = 2, 3, 4, 5, 6, 7
OF_WALL, WORLD_POINT = 19, 22  # further rows of kinematics: velocity of the wall's surface [m/s], contact point [m]


@inline
def unit_normal(total):
    """The unit normal, given a sum of pieces; as `dem.kernels.soft.wall_contact.overlap_regions.region`."""
    return scale(1.0 / math.sqrt(dot(total, total)), total)


@func
def gather_contacts(count, ids, bodies, kinds, box, kinematics):
    """Gather properties of sphere and wall of each contact into columns; returns how many are of other materials.

    Writes kinematics: WORLD_POINT, VELOCITY and TURNING, position and motion of the sphere; RADIUS, REDUCED, ROLLING;
    its inverse mass in MASS, the effective modulus in STIFFNESS.
    """
    others = 0
    for t in range(count):
        b, g = ids[SPHERE, t], bodies.kind[ids[SPHERE, t]]
        radius = kinds.radius[kinds.first_offset[g]]
        put(kinematics, WORLD_POINT, t, load(bodies.position, b))
        put(kinematics, VELOCITY, t, load(bodies.velocity_predicted, b))
        put(kinematics, TURNING, t, spin_of(b, bodies))
        kinematics[flat(RADIUS, t)], kinematics[flat(REDUCED, t)] = radius, kinds.mass[g]
        kinematics[flat(ROLLING, t)] = rolling_inertia(radius, b, bodies, kinds)
        kinematics[flat(MASS, t)] = kinds.inverse_mass[g]
        kinematics[flat(STIFFNESS, t)] = box.walls.modulus[kinds.material[g], ids[WALL, t]]
        others += 1 if ids[OF_I, t] != ids[OF_I, 0] or ids[OF_J, t] != ids[OF_J, 0] else 0
    return others


@vector_loop
def turn_normals(w, first, last, orientation, kinematics):
    """Turn NORMAL of columns, as wall w sees them, into the world: by itself, as LLVM makes no vectors of a choice."""
    q = load_quaternion(orientation, w)
    for t in range(first, last):
        put(kinematics, NORMAL, t, rotate(q, get(kinematics, NORMAL, t)))


@vector_loop
def wall_motion(motion, first, last, turns, dt, box, kinematics):
    """Compute the kinematics of contacts with one wall, columns first to last; returns how many may be new.

    motion: `WallMotion` of the wall; turns: whether spheres can turn.
    Writes kinematics: all rows but OVERLAP. It reads OVERLAP, NORMAL (a sum of pieces), and what `gather_contacts`
        writes.
    """
    began = 0
    for t in range(first, last):
        overlap, radius = kinematics[flat(OVERLAP, t)], kinematics[flat(RADIUS, t)]
        normal = unit_normal(get(kinematics, NORMAL, t))
        centre, spin = get(kinematics, WORLD_POINT, t), get(kinematics, TURNING, t)
        x = point_at(centre, radius, overlap, normal)
        of_wall = surface_at(motion, x, (0.0, 0.0, 0.0), box)
        velocity = subtract(velocity_at(x, centre, get(kinematics, VELOCITY, t), spin, turns, box), of_wall)
        contact = touch_at(
            overlap, normal, velocity, spin, motion.spin, kinematics[flat(STIFFNESS, t)], radius,
            kinematics[flat(MASS, t)], kinematics[flat(REDUCED, t)], kinematics[flat(ROLLING, t)],
        )  # fmt: skip
        write_kinematics(t, contact, kinematics)
        put(kinematics, ARM_I, t, subtract(x, centre))
        put(kinematics, OF_WALL, t, of_wall)
        put(kinematics, WORLD_POINT, t, x)
        began += 1 if has_begun(overlap, dot(velocity, normal), dt) else 0
    return began


@inline
def wall_motions(count, dt, bodies, kinds, box, ids, kinematics):
    """Compute the kinematics of contacts; consecutive contacts at one wall are computed together.

    Returns how many are of other materials than the first; how many may have begun in the last step.
    Writes kinematics: all rows but OVERLAP, which is read, as is NORMAL: a sum of pieces in the wall's frame.
    """
    others, began, first = gather_contacts(count, ids, bodies, kinds, box, kinematics), 0, 0
    turns, plain = bodies.angular_velocity_predicted.shape[1] > 0, as_plain_box(box)
    for t in range(1, count + 1):
        w = ids[WALL, first]
        if t == count or ids[WALL, t] != w:
            if box.walls.moving:
                turn_normals(w, first, t, box.walls.poses.orientation, kinematics)
            began += wall_motion(motion_of(w, box), first, t, turns, dt, plain, kinematics)
            first = t
    return others, began
