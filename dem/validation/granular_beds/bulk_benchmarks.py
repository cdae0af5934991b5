"""The three bulk benchmarks of Dosta et al. (2024): a silo, a drum, an impact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import dem
from dem.case import case
from dem.validation.granular_beds import dosta
from dem.validation.report import Report, curves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


G, DENSITY = 9.81, 2500.0  # [m/s², kg/m³] of M1
SIZES = {"quick": (3.0, 100.0), "short": (2.0, 100.0), "published": (1.0, 1.0)}  # coarse, softness
NEAR, UNTIL = 0.019, 0.034  # of the impact: when the ball is still above the bed, and when enough is seen [s]
CODES, RERUN = 0.05, 0.05  # scatter of rates published, and how far repeated runs are above their mean
EMPTY = 5.0  # when all are out of the published silo [s]
WIDEST = 2.5  # how coarse grains may be to flow through the small orifice
NEAR_DRUM, COARSE_DRUM = 0.1, {1: 0.45, 2: 0.25}  # of the peak: published size; coarser grains, by zone
SOFT = 100.0  # of the published size, quick


def grain_scaling(*, quick: bool, published: bool) -> dict[str, float]:
    """Coarsening of the grains and reduction of their stiffness."""
    coarse, softness = SIZES["published" if published else "quick" if quick else "short"]
    return {"coarse": coarse, "softness": SOFT if published and quick else softness}


def scaling_in_words(size: dict[str, float], numbers: str) -> str:
    """Size and numbers of a run, in words."""
    whole = size["coarse"] == size["softness"] == 1
    reduced = f"grains {size['coarse']:g} times as large, Young's moduli divided by {size['softness']:g}"
    return f"Run: {numbers}; {'the published size' if whole else reduced}."


def sampled(sim: dem.Simulation, times: Iterable[float], look: Callable[[dem.Simulation], object]) -> list[tuple]:
    """Advance a run to each of these times [s]; rows of the time and the values of `look`."""
    rows = []
    for time in times:
        sim.step(max(0, round(time / sim.time_step) - sim.step_count))
        rows.append((sim.time, *np.atleast_1d(look(sim))))
    return rows


# impact


def displacements(sim: dem.Simulation) -> np.ndarray:
    """Time [ms] and displacement [mm] of the ball, the last particle, every millisecond from just before the impact.

    Up to there it is put in closed form: the bed is at rest.
    """
    p = sim.particles
    place, velocity = p.position.copy(), p.velocity.copy()
    start, speed = float(place[-1, 2]), -float(velocity[-1, 2])
    place[-1, 2] = start - (speed * NEAR + 0.5 * G * NEAR**2)
    velocity[-1, 2] = -(speed + G * NEAR)
    p.position, p.velocity = place, velocity
    times = np.arange(1e-3, UNTIL - NEAR + 1e-9, 1e-3)
    rows = sampled(sim, times, lambda s: float(s.particles.position[-1, 2]) - start)
    return 1e3 * (np.array([(0.0, place[-1, 2] - start), *rows]) + np.array([NEAR, 0.0]))


def impact(*, quick: bool, published: bool = False) -> Report:
    """Impact of a ball on a bed: penetration over time."""
    size = grain_scaling(quick=quick, published=published)
    size["softness"] = min(size["softness"], 10.0)  # or the ball dents the grains
    name, title = "impact-25k" if published else "impact", "A steel ball falls onto a bed (Dosta et al. 2024, case 3)"
    report = Report(name, title)
    made = case("impact")(**size)
    sim = made.simulation()
    bed = sim.particles.position[:-1, 2]
    top = float(bed.max()) + 1e-3 * size["coarse"]
    solid = _solid_fraction(sim)
    path = displacements(sim)
    whole = size["coarse"] == size["softness"] == 1
    at, coarser = {round(1e3 * NEAR) + k: row[1] for k, row in enumerate(path)}, 0.1 if quick else 0.05
    report.near("20 ms: free fall [mm]", at[20], -1e3 * (5 * 0.02 + 0.5 * G * 0.02**2), exact="-v t - g t²/2",
                within=1e-3 + 5e3 * sim.time_step, relative=False, digits=6)  # fmt: skip
    for ms, mean, scatter in dosta.IMPACT[[2, 3, 4]]:
        within = 3 * scatter if whole else coarser * abs(mean)
        report.near(f"{ms:g} ms: displacement [mm]", at[ms], mean, published=f"{mean} ± {scatter}",
                    within=within, relative=False, digits=5)  # fmt: skip
    deepest, scatter = dosta.DEEPEST
    within = scatter if whole else coarser * abs(deepest)
    report.near("deepest [mm]", path[:, 1].min(), deepest, published=f"{deepest} ± {scatter}", within=within,
                relative=False, digits=5)  # fmt: skip
    report.tables["displacement"] = (["time_ms", "displacement_mm"], path.tolist())
    report.figures["displacement"] = curves("displacement of the ball", "time [ms]", "displacement [mm]", {
        f"{len(bed)} grains": path.T, "published, mean of 7 codes": dosta.IMPACT[:, :2].T,
    }, marker=".")  # fmt: skip
    report.statements += [
        scaling_in_words(size, f"{len(bed)} grains, time step {sim.time_step:g} s"),
        f"Our bed: the highest grain's top is at {1e3 * top:.1f} mm (of one published state: "
        f"{1e3 * dosta.TOP_OF_BED:.1f} mm), solid fraction {solid:.3f} by twice the mean height. Friction while it "
        f"fell was {made.filling_friction:g}. How dense the published beds are was nowhere said; with 0.1, a fraction "
        "of 0.595, the whole of the published curve is met, with looser beds (0.3: 0.577, 10: 0.553) the ball goes 2 "
        "mm deeper at 28 ms and turns a millisecond earlier, with a denser one (0: 0.618) later.",
        dosta.SECOND_HAND,
        dosta.DIFFERENCES,
        "The ball comes to within a grain of the floor and bounces off it: what follows 31 ms differs from state to "
        "state. Tolerances: three standard deviations over states at the published size, 5 % where grains are twice as "
        "large, 10 % where three times.",
    ]
    return report


def _solid_fraction(sim: dem.Simulation) -> float:
    """Solid fraction of a bed in a box, by the mean height of its grains; the last particle is no grain."""
    p, box = sim.particles, sim.box
    height = 2 * (float(p.position[:-1, 2].mean()) - box.lower[2])
    return float(p.mass[:-1].sum()) / DENSITY / (box.size[0] * box.size[1] * height)


# silo


def left_above(sim: dem.Simulation, lip: float, times: np.ndarray) -> np.ndarray:
    """Time [s] and number of grains above the orifice."""
    return np.array(sampled(sim, times, lambda s: int((s.particles.position[:, 2] > lip).sum())))


def rate_between(left: np.ndarray, start: float, end: float) -> float:
    """Discharge rate [grains/s], by a straight line through the numbers left above the orifice."""
    rows = left[(left[:, 0] >= start - 1e-6) & (left[:, 0] <= end + 1e-6)]
    return float(-np.polyfit(*rows.T, 1)[0])


def mean_rate(left: np.ndarray) -> float:
    """Mean discharge rate [grains/s] until the silo is empty; 0 if it is not."""
    empty = np.flatnonzero(left[:, 1] == 0)
    return float(left[0, 1] / left[empty[0], 0]) if empty.size else 0.0


def beverloo_ratio(coarse: float, orifice: float, grain: float = 4e-3, shape: float = 1.4) -> float:
    """Factor of the mass flow with coarser grains by Beverloo's law: ((D - k c d)/(D - k d))^(5/2)."""
    return ((orifice - shape * coarse * grain) / (orifice - shape * grain)) ** 2.5


