"""Two-way coupling with a flow solver: fields and forces that are exchanged."""

from __future__ import annotations

import contextlib
import contextvars
from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks
from dem.base.imports import named
from dem.base.notices import deprecated
from dem.base.user_classes import hinted
from dem.model.contact.law_component import kind, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dem.model.fluid.cells import Cells


class Exchange(NamedTuple):
    """State of the particles for a flow solver; arrays of cells are (nx, ny, nz, ...), and may be changed.

    Attributes
    ----------
    time : float
        Simulated time [s].
    step : int
        Number of the time step.
    interval : float
        Time since the last exchange, 0 at the first one [s]; the next one follows after ``cells.every`` steps.
    time_step : float
        Time step of the particles [s].
    cells : Cells
        The cells.
    position, velocity : (N, 3) arrays
        Positions and velocities of the particles [m, m/s].
    voidage : (nx, ny, nz) array
        Share of each cell that is fluid.
    momentum : (nx, ny, nz, 3) array
        Momentum that particles have given to the fluid of each cell since the last exchange [N s].
    resistance : (nx, ny, nz) array
        Drag over relative velocity, of all particles in each cell [N s/m].
    solid_velocity : (nx, ny, nz, 3) array
        Velocity of the particles, their mean weighted by resistance; 0 in cells without particles [m/s].
    mass : (nx, ny, nz) array
        Mass of the particles [kg].
    fluid_velocity : (nx, ny, nz, 3) array
        Velocity of the fluid that has acted on the particles since the last exchange [m/s].
    pressure_gradient : (nx, ny, nz, 3) array
        ∇p that has acted on the particles since the last exchange [Pa/m], as in `FlowState`.
    density, viscosity : float or (nx, ny, nz) array
        Of the fluid [kg/m³, Pa s]; arrays after the function has returned them by cell.
    gravity : (3,) floats
        [m/s²].
    temperature : (nx, ny, nz) array or None
        Temperature of the fluid after its exchange with particles [K]; None unless a `dem.Convection` has
        ``cells=True``, as for the following.
    heat : (nx, ny, nz) array or None
        Heat that particles have given to the fluid of each cell since the last exchange [J].
    heat_capacity : float or None
        Specific heat capacity of the fluid [J/(kg K)].
    heat_interval : float
        Time of heating since the last exchange [s].

    Examples
    --------
    The least that answers it: a fluid that nothing changes, whatever the particles give it.

    >>> def still(exchange: Exchange) -> "FlowState":
    ...     return FlowState(velocity=(0.0, 0.0, 0.0), pressure_gradient=exchange.density * np.array(exchange.gravity))
    """

    time: float
    step: int
    interval: float
    time_step: float
    cells: Cells
    position: np.ndarray
    velocity: np.ndarray
    voidage: np.ndarray
    momentum: np.ndarray
    resistance: np.ndarray
    solid_velocity: np.ndarray
    mass: np.ndarray
    fluid_velocity: np.ndarray
    pressure_gradient: np.ndarray
    density: float | np.ndarray
    viscosity: float | np.ndarray
    gravity: tuple[float, float, float]
    temperature: np.ndarray | None = None
    heat: np.ndarray | None = None
    heat_capacity: float | None = None
    heat_interval: float = 0.0

    @property
    def pressing(self) -> np.ndarray:
        """Deprecated: -∇p [Pa/m], see `pressure_gradient`."""
        deprecated("Exchange.pressing", "-Exchange.pressure_gradient")
        return -self.pressure_gradient


