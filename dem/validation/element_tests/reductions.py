"""Shear of an elastic gas by γ and back, through many reductions of the basis of its cell, and without any."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import dem
from dem.validation.report import Report, curves, order_of

DIAMETER, YOUNG, POISSON, DENSITY = 0.01, 5e6, 0.3, 2000.0  # [m, Pa, -, kg/m³]
EDGE, RATE, SPEED = 0.026, 100.0, 0.05  # of the cell [m], of shear [1/s], of the spheres at first [m/s]
SKEWED = 0.5  # shear of a cell below which its basis is never reduced
LOOKS = 80
SHIFT = np.array([0.37, 0.61, 0.23])  # of all places in the cell, over its edge, which rounds otherwise


class Path(NamedTuple):
    """A run that was sheared and sheared back; all numbers are of the spheres of one copy of the cell."""

    strain: np.ndarray  # (LOOKS + 1,) shear γ
    position: np.ndarray  # (LOOKS + 1, N, 3) [m]
    velocity: np.ndarray  # (LOOKS + 1, N, 3) peculiar [m/s]
    energy: np.ndarray  # (LOOKS + 1,) kinetic and elastic [J]
    work: np.ndarray  # (LOOKS + 1,) of the cell [J]
    reductions: int  # looks between which the basis has changed
    in_contact: int  # looks with contacts
    departure: float  # largest one of E - work at any step [J]


def sheared(largest: float, time_step: float, copies: int = 1, shift: float = 0.0) -> Path:
    """Shear eight spheres by `largest` and back.

    copies: of the cell along x, whose spheres move alike; with more than twice `largest` of them its basis is never
        reduced.
    shift: of all places, in SHIFT of the edge.
    """
    rng = np.random.default_rng(7)
    places = np.stack(np.meshgrid(*[np.arange(2)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    x = EDGE / 2 * (places + rng.uniform(-0.1, 0.1, places.shape)) + shift * EDGE * SHIFT
    v = rng.normal(0, SPEED, x.shape)
    far = np.arange(copies)[:, None, None] * np.array([EDGE, 0.0, 0.0])
    material = dem.Material(young=YOUNG, poisson=POISSON, density=DENSITY, name="sphere")
    spheres = dem.Particles(
        dem.Sphere(diameter=DIAMETER), material, position=(x + far).reshape(-1, 3),
        velocity=np.tile(v - v.mean(axis=0), (copies, 1)),
    )  # fmt: skip
    half, rate = round(largest / RATE / time_step / LOOKS) * LOOKS, np.zeros((3, 3))
    rate[0, 1] = RATE
    back = [((half - 0.5) * time_step, -rate)]
    sim = dem.Simulation(
        spheres, dem.Cell((copies * EDGE, EDGE, EDGE), rate=rate, rate_changes=back), gravity=(0, 0, 0),
        time_step=time_step, threads=1,
    )  # fmt: skip
    states, bases, met = [], [], 0
    for look in range(LOOKS + 1):
        sim.step(2 * half // LOOKS if look else 0)
        there, energy, shear = sim.particles, sim.energy(), 2 * sim.cell.strain[0, 1]
        states.append((shear, there.position[:8], there.velocity[:8], energy.mechanical / copies, energy.work / copies))
        bases.append(round(shear - sim.cell.edges[0, 1] / sim.cell.edges[1, 1]))
        met += sim.contact_count > 0
    return Path(*map(np.array, zip(*states, strict=True)), int((np.diff(bases) != 0).sum()), met, sim.energy_departure)


def difference(one: Path, other: Path, shift: float = 0.0) -> np.ndarray:
    """Largest difference of places over the diameter at each look (LOOKS + 1,), between nearest images.

    shift: of the places of the other at first, in SHIFT of the edge, which the cell has deformed since.
    """
    found = []
    for strain, x, y in zip(one.strain, one.position, other.position, strict=True):
        edges = EDGE * np.eye(3)
        edges[0, 1] = EDGE * (strain - round(strain))
        moved = shift * EDGE * SHIFT
        apart = x + moved + np.array([strain * moved[1], 0.0, 0.0]) - y
        apart -= np.round(apart @ np.linalg.inv(edges).T) @ edges.T
        found.append(np.abs(apart).max() / DIAMETER)
    return np.array(found)


def report(*, quick: bool) -> Report:
    """Compare places and energies with those in a long cell without reductions, and the error of the energy."""
    found = Report("cell-reductions", "Shear by γ and back through reductions of the basis of a cell")
    largest, time_step = (2.0, 1e-5) if quick else (8.0, 1e-5)
    copies = int(np.ceil(largest / SKEWED)) + 1
    reduced, whole = sheared(largest, time_step), sheared(largest, time_step, copies)
    moved = sheared(largest, time_step, shift=1.0)
    apart, rounded = difference(reduced, whole), difference(reduced, moved, shift=1.0)
    energy = np.abs(reduced.energy - whole.energy).max() / whole.energy.max()
    work = np.abs(reduced.work - whole.work).max() / whole.energy.max()
    where = f"γ = {largest:g}, through {reduced.reductions} reductions"
    found.below(f"{where}: largest difference of places over the diameter", float(apart.max()), 1e-8)
    found.below(f"{where}: the same over that by a shift of the origin", float(apart.max() / rounded.max()), 30)
    found.below(f"{where}: difference of the energy over it", float(energy), 1e-9)
    found.below(f"{where}: difference of the work of the cell over the energy", float(work), 1e-9)
    found.below("reductions in the long cell", whole.reductions, 0)
    steps = [2e-5, 1e-5, 5e-6] if quick else [2e-5, 1e-5, 5e-6, 2.5e-6]
    drifts = []
    for step in steps:
        path = sheared(2.0, step)
        drifts.append(path.departure / float(path.energy.max()))
    found.near("order of E - work in the time step", order_of([1 / step for step in steps], drifts), 2, exact="2",
               within=0.25, relative=False)  # fmt: skip
    found.tables["differences"] = (
        ["shear", "places_over_diameter", "places_after_a_shift_over_diameter", "energy_J", "work_J"],
        np.column_stack([reduced.strain, apart, rounded, reduced.energy, reduced.work]).tolist(),
    )
    found.tables["time_steps"] = ["time_step_s", "energy_less_work"], list(map(list, zip(steps, drifts, strict=True)))
    total = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(reduced.strain)))])
    found.figures["differences"] = curves(
        f"eight elastic spheres, sheared by {largest:g} and back", "shear that the cell has passed",
        "difference of places over the diameter",
        {
            "with and without reductions": (total[1:], np.maximum(apart[1:], 1e-17)),
            "origin shifted": (total[1:], np.maximum(rounded[1:], 1e-17)),
        },
        yscale="log",
    )  # fmt: skip
    found.statements += [
        f"Tier: another computation of the same. {copies} copies of the cell along x make a cell whose basis "
        "is never reduced; each copy moves as the single cell does.",
        "Collisions multiply differences. So the difference is compared with that of a run whose origin is shifted, "
        "which rounds differently.",
        f"{reduced.in_contact} of {LOOKS + 1} looks saw contacts.",
    ]
    return found
