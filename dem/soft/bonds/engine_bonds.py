"""Bonds as an engine has them: their arrays, the pairs that they exclude from contact, and their state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.soft.bonds import bond_arrays, bond_step, overlap_release
from dem.kernels.soft.bonds.bond_arrays import BROKEN, GONE
from dem.soft.bonds.bond_arrays import EASED, STATE, acting, as_given, give_room, give_slots, list_apart, settled, tied

if TYPE_CHECKING:
    from dem.kernels.domain.faces import BoxFaces
    from dem.kernels.soft.state import Bodies, Neighbours
    from dem.model.bonds import Bonds
    from dem.model.particles.particles import Particles


class EngineBonds:
    """Owns the arrays of bonds, which kernels find in the neighbour lists.

    Parameters
    ----------
    model : Bonds
        As the user made them, with their shape at rest.
    particles : Particles
        Between which they are.
    """

    def __init__(self, model: Bonds, particles: Particles) -> None:
        self.model = model
        self.arrays: bond_arrays.Bonds = tied(model, particles)
        eased = self.arrays.eased
        self.given = as_given(self.arrays, model.pairs)
        self.apart = np.column_stack([eased.first, eased.second]).astype(np.int64)  # identities

    @property
    def are_grounded(self) -> bool:
        """Whether any bond goes to the ground."""
        return bool(self.arrays.ground.size)

    @property
    def state(self) -> dict[str, np.ndarray]:
        """State that a run goes on from, by name."""
        tie = self.arrays
        return {name: getattr(tie, name) for name in STATE} | {f"eased_{n}": getattr(tie.eased, n) for n in EASED}

    def snapshot(self) -> dict[str, np.ndarray]:
        """Copies of the state of the bonds."""
        return settled(self.state)

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Set the bonds to a state from `snapshot`."""
        for name, values in self.state.items():
            values[:] = state[name]
        self.arrays.live[self.arrays.slot] = acting(self.arrays, self.model.pairs)

    def inherit(self, before: EngineBonds) -> None:
        """Go on with the state of the bonds of another engine, but for the largest overlap."""
        self.restore(before.state | {"pressed": self.arrays.pressed})

    def follow_order(self, bodies: Bodies) -> None:
        """Find the pairs without contact again after bodies have changed places."""
        place, eased = _places(bodies), self.arrays.eased
        eased.first[:], eased.second[:] = place[self.apart[:, 0]], place[self.apart[:, 1]]
        list_apart(eased)

    def locate_pairs(self, nb: Neighbours) -> None:
        """Find the pairs without contact in new neighbour lists."""
        eased = self.arrays.eased
        overlap_release.locate(eased.first, eased.second, nb.lower, nb.higher, nb.first, nb.count, eased.row)

    def assign_slots(self, nb: Neighbours, bodies: Bodies) -> Neighbours:
        """Put bonds in the order of the bodies in memory, with room for their forces; returns the lists with them."""
        give_slots(self.arrays, self.given, bodies.identity, _places(bodies))
        self.arrays = give_room(self.arrays, nb.block, int(nb.chunk_bandwidth[0]))
        return nb._replace(bonds=self.arrays)

    def without_excluded(self, i: np.ndarray, j: np.ndarray, bodies: Bodies) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of spheres (K,), (K,) without those that bonds exclude from contact."""
        eased, owner, many = self.arrays.eased, bodies.owner, bodies.kind.size
        apart = np.flatnonzero(eased.slack > 0)
        low, high = (f(eased.first[apart], eased.second[apart]).astype(np.int64) for f in (np.minimum, np.maximum))
        b, c = owner[i].astype(np.int64), owner[j].astype(np.int64)
        meet = ~np.isin(np.minimum(b, c) * many + np.maximum(b, c), low * many + high)
        return i[meet], j[meet]

    def loads(self, faces: BoxFaces, bodies: Bodies) -> tuple[np.ndarray, np.ndarray]:
        """Elastic energy of each bond in the present state (B,) [J], and stress over strength (B,)."""
        energy, load = np.zeros(len(self.model)), np.zeros(len(self.model))
        bond_step.list_bonds(faces, self.arrays, bodies, energy, load)
        return energy, load

    def remove_escaped(self, left: np.ndarray) -> None:
        """Remove the bonds of bodies that have left (N,)."""
        tie = self.arrays
        leaving = (left[tie.first[tie.slot]] != 0) & (tie.state < BROKEN)
        tie.state[leaving], tie.live[tie.slot[leaving]] = GONE, 0.0

    def whole_aggregates(self, going: np.ndarray) -> np.ndarray:
        """Those of the leaving bodies (N,) that leave with all bodies to which bonds hold them."""
        tie = self.arrays
        holds = np.flatnonzero(tie.state < BROKEN)
        one, other = tie.first[tie.slot[holds]], tie.second[tie.slot[holds]]
        stay = ~going
        grounded = one == other
        stay[one[grounded]] = True
        while (stay[one] != stay[other]).any():
            stay[one] |= stay[other]
            stay[other] |= stay[one]
        return ~stay


def _places(bodies: Bodies) -> np.ndarray:
    """Index of each body, by its number (N,)."""
    identity = bodies.identity
    place = np.empty(identity.size, np.int32)
    place[identity] = np.arange(identity.size, dtype=np.int32)
    return place
