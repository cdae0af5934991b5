"""Rasterisation of spheres and triangles: fragments, and the nearest one in each pixel.

All of it is in the frame of a `Camera`, in single precision. Written for what is left between the ray and the plane
through the centre of the sphere, so that nothing cancels: with the ray (X, Y, 0) + z (kX, kY, 1), w = 1 + k z_c,
(u, v) = (X w - x_c, Y w - y_c), the ray meets the sphere at z_c + s, a s² + 2 b s + u² + v² - r² = 0, with
a = 1 + k² (X² + Y²) and b = k (u X + v Y).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

RIM = 0.01  # pixels about triangles of a closed surface that count as theirs, so that none is missed by rounding
FRAGMENTS = 1 << 18  # at once: as many as stay in the cache
NOTHING = np.iinfo(np.int64).max


def nearest(centres: np.ndarray, radii: np.ndarray, k: float, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Number of the nearest sphere in each pixel (height, width); -1 where there is none.

    centres, radii: (n, 3), (n,) in the frame of the camera, all in front of it [m].
    k: convergence of the camera [1/m].
    x, y: (width,), (height,) columns and rows of pixels in the plane of the target [m].
    Of two spheres at the same depth the one with the lower number is taken.
    """
    buffer = np.full(len(y) * len(x), NOTHING)
    if not len(radii):
        return np.full((len(y), len(x)), -1)
    columns, wide = extent(centres[:, 0], centres[:, 2], radii, k, x)
    rows, high = extent(centres[:, 1], centres[:, 2], radii, k, y)
    near = float((centres[:, 2] - radii).min())
    levels = (2**31 - 1) / (float((centres[:, 2] + radii).max()) - near)
    order = np.argsort(-np.maximum(wide, high), kind="stable")
    order = order[(wide[order] > 0) & (high[order] > 0)]
    spheres = np.column_stack([centres, radii]).astype(np.float32)
    x, y = x.astype(np.float32), y.astype(np.float32)
    start = 0
    while start < len(order):
        chosen = order[start : start + max(1, FRAGMENTS // max(wide[order[start]], high[order[start]]) ** 2)]
        w, h = wide[chosen].max(), high[chosen].max()
        column = np.minimum(columns[chosen], len(x) - w)[:, None] + np.arange(w)
        row = np.minimum(rows[chosen], len(y) - h)[:, None] + np.arange(h)
        hit, z = _fragments(spheres[chosen], k, x[column][:, None, :], y[row][:, :, None])
        which = np.nonzero(hit)
        pixel = row[which[0], which[1]] * len(x) + column[which[0], which[2]]
        key = ((z - near) * levels).astype(np.int64) << 32 | chosen[which[0]]
        np.minimum.at(buffer, pixel, key)
        start += len(chosen)
    return np.where(buffer == NOTHING, -1, buffer & 0xFFFFFFFF).reshape(len(y), len(x))


def extent(c: np.ndarray, z: np.ndarray, r: np.ndarray, k: float, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First pixel and number of pixels of silhouettes along one direction (n,), (n,).

    A silhouette lies between the tangents from the eye, (c w ± r √(w² + k² c² - k² r²))/(w² - k² r²) with w = 1 + k z.

    c, z, r: (n,) coordinates of the spheres along this direction, depths and radii [m].
    k: convergence of the camera [1/m].
    at: pixels along this direction, in the plane of the target [m].
    """
    w = 1 + k * z
    middle, half = c * w, r * np.sqrt(w * w + (k * c) ** 2 - (k * r) ** 2)
    pitch = at[1] - at[0] if len(at) > 1 else 1.0
    ends = (np.array([middle - half, middle + half]) / (w * w - (k * r) ** 2) - at[0]) / pitch
    first = np.maximum(np.ceil(ends.min(axis=0)), 0)
    last = np.minimum(np.floor(ends.max(axis=0)), len(at) - 1)
    return first.clip(0, len(at) - 1).astype(int), np.maximum(last - first + 1, 0).astype(int)


def _fragments(spheres: np.ndarray, k: float, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mask (m, h, w) of the rays that hit their sphere, and the depths of the hits."""
    cx, cy, cz, r = (column[:, None, None] for column in spheres.T)
    k = np.float32(k)
    w = 1 + k * cz
    u, v = x * w - cx, y * w - cy
    a = (1 + (k * x) ** 2) + (k * y) ** 2
    b = k * u * x + k * v * y
    discriminant = b * b - a * ((u * u - r * r) + v * v)
    hit = discriminant >= 0
    s = -(b[hit] + np.sqrt(discriminant[hit])) / a[hit]
    return hit, np.broadcast_to(cz, hit.shape)[hit] + s


def surface(spheres: np.ndarray, k: float, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points (m, 3) where rays hit their spheres, and unit normals there (m, 3).

    spheres: (m, 4) centre and radius of the sphere that each ray meets [m].
    k: convergence of the camera [1/m].
    x, y: (m,) where rays cross the plane of the target [m].
    """
    cx, cy, cz, r = spheres.T
    w = 1 + k * cz
    u, v = x * w - cx, y * w - cy
    a = 1 + (k * x) ** 2 + (k * y) ** 2
    b = k * (u * x + v * y)
    s = -(b + np.sqrt(np.maximum(b * b - a * (u * u + v * v - r * r), 0))) / a
    out = np.column_stack([u + s * k * x, v + s * k * y, s])
    return out + spheres[:, :3], out / r[:, None]


def nearest_triangles(corners: np.ndarray, k: float, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number of the nearest triangle in each pixel (height * width,), -1 where there is none; and its depth [m].

    Parameters are those of `triangle_fragments`. Of two at the same depth the one with the lower number counts.
    """
    found, depth = np.full(len(x) * len(y), -1), np.full(len(x) * len(y), np.inf)
    for which, where, z, _ in triangle_fragments(corners, k, x, y, rim=RIM):
        order = np.lexsort((which, z, where))
        pixel, first = np.unique(where[order], return_index=True)
        number, near = which[order][first], z[order][first]
        ahead = (near < depth[pixel]) | ((near == depth[pixel]) & (number < found[pixel]))
        found[pixel[ahead]], depth[pixel[ahead]] = number[ahead], near[ahead]
    return found, depth


def triangle_fragments(
    corners: np.ndarray, k: float, x: np.ndarray, y: np.ndarray, rim: float = 0.0
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Fragments of many triangles: number of the triangle, pixel, depth, unit normal.

    A pixel on an edge that two triangles share counts for one of them.

    Parameters
    ----------
    corners : (m, 3, 3) array
        In the frame of the camera [m], all in front of it.
    k : float
        Convergence of the camera [1/m].
    x, y : (width,), (height,) arrays
        Columns and rows of pixels in the plane of the target [m].
    rim : float
        How far outside of a triangle pixels are that count as within [pixels]: with more than 0, for both of two.
    """
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    flat = corners[:, :, :2] / (1 + k * corners[:, :, 2:])
    area = _turn(flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0])
    flat = np.where(area[:, None, None] > 0, flat, flat[:, ::-1])
    (columns, wide), (rows, high) = _within(x, flat[:, :, 0]), _within(y, flat[:, :, 1])
    order = np.argsort(-np.maximum(wide, high), kind="stable")
    order = order[(wide[order] > 0) & (high[order] > 0) & (area[order] != 0)]
    start, margin = 0, rim * abs(x[1] - x[0]) if len(x) > 1 else 0.0
    while start < len(order):
        chosen = order[start : start + max(1, FRAGMENTS // max(wide[order[start]], high[order[start]]) ** 2)]
        start += len(chosen)
        w, h = wide[chosen].max(), high[chosen].max()
        column = np.minimum(columns[chosen], len(x) - w)[:, None] + np.arange(w)
        row = np.minimum(rows[chosen], len(y) - h)[:, None] + np.arange(h)
        across, down = x[column][:, None, :], y[row][:, :, None]
        inside = np.ones((len(chosen), h, w), bool)
        for a, b in ((0, 1), (1, 2), (2, 0)):
            u, v = (flat[chosen, b] - flat[chosen, a]).T[:, :, None, None]
            turn = u * (down - flat[chosen, a, 1, None, None]) - v * (across - flat[chosen, a, 0, None, None])
            if rim:
                inside &= turn >= -margin * np.sqrt(u * u + v * v)
            else:
                inside &= (turn > 0) | ((turn == 0) & ((v > 0) | ((v == 0) & (u < 0))))
        which, at_row, at_column = np.nonzero(inside)
        n = normals[chosen[which]]
        n /= np.linalg.norm(n, axis=1)[:, None]
        u, v = x[column[which, at_column]], y[row[which, at_row]]
        with np.errstate(divide="ignore", invalid="ignore"):  # on edge to the eye
            z = (np.einsum("ij,ij->i", n, corners[chosen[which], 0]) - n[:, 0] * u - n[:, 1] * v) / (
                k * (n[:, 0] * u + n[:, 1] * v) + n[:, 2]
            )
        pixel = row[which, at_row] * len(x) + column[which, at_column]
        yield chosen[which], pixel, z, n


def _within(at: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First of evenly spaced pixels within intervals (m,), and their number (m,)."""
    pitch = at[1] - at[0] if len(at) > 1 else 1.0
    places = (ends - at[0]) / pitch
    first = np.maximum(np.ceil(places.min(axis=1)), 0)
    last = np.minimum(np.floor(places.max(axis=1)), len(at) - 1)
    return first.clip(0, len(at) - 1).astype(int), np.maximum(last - first + 1, 0).astype(int)


def _turn(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
