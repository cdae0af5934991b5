"""Heaps of one fibre in three forms, below a tube that is lifted; and the study of forms, which ends with them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

import dem
from dem.model.shapes.bodies import Spheres
from dem.statistics.slopes import angle_of_repose, cone_profile
from dem.validation.fibres.fibre_shapes import (
    DENSITY,
    DIAMETER,
    FINE,
    FORMS,
    MASS,
    RATIO,
    G,
    mean_of,
    report_beds,
    report_falls,
    report_impacts,
)
from dem.validation.fluids.fibres_in_flow import axes
from dem.validation.report import Report, curves

NUMBER, TUBE = 150, 0.05  # of fibres, radius of the tube [m]
LIFT, RESTING = 0.1, 0.5  # speed at which it goes up [m/s], time that is left to the heap after that [s]
STEPS = dict.fromkeys(FORMS, 4e-5) | {f"chain of {FINE}": 2e-5}  # contacts of a fine chain that lands flat are brief
EDGES = DIAMETER * np.arange(21)  # of the rings about the axis in which heights are taken


class Heap(NamedTuple):
    """A heap of fibres."""

    angle: float  # slope of its flank between 0.2 and 0.8 of its height [°]
    ratio: float  # height over radius of the cone with its centre of mass and its moment about the axis
    met: float  # other bodies that a body touches, those of the surface too
    surface: np.ndarray  # heights by distance from the axis (20,) [m], 0 beyond its foot
    moving: float  # kinetic energy over its weight and one diameter
    below: float  # highest point over where the tube's edge is
    energy_error: float  # the verdict's


def run_out(name: str, friction: float, seed: int) -> tuple[dem.Simulation, float]:
    """Fibres at rest that ran out below a tube, and the height to which its edge was lifted [m].

    On the floor they neither slide nor roll, and the tube is without friction: slopes are those of fibres on fibres.
    """
    form = FORMS[name]
    stuff = dem.Material(
        young=5e6, poisson=0.35, density=form.density, restitution=0.5, friction=friction, name="fibre"
    )
    floor = dem.Material(young=5e6, poisson=0.35, name="floor")
    glass = dem.Material(young=5e6, poisson=0.3, name="tube")
    volume, side = NUMBER * MASS / DENSITY, TUBE / math.sqrt(2)
    high, column = volume / (0.2 * 4 * side**2), volume / (0.5 * math.pi * TUBE**2)
    settling = 0.3 + math.sqrt(2 * high / G)
    lifted = settling + 1.1 * column / LIFT
    rise = dem.Motion(velocity=(0, 0, LIFT), start=settling, stop=lifted)
    tube = dem.Cylinder((0, 0, 0), (0, 0, 1.1 * high), TUBE, material=glass, motion=rise, name="tube")
    box = dem.Box((-2, -2, 0), (2, 2, 2), floor, open=("x-", "x+", "y-", "y+", "z+"))
    bodies = dem.pack(
        form.shape, stuff, number=NUMBER, lower=(-side, -side, 0), upper=(side, side, high), walls=[tube], seed=seed
    )
    held = dem.Contact(restitution=0.5, friction=2.0, rolling=dem.Rolling(friction=1.0))
    pairs = {(stuff, floor): held, (stuff, glass): dem.Contact(restitution=0.5, friction=0.0)}
    contacts = dem.Contacts(pairs, damped="shared")
    sim = dem.Simulation(bodies, box, walls=[tube], time_step=STEPS[name], threads=1, contacts=contacts)
    sim.step(round((lifted + RESTING) / sim.time_step))
    return sim, 1.1 * column


def cone(points: np.ndarray) -> float:
    """Height over radius of the cone on z = 0 of which points (P, 3) about its axis have the mean height and spread.

    A cone of height h and radius R has its centre of mass at h/4, and ⟨x² + y²⟩ = 3/10 R².
    """
    return float(4 * points[:, 2].mean() / math.sqrt(10 / 3 * np.square(points[:, :2]).sum(axis=1).mean()))


def heap(name: str, friction: float, seed: int) -> Heap:
    """Angle and coordination number of a heap, and whether it is at rest and clear of the tube."""
    sim, edge = run_out(name, friction, seed)
    along = 0.5 * (RATIO - 1) * DIAMETER * np.linspace(-1, 1, 21)
    x, axis = np.array(sim.particles.position), axes(np.array(sim.particles.orientation))
    points = (x[:, None] + axis[:, None] * along[:, None]).reshape(-1, 3)
    points[:, :2] -= points[:, :2].mean(axis=0)
    spheres = Spheres(points, np.full(len(points), DIAMETER / 2), np.repeat(np.arange(NUMBER), len(along)))
    profile = cone_profile(spheres, EDGES, centre=(0, 0))
    touching = sim.contact_forces()
    met = np.unique(np.sort(np.stack([touching.i, touching.j])[:, ~touching.with_wall], axis=0), axis=1)
    return Heap(
        math.degrees(angle_of_repose(profile).angle), cone(points), 2 * met.shape[1] / NUMBER,
        np.nan_to_num(profile.value), sim.energy().kinetic / (NUMBER * MASS * G * DIAMETER),
        float(points[:, 2].max() + DIAMETER / 2) / edge, sim.verdict().energy_error,
    )  # fmt: skip


def report_heaps(report: Report, frictions: tuple[float, ...], seeds: dict[str, int]) -> None:
    """Heaps of some forms, each over so many seeds."""
    rows, lines, every = [], {}, []
    for friction in frictions:
        found = {}
        for name, several in seeds.items():
            each = [heap(name, friction, seed) for seed in range(1, several + 1)]
            angle, ratio, met = (mean_of([h[k] for h in each]) for k in range(3))
            every, found[name] = every + each, ratio
            rows.append((name, friction, several, *angle, *ratio, *met))
            surface = np.mean([h.surface for h in each], axis=0)
            lines[f"{name}, µ = {friction}"] = EDGES[:-1] + DIAMETER / 2, surface
        compare(report, friction, found)
    report.below("heaps: highest fibre over the height of the tube's edge", max(h.below for h in every), 1.0)
    report.below("heaps: kinetic energy over weight times diameter", max(h.moving for h in every), 0.01, exact="0")
    report.below("heaps: energy error", max(h.energy_error for h in every), 0.01, exact="0")
    columns = ["angle_deg", "height_over_radius", "coordination"]
    report.tables["heaps"] = (["form", "friction", "heaps", *(w for c in columns for w in (c, f"{c}_error"))], rows)
    report.figures["heaps"] = curves("heaps, mean of all seeds", "distance from the axis [m]", "height [m]", lines)
    report.statements += [
        f"Heaps of {NUMBER} fibres that ran out below a tube without friction, of radius {TUBE:g} m, lifted at "
        f"{LIFT:g} m/s off a floor on which they neither slide nor roll, with standard errors. Height over radius is "
        "that of the cone with the heap's centre of mass and moment about its axis: flanks of so few fibres are "
        "uneven, and slopes fitted to them, between 0.2 and 0.8 of the height, scatter by degrees. A kinetic energy of "
        "a hundredth of weight times diameter is that of one fibre that topples at half a metre a second.",
        *(
            f"{r[0]}, µ = {r[1]}, {r[2]} heaps: slope {r[3]:.1f} ± {r[4]:.1f}°, height over radius {r[5]:.3f} ± "
            f"{r[6]:.3f}, coordination {r[7]:.2f} ± {r[8]:.2f}"
            for r in rows
        ),
    ]


def compare(report: Report, friction: float, found: dict[str, tuple[float, float]]) -> None:
    """Height over radius of chains against that of capsules, by form as mean and standard error."""
    smooth, grooved = found["capsule"], found["chain of 5"]
    if not friction:
        report.below("heaps, µ = 0: height over radius of capsules over that of five spheres",
                     smooth[0] / grooved[0], 1.0)  # fmt: skip
    for name, (ratio, error) in found.items():
        if name != "capsule" and (friction or name != "chain of 5"):
            apart = abs(ratio - smooth[0]) / math.hypot(error, smooth[1])
            report.below(f"heaps, µ = {friction}: height over radius of the {name} off that of capsules, "
                         "standard errors", apart, 4)  # fmt: skip


def forms(*, quick: bool) -> Report:
    """Tip impact, nine fibres, beds and heaps of capsules, chains of five and fine chains."""
    report = Report("fibre-forms", "A fibre as a capsule, as five spheres, as a fine chain")
    report_impacts(report, 200 if quick else 400)
    report_falls(report, 4 if quick else 16)
    if quick:
        report_beds(report, (0.0,), 100, 3, 0.065)
        report_heaps(report, (0.0,), {"capsule": 3, "chain of 5": 3})
    else:
        report_beds(report, (0.0, 0.4), 150, 4, 0.07)
        report_heaps(report, (0.0, 0.4), {"capsule": 8, "chain of 5": 8, f"chain of {FINE}": 4})
    return report