@hinted
@dataclass(frozen=True, kw_only=True)
class FlowState:
    """State of the fluid from a flow solver, which acts on the particles until the next exchange.

    The values are checked when the function of a coupling returns them: arrays of other shapes, numbers that are not
    finite, and what the fluid of the run does not take raise ValueError then.

    Parameters
    ----------
    velocity : (nx, ny, nz, 3) or (3,) floats
        Velocity of the fluid between the particles [m/s].
    pressure_gradient : (nx, ny, nz, 3) or (3,) floats, optional
        ∇p of the whole pressure, the weight of the fluid included [Pa/m]. The force on a
        particle is -V ∇p. Model A needs it; model B, whose drag contains it, does not take it.
    temperature : float or (nx, ny, nz) floats, optional
        Of the fluid [K], after its flow has carried heat on since the last exchange, in a run with heat whose
        `dem.Convection` has ``cells=True``. Default: the engine carries the heat with the velocity.
    density, viscosity : float or (nx, ny, nz) floats, optional
        Of the fluid, everywhere or by cell, between whose centres they are interpolated as the velocity is [kg/m³,
        Pa s]: of a mixture, or where it is warm. Default: as before.

    Examples
    --------
    >>> FlowState(velocity=(0, 0, 0.5), pressure_gradient=(0, 0, -9000.0)).density is None
    True
    >>> FlowState(velocity=(0, 0, 0), viscosity=np.linspace(1e-3, 2e-3, 5).reshape(1, 1, 5)).viscosity.shape
    (1, 1, 5)
    """

    velocity: np.ndarray
    pressure_gradient: np.ndarray | None = None
    density: float | np.ndarray | None = None
    viscosity: float | np.ndarray | None = None
    temperature: float | np.ndarray | None = None


_given: contextvars.ContextVar = contextvars.ContextVar("coupling", default=None)


@contextlib.contextmanager
def with_coupling_function(function: Callable | None) -> Iterator[None]:
    """Let couplings that are read from files call this function."""
    token = _given.set(function)
    try:
        yield
    finally:
        _given.reset(token)


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Coupling:
    """Two-way coupling with a function that computes the flow.

    ``function(exchange)`` is called at step 0 and then at each count of the cells, see `dem.Cells`. It gets an
    `Exchange` and returns a `FlowState`, which acts on the particles until the next call. The exchange has, by cell,
    the momentum that particles have given to the fluid, by all fluid forces together; it equals what the particles
    have lost, to rounding. A momentum equation of the mixture in which -∇p is not multiplied by the voidage takes it
    as it is.

    A resumed run (`dem.resume`, `Simulation.load`) starts with the fluid of the last call. A function of a module, or
    an instance of a dataclass, is found by its name; give any other one again, ``dem.resume(path,
    coupling=function)``. Its own state is not stored. A function that depends only on the `Exchange`, which has the
    last velocity and pressure gradient, ends with the same bytes.

    Parameters
    ----------
    function : callable
        Function of an `Exchange` that returns a `FlowState`.
    implicit : bool
        Whether the flow is stable for any resistance of the particles, because it treats drag implicitly, by
        `Exchange.resistance`, or is given by a volume flow. An explicit flow diverges if the particles of a cell could
        give, in an interval, twice the momentum that equalises the two velocities. At the start of a run that is
        refused.

    Raises
    ------
    TypeError
        If it cannot be called.

    Examples
    --------
    >>> import dem
    >>> def still(exchange):  # a fluid that gives way: momentum that it is given, over its mass
    ...     mass = exchange.density * exchange.voidage * exchange.cells.volume
    ...     velocity = exchange.fluid_velocity + exchange.momentum / mass[..., None]
    ...     return dem.FlowState(velocity=velocity)
    >>> glass = dem.Material(young=7e7, poisson=0.22, density=2500.0)
    >>> bead = dem.Particles(dem.Sphere(diameter=1e-3), glass, position=[[0, 0, 0]], velocity=[[0, 0, 0.1]])
    >>> water = dem.Fluid(
    ...     density=1000,
    ...     viscosity=1e-3,
    ...     model="B",
    ...     added_mass=False,
    ...     cells=dem.Cells(number=(1, 1, 1), lower=(-0.005,) * 3, upper=(0.005,) * 3),
    ...     coupling=dem.Coupling(function=still),
    ... )
    >>> sim = dem.Simulation(bead, fluid=water, gravity=(0, 0, 0), time_step=1e-3)
    >>> sim.step(10)
    >>> bool(sim.exchange().fluid_velocity[0, 0, 0, 2] > 0)
    True
    """

    type: str = kind("coupling")
    function: Callable[[Exchange], FlowState]
    implicit: bool = False

    __repr__ = shown

    def __post_init__(self) -> None:
        """Check the function."""
        if not callable(self.function):
            raise TypeError(
                f"function is {self.function!r}, expected a function of a dem.Exchange that returns a dem.FlowState"
            )
        if not isinstance(self.implicit, bool):
            raise TypeError(f"implicit is {self.implicit!r}, expected True or False")

    @property
    def name(self) -> str:
        """Name of the function, with its module."""
        thing = self.function if hasattr(self.function, "__qualname__") else type(self.function)
        return f"{thing.__module__}:{thing.__qualname__}"

    def arguments(self) -> dict[str, object]:
        """Arguments by name, the function by its name."""
        return {"type": self.type, "function": self.name, "implicit": self.implicit}

    def saved(self) -> dict[str, object]:
        """Values by which files identify the function: its name, or its class and values."""
        from dataclasses import fields  # noqa: PLC0415

        f, values = self.function, None
        named = getattr(f, "__qualname__", "<") == getattr(f, "__name__", "")  # at the top of a module
        if is_dataclass(f) and not isinstance(f, type):
            values = {each.name: getattr(f, each.name) for each in fields(f) if each.init}
        return {
            "function": self.name if named or values is not None else "",
            "values": values,
            "implicit": self.implicit,
            "name": self.name,
        }

    @classmethod
    def restored(cls, values: dict[str, object]) -> Coupling:
        """Coupling of a file with the function that the user gives again, or with the one of its name."""
        implicit = values["implicit"]
        again = _given.get()
        if again is not None:
            return cls(function=again, implicit=implicit)
        name = checks.text("function of the coupling", values["function"]) or values.get("name")
        try:
            if not values["function"]:
                raise TypeError
            found = named(name)
            if values.get("values") is not None:
                if not (isinstance(found, type) and is_dataclass(found)):
                    raise TypeError  # a file must not make us call just anything
                found = found(**values["values"])
            return cls(function=found, implicit=implicit)
        except (TypeError, ValueError):
            raise ValueError(
                f"the flow was computed by {name}, which is no part of the file and cannot be found again: give it, "
                "dem.resume(path, coupling=function) or dem.Simulation.load(path, coupling=function)"
            ) from None