def silo(*, quick: bool, published: bool = False) -> Report:
    """Discharge of a silo through both orifices."""
    size = grain_scaling(quick=quick, published=published)
    size["coarse"] = max(size["coarse"], 4.0) if quick and not published else size["coarse"]
    report = Report("silo-100k" if published else "silo", "A silo empties (Dosta et al. 2024, case 1)")
    first, last = (0.2, 0.8) if quick and not published else (0.5, 2.0)
    coarse, whole, lines, rows, rates, until_empty = size["coarse"], size["coarse"] == 1, {}, [], {}, {}
    for orifice in ("large", "small")[: 1 if coarse > WIDEST else 2]:
        made = case("silo")(**size, orifice=orifice)
        sim = made.simulation()
        (radius, lip), *_ = made.profile()
        end = EMPTY if whole and orifice == "large" else last
        left = left_above(sim, lip, np.arange(0, end + 1e-9, 0.1))
        until_empty[orifice] = mean_rate(left)
        rates[orifice] = (rate_between(left, first, last) * coarse**3, beverloo_ratio(coarse, 2 * radius))
        lines[f"ours, {orifice}"] = left[:, 0], left[:, 1] * coarse**3 / 1e3
        rows += [(orifice, t, int(n)) for t, n in left]
    large, by_law = rates["large"]
    said = _compare_rate(report, large, by_law, coarse, (first, last))
    if whole:
        report.near("large: grains a second, until all are out", until_empty["large"], dosta.RATE,
                    published=f"{dosta.RATE:.3g} ± 5 %", within=CODES)  # fmt: skip
    if "small" in rates:
        _compare_ratio(report, large / rates["small"][0], by_law / rates["small"][1], whole=whole)
    for name, numbers in dosta.LEFT.items():
        upto = dosta.LEFT_AT <= (EMPTY if whole and "large" in name else last)
        lines[name] = dosta.LEFT_AT[upto], np.array(numbers)[upto] / 1e3
    report.tables["left"] = (["orifice", "time_s", "grains_above"], rows)
    report.figures["left"] = curves("above the orifice", "time [s]", "thousand grains of the published size", lines)
    report.statements += [
        scaling_in_words(size, f"{len(sim.particles)} grains, time step {sim.time_step:g} s, rates by straight lines "
                         f"from {first:g} to {last:g} s; grains count as {coarse**3:g} published ones"),
        f"Found: {' and '.join(f'{rate:.4g}' for rate, _ in rates.values())} grains a second. Repeated runs of others: "
        f"{_repeated_rates()}. Through fewer than some four diameters grains do not flow: the small orifice is left "
        "out where they are that large.",
        said,
        "Grains are not taken away below the orifice; they fall into a tray that is far enough not to matter.",
        dosta.SECOND_HAND,
        dosta.DIFFERENCES,
    ]  # fmt: skip
    return report


