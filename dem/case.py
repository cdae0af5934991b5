"""Cases: set-ups that run by name, with parameters that can be set from the command line."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt, ValidationError

from dem import checks
from dem.integrators import DEFAULT
from dem.simulation import Simulation

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from dem.box import Box
    from dem.particles import Particles

GROUP = "dem.cases"  # entry-point group; any installed package may add to it


class Case(BaseModel):
    """A runnable set-up. Subclasses add parameters as fields and say in `build` what they make.

    Examples
    --------
    >>> import dem
    >>> sim = dem.cases()["nine-fibres"](time_step=1e-5).simulation()
    >>> len(sim.particles)
    9
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    name: ClassVar[str]

    duration: PositiveFloat = Field(2.0, description="simulated time [s]")
    time_step: PositiveFloat = Field(1e-6, description="[s]")
    integrator: str = Field(DEFAULT, description="rotational scheme")
    threads: PositiveInt | None = Field(None, description="default: all cores; changes no bit of the result")
    frames: PositiveInt = Field(200, description="frames written after the first")
    gravity: tuple[float, float, float] = Field((0.0, 0.0, -9.81), description="[m/s2]")

    def build(self) -> tuple[Particles, Box | None]:
        """Particles and box of this case."""
        raise NotImplementedError

    def simulation(self) -> Simulation:
        """The simulation, ready to run."""
        particles, box = self.build()
        return Simulation(
            particles, box, gravity=self.gravity, time_step=self.time_step, integrator=self.integrator,
            threads=self.threads, description={"case": self.name, "parameters": self.model_dump(mode="json")},
        )  # fmt: skip


def names() -> list[str]:
    """Names of all installed cases."""
    return sorted(entry.name for entry in entry_points(group=GROUP))


def cases() -> dict[str, type[Case]]:
    """All installed cases by name."""
    return {name: case(name) for name in names()}


def case(name: str) -> type[Case]:
    """Look up a case; raises ValueError with the nearest name, or if it cannot be loaded."""
    checks.one_of("case", name, names())
    return _load(next(iter(entry_points(group=GROUP, name=name))))


def _load(entry: EntryPoint) -> type[Case]:
    try:
        kind = entry.load()
    except Exception as error:
        message = f"case {entry.name} cannot be loaded from {entry.value}: {type(error).__name__}: {error}"
        raise ValueError(message) from error
    if not (isinstance(kind, type) and issubclass(kind, Case) and getattr(kind, "name", None) == entry.name):
        message = f"case {entry.name}: {entry.value} is no dem.Case whose name is {entry.name!r}"
        raise ValueError(message)
    return kind


def with_parameters(kind: type[Case], parameters: dict) -> Case:
    """Make a case; raises ValueError with one line for each parameter that is unknown or out of range."""
    try:
        return kind(**parameters)
    except ValidationError as error:
        raise ValueError("\n".join(_line(kind, e) for e in error.errors())) from None


def _line(kind: type[Case], error: dict) -> str:
    name = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        try:
            checks.one_of(f"parameter of {kind.name}", name, kind.model_fields)
        except ValueError as unknown:
            return str(unknown)
    return f"{name} is {error['input']!r}: {error['msg'][0].lower()}{error['msg'][1:]}"
