"""Triangle surfaces: welding, cleaning, and a report of their defects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dem.base import compilation
from dem.base.progress import progress_bar
from dem.base.text import counted
from dem.base.user_classes import frozen
from dem.kernels.walls.triangles import NUMBERS
from dem.model.walls.welding import Edges, components, edges_of, split_at_t_junctions, weld

WELD = 1e-6  # vertices nearer than this part of the diagonal of all are one
FLAT = 1e-3  # a triangle whose height is less than this part of that distance has no area
SHOWN = 3  # places of each kind that a report names


@dataclass(frozen=True)
class MeshReport:
    """Size and kind of a mesh, the repairs that were made, and the faults that are left.

    Attributes
    ----------
    triangles, vertices : int
        Their numbers, as simulated.
    lower, upper : (3,) floats
        Its bounds [m].
    area : float
        Area of all triangles, one side of each [m²].
    volume : float or None
        Enclosed [m³], however its triangles are wound; None if the mesh has a rim, or no winding that all of its
        triangles agree on, as with a partition within. Positive if its normals point outward.
    tolerance : float
        Vertices nearer to each other than this are one [m].
    welded, degenerate, duplicate : int
        Vertices that were merged with others; triangles without area, and those that were there already, left out.
    junctions : (K, 3) array
        Vertices that lay on an edge of a triangle that they were not a corner of [m]; the triangle was divided there.
    rims : (K, 3) array
        Middles of edges of one triangle only [m].
    branches : (K, 3) array
        Middles of edges of three triangles or more [m]: contacts are right there too.
    against : int
        Triangles wound against their neighbours: contacts are right there too.
    """

    triangles: int
    vertices: int
    lower: np.ndarray
    upper: np.ndarray
    area: float
    volume: float | None
    tolerance: float
    welded: int
    degenerate: int
    duplicate: int
    junctions: np.ndarray
    rims: np.ndarray
    branches: np.ndarray
    against: int = 0

    def __str__(self) -> str:
        """Report in several lines of text."""
        size = " x ".join(f"{length:.4g}" for length in self.upper - self.lower)
        corner = ", ".join(f"{x:.4g}" for x in self.lower)
        lines = [
            f"{counted(self.triangles, 'triangle')}, {self.vertices} vertices, {size} m "
            f"from ({corner}) m, {self.area:.4g} m2",
            f"open: {counted(len(self.rims), 'edge')} of one triangle" if len(self.rims) else
            f"closed, {abs(self.volume):.4g} m3" if self.volume is not None else
            "closed, but no one volume: its triangles have no common winding",
        ]  # fmt: skip
        for number, what in (
            (self.welded, f"vertices merged with others within {self.tolerance:.2g} m"),
            (self.degenerate, "triangles without area left out"),
            (self.duplicate, "triangles that were there twice left out"),
            (self.against, "triangles wound against their neighbours, which contacts do not mind"),
        ):
            if number:
                lines.append(f"{number} {what}")
        for places, what in (
            (self.junctions, "vertices on edges of others, which were divided there"),
            (self.branches, "edges of three triangles or more"),
        ):
            if len(places):
                named = ", ".join("(" + ", ".join(f"{x:.6g}" for x in p) + ")" for p in places[:SHOWN])
                lines.append(f"{len(places)} {what}, at {named}{' ...' if len(places) > SHOWN else ''} m")
        return "\n".join(lines)


@dataclass(frozen=True)
class Surface:
    """A mesh prepared for contacts: ``vertices`` (V, 3), ``triangles`` (F, 3), and a report on its repairs."""

    vertices: np.ndarray
    triangles: np.ndarray
    report: MeshReport

    @cached_property
    def adjacent(self) -> np.ndarray:
        """The next triangle around each edge (F, 3); -1 at a rim."""
        return frozen(edges_of(self.triangles).adjacent)

    @cached_property
    def rows(self) -> np.ndarray:
        """Array of the kernels with a row for each triangle (F, 16), see ``dem.kernels.walls.triangles``."""
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        rows = np.empty((len(a), NUMBERS))
        normal = normals(self.vertices, self.triangles)
        middle = circles(a, b, c, normal)
        radius = np.sqrt(np.max([((corner - middle) ** 2).sum(axis=1) for corner in (a, b, c)], axis=0))
        rows[:, 0:3], rows[:, 3] = middle, radius * (1 + 1e-12)
        rows[:, 4:7] = normal / np.linalg.norm(normal, axis=1)[:, None]
        rows[:, 7:10], rows[:, 10:13], rows[:, 13:16] = a, b - a, c - a
        return frozen(rows)


def normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Normals of triangles (F, 3), twice their area long; of the two shorter edges, which slivers spoil least."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    sides = np.stack([c - b, a - c, b - a], axis=1)
    longest = np.argmax(np.einsum("ijk,ijk->ij", sides, sides), axis=1)
    edge_a, edge_b = (sides[np.arange(len(sides)), (longest + k) % 3] for k in (1, 2))
    return np.cross(edge_a, edge_b)


def circles(a: np.ndarray, b: np.ndarray, c: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Centres of the smallest circles about triangles (F, 3): amid the longest edge, or as far from all corners."""
    sides, ends = np.stack([b - a, c - b, a - c], axis=1), np.stack([a + b, b + c, c + a], axis=1)
    squares = np.einsum("ijk,ijk->ij", sides, sides)
    longest = np.argmax(squares, axis=1)
    middle = 0.5 * ends[np.arange(len(ends)), longest]
    acute = squares.sum(axis=1) > 2 * squares.max(axis=1)
    ab, ac, n = b[acute] - a[acute], c[acute] - a[acute], normal[acute]
    turned = squares[acute, 2][:, None] * np.cross(n, ab) + squares[acute, 0][:, None] * np.cross(ac, n)
    middle[acute] = a[acute] + turned / (2 * np.einsum("ij,ij->i", n, n))[:, None]
    return middle


