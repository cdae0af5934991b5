"""A fluid about the particles."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from dem.base import checks
from dem.base.hints import hinted
from dem.model.flows import ChannelFlow, Flow, PipeFlow, RotatingFlow, ShearFlow, UniformFlow
from dem.model.known_flows import FunctionFlow, GriddedFlow
from dem.model.vortices import ABCFlow, TaylorGreenFlow

FLOWS = (
    UniformFlow, ShearFlow, RotatingFlow, ChannelFlow, PipeFlow, TaylorGreenFlow, ABCFlow, GriddedFlow, FunctionFlow,
)  # fmt: skip


class Law(NamedTuple):
    """A correlation, and up to which Reynolds numbers it holds, of translation and of rotation."""

    most: float = np.inf
    most_turning: float = np.inf


DRAGS = {
    "stokes": Law(0.1),
    "schiller-naumann": Law(2e5),  # where the boundary layer becomes turbulent
    "hoelzer-sommerfeld": Law(2e5),
}
LIFTS = {"saffman": Law(1.0), "mei": Law(100.0)}
SWIRLS = {"rubinow-keller": Law(1.0), "oesterle-bui-dinh": Law(140.0)}
SPINS = {"stokes": Law(most_turning=32.0), "dennis": Law(most_turning=1000.0)}


@hinted
@dataclass(frozen=True, kw_only=True)
class Fluid:
    """A fluid that acts on particles, and does not feel them.

    Spheres are dragged, lifted and spun by the laws that are chosen. Bodies of several spheres count as spheroids of
    equal volume: fibres with their length over diameter, others with the ratio of their moments of inertia. They have
    the resistance tensor of these in Stokes flow and Jeffery's torque (Jeffery 1922), multiplied by what a sphere of
    equal volume has more at its Reynolds number; lift is of spheres alone. Added mass is that of spheres, half of what
    is displaced. The Basset force and what particles do to each other through the fluid are left out.

    Parameters
    ----------
    density : float
        [kg/m³].
    viscosity : float
        Dynamic [Pa s].
    velocity : flow, (3,) floats, or function
        `UniformFlow`, `ShearFlow`, `RotatingFlow`, `ChannelFlow`, `PipeFlow`, `TaylorGreenFlow`, `ABCFlow`,
        `GriddedFlow`; a velocity [m/s]; or a function of (t, x, y, z) that returns three numbers, which numba compiles.
    drag : "stokes", "schiller-naumann" or "hoelzer-sommerfeld"
        Of Stokes flow; times 1 + 0.15 Re^0.687 (spheres: Schiller & Naumann 1935); or by sphericities (Hölzer &
        Sommerfeld 2008), along the relative velocity.
    rotation : "dennis", "stokes" or None
        Resistance to rotation: of Stokes flow up to Re_R = 32 and from there as Dennis et al. (1980) have it, of Stokes
        flow everywhere, or none, and no torque.
    lift : "mei", "saffman" or None
        In shear (Saffman 1965; Mei 1992).
    magnus : "oesterle-bui-dinh", "rubinow-keller" or None
        Of spheres that turn otherwise than the fluid (Rubinow & Keller 1961; Oesterlé & Bui Dinh 1998).
    pressure : bool
        Whether the pressure gradient of the flow, buoyancy included, acts.
    added_mass : bool
        Whether particles carry half of the mass that they displace.
    every : int or "auto"
        Steps for which what the laws say is used, counted from the start of the run, before they are asked again. They
        are told of the middle of these steps; in between velocities go on relaxing, at every step, as they do with 1.
        The error is of second order in the length of this interval, whose steps may be as long as they like. By
        default 16 where that is at most 1/200 of the fluid's relaxation times in Stokes flow and of the shortest time
        of the flow (one over its largest gradient, a radian of its oscillation, its stored times): such a fluid changes
        little in so short a time, and an error of (1/200)²/24 is less than that of any contact. Else 1, and so with
        functions, of which no time is known.

    Raises
    ------
    ValueError, TypeError
        If a value is out of range, or a name unknown.

    Examples
    --------
    >>> import dem
    >>> glass = dem.Material(young=7e7, poisson=0.22, density=2500.0)
    >>> bead = dem.Particles(dem.Sphere(diameter=5e-5), glass, position=[[0, 0, 0]])
    >>> air = dem.Fluid(density=1.2, viscosity=1.8e-5)
    >>> sim = dem.Simulation(bead, fluid=air, time_step=1e-3)
    >>> sim.step(1000)
    >>> round(float(sim.particles.velocity[0, 2]), 9)  # terminal velocity, at Re = 0.57
    -0.171607601
    """

    density: float
    viscosity: float
    velocity: Flow | tuple[float, float, float] = (0.0, 0.0, 0.0)
    drag: str = "schiller-naumann"
    rotation: str | None = "dennis"
    lift: str | None = None
    magnus: str | None = None
    pressure: bool = True
    added_mass: bool = True
    every: int | str = "auto"

    def __post_init__(self) -> None:
        """Check all of it."""
        object.__setattr__(self, "density", checks.number("density", self.density, above=0, unit="kg/m3"))
        object.__setattr__(self, "viscosity", checks.number("viscosity", self.viscosity, above=0, unit="Pa s"))
        object.__setattr__(self, "velocity", _flow(self.velocity))
        checks.one_of("drag", self.drag, DRAGS)
        for name, laws in (("rotation", SPINS), ("lift", LIFTS), ("magnus", SWIRLS)):
            if getattr(self, name) is not None:
                checks.one_of(name, getattr(self, name), laws)
        for name in ("pressure", "added_mass"):
            if not isinstance(getattr(self, name), bool):
                message = f"{name} is {getattr(self, name)!r}, expected True or False"
                raise TypeError(message)
        if self.every != "auto":
            object.__setattr__(self, "every", checks.whole("every", self.every, least=1))

    @property
    def laws(self) -> dict[str, Law]:
        """The correlations in use, by name."""
        tables = ((self.drag, DRAGS), (self.rotation, SPINS), (self.lift, LIFTS), (self.magnus, SWIRLS))
        found: dict[str, Law] = {}
        for name, table in tables:
            if name:
                law, other = table[name], found.get(name, Law())
                found[name] = Law(min(law.most, other.most), min(law.most_turning, other.most_turning))
        return found

    def describe(self) -> dict[str, object]:
        """What it was made from, as plain values; what is not told is absent."""
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        flow = self.velocity
        plain = repr(flow) if isinstance(flow, (GriddedFlow, FunctionFlow)) else flow.said()
        return {name: value for name, value in told.items() if value is not None} | {"velocity": plain}


def _flow(given: object) -> Flow:
    """The flow that a velocity, a function or a flow means."""
    if isinstance(given, Flow):
        return given
    if callable(given):
        return FunctionFlow(function=given)
    return UniformFlow(velocity=checks.vector("velocity", given, "[m/s], or one of dem's flows"))
