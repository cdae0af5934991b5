"""How far places are from walls, many places at once."""

import numpy as np
from dem.kernels.compiler.jit import kernel
from dem.kernels.numerics.vector import load
from dem.kernels.walls.geometry import clearance


@kernel
def clearances(places, geometry, found):
    """Write what the distance of each place (3, K) from the nearest wall is not below to `found` (K,) [m].

    As `dem.kernels.walls.geometry.clearance`, walls being where they are at time 0.
    """
    for k in range(found.size):
        nearest = np.inf
        for w in range(geometry.kind.size):
            nearest = min(nearest, clearance(w, load(places, k), geometry))
        found[k] = nearest
