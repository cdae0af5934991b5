"""Base classes of cases: parameters are fields of pydantic models, which check types and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PlainSerializer,
    PositiveFloat,
    PositiveInt,
    ValidationError,
    WrapValidator,
)

from dem.base import checks
from dem.base.text import shown
from dem.rotation import AUTO, MEANING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.dsmc.simulation import StochasticSpheres
    from dem.event_driven.simulation import HardSpheres
    from dem.files.reading.trajectory import Trajectory
    from dem.model.bonds import Bonds
    from dem.model.contact.contacts import Contacts
    from dem.model.domain.box import Box
    from dem.model.fluid.fluid import Fluid
    from dem.model.fluid.solids_pressure import SolidsPressure
    from dem.model.fluid.turbulence import Turbulence
    from dem.model.heat import Heat
    from dem.model.insertion import Inserter, Outlet
    from dem.model.particles.particles import Particles
    from dem.model.scalar_exchange import ScalarExchange
    from dem.model.walls.wall import Wall
    from dem.soft.simulation import Simulation

Axes = Annotated[tuple[Literal["x", "y", "z"], ...], BeforeValidator(lambda v: tuple(v) if isinstance(v, str) else v)]
"""Type of a case's field: axes, such as ("x", "y") or "xy"."""
TimeStep = Annotated[
    PositiveFloat,
    WrapValidator(lambda value, check: value if value == "auto" else check(value)),
    PlainSerializer(lambda value: value),
]
"""Type of a case's field: a time step above 0 [s], or "auto"."""


PARAMETERS = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)  # of the models of cases


def particles_and_box(case: BaseCase) -> tuple[Particles, Box | None]:
    """What the method `build` of a case returns; raises TypeError if it is no pair."""
    made = case.build()
    if not (isinstance(made, tuple) and len(made) == 2):
        raise TypeError(f"build of the case {case.name} returns {shown(made)}, expected particles and box, or None")
    return made


def check_parameters(case: BaseModel, /, **parameters: object) -> None:
    """Constructor of cases; raises ValueError with one line for each parameter that is unknown or out of range."""
    try:
        # not BaseModel.__init__: pydantic looks for names of annotations in the caller, so many calls above
        case.__pydantic_validator__.validate_python(parameters, self_instance=case)
    except ValidationError as error:
        raise ValueError("\n".join(_line(type(case), each) for each in error.errors())) from None


def _line(kind: type[BaseModel], error: dict) -> str:
    name = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        try:
            checks.one_of(f"parameter of {getattr(kind, 'name', kind.__name__)}", name, kind.model_fields)
        except ValueError as unknown:
            return str(unknown)
    if error["type"] == "missing":
        return f"{name} is missing"
    if not name:  # a check of several parameters, whose message names them
        return error["msg"].removeprefix("Value error, ")
    return f"{name} is {shown(error['input'])}: {error['msg'][0].lower()}{error['msg'][1:]}"


class BaseCase(BaseModel):
    """Base class of cases that give a trajectory."""

    model_config = PARAMETERS
    if not TYPE_CHECKING:  # type checkers make the arguments of the fields
        __init__ = check_parameters

    name: ClassVar[str]
    compiled_by: ClassVar[dict] = {}  # parameters of a short run that needs the same kernels, for `dem compile --all`
    observable_names: ClassVar[tuple[str, ...]] = ()  # of `observables`, so that a wrong name is told before a run

    duration: PositiveFloat = Field(2.0, description="simulated time [s]")
    frames: PositiveInt = Field(200, description="frames written after the first")

    def build(self) -> tuple[Particles, Box | None]:
        """Particles and box of this case."""
        raise TypeError(f"the case {self.name} has no method build, which returns particles and box")

    def observables(self, run: Trajectory) -> dict[str, float]:
        """Results of a run as numbers by name, which a sweep adds to its table.

        Parameters
        ----------
        run : Trajectory
            Of this case, which has come to its end; open.

        Returns
        -------
        dict of str to float
            Empty by default; nan for what this run does not have. Let names end with the unit. `observable_names`, if
            the class has it, lists all of them.

        Examples
        --------
        >>> import dem
        >>> class Fall(dem.Case):
        ...     name = "fall"
        ...     observable_names = ("height_m",)
        ...
        ...     def observables(self, run):
        ...         return {"height_m": run.position[-1][:, 2].mean()}
        """
        del run
        return {}


