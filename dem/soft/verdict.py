"""Verdict on a run in time steps: whether its result can be trusted, by the figures of its engine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dem.base import portable
from dem.base.text import counted
from dem.kernels.convex.polyhedra import MAX_CONTACTS, MAX_EDGES, MAX_VERTICES
from dem.kernels.domain.deforming_cell import deforms
from dem.model.domain.box import FACES
from dem.model.domain.box_walls import has_moving_images
from dem.rotation.integrators import DRIFTS
from dem.soft import deforming_cell
from dem.soft.bonds import bond_setup
from dem.soft.contact.convex_bodies import solver_counts
from dem.soft.fluid import fluid_setup
from dem.soft.time_step.impacts import RESOLVED
from dem.soft.time_step.limits import OVERLAP_LIMIT
from dem.soft.walls import container_check
from dem.system.system import Judgement

if TYPE_CHECKING:
    from dem.rotation.integrators import Integrator
    from dem.soft.engine import Engine
    from dem.soft.insertion.population import Population
    from dem.soft.simulation import Simulation
    from dem.soft.time_step.limits import ShortestContact

# ruff: noqa: SLF001 (the verdict is a part of Simulation)

ENERGY_BUDGET = 0.01  # of the reference energy over a run; beyond it the run is not resolved
NORM_BUDGET = 1e-9
MOMENTUM_BUDGET = 1e-9  # of the sum of all |m v|: forces are equal and opposite, so the error is rounding


def energy_remedy(*, drifts: bool) -> str:
    """Remedy for an energy error; `drifts` if the rotational scheme makes energy drift."""
    return "lower time_step" + (", or take the integrator splitting, whose energy does not drift" if drifts else "")


@dataclass(frozen=True)
class Verdict(Judgement):
    """Measures of whether a run can be trusted.

    Attributes
    ----------
    steps : int
        Time steps taken.
    time : float
        Simulated time [s].
    energy_error : float
        Largest departure of the total energy at any step, over the reference energy.
    energy_reference : str
        Which energy is the reference, in words: the largest of the energy at the start, the kinetic energy, what
        contacts took, and the work of walls.
    norm_error : float
        Largest ||q| - 1| of the orientations.
    largest_overlap : float
        Largest overlap over the smallest diameter.
    engulfed : bool
        Whether an overlap came to half of the largest diameter: spheres sank into each other or a wall.
    energy_rate : float
        Energy error per second of simulated time [1/s].
    energy_budget : float
        Largest energy rate that is accepted [1/s].
    overlap_share : float
        Largest overlap of a contact over its smaller radius; a lower bound if radii differ, as it is then computed
        in some steps only.
    momentum_error : float or None
        Change of linear momentum over the sum of all |m v|, along the axes on which nothing acts from outside; None
        if there is no such axis.
    shortest_contact : ShortestContact
        Contact that lasted the fewest time steps, if these were too few to resolve it.
    time_step : float
        [s].
    drifts : bool
        Whether the rotational scheme makes energy drift where another one would not.
    other_doubts : tuple of str
        Doubts in words about what has no field here: use of fluid laws outside their ranges, inserters and outlets that
        did not do what they were to, bonds, and particles outside closed walls.
    population : str
        How many particles were inserted and removed, if any were to be.
    balanced : bool
        Whether the number of particles is that of the inserted less the removed ones.
    bonds : str
        How many bonds broke, if there are any.
    solver : str
        What finding the contacts of convex shapes took.
    unconverged_contacts : int
        Number of times that a contact of convex shapes was not found to full precision.
    truncated_pairs : int
        Number of times that a pair of polyhedra may have had more contacts than the engine evaluates.
    unfinished : tuple of str
        Which walls were still to move, and which inserters to insert particles, at the end.
    scalars : tuple of str
        Conservation of heat and other scalars, in words.
    scalars_balanced : bool
        Whether these are conserved.
    cell : tuple of str
        Inertial number of a cell that deforms too fast to be quasi-static, and prescribed stresses that are not
        reached; neither is a doubt about what was computed.

    Examples
    --------
    >>> import dem
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 0]])
    >>> verdict = dem.Simulation(ball, time_step=1e-4).run(duration=0.01)
    >>> verdict.passed, verdict.steps, verdict.failures, verdict.largest_overlap
    (True, 100, [], 0.0)
    """

    steps: int
    time: float
    energy_error: float
    energy_reference: str
    norm_error: float
    largest_overlap: float
    engulfed: bool
    energy_rate: float
    energy_budget: float
    overlap_share: float
    momentum_error: float | None
    shortest_contact: ShortestContact
    time_step: float
    drifts: bool
    other_doubts: tuple[str, ...] = ()
    population: str = ""
    balanced: bool = True
    bonds: str = ""
    solver: str = ""
    unconverged_contacts: int = 0
    truncated_pairs: int = 0
    unfinished: tuple[str, ...] = ()
    scalars: tuple[str, ...] = ()
    scalars_balanced: bool = True
    cell: tuple[str, ...] = ()

    @property
    def failures(self) -> list[str]:
        """Why the run is not to be trusted, each with a remedy."""
        found = []
        if not self.energy_error <= ENERGY_BUDGET:
            found.append(f"energy error above {ENERGY_BUDGET:.0%}: {energy_remedy(drifts=self.drifts)}")
        if not self.norm_error <= NORM_BUDGET:
            found.append(f"quaternion norm error above {NORM_BUDGET:g}: lower the time step")
        if self.engulfed:
            found.append("spheres sank into each other or a wall: raise young, or lower the speeds")
        if self.momentum_error is not None and not self.momentum_error <= MOMENTUM_BUDGET:
            found.append(f"momentum error above {MOMENTUM_BUDGET:g}: a force has no equal and opposite one")
        if not self.balanced:
            found.append("the number of particles is not balanced, a fault of the engine: please report it")
        if not self.scalars_balanced:
            found.append("heat or another scalar is not conserved, a fault of the engine: please report it")
        return found

    @property
    def doubts(self) -> list[str]:
        """Reasons to doubt the run, each with a remedy."""
        found = []
        if self.shortest_contact.steps < RESOLVED:
            remedy = self.shortest_contact.remedy(self.time_step)
            found.append(f"{self.shortest_contact}, at least {RESOLVED} resolve it: {remedy}")
        if self.overlap_share > OVERLAP_LIMIT and not self.engulfed:
            found.append(
                f"largest overlap {self.overlap_share:.0%} of a radius, above the {OVERLAP_LIMIT:.0%} up to which "
                "Hertz theory, for small overlaps, is kept to: raise young, or lower the speeds"
            )
        if self.unconverged_contacts:
            found.append(
                f"{counted(self.unconverged_contacts, 'contact')} of convex shapes not found to full precision: lower "
                "exponents, or raise rounding"
            )
        if self.truncated_pairs:
            found.append(
                f"contacts of polyhedra left out {counted(self.truncated_pairs, 'time')}, as a pair had more than "
                f"{MAX_CONTACTS}, or a body more than {MAX_VERTICES} vertices or {MAX_EDGES} edges near another: "
                "lower rounding, or take hulls of fewer vertices"
            )
        return [*found, *self.other_doubts]

    def __str__(self) -> str:
        """The verdict in one line."""
        line = (
            f"{self.status}: {counted(self.steps, 'step')} to t = {self.time:.6g} s, largest energy error "
            f"{self.energy_error:.2e} of {self.energy_reference} ({self.energy_rate:.1e} a second, budget "
            f"{self.energy_budget:.1e}), quaternion norm error {self.norm_error:.1e}, "
            f"largest overlap {self.largest_overlap:.2%} of the smallest diameter"
        )
        if 2 * self.largest_overlap > 1.001 * self.overlap_share:  # larger particles met
            line += (
                f", largest share of the smaller radius in a contact {self.overlap_share:.2%} or more (limit "
                f"{OVERLAP_LIMIT:.0%})"
            )
        else:
            line += f" (limit {OVERLAP_LIMIT / 2:.1%})"
        if self.momentum_error is not None:
            line += f", momentum error {self.momentum_error:.1e}"
        if self.population:
            line += f"; {self.population}"
        if self.bonds:
            line += f", {self.bonds}"
        if self.solver:
            line += f"; {self.solver}"
        return "; ".join([line, *self.scalars, *self.failures, *self.doubts, *self.unfinished, *self.cell])


def drifts(engine: Engine, integrator: Integrator) -> bool:
    """Whether the energy drifts with the rotational scheme; single spheres rotate equally with all schemes."""
    return integrator.energy == DRIFTS and (engine.bonds is not None or not engine.kinds.all_single_spheres)


def judge(sim: Simulation) -> Verdict:
    """Judge the run of a simulation since the start, or since its state was last assigned to."""
    engine, population = sim._engine, sim._population
    steps, overlap = int(engine.run_state.step[0]), float(engine.run_state.largest_overlap[0])
    radius, error, orientation = engine.kinds.radius, sim.energy_error, sim.particles.orientation
    solver = solver_counts(engine.kinds)
    span = (steps - sim._ledger.first_step) * engine.dt
    medium = engine.fluid.model, sim.particles, engine.dt, engine.fluid.two_way
    return Verdict(
        steps=steps,
        time=steps * engine.dt,
        energy_error=error,
        energy_reference=sim.energy_reference[0],
        norm_error=float(np.abs(np.linalg.norm(orientation, axis=1) - 1).max(initial=0.0)),
        largest_overlap=overlap / (2 * float(radius.min())),
        engulfed=overlap >= float(radius.max()),
        energy_rate=error / span if span else 0.0,
        energy_budget=ENERGY_BUDGET / span if span else 0.0,
        overlap_share=engine.limits.relative_overlap(overlap),
        momentum_error=_momentum_error(sim),
        shortest_contact=engine.limits.shortest_contact,
        time_step=engine.dt,
        drifts=drifts(engine, sim.integrator),
        other_doubts=(
            *fluid_setup.doubts(sim.fluid, *medium), *(population.doubts(steps) if population else ()),
            *bond_setup.doubts(engine), *container_check.doubts(engine, sim._containers),
        ),
        population=population.describe(engine) if population else "",
        balanced=population.balanced(engine) if population else True,
        bonds=bond_setup.breakage(engine),
        solver=solver.describe() if solver else "",
        unconverged_contacts=solver.unconverged_contacts if solver else 0,
        truncated_pairs=solver.truncated_pairs if solver else 0,
        unfinished=unfinished(engine, population),
        scalars=tuple(stage.in_words(engine) for stage in engine.scalars),
        scalars_balanced=all(stage.balances(engine) for stage in engine.scalars),
        cell=deforming_cell.remarks(engine.walls.faces, sim.particles) if deforms(engine.walls.faces) else (),
    )  # fmt: skip


def _momentum_error(sim: Simulation) -> float | None:
    """Change of momentum where no wall, gravity or fluid takes part, over the sum of all |m v|."""
    engine, box, free = sim._engine, sim._box, np.array(sim._gravity) == 0
    (start, size), (now, size_now) = sim._start_momentum, sim._momentum(sim._state())
    if sim._population:
        start, size = start + sim._population.totals.net_momentum, size + sim._population.totals.momentum_scale
    if has_moving_images(box):  # momentum is relative to a frame that is sheared
        return None
    walled = engine.walls.models or (engine.bonds and engine.bonds.are_grounded) or engine.kinds.fixed
    if sim.fluid is not None or walled or (box and len(box.absent) < len(FACES)) or not free.any():
        return None
    change = portable.length((now - start)[free])
    return change / max(size_now, size) if change > 0 else 0.0


def unfinished(engine: Engine, population: Population | None) -> tuple[str, ...]:
    """Motions of walls and inserters that end, or begin, after the present step, in words for the verdict."""
    step = int(engine.run_state.step[0])
    now = step * engine.dt
    found = []
    for wall, name in zip(engine.walls.models, engine.walls.names, strict=True):
        moving = [motion for motion in wall.motion if motion.moves]
        ends = [motion.end for motion in moving if now + 0.5 * engine.dt < motion.end < math.inf]
        begins = [motion.start for motion in moving if now + 0.5 * engine.dt < motion.start and motion.end == math.inf]
        if ends:
            found.append(f"the {name} moves until {max(ends):.6g} s")
        elif begins:
            found.append(f"the {name} begins to move at {max(begins):.6g} s")
    found += [words for source in (population.inserters if population else ()) if (words := source.unfinished(step))]
    return tuple(f"{words}, the run ended at {now:.6g} s" for words in found)
