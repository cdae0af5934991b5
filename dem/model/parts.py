"""What contacts are composed of: words for the parts of contact laws, see `kernels.laws`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from dem.base import checks

if TYPE_CHECKING:
    from collections.abc import Callable

SLOTS = ("normal", "damping", "rolling", "twisting", "adhesion")  # beside restitution and friction
TANGENTIAL = 2 / 7  # of the normal stiffness: a slip is then exactly reversed in an undamped impact of spheres


class Part:
    """One part of a contact: numbers, checked; what is None has not been said."""

    def _check(self, name: str, **limits: float) -> None:
        """Check a number, and keep it as a float."""
        value = getattr(self, name)
        if value is not None:
            object.__setattr__(self, name, checks.number(name, value, **limits))

    def said(self) -> dict[str, object]:
        """What has been said, by name; the type among it."""
        return {each.name: v for each in fields(self) if (v := getattr(self, each.name)) is not None}

    def __repr__(self) -> str:
        """As it was made."""
        values = (f"{name}={value!r}" for name, value in self.said().items() if name != "type")
        return f"{type(self).__name__}({', '.join(values)})"

    def mean(self, other: Part, rule: Callable[[float, float], float]) -> Part:
        """What two materials that say this and that do to each other; raises ValueError if nothing follows."""
        one, two = self.said(), other.said()
        if type(self) is not type(other) or one.keys() != two.keys():
            message = f"nothing follows from {self} and {other}: give the two materials an entry in contacts"
            raise ValueError(message)
        made = {}
        for name, value in one.items():
            number = isinstance(value, float)
            if not number and value != two[name]:
                message = f"{self} and {other} differ in {name}: give the two materials an entry in contacts"
                raise ValueError(message)
            made[name] = rule(value, two[name]) if number else value
        return type(self)(**{name: value for name, value in made.items() if name != "type"})


def _kind(name: str) -> object:
    """The word by which files and case files know a part."""
    return field(default=name, init=False, repr=False)


@dataclass(frozen=True, kw_only=True, repr=False)
class Hertz(Part):
    """Elastic spheres, F = 4/3 E* √(R* δ³); Johnson (1985), eq. (4.22). The default.

    Examples
    --------
    >>> Hertz()
    Hertz()
    """

    type: str = _kind("hertz")


@dataclass(frozen=True, kw_only=True, repr=False)
class Linear(Part):
    """Linear spring, F = k δ, whose contacts last equally long at any speed (Cundall & Strack 1979).

    Parameters
    ----------
    stiffness : float, optional
        k [N/m]; or else one of:
    collision_time : float, optional
        Duration of an impact of two bodies [s], damping included; k is then proportional to their reduced mass.
    overlap, speed : float, optional
        Largest overlap [m] of an undamped impact at a speed [m/s]; k is proportional to the reduced mass as well.
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

    type: str = _kind("linear")
    stiffness: float | None = None
    collision_time: float | None = None
    overlap: float | None = None
    speed: float | None = None
    tension: bool = False
    tangential: float = TANGENTIAL

    def __post_init__(self) -> None:
        """Check all of it."""
        ways = {"stiffness": "N/m", "collision_time": "s", "overlap": "m", "speed": "m/s"}
        for name, unit in ways.items():
            self._check(name, above=0, unit=unit)
        self._check("tangential", above=0)
        given = tuple(name for name in ways if getattr(self, name) is not None)
        if given not in (("stiffness",), ("collision_time",), ("overlap", "speed")):
            message = (
                f"dem.Linear has {' and '.join(given) or 'no stiffness'}, expected stiffness, or collision_time, or "
                "overlap and speed"
            )
            raise ValueError(message)
        if not isinstance(self.tension, bool):
            message = f"tension is {self.tension!r}, expected True or False"
            raise TypeError(message)


