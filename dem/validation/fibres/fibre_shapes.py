"""One fibre in three forms: capsule, chain of five spheres and fine chain.

One impact, nine fibres, beds of many, and heaps below a tube that is lifted.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

import dem
from dem.case import case
from dem.model.shapes.bodies import Spheres
from dem.statistics.profiles import angle_of_repose, cone_profile
from dem.validation.fluids.fibres_in_flow import axes
from dem.validation.report import Report, curves

DIAMETER, RATIO, DENSITY = 0.01, 3.0, 1100.0
FINE = 17  # spheres of the fine chain: its grooves are 0.008 R deep, those of five spheres 0.134 R
CAPSULE = dem.Capsule(diameter=DIAMETER, aspect_ratio=RATIO)
MASS = CAPSULE.mass_properties(DENSITY).mass
G = 9.81
NUMBER, TUBE = 150, 0.05  # of fibres, radius of the tube [m]
LIFT, RESTING = 0.1, 0.5  # speed at which it goes up [m/s], time that is left to the heap after that [s]
EDGES = DIAMETER * np.arange(21)  # of the rings about the axis in which heights are taken


class FibreForm(NamedTuple):
    """A shape of the fibre, and the density that gives it the mass of the capsule."""

    shape: dem.Fibre | dem.Capsule
    density: float


def form_of(shape: dem.Fibre | dem.Capsule) -> FibreForm:
    """Form of a shape with the capsule's mass."""
    return FibreForm(shape, MASS / shape.mass_properties(1.0).mass)


FORMS = {"capsule": form_of(CAPSULE)} | {
    f"chain of {n}": form_of(dem.Fibre(diameter=DIAMETER, aspect_ratio=RATIO, spheres=n)) for n in (5, FINE)
}


# ---- one end on a wall -----------------------------------------------------------------------------------------------


class FibreRebound(NamedTuple):
    """Result of an impact: normal velocity over that before, spin over 2 v/length."""

    velocity: float
    spin: float


def rebound(form: FibreForm, angle: float) -> FibreRebound:
    """Closed form of a frictionless elastic impact of the lower end, for an angle of the axis to the wall [°].

    The impulse is J = 2 v/(1/m + (r x n)²/I), r from the centre of mass to the point of contact; then v' = -v + J/m and
    ω' = J (r x n)/I (any text on rigid bodies, e.g. W. J. Stronge, *Impact Mechanics*, 2nd ed. 2018, chapter 3).
    """
    of, arm = form.shape.mass_properties(form.density), 0.5 * (RATIO - 1) * DIAMETER * math.cos(math.radians(angle))
    impulse = 2 / (1 / of.mass + arm**2 / of.inertia[1])
    return FibreRebound(impulse / of.mass - 1, -impulse * arm / of.inertia[1] * RATIO * DIAMETER / 2)


def tip_impact(form: FibreForm, angle: float, speed: float, steps: int) -> FibreRebound:
    """Rebound of a simulated fibre that falls on its lower end at a speed [m/s], with `steps` time steps a contact."""
    stuff = dem.Material(young=5e7, poisson=0.35, density=form.density)
    tilt, half = math.radians(angle), 0.5 * (RATIO - 1) * DIAMETER
    of = form.shape.mass_properties(form.density)
    reduced = 1 / (1 / of.mass + (half * math.cos(tilt)) ** 2 / of.inertia[1])
    stiffness = 4 / 3 * stuff.young / (2 * (1 - stuff.poisson**2)) * math.sqrt(DIAMETER / 2)
    # the duration of `reference_solution.hertz_impact`, 2 √π Γ(7/5)/Γ(9/10) = 2.943275
    lasting = 2.943275 * (1.25 * reduced / (stiffness * math.sqrt(speed))) ** 0.4
    high = half * math.sin(tilt) + DIAMETER / 2 + 0.25 * speed * lasting / steps
    one = dem.Particles(
        form.shape, stuff, position=[(0, 0, high)], velocity=[(0, 0, -speed)],
        orientation=[(math.cos(tilt / 2), 0, math.sin(tilt / 2), 0)],
    )  # fmt: skip
    floor = dem.Box((-1, -1, 0), (1, 1, 1), material=stuff)
    sim = dem.Simulation(one, floor, gravity=(0, 0, 0), time_step=lasting / steps, threads=1)
    sim.step(round(1.1 * steps))
    spin = float(sim.particles.angular_velocity[0, 1]) * RATIO * DIAMETER / (2 * speed)
    return FibreRebound(float(sim.particles.velocity[0, 2]) / speed, spin)


