"""Solid fractions of random dense packings of capsules by aspect ratio, against published ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import dem
from dem.validation.report import Report, curves

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BALLS, DENSEST, LONGER = 1.0, 1.45, 6.0  # aspect ratios: of spheres, of those that pack best, beyond
DENSEST_ELLIPSOID = 1.25  # aspect ratio α of ellipsoids α : 1 : 1/α that pack best
DIAMETER = 0.01
STUFF = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.3)
LOOSE = 0.25  # solid fraction of the start
COARSE, FINE = 0.02, 0.002  # relative growth of the solid fraction at once, before and after the first pressure
ROUNDS, STEPS = 400, 25  # how often bodies are stopped at most, and steps in between, half a period of theirs
STILL = 1e-3  # kinetic over elastic energy between two stops, below which bodies are at rest
PRESSED, ENOUGH = 1e-9, 8  # elastic energy a body over E D³ that is pressure; solid fractions with that many


def cube(edge: float, material: dem.Material = STUFF) -> dem.Box:
    """Periodic cube."""
    return dem.Box((0, 0, 0), (edge, edge, edge), material=material, periodic=("x", "y", "z"))


def box_of(volume: float, fraction: float) -> dem.Box:
    """Periodic cube that a solid volume fills to a given fraction."""
    return cube((volume / fraction) ** (1 / 3))


def unit_of(number: int) -> float:
    """Unit of energy of a number of bodies: E D³ for each [J]."""
    return STUFF.young * DIAMETER**3 * number


def relaxed(bodies: dem.Particles, box: dem.Box, time_step: float = 1e-4) -> tuple[dem.Particles, float]:
    """Bodies, at rest before, after their overlaps have relaxed, and the elastic energy that is left [J]."""
    sim = dem.Simulation(bodies, box, gravity=(0, 0, 0), time_step=time_step, threads=1, deepest_overlap=2.0)
    rest, least = np.zeros((len(bodies), 3)), PRESSED * unit_of(len(bodies))
    for _ in range(ROUNDS):
        sim.step(STEPS)
        energy = sim.energy()
        sim.particles.velocity = sim.particles.angular_velocity = rest
        if energy.elastic < least or energy.kinetic < STILL * energy.elastic:
            break
    return sim.particles.copy(), energy.elastic


def capsule(aspect_ratio: float) -> dem.Shape:
    """A capsule, or a sphere."""
    return (
        dem.Capsule(diameter=DIAMETER, aspect_ratio=aspect_ratio) if aspect_ratio > 1 else dem.Sphere(diameter=DIAMETER)
    )


def ellipsoid(aspect_ratio: float) -> dem.Ellipsoid:
    """Ellipsoid with axes α : 1 : 1/α and the volume of a sphere."""
    radius = 0.5 * DIAMETER
    return dem.Ellipsoid(semi_axes=(aspect_ratio * radius, radius, radius / aspect_ratio))


def jammed(shape: dem.Shape, number: int, seed: int, loose: float = LOOSE) -> tuple[float, list[tuple[float, float]]]:
    """Solid fraction at which a number of bodies jam, and energies per body above it.

    A periodic cube shrinks little by little with all that is in it, and bodies come to rest each time (the mechanical
    contraction of S. R. Williams, A. P. Philipse, Phys. Rev. E 67 (2003) 051301).
    """
    volume, fraction = number * shape.mass_properties(1.0).volume, loose
    box = box_of(volume, fraction)
    bodies = dem.pack(shape, STUFF, box, number=number, seed=seed)
    unit = unit_of(number)
    seen: list[tuple[float, float]] = []
    while len(seen) < ENOUGH:
        fraction *= 1 + (FINE if seen else COARSE)
        smaller = box_of(volume, fraction)
        bodies.position = bodies.position * (smaller.upper[0] / box.upper[0])
        bodies.velocity = bodies.angular_velocity = np.zeros((number, 3))
        box = smaller
        bodies, elastic = relaxed(bodies, box)
        seen = [*seen, (fraction, elastic / unit)] if elastic / unit > PRESSED else []
    return jamming_fraction(seen[ENOUGH // 2 :]), seen  # the first ones rearrange


def jamming_fraction(seen: Sequence[tuple[float, float]]) -> float:
    """Solid fraction φ_J at which the elastic energy of packings of given solid fractions and energies vanishes.

    Beyond jamming the energy of Hertzian contacts grows as (φ - φ_J)^2.5: its power 0.4 is a straight line that begins
    at φ_J.
    """
    x, y = np.array(seen).T
    slope, start = np.polyfit(x, y**0.4, 1)
    return float(-start / slope)


def packed_by_aspect_ratio(
    report: Report, shape: Callable[[float], dem.Shape], ratios: Sequence[float], number: int, loose: Sequence[float]
) -> dict[float, float]:
    """Solid fractions of random packings by aspect ratio, with table and figure; loose: initial solid fractions."""
    by = {ratio: jammed(shape(ratio), number, 1, start)[0] for ratio, start in zip(ratios, loose, strict=True)}
    report.tables["packings"] = (["aspect_ratio", "solid_fraction"], list(by.items()))
    lines = {"contraction": (list(by), list(by.values()))}
    report.figures["packings"] = curves("random packings", "aspect ratio", "solid fraction", lines, marker="o")
    return by


def packings(*, quick: bool) -> Report:
    """Solid fractions of random packings of capsules against their aspect ratio."""
    report = Report("capsule-packing", "Random packings of capsules without friction, by aspect ratio")
    ratios = (BALLS, DENSEST) if quick else (1.0, 1.2, 1.45, 1.7, 2.0, 3.0, 4.0, 6.0)
    number = 60 if quick else 250
    by = packed_by_aspect_ratio(report, capsule, ratios, number, [LOOSE] * len(ratios))
    report.near("spheres", by[BALLS], 0.637, exact="0.634 to 0.64", within=0.025, relative=False, digits=3)
    report.near(f"aspect ratio {DENSEST:g}", by[DENSEST], 0.708, exact="0.695 to 0.721", within=0.03, relative=False,
                digits=3)  # fmt: skip
    report.below("spheres over the densest", by[BALLS] / by[DENSEST], 0.95, exact="0.637/0.708 = 0.90")
    if LONGER in by:
        report.below(f"aspect ratio {LONGER:g} over the densest", by[LONGER] / by[DENSEST], 1.0, exact="below 1")
    report.statements += [
        f"{number} capsules in a periodic cube, one start each; so few bodies scatter by 0.01 to 0.02, and the way in "
        "which random packings are made shifts the result as much.",
        "Spheres: 0.634 to 0.64 (S. Torquato, F. H. Stillinger, Rev. Mod. Phys. 82 (2010) 2633). Capsules are densest "
        "near a length of the cylinder of 0.4 to 0.45 diameters: 0.695 by mechanical contraction (S. R. Williams, "
        "A. P. Philipse, Phys. Rev. E 67 (2003) 051301), 0.721(1) in maximally random jammed packings (H. Imaz "
        "González & al., J. Phys. Chem. B 127 (2023) 6814), 0.731 in mean-field theory (A. Baule & al., "
        "Nat. Commun. 4 (2013) 2194).",
    ]
    return report


def ellipsoid_packings(*, quick: bool) -> Report:
    """Solid fractions of random packings of ellipsoids α : 1 : 1/α against α."""
    report = Report("ellipsoid-packing", "Random packings of ellipsoids without friction, by aspect ratio")
    ratios = (BALLS, DENSEST_ELLIPSOID) if quick else (1.0, 1.1, 1.25, 1.4, 1.6, 2.0)
    number = 60 if quick else 150
    loose = [LOOSE / ratio**3 for ratio in ratios]  # `pack` leaves room for bounding spheres
    by = packed_by_aspect_ratio(report, ellipsoid, ratios, number, loose)
    report.near("spheres", by[BALLS], 0.637, exact="0.634 to 0.64", within=0.025, relative=False, digits=3)
    report.near(f"axes {DENSEST_ELLIPSOID:g} : 1 : {1 / DENSEST_ELLIPSOID:g}", by[DENSEST_ELLIPSOID], 0.735,
                exact="0.735 to 0.74", within=0.03, relative=False, digits=3)  # fmt: skip
    report.below("spheres over these ellipsoids", by[BALLS] / by[DENSEST_ELLIPSOID], 0.95, exact="0.637/0.735 = 0.87")
    report.statements += [
        f"{number} ellipsoids of axes α : 1 : 1/α in a periodic cube, one start each; so few bodies scatter by 0.01 to "
        "0.02, and the way in which random packings are made shifts the result as much.",
        "Spheres: 0.634 to 0.64 (S. Torquato, F. H. Stillinger, Rev. Mod. Phys. 82 (2010) 2633). Ellipsoids 1.25 : 1 : "
        "0.8: 0.735 in simulated jammed packings (A. Donev & al., Science 303 (2004) 990), 0.74 ± 0.005 in experiments "
        "with shaken ones (W. Man & al., Phys. Rev. Lett. 94 (2005) 198001).",
    ]
    return report
