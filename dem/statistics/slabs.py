"""Mean velocity and granular temperature by slab."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks
from dem.model.domain.box import AXES

if TYPE_CHECKING:
    from collections.abc import Sequence


class SlabFlow(NamedTuple):
    """How bodies are spread over slabs, and how they move on average."""

    slab: np.ndarray  # (N,) of each body; the nearest one of those outside
    inside: np.ndarray  # (N,) whether it is in any
    number: np.ndarray  # (B,) bodies
    mass: np.ndarray  # (B,) [kg]
    velocity: np.ndarray  # (B, 3) of the centre of mass [m/s]; zero where there is nothing


class Slabs(NamedTuple):
    """Slabs of a box across an axis."""

    axis: int
    edges: np.ndarray  # (B + 1,) [m]
    volume: float  # of each [m³]
    images: tuple[float, ...]  # where a thing that is folded into the box is once more [m]

    def fold(self, height: np.ndarray) -> np.ndarray:
        """Heights along the axis (...) in the box, if that is periodic [m]."""
        low, high = self.edges[0], self.edges[-1]
        return height - (high - low) * np.floor((height - low) / (high - low)) if len(self.images) > 1 else height

    def flow(self, position: np.ndarray, mass: np.ndarray, velocity: np.ndarray) -> SlabFlow:
        """Which bodies are in which slab, and how they move."""
        height = self.fold(np.asarray(position, dtype=np.float64)[:, self.axis])
        bins, size = len(self.edges) - 1, self.edges[-1] - self.edges[0]
        slab = np.clip(np.floor((height - self.edges[0]) / size * bins), 0, bins - 1).astype(np.int64)
        inside = (height >= self.edges[0]) & (height <= self.edges[-1])
        m = np.where(inside, mass, 0.0)
        total = np.bincount(slab, m, bins)
        momentum = np.stack([np.bincount(slab, m * v, bins) for v in np.asarray(velocity, dtype=np.float64).T], axis=1)
        mean = np.divide(momentum, total[:, None], out=np.zeros((bins, 3)), where=total[:, None] > 0)
        return SlabFlow(slab, inside, np.bincount(slab[inside], minlength=bins), total, mean)


def slabs(lower: Sequence[float], upper: Sequence[float], axis: str, bins: int, *, periodic: bool) -> Slabs:
    """Checked slabs; raises ValueError for an unknown axis, or a box without volume."""
    k = AXES.index(checks.one_of("axis", axis, AXES))
    size = checks.array("upper - lower", np.subtract(upper, lower), (3,), "edges of the box [m]")
    checks.number("shortest edge of the box", size.min(), above=0, unit="m")
    bins = checks.whole("bins", bins, least=1)
    images = (-size[k], 0.0, size[k]) if periodic else (0.0,)
    return Slabs(k, np.linspace(lower[k], upper[k], bins + 1), float(size.prod() / bins), images)


class VelocityProfile(NamedTuple):
    """How bodies move slab by slab; nan where there is none."""

    edges: np.ndarray  # of the slabs (B + 1,) [m]
    velocity: np.ndarray  # (B, 3) of the centre of mass of the bodies in each [m/s]
    temperature: np.ndarray  # (B,) about it [m²/s²], see `granular_temperature`
    number: np.ndarray  # (B,) bodies

    @property
    def middle(self) -> np.ndarray:
        """Middle of each slab (B,) [m]."""
        return 0.5 * (self.edges[1:] + self.edges[:-1])


def velocity_profile(
    position: np.ndarray,
    velocity: np.ndarray,
    mass: np.ndarray,
    lower: Sequence[float],
    upper: Sequence[float],
    *,
    axis: str = "z",
    bins: int = 20,
    periodic: bool = False,
) -> VelocityProfile:
    """Mean velocity and granular temperature of the bodies whose centres are in each slab across an axis.

    Parameters
    ----------
    position, velocity, mass : (N, 3), (N, 3), (N,) arrays
        [m, m/s, kg].
    lower, upper, axis, bins, periodic
        As in `solid_fraction`.

    Returns
    -------
    VelocityProfile
        ``velocity`` (bins, 3) [m/s], ``temperature`` (bins,) [m²/s²] and ``number`` (bins,).

    Raises
    ------
    ValueError
        For an unknown axis, or a box without volume.

    Examples
    --------
    >>> x = [[0.5, 0.5, 0.1], [0.5, 0.5, 0.2], [0.5, 0.5, 0.9]]
    >>> v = [[1.0, 0, 0], [3, 0, 0], [5, 0, 0]]
    >>> flow = velocity_profile(x, v, [1.0, 1, 1], (0, 0, 0), (1, 1, 1), bins=2)
    >>> flow.velocity[:, 0], flow.temperature.round(6)
    (array([2., 5.]), array([0.333333, 0.      ]))
    """
    across = slabs(lower, upper, axis, bins, periodic=periodic)
    flow = across.flow(position, mass, velocity)
    about = np.asarray(velocity) - flow.velocity[flow.slab]
    energy = np.bincount(flow.slab, np.where(flow.inside, mass, 0.0) * (about**2).sum(1), bins)
    some = flow.number > 0
    temperature = np.divide(energy, 3 * flow.mass, out=np.full(bins, np.nan), where=some)
    return VelocityProfile(across.edges, np.where(some[:, None], flow.velocity, np.nan), temperature, flow.number)


def granular_temperature(velocity: np.ndarray, mass: np.ndarray | None = None) -> float:
    """Granular temperature T = <|v - V|²>/3 about the mean velocity V, both weighted with mass if that is given.

    Parameters
    ----------
    velocity : (N, 3) array
        [m/s].
    mass : (N,) array, optional
        [kg].

    Returns
    -------
    float
        [m²/s²].

    Raises
    ------
    ValueError
        If there are no bodies.

    Examples
    --------
    >>> granular_temperature([[1.0, 0, 0], [-1, 0, 0], [0, 2, 0], [0, -2, 0]])  # (1 + 1 + 4 + 4)/12
    0.8333333333333334
    """
    v = np.asarray(velocity, dtype=np.float64)
    if v.ndim != 2 or v.shape[1] != 3 or not len(v):
        message = f"velocity has shape {v.shape}, expected (N, 3) with at least one body"
        raise ValueError(message)
    about = v - np.average(v, axis=0, weights=mass)
    return float(np.average((about**2).sum(1), weights=mass) / 3)
