"""Pressure of solids, for spheres whose contacts are not resolved."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dem.base import checks
from dem.base.user_classes import hinted


@hinted
@dataclass(frozen=True, kw_only=True)
class SolidsPressure:
    """Pressure between spheres that collide at random (`dem.StochasticSpheres`), as in MP-PIC: τ = P φ^β/(φ_cp - φ).

    S. E. Harris, D. G. Crighton, J. Fluid Mech. 266 (1994) 243; D. M. Snider, J. Comput. Phys. 170 (2001) 523. With
    max(φ_cp - φ, ε (1 - φ)) in place of the difference. It is a model of how dense flows spread, not of contacts: heaps
    have no angle of repose, and it carries no shear.

    Parameters
    ----------
    scale : float
        P [Pa]. The deeper a heap is to be, the more: where ρ g h weighs on it, φ_cp - φ is about P φ^(β - 1)/(ρ g h).
    exponent : float
        β, 2 to 5.
    packing : float
        φ_cp, solid fraction of close packing.
    softness : float
        ε: as near as that to close packing τ grows no more as one over the distance. The smaller, the shorter time
        steps may have to be.

    Raises
    ------
    ValueError, TypeError
        For values out of range.

    Examples
    --------
    >>> SolidsPressure(scale=10.0)
    SolidsPressure(scale=10.0, exponent=2.0, packing=0.6, softness=0.001)
    >>> round(SolidsPressure(scale=10.0).at(0.5), 9)  # Pa
    25.0
    """

    scale: float
    exponent: float = 2.0
    packing: float = 0.6
    softness: float = 1e-3

    def __post_init__(self) -> None:
        """Check the values."""
        limits = {
            "scale": {"above": 0, "unit": "Pa"}, "exponent": {"least": 1, "most": 10},
            "packing": {"above": 0, "most": 0.62}, "softness": {"above": 0, "most": 0.1},
        }  # fmt: skip
        for name, limit in limits.items():
            object.__setattr__(self, name, checks.number(name, getattr(self, name), **limit))

    def at(self, fraction: float) -> float:
        """Solids pressure τ [Pa] at a solid fraction; raises ValueError unless it is at least 0 and below 1."""
        fraction = checks.number("fraction", fraction, least=0, most=math.nextafter(1.0, 0.0))
        return self.scale * fraction**self.exponent / max(self.packing - fraction, self.softness * (1 - fraction))
