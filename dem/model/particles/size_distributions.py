"""Continuous distributions of sizes: uniform, normal, log-normal, Rosin and Rammler's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dem.base import checks, portable
from dem.base.typo_hints import hinted
from dem.model.particles.sizes import SizeDistribution

TAIL = 8.0  # standard deviations that a log-normal distribution without ends is cut at: 1e-15 are beyond
FINEST = 36.0  # -ln of what is coarser than where Rosin and Rammler's is cut off: 2e-16


def check_ends(sizes: SizeDistribution) -> None:
    """Refuse ends that leave nothing between them; raises ValueError naming them."""
    for name in ("lower", "upper"):
        if getattr(sizes, name) is not None or name not in vars(type(sizes)):  # those without a default are needed
            object.__setattr__(sizes, name, checks.number(name, getattr(sizes, name), above=0, unit="m"))
    low, high = sizes.ends()
    if not low < high < math.inf:
        message = f"sizes go from {low:g} m to {high:g} m, expected lower below upper; equal ones need no sizes"
        raise ValueError(message)


@hinted
@dataclass(frozen=True, kw_only=True)
class UniformSizes(SizeDistribution):
    """Sizes evenly spread between two ends, by mass or number.

    By mass the density of number goes as d⁻³, so that half of the mass, not of the particles, is in the upper half.

    Parameters
    ----------
    lower, upper : float
        Ends [m].
    by : "mass" or "number"
        What is evenly spread.

    Raises
    ------
    ValueError
        For ends that are not positive, or not in this order.

    Examples
    --------
    >>> sizes = UniformSizes(lower=1e-3, upper=2e-3)
    >>> round(sizes.quantile(0.5), 6), round(sizes.quantile(0.5, "number"), 6)  # √(2/(1 + 1/4)) = 1.2649
    (0.0015, 0.001265)
    """

    lower: float
    upper: float
    type: ClassVar[str] = "uniform"

    def __post_init__(self) -> None:
        """Check the ends."""
        super().__post_init__()
        check_ends(self)

    def density(self, d: np.ndarray) -> np.ndarray:
        """Relative density at the diameters d, which is constant."""
        return np.ones_like(d)


@hinted
@dataclass(frozen=True, kw_only=True)
class NormalSizes(SizeDistribution):
    """Sizes with the density exp(-(d - μ)²/2 s²) of mass or number between two ends, and none beyond.

    Parameters
    ----------
    mean, deviation : float
        μ and s, of the distribution without ends [m].
    lower, upper : float
        Ends [m], both needed: a normal distribution has sizes below zero.
    by : "mass" or "number"
        What has this density.

    Raises
    ------
    ValueError
        For values out of range, or ends that have next to nothing between them: beyond 6 s from the mean.

    Examples
    --------
    >>> sizes = NormalSizes(mean=2e-3, deviation=2e-4, lower=1.4e-3, upper=2.6e-3)
    >>> round(sizes.quantile(0.5), 6)
    0.002
    """

    mean: float
    deviation: float
    lower: float
    upper: float
    type: ClassVar[str] = "normal"

    def __post_init__(self) -> None:
        """Check all values."""
        super().__post_init__()
        for name in ("mean", "deviation"):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), above=0, unit="m"))
        check_ends(self)
        if max(self.lower - self.mean, self.mean - self.upper) > 6 * self.deviation:
            message = (
                f"sizes from {self.lower:g} m to {self.upper:g} m are all farther than 6 deviations from the mean "
                f"{self.mean:g} m, where there is one in a thousand million: choose ends about the mean"
            )
            raise ValueError(message)

    def density(self, d: np.ndarray) -> np.ndarray:
        """Gauss's."""
        return portable.exp(-0.5 * ((d - self.mean) / self.deviation) ** 2)


