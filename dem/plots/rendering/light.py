"""Lighting of visible surfaces: diffuse light, shadows, ambient occlusion, in the frame of the camera."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dem.plots.rendering.camera import Camera
from dem.plots.rendering.raster import nearest, nearest_triangles, surface

if TYPE_CHECKING:
    from collections.abc import Iterator

GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))
TAPS = 6  # looked at around a point for each sample of a pixel
FAR = np.float32(1e15)  # m, where nothing is seen; its square is a number in single precision
FARTHEST = 48  # pixels: how far to look for what takes light away


@dataclass(frozen=True)
class Light:
    """Light from one direction far away, and ambient light.

    A surface of colour c with normal n shines with c (ambient a (3 + n·y)/4 + fill n·e + diffuse max(n·l, 0)) +
    specular max(n·h, 0)^shininess, y upwards in the picture, e towards the eye, h halfway between l and e (J. F. Blinn,
    SIGGRAPH 1977), a = 1 where no others stand around; diffuse and specular only where the light falls.

    Parameters
    ----------
    direction : (3,) floats
        l, towards the light, in the frame of the camera: to the right, up, away from the eye.
    ambient, fill, diffuse, specular, shininess : float
        See above.
    occlusion : float
        How much darker it is where others stand around, 0 for not at all.
    haze : float
        How much of what is farthest away is lost in the background, from 0 to 1.
    shadows : bool
        Whether spheres cast shadows.

    Examples
    --------
    >>> Light(direction=(0, 2, 0), shadows=False).towards.tolist()
    [0.0, 1.0, 0.0]
    """

    direction: tuple[float, float, float] = (-0.55, 1.0, -0.7)
    ambient: float = 0.62
    fill: float = 0.16
    diffuse: float = 0.55
    specular: float = 0.22
    shininess: float = 40.0
    occlusion: float = 1.6
    haze: float = 0.25
    shadows: bool = True

    @property
    def towards(self) -> np.ndarray:
        """Unit vector towards the light source (3,)."""
        return np.array(self.direction) / np.linalg.norm(self.direction)


def disc(count: int, part: int, parts: int) -> Iterator[tuple[float, float]]:
    """Points evenly spread over the unit disc, on a spiral; one of `parts` interleaved subsets."""
    for n in range(part, count * parts, parts):
        radius, angle = math.sqrt((n + 0.5) / (count * parts)), n * GOLDEN_ANGLE
        yield radius * math.cos(angle), radius * math.sin(angle)


class Shadows:
    """Shadow map of spheres: depths of lit points in a picture seen from the light, so many pixels wide.

    corners, bounds: (m, 3, 3) triangles of other bodies, (b, 4) centre and radius of a sphere about each of these [m].
    """

    def __init__(
        self, centres: np.ndarray, radii: np.ndarray, light: Light, pixels: int,
        corners: np.ndarray | None = None, bounds: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        balls = centres, radii
        if bounds is not None:
            centres, radii = np.vstack([centres, bounds[:, :3]]), np.concatenate([radii, bounds[:, 3]])
        direction = light.towards
        up = (0.0, 1.0, 0.0) if abs(direction[1]) < 0.99 else (0.0, 0.0, 1.0)
        rough = Camera((0, 0, 0), tuple(-direction), 1.0, up)
        seen = rough.view(centres)
        lower, upper = (seen - radii[:, None]).min(axis=0), (seen + radii[:, None]).max(axis=0)
        middle = rough.axes.T @ ((lower + upper) / 2)
        span = 1.02 * float((upper - lower)[:2].max())
        self.centres, self.radii, self.towards = centres, radii, direction
        self.camera = Camera(tuple(middle), tuple(-direction), span, up)
        self.pitch = span / pixels
        self.softness = max(0.3 * float(np.median(radii)), self.pitch)
        x, y = self.camera.pixels(pixels, pixels)
        seen, radii = self.camera.view(balls[0]), balls[1]
        number = nearest(seen, radii, 0.0, x, y)
        self.depth = np.full(number.shape, np.inf, np.float32)
        row, column = np.nonzero(number >= 0)
        spheres = np.column_stack([seen, radii]).astype(np.float32)[number[row, column]]
        lit, _ = surface(spheres, np.float32(0), x[column].astype(np.float32), y[row].astype(np.float32))
        self.depth[row, column] = lit[:, 2]
        if corners is not None:
            _, depth = nearest_triangles(self.camera.view(corners.reshape(-1, 3)).reshape(-1, 3, 3), 0.0, x, y)
            self.depth = np.minimum(self.depth, depth.reshape(self.depth.shape).astype(np.float32))

    def footprints(self, corner: np.ndarray, edges: np.ndarray) -> np.ndarray:
        """Corners (n, 4, 3) of rectangles that contain the shadows on a plane.

        Not finite if the light falls along the plane. A shadow is the ellipse in which a cylinder of radius R along the
        light l meets the plane; along a unit vector e in the plane it reaches R √(1 + (e·l)²/(n·l)²).
        """
        e = edges / np.linalg.norm(edges, axis=1)[:, None]
        n = np.cross(*e)
        slope = n @ self.towards
        with np.errstate(all="ignore"):
            middle = self.centres - (((self.centres - corner) @ n) / slope)[:, None] * self.towards
            reach = self.radii + self.softness + 2 * self.pitch
            half = reach[:, None, None] * np.sqrt(1 + (e @ self.towards / slope) ** 2)[:, None] * e
        return np.stack([middle + a * half[:, 0] + b * half[:, 1] for a in (-1, 1) for b in (-1, 1)], axis=1)

    def light(self, points: np.ndarray, part: int, parts: int) -> np.ndarray:
        """Share of light that reaches points (m, 3): (m,), with a soft edge averaged over `parts` calls."""
        pixels = len(self.depth)
        axes = self.camera.axes.astype(np.float32)
        x, y, z = ((points * axis).sum(axis=1) - np.float32(axis @ self.camera.target) for axis in axes)
        bias = 2.5 * self.pitch + 0.7 * self.softness
        light = np.zeros(len(points), np.float32)
        for dx, dy in disc(TAPS, part, parts):
            column = (x + dx * self.softness) / self.pitch + pixels / 2
            row = pixels / 2 - (y + dy * self.softness) / self.pitch
            inside = (column >= 0) & (column < pixels) & (row >= 0) & (row < pixels)
            place = np.where(inside, row.astype(int) * pixels + column.astype(int), 0)
            light += ~inside | (self.depth.ravel()[place] > z - bias)
        return light / TAPS


def occlusion_pixels(reach: float, columns: np.ndarray) -> float:
    """Radius of the search for occluding surfaces [pixels], for columns of pixels at these positions [m]."""
    pitch = float(columns[1] - columns[0]) if len(columns) > 1 else reach
    return min(max(reach / pitch, 2.0), FARTHEST)


def occlusion(
    pixels: np.ndarray, points: np.ndarray, normals: np.ndarray, shape: tuple[int, int], reach: float, far: float,
    part: int, parts: int,
) -> np.ndarray:  # fmt: skip
    """Ambient occlusion (m,) at the pixels, from 0 for free surfaces.

    pixels: (m,) numbers of pixels, row by row, in a picture of a shape (height, width).
    points, normals: (m, 3) of what they show [m].
    reach, far: distance up to which others count [m], and in which they are looked for [pixels].
    part, parts: each of `parts` calls looks at other points.
    """
    margin = math.ceil(far)
    width = shape[1] + 2 * margin
    around = np.full(((shape[0] + 2 * margin) * width, 3), FAR)
    place = (pixels // shape[1] + margin) * width + pixels % shape[1] + margin
    around[place] = points
    taken, squared_reach = np.zeros(len(pixels), np.float32), np.float32(reach**2)
    for dx, dy in disc(TAPS, part, parts):
        x, y, z = (around[place + round(dy * far) * width + round(dx * far)] - points).T
        squared = x * x + y * y + z * z
        squared = np.maximum(squared, np.finfo(np.float32).tiny)
        above = (normals[:, 0] * x + normals[:, 1] * y + normals[:, 2] * z) / np.sqrt(squared)
        taken += np.maximum(above - 0.1, 0) * squared_reach / (squared_reach + squared)
    return taken / TAPS
