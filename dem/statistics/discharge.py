"""Mass flow through a plane, and laws of silos and inclined flows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike


class MassFlow(NamedTuple):
    """Mass and number of particles that crossed a plane between frames.

    Attributes
    ----------
    time : (T - 1,) array
        Middle of each interval [s].
    rate : (T - 1,) array
        Mass flow along the normal, less what came back [kg/s].
    forward, backward : (T - 1,) arrays
        Number of bodies that crossed along the normal, and against it.
    total : (T,) array
        Mass that has passed until each frame [kg].
    """

    time: np.ndarray
    rate: np.ndarray
    forward: np.ndarray
    backward: np.ndarray
    total: np.ndarray


def mass_flow(
    time: np.ndarray,
    position: ArrayLike,
    mass: np.ndarray,
    point: Sequence[float],
    normal: Sequence[float],
    *,
    radius: float = math.inf,
) -> MassFlow:
    """Mass flow through a plane, or a disc in it, from the positions of bodies in successive frames.

    A body goes through if its centre is on the other side of the plane in the next frame, and through the disc if the
    straight line between both places meets the plane within the radius. A body that passes and returns between two
    frames is not counted, nor is one that an outlet removes before the next frame: `Trajectory.flow` counts those.
    Positions must not be wrapped into a periodic box; those of a `Trajectory` are not. The plane has no periodic
    images: of a body that goes round the box several times only the first crossing counts.

    Parameters
    ----------
    time : (T,) array
        Times of the frames [s].
    position : (T, N, 3) array, or `Trajectory.position`
        [m]; read frame by frame; NaN for absent particles.
    mass : (N,) array
        [kg].
    point : (3,) floats
        Point of the plane, in the middle of the disc [m].
    normal : (3,) floats
        Normal of the plane, along which flow is positive; of any length.
    radius : float
        Radius of the disc [m]; default: the whole plane.

    Returns
    -------
    MassFlow
        ``time``, ``rate``, ``forward``, ``backward`` and ``total``.

    Raises
    ------
    ValueError
        If there are fewer than two frames, times do not ascend, the normal is zero, or positions and masses are of
        other numbers of frames and bodies.

    Examples
    --------
    >>> falling = np.array([[[0.0, 0, 0.5 - t], [0, 0, 2.0 - t]] for t in (0.0, 1.0, 2.5)])
    >>> flow = mass_flow([0.0, 1.0, 2.5], falling, [2.0, 3.0], (0, 0, 0), (0, 0, -1))
    >>> flow.rate, flow.total  # 2 kg in the first second, 3 kg in the next 1.5 s
    (array([2., 2.]), array([0., 2., 5.]))
    """
    t, m = np.asarray(time, dtype=np.float64), np.asarray(mass, dtype=np.float64)
    if len(t) < 2 or not (np.diff(t) > 0).all():
        message = f"time has {len(t)} values, expected at least two that ascend"
        raise ValueError(message)
    shape = tuple(position.shape if hasattr(position, "shape") else np.shape(position))
    if len(shape) != 3 or shape[0] != len(t) or shape[2] != 3:
        message = f"position has shape {shape}, expected ({len(t)}, N, 3): frames as many as times, and N bodies"
        raise ValueError(message)
    if m.shape != shape[1:2]:
        message = f"mass has shape {m.shape}, expected ({shape[1]},): one of each body; np.full(N, m) if all weigh m"
        raise ValueError(message)
    n = checks.array("normal", normal, (3,), "of the plane")
    checks.number("length of the normal", float(np.linalg.norm(n)), above=0)
    n, at = n / np.linalg.norm(n), checks.array("point", point, (3,), "of the plane [m]")
    forward, backward = np.zeros(len(t) - 1, np.int64), np.zeros(len(t) - 1, np.int64)
    gone = np.zeros(len(t) - 1)
    before = None
    for k in range(len(t)):
        x = np.asarray(position[k], dtype=np.float64) - at
        side = x @ n
        if before is not None:
            x0, side0 = before
            for sign, count in ((1.0, forward), (-1.0, backward)):
                rows = np.flatnonzero(((side0 < 0) & (side >= 0)) if sign > 0 else ((side0 >= 0) & (side < 0)))
                share = side0[rows] / (side0[rows] - side[rows])
                met = x0[rows] + share[:, None] * (x[rows] - x0[rows])
                rows = rows[np.linalg.norm(met, axis=1) <= radius]
                count[k - 1] = len(rows)
                gone[k - 1] += sign * m[rows].sum()
        before = x, side
    total = np.concatenate([[0.0], np.cumsum(gone)])
    return MassFlow(0.5 * (t[1:] + t[:-1]), gone / np.diff(t), forward, backward, total)


def beverloo_rate(
    orifice: ArrayLike,
    diameter: float,
    bulk_density: float,
    *,
    gravity: float = 9.81,
    coefficient: float = 0.58,
    shape: float = 1.4,
) -> np.ndarray:
    """Beverloo's mass flow from a silo with a flat bottom and a round orifice: C ρ √g (D - k d)^(5/2).

    W. A. Beverloo, H. A. Leniger, J. van de Velde, Chem. Eng. Sci. 15 (1961) 260; zero where D <= k d. It is for
    orifices of some six grains and more, and neither for fine powders nor for conical hoppers.

    Parameters
    ----------
    orifice : float or (...) array
        D [m].
    diameter : float
        d, of a grain [m].
    bulk_density : float
        ρ, of grains and voids [kg/m³].
    gravity : float
        g [m/s²].
    coefficient, shape : float
        C = 0.55 to 0.65 and k = 1.4 for spheres, to be found by experiments.

    Returns
    -------
    (...) array
        [kg/s].

    Raises
    ------
    ValueError
        For values that are not positive, or an orifice below zero.

    Examples
    --------
    >>> round(float(beverloo_rate(0.06, 4e-3, 1500.0)), 4)
    1.8808
    """
    _check_positive(diameter=diameter, bulk_density=bulk_density, gravity=gravity, coefficient=coefficient, shape=shape)
    opening = np.maximum(_not_negative("orifice", orifice) - shape * diameter, 0.0)
    return coefficient * bulk_density * math.sqrt(gravity) * opening**2.5


def janssen_stress(
    depth: ArrayLike,
    radius: float,
    bulk_density: float,
    friction: float,
    ratio: float,
    *,
    gravity: float = 9.81,
    surcharge: float = 0.0,
) -> np.ndarray:
    """Janssen's mean vertical stress in a cylindrical silo: ρ g λ (1 - exp(-z/λ)) + q exp(-z/λ), λ = R/(2 μ K).

    H. A. Janssen, Z. Ver. Dtsch. Ing. 39 (1895) 1045. The wall carries μ K times it, if friction is mobilised
    everywhere; so it is after filling that slipped, or while the silo empties.

    Parameters
    ----------
    depth : float or (...) array
        z, below the surface [m].
    radius : float
        R, of the silo [m]; of other cross sections twice area over circumference.
    bulk_density : float
        ρ [kg/m³].
    friction : float
        μ, of the wall.
    ratio : float
        K, horizontal over vertical stress; 1 - sin φ (Jaky) with the angle of internal friction φ.
    gravity : float
        g [m/s²].
    surcharge : float
        q, stress at the surface [Pa].

    Returns
    -------
    (...) array
        [Pa].

    Raises
    ------
    ValueError
        For values that are not positive, or a depth or a surcharge below zero.

    Examples
    --------
    >>> round(float(janssen_stress(10.0, 0.1, 1500.0, 0.5, 0.4)), 3)  # ρ g λ, λ = 0.25 m
    3678.75
    """
    _check_positive(radius=radius, bulk_density=bulk_density, friction=friction, ratio=ratio, gravity=gravity)
    surcharge = checks.number("surcharge", surcharge, least=0, unit="Pa")
    length = radius / (2 * friction * ratio)
    z = -_not_negative("depth", depth) / length
    return -np.expm1(z) * bulk_density * gravity * length + surcharge * np.exp(z)


def bagnold_velocity(
    height: ArrayLike,
    depth: float,
    diameter: float,
    inertial_number: float,
    angle: float,
    solid_fraction: float,
    *,
    gravity: float = 9.81,
) -> np.ndarray:
    """Velocity of steady flow down a rough plane: u = 2/3 (I/d) √(φ g cos θ) (h^(3/2) - (h - z)^(3/2)), Bagnold's.

    R. A. Bagnold, Proc. R. Soc. A 225 (1954) 49; with a solid fraction φ and an inertial number I = γ̇ d/√(P/ρ_s) that
    are the same at all depths, P = φ ρ_s g (h - z) cos θ (GDR MiDi, Eur. Phys. J. E 14 (2004) 341; L. E. Silbert et
    al., Phys. Rev. E 64 (2001) 051302). The mean over depth is 3/5 of the velocity at the surface.

    Parameters
    ----------
    height : float or (...) array
        z, above the plane, up to h [m].
    depth : float
        h, of the flow [m].
    diameter : float
        d, of a grain [m].
    inertial_number : float
        I at this angle.
    angle : float
        θ, of the plane to the horizontal [rad].
    solid_fraction : float
        φ.
    gravity : float
        g [m/s²].

    Returns
    -------
    (...) array
        [m/s].

    Raises
    ------
    ValueError
        For values out of range.

    Examples
    --------
    >>> round(float(bagnold_velocity(0.04, 0.04, 1e-3, 0.1, 0.4, 0.58)), 4)
    1.2209
    """
    _check_positive(depth=depth, diameter=diameter, inertial_number=inertial_number, gravity=gravity)
    checks.number("angle", angle, above=0, most=0.5 * math.pi, unit="rad")
    checks.number("solid_fraction", solid_fraction, above=0, most=1)
    z = np.asarray(height, dtype=np.float64)
    if not ((z >= 0) & (z <= depth)).all():
        message = f"height goes from {z.min():g} to {z.max():g} m, expected 0 to the depth of {depth:g} m"
        raise ValueError(message)
    scale = 2 / 3 * inertial_number / diameter * math.sqrt(solid_fraction * gravity * math.cos(angle))
    return scale * (depth**1.5 - (depth - z) ** 1.5)


def _check_positive(**values: float) -> None:
    """Raise ValueError for the first value that is not a positive number, by its name."""
    for name, value in values.items():
        checks.number(name, value, above=0)


def _not_negative(name: str, value: ArrayLike) -> np.ndarray:
    """Numbers of any shape; raises ValueError naming them if one is below zero or no number."""
    found = checks.numbers(name, value)
    if not (found >= 0).all():
        message = f"{name} goes down to {found.min():g}, expected numbers at least 0"
        raise ValueError(message)
    return found
