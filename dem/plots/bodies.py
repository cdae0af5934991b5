"""Geometry of pictures: spheres and axes of the particles in a frame, edges of the box, bonds as rows of balls."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from dem.base.quaternions import rotate
from dem.base.text import counted
from dem.files.reading.stored_field import read_in_blocks
from dem.model.domain.box import AXES, FACES
from dem.model.shapes.bodies import Spheres, axis_of, body_axis, place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dem.files.h5md.bonds import StoredBonds
    from dem.files.reading.trajectory import Trajectory
    from dem.model.shapes.bodies import Variant

ROOMY = 10.0  # a box so many times as long as what is in it at first is drawn about that, where it is open
ABOUT = 1.5  # so far from it, in its lengths
SPACING = 0.25  # of the diameter, from ball to ball
TORN = 3.0  # of the length at rest: longer ones go through a periodic face
THICK = 1.1  # times its diameter is a bond that just broke, so that it shows where bodies are as thick


def vertical(run: Trajectory) -> np.ndarray:
    """Unit vector opposite to gravity (3,); z without gravity."""
    gravity = np.array(_input_of(run)["gravity"], float)
    strength = np.linalg.norm(gravity)
    return -gravity / strength if strength > 0 else np.array([0.0, 0.0, 1.0])


def corners(run: Trajectory, frame: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Opposite corners of the box (3,), (3,) [m] in a frame, with moving walls; None without a box.

    Open faces that are far away stand for none: they are taken to be nearer. A cell that deforms is between them.
    """
    box, time = _input_of(run)["box"], float(_times_of(run)[frame])
    if box is None:
        return None
    if (edges := cell_edges(run, frame)) is not None:
        return np.minimum(edges, 0).sum(axis=1), np.maximum(edges, 0).sum(axis=1)
    ends = np.array([box["lower"], box["upper"]], float)
    for face, moves in box["motion"].items():
        axis, phase = AXES.index(face[0]), moves["phase"]
        swing = math.sin(2 * math.pi * moves["frequency"] * time + phase) - math.sin(phase)
        ends[FACES.index(face) % 2, axis] += moves["velocity"][axis] * time + moves["amplitude"][axis] * swing
    near = _particle_extent(run) if box.get("open") else None
    for face in box["open"] if near is not None else ():
        axis, side = AXES.index(face[0]), FACES.index(face) % 2
        if ends[1, axis] - ends[0, axis] > ROOMY / (1 + 2 * ABOUT) * float((near[1] - near[0]).max()):
            ends[side, axis] = near[side, axis]
    return ends[0], ends[1]


def cell_edges(run: Trajectory, frame: int) -> np.ndarray | None:
    """Edges of the `dem.Cell` of a run in a frame, in columns (3, 3) [m]; None if there is none."""
    box = _input_of(run)["box"]
    return _all_cell_edges(run)[frame] if box and "edges" in box else None


@lru_cache(maxsize=1)  # asked for at each frame
def _input_of(run: Trajectory) -> dict:
    return run.input


@lru_cache(maxsize=1)  # asked for at each frame
def _times_of(run: Trajectory) -> np.ndarray:
    return run.time


@lru_cache(maxsize=1)  # asked for at each frame
def _all_cell_edges(run: Trajectory) -> np.ndarray:
    """Edges of the cell in all frames, in columns (T, 3, 3) [m]."""
    return run.cell.edges


