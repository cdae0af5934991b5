"""Prescribed motion of walls: velocity, vibration, rotation, tables."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from dem.base import checks
from dem.base.user_classes import hinted

ALWAYS = ("velocity", "amplitude", "frequency", "phase")  # what every wall may do, and files have always told


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Motion:
    """Motion of a wall: constant velocity, vibration, rotation, a table, or their sum.

    x(t) = x(0) + u t + s (sin(2 π f t + φ) - sin φ), whatever the particles do; turning by the angle Ω t about an axis
    through a point that moves along. Faces of a `Box` do not turn, start, stop or follow tables.

    Parameters
    ----------
    velocity : (3,) floats
        u [m/s].
    amplitude : (3,) floats
        s [m].
    frequency : float
        f [Hz].
    phase : float
        φ [rad].
    axis : (3,) floats
        Direction of the axis; the wall turns about it by the right-hand rule.
    centre : (3,) floats
        A point of the axis at time 0 [m]; torques on the wall are about it.
    rate : float
        Ω [rad/s].
    start, stop : float
        When it begins and ends [s]: t counts from the start, and before and after nothing moves.
    table : sequence of rows, optional
        (time, x, y, z) or (time, x, y, z, angle) since the start [s, m, rad], in ascending times: a displacement, and
        an angle about the axis, that are added to the others; linear between the rows, and constant beyond them.

    Raises
    ------
    ValueError
        If a value is not finite or the frequency negative, or for a part of a motion that needs another.

    Examples
    --------
    >>> Motion(rate=2.0, axis=(0, 1, 0), centre=(0, 0, 0.1), start=0.5)
    Motion(axis=(0.0, 1.0, 0.0), centre=(0.0, 0.0, 0.1), rate=2.0, start=0.5)
    >>> Motion(table=[(0, 0, 0, 0), (1, 0, 0, 0.1), (2, 0, 0, 0)]).fastest
    0.1
    """

    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    amplitude: tuple[float, float, float] = (0.0, 0.0, 0.0)
    frequency: float = 0.0
    phase: float = 0.0
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    centre: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rate: float = 0.0
    start: float = 0.0
    stop: float = math.inf
    table: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        """Check all values."""
        meanings = {
            "velocity": "of a wall [m/s]", "amplitude": "of a wall's vibration [m]",
            "axis": "that a wall turns about", "centre": "of a wall's rotation [m]",
        }  # fmt: skip
        for name, meaning in meanings.items():
            object.__setattr__(self, name, checks.vector(name, getattr(self, name), meaning))
        object.__setattr__(self, "frequency", checks.number("frequency", self.frequency, least=0, unit="Hz"))
        for name, unit in (("phase", "rad"), ("rate", "rad/s"), ("start", "s")):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), unit=unit))
        if not (isinstance(self.stop, float) and self.stop == math.inf):
            object.__setattr__(self, "stop", checks.number("stop", self.stop, above=self.start, unit="s"))
        checks.direction("axis", self.axis)
        self._check_vibration()
        object.__setattr__(self, "table", self._rows())

    def _check_vibration(self) -> None:
        given = [name for name in ("amplitude", "frequency", "phase") if np.any(getattr(self, name))]
        lacking = " and ".join(name for name in ("amplitude", "frequency") if name not in given)
        if given and lacking:
            there = " and ".join(given)
            message = f"a motion with {there} but no {lacking} does not vibrate: give {lacking}, or leave out {there}"
            raise ValueError(message)

    def _rows(self) -> tuple[tuple[float, ...], ...]:
        rows = checks.listed("table", self.table, "(0.0, 0.0, 0.0, 0.0)")
        if not rows:
            return ()
        width = len(rows[0]) if hasattr(rows[0], "__len__") and len(rows[0]) in (4, 5) else 4
        meaning = "rows of (time, x, y, z) or (time, x, y, z, angle) [s, m, rad]"
        values = checks.array("table", rows, (len(rows), width), meaning, rows="N")
        if values[0, 0] < 0:
            message = f"table begins at {values[0, 0]:g} s, expected times from 0 on, since the start of the motion"
            raise ValueError(message)
        if not (np.diff(values[:, 0]) > 0).all():
            k = int(np.argmax(~(np.diff(values[:, 0]) > 0)))
            message = f"table has time {values[k + 1, 0]:g} s after {values[k, 0]:g} s: let times ascend"
            raise ValueError(message)
        return tuple(tuple(row) for row in values.tolist())

    def __repr__(self) -> str:
        """Constructor call that makes this object."""
        arguments = self.saved() if self.for_ever else self.arguments()
        return f"Motion({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"

    def saved(self) -> dict[str, object]:
        """Values that files store: those of every motion, and given ones."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if name in ALWAYS or value != _DEFAULTS[name]}

    def arguments(self) -> dict[str, object]:
        """Arguments that make this motion, by name, without those left at their defaults."""
        return {name: value for name, value in self.saved().items() if value != _DEFAULTS[name]}

    @property
    def for_ever(self) -> bool:
        """Whether the motion is only a constant velocity and a vibration, at all times."""
        return not (self.saved().keys() - set(ALWAYS))

    @property
    def turns(self) -> bool:
        """Whether the motion rotates the wall."""
        return self.rate != 0 or any(row[4] != 0 for row in self.table if len(row) > 4)

    @property
    def moves(self) -> bool:
        """Whether the motion moves the wall at all."""
        return any(self.velocity) or any(self.amplitude) or self.turns or bool(self.table)

    @property
    def end(self) -> float:
        """Time at which the motion stops, or its table ends if nothing else moves the wall [s]; infinite if never."""
        lasts = any(self.velocity) or any(self.amplitude) or self.rate != 0
        by_table = self.start + self.table[-1][0] if self.table and not lasts else math.inf
        return min(self.stop, by_table)

    @property
    def fastest(self) -> float:
        """Upper bound of the speed, without rotation [m/s]."""
        rows = np.array([row[:4] for row in self.table]).reshape(-1, 4)
        steps = np.diff(rows, axis=0)
        by_table = float((np.linalg.norm(steps[:, 1:], axis=1) / steps[:, 0]).max(initial=0.0))
        return math.hypot(*self.velocity) + 2 * math.pi * self.frequency * math.hypot(*self.amplitude) + by_table

    @property
    def fastest_turn(self) -> float:
        """Upper bound of the angular speed [rad/s]."""
        rows = np.array([row if len(row) > 4 else (*row, 0.0) for row in self.table]).reshape(-1, 5)
        steps = np.diff(rows, axis=0)
        return abs(self.rate) + float((np.abs(steps[:, 4]) / steps[:, 0]).max(initial=0.0))


_DEFAULTS = {each.name: each.default for each in fields(Motion)}
