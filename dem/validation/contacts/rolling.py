"""Rolling and twisting resistance: a sphere on a floor."""

from __future__ import annotations

import math

import numpy as np

import dem
from dem.validation.contacts.collisions import start
from dem.validation.contacts.reference_solution import ReferenceBall, stiffness
from dem.validation.report import Report, curves

GLASS = dem.Material(young=7e7, poisson=0.22, density=2500)
BALL, GRAVITY, FRICTION = ReferenceBall(0.005, GLASS), 9.81, 0.3
INERTIA = 0.4 * BALL.mass * BALL.radius**2
DT = 2e-5  # 120 steps to the normal oscillation

STATEMENTS = [
    "Closed forms: J. Ai, J.-F. Chen, J. M. Rotter, J. Y. Ooi, Powder Technol. 206 (2011) 269; S. Luding, Granul. "
    "Matter 10 (2008) 235. With l = R - δ/2, the lever at a floor: deceleration µ_r R m g l/(I + m l²), 5/7 µ_r g for "
    "l = R; a slope holds up to tan θ = µ_r R/l; a damped ball comes back, from where it turns, by l times the angle "
    "δ/(2.25 µ_r R) that its spring has taken.",
    "The dashpot acts within the largest couple (Luding), not beside it (Ai et al., type C): both rest at the same "
    "place.",
    "Twisting slides at 3π/16 µ a F_n under Hertz's pressure, 2/3 µ a F_n after J. S. Marshall, J. Comput. Phys. 228 "
    "(2009) 1541, 13 % more.",
]


def on_floor(contact: dem.Contact, *, velocity: float = 0.0, spin: float = 0.0, slope: float = 0.0) -> dem.Simulation:
    """Simulation of a ball on a floor under inclined gravity, rolling along x or spinning about the normal."""
    sag = depth(slope)
    weight = (GRAVITY * math.sin(slope), 0, -GRAVITY * math.cos(slope))
    rolling = velocity / (BALL.radius - sag / 2)
    return start(BALL, GLASS, contact, DT, velocity=(velocity, 0, 0), spin=(0, rolling, spin), lift=-sag,
                 gravity=weight)  # fmt: skip


def depth(slope: float = 0.0) -> float:
    """Equilibrium overlap with the floor [m]."""
    return (BALL.mass * GRAVITY * math.cos(slope) / stiffness(BALL, GLASS)) ** (2 / 3)


def contact(rolls: float = 0.05, damping: float = 1.0, model: str = "hertz") -> dem.Contact:
    """Contact with friction, rolling and twisting resistance, one combination of components for all checks."""
    rolling = dem.Rolling(friction=rolls, damping=damping)
    return dem.Contact(restitution=0.3, friction=FRICTION, rolling=rolling, twisting=dem.Twisting(model=model))


def resistance(*, quick: bool) -> Report:
    """Rolling distance, rolling on slopes, rest, and the decay of a spin about the normal."""
    report = Report("rolling", "Rolling and twisting resistance")
    speed = 0.05 if quick else 0.5
    _check_stop(report, speed)
    _check_slopes(report, quick=quick)
    _check_twist(report)
    report.statements += STATEMENTS
    return report


