"""Engine of stochastic spheres: holds their arrays, takes time steps."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.event_driven.engine import boundaries, space_of, sphere_state
from dem.kernels.dsmc import carrier_fluid, steps
from dem.kernels.dsmc.gas import Gas
from dem.kernels.dsmc.partners import VelocityMoments
from dem.kernels.dsmc.solids_pressure import SolidsStress
from dem.kernels.event_driven import flight
from dem.model.particles.fields import WIDTHS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.kernels.event_driven.events import ImpactLaws
    from dem.model.domain.box import Box
    from dem.model.fluid.solids_pressure import SolidsPressure
    from dem.model.fluid.turbulence import Turbulence
    from dem.model.particles.particles import Particles

PACKED = 0.64  # solid fraction of random close packing: where Enskog's factor does not hold


class Rule(NamedTuple):
    """Rule by which collisions are drawn."""

    partners: bool  # fictitious ones; else pairs in cells
    cells: tuple[int, int, int]
    time_step: float  # [s]
    seed: int
    turbulence: Turbulence | None
    correlation: str  # of partners in turbulence: full, particle or none
    pressure: SolidsPressure | None = None


class FluidAtParticles(NamedTuple):
    """Fluid velocity at the particles; empty without fictitious partners."""

    seen: np.ndarray  # (3, N) fluctuation of its velocity [m/s]


class StochasticState(NamedTuple):
    """Copies of the complete state of an engine, by the names of the arrays in each part."""

    spheres: dict[str, np.ndarray]
    tally: dict[str, np.ndarray]
    fluid: dict[str, np.ndarray]


PARTS = StochasticState._fields


class StochasticEngine:
    """Spheres in cells, numbered as in the user's input; all are at the time of the latest step."""

    def __init__(
        self,
        particles: Particles,
        box: Box,
        gravity: tuple[float, float, float],
        laws: ImpactLaws,
        rule: Rule,
        step: int,
    ) -> None:
        self.laws, self.rule, self.gravity = laws, rule, gravity
        lower, upper, cells = np.array(box.lower), np.array(box.upper), np.array(rule.cells)
        weight = (0.0, 0.0, 0.0) if rule.turbulence else gravity
        self.space = space_of(boundaries(box), lower, upper, weight, cells, (upper - lower) / cells)
        self.gas = _gas(len(particles), self.space)
        self.spheres = sphere_state(particles, self.space, step * rule.time_step, planned=0)
        self.moments = _velocity_moments(particles, self.gas, rule)
        self.carrier = _carrier(particles, gravity, rule)
        self.stress = _stress(self.gas, rule.pressure)
        self.fluid = FluidAtParticles(self.carrier.seen)
        counts = {name: np.zeros(1, np.int64) for name in ("step", "pair", "wall", "lasting", "excess", "stuck")}
        sums = {name: np.zeros(1) for name in ("lost", "lifted", "gained", "rate", "densest")}
        self.tally = steps.CollisionTally(**counts, **sums, impulse=np.zeros(3))
        self.tally.step[0] = step

    @property
    def step(self) -> int:
        """Number of steps taken."""
        return int(self.tally.step[0])

    def advance(self, count: int) -> int:
        """Take a number of steps; returns a code of `dem.kernels.dsmc.steps`."""
        rule, about = self.rule, (self.spheres, self.space, self.laws, self.gas)
        if self.stress:
            return steps.advance_with_solids_pressure(
                count, rule.time_step, PACKED, rule.seed, *about, self.stress, self.tally
            )
        if not rule.partners:
            return steps.advance_pairs(count, rule.time_step, PACKED, rule.seed, *about, self.tally)
        return steps.advance_partners(
            count, rule.time_step, PACKED, rule.seed, self.gravity, *about, self.moments, self.carrier, self.tally
        )

    def measure_gas(self) -> tuple[float, float]:
        """Largest solid fraction around a cell, and mean collision rate of a particle in equilibrium [1/s]."""
        return steps.measure_gas(self.spheres, self.space, self.gas)

    def snapshot(self) -> StochasticState:
        """Copies of the complete state, from which a run continues to the same bytes."""
        parts = (getattr(self, part)._asdict() for part in PARTS)
        return StochasticState(*({name: values.copy() for name, values in part.items()} for part in parts))

    def restore(self, state: StochasticState) -> None:
        """Restore a snapshot of an engine with the same input."""
        for part in PARTS:
            for name, values in getattr(state, part).items():
                getattr(getattr(self, part), name)[...] = values

    def follow(self, before: StochasticEngine) -> None:
        """Take over the counts of another engine, of impacts and for each sphere, at the same time."""
        for name in ("last", "impacts", "wall_impacts"):
            getattr(self.spheres, name)[:] = getattr(before.spheres, name)
        for name, values in before.tally._asdict().items():
            getattr(self.tally, name)[:] = values
        self.fluid.seen[:] = before.fluid.seen

    def arrays(self) -> Iterator[np.ndarray]:
        """All arrays of the engine."""
        for part in (self.spheres, self.gas, self.moments, self.carrier, self.stress, self.tally):
            yield from (values for values in part if isinstance(values, np.ndarray))

    def state(self) -> list[np.ndarray]:
        """Copies (3 or 4, N) of position, velocity, orientation and angular velocity at the present time."""
        arrays = [np.empty((k, self.spheres.mass.size)) for k in WIDTHS]
        flight.synchronise(self.step * self.rule.time_step, self.spheres, self.space, *arrays)
        return arrays


