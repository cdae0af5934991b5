"""Bonds against closed forms: a clamped rod bent, stretched, twisted, rolled up, swinging, and a free fibre.

`Beam` has the static solutions of a clamped rod of bonds under loads at its end, by the bond formulae of the engine.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

import dem
from dem.base.quaternions import product, rotate
from dem.kernels.bonds.static_row import pull_row
from dem.model.bonds import BondGeometry
from dem.validation.report import Report, curves

STEPS = 4  # of Newton's method, from a matrix that is right to 1e-9
ROD = {"diameter": 1e-3, "length": 20e-3, "young": 1e9, "poisson": 0.3}
STUFF = dem.Material(young=1e7, poisson=0.3, density=1000.0)
AREA = math.pi / 4 * ROD["diameter"] ** 2
EI, EA = ROD["young"] * AREA * ROD["diameter"] ** 2 / 16, ROD["young"] * AREA
GJ = EI / (1 + ROD["poisson"])
COWPER = 6 * (1 + ROD["poisson"]) / (7 + 6 * ROD["poisson"])
# first frequency of the slender rod, clamped at one end [1/s]
EXACT = 3.516015268500151 / (2 * math.pi) * math.sqrt(EI / (STUFF.density * AREA * ROD["length"] ** 4))


class BeamShape(NamedTuple):
    """Nodes of a rod, without the clamped one."""

    position: np.ndarray  # (N, 3) [m]
    orientation: np.ndarray  # (N, 4)


def rotations(by: np.ndarray) -> np.ndarray:
    """Quaternions of rotation vectors (N, 3): (N, 4)."""
    half = 0.5 * np.linalg.norm(by, axis=1)[:, None]
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * by], axis=1)


class Beam:
    """Rod of bonds along x, clamped at the origin; without `sheared` it has the stiffness of a beam without shear."""

    def __init__(
        self, number: int, *, diameter: float, length: float, young: float, poisson: float,
        sheared: bool = True,
    ) -> None:  # fmt: skip
        self.number, self.spacing = number, length / number
        geometry = BondGeometry(np.array([self.spacing]), np.zeros((1, 2, 4)))
        stretch, twist, shear, bend = dem.Bonds(
            [(0, 1)], young=young, diameter=diameter, poisson=poisson, geometry=geometry
        ).stiffness[0]
        self.along, self.across = (stretch, twist), (shear if sheared else 12 * bend / self.spacing**2, bend)

    def straight(self) -> BeamShape:
        """Shape of the rod at rest."""
        position = np.zeros((self.number, 3))
        position[:, 0] = self.spacing * np.arange(1, self.number + 1)
        return BeamShape(position, np.tile([1.0, 0.0, 0.0, 0.0], (self.number, 1)))

    def pulls(self, shape: BeamShape) -> np.ndarray:
        """Force and torque of the bonds on each node (N, 6) [N, N m]."""
        x = np.concatenate([np.zeros((1, 3)), shape.position])
        q = np.concatenate([[[1.0, 0.0, 0.0, 0.0]], shape.orientation])
        force, torque = np.empty((2, 3, self.number + 1))
        x, q = np.ascontiguousarray(x.T), np.ascontiguousarray(q.T)
        pull_row(self.spacing, self.along, self.across, x, q, force, torque)
        return np.concatenate([force, torque]).T[1:]

    def moved(self, shape: BeamShape, by: np.ndarray) -> BeamShape:
        """Nodes displaced and rotated by (N, 6) [m, rad]."""
        q = product(rotations(by[:, 3:]), shape.orientation)
        return BeamShape(shape.position + by[:, :3], q / np.linalg.norm(q, axis=1)[:, None])

    def matrix(self, shape: BeamShape | None = None) -> np.ndarray:
        """Stiffness matrix of the nodes (6 N, 6 N) against displacements and rotations, by central differences.

        A node acts on itself and its neighbours only, so every third node is displaced at once.
        """
        shape = shape or self.straight()
        found = np.zeros((self.number, 6, self.number, 6))
        near = np.abs(np.subtract.outer(np.arange(self.number), np.arange(self.number))) < 2
        for first, k in np.ndindex(min(3, self.number), 6):
            by = np.zeros((self.number, 6))
            by[first::3, k] = h = 1e-6 * (self.spacing if k < 3 else 1.0)
            one, other = (self.pulls(self.moved(shape, sign * by)) for sign in (1, -1))
            rows = (one - other) / (-2 * h)
            for n in range(first, self.number, 3):
                found[:, :, n, k] = np.where(near[:, n, None], rows, 0.0)
        return found.reshape(6 * self.number, -1)

    def deflected(self, force: tuple) -> BeamShape:
        """Equilibrium shape under a small force at the free end, by Newton's method."""
        shape, load = self.straight(), np.zeros((self.number, 6))
        load[-1, :3] = force
        matrix = self.matrix()
        for _ in range(STEPS):
            rest = load + self.pulls(shape)
            shape = self.moved(shape, np.linalg.solve(matrix, rest.ravel()).reshape(-1, 6))
        return shape

    def turned(self, couple: tuple[float, float, float]) -> BeamShape:
        """Exact shape under a couple along x or across it: each bond turns by one angle and keeps its length."""
        flexible = np.array([1 / self.along[1], 1 / self.across[1], 1 / self.across[1]])
        each = np.array(couple) * flexible
        k = np.arange(1, self.number + 1)[:, None]
        chords = rotate(rotations((k - 0.5) * each), np.array([self.spacing, 0.0, 0.0]))
        return BeamShape(np.cumsum(chords, axis=0), rotations(k * each))

    def unbalanced(self, shape: BeamShape, couple: tuple[float, float, float]) -> float:
        """Largest unbalanced force or couple on a node under a couple at the free end, relative to that couple."""
        rest = self.pulls(shape)
        rest[-1, 3:] += couple
        rest[:, :3] *= self.spacing
        return float(np.abs(rest).max() / np.linalg.norm(couple))


