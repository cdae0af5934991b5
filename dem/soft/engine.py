"""Owner of the arrays that the kernels work on: sets them up, makes neighbour lists, gives them room."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.model.walls import walls
from dem.soft import arrays
from dem.soft.history import Held
from dem.soft.limits import DEEPEST, Limits
from dem.soft.overlaps import Overlaps
from kernels import laws, rotation
from kernels.base.energy import REFERENCE_BITS
from kernels.box.faces import move
from kernels.box.periodic import PeriodicBox
from kernels.laws import hertz
from kernels.soft import advance as loop
from kernels.soft import cells, history, sweeps
from kernels.soft.chunks import CHUNK
from kernels.soft.sweeps import Serial, Threaded
from kernels.soft.walls import PLANE

if TYPE_CHECKING:
    from dem.model.box import Box
    from dem.model.particles import Particles
    from dem.rotation.integrators import Integrator

# Skins of neighbours and candidates in units of the smallest sphere's diameter. Spheres and fibres at 0.5 m/s and
# dt = 1e-5 s run within 5 % of their best speed from 0.25 to 0.35 and from 0.04 to 0.08.
LIST_SKIN, CANDIDATE_SKIN = 0.3, 0.05
FEW, FEW_SKIN = 32, 2.0  # so few bodies that listing all of them costs little; making a list takes 50 us at least
CELLS_WITHIN_REACH = 2  # 0.8 times the search of 1; 3 are no better
MOST_CELLS_PER_BODY = 4
NOWHERE = loop.View(*(np.empty((rows, 0)) for rows in (3, 3, 4, 3)))
FLOATS = ("travel", "largest_overlap")  # of Progress; the others are integers


class Skins(NamedTuple):
    """Widths of the two lists' skins [m]."""

    neighbours: float
    candidates: float


def _most_cells(n: int) -> int:
    """Cells that are worth having for n bodies."""
    return MOST_CELLS_PER_BODY * n + 64


