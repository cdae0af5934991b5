"""The hardest impacts that the present energies of particles allow: how long they last, and how deep they go.

The estimates hold for any mixture, and do not exceed what can happen:

- *Meetings* of two bodies, or of a body and a wall. The surface of a body of the energy E moves at √(2 E/m*) at most,
  with the smallest effective mass m* at its surface, and two bodies meet at the sum of their speeds at most. A heavy
  body at speed V thus hits a light body at rest at V, whatever its energy: a higher speed needs a third body or a wall.
- *Squeezing*: a light body between a heavy one and a wall, or between two heavy ones, bounces until it has as much
  energy as they have (its speed is then V √(M/m), as in Galperin's billiard), or is pressed by all of it. Then each of
  its two contacts stores the heavy body's energy E at most, as in an impact of the light body alone at √(2 E/m*).
  Between two such springs a body oscillates √2 times as fast as at one. No contact is deeper than the depth at which
  runs are stopped.

Strong damping relaxes velocities in less time than the contact lasts. So time steps follow the *damped time* of a
contact, its duration over `Spring.damping_factor`.

Neither estimate depends on the distances of the bodies. Equal bodies have longer contacts when they are squeezed than
in a head-on meeting.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.kernels import laws
from dem.kernels.compiler.jit import in_python
from dem.kernels.laws.collision_time import ContactPairProperties, hertz
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds
from dem.soft.contact.convex_bodies import inverse_masses, most_corners
from dem.soft.contact.overlaps import DEEPEST

if TYPE_CHECKING:
    from dem.kernels.laws.collision_time import Spring
    from dem.kernels.soft.state import Kinds


def between(law: tuple, i: np.ndarray, j: np.ndarray, properties: ContactPairProperties) -> Spring:
    """Spring of contacts of a law's rows i and j, with their dashpots and the pull of adhesion at touch."""
    normal = getattr(law, "normal", laws.Hertz())
    spring = laws.functions(type(normal)).spring(normal, i, j, properties)
    damping = getattr(law, "damping", laws.NoComponent())
    if ratio := laws.functions(type(damping)).damping_ratio:
        spring = spring._replace(damping_ratio=partial(in_python(ratio), damping, i, j))
    adhesion = getattr(law, "adhesion", laws.NoComponent())
    part = laws.functions(type(adhesion))
    if not part.pull:
        return spring
    return spring._replace(pull=in_python(part.pull)(adhesion, i, j, properties.radius), pull_power=part.pull_power)


FACES = 6


class Springs:
    """Springs of all pairs of materials in a run, the box after them, then walls of E* (B, A) [Pa]."""

    def __init__(
        self, kinds: Kinds, law: tuple, walls: np.ndarray | None = None, rows: np.ndarray | None = None
    ) -> None:
        self.law = law
        self.modulus = np.vstack([kinds.modulus, kinds.wall_modulus])  # (A + 1, A)
        self.wall = kinds.modulus.shape[0]
        self.of_faces = np.full(FACES, self.wall)  # row of each face, and of all walls after them
        self.has_box = bool(kinds.wall_modulus.any())
        if walls is not None:
            self.modulus = np.vstack([self.modulus, walls])  # (A + 1 + B, A)
            self.of_faces = np.append(self.of_faces, rows)

    def surfaces(self, *, box: bool = True) -> list[int]:
        """Rows of all walls; those of the box only if it has walls and is included.

        What is computed of the row of a box that is absent, whose E* is zero, is not a number for some laws.
        """
        return [*([self.wall] if self.has_box and box else []), *range(self.wall + 1, len(self.modulus))]

    def between(self, i: np.ndarray, j: np.ndarray, radius: np.ndarray, reduced: np.ndarray) -> Spring:
        """Spring of contacts of material i and material, or wall, j, of these R* and reduced masses."""
        return between(self.law, i, j, ContactPairProperties(self.modulus[j, i], radius, reduced))


