"""Describe a problem with particles in words: which particle, its partner, and the remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base.notices import Notice
from dem.base.text import counted
from dem.model.particles.fields import MOTION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.kernels.domain.faces import BoxFaces
    from dem.model.domain.box import Box
    from dem.model.particles.particles import Particles

LIGHTEST = 23.0  # kg/m3: below it are no solids but foams; osmium, the heaviest, has 22.6 g/cm3


def check_inside(particles: Particles, box: Box | None, faces: BoxFaces | None = None) -> None:
    """Refuse particles whose centre is outside the walls of the box, at their current or initial position."""
    if box is None:
        return
    position = particles.position
    beyond = outside(position, *((faces.lower, faces.upper) if faces else box.bounds))
    if len(beyond):
        i = beyond[0]
        message = (
            f"position of particle {i} is {point(position[i])} m, outside the box from {point(box.lower)} to "
            f"{point(box.upper)} m ({len(beyond)} in all): move it inside or enlarge the box"
        )
        raise ValueError(message)


def outside(position: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Numbers of the positions (N, 3) beyond the bounds (3,), (3,)."""
    return np.flatnonzero((position < lower).any(1) | (position > upper).any(1))


def check_finite(particles: Particles, where: str, cause: str) -> None:
    """Raise FloatingPointError if some value of the state is not finite."""
    for name in MOTION:
        bad = np.flatnonzero(~np.isfinite(getattr(particles, name)).all(1))
        if len(bad):
            count = f"{len(bad)} of {counted(len(particles), 'particle')}, first particle {bad[0]}"
            message = f"{where}: {name} not finite for {count}; {cause}"
            raise FloatingPointError(message)


def point(x: object) -> str:
    """Coordinates in words."""
    return "(" + ", ".join(f"{v:.6g}" for v in np.asarray(x)) + ")"


def densities(particles: Particles) -> Iterator[Notice]:
    """Doubts about densities that no solid has."""
    for k, (_, material) in enumerate(particles.variants):
        if material.density < LIGHTEST:
            first = np.flatnonzero(particles.variant == k)[0]
            reason = (
                f"particle {first} has density {material.density:g} kg/m3, less than "
                f"any solid but foam: {material.density:g} g/cm3 would be {1000 * material.density:g} kg/m3"
            )
            yield Notice("implausible-density", reason, "give densities in kg/m3", grave=True)
            return
