"""Energies of bodies, and sums of them that do not depend on the order of summation.

The energy balance is computed at every step. The order of bodies in memory, and the number of listed pairs, change when
lists are rebuilt. So each term is first rounded to a 64-bit integer in a fixed power-of-two unit. Integer sums are
exact, hence equal for any order and number of threads, and LLVM vectorises them.

For energies of bodies and contacts one unit is fine enough. The dissipation of contacts and the work of walls in half a
step are summed over a whole run, and a bed at rest may lose less than a unit a contact and half step for ever. Such a
term is two integers, units and subunits. `accumulate` adds their sums over passes in floats, in the order of time.
"""

import numpy as np
from dem.kernels.compiler.jit import inline, kernel
from dem.kernels.numerics.quaternion import load_quaternion, rotate, rotate_back
from dem.kernels.numerics.vector import add, cross, dot, load, multiply, scale
from dem.kernels.simd.rounding import nearest

REFERENCE_BITS = 40  # the energies at the start sum to about 2^40 units, so one unit is 1e-12 of them
CLIP = 2.0**56  # units; what a term of an exploding run counts as
# integers that count the fraction of a unit: 2e-22 of the energies at the start; 2^31 contacts fit 64 bits
SUBUNITS_PER_UNIT = 2.0**32


@inline
def clipped(units):
    """An energy that an integer can hold [units]."""
    return max(min(units, CLIP), -CLIP)


@inline
def as_fixed(energy, per_joule):
    """Energy [J] as the nearest integer number of units, per_joule [1/J] (a power of two) a joule."""
    return nearest(clipped(energy * per_joule))


@inline
def as_words(energy, per_joule):
    """Energy [J] as an integer number of units, and the remainder in integer subunits."""
    units = clipped(energy * per_joule)
    return nearest(units), nearest((units - np.rint(units)) * SUBUNITS_PER_UNIT)


@inline
def add_words(a, b):
    """Sum of two energies of two words each."""
    return a[0] + b[0], a[1] + b[1]


@inline
def in_units(words):
    """Energy of two words as one float [units]."""
    return words[0] + words[1] / SUBUNITS_PER_UNIT


@inline
def accumulate(total, value):
    """Add to a compensated sum (2,) of floats: the sum, and its rounding error so far.

    A. Neumaier, Z. Angew. Math. Mech. 54 (1974) 39; the error of each addition after D. E. Knuth, The Art of Computer
    Programming 2, section 4.2.2.
    """
    if value != 0.0:  # skipped where nothing is dissipated: small elastic systems need not wait for it
        before = total[0]
        total[0] = before + value
        taken = total[0] - before
        total[1] += (before - (total[0] - taken)) + (value - taken)


@inline
def translational(mass, velocity):
    """1/2 m v² [J]."""
    return 0.5 * mass * dot(velocity, velocity)


@inline
def rotational(inertia, omega_body):
    """1/2 ω·I ω [J] in the principal frame."""
    return 0.5 * dot(omega_body, multiply(inertia, omega_body))


@inline
def gravitational(mass, gravity, position, reference_potential):
    """m (reference_potential - g·x) [J]; the former is g·x where this is zero [m²/s²]."""
    return mass * (reference_potential - dot(gravity, position))


@kernel
def mechanical_energies(
    kind, mass, inertia, gravity, reference_potential, position, velocity, orientation, angular_velocity
):
    """Translational, rotational and gravitational energy of a whole-step state [J], summed in the order of the bodies.

    kind: (N,) int, column of mass and inertia.
    mass, inertia: (G,) [kg], (3, G) principal moments [kg m²], by kind.
    gravity, reference_potential: three floats [m/s²]; g·x where the potential is zero [m²/s²].
    position, velocity: (3, N) of the centres of mass [m, m/s].
    orientation, angular_velocity: (4, N), (3, N) world frame [rad/s].
    Returns three floats [J].
    """
    kinetic, spin, potential = 0.0, 0.0, 0.0
    for n in range(kind.size):
        g = kind[n]
        omega_body = rotate_back(load_quaternion(orientation, n), load(angular_velocity, n))
        kinetic += translational(mass[g], load(velocity, n))
        spin += rotational(load(inertia, g), omega_body)
        potential += gravitational(mass[g], gravity, load(position, n), reference_potential)
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
