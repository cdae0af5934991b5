"""Registry of law components, built-in and of other packages: lookup by name, checks, conversion for files."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, NoReturn

from dem.base import checks, imports
from dem.model.contact.law_component import LawPart, keys
from dem.model.contact.law_parts import (
    DMT,
    EEPA,
    JKR,
    Bridge,
    Dashpot,
    Hertz,
    Hysteretic,
    Linear,
    PowerLaw,
    Rolling,
    Twisting,
    Viscoelastic,
)

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from dem.kernels.laws.interface import LawComponent

SLOTS = ("normal", "damping", "tangential", "rolling", "twisting", "adhesion")  # beside restitution and friction


OWN_PARTS = {
    "normal": (Hertz, Linear, Hysteretic, EEPA, PowerLaw),
    "damping": (Viscoelastic, Dashpot),
    "tangential": (),  # in place of friction, of other packages only
    "rolling": (Rolling,),
    "twisting": (Twisting,),
    "adhesion": (DMT, JKR, Bridge),
}


GROUP = "dem.contact_parts"  # entry-point group of parts of contacts by their type; any installed package may add to it
REGISTERED: dict[str, type[LawPart]] = {}  # parts of other packages by their type
NEEDED = {  # what kernels of a slot have to tell beside their formula
    "normal": {"spring": "its Spring, by which time steps are chosen", "power": "the power of the overlap"},
    "adhesion": {"pull": "the coefficient h of its pull h δ^q, by which time steps are chosen"},
}


def register_law_part(part: type[LawPart], tables: type, component: LawComponent) -> type[LawPart]:
    """Register a component of contact laws for Python, case files, files of runs and the kernels.

    Register a part where its module defines it. An entry point of the group of contact parts, with the type of the part
    as its name, lets case files and the command line find the module, see ``dem guide own``.

    Parameters
    ----------
    part : type
        A frozen dataclass that derives from `LawPart`: what users give, with units and limits. Its ``SLOT`` says which
        part of a contact it is, its ``type`` how case files call it.
    tables : type
        A NamedTuple of tables (A, A) by pairs of materials, which the formula reads. Unless the part has a method
        ``tables``, each is a value of the part of that name.
    component : LawComponent
        Formula and history, see `dem.kernels.laws.interface.law_component`. A normal force needs `spring` and `power`,
        an adhesion `pull`.

    Returns
    -------
    type
        The part. The example is a dashpot whose force goes with the square root of the mass, F = -c √m* v.

    Raises
    ------
    ValueError, TypeError
        If the type is taken, the part no such dataclass, a table no value of the part, or the component incomplete.

    Examples
    --------
    >>> import dem, math
    >>> import numpy as np
    >>> from dataclasses import dataclass
    >>> from typing import NamedTuple
    >>> from dem.kernels.compiler.jit import inline
    >>> from dem.kernels.laws.interface import law_component
    >>> from dem.model.contact.law_component import kind, number
    >>> class Rates(NamedTuple):
    ...     rate: np.ndarray
    >>> @inline
    ... def dashpot(part, i, j, touch, press):
    ...     return part.rate[i, j] * math.sqrt(touch.mass)
    >>> @dataclass(frozen=True, kw_only=True, repr=False)
    ... class RootOfMass(dem.LawPart):
    ...     SLOT = "damping"
    ...     type: str = kind("root-of-mass")
    ...     rate: float = number("force over √m* and velocity", unit="kg^0.5/s", least=0, example=0.1)
    >>> dem.Contact(damping=dem.register_law_part(RootOfMass, Rates, law_component(dashpot))(rate=0.1)).damping
    RootOfMass(rate=0.1)
    >>> unregister_law_part("root-of-mass")
    """
    from dem.kernels.laws.interface import PARTS  # noqa: PLC0415, runs are read without numba

    if not (isinstance(part, type) and issubclass(part, LawPart) and is_dataclass(part) and part.SLOT in SLOTS):
        raise TypeError(f"{part!r} is no dataclass of a dem.LawPart whose SLOT is one of {', '.join(SLOTS)}")
    name, known = part.type, REGISTERED.get(part.type, part)
    ours = any(own.type == name for parts in OWN_PARTS.values() for own in parts)
    if ours or (known.__module__, known.__qualname__) != (part.__module__, part.__qualname__):
        message = f"type of {part.__name__} is {name!r}, which is the type of {'a part of dem' if ours else known}"
        raise ValueError(message + ": give it another one")
    for lacking, meaning in NEEDED.get(part.ACTS_AS or part.SLOT, {}).items():
        if getattr(component, lacking) is None:
            message = f"component of {part.__name__} lacks {lacking}=, {meaning}: law_component(..., {lacking}=...)"
            raise ValueError(message)
    lacking = [each for each in tables._fields if each not in keys(part)]
    if part.tables is LawPart.tables and lacking:
        raise ValueError(f"{part.__name__} has no value {lacking[0]}, of which {tables.__name__} is to have a table")
    PARTS[tables], part.TABLES, REGISTERED[name] = component, tables, part
    return part


def unregister_law_part(name: str) -> None:
    """Unregister the component of this type."""
    from dem.kernels.laws.interface import PARTS  # noqa: PLC0415

    part = REGISTERED.pop(checks.one_of("law part", name, REGISTERED))
    del PARTS[part.TABLES]


@dataclass(frozen=True, repr=False)
class MissingPart(LawPart):
    """Stand-in for a law component whose package is not installed: its file can be read, but not run."""

    slot: str
    text: str  # what it was made from, as JSON

    def arguments(self) -> dict[str, object]:
        """Arguments by name, with the type and the package."""
        return json.loads(self.text)

    def tables(self, table: object) -> NoReturn:
        """Raise ValueError with the package to install."""
        del table
        given = self.arguments()
        raise ValueError(missing(f"the contact part {given['type']!r}", given["package"]))


def missing(what: str, package: str) -> str:
    """Message for a part of contact laws that a file needs and no installed package has."""
    return (
        f"{what} is of the package {package}, which is not installed here or does not declare it as an entry point of "
        f"{GROUP}: install that package"
    )


@cache
def installed() -> dict[str, EntryPoint]:
    """Entry points of law components in other packages, by type."""
    return imports.installed(GROUP)


def load_part(entry: EntryPoint) -> type[LawPart]:
    """Load a law component of another package; raises ValueError if that fails, or it is none."""
    part = imports.load_entry("contact part", entry)
    if REGISTERED.get(entry.name) is not part:
        raise ValueError(
            f"contact part {entry.name}: {entry.value} is no part of this type: give its class this type, and call "
            "dem.register_law_part in its module"
        )
    return part


def parts_of_slot(slot: str) -> tuple[type[LawPart], ...]:
    """Components registered for a slot, those of installed packages included; raises ValueError for a broken one."""
    for entry in installed().values():
        load_part(entry)
    return (*OWN_PARTS[slot], *(part for _, part in sorted(REGISTERED.items()) if part.SLOT == slot))


def part_of_class(name: str) -> type[LawPart] | None:
    """Import the law component that files call ``module:name``; None if its package is not installed.

    Nothing is imported but what an installed package declares, and what is defined already.
    """
    here = {f"{part.__module__}:{part.__qualname__}": part for part in REGISTERED.values()}
    if name in here:
        return here[name]
    return next((load_part(entry) for entry in installed().values() if entry.value == name), None)


def _stored_part(slot: str, given: dict) -> LawPart:
    """Law component from its description in a file; raises ValueError for an unknown one."""
    name, package = given.get("type"), given.get("package")
    values = {key: value for key, value in given.items() if key not in ("type", "package")}
    by_name = {part.type: part for part in OWN_PARTS[slot]}
    if name not in by_name and name not in REGISTERED:
        installed.cache_clear()  # it may have been installed a moment ago, from a notebook
        if name in installed():
            load_part(installed()[name])
    by_name |= {part.type: part for part in REGISTERED.values() if part.SLOT == slot}
    if name not in by_name and isinstance(name, str) and isinstance(package, str):
        return MissingPart(slot, json.dumps(given, sort_keys=True))
    return by_name[checks.one_of(slot, name, by_name)](**values)


def checked(slot: str, given: object) -> LawPart | None:
    """Law component that fits a slot, or None; one described in a file is made. Raises TypeError or ValueError."""
    if isinstance(given, dict):
        return _stored_part(slot, given)
    if not (given is None or (isinstance(given, LawPart) and slot in (given.SLOT, getattr(given, "slot", None)))):
        names = " or ".join(f"a dem.{part.__name__}" for part in OWN_PARTS[slot]) or "a registered dem.LawPart"
        raise TypeError(f"{slot} is {given!r}, expected {names} or None")
    if not isinstance(given, (*OWN_PARTS[slot], MissingPart, *REGISTERED.values(), NoneType)):
        raise ValueError(f"{slot} is {given!r}, which kernels do not know: call dem.register_law_part for its class")
    return given


def store_checked(thing: object) -> None:
    """Check restitution, friction and the parts of a frozen dataclass that has a field for each."""
    numbers = {
        "restitution": checks.number("restitution", thing.restitution, above=0, most=1),
        "friction": checks.number("friction", thing.friction, least=0),
    }
    parts = {slot: checked(slot, getattr(thing, slot)) for slot in SLOTS}
    for name, value in (numbers | parts).items():
        object.__setattr__(thing, name, value)
    fit(**numbers, **parts)


def fit(restitution: float, friction: float, **parts: LawPart | None) -> None:
    """Check that the components of a contact fit each other; raises ValueError."""
    sliding = parts.get("tangential")
    if sliding is not None and friction > 0:
        raise ValueError(f"friction is {friction}, but tangential is {sliding}, which is in its place: leave one out")
    for slot in ("rolling", "twisting"):
        if parts[slot] is not None and friction == 0 and (sliding is None or slot == "twisting"):
            raise ValueError(f"{slot} is {parts[slot]}, which acts only with friction: give friction")
    normal = parts["normal"] or Hertz()
    for slot, decides in (("damping", parts["damping"] is not None), ("normal", not normal.ELASTIC)):
        if decides and restitution != 1:
            message = f"restitution is {restitution}, but follows from {slot}, which is {parts[slot]}: leave one out"
            raise ValueError(message)
    if isinstance(parts["damping"], Viscoelastic) and not isinstance(normal, Hertz):
        message = f"damping is {parts['damping']}, which is of dem.Hertz(), but normal is {normal}: take dem.Dashpot"
        raise ValueError(message)


def plain(thing: object, *, packages: bool = True) -> dict[str, object]:
    """Arguments of a material or contact as plain values; absent parts are left out.

    Of parts that are not of dem the package is told as well, for those who read a file without it.
    """
    values = {each.name: getattr(thing, each.name) for each in fields(thing)}
    result = {name: value for name, value in values.items() if value is not None}
    for name, value in result.items():
        if isinstance(value, LawPart):
            package, arguments = type(value).__module__.partition(".")[0], value.arguments()
            result[name] = arguments if package == "dem" or not packages else {**arguments, "package": package}
    return result
