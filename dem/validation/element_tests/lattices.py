"""Face-centred cubic lattices of equal Hertzian spheres: elastic moduli, and failure in a triaxial test."""

from __future__ import annotations

import itertools
import math

import numpy as np

import dem
from dem.validation.report import Report, curves

DIAMETER, YOUNG, POISSON, DENSITY = 0.01, 5e7, 0.3, 2000.0  # [m, Pa, -, kg/m³]
MODULUS = YOUNG / (2 * (1 - POISSON**2))  # E* of equal spheres [Pa]
NEIGHBOURS = np.array([
    pair for pair in itertools.product((-1, 0, 1), repeat=3) if sum(map(abs, pair)) == 2
])  # fmt: skip
"""Directions (12, 3) of the nearest neighbours times √2."""
FRICTIONS = (0.1, 0.3, 0.5)
OVERLAP = 1e-4  # over the diameter, of the frictional lattice at first: failure is that of rigid spheres
AXIAL = 6e-4  # strain of the triaxial test at its end
LOOKS = 120


def force_at(distance: np.ndarray | float) -> np.ndarray | float:
    """Hertz's force 4/3 E* √(d/4) δ^1.5 between spheres at a distance of their centres [N]."""
    return 4 / 3 * MODULUS * math.sqrt(DIAMETER / 4) * np.maximum(DIAMETER - distance, 0) ** 1.5


def lattice_stress(distance: float, deformation: np.ndarray) -> np.ndarray:
    """Stress (3, 3) [Pa] of a lattice with this nearest distance [m] after the deformation x -> F x.

    P = (1/2V) Σ r ⊗ F over the twelve neighbours of a sphere and its volume V = s³/√2 det F.
    """
    branch = distance / math.sqrt(2) * NEIGHBOURS @ np.asarray(deformation).T
    far = np.linalg.norm(branch, axis=1)
    volume = distance**3 / math.sqrt(2) * np.linalg.det(deformation)
    return np.einsum("n,na,nb->ab", force_at(far) / far, branch, branch) / (2 * volume)


def lattice(distance: float, friction: float = 0.0, restitution: float = 1.0) -> tuple[dem.Particles, float]:
    """32 spheres on a face-centred cubic lattice of this nearest distance [m], and the edge of their cell [m]."""
    edge, places = math.sqrt(2) * distance, np.array([[0, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]]) / 2
    corners = np.stack(np.meshgrid(*[np.arange(2)] * 3, indexing="ij"), -1).reshape(-1, 3)
    x = edge * ((corners[:, None] + places).reshape(-1, 3) + 0.25)
    material = dem.Material(
        young=YOUNG, poisson=POISSON, density=DENSITY, friction=friction, restitution=restitution, name="sphere"
    )
    return dem.Particles(dem.Sphere(diameter=DIAMETER), material, position=x), 2 * edge


def deformed_stress(distance: float, strain: np.ndarray, steps: int, time_step: float = 1e-6) -> np.ndarray:
    """Stress (3, 3) [Pa] of a frictionless lattice after a cell has deformed it by exp(strain) in a number of steps."""
    spheres, edge = lattice(distance)
    cell = dem.Cell((edge,) * 3, rate=np.asarray(strain) / (steps * time_step))
    sim = dem.Simulation(spheres, cell, gravity=(0, 0, 0), time_step=time_step, threads=1)
    sim.step(steps)
    return sim.cell.stress.total


