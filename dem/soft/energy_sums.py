"""Energies that the kernels of an engine sum as integers: their unit, their values in joules, their departure.

The unit is chosen by an estimate of the energies of the run.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.base import portable
from dem.kernels.domain.deforming_cell import deforms
from dem.kernels.fluid import Dry, sampling
from dem.kernels.fluid.schiller_naumann import C_NEWTON
from dem.kernels.fluid.stokes import Stokes
from dem.kernels.numerics.energy import REFERENCE_BITS
from dem.soft.time_step.adhesion import energies_of_adhesion
from dem.soft.walls.wall_arrays import energies_of_walls, specific_fall_energy_to_walls
from dem.system.energy_ledger import EnergySums

if TYPE_CHECKING:
    from dem.kernels.domain.faces import BoxFaces
    from dem.kernels.soft.state import Kinds
    from dem.soft.contact.overlaps import Overlaps
    from dem.soft.engine import Engine
    from dem.soft.insertion.population import Population
    from dem.soft.time_step.impacts import Springs
    from dem.system.energy_ledger import EnergyLedger


def sums(engine: Engine, population: Population | None) -> EnergySums:
    """Elastic and dissipated energy of contacts, and the work of walls and fluid [J]."""
    run_state, unit = engine.run_state, engine.energy_unit
    inserted, removed = (population.totals.inserted, population.totals.removed) if population else (0.0, 0.0)
    return EnergySums(
        elastic=float(run_state.elastic[0]) / unit,
        dissipated=float(run_state.dissipated.sum() - run_state.spring_energy[0]) / unit,
        work=float(run_state.wall_work.sum()) / unit,
        fluid=fluid_work(engine),
        inserted=inserted,
        removed=removed,
    )


def fluid_work(engine: Engine) -> float:
    """Work of the fluid [J]."""
    return 0.0 if engine.fluid.is_dry else float(engine.fluid.model.medium.work.sum()) / engine.energy_unit


def departure(engine: Engine) -> float:
    """Largest departure of the total energy at any step from that at the start [J]."""
    return float(engine.run_state.energy_error[0]) / engine.energy_unit


def expect_more(engine: Engine, more: float, departure: float = 0.0) -> None:
    """Raise the total energy that departures are measured from [J]; the present departure is so much larger, too."""
    engine.run_state.energy_start[0] += more * engine.energy_unit
    engine.run_state.energy_drift[0] += departure * engine.energy_unit


def turnovers(engine: Engine, ledger: EnergyLedger, population: Population | None) -> dict[str, float]:
    """Amounts [J] by name: energy dissipated in contacts, work done on particles, energy of inserted particles."""
    run_state, unit, before = engine.run_state, engine.energy_unit, ledger.earlier
    work = before.work + ledger.external_work
    cell = deforms(engine.walls.faces)
    of_walls = f"the work of {'the cell' if cell else 'walls'} and from outside"
    if not work:
        of_walls = "the work of the cell" if cell else "the work of the walls"
    return {
        "the energy dissipated in contacts": abs(before.dissipated + float(run_state.dissipated[0]) / unit),
        of_walls: abs(work + float(run_state.wall_work[0]) / unit),
        "the work of the fluid": abs(before.fluid + fluid_work(engine)),
        "the energy of inserted particles": abs(population.totals.inserted if population else 0.0),
    }


HEADROOM = 2.0**12  # factor by which energies of a run may exceed the estimate at the start
ROOM_BITS = 10  # by which energies may exceed the estimate before another unit is chosen


def fitting_unit(engine: Engine, overlaps: Overlaps) -> float:
    """Power of two [1/J] in which the present energies of an engine add up to about 2^REFERENCE_BITS."""
    with np.errstate(over="ignore"):
        return unit_of(present_energies(engine, overlaps))


def present_energies(engine: Engine, overlaps: Overlaps) -> float:
    """Sum of the absolute values of all energies in an engine of these overlaps, or soon to come [J]."""
    b, kinds, springs, gravity, walls = engine.bodies, engine.kinds, engine.springs, engine.gravity, engine.walls
    moving = [engine.by_row(values) for values in (b.kind, b.position, b.velocity, b.memory_w)]
    total = (
        energies_of_motion(kinds, *moving, gravity, engine.reference_potential)
        + energies_of_contacts(kinds, springs, overlaps)
        + energies_to_come(kinds, moving[0], walls.max_amplitude(), walls.fastest, gravity)
        + energies_of_adhesion(engine.law, kinds, springs, b.owner.size)
        + energies_of_flow(engine.fluid.model, kinds, *moving[:2], gravity, walls.faces)
        + energies_of_walls(walls.models, moving[1], gravity)
        + engine.energy_to_come
        + energies_of_compression(walls.faces, kinds, b.owner.size)
    )
    falls = portable.dot(kinds.mass[moving[0]], specific_fall_energy_to_walls(moving[1].T, gravity, walls.models))
    total = falls if falls > HEADROOM * total else total  # else they fit
    return total + float(np.sort(engine.bond_loads()[0]).sum()) if engine.bonds else total


def fits_unit(engine: Engine, gravity: tuple[float, float, float], reference_potential: float) -> bool:
    """Whether potential energies under another gravity can be summed in the present unit."""
    b = engine.bodies
    if not engine.fluid.is_dry:  # its half step after the forces depends on gravity
        return False
    mass = np.where(engine.kinds.inverse_mass > 0, engine.kinds.mass, 0.0)
    weights = mass[b.kind] * np.abs(reference_potential - (np.array(gravity)[:, None] * b.position).sum(0))
    return bool(weights.sum() * engine.energy_unit < 2.0 ** (REFERENCE_BITS + ROOM_BITS))


def unit_of(energy: float) -> float:
    """Power of two [1/J] in which an energy [J] is about 2^REFERENCE_BITS."""
    return 2.0 ** min(max(REFERENCE_BITS - math.frexp(energy)[1], -1000), 1000)


def energies_of_motion(
    kinds: Kinds,
    kind: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    spin: np.ndarray,
    gravity: tuple[float, float, float],
    reference_potential: float,
) -> float:
    """Sum of the absolute kinetic and gravitational energies of bodies of the given kinds (N,) [J].

    Their positions, velocities and angular velocities are (3, N). As rounding depends on the order, the order must not
    depend on places in memory.
    """
    mass = kinds.mass[kind]
    kinetic = 0.5 * (mass * (velocity**2).sum(0)).sum()
    gravitational = np.abs(mass * (reference_potential - (np.array(gravity)[:, None] * position).sum(0))).sum()
    turning = 0.5 * (kinds.inertia.max(0)[kind] * (spin**2).sum(0)).sum()
    return float(kinetic + gravitational + turning)


def energies_of_contacts(kinds: Kinds, springs: Springs, overlaps: Overlaps) -> float:
    """Elastic energy, as if all contacts were the stiffest possible [J]; the sum is in order of size."""
    own = np.arange(springs.wall)
    i, j = np.meshgrid(own, [*own, *springs.surfaces()])
    every = springs.between(i.ravel(), j.ravel(), kinds.radius.max(), kinds.mass.max())
    stiffest = every._replace(stiffness=np.max(every.stiffness), power=np.max(every.power))
    deep = (np.sort(np.maximum(d, 0.0)) for d in (overlaps.pair, overlaps.wall))
    return float(sum(stiffest.energy(d).sum() for d in deep))


def energies_of_flow(
    fluid: tuple,
    kinds: Kinds,
    kind: np.ndarray,
    position: np.ndarray,
    gravity: tuple[float, float, float],
    faces: BoxFaces,
) -> float:
    """Energy of bodies of the given kinds (N,) at positions (3, N) once they follow the fluid, or sink in it [J].

    Heavy bodies would sink much faster in Stokes flow than they do: inertia of the fluid bounds that, and the box.
    """
    if isinstance(fluid, Dry):
        return 0.0
    speed, medium = np.empty(kind.size), fluid.medium
    sampling.speeds(fluid.field, medium.clock[0], np.ascontiguousarray(position), speed)
    weight = portable.length(gravity) * kinds.mass
    sinking = (weight / (medium.viscosity * medium.translation.min(0))) ** 2
    if not isinstance(fluid.drag, Stokes):
        sinking = np.minimum(sinking, weight / (C_NEWTON * math.pi / 8 * medium.density * medium.diameter**2))
    with np.errstate(invalid="ignore"):  # along axes without walls
        fallen = np.abs(gravity) * (faces.upper - faces.lower)
    sinking = np.minimum(sinking, 2 * fallen[np.abs(gravity) > 0].sum())
    return float((kinds.mass[kind] * (speed**2 + sinking[kind])).sum())


def energies_of_compression(faces: BoxFaces, kinds: Kinds, spheres: int) -> float:
    """Elastic energy that a deforming cell may store, at overlaps of a hundredth of a diameter [J]."""
    if not deforms(faces):
        return 0.0
    return 1e-5 * spheres * float(kinds.modulus.max()) * float(kinds.radius.max()) ** 3


def energies_to_come(
    kinds: Kinds, kind: np.ndarray, swing: float, fastest: float, gravity: tuple[float, float, float]
) -> float:
    """Energy that walls of this largest swing [m] and speed [m/s] may give, and a little for a system at rest [J]."""
    driven = 0.0
    if fastest > 0:
        driven = kinds.mass[kind].sum() * (fastest**2 + portable.length(gravity) * swing)
    return float(driven + 1e-9 * kinds.modulus.max() * float(kinds.radius.min()) ** 3)
