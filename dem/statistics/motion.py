"""Mean square displacements and correlations over all time origins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from dem.statistics.fibres import unit_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

BLOCK = 4096  # particles at a time
FEW = 1024  # columns in a transform, to save memory
UNEVEN = 0.01  # of the mean interval between frames: they are due at whole steps


def lags(time: np.ndarray) -> np.ndarray:
    """Time differences of the values that the functions here return.

    Parameters
    ----------
    time : (T,) array
        Times of the frames [s].

    Returns
    -------
    (T,) array
        From the first one on [s].

    Raises
    ------
    ValueError
        If the frames are not evenly spaced.

    Examples
    --------
    >>> lags(np.array([1.0, 1.5, 2.0]))
    array([0. , 0.5, 1. ])
    """
    time = np.asarray(time, dtype=np.float64)
    interval = np.diff(time)
    if len(interval) and not np.abs(interval - interval.mean()).max() <= UNEVEN * interval.mean():
        message = (
            f"frames are {interval.min():.6g} to {interval.max():.6g} s apart, expected evenly spaced ones: "
            "take a part of the run"
        )
        raise ValueError(message)
    return time - time[:1]


def mean_square_displacement(position: ArrayLike) -> np.ndarray:
    """Mean square displacement <|r(t + τ) - r(t)|²> over all particles and all time origins t.

    With S(m) = Σ_k |r_k|² + |r_{k+m}|² from cumulative sums, and the autocorrelation by fast Fourier transform, in
    T log T operations a particle (Calandrini et al., Collection SFN 12 (2011) 201). It is accurate to some
    1e-15 of the largest square distance from the mean position.

    Parameters
    ----------
    position : (T, N, 3) array, or a field of a `Trajectory`
        At evenly spaced times, not folded into a periodic box [m]; `Trajectory.position` is, and is read in blocks. The
        rotation of `turned` gives the rotational mean square displacement [rad²].

    Returns
    -------
    (T,) array
        For the time differences `lags` [m²]; the last ones have few origins and scatter.

    Raises
    ------
    ValueError
        If there is no frame or no particle, or another shape, or a position is not finite.

    Examples
    --------
    >>> mean_square_displacement(np.array([[[0.0, 0, 0]], [[1, 0, 0]], [[2, 0, 0]]])).round(12)
    array([0., 1., 4.])
    """
    position, frames, particles = _series("position", position)
    total = np.zeros(frames)
    for block in _blocks(position):
        if not np.isfinite(block).all():
            message = (
                "position is not finite everywhere, such as where particles are inserted or removed: take the columns "
                "of those that are in all frames"
            )
            raise ValueError(message)
        r = block - block.mean(0)
        square = (r * r).sum((1, 2))
        below, above = np.cumsum(square), np.cumsum(square[::-1])
        origins = np.arange(frames, 0, -1)
        total += (below[::-1] + above[::-1]) / origins - 2 * _autocorrelation(r.reshape(frames, -1))
    total[0] = 0.0  # by definition; what is left of rounding
    return np.maximum(total / particles, 0.0)


def orientation_correlation(directions: ArrayLike, degree: Literal[1, 2] = 1) -> np.ndarray:
    """Autocorrelation <P_l(p(t) · p(t + τ))> of directions over all fibres and time origins.

    P_1(x) = x and P_2(x) = (3 x² - 1)/2, which does not tell p from -p; (p · p')² = Σ_ij p_i p_j p'_i p'_j. Free
    rotational diffusion with the coefficient D has exp(-l (l + 1) D τ) (Doi & Edwards, The Theory of Polymer Dynamics
    (1986), ch. 8).

    Parameters
    ----------
    directions : (T, N, 3) array, or a field of a `Trajectory`
        Unit vectors at evenly spaced times, such as `Trajectory.axis`.
    degree : 1 or 2
        l.

    Returns
    -------
    (T,) array
        For the time differences `lags`; 1 at the first.

    Raises
    ------
    ValueError
        For another degree, directions that are no unit vectors, or if there are none.

    Examples
    --------
    >>> orientation_correlation(np.array([[[1.0, 0, 0]], [[0, 1, 0]], [[-1, 0, 0]]])).round(12) + 0.0
    array([ 1.,  0., -1.])
    """
    if degree not in {1, 2}:
        message = f"degree is {degree!r}, expected 1 or 2"
        raise ValueError(message)
    directions, frames, particles = _series("directions", directions)
    total = np.zeros(frames)
    for block in _blocks(directions):
        p = unit_vectors(block)
        if degree == 2:
            p = p[..., :, None] * p[..., None, :]
        total += _autocorrelation(p.reshape(frames, -1))
    mean = total / particles
    return mean if degree == 1 else 1.5 * mean - 0.5


def turned(orientation: np.ndarray) -> np.ndarray:
    """Accumulated rotation since the first frame, ∫ω dt, not limited to one turn.

    The sum over frames of the rotation vectors from one to the next, world frame: each the shortest way, so that
    particles must turn by less than π between frames. Its mean square displacement is the rotational one (Kämmerer,
    Kob & Schilling, Phys. Rev. E 56 (1997) 5450).

    Parameters
    ----------
    orientation : (T, N, 4) array
        Unit quaternions, scalar first, body to world.

    Returns
    -------
    (T, N, 3) array
        [rad].

    Examples
    --------
    >>> angle = np.array([0.0, 2.0, 4.0, 6.0])  # about z
    >>> q = np.stack([np.cos(angle / 2), 0 * angle, 0 * angle, np.sin(angle / 2)], axis=-1)[:, None]
    >>> turned(q)[:, 0, 2].round(12)
    array([0., 2., 4., 6.])
    """
    q = np.asarray(orientation, dtype=np.float64)
    (w, v), (a, b) = ((part[..., :1], part[..., 1:]) for part in (q[1:], q[:-1]))
    scalar = w * a + (v * b).sum(-1, keepdims=True)  # of q(k + 1) q(k)*
    vector = (a * v - w * b - np.cross(v, b)) * np.where(scalar < 0, -1.0, 1.0)
    sine = np.linalg.norm(vector, axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, np.abs(scalar))
    total = np.zeros((*q.shape[:2], 3))
    np.cumsum(vector * np.divide(angle, sine, out=np.full_like(sine, 2.0), where=sine > 0), axis=0, out=total[1:])
    return total


def _series(name: str, values: ArrayLike) -> tuple[ArrayLike, int, int]:
    """Check vectors (frames, particles, 3) without loading them; returns them and the numbers of both."""
    values = values if hasattr(values, "shape") else np.asarray(values)
    if len(values.shape) != 3 or 0 in values.shape:
        message = f"{name} has the shape {tuple(values.shape)}, expected (frames, particles, 3), and some of each"
        raise ValueError(message)
    return values, *values.shape[:2]


def _blocks(values: ArrayLike) -> Iterator[np.ndarray]:
    """All times of some particles after another; particles in one chunk on disk are read together."""
    width = (getattr(values, "chunks", None) or (0, BLOCK))[1]
    for first in range(0, values.shape[1], width):
        yield np.asarray(values[:, first : first + width], dtype=np.float64)


def _autocorrelation(series: np.ndarray) -> np.ndarray:
    """Σ_c <s_c(t) s_c(t + τ)> over time origins, for columns (T, C), by Wiener-Khinchin with padding."""
    frames, columns = series.shape
    power = np.zeros(frames + 1)
    for first in range(0, columns, FEW):
        spectrum = np.fft.rfft(series[:, first : first + FEW], 2 * frames, axis=0)
        power += (spectrum.real**2 + spectrum.imag**2).sum(1)
    return np.fft.irfft(power, 2 * frames)[:frames] / np.arange(frames, 0, -1)
