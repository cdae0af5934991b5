"""Settling in a fluid: terminal velocities of spheres, sideways drift of fibres, nine fibres in water."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.case import case
from dem.model.shapes.spheroid import Spheroid, resistance
from dem.validation.report import Report, curves

if TYPE_CHECKING:
    from collections.abc import Callable

G = 9.81  # m/s²


def brown_lawler(reynolds: float) -> float:
    """Drag coefficient of spheres by P. P. Brown, D. F. Lawler, J. Environ. Eng. 129 (2003) 222, eq. (19); Re < 2e5."""
    return 24 / reynolds * (1 + 0.15 * reynolds**0.681) + 0.407 / (1 + 8710 / reynolds)


def schiller_naumann(reynolds: float) -> float:
    """Drag coefficient of spheres, with Newton's constant value beyond Re = 1000."""
    return 24 / reynolds * (1 + 0.15 * reynolds**0.687) if reynolds <= 1000 else 0.44


def hoelzer_sommerfeld(reynolds: float) -> float:
    """Drag coefficient by A. Hölzer, M. Sommerfeld, Powder Technol. 184 (2008) 361, for spheres."""
    return 24 / reynolds + 3 / math.sqrt(reynolds) + 0.42


def bisect(excess: Callable[[float], float], low: float, high: float) -> float:
    """Zero of a decreasing function, by bisection."""
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return low


def terminal_velocity(diameter: float, density: float, coefficient: Callable[[float], float]) -> float:
    """Terminal velocity [m/s] in water of a sphere whose drag coefficient is known."""
    weight = (density - 1000) * G * diameter * 4 / 3

    def excess(speed: float) -> float:
        return weight - 1000 * coefficient(1e6 * diameter * speed) * speed**2

    return bisect(excess, 1e-9, 1e3)


def terminal(*, quick: bool) -> Report:
    """Terminal velocities of spheres in water against the balance of forces, and a fit to measurements."""
    report, rows = Report("terminal", "Terminal velocities of spheres, from Stokes' range to Newton's"), []
    laws = {
        "stokes": lambda re: 24 / re,
        "schiller-naumann": schiller_naumann,
        "hoelzer-sommerfeld": hoelzer_sommerfeld,
    }
    for drag, law in laws.items():
        largest, n = (8e-5, 2) if drag == "stokes" else (1e-2, 6 if quick else 12)
        for d in np.geomspace(3e-5, largest, n).tolist():
            exact, measured = terminal_velocity(d, 2500, law), terminal_velocity(d, 2500, brown_lawler)
            found = _simulated_terminal_velocity(d, drag, exact)
            reynolds = 1e6 * d * found
            told = f"{drag}, d = {1e3 * d:.3g} mm, Re = {reynolds:.3g}: velocity [m/s]"
            report.near(told, found, exact, exact=f"{exact:.10g}", published=f"{measured:.3g}", within=1e-9, digits=10)
            if law is schiller_naumann:
                report.near(f"the same, next to measurements, Re = {reynolds:.3g}", found, measured,
                            published=f"{measured:.4g}", within=0.06)  # fmt: skip
            rows.append((drag, d, reynolds, found, exact, measured))
    columns = ["drag", "diameter_m", "reynolds", "velocity_m_s", "balance_m_s", "brown_lawler_m_s"]
    report.tables["velocities"] = (columns, rows)
    lines = {drag: tuple(zip(*((r[1], r[3]) for r in rows if r[0] == drag), strict=True)) for drag in laws}
    lines["measured (fit)"] = tuple(zip(*((r[1], r[5]) for r in rows if r[0] == "schiller-naumann"), strict=True))
    report.figures["velocities"] = curves(
        "glass in water", "diameter [m]", "terminal velocity [m/s]", lines, xscale="log", yscale="log", marker="o"
    )
    report.statements += [
        "Exact: the root of weight less buoyancy = drag, found by halving. Steps of 1 ms are up to ten relaxation "
        "times of the smallest sphere; the terminal velocity does not depend on them.",
        "Published: Brown & Lawler (2003), a fit to 480 measurements with Re < 2e5, which Schiller & Naumann's law "
        "with C_D = 0.44 beyond Re = 1000 meets within 6 %.",
    ]
    return report


def _simulated_terminal_velocity(diameter: float, drag: str, about: float) -> float:
    """Simulated terminal velocity, given an estimate of it [m/s]."""
    dt = min(1e-3, 0.1 * diameter / about)
    sim = case("settling-spheres")(n=1, smallest=diameter, time_step=dt, drag=drag).simulation()
    sim.step(math.ceil(60 * (about / G + 1e-3) / dt))  # many times what it takes
    return -float(sim.particles.velocity[0, 2])


