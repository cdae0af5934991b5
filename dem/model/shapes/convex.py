"""Convex shapes that are known by their support functions: what they have in common, and how they are drawn.

Beside what a `Shape` has, such a shape has ``convex_kind``, a row of `dem.kernels.convex.shape_kinds.CONVEX_KINDS`;
``convex_numbers``, the numbers that its support function reads; and ``contact_radius``, its radius in contact laws [m].
Its ``offsets`` and ``radii`` are those of its bounding sphere.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.materials import Material
    from dem.model.shapes.shape import Shape

NORMALS, RAYS = 600, 150  # directions of support functions, and those in which a picture has an outline of its own
NEARLY = 0.97  # of the way to the surface along a ray
DEPTHS = (0.0, 0.2, 0.35, 0.5, 0.6, 0.7, 0.77, 0.83, 0.88, 0.92)  # of centres of balls, over the surface's distance


def is_convex(shape: Shape) -> bool:
    """Whether a shape is known by its support function."""
    return hasattr(shape, "convex_kind")


def has_convex(variants: Sequence[tuple[Shape, Material]]) -> bool:
    """Whether there are convex shapes among the shapes and materials."""
    return any(is_convex(shape) for shape, _ in variants)


def directions(count: int) -> np.ndarray:
    """Unit vectors (3, D), evenly spread: those of Fibonacci's lattice."""
    turn = math.pi * (1 + math.sqrt(5))  # by functions of the C library, whose bits no processor chooses
    z = [1 - (2 * k + 1) / count for k in range(count)]
    across = [math.sqrt(1 - one * one) for one in z]
    x, y = ([r * f(turn * (k + 0.5)) for k, r in enumerate(across)] for f in (math.cos, math.sin))
    return np.array([x, y, z])


def supports(shape: Shape, normals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Support function (D,) and support points (3, D) of a convex shape for unit vectors (3, D) in its frame [m].

    Examples
    --------
    >>> import dem
    >>> h, x = supports(dem.Ellipsoid(semi_axes=(0.003, 0.002, 0.001)), np.eye(3))
    >>> h.tolist(), x.diagonal().tolist()
    ([0.003, 0.002, 0.001], [0.003, 0.002, 0.001])
    """
    from dem.kernels.convex.shape_kinds import convex_kinds  # noqa: PLC0415, runs are read without numba
    from dem.kernels.convex.support_samples import sample  # noqa: PLC0415

    h, x = np.empty(normals.shape[1]), np.empty(normals.shape)
    numbers = np.asarray(shape.convex_numbers, float)
    sample(convex_kinds([shape.convex_kind]), 0, numbers, 0, np.ascontiguousarray(normals, float), h, x)
    return h, x


def filling(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Balls inside a convex shape that look like it, centres (S, 3) and radii (S,) [m]: for pictures.

    A ball about c has the radius min h(n) - n·c. Of balls about places between the centre and the surface, the largest
    is taken for each ray that reaches nearly as far along it as any.
    """
    normals, rays = directions(NORMALS), directions(RAYS)
    h, _ = supports(shape, normals)
    along = normals.T @ rays
    far = np.min(np.where(along > 0, h[:, None] / np.maximum(along, 1e-9), np.inf), axis=0)
    centres = np.concatenate([depth * far * rays for depth in DEPTHS], axis=1)
    radii = np.min(h[:, None] - normals.T @ centres, axis=0)
    s = rays.T @ centres
    room = radii**2 - (centres**2).sum(0) + s**2
    reach = np.where(room >= 0, s + np.sqrt(np.maximum(room, 0)), -np.inf)
    chosen = np.unique(np.where(reach >= NEARLY * reach.max(1, keepdims=True), radii, -np.inf).argmax(1))
    return centres.T[chosen], radii[chosen]
