"""Spheres inside a closed mesh that represent a scanned particle."""

from __future__ import annotations

import heapq
import math
from typing import NamedTuple

import numpy as np

from dem.base import checks
from dem.model.shapes.convex_hull import Moments, is_closed, mesh_moments
from dem.model.shapes.shape import MAX_SPHERES
from dem.model.walls.enclosure import winding_numbers

PORTION = 2_000_000  # pairs of places and triangles that are looked at together
SLACK = 1e-9  # by which distances that choose triangles are stretched, so that rounding leaves none out; of cells


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
    """Vertices, triangles and integrals of a closed mesh, outward; raises ValueError if it is open.

    Triangles of which two corners are one, as files of few digits have them, are left out.
    """
    corners, inverse = np.unique(np.asarray(vertices, float), axis=0, return_inverse=True)
    faces = inverse.reshape(-1)[np.asarray(triangles)]
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(1)]
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
    (3,), if this is inside of the mesh. Raises ValueError if no point is inside, or the surface goes round one more
    than once or the wrong way: the integrals over the inside would count it twice or with the wrong sign.
    """
    low, high = vertices.min(0), vertices.max(0)
    step = float((high - low).max()) / cells
    axes = [low[k] + step * (0.5 + np.arange(max(1, math.ceil((high[k] - low[k]) / step - 1e-9)))) for k in range(3)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    wound = winding_numbers(vertices, triangles, points.reshape(-1, 3)).reshape(points.shape[:3])
    odd = (wound != 0) & (wound != 1)
    if odd.any() and (distances(points[odd], vertices, triangles) > SLACK * step).any():
        message = (
            "the mesh intersects itself, or a part of it is inside out or inside of another: repair it, or unite parts"
        )
        raise ValueError(message)
    if spheres == 1 and winding_numbers(vertices, triangles, centre[None])[0] > 0:
        radius = distances(centre[None], vertices, triangles)
        if radius[0] > SLACK * step:
            return centre[None], radius
    inside, radius = wound > 0, np.zeros(wound.shape)
    radius[inside] = distances(points[inside], vertices, triangles)
    inside = radius > SLACK * step  # places on the surface are not
    if not inside.any():
        raise ValueError(f"no place of a lattice with {cells} cells is inside the mesh: take more cells")
    chosen = cover(axes, inside, radius, step, spheres)
    return points[chosen], radius[chosen]


def cover(
    axes: list[np.ndarray], inside: np.ndarray, radius: np.ndarray, step: float, spheres: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Choose points of a lattice, each of which covers by its sphere the most points that no sphere covers yet.

    axes, inside, radius: places along each axis (I,), (J,), (L,) [m]; of each point (I, J, L), (I, J, L) [m].
    step: of the lattice [m].
    Returns the indices of the chosen points along each axis, three arrays (K,).

    The number of points that a sphere would add never rises. So the sphere of the largest number, as counted some time
    before, is counted again, and is taken if it stays the first one (M. Minoux, Optimization Techniques (1978) 234).
    """
    most = math.ceil(radius.max() / step)
    squares = np.arange(-most, most + 1) ** 2
    norms = np.sort((squares[:, None, None] + squares[:, None] + squares).ravel())  # of lattice vectors
    bound = np.searchsorted(norms, (radius[inside] / step) ** 2 * (1 + 1e-9), side="right")
    ordered = zip((-bound).tolist(), (-radius[inside]).tolist(), np.flatnonzero(inside).tolist(), strict=True)
    queue, left, chosen = list(ordered), inside.copy(), []
    heapq.heapify(queue)
    while queue and len(chosen) < spheres:
        _, negative, number = queue[0]
        at = np.unravel_index(number, inside.shape)
        reach = math.ceil(-negative / step)
        box = tuple(slice(max(k - reach, 0), k + reach + 1) for k in at)
        x, y, z = ((axis[some] - axis[k]) ** 2 for axis, some, k in zip(axes, box, at, strict=True))
        covered = left[box] & ((x[:, None] + y)[:, :, None] + z <= negative**2)
        found = np.count_nonzero(covered)
        if not found:
            heapq.heappop(queue)
            continue
        heapq.heapreplace(queue, (-found, negative, number))
        if queue[0][2] == number:
            chosen.append(at)
            left[box] &= ~covered
    return tuple(np.array(chosen).T)


def distances(points: np.ndarray, vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Distances (N,) of points (N, 3) from the triangles of a mesh [m].

    Only those triangles are looked at whose circle about their middle may be as near as the nearest of others.
    """
    p, q, s = (vertices[triangles[:, k]] for k in range(3))
    middle = (p + q + s) / 3
    around = np.sqrt(np.max([((corner - middle) ** 2).sum(1) for corner in (p, q, s)], axis=0)) * (1 + SLACK)
    found, portion = np.empty(len(points)), max(1, PORTION // len(triangles))
    for start in range(0, len(points), portion):
        x = points[start : start + portion]
        away = np.sqrt(sum((x[:, None, k] - middle[:, k]) ** 2 for k in range(3)))
        of, t = np.nonzero(away - around <= (1 + SLACK) * (away + around).min(1)[:, None])
        squared = squared_distances(x[of], p[t], q[t], s[t])
        found[start : start + portion] = np.sqrt(np.minimum.reduceat(squared, np.searchsorted(of, np.arange(len(x)))))
    return found


def squared_distances(x: np.ndarray, p: np.ndarray, q: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Squared distance (K,) of each point (K, 3) from a triangle of its own, of these corners (K, 3) [m²]."""
    normal = np.cross(q - p, s - p)
    size = np.sqrt((normal**2).sum(1))
    nearest, above = np.full(len(x), np.inf), size > 0.0  # a triangle without area has edges only
    normal = normal / np.where(above, size, 1.0)[:, None]
    for a, b in ((p, q), (q, s), (s, p)):
        edge = b - a
        share = np.clip(((x - a) * edge).sum(1) / (edge**2).sum(1), 0.0, 1.0)
        nearest = np.minimum(nearest, ((x - a - share[:, None] * edge) ** 2).sum(1))
        above &= ((x - a) * np.cross(normal, edge)).sum(1) >= 0.0
    return np.where(above, ((x - p) * normal).sum(1) ** 2, nearest)


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