def pieces(number: int) -> list[dem.FibreSegment]:
    """Nodes of the rod: slices, the last one half as long as the others."""
    whole = dem.FibreSegment(diameter=ROD["diameter"], length=ROD["length"] / number)
    return [whole] * (number - 1) + [dem.FibreSegment(diameter=ROD["diameter"], length=whole.length / 2)]


def modes(number: int) -> tuple[float, np.ndarray]:
    """First bending frequency of the rod along z [1/s] by mass and stiffness matrices, and the mode (N, 6)."""
    parts = [piece.mass_properties(STUFF.density) for piece in pieces(number)]
    mass = np.concatenate([[p.mass] * 3 + list(p.inertia) for p in parts])
    squared, shape = eigh(Beam(number, **ROD).matrix(), np.diag(mass))
    first = next(k for k in range(3) if np.abs(shape[1::6, k]).max() > np.abs(shape[2::6, k]).max())
    return math.sqrt(squared[first]) / (2 * math.pi), shape[:, first].reshape(-1, 6)


def swinging(number: int, dt: float) -> tuple[float, float]:
    """Frequency of the first bending mode in a simulation [1/s], and the energy error."""
    _, shape = modes(number)
    rest = Beam(number, **ROD).straight()
    nodes = dem.Particles(pieces(number), STUFF, position=rest.position)
    pairs = [(0, -1)] + [(k, k + 1) for k in range(number - 1)]
    bonds = dem.Bonds(pairs, young=ROD["young"], poisson=ROD["poisson"], diameter=ROD["diameter"], ground=[(0, 0, 0)])
    bonds = bonds.at_rest(nodes)
    begun = Beam(number, **ROD).moved(rest, 1e-5 * shape / np.abs(shape[:, 1]).max())  # of 20 mm: linear
    nodes.position, nodes.orientation = begun.position, begun.orientation
    sim = dem.Simulation(nodes, bonds=bonds, gravity=(0, 0, 0), time_step=dt, integrator="splitting")
    seen, every = [], max(1, round(2e-5 / dt))
    while sim.time < 2.2 / EXACT:
        seen.append((sim.time, sim.particles.position[-1, 1]))
        sim.step(every)
    time, tip = np.array(seen).T
    down = np.flatnonzero((tip[:-1] > 0) & (tip[1:] <= 0))[:2]
    zero = [time[k] + (time[k + 1] - time[k]) * tip[k] / (tip[k] - tip[k + 1]) for k in down]
    return 1 / (zero[1] - zero[0]), sim.energy_error


