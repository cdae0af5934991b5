"""Distribution of kinetic energy over particles."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dem.base import checks
from dem.model.shapes.bodies import body_axis


class KineticEnergies(NamedTuple):
    """Kinetic energy of each particle [J].

    Attributes
    ----------
    translational, rotational : (..., N) arrays
        [J].
    """

    translational: np.ndarray
    rotational: np.ndarray


class EnergyHistogram(NamedTuple):
    """Distribution of energies.

    Attributes
    ----------
    edges : (B + 1,) array
        Edges of the bins [J].
    density : (B,) array
        Probability density, whose integral is one [1/J].
    mean : float
        [J].
    """

    edges: np.ndarray
    density: np.ndarray
    mean: float


def kinetic_energies(
    mass: np.ndarray, inertia: np.ndarray, velocity: np.ndarray, orientation: np.ndarray, angular_velocity: np.ndarray
) -> KineticEnergies:
    """Translational energy m v²/2 and rotational energy Σ_k I_k (ω · e_k)²/2 of each particle.

    Parameters
    ----------
    mass : (N,) array
        [kg].
    inertia : (N, 3) array
        Principal moments [kg m²].
    velocity : (..., N, 3) array
        [m/s].
    orientation : (..., N, 4) array
        Unit quaternions, scalar first, body to world: e_k is the world direction of body axis k.
    angular_velocity : (..., N, 3) array
        World frame [rad/s].

    Returns
    -------
    KineticEnergies
        ``translational`` and ``rotational``, (..., N) each [J].

    Examples
    --------
    >>> kinetic_energies([2.0], [[1.0, 4.0, 4.0]], [[3.0, 0, 0]], [[1.0, 0, 0, 0]], [[0, 0.5, 0]])
    KineticEnergies(translational=array([9.]), rotational=array([0.5]))
    """
    v, omega = np.asarray(velocity, dtype=np.float64), np.asarray(angular_velocity, dtype=np.float64)
    moments = np.asarray(inertia)
    turning = sum(moments[:, k] * (omega * body_axis(orientation, k)).sum(-1) ** 2 for k in range(3))
    return KineticEnergies(0.5 * np.asarray(mass) * (v * v).sum(-1), 0.5 * turning)


def energy_histogram(energy: np.ndarray, bins: int = 50) -> EnergyHistogram:
    """Distribution of energies, such as those of `kinetic_energies`, for comparison with `maxwellian`.

    Parameters
    ----------
    energy : (...) array
        Energy of each particle, at one time or at several [J].
    bins : int
        Number of equal bins from 0 to the largest energy.

    Returns
    -------
    EnergyHistogram
        ``edges`` (bins + 1,) [J], ``density`` (bins,) [1/J] and ``mean`` [J].

    Raises
    ------
    ValueError
        If there are no energies, or one is negative or not finite.

    Examples
    --------
    >>> energy_histogram([1.0, 1.0, 3.0, 4.0], bins=2)
    EnergyHistogram(edges=array([0., 2., 4.]), density=array([0.25, 0.25]), mean=2.25)
    """
    values = np.ravel(energy).astype(np.float64)
    if not (values.size and np.isfinite(values).all() and values.min() >= 0):
        message = f"energies are {values.size} values, expected at least one, and all finite and not negative"
        raise ValueError(message)
    highest = values.max() or 1.0
    density, edges = np.histogram(values, checks.whole("bins", bins, least=1), (0.0, highest), density=True)
    return EnergyHistogram(edges, density, float(values.mean()))


def maxwellian(energy: np.ndarray, mean: float, degrees: int = 3) -> np.ndarray:
    """Probability density of the kinetic energy in equilibrium: a gamma law with d = `degrees` of freedom.

    f(E) = (E/θ)^(d/2 - 1) exp(-E/θ) / (Γ(d/2) θ) with θ = 2 <E>/d (Maxwell's distribution; Landau & Lifshitz,
    Statistical Physics (1980), § 29). d = 2, the rotation of a smooth thin rod, is exponential.

    Parameters
    ----------
    energy : (...) array
        [J], positive.
    mean : float
        Mean energy [J].
    degrees : int
        3 for translation and for rotation, 2 for the rotation of fibres that nothing spins about their axis.

    Returns
    -------
    (...) array
        [1/J].

    Raises
    ------
    ValueError
        If the mean is not positive or there are no degrees of freedom.

    Examples
    --------
    >>> float(maxwellian(0.0, mean=0.5, degrees=2))
    2.0
    """
    half = checks.whole("degrees", degrees, least=1) / 2
    theta = checks.number("mean", mean, above=0, unit="J") / half
    e = np.asarray(energy, dtype=np.float64) / theta
    return e ** (half - 1) * np.exp(-e) / (math.gamma(half) * theta)
