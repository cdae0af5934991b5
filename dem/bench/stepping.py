"""Benchmarks that time the steps of one simulation, with the preparation of its state.

Settled states are kept from one time to the next, because making them may take minutes.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import dem
from dem.bench import lammps
from dem.bench.initial_states import ShearedBed, grain_gas, grains, mixture
from dem.bench.timing import REPEATS, Sizes, copy_bandwidth, median_rate, stage_times
from dem.case import case
from dem.kernels.compiler.private_folder import user_cache

if TYPE_CHECKING:
    from collections.abc import Callable

RATE = "particle_steps_per_second"


def states_folder() -> Path:
    """Folder of stored states in the user's cache; raises OSError if the user has none."""
    return user_cache() / "states"


def restore_state(sim: dem.Simulation, recipe: dict, make: Callable[[], None]) -> None:
    """Restore the stored state of a recipe (plain values); without one, compute the state and store it."""
    name = hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()[:16]
    try:
        with np.load(states_folder() / f"{name}.npz") as kept:
            state = {field: kept[field] for field in sim.particles.fields}
        for field, rows in state.items():
            setattr(sim.particles, field, rows)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):  # there is none, or it broke off
        make()
        _save_state(sim, f"{name}.npz")


def _save_state(sim: dem.Simulation, name: str) -> None:
    """Store the state atomically; if it cannot be stored, the next run computes it again."""
    try:
        path = states_folder() / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".npz", delete=False) as file:
            np.savez(file, **{name: getattr(sim.particles, name) for name in sim.particles.fields})
        Path(file.name).replace(path)
    except OSError:
        return


class StepBenchmark:
    """Particle steps per second of a built-in case."""

    unit = RATE

    def __init__(self, case: str, warm: int, steps: int, **parameters: float | str) -> None:
        self.case, self.warm, self.steps, self.parameters = case, warm, steps, parameters

    def prepare(self, *, share: float = 1.0, threads: int | None = None) -> dem.Simulation:
        """The simulation after its first steps."""
        sim = case(self.case)(**self.parameters, threads=threads).simulation()
        sim.step(share_of(self.warm, share))
        return sim

    @staticmethod
    def rate(sim: dem.Simulation, steps: int) -> float:
        """Particle steps per second over a number of steps, including rebuilds of neighbour lists."""

        def work() -> float:
            sim.step(steps)
            return steps * len(sim.particles)

        return median_rate(work)

    def with_chains(self) -> StepBenchmark:
        """Benchmark with chains of spheres in place of capsules, for programs without capsules."""
        return type(self)(self.case, self.warm, self.steps, **(self.parameters | {"smooth": False}))

    def against_lammps(self, share: float = 1.0) -> dict[str, float]:
        """Rate and energy drift of LAMMPS and of this engine on one core, from the same state, one after the other.

        The drift is (E - E0) / KE0 after all steps, mechanical energies reckoned by this engine from the final states
        of both; with friction or damping most of it is what contacts are meant to take. LAMMPS has no capsules: it
        runs chains of spheres in their place, without a drift.
        """
        sim = self.prepare(share=share, threads=1)
        steps = share_of(min(self.steps, 200_000), share)
        if self.parameters.get("smooth"):
            theirs, _ = lammps.run(self.with_chains().prepare(share=share, threads=1), REPEATS * steps)
            return {"lammps": theirs, "ours": self.rate(sim, steps)}
        kinetic, before = sim.energy().kinetic or 1.0, sim.energy().mechanical
        theirs, state = lammps.run(sim, REPEATS * steps)
        result = {"lammps": theirs, "lammps_drift": (lammps.energy(sim, state).mechanical - before) / kinetic}
        result["ours"] = self.rate(sim, steps)
        result["our_drift"] = (sim.energy().mechanical - before) / kinetic
        return result

    def measure(self, *, share: float = 1.0, threads: int | None = None, split: bool = True) -> dict:
        """All figures of this workload."""
        sim = self.prepare(share=share, threads=threads)
        rate = self.rate(sim, share_of(self.steps, share))
        n, sizes = len(sim.particles), Sizes.of(sim)
        figures = {
            "particles": n,
            "spheres": sizes.spheres,
            "threads": sim.threads,
            "share": share,
            self.unit: rate,
            "sphere_steps_per_second": rate * sizes.spheres / n,
            "candidate_pairs_per_particle": sizes.candidate_pairs / n,
            "energy_error": sim.energy_error,
            "state_bytes_per_particle": sizes.state / n,
            "list_bytes_per_particle": sizes.lists / n,
        }
        if split:
            figures["ns_per_particle"] = stage_times(sim)
            figures["share_of_copy_bandwidth"] = sizes.moved / n * rate / copy_bandwidth()
        return figures


