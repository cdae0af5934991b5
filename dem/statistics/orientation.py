"""Orientation of fibres: tensors, order parameter, director."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

UNIT = 1e-4  # how far from 1 the length of a direction may be: what writing four digits loses


class OrientationTensors(NamedTuple):
    """Moments of the distribution of directions."""

    a2: np.ndarray  # (..., 3, 3)
    a4: np.ndarray  # (..., 3, 3, 3, 3)


class Order(NamedTuple):
    """How well directions are aligned, and with what."""

    parameter: np.ndarray  # (...)
    director: np.ndarray  # (..., 3)


def orientation_tensors(directions: np.ndarray) -> OrientationTensors:
    """Orientation tensors of second and fourth order.

    a_ij = <p_i p_j> and a_ijkl = <p_i p_j p_k p_l> over the fibres (Advani & Tucker, J. Rheol. 31 (1987) 751). Both are
    symmetric in all indices, do not tell p from -p, and a_ijkk = a_ij, a_kk = 1.

    Parameters
    ----------
    directions : (..., N, 3) array
        Unit vectors of N fibres, such as `Frame.axis`; of several times, with the times in front.

    Returns
    -------
    OrientationTensors
        ``a2`` (..., 3, 3) and ``a4`` (..., 3, 3, 3, 3): diag(1, 0, 0) for fibres along x, δ_ij/3 and
        (δ_ij δ_kl + δ_ik δ_jl + δ_il δ_jk)/15 for isotropic ones.

    Raises
    ------
    ValueError
        If the directions are no unit vectors, or there are none.

    Examples
    --------
    >>> a2, a4 = orientation_tensors([[1, 0, 0], [0, 1, 0]])
    >>> a2.diagonal()
    array([0.5, 0.5, 0. ])
    """
    p = unit_vectors(directions)
    pairs = (p[..., :, None] * p[..., None, :]).reshape(*p.shape[:-1], 9)
    a4 = np.swapaxes(pairs, -1, -2) @ pairs / p.shape[-2]
    return OrientationTensors(a2=pairs.mean(-2).reshape(*p.shape[:-2], 3, 3), a4=a4.reshape(*p.shape[:-2], 3, 3, 3, 3))


def order_parameter(directions: np.ndarray) -> Order:
    """Nematic order parameter S and director n.

    S is the largest eigenvalue of Q = (3 a2 - 1)/2, n its eigenvector (Eppenga & Frenkel, Mol. Phys. 52 (1984) 1303):
    1 for aligned fibres, 0 for isotropic, 1/4 for fibres at random in a plane. N random directions
    give about 1/√N instead of 0.

    Parameters
    ----------
    directions : (..., N, 3) array
        Unit vectors, as in `orientation_tensors`.

    Returns
    -------
    Order
        ``parameter`` (...) and ``director`` (..., 3), of which the component largest in size is positive.

    Raises
    ------
    ValueError
        If the directions are no unit vectors, or there are none.

    Examples
    --------
    >>> parameter, director = order_parameter([[1, 0, 0], [-1, 0, 0]])
    >>> float(parameter), director
    (1.0, array([1., 0., 0.]))
    """
    values, vectors = np.linalg.eigh(1.5 * orientation_tensors(directions).a2 - 0.5 * np.eye(3))
    director = vectors[..., -1]
    largest = np.take_along_axis(director, np.abs(director).argmax(-1)[..., None], -1)
    return Order(values[..., -1], np.where(largest < 0, -director, director))


def unit_vectors(directions: np.ndarray) -> np.ndarray:
    """Directions (..., N, 3) as floats; raises ValueError if they are no unit vectors, or there are none."""
    p = np.asarray(directions, dtype=np.float64)
    if p.ndim < 2 or p.shape[-1] != 3 or p.shape[-2] == 0:
        message = f"directions have shape {p.shape}, expected (..., N, 3): unit vectors of at least one fibre"
        raise ValueError(message)
    worst = np.abs(np.linalg.norm(p, axis=-1) - 1).max(initial=0.0)
    if not worst <= UNIT:
        message = f"directions are off unit length by up to {worst:.3g}: divide them by their norm"
        raise ValueError(message)
    return p
