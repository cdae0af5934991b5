"""Spheres inside a closed mesh that represent a scanned particle."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dem.base import checks
from dem.model.shapes.convex_hull import Moments, is_closed, mesh_moments
from dem.model.shapes.shape import MAX_SPHERES

PORTION = 2_000_000  # pairs of places and triangles that are looked at together


class MeshFit(NamedTuple):
    """Deviation of the spheres of a clump from the mesh that they approximate.

    Examples
    --------
    >>> round(MeshFit(10, 8e-9, 7e-9, 1e-4, 3e-4).volume_ratio, 9)
    0.875
    """

    spheres: int
    mesh_volume: float  # [m³]
    clump_volume: float  # of the union of the spheres [m³]
    mean_distance: float  # of the surface of the mesh from the spheres, mean over its area [m]
    largest_distance: float  # [m]

    @property
    def volume_ratio(self) -> float:
        """Volume of the union of the spheres over that of the mesh."""
        return self.clump_volume / self.mesh_volume


def checked_mesh(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, Moments]:
    """Vertices, triangles and integrals of a closed mesh, outward; raises ValueError if it is open."""
    corners, inverse = np.unique(np.asarray(vertices, float), axis=0, return_inverse=True)
    faces = inverse.reshape(-1)[np.asarray(triangles)]
    if not is_closed(faces.tolist()):
        message = "the mesh is open, or its triangles are turned differently: repair it, for example with trimesh"
        raise ValueError(message)
    moments = mesh_moments(corners, faces)
    if moments.volume < 0:
        faces, moments = faces[:, ::-1], mesh_moments(corners, faces[:, ::-1])
    return corners, faces, moments


def inscribed_spheres(
    vertices: np.ndarray, triangles: np.ndarray, spheres: int, cells: int, centre: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Centres (K, 3) and radii (K,) of the largest spheres inside of a mesh that together fill most of it.

    The points of a lattice inside of the mesh, and their distances from its surface, are the candidates (the Euclidean
    distance map of V. Angelidakis et al., SoftwareX 15 (2021) 100735). One after the other, that sphere is taken which
    covers the largest number of points that none has covered yet. A single sphere is that about the centre of mass
    (3,), if this is inside of the mesh.
    """
    if spheres == 1 and _inside(centre[None], vertices, triangles)[0]:
        return centre[None], distances(centre[None], vertices, triangles)
    low, high = vertices.min(0), vertices.max(0)
    step = float((high - low).max()) / cells
    axes = [low[k] + step * (0.5 + np.arange(max(1, math.ceil((high[k] - low[k]) / step - 1e-9)))) for k in range(3)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    points = points[_inside(points, vertices, triangles)]
    if not len(points):
        raise ValueError(f"no place of a lattice with {cells} cells is inside the mesh: take more cells")
    radius = distances(points, vertices, triangles)
    square = radius**2
    left = np.ones(len(points), dtype=bool)
    covered = np.zeros(len(points), dtype=np.int64)  # points left in the sphere about each point
    for point in points:
        covered += ((points - point) ** 2).sum(1) <= square
    chosen = []
    for _ in range(spheres):
        if not left.any():
            break
        best = int(np.lexsort((-radius, -covered))[0])
        chosen.append(best)
        found = left & (((points - points[best]) ** 2).sum(1) <= square[best])
        for point in points[found]:
            covered -= ((points - point) ** 2).sum(1) <= square
        left &= ~found
    return points[chosen], radius[chosen]


def distances(points: np.ndarray, vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Distances (N,) of points (N, 3) from the triangles of a mesh [m]."""
    p, q, s = (vertices[triangles[:, k]] for k in range(3))
    normal = np.cross(q - p, s - p)
    normal = normal / np.sqrt((normal**2).sum(1))[:, None]
    found = np.empty(len(points))
    portion = max(1, PORTION // len(triangles))
    for start in range(0, len(points), portion):
        x = points[start : start + portion, None]
        nearest = np.full((len(x), len(triangles)), np.inf)
        above = np.ones(nearest.shape, dtype=bool)
        for a, b in ((p, q), (q, s), (s, p)):
            edge = b - a
            share = np.clip(((x - a) * edge).sum(2) / (edge**2).sum(1), 0.0, 1.0)
            nearest = np.minimum(nearest, ((x - a - share[..., None] * edge) ** 2).sum(2))
            above &= ((x - a) * np.cross(normal, edge)).sum(2) >= 0.0
        nearest = np.where(above, ((x - p) * normal).sum(2) ** 2, nearest)
        found[start : start + portion] = np.sqrt(nearest.min(1))
    return found


def _inside(points: np.ndarray, vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Whether points (N, 3) are inside of a closed mesh: its solid angle is 4 π (van Oosterom & Strackee 1983)."""
    found = np.empty(len(points), dtype=bool)
    portion = max(1, PORTION // len(triangles))
    for start in range(0, len(points), portion):
        a, b, c = (vertices[triangles[:, k]] - points[start : start + portion, None] for k in range(3))
        la, lb, lc = (np.sqrt((u**2).sum(2)) for u in (a, b, c))
        volume = (a * np.cross(b, c)).sum(2)
        rest = la * lb * lc + (a * b).sum(2) * lc + (b * c).sum(2) * la + (c * a).sum(2) * lb
        angle = np.angle(rest + 1j * volume)
        found[start : start + portion] = angle.sum(1) > math.pi
    return found


def fit_of(
    vertices: np.ndarray, triangles: np.ndarray, centres: np.ndarray, radii: np.ndarray, volumes: tuple[float, float]
) -> MeshFit:
    """Deviation of spheres from a mesh at the middle of each triangle, weighted by area, given both volumes."""
    p, q, s = (vertices[triangles[:, k]] for k in range(3))
    area = np.sqrt((np.cross(q - p, s - p) ** 2).sum(1))
    corners = np.array([_gap(x, centres, radii) for x in vertices])
    middles = np.array([_gap(x, centres, radii) for x in (p + q + s) / 3])
    mean = float((area * middles).sum() / area.sum())
    return MeshFit(len(radii), *volumes, mean, float(max(corners.max(), middles.max())))


def _gap(x: np.ndarray, centres: np.ndarray, radii: np.ndarray) -> float:
    """Distance of a place from the nearest sphere [m]."""
    return float(np.abs((np.sqrt(((centres - x) ** 2).sum(1)) - radii).min()))


def checked_counts(spheres: int, cells: int) -> tuple[int, int]:
    """Checked numbers of spheres and of cells along the longest side."""
    count = checks.whole("spheres", spheres, least=1)
    if count > MAX_SPHERES:
        raise ValueError(f"spheres is {count}, expected at most the {MAX_SPHERES} that one particle may have")
    return count, checks.whole("cells", cells, least=2)
