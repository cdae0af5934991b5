"""Profiles along an axis, and slopes of free surfaces.

Solid fraction, mean velocity and granular temperature by slab; height of the surface; angles of repose of heaps, and
dynamic angles of drums.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks
from dem.model.domain.box import axis_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.shapes.bodies import Spheres, Surfaces


class SlabFlow(NamedTuple):
    """Bodies in each slab, and their mean motion."""

    slab: np.ndarray  # (N,) of each body; the nearest one of those outside
    inside: np.ndarray  # (N,) whether it is in any
    number: np.ndarray  # (B,) bodies
    mass: np.ndarray  # (B,) [kg]
    velocity: np.ndarray  # (B, 3) of the centre of mass [m/s]; zero where there is nothing


class Slabs(NamedTuple):
    """Slabs of a box along an axis."""

    axis: int
    edges: np.ndarray  # (B + 1,) [m]
    volume: float  # of each [m³]
    images: tuple[float, ...]  # where a thing that is folded into the box is once more [m]

    def fold(self, height: np.ndarray) -> np.ndarray:
        """Heights along the axis (...) [m], wrapped into the box if it is periodic."""
        low, high = self.edges[0], self.edges[-1]
        return height - (high - low) * np.floor((height - low) / (high - low)) if len(self.images) > 1 else height

    def flow(self, position: np.ndarray, mass: np.ndarray, velocity: np.ndarray) -> SlabFlow:
        """Slab of each body, and mean motion in each slab."""
        height = self.fold(np.asarray(position, dtype=np.float64)[:, self.axis])
        bins, size = len(self.edges) - 1, self.edges[-1] - self.edges[0]
        slab = np.clip(np.floor((height - self.edges[0]) / size * bins), 0, bins - 1).astype(np.int64)
        inside = (height >= self.edges[0]) & (height <= self.edges[-1])
        m = np.where(inside, mass, 0.0)
        total = np.bincount(slab, m, bins)
        momentum = np.stack([np.bincount(slab, m * v, bins) for v in np.asarray(velocity, dtype=np.float64).T], axis=1)
        mean = np.divide(momentum, total[:, None], out=np.zeros((bins, 3)), where=total[:, None] > 0)
        return SlabFlow(slab, inside, np.bincount(slab[inside], minlength=bins), total, mean)


def slabs(lower: Sequence[float], upper: Sequence[float], axis: str, bins: int, *, periodic: bool) -> Slabs:
    """Check the arguments and make slabs; raises ValueError for an unknown axis or a box without volume."""
    k = axis_number(axis)
    lower, upper = checks.vector("lower", lower, "a corner [m]"), checks.vector("upper", upper, "a corner [m]")
    size = np.subtract(upper, lower)
    checks.number("shortest edge of the box", size.min(), above=0, unit="m")
    bins = checks.whole("bins", bins, least=1)
    images = (-size[k], 0.0, size[k]) if periodic else (0.0,)
    return Slabs(k, np.linspace(lower[k], upper[k], bins + 1), float(size.prod() / bins), images)


class VelocityProfile(NamedTuple):
    """Mean velocity and granular temperature of the bodies in each slab; NaN in empty ones.

    Attributes
    ----------
    edges : (B + 1,) array
        Edges of the slabs [m].
    velocity : (B, 3) array
        Velocity of the centre of mass of the bodies in each slab [m/s].
    temperature : (B,) array
        Granular temperature about that velocity, see `granular_temperature` [m²/s²].
    number : (B,) array
        Number of bodies.
    """

    edges: np.ndarray
    velocity: np.ndarray
    temperature: np.ndarray
    number: np.ndarray

    @property
    def middle(self) -> np.ndarray:
        """Centre of each slab (B,) [m]."""
        return 0.5 * (self.edges[1:] + self.edges[:-1])


def velocity_profile(
    position: np.ndarray,
    velocity: np.ndarray,
    mass: np.ndarray,
    lower: Sequence[float],
    upper: Sequence[float],
    *,
    axis: str = "z",
    bins: int = 20,
    periodic: bool = False,
) -> VelocityProfile:
    """Mean velocity and granular temperature of the bodies whose centres are in each slab across an axis.

    Parameters
    ----------
    position, velocity, mass : (N, 3), (N, 3), (N,) arrays
        [m, m/s, kg].
    lower, upper, axis, bins, periodic
        As in `solid_fraction`.

    Returns
    -------
    VelocityProfile
        ``velocity`` (bins, 3) [m/s], ``temperature`` (bins,) [m²/s²] and ``number`` (bins,).

    Raises
    ------
    ValueError
        For an unknown axis, a box without volume, or arrays of other shapes.

    Examples
    --------
    >>> x = [[0.5, 0.5, 0.1], [0.5, 0.5, 0.2], [0.5, 0.5, 0.9]]
    >>> v = [[1.0, 0, 0], [3, 0, 0], [5, 0, 0]]
    >>> flow = velocity_profile(x, v, [1.0, 1, 1], (0, 0, 0), (1, 1, 1), bins=2)
    >>> flow.velocity[:, 0], flow.temperature.round(6)
    (array([2., 5.]), array([0.333333, 0.      ]))
    """
    across = slabs(lower, upper, axis, bins, periodic=periodic)
    position, velocity, mass = checks.per_body(position=(position, 3), velocity=(velocity, 3), mass=(mass, 1))
    flow = across.flow(position, mass, velocity)
    about = velocity - flow.velocity[flow.slab]
    energy = np.bincount(flow.slab, np.where(flow.inside, mass, 0.0) * (about**2).sum(1), bins)
    some = flow.number > 0
    temperature = np.divide(energy, 3 * flow.mass, out=np.full(bins, np.nan), where=some)
    return VelocityProfile(across.edges, np.where(some[:, None], flow.velocity, np.nan), temperature, flow.number)


def granular_temperature(velocity: np.ndarray, mass: np.ndarray | None = None) -> float:
    """Granular temperature T = <|v - V|²>/3 about the mean velocity V, weighted with mass if it is given.

    Parameters
    ----------
    velocity : (N, 3) array
        [m/s].
    mass : (N,) array, optional
        [kg].

    Returns
    -------
    float
        [m²/s²].

    Raises
    ------
    ValueError
        If there are no bodies.

    Examples
    --------
    >>> granular_temperature([[1.0, 0, 0], [-1, 0, 0], [0, 2, 0], [0, -2, 0]])  # (1 + 1 + 4 + 4)/12
    0.8333333333333334
    """
    v = np.asarray(velocity, dtype=np.float64)
    if v.ndim != 2 or v.shape[1] != 3 or not len(v):
        message = f"velocity has shape {v.shape}, expected (N, 3) with at least one body"
        raise ValueError(message)
    about = v - np.average(v, axis=0, weights=mass)
    return float(np.average((about**2).sum(1), weights=mass) / 3)


class Profile(NamedTuple):
    """Profile of a quantity along an axis, by slab.

    Attributes
    ----------
    edges : (B + 1,) array
        Edges of the slabs [m].
    value : (B,) array
        Value in each slab, in the unit of the quantity.
    """

    edges: np.ndarray
    value: np.ndarray

    @property
    def middle(self) -> np.ndarray:
        """Centre of each slab (B,) [m]."""
        return 0.5 * (self.edges[1:] + self.edges[:-1])


def solid_fraction(
    spheres: Spheres,
    lower: Sequence[float],
    upper: Sequence[float],
    *,
    axis: str = "z",
    bins: int = 20,
    volume: np.ndarray | None = None,
    periodic: bool = False,
    surfaces: Surfaces | None = None,
) -> Profile:
    """Solid fraction of each slab of a box across an axis.

    A sphere of radius R has below the height t over its centre, |t| <= R, the volume π (2 R³/3 + R² t - t³/3), so that
    slabs cut it exactly. Spheres of one body may overlap: with `volume` they are scaled, alike in all slabs, so that
    each body counts with the volume of its union. The sum over slabs is then exact; where within a body the overlaps
    are is smeared out. What bodies in contact have in common counts twice.

    A body with a surface counts by its surface, and its spheres do not count. Below the height t a closed surface has
    the volume -∮ max(t - z, 0) dA_z, so that slabs cut its triangles exactly. With `volume` it is scaled alike in all
    slabs.

    Parameters
    ----------
    spheres : Spheres
        Centres (S, 3), radii (S,), owner (S,), from `Frame.spheres` or ``dem.statistics.Spheres(...)``.
    lower, upper : (3,) floats
        The box [m]; all spheres count, however far to the sides they are.
    axis : "x", "y" or "z"
        Across which the slabs lie.
    bins : int
        Number of slabs, equally thick.
    volume : (N,) array, optional
        Volume of each body [m³]; default: the sum over its spheres.
    periodic : bool
        Whether what leaves the box along the axis comes in on the other side.
    surfaces : Surfaces, optional
        Of the bodies that are convex, from `Frame.surfaces`.

    Returns
    -------
    Profile
        ``edges`` (bins + 1,) [m] and ``value`` (bins,), solid volume over volume of the slab.

    Raises
    ------
    ValueError
        For an unknown axis, a box without volume, or arrays of other shapes.

    Examples
    --------
    >>> from dem.statistics import Spheres
    >>> ball = Spheres(np.array([[0.5, 0.5, 0.5]]), np.array([0.5]), np.array([0]))
    >>> solid_fraction(ball, (0, 0, 0), (1, 1, 1), bins=2).value.round(6)  # π/6 each
    array([0.523599, 0.523599])
    """
    across = slabs(lower, upper, axis, bins, periodic=periodic)
    x, radius, owner = spheres
    within = np.zeros(bins + 1)
    if surfaces is not None and len(surfaces.owner):
        within = _volume_within_surfaces(across, surfaces, volume)
        others = ~np.isin(owner, surfaces.owner)
        x, radius, owner = x[others], radius[others], owner[others]
    height = across.fold(x[:, across.axis])
    weight = np.ones(len(radius))
    if volume is not None:
        weight = volume[owner] / np.bincount(owner, 4 / 3 * np.pi * radius**3, len(volume))[owner]
    copies = len(across.images)
    height = (height + np.array(across.images)[:, None]).ravel()
    below = within + _volume_below(across.edges, height, np.tile(radius, copies), np.tile(weight, copies))
    return Profile(across.edges, np.diff(below) / across.volume)


def _volume_within_surfaces(across: Slabs, surfaces: Surfaces, volume: np.ndarray | None) -> np.ndarray:
    """Volume within closed surfaces below each edge of the slabs (B + 1,) [m³]; of body k it is `volume[k]` in all."""
    bodies, owner = np.unique(surfaces.owner, return_inverse=True)
    corners, k = surfaces.vertices[surfaces.triangles], across.axis
    area = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, k]
    height = np.sort(corners[:, :, k], axis=1)
    lowest = np.full(len(bodies), np.inf)
    np.minimum.at(lowest, owner, height[:, 0])
    height -= lowest[owner, None]
    if volume is not None:
        area *= (volume[bodies] / np.bincount(owner, area * height.mean(axis=1)))[owner]
    height += across.fold(lowest)[owner, None]  # all triangles of a body are moved alike
    moment = area * height.mean(axis=1)
    low, _, high = height.T
    below = np.zeros(len(across.edges))
    for number, edge in enumerate(across.edges):
        for image in across.images:
            level = edge - image
            whole, cut = high <= level, (low < level) & (level < high)
            below[number] += moment[whole].sum() - level * area[whole].sum()
            below[number] -= area[cut] @ _mean_depth(level, height[cut])
    return below


def _mean_depth(level: float, height: np.ndarray) -> np.ndarray:
    """Mean depth (F,) below a level, 0 above it, over triangles that it cuts; heights of corners (F, 3) ascend."""
    depth, is_tip = np.empty(len(height)), level <= height[:, 1]
    for rows, tip in ((is_tip, 0), (~is_tip, 2)):
        a, b, c = (height[rows, each] for each in (tip, 1, 2 - tip))
        depth[rows] = np.abs(level - a) ** 3 / (3 * (b - a) * (c - a))  # of the part on the side of the tip
    depth[~is_tip] += level - height[~is_tip].mean(axis=1)
    return depth


def _volume_below(levels: np.ndarray, height: np.ndarray, radius: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weighted volume of all spheres below each level; spheres that a level cuts count in part."""
    order = np.argsort(height)
    height, radius, weight = height[order], radius[order], weight[order]
    whole = np.concatenate([[0.0], np.cumsum(weight * 4 / 3 * np.pi * radius**3)])
    largest = radius.max(initial=0.0)
    first, last = (np.searchsorted(height, levels + side * largest) for side in (-1, 1))
    total = whole[first]
    for level, (a, b) in enumerate(zip(first, last, strict=True)):
        r = radius[a:b]
        t = np.clip(levels[level] - height[a:b], -r, r)
        total[level] += weight[a:b] @ (np.pi * (2 * r**3 / 3 + r**2 * t - t**3 / 3))
    return total


