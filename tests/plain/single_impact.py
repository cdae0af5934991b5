"""One impact, step by step: a ball comes down upon a wall, or two balls of a kind meet."""

from typing import NamedTuple

import numpy as np

import dem
from dem.validation.contacts.collisions import start
from dem.validation.contacts.reference_solution import ReferenceBall

GLASS = dem.Material(young=7e7, poisson=0.22, density=2500)
BALL = ReferenceBall(0.0005, GLASS)
PHASES = (0.05, 0.25, 0.45, 0.65, 0.85)  # where within a step the touch falls


class Path(NamedTuple):
    """What was seen at each step; a pair's overlap and velocity are relative."""

    time: np.ndarray  # since the touch [s]
    overlap: np.ndarray  # [m], negative when apart
    velocity: np.ndarray  # of parting [m/s]
    force: np.ndarray  # on the ball, by second differences [N]
    sim: dem.Simulation  # at the end
    lost: float  # energy that the account has as dissipated [J]
    departure: float  # of the account's total, at most [J]

    def restitution(self):
        return -self.velocity[-1] / self.velocity[0]

    def deepest(self):
        """Largest overlap, by a parabola through the three largest."""
        k = int(np.argmax(self.overlap))
        a, b, c = self.overlap[k - 1 : k + 2]
        return b - (a - c) ** 2 / (8 * (a - 2 * b + c))

    def parted(self):
        """When surfaces part."""
        k = np.flatnonzero(self.overlap > 0)[-1] + 1
        return self.time[k] + self.overlap[k] / self.velocity[k]

    def slack(self):
        """When the force vanishes, by a line through the last two."""
        k = np.flatnonzero(np.abs(self.force) > 1e-6 * np.abs(self.force).max())[-1]
        before, last = self.force[k - 1 : k + 1]
        return self.time[k + 1] + (self.time[1] - self.time[0]) * last / (before - last)


def impact(contact, *, speed, dt, steps, phase=0.37, pair=False, sideways=0.0, spin=(0, 0, 0), ball=BALL):
    """Follow an impact for so many steps; the touch falls within the first one."""
    lift = phase * speed * dt
    sim = start(
        ball, ball if pair else ball.material, contact, dt, velocity=(sideways, 0, -speed), spin=spin, lift=lift
    )
    reach, heights, velocities = ball.radius * (2 if pair else 1), [], []
    for _ in range(steps + 1):
        x, v = sim.particles.position, sim.particles.velocity
        between = x[0] - x[1] if pair else np.array([0, 0, x[0, 2]])
        heights.append(np.linalg.norm(between))
        velocities.append(between @ (v[0] - v[1] if pair else v[0]) / heights[-1])
        sim.step()
    heights = np.array(heights)
    mass = ball.mass / 2 if pair else ball.mass
    force = mass * np.diff(heights, 2) / dt**2
    time = dt * (np.arange(steps + 1) - phase)
    total = sim.energy()
    return Path(time, reach - heights, np.array(velocities), force, sim, total.dissipated, sim.energy_departure)


def rms(errors):
    return float(np.sqrt(np.square(errors).mean()))


def order(counts, errors):
    """Slope of the error over the time step."""
    return -np.polyfit(np.log(counts), np.log(errors), 1)[0]
