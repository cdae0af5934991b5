"""Size distributions, drawn by quota so that few particles follow the distribution as well.

A size is the diameter of a sphere, that of the spheres of a fibre, or of the sphere with the volume of another shape;
particles of a distribution are scaled copies of each other, so that masses go with the cube of the size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import numpy as np

from dem.base import checks, parsing, portable, units
from dem.base.text import counted, shown
from dem.base.user_classes import hinted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

PANELS = 2048  # of a continuous distribution; quantiles are off by less than 1e-5 of the size
NODES, WEIGHTS = portable.gauss(4)
BY = ("mass", "number")
PURPOSE = 5  # of these random numbers among all of a seed: dem.kernels.dsmc has 1 to 4


class Span(NamedTuple):
    """Range of sizes of a distribution, or a single size if both ends are equal."""

    lower: float  # [m]
    upper: float  # [m]
    share: float  # by mass or number, as the distribution says, of all spans; need not sum to one
    density: Callable[[np.ndarray], np.ndarray]  # as the distribution says, by any unit


@dataclass(frozen=True, kw_only=True)
class SizeDistribution:
    """Base class of all size distributions."""

    by: Literal["mass", "number"] = "mass"
    type: ClassVar[str]

    def __post_init__(self) -> None:
        """Check the values, and that sizes can be drawn."""
        checks.one_of("by", self.by, BY)

    def ends(self) -> tuple[float, float]:
        """Smallest and largest size of a continuous distribution [m]."""
        return self.lower, self.upper

    def density(self, d: np.ndarray) -> np.ndarray:
        """Density of mass or number of a continuous distribution, as `by` says, at sizes [m], by any unit."""
        raise NotImplementedError

    def spans(self) -> list[Span]:
        """Ranges with separate quotas; one for a continuous distribution."""
        return [Span(*self.ends(), 1.0, self.density)]

    def draw(self, number: int, *, seed: int = 1, stream: int = 0) -> np.ndarray:
        """Sizes of a number of particles, in random order.

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
        """Size [m] below which a share of all mass, or number, lies: ``quantile(0.5)`` is D50 by mass.

        Raises ValueError unless 0 <= share <= 1.
        """
        share = checks.number("share", share, least=0, most=1)
        tables = self._tables()
        amount = np.array([table.volume if checks.one_of("by", by, BY) == "mass" else table.number for table in tables])
        below = np.cumsum(amount) / amount.sum()
        k = min(int(np.searchsorted(below, share * (1 - 1e-15))), len(tables) - 1)
        rest = (share - (below[k - 1] if k else 0.0)) * amount.sum() / amount[k]
        return float(tables[k].quantile(min(max(rest, 0.0), 1.0), by))

    @property
    def mean_cube(self) -> float:
        """Mean of the cube of the size over all particles [m³]."""
        tables = self._tables()
        return sum(table.volume for table in tables) / sum(table.number for table in tables)

    def missed(self, number: int) -> tuple[float, int]:
        """Mass fraction of spans without any of a number of particles, and the number that would fill all spans."""
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
            whole = number.sum() if by == "number" else volume.sum()
            number, volume = number * (span.share / whole), volume * (span.share / whole)
        self.number, self.volume = float(number.sum()), float(volume.sum()) * unit**3
        self._below = {
            name: np.concatenate([[0.0], np.cumsum(amounts) / amounts.sum()])
            for name, amounts in (("number", number), ("mass", volume))
        }

    def _integrals(self, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Number and volume between neighbouring edges, by Gauss's quadrature over the logarithm of the size."""
        log = portable.log(edges)
        half = 0.5 * np.diff(log)[:, None]
        size = portable.exp(0.5 * (log[1:] + log[:-1])[:, None] + half * NODES)
        amount = self._density(size * self._unit) * size * half * WEIGHTS
        if self._by == "mass":
            return (amount / (size * size * size)).sum(1), amount.sum(1)
        return amount.sum(1), (amount * size * size * size).sum(1)

    def quantile(self, share: float | np.ndarray, by: str) -> float | np.ndarray:
        """Size [m] below which a share of this span is."""
        if len(self._edges) == 1:
            return self._edges[0] * self._unit
        return portable.exp(np.interp(share, self._below[by], portable.log(self._edges))) * self._unit

    def strata(self, count: int) -> np.ndarray:
        """Sizes (count,) of the mean volume in each of a number of equal shares of the particles [m]."""
        if len(self._edges) == 1 or not count:
            return np.full(count, self._edges[0] * self._unit)
        cuts = self.quantile(np.arange(1, count) / count, "number") / self._unit
        cuts = np.clip(cuts, self._edges[0] * (1 + 1e-15), self._edges[-1] * (1 - 1e-15))
        edges = np.concatenate([self._edges, cuts])
        order = np.argsort(edges, kind="stable")
        first = np.concatenate([[0], np.flatnonzero(order > PANELS)])
        number, volume = (np.add.reduceat(amounts, first) for amounts in self._integrals(edges[order]))
        return portable.cube_root(volume / number) * self._unit


def largest_remainders(shares: np.ndarray, number: int) -> np.ndarray:
    """Numbers for shares by the method of largest remainders: whole parts of quotas, one more for large remainders.

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


TAIL = 8.0  # standard deviations that a log-normal distribution without ends is cut at: 1e-15 are beyond
FINEST = 36.0  # -ln of what is coarser than where Rosin and Rammler's is cut off: 2e-16


def check_ends(sizes: SizeDistribution) -> None:
    """Refuse ends that leave nothing between them; raises ValueError naming them."""
    for name in ("lower", "upper"):
        if getattr(sizes, name) is not None or name not in vars(type(sizes)):  # those without a default are needed
            object.__setattr__(sizes, name, checks.number(name, getattr(sizes, name), above=0, unit="m"))
    low, high = sizes.ends()
    if not low < high < math.inf:
        raise ValueError(f"sizes go from {low:g} m to {high:g} m, expected lower below upper; equal ones need no sizes")


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
        Quantity that is uniformly distributed.

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
        Quantity with this density.

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
            raise ValueError(
                f"sizes from {self.lower:g} m to {self.upper:g} m are all farther than 6 deviations from the mean "
                f"{self.mean:g} m, where there is one in a thousand million: choose ends about the mean"
            )

    def density(self, d: np.ndarray) -> np.ndarray:
        """Relative density at the diameters d: Gaussian."""
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
        Quantity of which the median is given.

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
        """Smallest and largest size [m]; without given ends, sizes beyond which hardly any lie."""
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
        Quantity of which the shares are given.

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
        """Weibull's density of sizes."""
        x = d / self.scale
        return portable.power(x, self.exponent - 1) * portable.exp(-portable.power(x, self.exponent))


LAWS = (UniformSizes, NormalSizes, LogNormalSizes, RosinRammlerSizes)


WHOLE = 1e-6  # how far from one a sum of shares may be
COLUMNS = ("aperture", "diameter", "share", "passing")


def _shares(name: str, given: Sequence[float], count: int) -> tuple[float, ...]:
    """Checked shares that sum to one; raises ValueError naming them."""
    shares = checks.array(name, given, (count,), "parts of the whole")
    if (shares < 0).any() or abs(shares.sum() - 1) > WHOLE:
        worst = f"have {shares.min():g} among them" if (shares < 0).any() else f"sum to {shares.sum():.7g}"
        raise ValueError(f"{name} {worst}, expected parts that are not negative and sum to 1: divide them by their sum")
    return tuple((shares / shares.sum()).tolist())


def _ascending(name: str, given: Sequence[float], least: int) -> tuple[float, ...]:
    """Checked sizes; raises ValueError naming them."""
    sizes = checks.array(name, given, (checks.count_of(name, given),), "ascending sizes [m]")
    if len(sizes) < least or not (sizes >= checks.SMALLEST).all() or not (np.diff(sizes) > 0).all():
        raise ValueError(
            f"{name} are {shown(sizes.tolist())}, expected at least {counted(least, 'size')} above 0 m that ascend"
        )
    return tuple(sizes.tolist())


@hinted
@dataclass(frozen=True, kw_only=True)
class SieveSizes(SizeDistribution):
    """Sizes in classes between sieves, evenly spread over each class by mass, or number.

    By mass the density of number in the class from a to b goes as d⁻³: a share u of its particles is finer than
    [a⁻² - u (a⁻² - b⁻²)]^(-1/2).

    Parameters
    ----------
    apertures : K + 1 floats
        Apertures of the sieves, ascending [m].
    shares : K floats, optional
        Share of all particles that each sieve but the coarsest retains: between its aperture and the next one.
    passing : K + 1 floats, optional
        In place of shares: share of all particles that passes each sieve, from 0 to 1.
    by : "mass" or "number"
        Quantity of which the shares are given.

    Raises
    ------
    ValueError
        For sizes that are not positive or do not ascend, shares that do not sum to one, or mass finer than the finest
        sieve or coarser than the coarsest, whose sizes are unknown.

    Examples
    --------
    >>> sizes = SieveSizes(apertures=(1e-3, 2e-3, 4e-3), passing=(0.0, 0.25, 1.0))
    >>> sizes.shares, round(sizes.quantile(0.5), 7)
    ((0.25, 0.75), 0.0026667)
    >>> sorted(sizes.draw(10).round(6).tolist())[:3]  # of ten, seven are in the finer class
    [0.001029, 0.001092, 0.00117]
    """

    apertures: tuple[float, ...]
    shares: tuple[float, ...] | None = None
    passing: tuple[float, ...] | None = None
    type: ClassVar[str] = "sieve"

    def __post_init__(self) -> None:
        """Check the table, and find shares."""
        super().__post_init__()
        apertures = _ascending("apertures", self.apertures, 2)
        shares, passing = self.shares, self.passing
        if (shares is None) == (passing is None):
            raise ValueError("give either shares or passing of the sieves")
        if shares is None:
            passing = checks.array("passing", passing, (len(apertures),), "what each sieve lets through")
            if abs(passing[0]) > WHOLE or abs(passing[-1] - 1) > WHOLE:
                raise ValueError(
                    f"passing goes from {passing[0]:g} to {passing[-1]:g}, expected 0 to 1: add the apertures that "
                    "nothing, and that all, passes through"
                )
            shares = np.diff(passing)
        object.__setattr__(self, "apertures", apertures)
        object.__setattr__(self, "shares", _shares("shares", shares, len(apertures) - 1))
        object.__setattr__(self, "passing", tuple(np.concatenate([[0.0], np.cumsum(self.shares)]).tolist()))

    def saved(self) -> dict[str, object]:
        """Values of the distribution that files store."""
        return {"apertures": self.apertures, "shares": self.shares, "by": self.by}

    def spans(self) -> list[Span]:
        """Span of sizes of each sieve class."""
        ends = zip(self.apertures[:-1], self.apertures[1:], self.shares, strict=True)
        return [Span(low, high, share, np.ones_like) for low, high, share in ends]


@hinted
@dataclass(frozen=True, kw_only=True)
class ListedSizes(SizeDistribution):
    """A few sizes, and the share of each by mass or number.

    Parameters
    ----------
    diameters : K floats
        Ascending [m].
    shares : K floats
        Share of each diameter.
    by : "mass" or "number"
        Quantity of which the shares are given.

    Raises
    ------
    ValueError
        For sizes that are not positive or do not ascend, or shares that do not sum to one.

    Examples
    --------
    >>> sizes = ListedSizes(diameters=(1e-3, 2e-3), shares=(0.5, 0.5))  # 2 kg in all: eight small ones for a large
    >>> sorted(sizes.draw(9).tolist())[-2:]
    [0.001, 0.002]
    """

    diameters: tuple[float, ...]
    shares: tuple[float, ...]
    type: ClassVar[str] = "list"

    def __post_init__(self) -> None:
        """Check the list."""
        super().__post_init__()
        object.__setattr__(self, "diameters", _ascending("diameters", self.diameters, 1))
        object.__setattr__(self, "shares", _shares("shares", self.shares, len(self.diameters)))

    def spans(self) -> list[Span]:
        """Span of each listed size."""
        return [Span(d, d, share, np.ones_like) for d, share in zip(self.diameters, self.shares, strict=True)]


def read_sizes(path: str | PathLike, *, by: Literal["mass", "number"] = "mass") -> SieveSizes | ListedSizes:
    r"""Distribution of sizes from a table in a CSV file, whose first line names its two columns.

    ``aperture`` and ``passing`` are sieves and what they let through of all; ``aperture`` and ``share`` what each
    retains, which is 0 for the coarsest; ``diameter`` and ``share`` a list of sizes. A unit may follow in brackets:
    ``aperture [mm]``, ``passing [%]``; without one sizes are in metres and shares parts of one. Rows may ascend or
    descend.

    Parameters
    ----------
    path : path
        The file.
    by : "mass" or "number"
        Quantity of which the shares are given.

    Returns
    -------
    SieveSizes or ListedSizes
        The distribution.

    Raises
    ------
    OSError, ValueError
        If there is no such file, or it holds something else.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "sand.csv").write_text("aperture [mm], passing [%]\n1, 0\n2, 40\n4, 100\n")
    ...     read_sizes(Path(folder, "sand.csv")).shares
    (0.4, 0.6)
    """
    path = Path(path)
    columns = _columns(path)
    order = np.argsort(next(iter(columns.values())))
    table = {name: values[order].tolist() for name, values in columns.items()}
    try:
        if "diameter" in table:
            return ListedSizes(diameters=table["diameter"], shares=table["share"], by=by)
        if "passing" in table:
            return SieveSizes(apertures=table["aperture"], passing=table["passing"], by=by)
        if abs(table["share"][-1]) > WHOLE:
            message = f"the coarsest sieve retains {table['share'][-1]:g}, expected 0: add the one that all passes"
            raise ValueError(message)
        return SieveSizes(apertures=table["aperture"], shares=table["share"][:-1], by=by)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _columns(path: Path) -> dict[str, np.ndarray]:
    """The two columns of a table by name, in metres and parts of one, the size first."""
    texts, rows = parsing.read_csv(path)
    heads = [_name_and_unit(path, text) for text in texts]
    names = sorted(name for name, _ in heads)
    if names not in (["aperture", "passing"], ["aperture", "share"], ["diameter", "share"]):
        raise ValueError(
            f"{path} has columns {', '.join(names) or 'of no name'}, expected aperture and passing, aperture and share,"
            " or diameter and share"
        )
    values = parsing.csv_numbers(path, rows, 2)
    found = {name: values[:, k] * factor for k, (name, factor) in enumerate(heads)}
    return {name: found[name] for name in names}


def _name_and_unit(path: Path, text: str) -> tuple[str, float]:
    """Name and unit of a column, in metres or parts of one."""
    bare, bracket, unit = text.strip().partition("[")
    name = checks.one_of(f"column of {path}", bare.strip(), COLUMNS)
    unit = unit.rstrip("] ")
    if not bracket or unit == "1":
        return name, 1.0
    if name in ("aperture", "diameter"):
        return name, units.LENGTH.value(f"1 {unit}")
    if unit != "%":
        raise ValueError(f"{path} has a column {text.strip()}, expected {name} [%], or {name} in parts of one")
    return name, 0.01


TABLES = (SieveSizes, ListedSizes)
