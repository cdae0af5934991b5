"""Convex hulls of points, and the parts of a rounded polyhedron: core, slabs, wedges and sectors."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dem.base import portable

COPLANAR_TOLERANCE = 1e-9  # of the size: points within it of a plane are in the plane
COARSER = (1.0, 10.0, 100.0, 1e3, 1e4)  # times this tolerance, for points that have smaller distances


class UnresolvedHullError(ValueError):
    """Points are too close to each other for the precision of numbers."""


class Hull(NamedTuple):
    """Convex hull of points."""

    vertices: np.ndarray  # (V, 3)
    triangles: np.ndarray  # (T, 3), counterclockwise seen from outside
    faces: list[list[int]]  # vertices of each flat face in this order
    normals: np.ndarray  # (F, 3) outward unit normals of the faces
    heights: np.ndarray  # (F,) of the planes: normal · x


def convex_hull(points: np.ndarray) -> Hull:
    """Convex hull of points (N, 3); raises ValueError if they are all in a plane.

    Points are added one by one: the triangles that each can see are replaced by those from it to their outline.
    Triangles in one plane are then joined to faces. If slivers between close points leave the surface open, points
    within a coarser tolerance of the hull are left out.
    """
    x = np.asarray(points, dtype=float)
    origin = 0.5 * (x.min(0) + x.max(0))
    size = float(np.abs(x - origin).max())
    x = x - origin
    first = _first_tetrahedron(x, size)
    for coarser in COARSER:
        tolerance = coarser * COPLANAR_TOLERANCE * size
        triangles = _add_points(x, first, tolerance)
        if len(triangles) > _largest_number(x):
            continue
        faces, normals, heights = _faces(x, triangles, tolerance)
        if _is_convex(x, faces, normals, heights, 20 * tolerance):
            break
    else:
        raise UnresolvedHullError("some points are so close to each other that their hull is not resolved: merge them")
    used = sorted({k for face in faces for k in face})
    number = {k: n for n, k in enumerate(used)}
    faces = [[number[k] for k in face] for face in faces]
    fans = [(face[0], face[k], face[k + 1]) for face in faces for k in range(1, len(face) - 1)]
    return Hull(x[used] + origin, np.array(fans), faces, normals, heights + (normals * origin).sum(1))


def facet_numbers(vertices: np.ndarray, faces: list[list[int]], normals: np.ndarray) -> tuple[float, ...]:
    """Edges and faces of a polyhedron for `dem.kernels.convex.polyhedra`.

    Parameters
    ----------
    vertices, faces, normals : (V, 3) array, list of lists of int, (F, 3) array
        Vertices, those of each face counterclockwise seen from outside, and unit normals of the faces.
    """
    edges = sorted({(min(e), max(e)) for ring in faces for e in zip(ring, [*ring[1:], ring[0]], strict=True)})
    planes, sides = [], []
    for ring, normal in zip(faces, normals, strict=True):
        planes += [*normal.tolist(), float((vertices[ring] * normal).sum(1).max()), 5 * len(faces) + len(sides)]
        inwards = np.cross(normal, vertices[[*ring[1:], ring[0]]] - vertices[ring])
        levels = (inwards * vertices[ring]).sum(1)
        sides += [len(ring), *np.column_stack([inwards, levels]).ravel().tolist()]
    numbers = [len(edges), len(faces), *(k for edge in edges for k in edge), *planes, *sides]
    return tuple(float(one) for one in numbers)


def polyhedron_numbers(core: np.ndarray, rounding: float) -> tuple[float, ...]:
    """Numbers of a rounded polyhedron of core vertices (V, 3) for kernels.

    See `dem.kernels.convex.supports.polyhedron_support`.
    """
    hull = convex_hull(core)
    number = [int(((core - x) ** 2).sum(1).argmin()) for x in hull.vertices]
    faces = [[number[k] for k in face] for face in hull.faces]
    return rounding, float(len(core)), *core.ravel().tolist(), *facet_numbers(core, faces, hull.normals)


def _first_tetrahedron(x: np.ndarray, size: float) -> np.ndarray:
    """Four triangles (4, 3) of four points that are not in a plane."""
    first = int(x[:, 0].argmin())
    second = int(((x - x[first]) ** 2).sum(1).argmax())
    along = x[second] - x[first]
    third = int((np.cross(x - x[first], along) ** 2).sum(1).argmax())
    normal = np.cross(along, x[third] - x[first])
    length = portable.length(normal)
    height = ((x - x[first]) * normal).sum(1)
    fourth = int(np.abs(height).argmax())
    if length <= COPLANAR_TOLERANCE * size * size or abs(height[fourth]) <= COPLANAR_TOLERANCE * size * length:
        raise ValueError("all points are in one plane, expected those of a body with a volume")
    a, b, c, d = first, second, third, fourth
    if height[fourth] > 0:
        b, c = c, b
    return np.array([(a, b, c), (a, d, b), (b, d, c), (c, d, a)])


def _planes(x: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit normals (T, 3) and heights (T,) of triangles."""
    p, q, s = (x[triangles[:, k]] for k in range(3))
    normals = np.cross(q - p, s - p)
    normals /= np.sqrt((normals**2).sum(1))[:, None]
    return normals, (normals * p).sum(1)


