"""Overlaps of all spheres at one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from kernels.box.faces import Faces
    from kernels.soft.state import Bodies, Kinds

DEEPEST = 0.5  # overlap over the smaller radius at which a run is stopped, unless told otherwise


class Deepest(NamedTuple):
    """The overlap that is largest in terms of the smaller radius."""

    share: float  # of the smaller radius
    overlap: float  # [m]
    sphere: int
    other: int  # sphere, or -1 - face for a wall


class Overlaps(NamedTuple):
    """Overlaps at one moment; negative where there is a gap, and for walls that somebody has left for good."""

    owner: np.ndarray  # (M,) identity of the particle of each sphere
    radius: np.ndarray  # (M,) [m]
    i: np.ndarray  # (K,) spheres of the pairs
    j: np.ndarray  # (K,)
    pair: np.ndarray  # (K,) [m]
    wall: np.ndarray  # (M,) with the nearest wall [m]
    face: np.ndarray  # (M,) which one that is
    count: int  # pairs and walls that are touched

    @classmethod
    def of(
        cls,
        bodies: Bodies,
        kinds: Kinds,
        faces: Faces,
        candidates: tuple[np.ndarray, np.ndarray],
        periods: list[tuple[float, float]],
    ) -> Overlaps:
        """Overlaps of candidate pairs, and of all spheres, which have been placed, with the nearest wall."""
        b = bodies
        within = np.arange(b.owner.size) - b.first_sphere[b.owner]
        radius = kinds.radius[kinds.first_offset[b.kind[b.owner]] + within]
        i, j = candidates
        x = b.sphere_position
        pair = radius[i] + radius[j] - np.linalg.norm(gaps(x, i, j, periods), axis=0)
        height = np.stack([x - faces.lower[:, None], faces.upper[:, None] - x], axis=1).reshape(6, -1)
        height[:, b.left[0, b.owner] != 0] = np.inf
        count = int((pair > 0).sum() + (height < radius).sum())
        return cls(b.identity[b.owner], radius, i, j, pair, radius - height.min(0), height.argmin(0), count)

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


def gaps(x: np.ndarray, i: np.ndarray, j: np.ndarray, periods: list[tuple[float, float]]) -> np.ndarray:
    """From spheres j to spheres i, at x (3, M), the short way round: (3, K) [m]."""
    gap = x[:, i] - x[:, j]
    for axis, (_, length) in enumerate(periods):
        gap[axis] -= length * np.floor(gap[axis] / (length or 1) + 0.5)
    return gap


def largest(values: np.ndarray, *keys: np.ndarray) -> int:
    """Index of the largest value; of equals the one whose keys (the first one decides) come first."""
    first = int(values.argmax())  # a NaN, if there is any
    equal = np.flatnonzero(values == values[first])
    return first if len(equal) < 2 else int(equal[np.lexsort([key[equal] for key in reversed(keys)])[0]])
