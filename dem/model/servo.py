"""What holds a force on a wall."""

from __future__ import annotations

from dataclasses import dataclass

from dem.base import checks
from dem.base.hints import hinted


@hinted
@dataclass(frozen=True, kw_only=True)
class Servo:
    """Moves a wall along an axis so that it presses on particles with a force: a platen, a loaded piston.

    v = α (F₀ - F)/(k Δt), with F what it presses with and k the stiffness of all its contacts, so that a share α of
    what lacks is made up in a time step; it acts from the next step on. Where nothing touches, it goes at its largest
    speed.

    Parameters
    ----------
    force : float
        F₀, along the axis [N].
    axis : (3,) floats
        Direction in which it presses, of any length; it does not turn.
    fastest : float, optional
        Largest speed [m/s]; default, and never more than: a quarter of the skin of the candidates a time step.
    gain : float
        α, above 0 and at most 1. The default takes 50 time steps, about as long as a contact with the advised time
        step: dashpots resist the velocity of the wall at once, and with much more it is thrown to and fro by them. It
        goes as dt gets smaller: with damped contacts and a third of the advised time step or less the force swings, and
        the ledger shows it; take as much smaller a gain then.

    Raises
    ------
    ValueError, TypeError
        If a value is out of range.

    Examples
    --------
    >>> Servo(force=2.0, axis=(0, 0, -1), fastest=0.05)
    Servo(force=2.0, axis=(0.0, 0.0, -1.0), fastest=0.05, gain=0.02)
    """

    force: float
    axis: tuple[float, float, float]
    fastest: float | None = None
    gain: float = 0.02

    def __post_init__(self) -> None:
        """Check all values."""
        object.__setattr__(self, "force", checks.number("force", self.force, unit="N"))
        object.__setattr__(self, "axis", checks.vector("axis", self.axis, "in which a wall presses"))
        if not any(self.axis):
            message = f"axis is {self.axis}, expected a direction: not all zeros"
            raise ValueError(message)
        if self.fastest is not None:
            object.__setattr__(self, "fastest", checks.number("fastest", self.fastest, above=0, unit="m/s"))
        object.__setattr__(self, "gain", checks.number("gain", self.gain, above=0, most=1))
