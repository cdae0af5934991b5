"""Properties that depend on temperature: one number, or a table with linear interpolation between its rows."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from dem.base import checks
from dem.base.text import counted, shown

Property = float | tuple[tuple[float, float], ...]  # or rows of a temperature [K] and the value there


def checked(name: str, given: object, unit: str, *, least: float | None = None) -> Property:
    """Check a property: a number, or a table of two or more rows in the order of their temperatures.

    Values are positive, or at least `least` if that is given.

    Raises
    ------
    ValueError, TypeError
        For anything else.

    Examples
    --------
    >>> checked("conductivity", [[300, 45], [600, 38]], "W/(m K)")
    ((300.0, 45.0), (600.0, 38.0))
    """
    limit = {"above": 0.0} if least is None else {"least": least}
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, (list, tuple)):
        if isinstance(given, Mapping) or callable(given):
            message = f"{name} is {shown(given)}, expected a number [{unit}], or rows of a temperature [K] and a value"
            raise TypeError(message)
        return checks.number(name, given, unit=unit, **limit)
    rows = [tuple(row) if isinstance(row, (list, tuple, np.ndarray)) else (row,) for row in given]
    if len(rows) < 2 or any(len(row) != 2 for row in rows):
        message = (
            f"{name} is a table of {counted(len(rows), 'row')}, expected two or more, each of a temperature [K] and a "
            f"value [{unit}]"
        )
        raise ValueError(message)
    table = tuple(
        (
            checks.number(f"temperature {k} of {name}", t, above=0, unit="K"),
            checks.number(f"value {k} of {name}", value, unit=unit, **limit),
        )
        for k, (t, value) in enumerate(rows)
    )
    for (lower, _), (higher, _) in pairwise(table):
        if not lower < higher:
            message = f"temperatures of {name} are {lower:g} K and then {higher:g} K, expected them to ascend"
            raise ValueError(message)
    return table


def is_table(value: Property | None) -> bool:
    """Whether a property is a table."""
    return isinstance(value, tuple)


def rows_of(value: Property) -> tuple[tuple[float, float], ...]:
    """Rows of temperature [K] and value; one row of a property that is constant."""
    return value if is_table(value) else ((1.0, value),)


def largest(value: Property) -> float:
    """Largest value at any temperature."""
    return max(each for _, each in rows_of(value))


def least(value: Property) -> float:
    """Smallest value at any temperature."""
    return min(each for _, each in rows_of(value))
