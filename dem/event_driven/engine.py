"""Engine of hard spheres: holds their arrays, chooses the cells, processes events."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.kernels.event_driven import events, flight
from dem.kernels.event_driven.event_queue import EventQueue
from dem.model.domain.box import AXES
from dem.model.particles.fields import WIDTHS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.model.domain.box import Box
    from dem.model.particles.particles import Particles

# A cell is at least this much wider than the largest sphere, so that rounding never hides a neighbour.
MARGIN = 1e-6
SPACIOUS = 0.8  # width of a cell over the mean distance of the spheres, where the spheres themselves need less
MIN_PERIOD = 5  # cells along a periodic axis, so that no more than one image of a sphere is near
MIN_CELLS = {flight.WALLED: 1, flight.OPEN: 3, flight.PERIODIC: MIN_PERIOD}  # along an axis


class HardState(NamedTuple):
    """Copies of the complete state of an engine, by the names of the arrays in each part."""

    spheres: dict[str, object]
    space: dict[str, object]
    agenda: dict[str, object]
    tally: dict[str, object]
    time: float


PARTS = HardState._fields[:-1]


class HardEngine:
    """Hard spheres in cells, with their next events; numbered as in the user's input."""

    def __init__(
        self,
        particles: Particles,
        box: Box | None,
        gravity: tuple[float, float, float],
        laws: events.ImpactLaws,
        time: float,
    ) -> None:
        n = len(particles)
        self.laws = laws
        self.space = _space(particles, box, gravity)
        self.spheres = sphere_state(particles, self.space, time, planned=n)
        self.agenda = EventQueue(np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32))
        counts = {name: np.zeros(1, np.int64) for name in ("pair", "wall", "events", "standing")}
        sums = {name: np.zeros(1) for name in ("lost", "lifted", "overlap")}
        self.tally = events.ImpactTally(**counts, now=np.full(1, time), **sums, latest=np.full(2, flight.NO_PARTNER))
        self.time = time
        events.begin(time, self.spheres, self.space, self.agenda)

    def advance(self, stop: float, most: int) -> int:
        """Process the events up to a time, at most `most`; returns a code of `dem.kernels.event_driven.events`."""
        code = events.advance(stop, most, self.spheres, self.space, self.laws, self.agenda, self.tally)
        self.time = stop if code == events.DONE else float(self.tally.now[0])
        return code

    def collide(self, most: int) -> int:
        """Process `most` events, or all if there are fewer; the time is then that of the last one."""
        never = float(np.finfo(np.float64).max)
        code = events.advance(never, most, self.spheres, self.space, self.laws, self.agenda, self.tally)
        self.time = max(self.time, float(self.tally.now[0]))
        return code

    def snapshot(self) -> HardState:
        """Copies of the complete state, from which a run continues to the same bytes."""
        parts = {part: getattr(self, part)._asdict() for part in PARTS}
        return HardState(
            **{part: {name: np.array(values) for name, values in parts[part].items()} for part in PARTS}, time=self.time
        )

    def restore(self, state: HardState) -> None:
        """Restore a snapshot of an engine with the same input."""
        for part in PARTS:
            old = getattr(self, part)
            values = {
                name: tuple(value.tolist()) if isinstance(getattr(old, name), tuple) else value.copy()
                for name, value in getattr(state, part).items()
            }
            setattr(self, part, old._replace(**values))
        self.time = state.time

    def follow(self, before: HardEngine) -> None:
        """Take over the counts of another engine, of impacts and for each sphere, at the same time."""
        for name in ("last", "impacts", "wall_impacts"):
            getattr(self.spheres, name)[:] = getattr(before.spheres, name)
        for name in ("pair", "wall", "lost", "lifted", "overlap"):
            getattr(self.tally, name)[:] = getattr(before.tally, name)
        events.begin(self.time, self.spheres, self.space, self.agenda)  # planned events depend on those counts

    def arrays(self) -> Iterator[np.ndarray]:
        """All arrays of the engine."""
        for part in (self.spheres, self.space, self.agenda, self.tally):
            yield from (a for a in part if isinstance(a, np.ndarray))

    def state(self) -> list[np.ndarray]:
        """Copies (3 or 4, N) of position, velocity, orientation and angular velocity at the present time."""
        arrays = [np.empty((width, self.spheres.mass.size)) for width in WIDTHS]
        flight.synchronise(self.time, self.spheres, self.space, *arrays)
        return arrays

    def overlaps(self) -> tuple[tuple[float, int, int], tuple[float, int]]:
        """Deepest overlap of a pair and with a wall, each over the radii, negative for gaps; and the spheres."""
        return (
            flight.deepest_pair(self.time, self.spheres, self.space),
            flight.deepest_wall(self.time, self.spheres, self.space),
        )


