"""Elastic moduli of an isotropic packing by small strains: bulk modulus in two ways, three shear moduli."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import dem
from dem.validation.element_tests.grids import GridStudy
from dem.validation.report import Report, curves

if TYPE_CHECKING:
    from collections.abc import Sequence

DIAMETER, YOUNG, POISSON, DENSITY = 0.01, 5e7, 0.3, 2500.0  # [m, Pa, -, kg/m³]
PRESSURE = 5e4  # [Pa]
TIME_STEP = 5e-6  # [s]: rotations of grains with twelve springs against sliding are stable up to some 1e-5
RESTITUTION = 0.2
LOOSE = 0.3  # solid fraction at first
FASTEST = 2.0  # rate of strain of the compression [1/s]
STRAIN = 1e-5  # of a probe: a thousandth of the overlap of contacts over the diameter
AT_REST = 1e-8  # unbalanced force of a packing that is looked at
CURVE = np.linspace(-6e-4, 6e-4, 7)  # volumetric strains of the curve whose slope is the bulk modulus
PLANES = ((0, 1), (1, 2), (2, 0))
SHEARS = ("simple", "diagonal", "pure")
PACKING, STEPS = 24_000, 1500  # time steps at first, and of a strain
RELAXING, ROUNDS = 4000, 400  # time steps between looks at whether a packing is at rest, and looks at most


def simulation(particles: dem.Particles, cell: dem.Cell, friction: float) -> dem.Simulation:
    """Spheres in a cell, with this coefficient of friction."""
    (grain,) = particles.materials
    contacts = dem.Contacts({(grain, grain): dem.Contact(restitution=RESTITUTION, friction=friction)})
    return dem.Simulation(particles, cell, gravity=(0, 0, 0), time_step=TIME_STEP, contacts=contacts, threads=1)


def packing(seed: int, n: int) -> dem.Simulation:
    """Frictionless spheres of three sizes at rest under the pressure; raises RuntimeError without rest."""
    grain = dem.Material(young=YOUNG, poisson=POISSON, density=DENSITY, name="grain")
    edge = DIAMETER * (n * math.pi / 6 / LOOSE) ** (1 / 3)
    cell = dem.Cell.isotropic((edge,) * 3, pressure=PRESSURE, fastest=FASTEST)
    spheres = dem.pack(dem.Sphere(diameter=DIAMETER), grain, cell, number=n, seed=seed, scale=(0.85, 1.15))
    press = simulation(spheres, cell, 0.0)
    press.step(PACKING)
    return relaxed(press)


def relaxed(sim: dem.Simulation) -> dem.Simulation:
    """A packing relaxed until its forces balance; raises RuntimeError if they do not."""
    for _ in range(ROUNDS):
        sim.step(RELAXING)
        if sim.cell.unbalanced < AT_REST:
            return sim
    raise RuntimeError(f"the packing is not at rest: its unbalanced force is {sim.cell.unbalanced:.2g}")


def strained(at_rest: dem.Simulation, strain: np.ndarray, friction: float) -> np.ndarray:
    """Stress (3, 3) [Pa] of a packing after a strain and relaxation."""
    rate = np.asarray(strain) / (STEPS * TIME_STEP)
    cell = dem.Cell(at_rest.cell.edges, rate=rate, rate_changes=[((STEPS - 0.5) * TIME_STEP, (0, 0, 0))])
    sim = simulation(at_rest.particles, cell, friction)
    sim.step(STEPS)
    return relaxed(sim).cell.stress.total


def measure(*, seed: int, n: int, friction: float) -> dict:
    """Moduli of one packing [Pa], by strains of both signs.

    Parameters
    ----------
    seed, n : int
        Seed of the random places; number of spheres.
    friction : float
        Coefficient of friction while the packing is probed; it was made without.
    """
    at_rest = packing(seed, n)

    def change(mode: np.ndarray) -> np.ndarray:
        """Derivative of the stress by a strain along a mode [Pa]."""
        up, down = (strained(at_rest, sign * STRAIN * mode, friction) for sign in (1, -1))
        return (up - down) / (2 * STRAIN)

    pressures = [strained(at_rest, strain / 3 * np.eye(3), friction).trace() / 3 for strain in CURVE]
    shears = {name: [] for name in SHEARS}
    for a, b in PLANES:
        simple, diagonal, pure = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3))
        simple[a, b], diagonal[a, b], diagonal[b, a] = 1.0, 0.5, 0.5
        pure[a, a], pure[b, b] = 0.5, -0.5
        for name, mode in zip(SHEARS, (simple, diagonal, pure), strict=True):
            by_mode = change(mode)
            by_shear = by_mode[a, b] + by_mode[b, a]
            shears[name].append(float(-0.5 * (by_mode[a, a] - by_mode[b, b] if name == "pure" else by_shear)))
    state = at_rest.cell
    return {
        "bulk": float(-change(np.eye(3)).trace() / 9), "bulk_of_curve": float(-np.polyfit(CURVE, pressures, 3)[2]),
        **{f"{name}_shear": float(np.mean(found)) for name, found in shears.items()},
        **{f"{name}_shears": found for name, found in shears.items()}, "pressures": [float(p) for p in pressures],
        "pressure": float(state.stress.pressure), "solid_fraction": float(state.solid_fraction),
        "coordination": float(state.coordination), "unbalanced": float(state.unbalanced),
    }  # fmt: skip


def report(rows: Sequence[dict]) -> Report:
    """Report the bulk modulus next to the slope of the pressure, and the three shear moduli next to each other."""
    found = Report("small-strains", "Small strains of an isotropic packing: bulk and shear modulus")
    lines = {}
    for friction in sorted({row["friction"] for row in rows}):
        some, name = [row for row in rows if row["friction"] == friction], f"friction {friction:g}"
        for row in some:
            found.near(f"{name}, seed {row['seed']}: bulk modulus by a small strain [Pa]", row["bulk"],
                       row["bulk_of_curve"], exact=f"{row['bulk_of_curve']:.4g}, dp/dε_v", within=2e-3)  # fmt: skip
            found.near(f"{name}, seed {row['seed']}: shear modulus, simple shear [Pa]", row["simple_shear"],
                       row["diagonal_shear"], exact=f"{row['diagonal_shear']:.4g}, extension along diagonals",
                       within=2e-3)  # fmt: skip
        simple, pure = (np.ravel([row[f"{mode}_shears"] for row in some]) for mode in ("simple", "pure"))
        error = math.hypot(*(each.std(ddof=1) / math.sqrt(each.size) for each in (simple, pure)))
        found.near(f"{name}: shear modulus, simple shear, mean of planes [Pa]", float(simple.mean()),
                   float(pure.mean()), exact=f"{pure.mean():.4g} ± {error:.2g}, extension along axes",
                   within=3 * error, relative=False)  # fmt: skip
        lines[name] = 100 * CURVE, np.mean([row["pressures"] for row in some], axis=0) / 1e3
        slope = np.mean([row["bulk"] for row in some])
        lines[f"{name}: bulk modulus"] = 100 * CURVE, (PRESSURE - slope * CURVE) / 1e3
    names = [name for name, value in rows[0].items() if not isinstance(value, list)]
    found.tables["packings"] = names, [[row[name] for name in names] for row in rows]
    found.tables["shears"] = (
        ["seed", "friction", "plane", "simple_Pa", "diagonal_Pa", "pure_Pa"],
        [
            [row["seed"], row["friction"], "xyz"[a] + "xyz"[b], *(row[f"{name}_shears"][k] for name in SHEARS)]
            for row in rows for k, (a, b) in enumerate(PLANES)
        ],
    )  # fmt: skip
    found.figures["pressure"] = curves("isotropic packing", "volumetric strain, positive in expansion [%]",
                                       "pressure [kPa]", lines)  # fmt: skip
    found.statements += [
        f"Tier: two ways to one number. Packings of {rows[0]['n']} spheres, made without friction at {PRESSURE:g} Pa, "
        f"are strained by {STRAIN:g} to either side, and come to rest again.",
        "A simple shear and an extension along the diagonals are the same strain, turned. An extension along the axes "
        "is another strain; its modulus is that of the simple shear in the mean over packings, with the standard error "
        "of the difference as given (tolerance: three of them).",
        "Moduli of a single packing differ by plane and mode, as a few hundred grains are not isotropic.",
    ]
    return found


MODULI = GridStudy(
    "small-strains",
    grid={"seed": (1, 2, 3, 4), "n": (1000,), "friction": (0.0, 0.5)}, quick={"seed": (1,), "n": (300,)},
    measure=measure, report=report, cost=lambda point: point["n"] * (1 + point["friction"]),
)  # fmt: skip
