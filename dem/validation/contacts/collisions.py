"""Simulations of single impacts for studies of contacts."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

import dem
from dem.validation.contacts.reference_solution import ReferenceBall, hertz_impact

MAX_HALVES = 40  # halves of an elastic contact's duration that an impact may last


class ImpactOutcome(NamedTuple):
    """Final state of the balls after an impact; a wall has no row."""

    velocity: np.ndarray  # (N, 3) [m/s]
    spin: np.ndarray  # (N, 3) [rad/s]
    before: dem.Energy
    after: dem.Energy
    momentum: tuple[np.ndarray, np.ndarray]  # linear and angular, before
    momentum_after: tuple[np.ndarray, np.ndarray]


def collide(
    one: ReferenceBall, other: ReferenceBall | dem.Material, contact: dem.Contact, *, velocity: tuple,
    spin: tuple = (0, 0, 0), other_velocity: tuple = (0, 0, 0), other_spin: tuple = (0, 0, 0),
    steps: int = 2000, phase: float = 0.0,
) -> ImpactOutcome:  # fmt: skip
    """Simulate the impact of a ball that moves along -z onto another ball or a wall, until they separate.

    `steps` is the number of time steps that the elastic impact at the same normal speed would last; `phase` is where
    within a step the touch falls.
    """
    approach = other_velocity[2] - velocity[2]
    dt = hertz_impact(one, other, approach)[1] / steps
    sim = start(one, other, contact, dt, velocity=velocity, spin=spin, other_velocity=other_velocity,
                other_spin=other_spin, lift=phase * approach * dt)  # fmt: skip
    before, momentum = sim.energy(), sim.momentum()
    for _ in range(MAX_HALVES):
        sim.step(steps // 2 + 1)
        if apart(sim, one, other):
            break
    else:
        message = (
            f"an impact at {approach:g} m/s has not ended after {MAX_HALVES // 2} times the duration of an elastic one"
        )
        raise RuntimeError(message)
    p = sim.particles
    return ImpactOutcome(
        np.array(p.velocity), np.array(p.angular_velocity), before, sim.energy(), momentum, sim.momentum()
    )


def start(
    one: ReferenceBall, other: ReferenceBall | dem.Material, contact: dem.Contact, dt: float, *,
    velocity: tuple, spin: tuple = (0, 0, 0),
    other_velocity: tuple = (0, 0, 0), other_spin: tuple = (0, 0, 0), lift: float = 0.0,
    gravity: tuple = (0, 0, 0),
) -> dem.Simulation:  # fmt: skip
    """A ball a small distance above another ball in empty space, or above the floor of a wide open box."""
    far = 1e4 * one.radius
    pair = isinstance(other, ReferenceBall)
    height = one.radius + lift + (other.radius if pair else 0.0)
    balls = [
        dem.Particles(dem.Sphere(diameter=2 * one.radius), one.material, position=[[0, 0, height]], velocity=[velocity],
                  angular_velocity=[spin])
    ]  # fmt: skip
    if pair:
        balls.append(
            dem.Particles(dem.Sphere(diameter=2 * other.radius), other.material, position=[[0, 0, 0]],
                      velocity=[other_velocity], angular_velocity=[other_spin])
        )  # fmt: skip
    sides = ["x-", "x+", "y-", "y+", "z+"]
    box = None if pair else dem.Box((-far, -far, 0), (far, far, far), material=other, open=sides)
    table = dem.Contacts({(one.material, other.material if pair else other): contact}, rule="geometric")
    return dem.Simulation(
        dem.Particles.concatenate(balls), box, gravity=gravity, time_step=dt, contacts=table, threads=1
    )


def apart(sim: dem.Simulation, one: ReferenceBall, other: ReferenceBall | dem.Material) -> bool:
    """Whether the ball has separated from the other ball or the wall."""
    x = sim.particles.position
    if isinstance(other, ReferenceBall):
        return bool(math.dist(*x) > one.radius + other.radius)
    return bool(x[0, 2] > one.radius)
