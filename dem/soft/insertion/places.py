"""Positions for particles to insert, where they overlap neither particles, nor walls, nor each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.kernels.packing import insertion_round
from dem.kernels.packing.insertion import Occupied, add_spheres
from dem.kernels.soft.contact.capsules import Capsules, Mixed
from dem.model.shapes.capsule import hull_of
from dem.soft.checks import in_frame
from dem.soft.contact.convex_bodies import bounding_radii
from dem.soft.contact.overlaps import Overlaps

if TYPE_CHECKING:
    from dem.model.domain.regions import Region
    from dem.soft.engine import Engine
    from dem.soft.insertion.inserter_in_run import SizeSampler

FIRST, MAX_TRIES = 2, 64  # tries of each particle that are looked at together: at first, and at last
CELLS = 4  # at most so many for each sphere


class FoundPositions(NamedTuple):
    """Particles for which a place was found."""

    particle: np.ndarray  # (P,) which of the particles to insert
    position: np.ndarray  # (P, 3) [m]
    orientation: np.ndarray  # (P, 4)


class BodySpheres(NamedTuple):
    """Spheres of some bodies, one body after the other."""

    first: np.ndarray  # (B + 1,)
    offset: np.ndarray  # (3, S) in the body frame [m]
    radius: np.ndarray  # (S,) [m]


def find_positions(
    engine: Engine, region: Region, sampler: SizeSampler, variant: np.ndarray, numbers: np.ndarray, event: int
) -> FoundPositions:
    """Find positions for particles of an engine's variants, in order; `numbers` (K,) are those of their inserter."""
    own = _covering_spheres(engine, variant)
    taken, used = _occupied_cells(engine, region, own.radius)
    chosen, k = np.full(variant.size, -1), variant.size
    position, orientation = np.zeros((k, 3)), np.zeros((k, 4))
    first, count = 0, min(FIRST, sampler.inserter.attempts)
    while count and (chosen < 0).any():
        missing = np.flatnonzero(chosen < 0)
        cube, orientations = sampler.offers(numbers[missing], event, first, count)
        positions = region.points(cube)
        usable = _inside_and_off_walls(engine, region, np.repeat(variant[missing], count), positions, orientations)
        cover, which = _covering_spheres(engine, variant[missing]), np.full(missing.size, -1)
        insertion_round.place_each(
            cover.first, cover.offset, cover.radius, engine.range, usable.reshape(missing.size, count).astype(np.int8),
            np.ascontiguousarray(positions.T), np.ascontiguousarray(orientations.T), taken, used, which,
        )  # fmt: skip
        found = np.flatnonzero(which >= 0)
        chosen[missing[found]] = first + which[found]
        position[missing[found]], orientation[missing[found]] = (
            positions[found * count + which[found]],
            orientations[found * count + which[found]],
        )
        first += count
        count = min(2 * count, MAX_TRIES, sampler.inserter.attempts - first)
    particle = np.flatnonzero(chosen >= 0)
    return FoundPositions(particle, position[particle], orientation[particle])


def fits_anywhere(engine: Engine, region: Region, sampler: SizeSampler, variant: int, tries: int) -> tuple[int, int]:
    """Number of tries in which a particle is within a region, and of those in which it touches no wall either."""
    cube, orientations = sampler.offers(np.zeros(1, np.int64), 0, 0, tries)
    positions, kinds = region.points(cube), np.full(tries, variant)
    inside = _inside(engine, region, kinds, positions, orientations)
    return int(inside.sum()), int(_inside_and_off_walls(engine, region, kinds, positions, orientations).sum())


def _spheres(engine: Engine, variant: np.ndarray) -> BodySpheres:
    """Spheres of bodies of these variants."""
    kinds = engine.kinds
    return _spheres_by_body(BodySpheres(kinds.first_offset, kinds.offset, bounding_radii(kinds)), variant)


def _covering_spheres(engine: Engine, variant: np.ndarray) -> BodySpheres:
    """Spheres that cover bodies of these variants: their own, and several along the axis of a capsule."""
    kinds = engine.kinds
    if not isinstance(kinds, Capsules | Mixed):
        return _spheres(engine, variant)
    hulls = []
    for half, k, stop in zip(kinds.half, kinds.first_offset, kinds.first_offset[1:], strict=False):
        own = kinds.offset[:, k:stop].T, kinds.radius[k:stop]
        hulls.append(hull_of(half, kinds.radius[k]) if half > 0 else own)
    first = np.concatenate([[0], np.cumsum([len(radii) for _, radii in hulls])])
    offset, radius = (np.concatenate(each) for each in zip(*hulls, strict=True))
    return _spheres_by_body(BodySpheres(first, offset.T, radius), variant)


def _spheres_by_body(table: BodySpheres, variant: np.ndarray) -> BodySpheres:
    """Spheres of bodies of these variants, body after body, from a table by variant."""
    counts = np.diff(table.first)[variant]
    first = np.concatenate([[0], np.cumsum(counts)])
    row = np.arange(first[-1]) - np.repeat(first[:-1], counts) + np.repeat(table.first[:-1][variant], counts)
    return BodySpheres(first, np.ascontiguousarray(table.offset[:, row]), table.radius[row])


