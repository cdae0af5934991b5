"""Dense random places of spheres, beyond what random insertion reaches: overlaps of random points are pushed apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks, compilation, imports, portable
from dem.base.periodic import nearest_image
from dem.base.progress import progress_bar
from dem.base.text import counted
from dem.base.user_classes import hinted
from dem.model.domain.box import AXES, Box
from dem.model.materials import Material
from dem.model.particles.grading import graded
from dem.model.particles.particles import Particles
from dem.model.particles.random_insertion import how_many, region
from dem.model.shapes.shape import Sphere

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.particles.sizes import SizeDistribution

SWELL = 5e-4  # spheres are so much larger while they are pushed apart: what overlaps by less does not touch in the end
ENOUGH = SWELL / (1 + SWELL) * (1 - 1e-6)  # so much of the distance at which the larger ones touch
SKIN = 0.15  # of the mean diameter, by which pairs are listed too early
MOST = 40_000  # steps of the relaxation
LOOK = 1000  # steps in which overlaps must shrink
SHRINK = 0.98
LARGEST_STEP, SMALLEST_STEP, FIRST_STEP = 0.6, 0.02, 0.2  # of time, in units of √(mass/stiffness)


@hinted
def pack_dense(
    shape: Sphere,
    material: Material,
    box: Box | None = None,
    *,
    number: int | None = None,
    solid_fraction: float | None = None,
    sizes: SizeDistribution | None = None,
    lower: Sequence[float] | None = None,
    upper: Sequence[float] | None = None,
    seed: int = 1,
    name: str | None = None,
) -> Particles:
    """Spheres at random places, as dense as random packings are: equal ones up to a solid fraction of 0.63.

    The spheres begin at random points. The energy of their overlaps, Σ δ²/2 over pairs and walls, is minimised until
    none overlap (C. S. O'Hern, L. E. Silbert, A. J. Liu, S. R. Nagel, Phys. Rev. E 68 (2003) 011306), by the fast
    inertial relaxation engine (E. Bitzek et al., Phys. Rev. Lett. 97 (2006) 170201). This succeeds up to random close
    packing, 0.64 for equal spheres far from walls and more for unequal ones, and takes the longer the nearer: 5000
    spheres less than a minute at 0.6, some minutes at 0.63. Next to plane walls spheres lie less densely: a thousand in
    a box of walls jam at 0.6. Below 0.3 `pack` is faster.

    Parameters
    ----------
    shape : Sphere
        Of all particles, but for their sizes.
    material : Material
        Of all particles.
    box : Box, optional
        Where they are to be; its periodic axes count as such if the region spans them.
    number, solid_fraction : int, float
        How many particles, or the volume of all of them over that of the region; one of the two.
    sizes : distribution, optional
        As in `pack`.
    lower, upper : (3,) floats, optional
        Corners of a region in place of the whole box [m]; needed without one.
    seed : int
        Of the random numbers: the same gives the same particles.
    name : str, optional
        Of their kind, as of `Particles`: it keeps apart those of one shape and material that differ in size.

    Returns
    -------
    Particles
        At rest.

    Raises
    ------
    ValueError, TypeError
        For values out of range, other shapes, or if there is no room for so many: they jam.
    ImportError
        If scipy is not installed.

    Examples
    --------
    >>> import dem
    >>> sand = dem.Material(young=5e6, poisson=0.3, density=2500.0)
    >>> box = dem.Box((0, 0, 0), (0.05, 0.05, 0.05), sand, periodic=["x", "y", "z"])
    >>> bed = pack_dense(dem.Sphere(diameter=0.01), sand, box, solid_fraction=0.5)
    >>> len(bed)  # 0.5 of the box over π d³/6
    119
    """
    if not isinstance(shape, Sphere):
        raise TypeError(f"shape is {type(shape).__name__}, expected a dem.Sphere: let others settle in a run")
    checks.of_types(material=(material, Material))
    checks.of_types(optional=True, box=(box, Box))
    low, high = region(lower, upper, box)
    volume = float(np.prod(high - low))
    number, solid_fraction = how_many(number, solid_fraction)
    filled = None if solid_fraction is None else volume * solid_fraction
    seed = checks.whole("seed", seed, least=0)
    if sizes is None:
        count = number or max(1, round(filled / shape.mass_properties(1.0).volume))
        checks.bodies(count)
        shapes = [shape] * count
    else:
        shapes = graded(shape, sizes, number=number, volume=filled, seed=seed)
    period = np.zeros(3)
    if box is not None:
        spans = (low == np.array(box.lower)) & (high == np.array(box.upper))
        period = np.where(spans & [axis in box.periodic for axis in AXES], high - low, 0.0)
    radius = np.array([each.diameter for each in shapes]) / 2
    places = low + relaxed(radius, high - low, period, np.random.default_rng(seed))
    return Particles(shapes, material, position=places, name=name)


def relaxed(radius: np.ndarray, size: np.ndarray, period: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Places (N, 3) [m] from a corner of a region of a size (3,), where spheres with these radii overlap nothing.

    Raises ValueError if they jam before, or one is wider than the region.
    """
    room = np.where(period > 0, 0.5 * size, size) - 2 * radius.max() * (1 + SWELL)
    if not (room > 0).all():
        raise ValueError(
            f"the region of {' x '.join(f'{edge:g}' for edge in size)} m is too narrow for spheres of up to "
            f"{2 * radius.max():g} m: expected more than that, and than twice that along periodic axes"
        )
    state = _Relaxation(radius * (1 + SWELL), size, period, rng)
    first = then = None
    wanted = False if compilation.SILENT else None
    with progress_bar(1.0, lambda n, _: f"{counted(n, 'step')}, overlaps shrink", wanted=wanted, steady=False) as moved:
        done = 0.0
        for step in range(MOST):
            worst = state.step()
            if worst < ENOUGH:
                return state.x
            first = first or worst
            if step % LOOK == LOOK - 1:
                if then is not None and state.energy > SHRINK * then:
                    break
                then = state.energy
            way = min(1.0, max(0.0, math.log(first / worst) / math.log(first / ENOUGH)))
            moved(max(0.0, way - done), 1)
            done = max(done, way)
    filled = (4 / 3 * math.pi * radius * radius * radius).sum() / size.prod()
    raise ValueError(
        f"{counted(len(radius), 'sphere')} jam at a solid fraction of {filled:.4g} in this region, and overlap by up "
        f"to {100 * worst:.2g} % of a diameter: take fewer (equal spheres are at random up to 0.64 far from walls)"
    )


class _Relaxation:
    """Points that push each other apart, by FIRE."""

    def __init__(self, radius: np.ndarray, size: np.ndarray, period: np.ndarray, rng: np.random.Generator) -> None:
        self._spatial = imports.library("scipy.spatial", extra="tables", purpose="dense packing")
        self._radius, self._size, self._period = radius, size, period
        margin = np.where(period > 0, 0.0, 1.0) * radius[:, None]
        self.x = margin + (size - 2 * margin) * rng.random((len(radius), 3))
        self._v = np.zeros_like(self.x)
        self._skin = SKIN * 2 * float(radius.mean())
        self._listed: np.ndarray | None = None
        self._dt, self._mix, self._downhill = FIRST_STEP, 0.25, 0
        self.energy = math.inf

    def _list(self) -> None:
        """Pairs that may overlap before a sphere has moved by half a skin."""
        folded = self.x - self._period * np.floor(self.x / np.where(self._period > 0, self._period, 1.0))
        self.x = folded = np.where((self._period > 0) & (folded >= self._period), 0.0, folded)
        tree = self._spatial.cKDTree(folded, boxsize=self._period)
        reach = 2 * self._radius.max() + self._skin
        i, j = tree.query_pairs(min(reach, 0.499 * self._shortest()), output_type="ndarray").T
        gap = nearest_image(folded[i] - folded[j], self._period)
        near = (gap * gap).sum(1) < (self._radius[i] + self._radius[j] + self._skin) ** 2
        order = np.lexsort((j[near], i[near]))
        self._i, self._j = i[near][order], j[near][order]
        self._listed = self.x.copy()

    def _shortest(self) -> float:
        """Shortest period, or the region's diagonal."""
        return float(self._period[self._period > 0].min(initial=2 * portable.length(self._size)))

    def _forces(self) -> tuple[np.ndarray, float]:
        """Forces of unit springs (N, 3), and the largest overlap over the distance at which they touch."""
        if self._listed is None or ((self.x - self._listed) ** 2).sum(1).max() > (0.5 * self._skin) ** 2:
            self._list()
        gap = nearest_image(self.x[self._i] - self.x[self._j], self._period)
        distance = np.sqrt((gap * gap).sum(1))
        touch = self._radius[self._i] + self._radius[self._j]
        near = distance < touch
        i, j, gap, distance, touch = self._i[near], self._j[near], gap[near], distance[near], touch[near]
        overlap = touch - distance
        push = gap * (overlap / np.maximum(distance, 1e-300))[:, None]
        force = np.empty_like(self.x)
        for k in range(3):
            force[:, k] = np.bincount(i, push[:, k], len(self.x)) - np.bincount(j, push[:, k], len(self.x))
        walled = (self._period == 0)[None, :]
        below = np.where(walled, np.maximum(self._radius[:, None] - self.x, 0.0), 0.0)
        above = np.where(walled, np.maximum(self.x + self._radius[:, None] - self._size, 0.0), 0.0)
        force += below - above
        self.energy = 0.5 * float((overlap * overlap).sum() + (below * below).sum() + (above * above).sum())
        at_wall = float((np.maximum(below, above) / (2 * self._radius[:, None])).max(initial=0.0))
        return force, max(float((overlap / touch).max(initial=0.0)), 2 * at_wall)

    def step(self) -> float:
        """Move all a little; the largest overlap before that, over the distance at which two spheres touch."""
        force, worst = self._forces()
        if worst < ENOUGH:
            return worst
        if float((force * self._v).sum()) > 0:
            self._downhill += 1
            if self._downhill > 5:
                self._dt, self._mix = min(1.1 * self._dt, LARGEST_STEP), 0.99 * self._mix
        else:
            self._v[:] = 0.0
            self._downhill, self._dt, self._mix = 0, max(0.5 * self._dt, SMALLEST_STEP), 0.25
        self._v += self._dt * force
        pull = float(np.sqrt((force * force).sum()))
        if pull > 0:
            self._v += self._mix * (force * (float(np.sqrt((self._v**2).sum())) / pull) - self._v)
        self.x = self.x + self._dt * self._v
        return worst