def report_impacts(report: Report, steps: int) -> None:
    """Report rebounds of all forms, and their convergence to those of an impulse as impacts become gentler."""
    gentle, rows, angles = 1e-5, [], (20.0, 45.0, 70.0)
    for name, form in FORMS.items():
        worst = 0.0
        for angle in angles:
            exact = rebound(form, angle)
            gone = [tip_impact(form, angle, v, steps) for v in (1e-2, 1e-2 / 32, gentle)]
            rows += [(name, angle, *exact, *gone[-1])]
            worst = max(worst, *np.abs(np.subtract(gone[-1], exact)))
        report.below(f"{name}: rebound and spin of a tip impact off the closed form, worst of {len(angles)} angles",
                     worst, 5e-6 + 1 / steps**2, exact="0")  # fmt: skip
        exact = rebound(form, 45.0)
        off = [tip_impact(form, 45.0, v, steps).velocity - exact.velocity for v in (1e-2, 1e-2 / 32)]
        report.near(
            f"{name}: that at 45°, at 32 times the speed", off[0] / off[1], 16, exact="32^(4/5) = 16", within=0.05
        )
    report.tables["impacts"] = (["form", "angle_deg", "velocity", "spin", "velocity_found", "spin_found"], rows)
    by = {(row[0], row[1]): row[2] for row in rows}
    report.statements += [
        "One end on a wall, elastic, without friction: the closed form is an impulse, the engine's contact lasts while "
        "the fibre turns a little, by as much as the overlap, which goes as v^(4/5). Rebound over impact speed at 45°: "
        + ", ".join(f"{by[name, 45.0]:.4f} ({name})" for name in FORMS)
        + ": five spheres of the same mass have 2 % more transverse moment than the capsule."
    ]


# ---- nine fibres -----------------------------------------------------------------------------------------------------


class Fall(NamedTuple):
    """Results of nine falling fibres."""

    energy_error: float
    turning: float  # share of kinetic energy that is rotation, mean over the second half
    left: np.ndarray  # kinetic and potential energy over that of the start, by time (T,)
    contacts: float  # mean number of contacts at any time


