r"""A bond as a short beam: a potential of the two poses at its ends, without a history.

Each end carries a frame, Q_1 and Q_2, that both lie along the bond at rest, whatever its shape there. With p = Q_1* Q_2
turned the short way round, p = (cos h, n sin h), the bond is bent and twisted by the rotation vector ψ = 2 h n, which
has the same components in Q_1, in Q_2 and in the frame half way between them, Q = (Q_1 + Q_2)/|Q_1 + Q_2|. With the
chord r from one end to the other, d = Q* r Q is what the bond sees of it, (l, 0, 0) at rest:

    U = ½ k_n (d_x - l)² + ½ k_s (d_y² + d_z²) + ½ k_t ψ_x² + ½ k_b (ψ_y² + ψ_z²)
    k_n = E A/l,   k_t = G J/l,   k_b = E I/l,   1/k_s = l³/(12 E I) + l/(κ G A)

The shear stiffness makes a bond the stiffness matrix of Timoshenko's beam, in terms of both ends relative to the frame
half way: a straight chain deflects by P L³/(3 E I) + P L/(κ G A) whatever the number of its bonds (Obermayr et al.,
Comput. Part. Mech. 1 (2014) 1; with k_s = G A/l, as in parallel bonds (Potyondy & Cundall, Int. J. Rock Mech. 41 (2004)
1329), a single one would be a quarter too stiff).

Turning ends by α_1, α_2, in Q, changes ψ by H η and turns Q by (α_1 + α_2)/2 - w × η/2, with η = α_2 - α_1,
w = n tan(h/2), and H = h/sin h across n, 1 along it. So with f = ∂U/∂d, m = H ∂U/∂ψ and c = d × f the force on end 1 is
f, on end 2 -f, and the couples are m + ½ (c + c × w) and -m + ½ (c - c × w): their sum is c, and the moment of the
forces is -c, whatever the strain. Energy, momentum and angular momentum are kept for any deformation below half a turn.
"""

import math
from typing import NamedTuple

from kernels.base.jit import formula
from kernels.base.quaternion import conjugate, product, rotate_back
from kernels.base.vector import add, add_scaled, cross, dot, multiply, scale, subtract

TINY = 1e-300  # keeps the axis of no rotation finite (zero) instead of 0/0

# atan x = x + x z P(z)/Q(z), z = x², to rounding for |x| <= 0.66: S. L. Moshier, Cephes library, atan.c
P0, P1, P2 = -8.750608600031904122785e-1, -1.615753718733365076637e1, -7.500855792314704667340e1
P3, P4 = -1.228866684490136173410e2, -6.485021904942025371773e1
Q0, Q1, Q2 = 2.485846490142306297962e1, 1.650270098316988542046e2, 4.328810604912902668951e2
Q3, Q4 = 4.853903996359136964868e2, 1.945506571482613964425e2


class Strain(NamedTuple):
    """How a bond is strained."""

    frame: tuple[float, float, float, float]  # Q, half way between its ends
    chord: tuple[float, float, float]  # d, from end 1 to end 2 there [m]
    turn: tuple[float, float, float]  # ψ, twist and bending [rad]
    axis: tuple[float, float, float]  # n sin h
    half: tuple[float, float, float]  # w = n tan(h/2)
    stretch: float  # h/sin h


@formula
def atan_over(z):
    """Return atan(x)/x of z = x², for x up to 0.66."""
    p = P4 + z * (P3 + z * (P2 + z * (P1 + z * P0)))
    q = Q4 + z * (Q3 + z * (Q2 + z * (Q1 + z * (Q0 + z))))
    return 1.0 + z * p / q


@formula
def strain(one, other, r):
    """Strain of a bond whose ends have the frames `one` and `other` and are r apart [m]."""
    p = product(conjugate(one), other)
    sign = 1.0 if p[0] >= 0.0 else -1.0
    cos, axis = sign * p[0], scale(sign, (p[1], p[2], p[3]))
    sine = dot(axis, axis)
    whole = 1.0 / (1.0 + cos)
    halved = 1.0 / (1.0 + math.sqrt(1.0 + sine * whole * whole))  # tan(h/4) = sin h · whole · halved
    quarter = whole * halved
    over = 4.0 * quarter * atan_over(sine * quarter * quarter)  # h/sin h
    s = 1.0 / math.sqrt(2.0 + 2.0 * cos)
    t = sign * s
    frame = (
        s * one[0] + t * other[0], s * one[1] + t * other[1], s * one[2] + t * other[2], s * one[3] + t * other[3],
    )  # fmt: skip
    return Strain(frame, rotate_back(frame, r), scale(2.0 * over, axis), axis, scale(whole, axis), over)


@formula
def spread_out(s, u):
    """H u: a couple across the axis of rotation counts more."""
    along = dot(s.axis, u) / (dot(s.axis, s.axis) + TINY)
    return add_scaled(scale(s.stretch, u), (1.0 - s.stretch) * along, s.axis)


@formula
def stresses(s, length, along, across):
    """∂U/∂d [N] and ∂U/∂ψ [N m]; stiffnesses (k_n, k_t) along the bond and (k_s, k_b) across it."""
    force = (along[0] * (s.chord[0] - length), across[0] * s.chord[1], across[0] * s.chord[2])
    couple = (along[1] * s.turn[0], across[1] * s.turn[1], across[1] * s.turn[2])
    return force, couple


@formula
def energy(s, length, force, couple):
    """U [J], half of what the stresses of `stresses` do along the strain."""
    stretch = (s.chord[0] - length, s.chord[1], s.chord[2])
    return 0.5 * (dot(force, stretch) + dot(couple, s.turn))


@formula
def rates(s, velocity, spin_one, spin_other):
    """Rates of d and ψ, of ends that move apart with a velocity and turn with two spins, all in the frame half way."""
    eta = subtract(spin_other, spin_one)
    turning = add_scaled(scale(0.5, add(spin_one, spin_other)), -0.5, cross(s.half, eta))
    return subtract(velocity, cross(turning, s.chord)), spread_out(s, eta)


@formula
def drag(along, across, rate):
    """What a dashpot adds to a stress; coefficients along the bond and across it."""
    return multiply((along, across, across), rate)


@formula
def couples(s, force, couple):
    """Couples on the two ends in the frame half way [N m], from the stresses."""
    m, c = spread_out(s, couple), cross(s.chord, force)
    turned = cross(c, s.half)
    return add_scaled(m, 0.5, add(c, turned)), add_scaled(scale(-1.0, m), 0.5, subtract(c, turned))


@formula
def load_ratio(force, one, other, section, strength):
    """Largest stress over strength: above 1 the bond breaks.

    σ = F_n/A + β M_b r/I in tension and τ = F_s/A + β |M_t| r/J in shear (Potyondy & Cundall 2004, eq. (15)), with the
    larger bending moment of the two ends.

    Parameters
    ----------
    force, one, other : stress and couples on the ends, in the frame half way [N, N m]
    section : 1/A, β r/I, β r/J [1/m², 1/m³]
    strength : one over that in tension and in shear [1/Pa]
    """
    bending = math.sqrt(max(one[1] * one[1] + one[2] * one[2], other[1] * other[1] + other[2] * other[2]))
    tension = force[0] * section[0] + bending * section[1]
    shear = math.sqrt(force[1] * force[1] + force[2] * force[2]) * section[0] + abs(one[0]) * section[2]
    return max(tension * strength[0], shear * strength[1])
