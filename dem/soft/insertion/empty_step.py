"""Steps of an engine without bodies: time goes on, walls move, and the energy ledger is closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dem.kernels.soft.integration import time_loop as loop
from dem.soft.insertion.insertion_in_fluid import fluid_work_at_rest

if TYPE_CHECKING:
    from dem.soft.engine_protocols import EngineState


def execute(engine: EngineState, order: int, stop: int) -> int:
    """Carry out an order of an engine without bodies, as kernels do otherwise; returns DONE."""
    progress = engine.progress
    if order == loop.START:
        progress.energy_start[0] = 0.0
    if order != loop.ADVANCE:
        return loop.DONE
    if progress.phase[0] == loop.FRESH:
        progress.phase[0] = loop.COMPLETE
    step = int(progress.step[0])
    if step >= stop:
        return loop.DONE
    for name, half in (("dissipated", "dissipated_half_step"), ("wall_work", "wall_work_half_step")):
        getattr(progress, name)[0] += getattr(progress, half)[0]
    for name in ("elastic", "stored", "dissipated_half_step", "wall_work_half_step", "acceleration"):
        getattr(progress, name)[:] = 0
    work = fluid_work_at_rest(engine)
    departure = float((progress.dissipated - progress.wall_work).sum() - progress.energy_start[0]) - work
    if progress.leaving[0]:
        progress.energy_start[0] += departure - progress.energy_drift[0]
        departure, progress.leaving[0] = float(progress.energy_drift[0]), 0
    progress.energy_drift[0] = departure
    progress.energy_error[0] = max(progress.energy_error[0], abs(departure))
    walls = engine.walls
    if walls.beside_box:
        walls.state["felt"][:] = 0.0
    driven = any(wall.servo for wall in walls.models)  # these go on step by step, however a run is cut
    for k in range(step + 1 if driven else stop, stop + 1):
        walls.move(k * engine.dt)
    progress.step[0], progress.phase[0] = stop, loop.COMPLETE
    return loop.DONE
