"""Simulation of soft particles in time steps, the class that users see."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks, compilation, portable
from dem.base.notices import before_building, issue
from dem.base.user_classes import hinted
from dem.kernels import laws
from dem.kernels.compiler.jit import set_threads
from dem.kernels.domain.deforming_cell import deforms
from dem.kernels.numerics import energy as energy_kernels
from dem.kernels.soft.integration.time_loop import DONE
from dem.model.contact.contact_law import law as contact_law
from dem.model.contact.contacts import Contacts
from dem.model.domain.cell import Cell
from dem.model.fluid.fluid import Fluid
from dem.model.insertion import Inserter
from dem.model.particles.fields import MOTION
from dem.model.particles.particles import Particles, scaled_variants
from dem.model.wall_selection import acting
from dem.rotation import AUTO, SPIN_ONLY
from dem.rotation.integrators import integrator_for_contacts
from dem.run.simulation_base import SimulationBase
from dem.soft import arrays, energy_sums
from dem.soft.bonds import bond_setup
from dem.soft.bonds.bond_setup import BondsInRun
from dem.soft.checks import (
    check_appeared,
    check_box,
    check_moving_images,
    check_overlaps,
    deep_start,
    rolling_shapes,
    turned_clumps,
)
from dem.soft.contact import capsules, convex_bodies
from dem.soft.contact.contact_forces import contact_forces
from dem.soft.contact.overlaps import DEEPEST
from dem.soft.crash_recorder import crash_recording
from dem.soft.deforming_cell import state_of
from dem.soft.energy_sums import fits_unit
from dem.soft.engine import Engine
from dem.soft.escape import without_escaped
from dem.soft.fluid import fluid_setup
from dem.soft.fluid.fluid_setup import EngineFluid
from dem.soft.fluid.two_way_coupling import TwoWayCoupling, cells_of
from dem.soft.heat import scalar_setup, temperature_classes
from dem.soft.heat.scalar_in_run import ScalarLedger
from dem.soft.heat.temperature_classes import TemperatureClasses
from dem.soft.insertion.population import (
    check_added,
    continue_from,
    population_of,
    starting_later,
    with_examples,
    with_room_for,
)
from dem.soft.run_errors import check_run
from dem.soft.subdomain import rank_checks
from dem.soft.time_step import adhesion, standing_contacts
from dem.soft.time_step.advice import Advice, advise, startup_notices
from dem.soft.verdict import judge
from dem.soft.walls import container_check, mesh_scale_check
from dem.soft.walls.wall_arrays import next_change, wall_materials, wall_names
from dem.soft.walls.wall_in_run import WallInRun, index_of_wall, wall_list
from dem.system.diagnosis import check_inside, densities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from os import PathLike

    from dem.base.notices import Notice
    from dem.model.bonds import Bonds
    from dem.model.contact.contact_forces import ContactForces
    from dem.model.domain.box import Box
    from dem.model.fluid.coupling import Exchange
    from dem.model.heat import Heat
    from dem.model.insertion import Outlet
    from dem.model.materials import Material
    from dem.model.scalar_exchange import ScalarExchange
    from dem.model.shapes.shape import Shape
    from dem.model.walls.wall import Wall
    from dem.rotation.integrators import Integrator
    from dem.soft.contact.overlaps import Deepest
    from dem.soft.insertion.inserter_in_run import InserterInRun
    from dem.soft.insertion.outlet_in_run import OutletInRun
    from dem.soft.insertion.population import Population
    from dem.soft.verdict import Verdict
    from dem.statistics.cell_state import CellState
    from dem.system.energy_ledger import EnergySums

# ruff: noqa: SLF001 (a class method fills in an object of its own class)


@hinted
class Simulation(SimulationBase):
    """Rigid particles in a box, advanced in time.

    Parameters
    ----------
    particles : Particles
        Copied: `sim.particles` belongs to the simulation. None: particles are inserted or added later.
    box : Box, optional
        None means no walls except those in `walls`.
    walls : sequence of walls, optional
        `Plane`, `Cylinder`, `Cone`, `Ball`, `Disc`, `Rectangle`, `Block`, `CapsuleWall`, `Torus`, `Revolution`, `Mesh`
        or one of `dem.register_wall`: beside the box or instead of it.
    gravity : (3,) floats
        [m/s²].
    time_step : float or "auto"
        [s]; "auto" takes the advice of `advice`: 50 steps in the shortest foreseeable contact, and 20 in half an
        oscillation of bodies that are in contact at the start.
    integrator : str
        A name from `dem.INTEGRATORS`, or "auto": "splitting" if there are bonds, as it adds no energy to oscillations,
        else "improved-pcdm". "spin-only", for single spheres: forces and motion of "improved-pcdm" without
        the orientations, which are not computed and not written to files, so that steps are shorter.
    threads : int, optional
        Largest number of threads; default: NUMBA_NUM_THREADS, or all cores. The result is the same for any number.
    contacts : Contacts, optional
        Contact laws by pair of materials; default: from the geometric means of the values of both.
    fluid : Fluid, optional
        Fluid around the particles, which drags, lifts and turns them; default: none.
    inserters, outlets : sequences of Inserter, Outlet
        Inserters and outlets of particles during the run; not with a coupled fluid.
    bonds : Bonds, optional
        Bonds between particles; default: none.
    heat : Heat, optional
        Temperatures of particles and their exchange of heat; default: none. Particles without a temperature get 293.15
        K.
    scalars : sequence of ScalarExchange
        Further scalars that particles exchange through contacts.
    deepest_overlap : float
        Share of the smaller radius; a run with a deeper contact stops with an error.
    description : dict, optional
        Description of the run, stored in the output file.

    Raises
    ------
    ValueError, TypeError
        For values out of range, particles outside the box, or deep overlaps.

    Notes
    -----
    One force evaluation a step. Positions and velocities form the leap-frog (velocity Verlet) pair, orientations and
    angular velocities are those of the chosen scheme; what `particles` shows is the state at the whole step.
    Contacts are Hertzian, F = 4/3 E* √R* δ^1.5, with damping and friction where the materials have them.

    Examples
    --------
    >>> import dem
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0.5, 0.5, 0.5]])
    >>> box = dem.Box((0, 0, 0), (1, 1, 1), material=nylon)
    >>> sim = dem.Simulation(ball, box, time_step=1e-5)
    >>> sim.step(1000)
    >>> round(sim.time, 9), round(float(sim.particles.velocity[0, 2]), 9)
    (0.01, -0.0981)
    """

    shared = True
    takes_fixed = takes_moving_images = True
    _engine: Engine
    _walls: list[Wall]
    _population: Population | None
    _start_momentum: tuple[np.ndarray, float]  # plus changes from outside; sum of all |m v| [kg m/s]
    _law_of_variants: tuple  # contact law of the materials of particles, without those of classes of temperature
    _containers: tuple[int, ...]  # numbers of the closed meshes that held most particles at the start
    _notices_given: bool  # whether `foreseen` has been called, or a step has warned of its notices
    _walls_kept: np.ndarray | None = None  # while a wall is removed: numbers of the others among those before

    def __init__(
        self,
        particles: Particles | None,
        box: Box | None = None,
        *,
        walls: Sequence[Wall] = (),
        gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
        time_step: float | str,
        integrator: str = AUTO,
        threads: int | None = None,
        contacts: Contacts | None = None,
        fluid: Fluid | None = None,
        inserters: Sequence[Inserter] = (),
        outlets: Sequence[Outlet] = (),
        bonds: Bonds | None = None,
        heat: Heat | None = None,
        scalars: Sequence[ScalarExchange] = (),
        deepest_overlap: float = DEEPEST,
        description: dict | None = None,
        _skin: tuple[float, float] | None = None,
    ) -> None:
        inserters = checks.listed("inserters", inserters, "dem.Inserter(shape, material, region=...)")
        outlets = checks.listed("outlets", outlets, "dem.Outlet(region)")
        super().__init__(with_room_for(particles, inserters, outlets, fluid), box, gravity, description)
        words = {"fluid": fluid, "walls": walls, "inserters": inserters, "outlets": outlets, "bonds": bonds}
        words |= {"heat": heat, "scalars": scalars}
        self._set_up(contacts, time_step, deepest_overlap, integrator, threads, _skin, **words)
        before_building(lambda: self._notices_without_engine(with_examples(self._particles, inserters) or None))
        with compilation.announced():
            deepest = self._start(None)
            if isinstance(time_step, str) and deepest and deepest.share > 0:  # overlaps are known only now
                shorter = standing_contacts.standing_contacts(self._engine).time_step
                if shorter < self._time_step:
                    self._set_up(contacts, shorter, deepest_overlap, integrator, threads, _skin, **words)
                    self._start(None)
            self._begin_ledger()
            self._engine.advance(0)  # no step, but everything is compiled now
            for stage in self._engine.scalars:
                stage.compile(self._engine)

    def _set_up(
        self,
        contacts: Contacts | None,
        time_step: float | str,
        deepest_overlap: float,
        integrator: str,
        threads: int | None,
        skin: tuple[float, float] | None = None,
        fluid: Fluid | None = None,
        walls: Sequence[Wall] = (),
        inserters: Sequence[Inserter] = (),
        outlets: Sequence[Outlet] = (),
        bonds: Bonds | None = None,
        heat: Heat | None = None,
        scalars: Sequence[ScalarExchange] = (),
        *,
        added: bool = False,
    ) -> None:
        """Check and store the settings besides particles, box and gravity."""
        frozen = scalar_setup.is_frozen(heat, scalars)
        checks.of_types(optional=True, contacts=(contacts, Contacts), fluid=(fluid, Fluid))
        self._contacts = contacts or Contacts()
        self._walls = wall_list(walls)
        fluid_setup.check_flow(fluid, self._box)
        other = None if isinstance(self._box, Cell) else fluid
        check_moving_images(
            self._box, self._gravity, walls=self._walls, fluid=other, inserters=inserters, outlets=outlets, added=added,
            fixed=self._particles.fixed.any(),
        )  # fmt: skip
        own = [self._box.material] if self._box and self._box.material else []
        self._contacts.check_distinguishable(
            [*self._particles.materials, *own, *(wall.material for wall in self._walls)]
        )
        capsules.check_walls(self._particles, self._walls)
        convex_bodies.check_compatible(self._particles, self._walls, fluid)
        fluid_setup.check_walls(fluid, self._walls)
        if fluid is not None and self._particles.fixed.any():
            message = (
                f"particle {np.flatnonzero(self._particles.fixed)[0]} is fixed, expected particles that move where "
                "there is a fluid, whose forces are integrated with the motion: leave it out, or make them walls"
            )
            raise ValueError(message)
        bond_setup.check_compatible(bonds, inserters, varies=bool(inserters or outlets or added))
        self._bonds = bond_setup.with_rest_shape(bonds, self._particles, self._box)
        check_moving_images(self._box, self._gravity, grounded=bonds is not None and self._bonds.ground.size)
        bonded = bonds is not None
        self._integrator, self._fluid = integrator_for_contacts(integrator, bonded=bonded), fluid
        varies = bool(inserters or outlets or added)
        temperature_classes.check(self._particles, heat, varies=varies, bonded=bonded)
        self._law = self._made_law()
        if frozen:
            scalar_setup.check_frozen(time_step, self._box, self._walls, fluid, inserters, outlets)
        if isinstance(time_step, str) and time_step == "auto":
            particles = with_examples(self._particles, inserters)
            advice = advise(particles, self._box, self._gravity, law=self._law_of_variants, walls=self._walls)
            advice = fluid_setup.advised(advice, fluid, particles, self._integrator, self._box, bonded=bonded)
            time_step = bond_setup.advised(advice, self._bonds, self._particles).advised
        self._time_step = checks.number("time_step", time_step, above=0, unit="s", word="auto")
        if not frozen:
            bond_setup.check(self._bonds, self._particles, self._gravity, self._time_step)
        self._deepest = checks.number("deepest_overlap", deepest_overlap, above=0)
        if not frozen:
            fluid_setup.check(fluid, self._particles, self._box, self._integrator, self._time_step, bonded=bonded)
        self._cells = cells_of(fluid, self._particles, self._box)
        self._population = population_of(
            self._particles, inserters, outlets, self._time_step, self._gravity, added=added
        )
        self._heat = heat
        self._scalars = scalar_setup.checked(heat, scalars, self._particles, self._walls, inserters, fluid, self._box)
        self._threads = checks.threads(threads)
        self._skin = skin
        self._shown = 0  # the step that the particles show
        self._escape_reported = self._notices_given = False
        set_threads(self._threads)

    def _new_engine(self, every: Particles | None = None) -> Engine:
        """Engine of the particles; `every` are all particles present or to be added, besides those of inserters."""
        cells, particles = self._cells, self._particles
        classes = TemperatureClasses.of(particles)
        if classes:
            particles = classes.particles(particles)
        model = fluid_setup.fluid_of(self._fluid, particles, self._time_step, cells, self.inserters)
        fluid = EngineFluid(model, TwoWayCoupling(self._fluid, cells, particles) if cells else None)
        engine = Engine(
            particles, self._box, self._gravity, self._ledger.reference_potential, self._time_step,
            self._integrator,
            self._law, fluid, self._skin, threads=self._threads, deepest=self._deepest,
            walls=self._walls, bonds=self._bonds,
            expected=self._population.expected(len(self._particles)) if self._population else 0,
            subdomains=rank_checks.subdomains(self._threads, self._fluid, cells=cells is not None),
            gap_range=max((law.gas()[2] for law in self._scalars), default=0.0),
            dissipation=bool(self._heat and self._heat.dissipation),
        )  # fmt: skip
        engine.is_frozen = self._frozen
        engine.scalars = scalar_setup.stages(self._scalars, particles, self._box, self._walls, self._time_step)
        for stage in engine.scalars:
            stage.attach(engine, self._fluid, particles)
        if classes:
            scalar_setup.set_classes(engine, classes)
        if any(wall.selects for wall in self._walls):
            every = with_examples(
                self._particles if every is None else every, [each.inserter for each in self.inserters]
            )
            acts = acting(self._walls, every)
            engine.walls.acting = acts[:, classes.user_variant] if classes else acts
        return engine

    def remove_wall(self, wall: WallInRun | Wall | str | int) -> None:
        """Remove a wall between two runs, such as a gate or the mould of a heap.

        Time, particles, the other walls and contact histories stay as they are. The integrator starts again from the
        present whole step, as after an assignment to the particles. Contacts with the wall end at once: their elastic
        energy leaves with the wall, and the ledger books it as (negative) work. Files that are written from now on do
        not have the wall; read its force and torque before. Entries of `contacts` for a material that nothing in the
        simulation has any more are removed as well.

        Parameters
        ----------
        wall : one of `walls`, its name, or its number
            Names are those of `sim.walls[k].called`; of several walls that are called alike those that stay are
            numbered anew.

        Raises
        ------
        ValueError
            If there is no such wall; if contacts remember something else without it, as where no other wall is rough,
            or only this one has rolling resistance while others have friction; or in a visit of `every`, as files have
            the same walls in all frames. Nothing is removed then.

        Examples
        --------
        >>> import dem
        >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
        >>> ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 0.00499]])
        >>> gate = dem.Rectangle((0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), material=nylon, name="gate")
        >>> sim = dem.Simulation(ball, walls=[gate], gravity=(0, 0, -9.81), time_step=1e-6)
        >>> sim.step(10)
        >>> sim.remove_wall("gate")
        >>> len(sim.walls), sim.step_count
        (0, 10)
        """
        with self._lock:
            if self._visited:
                message = "a function that is called in a run removes a wall: remove it between runs"
                raise ValueError(message)
            index = index_of_wall(wall, self.walls)
            before, contacts, of_variants = (self._walls, self._law), self._contacts, self._law_of_variants
            staying = [k for k in range(len(self._walls)) if k != index]
            self._walls = [before[0][k] for k in staying]
            try:
                own = [self._box.material] if self._box and self._box.material else []
                stay = [*self._particles.materials, *own, *(each.material for each in self._walls)]
                self._contacts = contacts.among(stay)
                self._law = self._made_law()
                self._check_memory(*before)
                self._walls_kept = np.array(staying, np.int64)
                with compilation.announced():
                    self._start_booked(self._gravity, self._ledger.reference_potential)
            except Exception:
                (self._walls, self._law), self._contacts, self._law_of_variants = before, contacts, of_variants
                raise
            finally:
                self._walls_kept = None
            self._containers = tuple(staying.index(k) for k in self._containers if k in staying)
            if not self._walls:  # momentum is conserved from now on
                self._start_momentum = self._momentum(self._state())

    def grow(self, factor: float, kind: str | None = None) -> None:
        """Make particles larger by a factor between two runs, or smaller, as for dense packings made by growth.

        All lengths of a shape are multiplied by the factor, at the same density: masses go with its third power,
        moments of inertia with its fifth. Positions, orientations, velocities, time, and what contacts remember stay as
        they are; the integrator begins anew from the present whole step, as after an assignment to the particles. The
        ledger books as work by how much contacts, motion and weight have more energy then. A packing grows in small
        steps, each followed by a run in which contacts relax, such as 0.1 % every 200 steps: growth after Lubachevsky
        and Stillinger, J. Stat. Phys. 60 (1990) 561, of soft particles. Files that are written from now on have the new
        sizes.

        Parameters
        ----------
        factor : float
            New over old diameter.
        kind : str, optional
            Name of the kind that grows, see `Particles.of_kind`; default: all particles.

        Raises
        ------
        ValueError
            For an unknown kind; if a contact would be deeper than a tenth of the radius, or a particle beyond a wall;
            with bonds, a fluid or inserters, which know the sizes that they began with; or in a visit of `every`, as
            files have the same sizes in all frames. Nothing grows then.
        TypeError
            For a shape without a method `scaled`.

        Examples
        --------
        >>> import dem
        >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
        >>> balls = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 0], [0.0101, 0, 0]])
        >>> sim = dem.Simulation(balls, gravity=(0, 0, 0), time_step=1e-6)
        >>> sim.grow(1.02)
        >>> sim.particles, sim.contact_count
        (<Particles: 2 x sphere (Sphere, diameter 0.0102)>, 1)
        """
        factor = checks.number("factor", factor, above=0)
        knowing = {"bonds": self._bonds, "a fluid": self._fluid, "inserters": self.inserters}
        for name, thing in knowing.items():
            if thing:
                message = (
                    f"particles grow in a run with {name}: begin another run with dem.Simulation(larger particles, ...)"
                )
                raise ValueError(message)
        if self._visited:
            message = "a function that is called in a run lets particles grow: call sim.grow between runs"
            raise ValueError(message)
        with self._lock:
            self._notice_changes()
            there = self.particles
            grows = np.ones(len(there), bool) if kind is None else there.of_kind(kind)
            if not grows.any():
                return
            before = there.variants, there.variant
            after = scaled_variants(*before, grows, factor)
            try:
                with compilation.announced():
                    self._start_booked(self._gravity, self._ledger.reference_potential, lambda: self._resize(*after))
            except Exception:
                self._resize(*before)
                raise

    def _resize(self, variants: list[tuple[Shape, Material]], variant: np.ndarray) -> None:
        """Replace the shapes of the particles."""
        self._particles._resize(variants, variant)
        if self._population:
            self._population.variants = variants

    def _check_memory(self, walls: Sequence[Wall], law: tuple) -> None:
        """Raise ValueError if histories of contacts have other columns than under these walls and this law."""
        numbers = [
            (laws.width(each), any(wall.roughness > 0 for wall in there))
            for each, there in ((law, walls), (self._law, self._walls))
        ]
        (width, rough), (new_width, new_rough) = numbers
        if rough != new_rough or new_width not in (0, width):
            why = "only contacts with it have rolling or twisting resistance, adhesion or plastic overlap"
            why = "it is the only rough one (roughness=)" if rough != new_rough else why
            message = (
                f"without this wall contacts would remember something else, as {why}: move it away (dem.Motion) "
                "instead of removing it"
            )
            raise ValueError(message)

    def _made_law(self) -> tuple:
        """Contact law of the engine for all materials, and that for the variants of particles."""
        particles, classes = self._particles, TemperatureClasses.of(self._particles)
        self._law_of_variants = law = self._law_for(arrays.materials(particles), self._contacts)
        if classes is None:
            return law
        if classes.expands:
            temperature_classes.check_law(law)
        return self._law_for(list(dict.fromkeys(m for _, m in classes.variants)), classes.contacts(self._contacts))

    def _law_for(self, materials: list[Material], contacts: Contacts) -> tuple:
        """The contact law of these materials, in the order of rows."""
        several = any(convex_bodies.may_have_several_contacts(shape) for shape, _ in self._particles.variants)
        film = fluid_setup.film_of(self._fluid, self._particles, self._box)
        return contact_law(
            contacts, materials, self._box, several_contacts=several,
            walls=wall_materials(self._walls), film=film,
            moving=bond_setup.damped(self._bonds) or any(wall.wants_velocities for wall in self._walls),
        )  # fmt: skip

    def _start(self, before: Engine | None, *, keep: bool = False) -> Deepest | None:
        """Make the engine, and evaluate its forces; returns the deepest overlap, None if there are no bodies."""
        if before:
            self._box = self._present_box(before)
        engine, step = self._new_engine(), int(before.run_state.step[0]) if before else 0
        engine.compile_ahead()
        history = before.history() if before else None
        if self._walls_kept is not None:
            engine.walls.places_before = self._walls_kept
            history = history.only_walls(self._walls_kept)
        engine.walls.move(step * self._time_step)
        check_inside(self._particles, self._box, engine.walls.faces)
        check_box(self._box, engine)
        finest = math.inf
        if keep:
            finest = before.energy_unit
            engine.inherit_extremes(before)
            if np.array_equal(engine.kinds.radius, before.kinds.radius):
                engine.limits = before.limits
            else:
                engine.run_state.largest_overlap[0] = engine.limits.inherit(
                    before.limits, float(before.run_state.largest_overlap[0])
                )
        engine.inherit(before)
        if before:
            scalar_setup.inherit_wall_values(engine, before)
        if self._population:
            engine.energy_to_come = self._population.energy(engine)
        deepest = engine.start(step, history, finest)
        if keep:
            engine.walls.inherit_wear(before.walls, engine.energy_unit / before.energy_unit)
            scalar_setup.inherit(engine, before)
        engine.walls.places_before = slice(None)
        if keep and self._walls_kept is None:
            check_appeared(engine, before)
        check_overlaps(engine, deepest, before if keep else None)
        engine.set_population(self._population)
        bond_setup.check_loads(engine)
        self._engine = engine
        self._revision = self._particles.revision
        self._shown = step
        return deepest

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
        walls = zip(self._walls, self._engine.walls.names, strict=True)
        return tuple(WallInRun(wall, name, self._present_engine, w) for w, (wall, name) in enumerate(walls))

    def _present_engine(self) -> Engine:
        """The engine that moves the particles now."""
        self._notice_changes()
        return self._engine

    @property
    def bonds(self) -> BondsInRun | None:
        """The bonds, with their state; None if there are none.

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
        return BondsInRun(self._present_engine) if self._bonds is not None else None

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

    @property
    def has_contact_couples(self) -> bool:
        """Whether contacts may have couples: with rolling or twisting resistance, or capsules or convex bodies."""
        return self._engine.has_couples

    def _present_box(self, engine: Engine) -> Box | None:
        """The box, with the present edges if it is a cell that deforms."""
        faces = engine.walls.faces
        return self._box.with_edges(faces.edges) if deforms(faces) else self._box

    @property
    def box(self) -> Box | None:
        """The walls; a `dem.Cell` has its present edges."""
        engine = getattr(self, "_engine", None)  # what is said before a run is built asks for it, too
        return self._present_box(engine) if engine else self._box

    @property
    def cell(self) -> CellState:
        """State of a `dem.Cell`: edges, strain, stress, and how dense and how near to equilibrium the particles are.

        The stress is that of the forces with which the run went on. Dashpots and friction evaluate them with velocities
        that the scheme predicts for the whole step. `contact_forces` takes the velocities at the whole step instead, so
        that `dem.statistics.stress` of them differs from this stress by an error of second order in the time step. For
        elastic contacts both are the same to rounding.

        Raises
        ------
        AttributeError
            If the simulation has no cell that deforms.

        Examples
        --------
        >>> import dem
        >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
        >>> balls = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0.01, 0.01, 0.01], [0.0198, 0.01, 0.01]])
        >>> cell = dem.Cell((0.04, 0.04, 0.04), rate=(-1.0, 0, 0))
        >>> sim = dem.Simulation(balls, cell, gravity=(0, 0, 0), time_step=1e-5)
        >>> sim.cell.coordination, bool(sim.cell.stress.contact[0, 0] > 0)
        (1.0, True)
        >>> sim.step(100)
        >>> round(float(sim.cell.strain[0, 0]), 9), round(float(sim.cell.edges[0, 0]), 7)
        (-0.001, 0.03996)
        """
        if not deforms(self._engine.walls.faces):
            message = f"the box is {self._box!r}, expected a dem.Cell, which has strain and stress"
            raise AttributeError(message)
        return self._cell_with(self.contact_forces())

    def _cell_with(self, contacts: ContactForces) -> CellState:
        """State of a `dem.Cell` with the present contacts, if these are known already."""
        self._notice_changes()
        bonds = self.bonds.forces if self.bonds else None
        return state_of(self._engine.walls.faces, contacts, bonds, self.particles)

    @property
    def fluid(self) -> Fluid | None:
        """The fluid about the particles, or None."""
        return self._fluid

    @property
    def heat(self) -> ScalarLedger | None:
        """Ledger of heat [J], see `dem.soft.heat.scalar_in_run.ScalarLedger`; None without `heat`.

        Examples
        --------
        >>> import dem
        >>> steel = dem.Material(young=1e7, poisson=0.3, density=7800.0, conductivity=45.0, heat_capacity=460.0)
        >>> ball = dem.Particles(dem.Sphere(diameter=0.01), steel, position=[[0, 0, 0.00499]], temperature=300.0)
        >>> plate = dem.Plane((0, 0, 0), (0, 0, 1), material=steel, temperature=400.0, name="plate")
        >>> sim = dem.Simulation(ball, walls=[plate], time_step=1e-6, heat=dem.Heat(every=10))
        >>> sim.step(100)
        >>> sorted(sim.heat.received), sim.heat.received["plate"] > 0
        (['plate'], True)
        >>> abs(sim.heat.imbalance) < 1e-12 * sim.heat.content
        True
        """
        return self.scalars.get("temperature")

    @property
    def scalars(self) -> dict[str, ScalarLedger]:
        """Ledgers of all scalars that particles exchange, by the names of their fields."""
        self._notice_changes()
        stages = enumerate(self._engine.scalars)
        return {stage.law.FIELD: ScalarLedger(self._present_engine, k) for k, stage in stages}

    def conduct(self, duration: float, *, steps: int = 100) -> None:
        """Exchange heat, and other scalars, for a duration in which particles do not move.

        The time of the motion does not change; that of the exchange (`ScalarLedger.time`) advances. All steps are
        implicit, of second order and stable for any length (`dem.soft.heat.implicit_exchange`). The motion then
        continues from the same positions and velocities. In a run with `dem.Heat(frozen=True)` nothing moves at all;
        its file has frames of the heating. A function of `every` may call this; `Trajectory.changes` lists the calls.

        Parameters
        ----------
        duration : float
            Time of the exchange [s].
        steps : int
            Number of steps.

        Raises
        ------
        ValueError
            Without heat or another scalar, or with a convection whose `cells` have temperatures.
        FloatingPointError
            For a value beyond what the law allows, or a step in which more passes a contact than integers hold.

        Examples
        --------
        >>> import dem
        >>> steel = dem.Material(young=1e7, poisson=0.3, density=7800.0, conductivity=45.0, heat_capacity=460.0)
        >>> ball = dem.Particles(dem.Sphere(diameter=0.01), steel, position=[[0, 0, 0.00499]], temperature=300.0)
        >>> plate = dem.Plane((0, 0, 0), (0, 0, 1), material=steel, temperature=400.0, name="plate")
        >>> sim = dem.Simulation(ball, walls=[plate], time_step=1e-6, heat=dem.Heat())
        >>> sim.conduct(duration=3600.0)
        >>> sim.particles.temperature.round(3).tolist(), sim.heat.time, sim.time
        ([400.0], 3600.0, 0.0)
        """
        duration = checks.number("duration", duration, above=0, unit="s")
        steps = checks.whole("steps", steps, least=1)
        scalar_setup.check_exchange_at_rest(self._scalars)
        with self._lock:
            self._notice_changes()
            self._check_run(self._engine.code)
            with compilation.announced():
                for stage in self._engine.scalars:
                    stage.exchange_at_rest(self._engine, duration, steps)
            self._exchanges += 1
            self._shown = -1
            if self._engine.subdomains:
                self._engine.subdomains.forget()
            self._check_run(self._engine.code)

    @property
    def _frozen(self) -> bool:
        """Whether particles do not move (`frozen=True`)."""
        return scalar_setup.is_frozen(None, self._scalars)

    @property
    def _vibrating_bonds(self) -> Bonds | None:
        """Bonds whose vibrations limit the time step: all bonds, or None in a frozen run."""
        return None if self._frozen else self._bonds

    @property
    def _extra_scalars(self) -> tuple[ScalarExchange, ...]:
        """Scalars besides heat."""
        return tuple(law for law in self._scalars if law is not self._heat)

    @property
    def contacts(self) -> Contacts:
        """Restitution and friction by pair of materials."""
        return self._contacts

    @property
    def not_integrated(self) -> tuple[str, ...]:
        """Fields of particles that are not computed, and not in files: orientations with "spin-only"."""
        return ("orientation",) if self._integrator.name == SPIN_ONLY else ()

    @property
    def integrator(self) -> Integrator:
        """Row of `dem.INTEGRATORS`, or that of "spin-only"."""
        return self._integrator

    @property
    def threads(self) -> int:
        """Largest number of threads that are used."""
        return self._threads

    @property
    def settings(self) -> dict:
        """Settings of the run besides particles, box and gravity."""
        found = arrays.materials(self._particles)
        contacts = self.contacts.describe(found, self.box, wall_materials(self._walls))
        more = ({"fluid": self.fluid.describe()} if self.fluid else {}) | bond_setup.described(self._bonds)
        more |= scalar_setup.described(self._heat, self._extra_scalars)
        return {"time_step": self.time_step, "integrator": self.integrator.name, "contacts": contacts, **more}

    @property
    def step_count(self) -> int:
        """Steps taken so far."""
        return int(self._engine.run_state.step[0])

    def _sums(self) -> EnergySums:
        return energy_sums.sums(self._engine, self._population)

    def _kinetic_of_escaped(self) -> float:
        return sum(self._energies_of(self._engine.escaped_rows())[:2])

    def _bodies(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Variant of each particle; mass and moments of inertia of each variant, no mass for fixed ones."""
        kinds = self._engine.kinds
        mass = np.where(kinds.inverse_mass > 0, kinds.mass, 0.0) if kinds.fixed else kinds.mass
        return self.particles.variant, mass, kinds.inertia

    def _begin_ledger(self) -> None:
        if self._population:
            self._population.totals.begin()
        super()._begin_ledger()
        for stage in self._engine.scalars:
            stage.begin(self._engine)
        self._start_momentum = self._momentum(self._state())
        self._containers = container_check.container_meshes(self._engine)

    def _start_booked(
        self, gravity: tuple[float, float, float], reference_potential: float, change: Callable[[], None] = lambda: None
    ) -> None:
        """Start again where something was changed from outside, and book the change of the energy as work.

        `change` is called after the energies before have been evaluated. If that or the start fails, the ledger and
        gravity are as before.
        """
        state, unchanged = self._engine.state(), (replace(self._ledger), self._gravity)
        before, moved = self._energies(state), self._momentum(state)
        self._ledger.carry_over(before, self.energy_departure)
        self._gravity, self._ledger.reference_potential = gravity, reference_potential
        try:
            change()
            self._start(self._engine, keep=True)
        except Exception:
            self._ledger, self._gravity = unchanged
            raise
        self._ledger.external_work += self._energies(self._state()).mechanical - before.mechanical
        drift = before.total - self.start_energy.total
        energy_sums.expect_more(self._engine, -drift, departure=drift)
        now, start = self._momentum(self._state()), self._start_momentum
        self._start_momentum = start[0] + now[0] - moved[0], max(now[1], start[1])

    def _change_gravity(self, gravity: tuple[float, float, float], reference_potential: float) -> None:
        check_moving_images(self._box, gravity)
        pulled, ledger = np.array(self._gravity) != 0, self._ledger
        if fits_unit(self._engine, gravity, reference_potential):
            gone = self._engine.escaped_rows()
            before, before_of_gone = self._energies_of()[2], self._energies_of(gone)[2]
            self._gravity, ledger.reference_potential = gravity, reference_potential
            self._engine.change_gravity(gravity, reference_potential)
            work = self._energies_of()[2] - before
            ledger.external_work += work
            energy_sums.expect_more(self._engine, work - (self._energies_of(gone)[2] - before_of_gone))
        else:
            self._start_booked(gravity, reference_potential)
        momentum, size = self._start_momentum
        self._start_momentum = np.where(pulled, self._momentum(self._state())[0], momentum), size

    @property
    def energy_error(self) -> float:
        """Largest departure of the total energy at any step, relative to `energy_reference`."""
        departure, (_, reference) = self.energy_departure, self.energy_reference
        return departure / reference if reference > 0 else 0.0

    @property
    def energy_reference(self) -> tuple[str, float]:
        """Name and size [J] of the largest energy, which the energy error is relative to.

        Of the energy at the start, the largest kinetic energy, what contacts have taken, the work of walls and from
        outside, that of the fluid, and what inserted particles brought.
        """
        return self._ledger.reference(energy_sums.turnovers(self._engine, self._ledger, self._population))

    @property
    def energy_departure(self) -> float:
        """Largest departure of the total energy at any step from that at the start [J]."""
        return max(self._ledger.earlier_departure, energy_sums.departure(self._engine))

    def _momentum(self, state: list[np.ndarray]) -> tuple[np.ndarray, float]:
        """Momentum (3,) of a component-major state, and sum of all particles' |m v| [kg m/s]."""
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
        self._engine.open_faces.find_outside(self._engine.bodies, self.step_count, self.time_step)
        self._check_run(self._engine.code)
        return judge(self)

    def exchange(self) -> Exchange | None:
        """Present state of particles and fluid in cells, as the function of a coupling gets it, see `dem.Coupling`.

        None if the fluid needs no cells.
        """
        self._notice_changes()
        engine, two_way = self._engine, self._engine.fluid.two_way
        return two_way.exchange(engine, engine.state()[:3], self.step_count) if two_way else None

    def advice(self) -> Advice:
        """Which time step the present state needs, and why."""
        there = self._expected()
        advice = advise(there, self.box, self.gravity, self.time_step, self._law_of_variants, self._walls)
        advice = fluid_setup.advised(
            advice, self.fluid, self.particles, self.integrator, self.box, bonded=self._bonds is not None
        )
        advice = bond_setup.advised(advice, self._vibrating_bonds, self.particles)
        advice = standing_contacts.advised(advice, self._engine)
        return scalar_setup.advised(advice, self._engine)

    def step(self, steps: int = 1) -> None:
        """Take a number of time steps.

        The first call warns, as `run` does, of what is wrong with the bonds, such as a scheme that drives them.

        Raises
        ------
        FloatingPointError
            If the run breaks: a state that is not finite, a particle that turns or moves too fast. The particles are
            then where they broke, positions up to a step ahead and velocities half of that; the simulation raises the
            error again until the state is assigned to.
        ValueError
            If a wall appears where particles are; the simulation stands at that step, without the wall.
        RuntimeError
            If another thread of Python is moving this simulation.
        """
        steps = checks.whole("steps", steps, least=0)
        with self._lock:
            self._notice_changes()
            if not self._notices_given:
                self._notices_given = True
                refused = [notice for notice in self._mesh_notices() if notice.grave]
                issue([*refused, *self._bond_notices()], strict=False, force=True)
            set_threads(self._threads)
            stop = self.step_count + steps
            self._change_walls()
            while True:
                change = next_change(self._walls, self.step_count, self._time_step)
                code = self._engine.advance(stop if change is None else min(stop, change))
                self._check_run(code)
                self._change_walls()
                if self.step_count >= stop:
                    break

    def _change_walls(self) -> None:
        """Let walls appear, vanish or press otherwise at the present step; how a run is cut changes no result."""
        if not self._engine.walls.has_change_at(self.time):
            return
        self._catch_up()
        self._start_booked(self._gravity, self._ledger.reference_potential)

    def add(
        self, particles: Particles | None = None, *, inserters: Sequence[Inserter] = (), outlets: Sequence[Outlet] = ()
    ) -> None:
        """Add particles, inserters and outlets between runs, such as to a run that was loaded from a file.

        Time, contacts and what they remember, walls and the ledger go on: nothing changes for the particles that are
        there, to the bit, until they meet the new ones. The energy that the new ones bring is booked as `inserted`.

        Parameters
        ----------
        particles : Particles, optional
            They are numbered after those that were there, and must touch neither each other, nor others, nor walls.
        inserters, outlets : sequences of Inserter, Outlet
            Beside those that there are. The times of an inserter that is added, `start` and `stop`, count from now.

        Raises
        ------
        ValueError, TypeError
            For particles that touch something or are outside of the box, and for what this run cannot take: a coupling
            or bonds, another kind of contact memory than before, or in a visit of `every`. Nothing is added then.

        Examples
        --------
        >>> import dem
        >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
        >>> ball = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0.5, 0.5, 0.5]])
        >>> sim = dem.Simulation(ball, time_step=1e-5)
        >>> sim.step(1000)
        >>> sim.add(dem.Particles(dem.Sphere(diameter=0.02), nylon, position=[[0.2, 0.5, 0.5]]))
        >>> len(sim.particles), round(sim.time, 9), sim.identities.tolist()
        (2, 0.01, [0, 1])
        """
        inserters = checks.listed("inserters", inserters, "dem.Inserter(shape, material, region=...)")
        outlets = checks.listed("outlets", outlets, "dem.Outlet(region)")
        checks.of_types(optional=True, particles=(particles, Particles))
        if self._bonds is not None:
            raise ValueError("particles are added to a run with bonds: begin another run with all of them")
        if particles is not None and particles.fixed.any():
            message = "particles that are fixed are added to a run, expected particles that move: begin another run "
            raise ValueError(message + "with dem.Simulation(dem.Particles.concatenate([sim.particles, ...]), ...)")
        if self._visited:
            message = "a function that is called in a run adds particles: add them between runs, or give inserters"
            raise ValueError(message)
        with self._lock:
            self._notice_changes()
            if (particles is not None and len(particles)) or inserters or outlets:
                self._begin_again(particles, inserters, outlets)

    def _begin_again(
        self, particles: Particles | None, inserters: Sequence[Inserter], outlets: Sequence[Outlet]
    ) -> None:
        """Continue in an engine with the shapes and materials of added particles, and add them."""
        start, there, before = self.time, self.particles, self._engine
        received = [each.inserter for each in self.inserters]
        later = [starting_later(each, start) if isinstance(each, Inserter) else each for each in inserters]
        gates = {"inserters": [*received, *later], "outlets": [*(each.outlet for each in self.outlets), *outlets]}
        groups = [there] if particles is None else [there, particles]
        every = with_room_for(Particles.concatenate(groups), *gates.values(), self._fluid)
        own, new = every.only_rows(slice(len(there))), every.only_rows(slice(len(there), None))
        made = type(self).__new__(type(self))
        SimulationBase.__init__(made, own, self._box, self._gravity, self.description)
        made._set_up(
            self._contacts, self._time_step, self._deepest, self._integrator.name, self._threads, self._skin,
            fluid=self._fluid, walls=self._walls, bonds=self._bonds, heat=self._heat, scalars=self._extra_scalars,
            added=True, **gates,
        )  # fmt: skip
        state = before.snapshot()
        made._ledger.reference_potential = state.reference_potential
        with compilation.announced():
            engine = made._engine = made._new_engine(every)
            check_box(self._box, engine)
            check_inside(new, self._box, before.walls.faces)
            continue_from(engine, before, state, made._population)
            if len(new):
                made._population.insert_particles(engine, new, len(gates["inserters"]))
            check_added(engine, len(new), made._population.inserters[len(received) :])
            scalar_setup.inherit(engine, before, restored=True)
            engine.advance(self.step_count)
        made._revision = made._particles.revision
        made._shown = -1
        names = ("_engine", "_particles", "_revision", "_population", "_law", "_shown", "_notices_given", "_cells")
        for name in (*names, "_law_of_variants"):
            setattr(self, name, getattr(made, name))

    def _check_run(self, code: int) -> None:
        self._escape_reported = self._engine.open_faces.warn_once(warned=self._escape_reported)
        if code == DONE and self._engine.is_sound(self._box):
            if self._population and self._population.changed:
                self._catch_up()
            elif self._shown != self.step_count:
                self._particles._set_on_demand(self._catch_up)
            return
        if code != DONE:
            self._shown = -1  # the state may have been disturbed since it was shown
        check_run(code, self._engine, self.particles, self._box)

    def _crash_recording(
        self, output: str | PathLike | None, *, overwrite: bool = False, strict: bool
    ) -> AbstractContextManager[Callable[..., None]]:
        return crash_recording(self, output, overwrite=overwrite, strict=strict)

    @property
    def population(self) -> Population | None:
        """Population that is inserted and taken out; None if there is none."""
        return self._population

    @property
    def inserters(self) -> tuple[InserterInRun, ...]:
        """Inserters of the run, each with its `.number`, `.mass`, `.waiting`, `.dropped`, `.grading` so far."""
        return tuple(self._population.inserters) if self._population else ()

    @property
    def outlets(self) -> tuple[OutletInRun, ...]:
        """Outlets of the run, each with the `.number` and `.mass` that has gone by it."""
        return tuple(self._population.outlets) if self._population else ()

    @property
    def identities(self) -> np.ndarray:
        """Identity of each particle (N,), which is never given to another."""
        return self._engine.numbering.identities.copy()

    @property
    def particles(self) -> Particles:
        """The particles at the present whole step, in their original order."""
        self._catch_up()
        return self._particles

    def _catch_up(self) -> None:
        """Read the particles back from the engine, unless they show the present step."""
        if self._population and self._population.changed:
            self._population.update_particles(self._particles, self._engine)
            self._shown = self.step_count
        if self._shown != self.step_count:
            motion = dict(zip(MOTION, (rows.T for rows in self._engine.state()), strict=True))
            self._particles._set_motion(motion | self._engine.field_values())
            self._shown = self.step_count

    def _expected(self) -> Particles:
        """Particles that may touch others, and examples of those to be inserted."""
        there = without_escaped(self.particles, self._engine.escaped_rows())
        return with_examples(there, [each.inserter for each in self.inserters])

    def foreseen(self) -> Iterator[Notice]:
        """Notices to give before a run begins."""
        self._notices_given = True
        any_present = len(self._engine.escaped_rows()) < len(self.particles) or self.inserters
        yield from self._notices_without_engine(self._expected() if any_present else None)
        if self.step_count == self._ledger.first_step and not self._frozen:
            yield from deep_start(self._engine)
        yield from container_check.startup_notices(self._engine, self._containers)
        yield from scalar_setup.startup_notices(self._engine.scalars, self.particles)
        number = len(self._particles)
        yield from rank_checks.startup_notices(self._population.expected(number) if self._population else number)

    def _notices_without_engine(self, there: Particles | None) -> Iterator[Notice]:
        """Notices on the particles `there`, or to be added, that need no engine."""
        particles, box, gravity, walls = self._particles, self.box, self.gravity, self._walls
        yield from self._mesh_notices()
        yield from densities(particles)
        if self._frozen:
            return
        yield from turned_clumps(particles, [each.inserter for each in self.inserters])
        yield from rolling_shapes(particles, box, self.contacts, walls)
        yield from fluid_setup.foreseen(self.fluid, particles, box, self.time_step)
        yield from self._bond_notices()
        if there is not None:
            yield from startup_notices(there, box, gravity, self.time_step, self._law_of_variants, walls)
            yield from adhesion.startup_notices(there, box, self._law_of_variants, self.time_step, walls)

    def _mesh_notices(self) -> Iterator[Notice]:
        """Notices on the size of meshes, before a run or the first step."""
        inserters = [each.inserter for each in self.inserters]
        return mesh_scale_check.mesh_scale_notices(self._particles, self._walls, wall_names(self._walls), inserters)

    def _bond_notices(self) -> Iterator[Notice]:
        """Notices on the bonds, before a run or the first step."""
        return bond_setup.startup_notices(
            self._vibrating_bonds, self._particles, self.time_step, self.integrator.name, self.gravity
        )

    def sphere_centres(self) -> np.ndarray:
        """Centres of all spheres (M, 3) [m], particle by particle."""
        return self._engine.sphere_centres()

    @property
    def contact_count(self) -> int:
        """Number of touching pairs of spheres, and of spheres and walls, without adhesive contacts beyond touch.

        A convex body counts as one sphere, a capsule as its two ends at walls. A pair counts once, also if polyhedra
        touch in several corners, and so does a polyhedron at a face of the box. At a wall beside the box each contact
        counts.
        """
        return self._engine.overlaps().count
