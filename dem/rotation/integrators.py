"""Rotational integrators: their names, properties and kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dem.base import checks
from dem.kernels import rotation as r
from dem.kernels.rotation.multistage import PCDMMidpoint, RungeKutta
from dem.rotation import AUTO, BONDED, DEFAULT, SPIN_ONLY

if TYPE_CHECKING:
    import numpy as np


class Integrator(NamedTuple):
    """Name, properties and kernels of a rotational integrator: a row of the table.

    Attributes
    ----------
    name : str
        Name, as of the argument `integrator` of `dem.Simulation`.
    scheme : tuple
        Type by which the kernels choose the scheme.
    order : int
        Order of convergence in the time step.
    torques : int
        Evaluations of the torque in a step; schemes with more than one are for single bodies, not for contacts.
    norm : str
        What keeps |q| = 1: "product" of unit quaternions, "division" by the norm, or "cayley map".
    energy : str
        Energy of a free body: "kept" to rounding, "bounded" in its error, or "drifts".
    momentum : str
        Angular momentum of a free body in the world frame, in the same words.
    reference : str
        Source, with the number of the equation.

    Examples
    --------
    >>> row = INTEGRATORS["splitting"]
    >>> row.order, row.torques, row.energy, row.momentum
    (2, 1, 'bounded', 'kept')
    """

    name: str
    scheme: tuple
    order: int
    torques: int
    norm: str
    energy: str
    momentum: str
    reference: str

    def scheme_for(self, inertia: np.ndarray, *, spheres: bool = False) -> tuple:
        """The scheme, or its faster form if all principal moments (3, G), or single spheres, permit it.

        Raises ValueError for a scheme of single spheres and other bodies.
        """
        if isinstance(self.scheme, r.Splitting) and bool((inertia[1] == inertia[2]).all()):
            return r.AxialSplitting()
        if isinstance(self.scheme, r.ImprovedPCDM) and spheres:
            return r.SphericalPCDM()
        if isinstance(self.scheme, r.SphericalSpin) and not spheres:
            message = (
                f"integrator {self.name} leaves orientations out, which only single spheres without bonds can do "
                f"without: choose another one, such as {DEFAULT}"
            )
            raise ValueError(message)
        return self.scheme


KEPT, BOUNDED, DRIFTS = "kept", "bounded", "drifts"
PRODUCT, DIVISION, CAYLEY = "product", "division", "cayley map"
ZHAO = "Zhao & van Wachem, Acta Mech. 224 (2013) 3091"
INTEGRATORS = {
    row.name: row
    for row in (
        Integrator("euler", r.Euler(), 1, 1, DIVISION, DRIFTS, DRIFTS, ZHAO + ", (31)"),
        Integrator("leapfrog", r.Leapfrog(), 2, 1, CAYLEY, DRIFTS, DRIFTS, ZHAO + ", (33); Walton & Braun"),
        Integrator("leapfrog-product", r.LeapfrogProduct(), 2, 1, CAYLEY, DRIFTS, DRIFTS, ZHAO + ", (35)"),
        Integrator("scalar-factor", r.ScalarFactor(), 1, 1, PRODUCT, DRIFTS, DRIFTS, ZHAO + ", (45); Kleppmann"),
        Integrator("direct-multiplication", r.DirectMultiplication(), 1, 1, PRODUCT, DRIFTS, DRIFTS, ZHAO + ", (50)"),
        Integrator("predictor-corrector", r.PredictorCorrector(), 2, 1, DIVISION, DRIFTS, DRIFTS, ZHAO + ", (54)"),
        Integrator("adams-bashforth", r.AdamsBashforth(), 2, 1, DIVISION, DRIFTS, DRIFTS, ZHAO + "; Mortensen et al."),
        Integrator("runge-kutta", RungeKutta(), 4, 4, DIVISION, DRIFTS, DRIFTS, ZHAO + "; classical"),
        Integrator("pcdm", r.PCDM(), 1, 1, PRODUCT, DRIFTS, DRIFTS, ZHAO + ", (55)-(63)"),
        Integrator("pcdm-midpoint", PCDMMidpoint(), 2, 2, PRODUCT, DRIFTS, DRIFTS, ZHAO + ", torque at n + 1/2"),
        Integrator(
            "improved-pcdm", r.ImprovedPCDM(), 2, 1, PRODUCT, DRIFTS, DRIFTS,
            "Seelen, Padding & Kuipers, Acta Mech. 227 (2016) 3565",
        ),
        Integrator(
            "quaternion-verlet", r.QuaternionVerlet(), 2, 1, CAYLEY, BOUNDED, KEPT,
            "Rozmanov & Kusalik, Phys. Rev. E 81 (2010) 056706",
        ),
        Integrator(
            "no-squish", r.NoSquish(), 2, 1, PRODUCT, BOUNDED, KEPT, "Miller et al., J. Chem. Phys. 116 (2002) 8649"
        ),
        Integrator("splitting", r.Splitting(), 2, 1, PRODUCT, BOUNDED, KEPT, "kernels/rotation/splitting.py"),
        Integrator(
            "spiral", r.Spiral(), 2, 1, PRODUCT, DRIFTS, DRIFTS,
            "del Valle et al., Comput. Phys. Commun. 297 (2024) 109077",
        ),
        Integrator("fincham", r.Fincham(), 2, 1, DIVISION, DRIFTS, KEPT, "Fincham, Mol. Simul. 8 (1992) 165"),
        Integrator("omelyan", r.Omelyan(), 2, 1, CAYLEY, DRIFTS, DRIFTS, "Omelyan, Phys. Rev. E 58 (1998) 1169"),
        Integrator("richardson", r.Richardson(), 2, 1, DIVISION, DRIFTS, KEPT, "LAMMPS, fix rigid"),
    )
}  # fmt: skip


# For simulations only: single spheres without orientations, which their contacts do not need
SPINS = Integrator(
    SPIN_ONLY, r.SphericalSpin(), 2, 1, "not integrated", DRIFTS, DRIFTS, f"{DEFAULT} of spheres, no orientations"
)
OF_SIMULATIONS = INTEGRATORS | {SPIN_ONLY: SPINS}


def integrator(name: str) -> Integrator:
    """Look up an integrator by name; raises ValueError with the nearest name."""
    return INTEGRATORS[checks.one_of("integrator", name, INTEGRATORS)]


def integrator_for_contacts(name: str, *, bonded: bool = False) -> Integrator:
    """Look up an integrator for a simulation, where forces are evaluated once per step.

    "auto" is `splitting` with bonds and `improved-pcdm` without, "spin-only" the latter of single spheres without their
    orientations; raises ValueError with the nearest name.

    Examples
    --------
    >>> integrator_for_contacts("auto").name, integrator_for_contacts("auto", bonded=True).name
    ('improved-pcdm', 'splitting')
    """
    if isinstance(name, str) and name == AUTO:
        name = BONDED if bonded else DEFAULT
    found = OF_SIMULATIONS[checks.one_of("integrator", name, OF_SIMULATIONS)]
    if found.torques > 1:
        message = (
            f"integrator {name} evaluates the torque {found.torques} times a step, a simulation once: use it in "
            "dem.integrate_rotation, or choose another one here"
        )
        raise ValueError(message)
    return found
