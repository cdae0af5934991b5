"""Flows of vortices: words for fields of `dem.kernels.fluid` that solve the equations of Navier and Stokes."""

from __future__ import annotations

from dataclasses import dataclass

from dem.base.typo_hints import hinted
from dem.model.contact.law_component import flag, kind, number
from dem.model.fluid.flows import Flow, inverse


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class TaylorGreenFlow(Flow):
    """Vortices about z, u = speed (sin kx cos ky, -cos kx sin ky, 0).

    Parameters
    ----------
    speed : float
        Largest [m/s].
    wavenumber : float
        k [1/m]; a vortex is π/k wide.
    decays : bool
        Whether they fade by their viscosity, as exp(-2 k² μ t/ρ).

    Raises
    ------
    ValueError
        For a wavenumber that is not positive.

    Examples
    --------
    >>> TaylorGreenFlow(speed=0.1, wavenumber=100.0).decays
    False
    """

    type: str = kind("taylor-green")
    speed: float = number("largest", unit="m/s", example=0.1)
    wavenumber: float = number("of the vortices", unit="1/m", above=0, example=100.0)
    decays: bool = flag("whether vortices fade by viscosity")

    def field(self, *, density: float, viscosity: float, **_: float) -> tuple:
        """See `Flow.field`."""
        from dem.kernels.fluid.taylor_green import TaylorGreen  # noqa: PLC0415, runs are read without numba

        decay = 2 * self.wavenumber**2 * viscosity / density if self.decays else 0.0
        return TaylorGreen(self.speed, self.wavenumber, decay)

    def shortest_time(self, viscosity: float) -> float:
        """See `Flow.shortest_time`."""
        fading = 2 * self.wavenumber**2 * viscosity if self.decays else 0.0
        return inverse(max(self.wavenumber * abs(self.speed), fading))


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class ABCFlow(Flow):
    """Arnold, Beltrami and Childress' flow, u = (a sin kz + c cos ky, b sin kx + a cos kz, c sin ky + b cos kx).

    Parameters
    ----------
    a, b, c : float
        [m/s].
    wavenumber : float
        k [1/m].
    decays : bool
        Whether it fades by its viscosity, as exp(-k² μ t/ρ).

    Raises
    ------
    ValueError
        For a wavenumber that is not positive.

    Examples
    --------
    >>> ABCFlow(a=0.1, b=0.1, c=0.1, wavenumber=100.0).b
    0.1
    """

    type: str = kind("abc")
    a: float = number("of sin kz in x and cos kz in y", unit="m/s", example=0.1)
    b: float = number("of sin kx in y and cos kx in z", unit="m/s", example=0.1)
    c: float = number("of sin ky in z and cos ky in x", unit="m/s", example=0.1)
    wavenumber: float = number("of the vortices", unit="1/m", above=0, example=100.0)
    decays: bool = flag("whether vortices fade by viscosity")

    def field(self, *, density: float, viscosity: float, **_: float) -> tuple:
        """See `Flow.field`."""
        from dem.kernels.fluid.beltrami import ABC  # noqa: PLC0415, runs are read without numba

        decay = self.wavenumber**2 * viscosity / density if self.decays else 0.0
        return ABC(self.a, self.b, self.c, self.wavenumber, decay)

    def shortest_time(self, viscosity: float) -> float:
        """See `Flow.shortest_time`."""
        fading = self.wavenumber**2 * viscosity if self.decays else 0.0
        return inverse(max(self.wavenumber * (abs(self.a) + abs(self.b) + abs(self.c)), fading))
