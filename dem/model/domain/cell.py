"""A periodic cell that deforms."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.portable import determinant, inverse, row_lengths, times
from dem.base.text import shown
from dem.base.user_classes import hinted
from dem.model.domain.box import AXES, Box

if TYPE_CHECKING:
    from typing import Self

    from dem.model.materials import Material
    from dem.model.walls.motion import Motion

SKEWED = 0.55  # share of an edge by which another one may lean over it; as of `dem.kernels.domain.deforming_cell`
ROUNDS = 100  # of a reduction, at most
ROOTS = 12  # iterations to a square root of a matrix, which converge quadratically
SERVO, INERTIA = CONTROLS = ("servo", "inertia")

Matrix = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]


@hinted
@dataclass(frozen=True)
class Cell(Box):
    """A parallelepiped, periodic along its three edges, that deforms at given rates or under given stresses.

    Velocities of particles are *peculiar* in it: in the laboratory a particle at r moves at v + L r with the velocity
    gradient L of the cell (M. Parrinello, A. Rahman, J. Appl. Phys. 52 (1981) 7182, in the form of
    `dem.kernels.domain.deforming_cell`). Positions are in the cell that begins at the origin, or in an image of it.
    Angular velocities are those in the laboratory. Contacts, their damping and friction, and bonds see the velocity of
    an image relative to a particle. When edges lean far over each other they are replaced by equivalent ones.
    The work of the cell is in the energy ledger, as `Energy.work`.

    Parameters
    ----------
    edges : (3,) or (3, 3) floats
        Lengths of a cell at right angles, or its edges in columns [m].
    rate : (3,) or (3, 3) floats
        Velocity gradient L, ∂(velocity a)/∂(place b) in row a and column b [1/s]; three numbers are its diagonal.
        Negative on the diagonal in compression.
    rate_changes : sequence of (float, rate)
        Times [s] in ascending order, and the velocity gradient from each of them on, as for cyclic shear.
    stress : float, or (3, 3) floats or None
        Stress that is held, positive in compression [Pa]: a number on the whole diagonal, or a matrix with None where
        the rate is prescribed. Shear stresses are held in the upper triangle, the rate there is that of the row's
        velocity. Each such component of the rate is g (e + ∫ e dt/τ) of the excess e = P - P* of the stress.
    gain : float, optional
        g [1/(Pa s)]; default: the rate is `fastest` at an excess of a twentieth of the largest stress p that is held,
        unless a packing of stiffness K = E*^2/3 p^1/3 would take the excess up in less than fifty time steps. The
        integral time τ is 20/(g K); an excess above `fastest`/g, by default a twentieth of p, or above a quarter of p
        only counts where it makes the integral smaller.
    fastest : float, optional
        Largest rate of a component that holds a stress [1/s]; default: at an inertial number of 1e-3.
    control : "servo" or "inertia"
        How stresses P* are held: by the rate, as above, or by edges H that have a mass M and a damping c (M.
        Parrinello, A. Rahman 1981), M d²H/dt² = V (P - P*) H⁻ᵀ - c dH/dt. Under a pressure P*, the energy of an elastic
        packing, with M |dH/dt|²/2 + P* V, is conserved where c is zero. What c takes is in `Energy.dissipated`, and in
        `Energy.work`, as it comes from outside.
    mass : float, optional
        M [kg]; default: a cube of the volume V answers in fifty time steps, M = V^(1/3) K (50 dt)².
    damping : float, optional
        c [kg/s]; default: critical, 2 M/(50 dt).

    Raises
    ------
    ValueError
        If the edges span no volume, or a negative one; for rates or stresses that are not finite; for a rate of a
        component whose stress is held; for times that do not ascend; for words of the other control.

    Examples
    --------
    >>> sheared = Cell((0.1, 0.1, 0.1), rate=[[0, 2.0, 0], [0, 0, 0], [0, 0, 0]])
    >>> sheared.size, sheared.volume
    ((0.1, 0.1, 0.1), 0.0010000000000000002)
    >>> drained = Cell((0.1, 0.1, 0.1), rate=(0, 0, -0.5), stress=[[1e5, None, None], [None, 1e5, None], [None] * 3])
    >>> drained == Cell.triaxial((0.1, 0.1, 0.1), axial_rate=0.5, confinement=1e5)
    True
    """

    lower: tuple[float, float, float] = field(init=False, repr=False)
    upper: tuple[float, float, float] = field(init=False, repr=False)
    material: Material = field(init=False, repr=False)
    open: tuple[str, ...] = field(init=False, repr=False)
    periodic: tuple[str, ...] = field(init=False, repr=False)
    motion: dict[str, Motion] = field(init=False, repr=False, hash=False)
    roughness: float = field(init=False, repr=False)
    seed: int = field(init=False, repr=False)
    edges: Matrix
    rate: Matrix = ((0.0,) * 3,) * 3
    rate_changes: tuple[tuple[float, Matrix], ...] = ()
    stress: tuple[tuple[float | None, ...], ...] | float | None = None
    gain: float | None = None
    fastest: float | None = None
    control: str = SERVO
    mass: float | None = None
    damping: float | None = None

    def __post_init__(self) -> None:
        """Check all values."""
        edges = matrix("edges", self.edges, "lengths (3,) or edges (3, 3) in columns [m]")
        lengths = row_lengths(edges.T)
        volume = determinant(edges)
        if not (lengths.min() > checks.SMALLEST and abs(volume) > 1e-9 * lengths.prod()):
            raise ValueError(f"edges of the cell are {edges.tolist()}, expected three that span a volume")
        if volume < 0:
            message = (
                f"edges of the cell are {edges.tolist()}, whose volume is {volume:.3g} m3, expected positive lengths, "
                "or edges that are right-handed: change the sign of a length, or swap two edges"
            )
            raise ValueError(message)
        edges = reduced(edges)
        held, target = stresses(self.stress)
        rates = [("rate", 0.0, self.rate)]
        for change in checks.listed("rate_changes", self.rate_changes, "(time, rate)"):
            if not isinstance(change, (tuple, list)) or len(change) != 2:
                raise ValueError(f"rate_changes has {shown(change)}, expected (time, rate)")
            rates.append(("rate_changes", *change))
        before, changes = -1.0, []
        for name, time, rate in rates:
            after = checks.number(f"time of {name}", time, least=0, unit="s")
            gradient = matrix(name, rate, "a velocity gradient, (3,) or (3, 3) [1/s]")
            if after <= before:
                message = f"rate_changes has the time {after:g} s after {before:g} s: let times ascend from above 0"
                raise ValueError(message)
            if (gradient[held] != 0).any():
                a, b = (int(k[0]) for k in np.nonzero(held & (gradient != 0)))
                raise ValueError(
                    f"rate is {gradient[a, b]:g} 1/s along {AXES[a]}{AXES[b]}, where the stress is held: leave one out"
                )
            before = after
            changes.append((after, rows(gradient)))
        self._check_control(holds=bool(held.any()))
        numbers = {"gain": "1/(Pa s)", "fastest": "1/s", "mass": "kg"}
        values = {
            "edges": rows(edges), "rate": changes[0][1], "rate_changes": tuple(changes[1:]),
            "stress": rows(target, held) if held.any() else None,
            "lower": (0.0, 0.0, 0.0), "material": None, "open": (), "periodic": AXES, "motion": {}, "roughness": 0.0,
            "seed": 0,
        }  # fmt: skip
        values["upper"] = self.size_of(edges)
        for name, unit in numbers.items():
            given = getattr(self, name)
            values[name] = None if given is None else checks.number(name, given, above=0, unit=unit)
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if held.any() and not target[held].any() and self.fastest is None:
            raise ValueError("the stress that is held is zero, from which no rate follows: give fastest [1/s]")

    def _check_control(self, *, holds: bool) -> None:
        """Refuse arguments of the other control, and inertia without a controlled stress."""
        inertia = checks.one_of("control of the cell", self.control, CONTROLS) == INERTIA
        for name in ("gain",) if inertia else ("mass", "damping"):
            if getattr(self, name) is not None:
                other = SERVO if inertia else INERTIA
                raise ValueError(f"{name} of the cell is given with control={self.control!r}, expected {other!r}")
        if inertia and not holds:
            raise ValueError(f"control of the cell is {INERTIA!r}, expected a stress that it holds")
        for name in ("gain", "fastest"):
            if getattr(self, name) is not None and not holds:
                message = f"{name} of the cell is given without a stress that it holds: leave it out, or give stress"
                raise ValueError(message)
        if self.damping is not None:
            checks.number("damping", self.damping, least=0, unit="kg/s")

    @staticmethod
    def size_of(edges: np.ndarray) -> tuple[float, float, float]:
        """Distances of opposite faces of a cell with these edges (3, 3) [m]."""
        x, y, z = (1 / row_lengths(inverse(edges))).tolist()
        return x, y, z

    @property
    def size(self) -> tuple[float, float, float]:
        """Distances of opposite faces [m]."""
        return self.size_of(np.array(self.edges))

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return abs(determinant(np.array(self.edges)))

    @property
    def held(self) -> tuple[np.ndarray, np.ndarray]:
        """Which stresses are controlled (3, 3), and their values, zero elsewhere (3, 3) [Pa]."""
        return stresses(self.stress)

    @property
    def largest_rate(self) -> float:
        """Norm of the fastest velocity gradient, of given rates and of `fastest` where a stress is held [1/s]."""
        held, _ = self.held
        gradients = [np.array(rate) for rate in (self.rate, *(rate for _, rate in self.rate_changes))]
        parts = [np.where(held, self.fastest or 0.0, gradient).ravel().tolist() for gradient in gradients]
        return max(math.sqrt(sum(part * part for part in each)) for each in parts)

    def with_edges(self, edges: np.ndarray) -> Self:
        """Cell with the same control and other edges (3, 3) in columns [m]."""
        return replace(self, edges=rows(edges))

    @classmethod
    def isotropic(cls, edges: object, pressure: float, **control: float) -> Self:
        """Cell that is compressed until the stress along each axis is the pressure.

        Parameters
        ----------
        edges : (3,) or (3, 3) floats
            Lengths of a cell at right angles, or its edges in columns [m].
        pressure : float
            Stress along each axis, positive in compression [Pa].
        **control
            Other arguments of `Cell`, such as gain and fastest.

        Examples
        --------
        >>> Cell.isotropic((0.1, 0.1, 0.1), pressure=1e5).held[1].diagonal()
        array([100000., 100000., 100000.])
        """
        return cls(edges, stress=checks.number("pressure", pressure, unit="Pa"), **control)

    @classmethod
    def triaxial(cls, edges: object, axial_rate: float, confinement: float, **control: float) -> Self:
        """Cell of a drained triaxial test: shortened along z at a rate, at constant lateral stress.

        Parameters
        ----------
        edges : (3,) or (3, 3) floats
            Lengths of a cell at right angles, or its edges in columns [m].
        axial_rate : float
            Rate of shortening along z, positive in compression [1/s].
        confinement : float
            Stress along x and y, positive in compression [Pa].
        **control
            Other arguments of `Cell`, such as gain and fastest.

        Examples
        --------
        >>> Cell.triaxial((0.1, 0.1, 0.1), axial_rate=0.5, confinement=1e5).rate[2]
        (0.0, 0.0, -0.5)
        """
        p = checks.number("confinement", confinement, unit="Pa")
        rate = (0.0, 0.0, -checks.number("axial_rate", axial_rate, unit="1/s"))
        return cls(edges, rate=rate, stress=[[p, None, None], [None, p, None], [None, None, None]], **control)

    @classmethod
    def shear(cls, edges: object, rate: float, pressure: float | None = None, **control: float) -> Self:
        """Cell of simple shear, at constant volume or constant normal stress.

        Parameters
        ----------
        edges : (3,) or (3, 3) floats
            Lengths of a cell at right angles, or its edges in columns [m].
        rate : float
            Shear rate dv_x/dy [1/s].
        pressure : float, optional
            Normal stress on planes across y, positive in compression [Pa]; default: the volume is constant.
        **control
            Other arguments of `Cell`, such as gain and fastest.

        Examples
        --------
        >>> Cell.shear((0.1, 0.1, 0.1), rate=2.0, pressure=1e4).stress[1]
        (None, 10000.0, None)
        """
        rate = checks.number("rate", rate, unit="1/s")
        p = None if pressure is None else checks.number("pressure", pressure, unit="Pa")
        normal = None if pressure is None else [[None] * 3, [None, p, None], [None] * 3]
        return cls(edges, rate=[[0.0, rate, 0.0], [0.0] * 3, [0.0] * 3], stress=normal, **control)

    @classmethod
    def path(cls, edges: object, path: Sequence[tuple[float, object]], **control: float) -> Self:
        """Cell that follows deformation gradients F(t): the lattice of its edges is F times that at the start.

        Between two times the velocity gradient is constant, L = log(F₂ F₁⁻¹)/(t₂ - t₁). After the last one the cell is
        at rest. Rates change at whole time steps: let the times be multiples of the time step.

        Parameters
        ----------
        edges : (3,) or (3, 3) floats
            At the start, where F is 1 [m].
        path : sequence of (float, (3, 3) floats)
            Times [s] in ascending order from above 0, and the deformation gradients at these times.
        **control
            Other arguments of `Cell`; components whose stress is held must have no rate along the path.

        Raises
        ------
        ValueError
            For times that do not ascend, deformations of negative volume, and those that turn by half a turn or more
            from one time to the next: give times in between.

        Examples
        --------
        >>> stretched = Cell.path((0.1, 0.1, 0.1), [(0.5, np.diag([1.2, 1.0, 1.0])), (1.0, np.eye(3))])
        >>> [round(rate[0][0], 6) for _, rate in ((0, stretched.rate), *stretched.rate_changes)]
        [0.364643, -0.364643, 0.0]
        """
        before, since, rates = np.eye(3), 0.0, []
        for given in checks.listed("path", path, "(time, deformation gradient)"):
            if not isinstance(given, (tuple, list)) or len(given) != 2:
                raise ValueError(f"path has {shown(given)}, expected (time, deformation gradient)")
            time = checks.number("time of path", given[0], above=since, unit="s")
            after = matrix("path", given[1], "a deformation gradient, (3,) or (3, 3)")
            if not determinant(after) > 0:
                raise ValueError(f"path has the deformation gradient {after.tolist()}, expected a positive determinant")
            rates.append((since, logarithm(times(after, inverse(before))) / (time - since)))
            before, since = after, time
        if not rates:
            raise ValueError("path is empty, expected (time, deformation gradient)")
        (_, first), *later = [*rates, (since, np.zeros((3, 3)))]
        return cls(edges, rate=first, rate_changes=later, **control)


def logarithm(m: np.ndarray) -> np.ndarray:
    """Logarithm (3, 3) of a matrix near enough to 1: log m = 2ᵏ log m^(1/2ᵏ), by square roots and a series.

    The roots are those of E. D. Denman, A. N. Beavers, Appl. Math. Comput. 2 (1976) 63-94, of which the last one is
    within a tenth of 1, and log x = 2 artanh((x - 1)/(x + 1)). Raises ValueError for matrices that have none, such as
    half a turn.

    Examples
    --------
    >>> logarithm(np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, np.e]])).round(12)
    array([[0. , 0.5, 0. ],
           [0. , 0. , 0. ],
           [0. , 0. , 1. ]])
    """
    root, twice = m, 0
    while np.abs(root - np.eye(3)).max() > 0.1 and twice < ROUNDS:
        y, z = root, np.eye(3)
        for _ in range(ROOTS):
            if not abs(determinant(y)) > 1e-12 < abs(determinant(z)):
                break
            y, z = 0.5 * (y + inverse(z)), 0.5 * (z + inverse(y))
        root, twice = y, twice + 1
    if not np.abs(root - np.eye(3)).max() <= 0.1:
        raise ValueError(f"the deformation {m.tolist()} has no logarithm: give times in between")
    ratio = times(root - np.eye(3), inverse(root + np.eye(3)))
    square, power, total = times(ratio, ratio), ratio, np.zeros((3, 3))
    for k in range(1, 2 * ROOTS, 2):
        total, power = total + power / k, times(power, square)
    return 2.0 ** (twice + 1) * total


def matrix(name: str, given: object, what: str) -> np.ndarray:
    """Matrix (3, 3) of three numbers, its diagonal, or of three rows."""
    name = f"{name} of the cell"
    found = checks.numbers(name, given, what)
    if found.shape not in ((3,), (3, 3)):
        raise ValueError(f"{name} is {shown(given)}, expected {what}")
    found = checks.array(name, found, found.shape, what)
    return np.diag(found) if found.ndim == 1 else found


def reduced(edges: np.ndarray) -> np.ndarray:
    """Equivalent edges (3, 3) of a cell, by integers, that are inclined to each other by at most SKEWED.

    Examples
    --------
    >>> reduced(np.array([[1.0, 2.25, 0], [0, 1, 0], [0, 0, 1]]))[0]
    array([1.  , 0.25, 0.  ])
    """
    edges = edges.copy()
    for _ in range(ROUNDS):
        before = edges.copy()
        for a, b in itertools.permutations(range(3), 2):
            share = sum(edges[:, a] * edges[:, b]) / sum(edges[:, b] * edges[:, b])
            if abs(share) > SKEWED:
                edges[:, a] -= math.floor(share + 0.5) * edges[:, b]
        if (edges == before).all():
            break
    return edges


def rows(values: np.ndarray, where: np.ndarray | None = None) -> tuple:
    """Matrix as tuples, with None where a stress is not controlled."""
    return tuple(
        tuple(float(values[a, b]) if where is None or where[a, b] else None for b in range(3)) for a in range(3)
    )


def stresses(given: object) -> tuple[np.ndarray, np.ndarray]:
    """Which stresses are controlled (3, 3), and their values, zero elsewhere (3, 3) [Pa]."""
    if given is None:
        return np.zeros((3, 3), bool), np.zeros((3, 3))
    if isinstance(given, (int, float, np.number)):
        given = [[given if a == b else None for b in range(3)] for a in range(3)]
    expected = "a pressure or three rows of three, with None where a rate is prescribed [Pa]"
    sound = isinstance(given, (Sequence, np.ndarray)) and len(given) == 3
    if not sound or not all(isinstance(row, (Sequence, np.ndarray)) and len(row) == 3 for row in given):
        raise ValueError(f"stress of the cell is {given!r}, expected {expected}")
    held = np.array([[value is not None for value in row] for row in given])
    target = np.zeros((3, 3))
    for a, b in zip(*np.nonzero(held), strict=True):
        target[a, b] = checks.number("stress of the cell", given[a][b], unit="Pa")
        if a > b or not math.isfinite(target[a, b]):
            raise ValueError(f"stress of the cell is held along {AXES[a]}{AXES[b]}: give it along {AXES[b]}{AXES[a]}")
    return held, target
