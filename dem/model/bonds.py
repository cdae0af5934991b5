"""Bonds between particles: pairs, stiffness, strength and shape at rest."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from dem.base import checks
from dem.base.periodic import PeriodicCell
from dem.base.quaternions import conjugate, product, rotate, rotation_from_x
from dem.base.text import counted, shown
from dem.base.user_classes import frozen, hinted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.particles.particles import Particles

GROUND = -1
LEFT = -2  # in place of the step at which a bond broke: its bodies have left through an open face
MODES = ("stretch", "twist", "shear", "bending")
NUMBERS = {
    "young": {"above": 0, "unit": "Pa"},
    "poisson": {"least": 0, "most": 0.5},
    "diameter": {"above": 0, "unit": "m"},
    "strength": {"above": 0, "unit": "Pa"},
    "shear_strength": {"above": 0, "unit": "Pa"},
    "moment_share": {"least": 0, "most": 1},
}
ARRAYS = ("pairs", *NUMBERS, "damping", "ground", "anchors", "contact")  # of `Bonds`, in files


class Breakage(NamedTuple):
    """A bond that broke."""

    step: int
    time: float  # [s]
    bond: int
    particles: tuple[int, int]  # the second is -1 for the ground

    @classmethod
    def of(cls, when: np.ndarray, pairs: np.ndarray, time_step: float) -> list[Breakage]:
        """All breakages in the order of time, from the steps at which bonds broke (B,), -1 for intact bonds."""
        order = np.lexsort((np.arange(len(when)), when))
        return [cls(int(when[k]), float(when[k] * time_step), int(k), tuple(pairs[k].tolist()))
                for k in order if when[k] >= 0]  # fmt: skip


@hinted
class Bonds:
    r"""Elastic bonds between bodies: short beams with a round section, that stretch, shear, bend, twist and break.

    A bond joins the centres of mass of two bodies of any shape, or an anchor in each. It is at rest as the particles
    are when the simulation begins, or as `at_rest` was told.

    Parameters
    ----------
    pairs : (B, 2) ints
        Numbers of the two bodies; the second may be -1, the ground.
    young : float or (B,)
        Young's modulus of the bonds [Pa], which may be another than the one that contacts have.
    diameter : float or (B,)
        Diameter of their section [m].
    poisson : float or (B,)
        Poisson's ratio, 0 to 0.5: the shear modulus is E/(2 (1 + ν)).
    damping : float, (4,) or (B, 4)
        Share of critical damping of each bond by itself, for stretch, twist, shear and bending.
    strength, shear_strength : float or (B,)
        Stresses at which a bond breaks, in tension and bending, and in shear and twist [Pa]; default: never.
    moment_share : float or (B,)
        Share of the stress of bending and twist that counts for breakage, 0 to 1 (β of parallel bonds).
    ground : (G, 3) floats, optional
        Positions of the ends of bonds to the ground, in the order of the bonds [m].
    anchors : (B, 2, 3) floats, optional
        Ends in the frames of the bodies, from their centres of mass [m]; default: the centres. That of the ground does
        not count.
    contact : bool or (B,)
        Whether the two bodies of a bond also touch each other, as they would without it: they press, rub and lose
        energy where they overlap, which they then had better not do at rest. Without contact a bond alone keeps its
        bodies apart, and they pass through each other if it is weak.
    apart : int
        Bodies up to so many bonds without contact apart do not meet each other, as long as all these bonds hold.
    geometry : BondGeometry, optional
        Shape at rest, which `at_rest` computes; default: that of the particles when the simulation begins.

    Raises
    ------
    ValueError, TypeError
        For bonds of a body to itself, two bonds of the same two bodies, values out of range.

    Notes
    -----
    The potential is that of `dem.kernels.bonds.beam`: stretch E A/l, twist G J/l, bending E I/l, and a shear stiffness
    1/k_s = l³/(12 E I) + l/(κ G A), κ = 6 (1 + ν)/(7 + 6 ν) (Cowper, J. Appl. Mech. 33 (1966) 335), by which a straight
    chain bends as a Timoshenko beam does, whatever the number of its bonds. A bond breaks where F_n/A + β M r/I exceeds
    its strength, or F_s/A + β M_t r/J that in shear (Potyondy & Cundall, Int. J. Rock Mech. 41 (2004) 1329); its energy
    is dissipated then, and the two bodies meet from there on, without a push.

    Examples
    --------
    Two balls on a rod, at rest 12 mm apart, pulled to 12.1 mm:

    >>> import dem, numpy as np
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> balls = dem.Particles(dem.Sphere(diameter=0.01), nylon, position=[[0, 0, 0], [0.012, 0, 0]])
    >>> rod = dem.Bonds([(0, 1)], young=1e7, diameter=0.002).at_rest(balls)
    >>> balls.position = [[0, 0, 0], [0.0121, 0, 0]]
    >>> sim = dem.Simulation(balls, bonds=rod, gravity=(0, 0, 0), time_step=1e-6)
    >>> half = 0.5 * 1e7 * np.pi * 0.001**2 / 0.012 * 0.0001**2  # ½ E A/l Δl²
    >>> round(sim.energy().elastic / half, 9)
    1.0
    """

    def __init__(
        self,
        pairs: object,
        *,
        young: object,
        diameter: object,
        poisson: object = 0.3,
        damping: object = 0.0,
        strength: object = math.inf,
        shear_strength: object = math.inf,
        moment_share: object = 1.0,
        ground: object = None,
        anchors: object = None,
        contact: object = False,
        apart: int = 1,
        geometry: BondGeometry | None = None,
    ) -> None:
        self.pairs = frozen(_pairs(pairs))
        count = len(self.pairs)
        given = {"young": young, "poisson": poisson, "diameter": diameter, "strength": strength,
                 "shear_strength": shear_strength, "moment_share": moment_share}  # fmt: skip
        self.young, self.poisson, self.diameter, self.strength, self.shear_strength, self.moment_share = (
            frozen(_numbers(name, value, count)) for name, value in given.items()
        )
        self.damping = frozen(_damping(damping, count))
        wanted = int((self.pairs[:, 1] == GROUND).sum())
        ground = np.zeros((0, 3)) if ground is None else ground
        checks.count_of("ground", ground)
        if np.shape(ground) != (wanted, 3) and (wanted or np.size(ground)):
            message = f"ground has shape {np.shape(ground)}, expected ({wanted}, 3): a place for each bond to -1 [m]"
            raise ValueError(message)
        self.ground = frozen(checks.array("ground", ground, (wanted, 3), "ends of bonds to the ground [m]") if wanted
                             else np.zeros((0, 3)))  # fmt: skip
        anchors = np.zeros((count, 2, 3)) if anchors is None else anchors
        self.anchors = frozen(checks.array("anchors", anchors, (count, 2, 3), "ends in the bodies' frames [m]"))
        self.contact = frozen(_flags("contact", contact, count))
        if isinstance(apart, int) and apart == 0:
            raise ValueError("apart is 0, expected at least 1: for contact between bonded bodies give contact=True")
        self.apart = checks.whole("apart", apart, least=1)
        self.geometry = geometry

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse changes: values are checked only when bonds are made."""
        if hasattr(self, "geometry"):  # which is assigned last
            raise AttributeError(f"{name} of Bonds can only be read: make other ones with dem.Bonds(...)", name=name)
        object.__setattr__(self, name, value)

    def __len__(self) -> int:
        """Count the bonds."""
        return len(self.pairs)

    def __repr__(self) -> str:
        """Number of bonds as text."""
        return f"<Bonds: {len(self)}>"

    def values(self) -> dict[str, np.ndarray]:
        """All arrays of the bonds by name, except the shape at rest."""
        return {name: getattr(self, name) for name in ARRAYS}

    def at_rest(self, particles: Particles, periods: Sequence = (0.0, 0.0, 0.0)) -> Bonds:
        """Bonds whose rest shape is the present pose of these particles.

        `periods` are the lengths of a periodic box along the axes, 0 for none, or the edges (3, 3) of a `dem.Cell` in
        columns [m].

        Raises
        ------
        ValueError
            If a bond is of a body that is not there, has no length, or is far too long.
        """
        return Bonds(**self.values(), apart=self.apart, geometry=at_rest(self, particles, np.array(periods, float)))

    @classmethod
    def concatenate(cls, groups: Sequence[Bonds], bodies: Sequence[int]) -> Bonds:
        """Join the bonds of groups of particles with given numbers of bodies, in the order of the groups.

        Raises
        ------
        ValueError, TypeError
            For no groups, other numbers than one for each group, or fewer bodies than the bonds of a group name.

        Examples
        --------
        >>> import dem
        >>> one = dem.Bonds([(0, 1)], young=1e7, diameter=0.002)
        >>> dem.Bonds.concatenate([one, one], [2, 2]).pairs.tolist()
        [[0, 1], [2, 3]]
        """
        groups = checks.of_one_type("groups", groups, Bonds)
        if not groups:
            raise ValueError("groups are none, expected at least one dem.Bonds")
        if checks.count_of("bodies", bodies) != len(groups):
            number = counted(len(groups), "group")
            raise ValueError(f"bodies is {shown(bodies)} for {number} of bonds, expected a number for each")
        for k, (number, most) in enumerate(zip(bodies, [g.pairs.max() for g in groups], strict=True)):
            if checks.whole(f"bodies[{k}]", number, least=1) <= most:
                raise ValueError(f"bodies[{k}] is {number}, but groups[{k}] has a bond of body {most}")
        first = np.cumsum([0, *bodies])
        values = {name: np.concatenate([g.values()[name] for g in groups]) for name in ARRAYS if name != "pairs"}
        pairs = [np.where(g.pairs == GROUND, GROUND, g.pairs + k) for g, k in zip(groups, first, strict=False)]
        shapes = [g.geometry for g in groups]
        geometry = None if None in shapes else BondGeometry(*map(np.concatenate, zip(*shapes, strict=True)))
        apart = max(g.apart for g in groups)
        return cls(np.concatenate(pairs), **values, apart=apart, geometry=geometry)

    @property
    def stiffness(self) -> np.ndarray:
        """Stiffness of stretch, twist, shear and bending (B, 4) [N/m, N m], from the shape at rest.

        Raises
        ------
        ValueError
            If the bonds have no shape at rest yet.
        """
        if self.geometry is None:
            raise ValueError("these bonds have no length at rest yet: take bonds.at_rest(particles).stiffness")
        area, bending = math.pi / 4 * self.diameter**2, math.pi / 64 * (self.diameter * self.diameter) ** 2
        shear, length = self.young / (2 * (1 + self.poisson)), self.geometry.length
        cowper = 6 * (1 + self.poisson) / (7 + 6 * self.poisson)
        across = 1 / (length * length * length / (12 * self.young * bending) + length / (cowper * shear * area))
        along = self.young * area / length
        return np.column_stack([along, shear * 2 * bending / length, across, self.young * bending / length])


