"""HTML page of a run: constant data, frames and script in one text."""

from __future__ import annotations

import base64
import html
import json
import math
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from dem.base.text import counted, printable
from dem.model.particles.kinds import in_words
from dem.plots.bodies import size_of, vertical
from dem.viewer.blocks import scalars, turning
from dem.viewer.links import rods

if TYPE_CHECKING:
    from dem.files.reading.trajectory import Trajectory
    from dem.model.shapes.bodies import Variant

SCRIPTS = ("data.js", "scene.js", "camera.js", "plot.js", "main.js")
BITS = {"u2": "u16", "u4": "u32", "f4": "f32"}


def what(run: Trajectory, about: str) -> dict:
    """All that stays as it is, ready for JSON."""
    box, up = run.input["box"], vertical(run)
    bottom = float(np.minimum(up * box["lower"], up * box["upper"]).sum()) if box else 0.0
    variants = run.variants
    surfaces = {id(s.vertices): (s.vertices, s.triangles) for each in variants if (s := each.surface)}
    return {
        "about": about, "particles": len(run.variant), "kinds": [kind.name for kind in run.kinds],
        "variants": [_variant(each, surfaces) for each in variants],
        "surfaces": [{"points": sent(v, "f4"), "triangles": sent(t, "u4")} for v, t in surfaces.values()],
        "variant": sent(run.variant, "u4"), "kind": sent(run.kind, "u2"), "turning": sent(turning(run), "u4"),
        "scalars": scalars(run), "up": up.tolist(), "bottom": bottom,
        "walls": _walls(run), "rods": rods(run),
    }  # fmt: skip


def _variant(variant: Variant, surfaces: dict) -> dict:
    """Spheres of a variant, or the number and the scale of its surface."""
    if variant.surface is None:
        return {"offsets": _rows(variant.offsets), "radii": _rows(variant.radii), "size": size_of(variant)}
    number = list(surfaces).index(id(variant.surface.vertices))
    surface = {"surface": number, "scale": variant.surface.scale}
    return {"offsets": [], "radii": [], "size": size_of(variant), **surface}


def about(run: Trajectory) -> str:
    """A line on the run, and one on how it ended."""
    verdict = run.verdict or run.error
    return f"{in_words(run.describe())}; {counted(len(run), 'frame')}" + (f"\n{verdict}" if verdict else "")


def _rows(values: np.ndarray) -> list:
    return np.asarray(values, float).tolist()


def sent(values: np.ndarray, kind: str) -> list[str]:
    """An array as the script takes it: of which numbers, and its bytes in base 64."""
    return [BITS[kind], base64.b64encode(np.ascontiguousarray(values, f"<{kind}").tobytes()).decode()]


def _walls(run: Trajectory) -> list[dict]:
    """Lines and triangles of each wall beside the box, about its middle."""
    if not run.walls:
        return []
    from dem.plots.rendering.wall_lines import lines_of  # noqa: PLC0415, needs kernels

    found = []
    for stored in run.walls:
        shape = stored.wall.shape
        ends = np.isfinite(shape.lower) & np.isfinite(shape.upper)
        middle = np.where(ends, 0.5 * (np.where(ends, shape.lower, 0.0) + np.where(ends, shape.upper, 0.0)), 0.0)
        surface = shape.surface
        triangles = np.zeros((0, 3)) if surface is None else surface.vertices[surface.triangles.ravel()] - middle
        lines = lines_of(shape).reshape(-1, 3) - middle
        until = stored.wall.present_until
        found.append({
            "name": stored.name, "lines": sent(lines, "f4"), "triangles": sent(triangles, "f4"),
            "present": [stored.wall.present_from, until if until < math.inf else None],
        })  # fmt: skip
    return found


def page(title: str, told: dict, blocks: list[dict], *, live: bool = False) -> str:
    """The whole page. Names from the file are escaped."""
    folder = resources.files("dem.viewer") / "page"
    scripts = [*SCRIPTS[:-1], "live.js", SCRIPTS[-1]] if live else SCRIPTS
    parts = {
        "TITLE": html.escape(printable(title)), "CONNECT": "'self'" if live else "'none'",
        "STYLE": (folder / "viewer.css").read_text(encoding="utf-8"),
        "SCRIPT": "\n".join((folder / name).read_text(encoding="utf-8") for name in scripts),
        "WHAT": as_text(told), "BLOCKS": as_text(blocks),
    }  # fmt: skip
    first, *rest = (folder / "viewer.html").read_text(encoding="utf-8").split("@")
    return first + "".join(parts.get(piece, piece) for piece in rest)


def as_text(value: object) -> str:
    """JSON that ends no script: nothing in it is taken for a tag."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
