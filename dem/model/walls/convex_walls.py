"""Walls for convex bodies: planes, convex bodies, meshes, hollow balls, drums, shells and tori."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import portable
from dem.model.shapes.convex_hull import facet_numbers
from dem.model.walls.mesh import Mesh
from dem.model.walls.primitives import (
    Ball,
    Block,
    CapsuleWall,
    Cone,
    Cylinder,
    Disc,
    Plane,
    Rectangle,
    Revolution,
    Torus,
    direction,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.walls.primitives import Point
    from dem.model.walls.wall import Wall

UNTURNED = (1.0, 0.0, 0.0, 0.0)


class ConvexWall(NamedTuple):
    """Geometry of a wall for contacts with convex bodies, in its frame."""

    shape: str  # name of a row of `dem.kernels.convex.shape_registry.CONVEX_KINDS`
    numbers: Sequence[float]  # of its support function
    centre: Point  # [m]
    turn: tuple[float, float, float, float] = UNTURNED  # unit quaternion, shape to frame
    inside: bool = False  # whether particles may be inside
    radius: float = 0.0  # of a hollow [m]
    half: float = 0.0  # half the length of a hollow cylinder [m]
    sweep: str = ""  # "shell", "profile", "torus" or "hollow torus": what a circle goes round


def along(start: Point, end: Point) -> tuple[Point, tuple[float, float, float, float], float]:
    """Middle of a segment, a rotation of x to its direction, and half its length [m].

    The direction is that of the two whose x component is not less than 0.
    """
    way = direction(start, end)
    length = float(portable.length(way))
    x, y, z = (math.copysign(1.0, way[0]) * u / length for u in way)
    size = math.sqrt(2.0 * (1.0 + x))
    middle = tuple(0.5 * (a + b) for a, b in zip(start, end, strict=True))
    return middle, (0.5 * size, 0.0, -z / size, y / size), 0.5 * length


def rotation_to_axis(centre: Point, axis: Point) -> tuple[float, float, float, float]:
    """Rotation that takes x to an axis through a centre, see `along`."""
    return along(tuple(np.subtract(centre, axis)), tuple(np.add(centre, axis)))[1]


RINGS = ([0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3])  # faces x-, x+, ... z+


def block_numbers(size: Sequence[float]) -> tuple[float, ...]:
    """Numbers of a sharp cuboid of these edges along x, y, z about its centre, however thin it is [m]."""
    vertices = np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * size
    normals = np.array([sign * axis for axis in np.eye(3) for sign in (-1.0, 1.0)])
    return sharp_polyhedron(vertices, [list(ring) for ring in RINGS], normals)


def rectangle_numbers(edge: Point, other_edge: Point) -> tuple[float, ...]:
    """Numbers of a rectangle of these edges about its centre, a sharp polyhedron of two faces [m]."""
    u, v = 0.5 * np.array(edge), 0.5 * np.array(other_edge)
    normal = np.cross(u, v)
    normal /= portable.length(normal)
    vertices = np.array([-u - v, u - v, u + v, v - u])
    return sharp_polyhedron(vertices, [[0, 1, 2, 3], [3, 2, 1, 0]], np.array([normal, -normal]))


def sharp_polyhedron(vertices: np.ndarray, faces: list[list[int]], normals: np.ndarray) -> tuple[float, ...]:
    """Numbers of a polyhedron without rounding, as of `dem.model.shapes.convex_hull.polyhedron_numbers`."""
    return 0.0, float(len(vertices)), *vertices.ravel().tolist(), *facet_numbers(vertices, faces, normals)


def convex_wall(wall: Wall) -> ConvexWall | None:  # noqa: PLR0911, one for each kind
    """Numbers of a wall for contacts with convex bodies; None if they cannot touch it.

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=2e8, poisson=0.3)
    >>> convex_wall(dem.Ball((0, 0, 0), 0.1, material=steel)).numbers
    [0.1]
    """
    if isinstance(wall, Ball):
        return ConvexWall("ball", [wall.radius], wall.centre, inside=wall.inside, radius=wall.radius)
    if isinstance(wall, CapsuleWall):
        middle, turn, half = along(wall.start, wall.end)
        return ConvexWall("capsule", [half, wall.radius], middle, turn)
    if isinstance(wall, Cylinder) and wall.ends == "both":
        middle, turn, half = along(wall.start, wall.end)
        numbers = [wall.radius, half, 0.0]
        return ConvexWall("cylinder", numbers, middle, turn, inside=True, radius=wall.radius, half=half)
    if isinstance(wall, (Cylinder, Cone)):
        return shell(wall)
    if isinstance(wall, Revolution):
        return profile(wall.points, wall.origin, wall.axis)
    if isinstance(wall, Disc) and wall.inner_radius > 0.0:
        return profile([(wall.inner_radius, 0.0), (wall.radius, 0.0)], wall.centre, wall.normal)._replace(inside=False)
    if isinstance(wall, Torus):
        turn = rotation_to_axis(wall.centre, wall.axis)
        if wall.inside:
            numbers = [wall.tube, wall.radius]
            return ConvexWall("ball", numbers, wall.centre, turn, inside=True, sweep="hollow torus")
        return ConvexWall(
            "ball", [wall.tube, wall.radius, wall.radius, 0.0, 0.0, 0.0], wall.centre, turn, sweep="torus"
        )
    if isinstance(wall, Disc):
        return ConvexWall("cylinder", [wall.radius, 0.0, 0.0], wall.centre, rotation_to_axis(wall.centre, wall.normal))
    if isinstance(wall, Block):
        size = [b - a for a, b in zip(wall.lower, wall.upper, strict=True)]
        middle = tuple(0.5 * (a + b) for a, b in zip(wall.lower, wall.upper, strict=True))
        return ConvexWall("polyhedron", block_numbers(size), middle)
    if isinstance(wall, Rectangle):
        return ConvexWall("polyhedron", rectangle_numbers(wall.edge, wall.other_edge), wall.centre)
    if isinstance(wall, Mesh):
        return ConvexWall("triangle", [0.0] * 9, (0.0, 0.0, 0.0))  # kernels take the vertices of each from the mesh
    return None


def shell(wall: Cylinder | Cone) -> ConvexWall:
    """A cone, or a cylinder that is not closed: see `dem.kernels.soft.wall_contact.convex_shells`."""
    middle, turn, half = along(wall.start, wall.end)
    radii = [wall.radius] * 2 if isinstance(wall, Cylinder) else [wall.start_radius, wall.end_radius]
    closed = [float(wall.ends in (end, "both")) for end in ("start", "end")]
    if math.copysign(1.0, direction(wall.start, wall.end)[0]) < 0:
        radii, closed = radii[::-1], closed[::-1]
    return ConvexWall("ball", [0.0, *radii, half, *closed], middle, turn, inside=True, sweep="shell")


def profile(points: Sequence[tuple[float, float]], origin: Point, axis: Point) -> ConvexWall:
    """The surface that a polyline of points (r, z) sweeps about an axis through the origin [m].

    See `dem.kernels.soft.wall_contact.convex_shells.find_at_profile`.
    """
    sign = math.copysign(1.0, axis[0])  # of the direction of `rotation_to_axis`
    vertices = [(r, sign * z) for r, z in points]
    segments = list(itertools.pairwise(vertices))
    numbers = [0.0, float(len(segments)), 0.0]
    into: dict[tuple[float, float], list[float]] = {}
    for begin, end in segments:
        low, high = sorted((begin, end), key=lambda vertex: vertex[1])
        numbers += [low[0], high[0], 0.5 * (high[1] - low[1]), 0.0, 0.0, 0.5 * (low[1] + high[1])]
        way = np.subtract(end, begin)
        way = (way / portable.length(way)).tolist()
        into.setdefault(begin, []).extend(way)
        into.setdefault(end, []).extend(-u for u in way)
    # the middle of a flat end is no rim
    joints = [(vertex, ways) for vertex, ways in into.items() if vertex[0] > 0.0 or 0.0 not in ways[1::2]]
    for vertex, ways in joints:
        numbers += [*vertex, *[*ways, 0.0, 0.0][:4]]
    numbers[2] = float(len(joints))
    return ConvexWall("ball", numbers, origin, rotation_to_axis(origin, axis), inside=True, sweep="profile")


def refusal(wall: Wall) -> str:
    """Reason why convex bodies cannot touch a wall, with a remedy; empty if they can."""
    if isinstance(wall, Plane):
        return ""
    met = convex_wall(wall)
    if met is None:
        return (
            "has no rule for convex bodies: take a dem.Plane, Rectangle, Block, Ball, CapsuleWall, Cylinder, Cone, "
            "Disc, Revolution, Torus, Mesh, or faces of the box"
        )
    if wall.wear and met.inside and wall.pieces > 1:  # contacts have directions, no segments
        return "wears by segments: leave wear out, or take a dem.Mesh, or a Cylinder or Cone without ends"
    return ""
