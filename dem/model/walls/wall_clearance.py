"""Check that positions keep a distance from walls."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

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
    # of the walls, by the power of two [m] up to which radii of spheres go
    geometries: dict[int, Geometry] = field(default_factory=dict)

    def of(self, position: np.ndarray, orientation: np.ndarray, first: int) -> np.ndarray:
        """Which offered poses (M, 3), (M, 4) are clear of walls for every body from number `first` on (M,)."""
        clear = np.ones(len(position), bool)
        alike = {(offsets.tobytes(), radii.tobytes()): (offsets, radii) for offsets, radii in self.bodies[first:]}
        reach = max(float(radii.max()) for _, radii in alike.values())
        geometry = self._geometry(reach) if self.walls else None
        largest = max(alike.values(), key=lambda one: float((np.linalg.norm(one[0], axis=1) + one[1]).max()))
        for offset, radius in zip(*largest, strict=True):
            twice = 2 * np.cross(orientation[:, 1:], offset)
            centres = position + offset + orientation[:, :1] * twice + np.cross(orientation[:, 1:], twice)
            if self.walls:
                found = np.empty(len(centres))
                clearances(np.ascontiguousarray(centres.T), geometry, found)
                clear &= found > radius
            if self.inside:
                clear &= self.inside.depth(centres) > radius
            for wall in self.walls:
                clear &= ~wall.inside_shell(centres)
        return clear

    def _geometry(self, reach: float) -> Geometry:
        """Walls for spheres of a radius up to the reach [m], or a little larger: made once for like sizes."""
        size = math.ceil(math.log2(reach))
        if size not in self.geometries:
            self.geometries[size] = geometry_of([wall.shape for wall in self.walls], reach=2.0**size * (1 + 1e-6))
        return self.geometries[size]


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
    walls: Sequence[Wall], hulls: list[tuple[np.ndarray, np.ndarray]], inside: Region | None = None
) -> Clear | None:
    """Test of positions against walls and a region, see `Clear`; None if there are neither."""
    return Clear(walls, hulls, inside) if walls or inside else None
