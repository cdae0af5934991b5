"""Cases: set-ups that run by name, with parameters that can be set from the command line."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    NonNegativeFloat,
    PlainSerializer,
    PositiveFloat,
    PositiveInt,
    ValidationError,
    WrapValidator,
)

from dem import checks
from dem.hard_spheres import HardSpheres
from dem.integrators import DEFAULT
from dem.simulation import Simulation
from dem.study import angle_between, integrate_rotation
from kernels.problems import FREE, Problem

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from pathlib import Path

    from dem.box import Box
    from dem.contacts import Contacts
    from dem.particles import Particles
    from dem.study import RotationHistory

Axes = Annotated[tuple[Literal["x", "y", "z"], ...], BeforeValidator(lambda v: tuple(v) if isinstance(v, str) else v)]
TimeStep = Annotated[
    PositiveFloat,
    WrapValidator(lambda value, check: value if value == "auto" else check(value)),
    PlainSerializer(lambda value: value),
]
GROUP = "dem.cases"  # entry-point group; any installed package may add to it


class BaseCase(BaseModel):
    """What all cases have in common."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    name: ClassVar[str]

    duration: PositiveFloat = Field(2.0, description="simulated time [s]")
    frames: PositiveInt = Field(200, description="frames written after the first")


class SteppedCase(BaseCase):
    """What goes forward in time steps."""

    time_step: PositiveFloat = Field(1e-6, description="[s]")
    integrator: str = Field(DEFAULT, description="rotational scheme")


class Case(SteppedCase):
    """A runnable set-up of particles. Subclasses add parameters as fields and say in `build` what they make.

    Examples
    --------
    >>> import dem
    >>> sim = dem.cases()["nine-fibres"](time_step=1e-5).simulation()
    >>> len(sim.particles)
    9
    """

    time_step: TimeStep = Field(1e-6, description="[s], or auto")
    threads: PositiveInt | None = Field(None, description="default: all cores; changes no bit of the result")
    gravity: tuple[float, float, float] = Field((0.0, 0.0, -9.81), description="[m/s2]")

    def build(self) -> tuple[Particles, Box | None]:
        """Particles and box of this case."""
        raise NotImplementedError

    def contacts(self) -> Contacts | None:
        """Restitution and friction by pair of materials; None leaves it to the materials."""
        return None

    def simulation(self) -> Simulation:
        """The simulation, ready to run."""
        particles, box = self.build()
        return Simulation(
            particles, box, gravity=self.gravity, time_step=self.time_step, integrator=self.integrator,
            threads=self.threads, contacts=self.contacts(),
            description={"case": self.name, "parameters": self.model_dump(mode="json")},
        )  # fmt: skip


class HardSphereCase(BaseCase):
    """A runnable set-up of hard spheres, without time steps. Subclasses say in `build` what they make.

    Examples
    --------
    >>> import dem
    >>> sim = dem.cases()["hard-spheres"](n=100, restitution=0.9).simulation()
    >>> len(sim.particles)
    100
    """

    gravity: tuple[float, float, float] = Field((0.0, 0.0, -9.81), description="[m/s2]")
    restitution: float = Field(1.0, gt=0, le=1, description="of two spheres, normal")
    tangential_restitution: float = Field(-1.0, ge=-1, le=1, description="of two spheres; -1: smooth, 1: rough")
    friction: NonNegativeFloat | None = Field(None, description="of two spheres, Coulomb's; default: no limit")
    wall_restitution: float | None = Field(None, gt=0, le=1, description="with a wall; default: as of two spheres")
    wall_tangential_restitution: float | None = Field(None, ge=-1, le=1, description="with a wall")
    wall_friction: NonNegativeFloat | None = Field(None, description="with a wall")
    contact_time: PositiveFloat = Field(1e-5, description="impacts that follow within it are elastic [s]")
    periodic: Axes = Field((), description="axes without walls, such as xy")
    roughness: float = Field(0.0, ge=0, le=1, description="standard deviation of the walls' inclination [rad]")

    def build(self) -> tuple[Particles, Box | None]:
        """Particles and box of this case."""
        raise NotImplementedError

    def simulation(self) -> HardSpheres:
        """The simulation, ready to run."""
        particles, box = self.build()
        return HardSpheres(
            particles, box, **{name: getattr(self, name) for name in HARD},
            description={"case": self.name, "parameters": self.model_dump(mode="json")},
        )  # fmt: skip


# what goes to HardSpheres as it is; periodic and roughness are for the box
HARD = HardSphereCase.model_fields.keys() - BaseCase.model_fields.keys() - {"periodic", "roughness"}


