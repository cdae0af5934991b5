"""Heat: temperatures of particles, conduction between touching particles, other heat exchange."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from dem.base import checks
from dem.base.user_classes import hinted
from dem.model.domain.box import FACES
from dem.model.heat_transfer import Convection, Radiation
from dem.model.scalar_exchange import ScalarExchange
from dem.model.temperature_tables import largest, least

if TYPE_CHECKING:
    from dem.model.materials import Material
    from dem.model.shapes.shape import Shape
    from dem.model.walls.wall import Wall


@hinted
@dataclass(frozen=True, kw_only=True)
class Heat(ScalarExchange):
    """Temperatures of particles, which conduct heat through their contacts: m c_p dT_i/dt = Σ_j H_ij (T_j - T_i).

    A contact conducts H = 2 k_h a with the harmonic mean of the conductivities, k_h = 2 k_i k_j/(k_i + k_j), and the
    contact radius a = √(R* δ) (G. K. Batchelor & R. W. O'Brien, Proc. R. Soc. Lond. A 355 (1977) 313). Where materials
    have a `real_young`, a is reduced to a (E*/E*_real)^⅓, that of the real solid at the same force. Each particle has
    one temperature. Bonds conduct k_h A/l by their section A and length l. Bodies of several spheres conduct through
    the contacts of their spheres; capsules and convex bodies conduct as spheres of the radius of the capsule, or of the
    volume of the body, with the same overlap.

    Conductivity and heat capacity of a material may be tables of the temperature. A particle then has the enthalpy
    m ∫ c_p dT, exactly, and contacts conduct by the conductivities at the temperatures of both at each exchange.

    Parameters
    ----------
    every, resolution, time_factor, implicit, frozen
        See `dem.ScalarExchange`.
    faces : mapping of face to temperature, optional
        Temperatures of faces of the box [K], such as ``{"z-": 350.0}``; other faces let no heat pass. The material of
        the box needs a conductivity. Walls beside the box say theirs themselves, ``dem.Plane(...,
        temperature=350.0)``.
    dissipation : bool
        Whether what contacts and bonds dissipate becomes heat: half of it in either particle, all of it at a wall or on
        the ground. The ledger of heat gains what that of mechanical energy loses, to rounding.

    gas_conductivity : float
        Of a gas at rest in the gaps about contacts, k_g [W/(m K)], which conducts from the rim of a contact to the
        equators of its spheres (Bahrami, Yovanovich & Culham 2006); default: 0, no gas.
    gas_jump : float
        Sum of the lengths of the temperature jumps at both surfaces of a gap [m]; some four mean free paths of the gas.
    gas_range : float
        Largest distance of the surfaces of spheres that do not touch, and of spheres and walls, that conduct by the
        gas between them all the same [m]; default: 0, none do. For spheres and bodies of spheres.
    convection : Convection, optional
        Exchange with the fluid of the simulation; default: none.
    radiation : Radiation, optional
        Exchange with surroundings; default: none.

    Raises
    ------
    ValueError, TypeError
        For values out of range, a `time_factor` other than 1 with dissipation, faces that do not exist, or a
        `gas_range` without a gas; for implicit steps with a convection whose `cells` have temperatures, and
        dissipation in a frozen run. `dem.Simulation` raises ValueError for faces that are open or periodic.

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=1e7, poisson=0.3, density=7800.0, conductivity=45.0, heat_capacity=460.0)
    >>> touching = [[0, 0, 0], [0.00999, 0, 0]]
    >>> balls = dem.Particles(
    ...     dem.Sphere(diameter=0.01), steel, position=touching, temperature=[400.0, 300.0], fixed=[True, False]
    ... )
    >>> sim = dem.Simulation(balls, gravity=(0, 0, 0), time_step=1e-6, heat=dem.Heat(every=10, time_factor=1e4))
    >>> sim.step(10)
    >>> sim.particles.temperature.round(3)
    array([399.924, 300.076])
    """

    faces: Mapping[str, float] = field(default_factory=dict)
    dissipation: bool = False
    gas_conductivity: float = 0.0
    gas_jump: float = 3e-7
    gas_range: float = 0.0
    convection: Convection | None = None
    radiation: Radiation | None = None

    FIELD: ClassVar[str] = "temperature"
    LARGEST: ClassVar[float] = 2.0**14  # [K]

    def __post_init__(self) -> None:
        """Check the values."""
        super().__post_init__()
        if not isinstance(self.faces, Mapping):
            message = f"faces is {self.faces!r}, expected a mapping of face to temperature, such as {{'z-': 350.0}}"
            raise TypeError(message)
        faces = {
            checks.one_of("face", face, FACES): checks.number(f"temperature of face {face}", value, above=0, unit="K")
            for face, value in self.faces.items()
        }
        object.__setattr__(self, "faces", faces)
        checks.flag("dissipation", self.dissipation)
        for name, unit in (("gas_conductivity", "W/(m K)"), ("gas_range", "m")):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), least=0, unit=unit))
        object.__setattr__(self, "gas_jump", checks.number("gas_jump", self.gas_jump, above=0, unit="m"))
        checks.of_types(optional=True, convection=(self.convection, Convection), radiation=(self.radiation, Radiation))
        if self.gas_range > 0 and self.gas_conductivity == 0:
            message = f"gas_range is {self.gas_range:g} m without a gas: give gas_conductivity too"
            raise ValueError(message)
        if self.implicit and self.convection and self.convection.cells:
            message = (
                "implicit steps with a convection whose cells have temperatures, which the flow carries along: take "
                "explicit ones (implicit=False), or a volume in place of cells"
            )
            raise ValueError(message)
        if self.dissipation and self.frozen:
            message = "dissipation in a frozen run, in which nothing moves: leave one of them out"
            raise ValueError(message)
        if self.dissipation and self.time_factor != 1.0:
            message = (
                f"time_factor is {self.time_factor:g} with dissipation, expected 1: motion makes heat in its own time"
            )
            raise ValueError(message)

    def __hash__(self) -> int:
        """Hash of the values."""
        return hash(tuple(value for name, value in vars(self).items() if name != "faces") + tuple(self.faces.items()))

    def check(self, materials: list[Material], walls: list[Wall]) -> None:
        """Raise ValueError for a material of particles, or of a wall with a temperature, that lacks a property."""
        for material in materials:
            for name, unit in (("conductivity", "W/(m K)"), ("heat_capacity", "J/(kg K)")):
                if getattr(material, name) is None:
                    raise ValueError(
                        f"{material.label} has no {name} [{unit}], which particles need in a run with heat"
                    )
        for wall in walls:
            if wall.temperature is not None and wall.material.conductivity is None:
                raise ValueError(
                    f"{wall.material.label} of the {wall.word} has no conductivity [W/(m K)], which a wall with a "
                    "temperature needs"
                )

    def capacity(self, shape: Shape, material: Material) -> float:
        """Heat capacity m c_p of a particle [J/K]; the smallest one of a table."""
        return shape.mass_properties(material.density).mass * least(material.heat_capacity)

    def largest_capacity(self, shape: Shape, material: Material) -> float:
        """Largest heat capacity of a particle at any temperature [J/K]."""
        return shape.mass_properties(material.density).mass * largest(material.heat_capacity)

    def factor(self, one: Material, other: Material) -> float:
        """2 k_h (E*/E*_real)^⅓ [W/(m K)] of a contact of two materials, over its contact radius; 0 without both k."""
        return 2.0 * self.through_bond(one, other) * self.shrink(one, other)

    def through_bond(self, one: Material, other: Material) -> float:
        """Harmonic mean k_h of the conductivities of two materials, the largest of tables [W/(m K)]; 0 without both."""
        if one.conductivity is None or other.conductivity is None:
            return 0.0
        k, other_k = largest(one.conductivity), largest(other.conductivity)
        return 2.0 * k * other_k / (k + other_k)

    def shrink(self, one: Material, other: Material) -> float:
        """(E*/E*_real)^⅓ of two materials: real over present contact radius at the same force."""
        return (one.effective_modulus(other) / _real(one).effective_modulus(_real(other))) ** (1 / 3)

    def gas(self) -> tuple[float, float, float]:
        """Conductivity of the gas in the gaps [W/(m K)], its jump length, and the largest gap [m]."""
        return self.gas_conductivity, self.gas_jump, self.gas_range

    def prescribed_value(self, wall: Wall) -> float | None:
        """Temperature of a wall, at the start [K]; None: no conduction."""
        return wall.temperature

    def wall_capacity(self, wall: Wall) -> float:
        """Heat capacity of a wall [J/K]."""
        return math.inf if wall.heat_capacity is None else wall.heat_capacity

    def flux(self, wall: Wall) -> float:
        """Heat flux of a wall [W/m²]."""
        return wall.heat_flux

    def prescribed_value_at_face(self, face: str) -> float | None:
        """Temperature of a face of the box [K]; None: no conduction."""
        return self.faces.get(face)


def _real(material: Material) -> Material:
    """Material with its real modulus in place of a softened one."""
    return material if material.real_young is None else material.with_young(material.real_young)
