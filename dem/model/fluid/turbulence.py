"""Homogeneous isotropic turbulence along the paths of particles."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dem.base import checks
from dem.base.user_classes import hinted


@hinted
@dataclass(frozen=True)
class Turbulence:
    """A fluid whose velocity fluctuates along the path of each particle, and drags it along (`dem.StochasticSpheres`).

    Parameters
    ----------
    rms : float
        Root mean square of each component of the velocity fluctuation, σ_u [m/s].
    time_scale : float
        Lagrangian integral time scale of the fluid that particles see, T_L [s].
    viscosity : float
        Dynamic viscosity [Pa s]; drag is Stokes', the relaxation time of a sphere τ_p = m/(3 π μ d).
    velocity : (3,) floats
        Mean velocity of the fluid [m/s].

    Raises
    ------
    ValueError, TypeError
        For values out of range.

    Notes
    -----
    A Langevin process, du = -u/T_L dt + σ_u √(2/T_L) dW, one for each particle (J.-P. Minier & E. Peirano, Phys. Rep.
    352 (2001) 1). In the steady state, without collisions, <v²> = <u v> = σ_u²/(1 + τ_p/T_L) of each component (Tchen
    1947; Hinze, Turbulence (1975), ch. 5). Particles give nothing back.

    Examples
    --------
    >>> air = Turbulence(rms=0.5, time_scale=0.02, viscosity=1.8e-5)
    >>> round(air.relaxation_time(mass=1.3e-9, diameter=1e-4), 4)
    0.0766
    """

    rms: float
    time_scale: float
    viscosity: float
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check the values."""
        for name, unit in (("rms", "m/s"), ("time_scale", "s"), ("viscosity", "Pa s")):
            value = checks.number(name, getattr(self, name), above=0, unit=unit)
            object.__setattr__(self, name, value)
        object.__setattr__(self, "velocity", checks.vector("velocity", self.velocity, "of the fluid [m/s]"))

    def relaxation_time(self, mass: float, diameter: float) -> float:
        """Time in which drag takes all but 1/e of a sphere's velocity, m/(3 π μ d) [s]."""
        return mass / (3.0 * math.pi * self.viscosity * diameter)

    def correlation(self, relaxation_time: float, other: float | None = None) -> float:
        """Correlation of the velocities of two particles that are about to collide, R(St) [1].

        exp(-0.55 St^0.4) with St = τ_p/T_L (M. Sommerfeld, Int. J. Multiphase Flow 27 (2001) 1829); if the other one
        has another relaxation time, √(R_1 R_2): each has a part √R of its velocity in common with the eddy.

        Examples
        --------
        >>> air = Turbulence(rms=0.5, time_scale=1.0, viscosity=1.8e-5)
        >>> [round(air.correlation(stokes), 5) for stokes in (0.1, 1.0, 10.0, 100.0)]
        [0.80335, 0.57695, 0.25119, 0.03111]
        >>> round(air.correlation(0.1, 10.0), 5), round(air.correlation(10.0, 0.1), 5)
        (0.44922, 0.44922)
        """
        own = (relaxation_time / self.time_scale) ** 0.4
        theirs = own if other is None else (other / self.time_scale) ** 0.4
        return math.exp(-0.55 * 0.5 * (own + theirs))

    def step(self, relaxation_time: float, time_step: float) -> np.ndarray:
        """Coefficients (6,) of a time step of fluid and particle velocity: see `dem.kernels.dsmc.carrier_fluid`.

        The noise makes up what the matrix A = ((E, 0), (B, e)) leaves of the steady covariance S: S - A S A^T.
        """
        fast, slow = time_step / relaxation_time, time_step / self.time_scale
        kept, own = math.exp(-slow), math.exp(-fast)
        apart = fast - slow
        taken = (
            fast * own * (math.expm1(apart) / apart if abs(apart) > 1e-300 else 1.0)
            if apart < 700
            else fast / apart * kept
        )
        followed = 1.0 / (1.0 + relaxation_time / self.time_scale)  # <v²>/σ_u²
        a, s = np.array([[kept, 0.0], [taken, own]]), np.array([[1.0, followed], [followed, followed]])
        noise = s - np.einsum("ij,jk,lk->il", a, s, a)
        first = math.sqrt(max(noise[0, 0], 0.0))
        mixed = noise[0, 1] / first if first > 0 else 0.0
        rest = math.sqrt(max(noise[1, 1] - mixed * mixed, 0.0))
        return np.array([kept, taken, own, self.rms * first, self.rms * mixed, self.rms * rest])
