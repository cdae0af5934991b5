"""Exchange of a scalar in a run: the stage that exchanges it at intervals of steps, and its ledger."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.text import counted
from dem.kernels.heat import exchange, single_substep
from dem.kernels.heat.conductances import CONDUCTANCE, OVERLAP, RADIUS, GapGas
from dem.kernels.heat.exchange import WORD
from dem.kernels.soft.state import Kinds
from dem.model.domain.box import FACES
from dem.model.particles import fields
from dem.model.scalar_exchange import ScalarExchange, TouchingPairs
from dem.soft import arrays
from dem.soft.heat import conductances
from dem.soft.heat.conductances import ConductanceTables, ContactRows
from dem.soft.heat.exact_sums import exact_sum, product, whole
from dem.soft.heat.implicit_exchange import NOTHING, ImplicitExchange
from dem.soft.per_body import rows_of as field_rows
from dem.soft.walls.wall_arrays import wall_names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dem.model.domain.box import Box
    from dem.model.fluid.fluid import Fluid
    from dem.model.particles.particles import Particles
    from dem.model.walls.wall import Wall
    from dem.soft.engine import Engine
    from dem.soft.heat.exact_sums import Exact
    from dem.soft.heat.implicit_exchange import HeatSurroundings, MeanValues

CONTENT_BITS = 60  # of what the body of the largest capacity has at the largest value
MAX_SUBSTEPS = 100_000  # of an exchange
BRIEF = 1e-12  # [s], in which nothing passes
BALANCED = 1e-10  # of the content: error of a ledger that is rounding
SOURCE = "source"  # name of what comes by `ScalarExchange.source`
STORED = ("sums", "ledger", "base")  # what a run goes on from
START, ADDED, TIME, DISSIPATED = range(4)  # rows of a ledger
ROWS = 4


class ScalarInRun:
    """Exchange of a scalar in a run.

    Sums are whole units in two words, ``high 2^WORD + low``: what came in by each face and wall. The present values
    of faces and walls (`wall_values`) follow from them, from those at the start of the ledger (`base`), and from
    capacities. Rows of the ledger are exact sums of two floats: the content at its start, what was added from outside
    (particles that came or went, assignments), the time of the exchange, and further sources.

    Parameters
    ----------
    law : ScalarExchange
        Capacities, conductances, and what walls do.
    particles, box, walls
        Of the run; the particles have the field of the law, and all variants that there may be.
    dt : float
        Time step of the motion [s].
    """

    SOURCES: tuple[str, ...] = ()  # besides walls, that have a row of the sums
    has_cells = False  # cells of a fluid have values of their own

    def __init__(
        self, law: ScalarExchange, particles: Particles, box: Box | None, walls: Sequence[Wall], dt: float
    ) -> None:
        self.law, self.dt = law, dt
        found = arrays.materials(particles)
        law.check(found, list(walls))
        who = type(law).__name__
        self.capacity = np.array([
            checks.number(f"capacity of {who}", law.capacity(shape, material), above=0)
            for shape, material in particles.variants
        ])  # fmt: skip
        of_pairs = np.array([
            [checks.number(f"factor of {who}", law.factor(one, other), least=0) for other in found] for one in found
        ])  # fmt: skip
        shrink = np.array([[law.shrink(one, other) for other in found] for one in found])
        held = [law.prescribed_value_at_face(face) for face in FACES] + [law.prescribed_value(wall) for wall in walls]
        surfaces = [box.material if box else None] * len(FACES) + [wall.material for wall in walls]
        self.wall_values = np.array([math.nan if value is None else value for value in held])
        self.base = np.nan_to_num(self.wall_values)
        self.wall_capacity = np.array([math.inf] * len(FACES) + [law.wall_capacity(wall) for wall in walls])
        self.changing = np.flatnonzero(np.isfinite(self.wall_capacity)).tolist()
        self.flux = np.array([0.0] * len(FACES) + [law.flux(wall) for wall in walls])
        of_walls = np.array([
            [0.0 if value is None or surface is None else law.factor(one, surface) for one in found]
            for value, surface in zip(held, surfaces, strict=True)
        ])  # fmt: skip
        shrink_of_walls = np.array([
            [1.0 if surface is None else law.shrink(one, surface) for one in found] for surface in surfaces
        ])  # fmt: skip
        radius = conductances.radii(particles)
        largest = max(float(np.max(shape.radii)) for shape, _ in particles.variants)
        most = np.concatenate([of_pairs.ravel(), of_walls.ravel(), [100.0 * law.gas()[0]]])
        self._largest_conductance = float(most.max(initial=0.0)) * max(largest, radius.max())
        gas, no_bonds = GapGas(*law.gas()), np.zeros(0)
        unit = conductances.rate_unit(self._largest_conductance)
        corners = conductances.have_corners(particles)
        self.tables = ConductanceTables(
            of_pairs, of_walls, shrink, shrink_of_walls, gas, no_bonds, radius, corners, unit
        )  # fmt: skip
        self._above = fields.STATE[law.FIELD].above
        greatest = max(law.largest_capacity(shape, material) for shape, material in particles.variants)
        self.unit = 2.0 ** (CONTENT_BITS - math.frexp(float(greatest) * law.LARGEST)[1])
        self.entry_names = [*(f"face {face}" for face in FACES), *wall_names(walls)]
        self.entry_names += self.SOURCES
        self.has_source = type(law).source is not ScalarExchange.source
        if self.has_source:
            self.entry_names.append(SOURCE)
        self.sums = np.zeros((len(self.entry_names), 2), np.int64)
        self.ledger = np.zeros((ROWS, 2))
        self.rows = [conductances.rows_for(4 * len(particles)), conductances.rows_for(len(particles))]
        self._gained, self._rate = np.zeros((2, 0), np.int64)
        self._amounts = np.zeros(single_substep.BATCH, np.int64)
        self._held_exchange: tuple[np.ndarray, ImplicitExchange] | None = None  # of positions that are held

    @property
    def span(self) -> float:
        """Time of an exchange [s]."""
        return self.law.every * self.dt * self.law.time_factor

    @property
    def time(self) -> float:
        """Time for which the scalar has been exchanged [s]."""
        return float(self.ledger[TIME, 0])

    def units_an_exchange(self, value: np.ndarray) -> float:
        """Upper bound of what passes a contact in an exchange, in units of the sums, for values (N,) of particles."""
        largest = max(float(np.abs(each).max(initial=0.0)) for each in (value, np.nan_to_num(self.wall_values)))
        known = type(self.law).conductance is ScalarExchange.conductance
        conductance = self._largest_conductance if known else math.inf
        return min(self.span * conductance, self.law.resolution * float(self.capacity.max())) * largest * self.unit

    def attach(self, engine: Engine, fluid: Fluid | None, particles: Particles) -> None:
        """Let an engine collect the data that the exchange needs from a fluid and from bonds, before it starts.

        Raises ValueError for a range of the gas with bodies that are not made of spheres.
        """
        if self.tables.gas.range > 0 and type(engine.kinds) is not Kinds:
            message = (
                f"gas_range is {self.tables.gas.range:g} m with capsules or convex particles, whose gaps are not "
                "listed, expected spheres or bodies of spheres: leave it out"
            )
            raise ValueError(message)
        if engine.bonds:
            own = conductances.of_bonds(engine.bonds.model, particles, self.law.through_bond)
            unit = conductances.rate_unit(max(self._largest_conductance, own.max(initial=0.0)))
            self.tables = self.tables._replace(of_bonds=own, unit=unit)

    @property
    def state(self) -> dict[str, np.ndarray]:
        """State for a checkpoint, by name."""
        return {name: getattr(self, name) for name in STORED}

    # The ledger

    def content(self, engine: Engine) -> Exact:
        """Σ C u of all particles, exactly."""
        value, remainder = self.rows_of(engine)
        parts = self.contents(engine.bodies.kind[: engine.owned], value)
        return exact_sum([*(part.tolist() for part in parts), remainder.tolist()])

    def contents(self, kind: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, ...]:
        """C u of bodies, as parts (N,) that add up to it exactly."""
        return product(self.capacity[kind], value)

    def begin(self, engine: Engine) -> None:
        """Reset the ledger to the present content."""
        self.base[:] = np.nan_to_num(self.wall_values)
        self.sums[:] = 0
        self.ledger[:] = 0.0
        self.ledger[START] = self.content(engine)

    def inherit(self, before: ScalarInRun, engine: Engine, engine_before: Engine, *, restored: bool) -> None:
        """Continue the ledger of another engine; a difference of the contents was added from outside.

        restored: whether the engine has all of the state of the other one, in place of that which particles show.
        """
        self.ledger[:] = before.ledger
        self.inherit_wall_values(before)
        if self.sums.shape == before.sums.shape and self.unit == before.unit:
            self.sums[:], self.base[:] = before.sums, before.base
        else:
            self._add(ADDED, math.fsum(before.entered_amounts()))
        self.book_external_change(before.content(engine_before), self.content(engine))

    def inherit_wall_values(self, before: ScalarInRun) -> None:
        """Continue with the values of walls of another engine, if they change."""
        before.find_wall_values()
        there = {before.entry_names[w]: before.wall_values[w] for w in before.changing}
        for w in self.changing:
            self.base[w] = self.wall_values[w] = there.get(self.entry_names[w], self.wall_values[w])

    def book_external_change(self, before: Exact, now: Exact) -> None:
        """Add a change of the content from outside to the ledger."""
        self._add(ADDED, *now, *(-part for part in before))

    def _add(self, row: int, *amounts: float) -> None:
        """Add amounts to a row of the ledger."""
        self.ledger[row] = exact_sum([[*self.ledger[row].tolist(), *amounts]])

    def entered_amounts(self) -> list[float]:
        """Amounts that entered by each face, wall and source."""
        return [whole(row) / self.unit for row in self.sums.tolist()]

    def received(self) -> dict[str, float]:
        """Amounts by each face, wall and source with any exchange, by name."""
        return {name: amount for name, amount in zip(self.entry_names, self.entered_amounts(), strict=True) if amount}

    def gain(self, engine: Engine) -> float:
        """Content now, less the content at the start and the amounts added from outside."""
        return math.fsum([*self.content(engine), *(-self.ledger[START]).tolist(), *(-self.ledger[ADDED]).tolist()])

    def imbalance(self, engine: Engine) -> float:
        """Error of the ledger: `gain` less the amounts that entered by faces, walls and sources."""
        entered = sum(whole(row) for row in self.sums.tolist()) / self.unit
        return self.gain(engine) - entered

    def balances(self, engine: Engine) -> bool:
        """Whether the ledger closes to rounding."""
        return abs(self.imbalance(engine)) <= BALANCED * max(
            abs(self.content(engine)[0]), abs(self.ledger[START, 0]), 1e-300
        )

    def in_words(self, engine: Engine) -> str:
        """The ledger in words, for the verdict."""
        name, unit = ("heat", " J") if self.law.FIELD == "temperature" else (self.law.FIELD, "")
        received = "".join(f", {amount:.4g}{unit} received from {source}" for source, amount in self.received().items())
        content, start, added = self.content(engine)[0], self.ledger[START, 0], self.ledger[ADDED, 0]
        added = f", {added:.4g}{unit} added" if added else ""
        error = self.imbalance(engine) / max(abs(content), 1e-300)
        self.find_wall_values()
        received += "".join(
            f", {self.entry_names[w]} at {self.wall_values[w]:.6g}{' K' if unit else ''}" for w in self.changing
        )
        now = f"{name} {content:.6g}{unit}, {start:.6g}{unit} at the start"
        return f"{now}{received}{added}, error {error:.1e}"

    def settle_removed(self, engine: Engine, is_removed: np.ndarray) -> None:
        """Give the bodies to be removed (mask `is_removed` (N,)) the amounts that they have not received yet."""

    # The exchange

    def due(self, step: int) -> bool:
        """Whether the scalar is exchanged after this step."""
        return step % self.law.every == 0

    def next_stop(self, step: int, stop: int) -> int:
        """The step of the next exchange, `stop` at most."""
        return min(stop, (step // self.law.every + 1) * self.law.every)

    def advance(self, engine: Engine) -> None:
        """Exchange for the time of `every` steps, with the contacts of the present step.

        Raises
        ------
        FloatingPointError
            If sub-steps would be too many, or a value is beyond what the law allows.
        """
        span = self.span
        self._add(TIME, span)
        self.prepare(engine)
        if not engine.owned:
            return
        if self.law.implicit:
            self._advance_implicitly(engine, self._implicit_exchange(engine), span)
        elif not self._exchange_once(engine, span, span):
            pairs, walls, rate = self._contacts(engine)
            number = self._substeps(engine, walls, rate, span)
            self.add_sources(engine, span)
            self._exchange(engine, pairs, walls, number, span / number, self.rows_of(engine))
        self.classify(engine)

    def classify(self, engine: Engine) -> None:
        """Update the properties of bodies that depend on their values, after an exchange."""

    def choose_variants(self, engine: Engine) -> None:
        """Set the properties of bodies that depend on their values, in a restored state."""

    def exchange_at_rest(self, engine: Engine, duration: float, steps: int) -> None:
        """Exchange for a duration [s] at the current contacts, in implicit steps; see `Simulation.conduct`."""
        self.prepare(engine)
        self._add(TIME, duration)
        found = None
        for _ in range(steps if engine.owned else 0):
            if found is None or not self.are_conductances_constant:
                found = self._implicit_exchange(engine)
            self._advance_implicitly(engine, found, duration / steps)
        self.classify(engine)

    def prepare(self, engine: Engine) -> None:
        """Compute the data that the exchange needs of the current step."""
        self.find_wall_values()

    def _advance_implicitly(self, engine: Engine, exchange: ImplicitExchange, span: float) -> None:
        """Exchange for a time [s] in one implicit step."""
        self.add_sources(engine, span)
        exchange.advance(engine, span)

    def _implicit_exchange(self, engine: Engine) -> ImplicitExchange:
        """The exchange at the present contacts; found anew unless positions and the order of bodies are as before."""
        order, before = engine.bodies.identity[: engine.owned], self._held_exchange
        if before and np.array_equal(before[0], order):
            return before[1]
        pairs, walls, _ = self._contacts(engine)
        found = ImplicitExchange(self, engine, pairs, walls)
        if self.law.frozen and self.are_conductances_constant:
            self._held_exchange = order.copy(), found
        return found

    def compile(self, engine: Engine) -> None:
        """Compile the kernels of the exchange by an exchange of zero duration."""
        if engine.owned and self.law.implicit:
            self._implicit_exchange(engine).mean_values(engine, BRIEF)
        if engine.owned and not self._exchange_once(engine, 0.0, self.span):
            pairs, walls, rate = self._contacts(engine)
            self._substeps(engine, walls, rate, 0.0)
            self._exchange(engine, pairs, walls, 1, 0.0, tuple(rows.copy() for rows in self.rows_of(engine)))

    def _exchange_once(self, engine: Engine, span: float, resolved: float) -> bool:
        """Exchange over `span` in one sub-step; returns False, without effect, if relaxation times require more.

        The rate of a body is bounded by the largest conductance times the largest number of neighbours.
        """
        if not self.is_single_substep_possible(engine):
            return False
        gained, rate = self.scratch(engine)
        value, remainder = self.rows_of(engine)
        tables, lists = self.tables, engine.lists.arrays
        largest = single_substep.exchange_once(
            engine.bodies, engine.kinds, lists, engine.walls.faces, tables.of_pairs, tables.shrink_of_pairs, tables.gas,
            value, span, self.unit, self._amounts, gained,
        )  # fmt: skip
        walls = conductances.list_wall_contacts(engine, tables, self.rows, rate)
        most = lists.entry_count.max() * (largest + 1 / tables.unit) + rate.max() / tables.unit
        fastest = (most + np.max(self.other_rates(engine))) / self.capacity.min() + self.max_surroundings_rate(
            engine, walls
        )
        if 2 * resolved * fastest > self.law.resolution:
            gained[:] = 0
            return False
        self.add_sources(engine, span)
        self._finish(engine, walls, self.power(walls), span, value, remainder, gained)
        return True

    def is_single_substep_possible(self, engine: Engine) -> bool:
        """Whether the contacts are those that `dem.kernels.heat.single_substep` takes."""
        usual = type(self.law).conductance is ScalarExchange.conductance
        return usual and type(engine.kinds) is Kinds and engine.kinds.all_single_spheres and not engine.bonds

    def find_wall_values(self) -> None:
        """Compute the present values of walls with a capacity from the amounts exchanged."""
        for w in self.changing:
            self.wall_values[w] = self.base[w] - whole(self.sums[w].tolist()) / self.unit / self.wall_capacity[w]

    def max_surroundings_rate(self, engine: Engine, walls: ContactRows) -> float:
        """Largest rate of a wall that changes over its capacity [1/s], from whole units of rates."""
        if not self.changing:
            return 0.0
        row, share = -1 - walls.indices[:, 1], np.ceil(walls.values[:, CONDUCTANCE] * self.tables.unit).astype(np.int64)
        rates = (int(share[row == w].sum()) / self.tables.unit / self.wall_capacity[w] for w in self.changing)
        return max(rates)

    def scratch(self, engine: Engine) -> tuple[np.ndarray, np.ndarray]:
        """Gains of bodies, zeros, and room for their rates: (N,), (N,) int64."""
        if len(self._gained) != engine.owned:
            self._gained, self._rate = np.zeros((2, engine.owned), np.int64)
        return self._gained, self._rate

    def _exchange(
        self, engine: Engine, pairs: ContactRows, walls: ContactRows, number: int, dt: float,
        rows: tuple[np.ndarray, np.ndarray],
    ) -> None:  # fmt: skip
        """Carry out a number of sub-steps of dt [s], which change values and remainders."""
        gained, _ = self.scratch(engine)
        power = self.power(walls)
        for _ in range(number):
            exchange.exchange_between_bodies(rows[0], pairs.indices, pairs.values, dt, self.unit, gained)
            self._finish(engine, walls, power, dt, *rows, gained)

    def power(self, walls: ContactRows) -> np.ndarray:
        """Amount a second that walls with a flux bring to each contact (K,)."""
        inward = self.flux[-1 - walls.indices[:, 1]] * (walls.values[:, OVERLAP] > 0)
        return inward * (math.pi * walls.values[:, RADIUS] ** 2)

    def _finish(
        self, engine: Engine, walls: ContactRows, power: np.ndarray, dt: float, value: np.ndarray,
        remainder: np.ndarray, gained: np.ndarray,
    ) -> None:  # fmt: skip
        """Finish a sub-step of dt [s] after the exchange between bodies: walls, sources, new values."""
        if walls.indices.size:
            exchange.exchange_with_walls(
                value, walls.indices, walls.values, self.wall_values, power, dt, self.unit, gained, self.sums
            )  # fmt: skip
            self.find_wall_values()
        self.add_rates(engine, dt, value, gained)
        self.finish(engine, value, remainder, gained)

    def finish(self, engine: Engine, value: np.ndarray, remainder: np.ndarray, gained: np.ndarray) -> None:
        """Change values by the amounts gained; raises FloatingPointError for those beyond the limits of the law."""
        if self.deposit(engine.bodies.kind, value, remainder, gained):
            self._refuse_values(engine, value)

    def deposit(self, kind: np.ndarray, value: np.ndarray, remainder: np.ndarray, gained: np.ndarray) -> int:
        """Change values by the amounts gained; returns the number of bodies beyond the limits."""
        return exchange.deposit(
            value, remainder, gained, 1 / self.unit, kind, self.capacity, self._above, self.law.LARGEST
        )

    def add_sources(self, engine: Engine, span: float) -> None:
        """Add the amounts of sources over the time of an exchange [s] to bodies."""
        if not self.has_source:
            return
        value, remainder = self.rows_of(engine)
        rows = engine.numbering.rows(engine.bodies.identity)
        by_row = [engine.by_row(each) for each in (value, self.capacity[engine.bodies.kind])]
        name = f"source of {type(self.law).__name__}"
        rate = self.law.source(*by_row)
        rate = np.broadcast_to(checks.array(name, rate, np.shape(rate) and value.shape, "[amount/s]"), value.shape)
        units = np.rint(np.clip(span * rate * self.unit, -exchange.CLIP, exchange.CLIP)).astype(np.int64)
        remainder += units[rows] / self.unit
        high = units >> WORD
        self.sums[self.entry_names.index(SOURCE)] += [high.sum(), (units - (high << WORD)).sum()]

    def add_rates(self, engine: Engine, dt: float, value: np.ndarray, gained: np.ndarray) -> None:
        """Add amounts that depend on the values to the gains (N,) of a sub-step."""

    has_constant_capacity = True  # capacities do not depend on the values
    are_conductances_constant = True  # conductances do not depend on the values

    def content_above(
        self, kind: np.ndarray, start: np.ndarray, value: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """C u of bodies at values above that at other ones, and their C, (N,) each."""
        capacity = self.capacity[kind]
        return capacity * (value - start), capacity

    def surroundings(self, engine: Engine) -> HeatSurroundings:
        """Fluid and surroundings at the present step, for an implicit exchange."""
        return NOTHING

    def add_mean_rates(self, engine: Engine, dt: float, mean: MeanValues, gained: np.ndarray) -> None:
        """Add amounts from fluid and surroundings at the mean values of an implicit step to the gains (N,)."""

    def other_rates(self, engine: Engine) -> np.ndarray | float:
        """Rates (N,) [amount/s] besides those of contacts, that limit sub-steps."""
        return 0.0

    def _contacts(self, engine: Engine) -> tuple[ContactRows, ContactRows, np.ndarray]:
        """Contacts of pairs and with walls, and rates of bodies, with the conductances of the law."""
        pairs, walls, rate = conductances.list_contacts(engine, self.tables, self.rows)
        if type(self.law).conductance is not ScalarExchange.conductance:
            rows = engine.numbering.rows(engine.bodies.identity)
            i, j = rows[pairs.indices[:, 0]], rows[pairs.indices[:, 1]]
            given = TouchingPairs(i, j, pairs.values[:, OVERLAP], pairs.values[:, RADIUS], pairs.values[:, CONDUCTANCE])
            name, meaning = f"conductance of {type(self.law).__name__}", "of contacts, 0 or more"
            found = checks.array(name, self.law.conductance(given), i.shape, meaning, rows="K")
            checks.number(f"least {name}", found.min(initial=0.0), least=0)
            pairs.values[:, CONDUCTANCE], most = found, float(found.max(initial=0.0))
            self.tables = self.tables._replace(unit=conductances.rate_unit(most))
            rate = np.zeros(engine.owned, np.int64)
            conductances.add_rates(pairs, self.tables.unit, rate)
        return pairs, walls, rate

    def _substeps(self, engine: Engine, walls: ContactRows, rate: np.ndarray, span: float) -> int:
        """Sub-steps that resolve the shortest relaxation time, m c_p/Σ H for heat."""
        fastest = self._fastest_of(engine, walls, rate)
        wanted = span * fastest / self.law.resolution
        if wanted > MAX_SUBSTEPS:
            message = (
                f"the exchange of {self.law.FIELD} over {span:.3g} s ({counted(self.law.every, 'step')}) needs "
                f"{wanted:.3g} sub-steps, as its shortest relaxation time is {1 / fastest:.3g} s, expected "
                f"{MAX_SUBSTEPS} at most: take implicit=True, lower every or time_factor, or raise resolution"
            )
            raise FloatingPointError(message)
        return max(1, math.ceil(wanted))

    def _fastest_of(self, engine: Engine, walls: ContactRows, rate: np.ndarray) -> float:
        """Largest exchange rate of a body or its surroundings over the capacity [1/s]."""
        fastest = rate / self.tables.unit + self.other_rates(engine)
        fastest = float((fastest / self.capacity[engine.bodies.kind[: engine.owned]]).max())
        return max(fastest, self.max_surroundings_rate(engine, walls))

    def fastest_rate(self, engine: Engine) -> float:
        """Largest rate at present [1/s]."""
        if not engine.owned:
            return 0.0
        _, walls, rate = self._contacts(engine)
        return self._fastest_of(engine, walls, rate)

    def rows_of(self, engine: Engine) -> tuple[np.ndarray, np.ndarray]:
        """Values and remainders (N,) of all bodies, by index, as the engine has them."""
        rows = field_rows(engine.fields)
        return tuple(
            engine.bodies.fields[rows[name].start] for name in (self.law.FIELD, fields.remainder_of(self.law.FIELD))
        )

    def _refuse_values(self, engine: Engine, value: np.ndarray) -> None:
        """Raise FloatingPointError for values that are beyond the law's limits."""
        index = int(np.flatnonzero(~((np.abs(value) < self.law.LARGEST) & (value > self._above)))[0])
        message = (
            f"{self.law.FIELD} of particle {engine.bodies.identity[index]} came to {value[index]:.6g}, expected "
            f"more than {self._above:g} and less than {self.law.LARGEST:g}: look for what drives it"
        )
        raise FloatingPointError(message)


