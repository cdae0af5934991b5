"""An engine whose bodies bonds hold together and several ranks move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dem.soft.bonds.bond_arrays import settled
from dem.soft.bonds.bonded_engine import BondedEngine
from dem.soft.subdomain.distributed_engine import DISTRIBUTED, DistributedEngine
from dem.soft.subdomain.subdomain_bonds import Ties

if TYPE_CHECKING:
    import numpy as np

    from dem.soft.snapshot import Snapshot


class RankedBondedEngine(BondedEngine, DistributedEngine):
    """Both."""

    def _ties(self) -> Ties:
        return Ties.of(self)

    def _bonds_now(self) -> dict[str, np.ndarray]:
        return settled(self.bond_state)

    def snapshot(self) -> Snapshot:
        """As of `Engine`, without lists being made."""
        if self._has_state != DISTRIBUTED:
            return super().snapshot()
        return DistributedEngine.snapshot(self)._replace(bonds=settled(self._hand.own.bonds.come_to()))
