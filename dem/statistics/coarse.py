"""Coarse graining: density, velocity, stress and granular temperature from bodies and contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from dem.base import checks
from dem.model.domain.box import AXES
from dem.statistics.forces import Stress
from dem.statistics.smoothing import Kernel, smooth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.contact.contact_forces import ContactForces
    from dem.model.particles.particles import Particles

PAIRED = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))
OF_BODIES = 1 + 3 + len(PAIRED)  # moments: mass, momentum, flux of momentum; those of contacts follow
MOMENTS = OF_BODIES + 9


class CoarseFields(NamedTuple):
    """Fields at points; nan where nothing is near enough."""

    points: np.ndarray  # (..., D), coordinates along the resolved axes [m]
    density: np.ndarray  # (...) mass over volume [kg/m³]
    velocity: np.ndarray  # (..., 3) momentum over mass [m/s]
    stress: Stress  # contact and kinetic, (..., 3, 3), positive in compression [Pa]
    temperature: np.ndarray  # (...) granular, <|v - V|²>/3 weighted with mass and kernel [m²/s²]


class FieldPoints(NamedTuple):
    """Where fields are wanted, and how smooth."""

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
        """From what users say, see `coarse_fields`; raises ValueError naming what is wrong."""
        low, high = (checks.array(name, x, (3,), "corner [m]") for name, x in (("lower", lower), ("upper", upper)))
        checks.number("shortest edge of the box", (high - low).min(), above=0, unit="m")
        chosen = tuple(AXES.index(checks.one_of("axis", name, AXES)) for name in axes)
        if not chosen or len(set(chosen)) < len(chosen):
            message = f"axes are {axes!r}, expected one to three of x, y, z, each once"
            raise ValueError(message)
        around = [AXES.index(checks.one_of("axis", name, AXES)) for name in periodic]
        size, d = high - low, len(chosen)
        if points is None:
            counts = [bins] * d if np.ndim(bins) == 0 else list(bins)
            if len(counts) != d:
                message = f"bins are {counts}, expected a number, or one for each of {d} axes"
                raise ValueError(message)
            sides = [_middles(low[k], high[k], n) for k, n in zip(chosen, counts, strict=True)]
            points = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1)
        points = checks.array("points", points, (*np.shape(points)[:-1], d), "coordinates along the axes [m]")
        others = [k for k in range(3) if k not in chosen]
        period = np.where([k in around for k in chosen], size[list(chosen)], 0.0)
        of = Kernel.checked(kernel, width, d)
        return cls(points, chosen, float(size[others].prod()), low[list(chosen)], period, of)

    def spread(self, where: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Values (M, K) at places (M, 3) as densities at the points (P, K)."""
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
        """Densities of mass, momentum, its flux, and what contacts carry (P, MOMENTS); velocities less `about`."""
        x, m = np.asarray(position, dtype=np.float64), np.asarray(mass, dtype=np.float64)
        v = np.asarray(velocity, dtype=np.float64) - about
        flux = [m * v[:, a] * v[:, b] for a, b in PAIRED]
        result = np.zeros((self.points[..., 0].size, MOMENTS))
        result[:, :OF_BODIES] = self.spread(x, np.column_stack([m, m[:, None] * v, *flux]))
        if contacts is not None and len(contacts.i):
            result[:, OF_BODIES:] = self._of_contacts(x, contacts)
        return result

    def _of_contacts(self, x: np.ndarray, contacts: ContactForces) -> np.ndarray:
        """Branch times force of each contact, spread evenly over its branch (P, 9); by Gauss's nodes, to 1e-6."""
        longest = np.linalg.norm(contacts.branch[:, self.axes], axis=1).max()
        nodes, weights = np.polynomial.legendre.leggauss(int(4 + 1.25 * longest / self.kernel.width))
        carried = np.einsum("ka,kb->kab", contacts.branch, contacts.force).reshape(-1, 9)
        start, total = x[contacts.i], 0.0
        for node, weight in zip(0.5 + 0.5 * nodes, 0.5 * weights, strict=True):
            total = total + self.spread(start - node * contacts.branch, weight * carried)
        return total

    def fields(self, moments: np.ndarray, about: np.ndarray) -> CoarseFields:
        """What moments say."""
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


def _middles(low: float, high: float, bins: int) -> np.ndarray:
    """Middles of equal parts."""
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
        Of all bodies [m, m/s, kg].
    lower, upper : (3,) floats
        Corners of the box [m].
    width : float
        w [m].
    axes : text
        Resolved axes: "z" for a profile, "xz" for a plane, "xyz" for space.
    bins : int, or one for each axis
        Fields are wanted in the middles of so many equal parts of the box.
    points : (..., D) array, optional
        In place of bins: where, by coordinates along the axes [m].
    kernel : "gaussian" or "lucy"
        φ.
    contacts : ContactForces, optional
        From `Simulation.contact_forces` or `Frame.contact_forces`; without them there is no contact stress.
    periodic : list of axes
        Along which the box repeats.

    Returns
    -------
    CoarseFields
        ``points``, ``density``, ``velocity``, ``stress`` and ``temperature``.

    Raises
    ------
    ValueError
        For an unknown axis or kernel, a width that is not positive, or a box without volume.

    Examples
    --------
    >>> one = coarse_fields([[0.5, 0.5, 0.5]], [[1.0, 0, 0]], [2.0], (0, 0, 0), (1, 1, 1), width=0.1, bins=40)
    >>> round(float(one.density.mean()), 6), one.velocity[20].tolist()  # 2 kg in a cubic metre
    (2.0, [1.0, 0.0, 0.0])
    """
    place = FieldPoints.checked(
        lower, upper, width=width, axes=axes, bins=bins, points=points, kernel=kernel, periodic=periodic
    )
    v = np.asarray(velocity, dtype=np.float64)
    about = v.mean(0) if len(v) else np.zeros(3)
    return place.fields(place.moments(position, v, mass, contacts, about), about)


class _FieldSource(Protocol):
    """What a field average looks at: a simulation."""

    particles: Particles

    def contact_forces(self) -> ContactForces:
        """Contacts at present."""


class FieldAverage:
    """Mean of coarse-grained fields over a run, without a trajectory: called every so often with the simulation.

    Means over time are of the densities of mass, momentum, its flux and the contact stress; velocity is mean momentum
    over mean mass, and kinetic stress and temperature are about that, fluctuations in time included.

    Parameters
    ----------
    lower, upper, width, axes, bins, points, kernel, periodic
        As in `coarse_fields`.
    contacts : bool
        Whether there is contact stress; hard spheres have none.

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
        """Add the present moment of a simulation."""
        bodies = sim.particles
        self.add(bodies.position, bodies.velocity, bodies.mass, sim.contact_forces() if self._with_contacts else None)

    def add(
        self, position: np.ndarray, velocity: np.ndarray, mass: np.ndarray, contacts: ContactForces | None = None
    ) -> None:
        """Add a moment, such as a frame, from its arrays."""
        v = np.asarray(velocity, dtype=np.float64)
        if self._about is None:
            self._about = v.mean(0) if len(v) else np.zeros(3)
        self._sum += self._place.moments(position, v, mass, contacts, self._about)
        self.count += 1

    @property
    def mean(self) -> CoarseFields:
        """Fields, averaged; raises ValueError if there was no moment yet."""
        if not self.count:
            message = "nothing was averaged yet: run with every=(steps, average)"
            raise ValueError(message)
        return self._place.fields(self._sum / self.count, self._about)
