"""HTML page of a run: constant data, frames and script in one text.

Frames are numbers of 16 bits, differences from frame to frame, deflated, in base 64. Bonds are cylinders between points
of two bodies.
"""

from __future__ import annotations

import base64
import html
import json
import math
import zlib
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.text import counted, printable
from dem.files.h5md import layout
from dem.files.reading.stored_field import read_in_blocks
from dem.model.particles.kinds import in_words
from dem.plots.bodies import TORN, bottom, cell_edges, corners, size_of, tracks, vertical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.files.reading.trajectory import Trajectory
    from dem.model.shapes.bodies import Variant

ABSENT = 65535  # of positions: not there, or far outside
MAX_QUANTISED = ABSENT - 1
TOLD = 350  # characters of time, energies, corners and edges of a cell, twice, and of where a wall is
ROOM = 1.0  # how far beyond its box a particle is shown, in diagonals
SCRIPTS = ("data.js", "scene.js", "camera.js", "plot.js", "main.js")
BITS = {"u2": "u16", "u4": "u32", "f4": "f32"}


def has_contacts(run: Trajectory) -> bool:
    """Whether contacts are stored in the run."""
    return layout.NUMBER in run._stored("/")  # noqa: SLF001, as frames ask


def scalar_names(run: Trajectory) -> list[str]:
    """Names of the scalars of particles in the page."""
    fields = run.fields
    shown = {"speed": "velocity" in fields, "spin": "angular_velocity" in fields, "force": has_contacts(run)}
    shown["temperature"] = "temperature" in fields
    return [*(name for name, there in shown.items() if there), *own_scalars(run)]


def own_scalars(run: Trajectory) -> dict[str, str]:
    """Units of the scalar fields of a file except the temperature, by name."""
    return {name: unit for name, unit in run.scalars.items() if name != "temperature"}


def rotating_particles(run: Trajectory) -> np.ndarray:
    """Numbers of the particles (M,) whose rotation is visible."""
    if "orientation" not in run.fields:
        return np.zeros(0, int)
    return np.flatnonzero(np.array([bool(np.any(each.offsets)) for each in run.variants])[run.variant])


def widths(run: Trajectory) -> list[tuple[str, int]]:
    """Names of the data of each frame, and numbers of components."""
    particles, turned = len(run.variant), len(rotating_particles(run))
    fields = [("position", 3 * particles), *((name, particles) for name in scalar_names(run))]
    return fields + ([("orientation", 4 * turned)] if turned else [])


def frame_bytes(run: Trajectory) -> int:
    """Upper bound of the size of a frame in the page [bytes]."""
    return sum(width for _, width in widths(run)) * 2 * 4 // 3 + TOLD * (2 + len(run.walls))


def frame_block(run: Trajectory, frames: Sequence[int], level: int = 3) -> dict:
    """Data of some frames for JSON; `level` is the compression level of zlib.

    A block has its number of particles; later blocks have the same particles, followed by new ones.
    """
    where = np.array(list(tracks(run, frames)))
    lower, upper = _extent(run, frames, where)
    numbers, scales, own = [quantised(where, lower, upper)], {}, own_scalars(run)
    for name in scalar_names(run):
        values = _scalar(run, name, frames)
        if name in own:
            least = float(values.min(initial=np.inf, where=np.isfinite(values)))
            least = least if np.isfinite(least) else 0.0
            values = np.nan_to_num(values - least, posinf=0.0)
            largest = float(values.max(initial=0.0))
            scales |= {name: largest, f"{name} from": least, f"{name} least": least, f"{name} shown": least + largest}
            numbers.append(np.round(values * (ABSENT / largest if largest > 0 else 0.0)).astype(np.uint16))
            continue
        largest = float(values.max(initial=0.0))
        scales[name], scales[f"{name} shown"] = largest, _last_colour(values)
        if name == "temperature":
            least = float(values[values > 0].min(initial=largest))
            scales[f"{name} least"] = least if least < scales[f"{name} shown"] else 0.0
        numbers.append(np.round(values * (ABSENT / largest if largest > 0 else 0.0)).astype(np.uint16))
    turned = rotating_particles(run)
    if len(turned):
        q = np.array([each[turned] for _, (each,) in read_in_blocks([run.orientation], frames)], float)
        numbers.append((np.round(np.nan_to_num(q) * 32767) + 32768).astype(np.uint16))
    ends = [corners(run, k) for k in frames]
    numbers_of, time, walls = run.frames, run.time, run.walls
    return {
        "fields": widths(run), "particles": len(run.variant), "empty": not np.isfinite(where).any(),
        "frames": len(frames), "number": [int(numbers_of[k]) for k in frames],
        "time": [float(time[k]) for k in frames], "energy": _energies(run, frames),
        "corners": [None if each is None else [_floats(each[0]), _floats(each[1])] for each in ends],
        "cell": [None if each is None else _floats(each.ravel()) for each in (cell_edges(run, k) for k in frames)],
        "poses": [[_floats([*w.position[k], *w.orientation[k]]) for w in walls] for k in frames],
        "lower": _floats(lower), "upper": _floats(upper), "scales": scales, "data": packed(numbers, level),
    }  # fmt: skip


