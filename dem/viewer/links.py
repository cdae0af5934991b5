"""What is drawn between points of two bodies: bonds, each from where it is to where it is, as long as it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from dem.files.reading.trajectory import Trajectory

TORN = 3.0  # of the length at rest: longer ones go through a periodic face


class Rod(NamedTuple):
    """A cylinder between two points, in the frames of their bodies; the second may be -1, of the world."""

    body: int
    point: list[float]  # [m]
    other: int
    end: list[float]  # [m]
    radius: float  # [m]
    breaks: float | None  # time from which on it is not there any more [s]
    longest: float  # [m], beyond which it is not drawn


def rods(run: Trajectory) -> list[Rod]:
    """Rods that represent the bonds of a run; an empty list for a run without bonds."""
    bonds = getattr(run, "bonds", None)
    if bonds is None:
        return []
    made, pairs = bonds.made, np.asarray(bonds.pairs, int)
    ends = np.array(made.anchors, float)
    ends[pairs[:, 1] < 0, 1] = made.ground
    gone, first = bonds.broken.any(axis=0), bonds.broken.argmax(axis=0)
    return [
        Rod(
            int(pairs[b, 0]), ends[b, 0].tolist(), int(pairs[b, 1]), ends[b, 1].tolist(), 0.5 * float(made.diameter[b]),
            float(bonds.time[first[b]]) if gone[b] else None, TORN * float(made.geometry.length[b]),
        )
        for b in range(len(pairs))
    ]  # fmt: skip
