"""What a run in time steps has done to energy and momentum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base import portable
from dem.kernels.numerics.energy import REFERENCE_BITS
from dem.model.domain.box import FACES
from dem.rotation.integrators import DRIFTS
from dem.soft.verdict import ENERGY_BUDGET, Verdict

if TYPE_CHECKING:
    from dem.model.domain.box import Box
    from dem.rotation.integrators import Integrator
    from dem.soft.engine import Engine
    from dem.soft.insertion.population import Population

ROOM_BITS = 10  # by which energies may grow beyond those at the start before the unit is chosen anew


def booked(engine: Engine) -> dict[str, float]:
    """What contacts hold and have taken, and what walls have done [J]."""
    progress, unit = engine.progress, engine.energy_unit
    return {
        "elastic": float(progress.elastic[0]) / unit,
        "dissipated": float(progress.dissipated.sum() - progress.stored[0]) / unit,
        "work": float(progress.wall_work.sum()) / unit,
        "fluid": drawn(engine),
    }


def drawn(engine: Engine) -> float:
    """Work of the fluid [J]."""
    work = engine.fluid_state.get("drawn")
    return 0.0 if work is None else float(work.sum()) / engine.energy_unit


def departure(engine: Engine) -> float:
    """Largest departure of the total energy at any step from that at the start [J]."""
    return float(engine.progress.energy_error[0]) / engine.energy_unit


def expect(engine: Engine, more: float, departure: float = 0.0) -> None:
    """Measure departures from a total energy that is so much higher [J]; the present one is so much more, too."""
    engine.progress.energy_start[0] += more * engine.energy_unit
    engine.progress.energy_drift[0] += departure * engine.energy_unit


def takes(engine: Engine, gravity: tuple[float, float, float], datum: float) -> bool:
    """Whether potential energies under another gravity can be summed in the unit of energy that was chosen."""
    b = engine.bodies
    if engine.fluid_state:  # whose half step after the forces is no matter of adding
        return False
    mass = np.where(engine.kinds.inverse_mass > 0, engine.kinds.mass, 0.0)
    weights = mass[b.kind] * np.abs(datum - (np.array(gravity)[:, None] * b.position).sum(0))
    return bool(weights.sum() * engine.energy_unit < 2.0 ** (REFERENCE_BITS + ROOM_BITS))


def reference(
    engine: Engine, start: float, kinetic: float, taken: float, work: float, fluid: float, inserted: float = 0.0
) -> tuple[str, float]:
    """What the energy error is relative to [J], in words first: the largest of these.

    The energy at the start, the largest kinetic energy that was seen, what contacts have taken, and the work of walls
    and from outside, and of the fluid, and what came with particles. `taken`, `work` and `fluid` are what the engine
    does not know of.
    """
    progress, unit = engine.progress, engine.energy_unit
    energies = {
        "the energy at the start": abs(start),
        "the largest kinetic energy": kinetic,
        "the energy that contacts took": abs(taken + float(progress.dissipated[0]) / unit),
        "the work of walls and from outside" if work else "the work of the walls": abs(
            work + float(progress.wall_work[0]) / unit
        ),
        "the work of the fluid": abs(fluid + drawn(engine)),
        "the energy that particles brought": abs(inserted),
    }
    return max(energies.items(), key=lambda named: named[1])


def relative(departure: float, reference: float) -> float:
    """Relative energy error: a departure over a reference, 0 if the reference is."""
    return departure / reference if reference > 0 else 0.0


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
    if wet or walled or (box and len(box.absent) < len(FACES)) or not free.any():
        return None
    change = portable.length((now[0] - start[0])[free])
    return change / max(now[1], start[1]) if change > 0 else 0.0


def drifts(engine: Engine, integrator: Integrator) -> bool:
    """Whether the scheme makes energy drift where another one would not: spheres turn alike by all of them."""
    return integrator.energy == DRIFTS and (engine.bonds is not None or not engine.kinds.all_single_spheres)


def judged(
    engine: Engine,
    integrator: Integrator,
    first_step: int,
    orientation: np.ndarray,
    reference: str,
    energy_error: float,
    momentum_error: float | None,
    beyond: tuple[str, ...] = (),
    traffic: Population | None = None,
) -> Verdict:
    """Judge a run since its first step, which has come to these orientations (N, 4)."""
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
        beyond=(*beyond, *(traffic.doubts(steps) if traffic else ())),
        population=traffic.told(engine) if traffic else "",
        balanced=traffic.balanced(engine) if traffic else True,
    )
