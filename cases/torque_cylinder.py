"""A cylinder under a torque about all axes: Zhao & van Wachem (2013), test 4; Seelen et al. (2016), 3.3.

Zhao & van Wachem turn a torque given in the world frame into the body, most likely on their fibre; Seelen et al. put
the same one straight into the body's equations, on a cylinder. Neither paper says so; only these choices give their
figures.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from pydantic import Field, PositiveFloat

import dem

REFERENCE_STEP = 5e-7  # s; the Runge-Kutta method of order four is then off by 1e-12 rad


class TorqueCylinder(dem.RotationCase):
    """A fibre or a cylinder under a torque about all axes (Zhao & van Wachem 2013, test 4; Seelen et al. 2016, 3.3)."""

    name = "torque-cylinder"
    torque = "cylinder"

    duration: PositiveFloat = Field(0.1, description="simulated time [s]")
    time_step: PositiveFloat = Field(1e-5, description="time step [s]")
    torque_frame: Literal["world", "body"] = Field(
        "world", description="world (a fibre, Zhao & van Wachem) or body (a cylinder, Seelen et al.)"
    )

    @property
    def frame(self) -> str:
        """Frame of the torque."""
        return self.torque_frame

    def inertia(self) -> tuple[float, float, float]:
        """Moments of inertia of the fibre of five spheres, or of the cylinder along x [kg m²]."""
        if self.frame == "world":
            return tuple(dem.Fibre(diameter=0.01, aspect_ratio=3).mass_properties(1100.0).inertia)
        r, h = 5e-3, 0.03
        m = 1100.0 * math.pi * r * r * h
        across = m * (3 * r * r + h * h) / 12
        return m * r * r / 2, across, across

    def exact(self, time: np.ndarray) -> np.ndarray:
        """Reference orientations by the Runge-Kutta method of order four with REFERENCE_STEP."""
        every = max(1, round((time[1] - time[0]) / REFERENCE_STEP))
        fine = dem.integrate_rotation(
            "runge-kutta", inertia=self.inertia(), torque=self.torque, time_step=(time[1] - time[0]) / every,
            steps=every * (len(time) - 1), every=every, frame=self.frame,
        )  # fmt: skip
        return fine.orientation
