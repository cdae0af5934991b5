"""Energies of a system at one moment, and the potential of reference; sums over a run are in `energy_ledger`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import portable

if TYPE_CHECKING:
    from dem.model.domain.box import Box
    from dem.model.particles.particles import Particles


class Energy(NamedTuple):
    """Energies of a whole system [J].

    Attributes
    ----------
    translational, rotational : float
        Kinetic energy of translation, Σ m v²/2, and of rotation, Σ ω·Iω/2.
    gravitational : float
        Potential energy in gravity, -Σ m g·x; zero at the lowest corner of the box, or without a box at the initial
        centre of mass.
    elastic : float
        Energy of contacts, normal and tangential, and of bonds. Without it the total would seem to drop by up to 98
        % in an impact (Zhao & van Wachem 2013, eq. 64, leave it out).
    dissipated : float
        Energy lost to damping and friction since the last assignment to the state.
    work : float
        Work of moving walls on particles, of changes of gravity, and of functions that changed a run (``every`` of
        `Simulation.run`).
    fluid : float
        Work of the fluid on particles, negative where it brakes them.
    inserted, removed : float
        Energies, kinetic, gravitational and elastic, of particles that have been inserted and removed
        (`dem.Inserter`, `dem.Outlet`).

    Examples
    --------
    >>> energy = Energy(translational=3.0, rotational=1.0, gravitational=2.0, elastic=0.5, dissipated=0.25)
    >>> energy.kinetic, energy.mechanical, energy.total
    (4.0, 6.5, 6.75)
    """

    translational: float
    rotational: float
    gravitational: float
    elastic: float
    dissipated: float = 0.0
    work: float = 0.0
    fluid: float = 0.0
    inserted: float = 0.0
    removed: float = 0.0

    @property
    def kinetic(self) -> float:
        """Translational and rotational energy [J]."""
        return self.translational + self.rotational

    @property
    def mechanical(self) -> float:
        """Mechanical energy of particles and contacts: kinetic, gravitational and elastic [J]."""
        return self.kinetic + self.gravitational + self.elastic

    @property
    def total(self) -> float:
        """Conserved sum: mechanical and dissipated energy, less work and the energy that insertion has added [J]."""
        return self.mechanical + self.dissipated - self.work - self.fluid - self.inserted + self.removed


def stored_energies(*, fluid: bool, insertion: bool = False) -> int:
    """Number of energies that files store; those at the end are left out in runs without them."""
    return len(Energy._fields) if insertion else 7 if fluid else 6


def reference_potential(particles: Particles, box: Box | None, gravity: tuple[float, float, float]) -> float:
    """g·x where potential energy is zero [m²/s²]: lowest corner of the box, else the initial centre of mass."""
    g = np.array(gravity)
    if box:
        with np.errstate(over="ignore"):  # the first step says what is wrong with such a gravity
            return float(np.maximum(g * box.lower, g * box.upper).sum())
    m = particles.mass
    if not m.size:
        return 0.0
    return portable.dot(g, (m[:, None] * particles.position).sum(0)) / float(m.sum())
