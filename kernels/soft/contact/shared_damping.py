"""Several contacts of one pair of bodies, damped as what they are together.

A dashpot is as strong as its restitution wants for the mass that moves against it, and n contacts of one pair of bodies
would each be damped as if alone: a fibre of five spheres that lands flat asks for a restitution of 0.9 and gets 0.83.
Together they are a system of springs S_k with one rate of oscillation for the way in which they are pressed, ω² =
fᵀ G f / Σ f_k²/S_k: Rayleigh's quotient, with f_k = S_k v_k the change of the forces while they approach at v_k, and
G the inverse masses, fᵀ G f = F²/m + T·I⁻¹ T of either body under the sum F and the torque T of all f_k. A contact that
is alone has ω² = S/m*. So each of several is damped as that of the mass S_k/ω², which is exact for any mode of motion:
n contacts that are pressed alike share the mass of the body between them, and those at the tips of a turning fibre
have what there is of it. The loss that is booked is that of the forces as they act.
"""

from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.laws import ContactKinematics
from dem.kernels.numerics.quaternion import load_quaternion, rotate_back
from dem.kernels.numerics.vector import add, cross, divide, dot, load, scale


class MultiContact(NamedTuple):
    """The change of force of some contacts of two bodies b and c, their torques, and Σ f_k²/S_k."""

    force: tuple[float, float, float]
    torque_b: tuple[float, float, float]
    torque_c: tuple[float, float, float]
    square: float


@inline
def no_multi_contact():
    """Sums over the contacts of two bodies before any is added."""
    zero = (0.0, 0.0, 0.0)
    return MultiContact(zero, zero, zero, 0.0)


@inline
def add_contact(push, secant, parting, normal, arm_b, arm_c):
    """Sums over contacts with one more, of stiffness S, at these arms from the centres of mass."""
    f = scale(secant * parting, normal)
    return MultiContact(
        add(push.force, f), add(push.torque_b, cross(arm_b, f)), add(push.torque_c, cross(arm_c, f)),
        push.square + secant * parting * parting,
    )  # fmt: skip


@inline
def inverse_effective_mass(b, force, torque, bodies, kinds):
    """F²/m + T·I⁻¹ T of body b."""
    g = bodies.kind[b]
    turned = rotate_back(load_quaternion(bodies.orientation, b), torque)
    return dot(force, force) * kinds.inverse_mass[g] + dot(turned, divide(turned, load(kinds.inertia, g)))


@inline
def of_mass(touch, mass):
    """Contact kinematics with the effective mass replaced by `mass`, by which the contact is damped [kg]."""
    return ContactKinematics(
        touch.stiffness, mass, touch.overlap, touch.normal, touch.velocity, touch.twist_rate,
        touch.relative_angular_velocity, touch.radius,
        touch.reduced_mass, touch.rolling_inertia, touch.may_begin,
    )  # fmt: skip
