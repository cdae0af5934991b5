"""Effects of adhesion on neighbour lists, the unit of energy and the time step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.notices import Notice
from dem.kernels import laws
from dem.kernels.compiler.jit import in_python
from dem.kernels.laws.collision_time import ContactPairProperties
from dem.model.domain.box import FACES
from dem.soft import arrays
from dem.soft.contact.overlaps import DEEPEST
from dem.soft.time_step.impacts import ADVISED, FORCED, RESOLVED, SphereClasses, between, kind_of_row, rounded_down

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dem.kernels.soft.state import Kinds
    from dem.model.domain.box import Box
    from dem.model.particles.particles import Particles
    from dem.model.walls.wall import Wall
    from dem.soft.time_step.impacts import Springs

AT_REST = 4.5 ** (1 / 3)  # radius of a JKR contact without load, see `dem.kernels.laws.jkr`
MAX_RELATIVE_OVERLAP = 0.1  # of the smaller radius: what adhesion alone may press spheres in by
MAX_RELATIVE_VOLUME, MAX_CONTACT_ANGLE = 0.1, math.radians(50)  # V/R̄³, angle up to which Willett's formula was fitted


class Pairs(NamedTuple):
    """Pairs of surfaces (P,) that may touch."""

    i: np.ndarray  # rows of the law's tables
    j: np.ndarray  # walls' come last
    modulus: np.ndarray  # E* [Pa]
    radius: np.ndarray  # R* [m]
    smaller: np.ndarray  # radius [m]
    mass: np.ndarray  # smallest effective one [kg]

    @classmethod
    def of(cls, springs: Springs, material: np.ndarray, radius: np.ndarray, mass: np.ndarray, *, walls: bool) -> Pairs:
        """All pairs of the given spheres (C,), and of them with the box (if walls) and the walls beside it."""
        wall_rows = springs.surfaces(box=walls)
        i, j = np.triu_indices(material.size + len(wall_rows))
        i, j = i[i < material.size], j[i < material.size]
        material = np.append(material, wall_rows).astype(np.int64)
        radius, mass = (np.append(values, np.full(len(wall_rows), np.inf)) for values in (radius, mass))
        modulus_of_rows = springs.modulus.T
        return cls(
            material[i], material[j], modulus_of_rows[material[i], material[j]], 1 / (1 / radius[i] + 1 / radius[j]),
            np.minimum(radius[i], radius[j]), 1 / (1 / mass[i] + 1 / mass[j]),
        )  # fmt: skip


class AdhesiveEquilibrium(NamedTuple):
    """Equilibrium of contacts of pairs (P,) under adhesion and the elastic force alone."""

    overlap: np.ndarray  # [m]
    stiffness: np.ndarray  # dF/dδ there [N/m]
    energy: np.ndarray  # below that of surfaces apart [J]
    pull_off: np.ndarray  # largest pull [N]


class AdhesionLimit(NamedTuple):
    """Bounds of adhesion: the largest pull, and the shortest half oscillation about rest."""

    pull_off: float = 0.0  # [N]
    strongest_pair: str = ""  # whose that is
    time: float = math.inf  # [s]
    fastest_pair: str = ""


def pairs_of_extreme_sizes(kinds: Kinds, springs: Springs) -> Pairs:
    """Pairs of the smallest and of the largest spheres of all materials."""
    of_row = kinds.material[kind_of_row(kinds)]
    found = [
        (m, r) for m in np.unique(of_row) for r in (kinds.radius[of_row == m].min(), kinds.radius[of_row == m].max())
    ]
    material, radius = np.array([m for m, _ in found]), np.array([r for _, r in found])
    mass = np.full(radius.size, 2 * kinds.mass.min())
    return Pairs.of(springs, material, radius, mass, walls=True)


def longest_cutoff(law: tuple, kinds: Kinds, springs: Springs) -> float:
    """Largest gap across which a contact of these bodies may still act [m]."""
    if not acts_beyond_touch(law):
        return law.film.farthest if has_lubrication_film(law) else 0.0
    part = law.normal if laws.functions(type(law.normal)).cutoff else law.adhesion
    cutoff, pairs = in_python(laws.functions(type(part)).cutoff), pairs_of_extreme_sizes(kinds, springs)
    return float(max(cutoff(part, *pair[:4]) for pair in zip(*pairs, strict=True)))


def acts_beyond_touch(law: tuple) -> bool:
    """Whether contacts may act across a gap, after the surfaces have touched."""
    parts = () if isinstance(law, laws.Elastic) else (law.normal, law.adhesion)
    return any(laws.functions(type(part)).cutoff for part in parts)


def has_lubrication_film(law: tuple) -> bool:
    """Whether the law has a lubrication film, which acts before surfaces touch."""
    return isinstance(getattr(law, "film", None), laws.Film)


def has_adhesion(law: tuple) -> bool:
    """Whether there is any adhesion."""
    return not isinstance(law, laws.Elastic) and (
        isinstance(law.normal, laws.JKR) or not isinstance(law.adhesion, laws.NoComponent)
    )


def adhesive_equilibrium(law: tuple, pairs: Pairs) -> AdhesiveEquilibrium:
    """Equilibrium of pairs under adhesion: overlap, stiffness, energy, largest pull."""
    i, j, modulus, radius = pairs[:4]
    if isinstance(law.normal, laws.JKR):
        work = law.normal.work[i, j]
        s = np.cbrt(math.pi * work * radius**2 / modulus)
        slope = (4 * AT_REST**2 - 3 * math.sqrt(2 * AT_REST)) / (2 * AT_REST - 1 / math.sqrt(2 * AT_REST))
        overlap = (AT_REST**2 - math.sqrt(2 * AT_REST)) * s**2 / radius
        unit = math.pi * work
        return AdhesiveEquilibrium(
            overlap, slope * modulus * s, 1.64 * unit * s**2, 1.5 * unit * radius
        )  # π w R*²/s² is E* s
    spring = between(law, i, j, ContactPairProperties(modulus, radius, pairs.mass))
    p, q, overlap = spring.power, spring.pull_power, spring.equilibrium_overlap()
    if np.any(np.asarray(p) <= q):
        message = f"a pull that grows as overlap^{q:g} goes with a steeper elastic force, whose power is {np.min(p):g}"
        raise ValueError(message)
    pull = spring.pull * overlap**q  # where it is in balance with the elastic force
    reach = laws.functions(type(law.adhesion)).cutoff
    apart = pull * in_python(reach)(law.adhesion, i, j, modulus, radius) if reach else 0.0
    with np.errstate(invalid="ignore"):
        slope = np.where(pull > 0, (p - q) * pull / overlap, 0.0)
    largest = pull * (q / p) ** (q / (p - q)) * (1 - q / p)  # of h δ^q - k δ^p
    return AdhesiveEquilibrium(overlap, slope, (p - q) / ((q + 1) * (p + 1)) * pull * overlap + apart, largest)


def energies_of_adhesion(law: tuple, kinds: Kinds, springs: Springs, spheres: int) -> float:
    """Largest energy of adhesion of a number of spheres, summed without sign [J]."""
    return (
        spheres * float(adhesive_equilibrium(law, pairs_of_extreme_sizes(kinds, springs)).energy.max())
        if has_adhesion(law)
        else 0.0
    )


def possible_pairs(particles: Particles, box: Box | None, law: tuple, wall_models: Sequence[Wall]) -> Pairs:
    """Pairs of particle classes, and of these with walls, that may touch."""
    kinds = arrays.kinds(particles, box)
    springs = arrays.springs(particles, kinds, law, wall_models)
    c = SphereClasses.of(kinds, particles.variant, np.zeros(len(particles)))
    walls = box is not None and len(box.absent) < len(FACES)
    return Pairs.of(springs, c.material, c.radius, c.mass, walls=walls)


def adhesion_limit(particles: Particles, box: Box | None, law: tuple, walls: Sequence[Wall] = ()) -> AdhesionLimit:
    """Largest pull-off force, and shortest half period of oscillation, of pairs that may touch."""
    pairs = possible_pairs(particles, box, law, walls) if has_adhesion(law) else None
    if pairs is None or not pairs.i.size:
        return AdhesionLimit()
    time, equilibrium, k = _shortest(pairs, law)
    strongest, names = int(equilibrium.pull_off.argmax()), _names(particles)
    return AdhesionLimit(
        float(equilibrium.pull_off[strongest]),
        _describe_pair(pairs, strongest, names),
        time,
        _describe_pair(pairs, k, names),
    )


def _shortest(pairs: Pairs, law: tuple) -> tuple[float, AdhesiveEquilibrium, int]:
    """Shortest half period of oscillation about equilibrium [s], the equilibria of all pairs, and the pair with it."""
    equilibrium = adhesive_equilibrium(law, pairs)
    with np.errstate(divide="ignore"):
        times = math.pi * np.sqrt(pairs.mass / equilibrium.stiffness)
    k = int(times.argmin())
    return float(times[k]), equilibrium, k


def startup_notices(
    particles: Particles, box: Box | None, law: tuple, time_step: float, walls: Sequence[Wall] = ()
) -> Iterator[Notice]:
    """Notices on adhesion before a run begins."""
    if not has_adhesion(law):
        return
    pairs = possible_pairs(particles, box, law, walls)
    if not pairs.i.size:
        return
    names = _names(particles)
    time, equilibrium, k = _shortest(pairs, law)
    if time < RESOLVED * time_step:
        reason = (
            f"adhesion holds {_describe_pair(pairs, k, names)} so fast that half an oscillation takes {time:.2g} s, "
            f"{time / time_step:.2g} steps of {time_step:g} s, at least {RESOLVED} resolve it"
        )
        remedy = f'lower time_step to {rounded_down(time / ADVISED):g} s, or take time_step="auto"'
        yield Notice("coarse-time-step", reason, remedy, grave=time < FORCED * time_step)
    share = equilibrium.overlap / pairs.smaller
    k = int(share.argmax())
    if share[k] > MAX_RELATIVE_OVERLAP:
        reason = f"adhesion alone presses {_describe_pair(pairs, k, names)} in by {share[k]:.0%} of the smaller radius"
        yield Notice("soft-contacts", reason, "raise young, or lower the adhesion", grave=bool(share[k] > DEEPEST))
    if isinstance(law.adhesion, laws.Bridge):
        yield from _beyond_formula(pairs, law.adhesion, names)


def _beyond_formula(pairs: Pairs, bridge: laws.Bridge, names: list[str]) -> Iterator[Notice]:
    """Bridges that Willett's formula is not for."""
    volume = bridge.volume[pairs.i, pairs.j]
    ratio = volume / (2 * pairs.radius) ** 3
    k = int(ratio.argmax())
    if ratio[k] > MAX_RELATIVE_VOLUME:
        reason = (
            f"the liquid bridge of {_describe_pair(pairs, k, names)} has {ratio[k]:.2g} of (2 R*)^3, and the "
            f"formula for its force was fitted up to {MAX_RELATIVE_VOLUME}"
        )
        yield Notice(
            "large-bridge", reason, f"lower volume to {MAX_RELATIVE_VOLUME * (2 * pairs.radius[k]) ** 3:.2g} m3"
        )
    with np.errstate(invalid="ignore"):
        angle = np.nan_to_num(2 * (bridge.length[pairs.i, pairs.j] / np.cbrt(volume) - 1))
    k = int(angle.argmax())
    if angle[k] > MAX_CONTACT_ANGLE:
        reason = (
            f"the liquid bridge of {_describe_pair(pairs, k, names)} has a contact angle of "
            f"{math.degrees(angle[k]):.3g} degrees, and the formula for its force "
            f"was fitted up to {math.degrees(MAX_CONTACT_ANGLE):.3g}"
        )
        yield Notice("large-bridge", reason, "lower angle")


def _names(particles: Particles) -> list[str]:
    """Names of the materials of the particles, and of the wall."""
    found = arrays.materials(particles)
    return [material.name or f"material {k}" for k, material in enumerate(found)] + ["a wall"]


def _describe_pair(pairs: Pairs, k: int, names: list[str]) -> str:
    """A pair in words."""
    return f"{names[pairs.i[k]]} on {names[min(pairs.j[k], len(names) - 1)]} (R* = {pairs.radius[k]:.3g} m)"
