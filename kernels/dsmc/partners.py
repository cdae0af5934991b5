"""Stochastic collisions with fictitious partners, by Sommerfeld, with or without correlated velocities.

M. Sommerfeld, Int. J. Multiphase Flow 27 (2001) 1829, after B. Oesterlé & A. Petitjean, Int. J. Multiphase Flow 19
(1993) 199. Each particle meets in each step a fictitious partner. Its size, mass and spin are those of another particle
of the cell, taken at random. They collide with the probability π (R1 + R2)² |v - v_f| χ n dt, and then only the
particle changes.

A partner that is not correlated with the particle also has the velocity of that other particle (K. Nanbu, J. Phys. Soc.
Jpn. 49 (1980) 2042). Each of two particles takes the other with the same probability, so that momentum and energy are
conserved on average, for any number of particles in a cell and any distribution. They are not if the velocity is drawn
from a normal distribution with mean and variance of the n others in the cell: the variance is an estimate, so that fast
partners are too frequent, and as they collide more often, a gas gains 0.13/n of its energy a collision. In both cases a
collision conserves momentum on average only: the mean velocities of cells fluctuate, and collisions within the cells do
not dissipate the energy of these fluctuations.

The velocity of a correlated partner is drawn, component by component, from a normal distribution with mean and variance
of those of its variant in the cell. Partners in the same eddy have similar velocities: the drawn velocity has the
correlation ρ_vf = R(St) = exp(-0.55 (τ_p/T_L)^0.4), St = τ_p/T_L, with that of the particle. This is for particles of
one kind. For two kinds the correlation is R_12 = √(R_1 R_2), as if the velocities of each kind had a part √R in common
with the eddy. It is the same for both kinds, equals R_1 for R_2 = R_1, and is a possible correlation for any kinds.
Sommerfeld's St is that of the particle alone, so that R_12 ≠ R_21, and the momentum that kind 1 takes from kind 2 would
not be the momentum that kind 2 gives to kind 1.

A velocity drawn in this way is independent of the fluid velocity u at the particle. Elastic collisions then destroy the
correlation of v and u, and drag dissipates kinetic energy that collisions did not take (B. van Wachem, T. Curran,
F. Evrard, Flow Turbul. Combust. 105 (2020) 935). Therefore the partner is correlated with both: v_f is drawn from the
normal distribution of (v, u, v_f) with v and u given, in which v_f is correlated with u as other particles of its
variant are,

    v_f = <v_f> + σ_f (a v'/σ_v + b u'/σ_u + √(1 - a R - b ρ_f) ξ),  a = (R - ρ ρ_f)/(1 - ρ²),  b = (ρ_f - ρ R)/(1 - ρ²)

with ρ = <v'u'>/(σ_v σ_u) of the particle's variant and ρ_f of the partner's. Such a distribution exists for R between
ρ ρ_f ± √((1 - ρ²)(1 - ρ_f²)); R is raised or lowered to these limits. Tracers, which all move as the fluid, have R = 1.

v' and u' are relative to the means over all particles in the cell, including the particle itself, and are divided by
the standard deviations over all: their mean squares over the cell are then one. With means and deviations of the n
others, the mean squares would be larger by (n + 1)/(n - 3), and partners would gain energy, without limit in cells of
few particles.

Sums over cells are computed before the first collision, and the random numbers of a particle depend on seed, particle
and step: the order of the collisions does not matter.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline
from dem.kernels.dsmc.gas import pair_value
from dem.kernels.dsmc.impacts import random_impulse, velocity_of
from dem.kernels.event_driven.events import apply_impulse
from dem.kernels.event_driven.flight import RADIUS
from dem.kernels.numerics.random import standard_normals_for, uniforms_for
from dem.kernels.numerics.vector import dot, load, subtract

CHANCE, VELOCITY = 2, 3  # purposes of the random numbers
MIN_UNEXPLAINED = 1e-12  # of 1 - ρ²: less is rounding


class VelocityMoments(NamedTuple):
    """Moments of the velocities from which partners are drawn; column c G + g for variant g of G in cell c."""

    variant: np.ndarray  # (N,)
    number: np.ndarray  # (C G,)
    mean: np.ndarray  # (3, C G) velocity [m/s]
    square: np.ndarray  # (3, C G) sum of the squares of its departures from that, of each component [m²/s²]
    fluid_mean: np.ndarray  # (3, C G) the same of the fluid velocity that they see
    fluid_square: np.ndarray  # (3, C G)
    mixed: np.ndarray  # (3, C G) sum of the products of both departures
    spin: np.ndarray  # (3, N) angular velocities before the collisions of a step [rad/s]
    velocity: np.ndarray  # (3, N) velocities then [m/s]
    correlation: np.ndarray  # (G, G) R, of a particle and its partner
    knows_fluid: bool  # whether partners are correlated with what the fluid does, too


@func
def sum_partner_moments(spheres, gas, moments, seen):
    """Sum means and covariances of the velocities of particles and of the fluid, over cells and variants."""
    variants = moments.correlation.shape[0]
    for each in (moments.mean, moments.square, moments.fluid_mean, moments.fluid_square, moments.mixed):
        each[:, :] = 0.0
    moments.number[:] = 0
    for i in range(gas.cell.size):
        k = gas.cell[i] * variants + moments.variant[i]
        moments.number[k] += 1
        for axis in range(3):
            moments.mean[axis, k] += spheres.row[i, 3 + axis]
            moments.fluid_mean[axis, k] += seen[axis, i]
            moments.spin[axis, i] = spheres.omega[axis, i]
            moments.velocity[axis, i] = spheres.row[i, 3 + axis]
    for k in range(moments.number.size):
        for axis in range(3):
            moments.mean[axis, k] /= max(moments.number[k], 1)
            moments.fluid_mean[axis, k] /= max(moments.number[k], 1)
    for i in range(gas.cell.size):
        k = gas.cell[i] * variants + moments.variant[i]
        for axis in range(3):
            v = spheres.row[i, 3 + axis] - moments.mean[axis, k]
            u = seen[axis, i] - moments.fluid_mean[axis, k]
            moments.square[axis, k] += v * v
            moments.fluid_square[axis, k] += u * u
            moments.mixed[axis, k] += v * u


@inline
def correlation_of(covariance, one, other):
    """Correlation coefficient: covariance over the square root of two variances; 0 if nothing varies."""
    scale = math.sqrt(one * other)
    return min(max(covariance / scale, -1.0), 1.0) if scale > 0.0 else 0.0


@inline
def weights(wanted, own, others):
    """Weights of particle velocity, fluid velocity and random part in a partner's velocity; see above."""
    room = math.sqrt((1.0 - own * own) * (1.0 - others * others))
    wanted = min(max(wanted, own * others - room), own * others + room)
    remainder = 1.0 - own * own
    if remainder < MIN_UNEXPLAINED:  # v tells nothing that u does not
        return 0.0, others, math.sqrt(max(1.0 - others * others, 0.0))
    a, b = (wanted - own * others) / remainder, (others - own * wanted) / remainder
    return a, b, math.sqrt(max(1.0 - a * wanted - b * others, 0.0))


