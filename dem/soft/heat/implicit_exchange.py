"""Implicit steps of the exchange of a scalar, stable for steps of any length."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.kernels.heat import exchange, implicit
from dem.kernels.heat.conductances import CONDUCTANCE, OVERLAP

if TYPE_CHECKING:
    from dem.soft.engine import Engine
    from dem.soft.heat.conductances import ContactRows
    from dem.soft.heat.scalar_in_run import ScalarInRun

GAMMA = 1 - math.sqrt(0.5)  # R. Alexander, SIAM J. Numer. Anal. 14 (1977) 1006: L-stable, of second order
TOLERANCE = 1e-12  # share of its first residual that conjugate gradients leave
MAX_ITERATIONS = 100_000  # of conjugate gradients
CONVERGED, MAX_CORRECTIONS = 1e-9, 60  # share of the values that the last correction of Newton's method changes
FASTEST_COOLING = 0.25  # share of a temperature that a correction leaves at least, where particles radiate
UNCHANGING = 1e300  # capacity of what keeps its value, over a time
LARGEST = 2.0**57  # units that pass a contact at once
MAX_PARTS = 10_000  # in which the amounts of a step are given, so that none is larger


class HeatSurroundings(NamedTuple):
    """Fluid and surroundings of bodies, in the order of the rows."""

    film: np.ndarray  # (N,) h A [W/K]; empty without a fluid
    fluid: float = 0.0  # temperature [K]
    fluid_capacity: float = math.inf  # [J/K]
    radiated: np.ndarray | None = None  # (N,) σ ε A [W/K⁴]
    ambient: float = 0.0  # temperature of the surroundings [K]


NOTHING = HeatSurroundings(np.zeros(0))


class MeanValues(NamedTuple):
    """Values that act over a step: amounts that pass are those of a step at these values."""

    bodies: np.ndarray  # (N,) by index
    walls: np.ndarray  # (6 + W,)
    fluid: float
    radiating: np.ndarray | None  # (N,) temperatures whose fourth powers are the mean of fourth powers
    parts: int  # equal ones, in which amounts are given


class ImplicitExchange:
    """Steps of C du/dt = F(u) of all bodies, walls with a capacity, and a fluid with one, at the same contacts.

    With γ = 1 - 1/√2 a step has two stages, C (U₁ - u) = γ dt F(U₁) and C (U₂ - u) = dt ((1 - γ) F(U₁) + γ F(U₂)),
    which are linear systems; radiation and capacities by temperature are solved for by Newton's method. What passes a
    contact in the step, dt G ((1 - γ) ΔU₁ + γ ΔU₂), is then rounded to units and given to both of its bodies, as in an
    explicit exchange: the sum is conserved whatever error the solution has.
    """

    def __init__(self, stage: ScalarInRun, engine: Engine, pairs: ContactRows, walls: ContactRows) -> None:
        self.stage, self.pairs, self.walls = stage, pairs, walls
        self.number = engine.owned
        self.rows = engine.numbering.rows(engine.bodies.identity[: engine.owned])
        self.kind = np.empty(engine.owned, engine.bodies.kind.dtype)
        self.kind[self.rows] = engine.bodies.kind[: engine.owned]
        self.power = stage.power(walls)
        i, j = self.rows[pairs.indices[:, 0]], self.rows[pairs.indices[:, 1]]
        self.edges = _sorted(np.minimum(i, j), np.maximum(i, j), pairs.values)
        row = -1 - walls.indices[:, 1]
        conducts = np.isfinite(stage.wall_values[row]) & (walls.values[:, CONDUCTANCE] > 0)
        at_walls = self.rows[walls.indices[conducts, 0]], self.number + row[conducts]
        self.wall_edges = _sorted(*at_walls, walls.values[conducts])
        order = np.lexsort((self.power, row, self.rows[walls.indices[:, 0]]))
        body = self.rows[walls.indices[order, 0]]
        self.inward = np.bincount(body, weights=self.power[order], minlength=self.number)

    def advance(self, engine: Engine, dt: float) -> None:
        """Take a step of dt [s]; the amounts go to bodies, walls and the fluid.

        Raises
        ------
        FloatingPointError
            If more passes a contact than integers hold, or the equations of the step have no solution that is found.
        """
        stage, walls = self.stage, self.walls
        mean = self.mean_values(engine, dt)
        value, remainder = stage.rows_of(engine)
        (gained, _), part = stage.scratch(engine), dt / mean.parts
        for _ in range(mean.parts):
            exchange.exchange_between_bodies(
                mean.bodies, self.pairs.indices, self.pairs.values, part, stage.unit, gained
            )
            if walls.indices.size:
                exchange.exchange_with_walls(
                    mean.bodies, walls.indices, walls.values, mean.walls, self.power, part, stage.unit, gained,
                    stage.sums,
                )  # fmt: skip
            stage.add_mean_rates(engine, part, mean, gained)
        stage.find_wall_values()
        stage.finish(engine, value, remainder, gained)

    def mean_values(self, engine: Engine, dt: float) -> MeanValues:
        """Solve both stages of a step of dt [s]."""
        stage, number = self.stage, self.number
        value, remainder = (engine.by_row(each) for each in stage.rows_of(engine))
        surroundings = stage.surroundings(engine)
        known = np.isfinite(stage.wall_values)
        start = np.concatenate([value, np.where(known, stage.wall_values, 0.0), [surroundings.fluid]])
        parts = zip(self.edges, self.wall_edges, self._to_fluid(surroundings), strict=True)
        edges = tuple(np.ascontiguousarray(np.concatenate(each)) for each in parts)
        source = np.zeros(start.size)
        source[:number] = self.inward + remainder / dt
        other_capacity = np.concatenate([stage.wall_capacity, [surroundings.fluid_capacity]])
        system = StageEquations(stage, self.kind, start, edges, source, other_capacity, surroundings, GAMMA * dt)
        one = system.solve(np.zeros(start.size), start)
        two = system.solve((1 / GAMMA - 1) * system.gain(one)[0], one)
        mean, (first, second, conductance) = (1 - GAMMA) * one + GAMMA * two, edges
        most = dt * np.abs(conductance * (mean[first] - mean[second])).max(initial=0.0)
        most = max(most, dt * np.abs(self.power).max(initial=0.0))
        radiating = None
        if surroundings.radiated is not None:
            fourth = (1 - GAMMA) * _fourth_power(one[:number]) + GAMMA * _fourth_power(two[:number])
            light = dt * surroundings.radiated * np.maximum(fourth, _fourth_power(surroundings.ambient))
            most = max(most, light.max(initial=0.0))
            radiating = np.sqrt(np.sqrt(fourth))[self.rows]
        parts = most * stage.unit / LARGEST
        if not parts <= MAX_PARTS:
            message = (
                f"{most:.3g} of {stage.law.FIELD} times capacity passes a contact in an implicit step of {dt:.3g} s, "
                f"expected {MAX_PARTS * LARGEST / stage.unit:.3g} at most: take shorter steps"
            )
            raise FloatingPointError(message)
        walls = np.where(known, mean[number:-1], math.nan)
        return MeanValues(mean[self.rows], walls, float(mean[-1]), radiating, max(1, math.ceil(parts)))

    def _to_fluid(self, surroundings: HeatSurroundings) -> tuple[np.ndarray, ...]:
        """Edges from bodies to the fluid."""
        bodies = np.arange(surroundings.film.size)
        return bodies, np.full(bodies.size, self.number + self.stage.wall_values.size), surroundings.film


class StageEquations(NamedTuple):
    """Equations of a stage, (H(U) - H(u))/τ = F(U) + P of nodes: bodies by row, faces and walls, and the fluid."""

    stage: ScalarInRun
    kind: np.ndarray  # (N,) of bodies
    start: np.ndarray  # (M,) u
    edges: tuple[np.ndarray, np.ndarray, np.ndarray]  # (E,) both nodes, conductance
    source: np.ndarray  # (M,) part of F that does not depend on U [amount/s]
    other_capacity: np.ndarray  # (M - N,) capacities of the nodes that are no bodies; infinite if their values stay
    surroundings: HeatSurroundings
    time: float  # τ = γ dt [s]

    def gain(self, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rates of gain F(U) (M,), and the terms that radiation adds to the diagonal."""
        bodies = self.kind.size
        gain, slope = np.empty(value.size), np.zeros(value.size)
        implicit.flows(*self.edges, value, gain)
        gain += self.source
        if self.surroundings.radiated is not None:
            light = np.empty((2, bodies))
            implicit.radiated(self.surroundings.radiated, self.surroundings.ambient, value[:bodies], light)
            gain[:bodies] += light[0]
            slope[:bodies] = light[1]
        return gain, slope

    def solve(self, known_part: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Solve for U by Newton's method from a first guess; given: P. Raises FloatingPointError if that fails."""
        is_linear = self.surroundings.radiated is None and self.stage.has_constant_capacity
        for _ in range(MAX_CORRECTIONS):
            change = self._correction(known_part, value)
            if change is None:
                break
            if is_linear:
                return value + change
            after = np.maximum(value + change, FASTEST_COOLING * value)
            change, value = np.abs(after - value).max(), after
            if change <= CONVERGED * np.abs(value).max():
                return value
        message = (
            f"an implicit step of {self.time / GAMMA:.3g} s of {self.stage.law.FIELD} has no solution that is found: "
            "take shorter steps"
        )
        raise FloatingPointError(message)

    def _correction(self, known_part: np.ndarray, value: np.ndarray) -> np.ndarray | None:
        """Correction of U, (M,); None if it is not found."""
        bodies = self.kind.size
        gain, slope = self.gain(value)
        content, capacity = self.stage.content_above(self.kind, self.start[:bodies], value[:bodies])
        diagonal = np.concatenate([capacity, self.other_capacity]) / self.time
        is_fixed = ~(diagonal < UNCHANGING)
        diagonal[is_fixed] = UNCHANGING
        above = np.where(is_fixed[bodies:], 0.0, self.other_capacity) * (value - self.start)[bodies:]
        x, r, *more = np.empty((5, value.size))
        r[:] = gain + known_part - np.concatenate([content, above]) / self.time
        r[is_fixed] = 0.0
        done = implicit.solve(*self.edges, diagonal + slope, x, r, *more, TOLERANCE, MAX_ITERATIONS)
        return x if done >= 0 else None


def _fourth_power(value: np.ndarray | float) -> np.ndarray | float:
    square = value * value
    return square * square


def _sorted(first: np.ndarray, second: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, ...]:
    """Edges in an order independent of the list of contacts; two bodies may have several contacts."""
    conductance = values[:, CONDUCTANCE]
    order = np.lexsort((values[:, OVERLAP], conductance, second, first))
    return first[order].astype(np.int64), second[order].astype(np.int64), conductance[order]
