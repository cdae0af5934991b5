"""Impacts of linear, hysteretic and elasto-plastic adhesive springs against their closed forms."""

from __future__ import annotations

import math

import numpy as np

import dem
from dem.model.contact.restitution import duration, ratio
from dem.validation.contacts.collisions import start
from dem.validation.contacts.reference_solution import ReferenceBall
from dem.validation.report import Report, curves, order_of

STUFF = dem.Material(young=7e7, poisson=0.22, density=2500)
BALL, SPEED, STIFFNESS = ReferenceBall(0.0005, STUFF), 0.5, 1000.0
PHASES = (0.05, 0.25, 0.45, 0.65, 0.85)  # where in a step the touch falls


def impact_path(contact: dem.Contact, dt: float, steps: int, phase: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Overlap and separation velocity at each step of an impact on a wall, and the energy lost in it."""
    sim = start(BALL, STUFF, contact, dt, velocity=(0, 0, -SPEED), lift=phase * SPEED * dt)
    seen = []
    for _ in range(steps):
        seen.append((BALL.radius - sim.particles.position[0, 2], sim.particles.velocity[0, 2]))
        sim.step()
    overlap, velocity = np.array(seen).T
    return overlap, velocity, sim.energy().dissipated


def contact_duration(overlap: np.ndarray, velocity: np.ndarray, dt: float, phase: float, *, tension: bool) -> float:
    """Time from touch until surfaces separate, or until the force vanishes by extrapolation of the last two."""
    if tension:
        k = int(np.flatnonzero(overlap > 0)[-1]) + 1
        return dt * (k - phase) + overlap[k] / velocity[k]
    force = -np.diff(overlap, 2)
    k = int(np.flatnonzero(np.abs(force) > 1e-6 * np.abs(force).max())[-1])
    return dt * (k + 1 - phase) + dt * force[k] / (force[k - 1] - force[k])


def linear(*, quick: bool) -> Report:
    """Restitution and duration of linear springs, for both conventions of the end, and their orders."""
    report = Report("linear", "Linear springs: restitution and duration for both conventions of the end")
    counts = (25, 50, 100) if quick else (25, 50, 100, 200, 400, 800)
    rows, lines = [], {}
    for tension in (False, True):
        for e in (0.9, 0.5, 0.1):
            zeta = ratio(e, tension=tension)
            time = duration(zeta, tension=tension) / math.sqrt(STIFFNESS / BALL.mass)
            contact, errors = dem.Contact(restitution=e, normal=dem.Linear(stiffness=STIFFNESS, tension=tension)), []
            for n in counts:
                found = []
                for phase in PHASES:
                    seen = impact_path(contact, time / n, int(1.6 * n), phase)[:2]
                    found.append((seen[1][-1] / SPEED, contact_duration(*seen, time / n, phase, tension=tension)))
                of = np.array(found)
                errors.append(np.sqrt(((of - (e, time)) ** 2).mean(0)) / (1, time))
                rows.append((tension, e, n, *errors[-1], *of.mean(0)))
            name = f"{'tension' if tension else 'no tension'}, e = {e}"
            report.near(f"{name}: restitution at {counts[-1]} steps", rows[-1][5], e, exact=f"{e}", within=1e-3,
                        relative=False)  # fmt: skip
            report.near(f"{name}: duration [s]", rows[-1][6], time, exact=f"{time:.8g}", within=3e-3, digits=6)
            of_e, _ = zip(*errors, strict=True)
            report.near(
                f"{name}: order of restitution", order_of(counts, of_e), 2, exact="2", within=0.5, relative=False
            )
            lines[name] = (counts, of_e)
    report.tables["impacts"] = (
        ["tension", "e", "steps", "error_of_e", "error_of_duration", "restitution", "duration"], rows
    )  # fmt: skip
    report.figures["errors"] = curves(
        "impacts of linear springs", "steps a contact", "error of e", lines, xscale="log", yscale="log", marker="o"
    )
    report.statements += [
        "Closed forms: contacts that end when surfaces part (Cundall & Strack 1979; Luding 1998; LAMMPS, MercuryDPM, "
        "MFiX), e = exp(-πζ/√(1-ζ²)), and those that end when the force vanishes (Schwager & Pöschel 2007), e = "
        "exp(-2ζ acos ζ/√(1-ζ²)). Errors are root mean squares over five places where the touch falls within a step.",
        "The ζ of the first convention used for contacts of the second gives 0.902, 0.550 and 0.253 for 0.9, 0.5 "
        "and 0.1.",
    ]
    return report


def hysteretic(*, quick: bool) -> Report:
    """Restitution of hysteretic springs with and without cohesion, and the limit of sticking."""
    report = Report("hysteretic", "Hysteretic springs (Walton & Braun 1986; Luding 2008)")
    n = 400 if quick else 2000
    rows = []
    for k_2, k_c in ((1600.0, 0.0), (1600.0, 400.0), (3000.0, 300.0), (3000.0, 990.0)):
        law = dem.Hysteretic(loading=STIFFNESS, unloading=k_2, cohesion=k_c)
        time = math.pi / 2 * (math.sqrt(BALL.mass / STIFFNESS) + math.sqrt(BALL.mass / k_2))
        overlap, velocity, lost = impact_path(dem.Contact(normal=law), time / n, 3 * n, 0.37)
        e, name = law.restitution(), f"k_2 = {k_2:g}, k_c = {k_c:g} N/m"
        energy = 0.5 * BALL.mass * SPEED**2
        report.near(f"{name}: restitution", velocity[-1] / SPEED, e, exact=f"{e:.12g}", within=20 / n**2 + 1e-5,
                    relative=False, digits=6)  # fmt: skip
        report.near(f"{name}: share of the energy lost", lost / energy, 1 - e * e, exact=f"{1 - e * e:.8g}",
                    within=100 / n**2, relative=False, digits=6)  # fmt: skip
        rows += [(k_2, k_c, time * k / n, x) for k, x in enumerate(overlap)]
    sticky = dem.Contact(normal=dem.Hysteretic(loading=STIFFNESS, unloading=3000.0, cohesion=1010.0))
    overlap, _, _ = impact_path(sticky, time / n, 20 * n, 0.37)
    report.below("k_2 = 3000, k_c = 1010 N/m, more than k_1²/(k_2 - 2 k_1): sticks, gap [m]", -overlap[-1], 0, exact="")
    report.tables["paths"] = (["k_2", "k_c", "time", "overlap"], rows)
    report.figures["paths"] = curves(
        "impact at 0.5 m/s, k_1 = 1000 N/m", "time [s]", "overlap [m]",
        {f"k_2 = {k_2:g}, k_c = {k_c:g}": tuple(zip(*[r[2:] for r in rows if r[:2] == (k_2, k_c)], strict=True))
         for k_2, k_c in dict.fromkeys(row[:2] for row in rows)},
    )  # fmt: skip
    report.statements.append(
        "Closed form: e² = k_1/k_2 - k_c (k_2 - k_1)²/(k_1 k_2 (k_2 + k_c)); two stick if k_c ≥ k_1²/(k_2 - 2 k_1). "
        "The energy lost is what the account of the run has: differences of states, so that it departs by no more than "
        "motion does."
    )
    return report


def eepa(*, quick: bool) -> Report:
    """Restitution of elasto-plastic contacts by plasticity, and pull-off of adhesive ones by their largest overlap."""
    report = Report("eepa", "Elasto-plastic adhesive contacts (EEPA; Thakur et al. 2014)")
    n = 200 if quick else 1000
    time, rows = 1e-4, []
    for plasticity in (0.1, 0.3, 0.5, 0.7, 0.9):
        law = dem.EEPA(plasticity=plasticity)
        _, velocity, lost = impact_path(dem.Contact(normal=law), time / n, 3 * n, 0.37)
        e, name = law.restitution(), f"plasticity {plasticity:g}"
        report.near(f"{name}: restitution", velocity[-1] / SPEED, e, exact=f"{e:.12g}", within=100 / n**2 + 1e-5,
                    relative=False, digits=6)  # fmt: skip
        report.near(f"{name}: share of the energy lost", lost / (0.5 * BALL.mass * SPEED**2), 1 - e * e,
                    exact=f"{1 - e * e:.8g}", within=200 / n**2 + 1e-5, relative=False, digits=6)  # fmt: skip
        rows.append((plasticity, velocity[-1] / SPEED, e))
    paths, pulls = {}, []
    modulus = STUFF.effective_modulus(STUFF)
    for energy in (0.2, 0.4, 0.8):
        law = dem.EEPA(plasticity=0.5, surface_energy=energy)
        overlap, velocity, _ = impact_path(dem.Contact(normal=law), time / n, 3 * n, 0.37)
        force = BALL.mass * np.gradient(velocity, time / n)
        pull = law.pull_off(BALL.radius, float(overlap.max()), modulus)
        report.near(f"surface energy {energy:g} J/m²: pull-off [N]", -force.min(), pull, exact=f"{pull:.6g}",
                    within=30 / n, digits=6)  # fmt: skip
        touching = overlap > 0
        paths[f"{energy:g} J/m²"] = (overlap[touching], force[touching])
        pulls.append((energy, float(overlap.max()), -force.min(), pull))
    report.tables["restitution"] = (["plasticity", "restitution", "closed_form"], rows)
    report.tables["pull_off"] = (["surface_energy", "largest_overlap", "pull_off", "closed_form"], pulls)
    report.figures["paths"] = curves(
        f"impact at {SPEED:g} m/s, plasticity 0.5", "overlap [m]", "normal force [N]", paths
    )
    report.statements.append(
        "Closed forms: e² = (1 - (n+1) λ + n λ^((n+1)/n))/(1 - λ) without adhesion, at any speed; the largest pull is "
        "3/2 π Δγ √(2 R* δ_p), δ_p = λ^(1/n) δ_max."
    )
    return report