def _grid(extent: np.ndarray, size: float, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Cells along each axis, none smaller than `size` and at most `most` in all; and cells a metre."""
    shape = np.clip(np.floor(extent / size), 1.0, most)
    while shape.prod() > most:
        shape = np.maximum(1.0, np.floor(shape / 1.26))
    shape = shape.astype(np.int64)
    split = shape > 1  # an axis that is not split has no scale: its extent may be anything down to nothing
    return shape, np.where(split, shape / np.where(split, extent, 1.0), 0.0)


class Engine:
    """Bodies in slot order, their neighbours, and what a run has come to.

    Created from a whole-step state of particles; `Simulation` is what users see.
    """

    def __init__(
        self,
        particles: Particles,
        box: Box | None,
        gravity: tuple[float, float, float],
        datum: float,
        time_step: float,
        integrator: Integrator,
        law: tuple,
        skin: tuple[float, float] | None = None,
        threads: int = 1,
        deepest: float = DEEPEST,
    ) -> None:
        self.kinds = arrays.kinds(particles, box)
        self.law = law
        self.walls = walls(box)
        alone = len(particles) == 1 and not np.isfinite([self.walls.lower, self.walls.upper]).any()
        self.limits = Limits(self.kinds, deepest, alone=alone)
        self.fastest_wall = max((motion.fastest for motion in box.motion.values()), default=0.0) if box else 0.0
        smallest = 2 * self.kinds.radius.min()
        wide, narrow = skin or (
            (FEW_SKIN if len(particles) <= FEW else LIST_SKIN) * smallest,
            CANDIDATE_SKIN * smallest,
        )
        if box and box.periodic:  # no particle may meet another one twice
            widest = min(size for axis, size in zip("xyz", box.size, strict=True) if axis in box.periodic) / 2
            wide = max(min(wide, widest - 2 * float(self.kinds.bound.max())), narrow)
        self.skins = Skins(wide, min(wide, narrow))
        lossy = not isinstance(self.law, laws.Elastic)
        width = laws.LAWS[type(self.law)].width if lossy else 0
        wall_width = PLANE + width if self.walls.roughness > 0 else width
        self.rotating = not self.kinds.round or width > 0
        self.scheme = (
            integrator.scheme_for(self.kinds.inertia, spheres=self.kinds.round) if self.rotating else integrator.scheme
        )
        self.needs = arrays.Needs(self.kinds.reach > 0, lossy, width, wall_width, self.kinds.round)
        more = rotation.SCHEMES[type(self.scheme)].more
        self.bodies = arrays.bodies(particles, self.kinds, box, rotating=self.rotating, lossy=lossy, more=more)
        self.first_number = self.bodies.first_sphere.copy()
        chunks = -(-len(particles) // CHUNK)
        self.mode = self.mode_for(len(particles), threads)()
        blocks = min(threads, chunks) if isinstance(self.mode, Threaded) else 1
        self.neighbours = arrays.lists(self.bodies, chunks, blocks, self.needs)
        self.workspace = arrays.workspace(len(particles), chunks, _most_cells(len(particles)))
        self.partial = np.zeros((chunks, sweeps.COLUMNS), np.int64)
        self.progress = loop.Progress(
            **{name: np.zeros(1, np.float64 if name in FLOATS else np.int64) for name in loop.Progress._fields}
        )
        self.datum, self.gravity, self.dt = datum, gravity, time_step
        self.start_step, self.code = 0, loop.DONE
        self.setting = self._setting(unit=math.nan)  # `start` finds the unit

    @staticmethod
    def mode_for(bodies: int, threads: int) -> type[Serial | Threaded]:
        """Whether to spread the work over threads: not if it is a single chunk."""
        return Threaded if threads > 1 and bodies > CHUNK else Serial

    def _setting(self, unit: float) -> loop.Setting:
        g_x, g_y, g_z = self.gravity
        return loop.Setting(
            dt=self.dt, gravity_x=g_x, gravity_y=g_y, gravity_z=g_z, datum=self.datum, unit=unit,
            list_skin=self.skins.neighbours, candidate_skin=self.skins.candidates,
            farthest=self.limits.farthest, deepest=self.limits.deepest, start_step=self.start_step,
        )  # fmt: skip

    def go_on(self, held: Held, unit: float, datum: float, start: int) -> None:
        """Go on from bodies and progress that have been put in, as from a checkpoint."""
        self.datum, self.start_step = datum, start
        self.setting = self._setting(unit)
        self.move_walls(self.progress.step[0] * self.dt)
        self.rebuild(held)

    def move_walls(self, time: float) -> None:
        """Put the walls where they are at a time [s]."""
        if self.walls.moving:
            move(time, self.walls)

    def periods(self) -> list[tuple[float, float]]:
        """Corner and length of the periodic cell along each axis [m], the length 0 where it is not periodic."""
        w = self.walls
        if not isinstance(w, PeriodicBox):
            return [(0.0, 0.0)] * 3
        return [(w.corner_x, w.length_x), (w.corner_y, w.length_y), (w.corner_z, w.length_z)]

    def start(self, step: int = 0, held: Held | None = None) -> None:
        """Evaluate the forces of the whole-step state and set the integrator going from there.

        Contacts begin with what they remember of an earlier run, if that is given.
        """
        self.progress.step[0] = self.start_step = step
        self.move_walls(step * self.dt)
        if held:
            self.bodies.wall_contacts[:] = held.wall_contacts  # bodies are in the user's order still
        self.rebuild(held)
        unit = self._energy_unit()
        self.setting = self._setting(unit)
        self.progress.phase[0] = loop.FRESH
        self.advance(step)
        self._order(loop.START)

    def _energy_unit(self) -> float:
        """Power of two [1/J] in which the energies at the start add up to about 2^REFERENCE_BITS."""
        with np.errstate(over="ignore"):
            total = self._energies_at_start()
        return 2.0 ** min(max(REFERENCE_BITS - math.frexp(total)[1], -1000), 1000)

    def _energies_at_start(self) -> float:
        """Sum of all energies without regard to sign, roughly [J]; positive even for a system at rest."""
        mass = self.kinds.mass[self.bodies.kind]
        kinetic = 0.5 * (mass * (self.bodies.velocity**2).sum(0)).sum()
        gravitational = np.abs(mass * (self.datum - np.array(self.gravity) @ self.bodies.position)).sum()
        spin = 0.5 * (self.kinds.inertia.max(0)[self.bodies.kind] * (self.bodies.memory_w**2).sum(0)).sum()
        overlaps = self.overlaps()
        stiffest = hertz.stiffness(
            max(self.kinds.modulus.max(), self.kinds.wall_modulus.max()), self.kinds.radius.max()
        )
        elastic = sum(0.4 * stiffest * (np.maximum(d, 0.0) ** 2.5).sum() for d in (overlaps.pair, overlaps.wall))
        driven = 0.0
        if self.fastest_wall > 0:
            driven = mass.sum() * (self.fastest_wall**2 + np.linalg.norm(self.gravity) * np.abs(self.walls.swing).max())
        at_rest = 1e-9 * self.kinds.modulus.max() * self.kinds.radius.min() ** 3
        return float(kinetic + gravitational + spin + elastic + driven + at_rest)

    def candidates(self) -> tuple[np.ndarray, np.ndarray]:
        """Spheres of the present candidate pairs (K,), (K,)."""
        nb = self.neighbours
        room = nb.sphere_i.size // nb.pairs.size
        used = np.arange(nb.sphere_i.size) % max(room, 1) < np.repeat(nb.pairs, room)
        return nb.sphere_i[used], nb.sphere_j[used]

    def overlaps(self) -> Overlaps:
        """Overlaps of the present candidate pairs, and of all spheres with the nearest wall."""
        self._order(loop.PLACE)
        return Overlaps.of(self.bodies, self.kinds, self.walls, self.candidates(), self.periods())

    def held(self) -> Held:
        """What contacts remember."""
        return Held.of(self.bodies, self.neighbours, self.first_number)

    def rebuild(self, held: Held | None = None) -> None:
        """Put bodies in cell order, list their neighbours anew and pick the candidates.

        Contacts go on with what they remember, or with what is given.
        """
        b, n = self.bodies, self.bodies.kind.size
        held = self.held() if held is None else held
        lower, upper = np.empty(3), np.empty(3)
        cells.bounding_box(b.position, lower, upper)
        bound = self.kinds.bound
        for axis, (corner, length) in enumerate(self.periods()):
            if length > 0:
                lower[axis], upper[axis] = corner, corner + length
        shape, scale = _grid(
            upper - lower, (2 * bound.min() + self.skins.neighbours) / CELLS_WITHIN_REACH, _most_cells(n)
        )
        edge = 1 / scale.max() if scale.max() > 0 else np.inf
        grid = cells.Grid(
            *shape.tolist(), *lower.tolist(), *scale.tolist(), float(edge), bool(bound.min() == bound.max())
        )
        w = self.workspace
        cells.cell_order(b.position, grid, w.cell, w.cell_first, w.order)
        self._reorder()
        while not self._list_neighbours(grid):
            pass
        nb = self.neighbours
        nb.lag[0] = (np.arange(nb.lowest.size) - nb.lowest).max()
        nb.listed_position[:] = b.position
        if not self.kinds.round:
            nb.listed_orientation[:] = b.orientation
        nb.kept_count[:] = 0  # the table has it all
        indexed = held.indexed(b.owner.size) if self.needs.wall_width else ()
        if indexed:
            history.read_walls(b, self.first_number, self.neighbours, *indexed)
        self.neighbours = nb._replace(**arrays.pair_force(nb, self.needs))
        while self._order(loop.PICK) == loop.NO_ROOM:
            self.make_room_for_candidates()
        if self.needs.width:
            history.read_pairs(b, self.first_number, self.neighbours, *indexed)
        self.progress.travel[0] = 0.0

    def _list_neighbours(self, grid: cells.Grid) -> bool:
        """List pairs of bodies and each body's entries; if there is no room, make it and return False."""
        b, nb = self.bodies, self.neighbours
        skin, chunks = self.skins.neighbours, nb.pairs.size
        w = self.workspace
        pairs, entries = sweeps.search(
            self.mode, skin, grid, w.cell_first, b, self.kinds, nb, self.walls, w.wanted
        )  # fmt: skip
        if pairs > (nb.lower.size - 1) // chunks:
            self.neighbours = nb._replace(**arrays.pair_arrays(chunks * arrays.room(pairs)))
            return False
        if entries > nb.entry.size:
            self.neighbours = nb._replace(**arrays.entry_arrays(arrays.room(entries), b.kind.size))
            return False
        return True

    def _reorder(self) -> None:
        b, w = self.bodies, self.workspace
        for rows in (
            b.position,
            b.image,
            b.velocity,
            b.orientation,
            b.memory_q,
            b.memory_w,
            b.memory_a,
            b.memory_more,
            b.force,
            b.torque,
            b.velocity_ahead,
            b.spin,
        ):
            if rows.size:
                sweeps.reorder(self.mode, w.order, rows, w.scratch)
        for row in (b.identity, b.kind, b.wall_contacts):
            sweeps.reorder(self.mode, w.order, row[None], w.scratch.view(row.dtype))
        if not self.kinds.round:
            spheres = np.diff(self.kinds.first_offset)[b.kind]
            np.cumsum(spheres, out=b.first_sphere[1:])
            b.owner[:] = np.repeat(np.arange(b.kind.size, dtype=np.int32), spheres)

    def make_room_for_candidates(self) -> None:
        """Enlarge the candidate arrays to what was wanted."""
        nb = self.neighbours
        room = nb.pairs.size * arrays.room(nb.pairs.max())
        larger = arrays.candidate_arrays(room, self.needs)
        arrays.keep_contents(nb, larger)
        nb = nb._replace(**larger)
        self.neighbours = nb._replace(**arrays.pair_force(nb, self.needs))

    def advance(self, stop: int) -> int:
        """Take steps until `stop` are complete; returns DONE, or the code of what went wrong, now and ever after."""
        while self.code == loop.DONE:
            code = self._order(loop.ADVANCE, stop)
            if code == loop.LIST_STALE:
                self.rebuild()
            elif code == loop.NO_ROOM:
                self.make_room_for_candidates()
            elif code == loop.TOO_DEEP and self.limits.passes(
                self.overlaps().deepest().share, float(self.progress.largest_overlap[0])
            ):
                self.setting = self._setting(self.setting.unit)
            elif code == loop.DONE:
                break
            else:
                self.code = code
        return self.code

    def synchronise(
        self, position: np.ndarray, velocity: np.ndarray, orientation: np.ndarray, spin: np.ndarray
    ) -> None:
        """Write the whole-step state, in the user's numbering, to four component-major arrays."""
        self._order(loop.SHOW, view=loop.View(position, velocity, orientation, spin))

    def _order(self, order: int, stop: int = 0, view: loop.View | None = None) -> int:
        """Have the kernels carry out an order; returns DONE or why they came back."""
        return loop.serve(
            order, self.scheme, self.law, self.mode, self.setting, stop, self.bodies, self.kinds, self.neighbours,
            self.walls, self.progress, self.partial, view or NOWHERE,
        )  # fmt: skip
