"""Smooth inelastic spheres in simple shear at constant volume, next to the kinetic theory of Lun et al. (1984).

C. K. K. Lun, S. B. Savage, D. J. Jeffrey, N. Chepurniy, Kinetic theories for granular flow, J. Fluid Mech. 140 (1984)
223-256, with the radial distribution at contact of N. F. Carnahan, K. E. Starling, J. Chem. Phys. 51 (1969) 635.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import dem
from dem.validation.element_tests.grids import GridStudy, means
from dem.validation.report import Report, curves

if TYPE_CHECKING:
    from collections.abc import Sequence

DIAMETER, DENSITY, RATE = 0.01, 2000.0, 10.0  # [m, kg/m³, 1/s]
YOUNG = 5e8  # [Pa], such that an impact lasts less than a twentieth of the time between two
TIME_STEP = 7e-6  # [s]
TRANSIENT, STRAIN = 10.0, 40.0  # shear strain before means are taken, and during which
LOOKS = 2000


class Theory(NamedTuple):
    """Steady simple shear after Lun et al. (1984): granular temperature, pressure, shear stress."""

    temperature: float  # <v²>/3 of peculiar velocities [m²/s²]
    pressure: float  # [Pa]
    shear: float  # [Pa]


def contact_distribution(fraction: float) -> float:
    """Radial distribution at contact, (2 - φ)/(2 (1 - φ)³)."""
    return (2 - fraction) / (2 * (1 - fraction) ** 3)


def pressure_at(temperature: float, fraction: float, restitution: float) -> float:
    """Pressure ρ φ T (1 + 2 (1 + e) φ g0) [Pa] (Lun et al. 1984)."""
    g0 = contact_distribution(fraction)
    return DENSITY * fraction * temperature * (1 + 2 * (1 + restitution) * fraction * g0)


def losses_at(temperature: float, fraction: float, restitution: float) -> float:
    """Power per volume dissipated by collisions, 12/√π (1 - e²) ρ φ² g0 T^(3/2)/d [W/m³] (Lun et al. 1984)."""
    g0 = contact_distribution(fraction)
    return 12 / math.sqrt(math.pi) * (1 - restitution**2) * DENSITY * fraction**2 * g0 * temperature**1.5 / DIAMETER


def steady_shear(fraction: float, restitution: float) -> Theory:
    """Temperature at which shear work and collisional dissipation balance, and the stresses there.

    With η = (1 + e)/2 the viscosity is μ = 5/96 √π ρ d √T ((1 + 8/5 η φ g0) (1 + 8/5 η (3 η - 2) φ g0)/(η (2 - η) g0) +
    768/(25 π) η φ² g0) (Lun et al. 1984).
    """
    g0, eta = contact_distribution(fraction), 0.5 * (1 + restitution)
    dense = 8 / 5 * eta * fraction * g0
    share = (1 + dense) * (1 + dense * (3 * eta - 2)) / (eta * (2 - eta) * g0)
    share += 768 / (25 * math.pi) * eta * fraction**2 * g0
    viscosity = 5 / 96 * math.sqrt(math.pi) * DENSITY * DIAMETER * share  # at T = 1
    temperature = viscosity * RATE**2 / losses_at(1.0, fraction, restitution)
    return Theory(
        temperature, pressure_at(temperature, fraction, restitution), viscosity * math.sqrt(temperature) * RATE
    )


def measure(*, fraction: float, restitution: float, seed: int, count: int) -> dict:
    """Temperature, pressure and shear stress of a gas, means over STRAIN.

    Parameters
    ----------
    fraction, restitution : float
        Solid fraction; coefficient of restitution.
    seed, count : int
        Seed of the initial velocities; number of spheres along an edge of the cell.
    """
    rng = np.random.default_rng(seed)
    pitch = DIAMETER * (math.pi / 6 / fraction) ** (1 / 3)
    places = np.stack(np.meshgrid(*[np.arange(count)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    velocity = rng.normal(0, math.sqrt(steady_shear(fraction, restitution).temperature), places.shape)
    material = dem.Material(young=YOUNG, poisson=0.3, density=DENSITY, restitution=restitution)
    gas = dem.Particles(
        dem.Sphere(diameter=DIAMETER), material, position=pitch * places, velocity=velocity - velocity.mean(axis=0)
    )
    cell = dem.Cell.shear((pitch * count,) * 3, rate=RATE)
    sim = dem.Simulation(gas, cell, gravity=(0, 0, 0), time_step=TIME_STEP, threads=1)
    sim.step(round(TRANSIENT / RATE / TIME_STEP))
    start, work, rows = sim.time, sim.energy().work, []
    for _ in range(LOOKS):
        sim.step(round(STRAIN / RATE / TIME_STEP / LOOKS))
        stress = sim.cell.stress
        temperature = np.trace(stress.kinetic) / (3 * DENSITY * fraction)
        rows.append([temperature, stress.pressure, losses_at(temperature, fraction, restitution)])
    temperature, pressure, losses = np.mean(rows, axis=0).tolist()
    shear = (sim.energy().work - work) / (sim.cell.volume * RATE * (sim.time - start))  # at every step, not at looks
    return {
        "temperature": temperature, "pressure": pressure, "shear": shear, "losses": losses,
        "energy_error": sim.energy_error,
    }  # fmt: skip


def report(rows: Sequence[dict]) -> Report:
    """Report the stresses of all gases next to theory."""
    found = Report("sheared-gas", "Inelastic gases in simple shear: Lun et al. (1984)")
    (restitution,) = {row["restitution"] for row in rows}
    fractions, gases = means(rows, "fraction")
    for fraction, gas in zip(fractions, gases, strict=True):
        theory, name = steady_shear(fraction, restitution), f"φ = {fraction:g}"
        at = pressure_at(gas["temperature"], fraction, restitution)
        found.near(f"{name}: pressure at the measured temperature [Pa]", gas["pressure"], at, exact=f"{at:.4g}",
                   within=0.05)  # fmt: skip
        found.near(f"{name}: work of the shear stress over what collisions take", gas["shear"] * RATE / gas["losses"],
                   1, exact="1", within=0.05)  # fmt: skip
        found.near(f"{name}: pressure from the rate of shear [Pa]", gas["pressure"], theory.pressure,
                   exact=f"{theory.pressure:.4g}", within=0.05)  # fmt: skip
        found.near(f"{name}: shear stress from the rate of shear [Pa]", gas["shear"], theory.shear,
                   exact=f"{theory.shear:.4g}", within=0.05)  # fmt: skip
    names = list(rows[0])
    found.tables["gases"] = names, [[row[name] for name in names] for row in rows]
    scale = DENSITY * (DIAMETER * RATE) ** 2
    fine = np.linspace(min(fractions), max(fractions), 60) if len(fractions) > 1 else np.array(fractions)
    theories = [steady_shear(fraction, restitution) for fraction in fine]
    found.figures["stress"] = curves(
        "simple shear at constant volume", "solid fraction", "stress/(ρ d² γ̇²)",
        {
            "pressure": (fractions, [gas["pressure"] / scale for gas in gases]),
            "shear stress": (fractions, [gas["shear"] / scale for gas in gases]),
            "pressure, Lun et al.": (fine, [theory.pressure / scale for theory in theories]),
            "shear stress, Lun et al.": (fine, [theory.shear / scale for theory in theories]),
        },
        yscale="log", marker="o",
    )  # fmt: skip
    found.statements += [
        "Tier: kinetic theory (Lun et al., J. Fluid Mech. 140 (1984) 223), with the radial distribution at contact of "
        f"Carnahan & Starling (1969), e = {restitution:g}.",
        "Tolerance 5 %: the theory is of first order in gradients and assumes isotropic temperatures.",
        "Weakness: impacts of soft spheres last; a stiffer material needs shorter time steps.",
    ]
    return found


GASES = GridStudy(
    "sheared-gas",
    grid={"fraction": (0.05, 0.1, 0.2, 0.3), "restitution": (0.95,), "seed": (1, 2), "count": (10,)},
    quick={"fraction": (0.1, 0.3), "seed": (1, 2, 3, 4), "count": (6,)},  # stresses of so few scatter by 5 % by seed
    measure=measure, report=report, cost=lambda point: point["count"] ** 3 * (1 + 3 * point["fraction"]),
)  # fmt: skip
