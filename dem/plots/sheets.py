"""Walls in pictures as shaded sheets that one may look through, laid over what `render` has drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.plots.camera import CLOSEST
from dem.plots.raster import nearest, surface

if TYPE_CHECKING:
    from dem.plots.camera import Camera

COLOUR = (0.72, 0.77, 0.84)
DARKEST, BRIGHTEST = 0.55, 1.0  # of the colour: on edge to the eye, and across


def lay_over(
    picture: np.ndarray, triangles: np.ndarray, camera: Camera, centres: np.ndarray, radii: np.ndarray, opacity: float
) -> np.ndarray:
    """Lay triangles over a picture of spheres, where they are before these.

    Parameters
    ----------
    picture : (height, width, 3) uint8 array
        Of the spheres, taken by `dem.plots.render.render`.
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
    >>> from dem.plots.camera import Camera
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
    through, shade, sheets = np.ones(depth.shape), np.zeros(depth.shape), np.zeros(depth.shape, int)
    corners = camera.view(triangles.reshape(-1, 3)).reshape(-1, 3, 3)
    for corner in corners[(1 + k * corners[:, :, 2] > CLOSEST).all(axis=1)]:
        found = _covered(corner, k, x, y, depth)
        if found is not None:
            rows, columns, bright = found
            through[rows, columns] *= 1 - opacity
            shade[rows, columns] += bright
            sheets[rows, columns] += 1
    ink = (255 * shade / np.maximum(sheets, 1))[..., None] * np.array(COLOUR)
    return np.rint(picture * through[..., None] + (1 - through[..., None]) * ink).astype(np.uint8)


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


def _covered(
    corner: np.ndarray, k: float, x: np.ndarray, y: np.ndarray, depth: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float] | None:
    """Rows and columns of the pixels before whose spheres a triangle is, and how bright it is; None if there are none.

    A pixel on an edge that two triangles share counts for one of them.
    """
    normal = np.cross(corner[1] - corner[0], corner[2] - corner[0])
    flat = corner[:, :2] / (1 + k * corner[:, 2:])
    area = _turn(flat[1] - flat[0], flat[2] - flat[0])
    if area == 0 or not normal.any():
        return None
    flat = flat if area > 0 else flat[::-1]
    (left, right), (first, last) = _within(x, flat[:, 0]), _within(y, flat[:, 1])
    if first >= last or left >= right:
        return None
    across, down = np.meshgrid(x[left:right], y[first:last])
    inside = np.ones(across.shape, bool)
    for a, b in zip(flat, np.roll(flat, -1, axis=0), strict=True):
        edge = b - a
        turn = edge[0] * (down - a[1]) - edge[1] * (across - a[0])
        owns = edge[1] > 0 or (edge[1] == 0 and edge[0] < 0)
        inside &= (turn > 0) | ((turn == 0) & owns)
    normal /= np.linalg.norm(normal)
    towards = normal[0] * k * across + normal[1] * k * down + normal[2]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (normal @ corner[0] - normal[0] * across - normal[1] * down) / towards
    inside &= z < depth[first:last, left:right]
    rows, columns = np.nonzero(inside)
    return rows + first, columns + left, DARKEST + (BRIGHTEST - DARKEST) * abs(float(normal[2]))


def _within(at: np.ndarray, ends: np.ndarray) -> tuple[int, int]:
    """First of evenly spaced pixels that lie between the ends of something, and the one after the last."""
    pitch = at[1] - at[0] if len(at) > 1 else 1.0
    low, high = sorted(((ends - at[0]) / pitch)[[(ends / pitch).argmin(), (ends / pitch).argmax()]])
    return max(int(np.ceil(low)), 0), min(int(np.floor(high)), len(at) - 1) + 1


def _turn(u: np.ndarray, v: np.ndarray) -> float:
    return float(u[0] * v[1] - u[1] * v[0])
