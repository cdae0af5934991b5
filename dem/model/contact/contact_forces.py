"""Forces and geometry of all contacts at one moment, for users."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


class ContactForces(NamedTuple):
    """List of contacts with their forces, those of two bodies first; two fibres may have several contacts.

    Forces of bonds are a list of their own, `dem.Simulation.bonds.forces`; those of lubrication films between surfaces
    that do not touch are in no list.

    Attributes
    ----------
    i, j : (K,) arrays
        Numbers of the bodies; ``j`` is -1 - face at a wall: faces x-, x+, y-, y+, z-, z+ are 0 to 5, walls beside
        the box 6 and on.
    overlap : (K,) array
        [m]; negative where adhesion holds surfaces that have parted.
    normal : (K, 3) array
        Unit vectors from j to i.
    force : (K, 3) array
        Force on i [N]; j feels the opposite.
    arm : (K, 3) array
        From the centre of mass of i to the point of contact, at which the force acts [m].
    branch : (K, 3) array
        From the centre of mass of j to that of i; at a wall from the point of contact [m].
    point : (K, 3) array
        Point of contact, next to i if that is beyond a periodic face [m].
    loss : (K,) array or None
        Rate at which a contact takes up energy beside that of its normal law and of adhesion [W]: what damping,
        friction, rolling, twisting and films take, with what springs of friction, rolling and twisting store, and
        give back as negative values. None in frames of files, which do not have it.
    couple : (K, 3) array or None
        Torque on i besides that of the force at its point [N m]; j feels the opposite: that of rolling and
        twisting, and what several contacts of two capsules or polyhedra have besides their total force. None where
        no contact can have any, and in files of version 0.2 or before.

    Examples
    --------
    >>> import dem
    >>> glass = dem.Material(young=5e6, poisson=0.3, density=2500.0)
    >>> ball = dem.Particles(dem.Sphere(diameter=0.01), glass, position=[[0.05, 0.05, 0.0049]])  # 0.1 mm in the floor
    >>> box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), glass)
    >>> forces = dem.Simulation(ball, box, time_step=1e-5).contact_forces()
    >>> forces.j.tolist(), forces.overlap.round(9).tolist(), forces.normal.tolist()
    ([-5], [0.0001], [[0.0, 0.0, 1.0]])
    """

    i: np.ndarray
    j: np.ndarray
    overlap: np.ndarray
    normal: np.ndarray
    force: np.ndarray
    arm: np.ndarray
    branch: np.ndarray
    point: np.ndarray
    loss: np.ndarray | None = None
    couple: np.ndarray | None = None

    @classmethod
    def concatenate(cls, lists: Sequence[ContactForces]) -> ContactForces:
        """One list of several, such as of the contacts and the bonds of a simulation, `sim.bonds.forces`.

        The couples of a list without any are zero. ``loss`` is None if a list has none.

        Examples
        --------
        >>> x = np.array([[1.0, 0, 0]])
        >>> one = ContactForces(np.array([0]), np.array([1]), np.zeros(1), *[x] * 5, couple=x)
        >>> both = ContactForces.concatenate([one, one._replace(couple=None)])
        >>> both.i, both.couple[:, 0], both.loss
        (array([0, 0]), array([1., 0.]), None)
        """
        some = any(each.couple is not None for each in lists)
        lists = [
            each._replace(couple=np.zeros_like(each.force)) if some and each.couple is None else each for each in lists
        ]
        columns = zip(*lists, strict=True)
        return cls(*(None if any(part is None for part in parts) else np.concatenate(parts) for parts in columns))

    @property
    def with_wall(self) -> np.ndarray:
        """Which contacts are with a wall (K,)."""
        return self.j < 0
