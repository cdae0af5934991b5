"""Contact forces on bodies and walls, and stress of all bodies, of a group, or in slabs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks
from dem.model.contact.contact_forces import ContactForces
from dem.statistics.contacts import ContactNumbers, number_of_bodies
from dem.statistics.profiles import slabs

if TYPE_CHECKING:
    from collections.abc import Sequence

FACES = 6  # x-, x+, y-, y+, z-, z+


class Loads(NamedTuple):
    """Forces and torques.

    Attributes
    ----------
    force : (N, 3) array
        [N].
    torque : (N, 3) array
        [N m].
    """

    force: np.ndarray
    torque: np.ndarray


class Stress(NamedTuple):
    """Stress tensor, positive in compression; index 0 is the normal of a plane, index 1 the force on it.

    Attributes
    ----------
    contact : (..., 3, 3) array
        Stress that contacts carry [Pa].
    kinetic : (..., 3, 3) array
        Stress by the motion of bodies about the mean velocity [Pa].
    """

    contact: np.ndarray
    kinetic: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """Total stress: contact and kinetic part (..., 3, 3) [Pa]."""
        return self.contact + self.kinetic

    @property
    def pressure(self) -> np.ndarray:
        """Pressure: a third of the trace of the total stress (...) [Pa]."""
        return np.trace(self.total, axis1=-2, axis2=-1) / 3


class StressProfile(NamedTuple):
    """Stress in slabs along an axis.

    Attributes
    ----------
    edges : (B + 1,) array
        Edges of the slabs [m].
    stress : Stress
        Stress in each slab (B, 3, 3) [Pa].
    """

    edges: np.ndarray
    stress: Stress


def body_loads(contacts: ContactForces, count: int) -> Loads:
    """Contact force on each body, and torque about its centre of mass.

    Parameters
    ----------
    contacts : ContactForces
        From `Simulation.contact_forces` or `Frame.contact_forces`.
    count : int
        N, the number of bodies.

    Returns
    -------
    Loads
        ``force`` (N, 3) [N] and ``torque`` (N, 3) [N m], without weight.

    Raises
    ------
    ValueError, TypeError
        If `count` is not an integer, or a contact is of a body beyond it.

    Examples
    --------
    >>> along_x = ([[x, 0, 0]] for x in (-1, -2.0, 0.005, -0.01, 0.005))  # normal, force, arm, branch, point
    >>> pressed = ContactForces(*map(np.array, ([0], [1], [1e-4], *along_x)))
    >>> body_loads(pressed, 2).force[:, 0]
    array([-2.,  2.])
    """
    count = number_of_bodies(contacts, count)
    loads = Loads(np.zeros((count, 3)), np.zeros((count, 3)))
    pair = ~contacts.with_wall
    for rows, body, sign, arm in (
        (slice(None), contacts.i, 1.0, contacts.arm),
        (pair, contacts.j, -1.0, contacts.arm + contacts.branch),
    ):
        force = sign * contacts.force[rows]
        np.add.at(loads.force, body[rows], force)
        np.add.at(loads.torque, body[rows], np.cross(arm[rows], force))
        if contacts.couple is not None:
            np.add.at(loads.torque, body[rows], sign * contacts.couple[rows])
    return loads


def wall_loads(contacts: ContactForces, about: Sequence[float] = (0.0, 0.0, 0.0)) -> Loads:
    """Contact force and torque on each of the six walls of a box.

    Torques take contacts where `ContactForces.point` has them, next to the particles. In a periodic box, particles may
    touch a wall across a periodic face, and files have positions that are not wrapped: take `torque` of the wall itself
    there, of `Simulation.walls` or `Trajectory.walls`.

    Parameters
    ----------
    contacts : ContactForces
        From `Simulation.contact_forces` or `Frame.contact_forces`.
    about : (3,) floats
        Point that torques are about [m].

    Returns
    -------
    Loads
        ``force`` (6, 3) [N] and ``torque`` (6, 3) [N m], of the faces x-, x+, y-, y+, z-, z+; (6 + W, 3) where walls
        beside the box are touched, of these after the faces, as far as the last one that is.

    Examples
    --------
    >>> along_x = ([[x, 0, 0]] for x in (-1, -2.0, 0.005, -0.005, 0.1))  # normal, force, arm, branch, point
    >>> pressed = ContactForces(*map(np.array, ([0], [-2], [1e-4], *along_x)))
    >>> wall_loads(pressed).force[:, 0] + 0.0  # the face x+ is pushed along x
    array([0., 2., 0., 0., 0., 0.])
    """
    rows = contacts.with_wall
    face, force = -1 - contacts.j[rows], -contacts.force[rows]
    size = max(FACES, int(face.max(initial=-1)) + 1)
    loads = Loads(np.zeros((size, 3)), np.zeros((size, 3)))
    np.add.at(loads.force, face, force)
    np.add.at(loads.torque, face, np.cross(contacts.point[rows] - np.asarray(about, dtype=np.float64), force))
    if contacts.couple is not None:
        np.add.at(loads.torque, face, -contacts.couple[rows])
    return loads


def coordination_numbers(contacts: ContactForces, count: int) -> ContactNumbers:
    """Number of other bodies and of walls in contact with each body; the mean of ``bodies`` is the usual one.

    Unlike `contact_numbers` this goes by contacts that carry a force.

    Parameters
    ----------
    contacts : ContactForces
        From `Simulation.contact_forces` or `Frame.contact_forces`.
    count : int
        N, the number of bodies.

    Returns
    -------
    ContactNumbers
        ``bodies`` and ``walls``, (N,) each.

    Raises
    ------
    ValueError, TypeError
        If `count` is not an integer, or a contact is of a body beyond it.

    Examples
    --------
    >>> along_x = ([[x, 0, 0]] for x in (-1, -2.0, 0.005, -0.01, 0.005))  # normal, force, arm, branch, point
    >>> pressed = ContactForces(*map(np.array, ([0], [1], [1e-4], *along_x)))
    >>> coordination_numbers(pressed, 2)
    ContactNumbers(bodies=array([1, 1]), walls=array([0, 0]))
    """
    pairs = np.unique(np.stack([contacts.i, contacts.j], axis=1), axis=0)
    wall = pairs[:, 1] < 0
    count = number_of_bodies(contacts, count)
    bodies = np.bincount(pairs[~wall].ravel(), minlength=count)
    return ContactNumbers(bodies, np.bincount(pairs[wall, 0], minlength=count))


def stress(
    contacts: ContactForces,
    volume: float,
    *,
    mass: np.ndarray | None = None,
    velocity: np.ndarray | None = None,
    group: np.ndarray | None = None,
) -> Stress:
    """Stress of all bodies, or of a group of them, in a volume.

    σ = (Σ_c l f + Σ_n m (v - V)(v - V))/V_0 over contacts c with branch l and force f, and bodies n about their mean
    velocity V (L. Rothenburg & A. P. S. Selvadurai 1981; I. Goldhirsch, Granul. Matter 12 (2010) 239). Of a contact of
    a body in the group with another one, the group has the part of the branch from its own centre to the point of
    contact. That of a contact with a wall is half of the overlap beyond the wall: with overlaps δ, the stress of all
    that is between two walls L apart exceeds the pressure on them by the factor 1 + δ/L.

    Parameters
    ----------
    contacts : ContactForces
        From `Simulation.contact_forces` or `Frame.contact_forces`. Bonds carry stress too: join their forces,
        `Simulation.bonds.forces`, to those of contacts by `ContactForces.concatenate`.
    volume : float
        Volume that the bodies fill, with the voids [m³].
    mass, velocity : (N,), (N, 3) arrays, optional
        [kg, m/s]; without them there is no kinetic part.
    group : (N,) array of truths, or of numbers, optional
        Whose stress it is.

    Returns
    -------
    Stress
        ``contact`` and ``kinetic``, (3, 3) each [Pa], positive in compression.

    Raises
    ------
    ValueError
        If the volume is not positive, or arrays have other shapes.

    Examples
    --------
    >>> along_x = ([[x, 0, 0]] for x in (-1, -2.0, 0.005, -0.01, 0.005))  # normal, force, arm, branch, point
    >>> pressed = ContactForces(*map(np.array, ([0], [1], [1e-4], *along_x)))
    >>> round(float(stress(pressed, volume=0.1).contact[0, 0]), 9)  # 0.01 m of 2 N in 0.1 m³
    0.2
    """
    volume = checks.number("volume", volume, above=0, unit="m3")
    if mass is not None and velocity is not None:
        mass, velocity = checks.per_body(mass=(mass, 1), velocity=(velocity, 3))
    most = int(max(contacts.i.max(initial=-1), contacts.j.max(initial=-1), -1 if mass is None else len(mass) - 1))
    chosen = np.zeros(most + 2, dtype=bool)  # the last one is for walls
    chosen[np.arange(most + 1)[slice(None) if group is None else group]] = True
    in_i, in_j = (chosen[np.maximum(body, -1)][:, None] for body in (contacts.i, contacts.j))
    part = np.where(in_j, contacts.arm + contacts.branch, 0.0) - np.where(in_i, contacts.arm, 0.0)
    kinetic = np.zeros((3, 3))
    if mass is not None and velocity is not None:
        rows = chosen[: len(mass)]
        m, v = mass[rows], velocity[rows]
        about = v - m @ v / m.sum() if len(m) else v
        kinetic = about.T @ (m[:, None] * about)
    return Stress(part.T @ contacts.force / volume, kinetic / volume)


def stress_profile(
    contacts: ContactForces,
    position: np.ndarray,
    velocity: np.ndarray,
    mass: np.ndarray,
    lower: Sequence[float],
    upper: Sequence[float],
    *,
    axis: str = "z",
    bins: int = 20,
    periodic: bool = False,
) -> StressProfile:
    """Stress in each slab of a box across an axis.

    The contact part of a slab is that of the planes in it, averaged: each contact acts along the line from centre to
    centre, or from a wall, and a slab has the share of it that lies in it. The sum over slabs is exact. Velocities are
    about the mean of the slab that the centre is in.

    Parameters
    ----------
    contacts : ContactForces
        From `Simulation.contact_forces` or `Frame.contact_forces`.
    position, velocity, mass : (N, 3), (N, 3), (N,) arrays
        Positions, velocities and masses of all bodies [m, m/s, kg].
    lower, upper, axis, bins, periodic
        As in `solid_fraction`.

    Returns
    -------
    StressProfile
        ``edges`` (bins + 1,) [m] and ``stress``, (bins, 3, 3) [Pa].

    Raises
    ------
    ValueError
        For an unknown axis, a box without volume, or arrays of other shapes.

    Examples
    --------
    >>> along_x = ([[x, 0, 0]] for x in (-1, -2.0, 0.005, -0.01, 0.005))  # normal, force, arm, branch, point
    >>> pressed = ContactForces(*map(np.array, ([0], [1], [1e-4], *along_x)))
    >>> bodies = {"position": [[0, 0, 0], [0.01, 0, 0]], "mass": [1, 1], "velocity": np.zeros((2, 3))}
    >>> profile = stress_profile(pressed, **bodies, lower=(0, 0, 0), upper=(0.02, 1, 1), axis="x", bins=2)
    >>> profile.stress.contact[:, 0, 0].round(9)  # 2 N on 1 m², in the half where the line between them is
    array([2., 0.])
    """
    across = slabs(lower, upper, axis, bins, periodic=periodic)
    position, velocity, mass = checks.per_body(position=(position, 3), velocity=(velocity, 3), mass=(mass, 1))
    start = across.fold(position[:, across.axis])[contacts.i]
    along = contacts.branch[:, across.axis]
    part = np.zeros((bins, 3, 3))
    for image in across.images:
        low, high = (f(start, start - along) + image for f in (np.minimum, np.maximum))
        share = np.diff([_share_below(edge, low, high) for edge in across.edges], axis=0)  # (B, K)
        part += np.einsum("bk,ki,kj->bij", share, contacts.branch, contacts.force, optimize=True)
    flow = across.flow(position, mass, velocity)
    about = velocity - flow.velocity[flow.slab]
    kinetic = np.zeros((bins, 3, 3))
    inside = flow.inside
    np.add.at(
        kinetic,
        flow.slab[inside],
        mass[inside, None, None] * about[inside, :, None] * about[inside, None, :],
    )
    return StressProfile(across.edges, Stress(part / across.volume, kinetic / across.volume))


def _share_below(edge: float, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Share of each interval from low to high that is below an edge; 0 or 1 for intervals without length."""
    length = high - low
    inside = np.divide(edge - low, length, out=np.where(edge > low, 1.0, 0.0), where=length > 0)
    return np.clip(inside, 0.0, 1.0)
