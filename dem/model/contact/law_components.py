"""What contacts are composed of: words for the parts of contact laws, see `dem.kernels.laws`."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, ClassVar, NoReturn

from dem.base import checks
from dem.base.typo_hints import hinted
from dem.model.contact.adhesion import DMT, JKR, Bridge
from dem.model.contact.damping import Dashpot, Viscoelastic
from dem.model.contact.law_component import Part, choice, kind, number
from dem.model.contact.normal_forces import Hertz, Hysteretic, Linear, PowerLaw

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.metadata import EntryPoint

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

    SLOT: ClassVar[str] = "rolling"
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

    SLOT: ClassVar[str] = "twisting"
    type: str = kind("twisting")
    model: str = choice("of stiffness and largest couple", "hertz", "marshall")


WORDS = {
    "normal": (Hertz, Linear, Hysteretic, PowerLaw),
    "damping": (Viscoelastic, Dashpot),
    "rolling": (Rolling,),
    "twisting": (Twisting,),
    "adhesion": (DMT, JKR, Bridge),
}


GROUP = "dem.contact_parts"  # entry-point group of parts of contacts by their type; any installed package may add to it


@dataclass(frozen=True, repr=False)
class MissingPart(Part):
    """A part of another package, as a file tells it, where that package is not installed: it can be read, not run."""

    slot: str
    text: str  # what it was made from, as JSON

    decides: ClassVar[bool] = False

    def said(self) -> dict[str, object]:
        """What has been said, by name; the type and the package among it."""
        return json.loads(self.text)

    def tables(self, table: object) -> NoReturn:
        """Raise ValueError, which says what to install."""
        del table
        said = self.said()
        raise ValueError(missing(f"the contact part {said['type']!r}", said["package"]))


def missing(what: str, package: str) -> str:
    """What to say of a part of contacts that a file needs and nobody has."""
    return (
        f"{what} is of the package {package}, which is not installed here or does not declare it as an entry point of "
        f"{GROUP}: install that package"
    )


@cache
def installed() -> dict[str, EntryPoint]:
    """Entry points of the parts of contacts that other packages bring, by type."""
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        found.setdefault(entry.name, entry)
    return dict(sorted(found.items()))


def load_part(entry: EntryPoint) -> type[Part]:
    """The part of another package; raises ValueError if it cannot be loaded, or is none."""
    try:
        word = entry.load()
    except Exception as error:
        message = f"contact part {entry.name} cannot be loaded from {entry.value}: {type(error).__name__}: {error}"
        raise ValueError(message) from error
    slots = ("normal", "damping", "adhesion")
    is_part = isinstance(word, type) and issubclass(word, Part) and is_dataclass(word) and word.SLOT in slots
    if not is_part or word.type != entry.name:
        message = (
            f"contact part {entry.name}: {entry.value} is no dataclass of a Normal, Damping or Adhesion part whose "
            f"type is {entry.name!r}"
        )
        raise ValueError(message)
    if any(ours.type == word.type for ours in WORDS[word.SLOT]):
        message = f"contact part {entry.name} of {entry.value} has the name of a part of dem: give it another type"
        raise ValueError(message)
    return word


def words(slot: str) -> tuple[type[Part], ...]:
    """Parts that there are for a slot: those of dem, and of installed packages; raises ValueError if one is broken."""
    others = [load_part(entry) for entry in installed().values()]
    return (*WORDS[slot], *(word for word in others if word.SLOT == slot))


def part_of_class(name: str) -> type[Part] | None:
    """The part of another package whose class goes by ``module:name`` in files; None if it is no installed one.

    Nothing is imported but what an installed package declares, and what is defined already.
    """
    here = {f"{word.__module__}:{word.__qualname__}": word for word in _subclasses(Part) if word.SLOT}
    if name in here:
        return here[name]
    return next((load_part(entry) for entry in installed().values() if entry.value == name), None)


def _subclasses(kind: type[Part]) -> Iterator[type[Part]]:
    """All classes that there are of a kind."""
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)


def _as_told(slot: str, given: dict) -> Part:
    """A part as files tell it; raises ValueError for one that is unknown."""
    name, package = given.get("type"), given.get("package")
    values = {key: value for key, value in given.items() if key not in ("type", "package")}
    by_name = {word.type: word for word in WORDS[slot]}
    if name not in by_name:
        by_name |= {word.type: word for word in _subclasses(Part) if slot == word.SLOT and hasattr(word, "type")}
    if name not in by_name:
        installed.cache_clear()  # it may have been installed a moment ago, from a notebook
        if name in installed():
            word = load_part(installed()[name])
            by_name |= {word.type: word} if slot == word.SLOT else {}
    if name not in by_name and isinstance(name, str) and isinstance(package, str):
        return MissingPart(slot, json.dumps(given, sort_keys=True))
    return by_name[checks.one_of(slot, name, by_name)](**values)


def checked(slot: str, given: object) -> Part | None:
    """A part that fits a slot, or None; one as a file tells it is made. Raises TypeError or ValueError for others."""
    if isinstance(given, dict):
        return _as_told(slot, given)
    if not (given is None or (isinstance(given, Part) and slot in (given.SLOT, getattr(given, "slot", None)))):
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


def plain(thing: object, *, packages: bool = True) -> dict[str, object]:
    """What a material or contact was made from, as plain values; absent parts are not told.

    Of parts that are not of dem the package is told as well, for those who read a file without it.
    """
    values = {each.name: getattr(thing, each.name) for each in fields(thing)}
    told = {name: value for name, value in values.items() if not (name in SLOTS and value is None)}
    for name, value in told.items():
        if isinstance(value, Part):
            package, said = type(value).__module__.partition(".")[0], value.said()
            told[name] = said if package == "dem" or not packages else {**said, "package": package}
    return told
