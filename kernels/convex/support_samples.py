"""Support functions of one convex shape at many normals, for Python."""

from dem.kernels.compiler.jit import kernel
from dem.kernels.convex.shape_registry import ConvexBody, support_of
from dem.kernels.numerics.vector import load, store


@kernel
def sample(kinds, number, numbers, at, normal, h, x):
    """Support functions and support points of a shape in its body frame.

    Parameters
    ----------
    kinds, number, numbers, at : see `dem.kernels.convex.shape_registry.ConvexBody`
    normal : (3, D) unit vectors

    Writes
    ------
    h : (D,) [m]
    x : (3, D) about the centre of the shape [m]
    """
    body = ConvexBody(kinds, number, numbers, at, (1.0, 0.0, 0.0, 0.0))
    for d in range(h.size):
        h[d], point = support_of(body, load(normal, d))
        store(x, d, point)
