"""What a run in time steps has done to energy and momentum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.model.box import FACES

if TYPE_CHECKING:
    from dem.model.box import Box
    from dem.soft.engine import Engine


def booked(engine: Engine) -> dict[str, float]:
    """What contacts hold and have taken, and what walls have done [J]."""
    progress, unit = engine.progress, engine.setting.unit
    return {
        "elastic": float(progress.elastic[0]) / unit,
        "dissipated": float(progress.taken[0] - progress.stored[0]) / unit,
        "work": float(progress.worked[0]) / unit,
    }


def energy_error(engine: Engine, start: float, kinetic: float) -> float:
    """Largest departure of the total energy at any step, relative to the largest of these.

    The energy at the start, the kinetic energy, what contacts have taken, and the work of walls.
    """
    progress, unit = engine.progress, engine.setting.unit
    moved = float(max(abs(progress.worked[0]), abs(progress.taken[0]))) / unit
    reference = max(abs(start), kinetic, moved)
    error = float(progress.energy_error[0]) / unit
    return error / reference if reference > 0 else 0.0


def momentum_error(
    box: Box | None, gravity: tuple[float, float, float], start: tuple[np.ndarray, float], now: tuple[np.ndarray, float]
) -> float | None:
    """Change of momentum where there are neither walls nor gravity, over the sum of all |m v|.

    Start and end are momentum (3,) and the sum of the sizes of all particles' momenta [kg m/s].
    """
    free = np.array(gravity) == 0
    if (box and len(box.absent) < len(FACES)) or not free.any():
        return None
    change = float(np.linalg.norm((now[0] - start[0])[free]))
    return change / max(now[1], start[1]) if change > 0 else 0.0