def _repeated_rates() -> str:
    """Rates of repeated runs of others through both orifices, in words."""
    first, last = 0.5, 2.0
    told = [
        f"{rate / 1e3:.4g} thousand, {orifice} ({code})"
        for orifice in ("large", "small")
        for code, rate in dosta.rates_between(first, last, orifice).items()
    ]
    return f"{'; '.join(told)}; between {first:g} and {last:g} s"


def _compare_rate(report: Report, found: float, by_law: float, coarse: float, times: tuple[float, float]) -> str:
    """Compare the rate through the large orifice with the published one; returns the reason of the tolerance."""
    within, said = _rate_tolerance(coarse)
    if coarse == 1:
        for name, there in dosta.rates_between(*times).items():
            report.near(f"large: grains a second, {name} in the same time", found, there, published=f"{there:.4g}",
                        within=within)  # fmt: skip
    else:
        report.near("large: grains a second", found, dosta.RATE * by_law, within=within,
                    published=f"{dosta.RATE:.3g} ± 5 % x {by_law:.3f}")  # fmt: skip
    return said


def _rate_tolerance(coarse: float) -> tuple[float, str]:
    """Tolerance of the rate through the large orifice, and its reason."""
    if coarse == 1:
        return CODES, (
            f"Tolerance of the rate: codes differ by {100 * CODES:g} %. What is quoted of the paper, "
            f"{1e-3 * dosta.RATE:g} thousand a second, is 100 000 grains over the 4.2 to 4.4 s until all are out, so "
            "that is what is compared with it; between 0.5 and 2 s curves of others are 6 and 7 % steeper."
        )
    low, middle, high = (beverloo_ratio(coarse, 0.06, shape=k) for k in (1.6, 1.4, 1.2))
    unsure = 0.5 * (high - low) / middle
    return CODES + RERUN + unsure, (
        "Coarser grains: the published figures are multiplied by what Beverloo's law says of a wider empty annulus, "
        f"((D - k c d)/(D - k d))^(5/2) with k = 1.4, and with k from 1.2 to 1.6 {100 * unsure:.0f} % more or less. "
        f"Tolerance of the rate: that, {100 * CODES:g} % between codes, {100 * RERUN:g} % by which repeated runs are "
        "above the mean that is quoted."
    )


