"""A clamped rod of bonds, bent by loads at its end: static solutions of the very formulae that runs use."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dem.model.bonds import Bonds
from dem.model.rest import Geometry
from kernels.base.jit import in_python
from kernels.base.quaternion import exponential, product, rotate
from kernels.bonds import beam

STRAIN, STRESSES, COUPLES = (in_python(f) for f in (beam.strain, beam.stresses, beam.couples))
STEPS = 200  # of Newton's method at most


class Shape(NamedTuple):
    """Nodes of a rod, the clamped one left out."""

    position: np.ndarray  # (N, 3) [m]
    orientation: np.ndarray  # (N, 4)


class Beam:
    """N bonds in a row along x, the first one clamped at the origin.

    Parameters
    ----------
    number : int
        Of bonds.
    diameter, length, young, poisson : float
        Of the rod [m, m, Pa, -].
    density : float
        Not looked at here.
    sheared : bool
        False: 12 E I/l³ for the shear stiffness, as if the rod could not shear.
    """

    def __init__(
        self, number: int, *, diameter: float, length: float, young: float, poisson: float, density: float = 1000.0,
        sheared: bool = True,
    ) -> None:  # fmt: skip
        del density
        self.number, self.spacing = number, length / number
        geometry = Geometry(np.array([self.spacing]), np.zeros((1, 2, 4)))
        stretch, twist, shear, bend = Bonds(
            [(0, 1)], young=young, diameter=diameter, poisson=poisson, geometry=geometry
        ).stiffness[0]
        self.along, self.across = (stretch, twist), (shear if sheared else 12 * bend / self.spacing**2, bend)

    def straight(self) -> Shape:
        """At rest."""
        position = np.zeros((self.number, 3))
        position[:, 0] = self.spacing * np.arange(1, self.number + 1)
        return Shape(position, np.tile([1.0, 0.0, 0.0, 0.0], (self.number, 1)))

    def pulls(self, shape: Shape) -> np.ndarray:
        """Force and torque of the bonds on each node (N, 6) [N, N m]."""
        x = np.concatenate([np.zeros((1, 3)), shape.position])
        q = np.concatenate([[[1.0, 0.0, 0.0, 0.0]], shape.orientation])
        found = np.zeros((self.number + 1, 6))
        for k in range(self.number):
            s = STRAIN(tuple(q[k].tolist()), tuple(q[k + 1].tolist()), tuple((x[k + 1] - x[k]).tolist()))
            f, c = STRESSES(s, self.spacing, self.along, self.across)
            one, other = COUPLES(s, f, c)
            force, one, other = (np.array(ROTATE(s.frame, u)) for u in (f, one, other))
            found[k] += (*force, *one)
            found[k + 1] += (*-force, *other)
        return found[1:]

    def moved(self, shape: Shape, by: np.ndarray) -> Shape:
        """Nodes shifted and turned by (N, 6) [m, rad]."""
        turned = [PRODUCT(EXPONENTIAL(tuple((0.5 * u[3:]).tolist())), tuple(q.tolist()))
                  for q, u in zip(shape.orientation, by, strict=True)]  # fmt: skip
        q = np.array(turned)
        return Shape(shape.position + by[:, :3], q / np.linalg.norm(q, axis=1)[:, None])

    def matrix(self, shape: Shape | None = None) -> np.ndarray:
        """Stiffness matrix of the nodes (6 N, 6 N): what resists shifts and turns, by central differences."""
        shape = shape or self.straight()
        size = np.tile([1e-6 * self.spacing] * 3 + [1e-6] * 3, self.number)
        columns = []
        for k, h in enumerate(size):
            by = np.zeros(6 * self.number)
            by[k] = h
            ends = (self.pulls(self.moved(shape, sign * by.reshape(-1, 6))).ravel() for sign in (1, -1))
            columns.append((next(ends) - next(ends)) / (-2 * h))
        return np.array(columns).T

    def deflected(self, force: tuple = (0, 0, 0), couple: tuple = (0, 0, 0), parts: int | None = None) -> Shape:
        """At rest under a force and a couple at the free end, by Newton's method, the load applied in parts."""
        shape, load = self.straight(), np.zeros((self.number, 6))
        load[-1] = (*force, *couple)
        parts = parts or max(1, math.ceil(4 * self.bent(force, couple)))
        for part in range(1, parts + 1):
            least = math.inf
            for _ in range(STEPS):
                rest = part / parts * load + self.pulls(shape)
                lever = np.array([1.0] * 3 + [1 / self.spacing] * 3)
                size = float(np.abs(rest * lever).max())
                if not size < 0.5 * least:  # rounding
                    break
                least = size
                shape = self.moved(shape, np.linalg.solve(self.matrix(shape), rest.ravel()).reshape(-1, 6))
        return shape

    def bent(self, force: tuple, couple: tuple) -> float:
        """About by how much a load turns the free end [rad]."""
        whole = self.number * self.spacing
        turning = float(np.linalg.norm(couple)) + math.hypot(*force[1:]) * whole
        return turning * self.number / min(self.across[1], self.along[1])


EXPONENTIAL, PRODUCT, ROTATE = (in_python(f) for f in (exponential, product, rotate))