def height_profile(spheres: Spheres, edges: np.ndarray, *, axis: str = "x", up: str = "z") -> Profile:
    """Height of the surface of a heap in each slab across an axis: the highest point of a sphere.

    In a slab at the distance d along the axis from a sphere's centre (0 if the centre is in it) that sphere reaches
    up to its centre's height + √(R² - d²): the heap's silhouette, exactly.

    Parameters
    ----------
    spheres : Spheres
        See `solid_fraction`.
    edges : (B + 1,) array
        Edges of the slabs, ascending [m].
    axis, up : "x", "y" or "z"
        Along which the slabs follow each other, and what is up.

    Returns
    -------
    Profile
        ``value`` (B,) [m]; nan where there is nothing.

    Raises
    ------
    ValueError
        For an unknown axis, or edges that do not ascend.

    Examples
    --------
    >>> from dem.statistics import Spheres
    >>> ball = Spheres(np.array([[0.5, 0, 0]]), np.array([0.5]), np.array([0]))
    >>> height_profile(ball, np.array([0, 0.2, 1, 2])).value  # 0.4 = √(0.5² - 0.3²)
    array([0.4, 0.5, nan])
    """
    along, upwards = (axis_number(name) for name in (axis, up))
    edges = _ascending(edges)
    x, z, r = spheres.centres[:, along], spheres.centres[:, upwards], spheres.radii
    top = np.full(len(edges) - 1, -np.inf)
    first = np.searchsorted(edges, x - r, side="right") - 1
    last = np.searchsorted(edges, x + r, side="left") - 1
    for step in range(int((last - first).max(initial=-1)) + 1):
        slab = first + step
        reached = np.flatnonzero((slab <= last) & (slab >= 0) & (slab < len(top)))
        slab, centre = slab[reached], x[reached]
        d = centre - np.clip(centre, edges[slab], edges[slab + 1])
        np.maximum.at(top, slab, z[reached] + np.sqrt(np.maximum(r[reached] ** 2 - d**2, 0.0)))
    return Profile(edges, np.where(np.isfinite(top), top, np.nan))


