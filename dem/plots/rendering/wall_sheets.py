"""Walls in pictures as transparent shaded sheets, drawn over the output of `render`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.plots.rendering.camera import CLOSEST
from dem.plots.rendering.raster import FRAGMENTS, nearest, surface

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.plots.rendering.camera import Camera

COLOUR = (0.72, 0.77, 0.84)
DARKEST, BRIGHTEST = 0.55, 1.0  # of the colour: on edge to the eye, and across
BEHIND = 1e-9  # of the depth, for rounding


def lay_over(
    picture: np.ndarray, triangles: np.ndarray, camera: Camera, centres: np.ndarray, radii: np.ndarray, opacity: float
) -> np.ndarray:
    """Lay triangles over a picture of spheres, where they are before these.

    Parameters
    ----------
    picture : (height, width, 3) uint8 array
        Of the spheres, taken by `dem.plots.render`.
    triangles : (m, 3, 3) array
        Corners, world frame [m].
    camera : Camera
        By which it was taken.
    centres, radii : (n, 3), (n,) arrays
        The spheres [m].
    opacity : float
        Of one sheet, from 0 to 1: what is behind is seen by what it lacks of 1.

    Returns
    -------
    (height, width, 3) uint8 array

    Examples
    --------
    >>> from dem.plots.rendering.camera import Camera
    >>> camera = Camera((0, 0, 0), forward=(0, 1, 0), span=4.0)
    >>> sheet = np.array([[[-1, -1, -1], [1, -1, -1], [0, -1, 1]]])
    >>> seen = lay_over(np.zeros((40, 40, 3), np.uint8), sheet, camera, np.zeros((0, 3)), np.zeros(0), 0.5)
    >>> bool(seen[20, 20].min() > 50), seen[0, 0].tolist()
    (True, [0, 0, 0])
    """
    height, width = picture.shape[:2]
    x, y = camera.pixels(width, height)
    k = camera.convergence
    depth = _depth(camera, centres, radii, x, y)
    corners = camera.view(triangles.reshape(-1, 3)).reshape(-1, 3, 3)
    corners = corners[(1 + k * corners[:, :, 2] > CLOSEST).all(axis=1)]
    if opacity == 1:  # the nearest sheet hides the others
        for pixel, z, _ in _fragments(corners, k, x, y, depth.copy()):
            np.minimum.at(depth.ravel(), pixel, z)
        depth *= 1 + BEHIND * np.sign(depth)
    shade, sheets = np.zeros(depth.size), np.zeros(depth.size, int)
    for pixel, _, bright in _fragments(corners, k, x, y, depth):
        np.add.at(shade, pixel, bright)
        np.add.at(sheets, pixel, 1)
    through = ((1 - opacity) ** sheets).reshape(height, width, 1)
    ink = (255 * shade / np.maximum(sheets, 1)).reshape(height, width, 1) * np.array(COLOUR)
    return np.rint(picture * through + (1 - through) * ink).astype(np.uint8)


def _depth(camera: Camera, centres: np.ndarray, radii: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Depth of what is seen through each pixel (height, width), infinite where there is nothing."""
    k, seen = camera.convergence, camera.view(np.asarray(centres, float))
    before = 1 + k * (seen[:, 2] - radii) > CLOSEST
    seen, radii = seen[before], np.asarray(radii, float)[before]
    number = nearest(seen, radii, k, x, y)
    depth = np.full(number.shape, np.inf)
    row, column = np.nonzero(number >= 0)
    spheres = np.column_stack([seen, radii]).astype(np.float32)[number[row, column]]
    points, _ = surface(spheres, np.float32(k), x[column].astype(np.float32), y[row].astype(np.float32))
    depth[row, column] = points[:, 2]
    return depth


def _fragments(
    corners: np.ndarray, k: float, x: np.ndarray, y: np.ndarray, depth: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Pixels before whose spheres triangles are, by number, at which depth, and how bright; many triangles at once.

    A pixel on an edge that two triangles share counts for one of them.
    """
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    flat = corners[:, :, :2] / (1 + k * corners[:, :, 2:])
    area = _turn(flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0])
    flat = np.where(area[:, None, None] > 0, flat, flat[:, ::-1])
    (columns, wide), (rows, high) = _within(x, flat[:, :, 0]), _within(y, flat[:, :, 1])
    order = np.argsort(-np.maximum(wide, high), kind="stable")
    order = order[(wide[order] > 0) & (high[order] > 0) & (area[order] != 0)]
    start = 0
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
        before = z <= depth.ravel()[pixel]
        yield pixel[before], z[before], (DARKEST + (BRIGHTEST - DARKEST) * np.abs(n[:, 2]))[before]


def _within(at: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First of evenly spaced pixels that lie between the ends of things (m,), and how many there are (m,)."""
    pitch = at[1] - at[0] if len(at) > 1 else 1.0
    places = (ends - at[0]) / pitch
    first = np.maximum(np.ceil(places.min(axis=1)), 0)
    last = np.minimum(np.floor(places.max(axis=1)), len(at) - 1)
    return first.clip(0, len(at) - 1).astype(int), np.maximum(last - first + 1, 0).astype(int)


def _turn(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
