"""Two-way coupling: sums over particles in cells of the fluid, exchange with the function that computes its flow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.base.text import counted
from dem.kernels.fluid import cells as sums
from dem.kernels.fluid import sampling
from dem.kernels.fluid.dense_suspension import (
    GRADIENT,
    PRESSING,
    ROWS,
    ROWS_IN_MIXTURE,
    VELOCITY,
    VOIDAGE,
    Bed,
    Mixture,
    Solved,
)
from dem.kernels.fluid.gridded import SCRATCH
from dem.kernels.fluid.medium import mass_ratio_of_bodies
from dem.model.fluid.coupling import Exchange, answered

if TYPE_CHECKING:
    from collections.abc import Collection

    from dem.model.domain.box import Box
    from dem.model.fluid.cells import Cells
    from dem.model.fluid.coupling import FlowState
    from dem.model.fluid.fluid import Fluid
    from dem.model.particles.particles import Particles
    from dem.soft.engine import Engine
    from dem.soft.fluid.fluid_setup import EngineFluid
    from dem.soft.heat.heat_in_run import HeatInRun

# entries of `TwoWayCoupling.record`: smallest voidage and largest strength so far; density, viscosity; last exchange
LEAST_VOIDAGE, STRENGTH, DENSITY, VISCOSITY, LAST_EXCHANGE = range(5)
BITS = 61  # of sums over all particles
SWINGS, DIVERGES = 1.0, 2.0  # share of the relative velocity that an interval takes, see `TwoWayCoupling.strength`


def widest(particles: Particles) -> float:
    """Largest extent of a particle [m]."""
    shapes = {id(shape): shape for shape, _ in particles.variants}.values()
    return 2 * max(
        float(np.max(np.linalg.norm(shape.offsets, axis=1) + shape.radii)) for shape in shapes
    )  # fmt: skip


def cells_of(fluid: Fluid | None, particles: Particles, box: Box | None) -> Cells | None:
    """Cells of a fluid, checked; None if it needs none."""
    if fluid is None or fluid.cells is None:
        return None
    largest = widest(particles)
    cells = fluid.cells.resolve(box, largest)
    cells.check_wide(largest)
    return cells


def in_cells(fluid: Fluid, cells: Cells, field: tuple, number: int) -> tuple:
    """Flow field of kernels with a voidage by cell, or computed by a function, for a number of particles."""
    if fluid.coupling is None:
        return Bed(field, cells.as_arguments(), np.ones((1, *cells.number)))
    return Solved(cells.as_arguments(), np.zeros((ROWS, *cells.number)), np.zeros((3, number)), np.zeros((3, number)))


def properties_of(fluid: tuple) -> tuple[float, float] | list[np.ndarray]:
    """Density and viscosity of the fluid, or those of the cells (nx, ny, nz), copied."""
    if isinstance(fluid.field, Mixture):
        return [each.copy() for each in fluid.field.properties]
    return float(fluid.medium.density), float(fluid.medium.viscosity)


def _with_fluid_heat(engine: Engine) -> HeatInRun | None:
    """Heat of a run in which cells of the fluid have temperatures of their own."""
    return next((stage for stage in engine.scalars if stage.has_cells), None)


class TwoWayCoupling:
    """Sums over particles in the cells of a fluid, and the exchange with the function that computes its flow.

    Cells are as `cells_of` returns them.
    """

    def __init__(self, fluid: Fluid, cells: Cells, particles: Particles) -> None:
        self.fluid, self.cells, self.coupling = fluid, cells, fluid.coupling
        properties = [shape.mass_properties(material.density) for shape, material in particles.variants]
        self.volumes = np.array([each.volume for each in properties])
        self.masses = np.array([each.mass for each in properties])
        self._set_variants(np.array(particles.variant))
        self.record = np.array([1.0, 0.0, fluid.density, fluid.viscosity, 0.0])
        self.is_continued = False

    def _set_variants(self, variant: np.ndarray) -> None:
        """Sum over particles of these variants (N,) from now on."""
        self.variant, self.volume, self.mass = variant, self.volumes[variant], self.masses[variant]

    @property
    def state(self) -> dict[str, np.ndarray]:
        """State from which a run continues, by name; `arrays` has that of the field."""
        return {"seen": self.record}

    @staticmethod
    def arrays(field: tuple) -> dict[str, np.ndarray]:
        """Arrays of a field from which a run continues, by name."""
        found = {"cells": field.values}
        if not isinstance(field, Bed):
            found |= {"taken": field.taken, "taking": field.taking}
        return found | ({"properties": field.properties} if isinstance(field, Mixture) else {})

    def fit_field(self, fluid: EngineFluid, names: Collection[str]) -> None:
        """Give a fluid the type of field that has arrays of these names: properties by cell only if they are named."""
        field, medium = fluid.model.field, fluid.model.medium
        if isinstance(field, Bed) or isinstance(field, Mixture) == ("properties" in names):
            return
        if isinstance(field, Mixture):
            fluid.model = fluid.model._replace(field=Solved(*field[: len(Solved._fields)]))
            return
        properties = np.empty((2, *self.cells.number))
        properties[0], properties[1] = medium.density, medium.viscosity
        rows = np.zeros((len(medium.sampled), ROWS_IN_MIXTURE + SCRATCH, medium.sampled.shape[2]))
        fluid.model = fluid.model._replace(
            field=Mixture(*field, properties, self.masses), medium=medium._replace(sampled=rows)
        )

    def next_stop(self, step: int, stop: int) -> int:
        """The step at which cells are counted next, `stop` at most."""
        every = self.cells.every
        return min(stop, (step // every + 1) * every)

    def continue_from(self, engine: Engine, before: EngineFluid) -> None:
        """Copy the flow of the engine before a change of its particles."""
        there = before.two_way.arrays(before.model.field)
        self.fit_field(engine.fluid, there)
        for name, values in self.arrays(engine.fluid.model.field).items():
            values[:] = there[name]
        self.record[:] = before.two_way.record
        self.is_continued = True
        self.update_medium(engine.fluid)
        if self.coupling is not None and self.fluid.drag_model == "B":  # gravity may be new
            self._apply_weight(engine)

    @staticmethod
    def _apply_weight(engine: Engine) -> None:
        """Set the pressure gradient to the weight of the fluid."""
        density = properties_of(engine.fluid.model)[0]
        for k in range(3):
            engine.fluid.model.field.values[PRESSING + k] = -density * engine.gravity[k]

    def update_medium(self, fluid: EngineFluid) -> None:
        """Give a fluid the density and viscosity of the last answer."""
        density, viscosity = self.record[DENSITY : VISCOSITY + 1].tolist()
        medium = fluid.model.medium
        own = mass_ratio_of_bodies(self.masses, medium.added, density, medium.volume)
        medium = medium._replace(density=density, viscosity=viscosity, mass_ratio=own)
        fluid.model = fluid.model._replace(medium=medium)

    def begin(self, engine: Engine, step: int) -> None:
        """Sum at the start, in the state before the first forces, and exchange."""
        b = engine.bodies
        state = [engine.by_row(values) for values in (b.position, b.velocity, b.orientation)]
        if not self.is_continued:
            self._check_covered(state[0].T)
        self.count(engine, state[0])
        if self.coupling is None or self.is_continued:
            return
        flow = engine.fluid.model.field.values
        still = self.fluid.velocity.velocity
        for k in range(3):
            flow[VELOCITY + k] = still[k]
            flow[PRESSING + k] = -engine.fluid.model.medium.density * engine.gravity[k]
        engine.fluid.model.medium.clock[0] = step * engine.dt
        self.record[LAST_EXCHANGE] = step
        exchange = self.exchange(engine, state, step)
        share = self.strength(exchange, self.cells.every * engine.dt)
        if not self.coupling.implicit and share >= DIVERGES:
            steps = max(0, math.floor(self.cells.every * DIVERGES / share) - 1)
            remedy = f"take every={steps} or less, or " if steps else ""
            message = (
                f"particles of a cell could give {share:.3g} times the momentum that makes them as fast as the fluid "
                f"in {counted(self.cells.every, 'step')} of {engine.dt:g} s between two exchanges (mass loading times "
                f"interval over relaxation time), and an explicit coupling diverges from {DIVERGES:g} on: {remedy}"
                "lower time_step, or let the function take drag implicitly, by exchange.resistance, and say "
                "implicit=True"
            )
            raise ValueError(message)
        self.answer(engine, self.coupling.function(exchange))

    def _check_covered(self, position: np.ndarray) -> None:
        """Raise ValueError if a particle at positions (N, 3) is in none of the cells."""
        off = np.flatnonzero(self.cells.outside(position))
        if off.size:
            where = ", ".join(f"{x:.6g}" for x in position[off[0]])
            message = (
                f"particle {off[0]} at ({where}) m is in none of the cells from {tuple(self.cells.lower)} to "
                f"{tuple(self.cells.upper)} m ({len(off)} in all): let lower and upper of dem.Cells cover all particles"
            )
            raise ValueError(message)

    def refresh(self, engine: Engine) -> None:
        """Sum at the present step, and exchange."""
        step = int(engine.run_state.step[0])
        if engine.population:
            self._set_variants(engine.by_row(engine.bodies.kind))
        state = engine.state()[:3]
        self.count(engine, state[0])
        if self.coupling is not None:
            exchange = self.exchange(engine, state, step)
            strength = self.strength(exchange, self.cells.every * engine.dt)
            self.record[STRENGTH] = max(self.record[STRENGTH], strength)
            self.record[LAST_EXCHANGE] = step
            engine.fluid.model.field.taken[:] = 0.0
            self.answer(engine, self.coupling.function(exchange))

    def count(self, engine: Engine, position: np.ndarray) -> None:
        """Compute the voidage of the cells, with particles at positions (3, N) [m]."""
        (solid,) = self._sum_by_cell(engine, position, self.volume[None])
        voidage = 1.0 - solid / self.cells.volume
        engine.fluid.model.field.values[VOIDAGE] = voidage
        self.record[LEAST_VOIDAGE] = min(self.record[LEAST_VOIDAGE], float(voidage.min()))

    def exchange(self, engine: Engine, state: list[np.ndarray], step: int) -> Exchange:
        """State of particles and fluid in cells, at position, velocity and orientation (3 or 4, N), for a function."""
        position, velocity, orientation = (np.ascontiguousarray(rows) for rows in state)
        fluid, n = engine.fluid.model, self.mass.size
        values, (density, viscosity) = fluid.field.values, properties_of(fluid)
        solved, resistance = not isinstance(fluid.field, Bed), np.empty(n)
        sampling.resistances(fluid, self.variant, position, velocity, orientation, resistance)
        taken = fluid.field.taken if solved else np.zeros((3, n))
        each = np.vstack([resistance, resistance * velocity, self.mass, taken])
        found = self._sum_by_cell(engine, position, each, shared=3)
        with np.errstate(invalid="ignore", divide="ignore"):
            solid_velocity = np.where(found[0] > 0, found[1:4] / found[0], 0.0)
        here = values if solved else self.sampled(engine)
        interval = (step - int(self.record[LAST_EXCHANGE])) * engine.dt
        return Exchange(
            time=step * engine.dt, step=step, interval=interval, time_step=engine.dt,
            cells=self.cells, position=position.T.copy(), velocity=velocity.T.copy(), voidage=values[VOIDAGE].copy(),
            momentum=-np.moveaxis(found[5:], 0, -1), resistance=found[0],
            solid_velocity=np.moveaxis(solid_velocity, 0, -1), mass=found[4],
            fluid_velocity=np.moveaxis(here[VELOCITY:GRADIENT], 0, -1).copy(),
            pressure_gradient=-np.moveaxis(here[PRESSING:ROWS], 0, -1),
            density=density, viscosity=viscosity, gravity=tuple(engine.gravity),
            **(warm.fluid_heat.coupling_arguments(warm.time) if (warm := _with_fluid_heat(engine)) else {}),
        )  # fmt: skip

    def sampled(self, engine: Engine) -> np.ndarray:
        """Rows as those of `Solved.values`, of a given flow, at the centres of the cells."""
        centres = np.meshgrid(*(self.cells.centres(axis) for axis in "xyz"), indexing="ij")
        position = np.ascontiguousarray(np.array(centres).reshape(3, -1))
        velocity = np.empty_like(position)
        sampling.velocities(engine.fluid.model.field, engine.fluid.model.medium.clock[0], position, velocity)
        rows = np.zeros((ROWS, *self.cells.number))
        rows[VELOCITY:GRADIENT] = velocity.reshape(3, *self.cells.number)
        for k in range(3):
            rows[PRESSING + k] = -engine.fluid.model.medium.density * engine.gravity[k]
        return rows

    @staticmethod
    def strength(exchange: Exchange, interval: float) -> float:
        """Share of the relative velocity in a cell that an interval [s] takes while drag and flow do not change.

        (1 + M) (1 - exp(-h/τ)), M the mass of particles over that of fluid, τ the relaxation time.
        """
        fluid = exchange.density * np.maximum(exchange.voidage, 1e-3) * exchange.cells.volume
        with np.errstate(invalid="ignore", divide="ignore"):
            rate = np.where(exchange.mass > 0, exchange.resistance / exchange.mass, 0.0)
        return float(((1 + exchange.mass / fluid) * -np.expm1(-interval * rate)).max())

    def answer(self, engine: Engine, given: FlowState) -> None:
        """Take over the flow that a function returned."""
        state = answered(given, self.cells, self.fluid.drag_model)
        values = engine.fluid.model.field.values
        values[VELOCITY:GRADIENT] = np.moveaxis(state.velocity, -1, 0)
        slopes = self.cells.gradient(state.velocity).reshape(*self.cells.number, PRESSING - GRADIENT)
        values[GRADIENT:PRESSING] = np.moveaxis(slopes, -1, 0)
        properties = {0: state.density, 1: state.viscosity}
        if any(np.ndim(each) for each in properties.values()):
            self.fit_field(engine.fluid, ("properties",))
        for k, each in properties.items():
            if each is not None:
                self.record[DENSITY + k] = np.mean(each)
                if isinstance(engine.fluid.model.field, Mixture):
                    engine.fluid.model.field.properties[k] = each
        self.update_medium(engine.fluid)
        if state.pressure_gradient is None:
            self._apply_weight(engine)
        else:
            values[PRESSING:ROWS] = -np.moveaxis(state.pressure_gradient, -1, 0)
        warm = _with_fluid_heat(engine)
        if state.temperature is not None and not warm:
            message = (
                "the coupling's function returned a temperature, but heat has no convection with cells=True: add it, "
                "or leave it out"
            )
            raise ValueError(message)
        if warm:
            warm.fluid_heat.mark(warm.time)
            if state.temperature is not None:
                warm.fluid_heat.take(state.temperature)

    def _sum_by_cell(self, engine: Engine, position: np.ndarray, each: np.ndarray, shared: int = 0) -> np.ndarray:
        """Values of particles (R, N), summed by cell (R, nx, ny, nz).

        Particles outside of all cells, and those that have left, add nothing; but their last `shared` rows go to the
        nearest cells, so that no momentum taken from the fluid is lost.
        """
        there = ~self.cells.outside(np.asarray(position).T)
        there[engine.escaped_rows()] = False
        each = np.array(each)
        each[: len(each) - shared, ~there] = 0.0
        each = np.ascontiguousarray(each)
        found = np.zeros((len(each), *self.cells.number), np.int64)
        room = BITS - math.ceil(math.log2(self.mass.size + 1))
        most = np.abs(each).max(1, initial=0.0)
        unit = np.array([math.ldexp(1.0, math.frexp(value)[1] - room) if value > 0 else 1.0 for value in most])
        sums.deposit(self.cells.as_arguments(), np.ascontiguousarray(position), each, unit, found)
        return found * unit[:, None, None, None]