def _pairs(given: object) -> np.ndarray:
    """Pairs of different bodies, each once."""
    checks.count_of("pairs", given)
    pairs = np.asarray(given)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer) or not len(pairs):
        message = f"pairs has shape {pairs.shape} of {pairs.dtype}, expected (B, 2) whole numbers, such as [(0, 1)]"
        raise ValueError(message)
    pairs = pairs.astype(np.int64)
    wrong = np.flatnonzero((pairs[:, 0] < 0) | (pairs[:, 1] < GROUND))
    if len(wrong):
        message = f"bond {wrong[0]} is of {pairs[wrong[0]].tolist()}, expected numbers of bodies; second may be -1"
        raise ValueError(message)
    itself = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if len(itself):
        message = f"bond {itself[0]} is of particle {pairs[itself[0], 0]} with itself: bonds hold two bodies together"
        raise ValueError(message)
    between = np.flatnonzero(pairs[:, 1] != GROUND)
    ordered = np.sort(pairs[between], axis=1)
    _, first, times = np.unique(ordered, axis=0, return_index=True, return_counts=True)
    twice = np.flatnonzero(times > 1)
    if len(twice):
        one, other = pairs[between[first[twice[0]]]]
        message = f"particles {one} and {other} have {times[twice[0]]} bonds: give them one, with a larger diameter"
        raise ValueError(message)
    return pairs


