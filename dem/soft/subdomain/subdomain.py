"""Subdomain of a rank: the bodies that it moves, ghosts of bodies of other ranks, and its steps.

All ranks do the same at the same time, and all have the state of the whole run (`RunState`). So all make the same
decisions, and those that one rank alone would make. Bodies lie in memory in the order ghosts, in whole chunks; the
border, which other ranks need; the inner bodies, which they do not. Those of either group lie in the order of cells.
"""

from __future__ import annotations

import math
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.large_pages import empty, own_pages, zeros
from dem.base.text import counted
from dem.kernels.compiler.jit import FINGERPRINT, bind, most_threads, set_threads
from dem.kernels.domain.deforming_cell import COLUMNS as VIRIAL
from dem.kernels.domain.deforming_cell import completes_first, deforms
from dem.kernels.fluid import Dry
from dem.kernels.numerics.float_bits import as_float
from dem.kernels.soft.chunks import CHUNK, Serial, Threaded
from dem.kernels.soft.integration import chunk_step
from dem.kernels.soft.integration import time_loop as loop
from dem.kernels.soft.neighbours import linked_cells
from dem.kernels.soft.state import Bodies
from dem.kernels.soft.subdomain import ghost_pairs, subdomain_step
from dem.kernels.soft.subdomain.halo_exchange import LARGEST, WALL_LOADS, HaloBuffers
from dem.kernels.soft.wall_contact.wall_arrays import has_walls
from dem.model.domain.box_walls import grid_space
from dem.model.particles.fields import WIDTHS
from dem.ranks import c_functions
from dem.ranks.communicator import consecutive_segments, first_and_size
from dem.ranks.consistency_check import BuildFingerprint, difference
from dem.ranks.domain_decomposition import BoundingBox, is_within_reach
from dem.soft import arrays, deforming_cell
from dem.soft.contact.capsules import with_poses
from dem.soft.contact.contact_history import ContactHistory
from dem.soft.engine import NO_OUTPUT
from dem.soft.fluid.fluid_setup import STATE, with_fluid_scratch
from dem.soft.neighbour_lists import EngineLists, grid_for, most_cells
from dem.soft.per_body import MOVING, PER_BODY, TO_GHOSTS
from dem.soft.subdomain.migration import BodyBatch, HistoryTable, MigrationSet, history_index
from dem.soft.subdomain.subdomain_bonds import SubdomainBonds
from dem.soft.thread_balance import thread_mode
from dem.soft.walls.engine_walls import EngineWalls
from dem.soft.walls.wall_arrays import resized_walls
from dem.system.diagnosis import outside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.base.periodic import PeriodicCell
    from dem.kernels.domain.faces import BoxFaces
    from dem.kernels.soft.state import Kinds, Neighbours
    from dem.ranks.communicator import Channel, Communicator
    from dem.ranks.domain_decomposition import Partition
    from dem.soft.arrays import Layout
    from dem.soft.neighbour_lists import Skins
    from dem.soft.subdomain.migration import RowSelection
    from dem.soft.subdomain.subdomain_bonds import BondTable

PIECES = 1 << 19  # bodies that are sent at a time, by all ranks together
LONG = 65536  # bytes of messages of a rank, both ways, from which on they are hastened on their way
SEVERAL = 4  # chunks of inner bodies, likewise: during fewer not much can be sent
TIMED = 20  # steps by which the clock tells what work a rank has: those that took the shortest time


class SharedInput(NamedTuple):
    """Input that all subdomains of an engine share."""

    kinds: Kinds
    faces: BoxFaces
    law: tuple
    fluid: tuple
    scheme: tuple
    layout: Layout
    skins: Skins
    range: float
    threads: int
    owners: Partition
    used: tuple[str, ...]  # arrays of bodies that have any length
    sent_rows: int = 0  # of `Bodies.fields`, the first ones, that are sent of ghosts at every step
    bonds: BondTable | None = None  # all bonds, if there are any


class LoadStatistics(NamedTuple):
    """Load of a subdomain since its start."""

    bodies: int
    ghosts: int
    seconds: float  # of computing, messages apart
    rebuilt: int
    arrived: int  # bodies that came from other ranks
    threads: int = 1


def describe_load(loads: list[LoadStatistics]) -> str:
    """Load statistics of all ranks as a sentence."""
    bodies, seconds = [each.bodies for each in loads], [each.seconds for each in loads]
    mean, ghosts = sum(seconds) / len(loads), sum(each.ghosts for each in loads)
    threads = sorted({each.threads for each in loads})
    few = f", {sum(n == 0 for n in bodies)} of them with none" if min(bodies) == 0 else ""
    return (
        f"{counted(threads[-1], 'thread')} each, {min(bodies)} to {max(bodies)} particles a rank{few}, ghosts "
        f"{ghosts / max(sum(bodies), 1):.0%}, imbalance {max(seconds) / mean if mean > 0 else 1.0:.2f}"
    )


