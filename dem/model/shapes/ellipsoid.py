"""Ellipsoids and superellipsoids: sizes, mass properties, and the numbers of their support functions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks, portable
from dem.base.user_classes import frozen, hinted
from dem.model.shapes.shape import ConvexShape, MassProperties, Sphere, checked_contact_radius

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_EXPONENT, MAX_EXPONENT = 1.2, 20.0  # bodies with sharper tips or edges have no contact law that is resolved
MAX_ASPECT = 1e3  # longest over shortest semi-axis
AREA_NODES = 48  # Gauss nodes along an edge of the cube that a surface is projected on
AREA_POWER = 4  # nodes are s = v⁴: surfaces are powers of s, with exponents from 0.2 on
MIN_DIVISOR = 1e-300  # in place of a length of zero


@hinted
@dataclass(frozen=True, kw_only=True)
class Ellipsoid(ConvexShape):
    r"""An ellipsoid (x/a)² + (y/b)² + (z/c)² = 1 in body axes, which are its principal axes.

    Parameters
    ----------
    semi_axes : (3,) floats
        Half its lengths a, b, c along body x, y, z [m].
    contact_radius : float, optional
        Radius in contact laws, wherever it touches [m]; by default that of the sphere of its volume, ∛(a b c).

    Raises
    ------
    ValueError
        If a semi-axis is not positive, or the longest is more than 1000 times the shortest.

    Notes
    -----
    V = 4/3 π a b c and I_x = m (b² + c²)/5, and so on. Its support function is h(n) = |(a n_x, b n_y, c n_z)|, by which
    contacts are found (`dem.kernels.convex`). With equal semi-axes and no other `contact_radius` it is a sphere: a run
    has the same bytes as with `dem.Sphere`.

    Examples
    --------
    >>> from dem.model.shapes.ellipsoid import Ellipsoid
    >>> grain = Ellipsoid(semi_axes=(0.003, 0.002, 0.0015))
    >>> round(grain.volume, 12), round(grain.contact_radius, 6), round(grain.sphericity, 4)
    (3.7699e-08, 0.00208, 0.9405)
    >>> [round(moment, 15) for moment in grain.mass_properties(1000.0).inertia]
    [4.7124e-11, 8.4823e-11, 9.8018e-11]
    """

    CONVEX_KIND = "EllipsoidKind"

    semi_axes: Sequence[float]
    contact_radius: float | None = None

    def __post_init__(self) -> None:
        """Check the sizes."""
        object.__setattr__(self, "semi_axes", checked_semi_axes(self.semi_axes))
        a, b, c = self.semi_axes
        if a == b == c and self.contact_radius in (None, a):  # the engine takes it for a sphere
            object.__setattr__(self, "CONVEX_KIND", "BallKind")
            object.__setattr__(self, "contact_radius", a)
        object.__setattr__(self, "contact_radius", checked_contact_radius(self.contact_radius, self.volume))

    @property
    def convex_numbers(self) -> tuple[float, ...]:
        """Numbers of its support function: a, b, c [m]; of a ball, a."""
        return self.semi_axes[:1] if self.CONVEX_KIND == "BallKind" else self.semi_axes

    @property
    def radii(self) -> np.ndarray:
        """Radius of its bounding sphere (1,) [m]."""
        return frozen(np.array([max(self.semi_axes)]))

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return 4 / 3 * math.pi * math.prod(self.semi_axes)

    @cached_property
    def area(self) -> float:
        """Surface [m²]."""
        return superellipsoid_area(self.semi_axes, (2.0, 2.0))

    def surface_mesh(self, cells: int = 12) -> tuple[np.ndarray, np.ndarray]:
        """Vertices (V, 3) on its surface [m] and triangles (F, 3), counterclockwise seen from outside.

        Parameters
        ----------
        cells : int
            Along an edge of the cube that the surface is projected on; there are 12 times its square triangles.

        Returns
        -------
        vertices, triangles
        """
        return superellipsoid_mesh(self.semi_axes, (2.0, 2.0), cells)

    def scaled(self, factor: float) -> Ellipsoid:
        """Ellipsoid scaled by a factor, with its contact radius."""
        factor = checks.number("factor", factor, above=0)
        return Ellipsoid(
            semi_axes=tuple(factor * a for a in self.semi_axes), contact_radius=factor * self.contact_radius
        )

    def mass_properties(self, density: float) -> MassProperties:
        """Exact mass properties for a density [kg/m³]."""
        checks.number("density", density, above=0, unit="kg/m3")
        if self.CONVEX_KIND == "BallKind":
            return Sphere(diameter=2.0 * self.semi_axes[0]).mass_properties(density)
        mass = density * self.volume
        a, b, c = (a * a for a in self.semi_axes)
        inertia = (0.2 * mass * (b + c), 0.2 * mass * (a + c), 0.2 * mass * (a + b))
        return MassProperties.centred(self.volume, density, inertia)


@hinted
@dataclass(frozen=True, kw_only=True)
class Superellipsoid(ConvexShape):
    r"""A superellipsoid (superquadric) (\|x/a\|^n2 + \|y/b\|^n2)^(n1/n2) + \|z/c\|^n1 = 1 in body axes.

    With both exponents 2 it is an ellipsoid; with larger ones its sides are flatter and its edges sharper, towards a
    box; with n1 large and n2 = 2 it is a cylinder about body z with rounded edges; below 2 it has tips.

    Parameters
    ----------
    semi_axes : (3,) floats
        Half its lengths a, b, c along body x, y, z [m].
    exponents : (2,) floats
        n1, of outlines that contain the z axis, and n2, of sections across it; 1.2 to 20.
    contact_radius : float, optional
        Radius in contact laws, wherever it touches [m]; by default that of the sphere of its volume.

    Raises
    ------
    ValueError
        If a semi-axis is not positive, the longest is more than 1000 times the shortest, or an exponent is out of
        range.

    Notes
    -----
    With e1 = 2/n1, e2 = 2/n2 and Euler's beta function B (A. Jaklič, A. Leonardis, F. Solina, Segmentation and
    Recovery of Superquadrics (2000), chapter 2):

    V   = 2 a b c e1 e2 B(e1/2 + 1, e1) B(e2/2, e2/2)
    I_z = ρ a b c e1 e2/2 (a² + b²) B(3 e2/2, e2/2) B(e1/2, 2 e1 + 1)
    I_x = ρ a b c e1 e2/2 [b² B(3 e2/2, e2/2) B(e1/2, 2 e1 + 1) + 4 c² B(e2/2, e2/2 + 1) B(3 e1/2, e1 + 1)]

    and I_y with a² in place of b². Its support function is that of `dem.kernels.convex.supports`.

    Examples
    --------
    >>> from dem.model.shapes.ellipsoid import Superellipsoid
    >>> grain = Superellipsoid(semi_axes=(0.003, 0.002, 0.0015), exponents=(4, 3))
    >>> f"{grain.volume:.6e}", round(grain.sphericity, 4)
    ('5.558674e-08', 0.919)
    """

    CONVEX_KIND = "SuperellipsoidKind"

    semi_axes: Sequence[float]
    exponents: Sequence[float]
    contact_radius: float | None = None

    def __post_init__(self) -> None:
        """Check the sizes and exponents."""
        object.__setattr__(self, "semi_axes", checked_semi_axes(self.semi_axes))
        given = checks.array("exponents", self.exponents, (2,), "n1 and n2 of a superellipsoid")
        exponents = tuple(
            checks.number(name, n, least=MIN_EXPONENT, most=MAX_EXPONENT)
            for name, n in zip(("n1 of exponents", "n2 of exponents"), given.tolist(), strict=True)
        )
        object.__setattr__(self, "exponents", exponents)
        if exponents[0] == exponents[1]:
            kind = "QuarticKind" if self.exponents[0] == 4.0 else "EvenSuperellipsoidKind"
            object.__setattr__(self, "CONVEX_KIND", kind)
        object.__setattr__(self, "contact_radius", checked_contact_radius(self.contact_radius, self.volume))

    @property
    def convex_numbers(self) -> tuple[float, ...]:
        """Numbers of its support function: a, b, c [m], n1, n2, n1/(n1 - 1), n2/(n2 - 1)."""
        return *self.semi_axes, *self.exponents, *(n / (n - 1.0) for n in self.exponents)

    @cached_property
    def radii(self) -> np.ndarray:
        """Radius of its bounding sphere (1,) [m]: the farthest place of its surface."""
        a, b, c = self.semi_axes
        n_1, n_2 = self.exponents
        return frozen(np.array([farthest(farthest(a, b, n_2), c, n_1)]))

    @cached_property
    def volume(self) -> float:
        """Volume [m³]."""
        e_1, e_2 = (2.0 / n for n in self.exponents)
        return 2.0 * math.prod(self.semi_axes) * e_1 * e_2 * beta(e_1 / 2 + 1, e_1) * beta(e_2 / 2, e_2 / 2)

    @cached_property
    def area(self) -> float:
        """Surface [m²]."""
        return superellipsoid_area(self.semi_axes, self.exponents)

    def surface_mesh(self, cells: int = 12) -> tuple[np.ndarray, np.ndarray]:
        """Vertices (V, 3) on its surface [m] and triangles (F, 3), counterclockwise seen from outside.

        Parameters
        ----------
        cells : int
            Along an edge of the cube that the surface is projected on; there are 12 times its square triangles.

        Returns
        -------
        vertices, triangles
        """
        return superellipsoid_mesh(self.semi_axes, self.exponents, cells)

    def scaled(self, factor: float) -> Superellipsoid:
        """Superellipsoid scaled by a factor, with its contact radius."""
        factor = checks.number("factor", factor, above=0)
        return Superellipsoid(
            semi_axes=tuple(factor * a for a in self.semi_axes), exponents=self.exponents,
            contact_radius=factor * self.contact_radius,
        )  # fmt: skip

    def mass_properties(self, density: float) -> MassProperties:
        """Exact mass properties for a density [kg/m³]."""
        checks.number("density", density, above=0, unit="kg/m3")
        a, b, c = self.semi_axes
        e_1, e_2 = (2.0 / n for n in self.exponents)
        factor = 0.5 * density * a * b * c * e_1 * e_2
        across = factor * beta(1.5 * e_2, 0.5 * e_2) * beta(0.5 * e_1, 2 * e_1 + 1)
        along = 4 * factor * c * c * beta(0.5 * e_2, 0.5 * e_2 + 1) * beta(1.5 * e_1, e_1 + 1)
        inertia = (b * b * across + along, a * a * across + along, (a * a + b * b) * across)
        return MassProperties.centred(self.volume, density, inertia)


def checked_semi_axes(semi_axes: Sequence[float]) -> tuple[float, float, float]:
    """Three semi-axes [m], which have been checked."""
    given = checks.array("semi_axes", semi_axes, (3,), "half the lengths along body x, y, z [m]")
    a, b, c = (checks.number(f"semi_axes[{k}]", value, above=0, unit="m") for k, value in enumerate(given.tolist()))
    if max(a, b, c) > MAX_ASPECT * min(a, b, c):
        raise ValueError(
            f"semi_axes are {a:g}, {b:g} and {c:g} m: the longest is more than {MAX_ASPECT:g} times the shortest, "
            "which no time step resolves: make the shape rounder"
        )
    return a, b, c


def beta(x: float, y: float) -> float:
    """Euler's beta function of positive numbers."""
    return math.exp(math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y))