def _numbers(name: str, given: object, count: int) -> np.ndarray:
    """Array of one number for each bond, from one number for all or one for each."""
    values = checks.numbers(name, given)
    if values.shape not in ((), (count,)):
        raise ValueError(f"{name} has shape {values.shape}, expected a number, or ({count},)")
    low, high = float(values.min()), float(values.max())
    if math.isnan(low) or (high == math.inf and "strength" not in name):
        raise ValueError(f"{name} has values that are not finite")
    for value in (low, high):
        if value < math.inf:
            checks.number(name, value, **NUMBERS[name])
    return np.array(np.broadcast_to(values, (count,)))


def _flags(name: str, given: object, count: int) -> np.ndarray:
    """Boolean array (B,), from one value for all bonds or one for each."""
    checks.count_of(name, given)
    values = np.asarray(given)
    if values.shape not in ((), (count,)) or not (values.dtype == bool or np.isin(values, (0, 1)).all()):
        raise ValueError(f"{name} is {given!r}, expected True or False, or one for each of {count} bonds")
    return np.array(np.broadcast_to(values.astype(bool), (count,)))


def _damping(given: object, count: int) -> np.ndarray:
    """Shares of critical damping (B, 4)."""
    values = checks.numbers("damping", given)
    if values.shape not in ((), (len(MODES),), (count, len(MODES))):
        raise ValueError(
            f"damping has shape {values.shape}, expected a number, or (4,) for {', '.join(MODES)}, or ({count}, 4)"
        )
    if not ((values >= 0) & (values <= 1)).all():
        message = f"damping is {values.min():g} to {values.max():g}, expected shares of critical damping, 0 to 1"
        raise ValueError(message)
    return np.array(np.broadcast_to(values, (count, len(MODES))))


