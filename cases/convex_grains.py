"""Convex grains at rest and in flow: ellipsoids, superellipsoids, tablets and dice."""

from __future__ import annotations

import functools
import itertools
import math
from contextlib import suppress
from typing import ClassVar

import numpy as np
from dem.cases.shared.grains import Grains
from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

import dem

GOLDEN = (1 + math.sqrt(5)) / 2
SIGNS = (-1.0, 1.0)


def of_diameter(shape: dem.Shape, diameter: float) -> dem.Shape:
    """Scale a shape to the volume of a sphere with a given diameter [m]."""
    return shape.scaled(diameter / (6 / math.pi * shape.mass_properties(1.0).volume) ** (1 / 3))


def bounding_radius(shape: dem.Shape) -> float:
    """Radius of a sphere about the centre of a shape that contains it [m]."""
    return float((np.sqrt((shape.offsets**2).sum(1)) + shape.radii).max())


def turned(count: int, rng: np.random.Generator) -> np.ndarray:
    """Uniformly distributed random orientations (N, 4)."""
    q = rng.normal(size=(count, 4))
    return q / np.sqrt((q * q).sum(1))[:, None]


class ConvexGrains(Grains):
    """Base of cases of convex grains, softer than glass, without rolling resistance."""

    kinds: ClassVar[tuple[str, ...]] = ("grain",)  # names of the shapes

    n: PositiveInt = Field(120, description="number of grains")
    diameter: PositiveFloat = Field(4e-3, description="diameter of a sphere with the volume of a grain [m]")
    rolling_friction: NonNegativeFloat = Field(
        0.0, description="coefficient of rolling friction, which acts on spheres only"
    )

    def shapes(self) -> list[dem.Shape]:
        """Shapes of the grains; each has the same number of grains."""
        raise NotImplementedError

    def strewn(self, inside: object, lower: tuple, upper: tuple) -> dem.Particles:
        """Grains with random orientations at the lowest sites of a lattice inside a container."""
        shapes = self.shapes()
        wide = 2.0 * max(bounding_radius(shape) for shape in shapes)
        places = self.model_copy(update={"diameter": wide}).grains(inside, lower, upper).position
        orientation = turned(self.n, np.random.default_rng([self.seed, 1]))
        groups = [
            dem.Particles(shape, self.material(), position=places[k :: len(shapes)],
                          orientation=orientation[k :: len(shapes)], name=self.kinds[k])
            for k, shape in enumerate(shapes) if k < self.n
        ]  # fmt: skip
        return dem.Particles.concatenate(groups)


@functools.lru_cache(maxsize=8)
def clump_in(grain: dem.Shape, spheres: int) -> dem.Clump:
    """Clump of spheres inside of a convex grain."""
    return dem.Clump.from_shape(grain, spheres=spheres)


class GrainsOrClumps(ConvexGrains):
    """Base of cases of one convex shape, or of clumps of spheres inside of it."""

    spheres: NonNegativeInt = Field(
        0, le=200, description="largest number of spheres of the clump that replaces each grain; 0: the grain itself"
    )

    def grain(self) -> dem.Shape:
        """Convex shape of the grains."""
        raise NotImplementedError

    def shapes(self) -> list[dem.Shape]:
        """The convex shape, or a clump."""
        return [clump_in(self.grain(), self.spheres) if self.spheres else self.grain()]