def drift(*, quick: bool) -> Report:
    """Fibres that settle in Stokes flow: sideways velocity against orientation."""
    report = Report("settling", "Fibres that settle aslant: drift against orientation")
    made = case("settling-fibres")(n=7 if quick else 19, time_step=1e-4)
    sim = made.simulation()
    sim.step(500)
    shape, material = sim.particles.variants[0]
    body = Spheroid.of(shape, shape.mass_properties(material.density))
    along, across, _ = body.translation
    weight = (made.density - made.fluid_density) * body.volume * G / made.viscosity
    rows = []
    for theta, v in zip(made.angles(), np.array(sim.particles.velocity), strict=True):
        fall = weight * (math.cos(theta) ** 2 / along + math.sin(theta) ** 2 / across)
        side = weight * math.sin(theta) * math.cos(theta) * (1 / along - 1 / across)
        rows.append((math.degrees(theta), -v[2], fall, v[0], -side))
    for angle, fell, fall, went, side in rows[:: len(rows) // 2]:
        report.near(f"{angle:.3g}° to gravity: fall [m/s]", fell, fall, exact=f"{fall:.10g}", within=1e-10, digits=10)
        report.near(f"{angle:.3g}°: sideways [m/s]", went, side, exact=f"{side:.10g}", within=1e-10 * fall,
                    relative=False, digits=10)  # fmt: skip
    off = max(max(abs(r[1] - r[2]), abs(r[3] - r[4])) / r[2] for r in rows)
    report.below(f"largest deviation at {len(rows)} angles, of the fall", off, 1e-10)
    spun = float(np.abs(sim.particles.angular_velocity).max())
    report.below("no torque: largest angular velocity [rad/s]", spun, 1e-12, exact="0")
    steepest = math.degrees(math.asin((across - along) / (across + along)))
    found = max(math.degrees(math.atan2(abs(r[3]), r[1])) for r in rows)
    report.near("largest angle of drift found [°]", found, steepest, exact=f"{steepest:.7g}",
                published="19.47 for the thinnest", within=0.1 if quick else 0.01)  # fmt: skip
    report.tables["velocities"] = (["angle_deg", "fall_m_s", "fall_exact", "side_m_s", "side_exact"], rows)
    angles, fall, fall_exact, side, side_exact = zip(*rows, strict=True)
    report.figures["velocities"] = curves(
        "a fibre that settles", "angle of the axis to gravity [°]", "velocity [m/s]",
        {"down": (angles, fall), "down, exact": (angles, fall_exact), "sideways": (angles, np.abs(side)),
         "sideways, exact": (angles, np.abs(side_exact))}, marker="o",
    )  # fmt: skip
    report.statements += [
        "Closed form: v = (cos²θ/R_along + sin²θ/R_across) W down and sin θ cos θ (1/R_along - 1/R_across) W towards "
        f"the lower end's side; R of the spheroid of equal volume and r = {body.ratio:g} (Kim & Karrila 1991). The "
        "angle of drift is at most asin((R_across - R_along)/(R_across + R_along)), asin 1/3 for the thinnest.",
        "In Stokes flow nothing turns them. With inertia fibres turn broadside on; no law of drag does that here.",
    ]
    return report


def in_water(*, quick: bool) -> Report:
    """Nine fibres thrown into water: terminal velocity, and energy lost to the water, to friction and to impacts."""
    report = Report("fibres-in-water", "Nine fibres fall through water (set-up of Zhao & van Wachem 2013, test 2)")
    dt = 2e-5 if quick else 5e-6
    made = case("fibres-in-water")(time_step=dt, threads=1)
    dry = case("nine-fibres")(time_step=dt, threads=1).simulation()
    sim = made.simulation()
    samples, rows = (12 if quick else 60), []
    span = 1.2 if quick else 6.0
    for _ in range(samples):
        sim.step(round(span / samples / dt))
        e = sim.energy()
        upper = slice(6, 9)  # those that start highest
        height, speed = (float(each[upper, 1].mean()) for each in (sim.particles.position, sim.particles.velocity))
        rows.append((sim.time, height, speed, e.kinetic, e.fluid, e.dissipated))
    shape, material = sim.particles.variants[0]
    body = Spheroid.of(shape, shape.mass_properties(1.0))
    settled = _settling_speed(shape.mass_properties(material.density).mass, body, math.radians(made.angle))
    early = next(row for row in rows if row[0] > 0.99)
    report.near("fall of the upper three after a second, 75° to the floor [m/s]", -early[2], settled,
                exact=f"{settled:.6g}", within=0.02)  # fmt: skip
    report.below("energy out of balance, of all that was exchanged", sim.energy_error, 1e-3)
    report.near("change in energy over the work of water and weight", _ledger_ratio(sim), 1.0, exact="1", within=2e-3)
    dry.step(round(0.4 / dt))
    report.statements += [
        "Exact: weight less buoyancy balances the resistance tensor of the spheroid of equal volume, with Schiller & "
        "Naumann's factor, at the angle of the start, which nothing changes while they fall apart from each other.",
        f"Without water the fastest falls at {-float(dry.particles.velocity[:, 1].min()):.3g} m/s after 0.4 s. Added "
        "mass is that of a sphere of equal volume; there is no torque that turns fibres broadside on.",
    ]
    columns = ["time_s", "height_m", "velocity_m_s", "kinetic_J", "fluid_J", "dissipated_J"]
    report.tables["fall"] = (columns, rows)
    time, height, speed, *_ = zip(*rows, strict=True)
    report.figures["fall"] = curves(
        "nine fibres in water",
        "time [s]",
        "",
        {"height of the upper three [m]": (time, height), "velocity [m/s]": (time, speed)},
    )
    return report


def _settling_speed(mass: float, body: Spheroid, angle: float) -> float:
    """Settling speed of a fibre that keeps an angle to the floor, by iteration [m/s]."""
    r = resistance(body.ratio)
    # resistances 6π μ a X of a spheroid in water, μ = 1e-3 Pa s
    along, across = (6e-3 * math.pi * body.longest * each for each in (r.x_a, r.y_a))
    weight, factor = (mass - 1000 * body.volume) * G, 1.0
    for _ in range(200):
        down = weight * (math.sin(angle) ** 2 / along + math.cos(angle) ** 2 / across) / factor
        side = weight * math.sin(angle) * math.cos(angle) * (1 / along - 1 / across) / factor
        reynolds = 1e6 * body.diameter * math.hypot(down, side)
        factor = math.sqrt(factor * schiller_naumann(reynolds) * reynolds / 24)
    return down


def _ledger_ratio(sim: object) -> float:
    """Energy in the ledger over its exact value."""
    e, start = sim.energy(), sim.start_energy
    return (e.kinetic + e.elastic + e.dissipated - start.kinetic) / (e.fluid + start.gravitational - e.gravitational)