def _gas(n: int, space: flight.Space) -> Gas:
    """Arrays of particles by cell, and volumes of cells and blocks."""
    count = int(np.prod(space.cells))
    volume = float(np.prod(space.width))
    wide = []  # cells in a block along each axis
    for axis in range(3):
        cells = space.cells[axis]
        each = np.full(cells, min(cells, 3.0))
        if space.boundary[axis] != flight.PERIODIC and cells > 2:
            each[[0, -1]] = 2.0
        wide.append(each)
    blocks = (wide[2][:, None, None] * wide[1][:, None] * wide[0]).ravel()
    return Gas(
        cell=np.zeros(n, np.int64), first=np.zeros(count + 1, np.int64), order=np.zeros(n, np.int64),
        moments=np.zeros((3, count)), blocks=np.zeros((3, count)), scratch=np.zeros((3, count)),
        room=blocks * volume, share=blocks / count, volume=volume,
    )  # fmt: skip


def _velocity_moments(particles: Particles, gas: Gas, rule: Rule) -> VelocityMoments:
    """Arrays for velocity statistics of each cell, and correlations of fictitious partners."""
    n, variants = (len(particles), len(particles.variants)) if rule.partners else (0, 0)
    columns, fluid = variants * gas.share.size, rule.turbulence
    correlation = np.zeros((variants, variants))
    if fluid and rule.correlation != "none":
        times = relaxation_times(particles, fluid)
        correlation[:] = [[fluid.correlation(one, other) for other in times] for one in times]
    sums = {name: np.zeros((3, columns)) for name in ("mean", "square", "fluid_mean", "fluid_square", "mixed")}
    return VelocityMoments(
        variant=particles.variant.astype(np.int64), number=np.zeros(columns, np.int64), **sums, spin=np.zeros((3, n)),
        velocity=np.zeros((3, n)), correlation=correlation,
        knows_fluid=fluid is not None and rule.correlation == "full",
    )  # fmt: skip


def _stress(gas: Gas, pressure: SolidsPressure | None) -> SolidsStress | tuple[()]:
    """Arrays for the solids pressure; empty without one."""
    if pressure is None:
        return ()
    count = gas.share.size
    cells = {name: np.zeros(count) for name in ("fraction", "mass", "stress")}
    return SolidsStress(**asdict(pressure), **cells, velocity_change=np.zeros((3, count)), waves=np.zeros(1))


def _carrier(particles: Particles, gravity: tuple[float, float, float], rule: Rule) -> carrier_fluid.Carrier:
    """Carrier fluid in its steady state; without a fluid, one at rest that exerts no force."""
    seen, fluid = np.zeros((3, len(particles) if rule.partners else 0)), rule.turbulence
    if not fluid:
        return carrier_fluid.Carrier(seen, np.zeros((6, 0)), np.zeros((3, 0)))
    carrier_fluid.fill(rule.seed, fluid.rms, seen)
    times = relaxation_times(particles, fluid)
    table = np.array([fluid.step(time, rule.time_step) for time in times]).T.copy()
    settled = np.array(fluid.velocity)[:, None] + np.array(gravity)[:, None] * times
    return carrier_fluid.Carrier(seen, table, settled)


def relaxation_times(particles: Particles, fluid: Turbulence) -> list[float]:
    """Relaxation time τ_p of each variant [s]."""
    variants = particles.variants
    return [fluid.relaxation_time(s.mass_properties(m.density).mass, 2 * s.radii[0]) for s, m in variants]
