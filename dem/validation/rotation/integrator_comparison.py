"""All schemes at equal cost: error against computing time on four problems."""

from __future__ import annotations

import math
import time

import numpy as np

import dem
from dem.case import case
from dem.rotation.study import HEAVY_TOP, Problem, angle_between
from dem.validation.report import Report, curves

ASYMMETRIC, SYMMETRIC = (1.0, 1.7, 2.3), (0.5, 1.0, 1.0)
FREE = {"inertia": ASYMMETRIC, "angular_velocity": (1.2, -0.8, 2.1), "frame": "body"}
HEAVY = {
    "inertia": SYMMETRIC, "angular_velocity": (6.0, 0.0, 0.1), "frame": "world", "torque": Problem(HEAVY_TOP),
    "orientation": (math.cos(0.4), 0.0, math.sin(0.4), 0.0),
}  # fmt: skip
PROBLEMS = {  # what, duration [s], steps for quick and full runs
    "free asymmetric top": (FREE, 10.0, (0.02, 0.01), (0.04, 0.02, 0.01, 0.005, 0.0025)),
    "heavy top": (HEAVY, 10.0, (0.02, 0.01), (0.04, 0.02, 0.01, 0.005, 0.0025)),
}


def step_cost(scheme: str, inertia: tuple[float, float, float], steps: int) -> float:
    """Nanoseconds per step of the heavy top, with its torque: the least of three runs."""
    least = math.inf
    for _ in range(3):
        start = time.perf_counter()
        dem.integrate_rotation(scheme, time_step=1e-5, steps=steps, every=steps, **{**HEAVY, "inertia": inertia})
        least = min(least, time.perf_counter() - start)
    return 1e9 * least / steps


def comparison(*, quick: bool) -> Report:
    """Error against computing time of all schemes."""
    report = Report("comparison", "All schemes at equal cost")
    steps = 100_000 if quick else 1_000_000
    cost = {s: (step_cost(s, ASYMMETRIC, steps), step_cost(s, SYMMETRIC, steps)) for s in dem.INTEGRATORS}
    found = {name: _curves(name, cost, quick=quick) for name in PROBLEMS}
    found["cylinder under torque"] = _cylinder(cost, quick=quick)
    found["falling fibre"] = _falling(cost, quick=quick)
    rows = [(p, s, *row) for p, by in found.items() for s, rows in by.items() for row in rows]
    report.tables["errors"] = (["problem", "scheme", "dt_s", "cost_us_per_second", "error"], rows)
    report.tables["cost"] = (["scheme", "asymmetric_ns", "symmetric_ns"], [(s, *c) for s, c in cost.items()])
    second = [s for s, row in dem.INTEGRATORS.items() if row.order == 2 and row.torques == 1]
    for scheme in second:
        (dt, _, coarse), (half, _, fine) = found["free asymmetric top"][scheme][-2:]
        order = math.log(coarse / fine) / math.log(dt / half)
        report.near(f"{scheme}, free top: order", order, 2.0, exact="2", within=0.15, relative=False, digits=3)
    _conclude(report, second, found, cost)
    for problem, by in found.items():
        report.figures[problem.replace(" ", "-")] = curves(
            problem, "cost of the rotation [µs per simulated second]", "error",
            {scheme: ([row[1] for row in rows], [row[2] for row in rows]) for scheme, rows in by.items()},
            xscale="log", yscale="log", marker="o",
        )  # fmt: skip
    return report


def _conclude(report: Report, second: list[str], found: dict, cost: dict) -> None:
    """Add the conclusions from the results to the report."""

    def cost_at_equal_error(rows: list) -> float:
        _, microseconds, error = rows[-1]
        return microseconds * math.sqrt(error)

    rank = {
        problem: sorted((s for s in second if by[s][-1][2] > 0), key=lambda s, by=by: cost_at_equal_error(by[s]))
        for problem, by in found.items()
    }
    for problem, order in rank.items():
        report.statements.append(f"{problem}, cost at equal error, best first: {', '.join(order[:5])}")
    report.statements.append(
        f"A symmetric body costs {cost['splitting'][1] / cost['splitting'][0]:.2f} of an asymmetric one in splitting."
    )
    report.statements.append(
        "Nanoseconds a step (asymmetric / symmetric body, weight included): "
        + ", ".join(f"{s} {a:.0f} / {b:.0f}" for s, (a, b) in cost.items())
    )


def _curves(name: str, cost: dict, *, quick: bool) -> dict[str, list]:
    problem, duration, few, many = PROBLEMS[name]
    fine = 2e-4
    exact = dem.integrate_rotation(
        "runge-kutta", time_step=fine, steps=round(duration / fine), every=round(duration / fine), **problem
    )
    result = {}
    for scheme in dem.INTEGRATORS:
        result[scheme] = []
        for dt in few if quick else many:
            n = round(duration / dt)
            q = dem.integrate_rotation(scheme, time_step=dt, steps=n, every=n, **problem).orientation[-1]
            ns = cost[scheme][problem["inertia"] == SYMMETRIC]
            result[scheme].append((dt, 1e-3 * ns / dt, float(angle_between(exact.orientation[-1], q))))
    return result


def _cylinder(cost: dict, *, quick: bool) -> dict[str, list]:
    body = case("torque-cylinder")(frames=1)
    exact = body.exact(np.array([0.0, 0.1]))[-1]
    return {
        scheme: [
            (dt, 1e-3 * cost[scheme][1] / dt, float(angle_between(exact, body.history(scheme, dt).orientation[-1])))
            for dt in ((1e-5, 5e-6) if quick else (2e-5, 1e-5, 5e-6, 2e-6, 1e-6))
        ]
        for scheme in dem.INTEGRATORS
    }


def _falling(cost: dict, *, quick: bool) -> dict[str, list]:
    """Largest energy error of one falling fibre relative to the initial energy; cost of the rotation alone."""
    result = {}
    for scheme, row in dem.INTEGRATORS.items():
        if row.torques > 1 or (quick and scheme not in ("pcdm", "improved-pcdm", "splitting")):
            result[scheme] = [(math.nan, math.nan, math.nan)]
            continue
        result[scheme] = []
        for dt in (1e-5,) if quick else (2e-5, 1e-5, 5e-6, 2e-6):
            sim = case("single-fibre")(time_step=dt, integrator=scheme, threads=1).simulation()
            sim.step(round(2.0 / dt))
            result[scheme].append((dt, 1e-3 * cost[scheme][1] / dt, sim.energy_error))
    return result
