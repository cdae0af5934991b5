"""Heat in a run: conduction through contacts, dissipation, convection and radiation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.fluid import sampling
from dem.kernels.heat import exchange, implicit, temperature_dependence
from dem.kernels.heat.conductances import OVERLAP, RADIUS
from dem.kernels.soft.contact import dissipated_heat
from dem.kernels.soft.contact.dissipated_heat import DISSIPATED_ROW, HEAT_SUBUNITS
from dem.model.domain.box import FACES
from dem.model.temperature_tables import is_table, largest
from dem.soft import arrays
from dem.soft.heat import conductances
from dem.soft.heat.fluid_heat import FluidHeat
from dem.soft.heat.implicit_exchange import HeatSurroundings
from dem.soft.heat.property_tables import table_of
from dem.soft.heat.scalar_in_run import ADDED, DISSIPATED, ScalarInRun
from dem.soft.heat.temperature_classes import EXPECTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.domain.box import Box
    from dem.model.fluid.fluid import Fluid
    from dem.model.heat import Heat
    from dem.model.particles.particles import Particles
    from dem.model.walls.wall import Wall
    from dem.soft.engine import Engine
    from dem.soft.heat.conductances import ContactRows
    from dem.soft.heat.implicit_exchange import MeanValues
    from dem.soft.heat.temperature_classes import TemperatureClasses


class HeatInRun(ScalarInRun):
    """Stage of a run that exchanges heat every `every` steps: conduction, convection, radiation, dissipation.

    Kernels sum the energy that contacts dissipate as integers by body (`dem.kernels.soft.contact.dissipated_heat`).
    This stage adds it to the remainders of the temperatures, so that all of it becomes heat.
    """

    SOURCES = ("fluid", "radiation")

    fluid_heat: FluidHeat | None = None  # of a fluid whose temperature changes

    classes: TemperatureClasses | None = None  # of contact properties that depend on temperature

    fluid: Fluid | None = None
    film: np.ndarray  # (N,) h A of bodies, by index, at the present exchange [W/K]

    def __init__(self, law: Heat, particles: Particles, box: Box | None, walls: Sequence[Wall], dt: float) -> None:
        super().__init__(law, particles, box, walls, dt)
        volume = np.array([shape.mass_properties(m.density).volume for shape, m in particles.variants])
        self.diameter = 2 * (0.75 * volume / math.pi) ** (1 / 3)
        sphericity = np.array([getattr(shape, "sphericity", 1.0) for shape, _ in particles.variants])
        found, own = arrays.materials(particles), [material for _, material in particles.variants]
        self.enthalpy = self.conductivity = None
        if any(is_table(material.heat_capacity) for material in own):
            mass = [shape.mass_properties(material.density).mass for shape, material in particles.variants]
            self.enthalpy = table_of([material.heat_capacity for material in own], mass)
        surfaces = [box.material if box else None] * len(FACES) + [wall.material for wall in walls]
        known = [1.0 if each is None or each.conductivity is None else each.conductivity for each in surfaces]
        if any(is_table(each) for each in (*known, *(material.conductivity for material in found))):
            both = [[material.conductivity for material in found], known]
            tables = [table_of(each, [1.0] * len(each)) for each in both]
            self.conductivity = (*tables, *(np.array([largest(k) for k in each]) for each in both))
        self.radiated = np.zeros(len(volume))
        if law.radiation:
            self.radiated = law.radiation.factor(math.pi * self.diameter**2 / sphericity)

    def attach(self, engine: Engine, fluid: Fluid | None, particles: Particles) -> None:
        """Store the fluid and the bonds of an engine."""
        super().attach(engine, fluid, particles)
        self.fluid, convection = fluid, self.law.convection
        if convection and convection.changes:
            self.fluid_heat = FluidHeat(convection, fluid, engine)

    def deposit(self, kind: np.ndarray, value: np.ndarray, remainder: np.ndarray, gained: np.ndarray) -> int:
        """Change temperatures by the heat that bodies have gained; see `ScalarInRun.deposit`."""
        if self.enthalpy is None:
            return super().deposit(kind, value, remainder, gained)
        return temperature_dependence.deposit(
            self.enthalpy, value, remainder, gained, 1 / self.unit, kind, self._above, self.law.LARGEST
        )

    def contents(self, kind: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, ...]:
        """Enthalpies of bodies, from 0 K."""
        if self.enthalpy is None:
            return super().contents(kind, value)
        found = np.empty(len(value))
        temperature_dependence.enthalpies(self.enthalpy, kind, value, found)
        return (found,)

    def is_single_substep_possible(self, engine: Engine) -> bool:
        """Whether conductances need no list of contacts; see `ScalarInRun`."""
        return self.conductivity is None and super().is_single_substep_possible(engine)

    def _contacts(self, engine: Engine) -> tuple[ContactRows, ContactRows, np.ndarray]:
        """Contacts, with conductances by the present temperatures."""
        pairs, walls, rate = super()._contacts(engine)
        if self.conductivity is not None:
            value, rate = self.rows_of(engine)[0], np.zeros(engine.owned, np.int64)
            for rows in (pairs, walls):
                temperature_dependence.adjust(
                    *self.conductivity, engine.kinds.material, engine.bodies.kind, value, self.wall_values,
                    self.tables.of_pairs, self.tables.of_walls, rows.indices, rows.values,
                )  # fmt: skip
                conductances.add_rates(rows, self.tables.unit, rate)
        return pairs, walls, rate

    def other_rates(self, engine: Engine) -> np.ndarray | float:
        """Conductance to fluid and surroundings, h A + 4 σ ε A T³, by body (N,) [W/K]; stores h A in `film`."""
        law, kind = self.law, engine.bodies.kind
        if not (law.convection or law.radiation):
            return 0.0
        self.film = np.zeros(engine.owned)
        if law.convection:
            velocity = np.empty((3, engine.owned))
            _, own, *_ = engine.state()
            time = engine.dt * int(engine.run_state.step[0])
            sampling.velocities(engine.fluid.model.field, time, engine.bodies.position, velocity)
            rows = engine.numbering.rows(engine.bodies.identity)
            slip = np.sqrt(((velocity - own[:, rows]) ** 2).sum(0))
            diameter = self.diameter[kind]
            voidage = self.fluid_heat.voidage(engine) if law.convection.cells else None
            self.film = law.convection.coefficient(self.fluid, diameter, slip, voidage) * (math.pi * diameter**2)
        hottest = max(float(self.rows_of(engine)[0].max()), law.radiation.temperature if law.radiation else 0.0)
        return self.film + 4.0 * self.radiated[kind] * hottest**3

    def add_rates(self, engine: Engine, dt: float, value: np.ndarray, gained: np.ndarray) -> None:
        """Add the heat that bodies receive from the fluid and by radiation."""
        law, row = self.law, self.entry_names.index(self.SOURCES[0])
        film = self.film if law.convection or law.radiation else None
        if self.fluid_heat:
            self.fluid_heat.exchange(engine, film, value, dt, self.unit, gained, self.sums, row)
            film = np.zeros_like(film)
        if (law.convection and not self.fluid_heat) or law.radiation:
            exchange.exchange_with_surroundings(
                value, film, law.convection.temperature if law.convection else 0.0,
                self.radiated[engine.bodies.kind], law.radiation.temperature if law.radiation else 0.0, dt, self.unit,
                gained, self.sums, row,
            )  # fmt: skip

    @property
    def state(self) -> dict[str, np.ndarray]:
        """State for a checkpoint, by name."""
        return super().state | (self.fluid_heat.state if self.fluid_heat else {})

    @property
    def has_cells(self) -> bool:
        """Whether cells of the fluid have temperatures of their own."""
        return bool(self.fluid_heat and self.law.convection.cells)

    def begin(self, engine: Engine) -> None:
        """Begin the ledger anew."""
        super().begin(engine)
        if self.fluid_heat:
            self.fluid_heat.begin(engine)

    def inherit_wall_values(self, before: HeatInRun) -> None:
        """Continue with the temperatures of walls and fluid of another engine, if they change."""
        super().inherit_wall_values(before)
        if self.fluid_heat:
            self.fluid_heat.inherit(before.fluid_heat, ledger=False)

    def prepare(self, engine: Engine) -> None:
        """Find the heat capacities of a fluid and the values of walls at the present step."""
        if self.fluid_heat:
            self.fluid_heat.prepare(engine)
        super().prepare(engine)

    @property
    def has_constant_capacity(self) -> bool:
        """Whether heat capacities do not depend on temperature."""
        return self.enthalpy is None

    @property
    def are_conductances_constant(self) -> bool:
        """Whether neither conductivities nor sizes depend on temperature."""
        return self.conductivity is None and not (self.classes and self.classes.expands)

    def content_above(
        self, kind: np.ndarray, start: np.ndarray, value: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """Enthalpies above those at other temperatures, and heat capacities; see `ScalarInRun.content_above`."""
        if self.enthalpy is None:
            return super().content_above(kind, start, value)
        before, after, capacity = np.empty((3, len(value)))
        temperature_dependence.enthalpies(self.enthalpy, kind, start, before)
        temperature_dependence.enthalpies(self.enthalpy, kind, value, after)
        implicit.values(self.enthalpy, kind, value, capacity)
        return after - before, capacity

    def surroundings(self, engine: Engine) -> HeatSurroundings:
        """Fluid and surroundings at the present step, for an implicit exchange."""
        law, nothing = self.law, np.zeros(0)
        self.other_rates(engine)
        temperature = law.convection.temperature if law.convection else 0.0
        capacity = math.inf
        if self.fluid_heat:
            temperature, capacity = (
                float(each.item()) for each in (self.fluid_heat.temperature, self.fluid_heat.capacity)
            )
        return HeatSurroundings(
            engine.by_row(self.film) if law.convection else nothing, temperature, capacity,
            self.radiated[engine.by_row(engine.bodies.kind)] if law.radiation else None,
            law.radiation.temperature if law.radiation else 0.0,
        )  # fmt: skip

    def add_mean_rates(self, engine: Engine, dt: float, mean: MeanValues, gained: np.ndarray) -> None:
        """Add the heat from fluid and surroundings at mean temperatures; see `ScalarInRun.add_mean_rates`."""
        law, row, nothing = self.law, self.entry_names.index(self.SOURCES[0]), np.zeros(engine.owned)
        if self.fluid_heat:
            self.fluid_heat.exchange(
                engine, self.film, mean.bodies, dt, self.unit, gained, self.sums, row, np.full((1, 1, 1), mean.fluid)
            )  # fmt: skip
        elif law.convection:
            exchange.exchange_with_surroundings(
                mean.bodies, self.film, mean.fluid, nothing, 0.0, dt, self.unit, gained, self.sums, row
            )
        if law.radiation:
            exchange.exchange_with_surroundings(
                mean.radiating, nothing, 0.0, self.radiated[engine.bodies.kind], law.radiation.temperature, dt,
                self.unit, gained, self.sums, row,
            )  # fmt: skip

    def fastest_rate(self, engine: Engine) -> float:
        """Largest rate at present [1/s], with the present flow through cells of the fluid."""
        if self.fluid_heat:
            self.fluid_heat.find_inflows(engine)
        return super().fastest_rate(engine)

    def max_surroundings_rate(self, engine: Engine, walls: ContactRows) -> float:
        """Largest rate of a wall, or of a cell of the fluid, over its capacity [1/s]."""
        rate = super().max_surroundings_rate(engine, walls)
        return max(rate, self.fluid_heat.fastest(engine, self.film)) if self.fluid_heat else rate

    def choose_variants(self, engine: Engine) -> None:
        """Let bodies be of the variants at their temperatures."""
        if self.classes:
            kind = engine.bodies.kind
            kind[:] = self.classes.variant_at(kind, self.rows_of(engine)[0])

    def classify(self, engine: Engine) -> None:
        """Let bodies be of the variants at their temperatures; by expansion they do work, which is booked.

        Raises FloatingPointError for temperatures beyond those of particles that expand.
        """
        if not (self.classes and self.classes.expands):
            self.choose_variants(engine)
            return
        kind, value = engine.bodies.kind, self.rows_of(engine)[0]
        beyond = self.classes.out_of_range(value)
        if beyond.size:
            particle = engine.bodies.identity[beyond[0]]
            message = f"temperature of particle {particle} came to {value[beyond[0]]:g} K, {EXPECTED}"
            raise FloatingPointError(message)
        after = self.classes.variant_at(kind, value)
        if np.array_equal(after, kind):
            return
        work = -self._elastic_energy(engine)
        kind[:] = after
        engine.rebuild()
        work += self._elastic_energy(engine)
        engine.run_state.elastic[0] += work
        engine.run_state.wall_work[0] += work

    def _elastic_energy(self, engine: Engine) -> int:
        """Elastic energy of Hertz's contacts [units], 8/15 E* √R* δ^5/2, each rounded, as in kernels."""
        pairs, walls, _ = conductances.list_contacts(engine, self.tables, self.rows)
        material, springs, total = engine.kinds.material[engine.bodies.kind], engine.springs, 0
        for rows in (pairs, walls):
            first, second = rows.indices.T
            other = springs.of_faces[-1 - second] if rows is walls else material[second]
            overlap, radius = np.maximum(rows.values[:, OVERLAP], 0.0), rows.values[:, RADIUS]
            stiffness = 4 / 3 * springs.modulus[other, material[first]] * np.sqrt(radius)
            energy = 0.4 * stiffness * (overlap * overlap) * np.sqrt(overlap)
            total += int(np.rint(energy * engine.energy_unit).astype(np.int64).sum())
        return total

    def settle_removed(self, engine: Engine, is_removed: np.ndarray) -> None:
        """Give removed bodies the energy that their contacts have dissipated, the open half step included.

        The other bodies of their contacts get their part at the next exchange. The heat leaves with the bodies.
        """
        if engine.layout.heats:
            heat = engine.bodies.dissipated[DISSIPATED_ROW, is_removed] / (engine.energy_unit * HEAT_SUBUNITS)
            self.rows_of(engine)[1][is_removed] += heat
            self._add(DISSIPATED, *heat.tolist())
            self._add(ADDED, *(-heat).tolist())

    def inherit(self, before: HeatInRun, engine: Engine, engine_before: Engine, *, restored: bool) -> None:
        """Continue the ledger of another engine, and the energy dissipated there since the last exchange."""
        super().inherit(before, engine, engine_before, restored=restored)
        if self.fluid_heat:
            self.fluid_heat.inherit(before.fluid_heat, ledger=True)
            self.fluid_heat.rebase(before.received().get("fluid", 0.0) - self.received().get("fluid", 0.0))
        if engine_before.layout.heats and not restored:
            amounts = np.zeros(engine_before.owned)
            self._add(DISSIPATED, collect(engine_before, amounts))
            self.rows_of(engine)[1][:] += engine_before.by_row(amounts)[engine.numbering.rows(engine.bodies.identity)]

    def add_sources(self, engine: Engine, span: float) -> None:
        """Add the energy dissipated by contacts, and the heat of sources, to bodies."""
        super().add_sources(engine, span)
        if engine.layout.heats:
            self._add(DISSIPATED, collect(engine, self.rows_of(engine)[1]))

    def received(self) -> dict[str, float]:
        """Heat from walls, and from dissipation in contacts."""
        dissipated = float(self.ledger[DISSIPATED, 0])
        return super().received() | ({"dissipation": dissipated} if dissipated else {})

    def imbalance(self, engine: Engine) -> float:
        """Sum of the errors of two ledgers: of the particles, and of the fluid if its temperature changes."""
        own = super().imbalance(engine) - float(self.ledger[DISSIPATED].sum())
        return own + (self.fluid_heat.imbalance(super().received().get("fluid", 0.0)) if self.fluid_heat else 0.0)

    def in_words(self, engine: Engine) -> str:
        """The ledger in words, for the verdict."""
        return super().in_words(engine) + (self.fluid_heat.in_words() if self.fluid_heat else "")


def collect(engine: Engine, amounts: np.ndarray) -> float:
    """Add the energy dissipated since the last call to amounts (N,) of bodies, by index; return the sum [J]."""
    per_unit = 1 / (engine.energy_unit * HEAT_SUBUNITS)
    return dissipated_heat.collect(engine.bodies.dissipated, per_unit, amounts) * per_unit
