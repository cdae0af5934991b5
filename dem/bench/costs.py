"""Benchmarks of the cost of single features per step: bonds, walls, a fluid, calls from Python.

Runs with and without it are timed by turns.
"""

from __future__ import annotations

import statistics
import time
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import dem
from dem.bench.drum import Drum, Drumming
from dem.bench.stepping import RATE, share_of
from dem.bench.timing import Sizes, cost_by_turns, stages
from dem.case import case

if TYPE_CHECKING:
    from collections.abc import Callable

APART = "apart"  # without bonds
DIAMETER, SEGMENTS, BENT = 1e-3, 10, 0.02  # m; bonds of a fibre; m/s by which nodes swing at first
DAMPING = {"undamped": 0.0, "damped": 0.05}
LISTING = 3  # steps after a state is given: what is listed anew is not counted
WITHOUT, CYLINDER, TRIANGLES = "without", "cylinder", "triangles"
AIR = {"density": 1.2, "viscosity": 1.8e-5}
TURNOVER = 1.0  # time in which the flow goes through the box [s]
NODES = 25  # along each axis
FIXED, GRAIN, PRESSURE = "fixed", 0.005, 1e4  # a periodic box; diameter [m]; of packings in cells [Pa]
ROUNDS, PER_ROUND = 9, 200  # rounds of so many calls each


class Bonding:
    """Nanoseconds per step of segments with and without bonds, and the cost of a bond."""

    unit = RATE

    def __init__(self, warm: int, steps: int, n: int) -> None:
        self.warm, self.steps, self.n = warm, steps, n

    def runs(self, *, share: float = 1.0, threads: int | None = None) -> dict[str, dem.Simulation]:
        """Two runs: N swinging fibres that do not touch each other, and their segments without bonds."""
        material = dem.Material(young=1e7, poisson=0.3, density=1000.0)
        side, length = int(np.ceil(self.n ** (1 / 2))), (SEGMENTS + 1) * DIAMETER
        place = np.stack(np.unravel_index(np.arange(self.n), (side, side)), 1) * 2 * DIAMETER
        runs, swing = {}, np.random.default_rng(1).normal(0.0, BENT, (self.n * (SEGMENTS + 1), 3))
        for name, damping in {APART: 0.0, **DAMPING}.items():
            fibre = dem.FlexibleFibre(diameter=DIAMETER, length=length, segments=SEGMENTS, young=1e7, damping=damping)
            bodies, bonds = fibre.make(material, position=np.column_stack([np.zeros(self.n), place]))
            bodies.velocity = swing * (0.01 if name == APART else 1.0)
            runs[name] = dem.Simulation(
                bodies, bonds=None if name == APART else bonds, time_step=1e-6, gravity=(0, 0, 0), threads=threads,
                integrator="splitting",
            )  # fmt: skip
            runs[name].step(share_of(self.warm, share))
        return runs

    def measure(self, *, share: float = 1.0, threads: int | None = None) -> dict:
        """Least processor time of each run, and the excess over that without bonds, per bond."""
        runs, steps = self.runs(share=share, threads=threads), share_of(self.steps, share)
        least = {name: min(costs) for name, costs in cost_by_turns(runs, steps).items()}
        damped, bonds = runs["damped"], self.n * SEGMENTS
        bodies = len(damped.particles)
        return {
            "particles": bodies,
            "threads": damped.threads,
            "share": share,
            self.unit: 1e9 * bodies / least["damped"],
            "ns_per_particle_step": {name: ns / bodies for name, ns in least.items()},
            "ns_per_bond": {name: (least[name] - least[APART]) / bonds for name in DAMPING},
        }


