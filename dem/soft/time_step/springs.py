"""The springs of all contacts in a run, see `dem.kernels.laws.collision_time`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.kernels import laws
from dem.kernels.compiler.jit import in_python
from dem.kernels.laws.collision_time import ContactPairProperties

if TYPE_CHECKING:
    from dem.kernels.laws.collision_time import Spring
    from dem.kernels.soft.state import Kinds


def between(law: tuple, i: np.ndarray, j: np.ndarray, meeting: ContactPairProperties) -> Spring:
    """Spring of contacts of a law's rows i and j, and what pulls at touch beside it."""
    normal = getattr(law, "normal", laws.Hertz())
    spring = laws.functions(type(normal)).spring(normal, i, j, meeting)
    adhesion = getattr(law, "adhesion", laws.NoComponent())
    part = laws.functions(type(adhesion))
    if not part.pull:
        return spring
    return spring._replace(pull=in_python(part.pull)(adhesion, i, j, meeting.radius), pull_power=part.pull_power)


FACES = 6


class Springs:
    """Springs of all pairs of materials in a run, the box after them, then walls of E* (B, A) [Pa]."""

    def __init__(
        self, kinds: Kinds, law: tuple, walls: np.ndarray | None = None, rows: np.ndarray | None = None
    ) -> None:
        self.law = law
        self.modulus = np.vstack([kinds.modulus, kinds.wall_modulus])  # (A + 1, A)
        self.wall = kinds.modulus.shape[0]
        self.of_faces = np.full(FACES, self.wall)  # row of each face, and of all walls after them
        self.has_box = bool(kinds.wall_modulus.any())
        if walls is not None:
            self.modulus = np.vstack([self.modulus, walls])  # (A + 1 + B, A)
            self.of_faces = np.append(self.of_faces, rows)

    def surfaces(self, *, box: bool = True) -> list[int]:
        """Rows of all walls that there are; those of the box only if it has any, and is not left out.

        What is computed of the row of a box that is absent, whose E* is zero, is not a number for some laws.
        """
        return [*([self.wall] if self.has_box and box else []), *range(self.wall + 1, len(self.modulus))]

    def between(self, i: np.ndarray, j: np.ndarray, radius: np.ndarray, reduced: np.ndarray) -> Spring:
        """Spring of contacts of material i and material, or wall, j, of these R* and reduced masses."""
        return between(self.law, i, j, ContactPairProperties(self.modulus[j, i], radius, reduced))