RESOLVED = 20  # steps a contact: fewer draw a warning
FORCED = 5  # fewer are refused
# Steps a contact that are advised: the energy error of `improved-pcdm` is 0.18 % at 45 steps and of second order. What
# is squeezed gets no more than resolve it: most of the energy is in what presses, which is slower.
ADVISED = 50
PER_OCTAVE = 32  # classes by effective mass and by radius, whose extremes stand for all: times are 1.3 % short at most
MAX_SQUARE = 1e300  # of what may be a number too large to be one
FIXED = 1e30  # effective mass of a fixed body [kg]: as good as any wall's, and a number with a logarithm
NOBODY, WALL = -1, -2  # in place of the number of a body


def contact_time(mass: float, radius: float, modulus: float, speed: float) -> float:
    """Duration of an elastic Hertz impact [s]: T = 2.868 (m*²/(R* E*² v))^(1/5); Johnson (1985), eq. (11.24).

    Numbers or arrays.

    Examples
    --------
    >>> round(float(contact_time(1.0, 1.0, 1.0, 1.0)), 4)
    2.8683
    """
    spring = hertz(modulus, radius)
    return spring.time(mass, spring.overlap(0.5 * mass * np.float64(speed) ** 2))


def rounded_down(value: float) -> float:
    """The largest number of two significant digits that is no larger."""
    if value == 0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.floor(value / unit * (1 + 1e-12)) * unit:.1e}")


def kind_of_row(kinds: Kinds) -> np.ndarray:
    """Kind of each row of the tables of spheres (S,)."""
    return np.repeat(np.arange(kinds.mass.size), np.diff(kinds.first_offset))


def effective_masses(kinds: Kinds) -> np.ndarray:
    """Smallest effective mass at any point of each sphere of each kind (S,) [kg].

    For an impulse along n at the arm c + R n it is 1/(1/m + (c × n)·I⁻¹(c × n)), so the smallest one over all n is
    1/(1/m + λ) with λ the largest eigenvalue of [c]ᵀ I⁻¹ [c], [c] n = c × n. Rotation makes a fibre's tip lighter.
    Normals of convex shapes are those of their surfaces; a polyhedron that lands flat on n corners has 1/n of its mass
    on each. That of a fixed body is `FIXED`.
    """
    kind = kind_of_row(kinds)
    if isinstance(kinds, ConvexBodyKinds):
        mass = 1 / np.maximum(kinds.inverse_mass[kind] + inverse_masses(kinds, kind), 1 / FIXED)
        return np.minimum(mass, kinds.mass[kind] / most_corners(kinds))
    x, y, z = kinds.offset
    zero = np.zeros_like(x)
    cross = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
    form = cross.transpose(0, 2, 1) @ (cross / kinds.inertia.T[kind][:, :, None])
    return 1 / np.maximum(kinds.inverse_mass[kind] + np.linalg.eigvalsh(form)[:, -1], 1 / FIXED)


class Impact(NamedTuple):
    """The hardest of many expected impacts."""

    time: float  # of the contact [s]
    speed: float  # normal, at the contact [m/s]
    overlap: float  # largest, over the smaller radius
    particle: int  # body
    partner: int  # body, or WALL

    @classmethod
    def at(cls, k: int, *columns: np.ndarray) -> Impact:
        """Row k of arrays of many."""
        time, speed, overlap, particle, partner = (column[k].item() for column in columns)
        return cls(time, speed, overlap, particle, partner)


NOTHING = Impact(math.inf, 0.0, 0.0, NOBODY, NOBODY)


