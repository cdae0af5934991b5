"""Contacts, losses and energies by kind of particle and pair of kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from dem.base import checks
from dem.base.text import counted
from dem.statistics.energies import kinetic_energies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.contact.contact_forces import ContactForces
    from dem.model.particles.particles import Particles

WALL = -1  # in place of the kind of a partner


class KindContacts(NamedTuple):
    """Contacts by pair of kinds, a row each: the pairs of K kinds, then each kind with walls.

    Attributes
    ----------
    pair : (P, 2) array
        Numbers of the two kinds, the smaller one first; -1 in the second column is a wall.
    number : (P,) array
        Number of contacts.
    normal_force : (P,) array
        Sum of the normal forces, repulsive if positive [N].
    tangential_force : (P,) array
        Sum of the sizes of the tangential forces [N].
    loss : (P,) array or None
        Sum of `ContactForces.loss` [W]; None where contacts do not have it.
    """

    pair: np.ndarray
    number: np.ndarray
    normal_force: np.ndarray
    tangential_force: np.ndarray
    loss: np.ndarray | None

    @property
    def mean_normal_force(self) -> np.ndarray:
        """Mean normal force of the contacts of each pair (P,) [N]; NaN without contacts."""
        return _mean(self.normal_force, self.number)

    @property
    def mean_tangential_force(self) -> np.ndarray:
        """Mean size of the tangential force of the contacts of each pair (P,) [N]; NaN without contacts."""
        return _mean(self.tangential_force, self.number)


class KindEnergies(NamedTuple):
    """Energies of the particles of each kind [J].

    Attributes
    ----------
    translational, rotational : (K,) arrays
        Kinetic energies [J].
    gravitational : (K,) array
        Potential energy -Σ m g·x, from the origin [J].
    """

    translational: np.ndarray
    rotational: np.ndarray
    gravitational: np.ndarray

    @property
    def kinetic(self) -> np.ndarray:
        """Kinetic energy of each kind, translational and rotational (K,) [J]."""
        return self.translational + self.rotational


def contacts_by_kind(contacts: ContactForces, kind: np.ndarray, kinds: int | None = None) -> KindContacts:
    """Number of contacts, normal and tangential forces and losses, by pair of kinds and by kind at walls.

    Parameters
    ----------
    contacts : ContactForces
        From `Simulation.contact_forces` or `Frame.contact_forces`.
    kind : (N,) array
        Number of each particle's kind, such as `sim.particles.kind` or `frame.kind`, or any other division of the
        particles into groups with numbers from 0.
    kinds : int, optional
        K, the number of kinds; default: as far as they occur. Tables of several frames have the same rows with it.

    Returns
    -------
    KindContacts
        ``pair`` (P, 2), ``number``, ``normal_force``, ``tangential_force`` and ``loss`` (P,) of all P = K (K + 3)/2
        pairs.

    Raises
    ------
    ValueError
        If a kind is negative or not below `kinds`, or a contact is of a particle beyond `kind`.

    Examples
    --------
    >>> import dem
    >>> sand = dem.Material(young=5e6, poisson=0.3, density=2500.0)
    >>> groups = {
    ...     "fine": dem.Particles(dem.Sphere(diameter=0.01), sand, position=[[0, 0, 0.00499]]),
    ...     "coarse": dem.Particles(dem.Sphere(diameter=0.02), sand, position=[[0, 0, 0.01997]]),
    ... }
    >>> floor = dem.Plane((0, 0, 0), (0, 0, 1), material=sand)
    >>> sim = dem.Simulation(dem.Particles.concatenate(groups), walls=[floor], time_step=1e-6)
    >>> table = contacts_by_kind(sim.contact_forces(), sim.particles.kind)
    >>> table.pair.tolist(), table.number.tolist()
    ([[0, 0], [0, 1], [1, 1], [0, -1], [1, -1]], [0, 1, 0, 1, 0])
    >>> table.normal_force.round(4)
    array([0.    , 0.0189, 0.    , 0.0082, 0.    ])
    """
    kind, count = _kinds(kind, kinds)
    i, j = np.asarray(contacts.i), np.asarray(contacts.j)
    if max(i.max(initial=-1), j.max(initial=-1)) >= len(kind):
        message = (
            f"contacts are of particle {max(i.max(), j.max())}, expected below {len(kind)}, the number of kinds given"
        )
        raise ValueError(message)
    wall = j < 0
    pair = np.array([(a, b) for a in range(count) for b in range(a, count)] + [(a, WALL) for a in range(count)])
    pair = pair.reshape(-1, 2)
    one, other = kind[i], kind[np.where(wall, i, j)]
    low, high = np.minimum(one, other), np.maximum(one, other)
    place = np.zeros((count, count + 1), np.int64)
    place[pair[:, 0], pair[:, 1]] = np.arange(len(pair))
    row = place[low, np.where(wall, WALL, high)]
    force, normal = np.asarray(contacts.force), np.asarray(contacts.normal)
    push = (force * normal).sum(axis=-1)
    across = np.linalg.norm(force - push[:, None] * normal, axis=-1)

    def sums(values: np.ndarray) -> np.ndarray:
        return np.bincount(row, values, minlength=len(pair))

    loss = None if contacts.loss is None else sums(contacts.loss)
    return KindContacts(pair, np.bincount(row, minlength=len(pair)), sums(push), sums(across), loss)


def energies_by_kind(
    kind: np.ndarray,
    *,
    mass: np.ndarray,
    inertia: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    orientation: np.ndarray,
    angular_velocity: np.ndarray,
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
    kinds: int | None = None,
) -> KindEnergies:
    """Kinetic energy of the particles of each kind, see `kinetic_energies`, and potential energy -m g · x.

    Parameters
    ----------
    kind : (N,) array
        As in `contacts_by_kind`.
    mass, inertia : (N,), (N, 3) arrays
        [kg], principal moments [kg m²].
    position, velocity, orientation, angular_velocity : (N, 3), (N, 3), (N, 4), (N, 3) arrays
        As of `Particles`.
    gravity : (3,) floats
        [m/s²].
    kinds : int, optional
        As in `contacts_by_kind`.

    Returns
    -------
    KindEnergies
        ``translational``, ``rotational`` and ``gravitational`` (K,) [J]; heights count from the origin.

    Raises
    ------
    ValueError
        As in `contacts_by_kind`.

    Examples
    --------
    >>> state = {"mass": [1.0, 2.0], "inertia": np.ones((2, 3)), "orientation": [[1.0, 0, 0, 0]] * 2}
    >>> moves = {
    ...     "position": [[0, 0, 1.0], [0, 0, 2.0]],
    ...     "velocity": [[2.0, 0, 0]] * 2,
    ...     "angular_velocity": np.ones((2, 3)),
    ... }
    >>> found = energies_by_kind([0, 1], **state, **moves, gravity=(0, 0, -10))
    >>> found.translational, found.rotational, found.gravitational
    (array([2., 4.]), array([1.5, 1.5]), array([10., 40.]))
    """
    kind, count = _kinds(kind, kinds)
    moving = kinetic_energies(mass, inertia, velocity, orientation, angular_velocity)
    weight = -np.asarray(mass) * (np.asarray(position, dtype=np.float64) * np.asarray(gravity)).sum(axis=-1)
    return KindEnergies(*(np.bincount(kind, values, minlength=count) for values in (*moving, weight)))


class _LossSource(Protocol):
    """Interface that `LossesByKind` needs of a simulation."""

    time: float
    particles: Particles

    def contact_forces(self) -> ContactForces:
        """Current contacts."""


class LossesByKind:
    """Energy dissipated in contacts by pair of kinds: `KindContacts.loss`, integrated over the time of a run.

    Give it to a run as ``every=(10, losses)``. The rate is integrated by the trapezoidal rule between the moments at
    which it is called, from the first one on: it is an estimate with an error of second order in their distance, and
    collisions that pass between two moments are not seen. The total is 0.1 % off for moments a hundredth of a collision
    apart, and 1.5 % for a twenty-fifth; for shares of pairs in a long run of many collisions fewer do. Over the life of
    a contact its integral is the energy that it dissipates; of contacts that last, springs of friction and rolling hold
    a part of it. The energy that adhesion loses at once where contacts break is not part of it.

    Attributes
    ----------
    pair : (P, 2) array
        As of `KindContacts`.
    energy : (P,) array
        Taken up so far [J].

    Examples
    --------
    >>> import dem
    >>> steel = dem.Material(young=5e6, poisson=0.3, density=2500.0, restitution=0.5)
    >>> balls = dem.Particles(
    ...     dem.Sphere(diameter=0.01), steel, position=[[0, 0, 0], [0.0101, 0, 0]], velocity=[[1, 0, 0], [0, 0, 0]]
    ... )
    >>> sim = dem.Simulation(balls, gravity=(0, 0, 0), time_step=2e-6)
    >>> losses = LossesByKind()
    >>> _ = sim.run(0.001, every=(1, losses))
    >>> losses.pair.tolist(), bool(abs(losses.energy[0] / sim.energy().dissipated - 1) < 1e-3)
    ([[0, 0], [0, -1]], True)
    """

    def __init__(self) -> None:
        self.pair, self.energy = np.zeros((0, 2), np.int64), np.zeros(0)
        self._previous: tuple[float, np.ndarray] | None = None

    def __call__(self, sim: _LossSource) -> None:
        """Add the losses since the last call."""
        bodies = sim.particles
        table, now = contacts_by_kind(sim.contact_forces(), bodies.kind, len(bodies.kinds)), sim.time
        if self._previous is None:
            self.pair, self.energy = table.pair, np.zeros(len(table.pair))
        elif len(table.pair) != len(self.pair):
            message = (
                f"the simulation has {counted(len(bodies.kinds), 'kind')} and had another number at the moment before: "
                "begin another dem.statistics.LossesByKind() after kinds have been added"
            )
            raise ValueError(message)
        else:
            self.energy = self.energy + 0.5 * (now - self._previous[0]) * (self._previous[1] + table.loss)
        self._previous = now, table.loss


def _kinds(kind: np.ndarray, kinds: int | None) -> tuple[np.ndarray, int]:
    """Check the numbers of kinds; returns them and how many kinds there are."""
    kind = np.asarray(kind)
    if kind.ndim != 1 or (kind.size and kind.dtype.kind not in "iu"):
        message = f"kind has shape {kind.shape} and type {kind.dtype}, expected whole numbers (N,)"
        raise ValueError(message)
    highest = int(kind.max(initial=-1))
    count = highest + 1 if kinds is None else checks.whole("kinds", kinds, least=1)
    if kind.min(initial=0) < 0 or highest >= count:
        message = f"kind goes from {kind.min()} to {highest}, expected 0 to {count - 1}"
        raise ValueError(message)
    return kind.astype(np.int64), count


def _mean(total: np.ndarray, number: np.ndarray) -> np.ndarray:
    return np.divide(total, number, out=np.full(len(total), np.nan), where=number > 0)
