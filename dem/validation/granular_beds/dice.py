"""Solid fractions of beds of plastic dice of each Platonic solid, against measurements."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import dem
from dem.case import case
from dem.model.shapes.bodies import place
from dem.statistics import solid_fraction
from dem.validation.element_tests.grids import GridStudy
from dem.validation.report import Report, curves

if TYPE_CHECKING:
    from collections.abc import Sequence

G, DIAMETER = 9.81, 0.01  # [m/s²]; of the sphere of a die's volume [m]
STEP = 3e-5  # [s]
START, LOOSE_TIME = 0.3, 1.0  # solid fraction of the start; how long dice sink and come to rest [s]
FREQUENCY, CYCLES, REST = 30.0, 12, 0.12  # of the floor [Hz]; of a burst; rest after it [s]
LOW, HIGH = 0.3, 0.8  # of the height of a bed: between them are neither floor nor surface
DEVIATION = 0.01  # standard deviation of the measured solid fractions
MEASURED = {
    "tetrahedron": (0.51, 0.64), "cube": (0.54, 0.67), "octahedron": (0.52, 0.64), "dodecahedron": (0.51, 0.63),
    "icosahedron": (0.50, 0.59),
}  # loose, vibrated  # fmt: skip
LOOSE, VIBRATED = "loose", "vibrated"
FEW = 100  # fewer dice than that scatter more: some 30 in the middle of a bed by 0.02
SIDES = ("x-", "x+", "y-", "y+")
CONTAINERS = PERIODIC, BOX, CYLINDER = "periodic", "box", "cylinder"
EQUAL, SET = "equal", "set"
# dice of a usual set, with edges of 18, 16, 16.5, 8.2 and 12 mm: diameter of the sphere of the volume of a die, and
# radius of the ball inside of it, over those of the cube
IN_A_SET = {
    "tetrahedron": (0.552, 0.459), "cube": (1.0, 1.0), "octahedron": (0.803, 0.842), "dodecahedron": (1.011, 1.141),
    "icosahedron": (0.973, 1.134),
}  # fmt: skip


def plastic(friction: float) -> dem.Material:
    """Plastic with a coefficient of friction."""
    return dem.Material(young=5e6, poisson=0.35, density=1150.0, restitution=0.5, friction=friction)


class DiceBed(NamedTuple):
    """Dice of one solid over a floor: periodic along x and y, in a box with side walls, or in a cylinder."""

    shape: dem.Polyhedron
    material: dem.Material
    number: int
    width: float  # of the box, or diameter of the cylinder [m]
    container: str  # one of `CONTAINERS`
    sinking: float  # speed at which a die sinks by itself, over sqrt(g d)
    acceleration: float  # largest acceleration of the vibrating container [g]

    @property
    def area(self) -> float:
        """Cross-section of the container [m²]."""
        return (0.25 * math.pi if self.container == CYLINDER else 1.0) * self.width**2

    def height(self, area: float, fraction: float) -> float:
        """Height above a cross-section at which the dice have a solid fraction [m]."""
        return self.number * self.shape.volume / (fraction * area)

    def boundaries(self, amplitude: float = 0.0) -> dict:
        """Box or walls of a simulation, twice as high as the dice are at the start, which vibrate with an amplitude."""
        height, middle = self.height(self.area, 0.5 * START), 0.5 * self.width
        motion = dem.Motion(amplitude=(0, 0, amplitude), frequency=FREQUENCY) if amplitude else None
        if self.container == CYLINDER:
            ends = [(middle, middle, z) for z in (0.0, height)]
            return {"walls": [dem.Cylinder(*ends, middle, ends="both", material=self.material, motion=motion)]}
        moving = ("z-", *(SIDES if self.container == BOX else ())) if motion else ()
        upper, periodic = (self.width, self.width, height), () if self.container == BOX else ("x", "y")
        motions = dict.fromkeys(moving, motion)
        return {"box": dem.Box((0, 0, 0), upper, self.material, periodic=periodic, open=("z+",), motion=motions)}

    def poured(self, seed: int) -> dem.Particles:
        """Dice that have sunk slowly from random positions and orientations."""
        lower, upper = 0.0, self.width
        if self.container == CYLINDER:  # the square in it
            lower, upper = (0.5 * self.width * (1 + sign / math.sqrt(2)) for sign in (-1, 1))
        height = self.height((upper - lower) ** 2, START)
        periodic = ("x", "y") if self.container == PERIODIC else ()
        box = dem.Box((lower, lower, 0), (upper, upper, height), self.material, periodic=periodic)
        dice = dem.pack_dense(self.shape, self.material, box, number=self.number, seed=seed)
        viscosity = self.material.density * DIAMETER**2 * G / (18 * self.sinking * math.sqrt(G * DIAMETER))
        liquid = dem.Fluid(density=1e-3, viscosity=viscosity, drag="stokes", rotation="stokes", lift=None, magnus=None)
        return self.moved(dice, LOOSE_TIME, fluid=liquid)

    def shaken(self, dice: dem.Particles) -> dem.Particles:
        """Dice after a burst of vibration, and at rest again."""
        amplitude = self.acceleration * G / (2 * math.pi * FREQUENCY) ** 2
        return self.moved(self.moved(dice, CYCLES / FREQUENCY, amplitude), REST)

    def moved(
        self, dice: dem.Particles, duration: float, amplitude: float = 0.0, fluid: dem.Fluid | None = None
    ) -> dem.Particles:
        """Dice after a time [s]; raises RuntimeError if the verdict of the run is a failure."""
        boundaries = self.boundaries(amplitude)
        sim = dem.Simulation(dice, **boundaries, gravity=(0, 0, -G), time_step=STEP, threads=1, fluid=fluid)
        sim.step(round(duration / STEP))
        verdict = sim.verdict()
        if verdict.status == "FAIL":
            raise RuntimeError(str(verdict))
        return sim.particles.copy()

    def solid_fraction(self, dice: dem.Particles) -> float:
        """Solid fraction away from floor and surface; the height of the bed is twice the mean height of the dice."""
        spheres = place(dice.position, dice.orientation, dice.variant, [shape for shape, _ in dice.variants])
        top = 2.0 * float(dice.position[:, 2].mean())
        lower, upper = (0, 0, LOW * top), (self.width, self.width, HIGH * top)
        volume = np.full(self.number, self.shape.volume)
        found = solid_fraction(spheres, lower, upper, bins=1, volume=volume)
        return float(found.value[0]) * self.width**2 / self.area

    def compaction(self, bursts: int, seed: int) -> list[float]:
        """Solid fractions of the loose bed and after each burst of vibration."""
        dice = self.poured(seed)
        found = [self.solid_fraction(dice)]
        for _ in range(bursts):
            dice = self.shaken(dice)
            found.append(self.solid_fraction(dice))
        return found


def measure(
    *, solid: str, sizes: str, friction: float, rounding: float, container: str, sinking: float, acceleration: float,
    bursts: int, seed: int, n: int, width: float,
) -> dict:  # fmt: skip
    """Solid fractions of a bed, loose and vibrated, and after each burst of vibration.

    Parameters
    ----------
    solid : str
        A name of `MEASURED`.
    sizes : "equal" or "set"
        Whether all solids have the same volume, or the sizes of a set of dice.
    friction : float
        Coefficient of friction of dice and walls.
    rounding : float
        Radius of the edges of a die, over that of the ball inside of it; in a set, inside of the cube.
    container : str
        One of `CONTAINERS`.
    sinking, acceleration
        As of `DiceBed`.
    bursts, seed, n : int
        Number of bursts of vibration; of the random start; number of dice, in a set that of cubes: there are as many
        layers of the other dice.
    width : float
        Of the container, over the diameter of the sphere of a die's volume; in a set, of the cube's.

    Raises
    ------
    ValueError
        For an unknown container or unknown sizes.
    """
    for name, value, known in (("container", container, CONTAINERS), ("sizes", sizes, (EQUAL, SET))):
        if value not in known:
            raise ValueError(f"{name} is {value!r}, expected one of {', '.join(known)}")
    size, ball = IN_A_SET[solid] if sizes == SET else (1.0, 1.0)
    n, width = round(n / size**2), width / size
    made = case("dice")(diameter=DIAMETER, edge=rounding / ball)
    shape = dict(zip(made.kinds, made.shapes(), strict=True))[solid]
    bed = DiceBed(shape, plastic(friction), n, width * DIAMETER, container, sinking, acceleration)
    found = bed.compaction(bursts, seed)
    return {LOOSE: found[0], VIBRATED: found[-1], "compaction": found}


def report(rows: Sequence[dict]) -> Report:
    """Mean solid fractions of each solid, loose and vibrated, next to measured ones."""
    found = Report("dice-packing", "Beds of dice, loose and vibrated: the five Platonic solids")
    rows = sorted(rows, key=lambda row: (list(MEASURED).index(row["solid"]), row["seed"]))
    first = rows[0]
    by = {name: [row for row in rows if row["solid"] == name] for name in dict.fromkeys(row["solid"] for row in rows)}
    mean = {name: {state: float(np.mean([row[state] for row in some])) for state in (LOOSE, VIBRATED)}
            for name, some in by.items()}  # fmt: skip
    few = first["n"] < FEW
    for name, ours in mean.items():
        for state, measured in zip((LOOSE, VIBRATED), MEASURED[name], strict=True):
            found.near(f"{name}, {state}", ours[state], measured, published=f"{measured:.2f} ± {DEVIATION}",
                       within=(6 if few else 2) * DEVIATION, relative=False, digits=3)  # fmt: skip
        found.below(f"{name}, loose over vibrated", ours[LOOSE] / ours[VIBRATED], 0.95)
    if not few and "cube" in mean and len(mean) > 1:
        for state in (LOOSE, VIBRATED):
            others = max(ours[state] for name, ours in mean.items() if name != "cube")
            found.below(f"densest other solid over cubes, {state}", others / mean["cube"][state], 1.0,
                        published="below 1")  # fmt: skip
    names = [name for name, value in first.items() if not isinstance(value, list)]
    found.tables["packings"] = names, [[row[name] for name in names] for row in rows]
    cycles = [CYCLES * k for k in range(first["bursts"] + 1)]
    lines = {name: (cycles, np.mean([row["compaction"] for row in some], axis=0)) for name, some in by.items()}
    found.figures["packings"] = curves("beds of dice", "cycles of vibration", "solid fraction", lines, marker="o")
    sides = {PERIODIC: "periodic along x and y", BOX: "in a box", CYLINDER: "in a cylinder"}[first["container"]]
    dice, of = f"{first['n']} dice of the volume of a sphere of {1e3 * DIAMETER:g} mm", ""
    if first["sizes"] == SET:
        dice, of = f"{first['n']} cubes, or as many layers of dice of the other sizes of a set", " in a cube"
    found.statements += [
        "Measured: plastic dice, fluidised (loose) and vibrated, standard deviation 0.01 (J. Baker, A. Kudrolli, "
        "Phys. Rev. E 82 (2010) 061304). Shaken tetrahedra in large containers: 0.76 (A. Jaoshvili & al., Phys. Rev. "
        "Lett. 104 (2010) 185501).",
        f"{dice}; edges rounded by {first['rounding']:g} of the radius of the ball inside{of}, restitution 0.5, "
        f"friction {first['friction']:g}. "
        f"They sink at {first['sinking']:g} sqrt(g d) in a viscous liquid onto a plane floor, {sides} over "
        f"{first['width']:g} diameters{of.replace('in', 'of')}. The container then vibrates at {FREQUENCY:g} Hz and "
        f"{first['acceleration']:g} g. "
        f"Solid fraction between {LOW:g} and {HIGH:g} of the height of the bed, at rest; means of "
        f"{max(map(len, by.values()))} starts.",
    ]
    return found


DICE_PACKING = GridStudy(
    "dice-packing",
    grid={
        "solid": tuple(MEASURED), "sizes": (EQUAL,), "friction": (0.5,), "rounding": (0.1,), "container": (PERIODIC,),
        "sinking": (0.3,), "acceleration": (3.0,), "bursts": (3,), "seed": tuple(range(1, 11)), "n": (250,),
        "width": (5.5,),
    },
    quick={"solid": ("cube", "octahedron"), "bursts": (1,), "seed": (1,), "n": (80,), "width": (4.0,)},
    measure=measure, report=report, cost=lambda point: point["n"] * (2 + point["bursts"]),
)  # fmt: skip
