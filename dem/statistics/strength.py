"""Strength of powders, flow energy, and restitution and friction of single particles.

Yield loci and flow functions of shear testers, stresses of torques, energies of powder rheometers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class YieldLocus(NamedTuple):
    """Linear yield locus τ = c + σ tan φ, with standard errors.

    Attributes
    ----------
    cohesion : float
        c [Pa].
    angle : float
        Angle of internal friction φ [rad].
    cohesion_error, angle_error : float
        Standard errors [Pa, rad]; inf for two points.
    """

    cohesion: float
    angle: float
    cohesion_error: float
    angle_error: float

    @property
    def unconfined_strength(self) -> float:
        """Unconfined yield strength f_c = 2 c cos φ/(1 - sin φ), of Mohr's circle through the origin [Pa]."""
        return 2 * self.cohesion * math.cos(self.angle) / (1 - math.sin(self.angle))

    def consolidation_stress(self, normal_stress: float, shear_stress: float) -> float:
        """Major consolidation stress, of Mohr's circle through the preshear point that touches the locus [Pa].

        Its middle m is the smaller root of (m - σ)² + τ² = (c cos φ + m sin φ)²: the circle touches the locus at a
        smaller normal stress than that of the point, where the locus ends (ASTM D6128). Raises ValueError if the point
        lies above the locus.
        """
        sine, cosine = math.sin(self.angle), math.cos(self.angle)
        a = cosine**2
        b = -2 * (normal_stress + self.cohesion * cosine * sine)
        c = normal_stress**2 + shear_stress**2 - (self.cohesion * cosine) ** 2
        root = b * b - 4 * a * c
        if root < -1e-9 * b * b:
            message = f"the point of preshear, {normal_stress:g} and {shear_stress:g} Pa, lies above the yield locus"
            raise ValueError(message)
        middle = (-b - math.sqrt(max(root, 0.0))) / (2 * a)
        return middle + self.cohesion * cosine + middle * sine


