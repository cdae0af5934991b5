"""Shapes and sizes of the particles that an inserter inserts: a list by quota, in a new random order each time.

All shapes and sizes are known before a run begins, so that tables of kinds, cells and time step need not change. The
list has a thousand samples, or as many as will ever be inserted, with the shares by quota; when it is used up it is
shuffled anew. The sample of the k-th particle, and its velocity, follow from the seed and k alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.base import portable
from dem.kernels.packing import insertion_round
from dem.model.particles.grading import Grading, grading, size_of
from dem.model.particles.sizes import largest_remainders
from dem.model.shapes.shape import AS_GIVEN, standing

if TYPE_CHECKING:
    from dem.model.insertion import Inserter
    from dem.model.materials import Material
    from dem.model.shapes.shape import Shape

SAMPLES, MOST_SAMPLES = 1000, 4096  # of a list; of one that is used once only
SHUFFLING, PLACING, VELOCITY = (
    6,
    7,
    8,
)  # purposes of these random numbers among all of a seed: `dem.model.particles.sizes` has 5


class SizeSampler:
    """Shapes and sizes of an inserter, and the random numbers of its particles; `stream` tells equal seeds apart."""

    def __init__(self, inserter: Inserter, stream: int) -> None:
        self.inserter, self._stream = inserter, stream
        counts = self._counts()
        samples: list[tuple[Shape, Material]] = []
        for shape, material, sizes, count in zip(
            inserter.shape, inserter.material, inserter.sizes, counts, strict=True
        ):
            if sizes is None:
                samples += [(shape, material)] * count
            elif count:
                drawn = sizes.draw(count, seed=inserter.seed).tolist()
                samples += [(shape.scaled(size / size_of(shape)), material) for size in drawn]
        distinct = dict.fromkeys(samples)
        self.shapes = list(distinct)
        number = {sample: k for k, sample in enumerate(distinct)}
        self._variant = np.array([number[sample] for sample in samples])
        properties = [shape.mass_properties(material.density) for shape, material in self.shapes]
        self.mass = np.array([each.mass for each in properties])
        self.volume = np.array([each.volume for each in properties])
        self.size = np.array([size_of(shape) for shape, _ in self.shapes])
        self.bound = np.array([
            (np.linalg.norm(shape.offsets, axis=1) + shape.radii).max() for shape, _ in self.shapes
        ])  # fmt: skip
        self._shuffled = -1, self._variant

    def _counts(self) -> list[int]:
        """Number of samples of each shape."""
        inserter = self.inserter
        mass = np.array([
            shape.mass_properties(material.density).mass * (sizes.mean_cube / size_of(shape) ** 3 if sizes else 1.0)
            for shape, material, sizes in zip(inserter.shape, inserter.material, inserter.sizes, strict=True)
        ])  # fmt: skip
        shares = np.array(inserter.shares) / (mass if inserter.by == "mass" else 1.0)
        if len(mass) == 1 and inserter.sizes[0] is None:
            return [1]
        few = inserter.number if inserter.number and inserter.number <= MOST_SAMPLES else SAMPLES
        return largest_remainders(shares / shares.sum(), few).tolist()

    @property
    def mean_mass(self) -> float:
        """Mean mass of a particle [kg]."""
        return float(self.mass[self._variant].mean())

    @property
    def mean_volume(self) -> float:
        """Mean volume of a particle [m³]."""
        return float(self.volume[self._variant].mean())

    def _order(self, cycle: int) -> np.ndarray:
        """The samples in their order in this cycle through the list."""
        if self._shuffled[0] != cycle:
            key = [self.inserter.seed, self._stream]
            words = np.random.Philox(counter=[0, cycle, SHUFFLING, 0], key=key).random_raw(self._variant.size)
            self._shuffled = cycle, self._variant[np.argsort(words, kind="stable")]
        return self._shuffled[1]

    def sampled(self, numbers: np.ndarray) -> np.ndarray:
        """Index into `shapes` of particles (K,), by their numbers from 0 on."""
        found, cycles = np.empty(numbers.size, np.int64), numbers // self._variant.size
        for cycle in np.unique(cycles):
            found[cycles == cycle] = self._order(int(cycle))[numbers[cycles == cycle] % self._variant.size]
        return found

    def number_of(self, mass: float) -> int:
        """Number of first particles whose mass comes closest to a given one [kg]."""
        whole = self.mass[self._variant].sum()
        cycle = math.floor(mass / whole)
        own = self.mass[self._order(cycle)]
        return cycle * self._variant.size + int(
            np.searchsorted(np.cumsum(own) - 0.5 * own, mass - cycle * whole, "right")
        )

    def grading(self, counts: np.ndarray) -> Grading | None:
        """Sizes of so many of each of `shapes`; None if there are none."""
        if not counts.any():
            return None
        found = grading(
            np.repeat(self.size, np.minimum(counts, 1)), np.repeat(counts * self.mass, np.minimum(counts, 1))
        )
        return found._replace(number=int(counts.sum()))

    def uniforms(self, purpose: int, numbers: np.ndarray, event: int, draw: np.ndarray) -> np.ndarray:
        """Four numbers from 0 to 1 for each (K, 4), of these draws (K,) of these particles (K,) in an event."""
        out = np.empty((4, numbers.size))
        insertion_round.draw(purpose, self.inserter.seed, self._stream, event, numbers, draw.astype(np.int64), out)
        return out.T

    def offers(self, numbers: np.ndarray, event: int, first: int, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Places in the unit cube, and orientations, (K count, 3) and (K count, 4): tries from `first` on."""
        who = np.repeat(numbers, count)
        tries = 2 * np.tile(np.arange(first, first + count), numbers.size)
        place = self.uniforms(PLACING, who, event, tries)[:, :3]
        if self.inserter.orientation == AS_GIVEN:
            return place, np.array([standing(shape) for shape, _ in self.shapes])[self.sampled(who)]
        if self.inserter.orientation is not None:
            return place, np.tile(self.inserter.orientation, (who.size, 1))
        return place, turned(self.uniforms(PLACING, who, event, tries + 1))

    def velocities(self, numbers: np.ndarray) -> np.ndarray:
        """Initial velocities of these particles (K, 3) [m/s]."""
        mean, spread = np.array(self.inserter.velocity), self.inserter.spread
        if not spread:
            return np.tile(mean, (numbers.size, 1))
        u = self.uniforms(VELOCITY, numbers, 0, np.zeros(numbers.size))
        far = np.sqrt(-2 * portable.log(u[:, [0, 2]]))  # Box & Muller, see `dem.kernels.numerics.random`
        angle = 2 * math.pi * u[:, [1, 3]]
        return mean + spread * np.stack([far[:, 0] * np.cos(angle[:, 0]), far[:, 0] * np.sin(angle[:, 0]),
                                         far[:, 1] * np.cos(angle[:, 1])], axis=1)  # fmt: skip


def turned(u: np.ndarray) -> np.ndarray:
    """Unit quaternions (K, 4) of which all are equally likely, of uniform numbers (K, 3 or more).

    K. Shoemake, in D. Kirk (ed.), Graphics Gems III (1992) 124.
    """
    a, b = np.sqrt(1 - u[:, 0]), np.sqrt(u[:, 0])
    s, t = 2 * math.pi * u[:, 1], 2 * math.pi * u[:, 2]
    q = np.stack([b * np.cos(t), a * np.sin(s), a * np.cos(s), b * np.sin(t)], axis=1)
    return q / np.linalg.norm(q, axis=1)[:, None]
