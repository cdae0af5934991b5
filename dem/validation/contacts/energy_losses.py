"""Sweep over incidence, speed, friction and restitution: no impact gains energy, and conserved quantities are kept."""

from __future__ import annotations

import itertools
import math

import numpy as np

import dem
from dem.validation.contacts.collisions import ImpactOutcome, collide
from dem.validation.contacts.reference_solution import ReferenceBall, hertz_impact
from dem.validation.report import Report, curves

STEPS = 50  # a contact, as in practice
BALL = ReferenceBall(0.005, dem.Material(young=5e7, poisson=0.35, density=1100))
SMALL = ReferenceBall(0.003, dem.Material(young=2e8, poisson=0.2, density=2500))
ANGLES = (0.1, 1, 3, 6, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 84, 87, 89, 89.5, 89.9)


STATEMENTS = [
    f"{{n}} impacts at {STEPS} time steps a contact. Gains are shares of the kinetic energy of the motion along the "
    "normal: the strictest measure, since at grazing incidence that is a millionth of the whole. Departures of the "
    "total are shares of that or of the energy lost, the larger.",
    "Tolerance of gains: 4/steps², second order. Total: what damping and friction are said to take, against what the "
    "motion loses. Weakness: the account is good to some 3 % of the loss only at so few steps, for strong damping and "
    "friction, whose forces set in within a step or two of the touch; it converges at order 2.",
    "Angular momentum of a pair is conserved to rounding. About the point where a sphere first touches a wall it is "
    "not quite, since the force acts halfway between the surfaces; the most is what sliding without damping makes of "
    "it, B(7/5, 1/2)/2 = 0.818 of the impulse times half the largest overlap. The impulse of the bound is larger by "
    "2/steps.",
]


def gains(run: ImpactOutcome, normal_energy: float) -> tuple[float, float]:
    """Energy gain over that of the normal motion, and error of the total over the larger of that and the loss."""
    gain = run.after.mechanical - run.before.mechanical
    return gain / normal_energy, abs(run.after.total - run.before.total) / max(normal_energy, -gain)


def energy(*, quick: bool) -> Report:
    """Energy, total and angular momentum of impacts on walls and of pairs."""
    report = Report("impact-energy", "No impact gains energy")
    angles = ANGLES[::4] + ANGLES[-1:] if quick else ANGLES
    speeds = (1.0,) if quick else (0.01, 0.3, 3.0)
    frictions = (0.0, 0.1, 0.5, 2.0) if quick else (0.0, 0.02, 0.1, 0.3, 0.5, 1.0, 2.0)
    restitutions = (1.0, 0.9, 0.3) if quick else (1.0, 0.99, 0.9, 0.7, 0.5, 0.3, 0.1)
    rows = [
        _impact_row(other, angle, *rest, phase=0.37)
        for other in ("wall", "pair")
        for rest in itertools.product(speeds, frictions, restitutions)
        for angle in angles
    ]
    columns = ["other", "angle_deg", "speed", "friction", "restitution", "gain", "total", "angular", "loss_share"]
    report.tables["impacts"] = (columns, rows)
    for other in ("wall", "pair"):
        for name, lossy in (("without losses", False), ("with losses", True)):
            of = [r for r in rows if r[0] == other and (r[4] < 1 or r[3] > 0) == lossy]
            worst = max(r[5] for r in of)
            report.below(f"{other}, {name} ({len(of)} impacts): largest gain of energy", worst, 4 / STEPS**2)
            report.below(f"{other}, {name}: largest departure of the total", max(r[6] for r in of), 0.05)
        angular = max(r[7] for r in rows if r[0] == other)
        if other == "pair":
            report.below("pair: angular momentum after less before, relative", angular, 1e-12, exact="0")
        else:
            report.below("wall: angular momentum about the contact, over its bound µ J_n δ/2", angular, 1 + 1e-9)
    report.figures["losses"] = curves(
        f"share of the energy lost on a wall, v = {speeds[-1]} m/s", "angle of incidence [°]", "loss",
        {f"µ = {mu}, e = {e}": _losses_by_angle(rows, speeds[-1], mu, e)
         for mu in frictions[1::2] for e in restitutions[::2]},
    )  # fmt: skip
    report.statements += [line.format(n=len(rows)) for line in STATEMENTS]
    return report


def _losses_by_angle(rows: list, *which: float) -> tuple:
    """Angles and energy losses of impacts on a wall at a given speed, friction and restitution."""
    return tuple(zip(*[(r[1], r[8]) for r in rows if r[0] == "wall" and r[2:5] == which], strict=True))


def _impact_row(kind: str, angle: float, speed: float, friction: float, restitution: float, phase: float) -> tuple:
    """Row of one impact: its parameters, and its errors of conserved quantities."""
    contact, theta = dem.Contact(restitution=restitution, friction=friction), math.radians(angle)
    vn, vt = speed * math.cos(theta), speed * math.sin(theta)
    pair = kind == "pair"
    other = SMALL if pair else BALL.material
    run = collide(BALL, other, contact, velocity=(vt, 0, -vn), steps=STEPS, phase=0.0 if pair else phase)
    mass = 1 / (1 / BALL.mass + 1 / SMALL.mass) if pair else BALL.mass
    gain, total = gains(run, 0.5 * mass * vn**2)
    if pair:
        angular = float(np.abs(run.momentum_after[1] - run.momentum[1]).max())
        angular /= BALL.mass * speed * BALL.radius
    else:
        inertia = 0.4 * BALL.mass * BALL.radius**2
        change = BALL.mass * BALL.radius * (run.velocity[0, 0] - vt) + inertia * run.spin[0, 1]
        impulse = BALL.mass * (1 + restitution) * vn * (1 + 2 / STEPS)
        bound = friction * impulse * hertz_impact(BALL, other, vn)[0] / 2
        angular = float(abs(change) / bound) if friction else float(abs(change) / (BALL.mass * BALL.radius * speed))
    loss = 1 - run.after.mechanical / run.before.mechanical
    return kind, angle, speed, friction, restitution, float(gain), float(total), angular, float(loss)
