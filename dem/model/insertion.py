"""Particles that are inserted and removed during a run: which, where, when and how fast."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from dem.base import checks, portable
from dem.base.quaternions import UNIT_NORM
from dem.base.text import shown
from dem.base.user_classes import hinted
from dem.model.domain.box import Box
from dem.model.domain.regions import region_of
from dem.model.materials import Material
from dem.model.particles.sizes import BY, SizeDistribution
from dem.model.shapes.shape import AS_GIVEN, check_shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.domain.regions import Region
    from dem.model.shapes.shape import Shape
    from dem.model.walls.wall import Wall

Vector = tuple[float, float, float]
WHOLE = 1e-6  # how far a sum of shares may be from one
DEBTS = ("keep", "drop")
AT_REST = {
    "motion": (), "servo": None, "free": None, "present_from": 0.0, "present_until": math.inf, "acts_on": (),
    "ignores": (),
}  # fmt: skip


@hinted
@dataclass(frozen=True)
class Inserter:
    """Inserts particles into a region during a run, without overlap.

    Particles are inserted in rounds, on whole steps. In a round each particle, large ones first, is tried at random
    places until it overlaps neither particles nor walls. A particle without a free place waits for the next round, or
    is left out. The verdict reports particles that could not be inserted. Random numbers depend only on the seed, the
    number of inserters with the same seed before this one, the number of the particle, the round and the try, and not
    on threads, restarts or frames.

    Parameters
    ----------
    shape : Shape or sequence of Shapes
        Shape of the particles; for several shapes `shares` gives the share of each.
    material : Material or sequence of Materials
        Material of all shapes, or of each one.
    region : wall or box
        A wall, without a material. Particles are inserted inside a `dem.Block`, `dem.Cylinder`, `dem.Cone`, `dem.Ball`,
        `dem.CapsuleWall`, `dem.Torus`, `dem.Revolution` or `dem.Box`, with all their spheres, or on a `dem.Disc` or
        `dem.Rectangle`, with their centres within its rim.
    number, mass : int, float, optional
        Total number, or total mass [kg]; default: unlimited.
    rate, mass_rate : float, optional
        Number a second [1/s], or mass a second [kg/s]; default: as many as fit in each round.
    start, stop : float, optional
        When it begins and ends [s]; default: at once, and never.
    every : float, optional
        From one round to the next, rounded to whole steps [s]; default: what it takes particles to leave the region at
        their velocity, or in falling; 100 steps if they do not leave it.
    shares : sequence of floats, optional
        Share of each shape, with the sum 1; default: equal shares.
    by : "mass" or "number"
        Quantity of which the shares are given.
    sizes : distribution or sequence of them, optional
        Sizes of all shapes or of each, such as ``dem.LogNormalSizes(...)``; exact in each thousand particles, by quota.
    velocity : (3,) floats
        [m/s].
    spread : float
        Standard deviation of each component of the velocity [m/s].
    orientation : (4,) floats, optional
        Unit quaternion of all, or ``"as-given"``, as the offsets of clumps were given; default: all are equally likely.
    angular_velocity : (3,) floats
        World frame [rad/s].
    temperature : float, optional
        [K], in a run with `dem.Heat`; default: 293.15 K.
    fields : mapping of name to number, optional
        Values of registered fields with one number, ``{"moisture": 8.0}``; default: those of the fields.
    attempts : int
        Places tried for each particle in a round.
    debt : "keep" or "drop"
        Whether a particle without a free place waits, or is left out.
    seed : int
        Seed of the random numbers.
    name : str
        Name of the inserter, and of the kind of its particles; default: "inserter", and the type of the shape.

    Raises
    ------
    ValueError, TypeError
        For values out of range, shares that do not sum to one, or a region that moves, comes and goes or chooses
        particles. `dem.Simulation` raises ValueError for rates that the region cannot take, and for a region without
        room for the largest particle.

    Examples
    --------
    >>> import dem
    >>> glass = dem.Material(young=5e6, poisson=0.3, density=2500.0, restitution=0.5)
    >>> box = dem.Box((0, 0, 0), (0.1, 0.1, 0.2), glass, open=["z+"])
    >>> above = dem.Block((0.01, 0.01, 0.15), (0.09, 0.09, 0.19))
    >>> rain = dem.Inserter(dem.Sphere(diameter=0.01), glass, region=above, number=16, rate=400, velocity=(0, 0, -1))
    >>> sim = dem.Simulation(None, box, inserters=[rain], time_step=2e-5)
    >>> sim.step(2500)  # 0.05 s
    >>> len(sim.particles), sim.inserters[0].number, sim.inserters[0].waiting
    (16, 16, 0)
    """

    shape: Shape | Sequence[Shape]
    material: Material | Sequence[Material]
    region: Wall | Box = field(kw_only=True)
    number: int | None = field(default=None, kw_only=True)
    mass: float | None = field(default=None, kw_only=True)
    rate: float | None = field(default=None, kw_only=True)
    mass_rate: float | None = field(default=None, kw_only=True)
    start: float = field(default=0.0, kw_only=True)
    stop: float | None = field(default=None, kw_only=True)
    every: float | None = field(default=None, kw_only=True)
    shares: Sequence[float] | None = field(default=None, kw_only=True)
    by: Literal["mass", "number"] = field(default="number", kw_only=True)
    sizes: SizeDistribution | Sequence[SizeDistribution] | None = field(default=None, kw_only=True)
    velocity: Vector = field(default=(0.0, 0.0, 0.0), kw_only=True)
    spread: float = field(default=0.0, kw_only=True)
    orientation: tuple[float, float, float, float] | Literal["as-given"] | None = field(default=None, kw_only=True)
    angular_velocity: Vector = field(default=(0.0, 0.0, 0.0), kw_only=True)
    temperature: float | None = field(default=None, kw_only=True)
    fields: Mapping[str, float] = field(default_factory=dict, kw_only=True, hash=False)
    attempts: int = field(default=100, kw_only=True)
    debt: Literal["keep", "drop"] = field(default="keep", kw_only=True)
    seed: int = field(default=1, kw_only=True)
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        """Check all values."""
        checks.text("name", self.name)
        self._check_what()
        self._check_when()
        for name, meaning in (("velocity", "[m/s]"), ("angular_velocity", "world frame [rad/s]")):
            self._keep(name, checks.vector(name, getattr(self, name), meaning))
        self._keep("spread", checks.number("spread", self.spread, least=0, unit="m/s"))
        if isinstance(self.orientation, str):
            checks.one_of("orientation", self.orientation, (AS_GIVEN,))
        elif self.orientation is not None:
            q = checks.array("orientation", self.orientation, (4,), "unit quaternion, scalar first")
            norm = portable.length(q)
            if abs(norm - 1) > UNIT_NORM:
                message = f"orientation of the {self.word} has norm {norm:.6g}, expected 1: divide it by its norm"
                raise ValueError(message)
            self._keep("orientation", tuple((q / norm).tolist()))
        if self.temperature is not None:
            self._keep("temperature", checks.number("temperature", self.temperature, above=0, unit="K"))
        if not isinstance(self.fields, Mapping):
            message = f"fields is {self.fields!r}, expected a mapping of field to number, such as {{'moisture': 8.0}}"
            raise TypeError(message)
        self._keep("fields", {name: checks.number(f"field {name}", value) for name, value in self.fields.items()})
        self._keep("attempts", checks.whole("attempts", self.attempts, least=1))
        checks.one_of("debt", self.debt, DEBTS)
        self._keep("seed", checks.whole("seed", self.seed, least=0))
        self._check_where()

    def _keep(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check_what(self) -> None:
        """Check shapes, materials, sizes and shares, one each."""
        shapes = tuple(self.shape) if isinstance(self.shape, (list, tuple)) else (self.shape,)
        materials = self.material if isinstance(self.material, (list, tuple)) else (self.material,) * len(shapes)
        sizes = self.sizes if isinstance(self.sizes, (list, tuple)) else (self.sizes,) * len(shapes)
        if not shapes or len(materials) != len(shapes) or len(sizes) != len(shapes):
            raise ValueError(
                f"the {self.word} has {len(shapes)} shapes, {len(materials)} materials and {len(sizes)} distributions "
                "of sizes, expected one of each, or one for each shape"
            )
        for shape, material, each in zip(shapes, materials, sizes, strict=True):
            if not isinstance(material, Material):
                raise TypeError(f"material of the {self.word} is {shown(material)}, expected a dem.Material")
            check_shape(shape, material.density)
            if each is not None and not isinstance(each, SizeDistribution):
                raise TypeError(
                    f"sizes of the {self.word} is {each!r}, expected a distribution such as dem.LogNormalSizes(...)"
                )
            if each is not None and not hasattr(shape, "scaled"):
                message = f"sizes need a shape that has a method scaled(factor), which {type(shape).__name__} has not"
                raise TypeError(message)
        checks.one_of("by", self.by, BY)
        shares = np.full(len(shapes), 1 / len(shapes))
        if self.shares is not None:
            shares = checks.array("shares", self.shares, (len(shapes),), "of the shapes")
        if (shares < 0).any() or abs(shares.sum() - 1) > WHOLE:
            worst = f"have {shares.min():g} among them" if (shares < 0).any() else f"sum to {shares.sum():.7g}"
            raise ValueError(f"shares of the {self.word} {worst}, expected parts that are not negative and sum to 1")
        self._keep("shape", shapes)
        self._keep("material", tuple(materials))
        self._keep("sizes", tuple(sizes))
        self._keep("shares", tuple((shares / shares.sum()).tolist()))

    def _check_when(self) -> None:
        """Check totals, rates and times."""
        for one, other in (("number", "mass"), ("rate", "mass_rate")):
            if getattr(self, one) is not None and getattr(self, other) is not None:
                raise ValueError(f"{one} and {other} of the {self.word} are both given: leave one out")
        if self.number is not None:
            self._keep("number", checks.whole("number", self.number, least=1))
        for name, unit in (("mass", "kg"), ("rate", "1/s"), ("mass_rate", "kg/s"), ("every", "s")):
            if getattr(self, name) is not None:
                self._keep(name, checks.number(name, getattr(self, name), above=0, unit=unit))
        self._keep("start", checks.number("start", self.start, least=0, unit="s"))
        if self.stop is not None:
            self._keep("stop", checks.number("stop", self.stop, above=self.start, unit="s"))

    def _check_where(self) -> None:
        """Check that the region is bounded and stays as it is."""
        place = self.place
        _check_at_rest(self.region, self.word)
        if not np.isfinite([place.lower, place.upper]).all():
            raise ValueError(
                f"region of the {self.word} is unbounded: take a wall that encloses a volume, a disc or a rectangle"
            )

    @property
    def word(self) -> str:
        """Word for the object in messages."""
        return self.name or "inserter"

    @property
    def place(self) -> Region:
        """Region of this object."""
        return region_of(self.region, f"region of the {self.word}")

    def state(self) -> dict[str, float]:
        """Values of the fields of inserted particles, by name."""
        return {**self.fields, **({} if self.temperature is None else {"temperature": self.temperature})}

    def saved(self) -> dict[str, object]:
        """Values of the inserter that files store."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if value or name not in ("temperature", "fields")}

    @classmethod
    def restored(cls, values: dict[str, object]) -> Inserter:
        """Inserter from the values in a file."""
        return cls(**_with_region_at_rest(values))