def yield_locus(normal_stress: ArrayLike, shear_stress: ArrayLike) -> YieldLocus:
    """Fit a yield locus to shear stresses at failure under several normal stresses, by least squares.

    D. Schulze, Powders and Bulk Solids, Springer 2008, chapter 3.

    Parameters
    ----------
    normal_stress, shear_stress : (n,) arrays
        σ and τ at failure [Pa], of a direct, Jenike or ring shear test, or of as many runs.

    Returns
    -------
    YieldLocus
        ``cohesion`` [Pa] and ``angle`` of internal friction [rad], with errors that are inf for two points;
        ``unconfined_strength`` and ``consolidation_stress(normal_stress, shear_stress)``.

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
    x, y = (
        checks.numbers(*each).ravel() for each in (("normal_stress", normal_stress), ("shear_stress", shear_stress))
    )
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


class ShearTest(NamedTuple):
    """Results of a shear test at one consolidation, see `shear_test`.

    Attributes
    ----------
    locus : YieldLocus
        Yield locus, from the points of failure.
    consolidation_stress : float
        σ₁, largest principal stress at the end of preshear [Pa].
    unconfined_strength : float
        f_c, unconfined yield strength [Pa].
    flow_function : float
        ff_c = σ₁/f_c; inf without cohesion.
    effective_angle : float
        δ, of the line through the origin that touches the circle of preshear [rad].
    steady_angle : float
        φ_sf, of the point of preshear [rad].
    """

    locus: YieldLocus
    consolidation_stress: float
    unconfined_strength: float
    flow_function: float
    effective_angle: float
    steady_angle: float


def shear_test(
    normal_stress: ArrayLike,
    shear_stress: ArrayLike,
    preshear_normal_stress: ArrayLike,
    preshear_shear_stress: ArrayLike,
) -> ShearTest:
    """Evaluate a shear test: preshear to steady flow, then shear to failure under smaller normal stresses.

    Shear stresses at failure are scaled by the mean shear stress of preshear over that of their own preshear
    ("prorated"), and a straight yield locus is fitted to them. Mohr's circle through the origin that touches it gives
    f_c, and the one through the point of preshear σ₁, with sin δ = (σ₁ - σ₂)/(σ₁ + σ₂). A point of preshear above the
    locus counts as on it. A negative cohesion counts as none (ASTM D6773; D. Schulze, Powders and Bulk Solids, Springer
    2008, chapter 3).

    Parameters
    ----------
    normal_stress, shear_stress : (n,) arrays
        σ and τ at failure [Pa].
    preshear_normal_stress, preshear_shear_stress : float or (n,) arrays
        σ and τ at the end of preshear [Pa], of all points or of each.

    Returns
    -------
    ShearTest
        ``locus``, ``consolidation_stress``, ``unconfined_strength``, ``flow_function``, ``effective_angle``,
        ``steady_angle``.

    Raises
    ------
    ValueError
        If there are fewer than two different normal stresses, or a stress of preshear is not positive.

    Examples
    --------
    >>> test = shear_test([1e3, 2e3], [700.0, 1200.0], 4e3, 2100.0)
    >>> round(test.unconfined_strength, 1), round(test.consolidation_stress, 1), round(test.flow_function, 2)
    (647.2, 6498.7, 10.04)
    """
    given = {
        "normal_stress": normal_stress, "shear_stress": shear_stress,
        "preshear_normal_stress": preshear_normal_stress, "preshear_shear_stress": preshear_shear_stress,
    }  # fmt: skip
    points = (np.atleast_1d(checks.numbers(name, values)) for name, values in given.items())
    x, y, before, steady = np.broadcast_arrays(*points)
    if not (before.min() > 0 and steady.min() > 0):
        message = f"preshear has the stresses {before.min():g} and {steady.min():g} Pa, expected positive ones"
        raise ValueError(message)
    pressed, tau = float(before.mean()), float(steady.mean())
    locus = yield_locus(x, y * tau / steady)
    if locus.cohesion < 0:
        locus = locus._replace(cohesion=0.0)
    below = min(tau, locus.cohesion + pressed * math.tan(locus.angle))
    major, strength = locus.consolidation_stress(pressed, below), locus.unconfined_strength
    sine = math.sin(locus.angle)
    middle = (major - locus.cohesion * math.cos(locus.angle)) / (1 + sine)
    return ShearTest(
        locus, major, strength, major / strength if strength > 0 else math.inf, math.asin((major - middle) / middle),
        math.atan2(tau, pressed),
    )  # fmt: skip


def torsional_stress(torque: ArrayLike, outer_radius: float, inner_radius: float = 0.0) -> np.ndarray:
    """Shear stress in a ring or disc if it is uniform: τ = 3 T/(2 π (R_o³ - R_i³)).

    Of an annular shear tester, or of the head of a rotational one with R_i = 0.

    Parameters
    ----------
    torque : (...) array
        T [N m].
    outer_radius, inner_radius : float
        Radii R_o and R_i [m].

    Returns
    -------
    (...) array
        [Pa].

    Raises
    ------
    ValueError
        If the inner radius is not below the outer one.

    Examples
    --------
    >>> round(float(torsional_stress(0.1, 0.032, 0.016)), 1)
    1665.3
    """
    outer_radius = checks.number("outer_radius", outer_radius, above=0, unit="m")
    inner_radius = checks.number("inner_radius", inner_radius, least=0, unit="m")
    if inner_radius >= outer_radius:
        message = f"the inner radius is {inner_radius:g} m, expected one below the outer one, {outer_radius:g} m"
        raise ValueError(message)
    return 3 * checks.numbers("torque", torque) / (2 * math.pi * (outer_radius**3 - inner_radius**3))


def flow_energy(height: ArrayLike, force: ArrayLike, torque: ArrayLike, radius: float, helix_angle: float) -> float:
    """Energy to move a blade on a helical path through a powder: E = ∫ (T/(R tan α) + F) dH.

    The basic flow energy of a powder rheometer if the blade goes down, the specific energy, over the mass, if it goes
    up (R. Freeman, Powder Technol. 174 (2007) 25, eq. 1).

    Parameters
    ----------
    height : (T,) array
        Height of the blade, or its path along the axis [m], of a run or of a file of the device; only changes count.
    force, torque : (T,) arrays
        Along and about the axis, positive where they resist the motion [N, N m].
    radius : float
        R, of the blade [m].
    helix_angle : float
        α, of the path of its tip to the horizontal [rad].

    Returns
    -------
    float
        E [J], by the rule of trapezia.

    Raises
    ------
    ValueError
        If arrays do not fit each other, or the angle is not above 0 and at most π/2.

    Examples
    --------
    >>> height = np.linspace(0.07, 0.01, 61)
    >>> round(flow_energy(height, np.full(61, 2.0), np.full(61, 0.01), 0.024, np.radians(5)), 4)  # 0.12 J + 0.2857 J
    0.4058
    """
    radius = checks.number("radius", radius, above=0, unit="m")
    helix_angle = checks.number("helix_angle", helix_angle, above=0, most=0.5 * math.pi, unit="rad")
    h, f, t = (
        checks.numbers(name, x).ravel() for name, x in (("height", height), ("force", force), ("torque", torque))
    )
    if not len(h) == len(f) == len(t) > 1:
        message = f"{len(h)} heights, {len(f)} forces and {len(t)} torques, expected as many of each, at least two"
        raise ValueError(message)
    resisting = t / (radius * math.tan(helix_angle)) + f
    return float((0.5 * (resisting[1:] + resisting[:-1]) * np.abs(np.diff(h))).sum())


def rebound_restitution(height: ArrayLike, floor: float = 0.0) -> float:
    """Coefficient of restitution of the first impact of a particle that falls from rest: √(h₂/h₁).

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
    """Friction coefficient of a particle on an incline, from the acceleration of a parabola fitted to its path.

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
        If there are fewer than three frames, the incline is none, or gravity is not positive.

    Examples
    --------
    >>> t = np.linspace(0, 1, 20)
    >>> round(incline_friction(t, 0.1 * t + 0.5 * 9.81 * (0.5 - 0.3 * math.sqrt(0.75)) * t**2, math.radians(30)), 6)
    0.3
    """
    angle, gravity = checks.number("angle", angle, above=0, unit="rad"), checks.number("gravity", gravity, above=0)
    checks.flag("rolling", rolling)
    t, s = checks.numbers("time", time).ravel(), checks.numbers("distance", distance).ravel()
    if len(t) != len(s) or len(t) < 3 or not angle < 0.5 * math.pi:
        message = f"{len(t)} times, {len(s)} distances and {angle:g} rad, expected at least three frames and a slope"
        raise ValueError(message)
    acceleration = 2 * float(np.polyfit(t, s, 2)[0]) * (7 / 5 if rolling else 1.0)
    return math.tan(angle) - acceleration / (gravity * math.cos(angle))


