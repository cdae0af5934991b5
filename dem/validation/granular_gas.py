"""Granular cooling: inelastic hard spheres against Haff's law, and one gas by three methods.

The methods are soft spheres, event-driven hard spheres and stochastic collisions.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import dem
from dem.validation.report import Report, curves

if TYPE_CHECKING:
    from collections.abc import Callable

    from dem.run.simulation_base import SimulationBase

HAFF_DIAMETER, PITCH = 0.01, 0.0219  # a lattice of solid fraction 0.05
DIAMETER, FRACTION, SPEED, RESTITUTION = 2e-3, 0.05, 1.0, 0.9
CHI = (1 - FRACTION / 2) / (1 - FRACTION) ** 3
RATE = 24 * FRACTION / (math.pi * DIAMETER) * CHI * math.sqrt(math.pi / 3) * SPEED  # collisions of a sphere a second
CONTACT = 0.005 / RATE  # duration of a soft impact: 1/200 of the time between two [s]
STEPS = 25  # of an impact
ROUGH = 0.1  # tangential over normal stiffness: less than a half swing when surfaces part, so that ξ is some 0.3
GRIP = 100.0  # coefficient of friction at which hardly anything slides
STUFF = dem.Material(young=5e7, poisson=0.3, density=2500.0)
SMALL = "partners at random"  # thirty a cell, as by default
PARTNERS = {SMALL: None, "partners, one cell": 1.0}  # m, of the cells
GASES = 30  # of partners, whose temperatures wander
SLOW = 0.06  # most that partners of thirty a cell may be too hot by after twenty collisions


def collision_time(number: int, volume: float, temperature: float) -> float:
    """Mean time between impacts of a sphere in Enskog's theory [s].

    1/ν with ν = 4 n χ d² √(π T), T = <v²>/3 and χ = (1 - φ/2)/(1 - φ)³ (Chapman & Cowling 1970; Carnahan & Starling).
    """
    density = number / volume
    phi = density * math.pi / 6 * HAFF_DIAMETER**3
    chi = (1 - phi / 2) / (1 - phi) ** 3
    return 1 / (4 * density * chi * HAFF_DIAMETER**2 * math.sqrt(math.pi * temperature))


def haff(*, quick: bool) -> Report:
    """Temperature of a homogeneously cooling gas against T_0/(1 + t/τ)²."""
    report = Report("haff", "Granular cooling of inelastic hard spheres: Haff's law")
    edge = 12 if quick else 20
    rng = np.random.default_rng(3)
    grid = np.stack(np.meshgrid(*[np.arange(edge)] * 3), -1).reshape(-1, 3)
    velocity = rng.normal(0, 0.3, (len(grid), 3))
    stuff = dem.Material(young=5e7, poisson=0.35, density=1100)
    gas = dem.Particles(
        dem.Sphere(diameter=HAFF_DIAMETER), stuff, position=(grid + 0.5) * PITCH, velocity=velocity - velocity.mean(0)
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


class GranularGas(NamedTuple):
    """Initial state and restitution that the three methods share."""

    particles: dem.Particles
    box: dem.Box
    restitution: float
    tangential: float
    contact: dem.Contact


def cooling(*, quick: bool) -> Report:
    """Temperatures of smooth and rough gases from the same start, next to kinetic theory."""
    report = Report("cooling", "Haff's law and rough-sphere cooling three ways (soft, event-driven, at random)")
    start = _initial_gas(800 if quick else 3000)
    times = np.linspace(0, 10 if quick else 20, 6)  # in collisions of a particle at the start
    rows = []
    for name, contact in (
        ("smooth", dem.Contact(restitution=RESTITUTION, normal=_spring())),
        ("rough", dem.Contact(restitution=RESTITUTION, friction=GRIP, normal=_spring(ROUGH))),
    ):
        gas = _measure_impacts(report, name, start, contact)
        found = {way: _temperatures(make(gas), times / RATE) for way, make in WAYS.items()}
        found |= {
            way: np.mean(
                [_temperatures(_random_collisions(gas, "partners", cell, k), times / RATE) for k in range(GASES)],
                axis=0,
            )
            for way, cell in PARTNERS.items()
        }
        exact = _theoretical_temperatures(gas, times)
        for way, temperature in found.items():
            rows += [(name, way, t, *pair, *theory) for t, pair, theory in zip(times, temperature, exact, strict=True)]
            slow = SLOW * times[-1] / 20 if way == SMALL else 0.0
            _check_temperatures(report, f"{name}, {way}", temperature, exact, len(start[0]), slow=slow)
        lines = {way: (times, temperature[:, 0]) for way, temperature in found.items()}
        lines["kinetic theory"] = (times, exact[:, 0])
        if name == "rough":
            lines |= {f"{way}, rotation": (times, temperature[:, 1]) for way, temperature in found.items()}
            lines["kinetic theory, rotation"] = (times, exact[:, 1])
            _check_limit(report, gas)
        report.figures[name] = curves(
            f"{name} spheres that cool", "collisions of a particle at the rate of the start", "T/T_0", lines, marker="o"
        )
    report.tables["temperatures"] = (
        ["gas", "way", "collisions", "T_tr", "T_rot", "T_tr_theory", "T_rot_theory"], rows
    )  # fmt: skip
    report.statements += _statements()
    return report


def _spring(tangential: float = 2 / 7) -> dem.Linear:
    return dem.Linear(collision_time=CONTACT, tangential=tangential)


def _initial_gas(number: int) -> tuple[dem.Particles, dem.Box]:
    """Equilibrated gas of elastic spheres after ten collisions each, with new velocities of a given v_rms."""
    edge = math.ceil(number ** (1 / 3))
    pitch = DIAMETER * (math.pi / 6 / FRACTION) ** (1 / 3)
    grid = np.stack(np.meshgrid(*[np.arange(edge)] * 3), -1).reshape(-1, 3)
    rng = np.random.default_rng(4)

    def velocities() -> np.ndarray:
        v = rng.normal(size=grid.shape)
        v -= v.mean(0)
        return SPEED * v / math.sqrt((v**2).sum(1).mean())

    box = dem.Box((0, 0, 0), (edge * pitch,) * 3, STUFF, periodic=("x", "y", "z"))
    spheres = dem.Particles(dem.Sphere(diameter=DIAMETER), STUFF, position=(grid + 0.5) * pitch, velocity=velocities())
    mixing = dem.HardSpheres(spheres, box, gravity=(0, 0, 0), contact_time=1e-9)
    mixing.run(10 / RATE, frames=1)
    spheres.position, spheres.velocity = mixing.particles.position, velocities()
    return spheres, box


def _measure_impacts(
    report: Report, name: str, start: tuple[dem.Particles, dem.Box], contact: dem.Contact
) -> GranularGas:
    """The gas with e and ξ of soft impacts, measured at this time step for several slips."""
    found = np.array([_impact(contact, slip) for slip in (0.3, 1.0, 3.0)])
    e, xi = found.mean(0)
    report.near(f"{name}: restitution of soft impacts", e, RESTITUTION, exact=f"{RESTITUTION}", within=2e-3)
    report.below(f"{name}: e and ξ differ from slip to slip by", float(np.ptp(found, axis=0).max()), 0.01)
    return GranularGas(*start, float(e), -1.0 if name == "smooth" else float(xi), contact)


def _impact(contact: dem.Contact, slip: float) -> tuple[float, float]:
    """e and ξ of a head-on impact of two soft spheres that spin, given the ratio of slip to normal velocity."""
    dt, half = CONTACT / STEPS, 0.5 * DIAMETER
    pair = dem.Particles(
        dem.Sphere(diameter=DIAMETER), STUFF, position=[[-1.000001 * half, 0, 0], [1.000001 * half, 0, 0]],
        velocity=[[0.5 * SPEED, 0, 0], [-0.5 * SPEED, 0, 0]],
        angular_velocity=[[0, 0, slip * SPEED / DIAMETER]] * 2,
    )  # fmt: skip
    box = dem.Box((-1, -1, -1), (1, 1, 1), STUFF, periodic=("x", "y", "z"))
    sim = _soft_spheres(GranularGas(pair, box, 1.0, 1.0, contact), dt)
    sim.step(3 * STEPS)
    v, w = sim.particles.velocity, sim.particles.angular_velocity
    across = v[0, 1] - v[1, 1] + half * (w[0, 2] + w[1, 2])  # n is -x
    return (v[1, 0] - v[0, 0]) / SPEED, -across / (slip * SPEED)


def _soft_spheres(gas: GranularGas, time_step: float = CONTACT / STEPS) -> dem.Simulation:
    contacts = dem.Contacts({(STUFF, STUFF): gas.contact})
    return dem.Simulation(gas.particles, gas.box, gravity=(0, 0, 0), contacts=contacts, time_step=time_step, threads=1)


def _hard_spheres(gas: GranularGas) -> dem.HardSpheres:
    return dem.HardSpheres(
        gas.particles, gas.box, gravity=(0, 0, 0), restitution=gas.restitution, contact_time=1e-9,
        tangential_restitution=gas.tangential,
    )  # fmt: skip


def _random_collisions(
    gas: GranularGas, collisions: str = "pairs", cell: float | None = None, seed: int = 0
) -> dem.StochasticSpheres:
    return dem.StochasticSpheres(
        gas.particles, gas.box, gravity=(0, 0, 0), restitution=gas.restitution, time_step=0.1 / RATE,
        tangential_restitution=gas.tangential, collisions=collisions, cell=cell, seed=seed,
    )  # fmt: skip


WAYS: dict[str, Callable[[GranularGas], SimulationBase]] = {
    "soft": _soft_spheres,
    "event-driven": _hard_spheres,
    "pairs at random": _random_collisions,
}


def _temperatures(sim: SimulationBase, times: np.ndarray) -> np.ndarray:
    """T and T_rot over T_0 (K, 2) at the given times."""
    start, rows = sim.energy().kinetic, []
    for time in times:
        if time > sim.time:
            sim.carry_on(time - sim.time)
        energy = sim.energy()
        rows.append((energy.translational / start, energy.rotational / start))
    return np.array(rows)


def _theoretical_temperatures(gas: GranularGas, times: np.ndarray) -> np.ndarray:
    """T and T_rot over T_0 of a gas with normally distributed velocities and spins, by a Runge-Kutta method.

    S. Luding, M. Huthmann, S. McNamara, A. Zippelius, Phys. Rev. E 58 (1998) 3416, with q = 2/5, and times in
    collisions; for smooth spheres it is Haff's law.
    """
    a, b, c = _cooling_rates(gas.restitution, gas.tangential)
    matrix = 4 / 3 * np.array([[-a, b], [b, -c]])

    def slope(t: np.ndarray) -> np.ndarray:
        return math.sqrt(t[0]) * (matrix @ t)

    now, rows = np.array([1.0, 0.0]), []
    for span in np.diff(times, prepend=0.0):
        for _ in range(200):
            h = span / 200
            k1 = slope(now)
            k2 = slope(now + 0.5 * h * k1)
            k3 = slope(now + 0.5 * h * k2)
            now = now + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(now + h * k3))
        rows.append(now)
    return np.array(rows)


def _cooling_rates(restitution: float, tangential: float) -> tuple[float, float, float]:
    """A, B and C of T' = -4/3 ν (A T - B T_rot), T_rot' = 4/3 ν (B T - C T_rot)."""
    q = 0.4
    eta = q * (1 + tangential) / (2 * (1 + q))
    return (1 - restitution**2) / 4 + eta * (1 - eta), eta**2 / q, eta / q * (1 - eta / q)


def _check_temperatures(
    report: Report, name: str, found: np.ndarray, exact: np.ndarray, number: int, slow: float = 0.0
) -> None:
    """Check the last temperatures against theory, within three standard errors and the approximations of theory.

    `slow` is how much too hot, in parts, it may be besides.
    """
    collisions, runs = 0.5 * number * 5, GASES if "partners" in name else 1
    wandering = math.sqrt(2 * 10 / number) / 1.5 if runs > 1 else 0.0
    noise = math.hypot((1 - exact[-1, 0]) / exact[-1, 0] / math.sqrt(collisions), wandering) / math.sqrt(runs)
    within = 0.02 + slow + 3 * noise
    report.near(f"{name}: T/T_0 at the end", found[-1, 0], exact[-1, 0], exact=f"{exact[-1, 0]:.4g}", within=within)
    if exact[-1, 1] > 0:
        share, theory = found[-1, 1] / found[-1, 0], exact[-1, 1] / exact[-1, 0]
        report.near(f"{name}: T_rot/T at the end", share, theory, exact=f"{theory:.4g}",
                    within=0.05 + 3 * math.sqrt(4 / (3 * number)))  # fmt: skip


def temperature_ratio_limit(restitution: float, tangential: float) -> float:
    """Asymptotic T_rot/T of cooling rough spheres (Huthmann & Zippelius, Phys. Rev. E 56 (1997) R6275)."""
    a, b, c = _cooling_rates(restitution, tangential)
    return (a - c + math.hypot(a - c, 2 * b)) / (2 * b)


def _check_limit(report: Report, gas: GranularGas) -> None:
    """Check the asymptotic T_rot/T of theory against its closed form, and that of gases without time steps."""
    late = _theoretical_temperatures(gas._replace(restitution=RESTITUTION, tangential=0.3), np.array([0.0, 300.0]))[-1]
    report.near("theory, e = 0.9, ξ = 0.3: T_rot/T long after", late[1] / late[0],
                temperature_ratio_limit(RESTITUTION, 0.3), exact="0.75124392176", within=1e-3, digits=6)  # fmt: skip
    expected, number = temperature_ratio_limit(gas.restitution, gas.tangential), len(gas.particles)
    for way in ("event-driven", "pairs at random"):
        end = _temperatures(WAYS[way](gas), np.array([60.0]) / RATE)[-1]
        report.near(f"rough, {way}: T_rot/T after sixty collisions, by the first rate", end[1] / end[0], expected,
                    exact=f"{expected:.4g} for ever", within=0.05 + 3 * math.sqrt(4 / (3 * number)))  # fmt: skip


def _statements() -> list[str]:
    return [
        "Tier: closed form in the kinetic theory of gases whose velocities are normally distributed (Haff 1983; Luding "
        f"et al. 1998), solid fraction {FRACTION}, e = {RESTITUTION}; the three start from the same state.",
        "Soft spheres have linear springs, so that e and ξ do not depend on the speed; both are measured in single "
        "impacts with the same time step, and given to the others. Friction of 100 lets hardly anything slide.",
        "Tolerance: three standard errors of the number of collisions, with 2 % (T) and 5 % (T_rot/T) for what the "
        "theory leaves out: distributions that depart from normal ones, of rough spheres by some per cent of T_rot/T.",
        "Long after, T_rot/T stays: ((A - C) + √((A - C)² + 4 B²))/2B. Sonine's correction to Haff's law is -0.3 % at "
        "this e, below the noise here.",
        "Fictitious partners conserve energy on average alone: temperatures wander by √(2 c/N)/1.5 in c collisions, so "
        f"that they are means of {GASES} runs. Momentum, too: mean velocities of small cells wander, and take energy "
        "that collisions do not. So gases of thirty a cell cool too slowly, and in one cell as theory says.",
        "Weakness: dilute, before clusters form; beyond, only the first two resolve positions.",
    ]
