"""Capsules against chains of spheres: exact impacts, flat landings, roughness of chains."""

from __future__ import annotations

import math

import numpy as np

import dem
from dem.validation.report import Report, curves, order_of

DIAMETER, RATIO, SPEED = 0.01, 3.0, 0.1
CAPSULE = dem.Capsule(diameter=DIAMETER, aspect_ratio=RATIO)
CHAINS = {f"chain of {n}": dem.Fibre(diameter=DIAMETER, aspect_ratio=RATIO, spheres=n) for n in (5, 9, 17)}
SHAPES = {**CHAINS, "capsule": CAPSULE}
EXACT = {"chain of 5": 0.8316, "capsule": 0.9099}  # e of a flat landing that asks for 0.9, by the equation of motion
ORDER_STEPS, SPAN = (8e-6, 4e-6, 2e-6), 0.2
# height of a slit in which two slide over each other, 0.01 D less than both are thick, and its period [m]
SLIT, PERIOD = 1.99 * DIAMETER, 0.08


def stuff(restitution: float = 1.0) -> dem.Material:
    """Material of capsules and walls: nylon."""
    return dem.Material(young=5e7, poisson=0.35, density=1100.0, restitution=restitution)


def landing(shape: dem.Fibre | dem.Capsule, damped: str) -> float:
    """Speed ratio of a flat impact on a wall with a coefficient of restitution of 0.9."""
    material = stuff(0.9)
    one = dem.Particles(shape, material, position=[(0.05, 0.05, 0.501 * DIAMETER)], velocity=[(0, 0, -SPEED)])
    sim = dem.Simulation(
        one, dem.Box((0, 0, 0), (0.1, 0.1, 0.1), material=material), gravity=(0, 0, 0), time_step=4e-6, threads=1,
        contacts=dem.Contacts({}, damped=damped),
    )  # fmt: skip
    sim.step(1000)
    return float(sim.particles.velocity[0, 2]) / SPEED


def groove(shape: dem.Fibre | dem.Capsule, shift: float, overlap: float) -> float:
    """Axial over transverse force between two parallel fibres that are shifted along each other."""
    two = dem.Particles(shape, stuff(), position=[(0, 0, 0), (shift, 0, DIAMETER - overlap)])
    sim = dem.Simulation(two, gravity=(0, 0, 0), time_step=1e-6, threads=1)
    force = sim.contact_forces().force.sum(axis=0)
    return float(abs(force[0]) / max(abs(force[2]), 1e-300))


def departures() -> list[float]:
    """Largest energy errors of the impact of two nearly parallel capsules, at three time steps."""
    found = []
    for dt in ORDER_STEPS:
        two = dem.Particles(
            CAPSULE, stuff(), position=[(0, 0, 0), (0.004, 0, 0.0103)],
            orientation=[(1, 0, 0, 0), (math.cos(0.01), 0, 0, math.sin(0.01))], velocity=[(0, 0, 0), (0.3, 0, -0.5)],
            angular_velocity=[(0, 0, 0), (3, -5, 20)],
        )  # fmt: skip
        sim = dem.Simulation(two, gravity=(0, 0, 0), time_step=dt, threads=1)
        sim.step(round(2e-3 / dt))
        found.append(sim.energy_error)
    return found


def sliding(*, crossed: bool) -> list[float]:
    """Energy errors at three time steps of two capsules in a slit that slide past each other's ends.

    They come round again through periodic faces, fall to one level where they do not overlap, and climb again.
    """
    wide, speed, low = PERIOD if crossed else 1.02 * DIAMETER, 0.3, 0.4983 * DIAMETER
    found = []
    for dt in ORDER_STEPS:
        box = dem.Box((0, 0, 0), (PERIOD, wide, SLIT), material=stuff(), periodic=("x", "y") if crossed else ("x",))
        two = dem.Particles(
            CAPSULE, stuff(), position=[(0.02, wide / 2, low), (0.021 if crossed else 0.06, wide / 2, SLIT - low)],
            orientation=[(1, 0, 0, 0), (math.sqrt(0.5), 0, 0, math.sqrt(0.5)) if crossed else (1, 0, 0, 0)],
            velocity=[(speed, 0, 0), (-speed, 0.1 if crossed else 0, 0)],
        )  # fmt: skip
        sim = dem.Simulation(two, box, gravity=(0, 0, 0), time_step=dt, threads=1)
        sim.step(round(SPAN / dt))
        found.append(sim.energy_error)
    return found


