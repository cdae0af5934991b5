"""Coarse graining with smoothing kernels: density, velocity, stress and granular temperature."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from dem.base import checks
from dem.model.contact.contact_forces import ContactForces
from dem.model.domain.box import axis_number
from dem.statistics.forces import Stress

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dem.model.particles.particles import Particles

CUT = 5.0  # standard deviations of a Gaussian, which is scaled up by 1e-6, 4e-6, 2e-5 in one, two, three dimensions
PAIRS = 2**20  # of points and samples at a time
KERNELS = ("gaussian", "lucy")
LUCY = (5 / 4, 5 / math.pi, 105 / (16 * math.pi))  # in one, two, three dimensions
PAIRED = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))
OF_BODIES = 1 + 3 + len(PAIRED)  # moments: mass, momentum, flux of momentum; those of contacts follow
MOMENTS = OF_BODIES + 9


class Kernel(NamedTuple):
    """Smoothing kernel: a function of the distance with the integral one over space and a finite range."""

    name: str
    width: float  # [m]
    dimensions: int

    @classmethod
    def checked(cls, name: str, width: float, dimensions: int) -> Kernel:
        """Kernel by its name; raises ValueError for an unknown name, or a width that is not positive."""
        return cls(checks.one_of("kernel", name, KERNELS), checks.number("width", width, above=0, unit="m"), dimensions)

    @property
    def range(self) -> float:
        """Distance beyond which the kernel vanishes [m]."""
        return self.width * (CUT if self.name == "gaussian" else 2.0)

    def __call__(self, square: np.ndarray) -> np.ndarray:
        """Values of the kernel at squared distances [m²], per metre to the power of the dimensions."""
        c, d = self.range, self.dimensions
        near = square < c * c
        if self.name == "lucy":
            x = np.sqrt(np.where(near, square, c * c)) / c
            return LUCY[d - 1] / c**d * (1 + 3 * x) * (1 - x) ** 3
        q = CUT / math.sqrt(2)
        kept = {1: math.erf(q), 2: 1 - math.exp(-q * q), 3: math.erf(q) - 2 / math.sqrt(math.pi) * q * math.exp(-q * q)}
        peak = (2 * math.pi * self.width**2) ** (-0.5 * d) / kept[d]
        return np.where(near, peak * np.exp(-0.5 * square / self.width**2), 0.0)


def smooth(
    points: np.ndarray, where: np.ndarray, values: np.ndarray, kernel: Kernel, lower: np.ndarray, period: np.ndarray
) -> np.ndarray:
    """Sums (P, K) at points (P, D) of values (M, K) at places (M, D), weighted with a kernel of the distance.

    Along axes with a period, which is not 0, all images of a place count; ``lower`` (D,) is where the period begins.
    """
    result = np.zeros((len(points), values.shape[1]))
    if not len(points) or not len(where):
        return result
    where, values = _places_in_range(points, where, values, kernel.range, lower, period)
    low = points.min(0) - kernel.range
    count = np.floor((points.max(0) - low) / kernel.range).astype(np.int64) + 4  # an empty one on each side
    cell = np.floor((where - low) / kernel.range).astype(np.int64) + 1
    flat = np.ravel_multi_index(tuple(cell.T), tuple(count))
    order = np.argsort(flat, kind="stable")
    flat, where, values = flat[order], where[order], values[order]
    own = np.floor((points - low) / kernel.range).astype(np.int64) + 1
    for shift in itertools.product((-1, 0, 1), repeat=points.shape[1] - 1):  # three cells in a row along the last axis
        row = np.ravel_multi_index(tuple((own + np.array((*shift, 0))).T), tuple(count))
        first, last = np.searchsorted(flat, row - 1), np.searchsorted(flat, row + 1, side="right")
        for part in _batches(last - first):
            some = part[last[part] > first[part]]
            length = (last - first)[some]
            if not len(some):
                continue
            start = np.cumsum(length) - length
            sample = np.repeat(first[some] - start, length) + np.arange(length.sum())
            gap = np.repeat(points[some], length, axis=0) - where[sample]
            weight = kernel((gap * gap).sum(1))
            result[some] += np.add.reduceat(weight[:, None] * values[sample], start)
    return result


def _places_in_range(
    points: np.ndarray, where: np.ndarray, values: np.ndarray, reach: float, lower: np.ndarray, period: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Places within range of the points' bounds, periodic images included, and their values."""
    low, high = points.min(0) - reach, points.max(0) + reach
    for axis in range(points.shape[1]):
        length = period[axis]
        images = (0.0,)
        if length > 0:
            where = where.copy()
            where[:, axis] -= length * np.floor((where[:, axis] - lower[axis]) / length)
            most = (low[axis] - lower[axis] - length) / length, (high[axis] - lower[axis]) / length
            images = length * np.arange(math.floor(most[0]), math.ceil(most[1]) + 1)
        found = [(where[:, axis] + by, by) for by in images]
        rows = [np.flatnonzero((x >= low[axis]) & (x <= high[axis])) for x, _ in found]
        moved = [where[row] + by * np.eye(points.shape[1])[axis] for row, (_, by) in zip(rows, found, strict=True)]
        where, values = np.concatenate(moved), np.concatenate([values[row] for row in rows])
    return where, values


