"""Surface meshes of convex shapes in pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.model.shapes.bodies import Surfaces, place_surfaces
from dem.plots.bodies import positions
from dem.plots.rendering.render import Meshes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.files.reading.trajectory import Trajectory
    from dem.model.shapes.bodies import Spheres


def corner_normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Unit normals at the corners of triangles (T, 3, 3): means of the adjacent triangles, weighted by area."""
    a, b, c = vertices[triangles].transpose(1, 0, 2)
    area = np.cross(b - a, c - a)
    summed = np.column_stack([
        np.bincount(triangles.ravel(), np.repeat(area[:, k], 3), len(vertices)) for k in range(3)
    ])  # fmt: skip
    length = np.linalg.norm(summed, axis=1)[:, None]
    return (summed / np.where(length > 0, length, 1.0))[triangles]


def has_surfaces(run: Trajectory) -> bool:
    """Whether a variant of a run has a surface mesh of its own."""
    return any(variant.surface for variant in run.variants)


def surfaces(run: Trajectory, frame: int) -> Surfaces:
    """Surface meshes of the particles in a frame, wrapped into a periodic box particle by particle."""
    there = run[frame]
    return place_surfaces(positions(run, frame), there.orientation, there.variant, run.variants)


def inside_of_surfaces(run: Trajectory, frame: int, spheres: Spheres) -> np.ndarray:
    """Mask (S,) of the spheres inside surface meshes; spheres after those of particles are not."""
    has_one = np.array([variant.surface is not None for variant in run.variants])[run[frame].variant]
    number = np.array([len(variant.radii) for variant in run.variants])[run[frame].variant]
    inside = np.repeat(has_one, number)
    return np.concatenate([inside, np.zeros(len(spheres.radii) - len(inside), bool)])


def meshes(run: Trajectory, frames: Sequence[int], colours: Sequence[np.ndarray]) -> Meshes | None:
    """Surface meshes of particles in some frames, with colours (N, 3) in each; None if no particle has one."""
    if not has_surfaces(run):
        return None
    parts = []
    for frame, colour in zip(frames, colours, strict=True):
        own = surfaces(run, frame)
        size = np.array([variant.surface.scale if variant.surface else 0.0 for variant in run.variants])
        bound = np.column_stack([positions(run, frame), size[run[frame].variant]])
        parts.append(Meshes(
            own.vertices[own.triangles], corner_normals(own.vertices, own.triangles), colour[own.owner],
            bound[bound[:, 3] > 0],
        ))  # fmt: skip
    return Meshes(*(np.concatenate(each) for each in zip(*parts, strict=True)))
