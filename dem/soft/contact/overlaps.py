"""Overlaps of all spheres at one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds
from dem.kernels.soft.wall_contact import wall_report
from dem.kernels.soft.wall_contact.wall_arrays import has_walls
from dem.model.domain.box import FACES
from dem.soft.contact.capsules import meetings
from dem.soft.contact.convex_bodies import convex_meetings, face_overlaps

if TYPE_CHECKING:
    from dem.base.periodic import PeriodicCell
    from dem.kernels.domain.faces import BoxFaces
    from dem.kernels.soft.state import Bodies, Kinds

DEEPEST = 0.5  # overlap over the smaller radius at which a run is stopped, unless told otherwise


class Deepest(NamedTuple):
    """The overlap that is largest in terms of the smaller radius."""

    share: float  # of the smaller radius
    overlap: float  # [m]
    sphere: int
    other: int  # sphere, or -1 - face for a wall, of those beside the box -7 - its number


class Overlaps(NamedTuple):
    """Overlaps at one moment; negative where there is a gap, and for walls that a particle has left for good."""

    owner: np.ndarray  # (M,) identity of the particle of each sphere
    radius: np.ndarray  # (M,) [m]
    i: np.ndarray  # (K,) spheres of the pairs
    j: np.ndarray  # (K,)
    pair: np.ndarray  # (K,) [m]
    wall: np.ndarray  # (M,) with the nearest wall [m]
    face: np.ndarray  # (M,) which one that is
    count: int  # pairs and walls that are touched
    most: int = 0  # contacts of one sphere with walls that are no faces of the box
    out: np.ndarray | None = None  # (3, M) unit normal of that wall, if it is no face of the box

    @classmethod
    def of(
        cls,
        bodies: Bodies,
        kinds: Kinds,
        faces: BoxFaces,
        candidates: tuple[np.ndarray, np.ndarray],
        cell: PeriodicCell,
    ) -> Overlaps:
        """Overlaps of candidate pairs, and of all spheres, which have been placed, with the nearest wall."""
        b = bodies
        radius = radii(b, kinds)
        i, j = candidates
        x = b.sphere_position
        if isinstance(kinds, ConvexBodyKinds):
            pair = convex_meetings(b, kinds, faces, i, j).overlap
        else:
            apart = meetings(b, kinds, i, j, cell, np.zeros_like(x)).gap
            pair = radius[i] + radius[j] - np.linalg.norm(apart, axis=0)
        deep = face_depths(b, kinds, faces)
        count = int((pair > 0).sum() + (deep > 0).sum())
        wall, face, out, most = deep.max(0), deep.argmax(0), None, 0
        if has_walls(faces):
            deep, which, out, number = in_walls(b, kinds, faces)
            count, most = count + int(number.sum()), int(number.max(initial=0))
            wall, face = np.maximum(wall, deep), np.where(deep > wall, len(FACES) + which, face)
        return cls(b.identity[b.owner], radius, i, j, pair, wall, face, count, most, out)

    def normal(self, spheres: np.ndarray) -> np.ndarray:
        """Direction across the nearest wall of some spheres (T,): (3, T)."""
        face = self.face[spheres]
        across = np.eye(3)[:, np.minimum(face, len(FACES) - 1) // 2]
        return across if self.out is None else np.where(face < len(FACES), across, self.out[:, spheres])

    def deepest(self) -> Deepest:
        """The deepest of all; of equals that of the lowest identities."""
        share = self.wall / self.radius
        s = largest(share, self.owner)
        found = Deepest(float(share[s]), float(self.wall[s]), s, -1 - int(self.face[s]))
        if self.pair.size:
            share = self.pair / np.minimum(self.radius[self.i], self.radius[self.j])
            k = largest(share, self.owner[self.i], self.owner[self.j], self.i, self.j)
            if share[k] > found.share:
                found = Deepest(float(share[k]), float(self.pair[k]), int(self.i[k]), int(self.j[k]))
        return found


def radii(b: Bodies, kinds: Kinds) -> np.ndarray:
    """Radius of each sphere in contact laws (M,) [m]."""
    return kinds.radius[kind_spheres(b, kinds)]


def kind_spheres(b: Bodies, kinds: Kinds) -> np.ndarray:
    """Row of each sphere (M,) in the arrays of `Kinds` that have a row for each sphere of a kind."""
    return kinds.first_offset[b.kind[b.owner]] + np.arange(b.owner.size) - b.first_sphere[b.owner]


def face_depths(b: Bodies, kinds: Kinds, faces: BoxFaces) -> np.ndarray:
    """Overlaps of all spheres, which have been placed, with the six faces of a box (6, M) [m]; negative if apart."""
    if isinstance(kinds, ConvexBodyKinds):
        deep = face_overlaps(b, kinds, faces)
    else:
        x = b.sphere_position
        height = np.stack([x - faces.lower[:, None], faces.upper[:, None] - x], axis=1).reshape(6, -1)
        deep = radii(b, kinds) - height
    deep[:, away_from_walls(b, kinds)] = -np.inf
    return deep


def away_from_walls(b: Bodies, kinds: Kinds) -> np.ndarray:
    """Spheres (M,) that no wall meets: of bodies that have left for good, or are fixed."""
    return (b.is_removed[0, b.owner] != 0) | (kinds.inverse_mass[b.kind[b.owner]] == 0)


def in_walls(b: Bodies, kinds: Kinds, faces: BoxFaces) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Largest overlap of every placed sphere with a wall that is not of the box, and the number of that wall.

    And the unit normal from it, and the number of contacts with such walls: (M,) [m], (M,), (3, M), (M,).
    """
    spheres = b.owner.size
    deep, which = np.full(spheres, -np.inf), np.zeros(spheres, np.int64)
    normal, number = np.zeros((3, spheres)), np.zeros(spheres, np.int64)
    wall_report.measure(b, kinds, faces, deep, which, normal, number)
    apart = away_from_walls(b, kinds)
    deep[apart], number[apart] = -np.inf, 0
    return deep, which, normal, number


def largest(values: np.ndarray, *keys: np.ndarray) -> int:
    """Index of the largest value; among equal values, that of the smallest keys, compared in their order."""
    first = int(values.argmax())  # a NaN, if there is any
    equal = np.flatnonzero(values == values[first])
    return first if len(equal) < 2 else int(equal[np.lexsort([key[equal] for key in reversed(keys)])[0]])
