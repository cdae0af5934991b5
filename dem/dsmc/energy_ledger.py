"""Collisions whose energy and momentum are followed: the ledger, what is done to it from outside, and the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.dsmc.verdict import StochasticVerdict
from dem.event_driven import energy_ledger
from dem.kernels.numerics import energy as energy_kernels
from dem.model.domain.box import AXES
from dem.model.energy import Energy
from dem.system.diagnosis import check_finite

if TYPE_CHECKING:
    from dem.dsmc.engine import Rule, StochasticEngine
    from dem.kernels.event_driven.events import ImpactLaws

RESTING = 0.05  # of impacts on walls that belong to contacts that last


class LedgerState(NamedTuple):
    """What the ledger knows besides what the engine counts."""

    start_energy: Energy
    largest_kinetic: float  # [J]
    given: float  # from outside [J]
    datum: float  # [m²/s²]
    start_momentum: np.ndarray  # (3,) less what was given since [kg m/s]
    pushed: np.ndarray  # (3,) whether gravity has ever acted along an axis


class EnergyLedger(energy_ledger.EnergyLedger):
    """Spheres that collide at random, whose energies and momentum are booked."""

    _engine: StochasticEngine
    _rule: Rule
    _laws: ImpactLaws

    def _begin_ledger(self) -> None:
        """All that is kept of a run begins again."""
        self._pushed = self._pulled()
        super()._begin_ledger()
        self._start_momentum = self._momentum_left()

    def _go_on(self, booked: LedgerState) -> None:
        """Go on from what a ledger had booked."""
        self.start_energy, self._largest_kinetic, self._given, self._datum = booked[:4]
        self._start_momentum, self._pushed = booked.start_momentum, booked.pushed

    def _booked(self) -> LedgerState:
        """What it has booked."""
        return LedgerState(
            self.start_energy, self._largest_kinetic, self._given, self._datum, self._start_momentum, self._pushed
        )

    def _pulled(self) -> np.ndarray:
        """Whether gravity acts along each axis (3,), but for what the fluid carries, which is booked with the fluid."""
        return np.array([g != 0 and self._rule.turbulence is None for g in self._gravity])

    def _momentum_left(self, state: list[np.ndarray] | None = None) -> np.ndarray:
        """Momentum of the present state, or another, less what partners and fluid have given (3,) [kg m/s]."""
        linear, _ = energy_kernels.momenta(*self._bodies(), *(self._state() if state is None else state))
        return np.array(linear) - self._engine.tally.impulse

    def _start_booked(self, gravity: tuple[float, float, float], datum: float) -> None:
        """Start where somebody from outside changed something; what that did is booked as work."""
        before = [np.array(rows.T, order="C") for rows in self._engine.state()]
        off = self._momentum_left(before) - self._start_momentum
        super()._start_booked(gravity, datum)
        self._start_momentum = self._momentum_left() - off
        self._pushed = self._pushed | self._pulled()

    _change_gravity = _start_booked

    def _energies(self, state: list[np.ndarray]) -> Energy:
        """Energies of a state, component-major, with what impacts have taken, and partners and fluid given."""
        tally = self._engine.tally
        ledger = energy_kernels.ledger(*self._bodies(), self._gravity, self._datum, *state)
        work = self._given + float(tally.gained[0]) + float(tally.lifted[0])
        return Energy(*ledger, elastic=0.0, dissipated=float(tally.lost[0]), work=work)

    def _errors(self) -> tuple[float, float, tuple[str, float]]:
        """What of the energy is unaccounted for, and given by partners and fluid, over what there is: in words, [J]."""
        energy, gained = self.energy(), float(self._engine.tally.gained[0])
        energies = {
            "the energy at the start": abs(self.start_energy.total),
            "the largest kinetic energy": self._largest_kinetic,
            "the energy that impacts took": energy.dissipated,
            "the work from outside": max(abs(self._given), abs(gained)),
        }
        reference, scale = energy_ledger.largest(energies)
        return abs(energy.total - self.start_energy.total) / scale, gained / scale, reference

    def _momentum_error(self) -> float | None:
        """Change of momentum that nobody gave, along the axes where nothing else gives any, over the sum of |m v|."""
        free = np.array([axis in self._box.periodic for axis in AXES]) & ~self._pushed
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
        error, exchanged, (reference, _) = self._errors()
        rule, tally = self._rule, self._engine.tally
        return StochasticVerdict(
            steps=self.step_count, time=self.time, collisions=self.collisions, energy_error=error,
            energy_reference=reference, momentum_error=self._momentum_error(), exchanged=exchanged,
            often=float(tally.rate[0]) * rule.time_step, densest=float(tally.densest[0]),
            occupancy=len(self.particles) / float(np.prod(rule.cells)), excess=int(tally.excess[0]),
            partners=rule.partners, turbulent=rule.turbulence is not None,
            resting=bool(tally.lasting[0] > RESTING * tally.wall[0]),
        )  # fmt: skip