class SettledHeap(StepBenchmark):
    """Particle steps per second after the particles have settled on the floor, by repeated damping of velocities.

    That may take minutes, so what came of it is kept for the next time, see `dem.bench.stepping`.
    """

    def prepare(self, *, share: float = 1.0, threads: int | None = None) -> dem.Simulation:
        """The simulation, settled and at rest; `warm` counts how often velocities lose a fifth, 500 steps apart."""
        rounds = share_of(self.warm, share)
        sim = case(self.case)(**self.parameters, threads=threads).simulation()
        # all integrators start from the same bed
        recipe = {name: value for name, value in self.parameters.items() if name != "integrator"}
        restore_state(sim, {"case": self.case, "rounds": rounds, **recipe}, lambda: settle(sim, rounds))
        return sim


class GrainGas(StepBenchmark):
    """Gas of convex grains of a `shape`: the workload of frictional spheres in the case many-spheres, for grains."""

    def prepare(self, *, share: float = 1.0, threads: int | None = None) -> dem.Simulation:
        """The gas after its first steps."""
        sim = grain_gas(threads=threads, **self.parameters)
        sim.step(share_of(self.warm, share))
        return sim


class PressedBed(StepBenchmark):
    """Settled bed of convex grains of a `shape`, or of large spheres with eight times as many of a fifth their size."""

    def prepare(self, *, share: float = 1.0, threads: int | None = None) -> dem.Simulation:
        """The settled bed; during two thirds of settling it is compressed by ten times its weight."""
        rounds = share_of(self.warm, share)
        make = grains if "shape" in self.parameters else mixture
        sim = make(threads=threads, **self.parameters)

        def press() -> None:
            weight = sim.gravity
            sim.gravity = tuple(10 * g for g in weight)
            settle(sim, 2 * rounds // 3)
            sim.gravity = weight
            settle(sim, rounds // 3)

        restore_state(sim, {make.__name__: rounds, **self.parameters}, press)
        return sim


class Shear(StepBenchmark):
    """A dense bed in slow shear between rough walls, see `dem.bench.initial_states`."""

    def prepare(self, *, share: float = 1.0, threads: int | None = None) -> dem.Simulation:
        """The compressed bed, sheared by `warm` percent of the distance between the walls."""
        parameters = dict(self.parameters)
        solid_fraction, speed = parameters.pop("solid_fraction"), parameters.pop("speed")
        bed, strain = ShearedBed(threads=threads, **parameters), share * self.warm / 100

        def shear() -> None:
            bed.press(solid_fraction)
            bed.shear(speed, strain)

        restore_state(bed.sim, {"shear": strain, **self.parameters}, shear)
        return bed.sim


def settle(sim: dem.Simulation, rounds: int) -> None:
    """Run until all particles are at rest."""
    for _ in range(rounds):
        sim.step(500)
        sim.particles.velocity = 0.8 * sim.particles.velocity
        sim.particles.angular_velocity = 0.8 * sim.particles.angular_velocity
    sim.particles.velocity = np.zeros((len(sim.particles), 3))
    sim.particles.angular_velocity = np.zeros((len(sim.particles), 3))


def share_of(count: int, share: float) -> int:
    """Fraction of a number, rounded down, at least one."""
    return max(1, int(count * share))
