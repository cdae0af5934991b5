"""Friction and solid fraction of flows in simple shear at constant pressure: μ(I) and φ(I) for several frictions.

S. Chialvo, J. Sun, S. Sundaresan, Bridging the rheology of granular flows in three regimes, Phys. Rev. E 85 (2012)
021305, have solid fractions φ_c and stress ratios at yield of quasi-static flows of spheres with linear springs,
restitution 0.7 and tangential stiffness 2/7 of the normal one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import dem
from dem.validation.element_tests.grids import GridStudy, means
from dem.validation.report import Report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

DIAMETER, DENSITY, PRESSURE = 1e-3, 2500.0, 1e3  # [m, kg/m³, Pa]
SPREAD = 0.1  # of the diameters about their mean, so that flows without friction do not crystallise
RESTITUTION, TANGENTIAL = 0.7, 2 / 7
STEPS = 16  # of an impact of two of the smallest spheres
FAST, BEGIN = 0.1, 3.0  # inertial number and strain of the shear that prepares slower flows
LOOKS = 200  # at stress and solid fraction
LEFT_OUT = 1 / 3  # of the strain, before means are taken
PUBLISHED = {0.0: (0.636, 0.105), 0.1: (0.613, 0.268), 0.3: (0.596, 0.357), 0.5: (0.587, 0.382), 1.0: (0.581, 0.405)}
"""Solid fraction φ_c and stress ratio at yield by the coefficient of friction (Chialvo et al. 2012)."""
CHECKED = (0.1, 0.3, 0.5)  # coefficients of friction
SLOW = 1e-2  # inertial number below which flows are compared with these, and steady enough to judge the pressure
GLASS = (0.382, 0.643, 0.279)  # μ_s, μ_2 and I_0 of glass beads (Jop, Forterre & Pouliquen 2006)


def strain_of(inertial: float) -> float:
    """Shear strain after preparation; slow flows, whose stresses are steadier and which cost more, get less."""
    return 3.0 * (inertial / 1e-3) ** (1 / 3)


def time_step(stiffness: float) -> float:
    """Time step [s]: a fraction of the duration π √(m/2k) of an impact, at a stiffness over p d."""
    mass = DENSITY * math.pi / 6 * (DIAMETER * (1 - SPREAD)) ** 3
    return math.pi * math.sqrt(mass / (2 * stiffness * PRESSURE * DIAMETER)) / STEPS


def measure(*, friction: float, inertial: float, seed: int, n: int, stiffness: float) -> dict:
    """Stress ratio, solid fraction and coordination number of one flow, means over its last two thirds.

    Parameters
    ----------
    friction, inertial : float
        Coefficient of friction; I = γ̇ d √(ρ/p) with the pressure p on the planes of shear.
    seed, n : int
        Seed of the random places; number of spheres.
    stiffness : float
        Of a contact over p d.
    """
    # such that E^(2/3) p^(1/3), by which the cell controls its stress, is the stiffness of the springs, some 0.3 k_n/d
    grain = dem.Material(young=(0.3 * stiffness) ** 1.5 * PRESSURE, poisson=0.3, density=DENSITY, name="grain")
    spring = dem.Linear(stiffness=stiffness * PRESSURE * DIAMETER, tangential=TANGENTIAL)
    contacts = dem.Contacts({(grain, grain): dem.Contact(restitution=RESTITUTION, friction=friction, normal=spring)})
    edges = (DIAMETER * (n * math.pi / 6 / 0.5) ** (1 / 3),) * 3
    sizes = dem.UniformSizes(lower=(1 - SPREAD) * DIAMETER, upper=(1 + SPREAD) * DIAMETER)
    box = dem.Box((0, 0, 0), edges, grain, periodic=("x", "y", "z"))
    grains = dem.pack_dense(dem.Sphere(diameter=DIAMETER), grain, box, number=n, seed=seed, sizes=sizes)
    stages = [(inertial, strain_of(inertial))]
    if inertial < FAST:
        stages.insert(0, (FAST, BEGIN))
    for number, strain in stages:
        rate = number / DIAMETER * math.sqrt(PRESSURE / DENSITY)
        cell = dem.Cell.shear(edges, rate=rate, pressure=PRESSURE, fastest=rate)
        sim = dem.Simulation(
            grains, cell, gravity=(0, 0, 0), time_step=time_step(stiffness), contacts=contacts, threads=1
        )
        steps, rows = math.ceil(strain / rate / sim.time_step / LOOKS), []
        for _ in range(LOOKS):
            sim.step(steps)
            seen = sim.cell
            shear = -0.5 * (seen.stress.total[0, 1] + seen.stress.total[1, 0])
            normal, pressure = seen.stress.total[1, 1], seen.stress.pressure
            rows.append([shear, pressure, seen.solid_fraction, seen.coordination, seen.unbalanced, normal])
        grains, edges = sim.particles, seen.edges
    shear, pressure, solid, coordination, unbalanced, normal = np.mean(rows[round(LEFT_OUT * LOOKS) :], axis=0)
    return {
        "ratio": float(shear / pressure), "solid_fraction": float(solid), "coordination": float(coordination),
        "unbalanced": float(unbalanced), "pressure_held": float(normal / PRESSURE), "energy_error": sim.energy_error,
    }  # fmt: skip


def report(rows: Sequence[dict]) -> Report:
    """Report the slowest flow of each friction next to published ones, and the curves of all flows."""
    found = Report("shear-rheology", "Flows in simple shear at constant pressure: μ(I) and φ(I)")
    lines = {}
    for friction in sorted({row["friction"] for row in rows}):
        numbers, flows = means(rows, "inertial", friction=friction)
        ratio, solid = ([flow[name] for flow in flows] for name in ("ratio", "solid_fraction"))
        lines[friction] = numbers, ratio, solid
        if friction in CHECKED and numbers[0] <= SLOW:
            fraction, at_yield = PUBLISHED[friction]
            slowest = f"μ_p = {friction}, I = {numbers[0]:g}"
            found.near(f"{slowest}: stress ratio", ratio[0], at_yield, published=f"{at_yield} at yield", within=0.05)
            found.near(f"{slowest}: solid fraction", solid[0], fraction, published=f"φ_c = {fraction}", within=0.05)
            off = max(
                abs(flow["pressure_held"] - 1) for number, flow in zip(numbers, flows, strict=True) if number <= SLOW
            )
            found.below(f"μ_p = {friction}: mean error of the pressure that is held, over it", off, 2e-3)
    names = list(rows[0])
    found.tables["flows"] = names, [[row[name] for name in names] for row in rows]
    found.figures["stress-ratio"] = drawn(lines, 1, "shear stress over pressure")
    found.figures["solid-fraction"] = drawn(lines, 2, "solid fraction")
    found.statements += [
        "Tier: simulations of others. Chialvo, Sun & Sundaresan, Phys. Rev. E 85 (2012) 021305: solid fraction φ_c at "
        "which flows jam, and stress ratio at yield, for linear springs, e = 0.7, k_t = 2/7 k_n. The pressure is "
        "a third of the trace of the stress.",
        f"Diameters are spread by {SPREAD:g} about their mean; the stiffness of contacts is "
        f"{', '.join(f'{value:g}' for value in sorted({row['stiffness'] for row in rows}))} p d.",
        f"Runs have {', '.join(str(value) for value in sorted({row['n'] for row in rows}))} spheres and strains of 3 "
        "at I = 1e-3, more in proportion to I^(1/3); means are over the last two thirds.",
        "The broken line is that of glass beads, μ_s + (μ_2 - μ_s)/(1 + I_0/I) (Jop, Forterre & Pouliquen, Nature 441 "
        "(2006) 727); triangles at the left are the published limits.",
        "Weakness: the limit of slow flows is taken at the smallest I, and contacts are not rigid.",
    ]
    return found


def drawn(lines: dict[float, tuple], which: int, label: str) -> object:
    """Figure of a quantity of all flows over the inertial number."""

    def draw(ax: Axes) -> None:
        slowest = min(numbers[0] for numbers, *_ in lines.values())
        for k, (friction, flow) in enumerate(lines.items()):
            ax.plot(flow[0], flow[which], "o-", ms=3, color=f"C{k}", label=f"friction {friction:g}")
            if friction in PUBLISHED:
                ax.plot(slowest / 2, PUBLISHED[friction][2 - which], "<", color=f"C{k}")
        if which == 1:
            numbers = np.geomspace(slowest, max(flow[0][-1] for flow in lines.values()))
            still, fast, scale = GLASS
            ax.plot(numbers, still + (fast - still) / (1 + scale / numbers), "k--", lw=1, label="glass beads")
        ax.set(xlabel="inertial number", ylabel=label, xscale="log", title="simple shear at constant pressure")
        ax.legend(fontsize=8)

    return draw


RHEOLOGY = GridStudy(
    "shear-rheology",
    grid={
        "friction": tuple(PUBLISHED), "inertial": (1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3), "seed": (1, 2), "n": (800,),
        "stiffness": (1e3,),
    },
    quick={"friction": (0.5,), "inertial": (1e-2, 0.1), "seed": (1,), "n": (300,)},
    measure=measure, report=report,
    cost=lambda point: point["n"] * strain_of(point["inertial"]) / point["inertial"] * math.sqrt(point["stiffness"]),
)  # fmt: skip
