r"""A bond as a short beam: a potential of the two poses at its ends, without a history.

Each end carries a frame, Q_1 and Q_2, that both lie along the bond at rest, whatever its shape there. With p = Q_1* Q_2
turned the short way round, p = (cos h, n sin h), the bond is bent and twisted by the rotation vector ψ = 2 h n, which
has the same components in Q_1, in Q_2 and in the frame half way between them, Q = (Q_1 + Q_2)/|Q_1 + Q_2|. With the
chord r from one end to the other, d = Q* r Q is the chord in that frame, (l, 0, 0) at rest:

    U = ½ k_n (d_x - l)² + ½ k_s (d_y² + d_z²) + ½ k_t ψ_x² + ½ k_b (ψ_y² + ψ_z²)
    k_n = E A/l,   k_t = G J/l,   k_b = E I/l,   1/k_s = l³/(12 E I) + l/(κ G A)

The shear stiffness makes a bond the stiffness matrix of Timoshenko's beam, in terms of both ends relative to the frame
half way: a straight chain deflects by P L³/(3 E I) + P L/(κ G A) whatever the number of its bonds (Obermayr et al.,
Comput. Part. Mech. 1 (2014) 1; with k_s = G A/l, as in parallel bonds (Potyondy & Cundall, Int. J. Rock Mech. 41 (2004)
1329), a single slender one would be a third too stiff: it would deflect by P L³/(4 E I)).

Turning ends by α_1, α_2, in Q, changes ψ by H η and turns Q by (α_1 + α_2)/2 - w × η/2, with η = α_2 - α_1,
w = n tan(h/2), and H = h/sin h across n, 1 along it. So with f = ∂U/∂d, m = H ∂U/∂ψ and c = d × f the force on end 1 is
f, on end 2 -f, and the couples are m + ½ (c + c × w) and -m + ½ (c - c × w): their sum is c, and the moment of the
forces is -c, whatever the strain. Energy, momentum and angular momentum are kept for any deformation below half a turn.
"""

import math
from typing import NamedTuple

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.quaternion import conjugate, product
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, multiply, scale, subtract

TINY = 1e-300  # keeps `Strain.along` finite (zero instead of 0/0) for bonds without rotation

# h/sin h = P(c)/Q(c) with c = cos h, to 6e-16 for h up to a right angle, and exactly 1 at c = 1: the
# rational function that agrees with it there and at 12 nodes of Chebyshev from 0 to 1 (computed with 50 digits)
P0, P1, P2, P3 = 864.30055867167027348, 2073.3389840797532542, 1789.0955428400600691, 671.44472523267433817
P4, P5, P6 = 104.30281629466684273, 5.0192521983033082551, 0.014646895436678688251
Q0, Q1, Q2, Q3 = 550.2308249187321481, 1670.2164145950628751, 1927.1509784321180809, 1052.7344130348447586
Q4, Q5 = 275.5425916513130803, 30.641303580493821558


class Strain(NamedTuple):
    """Strain of a bond: stretch, shear, bending and twist."""

    axes: tuple[tuple[float, float, float], ...]  # x, y, z of Q, half way between its ends, in the world
    chord: tuple[float, float, float]  # d, from end 1 to end 2 there [m]
    turn: tuple[float, float, float]  # ψ, twist and bending [rad]
    axis: tuple[float, float, float]  # n sin h
    half_tangent: tuple[float, float, float]  # w = n tan(h/2)
    h_over_sine: float  # factor of H across n
    along: float  # (1 - h/sin h)/sin² h, so that H u = (h/sin h) u + along (axis · u) axis


@inline
def angle_over_sine(c):
    """Return h/sin h of c = cos h, which is not negative."""
    p = P0 + c * (P1 + c * (P2 + c * (P3 + c * (P4 + c * (P5 + c * P6)))))
    q = Q0 + c * (Q1 + c * (Q2 + c * (Q3 + c * (Q4 + c * (Q5 + c)))))
    return p / q


@inline
def axes_of(q):
    """Directions of the x, y and z axes of a frame."""
    x, y, z = 2.0 * q[1], 2.0 * q[2], 2.0 * q[3]
    xx, yy, zz, xy, xz, yz = x * q[1], y * q[2], z * q[3], x * q[2], x * q[3], y * q[3]
    wx, wy, wz = x * q[0], y * q[0], z * q[0]
    return (1.0 - (yy + zz), xy + wz, xz - wy), (xy - wz, 1.0 - (xx + zz), yz + wx), (xz + wy, yz - wx, 1.0 - (xx + yy))