@dataclass(frozen=True, kw_only=True, repr=False)
class Rolling(Part):
    """Resistance to rolling: a couple up to μ_r R* F_n, like friction's force (Luding 2008; Ai et al. 2011, type C).

    Parameters
    ----------
    friction : float
        μ_r, of the effective radius R*, not negative: a sphere stays at rest on a slope of up to atan μ_r.
    model : "spring" or "constant"
        With a spring, which remembers how far a contact has rolled and holds at rest; or the same couple at any angle
        (Ai et al., type A), which does not.
    stiffness : float, optional
        Of the spring, over F_n/δ; default 2.25 μ_r² (Ai et al. 2011, eq. (20)).
    damping : float
        Of the spring, over critical damping.

    Raises
    ------
    ValueError, TypeError
        If a value is out of range.

    Examples
    --------
    >>> Rolling(friction=0.1)
    Rolling(friction=0.1, model='spring', damping=0.3)
    """

    type: str = _kind("rolling")
    friction: float
    model: str = "spring"
    stiffness: float | None = None
    damping: float = 0.3

    def __post_init__(self) -> None:
        """Check all of it."""
        self._check("friction", least=0)
        checks.one_of("model", self.model, ("spring", "constant"))
        self._check("stiffness", above=0)
        self._check("damping", least=0)


@dataclass(frozen=True, kw_only=True, repr=False)
class Twisting(Part):
    """Resistance to twisting about the normal, from the same friction as sliding.

    Parameters
    ----------
    model : "hertz" or "marshall"
        Stiffness 8/3 G a³ (two equal spheres, Lubkin 1951) and largest couple 3π/16 μ a F_n, exact under Hertz's
        pressure; or k_t a²/2 and 2/3 μ a F_n (Marshall 2009).

    Raises
    ------
    ValueError
        For an unknown model.

    Examples
    --------
    >>> Twisting()
    Twisting(model='hertz')
    """

    type: str = _kind("twisting")
    model: str = "hertz"

    def __post_init__(self) -> None:
        """Check the model."""
        checks.one_of("model", self.model, ("hertz", "marshall"))


@dataclass(frozen=True, kw_only=True, repr=False)
class DMT(Part):
    """Adhesion of small, stiff spheres: a pull of 2π w R* while they touch (Derjaguin, Muller & Toporov 1975).

    Parameters
    ----------
    work : float
        Work of adhesion w [J/m²], not negative: twice the surface energy of equal materials.

    Raises
    ------
    ValueError
        If it is out of range.

    Examples
    --------
    >>> round(DMT(work=0.05).pull_off(0.0005), 10)  # [N]
    0.0001570796
    """

    type: str = _kind("dmt")
    work: float

    def __post_init__(self) -> None:
        """Check the work."""
        self._check("work", least=0, unit="J/m2")

    def pull_off(self, radius: float) -> float:
        """Largest pull of a contact of this effective radius [m], in N."""
        return 2 * math.pi * self.work * radius


WORDS = {
    "normal": (Hertz, Linear),
    "damping": (),
    "rolling": (Rolling,),
    "twisting": (Twisting,),
    "adhesion": (DMT,),
}


def checked(slot: str, given: object) -> Part | None:
    """A part that fits a slot, or None; one as a file tells it is made. Raises TypeError or ValueError for others."""
    if isinstance(given, dict):
        by_name = {word.type: word for word in WORDS[slot]}
        kind = by_name[checks.one_of(slot, given.get("type"), by_name)]
        return kind(**{name: value for name, value in given.items() if name != "type"})
    if not (given is None or isinstance(given, WORDS[slot])):
        names = " or ".join(f"a dem.{word.__name__}" for word in WORDS[slot])
        message = f"{slot} is {given!r}, expected {names} or None"
        raise TypeError(message)
    return given


def keep_checked(thing: object) -> None:
    """Check the parts of a frozen dataclass that has a field for each slot."""
    for slot in SLOTS:
        object.__setattr__(thing, slot, checked(slot, getattr(thing, slot)))


def plain(thing: object) -> dict[str, object]:
    """What a material or contact was made from, as plain values; absent parts are not told."""
    values = {each.name: getattr(thing, each.name) for each in fields(thing)}
    told = {name: value for name, value in values.items() if not (name in SLOTS and value is None)}
    return {name: value.said() if isinstance(value, Part) else value for name, value in told.items()}
