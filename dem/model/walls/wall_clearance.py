"""Check that positions keep a distance from walls."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dem.base.periodic import PeriodicCell
from dem.base.quaternions import rotate_back
from dem.kernels.walls.geometry import clearances
from dem.model.walls.wall_shapes import geometry_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.kernels.walls.geometry import Geometry
    from dem.model.domain.regions import Region
    from dem.model.walls.wall import Wall


@dataclass
class Clear:
    """Test of which positions of bodies overlap no wall, with walls at time 0."""

    walls: Sequence[Wall]
    bodies: list[tuple[np.ndarray, np.ndarray]]  # offsets (K, 3) and radii (K,) of the spheres of each [m]
    inside: Region | None = None  # in which all spheres are to be
    cell: PeriodicCell = field(default_factory=PeriodicCell.orthogonal)  # walls and region act in it by nearest images
    # of the walls, by number and by the power of two [m] up to which radii of spheres go
    geometries: dict[tuple[int, ...], Geometry] = field(default_factory=dict)

    def of(self, position: np.ndarray, orientation: np.ndarray, first: int) -> np.ndarray:
        """Which offered poses (M, 3), (M, 4) are clear of walls for every body from number `first` on (M,)."""
        clear = np.ones(len(position), bool)
        alike = {(offsets.tobytes(), radii.tobytes()): (offsets, radii) for offsets, radii in self.bodies[first:]}
        reach = max(float(radii.max()) for _, radii in alike.values())
        groups = self._groups()
        largest = max(alike.values(), key=lambda one: float((np.linalg.norm(one[0], axis=1) + one[1]).max()))
        for offset, radius in zip(*largest, strict=True):
            twice = 2 * np.cross(orientation[:, 1:], offset)
            centres = position + offset + orientation[:, :1] * twice + np.cross(orientation[:, 1:], twice)
            for group in groups:
                near, found = self._images(centres, group), np.empty(len(centres))
                clearances(np.ascontiguousarray(near.T), self._geometry(group, reach), found)
                clear &= found > radius
                for wall in group:
                    clear &= ~self.walls[wall].inside_shell(near)
            if self.inside:
                clear &= self.inside.depth(centres - self.inside.image_shift(centres, self.cell)) > radius
        return clear

    def _groups(self) -> list[tuple[int, ...]]:
        """Groups of walls, by number: one of all; in a periodic cell, which has other images for each, one each."""
        every = tuple(range(len(self.walls)))
        if self.cell.length.any():
            return [(wall,) for wall in every]
        return [every] if every else []

    def _images(self, points: np.ndarray, group: tuple[int, ...]) -> np.ndarray:
        """Images of points (M, 3) nearest to the middle of the walls."""
        if not self.cell.length.any():
            return points
        around = points - self.walls[group[0]].middle
        return points - (around - self.cell.nearest(around.T).T)

    def _geometry(self, group: tuple[int, ...], reach: float) -> Geometry:
        """Walls for spheres of a radius up to the reach [m], or a little larger: made once for like sizes."""
        size = math.ceil(math.log2(reach))
        key = (*group, size)
        if key not in self.geometries:
            shapes = [self.walls[wall].shape for wall in group]
            self.geometries[key] = geometry_of(shapes, reach=2.0**size * (1 + 1e-6))
        return self.geometries[key]


def distances(
    wall: Wall, position: np.ndarray, orientation: np.ndarray, points: np.ndarray, *, reach: float
) -> np.ndarray:
    """Distance of points (M, 3) from a wall with this position (3,) and orientation (4,) (M,) [m].

    It is negative inside of a solid. Distances from meshes may be larger than they are where they exceed the reach [m].
    """
    found = np.empty(len(points))
    at_start = wall.middle + rotate_back(orientation, points - position)
    clearances(np.ascontiguousarray(at_start.T), geometry_of([wall.shape], reach=reach), found)
    return found


def clear_of(
    walls: Sequence[Wall],
    hulls: list[tuple[np.ndarray, np.ndarray]],
    inside: Region | None = None,
    period: Sequence[float] = (0.0, 0.0, 0.0),
) -> Clear | None:
    """Test of positions against walls and a region, see `Clear`; None if there are neither.

    The period (3,) is 0 along axes that have none [m].
    """
    return Clear(walls, hulls, inside, PeriodicCell.orthogonal(length=period)) if walls or inside else None
