"""Flow fields for users; the formulae are in `dem.kernels.fluid`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from dem.base import portable
from dem.base.user_classes import hinted
from dem.model.contact.law_component import arguments, check_values, flag, kind, number, shown, towards, vector

if TYPE_CHECKING:
    from typing import ClassVar

AXES = {"x": 0, "y": 1, "z": 2}
STILL = (0.0, 0.0, 0.0)


class Flow:
    """Base class of velocity fields; subclasses convert them for the kernels."""

    BOUNDED: ClassVar[bool] = False  # whether it is known somewhere only
    ARRAYS: ClassVar[tuple[str, ...]] = ()  # what of it files hold apart
    KERNEL: ClassVar[str] = ""  # its field in `dem.kernels.fluid`, as module.name

    arguments, __repr__ = arguments, shown

    def __post_init__(self) -> None:
        """Check all values."""
        check_values(self)
        self._fits()

    def _fits(self) -> None:
        """Refuse values that contradict each other; raises ValueError."""

    def field(self, *, density: float, viscosity: float, length: float, time: float) -> tuple:
        """A field of `dem.kernels.fluid` in a fluid [kg/m³, Pa s]; length, time: least diameter [m], time step [s]."""
        module, _, name = self.KERNEL.partition(".")  # imported here, since runs are read without numba
        return getattr(import_module(f"dem.kernels.fluid.{module}"), name)(*self._numbers(density, viscosity))

    def _numbers(self, density: float, viscosity: float) -> tuple:
        """Numbers of the field of `dem.kernels.fluid`, in a fluid [kg/m³, Pa s]."""
        raise NotImplementedError

    def shortest_time(self, viscosity: float) -> float:
        """Shortest time in which the flow changes for a particle that moves or turns with it [s]; 0 if unknown.

        The kinematic viscosity [m²/s] is that of the fluid.
        """
        rate = self._largest_rate(viscosity)
        return 1 / abs(rate) if rate else math.inf

    def _largest_rate(self, viscosity: float) -> float:
        """Largest rate of change of the flow along the path of a particle [1/s]; infinite if unknown.

        The kinematic viscosity [m²/s] is that of the fluid.
        """
        return math.inf

    def outside(self, position: np.ndarray) -> np.ndarray:
        """Whether positions (N, 3) are outside of the field (N,)."""
        return np.zeros(len(position), bool)

    def _axis(self, name: str) -> np.ndarray:
        """Unit vector of an axis (x, y, z) or a direction."""
        value = getattr(self, name)
        if isinstance(value, str):
            return np.eye(3)[AXES[value]]
        return np.array(value) / portable.length(value)

    def _check_right_angles(self, one: str, other: str) -> None:
        """Refuse directions that are not perpendicular."""
        if abs(self._axis(one) @ self._axis(other)) > 1e-12:
            values = f"{one} is {getattr(self, one)} and {other} {getattr(self, other)}"
            raise ValueError(f"{values}, expected two at right angles")


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class UniformFlow(Flow):
    """Uniform velocity, constant or oscillating: u = velocity + amplitude sin(2π frequency t + phase).

    Parameters
    ----------
    velocity : (3,) floats
        [m/s].
    amplitude : (3,) floats
        Amplitude of an oscillation of the velocity [m/s].
    frequency, phase : float
        Frequency and phase of the oscillation [Hz, rad].

    Raises
    ------
    ValueError
        For values that are not finite.

    Examples
    --------
    >>> UniformFlow(velocity=(0, 0, 0.1)).velocity
    (0.0, 0.0, 0.1)
    """

    KERNEL = "uniform.Uniform"
    type: str = kind("uniform")
    velocity: tuple[float, float, float] = vector("everywhere", unit="m/s", default=STILL, example=(0.0, 0.0, 0.1))
    amplitude: tuple[float, float, float] = vector(
        "of an oscillation", unit="m/s", default=STILL, example=(0.1, 0.0, 0.0)
    )
    frequency: float = number("of the oscillation", unit="Hz", least=0, default=0.0, example=50.0)
    phase: float = number("of the oscillation", unit="rad", default=0.0, example=0.0)

    def _numbers(self, density: float, viscosity: float) -> tuple:
        return self.velocity, self.amplitude, 2 * math.pi * self.frequency, self.phase

    def _largest_rate(self, viscosity: float) -> float:
        return 2 * math.pi * self.frequency if any(self.amplitude) else 0.0


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class ShearFlow(Flow):
    """A velocity along one direction that grows along another, u = velocity + rate ((x - centre)·gradient) direction.

    Parameters
    ----------
    rate : float
        [1/s].
    direction, gradient : "x", "y", "z" or (3,) floats
        Perpendicular to each other.
    centre : (3,) floats
        Point at which the fluid has `velocity` [m].
    velocity : (3,) floats
        [m/s].

    Raises
    ------
    ValueError
        For directions that are not perpendicular.

    Examples
    --------
    >>> ShearFlow(rate=10.0)
    ShearFlow(rate=10.0, direction='x', gradient='y', centre=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0))
    """

    KERNEL = "linear.LinearFlow"
    type: str = kind("shear")
    rate: float = number("of shear", unit="1/s", example=10.0)
    direction: str | tuple[float, float, float] = towards("of the flow", "x")
    gradient: str | tuple[float, float, float] = towards("along which it grows", "y")
    centre: tuple[float, float, float] = vector("where it has velocity", unit="m", default=STILL, example=STILL)
    velocity: tuple[float, float, float] = vector("at the centre", unit="m/s", default=STILL, example=(0.0, 0.0, 0.1))

    def _fits(self) -> None:
        self._check_right_angles("direction", "gradient")

    def _numbers(self, density: float, viscosity: float) -> tuple:
        slope = self.rate * np.outer(self._axis("direction"), self._axis("gradient"))
        return self.velocity, tuple(slope.ravel().tolist()), self.centre

    def _largest_rate(self, viscosity: float) -> float:
        return self.rate


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class CellFlow(Flow):
    """The affine flow of a `dem.Cell`, u = L r, with the velocity gradient L that the cell has at each step.

    It is the only flow that is the same around all images of a particle in a cell. The velocity relative to the fluid
    is the peculiar velocity of a particle with the sign changed, so that drag relaxes particles to the affine motion.
    Spheres come to turn with half the vorticity, ½ ∇×(L r), and other particles in Jeffery's orbits. The acceleration
    (dL/dt + L L) r of the flow exerts no pressure, as it is left out of the motion of particles in a cell as well: in
    simple shear it is zero. The laws are evaluated at every step. The stress that the cell holds is that of the
    particles, without the fluid (effective stress).

    Examples
    --------
    A sphere in Stokes flow loses its peculiar velocity v as dv/dt = -v/τ - L v:

    >>> import dem
    >>> ball = dem.Particles(
    ...     dem.Sphere(diameter=1e-3),
    ...     dem.Material(young=1e7, poisson=0.3, density=2500.0),
    ...     position=[[5e-3, 5e-3, 5e-3]],
    ...     velocity=[[0.0, 0.1, 0.0]],
    ... )
    >>> cell = dem.Cell.shear((1e-2, 1e-2, 1e-2), rate=10.0)
    >>> oil = dem.Fluid(density=1000.0, viscosity=0.1, velocity=CellFlow(), drag="stokes", added_mass=False)
    >>> sim = dem.Simulation(ball, cell, gravity=(0, 0, 0), fluid=oil, time_step=1e-5)
    >>> sim.step(100)  # τ = 1.39 ms
    >>> sim.particles.velocity.round(5).tolist()
    [[-0.00049, 0.04868, 0.0]]
    """

    KERNEL = "affine.AffineFlow"
    type: str = kind("cell")

    def _numbers(self, density: float, viscosity: float) -> tuple:
        return (np.zeros((3, 3)),)


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class RotatingFlow(Flow):
    """A fluid that turns like a solid, u = angular_velocity × (x - centre).

    Parameters
    ----------
    angular_velocity : (3,) floats
        [rad/s].
    centre : (3,) floats
        A point of the axis [m].

    Raises
    ------
    ValueError
        For values that are not finite.

    Examples
    --------
    >>> RotatingFlow(angular_velocity=(0, 0, 5)).centre
    (0.0, 0.0, 0.0)
    """

    KERNEL = "linear.LinearFlow"
    type: str = kind("rotating")
    angular_velocity: tuple[float, float, float] = vector("of the fluid", unit="rad/s", example=(0.0, 0.0, 5.0))
    centre: tuple[float, float, float] = vector("a point of the axis", unit="m", default=STILL, example=STILL)

    def _numbers(self, density: float, viscosity: float) -> tuple:
        x, y, z = self.angular_velocity
        return (0.0, 0.0, 0.0), (0.0, -z, y, z, 0.0, -x, -y, x, 0.0), self.centre

    def _largest_rate(self, viscosity: float) -> float:
        return math.hypot(*self.angular_velocity)


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class ChannelFlow(Flow):
    """Laminar flow between two plates, u = peak (1 - s²/half_gap²) along a direction; s from the midplane.

    Parameters
    ----------
    peak : float
        Velocity in the middle [m/s], 3/2 of the mean.
    half_gap : float
        Half the distance of the plates [m].
    direction, normal : "x", "y", "z" or (3,) floats
        Direction of the flow, and normal of the plates, perpendicular to each other.
    centre : (3,) floats
        A point of the midplane [m].

    Raises
    ------
    ValueError
        For a gap that is not positive, or directions that are not perpendicular.

    Examples
    --------
    >>> ChannelFlow(peak=0.15, half_gap=0.01).direction
    'x'
    """

    KERNEL = "poiseuille.PlaneChannel"
    type: str = kind("channel")
    peak: float = number("velocity in the middle", unit="m/s", example=0.15)
    half_gap: float = number("half the distance of the plates", unit="m", above=0, example=0.01)
    direction: str | tuple[float, float, float] = towards("of the flow", "x")
    normal: str | tuple[float, float, float] = towards("of the plates", "z")
    centre: tuple[float, float, float] = vector("a point of the midplane", unit="m", default=STILL, example=STILL)

    def _fits(self) -> None:
        self._check_right_angles("direction", "normal")

    def _numbers(self, density: float, viscosity: float) -> tuple:
        e, n = (tuple(self._axis(name).tolist()) for name in ("direction", "normal"))
        return self.peak, e, n, self.centre, self.half_gap

    def _largest_rate(self, viscosity: float) -> float:
        return 2 * self.peak / self.half_gap


@hinted
@dataclass(frozen=True, kw_only=True, repr=False)
class PipeFlow(Flow):
    """Laminar flow in a round pipe, u = peak (1 - s²/radius²) along its axis; s from the axis.

    Parameters
    ----------
    peak : float
        Velocity on the axis [m/s], twice the mean.
    radius : float
        [m].
    direction : "x", "y", "z" or (3,) floats
        Direction of the axis.
    centre : (3,) floats
        A point of the axis [m].

    Raises
    ------
    ValueError
        For a radius that is not positive.

    Examples
    --------
    >>> PipeFlow(peak=0.2, radius=0.01, direction="z").peak
    0.2
    """

    KERNEL = "poiseuille.Pipe"
    type: str = kind("pipe")
    peak: float = number("velocity in the middle", unit="m/s", example=0.15)
    radius: float = number("of the pipe", unit="m", above=0, example=0.01)
    direction: str | tuple[float, float, float] = towards("of the flow", "x")
    centre: tuple[float, float, float] = vector("a point of the axis", unit="m", default=STILL, example=STILL)

    def _numbers(self, density: float, viscosity: float) -> tuple:
        return self.peak, tuple(self._axis("direction").tolist()), self.centre, self.radius

    def _largest_rate(self, viscosity: float) -> float:
        return 2 * self.peak / self.radius


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

    KERNEL = "taylor_green.TaylorGreen"
    type: str = kind("taylor-green")
    speed: float = number("largest", unit="m/s", example=0.1)
    wavenumber: float = number("of the vortices", unit="1/m", above=0, example=100.0)
    decays: bool = flag("whether vortices fade by viscosity")

    def _numbers(self, density: float, viscosity: float) -> tuple:
        decay = 2 * self.wavenumber**2 * viscosity / density if self.decays else 0.0
        return self.speed, self.wavenumber, decay

    def _largest_rate(self, viscosity: float) -> float:
        fading = 2 * self.wavenumber**2 * viscosity if self.decays else 0.0
        return max(self.wavenumber * abs(self.speed), fading)


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

    KERNEL = "beltrami.ABC"
    type: str = kind("abc")
    a: float = number("of sin kz in x and cos kz in y", unit="m/s", example=0.1)
    b: float = number("of sin kx in y and cos kx in z", unit="m/s", example=0.1)
    c: float = number("of sin ky in z and cos ky in x", unit="m/s", example=0.1)
    wavenumber: float = number("of the vortices", unit="1/m", above=0, example=100.0)
    decays: bool = flag("whether vortices fade by viscosity")

    def _numbers(self, density: float, viscosity: float) -> tuple:
        decay = self.wavenumber**2 * viscosity / density if self.decays else 0.0
        return self.a, self.b, self.c, self.wavenumber, decay

    def _largest_rate(self, viscosity: float) -> float:
        fading = self.wavenumber**2 * viscosity if self.decays else 0.0
        return max(self.wavenumber * (abs(self.a) + abs(self.b) + abs(self.c)), fading)
