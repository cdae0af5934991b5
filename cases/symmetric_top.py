"""A free symmetric top: Seelen et al. (2016), 3.1."""

from __future__ import annotations

import numpy as np
from pydantic import Field, PositiveFloat

import dem


class SymmetricTop(dem.RotationCase):
    """A free symmetric top precesses (Seelen et al. 2016, 3.1)."""

    name = "symmetric-top"
    frame = "body"
    start = (1.2, 0.45, -0.6)

    duration: PositiveFloat = Field(100.0, description="simulated time [s]; published: 1e4")
    time_step: PositiveFloat = Field(1e-2, description="time step [s]")

    def inertia(self) -> tuple[float, float, float]:
        """Published principal moments of inertia [kg m²]."""
        return 1100.0, 1100.0, 2600.0

    def exact(self, time: np.ndarray) -> np.ndarray:
        """Exact orientations exp(t L/2I_x) exp(t (1 - I_z/I_x) omega_z e_z/2): precession about L, spin about z."""
        i_x, _, i_z = self.inertia()
        momentum = np.multiply(self.inertia(), self.start)
        size = np.linalg.norm(momentum)
        a = 0.5 * size / i_x * time
        x, y, z = momentum / size
        b = 0.5 * (1 - i_z / i_x) * self.start[2] * time
        ca, sa, cb, sb = np.cos(a), np.sin(a), np.cos(b), np.sin(b)
        return np.column_stack(
            [ca * cb - sa * z * sb, sa * x * cb + sa * y * sb, sa * y * cb - sa * x * sb, sa * z * cb + ca * sb]
        )