class Case(BaseCase):
    """A runnable set-up of particles. Subclasses add parameters as fields and define particles and box in `build`.

    Parameters
    ----------
    duration : float
        Simulated time [s].
    frames : int
        Number of frames after the first one.
    time_step : float or "auto"
        Time step [s], as of `dem.Simulation`.
    integrator : str
        Rotational scheme, as of `dem.Simulation`.
    threads : int, optional
        Largest number of threads; default: all cores. The result is the same for any number.
    gravity : (3,) floats
        [m/s²].

    Examples
    --------
    >>> import dem
    >>> sim = dem.cases()["nine-fibres"](time_step=1e-5).simulation()
    >>> len(sim.particles)
    9

    One of your own, with a field of each type that `dem` brings:

    >>> class Fall(dem.Case):
    ...     time_step: dem.TimeStep = "auto"
    ...     periodic: dem.Axes = ("x", "y")
    ...     name = "fall"
    ...
    ...     def build(self):
    ...         nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    ...         box = dem.Box((0, 0, 0), (1, 1, 1), nylon, periodic=self.periodic)
    ...         return dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[(0.5, 0.5, 0.5)]), box
    >>> Fall(periodic="z").build()[1].periodic, Fall(time_step=1e-5).time_step
    (('z',), 1e-05)
    """

    time_step: TimeStep = Field(1e-6, description="time step [s], or auto")
    integrator: str = Field(AUTO, description=MEANING)
    threads: PositiveInt | None = Field(
        None, description="number of threads; default: all cores. The result is the same for any number"
    )
    gravity: tuple[float, float, float] = Field((0.0, 0.0, -9.81), description="acceleration by gravity [m/s2]")

    def contacts(self) -> Contacts | None:
        """Restitution and friction by pair of materials; None leaves it to the materials."""
        return None

    def fluid(self) -> Fluid | None:
        """The fluid about the particles, or None."""
        return None

    def walls(self) -> Sequence[Wall]:
        """Walls beside the box."""
        return ()

    def inserters(self) -> Sequence[Inserter]:
        """Inserters: where particles are inserted during the run."""
        return ()

    def outlets(self) -> Sequence[Outlet]:
        """Outlets: where particles are removed during the run."""
        return ()

    def heat(self) -> Heat | None:
        """Heat conduction between particles; None without temperatures."""
        return None

    def scalars(self) -> Sequence[ScalarExchange]:
        """Further scalars that particles exchange."""
        return ()

    def bonds(self) -> Bonds | None:
        """Bonds between particles; those of flexible fibres are added automatically."""
        return None

    def simulation(self) -> Simulation:
        """The simulation, ready to run."""
        from dem.model.shapes.flexible import FlexibleFibre  # noqa: PLC0415, cases are listed without
        from dem.soft.simulation import Simulation  # noqa: PLC0415

        built, box = particles_and_box(self)
        particles, bonds = FlexibleFibre.flexed(built) if built else (None, None)
        return Simulation(
            particles, box, bonds=self.bonds() if bonds is None else bonds, gravity=self.gravity,
            time_step=self.time_step, integrator=self.integrator,
            threads=self.threads, contacts=self.contacts(), fluid=self.fluid(), walls=self.walls(),
            inserters=self.inserters(), outlets=self.outlets(), heat=self.heat(),
            scalars=self.scalars(), description={"case": self.name, "parameters": self.model_dump(mode="json")},
        )  # fmt: skip


class ImpactFields(BaseModel):
    """Parameters of cases whose collisions are instantaneous impacts."""

    gravity: tuple[float, float, float] = Field((0.0, 0.0, -9.81), description="acceleration by gravity [m/s2]")
    restitution: float = Field(1.0, gt=0, le=1, description="coefficient of normal restitution of two spheres")
    tangential_restitution: float = Field(
        -1.0, ge=-1, le=1, description="coefficient of tangential restitution of two spheres; -1: smooth, 1: rough"
    )
    friction: NonNegativeFloat | None = Field(
        None, description="coefficient of friction of two spheres; default: infinite"
    )
    wall_restitution: float | None = Field(
        None, gt=0, le=1, description="coefficient of normal restitution at walls; default: as of two spheres"
    )
    wall_tangential_restitution: float | None = Field(
        None, ge=-1, le=1, description="coefficient of tangential restitution at walls; default: as of two spheres"
    )
    wall_friction: NonNegativeFloat | None = Field(
        None, description="coefficient of friction at walls; default: as of two spheres"
    )
    contact_time: PositiveFloat = Field(
        1e-5, description="an impact within this time after another one of either partner is elastic [s]"
    )
    periodic: Axes = Field((), description="periodic axes, which have no walls, such as xy")
    roughness: float = Field(0.0, ge=0, le=1, description="standard deviation of the inclination of rough walls [rad]")


