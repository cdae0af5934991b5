"""A drained triaxial test in a periodic cell, next to the same test in YADE.

The example of GrainLearning (H. Cheng et al., https://github.com/GrainLearning/grainLearning, tutorial "DEM triaxial
compression"): 1000 spheres at a void ratio of 0.68 are compressed to 0.5 MPa and then along z at constant lateral
stress. YADE's law is linear, with k_n = E R for equal spheres, k_t = ν k_n, and springs of stiffness α k_t R² that
resist rolling, up to η R F_n.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import dem
from dem.validation.element_tests.grids import GridStudy
from dem.validation.report import Report, curves

if TYPE_CHECKING:
    from collections.abc import Sequence

DIAMETER, DENSITY, PRESSURE = 0.02, 2650.0, 0.5e6  # [m, kg/m³, Pa]
YOUNG, TANGENTIAL = 1e9, 0.1  # E of k_n = E R [Pa], k_t/k_n
VOID_RATIO = 0.68  # before the compression
RESTITUTION = 0.6  # in place of YADE's damping of all accelerations
STEPS = 20  # of an impact
AXIAL = 0.1  # strain at the end
LOOKS = 100
RESULTS = {  # of YADE: σ_z/σ_x and volumetric strain [%] at axial strains [%]
    0.4: (1.785, 0.189), 0.8: (2.381, 0.336), 1.2: (2.813, 0.418), 1.6: (3.129, 0.438), 2.0: (3.335, 0.411),
    2.4: (3.529, 0.350), 2.8: (3.695, 0.256), 3.2: (3.818, 0.130), 3.6: (3.927, -0.009), 4.0: (3.992, -0.162),
    5.2: (4.124, -0.663), 6.0: (4.188, -1.054), 8.0: (4.170, -1.885), 10.0: (4.149, -2.740),
}  # fmt: skip
CHECKED = {0.4: 0.15, 2.0: 0.1, 4.0: 0.1}  # axial strains [%], and tolerances: at first the curve is steep


def measure(*, seed: int, n: int, friction: float, rolling: float, limit: float, inertial: float) -> dict:
    """Stress ratio and volumetric strain over axial strain of one packing.

    Parameters
    ----------
    seed, n : int
        Seed of the random places; number of spheres.
    friction : float
        Coefficient of friction.
    rolling, limit : float
        Stiffness α of the springs against rolling over k_t R², and largest couple η over R F_n.
    inertial : float
        Axial rate of strain times d √(ρ/p).
    """
    stiffness = 0.5 * YOUNG * DIAMETER
    # such that E^(2/3) p^(1/3), by which the cell controls its stress, is the stiffness of the springs, some 0.3 k_n/d
    grain = dem.Material(young=(0.3 * YOUNG / (2 * PRESSURE)) ** 1.5 * PRESSURE, poisson=0.3, density=DENSITY,
                         name="grain")  # fmt: skip
    # the effective radius is R/2: couples over R* F_n, stiffness over F_n/δ R*²
    roll = dem.Rolling(friction=2 * limit, stiffness=4 * rolling * TANGENTIAL) if rolling else None
    contacts = dem.Contacts({
        (grain, grain): dem.Contact(
            restitution=RESTITUTION, friction=friction, rolling=roll,
            normal=dem.Linear(stiffness=stiffness, tangential=TANGENTIAL),
        )
    })  # fmt: skip
    mass = DENSITY * math.pi / 6 * DIAMETER**3
    time_step = math.pi * math.sqrt(mass / (2 * stiffness)) / STEPS
    edges = (DIAMETER * (n * math.pi / 6 * (1 + VOID_RATIO)) ** (1 / 3),) * 3
    box = dem.Box((0, 0, 0), edges, grain, periodic=("x", "y", "z"))
    loose = dem.pack_dense(dem.Sphere(diameter=DIAMETER), grain, box, number=n, seed=seed)
    common = {"gravity": (0, 0, 0), "time_step": time_step, "contacts": contacts, "threads": 1}
    rate = inertial / DIAMETER * math.sqrt(PRESSURE / DENSITY)
    press = dem.Simulation(loose, dem.Cell.isotropic(edges, pressure=PRESSURE, fastest=10 * rate), **common)
    for _ in range(100):
        press.step(1000)
        if abs(press.cell.stress.pressure / PRESSURE - 1) < 1e-3 and press.cell.unbalanced < 1e-3:
            break
    at_rest = press.cell
    cell = dem.Cell.triaxial(at_rest.edges, axial_rate=rate, confinement=PRESSURE, fastest=10 * rate)
    test = dem.Simulation(press.particles, cell, **common)
    axial, volumetric, ratio, lateral = [], [], [], []
    for _ in range(LOOKS):
        test.step(math.ceil(AXIAL / rate / time_step / LOOKS))
        stress, strain = test.cell.stress.total.diagonal(), test.cell.strain.diagonal()
        axial.append(float(-strain[2]))
        volumetric.append(float(-strain.sum()))
        ratio.append(float(2 * stress[2] / (stress[0] + stress[1])))
        lateral.append(float(0.5 * (stress[0] + stress[1])) / PRESSURE)
    return {
        "void_ratio": float(at_rest.void_ratio), "coordination": float(at_rest.coordination),
        "unbalanced": float(at_rest.unbalanced), "lateral_held": float(np.mean(lateral[LOOKS // 5 :])), "axial": axial,
        "volumetric": volumetric, "ratio": ratio, "energy_error": test.energy_error,
    }  # fmt: skip


def report(rows: Sequence[dict]) -> Report:
    """Report the curves of all packings next to YADE's."""
    found = Report("triaxial-cell", "Drained triaxial test in a periodic cell, next to YADE")
    rows = sorted(rows, key=lambda row: row["seed"])
    strains = sorted(RESULTS)
    ratios = np.array([np.interp(strains, 100 * np.array(row["axial"]), row["ratio"]) for row in rows])
    volumes = np.array([np.interp(strains, 100 * np.array(row["axial"]), row["volumetric"]) for row in rows])
    for strain, within in CHECKED.items():
        seen = ratios[:, strains.index(strain)]
        scatter = float(seen.std(ddof=1)) if len(seen) > 1 else 0.0
        found.near(f"σ_z/σ_x at an axial strain of {strain:g} % (standard deviation of seeds {scatter:.2g})",
                   float(seen.mean()), RESULTS[strain][0], published=f"{RESULTS[strain][0]:g}",
                   within=within)  # fmt: skip
    off = max(abs(row["lateral_held"] - 1) for row in rows)
    found.below("mean error of the lateral stress after a fifth of the test, over it", off, 2e-3)
    names = [name for name, value in rows[0].items() if not isinstance(value, list)]
    found.tables["packings"] = names, [[row[name] for name in names] for row in rows]
    found.tables["curves"] = (
        ["axial_strain_percent", "ratio", "ratio_deviation", "volumetric_percent", "yade_ratio", "yade_volumetric"],
        [
            [strain, ratios[:, k].mean(), ratios[:, k].std(), 100 * volumes[:, k].mean(), *RESULTS[strain]]
            for k, strain in enumerate(strains)
        ],
    )
    for name, label, which in (("ratio", "σ_z/σ_x", 0), ("volumetric", "volumetric strain [%]", 1)):
        lines = {
            f"seed {row['seed']}": (100 * np.array(row["axial"]), (100 if which else 1) * np.array(row[name]))
            for row in rows
        }
        lines["YADE"] = (strains, [RESULTS[strain][which] for strain in strains])
        found.figures[name] = curves("drained triaxial test", "axial strain [%]", label, lines)
    found.statements += [
        "Tier: another code. YADE's curve is that of the tutorial of GrainLearning, E = 1 GPa, k_t = 0.1 k_n, a "
        "friction of tan 30° and springs against rolling of 0.1 k_t R². Its packing and sizes of spheres are not "
        "published, and the limit of its rolling couple is taken to be the default of its script, 0.74 R F_n; here "
        "spheres are equal. Above a limit of 0.3 R F_n the curve hardly changes; at 0.1 the peak is a sixth lower.",
        "Void ratios after the compression: " + ", ".join(f"{row['void_ratio']:.3f}" for row in rows) + ".",
    ]
    return found


DRAINED = GridStudy(
    "triaxial-cell",
    grid={
        "seed": (1, 2, 3, 4, 5), "n": (1000,), "friction": (math.tan(math.radians(30)),), "rolling": (0.1,),
        "limit": (0.74,), "inertial": (5e-4,),
    },
    quick={"seed": (1,), "n": (300,), "inertial": (2e-3,)},
    measure=measure, report=report, cost=lambda point: point["n"] / point["inertial"],
)  # fmt: skip
