"""Which walls act on which particles, by the names of kinds in the walls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.model.particles.kinds import of_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.particles.particles import Particles
    from dem.model.walls.wall import Wall


def acting(walls: Sequence[Wall], particles: Particles) -> np.ndarray:
    """Whether each wall acts on particles of each variant (W, G), of those present or to be inserted.

    Raises
    ------
    ValueError
        If there is no kind of a name, or a wall acts on one of two kinds that are of one shape and material.
    """
    kinds, found = particles.kinds, np.ones((len(walls), len(particles.variants)), bool)
    for w, wall in enumerate(walls):
        if not wall.selects:
            continue
        what = "acts_on" if wall.acts_on else "ignores"
        named = np.zeros(len(kinds), bool)
        for name in getattr(wall, what):
            try:
                named |= of_kind(kinds, np.arange(len(kinds)), name)
            except ValueError as error:
                raise ValueError(f"{what} of the wall {wall.word}: {error}") from None
        acts = (named if wall.acts_on else ~named)[particles.kind]
        for g in range(len(particles.variants)):
            own = particles.variant == g
            found[w, g] = acts[own].all()
            if acts[own].any() and not found[w, g]:
                names = ", ".join(kinds[k].name for k in np.unique(particles.kind[own]))
                raise ValueError(
                    f"{what} of the wall {wall.word} divides the kinds {names}, which are of one shape and material: "
                    "give one of them a dem.Material of another name"
                )
    return found
