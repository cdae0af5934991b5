"""Smoothing kernels of unit integral, and smoothed sums over bodies and contacts."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks

if TYPE_CHECKING:
    from collections.abc import Iterator

CUT = 5.0  # standard deviations of a Gaussian, which is scaled up by 1e-6, 4e-6, 2e-5 in one, two, three dimensions
PAIRS = 2**20  # of points and samples at a time
KERNELS = ("gaussian", "lucy")
LUCY = (5 / 4, 5 / math.pi, 105 / (16 * math.pi))  # in one, two, three dimensions


class Kernel(NamedTuple):
    """A function of the distance whose integral over space is one, and that vanishes beyond a range."""

    name: str
    width: float  # [m]
    dimensions: int

    @classmethod
    def checked(cls, name: str, width: float, dimensions: int) -> Kernel:
        """A kernel by name; raises ValueError for an unknown one, or a width that is not positive."""
        return cls(checks.one_of("kernel", name, KERNELS), checks.number("width", width, above=0, unit="m"), dimensions)

    @property
    def range(self) -> float:
        """Distance beyond which it vanishes [m]."""
        return self.width * (CUT if self.name == "gaussian" else 2.0)

    def __call__(self, square: np.ndarray) -> np.ndarray:
        """Value at squares of distances [m²], per metre to the power of the dimensions."""
        c, d = self.range, self.dimensions
        near = square < c * c
        if self.name == "lucy":
            x = np.sqrt(np.where(near, square, c * c)) / c
            return LUCY[d - 1] / c**d * (1 + 3 * x) * (1 - x) ** 3
        q = CUT / math.sqrt(2)
        kept = {1: math.erf(q), 2: 1 - math.exp(-q * q), 3: math.erf(q) - 2 / math.sqrt(math.pi) * q * math.exp(-q * q)}
        peak = (2 * math.pi * self.width**2) ** (-0.5 * d) / kept[d]
        return np.where(near, peak * np.exp(-0.5 * square / self.width**2), 0.0)


def smooth(
    points: np.ndarray, where: np.ndarray, values: np.ndarray, kernel: Kernel, lower: np.ndarray, period: np.ndarray
) -> np.ndarray:
    """Sum of values (M, K) at places (M, D), each weighted with the kernel of its distance from points (P, D): (P, K).

    Along axes with a period, which is not 0, all images of a place count; ``lower`` (D,) is where the period begins.
    """
    result = np.zeros((len(points), values.shape[1]))
    if not len(points) or not len(where):
        return result
    where, values = _near(points, where, values, kernel.range, lower, period)
    low = points.min(0) - kernel.range
    count = np.floor((points.max(0) - low) / kernel.range).astype(np.int64) + 4  # an empty one on each side
    cell = np.floor((where - low) / kernel.range).astype(np.int64) + 1
    flat = np.ravel_multi_index(tuple(cell.T), tuple(count))
    order = np.argsort(flat, kind="stable")
    flat, where, values = flat[order], where[order], values[order]
    own = np.floor((points - low) / kernel.range).astype(np.int64) + 1
    for shift in itertools.product((-1, 0, 1), repeat=points.shape[1] - 1):  # three cells in a row along the last axis
        row = np.ravel_multi_index(tuple((own + np.array((*shift, 0))).T), tuple(count))
        first, last = np.searchsorted(flat, row - 1), np.searchsorted(flat, row + 1, side="right")
        for part in _parts(last - first):
            some = part[last[part] > first[part]]
            length = (last - first)[some]
            if not len(some):
                continue
            start = np.cumsum(length) - length
            sample = np.repeat(first[some] - start, length) + np.arange(length.sum())
            gap = np.repeat(points[some], length, axis=0) - where[sample]
            weight = kernel((gap * gap).sum(1))
            result[some] += np.add.reduceat(weight[:, None] * values[sample], start)
    return result


def _near(
    points: np.ndarray, where: np.ndarray, values: np.ndarray, reach: float, lower: np.ndarray, period: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Places, with images along axes with a period, that are within reach of the points' bounds; and their values."""
    low, high = points.min(0) - reach, points.max(0) + reach
    for axis in range(points.shape[1]):
        length = period[axis]
        images = (0.0,)
        if length > 0:
            where = where.copy()
            where[:, axis] -= length * np.floor((where[:, axis] - lower[axis]) / length)
            most = (low[axis] - lower[axis] - length) / length, (high[axis] - lower[axis]) / length
            images = length * np.arange(math.floor(most[0]), math.ceil(most[1]) + 1)
        found = [(where[:, axis] + by, by) for by in images]
        rows = [np.flatnonzero((x >= low[axis]) & (x <= high[axis])) for x, _ in found]
        moved = [where[row] + by * np.eye(points.shape[1])[axis] for row, (_, by) in zip(rows, found, strict=True)]
        where, values = np.concatenate(moved), np.concatenate([values[row] for row in rows])
    return where, values


def _parts(counts: np.ndarray) -> Iterator[np.ndarray]:
    """Consecutive points, as many at a time as have some `PAIRS` samples in all."""
    part = np.cumsum(counts) // PAIRS
    yield from np.split(np.arange(len(counts)), np.flatnonzero(np.diff(part)) + 1)
