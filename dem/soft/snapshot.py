"""State that a run goes on from, as `Engine.snapshot` copies and `Engine.restore` sets it.

`dem.soft.per_body` says which arrays of bodies belong to it. Neighbour lists do not: no result depends on them.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from dem.soft.contact.contact_history import ContactHistory


class Snapshot(NamedTuple):
    """Copies of all state that a run goes on from, in the user's order."""

    bodies: dict[str, np.ndarray]  # name -> (R, N)
    contacts: ContactHistory
    progress: dict[str, np.ndarray]  # name -> (1,), see `dem.kernels.soft.integration.time_loop.RunState`
    energy_unit: float  # units per joule
    datum: float  # g·x at zero potential [m²/s²]
    start_step: int
    watch: np.ndarray  # (7,) of `dem.soft.time_step.limits.Limits`; empty if it is not stored
    fluid: dict[str, np.ndarray]  # name -> (1,) or so, see `dem.kernels.fluid.medium.Medium`; empty without one
    walls: dict[
        str, np.ndarray
    ]  # name -> (..., W), see `dem.kernels.soft.wall_contact.wall_arrays.Walls`; empty without walls beside a box
    traffic: dict[str, np.ndarray]  # identities, inserters and outlets; empty where the number is fixed
    bonds: dict[str, np.ndarray] = MappingProxyType(
        {}
    )  # name -> (B,) or so, see `dem.soft.bonds.engine_bonds`; empty without any

    @property
    def step(self) -> int:
        """Steps taken."""
        return int(self.progress["step"][0])