class EllipsoidPacking(ConvexGrains):
    """Frictionless ellipsoids of axes α : 1 : 1/α settle to a random packing that is denser than one of spheres."""

    name = "ellipsoid-packing"
    observable_names = ("solid_fraction",)

    duration: PositiveFloat = Field(0.4, description="simulated time [s]")
    frames: PositiveInt = Field(40, description="frames written after the first")
    aspect_ratio: float = Field(1.25, ge=1, le=4, description="α, longest axis over the middle one")
    friction: NonNegativeFloat = Field(0.0, description="coefficient of friction")
    restitution: float = Field(0.3, gt=0, le=1, description="coefficient of restitution")

    def shapes(self) -> list[dem.Ellipsoid]:
        """One ellipsoid."""
        a = 0.5 * self.diameter
        return [dem.Ellipsoid(semi_axes=(self.aspect_ratio * a, a, a / self.aspect_ratio))]

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Grains on a lattice above a floor, periodic along x and y."""
        volume = self.n * math.pi / 6 * self.diameter**3
        across = 2.2 * self.aspect_ratio * self.diameter
        width = max((volume / 0.6) ** (1 / 3), 1.01 * across)
        layers = math.ceil(self.n / max(1, int(width / (1.1 * self.aspect_ratio * self.diameter))) ** 2) + 1
        height = 1.2 * self.aspect_ratio * self.diameter * (layers + 1)
        box = dem.Box((0, 0, 0), (width, width, height), self.material(), periodic=("x", "y"))
        return self.strewn(lambda x, _y, _z: np.ones(x.shape, bool), box.lower, box.upper), box

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Solid fraction of the bed between 0.2 and 0.6 of its height, away from floor and surface."""
        spheres = run.spheres(-1)
        top = float((spheres.centres[:, 2] + spheres.radii).max())
        profile = run[-1].solid_fraction("z", bins=1, lower=(*run.box.lower[:2], 0.2 * top),
                                         upper=(*run.box.upper[:2], 0.6 * top))  # fmt: skip
        return {"solid_fraction": float(profile.value[0])}


class EllipsoidsHopper(GrainsOrClumps):
    """Ellipsoids or superellipsoids flow out of a wedge-shaped hopper through a slot onto a floor."""

    name = "ellipsoids-hopper"
    observable_names = ("discharged_share",)

    duration: PositiveFloat = Field(0.6, description="simulated time [s]")
    frames: PositiveInt = Field(60, description="frames written after the first")
    aspect_ratio: float = Field(1.6, ge=1, le=4, description="long axis over the two other axes")
    exponent: float = Field(2.0, ge=2, le=8, description="exponents n1 = n2 of the grains; 2: ellipsoids")
    slot: PositiveFloat = Field(0.018, description="width of the slot [m]")
    width: PositiveFloat = Field(0.05, description="width of the bin [m]")
    depth: PositiveFloat = Field(0.02, description="depth of the bin, between two walls [m]")
    angle: float = Field(50.0, gt=0, lt=90, description="angle of the inclined walls to the floor [deg]")
    drop: PositiveFloat = Field(0.03, description="height of the slot above the floor [m]")

    def grain(self) -> dem.Ellipsoid | dem.Superellipsoid:
        """Ellipsoid of revolution, or superellipsoid."""
        axes, n = (self.aspect_ratio, 1.0, 1.0), self.exponent
        unit = dem.Ellipsoid(semi_axes=axes) if n == 2 else dem.Superellipsoid(semi_axes=axes, exponents=(n, n))
        return of_diameter(unit, self.diameter)

    @property
    def shoulder(self) -> float:
        """Height of the inclined walls above the slot [m]."""
        return 0.5 * (self.width - self.slot) * math.tan(math.radians(self.angle))

    def walls(self) -> list[dem.Rectangle]:
        """Two inclined walls, from the slot to the sides."""
        run, rise, reach = 0.5 * (self.width - self.slot), self.shoulder, 0.25 * (self.width + self.slot)
        return [
            dem.Rectangle((side * reach, 0.5 * self.depth, 0.5 * rise), (side * run, 0, rise), (0, self.depth, 0),
                          material=self.material(), name=f"incline-{name}")
            for side, name in ((-1, "left"), (1, "right"))
        ]  # fmt: skip

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Grains above the inclined walls."""
        half, wide = 0.5 * self.width, 2.2 * bounding_radius(self.shapes()[0])
        layers = math.ceil(self.n / (max(1, int(self.width / wide)) * max(1, int(self.depth / wide)))) + 2
        top = self.shoulder + wide * layers
        box = dem.Box((-half, 0, -self.drop), (half, self.depth, top), self.material())
        return self.strewn(
            lambda x, _y, _z: np.ones(x.shape, bool), (-half, 0, self.shoulder), (half, self.depth, top)
        ), box

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Mass fraction that has left through the slot at the end."""
        below = run.position[-1][:, 2] < 0
        return {"discharged_share": float(run.mass[below].sum() / run.mass.sum())}


