"""Notices of meshes that are too small or too large for the particles, as if their files were in other units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base.notices import Notice
from dem.base.text import counted
from dem.model.walls.mesh import Mesh
from dem.system.diagnosis import outside, point

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dem.model.insertion import Inserter
    from dem.model.particles.particles import Particles
    from dem.model.walls.wall import Wall

HUGE = 300.0  # times the space that particles take up, themselves and what inserters fill: meshes beyond are named
LOST = 1000.0  # the same, beyond which a mesh is refused: a file in millimetres is read as one a thousand times larger


def mesh_scale_notices(
    particles: Particles, walls: Sequence[Wall], names: Sequence[str], inserters: Sequence[Inserter] = ()
) -> Iterator[Notice]:
    """Meshes that are smaller than any sphere, or so large that particles are lost in them."""
    x, widths = particles.position, [2 * float(variant.radii.max()) for variant, _ in particles.variants]
    filled = np.concatenate([x, *([each.place.lower, each.place.upper] for each in inserters)])
    if not len(filled):
        return
    spread = float(np.linalg.norm(np.ptp(filled, axis=0))) + max(widths)
    for wall, name in zip(walls, names, strict=True):
        if not isinstance(wall, Mesh):
            continue
        lower, upper = wall.shape.lower, wall.shape.upper
        size = float(np.linalg.norm(upper - lower))
        if min(widths) <= size <= HUGE * spread:
            continue
        beyond = outside(x, lower, upper)
        first = f", the first particle {beyond[0]} at {point(x[beyond[0]])} m" if len(beyond) else ""
        reason = (
            f"the wall {name} is {size:.3g} m from corner to corner, from {point(lower)} to {point(upper)} m, but "
            f"particles are {min(widths):.3g} m wide or more, in {spread:.3g} m: "
            f"{len(beyond)} of {counted(len(particles), 'particle')} outside it{first}"
        )
        if size < min(widths):
            remedy = "give from_file the scale of its units once: 1e-3 for millimetres, 1 for metres"
        else:
            remedy = "is this file in millimetres? then give from_file scale=1e-3"
        yield Notice("odd-scale", reason, remedy, grave=not min(widths) <= size <= LOST * spread)
