"""The bodies of a share: who is handed on, whom others need to know of, and the lists of who may touch whom."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.large_pages import apart
from dem.base.text import counted
from dem.kernels.compiler.jit import bind, most_threads
from dem.kernels.soft.chunks import Serial, Threaded
from dem.kernels.soft.integration import sweeps
from dem.kernels.soft.integration import time_loop as loop
from dem.kernels.soft.subdomain import ghosts, subdomain_step
from dem.kernels.soft.subdomain.halo_exchange import FELT, HaloBuffers
from dem.kernels.soft.wall_contact.wall_arrays import has_walls
from dem.ranks import c_functions
from dem.ranks.buffer_layout import routes, stretches
from dem.ranks.halo import BoundingBox, within
from dem.soft import arrays
from dem.soft.contact.capsules import with_poses
from dem.soft.contact.contact_history import ContactHistory
from dem.soft.engine import NOWHERE, Engine
from dem.soft.neighbours.engine_lists import EngineLists
from dem.soft.per_body import TO_GHOSTS
from dem.soft.subdomain import subdomain_arrays
from dem.soft.subdomain.history_migration import indexed
from dem.soft.subdomain.migration import BodyBatch, HistoryTable, MigrationSet
from dem.soft.subdomain.subdomain_bonds import ShareBonds
from dem.soft.subdomain.subdomain_ordering import in_order

if TYPE_CHECKING:
    from dem.kernels.domain.faces import BoxFaces
    from dem.kernels.soft.state import Bodies, Kinds, Neighbours
    from dem.ranks.communicator import Channel, Communicator
    from dem.ranks.load_balancing import Partition
    from dem.soft.neighbours.skin_distances import Skins
    from dem.soft.subdomain.migration import Places
    from dem.soft.subdomain.subdomain_bonds import Ties
    from dem.soft.subdomain.subdomain_ordering import Order

LONG = 65536  # bytes of messages of a rank, both ways, from which on they are hastened on their way
SEVERAL = 4  # chunks of bodies further in, likewise: during fewer not much can be sent
TIMED = 20  # steps by which the clock tells what work a rank has: those that took the shortest time


class Kit(NamedTuple):
    """What all shares of an engine have in common."""

    kinds: Kinds
    faces: BoxFaces
    law: tuple
    fluid: tuple
    scheme: tuple
    layout: arrays.Layout
    skins: Skins
    range: float
    threads: int
    owners: Partition
    used: tuple[str, ...]  # arrays of bodies that have any length
    sent_rows: int = 0  # of `Bodies.fields`, the first ones, that are sent of ghosts at every step
    ties: Ties | None = None  # what all know of bonds, if there are any


class LoadStatistics(NamedTuple):
    """How a share has got on."""

    bodies: int
    ghosts: int
    seconds: float  # of computing, messages apart
    rebuilt: int
    arrived: int  # bodies that came from other ranks
    threads: int = 1


def in_words(told: list[LoadStatistics]) -> str:
    """How ranks share a run."""
    bodies, seconds = [each.bodies for each in told], [each.seconds for each in told]
    mean, ghosts = sum(seconds) / len(told), sum(each.ghosts for each in told)
    threads = sorted({each.threads for each in told})
    few = f", {sum(n == 0 for n in bodies)} of them with none" if min(bodies) == 0 else ""
    return (
        f"{counted(threads[-1], 'thread')} each, {min(bodies)} to {max(bodies)} particles a rank{few}, ghosts "
        f"{ghosts / max(sum(bodies), 1):.0%}, imbalance {max(seconds) / mean if mean > 0 else 1.0:.2f}"
    )


class SubdomainLists(EngineLists):
    """Bodies and lists; who inherits from it takes steps."""

    scheme: tuple
    border: HaloBuffers
    progress: loop.RunState

    def __init__(self, communicator: Communicator, kit: Kit) -> None:
        self.communicator = communicator
        self.kinds, self.faces, self.law, self.fluid = kit.kinds, kit.faces, kit.law, kit.fluid
        self.scheme, self.layout, self.skins, self.range = kit.scheme, kit.layout, kit.skins, kit.range
        self.threads, self.owners, self.used = min(kit.threads, most_threads()), kit.owners, kit.used
        self.sent_rows = kit.sent_rows
        self.beds, self._kernels = None, bind(subdomain_step.obey)
        self.bodies: Bodies | None = None
        self.neighbours: Neighbours | None = None
        self.channel: Channel | None = None
        self.mode: Serial | Threaded = Serial()
        self.first_number = np.zeros(0, np.int64)
        self.low = self.ghosts = self.border_blocks = 0  # first index of a body that is moved here; number of ghosts
        self.hastens = False  # whether messages are looked after while they are under way
        self.partial = np.zeros((1, sweeps.COLUMNS), np.int64)
        self.told = LoadStatistics(0, 0, 0.0, 0, 0)
        self.work, self.spent, self.steps = math.inf, 0.0, 0  # seconds a step, see `TIMED`; of late, how many steps
        self.bonds = ShareBonds(communicator, kit.ties) if kit.ties else None

    def rebuild(self, rows: BodyBatch | None = None) -> None:
        """Hand bodies to those who are to have them, list their neighbours anew and pick the candidates.

        They are those of this rank, or what is given.
        """
        communicator, ends = self.communicator, None
        if rows is None:
            if self.bonds:
                self.bonds.agree()
            rows, ends = self._here()
        here = rows.arrays["is_removed"][0] == 0
        work = self.work if math.isfinite(self.work) else float(rows.number.size)
        self.owners.renew(communicator, rows.position if here.all() else rows.position[:, here], work)
        self.work, self.spent, self.steps = math.inf, 0.0, 0
        crowd = self._handed_on(rows, self.owners.of(rows.position, rows.identity), ends)
        self._list_anew(crowd)
        self.told = self.told._replace(
            bodies=crowd.size, ghosts=self.ghosts, rebuilt=self.told.rebuilt + 1,
            arrived=self.told.arrived + crowd.late.number.size,
        )  # fmt: skip

    def _here(self) -> tuple[BodyBatch, tuple[np.ndarray, np.ndarray]]:
        """The bodies of this rank as they lie in memory, and the row of either body of each contact, < 0 for others."""
        b, low = self.bodies, self.low
        first = b.first_sphere[:-1].astype(np.int64)
        i, j, history = self._table(first)  # of spheres as they are here
        owner_i, owner_j = b.owner[i], b.owner[np.maximum(j, 0)]
        number_i = self.first_number[owner_i] + i - first[owner_i]
        number_j = np.where(j < 0, j, self.first_number[owner_j] + j - first[owner_j])
        table = HistoryTable(number_i, number_j, history)
        return BodyBatch.of(b, self.first_number, table, slice(low, None)), (
            owner_i - low,
            np.where(j < 0, j, owner_j - low),
        )

    def _handed_on(
        self, rows: BodyBatch, owner: np.ndarray, rows_of_ends: tuple[np.ndarray, np.ndarray] | None
    ) -> MigrationSet:
        """Who is here when all have handed on what is others' now, with what all their contacts remember."""
        rank, ranks = self.communicator.rank, self.communicator.ranks
        if rows_of_ends is None:
            met = np.arange(owner.size)
            rows_of_ends = tuple(rows.find(given, self.kinds)[1] for given in (rows.table.i, rows.table.j))
        else:
            met = self.border.index - self.low  # all of whom others can know
        to_i, to_j = ends = rows.ends(owner, *rows_of_ends)
        parcels = [None if r == rank else rows.parcel(r, owner, ends) for r in range(ranks)]
        nobody = rows.only(np.zeros(0, np.intp), rows.table.only(np.zeros(0, np.intp)))
        parts = [nobody if part is None else part for part in self.communicator.alltoall(parcels)]
        alone = (to_i == rank) & ((to_j == rank) | (rows.table.j < 0))  # no other rank remembers these
        others = ((to_i == rank) | (to_j == rank)) & ~alone
        table = HistoryTable.joined([rows.table.only(others), *(part.table for part in parts)])
        table = HistoryTable.side_by_side([rows.table.only(alone), table])
        known = tuple(each[alone] for each in rows_of_ends)
        left = [each[others & (to == rank)] for each, to in zip(rows_of_ends, ends, strict=True)]  # by their partner
        met = np.unique(np.concatenate([met, *left]))
        return MigrationSet(rows, np.flatnonzero(owner == rank), BodyBatch.joined(parts), table, known, met)

    def _list_anew(self, crowd: MigrationSet) -> None:
        """List the neighbours of the bodies that are here now, and pick the candidates."""
        everybody = crowd.places()
        position, left = crowd.values("position", everybody), crowd.values("is_removed", everybody)
        wanted, reach = self._wanted(position, left[0] == 0, crowd.values("kind", everybody)[0]), self._reach()
        if self.bonds:
            wanted = self.bonds.with_partners(wanted, crowd.values("identity", everybody)[0])
        by_others = np.zeros(crowd.size, bool)
        for which in wanted:
            by_others[which] = True
        found = in_order(position, left, by_others, self.kinds.bounding_radius, reach, self.periods())
        place = np.empty(crowd.size, np.intp)
        place[found.order] = np.arange(crowd.size)
        wanted = [np.sort(place[which]) for which in wanted]
        seen = self.communicator.alltoall([crowd.rows(TO_GHOSTS, found.order[which]) for which in wanted])
        places = crowd.places(found.order)
        self._lay_out(crowd, places, found, BodyBatch.joined(seen))
        self._prepare_to_tell(wanted, [each.number.size for each in seen])
        while found.grid and not self._list_neighbours(found):
            pass
        self._note_listed(listed=found.grid is not None)
        self._give_memory(crowd, places)

    def _wanted(self, position: np.ndarray, here: np.ndarray, kind: np.ndarray) -> list[np.ndarray]:
        """Which of the bodies here are ghosts of each rank."""
        regions = self.communicator.allgather(BoundingBox.about(position if here.all() else position[:, here]))
        reach = self.kinds.bounding_radius[kind] + self.kinds.bounding_radius.max() + self._reach()
        regions[self.communicator.rank] = BoundingBox.about(position[:, :0])
        return [np.flatnonzero(here & within(region, reach, position, self.periods())) for region in regions]

    def _lay_out(self, crowd: MigrationSet, places: Places, found: Order, seen: BodyBatch) -> None:
        """Set up arrays for bodies and ghosts."""
        self.ghosts, self.low = seen.number.size, subdomain_arrays.room_for_ghosts(seen.number.size)
        with apart():
            self.bodies, self.first_number = subdomain_arrays.bodies(crowd, places, seen, self.kinds, self.used)
        self.kinds = with_poses(self.kinds, self.bodies.kind)
        self.mode = Engine.mode_for(crowd.size, self.threads)()
        with apart():
            self.neighbours, self.border_blocks = subdomain_arrays.lists(
                self.neighbours, self.bodies, self.layout, ghosts=self.low, border=found.border,
                blocks=self.threads if isinstance(self.mode, Threaded) else 1,
            )  # fmt: skip
        chunks = self.neighbours.pairs.size
        if self.bonds:
            bonds = self.bonds.lay_out(self.bodies, self.ghosts, self.low, chunks)
            self.neighbours = self.neighbours._replace(bonds=bonds)
        self.faces = subdomain_arrays.walled(self.faces, self.bodies, chunks)
        self.fluid = subdomain_arrays.wet(self.fluid, chunks)
        travel = self.partial[:, sweeps.TRAVEL].max()
        self.partial = np.zeros((chunks, sweeps.COLUMNS), np.int64)
        self.partial[0, sweeps.TRAVEL] = travel

    def _prepare_to_tell(self, wanted: list[np.ndarray], found: list[int]) -> None:
        """Ways by which motions and reports are told; how bodies of the border move now is told."""
        b, communicator = self.bodies, self.communicator
        sends_orientation = not self.kinds.all_single_spheres or bool(self.bonds)
        turned = (b.orientation,) if sends_orientation else ()
        sent = (b.position, *turned, b.velocity_predicted, b.angular_velocity_predicted, b.fields[: self.sent_rows])
        told = [values for values in sent if values.size]
        columns, index = sum(len(values) for values in told), (np.concatenate(wanted) + self.low).astype(np.int32)
        to, of = routes([each.size for each in wanted]), routes(found)
        self.channel = channel = communicator.channel(columns, to, of, self.channel)
        places = channel.places
        felt = self.faces.walls.part[0].size if has_walls(self.faces) else 0
        report = np.zeros(FELT + felt, np.int64)
        reports = np.zeros((communicator.rows_of_reports(), report.size), np.int64)
        swap = None if channel.far or self.bonds else communicator.call_to_swap(report, reports)
        self.border = HaloBuffers(
            index=index, motion=channel.motion, told=stretches(places.told), heard=stretches(places.heard),
            side=np.zeros(1, np.int64), room=places.room, columns=columns,
            sends_orientation=sends_orientation, sent_rows=self.sent_rows, report=report, reports=reports,
            total=np.zeros((1, sweeps.COLUMNS), np.int64), blocks=self.border_blocks,
            **c_functions.of_border(swap),
        )  # fmt: skip
        inner = self.neighbours.block[-1] - self.neighbours.block[self.border_blocks]
        self.hastens = channel.far >= LONG and inner >= SEVERAL
        for route, (_, first, stop) in zip(places.told, to, strict=True):
            own = np.concatenate([values[:, index[first:stop]] for values in told])
            channel.part(route, 0)[:] = own.ravel()
        channel.start(0)
        self._swap_reports()
        channel.finish()

    def _swap_reports(self) -> None:
        """Hear what all ranks report; they have also heard what was told before."""
        border = self.border
        self.communicator.swap_reports(border.report, border.reports, sweeps.COLUMNS)

    def _list_neighbours(self, found: Order) -> bool:
        """List pairs of bodies and each body's entries; if there is no room, make it and return False."""
        b, nb = self.bodies, self.neighbours
        wanted, low = np.empty(nb.pairs.size, np.int64), np.int32(self.low)
        pairs, entries = ghosts.search(
            self.mode, self.ghosts, int(nb.block[self.border_blocks]), self._reach(),
            float(self.kinds.bounding_radius.max()),
            found.grid, found.first + low, found.inner + low, b, self.kinds, nb, self.faces, wanted,
        )  # fmt: skip
        return self._had_room(pairs, entries)

    def _note_listed(self, *, listed: bool) -> None:
        """Where bodies were when they were listed, and how far back chunks reach."""
        nb = self.neighbours
        if not listed:  # there is nobody
            nb.first_chunk_reached[:] = nb.last_chunk_reached[:] = np.arange(nb.pairs.size)
        first = int(nb.block[0])
        back = np.arange(first, nb.first_chunk_reached.size) - nb.first_chunk_reached[first:]
        nb.chunk_bandwidth[0] = back.max(initial=0)
        self._note_places()
        nb = nb._replace(bonds=self.bonds.settle(nb)) if self.bonds else nb
        self.neighbours = nb._replace(**arrays.pair_force(nb, self.layout))

    def _give_memory(self, crowd: MigrationSet, places: Places) -> None:
        """Tell contacts what they remember: with walls at once, and pairs when they are picked, which is done here."""
        b, index = self.bodies, None
        if self.layout.wall_width:
            place = np.full(crowd.old.number.size + crowd.late.number.size, -1)
            place[places.source] = np.arange(self.low, b.kind.size)
            index = indexed(crowd, place, self.ghosts, self.first_number, b, self.kinds)
            self._give_walls(index)
        self._pick()
        if index and self.layout.width:
            index.give_pairs(b, self.neighbours)

    def _pick(self) -> None:
        """Pick candidates, making room for them."""
        while self._serve(subdomain_step.PICK) == loop.NO_ROOM:
            self.make_room_for_candidates()

    def _table(self, number: np.ndarray | None = None) -> HistoryTable:
        """What contacts remember, of pairs too that others have; first spheres have these numbers, or the user's."""
        number = self.first_number if number is None else number
        walls = self.faces.walls if has_walls(self.faces) else None
        width, capsules = self.layout.table_width, self.layout.capsules
        found = ContactHistory.of(
            self.bodies, self.neighbours, number, AsTheyAre(), walls, width=width, capsules=capsules
        )
        return HistoryTable.of(found)

    def _serve(
        self, order: int, task: int = sweeps.PREDICT, after: int = subdomain_step.STAY, stop: int = 0,
        view: loop.OutputState = NOWHERE, bodies: Bodies | None = None,
    ) -> int:  # fmt: skip
        """Have the kernels carry out an order."""
        return self._kernels(
            order, task, after, stop, self.scheme, self.law, self.fluid, self.mode, self.setting, bodies or self.bodies,
            self.kinds, self.neighbours, self.faces, self.progress, self.partial, self.border, view,
        )  # fmt: skip


class AsTheyAre:
    """Stands for a `dem.soft.particle_ids.Numbering`: values stay in the order of the bodies here."""

    def by_row(self, identities: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The values."""
        del identities
        return values
