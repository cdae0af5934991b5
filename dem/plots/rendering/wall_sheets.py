"""Walls in pictures as transparent shaded sheets, drawn over the output of `render`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.plots.rendering.camera import CLOSEST
from dem.plots.rendering.raster import nearest, nearest_triangles, surface, triangle_fragments

if TYPE_CHECKING:
    from dem.plots.rendering.camera import Camera
    from dem.plots.rendering.render import Meshes

COLOUR = (0.72, 0.77, 0.84)
DARKEST, BRIGHTEST = 0.55, 1.0  # of the colour: on edge to the eye, and across
BEHIND = 1e-9  # of the depth, for rounding


def lay_over(
    picture: np.ndarray, triangles: np.ndarray, camera: Camera, centres: np.ndarray, radii: np.ndarray, opacity: float,
    meshes: Meshes | None = None,
) -> np.ndarray:  # fmt: skip
    """Lay triangles over a picture of spheres and other bodies, where they are before these.

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
    meshes : Meshes
        The other bodies.

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
    if meshes is not None:
        _, of_meshes = nearest_triangles(meshes.facing(camera).corners, k, x, y)
        depth = np.minimum(depth, of_meshes.reshape(depth.shape))
    corners = camera.view(triangles.reshape(-1, 3)).reshape(-1, 3, 3)
    corners = corners[(1 + k * corners[:, :, 2] > CLOSEST).all(axis=1)]
    if opacity == 1:  # the nearest sheet hides the others
        before = depth.ravel().copy()
        for _, pixel, z, _ in triangle_fragments(corners, k, x, y):
            seen = z <= before[pixel]
            np.minimum.at(depth.ravel(), pixel[seen], z[seen])
        depth *= 1 + BEHIND * np.sign(depth)
    shade, sheets = np.zeros(depth.size), np.zeros(depth.size, int)
    for _, pixel, z, n in triangle_fragments(corners, k, x, y):
        seen = z <= depth.ravel()[pixel]
        np.add.at(shade, pixel[seen], (DARKEST + (BRIGHTEST - DARKEST) * np.abs(n[:, 2]))[seen])
        np.add.at(sheets, pixel[seen], 1)
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
