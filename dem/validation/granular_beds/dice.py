"""Solid fractions of beds of plastic dice of each Platonic solid, against measurements."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

import dem
from dem.case import case
from dem.model.shapes.bodies import place
from dem.statistics import solid_fraction
from dem.validation.report import Report, curves

G, DIAMETER = 9.81, 0.01  # [m/s²]; of the sphere of a die's volume [m]
ROUNDING = 0.05  # radius of edges over that of the ball inside of a die
PLASTIC = dem.Material(young=5e6, poisson=0.35, density=1150.0, restitution=0.5, friction=0.35)
STEP = 3e-5  # [s]
START, LOOSE_TIME = 0.3, 1.0  # solid fraction of the start; how long dice sink and come to rest [s]
SINKING = 0.3  # speed at which a die sinks by itself, over sqrt(g d)
ACCELERATION, FREQUENCY, CYCLES, REST = 3.0, 30.0, 12, 0.12  # of the floor [g, Hz]; of a burst; rest after it [s]
LOW, HIGH = 0.3, 0.8  # of the height of a bed: between them are neither floor nor surface
DEVIATION = 0.01  # standard deviation of the measured solid fractions
MEASURED = {
    "tetrahedron": (0.51, 0.64), "cube": (0.54, 0.67), "octahedron": (0.52, 0.64), "dodecahedron": (0.51, 0.63),
    "icosahedron": (0.50, 0.59),
}  # loose, vibrated  # fmt: skip


class DiceBed(NamedTuple):
    """Dice of one solid over a floor, in a box that is periodic along x and y."""

    shape: dem.Polyhedron
    number: int
    width: float  # of the box [m]

    def box(self, fraction: float, amplitude: float = 0.0) -> dem.Box:
        """A box in which the dice have a solid fraction; its floor vibrates with an amplitude [m]."""
        height = self.number * self.shape.volume / (fraction * self.width**2)
        motion = {"z-": dem.Motion(amplitude=(0, 0, amplitude), frequency=FREQUENCY)} if amplitude else {}
        upper = (self.width, self.width, height)
        return dem.Box((0, 0, 0), upper, PLASTIC, periodic=("x", "y"), open=("z+",), motion=motion)

    def poured(self, seed: int = 1) -> dem.Particles:
        """Dice that have sunk slowly from random positions and orientations."""
        box = self.box(START)
        closed = dem.Box(box.lower, box.upper, PLASTIC, periodic=("x", "y"))
        dice = dem.pack_dense(self.shape, PLASTIC, closed, number=self.number, seed=seed)
        viscosity = PLASTIC.density * DIAMETER**2 * G / (18 * SINKING * math.sqrt(G * DIAMETER))
        liquid = dem.Fluid(density=1e-3, viscosity=viscosity, drag="stokes", rotation="stokes", lift=None, magnus=None)
        return self.moved(dice, box, LOOSE_TIME, liquid)

    def shaken(self, dice: dem.Particles) -> dem.Particles:
        """Dice after a burst of vibration of the floor, and at rest again."""
        amplitude = ACCELERATION * G / (2 * math.pi * FREQUENCY) ** 2
        box = self.box(0.5 * START, amplitude)
        return self.moved(self.moved(dice, box, CYCLES / FREQUENCY), self.box(0.5 * START), REST)

    @staticmethod
    def moved(dice: dem.Particles, box: dem.Box, duration: float, fluid: dem.Fluid | None = None) -> dem.Particles:
        """Dice after a time [s]; raises RuntimeError if the verdict of the run is a failure."""
        sim = dem.Simulation(dice, box, gravity=(0, 0, -G), time_step=STEP, threads=1, fluid=fluid)
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
        return float(solid_fraction(spheres, lower, upper, bins=1, volume=volume).value[0])

    def compaction(self, bursts: int) -> list[float]:
        """Solid fractions of the loose bed and after each burst of vibration."""
        dice = self.poured()
        found = [self.solid_fraction(dice)]
        for _ in range(bursts):
            dice = self.shaken(dice)
            found.append(self.solid_fraction(dice))
        return found


def packings(*, quick: bool) -> Report:
    """Solid fractions of dice that have sunk slowly, and of the same dice vibrated."""
    report = Report("dice-packing", "Beds of dice, loose and vibrated: the five Platonic solids")
    number, width, bursts = (80, 4.0, 1) if quick else (250, 5.5, 3)
    made = case("dice")(diameter=DIAMETER, edge=ROUNDING)
    shapes = dict(zip(made.kinds, made.shapes(), strict=True))
    if quick:
        shapes = {name: shapes[name] for name in ("cube", "octahedron")}  # that agree best
    by = {name: DiceBed(shape, number, width * DIAMETER).compaction(bursts) for name, shape in shapes.items()}
    within = 6 * DEVIATION if quick else 2 * DEVIATION  # some 30 dice in the middle of quick beds scatter by 0.02
    for name, found in by.items():
        for state, ours, measured in zip(("loose", "vibrated"), (found[0], found[-1]), MEASURED[name], strict=True):
            report.near(f"{name}, {state}", ours, measured, published=f"{measured:.2f} ± {DEVIATION}", within=within,
                        relative=False, digits=3)  # fmt: skip
        report.below(f"{name}, loose over vibrated", found[0] / found[-1], 0.95)
    if not quick:
        for state, k in (("loose", 0), ("vibrated", -1)):
            others = max(found[k] for name, found in by.items() if name != "cube")
            report.below(f"densest other solid over cubes, {state}", others / by["cube"][k], 1.0, published="below 1")
    cycles = [CYCLES * k for k in range(bursts + 1)]
    columns = ["solid", *(f"after_{k}_cycles" for k in cycles), "measured_loose", "measured_vibrated"]
    report.tables["packings"] = (columns, [(name, *found, *MEASURED[name]) for name, found in by.items()])
    lines = {name: (cycles, found) for name, found in by.items()}
    report.figures["packings"] = curves("beds of dice", "cycles of vibration", "solid fraction", lines, marker="o")
    report.statements += [
        "Measured: plastic dice, fluidised (loose) and vibrated, standard deviation 0.01 (J. Baker, A. Kudrolli, "
        "Phys. Rev. E 82 (2010) 061304). Shaken tetrahedra in large containers: 0.76 (A. Jaoshvili & al., Phys. Rev. "
        "Lett. 104 (2010) 185501).",
        f"{number} dice of the volume of a sphere of {1e3 * DIAMETER:g} mm; edges rounded by {ROUNDING:g} of the "
        f"radius of the ball inside, {PLASTIC.young:g} Pa, restitution {PLASTIC.restitution:g}, friction "
        f"{PLASTIC.friction:g}. They sink at {SINKING:g} sqrt(g d) in a viscous liquid onto a plane floor, periodic "
        f"along x and y over {width:g} diameters. The floor then vibrates at {FREQUENCY:g} Hz and {ACCELERATION:g} g. "
        f"Solid fraction between {LOW:g} and {HIGH:g} of the height of the bed, at rest; one start each.",
    ]
    return report
