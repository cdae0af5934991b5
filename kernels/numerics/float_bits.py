"""Floats as integers of the same bits, to find largest values and to set exponents."""

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
