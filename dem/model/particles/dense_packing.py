"""Dense random packings of spheres and convex bodies, beyond the density of random insertion.

Overlaps of bodies at random places are pushed apart.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks, compilation
from dem.base.progress import progress_bar
from dem.base.text import counted
from dem.base.user_classes import hinted
from dem.model.domain.box import AXES, Box
from dem.model.materials import Material
from dem.model.particles.convex_relaxation import ConvexRelaxation
from dem.model.particles.grading import graded
from dem.model.particles.particles import Particles
from dem.model.particles.random_insertion import number_or_fraction, region
from dem.model.particles.relaxation import ENOUGH, SWELL, Relaxation
from dem.model.shapes.convex import is_convex
from dem.model.shapes.shape import ConvexShape, Sphere
from dem.model.shapes.spheroid import is_ball

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.particles.sizes import SizeDistribution

MAX_RELAXATION_STEPS = 40_000  # steps of the relaxation
LOOK = 1000  # steps between two looks at the energy of the overlaps
SHRINK = 0.98  # of this energy may be left at the next look; bodies with more left have jammed


@hinted
def pack_dense(
    shape: Sphere | ConvexShape,
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
    """Spheres or convex bodies in a dense random packing, equal spheres up to a solid fraction of 0.63.

    The spheres begin at random points. The energy of their overlaps, Σ δ²/2 over pairs and walls, is minimised until
    none overlap (C. S. O'Hern, L. E. Silbert, A. J. Liu, S. R. Nagel, Phys. Rev. E 68 (2003) 011306), by the fast
    inertial relaxation engine (E. Bitzek et al., Phys. Rev. Lett. 97 (2006) 170201). This succeeds up to random close
    packing, 0.64 for equal spheres far from walls and more for unequal ones, and takes the longer the nearer. Next to
    plane walls spheres lie less densely: a thousand in a box of walls jam at 0.6. Below 0.3 `pack` is faster.

    Convex bodies begin with random orientations, and δ is the overlap of their contacts (`docs/convex.md`); forces and
    torques are the gradient of the same energy, which is minimised by the heavy-ball method. Ellipsoids of axes
    1.25 : 1 : 0.8 are packed up to 0.70 in this way, Platonic solids up to 0.6.

    Parameters
    ----------
    shape : Sphere or convex shape
        Shape of all particles, whose sizes may differ.
    material : Material
        Material of all particles.
    box : Box, optional
        Box that contains the region. An axis is periodic if it is one of the box and the region spans it.
    number, solid_fraction : int, float
        Number of particles, or their volume over that of the region: one of the two.
    sizes : distribution, optional
        As in `pack`.
    lower, upper : (3,) floats, optional
        Corners of a region in place of the whole box [m]; needed without one.
    seed : int
        Seed of the random numbers: the same seed gives the same particles.
    name : str, optional
        Name of their kind, see `Particles`; it distinguishes kinds of one shape and material.

    Returns
    -------
    Particles
        The particles, at rest.

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
    if not (isinstance(shape, Sphere | ConvexShape) or is_convex(shape)):
        name = type(shape).__name__
        raise TypeError(f"shape is {name}, expected a dem.Sphere or a convex shape: let others settle in a run")
    checks.of_types(material=(material, Material))
    checks.of_types(optional=True, box=(box, Box))
    low, high = region(lower, upper, box)
    volume = float(np.prod(high - low))
    number, solid_fraction = number_or_fraction(number, solid_fraction)
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
    size, rng = high - low, np.random.default_rng(seed)
    if is_ball(shape):
        radius = np.array([each.radii[0] for each in shapes])
        check_room(radius, size, period)
        state = relaxed(Relaxation(radius * (1 + SWELL), size, period, rng), radius, size)
        return Particles(shapes, material, position=low + state.x, name=name)
    check_room(np.array([float(each.radii[0]) for each in shapes]), size, period)
    larger = {id(each): each.scaled(1 + SWELL) for each in shapes}
    alike = np.array([each.mass_properties(1.0).volume / (4 / 3 * math.pi) for each in shapes]) ** (1 / 3)
    state = relaxed(ConvexRelaxation([larger[id(each)] for each in shapes], size, period, rng), alike, size)
    return Particles(shapes, material, position=low + state.x, orientation=state.q, name=name)


def check_room(radius: np.ndarray, size: np.ndarray, period: np.ndarray) -> None:
    """Refuse a region of a size (3,) that is narrower than spheres of these radii."""
    room = np.where(period > 0, 0.5 * size, size) - 2 * radius.max() * (1 + SWELL)
    if not (room > 0).all():
        raise ValueError(
            f"the region of {' x '.join(f'{edge:g}' for edge in size)} m is too narrow for spheres of up to "
            f"{2 * radius.max():g} m: expected more than that, and than twice that along periodic axes"
        )


def relaxed(state: Relaxation, radius: np.ndarray, size: np.ndarray) -> Relaxation:
    """Relax spheres or bodies until they overlap nothing; radii [m]: of the spheres, or of spheres of equal volume.

    Raises ValueError if they jam before.
    """
    first = then = None
    wanted = False if compilation.SILENT else None
    with progress_bar(1.0, lambda n, _: f"{counted(n, 'step')}, overlaps shrink", wanted=wanted, steady=False) as moved:
        done = 0.0
        for step in range(MAX_RELAXATION_STEPS):
            worst = state.step()
            if worst < ENOUGH:
                return state
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
        f"{counted(len(radius), state.word)} jam at a solid fraction of {filled:.4g} in this region, and overlap by up "
        f"to {100 * worst:.2g} % of a diameter: take fewer (equal spheres are at random up to 0.64 far from walls)"
    )
