"""Numbers of contacts by geometry."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks, imports
from dem.base.periodic import nearest_image

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.shapes.bodies import Spheres

NO_WALLS = ((-np.inf,) * 3, (np.inf,) * 3)


class ContactNumbers(NamedTuple):
    """How many others each body touches."""

    bodies: np.ndarray  # (N,) other bodies, however many spheres meet
    walls: np.ndarray  # (N,)


def contact_numbers(
    spheres: Spheres,
    tolerance: float = 0.0,
    *,
    walls: tuple[Sequence[float], Sequence[float]] = NO_WALLS,
    period: Sequence[float] = (0.0, 0.0, 0.0),
) -> ContactNumbers:
    """Number of other bodies and of walls that each body touches.

    Two bodies touch if somewhere a sphere of one and a sphere of the other are no farther apart than |x_i - x_j| <=
    R_i + R_j + tolerance; a sphere touches a wall at a distance of R + tolerance or less. The mean of ``bodies`` is
    the coordination number. Neighbours come from a k-d tree (scipy), within the largest diameter.

    Parameters
    ----------
    spheres : Spheres
        Centres (S, 3), radii (S,) [m], owner (S,): numbers of the N bodies from 0.
    tolerance : float
        Gap that still counts as contact [m].
    walls : two (3,) floats
        Lower and upper walls [m]; infinite where there is none.
    period : (3,) floats
        Length of the box along its periodic axes [m], 0 along the others.

    Returns
    -------
    ContactNumbers
        ``bodies`` and ``walls``, (N,) each.

    Raises
    ------
    ValueError
        If the tolerance is no finite number, or a period shorter than twice the reach of contacts.
    ImportError
        If scipy is not installed.

    Examples
    --------
    >>> from dem.statistics import Spheres
    >>> row = Spheres(np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]]), np.full(3, 0.5), np.arange(3))
    >>> contact_numbers(row, 1e-9, walls=((-0.5, -9, -9), (9, 9, 9)))
    ContactNumbers(bodies=array([1, 2, 1]), walls=array([1, 0, 0]))
    """
    tolerance = checks.number("tolerance", tolerance, unit="m")
    x, radius, owner = spheres
    count = int(owner.max(initial=-1)) + 1
    pairs = _touching(x, radius, tolerance, np.asarray(period, dtype=np.float64))
    i, j = np.sort(owner[pairs], axis=1).T
    met = np.unique((i * count + j)[i != j])
    bodies = np.bincount(met // max(count, 1), minlength=count) + np.bincount(met % max(count, 1), minlength=count)
    gap = np.stack([x - walls[0], np.asarray(walls[1]) - x], axis=-1) - radius[:, None, None]
    touched = np.zeros((count, 3, 2), dtype=bool)
    sphere, axis, side = np.nonzero(gap <= tolerance)
    touched[owner[sphere], axis, side] = True
    return ContactNumbers(bodies, touched.sum((1, 2)))


def _touching(x: np.ndarray, radius: np.ndarray, tolerance: float, period: np.ndarray) -> np.ndarray:
    """Pairs of spheres (K, 2) that touch."""
    spatial = imports.library("scipy.spatial", extra="tables", purpose="contact numbers")
    reach = 2 * radius.max(initial=0.0) + tolerance
    if (short := period[(period > 0) & (period < 2 * reach)]).size:
        message = f"a period of {short[0]:g} m is short, expected at least {2 * reach:g} m: twice the reach of contacts"
        raise ValueError(message)
    if not len(x) or reach < 0:
        return np.zeros((0, 2), dtype=np.int64)
    safe = np.where(period > 0, period, 1.0)
    folded = np.where(period > 0, x - safe * np.floor(x / safe), x)
    folded = np.where((period > 0) & (folded >= period), 0.0, folded)  # a tiny negative x is rounded up to the period
    pairs = spatial.cKDTree(folded, boxsize=period).query_pairs(reach * (1 + 1e-9), output_type="ndarray")
    i, j = pairs.T
    gap = nearest_image(folded[i] - folded[j], period)
    return pairs[np.linalg.norm(gap, axis=1) <= radius[i] + radius[j] + tolerance]
