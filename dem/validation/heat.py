"""Heat: closed forms of conduction, convection and dissipation, and a packed bed heated by a plate (Beaulieu 2020)."""

from __future__ import annotations

import math

import numpy as np

import dem
from dem.case import case
from dem.validation.report import Report, curves

DIAMETER, OVERLAP, STEP = 0.01, 1e-5, 1e-9  # m, m, s: nothing moves
SOLID = dem.Material(
    young=1e7, poisson=0.3, density=2500.0, restitution=0.5, friction=0.3, conductivity=3.0, heat_capacity=800.0
)
BALL = dem.Sphere(diameter=DIAMETER)
CAPACITY = 800.0 * 2500.0 * math.pi / 6 * DIAMETER**3  # J/K
CONDUCTANCE = 2 * 3.0 * math.sqrt(DIAMETER / 4 * OVERLAP)  # of two spheres [W/K]
LATTICES = {  # places in a cubic cell, nearest distance over its edge, k_eff d/H
    "simple cubic": ([[0, 0, 0]], 1.0, 1.0),
    "body-centred": ([[0, 0, 0], [0.5, 0.5, 0.5]], math.sqrt(3) / 2, math.sqrt(3)),
    "face-centred": ([[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]], math.sqrt(0.5), 2 * math.sqrt(2)),
}
MEASURED = {  # °C at depths [m], after 2000 s and 4000 s, ± 2 K (Beaulieu 2020)
    0.04: (27.2, 33.2),
    0.06: (22.1, 26.3),
    0.073: (20.9, 23.9),
}


def effective_conductivity(basis: list, nearest: float) -> float:
    """k_eff d/H of a periodic lattice, by the decay of a plane wave of wavelength 2π/q, x = q a/2 for layers a apart.

    The discrete layers lower the rate of decay by the factor (sin x/x)², which is divided out.
    """
    edge, n = (DIAMETER - OVERLAP) / nearest, 4
    cells = np.stack(np.meshgrid(range(n), range(3), range(3), indexing="ij"), -1).reshape(-1, 1, 3)
    place = edge * (cells + np.array(basis) + 0.25).reshape(-1, 3)
    q = 2 * math.pi / (n * edge)
    wave = np.cos(q * place[:, 0])
    balls = dem.Particles(BALL, SOLID, position=place, temperature=300 + wave)
    box = dem.Box((0, 0, 0), (n * edge, 3 * edge, 3 * edge), SOLID, periodic=["x", "y", "z"])
    heat = dem.Heat(every=1, resolution=1.0, time_factor=1e8)
    sim = dem.Simulation(balls, box, gravity=(0, 0, 0), time_step=STEP, heat=heat)
    sim.step(1)
    rate = -(wave * (sim.particles.temperature - 300 - wave)).sum() / (wave**2).sum() / sim.heat.time
    half = 0.5 * q * edge * (1.0 if len(basis) == 1 else 0.5)
    return rate * CAPACITY * len(basis) / edge**3 / q**2 / (math.sin(half) / half) ** 2 * nearest * edge / CONDUCTANCE


def row_between_walls(
    n: int, temperature: float | np.ndarray, ends: tuple[float, float], heat: dem.Heat
) -> dem.Simulation:  # fmt: skip
    """A row of spheres between two walls; a contact with a wall has the conductance of one between spheres."""
    place = [[0, 0, 0.5 * (DIAMETER - OVERLAP) + k * (DIAMETER - OVERLAP)] for k in range(n)]
    walls = [
        dem.Plane((0, 0, 0), (0, 0, 1), material=SOLID, temperature=ends[0], name="floor"),
        dem.Plane((0, 0, n * (DIAMETER - OVERLAP)), (0, 0, -1), material=SOLID, temperature=ends[1], name="lid"),
    ]
    balls = dem.Particles(BALL, SOLID, position=place, temperature=temperature)
    return dem.Simulation(balls, walls=walls, gravity=(0, 0, 0), time_step=STEP, heat=heat)