class Slope(NamedTuple):
    """Straight line fitted to points of a surface.

    Attributes
    ----------
    angle : float
        Angle to the horizontal, positive where the line rises [rad].
    error : float
        Standard error of the angle by the scatter about the line [rad]; inf for two points.
    height : float
        Height of the line at the coordinate 0 [m].
    number : int
        Number of points.
    """

    angle: float
    error: float
    height: float
    number: int


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
        Edges of the rings, ascending [m].
    centre : (2,) floats, optional
        Position of the axis, along the other two axes in order [m]; default: the mean position of all spheres.
    up : "x", "y" or "z"
        Axis that points up.
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
    upward = axis_number(up)
    others = [k for k in range(3) if k != upward]
    edges = _ascending(edges)
    sectors = checks.whole("sectors", sectors, least=1)
    flat = spheres.centres[:, others]
    if centre is None:
        centre = flat.mean(0) if len(flat) else (0.0, 0.0)
    flat = flat - checks.array("centre", centre, (2,), "of the heap [m]")
    ring = np.searchsorted(edges, np.hypot(*flat.T), side="right") - 1
    part = np.floor((np.arctan2(flat[:, 1], flat[:, 0]) / (2 * np.pi) % 1.0) * sectors).astype(np.int64) % sectors
    inside = (ring >= 0) & (ring < len(edges) - 1)
    tops = np.full((len(edges) - 1, sectors), -np.inf)
    np.maximum.at(tops, (ring[inside], part[inside]), (spheres.centres[:, upward] + spheres.radii)[inside])
    there = np.isfinite(tops)
    number = there.sum(1)
    total = np.where(there, tops, 0.0).sum(1)
    return Profile(edges, np.divide(total, number, out=np.full(len(number), np.nan), where=number > 0))