def farthest(a: float, b: float, n: float) -> float:
    """Largest distance from the centre of the curve |x/a|^n + |y/b|^n = 1."""
    if n <= 2:
        return max(a, b)
    p = 2 * n / (n - 2)
    return max(a, b) * (1 + (min(a, b) / max(a, b)) ** p) ** (1 / p)


def cube_norm(s: np.ndarray, t: np.ndarray, k: int, exponents: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Norm of (1, s, t), with 1 along axis k and s, t in [0, 1] along the next ones, whose unit ball is a superball.

    Returns the norm (...) and its gradient along x, y, z (..., 3).
    """
    n_1, n_2 = exponents
    p = np.empty((*s.shape, 3))
    p[..., k], p[..., (k + 1) % 3], p[..., (k + 2) % 3] = 1.0, s, t
    x, y, z = np.moveaxis(p, -1, 0)
    largest = np.maximum(np.maximum(x, y), MIN_DIVISOR)
    sum_across = portable.power(x / largest, n_2) + portable.power(y / largest, n_2)
    across = np.maximum(largest * portable.power(sum_across, 1 / n_2), MIN_DIVISOR)
    larger = np.maximum(across, z)
    norm = larger * portable.power(portable.power(across / larger, n_1) + portable.power(z / larger, n_1), 1 / n_1)
    by_across = portable.power(across / norm, n_1 - 1)
    gradient = [by_across * portable.power(u / across, n_2 - 1) for u in (x, y)]
    return norm, np.stack([*gradient, portable.power(z / norm, n_1 - 1)], axis=-1)


def superellipsoid_area(semi_axes: Sequence[float], exponents: Sequence[float]) -> float:
    """Surface of a superellipsoid [m²].

    Points of an eighth are (a, b, c) p/N(p) with p = (1, s, t) on a face of a cube, and the area of a patch is
    |(b c, c a, a b) ∇N|/N³ ds dt; edges of blocky bodies are at edges of the faces. Gauss's quadrature.
    """
    a, b, c = semi_axes
    total = 0.0
    for norm, gradient, w in area_nodes(tuple(exponents)):
        patch = np.sqrt(((gradient * (b * c, c * a, a * b)) ** 2).sum(-1)) / norm**3
        total += float((patch * w[:, None] * w).sum())
    return 8.0 * total


@lru_cache(maxsize=8)
def area_nodes(exponents: tuple[float, float]) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Norms and gradients of `cube_norm` at the nodes on three faces of a cube, and weights along s and t.

    They are those of all superellipsoids with these exponents, such as the sizes of a distribution.
    """
    nodes, weights = portable.gauss(AREA_NODES)
    v = 0.5 * (nodes + 1.0)
    # halves of [0, 1] with nodes near both ends, where surfaces are powers of s and of 1 - s
    low, step = 0.5 * v**AREA_POWER, 0.5 * AREA_POWER * v ** (AREA_POWER - 1) * 0.5 * weights
    s, w = np.concatenate([low, 1.0 - low]), np.concatenate([step, step])
    across, along = s[:, None] + 0 * s, s[None, :] + 0 * s[:, None]
    return [(*cube_norm(across, along, k, exponents), w) for k in range(3)]


def superellipsoid_mesh(
    semi_axes: Sequence[float], exponents: Sequence[float], cells: int
) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) on a superellipsoid [m] and triangles (F, 3), outward: a cube's faces, projected on it."""
    vertices, triangles = superball_mesh(tuple(exponents), checks.whole("cells", cells, least=1))
    return vertices * np.asarray(semi_axes), triangles.copy()