@inline
def to_world_frame(axes, u):
    """Vector in the frame half way between both ends, rotated to the world frame."""
    return add_scaled(add_scaled(scale(u[0], axes[0]), u[1], axes[1]), u[2], axes[2])


@inline
def to_bond_frame(axes, u):
    """Vector in the world frame, rotated to the frame half way between both ends."""
    return dot(axes[0], u), dot(axes[1], u), dot(axes[2], u)


@inline
def strain(one, other, r):
    """Strain of a bond whose ends have the frames `one` and `other` and are r apart [m]."""
    p = product(conjugate(one), other)
    sign = 1.0 if p[0] >= 0.0 else -1.0
    cos, axis = sign * p[0], scale(sign, (p[1], p[2], p[3]))
    whole = 1.0 / (1.0 + cos)
    over = angle_over_sine(cos)
    s = math.sqrt(0.5 * whole)  # 1/|Q_1 + Q_2|
    t = sign * s
    axes = axes_of((
        s * one[0] + t * other[0], s * one[1] + t * other[1], s * one[2] + t * other[2], s * one[3] + t * other[3],
    ))  # fmt: skip
    along = (1.0 - over) / (dot(axis, axis) + TINY)
    return Strain(axes, to_bond_frame(axes, r), scale(2.0 * over, axis), axis, scale(whole, axis), over, along)


@inline
def apply_rotation_map(s, u):
    """Product H u, by which couples and angular velocities enter the rate of ψ, see above."""
    return add_scaled(scale(s.h_over_sine, u), s.along * dot(s.axis, u), s.axis)


@inline
def stresses(s, length, along, across):
    """∂U/∂d [N] and ∂U/∂ψ [N m]; stiffnesses (k_n, k_t) along the bond and (k_s, k_b) across it."""
    force = (along[0] * (s.chord[0] - length), across[0] * s.chord[1], across[0] * s.chord[2])
    couple = (along[1] * s.turn[0], across[1] * s.turn[1], across[1] * s.turn[2])
    return force, couple


@inline
def energy(s, length, force, couple):
    """Elastic energy U [J]: half the work of `stresses` along the strain."""
    stretch = (s.chord[0] - length, s.chord[1], s.chord[2])
    return 0.5 * (dot(force, stretch) + dot(couple, s.turn))


@inline
def rates(s, velocity, spin_i, spin_j):
    """Rates of d and ψ, of ends that move apart with a velocity and turn with two spins, all in the frame half way."""
    eta = subtract(spin_j, spin_i)
    turning = add_scaled(scale(0.5, add(spin_i, spin_j)), -0.5, cross(s.half_tangent, eta))
    return subtract(velocity, cross(turning, s.chord)), apply_rotation_map(s, eta)


@inline
def dashpot_stress(along, across, rate):
    """Force or couple of a dashpot, from a rate of d or ψ; coefficients along the bond and across it."""
    return multiply((along, across, across), rate)


@inline
def couples(s, force, couple):
    """Couples on the two ends in the frame half way [N m], from force and couple of the bond."""
    c = cross(s.chord, force)
    one = add_scaled(apply_rotation_map(s, couple), 0.5, add(c, cross(c, s.half_tangent)))
    return one, subtract(c, one)


@inline
def end_loads(s, r, force, one):
    """Force on end 1 and couples on both ends in the world, from those in the frame half way; r is the chord [m]."""
    force, one = to_world_frame(s.axes, force), to_world_frame(s.axes, one)
    return force, one, subtract(cross(r, force), one)


@inline
def load_ratio(force, one, other, section, strength):
    """Largest stress over strength: above 1 the bond breaks.

    σ = F_n/A + β M_b r/I in tension and τ = F_s/A + β |M_t| r/J in shear (Potyondy & Cundall 2004, eq. (15)), with the
    larger bending moment of the two ends.

    force, one, other: stress and couples on the ends, in the frame half way [N, N m].
    section: 1/A, β r/I, β r/J [1/m², 1/m³].
    strength: one over that in tension and in shear [1/Pa].
    """
    bending = math.sqrt(max(one[1] * one[1] + one[2] * one[2], other[1] * other[1] + other[2] * other[2]))
    tension = force[0] * section[0] + bending * section[1]
    shear = math.sqrt(force[1] * force[1] + force[2] * force[2]) * section[0] + abs(one[0]) * section[2]
    return max(tension * strength[0], shear * strength[1])