def closed_forms(*, quick: bool) -> Report:
    """Lattices, a row between walls, two pressed spheres, a sphere in a stream, and a gas that heats itself."""
    report, n = Report("heat", "Heat: closed forms"), 5 if quick else 10
    for name, (basis, nearest, factor) in LATTICES.items():
        report.near(f"{name} lattice: k_eff d/H", effective_conductivity(basis, nearest), factor,
                    exact=f"{factor:.10g}", within=1e-8, digits=10)  # fmt: skip
    _row(report, n)
    _two_spheres(report)
    _stream(report)
    _gas(report, quick=quick)
    report.statements += [
        "Lattices: Batchelor & O'Brien (1977) with H = 2 k a. The slowest mode of a row of n spheres between walls "
        "that conduct alike decays at 4 H/(m c_p) sin²(π/(2 (n + 1))).",
        "A sphere in a stream comes to its temperature exponentially at h A/(m c_p), h by Ranz & Marshall (1952).",
    ]
    return report


def _row(report: Report, n: int) -> None:
    """Check the steady profile and flux of a row, and the rate of its slowest mode."""
    ends = 400.0, 280.0
    sim = row_between_walls(n, 300.0, ends, dem.Heat(every=1, time_factor=1.6e11 * (n + 1) ** 2))
    sim.step(40)
    profile = ends[0] + (ends[1] - ends[0]) * np.arange(1, n + 1) / (n + 1)
    found = sim.particles.temperature
    report.below(f"row of {n}: largest deviation from a line [K]", float(abs(found - profile).max()), 1e-4, exact="0")
    before, start = sim.heat.received["floor"], sim.heat.time
    sim.step(1)
    flux = (sim.heat.received["floor"] - before) / (sim.heat.time - start)
    expected = CONDUCTANCE * (ends[0] - ends[1]) / (n + 1)
    report.near("the same: power from the hot wall [W]", flux, expected, exact=f"{expected:.6g}", within=1e-5, digits=6)
    mode = np.sin(math.pi * np.arange(1, n + 1) / (n + 1))
    slow = row_between_walls(n, 300 + mode, (300.0, 300.0), dem.Heat(every=1, time_factor=2e10, resolution=0.02))
    slow.step(2)
    rate = float(np.mean(-np.log((slow.particles.temperature - 300) / mode) / slow.heat.time))
    expected = 4 * CONDUCTANCE / CAPACITY * math.sin(math.pi / (2 * (n + 1))) ** 2
    report.near("the same: rate of the slowest mode [1/s]", rate, expected, exact=f"{expected:.6g}", within=2e-3)
    rows = list(zip(range(1, n + 1), found.tolist(), profile.tolist(), strict=True))
    report.tables["row"] = (["sphere", "temperature_K", "exact_K"], rows)
    report.figures["row"] = curves(
        "a row of spheres between two walls", "sphere", "temperature [K]",
        {"computed": (range(1, n + 1), found), "exact": (range(1, n + 1), profile)}, marker="o",
    )  # fmt: skip


def _two_spheres(report: Report) -> None:
    """Conductance by the force that presses two spheres: a = (3 F R*/(4 E*))^(1/3), of the real moduli."""
    soft = dem.Material(young=1e7, poisson=0.3, density=2500.0, conductivity=3.0, heat_capacity=800.0, real_young=1e10)
    pair = dem.Particles(BALL, soft, position=[[0, 0, 0], [DIAMETER - OVERLAP, 0, 0]], temperature=[310.0, 300.0])
    sim = dem.Simulation(pair, gravity=(0, 0, 0), time_step=STEP, heat=dem.Heat(every=1, time_factor=1e6))
    force, real = float(np.linalg.norm(sim.contact_forces().force[0])), dem.Material(young=1e10, poisson=0.3)
    expected = 2 * 3.0 * (3 * force * DIAMETER / 4 / (4 * real.effective_modulus(real))) ** (1 / 3)
    sim.step(1)
    found = CAPACITY * (310.0 - sim.particles.temperature[0]) / sim.heat.time / 10.0
    report.near(
        "two spheres: H of the real moduli [W/K]", found, expected, exact=f"{expected:.6g}", within=1e-5, digits=6
    )


