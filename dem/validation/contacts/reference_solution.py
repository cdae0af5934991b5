"""Independent solution of one impact: the contact law as an ordinary differential equation, integrated with fine steps.

Nothing of the engine is used: a planar impact of two spheres, or of a sphere and a wall, with the laws as published, by
the classical Runge-Kutta method, many impacts at a time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import dem
from dem.model.contact.restitution import damping

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class ReferenceBall:
    """A sphere of one material."""

    radius: float
    material: dem.Material

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        return 4 / 3 * math.pi * self.radius**3 * self.material.density


class After(NamedTuple):
    """State after the impact, each (B,): velocities along the normal and tangent, and spins."""

    normal: np.ndarray  # of the first ball, positive away from the second [m/s]
    tangential: np.ndarray  # of the first ball [m/s]
    spin: np.ndarray  # of the first ball [rad/s]
    other_spin: np.ndarray  # of the second ball [rad/s]
    slip: np.ndarray  # of the surfaces, with the radii as levers [m/s]
    duration: np.ndarray  # time in contact [s]


def stiffness(one: ReferenceBall, other: ReferenceBall | dem.Material) -> float:
    """K = 4/3 E* √R* of Hertz's law (Johnson 1985, eq. 4.23); a Material is a flat wall."""
    material = other.material if isinstance(other, ReferenceBall) else other
    modulus = 1 / sum((1 - m.poisson**2) / m.young for m in (one.material, material))
    curvature = 1 / one.radius + (1 / other.radius if isinstance(other, ReferenceBall) else 0.0)
    return 4 / 3 * modulus / math.sqrt(curvature)


def reduced_mass(one: ReferenceBall, other: ReferenceBall | dem.Material) -> float:
    """m* of two balls, or of a ball and a wall [kg]."""
    return 1 / (1 / one.mass + (1 / other.mass if isinstance(other, ReferenceBall) else 0.0))


def hertz_impact(one: ReferenceBall, other: ReferenceBall | dem.Material, speed: float) -> tuple[float, float]:
    """Largest overlap (5 m* v²/(4 K))^(2/5) and duration 2 √π Γ(7/5)/Γ(9/10) δ/v of an elastic normal impact."""
    overlap = (1.25 * reduced_mass(one, other) * speed**2 / stiffness(one, other)) ** 0.4
    return overlap, 2 * math.sqrt(math.pi) * math.gamma(1.4) / math.gamma(0.9) * overlap / speed


@dataclass(frozen=True)
class ReferenceLaw:
    """Parameters of the equations of an impact; a wall is a second ball without curvature and of infinite mass."""

    stiffness: float  # K [N m^-1.5]
    mass: float  # m* [kg]
    damping: float  # α
    friction: float  # μ
    shear: float  # k_t/(K √δ) = 6 G*/E*
    radii: tuple[float, float]  # the wall's is zero [m]
    spin_up: tuple[float, float]  # 1/I [1/(kg m²)]
    wall: bool


def law(one: ReferenceBall, other: ReferenceBall | dem.Material, contact: dem.Contact) -> ReferenceLaw:
    """Coefficients of Hertz (1882), Tsuji et al. (1992) and Mindlin (1949) for two balls, or a ball and a wall."""
    wall = not isinstance(other, ReferenceBall)
    materials = one.material, other if wall else other.material
    modulus = 1 / sum((1 - m.poisson**2) / m.young for m in materials)
    shear = 1 / sum(2 * (2 - m.poisson) * (1 + m.poisson) / m.young for m in materials)
    return ReferenceLaw(
        stiffness=stiffness(one, other),
        mass=reduced_mass(one, other),
        damping=damping(contact.restitution),
        friction=contact.friction,
        shear=6 * shear / modulus,
        radii=(one.radius, 0.0 if wall else other.radius),
        spin_up=(2.5 / (one.mass * one.radius**2), 0.0 if wall else 2.5 / (other.mass * other.radius**2)),
        wall=wall,
    )


