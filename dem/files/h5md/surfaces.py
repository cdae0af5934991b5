"""Surfaces of convex shapes as triangles in the tables of variants, so that readers need no shape classes.

``surface`` (K,) has the number of each variant's surface, from 1, and 0 of variants that look as their spheres do.
Scaled copies of a shape have one surface in common: ``surface_vertices`` are in units of ``surface_scale`` (K,) [m].
``surface_first`` (S + 1, 2) says where the vertices and the triangles (``surface_triangles``) of each of S surfaces
begin; triangles count the vertices of their surface from 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.model.shapes.bodies import SurfaceMesh
from dem.model.shapes.convex import is_convex, surface_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import h5py

    from dem.model.shapes.shape import Shape


def write(group: h5py.Group, shapes: Sequence[Shape], spheres: Sequence[int]) -> None:
    """Write the surfaces of variants with these shapes and numbers of spheres.

    A convex shape that is a ball looks as its one sphere does. Nothing is written where all variants do.
    """
    found, of_each, scale = {}, np.zeros(len(shapes), np.int32), np.ones(len(shapes))
    for k, shape in enumerate(shapes):
        if is_convex(shape) and spheres[k] > 1:
            vertices, triangles = surface_of(shape)
            scale[k] = float(np.sqrt((vertices * vertices).sum(1)).max())
            unit, corners = (vertices / scale[k]).astype(np.float32), triangles.astype(np.int32)
            of_each[k], _, _ = found.setdefault((unit.tobytes(), corners.tobytes()), (len(found) + 1, unit, corners))
    if not found:
        return
    group["surface"], group["surface_scale"] = of_each, scale
    group["surface_vertices"], group["surface_triangles"] = (
        np.concatenate([each[part] for each in found.values()]) for part in (1, 2)
    )
    lengths = [(len(vertices), len(triangles)) for _, vertices, triangles in found.values()]
    group["surface_first"] = np.cumsum([(0, 0), *lengths], axis=0)


def read(stored: Mapping[str, np.ndarray], variants: int) -> list[SurfaceMesh | None]:
    """Surface mesh of each variant from the tables of variants; None for shapes of spheres."""
    if "surface" not in stored:
        return [None] * variants
    first = stored["surface_first"]
    parts = [
        (stored["surface_vertices"][v:next_v].astype(float), stored["surface_triangles"][t:next_t])
        for (v, t), (next_v, next_t) in zip(first[:-1].tolist(), first[1:].tolist(), strict=True)
    ]
    return [
        SurfaceMesh(*parts[number - 1], scale) if number else None
        for number, scale in zip(stored["surface"].tolist(), stored["surface_scale"].tolist(), strict=True)
    ]
