"""Contact properties of pairs of materials."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dem.base import checks
from dem.base.notices import deprecated
from dem.base.text import counted
from dem.base.user_classes import hinted, set_declared
from dem.model.contact.law_registry import SLOTS, Hertz, LawPart, plain, store_checked
from dem.model.materials import Material

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dem.model.domain.box import Box

RULES: dict[str, Callable[[float, float], float]] = {
    "geometric": lambda a, b: math.sqrt(a * b),
    "least": min,
}
DAMPED = ("shared", "independent")
FORMER = {"together": "shared", "alone": "independent"}  # words of 0.1 and 0.2, which HDF5 files keep
STORED = {new: old for old, new in FORMER.items()}


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Contact:
    """Contact parameters of two materials: the components of their contact law.

    Parameters
    ----------
    restitution : float
        Ratio of normal speeds after and before an impact, in (0, 1], default 1.
    friction : float
        Coulomb's coefficient, not negative, default 0.
    normal : Hertz, Linear, Hysteretic, EEPA or PowerLaw, optional
        The elastic or plastic force; default Hertz's. With `Hysteretic` or `EEPA` the restitution follows from the
        force: leave `restitution` out.
    damping : Viscoelastic or Dashpot, optional
        Damping in place of the one that follows from `restitution`: leave `restitution` out.
    tangential : LawPart, optional
        Force in the plane of contact in place of Coulomb's friction, see `dem.register_law_part`.
    rolling : Rolling, optional
        Resistance to rolling; needs friction, or a tangential part.
    twisting : Twisting, optional
        Resistance to twisting about the normal; needs friction.
    adhesion : DMT, JKR or Bridge, optional
        Attraction; JKR takes the place of Hertz's force and goes with no other.

    Raises
    ------
    ValueError, TypeError
        If a value is outside its range, or a part without what it needs.

    Examples
    --------
    >>> import dem
    >>> dem.Contact(restitution=0.9, friction=0.3, rolling=dem.Rolling(friction=0.1))
    Contact(restitution=0.9, friction=0.3, rolling=Rolling(friction=0.1, model='spring', damping=0.3))
    """

    restitution: float = 1.0
    friction: float = 0.0
    normal: LawPart | None = None
    damping: LawPart | None = None
    tangential: LawPart | None = None
    rolling: LawPart | None = None
    twisting: LawPart | None = None
    adhesion: LawPart | None = None

    def __post_init__(self) -> None:
        """Check all values."""
        store_checked(self)
        if self.adhesion and self.adhesion.ACTS_AS == "normal" and not isinstance(self.normal, Hertz | None):
            raise ValueError(
                f"adhesion is {self.adhesion}, which is of elastic spheres, and normal is {self.normal}: leave "
                "normal out, or take dem.DMT or dem.Bridge"
            )

    def __repr__(self) -> str:
        """Constructor call that makes this object."""
        values = {"restitution": self.restitution, "friction": self.friction}
        values |= {slot: part for slot in SLOTS if (part := getattr(self, slot)) is not None}
        return f"Contact({', '.join(f'{name}={value!r}' for name, value in values.items())})"


def _labels(one: Material, other: Material) -> str:
    """A pair of materials in messages."""
    return f"{one.label} and {other.label}"


def present_damping(word: object) -> object:
    """Current name of a word of 0.1 or 0.2 for `Contacts.damped`; any other word unchanged."""
    return FORMER.get(word, word) if isinstance(word, str) else word


@hinted
class Contacts:
    """Contact parameters of each pair of materials, of particles and of walls.

    Parameters
    ----------
    table : mapping of (Material, Material) to Contact, optional
        Order within a pair does not matter. Materials are distinguished by name: two materials with equal numbers
        need different names to have different contacts.
    rule : "geometric", "least" or None
        Values of restitution, friction and law components of pairs that are not in the table: the geometric mean of
        the values of the two materials, or the smaller value; None refuses such pairs. Rolling, twisting or adhesion
        that only one of the two has does not act; any other component that only one has is refused.
    damped : "shared" or "independent"
        Damping of several contacts of the same two bodies, such as those of a fibre or a cube that lands flat. Shared:
        they are damped together, so that the bodies have the given restitution. Independent: each contact is damped as
        if it were the only one, which dissipates more energy. The dashpots of `Viscoelastic` and `Dashpot` act at each
        contact in both cases.

    Raises
    ------
    ValueError
        For entries that contradict each other, or an unknown rule.

    Examples
    --------
    >>> glass = Material(young=7e7, poisson=0.22, restitution=0.9, friction=0.3)
    >>> steel = Material(young=2e8, poisson=0.3, restitution=0.8, friction=0.2)
    >>> contacts = Contacts({(glass, steel): Contact(restitution=0.6, friction=0.4)})
    >>> contacts.between(steel, glass)
    Contact(restitution=0.6, friction=0.4)
    >>> contacts.between(glass, glass).friction
    0.3
    """

    __setattr__ = set_declared

    def __init__(
        self,
        table: Mapping[tuple[Material, Material], Contact] | None = None,
        *,
        rule: str | None = "geometric",
        damped: str = "shared",
    ) -> None:
        if isinstance(damped, str) and damped in FORMER:
            deprecated(f'damped="{damped}"', f'damped="{FORMER[damped]}"')
        self._damped = checks.one_of("damped", present_damping(damped), DAMPED)
        self._rule = rule if rule is None else checks.one_of("rule", rule, RULES)
        self._table: dict[frozenset[Material], Contact] = {}
        self._named: list[Material] = []  # in entries, as they were given
        if not isinstance(table, Mapping | None):
            message = f"table of contacts is {table!r}, expected a mapping of pairs of dem.Material to dem.Contact"
            raise TypeError(message)
        for pair, contact in (table or {}).items():
            if not (isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(m, Material) for m in pair)):
                raise TypeError(f"contacts has the key {pair!r}, expected a pair of dem.Materials")
            if not isinstance(contact, Contact):
                raise TypeError(f"contacts has {contact!r} for a pair of materials, expected a dem.Contact")
            if self._table.setdefault(frozenset(pair), contact) != contact:
                message = f"contacts has two entries for the pair of {_labels(*pair)}: leave one out"
                raise ValueError(message)
            self._named += pair

    def __repr__(self) -> str:
        """Count the pairs, and name the rule for others."""
        return f"<Contacts: {counted(len(self._table), 'pair of materials')}, others by rule {self.rule}>"

    @property
    def rule(self) -> str | None:
        """Name of the mixing rule for pairs that are not in the table."""
        return self._rule

    @property
    def damped(self) -> str:
        """Damping of several contacts between two bodies: a word."""
        return self._damped

    def __iter__(self) -> object:
        """Materials and contact of each entry."""
        for pair, contact in self._table.items():
            yield min(pair, key=repr), max(pair, key=repr), contact

    def between(self, one: Material, other: Material) -> Contact:
        """Contact of two materials; raises ValueError if it is not in the table and there is no rule."""
        entry = self._table.get(frozenset((one, other)))
        if entry is None and self.rule is None:
            message = f"contacts has no entry for {_labels(one, other)}: add one, or give a rule ({', '.join(RULES)})"
            raise ValueError(message)
        if entry is None:
            return self._mean(one, other)
        return entry

    def _mean(self, one: Material, other: Material) -> Contact:
        """Contact by the mixing rule of two materials, without components that only one of them has."""
        rule, parts = RULES[self.rule], {}
        for slot in SLOTS:
            this, that = getattr(one, slot), getattr(other, slot)
            if slot in ("normal", "damping", "tangential") and (this is None) != (that is None):
                message = (
                    f"{slot} is {this or that} of one of {_labels(one, other)} only: give them an entry in contacts"
                )
                raise ValueError(message)
            parts[slot] = None if this is None or that is None else this.mean(that, rule)
        numbers = {name: rule(getattr(one, name), getattr(other, name)) for name in ("restitution", "friction")}
        try:
            return Contact(**numbers, **parts)
        except ValueError as error:
            message = f"{_labels(one, other)} do not go together by the rule {self.rule}: {error}, or add an entry"
            raise ValueError(message) from None

    def describe(self, materials: list[Material], box: Box | None, walls: Sequence[Material] = ()) -> list[dict]:
        """Contact parameters of each pair of these materials, and with those of box and walls, as plain values."""
        partners = list(dict.fromkeys([*materials, *([box.material] if box and box.material else []), *walls]))
        return [
            {"materials": [plain(one), plain(other)], **plain(self.between(one, other))}
            for k, one in enumerate(materials)
            for other in partners[k:]
        ]

    def among(self, materials: Sequence[Material]) -> Contacts:
        """Contacts restricted to entries between the given materials."""
        table = {(one, other): contact for one, other, contact in self if one in materials and other in materials}
        return Contacts(table, rule=self._rule, damped=self._damped)

    def check_distinguishable(self, materials: Iterable[Material]) -> None:
        """Refuse an entry for one of two materials of a run that have equal names and values.

        Entries for materials that are equal to those of the run, but made anew, are for all of these.
        """
        made = list({id(material): material for material in materials}.values())
        for entry in self._named:
            alike = [material for material in made if material == entry]
            if not entry.name and len(alike) > 1 and any(material is entry for material in alike):
                raise ValueError(
                    f"contacts has an entry for one of two materials that nothing tells apart, both {entry.label}: "
                    "give each a name of its own, or take one dem.Material for both"
                )

    def check_materials(self, materials: list[Material]) -> None:
        """Refuse entries for materials that the run does not have."""
        for one, other, _ in self:
            for material in (one, other):
                if material not in materials:
                    raise ValueError(
                        f"contacts has an entry for {material.label}, which neither particles nor box nor walls are "
                        "made of: take the very Material that they have"
                    )
