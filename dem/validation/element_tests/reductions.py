"""Shear of an elastic gas by γ and back, with many reductions of the basis of its cell and without any."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import dem
from dem.validation.report import Report, curves, order_of

DIAMETER, YOUNG, POISSON, DENSITY = 0.01, 5e7, 0.3, 2000.0  # [m, Pa, -, kg/m³]
EDGE, RATE, SPEED = 0.03, 100.0, 0.05  # of the cell [m], of shear [1/s], of the spheres at first [m/s]
LEAN = 0.5  # shift of the second edge along x, over its height, up to which the basis of a cell is not reduced
SHIFT = np.array([0.37, 0.61, 0.23])  # of all places over the edge of the cell, so that rounding differs
LOOKS = 10  # in a shear of LEAN


class Path(NamedTuple):
    """Positions and energies at T times of a run that was sheared and sheared back."""

    strain: np.ndarray  # (T,) shear γ
    position: np.ndarray  # (T, N, 3) [m]
    velocity: np.ndarray  # (T, N, 3) peculiar [m/s]
    energy: np.ndarray  # (T,) kinetic and elastic [J]
    work: np.ndarray  # (T,) of the cell [J]
    departure: float  # largest one of E - work at any step [J]
    reductions: int
    in_contact: int  # looks with contacts


def start(shift: float = 0.0) -> dem.Particles:
    """Eight spheres near lattice sites with random velocities; shift: of all positions, in units of SHIFT edges."""
    rng = np.random.default_rng(7)
    places = np.stack(np.meshgrid(*[np.arange(2)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    x = EDGE / 2 * (places + rng.uniform(-0.1, 0.1, places.shape)) + shift * EDGE * SHIFT
    v = rng.normal(0, SPEED, x.shape)
    material = dem.Material(young=YOUNG, poisson=POISSON, density=DENSITY, name="sphere")
    return dem.Particles(dem.Sphere(diameter=DIAMETER), material, position=x, velocity=v - v.mean(axis=0))


def edges_at(lean: float) -> np.ndarray:
    """Edges (3, 3) of a cell [m]; `lean`: shift of the second edge along the first, as a fraction of its height."""
    return EDGE * np.array([[1.0, lean, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


def simulation(
    spheres: dem.Particles, lean: float, time_step: float, rate: float, back_after: int | None = None
) -> dem.Simulation:
    """Spheres in a cell that is sheared at a rate [1/s], and back after a number of steps."""
    shear = rate * np.array([[0.0, 1.0, 0.0], [0.0] * 3, [0.0] * 3])
    changes = [((back_after - 0.5) * time_step, -shear)] if back_after else []
    cell = dem.Cell(edges_at(lean), rate=shear, rate_changes=changes)
    return dem.Simulation(spheres, cell, gravity=(0, 0, 0), time_step=time_step, threads=1)


def sheared(largest: int, time_step: float, shift: float = 0.0) -> Path:
    """Shear by the strain `largest` and back in one run, in which the basis of the cell is reduced."""
    part = round(LEAN / RATE / time_step)
    half = round(largest / LEAN) * part
    sim = simulation(start(shift), 0.0, time_step, RATE, half)
    states, bases, met = [], [], 0
    for look in range(2 * half * LOOKS // part + 1):
        sim.step(part // LOOKS if look else 0)
        there, energy, strain = sim.particles, sim.energy(), 2 * sim.cell.strain[0, 1]
        states.append((strain, there.position, there.velocity, energy.mechanical, energy.work))
        bases.append(round(strain - sim.cell.edges[0, 1] / sim.cell.edges[1, 1]))
        met += sim.contact_count > 0
    columns = map(np.array, zip(*states, strict=True))
    return Path(*columns, sim.energy_departure, int((np.diff(bases) != 0).sum()), met)


def sheared_in_parts(largest: int, time_step: float) -> Path:
    """Shear by the strain `largest` and back in several runs, each with so little tilt that no reduction is needed.

    Where it leans by LEAN, the next part begins with a cell of the same lattice that leans by 1 - LEAN to the other
    side. The energy goes on; the work is the sum of that of all parts.
    """
    part = round(LEAN / RATE / time_step)
    spheres, lean, strain, work, states, departure = start(), 0.0, 0.0, 0.0, [], 0.0
    for sign in (1, -1):
        for _ in range(round(largest / LEAN)):
            lean = -lean if sign * lean > LEAN / 2 else lean
            sim = simulation(spheres, lean, time_step, sign * RATE)
            for look in range(LOOKS + 1):
                sim.step(part // LOOKS if look else 0)
                there, energy = sim.particles, sim.energy()
                now = strain + 2 * sim.cell.strain[0, 1]
                if look or not states:
                    states.append((now, there.position, there.velocity, energy.mechanical, work + energy.work))
            spheres, lean, strain, work = there, lean + sign * LEAN, now, work + energy.work
            departure = max(departure, sim.energy_departure)
    return Path(*map(np.array, zip(*states, strict=True)), departure, 0, 0)


def difference(one: Path, other: Path, shift: float = 0.0) -> np.ndarray:
    """Largest difference of positions between nearest images, in diameters (T,).

    shift: of the other run at its start, in units of SHIFT edges; the cell has deformed it since.
    """
    found = []
    for strain, x, y in zip(one.strain, one.position, other.position, strict=True):
        edges, moved = edges_at(strain - round(strain)), shift * EDGE * SHIFT
        apart = x + moved + np.array([strain * moved[1], 0.0, 0.0]) - y
        apart -= np.round(apart @ np.linalg.inv(edges).T) @ edges.T
        found.append(np.abs(apart).max() / DIAMETER)
    return np.array(found)


def report(*, quick: bool) -> Report:
    """Compare places and energies with those of cells without reductions, and the error of the energy."""
    found = Report("cell-reductions", "Shear by γ and back through reductions of the basis of a cell")
    largest, time_step = (2 if quick else 4), 1e-5
    reduced, whole = sheared(largest, time_step), sheared_in_parts(largest, time_step)
    moved = sheared(largest, time_step, shift=1.0)
    apart, rounded = difference(reduced, whole), difference(reduced, moved, shift=1.0)
    energy = np.abs(reduced.energy - whole.energy).max() / whole.energy.max()
    work = np.abs(reduced.work - whole.work).max() / whole.energy.max()
    where = f"γ = {largest}, through {reduced.reductions} reductions"
    found.below(f"{where}: largest difference of places over the diameter", float(apart.max()), 1e-8)
    found.below(f"{where}: the same over that by a shift of the origin", float(apart.max() / rounded.max()), 30)
    found.below(f"{where}: difference of the energy over it", float(energy), 1e-9)
    found.below(f"{where}: difference of the work of the cell over the energy", float(work), 1e-9)
    found.near("reductions", reduced.reductions, 2 * largest, exact=f"{2 * largest}", within=0.0)
    steps = [1e-5, 5e-6, 2.5e-6]
    paths = [reduced, *(sheared(largest, step) for step in steps[1:])]
    drifts = [path.departure / float(path.energy.max()) for path in paths]
    found.near("order of E - work in the time step", order_of([1 / step for step in steps], drifts), 2, exact="2",
               within=0.25, relative=False)  # fmt: skip
    found.tables["differences"] = (
        ["shear", "places_over_diameter", "places_after_a_shift_over_diameter", "energy_J", "work_J"],
        np.column_stack([reduced.strain, apart, rounded, reduced.energy, reduced.work]).tolist(),
    )
    found.tables["time_steps"] = ["time_step_s", "energy_less_work"], list(map(list, zip(steps, drifts, strict=True)))
    total = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(reduced.strain)))])
    found.figures["differences"] = curves(
        f"eight elastic spheres, sheared by {largest} and back", "shear that the cell has passed",
        "difference of places over the diameter",
        {
            "with and without reductions": (total[1:], np.maximum(apart[1:], 1e-17)),
            "origin shifted": (total[1:], np.maximum(rounded[1:], 1e-17)),
        },
        yscale="log",
    )  # fmt: skip
    found.statements += [
        f"Tier: another computation of the same. The run without reductions consists of parts that shear a cell by "
        f"{LEAN:g}; the next part begins with the same spheres in the cell that leans to the other side.",
        "Collisions multiply differences. So the difference is compared with that of a run whose origin is shifted, "
        "which rounds differently.",
        f"{reduced.in_contact} of {len(reduced.strain)} looks saw contacts.",
    ]
    return found
