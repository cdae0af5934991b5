"""The shape that bonds have at rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from dem.base.periodic import nearest_image

if TYPE_CHECKING:
    from dem.model.particles.particles import Particles

SHORTEST = 0.05  # of its diameter
LONGEST = 10.0  # of the bounding radii of both bodies, which are not to be in the way of others


class Joined(Protocol):
    """Bonds: `dem.Bonds`."""

    pairs: np.ndarray
    diameter: np.ndarray
    ground: np.ndarray
    anchors: np.ndarray


class BondGeometry(NamedTuple):
    """Of B bonds at rest."""

    length: np.ndarray  # (B,) from end to end [m]
    frames: np.ndarray  # (B, 2, 4) along the bond, in the frames of both bodies; the ground's is that of the world


def turned(q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Vectors u (..., 3) turned by q (..., 4): u + 2 q0 (q × u) + 2 q × (q × u)."""
    twice = 2 * np.cross(q[..., 1:], u)
    return u + q[..., :1] * twice + np.cross(q[..., 1:], twice)


def product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Hamilton products p q (..., 4)."""
    scalar = p[..., :1] * q[..., :1] - (p[..., 1:] * q[..., 1:]).sum(-1, keepdims=True)
    vector = p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] + np.cross(p[..., 1:], q[..., 1:])
    return np.concatenate([scalar, vector], axis=-1)


def inverse(q: np.ndarray) -> np.ndarray:
    """Inverse of unit quaternions (..., 4)."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def to_x(e: np.ndarray) -> np.ndarray:
    """The shortest rotations that turn x to unit vectors e (B, 3): (B, 4)."""
    q = np.column_stack([1 + e[:, 0], np.zeros(len(e)), -e[:, 2], e[:, 1]])
    q[e[:, 0] < -1 + 1e-12] = (0.0, 0.0, 1.0, 0.0)
    return q / np.linalg.norm(q, axis=1)[:, None]


def ends(bonds: Joined, particles: Particles) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Places (B, 3) of both ends of bonds [m], and orientations (B, 4) of what they are fixed to."""
    x, q = particles.position, particles.orientation
    i, j = bonds.pairs.T
    one = x[i] + turned(q[i], bonds.anchors[:, 0])
    grounded = j < 0
    q_other = np.where(grounded[:, None], np.array([1.0, 0.0, 0.0, 0.0]), q[j])
    other = x[j] + turned(q_other, bonds.anchors[:, 1])
    other[grounded] = bonds.ground
    return one, other, q[i], q_other


def at_rest(bonds: Joined, particles: Particles, periods: np.ndarray) -> BondGeometry:
    """Lengths and frames of bonds between particles as they are.

    Raises
    ------
    ValueError
        If a bond is of a body that is not there, has no length, or is far too long.
    """
    if bonds.pairs.max() >= len(particles):
        k = int(bonds.pairs.max(1).argmax())
        message = f"bond {k} is of particles {bonds.pairs[k].tolist()}, and there are {len(particles)}"
        raise ValueError(message)
    one, other, q_one, q_other = ends(bonds, particles)
    r = other - one
    r = nearest_image(r, periods)
    length = np.linalg.norm(r, axis=1)
    _check_lengths(bonds, particles, length)
    along = turned(inverse(q_one), r / length[:, None])  # in the first body
    frame = to_x(along)
    frames = np.stack([frame, product(product(inverse(q_other), q_one), frame)], axis=1)
    return BondGeometry(length, frames)


def _check_lengths(bonds: Joined, particles: Particles, length: np.ndarray) -> None:
    """Refuse bonds between bodies on top of each other, and far apart."""
    k = int((length / bonds.diameter).argmin())
    if length[k] < SHORTEST * bonds.diameter[k]:
        message = (
            f"bond {k} of particles {bonds.pairs[k].tolist()} is {length[k]:.3g} m long, at least {SHORTEST:g} of its "
            f"diameter ({bonds.diameter[k]:g} m) is needed: move the bodies apart, or give anchors"
        )
        raise ValueError(message)
    reach = np.array([(np.linalg.norm(s.offsets, axis=1) + s.radii).max() for s, _ in particles.variants])
    size = reach[particles.variant]
    i, j = bonds.pairs.T
    allowed = LONGEST * np.where(j < 0, 2 * size[i], size[i] + size[j])
    k = int((length / allowed).argmax())
    if length[k] > allowed[k]:
        message = (
            f"bond {k} of particles {bonds.pairs[k].tolist()} is {length[k]:.3g} m long, at most {allowed[k]:.3g} m, "
            f"{LONGEST:g} times what both reach, holds them together: check the pairs, or put bodies between"
        )
        raise ValueError(message)
