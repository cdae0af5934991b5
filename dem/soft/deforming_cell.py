"""A periodic cell that deforms: gains of its stress control, its state, and the measures of an element test.

The control itself is `choose_rates` of `dem.kernels.domain.deforming_cell`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dem.base.portable import determinant, times
from dem.kernels.domain.deforming_cell import COLUMNS, CONTACT, KINETIC, LARGEST_STRAIN
from dem.model.contact.contact_forces import ContactForces
from dem.model.domain.box import AXES
from dem.statistics.cell_state import CellState
from dem.statistics.contacts import fabric
from dem.statistics.forces import Stress, body_loads, coordination_numbers

if TYPE_CHECKING:
    from dem.kernels.domain.deforming_cell import DeformingFaces
    from dem.kernels.soft.state import Bodies, Kinds
    from dem.model.particles.particles import Particles
    from dem.soft.neighbour_lists import Skins

# what does not follow from the edges
HISTORY = ("gradient", "next_gradient", "strain", "virial", "integral", "inertia", "edge_speed")
STATE = ("edges", "to_scaled", "length", "inverse", *HISTORY)  # that a run goes on from
QUASI_STATIC = 1e-3  # inertial number of the fastest rate that holds a stress, unless one is given
BAND = 0.05  # excess of stress, over the largest that is held, at which the rate is the fastest
INTEGRAL_BAND = 0.25  # excess, likewise, up to which it counts in the integral; wider than stresses of flows fluctuate
# in which a packing of the stiffness K = E*^2/3 p^1/3, as of Hertz spheres, takes up an excess of stress; in fewer,
# dashpots that feel the rate make it alternate from step to step
SETTLING_STEPS = 50
# integral time of the control, over the response time 1/(g K) at that stiffness K; a control whose integral time is
# four response times is damped critically, which a packing as it fails, softer than K, still almost is
RESPONSES = 20


def prepare(
    faces: DeformingFaces, bodies: Bodies, kinds: Kinds, skins: Skins, reach: float, *, chunks: int, dt: float
) -> DeformingFaces:
    """Domain with the fields that depend on particles: range of the lists, sums by chunk, and stress control.

    Raises ValueError if the cell could deform by more than a tenth in a time step.
    """
    faces.reach[0] = 2 * float(kinds.bounding_radius.max()) + 2 * skins.neighbours + reach
    set_default_control(faces, bodies, kinds, dt)
    largest = np.abs(np.where(faces.held > 0, faces.fastest[0], faces.rates)).sum(axis=(1, 2)).max()
    if not largest * dt < LARGEST_STRAIN:
        message = (
            f"the cell may deform at {largest:.3g} 1/s, by {largest * dt:.3g} in a time step of {dt:g} s, expected "
            f"less than {LARGEST_STRAIN:g}: lower time_step, rate or fastest"
        )
        raise ValueError(message)
    return faces._replace(parts=np.zeros((chunks, COLUMNS), np.int64))


def set_default_control(faces: DeformingFaces, bodies: Bodies, kinds: Kinds, dt: float) -> None:
    """Set the parameters of stress control that were not given: largest rate, gain, inertia, integral time."""
    if not faces.held.any():
        return
    largest = np.abs(faces.target).max()
    if not faces.fastest[0] > 0:
        mass, bound = kinds.mass[bodies.kind].sum(), kinds.bounding_radius[bodies.kind]
        density = mass / (4 / 3 * math.pi * (bound**3).sum())
        faces.fastest[0] = QUASI_STATIC * math.sqrt(largest / density) / (2 * bound.mean())
    modulus = float(kinds.modulus.max())
    stiffness = modulus * min((largest / modulus) ** (1 / 3), 1.0) if largest > 0 else modulus
    if not faces.gain[0] > 0:
        stable = 1 / (SETTLING_STEPS * stiffness * dt)
        faces.gain[0] = min(faces.fastest[0] / (BAND * largest), stable) if largest > 0 else stable
    size, response_time = abs(determinant(faces.edges)) ** (1 / 3), SETTLING_STEPS * dt
    if faces.inertia[0] < 0:
        faces.inertia[0] = size * stiffness * response_time**2
    if faces.inertia[1] < 0:
        faces.inertia[1] = 2 * faces.inertia[0] / response_time
    faces.integral_time[0] = RESPONSES / (faces.gain[0] * stiffness)
    faces.integral_band[0] = min(faces.fastest[0] / faces.gain[0], INTEGRAL_BAND * largest or math.inf)


def state(faces: DeformingFaces) -> dict[str, np.ndarray]:
    """Arrays of the cell from which a run continues, by name."""
    return {name: getattr(faces, name) for name in STATE}


def continue_from(faces: DeformingFaces, before: DeformingFaces) -> None:
    """Copy the history of the cell of another engine; its edges are those of the box already."""
    for name in HISTORY:
        getattr(faces, name)[:] = getattr(before, name)


def restore(faces: DeformingFaces, given: dict[str, np.ndarray]) -> None:
    """Restore a state of the cell, with the units of stress of another engine."""
    for name in (*STATE, "unit"):
        getattr(faces, name)[:] = given[name]


def grid_stretch(faces: DeformingFaces) -> float:
    """Upper bound of the ratio of two distances, in `grid_space` and in space; 1 in a cell at right angles.

    By S. Gershgorin's theorem, of the matrix of cosines between the normals of faces.
    """
    normals = faces.to_scaled * faces.length[:, None]
    return math.sqrt(float(np.abs(times(normals, normals.T)).sum(axis=1).max()))


def fitting_skins(faces: DeformingFaces, skins: Skins, reach: float, step: int) -> Skins:
    """Skins of the next list, shorter where the cell has become small, so that nearest images are unique.

    Particles meet up to `reach` apart [m]. Raises ValueError if the cell is too small even without a skin.
    """
    narrowest = float(faces.length.min())
    room = narrowest / 2 - reach
    if not room > skins.candidates:
        message = (
            f"opposite faces of the cell are {narrowest:.6g} m apart at step {step}, expected more than "
            f"{2 * (reach + skins.candidates):.6g} m, as particles would meet two images of others: begin with a "
            "larger cell"
        )
        raise ValueError(message)
    return skins._replace(neighbours=min(skins.neighbours, room))


def state_of(
    faces: DeformingFaces, contacts: ContactForces, bonds: ContactForces | None, particles: Particles
) -> CellState:
    """State of a cell with these contacts, forces of bonds, and particles."""
    return CellState(
        edges=faces.edges.copy(), rate=faces.gradient.copy(), strain=0.5 * (faces.strain + faces.strain.T),
        stress=stress_of(faces), solid_fraction=solid_volume(particles) / abs(determinant(faces.edges)),
        coordination=float(coordination_numbers(contacts, len(particles)).bodies.mean()) if len(particles) else 0.0,
        unbalanced=unbalanced(contacts, bonds, len(particles)), inertial_number=inertial_number(faces, particles),
        fabric=fabric(contacts).tensor if len(contacts.i) else np.zeros((3, 3)),
    )  # fmt: skip


def stress_of(faces: DeformingFaces) -> Stress:
    """Stress at the whole step."""
    volume = abs(determinant(faces.edges))
    return Stress(faces.virial[CONTACT] / volume, faces.virial[KINETIC] / volume)


def solid_volume(particles: Particles) -> float:
    """Volume of all particles [m³]."""
    density = np.array([material.density for _, material in particles.variants])
    return float((particles.mass / density[particles.variant]).sum()) if len(particles) else 0.0


def inertial_number(faces: DeformingFaces, particles: Particles) -> float:
    """γ̇ d √(ρ/p) with γ̇ = √(2 D:D) of the rate D and the diameter d of a mean volume; infinite without pressure."""
    deforming = 0.5 * (faces.gradient + faces.gradient.T)
    rate, pressure = math.sqrt(2 * float((deforming**2).sum())), float(stress_of(faces).pressure)
    if not rate > 0:
        return 0.0
    if not pressure > 0:
        return math.inf
    solid = solid_volume(particles)
    diameter = (6 / math.pi * solid / len(particles)) ** (1 / 3)
    return rate * diameter * math.sqrt(float(particles.mass.sum()) / solid / pressure)


def remarks(faces: DeformingFaces, particles: Particles) -> tuple[str, ...]:
    """Remarks for the verdict: an inertial number that is not quasi-static, prescribed stresses not reached."""
    found, inertial, stress = [], inertial_number(faces, particles), stress_of(faces).total
    if QUASI_STATIC < inertial < math.inf:
        found.append(f"the cell deforms at an inertial number of {inertial:.2g}, quasi-static up to {QUASI_STATIC:g}")
    largest, missed = np.abs(faces.target).max(), []
    for a, b in zip(*np.nonzero(faces.held), strict=True):
        present, target = 0.5 * (stress[a, b] + stress[b, a]), faces.target[a, b]
        if abs(present - target) > BAND * largest:
            missed.append(f"{AXES[a]}{AXES[b]} is {present:.4g} Pa of {target:.4g} Pa")
    if missed:
        found.append(
            f"stresses that are held are not reached, with rates up to {faces.fastest[0]:.3g} 1/s: "
            f"{', '.join(missed)}: go on with the run, or raise fastest"
        )
    return tuple(found)


def unbalanced(contacts: ContactForces, bonds: ContactForces | None, count: int) -> float:
    """Mean resultant force on the particles that have contacts or bonds, over the mean force in these; 0 without any.

    Far below 1 an assembly is near equilibrium (P. A. Cundall, D. L. Strack, in: Mechanics of Granular Materials, 1983,
    137-149).
    """
    if bonds is not None:
        contacts = ContactForces.concatenate([contacts, bonds])
    if not len(contacts.i):
        return 0.0
    force = np.linalg.norm(body_loads(contacts, count).force, axis=1)
    touched = np.zeros(count, bool)
    touched[contacts.i] = touched[contacts.j] = True
    mean = np.linalg.norm(contacts.force, axis=1).mean()
    return float(force[touched].mean() / mean) if mean > 0 else 0.0
