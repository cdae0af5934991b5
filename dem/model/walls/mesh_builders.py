"""Meshes made in code, as vertices (V, 3) and triangles (F, 3) for `dem.Mesh`."""

from __future__ import annotations

import numpy as np

from dem.base import checks

Triangles = tuple[np.ndarray, np.ndarray]


def sheet(points: np.ndarray) -> Triangles:
    """Two triangles for each cell of a net of points (m, n, 3)."""
    m, n = points.shape[:2]
    a = (np.arange(m - 1)[:, None] * n + np.arange(n - 1)).ravel()
    first, second = np.column_stack([a, a + n, a + n + 1]), np.column_stack([a, a + n + 1, a + 1])
    return np.ascontiguousarray(points.reshape(-1, 3)), np.stack([first, second], axis=1).reshape(-1, 3)


def joined(*meshes: Triangles) -> Triangles:
    """Join several meshes to one; `dem.Mesh` welds shared vertices."""
    before = np.cumsum([0, *(len(vertices) for vertices, _ in meshes)])
    vertices = np.concatenate([vertices for vertices, _ in meshes])
    return vertices, np.concatenate([triangles + k for (_, triangles), k in zip(meshes, before, strict=False)])


def turned(points: object, *, segments: int = 100) -> Triangles:
    """Surface of revolution of a polyline (r, z) [m] about z, in flat segments: drums, hoppers, cones."""
    segments = checks.whole("segments", segments, least=3)
    meaning = "(r, z) of the polyline, two points at least [m]"
    profile = checks.array("points", points, (max(2, checks.count_of("points", points)), 2), meaning, rows="N")
    angle = 2 * np.pi * np.arange(segments + 1) / segments
    x, y = np.cos(angle), np.sin(angle)
    x[-1], y[-1] = x[0], y[0]
    r, z = profile[:, 0][:, None], profile[:, 1][:, None]
    vertices, triangles = sheet(np.stack([r * x, r * y, np.broadcast_to(z, (len(r), segments + 1))], axis=-1))
    corners = vertices[triangles]
    flat = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) == 0
    return vertices, triangles[~flat]


def box(lower: object, upper: object) -> Triangles:
    """A closed box, twelve triangles."""
    low, high = (np.array(checks.vector(name, x, "a corner [m]")) for name, x in (("lower", lower), ("upper", upper)))
    corner = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    vertices = np.where(corner == 1, high, low)
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return vertices, np.array([t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))])


def screw(
    radius: float, pitch: float, length: float, *, shaft: float = 0.0, segments: int = 48, rows: int = 4
) -> Triangles:
    """A helical sheet about z, from z = 0 to its length, from a shaft or the axis to its outer radius [m]."""
    radius = checks.number("radius", radius, above=0, unit="m")
    shaft = checks.number("shaft", shaft, least=0, most=radius, unit="m")
    pitch, length = (checks.number(n, x, above=0, unit="m") for n, x in (("pitch", pitch), ("length", length)))
    steps = max(1, round(length / pitch * checks.whole("segments", segments, least=3)))
    z = np.linspace(0, length, steps + 1)
    angle = 2 * np.pi * z / pitch
    r = np.linspace(shaft, radius, checks.whole("rows", rows, least=1) + 1)[None]
    x, y = np.cos(angle)[:, None], np.sin(angle)[:, None]
    return sheet(np.stack([r * x, r * y, np.broadcast_to(z[:, None], (len(z), r.size))], axis=-1))


def blades(
    radius: float, height: float, *, count: int = 2, pitch: float = 45.0, tip_pitch: float | None = None,
    segments: int = 8,
) -> Triangles:  # fmt: skip
    """Blades about z, from the axis outwards, each pitched about its own axis by an angle [degrees].

    Towards the tip the pitch changes evenly along the radius to `tip_pitch`, so that the blade is a helicoid about its
    own axis. By default it is flat.
    """
    radius, height = (checks.number(n, x, above=0, unit="m") for n, x in (("radius", radius), ("height", height)))
    count = checks.whole("count", count, least=1)
    first = checks.number("pitch", pitch)
    last = first if tip_pitch is None else checks.number("tip_pitch", tip_pitch)
    segments = checks.whole("segments", segments, least=1)
    r, rows = np.linspace(0.1 * radius, radius, segments + 1), 1 if first == last else max(2, segments // 2)
    tilt = np.radians(first + (last - first) * r / radius)[:, None]
    made = []
    for angle in 2 * np.pi * np.arange(count) / count:
        along = np.array([np.cos(angle), np.sin(angle), 0])
        forward = np.array([-np.sin(angle), np.cos(angle), 0])
        across = np.sin(tilt) * forward + np.cos(tilt) * np.array([0, 0, 1])
        s = np.linspace(-0.5, 0.5, rows + 1) * height
        made.append(sheet(r[:, None, None] * along + s[:, None] * across[:, None]))
    return joined(*made)