def _check_at_rest(region: Wall | Box, word: str) -> None:
    """Refuse a region that moves, comes and goes, or chooses particles: regions do none of these. Raises ValueError."""
    if isinstance(region, Box):
        return
    turns_alone = [
        each.turns and not (any(each.velocity) or any(each.amplitude) or any(any(row[1:4]) for row in each.table))
        and region.is_same_turned(each.centre, each.axis)
        for each in region.motion if each.moves
    ]  # fmt: skip
    given = [] if all(turns_alone) else ["motion"]
    given += [name for name in ("servo", "free", "acts_on", "ignores") if getattr(region, name)]
    given += ["present_from or present_until"] if region.changes else []
    if given:
        message = (
            f"region of the {word} has {given[0]}, which a region does not follow: leave it out, as a region rests, is "
            "always there and is for all particles"
        )
        raise ValueError(message)


def _with_region_at_rest(values: dict[str, object]) -> dict[str, object]:
    """Values of a file, with a region that rests: files of 0.2 may have motion of regions, which had no effect."""
    region = values.get("region")
    try:
        if hasattr(region, "motion"):
            _check_at_rest(region, "")
    except ValueError:
        return values | {"region": replace(region, **AT_REST)}
    return values


STEPS = 100  # from one look to the next, unless told otherwise


