"""Base class of all walls."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dem.base import checks, portable
from dem.base.text import shown
from dem.model.contact.law_registry import plain
from dem.model.materials import Material
from dem.model.walls.motion import Motion
from dem.model.walls.rigid_body import RigidWall
from dem.model.walls.servo import PID, Servo

if TYPE_CHECKING:
    from types import ModuleType

    from dem.model.walls.wall_shapes import WallShape

REVOLUTION, POINTS = 1, 9  # its kind in `dem.kernels.walls.geometry`, and where its numbers say how many points it has
REACHED = 1e-9  # share of a time by which a step may be before it and count as then: times of steps are rounded
PARALLEL = 1e-9  # sine of the angle between two directions that count as one
DEFAULTS = {
    "motion": (), "servo": None, "free": None, "surface_velocity": (0.0, 0.0, 0.0), "roughness": 0.0, "seed": 0,
    "wear": 0.0, "temperature": None, "heat_capacity": None, "heat_flux": 0.0, "present_from": 0.0,
    "present_until": math.inf, "acts_on": (), "ignores": (), "name": "",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, repr=False)
class Wall:
    """Base class of walls: a material, an optional motion, and a shape from the subclass.

    Parameters
    ----------
    material, motion, ..., name
        What every wall has, all of them at `dem.Cylinder`, the public class that describes them.
    """

    material: Material | None = None
    motion: tuple[Motion, ...] = ()
    servo: Servo | PID | None = None
    free: RigidWall | None = None
    surface_velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    roughness: float = 0.0
    seed: int = 0
    wear: float = 0.0
    temperature: float | None = None
    heat_capacity: float | None = None
    heat_flux: float = 0.0
    present_from: float = 0.0
    present_until: float = math.inf
    acts_on: tuple[str, ...] = ()
    ignores: tuple[str, ...] = ()
    name: str = ""

    ARRAYS: ClassVar[tuple[str, ...]] = ()  # fields that files keep as arrays of their own

    def __post_init__(self) -> None:
        """Check the values that all walls have."""
        if not isinstance(self.material, Material | None):
            message = f"material of the {self.word} is {shown(self.material)}, expected a dem.Material"
            raise TypeError(message)
        motion = () if self.motion is None else (self.motion,) if isinstance(self.motion, Motion) else self.motion
        motion = tuple(checks.listed("motion", motion, "dem.Motion(velocity=(0, 0, 0.1))"))
        if not all(isinstance(each, Motion) for each in motion):
            message = f"motion of the {self.word} is {self.motion!r}, expected a dem.Motion or a list of them"
            raise TypeError(message)
        object.__setattr__(self, "motion", motion)
        if not isinstance(self.servo, Servo | PID | None):
            message = f"servo of the {self.word} is {self.servo!r}, expected a dem.Servo, a dem.PID or None"
            raise TypeError(message)
        if not isinstance(self.free, RigidWall | None):
            message = f"free of the {self.word} is {self.free!r}, expected a dem.RigidWall or None"
            raise TypeError(message)
        self._check_free()
        given = checks.vector("surface_velocity", self.surface_velocity, "of a wall [m/s]")
        object.__setattr__(self, "surface_velocity", given)
        object.__setattr__(self, "roughness", checks.number("roughness", self.roughness, least=0, most=1, unit="rad"))
        object.__setattr__(self, "seed", checks.whole("seed", self.seed, least=0))
        object.__setattr__(self, "wear", checks.number("wear", self.wear, least=0, unit="1/Pa"))
        for quantity, unit in (("temperature", "K"), ("heat_capacity", "J/K")):
            if getattr(self, quantity) is not None:
                given = checks.number(quantity, getattr(self, quantity), above=0, unit=unit)
                object.__setattr__(self, quantity, given)
        object.__setattr__(self, "heat_flux", checks.number("heat_flux", self.heat_flux, unit="W/m2"))
        self._check_heat()
        checks.text("name", self.name)
        self._check_times()
        self._check_kinds()
        _ = self.shape  # which checks the rest
        if self.is_endless:
            self._check_turning()

    def _check_heat(self) -> None:
        """Refuse a heat capacity without a temperature to begin with, and with a flux."""
        if self.heat_capacity is not None and self.temperature is None:
            message = f"the {self.word} has a heat_capacity and no temperature at the start: give temperature"
            raise ValueError(message)
        if self.heat_capacity is not None and self.heat_flux:
            message = f"the {self.word} has a heat_capacity, and a heat_flux too: leave one out"
            raise ValueError(message)

    def _check_free(self) -> None:
        """Refuse a wall that is both moved and free."""
        if self.free and (self.motion or self.servo):
            message = f"the {self.word} is free, and has a {'motion' if self.motion else 'servo'} too: leave one out"
            raise ValueError(message)

    def _check_times(self) -> None:
        """Check the times at which the wall is present."""
        start = checks.number("present_from", self.present_from, least=0, unit="s")
        object.__setattr__(self, "present_from", start)
        if not (isinstance(self.present_until, float) and self.present_until == math.inf):
            stop = checks.number("present_until", self.present_until, above=start, unit="s")
            object.__setattr__(self, "present_until", stop)
        if self.changes and (self.servo or self.free):
            message = (
                f"the {self.word} has a {'servo' if self.servo else 'mass of its own (free)'}, and would go on moving "
                "while it is absent: leave present_from and present_until out"
            )
            raise ValueError(message)

    def _check_kinds(self) -> None:
        """Check the names of kinds; a simulation checks that these kinds exist."""
        for what in ("acts_on", "ignores"):
            given = getattr(self, what)
            given = (given,) if isinstance(given, str) else tuple(checks.listed(what, given, "['fine']"))
            for each in given:
                checks.text(what, each)
            object.__setattr__(self, what, given)
        if self.acts_on and self.ignores:
            message = f"acts_on and ignores of the {self.word} are both given: leave one out"
            raise ValueError(message)

    def _check_turning(self) -> None:
        """Refuse rotation that tilts an infinite wall, whose distant points would be arbitrarily fast."""
        if self.free and self.free.turns.any():
            message = f"a {self.word} has no end, and cannot turn: leave inertia out, or take dem.Rectangle or dem.Disc"
            raise ValueError(message)
        for each in self.motion:
            if each.turns and not self.is_same_turned(each.centre, each.axis):
                message = (
                    f"a {self.word} has no end, and cannot turn about {each.axis}: take dem.Rectangle or dem.Disc, or "
                    "turn it about its normal"
                )
                raise ValueError(message)

    @classmethod
    def type_name(cls) -> str:
        """Type of the wall in case files and descriptions of runs."""
        return cls.__name__.removesuffix("Wall").lower()

    @property
    def word(self) -> str:
        """Name of the wall, or else of its type, for messages."""
        return self.name or self.type_name()

    @cached_property
    def shape(self) -> WallShape:
        """Arrays that describe the wall to the kernels."""
        from dem.model.walls import wall_shapes  # noqa: PLC0415 (wants numba, which words do not)

        made = self.build_shape(wall_shapes)
        if not isinstance(made, wall_shapes.WallShape):
            raise TypeError(f"build_shape of {type(self).__name__} returns {shown(made)}, expected a WallShape")
        return made

    @property
    def is_endless(self) -> bool:
        """Whether the surface has no bounds in some direction."""
        return not np.isfinite([self.shape.lower, self.shape.upper]).all()

    @property
    def selects(self) -> bool:
        """Whether the wall acts on some kinds of particles only."""
        return bool(self.acts_on or self.ignores)

    @property
    def changes(self) -> tuple[float, ...]:
        """Times after 0 at which the wall appears or vanishes [s]."""
        return tuple(time for time in (self.present_from, self.present_until) if 0 < time < math.inf)

    def is_present(self, time: float) -> bool:
        """Whether the wall is present at the time of a step [s].

        Examples
        --------
        >>> import dem
        >>> gate = dem.Rectangle((0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), present_until=0.4)
        >>> gate.is_present(0.3999), gate.is_present(0.4)
        (True, False)
        """
        time *= 1 + REACHED
        return self.present_from <= time < self.present_until

    @property
    def pieces(self) -> int:
        """Number of parts with separate wear: triangles of a mesh, segments of a polyline, or one."""
        if self.shape.surface is not None:
            return len(self.shape.surface.triangles)
        return int(self.shape.numbers[POINTS]) - 1 if self.shape.kind == REVOLUTION else 1

    @property
    def wants_velocities(self) -> bool:
        """Whether the wall needs a contact law with velocities."""
        return self.roughness > 0 or self.wear > 0

    @property
    def middle(self) -> np.ndarray:
        """Centre of the wall, or of its finite extents, at time 0 (3,) [m]; a point of a plane."""
        lower, upper = self.shape.lower, self.shape.upper
        ends = np.isfinite(lower) & np.isfinite(upper)
        return np.where(ends, 0.5 * (np.where(ends, lower, 0.0) + np.where(ends, upper, 0.0)), 0.0)

    @property
    def centre_of_mass(self) -> np.ndarray:
        """Centre of mass of a free wall at time 0 (3,) [m]."""
        return self.middle if self.free.centre is None else np.array(self.free.centre)

    @property
    def torque_centre(self) -> np.ndarray:
        """Reference point of the torque on the wall, at time 0 (3,) [m].

        On the axis it turns about, or its middle; of a free wall its pivot, or its centre of mass.
        """
        if self.free:
            return self.centre_of_mass if self.free.pivot is None else np.array(self.free.pivot)
        turning = [motion.centre for motion in self.motion if motion.turns]
        return np.array(turning[0]) if turning else self.middle

    def build_shape(self, shapes: ModuleType) -> WallShape:
        """Kind, numbers and bounds of the wall; `shapes` is the module `dem.model.walls.wall_shapes`."""
        raise TypeError(f"{type(self).__name__} has no method build_shape, which returns a WallShape")

    def inside_shell(self, points: np.ndarray) -> np.ndarray:
        """Which points (M, 3) [m] are where particles must not be, inside a wall that is a thin shell (M,), at time 0.

        The distance to a thin shell does not tell its inside from its outside. No point by default: other walls push
        particles out of their solid.
        """
        return np.zeros(len(points), bool)

    def is_same_turned(self, centre: tuple[float, float, float], axis: tuple[float, float, float]) -> bool:
        """Whether the wall stays the same when rotated about an axis."""
        del centre, axis
        return False

    def arguments(self) -> dict[str, object]:
        """Arguments that make this wall, by name, without those left at their defaults."""
        names = [each.name for each in fields(self) if each.init]
        names = [name for name in names if name not in ("material", *DEFAULTS)] + ["material", *DEFAULTS]
        optional = DEFAULTS | {each.name: each.default for each in fields(type(self))}
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value != optional[name]}

    def __repr__(self) -> str:
        """Constructor call that makes this object."""
        arguments = self.arguments()
        if len(self.motion) == 1:
            arguments["motion"] = self.motion[0]
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"

    def saved(self) -> dict[str, object]:
        """Values that files store, besides arrays."""
        return {name: value for name, value in self.arguments().items() if name not in self.ARRAYS}


def described(wall: Wall, called: str) -> dict[str, object]:
    """Wall as plain values without arrays, with its name in the run."""
    arguments = {name: value for name, value in wall.arguments().items() if name not in wall.ARRAYS}
    arguments |= {"material": plain(wall.material), "name": called}
    if wall.motion:
        arguments["motion"] = [each.arguments() for each in wall.motion]
    if wall.servo:
        arguments["servo"] = wall.servo.saved()
    if wall.free:
        arguments["free"] = wall.free.saved()
    return {"type": wall.type_name(), **arguments}


def on_line(point: object, centre: object, axis: object) -> bool:
    """Whether a point lies on an axis, but for rounding."""
    arm, axis = np.subtract(point, centre), np.asarray(axis) / portable.length(axis)
    far = max(float(np.abs(point).max()), float(np.abs(centre).max()), 1e-300)
    return portable.length(np.cross(arm, axis)) <= PARALLEL * far


def parallel(one: object, other: object) -> bool:
    """Whether two directions are the same or opposite, but for rounding."""
    size = portable.length(one) * portable.length(other)
    return portable.length(np.cross(one, other)) <= PARALLEL * size