def _check_stop(report: Report, speed: float) -> None:
    """Compare deceleration, distance and energy loss of a ball that rolls to rest with the closed form."""
    rolls, lever = 0.05, BALL.radius - depth() / 2
    about = INERTIA + BALL.mass * lever**2
    slower = rolls * BALL.radius * BALL.mass * GRAVITY * lever / about
    sim, rows = on_floor(contact(rolls), velocity=speed), []
    steps = max(round(speed / slower / DT / 200), 1)
    while sim.particles.velocity[0, 0] > 0:
        rows.append((sim.time, sim.particles.velocity[0, 0], max(speed - slower * sim.time, 0.0)))
        sim.step(steps)
    early, late = rows[50], rows[-20]
    found = (early[1] - late[1]) / (late[0] - early[0])
    report.near("deceleration, µ_r = 0.05 [m/s²]", found, slower, exact=f"{slower:.10g}", within=1e-6, digits=10)
    sim.step(round(0.1 / DT))  # it turns back, to rest
    way, angle = speed**2 / (2 * slower), depth() / (2.25 * rolls * BALL.radius)
    place = float(sim.particles.position[0, 0])
    report.near("place of rest [m]", place, way - lever * angle, exact=f"{way - lever * angle:.8g}",
                within=0.02 * lever * angle / way, digits=8)  # fmt: skip
    kinetic = 0.5 * BALL.mass * speed**2 + 0.5 * INERTIA * (speed / lever) ** 2
    lost = sim.energy().dissipated
    report.near("energy lost [J]", lost, kinetic, exact=f"{kinetic:.8g}", within=1e-5, digits=8)
    report.below("speed at rest [m/s]", float(np.abs(sim.particles.velocity).max()), 1e-5, exact="0")
    report.tables["stop"] = (["time", "velocity", "exact"], rows)
    time, ours, exact = zip(*rows, strict=True)
    report.figures["stop"] = curves("a ball that rolls to rest, µ_r = 0.05", "time [s]", "velocity [m/s]",
                                    {"ours": (time, ours), "closed form": (time, exact)})  # fmt: skip


def _check_slopes(report: Report, *, quick: bool) -> None:
    """Check slopes on which a ball rests, and steeper ones on which it rolls."""
    for rolls in (0.05,) if quick else (0.02, 0.05, 0.2):
        lever = BALL.radius - depth() / 2
        for share in (0.98, 1.02):
            slope = math.atan(share * rolls * BALL.radius / lever)
            sim = on_floor(contact(rolls), slope=slope)
            sim.step(round(0.015 / rolls / DT))  # rocking takes the longer the softer the spring
            v = float(sim.particles.velocity[0, 0])
            angle = f"µ_r = {rolls}, tan θ = {share} µ_r R/l"
            if share < 1:
                report.below(f"{angle}: speed in the end [m/s]", abs(v), 1e-6, exact="0")
            else:
                sim.step(round(0.1 / DT))
                report.near(f"{angle}: acceleration [m/s²]", (sim.particles.velocity[0, 0] - v) / 0.1,
                            _downhill(rolls, slope), exact=f"{_downhill(rolls, slope):.4g}", within=1e-2)  # fmt: skip
    exact = _downhill(0.05, math.radians(10))
    sim = on_floor(contact(0.05), slope=math.radians(10))
    sim.step(2000)
    v, time = float(sim.particles.velocity[0, 0]), sim.time
    sim.step(4000)
    found = (sim.particles.velocity[0, 0] - v) / (sim.time - time)
    report.near("10°, µ_r = 0.05: acceleration [m/s²]", found, exact, exact=f"{exact:.8g}", within=1e-6, digits=8)


def _downhill(rolls: float, slope: float) -> float:
    """Acceleration of a ball that rolls down a slope: 5/7 g (sin θ - µ_r cos θ), with the reduced lever arm."""
    lever = BALL.radius - depth(slope) / 2
    couple = BALL.mass * GRAVITY * (math.sin(slope) * lever - rolls * BALL.radius * math.cos(slope))
    return couple * lever / (INERTIA + BALL.mass * lever**2)


def _check_twist(report: Report) -> None:
    """Check that a spin about the normal decays at a constant rate."""
    for model, share in (("hertz", 3 * math.pi / 16), ("marshall", 2 / 3)):
        sim, rates = on_floor(contact(model=model), spin=100.0), []
        for steps in (500, 5000):
            sim.step(steps)
            rates.append(float(sim.particles.angular_velocity[0, 2]))
        slower = share * FRICTION * math.sqrt(BALL.radius * depth()) * BALL.mass * GRAVITY / INERTIA
        found = 100 * 5000 * DT / (rates[0] - rates[1])
        report.near(f"twist of 100 rad/s, {model}: time to rest [s]", found, 100 / slower, exact=f"{100 / slower:.10g}",
                    within=1e-8, digits=10)  # fmt: skip
