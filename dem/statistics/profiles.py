"""Profiles along an axis: solid fraction by slab, height of the surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks
from dem.model.domain.box import AXES
from dem.statistics.slabs import slabs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.shapes.bodies import Spheres


class Profile(NamedTuple):
    """A quantity slab by slab along an axis."""

    edges: np.ndarray  # of the slabs (B + 1,) [m]
    value: np.ndarray  # (B,)

    @property
    def middle(self) -> np.ndarray:
        """Middle of each slab (B,) [m]."""
        return 0.5 * (self.edges[1:] + self.edges[:-1])


def solid_fraction(
    spheres: Spheres,
    lower: Sequence[float],
    upper: Sequence[float],
    *,
    axis: str = "z",
    bins: int = 20,
    volume: np.ndarray | None = None,
    periodic: bool = False,
) -> Profile:
    """Solid fraction of each slab of a box across an axis.

    A sphere of radius R has below the height t over its centre, |t| <= R, the volume π (2 R³/3 + R² t - t³/3), so that
    slabs cut it exactly. Spheres of one body may overlap: with `volume` they are scaled, alike in all slabs, so that
    each body counts with the volume of its union. The sum over slabs is then exact; where within a body the overlaps
    are is smeared out. What bodies in contact have in common counts twice.

    Parameters
    ----------
    spheres : Spheres
        Centres (S, 3), radii (S,), owner (S,), from `Frame.spheres` or ``dem.statistics.Spheres(...)``.
    lower, upper : (3,) floats
        The box [m]; all spheres count, however far to the sides they are.
    axis : "x", "y" or "z"
        Across which the slabs lie.
    bins : int
        Number of slabs, equally thick.
    volume : (N,) array, optional
        Volume of each body [m³]; default: the sum over its spheres.
    periodic : bool
        Whether what leaves the box along the axis comes in on the other side.

    Returns
    -------
    Profile
        ``edges`` (bins + 1,) [m] and ``value`` (bins,), solid volume over volume of the slab.

    Raises
    ------
    ValueError
        For an unknown axis, or a box without volume.

    Examples
    --------
    >>> from dem.statistics import Spheres
    >>> ball = Spheres(np.array([[0.5, 0.5, 0.5]]), np.array([0.5]), np.array([0]))
    >>> solid_fraction(ball, (0, 0, 0), (1, 1, 1), bins=2).value.round(6)  # π/6 each
    array([0.523599, 0.523599])
    """
    across = slabs(lower, upper, axis, bins, periodic=periodic)
    height, radius = across.fold(spheres.centres[:, across.axis]), spheres.radii
    weight = np.ones(len(radius))
    if volume is not None:
        weight = (volume / np.bincount(spheres.owner, 4 / 3 * np.pi * radius**3, len(volume)))[spheres.owner]
    copies = len(across.images)
    height = (height + np.array(across.images)[:, None]).ravel()
    below = _volume_below(across.edges, height, np.tile(radius, copies), np.tile(weight, copies))
    return Profile(across.edges, np.diff(below) / across.volume)


def _volume_below(levels: np.ndarray, height: np.ndarray, radius: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weighted volume of all spheres below each level: of those whole, and of the few that a level cuts."""
    order = np.argsort(height)
    height, radius, weight = height[order], radius[order], weight[order]
    whole = np.concatenate([[0.0], np.cumsum(weight * 4 / 3 * np.pi * radius**3)])
    largest = radius.max(initial=0.0)
    first, last = (np.searchsorted(height, levels + side * largest) for side in (-1, 1))
    total = whole[first]
    for level, (a, b) in enumerate(zip(first, last, strict=True)):
        r = radius[a:b]
        t = np.clip(levels[level] - height[a:b], -r, r)
        total[level] += weight[a:b] @ (np.pi * (2 * r**3 / 3 + r**2 * t - t**3 / 3))
    return total


def height_profile(spheres: Spheres, edges: np.ndarray, *, axis: str = "x", up: str = "z") -> Profile:
    """Height of the surface of a heap: how high spheres reach in each slab across an axis.

    In a slab at the distance d along the axis from a sphere's centre (0 if the centre is in it) that sphere reaches
    up to its centre's height + √(R² - d²): the heap's silhouette, exactly.

    Parameters
    ----------
    spheres : Spheres
        See `solid_fraction`.
    edges : (B + 1,) array
        Of the slabs, ascending [m].
    axis, up : "x", "y" or "z"
        Along which the slabs follow each other, and what is up.

    Returns
    -------
    Profile
        ``value`` (B,) [m]; nan where there is nothing.

    Raises
    ------
    ValueError
        For an unknown axis, or edges that do not ascend.

    Examples
    --------
    >>> from dem.statistics import Spheres
    >>> ball = Spheres(np.array([[0.5, 0, 0]]), np.array([0.5]), np.array([0]))
    >>> height_profile(ball, np.array([0, 0.2, 1, 2])).value  # 0.4 = √(0.5² - 0.3²)
    array([0.4, 0.5, nan])
    """
    along, upwards = (AXES.index(checks.one_of("axis", name, AXES)) for name in (axis, up))
    edges = np.asarray(edges, dtype=np.float64)
    if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all():
        message = f"edges have shape {edges.shape}, expected at least two numbers that ascend"
        raise ValueError(message)
    x, z, r = spheres.centres[:, along], spheres.centres[:, upwards], spheres.radii
    top = np.full(len(edges) - 1, -np.inf)
    first = np.searchsorted(edges, x - r, side="right") - 1
    last = np.searchsorted(edges, x + r, side="left") - 1
    for step in range(int((last - first).max(initial=-1)) + 1):
        slab = first + step
        reached = np.flatnonzero((slab <= last) & (slab >= 0) & (slab < len(top)))
        slab, centre = slab[reached], x[reached]
        d = centre - np.clip(centre, edges[slab], edges[slab + 1])
        np.maximum.at(top, slab, z[reached] + np.sqrt(np.maximum(r[reached] ** 2 - d**2, 0.0)))
    return Profile(edges, np.where(np.isfinite(top), top, np.nan))
