"""Impacts whose energy is followed: the ledger, and what is done to it from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.model.energy import Energy
from dem.run.runnable import Runnable
from kernels.base import energy as energy_kernels

if TYPE_CHECKING:
    from dem.hard.engine import HardEngine


class Accounted(Runnable):
    """Hard spheres whose energies are booked; those who inherit from it set their engine going."""

    _engine: HardEngine

    def _start(self, now: float, before: HardEngine | None = None) -> None:
        """Start from the particles' state; or go on there from what was counted before."""
        raise NotImplementedError

    def _begin_ledger(self) -> None:
        """All that is kept of a run begins again."""
        self._given = self._largest_kinetic = 0.0
        self.start_energy = self.energy()

    def _restart(self) -> None:
        if self._visited:
            self._start_booked(self._gravity, self._datum)
        else:
            self._start(self.time)
            self._begin_ledger()

    def _start_booked(self, gravity: tuple[float, float, float], datum: float) -> None:
        """Start where somebody from outside changed something; what that did is booked as work."""
        before = self._energies([np.array(rows.T, order="C") for rows in self._engine.state()])
        self._gravity, self._datum = gravity, datum
        self._start(self.time, self._engine)
        self._given += self._energies(self._state()).mechanical - before.mechanical

    _change_gravity = _start_booked

    def energy(self) -> Energy:
        """Energies at the present time [J]; nothing elastic is in them."""
        self._notice_changes()
        result = self._energies(self._state())
        self._largest_kinetic = max(self._largest_kinetic, result.kinetic)
        return result

    def _energies(self, state: list[np.ndarray]) -> Energy:
        """Energies of a state, component-major."""
        ledger = energy_kernels.ledger(*self._bodies(), self._gravity, self._datum, *state)
        return Energy(*ledger, elastic=0.0, work=self._given)

    def _bodies(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Variant of each particle, mass and inertia of each variant."""
        properties = [shape.mass_properties(material.density) for shape, material in self._particles.variants]
        inertia = np.array([p.inertia for p in properties]).T.copy()
        return self._particles.variant, np.array([p.mass for p in properties]), inertia

    @property
    def energy_error(self) -> float:
        """Departure of the energy, with what impacts took by their law, from that at the start, see `HardVerdict`."""
        return self._errors()[0]

    def _errors(self) -> tuple[float, float, tuple[str, float]]:
        """What of the energy is unaccounted for, and its change, over what there is: in words, and [J]."""
        energy, tally = self.energy(), self._engine.tally
        change = energy.total - self.start_energy.total - float(tally.lifted[0])
        energies = {
            "the energy at the start": abs(self.start_energy.total),
            "the largest kinetic energy": self._largest_kinetic,
            "the work from outside": abs(self._given),
        }
        reference = max(energies.items(), key=lambda named: named[1])
        scale = reference[1] or 1.0
        return abs(change + float(tally.lost[0])) / scale, change / scale, reference
