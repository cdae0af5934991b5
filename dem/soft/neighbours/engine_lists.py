"""What an engine and a share of one have in common about lists: how far they reach, and the room that they have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dem.kernels.numerics.float_bits import as_float
from dem.kernels.soft.integration import sweeps
from dem.kernels.soft.wall_contact.wall_arrays import has_walls
from dem.soft import arrays
from dem.soft.time_step.adhesion import lasts
from dem.soft.walls.engine_walls import EngineWalls

if TYPE_CHECKING:
    import numpy as np

    from dem.soft.contact.contact_history import Index


class EngineLists(EngineWalls):
    """Bodies with lists of who may touch whom; who inherits from it makes them."""

    law: tuple
    partial: np.ndarray

    def _reach(self) -> float:
        """How much farther than where they meet bodies are listed [m].

        See `kernels.soft.integration.sweeps.reach_of`.
        """
        if not lasts(self.law):
            return self.skins.neighbours + self.range
        return self.skins.neighbours + self.range + 2 * float(as_float(self.partial[:, sweeps.TRAVEL].max()))

    def _had_room(self, pairs: int, entries: int) -> bool:
        """Whether there was room for so many pairs a chunk and entries of all; if there was none, make it."""
        nb = self.neighbours
        chunks = nb.pairs.size
        if pairs > (nb.lower.size - 1) // chunks:
            self.neighbours = nb._replace(**arrays.pair_arrays(chunks * arrays.room(pairs)))
            return False
        if entries > nb.body_entries.size:
            self.neighbours = nb._replace(
                **arrays.entry_arrays(arrays.room(entries), self.bodies.kind.size, self.layout)
            )
            return False
        return True

    def _note_places(self) -> None:
        """Note where bodies were when they were listed; no contact is set aside then, the table has them all."""
        b, nb = self.bodies, self.neighbours
        nb.listed_position[:] = b.position
        if not self.kinds.all_single_spheres:
            nb.listed_orientation[:] = b.orientation
        nb.saved_count[:] = 0

    def _give_walls(self, table: Index) -> None:
        """Tell contacts with walls what they remember."""
        table.give_walls(self.bodies, self.neighbours)
        if has_walls(self.faces):
            self._make_slots_for(table.give_slots(self.bodies, self.faces.walls))
            table.give_slots(self.bodies, self.faces.walls)

    def make_room_for_candidates(self) -> None:
        """Enlarge the candidate arrays to what was wanted."""
        nb = self.neighbours
        larger = arrays.candidate_arrays(nb.pairs.size, arrays.room(nb.pairs.max()), self.layout)
        arrays.keep_contents(nb, larger)
        nb = nb._replace(**larger)
        self.neighbours = nb._replace(**arrays.pair_force(nb, self.layout))
