"""Fast inertial relaxation of overlapping spheres (E. Bitzek et al., Phys. Rev. Lett. 97 (2006) 170201)."""

from __future__ import annotations

import math

import numpy as np

from dem.base import imports, portable
from dem.base.periodic import nearest_image

SWELL = 5e-4  # share by which radii are enlarged while spheres are pushed apart
# largest overlap of enlarged spheres, over the sum of their radii, at which those of the true radii do not touch
ENOUGH = SWELL / (1 + SWELL) * (1 - 1e-6)
SKIN = 0.15  # of the mean diameter: largest distance of surfaces at which a pair is listed
LARGEST_STEP, SMALLEST_STEP, FIRST_STEP = 0.6, 0.02, 0.2  # of time, in units of √(mass/stiffness)


class Relaxation:
    """Relaxation of overlapping spheres by FIRE."""

    word = "sphere"

    def __init__(
        self, radius: np.ndarray, size: np.ndarray, period: np.ndarray, rng: np.random.Generator, columns: int = 3
    ) -> None:
        self._spatial = imports.library("scipy.spatial", extra="tables", purpose="dense packing")
        self._radius, self._size, self._period = radius, size, period
        margin = np.where(period > 0, 0.0, 1.0) * radius[:, None]
        self.x = margin + (size - 2 * margin) * rng.random((len(radius), 3))
        self._v = np.zeros((len(radius), columns))
        self._skin = SKIN * 2 * float(radius.mean())
        self._listed: np.ndarray | None = None
        self._dt, self._mix, self._downhill = FIRST_STEP, 0.25, 0
        self.energy = math.inf

    def _list(self) -> None:
        """Pairs that may overlap before a sphere has moved by half a skin."""
        folded = self.x - self._period * np.floor(self.x / np.where(self._period > 0, self._period, 1.0))
        self.x = folded = np.where((self._period > 0) & (folded >= self._period), 0.0, folded)
        tree = self._spatial.cKDTree(folded, boxsize=self._period)
        reach = 2 * self._radius.max() + self._skin
        i, j = tree.query_pairs(min(reach, 0.499 * self._shortest()), output_type="ndarray").T
        gap = nearest_image(folded[i] - folded[j], self._period)
        near = (gap * gap).sum(1) < (self._radius[i] + self._radius[j] + self._skin) ** 2
        order = np.lexsort((j[near], i[near]))
        self._i, self._j = i[near][order], j[near][order]
        self._listed = self.x.copy()

    def _shortest(self) -> float:
        """Shortest period, or the diagonal of the region."""
        return float(self._period[self._period > 0].min(initial=2 * portable.length(self._size)))

    def _list_if_moved(self) -> None:
        """List pairs at the start and whenever a sphere has moved by half a skin."""
        if self._listed is None or ((self.x - self._listed) ** 2).sum(1).max() > (0.5 * self._skin) ** 2:
            self._list()

    def _forces(self) -> tuple[np.ndarray, float]:
        """Forces of unit springs (N, 3), and the largest overlap over the distance at which they touch."""
        self._list_if_moved()
        gap = nearest_image(self.x[self._i] - self.x[self._j], self._period)
        distance = np.sqrt((gap * gap).sum(1))
        touch = self._radius[self._i] + self._radius[self._j]
        near = distance < touch
        i, j, gap, distance, touch = self._i[near], self._j[near], gap[near], distance[near], touch[near]
        overlap = touch - distance
        push = gap * (overlap / np.maximum(distance, 1e-300))[:, None]
        force = np.empty_like(self.x)
        for k in range(3):
            force[:, k] = np.bincount(i, push[:, k], len(self.x)) - np.bincount(j, push[:, k], len(self.x))
        walled = (self._period == 0)[None, :]
        below = np.where(walled, np.maximum(self._radius[:, None] - self.x, 0.0), 0.0)
        above = np.where(walled, np.maximum(self.x + self._radius[:, None] - self._size, 0.0), 0.0)
        force += below - above
        self.energy = 0.5 * float((overlap * overlap).sum() + (below * below).sum() + (above * above).sum())
        at_wall = float((np.maximum(below, above) / (2 * self._radius[:, None])).max(initial=0.0))
        return force, max(float((overlap / touch).max(initial=0.0)), 2 * at_wall)

    def step(self) -> float:
        """Take a step of FIRE; returns the largest overlap before it, over the distance at which two spheres touch.

        Factors are those of the source, f_inc = 1.1, f_dec = 0.5, f_α = 0.99 and N_min = 5, but for α_start = 0.25.
        """
        force, worst = self._forces()
        if worst < ENOUGH:
            return worst
        if float((force * self._v).sum()) > 0:
            self._downhill += 1
            if self._downhill > 5:
                self._dt, self._mix = min(1.1 * self._dt, LARGEST_STEP), 0.99 * self._mix
        else:
            self._v[:] = 0.0
            self._downhill, self._dt, self._mix = 0, max(0.5 * self._dt, SMALLEST_STEP), 0.25
        self._v += self._dt * force
        pull = float(np.sqrt((force * force).sum()))
        if pull > 0:
            self._v += self._mix * (force * (float(np.sqrt((self._v**2).sum())) / pull) - self._v)
        self._move(self._dt * self._v)
        return worst

    def _move(self, by: np.ndarray) -> None:
        """Displace the spheres by (N, 3)."""
        self.x = self.x + by
