"""Grading of particles: D10, D50 and D90 by mass; shapes of sizes drawn from a distribution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks, portable
from dem.base.notices import Notice, warn
from dem.base.text import counted
from dem.model.particles.sizes import SizeDistribution

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dem.model.shapes.shape import Shape

WIDE = 5.0  # ratio of sizes
FINES = 1e5  # finer than D10 for each one coarser than D90
MISSED = 0.01  # of the mass


class Grading(NamedTuple):
    """Sizes of particles [m]; 10, 50 and 90 % of the mass is finer than ``d10``, ``d50``, ``d90``.

    Attributes
    ----------
    number : int
        Number of particles.
    smallest, largest : float
        Smallest and largest size [m].
    d10, d50, d90 : float
        Sizes up to which particles have 10, 50 and 90 % of the mass [m].
    """

    number: int
    smallest: float
    d10: float
    d50: float
    d90: float
    largest: float

    def __str__(self) -> str:
        """Grading in a line."""
        by_mass = f"D10 {self.d10:.4g}, D50 {self.d50:.4g}, D90 {self.d90:.4g} m"
        return f"{self.smallest:.4g} to {self.largest:.4g} m, by mass {by_mass}"


def grading(diameter: ArrayLike, mass: ArrayLike | None = None) -> Grading:
    """D10, D50 and D90 by mass: the smallest sizes up to which particles have 10, 50 and 90 % of the mass.

    Parameters
    ----------
    diameter : (N,) array
        Sizes [m].
    mass : (N,) array, optional
        [kg]; default: they go with the cube of the size.

    Returns
    -------
    Grading
        ``number``, ``smallest``, ``d10``, ``d50``, ``d90``, ``largest``.

    Raises
    ------
    ValueError
        If there are no particles, sizes that are not positive, or masses of another number of particles.

    Examples
    --------
    >>> grading([1e-3] * 8 + [2e-3])  # half of the mass each
    Grading(number=9, smallest=0.001, d10=0.001, d50=0.001, d90=0.002, largest=0.002)
    >>> print(grading([1e-3] * 8 + [2e-3]))
    0.001 to 0.002 m, by mass D10 0.001, D50 0.001, D90 0.002 m
    """
    d = np.asarray(diameter, dtype=np.float64).ravel()
    if not d.size or not (d > 0).all() or not np.isfinite(d).all():
        raise ValueError(f"diameter has {counted(d.size, 'value')}, expected at least one, all finite and above 0 m")
    order = np.argsort(d, kind="stable")
    weight = d * d * d if mass is None else checks.array("mass", mass, d.shape, "of each particle [kg]", rows="N")
    below = np.cumsum(weight[order])
    rows = np.searchsorted(below, np.array([0.1, 0.5, 0.9]) * below[-1] * (1 - 1e-12))
    return Grading(d.size, float(d.min()), *d[order][rows].tolist(), float(d.max()))


def size_of(shape: Shape) -> float:
    """Size of a shape [m]: its diameter, that of a fibre's spheres; else that of the sphere of the same volume."""
    diameter = getattr(shape, "diameter", None)
    return float(diameter) if diameter else float(portable.cube_root(6 / math.pi * shape.mass_properties(1.0).volume))


def graded(
    shape: Shape,
    sizes: SizeDistribution,
    *,
    number: int | None,
    volume: float | None,
    seed: int = 1,
    stream: int = 0,
) -> list[Shape]:
    """Scaled copies of a shape with sizes drawn by quota: a given number, or a given total volume [m³].

    Raises TypeError if the shape cannot be scaled, or sizes are none; warns of sizes that are far apart, and of those
    of which there is none.
    """
    if not isinstance(sizes, SizeDistribution):
        message = f"sizes is {sizes!r}, expected a distribution such as dem.LogNormalSizes(...), or dem.read_sizes(...)"
        raise TypeError(message)
    if not hasattr(shape, "scaled"):
        raise TypeError(f"sizes need a shape that has a method scaled(factor), which {type(shape).__name__} has not")
    own = size_of(shape)
    if number is None:
        one = shape.mass_properties(1.0).volume * sizes.mean_cube / own**3
        checks.bodies(volume / one)
        number = max(1, round(volume / one))
    checks.bodies(number)
    drawn = sizes.draw(number, seed=seed, stream=stream)
    for notice in notices(sizes, drawn):
        warn(notice)
    made = {size: shape.scaled(size / own) for size in sorted(set(drawn.tolist()))}
    return [made[size] for size in drawn.tolist()]


def notices(sizes: SizeDistribution, drawn: np.ndarray) -> list[Notice]:
    """Statistics of the sizes that were drawn."""
    of_sizes = []
    found = grading(drawn)
    ratio = found.largest / found.smallest
    if ratio > WIDE:
        reason = f"sizes go from {found.smallest:.4g} to {found.largest:.4g} m, a ratio of {ratio:.3g}"
        remedy = (
            "the finest set the time step and the coarsest the cells of the search: cut off ends that do not matter"
        )
        of_sizes.append(Notice("wide-sizes", reason, remedy))
    fines = int((drawn <= found.d10).sum() / max(1, (drawn >= found.d90).sum()))
    if fines > FINES:
        reason = f"there are {fines} particles up to D10 for each one from D90 on"
        of_sizes.append(Notice("many-fines", reason, "cut off the finest, or take more of the mass as coarse"))
    share, needed = sizes.missed(len(drawn))
    if share > MISSED:
        reason = f"{100 * share:.3g} % of the mass is in sizes of which {counted(len(drawn), 'particle')} have none"
        of_sizes.append(Notice("missing-sizes", reason, f"draw some {needed} particles, or leave these sizes out"))
    return of_sizes