def _add_points(x: np.ndarray, triangles: np.ndarray, tolerance: float) -> np.ndarray:
    """Triangles of the hull of all points, from those of four; points within `tolerance` of the hull are left out."""
    normals, heights = _planes(x, triangles)
    outside = np.ones(len(x), dtype=bool)
    outside[np.unique(triangles)] = False
    while outside.any():
        left = np.flatnonzero(outside)
        # the farthest first, so that few triangles are made in vain
        distance = (x[left][:, None] * normals).sum(2) - heights if len(left) * len(heights) < 1e7 else None
        if distance is None:
            height_above_hull = np.array([((normals * point).sum(1) - heights).max() for point in x[left]])
        else:
            height_above_hull = distance.max(1)
        outside[left[height_above_hull <= tolerance]] = False
        if not outside.any():
            break
        k = int(left[height_above_hull.argmax()])
        outside[k] = False
        seen = (normals * x[k]).sum(1) - heights > tolerance
        edges = np.concatenate([triangles[seen][:, pair] for pair in ([0, 1], [1, 2], [2, 0])])
        directed = {tuple(edge) for edge in edges.tolist()}
        outline = [edge for edge in edges.tolist() if (edge[1], edge[0]) not in directed]
        new = np.array([(a, b, k) for a, b in outline])
        new_normals, new_heights = _planes(x, new)
        triangles = np.concatenate([triangles[~seen], new])
        normals = np.concatenate([normals[~seen], new_normals])
        heights = np.concatenate([heights[~seen], new_heights])
        if len(triangles) > _largest_number(x):
            break
    return triangles


def _largest_number(x: np.ndarray) -> int:
    """Largest number of triangles of a closed surface with vertices at points (N, 3), by Euler's formula."""
    return 2 * len(x) - 4


def is_closed(faces: list[list[int]]) -> bool:
    """Whether each edge of faces, rings of vertices, is between two of them that are turned alike."""
    edges = [edge for face in faces for edge in zip(face, face[1:] + face[:1], strict=True)]
    directed = set(edges)
    return len(directed) == len(edges) and all((b, a) in directed for a, b in directed)


def _is_convex(
    x: np.ndarray, faces: list[list[int]], normals: np.ndarray, heights: np.ndarray, tolerance: float
) -> bool:
    """Whether faces enclose a body, and no point is above one of them by more than a tolerance."""
    if not is_closed(faces):
        return False
    above = np.array([(x * normal).sum(1).max() for normal in normals]) - heights
    return bool((above <= tolerance).all())


def _faces(x: np.ndarray, triangles: np.ndarray, tolerance: float) -> tuple[list[list[int]], np.ndarray, np.ndarray]:
    """Flat faces as rings of vertices, their normals and heights: triangles in one plane joined, the largest first."""
    p, q, s = (x[triangles[:, k]] for k in range(3))
    normals, heights = _planes(x, triangles)
    area = np.sqrt((np.cross(q - p, s - p) ** 2).sum(1))
    corners = np.unique(triangles)
    left = np.ones(len(triangles), dtype=bool)
    faces, chosen = [], []
    for t in np.argsort(-area, kind="stable"):
        if not left[t]:
            continue
        off = np.abs((x[triangles] * normals[t]).sum(2) - heights[t]).max(1)
        joined = left & (off <= 10 * tolerance) & ((normals * normals[t]).sum(1) > 0.5)
        left &= ~joined
        chosen.append(t)
        on = corners[np.isin(corners, triangles[joined])]
        faces.append(_ordered_polygon(x, on, normals[t]))
    return faces, normals[chosen], heights[chosen]


