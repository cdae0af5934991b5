"""Energies of bodies, and sums of them that do not depend on the order of summation.

The energy error is followed at every step, over bodies whose order in memory and over pairs whose number change with
the age of the lists. So each term is rounded to a 64-bit integer in a fixed power-of-two unit first: integer sums are
exact, hence the same in any order and for any number of threads, and LLVM vectorises them.
"""

import numpy as np

from kernels.base.jit import formula, kernel
from kernels.base.quaternion import load_quaternion, rotate, rotate_back
from kernels.base.vector import add, cross, dot, load, multiply, scale

REFERENCE_BITS = 40  # the energies at the start sum to about 2^40 units, so one unit is 1e-12 of them
CLIP = 2.0**56  # units; what a term of an exploding run counts as


@formula
def as_fixed(energy, per_joule):
    """Energy [J] as an integer number of units, per_joule [1/J] (a power of two) a joule; the rest is cut off."""
    return np.int64(max(min(energy * per_joule, CLIP), -CLIP))


@formula
def translational(mass, velocity):
    """1/2 m v² [J]."""
    return 0.5 * mass * dot(velocity, velocity)


@formula
def rotational(inertia, omega_body):
    """1/2 ω·I ω [J] in the principal frame."""
    return 0.5 * dot(omega_body, multiply(inertia, omega_body))


@formula
def gravitational(mass, gravity, position, datum):
    """-m g·(x - datum) [J]; datum [J/kg] is g·x where the potential is zero."""
    return mass * (datum - dot(gravity, position))


@kernel
def ledger(kind, mass, inertia, gravity, datum, position, velocity, orientation, angular_velocity):
    """Translational, rotational and gravitational energy of a whole-step state [J], summed in its order.

    Parameters
    ----------
    kind : (N,) int, column of mass and inertia
    mass, inertia : (G,) [kg], (3, G) principal moments [kg m²], by kind
    gravity, datum : three floats [m/s²]; g·x where the potential is zero [m²/s²]
    position, velocity : (3, N) of the centres of mass [m, m/s]
    orientation, angular_velocity : (4, N), (3, N) world frame [rad/s]

    Returns
    -------
    three floats [J]
    """
    kinetic, spin, potential = 0.0, 0.0, 0.0
    for n in range(kind.size):
        g = kind[n]
        omega_body = rotate_back(load_quaternion(orientation, n), load(angular_velocity, n))
        kinetic += translational(mass[g], load(velocity, n))
        spin += rotational(load(inertia, g), omega_body)
        potential += gravitational(mass[g], gravity, load(position, n), datum)
    return kinetic, spin, potential


@kernel
def momenta(kind, mass, inertia, position, velocity, orientation, angular_velocity):
    """Linear momentum, and angular momentum about the origin, of a whole-step state."""
    linear, angular = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for n in range(kind.size):
        p = scale(mass[kind[n]], load(velocity, n))
        q = load_quaternion(orientation, n)
        spin = rotate(q, multiply(load(inertia, kind[n]), rotate_back(q, load(angular_velocity, n))))
        linear = add(linear, p)
        angular = add(angular, add(cross(load(position, n), p), spin))
    return linear, angular