def moduli(distance: float, strain: float, steps: int) -> dict[str, tuple[float, float]]:
    """Bulk modulus and two shear moduli of a lattice [Pa], measured in cells and from the lattice sum.

    -dp/(dV/V) between compressions to either side; C44 from simple shear, and C' = (C11 - C12)/2 of a pure shear along
    the axes of the cube, where stresses P are per present area.
    """
    unit, shear, pure = np.eye(3), np.zeros((3, 3)), np.diag([1.0, -1.0, 0.0])
    shear[0, 1] = 1.0
    found = {}
    for name, mode, of in (
        ("bulk modulus", unit, lambda change: -np.trace(change) / 9),
        ("shear modulus, simple shear", shear, lambda change: -change[0, 1]),
        ("shear modulus, pure shear", pure, lambda change: -(change[0, 0] - change[1, 1]) / 4),
    ):
        both = []
        for stress in (
            lambda sign, mode=mode: deformed_stress(distance, sign * strain * mode, steps),
            lambda sign, mode=mode: lattice_stress(distance, exponential(sign * strain * mode)),
        ):
            both.append(of((stress(1) - stress(-1)) / (2 * strain)))
        found[name] = float(both[0]), float(both[1])
    return found


def exponential(strain: np.ndarray) -> np.ndarray:
    """exp of a small strain, by its series."""
    return np.eye(3) + strain + strain @ strain / 2 + strain @ strain @ strain / 6


def failure(friction: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Axial strain and σ_z/σ_x (LOOKS,) of a frictional lattice in a drained triaxial test of a number of steps."""
    distance, time_step = (1 - OVERLAP) * DIAMETER, 2e-5
    spheres, edge = lattice(distance, friction, restitution=0.5)
    pressure = 2 * math.sqrt(2) * force_at(distance) / distance**2
    rate = AXIAL / (steps * time_step)
    cell = dem.Cell.triaxial((edge,) * 3, axial_rate=rate, confinement=pressure, fastest=10 * rate)
    sim = dem.Simulation(spheres, cell, gravity=(0, 0, 0), time_step=time_step, threads=1)
    strain, ratio = [], []
    for _ in range(LOOKS):
        sim.step(steps // LOOKS)
        stress = sim.cell.stress.total.diagonal()
        strain.append(-sim.cell.strain[2, 2])
        ratio.append(2 * stress[2] / (stress[0] + stress[1]))
    return np.array(strain), np.array(ratio)


def lattices(*, quick: bool) -> Report:
    """Moduli next to sums over neighbours, and stress ratios at failure next to those of rigid spheres."""
    report = Report("fcc-lattices", "Face-centred cubic lattices: moduli, and failure in a triaxial test")
    for distance in (0.999 * DIAMETER, 0.99 * DIAMETER):
        for name, (ours, exact) in moduli(distance, 1e-5, 20).items():
            where = f"{name} at a distance of {distance / DIAMETER:g} d [Pa]"
            report.near(where, ours, exact, exact=f"{exact:.6g}", within=1e-6, digits=6)
    lines = {}
    for friction in FRICTIONS:
        strain, ratio = failure(friction, 6000 if quick else 30_000)
        exact = 2 * (1 + friction) / (1 - friction)
        report.near(f"σ_z/σ_x at failure, friction {friction:g}", float(ratio.max()), exact, exact=f"{exact:.4g}",
                    within=0.02)  # fmt: skip
        lines[f"friction {friction:g}"] = 100 * strain, ratio
        lines[f"2 (1 + μ)/(1 - μ), μ = {friction:g}"] = 100 * strain[[0, -1]], [exact, exact]
    names = ["axial_strain_percent", *(f"ratio_{friction:g}" for friction in FRICTIONS)]
    columns = [next(iter(lines.values()))[0], *(ratio for name, (_, ratio) in lines.items() if "friction" in name)]
    report.tables["triaxial"] = names, np.column_stack(columns).tolist()
    report.figures["triaxial"] = curves("fcc lattice", "axial strain [%]", "σ_z/σ_x", lines)
    report.statements += [
        "Tier: closed forms. Failure of rigid spheres along an axis of the cube at 2 (1 + μ)/(1 - μ) (C. Thornton, The "
        "conditions for failure of a face-centered cubic array of uniform rigid spheres, Géotechnique 29 (1979) 441); "
        "moduli from the sum of Hertz's forces over the twelve neighbours, in the deformed lattice.",
        f"Overlaps at failure are some {OVERLAP:g} of the diameter, so that spheres are nearly rigid.",
    ]
    return report