def _ordered_polygon(x: np.ndarray, on: np.ndarray, normal: np.ndarray) -> list[int]:
    """Corners of the polygon that points in a plane span, counterclockwise about the normal."""
    e = np.cross(normal, np.eye(3)[int(np.abs(normal).argmin())])
    e /= portable.length(e)
    f = np.cross(normal, e)
    middle = x[on].mean(0)
    u, v = ((x[on] - middle) * e).sum(1), ((x[on] - middle) * f).sum(1)
    ring = [int(k) for k in on[np.argsort([math.atan2(b, a) for a, b in zip(u.tolist(), v.tolist(), strict=True)])]]
    kept = list(ring)
    for k in ring:  # those on an edge
        index = kept.index(k)
        before, after = x[kept[index - 1]], x[kept[(index + 1) % len(kept)]]
        turn = np.cross(x[k] - before, after - x[k])
        along = portable.length(after - before)
        if len(kept) > 3 and portable.length(turn) <= COPLANAR_TOLERANCE * along * along:
            kept.pop(index)
    return kept


def inset(hull: Hull, distance: float) -> np.ndarray:
    """Vertices (V, 3) of the region at least a distance inside a hull; raises ValueError if it is empty.

    By duality: planes n · x = h about a point inside are points n/h, whose hull has a face for each vertex.
    """
    inside = hull.vertices.mean(0)
    for _ in range(200):  # towards the middle of the planes that are nearest
        heights = hull.heights - (hull.normals * inside).sum(1)
        nearest = heights.argmin()
        if heights[nearest] > distance:
            break
        inside = inside - hull.normals[nearest] * (distance - heights[nearest]) * 1.2
    heights = hull.heights - (hull.normals * inside).sum(1) - distance
    if heights.min() <= COPLANAR_TOLERANCE * np.abs(hull.vertices - inside).max():
        raise ValueError(f"nothing of the polyhedron is more than {distance:g} m inside of it")
    dual = convex_hull(hull.normals / heights[:, None])
    return dual.normals / dual.heights[:, None] + inside


class Moments(NamedTuple):
    """Integrals over a body: volume, first moments (3,), second moments (3, 3)."""

    volume: float
    first: np.ndarray
    second: np.ndarray

    def plus(self, other: Moments) -> Moments:
        """Moments of two bodies that do not overlap."""
        return Moments(self.volume + other.volume, self.first + other.first, self.second + other.second)

    def about(self, point: np.ndarray) -> Moments:
        """Moments about another origin."""
        first = self.first - self.volume * point
        shift = np.multiply.outer(point, self.first)
        second = self.second - shift - shift.T + self.volume * np.multiply.outer(point, point)
        return Moments(self.volume, first, second)

    def inertia(self) -> np.ndarray:
        """Inertia tensor (3, 3) about the origin for unit density."""
        return np.eye(3) * np.trace(self.second) - self.second


def tetrahedra_moments(corners: np.ndarray) -> Moments:
    """Integrals over tetrahedra (T, 4, 3), whose volumes count with their signs.

    ∫ x x dV = V/20 (Σ_i x_i x_i + Σ_i x_i Σ_j x_j).
    """
    edges = corners[:, 1:] - corners[:, :1]
    volumes = (np.cross(edges[:, 0], edges[:, 1]) * edges[:, 2]).sum(1) / 6
    total = corners.sum(1)
    products = (corners[:, :, :, None] * corners[:, :, None, :]).sum(1) + total[:, :, None] * total[:, None, :]
    return Moments(
        float(volumes.sum()), (volumes[:, None] * total).sum(0) / 4, (volumes[:, None, None] * products).sum(0) / 20
    )


def mesh_moments(vertices: np.ndarray, triangles: np.ndarray) -> Moments:
    """Integrals over the inside of a closed surface, exact."""
    middle = 0.5 * (vertices.min(0) + vertices.max(0))  # sums about a near point do not cancel
    corners = np.zeros((len(triangles), 4, 3))
    corners[:, 1:] = (vertices - middle)[triangles]
    return tetrahedra_moments(corners).about(-middle)


def rounded_moments(hull: Hull, radius: float) -> Moments:
    """Integrals over all points within a radius of a convex polyhedron, exact.

    The body is the core, a slab on each face, a wedge of a cylinder on each edge, and a sector of a ball on each
    vertex (J. Steiner, 1840).
    """
    total = mesh_moments(hull.vertices, hull.triangles)
    if radius == 0.0:
        return total
    face_left_of: dict[tuple[int, int], int] = {}  # face to the left of each directed edge
    for f, face in enumerate(hull.faces):
        for a, b in zip(face, face[1:] + face[:1], strict=True):
            face_left_of[a, b] = f
        total = total.plus(_slab(hull.vertices[face], radius * hull.normals[f]))
    sides: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in hull.vertices]
    for (a, b), f in face_left_of.items():
        other = face_left_of[b, a]
        n, m = hull.normals[f], hull.normals[other]
        sides[a].append((n, m))
        if a < b:
            total = total.plus(_wedge(hull.vertices[a], hull.vertices[b], n, m, radius))
    for vertex, arcs in zip(hull.vertices, sides, strict=True):
        total = total.plus(_sector(vertex, arcs, radius))
    return total


