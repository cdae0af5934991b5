"""Fluid as an engine has it: what kernels evaluate, the cells of two-way coupling, and the state of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dem.kernels.fluid import Dry
from dem.soft.fluid.fluid_setup import DRY, STATE

if TYPE_CHECKING:
    import numpy as np

    from dem.soft.fluid.two_way_coupling import CoupledEngine, TwoWayCoupling


class EngineFluid:
    """Owns the numbers and arrays of the fluid that kernels evaluate.

    Parameters
    ----------
    model : tuple
        `dem.kernels.fluid.Fluid`, or `Dry` where there is no fluid.
    two_way : TwoWayCoupling, optional
        Cells in which the particles' share of the volume, and what they give to the fluid, are summed.
    """

    def __init__(self, model: tuple = DRY, two_way: TwoWayCoupling | None = None) -> None:
        self.model, self.two_way = model, two_way

    @property
    def is_dry(self) -> bool:
        """Whether there is no fluid."""
        return isinstance(self.model, Dry)

    @property
    def state(self) -> dict[str, np.ndarray]:
        """State that a run goes on from, by name; empty without a fluid."""
        if self.is_dry:
            return {}
        in_cells = self.two_way.state | self.two_way.arrays(self.model.field) if self.two_way else {}
        return {name: getattr(self.model.medium, name) for name in STATE} | in_cells

    def inherit(self, engine: CoupledEngine, before: EngineFluid) -> None:
        """Go on with the flow in the cells of the engine before."""
        if self.two_way:
            self.two_way.continue_from(engine, before)

    def inherit_extremes(self, before: EngineFluid) -> None:
        """Go on with the largest Reynolds numbers that the engine before has seen."""
        if not self.is_dry:
            self.model.medium.reached[:] = before.model.medium.reached

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Set the fluid to a state of a snapshot."""
        if self.two_way:
            self.two_way.fit_field(self, state)
        for name, values in state.items():
            self.state[name][:] = values
        if self.two_way:
            self.two_way.update_medium(self)
