"""Words for the elastic force of contacts, and what they make of kernels' tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dem.base import checks
from dem.base.typo_hints import hinted
from dem.model.contact import restitution
from dem.model.contact.law_component import LawPart, flag, kind, number

if TYPE_CHECKING:
    from dem.model.contact.law_component import LawTables

TANGENTIAL = 2 / 7  # of the normal stiffness: a slip is then exactly reversed in an undamped impact of spheres
SIDEWAYS = "tangential stiffness over the normal one"


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Hertz(LawPart):
    """Elastic spheres, F = 4/3 E* √(R* δ³); Johnson (1985), eq. (4.22). The default.

    Examples
    --------
    >>> Hertz()
    Hertz()
    """

    SLOT, TABLES = "normal", "hertz.Hertz"
    type: str = kind("hertz")

    def shear(self, mindlin: float) -> float:
        """6 G*/E*."""
        return mindlin

    def alpha(self, wanted: float) -> float:
        """Of Tsuji et al. (1992)."""
        return restitution.damping(wanted)

    def dashpot(self, shear: float) -> float:
        """√(2/3 shear)."""
        return math.sqrt(2 / 3 * shear)


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Linear(LawPart):
    """Linear spring, F = k δ, whose contacts last equally long at any speed (Cundall & Strack 1979).

    Parameters
    ----------
    stiffness : float, optional
        k [N/m]; or else one of:
    collision_time : float, optional
        Duration of an impact of two bodies [s], damping included; k is then proportional to their reduced mass.
    overlap, speed : float, optional
        Largest overlap [m] of an undamped impact at a speed [m/s]; k is proportional to the reduced mass as well.
        A speed alone: the overlap is that of Hertz's law, so that k follows from Young's modulus, radius and mass,
        16/15 E* √R* (15 m* v²/(16 E* √R*))^(1/5), the "characteristic velocity" of LIGGGHTS.
    tension : bool
        Whether contacts end when the surfaces part, having pulled at each other (LAMMPS, MercuryDPM), instead of when
        the force vanishes.
    tangential : float
        Tangential stiffness over k.

    Raises
    ------
    ValueError, TypeError
        If k is given more or less than once, or a value is out of range.

    Examples
    --------
    >>> Linear(stiffness=1000.0)
    Linear(stiffness=1000.0, tension=False, tangential=0.2857142857142857)
    """

    SLOT, TABLES = "normal", "linear.Linear"
    type: str = kind("linear")
    stiffness: float | None = number("k", unit="N/m", above=0, default=None, example=1000.0)
    collision_time: float | None = number(
        "duration of an impact, in place of k", unit="s", above=0, default=None, example=1e-4
    )
    overlap: float | None = number(
        "largest one of an impact at `speed`, in place of k", unit="m", above=0, default=None, example=1e-5
    )
    speed: float | None = number(
        "of that impact; alone: its overlap is Hertz's", unit="m/s", above=0, default=None, example=1.0
    )
    tension: bool = flag("whether surfaces pull before they part")
    tangential: float = number(SIDEWAYS, above=0, default=TANGENTIAL, example=TANGENTIAL)

    def _fits(self) -> None:
        """Refuse a stiffness that is said more or less than once."""
        ways = ("stiffness", "collision_time", "overlap", "speed")
        given = tuple(name for name in ways if getattr(self, name) is not None)
        if given not in (("stiffness",), ("collision_time",), ("overlap", "speed"), ("speed",)):
            message = (
                f"dem.Linear has {' and '.join(given) or 'no stiffness'}, expected stiffness, or collision_time, or "
                "overlap and speed, or speed alone"
            )
            raise ValueError(message)

    def tables(self, pairs: LawTables) -> tuple:
        """Of springs, or of rates that make them with the mass."""
        from dem.kernels.laws import Linear as Tables  # noqa: PLC0415

        return Tables(
            stiffness=pairs.values("normal", "stiffness"),
            rate=pairs(lambda contact, *_: contact.normal.rate(contact.restitution)),
            pulls=pairs.values("normal", "tension"),
            speed=pairs(lambda contact, *_: 0.0 if contact.normal.overlap else contact.normal.speed or 0.0),
        )

    def alpha(self, wanted: float) -> float:
        """Twice the damping ratio."""
        return 2 * restitution.ratio(wanted, tension=self.tension)

    def rate(self, wanted: float) -> float:
        """k over the reduced mass [1/s²], where that is what has been said."""
        if self.collision_time:
            return (restitution.duration(self.alpha(wanted) / 2, tension=self.tension) / self.collision_time) ** 2
        return (self.speed / self.overlap) ** 2 if self.overlap else 0.0


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Hysteretic(LawPart):
    """Plastic contacts: springs that are stiffer when they unload (Walton & Braun 1986; Luding 2008, sec. 2.2).

    Restitution follows from the stiffnesses, and is the same at any speed unless there is a depth.

    Parameters
    ----------
    loading : float
        k_1 [N/m].
    unloading : float
        k_2 [N/m], no less than k_1; with a depth that of the deepest contacts, k_p.
    cohesion : float
        k_c [N/m], not negative: contacts pull by k_c δ at most before surfaces part.
    depth : float, optional
        φ_f: the plastic overlap of the deepest contacts, over 2 R*; k_2 then goes from k_1 to k_p as contacts get
        deeper. Default: the same k_2 at any overlap.
    tangential : float
        Tangential stiffness over k_1.

    Raises
    ------
    ValueError, TypeError
        If a value is out of range.

    Examples
    --------
    >>> spring = Hysteretic(loading=1000.0, unloading=1600.0, cohesion=400.0)
    >>> round(spring.restitution(), 12), spring.sticks()
    (0.761577310586, False)
    """

    SLOT, TABLES = "normal", "hysteretic.Hysteretic"
    type: str = kind("hysteretic")
    loading: float = number("stiffness k_1", unit="N/m", above=0, example=1000.0)
    unloading: float = number("stiffness k_2, no less", unit="N/m", above=0, example=1600.0)
    cohesion: float = number("largest pull over overlap", unit="N/m", least=0, default=0.0, example=400.0)
    depth: float | None = number("largest plastic overlap over 2 R*", above=0, default=None, example=0.05)
    tangential: float = number(SIDEWAYS, above=0, default=TANGENTIAL, example=TANGENTIAL)

    ELASTIC: ClassVar[bool] = False

    def _fits(self) -> None:
        """Refuse springs that are softer when they unload, and a depth without a difference."""
        checks.number("unloading", self.unloading, least=self.loading, unit="N/m")
        if self.depth and self.unloading == self.loading:
            message = f"depth is {self.depth}, which needs unloading ({self.unloading}) above loading"
            raise ValueError(message)

    def tables(self, pairs: LawTables) -> tuple:
        """Of stiffnesses, and of the overlap beyond which contacts are elastic."""
        from dem.kernels.laws import Hysteretic as Tables  # noqa: PLC0415

        values = (pairs.values("normal", name) for name in ("loading", "unloading", "cohesion"))
        return Tables(*values, depth=pairs(lambda contact, *_: contact.normal.elastic_beyond()))

    def elastic_beyond(self) -> float:
        """Overlap beyond which contacts are elastic, over R*; 0 if none are."""
        return 2 * self.depth * self.unloading / (self.unloading - self.loading) if self.depth else 0.0

    def restitution(self) -> float:
        """Coefficient of restitution of an impact without other losses, 0 if the two stick.

        e² = k_1/k_2 - k_c (k_2 - k_1)²/(k_1 k_2 (k_2 + k_c)).

        Raises
        ------
        ValueError
            If there is a depth: it then depends on speed.
        """
        if self.depth:
            message = f"the restitution of {self} depends on speed"
            raise ValueError(message)
        k_1, k_2, k_c = self.loading, self.unloading, self.cohesion
        return math.sqrt(max(k_1 / k_2 - k_c * (k_2 - k_1) ** 2 / (k_1 * k_2 * (k_2 + k_c)), 0.0))

    def sticks(self) -> bool:
        """Whether two that meet stay together, without a depth and from outside: k_c ≥ k_1²/(k_2 - 2 k_1)."""
        return self.restitution() == 0


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class PowerLaw(LawPart):
    """A spring F = k δ^n.

    Parameters
    ----------
    stiffness : float
        k [N/m^n].
    exponent : float
        n, at least 1.
    tangential : float
        Tangential stiffness over F/δ.

    Raises
    ------
    ValueError, TypeError
        If a value is out of range.

    Examples
    --------
    >>> PowerLaw(stiffness=1e7, exponent=2)
    PowerLaw(stiffness=10000000.0, exponent=2.0, tangential=0.2857142857142857)
    """

    SLOT, TABLES = "normal", "power.Power"
    type: str = kind("power")
    stiffness: float = number("k", unit="N/m^n", above=0, example=1000.0)
    exponent: float = number("n", least=1, example=1.5)
    tangential: float = number(SIDEWAYS, above=0, default=TANGENTIAL, example=TANGENTIAL)

    ALIKE: ClassVar[tuple[str, ...]] = ("exponent",)

    def alpha(self, wanted: float) -> float:
        """√(2 (n + 1)) times the damping ratio, see `dem.kernels.laws.power`."""
        return restitution.ratio(wanted) * math.sqrt(2 * (self.exponent + 1))

    def dashpot(self, shear: float) -> float:
        """√(shear/n), as of Hertz's law."""
        return math.sqrt(shear / self.exponent)