class Deforming:
    """Nanoseconds per particle step of one packing in deforming cells, relative to a fixed periodic box."""

    unit = RATE

    def __init__(self, warm: int, steps: int, n: int) -> None:
        self.warm, self.steps, self.n = warm, steps, n

    def packing(self, *, share: float = 1.0, threads: int | None = None) -> dem.Simulation:
        """Spheres with friction, compressed to a pressure."""
        sand = dem.Material(young=5e7, poisson=0.3, density=2500.0, restitution=0.6, friction=0.5)
        rng, side, pitch = np.random.default_rng(1), int(np.ceil(self.n ** (1 / 3))), 1.06 * GRAIN
        places = np.stack(np.unravel_index(np.arange(self.n), (side,) * 3), 1) + rng.uniform(0.475, 0.525, (self.n, 3))
        loose = dem.Particles(
            dem.Sphere(diameter=GRAIN), sand, position=pitch * places, velocity=rng.normal(0, 0.05, places.shape)
        )
        press = dem.Simulation(
            loose, dem.Cell((side * pitch,) * 3, stress=PRESSURE, fastest=20.0), gravity=(0, 0, 0), time_step=5e-6,
            threads=threads,
        )  # fmt: skip
        press.step(share_of(self.warm, share))
        return press

    def runs(self, press: dem.Simulation) -> dict[str, dem.Simulation]:
        """Runs of the packing in a box and in cells with different controls."""
        ((_, sand),) = press.particles.variants
        size = np.diagonal(press.cell.edges)
        shear, across = np.zeros((3, 3)), np.zeros((3, 3))
        shear[0, 1] = across[1, 2] = 1e-3  # [1/s]: the packing stays what it is
        domains = {
            FIXED: dem.Box((0, 0, 0), size, sand, periodic=["x", "y", "z"]),
            "pressure": dem.Cell(size, stress=PRESSURE),
            "shear": dem.Cell(size, rate=shear),
            "shear along z": dem.Cell(size, rate=across),
        }
        shared = {"gravity": press.gravity, "time_step": press.time_step, "threads": press.threads}
        return {name: dem.Simulation(press.particles, domain, **shared) for name, domain in domains.items()}

    def measure(self, *, share: float = 1.0, threads: int | None = None) -> dict:
        """Least processor time of each run, and the median over rounds of its ratio to that of the box.

        All rounds begin with the same packing: as it relaxes, the one under a pressure keeps more contacts.
        """
        press, steps = self.packing(share=share, threads=threads), share_of(self.steps, share)
        rounds = []
        for _ in range(ROUNDS):
            runs = self.runs(press)
            for sim in runs.values():
                sim.step(LISTING)
            rounds.append(cost_by_turns(runs, steps, rounds=1))
        cost = {name: np.concatenate([each[name] for each in rounds]) / self.n for name in runs}
        return {
            "particles": self.n,
            "threads": press.threads,
            "share": share,
            self.unit: 1e9 / cost["pressure"].min(),
            "ns_per_particle_step": {name: float(values.min()) for name, values in cost.items()},
            "times_fixed": {name: float(np.median(values / cost[FIXED])) for name, values in cost.items()},
        }


class Walling:
    """Nanoseconds per particle step in a drum of triangles and in a smooth drum, and the share of the walls."""

    unit = RATE

    def __init__(self, warm: int, steps: int, **parameters: float) -> None:
        self.steps, self.parameters = steps, parameters
        self.drumming = Drumming("", warm, steps, **parameters)

    def runs(self, *, share: float = 1.0, threads: int | None = None) -> dict[str, dem.Simulation]:
        """Runs of one bed of grains without a drum, in a smooth drum and in a drum of triangles."""
        triangles = self.drumming.prepare(share=share, threads=threads)
        smooth = Drum(threads=threads, **self.parameters, smooth=True).sim
        bare = dem.Simulation(triangles.particles, triangles.box, time_step=triangles.time_step, threads=threads)
        return {WITHOUT: bare, CYLINDER: smooth, TRIANGLES: triangles}

    def measure(self, *, share: float = 1.0, threads: int | None = None) -> dict:
        """Least processor time of each run, the fraction that walls take, and the number of spheres near the wall.

        Without a wall grains fly apart, so all runs begin each round where that of triangles is; friction begins
        anew there, in all of them.
        """
        runs, steps = self.runs(share=share, threads=threads), share_of(self.steps, share)
        triangles = runs[TRIANGLES]  # the last

        def begin(sim: dem.Simulation) -> None:
            for name in triangles.particles.fields:
                setattr(sim.particles, name, np.array(getattr(triangles.particles, name)))
            sim.step(LISTING)

        cost, n = cost_by_turns(runs, steps, before=begin), len(triangles.particles)
        sizes, least = Sizes.of(triangles), {name: min(costs) / n for name, costs in cost.items()}
        return {
            "particles": n,
            "threads": triangles.threads,
            "share": share,
            self.unit: 1e9 / least[TRIANGLES],
            "ns_per_particle_step": least,
            "share_of_walls": {name: 1 - least[WITHOUT] / ns for name, ns in least.items() if name != WITHOUT},
            "near_walls": sizes.near_walls / sizes.spheres,
        }


