"""Lubrication: resistance of a fluid film between approaching surfaces."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dem.base.user_classes import hinted
from dem.model.contact.law_component import arguments, check_values, kind, number, shown


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class Lubrication:
    """Resistance of a fluid between surfaces that approach each other or part, over a small gap h.

    F = -6π μ R*² v_n (1/h - 1/h_0) with R* = R_i R_j/(R_i + R_j), at a face of the box R (Brenner 1961; Cox 1974; the
    difference from the gap h_0 on, as in N.-Q. Nguyen, A. J. C. Ladd, Phys. Rev. E 66 (2002) 046708: beyond, drag has
    it). Below the roughness, and while surfaces touch, the gap counts as that. What the film takes is booked as
    dissipated; contact forces are listed of what touches.

    Parameters
    ----------
    roughness : float
        Smallest gap [m], where asperities meet.
    reach : float
        Largest gap h_0 over R*; the formula is for small ones.

    Raises
    ------
    ValueError
        If a value is out of range.

    Examples
    --------
    >>> Lubrication(roughness=1e-6)
    Lubrication(roughness=1e-06, reach=0.1)
    >>> film = Lubrication(roughness=1e-6)
    >>> round(film.rate(viscosity=1e-3, radius=1e-3, mass=1e-6), 3)  # 6 π μ R*²/(m* h) at h = 1 µm
    18849.556
    """

    type: str = kind("lubrication")
    roughness: float = number("smallest gap, where asperities meet", unit="m", above=0, example=1e-6)
    reach: float = number("largest gap over the effective radius", above=0, default=0.1, example=0.1)

    arguments, __repr__, __post_init__ = arguments, shown, check_values

    def film(self, viscosity: float, largest: float, rows: int) -> tuple:
        """Law component for a number of materials and the wall, in a fluid of some viscosity [Pa s].

        Raises ValueError if gaps above the roughness are too large even for the largest R* [m].
        """
        from dem.kernels import laws  # noqa: PLC0415, runs are read without numba

        if self.roughness >= self.reach * largest:
            raise ValueError(
                f"roughness is {self.roughness:g} m, but films begin at gaps of {self.reach * largest:.3g} m, reach "
                "times the largest R*, at most: lower roughness, or raise reach"
            )
        tables = (np.full((rows, rows), value) for value in (6 * math.pi * viscosity, self.roughness, self.reach))
        return laws.Film(*tables, farthest=self.reach * largest)

    def rate(self, viscosity: float, radius: float, mass: float) -> float:
        """Rate [1/s] at which the thinnest film damps the velocity of a pair of effective radius [m] and mass [kg]."""
        return 6 * math.pi * viscosity * radius**2 / self.roughness / mass
