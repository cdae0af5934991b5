"""Exponentials, logarithms and powers that LLVM can vectorise: arithmetic and bit operations, no branches, no calls.

Functions of ``math`` are calls, which prevent the vectorisation of the loop around them. Arguments are reduced as in S.
Moshier's Cephes (x = k ln 2 + r, |r| <= ln 2/2; m in [√½, √2)). The Taylor series that follow are truncated at 1e-16 of
the sum, so results are within a few units in the last place. Terms are summed in pairs (G. Estrin, 1960), which
shortens the chain of dependent operations.
"""

import math

import numpy as np
from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.float_bits import as_float, bits_of_float

# ln 2 as a number with few bits, whose multiples are exact, and the rest
LN_2_HIGH, LN_2_LOW = 6.93145751953125e-1, 1.42860682030941723212e-6
PER_LN_2 = 1.4426950408889634074
LEAST, MOST = -708.0, 708.0  # beyond these results would not be normal numbers: they are those at the limits
(E2, E3, E4, E5, E6, E7, E8, E9, E10, E11, E12, E13) = (1.0 / math.factorial(k) for k in range(2, 14))
SMALLEST = 1e-300  # of what powers are taken
ROOT_HALF = 0x3FE6A09E667F3BCD  # bits of √½
(A1, A3, A5, A7, A9, A11, A13, A15, A17, A19, A21) = (2.0 / k for k in range(1, 22, 2))


@inline
def power_of_two(k):
    """2^k for a whole number -1022 <= k <= 1023 as a float."""
    return as_float((np.int64(k) + 1023) << 52)


@inline
def reduced(x):
    """The k and r of x = k ln 2 + r, and exp(r) - 1."""
    k = np.rint(x * PER_LN_2) if x == x else 0.0  # noqa: PLR0124, not a number stays that
    r = (x - k * LN_2_HIGH) - k * LN_2_LOW
    s = r * r
    low = (E2 + r * E3) + s * (E4 + r * E5)
    middle, high = (E6 + r * E7) + s * (E8 + r * E9), (E10 + r * E11) + s * (E12 + r * E13)
    return k, r + s * (low + (s * s) * (middle + (s * s) * high))


@inline
def exponential(x):
    """e^x."""
    k, less_one = reduced(max(min(x, MOST), LEAST))
    return power_of_two(k) * (1.0 + less_one)


@inline
def exponential_less_one(x):
    """e^x - 1, to full precision where that is small."""
    k, less_one = reduced(max(min(x, MOST), LEAST))
    two = power_of_two(k)
    return two * less_one + (two - 1.0)


@inline
def logarithm(x):
    """ln x of a normal number x > 0."""
    bits = bits_of_float(x)
    above = (bits - ROOT_HALF) >> 52  # exponent of x over √½
    m = as_float(bits - (above << 52))
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    y = z * z
    low, middle, high = (A3 + z * A5) + y * (A7 + z * A9), (A11 + z * A13) + y * (A15 + z * A17), A19 + z * A21
    series = s * A1 + (s * z) * (low + (y * y) * (middle + (y * y) * high))
    return above * LN_2_HIGH + (series + above * LN_2_LOW)


@inline
def power(x, exponent):
    """x^exponent for x >= 0; the longer its logarithm the less precise: 2e-15 at e^10; x counts as 1e-300 at least."""
    return exponential(exponent * logarithm(max(x, SMALLEST))) + 0.0 * x  # NaN of NaN
