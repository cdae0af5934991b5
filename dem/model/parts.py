"""What contacts are composed of: words for the parts of contact laws, see `kernels.laws`."""

from __future__ import annotations

from dataclasses import dataclass, fields

from dem.base import checks
from dem.base.hints import hinted
from dem.model.adhesion import DMT, JKR, Bridge
from dem.model.dampings import Dashpot, Viscoelastic
from dem.model.normals import Hertz, Hysteretic, Linear, PowerLaw
from dem.model.part import Part, choice, kind, number

SLOTS = ("normal", "damping", "rolling", "twisting", "adhesion")  # beside restitution and friction


@hinted
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
    friction: float = number("largest couple over R* F_n", least=0, example=0.1)
    model: str = choice("of the couple", "spring", "constant")
    stiffness: float | None = number(
        "of the spring over F_n/δ; default: 2.25 times friction squared", above=0, default=None, example=0.0225
    )
    damping: float = number("of the spring over critical damping", least=0, default=0.3, example=0.3)


@hinted
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
    model: str = choice("of stiffness and largest couple", "hertz", "marshall")


WORDS = {
    "normal": (Hertz, Linear, Hysteretic, PowerLaw),
    "damping": (Viscoelastic, Dashpot),
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
    """Check restitution, friction and the parts of a frozen dataclass that has a field for each."""
    numbers = {
        "restitution": checks.number("restitution", thing.restitution, above=0, most=1),
        "friction": checks.number("friction", thing.friction, least=0),
    }
    parts = {slot: checked(slot, getattr(thing, slot)) for slot in SLOTS}
    for name, value in (numbers | parts).items():
        object.__setattr__(thing, name, value)
    fit(**numbers, **parts)


def fit(restitution: float, friction: float, **parts: Part | None) -> None:
    """Refuse parts of a contact that lack what they need, or say the same thing twice; raises ValueError."""
    for slot in ("rolling", "twisting"):
        if parts[slot] is not None and friction == 0:
            message = f"{slot} is {parts[slot]}, which holds on to nothing without friction: give friction"
            raise ValueError(message)
    normal = parts["normal"] or Hertz()
    for slot, decides in (("damping", parts["damping"] is not None), ("normal", normal.decides)):
        if decides and restitution != 1:
            message = f"restitution is {restitution}, but follows from {slot}, which is {parts[slot]}: leave one out"
            raise ValueError(message)
    if isinstance(parts["damping"], Viscoelastic) and not isinstance(normal, Hertz):
        message = f"damping is {parts['damping']}, which is of dem.Hertz(), but normal is {normal}: take dem.Dashpot"
        raise ValueError(message)


def plain(thing: object) -> dict[str, object]:
    """What a material or contact was made from, as plain values; absent parts are not told."""
    values = {each.name: getattr(thing, each.name) for each in fields(thing)}
    told = {name: value for name, value in values.items() if not (name in SLOTS and value is None)}
    return {name: value.said() if isinstance(value, Part) else value for name, value in told.items()}
