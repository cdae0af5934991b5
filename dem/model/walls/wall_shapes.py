"""Convert walls to arrays of the kernels: numbers, triangles, and cells for the search of triangles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks, portable
from dem.base.large_pages import copied
from dem.kernels.walls import geometry
from dem.kernels.walls.axisymmetric_sides import MORE, ROWS
from dem.kernels.walls.geometry import Geometry
from dem.kernels.walls.revolution import COUNT as POINTS_AT
from dem.kernels.walls.triangles import NUMBERS
from dem.kernels.walls.wall_registry import FIRST_USER_KIND, user_kinds
from dem.model.walls.mesh_cells import MeshCells, cells_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.walls.surfaces import Surface


class WallShape(NamedTuple):
    """Geometry of a wall as kernels read it, in the frame of the wall at time 0.

    Attributes
    ----------
    kind : type or int
        Kind of the wall, a key of `dem.kernels.walls.wall_registry.KINDS`.
    numbers : (K,) array
        Numbers that the functions of the kind read, such as points and radii [m].
    lower, upper : (3,) arrays
        Bounds of the wall [m]; infinite where it has no end.
    surface : Surface or None
        Triangles of a mesh.
    """

    kind: int | type
    numbers: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    surface: Surface | None = None


def unit(name: str, value: object) -> np.ndarray:
    """A direction as a unit vector; raises ValueError naming it."""
    given = np.array(checks.direction(name, value))
    return given / portable.length(given)


def across(axis: np.ndarray) -> np.ndarray:
    """A unit vector perpendicular to a unit vector; +x for z."""
    farthest = np.eye(3)[np.argmin([abs(u) + k * 1e-9 for k, u in enumerate(axis.tolist())])]
    found = farthest - axis * portable.dot(farthest, axis)
    return found / portable.length(found)


def plane(point: object, normal: object) -> WallShape:
    """Half space behind a plane through a point; the normal points to the side of particles."""
    n = unit("normal", normal)
    point = np.array(checks.vector("point", point, "a point of the plane [m]"))
    lower, upper = np.full(3, -np.inf), np.full(3, np.inf)
    for axis in range(3):
        if n[axis] == 1:
            upper[axis] = point[axis]
        elif n[axis] == -1:
            lower[axis] = point[axis]
    return WallShape(geometry.PLANE, np.array([*n, portable.dot(n, point)]), lower, upper)


def ball(centre: object, radius: float, *, inside: bool = False) -> WallShape:
    """A ball that particles are outside of, or a hollow that they are inside of."""
    c = np.array(checks.vector("centre", centre, "of the ball [m]"))
    r = checks.number("radius", radius, above=0, unit="m")
    return WallShape(geometry.BALL, np.array([*c, r, -1.0 if inside else 1.0]), c - r, c + r)


def rectangle(centre: object, edge: object, other_edge: object) -> WallShape:
    """A rectangle by its centre and two edges at right angles, whole edges as vectors; touched on both sides."""
    c = np.array(checks.vector("centre", centre, "of the rectangle [m]"))
    (u, a), (v, b) = (_edge(name, given) for name, given in (("edge", edge), ("other_edge", other_edge)))
    _at_right_angles("edges of the rectangle", u, v)
    half = 0.5 * (a * np.abs(u) + b * np.abs(v))
    numbers = np.array([*c, *u, *v, *np.cross(u, v), 0.5 * a, 0.5 * b])
    return WallShape(geometry.RECTANGLE, numbers, c - half, c + half)


def block(centre: object, *edges: object) -> WallShape:
    """A block by its centre and three edges at right angles, whole edges as vectors; particles are outside."""
    c = np.array(checks.vector("centre", centre, "of the block [m]"))
    units, lengths = zip(*(_edge("edge of the block", edge) for edge in edges), strict=True)
    for k in range(3):
        _at_right_angles("edges of the block", units[k], units[k - 1])
    half = 0.5 * (np.abs(units) * np.array(lengths)[:, None]).sum(0)
    numbers = np.array([*c, *np.concatenate(units), *(0.5 * np.array(lengths))])
    return WallShape(geometry.BLOCK, numbers, c - half, c + half)


def _edge(name: str, edge: object) -> tuple[np.ndarray, float]:
    """Direction and length of an edge."""
    return unit(name, edge), portable.length(edge)


def _at_right_angles(name: str, u: np.ndarray, v: np.ndarray) -> None:
    if abs(portable.dot(u, v)) > 1e-9:
        angle = math.degrees(math.acos(min(1.0, max(-1.0, portable.dot(u, v)))))
        message = f"{name} meet at {angle:.6g} degrees, expected right angles: take dem.Mesh for a skewed one"
        raise ValueError(message)


def capsule(start: object, end: object, radius: float) -> WallShape:
    """A capsule by the middles of its caps; particles are outside."""
    a = np.array(checks.vector("start", start, "middle of a cap [m]"))
    b = np.array(checks.vector("end", end, "middle of the other cap [m]"))
    r = checks.number("radius", radius, above=0, unit="m")
    if np.array_equal(a, b):
        message = f"start and end of the capsule are both {tuple(a.tolist())}: take a ball"
        raise ValueError(message)
    numbers = np.array([*(0.5 * (a + b)), *(0.5 * (b - a)), r])
    return WallShape(geometry.CAPSULE, numbers, np.minimum(a, b) - r, np.maximum(a, b) + r)


def torus(centre: object, axis: object, radius: float, tube: float, *, inside: bool = False) -> WallShape:
    """A torus by its axis, the radius of the middle of its tube, and that of the tube; particles outside, or in it."""
    c = np.array(checks.vector("centre", centre, "of the torus [m]"))
    n = unit("axis", axis)
    a = checks.number("tube", tube, above=0, unit="m")
    r = checks.number("radius", radius, above=a, unit="m")
    half = r * np.sqrt(np.maximum(1 - n**2, 0)) + a
    numbers = np.array([*c, *n, *across(n), r, a, -1.0 if inside else 1.0])
    return WallShape(geometry.TORUS, numbers, c - half, c + half)


def revolution(points: object, origin: object = (0, 0, 0), axis: object = (0, 0, 1)) -> WallShape:
    """Surface of revolution: a polyline of points (r, z) turned about an axis; touched on both sides.

    Raises
    ------
    ValueError
        For fewer than two points, negative r, a point twice in a row, or a segment on the axis.
    """
    given = np.asarray(points, dtype=float)
    count = max(len(given), 2) if given.ndim else 2
    p = checks.array("points", points, (count, 2), "(r, z) of the polyline, two points at least [m]", rows="N")
    if p[:, 0].min() < 0:
        k = int(np.argmin(p[:, 0]))
        message = f"point {k} of the polyline has r = {p[k, 0]:g} m, expected (r, z) with r at least 0"
        raise ValueError(message)
    steps = np.abs(np.diff(p, axis=0)).max(axis=1)
    on_axis = (p[1:, 0] == 0) & (p[:-1, 0] == 0)
    for k in np.flatnonzero((steps == 0) | on_axis)[:1]:
        what = "are the same" if steps[k] == 0 else "both lie on the axis, which nothing can touch"
        message = f"points {k} and {k + 1} of the polyline {what}: leave one out"
        raise ValueError(message)
    c = np.array(checks.vector("origin", origin, "where r and z are 0 [m]"))
    n = unit("axis", axis)
    ends = c + np.outer(p[:, 1], n)
    half = np.outer(p[:, 0], np.sqrt(np.maximum(1 - n**2, 0)))
    numbers = np.array([*c, *n, *across(n), len(p), *p.ravel()])
    return WallShape(geometry.REVOLUTION, numbers, (ends - half).min(axis=0), (ends + half).max(axis=0))


def mesh(surface: Surface) -> WallShape:
    """Mesh of triangles, with contacts on both sides; its numbers come with its cells."""
    corners = surface.vertices[surface.triangles]
    return WallShape(geometry.MESH, np.zeros(0), corners.min(axis=(0, 1)), corners.max(axis=(0, 1)), surface)


def geometry_of(shapes: Sequence[WallShape], *, reach: float) -> Geometry:
    """Shapes of all walls for kernels; no sphere is larger than the reach [m]."""
    numbers, cells, listed = [], [], []
    at, row, entry = 0, 0, 0
    for shape in shapes:
        own = shape.numbers
        if shape.surface is not None:
            found: MeshCells = cells_of(shape.surface, reach)
            own = np.array([*found.lower, found.size, row, reach])
            moved = found.cells.copy()
            moved[:, 0] += np.where(moved[:, 0] > 0, row, 0)
            moved[:, 1:] += entry
            cells.append(moved)
            listed.append(found.listed + sum(len(s.triangles) for s in _surfaces(shapes[: len(numbers)])))
            row, entry = row + len(moved), entry + len(found.listed)
        numbers.append(own)
    surfaces = _surfaces(shapes)
    counts = [0 if shape.surface is None else len(shape.surface.triangles) for shape in shapes]
    before = np.cumsum([0, *counts])
    vertices = np.cumsum([0, *(len(surface.vertices) for surface in surfaces)])
    firsts = np.cumsum([0, *(len(surface.triangles) for surface in surfaces)])
    segments = [len(shape.numbers) for shape in shapes if shape.kind == geometry.REVOLUTION]
    longest = max((int(np.diff(c[:, 1:]).max()) for c in cells), default=0)
    at = np.cumsum([0, *(len(own) for own in numbers)])
    kinds = {shape.kind for shape in shapes}
    owned = list(dict.fromkeys(shape.kind for shape in shapes if isinstance(shape.kind, type)))
    number_of = {kind: FIRST_USER_KIND + k for k, kind in enumerate(owned)}
    return Geometry(
        kind=np.array([number_of.get(shape.kind, shape.kind) for shape in shapes], dtype=np.int64),
        first_number=at[:-1].astype(np.int64),
        numbers=_joined(numbers, np.zeros(0)),
        first_triangle=before[:-1].astype(np.int64),
        triangle=_joined([surface.rows for surface in surfaces], np.zeros((0, NUMBERS))),
        adjacent=_joined(
            [np.where(s.adjacent < 0, -1, s.adjacent + k) for s, k in zip(surfaces, firsts, strict=False)],
            np.zeros((0, 3), np.int64),
        ),
        corner=_joined([s.triangles + k for s, k in zip(surfaces, vertices, strict=False)], np.zeros((0, 3), np.int64)),
        cells=_joined(cells, np.zeros((0, 3), np.int64)),
        listed=_joined(listed, np.zeros(0, np.int32)),
        room=np.array([max([longest, 1, *segments]), len(shapes)], dtype=np.int64),
        own=user_kinds(owned),
        meshes=geometry.usage(surfaces),
        primitives=geometry.usage(kinds & set(geometry.PRIMITIVES)),
        revolutions=geometry.usage(geometry.REVOLUTION in kinds),
    )


def _surfaces(shapes: Sequence[WallShape]) -> list[Surface]:
    return [shape.surface for shape in shapes if shape.surface is not None]


def _joined(parts: list[np.ndarray], empty: np.ndarray) -> np.ndarray:
    return copied(np.concatenate([empty, *parts]).astype(empty.dtype))


def room_of_sides(shapes: Sequence[WallShape], room: int) -> int:
    """Number of scratch rows for contacts of capsule sides with these walls: above `room`, that of spheres."""
    round_ones = [shape.kind in (geometry.REVOLUTION, geometry.TORUS) for shape in shapes]
    segments = [int(s.numbers[POINTS_AT]) - 1 for s in shapes if s.kind == geometry.REVOLUTION]
    return max(room + 1, ROWS * max([1, *segments]) + MORE if any(round_ones) else 0)