class HardSphereCase(ImpactFields, BaseCase):
    """A runnable set-up of event-driven hard spheres. Subclasses define it in `build`.

    Parameters
    ----------
    duration : float
        Simulated time [s].
    frames : int
        Number of frames after the first one.
    gravity : (3,) floats
        [m/s²].
    restitution, tangential_restitution, friction : float, float, float or None
        Coefficients of two spheres, as of `dem.HardSpheres`.
    wall_restitution, wall_tangential_restitution, wall_friction : float, optional
        Coefficients of a sphere and a wall, as of `dem.HardSpheres`; default: those of two spheres.
    contact_time : float
        As of `dem.HardSpheres` [s].
    periodic : sequence of axes
        Periodic axes of the box, such as "xy".
    roughness : float
        Standard deviation of the inclination of rough walls [rad], see `dem.Box`.

    Examples
    --------
    >>> import dem
    >>> sim = dem.cases()["hard-spheres"](n=100, restitution=0.9).simulation()
    >>> len(sim.particles)
    100
    """

    def simulation(self) -> HardSpheres:
        """The simulation, ready to run."""
        from dem.event_driven.simulation import HardSpheres  # noqa: PLC0415, cases are listed without

        particles, box = particles_and_box(self)
        return HardSpheres(
            particles, box, **{name: getattr(self, name) for name in HARD},
            description={"case": self.name, "parameters": self.model_dump(mode="json")},
        )  # fmt: skip


# what goes to HardSpheres as it is; periodic and roughness are for the box
HARD = HardSphereCase.model_fields.keys() - BaseCase.model_fields.keys() - {"periodic", "roughness"}


class StochasticCase(ImpactFields, BaseCase):
    """A runnable set-up of spheres with stochastic collisions. Subclasses define it in `build`.

    Parameters
    ----------
    duration : float
        Simulated time [s].
    frames : int
        Number of frames after the first one.
    gravity : (3,) floats
        [m/s²].
    restitution, tangential_restitution, friction : float, float, float or None
        Coefficients of two spheres, as of `dem.HardSpheres`.
    wall_restitution, wall_tangential_restitution, wall_friction : float, optional
        Coefficients of a sphere and a wall, as of `dem.HardSpheres`; default: those of two spheres.
    contact_time : float
        As of `dem.HardSpheres` [s].
    periodic : sequence of axes
        Periodic axes of the box, such as "xy".
    roughness : float
        Standard deviation of the inclination of rough walls [rad], see `dem.Box`.
    time_step : float or "auto"
        Time step [s], as of `dem.StochasticSpheres`.
    collisions, cell, correlation : str, float or None, str
        Model of collisions, width of cells [m] and correlation of partners, as of `dem.StochasticSpheres`.
    seed : int
        Seed of the random numbers.

    Examples
    --------
    >>> import dem
    >>> sim = dem.cases()["stochastic-cooling"](n=2000, collisions="partners").simulation()
    >>> len(sim.particles), sim.settings["collisions"]
    (2000, 'partners')
    """

    time_step: TimeStep = Field(
        "auto", description="time step [s], or auto: with 0.1 collisions of each particle in a step"
    )
    collisions: Literal["pairs", "partners"] = Field(
        "pairs", description="collisions between pairs in cells, or with fictitious partners"
    )
    cell: PositiveFloat | None = Field(
        None,
        description="approximate width of the cells [m]; default: from the number of spheres and their mean free path",
    )
    correlation: Literal["full", "particle", "none"] = Field(
        "full", description="correlation of fictitious partners: with particle and fluid (full), particle, or none"
    )
    seed: NonNegativeInt = Field(1, description="seed of the random numbers")
    contact_time: PositiveFloat = Field(
        1e-5, description="an impact on a wall within this time after another one is elastic [s]"
    )

    def turbulence(self) -> Turbulence | None:
        """The turbulent fluid that drags the particles; None without a fluid."""
        return None

    def pressure(self) -> SolidsPressure | None:
        """Solids pressure, which keeps particles apart; None without it."""
        return None

    def simulation(self) -> StochasticSpheres:
        """The simulation, ready to run."""
        from dem.dsmc.simulation import StochasticSpheres  # noqa: PLC0415, cases are listed without

        particles, box = particles_and_box(self)
        return StochasticSpheres(
            particles, box, **{name: getattr(self, name) for name in STOCHASTIC}, turbulence=self.turbulence(),
            pressure=self.pressure(), description={"case": self.name, "parameters": self.model_dump(mode="json")},
        )  # fmt: skip


# what goes to StochasticSpheres as it is; periodic and roughness are for the box
STOCHASTIC = StochasticCase.model_fields.keys() - BaseCase.model_fields.keys() - {"periodic", "roughness"}
