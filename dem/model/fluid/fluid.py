"""Properties of the fluid around the particles, and the forces that it exerts."""

from __future__ import annotations

from dataclasses import dataclass, fields

from dem.base import checks
from dem.base.user_classes import hinted
from dem.model.contact.lubrication import Lubrication
from dem.model.fluid.cells import Cells
from dem.model.fluid.coupling import Coupling
from dem.model.fluid.drag_registry import DRAGS, Correlation, is_dense, known_drag
from dem.model.fluid.flows import (
    ABCFlow,
    CellFlow,
    ChannelFlow,
    Flow,
    PipeFlow,
    RotatingFlow,
    ShearFlow,
    TaylorGreenFlow,
    UniformFlow,
)
from dem.model.fluid.given_flows import FunctionFlow, GriddedFlow

FLOWS = (
    UniformFlow, ShearFlow, CellFlow, RotatingFlow, ChannelFlow, PipeFlow, TaylorGreenFlow, ABCFlow, GriddedFlow,
    FunctionFlow,
)  # fmt: skip


MODELS = ("A", "B")
LIFTS = {"saffman": Correlation(1.0), "mei": Correlation(100.0)}
SWIRLS = {"rubinow-keller": Correlation(1.0), "oesterle-bui-dinh": Correlation(140.0)}
SPINS = {"stokes": Correlation(most_turning=32.0), "dennis": Correlation(most_turning=1000.0)}


