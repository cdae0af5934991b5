"""Static solutions of a clamped rod of bonds under loads at its end, by the bond formulae of the engine."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import dem
from dem.base.quaternions import product, rotate
from dem.kernels.bonds.static_row import pull_row
from dem.model.bonds import BondGeometry

STEPS = 4  # of Newton's method, from a matrix that is right to 1e-9


class BeamShape(NamedTuple):
    """Nodes of a rod, the clamped one left out."""

    position: np.ndarray  # (N, 3) [m]
    orientation: np.ndarray  # (N, 4)


def rotations(by: np.ndarray) -> np.ndarray:
    """Quaternions of rotation vectors (N, 3): (N, 4)."""
    half = 0.5 * np.linalg.norm(by, axis=1)[:, None]
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * by], axis=1)


class Beam:
    """N bonds in a row along x, the first one clamped at the origin.

    Parameters
    ----------
    number : int
        Of bonds.
    diameter, length, young, poisson : float
        Of the rod [m, m, Pa, -].
    sheared : bool
        False: 12 E I/l³ for the shear stiffness, as if the rod could not shear.
    """

    def __init__(
        self, number: int, *, diameter: float, length: float, young: float, poisson: float,
        sheared: bool = True,
    ) -> None:  # fmt: skip
        self.number, self.spacing = number, length / number
        geometry = BondGeometry(np.array([self.spacing]), np.zeros((1, 2, 4)))
        stretch, twist, shear, bend = dem.Bonds(
            [(0, 1)], young=young, diameter=diameter, poisson=poisson, geometry=geometry
        ).stiffness[0]
        self.along, self.across = (stretch, twist), (shear if sheared else 12 * bend / self.spacing**2, bend)

    def straight(self) -> BeamShape:
        """At rest."""
        position = np.zeros((self.number, 3))
        position[:, 0] = self.spacing * np.arange(1, self.number + 1)
        return BeamShape(position, np.tile([1.0, 0.0, 0.0, 0.0], (self.number, 1)))

    def pulls(self, shape: BeamShape) -> np.ndarray:
        """Force and torque of the bonds on each node (N, 6) [N, N m]."""
        x = np.concatenate([np.zeros((1, 3)), shape.position])
        q = np.concatenate([[[1.0, 0.0, 0.0, 0.0]], shape.orientation])
        force, torque = np.empty((2, 3, self.number + 1))
        x, q = np.ascontiguousarray(x.T), np.ascontiguousarray(q.T)
        pull_row(self.spacing, self.along, self.across, x, q, force, torque)
        return np.concatenate([force, torque]).T[1:]

    def moved(self, shape: BeamShape, by: np.ndarray) -> BeamShape:
        """Nodes shifted and turned by (N, 6) [m, rad]."""
        q = product(rotations(by[:, 3:]), shape.orientation)
        return BeamShape(shape.position + by[:, :3], q / np.linalg.norm(q, axis=1)[:, None])

    def matrix(self, shape: BeamShape | None = None) -> np.ndarray:
        """Stiffness matrix of the nodes (6 N, 6 N) against displacements and rotations, by central differences.

        A node acts on itself and its neighbours only, so every third node is displaced at once.
        """
        shape = shape or self.straight()
        found = np.zeros((self.number, 6, self.number, 6))
        near = np.abs(np.subtract.outer(np.arange(self.number), np.arange(self.number))) < 2
        for first, k in np.ndindex(min(3, self.number), 6):
            by = np.zeros((self.number, 6))
            by[first::3, k] = h = 1e-6 * (self.spacing if k < 3 else 1.0)
            one, other = (self.pulls(self.moved(shape, sign * by)) for sign in (1, -1))
            rows = (one - other) / (-2 * h)
            for n in range(first, self.number, 3):
                found[:, :, n, k] = np.where(near[:, n, None], rows, 0.0)
        return found.reshape(6 * self.number, -1)

    def deflected(self, force: tuple) -> BeamShape:
        """At rest under a small force at the free end, by Newton's method."""
        shape, load = self.straight(), np.zeros((self.number, 6))
        load[-1, :3] = force
        matrix = self.matrix()
        for _ in range(STEPS):
            rest = load + self.pulls(shape)
            shape = self.moved(shape, np.linalg.solve(matrix, rest.ravel()).reshape(-1, 6))
        return shape

    def turned(self, couple: tuple[float, float, float]) -> BeamShape:
        """Where a couple along x or across it puts the nodes: each bond turned alike, as long as at rest."""
        flexible = np.array([1 / self.along[1], 1 / self.across[1], 1 / self.across[1]])
        each = np.array(couple) * flexible
        k = np.arange(1, self.number + 1)[:, None]
        chords = rotate(rotations((k - 0.5) * each), np.array([self.spacing, 0.0, 0.0]))
        return BeamShape(np.cumsum(chords, axis=0), rotations(k * each))

    def unbalanced(self, shape: BeamShape, couple: tuple[float, float, float]) -> float:
        """Largest force or couple that is left on a node under a couple at the free end, over that couple."""
        rest = self.pulls(shape)
        rest[-1, 3:] += couple
        rest[:, :3] *= self.spacing
        return float(np.abs(rest).max() / np.linalg.norm(couple))