@lru_cache(maxsize=8)
def superball_mesh(exponents: tuple[float, float], cells: int) -> tuple[np.ndarray, np.ndarray]:
    """Mesh of a superellipsoid with three semi-axes of length 1, see `superellipsoid_mesh`."""
    vertices, triangles = cube_mesh(cells)
    size = np.abs(vertices)
    k = size.argmax(1)
    rows = np.arange(len(k))
    lengths = np.empty(len(k))
    for axis in range(3):
        on = rows[k == axis]
        lengths[on], _ = cube_norm(size[on, (axis + 1) % 3], size[on, (axis + 2) % 3], axis, exponents)
    return vertices / lengths[:, None], triangles


def cube_mesh(cells: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) and triangles (F, 3), outward, of the cube |x|, |y|, |z| <= 1, with cells along each edge."""
    grid = np.arange(cells + 1)
    s, t = (each.ravel() for each in np.meshgrid(grid, grid, indexing="ij"))
    i, j = (each.ravel() for each in np.meshgrid(grid[:-1], grid[:-1], indexing="ij"))
    vertex = i * (cells + 1) + j
    right, up = vertex + cells + 1, vertex + 1
    outward = np.concatenate([np.column_stack([vertex, right, right + 1]), np.column_stack([vertex, right + 1, up])])
    points, triangles = [], []
    for k in range(3):
        for side in (0, cells):
            face = np.empty((s.size, 3), dtype=int)
            face[:, k], face[:, (k + 1) % 3], face[:, (k + 2) % 3] = side, s, t
            triangles.append((outward if side else outward[:, ::-1]) + s.size * len(points))
            points.append(face)
    unique, inverse = np.unique(np.concatenate(points), axis=0, return_inverse=True)
    return 2.0 * unique / cells - 1.0, inverse.reshape(-1)[np.concatenate(triangles)]
