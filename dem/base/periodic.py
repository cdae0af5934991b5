"""Distances in periodic space."""

from __future__ import annotations

import numpy as np


def nearest_image(gap: np.ndarray, period: np.ndarray) -> np.ndarray:
    """Differences of positions (..., 3) to the nearest images; the period (3,) is 0 along axes that have none.

    Examples
    --------
    >>> nearest_image(np.array([0.75, 0.75, -1.5]), np.array([1.0, 0.0, 1.0]))
    array([-0.25,  0.75,  0.5 ])
    """
    return gap - period * np.round(np.divide(gap, period, out=np.zeros_like(gap), where=period > 0))
