"""Surrogates: Gaussian processes that approximate observables between the points that were computed."""

from __future__ import annotations

import warnings
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.imports import library

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

EXTRA, PURPOSE = "calibrate", "calibration"
LENGTHS = (0.15, 30.0)  # of correlation, in ranges of a parameter
SMALLEST = 1e-8  # variance of noise over that of the values
SIGNIFICANT = 0.01  # chance that a parameter without influence counts as one with
FEW = 3  # points beyond the coefficients of a polynomial, to tell influence from noise


def needed(module: str) -> ModuleType:
    """Import a library of the extra; raises ImportError that names it."""
    return library(module, extra=EXTRA, purpose=PURPOSE)


class Surrogate:
    """A Gaussian process of an observable with a squared-exponential kernel, by scikit-learn.

    The lengths of correlation, one for each parameter, and the noise that is left maximise the marginal likelihood (C.
    E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning, MIT Press 2006, eq. 5.8).

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
        gaussian = needed("sklearn.gaussian_process")
        kernels = gaussian.kernels
        self.base = base
        rest = y - base(x) if base else y
        self.shift, self.scale = float(rest.mean()), float(rest.std()) or 1.0
        kernel = kernels.ConstantKernel(1.0, (1e-2, 1e4)) * kernels.RBF(np.full(x.shape[1], 0.7), LENGTHS)
        kernel += kernels.WhiteKernel(1e-3, (SMALLEST, 2.0))
        alpha = np.maximum(noise / self.scale**2, SMALLEST)
        process = gaussian.GaussianProcessRegressor(kernel, alpha=alpha)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of lengths at their limits: of parameters without influence
            process.fit(x, (rest - self.shift) / self.scale)
        fitted = process.kernel_
        self.noise = float(fitted.k2.noise_level) * self.scale**2  # beyond the known one
        self.amplitude, self.lengths = float(fitted.k1.k1.constant_value), np.atleast_1d(fitted.k1.k2.length_scale)
        self.x, self.weights, self.lower = x / self.lengths, process.alpha_, process.L_

    def __call__(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean of the observable at points (m, d), and variance of that mean (m,)."""
        at = x / self.lengths
        square = (at**2).sum(1)[:, None] + (self.x**2).sum(1) - 2 * at @ self.x.T
        covariance = self.amplitude * np.exp(-0.5 * np.maximum(square, 0.0))
        solved = needed("scipy.linalg").solve_triangular(self.lower, covariance.T, lower=True, check_finite=False)
        mean = self.scale * (covariance @ self.weights) + self.shift
        variance = self.scale**2 * np.maximum(self.amplitude - (solved**2).sum(0), 0.0)
        return mean + (self.base(x) if self.base else 0.0), variance

    def mean(self, x: np.ndarray) -> np.ndarray:
        """Mean of the observable at points (m, d)."""
        return self(x)[0]

    def gradient(self, x: np.ndarray, step: float = 1e-3) -> np.ndarray:
        """Central differences of the mean at a point (d,) in the unit cube (d,)."""
        steps = step * np.eye(len(x))
        return (self.mean(x + steps) - self.mean(x - steps)) / (2 * step)


class Influence(NamedTuple):
    """Which parameters change an observable, by F-tests."""

    any: bool  # whether any parameter changes it
    each: np.ndarray  # (d,) whether this one does


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
    >>> influence(x, x[:, 0] ** 2 + 0.01 * np.sin(1e5 * x[:, 1])).each.tolist()
    [True, False]
    """
    n, d = x.shape
    about = x - 0.5
    pairs = [(i,) for i in range(d)] + list(combinations_with_replacement(range(d), 2))
    terms = next((t for t in (pairs, pairs[:d]) if n >= len(t) + 1 + FEW), None)
    if terms is None:
        return None
    columns = np.column_stack([np.prod(about[:, list(term)], axis=1) for term in terms])
    tail = needed("scipy.stats").f.sf

    def significant(keep: list[int]) -> bool:
        """Whether leaving out the other terms makes the fit worse."""
        left, freedom = len(terms) - len(keep), n - len(terms) - 1
        whole, less = _residual(columns, y), _residual(columns[:, keep], y)
        if less <= SMALLEST**2 * max(float(y @ y), 1e-300):
            return False  # nothing to explain
        ratio = (less - whole) / left / max(whole / freedom, SMALLEST**2 * less)
        return bool(tail(ratio, left, freedom) < SIGNIFICANT)

    each = [significant([k for k, term in enumerate(terms) if i not in term]) for i in range(d)]
    return Influence(significant([]), np.array(each))


def _residual(columns: np.ndarray, y: np.ndarray) -> float:
    """Sum of squares that a fit by these columns and a constant leaves."""
    design = np.column_stack([np.ones(len(y)), columns])
    rest = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return float(rest @ rest)
