"""Random numbers without a state: Philox 4x64-10, four words from a counter and a key.

J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, Parallel random numbers: as easy as 1, 2, 3, SC'11 (2011), sec. 3.3
and table 2. A number depends on (seed, particle, contact, draw) alone, not on the order of the calls, so that
results do not depend on threads, sorting and restarts.

Integers are uint64 throughout: numba turns a mixture of uint64 and int64 into floats. Sums and products go by halves
of 32 bits, so that nothing overflows and the interpreter computes the same words without a warning.
"""

import math

import numpy as np
from dem.kernels.compiler.jit import inline

ROUNDS = 10
M0, M1 = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)  # multipliers (table 2)
W0, W1 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)  # Weyl sequence of the keys: golden ratio, √3 - 1
HALF, LOW, ZERO = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(0)
SPARE = np.uint64(12)  # 52 of the 64 bits make a float


@inline
def add_words(a, b):
    """Return a + b modulo 2^64."""
    low = (a & LOW) + (b & LOW)
    high = (a >> HALF) + (b >> HALF) + (low >> HALF)
    return (high << HALF) | (low & LOW)


@inline
def multiply_words(a, b):
    """Upper and lower word of the product of 128 bits."""
    a0, a1, b0, b1 = a & LOW, a >> HALF, b & LOW, b >> HALF
    bottom = a0 * b0
    cross = a1 * b0 + (bottom >> HALF)
    middle = a0 * b1 + (cross & LOW)
    return a1 * b1 + (cross >> HALF) + (middle >> HALF), (middle << HALF) | (bottom & LOW)


@inline
def philox(counter, key):
    """Four words of 64 bits from a counter of four and a key of two."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(ROUNDS):
        high0, low0 = multiply_words(M0, c0)
        high1, low1 = multiply_words(M1, c2)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = add_words(k0, W0), add_words(k1, W1)
    return c0, c1, c2, c3


@inline
def uniform(word):
    """Centre of one of 2^52 equal parts of (0, 1): 0 and 1 never occur."""
    return (float(word >> SPARE) + 0.5) * 2.0**-52


@inline
def uniforms_for(purpose, seed, place, time, draw):
    """Four independent uniform numbers in (0, 1) for a draw at a place, a time and a purpose.

    Place and time are what the purpose makes of them: particle and contact, cell and step. The integers must not be
    negative; purpose 0 is `uniforms`.
    """
    counter = (np.uint64(draw), np.uint64(time), np.uint64(purpose), ZERO)
    a, b, c, d = philox(counter, (np.uint64(seed), np.uint64(place)))
    return uniform(a), uniform(b), uniform(c), uniform(d)


@inline
def uniforms(seed, particle, contact, draw):
    """Four independent numbers, uniform in (0, 1), of this draw at this contact of this particle.

    The integers must not be negative.
    """
    return uniforms_for(0, seed, particle, contact, draw)


@inline
def box_muller(u, w):
    """Two independent standard normal numbers from two uniform ones (Box & Muller, Ann. Math. Stat. 29 (1958) 610)."""
    radius = math.sqrt(-2.0 * math.log(u))
    angle = 2.0 * math.pi * w
    return radius * math.cos(angle), radius * math.sin(angle)


@inline
def standard_normals_for(purpose, seed, place, time, draw):
    """Four independent standard normal numbers, made of the uniform ones of the same draw; none exceeds 8.6."""
    u = uniforms_for(purpose, seed, place, time, draw)
    a, b = box_muller(u[0], u[1])
    c, d = box_muller(u[2], u[3])
    return a, b, c, d


@inline
def standard_normals(seed, particle, contact, draw):
    """Four independent standard normal numbers for a draw at a contact of a particle."""
    return standard_normals_for(0, seed, particle, contact, draw)
