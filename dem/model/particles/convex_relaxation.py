"""Relaxation of overlapping convex bodies: their places and orientations, for `dem.pack_dense`.

By the heavy-ball method (B. T. Polyak, USSR Comput. Math. Math. Phys. 4(5) (1964) 1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.model.particles.relaxation import ENOUGH, Relaxation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.shapes.shape import ConvexShape

MOMENTUM = 0.95  # part of the velocity that a step keeps
STEP = 0.4  # of time, in units of √(mass/stiffness)


def unit_rows(w: np.ndarray, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Unit quaternions (N, 4) of columns (N,)."""
    return np.column_stack([w, x, y, z]) / np.sqrt(w * w + x * x + y * y + z * z)[:, None]


class ConvexRelaxation(Relaxation):
    """Relaxation of overlapping convex bodies; rotations count as lengths in radii of the bounding spheres."""

    word = "particle"

    def __init__(
        self, shapes: Sequence[ConvexShape], size: np.ndarray, period: np.ndarray, rng: np.random.Generator
    ) -> None:
        from dem.kernels.convex import overlap_energy  # noqa: PLC0415
        from dem.kernels.convex.shape_registry import convex_kinds  # noqa: PLC0415

        super().__init__(np.array([float(shape.radii[0]) for shape in shapes]), size, period, rng, columns=6)
        self.q = unit_rows(*rng.normal(size=(len(shapes), 4)).T)
        kinds = sorted({shape.convex_kind for shape in shapes}, key=lambda kind: kind.__qualname__)
        different = {id(shape): shape for shape in shapes}
        numbers = [np.asarray(shape.convex_numbers, float) for shape in different.values()]
        first = dict(zip(different, np.cumsum([0, *map(len, numbers)]).tolist(), strict=False))
        self._bodies = (
            convex_kinds(kinds), np.array([kinds.index(shape.convex_kind) for shape in shapes]),
            np.array([first[id(shape)] for shape in shapes]), np.concatenate(numbers),
        )  # fmt: skip
        self._kernels = overlap_energy

    def _list(self) -> None:
        """List pairs of bodies by their bounding spheres, without normals yet."""
        super()._list()
        self._normal = np.zeros((3, len(self._i)))
        self._pairs = self._i.astype(np.int64), self._j.astype(np.int64)

    def _forces(self) -> tuple[np.ndarray, float]:
        """Forces and torques over the radii (N, 6), and the largest overlap over the widths of two bodies."""
        self._list_if_moved()
        x, q = np.ascontiguousarray(self.x.T), np.ascontiguousarray(self.q.T)
        force, torque = np.zeros_like(x), np.zeros_like(x)
        pushed = self._kernels.push_pairs_apart(
            *self._bodies, self._radius, x, q, *self._pairs, self._period, self._normal, force, torque
        )
        walled = self._kernels.push_from_walls(*self._bodies, x, q, self._size, self._period, force, torque)
        self.energy = pushed[0] + walled[0]
        return np.column_stack([force.T, torque.T / self._radius[:, None]]), max(pushed[1], walled[1])

    def step(self) -> float:
        """Take a step of the heavy-ball method; returns as `Relaxation.step`.

        The energy has kinks, where other faces of two bodies or another corner at a wall become the deepest. FIRE stops
        all bodies at each kink and takes its smallest steps; the heavy ball passes over.
        """
        force, worst = self._forces()
        if worst >= ENOUGH:
            self._v = MOMENTUM * self._v + STEP * force
            self._move(STEP * self._v)
        return worst

    def _move(self, by: np.ndarray) -> None:
        """Move by `by[:, :3]`; rotate by φ = `by[:, 3:]`/radius to second order, the unit quaternion along (1, φ/2)."""
        self.x = self.x + by[:, :3]
        a, b, c = (0.5 * by[:, 3:] / self._radius[:, None]).T
        w, x, y, z = self.q.T
        self.q = unit_rows(
            w - a * x - b * y - c * z, x + a * w + b * z - c * y, y + b * w + c * x - a * z, z + c * w + a * y - b * x
        )