def falling(form: FibreForm, turn: float, restitution: float, looks: int, time_step: float = 1e-5) -> Fall:
    """Simulate nine falling fibres for a second, rotated by `turn` [°]; friction is 0.1 if restitution is below 1."""
    made = case("nine-fibres")(
        smooth=isinstance(form.shape, dem.Capsule), spheres=getattr(form.shape, "spheres", 5), density=form.density,
        angle=turn, restitution=restitution, friction=0.0 if restitution == 1 else 0.1,
    )  # fmt: skip
    bodies, box = made.build()
    contacts = dem.Contacts({}, damped="independent" if restitution == 1 else "shared")
    sim = dem.Simulation(bodies, box, gravity=made.gravity, time_step=time_step, threads=1, contacts=contacts)
    start, left, turning, touched = sim.energy().total, [1.0], [], []
    for _ in range(looks):
        sim.step(round(1.0 / looks / sim.time_step))
        e = sim.energy()
        left.append((e.total - e.dissipated) / start)
        turning.append(e.rotational / e.kinetic)
        touched.append(sim.contact_count)
    return Fall(sim.energy_error, float(np.mean(turning[looks // 2 :])), np.array(left), float(np.mean(touched)))


def mean_of(values: list[float]) -> tuple[float, float]:
    """Mean of independent values and its standard error."""
    return float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(len(values)))


def report_falls(report: Report, starts: int) -> None:
    """Report nine falling fibres in three forms, from several starts each."""
    turns, rows, errors, lines, share = np.linspace(71, 79, starts), [], [], {}, {}
    for name, form in FORMS.items():
        free, lossy = ([falling(form, turn, e, 100) for turn in turns] for e in (1.0, 0.9))
        finer = [falling(form, turn, 1.0, 100, time_step=5e-6) for turn in turns]
        off, less = (float(np.mean([f.energy_error for f in each])) for each in (free, finer))
        errors.append(f"{off:.1e} and {less:.1e} ({name})")
        report.below(f"{name}, nine fibres: mean energy error of {starts} starts at half the step, over that of a "
                     "whole", less / off, 1 / 3, exact="1/4 where steps are short")  # fmt: skip
        share[name] = mean_of([f.turning for f in free])
        left = mean_of([float(f.left[-1]) for f in lossy])
        rows.append((name, *share[name], *mean_of([f.contacts for f in free]), *left))
        lines[name] = np.linspace(0, 1, 101), np.mean([f.left for f in lossy], axis=0)
    for name in list(FORMS)[1:]:
        apart, error = abs(share[name][0] - share["capsule"][0]), math.hypot(share[name][1], share["capsule"][1])
        report.below(f"{name}, nine fibres: share of rotation off that of capsules, standard errors", apart / error, 4)
    columns = ["rotation", "contacts", "left"]
    report.tables["falls"] = (["form", *(w for c in columns for w in (c, f"{c}_error"))], rows)
    report.figures["falls"] = curves("nine fibres, e = 0.9", "time [s]", "energy over that of the start", lines)
    report.statements += [
        f"Nine falling fibres over 1 s, {starts} starts each, that differ in the angle of all fibres by degrees. Paths "
        "are chaotic, so what can be compared are means: rotation has "
        + ", ".join(f"{row[1]:.3f} ± {row[2]:.3f} ({row[0]})" for row in rows)
        + " of the kinetic energy in its second half. They meet seldom: what bumps do is lost in the scatter.",
        f"Their energy errors are {', '.join(errors)} at steps of 1e-5 and 5e-6 s: contacts of a fine chain that lands "
        "flat are the shortest. Paths differ with the step, so the order is that of means.",
        "With e = 0.9, damped together, and µ = 0.1 there is left of the energy after 1 s "
        + ", ".join(f"{r[5]:.3f} ± {r[6]:.3f} ({r[0]})" for r in rows)
        + ".",
    ]


# ---- beds ------------------------------------------------------------------------------------------------------------


class RestingBed(NamedTuple):
    """A bed at rest."""

    solid: float  # volume within the outlines, those of capsules, over all, away from floor and surface
    met: float  # other bodies that a body touches, of those there
    touches: float  # contacts of a pair of bodies
    slides: float  # slope of gravity at which its upper part has slid two diameters [°]


def pour_bed(form: FibreForm, friction: float, number: int, seed: int, edge: float) -> dem.Simulation:
    """Fibres settled from random places on a floor of high friction, in a cell with periodic sides."""
    stuff = dem.Material(
        young=5e6, poisson=0.35, density=form.density, restitution=0.3, friction=friction, name="fibre"
    )
    floor = dem.Material(young=5e6, poisson=0.35, name="floor")
    high = number * MASS / DENSITY / (0.15 * edge**2)
    box = dem.Box((0, 0, 0), (edge, edge, high), floor, periodic=("x", "y"), open=("z+",))
    bodies = dem.pack(form.shape, stuff, box, number=number, seed=seed)
    held = dem.Contact(restitution=0.3, friction=2.0)
    contacts = dem.Contacts({(stuff, floor): held}, damped="shared")
    sim = dem.Simulation(bodies, box, time_step=4e-5, threads=1, contacts=contacts)
    sim.step(round((0.5 + 2 * math.sqrt(2 * high / G)) / sim.time_step))
    return sim


def measure_bed(form: FibreForm, friction: float, number: int, seed: int, edge: float) -> RestingBed:
    """Solid fraction, coordination number and angle of sliding of a bed."""
    sim = pour_bed(form, friction, number, seed, edge)
    x, up = np.array(sim.particles.position), axes(np.array(sim.particles.orientation))[:, 2]
    heights = x[:, 2, None] + 0.5 * (RATIO - 1) * DIAMETER * up[:, None] * np.linspace(-1, 1, 41)
    low, high = 2 * DIAMETER, float(np.quantile(heights, 0.98)) - 2 * DIAMETER
    inside = ((heights > low) & (heights < high)).mean(axis=1)
    solid = float(inside.sum()) * MASS / DENSITY / (edge**2 * (high - low))
    touching = sim.contact_forces()
    pairs = np.sort(np.stack([touching.i, touching.j])[:, ~touching.with_wall], axis=0)
    met = np.unique(pairs, axis=1)
    numbers = np.bincount(met.ravel(), minlength=number)[inside > 0.5]
    return RestingBed(solid, float(numbers.mean()), pairs.shape[1] / met.shape[1], sliding_angle(sim))


def sliding_angle(sim: dem.Simulation) -> float:
    """Slope [°] at which the upper part of a bed has slid two diameters while gravity rotates by 20° per second."""
    start, degrees = np.array(sim.particles.position), 0.0
    upper = start[:, 2] > 0.6 * np.quantile(start[:, 2], 0.98)
    while (np.array(sim.particles.position) - start)[upper, 0].mean() < 2 * DIAMETER and degrees < 60:
        degrees += 0.25
        slope = math.radians(degrees)
        sim.gravity = (G * math.sin(slope), 0.0, -G * math.cos(slope))
        sim.step(round(0.25 / 20 / sim.time_step))
    return degrees


def report_beds(report: Report, frictions: tuple[float, ...], number: int, seeds: int, edge: float) -> None:
    """Report beds of three forms, over several seeds."""
    rows = []
    for friction in frictions:
        found = {}
        for name, form in FORMS.items():
            each = [measure_bed(form, friction, number, seed, edge) for seed in range(1, seeds + 1)]
            found[name] = [mean_of(list(values)) for values in zip(*each, strict=True)]
            rows.append((name, friction, *(v for pair in found[name] for v in pair)))
        smooth, coarse, fine = found.values()
        for k, what in ((0, "solid fraction"), (1, "coordination number")):
            apart, error = abs(fine[k][0] - smooth[k][0]), math.hypot(fine[k][1], smooth[k][1])
            report.below(
                f"µ = {friction}: {what} of the fine chain off the capsule's, standard errors", apart / error, 4
            )
        if not friction:
            report.near("µ = 0: coordination number of capsules", smooth[1][0], 10.0, published="10 (isostatic)",
                        within=0.6, relative=False)  # fmt: skip
            lack = (smooth[1][0] - coarse[1][0]) / math.hypot(smooth[1][1], coarse[1][1])
            report.below("µ = 0: what five spheres have less, in standard errors, over 2", 2 / max(lack, 1e-9), 1.0)
    columns = ["solid_fraction", "coordination", "contacts_a_pair", "sliding_deg"]
    report.tables["beds"] = (["form", "friction", *(w for c in columns for w in (c, f"{c}_error"))], rows)
    report.statements += [
        f"Beds of {number} fibres poured on a floor that holds them, in a cell with periodic sides, {seeds} seeds, "
        "with standard errors. Solid fraction within the outlines of capsules; slope at which the upper part has slid "
        "two diameters as gravity turns by 20° a second.",
        *(
            f"{r[0]}, µ = {r[1]}: solid fraction {r[2]:.3f} ± {r[3]:.3f}, coordination {r[4]:.2f} ± {r[5]:.2f}, "
            f"contacts of a pair {r[6]:.2f}, sliding from {r[8]:.1f} ± {r[9]:.1f}°"
            for r in rows
        ),
        "Without friction bodies of revolution are held by ten contacts each (isostatic: two for each of five degrees "
        "of freedom). Chains of five need fewer neighbours, because grooves hold a pair at several points.",
    ]


STEPS = dict.fromkeys(FORMS, 4e-5) | {f"chain of {FINE}": 2e-5}  # contacts of a fine chain that lands flat are brief


class Heap(NamedTuple):
    """A heap of fibres."""

    angle: float  # slope of its flank between 0.2 and 0.8 of its height [°]
    ratio: float  # height over radius of the cone with its centre of mass and its moment about the axis
    met: float  # other bodies that a body touches, those of the surface too
    surface: np.ndarray  # heights by distance from the axis (20,) [m], 0 beyond its foot
    moving: float  # kinetic energy over its weight and one diameter
    below: float  # highest point over where the tube's edge is
    energy_error: float  # the verdict's


def run_out(name: str, friction: float, seed: int) -> tuple[dem.Simulation, float]:
    """Fibres at rest after they ran out below a lifted tube, and the final height of its edge [m].

    On the floor they neither slide nor roll, and the tube is without friction: slopes are those of fibres on fibres.
    """
    form = FORMS[name]
    stuff = dem.Material(
        young=5e6, poisson=0.35, density=form.density, restitution=0.5, friction=friction, name="fibre"
    )
    floor = dem.Material(young=5e6, poisson=0.35, name="floor")
    glass = dem.Material(young=5e6, poisson=0.3, name="tube")
    volume, side = NUMBER * MASS / DENSITY, TUBE / math.sqrt(2)
    high, column = volume / (0.2 * 4 * side**2), volume / (0.5 * math.pi * TUBE**2)
    settling = 0.3 + math.sqrt(2 * high / G)
    lifted = settling + 1.1 * column / LIFT
    rise = dem.Motion(velocity=(0, 0, LIFT), start=settling, stop=lifted)
    tube = dem.Cylinder((0, 0, 0), (0, 0, 1.1 * high), TUBE, material=glass, motion=rise, name="tube")
    box = dem.Box((-2, -2, 0), (2, 2, 2), floor, open=("x-", "x+", "y-", "y+", "z+"))
    bodies = dem.pack(
        form.shape, stuff, number=NUMBER, lower=(-side, -side, 0), upper=(side, side, high), walls=[tube], seed=seed
    )
    held = dem.Contact(restitution=0.5, friction=2.0, rolling=dem.Rolling(friction=1.0))
    pairs = {(stuff, floor): held, (stuff, glass): dem.Contact(restitution=0.5, friction=0.0)}
    contacts = dem.Contacts(pairs, damped="shared")
    sim = dem.Simulation(bodies, box, walls=[tube], time_step=STEPS[name], threads=1, contacts=contacts)
    sim.step(round((lifted + RESTING) / sim.time_step))
    return sim, 1.1 * column


def cone_ratio(points: np.ndarray) -> float:
    """Height over radius of the cone on z = 0 of which points (P, 3) about its axis have the mean height and spread.

    A cone of height h and radius R has its centre of mass at h/4, and ⟨x² + y²⟩ = 3/10 R².
    """
    return float(4 * points[:, 2].mean() / math.sqrt(10 / 3 * np.square(points[:, :2]).sum(axis=1).mean()))


def measure_heap(name: str, friction: float, seed: int) -> Heap:
    """Angle and coordination number of a heap, and whether it is at rest and clear of the tube."""
    sim, edge = run_out(name, friction, seed)
    along = 0.5 * (RATIO - 1) * DIAMETER * np.linspace(-1, 1, 21)
    x, axis = np.array(sim.particles.position), axes(np.array(sim.particles.orientation))
    points = (x[:, None] + axis[:, None] * along[:, None]).reshape(-1, 3)
    points[:, :2] -= points[:, :2].mean(axis=0)
    spheres = Spheres(points, np.full(len(points), DIAMETER / 2), np.repeat(np.arange(NUMBER), len(along)))
    profile = cone_profile(spheres, EDGES, centre=(0, 0))
    touching = sim.contact_forces()
    met = np.unique(np.sort(np.stack([touching.i, touching.j])[:, ~touching.with_wall], axis=0), axis=1)
    return Heap(
        math.degrees(angle_of_repose(profile).angle), cone_ratio(points), 2 * met.shape[1] / NUMBER,
        np.nan_to_num(profile.value), sim.energy().kinetic / (NUMBER * MASS * G * DIAMETER),
        float(points[:, 2].max() + DIAMETER / 2) / edge, sim.verdict().energy_error,
    )  # fmt: skip


def report_heaps(report: Report, frictions: tuple[float, ...], seeds: dict[str, int]) -> None:
    """Report heaps of given forms, each over a number of seeds."""
    rows, lines, every = [], {}, []
    for friction in frictions:
        found = {}
        for name, several in seeds.items():
            each = [measure_heap(name, friction, seed) for seed in range(1, several + 1)]
            angle, ratio, met = (mean_of([h[k] for h in each]) for k in range(3))
            every, found[name] = every + each, ratio
            rows.append((name, friction, several, *angle, *ratio, *met))
            surface = np.mean([h.surface for h in each], axis=0)
            lines[f"{name}, µ = {friction}"] = EDGES[:-1] + DIAMETER / 2, surface
        compare_heaps(report, friction, found)
    report.below("heaps: highest fibre over the height of the tube's edge", max(h.below for h in every), 1.0)
    report.below("heaps: kinetic energy over weight times diameter", max(h.moving for h in every), 0.01, exact="0")
    report.below("heaps: energy error", max(h.energy_error for h in every), 0.01, exact="0")
    columns = ["angle_deg", "height_over_radius", "coordination"]
    report.tables["heaps"] = (["form", "friction", "heaps", *(w for c in columns for w in (c, f"{c}_error"))], rows)
    report.figures["heaps"] = curves("heaps, mean of all seeds", "distance from the axis [m]", "height [m]", lines)
    report.statements += [
        f"Heaps of {NUMBER} fibres that ran out below a tube without friction, of radius {TUBE:g} m, lifted at "
        f"{LIFT:g} m/s off a floor on which they neither slide nor roll, with standard errors. Height over radius is "
        "that of the cone with the heap's centre of mass and moment about its axis: flanks of so few fibres are "
        "uneven, and slopes fitted to them, between 0.2 and 0.8 of the height, scatter by degrees. A kinetic energy of "
        "a hundredth of weight times diameter is that of one fibre that topples at half a metre a second.",
        *(
            f"{r[0]}, µ = {r[1]}, {r[2]} heaps: slope {r[3]:.1f} ± {r[4]:.1f}°, height over radius {r[5]:.3f} ± "
            f"{r[6]:.3f}, coordination {r[7]:.2f} ± {r[8]:.2f}"
            for r in rows
        ),
    ]


def compare_heaps(report: Report, friction: float, found: dict[str, tuple[float, float]]) -> None:
    """Compare height over radius of heaps of chains with that of capsules, by mean and standard error."""
    smooth, grooved = found["capsule"], found["chain of 5"]
    if not friction:
        report.below("heaps, µ = 0: height over radius of capsules over that of five spheres",
                     smooth[0] / grooved[0], 1.0)  # fmt: skip
    for name, (ratio, error) in found.items():
        if name != "capsule" and (friction or name != "chain of 5"):
            apart = abs(ratio - smooth[0]) / math.hypot(error, smooth[1])
            report.below(f"heaps, µ = {friction}: height over radius of the {name} off that of capsules, "
                         "standard errors", apart, 4)  # fmt: skip


def forms(*, quick: bool) -> Report:
    """Tip impact, nine fibres, beds and heaps of capsules, chains of five and fine chains."""
    report = Report("fibre-forms", "A fibre as a capsule, as five spheres, as a fine chain")
    report_impacts(report, 200 if quick else 400)
    report_falls(report, 4 if quick else 16)
    if quick:
        report_beds(report, (0.0,), 100, 3, 0.065)
        report_heaps(report, (0.0,), {"capsule": 3, "chain of 5": 3})
    else:
        report_beds(report, (0.0, 0.4), 150, 4, 0.07)
        report_heaps(report, (0.0, 0.4), {"capsule": 8, "chain of 5": 8, f"chain of {FINE}": 4})
    return report
