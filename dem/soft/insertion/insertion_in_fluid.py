"""Insertion and removal in a fluid: its work in the half step under way on bodies that come or go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.fluid import Dry
from dem.soft.fluid.fluid_setup import STATE

if TYPE_CHECKING:
    from dem.soft.engine_protocols import EngineState


def beginning(engine: EngineState) -> tuple:
    """The fluid of an engine at its present step, with sums of its own for bodies that begin there."""
    if engine.fluid.is_dry:
        return engine.fluid.model
    medium = engine.fluid.model.medium
    own = {name: np.zeros_like(getattr(medium, name)) for name in STATE}
    own["clock"][:] = int(engine.progress.step[0]) * engine.dt  # also where the fluid has not been evaluated for long
    return engine.fluid.model._replace(medium=medium._replace(**own))


def begin(engine: EngineState, fluid: tuple) -> None:
    """Add the sums of a fluid of `beginning`: its work in the half step that is under way."""
    if isinstance(fluid, Dry):
        return
    medium = engine.fluid.model.medium
    medium.drawing[:] += fluid.medium.drawing
    np.maximum(medium.reached, fluid.medium.reached, out=medium.reached)


def leave(engine: EngineState, going: np.ndarray, state: list[np.ndarray]) -> bool:
    """Subtract the fluid's work in the half step under way on removed bodies, of state (R, K) in the order of rows.

    Returns whether that is exact: for spheres without contacts, on which fluid and gravity act alone.
    """
    if engine.fluid.is_dry:
        return True
    b, medium, dt = engine.bodies, engine.fluid.model.medium, engine.dt
    index = np.flatnonzero(going)
    index = index[np.argsort(b.identity[index], kind="stable")]
    mass = engine.kinds.mass[b.kind[index]]
    now, later, weight = state[1], b.velocity[:, index], np.array(engine.gravity)[:, None]
    work = (0.5 * mass * (later - now - 0.5 * dt * weight) * (now + later)).sum()
    if engine.rotating:
        inertia = engine.kinds.inertia[b.kind[index], 0]
        work += (0.5 * inertia * (b.memory_w[:, index] ** 2 - state[3] ** 2)).sum()
    medium.drawing[0] -= np.rint(work * engine.energy_unit)
    return bool(engine.kinds.all_single_spheres)


def fluid_work_at_rest(engine: EngineState) -> float:
    """Work of the fluid [units] since the start, with the half step under way, in an engine without bodies."""
    if engine.fluid.is_dry:
        return 0.0
    medium = engine.fluid.model.medium
    medium.drawn[0] += medium.drawing[0]
    medium.drawing[0] = 0.0
    return float(medium.drawn.sum())
