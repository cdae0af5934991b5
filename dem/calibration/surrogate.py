"""Surrogates: Gaussian processes that approximate observables between the points that were computed."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.imports import library

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

EXTRA, PURPOSE = "calibrate", "calibration"
SMALLEST = 1e-8  # variance of noise over that of the values
TREND = 10.0  # prior variance of the constant and the slopes of the trend, over that of the values
# Priors of the hyperparameters are log-normal: median, standard deviation of the logarithm, least and largest value
AMPLITUDE = (1.0, 2.0, 1e-2, 1e4)  # variance of the process over that of the values
LENGTH = (1.0, 1.0, 0.15, 30.0)  # of correlation, in ranges of a parameter
NUGGET = (1e-3, 3.5, SMALLEST, 2.0)  # variance of unknown noise over that of the values
LOWEST_CURVATURE = 0.05  # curvature of the log posterior of the hyperparameters, at least
LOG_WEIGHTS = (-6.0, 1.5)  # limits of corrections to the normal approximation
DIFFERENCE = 1e-3  # of log hyperparameters, for the curvature
SIGNIFICANT = 0.01  # chance that a parameter without influence counts as one with
SPARE_POINTS = 3  # points beyond the coefficients of a polynomial, to tell influence from noise


def extra_library(module: str) -> ModuleType:
    """Import a library of the extra; raises ImportError that names it."""
    return library(module, extra=EXTRA, purpose=PURPOSE)


class Surrogate:
    """A Gaussian process of an observable with a linear trend, averaged over its hyperparameters.

    The covariance of values at x and x' is a exp(-1/2 Σ (x - x')²/l²), plus the noise of each point, plus that of a
    linear trend with normal coefficients (C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine
    Learning, MIT Press 2006, sections 2.7 and 5.4.1). A fit by the most probable amplitude a, lengths l (one for each
    parameter) and unknown noise alone has too small a variance where points are few. Mean and variance are therefore
    those of a mixture. The posterior of the logarithms of these m hyperparameters is close to normal about its
    maximum. The 2m points at √m standard deviations along its principal axes have its mean and covariance (S. J. Julier
    and J. K. Uhlmann, Proc. IEEE 92 (2004) 401); each is weighted by the ratio of the posterior to the normal density.

    Parameters
    ----------
    x : (n, d) array
        Points in the unit cube.
    y : (n,) array
        Mean of the observable over the seeds of each point.
    noise : (n,) array
        Variance of these means by chance, as far as it is known; 0 leaves it to the fit.
    base : function, optional
        Values of a coarser stage at points (m, d), from which the process is the difference.

    Examples
    --------
    >>> x = np.linspace(0, 1, 9)[:, None]
    >>> mean, variance = Surrogate(x, 3 * x[:, 0], np.zeros(9))(np.array([[0.3]]))
    >>> round(float(mean[0]), 3), round(float(variance[0]), 3)
    (0.9, 0.0)
    """

    def __init__(
        self, x: np.ndarray, y: np.ndarray, noise: np.ndarray, base: Callable[[np.ndarray], np.ndarray] | None = None
    ) -> None:
        self.base = base
        residual = y - base(x) if base else y
        self.shift, self.scale = float(residual.mean()), float(residual.std()) or 1.0
        values = (residual - self.shift) / self.scale
        hyper = Hyperparameters(x, values, np.maximum(noise / self.scale**2, SMALLEST))
        logs, self.shares = hyper.mixture()
        self.x, (self.amplitudes, lengths, nuggets) = x, _split(np.exp(logs))
        self.inverse_lengths = 1 / lengths
        self.noise = float(nuggets[-1]) * self.scale**2  # the most probable one, beyond the known one
        self.inverses = np.linalg.inv([hyper.covariance(each)[1] for each in logs])
        self.weights = self.inverses @ values

    def __call__(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean of the observable at points (m, d), and variance of that mean (m,)."""
        covariance = self._covariance(x)
        means = np.einsum("kmn,kn->km", covariance, self.weights)
        explained = np.einsum("kmn,kmn->km", covariance @ self.inverses, covariance)
        variances = np.maximum(self.amplitudes[:, None] + _trend(x, x, pairs=False) - explained, 0.0)
        mean = self.shares @ means
        variance = self.scale**2 * (self.shares @ (variances + (means - mean) ** 2))
        return self.scale * mean + self.shift + (self.base(x) if self.base else 0.0), variance

    def mean(self, x: np.ndarray) -> np.ndarray:
        """Mean of the observable at points (m, d)."""
        mean = self.shares @ np.einsum("kmn,kn->km", self._covariance(x), self.weights)
        return self.scale * mean + self.shift + (self.base(x) if self.base else 0.0)

    def gradient(self, x: np.ndarray, step: float = 1e-3) -> np.ndarray:
        """Central differences of the mean at a point (d,) in the unit cube (d,)."""
        steps = step * np.eye(len(x))
        return (self.mean(x + steps) - self.mean(x - steps)) / (2 * step)

    def _covariance(self, x: np.ndarray) -> np.ndarray:
        """Covariance of points (m, d) with those of the fit, for each of k sets of hyperparameters (k, m, n)."""
        scaled, scaled_fit = x * self.inverse_lengths[:, None], self.x * self.inverse_lengths[:, None]
        covariance = scaled @ scaled_fit.transpose(0, 2, 1)  # the rest in place: most time of a search is spent here
        covariance -= 0.5 * (scaled**2).sum(2)[:, :, None]
        covariance += (np.log(self.amplitudes)[:, None] - 0.5 * (scaled_fit**2).sum(2))[:, None]
        np.exp(covariance, out=covariance)
        covariance += _trend(x, self.x)
        return covariance


