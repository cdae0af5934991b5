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
MIN_EXPONENT, MAX_EXPONENT = -708.0, 708.0  # results beyond these would not be normal numbers: those at the limits
(E2, E3, E4, E5, E6, E7, E8, E9, E10, E11, E12, E13) = (1.0 / math.factorial(k) for k in range(2, 14))
SMALLEST = 1e-300  # of what powers are taken
ROOT_HALF = 0x3FE6A09E667F3BCD  # bits of √½
# of 1, less what halves the largest error of 1 + m/2^52 as the logarithm of a mantissa (C. Lomont, Fast inverse square
# root, 2003); times 1 + 1/3 and 1 + 1/4
ESTIMATE = (1023.0 - 0.0450466) * 2.0**52
THIRD_BITS, FOURTH_BITS = ESTIMATE * 4.0 / 3.0, int(ESTIMATE * 5.0 / 4.0)
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
    k, less_one = reduced(max(min(x, MAX_EXPONENT), MIN_EXPONENT))
    return power_of_two(k) * (1.0 + less_one)


@inline
def exponential_less_one(x):
    """e^x - 1, to full precision where that is small."""
    k, less_one = reduced(max(min(x, MAX_EXPONENT), MIN_EXPONENT))
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


@inline
def corrected(y, e, first, second, third):
    """Estimate y of x^(-1/m), corrected by the first terms of (1 - e)^(-1/m), e = 1 - x y^m: an error of order e⁴."""
    return y * (1.0 + e * (first + e * (second + e * third)))


@inline
def inverse_cube_root(x):
    """x^(-1/3) of a normal number x > 0, by two corrections of an estimate that is off by less than 4 %."""
    y = as_float(np.int64(THIRD_BITS - np.float64(bits_of_float(x)) * (1.0 / 3.0)))
    y = corrected(y, 1.0 - x * (y * y * y), 1.0 / 3.0, 2.0 / 9.0, 14.0 / 81.0)
    return corrected(y, 1.0 - x * (y * y * y), 1.0 / 3.0, 2.0 / 9.0, 14.0 / 81.0)


@inline
def cube_root(x):
    """x^(1/3) for x >= 0; x counts as 1e-300 at least."""
    x = max(x, SMALLEST)
    y = inverse_cube_root(x)
    return x * (y * y)


@inline
def inverse_fourth_root(x):
    """x^(-1/4) of a normal number x > 0, as `inverse_cube_root`."""
    y = as_float(np.int64(FOURTH_BITS) - (bits_of_float(x) >> 2))
    square = y * y
    y = corrected(y, 1.0 - x * (square * square), 0.25, 5.0 / 32.0, 15.0 / 128.0)
    square = y * y
    return corrected(y, 1.0 - x * (square * square), 0.25, 5.0 / 32.0, 15.0 / 128.0)
