"""Particles as another run left them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dem.clump import Clump
from dem.materials import Material
from dem.particles import STATE
from dem.shapes import Fibre, Shape, Sphere
from dem.trajectory import Trajectory

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

RECIPES = {
    "Sphere": (Sphere, ("diameter",)),
    "Fibre": (Fibre, ("diameter", "aspect_ratio", "spheres", "spacing")),
    "Clump": (Clump, ("offsets", "radii")),
}


def last_frame(path: Path) -> tuple[list[tuple[Shape, Material]], np.ndarray, dict[str, np.ndarray]]:
    """Kinds, number of each particle's kind (N,), and state in the last frame of a trajectory.

    Raises
    ------
    OSError, ValueError
        If the file cannot be read, lacks a part of the state, or has shapes of the user's own.
    """
    with Trajectory(path) as run:
        if not len(run):
            message = f"{path} holds no complete frame"
            raise ValueError(message)
        kinds = [(_shape(path, kind), Material(**kind["material"])) for kind in run.input["kinds"]]
        try:
            return kinds, run.species, {name: getattr(run, name)[len(run) - 1] for name in STATE}
        except KeyError:
            message = f"{path} lacks a part of the state, expected {', '.join(STATE)}"
            raise ValueError(message) from None


def _shape(path: Path, kind: dict) -> Shape:
    if kind["shape"] not in RECIPES:
        message = f"{path} has particles of the shape {kind['shape']}, expected {', '.join(RECIPES)}"
        raise ValueError(message)
    made, keys = RECIPES[kind["shape"]]
    return made(**{key: kind[key] for key in keys})
