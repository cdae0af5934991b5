"""Walls beside the box in pictures, in their current pose.

Lines along their rims, creases and circles; transparent shaded sheets, drawn over the output of `render`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.base.quaternions import rotate
from dem.kernels.walls import geometry
from dem.model.walls.wall_triangles import triangles_of
from dem.model.walls.welding import edges_of
from dem.plots.rendering.camera import CLOSEST
from dem.plots.rendering.raster import nearest, nearest_triangles, surface, triangle_fragments
from dem.plots.rendering.render import Floor, Meshes

if TYPE_CHECKING:
    from dem.files.h5md.walls import StoredWall
    from dem.files.reading.trajectory import Trajectory
    from dem.model.walls.surfaces import Surface
    from dem.model.walls.wall_shapes import WallShape
    from dem.plots.rendering.camera import Camera

STEPS = 48  # parts of a circle
CREASE = math.cos(math.radians(20.0))  # of the angle between triangles from which on their edge is drawn
LEVEL = 1e-6  # sine of the angle to the horizon that counts as level
COLOUR = (0.72, 0.77, 0.84)
DARKEST, BRIGHTEST = 0.55, 1.0  # of the colour: on edge to the eye, and across
BEHIND = 1e-9  # of the depth, for rounding


def chain(points: np.ndarray) -> np.ndarray:
    """Segments (K, 2, 3) of a line through points (K + 1, 3)."""
    return np.stack([points[:-1], points[1:]], axis=1)


def circle(centre: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Segments (K, 2, 3) of a circle with two given radii at right angles."""
    angle = np.linspace(0, 2 * math.pi, STEPS + 1)[:, None]
    return chain(centre + np.cos(angle) * one + np.sin(angle) * other)


def frame_edges(centre: np.ndarray, *edges: np.ndarray) -> np.ndarray:
    """Edges (K, 2, 3) of a rectangle or block, from halves of its edges."""
    found = []
    for k, edge in enumerate(edges):
        others = [other for j, other in enumerate(edges) if j != k]
        for signs in np.ndindex(*(2,) * len(others)):
            middle = centre + sum((2 * sign - 1) * other for sign, other in zip(signs, others, strict=True))
            found.append(np.stack([middle - edge, middle + edge]))
    return np.array(found)


def creases(surface: Surface) -> np.ndarray:
    """Edges (K, 2, 3) of a mesh at its boundary, at kinks and at branchings."""
    edges, normal = edges_of(surface.triangles), surface.rows[:, 4:7]
    face = edges.first // 3
    beyond = edges.adjacent.ravel()[edges.first]
    bent = np.abs(np.einsum("ij,ij->i", normal[face], normal[np.maximum(beyond, 0)])) < CREASE
    shown = (edges.count != 2) | bent
    return np.stack([surface.vertices[edges.start[shown]], surface.vertices[edges.end[shown]]], axis=1)


def _ball(a: np.ndarray) -> np.ndarray:
    x, y, z = a[3] * np.eye(3)
    return np.concatenate([circle(a[:3], u, v) for u, v in ((x, y), (y, z), (z, x))])


def _torus(a: np.ndarray) -> np.ndarray:
    turn = np.linspace(0, 2 * math.pi, 9)
    return _revolved(a[:3], a[3:6], a[6:9], np.stack([a[9] + a[10] * np.cos(turn), a[10] * np.sin(turn)], axis=1))


def _capsule(a: np.ndarray) -> np.ndarray:
    half = float(np.linalg.norm(a[3:6]))
    axis = a[3:6] / half
    side = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    turn = np.linspace(-0.5 * math.pi, 0.5 * math.pi, 10)
    z = np.where(turn < 0, -half, half) + a[6] * np.sin(turn)
    return _revolved(a[:3], axis, side / np.linalg.norm(side), np.stack([a[6] * np.cos(turn), z], axis=1))


DRAWN = {  # by their numbers
    geometry.BALL: _ball,
    geometry.TORUS: _torus,
    geometry.CAPSULE: _capsule,
    geometry.RECTANGLE: lambda a: frame_edges(a[:3], a[12] * a[3:6], a[13] * a[6:9]),
    geometry.BLOCK: lambda a: frame_edges(a[:3], a[12] * a[3:6], a[13] * a[6:9], a[14] * a[9:12]),
    geometry.REVOLUTION: lambda a: _revolved(a[:3], a[3:6], a[6:9], a[10:].reshape(-1, 2)),
    geometry.PLANE: lambda a: np.zeros((0, 2, 3)),  # has no end
}


def lines_of(shape: WallShape) -> np.ndarray:
    """Lines (K, 2, 3) [m] that show a wall in its initial pose; none for infinite walls."""
    if shape.surface is not None:
        return creases(shape.surface)
    if shape.kind in DRAWN:
        return DRAWN[shape.kind](shape.numbers)
    vertices, triangles = triangles_of(shape, np.zeros(3), 1.0)
    edges = np.unique(np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)), axis=0)
    return vertices[edges]


def _revolved(centre: np.ndarray, axis: np.ndarray, side: np.ndarray, profile: np.ndarray) -> np.ndarray:
    """Lines of a surface of revolution: circles through the points (r, z) of its profile, and four profiles."""
    other = np.cross(axis, side)
    circles = [circle(centre + z * axis, r * side, r * other) for r, z in profile if r > 0]
    around = (side, other, -side, -other)
    return np.concatenate([*circles, *(chain(centre + profile[:, :1] * u + profile[:, 1:] * axis) for u in around)])


