"""Which time step a simulation needs, from the hardest impact that its energy allows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.notices import Notice
from dem.model.box import AXES
from dem.soft import arrays
from kernels.base.jit import in_python
from kernels.laws import hertz

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.model.box import Box
    from dem.model.particles import Particles
    from kernels.soft.state import Kinds

DURATION = 2.0 * (15 / 16) ** 0.4 * math.sqrt(math.pi) * math.gamma(1.4) / math.gamma(0.9)  # 2.868, see contact_time
RESOLVED, FORCED = 20, 5  # steps a contact: fewer draw a warning; fewer are refused
# Steps a contact that are advised: the energy error of `improved-pcdm` is 0.18 % at 45 steps and of second order.
ADVISED = 50
RAYLEIGH_SHARE = 0.2  # of the Rayleigh time, as usual in the field (10 to 30 %): particles in dense packings
LARGEST_TURN = 0.3  # rad a step; 0.1 are advised
ADVISED_TURN = 0.1


class Impact(NamedTuple):
    """The hardest foreseeable impact of one kind of contact."""

    who: str
    time: float  # contact time [s]
    speed: float  # normal, at the contact [m/s]
    overlap: float  # largest, over the smaller radius


@dataclass(frozen=True)
class Advice:
    """What is known about the time step before the first one.

    ``contact_time`` is the shortest foreseeable one [s] (infinite if nothing can meet), by ``shortest`` at ``speed``
    [m/s]; ``overlap`` the deepest foreseeable one over the smaller radius, by ``deepest``; ``rayleigh_time`` the
    shortest time that a surface wave takes around half a sphere [s]; ``spin`` the largest angular speed at the start
    [rad/s]; ``advised`` the time step that follows from all of them [s].
    """

    time_step: float
    advised: float
    contact_time: float
    shortest: str
    speed: float
    overlap: float
    deepest: str
    rayleigh_time: float
    spin: float

    @property
    def steps_per_contact(self) -> float:
        """Time steps in the shortest foreseeable contact."""
        return self.contact_time / self.time_step

    @property
    def turn(self) -> float:
        """Largest rotation in one step at the start [rad]."""
        return self.spin * self.time_step

    @property
    def lines(self) -> list[str]:
        """The advice in words."""
        return [
            f"shortest contact: {self.contact_time:.3g} s, {self.shortest} at {self.speed:.3g} m/s: "
            f"{self.steps_per_contact:.3g} steps of {self.time_step:.3g} s (at least {RESOLVED})",
            f"deepest overlap: {self.overlap:.1%} of a radius, {self.deepest}",
            f"Rayleigh time: {self.rayleigh_time:.3g} s, {self.time_step / self.rayleigh_time:.1%} of it a step",
            f"rotation: {self.turn:.2g} rad a step at the start (at most {LARGEST_TURN})",
            f"advised time step: {self.advised:.2g} s",
        ]


def contact_time(mass: float, radius: float, modulus: float, speed: float) -> float:
    """Duration of an elastic Hertz impact [s]: T = 2.868 (m*²/(R* E*² v))^(1/5); Johnson (1985), eq. (11.24).

    With δ(t) from ½ m* δ'² + 2/5 K δ^(5/2) = ½ m* v², T = 2 δ_max/v ∫₀¹ du/√(1 - u^(5/2)), which is
    2 √π Γ(7/5)/Γ(9/10) δ_max/v, and δ_max = (15 m* v²/(16 E* √R*))^(2/5).

    Examples
    --------
    >>> round(contact_time(1.0, 1.0, 1.0, 1.0), 4)
    2.8683
    """
    if speed <= 0:
        return math.inf
    return DURATION * (mass / (math.sqrt(radius) * modulus)) ** 0.4 * speed**-0.2


def effective_masses(kinds: Kinds) -> np.ndarray:
    """Smallest effective mass at any point of each sphere of each kind (S,) [kg].

    For an impulse along n at the arm c + R n it is 1/(1/m + (c × n)·I⁻¹(c × n)), so the smallest one over all n is
    1/(1/m + λ) with λ the largest eigenvalue of [c]ᵀ I⁻¹ [c], [c] n = c × n. Rotation makes a fibre's tip lighter.
    """
    kind = np.repeat(np.arange(kinds.mass.size), np.diff(kinds.first_offset))
    x, y, z = kinds.offset
    zero = np.zeros_like(x)
    cross = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
    form = cross.transpose(0, 2, 1) @ (cross / kinds.inertia.T[kind][:, :, None])
    return 1 / (kinds.inverse_mass[kind] + np.linalg.eigvalsh(form)[:, -1])


def advise(
    particles: Particles, box: Box | None, gravity: tuple[float, float, float], time_step: float | None = None
) -> Advice:
    """Advice on the time step for particles in their present state; without one, as if it were the one advised.

    Examples
    --------
    >>> import dem
    >>> sim = dem.cases()["nine-fibres"]().simulation()
    >>> advice = advise(sim.particles, sim.box, sim.gravity, sim.time_step)
    >>> round(advice.steps_per_contact), advice.advised
    (270, 5.3e-06)
    """
    kinds = arrays.kinds(particles, box)
    nothing = Impact("nothing can meet", math.inf, 0.0, 0.0)
    with np.errstate(over="ignore"):
        impacts = list(_impacts(particles, kinds, box, gravity)) or [nothing]
        spin = float(np.linalg.norm(particles.angular_velocity, axis=1).max())
    first, deepest = min(impacts, key=lambda i: i.time), max(impacts, key=lambda i: i.overlap)
    rayleigh = min(_rayleigh_times(particles))
    advised = rounded_down(
        min(first.time / ADVISED, RAYLEIGH_SHARE * rayleigh, ADVISED_TURN / spin if spin else math.inf)
    )
    return Advice(
        time_step=time_step or advised, advised=advised, contact_time=first.time, shortest=first.who, speed=first.speed,
        overlap=deepest.overlap, deepest=deepest.who, rayleigh_time=rayleigh, spin=spin,
    )  # fmt: skip


def rounded_down(value: float) -> float:
    """The largest number of two significant digits that is no larger."""
    if value == 0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.floor(value / unit * (1 + 1e-12)) * unit:.1e}")


def _rayleigh_times(particles: Particles) -> Iterator[float]:
    """π R √(ρ/G)/(0.1631 ν + 0.8766) of the smallest sphere of each kind (as LIGGGHTS, fix check/timestep/gran)."""
    for shape, m in particles.variants:
        shear = m.young / (2 * (1 + m.poisson))
        yield math.pi * min(shape.radii) * math.sqrt(m.density / shear) / (0.1631 * m.poisson + 0.8766)


def _impacts(
    particles: Particles, kinds: Kinds, box: Box | None, gravity: tuple[float, float, float]
) -> Iterator[Impact]:
    """The hardest impact of each material with each other and with the walls.

    All that a particle has, and what it gains in falling through the box, goes into one contact; of each material the
    sphere whose contact is shortest stands for all.
    """
    energy = _largest_energies(particles, kinds, box, gravity)
    mass = effective_masses(kinds)
    kind = np.repeat(np.arange(kinds.mass.size), np.diff(kinds.first_offset))
    energy, material = energy[kind], kinds.material[kind]
    wall = max((motion.fastest for motion in box.motion.values()), default=0.0) if box else 0.0
    speed = np.sqrt(2 * energy / mass) + 2 * wall  # what a moving wall hits leaves at twice its speed
    with np.errstate(divide="ignore"):
        hardness = mass**2 / (kinds.radius * speed)  # the shorter the contact, the less
    names = ["a fibre's tip" if len(shape.radii) > 1 else "a sphere" for shape, _ in particles.variants]
    ends = [int(np.flatnonzero(material == a)[hardness[material == a].argmin()]) for a in range(len(kinds.modulus))]
    walls = box is not None and len(box.absent) < 6
    for a, s in enumerate(ends):
        m, r, v = mass[s], kinds.radius[s], speed[s]
        if walls:
            yield _impact(f"{names[kind[s]]} on a wall", m, r, kinds.wall_modulus[a], v + wall, r)
        for b, t in enumerate(ends[: a + 1]):
            if len(particles) == 1:
                continue
            radius, reduced = 1 / (1 / r + 1 / kinds.radius[t]), 1 / (1 / m + 1 / mass[t])
            reached = math.sqrt(2 * (0.5 * m * v**2 + 0.5 * mass[t] * speed[t] ** 2) / reduced)
            who = f"{names[kind[s]]} on {names[kind[t]]}"
            yield _impact(who, reduced, radius, kinds.modulus[a, b], reached, min(r, kinds.radius[t]))


def _impact(who: str, mass: float, radius: float, modulus: float, speed: float, smaller: float) -> Impact:
    stiffness = in_python(hertz.stiffness)(modulus, radius)
    overlap = (1.25 * mass * speed**2 / stiffness) ** 0.4
    return Impact(who, float(contact_time(mass, radius, modulus, speed)), float(speed), float(overlap / smaller))


def _largest_energies(
    particles: Particles, kinds: Kinds, box: Box | None, gravity: tuple[float, float, float]
) -> np.ndarray:
    """Largest kinetic energy that a particle of each kind (G,) has, or would have at the bottom of the box [J]."""
    own = 0.5 * (particles.velocity**2).sum(1) + fall(particles, box, gravity)
    turning = 0.5 * (particles.angular_velocity**2).sum(1)
    energy = kinds.mass[particles.variant] * own + kinds.inertia.max(0)[particles.variant] * turning
    largest = np.zeros(kinds.mass.size)
    np.maximum.at(largest, particles.variant, energy)
    return largest


def fall(particles: Particles, box: Box | None, gravity: tuple[float, float, float]) -> np.ndarray:
    """What falling to the wall below, or through a periodic cell, adds to v²/2 (N,) [m²/s²]; nothing without either."""
    gained = np.zeros(len(particles))
    for axis, (name, g) in enumerate(zip(AXES, gravity, strict=True)):
        if box is None or g == 0 or f"{name}{'+' if g > 0 else '-'}" in box.open:
            continue
        end = (box.upper if g > 0 else box.lower)[axis]
        gained += g * (end - particles.position[:, axis]) if name not in box.periodic else abs(g) * box.size[axis]
    return np.maximum(gained, 0.0)


def foreseen(
    particles: Particles, box: Box | None, gravity: tuple[float, float, float], time_step: float
) -> Iterator[Notice]:
    """What should be known of the time step and the contacts before a run begins."""
    if not np.isfinite(particles.velocity).all():  # broken already, as the run will say
        return
    advice = advise(particles, box, gravity, time_step)
    remedy = f'lower time_step to {advice.advised:.2g} s, or take time_step="auto"'
    if advice.overlap >= 1:
        driven = _driven(particles, box, gravity)
        yield Notice("soft-contacts", f"{driven} would press {advice.deepest} in by {advice.overlap:.3g} radii",
                     "lower gravity or the speeds, or raise young", grave=True)  # fmt: skip
    if advice.steps_per_contact < RESOLVED:
        reason = (
            f"time_step {time_step:g} s leaves {advice.steps_per_contact:.2g} steps to the shortest contact that "
            f"can be foreseen ({advice.contact_time:.2g} s, {advice.shortest} at {advice.speed:.3g} m/s), at least "
            f"{RESOLVED} resolve it"
        )
        yield Notice("coarse-time-step", reason, remedy, grave=advice.steps_per_contact < FORCED)
    elif advice.turn > LARGEST_TURN:
        reason = f"a particle turns {advice.turn:.2g} rad in one time step, at most {LARGEST_TURN} are resolved"
        yield Notice("coarse-time-step", reason, remedy)


def _driven(particles: Particles, box: Box | None, gravity: tuple[float, float, float]) -> str:
    """What the energy of the hardest impact comes from."""
    with np.errstate(over="ignore"):
        moving = 0.5 * float((particles.velocity**2).sum(1).max())
        falling = float(fall(particles, box, gravity).max())
    if falling > moving:
        strength = math.hypot(*gravity)
        return f"falling {falling / strength:.3g} m under gravity of {strength:g} m/s2"
    return f"a speed of {math.sqrt(2 * moving):.3g} m/s"
