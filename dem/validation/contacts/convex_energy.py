"""Energy error of lossless convex bodies: its order in the time step, and its drift over many steps."""

from __future__ import annotations

import itertools

import numpy as np

import dem
from dem.model.shapes.shape import ConvexShape
from dem.validation.report import Report, curves, order_of

SEMI_AXES, EDGE, NUMBER, SPEED = (4e-3, 3e-3, 2e-3), 0.03, 12, 0.5  # [m], [m], bodies, [m/s]
STUFF = dem.Material(young=5e7, poisson=0.3, density=2500.0)
SHAPES = {
    "ellipsoid": dem.Ellipsoid(semi_axes=SEMI_AXES),
    **{f"superellipsoid, n = {n}": dem.Superellipsoid(semi_axes=SEMI_AXES, exponents=(n, n)) for n in (2, 3, 4, 8)},
    "tablet": dem.RoundedCylinder(diameter=6e-3, length=4e-3, rounding=1e-3),
    "brick (polyhedron)": dem.Polyhedron(
        vertices=list(itertools.product(*((-0.8 * a, 0.8 * a) for a in SEMI_AXES))), rounding=1e-3
    ),
}
ORDER_STEPS, SPAN = (4e-6, 2e-6, 1e-6), 0.1  # [s]
STEP, LOOKS = 2e-6, 1000  # of the long run [s]; how often its energy is taken
QUICK, LONG = 100_000, 1_000_000  # steps
INTEGRATORS = ("improved-pcdm", "splitting")  # the default, and the symplectic one
MAX_DRIFT = 2e-4  # over the energy: the size of errors within contacts at the coarsest step


def gas(shape: ConvexShape, time_step: float, integrator: str = "improved-pcdm") -> dem.Simulation:
    """Simulation of a gas of lossless bodies in a periodic cube."""
    box = dem.Box((0, 0, 0), (EDGE,) * 3, material=STUFF, periodic=("x", "y", "z"))
    bodies = dem.pack(shape, STUFF, box, number=NUMBER, seed=3)
    bodies.velocity = dem.random_velocities(NUMBER, SPEED, np.random.default_rng(1))
    return dem.Simulation(bodies, box, gravity=(0, 0, 0), time_step=time_step, integrator=integrator, threads=1)


def departures(shape: ConvexShape) -> list[float]:
    """Largest relative energy errors at three time steps."""
    found = []
    for dt in ORDER_STEPS:
        sim = gas(shape, dt)
        sim.step(round(SPAN / dt))
        found.append(sim.energy_error)
    return found


def long_run(shape: ConvexShape, integrator: str, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of steps, and the relative energy error after each of them."""
    sim = gas(shape, STEP, integrator)
    start = sim.energy().total
    taken, errors = np.linspace(0, steps, LOOKS + 1).astype(int), [0.0]
    for more in np.diff(taken):
        sim.step(int(more))
        errors.append(sim.energy().total / start - 1)
    return taken, np.array(errors)


def energies(*, quick: bool) -> Report:
    """Order and drift of the energy error, by shape and exponent."""
    report = Report("convex-energy", "Energy of convex shapes without losses")
    steps = QUICK if quick else LONG
    orders, rows, lines = [], [], {}
    for name, shape in SHAPES.items():
        found = departures(shape)
        order = order_of([SPAN / dt for dt in ORDER_STEPS], found)
        orders.append((name, *found, order))
        report.near(f"{name}: order of the energy error", order, 2, exact="2", within=0.4, relative=False)
        for integrator in INTEGRATORS:
            taken, errors = long_run(shape, integrator, steps)
            drift = float(np.polyfit(taken / steps, errors, 1)[0])
            rows.append((name, integrator, steps, float(np.abs(errors).max()), drift))
            lines[f"{name}, {integrator}"] = (taken, errors)
        report.below(f"{name}: drift over {steps} steps of splitting", abs(drift), MAX_DRIFT, exact="0")
    report.tables["orders"] = (["shape", *(f"dt_{dt:g}_s" for dt in ORDER_STEPS), "order"], orders)
    report.tables["drift"] = (["shape", "integrator", "steps", "largest", "drift"], rows)
    report.figures["drift"] = curves("gas without losses", "steps", "energy error over the energy", lines)
    report.statements += [
        f"{NUMBER} bodies of semi-axes {', '.join(f'{1e3 * a:g}' for a in SEMI_AXES)} mm, tablets of 6 mm by 4 mm and "
        f"bricks of 0.8 of these axes, of {STUFF.young:g} Pa, fly at {SPEED} m/s in a periodic cube of {1e3 * EDGE:g} "
        "mm. Both exponents are n.",
        f"Orders: largest error of any step in {SPAN} s, over the energy. It is reached during contacts and goes back "
        "after them.",
        f"Drift: slope of a straight line through {LOOKS} errors over a run of steps of {STEP:g} s, times its length. "
        "That of ellipsoids falls with the third power of the time step under improved-pcdm; splitting, which is "
        "symplectic, has hardly any.",
    ]
    return report
