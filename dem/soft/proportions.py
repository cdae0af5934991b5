"""Meshes whose size does not go with that of the particles: as if their files were in other units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base.notices import Notice
from dem.base.words import counted
from dem.model.mesh import Mesh
from dem.system.diagnosis import outside, point

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dem.model.particles import Particles
    from dem.model.wall import Wall

HUGE = 300.0  # times the space that particles take up, and themselves, beyond which a mesh is told of


def odd_meshes(particles: Particles, walls: Sequence[Wall], called: Sequence[str]) -> Iterator[Notice]:
    """Meshes that are smaller than any sphere, or so large that particles are lost in them."""
    if not len(particles):
        return
    x, widths = particles.position, [2 * float(variant.radii.max()) for variant, _ in particles.variants]
    spread = float(np.linalg.norm(np.ptp(x, axis=0))) + max(widths)
    for wall, name in zip(walls, called, strict=True):
        lower, upper = wall.shape.lower, wall.shape.upper
        size = float(np.linalg.norm(upper - lower))
        if not isinstance(wall, Mesh) or min(widths) <= size <= HUGE * spread:
            continue
        beyond = outside(x, lower, upper)
        first = f", the first particle {beyond[0]} at {point(x[beyond[0]])} m" if len(beyond) else ""
        reason = (
            f"the mesh {name} is {size:.3g} m from corner to corner, from {point(lower)} to {point(upper)} m, but "
            f"particles are {min(widths):.3g} m wide or more, in {spread:.3g} m: "
            f"{len(beyond)} of {counted(len(particles), 'particle')} outside it{first}"
        )
        remedy = "give from_file the scale of its units, 1e-3 for millimetres, or mean it"
        yield Notice("odd-scale", reason, remedy, grave=size < min(widths))
