"""Overlaps of all spheres at one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernels.contact import place_all

if TYPE_CHECKING:
    from dem.engine import Engine


class Overlaps(NamedTuple):
    """Overlaps at one moment; negative where there is a gap."""

    owner: np.ndarray  # (M,) the user's number of the particle of each sphere
    radius: np.ndarray  # (M,) [m]
    i: np.ndarray  # (K,) spheres of the pairs
    j: np.ndarray  # (K,)
    pair: np.ndarray  # (K,) [m]
    wall: np.ndarray  # (M,) with the nearest wall [m]

    @classmethod
    def of(cls, engine: Engine) -> Overlaps:
        """Overlaps of the present candidate pairs, and of all spheres with the nearest wall."""
        b, kinds, walls = engine.bodies, engine.kinds, engine.walls
        place_all(b, kinds)
        within = np.arange(b.owner.size) - b.first_sphere[b.owner]
        radius = kinds.radius[kinds.first_offset[b.kind[b.owner]] + within]
        i, j = engine.candidates()
        x = b.sphere_position
        gap = x[:, i] - x[:, j]
        for axis, (_, length) in enumerate(engine.periods()):
            gap[axis] -= length * np.floor(gap[axis] / (length or 1) + 0.5)
        pair = radius[i] + radius[j] - np.linalg.norm(gap, axis=0)
        wall = radius - np.minimum(x - walls.lower[:, None], walls.upper[:, None] - x).min(0)
        return cls(b.identity[b.owner], radius, i, j, pair, wall)
