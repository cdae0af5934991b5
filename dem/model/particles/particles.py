"""Particles of a simulation: shape, material, state, and registered fields."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from dem.base import checks
from dem.base.quaternions import UNIT_NORM
from dem.base.text import shown
from dem.base.user_classes import frozen, hinted, set_declared
from dem.model.materials import Material
from dem.model.particles.fields import FIELDS, MOTION, ROWS, STATE, Field, heading
from dem.model.particles.grading import grading, size_of
from dem.model.particles.kinds import (
    Kind,
    described,
    in_words,
    is_fixed,
    kind_of,
    numbered,
    of_kind,
    values_of,
    variant_of,
)
from dem.model.shapes.shape import AS_GIVEN, check_shape, standing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dem.model.particles.grading import Grading
    from dem.model.shapes.shape import Shape


# ruff: noqa: SLF001 (a class method fills in an object of its own class)


@hinted
class Particles:
    """N rigid bodies: their shapes, materials and whole-step state.

    Those that have the name, the material and the type of shape in common are of one kind, whatever their sizes: two
    sizes of one shape that are to be told apart, selected and coloured as two species need different names.

    The state arrays are read-only views; assign whole arrays to change them
    (``sim.particles.velocity = v``), which a simulation notices.

    Parameters
    ----------
    shape : Shape or sequence of N Shapes
        One shape for all, or one each.
    material : Material
        Material of all these particles; use `concatenate` for several materials.
    position : (N, 3) array
        Centres of mass [m].
    orientation : (N, 4) array, optional
        Unit quaternions, scalar first, body to world. Default, or ``"as-given"``: (1, 0, 0, 0), a fibre's axis along x;
        of clumps and polyhedra, whose body axes are the principal ones, `Clump.axes` or `Polyhedron.axes`, at which
        spheres or vertices stand as they were given.
    velocity : (N, 3) array, optional
        [m/s], default zero.
    angular_velocity : (N, 3) array, optional
        World frame [rad/s], default zero.
    name : str, optional
        Name of this kind of particles; default: the type of the shape, such as "sphere".
    fixed : bool or (N,) array of bools
        Whether particles are fixed, all or one by one: neither forces nor gravity move them. A fixed particle keeps its
        velocity (default zero) and does not turn; other particles meet it, walls and other fixed particles do not.
    temperature : float or (N,) array, optional
        [K]; default: none, or 293.15 K in a simulation with `dem.Heat`.
    **registered : numbers or (N,) or (N, k) arrays, optional
        Fields of `dem.register_field` by name, in their own units: one value for all particles, or one each.

    Raises
    ------
    ValueError, TypeError
        For wrong shapes, values that are not finite, quaternions that are not of unit length, a name no text, or a
        fixed particle with an angular velocity.

    Examples
    --------
    >>> import dem
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> fibres = Particles(dem.Fibre(diameter=0.01, aspect_ratio=3), nylon, position=[[0, 0, 0], [0, 0.1, 0]])
    >>> balls = Particles(dem.Sphere(diameter=0.01), nylon, position=[[0.1, 0, 0]])
    >>> mixture = Particles.concatenate([fibres, balls])
    >>> len(mixture), mixture.mass.round(6).tolist()
    (3, [0.00216, 0.00216, 0.000576])
    >>> mixture.kind.tolist(), [kind.name for kind in mixture.kinds]
    ([0, 0, 1], ['fibre', 'sphere'])
    >>> Particles([dem.Sphere(diameter=d) for d in (0.01, 0.02)], nylon, position=[[0, 0, 0], [0, 0, 1]], name="bead")
    <Particles: 2 x bead (Sphere, diameter 0.01 to 0.02)>
    >>> Particles(dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 0], [0, 0, 1]], fixed=[True, False]).fixed
    array([ True, False])
    """

    __setattr__ = set_declared

    __slots__ = ("_catch_up", "_kind", "_kinds", "_materials", "_revision", "_shown", "_variant", "_variants")

    def __init__(
        self,
        shape: Shape | Sequence[Shape],
        material: Material,
        *,
        position: object,
        orientation: object = None,
        velocity: object = None,
        angular_velocity: object = None,
        name: str | None = None,
        fixed: object = False,
        temperature: object = None,
        **registered: object,
    ) -> None:
        for field in registered:
            if field not in STATE:
                raise TypeError(f"Particles.__init__() got an unexpected keyword argument {field!r}")
        if not isinstance(material, Material):
            raise TypeError(f"material is {shown(material)}, expected a dem.Material")
        count = _rows("position", position)
        shapes = list(shape) if isinstance(shape, (list, tuple)) else [shape] * count
        if len(shapes) != count:
            message = f"{len(shapes)} shapes for {count} positions, expected one shape, or one for each particle"
            raise ValueError(message)
        if name is not None:
            checks.text("name", name)
        variants: dict[tuple[Shape, Material], int] = {}
        numbers = np.zeros(count, np.int32)
        for k, (s, still) in enumerate(zip(shapes, _each_fixed(fixed, count), strict=True)):
            if s.__hash__ is None:
                message = f"shape {type(s).__name__} cannot be hashed: make it a frozen dataclass, or no dataclass"
                raise TypeError(message)
            each = variant_of(s, material, fixed=still)
            if each not in variants:
                check_shape(s, material.density)
                variants[each] = len(variants)
            numbers[k] = variants[each]
        self._variant = _frozen(numbers)
        self._variants, self._materials = list(variants), [material]
        self._kinds, which = numbered(kind_of(s, m, name) for s, m in variants)
        self._kind = _frozen(np.array(which)[self._variant])
        self._revision = 0
        given = {
            "position": position, "orientation": orientation, "velocity": velocity,
            "angular_velocity": angular_velocity, "temperature": temperature, **registered,
        }  # fmt: skip
        if isinstance(orientation, str):
            checks.one_of("orientation", orientation, (AS_GIVEN,))
        if orientation is None or isinstance(orientation, str):
            given["orientation"] = np.array([standing(s) for s, _ in self._variants])[self._variant]
        self._shown, self._catch_up = {}, None
        for field, row in STATE.items():
            value = given.get(field)
            if value is not None or not row.optional:
                self._shown[field] = frozen(row.default(count) if value is None else self._checked(field, value))

    def __len__(self) -> int:
        """Count the particles."""
        return len(self.kind)

    def __repr__(self) -> str:
        """Kinds with their numbers and sizes."""
        return f"<Particles: {in_words(self.describe())}>"

    def __add__(self, other: object) -> NoReturn:
        """Raise TypeError with the way to join groups."""
        message = f"Particles are not added to {type(other).__name__}: join groups by dem.Particles.concatenate([a, b])"
        raise TypeError(message)

    __radd__ = __add__

    @classmethod
    def concatenate(cls, groups: Sequence[Particles] | Mapping[str, Particles], *more: Particles) -> Particles:
        """Join groups of particles, numbered in the order given; shapes and materials may differ.

        Parameters
        ----------
        groups : list of Particles, or mapping of names to Particles
            Names are those of kinds, in place of those that the groups have: ``{"small": a, "large": b}``.
        *more : Particles
            Further groups, if the first argument is a group itself.

        Returns
        -------
        Particles
            Independent of the groups.

        Raises
        ------
        TypeError
            If a group is something else.

        Examples
        --------
        >>> import dem
        >>> sand = dem.Material(young=5e6, poisson=0.3, density=2500.0)
        >>> fine, coarse = (
        ...     Particles(dem.Sphere(diameter=d), sand, position=[[d, 0, 0]] * n) for d, n in ((1e-3, 3), (2e-3, 1))
        ... )
        >>> both = Particles.concatenate({"fine": fine, "coarse": coarse})
        >>> both
        <Particles: 3 x fine (Sphere, diameter 0.001), 1 x coarse (Sphere, diameter 0.002)>
        >>> both.of_kind("coarse")
        array([False, False, False,  True])
        """
        if more:
            raise TypeError("concatenate takes one list, got several arguments: dem.Particles.concatenate([a, b])")
        if isinstance(groups, Mapping):
            groups = [g._renamed(name) if isinstance(g, Particles) else g for name, g in groups.items()]
        groups = list(groups) if isinstance(groups, Iterable) else [groups]
        if not groups or not all(isinstance(g, Particles) for g in groups):
            raise TypeError(f"cannot concatenate {groups!r}, expected a list of dem.Particles")
        variants: dict[tuple[Shape, Material], int] = {}
        variant = [np.array([variants.setdefault(v, len(variants)) for v in g.variants])[g.variant] for g in groups]
        kinds, which = numbered(kind for g in groups for kind in g.kinds)
        first = np.cumsum([0, *(len(g.kinds) for g in groups)])
        kind = [np.array(which)[g.kind + k] for g, k in zip(groups, first, strict=False)]
        names = [n for n in STATE if any(n in g.fields for g in groups)]
        state = {n: np.concatenate([g.field(n) for g in groups]) for n in names}
        made = cls.from_checked(list(variants), np.concatenate(variant), kinds, np.concatenate(kind), state)
        made._materials = list({id(m): m for g in groups for m in g._materials}.values())
        return made

    @classmethod
    def from_checked(
        cls,
        variants: list[tuple[Shape, Material]],
        variant: np.ndarray,
        kinds: list[Kind],
        kind: np.ndarray,
        state: dict[str, np.ndarray],
    ) -> Particles:
        """Particles from checked values, as from a checkpoint, without a further check."""
        made = cls.__new__(cls)
        made._variants, made._variant = list(variants), _frozen(variant)
        made._kinds, made._kind = list(kinds), _frozen(kind)
        made._materials = [*(m for _, m in variants), *(kind.material for kind in kinds)]
        made._revision = 0
        made._set_state({
            name: np.array(state[name]).reshape(-1, field.width) if name in state else field.default(len(kind))
            for name, field in STATE.items() if name in state or not field.optional
        })  # fmt: skip
        return made

    def _renamed(self, name: str) -> Particles:
        """Copy of the particles with another name for their kinds."""
        kinds, which = numbered(kind._replace(name=checks.text("name", name)) for kind in self._kinds)
        made = Particles.from_checked(self._variants, self._variant, kinds, np.array(which)[self._kind], self._state)
        made._materials = self._materials
        return made

    def only(self, rows: np.ndarray) -> Particles:
        """Particles in the given rows, with only the variants in use."""
        used, variant = np.unique(self._variant[rows], return_inverse=True)
        state = {name: values[rows] for name, values in self._state.items()}
        return Particles.from_checked([self._variants[v] for v in used], variant, self._kinds, self._kind[rows], state)

    def only_rows(self, rows: slice) -> Particles:
        """Particles in the given rows, with all variants and kinds of the original."""
        state = {name: values[rows] for name, values in self._state.items()}
        return Particles.from_checked(self._variants, self._variant[rows], self._kinds, self._kind[rows], state)

    @property
    def materials(self) -> list[Material]:
        """Materials as given, including equal ones."""
        return list(self._materials)

    @property
    def kind(self) -> np.ndarray:
        """Number of each particle's kind (N,), an index into `kinds`."""
        return self._kind

    @property
    def kinds(self) -> list[Kind]:
        """Name, type of shape and material of each kind."""
        return list(self._kinds)

    def of_kind(self, name: str) -> np.ndarray:
        """Which particles (N,) are of the kind of this name; raises ValueError if there is none.

        Where kinds share a name, ``"sphere"`` stands for all of them, and ``"sphere-2"`` for the second one.
        """
        return of_kind(self._kinds, self._kind, name)

    @property
    def variant(self) -> np.ndarray:
        """Number of each particle's variant (N,), an index into `variants`."""
        return self._variant

    @property
    def variants(self) -> list[tuple[Shape, Material]]:
        """Shape and material of each variant: all different ones, independent of kinds."""
        return list(self._variants)

    @property
    def fixed(self) -> np.ndarray:
        """Which particles (N,) are fixed."""
        return np.array([is_fixed(each) for each in self._variants], bool)[self._variant]

    def describe(self) -> list[dict]:
        """Each kind as plain values: name, shape, number of particles, sizes and material.

        Sizes are what all of a kind have, or from where to where they go, see `dem.model.particles.kinds.distribution`.
        """
        return described(self._kinds, self._kind, self._variant, [values_of(shape) for shape, _ in self._variants])

    def grading(self, kind: int | None = None) -> Grading:
        """Smallest and largest size, and D10, D50, D90 by mass, of all particles or those of a kind [m].

        A size is the diameter of a sphere, fibre, capsule or cylinder, or that of the sphere of equal volume. Raises
        ValueError if no particle is of the kind, an index into `kinds`.
        """
        rows = slice(None) if kind is None else self.kind == checks.whole("kind", kind, least=0)
        if kind is not None and not rows.any():
            message = f"kind is {kind}, and no particle is of it: kinds are 0 to {len(self.kinds) - 1}"
            raise ValueError(message)
        size = np.array([size_of(shape) for shape, _ in self._variants])[self._variant]
        return grading(size[rows], self.mass[rows])

    @property
    def revision(self) -> int:
        """Number of assignments to the state."""
        return self._revision

    def copy(self) -> Particles:
        """Independent copy."""
        return Particles.concatenate([self])

    def _checked(self, name: str, value: object) -> np.ndarray:
        field = STATE[name]
        about, shape = heading(field.meaning, field.unit), (len(self), field.width)
        if name not in MOTION and field.width == 1:
            value = checks.numbers(name, value)
            value = np.broadcast_to(value, (len(self),)) if np.ndim(value) == 0 else value
            value = np.reshape(value, shape) if np.shape(value) == (len(self),) else value
        largest = checks.LARGEST if name == "orientation" else np.inf  # how far runs that break come, they say
        result = checks.array(name, value, shape, about, rows="N", largest=largest)
        if name == "orientation":
            norm = np.linalg.norm(result, axis=1)
            bad = np.flatnonzero(np.abs(norm - 1) > UNIT_NORM)
            if len(bad):
                raise ValueError(
                    f"orientation of particle {bad[0]} has norm {norm[bad[0]]:.6g}, expected 1 "
                    f"({len(bad)} in all): divide quaternions by their norm"
                )
            result /= norm[:, None]
        if not (result > field.above).all():
            n = int(np.flatnonzero(~(result > field.above).all(axis=1))[0])
            hint = ", not degrees Celsius" if field.unit == "K" else ""
            raise ValueError(
                f"{name} of particle {n} is {result[n].tolist()[0]:g} {field.unit}, expected more than {field.above:g} "
                f"{field.unit}{hint}"
            )
        if name == "angular_velocity":
            turning = np.flatnonzero(self.fixed & result.any(axis=1))
            if turning.size:
                raise ValueError(
                    f"angular_velocity of particle {turning[0]}, which is fixed, is {result[turning[0]].tolist()} "
                    f"rad/s ({turning.size} in all): fixed particles do not turn, give them zero"
                )
        return result

    def _set_state(self, state: dict[str, np.ndarray]) -> None:
        """Set a checked state, whose arrays become read-only."""
        self._shown = {name: frozen(values) for name, values in state.items()}
        self._catch_up = None

    def _set_motion(self, motion: dict[str, np.ndarray]) -> None:
        """Set the motion that an engine has computed; other fields stay."""
        self._set_state(self._shown | motion)

    def _set_on_demand(self, catch_up: Callable[[], None]) -> None:
        """Call `catch_up`, which shows the present state, when the state is next read."""
        self._catch_up = catch_up

    @property
    def _state(self) -> dict[str, np.ndarray]:
        """Present state by name."""
        if self._catch_up:
            self._catch_up()
        return self._shown

    def __getstate__(self) -> tuple[None, dict]:
        """Slots, with the present state, for copies and pickles: independent of the simulation."""
        return None, {name: getattr(self, name) for name in self.__slots__} | {"_shown": self._state, "_catch_up": None}

    def _add_field(self, name: str) -> None:
        """Add a field with its default, unless it exists."""
        self._state.setdefault(name, frozen(STATE[name].default(len(self))))

    def _renew(self, variant: np.ndarray, kind: np.ndarray, state: dict[str, np.ndarray]) -> None:
        """Replace all particles by others of the same variants and kinds."""
        self._variant, self._kind = _frozen(variant), _frozen(kind)
        self._set_state(state)

    def _resize(self, variants: list[tuple[Shape, Material]], variant: np.ndarray) -> None:
        """Replace the variants, of the same kinds."""
        self._variants, self._variant = list(variants), _frozen(variant)

    def _assign(self, name: str, value: object) -> None:
        self._state[name] = frozen(self._checked(name, value))
        self._revision += 1

    def _view(self, name: str) -> np.ndarray:
        return self.field(name).view()

    def field(self, name: str) -> np.ndarray:
        """Values (N, k) of a field by its name, such as ``"position"``; a scalar has k = 1.

        Raises
        ------
        ValueError
            If there is no such field.
        """
        state = self._state
        if name not in state:  # optional, or registered since
            values = frozen(STATE[checks.one_of("field", name, STATE)].default(len(self)))
            if STATE[name].optional:
                return values
            state[name] = values
        return state[name]

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields that these particles have, such as ``"position"``, in the order of files and tables."""
        state = self._state
        return tuple(name for name, field in STATE.items() if name in state or not field.optional)

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
    def temperature(self) -> np.ndarray:
        """Temperatures (N,) [K]; 293.15 K of particles that were given none."""
        return self.field("temperature")[:, 0]

    @temperature.setter
    def temperature(self, value: object) -> None:
        self._assign("temperature", value)

    @property
    def mass(self) -> np.ndarray:
        """Masses (N,) [kg]."""
        return np.array([shape.mass_properties(m.density).mass for shape, m in self._variants])[self._variant]

    @property
    def inertia(self) -> np.ndarray:
        """Principal moments of inertia (N, 3) [kg m²], about the axes of the body frame."""
        return np.array([shape.mass_properties(m.density).inertia for shape, m in self._variants])[self._variant]


def scaled_variants(
    variants: list[tuple[Shape, Material]], variant: np.ndarray, grows: np.ndarray, factor: float
) -> tuple[list[tuple[Shape, Material]], np.ndarray]:
    """Variants, and that of each particle (N,), where the particles `grows` (N,) are larger by a factor.

    Raises
    ------
    TypeError
        For a shape without a method `scaled`.
    """
    larger, alike = {*variant[grows].tolist()}, {*variant[~grows].tolist()}
    made = {}
    for v in larger:
        shape, material = variants[v]
        if not hasattr(shape, "scaled"):
            message = f"growth needs a shape that has a method scaled(factor), which {type(shape).__name__} has not"
            raise TypeError(message)
        made[v] = variant_of(shape.scaled(factor), material, fixed=is_fixed(variants[v]))
        check_shape(made[v][0], material.density)
    found: dict[tuple[Shape, Material], int] = {}  # in the order of before, in which contact laws know the materials
    own = [made[v] if v in made and v not in alike else each for v, each in enumerate(variants)]
    stays = np.array([found.setdefault(each, len(found)) for each in own])
    grown = np.array([found.setdefault(made.get(v, each), len(found)) for v, each in enumerate(own)])
    return list(found), np.where(grows, grown[variant], stays[variant])


def _frozen(numbers: object) -> np.ndarray:
    """Read-only numbers of the kinds or variants of particles (N,)."""
    return frozen(np.array(numbers, dtype=np.int32))


def _each_fixed(fixed: object, count: int) -> list[bool]:
    """Whether each of the particles is fixed."""
    try:
        given = np.asarray(fixed)
    except ValueError:
        message = f"fixed has rows of different length, expected True, False, or {count} of them, one for each particle"
        raise ValueError(message) from None
    if given.dtype != bool or given.shape not in ((), (count,)):
        what = repr(fixed) if given.ndim == 0 else f"an array of {given.dtype} with shape {given.shape}"
        raise ValueError(f"fixed is {what}, expected True, False, or {count} of them, one for each particle")
    return np.broadcast_to(given, (count,)).tolist()


def _rows(name: str, value: object) -> int:
    """Length of the first axis, at least 1."""
    try:
        shape = np.shape(value)
    except ValueError:
        raise ValueError(f"{name} has rows of different length, expected (N, 3)") from None
    if len(shape) != 2 or shape[0] == 0:
        raise ValueError(f"{name} has shape {shape}, expected (N, 3) with at least one particle")
    return shape[0]


TAKEN = ("identity", "energy", "time", "step")  # of frames and trajectories


def register_field(
    name: str, unit: str, *, meaning: str | None = None, default: object = 0.0, to_ghosts: bool = True
) -> Field:
    """Give all particles a further field, a scalar or a vector each, such as a moisture.

    The field has a property of `Particles` and a keyword of its constructor. It goes with its particle through
    sorting, ranks, insertion, checkpoints and `resume`, and is a field of trajectories, tables and exports, and a
    column of the tables that place particles in case files. Engines do not change it: a function that is called in a
    run may assign it (`every` of `Simulation.run`). Files of runs have nothing of fields that were not registered.

    Register a field before simulations are made, and before files are read that hold it.

    Parameters
    ----------
    name : str
        An identifier, such as ``"moisture"``.
    unit : str
        SI unit as in tables, ``"kg/m3"`` or ``"W/m"``; ``"1"`` for numbers without one.
    meaning : str, optional
        Meaning in words, for messages and tables; default: the name.
    default : float or (3,) floats, optional
        What particles have of which nothing is said [`unit`], also those that inserters put in; a scalar makes the
        field a scalar, (N,), three numbers make it a vector, (N, 3).
    to_ghosts : bool
        Whether ranks are sent it at every step for the particles next to theirs, as contacts need that exchange it.

    Returns
    -------
    Field
        Its row in the table of fields.

    Raises
    ------
    ValueError, TypeError
        If the name is taken or no identifier, or the default is neither a number nor three.

    Examples
    --------
    >>> import dem
    >>> dem.register_field("moisture", "kg/m3", default=5.0).headings
    ('moisture [kg/m3]',)
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> place = [[0.5, 0.5, 0.5], [0.2, 0.5, 0.5]]
    >>> balls = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=place, moisture=[3.0, 4.0])
    >>> sim = dem.Simulation(balls, time_step=1e-5)
    >>> sim.step(10)
    >>> sim.particles.moisture
    array([3., 4.])
    >>> unregister_field("moisture")
    """
    checks.text("name", name)
    checks.text("unit", unit)
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
        raise ValueError(f"name of a field is {name!r}, expected an identifier, such as 'moisture'")
    vector = np.ndim(default) > 0
    row = checks.vector("default", default, f"[{unit}]") if vector else (checks.number("default", default),)
    columns = tuple(f"{name}_{axis}" for axis in "xyz") if vector else (name,)
    taken = {*FIELDS, *ROWS, *TAKEN, *dir(Particles)} | {each for field in STATE.values() for each in field.columns}
    if taken & {name, *columns}:
        raise ValueError(f"name of a field is {name!r}, which particles or their tables have already: choose another")
    field = Field(meaning or name, unit, columns, default_row=row, to_ghosts=bool(to_ghosts))
    FIELDS[name] = STATE[name] = field
    setattr(Particles, name, _property(name, f"{field.meaning} {'(N, 3)' if vector else '(N,)'} [{unit}]."))
    return field


def unregister_field(name: str) -> None:
    """Unregister a field; simulations that were made with it must not be used any more."""
    checks.one_of("field", name, [each for each in STATE if each not in MOTION])
    del FIELDS[name], STATE[name]
    delattr(Particles, name)


def _property(name: str, docstring: str) -> property:
    """Property of `Particles` that reads and assigns a field; a scalar as (N,)."""

    def shown(particles: Particles) -> np.ndarray:
        values = particles.field(name)
        return values[:, 0] if values.shape[1] == 1 else values.view()

    def assigned(particles: Particles, value: object) -> None:
        particles._assign(name, value)

    return property(shown, assigned, doc=docstring)
