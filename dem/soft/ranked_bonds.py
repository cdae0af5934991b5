"""An engine whose bodies bonds hold together and several ranks move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dem.soft.bonded import BondedEngine
from dem.soft.ranked import SPREAD, RankedEngine
from dem.soft.share_bonds import Ties
from dem.soft.tied import settled

if TYPE_CHECKING:
    import numpy as np

    from dem.soft.snapshot import Snapshot


class RankedBondedEngine(BondedEngine, RankedEngine):
    """Both."""

    def _ties(self) -> Ties:
        return Ties.of(self)

    def _bonds_now(self) -> dict[str, np.ndarray]:
        return settled(self.bond_state)

    def snapshot(self) -> Snapshot:
        """As of `Engine`, without lists being made."""
        if self._has_state != SPREAD:
            return super().snapshot()
        return RankedEngine.snapshot(self)._replace(bonds=settled(self._hand.own.bonds.come_to()))
