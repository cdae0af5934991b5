"""Cylinders with rounded edges: tablets, discs and rods."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dem.base import checks
from dem.base.user_classes import frozen, hinted
from dem.model.shapes.shape import ConvexShape, MassProperties, checked_contact_radius


@hinted
@dataclass(frozen=True, kw_only=True)
class RoundedCylinder(ConvexShape):
    r"""A cylinder about body x with rounded edges: a tablet, a disc or a rod.

    Parameters
    ----------
    diameter : float
        Outer diameter, with the rounding [m].
    length : float
        Outer length along its axis, with the rounding [m].
    rounding : float
        Radius of its edges [m], above 0, and less than half the diameter and half the length.
    contact_radius : float, optional
        Radius in contact laws, wherever it touches [m]; by default that of the sphere of its volume.

    Raises
    ------
    ValueError
        If a size is not positive, or the rounding leaves no core.

    Notes
    -----
    With r = D/2 - R and l = L/2 - R of the core, and s(t) = √(R² - t²) for the rounded parts 0 <= t <= R of both ends,

    V = 2 π l (r + R)² + 2 π ∫ (r + s)² dt,  I_axial = ρ π l (r + R)⁴ + ρ π ∫ (r + s)⁴ dt,
    I_transverse = I_axial/2 + ρ 2 π [(r + R)² l³/3 + ∫ (r + s)² (l + t)² dt]

    in closed form. A contact is one point, so that a face does not rest on a face: such bodies rock.

    Examples
    --------
    >>> import dem
    >>> tablet = dem.RoundedCylinder(diameter=0.008, length=0.004, rounding=0.001)
    >>> round(tablet.volume * 1e9, 4), round(tablet.sphericity, 4)  # mm³
    (190.8772, 0.8977)
    """

    CONVEX_KIND = "CylinderKind"

    diameter: float
    length: float
    rounding: float
    contact_radius: float | None = None

    def __post_init__(self) -> None:
        """Check the sizes."""
        for name in ("diameter", "length", "rounding"):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), above=0, unit="m"))
        if 2 * self.rounding >= min(self.diameter, self.length):
            raise ValueError(
                f"rounding is {self.rounding:g} m, expected less than half the diameter of {self.diameter:g} m and "
                f"half the length of {self.length:g} m; take dem.Capsule for round ends"
            )
        object.__setattr__(self, "contact_radius", checked_contact_radius(self.contact_radius, self.volume))

    @property
    def core(self) -> tuple[float, float]:
        """Radius and half length of the core, the cylinder without its rounding radius [m]."""
        return 0.5 * self.diameter - self.rounding, 0.5 * self.length - self.rounding

    @property
    def convex_numbers(self) -> tuple[float, ...]:
        """Numbers of its support function: radius and half length of the core, rounding radius [m]."""
        return *self.core, self.rounding

    @property
    def radii(self) -> np.ndarray:
        """Radius of its bounding sphere (1,) [m]."""
        return frozen(np.array([math.sqrt(self.core[0] ** 2 + self.core[1] ** 2) + self.rounding]))

    @cached_property
    def volume(self) -> float:
        """Volume [m³]."""
        r, l = self.core
        big = self.rounding  # R of the notes
        rounded = r**2 * big + math.pi / 2 * r * big**2 + 2 / 3 * big**3
        return 2 * math.pi * (l * (r + big) ** 2 + rounded)

    @property
    def area(self) -> float:
        """Surface [m²]."""
        r, l = self.core
        big = self.rounding  # R of the notes
        return 2 * math.pi * r**2 + 4 * math.pi * (r + big) * l + 2 * math.pi**2 * r * big + 4 * math.pi * big**2

    def surface_mesh(self, cells: int = 12) -> tuple[np.ndarray, np.ndarray]:
        """Vertices (V, 3) on its surface [m] and triangles (F, 3), counterclockwise seen from outside.

        Parameters
        ----------
        cells : int
            Along each rounded edge; there are four times as many around the axis.

        Returns
        -------
        vertices, triangles
        """
        cells = checks.whole("cells", cells, least=1)
        r, l = self.core
        around = 4 * cells
        angle = [0.5 * math.pi * k / cells for k in range(cells + 1)]
        edge = [(l + self.rounding * math.sin(a), r + self.rounding * math.cos(a)) for a in angle]
        profile = np.array([*((-x, y) for x, y in reversed(edge)), *edge])  # from the lower to the upper end
        turn = 2 * math.pi * np.arange(around) / around
        c, s = np.cos(turn), np.sin(turn)
        rings = np.stack(
            [profile[:, :1] + 0 * c, profile[:, 1:] * c, profile[:, 1:] * s], axis=-1
        ).reshape(-1, 3)  # fmt: skip
        ends = np.array([[-l - self.rounding, 0.0, 0.0], [l + self.rounding, 0.0, 0.0]])
        k, n = np.arange(around), (np.arange(around) + 1) % around
        triangles = [np.column_stack([np.full(around, len(rings)), n, k])]
        for row in range(len(profile) - 1):
            low, high = row * around, (row + 1) * around
            triangles += [np.column_stack([low + k, low + n, high + n]), np.column_stack([low + k, high + n, high + k])]
        last = (len(profile) - 1) * around
        triangles.append(np.column_stack([np.full(around, len(rings) + 1), last + k, last + n]))
        return np.concatenate([rings, ends]), np.concatenate(triangles)

    def scaled(self, factor: float) -> RoundedCylinder:
        """Cylinder scaled by a factor, with its rounding and contact radius."""
        factor = checks.number("factor", factor, above=0)
        return RoundedCylinder(
            diameter=factor * self.diameter, length=factor * self.length, rounding=factor * self.rounding,
            contact_radius=factor * self.contact_radius,
        )  # fmt: skip

    def mass_properties(self, density: float) -> MassProperties:
        """Exact mass properties for a density [kg/m³]."""
        checks.number("density", density, above=0, unit="kg/m3")
        (r, l), big, pi = self.core, self.rounding, math.pi  # big: R of the notes
        fourth = (  # ∫ (r + s)⁴ dt
            r**4 * big + pi * r**3 * big**2 + 4 * r**2 * big**3 + 3 * pi / 4 * r * big**4 + 8 / 15 * big**5
        )
        axial = density * pi * (l * (r + big) ** 4 + fourth)
        squares = (  # ∫ (r + s)² (l + t)² dt
            r**2 * (l**2 * big + l * big**2 + big**3 / 3)
            + 2 * r * (pi / 4 * l**2 * big**2 + 2 / 3 * l * big**3 + pi / 16 * big**4)
            + (2 / 3 * l**2 * big**3 + 0.5 * l * big**4 + 2 / 15 * big**5)
        )
        transverse = 0.5 * axial + 2 * pi * density * ((r + big) ** 2 * l**3 / 3 + squares)
        return MassProperties.centred(self.volume, density, (axial, transverse, transverse))
