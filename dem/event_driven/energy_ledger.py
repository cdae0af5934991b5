"""Impacts whose energy is followed: the ledger, and what is done to it from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.event_driven.verdict import Collisions
from dem.kernels.numerics import energy as energy_kernels
from dem.model.energy import Energy
from dem.model.particles.fields import MOTION
from dem.run.runnable import Runnable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.event_driven.engine import HardEngine
    from dem.model.particles.particles import Particles


# ruff: noqa: SLF001 (particles are shown by who moves them)


class EnergyLedger(Runnable):
    """Spheres that collide, and whose energies are booked; those who inherit from it set their engine going."""

    _engine: HardEngine
    _shown: float  # where the particles are shown, as `_now` says it

    @property
    def collisions(self) -> Collisions:
        """Numbers of collisions and of impacts on walls since the start, or since the state was last assigned to.

        With fictitious partners each counts: of N particles that collide once there are N, of pairs N/2.
        """
        tally = self._engine.tally
        return Collisions(int(tally.pair[0]), int(tally.wall[0]))

    @property
    def particles(self) -> Particles:
        """The particles at the present time, in their original order."""
        if self._shown != self._now:
            self._particles._show_motion(dict(zip(MOTION, self._engine.state(), strict=True)))
            self._shown = self._now
        return self._particles

    def _arrays(self) -> Iterator[np.ndarray]:
        return self._engine.arrays()

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
        reference, scale = largest(energies)
        return abs(change + float(tally.lost[0])) / scale, change / scale, reference


def largest(energies: dict[str, float]) -> tuple[tuple[str, float], float]:
    """The largest energy, with its name, and what to divide by: 1 where there is none."""
    reference = max(energies.items(), key=lambda named: named[1])
    return reference, reference[1] or 1.0