def _stream(report: Report) -> None:
    """Check the temperature of a sphere at rest in a stream after one relaxation time."""
    air, speed = {"density": 1.2, "viscosity": 1.8e-5}, 2.0
    law = dem.Convection(temperature=600.0, conductivity=0.045, heat_capacity=1050.0)
    prandtl, reynolds = 1050.0 * 1.8e-5 / 0.045, 1.2 * speed * DIAMETER / 1.8e-5
    film = (2 + 0.6 * math.sqrt(reynolds) * prandtl ** (1 / 3)) * 0.045 / DIAMETER
    relaxation = CAPACITY / (film * math.pi * DIAMETER**2)
    ball = dem.Particles(BALL, SOLID, position=[[0, 0, 0]], temperature=300.0)
    heat = dem.Heat(every=1, time_factor=relaxation / 10 / STEP, resolution=1e-4, convection=law)
    fluid = dem.Fluid(**air, velocity=(0, 0, speed))
    sim = dem.Simulation(ball, fluid=fluid, gravity=(0, 0, 0), time_step=STEP, heat=heat)
    sim.step(10)
    expected = 600 - 300 * math.exp(-sim.heat.time / relaxation)
    report.near("sphere in a stream after m c_p/(h A) [K]", float(sim.particles.temperature[0]), expected,
                exact=f"{expected:.6g}", within=1e-4, digits=6)  # fmt: skip


def _gas(report: Report, *, quick: bool) -> None:
    """Check the heat that a granular gas gains by collisions, at a moment without contacts.

    What contact springs hold is neither lost nor heat yet; the ledger rounds it to 2^-40 of the energy at the start.
    """
    sim = case("self-heating-gas")(n=64).simulation()
    sim.step(2000 if quick else 10000)
    while sim.contact_forces().i.size:
        sim.step(20)
    lost, start = sim.energy().dissipated, sim.start_energy.total
    report.below("gas that heats itself: (loss - heat)/energy at the start", abs(lost - sim.heat.gain) / start, 1e-14,
                 exact="0")  # fmt: skip
    report.below("the same: share of its motion that is left", 1 - lost / start, 0.95)


def heated_bed(*, quick: bool) -> Report:
    """Temperatures in a bed of steel beads in air that a plate heats, against the experiment of Beaulieu (2020)."""
    report = Report("heated-bed", "A packed bed heated by a plate (Beaulieu 2020)")
    made = case("heated-bed")(n=300 if quick else 500)
    sim = made.simulation()
    for after in range(2):
        sim.step(round(0.5 * made.duration / sim.time_step))
        height, temperature = sim.particles.position[:, 2], sim.particles.temperature
        found = made.profile(height, temperature, tuple(MEASURED))
        for (depth, measured), kelvin in zip(MEASURED.items(), found, strict=True):
            told = f"{1000 * depth:.0f} mm from the plate after {2000 * (after + 1)} s [°C]"
            report.near(told, kelvin - 273.15, measured[after], published=f"{measured[after]} ± 2", within=2.0,
                        relative=False)  # fmt: skip
    order = np.argsort(height)
    rows = list(zip(height[order].tolist(), (temperature[order] - 273.15).tolist(), strict=True))
    report.tables["beads"] = (["height_m", "temperature_degC"], rows)
    report.figures["beads"] = curves(
        "after 4000 s", "distance from the plate [m]", "temperature [°C]",
        {"beads": tuple(zip(*rows, strict=True)),
         "measured": (list(MEASURED), [each[1] for each in MEASURED.values()])}, marker="o",
    )  # fmt: skip
    report.below("error of the ledger over the heat of the bed", abs(sim.heat.imbalance) / sim.heat.content, 1e-14)
    report.statements.append(
        f"Solid fraction {made.solid_fraction(height):.3f}; 0.58 in the experiment. The bed stands on the plate, which "
        "is on top of it in the experiment."
    )
    return report
