"""Triangles of walls at time 0 for pictures and exports; round walls consist of flat segments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.walls import geometry
from dem.kernels.walls.wall_registry import KINDS
from dem.model.walls.mesh_builders import Triangles, turned

if TYPE_CHECKING:
    from dem.model.walls.wall_shapes import WallShape

STEPS = 96  # segments of a circle


def triangles_of(shape: WallShape, middle: np.ndarray, size: float) -> Triangles:
    """Vertices (V, 3) [m] and triangles (F, 3) of a wall; a square for an infinite plane.

    The middle of the square is at the point `middle` (3,), or below that; its edge is `size` long [m]. A wall of
    another package without `triangles` has none: pictures and exports leave it out.
    """
    a = shape.numbers
    if shape.surface is not None:
        return shape.surface.vertices, shape.surface.triangles
    if shape.kind in KINDS and not isinstance(shape.kind, int):
        own = KINDS[shape.kind].triangles
        return own(a) if own else (np.zeros((0, 3)), np.zeros((0, 3), int))
    if shape.kind == geometry.PLANE:
        n = a[:3]
        u = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
        u *= size / np.linalg.norm(u)
        return _parallelogram(middle - (middle @ n - a[3]) * n, u, np.cross(n, u))
    if shape.kind == geometry.RECTANGLE:
        return _parallelogram(a[:3], 2 * a[12] * a[3:6], 2 * a[13] * a[6:9])
    if shape.kind == geometry.BLOCK:
        half = [a[12] * a[3:6], a[13] * a[6:9], a[14] * a[9:12]]
        corner = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
        faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        found = [t for i, j, k, m in faces for t in ((i, j, k), (i, k, m))]
        return a[:3] + corner @ np.array(half), np.array(found)
    return _round(*_profile(shape))


def _parallelogram(centre: np.ndarray, edge: np.ndarray, other: np.ndarray) -> Triangles:
    """Two triangles by a middle and two whole edges."""
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    return centre + 0.5 * signs @ np.array([edge, other]), np.array([[0, 1, 2], [0, 2, 3]])


def _profile(shape: WallShape) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Origin, axis and points (r, z) of the profile of a surface of revolution."""
    a, turn = shape.numbers, np.linspace(-0.5 * math.pi, 0.5 * math.pi, STEPS // 2 + 1)
    if shape.kind == geometry.BALL:
        return a[:3], np.array([0.0, 0.0, 1.0]), a[3] * np.column_stack([np.cos(turn), np.sin(turn)])
    if shape.kind == geometry.CAPSULE:
        half = float(np.linalg.norm(a[3:6]))
        z = a[6] * np.sin(turn) + np.where(turn < 0, -half, half)
        return a[:3], a[3:6] / half, np.column_stack([a[6] * np.cos(turn), z])
    if shape.kind == geometry.TORUS:
        around = np.linspace(0, 2 * math.pi, STEPS // 2 + 1)
        return a[:3], a[3:6], np.column_stack([a[9] + a[10] * np.cos(around), a[10] * np.sin(around)])
    if shape.kind == geometry.REVOLUTION:
        return a[:3], a[3:6], a[10:].reshape(-1, 2)
    message = f"walls of the kind {shape.kind} have no triangles: call dem.register_wall for it"
    raise ValueError(message)


def _round(origin: np.ndarray, axis: np.ndarray, profile: np.ndarray) -> Triangles:
    """Surface of revolution of points (r, z) about an axis; r is cut off at 0, which rounding may miss."""
    vertices, triangles = turned(np.maximum(profile, [0.0, -np.inf]), segments=STEPS)
    side = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    side /= np.linalg.norm(side)
    return origin + vertices @ np.array([side, np.cross(axis, side), axis]), triangles
