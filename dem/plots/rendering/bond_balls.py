"""Bonds in pictures: rows of balls between the bodies of intact bonds, thicker ones where bonds have just broken."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.base.quaternions import rotate
from dem.model.shapes.bodies import Spheres
from dem.plots.bodies import all_positions, spheres

if TYPE_CHECKING:
    from dem.files.h5md.bonds import StoredBonds
    from dem.files.reading.trajectory import Trajectory

SPACING = 0.25  # of the diameter, from ball to ball
TORN = 3.0  # of the length at rest: longer ones go through a periodic face
THICK = 1.1  # times its diameter is a bond that just broke, so that it shows where bodies are as thick


def bodies(run: Trajectory, frame: int) -> Spheres:
    """Spheres of all particles in a frame, with those of the bonds that hold, owned by the first particle of each."""
    own, bonds = spheres(run, frame), run.bonds
    if bonds is None:
        return own
    rows = _rows(run, frame, bonds, ~bonds.broken[frame])
    return Spheres(*(np.concatenate(both) for both in zip(own, rows, strict=True)))


def snapped(run: Trajectory, frame: int) -> Spheres | None:
    """Spheres of the bonds that broke since the frame before, a little thicker; None where there are none."""
    bonds = run.bonds
    if bonds is None or frame == 0:
        return None
    new = bonds.broken[frame] & ~bonds.broken[frame - 1]
    return _rows(run, frame, bonds, new, THICK) if new.any() else None


def told(run: Trajectory, frame: int) -> str:
    """How many bonds are broken in a frame, in words; nothing if none is."""
    broken = 0 if run.bonds is None else int(run.bonds.broken[frame].sum())
    return f", {broken} of {run.bonds.broken.shape[1]} bonds broken" if broken else ""


def _rows(run: Trajectory, frame: int, bonds: StoredBonds, which: np.ndarray, thick: float = 1.0) -> Spheres:
    """Rows of balls between the bodies of some bonds."""
    x, made = all_positions(run, frame), bonds.made
    i, j = made.pairs.T
    turning = made.anchors.any()
    q = run.orientation[frame].astype(float) if turning else None
    one = x[i] + (rotate(q[i], made.anchors[:, 0]) if turning else 0.0)
    other = x[j] + (rotate(q[j], made.anchors[:, 1]) if turning else 0.0)
    other[j < 0] = made.ground
    length = np.linalg.norm(other - one, axis=1)
    shown = np.flatnonzero(which & (length < TORN * made.geometry.length))
    number = max(1, math.ceil(float((made.geometry.length / made.diameter).max()) / SPACING))
    along = (np.arange(1, number) / number)[:, None, None]
    between = (one[shown] + along * (other - one)[shown]).reshape(-1, 3)
    radii = np.tile(thick * 0.5 * made.diameter[shown], number - 1)
    return Spheres(between, radii, np.tile(i[shown], number - 1))
