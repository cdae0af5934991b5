"""Bonds in pictures: rows of balls of their diameter between the two bodies, as long as they hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.model.bodies import Spheres
from dem.model.rest import turned
from dem.plots.bodies import positions, spheres

if TYPE_CHECKING:
    from dem.files.trajectory import Trajectory

SPACING = 0.25  # of the diameter, from ball to ball
TORN = 3.0  # of the length at rest: longer ones go through a periodic face


def bodies(run: Trajectory, frame: int) -> Spheres:
    """Spheres of all particles in a frame, with those of the bonds that hold, owned by the first particle of each."""
    own, bonds = spheres(run, frame), run.bonds
    if bonds is None:
        return own
    x, made = positions(run, frame), bonds.made
    i, j = made.pairs.T
    turning = made.anchors.any()
    q = run.orientation[frame].astype(float) if turning else None
    one = x[i] + (turned(q[i], made.anchors[:, 0]) if turning else 0.0)
    other = x[j] + (turned(q[j], made.anchors[:, 1]) if turning else 0.0)
    other[j < 0] = made.ground
    length = np.linalg.norm(other - one, axis=1)
    holds = np.flatnonzero(~bonds.broken[frame] & (length < TORN * made.geometry.length))
    number = max(1, math.ceil(float((made.geometry.length / made.diameter).max()) / SPACING))
    along = (np.arange(1, number) / number)[:, None, None]
    between = (one[holds] + along * (other - one)[holds]).reshape(-1, 3)
    return Spheres(
        np.concatenate([own.centres, between]),
        np.concatenate([own.radii, np.tile(0.5 * made.diameter[holds], number - 1)]),
        np.concatenate([own.owner, np.tile(i[holds], number - 1)]),
    )
