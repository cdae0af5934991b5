"""Orders of convergence of an impact, and a sphere on a slope."""

from __future__ import annotations

import math

import numpy as np

import dem
from dem.validation.contacts.chung_ooi import ELASTIC
from dem.validation.contacts.collisions import collide, start
from dem.validation.contacts.reference_solution import ReferenceBall, hertz_impact, planar_impact, stiffness
from dem.validation.report import Report, curves, order_of

SOFT = dem.Material(young=5e7, poisson=0.35, density=1100)
BALL = ReferenceBall(0.005, SOFT)
PHASES = (0.05, 0.25, 0.45, 0.65, 0.85)  # where in a step the touch falls


def convergence(*, quick: bool) -> Report:
    """Hertz's closed forms, and orders of convergence in the time step: elastic, damped and frictional impacts."""
    report = Report("impact-order", "Impacts against Hertz's closed forms, and orders of convergence")
    counts = (25, 50, 100, 200) if quick else (25, 50, 100, 200, 400, 800, 1600)
    speed = 1.0
    deepest, lasting = hertz_impact(BALL, SOFT, speed)
    rows, found = [], {"largest elastic energy": [], "duration": [], "rebound, e = 0.5": [], "friction, e = 1": []}
    sticky = dem.Contact(restitution=1, friction=0.5)
    exact = planar_impact(BALL, SOFT, sticky, normal=np.array([speed]), tangential=np.array([0.4]), steps=16000)
    for n in counts:
        energy, time = zip(*(_elastic(n, phase, speed) for phase in PHASES), strict=True)
        off = [abs(e / (0.5 * BALL.mass * speed**2) - 1) for e in energy]
        late = [abs(t / lasting - 1) for t in time]
        half = dem.Contact(restitution=0.5, friction=0)
        lost = [collide(BALL, SOFT, half, velocity=(0, 0, -speed), steps=n, phase=p).velocity[0, 2] for p in PHASES]
        slid = [collide(BALL, SOFT, sticky, velocity=(0.4, 0, -speed), steps=n, phase=p).velocity[0, 0] for p in PHASES]
        errors = (off, late, np.array(lost) / 0.5 - 1, (np.array(slid) - exact.tangential[0]) / 0.4)
        for name, error in zip(found, errors, strict=True):
            found[name].append(float(np.sqrt(np.square(error).mean())))
        rows.append((n, *(errors[-1] for errors in found.values())))
    for name in ("largest elastic energy", "duration", "friction, e = 1"):
        report.near(
            f"{name}: order in dt", order_of(counts, found[name]), 2, exact="2", within=0.3, relative=False, digits=3
        )
    damped = order_of(counts[-3:], found["rebound, e = 0.5"][-3:])
    report.near("rebound, e = 0.5: order in dt", damped, 2, exact="2", within=0.3, relative=False, digits=3)
    report.below(f"rebound, e = 0.5: error at {counts[-1]} steps", found["rebound, e = 0.5"][-1], 1e-3)
    report.tables["orders"] = (["steps_per_contact", *found], rows)
    report.figures["orders"] = curves(
        "one impact", "steps during the contact", "relative error",
        {name: (counts, errors) for name, errors in found.items()}, xscale="log", yscale="log", marker="o",
    )  # fmt: skip
    report.statements += [
        f"Closed forms (Johnson 1985, sec. 11.4): δ = (5 m v²/(4 K))^(2/5) = {deepest:.6g} m, duration 2 √π Γ(7/5)/"
        f"Γ(9/10) δ/v = {lasting:.6g} s, here for a soft sphere of 1 cm at 1 m/s. Errors are root mean squares over "
        "five places where the touch falls within a step.",
        "The dashpot's √√δ is singular at the touch, which would make damped impacts of order 5/4; the first sample "
        "of a contact makes up for it (`laws.first_step`). At the usual 50 steps a contact the restitution is off "
        "by less than 0.3 %.",
    ]
    return report


