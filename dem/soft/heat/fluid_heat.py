"""Heat of a fluid: one temperature of all fluid, or of each cell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.fluid import cells as fluid_cells
from dem.kernels.fluid.dense_suspension import MIN_VOIDAGE, VELOCITY, VOIDAGE, Bed
from dem.kernels.heat import exchange
from dem.kernels.heat.exchange import WORD
from dem.soft.fluid.two_way_coupling import properties_of
from dem.soft.heat.exact_sums import exact_sum, product

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.model.fluid.fluid import Fluid
    from dem.model.heat_transfer import Convection
    from dem.soft.engine import Engine
    from dem.soft.heat.exact_sums import Exact

START, FLOW, MARK, ROWS = range(4)  # rows of the ledger; the last one: time of heating at the last call of a coupling
HELD = (MARK, 1)  # of the ledger, a flag: a coupling returns the temperatures
EVERYWHERE = fluid_cells.Cells((0.0,) * 3, (1.0,) * 3, (1,) * 3, (1,) * 3)  # one cell without an end


class FluidHeat:
    """Temperatures of cells of a fluid, C_c dT_c/dt = - Σ q + Σ F (T_up - T_c) with C_c = ε ρ c_p V.

    What particles take, q, comes as integers from the cells about each, by the weights of the interpolation. The flow
    brings fluid of the temperature of the cell upstream through each face of a cell, F = ρ c_p ε u A; from outside, of
    that of the `Convection`. A temperature of all of the fluid is that of a single cell.

    Rows of the ledger are exact sums of two floats: heat at its start, and what the flow and changes of the voidage
    brought.
    """

    def __init__(self, convection: Convection, fluid: Fluid, engine: Engine) -> None:
        two_way = engine.fluid.two_way if convection.cells else None
        self.law, self.two_way, self.density = convection, two_way, fluid.density
        self.cells = two_way.cells.as_arguments() if two_way else EVERYWHERE
        self.temperature = np.full(self.cells.number, convection.temperature)
        self.remainder, self.received = np.zeros((2, *self.cells.number))
        self.capacity = np.zeros(self.cells.number)
        self.ledger = np.zeros((ROWS, 2))
        self.inflows: list[tuple[int, int, np.ndarray]] = []
        self._taken = np.zeros((2, *self.cells.number), np.int64)
        self._sums = np.zeros((1, *self.cells.number), np.int64)

    @property
    def state(self) -> dict[str, np.ndarray]:
        """State for a checkpoint, by name."""
        return {
            "fluid": self.temperature, "fluid_remainder": self.remainder, "fluid_given": self.received,
            "fluid_capacity": self.capacity, "fluid_ledger": self.ledger,
        }  # fmt: skip

    def content(self) -> Exact:
        """Σ C T of all cells, exactly."""
        parts = product(self.capacity.ravel(), self.temperature.ravel())
        return exact_sum([*(part.tolist() for part in parts), self.remainder.ravel().tolist()])

    def begin(self, engine: Engine) -> None:
        """Reset the ledger to the present content."""
        self._find_capacity(engine)
        self.remainder[:] = 0.0
        self.ledger[:MARK] = 0.0
        self.ledger[START] = self.content()

    def inherit(self, before: FluidHeat, *, ledger: bool) -> None:
        """Take over the temperatures of another engine, and with `ledger` its ledger."""
        for name, values in self.state.items():
            if values.shape == before.state[name].shape and (ledger or name != "fluid_ledger"):
                values[:] = before.state[name]

    def rebase(self, forgotten: float) -> None:
        """Subtract from the initial value of the ledger an amount that particles received but that is forgotten [J]."""
        self.ledger[START] = exact_sum([[*self.ledger[START].tolist(), -forgotten]])

    def imbalance(self, received: float) -> float:
        """Error of the ledger: heat now, less heat at the start and advected heat, plus the heat given to particles."""
        return math.fsum([*self.content(), *(-self.ledger[START]).tolist(), *(-self.ledger[FLOW]).tolist(), received])

    def prepare(self, engine: Engine) -> None:
        """Find the heat capacities and flows of the cells at the present step."""
        before = self.content()
        self._find_capacity(engine)
        self._book(*self.content(), *(-part for part in before))
        self.find_inflows(engine)

    def find_inflows(self, engine: Engine) -> None:
        """Find the flows between the cells at the present step."""
        self.inflows = [] if self.two_way is None or self.ledger[HELD] else list(self._inflows_of(engine))

    def _find_capacity(self, engine: Engine) -> None:
        if self.two_way is None:
            self.capacity[:] = self.density * self.law.heat_capacity * self.law.volume
            return
        voidage = np.maximum(engine.fluid.model.field.values[VOIDAGE], MIN_VOIDAGE)
        density = properties_of(engine.fluid.model)[0]
        self.capacity[:] = voidage * density * self.law.heat_capacity * self.two_way.cells.volume

    def _inflows_of(self, engine: Engine) -> Iterator[tuple[int, int, np.ndarray]]:
        """Axis, direction of the cell upstream, and F of all cells [W/K]."""
        field, cells = engine.fluid.model.field, self.two_way.cells
        velocity = field.values if not isinstance(field, Bed) else self.two_way.sampled(engine)
        for axis in range(3):
            flow = self.capacity * velocity[VELOCITY + axis] / cells.spacing[axis]
            for way, sign in ((1, 1.0), (-1, -1.0)):
                face = 0.5 * (flow + np.roll(flow, way, axis))
                if not self.cells.periodic[axis]:
                    first = self._outermost(axis, way)
                    face[first] = flow[first]
                inflow = np.maximum(sign * face, 0.0)
                if inflow.any():
                    yield axis, way, inflow

    def _outermost(self, axis: int, way: int) -> tuple:
        """Cells that have none upstream."""
        return (slice(None),) * axis + (0 if way > 0 else -1,)

    def voidage(self, engine: Engine) -> np.ndarray:
        """Voidage at the particles (N,), between `MIN_VOIDAGE` and 1."""
        found = np.empty(engine.owned)
        fluid_cells.interpolate(
            self.cells, engine.fluid.model.field.values[VOIDAGE : VOIDAGE + 1], engine.bodies.position, found
        )
        return np.clip(found, MIN_VOIDAGE, 1.0)

    def fastest(self, engine: Engine, film: np.ndarray) -> float:
        """Largest rate of a cell over its capacity [1/s]; film: (N,) h A of bodies [W/K]."""
        most = float(film.max(initial=0.0))
        unit = math.ldexp(1.0, math.frexp(most * max(film.size, 1))[1] - 60) if most > 0 else 1.0
        self._sums[:] = 0
        fluid_cells.deposit(self.cells, engine.bodies.position, film[None], np.array([unit]), self._sums)
        rate = self._sums[0] * unit
        for _, _, inflow in self.inflows:
            rate = rate + inflow
        return float((rate / self.capacity).max())

    def exchange(
        self, engine: Engine, film: np.ndarray, value: np.ndarray, dt: float, unit: float, gained: np.ndarray,
        sums: np.ndarray, row: int, sampled: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        """Exchange with particles in dt [s], and let the flow pass.

        See `dem.kernels.heat.exchange.exchange_with_fluid_cells`.

        sampled: temperatures of the fluid that particles exchange with [K]; default: the present ones.
        Raises FloatingPointError for temperatures that are not positive.
        """
        taken, t = self._taken, self.temperature
        taken[:] = 0
        film_temperature = t if sampled is None else sampled
        exchange.exchange_with_fluid_cells(
            self.cells, engine.bodies.position, value, film, film_temperature, dt, unit, gained, taken, sums, row
        )
        received = -(taken[0] * (2.0**WORD / unit) + taken[1] / unit)
        added = np.zeros_like(t)
        for axis, way, inflow in self.inflows:
            upstream = np.roll(t, way, axis)
            if not self.cells.periodic[axis]:
                upstream[self._outermost(axis, way)] = self.law.temperature
            added += dt * inflow * (upstream - t)
        if self.inflows:
            self._book(*added.ravel().tolist())
        self.received += received
        amount = received + added + self.remainder
        after = t + amount / self.capacity
        self.remainder[:] = amount - (after - t) * self.capacity
        t[:] = after
        if not (t > 0).all():
            message = f"the temperature of the fluid came to {float(np.min(t)):.6g} K, expected more than 0"
            raise FloatingPointError(message)

    def take(self, temperature: np.ndarray | float) -> None:
        """Take over temperatures that a coupling returned, from now on instead of those that the flow makes."""
        before = self.content()
        self.temperature[:] = temperature
        self.ledger[HELD] = 1.0
        self._book(*self.content(), *(-part for part in before))

    def contents(self) -> dict[str, float]:
        """Heat now, heat at the start, and heat advected by the flow [J]."""
        return {"now": self.content()[0], "start": float(self.ledger[START, 0]), "flow": float(self.ledger[FLOW, 0])}

    def coupling_arguments(self, time: float) -> dict[str, object]:
        """Temperatures of the cells and heat since the last call, as arguments of a coupling; time: of heating [s]."""
        return {
            "temperature": self.temperature.copy(), "heat": self.received.copy(),
            "heat_capacity": self.law.heat_capacity, "heat_interval": time - float(self.ledger[MARK, 0]),
        }  # fmt: skip

    def mark(self, time: float) -> None:
        """Reset the heat and the time of heating [s] that a coupling receives."""
        self.received[:] = 0.0
        self.ledger[MARK, 0] = time

    def in_words(self) -> str:
        """Temperatures of the fluid, and the heat that its flow added, in words for the verdict."""
        low, high = float(self.temperature.min()), float(self.temperature.max())
        added = f", {self.ledger[FLOW, 0]:.4g} J came with its flow" if self.two_way else ""
        return f", fluid at {low:.6g}{f' to {high:.6g}' if high > low else ''} K{added}"

    def _book(self, *amounts: float) -> None:
        self.ledger[FLOW] = exact_sum([[*self.ledger[FLOW].tolist(), *amounts]])