SHORTEST = 0.05  # of its diameter
LONGEST = 10.0  # of the bounding radii of both bodies, which are not to be in the way of others


class Joined(Protocol):
    """Bonds: `dem.Bonds`."""

    pairs: np.ndarray
    diameter: np.ndarray
    ground: np.ndarray
    anchors: np.ndarray


class Masses(NamedTuple):
    """Mass properties of N bodies, as `dem.Particles` have them."""

    mass: np.ndarray  # (N,) [kg]
    inertia: np.ndarray  # (N, 3) principal moments [kg m²]
    fixed: np.ndarray  # (N,)


class BondGeometry(NamedTuple):
    """Geometry of B bonds at rest."""

    length: np.ndarray  # (B,) from end to end [m]
    frames: np.ndarray  # (B, 2, 4) along the bond, in the frames of both bodies; the ground's is that of the world


def ends(bonds: Joined, particles: Particles) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Positions (B, 3) of both ends of bonds [m], and orientations (B, 4) of the bodies they are fixed to."""
    x, q = particles.position, particles.orientation
    i, j = bonds.pairs.T
    one = x[i] + rotate(q[i], bonds.anchors[:, 0])
    grounded = j < 0
    q_other = np.where(grounded[:, None], np.array([1.0, 0.0, 0.0, 0.0]), q[j])
    other = x[j] + rotate(q_other, bonds.anchors[:, 1])
    other[grounded] = bonds.ground
    return one, other, q[i], q_other


def at_rest(bonds: Joined, particles: Particles, periods: np.ndarray) -> BondGeometry:
    """Lengths and frames of bonds between particles in their present poses.

    Raises
    ------
    ValueError
        If a bond is of a body that is not there, has no length, or is far too long.
    """
    if bonds.pairs.max() >= len(particles):
        k = int(bonds.pairs.max(1).argmax())
        one, other = bonds.pairs[k]
        there = counted(len(particles), "particle")
        raise ValueError(f"bond {k} is between particles {one} and {other}, but the simulation has {there}")
    one, other, q_one, q_other = ends(bonds, particles)
    cell = PeriodicCell(np.zeros(3), periods) if periods.ndim == 2 else PeriodicCell.orthogonal(length=periods)
    r = np.ascontiguousarray(cell.nearest((other - one).T).T)
    length = np.linalg.norm(r, axis=1)
    _check_lengths(bonds, particles, length)
    along = rotate(conjugate(q_one), r / length[:, None])  # in the first body
    frame = rotation_from_x(along)
    frames = np.stack([frame, product(product(conjugate(q_other), q_one), frame)], axis=1)
    return BondGeometry(length, frames)


def _check_lengths(bonds: Joined, particles: Particles, length: np.ndarray) -> None:
    """Refuse bonds between bodies on top of each other, and far apart."""
    k = int((length / bonds.diameter).argmin())
    if length[k] < SHORTEST * bonds.diameter[k]:
        raise ValueError(
            f"bond {k} of particles {bonds.pairs[k].tolist()} is {length[k]:.3g} m long, at least {SHORTEST:g} of its "
            f"diameter ({bonds.diameter[k]:g} m) is needed: move the bodies apart, or give anchors"
        )
    reach = np.array([(np.linalg.norm(s.offsets, axis=1) + s.radii).max() for s, _ in particles.variants])
    size = reach[particles.variant]
    i, j = bonds.pairs.T
    allowed = LONGEST * np.where(j < 0, 2 * size[i], size[i] + size[j])
    k = int((length / allowed).argmax())
    if length[k] > allowed[k]:
        raise ValueError(
            f"bond {k} of particles {bonds.pairs[k].tolist()} is {length[k]:.3g} m long, at most {allowed[k]:.3g} m, "
            f"{LONGEST:g} times what both reach, holds them together: check the pairs, or put bodies between"
        )


def masses(
    bonds: Bonds, bodies: Particles | Masses, *, shared: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One over mass, and over moments of inertia along and across the bond, of both ends (B, 2).

    Bodies may be shared out among their bonds; the ground is as heavy as can be, and so is a fixed body. A bond that
    moves no body, between two fixed ones or of one to the ground, has their real masses, so that no coefficient is
    infinite.
    """
    mass, inertia = bodies.mass, bodies.inertia
    times = np.bincount(bonds.pairs[bonds.pairs >= 0], minlength=len(mass)) if shared else np.ones(len(mass))
    body = np.maximum(bonds.pairs, 0)
    ground = bonds.pairs < 0
    heavy = ground | bodies.fixed[body]
    heavy &= ground | ~heavy.all(axis=1, keepdims=True)
    share = np.where(heavy, 0.0, times[body])
    axis = rotate(bonds.geometry.frames, np.array([1.0, 0.0, 0.0]))
    along = (inertia[body] * axis**2).sum(-1)
    across = 0.5 * (inertia[body].sum(-1) - along)
    return share / mass[body], share / along, share / across


def dashpots(bonds: Bonds, bodies: Particles | Masses) -> np.ndarray:
    """Coefficients c = 2 ζ √(m k) of stretch, twist, shear and bending, each bond by itself (B, 4) [N s/m, N m s]."""
    mass, along, across = (ends.sum(1) for ends in masses(bonds, bodies))
    sheared = mass + 0.25 * bonds.geometry.length**2 * across
    inverse = np.column_stack([mass, along, sheared, across])
    return 2 * bonds.damping * np.sqrt(bonds.stiffness / inverse)