def box_edges(origin: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Ends of the edges (12, 2, 3) of a box or cell with three edges in columns (3, 3) from its origin (3,) [m]."""
    corner = np.array(np.meshgrid([0, 1], [0, 1], [0, 1], indexing="ij")).reshape(3, -1).T
    pairs = [(a, a + step) for step in np.eye(3, dtype=int) for a in corner if not (a & step).any()]
    return origin + np.array(pairs) @ edges.T


@lru_cache(maxsize=1)  # asked for at each frame
def _particle_extent(run: Trajectory) -> np.ndarray | None:
    """Corners (2, 3) of the region of the particles in the first frame that has any; None if none has."""
    x = next((frame.position.astype(float) for frame in run if len(frame.position)), None)
    if x is None:
        return None
    widest = max(variant.reach for variant in run.variants)
    lower, upper = x.min(axis=0) - widest, x.max(axis=0) + widest
    far = ABOUT * float((upper - lower).max())
    return np.array([lower - far, upper + far])


def positions(run: Trajectory, frame: int) -> np.ndarray:
    """Centres of mass of the particles present in a frame (N, 3) [m], wrapped into a periodic box."""
    return _wrapped(run, frame, run[frame].position)


def all_positions(run: Trajectory, frame: int) -> np.ndarray:
    """Centres of mass of all particles of the run (M, 3) [m], wrapped into a periodic box; NaN where absent."""
    return _wrapped(run, frame, run.position[frame])


def tracks(run: Trajectory, frames: Sequence[int]) -> Iterator[np.ndarray]:
    """Centres of mass of all particles of the run (M, 3) [m] in each of some frames, see `all_positions`."""
    return (_wrapped(run, frame, x) for frame, (x,) in read_in_blocks([run.position], frames))


def _wrapped(run: Trajectory, frame: int, x: np.ndarray) -> np.ndarray:
    x, box = x.astype(float), _input_of(run)["box"]
    if (edges := cell_edges(run, frame)) is not None:
        return (np.linalg.solve(edges, x.T) % 1.0).T @ edges.T
    for axis in box["periodic"] if box else ():
        k = AXES.index(axis)
        low, high = box["lower"][k], box["upper"][k]
        x[:, k] = low + (x[:, k] - low) % (high - low)
    return x


def spheres(run: Trajectory, frame: int) -> Spheres:
    """Spheres of all particles in a frame, wrapped into a periodic box particle by particle."""
    variants, x = run.variants, positions(run, frame)
    round_ = not any(variant.offsets.any() for variant in variants)  # then the file need not have orientations
    there = run[frame]
    return place(x, np.zeros((len(x), 4)) if round_ else there.orientation, there.variant, variants)


def size_of(variant: Variant) -> float:
    """Diameter of the sphere of equal volume [m]."""
    return float((6 * variant.volume / math.pi) ** (1 / 3))


def long_axis(variant: Variant) -> int | None:
    """Body axis of the smallest moment of inertia, if it is distinct."""
    axis = axis_of(variant.inertia)
    return None if axis < 0 else axis


def slender(run: Trajectory) -> np.ndarray:
    """Numbers of the particles with a long axis (M,)."""
    return np.flatnonzero(np.array([long_axis(variant) is not None for variant in run.variants])[run.variant])


def directions(run: Trajectory, particles: np.ndarray) -> Iterator[np.ndarray]:
    """Unit vectors along the long axes of slender particles (M, 3) in each frame, world frame; NaN where absent."""
    axes = np.array([long_axis(variant) or 0 for variant in run.variants])[run.variant[particles]]
    for _, (orientation,) in read_in_blocks([run.orientation], range(len(run))):
        q = orientation.astype(float)[particles]
        yield np.select([axes[:, None] == k for k in range(3)], [body_axis(q, k) for k in range(3)])


def heights_of(run: Trajectory, frame: int) -> np.ndarray:
    """Heights of the particles present in a frame (N,) [m], above the lowest corner of the box at the start."""
    return heights_above(run, positions(run, frame))


def heights_above(run: Trajectory, x: np.ndarray) -> np.ndarray:
    """Heights of points (N, 3) above the lowest corner of the box at the start, or above the origin (N,) [m]."""
    return x @ vertical(run) - bottom(run)


def bottom(run: Trajectory) -> float:
    """Height of the lowest corner of the box at the start above the origin [m]; 0 without a box."""
    up, box = vertical(run), _input_of(run)["box"]
    return float(np.minimum(up * box["lower"], up * box["upper"]).sum()) if box else 0.0


def numbers_up_to(count: int, most: int) -> np.ndarray:
    """Numbers from 0 to `count` - 1; if they are more than `most`, so many of them, evenly spaced."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))


def spheres_and_bonds(run: Trajectory, frame: int) -> Spheres:
    """Spheres of all particles in a frame, and of unbroken bonds, which belong to their first particle."""
    own, bonds = spheres(run, frame), run.bonds
    if bonds is None:
        return own
    rows = _bond_spheres(run, frame, bonds, ~bonds.broken[frame])
    return Spheres(*(np.concatenate(both) for both in zip(own, rows, strict=True)))


def just_broken_bonds(run: Trajectory, frame: int) -> Spheres | None:
    """Spheres of the bonds that broke since the previous frame, slightly thicker; None if none broke."""
    bonds = run.bonds
    if bonds is None or frame == 0:
        return None
    new = bonds.broken[frame] & ~bonds.broken[frame - 1]
    return _bond_spheres(run, frame, bonds, new, THICK) if new.any() else None


def broken_bonds_in_words(run: Trajectory, frame: int) -> str:
    """Number of broken bonds in a frame, in words; empty if none is broken."""
    broken = 0 if run.bonds is None else int(run.bonds.broken[frame].sum())
    return f", {broken} of {counted(run.bonds.broken.shape[1], 'bond')} broken" if broken else ""


def _bond_spheres(run: Trajectory, frame: int, bonds: StoredBonds, which: np.ndarray, thick: float = 1.0) -> Spheres:
    """Rows of balls between the bodies of bonds."""
    x, made = all_positions(run, frame), bonds.made
    i, j = made.pairs.T
    turning = made.anchors.any()
    q = run.orientation[frame].astype(float) if turning else None
    one = x[i] + (rotate(q[i], made.anchors[:, 0]) if turning else 0.0)
    other = x[j] + (rotate(q[j], made.anchors[:, 1]) if turning else 0.0)
    other[j < 0] = made.ground
    length = np.linalg.norm(other - one, axis=1)
    shown = np.flatnonzero(which & (length < TORN * made.geometry.length))
    number = max(1, math.ceil(float((made.geometry.length / made.diameter).max()) / SPACING))
    along = (np.arange(1, number) / number)[:, None, None]
    between = (one[shown] + along * (other - one)[shown]).reshape(-1, 3)
    radii = np.tile(thick * 0.5 * made.diameter[shown], number - 1)
    return Spheres(between, radii, np.tile(i[shown], number - 1))
