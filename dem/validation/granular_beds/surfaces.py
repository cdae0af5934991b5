"""Surfaces of grains: flow down a plane, rotating drum, heap."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

import dem
from dem.case import case
from dem.statistics import FieldAverage, Spheres, angle_of_repose, bagnold_velocity, cone_profile, drum_angle
from dem.validation.report import Report, curves

G = 9.81
WIDE = 0.06  # of the drum [m]
HEAPS = (1, 2, 3)  # seeds of heaps, whose angles are averaged: single ones of few grains differ by 1 to 3°


class Layer(NamedTuple):
    """Flowing layer: averaged fields over the height, and the laws to compare with."""

    z: np.ndarray  # above the plane (B,) [m]
    solid: np.ndarray  # fraction (B,)
    velocity: np.ndarray  # down the plane (B,) [m/s]
    law: np.ndarray  # Bagnold's, with a slip that is fitted (B,) [m/s]
    normal: np.ndarray  # stress (B,) [Pa]
    shear: np.ndarray  # stress (B,) [Pa]
    weight: np.ndarray  # of what is above (B,) [Pa]
    inside: np.ndarray  # away from plane and surface (B,)
    depth: float  # [m]
    phi: float  # solid fraction inside
    number: float  # inertial, fitted

    @property
    def off(self) -> float:
        """Root mean square deviation of the velocity from the law inside the layer, over its range."""
        u = self.velocity[self.inside]
        return float(np.sqrt(np.mean((self.law[self.inside] - u) ** 2)) / (u.max() - u.min()))


def flowing(made: dem.Case, warm: float, long: float, looks: int) -> Layer:
    """Simulate a chute for `warm` [s], then average its fields over `long` [s] by `looks` samples."""
    sim, d = made.simulation(), made.diameter
    average = FieldAverage(sim.box.lower, sim.box.upper, width=0.75 * d, bins=60)
    sim.step(round(warm / sim.time_step))
    for _ in range(looks):
        sim.step(round(long / looks / sim.time_step))
        average(sim)
    fields = average.mean
    z, rho, u = fields.points[:, 0], fields.density, fields.velocity[:, 0]
    dz, solid, stress = z[1] - z[0], rho / made.density, fields.stress.total
    depth = float(z[np.flatnonzero(solid > 0.5 * np.nanmax(solid))[-1]]) + 0.5 * dz
    inside = (z > 2.5 * d) & (z < depth - 2.5 * d)
    weight = np.array([np.nansum(rho[k:]) - 0.5 * rho[k] for k in range(len(z))]) * dz * -sim.gravity[2]
    shape = depth**1.5 - np.maximum(depth - z, 0) ** 1.5
    scale, slip = np.polyfit(shape[inside], u[inside], 1)
    phi, angle = float(np.mean(solid[inside])), math.radians(made.angle)
    number = 1.5 * scale * d / math.sqrt(phi * G * math.cos(angle))
    law = slip + bagnold_velocity(np.clip(z, 0, depth), depth, d, number, angle, phi)
    return Layer(z, solid, u, law, stress[:, 2, 2], np.abs(stress[:, 2, 0]), weight, inside, depth, phi, number)


def bagnold(*, quick: bool) -> Report:
    """Steady flow down a rough plane."""
    report = Report("bagnold", "Steady flow down a rough plane: Bagnold's profile")
    made = case("chute")(n=400 if quick else 900, angle=25.0, threads=1)
    warm, long, looks = (2.0, 0.6, 100) if quick else (8.0, 3.0, 300)
    seen, steep, d = flowing(made, warm, long, looks), math.tan(math.radians(made.angle)), made.diameter
    ins = seen.inside
    report.near("normal stress over the weight above", float(np.mean(seen.normal[ins] / seen.weight[ins])), 1,
                exact="1", within=0.05)  # fmt: skip
    report.near("shear stress over normal stress", float(np.mean(seen.shear[ins] / seen.normal[ins])), steep,
                exact=f"tan θ = {steep:.4f}", within=0.08 if quick else 0.05)  # fmt: skip
    spread = float(np.std(seen.solid[ins]) / seen.phi)
    report.below("solid fraction: standard deviation over depth, over the mean", spread, 0.04)
    report.below("velocity off Bagnold's profile, root mean square over its range", seen.off, 0.06)
    report.near("inertial number", seen.number, 0.15, published="0.05 to 0.3 (GDR MiDi)", within=0.12, relative=False)
    rows = np.column_stack([seen.z, seen.solid, seen.velocity, seen.law, seen.normal, seen.weight])
    names = ["z_m", "solid_fraction", "velocity_m_s", "bagnold", "normal_stress_Pa", "weight_Pa"]
    report.tables["profile"] = (names, rows.tolist())
    rows = rows[seen.z < seen.depth + d]
    report.figures["profile"] = curves("velocity down the plane", "height [diameters]", "velocity [m/s]", {
        "found": (rows[:, 0] / d, rows[:, 2]), "u_0 + Bagnold": (rows[:, 0] / d, rows[:, 3]),
    })  # fmt: skip
    report.statements += [
        "Laws: steady flow carries the weight above, at a stress ratio tan θ, exactly; velocity goes with h^(3/2) - "
        "(h - z)^(3/2) where solid fraction and inertial number are the same at all depths (R. A. Bagnold 1954; L. E. "
        "Silbert et al., Phys. Rev. E 64 (2001) 051302; GDR MiDi, Eur. Phys. J. E 14 (2004) 341).",
        f"{made.n} grains, depth {seen.depth / d:.1f} diameters, θ = {made.angle:g}°, solid fraction {seen.phi:.3f}, "
        f"I = {seen.number:.3f}; means over {long:g} s without a trajectory (`FieldAverage`), compared more "
        "than 2.5 diameters away from plane and surface, where fields are smoothed over 0.75 of a diameter.",
    ]
    return report


def drum(*, quick: bool) -> Report:
    """Slope of the surface in a rotating drum at several speeds."""
    report = Report("drum-angle", "Slope of the surface in a drum against its speed")
    n, rates, long = (750, (1.0, 4.0, 7.0), 0.6) if quick else (1800, (1.0, 3.0, 5.0, 7.0, 9.0), 1.5)
    rows = []
    for rate in rates:
        made = case("rotating-drum")(n=n, rate=rate, length=WIDE, threads=1)
        sim = made.simulation()
        first, found = 0.5 + 0.7 / rate, []
        sim.step(round(first / sim.time_step))
        while sim.time < first + long:
            sim.step(round(0.02 / sim.time_step))
            p = sim.particles
            found.append(abs(drum_angle(p.position, p.mass, (0, 0, 0))))
        rows.append((rate, rate**2 * made.radius / G, np.degrees(np.mean(found)), np.degrees(np.std(found))))
    rate, froude, angle, _ = np.array(rows).T
    slope, rest = np.polyfit(froude, angle, 1)
    report.below("angle at the least speed above that at the largest [°]", angle[0] - angle[-1], 0.0)
    report.near("correlation of angle and speed squared", float(np.corrcoef(froude, angle)[0, 1]), 1.0,
                published="ω ∝ √(θ - θ_c)", within=0.15)  # fmt: skip
    report.near("θ_c [°]", rest, 27.0, published="20 to 34 for grains with friction", within=7.0, relative=False)
    report.tables["angles"] = (["rate_rad_s", "froude", "angle_deg", "scatter_deg"], rows)
    report.figures["angles"] = curves("slope in a drum", "Froude number ω² R/g", "angle [°]", {
        "found": (froude, angle), "θ_c + c ω²": (froude, rest + slope * froude),
    }, marker="o")  # fmt: skip
    report.statements += [
        "Law: J. Rajchenbach, Phys. Rev. Lett. 65 (1990) 2221, found ω ∝ (θ - θ_c)^m, m = 0.5 ± 0.1, in continuous "
        "flow: the angle grows with the square of the speed. Angles are by the centre of mass (`drum_angle`).",
        f"{n} grains of the case rotating-drum, µ = {made.friction}, rolling friction {made.rolling_friction}, "
        f"{WIDE / made.diameter:.0f} of them wide: end plates make slopes steeper, at 1 rad/s 33° where they are 5 "
        "grains apart, and 27° with 15.",
    ]
    return report


def heap_angle(friction: float, rolling: float, n: int, seed: int) -> float:
    """Angle of repose of a heap below a lifted tube [°]."""
    made = case("heap")(n=n, friction=friction, rolling_friction=rolling, seed=seed, threads=1)
    sim = made.simulation()
    sim.step(round((made.lifted + 0.25) / sim.time_step))
    x, r = sim.particles.position, np.full(n, 0.5 * made.diameter)
    wide = float(np.quantile(np.hypot(x[:, 0], x[:, 1]), 0.98))
    profile = cone_profile(Spheres(x, r, np.arange(n)), np.arange(0, wide + made.diameter, made.diameter), sectors=8)
    return math.degrees(angle_of_repose(profile, between=(0.15, 0.9)).angle)


def repose(*, quick: bool) -> Report:
    """Angles of repose for increasing friction and rolling resistance."""
    report = Report("repose", "Angle of repose against friction and resistance to rolling")
    n = 300 if quick else 800
    frictions, rollings = ((0.05, 0.6), (0.02, 0.2)) if quick else ((0.05, 0.15, 0.4, 0.8), (0.02, 0.1, 0.3))
    rows = []
    for rolling in rollings:
        for mu in frictions:
            angles = [heap_angle(mu, rolling, n, seed) for seed in HEAPS]
            rows.append((mu, rolling, float(np.mean(angles)), float(np.std(angles, ddof=1)) / math.sqrt(len(HEAPS))))
    table = {(mu, rolling): angle for mu, rolling, angle, _ in rows}
    low, high = frictions[0], frictions[-1]
    for rolling in rollings:
        report.below(f"rolling {rolling}: angle at µ = {low} over that at {high}",
                     table[low, rolling] / table[high, rolling], 1.0, exact="below 1")  # fmt: skip
    report.below(f"µ = {high}: angle at rolling {rollings[0]} over that at {rollings[-1]}",
                 table[high, rollings[0]] / table[high, rollings[-1]], 1.0, exact="below 1")  # fmt: skip
    report.near(f"µ = {high}, rolling {rollings[0]}: angle [°]", table[high, rollings[0]], 22.0,
                published="16 to 28 for smooth spheres", within=6.0, relative=False)  # fmt: skip
    report.tables["angles"] = (["friction", "rolling_friction", "angle_deg", "error_deg"], rows)
    report.figures["angles"] = curves("angle of repose", "friction", "angle [°]", {
        f"rolling friction {rolling}": (frictions, [table[mu, rolling] for mu in frictions]) for rolling in rollings
    }, marker="o")  # fmt: skip
    report.statements += [
        "Known: heaps are steeper with more friction and with more resistance to rolling, and level off where friction "
        "is large (Y. C. Zhou, B. H. Xu, A. B. Yu, P. Zulli, Powder Technol. 125 (2002) 45); heaps of smooth spheres "
        "lie at some 20 to 25°. No formula is compared with: those published are of their own boxes and fillings.",
        f"Means of {len(HEAPS)} heaps of {n} grains of the case heap, with standard errors in the table: a tube is "
        "lifted at 0.1 m/s off a floor that holds them. Slopes are those of `dem.statistics.cone_profile` and "
        "`angle_of_repose`.",
    ]
    return report
