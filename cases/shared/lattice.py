"""Starting states on a cubic lattice."""

from __future__ import annotations

import math

import numpy as np


def cubic(n: int, pitch: float, margin: float) -> tuple[np.ndarray, tuple[float, float, float], tuple[int, int, int]]:
    """First n sites of a nearly cubic lattice from the origin, x fastest: sites (n, 3), size of the box, its shape."""
    k = math.ceil(round(n ** (1 / 3), 9))
    shape = (k, k, math.ceil(n / k**2))
    index = np.arange(n)
    sites = np.column_stack([index % k, index // k % k, index // k**2])
    x, y, z = (m * pitch + 2 * margin for m in shape)
    return (sites + 0.5) * pitch + margin, (x, y, z), shape


def jittered(
    rng: np.random.Generator, n: int, diameter: float, solid_fraction: float
) -> tuple[np.ndarray, tuple[float, float, float]]:
    """Centres (n, 3) of spheres on a lattice, moved at random without overlap, and the size of their box."""
    pitch = diameter * (math.pi / 6 / solid_fraction) ** (1 / 3)
    position, size, _ = cubic(n, pitch, 0.0)
    position += 0.499 * (pitch - diameter) * rng.uniform(-1, 1, position.shape)
    return position, size
