"""All that decides how a run goes on, as `Engine.snapshot` takes it and `Engine.restore` puts it back.

Which arrays of bodies that are is said in `dem.soft.per_body`. Lists are not among them; they show in no bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dem.soft.per_body import KEPT

if TYPE_CHECKING:
    from typing import Self

    import numpy as np

    from dem.soft.engine import Engine
    from dem.soft.history import ContactHistory


class Snapshot(NamedTuple):
    """Copies of all that decides how a run goes on, in the user's order."""

    bodies: dict[str, np.ndarray]  # name -> (R, N)
    contacts: ContactHistory
    progress: dict[str, np.ndarray]  # name -> (1,), see `kernels.soft.advance.Progress`
    energy_unit: float  # units per joule
    datum: float  # g·x at zero potential [m²/s²]
    start_step: int
    watch: np.ndarray  # (7,) of `dem.soft.limits.Limits`; empty if nothing is known of it

    @classmethod
    def of(cls, engine: Engine) -> Self:
        """That of an engine."""
        kept = {name: getattr(engine.bodies, name) for name in KEPT}
        return cls(
            bodies={name: engine.by_row(values) if values.size else values.copy() for name, values in kept.items()},
            contacts=engine.history().ascending(),
            progress={name: values.copy() for name, values in engine.progress._asdict().items()},
            energy_unit=engine.energy_unit,
            datum=engine.datum,
            start_step=engine.start_step,
            watch=engine.limits.watch,
        )

    @property
    def step(self) -> int:
        """Steps taken."""
        return int(self.progress["step"][0])
