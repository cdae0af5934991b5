"""Rods: contacts of capsules, excluded volume, entanglement by the linking of open lines."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dem.base import checks, imports
from dem.base.periodic import nearest_image
from dem.base.quaternions import rotate
from dem.model.shapes.capsule import closest


class CapsuleContacts(NamedTuple):
    """Pairs of capsules that touch."""

    pairs: np.ndarray  # (K, 2) of their numbers, the lower one first
    overlap: np.ndarray  # (K,) [m]
    place: np.ndarray  # (K, 2) of the contact along both axes, -1 and 1 at the ends of the cylinders
    angle: np.ndarray  # (K,) between the axes, 0 to π/2 [rad]

    def numbers(self, count: int) -> np.ndarray:
        """Contacts of each of so many capsules (N,)."""
        return np.bincount(self.pairs.ravel(), minlength=count)

    @property
    def at_ends(self) -> np.ndarray:
        """How many of the two touch with an end (K,): 0 is side on side, 1 end on side, 2 end on end."""
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
        Of the whole, ends included, and across [m].
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
    """Volume that the centre of a capsule cannot be in because of another one, all directions alike [m³].

    4/3 π D³ + 2 π L D² + π/2 L² D with the length L of the cylinder (L. Onsager, Ann. N. Y. Acad. Sci. 51 (1949) 627).
    Times the number in a unit volume it is how many touch one of them where places are random, as is about so in dense
    packings of long ones (A. P. Philipse, Langmuir 12 (1996) 1127).

    Parameters
    ----------
    length, diameter : float
        Of the whole, ends included, and across [m].

    Returns
    -------
    float
        [m³].

    Examples
    --------
    >>> round(excluded_volume(1.0, 1.0) / (4 / 3 * np.pi), 12)  # a ball
    1.0
    """
    d, l = diameter, length - diameter
    return 4 / 3 * math.pi * d**3 + 2 * math.pi * l * d**2 + 0.5 * math.pi * l**2 * d


def linking(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Gauss's linking integral of two open lines: how often, in the mean of all views, one crosses over the other.

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
    """Sum of the sizes of the linking integrals of each line with others.

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
