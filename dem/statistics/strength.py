"""Strength of powders: yield locus, unconfined strength and flow function; restitution and friction of one particle."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class YieldLocus(NamedTuple):
    """Straight yield locus τ = c + σ tan φ, with standard errors."""

    cohesion: float  # c [Pa]
    angle: float  # φ [rad]
    cohesion_error: float
    angle_error: float

    @property
    def unconfined_strength(self) -> float:
        """f_c = 2 c cos φ/(1 - sin φ), of Mohr's circle through the origin that touches the locus [Pa]."""
        return 2 * self.cohesion * math.cos(self.angle) / (1 - math.sin(self.angle))

    def consolidation_stress(self, normal: float, shear: float) -> float:
        """Largest principal stress of Mohr's circle through the point of preshear that touches the locus [Pa].

        Its middle m is the larger root of (m - σ)² + τ² = (c cos φ + m sin φ)². Raises ValueError if the point lies
        above the locus.
        """
        sine, cosine = math.sin(self.angle), math.cos(self.angle)
        a = cosine**2
        b = -2 * (normal + self.cohesion * cosine * sine)
        c = normal**2 + shear**2 - (self.cohesion * cosine) ** 2
        root = b * b - 4 * a * c
        if root < -1e-9 * b * b:
            message = f"the point of preshear, {normal:g} and {shear:g} Pa, lies above the yield locus"
            raise ValueError(message)
        middle = (-b + math.sqrt(max(root, 0.0))) / (2 * a)
        return middle + self.cohesion * cosine + middle * sine


def yield_locus(normal: ArrayLike, shear: ArrayLike) -> YieldLocus:
    """Fit a yield locus to shear stresses at failure under several normal stresses, by least squares.

    D. Schulze, Powders and Bulk Solids, Springer 2008, chapter 3.

    Parameters
    ----------
    normal, shear : (n,) arrays
        σ and τ at failure [Pa], of a direct, Jenike or ring shear test, or of as many runs.

    Returns
    -------
    YieldLocus
        ``cohesion`` [Pa] and ``angle`` of internal friction [rad], with errors that are inf for two points;
        ``unconfined_strength`` and ``consolidation_stress(normal, shear)``.

    Raises
    ------
    ValueError
        If there are fewer than two different normal stresses.

    Examples
    --------
    >>> locus = yield_locus([1e3, 2e3, 4e3], [700.0, 1200.0, 2200.0])
    >>> round(locus.cohesion, 6), round(math.tan(locus.angle), 6)
    (200.0, 0.5)
    >>> round(locus.unconfined_strength, 3), round(locus.consolidation_stress(4e3, 2200.0), 1)
    (647.214, 7559.7)
    """
    x, y = checks.numbers("normal", normal).ravel(), checks.numbers("shear", shear).ravel()
    if x.shape != y.shape or len(x) < 2 or not np.ptp(x) > 0:
        message = f"{len(x)} normal and {len(y)} shear stresses, expected pairs with at least two different normal ones"
        raise ValueError(message)
    about = x - x.mean()
    square = float(about @ about)
    slope = float(about @ y) / square
    cohesion = float(y.mean() - slope * x.mean())
    rest = y - cohesion - slope * x
    scatter = float(rest @ rest) / (len(x) - 2) if len(x) > 2 else math.inf
    return YieldLocus(
        cohesion, math.atan(slope), math.sqrt(scatter * (1 / len(x) + x.mean() ** 2 / square)),
        math.sqrt(scatter / square) / (1 + slope**2),
    )  # fmt: skip


def rebound_restitution(height: ArrayLike, floor: float = 0.0) -> float:
    """Coefficient of restitution of the first impact of what falls from rest: √(h₂/h₁).

    Of h₁ the first height, and h₂ the highest one between the first two impacts, which is refined by a parabola through
    three frames.

    Parameters
    ----------
    height : (T,) array
        Of the lowest point of the particle in equidistant frames [m], of a run or of a film.
    floor : float
        Height of the floor [m].

    Returns
    -------
    float
        e.

    Raises
    ------
    ValueError
        If the particle does not fall, or does not rise again.

    Examples
    --------
    >>> t = np.linspace(0, 0.7, 71)
    >>> fall = math.sqrt(2 * 0.5 / 9.81)
    >>> speed = 0.8 * 9.81 * fall  # after an impact with e = 0.8
    >>> bounce = np.where(t < fall, 0.5 - 0.5 * 9.81 * t**2, speed * (t - fall) - 0.5 * 9.81 * (t - fall) ** 2)
    >>> round(rebound_restitution(bounce), 4)
    0.8
    """
    h = checks.numbers("height", height).ravel() - floor
    rising = np.flatnonzero(np.diff(h) > 0)
    if len(h) < 4 or not h[0] > 0 or not len(rising) or rising[0] == 0:
        message = "the heights do not fall from rest and rise again: give those of the lowest point, and more frames"
        raise ValueError(message)
    first = int(rising[0])
    falling = np.flatnonzero(np.diff(h[first + 1 :]) < 0)
    top = first + 1 + int(falling[0]) if len(falling) else len(h) - 1
    highest = h[top]
    if first < top < len(h) - 1:
        a, b = 0.5 * (h[top + 1] + h[top - 1]) - h[top], 0.5 * (h[top + 1] - h[top - 1])
        highest -= b * b / (4 * a) if a < 0 else 0.0
    return math.sqrt(max(highest, 0.0) / h[0])


def incline_friction(
    time: ArrayLike, distance: ArrayLike, angle: float, *, rolling: bool = False, gravity: float = 9.81
) -> float:
    """Coefficient of friction of a particle on an incline, by the acceleration of a parabola fitted to its way.

    What slides has the acceleration a = g (sin θ - μ cos θ); a sphere that rolls has a = 5/7 g (sin θ - μ_r cos θ) with
    a resisting torque μ_r R N.

    Parameters
    ----------
    time, distance : (T,) arrays
        Along the incline [s, m], of a run or of a film.
    angle : float
        θ, of the incline to the horizontal [rad].
    rolling : bool
        Whether it is a sphere that rolls without slip.
    gravity : float
        g [m/s²].

    Returns
    -------
    float
        μ, or μ_r.

    Raises
    ------
    ValueError
        If there are fewer than three frames, or the incline is none.

    Examples
    --------
    >>> t = np.linspace(0, 1, 20)
    >>> round(incline_friction(t, 0.1 * t + 0.5 * 9.81 * (0.5 - 0.3 * math.sqrt(0.75)) * t**2, math.radians(30)), 6)
    0.3
    """
    angle = checks.number("angle", angle, above=0, unit="rad")
    t, s = checks.numbers("time", time).ravel(), checks.numbers("distance", distance).ravel()
    if len(t) != len(s) or len(t) < 3 or not angle < 0.5 * math.pi:
        message = f"{len(t)} times, {len(s)} distances and {angle:g} rad, expected at least three frames and a slope"
        raise ValueError(message)
    acceleration = 2 * float(np.polyfit(t, s, 2)[0]) * (7 / 5 if rolling else 1.0)
    return math.tan(angle) - acceleration / (gravity * math.cos(angle))