class TabletsHeap(ConvexGrains):
    """Tablets are poured onto a floor and lie in a heap."""

    name = "tablets-heap"
    observable_names = ("angle_of_repose_deg",)

    duration: PositiveFloat = Field(0.7, description="simulated time [s]")
    frames: PositiveInt = Field(70, description="frames written after the first")
    n: PositiveInt = Field(100, description="number of grains")
    thickness: float = Field(0.5, gt=0.1, le=2, description="thickness of a tablet over its diameter")
    edge: float = Field(0.2, gt=0.01, lt=0.5, description="edge radius of a tablet over its thickness")
    friction: NonNegativeFloat = Field(0.6, description="coefficient of friction")
    restitution: float = Field(0.4, gt=0, le=1, description="coefficient of restitution")
    radius: PositiveFloat = Field(0.012, description="radius of the stream of tablets [m]")
    height: PositiveFloat = Field(0.04, description="height from which the tablets are poured [m]")

    def shapes(self) -> list[dem.RoundedCylinder]:
        """One tablet."""
        rounding = self.edge * min(self.thickness, 1.0)
        tablet = dem.RoundedCylinder(diameter=1.0, length=self.thickness, rounding=rounding)
        return [of_diameter(tablet, self.diameter)]

    def build(self) -> tuple[None, dem.Box]:
        """A floor without end."""
        far, open_to = 100 * self.radius, ["x-", "x+", "y-", "y+", "z+"]
        return None, dem.Box((-far, -far, 0), (far, far, far), self.material(), open=open_to)

    def inserters(self) -> list[dem.Inserter]:
        """Inserter that pours all tablets in the first half of the run."""
        r, low, wide = self.radius, self.height, 3 * bounding_radius(self.shapes()[0])
        region = dem.Block((-r, -r, low), (r, r, low + 2 * wide))
        rate = self.n / (0.5 * self.duration)
        return [dem.Inserter(self.shapes()[0], self.material(), region=region, number=self.n, rate=rate,
                             velocity=(0, 0, -0.3), seed=self.seed, name="tablet")]  # fmt: skip

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Slope of the flank of the heap; nan if the heap is too flat."""
        spheres, angle = run.spheres(-1), math.nan
        widest = np.hypot(*spheres.centres[:, :2].T).max()
        edges = self.diameter * np.arange(2 + int(widest / self.diameter))
        profile = dem.statistics.cone_profile(spheres, edges, centre=(0, 0))
        with suppress(ValueError):
            angle = math.degrees(dem.statistics.angle_of_repose(profile, base=self.thickness * self.diameter).angle)
        return {"angle_of_repose_deg": angle}


class Dice(ConvexGrains):
    """The five Platonic solids are poured into a box and vibrated."""

    name = "dice"
    observable_names = ("solid_fraction",)
    kinds: ClassVar[tuple[str, ...]] = ("tetrahedron", "cube", "octahedron", "dodecahedron", "icosahedron")

    duration: PositiveFloat = Field(0.6, description="simulated time [s]")
    frames: PositiveInt = Field(60, description="frames written after the first")
    n: PositiveInt = Field(60, description="number of dice; each of the five solids has a fifth")
    diameter: PositiveFloat = Field(8e-3, description="diameter of a sphere with the volume of a die [m]")
    edge: float = Field(0.1, gt=0.005, lt=0.5, description="edge radius of a die over the radius of its inscribed ball")
    width: PositiveFloat = Field(0.04, description="width of the box [m]")
    amplitude: NonNegativeFloat = Field(5e-4, description="amplitude of the vertical vibration of the box [m]")
    frequency: PositiveFloat = Field(25.0, description="frequency of the vibration [Hz]")

    def shapes(self) -> list[dem.Polyhedron]:
        """Tetrahedron, cube, octahedron, dodecahedron and icosahedron."""
        cube = list(itertools.product(SIGNS, repeat=3))
        cross = [tuple(sign * row) for row in np.eye(3) for sign in SIGNS]
        rings = [
            [tuple(np.roll((0.0, a * first, b * second), k)) for a in SIGNS for b in SIGNS for k in range(3)]
            for first, second in ((1 / GOLDEN, GOLDEN), (1.0, GOLDEN))
        ]
        solids = [[corner for corner in cube if math.prod(corner) > 0], cube, cross, [*cube, *rings[0]], rings[1]]
        # radii of the balls inside of the solids
        third, square = 1 / math.sqrt(3), GOLDEN**2
        inner = [third, 1.0, third, square / math.sqrt(1 + square), square / math.sqrt(3)]
        return [
            of_diameter(dem.Polyhedron(vertices=corners, rounding=self.edge * ball), self.diameter)
            for corners, ball in zip(solids, inner, strict=True)
        ]

    def build(self) -> tuple[dem.Particles, dem.Box]:
        """Dice above the floor, mixed."""
        wide = 2.2 * max(bounding_radius(shape) for shape in self.shapes())
        height = wide * (math.ceil(self.n / max(1, int(self.width / wide)) ** 2) + 2)
        motion = {}
        if self.amplitude:
            motion["z-"] = dem.Motion(amplitude=(0, 0, self.amplitude), frequency=self.frequency)
        upper = (self.width, self.width, height)
        box = dem.Box((0, 0, 0), upper, self.material(), open=("z+",), motion=motion)
        return self.strewn(lambda x, _y, _z: np.ones(x.shape, bool), box.lower, box.upper), box

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Solid fraction of the bed; its height is taken as twice the height of the centre of mass of the dice."""
        volume = np.array([variant.volume for variant in run.variants])[run.variant]
        height = 2 * float((run.position[-1][:, 2] * volume).sum() / volume.sum())
        return {"solid_fraction": float(volume.sum() / (self.width**2 * height))}


