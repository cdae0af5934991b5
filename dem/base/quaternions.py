"""Unit quaternions (..., 4), scalar first, of many bodies at once; compiled: `dem.kernels.numerics.quaternion`."""

from __future__ import annotations

import math

import numpy as np

UNIT_NORM = 1e-6  # how far a norm may be from 1: beyond what writing six digits loses


def product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Hamilton products p q (..., 4)."""
    scalar = p[..., :1] * q[..., :1] - (p[..., 1:] * q[..., 1:]).sum(-1, keepdims=True)
    vector = p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] + np.cross(p[..., 1:], q[..., 1:])
    return np.concatenate([scalar, vector], axis=-1)


def conjugate(q: np.ndarray) -> np.ndarray:
    """Conjugates (..., 4), which are the inverse rotations."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Vectors u (..., 3) rotated by q (..., 4): u + 2 q0 (q × u) + 2 q × (q × u).

    Examples
    --------
    >>> rotate(np.array([0.5, 0.5, 0.5, 0.5]), np.array([1.0, 2.0, 3.0]))  # a third of a turn about (1, 1, 1)
    array([3., 1., 2.])
    """
    twice = 2 * np.cross(q[..., 1:], u)
    return u + q[..., :1] * twice + np.cross(q[..., 1:], twice)


def rotate_back(q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Vectors u (..., 3) rotated by the inverse of q (..., 4)."""
    return rotate(conjugate(q), u)


def rotation_from_x(e: np.ndarray) -> np.ndarray:
    """Shortest rotations (B, 4) that turn x to unit vectors e (B, 3)."""
    q = np.column_stack([1 + e[:, 0], np.zeros(len(e)), -e[:, 2], e[:, 1]])
    q[e[:, 0] < -1 + 1e-12] = (0.0, 0.0, 1.0, 0.0)
    return q / np.linalg.norm(q, axis=1)[:, None]


def quaternion_of(rotation: np.ndarray) -> np.ndarray:
    """Quaternion (4,) of a rotation matrix (3, 3), with its largest component positive.

    The component is found first that is largest, so that nothing is divided by a small number (S. W. Shepperd, J.
    Guid. Control 1 (1978) 223).

    Examples
    --------
    >>> quaternion_of(np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])).round(3)
    array([0.707, 0.   , 0.   , 0.707])
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = np.asarray(rotation, float).tolist()
    squares = [1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz]
    products = [
        [squares[0], zy - yz, xz - zx, yx - xy],
        [zy - yz, squares[1], yx + xy, xz + zx],
        [xz - zx, yx + xy, squares[2], zy + yz],
        [yx - xy, xz + zx, zy + yz, squares[3]],
    ]
    most = squares.index(max(squares))
    return np.array(products[most]) / (2 * math.sqrt(squares[most]))
