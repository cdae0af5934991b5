"""What is drawn between two points of bodies: rods with round ends are spheres and one of these, bonds one each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dem.files.trajectory import Trajectory

Rod = tuple[int, list[float], int, list[float], float]  # body, point in its frame, body, point, radius [m]


def rods(run: Trajectory) -> list[Rod]:
    """Cylinders that show rods and bonds of a run; none where the file has none."""
    return [*_of_variants(run), *_of_bonds(run)]


def _of_variants(run: Trajectory) -> list[Rod]:
    """Of bodies that are segments: a variant that has `half_length` [m] and a radius, along body x."""
    found = []
    for number, each in enumerate(run.variants):
        half = float(getattr(each, "half_length", 0.0) or 0.0)
        if half > 0:
            radius = float(np.max(each.radii))
            members = np.flatnonzero(run.variant == number)
            found += [(int(n), [-half, 0.0, 0.0], int(n), [half, 0.0, 0.0], radius) for n in members]
    return found


def _of_bonds(run: Trajectory) -> list[Rod]:
    """Of a run that has `bonds`, rows of two numbers of particles: from centre to centre, half as thick as these."""
    bonds = getattr(run, "bonds", None)
    if bonds is None or not len(bonds):
        return []
    thick = np.array([float(np.min(each.radii)) for each in run.variants])[run.variant]
    origin = [0.0, 0.0, 0.0]
    pairs = np.asarray(bonds, int).reshape(-1, 2)
    return [(int(a), origin, int(b), origin, 0.5 * float(min(thick[a], thick[b]))) for a, b in pairs]
