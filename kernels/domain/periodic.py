"""Boxes with periodic faces: where the nearest image of something is.

A body stays in the box: what goes out on one side comes in on the other, in the very step, and is counted. Differences
of positions are taken to the nearest image, which is unique while the box is twice as wide as anything reaches. Whether
a box is periodic is known from its type, so the others pay nothing: nearest images with periods of zero would change
no bit of theirs and halve the combinations to compile, but a step of 1e4 spheres took a fifth longer.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import by_type_of_first, inline
from dem.kernels.domain.faces import ROUGHNESS
from dem.kernels.numerics.vector import load, store, subtract


class PeriodicFaces(NamedTuple):
    """A `dem.kernels.domain.faces.BoxFaces` whose walls along periodic axes are at infinity, and what is periodic."""

    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray
    shift: np.ndarray
    moving: bool
    rest: np.ndarray
    drift: np.ndarray
    swing: np.ndarray
    rate: np.ndarray
    phase: np.ndarray
    corner_x: float  # of the cell [m]
    corner_y: float
    corner_z: float
    length_x: float  # of the cell [m]; 0 along axes that are not periodic
    length_y: float
    length_z: float
    inverse_x: float  # of the length [1/m]; 0 along axes that are not periodic
    inverse_y: float
    inverse_z: float


RoughPeriodicFaces = NamedTuple("RoughPeriodicFaces", [*PeriodicFaces.__annotations__.items(), *ROUGHNESS])


def is_periodic(box):
    """Whether a box, or a type of boxes, has periodic faces; it may be rough or have walls besides."""
    return "corner_x" in box._fields


def by_box(closed, periodic):
    """Function of (box, *arguments): the first for a box without periodic faces, else the second.

    Boxes may have more than `Faces` or `PeriodicFaces`: those are types of their own, see
    `kernels.soft.wall_contact.wall_arrays`.
    """
    return by_type_of_first(lambda box: periodic if is_periodic(box) else closed)


@inline
def plain_difference(box, u, v):
    """Return u - v."""
    return subtract(u, v)


@inline
def nearest_along(gap, length, inverse):
    """Difference along an axis, to the nearest image."""
    return gap - length * math.floor(gap * inverse + 0.5)


@inline
def nearest_difference(box, u, v):
    """Return u - v for the nearest image of v."""
    d = subtract(u, v)
    return (
        nearest_along(d[0], box.length_x, box.inverse_x),
        nearest_along(d[1], box.length_y, box.inverse_y),
        nearest_along(d[2], box.length_z, box.inverse_z),
    )


minimum_image = by_box(plain_difference, nearest_difference)


@inline
def leave(box, x, image, b):
    """Position as it is."""
    return x


@inline
def wrap(box, x, image, b):
    """Position folded back into the cell, for a body that went out of it by less than its length."""
    x_0, n_0 = wrap_along(x[0], box.corner_x, box.length_x)
    x_1, n_1 = wrap_along(x[1], box.corner_y, box.length_y)
    x_2, n_2 = wrap_along(x[2], box.corner_z, box.length_z)
    n = load(image, b)
    store(image, b, (n[0] + n_0, n[1] + n_1, n[2] + n_2))
    return x_0, x_1, x_2


@inline
def wrap_along(x, corner, length):
    """Coordinate wrapped into the cell along one axis, and the number of periods moved; zero for length zero."""
    outside = 1.0 if x >= corner + length else 0.0
    outside = -1.0 if x < corner else outside
    outside = outside if length > 0.0 else 0.0
    return x - outside * length, outside


wrap_position = by_box(leave, wrap)


@inline
def plain_place(box, x):
    """Position as it is."""
    return x


@inline
def wrapped(box, x):
    """Position in the cell, of what is out of it by less than its length."""
    return (
        wrap_along(x[0], box.corner_x, box.length_x)[0],
        wrap_along(x[1], box.corner_y, box.length_y)[0],
        wrap_along(x[2], box.corner_z, box.length_z)[0],
    )


wrap_and_count = by_box(plain_place, wrapped)


@inline
def unwrapped(box, x, image, b):
    """Position as if body b had never been folded back."""
    n = load(image, b)
    return x[0] + n[0] * box.length_x, x[1] + n[1] * box.length_y, x[2] + n[2] * box.length_z


unwrap_position = by_box(leave, unwrapped)
