"""Identities of bodies, which never change, and their rows in the user's arrays.

Inside the engine bodies change places (indices), and bring their identities along. Nothing else may take an identity
for an index: identities may have gaps, and need not ascend with the rows.
"""

from __future__ import annotations

import numpy as np


class Numbering:
    """Identities in the order of the user's rows.

    Parameters
    ----------
    identities : (N,) int array
        Identity of each row, all different.

    Examples
    --------
    >>> numbering = Numbering(np.array([40, 7, 12]))
    >>> numbering.rows(np.array([7, 12, 40])).tolist()
    [1, 2, 0]
    >>> numbering.by_row(np.array([7, 12, 40]), np.array([0.7, 1.2, 4.0])).tolist()
    [4.0, 0.7, 1.2]
    """

    def __init__(self, identities: np.ndarray) -> None:
        self.identities = identities
        self._order = np.argsort(identities, kind="stable")
        self._ascending = identities[self._order]
        self._are_rows = bool((identities == np.arange(identities.size)).all())  # as they are at first: no search then

    def rows(self, identities: np.ndarray) -> np.ndarray:
        """Rows of bodies of given identities, each of which must exist."""
        if self._are_rows:
            return identities
        return self._order[np.searchsorted(self._ascending, identities)]

    def by_row(self, identities: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Values (..., N) of all bodies, in an order in which they have the given identities, in that of the rows."""
        result = np.empty_like(values)
        result[..., self.rows(identities)] = values
        return result
