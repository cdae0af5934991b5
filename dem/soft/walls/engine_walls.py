"""Walls of an engine or a subdomain: faces of the box, other walls, and the history of contacts with them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.domain.deforming_cell import BOND_BITS, CONTACT_BITS, deforms
from dem.kernels.soft.wall_contact.wall_arrays import SERVO_FORCE, SERVO_KIND, has_walls, move
from dem.model.domain.box_walls import cell_of
from dem.soft import deforming_cell
from dem.soft.neighbour_lists import SERVO_STEP
from dem.soft.walls.wall_arrays import (
    STATE,
    VELOCITY,
    add_walls,
    are_present,
    change_times,
    fastest_of,
    forces_at,
    resized_walls,
    set_free_wall_loads,
    triangle_lists,
    units_of,
    wall_names,
    with_more_slots,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.base.periodic import PeriodicCell
    from dem.kernels.domain.faces import BoxFaces
    from dem.kernels.soft.state import Bodies, Kinds, Neighbours
    from dem.model.domain.box import Box
    from dem.model.materials import Material
    from dem.model.walls.wall import Wall
    from dem.soft.contact.contact_history import Index
    from dem.soft.neighbour_lists import Skins

BEYOND_CANDIDATES = 0.5  # diameters of the smallest sphere that triangles are listed farther than candidates, at most


class EngineWalls:
    """Owns the arrays of walls: moves walls, sums in units that fit, and makes room for contacts with them.

    Parameters
    ----------
    faces : BoxFaces
        Faces of the box, or of the periodic cell, as kernels know them; their field ``walls`` has the walls beside it.
    models : sequence of Wall
        The walls beside the box, as the user gave them; a subdomain has none, as rank 0 tells it what they are.
    box : Box, optional
        Whose faces may move.
    """

    def __init__(self, faces: BoxFaces, models: Sequence[Wall] = (), box: Box | None = None) -> None:
        self.faces, self.models, self.names = faces, models, wall_names(models)
        self.fastest = fastest_of(box, models)  # speed [m/s]
        self.present = np.zeros(0, bool)  # whether each wall was there when they were put where they are last (W,)
        self.acting: np.ndarray | bool = True  # whether each acts, while present, on bodies of each variant (W, G)
        self.places_before: np.ndarray | slice = slice(None)  # of these walls among those of the engine before (W,)

    @property
    def beside_box(self) -> bool:
        """Whether there are walls beside the box."""
        return has_walls(self.faces)

    def build(
        self, materials: list[Material], bodies: Bodies, kinds: Kinds, gravity: tuple[float, float, float],
        skins: Skins, *, chunks: int, width: int, reach: float, gap_range: float, dt: float,
    ) -> None:  # fmt: skip
        """Make the arrays of the walls beside the box.

        width: numbers in the history of a contact. gap_range: largest gap that conducts heat [m].
        """
        if self.models:
            smallest = 2 * kinds.radius.min()
            skin = min(skins.neighbours, skins.candidates + BEYOND_CANDIDATES * smallest) + gap_range
            self.faces = add_walls(
                self.faces, self.models, materials, bodies, kinds, chunks=chunks, width=width, reach=reach,
                skin=skin, widest_step=SERVO_STEP * smallest / dt, dt=dt,
            )  # fmt: skip
            self.set_loads(gravity)
        if deforms(self.faces):
            reach = max(reach, gap_range)
            self.faces = deforming_cell.prepare(self.faces, bodies, kinds, skins, reach, chunks=chunks, dt=dt)

    @property
    def state(self) -> dict[str, np.ndarray]:
        """State of the walls beside the box, or of a deforming cell, from which a run continues, by name."""
        if deforms(self.faces):
            return deforming_cell.state(self.faces)
        if not self.beside_box:
            return {}
        walls = self.faces.walls
        found = {name: getattr(walls, field) for name, field in STATE.items()}
        if walls.servo[SERVO_KIND].any():  # `driven` has the speed of the next step, these are those of the last forces
            found[VELOCITY] = walls.poses.velocity
        return found | ({"free": walls.free.state} if walls.free else {})

    def inherit_motion(self, before: EngineWalls) -> None:
        """Continue from the positions to which servos and forces have moved the walls of another engine."""
        state = before.state
        if deforms(self.faces):
            deforming_cell.continue_from(self.faces, before.faces)
            return
        for name in {"driven", "free"} & state.keys() & self.state.keys():
            rows = self.state[name]
            rows[:] = state[name][: len(rows), self.places_before]

    def restore(self, state: dict[str, np.ndarray], time: float, moved: EngineWalls | None = None) -> None:
        """Restore a state at a time [s], and move the walls to it.

        moved: the same walls in a subdomain that has taken steps. Poses and velocities are then those of its last
        forces, as after steps of this engine, and changes that are due at this time are left to the simulation.
        """
        for name, values in state.items():
            self.state[name][:] = values
        if moved is None:
            self.move(time)
            if VELOCITY in state:
                self.state[VELOCITY][:] = state[VELOCITY]
            return
        for name in ("lower", "upper", "velocity", "shift") if self.faces.moving else ():
            getattr(self.faces, name)[:] = getattr(moved.faces, name)
        if self.beside_box:
            for values, taken in zip(self.faces.walls.poses, moved.faces.walls.poses, strict=True):
                values[:] = taken

    def inherit_load_integrals(self, before: EngineWalls) -> None:
        """Take over the time integrals of forces and torques on walls, and the work."""
        if self.beside_box:
            self.state["impulse"][:] = before.state["impulse"][..., self.places_before]

    def inherit_wear(self, before: EngineWalls, units: float) -> None:
        """Take over the wear of another engine's walls; `units` is the ratio of the new energy unit to the old one."""
        if self.beside_box:
            pieces = [wall.pieces if wall.wear > 0 else 0 for wall in before.models]
            wall_of_piece = np.repeat(np.arange(len(pieces)), pieces)
            is_kept = np.isin(wall_of_piece, np.arange(len(pieces))[self.places_before])
            self.state["worn"][:] += np.rint(before.state["worn"][:, is_kept] * units).astype(np.int64)

    def set_loads(self, gravity: tuple[float, float, float]) -> None:
        """Set the weight and other forces on walls that are rigid bodies."""
        if self.beside_box:
            set_free_wall_loads(self.models, gravity, self.faces.walls.free)

    def move(self, time: float) -> None:
        """Move the walls to their poses at a time [s], and set which of them are present."""
        if self.faces.moving or self.beside_box:
            move(self.faces, time)
        if self.models:
            self.present = are_present(self.models, time)
            self.faces.walls.acts[:] = self.acting & self.present[:, None]
            self.faces.walls.servo[SERVO_FORCE] = forces_at(self.models, time)

    def has_change_at(self, time: float) -> bool:
        """Whether walls appear, vanish, or press with another force at a time [s]."""
        if not any(change_times(wall) for wall in self.models):
            return False
        pressing = np.array_equal(self.faces.walls.servo[SERVO_FORCE], forces_at(self.models, time))
        return not (pressing and np.array_equal(self.present, are_present(self.models, time)))

    def reset_near_list(self) -> None:
        """Reset skip distances, so that the next pick checks all bodies, and make room for the triangles."""
        if self.beside_box:
            walls = self.faces.walls
            walls.skip_distance[:] = 0.0
            walls.displacement_since_list[:] = 0.0
            if walls.wanted.max() > walls.listed.shape[1]:
                new = triangle_lists(2 * int(walls.wanted.max()), len(walls.wanted))
                self.faces = self.faces._replace(walls=walls._replace(**new))

    def choose_units(self, energy_unit: float, kinds: Kinds, dt: float) -> None:
        """Choose the units in which loads on walls are summed."""
        if self.beside_box:
            self.faces.walls.unit[:] = units_of(energy_unit, kinds, dt)
        if deforms(self.faces):
            contact = float(kinds.modulus.max()) * float(kinds.radius.max()) ** 3
            of_contacts = 2.0 ** (CONTACT_BITS - math.frexp(contact)[1])
            self.faces.unit[:] = of_contacts, energy_unit / 2.0**BOND_BITS, energy_unit

    def make_room(self, contacts: int) -> None:
        """Make room for at least twice as many contacts of a sphere with walls beside the box."""
        if self.beside_box and self.faces.walls.old_history.shape[2]:
            walls = self.faces.walls
            if walls.old_key.shape[1] < 2 * contacts:
                self.faces = self.faces._replace(walls=with_more_slots(walls, 4 * contacts))

    def load_wall_history(self, table: Index, bodies: Bodies, neighbours: Neighbours) -> None:
        """Load the history of contacts with walls from a table."""
        table.load_box_walls(bodies, neighbours)
        if self.beside_box:
            self.make_room(table.fill_slots(bodies, self.faces.walls))
            table.fill_slots(bodies, self.faces.walls)

    def resize(self, bodies: int, spheres: int, chunks: int) -> None:
        """Make arrays for other numbers of bodies, spheres and chunks."""
        if self.beside_box:
            self.faces = self.faces._replace(walls=resized_walls(self.faces.walls, bodies, spheres, chunks))

    def max_amplitude(self) -> float:
        """Largest amplitude of vibrating walls [m]."""
        swings = [self.faces.amplitude, *([self.faces.walls.motions.amplitude] if self.beside_box else [])]
        return max(float(np.abs(swing).max(initial=0.0)) for swing in swings)

    def cell(self) -> PeriodicCell:
        """Current state of the periodic cell."""
        return cell_of(self.faces)