def _slab(ring: np.ndarray, up: np.ndarray) -> Moments:
    """Integrals over a prism on a convex polygon, from three tetrahedra on each of its triangles."""
    corners = []
    for k in range(1, len(ring) - 1):
        a, b, c = ring[0], ring[k], ring[k + 1]
        corners += [(a, b, c, c + up), (a, b, c + up, b + up), (a, b + up, c + up, a + up)]
    made = tetrahedra_moments(np.array(corners))
    return made if made.volume > 0 else Moments(-made.volume, -made.first, -made.second)


def angle_between(n: np.ndarray, m: np.ndarray) -> float:
    """Angle between two unit vectors, also small ones to full precision."""
    return 2.0 * math.atan2(portable.length(n - m), portable.length(n + m))


def _wedge(a: np.ndarray, b: np.ndarray, n: np.ndarray, m: np.ndarray, radius: float) -> Moments:
    """Integrals over the part of a cylinder about an edge from a to b that is between two normals."""
    edge = b - a
    length = portable.length(edge)
    angle = angle_between(n, m)
    area = 0.5 * angle * radius**2
    middle = (n + m) / portable.length(n + m)
    across = np.cross(edge / length, middle)
    along = math.sin(0.5 * angle)
    first = (2 / 3) * radius**3 * along * middle  # ∫ y dA over the sector
    c, s = 0.125 * radius**4 * (angle + math.sin(angle)), 0.125 * radius**4 * (angle - math.sin(angle))
    second = c * np.multiply.outer(middle, middle) + s * np.multiply.outer(across, across)
    centre = 0.5 * (a + b)
    shift = np.multiply.outer(centre, first)
    line = length * np.multiply.outer(centre, centre) + length / 12 * np.multiply.outer(edge, edge)
    return Moments(
        length * area, length * (area * centre + first), area * line + length * (shift + shift.T) + length * second
    )


def _sector(vertex: np.ndarray, arcs: list[tuple[np.ndarray, np.ndarray]], radius: float) -> Moments:
    """Integrals over the sector of a ball about a vertex that arcs between the normals of its faces bound.

    With the solid angle Ω, arcs of angle θ_k from p to q, and unit normals m_k of their planes to the inside,
    ∫ u dΩ = Σ θ_k m_k/2 and ∫ u u dΩ = Ω/3 + Σ ((q - p) × m_k) m_k/3, by Gauss's theorem for the sector.
    """
    axis = sum(p + q for p, q in arcs)
    axis = axis / portable.length(axis)
    solid, mean, square = 0.0, np.zeros(3), np.zeros((3, 3))
    for start, end in arcs:
        p, q = start, end
        plane = np.cross(p, q)
        if (plane * axis).sum() < 0:
            p, q, plane = q, p, -plane
        length = portable.length(plane)
        if length == 0.0:
            continue
        plane = plane / length
        # solid angle of the spherical triangle axis, p, q (A. van Oosterom, J. Strackee, 1983)
        volume = (axis * np.cross(p, q)).sum()
        solid += 2.0 * math.atan2(volume, 1.0 + (axis * p).sum() + (p * q).sum() + (q * axis).sum())
        mean += 0.5 * angle_between(p, q) * plane
        square += np.multiply.outer(np.cross(q - p, plane), plane) / 3
    square += np.eye(3) * solid / 3
    shift = np.multiply.outer(vertex, mean)
    return Moments(
        solid * radius**3 / 3,
        solid * radius**3 / 3 * vertex + mean * radius**4 / 4,
        solid * radius**3 / 3 * np.multiply.outer(vertex, vertex) + (shift + shift.T) * radius**4 / 4
        + square * radius**5 / 5,
    )  # fmt: skip


def rounded_area(hull: Hull, radius: float) -> float:
    """Surface of all points within a radius of a convex polyhedron: of its faces, edges and vertices, 4 π R²."""
    p, q, s = (hull.vertices[hull.triangles[:, k]] for k in range(3))
    area = 0.5 * float(np.sqrt((np.cross(q - p, s - p) ** 2).sum(1)).sum())
    face_left_of = {}
    for f, face in enumerate(hull.faces):
        face_left_of |= dict.fromkeys(zip(face, face[1:] + face[:1], strict=True), f)
    for (a, b), f in face_left_of.items():
        if a < b:
            angle = angle_between(hull.normals[f], hull.normals[face_left_of[b, a]])
            area += portable.length(hull.vertices[b] - hull.vertices[a]) * angle * radius
    return area + 4 * math.pi * radius**2
