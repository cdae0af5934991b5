"""Energies that the kernels of an engine sum as integers, in joules, and their departure from the expected total."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dem.system.energy_ledger import EnergySums

if TYPE_CHECKING:
    from dem.soft.engine import Engine
    from dem.soft.insertion.population import Population
    from dem.system.energy_ledger import EnergyLedger


def sums(engine: Engine, population: Population | None) -> EnergySums:
    """Energy that contacts hold, what they took, and the work of walls and fluid [J]."""
    progress, unit = engine.progress, engine.energy_unit
    came = (population.ledger.inserted, population.ledger.removed) if population else (0.0, 0.0)
    return EnergySums(
        elastic=float(progress.elastic[0]) / unit,
        dissipated=float(progress.dissipated.sum() - progress.stored[0]) / unit,
        work=float(progress.wall_work.sum()) / unit,
        fluid=fluid_work(engine),
        inserted=came[0],
        removed=came[1],
    )


def fluid_work(engine: Engine) -> float:
    """Work of the fluid [J]."""
    return 0.0 if engine.fluid.is_dry else float(engine.fluid.model.medium.drawn.sum()) / engine.energy_unit


def departure(engine: Engine) -> float:
    """Largest departure of the total energy at any step from that at the start [J]."""
    return float(engine.progress.energy_error[0]) / engine.energy_unit


def expect_more(engine: Engine, more: float, departure: float = 0.0) -> None:
    """Raise the total energy that departures are measured from [J]; the present departure is so much larger, too."""
    engine.progress.energy_start[0] += more * engine.energy_unit
    engine.progress.energy_drift[0] += departure * engine.energy_unit


def turnovers(engine: Engine, ledger: EnergyLedger, population: Population | None) -> dict[str, float]:
    """Sizes [J] by name of what contacts took, of the work done on particles, and of what came with particles."""
    progress, unit, before = engine.progress, engine.energy_unit, ledger.earlier
    work = before.work + ledger.external_work
    of_walls = "the work of walls and from outside" if work else "the work of the walls"
    return {
        "the energy that contacts took": abs(before.dissipated + float(progress.dissipated[0]) / unit),
        of_walls: abs(work + float(progress.wall_work[0]) / unit),
        "the work of the fluid": abs(before.fluid + fluid_work(engine)),
        "the energy that particles brought": abs(population.ledger.inserted if population else 0.0),
    }