@inline
def component(axis, i, j, own_column, partner_column, spheres, moments, seen, chance):
    """Draw one component of the velocity of a fictitious collision partner of particle i [m/s].

    j: the particle that the partner is alike.
    own_column, partner_column: columns of `moments` for particle and partner.
    seen: (3, N) velocity of the fluid that particles see [m/s].
    chance: a standard normal number.
    """
    v, u, variants = spheres.row[i, 3 + axis], seen[axis, i], moments.correlation.shape[0]
    wanted = moments.correlation[own_column % variants, partner_column % variants]
    if wanted == 0.0 and not moments.knows_fluid:
        return moments.velocity[axis, j]
    mean, square = (
        moments.mean[axis, partner_column],
        moments.square[axis, partner_column] / moments.number[partner_column],
    )
    n, m = moments.number[own_column], moments.number[partner_column]
    own_square, own_fluid_square = moments.square[axis, own_column] / n, moments.fluid_square[axis, own_column] / n
    own, others = 0.0, 0.0
    if moments.knows_fluid:
        own = correlation_of(moments.mixed[axis, own_column] / n, own_square, own_fluid_square)
        others = correlation_of(
            moments.mixed[axis, partner_column] / m, square, moments.fluid_square[axis, partner_column] / m
        )
    a, b, remainder = weights(wanted, own, others)
    drawn = remainder * chance
    if own_square > 0.0:
        drawn += a * (v - moments.mean[axis, own_column]) / math.sqrt(own_square)
    if own_fluid_square > 0.0:
        drawn += b * (u - moments.fluid_mean[axis, own_column]) / math.sqrt(own_fluid_square)
    return mean + math.sqrt(square) * drawn


@inline
def kinetic(spheres, i):
    """Kinetic energy of particle i [J]."""
    v, omega = velocity_of(spheres.row, i), load(spheres.omega, i)
    return 0.5 * (spheres.mass[i] * dot(v, v) + spheres.inertia[i] * dot(omega, omega))


@inline
def collide_with_partner(i, t, dt, spheres, gas, moments, law, seed, seen, tally):
    """Draw whether particle i collides with a fictitious partner in the step that ends at time t; if so, collide it.

    gas, moments: sorted and summed up.
    seen: (3, N) velocity of the fluid that particles see [m/s].
    """
    row, c, step, variants = spheres.row, gas.cell[i], tally.step[0], moments.correlation.shape[0]
    first, n = gas.first[c], gas.first[c + 1] - gas.first[c]
    u, chance = uniforms_for(CHANCE, seed, i, step, 0), standard_normals_for(VELOCITY, seed, i, step, 0)
    j = gas.order[first + min(int(u[0] * (n - 1)), n - 2)]
    j = gas.order[first + n - 1] if j == i else j  # any but i, all alike
    own_column, partner_column = c * variants + moments.variant[i], c * variants + moments.variant[j]
    v_j = (
        component(0, i, j, own_column, partner_column, spheres, moments, seen, chance[0]),
        component(1, i, j, own_column, partner_column, spheres, moments, seen, chance[1]),
        component(2, i, j, own_column, partner_column, spheres, moments, seen, chance[2]),
    )
    g = subtract(velocity_of(row, i), v_j)
    reach = row[i, RADIUS] + row[j, RADIUS]
    chi = pair_value(2.0 * row[i, RADIUS], 2.0 * row[j, RADIUS], c, gas)
    likely = math.pi * reach * reach * chi * math.sqrt(dot(g, g)) * (n - 1) / gas.volume * dt
    if u[1] < likely:
        before = kinetic(spheres, i)
        normal, push, rub, lost = random_impulse(spheres, i, j, v_j, load(moments.spin, j), law, u[2], u[3])
        apply_impulse(spheres, i, normal, push, rub, t)
        tally.lost[0] += 0.5 * lost  # the other half is the partner's
        tally.gained[0] += kinetic(spheres, i) - before + 0.5 * lost
        for axis in range(3):
            tally.impulse[axis] += push[axis] + rub[axis]
        tally.pair[0] += 1
        tally.excess[0] += 1 if likely > 1.0 else 0
