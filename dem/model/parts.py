"""What contacts are composed of: words for the parts of contact laws, see `kernels.laws`."""

from __future__ import annotations

from dataclasses import dataclass, fields

from dem.base import checks
from dem.model.adhesion import DMT, JKR, Bridge
from dem.model.part import Part, kind

SLOTS = ("normal", "damping", "rolling", "twisting", "adhesion")  # beside restitution and friction
TANGENTIAL = 2 / 7  # of the normal stiffness: a slip is then exactly reversed in an undamped impact of spheres


@dataclass(frozen=True, kw_only=True, repr=False)
class Hertz(Part):
    """Elastic spheres, F = 4/3 E* √(R* δ³); Johnson (1985), eq. (4.22). The default.

    Examples
    --------
    >>> Hertz()
    Hertz()
    """

    type: str = kind("hertz")


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

    type: str = kind("linear")
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

    type: str = kind("rolling")
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

    type: str = kind("twisting")
    model: str = "hertz"

    def __post_init__(self) -> None:
        """Check the model."""
        checks.one_of("model", self.model, ("hertz", "marshall"))


WORDS = {
    "normal": (Hertz, Linear),
    "damping": (),
    "rolling": (Rolling,),
    "twisting": (Twisting,),
    "adhesion": (DMT, JKR, Bridge),
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
