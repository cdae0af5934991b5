"""Engine of soft particles: bodies, the parts that it owns, and calls of the compiled time loop."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.kernels import laws, rotation
from dem.kernels.compiler.jit import bind, compile_ahead
from dem.kernels.domain.deforming_cell import deforms
from dem.kernels.domain.faces import is_rough
from dem.kernels.soft.chunks import CHUNK, Threaded
from dem.kernels.soft.contact import dissipated_heat
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds
from dem.kernels.soft.integration import chunk_step
from dem.kernels.soft.integration import time_loop as loop
from dem.kernels.soft.neighbours import linked_cells, neighbour_list
from dem.kernels.soft.state import Kinds
from dem.kernels.soft.wall_contact.rough_planes import PLANE
from dem.kernels.soft.wall_contact.wall_arrays import has_walls, without_walls
from dem.model.domain.box_walls import faces_of, grid_space
from dem.model.particles.fields import WIDTHS, carried_fields
from dem.soft import arrays, deforming_cell
from dem.soft.bonds.engine_bonds import EngineBonds
from dem.soft.contact.contact_history import ContactHistory
from dem.soft.contact.convex_bodies import bounding_radii
from dem.soft.contact.overlaps import DEEPEST, Deepest, Overlaps
from dem.soft.energy_sums import fitting_unit
from dem.soft.escape import OpenFaces
from dem.soft.fluid.fluid_setup import EngineFluid, looks_back, rows_of_cache, turns
from dem.soft.insertion import resize
from dem.soft.neighbour_lists import EngineLists, Skins, grid_for, most_cells
from dem.soft.per_body import DISSIPATED, FIELDS, FLUID_CACHE, KEPT, SOLVER, Numbering, Snapshot, reorder, rows_of
from dem.soft.thread_balance import ThreadChoice, assign_chunks, thread_mode, work_of
from dem.soft.time_step.adhesion import longest_cutoff
from dem.soft.time_step.limits import Limits, max_resolved_acceleration, shortest_contact
from dem.soft.walls.engine_walls import EngineWalls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dem.kernels.soft.state import Bodies
    from dem.model.bonds import Bonds
    from dem.model.domain.box import Box
    from dem.model.particles.particles import Particles
    from dem.model.walls.wall import Wall
    from dem.rotation.integrators import Integrator
    from dem.soft.heat.scalar_in_run import ScalarInRun
    from dem.soft.insertion.population import Population
    from dem.soft.subdomain.engine_subdomains import EngineSubdomains

NO_OUTPUT = loop.OutputState(*(np.empty((rows, 0)) for rows in WIDTHS))
SUMS, INTEGERS = ("dissipated", "wall_work"), ("step", "phase", "elastic", "spring_energy", "leaving")  # of `RunState`

# arrays that the state at a whole step is computed from
SHOWN = (
    "position", "image", "velocity", "force", "orientation", "torque", "memory_q", "memory_w", "memory_a", "memory_more"
)  # fmt: skip


class Engine:
    """Bodies in order of index, the parts of a run that act on them, and the loop over time steps.

    Created from a whole-step state of particles; `Simulation` is what users see. Its parts:

    `lists` (neighbours, candidates, contacts), `walls` (of the box and beside it), `bonds`, `fluid` (with its
    cells, for two-way coupling), `scalars` (that particles exchange), `open_faces`, `population` (insertion and
    removal), `subdomains` (the ranks), `limits` (of a step), `thread_choice` (number of threads), `numbering`
    (identities and rows). Those that a run does not need are None.
    """

    population: Population | None = None
    scalars: tuple[ScalarInRun, ...] = ()
    energy_to_come: float = 0.0  # of particles that are to be inserted [J]
    is_frozen: bool = False  # whether particles stay where they are, so that steps only exchange scalars

    def __init__(
        self,
        particles: Particles,
        box: Box | None,
        gravity: tuple[float, float, float],
        reference_potential: float,
        time_step: float,
        integrator: Integrator,
        law: tuple,
        fluid: EngineFluid | None = None,
        skin: tuple[float, float] | None = None,
        threads: int = 1,
        deepest: float = DEEPEST,
        walls: Sequence[Wall] = (),
        expected: int = 0,
        bonds: Bonds | None = None,
        subdomains: EngineSubdomains | None = None,
        gap_range: float = 0.0,
        dissipation: bool = False,
    ) -> None:
        self.subdomains = subdomains
        bonded = bonds is not None
        self.kinds = arrays.kinds(particles, box, per_pair=bonded)
        fluid = fluid or EngineFluid()
        self.law, self.fluid, self.box, self.most_threads = law, fluid, box, threads
        self.walls = EngineWalls(faces_of(box), walls, box)
        faces = self.walls.faces
        max_bodies = max(len(particles), expected)  # bodies at a time; expected: 0 if none come
        is_isolated = max_bodies == 1 and not (walls or deforms(faces) or np.isfinite([faces.lower, faces.upper]).any())
        self.springs = arrays.springs(particles, self.kinds, law, walls)
        max_acceleration = max_resolved_acceleration(self.kinds, self.springs, time_step, single_body=max_bodies == 1)
        self.limits = Limits(self.kinds, deepest, max_acceleration, is_isolated=is_isolated)
        self.range = longest_cutoff(law, self.kinds, self.springs)
        self.list_range = max(self.range, gap_range)
        self.skins = Skins.of(
            max_bodies, np.bincount(particles.variant, minlength=self.kinds.mass.size), self.kinds, box, skin,
            self.list_range,
        )  # fmt: skip
        needs_velocity, width = not isinstance(law, laws.Elastic), laws.width(law)
        rough = any(wall.roughness > 0 for wall in walls)
        wall_width = PLANE + max(width, 1) if is_rough(faces) or rough else width  # plane, and the law's
        spheres = self.kinds.all_single_spheres and not bonded
        self.rotating = not spheres or laws.has_torques(law) or turns(fluid.model)
        self.scheme = arrays.scheme(integrator, self.kinds, rotating=self.rotating, bonded=bonded)
        heats = dissipation and (needs_velocity or bonded)
        self.layout = arrays.Layout.of(
            self.kinds, needs_velocity=needs_velocity, width=width, wall_width=wall_width, couples=self.has_couples,
            heats=heats,
        )  # fmt: skip
        steps = rotation.SCHEMES[type(self.scheme if self.rotating else integrator.scheme)]
        fluid_rows = rows_of_cache(fluid.model, self.scheme, rotating=self.rotating)
        self.rows = {
            "rotating": self.rotating, "needs_velocity": needs_velocity, "fluid_rows": fluid_rows,
            "quaternion": steps.quaternion, "more": steps.more,
        }  # fmt: skip
        self.rows["heat_rows"] = dissipated_heat.ROWS if heats else 0
        self.fields = self.rows["fields"] = carried_fields(particles.fields)
        self.bodies = arrays.bodies(particles, self.kinds, box, **self.rows)
        self.numbering = Numbering(self._bodies.identity.copy())
        self.first_sphere_of_row, self.owned = self._bodies.first_sphere[:-1].copy(), len(particles)  # owned: all here
        chunks, self.mode = max(1, -(-len(particles) // CHUNK)), thread_mode(max_bodies, threads)
        blocks = min(threads, chunks) if isinstance(self.mode, Threaded) else 1
        self.thread_choice = ThreadChoice(blocks)
        listed = arrays.lists(self._bodies, chunks, blocks, self.layout)
        self._lists = EngineLists(listed, self.layout, self.skins, self.range, law, gap_range)
        self._bonds = EngineBonds(bonds, particles, heats=heats) if bonded else None
        if self.bonds:
            self._lists.arrays = listed._replace(bonds=self.bonds.arrays)
        whole_aggregates = self.bonds and self.bonds.whole_aggregates
        self.open_faces = OpenFaces(box, gravity, without_walls=not walls, whole_aggregates=whole_aggregates)
        self.reference_potential, self.gravity, self.dt = reference_potential, gravity, time_step
        self.walls.build(
            arrays.materials(particles), self._bodies, self.kinds, gravity, self.skins, chunks=chunks,
            width=wall_width if rough else width, reach=self.range + self.limits.farthest if self.range > 0 else 0.0,
            gap_range=gap_range, dt=time_step,
        )  # fmt: skip
        self.workspace = arrays.workspace(len(particles), chunks, most_cells(len(particles)))
        self.chunk_sums = np.zeros((chunks, chunk_step.COLUMNS), np.int64)
        self.run_state = loop.RunState(
            **{n: np.zeros(1 + (n in SUMS), np.int64 if n in INTEGERS else float) for n in loop.RunState._fields}
        )
        self.start_step, self.code, self._execute_steps = 0, loop.DONE, bind(loop.execute)
        self._execute_for_output = bind(loop.execute)  # apart: its arguments differ from call to call
        self._search = bind(neighbour_list.search)
        self.constants = self._run_constants(math.nan)  # `start` finds the unit

    @property
    def has_couples(self) -> bool:
        """Whether contacts may have couples, by the contact law or as bodies touch at several places."""
        touch_at_several_places = not isinstance(self.kinds, Kinds)  # capsules and convex bodies may
        return laws.has_couples(self.law) or touch_at_several_places

    @property
    def bodies(self) -> Bodies:
        """Arrays of all bodies, fetched from the subdomains if those have changed them."""
        if self.subdomains:
            self.subdomains.fetch(self)
        return self._bodies

    @bodies.setter
    def bodies(self, bodies: Bodies) -> None:
        self._bodies = bodies

    @property
    def lists(self) -> EngineLists:
        """Neighbour lists of all bodies, fetched likewise."""
        if self.subdomains:
            self.subdomains.fetch(self)
        return self._lists

    @property
    def bonds(self) -> EngineBonds | None:
        """The bonds with their present state, fetched likewise; None without any."""
        if self.subdomains and self._bonds:
            self.subdomains.fetch(self)
        return self._bonds

    def _run_constants(self, energy_unit: float) -> loop.RunConstants:
        g_x, g_y, g_z = self.gravity
        return loop.RunConstants(
            dt=self.dt, gravity_x=g_x, gravity_y=g_y, gravity_z=g_z, reference_potential=self.reference_potential,
            per_joule=energy_unit, list_skin=self._lists.skins.neighbours,
            candidate_skin=self._lists.skins.candidates, range=self.range, max_displacement=self.limits.farthest,
            max_overlap=self.limits.returning_overlap, max_acceleration=self.limits.max_acceleration,
            start_step=self.start_step,
        )  # fmt: skip

    @property
    def energy_unit(self) -> float:
        """Units per joule in which energies are summed; a power of two."""
        return self.constants.per_joule

    # The loop over time steps

    def advance(self, stop: int) -> int:
        """Take steps until `stop` are complete; returns DONE, or the limit that is exceeded, then and later.

        Repeats: remove escaped particles; insert and remove particles; take steps in kernels up to the next pause
        (`time_loop.take_step`: move boundaries, check lists, forces, correct, predict, keep ledger, check limits);
        handle the reason for which the kernels returned.
        """
        while self.code == loop.DONE:
            if self.open_faces.due(self.run_state):
                self.remove_escaped()
            self.process_events()
            code = self._take_steps(self._next_stop(stop))
            if code == loop.DONE and self.run_state.step[0] >= stop:
                self.process_events()
                break
            if code != loop.DONE and not self._can_continue(code):
                self.code = code
        return self.code

    def _can_continue(self, code: int) -> bool:
        """Rebuild lists, enlarge arrays or remove escaped particles, by a code; returns whether the run continues."""
        if code == loop.LIST_STALE:
            self.rebuild()
        elif code == loop.NO_ROOM:
            self.lists.make_room_for_candidates()
        elif code == loop.FEW_SLOTS:
            self.walls.make_room(int(self.walls.faces.walls.fullest.max()))
        elif code != loop.TOO_FAST or not self.remove_escaped(0.5 * self.limits.farthest / self.dt):
            return self._is_within_limits(code)
        return True

    def process_events(self) -> None:
        """Insert and remove the particles that are due at the present step, if it is complete; once a step."""
        if self.population and self.run_state.phase[0] == loop.COMPLETE and self.code == loop.DONE:
            if not self.population.is_due(self):
                return
            contents, numbering = [stage.content(self) for stage in self.scalars], self.numbering
            self.population.process(self)
            if self.numbering is not numbering:
                for stage, before in zip(self.scalars, contents, strict=True):
                    stage.book_external_change(before, stage.content(self))

    def _next_stop(self, stop: int) -> int:
        """The step up to which kernels take steps without a return to Python, at most `stop`."""
        step = int(self.run_state.step[0])
        stop = self.open_faces.next_check(step, stop)
        if self.population:
            stop = min(stop, self.population.next_event_step(step))
        for stage in self.scalars:
            stop = stage.next_stop(step, stop)
        return self.fluid.two_way.next_stop(step, stop) if self.fluid.two_way else stop

    def _take_steps(self, stop: int) -> int:
        """Take steps, `stop` of them complete at most; returns DONE or why the kernels came back."""
        run_state = self.run_state
        before = int(run_state.step[0])
        if self.is_frozen and run_state.phase[0] == loop.COMPLETE:
            run_state.step[0] = max(before, stop)
            self._exchange_scalars(loop.DONE, before)
            return loop.DONE
        if self.subdomains and self.owned and run_state.phase[0] != loop.NOT_STARTED and before < stop:
            code = self.subdomains.take_steps(self, stop)
            self._exchange_scalars(code, before)
            return code
        code = self.execute(loop.ADVANCE, before + self.thread_choice.begin(stop - before))
        now = int(run_state.step[0])
        self.thread_choice.end(now - before)
        two_way = self.fluid.two_way
        if two_way and code == loop.DONE and before < now and now % two_way.cells.every == 0:
            two_way.refresh(self)
        self._exchange_scalars(code, before)
        return code

    def _exchange_scalars(self, code: int, before: int) -> None:
        """Let particles exchange the scalars that are due after the step before; of several ranks rank 0 does it."""
        now = int(self.run_state.step[0])
        due = [stage for stage in self.scalars if code == loop.DONE and before < now and stage.due(now)]
        for stage in due:
            stage.advance(self)
        if due and self.subdomains:
            self.subdomains.forget()

    def execute(
        self, command: int, stop: int = 0, view: loop.OutputState | None = None,
        bodies: Bodies | None = None, run_state: loop.RunState | None = None, fluid: tuple | None = None,
    ) -> int:  # fmt: skip
        """Execute a command in the kernels, for other bodies and fluid if given; returns DONE or another code."""
        if not self.owned and bodies is None:
            return resize.execute_without_bodies(self, command, stop)
        execute = self._execute_for_output if view else self._execute_steps
        return execute(*self._arguments(command, stop, view, bodies, run_state, fluid))

    def _arguments(
        self, command: int, stop: int = 0, view: loop.OutputState | None = None,
        bodies: Bodies | None = None, run_state: loop.RunState | None = None, fluid: tuple | None = None,
    ) -> tuple:  # fmt: skip
        """Arguments of `loop.execute`."""
        return (
            command, self.scheme, self.law, fluid or self.fluid.model, self.mode, self.constants, stop,
            bodies or self.bodies, self.kinds, self._lists.arrays, self.walls.faces, run_state or self.run_state,
            self.chunk_sums, view or NO_OUTPUT,
        )  # fmt: skip

    def compile_ahead(self) -> None:
        """Start to compile the kernels of the engine in other processes."""
        if self.owned and not self.subdomains:
            compile_ahead(loop.execute, *self._arguments(loop.ADVANCE))

    def _is_within_limits(self, code: int) -> bool:
        """Whether the run continues although a limit was exceeded; records short contacts."""
        acceleration, predicted = float(self.run_state.acceleration[0]), self.run_state.phase[0] == loop.PREDICTED
        if code == loop.TOO_DEEP:
            share, overlap = self.overlaps().deepest().share, float(self.run_state.largest_overlap[0])
            passes = self.limits.accept_overlap(share, overlap, record=predicted)
        else:
            passes = code == loop.ACCELERATES_TOO_MUCH
        # always from the same state, however steps are split into calls
        if passes and predicted and acceleration > self.limits.max_acceleration:
            self.limits.record_contact(shortest_contact(self), acceleration)
        self.constants = self._run_constants(self.energy_unit)
        return passes

    def remove_escaped(self, fastest: float = math.inf) -> bool:
        """Let escaped bodies fall on without contacts, see `OpenFaces.find_escaping`; returns whether there are any."""
        is_escaping = self.open_faces.find_escaping(self.bodies, int(self.run_state.step[0]), self.dt, fastest)
        if is_escaping.any():
            self.bodies.is_removed[0, is_escaping] = self.run_state.leaving[0] = 1
            if self.layout.wall_width:
                self.lists.arrays.wall_has_history.reshape(-1, 6)[is_escaping[self.bodies.owner]] = 0
            self.rebuild()
            if self.bonds:
                self.bonds.remove_escaped(self.bodies.is_removed[0])
        return bool(is_escaping.any())

    def change_gravity(self, gravity: tuple[float, float, float], reference_potential: float) -> None:
        """Continue from the current whole step with another gravity; velocities are half a step ahead."""
        change = np.subtract(gravity, self.gravity)[:, None]
        self.bodies.velocity[:] += 0.5 * self.dt * change
        self.bodies.velocity_predicted[:] += self.dt * change
        self.gravity, self.reference_potential = gravity, reference_potential
        self.walls.set_loads(gravity)
        self.open_faces.set_gravity(gravity)
        self.constants = self._run_constants(self.energy_unit)
        if self.subdomains:
            self.subdomains.forget()

    # Starting, and going on from another engine

    def start(self, step: int = 0, history: ContactHistory | None = None, finest: float = math.inf) -> Deepest | None:
        """Evaluate the forces of the whole-step state and set the integrator going from there.

        Contacts begin with what they remember of an earlier run, if that is given. There are at most `finest` units of
        energy a joule. Returns the deepest overlap, None if there are no bodies.
        """
        if self.bonds:
            self.bonds.arrays.count[1] = step
        self.run_state.step[0] = self.start_step = step
        self.walls.move(step * self.dt)
        if self.fluid.two_way:
            self.fluid.two_way.begin(self, step)
        if history:
            self.bodies.wall_contacts[:] = history.wall_contacts  # bodies are in the user's order still
        self.rebuild(history)
        overlaps = self.overlaps()
        self.constants = self._run_constants(min(fitting_unit(self, overlaps), finest))
        self.walls.choose_units(self.energy_unit, self.kinds, self.dt)
        self.walls.make_room(overlaps.most)
        deepest = overlaps.deepest() if self.owned else None
        del overlaps  # it has arrays of all spheres
        self.run_state.phase[0] = loop.NOT_STARTED
        self.advance(step)
        self.execute(loop.START)
        self._balance_threads()
        self.remove_escaped()
        return deepest

    def inherit(self, before: Engine | None) -> None:
        """Continue with fluid, bonds and wall positions of another engine, if there is one."""
        if before is None:
            return
        self.fluid.inherit(self, before.fluid)
        if before.population:
            self.set_identities(before.numbering.identities)
        self.walls.inherit_motion(before.walls)
        if self.bonds:
            self.bonds.inherit(before.bonds)

    def inherit_extremes(self, before: Engine) -> None:
        """Continue with the extremes and the impulses on walls of another engine."""
        self.run_state.largest_overlap[:] = before.run_state.largest_overlap
        self.walls.inherit_load_integrals(before.walls)
        self.fluid.inherit_extremes(before.fluid)
        if isinstance(self.kinds, ConvexBodyKinds) and isinstance(before.kinds, ConvexBodyKinds):
            self.kinds.solver[:] = before.kinds.solver
        if self.bonds:
            self.bonds.arrays.pressed[:] = before.bonds.arrays.pressed

    def set_population(self, population: Population | None) -> None:
        """Process these events from now on; refuse inserters whose region has no room, if they have not begun."""
        self.population = population
        if population:
            population.check(self)

    def set_identities(self, identities: np.ndarray) -> None:
        """Call the bodies, which are in the order of the rows still, by these numbers."""
        self.bodies.identity[:] = identities
        self.numbering = Numbering(identities.copy())

    # Neighbour lists

    def rebuild(self, history: ContactHistory | None = None) -> None:
        """Sort bodies by cell, build their neighbour lists and pick the candidates.

        Contacts keep their history, or take the given one.
        """
        b, w, lists = self.bodies, self.workspace, self.lists
        if self.subdomains:
            self.subdomains.forget()
            if not np.isfinite(b.position).all():
                return
        several = lists.arrays.block.size > 2  # blocks
        work = work_of(lists.arrays, with_walls=has_walls(self.walls.faces)) if several else None
        if self.layout.table_width and history is None:
            history = self.history()
        if deforms(self.walls.faces):
            meeting = 2 * float(self.kinds.bounding_radius.max()) + self.list_range
            step = int(self.run_state.step[0])
            lists.skins = deforming_cell.fitting_skins(self.walls.faces, self.skins, meeting, step)
            self.constants = self._run_constants(self.energy_unit)
        reach = lists.reach(self.chunk_sums)
        space, position = grid_space(self.walls.faces, b.position)
        grid = grid_for(position, b.is_removed, self.kinds.bounding_radius, reach, space)
        b.n_active[0] = linked_cells.cell_order(position, b.is_removed, grid, w.cell, w.cell_first, w.order)
        self._reorder()
        while not lists.ensure_room(*self._search_pairs(grid, reach), b.kind.size):
            pass
        if self.bonds:
            self.bonds.locate_pairs(lists.arrays)
        nb = lists.arrays
        if several:
            assign_chunks(nb, work)
        nb.chunk_bandwidth[0] = (np.arange(nb.first_chunk_reached.size) - nb.first_chunk_reached).max()
        lists.store_listed_positions(b, self.kinds)
        table = history.indexed(b.owner.size, self.first_numbers()) if self.layout.table_width else None
        if table:
            self.walls.load_wall_history(table, b, nb)
        lists.fit_pair_force()
        self.walls.reset_near_list()
        self._pick_candidates()
        if table and self.layout.width:
            table.load_pairs(b, lists.arrays)
        self.run_state.displacement_since_pick[0] = 0.0

    def _search_pairs(self, grid: linked_cells.Grid, reach: float) -> tuple[int, int]:
        """List pairs of bodies and each body's entries; returns how many pairs a chunk and entries there are."""
        w = self.workspace
        return self._search(
            self.mode, reach, grid, w.cell_first, self._bodies, self.kinds, self._lists.arrays,
            without_walls(self.walls.faces), w.wanted,
        )  # fmt: skip

    def _reorder(self) -> None:
        """Sort bodies into the order of the workspace."""
        b, w = self._bodies, self.workspace
        reorder(self.mode, w.order, b, w.scratch)
        if not self.kinds.all_single_spheres:
            spheres = np.diff(self.kinds.first_offset)[b.kind]
            np.cumsum(spheres, out=b.first_sphere[1:])
            b.owner[:] = np.repeat(np.arange(b.kind.size, dtype=np.int32), spheres)
        if self.bonds:
            self.bonds.follow_order(b)

    def _pick_candidates(self) -> None:
        """Pick the candidates of a new list; forces of a fluid at a complete step stay on bodies without neighbours."""
        lists = self.lists
        if self.bonds:
            lists.arrays = self.bonds.assign_slots(lists.arrays, self._bodies)
        force = (
            self._bodies.force.copy() if not self.fluid.is_dry and self.run_state.phase[0] == loop.COMPLETE else None
        )
        while self.execute(loop.BUILD_CANDIDATES) == loop.NO_ROOM:
            lists.make_room_for_candidates()
        if force is not None:
            self._bodies.force[:] = force

    def _balance_threads(self) -> None:
        """Divide the chunks among threads by their work, which the first evaluation of forces has shown."""
        lists = self.lists
        nb = lists.arrays
        if nb.block.size > 2:  # more than one block
            table = self.history().indexed(self.bodies.owner.size, self.first_numbers()) if self.layout.width else None
            assign_chunks(nb, work_of(nb, with_walls=has_walls(self.walls.faces)))
            lists.fit_pair_force()
            nb.saved_count[:] = 0  # candidates have moved: the table has their history
            self._pick_candidates()
            if table:
                table.load_pairs(self.bodies, lists.arrays)

    def candidates(self) -> tuple[np.ndarray, np.ndarray]:
        """Spheres of the present candidate pairs (K,), (K,), but for those that bonds keep apart."""
        i, j = self.lists.candidates()
        return self.bonds.without_excluded(i, j, self.bodies) if self.bonds else (i, j)

    # Snapshots

    def snapshot(self) -> Snapshot:
        """Copies of the complete state, from which a run continues to the same bytes."""
        if self.subdomains and self.subdomains.have_newer_state:
            bodies, contacts, bonds = self.subdomains.snapshot(self)
        else:
            own = {name: getattr(self.bodies, name) for name in self.state_arrays}
            bodies = {name: self.by_row(values) if values.size else values.copy() for name, values in own.items()}
            contacts, bonds = self.history().ascending(), self.bonds.snapshot() if self.bonds else {}
        return Snapshot(
            bodies=bodies,
            contacts=contacts,
            run_state={name: values.copy() for name, values in self.run_state._asdict().items()},
            energy_unit=self.energy_unit,
            reference_potential=self.reference_potential,
            start_step=self.start_step,
            watch=self.limits.watch,
            fluid={name: values.copy() for name, values in self.fluid.state.items()},
            walls={name: values.copy() for name, values in self.walls.state.items()},
            population=self.population_state(),
            bonds=bonds,
            solver={SOLVER: self.kinds.solver.copy()} if isinstance(self.kinds, ConvexBodyKinds) else {},
            scalars={name: values.copy() for name, values in self.scalar_state.items()},
        )

    def restore(self, snapshot: Snapshot, walls: EngineWalls | None = None) -> None:
        """Restore a snapshot of this engine, or of another one with the same input, to the same bytes.

        walls: of a subdomain that has taken steps; see `EngineWalls.restore`.
        """
        if self.bonds:
            self.bonds.restore(snapshot.bonds)
        if snapshot.population:
            resize.match_bodies(self, snapshot)
            if self.population:
                self.population.restore(snapshot.population)
        rows = self.numbering.rows(self.bodies.identity[: self.owned])
        for name, values in snapshot.bodies.items():
            if values.size:
                getattr(self.bodies, name)[:, : self.owned] = values[:, rows]
        self.bodies.wall_contacts[: self.owned] = snapshot.contacts.wall_contacts[rows]
        for name, values in snapshot.run_state.items():
            getattr(self.run_state, name)[:] = values
        self.fluid.restore(snapshot.fluid)
        self.reference_potential, self.start_step = snapshot.reference_potential, snapshot.start_step
        self.code = loop.DONE
        if snapshot.watch.size:
            self.limits.watch = snapshot.watch
        self.constants = self._run_constants(snapshot.energy_unit)
        for name, values in self.scalar_state.items():
            values[:] = snapshot.scalars[name]
        self.walls.choose_units(self.energy_unit, self.kinds, self.dt)
        self.walls.restore(snapshot.walls, snapshot.step * self.dt, walls)
        for values in snapshot.solver.values():
            self.kinds.solver[:] = values
        for stage in self.scalars:
            stage.choose_variants(self)
        self.rebuild(snapshot.contacts)

    @property
    def state_arrays(self) -> list[str]:
        """Names of the arrays of bodies that belong to the complete state."""
        wanted = {DISSIPATED: self.layout.heats, FLUID_CACHE: looks_back(self.fluid.model), FIELDS: bool(self.fields)}
        return [*KEPT, *(name for name, is_kept in wanted.items() if is_kept)]

    @property
    def scalar_state(self) -> dict[str, np.ndarray]:
        """Ledgers of all scalars by name, as a snapshot has them."""
        return {f"{stage.law.FIELD}_{name}": values for stage in self.scalars for name, values in stage.state.items()}

    def population_state(self) -> dict[str, np.ndarray]:
        """Particles present, inserted and removed, as a snapshot has them; empty where their number is fixed."""
        if not self.population:
            return {}
        kind = self.numbering.by_row(self._bodies.identity, self._bodies.kind)  # no subdomain changes it
        return {"identity": self.numbering.identities.copy(), "kind": kind} | self.population.state()

    # The present state

    def by_row(self, values: np.ndarray) -> np.ndarray:
        """Values (..., N) of owned bodies by index, in the order of the user's rows."""
        return self.numbering.by_row(self.bodies.identity[: self.owned], values[..., : self.owned])

    def state(self) -> list[np.ndarray]:
        """Position, velocity, orientation and angular velocity at the whole step, (3 or 4, N) in the user's order.

        In a step that an error has stopped, velocities are those of the half step, as forces may be overwritten.
        """
        if self.subdomains and self.subdomains.have_state:
            return self.subdomains.state(self)
        shown = [np.empty((rows, self.owned)) for rows in WIDTHS]
        rows = self.numbering.rows(self.bodies.identity)  # columns are those of the user
        self.execute(loop.WRITE_OUTPUT, view=loop.OutputState(*shown), bodies=self.bodies._replace(identity=rows))
        if self.run_state.phase[0] == loop.PREDICTED:
            shown[1][:, rows] = self.bodies.velocity
        return shown

    def field_values(self) -> dict[str, np.ndarray]:
        """Fields that the engine carries along (N, k), by name, in the order of the user's rows."""
        if not self.fields:
            return {}
        if self.subdomains and self.subdomains.have_state:
            values = self.subdomains.field_rows(self)
        else:
            values = self.by_row(self.bodies.fields)
        return {name: values[rows].T.copy() for name, rows in rows_of(self.fields).items()}

    def is_sound(self, box: Box | None) -> bool:
        """Whether all bodies are finite and inside the box, by the figures that kernels have recorded.

        The last pass found the largest displacement, spin and acceleration of the bodies present: if these are finite,
        so is the state at the whole step, which is computed from them. In a fluid, whose forces have no such limit, and
        where bodies have left, the arrays that `WRITE_OUTPUT` reads are checked. If False, the state itself has to be
        checked.
        """
        if self.subdomains:
            return self.subdomains.have_state and self.subdomains.are_sound(self.walls.faces if box else None)
        b, p, faces = self._bodies, self.run_state, self.walls.faces
        if p.phase[0] != loop.COMPLETE or p.step[0] == self.start_step or not p.acceleration[0] < np.inf:
            return False
        is_removed = b.is_removed[0] != 0
        limited = self.fluid.is_dry and not is_removed.any()
        if not limited and not all(np.isfinite(getattr(b, name).sum()) for name in SHOWN):
            return False
        if box is None:
            return True
        inside = b.position[:, ~is_removed] if is_removed.any() else b.position
        lowest, highest = inside.min(axis=1, initial=np.inf), inside.max(axis=1, initial=-np.inf)
        return bool((lowest >= faces.lower).all() and (highest <= faces.upper).all())

    def escaped_rows(self) -> np.ndarray:
        """Rows of the particles that have escaped through open faces."""
        if self.subdomains and not self.open_faces.faces:  # no particle can leave, so that nothing has to be fetched
            return np.zeros(0, np.int64)
        return np.flatnonzero(self.by_row(self.bodies.is_removed[0]))

    def sphere_centres(self) -> np.ndarray:
        """Centres of all spheres (M, 3) [m], particle by particle in the user's order."""
        b = self.bodies
        self.place_spheres()
        centres = np.empty((b.owner.size, 3))
        centres[self.first_numbers()[b.owner] + np.arange(b.owner.size) - b.first_sphere[b.owner]] = b.sphere_position.T
        return centres

    def sphere_radii(self) -> np.ndarray:
        """Radii of all spheres (M,) [m], particle by particle in the user's order."""
        first, kind = self.kinds.first_offset, self.by_row(self.bodies.kind)
        each = np.diff(first)[kind]
        start = np.repeat(first[kind] - np.cumsum(each) + each, each)
        return bounding_radii(self.kinds)[start + np.arange(each.sum())]

    def arrays(self) -> Iterator[np.ndarray]:
        """All its arrays, some more than once."""
        faces = self.walls.faces
        walls = (faces.walls, *faces.walls) if has_walls(faces) else ()
        for part in (self.kinds, faces, self.bodies, self.lists.arrays, self.workspace, self.run_state, *walls):
            yield from (a for a in part if isinstance(a, np.ndarray)) if isinstance(part, tuple) else ()

    def place_spheres(self) -> None:
        """Compute the centres of all spheres from the present places of their bodies."""
        self.execute(loop.PLACE_SPHERES)

    def overlaps(self) -> Overlaps:
        """Overlaps of the present candidate pairs, and of all spheres with the nearest wall."""
        self.place_spheres()
        return Overlaps.of(self.bodies, self.kinds, self.walls.faces, self.candidates(), self.walls.cell())

    def bond_loads(self) -> tuple[np.ndarray, np.ndarray]:
        """Elastic energy of each bond in the present state (B,) [J], and stress over strength (B,)."""
        return self.bonds.loads(self.walls.faces, self.bodies)

    def history(self) -> ContactHistory:
        """History of all contacts."""
        numbers = self.first_numbers() if self.layout.table_width else self.first_sphere_of_row
        walls = self.walls.faces.walls if has_walls(self.walls.faces) else None
        return ContactHistory.of(
            self.bodies, self.lists.arrays, numbers, self.numbering, walls,
            width=self.layout.table_width, capsules=self.layout.capsules,
        )  # fmt: skip

    def first_numbers(self) -> np.ndarray:
        """Number, through all particles in the user's order, of the first sphere of each body (N,)."""
        return self.first_sphere_of_row[self.numbering.rows(self.bodies.identity)]
