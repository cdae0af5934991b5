"""Neighbour lists as an engine or a subdomain has them: how far they reach, and the room that they have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.numerics.float_bits import as_float
from dem.kernels.soft.integration import sweeps
from dem.soft import arrays
from dem.soft.time_step.adhesion import lasts

if TYPE_CHECKING:
    from dem.kernels.soft.state import Bodies, Kinds, Neighbours
    from dem.soft.arrays import Layout
    from dem.soft.neighbours.skin_distances import Skins


class EngineLists:
    """Owns the arrays of neighbours, candidates and contacts, see `dem.kernels.soft.state.Neighbours`.

    Parameters
    ----------
    listed : Neighbours or None
        Arrays; a subdomain has none before its first list.
    layout : Layout
        What contacts keep.
    skins : Skins
        Widths of the skins of both lists [m].
    contact_range : float
        How far beyond touching contacts may live [m].
    law : tuple
        The contact law.
    """

    def __init__(
        self, listed: Neighbours | None, layout: Layout, skins: Skins, contact_range: float, law: tuple
    ) -> None:
        self.arrays, self.layout, self.skins, self.range = listed, layout, skins, contact_range
        self._outlives_touch = lasts(law)

    def reach(self, chunk_sums: np.ndarray) -> float:
        """How much farther than touching bodies are listed [m], by the speeds in the sums of the last sweep.

        See `kernels.soft.integration.sweeps.reach_of`.
        """
        if not self._outlives_touch:
            return self.skins.neighbours + self.range
        return self.skins.neighbours + self.range + 2 * float(as_float(chunk_sums[:, sweeps.DISPLACEMENT].max()))

    def had_room(self, pairs: int, entries: int, bodies: int) -> bool:
        """Whether there was room for so many pairs a chunk and entries of all bodies; if there was none, make it."""
        nb = self.arrays
        chunks = nb.pairs.size
        if pairs > (nb.lower.size - 1) // chunks:
            self.arrays = nb._replace(**arrays.pair_arrays(chunks * arrays.room(pairs)))
            return False
        if entries > nb.body_entries.size:
            self.arrays = nb._replace(**arrays.entry_arrays(arrays.room(entries), bodies, self.layout))
            return False
        return True

    def note_places(self, bodies: Bodies, kinds: Kinds) -> None:
        """Note where bodies were when they were listed; no history of contacts is saved then."""
        nb = self.arrays
        nb.listed_position[:] = bodies.position
        if not kinds.all_single_spheres:
            nb.listed_orientation[:] = bodies.orientation
        nb.saved_count[:] = 0

    def fit_pair_force(self) -> None:
        """Make the scratch arrays of contact forces for the present lists."""
        self.arrays = self.arrays._replace(**arrays.pair_force(self.arrays, self.layout))

    def make_room_for_candidates(self) -> None:
        """Enlarge the candidate arrays to what was wanted."""
        nb = self.arrays
        larger = arrays.candidate_arrays(nb.pairs.size, arrays.room(nb.pairs.max()), self.layout)
        arrays.keep_contents(nb, larger)
        self.arrays = nb._replace(**larger)
        self.fit_pair_force()

    def candidates(self) -> tuple[np.ndarray, np.ndarray]:
        """Spheres of the present candidate pairs (K,), (K,)."""
        nb = self.arrays
        room = nb.sphere_i.size // nb.pairs.size
        used = np.arange(nb.sphere_i.size) % max(room, 1) < np.repeat(nb.pairs, room)
        return nb.sphere_i[used], nb.sphere_j[used]