class SphereClasses(NamedTuple):
    """Spheres of about the same effective mass and radius, and of one material; C of them, or one more: the wall.

    The lightest and the largest sphere of each stand for all, which makes contacts shorter and no longer. Of the bodies
    that have such spheres two are kept: one cannot meet itself.
    """

    mass: np.ndarray  # (C,) smallest effective one [kg]
    whole: np.ndarray  # (C,) largest of a whole body [kg]
    radius: np.ndarray  # (C,) largest [m]
    material: np.ndarray  # (C,)
    energy: np.ndarray  # (2, C) of the body that has most, and of the next one; -inf if there is none [J]
    body: np.ndarray  # (2, C), or NOBODY

    @classmethod
    def of(cls, kinds: Kinds, kind: np.ndarray, energy: np.ndarray) -> SphereClasses:
        """Classes of bodies of the given kinds (N,) that have these energies (N,) [J]."""
        present, number = np.unique(kind, return_inverse=True)
        bodies = _two_best(number, energy, np.arange(kind.size))
        row = np.flatnonzero(np.isin(kind_of_row(kinds), present))
        of_row = kind_of_row(kinds)[row]
        bodies = bodies[:, np.searchsorted(present, of_row)]
        mass, radius, material = effective_masses(kinds)[row], kinds.radius[row], kinds.material[of_row]
        octaves = (np.floor(PER_OCTAVE * np.log2(values)) for values in (mass, radius))
        _, first, group = np.unique(np.stack([material, *octaves], 1), axis=0, return_index=True, return_inverse=True)
        group = group.ravel()
        lightest, whole, largest = mass[first], kinds.mass[of_row][first], radius[first]
        np.maximum.at(whole, group, kinds.mass[of_row])
        np.minimum.at(lightest, group, mass)
        np.maximum.at(largest, group, radius)
        is_body = bodies.ravel() != NOBODY
        bodies, group = bodies.ravel()[is_body], np.tile(group, 2)[is_body]
        best = _two_best(group, energy[bodies], bodies)
        body = np.where(best == NOBODY, NOBODY, bodies[best])
        most = np.where(best == NOBODY, -np.inf, energy[body])
        return cls(lightest, whole, largest, material[first], most, body)

    def best_of_others(self, c: int, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values of the best body of each class other than the only body of class c, and that body: (C,), (C,)."""
        alone = (self.body[0] == self.body[0, c]) & (self.body[1, c] == NOBODY)
        return np.where(alone, values[1], values[0]), np.where(alone, self.body[1], self.body[0])


def _two_best(group: np.ndarray, value: np.ndarray, body: np.ndarray) -> np.ndarray:
    """Indices of the largest value of each group and of the largest of another body, or NOBODY; (2, groups)."""
    order = np.lexsort((-value, group))
    found = np.full((2, int(group.max()) + 1), NOBODY)
    for best in found:
        at = order[np.diff(group[order], prepend=-1) != 0]
        best[group[at]] = at
        order = order[body[order] != body[best[group[order]]]]
    return found


class HardestImpacts:
    """The hardest impacts of a system.

    Parameters
    ----------
    kinds, springs : Kinds, Springs
        Of the bodies, and of their contacts.
    kind, energy : (N,) arrays
        Kind of each body; the kinetic energy that it may come to by itself [J].
    walls : bool
        Whether the box has any; others are among the springs.
    fastest : float
        Of the walls that move [m/s].
    servo_force : float
        Largest force of a servo, all of which one particle may have to bear [N].
    servo_step : float
        How far a servo moves its wall in a time step, and so into a particle before it notices [m].
    least_speed : float
        Speed that particles may have whatever their energy, as in a cell that deforms [m/s].
    """

    def __init__(
        self, kinds: Kinds, springs: Springs, kind: np.ndarray, energy: np.ndarray, *, walls: bool, fastest: float,
        servo_force: float = 0.0, servo_step: float = 0.0, least_speed: float = 0.0,
    ) -> None:  # fmt: skip
        self.springs, self.classes = springs, SphereClasses.of(kinds, kind, energy)
        self.servo_force, self.servo_step = servo_force, servo_step
        self.walls = springs.surfaces(box=walls)
        c = self.classes
        with np.errstate(invalid="ignore"):
            own = np.sqrt(np.minimum(2 * c.energy / c.mass, MAX_SQUARE)) + 2 * fastest
            speed = np.where(c.energy >= 0, np.maximum(own, least_speed), -np.inf)
        self.speed = self._append_walls(speed, [[fastest], [-np.inf]])  # what a wall hits leaves at twice its speed
        self.body = self._append_walls(c.body, [[WALL], [NOBODY]])
        inverse = (self._append_walls(1 / values, [0.0]) for values in (c.mass, c.whole, c.radius))
        self.inverse_mass, self.inverse_whole, self.inverse_radius = inverse
        self.material = np.append(c.material, self.walls).astype(c.material.dtype)
        each = range(c.mass.size)
        meetings = [self._impacts_of_class(k) for k in each]
        self.shortest = min((first for first, _, _ in meetings), key=lambda i: i.time, default=NOTHING)
        self.deepest = max((deep for _, deep, _ in meetings), key=lambda i: i.overlap, default=NOTHING)
        self.damped_time = min((damped for _, _, damped in meetings), default=math.inf)
        third = kind.size + len(self.walls) > 2
        squeezed = [self._squeezed_contact(k) for k in each if third]
        self.squeezed = min((one for one, _ in squeezed), key=lambda i: i.time, default=NOTHING)
        self.squeezed_damped_time = min((damped for _, damped in squeezed), default=math.inf)

    def _append_walls(self, values: np.ndarray, wall_value: list) -> np.ndarray:
        """Values of all classes (..., C), and of the walls, if there are any."""
        return np.concatenate([values, *[wall_value] * len(self.walls)], axis=-1)

    def _partners(self, k: int) -> tuple[Spring, np.ndarray]:
        """Springs of class k with each other one, and the smaller of the two radii."""
        c = self.classes
        radius, reduced = 1 / (1 / c.radius[k] + self.inverse_radius), 1 / (1 / c.whole[k] + self.inverse_whole)
        spring = self.springs.between(np.full_like(self.material, c.material[k]), self.material, radius, reduced)
        return spring, 1 / np.maximum(1 / c.radius[k], self.inverse_radius)

    def _impacts_of_class(self, k: int) -> tuple[Impact, Impact, float]:
        """The shortest and the deepest impact of class k with any other, or with itself; the shortest damped time."""
        spring, smaller = self._partners(k)
        mass = 1 / (1 / self.classes.mass[k] + self.inverse_mass)
        same = self.body[0] == self.body[0, k]  # the fastest ones of both: one of them has to be the next
        one, other = self.speed[0, k] + self.speed[1], self.speed[1, k] + self.speed[0]
        speed = np.maximum(np.where(same, np.maximum(one, other), self.speed[0, k] + self.speed[0]), 0.0)
        speed[mass > 0.4 * FIXED] = 0.0  # two fixed bodies, or one and a wall, do not meet
        particle = np.where(same & (other > one), self.body[1, k], self.body[0, k])
        partner = np.where(same & ~(other > one), self.body[1], self.body[0])
        overlap = spring.overlap(0.5 * mass * speed**2)
        time = np.where(speed > 0, spring.time(mass, overlap), np.inf)
        columns = time, speed, overlap / smaller, particle, partner
        damped = (time / spring.damping_factor(mass, overlap)).min()
        return Impact.at(columns[0].argmin(), *columns), Impact.at(columns[2].argmax(), *columns), float(damped)

    def _squeezed_contact(self, k: int) -> tuple[Impact, float]:
        """The shortest contact that a body of class k has while others squeeze it, and the shortest damped time."""
        spring, smaller = self._partners(k)
        energy, body = self.classes.best_of_others(k, self.classes.energy)
        energy = np.maximum(self._append_walls(energy, [energy.max()]), 0.0)
        deep = np.maximum(
            spring.overlap(energy), (self.servo_force / spring.stiffness) ** (1 / np.asarray(spring.power))
        )
        mass, overlap = self.classes.mass[k], np.minimum(np.maximum(deep, self.servo_step), DEEPEST * smaller)
        overlap = overlap if mass < 0.9 * FIXED else np.zeros_like(overlap)  # nothing moves what is fixed
        time = np.where(overlap > 0, spring.time(mass, overlap) / math.sqrt(2), np.inf)
        speed, particle = np.sqrt(2 * spring.energy(overlap) / mass), np.full(time.size, self.body[0, k])
        damped = (time / spring.damping_factor(mass, overlap)).min()
        columns = time, speed, overlap / smaller, particle, self._append_walls(body, [WALL])
        return Impact.at(time.argmin(), *columns), float(damped)
