"""Contact networks: contacts by geometry, coordination numbers, fabric tensor, distribution of forces."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import checks, imports
from dem.base.periodic import nearest_image
from dem.base.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.contact.contact_forces import ContactForces
    from dem.model.shapes.bodies import Spheres

NO_WALLS = ((-np.inf,) * 3, (np.inf,) * 3)


class ContactNumbers(NamedTuple):
    """Numbers of bodies and walls that each body touches.

    Attributes
    ----------
    bodies : (N,) array
        Number of other bodies; several contacts of the same two bodies count once.
    walls : (N,) array
        Number of walls.
    """

    bodies: np.ndarray
    walls: np.ndarray


def contact_numbers(
    spheres: Spheres,
    tolerance: float = 0.0,
    *,
    walls: tuple[Sequence[float], Sequence[float]] = NO_WALLS,
    period: Sequence[float] = (0.0, 0.0, 0.0),
) -> ContactNumbers:
    """Numbers of other bodies and of walls that each body touches.

    Two bodies touch if somewhere a sphere of one and a sphere of the other are no farther apart than |x_i - x_j| <=
    R_i + R_j + tolerance; a sphere touches a wall at a distance of R + tolerance or less. The mean of ``bodies`` is
    the coordination number. Neighbours come from a k-d tree (scipy), within the largest diameter.

    Parameters
    ----------
    spheres : Spheres
        Centres (S, 3), radii (S,) [m], owner (S,): numbers of the N bodies from 0.
    tolerance : float
        Gap that still counts as contact [m].
    walls : two (3,) floats
        Lower and upper walls [m]; infinite where there is none.
    period : (3,) floats
        Length of the box along its periodic axes [m], 0 along the others.

    Returns
    -------
    ContactNumbers
        ``bodies`` and ``walls``, (N,) each.

    Raises
    ------
    ValueError
        If the tolerance is no finite number, or a period shorter than twice the reach of contacts.
    ImportError
        If scipy is not installed.

    Examples
    --------
    >>> from dem.statistics import Spheres
    >>> row = Spheres(np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]]), np.full(3, 0.5), np.arange(3))
    >>> contact_numbers(row, 1e-9, walls=((-0.5, -9, -9), (9, 9, 9)))
    ContactNumbers(bodies=array([1, 2, 1]), walls=array([1, 0, 0]))
    """
    tolerance = checks.number("tolerance", tolerance, unit="m")
    x, radius, owner = spheres
    count = int(owner.max(initial=-1)) + 1
    pairs = _touching_pairs(x, radius, tolerance, np.asarray(period, dtype=np.float64))
    i, j = np.sort(owner[pairs], axis=1).T
    met = np.unique((i * count + j)[i != j])
    bodies = np.bincount(met // max(count, 1), minlength=count) + np.bincount(met % max(count, 1), minlength=count)
    gap = np.stack([x - walls[0], np.asarray(walls[1]) - x], axis=-1) - radius[:, None, None]
    touched = np.zeros((count, 3, 2), dtype=bool)
    sphere, axis, side = np.nonzero(gap <= tolerance)
    touched[owner[sphere], axis, side] = True
    return ContactNumbers(bodies, touched.sum((1, 2)))


def _touching_pairs(x: np.ndarray, radius: np.ndarray, tolerance: float, period: np.ndarray) -> np.ndarray:
    """Pairs of touching spheres (K, 2)."""
    spatial = imports.library("scipy.spatial", extra="tables", purpose="contact numbers")
    reach = 2 * radius.max(initial=0.0) + tolerance
    if (short := period[(period > 0) & (period < 2 * reach)]).size:
        message = f"a period of {short[0]:g} m is short, expected at least {2 * reach:g} m: twice the reach of contacts"
        raise ValueError(message)
    if not len(x) or reach < 0:
        return np.zeros((0, 2), dtype=np.int64)
    safe = np.where(period > 0, period, 1.0)
    folded = np.where(period > 0, x - safe * np.floor(x / safe), x)
    folded = np.where((period > 0) & (folded >= period), 0.0, folded)  # a tiny negative x is rounded up to the period
    pairs = spatial.cKDTree(folded, boxsize=period).query_pairs(reach * (1 + 1e-9), output_type="ndarray")
    i, j = pairs.T
    gap = nearest_image(folded[i] - folded[j], period)
    return pairs[np.linalg.norm(gap, axis=1) <= radius[i] + radius[j] + tolerance]


class Coordination(NamedTuple):
    """Coordination numbers of a packing.

    Attributes
    ----------
    geometric : float
        Mean over all bodies.
    mechanical : float
        Mean over all bodies except rattlers, of contacts with each other and with walls; nan if there are none.
    rattlers : (N,) array of bools
        Which bodies are rattlers.
    """

    geometric: float
    mechanical: float
    rattlers: np.ndarray

    @property
    def share(self) -> float:
        """Share of the bodies that are rattlers."""
        return float(self.rattlers.mean())


class Fabric(NamedTuple):
    """Fabric tensor: distribution of contact directions.

    Attributes
    ----------
    tensor : (3, 3) array
        F, with the trace 1; a third of the unit tensor if all directions are alike.
    anisotropy : float
        0 if all directions are alike, 5 if there is one only.
    number : int
        Number of contacts.
    """

    tensor: np.ndarray
    anisotropy: float
    number: int


class ForceHistogram(NamedTuple):
    """Distribution of normal forces over their mean.

    Attributes
    ----------
    edges : (B + 1,) array
        Edges of the bins, over the mean.
    density : (B,) array
        Probability density, whose integral is one.
    mean : float
        Mean normal force [N].
    """

    edges: np.ndarray
    density: np.ndarray
    mean: float


def number_of_bodies(contacts: ContactForces, count: int, *, least: int = 0) -> int:
    """Check the number of bodies that contacts are of; raises ValueError or TypeError naming it."""
    count = checks.whole("count", count, least=least)
    highest = int(max(contacts.i.max(initial=-1), contacts.j.max(initial=-1)))
    if highest >= count:
        message = f"count is {count}, and a contact is of body {highest}: give the number of all bodies"
        raise ValueError(message)
    return count


def coordination(contacts: ContactForces, count: int, *, least: int = 2) -> Coordination:
    """Geometric and mechanical coordination number: with and without rattlers.

    With 2 N_c the contacts of all bodies, those with walls once, Z_g = 2 N_c/N. Z_m is the same of those that are left
    when bodies with fewer than `least` contacts, rattlers, are taken away until there are none; with least = 2 and
    taken away once it would be (2 N_c - N_1)/(N - N_0 - N_1) (C. Thornton, Géotechnique 50 (2000) 43, eq. 6). Several
    points of contact of the same two bodies count as one.

    Parameters
    ----------
    contacts : ContactForces
        From `Simulation.contact_forces` or `Frame.contact_forces`.
    count : int
        N, the number of bodies.
    least : int
        Contacts that hold a body: 2 with friction, 4 without it, in space.

    Returns
    -------
    Coordination
        ``geometric``, ``mechanical`` and ``rattlers``.

    Raises
    ------
    ValueError
        If there are no bodies, or a contact is of a body beyond `count`.

    Examples
    --------
    >>> from dem.statistics import ContactForces
    >>> x = np.zeros((4, 3))
    >>> ring = ContactForces(np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3]), np.zeros(4), *[x] * 5)  # and one beside it
    >>> geometric, mechanical, rattlers = coordination(ring, 4)
    >>> geometric, mechanical, rattlers.tolist()
    (2.0, 2.0, [False, False, False, True])
    """
    count, least = number_of_bodies(contacts, count, least=1), checks.whole("least", least, least=1)
    pairs = np.unique(np.stack([contacts.i, contacts.j], axis=1), axis=0)
    wall = pairs[:, 1] < 0
    pairs[wall, 1] = 0  # counts as held

    def numbers(is_counted: np.ndarray) -> np.ndarray:
        """Contacts of each body with those held and with walls."""
        both = is_counted[pairs[:, 0]] & (wall | is_counted[pairs[:, 1]])
        first = np.bincount(pairs[both, 0], minlength=count)
        return first + np.bincount(pairs[both & ~wall, 1], minlength=count)

    is_counted = np.ones(count, dtype=bool)
    own = numbers(is_counted)
    geometric = float(own.mean())
    while (loose := is_counted & (own < least)).any():
        is_counted &= ~loose
        own = numbers(is_counted)
    return Coordination(geometric, float(own[is_counted].mean()) if is_counted.any() else float("nan"), ~is_counted)


def fabric(contacts: ContactForces, weight: np.ndarray | None = None) -> Fabric:
    """Fabric tensor F = <n n> of the normals n of all contacts between bodies, and its anisotropy.

    M. Oda, Soils Found. 12 (1972) 17; M. Satake, IUTAM Conf. on Deformation and Failure (1982) 63. Normals with the
    density (1 + a_ij n_i n_j)/4π have a = 15/2 (F - 1/3), as far as that goes; the anisotropy is √(2/3 a_ij a_ij),
    the largest principal value of an a that is alike in the directions across.

    Parameters
    ----------
    contacts : ContactForces
        From `Simulation.contact_forces` or `Frame.contact_forces`; those with walls do not count.
    weight : (K,) array, optional
        Weight of each contact, such as its normal force; default: equal weights.

    Returns
    -------
    Fabric
        ``tensor``, ``anisotropy`` and ``number``.

    Raises
    ------
    ValueError
        If there are no contacts between bodies, or their weights have another shape or no positive sum.

    Examples
    --------
    >>> from dem.statistics import ContactForces
    >>> n = np.eye(3)
    >>> alike = ContactForces(np.zeros(3, int), np.ones(3, int), np.zeros(3), n, *[n] * 4)
    >>> fabric(alike).tensor.diagonal().round(6), fabric(alike).anisotropy
    (array([0.333333, 0.333333, 0.333333]), 0.0)
    """
    rows = ~contacts.with_wall
    n = contacts.normal[rows]
    if not len(n):
        message = "there are no contacts between bodies, of which a fabric could be made"
        raise ValueError(message)
    given = np.ones(len(rows)) if weight is None else weight
    w = checks.array("weight", given, rows.shape, "of each contact", rows="K")[rows]
    if not w.sum() > 0:
        raise ValueError(f"the weights of contacts between bodies sum to {w.sum():g}, expected more than 0")
    tensor = (w[:, None, None] * n[:, :, None] * n[:, None, :]).sum(axis=0) / w.sum()  # the same on every processor
    return Fabric(tensor, fabric_anisotropy(tensor), len(n))


def fabric_anisotropy(tensor: np.ndarray) -> np.ndarray | float:
    """Anisotropy of fabric tensors (..., 3, 3), see `fabric`."""
    a = 7.5 * (tensor - np.trace(tensor, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) / 3)
    found = np.sqrt(1.5 * (a * a).sum(axis=(-2, -1))) / 1.5
    return found if found.ndim else float(found)


def force_histogram(contacts: ContactForces, bins: int = 50, *, walls: bool = False) -> ForceHistogram:
    """Distribution of the normal forces of contacts over their mean.

    Static packings have an exponential tail above the mean and a finite density at zero (D. M. Mueth, H. M. Jaeger,
    S. R. Nagel, Phys. Rev. E 57 (1998) 3164).

    Parameters
    ----------
    contacts : ContactForces
        From `Simulation.contact_forces` or `Frame.contact_forces`.
    bins : int
        Number of equal bins from 0, or the least force if that pulls, to the largest one.
    walls : bool
        Whether contacts with walls count too.

    Returns
    -------
    ForceHistogram
        ``edges`` (bins + 1,), ``density`` (bins,) and ``mean`` [N].

    Raises
    ------
    ValueError
        If there are no contacts, or they do not push on average.

    Examples
    --------
    >>> from dem.statistics import ContactForces
    >>> n = np.array([[1.0, 0, 0]] * 4)
    >>> forces = np.array([[f, 9, 0] for f in (1.0, 1, 2, 4)])
    >>> pressed = ContactForces(np.zeros(4, int), np.ones(4, int), np.zeros(4), n, forces, n, n, n)
    >>> force_histogram(pressed, bins=2)
    ForceHistogram(edges=array([0., 1., 2.]), density=array([0.5, 0.5]), mean=2.0)
    """
    rows = slice(None) if walls else ~contacts.with_wall
    force = np.einsum("ka,ka->k", contacts.force, contacts.normal)[rows]
    mean = float(force.mean()) if len(force) else 0.0
    if not mean > 0:
        message = f"{counted(len(force), 'contact')} push with {mean:g} N on average, expected some that push"
        raise ValueError(message)
    span = (min(0.0, force.min() / mean), force.max() / mean)
    density, edges = np.histogram(force / mean, checks.whole("bins", bins, least=1), span, density=True)
    return ForceHistogram(edges, density, mean)