def quantised(x: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Positions (..., 3) as integers from 0 to 65534 between two corners; 65535 for positions outside.

    Examples
    --------
    >>> quantised(np.array([[0.0, 0.5, 1.0], [0.0, 0.5, 1.1]]), np.zeros(3), np.ones(3))
    array([[    0, 32767, 65534],
           [65535, 65535, 65535]], dtype=uint16)
    """
    there = ((x >= lower) & (x <= upper)).all(axis=-1, keepdims=True)
    span = np.where(upper > lower, upper - lower, 1.0)
    with np.errstate(invalid="ignore"):
        return np.where(there, np.round((np.where(there, x, lower) - lower) / span * MAX_QUANTISED), ABSENT).astype(
            np.uint16
        )


def packed(numbers: Sequence[np.ndarray], level: int) -> str:
    """Arrays (T, ...) of 16 bits: differences along T, low bytes before high bytes, deflated, in base 64."""
    steps = [np.diff(each.reshape(len(each), -1), axis=0, prepend=np.uint16(0)).ravel() for each in numbers]
    flat = np.concatenate(steps).astype("<u2").view(np.uint8).reshape(-1, 2)
    return base64.b64encode(zlib.compress(np.ascontiguousarray(flat.T).tobytes(), level)).decode()


def _floats(values: Sequence[float]) -> list[float]:
    return [float(value) for value in values]


def _extent(run: Trajectory, frames: Sequence[int], where: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the region that is shown: all particles, but not far from the box if there is one."""
    known = where.reshape(-1, 3)[np.isfinite(where).all(axis=-1).ravel()]
    if not len(known):
        return np.zeros(3), np.ones(3)
    lower, upper = known.min(axis=0), known.max(axis=0)
    ends = [each for each in (corners(run, k) for k in frames) if each is not None]
    if ends:
        low, high = np.min([e[0] for e in ends], axis=0), np.max([e[1] for e in ends], axis=0)
        far = ROOM * float(np.linalg.norm(high - low))
        lower, upper = np.maximum(lower, low - far), np.minimum(upper, high + far)
    return lower, upper


def _scalar(run: Trajectory, name: str, frames: Sequence[int]) -> np.ndarray:
    """Values (T, N) that colour the particles; 0 where a particle is absent."""
    if name == "force":
        return np.array([_contact_force_sums(run, k) for k in frames])
    field = {"speed": "velocity", "spin": "angular_velocity"}.get(name, name)
    rows = (values for _, (values,) in read_in_blocks([run.field(field)], frames))
    if field != name:
        return np.nan_to_num(np.array([np.linalg.norm(each, axis=1) for each in rows]), posinf=0.0)
    values = np.array([each[:, 0] for each in rows])
    return np.nan_to_num(values, posinf=0.0) if name == "temperature" else values.astype(float)


def _contact_force_sums(run: Trajectory, frame: int) -> np.ndarray:
    """Sum of the contact forces' magnitudes on each particle (N,) [N]."""
    contacts, number = run[frame].contact_forces(), len(run.variant)
    size = np.linalg.norm(contacts.force, axis=1)
    i, j, both = contacts.i, contacts.j, ~contacts.with_wall
    known = getattr(run, "identity", None)  # numbers are columns, unless particles come and go
    i, j = (i, j[both]) if known is None else np.searchsorted(known, (i, j)).clip(0, number - 1)
    return np.bincount(i, size, number) + np.bincount(j if known is None else j[both], size[both], number)


def _last_colour(values: np.ndarray) -> float:
    """Value with the last colour: the 98th percentile."""
    return float(np.percentile(values, 98)) or float(values.max(initial=0.0)) if values.size else 0.0


def _energies(run: Trajectory, frames: Sequence[int]) -> dict[str, list[float | None]]:
    """Energies in frames [J], without those that are always zero."""
    picked = {name: values[list(frames)] for name, values in run.energy.items() if np.any(values) or name == "total"}
    return {name: [float(v) if np.isfinite(v) else None for v in values] for name, values in picked.items()}


class Rod(NamedTuple):
    """A cylinder between two points, in the frames of their bodies; body -1 is the world."""

    body: int
    point: list[float]  # [m]
    other: int
    end: list[float]  # [m]
    radius: float  # [m]
    breaks: float | None  # time from which on it is not there any more [s]
    longest: float  # [m], beyond which it is not drawn


def rods(run: Trajectory) -> list[Rod]:
    """Rods that show the bonds of a run; empty without bonds."""
    bonds = getattr(run, "bonds", None)
    if bonds is None:
        return []
    made, pairs = bonds.made, np.asarray(bonds.pairs, int)
    ends = np.array(made.anchors, float)
    ends[pairs[:, 1] < 0, 1] = made.ground
    gone, first = bonds.broken.any(axis=0), bonds.broken.argmax(axis=0)
    return [
        Rod(
            int(pairs[b, 0]), ends[b, 0].tolist(), int(pairs[b, 1]), ends[b, 1].tolist(), 0.5 * float(made.diameter[b]),
            float(bonds.time[first[b]]) if gone[b] else None, TORN * float(made.geometry.length[b]),
        )
        for b in range(len(pairs))
    ]  # fmt: skip


def constant_data(run: Trajectory, about: str) -> dict:
    """Data that are the same in all frames, for JSON."""
    variants = run.variants
    surfaces = {id(s.vertices): (s.vertices, s.triangles) for each in variants if (s := each.surface)}
    return {
        "about": about, "particles": len(run.variant), "kinds": [kind.name for kind in run.kinds],
        "variants": [_variant(each, surfaces) for each in variants],
        "surfaces": [{"points": encoded(v, "f4"), "triangles": encoded(t, "u4")} for v, t in surfaces.values()],
        "variant": encoded(run.variant, "u4"), "kind": encoded(run.kind, "u2"),
        "turning": encoded(rotating_particles(run), "u4"),
        "scalars": scalar_names(run), "units": own_scalars(run), "up": vertical(run).tolist(), "bottom": bottom(run),
        "walls": _walls(run), "rods": rods(run),
    }  # fmt: skip


def _variant(variant: Variant, surfaces: dict) -> dict:
    """Spheres of a variant, or number and scale of its surface."""
    if variant.surface is None:
        return {"offsets": _rows(variant.offsets), "radii": _rows(variant.radii), "size": size_of(variant)}
    number = list(surfaces).index(id(variant.surface.vertices))
    surface = {"surface": number, "scale": variant.surface.scale}
    return {"offsets": [], "radii": [], "size": size_of(variant), **surface}


def summary_of(run: Trajectory) -> str:
    """One line about the run, and one about its end."""
    verdict = run.verdict or run.error
    return f"{in_words(run.describe())}; {counted(len(run), 'frame')}" + (f"\n{verdict}" if verdict else "")


def _rows(values: np.ndarray) -> list:
    return np.asarray(values, float).tolist()


def encoded(values: np.ndarray, kind: str) -> list[str]:
    """Array for the script: its number type, and its bytes in base 64."""
    return [BITS[kind], base64.b64encode(np.ascontiguousarray(values, f"<{kind}").tobytes()).decode()]


def _walls(run: Trajectory) -> list[dict]:
    """Lines and triangles of each wall beside the box, relative to its centre."""
    if not run.walls:
        return []
    from dem.plots.rendering.walls import lines_of  # noqa: PLC0415, needs kernels

    found = []
    for stored in run.walls:
        shape = stored.wall.shape
        middle, surface = stored.wall.middle, shape.surface
        triangles = np.zeros((0, 3)) if surface is None else surface.vertices[surface.triangles.ravel()] - middle
        lines = lines_of(shape).reshape(-1, 3) - middle
        until = stored.wall.present_until
        found.append({
            "name": stored.name, "lines": encoded(lines, "f4"), "triangles": encoded(triangles, "f4"),
            "present": [stored.wall.present_from, until if until < math.inf else None],
        })  # fmt: skip
    return found


def page(title: str, data: dict, blocks: list[dict], *, live: bool = False) -> str:
    """HTML of the page; names from the file are escaped."""
    folder = resources.files("dem.viewer") / "page"
    scripts = [*SCRIPTS[:-1], "live.js", SCRIPTS[-1]] if live else SCRIPTS
    parts = {
        "TITLE": html.escape(printable(title)), "CONNECT": "'self'" if live else "'none'",
        "STYLE": (folder / "viewer.css").read_text(encoding="utf-8"),
        "SCRIPT": "\n".join((folder / name).read_text(encoding="utf-8") for name in scripts),
        "WHAT": as_text(data), "BLOCKS": as_text(blocks),
    }  # fmt: skip
    first, *rest = (folder / "viewer.html").read_text(encoding="utf-8").split("@")
    return first + "".join(parts.get(piece, piece) for piece in rest)


def as_text(value: object) -> str:
    """JSON text in which nothing ends the script element."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
