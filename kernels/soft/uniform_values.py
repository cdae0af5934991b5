"""Values that are one for all pairs, or one each."""

import numpy as np
from dem.kernels.compiler.jit import CHOICE
from numba import types
from numba.extending import overload


def of_pair(values, k):
    """Value of pair k: an element, or the one value of all."""
    return values if np.isscalar(values) else values[k]


@overload(of_pair, jit_options=CHOICE)
def _of_pair(values, k):
    if isinstance(values, types.Float):
        return lambda values, k: values
    return lambda values, k: values[k]
