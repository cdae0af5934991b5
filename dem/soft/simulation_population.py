"""Who is there in a simulation, who comes and goes, and how much there is to compute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dem.model.particles.fields import MOTION
from dem.soft.bonds import bond_setup
from dem.soft.checks import deep_start, rolling_shapes, turned_clumps
from dem.soft.energy_ledger import EnergyLedger
from dem.soft.escape import staying
from dem.soft.fluid import fluid_setup
from dem.soft.insertion.insertion_setup import with_examples
from dem.soft.sizes import Sizes
from dem.soft.stages import stages
from dem.soft.subdomain import rank_checks
from dem.soft.time_step import adhesion
from dem.soft.time_step.advice import foreseen
from dem.soft.walls import astray, mesh_scale_check
from dem.soft.walls.wall_arrays import words
from dem.system.diagnosis import densities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    import numpy as np

    from dem.base.notices import Notice
    from dem.model.particles.particles import Particles
    from dem.soft.insertion.inserter_in_run import InserterInRun
    from dem.soft.insertion.outlet_in_run import OutletInRun
    from dem.soft.insertion.population import Population


# ruff: noqa: SLF001 (what a simulation shows are its own particles)


class SimulationPopulation(EnergyLedger):
    """A simulation as one that looks at it sees it."""

    _shown_step: int
    _foretold: bool  # whether what is foreseen has been asked for, or a step has warned of it

    @property
    def traffic(self) -> Population | None:
        """Who comes and goes; None if nobody does."""
        return self._traffic

    @property
    def inserters(self) -> tuple[InserterInRun, ...]:
        """Those that put particles in, each with its `.number`, `.mass`, `.waiting`, `.dropped`, `.grading` so far."""
        return tuple(self._traffic.sources) if self._traffic else ()

    @property
    def outlets(self) -> tuple[OutletInRun, ...]:
        """Those that take particles out, each with the `.number` and `.mass` that has gone by it."""
        return tuple(self._traffic.sinks) if self._traffic else ()

    @property
    def identities(self) -> np.ndarray:
        """Number of each particle (N,), which is its own for ever: those who come have numbers that nobody had."""
        return self._engine.numbering.identities.copy()

    @property
    def particles(self) -> Particles:
        """The particles at the present whole step, in their original order."""
        self._catch_up()
        return self._particles

    def _catch_up(self) -> None:
        """Read the particles back from the engine, unless they show the present step."""
        if self._traffic and self._traffic.changed:
            self._traffic.shown(self._particles, self._engine)
            self._shown_step = self.step_count
        if self._shown_step != self.step_count:
            motion = dict(zip(MOTION, (rows.T for rows in self._engine.state()), strict=True))
            self._particles._show_motion(motion | self._engine.registered())
            self._shown_step = self.step_count

    def _expected(self) -> Particles:
        """Those that may meet somebody, and examples of those that are to come."""
        there = staying(self.particles, self._engine.left())
        return with_examples(there, [each.inserter for each in self.inserters])

    def foreseen(self) -> Iterator[Notice]:
        """What should be known before a run begins."""
        self._foretold = True
        somebody = len(self._engine.left()) < len(self.particles) or self.inserters  # to be met, or will be
        yield from self._planned(self._expected() if somebody else None)
        if self.step_count == self._booked.first_step:
            yield from deep_start(self._engine)
        yield from astray.foreseen(self._engine, self._containers)
        number = len(self._particles)
        yield from rank_checks.foreseen(self._traffic.expected(number) if self._traffic else number)

    def _planned(self, there: Particles | None) -> Iterator[Notice]:
        """What should be known of those who are there, or will be, which can be before anything is built."""
        particles, box, gravity, walls = self._particles, self.box, self.gravity, self._walls
        yield from self._meshes_foreseen()
        yield from densities(particles)
        yield from turned_clumps(particles, [each.inserter for each in self.inserters])
        yield from rolling_shapes(particles, box, self.contacts)
        yield from fluid_setup.foreseen(self.fluid, particles, box, self.time_step)
        yield from self._bonds_foreseen()
        if there is not None:
            yield from foreseen(there, box, gravity, self.time_step, self._law, walls)
            yield from adhesion.foreseen(there, box, self._law, self.time_step, walls)

    def _meshes_foreseen(self) -> Iterator[Notice]:
        """What should be known of the size of meshes, before a run or the first step."""
        inserters = [each.inserter for each in self.inserters]
        return mesh_scale_check.odd_meshes(self._particles, self._walls, words(self._walls), inserters)

    def _bonds_foreseen(self) -> Iterator[Notice]:
        """What should be known of the bonds, before a run or the first step."""
        return bond_setup.foreseen(self._bonds, self._particles, self.time_step, self.integrator.name, self.gravity)

    def sphere_centres(self) -> np.ndarray:
        """Centres of all spheres (M, 3) [m], particle by particle."""
        return self._engine.sphere_centres()

    @property
    def contact_count(self) -> int:
        """Number of pairs of spheres in touch, and of spheres and walls; not what adhesion holds apart."""
        return self._engine.overlaps().count

    def sizes(self) -> Sizes:
        """How much there is to compute and to keep."""
        return Sizes.of(self._engine)

    def stages(self) -> AbstractContextManager[dict[str, Callable[[int], object]]]:
        """Context manager for timing: the parts of a step, each to be done a number of times; leaves no trace."""
        return stages(self._engine)

    def _arrays(self) -> Iterator[np.ndarray]:
        return self._engine.arrays()
