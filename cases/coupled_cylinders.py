"""Two cylinders on fixed axes rub against each other: Seelen et al. (2016), 3.4, in a well-posed form.

The paper gives no mass. Equal length and density contradicts its figure; solid cylinders of 27 kg each agree with it
and make the decay rate 0.8 1/s exactly.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field, PositiveFloat

import dem

RADII = (1.0, 2.4)  # m
FRICTION = 5.4  # kg/s
START = (2.0, 0.4)  # rad/s


class CoupledCylinders(dem.StudyCase):
    """Two cylinders in touching contact rub against each other (Seelen et al. 2016, 3.4)."""

    name = "coupled-cylinders"

    duration: PositiveFloat = Field(10.0, description="simulated time [s]")
    time_step: PositiveFloat = Field(1e-3, description="time step [s]")
    mass: PositiveFloat = Field(27.0, description="mass of each cylinder [kg]")

    def inertia(self) -> tuple[float, float]:
        """Moments of inertia about the two axes."""
        return tuple(0.5 * self.mass * r * r for r in RADII)

    def exact(self, time: np.ndarray) -> np.ndarray:
        """Angular velocities (K, 2): the slip decays exponentially."""
        per_torque = [r / i for r, i in zip(RADII, self.inertia(), strict=True)]
        rate = sum(r * p for r, p in zip(RADII, per_torque, strict=True))  # of the slip, per unit of force
        slip = sum(r * w for r, w in zip(RADII, START, strict=True))
        impulse = slip / rate * -np.expm1(-FRICTION * rate * time)
        return np.column_stack([w - p * impulse for w, p in zip(START, per_torque, strict=True)])

    def angular_velocities(self, integrator: str | None = None, time_step: float | None = None) -> np.ndarray:
        """Angular velocities (steps + 1, 2) found by a scheme."""
        dt = time_step or self.time_step
        return dem.rub_cylinders(
            integrator or self.integrator, radii=RADII, friction=FRICTION, inertia=self.inertia(),
            angular_velocity=START, time_step=dt, steps=max(1, round(self.duration / dt)),
        )  # fmt: skip

    def table(self) -> tuple[np.ndarray, str, str]:
        """Columns (time, computed and exact angular velocities), their names, and a summary in words."""
        found = self.angular_velocities()
        every = self.steps_a_frame(len(found) - 1)
        time = np.arange(len(found)) * self.time_step
        exact = self.exact(time)
        error = np.abs(found[:, 0] / exact[:, 0] - 1).max()
        said = (
            f"{len(time[::every])} rows; with {self.integrator} omega is {found[-1, 0]:.10g} and {found[-1, 1]:.10g} "
            f"rad/s at the end, the first one off by {error:.3g} at most"
        )
        return np.column_stack([time, found, exact])[::every], "time_s,omega_1,omega_2,exact_1,exact_2", said