def _elastic(steps: int, phase: float, speed: float) -> tuple[float, float]:
    """Largest elastic energy, by a parabola through the three highest points, and time between touch and parting."""
    dt = hertz_impact(BALL, SOFT, speed)[1] / steps
    sim = start(BALL, SOFT, ELASTIC, dt, velocity=(0, 0, -speed), lift=phase * speed * dt)
    energy, height, velocity = [], [], []
    for _ in range(steps + 4):
        energy.append(sim.energy().elastic)
        height.append(sim.particles.position[0, 2])
        velocity.append(sim.particles.velocity[0, 2])
        sim.step()
    k = int(np.argmax(energy))
    a, b, c = energy[k - 1 : k + 2]
    top = b - (a - c) ** 2 / (8 * (a - 2 * b + c))
    left = next(i for i in range(k, len(height)) if height[i] > BALL.radius)
    parting = left * dt - (height[left] - BALL.radius) / velocity[left]
    return top, parting - phase * dt


def slope(angle: float, mu: float) -> tuple[str, tuple, tuple]:
    """Accelerations of a ball on a slope: of its centre and surface, computed and exact [m/s²]."""
    g, ball, theta = 9.81, ReferenceBall(0.01, dem.Material(young=1e9, poisson=0.3, density=2600)), math.radians(angle)
    sag = (ball.mass * g * math.cos(theta) / stiffness(ball, ball.material)) ** (2 / 3)
    lever = 1 - sag / (2 * ball.radius)
    sim = start(ball, ball.material, dem.Contact(restitution=0.3, friction=mu), 1e-5, velocity=(0, 0, 0), lift=-sag,
                gravity=(g * math.sin(theta), 0, -g * math.cos(theta)))  # fmt: skip
    motion = []
    for steps in (2000, 10_000):  # first the tangential spring comes to rest
        sim.step(steps)
        p = sim.particles
        motion.append((sim.time, p.velocity[0, 0], ball.radius * p.angular_velocity[0, 1]))
    dt, dv, dw = np.diff(motion, axis=0)[0]
    if math.tan(theta) < mu * (1 + 2.5 * lever**2):
        a = g * math.sin(theta) / (1 + 0.4 / lever**2)
        return "rolls", (dv / dt, dw / dt), (a, a / lever)
    exact = g * (math.sin(theta) - mu * math.cos(theta)), 2.5 * mu * g * math.cos(theta) * lever
    return "slides", (dv / dt, dw / dt), exact


def incline(*, quick: bool) -> Report:
    """A sphere on a slope: rolls below tan θ = 7/2 µ, slides above."""
    report, mu, rows = Report("incline", "A sphere on a slope (tilted weight)"), 0.2, []
    angles = (10, 30, 34, 36, 50, 70) if quick else (5, 10, 15, 20, 25, 30, 33, 34, 36, 37, 40, 45, 50, 60, 70, 80)
    for angle in angles:
        kind, found, exact = slope(angle, mu)
        for name, a, b in zip(("acceleration", "R times angular acceleration"), found, exact, strict=True):
            report.near(f"{angle}°, {kind}: {name} [m/s²]", a, b, exact=f"{b:.8g}", within=1e-6, digits=8)
        rows.append((angle, kind, found[0], exact[0], found[1], exact[1]))
    columns = ["angle_deg", "motion", "acceleration", "exact", "surface_acceleration", "exact_surface"]
    report.tables["accelerations"] = (columns, rows)
    names = ("of the centre", "exact, centre", "of the surface, R dω/dt", "exact, surface")
    report.figures["accelerations"] = curves(
        f"sphere on a slope, µ = {mu}", "angle [°]", "acceleration [m/s²]",
        {name: (angles, [row[2 + k] for row in rows]) for k, name in enumerate(names)}, marker="o",
    )  # fmt: skip
    report.statements += [
        "Closed form: 5/7 g sin θ where it rolls, tan θ < 7/2 µ, which is 35° here; g (sin θ - µ cos θ) and 5/2 µ g "
        "cos θ where it slides. The lever is the radius less half the overlap, some 1e-5 of it here. Numbers are ours.",
        "Tolerance 1e-6: what is left of the swinging of the tangential spring after 0.02 s.",
    ]
    return report
