"""Shapes that are given in any frame and kept in their principal axes of inertia: clumps and polyhedra."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dem.base import checks, portable
from dem.base.quaternions import product
from dem.base.user_classes import frozen
from dem.model.shapes.shape import MassProperties

if TYPE_CHECKING:
    from typing import Self

SAME = 1e-9  # moments closer than this, relative to the largest, count as one


class PrincipalBody:
    """A rigid body about its centre of mass in principal axes, with its original pose.

    Files keep its numbers to the bit, since axes that are found anew differ by rounding: two bodies of a class are
    equal if all these numbers are the same. ``_moments`` holds volume [m³] and principal moments for unit density.
    """

    SAVED: ClassVar[dict[str, tuple]]  # what files keep: shapes of arrays, with a letter for any number of rows
    POWERS: ClassVar[dict[str, int]]  # of the length by which these scale
    centre: tuple[float, float, float]
    axes: tuple[float, float, float, float]

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return self._moments[0]

    @property
    def as_given(self) -> tuple[float, float, float, float]:
        """Orientation that restores the given pose, see `dem.model.shapes.shape.standing`."""
        return self.axes

    def turned(self, rotation: object) -> np.ndarray:
        """Orientations (..., 4) of bodies rotated from the given pose by unit quaternions (..., 4)."""
        rows = np.atleast_2d(rotation)
        turns = checks.array("rotation", rows, (len(rows), 4), "unit quaternions, scalar first", rows="N")
        return product(turns, np.array(self.axes)).reshape(np.shape(rotation))

    def mass_properties(self, density: float) -> MassProperties:
        """Mass properties for a density [kg/m³], about the centre of mass and in principal axes."""
        checks.number("density", density, above=0, unit="kg/m3")
        volume, *moments = self._moments
        return MassProperties.centred(volume, density, tuple(density * moment for moment in moments))

    def saved(self) -> dict:
        """Values from which `restored` makes the same body, to the bit."""
        return {name: getattr(self, name) for name in self.SAVED}

    @classmethod
    def restored(cls, values: dict) -> Self:
        """Body from saved values; raises ValueError if they are no values of a body."""
        word = f"a {cls.__name__.lower()}"
        lacking = cls.SAVED.keys() - values.keys()
        if lacking:
            raise ValueError(f"{word} lacks {', '.join(sorted(lacking))}")
        rows = {
            shape[0]: np.size(values[name]) // math.prod(shape[1:])
            for name, shape in cls.SAVED.items() if shape and isinstance(shape[0], str)
        }  # fmt: skip
        made = cls.__new__(cls)
        for name, shape in cls.SAVED.items():
            if not shape:
                value = checks.number(f"{name} of {word}", values[name], above=0)
            else:
                size = (rows.get(shape[0], shape[0]), *shape[1:])
                value = checks.array(f"{name} of {word}", values[name], size, "as saved")
                value = frozen(value) if shape[0] in rows else tuple(value.tolist())
            object.__setattr__(made, name, value)
        return made

    def scaled(self, factor: float) -> Self:
        """Body scaled by a factor. It keeps its principal axes, which are not unique for a symmetric body."""
        factor = checks.number("factor", factor, above=0)
        values, (volume, *moments) = self.saved(), self._moments
        for name, power in self.POWERS.items():
            own, by = values[name], factor**power
            values[name] = tuple(by * each for each in own) if isinstance(own, tuple) else by * own
        return self.restored(values | {"_moments": (factor**3 * volume, *(factor**5 * each for each in moments))})

    @cached_property
    def _numbers(self) -> bytes:
        return b"".join(np.asarray(values).tobytes() for values in self.saved().values())

    def __eq__(self, other: object) -> bool:
        """Whether all numbers of two bodies are equal."""
        return self._numbers == other._numbers if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        """Hash of all numbers of the body."""
        return hash(self._numbers)


def principal_frame(volume: float, centre: np.ndarray, tensor: np.ndarray) -> tuple[np.ndarray, dict[str, tuple]]:
    """Principal axes (3, 3), as columns, of an inertia tensor for unit density, and the values of a `PrincipalBody`."""
    matrix = principal_axes(tensor)
    moments = np.einsum("ki,kl,li->i", matrix, tensor, matrix).tolist()
    frame = {"centre": tuple(centre.tolist()), "axes": quaternion_of(matrix), "_moments": (float(volume), *moments)}
    return matrix, frame


def principal_axes(tensor: np.ndarray) -> np.ndarray:
    """Right-handed principal axes as columns; two equal moments come last, so that x is the axis of symmetry.

    Of equal moments numpy returns any axes; the frame given is kept where it is principal already.
    """
    scale = np.abs(tensor).max()
    if np.abs(tensor - np.diag(np.diag(tensor))).max() <= SAME * scale:
        moments, axes = np.diag(tensor), np.eye(3)
    else:
        moments, axes = portable.eigen(tensor)
    gaps = [abs(moments[1] - moments[2]), abs(moments[2] - moments[0]), abs(moments[0] - moments[1])]
    axes = np.roll(axes, -int(np.argmin(gaps)), axis=1)
    return axes if portable.dot(axes[:, 0], np.cross(axes[:, 1], axes[:, 2])) > 0 else -axes


def quaternion_of(matrix: np.ndarray) -> tuple[float, float, float, float]:
    """Unit quaternion of a rotation matrix: an eigenvector (Bar-Itzhack, J. Guid. Control Dyn. 23 (2000) 1085)."""
    r = matrix
    k = np.array(
        [
            [r[0, 0] + r[1, 1] + r[2, 2], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
            [r[2, 1] - r[1, 2], r[0, 0] - r[1, 1] - r[2, 2], r[1, 0] + r[0, 1], r[2, 0] + r[0, 2]],
            [r[0, 2] - r[2, 0], r[1, 0] + r[0, 1], r[1, 1] - r[0, 0] - r[2, 2], r[2, 1] + r[1, 2]],
            [r[1, 0] - r[0, 1], r[2, 0] + r[0, 2], r[2, 1] + r[1, 2], r[2, 2] - r[0, 0] - r[1, 1]],
        ]
    )
    w, x, y, z = portable.eigen(k)[1][:, -1].tolist()
    return (w, x, y, z) if w >= 0 else (-w, -x, -y, -z)