def report_orders(report: Report) -> None:
    """Report the orders of the energy error in the time step."""
    found = {"nearly parallel": departures()}
    for name in ("parallel", "crossed"):
        found[f"{name}, past each other's ends"] = sliding(crossed=name == "crossed")
    for name, errors in found.items():
        order = order_of([SPAN / dt for dt in ORDER_STEPS], errors)
        report.near(f"order of the energy error, {name}", order, 2, exact="2", within=0.4, relative=False)
    report.tables["orders"] = (["time_step", *found], list(zip(ORDER_STEPS, *found.values(), strict=True)))


def capsules(*, quick: bool) -> Report:
    """Mass properties, flat landings, grooves and the order of the energy error."""
    report = Report("capsules", "Capsules against chains of spheres, aspect ratio 3")
    properties = CAPSULE.mass_properties(1100.0)
    for name, ours, exact in (
        ("mass [kg]", properties.mass, 2.3038346126325153e-3),
        ("axial moment [kg m²]", properties.inertia[0], 2.7358036025011117e-8),
        ("transverse moment [kg m²]", properties.inertia[1], 1.5334899140335182e-7),
    ):
        report.near(name, ours, exact, exact=f"{exact:.16g}", within=1e-14, digits=16)
    rows = []
    shifts = np.linspace(0.02 * DIAMETER, 0.98 * DIAMETER, 13 if quick else 97)
    lines = {}
    for name, shape in SHAPES.items():
        of = shape.mass_properties(1100.0)
        alone, together = (landing(shape, damped) for damped in ("independent", "shared"))
        rough = [groove(shape, shift, 0.005 * DIAMETER) for shift in shifts]
        lines[name] = (shifts / DIAMETER, rough)
        ratios = [of.volume / properties.volume, *np.divide(of.inertia[:2], properties.inertia[:2])]
        rows.append((name, *ratios, alone, together, max(rough)))
        if name in EXACT:
            report.near(f"{name}: e of a flat landing, damped alone", alone, EXACT[name], exact=f"{EXACT[name]}",
                        within=1e-3)  # fmt: skip
        report.near(f"{name}: e of a flat landing, damped together", together, 0.9, exact="0.9", within=2e-3)
    report.below("capsule: axial over normal force, parallel, no friction", rows[-1][-1], 1e-3, exact="0")
    report_orders(report)
    report.tables["shapes"] = (
        ["shape", "volume", "axial", "transverse", "e_alone", "e_together", "groove"], rows
    )  # fmt: skip
    report.figures["grooves"] = curves(
        "two parallel fibres without friction, overlap 0.005 D", "shift [D]", "axial over normal force", lines
    )
    report.statements += [
        "Flat on a wall a chain has as many springs as spheres, each damped as if alone: e = 0.9 becomes 0.8316 for "
        "five spheres; a capsule touches at its two ends and has 0.9099. Damped together all have 0.9.",
        "Two in a slit are pressed together and slide past each other's ends for 1e5 of the "
        "shortest steps: a jump of energy anywhere would not go down with the step.",
        "A chain pressed on a parallel one is held by its grooves: the largest axial force over the normal one is a "
        f"friction without friction, {rows[0][-1]:.2g} for {rows[0][0]} and {rows[2][-1]:.2g} for {rows[2][0]}. "
        "Volumes and moments in the table are over those of the capsule.",
    ]
    return report
