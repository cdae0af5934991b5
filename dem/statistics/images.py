"""Images of beds and heaps from the side: occupied area, surface, angles; of spheres or photographs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks
from dem.model.domain.box import axis_number
from dem.statistics.profiles import Profile, Slope, angle_of_repose, fitted_slope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.shapes.bodies import Spheres

HALF = 0.5  # share of the images in which a pixel of the bed is occupied


def silhouette(
    spheres: Spheres, lower: Sequence[float], upper: Sequence[float], pixel: float, *, axis: str = "y", up: str = "z"
) -> np.ndarray:
    """Image of spheres along an axis: the pixels whose centres are inside the outline of a sphere.

    Parameters
    ----------
    spheres : Spheres
        Centres (S, 3), radii (S,), owner (S,), such as `Frame.spheres`.
    lower, upper : (2,) floats
        Corners of the image: along the third axis and along `up` [m].
    pixel : float
        Edge of a pixel [m].
    axis : "x", "y" or "z"
        Along which one looks.
    up : "x", "y" or "z"
        Axis that points up.

    Returns
    -------
    (rows, columns) bool array
        Rows from the top, as those of photographs.

    Raises
    ------
    ValueError
        If axis and up are the same, or the image has no pixel.

    Examples
    --------
    >>> from dem.statistics import Spheres
    >>> ball = Spheres(np.array([[1.0, 0.0, 1.0]]), np.array([0.6]), np.array([0]))
    >>> silhouette(ball, (0, 0), (2, 3), 1.0).astype(int).tolist()  # corners at 0.71 from the middle are outside
    [[0, 0], [0, 0], [0, 0]]
    >>> silhouette(ball, (0.5, 0.5), (1.5, 2.5), 1.0).astype(int).tolist()
    [[0], [1]]
    """
    k, upward = (axis_number(name) for name in (axis, up))
    if k == upward:
        message = f"axis and up are both {axis!r}, expected a view from the side"
        raise ValueError(message)
    pixel = checks.number("pixel", pixel, above=0, unit="m")
    low = checks.array("lower", lower, (2,), "corner of the image [m]")
    shape = np.round((checks.array("upper", upper, (2,), "corner of the image [m]") - low) / pixel).astype(np.int64)
    if not (shape > 0).all():
        message = f"the image has {shape[0]} x {shape[1]} pixels, expected at least one: look at lower, upper and pixel"
        raise ValueError(message)
    image = np.zeros((shape[1], shape[0]), dtype=bool)
    x = (spheres.centres[:, 3 - k - upward] - low[0]) / pixel - 0.5
    z = (spheres.centres[:, upward] - low[1]) / pixel - 0.5
    for a, b, r in zip(x, z, spheres.radii / pixel, strict=True):
        columns = np.arange(max(math.ceil(a - r), 0), min(math.floor(a + r), shape[0] - 1) + 1)
        rows = np.arange(max(math.ceil(b - r), 0), min(math.floor(b + r), shape[1] - 1) + 1)
        if len(columns) and len(rows):
            image[np.ix_(rows, columns)] |= (columns - a) ** 2 + ((rows - b) ** 2)[:, None] <= r * r
    return image[::-1]


def occupied_area(image: np.ndarray, pixel: float) -> float:
    """Area of a bed in an image, or in the mean of several.

    Parameters
    ----------
    image : (rows, columns) array
        Bool, or from 0 to 1: the share of images in which the pixel is occupied.
    pixel : float
        Edge of a pixel [m].

    Returns
    -------
    float
        [m²].

    Raises
    ------
    ValueError
        If the image is none of values from 0 to 1.

    Examples
    --------
    >>> occupied_area([[0, 1], [0.5, 1]], 2.0)
    10.0
    """
    return float(_checked("image", image).sum()) * checks.number("pixel", pixel, above=0, unit="m") ** 2


def image_difference(one: np.ndarray, other: np.ndarray, pixel: float) -> float:
    """Area in which two images, or means of images, differ: Σ |a - b| times the area of a pixel.

    Parameters
    ----------
    one, other : (rows, columns) arrays
        As of `occupied_area`, of the same pixels.
    pixel : float
        Edge of a pixel [m].

    Returns
    -------
    float
        [m²].

    Raises
    ------
    ValueError
        If the images differ in their numbers of pixels, or are none of values from 0 to 1.

    Examples
    --------
    >>> image_difference([[0, 1], [1, 1]], [[1, 1], [1, 0.5]], 1.0)
    1.5
    """
    one, other = _checked("one", one), _checked("other", other)
    if one.shape != other.shape:
        message = f"the images have {one.shape} and {other.shape} pixels, expected the same"
        raise ValueError(message)
    return occupied_area(np.abs(one - other), pixel)


def image_surface(image: np.ndarray, pixel: float, *, lower: Sequence[float] = (0.0, 0.0)) -> Profile:
    """Height of the surface of a bed in an image by column: upper edge of the highest occupied pixel.

    In the mean of several images a pixel counts that is occupied in at least half of them.

    Parameters
    ----------
    image : (rows, columns) array
        As of `occupied_area`; rows from the top.
    pixel : float
        Edge of a pixel [m].
    lower : (2,) floats
        Lower left corner [m].

    Returns
    -------
    Profile
        ``edges`` (columns + 1,) and ``value`` (columns,) [m]; nan where there is nothing.

    Raises
    ------
    ValueError
        If the image is none of values from 0 to 1.

    Examples
    --------
    >>> image_surface([[0, 0, 1], [0, 1, 1]], 0.5).value
    array([nan, 0.5, 1. ])
    """
    occupied = _checked("image", image) >= HALF
    pixel = checks.number("pixel", pixel, above=0, unit="m")
    low = checks.array("lower", lower, (2,), "corner of the image [m]")
    rows, columns = occupied.shape
    top = np.where(occupied.any(0), rows - occupied.argmax(0), np.nan)
    return Profile(low[0] + pixel * np.arange(columns + 1), low[1] + pixel * top)


def _checked(name: str, image: np.ndarray) -> np.ndarray:
    """Check an image; returns floats."""
    found = np.asarray(image, dtype=np.float64)
    if found.ndim != 2 or not found.size or not ((found >= 0) & (found <= 1)).all():
        message = f"{name} has shape {found.shape}, expected rows and columns of values from 0 to 1: divide grey by 255"
        raise ValueError(message)
    return found


class SurfaceAngles(NamedTuple):
    """Slopes of the surface of a bed in a drum: upper half, lower half, and all of it.

    Attributes
    ----------
    lower, upper : Slope
        Slopes of the halves where the surface is low, and where it is high.
    whole : Slope
        Slope of the whole surface.
    """

    lower: Slope
    upper: Slope
    whole: Slope


def surface_angles(profile: Profile, *, within: float = 0.8) -> SurfaceAngles:
    """Upper and lower angle of the S-shaped surface of a bed in a drum.

    Straight lines are fitted to both halves of the middle part of the surface. Angles are positive where the surface
    rises towards the upper half.

    Parameters
    ----------
    profile : Profile
        `image_surface` or `height_profile` of a bed; only columns with a height count.
    within : float
        Share of the columns about the middle one that count: at the wall the surface bends.

    Returns
    -------
    SurfaceAngles
        ``lower``, ``upper`` and ``whole``, each with ``angle`` and ``error`` [rad].

    Raises
    ------
    ValueError
        If either half has fewer than two heights.

    Examples
    --------
    >>> x = np.linspace(-1.0, 1.0, 201)
    >>> middle = 0.5 * (x[1:] + x[:-1])
    >>> bent = surface_angles(Profile(x, np.where(middle > 0, 1.0, 0.5) * middle))
    >>> round(bent.lower.angle, 3), round(bent.upper.angle, 3)  # atan 0.5 and 45°
    (0.464, 0.785)
    """
    within = checks.number("within", within, above=0, most=1)
    there = np.flatnonzero(np.isfinite(profile.value))
    if len(there) < 4:
        message = f"the surface has {len(there)} heights, expected at least four"
        raise ValueError(message)
    x, z = profile.middle[there], profile.value[there]
    middle, reach = 0.5 * (x[0] + x[-1]), 0.5 * within * (x[-1] - x[0])
    inside = np.abs(x - middle) <= reach
    x, z = x[inside], z[inside]
    whole = fitted_slope(x, z)
    if whole.angle < 0:
        x, z, middle = -x[::-1], z[::-1], -middle
    return SurfaceAngles(
        fitted_slope(x[x < middle], z[x < middle]), fitted_slope(x[x > middle], z[x > middle]), fitted_slope(x, z)
    )


class HeapShape(NamedTuple):
    """Angle of repose and height of a heap, and end of its base.

    Attributes
    ----------
    slope : Slope
        Slope of the flank, positive.
    height : float
        Height of the highest place above the base [m].
    base : float
        Coordinate at which the line of the flank meets the base [m].
    """

    slope: Slope
    height: float
    base: float


def heap_shape(profile: Profile, *, between: tuple[float, float] = (0.2, 0.8), base: float = 0.0) -> HeapShape:
    """Angle of repose with its standard error, height of a heap, and end of its base.

    Parameters
    ----------
    profile, between, base
        As of `angle_of_repose`.

    Returns
    -------
    HeapShape
        ``slope``, ``height`` and ``base`` [m].

    Raises
    ------
    ValueError
        As of `angle_of_repose`.

    Examples
    --------
    >>> cone = Profile(np.arange(13.0), np.maximum(5.5 - 0.5 * np.arange(0.5, 12.5), 0.0))
    >>> shape = heap_shape(cone)
    >>> round(shape.slope.angle, 6), shape.height, round(shape.base, 6)  # atan 0.5; 5.5 at 0 falls to 0 at 11
    (0.463648, 5.25, 11.0)
    """
    slope = angle_of_repose(profile, between=between, base=base)
    return HeapShape(slope, float(np.nanmax(profile.value)) - base, (slope.height - base) / math.tan(slope.angle))
