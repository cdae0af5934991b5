"""Particles as another run left them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dem.files.trajectory import Trajectory
from dem.model.fields import STATE

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from dem.model.materials import Material
    from dem.model.shapes import Shape


def last_frame(path: Path) -> tuple[list[tuple[Shape, Material]], np.ndarray, dict[str, np.ndarray]]:
    """Kinds, number of each particle's kind (N,), and state in the last frame of a trajectory.

    Raises
    ------
    OSError, ValueError
        If the file cannot be read, lacks a part of the state, or has shapes that only their process knew.
    """
    with Trajectory(path) as run:
        if not len(run):
            message = f"{path} holds no complete frame"
            raise ValueError(message)
        return run.shapes, run.kind, {name: getattr(run, name)[len(run) - 1] for name in STATE}
