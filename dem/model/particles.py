"""The particles of a simulation: what they are, where they are, how they move."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.frozen import frozen
from dem.model.fields import STATE, heading
from dem.model.materials import Material
from dem.model.shapes import check_shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.shapes import Shape

UNIT_NORM = 1e-6  # how far a quaternion's norm may be from 1: beyond what writing six digits loses


# ruff: noqa: SLF001 (a class method fills in an object of its own class)


class Particles:
    """N rigid bodies: their shapes, materials and whole-step state.

    The state arrays are read-only views; assign whole arrays to change them
    (``sim.particles.velocity = v``), which a simulation notices.

    Parameters
    ----------
    shape : Shape or sequence of N Shapes
        One shape for all, or one each.
    material : Material
        Of all these particles; use `concatenate` for several materials.
    position : (N, 3) array
        Centres of mass [m].
    orientation : (N, 4) array, optional
        Unit quaternions, scalar first, body to world. Default (1, 0, 0, 0): a fibre's axis along x.
    velocity : (N, 3) array, optional
        [m/s], default zero.
    angular_velocity : (N, 3) array, optional
        World frame [rad/s], default zero.

    Raises
    ------
    ValueError
        For wrong shapes, values that are not finite, or quaternions that are not of unit length.

    Examples
    --------
    >>> import dem
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> fibres = Particles(dem.Fibre(diameter=0.01, aspect_ratio=3), nylon, position=[[0, 0, 0], [0, 0.1, 0]])
    >>> balls = Particles(dem.Sphere(diameter=0.01), nylon, position=[[0.1, 0, 0]])
    >>> mixture = Particles.concatenate([fibres, balls])
    >>> len(mixture), mixture.mass.round(6).tolist()
    (3, [0.00216, 0.00216, 0.000576])
    """

    __slots__ = ("_kind", "_kinds", "_revision", "_state")

    def __init__(
        self,
        shape: Shape | Sequence[Shape],
        material: Material,
        *,
        position: object,
        orientation: object = None,
        velocity: object = None,
        angular_velocity: object = None,
    ) -> None:
        if not isinstance(material, Material):
            message = f"material is {material!r}, expected a dem.Material"
            raise TypeError(message)
        count = _rows("position", position)
        shapes = list(shape) if isinstance(shape, (list, tuple)) else [shape] * count
        if len(shapes) != count:
            message = f"{len(shapes)} shapes for {count} positions, expected one shape, or one for each particle"
            raise ValueError(message)
        kinds: dict[tuple[Shape, Material], int] = {}
        for s in shapes:
            if s.__hash__ is None:
                message = f"shape {type(s).__name__} cannot be hashed: make it a frozen dataclass, or no dataclass"
                raise TypeError(message)
            if (s, material) not in kinds:
                check_shape(s, material.density)
                kinds[s, material] = len(kinds)
        self._kind = frozen(np.array([kinds[s, material] for s in shapes], dtype=np.int32))
        self._kinds = list(kinds)
        self._revision = 0
        given = {
            "position": position, "orientation": orientation, "velocity": velocity,
            "angular_velocity": angular_velocity,
        }  # fmt: skip
        rest = {name: np.tile(STATE[name].rest, (count, 1)) for name, value in given.items() if value is None}
        self._show({name: rest[name] if name in rest else self._checked(name, given[name]) for name in STATE})

    def __len__(self) -> int:
        """Count the particles."""
        return len(self.kind)

    def __repr__(self) -> str:
        """Count by shape."""
        counts = np.bincount(self.kind, minlength=len(self.kinds))
        return f"<Particles: {', '.join(f'{n} x {shape}' for n, (shape, _) in zip(counts, self.kinds, strict=True))}>"

    @classmethod
    def concatenate(cls, groups: Sequence[Particles]) -> Particles:
        """Join groups of particles, numbered in the order given; shapes and materials may differ."""
        groups = list(groups)
        if not groups or not all(isinstance(g, Particles) for g in groups):
            message = f"cannot concatenate {groups!r}, expected a list of dem.Particles"
            raise TypeError(message)
        kinds: dict[tuple[Shape, Material], int] = {}
        kind = np.concatenate(
            [np.array([kinds.setdefault(k, len(kinds)) for k in g.kinds], dtype=np.int32)[g.kind] for g in groups]
        )
        return cls.of_kinds(list(kinds), kind, {n: np.concatenate([g._state[n] for g in groups]) for n in STATE})

    @classmethod
    def of_kinds(cls, kinds: list[tuple[Shape, Material]], kind: np.ndarray, state: dict[str, np.ndarray]) -> Particles:
        """Particles whose kinds and state are known to be right, as from a checkpoint."""
        made = cls.__new__(cls)
        made._kind = frozen(np.array(kind, dtype=np.int32))
        made._kinds = list(kinds)
        made._revision = 0
        made._show({name: np.array(state[name]) for name in STATE})
        return made

    @property
    def kind(self) -> np.ndarray:
        """Number of each particle's kind (N,), an index into `kinds`."""
        return self._kind

    @property
    def kinds(self) -> list[tuple[Shape, Material]]:
        """Shape and material of each kind."""
        return list(self._kinds)

    @property
    def revision(self) -> int:
        """How often the state has been assigned to."""
        return self._revision

    def copy(self) -> Particles:
        """Independent copy."""
        return Particles.concatenate([self])

    def _checked(self, name: str, value: object) -> np.ndarray:
        field = STATE[name]
        result = checks.array(name, value, (len(self), field.width), heading(field.meaning, field.unit))
        if name == "orientation":
            norm = np.linalg.norm(result, axis=1)
            bad = np.flatnonzero(np.abs(norm - 1) > UNIT_NORM)
            if len(bad):
                message = (
                    f"orientation of particle {bad[0]} has norm {norm[bad[0]]:.6g}, expected 1 "
                    f"({len(bad)} such): divide quaternions by their norm"
                )
                raise ValueError(message)
            result /= norm[:, None]
        return result

    def _show(self, state: dict[str, np.ndarray]) -> None:
        """Take a state that is known to be right; its arrays can be written to no more."""
        self._state = {name: frozen(values) for name, values in state.items()}

    def _assign(self, name: str, value: object) -> None:
        self._state[name] = frozen(self._checked(name, value))
        self._revision += 1

    def _view(self, name: str) -> np.ndarray:
        return self._state[name].view()

    @property
    def position(self) -> np.ndarray:
        """Centres of mass (N, 3) [m]."""
        return self._view("position")

    @position.setter
    def position(self, value: object) -> None:
        self._assign("position", value)

    @property
    def orientation(self) -> np.ndarray:
        """Unit quaternions (N, 4), scalar first, body to world."""
        return self._view("orientation")

    @orientation.setter
    def orientation(self, value: object) -> None:
        self._assign("orientation", value)

    @property
    def velocity(self) -> np.ndarray:
        """Velocities of the centres of mass (N, 3) [m/s]."""
        return self._view("velocity")

    @velocity.setter
    def velocity(self, value: object) -> None:
        self._assign("velocity", value)

    @property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocities (N, 3), world frame [rad/s]."""
        return self._view("angular_velocity")

    @angular_velocity.setter
    def angular_velocity(self, value: object) -> None:
        self._assign("angular_velocity", value)

    @property
    def mass(self) -> np.ndarray:
        """Masses (N,) [kg]."""
        return np.array([shape.mass_properties(m.density).mass for shape, m in self.kinds])[self.kind]

    @property
    def inertia(self) -> np.ndarray:
        """Principal moments of inertia (N, 3) [kg m²], about the axes of the body frame."""
        return np.array([shape.mass_properties(m.density).inertia for shape, m in self.kinds])[self.kind]


def _rows(name: str, value: object) -> int:
    """Length of the first axis, at least 1."""
    try:
        shape = np.shape(value)
    except ValueError:
        message = f"{name} has rows of different length, expected (N, 3)"
        raise ValueError(message) from None
    if len(shape) != 2 or shape[0] == 0:
        message = f"{name} has shape {shape}, expected (N, 3) with at least one particle"
        raise ValueError(message)
    return shape[0]