@hinted
@dataclass(frozen=True, kw_only=True)
class LogNormalSizes(SizeDistribution):
    """Sizes whose logarithms are normally distributed, by mass or number, with or without ends.

    Of a distribution by mass with the median d_m that by number is log-normal too, with the same σ = ln σ_g and the
    median d_m exp(-3 σ²) (T. Hatch, S. P. Choate, J. Franklin Inst. 207 (1929) 369).

    Parameters
    ----------
    median : float
        Half of the mass, or number, is below, but for the ends [m].
    geometric_deviation : float
        σ_g, above 1: 84 % are below σ_g times the median.
    lower, upper : float, optional
        Ends [m]; without them nothing is cut off, and few coarse particles may be very large.
    by : "mass" or "number"
        What the median is of.

    Raises
    ------
    ValueError
        For values out of range.

    Examples
    --------
    >>> sizes = LogNormalSizes(median=1e-3, geometric_deviation=1.5)
    >>> round(sizes.quantile(0.5, "number"), 6)  # 1e-3 exp(-3 ln² 1.5)
    0.000611
    """

    median: float
    geometric_deviation: float
    lower: float | None = None
    upper: float | None = None
    type: ClassVar[str] = "log-normal"

    def __post_init__(self) -> None:
        """Check all values."""
        super().__post_init__()
        median = checks.number("median", self.median, above=0, unit="m")
        deviation = checks.number("geometric_deviation", self.geometric_deviation, above=1, most=20)
        object.__setattr__(self, "median", median)
        object.__setattr__(self, "geometric_deviation", deviation)
        check_ends(self)

    @property
    def sigma(self) -> float:
        """Standard deviation of ln d."""
        return math.log(self.geometric_deviation)

    def ends(self) -> tuple[float, float]:
        """Smallest and largest size [m], where there are hardly any beyond if none is given."""
        to_number, to_mass = (-3 * self.sigma**2, 0.0) if self.by == "mass" else (0.0, 3 * self.sigma**2)
        low = self.median * math.exp(to_number - TAIL * self.sigma) if self.lower is None else self.lower
        high = self.median * math.exp(to_mass + TAIL * self.sigma) if self.upper is None else self.upper
        return low, high

    def density(self, d: np.ndarray) -> np.ndarray:
        """Relative density at the diameters d: normal density of log d, divided by d."""
        return portable.exp(-0.5 * (portable.log(d / self.median) / self.sigma) ** 2) / d


@hinted
@dataclass(frozen=True, kw_only=True)
class RosinRammlerSizes(SizeDistribution):
    """Sizes of ground matter: 1 - exp(-(d/d')ⁿ) of the mass, or number, is finer than d (also Weibull's).

    P. Rosin, E. Rammler, J. Inst. Fuel 7 (1933) 29. By mass the density of number goes as d^(n - 4) exp(-(d/d')ⁿ), and
    the finest particles are without number unless n > 3; the smallest size must therefore be said. What is finer is
    left out, and the rest has its shares. The median by mass of all is d' (ln 2)^(1/n).

    Parameters
    ----------
    scale : float
        d' [m]: 1/e = 36.8 % of the mass is coarser.
    exponent : float
        n: the larger, the narrower.
    lower : float
        Smallest size [m].
    upper : float, optional
        Largest size [m]; default: where 2e-16 are coarser.
    by : "mass" or "number"
        What the shares are of.

    Raises
    ------
    ValueError
        For values out of range.

    Examples
    --------
    >>> sizes = RosinRammlerSizes(scale=1e-3, exponent=2.0, lower=1e-6)
    >>> round(sizes.quantile(0.5), 6)  # 1e-3 √(ln 2)
    0.000833
    """

    scale: float
    exponent: float
    lower: float
    upper: float | None = None
    type: ClassVar[str] = "rosin-rammler"

    def __post_init__(self) -> None:
        """Check all values."""
        super().__post_init__()
        object.__setattr__(self, "scale", checks.number("scale", self.scale, above=0, unit="m"))
        object.__setattr__(self, "exponent", checks.number("exponent", self.exponent, above=0, most=100))
        check_ends(self)
        if (self.lower / self.scale) ** self.exponent > FINEST:
            message = f"lower is {self.lower:g} m, and nothing is coarser in a distribution of scale {self.scale:g} m"
            raise ValueError(message)

    def ends(self) -> tuple[float, float]:
        """Smallest and largest size [m]."""
        return self.lower, self.scale * FINEST ** (1 / self.exponent) if self.upper is None else self.upper

    def density(self, d: np.ndarray) -> np.ndarray:
        """Of Weibull."""
        x = d / self.scale
        return portable.power(x, self.exponent - 1) * portable.exp(-portable.power(x, self.exponent))


LAWS = (UniformSizes, NormalSizes, LogNormalSizes, RosinRammlerSizes)
