"""Granular cooling: a gas of inelastic hard spheres against Haff's law."""

from __future__ import annotations

import math

import numpy as np

import dem
from dem.validation.report import Report, curves

DIAMETER, RESTITUTION, PITCH = 0.01, 0.9, 0.0219  # a lattice of solid fraction 0.05


def collision_time(number: int, volume: float, temperature: float) -> float:
    """Mean time between impacts of a sphere in Enskog's theory [s].

    1/ν with ν = 4 n χ d² √(π T), T = <v²>/3 and χ = (1 - φ/2)/(1 - φ)³ (Chapman & Cowling 1970; Carnahan & Starling).
    """
    density = number / volume
    phi = density * math.pi / 6 * DIAMETER**3
    chi = (1 - phi / 2) / (1 - phi) ** 3
    return 1 / (4 * density * chi * DIAMETER**2 * math.sqrt(math.pi * temperature))


def haff(*, quick: bool) -> Report:
    """Temperature of a homogeneously cooling gas against T_0/(1 + t/τ)²."""
    report = Report("haff", "Granular cooling of inelastic hard spheres: Haff's law")
    edge = 12 if quick else 20
    rng = np.random.default_rng(3)
    grid = np.stack(np.meshgrid(*[np.arange(edge)] * 3), -1).reshape(-1, 3)
    velocity = rng.normal(0, 0.3, (len(grid), 3))
    stuff = dem.Material(young=5e7, poisson=0.35, density=1100)
    gas = dem.Particles(
        dem.Sphere(diameter=DIAMETER), stuff, position=(grid + 0.5) * PITCH, velocity=velocity - velocity.mean(0)
    )
    box = dem.Box((0, 0, 0), (edge * PITCH,) * 3, stuff, periodic=("x", "y", "z"))
    sim = dem.HardSpheres(gas, box, gravity=(0, 0, 0), restitution=RESTITUTION, contact_time=1e-9)
    start = float((sim.particles.velocity**2).sum(1).mean() / 3)
    tau = 6 / (1 - RESTITUTION**2) * collision_time(len(gas), float(np.prod(box.size)), start)
    rows = [(0.0, 1.0, 1.0)]
    for k in range(1, 11):
        sim.run(k * tau - sim.time, frames=1)
        found = float((sim.particles.velocity**2).sum(1).mean() / 3) / start
        rows.append((float(k), found, 1 / (1 + k) ** 2))
    for k, found, expected in rows[1::3]:
        report.near(f"T/T_0 after {k:g} τ", found, expected, exact=f"{expected:.4g}", within=0.06)
    report.below("energy out of balance", sim.verdict().energy_error, 1e-12)
    time, found, expected = zip(*rows, strict=True)
    report.tables["cooling"] = (["time_over_tau", "temperature", "haff"], rows)
    report.figures["cooling"] = curves(
        "granular temperature", "t/τ", "T/T_0", {"hard spheres": (time, found), "Haff": (time, expected)}, yscale="log",
        marker="o",
    )  # fmt: skip
    report.statements += [
        "Tier: closed form in the kinetic theory of a dilute gas (Haff, J. Fluid Mech. 134 (1983) 401): T = T_0/(1 + "
        "t/τ)², 1/τ = (1 - e²) ν/6 with Enskog's rate of impacts ν, solid fraction 0.05, e = 0.9.",
        "Tolerance 6 %: corrections for the shape of the velocity distribution are below 1 % at this e, noise is 1 % "
        "for so many impacts, and the first impacts lead away from the lattice of the start.",
        "Weakness: it holds until clusters form, which takes longer than these ten τ at this size.",
    ]
    return report