def whirling(dt: float, span: float) -> tuple[float, float, float]:
    """Errors of energy, momentum and angular momentum of a free fibre that rotates and bends."""
    fibre = dem.FlexibleFibre(diameter=1e-3, length=11e-3, segments=10, young=1e7)
    bodies, bonds = fibre.make(STUFF, position=[(0, 0, 0)], angular_velocity=[(300.0, 0, 400.0)])
    k = np.arange(len(bodies))
    bodies.velocity = bodies.velocity + 0.5 * np.column_stack([0 * k, np.sin(k), np.cos(2 * k)])
    sim = dem.Simulation(bodies, bonds=bonds, gravity=(0, 0, 0), time_step=dt, integrator="splitting")
    before = sim.momentum()
    sim.step(round(span / dt))
    off = [float(np.linalg.norm(now - then)) for now, then in zip(sim.momentum(), before, strict=True)]
    size = float((bodies.mass * np.linalg.norm(bodies.velocity, axis=1)).sum())
    return sim.energy_error, off[0] / size, off[1] / float(np.linalg.norm(before[1]))


def closed_forms(*, quick: bool) -> Report:
    """Statics and dynamics of a rod of bonds."""
    report = Report("bonds", "Bonds: a rod that bends, stretches, twists, rolls up, swings; a fibre that whirls")
    load, rows = 1e-9, []
    tip = load * ROD["length"] ** 3 / (3 * EI) + load * ROD["length"] / (COWPER * EA / (2 * (1 + ROD["poisson"])))
    for number in (1, 2, 5, 20):
        found = float(Beam(number, **ROD).deflected((0, load, 0)).position[-1, 1])
        report.near(f"tip deflection, {number} bonds, over P [m/N]", found / load, tip / load,
                    exact="L³/(3EI) + L/(κGA)", within=1e-10, digits=12)  # fmt: skip
    rod = Beam(20, **ROD)
    for name, couple in (("rolled up to a circle", (0, 0, 2 * math.pi * EI / ROD["length"])),
                         ("twisted by a turn and a half", (3 * math.pi * GJ / ROD["length"], 0, 0))):  # fmt: skip
        report.below(f"{name}: what is left unbalanced", rod.unbalanced(rod.turned(couple), couple), 1e-11, exact="0")
    for number in (10, 20) if quick else (10, 20, 40):
        of_matrix, dt = modes(number)[0], 2e-7 * 10 / number
        found, error = swinging(number, dt)
        rows.append((number, of_matrix, found, error))
        report.near(f"first frequency, {number} bonds [1/s]", found, of_matrix, exact="of the matrices", within=2e-5,
                    digits=7)  # fmt: skip
    report.near(f"the same, {rows[-1][0]} bonds, over that of the beam", rows[-1][1] / EXACT, 1.0,
                exact="1.8751²/(2π) √(EI/(ρAL⁴))", within=0.006, digits=5)  # fmt: skip
    steps, span = (2e-6, 1e-6, 5e-7), 0.01 if quick else 0.5
    found = [whirling(dt, span) for dt in steps]
    errors, momentum, angular = np.array(found).T
    report.near("free fibre: order of the energy error", float(np.log2(errors[0] / errors[-1]) / 2), 2, exact="2",
                within=0.3, relative=False)  # fmt: skip
    report.below("free fibre: momentum", float(momentum.max()), 1e-10, exact="0")
    report.below("free fibre: angular momentum", float(angular.max()), 1e-9, exact="0")
    report.tables["frequencies"] = (["bonds", "of_the_matrix", "in_a_run", "energy_error"], rows)
    report.tables["whirling"] = (["time_step", "energy_error", "momentum", "angular_momentum"],
                                 [(dt, *each) for dt, each in zip(steps, found, strict=True)])  # fmt: skip
    lines = {"bonds": (steps, tuple(errors))}
    report.figures["energy"] = curves(
        "a free fibre", "time step [s]", "energy error", lines, xscale="log", yscale="log", marker="o"
    )
    report.statements += [
        "E = 1 GPa, ν = 0.3, D = 1 mm, L = 20 mm. The first frequency has the shear flexibility and the rotary inertia "
        "of the slices, which the closed form of the slender beam has not.",
        "The free fibre turns by 500 rad/s while it bends by about its diameter; errors of momenta are rounding.",
    ]
    return report
