"""JKR contacts, DMT contacts and liquid bridges between a ball and a wall, against closed forms."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

import dem
from dem.validation.contacts.collisions import start
from dem.validation.contacts.reference_solution import ReferenceBall
from dem.validation.report import Report, curves

RADIUS, MODULUS, WORK = 5e-4, 1e7, 0.05  # R* [m], E* [Pa], work of adhesion w [J/m²]
STUFF = dem.Material(young=2 * MODULUS * (1 - 0.25**2), poisson=0.25, density=2500)
BALL = ReferenceBall(RADIUS, STUFF)
LENGTH = (math.pi * WORK * RADIUS**2 / MODULUS) ** (1 / 3)  # s of JKR
PULL = math.pi * WORK * RADIUS  # π w R*
LOST = (0.1 + 0.6 * 2 ** (2 / 3)) * math.pi * WORK * LENGTH**2  # by making and breaking a JKR contact
SPRING = 4 / 3 * MODULUS * math.sqrt(RADIUS)  # K of Hertz's law
VOLUME, TENSION = 1e-12, 0.0728  # of a liquid bridge [m³], of water [N/m]
PHASES = 6  # places within a step where the touch falls
LONGEST = 2e-3  # s, of an impact


def resting(adhesion: dem.LawPart, dt: float = 1e-6) -> dem.Simulation:
    """Simulation of a ball at rest that just touches the wall."""
    return start(BALL, STUFF, dem.Contact(adhesion=adhesion), dt, velocity=(0, 0, 0), lift=-1e-9)


def _name_of(adhesion: dem.LawPart) -> str:
    """Name of an adhesion law in the report."""
    return adhesion.rupture if isinstance(adhesion, dem.Bridge) else adhesion.type.upper()


def force_and_energy(sim: dem.Simulation, overlap: float) -> tuple[float, float]:
    """Force on the ball [N] and energy of the contact [J] at an overlap."""
    sim.particles.position = [[0.0, 0.0, RADIUS - overlap]]
    return float(sim.contact_forces().force[0, 2]), sim.energy().elastic


class AdhesiveRebound(NamedTuple):
    """Results of impacts at one speed whose first touch falls at different phases of a time step."""

    restitution: np.ndarray
    lost: np.ndarray  # [J]


def rebounds(adhesion: dem.LawPart, dt: float, speed: float, gap: float) -> AdhesiveRebound:
    """Simulate impacts until the surfaces are `gap` apart again."""
    found = []
    for phase in range(PHASES):
        lift = 1e-7 + phase / PHASES * speed * dt
        sim = start(BALL, STUFF, dem.Contact(adhesion=adhesion), dt, velocity=(0, 0, -speed), lift=lift)
        while sim.particles.position[0, 2] < RADIUS + gap or sim.particles.velocity[0, 2] < 0:
            sim.step(10)
            if sim.time > LONGEST:
                message = f"a ball that meets a wall at {speed:g} m/s has not come back after {LONGEST:g} s"
                raise RuntimeError(message)
        found.append((sim.particles.velocity[0, 2] / speed, sim.energy().dissipated))
    return AdhesiveRebound(*np.array(found).T)


def _check_rebound(
    report: Report, adhesion: dem.LawPart, lost: float, *, speed: float, gap: float, quick: bool
) -> None:
    """Check the restitution, its order of convergence, and the energy lost."""
    steps = (4e-6, 2e-6, 1e-6) if quick else (4e-6, 2e-6, 1e-6, 5e-7, 2.5e-7)
    exact = math.sqrt(1 - 2 * lost / (BALL.mass * speed**2))
    found = [rebounds(adhesion, dt, speed, gap) for dt in steps]
    errors = [float(np.abs(each.restitution - exact).mean()) for each in found]
    name = _name_of(adhesion)
    impact = f"{name}: impact at {speed} m/s, {steps[-1]:g} s a step"
    report.near(f"{impact}, restitution", found[-1].restitution.mean(), exact, exact=f"{exact:.12g}", digits=8,
                within=4e-5 * (steps[-1] / 1e-6) ** 1.7)  # fmt: skip
    if lost:
        report.near(
            f"{impact}, energy lost [J]", found[-1].lost.mean(), lost, exact=f"{lost:.10g}", within=1e-8, digits=10
        )
    order = float(np.polyfit(np.log(steps), np.log(errors), 1)[0])
    report.below(f"{name}: how much less than 2 the order of restitution is", 2 - order, 0.3, exact="0 at most")
    report.tables[f"{name}-impacts"] = (["step", "error_of_e"], list(zip(steps, errors, strict=True)))
    lines = {"ours": (steps, errors)}
    report.figures[f"{name}-impacts"] = curves(
        f"{name}: impacts", "step [s]", "error of e", lines, xscale="log", yscale="log", marker="o"
    )


def _check_pull_off(report: Report, adhesion: dem.LawPart, overlap: float) -> None:
    """Check that the contact carries a weight just below the pull-off force, and not one just above it."""
    most = adhesion.pull_off(RADIUS)
    for share in (0.99, 1.01):
        sim = resting(adhesion, 5e-7)
        sim.particles.position = [[0.0, 0.0, RADIUS - overlap]]
        sim.gravity = (0.0, 0.0, share * most / BALL.mass)
        sim.step(10_000)
        held, exact = sim.contact_forces().i.size, int(share < 1)
        name = f"{_name_of(adhesion)}: {share} of the pull-off force, contacts after {sim.time:.2g} s"
        report.near(name, held, exact, exact=str(exact), within=0, relative=False)


def _check_force_curve(
    report: Report, adhesion: dem.LawPart, overlaps: np.ndarray, force: np.ndarray, energy: np.ndarray
) -> None:
    """Check force and energy over the overlap against closed forms."""
    name, sim = _name_of(adhesion), resting(adhesion)
    ours = np.array([force_and_energy(sim, overlap) for overlap in overlaps])
    off = np.abs(ours - np.column_stack([force, energy])).max(0) / (np.abs(force).max(), np.abs(energy).max())
    report.below(f"{name}: force over overlap, largest error over the largest force", off[0], 1e-9, exact="0")
    report.below(f"{name}: energy over overlap, largest error over the largest energy", off[1], 1e-9, exact="0")
    rows = np.column_stack([overlaps, ours, force, energy]).tolist()
    report.tables[f"{name}-contact"] = (["overlap", "force", "energy", "exact_force", "exact_energy"], rows)
    lines = {"ours": (overlaps, ours[:, 0]), "closed form": (overlaps, force)}
    report.figures[f"{name}-contact"] = curves(f"{name}: contact with a wall", "overlap [m]", "force [N]", lines)


def jkr(*, quick: bool) -> Report:
    """Force and energy of a JKR contact, pull-off, rebound, and the sticking speed."""
    report, law = Report("jkr", "Adhesion by JKR: a ball on a wall"), dem.JKR(work=WORK)
    alpha = np.linspace(0.505, 3.0, 50)
    overlap = LENGTH**2 / RADIUS * (alpha**2 - np.sqrt(2 * alpha))
    force = PULL * (4 / 3 * alpha**3 - 2 * math.sqrt(2) * alpha**1.5)
    energy = PULL * LENGTH**2 / RADIUS * (8 / 15 * alpha**5 - 4 * math.sqrt(2) / 3 * alpha**3.5 + alpha**2)
    _check_force_curve(report, law, overlap, force, energy)
    deepest = -(1.125 ** (2 / 3)) / 3 * LENGTH**2 / RADIUS
    most = -force_and_energy(resting(law), deepest)[0]
    report.near("pull-off force [N]", most, 1.5 * PULL, exact=f"{1.5 * PULL:.10g}", within=1e-12, digits=10)
    _check_pull_off(report, law, deepest)
    _check_rebound(report, law, LOST, speed=0.1, gap=1e-6, quick=quick)
    _check_sticking_speed(report, law)
    report.statements += [
        "Closed forms: K. L. Johnson, K. Kendall, A. D. Roberts, Proc. R. Soc. A 324 (1971) 301; with α = a/s and s³ = "
        "π w R*²/E*, δ = s²/R* (α² - √(2α)), F = π w R* (4/3 α³ - 2√2 α^1.5). Making and breaking a contact takes "
        "7.0922 (w⁵ R*⁴/E*²)^(1/3): K. L. Johnson, H. M. Pollock, J. Adhesion Sci. Technol. 8 (1994) 1323. Balls "
        "slower than 1.84 (w⁵/(R⁵ ρ³ E*²))^(1/6) stay on a wall: C. Thornton, Z. Ning, Powder Technol. 99 (1998) 154.",
        "Contacts end at the fold, δ = -3/4 s²/R*; codes that end them at the largest pull, as LAMMPS, lose 3.5026 in "
        "place of 7.0922, and have e = 0.998446 here.",
    ]
    return report


def _check_sticking_speed(report: Report, law: dem.JKR) -> None:
    """Check that a ball sticks just below the sticking speed, and rebounds just above it."""
    sticking = math.sqrt(2 * LOST / BALL.mass)
    thornton = 1.8401831808 * (WORK**5 / (RADIUS**5 * 2500**3 * MODULUS**2)) ** (1 / 6)
    report.near(
        "sticking speed by energies [m/s]", sticking, thornton, exact=f"{thornton:.10g}", within=1e-9, digits=10
    )
    for factor in (0.99, 1.01):
        sim = start(BALL, STUFF, dem.Contact(adhesion=law), 1e-6, velocity=(0, 0, -factor * sticking), lift=1e-8)
        sim.step(4000)
        stays = float(sim.particles.position[0, 2]) - RADIUS < LENGTH**2 / RADIUS
        report.near(f"{factor} of the sticking speed: stays", stays, factor < 1, exact=f"{factor < 1:d}", within=0,
                    relative=False)  # fmt: skip


def dmt(*, quick: bool) -> Report:
    """Force and energy of a DMT contact, equilibrium at rest, and a rebound without loss."""
    report, law = Report("dmt", "Adhesion by DMT: a ball on a wall"), dem.DMT(work=WORK)
    rest = (2 * PULL / SPRING) ** (2 / 3)
    overlap = np.linspace(0.02, 3, 50) * rest
    _check_force_curve(report, law, overlap, SPRING * overlap**1.5 - 2 * PULL,
           0.4 * SPRING * overlap**2.5 - 2 * PULL * overlap)  # fmt: skip
    sim = resting(law)
    force, energy = force_and_energy(sim, rest)
    exact = -1.2 * PULL * rest
    report.below("force at rest over the pull-off force", abs(force) / (2 * PULL), 1e-9, exact="0")
    report.near("energy at rest [J]", energy, exact, exact=f"{exact:.10g}", within=1e-9, digits=10)
    sim.step(4000)
    moved = abs(float(sim.particles.position[0, 2]) - RADIUS + rest) / rest
    report.below("where it is after 4000 steps, off by, over the overlap", moved, 1e-9, exact="0")
    _check_rebound(report, law, 0.0, speed=0.1, gap=1e-6, quick=quick)
    report.statements.append(
        "Closed forms: B. V. Derjaguin, V. M. Muller, Y. P. Toporov, J. Colloid Interface Sci. 53 (1975) 314: F = 4/3 "
        "E* √(R* δ³) - 2π w R* while surfaces touch. Nothing is lost by making and breaking contacts: balls stick by "
        "damping only."
    )
    return report


def bridge(*, quick: bool) -> Report:
    """Force and energy of a liquid bridge, work of rupture, and rebound, for both rupture distances."""
    report = Report("bridge", "Liquid bridges: a ball on a wall")
    scale, q = math.sqrt(VOLUME / (2 * RADIUS)), math.sqrt(10 - 1.05**2)
    lian = VOLUME ** (1 / 3)
    for rupture, angle, longest in (("lian", 0.0, lian), ("willett", 0.4, lian + 0.1 * lian**2 / (2 * RADIUS))):
        law = dem.Bridge(volume=VOLUME, tension=TENSION, angle=angle, rupture=rupture)
        end, most = (1 + angle / 2) * longest, 4 * math.pi * RADIUS * TENSION * math.cos(angle)
        gap = np.linspace(0.0, 0.999, 50) * end
        force = -most / (1 + 1.05 * gap / scale + 2.5 * (gap / scale) ** 2)
        angles = np.arctan((5 * end / scale + 1.05) / q) - np.arctan((5 * gap / scale + 1.05) / q)
        work = most * scale * 2 / q * angles  # from a gap to the rupture
        _check_force_curve(report, law, -gap, force, -work)
        _check_pull_off(report, law, 0.0)
        _check_rebound(report, law, float(work[0]), speed=0.3, gap=1.1 * end, quick=quick)
    report.statements += [
        "Closed forms: C. D. Willett, M. J. Adams, S. A. Johnson, J. P. K. Seville, Langmuir 16 (2000) 9396, as in S. "
        "Herminghaus, Adv. Phys. 54 (2005) 221, with R̄ = 2 R* (twice the radius at a wall): F = -2π R̄ γ cos θ/(1 + "
        "1.05 Ŝ + 2.5 Ŝ²), Ŝ = S √(R̄/V); a bridge that forms loses the work to its rupture, W = 2π R̄ γ cos θ √(V/R̄) "
        "(2/q) [atan((5 Ŝ_c + 1.05)/q) - atan(1.05/q)], q = √(10 - 1.05²).",
        "Gaps of rupture: (1 + θ/2) V^(1/3) (G. Lian, C. Thornton, M. J. Adams, J. Colloid Interface Sci. 161 (1993) "
        "138), and (1 + θ/2) (V^(1/3) + 0.1 V^(2/3)/R̄) (Willett et al.).",
    ]
    return report
