"""Floats as integers of the same bits: largest values are sought among them, and exponents are written to them."""

import numpy as np
from dem.kernels.compiler.jit import inline


@inline
def bits_of_float(x):
    """Bits of a float."""
    return np.float64(x).view(np.int64)


@inline
def as_float(bits):
    """Float with these bits."""
    return np.int64(bits).view(np.float64)
