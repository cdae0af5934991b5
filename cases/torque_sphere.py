"""A sphere under a torque that grows exponentially: Zhao & van Wachem (2013), test 3; Seelen et al. (2016), 3.2."""

from __future__ import annotations

import math

import numpy as np
from pydantic import Field, PositiveFloat

import dem


class TorqueSphere(dem.RotationCase):
    """A sphere is spun up by a torque A exp(t) about y (Zhao & van Wachem 2013, test 3; Seelen et al. 2016, 3.2)."""

    name = "torque-sphere"
    torque = "sphere"

    duration: PositiveFloat = Field(1.0, description="simulated time [s]")
    time_step: PositiveFloat = Field(1e-4, description="time step [s]")

    def inertia(self) -> tuple[float, float, float]:
        """Moments of inertia of a sphere of 2 m and 1100 kg/m³ [kg m²]."""
        i = 0.4 * 1100.0 * 4 / 3 * math.pi
        return i, i, i

    def exact(self, time: np.ndarray) -> np.ndarray:
        """Exact orientations: rotation about y by (A/I)(e^t - 1 - t), A = 1e5 N m."""
        half = 0.5 * 1e5 / self.inertia()[0] * (np.exp(time) - 1 - time)
        zero = np.zeros_like(half)
        return np.column_stack([np.cos(half), zero, np.sin(half), zero])
