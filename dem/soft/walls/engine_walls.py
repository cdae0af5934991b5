"""An engine's walls: where they are, and what spheres remember of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.soft.wall_contact.wall_arrays import has_walls, move
from dem.soft.engine_view import EngineView
from dem.soft.walls.moving_walls import load_walls
from dem.soft.walls.wall_arrays import lists, more_slots, units_of, walled, walls_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.materials import Material
    from dem.model.walls.wall import Wall
    from dem.soft.neighbours.skin_distances import Skins


class EngineWalls(EngineView):
    """Moves the walls of an engine, and makes room for what contacts with them remember."""

    walls: Sequence[Wall] = ()
    walls_present = np.zeros(0, bool)  # whether each wall was there when they were put where they are last (W,)
    acting: np.ndarray | bool = True  # whether each wall acts, while it is there, on bodies of each variant (W, G)
    skins: Skins
    range: float
    dt: float
    gravity: tuple[float, float, float]
    walls_before: np.ndarray | slice = slice(None)  # those of the engine before that are walls of this one (W,)

    def _build_walls(self, materials: list[Material], chunks: int, width: int) -> None:
        """Give the box its walls beside the faces, if there are any; contacts remember so many numbers."""
        if self.walls:
            reach = self.range + self.limits.farthest if self.range > 0 else 0.0
            self.faces = walled(
                self.faces, self.walls, materials, self.bodies, self.kinds, chunks=chunks, width=width,
                reach=reach, skin=self.skins.neighbours, widest_step=0.25 * self.skins.candidates / self.dt,
                dt=self.dt,
            )  # fmt: skip
            self._load_walls()

    def keep_walls(self, before: dict[str, np.ndarray]) -> None:
        """Go on from where servos and forces have moved walls in another engine."""
        for name in {"driven", "free"} & before.keys() & self.wall_state.keys():
            rows = self.wall_state[name]
            rows[:] = before[name][: len(rows), self.walls_before]

    def keep_worn(self, before: EngineWalls) -> None:
        """Go on with what another engine has worn off walls; once this one has its unit of energy."""
        if self.wall_state:
            pieces = [wall.pieces if wall.wear > 0 else 0 for wall in before.walls]
            of_wall = np.repeat(np.arange(len(pieces)), pieces)
            kept = np.isin(of_wall, np.arange(len(pieces))[self.walls_before])
            units = self.energy_unit / before.energy_unit
            self.wall_state["worn"][:] += np.rint(before.wall_state["worn"][:, kept] * units).astype(np.int64)

    def _load_walls(self) -> None:
        """Give walls that are bodies their weights."""
        if has_walls(self.faces):
            load_walls(self.walls, self.gravity, self.faces.walls.free)

    def move_walls(self, time: float) -> None:
        """Put the walls where they are at a time [s], those that are there then."""
        if self.faces.moving or has_walls(self.faces):
            move(self.faces, time)
        if self.walls:
            self.walls_present = walls_at(self.walls, time)
            self.faces.walls.acts[:] = self.acting & self.walls_present[:, None]

    def _look_at_walls_anew(self) -> None:
        """See to it that all bodies are looked at when candidates are picked next, and that there is room for more."""
        if has_walls(self.faces):
            walls = self.faces.walls
            walls.skip_distance[:] = 0.0
            walls.displacement_since_list[:] = 0.0
            if walls.wanted.max() > walls.listed.shape[1]:
                new = lists(2 * int(walls.wanted.max()), len(walls.wanted))
                self.faces = self.faces._replace(walls=walls._replace(**new))

    def _choose_units(self) -> None:
        """Units in which what walls feel is summed."""
        if has_walls(self.faces):
            self.faces.walls.unit[:] = units_of(self.energy_unit, self.kinds, self.dt)

    def _make_slots_for(self, contacts: int) -> None:
        """See to it that spheres may remember twice so many contacts with walls at least."""
        if has_walls(self.faces) and self.faces.walls.old_history.shape[2]:
            walls = self.faces.walls
            if walls.old_key.shape[1] < 2 * contacts:
                self.faces = self.faces._replace(walls=more_slots(walls, 4 * contacts))
