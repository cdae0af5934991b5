"""How far places are from walls, many places at once."""

import numpy as np

from kernels.base.jit import kernel
from kernels.base.vector import load
from kernels.walls.geometry import clearance


@kernel
def clearances(places, geometry, found):
    """Write what the distance of each place (3, K) from the nearest wall is not below to `found` (K,) [m].

    As `kernels.walls.geometry.clearance`, walls being where they are at time 0.
    """
    for k in range(found.size):
        nearest = np.inf
        for w in range(geometry.kind.size):
            nearest = min(nearest, clearance(w, load(places, k), geometry))
        found[k] = nearest
