"""Convex grains, and clumps of spheres in their places, in a hopper and in a drum."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import dem
from dem.case import case
from dem.statistics import drum_angle
from dem.validation.element_tests.grids import GridStudy
from dem.validation.report import Report, curves

if TYPE_CHECKING:
    from collections.abc import Sequence

G, STEP = 9.81, 2.5e-5  # [m/s²], [s]
HOPPER, DRUM = "hopper", "drum"
CASES = {
    HOPPER: ("ellipsoids-hopper", {"n": 300, "exponent": 4.0}),
    DRUM: ("superellipsoid-drum", {}),
}


class Body(NamedTuple):
    """What takes the place of a grain."""

    spheres: int = 0  # of a clump
    equal_volume: bool = False  # whether the clump is enlarged to the volume of the grain


GRAIN, SPHERE = "grain", "sphere"
CLUMPS = {
    "40 spheres": Body(40), "12 spheres": Body(12), "12 spheres, equal volume": Body(12, equal_volume=True),
}  # fmt: skip
BODIES = {GRAIN: Body()} | CLUMPS | {SPHERE: Body()}
REST, DROP = 0.3, 0.06  # how long grains come to rest over the closed slot [s]; slot above the floor [m]
LOOK, LATEST = 0.005, 2.0  # between looks at hopper and drum; end of a discharge that stops [s]
FIRST, MIDDLE, LAST = 0.2, 0.45, 0.7  # discharged shares between which the rate is measured
ROUGH = 1.0  # coefficient of friction of the drum, in which the bed slips less than at 0.4
WARM, TURNING = 0.7, 1.2  # time before the angle is measured, and while it is [s]
WALL = 0.75  # diameters: grains nearer than that to the drum are in its outer layer
NEAR_RATE, NEAR_ANGLE = 0.25, 3.0  # deviations of clumps from grains: those inside lack up to 18 % of the volume; [°]
STUDENT = {4: 2.78, 6: 2.45, 8: 2.31, 10: 2.23}  # by degrees of freedom: of a probability of 5 %, two-sided
RESULTS = {"rate_per_s": "discharge rate [1/s]", "half_s": "time until half is out [s]", "angle_deg": "angle [°]"}

SHOWN = {HOPPER: ("rate_per_s", "half_s", "trend", "pause_s"), DRUM: ("angle_deg", "trend_deg", "rotation")}


def bodies(made: dem.Case, name: str) -> dem.Particles:
    """Bodies of a name of `BODIES` at the start of a case, each of the mass of a grain."""
    start, body, material = made.build()[0], BODIES[name], made.material()
    if name == SPHERE:
        return dem.Particles(dem.Sphere(diameter=made.diameter), material, position=start.position)
    shape = made.model_copy(update={"spheres": body.spheres}).shapes()[0]
    if body.equal_volume:
        volume = 1 / shape.fit.volume_ratio
        shape = shape.scaled(volume ** (1 / 3))
        material = dataclasses.replace(material, density=made.density / volume)
    return dem.Particles(shape, material, position=start.position, orientation=start.orientation)


def simulation(particles: dem.Particles, made: dem.Case, box: dem.Box | None) -> dem.Simulation:
    """Simulation of bodies between the walls of a case."""
    return dem.Simulation(particles, box, walls=made.walls(), gravity=(0, 0, -G), time_step=STEP, threads=1)


def checked(sim: dem.Simulation) -> str:
    """Status of the verdict; raises RuntimeError if it is a failure."""
    verdict = sim.verdict()
    if verdict.status == "FAIL":
        raise RuntimeError(str(verdict))
    return verdict.status


def discharge(name: str, seed: int, scale: float) -> dict:
    """Discharge of a hopper through a slot, which opens after the bodies have come to rest."""
    kind, numbers = CASES[HOPPER]
    chosen = numbers | {"n": round(scale * numbers["n"]), "seed": seed}
    closed, opened = (case(kind)(drop=drop, **chosen) for drop in (1e-6, DROP))
    sim = simulation(bodies(closed, name), closed, closed.build()[1])
    sim.step(round(REST / STEP))
    checked(sim)
    sim = simulation(sim.particles.copy(), opened, opened.build()[1])
    time, share = [0.0], [0.0]
    while share[-1] < LAST and sim.time < LATEST:
        sim.step(round(LOOK / STEP))
        time.append(sim.time)
        share.append(float((sim.particles.position[:, 2] < 0).mean()))
    first, middle, half, last = np.interp((FIRST, MIDDLE, 0.5, LAST), share, time, right=math.nan).tolist()
    flowing = [t for t, before, after in zip(time[1:], share, share[1:], strict=False) if after > before]
    return {
        "rate_per_s": chosen["n"] * (LAST - FIRST) / (last - first), "half_s": half,
        "trend": (middle - first) / (last - middle) * (LAST - MIDDLE) / (MIDDLE - FIRST),
        "pause_s": float(np.diff([0.0, *flowing, time[-1]]).max()), "status": checked(sim),
        "time_s": time, "share": share,
    }  # fmt: skip


def turning(name: str, seed: int, scale: float) -> dict:
    """Angle of the surface in a rough drum that turns at a constant rate."""
    kind, numbers = CASES[DRUM]
    made = case(kind)(seed=seed, **numbers)
    rough = made.model_copy(update={"friction": ROUGH**2 / made.friction})  # friction of a pair: geometric mean
    sim = simulation(bodies(made, name), rough, None)
    time, angle, rotation, start = [], [], [], round(WARM / LOOK)
    for look in range(start + round(scale * TURNING / LOOK)):
        sim.step(round(LOOK / STEP))
        x, mass = sim.particles.position, sim.particles.mass
        time.append(sim.time)
        angle.append(abs(math.degrees(drum_angle(x, mass, (0, 0, 0)))))
        if look >= start:
            outer = made.radius - WALL * made.diameter
            rotation.append(outer_rotation(x, sim.particles.velocity, outer) / made.rate)
    first, second = np.array_split(angle[start:], 2)
    return {
        "angle_deg": float(np.mean(angle[start:])), "trend_deg": float(second.mean() - first.mean()),
        "rotation": float(np.mean(rotation)), "status": checked(sim), "time_s": time, "angles_deg": angle,
    }  # fmt: skip


def outer_rotation(x: np.ndarray, v: np.ndarray, radius: float) -> float:
    """Mean angular velocity about y of the bodies beyond a radius, within 30° of the centre of mass [rad/s]."""
    r, centre = np.hypot(x[:, 0], x[:, 2]), x.mean(0)
    along = (x[:, 0] * centre[0] + x[:, 2] * centre[2]) / (r * math.hypot(centre[0], centre[2]))
    chosen = (r > radius) & (along > math.cos(math.radians(30)))
    return float(np.mean((v[:, 0] * x[:, 2] - v[:, 2] * x[:, 0])[chosen] / r[chosen] ** 2))


def measure(*, device: str, body: str, seed: int, scale: float) -> dict:
    """Discharge of a hopper, or angle in a drum.

    Parameters
    ----------
    device : str
        ``"hopper"`` or ``"drum"``.
    body : str
        A name of `BODIES`.
    seed : int
        Of the random start, which is the same for all bodies.
    scale : float
        Of the number of bodies in the hopper, and of the time for which the angle in the drum is measured.
    """
    return {HOPPER: discharge, DRUM: turning}[device](body, seed, scale)


class Difference(NamedTuple):
    """Difference of two means, and its standard error."""

    value: float
    error: float
    limit: float  # above which a difference has a probability below 5 % if there is none

    @property
    def clear(self) -> bool:
        """Whether the difference is larger than the scatter of the starts explains."""
        return abs(self.value) > self.limit

    def __str__(self) -> str:
        """Difference and standard error."""
        return f"{self.value:+.3g} ± {self.error:.2g}"


def difference(found: Sequence[float], reference: Sequence[float]) -> Difference:
    """Difference of the means of two samples of the same size, judged by Student's t.

    Examples
    --------
    >>> difference([3.0, 4.0, 5.0], [1.0, 2.0, 3.0]).clear, difference([2.0, 3.0, 4.0], [1.0, 2.0, 3.0]).clear
    (False, False)
    >>> difference([13.0, 14.0, 15.0], [1.0, 2.0, 3.0]).clear
    True
    """
    count = len(found)
    error = math.sqrt((np.var(found, ddof=1) + np.var(reference, ddof=1)) / count)
    return Difference(float(np.mean(found) - np.mean(reference)), error, STUDENT[2 * count - 2] * error)


def values(rows: Sequence[dict], body: str, key: str) -> list[float]:
    """Values of a result of a body, by start."""
    chosen = [row for row in rows if row["body"] == body and key in row]
    return [row[key] for row in sorted(chosen, key=lambda row: row["seed"])]


def report(rows: Sequence[dict]) -> Report:
    """Differences of grains and clumps in both devices, next to the scatter of the starts."""
    found = Report("grains-and-clumps", "Convex grains and clumps of spheres in a hopper and in a drum")
    names = [name for name in BODIES if any(row["body"] == name for row in rows)]
    quick = any(row["scale"] < 1 for row in rows)
    hoppers, drums = ([row for row in rows if row["device"] == device] for device in CASES)
    for name in names:
        if hoppers:
            steady_flow(found, hoppers, name, quick=quick)
        if drums:
            steady_rotation(found, drums, name, quick=quick)
    if not quick and GRAIN in names:
        compare(found, rows, names)
        found.statements += differences(rows, names)
    for device, keys in SHOWN.items():
        head = ["body", "seed", *keys, "status"]
        found.tables[device] = head, [[row[key] for key in head] for row in rows if row["device"] == device]
    if hoppers:
        found.figures["hopper"] = curves("discharge of a hopper, first start", "time [s]", "discharged share", {
            name: (values(hoppers, name, "time_s")[0], values(hoppers, name, "share")[0]) for name in names
        })  # fmt: skip
    if drums:
        found.figures["drum"] = curves("rotating drum, mean of the starts", "time [s]", "angle [°]", {
            name: (values(drums, name, "time_s")[0], np.mean(values(drums, name, "angles_deg"), axis=0))
            for name in names
        })  # fmt: skip
    warned = sum(row["status"] != "PASS" for row in rows)
    found.statements += [
        f"Friction {case(CASES[HOPPER][0])().friction:g}, of the drum {ROUGH:g}. All bodies of a start have the same "
        f"places, orientations and masses; verdicts other than PASS: {warned} of {len(rows)} runs.",
        "No experiment is compared with. A. Podlozhnyuk, S. Pirker, C. Kloss, Comput. Part. Mech. 4 (2017) 101, test "
        "superquadrics by the discharge of hoppers and by angles of repose.",
    ]
    return found


def steady_flow(found: Report, rows: Sequence[dict], name: str, *, quick: bool) -> None:
    """Check that the hopper flows without a break, at a constant rate."""
    found.below(f"hopper, {name}: longest time without a body that leaves [s]",
                max(values(rows, name, "pause_s")), 0.05)  # fmt: skip
    if not quick:
        found.near(f"hopper, {name}: discharge rate from 45 to 70 % over that from 20 to 45 %",
                   float(np.mean(values(rows, name, "trend"))), 1.0, exact="1", within=0.25)  # fmt: skip


def steady_rotation(found: Report, rows: Sequence[dict], name: str, *, quick: bool) -> None:
    """Check that the angle in the drum has no trend, and that the outer layer moves with the drum."""
    if not quick:
        found.near(f"drum, {name}: second half minus first half of the angles [°]",
                   float(np.mean(values(rows, name, "trend_deg"))), 0.0, exact="0", within=2.0,
                   relative=False)  # fmt: skip
    if name != SPHERE:  # spheres roll on the drum
        found.near(f"drum, {name}: rotation of the outer layer over that of the drum",
                   float(np.mean(values(rows, name, "rotation"))), 1.0, exact="1", within=0.25)  # fmt: skip


def compare(found: Report, rows: Sequence[dict], names: Sequence[str]) -> None:
    """Check that clumps are near to the grain, and spheres of its volume are not."""
    mean = {(name, key): float(np.mean(values(rows, name, key))) for name in names for key in RESULTS
            if values(rows, name, key)}  # fmt: skip
    for name in (each for each in names if each in CLUMPS):
        if (GRAIN, "rate_per_s") in mean:
            found.near(f"hopper, {name}: discharge rate over that of grains",
                       mean[name, "rate_per_s"] / mean[GRAIN, "rate_per_s"], 1.0, within=NEAR_RATE)  # fmt: skip
        if (GRAIN, "angle_deg") in mean:
            found.near(f"drum, {name}: angle minus that of grains [°]",
                       mean[name, "angle_deg"] - mean[GRAIN, "angle_deg"], 0.0, within=NEAR_ANGLE,
                       relative=False)  # fmt: skip
    if (SPHERE, "angle_deg") in mean:
        off = mean[SPHERE, "angle_deg"] - mean[GRAIN, "angle_deg"]
        found.below("drum, sphere: angle minus that of grains [°]", off, -3 * NEAR_ANGLE)


def differences(rows: Sequence[dict], names: Sequence[str]) -> list[str]:
    """Sentences that compare each body with the grain."""
    sentences = []
    for key, words in RESULTS.items():
        grain = values(rows, GRAIN, key)
        if 2 * len(grain) - 2 not in STUDENT:
            continue
        told = [f"grain {np.mean(grain):.4g} ± {np.std(grain, ddof=1):.2g}"]
        for name in names:
            if name != GRAIN:
                off = difference(values(rows, name, key), grain)
                told.append(f"{name} {off} ({'above' if off.clear else 'within'} the scatter)")
        sentences.append(f"{words}, mean and standard deviation, then differences and their standard errors: "
                         f"{'; '.join(told)}.")  # fmt: skip
    return sentences


def cost(point: dict) -> float:
    """Rough time of a run: more spheres take longer."""
    return (1 + 0.1 * BODIES[point["body"]].spheres) * (2 if point["device"] == DRUM else 1)


GRAINS_AND_CLUMPS = GridStudy(
    "grains-and-clumps",
    grid={"device": (HOPPER, DRUM), "body": tuple(BODIES), "seed": (1, 2, 3, 4, 5), "scale": (1.0,)},
    quick={"body": (GRAIN, "12 spheres"), "seed": (1,), "scale": (0.5,)},
    measure=measure, report=report, cost=cost,
)  # fmt: skip