class SuperellipsoidDrum(GrainsOrClumps):
    """Superellipsoids in a rotating drum; larger exponents make blockier grains and a steeper surface."""

    name = "superellipsoid-drum"
    observable_names = ("surface_angle_deg",)

    duration: PositiveFloat = Field(0.8, description="simulated time [s]")
    frames: PositiveInt = Field(80, description="frames written after the first")
    exponent: float = Field(4.0, ge=2, le=8, description="exponents n1 = n2 of the grains; 2: spheroids")
    flatness: float = Field(0.7, gt=0.2, le=1, description="third axis over the two other axes")
    radius: PositiveFloat = Field(0.025, description="radius of the drum [m]")
    length: PositiveFloat = Field(0.016, description="length of the drum between its end plates [m]")
    rate: float = Field(4.0, description="angular velocity of the drum and its end plates about y [rad/s]")

    def grain(self) -> dem.Superellipsoid:
        """One superellipsoid."""
        unit = dem.Superellipsoid(semi_axes=(1.0, 1.0, self.flatness), exponents=(self.exponent, self.exponent))
        return of_diameter(unit, self.diameter)

    def walls(self) -> list[dem.Cylinder]:
        """The drum."""
        half = 0.5 * self.length
        turning = dem.Motion(axis=(0, 1, 0), rate=self.rate)
        return [dem.Cylinder((0, -half, 0), (0, half, 0), self.radius, ends="both", material=self.material(),
                             motion=turning, name="drum")]  # fmt: skip

    def build(self) -> tuple[dem.Particles, None]:
        """Grains in the lower part of the drum."""
        r, half = self.radius, 0.5 * self.length
        inner = r - 1.1 * bounding_radius(self.shapes()[0])
        return self.strewn(lambda x, _y, z: np.hypot(x, z) < inner, (-r, -half, -r), (r, half, r)), None

    def observables(self, run: dem.Trajectory) -> dict[str, float]:
        """Mean angle of the surface over the second half of the run."""
        found = [
            dem.statistics.drum_angle(frame.position, frame.mass, (0, 0, 0))
            for frame in run
            if frame.time > 0.5 * run.time[-1]
        ]
        return {"surface_angle_deg": math.degrees(float(np.mean(found))) if found else math.nan}