def answered(given: object, cells: Cells, model: str) -> FlowState:
    """Checked answer of a user's function: velocity and pressure gradient (nx, ny, nz, 3).

    Raises
    ------
    ValueError, TypeError
    """
    if not isinstance(given, FlowState):
        raise TypeError(f"the coupling's function returned {type(given).__name__}, expected a dem.FlowState")
    values = {"velocity": _in_cells("velocity", given.velocity, cells, "[m/s]"), "pressure_gradient": None}
    if model == "A" and given.pressure_gradient is None:
        raise ValueError(
            "the coupling's function returned no pressure_gradient, which model A needs: let it do so, or take "
            'model="B", whose drag has it already'
        )
    if given.pressure_gradient is not None:
        if model == "B":
            raise ValueError(
                "the coupling's function returned a pressure_gradient, which the drag of model B has already: leave it "
                'out, or take model="A"'
            )
        gradient = _in_cells("pressure_gradient", given.pressure_gradient, cells, "[Pa/m]")
        values["pressure_gradient"] = gradient
    for name, unit in (("density", "kg/m3"), ("viscosity", "Pa s"), ("temperature", "K")):
        values[name] = _property(name, getattr(given, name), cells, unit)
    return FlowState(**values)


def _property(name: str, given: object, cells: Cells, unit: str) -> float | np.ndarray | None:
    """A positive number, one for each cell (nx, ny, nz), or None."""
    told = f"{name} from the coupling"
    if given is None or np.ndim(given) == 0:
        return None if given is None else checks.number(told, given, above=0, unit=unit)
    values = checks.array(told, given, cells.number, f"[{unit}], one for each cell, or a single number")
    if not (values > 0).all():
        cell = tuple(int(k) for k in np.argwhere(~(values > 0))[0])
        raise ValueError(f"{told} is {values[cell]:g} {unit} in cell {cell}, expected more than 0")
    return values


def _in_cells(name: str, given: object, cells: Cells, unit: str) -> np.ndarray:
    shape = (3,) if np.shape(given) == (3,) else (*cells.number, 3)
    values = checks.array(f"{name} from the coupling", given, shape, f"{unit}, one for each cell")
    return np.broadcast_to(values, (*cells.number, 3))
