"""Mixing indices of two kinds of particles."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks
from dem.base.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence


class Mixing(NamedTuple):
    """Mixing indices of two kinds of particles over samples.

    Attributes
    ----------
    lacey : float
        Lacey's index: 0 segregated, 1 mixed at random, above 1 in order.
    intensity : float
        Danckwerts' intensity of segregation: variance over that of the segregated state, 1 to 0.
    fraction : float
        Fraction of the kind in all samples.
    variance : float
        Variance of its fraction in the samples.
    segregated : float
        Variance if each sample has one kind only.
    random : float
        Variance to be expected if all bodies are shuffled.
    samples : int
        Number of samples.
    """

    lacey: float
    intensity: float
    fraction: float
    variance: float
    segregated: float
    random: float
    samples: int


def samples_in_box(
    position: np.ndarray, lower: Sequence[float], upper: Sequence[float], bins: Sequence[int]
) -> np.ndarray:
    """Number of the cell of a box that contains each body, for `mixing`; -1 outside or where a coordinate is NaN.

    Positions of files are not wrapped into a periodic box, and bodies that have left it would not count: give
    ``lower + (position - lower) % size`` there.

    Parameters
    ----------
    position : (N, 3) array
        [m].
    lower, upper : (3,) floats
        Corners of the box [m].
    bins : (3,) ints
        Equal parts along x, y, z.

    Returns
    -------
    (N,) array of ints
        z fastest.

    Raises
    ------
    ValueError
        For a box without volume, or values that are not numbers.

    Examples
    --------
    >>> samples_in_box([[0.2, 0.5, 0.5], [0.7, 0.5, 0.5], [1.5, 0, 0]], (0, 0, 0), (1, 1, 1), (2, 1, 1))
    array([ 0,  1, -1])
    """
    low, high = (checks.array(name, x, (3,), "corner [m]") for name, x in (("lower", lower), ("upper", upper)))
    checks.number("shortest edge of the box", (high - low).min(), above=0, unit="m")
    counts = np.array([checks.whole("bins", n, least=1) for n in bins])
    if len(counts) != 3:
        message = f"bins are {list(bins)}, expected three numbers: of parts along x, y and z"
        raise ValueError(message)
    x = np.asarray(position, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] != 3:
        message = f"position has shape {x.shape}, expected (N, 3): one row a body"
        raise ValueError(message)
    share = (x - low) / (high - low)
    inside = ((share >= 0) & (share < 1)).all(1)  # not so where one is nan
    part = np.floor(np.where(inside[:, None], share, 0.0) * counts).astype(np.int64)
    flat = np.ravel_multi_index(tuple(np.minimum(part, counts - 1).T), tuple(counts))
    return np.where(inside, flat, -1)


def mixing(sample: np.ndarray, chosen: np.ndarray, weight: np.ndarray | None = None) -> Mixing:
    """Lacey's index M = (S_0² - S²)/(S_0² - S_R²) of a kind in samples of any size, and Danckwerts' intensity S²/S_0².

    With W_k the weight of sample k and p_k the fraction of the kind in it, S² = Σ W_k (p_k - p)²/W; segregated, S_0² =
    p (1 - p). Shuffled, K samples of N bodies that weigh the same have exactly S_R² = p (1 - p)(K - 1)/(N - 1) on
    average, whatever their sizes: drawing without putting back. For bodies of weights w it is
    p (1 - p)(K - 1) w̄/(W - w̃), with w̄ = (1 - p) w̃_kind + p w̃_others, w̃ = Σ w²/Σ w (K. Stange, Chem. Ing. Tech. 26
    (1954) 331), which neglects what is of second order in w/W_k. P. M. C. Lacey, J. Appl. Chem. 4 (1954) 257; P. V.
    Danckwerts, Appl. Sci. Res. A 3 (1952) 279. A few bodies in a sample are enough, but fewer samples than some ten
    tell little.

    Parameters
    ----------
    sample : (N,) array of ints
        Which sample each body is in, such as `samples_in_box`; negative ones do not count.
    chosen : (N,) array of truths
        Whether each particle is of the kind.
    weight : (N,) array, optional
        Such as volumes: fractions are of weight then; default: of the number.

    Returns
    -------
    Mixing
        ``lacey``, ``intensity``, ``fraction``, ``variance``, ``segregated``, ``random``, ``samples``.

    Raises
    ------
    ValueError
        If there is one kind only, one sample only, or one body a sample: nothing tells them mixed or not; for arrays
        of other bodies, or weights that are not positive.

    Examples
    --------
    >>> halves = np.repeat([0, 1], 50)
    >>> apart, shared = mixing(halves, halves == 1), mixing(halves, np.arange(100) % 2 == 0)
    >>> apart.lacey, shared.lacey > 1, round(shared.random, 6)  # half and half in each, better than by chance
    (0.0, True, 0.002525)
    """
    sample, chosen = np.asarray(sample), np.asarray(chosen, dtype=bool)
    inside = sample >= 0
    own = np.ones(len(sample)) if weight is None else weight
    _, _, own = checks.per_body(sample=(sample, 1), chosen=(chosen.astype(float), 1), weight=(own, 1))
    if not ((own > 0) & (own < np.inf))[inside].all():
        low, high = own[inside].min(), own[inside].max()
        raise ValueError(f"weight goes from {low:g} to {high:g}, expected finite numbers above 0")
    w, chosen = own[inside], chosen[inside]
    _, part = np.unique(sample[inside], return_inverse=True)
    count = int(part.max(initial=-1)) + 1
    if not (chosen.any() and not chosen.all() and 1 < count < len(w)):
        message = (
            f"{counted(count, 'sample')} of {counted(len(w), 'particle')}, {int(chosen.sum())} of them of the kind:"
            " expected two samples at least, some with several bodies, and both kinds"
        )
        raise ValueError(message)
    whole = np.bincount(part, w)
    fractions = np.bincount(part, w * chosen) / whole
    total = w.sum()
    p = float((w * chosen).sum() / total)
    variance = float(whole @ (fractions - p) ** 2 / total)
    of_kind, of_others, of_all = ((v * v).sum() / v.sum() for v in (w[chosen], w[~chosen], w))
    segregated = p * (1 - p)
    random = float(segregated * (count - 1) * ((1 - p) * of_kind + p * of_others) / (total - of_all))
    lacey = (segregated - variance) / (segregated - random)
    return Mixing(float(lacey), variance / segregated, p, variance, segregated, random, count)
