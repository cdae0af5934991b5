"""Owner of the arrays that the kernels work on: sets them up, makes neighbour lists, gives them room."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.kernels import laws, rotation
from dem.kernels.compiler.jit import bind
from dem.kernels.domain.faces import is_rough
from dem.kernels.soft.chunks import CHUNK, Serial, Threaded
from dem.kernels.soft.integration import sweeps
from dem.kernels.soft.integration import time_loop as loop
from dem.kernels.soft.neighbours import linked_cells, neighbour_lists
from dem.kernels.soft.wall_contact.rough_faces import PLANE
from dem.kernels.soft.wall_contact.wall_arrays import has_walls, without_walls
from dem.model.domain.box_walls import faces_of
from dem.model.particles.fields import WIDTHS, registered
from dem.soft import arrays
from dem.soft.contact.contact_history import ContactHistory
from dem.soft.contact.overlaps import DEEPEST
from dem.soft.engine_population import EnginePopulation
from dem.soft.escape import Exits
from dem.soft.fluid.fluid_setup import DRY, rows_of_cache, turns
from dem.soft.neighbours.grid import grid_for, most_cells
from dem.soft.neighbours.skin_distances import Skins
from dem.soft.particle_ids import Numbering
from dem.soft.per_body import reorder
from dem.soft.snapshot import Snapshot
from dem.soft.thread_balance import share_out, work_of
from dem.soft.thread_count import Pace
from dem.soft.time_step.adhesion import longest_reach
from dem.soft.time_step.limits import Limits
from dem.soft.time_step.short_contacts import briefest, least_acceleration
from dem.soft.walls.wall_arrays import fastest_of, refuse_unknown_power, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.kernels.soft.state import Bodies
    from dem.model.domain.box import Box
    from dem.model.particles.particles import Particles
    from dem.model.walls.wall import Wall
    from dem.rotation.integrators import Integrator
    from dem.soft.fluid.two_way_coupling import Beds

NOWHERE = loop.OutputState(*(np.empty((rows, 0)) for rows in WIDTHS))
SUMS, INTEGERS = ("dissipated", "wall_work"), ("step", "phase", "elastic", "stored", "leaving")  # of Progress


class Engine(EnginePopulation):
    """Bodies in order of index, their neighbours, and what a run has come to.

    Created from a whole-step state of particles; `Simulation` is what users see.
    """

    held = False  # whether bonds hold bodies together, which then all turn
    grounded = False  # whether they hold any to the ground

    def __init__(
        self,
        particles: Particles,
        box: Box | None,
        gravity: tuple[float, float, float],
        datum: float,
        time_step: float,
        integrator: Integrator,
        law: tuple,
        fluid: tuple = DRY,
        skin: tuple[float, float] | None = None,
        threads: int = 1,
        deepest: float = DEEPEST,
        beds: Beds | None = None,
        walls: Sequence[Wall] = (),
        expected: int = 0,
    ) -> None:
        self.kinds = arrays.kinds(particles, box, own=self.held)
        self.law, self.fluid, self.beds = law, fluid, beds
        self.faces, self.exits = faces_of(box), Exits(box, gravity, alone=not walls)
        self.walls, self.called, self.box, self.most_threads = walls, words(walls), box, threads
        most = max(len(particles), expected)  # bodies at a time; expected: 0 if none come
        alone = most == 1 and not np.isfinite([self.faces.lower, self.faces.upper]).any() and not walls
        refuse_unknown_power(law, walls)
        self.springs = arrays.springs(particles, self.kinds, self.law, walls)
        briskest = least_acceleration(self.kinds, self.springs, time_step, alone=most == 1)
        self.limits = Limits(self.kinds, deepest, briskest, alone=alone)
        self.fastest_wall = fastest_of(box, walls)
        self.range = longest_reach(law, self.kinds, self.springs)
        self.skins = Skins.of(most, self.kinds, box, skin, self.range)
        lossy, width = not isinstance(self.law, laws.Elastic), laws.width(self.law)
        rough = any(wall.roughness > 0 for wall in walls)
        wall_width = PLANE + max(width, 1) if is_rough(self.faces) or rough else width  # laws note grips at least
        self.rotating = self.held or not self.kinds.all_single_spheres or laws.pulls_sideways(self.law) or turns(fluid)
        self.scheme = arrays.scheme(integrator, self.kinds, rotating=self.rotating, held=self.held)
        couples = laws.has_couples(self.law)
        self.layout = arrays.Layout.of(self.kinds, lossy=lossy, width=width, wall_width=wall_width, couples=couples)
        more = rotation.SCHEMES[type(self.scheme if self.rotating else integrator.scheme)].more
        fluid_rows = rows_of_cache(
            fluid, spheres=self.kinds.all_single_spheres and not self.held, rotating=self.rotating
        )
        self.rows = {"rotating": self.rotating, "lossy": lossy, "more": more, "fluid_rows": fluid_rows}
        self.fields = self.rows["fields"] = registered()
        self.bodies = arrays.bodies(particles, self.kinds, box, **self.rows)
        self.numbering = Numbering(self.bodies.identity.copy())
        self.first_sphere_of_row, self.owned = self.bodies.first_sphere[:-1].copy(), len(particles)  # moved here: all
        chunks, self.mode = max(1, -(-len(particles) // CHUNK)), self.mode_for(most, threads)()
        blocks = min(threads, chunks) if isinstance(self.mode, Threaded) else 1
        self.pace = Pace(blocks)
        self.neighbours = arrays.lists(self.bodies, chunks, blocks, self.layout)
        self.datum, self.gravity, self.dt = datum, gravity, time_step
        self._build_walls(arrays.materials(particles), chunks, wall_width if rough else width)
        self.workspace = arrays.workspace(len(particles), chunks, most_cells(len(particles)))
        self.partial = np.zeros((chunks, sweeps.COLUMNS), np.int64)
        self.progress = loop.RunState(
            **{n: np.zeros(1 + (n in SUMS), np.int64 if n in INTEGERS else float) for n in loop.RunState._fields}
        )
        self.start_step, self.code, self._serve = 0, loop.DONE, bind(loop.execute)
        self._serve_view = bind(loop.execute)  # whose arguments are others each time
        self.setting = self._setting(math.nan)  # `start` finds the unit

    @staticmethod
    def mode_for(bodies: int, threads: int) -> type[Serial | Threaded]:
        """Whether to spread the work over threads: not if it is a single chunk."""
        return Threaded if threads > 1 and bodies > CHUNK else Serial

    def _setting(self, energy_unit: float) -> loop.RunConstants:
        g_x, g_y, g_z = self.gravity
        return loop.RunConstants(
            dt=self.dt, gravity_x=g_x, gravity_y=g_y, gravity_z=g_z, datum=self.datum, per_joule=energy_unit,
            list_skin=self.skins.neighbours, candidate_skin=self.skins.candidates, range=self.range,
            max_displacement=self.limits.farthest, max_overlap=self.limits.deepest,
            max_acceleration=self.limits.briskest,
            start_step=self.start_step,
        )  # fmt: skip

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of this engine, or of another one of the same input: to the same bytes."""
        self.become(snapshot)
        rows = self.numbering.rows(self.bodies.identity[: self.owned])
        for name, values in snapshot.bodies.items():
            if values.size:
                getattr(self.bodies, name)[:, : self.owned] = values[:, rows]
        self.bodies.wall_contacts[: self.owned] = snapshot.contacts.wall_contacts[rows]
        for name, values in snapshot.progress.items():
            getattr(self.progress, name)[:] = values
        if self.beds:
            self.beds.become(self, snapshot.fluid)
        for name, values in snapshot.fluid.items():
            self.fluid_state[name][:] = values
        if self.beds:
            self.beds.use(self)
        self.datum, self.start_step, self.code = snapshot.datum, snapshot.start_step, loop.DONE
        if snapshot.watch.size:
            self.limits.watch = snapshot.watch
        self.setting = self._setting(snapshot.energy_unit)
        for name, values in snapshot.walls.items():
            self.wall_state[name][:] = values
        self._choose_units()
        self.move_walls(snapshot.step * self.dt)
        self.rebuild(snapshot.contacts)

    def start(self, step: int = 0, history: ContactHistory | None = None, finest: float = math.inf) -> None:
        """Evaluate the forces of the whole-step state and set the integrator going from there.

        Contacts begin with what they remember of an earlier run, if that is given. There are at most `finest` units of
        energy a joule.
        """
        self.progress.step[0] = self.start_step = step
        self.move_walls(step * self.dt)
        if self.beds:
            self.beds.begin(self, step)
        if history:
            self.bodies.wall_contacts[:] = history.wall_contacts  # bodies are in the user's order still
        self.rebuild(history)
        self.setting = self._setting(min(self.fitting_energy_unit(), finest))
        self._choose_units()
        self._make_slots_for(self.overlaps().most)
        self.progress.phase[0] = loop.FRESH
        self.advance(step)
        self._order(loop.START)
        self._share_out_anew()
        self.let_go()

    def _share_out_anew(self) -> None:
        """Divide the chunks among threads by what is known of them now that forces have been evaluated once."""
        nb = self.neighbours
        if nb.block.size > 2:  # more than one block
            table = self.history().indexed(self.bodies.owner.size, self._first_numbers()) if self.layout.width else None
            share_out(nb, work_of(nb, walled=has_walls(self.faces)))
            self.neighbours = nb._replace(**arrays.pair_force(nb, self.layout))
            nb.saved_count[:] = 0  # where candidates were is known no more: the table has what they remember
            self._pick_anew()
            if table:
                table.give_pairs(self.bodies, self.neighbours)

    def rebuild(self, history: ContactHistory | None = None) -> None:
        """Put bodies in cell order, list their neighbours anew and pick the candidates.

        Contacts go on with what they remember, or with what is given.
        """
        b, w = self.bodies, self.workspace
        several = self.neighbours.block.size > 2  # blocks
        work = work_of(self.neighbours, walled=has_walls(self.faces)) if several else None
        history = self.history() if history is None else history
        grid = grid_for(b, self.kinds.bounding_radius, self._reach(), self.periods())
        b.n_active[0] = linked_cells.cell_order(b.position, b.is_removed, grid, w.cell, w.cell_first, w.order)
        self._reorder()
        while not self._list_neighbours(grid):
            pass
        nb = self.neighbours
        if several:
            share_out(nb, work)
        nb.chunk_bandwidth[0] = (np.arange(nb.first_chunk_reached.size) - nb.first_chunk_reached).max()
        self._note_places()
        table = history.indexed(b.owner.size, self._first_numbers()) if self.layout.wall_width else None
        if table:
            self._give_walls(table)
        self.neighbours = nb._replace(**arrays.pair_force(nb, self.layout))
        self._look_at_walls_anew()
        self._pick_anew()
        if table and self.layout.width:
            table.give_pairs(b, self.neighbours)
        self.progress.travel[0] = 0.0

    def _pick_anew(self) -> None:
        """Pick the candidates of a new list; what a fluid does at a complete step stays with those near nobody."""
        force = self.bodies.force.copy() if self.fluid_state and self.progress.phase[0] == loop.COMPLETE else None
        while self._order(loop.PICK) == loop.NO_ROOM:
            self.make_room_for_candidates()
        if force is not None:
            self.bodies.force[:] = force

    def _list_neighbours(self, grid: linked_cells.Grid) -> bool:
        """List pairs of bodies and each body's entries; if there is no room, make it and return False."""
        w = self.workspace
        pairs, entries = neighbour_lists.search(
            self.mode, self._reach(), grid, w.cell_first, self.bodies, self.kinds, self.neighbours,
            without_walls(self.faces), w.wanted,
        )  # fmt: skip
        return self._had_room(pairs, entries)

    def _reorder(self) -> None:
        """Put bodies in the order of the workspace."""
        b, w = self.bodies, self.workspace
        reorder(self.mode, w.order, b, w.scratch)
        if not self.kinds.all_single_spheres:
            spheres = np.diff(self.kinds.first_offset)[b.kind]
            np.cumsum(spheres, out=b.first_sphere[1:])
            b.owner[:] = np.repeat(np.arange(b.kind.size, dtype=np.int32), spheres)

    def advance(self, stop: int) -> int:
        """Take steps until `stop` are complete; returns DONE, or the code of what went wrong, now and ever after."""
        while self.code == loop.DONE:
            if self.exits.due(self.progress):
                self.let_go()
            self.attend()
            code = self._take_steps(self._next_stop(stop))
            if code == loop.LIST_STALE:
                self.rebuild()
            elif code == loop.NO_ROOM:
                self.make_room_for_candidates()
            elif code == loop.FEW_SLOTS:
                self._make_slots_for(int(self.faces.walls.fullest.max()))
            elif code == loop.TOO_FAST and self.let_go(0.5 * self.limits.farthest / self.dt):
                pass
            elif code == loop.DONE and self.progress.step[0] >= stop:
                self.attend()
                break
            elif code != loop.DONE and not self._passes(code):
                self.code = code
        return self.code

    def _next_stop(self, stop: int) -> int:
        """The step up to which the kernels may go on by themselves."""
        step = int(self.progress.step[0])
        stop = self.next_event(step, self.exits.next_look(step, stop))
        return self.beds.next_stop(step, stop) if self.beds else stop

    def _take_steps(self, stop: int) -> int:
        """Take steps, `stop` of them complete at most; returns DONE or why the kernels came back."""
        step = self.progress.step
        before = int(step[0])
        code = self._order(loop.ADVANCE, before + self.pace.begin(stop - before))
        self.pace.end(int(step[0]) - before)
        if self.beds and code == loop.DONE and before < step[0] and step[0] % self.beds.cells.every == 0:
            self.beds.refresh(self)
        return code

    def _passes(self, code: int) -> bool:
        """Whether what the kernels came back for is no reason to stop, and only has to be noted."""
        if code == loop.TOO_DEEP:
            share, overlap = self.overlaps().deepest().share, float(self.progress.largest_overlap[0])
            passes = self.limits.passes(share, overlap)
        else:
            passes = code == loop.TOO_BRISK
        acceleration, predicted = float(self.progress.acceleration[0]), self.progress.phase[0] == loop.PREDICTED
        if passes and predicted and acceleration > self.limits.briskest:  # always from the same state, however cut
            self.limits.note(briefest(self), acceleration)
        self.setting = self._setting(self.energy_unit)
        return passes

    def let_go(self, fastest: float = math.inf) -> bool:
        """Let those go who have left, see `Exits.going`; returns whether there were any."""
        going = self.exits.going(self.bodies, int(self.progress.step[0]), self.dt, fastest)
        if going.any():
            self.bodies.is_removed[0, going] = self.progress.leaving[0] = 1
            if self.layout.wall_width:
                self.neighbours.wall_has_history.reshape(-1, 6)[going[self.bodies.owner]] = 0
            self.rebuild()
        return bool(going.any())

    def change_gravity(self, gravity: tuple[float, float, float], datum: float) -> None:
        """Go on from the present whole step under another gravity; velocities are half a step ahead."""
        change = np.subtract(gravity, self.gravity)[:, None]
        self.bodies.velocity[:] += 0.5 * self.dt * change
        self.bodies.velocity_predicted[:] += self.dt * change
        self.gravity, self.datum = gravity, datum
        self._load_walls()
        self.exits.turn(gravity)
        self.setting = self._setting(self.energy_unit)

    def _order(
        self, order: int, stop: int = 0, view: loop.OutputState | None = None,
        bodies: Bodies | None = None, progress: loop.RunState | None = None, fluid: tuple | None = None,
    ) -> int:  # fmt: skip
        """Have the kernels carry out an order, of other bodies and fluid if given; returns DONE or why they return."""
        if not self.owned and bodies is None:
            return self.idle(order, stop)
        serve = self._serve_view if view else self._serve
        return serve(
            order, self.scheme, self.law, fluid or self.fluid, self.mode, self.setting, stop, bodies or self.bodies,
            self.kinds, self.neighbours, self.faces, progress or self.progress, self.partial, view or NOWHERE,
        )  # fmt: skip