def _rotated_centres(spheres: BodySpheres, positions: np.ndarray, orientations: np.ndarray) -> np.ndarray:
    """Centres of the spheres of bodies at these positions (S, 3) [m]."""
    owner = np.repeat(np.arange(len(positions)), np.diff(spheres.first))
    arm = spheres.offset.T
    if arm.any():
        w, v = orientations[owner, :1], orientations[owner, 1:]
        arm = arm + 2 * np.cross(v, np.cross(v, arm) + w * arm)
    return positions[owner] + arm


def _inside(
    engine: Engine, region: Region, variant: np.ndarray, positions: np.ndarray, orientations: np.ndarray
) -> np.ndarray:
    """Which bodies are in a region with all their spheres (K,); capsules with balls of their radius along them."""
    spheres, own = _covering_spheres(engine, variant), _spheres(engine, variant)
    radii = np.repeat(own.radius[own.first[:-1]], np.diff(spheres.first)) if own.radius.size else own.radius
    radii = np.minimum(spheres.radius, radii) if isinstance(engine.kinds, Capsules) else radii
    return np.logical_and.reduceat(
        region.depth(_rotated_centres(spheres, positions, orientations)) >= radii, spheres.first[:-1]
    )


def _inside_and_off_walls(
    engine: Engine, region: Region, variant: np.ndarray, positions: np.ndarray, orientations: np.ndarray
) -> np.ndarray:
    """Which bodies are in a region, and in no wall (K,)."""
    fit = _inside(engine, region, variant, positions, orientations)
    rows = np.flatnonzero(fit)
    if rows.size and (engine.walls.models or np.isfinite([engine.walls.faces.lower, engine.walls.faces.upper]).any()):
        fit[rows] = _touch_nothing(engine, variant[rows], positions[rows], orientations[rows])
    return fit


def _touch_nothing(engine: Engine, variant: np.ndarray, positions: np.ndarray, orientations: np.ndarray) -> np.ndarray:
    """Which bodies are in no wall, nor within the range of a contact of one (K,)."""
    k, spheres = variant.size, _spheres(engine, variant)
    centres = _rotated_centres(spheres, positions, orientations)
    owner = np.repeat(np.arange(k), np.diff(spheres.first))
    bodies = engine.bodies._replace(
        identity=np.arange(k), kind=variant.astype(np.int32), position=np.ascontiguousarray(positions.T),
        orientation=np.ascontiguousarray(orientations.T), first_sphere=spheres.first.astype(np.int32),
        owner=owner.astype(np.int32), sphere_position=np.ascontiguousarray(centres.T),
        is_removed=np.zeros((1, k), np.int8), n_active=np.array([k]),
    )  # fmt: skip
    no_pairs = np.zeros(0, np.int64)
    over = Overlaps.of(bodies, engine.kinds, engine.walls.faces, (no_pairs, no_pairs), engine.walls.cell())
    clear = over.wall < -engine.range
    for w, wall in enumerate(engine.walls.models):
        acts = engine.walls.faces.walls.acts[w, variant[owner]] != 0
        clear &= ~(wall.inside_shell(in_frame(engine, w, centres)) & acts)
    return np.logical_and.reduceat(clear, spheres.first[:-1])


def _occupied_cells(engine: Engine, region: Region, radii: np.ndarray) -> tuple[Occupied, np.ndarray]:
    """Cells with the spheres that are near a region, and room for more of these radii; and how many are in it."""
    b, variant = engine.bodies, engine.by_row(engine.bodies.kind)
    spheres = _covering_spheres(engine, variant)
    radius = spheres.radius
    widest = 2.000001 * (max(bounding_radii(engine.kinds).max(), radii.max(initial=0.0)) + engine.range)
    if not engine.owned:
        centres = np.zeros((0, 3))
    elif isinstance(engine.kinds, Capsules | Mixed):
        centres = _rotated_centres(spheres, engine.by_row(b.position).T, engine.by_row(b.orientation).T)
    else:
        centres = engine.sphere_centres()
    present = np.repeat(engine.by_row(b.is_removed[0]) == 0, np.diff(spheres.first))
    cell, period = engine.walls.cell(), engine.walls.cell().length.copy()
    lower = np.where(period > 0, cell.corner, region.lower - widest)
    upper = np.where(period > 0, cell.corner + period, region.upper + widest)
    near = present & ((period > 0) | ((centres > lower) & (centres < upper))).all(1)
    centres, radius = centres[near], radius[near]
    room = len(radius) + radii.size
    width = max(widest, (np.prod(upper - lower) / (CELLS * room)) ** (1 / 3))
    cells = np.maximum(1, ((upper - lower) / width).astype(np.int64))
    taken = Occupied(
        lower=lower, period=period, scale=cells / (upper - lower), last=np.full(cells, -1), before=np.full(room, -1),
        centre=np.empty((3, room)), radius=np.empty(room),
    )  # fmt: skip
    add_spheres(np.ascontiguousarray(centres.T), radius, taken)
    return taken, np.array([len(radius)])
