"""Sizes from tables: classes between sieves, or a list of sizes, with shares by mass or number."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from dem.base import checks, csv_rows, units
from dem.base.text import counted, shown
from dem.base.typo_hints import hinted
from dem.model.particles.sizes import SizeDistribution, Span

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

WHOLE = 1e-6  # how far from one a sum of shares may be
COLUMNS = ("aperture", "diameter", "share", "passing")


def _shares(name: str, given: Sequence[float], count: int) -> tuple[float, ...]:
    """Checked shares that sum to one; raises ValueError naming them."""
    shares = checks.array(name, given, (count,), "parts of the whole")
    if (shares < 0).any() or abs(shares.sum() - 1) > WHOLE:
        worst = f"have {shares.min():g} among them" if (shares < 0).any() else f"sum to {shares.sum():.7g}"
        message = f"{name} {worst}, expected parts that are not negative and sum to 1: divide them by their sum"
        raise ValueError(message)
    return tuple((shares / shares.sum()).tolist())


def _ascending(name: str, given: Sequence[float], least: int) -> tuple[float, ...]:
    """Checked sizes; raises ValueError naming them."""
    sizes = checks.array(name, given, (checks.count_of(name, given),), "ascending sizes [m]")
    if len(sizes) < least or not (sizes >= checks.SMALLEST).all() or not (np.diff(sizes) > 0).all():
        message = (
            f"{name} are {shown(sizes.tolist())}, expected at least {counted(least, 'size')} above 0 m that ascend"
        )
        raise ValueError(message)
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
        Of the sieves, ascending [m].
    shares : K floats, optional
        What each sieve but the coarsest retains, of all: the share between its aperture and the next one.
    passing : K + 1 floats, optional
        In place of shares: what each sieve lets through of all, from 0 to 1.
    by : "mass" or "number"
        What the shares are of.

    Raises
    ------
    ValueError
        For sizes that are not positive or do not ascend, shares that do not sum to one, or mass finer than the finest
        sieve or coarser than the coarsest, whose sizes nobody knows.

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
            message = "give either shares or passing of the sieves"
            raise ValueError(message)
        if shares is None:
            passing = checks.array("passing", passing, (len(apertures),), "what each sieve lets through")
            if abs(passing[0]) > WHOLE or abs(passing[-1] - 1) > WHOLE:
                message = (
                    f"passing goes from {passing[0]:g} to {passing[-1]:g}, expected 0 to 1: add the apertures that "
                    "nothing, and that all, passes through"
                )
                raise ValueError(message)
            shares = np.diff(passing)
        object.__setattr__(self, "apertures", apertures)
        object.__setattr__(self, "shares", _shares("shares", shares, len(apertures) - 1))
        object.__setattr__(self, "passing", tuple(np.concatenate([[0.0], np.cumsum(self.shares)]).tolist()))

    def saved(self) -> dict[str, object]:
        """What files keep."""
        return {"apertures": self.apertures, "shares": self.shares, "by": self.by}

    def spans(self) -> list[Span]:
        """One for each class."""
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
        Of each.
    by : "mass" or "number"
        What the shares are of.

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
        """One for each size."""
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
        What the shares are of.

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
        message = f"{path}: {error}"
        raise ValueError(message) from None


def _columns(path: Path) -> dict[str, np.ndarray]:
    """The two columns of a table by name, in metres and parts of one, the size first."""
    texts, rows = csv_rows.read(path)
    heads = [_heading(path, text) for text in texts]
    names = sorted(name for name, _ in heads)
    if names not in (["aperture", "passing"], ["aperture", "share"], ["diameter", "share"]):
        message = (
            f"{path} has columns {', '.join(names) or 'of no name'}, expected aperture and passing, aperture and share,"
            " or diameter and share"
        )
        raise ValueError(message)
    values = csv_rows.numbers(path, rows, 2)
    found = {name: values[:, k] * factor for k, (name, factor) in enumerate(heads)}
    return {name: found[name] for name in names}


def _heading(path: Path, text: str) -> tuple[str, float]:
    """Name and unit of a column, in metres or parts of one."""
    bare, bracket, unit = text.strip().partition("[")
    name = checks.one_of(f"column of {path}", bare.strip(), COLUMNS)
    unit = unit.rstrip("] ")
    if not bracket or unit == "1":
        return name, 1.0
    if name in ("aperture", "diameter"):
        return name, units.LENGTH.value(f"1 {unit}")
    if unit != "%":
        message = f"{path} has a column {text.strip()}, expected {name} [%], or {name} in parts of one"
        raise ValueError(message)
    return name, 0.01


TABLES = (SieveSizes, ListedSizes)
