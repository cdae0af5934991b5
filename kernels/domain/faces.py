"""The six faces of a box: where they are, and how they move.

Faces are numbered 2 a for the lower and 2 a + 1 for the upper one of axis a; an open one lies at infinity.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline, select


class BoxFaces(NamedTuple):
    """Six walls; open ones are at infinity. Face 2 a is the lower, 2 a + 1 the upper one of axis a."""

    lower: np.ndarray  # (3,) present position [m]
    upper: np.ndarray  # (3,) [m]
    velocity: np.ndarray  # (3, 6) present velocity of each face [m/s]
    shift: np.ndarray  # (3, 6) displacement since time 0 [m]
    moving: bool  # whether any face moves
    start_position: np.ndarray  # (6,) position at time 0 [m]
    drift: np.ndarray  # (3, 6) constant part of the velocity [m/s]
    amplitude: np.ndarray  # (3, 6) amplitude [m]
    rate: np.ndarray  # (6,) angular frequency [rad/s]
    phase: np.ndarray  # (6,) [rad]


# what a box with rough faces has besides; it is of a type of its own, so that others compile nothing of that
ROUGHNESS = (
    ("roughness", float),  # standard deviation of the faces' inclination [rad]
    ("seed", int),  # of the inclinations
)
RoughFaces = NamedTuple("RoughFaces", [*BoxFaces.__annotations__.items(), *ROUGHNESS])
RoughFaces.extends = (BoxFaces,)


def is_rough(box):
    """Whether a box, or a type of boxes, has rough faces; in Python."""
    return "roughness" in box._fields


are_rough = select("box", {BoxFaces: False, RoughFaces: True})


@func
def move_faces(time, box):
    """Move the faces to their positions at a time; returns the largest displacement along a normal since the last call.

    x = x_0 + u t + s (sin(ω t + φ) - sin φ).
    """
    farthest = 0.0
    if box.moving:
        for face in range(6):
            axis = face // 2
            angle = box.rate[face] * time + box.phase[face]
            for i in range(3):
                box.velocity[i, face] = box.drift[i, face] + box.rate[face] * box.amplitude[i, face] * math.cos(angle)
                oscillation = box.amplitude[i, face] * (math.sin(angle) - math.sin(box.phase[face]))
                box.shift[i, face] = box.drift[i, face] * time + oscillation
            x = box.start_position[face] + box.shift[axis, face]
            before = box.upper[axis] if face % 2 else box.lower[axis]
            if math.isfinite(x):
                farthest = max(farthest, abs(x - before))
            if face % 2:
                box.upper[axis] = x
            else:
                box.lower[axis] = x
    return farthest


# function of (time, box): moves a domain to its position at a time and returns the largest displacement of a face
move = select("box", {BoxFaces: move_faces})


@inline
def signed_distance(x, face, box):
    """Distance of a point from a face, positive inside the box."""
    axis = face // 2
    return box.upper[axis] - x[axis] if face % 2 else x[axis] - box.lower[axis]


@inline
def inward(face):
    """Unit normal of a face, into the box."""
    sign = -1.0 if face % 2 else 1.0
    axis = face // 2
    return (sign if axis == 0 else 0.0, sign if axis == 1 else 0.0, sign if axis == 2 else 0.0)
