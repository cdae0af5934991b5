"""Pixels of a picture that differ from an empty scene, so that only these are drawn.

Those that show a sphere, those from which one can be seen close by, and those of the floor in a shadow. All of it is in
the frame of the camera, and a little too much rather than too little.
"""

from __future__ import annotations

import math

import numpy as np

from dem.plots.rendering.camera import CLOSEST
from dem.plots.rendering.light import looked_at
from dem.plots.rendering.raster import extent

MARGIN = 1  # pixels, for rounding


def touched(
    spheres: np.ndarray, shadows: np.ndarray, k: float, rays: tuple[np.ndarray, np.ndarray], samples: int, reach: float
) -> np.ndarray:
    """Numbers of the pixels (m,), row by row.

    Parameters
    ----------
    spheres : (n, 4) array
        Centres and radii [m].
    shadows : (m, 4, 3) array
        Corners of what has the shadows on the floor in it [m].
    k : float
        Convergence of the camera [1/m].
    rays : (width * samples,), (height * samples,) arrays
        Columns and rows of rays in the plane of the target [m].
    samples : int
        Rays through a pixel, along each direction.
    reach : float
        How far off surfaces are darker where others stand around, 0 if they are not [m].
    """
    shape = (len(rays[1]) // samples, len(rays[0]) // samples)
    centres, radii = spheres[:, :3].astype(float), spheres[:, 3].astype(float)
    extents = [extent(centres[:, axis], centres[:, 2], radii, k, rays[axis]) for axis in (1, 0)]
    first, count = np.array(extents).swapaxes(0, 1)
    visible = (count > 0).all(axis=0)
    low, high = first[:, visible] // samples, (first + count - 1)[:, visible] // samples
    wide = math.ceil(looked_at(reach, rays[0][::samples])) if reach else 0
    ends = zip((low - MARGIN - wide, high + MARGIN + wide), _seen(shadows, k, rays, samples, shape), strict=True)
    return _within(*(np.concatenate(each, axis=1) for each in ends), shape)


def _seen(
    corners: np.ndarray, k: float, rays: tuple[np.ndarray, np.ndarray], samples: int, shape: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """First and last row and column (2, n) of what has these corners (n, 4, 3), the whole picture next to the eye."""
    wide = 1 + k * corners[..., 2]
    first, pitch = zip(*((at[0], at[1] - at[0] if len(at) > 1 else 1.0) for at in rays), strict=True)
    with np.errstate(all="ignore"):
        places = [(corners[..., axis] / wide - first[axis]) / pitch[axis] for axis in (1, 0)]
    clear = (wide > CLOSEST).all(axis=1) & np.isfinite(places).all(axis=(0, 2))
    ends = []
    for place, length in zip(places, shape, strict=True):
        pixel = np.where(clear[:, None], place / samples, (0, 0, length, length)).clip(-2, length + 1)
        ends.append((pixel.min(axis=1) - MARGIN, pixel.max(axis=1) + MARGIN))
    low, high = np.array(ends).swapaxes(0, 1)
    return np.floor(low).astype(int), np.ceil(high).astype(int)


def _within(low: np.ndarray, high: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Numbers of the pixels in any of some boxes, from first to last row and column (2, n)."""
    height, width = shape
    (top, left), (bottom, right) = low.clip(0), np.minimum(high + 1, np.array([[height], [width]]))
    there = (top < bottom) & (left < right)
    top, left, bottom, right = (side[there] for side in (top, left, bottom, right))
    begins = np.concatenate([top * (width + 1) + left, bottom * (width + 1) + right])
    ends = np.concatenate([top * (width + 1) + right, bottom * (width + 1) + left])
    size = (height + 1) * (width + 1)
    count = np.bincount(begins, minlength=size) - np.bincount(ends, minlength=size)
    covered = count.reshape(height + 1, width + 1).cumsum(axis=0).cumsum(axis=1)[:height, :width] > 0
    return np.flatnonzero(covered)
