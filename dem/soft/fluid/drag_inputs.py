"""Drag laws by name, with the numbers of the bodies that kernels need."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.kernels import fluid as fluids
from dem.kernels.fluid.hoelzer_sommerfeld import HoelzerSommerfeld
from dem.kernels.fluid.rosendahl import Rosendahl
from dem.kernels.fluid.zastawny import Zastawny
from dem.model.fluid.drag_registry import REGISTERED, is_dense
from dem.model.shapes.spheroid import Figure

if TYPE_CHECKING:
    from collections.abc import Callable

    from dem.model.fluid.fluid import Fluid
    from dem.model.shapes.shape import Shape
    from dem.model.shapes.spheroid import Spheroid

    Bodies = list[tuple[Shape, Spheroid]]  # each variant, and what stands for it

# drag a0 to a8 and lift b1 to b10 of Zastawny et al. (2012) by aspect ratio; those of fibres and discs are not here
ELLIPSOIDS = {
    2.5: ((2.0, 5.1, 0.48, 15.52, 1.05, 24.68, 0.98, 3.19, 0.21),
          (6.079, 0.898, 0.704, -0.028, 1.067, 0.0025, 0.818, 1.049, 0.0, 0.0)),
    1.25: ((1.95, 18.12, 1.023, 4.26, 0.384, 21.52, 0.99, 2.86, 0.26),
           (0.083, -0.21, 1.582, 0.851, 1.842, -0.802, -0.006, 0.874, 0.009, 0.57)),
}  # fmt: skip
ALIKE = 0.02  # share by which an aspect ratio may be off that of a table


def sphericities(bodies: Bodies) -> list[np.ndarray]:
    """Coefficients of drag by sphericities (3, G), along the axes and across."""
    rows = [Figure.of(shape, body).coefficients(body.volume) for shape, body in bodies]
    return [np.ascontiguousarray(np.array(table).T) for table in zip(*rows, strict=True)]


def tabled(bodies: Bodies) -> Zastawny:
    """Coefficients of ellipsoids; raises ValueError for bodies that the tables do not have."""
    rows = []
    for shape, body in bodies:
        ratio = next((r for r in ELLIPSOIDS if abs(body.ratio / r - 1) <= ALIKE), None)
        if ratio is None:
            known = " and ".join(f"{r:g}" for r in ELLIPSOIDS)
            message = (
                f"drag is zastawny, whose tables are of ellipsoids with aspect ratios {known}, but {shape} has "
                f"{body.ratio:.4g}: take schiller-naumann, hoelzer-sommerfeld or rosendahl"
            )
            raise ValueError(message)
        rows.append(ELLIPSOIDS[ratio])
    return Zastawny(*(np.ascontiguousarray(np.array(table).T) for table in zip(*rows, strict=True)))


OF_BODIES: dict[str, Callable[[Bodies], tuple]] = {  # laws that need more of bodies than the fluid knows
    "hoelzer-sommerfeld": lambda bodies: HoelzerSommerfeld(*sphericities(bodies)),
    "rosendahl": lambda bodies: Rosendahl(*sphericities(bodies)),
    "zastawny": tabled,
}


def drag_of(fluid: Fluid, bodies: Bodies) -> tuple:
    """The law of drag of a fluid; in dense beds it says whether the pressure gradient that it causes is in it."""
    law = REGISTERED.get(fluid.drag) or OF_BODIES.get(fluid.drag)
    if is_dense(fluid.drag):
        return (law or fluids.NAMED_DENSE[fluid.drag][0])(float(fluid.drag_model == "B"))
    return law(bodies) if law else fluids.NAMED_DRAGS[fluid.drag][0]()
