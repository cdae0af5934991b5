"""Distributions of sizes, and how particles are drawn from them: by quota, so that a few hold the distribution too.

A size is the diameter of a sphere, that of the spheres of a fibre, or of the sphere with the volume of another shape;
particles of a distribution are scaled copies of each other, so that masses go with the cube of the size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import numpy as np

from dem.base import checks, portable

if TYPE_CHECKING:
    from collections.abc import Callable

PANELS = 2048  # of a continuous distribution; quantiles are off by less than 1e-5 of the size
NODES, WEIGHTS = portable.gauss(4)
BY = ("mass", "number")
PURPOSE = 5  # of these random numbers among all of a seed: dem.kernels.dsmc has 1 to 4


class Span(NamedTuple):
    """SizeDistribution between two ends, or one size if they are the same."""

    lower: float  # [m]
    upper: float  # [m]
    share: float  # by mass or number, as the distribution says, of all spans; need not sum to one
    density: Callable[[np.ndarray], np.ndarray]  # as the distribution says, by any unit


@dataclass(frozen=True, kw_only=True)
class SizeDistribution:
    """What all distributions of sizes have in common."""

    by: Literal["mass", "number"] = "mass"
    type: ClassVar[str]

    def __post_init__(self) -> None:
        """Check the values, and that there is anything to draw."""
        checks.one_of("by", self.by, BY)

    def ends(self) -> tuple[float, float]:
        """Smallest and largest size of a continuous distribution [m]."""
        return self.lower, self.upper

    def density(self, d: np.ndarray) -> np.ndarray:
        """Density of mass or number of a continuous distribution, as `by` says, at sizes [m], by any unit."""
        raise NotImplementedError

    def spans(self) -> list[Span]:
        """Ranges that are filled by quotas of their own; one for a continuous distribution."""
        return [Span(*self.ends(), 1.0, self.density)]

    def draw(self, number: int, *, seed: int = 1, stream: int = 0) -> np.ndarray:
        """Sizes of so many particles, in random order.

        Each span, such as a class of sieves, gets its share to within one particle (largest remainders), and in a span
        each of n equal shares of the number gets one particle, of the mean volume there: the volume of all is that of
        the distribution. Which comes when is random: with words of Philox from seed, stream and place alone.

        Parameters
        ----------
        number : int
            N.
        seed : int
            Of the order; the sizes are the same for all.
        stream : int
            Number of a part, if particles are drawn in several parts.

        Returns
        -------
        (N,) array
            [m].

        Raises
        ------
        ValueError, TypeError
            For what are no such integers.

        Examples
        --------
        >>> import dem
        >>> sizes = dem.ListedSizes(diameters=(1e-3, 2e-3), shares=(0.2, 0.8))  # by mass: two small ones for a large
        >>> sizes.draw(5, seed=3)
        array([0.002, 0.001, 0.001, 0.001, 0.002])
        """
        number = checks.whole("number", number, least=1)
        key = [checks.whole(name, value, least=0) for name, value in (("seed", seed), ("stream", stream))]
        tables = self._tables()
        shares = np.array([table.number for table in tables])
        counts = largest_remainders(shares / shares.sum(), number)
        sizes = np.concatenate([table.strata(n) for table, n in zip(tables, counts.tolist(), strict=True)])
        words = np.random.Philox(counter=[0, 0, PURPOSE, 0], key=key).random_raw(number)
        return sizes[np.argsort(words, kind="stable")]

    def quantile(self, share: float, by: Literal["mass", "number"] = "mass") -> float:
        """Size [m] that a share of all mass, or number, is finer than: ``quantile(0.5)`` is D50 by mass.

        Raises ValueError unless 0 <= share <= 1.
        """
        share = checks.number("share", share, least=0, most=1)
        tables = self._tables()
        held = np.array([table.volume if checks.one_of("by", by, BY) == "mass" else table.number for table in tables])
        below = np.cumsum(held) / held.sum()
        k = min(int(np.searchsorted(below, share * (1 - 1e-15))), len(tables) - 1)
        rest = (share - (below[k - 1] if k else 0.0)) * held.sum() / held[k]
        return float(tables[k].quantile(min(max(rest, 0.0), 1.0), by))

    @property
    def mean_cube(self) -> float:
        """Mean of the cube of the size over all particles [m³]."""
        tables = self._tables()
        return sum(table.volume for table in tables) / sum(table.number for table in tables)

    def missed(self, number: int) -> tuple[float, int]:
        """Share of the mass that is in spans of which so many particles have none, and how many would have of all."""
        tables = self._tables()
        shares = np.array([table.number for table in tables])
        shares /= shares.sum()
        none = largest_remainders(shares, number) == 0
        volume = np.array([table.volume for table in tables])
        needed = math.ceil(1 / shares[volume > 0].min())
        return float(volume[none].sum() / volume.sum()), needed

    def _tables(self) -> list[_Table]:
        spans = [span for span in self.spans() if span.share > 0]
        largest = max(span.upper for span in spans)
        return [_Table(span, largest, self.by) for span in spans]


class _Table:
    """Numbers and volumes of a span, panel by panel; sizes are in units of the largest one of all spans."""

    def __init__(self, span: Span, unit: float, by: str) -> None:
        self._unit, self._by, self._density = unit, by, span.density
        low, high = span.lower / unit, span.upper / unit
        self._edges = np.array([low]) if low == high else portable.geometric(low, high, PANELS + 1)
        if low == high:
            number = np.array([span.share * (low**-3 if by == "mass" else 1.0)])
            volume = number * low**3
        else:
            number, volume = self._integrals(self._edges)
            said = number.sum() if by == "number" else volume.sum()
            number, volume = number * (span.share / said), volume * (span.share / said)
        self.number, self.volume = float(number.sum()), float(volume.sum()) * unit**3
        self._below = {
            name: np.concatenate([[0.0], np.cumsum(held) / held.sum()])
            for name, held in (("number", number), ("mass", volume))
        }

    def _integrals(self, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Number and volume between neighbouring edges, by Gauss's quadrature over the logarithm of the size."""
        log = portable.log(edges)
        half = 0.5 * np.diff(log)[:, None]
        size = portable.exp(0.5 * (log[1:] + log[:-1])[:, None] + half * NODES)
        said = self._density(size * self._unit) * size * half * WEIGHTS
        if self._by == "mass":
            return (said / (size * size * size)).sum(1), said.sum(1)
        return said.sum(1), (said * size * size * size).sum(1)

    def quantile(self, share: float | np.ndarray, by: str) -> float | np.ndarray:
        """Size [m] below which a share of this span is."""
        if len(self._edges) == 1:
            return self._edges[0] * self._unit
        return portable.exp(np.interp(share, self._below[by], portable.log(self._edges))) * self._unit

    def strata(self, count: int) -> np.ndarray:
        """SizeDistribution (count,) of the mean volume in each of so many equal shares of the number [m]."""
        if len(self._edges) == 1 or not count:
            return np.full(count, self._edges[0] * self._unit)
        cuts = self.quantile(np.arange(1, count) / count, "number") / self._unit
        cuts = np.clip(cuts, self._edges[0] * (1 + 1e-15), self._edges[-1] * (1 - 1e-15))
        edges = np.concatenate([self._edges, cuts])
        order = np.argsort(edges, kind="stable")
        first = np.concatenate([[0], np.flatnonzero(order > PANELS)])
        number, volume = (np.add.reduceat(held, first) for held in self._integrals(edges[order]))
        return portable.cube_root(volume / number) * self._unit


def largest_remainders(shares: np.ndarray, number: int) -> np.ndarray:
    """How many of a number each share gets: the whole part of its quota, and one more for the largest remainders.

    A. Hamilton's method of apportionment (M. L. Balinski, H. P. Young, Fair Representation (1982)).

    Examples
    --------
    >>> largest_remainders(np.array([0.5, 0.3, 0.2]), 7)
    array([4, 2, 1])
    """
    quota = shares * number
    counts = np.floor(quota * (1 + 1e-15)).astype(np.int64)
    order = np.argsort(counts - quota, kind="stable")
    counts[order[: number - counts.sum()]] += 1
    return counts