def pendulum_friction(angle: ArrayLike) -> float:
    """Rolling friction coefficient of a sphere that rolls to and fro in a trough, from the decay of its amplitude.

    From an amplitude a to the next, b, on the other side, a resisting torque μ_r R N takes the energy

    cos b - cos a = μ_r (17/7 (sin a + sin b) - 10/7 (a + b) cos ½(a + b))

    times m g and the radius of the path, to first order in μ_r: N has the weight and, by 7/10 m v², what keeps the
    sphere on its circle. For small angles a - b = 2 μ_r.

    Parameters
    ----------
    angle : (T,) array
        Of the sphere from the lowest point, seen from the middle of the circle, in equidistant frames [rad], of a run
        or of a film; those between the first and the last turning point count.

    Returns
    -------
    float
        μ_r.

    Raises
    ------
    ValueError
        If there are fewer than two turning points.

    Examples
    --------
    >>> t = np.linspace(0, 2, 401)
    >>> swing = 0.1 - 0.02 * np.floor(2 * t)  # amplitudes that decay by 2 μ_r a half swing about ± μ_r
    >>> round(pendulum_friction(0.01 * (-1) ** np.floor(2 * t) + (swing - 0.01) * np.cos(2 * np.pi * t)), 3)
    0.01
    """
    x = checks.numbers("angle", angle).ravel()
    step = np.diff(x)
    turns = 1 + np.flatnonzero(step[1:] * step[:-1] < 0) if len(x) > 2 else np.zeros(0, int)
    if len(turns) < 2:
        message = f"{len(turns)} turning points, expected at least two: give more swings, and frames of each"
        raise ValueError(message)
    bend, slope = 0.5 * (x[turns + 1] + x[turns - 1]) - x[turns], 0.5 * (x[turns + 1] - x[turns - 1])
    swing = np.abs(x[turns] - slope**2 / (4 * bend))  # by a parabola through three frames
    a, b = swing[:-1], swing[1:]
    way = 17 / 7 * (np.sin(a) + np.sin(b)) - 10 / 7 * (a + b) * np.cos(0.5 * (a + b))
    return float((np.cos(b) - np.cos(a)).sum() / way.sum())
