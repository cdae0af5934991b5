"""Likelihood of parameters given measurements, and their posterior, drawn by sequential Monte Carlo."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.calibration.surrogate import extra_library

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dem.calibration.surrogate import Surrogate

SAMPLES = 1024  # points drawn from the posterior
MOVES = 8  # Metropolis steps of each point at each power of the likelihood
EFFECTIVE_SHARE = 0.5  # of the points, which remains effective from one power to the next
PRIOR_SD = 1 / math.sqrt(12.0)  # standard deviation of the uniform prior over the range of a parameter


class Posterior(NamedTuple):
    """Points in the unit cube that agree with the measurements."""

    x: np.ndarray  # (n, d)
    log_likelihood: np.ndarray  # (n,)

    @property
    def best(self) -> np.ndarray:
        """The most likely point (d,)."""
        return self.x[int(self.log_likelihood.argmax())]


class Likelihood:
    """Likelihood of parameters, given surrogates of the observables and their measured values.

    Errors are normal: log L = -1/2 (f - m)ᵀ C⁻¹ (f - m) - 1/2 log det C with measured values m, means f of the
    surrogates, and the covariance C_ij = R_ij (e_i e_j + s_i s_j) of standard errors e of measurement and s of the
    surrogates (M. C. Kennedy and A. O'Hagan, J. R. Statist. Soc. B 63 (2001) 425). Observables of one run, such as an
    angle and a height of the same surface, deviate together: R is the correlation of their scatter.

    Parameters
    ----------
    surrogates : sequence of Surrogate
    measured, errors : sequence of float
    correlation : (k, k) array, optional
        R; default: none between different observables.
    """

    def __init__(
        self, surrogates: Sequence[Surrogate], measured: Sequence[float], errors: Sequence[float],
        correlation: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        self.surrogates, self.measured, self.errors = surrogates, measured, errors
        self.correlation = np.eye(len(measured)) if correlation is None else correlation
        self.is_independent = bool((self.correlation == np.eye(len(measured))).all())

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Logarithm of the likelihood at points (n, d)."""
        if not self.is_independent:
            predictions = [surrogate(x) for surrogate in self.surrogates]
            difference = np.array([mean - m for (mean, _), m in zip(predictions, self.measured, strict=True)]).T
            variances = np.array([variance for _, variance in predictions]).T
            covariance = covariances(self.correlation, self.errors, variances)
            log_determinant = np.linalg.slogdet(covariance)[1] - 2 * np.log(self.errors).sum()
            return -0.5 * (squared_distances(difference, covariance) + log_determinant)
        total = np.zeros(len(x))
        for surrogate, measured, error in zip(self.surrogates, self.measured, self.errors, strict=True):
            mean, variance = surrogate(x)
            variance = variance + error**2
            total -= 0.5 * ((mean - measured) ** 2 / variance + np.log(variance / error**2))
        return total

    def misfit(self, x: np.ndarray) -> np.ndarray:
        """χ² of the surrogates' means at points (n, d), by the errors of measurement."""
        difference = np.array([f.mean(x) - m for f, m in zip(self.surrogates, self.measured, strict=True)]).T
        return squared_distances(difference, covariances(self.correlation, self.errors, np.zeros_like(difference)))

    def information(self, x: np.ndarray) -> np.ndarray:
        """Fisher's information Jᵀ C⁻¹ J (d, d) with slopes J of the observables, at a point (d,) of the unit cube."""
        slopes = np.array([surrogate.gradient(x) for surrogate in self.surrogates])
        variances = np.array([[surrogate(x[None])[1][0] for surrogate in self.surrogates]])
        return slopes.T @ np.linalg.solve(covariances(self.correlation, self.errors, variances)[0], slopes)


def covariances(correlation: np.ndarray, errors: Sequence[float], variances: np.ndarray) -> np.ndarray:
    """Covariance R_ij (e_i e_j + s_i s_j) of k observables at n points (n, k, k), by s² of each (n, k).

    Examples
    --------
    >>> covariances(np.eye(2), [3.0, 1.0], np.array([[16.0, 0.0]]))[0].tolist()
    [[25.0, 0.0], [0.0, 1.0]]
    """
    scatter = np.sqrt(variances)
    return correlation * (np.outer(errors, errors) + scatter[:, :, None] * scatter[:, None, :])


def squared_distances(difference: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """δᵀ C⁻¹ δ of differences (n, k) with covariances (n, k, k): (n,)."""
    return np.einsum("nk,nk->n", difference, np.linalg.solve(covariance, difference[:, :, None])[:, :, 0])


def draw(
    log_likelihood: Callable[[np.ndarray], np.ndarray],
    dimensions: int,
    rng: np.random.Generator,
    *,
    count: int = SAMPLES,
    final_power: float = 1.0,
) -> Posterior:
    """Draw points of the unit cube with a density proportional to the likelihood to the power of `final_power`.

    Sequential Monte Carlo (P. Del Moral, A. Doucet and A. Jasra, J. R. Statist. Soc. B 68 (2006) 411): the power grows
    from 0 such that half the points remain effective, points are drawn anew by their weights, and moved by Metropolis
    steps with their own covariance.

    Parameters
    ----------
    log_likelihood : function
        Of points (n, d): (n,).
    dimensions : int
        d.
    rng : numpy.random.Generator
    count : int
        n.
    final_power : float
        Below 1 for a wider distribution.

    Returns
    -------
    Posterior

    Examples
    --------
    >>> found = draw(lambda x: -0.5 * ((x[:, 0] - 0.5) / 0.1) ** 2, 2, np.random.default_rng(1))
    >>> found.x.mean(0).round(1).tolist(), found.x.std(0).round(1).tolist()
    ([0.5, 0.5], [0.1, 0.3])
    """
    x = extra_library("scipy.stats").qmc.Sobol(dimensions, rng=rng).random(count)
    log, power = log_likelihood(x), 0.0
    while power < final_power:
        step = _tempering_step(log, final_power - power)
        weights = np.exp(step * (log - log.max()))
        power += step
        quantiles = (np.arange(count) + rng.random()) / count
        rows = np.searchsorted(np.cumsum(weights) / weights.sum(), quantiles).clip(0, count - 1)
        x, log = x[rows], log[rows]
        root = _matrix_root(np.atleast_2d(np.cov(x.T)))
        for size in np.geomspace(1.5, 0.3, MOVES):  # of steps: long ones along a ridge, short ones across
            proposal = x + size * 2.38 / math.sqrt(dimensions) * rng.standard_normal(x.shape) @ root.T
            inside = ((proposal >= 0) & (proposal <= 1)).all(1)
            proposal_log = log_likelihood(np.clip(proposal, 0.0, 1.0))
            accepted = inside & (np.log(rng.random(count)) < power * (proposal_log - log))
            x, log = np.where(accepted[:, None], proposal, x), np.where(accepted, proposal_log, log)
    return Posterior(x, log)


def _tempering_step(log: np.ndarray, limit: float) -> float:
    """Increase of the power of the likelihood (tempering) that keeps EFFECTIVE_SHARE of the samples effective."""

    def effective(step: float) -> float:
        weights = np.exp(step * (log - log.max()))
        return float(weights.sum() ** 2 / (weights**2).sum() / len(log))

    if effective(limit) >= EFFECTIVE_SHARE:
        return limit
    low, high = 0.0, limit
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if effective(middle) >= EFFECTIVE_SHARE else (low, middle)
    return max(low, 1e-9 * limit)


def _matrix_root(covariance: np.ndarray) -> np.ndarray:
    """Square root A of a covariance matrix, A Aᵀ."""
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 1e-14))


def spread_out(candidates: np.ndarray, occupied: np.ndarray, count: int) -> np.ndarray:
    """Choose `count` of the candidates (n, d), each as far as possible from `occupied` (m, d) and those chosen before.

    Distances are measured in standard deviations of the candidates along their principal directions.

    Examples
    --------
    >>> line = np.column_stack([np.linspace(0, 1, 5), np.linspace(0, 1, 5) ** 2])
    >>> spread_out(line, line[:1], 2)[:, 0].tolist()
    [1.0, 0.5]
    """
    values, vectors = np.linalg.eigh(np.atleast_2d(np.cov(candidates.T)))
    whiten = vectors / np.sqrt(np.maximum(values, 1e-9))
    fixed, free = occupied @ whiten, candidates @ whiten
    nearest = np.full(len(free), np.inf)
    for row in fixed:
        nearest = np.minimum(nearest, ((free - row) ** 2).sum(1))
    chosen = []
    for _ in range(count):
        k = int(nearest.argmax())
        chosen.append(k)
        nearest = np.minimum(nearest, ((free - free[k]) ** 2).sum(1))
    return candidates[chosen]