def planar_impact(
    one: ReferenceBall, other: ReferenceBall | dem.Material, contact: dem.Contact, *,
    normal: np.ndarray, tangential: np.ndarray,
    spin: np.ndarray | float = 0.0, other_spin: np.ndarray | float = 0.0, steps: int = 4000,
) -> After:  # fmt: skip
    """Integrate impacts in the plane of normal z and tangent x, with spins about y, from touch to separation.

    normal, tangential: (B,) speed of approach, positive, and tangential velocity of the first ball relative to the
    other's centre [m/s].
    spin, other_spin: (B,) angular velocities [rad/s].
    steps: Runge-Kutta steps for the duration of the elastic impact. The first tenth has another half, ever finer
    towards the touch, where the damping changes like a root.
    """
    this = law(one, other, contact)
    normal, tangential, spin, other_spin = np.broadcast_arrays(
        *(np.asarray(a, float) for a in (normal, tangential, spin, other_spin))
    )
    duration = np.array([hertz_impact(one, other, v)[1] for v in normal])
    zero = np.zeros(normal.shape)
    state = np.array([zero, zero + sum(this.radii), tangential, -normal, spin, other_spin, zero])
    time = np.concatenate([0.1 * np.linspace(0, 1, steps // 2) ** 3, 0.1 + np.arange(1, 4 * steps) / steps])
    lasted = zero
    for at, h in zip(time, np.diff(time), strict=False):
        state = _step(state, h * duration, this)
        overlap, force = _contact(state, this)[:2]
        lasted = lasted + np.where((overlap > 0) & (force > 0), h * duration, 0)
        if at > 0.5 and not (overlap > 0).any():
            break
    _, velocity, slip = _surfaces(state, this, levers=this.radii)
    share = this.mass / one.mass  # of the relative motion that the first ball has, in the frame of the other before
    change = share * (velocity - np.array([tangential, -normal]))
    return After(change[1] - normal, tangential + change[0], state[4], state[5], slip, lasted)


def _surfaces(state: np.ndarray, this: ReferenceLaw, levers: tuple) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Normal (2, B), relative velocity (2, B), and slip of the surfaces at given levers from both centres."""
    gap = np.array([0 * state[0], state[1]]) if this.wall else state[:2]
    n = gap / np.hypot(*gap)
    velocity = state[2:4]
    along = velocity[0] * n[1] - velocity[1] * n[0]
    return n, velocity, along - levers[0] * state[4] - levers[1] * state[5]


def _contact(state: np.ndarray, this: ReferenceLaw) -> tuple[np.ndarray, ...]:
    """Overlap, normal force, tangential force, rate of the spring, normal, and levers of both bodies."""
    gap = state[1] if this.wall else np.hypot(state[0], state[1])
    overlap = np.maximum(sum(this.radii) - gap, 0)
    levers = this.radii[0] - overlap / 2, (0.0 if this.wall else this.radii[1] - overlap / 2)
    n, velocity, slip = _surfaces(state, this, levers)
    closing = -(velocity * n).sum(0)
    eta = this.damping * np.sqrt(this.mass * this.stiffness) * overlap**0.25
    force = np.maximum(this.stiffness * overlap**1.5 + eta * closing, 0)
    k_t = this.shear * this.stiffness * np.sqrt(overlap)
    limit = this.friction * force
    tangential = np.clip(state[6] - eta * math.sqrt(this.shear / 1.5) * slip, -limit, limit)
    # the spring of a contact that unloads shrinks as k_t does, like √δ
    shrinking = state[6] * np.minimum(closing, 0) / (2 * np.maximum(overlap, 1e-12 * this.radii[0]))
    return overlap, force, tangential, shrinking - k_t * slip, n, levers


def _rates(state: np.ndarray, this: ReferenceLaw) -> np.ndarray:
    """Time derivatives of relative position, relative velocity, spins and spring."""
    _, force, tangential, spring, n, levers = _contact(state, this)
    acceleration = (force * n + tangential * np.array([n[1], -n[0]])) / this.mass
    spins = (-this.spin_up[0] * levers[0] * tangential, -this.spin_up[1] * levers[1] * tangential)
    return np.array([state[2], state[3], *acceleration, *spins, spring])


def _step(state: np.ndarray, h: np.ndarray, this: ReferenceLaw) -> np.ndarray:
    """One Runge-Kutta step, after which the spring of a sliding contact is cut to the Coulomb limit."""
    k1 = _rates(state, this)
    k2 = _rates(state + h / 2 * k1, this)
    k3 = _rates(state + h / 2 * k2, this)
    k4 = _rates(state + h * k3, this)
    state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    limit = this.friction * _contact(state, this)[1]
    state[6] = np.clip(state[6], -limit, limit)
    return state


def runge_kutta(rates: Callable[[np.ndarray], np.ndarray], state: np.ndarray, time: np.ndarray) -> np.ndarray:
    """States (K, S) of an autonomous equation at the times (K,), a classical Runge-Kutta step from each to the next."""
    path = [np.asarray(state, float)]
    for h in np.diff(time):
        y = path[-1]
        k1 = rates(y)
        k2 = rates(y + h / 2 * k1)
        k3 = rates(y + h / 2 * k2)
        path.append(y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rates(y + h * k3)))
    return np.array(path)