def placed(points: np.ndarray, wall: StoredWall, frame: int) -> np.ndarray:
    """Points (..., 3) [m] of a wall, moved from its initial pose to that of a frame."""
    return wall.position[frame] + rotate(wall.orientation[frame], points - wall.wall.middle)


def _present(run: Trajectory, frame: int) -> list[StoredWall]:
    """Walls beside the box that are present in a frame."""
    return [each for each in run.walls if each.wall.is_present(float(run.time[frame]))]


def wall_lines(run: Trajectory, frame: int) -> np.ndarray:
    """Lines (K, 2, 3) [m] of all walls beside the box that are present in a frame."""
    there = _present(run, frame)
    return np.concatenate([np.zeros((0, 2, 3)), *(placed(lines_of(w.wall.shape), w, frame) for w in there)])


def wall_triangles(run: Trajectory, frame: int) -> np.ndarray:
    """Triangles (M, 3, 3) [m] of all walls but planes that are present in a frame."""
    found = [np.zeros((0, 3, 3))]
    for wall in _present(run, frame):
        if wall.wall.shape.kind != geometry.PLANE:
            vertices, triangles = triangles_of(wall.wall.shape, np.zeros(3), 1.0)
            found.append(placed(vertices, wall, frame)[triangles])
    return np.concatenate(found)


def level_plane(run: Trajectory, frame: int, up: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> Floor | None:
    """Visible part of the horizontal plane below a region between two corners; None if no plane is horizontal."""
    for wall in _present(run, frame):
        shape = wall.wall.shape
        if shape.kind == geometry.PLANE and np.linalg.norm(np.cross(shape.numbers[:3], up)) < LEVEL:
            point = placed(shape.numbers[:3] * shape.numbers[3], wall, frame)
            axis = int(np.abs(up).argmax())
            corner, size = lower - 0.1 * (upper - lower), 1.2 * (upper - lower)
            corner[axis] = point[axis]
            return Floor(corner, np.delete(np.diag(size), axis, axis=0))
    return None


def lay_over(
    picture: np.ndarray, triangles: np.ndarray, camera: Camera, centres: np.ndarray, radii: np.ndarray, opacity: float,
    meshes: Meshes | None = None,
) -> np.ndarray:  # fmt: skip
    """Blend triangles over a picture, where they are in front of spheres and other bodies.

    Parameters
    ----------
    picture : (height, width, 3) uint8 array
        Of the spheres, taken by `dem.plots.render`.
    triangles : (m, 3, 3) array
        Corners, world frame [m].
    camera : Camera
        By which it was taken.
    centres, radii : (n, 3), (n,) arrays
        The spheres [m].
    opacity : float
        Of one sheet, from 0 to 1: what is behind is seen by what it lacks of 1.
    meshes : Meshes
        The other bodies.

    Returns
    -------
    (height, width, 3) uint8 array

    Examples
    --------
    >>> from dem.plots.rendering.camera import Camera
    >>> camera = Camera((0, 0, 0), forward=(0, 1, 0), span=4.0)
    >>> sheet = np.array([[[-1, -1, -1], [1, -1, -1], [0, -1, 1]]])
    >>> seen = lay_over(np.zeros((40, 40, 3), np.uint8), sheet, camera, np.zeros((0, 3)), np.zeros(0), 0.5)
    >>> bool(seen[20, 20].min() > 50), seen[0, 0].tolist()
    (True, [0, 0, 0])
    """
    height, width = picture.shape[:2]
    x, y = camera.pixels(width, height)
    k = camera.convergence
    depth = _depth(camera, centres, radii, x, y)
    if meshes is not None:
        _, of_meshes = nearest_triangles(meshes.facing(camera).corners, k, x, y)
        depth = np.minimum(depth, of_meshes.reshape(depth.shape))
    corners = camera.view(triangles.reshape(-1, 3)).reshape(-1, 3, 3)
    corners = corners[(1 + k * corners[:, :, 2] > CLOSEST).all(axis=1)]
    if opacity == 1:  # the nearest sheet hides the others
        before = depth.ravel().copy()
        for _, pixel, z, _ in triangle_fragments(corners, k, x, y):
            seen = z <= before[pixel]
            np.minimum.at(depth.ravel(), pixel[seen], z[seen])
        depth *= 1 + BEHIND * np.sign(depth)
    shade, sheets = np.zeros(depth.size), np.zeros(depth.size, int)
    for _, pixel, z, n in triangle_fragments(corners, k, x, y):
        seen = z <= depth.ravel()[pixel]
        np.add.at(shade, pixel[seen], (DARKEST + (BRIGHTEST - DARKEST) * np.abs(n[:, 2]))[seen])
        np.add.at(sheets, pixel[seen], 1)
    through = ((1 - opacity) ** sheets).reshape(height, width, 1)
    ink = (255 * shade / np.maximum(sheets, 1)).reshape(height, width, 1) * np.array(COLOUR)
    return np.rint(picture * through + (1 - through) * ink).astype(np.uint8)


def _depth(camera: Camera, centres: np.ndarray, radii: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Depth of the surface visible in each pixel (height, width); infinite where there is none."""
    k, seen = camera.convergence, camera.view(np.asarray(centres, float))
    before = 1 + k * (seen[:, 2] - radii) > CLOSEST
    seen, radii = seen[before], np.asarray(radii, float)[before]
    number = nearest(seen, radii, k, x, y)
    depth = np.full(number.shape, np.inf)
    row, column = np.nonzero(number >= 0)
    spheres = np.column_stack([seen, radii]).astype(np.float32)[number[row, column]]
    points, _ = surface(spheres, np.float32(k), x[column].astype(np.float32), y[row].astype(np.float32))
    depth[row, column] = points[:, 2]
    return depth
