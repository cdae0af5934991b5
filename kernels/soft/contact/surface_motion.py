"""The surfaces of bodies at a contact: how they move there, and how much mass stands behind them."""

from dem.kernels.compiler.jit import inline
from dem.kernels.domain.periodic import image_velocity, minimum_image, nearest_image
from dem.kernels.laws import ContactKinematics
from dem.kernels.numerics.quaternion import load_quaternion, rotate_back
from dem.kernels.numerics.vector import add, cross, divide, dot, load, subtract


@inline
def radius_of(s, b, bodies, kinds):
    """Radius of sphere s, which is body b's [m]."""
    return kinds.radius[kinds.first_offset[bodies.kind[b]] + s - bodies.first_sphere[b]]


@inline
def spheres_of(b, bodies, kinds):
    """First sphere of body b, and the one after its last; no memory access if every body is one sphere."""
    return (b, b + 1) if kinds.all_single_spheres else (bodies.first_sphere[b], bodies.first_sphere[b + 1])


@inline
def radius_near(s, b, bodies, kinds):
    """Radius of sphere s of body b [m], read without `first_sphere` where every body is one sphere."""
    first, _ = spheres_of(b, bodies, kinds)
    return kinds.radius[kinds.first_offset[bodies.kind[b]] + s - first]


@inline
def surface_velocity(b, x, bodies, box):
    """Velocity v + ω × r of body b at the point x; bodies that no torque can reach do not turn."""
    v, centre = load(bodies.velocity_predicted, b), load(bodies.position, b)
    return velocity_at(x, centre, v, spin_of(b, bodies), bodies.angular_velocity_predicted.shape[1] > 0, box)


@inline
def velocity_at(x, centre, v, spin, turns, box):
    """Velocity at x of the surface of a body, given the motion of its nearest image and whether it can turn."""
    arm, image = nearest_image(box, x, centre)
    v = add(v, image_velocity(box, image, arm))
    return add(v, cross(spin, arm)) if turns else v


@inline
def spin_of(b, bodies):
    """Angular velocity of body b."""
    return (
        load(bodies.angular_velocity_predicted, b)
        if bodies.angular_velocity_predicted.shape[1] > 0
        else (0.0, 0.0, 0.0)
    )


@inline
def rolling_inertia(radius, b, bodies, kinds):
    """Moment of inertia about the point of contact, I + m R²; I is the mean of the principal moments."""
    g = bodies.kind[b]
    own = (kinds.inertia[0, g] + kinds.inertia[1, g] + kinds.inertia[2, g]) / 3.0
    return own + kinds.mass[g] * radius * radius


@inline
def inverse_mass_at(inverse, inertia, orientation, arm, normal):
    """Inverse effective mass along the normal at an arm from the centre of mass, 1/m + (r × n)·I^-1 (r × n) [1/kg].

    At its tip a fibre has a smaller effective mass than at its centre. The damping depends on this mass, so that the
    coefficient of restitution is the prescribed one.

    inverse, inertia, orientation: 1/m [1/kg], principal moments [kg m²] and orientation of the body.
    """
    turned = rotate_back(orientation, cross(arm, normal))
    return inverse + dot(turned, divide(turned, inertia))


@inline
def inverse_mass(b, x, normal, bodies, kinds, box):
    """Inverse effective mass of body b along the normal at point x, see `inverse_mass_at` [1/kg]."""
    g = bodies.kind[b]
    if kinds.all_single_spheres:
        return kinds.inverse_mass[g]
    arm = minimum_image(box, x, load(bodies.position, b))
    return inverse_mass_at(
        kinds.inverse_mass[g], load(kinds.inertia, g), load_quaternion(bodies.orientation, b), arm, normal
    )


@inline
def inverse_effective_mass(b, force, torque, bodies, kinds):
    """F²/m + T·I⁻¹ T of body b."""
    return inverse_effective_mass_of(force, torque, bodies.kind[b], load_quaternion(bodies.orientation, b), kinds)


@inline
def inverse_effective_mass_of(force, torque, g, orientation, kinds):
    """F²/m + T·I⁻¹ T of a body of kind g in its orientation."""
    turned = rotate_back(orientation, torque)
    return dot(force, force) * kinds.inverse_mass[g] + dot(turned, divide(turned, load(kinds.inertia, g)))


@inline
def pair_kinematics(b, c, r_b, r_c, stiffness, mass, overlap, normal, velocity, bodies, kinds):
    """Kinematics of a contact of bodies b and c, of radii r_b and r_c there, of which this much is known."""
    w_b, w_c = spin_of(b, bodies), spin_of(c, bodies)
    rolling = 1.0 / rolling_inertia(r_b, b, bodies, kinds) + 1.0 / rolling_inertia(r_c, c, bodies, kinds)
    return ContactKinematics(
        stiffness, mass, overlap, normal, velocity, 0.5 * dot(add(w_b, w_c), normal),
        relative_angular_velocity=subtract(w_b, w_c), radius=r_b * r_c / (r_b + r_c),
        reduced_mass=1.0 / (kinds.inverse_mass[bodies.kind[b]] + kinds.inverse_mass[bodies.kind[c]]),
        rolling_inertia=1.0 / rolling, may_begin=True, spring_aligned=False,
    )  # fmt: skip
