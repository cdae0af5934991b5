"""Collisions of pairs in cells: direct simulation Monte Carlo without a time counter (DSMC, NTC).

G. A. Bird, Molecular Gas Dynamics and the Direct Simulation of Gas Flows (1994), 11.1. In a cell of volume V with N
particles the expected number of collisions in a step is Σ χ π (R1 + R2)² g dt/V over all pairs. So ½ N (N - 1) κ dt
candidates are drawn, κ = (χ π d² g)_max/V, and each is accepted with χ (R1 + R2)² g/(χ d² g)_max. A fractional number
of candidates is rounded up or down at random. Both partners change velocity, so momentum is conserved, and so is energy
except for the dissipation of impacts. χ is Enskog's factor (S. Chapman & T. G. Cowling 1970, ch. 16; for inelastic
spheres J. J. Brey, M. J. Ruiz-Montero, D. Cubero, Phys. Rev. E 54 (1996) 3664).

The relative speed of a pair is at most twice the largest deviation from the mean velocity of the cell, which is
computed at every step. Impacts within the step may raise it; candidates whose probability then exceeds one are counted
as `excess`.

Random numbers depend on seed, cell, step and candidate.
"""

import math

from dem.kernels.compiler.jit import func, inline
from dem.kernels.dsmc.gas import largest_value, motion_of_cell, pair_value
from dem.kernels.dsmc.impacts import random_impulse, velocity_of
from dem.kernels.event_driven.events import apply_impulse
from dem.kernels.event_driven.flight import RADIUS
from dem.kernels.numerics.random import uniforms_for
from dem.kernels.numerics.vector import dot, load, scale, subtract

PAIRS = 1  # purpose of the random numbers


@inline
def random_pair(u, n):
    """Draw two different numbers below n with equal probabilities, from one uniform random number."""
    k = min(int(u * (n * (n - 1))), n * (n - 1) - 1)
    one, other = k // (n - 1), k % (n - 1)
    return one, other + (1 if other >= one else 0)


@func
def collide_pair(i, j, t, spheres, law, u, tally):
    """Collide particles i and j at time t; two of the random numbers u give the offset and the azimuth."""
    row = spheres.row
    n, normal, tangential, lost = random_impulse(
        spheres, i, j, velocity_of(row, j), load(spheres.omega, j), law, u[2], u[3]
    )
    apply_impulse(spheres, i, n, normal, tangential, t)
    apply_impulse(spheres, j, scale(-1.0, n), scale(-1.0, normal), scale(-1.0, tangential), t)
    tally.lost[0] += lost
    tally.pair[0] += 1


@func
def collide_cell(c, t, dt, spheres, gas, law, seed, tally):
    """Collide pairs in cell c in the step that ends at time t; needs sorted cells and their sums."""
    row, first = spheres.row, gas.first[c]
    n = gas.first[c + 1] - first
    _, _, fastest, largest = motion_of_cell(c, spheres, gas)
    most = largest * largest * largest_value(largest, c, gas) * 2.0 * fastest
    step = tally.step[0]
    expected = 0.5 * n * (n - 1) * math.pi * most * dt / gas.volume
    candidates = int(expected + uniforms_for(PAIRS, seed, c, step, 0)[0])
    for k in range(candidates):
        u = uniforms_for(PAIRS, seed, c, step, k + 1)
        one, other = random_pair(u[0], n)
        i, j = gas.order[first + one], gas.order[first + other]
        g = subtract(velocity_of(row, i), velocity_of(row, j))
        d_i, d_j = 2.0 * row[i, RADIUS], 2.0 * row[j, RADIUS]
        reach = 0.5 * (d_i + d_j)
        chance = reach * reach * pair_value(d_i, d_j, c, gas) * math.sqrt(dot(g, g))
        if u[1] * most < chance:
            collide_pair(i, j, t, spheres, law, u, tally)
            tally.excess[0] += 1 if chance > most * (1.0 + 1e-12) else 0
