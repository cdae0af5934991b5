"""Random places without overlap, by random sequential insertion.

B. Widom, J. Chem. Phys. 44 (1966) 3888. It jams, equal spheres at a solid fraction of 0.38 (S. Torquato, O. U. Uche,
F. H. Stillinger, Phys. Rev. E 74 (2006) 061308); the last few percent would take for ever.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import TYPE_CHECKING, Literal

import numpy as np

from dem.base import checks, compilation
from dem.base.progress import progress_bar
from dem.base.quaternions import UNIT_NORM
from dem.base.text import counted
from dem.base.user_classes import hinted
from dem.kernels.packing import insertion
from dem.model.domain.box import Box
from dem.model.domain.cell import Cell
from dem.model.domain.regions import Region, region_of
from dem.model.materials import Material
from dem.model.particles.grading import graded
from dem.model.particles.particles import Particles
from dem.model.shapes.bodies import Variant, place
from dem.model.shapes.capsule import hull
from dem.model.shapes.shape import AS_GIVEN, Sphere, check_shape, standing
from dem.model.walls.enclosure import inside_of
from dem.model.walls.mesh import Mesh
from dem.model.walls.wall import Wall
from dem.model.walls.wall_clearance import clear_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dem.model.particles.sizes import SizeDistribution
    from dem.model.shapes.shape import Shape

MAX_ATTEMPTS = 200_000  # to one particle
MIN_ATTEMPTS = 20  # to each particle on average, before it is foreseen how many more find a place
MORE_TO_COME = 1.5 / (2 ** (1 / 3) - 1)  # times those of the second half of all tries: by Feder's law, and half as many
JAMMED, MANY = 0.4, 1000  # solid fraction that so many equal spheres never come to one by one: they jam at 0.384
CELLS = 4  # at most so many for each sphere


@hinted
def pack(
    shape: Shape,
    material: Material,
    box: Box | None = None,
    *,
    number: int | None = None,
    solid_fraction: float | None = None,
    scale: tuple[float, float] | None = None,
    sizes: SizeDistribution | None = None,
    lower: Sequence[float] | None = None,
    upper: Sequence[float] | None = None,
    orientation: Sequence[float] | Literal["as-given"] | None = None,
    others: Iterable[Particles] = (),
    walls: Sequence[Wall] = (),
    inside: Wall | None = None,
    seed: int = 1,
    name: str | None = None,
) -> Particles:
    """Particles at random places without overlap with each other, with walls, and with other particles.

    Each is offered places until it overlaps nothing, across periodic faces too. That works to a solid fraction of about
    0.3; denser beds come from letting particles settle, or grow (`Simulation.grow`).

    Parameters
    ----------
    shape : Shape
        Shape of all particles, whose sizes may differ.
    material : Material
        Material of all particles.
    box : Box, optional
        Box that contains the particles, with its periodic axes.
    number, solid_fraction : int, float
        Number of particles, or their volume over that of the region: one of the two.
    scale : two floats, optional
        Sizes are those of the shape times numbers that are evenly spread between these two.
    sizes : distribution, optional
        In place of scale: ``dem.LogNormalSizes(...)`` and the like, `dem.read_sizes`; drawn by quota, see
        `Particles.grading` for what they are.
    lower, upper : (3,) floats, optional
        Corners of a region in place of the whole box [m]; needed without one.
    orientation : (4,) floats, optional
        Unit quaternion of all particles, or ``"as-given"``, as the offsets of a clump were given; default: all
        orientations are equally likely.
    others : list of Particles
        Particles that are there already.
    walls : list of walls
        Beside the box, where they are at time 0; all keep as far from them as the largest of those still to come must.
    inside : wall, optional
        One with a volume, such as a drum or a closed mesh, in which all are to be, with all their spheres; without
        corners or a box the region is what holds it, and `solid_fraction` is of its volume. It needs no place among
        the walls.
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
        For values out of range, or if some particle found no place.

    Warns
    -----
    DemWarning
        If sizes differ much (``wide-sizes``, ``many-fines``), or some have no particle (``missing-sizes``).

    Examples
    --------
    >>> import dem
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), nylon, periodic=["x", "y"])
    >>> balls = pack(dem.Sphere(diameter=0.01), nylon, box, solid_fraction=0.1, scale=(0.8, 1.2))
    >>> fibres = pack(dem.Fibre(diameter=0.005, aspect_ratio=4), nylon, box, number=50, others=[balls])
    >>> sim = dem.Simulation(dem.Particles.concatenate([balls, fibres]), box, time_step="auto")
    >>> sim.energy().elastic
    0.0
    """
    check_shape(shape, 1.0)
    checks.of_types(material=(material, Material))
    checks.of_types(optional=True, box=(box, Box))
    others, walls = checks.of_one_type("others", others, Particles), checks.of_one_type("walls", walls, Wall)
    within, walls = enclosing_region(inside, walls)
    if within is not None and box is None:
        lower, upper = within.lower if lower is None else lower, within.upper if upper is None else upper
    corners = region(lower, upper, box)
    number, solid_fraction = number_or_fraction(number, solid_fraction)
    ends = span(scale, sizes)
    rng = np.random.default_rng(checks.whole("seed", seed, least=0))
    if isinstance(orientation, str):
        checks.one_of("orientation", orientation, (AS_GIVEN,))
        orientation = standing(shape)
    if orientation is not None:
        orientation = checks.array("orientation", orientation, (4,), "unit quaternion, scalar first")
        if abs(np.linalg.norm(orientation) - 1) > UNIT_NORM:
            message = f"orientation has norm {np.linalg.norm(orientation):.6g}, expected 1: divide it by its norm"
            raise ValueError(message)
    volume = float(np.prod(corners[1] - corners[0]))
    volume = volume if within is None else min(volume, within.volume)
    if sizes is None:
        bodies = scaled_shapes(shape, number, solid_fraction, ends, volume, rng)
    else:
        bodies = graded(shape, sizes, number=number, volume=volume * (solid_fraction or 0.0), seed=seed)
    position, turned = scatter(
        bodies, corners, box, others, orientation, rng, walls=walls, inside=within, large_first=sizes is not None
    )
    return Particles(bodies, material, position=position, orientation=turned, name=name)


def enclosing_region(inside: Wall | None, walls: Sequence[Wall]) -> tuple[Region | None, Sequence[Wall]]:
    """Region inside of a wall, None without one; and the walls to avoid, with the wall itself if it is a mesh.

    Raises
    ------
    ValueError, TypeError
        If the wall is none, or encloses no volume.
    """
    if inside is None:
        return None, walls
    if isinstance(inside, Mesh):
        return inside_of(inside), walls if any(wall is inside for wall in walls) else [*walls, inside]
    within = region_of(inside, "inside")
    if within.flat or not np.isfinite([within.lower, within.upper]).all():
        raise ValueError(f"inside is {inside!r}, expected a wall with a volume, such as dem.Cylinder or dem.Ball")
    return within, walls


def number_or_fraction(number: int | None, solid_fraction: float | None) -> tuple[int | None, float | None]:
    """Check that exactly one of number and solid fraction is given, and return both; raises ValueError or TypeError."""
    if (number is None) == (solid_fraction is None):
        raise ValueError("give either number or solid_fraction")
    if number is not None:
        return checks.whole("number", number, least=1), None
    return None, checks.number("solid_fraction", solid_fraction, above=0, most=1)


def span(scale: tuple[float, float] | None, sizes: SizeDistribution | None) -> tuple[float, float]:
    """Checked ends of the scale; raises ValueError if sizes are given as well."""
    if scale is not None and sizes is not None:
        raise ValueError("scale and sizes are both given: leave one out")
    ends = checks.array("scale", (1.0, 1.0) if scale is None else scale, (2,), "smallest and largest factor").tolist()
    low, high = (checks.number("scale", factor, above=0) for factor in ends)
    if low > high:
        raise ValueError(f"scale is {(low, high)}, expected the smaller number first")
    return low, high


def region(
    lower: Sequence[float] | None, upper: Sequence[float] | None, box: Box | None
) -> tuple[np.ndarray, np.ndarray]:
    """Corners (3,), (3,) of the region of insertion [m]; raises ValueError if they enclose no volume."""
    if box is None and (lower is None or upper is None):
        raise ValueError("random needs lower and upper, or a box")
    if isinstance(box, Cell) and np.any(np.array(box.edges) != np.diag(np.diagonal(box.edges))):
        raise ValueError(f"random places need a cell at right angles, and its edges are {box.edges}")
    corners = (box.lower if lower is None else lower, box.upper if upper is None else upper)
    low, high = (checks.array(name, x, (3,), "corner [m]") for name, x in zip(("lower", "upper"), corners, strict=True))
    if not (low < high).all():
        raise ValueError(f"random has the region from {low.tolist()} to {high.tolist()}: lower must be below upper")
    return low, high


def scaled_shapes(
    shape: Shape,
    number: int | None,
    solid_fraction: float | None,
    scale: tuple[float, float],
    volume: float,
    rng: np.random.Generator,
) -> list[Shape]:
    """Scaled shapes: a given number of them, or as many as fill the solid fraction of a volume [m³]."""
    low, high = scale
    unit_volume = shape.mass_properties(1.0).volume
    if number is not None:
        checks.bodies(number)
        factors = rng.uniform(low, high, number)
    else:
        cubes = solid_fraction * volume / unit_volume
        mean = (low + high) * (low**2 + high**2) / 4  # of the cubes of uniform numbers
        checks.bodies(cubes / mean)
        factors = np.empty(0)
        while _cubes(factors).sum() < cubes:
            factors = np.append(factors, rng.uniform(low, high, math.ceil(cubes / mean)))
        factors = factors[: np.argmin(np.abs(np.cumsum(_cubes(factors)) - cubes)) + 1]
    if low == high == 1.0:
        return [shape] * len(factors)
    if not hasattr(shape, "scaled"):
        raise TypeError(f"scale needs a shape that has a method scaled(factor), which {type(shape).__name__} has not")
    return [shape.scaled(factor) for factor in factors.tolist()]


def _cubes(x: np.ndarray) -> np.ndarray:
    return x * x * x


def isotropic(rng: np.random.Generator, n: int) -> np.ndarray:
    """Unit quaternions (n, 4) of uniformly distributed random orientations."""
    q = rng.normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


def scatter(
    bodies: list[Shape],
    corners: tuple[np.ndarray, np.ndarray],
    box: Box | None,
    others: list[Particles],
    orientation: np.ndarray | None,
    rng: np.random.Generator,
    *,
    walls: Sequence[Wall] = (),
    inside: Region | None = None,
    large_first: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Positions (N, 3) [m] and orientations (N, 4) of bodies that overlap neither each other nor other particles.

    They stay inside the corners, but for axes along which those are the ends of a period. Orientations are isotropic,
    or all the one given. Small ones find room between large ones, but not the other way round: `large_first`.

    Raises
    ------
    ValueError
        If one of them found no place, or it is foreseen that not all of them will.
    """
    if large_first:
        order = np.argsort([-shape.mass_properties(1.0).volume for shape in bodies], kind="stable")
        first = [bodies[k] for k in order]
        position, turned = scatter(first, corners, box, others, orientation, rng, walls=walls, inside=inside)
        back = np.argsort(order)
        return position[back], turned[back]
    lower, upper = corners
    _refuse_more_than_fit(bodies, corners)
    periodic = np.array([box is not None and axis in box.periodic for axis in "xyz"])
    around = periodic & (box is not None) & (lower == (box.lower if box else 0)) & (upper == (box.upper if box else 0))
    low, high = np.where(around, -np.inf, lower), np.where(around, np.inf, upper)
    hulls = [hull(body) for body in bodies]
    period = np.where(periodic, np.subtract(box.upper, box.lower), 0.0) if box is not None else np.zeros(3)
    clear = clear_of(walls, hulls, inside, period)
    first = np.concatenate([[0], np.cumsum([len(radii) for _, radii in hulls])])
    offset = np.concatenate([offsets for offsets, _ in hulls]).T.copy()
    size = np.concatenate([radii for _, radii in hulls])
    _refuse_too_large(2 * float(size.max()), high - low)
    taken, number = _occupied_cells(box, corners, periodic, others, size)
    placed, turned = np.empty((3, len(bodies))), np.empty((4, len(bodies)))
    state, so_far = np.array([0, number, 0]), [(0, 0)]
    wanted = False if compilation.SILENT else None
    with progress_bar(
        len(bodies), lambda n, _: f"{counted(n, 'place')} found", wanted=wanted, steady=False, slowing=True
    ) as moved:
        while state[0] < len(bodies):
            (tries, before), offers = so_far[-1], 1024 + 2 * (len(bodies) - int(state[0]))
            position = lower + (upper - lower) * rng.random((offers, 3))
            turns = isotropic(rng, offers) if orientation is None else np.tile(orientation, (offers, 1))
            if clear:
                good = clear.of(position, turns, int(state[0]))
                position, turns = position[good], turns[good]
                state[2] += len(good) - good.sum()
            insertion.insert(
                first, offset, size, low, high, position.T.copy(), turns.T.copy(), taken, placed, turned, state
            )
            so_far.append((tries + offers, int(state[0])))
            moved(state[0] - before, int(state[0]) - before)
            if state[2] > MAX_ATTEMPTS or is_too_full(so_far, len(bodies)):
                raise _no_room(bodies[: state[0]], len(bodies), corners, tries + offers)
    return placed.T.copy(), turned.T.copy()


