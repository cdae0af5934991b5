"""What contacts of bodies hold that are taken out: their elastic energy goes with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.model.box import FACES
from dem.soft.overlaps import in_walls
from kernels.soft.walled import has_walls

if TYPE_CHECKING:
    from dem.soft.engine import Engine

KNOWN = 1e-9  # of all elastic energy: how far this may be off what kernels have summed, if they are one


class Held(NamedTuple):
    """Elastic energy of contacts that are to end."""

    energy: float  # [J]
    known: bool  # whether the contact law holds just this; if not, what is left is found at the next step
    touches: bool  # whether there are any

    def settle(self, engine: Engine, moving: float, *, alone: bool) -> None:
        """Take it off the books of an engine, with the energy of motion and weight of those who have gone [J].

        `alone` says whether all is known of those who touched nobody.
        """
        progress, unit = engine.progress, engine.energy_unit
        progress.energy_start[0] -= (moving + self.energy) * unit
        progress.elastic[0] -= round(self.energy * unit)
        if not self.known or not alone or (self.touches and engine.fluid_state):
            progress.leaving[0] = 1


def elastic_of(engine: Engine, going: np.ndarray) -> Held:
    """What the contacts of bodies hold, those of the indices where `going` (N,) is true.

    It is that of the normal law as Python knows it. Where adhesion, hysteresis, several contacts of the same two bodies
    or edges of walls make something else of it, the sum over all contacts shows that it is not what kernels have.
    """
    b, progress = engine.bodies, engine.progress
    overlaps = engine.overlaps()
    mass, material = engine.kinds.mass[b.kind[b.owner]], engine.kinds.material[b.kind[b.owner]]
    deep = np.flatnonzero(overlaps.pair > 0)
    i, j = overlaps.i[deep], overlaps.j[deep]
    radius = overlaps.radius
    pairs = engine.springs.between(
        material[i], material[j], 1 / (1 / radius[i] + 1 / radius[j]), 1 / (1 / mass[i] + 1 / mass[j])
    ).energy(overlaps.pair[deep])
    s, face, depth = _wall_contacts(engine, radius)
    walls = engine.springs.between(material[s], engine.springs.of_faces[face], radius[s], mass[s]).energy(depth)
    sphere = going[b.owner]
    concerned = float(pairs[sphere[i] | sphere[j]].sum() + walls[sphere[s]].sum())
    every = float(progress.elastic[0] - progress.stored[0]) / engine.energy_unit
    counted = float(pairs.sum() + walls.sum())
    touches = bool((sphere[i] | sphere[j]).any() or sphere[s].any())
    exact = (
        abs(counted - every) <= KNOWN * max(abs(every), counted) + (pairs.size + walls.size + 1) / engine.energy_unit
    )
    return Held(concerned, exact or not (touches or engine.range > 0), touches)


def _wall_contacts(engine: Engine, radius: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Spheres, walls and overlaps of contacts with walls; of walls that are no faces only the deepest."""
    b, faces = engine.bodies, engine.faces
    x = b.sphere_position
    height = np.stack([x - faces.lower[:, None], faces.upper[:, None] - x], axis=1).reshape(len(FACES), -1)
    depth = radius - height
    depth[:, b.left[0, b.owner] != 0] = -np.inf
    face, s = np.nonzero(depth > 0)
    deep = depth[face, s]
    if has_walls(faces):
        beside, which, _, _ = in_walls(b, engine.kinds, faces)
        more = np.flatnonzero(beside > 0)
        s, face = np.concatenate([s, more]), np.concatenate([face, len(FACES) + which[more]])
        deep = np.concatenate([deep, beside[more]])
    return s, face, deep