def vortices(box: dem.Box) -> dem.GriddedFlow:
    """Flow on a grid that covers a box: vortices of the size of the box, with a mean flow through them."""
    lower, upper = np.array(box.lower), np.array(box.upper)
    margin = 1e-6 * (upper - lower)
    axes = [np.linspace(*ends, NODES) for ends in zip(lower - margin, upper + margin, strict=True)]
    x, y, _ = np.meshgrid(*(2 * np.pi * (a - a[0]) / (a[-1] - a[0]) for a in axes), indexing="ij")
    speed = (upper - lower).max() / TURNOVER
    velocity = speed * np.stack([np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y), 0.2 * np.sin(x)], -1)
    return dem.GriddedFlow(
        velocity=velocity, spacing=tuple(float(a[1] - a[0]) for a in axes), origin=tuple(float(a[0]) for a in axes)
    )


class Flowing:
    """Nanoseconds per particle step of a case without a fluid and in several fluids."""

    unit = RATE

    def __init__(self, case: str, warm: int, steps: int, fluids: dict[str, dict], **parameters: float | str) -> None:
        self.case, self.warm, self.steps, self.fluids, self.parameters = case, warm, steps, fluids, parameters

    def runs(self, *, share: float = 1.0, threads: int | None = None) -> dict[str, dem.Simulation]:
        """One simulation without a fluid and one in each fluid, from the same state after its first steps."""
        dry = case(self.case)(**self.parameters, threads=threads).simulation()
        dry.step(share_of(self.warm, share))
        flow = vortices(dry.box)
        told = {
            "gravity": dry.gravity, "time_step": dry.time_step, "integrator": dry.integrator.name, "threads": threads,
            "contacts": dry.contacts,
        }  # fmt: skip
        fluids = {name: dem.Fluid(**AIR, velocity=flow, **words) for name, words in self.fluids.items()}
        return {
            name: dem.Simulation(dry.particles, dry.box, fluid=fluid, **told)
            for name, fluid in {"dry": None, **fluids}.items()
        }

    def measure(self, *, share: float = 1.0, threads: int | None = None) -> dict:
        """Cost of each run, also relative to the run without a fluid; the rate is that of the last run."""
        runs, steps = self.runs(share=share, threads=threads), share_of(self.steps, share)
        for sim in runs.values():
            sim.step(share_of(20, share))
        cost = cost_by_turns(runs, steps, clock=time.perf_counter)
        last, n = list(runs)[-1], len(sim.particles)
        over = {
            name: statistics.median(a / b for a, b in zip(costs, cost["dry"], strict=True))
            for name, costs in cost.items()
        }
        return {
            "particles": n,
            "threads": sim.threads,
            "share": share,
            self.unit: 1e9 * n / statistics.median(cost[last]),
            "ns_per_particle_step": {name: statistics.median(costs) / n for name, costs in cost.items()},
            "times_dry": over,
        }


class Calling:
    """Calls of `step(1)` per second, and microseconds of each kind of call, for a built-in case with few bodies."""

    unit = "calls_per_second"

    def __init__(self, case: str, warm: int) -> None:
        self.case, self.warm = case, warm

    def measure(self, *, share: float = 1.0, threads: int | None = None) -> dict:
        """Least processor time of each kind of call over alternating rounds, and of a step within one long call."""
        sim = case(self.case)(threads=threads).simulation()
        sim.step(share_of(self.warm, share))
        calls = share_of(PER_ROUND, share)

        def repeat(call: Callable[[], None]) -> Callable[[], None]:
            return lambda: [call() for _ in range(calls)]

        works = {
            "step(1)": repeat(sim.step),
            "a step of many": lambda: sim.step(calls),
            "step(1), particles read": repeat(lambda: sim.step() or sim.particles),
        }
        cost = {name: [] for name in (*works, "list anew")}

        def measure(name: str, work: Callable[[], None]) -> None:
            start = time.process_time()
            work()
            cost[name].append(1e6 * (time.process_time() - start) / calls)

        for _ in range(ROUNDS):
            for name, work in works.items():
                measure(name, work)
            with stages(sim) as parts:
                measure("list anew", partial(parts["list neighbours"], calls))
        least = {name: max(min(costs), 1e-3) for name, costs in cost.items()}
        return {
            "particles": len(sim.particles),
            "threads": sim.threads,
            "share": share,
            self.unit: 1e6 / least["step(1)"],
            "us_per_call": least,
        }
