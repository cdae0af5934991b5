"""What simulations of soft and of hard particles have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem import checks
from dem.box import Box
from dem.particles import Particles

if TYPE_CHECKING:
    from collections.abc import Iterable


class System:
    """Particles in a box under gravity; those who inherit from it move them."""

    def __init__(
        self, particles: Particles, box: Box | None, gravity: Iterable[float], description: dict | None
    ) -> None:
        checks.of_types(particles=(particles, Particles))
        checks.of_types(optional=True, box=(box, Box), description=(description, dict))
        self._box = box
        self._gravity = checks.vector("gravity", gravity, "acceleration [m/s2]")
        self._particles = particles.copy()
        self.description = description or {}

    @property
    def box(self) -> Box | None:
        """The walls."""
        return self._box

    @property
    def gravity(self) -> tuple[float, float, float]:
        """Acceleration [m/s²]."""
        return self._gravity

    @property
    def particles(self) -> Particles:
        """The particles at the present time, in their original order."""
        raise NotImplementedError

    def _state(self) -> list[np.ndarray]:
        """Present state, component-major."""
        p = self.particles
        views = (p.position, p.velocity, p.orientation, p.angular_velocity)
        return [np.array(view.T, order="C") for view in views]