def _ascending(edges: np.ndarray) -> np.ndarray:
    """Edges (B + 1,) as floats; raises ValueError if they do not ascend."""
    edges = np.asarray(edges, dtype=np.float64)
    if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all():
        message = f"edges have shape {edges.shape}, expected at least two numbers that ascend"
        raise ValueError(message)
    return edges


def angle_of_repose(profile: Profile, *, between: tuple[float, float] = (0.2, 0.8), base: float = 0.0) -> Slope:
    """Angle of repose: slope of the flank of a heap, between two fractions of its height.

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
        Height of the base of the heap [m].

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
    """Angle of the free surface of a bed in a rotating drum, from the position of its centre of mass.

    A bed with a flat surface is a segment of a circle: the line from the drum's axis to its centre of mass is at right
    angles to the surface, and as far from the vertical as that is from the horizontal. Of a surface bent like an S it
    is a mean. A fit to the surface, `height_profile` and `fitted_slope`, sees its middle instead.

    Parameters
    ----------
    position, mass : (N, 3), (N,) arrays
        Positions and masses of all bodies [m, kg].
    centre : (3,) floats
        A point of the drum's axis [m].
    axis : "x", "y" or "z"
        Axis of the drum.
    up : "x", "y" or "z"
        Axis that points up.

    Returns
    -------
    float
        [rad]; positive if the surface rises along the third axis, as in `fitted_slope`.

    Raises
    ------
    ValueError
        If both axes are the same, there are no bodies, or the centre of mass is on the axis.

    Examples
    --------
    >>> round(drum_angle([[-0.5, 0.0, -0.5]], [1.0], (0, 0, 0)), 6)  # 45°
    -0.785398
    """
    k, upward = (axis_number(name) for name in (axis, up))
    if k == upward:
        message = f"axis and up are both {axis!r}, expected a drum that lies"
        raise ValueError(message)
    across = 3 - k - upward
    position, m = checks.per_body(position=(position, 3), mass=(mass, 1))
    if not m.sum() > 0:
        raise ValueError(f"mass is of {len(m)} bodies and {m.sum():g} kg in all, expected a bed with a centre of mass")
    off = m @ (position - checks.array("centre", centre, (3,), "a point of the drum's axis [m]")) / m.sum()
    if not math.hypot(off[across], off[upward]) > 0:
        message = "the centre of mass is on the axis of the drum: there is no free surface"
        raise ValueError(message)
    return math.atan2(off[across], -off[upward])
