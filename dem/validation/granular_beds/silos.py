"""Silos with flat bottoms: Beverloo's law of discharge, and Janssen's stress."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import dem
from dem.statistics import beverloo_rate, janssen_stress
from dem.validation.report import Report, curves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.walls.wall import Wall

D, G, STEP = 4e-3, 9.81, 3e-5  # grain [m], gravity [m/s²], time step [s]
FRICTION = 0.5
STUFF = dem.Material(young=2e6, poisson=0.25, density=2500.0, restitution=0.5, friction=FRICTION)
LOOK = 250  # steps between looks at a bed that settles
OUT = 2.0  # m, where grains are out of sight
LAW = 0.05  # how well Beverloo's law follows experiments


def lattice(n: int, radius: float) -> np.ndarray:
    """Positions (n, 3) of grains in a cylinder on z = 0: lattice sites with random displacements [m]."""
    rng = np.random.default_rng(1)
    step = 1.1 * D
    side = np.arange(-radius + 0.5 * step, radius, step)
    layers = math.ceil(n / max(1, (np.hypot(*np.meshgrid(side, side)) < radius - 0.56 * D).sum())) + 1
    grid = np.stack(np.meshgrid((np.arange(layers) + 0.55) * step, side, side, indexing="ij"), -1).reshape(-1, 3)
    places = grid[np.hypot(grid[:, 1], grid[:, 2]) < radius - 0.56 * D][:n, [1, 2, 0]]
    return places + 0.04 * D * rng.uniform(-1, 1, (n, 3))


def filled_places(n: int, radius: float, walls: Sequence[Wall]) -> np.ndarray:
    """Positions (n, 3) of grains at rest between walls [m]."""
    sim = start(lattice(n, radius), walls)
    most = 3 * math.sqrt(G * D)
    for look in range(400):
        sim.step(LOOK)
        velocity = sim.particles.velocity
        speed = np.linalg.norm(velocity, axis=1)
        if look > 10 and (speed**2).mean() < 2e-3 * G * D:
            break
        kept = np.minimum(0.95, most / np.maximum(speed, 1e-300))[:, None]
        sim.particles.velocity, sim.particles.angular_velocity = kept * velocity, kept * sim.particles.angular_velocity
    return np.array(sim.particles.position)


def start(places: np.ndarray, walls: Sequence[Wall]) -> dem.Simulation:
    """Simulation of grains at rest at these positions."""
    grains = dem.Particles(dem.Sphere(diameter=D), STUFF, position=places)
    return dem.Simulation(grains, walls=walls, gravity=(0, 0, -G), time_step=STEP, threads=1)


def discharge(places: np.ndarray, radius: float, orifice: float, top: float, times: tuple[float, float]) -> float:
    """Discharge rate [grains/s] through an orifice of a diameter [m] between two times [s]."""
    silo = dem.Revolution([(orifice / 2, 0), (radius, 0), (radius, top)], material=STUFF)
    sim = start(places, [silo, dem.Disc((0, 0, -0.06), (0, 0, 1), 0.4, material=STUFF)])
    rows = []
    for time in np.linspace(*times, 11):
        sim.step(round(time / STEP) - sim.step_count)
        rows.append((sim.time, int((sim.particles.position[:, 2] > 0).sum())))
    return float(-np.polyfit(*np.array(rows).T, 1)[0])


def beverloo(*, quick: bool) -> Report:
    """Discharge of a silo with a flat bottom through four orifices."""
    report = Report("beverloo", "Discharge through four orifices: Beverloo's law")
    n, wide, times = (1500, 8, (0.1, 0.3)) if quick else (6000, 11, (0.1, 0.5))
    radius = wide * D
    places = filled_places(n, radius, [dem.Revolution([(0, 0), (radius, 0), (radius, OUT)], material=STUFF)])
    grain = STUFF.density * math.pi / 6 * D**3
    height = 2 * float(places[:, 2].mean())
    bulk = n * grain / (math.pi * radius**2 * height)
    orifices = D * np.array([4.5, 5.5, 6.5, 7.5] if quick else [5.0, 6.5, 8.0, 9.5])
    found = np.array([grain * discharge(places, radius, hole, OUT, times) for hole in orifices])
    slope, cut = np.polyfit(orifices, found**0.4, 1)
    shape, coefficient = -cut / slope / D, slope**2.5 / (bulk * math.sqrt(G))
    law = beverloo_rate(orifices, D, bulk, coefficient=coefficient, shape=shape)
    usual = float(np.mean(found / beverloo_rate(orifices, D, bulk, coefficient=1.0, shape=1.4)))
    power = np.polyfit(np.log(orifices - 1.4 * D), np.log(found), 1)[0]
    counted = found * (times[1] - times[0]) / grain
    for hole, rate, fitted, number in zip(orifices, found, law, counted, strict=True):
        report.near(f"D/d = {hole / D:g}: rate [kg/s]", rate, fitted, exact=f"C, k fitted: {fitted:.4g}",
                    within=math.hypot(LAW, number**-0.5))  # fmt: skip
    report.near("k, width of the empty annulus over d", shape, 1.4, published="1.4 for spheres", within=0.6,
                relative=False)  # fmt: skip
    report.near("C where k is 1.4", usual, 0.58, published="0.55 to 0.65", within=0.12, relative=False)
    report.near("exponent of D - 1.4 d", power, 2.5, published="5/2", within=0.3, relative=False)
    report.tables["rates"] = (["orifice_m", "rate_kg_s", "law"], np.column_stack([orifices, found, law]).tolist())
    report.figures["rates"] = curves("rate to the power 2/5", "orifice/d", "W^(2/5)", {
        "found": (orifices / D, found**0.4), "C ρ √g (D - k d)^(5/2), fitted": (orifices / D, law**0.4),
    }, marker="o")  # fmt: skip
    report.statements += [
        f"Law: W. A. Beverloo et al., Chem. Eng. Sci. 15 (1961) 260, of experiments. {n} grains of {1e3 * D:g} mm, µ = "
        f"{FRICTION}, in a cylinder of {2 * wide} diameters; bulk density {bulk:.0f} kg/m³. Fitted "
        f"together, k = {shape:.3g} and C = {coefficient:.3g}: what one gains the other loses.",
        f"Tolerances: rates are counted from {counted.min():.0f} to {counted.max():.0f} grains, n ± √n at worst, and "
        f"the law follows experiments to some {100 * LAW:g} %; C and k of the literature are of sands and seeds, and "
        "depend on friction.",
    ]
    return report


def floor_and_wall_loads(n: int, radius: float, speed: float, duration: float) -> tuple[float, float, float, float]:
    """Weight, mean loads of floor and wall while the floor moves down slowly [N], and height of the bed [m]."""
    wall = dem.Cylinder((0, 0, -0.01), (0, 0, OUT), radius, material=STUFF)
    places = filled_places(n, radius, [wall, dem.Disc((0, 0, 0), (0, 0, 1), radius, material=STUFF)])
    floor = dem.Disc((0, 0, 0), (0, 0, 1), radius, material=STUFF, motion=dem.Motion(velocity=(0, 0, -speed)))
    sim = start(places, [wall, floor])
    loads = []
    while sim.time < duration:
        sim.step(20)
        if sim.time > 0.5 * duration:
            loads.append([-float(each.force[2]) for each in sim.walls])
    side, bottom = np.mean(loads, axis=0)
    return float(sim.particles.mass.sum()) * G, bottom, side, 2 * float(places[:, 2].mean())


def janssen(*, quick: bool) -> Report:
    """Load on the floor of a silo against the mass filled in, next to Janssen's."""
    report = Report("janssen", "Load of the floor of a silo: Janssen's law")
    wide, counts = (5, (200, 500, 1000)) if quick else (6, (300, 700, 1500, 3000, 5000))
    radius = wide * D
    rows = np.array([floor_and_wall_loads(n, radius, 0.01, 0.1 if quick else 0.2) for n in counts])
    weight, bottom, side, height = rows.T
    trial = np.geomspace(0.1, 10, 2000) * bottom.max()
    misfit = [np.square((s * -np.expm1(-weight / s) - bottom) / bottom).sum() for s in trial]
    limit = float(trial[int(np.argmin(misfit))])
    law = limit * -np.expm1(-weight / limit)
    bulk = float(weight[-1] / (G * math.pi * radius**2 * height[-1]))
    length = limit / (bulk * G * math.pi * radius**2)
    ratio = radius / (2 * FRICTION * length)
    for w, found, fitted in zip(weight, bottom, law, strict=True):
        report.near(f"{w:.3g} N of grains: load of the floor [N]", found, fitted, exact=f"one λ fitted: {fitted:.4g}",
                    within=0.15)  # fmt: skip
    for w, b, s in zip(weight, bottom, side, strict=True):
        report.near(f"{w:.3g} N of grains: floor and wall together [N]", b + s, w, exact="weight", within=0.05)
    report.below("deepest: floor's share of the weight", bottom[-1] / weight[-1], 0.7)
    report.near("K, if friction is mobilised in full", ratio, 0.7, published="0.3 to 1.1", within=0.4, relative=False)
    stress = janssen_stress(height, radius, bulk, FRICTION, ratio) * math.pi * radius**2
    report.tables["loads"] = (["weight_N", "floor_N", "wall_N", "height_m", "law_N"],
                              np.column_stack([rows, stress]).tolist())  # fmt: skip
    report.figures["loads"] = curves("load of the floor", "weight of the grains [N]", "load [N]", {
        "found": (weight, bottom), "Janssen, one λ fitted": (weight, law), "weight": (weight, weight),
    }, marker="o")  # fmt: skip
    report.statements += [
        "Law: H. A. Janssen, Z. Ver. Dtsch. Ing. 39 (1895) 1045: the floor carries ρ g λ A (1 - exp(-h/λ)), λ = R/(2 µ "
        f"K). The floor goes down at 1 cm/s, so that friction at the wall is mobilised; loads are means over the "
        f"second half. Fitted λ = {1e3 * length:.3g} mm = {length / (2 * radius):.2f} diameters of the silo.",
        "Tolerances: loads of one bed of a few hundred grains scatter by some ten per cent from filling to filling; "
        "the weight is carried by all walls together but for what the grains still accelerate.",
    ]
    return report
