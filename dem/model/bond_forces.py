"""Forces of bonds from the poses of particles, as contacts; compiled, for steps: `dem.kernels.bonds.beam`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.portable import times
from dem.base.quaternions import conjugate, product, rotate, rotate_back
from dem.model.bonds import dashpots
from dem.model.contact.contact_forces import ContactForces

if TYPE_CHECKING:
    from dem.base.periodic import PeriodicCell
    from dem.model.bonds import Bonds

NO_RATE = np.zeros((3, 3))


class BondedBodies(NamedTuple):
    """State and mass properties of bonded bodies."""

    position: np.ndarray  # (N, 3) [m]
    orientation: np.ndarray  # (N, 4)
    velocity: np.ndarray  # (N, 3) [m/s]
    angular_velocity: np.ndarray  # (N, 3) [rad/s]
    mass: np.ndarray  # (N,) [kg]
    inertia: np.ndarray  # (N, 3) principal moments [kg m²]
    fixed: np.ndarray  # (N,)


class BondEnds(NamedTuple):
    """Ends of K intact bonds."""

    intact: np.ndarray  # (K,) numbers of the bonds
    i: np.ndarray  # (K,) first bodies
    j: np.ndarray  # (K,) second ones, -1 for the ground
    gap: np.ndarray  # (K, 3) from the centre of i to the nearest image of that of j, or to the ground [m]
    arm_i: np.ndarray  # (K, 3) from the centre of i to its end [m]
    arm_j: np.ndarray  # (K, 3) from the centre of j to its end, zero for the ground [m]

    @classmethod
    def of(cls, bonds: Bonds, intact: np.ndarray, x: np.ndarray, q: np.ndarray, cell: PeriodicCell) -> BondEnds:
        """Ends of the bonds `intact` (K,) between bodies at positions x (N, 3) and orientations q (N, 4)."""
        ground = np.zeros((len(bonds), 3))
        ground[bonds.pairs[:, 1] < 0] = bonds.ground
        (i, j), anchors = bonds.pairs[intact].T, bonds.anchors[intact]
        grounded = (j < 0)[:, None]
        gap = np.where(grounded, ground[intact], x[j]) - x[i]
        gap = np.ascontiguousarray(cell.nearest(gap.T).T)
        return cls(intact, i, j, gap, rotate(q[i], anchors[:, 0]), np.where(grounded, 0.0, rotate(q[j], anchors[:, 1])))

    @property
    def chord(self) -> np.ndarray:
        """From one end to the other (K, 3) [m]."""
        return self.gap + self.arm_j - self.arm_i

    def as_contacts(
        self, bonds: Bonds, x: np.ndarray, force: np.ndarray, torque: np.ndarray, loss: np.ndarray | None
    ) -> ContactForces:
        """Forces (K, 3) [N] and torques (K, 3) [N m] on the first bodies, each acting in the middle of its bond.

        A bond to the ground acts at its end there, and has j = -1.
        """
        length = np.linalg.norm(self.chord, axis=1)
        arm = np.where((self.j < 0)[:, None], self.gap, self.arm_i + 0.5 * self.chord)
        return ContactForces(
            i=self.i, j=self.j, overlap=bonds.geometry.length[self.intact] - length,
            normal=-self.chord / length[:, None],
            force=force, arm=arm, branch=-self.gap, point=x[self.i] + arm, loss=loss,
            couple=torque - np.cross(arm, force),
        )  # fmt: skip


def bond_forces(
    bonds: Bonds, intact: np.ndarray, bodies: BondedBodies, cell: PeriodicCell, rate: np.ndarray = NO_RATE
) -> ContactForces:
    """Forces and couples of the bonds `intact` (K,), dashpots included, in a cell of a velocity gradient (3, 3) [1/s].

    The equations are those of `dem.kernels.bonds.beam`, with its symbols.
    """
    x, q = bodies.position, bodies.orientation
    ends = BondEnds.of(bonds, intact, x, q, cell)
    i, j, grounded = ends.i, ends.j, (ends.j < 0)[:, None]
    frames = bonds.geometry.frames[intact]
    one = product(q[i], frames[:, 0])
    other = product(np.where(grounded, [1.0, 0.0, 0.0, 0.0], q[j]), frames[:, 1])
    p = product(conjugate(one), other)
    sign = np.where(p[:, :1] < 0, -1.0, 1.0)
    cos, axis = sign * p[:, :1], sign * p[:, 1:]
    sine = np.linalg.norm(axis, axis=1, keepdims=True)
    half = np.array(list(map(math.atan2, sine[:, 0], cos[:, 0])))[:, None]
    over = np.divide(half, sine, out=np.ones_like(sine), where=sine > 0)  # h/sin h
    along = np.divide(1 - over, sine * sine, out=np.zeros_like(sine), where=sine > 0)
    middle, w = np.sqrt(0.5 / (1 + cos)) * (one + sign * other), axis / (1 + cos)

    def turned(u: np.ndarray) -> np.ndarray:
        """H u."""
        return over * u + along * (axis * u).sum(axis=1, keepdims=True) * axis

    d, psi = rotate_back(middle, ends.chord), 2 * over * axis
    stretch, twist, shear, bending = bonds.stiffness[intact].T
    force = np.column_stack([stretch * (d[:, 0] - bonds.geometry.length[intact]), shear * d[:, 1], shear * d[:, 2]])
    couple = np.column_stack([twist, bending, bending]) * psi
    loss = np.zeros(len(intact))
    if bonds.damping.any():
        v_j, w_j = (
            np.where(grounded, 0.0, values[j]) + np.zeros((len(intact), 3))
            for values in (bodies.velocity, bodies.angular_velocity)
        )
        v_i, w_i = bodies.velocity[i], bodies.angular_velocity[i]
        v = v_j - v_i + times(rate, ends.gap.T).T + np.cross(w_j, ends.arm_j) - np.cross(w_i, ends.arm_i)
        v, w_i, w_j = (rotate_back(middle, each) for each in (v, w_i, w_j))
        eta = w_j - w_i
        rate_d = v - np.cross(0.5 * (w_i + w_j) - 0.5 * np.cross(w, eta), d)
        rate_psi = turned(eta)
        c_stretch, c_twist, c_shear, c_bending = dashpots(bonds, bodies)[intact].T
        f_d = np.column_stack([c_stretch, c_shear, c_shear]) * rate_d
        c_d = np.column_stack([c_twist, c_bending, c_bending]) * rate_psi
        force, couple = force + f_d, couple + c_d
        loss = (f_d * rate_d).sum(axis=1) + (c_d * rate_psi).sum(axis=1)
    c = np.cross(d, force)
    torque = turned(couple) + 0.5 * (c + np.cross(c, w))
    force, torque = rotate(middle, force), rotate(middle, torque)
    return ends.as_contacts(bonds, x, force, torque + np.cross(ends.arm_i, force), loss)
