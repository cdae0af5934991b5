"""Time steps whose energy is followed: the ledger, what is done to it from outside, and the verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import portable
from dem.kernels.numerics import energy as energy_kernels
from dem.model.energy import Energy
from dem.run.runnable import Runnable
from dem.soft import energy_account
from dem.soft.bonds import bond_setup
from dem.soft.contact.contact_forces import contact_forces
from dem.soft.fluid import fluid_setup
from dem.soft.sizes import Sizes
from dem.soft.stages import stages
from dem.soft.unfinished import unfinished
from dem.soft.walls import astray
from dem.soft.walls.wall_in_run import WallInRun

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from dem.model.contact.contact_forces import ContactForces
    from dem.model.fluid.coupling import Exchange
    from dem.model.walls.wall import Wall
    from dem.soft.bonds.bond_setup import BondsInRun
    from dem.soft.engine import Engine
    from dem.soft.insertion.population import Population
    from dem.soft.verdict import Verdict


class Booked(NamedTuple):
    """What the ledger had before the engine was set going that moves the particles now; zeros if it was the first."""

    dissipated: float = 0.0  # [J]
    work: float = 0.0  # of walls [J]
    given: float = 0.0  # work from outside, to the present [J]
    departure: float = 0.0  # largest of the total energy at any step [J]
    first_step: int = 0  # at which the ledger began
    fluid: float = 0.0  # its work [J]


class EnergyLedger(Runnable):
    """A system in time steps whose energies are booked; those who inherit from it set its engine going."""

    _engine: Engine
    _walls: list[Wall]
    _booked: Booked
    _start_motion: tuple[np.ndarray, float]
    _traffic: Population | None
    _containers: tuple[int, ...]  # numbers of the closed meshes that held most particles at the start

    def _start(self, step: int, before: Engine | None, *, keep: bool = False) -> None:
        """Set an engine going from the particles' state, with what contacts remember in the one before.

        And what it has seen and summed its energies in, if that is to be kept.
        """
        raise NotImplementedError

    @property
    def walls(self) -> tuple[WallInRun, ...]:
        """The walls beside the box, each with its `.force`, `.torque`, `.work`, `.contacts`, and where it is.

        Examples
        --------
        >>> import dem
        >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
        >>> ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 0.00499]])
        >>> sim = dem.Simulation(ball, walls=[dem.Plane((0, 0, 0), (0, 0, 1), material=nylon)], time_step=1e-6)
        >>> sim.walls[0].force.round(4)  # -4/3 E* √R δ^1.5 along the normal
        array([ 0.    ,  0.    , -0.0849])
        """
        self._notice_changes()
        called = zip(self._walls, self._engine.walls.called, strict=True)
        return tuple(WallInRun(wall, name, self._present, w) for w, (wall, name) in enumerate(called))

    def _present(self) -> Engine:
        """The engine that moves the particles now."""
        self._notice_changes()
        return self._engine

    def sizes(self) -> Sizes:
        """How much there is to compute and to keep."""
        return Sizes.of(self._engine)

    def stages(self) -> AbstractContextManager[dict[str, Callable[[int], object]]]:
        """Context manager for timing: the parts of a step, each to be done a number of times; leaves no trace."""
        return stages(self._engine)

    @property
    def bonds(self) -> BondsInRun | None:
        """The bonds, with what has become of them; None if there are none.

        Examples
        --------
        >>> import dem
        >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
        >>> balls = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 0], [0.012, 0, 0]])
        >>> sim = dem.Simulation(balls, bonds=dem.Bonds([(0, 1)], young=1e7, diameter=0.002), time_step=1e-6)
        >>> sim.bonds.pairs.tolist(), sim.bonds.broken.tolist()
        ([[0, 1]], [False])
        """
        self._notice_changes()
        return bond_setup.in_run(self._engine)

    def contact_forces(self) -> ContactForces:
        """Contacts of the present whole step, with bodies, forces and points of contact.

        `dem.statistics` makes of them loads of bodies and walls (`body_loads`, `wall_loads`), stresses (`stress`,
        `stress_profile`) and coordination numbers. It may be asked for in a run, see `every` of `run`, and changes
        nothing. Forces are those of the contact law in the state that the particles show.

        Examples
        --------
        >>> import dem
        >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
        >>> ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0.5, 0.5, 0.00499]])
        >>> sim = dem.Simulation(ball, dem.Box((0, 0, 0), (1, 1, 1), material=nylon), time_step=1e-6)
        >>> touch = sim.contact_forces()
        >>> touch.i, touch.j, touch.overlap.round(9), touch.force.round(4)[0, 2]  # 4/3 E* √R δ^1.5 at the face z-
        (array([0]), array([-5]), array([1.e-05]), np.float64(0.0849))
        """
        self._notice_changes()
        return contact_forces(self._engine)

    def energy(self) -> Energy:
        """Energies at the present step [J]."""
        self._notice_changes()
        result = self._energies(self._state())
        gone = sum(self._ledger(self._engine.left())[:2])
        self._largest_kinetic = max(self._largest_kinetic, result.kinetic - gone)
        return result

    def _energies(self, state: list[np.ndarray]) -> Energy:
        """Energies of a whole-step state, component-major, with what the engine has booked."""
        ledger = energy_kernels.ledger(*self._bodies(), self._gravity, self._datum, *state)
        now, before = energy_account.booked(self._engine), self._booked
        return Energy(
            *ledger,
            elastic=now["elastic"],
            dissipated=before.dissipated + now["dissipated"],
            work=before.work + now["work"] + self._given,
            fluid=before.fluid + now["fluid"],
            **(
                {"inserted": self._traffic.books.inserted, "removed": self._traffic.books.removed}
                if self._traffic
                else {}
            ),
        )

    def _bodies(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Variant of each particle; mass and inertia of each variant, as the ledger counts them: none of fixed ones."""
        kinds = self._engine.kinds
        mass = np.where(kinds.inverse_mass > 0, kinds.mass, 0.0) if kinds.fixed else kinds.mass
        return self.particles.variant, mass, kinds.inertia

    def _begin_ledger(self, step: int) -> None:
        """Begin to book, at a step, from the present state."""
        self._booked, self._given, self._largest_kinetic = Booked(first_step=step), 0.0, 0.0
        if self._traffic:
            self._traffic.books.begin()
        self.start_energy = self.energy()
        self._start_motion = self._motion()
        self._containers = astray.containers(self._engine)

    def _restart(self) -> None:
        if self._visited:
            self._start_booked(self._gravity, self._datum)
        else:
            self._start(self.step_count, self._engine)
            self._begin_ledger(self.step_count)

    def _start_booked(
        self, gravity: tuple[float, float, float], datum: float, change: Callable[[], None] = lambda: None
    ) -> None:
        """Set a new engine going where something was changed from outside; what that did is booked as work.

        `change` is called once the energies before have been noted, with which it must not interfere.
        """
        state = self._engine.state()
        before, moved = self._energies(state), self._motion_of(state)
        self._booked = self._booked._replace(
            dissipated=before.dissipated, work=before.work - self._given, departure=self.energy_departure,
            fluid=before.fluid,
        )  # fmt: skip
        self._gravity, self._datum = gravity, datum
        change()
        self._start(self.step_count, self._engine, keep=True)
        self._given += self._energies(self._state()).mechanical - before.mechanical
        drift = before.total - self.start_energy.total
        energy_account.expect(self._engine, -drift, departure=drift)
        now, start = self._motion(), self._start_motion
        self._start_motion = start[0] + now[0] - moved[0], max(now[1], start[1])

    def _change_gravity(self, gravity: tuple[float, float, float], datum: float) -> None:
        pulled = np.array(self._gravity) != 0
        if energy_account.takes(self._engine, gravity, datum):
            gone = self._engine.left()
            before, before_of_gone = self._ledger()[2], self._ledger(gone)[2]
            self._gravity, self._datum = gravity, datum
            self._engine.change_gravity(gravity, datum)
            work = self._ledger()[2] - before
            self._given += work
            energy_account.expect(self._engine, work - (self._ledger(gone)[2] - before_of_gone))
        else:
            self._start_booked(gravity, datum)
        momentum, size = self._start_motion
        self._start_motion = np.where(pulled, self._motion()[0], momentum), size

    @property
    def energy_error(self) -> float:
        """Largest departure of the total energy at any step, relative to the largest of these.

        The energy at the start, the kinetic energy, what contacts have taken, and the work of walls and from outside.
        """
        return energy_account.relative(self.energy_departure, self.energy_reference[1])

    @property
    def energy_reference(self) -> tuple[str, float]:
        """Which of them is the largest, in words, and how large it is [J]."""
        before = self._booked
        return energy_account.reference(
            self._engine, self.start_energy.total, self._largest_kinetic, before.dissipated, before.work + self._given,
            before.fluid, self._traffic.books.inserted if self._traffic else 0.0,
        )  # fmt: skip

    @property
    def energy_departure(self) -> float:
        """Largest departure of the total energy at any step from that at the start [J]."""
        return max(self._booked.departure, energy_account.departure(self._engine))

    def _motion(self) -> tuple[np.ndarray, float]:
        """Momentum (3,), and the sum of the sizes of all particles' momenta [kg m/s]."""
        return self._motion_of(self._state())

    def _motion_of(self, state: list[np.ndarray]) -> tuple[np.ndarray, float]:
        """Momentum (3,) and the sum of the sizes of all particles' momenta [kg m/s] of a component-major state."""
        kind, mass, _ = bodies = self._bodies()
        with np.errstate(over="ignore"):
            size = portable.dot(mass[kind], np.linalg.norm(state[1].T, axis=1))
            return np.array(energy_kernels.momenta(*bodies, *state)[0]), size

    def verdict(self) -> Verdict:
        """Judge the run since the start, or since the state was last assigned to.

        Raises
        ------
        FloatingPointError
            If the run broke.
        """
        self.energy()
        self._engine.exits.look(self._engine.bodies, self.step_count, self.time_step)
        self._check_run(self._engine.code)
        now, start = self._motion(), self._start_motion
        if self._traffic:
            start = start[0] + self._traffic.books.brought, start[1] + self._traffic.books.stirred
        bonds = self._engine.bonds
        momentum_error = energy_account.momentum_error(
            self._box, self._gravity, start, now, wet=self.fluid is not None,
            walled=bool(self._engine.walls.models or (bonds and bonds.are_grounded) or self._engine.kinds.fixed),
        )  # fmt: skip
        judged = energy_account.judged(
            self._engine, self.integrator, self._booked.first_step, self.particles.orientation,
            self.energy_reference[0], self.energy_error, momentum_error,
            tuple(
                fluid_setup.doubts(
                    self.fluid, self._engine.fluid, self.particles, self._engine.dt, self._engine.beds
                )
            ),
            self._traffic,
        )  # fmt: skip
        beyond = (*judged.beyond, *bond_setup.doubts(self._engine), *astray.doubts(self._engine, self._containers))
        left = unfinished(self._engine, self._traffic)
        return replace(judged, bonds=bond_setup.told(self._engine), beyond=beyond, unfinished=left)

    def exchange(self) -> Exchange | None:
        """What particles and fluid have in cells at present: what a coupling would be told now, see `dem.Coupling`.

        None if the fluid needs no cells.
        """
        self._notice_changes()
        engine = self._engine
        return engine.beds.told(engine, engine.state()[:3], self.step_count) if engine.beds else None

    def _check_run(self, code: int) -> None:
        """Raise FloatingPointError if the run went wrong."""
        raise NotImplementedError
