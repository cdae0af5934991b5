"""Effective inclination of a rough wall (Sommerfeld & Huber, Int. J. Multiphase Flow 25 (1999) 1457-1489)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks, portable

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

FAR = 9.0  # standard deviations beyond which nothing is left: exp(-40.5) = 3e-18


def effective_density(gamma: ArrayLike, alpha: float, sigma: float) -> NDArray[np.float64]:
    """Probability density [1/rad] of the wall's inclination γ that a particle meets in the plane of incidence.

    p(γ | α) = exp(-γ²/2σ²) max(sin(α + γ), 0)/Z for -π/2 < γ < π/2: what the wall offers, weighted with how much of it
    the particle sees (the shadow effect). Positive γ faces the particle.

    Parameters
    ----------
    gamma : array_like
        Inclination γ [rad].
    alpha : float
        Angle α between the velocity and the flat wall [rad], from 0 (grazing, the limit) to π/2 (normal).
    sigma : float
        Standard deviation σ of the inclination [rad], positive.

    Returns
    -------
    (...) array
        The density [1/rad], in the shape of gamma.

    Examples
    --------
    >>> angle = np.linspace(-np.pi / 2, np.pi / 2, 100001)
    >>> density = effective_density(angle, alpha=np.radians(5), sigma=np.radians(10))
    >>> mean = np.sum(angle * density) * (angle[1] - angle[0])
    >>> round(float(np.degrees(mean)), 2)  # positive: near grazing incidence, walls seem to face the particle
    9.82
    """
    alpha = checks.number("alpha", alpha, least=0, most=np.pi / 2)
    sigma = checks.number("sigma", sigma, above=0)
    node, weight = portable.gauss(200)
    low, high = max(-alpha, -FAR * sigma), min(np.pi / 2, FAR * sigma)
    total = np.sum(weight * _unnormalised_density(low + (high - low) * (node + 1) / 2, alpha, sigma)) * (high - low) / 2
    return _unnormalised_density(np.asarray(gamma, dtype=float), alpha, sigma) / total


def _unnormalised_density(gamma: NDArray[np.float64], alpha: float, sigma: float) -> NDArray[np.float64]:
    """Probability density without normalisation."""
    visible = (np.abs(gamma) < np.pi / 2) & (gamma > -alpha)
    return np.where(visible, portable.exp(-0.5 * (gamma / sigma) ** 2) * np.sin(alpha + gamma), 0.0)
