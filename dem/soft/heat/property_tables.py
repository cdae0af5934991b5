"""Tables of properties by temperature for the kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.heat.temperature_dependence import PropertyTable
from dem.model.temperature_tables import rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.temperature_tables import Property


def table_of(properties: Sequence[Property], scales: Sequence[float]) -> PropertyTable:
    """Properties times scales, as many rows of each as the longest has: the last value is repeated above it."""
    rows = [list(rows_of(each)) for each in properties]
    length = max(len(each) for each in rows)
    for each in rows:
        while len(each) < length:
            each.append((each[-1][0] + 1.0, each[-1][1]))
    temperature, value = np.moveaxis(np.array(rows, float), -1, 0)
    value = value * np.array(scales, float)[:, None]
    parts = 0.5 * (value[:, 1:] + value[:, :-1]) * np.diff(temperature, axis=1)
    first = value[:, :1] * temperature[:, :1]
    integral = np.cumsum(np.concatenate([first, parts], axis=1), axis=1)
    return PropertyTable(*map(np.ascontiguousarray, (temperature, value, integral)))
