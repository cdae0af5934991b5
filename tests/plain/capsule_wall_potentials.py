"""Potentials that capsules feel at one wall, over K, by their pose."""

import math

import numpy as np
from dem.kernels.walls.capsule_sides import SCRATCH, find_side_contacts
from dem.kernels.walls.geometry import clearance, find_contacts
from dem.kernels.walls.potential_terms import SIDE_COLUMNS

from dem.model.walls.wall_shapes import geometry_of, room_of_sides

RADIUS, HALF = 1.0, 2.0  # of the capsule


class Felt:
    """Potentials of one wall over K, by the pose of a capsule."""

    def __init__(self, wall):
        self.geometry = geometry_of([wall.shape], reach=RADIUS + HALF + 0.1)
        rows = room_of_sides([wall.shape], int(self.geometry.room[0]))
        self.trees, self.scratch = np.zeros((rows, SIDE_COLUMNS)), np.zeros((rows, SCRATCH))

    def sides(self, x, u):
        """Contacts of the side."""
        return find_side_contacts(0, tuple(x), tuple(u), RADIUS, 1.5, self.geometry, self.trees, self.scratch)

    def __call__(self, x, u):
        """Potential, force and torque, and the number of contacts of the side."""
        energy, force, torque = 0.0, np.zeros(3), np.zeros(3)
        for end in (-1, 1):
            for t in range(find_contacts(0, tuple(x + end * u), RADIUS, 1.5, self.geometry, self.trees, self.scratch)):
                energy, force = energy + self.trees[t, 3], force + self.trees[t, :3]
                torque = torque + np.cross(end * u, self.trees[t, :3])
        sides = self.sides(x, u)
        for t in range(sides):
            energy, force = energy + self.trees[t, 3], force + self.trees[t, :3]
            torque = torque + np.cross(u, self.trees[t, 8:11])
        return energy, force, torque, sides

    def gradient(self, x, u, h=1e-6):
        """Force and torque by differences of the energy, to h² and 1e-16/h."""
        moved = [self(x + s * h * e, u)[0] for e in np.eye(3) for s in (-1, 1)]
        turned = [self(x, spun(u, s * h * e))[0] for e in np.eye(3) for s in (-1, 1)]
        return (np.subtract(d[::2], d[1::2]) / (2 * h) for d in (moved, turned))

    def poses(self, number, spread, seed):
        """Places and half axes at random whose axis is outside, half a radius or more."""
        rng = np.random.default_rng(seed)
        while number:
            x, u = rng.uniform(-1, 1, 3) * spread, rng.normal(size=3)
            u *= HALF / np.linalg.norm(u)
            least = min(clearance(0, tuple(x + s * u), self.geometry) for s in np.linspace(-1, 1, 9))
            if 0.5 * RADIUS < least < RADIUS:
                number -= 1
                yield x, u


def spun(u, by):
    """A vector turned by a rotation vector."""
    angle = np.linalg.norm(by)
    n = by / angle
    return u * math.cos(angle) + np.cross(n, u) * math.sin(angle) + n * (n @ u) * (1 - math.cos(angle))
