"""Base class of convex shapes, and their surface meshes.

Beside what a `Shape` has, such a shape has ``convex_kind``, a row of `dem.kernels.convex.shape_registry.CONVEX_KINDS`;
``convex_numbers``, the numbers that its support function reads; and ``contact_radius``, its radius in contact laws [m].
Its ``offsets`` and ``radii`` are those of its bounding sphere. A shape with flat faces may have ``face_normals``, their
unit normals (F, 3), by which the spheres that represent it in pictures touch its faces.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.model.shapes.ellipsoid import cube_mesh

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.materials import Material
    from dem.model.shapes.shape import Shape

NORMALS, RAYS = 1500, 100  # directions of support functions, evenly spread; those in which a ball touches the surface
CELLS = 8  # of surfaces in files and pictures, along an edge of a cube
FAR = 0.1  # distance of a place from the support point of its normal, over the largest radius: the side is flat
MIN_TURN = 1e-3  # 1 - m·n of normals m whose distances from a place have digits


def is_convex(shape: Shape) -> bool:
    """Whether a shape is given by a support function. Balls are not: the engine takes them for spheres."""
    return hasattr(shape, "convex_kind") and getattr(shape, "CONVEX_KIND", None) != "BallKind"


def has_convex(variants: Sequence[tuple[Shape, Material]]) -> bool:
    """Whether there are convex shapes among the shapes and materials."""
    return any(is_convex(shape) for shape, _ in variants)


def directions(count: int) -> np.ndarray:
    """Evenly distributed unit vectors (3, D) of a Fibonacci lattice."""
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
    from dem.kernels.convex.shape_registry import convex_kinds  # noqa: PLC0415, runs are read without numba
    from dem.kernels.convex.support_samples import sample  # noqa: PLC0415

    h, x = np.empty(normals.shape[1]), np.empty(normals.shape)
    numbers = np.asarray(shape.convex_numbers, float)
    sample(convex_kinds([shape.convex_kind]), 0, numbers, 0, np.ascontiguousarray(normals, float), h, x)
    return h, x


def surface_of(shape: Shape, cells: int = CELLS) -> tuple[np.ndarray, np.ndarray]:
    """Surface mesh of a convex shape: vertices (V, 3) [m] and triangles (F, 3), counterclockwise from outside.

    By its method ``surface_mesh(cells)``, or without one the support points for normals through the corners of cells on
    a cube.

    Examples
    --------
    >>> import dem
    >>> vertices, triangles = surface_of(dem.Ellipsoid(semi_axes=(0.003, 0.002, 0.001)), cells=1)
    >>> vertices.shape, triangles.shape
    ((8, 3), (12, 3))
    """
    if not hasattr(shape, "surface_mesh"):
        normals, triangles = cube_mesh(cells)
        return supports(shape, normals.T / np.sqrt((normals * normals).sum(1)))[1].T, triangles
    what = f"surface_mesh of {type(shape).__name__}"
    try:
        vertices, triangles = shape.surface_mesh(cells)
    except (TypeError, ValueError) as error:
        message = f"{what} cannot be used: {error}; expected a method of the number of cells that returns two arrays"
        raise ValueError(message) from None
    rows = [max(1, checks.count_of(what, each)) for each in (vertices, triangles)]
    vertices = checks.array(f"vertices of {what}", vertices, (rows[0], 3), "on the surface [m]", rows="V")
    triangles = np.asarray(triangles)
    is_whole = triangles.dtype.kind in "iu" and triangles.shape == (rows[1], 3)
    if not is_whole or triangles.min() < 0 or triangles.max() >= len(vertices):
        message = f"triangles of {what}: expected (F, 3) whole numbers of its vertices, from 0 to {len(vertices) - 1}"
        raise ValueError(message)
    return vertices, triangles


def filling(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Spheres inside a convex shape that represent it in pictures, centres (S, 3) and radii (S,) [m].

    Each is the largest ball that touches the surface from inside at one place: with normal n at a place x, its radius
    is the minimum over m of (h(m) - m·x)/(1 - m·n). Places are close to rays that are evenly spread: support points,
    and points on flat sides, where a ray leaves the shape far from the support point of its normal.
    """
    even = directions(NORMALS)
    cubes = even * even * even  # close to the axes, where places on flat sides have their normals
    flat = np.asarray(getattr(shape, "face_normals", np.zeros((0, 3)))).T
    normals = np.concatenate([even, cubes, cubes * cubes * even, flat], axis=1)
    normals = normals / np.sqrt((normals * normals).sum(0))
    h, x = supports(shape, normals)
    rays = directions(RAYS)
    chosen = np.unique((rays.T @ (x / np.sqrt((x * x).sum(0)))).argmax(1))
    at_supports = len(chosen)
    stretched = supports(shape, np.eye(3))[0][:, None] * rays  # of discs and rods, evenly over their sides
    y, m = _flat_places(stretched / np.sqrt((stretched * stretched).sum(0)), normals, h, x)
    n, x = np.concatenate([normals[:, chosen], m], axis=1), np.concatenate([x[:, chosen], y], axis=1)
    turn = 1 - normals.T @ n
    room = h[:, None] - normals.T @ x
    radii = np.min(np.where(turn > MIN_TURN, room / np.maximum(turn, MIN_TURN), np.inf), axis=0)
    centres = x - radii * n
    radii = np.minimum(radii, np.min(h[:, None] - normals.T @ centres, axis=0))
    kept = np.flatnonzero(radii >= radii[:at_supports].min())  # no small ones where a flat side ends
    _, different = np.unique(np.round(centres.T[kept] / h.max(), 6), axis=0, return_index=True)  # of a sphere are one
    return centres.T[kept[different]], radii[kept[different]]


def _flat_places(rays: np.ndarray, normals: np.ndarray, h: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (3, P) on flat sides through which rays (3, R) leave a shape, and the normals there (3, P).

    The shape has the support function h (D,) and support points x (3, D) for these normals (3, D).
    """
    along = normals.T @ rays
    length = np.where(along > 0, h[:, None] / np.maximum(along, MIN_TURN), np.inf)
    side = length.argmin(0)
    places = length[side, np.arange(len(side))] * rays
    away = places - x[:, side]
    flat = np.sqrt((away * away).sum(0)) > FAR * h.max()
    return places[:, flat], normals[:, side[flat]]