def surface_of(vertices: np.ndarray, triangles: np.ndarray) -> Surface:
    """Weld vertices, remove degenerate and repeated triangles, divide triangles at vertices of others on their edges.

    This is repeated until nothing more is found, so the result of the result is equal to it in every bit.

    Raises
    ------
    ValueError
        If nothing is left.
    """
    found = np.zeros(3, dtype=int)
    junctions = [np.zeros((0, 3))]
    tolerance = None
    while True:
        vertices, triangles, changed, places, tolerance = _repaired(vertices, triangles, tolerance)
        found += changed
        junctions.append(places)
        if not (changed.any() or len(places)):
            break
    edges = edges_of(triangles)
    middles = 0.5 * (vertices[edges.start] + vertices[edges.end])
    rims = middles[edges.count == 1]
    turned = against_neighbours(vertices, triangles, edges)
    report = MeshReport(
        triangles=len(triangles),
        vertices=len(vertices),
        lower=vertices.min(axis=0),
        upper=vertices.max(axis=0),
        area=0.5 * float(np.linalg.norm(normals(vertices, triangles), axis=1).sum()),
        volume=None if len(rims) or turned is None else float(_volumes(vertices, triangles, turned).sum()),
        tolerance=tolerance,
        welded=int(found[0]),
        degenerate=int(found[1]),
        duplicate=int(found[2]),
        junctions=np.concatenate(junctions),
        rims=rims,
        branches=middles[edges.count > 2],
        against=0 if turned is None else int(turned.sum()),
    )
    surface = Surface(frozen(vertices), frozen(triangles), report)
    surface.__dict__["adjacent"] = frozen(edges.adjacent)
    return surface


def _repaired(
    vertices: np.ndarray, triangles: np.ndarray, looked: float | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float]:
    """One round of repair; also returns numbers of welded, degenerate and duplicate parts, junctions and tolerance.

    Junctions have been looked for already within the tolerance `looked`, as the last step before.
    """
    given = len(triangles)
    vertices, triangles = _used(vertices, triangles)
    tolerance = WELD * float(np.linalg.norm(vertices.max(axis=0) - vertices.min(axis=0)))
    wanted = False if compilation.SILENT else None
    with progress_bar(3, lambda _, __: f"welding {counted(given, 'triangle')}", wanted=wanted) as moved:
        vertices, triangles, welded = weld(vertices, triangles, tolerance)
        moved(1, 1)
        triangles = triangles[_heights(vertices, triangles) > FLAT * tolerance]
        degenerate = given - len(triangles)
        moved(1, 1)
        corners = np.sort(triangles, axis=1)
        order = np.lexsort(corners.T)
        same = np.zeros(len(order), dtype=bool)
        same[order[1:]] = (corners[order[1:]] == corners[order[:-1]]).all(axis=1)
        triangles = triangles[~same]
        moved(1, 1)
    if not len(triangles):
        message = f"no triangle of {given} has an area: give each three different corners that are not on one line"
        raise ValueError(message)
    changed = np.array([welded, degenerate, int(same.sum())])
    junctions = np.zeros((0, 3))
    if changed.any() or tolerance != looked:
        triangles, junctions = split_at_t_junctions(vertices, triangles, tolerance)
    return *_used(vertices, triangles), changed, junctions, tolerance


def _used(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices in use, in their order, and the renumbered triangles."""
    used = np.zeros(len(vertices), dtype=bool)
    used[triangles] = True
    if used.all():
        return vertices, triangles
    return vertices[used], (np.cumsum(used) - 1)[triangles]


def _heights(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Height of each triangle over its longest edge; 0 for two corners in one."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    longest = np.sqrt(np.max([((p - q) ** 2).sum(axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0))
    height = np.linalg.norm(normals(vertices, triangles), axis=1) / np.where(longest > 0, longest, 1)
    same = (
        (triangles[:, 0] == triangles[:, 1])
        | (triangles[:, 1] == triangles[:, 2])
        | (triangles[:, 2] == triangles[:, 0])
    )
    return np.where(same, 0, height)


def against_neighbours(vertices: np.ndarray, triangles: np.ndarray, edges: Edges) -> np.ndarray | None:
    """Which triangles (F,) are wound against their neighbours; None if no winding suits all of them.

    Of each connected part the fewer ones; of as many either way those whose normals point inward. Edges of one triangle
    suit any.
    """
    forward = (triangles < np.roll(triangles, -1, axis=1)).ravel()
    begin = edges.begin[edges.count == 2]
    side_a, side_b = edges.sides[begin], edges.sides[begin + 1]
    root, turned = components(len(triangles), side_a // 3, side_b // 3, forward[side_a] == forward[side_b])
    volume = np.bincount(root, _volumes(vertices, triangles, turned))
    fewer = 2 * np.bincount(root, turned) - np.bincount(root)
    turned ^= ((fewer > 0) | ((fewer == 0) & (volume < 0)))[root]
    ways = np.where(forward ^ np.repeat(turned, 3), 1, -1)[edges.sides]
    closed = edges.count > 1
    return turned if not np.add.reduceat(ways, edges.begin)[closed].any() else None


def _volumes(vertices: np.ndarray, triangles: np.ndarray, turned: np.ndarray) -> np.ndarray:
    """Signed volumes between the middle of a closed surface and each triangle (F,); some triangles are reversed."""
    centre = vertices.mean(axis=0)
    a, b, c = (vertices[triangles[:, k]] - centre for k in range(3))
    return np.einsum("ij,ij->i", a, np.cross(b, c)) * np.where(turned, -1, 1) / 6
