"""Periodic images: minimum images of positions and their velocities in a box with or without periodic faces.

The image of a body that touches a wall is `image_for` in `dem.kernels.soft.wall_contact.wall_arrays`.

A domain is a NamedTuple that extends `dem.kernels.domain.faces.BoxFaces`. Its functions are those
below, chosen by its type, so that closed boxes compile nothing of periodic ones:

    nearest_image     difference of two positions to the nearest image, and the number of that image
    image_velocity    velocity of the cell at an image, relative to its velocity at the other body
    begin_step        the cell at the end of the step that a pass begins, before bodies move
    end_step         the same cell, after a pass, as the present one
    advance_position  position of a body at the end of a step
    map_velocity      velocity of a body after a kick, transformed into the cell at the end of the step
    map_velocities    the same for bodies whose step was completed by an earlier pass
    wrap_position     position wrapped into the cell, and the number of cells subtracted
    record_wrap       adds this number to the image counts of the body
    unwrap_position   position as if the body had never been wrapped
    potential_position  position at which the potential energy of gravity is evaluated
    half_image_displacement  half of the displacement of images since the neighbour list was built
    record_listing    called when the neighbour list is built
    convected_position  position of a body when the list was built, moved with the deformation of the cell since
    position_in_grid  position in the grid of linked cells
    position_in_image  position relative to the bodies of another image of the cell

The image n of a body at x is at x + H n and moves at v + dH/dt n, with the edges of the cell in the columns of H. A
particle stays in the cell: one that leaves on one side enters on the other in the same step, and this is counted.
Nearest images are unique while the cell is at least twice as wide as the largest distance at which bodies are listed.
The numbers of a cell are arrays, which a kernel may change, as it may not change fields of a tuple.

Another domain is a type with `extends = (PeriodicFaces,)` and its own functions in the tables, for instance
``nearest_image.functions[Sheared] = ...``; besides those here it may need `dem.kernels.domain.faces.move` and
`dem.kernels.soft.neighbours.neighbour_list.search_around`. ``tests/extensions/sheared_cell.py`` is an example: it
extends the cell of `dem.kernels.domain.deforming_cell`.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import argument, inline, select
from dem.kernels.domain.faces import ROUGHNESS, BoxFaces, RoughFaces
from dem.kernels.numerics.vector import add_scaled, load, store, subtract


class PeriodicFaces(NamedTuple):
    """`BoxFaces` of a partly periodic box: periods, and walls at infinity along periodic axes."""

    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray
    shift: np.ndarray
    moving: bool
    start_position: np.ndarray
    drift: np.ndarray
    amplitude: np.ndarray
    rate: np.ndarray
    phase: np.ndarray
    corner: np.ndarray  # (3,) of the cell [m]
    length: np.ndarray  # (3,) of the cell [m]; 0 along axes that are not periodic
    inverse: np.ndarray  # (3,) of the length [1/m]; 0 along axes that are not periodic

    extends = (BoxFaces,)


RoughPeriodicFaces = NamedTuple("RoughPeriodicFaces", [*PeriodicFaces.__annotations__.items(), *ROUGHNESS])
RoughPeriodicFaces.extends = (PeriodicFaces, RoughFaces)


class NoImages(NamedTuple):
    """Marker of a domain in which the image of each position is known and no nearest image is searched."""


@inline
def plain_difference(box, u, v):
    """Return u - v; there are no images."""
    return subtract(u, v), ()


@inline
def nearest_along(gap, length, inverse):
    """Difference along an axis to the nearest image, and the number of that image."""
    n = np.floor(gap * inverse + 0.5)
    return gap - length * n, n


@inline
def nearest_difference(box, u, v):
    """Return u - v for the nearest image of v, and its number along each axis."""
    d = subtract(u, v)
    d_0, n_0 = nearest_along(d[0], box.length[0], box.inverse[0])
    d_1, n_1 = nearest_along(d[1], box.length[1], box.inverse[1])
    d_2, n_2 = nearest_along(d[2], box.length[2], box.inverse[2])
    return (d_0, d_1, d_2), (n_0, n_1, n_2)


nearest_image = select(
    "box", {BoxFaces: plain_difference, PeriodicFaces: nearest_difference, NoImages: plain_difference}
)


@inline
def minimum_image(box, u, v):
    """Difference u - v for the nearest image of v."""
    return nearest_image(box, u, v)[0]


@inline
def image_at_rest(box, image, gap):
    """Velocity of the cell at an image, relative to that at another point, in a cell at rest: zero.

    It is added to the velocity of the body whose image it is. gap: vector from the image to the point [m].

    Its components are -0.0, because x + (-0.0) has the bits of x for every x, also for x = -0.0.
    """
    return -0.0, -0.0, -0.0


image_velocity = select("box", {BoxFaces: image_at_rest})


@inline
def subtract_image_velocity(box, v, image, gap):
    """Velocity v less that of an image; in a cell at rest v itself, as -0.0 + 0.0 is 0.0."""
    w = image_velocity(box, image, gap)
    return v[0] - (w[0] + 0.0), v[1] - (w[1] + 0.0), v[2] - (w[2] + 0.0)


@inline
def advance_in_cell_at_rest(box, x, v, dt):
    """Position x + dt v after a step in a cell at rest."""
    return add_scaled(x, dt, v)


@inline
def unchanged(box, v):
    """Velocity, unchanged, in a cell at rest."""
    return v


advance_position = select("box", {BoxFaces: advance_in_cell_at_rest})
map_velocity = select("box", {BoxFaces: unchanged})
map_velocities = select("box", {BoxFaces: None})


@inline
def leave_position(box, x, ahead):
    """Position, unchanged."""
    return x, ()


@inline
def wrap(box, x, ahead):
    """Position wrapped into the cell from less than a length outside, and the image numbers of the original.

    The position is that of a time so much ahead of the box [s].
    """
    x_0, n_0 = wrap_along(x[0], box.corner[0], box.length[0])
    x_1, n_1 = wrap_along(x[1], box.corner[1], box.length[1])
    x_2, n_2 = wrap_along(x[2], box.corner[2], box.length[2])
    return (x_0, x_1, x_2), (n_0, n_1, n_2)


@inline
def wrap_along(x, corner, length):
    """Coordinate wrapped into the cell along one axis, and the number of periods moved; zero for length zero."""
    outside = 1.0 if x >= corner + length else 0.0
    outside = -1.0 if x < corner else outside
    outside = outside if length > 0.0 else 0.0
    return x - outside * length, outside


wrap_position = select("box", {BoxFaces: leave_position, PeriodicFaces: wrap})


@inline
def count_cells(box, cells, image, b):
    """Add the number of cells that body b has crossed to its image counts."""
    n = load(image, b)
    store(image, b, (n[0] + cells[0], n[1] + cells[1], n[2] + cells[2]))


record_wrap = select("box", {BoxFaces: None, PeriodicFaces: count_cells})


@inline
def unwrapped(box, x, image, b):
    """Position as if body b had never been wrapped."""
    n = load(image, b)
    return x[0] + n[0] * box.length[0], x[1] + n[1] * box.length[1], x[2] + n[2] * box.length[2]


unwrap_position = select("box", {BoxFaces: argument("x"), PeriodicFaces: unwrapped})
potential_position = select("box", {BoxFaces: argument("x"), PeriodicFaces: unwrapped})


@inline
def same_position(box, x):
    """Return the position x; the cell does not deform."""
    return x


@inline
def position_without_images(box, x, image):
    """Position, unchanged, in a box without periodic images."""
    return x


@inline
def subtract_periods(box, x, image):
    """Position relative to an image of the cell: whole periods are subtracted."""
    return x[0] - box.length[0] * image[0], x[1] - box.length[1] * image[1], x[2] - box.length[2] * image[2]


half_image_displacement = select("box", {BoxFaces: -0.0})  # see `image_at_rest`
record_listing = select("box", {BoxFaces: None})
convected_position = select("box", {BoxFaces: same_position})
position_in_grid = select("box", {BoxFaces: same_position})
position_in_image = select("box", {BoxFaces: position_without_images, PeriodicFaces: subtract_periods})
begin_step = select("box", {BoxFaces: None})
end_step = select("box", {BoxFaces: None})
