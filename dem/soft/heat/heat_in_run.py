"""Heat in a run: besides what walls and contacts conduct, what contacts dissipate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.kernels import laws
from dem.kernels.soft.contact.dissipated_heat import FINER, ContactHeat
from dem.soft.heat.scalar_in_run import DISSIPATED, ScalarInRun

if TYPE_CHECKING:
    from dem.soft.engine import Engine


class HeatInRun(ScalarInRun):
    """Exchange of heat.

    What contacts take up comes as integers by body from the kernels (`dem.kernels.soft.contact.dissipated_heat`) and
    goes to the remainders of the temperatures, so that all of it becomes heat.
    """

    contact_heat: ContactHeat | None = None

    def attach(self, engine: Engine) -> None:
        """Have the contacts of an engine give bodies what they take up."""
        if self.law.dissipation and not isinstance(engine.law, laws.Elastic):
            blocks = engine.lists.arrays.block.size - 1
            self.contact_heat = ContactHeat(*np.zeros((2, blocks, engine.owned), np.int64), np.zeros(1, np.int64))
            engine.lists.arrays = engine.lists.arrays._replace(heat=self.contact_heat)

    @property
    def state(self) -> dict[str, np.ndarray]:
        """What a run goes on from, by name."""
        if self.contact_heat is None:
            return super().state
        taken = self.contact_heat.taken
        taken[0] = taken.sum(0)
        taken[1:] = 0
        return super().state | {"taken": taken[0]}

    def inherit(self, before: HeatInRun, engine: Engine, engine_before: Engine) -> None:
        """Go on with the ledger of another engine, and with what its contacts took up since the last exchange."""
        super().inherit(before, engine, engine_before)
        self._warm(engine, *before.taken_up(engine_before))

    def taken_up(self, engine: Engine) -> tuple[np.ndarray | float, float]:
        """What contacts took up since this was last asked: by identity (N,) [J], and their sum."""
        heat = self.contact_heat
        if heat is None:
            return 0.0, 0.0
        held = heat.held.sum(0)
        units, per_joule = heat.taken.sum(0) - held, engine.energy_unit * FINER
        heat.taken[:] = 0
        heat.taken[0] = held
        return units / per_joule, float(units.sum()) / per_joule

    def _warm(self, engine: Engine, amounts: np.ndarray | float, total: float) -> None:
        """Give bodies amounts of heat, by identity."""
        if total or np.any(amounts):
            self._rows(engine)[1][:] += amounts[engine.bodies.identity]
            self._add(DISSIPATED, total)

    def add_sources(self, engine: Engine, span: float, gained: np.ndarray) -> None:
        """Give bodies what contacts took up."""
        self._warm(engine, *self.taken_up(engine))

    def came(self) -> dict[str, float]:
        """What came in by walls, and by what contacts dissipated."""
        dissipated = float(self.ledger[DISSIPATED, 0])
        return super().came() | ({"dissipation": dissipated} if dissipated else {})

    def imbalance(self, engine: Engine) -> float:
        """Content now, less that at the start and what came in since."""
        return super().imbalance(engine) - float(self.ledger[DISSIPATED].sum())
