"""Single impacts next to those of LAMMPS `granular`, for equal and for different contact models."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

import dem
from dem.validation.contacts.collisions import start
from dem.validation.contacts.reference_solution import ReferenceBall
from dem.validation.report import Report, curves

BALL, STIFFNESS = ReferenceBall(0.0005, dem.Material(young=7e7, poisson=0.22, density=2500)), 1e5
OBLIQUE = {"velocity": (0.3, 0.1, -0.4), "spin": (300, 800, -600), "other_velocity": (0, 0.1, 0),
           "other_spin": (-200, 500, 700)}  # fmt: skip
GEARS = {"velocity": (0, 0, -0.4), "spin": (0, 800, 0), "other_spin": (0, -800, 0)}
TOP = {"velocity": (0, 0, -0.4), "spin": (0, 0, 500), "other_spin": (0, 0, -300)}
SMOOTH = 1e-12  # friction, so that one combination of parts serves all


class PeerImpact(NamedTuple):
    """An impact, and its result in LAMMPS."""

    contact: dem.Contact
    motion: dict
    lasts: float  # [s]
    script: str  # behind pair_coeff * *
    theirs: tuple[float, ...]  # speed of parting, first velocity along x, R times first spins about y and z [m/s]
    within: float  # [m/s]


def _linear(
    friction: float, rolls: float, *, tension: bool = False, eta: float = 0.1, damping: float = 0.3
) -> dem.Contact:
    return dem.Contact(
        friction=friction, normal=dem.Linear(stiffness=STIFFNESS, tension=tension),
        damping=dem.Dashpot(coefficient=eta),
        rolling=dem.Rolling(friction=rolls, stiffness=0.5, damping=damping), twisting=dem.Twisting(model="marshall"),
    )  # fmt: skip


def _hertz(time: float, work: float, friction: float = SMOOTH) -> dem.Contact:
    return dem.Contact(friction=friction, damping=dem.Viscoelastic(time=time), adhesion=dem.DMT(work=work))


HOOKE, NO_SLIP = "hooke 1e5 0.1 damping velocity", "tangential linear_nohistory 0 0"
SPRING, LEVER = "tangential linear_history 28571.4285714 0.5", 6e-4  # the latter: half the overlap, over R, of 0.4 m/s
MINDLIN = "hertz/material 7e7 0 0.22 damping velocity tangential mindlin_rescale/force 64468594.58463805 0"
CASES = {
    "linear, ends when surfaces part": PeerImpact(
        _linear(SMOOTH, 0, tension=True), OBLIQUE, 1e-5, f"{HOOKE} {NO_SLIP}", (0.213289, 0.300263, 0.4, -0.3), 5e-4),
    "linear, ends when the force vanishes": PeerImpact(
        _linear(SMOOTH, 0), OBLIQUE, 1e-5, f"{HOOKE} {NO_SLIP} limit_damping", (0.230741, 0.300283, 0.4, -0.3), 5e-4),
    "linear, undamped, sticks, rolls and twists": PeerImpact(
        _linear(3, 0.5, eta=0, damping=0), OBLIQUE, 1e-5,
        f"hooke 1e5 0 damping velocity {SPRING} 3 rolling sds 5e4 0 0.5 twisting marshall",
        (0.398710, 0.400551, 0.075571, -0.299382), LEVER),
    "linear, undamped, slides, rolls and twists": PeerImpact(
        _linear(0.3, 0.05, eta=0, damping=0), OBLIQUE, 1e-5,
        f"hooke 1e5 0 damping velocity {SPRING} 0.3 rolling sds 5e4 0 0.05 twisting marshall",
        (0.398710, 0.400549, 0.137418, -0.299555), LEVER),
    "linear, gears": PeerImpact(
        _linear(3, 0.05), GEARS, 1e-5,
        f"{HOOKE} {SPRING} 3 rolling sds 5e4 0.256852965187 0.05 twisting marshall limit_damping",
        (0.231335, 0.0, 0.380271, 0.0), 1e-4),
    "linear, twists": PeerImpact(
        _linear(0.3, 0), TOP, 1e-5, f"{HOOKE} {SPRING} 0.3 twisting marshall limit_damping",
        (0.231335, 0.0, 0.0, 0.249768), 1e-4),
    "Hertz": PeerImpact(
        _hertz(0, 0), OBLIQUE, 1e-4, f"hertz/material 7e7 0 0.22 damping velocity {NO_SLIP}",
        (0.394747, 0.303440, 0.4, -0.3), 1e-5),
    "Hertz, sticks": PeerImpact(
        _hertz(0, 0, 3), OBLIQUE, 1e-4, f"{MINDLIN} 3", (0.392811, 0.325393, 0.347773, -0.300168), 1e-4),
    "Hertz, slides": PeerImpact(
        _hertz(0, 0, 0.3), OBLIQUE, 1e-4, f"{MINDLIN} 0.3", (0.392050, 0.368712, 0.239357, -0.299884), 2e-3),
    "Hertz, viscoelastic": PeerImpact(
        _hertz(3e-6, 0), OBLIQUE, 1e-4,
        f"hertz/material 7e7 337175667.584 0.22 damping viscoelastic {NO_SLIP} limit_damping",
        (0.298373, 0.302688, 0.4, -0.3), 1e-4),
    "Hertz, DMT": PeerImpact(
        _hertz(0, 2), OBLIQUE, 1e-4, f"dmt 7e7 0 0.22 1 damping velocity {NO_SLIP}",
        (0.394287, 0.303707, 0.4, -0.3), 1e-3),
}  # fmt: skip

STATEMENTS = [
    "LAMMPS 22 Jul 2025, `pair_style granular`, 8000 steps a contact: two spheres of 1 mm, ρ = 2500 kg/m³, E = 7e7 Pa, "
    "ν = 0.22 at (0, 0, 1 mm) and the origin, `fix nve/sphere`; scripts and starting velocities are in the table. Its "
    "figures were recorded, not run again here. LAMMPS is of first order in damped impacts, as much as 1e-4 m/s here.",
    "Arms of friction: the slip is taken at the radius by LAMMPS, at the point of contact, half the overlap nearer, "
    "here. Tolerance where surfaces hold: that share, 6e-4 m/s, and 2e-3 m/s for the softer contacts of Hertz's law.",
    "Conventions: γ of `dmt` and `jkr` is half the work of adhesion. `rolling sds` has k in N/m, which here is given "
    "over F_n/δ; `limit_damping` is what ends contacts as the force vanishes.",
    "Differs, the restitution of `coeff_restitution` with `limit_damping`: 0.6323 for 0.6 head-on at 0.4 m/s, because "
    "the damping is that of contacts which end in tension; without it LAMMPS has 0.59999, dem 0.6 with no tension.",
    "Differs, sliding with a dashpot: LAMMPS lets the spring hold what the limit leaves beside the dashpot, dem no "
    "more than the limit. The oblique impact with µ = 0.3 and the damping of the others ends 3e-3 m/s apart; with a "
    "rolling dashpot and µ_r = 0.5 spins end 0.03 m/s apart.",
    "Differs, `jkr`, by its source: LAMMPS cuts contacts at the largest tension, not where the neck breaks.",
]


def run(case: PeerImpact, steps: int) -> np.ndarray:
    """Velocities after an impact [m/s]: separation, first ball along x, R times its spins about y and z."""
    sim = start(BALL, BALL, case.contact, case.lasts / steps, **case.motion)
    sim.step(2 * steps)
    p = sim.particles
    spin = BALL.radius * p.angular_velocity[0]
    return np.array([p.velocity[0, 2] - p.velocity[1, 2], p.velocity[0, 0], spin[1], spin[2]])


def lammps(*, quick: bool) -> Report:
    """Single impacts under contact models that LAMMPS has as well."""
    report, rows = Report("lammps", "Single impacts next to LAMMPS granular"), []
    steps = 400 if quick else 2000
    for name, case in CASES.items():
        ours = run(case, steps)
        off = float(np.abs(ours - case.theirs).max())
        report.below(f"{name}: velocities after the impact, off LAMMPS's [m/s]", off, case.within)
        rows.append((name, case.script, str(case.motion), *case.theirs, *ours))
    quantities = ("parting", "velocity_x", "R_spin_y", "R_spin_z")
    columns = [f"{quantity}_{whose}" for whose in ("lammps", "ours") for quantity in quantities]
    report.tables["impacts"] = (["impact", "pair_coeff", "start", *columns], rows)
    number = list(range(len(rows)))
    report.figures["impacts"] = curves(
        "difference by impact, in the order of the table", "impact", "largest difference [m/s]",
        {"found": (number, [max(math.ulp(1.0), float(np.abs(np.subtract(r[3:7], r[7:])).max())) for r in rows]),
         "tolerance": (number, [case.within for case in CASES.values()])}, yscale="log", marker="o",
    )  # fmt: skip
    report.statements += STATEMENTS
    return report
