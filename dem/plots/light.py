"""Light and shade on what a camera sees, all in the frame of the camera."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dem.plots.camera import Camera
from dem.plots.raster import nearest, surface

if TYPE_CHECKING:
    from collections.abc import Iterator

GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))
TAPS = 6  # looked at around a point for each sample of a pixel
FAR = np.float32(1e15)  # m, where nothing is seen; its square is a number in single precision
FARTHEST = 48  # pixels: how far to look for what takes light away


@dataclass(frozen=True)
class Light:
    """Light from far away, and from everywhere.

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
        """Unit vector towards the light (3,)."""
        return np.array(self.direction) / np.linalg.norm(self.direction)


def disc(count: int, part: int, parts: int) -> Iterator[tuple[float, float]]:
    """Points spread evenly over the unit disc, on a spiral; `parts` calls together give all of them."""
    for n in range(part, count * parts, parts):
        radius, angle = math.sqrt((n + 0.5) / (count * parts)), n * GOLDEN_ANGLE
        yield radius * math.cos(angle), radius * math.sin(angle)


class Shadows:
    """What the light does not reach: the picture it would take, with the depth of what is lit.

    Parameters
    ----------
    centres, radii : (n, 3), (n,) arrays
        Spheres [m].
    light : Light
        Where it comes from.
    pixels : int
        Of the picture, along an edge.
    """

    def __init__(self, centres: np.ndarray, radii: np.ndarray, light: Light, pixels: int) -> None:
        direction = light.towards
        up = (0.0, 1.0, 0.0) if abs(direction[1]) < 0.99 else (0.0, 0.0, 1.0)
        rough = Camera((0, 0, 0), tuple(-direction), 1.0, up)
        seen = rough.view(centres)
        lower, upper = (seen - radii[:, None]).min(axis=0), (seen + radii[:, None]).max(axis=0)
        middle = rough.axes.T @ ((lower + upper) / 2)
        span = 1.02 * float((upper - lower)[:2].max())
        self.camera = Camera(tuple(middle), tuple(-direction), span, up)
        self.pitch = span / pixels
        self.softness = max(0.3 * float(np.median(radii)), self.pitch)
        x, y = self.camera.pixels(pixels, pixels)
        seen = self.camera.view(centres)
        number = nearest(seen, radii, 0.0, x, y)
        self.depth = np.full(number.shape, np.inf, np.float32)
        row, column = np.nonzero(number >= 0)
        spheres = np.column_stack([seen, radii]).astype(np.float32)[number[row, column]]
        lit, _ = surface(spheres, np.float32(0), x[column].astype(np.float32), y[row].astype(np.float32))
        self.depth[row, column] = lit[:, 2]

    def light(self, points: np.ndarray, part: int, parts: int) -> np.ndarray:
        """Share of the light that falls on points (m, 3): (m,), with a soft edge over `parts` calls."""
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


def crowding(points: np.ndarray, normals: np.ndarray, reach: float, pitch: float, part: int, parts: int) -> np.ndarray:
    """How much others stand around what each pixel shows.

    Parameters
    ----------
    points, normals : (3, height, width) arrays
        What is seen, very far away where there is nothing [m].
    reach : float
        How far others matter [m].
    pitch : float
        Width of a pixel [m].
    part, parts : int
        Each of `parts` calls looks at other points.

    Returns
    -------
    (height, width) array
        From 0, nobody, upwards.
    """
    pixels = min(max(reach / pitch, 2.0), FARTHEST)
    margin = math.ceil(pixels)
    around = np.pad(points, ((0, 0), (margin, margin), (margin, margin)), constant_values=FAR)
    _, height, width = points.shape
    taken = np.zeros((height, width), np.float32)
    for dx, dy in disc(TAPS, part, parts):
        row, column = margin + round(dy * pixels), margin + round(dx * pixels)
        x, y, z = around[:, row : row + height, column : column + width] - points
        squared = x * x + y * y + z * z
        squared = np.maximum(squared, np.finfo(np.float32).tiny)
        above = (normals[0] * x + normals[1] * y + normals[2] * z) / np.sqrt(squared)
        taken += np.maximum(above - 0.1, 0) * np.float32(reach**2) / (np.float32(reach**2) + squared)
    return taken / TAPS
