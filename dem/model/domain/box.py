"""The box of a simulation: limits, open and periodic sides, motion of sides."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from dem.base import checks
from dem.base.text import shown
from dem.base.user_classes import hinted
from dem.model.materials import Material
from dem.model.walls.motion import Motion

AXES = ("x", "y", "z")


def axis_number(name: str) -> int:
    """Number of an axis by its name; raises ValueError for an unknown one."""
    return AXES.index(checks.one_of("axis", name, AXES))


FACES = ("x-", "x+", "y-", "y+", "z-", "z+")


@hinted
@dataclass(frozen=True)
class Box:
    """A box of six flat walls along the axes.

    Each wall is an infinite plane: the floor continues outside of open sides.

    Parameters
    ----------
    lower, upper : (3,) floats
        Opposite corners [m], lower below upper on each axis.
    material : Material
        Material of the walls.
    open : sequence of faces
        Faces without a wall, of "x-", "x+", ... "z+". Particles may leave through them; beyond a diagonal of the box
        from the face they have no contacts any more.
    periodic : sequence of axes
        "x", "y", "z": what leaves through a face comes in through the opposite one.
    motion : Motion or mapping of face to Motion
        Motion of the walls; a single Motion shakes the whole box.
    roughness : float
        Standard deviation of the walls' inclination [rad], at most 1: each contact of a particle's sphere meets a wall
        inclined at random, drawn for it when it begins (`dem.effective_density`).
    seed : int
        Seed of the inclinations.

    Raises
    ------
    ValueError
        If the corners do not span a volume, or for faces that do not exist.

    Examples
    --------
    >>> nylon = Material(young=5e7, poisson=0.23)
    >>> Box((0, 0, 0), (1, 1, 1), material=nylon).size
    (1.0, 1.0, 1.0)
    >>> shaken = Motion(amplitude=(0, 0, 1e-3), frequency=30)
    >>> Box((0, 0, 0), (1, 1, 1), material=nylon, open=["z+"], motion={"z-": shaken}).motion["z-"].frequency
    30.0
    """

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]
    material: Material
    open: tuple[str, ...] = ()
    periodic: tuple[str, ...] = ()
    motion: dict[str, Motion] = field(default_factory=dict, hash=False)
    roughness: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the corners."""
        lower = checks.vector("lower", self.lower, "a corner of the box [m]")
        upper = checks.vector("upper", self.upper, "the opposite corner of the box [m]")
        if not all(low < high for low, high in zip(lower, upper, strict=True)):
            raise ValueError(f"box from {lower} to {upper} has no volume: lower must be below upper on each axis")
        if not all(math.isfinite(high - low) for low, high in zip(lower, upper, strict=True)):
            raise ValueError(f"box from {lower} to {upper} is too large to measure")
        if not isinstance(self.material, Material):
            raise TypeError(f"material of the box is {shown(self.material)}, expected a dem.Material")
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)
        object.__setattr__(self, "roughness", checks.number("roughness", self.roughness, least=0, most=1, unit="rad"))
        object.__setattr__(self, "seed", checks.whole("seed", self.seed, least=0))
        self._check_faces()

    def _check_faces(self) -> None:
        """Check which faces are open and which move."""
        for name, known in (("open", FACES), ("periodic", AXES)):
            what = "face" if name == "open" else "axis"
            given = checks.listed(name, getattr(self, name), known[0])
            object.__setattr__(self, name, tuple(checks.one_of(what, each, known) for each in given))
        for face in self.open:
            if face[0] in self.periodic:
                raise ValueError(f"face {face} is open, but its axis is periodic: leave it out of open or of periodic")
        motion = self.motion
        if isinstance(motion, Motion):
            motion = {face: motion for face in FACES if face not in self.absent}
        if not isinstance(motion, Mapping) or not all(isinstance(m, Motion) for m in motion.values()):
            message = f"motion of the box is {motion!r}, expected a dem.Motion or a mapping of face to dem.Motion"
            raise TypeError(message)
        for face in motion:
            if checks.one_of("face", face, FACES) in self.absent:
                raise ValueError(f"face {face} is open or periodic and cannot move: leave it out of motion")
            if not motion[face].for_ever:
                raise ValueError(
                    f"motion of face {face} is {motion[face]}, but faces have no axis, rate, start, stop or table: "
                    "take dem.Plane or dem.Rectangle in walls"
                )
        object.__setattr__(self, "motion", dict(motion))

    @property
    def absent(self) -> tuple[str, ...]:
        """Faces without a wall: open or periodic."""
        return tuple(face for face in FACES if face in self.open or face[0] in self.periodic)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Initial positions of the lower and upper walls (3,), (3,) [m]; infinite without a wall."""
        absent = np.array([face in self.absent for face in FACES])
        return np.where(absent[0::2], -np.inf, self.lower), np.where(absent[1::2], np.inf, self.upper)

    @property
    def size(self) -> tuple[float, float, float]:
        """Edge lengths [m]."""
        x, y, z = (high - low for low, high in zip(self.lower, self.upper, strict=True))
        return x, y, z
