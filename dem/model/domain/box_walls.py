"""Convert a box to arrays of the kernels: positions of faces, and positions wrapped into its periodic cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base.periodic import PeriodicCell
from dem.base.portable import inverse, row_lengths, times
from dem.kernels.compiler.jit import select
from dem.kernels.compiler.selection import function_for
from dem.kernels.domain.deforming_cell import COLUMNS, LOWER, DeformingFaces, deforms
from dem.kernels.domain.faces import BoxFaces, RoughFaces, move
from dem.kernels.domain.periodic import PeriodicFaces, RoughPeriodicFaces, image_at_rest, image_velocity
from dem.model.domain.box import AXES, FACES
from dem.model.domain.cell import INERTIA, Cell

if TYPE_CHECKING:
    from dem.model.domain.box import Box


def faces_of(box: Box | None) -> BoxFaces:
    """Domain of a box: its faces, those that are open, periodic or absent at infinity, and its periodic cell."""
    return DOMAINS.get(type(box), orthogonal_domain)(box)


def orthogonal_domain(box: Box | None) -> BoxFaces | PeriodicFaces | RoughFaces | RoughPeriodicFaces:
    """Domain of a box at right angles."""
    start_position = np.array([-np.inf, np.inf] * 3)
    drift, amplitude, rate, phase = np.zeros((3, 6)), np.zeros((3, 6)), np.zeros(6), np.zeros(6)
    for k, face in enumerate(FACES if box else ()):
        if face not in box.absent:
            start_position[k] = (box.upper if k % 2 else box.lower)[k // 2]
        if face in box.motion:
            motion = box.motion[face]
            drift[:, k], amplitude[:, k] = motion.velocity, motion.amplitude
            rate[k], phase[k] = 2 * np.pi * motion.frequency, motion.phase
    faces = BoxFaces(
        lower=start_position[0::2].copy(), upper=start_position[1::2].copy(),
        velocity=np.zeros((3, 6)), shift=np.zeros((3, 6)),
        moving=bool(box and box.motion), start_position=start_position, drift=drift,
        amplitude=amplitude, rate=rate, phase=phase,
    )  # fmt: skip
    rough = (box.roughness, box.seed) if box and box.roughness > 0 else ()
    if not (box and box.periodic):
        return RoughFaces(*faces, *rough) if rough else faces
    length = [size if axis in box.periodic else 0.0 for axis, size in zip(AXES, box.size, strict=True)]
    inverse = [1 / size if size else 0.0 for size in length]
    cell = [np.array(values, dtype=float) for values in (box.lower, length, inverse)]
    return RoughPeriodicFaces(*faces, *cell, *rough) if rough else PeriodicFaces(*faces, *cell)


def deforming_domain(box: Cell) -> DeformingFaces:
    """Domain of a deforming cell; values that depend on the particles are set later."""
    held, target = box.held
    inertia = (box.mass, box.damping) if box.control == INERTIA else (0.0, 0.0)  # -1 where the packing decides
    edges, scaled = np.array(box.edges), inverse(box.edges)
    rates = np.array([box.rate, *(rate for _, rate in box.rate_changes)])
    used = (rates != 0).any(axis=0).T | held | held.T  # as the power -V P : L, and stresses that are held, need them
    plain = orthogonal_domain(box)._asdict() | {
        "length": 1 / row_lengths(scaled), "inverse": row_lengths(scaled)
    }  # fmt: skip
    return DeformingFaces(
        **plain, edges=edges, to_scaled=scaled, gradient=np.zeros((3, 3)),
        next_edges=edges.copy(), next_to_scaled=scaled.copy(), next_gradient=np.zeros((3, 3)),
        place_map=np.eye(3), slow_map=np.eye(3), kick_map=np.eye(3), since_listing=np.eye(3), reach=np.zeros(1),
        strain=np.zeros((3, 3)), virial=np.zeros((2, 3, 3)), needed=np.ones((3, 3), np.int64),
        used=used.astype(np.int64), parts=np.zeros((1, COLUMNS), np.int64), unit=np.ones(3),
        held=held.astype(float), target=target, gain=np.array([box.gain or 0.0]),
        fastest=np.array([box.fastest or 0.0]),
        inertia=np.array([-1.0 if given is None else given for given in inertia]), edge_speed=np.zeros((3, 3)),
        integral=np.zeros((3, 3)), integral_time=np.ones(1), integral_band=np.zeros(1),
        times=np.array([0.0, *(time for time, _ in box.rate_changes)]),
        rates=rates, form=np.full(2, LOWER),  # of any cell, until a step is predicted
    )  # fmt: skip


# functions that make a domain of the kernels, by the type of the box; all others are made of faces
DOMAINS = {Cell: deforming_domain}


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


def deforming_cell(box: DeformingFaces) -> PeriodicCell:
    """Cell of a domain that deforms."""
    return PeriodicCell(np.zeros(3), box.edges.copy())


# cell as it is now, in Python
cell_of = select("box", {BoxFaces: no_cell, PeriodicFaces: orthogonal_cell, DeformingFaces: deforming_cell})


def grid_space(box: BoxFaces, position: np.ndarray) -> tuple[PeriodicCell, np.ndarray]:
    """Orthogonal cell that is divided to find neighbours, and positions (3, N) in it."""
    if not deforms(box):
        return cell_of(box), position
    return PeriodicCell.orthogonal(length=box.length), np.ascontiguousarray(
        box.length[:, None] * times(box.to_scaled, position)
    )


def walls_at(box: Box | None, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the lower and upper walls at a time (3,), (3,) [m]; infinite without a wall."""
    faces = faces_of(box)
    if faces.moving:
        move(time, faces)
    return faces.lower, faces.upper


def fold(position: np.ndarray, box: Box | None) -> tuple[np.ndarray, np.ndarray]:
    """Positions (N, 3) wrapped into the periodic cell, and their image numbers; empty without periodic sides."""
    if not (box and box.periodic):
        return position, np.zeros((0, 3))
    if isinstance(box, Cell):
        edges = np.array(box.edges)
        image = np.floor(times(inverse(edges), position.T))
        return position - times(edges, image).T, image.T
    periodic = np.array([axis in box.periodic for axis in AXES])
    image = np.where(periodic, np.floor((position - box.lower) / box.size), 0.0)
    return position - image * box.size, image
