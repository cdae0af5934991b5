"""How much farther than where particles meet they are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dem.kernels.soft.contact.capsules import Capsules

if TYPE_CHECKING:
    from dem.kernels.soft.state import Kinds
    from dem.model.domain.box import Box

# Skins of neighbours and candidates in units of the smallest sphere's diameter. Spheres and fibres at 0.5 m/s and
# dt = 1e-5 s run within 5 % of their best speed from 0.25 to 0.35 and from 0.04 to 0.08.
LIST_SKIN, CANDIDATE_SKIN = 0.3, 0.05
# A pair of capsules is one candidate, and wide lists are cheap: a gas is 1.08 times as quick with 0.5 as with 0.3.
CAPSULES_SKIN = 0.5
FEW, FEW_SKIN = 32, 2.0  # so few bodies that listing all of them costs little; making a list takes 50 us at least


class Skins(NamedTuple):
    """Widths of the two lists' skins [m]."""

    neighbours: float
    candidates: float

    @classmethod
    def of(cls, n: int, kinds: Kinds, box: Box | None, wanted: tuple[float, float] | None, reach: float = 0.0) -> Skins:
        """Skin distances as wanted, or usual ones for n particles; shorter where a periodic box is small.

        Contacts live as far beyond touching as `reach` [m].
        """
        smallest = 2 * kinds.radius.min()
        many = CAPSULES_SKIN if isinstance(kinds, Capsules) else LIST_SKIN
        usual = (FEW_SKIN if n <= FEW else many) * smallest, CANDIDATE_SKIN * smallest
        wide, narrow = wanted or usual
        if box and box.periodic:
            widest = min(size for axis, size in zip("xyz", box.size, strict=True) if axis in box.periodic) / 2
            wide = max(min(wide, widest - 2 * float(kinds.bounding_radius.max()) - reach), narrow)
        return cls(wide, min(wide, narrow))