class Subdomain:
    """Bodies of one rank, ghosts of others, their neighbour lists, and the steps of the rank."""

    def __init__(self, communicator: Communicator, shared: SharedInput) -> None:
        self.communicator = communicator
        self.kinds, self.law, self.fluid = shared.kinds, shared.law, shared.fluid
        faces = shared.faces
        if deforms(faces):  # lists of the engine of rank 0 are others
            faces = faces._replace(since_listing=faces.since_listing.copy())
        self.walls, self.skins = EngineWalls(faces), shared.skins
        self.lists = EngineLists(None, shared.layout, shared.skins, shared.range, shared.law)
        self.scheme, self.layout = shared.scheme, shared.layout
        self.threads, self.owners, self.used = min(shared.threads, most_threads()), shared.owners, shared.used
        self.sent_rows = shared.sent_rows
        self._kernels, self._search = bind(subdomain_step.execute), bind(ghost_pairs.search)
        self.bodies: Bodies | None = None
        self.channel: Channel | None = None
        self.mode: Serial | Threaded = Serial()
        self.first_number = np.zeros(0, np.int64)
        self.low = self.ghosts = self.border_blocks = 0  # first index of a body of this rank; number of ghosts
        self.hastens = False  # whether messages are progressed in the middle of the pass
        self.chunk_sums = np.zeros((1, chunk_step.COLUMNS), np.int64)
        self.load = LoadStatistics(0, 0, 0.0, 0, 0)
        self.work, self.spent, self.steps = math.inf, 0.0, 0  # seconds a step, see `TIMED`; seconds and steps since
        self.bonds = SubdomainBonds(communicator, shared.bonds) if shared.bonds else None
        self.difference = difference(communicator.allgather(BuildFingerprint.here(FINGERPRINT)))
        self.dt = math.nan
        self.parts: list[list[BodyBatch]] = []  # that rank 0 is to scatter

    def begin(self, run_state: loop.RunState, constants: loop.RunConstants, state: dict[str, dict]) -> None:
        """Continue a run from this state, with a part of the bodies on each rank: rank 0 scatters `parts`."""
        self.run_state, self.constants, self.dt = run_state, constants, constants.dt
        for name, field in () if isinstance(self.fluid, Dry) else STATE.items():
            getattr(self.fluid.medium, field)[:] = state["fluid"][name]
        self._take_walls(state["walls"])
        if self.bonds:
            self.bonds.begin(state["bonds"])
        self.walls.move(run_state.step[0] * self.dt)
        # candidates are picked at the same step as on one rank
        displacement = float(run_state.displacement_since_pick[0])
        parts, self.parts = self.parts, []
        no_bodies = [None] * self.communicator.ranks
        rounds = self.communicator.allgather(len(parts))[0]
        batches = [self.communicator.alltoall(parts[k] if parts else no_bodies)[0] for k in range(rounds)]
        self.rebuild(BodyBatch.merged(batches))
        run_state.displacement_since_pick[0] = displacement

    def _take_walls(self, given: dict[str, np.ndarray]) -> None:
        """Take over the state of walls, loads and units; the wear so far stays with rank 0, to be summed over ranks."""
        if deforms(self.walls.faces):
            deforming_cell.restore(self.walls.faces, given)
        if not has_walls(self.walls.faces):
            return
        for name, array in self.walls.state.items():
            array[:] = given[name]
        walls = self.walls.faces.walls
        walls.unit[:], walls.acts[:] = given["unit"], given["acts"]
        if walls.free:
            walls.free.load[:] = given["load"]
        if self.communicator.rank > 0:
            walls.worn[:] = 0

    def _reduce_wear(self) -> None:
        """Sum the wear of walls, in integers, over ranks; rank 0 keeps the sum."""
        worn = self.walls.faces.walls.worn if has_walls(self.walls.faces) else np.zeros((2, 0), np.int64)
        if worn.size:
            self.communicator.allreduce(worn, np.zeros(1, np.int64))
            if self.communicator.rank > 0:
                worn[:] = 0

    def advance(self, stop: int, constants: loop.RunConstants) -> int:
        """Take steps until `stop` are complete; returns DONE or which limit is passed, the same at all ranks."""
        step, code = self.run_state.step, loop.DONE
        self.constants = constants._replace(list_skin=self.lists.skins.neighbours)
        set_threads(self.threads)
        while code == loop.DONE and step[0] < stop:
            code = self._take_steps(stop)
        self._reduce_wear()
        return code

    def _take_steps(self, stop: int) -> int:
        """Take steps, one at least, until `stop` or one that is to be completed first; returns as `advance`."""
        run_state = self.run_state
        task = chunk_step.PREDICT if run_state.phase[0] != loop.PREDICTED else self._next_task(run_state.step[0], stop)
        code = self._record_and_begin(subdomain_step.BORDER, task, task)
        while code == loop.DONE:
            code = (self._take_steps_in_kernels if self.border.exchange[0] else self._step_and_exchange)(task, stop)
            if run_state.phase[0] == loop.COMPLETE:
                break
            task = self._next_task(run_state.step[0], stop)
        return code

    def _record_and_begin(self, order: int, task: int, after: int) -> int:
        """Record the sums of all ranks after a task, if that is the order, and step the border for the next task."""
        began = perf_counter()
        if self.bonds:
            self.bonds.begin_step()
        code = self.execute(order, task, after)
        self._add_time(perf_counter() - began)
        return self._finish_beginning(code, after)

    def _finish_beginning(self, code: int, task: int) -> int:
        """Make room or lists for which kernels returned before stepping the border, and have them step it."""
        if code == loop.FEW_SLOTS:
            self.walls.make_room(int(self.walls.faces.walls.fullest.max()))
            code = self.execute(subdomain_step.BORDER, task, task)
        if code == loop.LIST_STALE:
            self._refresh()
            began = perf_counter()
            code = self.execute(subdomain_step.BORDER, task, task)
            self._add_time(perf_counter() - began)
        return code

    def _take_steps_in_kernels(self, task: int, stop: int) -> int:
        """Take steps in kernels, which exchange reports themselves, until they return; returns as `_record_and_begin`.

        Raises RuntimeError if they could not exchange reports.
        """
        border, run_state, before, began = self.border, self.run_state, int(self.run_state.step[0]), perf_counter()
        border.exchange_time[0] = 0
        code = self.execute(subdomain_step.STEPS, task, stop=stop)
        self._add_time(perf_counter() - began - 1e-9 * border.exchange_time[0])
        self._record_step_time(int(run_state.step[0]) - before)
        if code == subdomain_step.EXCHANGE_FAILED:
            message = "what ranks report could not be handed on"
            raise RuntimeError(message)
        after = (
            subdomain_step.NO_TASK if run_state.phase[0] == loop.COMPLETE else self._next_task(run_state.step[0], stop)
        )
        return self._finish_beginning(code, after)

    def _step_and_exchange(self, task: int, stop: int) -> int:
        """Send the border to other ranks, meanwhile step the inner bodies, and receive the ghosts.

        Then record the sums of all ranks, and begin the next task; returns as `_record_and_begin`.
        """
        self.channel.start(int(self.border.side[0]))
        began = perf_counter()
        if self.hastens:
            self.execute(subdomain_step.FIRST_HALF, task)
            self.channel.hasten()
            self.execute(subdomain_step.SECOND_HALF, task)
        else:
            self.execute(subdomain_step.INNER, task)
        self._add_time(perf_counter() - began)
        self._record_step_time(0 if task == chunk_step.PREDICT else 1)
        self._exchange_reports()
        if self.bonds and task != chunk_step.PREDICT:
            self.bonds.end_step(self.constants.per_joule)
        self.channel.finish()
        after = subdomain_step.NO_TASK
        if task != chunk_step.LAST_STEP:
            after = self._next_task(self.run_state.step[0] + (task == chunk_step.STEP), stop, ahead=True)
        return self._record_and_begin(subdomain_step.RECORD, task, after)

    def _add_time(self, seconds: float) -> None:
        """Add to the time that was spent computing."""
        self.spent += seconds
        self.load = self.load._replace(seconds=self.load.seconds + seconds)

    def _record_step_time(self, steps: int) -> None:
        """Record the time of further steps; the shortest counts, as other processes may have delayed the rest."""
        self.steps += steps
        if self.steps >= TIMED:
            self.work, self.spent, self.steps = min(self.work, self.spent / self.steps), 0.0, 0

    def _refresh(self) -> None:
        """Pick the candidates again, or rebuild the neighbour lists if one of the ranks has to."""
        self.execute(subdomain_step.MEASURE_DISPLACEMENT)
        self._exchange_reports()
        displacement = float(as_float(self.border.reports[:, LARGEST + chunk_step.LIST_DISPLACEMENT].max()))
        if 2.0 * displacement + self.constants.candidate_skin <= self.constants.list_skin:
            self._pick()
        else:
            self.rebuild()
            self.run_state.displacement_since_pick[0] = 0.0

    def gather_motion(self) -> list[list] | None:
        """Gather position, velocity, orientation and angular velocity at the whole step on rank 0, in pieces."""
        return self._collect([self.bodies.identity[self.low :], *self._motion()])

    def gather_fields(self) -> list[list] | None:
        """Gather the registered fields of all bodies on rank 0, in pieces."""
        return self._collect([self.bodies.identity[self.low :], self.bodies.fields[:, self.low :]])

    def _motion(self) -> list[np.ndarray]:
        """Position, velocity, orientation and angular velocity of the bodies here, as `Engine.state`."""
        b = self.bodies
        shown = loop.OutputState(*(empty((rows, b.kind.size)) for rows in WIDTHS))
        self.execute(subdomain_step.WRITE_OUTPUT, view=shown, bodies=b._replace(identity=np.arange(b.kind.size)))
        if self.run_state.phase[0] == loop.PREDICTED:
            shown.velocity[:] = b.velocity
        return [values[:, self.low :] for values in shown]

    def _collect(self, values: list[np.ndarray]) -> list[list] | None:
        """Gather arrays (..., n) of the bodies of all ranks on rank 0, a piece at a time to keep messages small."""
        n, piece = values[0].shape[-1], max(1024, PIECES // self.communicator.ranks)
        rounds = max(self.communicator.allgather(-(-n // piece)))
        found = [
            self.communicator.gather([each[..., k * piece : (k + 1) * piece] for each in values]) for k in range(rounds)
        ]
        return [part for parts in found for part in parts] if self.communicator.rank == 0 else None

    def gather_state(self, names: list[str]) -> tuple[list, HistoryTable] | None:
        """Gather arrays of bodies, identities first, and the history of contacts on rank 0."""
        b = self.bodies
        if self.bonds:
            self.bonds.agree_on_slack()
        own = [getattr(b, name)[..., self.low :] for name in ("identity", *names)]
        tables = self.communicator.gather(self._history_table())
        found = self._collect(own)
        return (found, HistoryTable.merged(tables)) if self.communicator.rank == 0 else None

    def described(self) -> str | None:
        """Load statistics of all ranks as a sentence, on rank 0; None elsewhere."""
        loads = self.communicator.gather(self.load._replace(threads=self.threads))
        return describe_load(loads) if loads else None

    def is_sound(self, inside: tuple[np.ndarray, np.ndarray] | None) -> bool:
        """Whether all bodies have finite states, and those that have not left are between these faces."""
        shown, here = self._motion(), self.bodies.is_removed[0, self.low :] == 0
        sound = all(np.isfinite(values).all() for values in shown)
        if sound and inside:
            position = shown[0] if here.all() else shown[0][:, here]
            sound = not len(outside(position.T, *inside))
        return all(self.communicator.allgather(bool(sound)))

    # Bodies that move between ranks, ghosts, and neighbour lists

    def rebuild(self, rows: BodyBatch | None = None) -> None:
        """Migrate bodies to the ranks of their domains, rebuild the neighbour lists and pick the candidates.

        They are those of this rank, or what is given.
        """
        communicator, ends = self.communicator, None
        if rows is None:
            if self.bonds:
                self.bonds.agree_on_slack()
            rows, ends = self._own_bodies()
        if deforms(self.walls.faces):
            self._fit_skins()
        here = rows.arrays["is_removed"][0] == 0
        work = self.work if math.isfinite(self.work) else float(rows.number.size)
        _, place = grid_space(self.walls.faces, rows.position)
        self.owners.renew(communicator, place if here.all() else place[:, here], work)
        self.work, self.spent, self.steps = math.inf, 0.0, 0
        migration = self._migrate(rows, self.owners.of(place, rows.identity), ends)
        self._rebuild_lists(migration)
        self.load = self.load._replace(
            bodies=migration.size, ghosts=self.ghosts, rebuilt=self.load.rebuilt + 1,
            arrived=self.load.arrived + migration.arrived.number.size,
        )  # fmt: skip

    def _fit_skins(self) -> None:
        """Shorten skins where a cell has become small, and begin its travel since bodies were listed anew."""
        faces = self.walls.faces
        meeting = 2 * float(self.kinds.bounding_radius.max()) + self.lists.range
        self.lists.skins = deforming_cell.fitting_skins(faces, self.skins, meeting, int(self.run_state.step[0]))
        self.constants = self.constants._replace(list_skin=self.lists.skins.neighbours)
        faces.since_listing[:] = np.eye(3)

    def _own_bodies(self) -> tuple[BodyBatch, tuple[np.ndarray, np.ndarray]]:
        """Bodies of this rank in memory order, and the row of either body of each contact, < 0 for ghosts and walls."""
        b, low = self.bodies, self.low
        first = b.first_sphere[:-1].astype(np.int64)
        i, j, history = self._history_table(first)  # of spheres as they are here
        owner_i, owner_j = b.owner[i], b.owner[np.maximum(j, 0)]
        number_i = self.first_number[owner_i] + i - first[owner_i]
        number_j = np.where(j < 0, j, self.first_number[owner_j] + j - first[owner_j])
        table = HistoryTable(number_i, number_j, history)
        batch = BodyBatch.of(b, self.first_number, table, slice(low, None))
        return batch, (owner_i - low, np.where(j < 0, j, owner_j - low))

    def _migrate(
        self, rows: BodyBatch, owner: np.ndarray, rows_of_ends: tuple[np.ndarray, np.ndarray] | None
    ) -> MigrationSet:
        """Send bodies to their new owners with the history of their contacts; returns those that are here then."""
        rank, ranks = self.communicator.rank, self.communicator.ranks
        if rows_of_ends is None:
            partner_rows = np.arange(owner.size)
            rows_of_ends = tuple(rows.find(given, self.kinds)[1] for given in (rows.table.i, rows.table.j))
        else:
            partner_rows = self.border.index - self.low  # bodies that are ghosts of other ranks
        to_i, to_j = ends = rows.ends(owner, *rows_of_ends)
        parcels = [None if r == rank else rows.parcel(r, owner, ends) for r in range(ranks)]
        no_bodies = rows.only(np.zeros(0, np.intp), rows.table.only(np.zeros(0, np.intp)))
        parts = [no_bodies if part is None else part for part in self.communicator.alltoall(parcels)]
        is_local = (to_i == rank) & ((to_j == rank) | (rows.table.j < 0))  # no other rank has their history
        others = ((to_i == rank) | (to_j == rank)) & ~is_local
        table = HistoryTable.merged([rows.table.only(others), *(part.table for part in parts)])
        table = HistoryTable.concatenated([rows.table.only(is_local), table])
        known_rows = tuple(each[is_local] for each in rows_of_ends)
        left = [each[others & (to == rank)] for each, to in zip(rows_of_ends, ends, strict=True)]  # by their partner
        partner_rows = np.unique(np.concatenate([partner_rows, *left]))
        return MigrationSet(
            rows, np.flatnonzero(owner == rank), BodyBatch.merged(parts), table, known_rows, partner_rows
        )

    def _rebuild_lists(self, migration: MigrationSet) -> None:
        """Order the bodies that are here now, find ghosts, build neighbour lists, and pick the candidates."""
        all_rows = migration.selection()
        position, left = migration.values("position", all_rows), migration.values("is_removed", all_rows)
        space, position = grid_space(self.walls.faces, position)
        wanted = self._ghosts_of_ranks(position, left[0] == 0, migration.values("kind", all_rows)[0])
        reach = self.lists.reach(self.chunk_sums)
        if self.bonds:
            wanted = self.bonds.with_partners(wanted, migration.values("identity", all_rows)[0])
        is_ghost_elsewhere = np.zeros(migration.size, bool)
        for which in wanted:
            is_ghost_elsewhere[which] = True
        found = memory_order(position, left, is_ghost_elsewhere, self.kinds.bounding_radius, reach, space)
        place = np.empty(migration.size, np.intp)
        place[found.order] = np.arange(migration.size)
        wanted = [np.sort(place[which]) for which in wanted]
        seen = self.communicator.alltoall([migration.rows(TO_GHOSTS, found.order[which]) for which in wanted])
        selection = migration.selection(found.order)
        self._allocate(migration, selection, found, BodyBatch.merged(seen))
        self._set_up_halo_exchange(wanted, [each.number.size for each in seen])
        while found.grid and not self._list_neighbours(found):
            pass
        self._record_list_build(listed=found.grid is not None)
        self._restore_history(migration, selection)

    def _ghosts_of_ranks(self, position: np.ndarray, here: np.ndarray, kind: np.ndarray) -> list[np.ndarray]:
        """Which of the bodies here, at places of `grid_space`, are ghosts of each rank."""
        regions = self.communicator.allgather(BoundingBox.about(position if here.all() else position[:, here]))
        reach = self.kinds.bounding_radius[kind] + self.kinds.bounding_radius.max() + self.lists.reach(self.chunk_sums)
        length = grid_space(self.walls.faces, position[:, :0])[0].length
        if deforms(self.walls.faces):
            reach = reach * deforming_cell.grid_stretch(self.walls.faces)
        regions[self.communicator.rank] = BoundingBox.about(position[:, :0])
        return [np.flatnonzero(here & is_within_reach(region, reach, position, length)) for region in regions]

    def _allocate(self, migration: MigrationSet, selection: RowSelection, found: MemoryOrder, seen: BodyBatch) -> None:
        """Set up arrays for bodies and ghosts."""
        self.ghosts, self.low = seen.number.size, room_for_ghosts(seen.number.size)
        with own_pages():
            self.bodies, self.first_number = arranged_bodies(migration, selection, seen, self.kinds, self.used)
        self.kinds = with_poses(self.kinds, self.bodies.kind)
        self.mode = thread_mode(migration.size, self.threads)
        with own_pages():
            self.lists.arrays, self.border_blocks = blocked_lists(
                self.lists.arrays, self.bodies, self.layout, ghosts=self.low, border=found.border,
                blocks=self.threads if isinstance(self.mode, Threaded) else 1,
            )  # fmt: skip
        chunks = self.lists.arrays.pairs.size
        if self.bonds:
            bonds = self.bonds.lay_out(self.bodies, self.ghosts, self.low, chunks)
            self.lists.arrays = self.lists.arrays._replace(bonds=bonds)
        faces = self.walls.faces
        if has_walls(faces):
            fitting = resized_walls(faces.walls, self.bodies.kind.size, self.bodies.owner.size, chunks)
            self.walls.faces = faces._replace(walls=fitting)
        if deforms(faces):
            self.walls.faces = faces._replace(parts=np.zeros((chunks, VIRIAL), np.int64))
        self.fluid = with_fluid_scratch(self.fluid, chunks)
        displacement = self.chunk_sums[:, chunk_step.DISPLACEMENT].max()
        self.chunk_sums = np.zeros((chunks, chunk_step.COLUMNS), np.int64)
        self.chunk_sums[0, chunk_step.DISPLACEMENT] = displacement

    def _set_up_halo_exchange(self, wanted: list[np.ndarray], found: list[int]) -> None:
        """Set up the buffers by which ranks exchange motions of ghosts and reports, and exchange both once."""
        b, communicator = self.bodies, self.communicator
        sends_orientation = not self.kinds.all_single_spheres or bool(self.bonds)
        turned = (b.orientation,) if sends_orientation else ()
        sent = (b.position, *turned, b.velocity_predicted, b.angular_velocity_predicted, b.fields[: self.sent_rows])
        sent = [values for values in sent if values.size]
        columns, index = sum(len(values) for values in sent), (np.concatenate(wanted) + self.low).astype(np.int32)
        to, of = consecutive_segments([each.size for each in wanted]), consecutive_segments(found)
        self.channel = channel = communicator.channel(columns, to, of, self.channel)
        layout = channel.layout
        faces = self.walls.faces
        loads = 2 * VIRIAL if deforms(faces) else faces.walls.chunk_loads[0].size if has_walls(faces) else 0
        report = np.zeros(WALL_LOADS + loads, np.int64)
        reports = np.zeros((communicator.report_rows(), report.size), np.int64)
        exchange = None if channel.remote_bytes or self.bonds else communicator.exchange_call(report, reports)
        self.border = HaloBuffers(
            index=index, motion=channel.motion,
            sent=first_and_size(layout.sent), received=first_and_size(layout.received),
            side=np.zeros(1, np.int64), side_rows=layout.side_rows, columns=columns,
            sends_orientation=sends_orientation, sent_rows=self.sent_rows, report=report, reports=reports,
            total=np.zeros((1, chunk_step.COLUMNS), np.int64), blocks=self.border_blocks,
            **c_functions.halo_calls(exchange),
        )  # fmt: skip
        inner = self.lists.arrays.block[-1] - self.lists.arrays.block[self.border_blocks]
        self.hastens = channel.remote_bytes >= LONG and inner >= SEVERAL
        for route, (_, first, stop) in zip(layout.sent, to, strict=True):
            own = np.concatenate([values[:, index[first:stop]] for values in sent])
            channel.part(route, 0)[:] = own.ravel()
        channel.start(0)
        self._exchange_reports()
        channel.finish()

    def _exchange_reports(self) -> None:
        """Exchange reports among all ranks; after this, all have read the halo received in the step before."""
        border = self.border
        self.communicator.exchange_reports(border.report, border.reports, chunk_step.COLUMNS)

    def _list_neighbours(self, found: MemoryOrder) -> bool:
        """List pairs of bodies and each body's entries; if there is no room, make it and return False."""
        b, nb = self.bodies, self.lists.arrays
        wanted, low = np.empty(nb.pairs.size, np.int64), np.int32(self.low)
        pairs, entries = self._search(
            self.mode, self.ghosts, int(nb.block[self.border_blocks]), self.lists.reach(self.chunk_sums),
            float(self.kinds.bounding_radius.max()),
            found.grid, found.first + low, found.inner + low, b, self.kinds, nb, self.walls.faces, wanted,
        )  # fmt: skip
        return self.lists.ensure_room(pairs, entries, b.kind.size)

    def _record_list_build(self, *, listed: bool) -> None:
        """Record the positions at which bodies were listed, and how far back chunks reach."""
        nb = self.lists.arrays
        if not listed:  # there are no bodies
            nb.first_chunk_reached[:] = nb.last_chunk_reached[:] = np.arange(nb.pairs.size)
        first = int(nb.block[0])
        back = np.arange(first, nb.first_chunk_reached.size) - nb.first_chunk_reached[first:]
        nb.chunk_bandwidth[0] = back.max(initial=0)
        self.lists.store_listed_positions(self.bodies, self.kinds)
        if self.bonds:
            self.lists.arrays = nb._replace(bonds=self.bonds.prepare_lists(nb))
        self.lists.fit_pair_force()

    def _restore_history(self, migration: MigrationSet, selection: RowSelection) -> None:
        """Restore the history of contacts: that of walls at once, that of pairs after picking the candidates here."""
        b, index = self.bodies, None
        if self.layout.table_width:
            place = np.full(migration.old.number.size + migration.arrived.number.size, -1)
            place[selection.source] = np.arange(self.low, b.kind.size)
            index = history_index(migration, place, self.ghosts, self.first_number, b, self.kinds)
            self.walls.load_wall_history(index, b, self.lists.arrays)
        self._pick()
        if index and self.layout.width:
            index.load_pairs(b, self.lists.arrays)

    def _pick(self) -> None:
        """Pick candidates, making room for them."""
        while self.execute(subdomain_step.BUILD_CANDIDATES) == loop.NO_ROOM:
            self.lists.make_room_for_candidates()

    def _history_table(self, number: np.ndarray | None = None) -> HistoryTable:
        """History of contacts, of pairs with ghosts as well; `number` of first spheres, by default the user's."""
        number = self.first_number if number is None else number
        walls = self.walls.faces.walls if has_walls(self.walls.faces) else None
        width, capsules = self.layout.table_width, self.layout.capsules
        found = ContactHistory.of(self.bodies, self.lists.arrays, number, None, walls, width=width, capsules=capsules)
        return HistoryTable.of(found)

    def execute(
        self, order: int, task: int = chunk_step.PREDICT, after: int = subdomain_step.NO_TASK, stop: int = 0,
        view: loop.OutputState = NO_OUTPUT, bodies: Bodies | None = None,
    ) -> int:  # fmt: skip
        """Execute a command in the kernels."""
        return self._kernels(
            order, task, after, stop, self.scheme, self.law, self.fluid, self.mode, self.constants,
            bodies or self.bodies, self.kinds, self.lists.arrays, self.walls.faces, self.run_state,
            self.chunk_sums, self.border, view,
        )  # fmt: skip

    def _next_task(self, done: int, stop: int, *, ahead: bool = False) -> int:
        """The task that completes another step, and begins the next one unless it is the last.

        A cell that deforms may need a step to be completed first, with its edges, or those after the present pass.
        """
        faces, last = self.walls.faces, done + 1 >= stop
        if deforms(faces):
            last = last or completes_first(faces._replace(edges=faces.next_edges) if ahead else faces)
        return chunk_step.LAST_STEP if last else chunk_step.STEP


class MemoryOrder(NamedTuple):
    """Places of the bodies of a subdomain, counted from the first of them."""

    order: np.ndarray  # (n,) the body that comes first, second, ...
    border: int  # bodies of the border, whole chunks of them unless they are all
    grid: linked_cells.Grid | None  # None if there are no bodies
    first: np.ndarray  # (cells + 1,) first body of the border in each cell
    inner: np.ndarray  # (cells + 1,) first inner body, which no other rank needs, in each cell


def memory_order(
    position: np.ndarray,
    left: np.ndarray,
    wanted: np.ndarray,
    bound: np.ndarray,
    reach: float,
    cell_of_domain: PeriodicCell,
) -> MemoryOrder:
    """Order of bodies at positions (3, n) [m]; `left` (1, n) marks those that have left, `wanted` (n,) the border.

    The cells are for bodies that lie within the radii `bound` (G,) and are listed up to `reach` apart [m].
    """
    n, here = position.shape[1], left[0] == 0
    first = np.zeros(most_cells(n) + 2, np.int32)
    if not here.any():
        return MemoryOrder(np.arange(n), n, None, first, first)
    grid = grid_for(position, left, bound, reach, cell_of_domain)
    before = border_of(wanted, here)
    cell = np.empty(n, np.int32)
    orders, firsts, start = [], [], 0
    for which in (np.flatnonzero(before), np.flatnonzero(~before)):
        order, table = np.empty(which.size, np.int32), first.copy()
        linked_cells.cell_order(
            np.ascontiguousarray(position[:, which]), np.ascontiguousarray(left[:, which]), grid, cell, table, order
        )
        orders.append(which[order])
        firsts.append(table + np.int32(start))
        start += which.size
    return MemoryOrder(np.concatenate(orders), orders[0].size, grid, *firsts)


def border_of(wanted: np.ndarray, here: np.ndarray) -> np.ndarray:
    """Which bodies are in the border (n,): those that other ranks need, filled up to whole chunks; or all.

    Examples
    --------
    >>> import numpy as np
    >>> here, wanted = np.ones(3 * CHUNK, bool), np.zeros(3 * CHUNK, bool)
    >>> wanted[[5, 2 * CHUNK]] = True
    >>> int(border_of(wanted, here).sum()) == CHUNK, int(border_of(here, here).sum()) == here.size
    (True, True)
    """
    missing = -int(np.count_nonzero(wanted)) % CHUNK
    others = np.flatnonzero(here & ~wanted)
    if missing > others.size or not others.size:
        return np.ones(wanted.size, bool)
    result = wanted.copy()
    result[others[:missing]] = True
    return result


# arrays that may be used again
KEPT_ROOM = ("lower", "higher", "candidate_range", "pair_force", "force_row", "force_torque", "overlap", "found",
    "touching", "motion",
)  # fmt: skip


def room_for_ghosts(ghosts: int) -> int:
    """Number of indices for ghosts: whole chunks, at least one."""
    return CHUNK * max(1, -(-ghosts // CHUNK))


def arranged_bodies(
    migration: MigrationSet, selection: RowSelection, ghosts: BodyBatch, kinds: Kinds, used: Sequence[str]
) -> tuple:
    """Bodies, ghosts first and then those of the rank from these places, and the number of the first sphere of each.

    Arrays that are not in `used` stay empty.
    """
    low = room_for_ghosts(ghosts.number.size)
    made = {}
    for name in MOVING:
        new = migration.values(name, selection, low) if name in used else migration.none_of(name)
        if new.shape[1] and name in ghosts.arrays:
            new[:, : ghosts.number.size] = ghosts.arrays[name]
        made[name] = new if PER_BODY[name].axis == 1 else new[0]
    number = migration.numbers(selection, low)
    number[: ghosts.number.size] = ghosts.number
    spheres = np.diff(kinds.first_offset)[made["kind"]]
    first_sphere = np.concatenate([[0], np.cumsum(spheres)]).astype(np.int32)
    found = Bodies(
        **made,
        first_sphere=first_sphere,
        sphere_position=made["position"] if kinds.all_single_spheres else zeros((3, first_sphere[-1])),
        owner=np.repeat(np.arange(number.size, dtype=np.int32), spheres),
        n_active=np.array([low + int(np.count_nonzero(made["is_removed"][0, low:] == 0))]),
    )
    return found, number


def blocked_lists(
    old: Neighbours | None, bodies: Bodies, layout: arrays.Layout, *, ghosts: int, border: int, blocks: int
) -> tuple[Neighbours, int]:
    """Lists for these bodies, at least as large as before, and the number of blocks at the border.

    The first `ghosts` indices are for ghosts; the `border` bodies come next, in blocks of their own.
    """
    chunks, first = -(-bodies.kind.size // CHUNK), ghosts // CHUNK
    inner = min(first + -(-border // CHUNK), chunks)
    before, after = max(1, min(blocks, inner - first)), min(blocks, chunks - inner)
    block = first + np.arange(before + 1) * (inner - first) // before
    if after:
        block = np.concatenate([block, inner + np.arange(1, after + 1) * (chunks - inner) // after])
    blocks = block.size - 1
    block_of = np.searchsorted(block, np.arange(chunks), side="right") - 1
    block_of[:first] = np.arange(first) % blocks
    block_of = np.minimum(block_of, blocks - 1)
    new = arrays.lists(bodies, chunks, blocks, layout)._replace(
        block=block, block_of=block_of, evaluating_block=block_of
    )
    if old is None:
        return new, before
    candidates = arrays.candidate_arrays(chunks, -(-old.sphere_i.size // chunks), layout)
    entries = arrays.entry_arrays(old.body_entries.size, bodies.kind.size, layout)
    return new._replace(**candidates, **entries, **{name: getattr(old, name) for name in KEPT_ROOM}), before
