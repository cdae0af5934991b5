"""Choose the contact law that a set of materials needs, and make its tables."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dem.model.contact.law_parts import Hertz

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dem.kernels.laws import Composite, Elastic
    from dem.kernels.laws.interface import LawComponent
    from dem.model.contact.contacts import Contact, Contacts
    from dem.model.contact.law_component import LawPart
    from dem.model.domain.box import Box
    from dem.model.materials import Material


class MaterialPairs:
    """Contact parameters of pairs of materials: a row for each of particles; columns for particles, box and walls."""

    def __init__(
        self, contacts: Contacts, materials: list[Material], wall: Material | None, others: list[Material]
    ) -> None:
        self.everything = [*materials, wall or materials[0], *others]
        self.met = {
            (i, j): contacts.between(one, other)
            for i, one in enumerate(materials)
            for j, other in enumerate(self.everything)
            if wall or j != len(materials)
        }

    def __call__(self, value: Callable[[Contact, Material, Material], float]) -> np.ndarray:
        """Symmetric table (A, A) of a function of a contact and its two materials; zero without contacts."""
        size = len(self.everything)
        table = np.zeros((size, size))
        for (i, j), contact in self.met.items():
            table[i, j] = table[j, i] = value(contact, self.everything[i], self.everything[j])
        return table

    def values(self, slot: str, name: str) -> np.ndarray:
        """Table (A, A) of a value of the parts in a slot; 0 where a pair has no such part, or none was given."""
        return self(lambda contact, *_: getattr(getattr(contact, slot), name, None) or 0.0)

    @cached_property
    def shear(self) -> np.ndarray:
        """Tangential stiffness over normal force over overlap (A, A)."""
        return self(lambda contact, one, other: (contact.normal or Hertz()).shear(_mindlin(one, other)))

    @cached_property
    def dashpot(self) -> np.ndarray:
        """Tangential dashpot over the normal one (A, A)."""
        return np.vectorize(self.form("normal", Hertz()).dashpot)(self.shear)

    def form(self, slot: str, default: object = None) -> object:
        """Component of the single form that pairs have in a slot, or the default without any.

        Raises
        ------
        ValueError
            If there are several.
        """
        if slot == "tangential" and any(c.tangential for c in self.met.values()):
            self._check_friction()
        forms = {_form(part): part for contact in self.met.values() if (part := getattr(contact, slot))}
        whole = slot != "normal" or all(contact.normal for contact in self.met.values())
        if len(forms) > 1 or (forms and not whole and not isinstance(next(iter(forms.values())), Hertz)):
            names = [material.name or f"material {k}" for k, material in enumerate(self.everything)]
            pairs = (
                f"{getattr(contact, slot) or default} of {names[i]} and {names[j]}"
                for (i, j), contact in self.met.items()
            )
            raise ValueError(
                f"all pairs of a run have the same {slot} law, got {', '.join(dict.fromkeys(pairs))}: give all pairs "
                "the same, in their materials or in contacts"
            )
        return next(iter(forms.values()), default)

    def _check_friction(self) -> None:
        """Refuse pairs with friction where others have a tangential part in its place; raises ValueError."""
        for (i, j), contact in self.met.items():
            if contact.friction > 0:
                one, other = (self.everything[k].name or f"material {k}" for k in (i, j))
                raise ValueError(
                    f"{one} and {other} have friction {contact.friction:g}, and other pairs of this run a tangential "
                    "part in its place: give all pairs the same"
                )


def _form(part: object) -> tuple:
    """Settings that all pairs of materials share."""
    return type(part), getattr(part, "model", None)


def law(
    contacts: Contacts, materials: list[Material], box: Box | None, *, several_contacts: bool = False,
    walls: Sequence[Material] = (), film: Callable[[int], tuple] | None = None, moving: bool = False,
) -> Elastic | Composite:  # fmt: skip
    """The simplest contact law for the materials of particles and walls, with its tables.

    The box's row comes after those of the materials, then those of other walls.

    Rough walls need velocities even where nothing is lost. If a pair of bodies may have `several_contacts`, these share
    damping unless told otherwise. `film` makes the part of a film between surfaces, for so many rows. `moving` demands
    velocities for another reason.

    Raises
    ------
    ValueError
        If pairs do not fit together, or are not told.
    """
    from dem.kernels import laws  # noqa: PLC0415, runs are read without numba

    wall = box.material if box else None
    contacts.check_materials([*materials, *([wall] if wall else []), *walls])
    pairs = MaterialPairs(contacts, materials, wall, list(walls))
    normal, shared = pairs.form("normal", Hertz()), several_contacts and contacts.damped == "shared"
    parts = {"normal": normal.tables(pairs), "damping": _damping(pairs, shared=shared)}
    friction = pairs(lambda contact, *_: contact.friction)
    sliding = pairs.form("tangential")
    if sliding or friction.any():
        own = sliding and sliding.tables(pairs)
        parts["tangential"] = own or laws.Friction(friction, pairs.shear, pairs.dashpot)
        parts |= {slot: part.tables(pairs) for slot in ("rolling", "twisting") if (part := pairs.form(slot))}
    adhesion = pairs.form("adhesion")
    if adhesion:
        parts[adhesion.ACTS_AS or "adhesion"] = adhesion.tables(pairs)
    if film:
        _check_film(adhesion, [laws.functions(type(part)) for part in parts.values()], box)
        parts["film"] = film(len(pairs.everything))
    plain = isinstance(normal, Hertz) and isinstance(parts["damping"], laws.NoComponent) and len(parts) == 2
    needed = adhesion or moving or not plain or (box and box.roughness > 0)
    return laws.Composite(**parts) if needed else laws.Elastic()


def _check_film(adhesion: LawPart | None, functions: list[LawComponent], box: Box | None) -> None:
    """Refuse lubrication together with forces that act beyond touch, and at rough walls."""
    if any(part.cutoff for part in functions):
        raise ValueError(
            f"lubrication and {adhesion} are both between surfaces that do not touch: leave one out, or take dem.DMT"
        )
    if box and box.roughness > 0:
        raise ValueError("lubrication is between smooth surfaces, and walls are rough: leave roughness of the box out")


def _mindlin(one: Material, other: Material) -> float:
    """Tangential stiffness over normal force over overlap, of Hertz's law (Mindlin 1949)."""
    return 6 * one.effective_shear_modulus(other) / one.effective_modulus(other)


def _damping(pairs: MaterialPairs, *, shared: bool) -> tuple:
    """Tables of the normal damping: the damping component of the pairs, or that computed from restitution.

    Raises
    ------
    ValueError
        If some pairs have a damping part and others a restitution below 1, which it cannot give.
    """
    from dem.kernels import laws  # noqa: PLC0415

    part = pairs.form("damping")
    if part:
        _check_restitution(pairs, part)
        return part.tables(pairs)
    alpha = pairs(lambda contact, *_: (contact.normal or Hertz()).alpha(contact.restitution))
    damping = laws.SharedDamping if shared else laws.Damping
    return damping(alpha) if alpha.any() else laws.NoComponent()


def _check_restitution(pairs: MaterialPairs, part: LawPart) -> None:
    """Refuse pairs that ask for a restitution while others have a damping part; raises ValueError."""
    for (i, j), contact in pairs.met.items():
        if not contact.damping and contact.restitution < 1.0:
            one, other = (pairs.everything[k].name or f"material {k}" for k in (i, j))
            raise ValueError(
                f"{one} and {other} have restitution {contact.restitution:g}, and other pairs of this run {part}: one "
                "form of damping is possible in a run; give this pair that form too, or restitution=1 for none"
            )
