"""Judge a run in time steps: find the figures of its verdict in the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base import portable
from dem.model.domain.box import FACES
from dem.model.domain.box_walls import has_moving_images
from dem.rotation.integrators import DRIFTS
from dem.soft.verdict import ENERGY_BUDGET, Verdict

if TYPE_CHECKING:
    from dem.model.domain.box import Box
    from dem.rotation.integrators import Integrator
    from dem.soft.engine import Engine
    from dem.soft.insertion.population import Population


def momentum_error(
    box: Box | None,
    gravity: tuple[float, float, float],
    start: tuple[np.ndarray, float],
    now: tuple[np.ndarray, float],
    *,
    wet: bool = False,
    walled: bool = False,
) -> float | None:
    """Change of momentum where no wall, gravity or fluid takes part, over the sum of all |m v|.

    Start and end are momentum (3,) and the sum of the sizes of all particles' momenta [kg m/s].
    """
    free = np.array(gravity) == 0
    if has_moving_images(box):  # momentum is relative to a frame that is sheared
        return None
    if wet or walled or (box and len(box.absent) < len(FACES)) or not free.any():
        return None
    change = portable.length((now[0] - start[0])[free])
    return change / max(now[1], start[1]) if change > 0 else 0.0


def drifts(engine: Engine, integrator: Integrator) -> bool:
    """Whether the rotational scheme makes energy drift; single spheres turn alike by all schemes."""
    return integrator.energy == DRIFTS and (engine.bonds is not None or not engine.kinds.all_single_spheres)


def judge(
    engine: Engine,
    integrator: Integrator,
    first_step: int,
    orientation: np.ndarray,
    reference: str,
    energy_error: float,
    momentum_error: float | None,
    beyond: tuple[str, ...] = (),
    population: Population | None = None,
) -> Verdict:
    """Judge a run since its first step, with the present orientations (N, 4)."""
    steps, overlap = int(engine.progress.step[0]), float(engine.progress.largest_overlap[0])
    span, radius = (steps - first_step) * engine.dt, engine.kinds.radius
    return Verdict(
        steps=steps,
        time=steps * engine.dt,
        energy_error=energy_error,
        energy_reference=reference,
        norm_error=float(np.abs(np.linalg.norm(orientation, axis=1) - 1).max(initial=0.0)),
        largest_overlap=overlap / (2 * float(radius.min())),
        engulfed=overlap >= float(radius.max()),
        energy_rate=energy_error / span if span else 0.0,
        energy_budget=ENERGY_BUDGET / span if span else 0.0,
        overlap_share=engine.limits.share(overlap),
        momentum_error=momentum_error,
        briefest=engine.limits.brief,
        time_step=engine.dt,
        drifts=drifts(engine, integrator),
        beyond=(*beyond, *(population.doubts(steps) if population else ())),
        population=population.describe(engine) if population else "",
        balanced=population.balanced(engine) if population else True,
    )
