"""Points that a closed surface of triangles encloses.

A ray from a point crosses a closed surface an odd number of times if the surface encloses the point. Each connected
part of a surface is counted by itself, so that the cavity of a vessel with two faces, one within the other, is enclosed
by the outer one. M. Shimrat, Comm. ACM 5 (1962) 434.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.base.quaternions import rotate
from dem.model.domain.regions import Region
from dem.model.walls.welding import components, edges_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.model.walls.mesh import Mesh

FINEST = 64  # cells along each of two axes in which triangles are looked up, at most
SPREAD = 16  # cells that a triangle lies in, in the mean, at most
PORTION = 2**18  # pairs of a point and a triangle that are computed together
VIEW = np.array([0.7, 0.31, 0.53, 0.37]) / math.sqrt(1.0039)  # rays along no axis, edge or symmetry of common meshes


def is_closed(mesh: Mesh) -> bool:
    """Whether a mesh is closed: no rim, no partition, and one consistent winding."""
    return not len(mesh.report.rims) and mesh.report.volume is not None


def parts_of(triangles: np.ndarray) -> np.ndarray:
    """Number of the connected part of each triangle (F,), from 0 on."""
    adjacent = edges_of(triangles).adjacent
    one, side = np.nonzero(adjacent >= 0)
    root, _ = components(len(triangles), one, adjacent[one, side], np.zeros(len(one), bool))
    return np.unique(root, return_inverse=True)[1].ravel()


def enclosed(vertices: np.ndarray, triangles: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Whether some connected part of a closed surface (V, 3), (F, 3) encloses each of the points (M, 3) [m].

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=2e8, poisson=0.3, name="steel")
    >>> box = dem.Mesh.box((0, 0, 0), (1, 1, 1), material=steel)
    >>> enclosed(box.vertices, box.triangles, np.array([[0.5, 0.5, 0.5], [0.5, 0.5, 1.5]])).tolist()
    [True, False]
    """
    found, part = np.zeros(len(points), bool), parts_of(triangles)
    parts = int(part.max()) + 1
    for point, crossed in _crossings(rotate(VIEW, vertices), triangles, rotate(VIEW, points)):
        key, times = np.unique(point * parts + part[crossed], return_counts=True)
        found[key[times % 2 == 1] // parts] = True
    return found


def winding_numbers(vertices: np.ndarray, triangles: np.ndarray, points: np.ndarray) -> np.ndarray:
    """How often a closed surface (V, 3), (F, 3) goes round each of the points (M, 3) [m]: 1 inside, 0 in a cavity.

    Triangles are counterclockwise seen from outside. A point inside of two parts that overlap has 2.
    """
    corners = rotate(VIEW, vertices)
    a, b, c = (corners[triangles[:, k], :2] for k in range(3))
    u, v = b - a, c - a
    outwards = np.where(u[:, 0] * v[:, 1] > u[:, 1] * v[:, 0], 1, -1)  # of rays along z
    found = np.zeros(len(points), int)
    for point, crossed in _crossings(corners, triangles, rotate(VIEW, points)):
        np.add.at(found, point, outwards[crossed])
    return found


def _crossings(
    corners: np.ndarray, triangles: np.ndarray, points: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Numbers (K,) of points and (K,) of the triangles that the rays from them along z cross, in portions of points."""
    lower, upper = corners.min(0), corners.max(0)
    near = np.flatnonzero(((points >= lower) & (points <= upper)).all(1))
    x = points[near]
    begin, listed, cell = _cells(corners[triangles, :2], x[:, :2])
    number = begin[cell + 1] - begin[cell]
    ends = np.cumsum(number)
    done = 0
    while done < len(near):
        first = ends[done - 1] if done else 0
        last = max(done + 1, int(np.searchsorted(ends, first + PORTION, "right")))
        some = np.arange(done, last)
        p = np.repeat(some, number[some])
        t = listed[np.arange(len(p)) + np.repeat(begin[cell[some]] - (ends[some] - number[some] - first), number[some])]
        above = _above(corners, triangles[t], x[p])
        yield near[p[above]], t[above]
        done = last


def _cells(flat: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Triangles (F, 3, 2) by cell of a grid: where those of each cell begin, their numbers; cells of points (M, 2)."""
    low, high = flat.min(1), flat.max(1)
    lower, size = low.min(0), high.max(0) - low.min(0)
    n = min(FINEST, math.ceil(math.sqrt(len(flat))))
    while True:
        first, last = (np.clip((n * (each - lower) / size).astype(np.int64), 0, n - 1) for each in (low, high))
        wide = last - first + 1
        count = wide.prod(1)
        if n == 1 or count.sum() <= SPREAD * len(flat):
            break
        n //= 2
    t = np.repeat(np.arange(len(flat)), count)
    k = np.arange(len(t)) - np.repeat(np.cumsum(count) - count, count)
    cell = (first[t, 0] + k // wide[t, 1]) * n + first[t, 1] + k % wide[t, 1]
    order = np.argsort(cell, kind="stable")
    begin = np.concatenate([[0], np.cumsum(np.bincount(cell, minlength=n * n))])
    at = np.clip((n * (x - lower) / size).astype(np.int64), 0, n - 1)
    return begin, t[order], at[:, 0] * n + at[:, 1]


def _above(corners: np.ndarray, triangles: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Whether the ray from each point (K, 3) along z crosses its triangle (K, 3).

    The side of an edge that a point is on is computed from the same numbers for both triangles at it, so that rays
    pass through exactly one of them.
    """
    sides = np.empty((3, len(x)))
    left = np.empty((3, len(x)), bool)
    for k in range(3):
        i, j = triangles[:, (k + 1) % 3], triangles[:, (k + 2) % 3]
        a, b = corners[np.minimum(i, j)], corners[np.maximum(i, j)]
        side = (b[:, 0] - a[:, 0]) * (x[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (x[:, 0] - a[:, 0])
        left[k] = (side > 0) ^ (i > j)
        sides[k] = np.where(i > j, -side, side)
    crossed = left.all(0) | ~left.any(0)
    area = sides.sum(0)
    height = (sides * corners[triangles.T, 2]).sum(0)
    return crossed & (np.where(area < 0, -height, height) > np.abs(area) * x[:, 2])


def inside_of(mesh: Mesh) -> Region:
    """The region that a closed mesh of one part encloses; its depth is infinite inside, which clearances bound.

    Raises
    ------
    ValueError
        If the mesh is open, or encloses no one region.
    """
    report = mesh.report
    parts = int(parts_of(mesh.triangles).max()) + 1 if is_closed(mesh) else 0
    if parts != 1:
        why = f"is of {parts} parts" if parts else str(report).splitlines()[1]
        message = f"inside is {mesh!r}, which {'' if parts else 'is '}{why}: expected a closed mesh of one part"
        raise ValueError(message)

    def depth(x: np.ndarray) -> np.ndarray:
        return np.where(enclosed(mesh.vertices, mesh.triangles, x), np.inf, -np.inf)

    return Region(report.lower, report.upper, depth, abs(report.volume or 0.0))
