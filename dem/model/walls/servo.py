"""Controllers of the force on a wall; stress control of a periodic cell is in `dem.model.domain.cell`."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from dem.base import checks
from dem.base.user_classes import hinted


class Controller:
    """Base of servos and PIDs: a force F₀ along an axis, which may change at given times."""

    force: float
    axis: tuple[float, float, float]
    fastest: float | None
    schedule: tuple[tuple[float, float], ...] = ()

    def check_pressing(self) -> None:
        """Check force, axis and largest speed."""
        object.__setattr__(self, "force", checks.number("force", self.force, unit="N"))
        object.__setattr__(self, "axis", checks.direction("axis", self.axis, "a direction in which a wall presses"))
        if self.fastest is not None:
            object.__setattr__(self, "fastest", checks.number("fastest", self.fastest, above=0, unit="m/s"))

    @property
    def changes(self) -> tuple[float, ...]:
        """Times at which the force changes [s]."""
        return tuple(time for time, _ in self.schedule)

    def force_at(self, time: float) -> float:
        """Force at a time [N]."""
        return [self.force, *(force for start, force in self.schedule if start <= time)][-1]

    @property
    def strongest(self) -> float:
        """Largest magnitude of the force at any time [N]."""
        return max(abs(force) for force in (self.force, *(force for _, force in self.schedule)))

    def saved(self) -> dict[str, object]:
        """Values that files store; the schedule only if there is one."""
        return {
            each.name: getattr(self, each.name) for each in fields(self) if each.name != "schedule" or self.schedule
        }


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Servo(Controller):
    """Moves a wall along an axis so that it presses on particles with a force: a platen, a loaded piston.

    v = (α (F₀ - F) + c v')/(k Δt + c), with F what it presses with, v' its velocity before, k the stiffness of all its
    contacts and c the coefficient of all their dashpots, so that a share α of what lacks is made up in a time step; it
    acts from the next step on. Where nothing touches, it goes at its largest speed. A schedule changes the force at
    given times, as when a sample is presheared and then sheared under a smaller load.

    Parameters
    ----------
    force : float
        F₀, along the axis [N].
    axis : (3,) floats
        Direction in which it presses, of any length; it does not turn.
    fastest : float, optional
        Largest speed [m/s]; default, and never more than: 1/80 of the smallest diameter in a time step.
    gain : float
        α, above 0 and at most 1. The default takes 50 time steps, about as long as a contact with the advised time
        step.
    schedule : sequence of (time, force)
        Forces that take the place of F₀ from these times on [s, N], in ascending times above 0, rounded up to whole
        steps.

    Raises
    ------
    ValueError, TypeError
        If a value is out of range, or times do not ascend.

    Examples
    --------
    >>> Servo(force=2.0, axis=(0, 0, -1), schedule=[(0.5, 1.0)]).force_at(0.6)
    1.0
    >>> Servo(force=2.0, axis=(0, 0, -1), fastest=0.05)
    Servo(force=2.0, axis=(0.0, 0.0, -1.0), fastest=0.05, gain=0.02)
    """

    force: float
    axis: tuple[float, float, float]
    fastest: float | None = None
    gain: float = 0.02
    schedule: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        """Check all values."""
        self.check_pressing()
        object.__setattr__(self, "gain", checks.number("gain", self.gain, above=0, most=1))
        rows = checks.listed("schedule", self.schedule, "(0.5, 1.0)")
        if rows:
            values = checks.array("schedule", rows, (len(rows), 2), "rows of (time, force) [s, N]", rows="N")
            if not (np.diff(values[:, 0], prepend=0.0) > 0).all():
                message = f"schedule has times {values[:, 0].tolist()} s, expected ascending ones above 0"
                raise ValueError(message)
            rows = [tuple(row) for row in values.tolist()]
        object.__setattr__(self, "schedule", tuple(rows))

    def __repr__(self) -> str:
        """Constructor call that makes this object."""
        return f"Servo({', '.join(f'{name}={value!r}' for name, value in self.saved().items())})"


@hinted
@dataclass(frozen=True, kw_only=True)
class PID(Controller):
    """Controls a force like `dem.Servo`, by a PID controller with given gains.

    v = v_max (k_p e + k_i ∫e dt + k_d de/dt), at most v_max, with e = (F₀ - F)/|F₀|. The integral stands still
    while the speed is at its limit. Dashpots answer a change of velocity at once: keep k_d small where contacts are
    damped. As in LIGGGHTS (``mesh/surface/stress/servo``) and YADE (``ServoPIDController``).

    Parameters
    ----------
    force, axis
        As of `dem.Servo`; the force not zero.
    fastest : float
        v_max [m/s]; never more than 1/80 of the smallest diameter in a time step.
    proportional : float
        k_p, a coefficient.
    integral : float
        k_i [1/s].
    derivative : float
        k_d [s].

    Raises
    ------
    ValueError, TypeError
        If a value is out of range.

    Examples
    --------
    >>> PID(force=2.0, axis=(0, 0, -1), fastest=0.05, proportional=0.1, integral=5.0).integral
    5.0
    """

    force: float
    axis: tuple[float, float, float]
    fastest: float
    proportional: float = 0.0
    integral: float = 0.0
    derivative: float = 0.0

    def __post_init__(self) -> None:
        """Check all values."""
        object.__setattr__(self, "fastest", checks.number("fastest", self.fastest, above=0, unit="m/s"))
        self.check_pressing()
        factors = ("proportional", "integral", "derivative")
        for name, unit in zip(factors, ("", "1/s", "s"), strict=True):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), least=0, unit=unit))
        if self.force == 0 or not any(getattr(self, name) for name in factors):
            lacking = "force is 0" if self.force == 0 else "proportional, integral and derivative are all 0"
            message = f"{lacking}, with which a PID does nothing: give it, or take dem.Servo"
            raise ValueError(message)