def sphere_state(particles: Particles, space: flight.Space, time: float, planned: int) -> flight.SphereState:
    """State of particles at a time, wrapped into periodic space, with room for events of the first `planned`."""
    n = len(particles)
    radius = np.array([shape.radii[0] for shape, _ in particles.variants])[particles.variant]
    row = np.ascontiguousarray(np.column_stack([particles.position, particles.velocity, np.full(n, time), radius]))
    image = np.zeros((3, n), np.int64)
    for axis in range(3):
        if space.boundary[axis] == flight.PERIODIC:
            image[axis] = np.floor((row[:, axis] - space.lower[axis]) / space.period[axis])
            row[:, axis] -= image[axis] * space.period[axis]
    return flight.SphereState(
        row=row, plan=np.zeros((planned, 8)), image=image, omega=np.array(particles.angular_velocity.T, order="C"),
        q=np.array(particles.orientation.T, order="C"), turned=np.full(n, time), mass=particles.mass,
        inertia=particles.inertia[:, 0].copy(), last=np.full(n, -np.inf), impacts=np.zeros(n, np.int64),
        wall_impacts=np.zeros(n, np.int64),
    )  # fmt: skip


def _cube_root(x: float) -> float:
    """Cube root, exact for cubes; Python has one since 3.11, and that of numpy depends on the processor."""
    root = x ** (1 / 3)
    return root - (root * root * root - x) / (3 * root * root)


def _space(particles: Particles, box: Box | None, gravity: tuple[float, float, float]) -> flight.Space:
    """Walls, periods and cells, with lists of the spheres in each cell."""
    position, n = particles.position, len(particles)
    diameter = 2 * np.array([shape.radii[0] for shape, _ in particles.variants])[particles.variant].max()
    boundary = boundaries(box)
    lower = position.min(0) - 0.5 * diameter if box is None else np.array(box.lower)
    upper = position.max(0) + 0.5 * diameter if box is None else np.array(box.upper)
    width = max((1 + MARGIN) * diameter, SPACIOUS * _cube_root(float((upper - lower).prod()) / n))
    least = np.array([MIN_CELLS[b] for b in boundary])
    cells = np.maximum(least, np.floor((upper - lower) / width)).astype(np.int64)
    width = np.full(3, width) if box is None else (upper - lower) / cells
    return space_of(boundary, lower, upper, gravity, cells, width)._replace(
        head=np.empty(int(cells.prod()), np.int32), following=np.empty(n + 1, np.int32),
        preceding=np.empty(n, np.int32), near=np.zeros(n + 1, np.uint32),
    )  # fmt: skip


def boundaries(box: Box | None) -> np.ndarray:
    """Kind of boundary along each axis (3,)."""
    if box is None:
        return np.full(3, flight.OPEN)
    return np.where([axis in box.periodic for axis in AXES], flight.PERIODIC, flight.WALLED)


def space_of(
    boundary: np.ndarray, lower: np.ndarray, upper: np.ndarray, gravity: tuple, cells: np.ndarray, width: np.ndarray
) -> flight.Space:
    """Space with these boundaries and cells, each (3,), and empty lists of spheres."""
    period = np.where(boundary == flight.PERIODIC, upper - lower, 0.0)
    per_metre = np.divide(1.0, period, out=np.zeros(3), where=period > 0)
    by_axis = (boundary, lower, upper, np.array(gravity), period, per_metre, cells, width)
    empty = np.empty(0, np.int32)
    return flight.Space(
        *(tuple(a.tolist()) for a in by_axis), head=empty, following=empty, preceding=empty, near=np.empty(0, np.uint32)
    )  # fmt: skip
