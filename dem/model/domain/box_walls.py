"""A box as the kernels know it: where its walls are at a time, and positions folded into its periodic cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base.periodic import PeriodicCell
from dem.kernels.compiler.jit import select
from dem.kernels.compiler.selection import function_for
from dem.kernels.domain.faces import BoxFaces, RoughFaces, move
from dem.kernels.domain.periodic import PeriodicFaces, RoughPeriodicFaces, image_at_rest, image_velocity
from dem.model.domain.box import AXES, FACES

if TYPE_CHECKING:
    from dem.model.domain.box import Box


DOMAINS = {}  # functions that make a domain of the kernels, by the type of the box; all others are made of faces


def faces_of(box: Box | None) -> BoxFaces:
    """Domain of a box: its faces, those that are open, periodic or absent at infinity, and its periodic cell."""
    return DOMAINS.get(type(box), orthogonal_domain)(box)


def orthogonal_domain(box: Box | None) -> BoxFaces | PeriodicFaces | RoughFaces | RoughPeriodicFaces:
    """Domain of a box at right angles."""
    rest = np.array([-np.inf, np.inf] * 3)
    drift, swing, rate, phase = np.zeros((3, 6)), np.zeros((3, 6)), np.zeros(6), np.zeros(6)
    for k, face in enumerate(FACES if box else ()):
        if face not in box.absent:
            rest[k] = (box.upper if k % 2 else box.lower)[k // 2]
        if face in box.motion:
            motion = box.motion[face]
            drift[:, k], swing[:, k] = motion.velocity, motion.amplitude
            rate[k], phase[k] = 2 * np.pi * motion.frequency, motion.phase
    faces = BoxFaces(
        lower=rest[0::2].copy(), upper=rest[1::2].copy(), velocity=np.zeros((3, 6)), shift=np.zeros((3, 6)),
        moving=bool(box and box.motion), rest=rest, drift=drift, swing=swing, rate=rate, phase=phase,
    )  # fmt: skip
    rough = (box.roughness, box.seed) if box and box.roughness > 0 else ()
    if not (box and box.periodic):
        return RoughFaces(*faces, *rough) if rough else faces
    length = [size if axis in box.periodic else 0.0 for axis, size in zip(AXES, box.size, strict=True)]
    inverse = [1 / size if size else 0.0 for size in length]
    cell = [np.array(values, dtype=float) for values in (box.lower, length, inverse)]
    return RoughPeriodicFaces(*faces, *cell, *rough) if rough else PeriodicFaces(*faces, *cell)


def has_moving_images(box: Box | None) -> bool:
    """Whether the periodic images of particles in a box move relative to each other, as in a cell that deforms."""
    domain = type(faces_of(box))
    return function_for(domain, image_velocity.functions) is not image_at_rest


def no_cell(box: BoxFaces) -> PeriodicCell:
    """Cell of a domain that is not periodic: without edges."""
    return PeriodicCell.orthogonal()


def orthogonal_cell(box: PeriodicFaces) -> PeriodicCell:
    """Cell of a domain at right angles."""
    return PeriodicCell.orthogonal(box.corner, box.length)


cell_of = select("box", {BoxFaces: no_cell, PeriodicFaces: orthogonal_cell})  # cell as it is now, in Python


def walls_at(box: Box | None, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper walls (3,), (3,) [m], where they are at a time; infinite where there is none."""
    faces = faces_of(box)
    if faces.moving:
        move(time, faces)
    return faces.lower, faces.upper


def fold(position: np.ndarray, box: Box | None) -> tuple[np.ndarray, np.ndarray]:
    """Positions (N, 3) in the periodic cell, and the cells that they are further along; empty if none is periodic."""
    if not (box and box.periodic):
        return position, np.zeros((0, 3))
    periodic = np.array([axis in box.periodic for axis in AXES])
    image = np.where(periodic, np.floor((position - box.lower) / box.size), 0.0)
    return position - image * box.size, image
