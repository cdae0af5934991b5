"""Flexible fibres: chains of bonded bodies, how they are bent, how many bonds broke; functions of plain arrays."""

from __future__ import annotations

import numpy as np


def chains(pairs: np.ndarray, broken: np.ndarray | None = None, bodies: int | None = None) -> list[np.ndarray]:
    """Bodies that unbroken bonds make rows of, in their order along each.

    Parameters
    ----------
    pairs : (B, 2) ints
        The two bodies of each bond, as of `Trajectory.bonds`; those to the ground, -1, do not count.
    broken : (B,) bools, optional
        Which are broken.
    bodies : int, optional
        How many bodies there are: those without bonds are chains of one. Default: they are left out.

    Returns
    -------
    list of (n,) int arrays
        By their first body, which has the lower number of both ends.

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
    """Distance of both ends of a chain.

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
    """Curvature of a chain at its inner places: that of the circle through each three neighbours, κ = 4 A/(a b c).

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
    """Length along which chains lose their direction.

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
