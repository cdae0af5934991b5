"""Flexible fibres: chains of bonded bodies, and the conversion from rigid fibres."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.quaternions import product, rotate
from dem.base.user_classes import frozen, hinted
from dem.model.bonds import BondGeometry, Bonds
from dem.model.particles.kinds import Kind, is_fixed, numbered
from dem.model.particles.particles import Particles
from dem.model.shapes.capsule import FibreSegment, chain
from dem.model.shapes.shape import MassProperties

if TYPE_CHECKING:
    from dem.model.materials import Material

MAX_SEGMENTS = 2000
BESIDE = 1.5  # diameters between the ends of capsules of one fibre that meet, so that it may bend


@hinted
@dataclass(frozen=True, kw_only=True)
class FlexibleFibre:
    r"""A round rod with half balls at its ends that bends, twists and breaks: nodes in a row, with bonds between them.

    As a shape it is the rigid fibre at rest, so that it can be placed and packed as others are; `flexed` makes of such
    particles the bodies and bonds of a simulation. Its nodes are `FibreSegment`: together they have the mass of the
    rod with its ends. Nodes are spheres, one more than segments; or, if the fibre is smooth, capsules, one a segment,
    each from joint to joint, with bonds from middle to middle.

    Parameters
    ----------
    diameter : float
        [m].
    length, aspect_ratio : float
        Length of the fibre with its ends [m], or this length over the diameter: one of the two.
    segments : int, optional
        Number of bonds, default: such that spheres touch or overlap a little; of a smooth fibre the number of capsules,
        at least two, default: such that they are up to two diameters long.
    young, poisson : float, optional
        Young's modulus [Pa] and Poisson's ratio of the bonds; default: those of the material, as in contacts.
    damping : float
        Damping of each bond over critical damping, see `Bonds`.
    strength, shear_strength : float
        Stresses at which its bonds break [Pa]; default: never.
    curvature : float
        Curvature at rest [1/m]: the fibre lies on an arc in the x-y plane of its frame.
    smooth : bool
        Whether it touches others as capsules do, without grooves, see `Capsule`.

    Raises
    ------
    ValueError
        For sizes that make no fibre.

    Examples
    --------
    >>> import dem
    >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
    >>> hair = dem.FlexibleFibre(diameter=0.001, length=0.021, segments=20, young=1e9)
    >>> bodies, bonds = hair.make(nylon, position=[(0, 0, 0), (0, 0.1, 0)])
    >>> len(bodies), len(bonds)
    (42, 40)
    """

    diameter: float
    length: float | None = None
    aspect_ratio: float | None = None
    segments: int | None = None
    young: float | None = None
    poisson: float | None = None
    damping: float = 0.0
    strength: float = math.inf
    shear_strength: float = math.inf
    curvature: float = 0.0
    smooth: bool = False

    def __post_init__(self) -> None:
        """Check all values, and compute those that are not given."""
        d = checks.number("diameter", self.diameter, above=0, unit="m")
        if (self.length is None) == (self.aspect_ratio is None):
            raise ValueError("a flexible fibre needs either its length or its aspect_ratio: give one of the two")
        if self.length is None:
            length = d * checks.number("aspect_ratio", self.aspect_ratio, above=1)
        else:
            length = checks.number("length", self.length, above=d, unit="m")
        axis = length - d
        checks.flag("smooth", self.smooth)
        least, slice_ = (2, 2 * d) if self.smooth else (1, d)
        segments = max(least, math.ceil(axis / slice_ - 1e-9)) if self.segments is None else self.segments
        segments = checks.whole("segments", segments, least=least)
        if segments > MAX_SEGMENTS:
            raise ValueError(f"a flexible fibre of {segments} segments has more than {MAX_SEGMENTS}: give fewer")
        curvature = checks.number("curvature", self.curvature, unit="1/m")
        if abs(curvature) * axis > 2 * math.pi * (1 - 1 / (segments + 1)):
            raise ValueError(f"curvature {curvature:g} 1/m winds {axis:g} m around itself: lower it, or the length")
        if self.young is not None:
            checks.number("young", self.young, above=0, unit="Pa")
        if self.poisson is not None:
            checks.number("poisson", self.poisson, least=0, most=0.5)
        broken_at = {"strength": self.strength, "shear_strength": self.shear_strength}
        Bonds([(0, 1)], young=1.0, diameter=d, damping=self.damping, **broken_at)  # which checks them
        for name, value in (("diameter", d), ("length", length), ("aspect_ratio", length / d), ("segments", segments),
                            ("curvature", curvature)):  # fmt: skip
            object.__setattr__(self, name, value)

    def saved(self) -> dict:
        """Values that files store, with the length and without values computed from it."""
        names = ("diameter", "length", "segments", "young", "poisson", "damping", "strength", "shear_strength")
        return {name: getattr(self, name) for name in (*names, "curvature", "smooth")}

    @property
    def spacing(self) -> float:
        """Length of a bond at rest along the fibre [m]."""
        return (self.length - self.diameter) / self.segments

    @cached_property
    def _frames(self) -> tuple[np.ndarray, np.ndarray]:
        """Places (n, 3) [m] and orientations (n, 4) of the nodes at rest, about the centre of mass."""
        s = (np.arange(len(self.pieces)) - 0.5 * (len(self.pieces) - 1)) * self.spacing
        angle = self.curvature * s
        x = np.zeros((len(s), 3))
        if self.curvature:
            x[:, 0], x[:, 1] = np.sin(angle) / self.curvature, (1 - np.cos(angle)) / self.curvature
        else:
            x[:, 0] = s
        share = np.array([piece.length for piece in self.pieces])
        x -= (share[:, None] * x).sum(0) / share.sum()
        q = np.column_stack([np.cos(angle / 2), np.zeros_like(s), np.zeros_like(s), np.sin(angle / 2)])
        return frozen(x), frozen(q)

    @cached_property
    def pieces(self) -> tuple[FibreSegment, ...]:
        """Shapes of the nodes; end nodes are half a bond with a half ball, or a whole segment in a smooth fibre."""
        d, l = self.diameter, self.spacing
        if self.smooth:
            end, inner = (FibreSegment(diameter=d, length=each, axis=l) for each in (l + d / 3, l))
            return (end, *[inner] * (self.segments - 2), end)
        end, inner = (FibreSegment(diameter=d, length=each) for each in (0.5 * l + d / 3, l))
        return (end, *[inner] * (self.segments - 1), end)

    @cached_property
    def offsets(self) -> np.ndarray:
        """Sphere centres (n, 3) at rest [m]; those of a smooth fibre represent it to 0.8 % of the radius."""
        x, q = self._frames
        along = np.concatenate([chain(piece)[0][None] for piece in self.pieces])
        return frozen((x[:, None] + rotate(np.repeat(q[:, None], along.shape[1], axis=1), along)).reshape(-1, 3))

    @cached_property
    def radii(self) -> np.ndarray:
        """Sphere radii (n,) [m]."""
        return frozen(np.full(len(self.offsets), 0.5 * self.diameter))

    def scaled(self, factor: float) -> FlexibleFibre:
        """Flexible fibre scaled by a factor."""
        factor = checks.number("factor", factor, above=0)
        values = self.saved() | {"diameter": factor * self.diameter, "length": factor * self.length}
        return FlexibleFibre(**values | {"curvature": self.curvature / factor})

    def mass_properties(self, density: float) -> MassProperties:
        """Mass and moments of all segments in the rest shape."""
        parts = [piece.mass_properties(density) for piece in self.pieces]
        mass = np.array([p.mass for p in parts])
        x, q = self._frames
        along = rotate(q, np.array([1.0, 0.0, 0.0]))
        own = np.array([p.inertia for p in parts])
        square = mass[:, None] * ((x**2).sum(1)[:, None] - x**2)
        inertia = (square + own[:, 1:2] + (own[:, :1] - own[:, 1:2]) * along**2).sum(0)
        volume = sum(p.volume for p in parts)
        return MassProperties(volume, float(mass.sum()), (0.0,) * 3, tuple(inertia.tolist()), (1.0, 0.0, 0.0, 0.0))

    def bonds(self, material: Material) -> Bonds:
        """Bonds of one such fibre of a material, with its shape at rest; nodes are numbered from 0."""
        k = np.arange(len(self.pieces) - 1)
        made = Bonds(
            np.column_stack([k, k + 1]), young=self.young or material.young, diameter=self.diameter,
            poisson=material.poisson if self.poisson is None else self.poisson, damping=self.damping,
            strength=self.strength, shear_strength=self.shear_strength,
            apart=max(1, math.ceil((BESIDE if self.smooth else 1.0) * self.diameter / self.spacing - 1e-9)),
        )  # fmt: skip
        x, q = self._frames
        resting = made.at_rest(Particles(list(self.pieces), material, position=x, orientation=q))
        if self.curvature:
            return resting
        # to the bit the same, for one row in the kernels' table
        straight = BondGeometry(np.full(len(k), self.spacing), np.tile([1.0, 0.0, 0.0, 0.0], (len(k), 2, 1)))
        return Bonds(**made.values(), apart=made.apart, geometry=straight)

    def make(
        self, material: Material, *, position: object, orientation: object = None, velocity: object = None,
        angular_velocity: object = None, name: str = "fibre",
    ) -> tuple[Particles, Bonds]:  # fmt: skip
        """Bodies and bonds of N fibres in their rest shape.

        Parameters
        ----------
        material : Material
            Material of the nodes.
        position, orientation, velocity, angular_velocity, name
            Of the fibres, as of rigid ones in `Particles`; positions are those of their centres of mass [m].

        Returns
        -------
        Particles, Bonds
            Nodes, one fibre after the other, and the bonds between them.
        """
        rigid = Particles(
            self, material, position=position, orientation=orientation, velocity=velocity,
            angular_velocity=angular_velocity, name=name,
        )  # fmt: skip
        return FlexibleFibre.flexed(rigid)

    @staticmethod
    def flexed(particles: Particles) -> tuple[Particles, Bonds | None]:
        """Replace particles of flexible fibres by chains of nodes and bonds; other particles stay unchanged.

        They go in the order of the particles, those of a fibre one after the other, and move as it does. None in place
        of bonds if there are no flexible fibres.

        Examples
        --------
        >>> import dem
        >>> nylon = dem.Material(young=5e7, poisson=0.35, density=1100.0)
        >>> hair = dem.FlexibleFibre(diameter=0.001, aspect_ratio=11)
        >>> rigid = dem.Particles(hair, nylon, position=[(0, 0, 0)], angular_velocity=[(0, 0, 1)])
        >>> bodies, bonds = dem.FlexibleFibre.flexed(rigid)
        >>> bodies.velocity[0].round(4).tolist()  # ω × r at the first node
        [0.0, -0.005, 0.0]
        """
        return _flexed(particles)


def _flexed(particles: Particles) -> tuple[Particles, Bonds | None]:
    """Replace flexible fibres by nodes and bonds, see `FlexibleFibre.flexed`."""
    shapes = [shape for shape, _ in particles.variants]
    flexible = [isinstance(shape, FlexibleFibre) for shape in shapes]
    if not any(flexible):
        return particles, None
    if any(is_fixed(each) and f for each, f in zip(particles.variants, flexible, strict=True)):
        raise ValueError(
            "particles of a FlexibleFibre are fixed, expected fibres that move: a fixed sphere and a bond to it "
            "(dem.Bonds) hold a fibre by its end"
        )
    nodes = np.array([len(s.pieces) if f else 1 for s, f in zip(shapes, flexible, strict=True)])[particles.variant]
    first = np.concatenate([[0], np.cumsum(nodes)])
    state = {name: np.repeat(particles.field(name), nodes, axis=0) for name in particles.fields}
    variants, variant = {}, np.zeros(first[-1], np.int64)
    kind_of = np.repeat(particles.kind, nodes)
    pieces, rows, groups = [], [], []
    for v, (shape, material) in enumerate(particles.variants):
        whose = np.flatnonzero(particles.variant == v)
        rows_of = first[whose][:, None] + np.arange(len(shape.pieces) if flexible[v] else 1)
        if not flexible[v]:
            variant[rows_of] = variants.setdefault(particles.variants[v], len(variants))
            continue
        variant[rows_of] = [variants.setdefault((piece, material), len(variants)) for piece in shape.pieces]
        _place(state, rows_of, shape, particles, whose)
        pieces.append(shape.bonds(material))
        rows.append(first[whose])
        groups.append(v)
    kinds = [Kind(k.name, FibreSegment.__name__ if k.shape == FlexibleFibre.__name__ else k.shape, k.material)
             for k in particles.kinds]  # fmt: skip
    kinds, which = numbered(kinds)
    made = Particles.from_checked(list(variants), variant, kinds, np.array(which)[kind_of], state)
    return made, _joined(pieces, rows)


def _place(state: dict, rows_of: np.ndarray, shape: FlexibleFibre, particles: Particles, whose: np.ndarray) -> None:
    """State of the nodes (K, n) of K fibres of a shape, which moves as a rigid body."""
    x, q = shape._frames  # noqa: SLF001
    of_fibre = particles.orientation[whose][:, None]
    arm = rotate(np.broadcast_to(of_fibre, (len(whose), len(x), 4)), x)
    state["position"][rows_of] = particles.position[whose][:, None] + arm
    state["orientation"][rows_of] = product(np.broadcast_to(of_fibre, (len(whose), len(x), 4)), q)
    spin = particles.angular_velocity[whose][:, None]
    state["velocity"][rows_of] = particles.velocity[whose][:, None] + np.cross(spin, arm)


def _joined(pieces: list[Bonds], rows: list[np.ndarray]) -> Bonds:
    """Bonds of fibres with the given first nodes, in the order of the nodes."""
    copies = [len(r) for r in rows]

    def tiled(values: list[np.ndarray]) -> np.ndarray:
        return np.concatenate([np.tile(v, (n, *[1] * (v.ndim - 1))) for v, n in zip(values, copies, strict=True)])

    pairs = np.concatenate([(r[:, None, None] + b.pairs).reshape(-1, 2) for b, r in zip(pieces, rows, strict=True)])
    order = np.argsort(pairs[:, 0], kind="stable")
    values = {name: tiled([b.values()[name] for b in pieces])[order] for name in pieces[0].values()
              if name not in ("pairs", "ground")}  # fmt: skip
    shape = BondGeometry(*(tiled(parts)[order] for parts in zip(*(b.geometry for b in pieces), strict=True)))
    return Bonds(pairs[order], **values, apart=max(b.apart for b in pieces), geometry=shape)
