"""Simulation of spheres with stochastic collisions, at the rates of kinetic theory."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks, compilation
from dem.base.user_classes import hinted
from dem.dsmc.advice import (
    GasAdvice,
    advise,
    cells_of,
    check_fraction,
    check_going_on,
    check_not_packed,
    check_surroundings,
    check_wall_overlaps,
    foreseen,
)
from dem.dsmc.engine import Rule, StochasticEngine
from dem.dsmc.verdict import StochasticVerdict
from dem.event_driven.checks import describe, laws_of
from dem.event_driven.verdict import Collisions
from dem.kernels.numerics import energy as energy_kernels
from dem.model.domain.box import AXES, Box
from dem.model.fluid.solids_pressure import SolidsPressure
from dem.model.fluid.turbulence import Turbulence
from dem.run.simulation_base import SimulationBase
from dem.system.diagnosis import check_finite, check_inside
from dem.system.energy_ledger import EnergySums

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.base.notices import Notice
    from dem.model.particles.particles import Particles


WAYS = ("pairs", "partners")
RESTING = 0.05  # of impacts on walls that belong to contacts that last
CORRELATIONS = ("full", "particle", "none")


@hinted
class StochasticSpheres(SimulationBase):
    """Spheres in a box that fly freely and collide at random, where they are, as often as kinetic theory says.

    Parameters
    ----------
    particles : Particles
        Single spheres, of any sizes; copied. Their positions within a cell do not matter, and they may overlap.
    box : Box
        The box that the cells fill. Its faces may be rough or periodic.
    time_step : float or "auto"
        [s]; "auto": in one step a particle has 0.1 collisions on average and crosses half a cell at most.
    collisions : str
        "pairs": of two particles of a cell, drawn without a time counter (DSMC); both change, momentum is conserved.
        "partners": of each particle with a fictitious one, drawn from the velocities in its cell (Sommerfeld's model);
        only the particle changes, and momentum and energy are conserved on average. Gases cool too slowly by that in
        small cells: by 2 to 5 % in ten collisions in cells of 30.
    cell : float, optional
        Approximate width of the cells [m]; default: as wide as ten particles need, or thirty for partners, and no
        narrower than a third of the mean free path.
    gravity : (3,) floats
        [m/s²].
    restitution, tangential_restitution, friction : optional
        Coefficients of two spheres, see `HardSpheres`.
    wall_restitution, wall_tangential_restitution, wall_friction, contact_time : optional
        Coefficients of a sphere and a wall, see `HardSpheres`; only contacts with walls last.
    turbulence : Turbulence, optional
        Turbulent fluid, which drags the particles and is correlated with their partners; for "partners" only.
    correlation : str
        Correlation of a partner in turbulence: "full" with the particle and with the fluid at the particle, "particle"
        with the particle only (Sommerfeld 2001), which wrongly takes kinetic energy, or "none".
    pressure : SolidsPressure, optional
        Solids pressure (MP-PIC), which keeps the solid fraction of cells below that of close packing; for "pairs". The
        ledger counts its work as work.
    seed : int
        Seed of all random numbers.
    description : dict, optional
        Description of the run, stored in the output file.

    Raises
    ------
    ValueError, TypeError
        For values out of range, particles that are no single spheres or outside the box, cells of too few particles,
        and solid fractions beyond 0.5.

    Notes
    -----
    Collisions follow the impact rule of hard spheres (`dem.kernels.event_driven.impact`). Their rate is proportional to
    Enskog's factor of the solid fraction around the cell (`dem.kernels.dsmc.gas`). Pairs: G. A. Bird, Molecular Gas
    Dynamics and the Direct Simulation of Gas Flows (1994). Partners: M. Sommerfeld, Int. J. Multiphase Flow 27 (2001)
    1829; B. van Wachem, T. Curran, F. Evrard, Flow Turbul. Combust. 105 (2020) 935.

    It is a gas: for solid fractions below some 0.3, before clusters form, farther than a diameter from walls. Enskog's
    factor makes collisions as frequent as in a dense gas, while the pressure is that of a dilute one; angular momentum
    about a point is not conserved, since colliding particles are not in touch. The same input gives the same bytes,
    however a run is cut.

    Examples
    --------
    >>> import dem, numpy as np
    >>> sand = dem.Material(young=5e7, poisson=0.35, density=2500.0)
    >>> rng = np.random.default_rng(1)
    >>> places, speeds = rng.uniform(0, 0.1, (500, 3)), rng.normal(0, 1.0, (500, 3))
    >>> grains = dem.Particles(dem.Sphere(diameter=0.002), sand, position=places, velocity=speeds)
    >>> box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), sand, periodic=["x", "y", "z"])
    >>> gas = dem.StochasticSpheres(grains, box, gravity=(0, 0, 0), time_step="auto", restitution=0.9)
    >>> gas.run(0.1, frames=1).passed
    True
    >>> print(gas.energy().kinetic < gas.start_energy.kinetic)
    True
    """

    _engine: StochasticEngine
    _start_momentum: np.ndarray  # (3,) plus what changes from outside gave since [kg m/s]
    _forced_axes: np.ndarray  # (3,) whether gravity has ever acted along an axis

    def __init__(
        self,
        particles: Particles,
        box: Box,
        *,
        time_step: float | str,
        collisions: str = "pairs",
        cell: float | None = None,
        gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
        restitution: float = 1.0,
        tangential_restitution: float = -1.0,
        friction: float | None = None,
        wall_restitution: float | None = None,
        wall_tangential_restitution: float | None = None,
        wall_friction: float | None = None,
        contact_time: float = 1e-5,
        turbulence: Turbulence | None = None,
        correlation: str = "full",
        pressure: SolidsPressure | None = None,
        seed: int = 1,
        description: dict | None = None,
    ) -> None:
        checks.of_types(box=(box, Box))
        super().__init__(particles, box, gravity, description)
        self._set_up(
            collisions, turbulence, correlation, cell, seed, pressure,
            contact_time=contact_time, restitution=restitution,
            tangential_restitution=tangential_restitution, friction=friction, wall_restitution=wall_restitution,
            wall_tangential_restitution=wall_tangential_restitution, wall_friction=wall_friction,
        )  # fmt: skip
        with compilation.announced():
            self._choose_time_step(time_step)
            self._start(None)
            self._begin_ledger()
            self._engine.advance(0)  # no step, but everything is compiled now

    def _set_up(
        self,
        collisions: str,
        turbulence: Turbulence | None,
        correlation: str,
        cell: float | None,
        seed: int,
        pressure: SolidsPressure | None = None,
        **impacts: float | None,
    ) -> None:
        """Check and store the settings besides particles, box and gravity."""
        partners = checks.one_of("way of collisions", collisions, WAYS) == "partners"
        checks.one_of("correlation", correlation, CORRELATIONS)
        checks.of_types(optional=True, turbulence=(turbulence, Turbulence), pressure=(pressure, SolidsPressure))
        if pressure and partners:
            message = 'pressure is of solids whose pairs collide: leave it out, or give collisions="pairs"'
            raise ValueError(message)
        if turbulence and not partners:
            message = (
                'turbulence is for fictitious partners: pairs do not see the same eddy, give collisions="partners"'
            )
            raise ValueError(message)
        self._laws = laws_of(self._box, **impacts)
        check_surroundings(self._particles, self._box)
        check_fraction(self._particles, self._box)
        self._cell, cells = cell, cells_of(self._particles, self._box, cell, partners=partners)
        seed = checks.whole("seed", seed, least=0)
        self._rule = Rule(partners, cells, 1.0, seed, turbulence, correlation, pressure)

    def _choose_time_step(self, time_step: float | str) -> None:
        """Store the given time step, or choose one for the current state."""
        if isinstance(time_step, str) and time_step == "auto":
            engine = self._new_engine(0)
            check_not_packed(engine)
            time_step = advise(self._particles, self._box, engine, 1.0).advised
            if self._rule.turbulence:
                time_step = min(time_step, 0.1 * self._rule.turbulence.time_scale)
            if not math.isfinite(time_step):
                message = "time_step cannot be chosen where nothing moves: give one [s]"
                raise ValueError(message)
        self._time_step = checks.number("time_step", time_step, above=0, unit="s", word="auto")
        self._rule = self._rule._replace(time_step=self._time_step)

    def _new_engine(self, step: int) -> StochasticEngine:
        return StochasticEngine(self._particles, self._box, self._gravity, self._laws, self._rule, step)

    def _start(self, before: StochasticEngine | None, *, keep: bool = False) -> None:
        engine = self._new_engine(before.step if before else 0)
        check_inside(self._particles, self._box)
        check_wall_overlaps(self._particles, self._box)
        check_not_packed(engine)
        if keep:
            engine.follow(before)
        elif before:
            engine.fluid.seen[:] = before.fluid.seen
        self._engine = engine
        self._revision = self._particles.revision
        self._shown = self.step_count

    @property
    def settings(self) -> dict:
        """Settings of the run besides particles, box and gravity."""
        rule, laws = self._rule, self._laws
        return {
            "method": "stochastic collisions", "collisions": WAYS[rule.partners], "time_step": self._time_step,
            "cell": self._cell, "cells": list(rule.cells), "seed": rule.seed,
            "turbulence": rule.turbulence and asdict(rule.turbulence), "correlation": rule.correlation,
            "contact_time": laws.contact_time, **({"pressure": asdict(rule.pressure)} if rule.pressure else {}),
            **describe(laws),
        }  # fmt: skip

    @property
    def step_count(self) -> int:
        """Number of steps taken."""
        return self._engine.step

    @property
    def fluid_velocity(self) -> np.ndarray:
        """Velocity of the fluid that each particle sees (N, 3) [m/s]; zeros without a fluid."""
        mean = self._rule.turbulence.velocity if self._rule.turbulence else (0.0, 0.0, 0.0)
        seen = self._engine.fluid.seen.T
        return seen + mean if len(seen) else np.zeros((len(self._particles), 3))

    def advice(self) -> GasAdvice:
        """Advice on the time step for the current state, with reasons."""
        self._notice_changes()
        return advise(self.particles, self._box, self._engine, self._time_step)

    def foreseen(self) -> Iterator[Notice]:
        """Notices to give before a run begins."""
        yield from super().foreseen()
        yield from foreseen(self.advice(), self.particles, self._box, partners=self._rule.partners)

    def step(self, steps: int = 1) -> None:
        """Take a number of time steps.

        Raises
        ------
        FloatingPointError
            If spheres come as close as they can be packed, one does not come away from walls, or there were more than
            ten collisions of a particle in a step.
        RuntimeError
            If another thread of Python is moving these spheres.
        """
        steps = checks.whole("steps", steps, least=0)
        with self._lock:
            self._notice_changes()
            check_going_on(self._engine.advance(steps), self._engine)

    def _begin_ledger(self) -> None:
        """Start the ledgers of energy and momentum from the current state."""
        self._forced_axes = self._axes_of_gravity()
        super()._begin_ledger()
        self._start_momentum = self._momentum_left()

    def _axes_of_gravity(self) -> np.ndarray:
        """Axes (3,) along which gravity changes the momentum, other than that which a fluid carries."""
        return np.array([g != 0 and self._rule.turbulence is None for g in self._gravity])

    def _momentum_left(self, state: list[np.ndarray] | None = None) -> np.ndarray:
        """Momentum of a state, by default the current one, without that from partners and fluid (3,) [kg m/s]."""
        linear, _ = energy_kernels.momenta(*self._bodies(), *(self._state() if state is None else state))
        return np.array(linear) - self._engine.tally.impulse

    def _start_booked(self, gravity: tuple[float, float, float], reference_potential: float) -> None:
        """Restart after a change from outside; the change of the energy counts as work."""
        off = self._momentum_left(self._engine.state()) - self._start_momentum
        super()._start_booked(gravity, reference_potential)
        self._start_momentum = self._momentum_left() - off
        self._forced_axes = self._forced_axes | self._axes_of_gravity()

    @property
    def collisions(self) -> Collisions:
        """Numbers of collisions and of impacts on walls since the start, or since the state was last assigned to."""
        return Collisions.of(self._engine.tally)

    def _sums(self) -> EnergySums:
        """Energies lost in impacts, and gained from fictitious partners and the fluid."""
        tally = self._engine.tally
        return EnergySums(dissipated=float(tally.lost[0]), work=float(tally.gained[0]), lifted=float(tally.lifted[0]))

    @property
    def energy_error(self) -> float:
        """Unaccounted energy over a reference energy, see `StochasticVerdict`."""
        return self._errors()[0]

    def _errors(self) -> tuple[float, float, str]:
        """Unaccounted energy, and that from partners and fluid, over a reference energy; and the name of that."""
        energy, gained = self.energy(), float(self._engine.tally.gained[0])
        others = {
            "the energy dissipated in impacts": energy.dissipated,
            "the work from outside": max(abs(self._ledger.external_work), abs(gained)),
        }
        name, scale = self._ledger.reference(others)
        scale = scale or 1.0
        return abs(energy.total - self.start_energy.total) / scale, gained / scale, name

    def _momentum_error(self) -> float | None:
        """Unaccounted change of momentum, over the sum of |m v|; None if walls or gravity act along every axis."""
        free = np.array([axis in self._box.periodic for axis in AXES]) & ~self._forced_axes
        wall = self._laws.wall
        slippery = self._laws.roughness == 0 and (wall.tangential == -1 or wall.friction == 0)
        if not free.any() or not (slippery or len(self._box.periodic) == len(AXES)):
            return None
        kind, mass, _ = self._bodies()
        p = mass[kind][:, None] * self.particles.velocity
        whole = float(np.linalg.norm(p, axis=1).sum()) + float(np.abs(self._start_momentum).sum())
        off = np.abs(self._momentum_left() - self._start_momentum)[free].max()
        return float(off) / (whole or 1.0)

    def verdict(self) -> StochasticVerdict:
        """Judge the run since the start, or since the state was last assigned to.

        Raises
        ------
        FloatingPointError
            If the run broke.
        """
        check_finite(self.particles, f"t = {self.time:.6g} s", "speeds or gravity are too large")
        error, exchanged, reference = self._errors()
        rule, tally = self._rule, self._engine.tally
        return StochasticVerdict(
            steps=self.step_count, time=self.time, collisions=self.collisions, energy_error=error,
            energy_reference=reference, momentum_error=self._momentum_error(), exchanged=exchanged,
            collisions_per_step=float(tally.rate[0]) * rule.time_step, densest=float(tally.densest[0]),
            occupancy=len(self.particles) / float(np.prod(rule.cells)), excess=int(tally.excess[0]),
            partners=rule.partners, turbulent=rule.turbulence is not None,
            resting=bool(tally.lasting[0] > RESTING * tally.wall[0]),
        )  # fmt: skip
