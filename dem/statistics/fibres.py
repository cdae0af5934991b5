"""Fibres: orientation tensors, shape of flexible fibres (chains of bonded bodies), contacts and entanglement.

Tensors, order parameter and director of directions; lengths and curvature of chains; excluded volume; linking of lines.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dem.base import checks, imports
from dem.base.periodic import nearest_image
from dem.base.quaternions import rotate
from dem.model.shapes.capsule import closest

UNIT = 1e-4  # how far from 1 the length of a direction may be: what writing four digits loses


class OrientationTensors(NamedTuple):
    """Moments of the distribution of directions.

    Attributes
    ----------
    a2 : (..., 3, 3) array
        Tensor of second order, <p_i p_j>.
    a4 : (..., 3, 3, 3, 3) array
        Tensor of fourth order, <p_i p_j p_k p_l>.
    """

    a2: np.ndarray
    a4: np.ndarray


class Order(NamedTuple):
    """Nematic order: order parameter and director.

    Attributes
    ----------
    parameter : (...) array
        Order parameter S.
    director : (..., 3) array
        Director n, a unit vector.
    """

    parameter: np.ndarray
    director: np.ndarray


def orientation_tensors(directions: np.ndarray) -> OrientationTensors:
    """Orientation tensors of second and fourth order.

    a_ij = <p_i p_j> and a_ijkl = <p_i p_j p_k p_l> over the fibres (Advani & Tucker, J. Rheol. 31 (1987) 751). Both are
    symmetric in all indices, do not tell p from -p, and a_ijkk = a_ij, a_kk = 1.

    Parameters
    ----------
    directions : (..., N, 3) array
        Unit vectors of N fibres, such as `Frame.axis`; of several times, with the times in front.

    Returns
    -------
    OrientationTensors
        ``a2`` (..., 3, 3) and ``a4`` (..., 3, 3, 3, 3): diag(1, 0, 0) for fibres along x, δ_ij/3 and
        (δ_ij δ_kl + δ_ik δ_jl + δ_il δ_jk)/15 for isotropic ones.

    Raises
    ------
    ValueError
        If the directions are no unit vectors, or there are none.

    Examples
    --------
    >>> a2, a4 = orientation_tensors([[1, 0, 0], [0, 1, 0]])
    >>> a2.diagonal()
    array([0.5, 0.5, 0. ])
    """
    p = unit_vectors(directions)
    pairs = (p[..., :, None] * p[..., None, :]).reshape(*p.shape[:-1], 9)
    a4 = np.swapaxes(pairs, -1, -2) @ pairs / p.shape[-2]
    return OrientationTensors(a2=pairs.mean(-2).reshape(*p.shape[:-2], 3, 3), a4=a4.reshape(*p.shape[:-2], 3, 3, 3, 3))


def order_parameter(directions: np.ndarray) -> Order:
    """Nematic order parameter S and director n.

    S is the largest eigenvalue of Q = (3 a2 - 1)/2, n its eigenvector (Eppenga & Frenkel, Mol. Phys. 52 (1984) 1303):
    1 for aligned fibres, 0 for isotropic, 1/4 for fibres at random in a plane. N random directions
    give about 1/√N instead of 0.

    Parameters
    ----------
    directions : (..., N, 3) array
        Unit vectors, as in `orientation_tensors`.

    Returns
    -------
    Order
        ``parameter`` (...) and ``director`` (..., 3), of which the component largest in size is positive.

    Raises
    ------
    ValueError
        If the directions are no unit vectors, or there are none.

    Examples
    --------
    >>> parameter, director = order_parameter([[1, 0, 0], [-1, 0, 0]])
    >>> float(parameter), director
    (1.0, array([1., 0., 0.]))
    """
    values, vectors = np.linalg.eigh(1.5 * orientation_tensors(directions).a2 - 0.5 * np.eye(3))
    director = vectors[..., -1]
    largest = np.take_along_axis(director, np.abs(director).argmax(-1)[..., None], -1)
    return Order(values[..., -1], np.where(largest < 0, -director, director))


def unit_vectors(directions: np.ndarray) -> np.ndarray:
    """Directions (..., N, 3) as floats; raises ValueError if there are none or they are not unit vectors."""
    p = checks.numbers("directions", directions, "(..., N, 3): unit vectors")
    if p.ndim < 2 or p.shape[-1] != 3 or p.shape[-2] == 0:
        message = f"directions have shape {p.shape}, expected (..., N, 3): unit vectors of at least one fibre"
        raise ValueError(message)
    worst = np.abs(np.linalg.norm(p, axis=-1) - 1).max(initial=0.0)
    if not worst <= UNIT:
        message = f"directions are off unit length by up to {worst:.3g}: divide them by their norm"
        raise ValueError(message)
    return p


def chains(pairs: np.ndarray, broken: np.ndarray | None = None, bodies: int | None = None) -> list[np.ndarray]:
    """Chains of bodies connected by unbroken bonds, in their order along each chain.

    Parameters
    ----------
    pairs : (B, 2) ints
        The two bodies of each bond, as of `Trajectory.bonds`; those to the ground, -1, do not count.
    broken : (B,) bools, optional
        Which are broken.
    bodies : int, optional
        Number of bodies: those without bonds are chains of one body. Default: they are left out.

    Returns
    -------
    list of (n,) int arrays
        Chains in the order of their first bodies; the first body has the lower number of both ends.

    Raises
    ------
    ValueError
        For bodies with more than two bonds, or rings: these are no rows.

    Examples
    --------
    >>> [chain.tolist() for chain in chains(np.array([(0, 1), (1, 2), (3, 4)]), np.array([False, True, False]))]
    [[0, 1], [3, 4]]
    """
    pairs = np.asarray(pairs)
    holds = (pairs >= 0).all(1) & (True if broken is None else ~np.asarray(broken))
    beside: dict[int, list[int]] = {}
    for i, j in pairs[holds].tolist():
        beside.setdefault(i, []).append(j)
        beside.setdefault(j, []).append(i)
    many = [body for body, others in beside.items() if len(others) > 2]
    if many:
        message = f"body {min(many)} has {len(beside[min(many)])} bonds: rows have at most two"
        raise ValueError(message)
    found, seen = [], set()
    for start in sorted(body for body, others in beside.items() if len(others) == 1):
        if start not in seen:
            row = [start]
            while len(row) == 1 or len(beside[row[-1]]) == 2:
                row.append(next(b for b in beside[row[-1]] if len(row) == 1 or b != row[-2]))
            seen.update(row)
            found.append(np.array(row))
    if len(seen) < len(beside):
        message = f"body {min(beside.keys() - seen)} is in a ring: rows have ends"
        raise ValueError(message)
    alone = [np.array([body]) for body in range(bodies or 0) if body not in beside]
    return sorted([*found, *alone], key=lambda row: int(row[0]))


def end_to_end(position: np.ndarray) -> np.ndarray:
    """End-to-end distance of a chain.

    Parameters
    ----------
    position : (..., n, 3) array
        Places of its bodies in their order [m].

    Returns
    -------
    (...) array
        [m].

    Examples
    --------
    >>> float(end_to_end(np.array([(0, 0, 0), (3, 0, 0), (3, 4, 0.0)])))
    5.0
    """
    position = np.asarray(position, dtype=float)
    return np.linalg.norm(position[..., -1, :] - position[..., 0, :], axis=-1)


def contour_length(position: np.ndarray) -> np.ndarray:
    """Length of a chain along its bonds.

    Parameters
    ----------
    position : (..., n, 3) array
        Places of its bodies in their order [m].

    Returns
    -------
    (...) array
        [m].

    Examples
    --------
    >>> float(contour_length(np.array([(0, 0, 0), (3, 0, 0), (3, 4, 0.0)])))
    7.0
    """
    return np.linalg.norm(np.diff(np.asarray(position, dtype=float), axis=-2), axis=-1).sum(-1)


def curvature(position: np.ndarray) -> np.ndarray:
    """Curvature of a chain at its inner bodies, by the circle through three neighbours: κ = 4 A/(a b c).

    Parameters
    ----------
    position : (..., n, 3) array
        Places of its bodies in their order [m].

    Returns
    -------
    (..., n - 2) array
        [1/m].

    Examples
    --------
    >>> angle = np.linspace(0, 1, 5)
    >>> curvature(np.column_stack([2 * np.cos(angle), 2 * np.sin(angle), 0 * angle])).round(12).tolist()
    [0.5, 0.5, 0.5]
    """
    x = np.asarray(position, dtype=float)
    a, b = x[..., 1:-1, :] - x[..., :-2, :], x[..., 2:, :] - x[..., 1:-1, :]
    sides = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1) * np.linalg.norm(a + b, axis=-1)
    return 2 * np.linalg.norm(np.cross(a, b), axis=-1) / sides


def persistence_length(position: np.ndarray) -> float:
    """Persistence length: decay length of the correlation of directions along chains.

    P = -s̄ / ln<t(0)·t(s)> of bonds next to each other, as of a worm-like chain, <t(0)·t(s)> = exp(-s/P) (Kratky &
    Porod, Rec. Trav. Chim. 68 (1949) 1106).

    Parameters
    ----------
    position : (..., n, 3) array
        Places of the bodies of many chains that are alike, or of many frames, in their order [m].

    Returns
    -------
    float
        [m]; infinite for straight ones.

    Raises
    ------
    ValueError
        If neighbouring bonds are at right angles or more on average.

    Examples
    --------
    >>> round(persistence_length(np.array([(0, 0, 0), (1, 0, 0), (1 + np.cos(0.1), np.sin(0.1), 0)])), 6)
    199.666333
    """
    bonds = np.diff(np.asarray(position, dtype=float), axis=-2)
    length = np.linalg.norm(bonds, axis=-1)
    along = bonds / length[..., None]
    cosine = float((along[..., 1:, :] * along[..., :-1, :]).sum(-1).mean())
    step = float((0.5 * (length[..., 1:] + length[..., :-1])).mean())
    if cosine <= 0:
        message = f"neighbouring bonds are at right angles on average (cosine {cosine:.3g}): take shorter bonds"
        raise ValueError(message)
    return np.inf if cosine >= 1 else step / -float(np.log(cosine))


class CapsuleContacts(NamedTuple):
    """Pairs of touching capsules.

    Attributes
    ----------
    pairs : (K, 2) array
        Numbers of both capsules, the lower one first.
    overlap : (K,) array
        [m].
    place : (K, 2) array
        Coordinate of the contact along both axes: -1 and 1 at the ends of the cylinders.
    angle : (K,) array
        Angle between the axes, 0 to π/2 [rad].
    """

    pairs: np.ndarray
    overlap: np.ndarray
    place: np.ndarray
    angle: np.ndarray

    def numbers(self, count: int) -> np.ndarray:
        """Number of contacts of each of a number of capsules (N,)."""
        return np.bincount(self.pairs.ravel(), minlength=count)

    @property
    def at_ends(self) -> np.ndarray:
        """Number of capsules (0, 1 or 2) that touch with an end, in each contact (K,)."""
        return (np.abs(self.place) == 1).sum(1)


def capsule_contacts(
    position: np.ndarray, orientation: np.ndarray, *, length: float, diameter: float, tolerance: float = 0.0,
    period: object = (0.0, 0.0, 0.0),
) -> CapsuleContacts:  # fmt: skip
    """Contacts of equal capsules, at the closest points of their axes; for parallel axes one of many such points.

    Parameters
    ----------
    position, orientation : (N, 3), (N, 4) arrays
        Centres [m], and unit quaternions, scalar first: the axis is body x.
    length, diameter : float
        Length of the fibre with its ends, and diameter [m].
    tolerance : float
        Gap that still counts as touching [m].
    period : (3,) floats
        Lengths of a periodic box, 0 for none [m]; at least two lengths of a capsule.

    Returns
    -------
    CapsuleContacts

    Raises
    ------
    ValueError
        For sizes that make no capsule.

    Examples
    --------
    >>> half = 0.5**0.5  # two crossed ones, 0.1 mm too near, and one that lies apart
    >>> found = capsule_contacts(
    ...     np.array([(0, 0, 0), (0.005, 0, 0.0099), (1, 1, 1.0)]),
    ...     np.array([(1, 0, 0, 0), (half, 0, 0, half), (1, 0, 0, 0)]),
    ...     length=0.03,
    ...     diameter=0.01,
    ... )
    >>> found.pairs.tolist(), found.overlap.round(9).tolist(), found.place.round(9).tolist()
    ([[0, 1]], [0.0001], [[0.5, 0.0]])
    >>> found.numbers(3).tolist(), found.at_ends.tolist(), round(float(found.angle[0]), 9) == round(np.pi / 2, 9)
    ([1, 1, 0], [0], True)
    """
    diameter = checks.number("diameter", diameter, above=0, unit="m")
    length = checks.number("length", length, above=diameter, unit="m")
    x, period = np.asarray(position, dtype=float), np.asarray(period, dtype=float)
    axis = rotate(np.asarray(orientation, dtype=float), np.tile([1.0, 0.0, 0.0], (len(x), 1)))
    u = 0.5 * (length - diameter) * axis
    spatial = imports.library("scipy.spatial", extra="tables", purpose="finding who touches")
    box = np.where(period > 0, period, 0.0)
    folded = x - box * np.floor(x / np.where(box > 0, box, 1.0))
    tree = spatial.cKDTree(np.where((box > 0) & (folded >= box), 0.0, folded), boxsize=box)
    i, j = np.sort(tree.query_pairs(length + tolerance, output_type="ndarray"), axis=1).reshape(-1, 2).T
    d = nearest_image(x[i] - x[j], period)
    s, t = closest(d.T, u[i].T, u[j].T)
    gap = d + s[:, None] * u[i] - t[:, None] * u[j]
    overlap = diameter - np.linalg.norm(gap, axis=1)
    near = np.flatnonzero(overlap > -tolerance)
    near = near[np.lexsort((j[near], i[near]))]
    cosine = np.abs((axis[i[near]] * axis[j[near]]).sum(1))
    place = np.column_stack([s, t])[near]
    return CapsuleContacts(np.column_stack([i, j])[near], overlap[near], place, np.arccos(np.minimum(cosine, 1.0)))


def excluded_volume(length: float, diameter: float) -> float:
    """Excluded volume of two capsules, averaged over all orientations [m³].

    4/3 π D³ + 2 π L D² + π/2 L² D with the length L of the cylinder (L. Onsager, Ann. N. Y. Acad. Sci. 51 (1949) 627).
    Times the number in a unit volume it is how many touch one of them where places are random, as is about so in dense
    packings of long ones (A. P. Philipse, Langmuir 12 (1996) 1127).

    Parameters
    ----------
    length, diameter : float
        Length of the fibre with its ends, and diameter [m].

    Returns
    -------
    float
        [m³].

    Raises
    ------
    ValueError
        If the diameter is not positive, or the length below it.

    Examples
    --------
    >>> round(excluded_volume(1.0, 1.0) / (4 / 3 * np.pi), 12)  # a ball
    1.0
    """
    d = checks.number("diameter", diameter, above=0, unit="m")
    l = checks.number("length", length, least=d, unit="m") - d
    return 4 / 3 * math.pi * d**3 + 2 * math.pi * l * d**2 + 0.5 * math.pi * l**2 * d


def linking(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Gauss linking integral of two open lines: mean number of signed crossings over all views.

    1/(4π) ∮∮ (x - y)·(dx × dy)/|x - y|³, exact for straight pieces (K. Klenin, J. Langowski, Biopolymers 54 (2000)
    307); of closed lines it is their whole linking number. Its size is a measure of entanglement, at most 1/2 for two
    straight rods (V. P. Patil & al., Science 380 (2023) 392).

    Parameters
    ----------
    one, other : (..., n, 3), (..., m, 3) arrays
        Corners of the lines: both ends of a straight rod, or bodies of a chain in their order [m].

    Returns
    -------
    (...) array
        The number, positive for one handedness and negative for the other.

    Examples
    --------
    >>> across = linking(np.array([(-1, 0, 0), (1, 0, 0)]), np.array([(0, -1, 2), (0, 1, 2)]))  # as near as long
    >>> bool(np.isclose(abs(across), np.arcsin(1 / 5) / np.pi, rtol=1e-14))
    True
    """
    a, b = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    r = b[..., None, :, :] - a[..., :, None, :]  # from corners of the one to those of the other
    corners = (r[..., :-1, :-1, :], r[..., :-1, 1:, :], r[..., 1:, 1:, :], r[..., 1:, :-1, :])
    normals = [np.cross(corners[k], corners[(k + 1) % 4]) for k in range(4)]
    sizes = [np.linalg.norm(n, axis=-1, keepdims=True) for n in normals]
    normals = [n / np.where(size > 0, size, 1.0) for n, size in zip(normals, sizes, strict=True)]
    angle = sum(np.arcsin(np.clip((normals[k] * normals[(k + 1) % 4]).sum(-1), -1.0, 1.0)) for k in range(4))
    along_a, along_b = np.diff(a, axis=-2)[..., :, None, :], np.diff(b, axis=-2)[..., None, :, :]
    sign = np.sign((np.cross(along_b, along_a) * corners[0]).sum(-1))
    return (sign * angle).sum((-2, -1)) / (4 * math.pi)


def entanglement(lines: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Sum of the absolute linking integrals of each line with the others.

    Parameters
    ----------
    lines : (N, n, 3) array
        Corners of the lines [m], see `linking`.
    pairs : (K, 2) ints
        Which are looked at, as of `CapsuleContacts.pairs`; or all, `np.column_stack(np.triu_indices(N, 1))`.

    Returns
    -------
    (N,) array
        The numbers.

    Examples
    --------
    >>> rods = np.array([[(-1, 0, 0), (1, 0, 0)], [(0, -1, 2), (0, 1, 2)], [(0, -1, -2), (0, 1, -2)]])
    >>> (entanglement(rods, np.array([(0, 1), (0, 2)])) * np.pi / np.arcsin(1 / 5)).round(12).tolist()
    [2.0, 1.0, 1.0]
    """
    lines, (i, j) = np.asarray(lines, dtype=float), np.asarray(pairs).T
    size = np.abs(linking(lines[i], lines[j]))
    return np.bincount(i, size, len(lines)) + np.bincount(j, size, len(lines))
