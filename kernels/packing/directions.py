"""Hard-core Monte Carlo of fibre directions on a cubic lattice."""

from dem.kernels.compiler.jit import func, kernel
from dem.kernels.numerics.distances import rod_distance_squared


@kernel
def sweep(shape, pitch, half_length, diameter, reach, axes, proposals):
    """Offer each site (n, 3) a new direction and take it where its capsule stays clear; returns how many were taken."""
    taken = 0
    for z in range(shape[2]):
        for y in range(shape[1]):
            for x in range(shape[0]):
                site = x + shape[0] * (y + shape[1] * z)
                u = (proposals[site, 0], proposals[site, 1], proposals[site, 2])
                if is_clear(x, y, z, u, shape, pitch, half_length, diameter, reach, axes):
                    axes[site, 0], axes[site, 1], axes[site, 2] = u
                    taken += 1
    return taken


@func
def is_clear(x, y, z, u, shape, pitch, half_length, diameter, reach, axes):
    """Whether a fibre of direction u at a site keeps a diameter away from all others.

    x, y, z, u: the site, counted along each axis, and the unit vector offered.
    shape, pitch: sites along each axis; distance between them [m].
    half_length, diameter: of the capsule; between the centres of its end caps [m].
    reach: sites along an axis beyond which no capsule is near.
    axes: (n, 3) present directions.
    """
    for k in range(max(z - reach, 0), min(z + reach + 1, shape[2])):
        for j in range(max(y - reach, 0), min(y + reach + 1, shape[1])):
            for i in range(max(x - reach, 0), min(x + reach + 1, shape[0])):
                if i == x and j == y and k == z:
                    continue
                other = (pitch * (i - x), pitch * (j - y), pitch * (k - z))
                site = i + shape[0] * (j + shape[1] * k)
                w = (axes[site, 0], axes[site, 1], axes[site, 2])
                if rod_distance_squared(other, w, u, half_length, half_length) < diameter * diameter:
                    return False
    return True
