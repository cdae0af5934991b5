"""Camera: position, direction and projection of a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

CLOSEST = 0.02  # of the distance between eye and target: what comes nearer is not drawn


@dataclass(frozen=True)
class Camera:
    """Camera: position, direction and visible size.

    In its frame x goes to the right, y up and z away from it, all from `target`. The eye sees through pixel (x, y)
    of the plane z = 0 what lies on x (1 + k z), y (1 + k z), z, with k = 1/`distance`; k = 0 is a parallel view.

    Parameters
    ----------
    target : (3,) floats
        Point in the middle of the picture [m].
    forward : (3,) floats
        Direction of the view.
    span : float
        Height of the picture in the plane through the target [m].
    up : (3,) floats
        Direction that points upwards in the picture.
    distance : float
        From the eye to the target [m]; infinite for a parallel view.

    Raises
    ------
    ValueError
        If the view goes along `up`, or `span` or `distance` is not positive.

    Examples
    --------
    >>> camera = Camera((0, 0, 1), forward=(0, 1, 0), span=2.0)
    >>> camera.view([[1, 5, 3]]).tolist()
    [[1.0, 2.0, 5.0]]
    """

    target: tuple[float, float, float]
    forward: tuple[float, float, float]
    span: float
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    distance: float = math.inf

    def __post_init__(self) -> None:
        """Refuse a camera without direction or size."""
        if not (self.span > 0 and self.distance > 0):
            message = f"camera with span {self.span} and distance {self.distance} sees nothing: both must be positive"
            raise ValueError(message)
        if not np.linalg.norm(np.cross(self.forward, self.up)) > 0:
            message = f"camera looks along {self.forward}, which is its upward direction {self.up}: turn one of them"
            raise ValueError(message)

    @property
    def axes(self) -> np.ndarray:
        """Axes of the camera in the world frame (3, 3), one in each row: right, up, forward."""
        forward = np.array(self.forward, float) / np.linalg.norm(self.forward)
        right = np.cross(forward, self.up)
        right /= np.linalg.norm(right)
        return np.array([right, np.cross(right, forward), forward])

    @property
    def convergence(self) -> float:
        """Growth of the visible width with depth, relative to the width at the target: k [1/m]."""
        return 1 / self.distance

    def view(self, points: np.ndarray) -> np.ndarray:
        """Points (n, 3) [m] in the camera frame."""
        return (np.asarray(points, float) - self.target) @ self.axes.T

    def pixels(self, width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
        """Centres of pixel columns (width,) and rows (height,), from the top, in the plane of the target [m]."""
        pitch = self.span / height
        return (np.arange(width) + 0.5 - width / 2) * pitch, (height / 2 - 0.5 - np.arange(height)) * pitch

    @classmethod
    def around(
        cls, lower: np.ndarray, upper: np.ndarray, *, up: np.ndarray = (0, 0, 1), aspect: float = 4 / 3,
        azimuth: float = 28.0, elevation: float = 16.0, perspective: bool = True,
    ) -> Camera:  # fmt: skip
        """Camera in which a box just fits into the picture.

        Parameters
        ----------
        lower, upper : (3,) floats
            Opposite corners [m].
        up : (3,) floats
            Vertical direction.
        aspect : float
            Width of the picture over its height.
        azimuth, elevation : float
            Of the eye, seen from the box: from the front to the right, and above the horizon [degrees].
        perspective : bool
            Whether what is farther away looks smaller.

        Examples
        --------
        >>> Camera.around((0, 0, 0), (1, 1, 1), azimuth=0, elevation=0, aspect=1, perspective=False).span
        1.06
        """
        corners = np.array(np.meshgrid(*np.transpose([lower, upper]))).reshape(3, -1).T.astype(float)
        up = np.array(up, float) / np.linalg.norm(up)
        right = np.eye(3)[0] if abs(up[0]) < 0.9 else np.eye(3)[1]
        right -= (right @ up) * up
        right /= np.linalg.norm(right)
        a, e = np.radians([azimuth, elevation])
        front = np.cross(right, up)
        eye = math.cos(e) * (math.cos(a) * front + math.sin(a) * right) + math.sin(e) * up
        target = corners.mean(axis=0)
        distance = 2.2 * float(np.linalg.norm(corners[-1] - corners[0])) if perspective else math.inf
        for _ in range(4):  # in perspective the middle of the corners is not the middle of the picture
            seen = cls(tuple(target), tuple(-eye), 1.0, tuple(up), distance)
            x, y, z = seen.view(corners).T
            x, y = x / (1 + seen.convergence * z), y / (1 + seen.convergence * z)
            target = target + seen.axes[:2].T @ [(x.max() + x.min()) / 2, (y.max() + y.min()) / 2]
        span = 1.06 * float(max(np.ptp(y), np.ptp(x) / aspect))
        return cls(tuple(target.tolist()), tuple((-eye).tolist()), span, tuple(up.tolist()), distance)