class Hyperparameters:
    """Posterior of the logarithms of amplitude, lengths of correlation and unknown noise of a Gaussian process.

    Parameters
    ----------
    x : (n, d) array
        Points in the unit cube.
    y : (n,) array
        Values with a mean of 0 and a variance of 1.
    noise : (n,) array
        Known variance of each value.
    """

    def __init__(self, x: np.ndarray, y: np.ndarray, noise: np.ndarray) -> None:
        self.y, self.square = y, (x[:, None] - x) ** 2
        self.fixed = _trend(x, x) + np.diag(noise)
        prior = np.array([AMPLITUDE, *x.shape[1] * [LENGTH], NUGGET]).T
        (self.median, self.smallest, self.largest), self.deviation = np.log(prior[[0, 2, 3]]), prior[1]

    def covariance(self, logs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Covariance (n, n) of the process without its trend, and of the values."""
        amplitude, lengths, nugget = _split(np.exp(logs))
        process = amplitude * np.exp(-0.5 * self.square @ lengths**-2)
        return process, process + self.fixed + nugget * np.eye(len(self.y))

    def loss(self, logs: np.ndarray) -> tuple[float, np.ndarray]:
        """Negative logarithm of the posterior but for a constant, and its gradient (Rasmussen and Williams, 5.9)."""
        process, whole = self.covariance(logs)
        _, lengths, nugget = _split(np.exp(logs))
        inverse = np.linalg.inv(whole)
        weights = inverse @ self.y
        standardised = (logs - self.median) / self.deviation
        value = 0.5 * (self.y @ weights + np.linalg.slogdet(whole)[1] + standardised @ standardised)
        slopes = inverse - np.outer(weights, weights)
        by_length = np.einsum("ij,ij,ijk->k", slopes, process, self.square) / lengths**2
        slope = 0.5 * np.array([(slopes * process).sum(), *by_length, nugget * np.trace(slopes)])
        return float(value), slope + standardised / self.deviation

    def mixture(self) -> tuple[np.ndarray, np.ndarray]:
        """Sets of logarithms that represent the posterior, the most probable one last, and their weights."""
        limits = np.column_stack([self.smallest, self.largest])
        start = self.median.clip(self.smallest, self.largest)
        best = extra_library("scipy.optimize").minimize(self.loss, start, jac=True, method="L-BFGS-B", bounds=limits).x
        m = len(best)
        steps = DIFFERENCE * np.eye(m)
        curvature = np.array([self.loss(best + step)[1] - self.loss(best - step)[1] for step in steps])
        curvature = (curvature + curvature.T) / (4 * DIFFERENCE)
        values, vectors = np.linalg.eigh(curvature)
        offsets = (vectors * np.sqrt(m / np.maximum(values, LOWEST_CURVATURE))).T
        logs = np.concatenate([best + offsets, best - offsets, best[None]]).clip(self.smallest, self.largest)
        loss = np.array([self.loss(row)[0] for row in logs])
        shares = np.exp((loss[-1] - loss + 0.5 * m).clip(*LOG_WEIGHTS))
        shares[-1] = 0.0
        return logs, shares / shares.sum()


def _split(hyper: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Amplitude, lengths and unknown noise of sets of hyperparameters (..., d + 2)."""
    return hyper[..., 0], hyper[..., 1:-1], hyper[..., -1]


def _trend(x: np.ndarray, y: np.ndarray, *, pairs: bool = True) -> np.ndarray:
    """Covariance of a linear trend between points (m, d) and (n, d): (m, n), or (m,) of the points one by one."""
    products = (x - 0.5) @ (y - 0.5).T if pairs else ((x - 0.5) * (y - 0.5)).sum(1)
    return TREND * (1 + products)


class Influence(NamedTuple):
    """Which parameters change an observable, by F-tests."""

    any: bool  # whether any parameter changes it
    by_parameter: np.ndarray  # (d,) whether each one does


def influence(x: np.ndarray, y: np.ndarray) -> Influence | None:
    """Whether parameters change an observable more than chance does, by F-tests of a polynomial of second degree.

    A parameter's terms are left out, and the sum of squares that this adds is compared with the residual one; a linear
    polynomial serves where points are few.

    Parameters
    ----------
    x : (n, d) array
        Points in the unit cube.
    y : (n,) array
        Observable.

    Returns
    -------
    Influence or None
        None if there are too few points.

    Examples
    --------
    >>> x = np.random.default_rng(1).random((30, 2))
    >>> influence(x, x[:, 0] ** 2 + 0.01 * np.sin(1e5 * x[:, 1])).by_parameter.tolist()
    [True, False]
    """
    n, d = x.shape
    centred = x - 0.5
    pairs = [(i,) for i in range(d)] + list(combinations_with_replacement(range(d), 2))
    terms = next((t for t in (pairs, pairs[:d]) if n >= len(t) + 1 + SPARE_POINTS), None)
    if terms is None:
        return None
    columns = np.column_stack([np.prod(centred[:, list(term)], axis=1) for term in terms])
    chance = extra_library("scipy.stats").f.sf

    def significant(keep: list[int]) -> bool:
        """Whether leaving out the other terms makes the fit worse."""
        dropped, freedom = len(terms) - len(keep), n - len(terms) - 1
        full, reduced = _residual(columns, y), _residual(columns[:, keep], y)
        if reduced <= SMALLEST**2 * max(float(y @ y), 1e-300):
            return False  # nothing to explain
        ratio = (reduced - full) / dropped / max(full / freedom, SMALLEST**2 * reduced)
        return bool(chance(ratio, dropped, freedom) < SIGNIFICANT)

    by_parameter = [significant([k for k, term in enumerate(terms) if i not in term]) for i in range(d)]
    return Influence(significant([]), np.array(by_parameter))


def _residual(columns: np.ndarray, y: np.ndarray) -> float:
    """Sum of squares that a fit by these columns and a constant leaves."""
    design = np.column_stack([np.ones(len(y)), columns])
    residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return float(residual @ residual)