def _compare_ratio(report: Report, found: float, by_law: float, *, whole: bool) -> None:
    """Compare the ratio of the rates of both orifices with the published one."""
    ratio, scatter = dosta.RATIO
    told = f"{ratio} ± {scatter}" + ("" if whole else f" x {by_law:.3f}")
    within = 0.1 if whole else 0.2 * ratio * by_law
    report.near("large : small", found, ratio * by_law, published=told, within=within, relative=False)


# drum


def zones(sim: dem.Simulation) -> np.ndarray:
    """Shares of M1 and of M2 in zone 1 (x, z > 0) and zone 2 (x, z < 0): M1 in 1, M1 in 2, M2 in 1, M2 in 2."""
    p = sim.particles
    x, z = p.position[:, 0], p.position[:, 2]
    shares = []
    for name in ("M1", "M2"):
        mine = p.kind == [each.name for each in p.kinds].index(name)
        shares += [((x > 0) & (z > 0))[mine].mean(), ((x < 0) & (z < 0))[mine].mean()]
    return np.array(shares)


def drum(*, quick: bool, published: bool = False) -> Report:
    """Mixing of two kinds of grains in a drum: their numbers in two quarters."""
    size = grain_scaling(quick=quick, published=published)
    report = Report("drum-38k" if published else "drum", "Two kinds of grains in a drum (Dosta et al. 2024, case 2)")
    sim = case("drum")(**size).simulation()
    end = 1.0 if quick and not published else 2.5
    rows = np.array(sampled(sim, np.arange(0, end + 1e-9, 0.05), zones))
    at = dosta.DRUM_AT <= end + 1e-9
    tenths = rows[::2]
    whole = size["coarse"] == 1
    columns = {("M1", 1): 1, ("M1", 2): 2, ("M2", 1): 3, ("M2", 2): 4}
    for (name, zone), column in columns.items():
        theirs = np.array(dosta.DRUM[name, zone]["MUSEN"])[at] / dosta.DRUM_NUMBERS[name]
        ours = np.interp(dosta.DRUM_AT[at], tenths[:, 0], tenths[:, column])
        off = np.sqrt(np.mean((ours - theirs) ** 2)) / theirs.max()
        within = NEAR_DRUM if whole else COARSE_DRUM[zone]
        report.below(f"{name} in zone {zone}: off by, root mean square over the peak", off, within,
                     published="curve of MUSEN")  # fmt: skip
    first = rows[rows[:, 0] <= 1.0]
    k = int(first[:, 2].argmax())
    report.near("M1 in zone 2: time of the first peak [s]", first[k, 0], 0.6, published="about 0.6", within=0.15,
                relative=False)  # fmt: skip
    lines = {}
    for (name, zone), column in columns.items():
        lines[f"{name}, zone {zone}: ours"] = rows[:, 0], rows[:, column]
        for code, numbers in dosta.DRUM[name, zone].items():
            lines[f"{name}, zone {zone}: {code}"] = dosta.DRUM_AT[at], np.array(numbers)[at] / dosta.DRUM_NUMBERS[name]
    names = ["time_s", *(f"{name}_zone_{zone}" for name, zone in columns)]
    report.tables["zones"] = (names, rows.tolist())
    report.figures["zones"] = curves("shares of the grains", "time [s]", "share of the kind", lines)
    report.statements += [
        scaling_in_words(size, f"{len(sim.particles)} grains, time step {sim.time_step:g} s, {end:g} s"),
        f"First peak of M1 in zone 2: {first[k, 2]:.3f} of them at {first[k, 0]:.2f} s; in the paper up to some 23 of "
        "30 thousand near 0.6 s, period about 2 s. Coarser grains begin to flow later, which shows in zone 1, whose "
        "peak is a third of the other's.",
        "The two runs repeated by others agree to 1 or 2 % of the peak for 2.5 s and then part. They put numbers out "
        "every 0.1 s, so at odd quarters of a second theirs are the means of two, and so are ours that are compared.",
        dosta.SECOND_HAND,
        dosta.DIFFERENCES,
    ]
    return report


def impact_25k(*, quick: bool) -> Report:
    """The impact of published size; takes minutes."""
    return impact(quick=quick, published=True)


def silo_100k(*, quick: bool) -> Report:
    """The published size: a day; quick: softer, an hour."""
    return silo(quick=quick, published=True)


def drum_38k(*, quick: bool) -> Report:
    """The published size: a day; quick: softer, an hour."""
    return drum(quick=quick, published=True)
