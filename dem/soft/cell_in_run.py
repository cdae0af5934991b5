"""The cell of a run: how far it has deformed, its stress, and what tells whether a test is quasi-static."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.base.portable import determinant
from dem.kernels.domain.deforming import CONTACT, KINETIC
from dem.statistics.cell_state import CellState
from dem.statistics.forces import Stress, body_loads, coordination_numbers

if TYPE_CHECKING:
    from dem.kernels.domain.deforming import DeformingFaces
    from dem.model.contact.contact_forces import ContactForces
    from dem.model.particles.particles import Particles


def state_of(faces: DeformingFaces, contacts: ContactForces, particles: Particles) -> CellState:
    """State of a cell with these contacts and particles."""
    volume = abs(determinant(faces.edges))
    stress = Stress(faces.virial[CONTACT] / volume, faces.virial[KINETIC] / volume)
    density = np.array([material.density for _, material in particles.variants])
    solid = float((particles.mass / density[particles.variant]).sum()) if len(particles) else 0.0
    mass = float(particles.mass.sum())
    deforming = 0.5 * (faces.gradient + faces.gradient.T)
    rate = math.sqrt(2 * float((deforming**2).sum()))
    diameter = (6 / math.pi * solid / len(particles)) ** (1 / 3) if len(particles) else 0.0
    pressure = float(stress.pressure)
    inertial = rate * diameter * math.sqrt(mass / solid / pressure) if pressure > 0 else math.inf
    return CellState(
        edges=faces.edges.copy(), rate=faces.gradient.copy(), strain=0.5 * (faces.strain + faces.strain.T),
        stress=stress, solid_fraction=solid / volume,
        coordination=float(coordination_numbers(contacts, len(particles)).bodies.mean()) if len(particles) else 0.0,
        unbalanced=unbalanced(contacts, len(particles)), inertial_number=inertial if rate > 0 else 0.0,
    )  # fmt: skip


def unbalanced(contacts: ContactForces, count: int) -> float:
    """Mean resultant force on the particles that have contacts, over the mean force in a contact; 0 without contacts.

    Far below 1 an assembly is near equilibrium (P. A. Cundall, D. L. Strack, in: Mechanics of Granular Materials, 1983,
    137-149).
    """
    if not len(contacts.i):
        return 0.0
    force = np.linalg.norm(body_loads(contacts, count).force, axis=1)
    touched = np.zeros(count, bool)
    touched[contacts.i] = touched[contacts.j] = True
    mean = np.linalg.norm(contacts.force, axis=1).mean()
    return float(force[touched].mean() / mean) if mean > 0 else 0.0
