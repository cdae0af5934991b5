"""Jammed packings of ellipsoids and Platonic solids without friction, next to published ones."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import dem
from dem.case import case
from dem.statistics import stress
from dem.validation.element_tests.grids import GridStudy
from dem.validation.fibres.dense_packings import DIAMETER, PRESSED, STUFF, cube, jamming_fraction, relaxed, unit_of
from dem.validation.report import Report, curves

if TYPE_CHECKING:
    from collections.abc import Sequence

ELASTIC = dem.Material(young=STUFF.young, poisson=STUFF.poisson, density=STUFF.density)  # without losses
ELLIPSOID = "ellipsoid"  # of axes 1.25 : 1 : 0.8
PUBLISHED = {
    ELLIPSOID: 0.735, "tetrahedron": 0.763, "octahedron": 0.697, "dodecahedron": 0.716, "icosahedron": 0.707,
}  # solid fractions of simulations  # fmt: skip
TOLERANCE = 0.005  # of solid fractions; chosen here, not published
ROUNDING = 0.025  # radius of the edges of solids, over that of the ball inside
AGITATION = 1e-6  # kinetic energy of a degree of freedom, times two, over E d³; overlaps of ellipsoids are 0.01 d
SOFTEST = 0.05  # rounding of solids with the same kinetic energy
STEP = 5e-5  # [s]
LOOSE = 0.45  # solid fraction of the start
LOOK, LATEST = 50, 5  # steps between two looks; looks whose mean pressure counts
JAMMED = 300.0  # p V/(N kT) of contacts at which the compression ends
FEW, SCATTER = 100, 0.03  # fewer bodies than that are compared with this tolerance
EXPANDED = 2e-3  # decrease of the solid fraction at once
COMPRESSED = 1e-7  # energy a body over E d³ from which a packing expands
FITTED = 5  # solid fractions of a straight line


def body(shape: str, rounding: float) -> dem.Shape:
    """A body of the volume of a sphere of the diameter."""
    if shape == ELLIPSOID:
        radius = 0.5 * DIAMETER
        return dem.Ellipsoid(semi_axes=(1.25 * radius, radius, 0.8 * radius))
    dice = case("dice")(diameter=DIAMETER, edge=rounding)
    return dict(zip(dice.kinds, dice.shapes(), strict=True))[shape]


def compressed(shape: dem.Shape, n: int, seed: int, rate: float, temperature: float) -> tuple[dem.Particles, float]:
    """Bodies that collide elastically while a periodic cube shrinks until they jam; the edge of the cube [m].

    The soft-particle counterpart of B. D. Lubachevsky, F. H. Stillinger, J. Stat. Phys. 60 (1990) 561.

    Parameters
    ----------
    shape : convex shape
        Of all bodies.
    n, seed : int
        Number of bodies; of random places and velocities.
    rate : float
        Strain rate of an edge, over v/d with the thermal velocity v = sqrt(kT/m).
    temperature : float
        kT over E d³; velocities are rescaled to it.
    """
    properties = shape.mass_properties(ELASTIC.density)
    energy = temperature * STUFF.young * DIAMETER**3
    speed = math.sqrt(energy / properties.mass)
    edge = (n * properties.volume / LOOSE) ** (1 / 3)
    bodies = dem.pack_dense(shape, ELASTIC, cube(edge, ELASTIC), number=n, seed=seed)
    bodies.velocity = speed * np.random.default_rng(seed).normal(size=(n, 3))
    cell = dem.Cell((edge,) * 3, rate=(-rate * speed / DIAMETER,) * 3)
    sim = dem.Simulation(bodies, cell, gravity=(0, 0, 0), time_step=STEP, threads=1, deepest_overlap=2.0)
    pressures: list[float] = []
    while sum(pressures[-LATEST:]) < LATEST * JAMMED:
        sim.step(LOOK)
        volume = float(np.linalg.det(sim.cell.edges))
        pressures.append(float(np.trace(stress(sim.contact_forces(), volume).total)) / 3 * volume / (n * energy))
        scale = math.sqrt(3 * n * energy / sim.energy().kinetic)
        now = sim.particles
        now.velocity = scale * (now.velocity - now.velocity.mean(0))
        now.angular_velocity = scale * now.angular_velocity
    return sim.particles.copy(), float(sim.cell.edges[0, 0])


def expanded(shape: dem.Shape, bodies: dem.Particles, edge: float) -> list[tuple[float, float]]:
    """Solid fractions of a packing that expands little by little to no pressure, and energies over N E d³.

    A packing with little pressure is compressed first, at rest.
    """
    bodies = dem.Particles(shape, STUFF, position=np.mod(bodies.position, edge), orientation=bodies.orientation)
    volume, seen = len(bodies) * shape.mass_properties(1.0).volume, []
    expanding = False
    while True:
        bodies, elastic = relaxed(bodies, cube(edge), STEP)
        energy = elastic / unit_of(len(bodies))
        expanding = expanding or energy > COMPRESSED
        if expanding and energy < PRESSED:
            return seen
        if expanding:
            seen.append((volume / edge**3, energy))
        scale = (1 - EXPANDED) ** (-1 / 3 if expanding else 1 / 3)
        bodies.position = bodies.position * scale
        edge *= scale


def measure(*, shape: str, rounding: float, seed: int, n: int, rate: float) -> dict:
    """Solid fraction at which the pressure of a jammed packing vanishes, and energies above it.

    Parameters
    ----------
    shape : str
        A name of `PUBLISHED`.
    rounding : float
        Radius of the edges of a solid, over that of the ball inside of it.
    seed, n, rate
        As of `compressed`.
    """
    one = body(shape, rounding)
    temperature = AGITATION * (1.0 if shape == ELLIPSOID else (rounding / SOFTEST) ** 2.5)
    seen = expanded(one, *compressed(one, n, seed, rate, temperature))
    fractions, energies = map(list, zip(*seen, strict=True))
    return {"solid_fraction": jamming_fraction(seen[-FITTED:]), "fractions": fractions, "energies": energies}


def report(rows: Sequence[dict]) -> Report:
    """Mean solid fractions of each shape next to published ones."""
    found = Report("jammed-packings", "Jammed packings of ellipsoids and Platonic solids without friction")
    rows, n = sorted(rows, key=lambda row: list(PUBLISHED).index(row["shape"])), rows[0]["n"]
    for shape in dict.fromkeys(row["shape"] for row in rows):
        target = PUBLISHED[shape]
        some = [row["solid_fraction"] for row in rows if row["shape"] == shape]
        found.near(shape, float(np.mean(some)), target, published=f"{target:g}", digits=3,
                   within=TOLERANCE if n >= FEW else SCATTER, relative=False)  # fmt: skip
    names = [name for name, value in rows[0].items() if not isinstance(value, list)]
    found.tables["packings"] = names, [[row[name] for name in names] for row in rows]
    lines = {
        f"{row['shape']}, seed {row['seed']}": (
            row["fractions"], np.array(row["energies"]) ** 0.4
        )
        for row in rows
    }  # fmt: skip
    found.figures["packings"] = curves("expansion of jammed packings", "solid fraction", "(U/(N E d³))^0.4", lines,
                                       marker="o")  # fmt: skip
    found.statements += [
        "Ellipsoids 1.25 : 1 : 0.8: 0.735 in simulations (A. Donev & al., Science 303 (2004) 990), 0.74 ± 0.005 in "
        "experiments (W. Man & al., Phys. Rev. Lett. 94 (2005) 198001). Platonic solids: maximally random jammed "
        "packings with sharp edges, by Monte Carlo moves in an adaptive shrinking cell (Y. Jiao, S. Torquato, Phys. "
        "Rev. E 84 (2011) 041309). The tolerances are this study's, not published.",
        f"{n} bodies collide elastically in a periodic cube that shrinks until they jam; their kinetic energy is held, "
        "at overlaps of at most some 0.01 d. The packing is then relaxed and expanded to no pressure. An edge "
        f"shrinks at {rows[0]['rate']:g} v/d, with v² = kT/m. Edges of solids are rounded by "
        f"{rows[0]['rounding']:g} of the radius of the ball inside of them.",
    ]
    return found


JAMMED_PACKINGS = GridStudy(
    "jammed-packings",
    grid={"shape": tuple(PUBLISHED), "rounding": (ROUNDING,), "seed": (1,), "n": (150,), "rate": (0.01,)},
    quick={"shape": (ELLIPSOID,), "n": (60,), "rate": (0.02,)},
    measure=measure, report=report, cost=lambda point: point["n"] / point["rate"],
)  # fmt: skip
