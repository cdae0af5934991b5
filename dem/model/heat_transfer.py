"""Heat that particles exchange with a fluid and with surroundings: laws of the coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks, portable
from dem.base.user_classes import hinted

if TYPE_CHECKING:
    from dem.model.fluid.fluid import Fluid

STEFAN_BOLTZMANN = 5.670374419e-8  # [W/(m² K⁴)]
LAWS = ("ranz-marshall", "gunn")


@hinted
@dataclass(frozen=True, kw_only=True)
class Convection:
    """Heat exchange of particles with the fluid about them, q = h π d² (T_f - T) with h = Nu k_f/d.

    Nu = 2 + 0.6 Re^½ Pr^⅓ of a single sphere (W. E. Ranz & W. R. Marshall, Chem. Eng. Prog. 48 (1952) 141), or in beds
    of voidage ε Nu = (7 - 10 ε + 5 ε²)(1 + 0.7 Re^0.2 Pr^⅓) + (1.33 - 2.4 ε + 1.2 ε²) Re^0.7 Pr^⅓ (D. J. Gunn, Int. J.
    Heat Mass Transf. 21 (1978) 467). Re = ε ρ |u - v| d/μ is that of the fluid of the simulation, d the diameter of the
    sphere of equal volume. The fluid keeps its temperature.

    Parameters
    ----------
    temperature : float
        Of the fluid, T_f [K].
    conductivity : float
        Of the fluid, k_f [W/(m K)].
    heat_capacity : float
        Of the fluid, specific [J/(kg K)].
    law : "ranz-marshall" or "gunn"
        Of the Nusselt number.
    voidage : float
        ε, share of the volume that is fluid; used by Gunn's law.

    Raises
    ------
    ValueError, TypeError
        For values out of range.

    Examples
    --------
    >>> import dem
    >>> air = dem.Fluid(density=1.2, viscosity=1.8e-5)
    >>> hot = Convection(temperature=400.0, conductivity=0.026, heat_capacity=1005.0)
    >>> round(float(hot.coefficient(air, diameter=0.001, slip=1.0)), 1)
    164.9
    """

    temperature: float
    conductivity: float
    heat_capacity: float
    law: str = "ranz-marshall"
    voidage: float = 1.0

    def __post_init__(self) -> None:
        """Check the values."""
        for name, unit in (("temperature", "K"), ("conductivity", "W/(m K)"), ("heat_capacity", "J/(kg K)")):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), above=0, unit=unit))
        checks.one_of("law", self.law, LAWS)
        object.__setattr__(self, "voidage", checks.number("voidage", self.voidage, above=0, most=1))
        if self.law != "gunn" and self.voidage != 1.0:
            message = f"voidage is {self.voidage:g} with the law {self.law}, of single spheres: take law='gunn'"
            raise ValueError(message)

    def coefficient(self, fluid: Fluid, diameter: np.ndarray | float, slip: np.ndarray | float) -> np.ndarray | float:
        """Coefficient h [W/(m² K)] of spheres of a diameter [m] at a velocity relative to the fluid [m/s]."""
        prandtl = portable.cube_root(self.heat_capacity * fluid.viscosity / self.conductivity)
        e = self.voidage
        reynolds = e * fluid.density * slip * diameter / fluid.viscosity
        if self.law == "ranz-marshall":
            nusselt = 2.0 + 0.6 * np.sqrt(reynolds) * prandtl
        else:
            nusselt = (7 - 10 * e + 5 * e * e) * (1 + 0.7 * portable.power(reynolds, 0.2) * prandtl)
            nusselt = nusselt + (1.33 - 2.4 * e + 1.2 * e * e) * portable.power(reynolds, 0.7) * prandtl
        return nusselt * self.conductivity / diameter


@hinted
@dataclass(frozen=True, kw_only=True)
class Radiation:
    """Radiation between particles and surroundings of one temperature, q = σ ε A (T_s⁴ - T⁴), A = π d².

    Parameters
    ----------
    temperature : float
        Of the surroundings, T_s [K].
    emissivity : float
        ε of the particles, a share in (0, 1].
    exposed : float
        Share of the surface of each particle that sees the surroundings, in (0, 1].

    Raises
    ------
    ValueError, TypeError
        For values out of range.

    Examples
    --------
    >>> Radiation(temperature=1000.0, emissivity=0.8).exposed
    1.0
    """

    temperature: float
    emissivity: float
    exposed: float = 1.0

    def __post_init__(self) -> None:
        """Check the values."""
        for name, most in (("temperature", np.inf), ("emissivity", 1.0), ("exposed", 1.0)):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), above=0, most=most))

    def factor(self, area: np.ndarray) -> np.ndarray:
        """σ ε A of surfaces of these areas [m²]: (N,) [W/K⁴]."""
        return STEFAN_BOLTZMANN * self.emissivity * self.exposed * area
