"""Bonds of a subdomain: those of its bodies, and the agreement of all ranks on broken ones.

Each rank has a list of all bonds and their states, and slots for the bonds of its own bodies. A bond between bodies of
two ranks is evaluated by both ranks, from the same numbers, with the chunk that contains the ghost. If a bond is
stressed beyond its strength, all ranks learn this in the same step and break the bond in the next one. After a bond has
broken, the overlap of its bodies (`dem.kernels.soft.bonds.overlap_release`) is followed by the ranks that own one of
them, and exchanged when bodies migrate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.kernels.numerics.energy import SUBUNITS_PER_UNIT
from dem.kernels.numerics.float_bits import as_float
from dem.kernels.soft.bonds import bond_arrays as rows
from dem.kernels.soft.bonds import overlap_release
from dem.kernels.soft.chunks import CHUNK
from dem.soft.bonds.engine_bonds import acting, by_chunk, incidence, list_bonded_exclusions, reserve_room, settled

if TYPE_CHECKING:
    from dem.kernels.soft.state import Bodies, Neighbours
    from dem.ranks.communicator import Communicator
    from dem.soft.engine import Engine


class BondTable(NamedTuple):
    """All B bonds of N bodies, and X pairs of bodies without contact as long as their bonds hold."""

    bodies: int
    form: tuple  # see `dem.kernels.soft.bonds.bond_arrays.Bonds`, here as below
    table: np.ndarray
    kind: np.ndarray  # (B,) in the order of numbers
    pairs: np.ndarray  # (B, 2) numbers of bodies, -1 for the ground
    ground: np.ndarray
    ground_pose: np.ndarray
    over_first: np.ndarray  # see `dem.kernels.soft.bonds.overlap_release.ExcludedPairs`
    over: np.ndarray
    apart: np.ndarray  # (X, 2) numbers of bodies

    @classmethod
    def of(cls, engine: Engine) -> BondTable:
        """Table of the bonds of an engine."""
        arrays = engine.bonds.arrays
        return cls(
            engine.owned, arrays.form, arrays.table, engine.bonds.by_body.kind, engine.bonds.model.pairs, arrays.ground,
            arrays.ground_pose, arrays.excluded.over_first, arrays.excluded.over, engine.bonds.apart,
        )  # fmt: skip


class SubdomainBonds:
    """Bonds of one rank."""

    def __init__(self, communicator: Communicator, bonds: BondTable) -> None:
        self.communicator, self.table = communicator, bonds
        number, pairs = len(bonds.pairs), len(bonds.apart)
        self.state, self.when = np.zeros(number, np.int8), np.full(number, -1)
        self.pending, self.count = np.zeros(number, np.int64), np.zeros(3, np.int64)
        self.pressed = np.zeros(1)
        self.before = np.zeros(2 * number)
        self.slack, self.active, self.eased_count = np.zeros(pairs), np.zeros(pairs, np.int64), np.zeros(1, np.int64)
        self.agreed = self.slack.copy()
        self.followed = np.zeros(pairs, bool)  # pairs that this rank follows
        self.first_own = 0  # chunk
        self.parting = np.zeros(0, np.int64)  # bonds that break in this step
        self.arrays: rows.Bonds | None = None

    def begin(self, state: dict[str, np.ndarray]) -> None:
        """Continue from the state of an engine's bonds."""
        for name, array in self.state_arrays().items():
            array[:] = state[name]
        self.agreed[:] = self.slack

    def state_arrays(self) -> dict[str, np.ndarray]:
        """State of the bonds by name, as `dem.soft.bonds.engine_bonds.EngineBonds.state` has it."""
        return {
            "state": self.state, "when": self.when, "count": self.count, "pending": self.pending,
            "pressed": self.pressed,
            "before": self.before[: self.state.size], "eased_slack": self.slack, "eased_active": self.active,
            "eased_count": self.eased_count,
        }  # fmt: skip

    def snapshot(self) -> dict[str, np.ndarray]:
        """Copies of the state of the bonds."""
        return settled(self.state_arrays())

    def partners(self, identity: np.ndarray) -> np.ndarray:
        """Numbers of the bodies that bonds hold to these, which are this rank's."""
        pairs = self.table.pairs[(self.state < rows.BROKEN) & (self.table.pairs[:, 1] >= 0)]
        own = np.zeros(self.table.bodies, bool)
        own[identity] = True
        one, other = own[pairs[:, 0]], own[pairs[:, 1]]
        return np.unique(np.concatenate([pairs[other & ~one, 0], pairs[one & ~other, 1]]))

    def with_partners(self, wanted: list[np.ndarray], identity: np.ndarray) -> list[np.ndarray]:
        """Which of these bodies others want to know of, those among them whom bonds hold to theirs."""
        found = self.communicator.allgather(self.partners(identity))
        both = [np.union1d(w, np.flatnonzero(np.isin(identity, p))) for w, p in zip(wanted, found, strict=True)]
        both[self.communicator.rank] = wanted[self.communicator.rank]
        return both

    def agree_on_slack(self) -> None:
        """Take over the overlaps after breakage that other ranks have followed."""
        changed = np.flatnonzero(self.followed & (self.slack != self.agreed))
        for pair, slack in self.communicator.allgather((changed, self.slack[changed])):
            self.slack[pair] = self.agreed[pair] = slack
        self.slack[:] = self.agreed
        left = np.flatnonzero((self.slack > 0) & (self.slack < overlap_release.FAR))
        self.active[: left.size], self.eased_count[0] = left, left.size

    def lay_out(self, bodies: Bodies, ghosts: int, low: int, chunks: int) -> rows.Bonds:
        """Slots for bodies as they lie in memory now, ghosts first, those of this rank from the index `low` on."""
        bonds, n = self.table, bodies.kind.size
        row_of, here = np.full(bonds.bodies, -1, np.int32), np.r_[:ghosts, low:n]
        row_of[bodies.identity[here]] = here
        one = row_of[bonds.pairs[:, 0]]
        other = np.where(bonds.pairs[:, 1] < 0, one, row_of[bonds.pairs[:, 1]])
        bond = np.flatnonzero((self.state < rows.BROKEN) & ((one >= low) | (other >= low)))
        number = bond[np.argsort(np.minimum(one, other)[bond], kind="stable")]
        slot = np.full(self.state.size, -1, np.int32)
        slot[number] = np.arange(number.size)
        first, second = one[number], other[number]
        chunk_first, highest = by_chunk(first, second, chunks)
        grounded = np.flatnonzero(slot[bonds.ground] >= 0)
        grounded = grounded[np.argsort(slot[bonds.ground[grounded]], kind="stable")]
        ends = np.column_stack([one[bond], np.where(bonds.pairs[bond, 1] < 0, -1, other[bond])])
        incident_first, entry = incidence(ends, n)
        incident = (2 * slot[bond[entry // 2]] + entry % 2).astype(np.int32)
        apart = row_of[bonds.apart]
        apart[(apart < 0).any(axis=1)] = -1  # unless both bodies are here
        apart_first, apart_second = np.ascontiguousarray(apart.T)
        excluded = overlap_release.ExcludedPairs(
            first=apart_first, second=apart_second, row=np.full(apart_first.size, -1), slack=self.slack,
            over_first=bonds.over_first, over=bonds.over, active=self.active, count=self.eased_count,
            apart_first=np.zeros(n + 1, np.int64), apart=np.zeros(2 * np.count_nonzero(apart_first >= 0), np.int32),
        )  # fmt: skip
        list_bonded_exclusions(excluded)
        self.first_own, self.followed = low // CHUNK, (row_of[bonds.apart] >= low).any(axis=1)
        self.arrays = rows.Bonds(
            form=bonds.form, table=bonds.table, slot=slot, bond=number.astype(np.int32), kind=bonds.kind[number],
            first=first, second=second, live=acting(self, bonds.pairs)[number].astype(float), chunk_first=chunk_first,
            highest=highest, ground=bonds.ground, grounded=grounded,
            ground_first=np.searchsorted(slot[bonds.ground[grounded]], chunk_first), ground_pose=bonds.ground_pose,
            state=self.state, when=self.when, load=np.zeros(number.size), pending=self.pending, before=self.before,
            count=self.count, pressed=self.pressed, forces=np.zeros((rows.rows_of_forces(bonds.form), number.size)),
            first_force=np.zeros(chunks, np.int64),
            incident_first=incident_first.astype(np.int32), incident=incident,
            chunk_sums=np.zeros((chunks, rows.COLUMNS), np.int64), sums=np.zeros(3), excluded=excluded,
        )  # fmt: skip
        return self.arrays

    def prepare_lists(self, nb: Neighbours) -> rows.Bonds:
        """Locate pairs without contact in new neighbour lists, and reserve room for the forces of bonds."""
        excluded = self.arrays.excluded
        here = np.flatnonzero(excluded.first >= 0)
        row = np.full(here.size, -1)
        overlap_release.find_pair_rows(
            excluded.first[here], excluded.second[here], nb.lower, nb.higher, nb.first, nb.count, row
        )
        excluded.row[here] = row
        self.arrays = reserve_room(self.arrays, nb.block, int(nb.chunk_bandwidth[0]))
        return self.arrays

    def begin_step(self) -> None:
        """Record the bonds that break in the next pass."""
        pending = self.pending[: self.count[0]]
        self.parting = np.where(self.state[pending] == rows.BREAKING, pending, -1)

    def end_step(self, per_joule: float) -> None:
        """Sum the energies of the bonds of all ranks, and agree on the bonds that are to break."""
        arrays, own = self.arrays, self.first_own
        sums = arrays.chunk_sums[:own].sum(axis=0) + 2 * arrays.chunk_sums[own:].sum(axis=0)
        most = arrays.chunk_sums[:, [rows.LOAD, rows.PRESSED]].max(axis=0, initial=0)
        self.communicator.allreduce(sums, most)
        sums //= 2  # each bond was counted twice
        load, pressed = (float(as_float(each)) for each in most)
        self.pressed[0] = max(self.pressed[0], pressed)
        arrays.sums[0], arrays.sums[1] = sums[rows.ELASTIC], sums[rows.LOSS] + sums[rows.LOSS + 1] / SUBUNITS_PER_UNIT
        if self.parting.size:
            arrays.sums[2] = self._sum_lost_energies() * per_joule
        if load > 1.0:
            self._agree_on_breaking()

    def _sum_lost_energies(self) -> float:
        """Energy of the bonds that broke in this step [J], added up in the order of their numbers."""
        known = np.flatnonzero((self.parting >= 0) & (self.arrays.slot[self.parting] >= 0))
        mine = self.parting[known], self.before[self.state.size + known]
        energy_of = {}
        for numbers, energies in self.communicator.allgather(mine):
            energy_of |= dict(zip(numbers.tolist(), energies.tolist(), strict=True))
        self.parting = np.zeros(0, np.int64)
        lost = 0.0
        for number in sorted(energy_of):
            lost += energy_of[number]
        return lost

    def _agree_on_breaking(self) -> None:
        """Take over from all ranks which bonds are to break in the next step."""
        breaking = np.flatnonzero(self.state == rows.BREAKING)
        found = self.communicator.allgather((breaking, self.before[breaking]))
        number, at = np.unique(np.concatenate([each[0] for each in found]), return_index=True)
        self.state[number] = rows.BREAKING
        self.pending[: number.size], self.count[0] = number, number.size
        self.before[: number.size] = np.concatenate([each[1] for each in found])[at]
