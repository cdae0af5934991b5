"""One-dimensional flow of gas in a column: the smallest flow solver for a fluidised bed.

Nothing is compressed, so what flows through each cell, gas and particles together, is what is blown in at the bottom:
ε u + (1 - ε) v = U. The pressure carries the drag on the particles, implicitly in u, and the weight of the gas:
-ε dp/dz = f + ε ρ g (model A; the inertia of the gas is left out, a thousandth of that of the particles).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import dem


@dataclass(frozen=True)
class GasColumn:
    """Flow solver of gas blown upwards through one column of cells; it has no state of its own, so runs can resume.

    Parameters
    ----------
    start, end : float
        Superficial velocity U at first, and when it does not grow any more [m/s].
    delay, ramp : float
        How long it stays as at first, and how long it takes to grow [s].
    """

    start: float = 0.0
    end: float = 0.0
    delay: float = 0.0
    ramp: float = 0.0

    def superficial(self, time: float) -> float:
        """Superficial velocity U at a time [m/s]."""
        if self.ramp == 0:
            return self.end if time >= self.delay else self.start
        share = min(max((time - self.delay) / self.ramp, 0.0), 1.0)
        return self.start + share * (self.end - self.start)

    def __call__(self, exchange: dem.Exchange) -> dem.FlowState:
        """Gas velocity and pressure gradient in all cells."""
        blown, voidage = self.superficial(exchange.time), np.maximum(exchange.voidage, 0.2)
        solid = exchange.solid_velocity[..., 2]
        velocity = (blown - (1 - voidage) * solid) / voidage
        drag = exchange.resistance * (velocity - solid) / exchange.cells.volume
        flow, gradient = np.zeros((2, *voidage.shape, 3))
        flow[..., 2] = velocity
        gradient[:] = exchange.density * np.array(exchange.gravity)
        gradient[..., 2] -= drag / voidage
        return dem.FlowState(velocity=flow, pressure_gradient=gradient)


def pressure_drop(exchange: dem.Exchange) -> float:
    """Pressure drop from bottom to top, without the weight of the gas [Pa]."""
    weight = exchange.density * exchange.gravity[2]
    return float((weight - exchange.pressure_gradient[0, 0, :, 2]).sum() * exchange.cells.spacing[2])
