"""What materials do to each other: restitution and friction by pair, and the contact law that follows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.declared import Declared
from dem.base.words import counted
from dem.model.materials import Material

if TYPE_CHECKING:
    from collections.abc import Callable

    from dem.model.box import Box
    from kernels.laws import Damped, Elastic, Frictional

RULES: dict[str, Callable[[float, float], float]] = {
    "geometric": lambda a, b: math.sqrt(a * b),
    "least": min,
}


@dataclass(frozen=True, kw_only=True)
class Contact:
    """How two materials meet.

    Parameters
    ----------
    restitution : float
        Ratio of normal speeds after and before an impact, in (0, 1].
    friction : float
        Coulomb's coefficient, not negative.

    Raises
    ------
    ValueError
        If a value is outside its range.
    """

    restitution: float
    friction: float

    def __post_init__(self) -> None:
        """Check both."""
        restitution = checks.number("restitution", self.restitution, above=0, most=1)
        object.__setattr__(self, "restitution", restitution)
        object.__setattr__(self, "friction", checks.number("friction", self.friction, least=0))


class Contacts(Declared):
    """Restitution and friction for each pair of materials, particles' and wall's alike.

    Parameters
    ----------
    table : mapping of (Material, Material) to Contact, optional
        Order within a pair does not matter.
    rule : "geometric", "least" or None
        How pairs that are not in the table follow from the values of the two materials: their geometric mean, the
        smaller one, or not at all.

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

    def __init__(
        self, table: Mapping[tuple[Material, Material], Contact] | None = None, *, rule: str | None = "geometric"
    ) -> None:
        self._rule = rule if rule is None else checks.one_of("rule", rule, RULES)
        self._table: dict[frozenset[Material], Contact] = {}
        if not isinstance(table, Mapping | None):
            message = f"table of contacts is {table!r}, expected a mapping of pairs of dem.Material to dem.Contact"
            raise TypeError(message)
        for pair, contact in (table or {}).items():
            if not (isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(m, Material) for m in pair)):
                message = f"contacts has the key {pair!r}, expected a pair of dem.Materials"
                raise TypeError(message)
            if not isinstance(contact, Contact):
                message = f"contacts has {contact!r} for a pair of materials, expected a dem.Contact"
                raise TypeError(message)
            if self._table.setdefault(frozenset(pair), contact) != contact:
                message = f"contacts has two entries for the pair of {pair[0]} and {pair[1]}: leave one of them out"
                raise ValueError(message)

    def __repr__(self) -> str:
        """Count the pairs, and name the rule for others."""
        return f"<Contacts: {counted(len(self._table), 'pair of materials')}, others by rule {self.rule}>"

    @property
    def rule(self) -> str | None:
        """How pairs that are not in the table follow from the two materials."""
        return self._rule

    def __iter__(self) -> object:
        """Materials and contact of each entry."""
        for pair, contact in self._table.items():
            yield min(pair, key=repr), max(pair, key=repr), contact

    def between(self, one: Material, other: Material) -> Contact:
        """Contact of two materials; raises ValueError if it is not in the table and there is no rule."""
        entry = self._table.get(frozenset((one, other)))
        if entry is None and self.rule is None:
            message = f"contacts has no entry for {one} and {other}: add one, or give a rule ({', '.join(RULES)})"
            raise ValueError(message)
        if entry is None:
            mean = RULES[self.rule]
            return Contact(
                restitution=mean(one.restitution, other.restitution), friction=mean(one.friction, other.friction)
            )
        return entry

    def describe(self, materials: list[Material], box: Box | None) -> list[dict]:
        """Restitution and friction of each pair of these materials, and of each of them and the box's."""
        partners = [*materials, *([box.material] if box and box.material not in materials else [])]
        return [
            {"materials": [asdict(one), asdict(other)], **asdict(self.between(one, other))}
            for k, one in enumerate(materials)
            for other in partners[k:]
        ]

    def check_materials(self, materials: list[Material]) -> None:
        """Refuse entries for materials that are not there: they would do nothing."""
        for one, other, _ in self:
            for material in (one, other):
                if material not in materials:
                    message = (
                        f"contacts has an entry for {material}, which neither particles nor box are made of: take the "
                        "very Material that they have"
                    )
                    raise ValueError(message)


def restitution(damping: float) -> float:
    """Coefficient of restitution of the damped Hertz contact without tension, from its coefficient α.

    e = exp(-2 ζ acos(ζ)/√(1 - ζ²)) with ζ = α/√5; beyond ζ = 1 with acosh and √(ζ² - 1). See `kernels.laws.damped`;
    with half angles in their arctangents the two branches of Schwager & Pöschel (2007), eq. (21), are this one.

    Examples
    --------
    >>> round(restitution(0.2), 4)
    0.7664
    """
    zeta = damping / math.sqrt(5.0)
    if abs(zeta - 1.0) < 1e-6:
        return math.exp(-2.0 * (1.0 + 2.0 * zeta) / 3.0)  # both branches to first order in ζ - 1
    if zeta < 1.0:
        return math.exp(-2.0 * zeta * math.acos(zeta) / math.sqrt(1.0 - zeta * zeta))
    return math.exp(-2.0 * zeta * math.acosh(zeta) / math.sqrt(zeta * zeta - 1.0))


def damping(wanted: float) -> float:
    """Coefficient α for which `restitution` is the one wanted, in (0, 1], by bisection to rounding."""
    low, high = 0.0, 1.0
    while restitution(high) > wanted:
        high *= 2.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if restitution(middle) > wanted else (low, middle)
    return low if wanted < 1.0 else 0.0


def law(contacts: Contacts, materials: list[Material], box: Box | None) -> Elastic | Damped | Frictional:
    """The simplest law that these materials and walls need, with its tables; the wall's row is the last.

    Rough walls need velocities even where nothing is lost.
    """
    from kernels.laws import Damped, Elastic, Frictional  # noqa: PLC0415, runs are read without numba

    wall = box.material if box else None
    contacts.check_materials([*materials, *([wall] if wall else [])])
    everything = [*materials, wall or materials[0]]
    size = len(everything)
    loss, friction, shear = np.zeros((size, size)), np.zeros((size, size)), np.zeros((size, size))
    for i, one in enumerate(materials):
        for j, other in enumerate(everything if wall else materials):
            contact = contacts.between(one, other)
            loss[i, j] = loss[j, i] = damping(contact.restitution)
            friction[i, j] = friction[j, i] = contact.friction
            shear[i, j] = shear[j, i] = 6 * one.effective_shear_modulus(other) / one.effective_modulus(other)
    if friction.any():
        return Frictional(loss, friction, shear, np.sqrt(2 / 3 * shear))
    return Damped(loss) if loss.any() or (box and box.roughness > 0) else Elastic()
