"""A plane, and all that is behind it: n (3), a, with n · x = a on the surface and n pointing to where particles are."""

from dem.kernels.compiler.jit import inline


@inline
def distance(x, numbers, k):
    """n · x - a, negative behind the plane, and its gradient n."""
    n = numbers[k], numbers[k + 1], numbers[k + 2]
    return n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - numbers[k + 3], n
