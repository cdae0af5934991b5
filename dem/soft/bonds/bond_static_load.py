"""Static load of bonds: the weight of the whole chain below each, not only of its lighter body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base.notices import Notice
from dem.soft.bonds.bond_arrays import breakable, incidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.model.bonds import Bonds
    from dem.model.particles.particles import Particles


def carried(pairs: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Mass that hangs from the ground by each bond (B,) and by nothing else [kg]; 0 where there are other paths.

    Loose ends are taken off one by one, and their mass is added to the body that they hung on. A chain that hangs at
    both of its ends has none: the division of its weight depends on stiffness.

    Parameters
    ----------
    pairs : (B, 2)
        Numbers of the two bodies of each bond; -1 is the ground.
    mass : (N,)
        [kg].

    Examples
    --------
    >>> carried(np.array([(0, -1), (0, 1), (1, 2)]), np.array([1.0, 2.0, 4.0])).tolist()
    [7.0, 6.0, 4.0]
    """
    found, below = np.zeros(len(pairs)), mass.astype(float)
    first, incident = incidence(pairs, mass.size)
    grounded = _grounded(pairs, first, incident, mass.size)
    left, bonds_of = np.diff(first), lambda b: incident[first[b] : first[b + 1]] >> 1
    loose = np.flatnonzero(grounded & (left == 1)).tolist()
    taken = np.zeros(len(pairs), bool)
    while loose:
        body = loose.pop()
        bond = next((k for k in bonds_of(body) if not taken[k]), None)
        if bond is None:
            continue
        taken[bond], found[bond] = True, below[body]
        other = pairs[bond].sum() - body  # -1 where it is the ground
        if other >= 0:
            below[other] += below[body]
            left[other] -= 1
            if left[other] == 1:
                loose.append(other)
    return found


def _grounded(pairs: np.ndarray, first: np.ndarray, incident: np.ndarray, bodies: int) -> np.ndarray:
    """Which bodies are connected to the ground by bonds, by any path (N,)."""
    grounded = np.zeros(bodies, bool)
    reached = pairs[pairs[:, 1] < 0, 0].tolist()
    grounded[reached] = True
    while reached:
        body = reached.pop()
        for other in pairs[incident[first[body] : first[body + 1]] >> 1].ravel().tolist():
            if other >= 0 and not grounded[other]:
                grounded[other] = True
                reached.append(other)
    return grounded


def foreseen(bonds: Bonds, particles: Particles, gravity: tuple[float, float, float]) -> Iterator[Notice]:
    """Tell of bonds that are too weak for what hangs on them, unless something else bears it."""
    if not breakable(bonds) or not (bonds.pairs[:, 1] < 0).any() or not any(gravity):
        return
    pull = carried(bonds.pairs, particles.mass) * float(np.linalg.norm(gravity)) / (np.pi / 4 * bonds.diameter**2)
    k = int((pull / bonds.strength).argmax())
    if pull[k] > bonds.strength[k]:
        reason = (
            f"what hangs on bond {k} of particles {bonds.pairs[k].tolist()} alone pulls with {pull[k]:.3g} Pa, and its "
            f"strength is {bonds.strength[k]:g} Pa: it breaks as soon as nothing else bears that"
        )
        yield Notice("weak-bonds", reason, "raise strength or diameter")