class StudyCase(SteppedCase):
    """Something whose outcome is a table; subclasses say in `table` what is in it."""

    frames: PositiveInt = Field(200, description="rows after the first, or a few more: the last one is the end")

    def steps_a_frame(self, steps: int) -> int:
        """Largest divisor of the number of steps that gives the wanted number of frames or more."""
        return next(every for every in range(max(1, steps // self.frames), 0, -1) if steps % every == 0)

    def table(self) -> tuple[np.ndarray, str, str]:
        """Columns, their names separated by commas, and what came out, in words."""
        raise NotImplementedError

    def write(self, path: Path, *, overwrite: bool = False) -> str:
        """Compute and write a table of comma-separated values; returns what came out, in words.

        Raises
        ------
        FileExistsError, OSError
            If the file exists or cannot be written; nothing has been computed then.
        """
        checks.output(path, overwrite=overwrite)
        columns, header, said = self.table()
        np.savetxt(path, columns, delimiter=",", header=header, comments="", fmt="%.17g")
        return said


class RotationCase(StudyCase):
    """One rigid body that rotates under a torque law, without contacts. Subclasses say which body and which law.

    Examples
    --------
    >>> import dem
    >>> top = dem.cases()["symmetric-top"](integrator="splitting", duration=1.0)
    >>> float(top.errors(top.history()).max()) < 1e-12
    True
    """

    frame: ClassVar[str] = "world"
    torque: ClassVar[Problem] = Problem(FREE)
    start: ClassVar[tuple[float, float, float]] = (0.0, 0.0, 0.0)  # angular velocity [rad/s]

    def inertia(self) -> tuple[float, float, float]:
        """Principal moments [kg m²]."""
        raise NotImplementedError

    def exact(self, time: np.ndarray) -> np.ndarray:
        """Orientations (K, 4) in closed form, or from a reference far more accurate than any scheme at `time_step`."""
        raise NotImplementedError

    def history(self, integrator: str | None = None, time_step: float | None = None) -> RotationHistory:
        """Integrate with this case's scheme and time step, or others."""
        dt = time_step or self.time_step
        steps = max(1, round(self.duration / dt))
        return integrate_rotation(
            integrator or self.integrator, inertia=self.inertia(), angular_velocity=self.start, torque=self.torque,
            time_step=dt, steps=steps, frame=self.frame, every=self.steps_a_frame(steps),
        )  # fmt: skip

    def errors(self, history: RotationHistory) -> np.ndarray:
        """Full angle between the orientations found and the exact ones (K,) [rad]."""
        return angle_between(self.exact(history.time), history.orientation)

    def table(self) -> tuple[np.ndarray, str, str]:
        """Columns with time, orientation, angular velocity and error; their names; and what came out."""
        history = self.history()
        errors = self.errors(history)
        columns = np.column_stack([history.time, history.orientation, history.angular_velocity, errors])
        said = (
            f"{len(history.time)} rows; with {self.integrator} the orientation is off by {errors[-1]:.3g} rad at the "
            f"end, by {errors.max():.3g} at most"
        )
        return columns, "time_s,q_w,q_x,q_y,q_z,omega_x,omega_y,omega_z,angle_error_rad", said


def names() -> list[str]:
    """Names of all installed cases."""
    return sorted(entry.name for entry in entry_points(group=GROUP))


def cases() -> dict[str, type[BaseCase]]:
    """All installed cases by name."""
    return {name: case(name) for name in names()}


def case(name: str) -> type[BaseCase]:
    """Look up a case; raises ValueError with the nearest name, or if it cannot be loaded."""
    checks.one_of("case", name, names())
    return _load(next(iter(entry_points(group=GROUP, name=name))))


def _load(entry: EntryPoint) -> type[BaseCase]:
    try:
        kind = entry.load()
    except Exception as error:
        message = f"case {entry.name} cannot be loaded from {entry.value}: {type(error).__name__}: {error}"
        raise ValueError(message) from error
    if not (isinstance(kind, type) and issubclass(kind, BaseCase) and getattr(kind, "name", None) == entry.name):
        message = f"case {entry.name}: {entry.value} is no dem.Case or dem.RotationCase whose name is {entry.name!r}"
        raise ValueError(message)
    return kind


def with_parameters(kind: type[BaseCase], parameters: dict) -> BaseCase:
    """Make a case; raises ValueError with one line for each parameter that is unknown or out of range."""
    try:
        return kind(**parameters)
    except ValidationError as error:
        raise ValueError("\n".join(_line(kind, e) for e in error.errors())) from None


def _line(kind: type[BaseCase], error: dict) -> str:
    name = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        try:
            checks.one_of(f"parameter of {kind.name}", name, kind.model_fields)
        except ValueError as unknown:
            return str(unknown)
    return f"{name} is {error['input']!r}: {error['msg'][0].lower()}{error['msg'][1:]}"
