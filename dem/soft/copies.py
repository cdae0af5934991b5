"""All that decides how a run goes on, taken from an engine and put back.

What a step hands to the next one is kept: half-step velocities, the memory of the scheme and of the contacts, images in
periodic boxes, counts of rough wall contacts, and the account of energies. Lists are not; they show in no bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernels.soft.advance import DONE

if TYPE_CHECKING:
    from dem.soft.engine import Engine
    from dem.soft.history import Held

BODIES = (
    "position", "image", "velocity", "orientation", "memory_q", "memory_w", "memory_a", "memory_more", "force",
    "torque", "velocity_ahead", "spin",
)  # fmt: skip


def bodies_of(engine: Engine) -> dict[str, np.ndarray]:
    """Copies of all that is kept of bodies, in the user's order."""
    result = {}
    for name in BODIES:
        rows = getattr(engine.bodies, name)
        result[name] = np.empty_like(rows)
        if rows.size:
            result[name][:, engine.bodies.identity] = rows
    return result


def put_back(engine: Engine, bodies: dict[str, np.ndarray], held: Held, progress: dict[str, np.ndarray]) -> None:
    """Give an engine of the same input what `bodies_of`, `Engine.held` and its progress were; `go_on` comes after."""
    order = engine.bodies.identity
    for name, rows in bodies.items():
        if rows.size:
            getattr(engine.bodies, name)[:] = rows[:, order]
    engine.bodies.wall_contacts[:] = held.wall_contacts[order]
    for name, values in progress.items():
        getattr(engine.progress, name)[:] = values


class Copy(NamedTuple):
    """All that decides how a run goes on."""

    step: int
    bodies: dict[str, np.ndarray]
    held: Held
    progress: dict[str, np.ndarray]

    @classmethod
    def of(cls, engine: Engine) -> Copy:
        """What a run has come to."""
        return cls(
            step=int(engine.progress.step[0]),
            bodies=bodies_of(engine),
            held=engine.held(),
            progress={name: values.copy() for name, values in engine.progress._asdict().items()},
        )

    def restore(self, engine: Engine) -> None:
        """Take the run back."""
        put_back(engine, self.bodies, self.held, self.progress)
        engine.code = DONE
        engine.go_on(self.held, engine.setting.unit, engine.datum, engine.start_step)
