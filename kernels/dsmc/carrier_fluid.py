"""Carrier fluid in homogeneous isotropic turbulence: its velocity along the path of each particle, and its drag.

The fluctuation u of the fluid velocity along the path of a particle is a Langevin process with the time scale T_L
(Simonin's form; see J.-P. Minier & E. Peirano, Phys. Rep. 352 (2001) 1, sec. 6), drag is Stokes':

    du = -u/T_L dt + σ_u √(2/T_L) dW,    dv/dt = (U + u - v)/τ_p + g.

Both are linear, so a step of any length is exact: (u, v) are multiplied by a matrix, and normal numbers are added that
make up the covariance of the steady state, <u²> = σ_u², <uv> = <v²> = σ_u²/(1 + τ_p/T_L) (Tchen 1947; Hinze 1975).
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline, kernel
from dem.kernels.numerics.random import standard_normals_for

FLUID = 4  # purpose of the random numbers
START = 2  # draw of the fluid at the start


class Carrier(NamedTuple):
    """Properties of the turbulence, and relaxation of particles by variant; empty tables if there is no fluid."""

    seen: np.ndarray  # (3, N) fluctuation of its velocity where particles are [m/s]
    table: np.ndarray  # (6, G) E, B, e; c11, c21, c22: u' = E u + c11 ξ, v' = e v + B u + (1 - e) v_s + c21 ξ + c22 η
    settled: np.ndarray  # (3, G) v_s = U + τ_p g [m/s]


@inline
def advance_fluid_and_particle(i, g, seed, spheres, carrier, tally):
    """Advance particle i of variant g and the fluid velocity at it by a step; add the energy and momentum gained."""
    xi = standard_normals_for(FLUID, seed, i, tally.step[0], 0)
    eta = standard_normals_for(FLUID, seed, i, tally.step[0], 1)
    table, row = carrier.table, spheres.row
    for axis in range(3):
        u, v = carrier.seen[axis, i], row[i, 3 + axis]
        carried = table[2, g] * v + table[1, g] * u + (1.0 - table[2, g]) * carrier.settled[axis, g]
        row[i, 3 + axis] = carried + table[4, g] * xi[axis] + table[5, g] * eta[axis]
        carrier.seen[axis, i] = table[0, g] * u + table[3, g] * xi[axis]
        more = row[i, 3 + axis] - v
        tally.impulse[axis] += spheres.mass[i] * more
        tally.gained[0] += spheres.mass[i] * more * (v + 0.5 * more)


@kernel
def fill(seed, rms, seen):
    """Draw velocity fluctuations (3, N) of the fluid from their steady state."""
    for i in range(seen.shape[1]):
        xi = standard_normals_for(FLUID, seed, i, 0, START)
        for axis in range(3):
            seen[axis, i] = rms * xi[axis]