class ScalarLedger:
    """Current ledger of a scalar that particles exchange; for heat, this is `Simulation.heat`.

    Amounts are Σ C u, for heat Σ m c_p T [J]. They count from the start of the run, or from the latest assignment to
    the state of the particles between runs.
    """

    def __init__(self, present: Callable[[], Engine], index: int) -> None:
        self._present, self._place = present, index

    @property
    def _stage(self) -> ScalarInRun:
        return self._present().scalars[self._place]

    def __repr__(self) -> str:
        """Content now and at the start, and amounts that entered, in words."""
        received = "".join(f", {amount:.6g} by {name}" for name, amount in self.received.items())
        return f"<ScalarLedger of {self.law.FIELD}: {self.content:.6g} now, {self.start:.6g} at the start{received}>"

    @property
    def law(self) -> ScalarExchange:
        """The law of the exchange, such as a `dem.Heat`."""
        return self._stage.law

    @property
    def time(self) -> float:
        """Time of the exchange so far [s]: that of the motion times `time_factor`."""
        return self._stage.time

    @property
    def relaxation_time(self) -> float:
        """Shortest current relaxation time of a particle towards its surroundings, C/Σ G [s].

        Sub-steps of an exchange are `resolution` of it at most; infinite if nothing passes.
        """
        rate = self._stage.fastest_rate(self._present())
        return 1 / rate if rate > 0 else math.inf

    @property
    def content(self) -> float:
        """Sum over all particles."""
        return self._stage.content(self._present())[0]

    @property
    def start(self) -> float:
        """Sum over all particles at the start."""
        return float(self._stage.ledger[START, 0])

    @property
    def added(self) -> float:
        """Amount of inserted particles and assignments, less that of removed particles."""
        return float(self._stage.ledger[ADDED, 0])

    @property
    def received(self) -> dict[str, float]:
        """Amount that entered by each face, wall and source, by name; negative where it left."""
        return self._stage.received()

    @property
    def walls(self) -> dict[str, float]:
        """Present values of walls with a capacity, by name, such as temperatures [K]."""
        stage = self._stage
        stage.find_wall_values()
        return {stage.entry_names[w]: float(stage.wall_values[w]) for w in stage.changing}

    @property
    def fluid(self) -> np.ndarray | None:
        """Temperatures of a fluid that change, (1, 1, 1) of a volume or (nx, ny, nz) of cells [K]; else None."""
        fluid = getattr(self._stage, "fluid_heat", None)
        return fluid and fluid.temperature.copy()

    @property
    def fluid_content(self) -> dict[str, float]:
        """Heat of such a fluid `now` and at the `start`, and the heat advected by its `flow` [J]; else empty."""
        fluid = getattr(self._stage, "fluid_heat", None)
        return fluid.contents() if fluid else {}

    @property
    def gain(self) -> float:
        """Content now, less the content at the start and the amounts added, exact to rounding of the gain."""
        return self._stage.gain(self._present())

    @property
    def imbalance(self) -> float:
        """Error of the ledger: `gain` less the amounts that entered; zero to rounding."""
        return self._stage.imbalance(self._present())
