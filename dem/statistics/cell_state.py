"""Results of an element test in a deforming cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.portable import determinant
from dem.statistics.contacts import fabric_anisotropy

if TYPE_CHECKING:
    from dem.statistics.forces import Stress


class CellState(NamedTuple):
    """State of a deforming cell and of the particles in it, at one time or at T times.

    `Simulation.cell`, `Frame.cell` and `Trajectory.cell` return it.

    Attributes
    ----------
    edges : (..., 3, 3) array
        Edges of the cell, in columns [m].
    rate : (..., 3, 3) array
        Velocity gradient L of the last step [1/s].
    strain : (..., 3, 3) array
        ∫ (L + Lᵀ)/2 dt since the start; negative on the diagonal in compression.
    stress : Stress
        Stress of contacts, bonds and films, and of motion (..., 3, 3), positive in compression [Pa]. That of motion is
        Σ m v⊗v/V of the peculiar velocities v, a common drift included; `dem.statistics.stress` leaves it out.
    solid_fraction : float or (...) array
        Volume of the particles over that of the cell.
    coordination : float or (...) array
        Mean number of others that a particle touches; several contacts of the same two count once.
    unbalanced : float or (...) array
        Mean resultant force on the particles that have contacts or bonds, over the mean force in these.
    inertial_number : float or (...) array
        γ̇ d √(ρ/p), with γ̇ = √(2 D:D) of the rate of deformation D; infinite without pressure.
    fabric : (..., 3, 3) array
        Mean of n ⊗ n over the normals n of contacts; zero without contacts.

    Examples
    --------
    >>> from dem.statistics import Stress
    >>> stress = Stress(contact=np.diag([1e4, 1e4, 4e4]), kinetic=np.zeros((3, 3)))
    >>> still = np.zeros((3, 3))
    >>> state = CellState(0.1 * np.eye(3), still, still, stress, 0.625, 5.2, 1e-3, 1e-4, np.eye(3) / 3)
    >>> round(state.void_ratio, 12), state.deviatoric_stress, state.stress.pressure, state.anisotropy
    (0.6, 30000.0, np.float64(20000.0), 0.0)
    """

    edges: np.ndarray
    rate: np.ndarray
    strain: np.ndarray
    stress: Stress
    solid_fraction: np.ndarray | float
    coordination: np.ndarray | float
    unbalanced: np.ndarray | float
    inertial_number: np.ndarray | float
    fabric: np.ndarray

    @property
    def volume(self) -> np.ndarray | float:
        """Volume of the cell [m³]."""
        return np.abs(determinant(self.edges))

    @property
    def void_ratio(self) -> np.ndarray | float:
        """Void ratio: volume of voids over that of particles; infinite without particles."""
        with np.errstate(divide="ignore"):
            ratio = 1 / np.asarray(self.solid_fraction) - 1
        return ratio if ratio.ndim else float(ratio)

    @property
    def deviatoric_stress(self) -> np.ndarray | float:
        """Deviatoric stress q = √(3/2 s:s) of the deviator s = P - p I [Pa]: |σ₁ - σ₃| in a triaxial test."""
        total, pressure = self.stress.total, np.asarray(self.stress.pressure)
        deviator = 0.5 * (total + np.swapaxes(total, -1, -2)) - pressure[..., None, None] * np.eye(3)
        q = np.sqrt(1.5 * (deviator**2).sum(axis=(-2, -1)))
        return q if q.ndim else float(q)

    @property
    def anisotropy(self) -> np.ndarray | float:
        """Anisotropy of the fabric tensor, see `dem.statistics.fabric`."""
        return fabric_anisotropy(self.fabric)


def principal_stresses(stress: np.ndarray) -> np.ndarray:
    """Principal stresses, the largest first: eigenvalues of the symmetric part of stress tensors.

    Parameters
    ----------
    stress : (..., 3, 3) array
        Positive in compression [Pa].

    Returns
    -------
    (..., 3) array
        σ₁ ≥ σ₂ ≥ σ₃ [Pa].

    Examples
    --------
    >>> principal_stresses(np.array([[2.0, 1, 0], [1, 2, 0], [0, 0, 5]])).round(12)
    array([5., 3., 1.])
    """
    return np.linalg.eigvalsh(0.5 * (stress + np.swapaxes(stress, -1, -2)))[..., ::-1]
