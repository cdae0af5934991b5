"""Angles of repose of heaps, and dynamic angles of drums."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks
from dem.model.domain.box import AXES
from dem.statistics.profiles import Profile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.shapes.bodies import Spheres


class Slope(NamedTuple):
    """A straight line through points of a surface."""

    angle: float  # to the horizontal [rad], positive where it rises
    error: float  # standard error of the angle [rad], by the scatter about the line; inf for two points
    height: float  # of the line where the coordinate is 0 [m]
    number: int  # points


def fitted_slope(along: np.ndarray, height: np.ndarray) -> Slope:
    """Angle of a straight line fitted to heights by least squares, with its standard error.

    With the slope b and its standard error s_b, s_b² = Σ r²/((n - 2) Σ (x - x̄)²) of the residuals r, the angle is
    atan b, and its error s_b cos² of the angle.

    Parameters
    ----------
    along, height : (n,) arrays
        Coordinates of points of the surface [m]; where one is nan there is none.

    Returns
    -------
    Slope
        ``angle``, ``error``, ``height`` and ``number``.

    Raises
    ------
    ValueError
        If there are fewer than two points, or all are above each other.

    Examples
    --------
    >>> slope = fitted_slope([0.0, 1, 2, 3], [1.0, 2, 3, 4])
    >>> round(slope.angle, 6), round(slope.error, 6), round(slope.height, 6)  # 45°
    (0.785398, 0.0, 1.0)
    """
    x, z = np.asarray(along, dtype=np.float64), np.asarray(height, dtype=np.float64)
    there = np.isfinite(x) & np.isfinite(z)
    x, z = x[there], z[there]
    about = x - x.mean() if len(x) else x
    square = float(about @ about)
    if len(x) < 2 or not square > 0:
        message = f"a slope needs at least two points beside each other, there are {len(x)} with a height"
        raise ValueError(message)
    b = float(about @ z) / square
    rest = z - z.mean() - b * about
    scatter = float(rest @ rest) / (len(x) - 2) if len(x) > 2 else math.inf
    error = math.sqrt(scatter / square) / (1 + b * b)
    return Slope(math.atan(b), error, float(z.mean() - b * x.mean()), len(x))


def cone_profile(
    spheres: Spheres, edges: np.ndarray, *, centre: Sequence[float] | None = None, up: str = "z", sectors: int = 12
) -> Profile:
    """Height of the surface of a conical heap by distance from its axis.

    In each ring about the axis and each of so many equal sectors it is that of the highest top of a sphere whose centre
    is there; a ring has the mean over its sectors that have any.

    Parameters
    ----------
    spheres : Spheres
        Centres (S, 3), radii (S,), owner (S,), such as `Frame.spheres`.
    edges : (B + 1,) array
        Of the rings, ascending [m].
    centre : (2,) floats, optional
        Where the axis is, along the other two axes in order [m]; default: the mean place of all spheres.
    up : "x", "y" or "z"
        What is up.
    sectors : int
        Their number.

    Returns
    -------
    Profile
        ``edges`` and ``value`` (B,) [m]; nan where there is nothing.

    Raises
    ------
    ValueError
        For an unknown axis, or edges that do not ascend.

    Examples
    --------
    >>> from dem.statistics import Spheres
    >>> three = Spheres(np.array([[0.0, 0, 1], [0.3, 0, 0.5], [-0.3, 0, 0.7]]), np.full(3, 0.1), np.arange(3))
    >>> cone_profile(three, [0.0, 0.2, 0.4], centre=(0, 0)).value.round(6)
    array([1.1, 0.7])
    """
    upward = AXES.index(checks.one_of("axis", up, AXES))
    others = [k for k in range(3) if k != upward]
    edges = np.asarray(edges, dtype=np.float64)
    if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all():
        message = f"edges have shape {edges.shape}, expected at least two numbers that ascend"
        raise ValueError(message)
    sectors = checks.whole("sectors", sectors, least=1)
    flat = spheres.centres[:, others]
    flat = flat - (flat.mean(0) if centre is None else checks.array("centre", centre, (2,), "of the heap [m]"))
    ring = np.searchsorted(edges, np.hypot(*flat.T), side="right") - 1
    part = np.floor((np.arctan2(flat[:, 1], flat[:, 0]) / (2 * np.pi) % 1.0) * sectors).astype(np.int64) % sectors
    inside = (ring >= 0) & (ring < len(edges) - 1)
    tops = np.full((len(edges) - 1, sectors), -np.inf)
    np.maximum.at(tops, (ring[inside], part[inside]), (spheres.centres[:, upward] + spheres.radii)[inside])
    there = np.isfinite(tops)
    number = there.sum(1)
    total = np.where(there, tops, 0.0).sum(1)
    return Profile(edges, np.divide(total, number, out=np.full(len(number), np.nan), where=number > 0))


def angle_of_repose(profile: Profile, *, between: tuple[float, float] = (0.2, 0.8), base: float = 0.0) -> Slope:
    """Angle of repose: the slope of a heap's flank, between two shares of its height.

    So that neither the rounded top nor the foot count. The flank is what follows the highest point, up to where heights
    first fall below the lower share; of two flanks that is the one towards larger coordinates: for the other one give
    the profile with -x, ``Profile(-edges[::-1], value[::-1])``.

    Parameters
    ----------
    profile : Profile
        `height_profile` of a heap between two plates, or `cone_profile`.
    between : two floats
        Shares of the height above the base.
    base : float
        What the heap stands on [m].

    Returns
    -------
    Slope
        ``angle`` to the horizontal [rad], positive, and its ``error``.

    Raises
    ------
    ValueError
        If fewer than two heights are between the shares, such as in a profile that is flat, or the shares are none in
        order.

    Examples
    --------
    >>> heap = Profile(np.arange(12.0), np.maximum(5.5 - 0.5 * np.arange(0.5, 11.5), 0.0))
    >>> round(angle_of_repose(heap).angle, 6)  # atan 0.5
    0.463648
    """
    low, high = between
    if not 0 <= low < high <= 1:
        message = f"between is {between}, expected two shares of the height, the smaller one first"
        raise ValueError(message)
    height = profile.value - base
    if not np.isfinite(height).any():
        message = "the profile has no height anywhere"
        raise ValueError(message)
    top = int(np.nanargmax(height))
    if not height[top] > 0:
        message = (
            f"the highest place of the profile is {height[top]:g} m above the base, expected a heap: give the height "
            "of what it stands on as base"
        )
        raise ValueError(message)
    share = height[top:] / height[top]
    below = np.flatnonzero(~(share >= low))
    flank = np.arange(top, top + (below[0] if len(below) else len(share)))
    flank = flank[share[flank - top] <= high]
    if len(flank) < 2:
        message = (
            f"{len(flank)} of the heights after the highest one, {height[top]:g} m, are between {low:g} and {high:g} "
            "of it, expected at least two: the profile is flat or steep there, or needs narrower bins"
        )
        raise ValueError(message)
    slope = fitted_slope(profile.middle[flank], profile.value[flank])
    return slope._replace(angle=-slope.angle)


def drum_angle(
    position: np.ndarray,
    mass: np.ndarray,
    centre: Sequence[float],
    *,
    axis: str = "y",
    up: str = "z",
) -> float:
    """Free-surface angle of a bed in a turning drum, by where its centre of mass is.

    A bed with a flat surface is a segment of a circle: the line from the drum's axis to its centre of mass is at right
    angles to the surface, and as far from the vertical as that is from the horizontal. Of a surface bent like an S it
    is a mean. A fit to the surface, `height_profile` and `fitted_slope`, sees its middle instead.

    Parameters
    ----------
    position, mass : (N, 3), (N,) arrays
        Of all bodies [m, kg].
    centre : (3,) floats
        A point of the drum's axis [m].
    axis : "x", "y" or "z"
        Of the drum.
    up : "x", "y" or "z"
        What is up.

    Returns
    -------
    float
        [rad]; positive if the surface rises along the third axis, as in `fitted_slope`.

    Raises
    ------
    ValueError
        If both axes are the same, or the centre of mass is on the axis.

    Examples
    --------
    >>> round(drum_angle([[-0.5, 0.0, -0.5]], [1.0], (0, 0, 0)), 6)  # 45°
    -0.785398
    """
    k, upward = (AXES.index(checks.one_of("axis", name, AXES)) for name in (axis, up))
    if k == upward:
        message = f"axis and up are both {axis!r}, expected a drum that lies"
        raise ValueError(message)
    across = 3 - k - upward
    m = np.asarray(mass, dtype=np.float64)
    off = m @ (np.asarray(position, dtype=np.float64) - np.asarray(centre, dtype=np.float64)) / m.sum()
    if not math.hypot(off[across], off[upward]) > 0:
        message = "the centre of mass is on the axis of the drum: there is no free surface"
        raise ValueError(message)
    return math.atan2(off[across], -off[upward])
