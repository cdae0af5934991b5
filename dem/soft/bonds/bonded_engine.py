"""An engine whose bodies are held together by bonds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.soft.bonds import bond_arrays, bond_step, overlap_release
from dem.kernels.soft.bonds.bond_arrays import BROKEN, GONE
from dem.soft.bonds.bond_arrays import EASED, STATE, acting, as_given, give_room, give_slots, list_apart, settled, tied
from dem.soft.engine import Engine
from dem.soft.escape import Exits

if TYPE_CHECKING:
    from collections.abc import Callable

    from dem.kernels.soft.state import Bodies
    from dem.model.bonds.bonds import Bonds
    from dem.model.domain.box import Box
    from dem.model.particles.particles import Particles
    from dem.soft.contact.contact_history import ContactHistory
    from dem.soft.snapshot import Snapshot


class HeldExits(Exits):
    """As `Exits`: nobody is let go without those whom bonds hold to him."""

    def __init__(
        self, box: Box | None, gravity: tuple[float, float, float], together: Callable[[np.ndarray], np.ndarray], *,
        alone: bool,
    ) -> None:  # fmt: skip
        super().__init__(box, gravity, alone=alone)
        self.together = together

    def going(self, b: Bodies, step: int, dt: float, fastest: float) -> np.ndarray:
        """Who is to be let go (N,)."""
        return self.together(super().going(b, step, dt, fastest))


class BondedEngine(Engine):
    """As `Engine`, with bonds."""

    held = True

    def __init__(self, particles: Particles, *settings: object, bonds: Bonds, **more: object) -> None:
        super().__init__(particles, *settings, **more)
        self.bonds = bonds
        self.neighbours = self.neighbours._replace(bonds=tied(bonds, particles))
        box, gravity = settings[:2]
        self.exits = HeldExits(box, gravity, self._together, alone=not self.walls)
        eased = self.tie.eased
        self.given = as_given(self.tie, bonds.pairs)
        self.apart = np.column_stack([eased.first, eased.second]).astype(np.int64)  # identities

    @property
    def grounded(self) -> bool:
        """Whether any bond goes to the ground."""
        return bool(self.tie.ground.size)

    @property
    def tie(self) -> bond_arrays.Bonds:
        """Bonds as kernels know them."""
        return self.neighbours.bonds

    @property
    def bond_state(self) -> dict[str, np.ndarray]:
        """What a run has come to, by name."""
        tie = self.tie
        return {name: getattr(tie, name) for name in STATE} | {f"eased_{n}": getattr(tie.eased, n) for n in EASED}

    def snapshot(self) -> Snapshot:
        """Copies of all that decides how the run goes on."""
        return super().snapshot()._replace(bonds=settled(self.bond_state))

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot."""
        self._take(snapshot.bonds)
        super().restore(snapshot)

    def _take(self, given: dict[str, np.ndarray]) -> None:
        """Go on with what bonds have come to."""
        for name, values in self.bond_state.items():
            values[:] = given[name]
        self.tie.live[self.tie.slot] = acting(self.tie, self.bonds.pairs)

    def keep_extremes(self, before: Engine) -> None:
        """Go on with what another engine has seen, the overlaps of bodies without contact among it."""
        super().keep_extremes(before)
        self.tie.pressed[:] = before.tie.pressed

    def follow(self, before: Engine | None) -> None:
        """Go on with what has become of the bonds of another engine, too."""
        super().follow(before)
        if before:
            self._take(before.bond_state | {"pressed": self.tie.pressed})

    def start(self, step: int = 0, history: ContactHistory | None = None, finest: float = math.inf) -> None:
        """Evaluate the forces and set the integrator going."""
        self.tie.count[1] = step
        super().start(step, history, finest)

    def _reorder(self) -> None:
        super()._reorder()
        place, eased = self._places(), self.tie.eased
        eased.first[:], eased.second[:] = place[self.apart[:, 0]], place[self.apart[:, 1]]
        list_apart(eased)

    def _places(self) -> np.ndarray:
        """Index of each body, by its number (N,)."""
        identity = self.bodies.identity
        place = np.empty(identity.size, np.int32)
        place[identity] = np.arange(identity.size, dtype=np.int32)
        return place

    def _list_neighbours(self, grid: tuple) -> bool:
        done = super()._list_neighbours(grid)
        if done:
            nb, eased = self.neighbours, self.tie.eased
            overlap_release.locate(eased.first, eased.second, nb.lower, nb.higher, nb.first, nb.count, eased.row)
        return done

    def _pick_anew(self) -> None:
        nb = self.neighbours
        give_slots(self.tie, self.given, self.bodies.identity, self._places())
        self.neighbours = nb._replace(bonds=give_room(nb.bonds, nb.block, int(nb.chunk_bandwidth[0])))
        super()._pick_anew()

    def candidates(self) -> tuple[np.ndarray, np.ndarray]:
        """Spheres of the present candidate pairs, but for those that do not meet, or not yet as others do."""
        i, j = super().candidates()
        eased, owner, many = self.tie.eased, self.bodies.owner, self.bodies.kind.size
        apart = np.flatnonzero(eased.slack > 0)
        low, high = (f(eased.first[apart], eased.second[apart]).astype(np.int64) for f in (np.minimum, np.maximum))
        b, c = owner[i].astype(np.int64), owner[j].astype(np.int64)
        meet = ~np.isin(np.minimum(b, c) * many + np.maximum(b, c), low * many + high)
        return i[meet], j[meet]

    def bond_energies(self) -> np.ndarray:
        """Elastic energy of each bond in the present state (B,) [J]."""
        return self.bond_loads()[0]

    def bond_loads(self) -> tuple[np.ndarray, np.ndarray]:
        """Elastic energy of each bond in the present state (B,) [J], and stress over strength."""
        energy, load = np.zeros(len(self.bonds)), np.zeros(len(self.bonds))
        bond_step.list_bonds(self.faces, self.tie, self.bodies, energy, load)
        return energy, load

    def present_energies(self) -> float:
        """Sum of all energies that there are, those of bonds among them [J]."""
        return super().present_energies() + float(np.sort(self.bond_energies()).sum())

    def let_go(self, fastest: float = math.inf) -> bool:
        """Let those go who have left, and their bonds; returns whether there were any."""
        gone = super().let_go(fastest)
        if gone:
            tie = self.tie
            leaving = (self.bodies.is_removed[0, tie.first[tie.slot]] != 0) & (tie.state < BROKEN)
            tie.state[leaving], tie.live[tie.slot[leaving]] = GONE, 0.0
        return gone

    def _together(self, going: np.ndarray) -> np.ndarray:
        """Those among the bodies (N,) that go with all whom bonds hold to them."""
        tie = self.tie
        holds = np.flatnonzero(tie.state < BROKEN)
        one, other = tie.first[tie.slot[holds]], tie.second[tie.slot[holds]]
        stay = ~going
        grounded = one == other
        stay[one[grounded]] = True
        while (stay[one] != stay[other]).any():
            stay[one] |= stay[other]
            stay[other] |= stay[one]
        return ~stay
