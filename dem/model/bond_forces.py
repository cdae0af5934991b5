"""Forces of bonds from poses and velocities, as contacts; compiled, for steps: `dem.kernels.bonds.beam`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.portable import times
from dem.base.quaternions import conjugate, product, rotate, rotate_back
from dem.model.contact.contact_forces import ContactForces

if TYPE_CHECKING:
    from dem.base.periodic import PeriodicCell
    from dem.model.bonds import Bonds

NO_RATE = np.zeros((3, 3))


class BodyMotion(NamedTuple):
    """Poses and velocities of N bodies."""

    position: np.ndarray  # (N, 3) [m]
    orientation: np.ndarray  # (N, 4)
    velocity: np.ndarray  # (N, 3) [m/s]
    angular_velocity: np.ndarray  # (N, 3) [rad/s]


def bond_forces(
    bonds: Bonds,
    intact: np.ndarray,
    damping: np.ndarray,
    bodies: BodyMotion,
    cell: PeriodicCell,
    rate: np.ndarray = NO_RATE,
) -> ContactForces:
    """Forces and couples of the bonds `intact` (K,), dashpots included, in a cell of a velocity gradient (3, 3) [1/s].

    Each acts in the middle of its bond, or at its end on the ground, with j = -1. `damping` has the coefficients of all
    bonds, `dem.model.bonds.dashpots`. The equations are those of `dem.kernels.bonds.beam`, with its symbols.
    """
    x, q = bodies.position, bodies.orientation
    (i, j), length = bonds.pairs[intact].T, bonds.geometry.length[intact]
    grounded, ground = (j < 0)[:, None], np.zeros((len(bonds), 3))
    ground[bonds.pairs[:, 1] < 0] = bonds.ground
    gap = np.ascontiguousarray(cell.nearest((np.where(grounded, ground[intact], x[j]) - x[i]).T).T)
    q_j = np.where(grounded, [1.0, 0.0, 0.0, 0.0], q[j])
    arm_i = rotate(q[i], bonds.anchors[intact, 0])
    arm_j = np.where(grounded, 0.0, rotate(q_j, bonds.anchors[intact, 1]))
    r = gap + arm_j - arm_i
    one, other = product(q[i], bonds.geometry.frames[intact, 0]), product(q_j, bonds.geometry.frames[intact, 1])
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

    d, psi = rotate_back(middle, r), 2 * over * axis
    stretch, twist, shear, bending = bonds.stiffness[intact].T
    force = np.column_stack([stretch * (d[:, 0] - length), shear * d[:, 1], shear * d[:, 2]])
    couple = np.column_stack([twist, bending, bending]) * psi
    loss = np.zeros(len(intact))
    if damping.any():
        v_j, w_j = (np.where(grounded, 0.0, values[j]) for values in (bodies.velocity, bodies.angular_velocity))
        v_i, w_i = bodies.velocity[i], bodies.angular_velocity[i]
        v = v_j - v_i + times(rate, gap.T).T + np.cross(w_j, arm_j) - np.cross(w_i, arm_i)
        v, w_i, w_j = (rotate_back(middle, each) for each in (v, w_i, w_j))
        eta = w_j - w_i
        rate_d = v - np.cross(0.5 * (w_i + w_j) - 0.5 * np.cross(w, eta), d)
        rate_psi = turned(eta)
        c_stretch, c_twist, c_shear, c_bending = damping[intact].T
        f_d = np.column_stack([c_stretch, c_shear, c_shear]) * rate_d
        c_d = np.column_stack([c_twist, c_bending, c_bending]) * rate_psi
        force, couple = force + f_d, couple + c_d
        loss = (f_d * rate_d).sum(axis=1) + (c_d * rate_psi).sum(axis=1)
    c = np.cross(d, force)
    torque = turned(couple) + 0.5 * (c + np.cross(c, w))
    force, torque = rotate(middle, force), rotate(middle, torque)
    size, arm = np.linalg.norm(r, axis=1), np.where(grounded, gap, arm_i + 0.5 * r)
    return ContactForces(
        i=i, j=j, overlap=length - size, normal=-r / size[:, None], force=force, arm=arm, branch=-gap, point=x[i] + arm,
        loss=loss, couple=torque + np.cross(arm_i - arm, force),
    )  # fmt: skip