def _batches(counts: np.ndarray) -> Iterator[np.ndarray]:
    """Batches of consecutive points with about `PAIRS` samples in all."""
    part = np.cumsum(counts) // PAIRS
    yield from np.split(np.arange(len(counts)), np.flatnonzero(np.diff(part)) + 1)


class CoarseFields(NamedTuple):
    """Coarse-grained fields at points; NaN where no particle is in range.

    Attributes
    ----------
    points : (..., D) array
        Coordinates along the resolved axes [m].
    density : (...) array
        Mass over volume [kg/m³].
    velocity : (..., 3) array
        Momentum over mass [m/s].
    stress : Stress
        Contact and kinetic stress (..., 3, 3), positive in compression [Pa].
    temperature : (...) array
        Granular temperature, <|v - V|²>/3 weighted with mass and kernel [m²/s²].
    """

    points: np.ndarray
    density: np.ndarray
    velocity: np.ndarray
    stress: Stress
    temperature: np.ndarray


class FieldPoints(NamedTuple):
    """Points at which coarse-grained fields are computed, and the smoothing kernel."""

    points: np.ndarray  # (..., D) [m]
    axes: tuple[int, ...]  # resolved
    extent: float  # of the box along the others [m^(3 - D)]
    lower: np.ndarray  # (D,) corner of the box [m]
    period: np.ndarray  # (D,) [m], 0 where there is none
    kernel: Kernel

    @classmethod
    def checked(
        cls,
        lower: Sequence[float],
        upper: Sequence[float],
        *,
        width: float,
        axes: str,
        bins: int | Sequence[int],
        points: np.ndarray | None,
        kernel: str,
        periodic: Sequence[str],
    ) -> FieldPoints:
        """Check the arguments of `coarse_fields`; raises ValueError for a wrong one."""
        low, high = (checks.array(name, x, (3,), "corner [m]") for name, x in (("lower", lower), ("upper", upper)))
        checks.number("shortest edge of the box", (high - low).min(), above=0, unit="m")
        chosen = tuple(axis_number(name) for name in axes)
        if not chosen or len(set(chosen)) < len(chosen):
            message = f"axes are {axes!r}, expected one to three of x, y, z, each once"
            raise ValueError(message)
        around = [axis_number(name) for name in periodic]
        size, d = high - low, len(chosen)
        if points is None:
            counts = [bins] * d if np.ndim(bins) == 0 else list(bins)
            if len(counts) != d:
                message = f"bins are {counts}, expected a number, or one for each of {d} axes"
                raise ValueError(message)
            sides = [_bin_centres(low[k], high[k], n) for k, n in zip(chosen, counts, strict=True)]
            points = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1)
        points = checks.array("points", points, (*np.shape(points)[:-1], d), "coordinates along the axes [m]")
        others = [k for k in range(3) if k not in chosen]
        period = np.where([k in around for k in chosen], size[list(chosen)], 0.0)
        of = Kernel.checked(kernel, width, d)
        return cls(points, chosen, float(size[others].prod()), low[list(chosen)], period, of)

    def spread(self, where: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Densities (P, K) at the points of values (M, K) at places (M, 3)."""
        flat = self.points.reshape(-1, len(self.axes))
        near = np.asarray(where, dtype=np.float64)[:, self.axes]
        return smooth(flat, near, values, self.kernel, self.lower, self.period) / self.extent

    def moments(
        self,
        position: np.ndarray,
        velocity: np.ndarray,
        mass: np.ndarray,
        contacts: ContactForces | None,
        about: np.ndarray,
    ) -> np.ndarray:
        """Densities of mass, momentum, momentum flux and contact stress (P, MOMENTS); velocities are less `about`."""
        x, m = np.asarray(position, dtype=np.float64), np.asarray(mass, dtype=np.float64)
        v = np.asarray(velocity, dtype=np.float64) - about
        flux = [m * v[:, a] * v[:, b] for a, b in PAIRED]
        result = np.zeros((self.points[..., 0].size, MOMENTS))
        result[:, :OF_BODIES] = self.spread(x, np.column_stack([m, m[:, None] * v, *flux]))
        if contacts is not None and len(contacts.i):
            result[:, OF_BODIES:] = self._of_contacts(x, contacts)
        return result

    def _of_contacts(self, x: np.ndarray, contacts: ContactForces) -> np.ndarray:
        """Branch vector times force of each contact, spread along the branch (P, 9).

        By Gauss quadrature, with errors of some 1e-6 of a Gaussian kernel and 1e-4 of Lucy's.
        """
        longest = np.linalg.norm(contacts.branch[:, self.axes], axis=1).max()
        nodes, weights = np.polynomial.legendre.leggauss(int(4 + 1.25 * longest / self.kernel.width))
        carried = np.einsum("ka,kb->kab", contacts.branch, contacts.force).reshape(-1, 9)
        start, total = x[contacts.i], 0.0
        for node, weight in zip(0.5 + 0.5 * nodes, 0.5 * weights, strict=True):
            total = total + self.spread(start - node * contacts.branch, weight * carried)
        return total

    def fields(self, moments: np.ndarray, about: np.ndarray) -> CoarseFields:
        """Coarse-grained fields from the densities of mass, momentum and stress."""
        shape = self.points.shape[:-1]
        density, momentum = moments[:, 0], moments[:, 1:4]
        some = density > 0
        mean = np.divide(momentum, density[:, None], out=np.full(momentum.shape, np.nan), where=some[:, None])
        kinetic = np.zeros((len(moments), 3, 3))
        for column, (a, b) in enumerate(PAIRED, start=4):
            about_mean = moments[:, column] - momentum[:, a] * mean[:, b]
            kinetic[:, a, b] = kinetic[:, b, a] = np.where(some, about_mean, 0.0)
        spread = np.maximum(np.trace(kinetic, axis1=1, axis2=2), 0.0)
        temperature = np.divide(spread, 3 * density, out=np.full(len(density), np.nan), where=some)
        contact = moments[:, OF_BODIES:].reshape(-1, 3, 3)
        stress = Stress(contact.reshape(*shape, 3, 3), kinetic.reshape(*shape, 3, 3))
        velocity = (mean + about).reshape(*shape, 3)
        return CoarseFields(self.points, density.reshape(shape), velocity, stress, temperature.reshape(shape))


def _bin_centres(low: float, high: float, bins: int) -> np.ndarray:
    """Centres of equally wide bins."""
    bins = checks.whole("bins", bins, least=1)
    return low + (high - low) * (np.arange(bins) + 0.5) / bins


def coarse_fields(
    position: np.ndarray,
    velocity: np.ndarray,
    mass: np.ndarray,
    lower: Sequence[float],
    upper: Sequence[float],
    *,
    width: float,
    axes: str = "z",
    bins: int | Sequence[int] = 20,
    points: np.ndarray | None = None,
    kernel: str = "gaussian",
    contacts: ContactForces | None = None,
    periodic: Sequence[str] = (),
) -> CoarseFields:
    """Coarse-grained fields along a line, over a plane or in space, exact in mass, momentum and stress.

    With a kernel φ whose integral is one (I. Goldhirsch, Granul. Matter 12 (2010) 239, eqs. 3 to 7, 21 to 29),

        ρ = Σ_n m φ(r - r_n),  ρ V = Σ_n m v φ(r - r_n),
        σ = Σ_n m (v - V)(v - V) φ(r - r_n) + Σ_c l f ∫₀¹ φ(r - r_i + s l) ds,  T = tr σ_kinetic/(3 ρ)

    over bodies n, and contacts c with branch l and force f, at a wall from the point of contact on (T. Weinhart et al.,
    Granul. Matter 14 (2012) 289). Kernels are Gaussian, (2π w²)^(-D/2) exp(-r²/2w²), cut off at 5 w, and Lucy's, in
    proportion to (1 + 3 r/c)(1 - r/c)³ up to c = 2 w, in the D dimensions of the axes; over other axes fields are means
    over the box, and all there is counts, inside or not. Near walls a part of the kernel is beyond them. Widths of a
    radius to a diameter smooth grains out; fields that change within w are smoothed too: in shear the kinetic stress
    has ρ (γ̇ w)² of the mean flow (B. J. Glasser, I. Goldhirsch, Phys. Fluids 13 (2001) 407).

    Parameters
    ----------
    position, velocity, mass : (N, 3), (N, 3), (N,) arrays
        Positions, velocities and masses of all bodies [m, m/s, kg].
    lower, upper : (3,) floats
        Corners of the box [m].
    width : float
        w [m].
    axes : text
        Resolved axes: "z" for a profile, "xz" for a plane, "xyz" for space.
    bins : int, or one for each axis
        Fields are wanted in the middles of so many equal parts of the box.
    points : (..., D) array, optional
        In place of bins: points at which fields are evaluated, by coordinates along the axes [m].
    kernel : "gaussian" or "lucy"
        φ.
    contacts : ContactForces, optional
        From `Simulation.contact_forces` or `Frame.contact_forces`; without them there is no contact stress. Those of
        bonds, `Simulation.bonds.forces` or `Frame.bond_forces`, can be added by `ContactForces.concatenate`.
    periodic : list of axes
        Along which the box repeats.

    Returns
    -------
    CoarseFields
        ``points``, ``density``, ``velocity``, ``stress`` and ``temperature``.

    Raises
    ------
    ValueError
        For an unknown axis or kernel, a width that is not positive, a box without volume, or arrays of other shapes.

    Examples
    --------
    >>> one = coarse_fields([[0.5, 0.5, 0.5]], [[1.0, 0, 0]], [2.0], (0, 0, 0), (1, 1, 1), width=0.1, bins=40)
    >>> round(float(one.density.mean()), 6), one.velocity[20].tolist()  # 2 kg in a cubic metre
    (2.0, [1.0, 0.0, 0.0])
    """
    place = FieldPoints.checked(
        lower, upper, width=width, axes=axes, bins=bins, points=points, kernel=kernel, periodic=periodic
    )
    position, v, mass = checks.per_body(position=(position, 3), velocity=(velocity, 3), mass=(mass, 1))
    about = v.mean(0) if len(v) else np.zeros(3)
    return place.fields(place.moments(position, v, mass, contacts, about), about)


class _BondForces(Protocol):
    """Bonds of a simulation."""

    forces: ContactForces


class _FieldSource(Protocol):
    """Interface that averages of fields need of a simulation."""

    particles: Particles
    bonds: _BondForces | None

    def contact_forces(self) -> ContactForces:
        """Current contacts."""


class FieldAverage:
    """Average of coarse-grained fields during a run, called at intervals with the simulation, without a trajectory.

    Means over time are of the densities of mass, momentum, its flux and the contact stress; velocity is mean momentum
    over mean mass, and kinetic stress and temperature are about that, fluctuations in time included.

    Parameters
    ----------
    lower, upper, width, axes, bins, points, kernel, periodic
        As in `coarse_fields`.
    contacts : bool
        Whether there is contact stress, with that of bonds; hard spheres have none.

    Attributes
    ----------
    count : int
        Moments so far.

    Raises
    ------
    ValueError
        As in `coarse_fields`.

    Examples
    --------
    >>> import dem
    >>> sand = dem.Material(young=5e6, poisson=0.3, density=2500.0)
    >>> grains = dem.Particles(dem.Sphere(diameter=0.01), sand, position=[[0.05, 0.05, 0.02]])
    >>> sim = dem.Simulation(grains, dem.Box((0, 0, 0), (0.1, 0.1, 0.1), sand), time_step=1e-5)
    >>> average = FieldAverage((0, 0, 0), (0.1, 0.1, 0.1), width=0.01, bins=10)
    >>> _ = sim.run(1e-3, every=(20, average))
    >>> average.count, average.mean.density.shape
    (5, (10,))
    """

    def __init__(
        self,
        lower: Sequence[float],
        upper: Sequence[float],
        *,
        width: float,
        axes: str = "z",
        bins: int | Sequence[int] = 20,
        points: np.ndarray | None = None,
        kernel: str = "gaussian",
        periodic: Sequence[str] = (),
        contacts: bool = True,
    ) -> None:
        self._place = FieldPoints.checked(
            lower, upper, width=width, axes=axes, bins=bins, points=points, kernel=kernel, periodic=periodic
        )
        self._with_contacts = contacts
        self._sum = np.zeros((self._place.points[..., 0].size, MOMENTS))
        self._about: np.ndarray | None = None
        self.count = 0

    def __call__(self, sim: _FieldSource) -> None:
        """Add the current state of a simulation."""
        bodies, bonds, contacts = sim.particles, sim.bonds, None
        if self._with_contacts:
            contacts = sim.contact_forces()
            contacts = contacts if bonds is None else ContactForces.concatenate([contacts, bonds.forces])
        self.add(bodies.position, bodies.velocity, bodies.mass, contacts)

    def add(
        self, position: np.ndarray, velocity: np.ndarray, mass: np.ndarray, contacts: ContactForces | None = None
    ) -> None:
        """Add a state, such as a frame, from its arrays."""
        v = np.asarray(velocity, dtype=np.float64)
        if self._about is None:
            self._about = v.mean(0) if len(v) else np.zeros(3)
        self._sum += self._place.moments(position, v, mass, contacts, self._about)
        self.count += 1

    @property
    def mean(self) -> CoarseFields:
        """Averaged fields; raises ValueError if no state was added."""
        if not self.count:
            message = "nothing was averaged yet: run with every=(steps, average)"
            raise ValueError(message)
        return self._place.fields(self._sum / self.count, self._about)