def _refuse_more_than_fit(bodies: list[Shape], corners: tuple[np.ndarray, np.ndarray]) -> None:
    """Raise ValueError for more equal spheres than random insertion can place, before millions of tries."""
    if len(bodies) < MANY or any(body is not bodies[0] for body in bodies) or not isinstance(bodies[0], Sphere):
        return
    filled = len(bodies) * bodies[0].mass_properties(1.0).volume / float(np.prod(corners[1] - corners[0]))
    if filled > JAMMED:
        raise ValueError(
            f"{len(bodies)} equal spheres would fill the region to a solid fraction of {filled:.3g}, but at random "
            "places they jam at 0.384: take fewer, dem.pack_dense, a lattice, or the last frame of a run in which they "
            "settle"
        )


def _refuse_too_large(widest: float, room: np.ndarray) -> None:
    """Raise ValueError if a sphere is wider than the region (3,) along some axis; infinite across periodic faces."""
    if widest > room.min():
        raise ValueError(
            f"random is to place a sphere of diameter {widest:g} m in a region that is {room.min():g} m wide: is a "
            "unit wrong? Take smaller particles or a larger region"
        )


def is_too_full(so_far: list[tuple[int, int]], wanted: int) -> bool:
    """Whether the expected number of insertions falls short, extrapolated from the tries and insertions so far.

    Equal spheres still to come are as many as one over the cube root of the tries (J. Feder, J. Theor. Biol. 87 (1980)
    237), 3.85 times those that came in the second half of all tries. Half as many again, and what chance may add, are
    not exceeded by fibres and mixtures of sizes either: their last ones come more slowly than `MAX_ATTEMPTS` allows.
    """
    tries, placed = so_far[-1]
    if tries < max(MIN_ATTEMPTS * wanted, MAX_ATTEMPTS):
        return False
    late = placed - so_far[bisect_right(so_far, (tries // 2, wanted)) - 1][1]
    return wanted - placed > MORE_TO_COME * (late + 4 * math.sqrt(late) + 10)


def _no_room(placed: list[Shape], wanted: int, corners: tuple[np.ndarray, np.ndarray], tries: int) -> ValueError:
    """Error message for particles without room."""
    filled = sum(shape.mass_properties(1.0).volume for shape in placed) / np.prod(corners[1] - corners[0])
    if not placed:
        message = (
            f"random found places for 0 of {counted(wanted, 'particle')} in {tries} tries, in a region of "
            f"{' x '.join(f'{edge:g}' for edge in corners[1] - corners[0])} m: walls or others fill it, or particles "
            "are larger than it, then look at units"
        )
        return ValueError(message)
    message = (
        f"random found places for {len(placed)} of {counted(wanted, 'particle')} in {tries} tries, a solid fraction of "
        f"{filled:.2g}, and will not find enough for the rest: take fewer (equal spheres go in to a solid fraction of "
        "about 0.35, long fibres to less), a lattice, or the last frame of a run that settles"
    )
    return ValueError(message)


def _covering_variant(shape: Shape) -> Variant:
    """Spheres around a shape, and its mass properties at a density of 1 kg/m³."""
    volume, mass, _, inertia, _ = shape.mass_properties(1.0)
    return Variant(*hull(shape), volume, mass, np.array(inertia))


def _occupied_cells(
    box: Box | None,
    corners: tuple[np.ndarray, np.ndarray],
    periodic: np.ndarray,
    others: list[Particles],
    size: np.ndarray,
) -> tuple[insertion.Occupied, int]:
    """Linked cells with the spheres of other particles and room for given radii, and the number of spheres in them."""
    lower, upper = (np.array(box.lower), np.array(box.upper)) if box else corners
    clouds = [
        place(p.position, p.orientation, p.variant, [_covering_variant(shape) for shape, _ in p.variants])
        for p in others
    ]
    centre = np.concatenate([np.empty((0, 3)), *(cloud.centres for cloud in clouds)])
    radius = np.concatenate([np.empty(0), *(cloud.radii for cloud in clouds)])
    room = len(radius) + len(size)
    widest = 2.000001 * max(size.max(), radius.max(initial=0.0))
    width = max(widest, (np.prod(upper - lower) / (CELLS * room)) ** (1 / 3))
    cells = np.maximum(1, ((upper - lower) / width).astype(np.int64))
    taken = insertion.Occupied(
        lower=lower, period=np.where(periodic, upper - lower, 0.0), scale=cells / (upper - lower),
        last=np.full(cells, -1), before=np.full(room, -1), centre=np.empty((3, room)), radius=np.empty(room),
    )  # fmt: skip
    insertion.add_spheres(centre.T.copy(), radius, taken)
    return taken, len(radius)
