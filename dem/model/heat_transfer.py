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
    sphere of equal volume.

    Both laws are of spheres: a body of another shape takes the heat of the sphere of its volume. In a fluid at rest no
    shape takes less than that, and with the same h its true surface would take too much (docs/guide/heat.md).

    The fluid keeps its temperature, unless it has a `volume`, or each of its `cells` a temperature. Then it loses what
    particles gain; its heat is in the ledger of heat, `dem.Simulation.heat`.

    Parameters
    ----------
    temperature : float
        Temperature T_f of the fluid [K].
    conductivity : float
        Thermal conductivity k_f of the fluid [W/(m K)].
    heat_capacity : float
        Specific heat capacity of the fluid [J/(kg K)].
    law : "ranz-marshall" or "gunn"
        Law of the Nusselt number.
    voidage : float
        ε, share of the volume that is fluid; used by Gunn's law. With `cells`, that of the cells is used.
    volume : float, optional
        Volume of a well-mixed fluid [m³], whose temperature changes by the heat that particles take. `temperature`
        is its temperature at the start.
    cells : bool
        Whether each cell of the fluid (`dem.Cells`) has a temperature of its own, which changes by what particles take
        and by the flow: dT_c/dt = (- Σ q + Σ F (T_up - T_c))/C_c, with the heat capacity C_c = ε ρ c_p V of the
        cell and the capacity rate F = ρ c_p ε u A of the flow through each of its faces, upwind. `temperature` is that
        at the start, and of fluid that flows in through the outer faces of the cells. A coupling that returns a
        temperature (`dem.FlowState`) computes what the flow does itself.

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
    volume: float | None = None
    cells: bool = False

    def __post_init__(self) -> None:
        """Check the values."""
        for name, unit in (("temperature", "K"), ("conductivity", "W/(m K)"), ("heat_capacity", "J/(kg K)")):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), above=0, unit=unit))
        checks.one_of("law", self.law, LAWS)
        object.__setattr__(self, "voidage", checks.number("voidage", self.voidage, above=0, most=1))
        if self.law != "gunn" and self.voidage != 1.0:
            message = f"voidage is {self.voidage:g} with the law {self.law}, of single spheres: take law='gunn'"
            raise ValueError(message)
        checks.flag("cells", self.cells)
        if self.volume is not None:
            object.__setattr__(self, "volume", checks.number("volume", self.volume, above=0, unit="m3"))
            if self.cells:
                message = "volume and cells are both given: leave one out, as cells have volumes"
                raise ValueError(message)

    @property
    def changes(self) -> bool:
        """Whether the temperature of the fluid changes."""
        return self.cells or self.volume is not None

    def coefficient(
        self, fluid: Fluid, diameter: np.ndarray | float, slip: np.ndarray | float,
        voidage: np.ndarray | float | None = None,
    ) -> np.ndarray | float:  # fmt: skip
        """Coefficient h [W/(m² K)] of spheres of a diameter [m] at a velocity relative to the fluid [m/s].

        voidage: in place of that of the law, for Gunn's.
        """
        prandtl_root = portable.cube_root(self.heat_capacity * fluid.viscosity / self.conductivity)
        e = self.voidage if voidage is None or self.law != "gunn" else voidage
        reynolds = e * fluid.density * slip * diameter / fluid.viscosity
        if self.law == "ranz-marshall":
            nusselt = 2.0 + 0.6 * np.sqrt(reynolds) * prandtl_root
        else:
            nusselt = (7 - 10 * e + 5 * e * e) * (1 + 0.7 * portable.power(reynolds, 0.2) * prandtl_root)
            nusselt = nusselt + (1.33 - 2.4 * e + 1.2 * e * e) * portable.power(reynolds, 0.7) * prandtl_root
        return nusselt * self.conductivity / diameter


@hinted
@dataclass(frozen=True, kw_only=True)
class Radiation:
    """Radiation between particles and surroundings of one temperature, q = σ ε A (T_s⁴ - T⁴).

    A is the surface of a convex shape, and π d² of all others, with the diameter d of the sphere of equal volume.

    Parameters
    ----------
    temperature : float
        Temperature T_s of the surroundings [K].
    emissivity : float
        ε of the particles, a share in (0, 1].
    exposed_share : float
        Share of the surface of each particle that sees the surroundings, in (0, 1].

    Raises
    ------
    ValueError, TypeError
        For values out of range.

    Examples
    --------
    A black body of a square metre in surroundings of 1000 K receives σ T_s⁴ = 56.7 kW:

    >>> surroundings = Radiation(temperature=1000.0, emissivity=1.0)
    >>> round(float(surroundings.factor(area=1.0) * surroundings.temperature**4))
    56704
    """

    temperature: float
    emissivity: float
    exposed_share: float = 1.0

    def __post_init__(self) -> None:
        """Check the values."""
        for name, most in (("temperature", np.inf), ("emissivity", 1.0), ("exposed_share", 1.0)):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), above=0, most=most))

    def factor(self, area: np.ndarray) -> np.ndarray:
        """σ ε A of surfaces of these areas [m²]: (N,) [W/K⁴]."""
        return STEFAN_BOLTZMANN * self.emissivity * self.exposed_share * area
