"""Jammed packings of ellipsoids and Platonic solids without friction, next to published ones."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

import dem
from dem.base.quaternions import rotate
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
ROUNDING = 0.025  # radius of the edges of solids, over that of the ball inside
AGITATION = 1e-6  # kinetic energy of a degree of freedom, times two, over E d³; overlaps of ellipsoids are 0.01 d
SOFTEST = 0.05  # rounding of solids with the same kinetic energy
STEP = 5e-5  # [s]
LOOSE = 0.45  # solid fraction of the start
LOOK, LATEST = 50, 5  # steps between two looks; looks whose mean pressure counts
JAMMED = 300.0  # p V/(N kT) of contacts at which the compression ends
STARTS, SCATTER = 3, 0.03  # fewer starts than that are compared with this tolerance
DEVIATIONS = 2.0  # standard deviations of the starts within which a mean agrees
EXPANDED = 2e-3  # decrease of the solid fraction at once
COMPRESSED = 1e-7  # energy a body over E d³ from which a packing expands
DEGREES = {ELLIPSOID: 2, "tetrahedron": 3, "octahedron": 4, "dodecahedron": 6, "icosahedron": 6}
NEIGHBOURS = 12
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
        Number of bodies; seed of their random places and velocities.
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


def alignment(directions: np.ndarray, degree: int) -> float:
    """Order of directions (N, 3), from 0 (isotropic) to 1 (parallel): the root of the mean of P_l over all pairs.

    P_l is Legendre's polynomial of a degree l. For neighbours' directions and l = 6 this is Q_6 of P. J. Steinhardt
    & al., Phys. Rev. B 28 (1983) 784. N isotropic directions have 1/sqrt(N) on average (root of the mean square).
    """
    powers = directions.T[:, None] ** np.arange(degree + 1)[:, None]
    coefficients = np.polynomial.Legendre.basis(degree).convert(kind=np.polynomial.Polynomial).coef
    mean = 0.0
    for i, j, k in itertools.product(range(degree + 1), repeat=3):
        # The mean of (u·v)^n over all pairs is Σ n!/(i! j! k!) (mean of x^i y^j z^k)² over i + j + k = n.
        if (n := i + j + k) <= degree and coefficients[n]:
            ways = math.factorial(n) / (math.factorial(i) * math.factorial(j) * math.factorial(k))
            mean += coefficients[n] * ways * (powers[0, i] * powers[1, j] * powers[2, k]).mean() ** 2
    return math.sqrt(max(0.0, mean))


def orientational_order(shape: dem.Shape, orientation: np.ndarray, name: str) -> float:
    """Order of the directions of vertices, 1 if bodies are aligned; of ellipsoids that of the long axes.

    The degree l is the least for which the directions of a body have an order.
    """
    own = np.array([[1.0, 0.0, 0.0]]) if name == ELLIPSOID else shape.vertices
    own = own / np.linalg.norm(own, axis=1)[:, None]
    every = rotate(np.repeat(orientation, len(own), axis=0), np.tile(own, (len(orientation), 1)))
    return alignment(every, DEGREES[name]) / alignment(own, DEGREES[name])


def bond_order(position: np.ndarray, edge: float) -> float:
    """Q_6 of the directions to the twelve nearest centres in a periodic cube; 0.575 in a face-centred cubic crystal."""
    apart = position[:, None] - position[None]
    apart -= edge * np.round(apart / edge)
    nearest = np.argsort((apart**2).sum(2), axis=1)[:, 1 : NEIGHBOURS + 1]
    bonds = np.take_along_axis(apart, nearest[:, :, None], axis=1).reshape(-1, 3)
    return alignment(bonds / np.linalg.norm(bonds, axis=1)[:, None], 6)


def measure(*, shape: str, rounding: float, seed: int, n: int, rate: float) -> dict:
    """Solid fraction at which the pressure of a jammed packing vanishes, its order, and energies above it.

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
    bodies, edge = compressed(one, n, seed, rate, temperature)
    seen = expanded(one, bodies, edge)
    fractions, energies = map(list, zip(*seen, strict=True))
    return {
        "solid_fraction": jamming_fraction(seen[-FITTED:]),
        "orientational_order": orientational_order(one, bodies.orientation, shape),
        "bond_order": bond_order(bodies.position, edge),
        "fractions": fractions,
        "energies": energies,
    }


def report(rows: Sequence[dict]) -> Report:
    """Mean solid fractions of each shape, next to published ones, within standard deviations of the starts."""
    found = Report("jammed-packings", "Jammed packings of ellipsoids and Platonic solids without friction")
    rows = sorted(rows, key=lambda row: (list(PUBLISHED).index(row["shape"]), row["seed"]))
    n, starts = rows[0]["n"], len({row["seed"] for row in rows})
    for shape in dict.fromkeys(row["shape"] for row in rows):
        some = [row["solid_fraction"] for row in rows if row["shape"] == shape]
        within = DEVIATIONS * float(np.std(some, ddof=1)) if starts >= STARTS else SCATTER
        found.near(shape, float(np.mean(some)), PUBLISHED[shape], published=f"{PUBLISHED[shape]:g}", digits=3,
                   within=within, relative=False)  # fmt: skip
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
        "Rev. E 84 (2011) 041309).",
        f"{n} bodies collide elastically in a periodic cube that shrinks until they jam; their kinetic energy is held, "
        "at overlaps of at most some 0.01 d. The packing is then relaxed and expanded to no pressure. An edge "
        f"shrinks at {rows[0]['rate']:g} v/d, with v² = kT/m. Edges of solids are rounded by {rows[0]['rounding']:g} "
        "of the radius of the ball inside of them.",
        "Order of orientations: 1 of aligned bodies, 1/sqrt(N) of independent ones. Order of bonds: Q_6 of directions "
        "to the twelve nearest centres, 0.575 in a face-centred cubic crystal. Both are those of the jammed packings.",
        f"The tolerance is {DEVIATIONS:g} standard deviations of {starts} starts."
        if starts >= STARTS
        else f"The tolerance of fewer than {STARTS} starts is chosen.",
    ]
    return found


JAMMED_PACKINGS = GridStudy(
    "jammed-packings",
    grid={"shape": tuple(PUBLISHED), "rounding": (ROUNDING,), "seed": (1, 2, 3), "n": (150,), "rate": (0.012,)},
    quick={"shape": (ELLIPSOID,), "seed": (1,), "n": (60,), "rate": (0.02,)},
    measure=measure, report=report, cost=lambda point: point["n"] / point["rate"],
)  # fmt: skip
