"""What there is in an engine at present: its state, its contacts, its energies; nothing here changes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base import portable
from dem.kernels.domain.periodic import is_periodic
from dem.kernels.fluid import Dry
from dem.kernels.soft.integration import time_loop as loop
from dem.kernels.soft.wall_contact.wall_arrays import has_walls
from dem.model.particles.fields import WIDTHS
from dem.soft.contact.contact_history import ContactHistory
from dem.soft.contact.overlaps import Overlaps
from dem.soft.energies import energies_of_contacts, energies_of_flow, energies_of_motion, energies_to_come, unit_of
from dem.soft.fluid.fluid_setup import STATE, looks_back
from dem.soft.per_body import FIELDS, FLUID_CACHE, KEPT, rows_of
from dem.soft.snapshot import Snapshot
from dem.soft.time_step.adhesion import energies_of_adhesion
from dem.soft.walls.wall_arrays import STATE as WALLS
from dem.soft.walls.wall_arrays import energies_of_walls, fall_on

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dem.kernels.domain.faces import BoxFaces
    from dem.kernels.soft.state import Bodies, Kinds, Neighbours
    from dem.model.domain.box import Box
    from dem.model.walls.wall import Wall
    from dem.soft.arrays import Layout
    from dem.soft.fluid.two_way_coupling import Beds
    from dem.soft.particle_ids import Numbering
    from dem.soft.time_step.limits import Limits
    from dem.soft.time_step.springs import Springs

MORE = 2.0**12  # times what is known of at the start that energies fit which a run comes to

# arrays that the state at a whole step is computed from
SHOWN = (
    "position", "image", "velocity", "force", "orientation", "torque", "memory_q", "memory_w", "memory_a", "memory_more"
)  # fmt: skip


class EngineView:
    """Arrays that kernels work on, as they are read; who inherits from it sets them up and has them worked on."""

    kinds: Kinds
    law: tuple
    fluid: tuple
    beds: Beds | None
    faces: BoxFaces
    bodies: Bodies
    neighbours: Neighbours
    workspace: tuple
    progress: loop.RunState
    setting: loop.RunConstants
    layout: Layout
    limits: Limits
    numbering: Numbering
    first_sphere_of_row: np.ndarray
    gravity: tuple[float, float, float]
    datum: float
    start_step: int
    owned: int
    fastest_wall: float
    walls: Sequence[Wall]
    called: list[str]
    fields: tuple[str, ...]  # registered fields of the bodies
    springs: Springs
    to_come: float = 0.0  # energy of those who are not there yet [J]

    def _order(
        self, order: int, stop: int = 0, view: loop.OutputState | None = None,
        bodies: Bodies | None = None, progress: loop.RunState | None = None,
    ) -> int:  # fmt: skip
        raise NotImplementedError

    @property
    def energy_unit(self) -> float:
        """Units per joule in which energies are summed; a power of two."""
        return self.setting.per_joule

    def fitting_energy_unit(self) -> float:
        """Power of two [1/J] in which the present energies add up to about 2^REFERENCE_BITS."""
        with np.errstate(over="ignore"):
            return unit_of(self.present_energies())

    def present_energies(self) -> float:
        """Sum of all energies that there are, or will be soon, without regard to sign [J]."""
        b = self.bodies
        moving = [self.by_row(values) for values in (b.kind, b.position, b.velocity, b.memory_w)]
        known = (
            energies_of_motion(self.kinds, *moving, self.gravity, self.datum)
            + energies_of_contacts(self.kinds, self.springs, self.overlaps())
            + energies_to_come(self.kinds, moving[0], self.swing(), self.fastest_wall, self.gravity)
            + energies_of_adhesion(self.law, self.kinds, self.springs, b.owner.size)
            + energies_of_flow(self.fluid, self.kinds, *moving[:2], self.gravity, self.faces)
            + energies_of_walls(self.walls, moving[1], self.gravity)
            + self.to_come
        )
        falls = portable.dot(self.kinds.mass[moving[0]], fall_on(moving[1].T, self.gravity, self.walls))
        return falls if falls > MORE * known else known  # else they fit, and runs keep the units that they had

    def snapshot(self) -> Snapshot:
        """Copies of all that decides how the run goes on."""
        kept = {name: getattr(self.bodies, name) for name in self.kept}
        return Snapshot(
            bodies={name: self.by_row(values) if values.size else values.copy() for name, values in kept.items()},
            contacts=self.history().ascending(),
            progress={name: values.copy() for name, values in self.progress._asdict().items()},
            energy_unit=self.energy_unit,
            datum=self.datum,
            start_step=self.start_step,
            watch=self.limits.watch,
            fluid={name: values.copy() for name, values in self.fluid_state.items()},
            walls={name: values.copy() for name, values in self.wall_state.items()},
            traffic=self.comings(),
        )

    def comings(self) -> dict[str, np.ndarray]:
        """Who is there, and what has come and gone, as a snapshot has it; empty where nobody comes or goes."""
        return {}

    @property
    def kept(self) -> list[str]:
        """Arrays of bodies that decide how the run goes on."""
        return [*KEPT, *([FLUID_CACHE] if looks_back(self.fluid) else []), *([FIELDS] if self.fields else [])]

    @property
    def wall_state(self) -> dict[str, np.ndarray]:
        """What a run has come to at walls beside the box, by name; empty without any."""
        if not has_walls(self.faces):
            return {}
        free = self.faces.walls.free
        return {name: getattr(self.faces.walls, name) for name in WALLS} | ({"free": free.state} if free else {})

    def swing(self) -> float:
        """How far walls vibrate [m]."""
        swings = [self.faces.swing, *([self.faces.walls.motions.swing] if has_walls(self.faces) else [])]
        return max(float(np.abs(swing).max(initial=0.0)) for swing in swings)

    @property
    def fluid_state(self) -> dict[str, np.ndarray]:
        """What a run has come to in a fluid, by name; empty without one."""
        if isinstance(self.fluid, Dry):
            return {}
        in_cells = self.beds.state | self.beds.arrays(self.fluid.field) if self.beds else {}
        return {name: getattr(self.fluid.medium, name) for name in STATE} | in_cells

    def by_row(self, values: np.ndarray) -> np.ndarray:
        """Values (..., N) of owned bodies by index, in the order of the user's rows."""
        return self.numbering.by_row(self.bodies.identity[: self.owned], values[..., : self.owned])

    def state(self) -> list[np.ndarray]:
        """Position, velocity, orientation and angular velocity at the whole step, (3 or 4, N) in the user's order."""
        shown = [np.empty((rows, self.owned)) for rows in WIDTHS]
        rows = self.numbering.rows(self.bodies.identity)  # columns are those of the user
        self._order(loop.SHOW, view=loop.OutputState(*shown), bodies=self.bodies._replace(identity=rows))
        return shown

    def registered(self) -> dict[str, np.ndarray]:
        """Fields that were registered (N, k), by name, in the order of the user's rows."""
        values = self._field_rows() if self.fields else None
        return {name: values[rows].T.copy() for name, rows in rows_of(self.fields).items()}

    def _field_rows(self) -> np.ndarray:
        return self.by_row(self.bodies.fields)

    def is_sound(self, box: Box | None) -> bool:
        """Whether all bodies are finite and inside the box, as far as can be told without reading them back.

        The last sweep found the largest way, spin and acceleration of the bodies present: if these are finite, so is
        the state at the whole step, which is computed from them. In a fluid, whose forces have no such limit, and where
        bodies have left, the arrays that `SHOW` reads are looked at. If False, the state itself has to be checked.
        """
        b, p = self.bodies, self.progress
        if p.phase[0] != loop.COMPLETE or p.step[0] == self.start_step or not p.acceleration[0] < np.inf:
            return False
        gone = b.is_removed[0] != 0
        limited = isinstance(self.fluid, Dry) and not gone.any()
        if not limited and not all(np.isfinite(getattr(b, name).sum()) for name in SHOWN):
            return False
        if box is None:
            return True
        inside = b.position[:, ~gone] if gone.any() else b.position
        lowest, highest = inside.min(axis=1, initial=np.inf), inside.max(axis=1, initial=-np.inf)
        return bool((lowest >= self.faces.lower).all() and (highest <= self.faces.upper).all())

    def left(self) -> np.ndarray:
        """Rows of those who have left for good."""
        return np.flatnonzero(self.by_row(self.bodies.is_removed[0]))

    def periods(self) -> list[tuple[float, float]]:
        """Corner and length of the periodic cell along each axis [m], the length 0 where it is not periodic."""
        w = self.faces
        if not is_periodic(w):
            return [(0.0, 0.0)] * 3
        return [(w.corner_x, w.length_x), (w.corner_y, w.length_y), (w.corner_z, w.length_z)]

    def candidates(self) -> tuple[np.ndarray, np.ndarray]:
        """Spheres of the present candidate pairs (K,), (K,)."""
        nb = self.neighbours
        room = nb.sphere_i.size // nb.pairs.size
        used = np.arange(nb.sphere_i.size) % max(room, 1) < np.repeat(nb.pairs, room)
        return nb.sphere_i[used], nb.sphere_j[used]

    def sphere_centres(self) -> np.ndarray:
        """Centres of all spheres (M, 3) [m], particle by particle in the user's order."""
        b = self.bodies
        self._order(loop.PLACE)
        centres = np.empty((b.owner.size, 3))
        centres[self._first_numbers()[b.owner] + np.arange(b.owner.size) - b.first_sphere[b.owner]] = (
            b.sphere_position.T
        )
        return centres

    def sphere_radii(self) -> np.ndarray:
        """Radii of all spheres (M,) [m], particle by particle in the user's order."""
        first, kind = self.kinds.first_offset, self.by_row(self.bodies.kind)
        each = np.diff(first)[kind]
        start = np.repeat(first[kind] - np.cumsum(each) + each, each)
        return self.kinds.radius[start + np.arange(each.sum())]

    def arrays(self) -> Iterator[np.ndarray]:
        """All its arrays, some more than once."""
        walls = (self.faces.walls, *self.faces.walls) if has_walls(self.faces) else ()
        for part in (self.kinds, self.faces, self.bodies, self.neighbours, self.workspace, self.progress, *walls):
            yield from (a for a in part if isinstance(a, np.ndarray)) if isinstance(part, tuple) else ()

    def overlaps(self) -> Overlaps:
        """Overlaps of the present candidate pairs, and of all spheres with the nearest wall."""
        self._order(loop.PLACE)
        return Overlaps.of(self.bodies, self.kinds, self.faces, self.candidates(), self.periods())

    def history(self) -> ContactHistory:
        """What contacts remember."""
        numbers = self._first_numbers() if self.layout.wall_width else self.first_sphere_of_row
        walls = self.faces.walls if has_walls(self.faces) else None
        return ContactHistory.of(
            self.bodies, self.neighbours, numbers, self.numbering, walls,
            width=self.layout.table_width, capsules=self.layout.capsules,
        )  # fmt: skip

    def _first_numbers(self) -> np.ndarray:
        """Number, through all particles in the user's order, of the first sphere of each body (N,)."""
        return self.first_sphere_of_row[self.numbering.rows(self.bodies.identity)]
