"""Triaxial and oedometric tests of the same grains at the same rate, in a periodic cell and between walls."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import dem
from dem.validation.element_tests.grids import GridStudy
from dem.validation.report import Report, curves

if TYPE_CHECKING:
    from collections.abc import Sequence

DIAMETER, DENSITY, PRESSURE, FRICTION = 0.004, 2500.0, 1e4, 0.5  # [m, kg/m³, Pa, -]
SPREAD = 0.2  # of the diameters about their mean
LOOSE = 0.5  # solid fraction before the compression
TIME_STEP = 4e-6  # [s]
AT_REST = 0.01  # error of the pressure
AXIAL = {"triaxial": 0.1, "oedometer": 0.02}  # strain at the end of each test
CONFINED = 0.01  # axial strain at which oedometric tests are compared
LOOKS = 50
CELL, WALLS = BOUNDARIES = ("cell", "walls")


def grain(friction: float) -> dem.Material:
    """Material of the grains with this coefficient of friction."""
    return dem.Material(young=5e7, poisson=0.3, density=DENSITY, restitution=0.5, friction=friction, name="grain")


def planes(size: np.ndarray, axial_speed: float | None = None, *, lateral: bool = True) -> list[dem.Plane]:
    """Six smooth planes about a box of this size (3,) [m]: the upper one of each axis has a servo, or a given speed.

    lateral: whether those across x and y have servos, or stay where they are.
    """
    plate = dem.Material(young=5e7, poisson=0.3, friction=0.0, name="plate")
    walls = []
    for k, axis in enumerate(np.eye(3)):
        force = PRESSURE * float(np.prod(size) / size[k])
        acts: dict = {"servo": dem.Servo(force=force, axis=tuple(-axis), fastest=0.05, gain=0.5)}
        if axial_speed is not None and k == 2:
            acts = {"motion": dem.Motion(velocity=(0, 0, -axial_speed))}
        elif not lateral:
            acts = {}
        walls += [
            dem.Plane((0, 0, 0), tuple(axis), material=plate),
            dem.Plane(tuple(size[k] * axis), tuple(-axis), material=plate, **acts),
        ]
    return walls


def simulation(
    grains: dem.Particles, boundary: str, edges: np.ndarray, rate: float | None = None, test: str = "triaxial"
) -> dem.Simulation:
    """Simulation of grains in a cell with edges (3, 3) [m], compressed isotropically or tested at a rate [1/s]."""
    common = {"gravity": (0, 0, 0), "time_step": TIME_STEP, "threads": 1}
    if boundary == WALLS:
        size = np.diagonal(edges)
        walls = planes(size, rate and rate * size[2], lateral=rate is None or test == "triaxial")
        return dem.Simulation(grains, walls=walls, **common)
    if rate is None:
        return dem.Simulation(grains, dem.Cell.isotropic(edges, pressure=PRESSURE, fastest=5.0), **common)
    if test == "oedometer":
        return dem.Simulation(grains, dem.Cell(edges, rate=(0, 0, -rate)), **common)
    cell = dem.Cell.triaxial(edges, axial_rate=rate, confinement=PRESSURE, fastest=10 * rate)
    return dem.Simulation(grains, cell, **common)


def edges_of(sim: dem.Simulation) -> np.ndarray:
    """Edges (3, 3) of the cell, or of the box between the planes [m]."""
    if not sim.walls:
        return sim.cell.edges
    return np.diag([sim.walls[2 * k + 1].position[k] for k in range(3)])


def stress_of(sim: dem.Simulation) -> np.ndarray:
    """Stress (3, 3) of the contacts [Pa]."""
    return dem.statistics.stress(sim.contact_forces(), float(np.linalg.det(edges_of(sim)))).total


def measure(*, boundary: str, seed: int, n: int, rate: float, test: str) -> dict:
    """Stress ratio, volumetric strain and axial stress over axial strain.

    Parameters
    ----------
    boundary : "cell" or "walls"
        What encloses the grains.
    seed, n : int
        Seed of the random places; number of grains.
    rate : float
        Of axial strain [1/s].
    test : "triaxial" or "oedometer"
        Whether the lateral stress or the lateral strain is held.
    """
    size = (DIAMETER * (n * math.pi / 6 * (1 + SPREAD**2) / LOOSE) ** (1 / 3),) * 3
    box = dem.Box((0, 0, 0), size, grain(0.0), periodic=("x", "y", "z") if boundary == CELL else ())
    sizes = dem.UniformSizes(lower=(1 - SPREAD) * DIAMETER, upper=(1 + SPREAD) * DIAMETER)
    loose = dem.pack_dense(dem.Sphere(diameter=DIAMETER), grain(0.0), box, number=n, seed=seed, sizes=sizes)
    press = simulation(loose, boundary, np.diag(size))
    for _ in range(60):
        press.step(1000)
        if np.abs(np.diagonal(stress_of(press)) / PRESSURE - 1).max() < AT_REST:
            break
        if boundary == WALLS:  # servos hold forces: those of the present areas
            press = simulation(press.particles, boundary, edges_of(press))
    edges, solid = edges_of(press), float(press.particles.mass.sum()) / DENSITY
    dense = dem.Particles.concatenate([
        dem.Particles(shape, grain(FRICTION), position=press.particles.position[press.particles.variant == k])
        for k, (shape, _) in enumerate(press.particles.variants)
    ])  # fmt: skip
    load, start = simulation(dense, boundary, edges, rate, test), np.linalg.det(edges)
    axial, volumetric, ratio, axial_stress = [], [], [], []
    for _ in range(LOOKS):
        load.step(math.ceil(AXIAL[test] / rate / TIME_STEP / LOOKS))
        now, stress = edges_of(load), np.diagonal(stress_of(load))
        axial.append(float(-math.log(now[2, 2] / edges[2, 2])))
        volumetric.append(float(-math.log(np.linalg.det(now) / start)))
        ratio.append(float(2 * stress[2] / (stress[0] + stress[1])))
        axial_stress.append(float(stress[2]))
    return {
        "solid_fraction": solid / float(start), "axial": axial, "volumetric": volumetric, "ratio": ratio,
        "axial_stress": axial_stress, "energy_error": load.energy_error,
    }  # fmt: skip


def angle(ratio: float) -> float:
    """Mobilised angle of friction at a ratio of principal stresses [degrees]."""
    return math.degrees(math.asin((ratio - 1) / (ratio + 1)))


def report(rows: Sequence[dict]) -> Report:
    """Report the peaks and curves of the triaxial test for both boundaries."""
    found = Report("triaxial-walls", "Triaxial tests in a periodic cell and between walls")
    peaks = {name: [angle(max(row["ratio"])) for row in rows if row["boundary"] == name] for name in BOUNDARIES}
    found.near("peak angle of friction between walls [degrees]", float(np.mean(peaks[WALLS])),
               float(np.mean(peaks[CELL])), exact=f"{np.mean(peaks[CELL]):.3g} in the cell", within=3.0,
               relative=False)  # fmt: skip
    solid = {name: np.mean([row["solid_fraction"] for row in rows if row["boundary"] == name]) for name in BOUNDARIES}
    found.below("solid fraction between walls, over that in the cell", float(solid[WALLS] / solid[CELL]), 1.0)
    names = [name for name, value in rows[0].items() if not isinstance(value, list)]
    found.tables["packings"] = names, [[row[name] for name in names] for row in rows]
    for name, label in (("ratio", "σ_z/σ_x"), ("volumetric", "volumetric strain")):
        lines = {f"{row['boundary']}, seed {row['seed']}": (100 * np.array(row["axial"]), row[name]) for row in rows}
        found.figures[name] = curves("triaxial test", "axial strain [%]", label, lines)
    found.statements += [
        "Tier: the same engine with other boundaries. Grains next to walls are looser, and servos hold forces, not "
        "stresses; stresses are those of the contacts.",
    ]
    return found


def report_oedometer(rows: Sequence[dict]) -> Report:
    """Ratio of lateral to axial stress, and stiffness, of both boundaries."""
    found = Report("oedometer-walls", "Oedometric tests in a periodic cell and between walls")
    at, stiff = {}, {}
    for name in BOUNDARIES:
        some = [row for row in rows if row["boundary"] == name]
        at[name] = float(np.mean([1 / np.interp(CONFINED, row["axial"], row["ratio"]) for row in some]))
        stiff[name] = float(np.mean([np.interp(CONFINED, row["axial"], row["axial_stress"]) for row in some]))
    where = f"at an axial strain of {100 * CONFINED:g} %"
    found.near(f"lateral over axial stress between walls, {where}", at[WALLS], at[CELL],
               exact=f"{at[CELL]:.3g} in the cell", within=0.1, relative=False)  # fmt: skip
    found.below(f"axial stress between walls over that in the cell, {where}", stiff[WALLS] / stiff[CELL], 1.0)
    off = max(abs(row["volumetric"][-1] / row["axial"][-1] - 1) for row in rows)
    found.below("volumetric over axial strain, less 1", off, 1e-9)
    names = [name for name, value in rows[0].items() if not isinstance(value, list)]
    found.tables["packings"] = names, [[row[name] for name in names] for row in rows]
    lines = {
        f"{row['boundary']}, seed {row['seed']}": (100 * np.array(row["axial"]), np.array(row["axial_stress"]) / 1e3)
        for row in rows
    }
    found.figures["stress"] = curves("oedometric test", "axial strain [%]", "axial stress [kPa]", lines)
    found.statements += [
        "Tier: the same engine with other boundaries. Grains next to smooth walls are looser and yield more, so that "
        "the axial stress grows less and the ratio of lateral to axial stress is higher; tolerance 0.1 of the ratio.",
    ]
    return found


COMPARED = GridStudy(
    "triaxial-walls",
    grid={"boundary": BOUNDARIES, "seed": (1, 2), "n": (2000,), "rate": (0.3,), "test": ("triaxial",)},
    quick={"seed": (1,), "n": (400,), "rate": (0.7,)},
    measure=measure, report=report, cost=lambda point: point["n"] / point["rate"],
)  # fmt: skip
OEDOMETERS = COMPARED._replace(
    name="oedometer-walls", grid=COMPARED.grid | {"test": ("oedometer",)}, report=report_oedometer
)
