"""Scalars that particles exchange through contacts: the base of `dem.Heat` and of exchange laws of a user's own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from dem.base import checks
from dem.base.user_classes import hinted

if TYPE_CHECKING:
    from dem.model.materials import Material
    from dem.model.shapes.shape import Shape
    from dem.model.walls.wall import Wall


class TouchingPairs(NamedTuple):
    """Contacts between particles at one moment, in no particular order; a pair may have several contacts."""

    i: np.ndarray  # (K,) rows of particles
    j: np.ndarray  # (K,)
    overlap: np.ndarray  # (K,) δ [m]
    radius: np.ndarray  # (K,) reduced radius R* = R_i R_j/(R_i + R_j) [m]
    conductance: np.ndarray  # (K,) g a, with g of `ScalarExchange.factor` and the contact radius a = √(R* δ)


@hinted
@dataclass(frozen=True, kw_only=True)
class ScalarExchange:
    """Exchange of a scalar u of particles through their contacts: C_i du_i/dt = Σ_j G_ij (u_j - u_i).

    A law is a frozen dataclass that derives from this class, with the name of a field (`dem.register_field`) in `FIELD`
    and the methods `capacity` and `factor`, or `conductance`; `dem.Simulation(scalars=[...])` takes it. What passes a
    contact is rounded to integers of a fixed unit: the sum of C u is conserved to rounding of its parts, and results
    do not depend on threads, lists or the order of contacts.

    Parameters
    ----------
    every : int
        Time steps from one exchange to the next, which has the contacts of its step.
    resolution : float
        Sub-steps of an exchange take at most this share of the shortest relaxation time C_i/Σ_j G_ij.
    time_factor : float
        Seconds of the exchange in a second of the motion: above 1 for a bed at rest, whose contacts do not change.
    implicit : bool
        Whether each exchange is one implicit step of second order, which is stable for any `every` and
        `time_factor`, in place of explicit sub-steps (`dem.soft.heat.implicit_exchange`).
    frozen : bool
        Whether particles are held where they are, so that a time step is one of the exchange alone and may take any
        time. It holds for the whole run: all scalars of it are to be frozen, or none.

    Raises
    ------
    ValueError, TypeError
        For values out of range.

    Examples
    --------
    >>> import dem
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Moisture(dem.ScalarExchange):
    ...     FIELD = "moisture"
    ...     permeability: float = 1e-4
    ...
    ...     def capacity(self, shape, material):
    ...         return shape.mass_properties(material.density).volume
    ...
    ...     def factor(self, one, other):
    ...         return self.permeability
    >>> _ = dem.register_field("moisture", "kg/m3")
    >>> clay = dem.Material(young=1e6, poisson=0.3, density=1800.0)
    >>> touching = [[0, 0, 0], [0.0099, 0, 0]]
    >>> balls = dem.Particles(
    ...     dem.Sphere(diameter=0.01), clay, position=touching, moisture=[10.0, 0.0], fixed=[True, False]
    ... )
    >>> sim = dem.Simulation(balls, gravity=(0, 0, 0), time_step=1e-6, scalars=[Moisture(every=1)])
    >>> sim.step(1)
    >>> bool(sim.particles.moisture[1] > 0), round(float(sim.particles.moisture.sum()), 9)
    (True, 10.0)
    >>> from dem.model.particles.particles import unregister_field
    >>> unregister_field("moisture")
    """

    every: int = 10
    resolution: float = 0.25
    time_factor: float = 1.0
    implicit: bool = False
    frozen: bool = False

    FIELD: ClassVar[str] = ""  # name of a scalar field
    LARGEST: ClassVar[float] = 2.0**20  # absolute value that the scalar does not reach

    def __post_init__(self) -> None:
        """Check the values."""
        checks.whole("every", self.every, least=1)
        for name, most in (("resolution", 1.0), ("time_factor", np.inf)):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), above=0, most=most))
        checks.flag("implicit", self.implicit)
        checks.flag("frozen", self.frozen)

    def capacity(self, shape: Shape, material: Material) -> float:
        """Capacity C of a particle: the amount that raises its scalar by one."""
        raise NotImplementedError

    def largest_capacity(self, shape: Shape, material: Material) -> float:
        """Largest C of a particle, where it depends on the value."""
        return self.capacity(shape, material)

    def factor(self, one: Material, other: Material) -> float:
        """Conductance of a contact of two materials over its contact radius, g in G = g a [amount/(s m)]."""
        return 0.0

    def through_bond(self, one: Material, other: Material) -> float:
        """Conductance of a bond of two materials times its length over its section [amount/(s m)]."""
        return 0.0

    def shrink(self, one: Material, other: Material) -> float:
        """Ratio of real to present contact radius of two materials, for conduction by the gas around a contact."""
        return 1.0

    def gas(self) -> tuple[float, float, float]:
        """Conductivity of the gas in gaps around contacts [W/(m K)], 0 without a gas; jump length, range [m]."""
        return 0.0, 0.0, 0.0

    def conductance(self, pairs: TouchingPairs) -> np.ndarray:
        """Conductances G (K,) of contacts, by default from `factor`."""
        return pairs.conductance

    def source(self, value: np.ndarray, capacity: np.ndarray) -> np.ndarray | float:
        """Source of each particle [amount/s], such as by a reaction or by drying; zero by default.

        value, capacity: (N,) u and C of particles in the order of the rows. It is asked for once in each exchange.
        Returns (N,), or one number for all; negative where particles lose.
        """
        return 0.0

    def check(self, materials: list[Material], walls: list[Wall]) -> None:
        """Raise ValueError for materials and walls that lack a property; by default none is required."""

    def prescribed_value(self, wall: Wall) -> float | None:
        """Value at the surface of a wall; None: no conduction."""

    def wall_capacity(self, wall: Wall) -> float:
        """Capacity C of a wall; infinite if its value does not change."""
        return math.inf

    def flux(self, wall: Wall) -> float:
        """Flux from a wall [amount/(s m²)]."""
        return 0.0

    def prescribed_value_at_face(self, face: str) -> float | None:
        """Value at a face of the box; None: no conduction."""
