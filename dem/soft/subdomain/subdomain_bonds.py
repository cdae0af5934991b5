"""Bonds of a share: those of its bodies, and what all ranks have to agree about when any break.

Each rank has a list of all bonds and their states, and slots for those that hold a body of its own; a bond between
bodies of two ranks is evaluated by both, from the same numbers, with the chunk that the ghost is in. That a bond is
stressed beyond its strength is told to all in the very step, so all break it in the next one. What is left of the
overlap of those who were bonded (``kernels.soft.bonds.overlap_release``) is followed by who owns one of both, and told
when bodies are handed on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.kernels.numerics.energy import REST
from dem.kernels.numerics.float_bits import as_float
from dem.kernels.soft.bonds import bond_arrays as kept
from dem.kernels.soft.bonds import overlap_release
from dem.kernels.soft.chunks import CHUNK
from dem.soft.bonds.bond_arrays import acting, by_chunk, give_room, incidence, list_apart, settled

if TYPE_CHECKING:
    from dem.kernels.soft.state import Bodies, Neighbours
    from dem.ranks.communicator import Communicator
    from dem.soft.engine import Engine


class Ties(NamedTuple):
    """What all shares know of B bonds of N bodies, and of X pairs of bodies that do not meet as long as bonds hold."""

    bodies: int
    form: tuple  # see `dem.kernels.soft.bonds.bond_arrays.Bonds`, here as below
    table: np.ndarray
    kind: np.ndarray  # (B,) in the order of numbers
    pairs: np.ndarray  # (B, 2) numbers of bodies, -1 for the ground
    ground: np.ndarray
    place: np.ndarray
    over_first: np.ndarray  # see `dem.kernels.soft.bonds.overlap_release.Eased`
    over: np.ndarray
    apart: np.ndarray  # (X, 2) numbers of bodies

    @classmethod
    def of(cls, engine: Engine) -> Ties:
        """Those of an engine."""
        tie = engine.bonds.arrays
        return cls(
            engine.owned, tie.form, tie.table, engine.bonds.given.kind, engine.bonds.model.pairs, tie.ground, tie.place,
            tie.eased.over_first, tie.eased.over, engine.bonds.apart,
        )  # fmt: skip


class ShareBonds:
    """Bonds as one rank knows them."""

    def __init__(self, communicator: Communicator, ties: Ties) -> None:
        self.communicator, self.ties = communicator, ties
        number, pairs = len(ties.pairs), len(ties.apart)
        self.state, self.when = np.zeros(number, np.int8), np.full(number, -1)
        self.pending, self.count = np.zeros(number, np.int64), np.zeros(3, np.int64)
        self.pressed = np.zeros(1)
        self.before = np.zeros(2 * number)
        self.slack, self.active, self.eased_count = np.zeros(pairs), np.zeros(pairs, np.int64), np.zeros(1, np.int64)
        self.agreed = self.slack.copy()
        self.mine = np.zeros(pairs, bool)  # pairs that this rank follows
        self.first_own = 0  # chunk
        self.parting = np.zeros(0, np.int64)  # bonds that break in this step
        self.tie: kept.Bonds | None = None

    def begin(self, state: dict[str, np.ndarray]) -> None:
        """Go on from what an engine's bonds have come to."""
        for name, array in self.come_to().items():
            array[:] = state[name]
        self.agreed[:] = self.slack

    def come_to(self) -> dict[str, np.ndarray]:
        """What bonds have come to, as `dem.soft.bonds.engine_bonds.EngineBonds.state` tells it."""
        return {
            "state": self.state, "when": self.when, "count": self.count, "pending": self.pending,
            "pressed": self.pressed,
            "before": self.before[: self.state.size], "eased_slack": self.slack, "eased_active": self.active,
            "eased_count": self.eased_count,
        }  # fmt: skip

    def snapshot(self) -> dict[str, np.ndarray]:
        """Copies of the state of the bonds."""
        return settled(self.come_to())

    def partners(self, identity: np.ndarray) -> np.ndarray:
        """Numbers of the bodies that bonds hold to these, which are this rank's."""
        pairs = self.ties.pairs[(self.state < kept.BROKEN) & (self.ties.pairs[:, 1] >= 0)]
        own = np.zeros(self.ties.bodies, bool)
        own[identity] = True
        one, other = own[pairs[:, 0]], own[pairs[:, 1]]
        return np.unique(np.concatenate([pairs[other & ~one, 0], pairs[one & ~other, 1]]))

    def with_partners(self, wanted: list[np.ndarray], identity: np.ndarray) -> list[np.ndarray]:
        """Which of these bodies others want to know of, those among them whom bonds hold to theirs."""
        found = self.communicator.allgather(self.partners(identity))
        both = [np.union1d(w, np.flatnonzero(np.isin(identity, p))) for w, p in zip(wanted, found, strict=True)]
        both[self.communicator.rank] = wanted[self.communicator.rank]
        return both

    def agree(self) -> None:
        """Have what others have followed of those who were bonded."""
        changed = np.flatnonzero(self.mine & (self.slack != self.agreed))
        for pair, slack in self.communicator.allgather((changed, self.slack[changed])):
            self.slack[pair] = self.agreed[pair] = slack
        self.slack[:] = self.agreed
        left = np.flatnonzero((self.slack > 0) & (self.slack < overlap_release.FAR))
        self.active[: left.size], self.eased_count[0] = left, left.size

    def lay_out(self, bodies: Bodies, ghosts: int, low: int, chunks: int) -> kept.Bonds:
        """Slots for bodies as they lie in memory now, ghosts first, those of this rank from the index `low` on."""
        ties, n = self.ties, bodies.kind.size
        place, here = np.full(ties.bodies, -1, np.int32), np.r_[:ghosts, low:n]
        place[bodies.identity[here]] = here
        one = place[ties.pairs[:, 0]]
        other = np.where(ties.pairs[:, 1] < 0, one, place[ties.pairs[:, 1]])
        bond = np.flatnonzero((self.state < kept.BROKEN) & ((one >= low) | (other >= low)))
        number = bond[np.argsort(np.minimum(one, other)[bond], kind="stable")]
        slot = np.full(self.state.size, -1, np.int32)
        slot[number] = np.arange(number.size)
        first, second = one[number], other[number]
        chunk_first, highest = by_chunk(first, second, chunks)
        grounded = np.flatnonzero(slot[ties.ground] >= 0)
        grounded = grounded[np.argsort(slot[ties.ground[grounded]], kind="stable")]
        incident_first, incident = self._incidence(bond, one, other, slot, n)
        self.first_own, self.mine = low // CHUNK, (place[ties.apart] >= low).any(axis=1)
        self.tie = kept.Bonds(
            form=ties.form, table=ties.table, slot=slot, number=number.astype(np.int32), kind=ties.kind[number],
            first=first, second=second, live=acting(self, ties.pairs)[number].astype(float), chunk_first=chunk_first,
            highest=highest, ground=ties.ground, grounded=grounded,
            ground_first=np.searchsorted(slot[ties.ground[grounded]], chunk_first), place=ties.place,
            state=self.state, when=self.when, load=np.zeros(number.size), pending=self.pending, before=self.before,
            count=self.count, pressed=self.pressed, pull=np.zeros((9, number.size)), pull_at=np.zeros(chunks, np.int64),
            incident_first=incident_first, incident=incident, partial=np.zeros((chunks, kept.COLUMNS), np.int64),
            sums=np.zeros(3), eased=self._eased(place, n),
        )  # fmt: skip
        return self.tie

    def _incidence(
        self, bond: np.ndarray, one: np.ndarray, other: np.ndarray, slot: np.ndarray, n: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Where the bonds of each body are in a list (n + 1,), and that list.

        See of `kernels.soft.bonds.bond_arrays.Bonds`.
        """
        ends = np.column_stack([one[bond], np.where(self.ties.pairs[bond, 1] < 0, -1, other[bond])])
        first, entry = incidence(ends, n)
        return first.astype(np.int32), (2 * slot[bond[entry // 2]] + entry % 2).astype(np.int32)

    def _eased(self, place: np.ndarray, n: int) -> overlap_release.Eased:
        """Pairs that do not meet; -1 for bodies of a pair of whom one is not here."""
        pair = place[self.ties.apart]
        pair[(pair < 0).any(axis=1)] = -1
        first, second = np.ascontiguousarray(pair.T)
        eased = overlap_release.Eased(
            first=first, second=second, row=np.full(first.size, -1), slack=self.slack,
            over_first=self.ties.over_first, over=self.ties.over, active=self.active, count=self.eased_count,
            apart_first=np.zeros(n + 1, np.int64), apart=np.zeros(2 * np.count_nonzero(first >= 0), np.int32),
        )  # fmt: skip
        list_apart(eased)
        return eased

    def settle(self, nb: Neighbours) -> kept.Bonds:
        """Find pairs that do not meet in new lists, and give room to what bonds do."""
        eased = self.tie.eased
        here = np.flatnonzero(eased.first >= 0)
        row = np.full(here.size, -1)
        overlap_release.locate(eased.first[here], eased.second[here], nb.lower, nb.higher, nb.first, nb.count, row)
        eased.row[here] = row
        self.tie = give_room(self.tie, nb.block, int(nb.chunk_bandwidth[0]))
        return self.tie

    def begin_step(self) -> None:
        """Note which bonds break in the sweep that comes."""
        pending = self.pending[: self.count[0]]
        self.parting = np.where(self.state[pending] == kept.BREAKING, pending, -1)

    def end_step(self, per_joule: float) -> None:
        """Add up what the bonds of all ranks hold and have lost, and tell each other which are to break."""
        tie, own = self.tie, self.first_own
        sums = tie.partial[:own].sum(axis=0) + 2 * tie.partial[own:].sum(axis=0)
        most = tie.partial[:, [kept.LOAD, kept.PRESSED]].max(axis=0, initial=0)
        self.communicator.allreduce(sums, most)
        sums //= 2
        self.pressed[0] = max(self.pressed[0], float(as_float(most[1])))
        tie.sums[0], tie.sums[1] = sums[kept.ELASTIC], sums[kept.LOSS] + sums[kept.LOSS + 1] / REST
        if self.parting.size:
            tie.sums[2] = self._lost() * per_joule
        if float(as_float(most[0])) > 1.0:
            self._tell_who_breaks()

    def _lost(self) -> float:
        """Energy that bonds had which broke in this step [J], added up in the order of their numbers."""
        known = np.flatnonzero((self.parting >= 0) & (self.tie.slot[self.parting] >= 0))
        every = {}
        for numbers, energies in self.communicator.allgather(
            (self.parting[known], self.before[self.state.size + known])
        ):
            every |= dict(zip(numbers.tolist(), energies.tolist(), strict=True))
        self.parting, lost = np.zeros(0, np.int64), 0.0
        for number in sorted(every):
            lost += every[number]
        return lost

    def _tell_who_breaks(self) -> None:
        found = np.flatnonzero(self.state == kept.BREAKING)
        told = self.communicator.allgather((found, self.before[found]))
        number, at = np.unique(np.concatenate([each[0] for each in told]), return_index=True)
        self.state[number] = kept.BREAKING
        self.pending[: number.size], self.count[0] = number, number.size
        self.before[: number.size] = np.concatenate([each[1] for each in told])[at]
