"""Particles as another run left them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dem.files.reading.trajectory import Trajectory
from dem.model.particles.fields import STATE
from dem.model.particles.particles import Particles

if TYPE_CHECKING:
    from pathlib import Path


def last_frame(path: Path) -> Particles:
    """Particles as they are in the last frame of a trajectory, to the bit.

    Raises
    ------
    OSError, ValueError
        If the file cannot be read, lacks a part of the state, or has shapes that only their process knew.
    """
    with Trajectory(path) as run:
        if not len(run):
            message = f"{path} holds no complete frame"
            raise ValueError(message)
        state = {name: run.field(name)[len(run) - 1] for name in STATE if name in run.fields}
        return Particles.known(run.shapes, run.variant, run.kinds, run.kind, state)
