"""Walls that are rigid bodies, moved by the forces of particles."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from dem.base import checks, portable
from dem.base.user_classes import hinted

AXES = ("x", "y", "z", "rx", "ry", "rz")


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class RigidWall:
    """Rigid-body dynamics of a wall that particles, its weight and other forces move: a lid, a flap, a loaded piston.

    m dv/dt = F, dL/dt = T, in steps of second order that keep momentum to rounding. It
    touches particles only, no other walls.

    Parameters
    ----------
    mass : float
        [kg].
    inertia : (3,) or (3, 3) floats, optional
        About the centre of mass: principal moments about the axes of the world at time 0, or the whole tensor [kg m²].
        Without it the wall does not turn.
    centre : (3,) floats, optional
        The centre of mass at time 0 [m]; default: the middle of the wall.
    pivot : (3,) floats, optional
        A point that is held, about which it turns: a hinge, with axes locked, or a ball joint [m].
    locked : sequence of names
        "x", "y", "z" prevent motion along these axes of the world; "rx", "ry", "rz" prevent rotation about them.
    force : (3,) floats
        On its centre of mass, besides its weight [N].
    velocity, angular_velocity : (3,) floats
        Velocities at time 0 [m/s, rad/s].

    Raises
    ------
    ValueError, TypeError
        If a value is out of range, or nothing is left that may move.

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=2e8, poisson=0.3, name="steel")
    >>> lid = dem.Disc((0, 0, 0.1), (0, 0, 1), 0.05, material=steel, free=dem.RigidWall(mass=0.2, locked=("x", "y")))
    >>> lid.free
    RigidWall(mass=0.2, locked=('x', 'y'))
    """

    mass: float
    inertia: tuple[tuple[float, float, float], ...] | tuple[float, float, float] | None = None
    centre: tuple[float, float, float] | None = None
    pivot: tuple[float, float, float] | None = None
    locked: tuple[str, ...] = ()
    force: tuple[float, float, float] = (0.0, 0.0, 0.0)
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    angular_velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check all values."""
        object.__setattr__(self, "mass", checks.number("mass", self.mass, above=0, unit="kg"))
        meanings = {
            "centre": "of mass of a wall [m]", "pivot": "that a wall turns about [m]", "force": "on a wall [N]",
            "velocity": "of a wall [m/s]", "angular_velocity": "of a wall [rad/s]",
        }  # fmt: skip
        for name, meaning in meanings.items():
            if not (getattr(self, name) is None and name in ("centre", "pivot")):  # which may be left out
                object.__setattr__(self, name, checks.vector(name, getattr(self, name), meaning))
        given = (self.locked,) if isinstance(self.locked, str) else self.locked
        locked = checks.listed("locked", given, "x")
        for name in locked:
            checks.one_of("locked", name, AXES)
        object.__setattr__(self, "locked", tuple(name for name in AXES if name in locked))
        if self.inertia is not None:
            object.__setattr__(self, "inertia", self._tensor_given())
        self._check_moves()

    def _tensor_given(self) -> tuple:
        """Check the given tensor of inertia: that of a physical body."""
        whole = checks.numbers("inertia", self.inertia).ndim == 2
        values = checks.array("inertia", self.inertia, (3, 3) if whole else (3,), "of a wall [kg m2]")
        tensor = values if whole else np.diag(values)
        principal = portable.eigen(tensor)[0]
        if not np.allclose(tensor, tensor.T, rtol=1e-12) or principal[0] <= 0 or principal[2] > 1.000001 * (
            principal[0] + principal[1]
        ):  # fmt: skip
            message = (
                f"inertia is {self.inertia}, of principal moments {tuple(principal.tolist())} kg m2: expected a "
                "symmetric tensor, or its diagonal, of moments above 0 none of which exceeds the sum of the other two"
            )
            raise ValueError(message)
        return tuple(map(tuple, values.tolist())) if whole else tuple(values.tolist())

    def _check_moves(self) -> None:
        """Refuse contradictory values."""
        if self.pivot is not None and self.inertia is None:
            message = "a wall with a pivot turns about it, and needs its inertia: give inertia, or leave pivot out"
            raise ValueError(message)
        if not (self.slides.any() or self.turns.any()):
            message = f"locked is {self.locked}, which leaves nothing that may move: leave free out"
            raise ValueError(message)
        for name, may in (("velocity", self.slides), ("angular_velocity", self.turns)):
            if np.any(np.array(getattr(self, name))[~may]):
                held = f"{' and '.join(self.held)} {'are' if len(self.held) > 1 else 'is'} held"
                message = (
                    f"{name} is {getattr(self, name)}, but {held}: let these components be 0, or free them, by locked "
                    "(x, y, z), inertia (rx, ry, rz) and pivot"
                )
                raise ValueError(message)

    @property
    def held(self) -> list[str]:
        """Names of the fixed degrees of freedom."""
        may = dict(zip(AXES, (*self.slides, *self.turns), strict=True))
        return [name for name in AXES if not may[name]]

    @cached_property
    def slides(self) -> np.ndarray:
        """Axes along which the wall may move (3,)."""
        return np.array([self.pivot is None and name not in self.locked for name in AXES[:3]])

    @cached_property
    def turns(self) -> np.ndarray:
        """Axes about which the wall may rotate (3,)."""
        return np.array([self.inertia is not None and name not in self.locked for name in AXES[3:]])

    def tensor_about(self, arm: np.ndarray) -> np.ndarray:
        """Tensor of inertia about a point that the centre of mass is `arm` (3,) away from [m] (3, 3) [kg m²]."""
        own = np.zeros((3, 3)) if self.inertia is None else np.array(self.inertia)
        own = np.diag(own) if own.ndim == 1 else own
        return own + self.mass * (portable.dot(arm, arm) * np.eye(3) - np.outer(arm, arm))

    def saved(self) -> dict[str, object]:
        """Arguments by name, without those left at their defaults."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if name == "mass" or value != _DEFAULTS[name]}

    def __repr__(self) -> str:
        """Constructor call that makes this object."""
        return f"RigidWall({', '.join(f'{name}={value!r}' for name, value in self.saved().items())})"


_DEFAULTS = {each.name: each.default for each in fields(RigidWall)}