@hinted
@dataclass(frozen=True, kw_only=True)
class Fluid:
    """A fluid that acts on particles; they act on it only with a coupling.

    Spheres are dragged, lifted and spun by the laws that are chosen. Bodies of several spheres count as spheroids of
    equal volume: fibres with their length over diameter, others with the ratio of their moments of inertia. They have
    the resistance tensor of these in Stokes flow and Jeffery's torque (Jeffery 1922), multiplied by what a sphere of
    equal volume has more at its Reynolds number; lift is of spheres alone. Added mass is that of spheres, half of what
    is displaced. There is no Basset force, and no interaction of particles through the fluid except by the drag laws of
    dense beds, for which `velocity` is that between the particles.

    Parameters
    ----------
    density : float
        [kg/m³].
    viscosity : float
        Dynamic [Pa s].
    velocity : flow, (3,) floats, or function
        `UniformFlow`, `ShearFlow`, `RotatingFlow`, `ChannelFlow`, `PipeFlow`, `TaylorGreenFlow`, `ABCFlow`,
        `GriddedFlow`; a velocity [m/s]; or a function of (t, x, y, z) that returns three numbers, which numba compiles.
        In a `dem.Cell`: `CellFlow`, the affine flow of the cell, and no other.
    drag : "stokes", "schiller-naumann", "hoelzer-sommerfeld", "rosendahl", "zastawny"; "di-felice", "gidaspow", \
"huilin-gidaspow" or "beetstra"
        Of Stokes flow; times 1 + 0.15 Re^0.687 (spheres: Schiller & Naumann 1935); or by sphericities (Hölzer &
        Sommerfeld 2008), along the relative velocity; between its values along and across with sin³α, and lift by the
        cross-flow principle (Rosendahl 2000), from Re = 30, with α from the axis of a long body or the plane of a flat
        one; of ellipsoids with aspect ratios 5/4 and 5/2, with lift, for Re of 1 to 300 (Zastawny et al. 2012). In
        dense beds, by the voidage in `cells`: Di Felice (1994); Gidaspow (1994), Ergun's equation below a voidage of
        0.8 and Wen's and Yu's from there, with a jump between them, or smoothed (Huilin & Gidaspow 2003); Beetstra, van
        der Hoef & Kuipers (2007).
    rotation : "dennis", "stokes" or None
        Resistance to rotation: of Stokes flow up to Re_R = 32 and from there as Dennis et al. (1980) have it, of Stokes
        flow everywhere, or none, and no torque.
    lift : "mei", "saffman" or None
        Lift in shear (Saffman 1965; Mei 1992).
    magnus : "oesterle-bui-dinh", "rubinow-keller" or None
        Lift on spheres that spin relative to the fluid (Rubinow & Keller 1961; Oesterlé & Bui Dinh 1998).
    pressure : bool
        Whether the pressure gradient of the flow, buoyancy included, acts.
    added_mass : bool
        Whether particles carry half of the mass that they displace.
    every : int or "auto"
        Interval of steps at which fluid forces are evaluated, counted from the start of the run, for the middle of the
        interval; velocities relax in each step in between. The error is of second order in the interval. The default
        is 64, 32 or 16, the first that is at most 1/200 of the relaxation times in Stokes flow and of the shortest time
        of the flow (one over its largest gradient, a radian of its oscillation, its stored times); an error of
        (1/200)²/24 is less than that of any contact. Far beyond Stokes flow times are shorter, and the verdict warns
        where that shows. Assigning to the state or to gravity starts a new interval. The default is 1 with functions,
        whose times are unknown, and with `CellFlow`. With `cells`, which change at their own steps, and with inserters
        it is 1, and other numbers are refused.
    cells : Cells, optional
        Where the voidage is counted; default for drag in dense beds and couplings: the box in cells three of the
        largest particles wide.
    model : "A" or "B", optional
        What drag in dense beds is to mean. Such drag makes a pressure gradient, and pressure presses on particles. "B":
        drag has this with it, F_d/ε, and `pressure` is buoyancy and what accelerates the fluid; default. "A": F_d
        alone, for couplings that answer the pressure gradient; default of these.
    lubrication : Lubrication, optional
        Between particles, and at faces of the box, where they are close.
    coupling : Coupling, optional
        Two-way coupling with a program that computes the flow; `velocity` is then its uniform initial value.
        It may give density and viscosity too, cell by cell: see `dem.FlowState`.

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
    >>> sim.step(400)
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
    cells: Cells | None = None
    model: str | None = None
    lubrication: Lubrication | None = None
    coupling: Coupling | None = None

    def __post_init__(self) -> None:
        """Check all values."""
        object.__setattr__(self, "density", checks.number("density", self.density, above=0, unit="kg/m3"))
        object.__setattr__(self, "viscosity", checks.number("viscosity", self.viscosity, above=0, unit="Pa s"))
        object.__setattr__(self, "velocity", _flow(self.velocity))
        known_drag(self.drag)
        for name, laws in (("rotation", SPINS), ("lift", LIFTS), ("magnus", SWIRLS)):
            if getattr(self, name) is not None:
                checks.one_of(name, getattr(self, name), laws)
        for name in ("pressure", "added_mass"):
            checks.flag(name, getattr(self, name))
        if not (isinstance(self.every, str) and self.every == "auto"):
            object.__setattr__(self, "every", checks.whole("every", self.every, least=1))
        checks.of_types(
            optional=True, cells=(self.cells, Cells), lubrication=(self.lubrication, Lubrication),
            coupling=(self.coupling, Coupling),
        )  # fmt: skip
        if self.model is not None:
            checks.one_of("model", self.model, MODELS)
        self._check_cells()

    def _check_cells(self) -> None:
        """Refuse cells without use and contradictory values; add cells where a drag law needs them."""
        dense, coupled = is_dense(self.drag), self.coupling is not None
        if self.cells is None and (dense or coupled):
            object.__setattr__(self, "cells", Cells())
        if self.cells is not None and not (dense or coupled):
            raise ValueError(
                f"cells are given, but drag is {self.drag}, which has no voidage, and nothing is coupled: leave one out"
            )
        if self.model is not None and not (dense or coupled):
            message = f"model is {self.model}, but drag is {self.drag}, which is for few particles: leave model out"
            raise ValueError(message)
        if self.model == "A" and not coupled:
            raise ValueError("model is A, which needs the pressure gradient, and no coupling tells it: leave model out")
        if coupled and not (isinstance(self.velocity, UniformFlow) and not any(self.velocity.amplitude)):
            raise ValueError(
                f"velocity is {self.velocity}, but the coupling computes it: give a velocity to begin with, or none"
            )
        if isinstance(self.velocity, CellFlow) and self.every not in ("auto", 1):
            raise ValueError(
                f"every is {self.every}, but the flow of a cell may change at each step: leave every out, or say 1"
            )
        if self.cells is not None and self.every not in ("auto", 1):
            raise ValueError(
                f"every is {self.every}, but in cells the laws are asked at every step: leave every out, or say 1 (how "
                "often cells are counted is every of dem.Cells)"
            )

    @property
    def drag_model(self) -> str:
        """Drag model: A or B, see `model`."""
        return self.model or ("A" if self.coupling is not None else "B")

    @property
    def laws(self) -> dict[str, Correlation]:
        """Correlations in use, by name."""
        tables = ((self.drag, DRAGS), (self.rotation, SPINS), (self.lift, LIFTS), (self.magnus, SWIRLS))
        found: dict[str, Correlation] = {}
        for name, table in tables:
            if name:
                law, known = table[name], found.get(name, Correlation())
                most, turning = min(law.most, known.most), min(law.most_turning, known.most_turning)
                voidage = max(law.least_voidage, known.least_voidage)
                found[name] = Correlation(most, turning, max(law.least, known.least), voidage)
        return found

    def describe(self) -> dict[str, object]:
        """Given arguments as plain values."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        flow = self.velocity
        plain = repr(flow) if isinstance(flow, (GriddedFlow, FunctionFlow)) else flow.arguments()
        values = {name: value.arguments() if hasattr(value, "arguments") else value for name, value in values.items()}
        return {name: value for name, value in values.items() if value is not None} | {"velocity": plain}


def _flow(given: object) -> Flow:
    """Flow from a velocity, a function or a flow."""
    if isinstance(given, Flow):
        return given
    if callable(given):
        return FunctionFlow(function=given)
    return UniformFlow(velocity=checks.vector("velocity", given, "[m/s], or one of dem's flows"))