@hinted
@dataclass(frozen=True)
class Outlet:
    """A region, or a surface, at which whole particles are removed from a run.

    The region is checked at regular whole steps, independent of frames and interruptions, and particles inside are
    removed. A particle that crosses the region between two checks is not removed, nor are fixed particles.

    Parameters
    ----------
    region : wall or box
        A wall, without a material: the inside of a `dem.Block`, `dem.Cylinder`, `dem.Cone`, `dem.Ball`,
        `dem.CapsuleWall`, `dem.Torus`, `dem.Revolution` or `dem.Box`, or all that is behind a `dem.Plane`. At a
        `dem.Disc` or a `dem.Rectangle`, particles that crossed it along its normal since the previous check are
        removed.
        In a periodic box a region of finite size reaches across periodic faces, as walls do.
    every : float, optional
        Interval of the checks, rounded to whole steps [s]; default: 100 steps.
    whole : bool
        Whether all spheres have to be inside, and not only the centre of mass; of regions with a volume.
    recycle : str
        Name of an inserter that inserts one more particle for each that is removed here; default: none.
    name : str
        Name of the outlet; default: "outlet".

    Raises
    ------
    ValueError, TypeError
        For values out of range, what is no region, or a region that moves, comes and goes or chooses particles.

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=5e7, poisson=0.3, density=7800.0)
    >>> ball = dem.Particles(dem.Sphere(diameter=0.01), steel, position=[[0, 0, 0.1], [0, 0, 0.2]])
    >>> below = dem.Outlet(dem.Plane((0, 0, 0), (0, 0, 1)))  # all that is below z = 0
    >>> sim = dem.Simulation(ball, outlets=[below], time_step=1e-4)
    >>> sim.step(1600)
    >>> len(sim.particles), sim.outlets[0].number, sim.identities.tolist()
    (1, 1, [1])
    """

    region: Wall | Box
    every: float | None = field(default=None, kw_only=True)
    whole: bool = field(default=False, kw_only=True)
    recycle: str = field(default="", kw_only=True)
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        """Check all values."""
        for name in ("recycle", "name"):
            checks.text(name, getattr(self, name))
        region = self.place
        _check_at_rest(self.region, self.word)
        if self.every is not None:
            object.__setattr__(self, "every", checks.number("every", self.every, above=0, unit="s"))
        if not isinstance(self.whole, bool):
            raise TypeError(f"whole of the {self.word} is {self.whole!r}, expected True or False")
        if self.whole and region.flat:
            message = f"whole of the {self.word} is for regions with a volume: a surface is crossed by centres of mass"
            raise ValueError(message)

    @property
    def word(self) -> str:
        """Word for the object in messages."""
        return self.name or "outlet"

    @property
    def place(self) -> Region:
        """Region of this object."""
        return region_of(self.region, f"region of the {self.word}")

    def saved(self) -> dict[str, object]:
        """Values that files keep."""
        return {name: getattr(self, name) for name in ("region", "every", "whole", "recycle", "name")}

    @classmethod
    def restored(cls, values: dict[str, object]) -> Outlet:
        """Outlet from the values in a file."""
        return cls(**_with_region_at_rest(values))
