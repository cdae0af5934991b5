"""Advice on the time step, from the hardest impacts that the energies of a simulation allow.

`advise` chooses the time step of ``time_step="auto"``, too. The impacts are those of `dem.soft.time_step.impacts`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dem.base.notices import Notice
from dem.base.text import with_article
from dem.kernels.laws import Elastic
from dem.model.domain.box import AXES, FACES
from dem.model.domain.cell import Cell
from dem.model.shapes.convex import is_convex
from dem.soft import arrays
from dem.soft.neighbour_lists import SERVO_STEP
from dem.soft.time_step.adhesion import AdhesionLimit, adhesion_limit
from dem.soft.time_step.impacts import ADVISED, FIXED, FORCED, RESOLVED, WALL, HardestImpacts, rounded_down
from dem.soft.walls.wall_arrays import fastest_of, specific_fall_energy_to_walls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dem.model.domain.box import Box
    from dem.model.particles.particles import Particles
    from dem.model.walls.wall import Wall
    from dem.soft.time_step.impacts import Impact

ELASTIC = Elastic()
RAYLEIGH_SHARE = 0.2  # of the Rayleigh time, as usual in the field (10 to 30 %): particles in dense packings
# p d²: five times the mean force between spheres under a pressure p, p π d²/(φ Z) at φ = 0.62 with Z = 6 contacts
FORCE_IN_PACKING = 4.0
HEAVIEST = 23e3  # kg/m3: osmium has 22.6 g/cm3
LARGEST_TURN = 0.3  # rad a step; 0.1 are advised
ADVISED_TURN = 0.1


@dataclass(frozen=True)
class Advice:
    """Advice on the time step before the first one.

    Attributes
    ----------
    time_step : float
        Time step of the simulation [s].
    advised : float
        Time step that follows from all of the following [s].
    contact_time : float
        Shortest foreseeable duration of a contact [s]; infinite if nothing can meet.
    shortest : str
        Pair whose contact that is, in words.
    speed : float
        Speed of that impact [m/s].
    damped_time : float
        Shortest damped time of a contact [s], for which the time step is chosen. It is the duration of the contact, and
        shorter in proportion where the damping ratio η/(2 √(m* S)) exceeds 0.56, with the coefficient η of the dashpot
        and the secant stiffness S.
    squeezed_time : float
        Shortest half oscillation of a particle that is squeezed between two others [s].
    squeezed : str
        Which particle that is, in words.
    overlap : float
        Deepest foreseeable overlap, over the smaller radius.
    deepest : str
        Pair whose overlap that is, in words.
    rayleigh_time : float
        Shortest time that a surface wave takes around half a sphere [s].
    spin : float
        Largest angular speed at the start [rad/s].
    adhesion : AdhesionLimit
        If there is adhesion: its largest pull ``pull_off`` [N], and ``time``, the shortest half oscillation of
        particles that it holds [s].
    bond : float
        Bond number: largest pull over the weight of the lightest particle; 0 without gravity.
    other_limits : tuple of str
        What a fluid, heat and other scalars require, in words.
    frozen : bool
        Whether particles are held where they are (``frozen=True`` of `dem.Heat`), so that none of this matters.

    Examples
    --------
    >>> import dem
    >>> glass = dem.Material(young=5e6, poisson=0.3, density=2500.0)
    >>> box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), glass)
    >>> ball = dem.Particles(dem.Sphere(diameter=0.01), glass, position=[[0.05, 0.05, 0.02]])
    >>> advice = dem.Simulation(ball, box, time_step=1e-5).advice()
    >>> advice.shortest, round(advice.contact_time, 5), round(advice.steps_per_contact)  # falling from the lid
    ('a sphere on a wall', 0.0017, 170)
    """

    time_step: float
    advised: float
    contact_time: float
    shortest: str
    speed: float
    damped_time: float
    squeezed_time: float
    squeezed: str
    overlap: float
    deepest: str
    rayleigh_time: float
    spin: float
    adhesion: AdhesionLimit
    bond: float = 0.0
    other_limits: tuple[str, ...] = ()
    frozen: bool = False

    @property
    def steps_per_contact(self) -> float:
        """Time steps in the shortest foreseeable contact."""
        return self.contact_time / self.time_step

    @property
    def steps_squeezed(self) -> float:
        """Time steps in the shortest foreseeable contact of a particle that others squeeze."""
        return self.squeezed_time / self.time_step

    @property
    def turn(self) -> float:
        """Largest rotation in one step at the start [rad]."""
        return self.spin * self.time_step

    @property
    def lines(self) -> list[str]:
        """Advice on the time step, line by line."""
        if self.frozen:
            return ["motion: none, particles are held where they are", *self.other_limits]
        squeezed = (
            f"shortest when squeezed: {self.squeezed_time:.3g} s, {self.squeezed}: {self.steps_squeezed:.3g} steps "
            f"({RESOLVED} are advised)"
        )
        pull = self.adhesion
        adhesion = (
            f"adhesion: pulls by up to {pull.pull_off:.3g} N, {pull.strongest_pair}; half an oscillation at rest takes "
            f"{pull.time:.3g} s, {pull.fastest_pair}: {pull.time / self.time_step:.3g} steps (at least {RESOLVED})"
            f"{f'; Bond number {self.bond:.3g}' if self.bond else ''}"
        )
        shortest = (
            f"shortest contact: {self.contact_time:.3g} s, {self.shortest} at {self.speed:.3g} m/s: "
            f"{self.steps_per_contact:.3g} steps of {self.time_step:.3g} s (at least {RESOLVED})"
        )
        damping = (
            f"strong damping: velocities relax as fast as in a contact of {self.damped_time:.3g} s, for which the time "
            "step is advised"
        )
        deepest, meets = f"deepest overlap: {self.overlap:.1%} of a radius, {self.deepest}", self.speed > 0
        return [
            shortest if meets else f"contacts: {self.shortest}",
            *([damping] if self.damped_time < self.contact_time else []),
            *([squeezed] if self.squeezed_time < math.inf else []),
            *([adhesion] if pull.pull_off > 0 else []),
            *([deepest] if meets else []),
            f"Rayleigh time: {self.rayleigh_time:.3g} s, {self.time_step / self.rayleigh_time:.1%} of it a step",
            f"rotation: {self.turn:.2g} rad a step at the start (at most {LARGEST_TURN})",
            *self.other_limits,
            f"advised time step: {self.advised:.2g} s",
        ]


def advise(
    particles: Particles,
    box: Box | None,
    gravity: tuple[float, float, float],
    time_step: float | None = None,
    law: tuple = ELASTIC,
    walls: Sequence[Wall] = (),
) -> Advice:
    """Advice on the time step for particles in their present state; without `time_step`, for the advised one.

    The contact law is one of `dem.kernels.laws`.

    Examples
    --------
    >>> import dem
    >>> sim = dem.cases()["nine-fibres"]().simulation()
    >>> advice = advise(sim.particles, sim.box, sim.gravity, sim.time_step)
    >>> round(advice.steps_per_contact), advice.advised
    (270, 5.3e-06)
    """
    with np.errstate(over="ignore"):
        hardest = _hardest_impacts(particles, box, gravity, law, walls, time_step)
        deformed = hardest
        if isinstance(box, Cell) and box.largest_rate:
            deformed = _hardest_impacts(particles, box, gravity, law, walls, time_step, box.largest_rate)
        spin = float(np.linalg.norm(particles.angular_velocity, axis=1).max())
    first, deepest, squeezed = deformed.shortest, deformed.deepest, hardest.squeezed
    rayleigh, adhesion = min(_rayleigh_times(particles)), adhesion_limit(particles, box, law, walls)
    weight = float(particles.mass.min()) * math.hypot(*gravity)
    turning = ADVISED_TURN / spin if spin else math.inf
    resolved = min(deformed.damped_time, hardest.squeezed_damped_time) / RESOLVED
    advised = min(hardest.damped_time / ADVISED, adhesion.time / ADVISED, resolved, RAYLEIGH_SHARE * rayleigh, turning)
    advised = rounded_down(advised)
    return Advice(
        time_step=time_step or advised, advised=advised, contact_time=first.time, speed=first.speed,
        damped_time=deformed.damped_time,
        shortest=_describe_pair(particles, first, "on"), squeezed_time=squeezed.time,
        squeezed=_describe_pair(particles, squeezed, "squeezed against"), overlap=deepest.overlap,
        deepest=_describe_pair(particles, deepest, "on"), rayleigh_time=rayleigh, spin=spin, adhesion=adhesion,
        bond=adhesion.pull_off / weight if weight else 0.0,
    )  # fmt: skip


def _rayleigh_times(particles: Particles) -> Iterator[float]:
    """π R √(ρ/G)/(0.1631 ν + 0.8766) of the smallest sphere of each kind (as LIGGGHTS, fix check/timestep/gran).

    Of a convex shape R is that in contact laws.
    """
    for shape, m in particles.variants:
        shear = m.young / (2 * (1 + m.poisson))
        radius = shape.contact_radius if is_convex(shape) else float(min(shape.radii))
        yield math.pi * radius * math.sqrt(m.density / shear) / (0.1631 * m.poisson + 0.8766)


def _hardest_impacts(
    particles: Particles, box: Box | None, gravity: tuple[float, float, float], law: tuple, wall_models: Sequence[Wall],
    time_step: float | None, rate: float = 0.0,
) -> HardestImpacts:  # fmt: skip
    """The hardest impacts that particles can have after a fall through the box, or under the loads that press them.

    In a cell that deforms at a rate [1/s], they come to the speed of one rate times a diameter.
    """
    kinds = arrays.kinds(particles, box)
    fixed, falls = particles.fixed, specific_fall_energy(particles, box, gravity, wall_models)
    if fixed.any():
        height = -(particles.position * gravity).sum(1)
        falls = np.where(fixed, 0.0, np.maximum(falls, height - height[fixed].min()))
    own = 0.5 * (particles.velocity**2).sum(1) + falls
    turning = 0.5 * (particles.angular_velocity**2).sum(1)
    energy = (
        np.where(fixed, FIXED, kinds.mass[particles.variant]) * own + kinds.inertia.max(0)[particles.variant] * turning
    )
    walls = box is not None and len(box.absent) < len(FACES)
    springs = arrays.springs(particles, kinds, law, wall_models)
    servos = [wall.servo for wall in wall_models if wall.servo]
    most = SERVO_STEP * 2 * float(kinds.radius.min())  # of the way of a wall with a servo in a time step
    ways = [min(most, servo.fastest * (time_step or math.inf)) if servo.fastest else most for servo in servos]
    forces = [servo.strongest for servo in servos]
    widest = 2 * float(kinds.bounding_radius.max())
    if isinstance(box, Cell):
        forces.append(FORCE_IN_PACKING * float(np.abs(box.held[1]).max()) * widest**2)
    return HardestImpacts(
        kinds, springs, particles.variant, energy, walls=walls, fastest=fastest_of(box, wall_models),
        servo_force=max([0.0, *forces]), servo_step=max([0.0, *ways]), least_speed=rate * widest,
    )  # fmt: skip


def _describe_pair(particles: Particles, impact: Impact, how: str) -> str:
    """Partners of an impact, in words."""
    if impact.speed == 0:
        return "nothing can meet"
    partner = "a wall" if impact.partner == WALL else _name(particles, impact.partner)
    return f"{_name(particles, impact.particle)} {how} {partner}"


def _name(particles: Particles, body: int) -> str:
    """Part of a body that touches, in words: a sphere, or the tip of its shape."""
    shape, _ = particles.variants[particles.variant[body]]
    ball = len(shape.radii) == 1 and not is_convex(shape)
    name = re.sub("(?<=[a-z])(?=[A-Z])", " ", type(shape).__name__).lower()
    return "a sphere" if ball else f"{with_article(name)}'s tip"


def specific_fall_energy(
    particles: Particles, box: Box | None, gravity: tuple[float, float, float], walls: Sequence[Wall] = ()
) -> np.ndarray:
    """Gain of v²/2 in a fall to the wall below, or through a periodic cell (N,) [m²/s²]; zero without either."""
    gained = np.zeros(len(particles))
    if walls and any(gravity):
        return np.maximum(
            specific_fall_energy(particles, box, gravity),
            specific_fall_energy_to_walls(particles.position, gravity, walls),
        )
    for axis, (name, g) in enumerate(zip(AXES, gravity, strict=True)):
        if box is None or g == 0 or f"{name}{'+' if g > 0 else '-'}" in box.open:
            continue
        end = (box.upper if g > 0 else box.lower)[axis]
        gained += g * (end - particles.position[:, axis]) if name not in box.periodic else abs(g) * box.size[axis]
    return np.maximum(gained, 0.0)


def startup_notices(
    particles: Particles,
    box: Box | None,
    gravity: tuple[float, float, float],
    time_step: float,
    law: tuple = ELASTIC,
    walls: Sequence[Wall] = (),
) -> Iterator[Notice]:
    """Notices on the time step and the contacts before a run begins."""
    if not np.isfinite(particles.velocity).all():  # broken already, as the run will say
        return
    advice = advise(particles, box, gravity, time_step, law, walls)
    remedy = f'lower time_step to {advice.advised:.2g} s, or take time_step="auto"'
    if advice.overlap >= 1:
        driven = _energy_source(particles, box, gravity, walls)
        heaviest = max(material.density for _, material in particles.variants)
        wrong = (
            f"lower density, {heaviest:g} kg/m3, which is more than any solid has, or " if heaviest > HEAVIEST else ""
        )
        yield Notice("soft-contacts", f"{driven} would press {advice.deepest} in by {advice.overlap:.3g} radii",
                     f"{wrong}lower gravity or the speeds, or raise young", grave=True)  # fmt: skip
    given = f"time_step {time_step:g} s leaves"
    if advice.steps_per_contact < RESOLVED:
        reason = (
            f"{given} {_rounded_steps(advice.steps_per_contact, RESOLVED)} steps to the shortest contact that can be "
            f"foreseen ({advice.contact_time:.2g} s, {advice.shortest} at {advice.speed:.3g} m/s), at least {RESOLVED} "
            "resolve it"
        )
        yield Notice("coarse-time-step", reason, remedy, grave=advice.steps_per_contact < FORCED)
    elif advice.steps_squeezed < FORCED:
        reason = (
            f"{given} {_rounded_steps(advice.steps_squeezed, FORCED)} steps to the shortest contact of a particle "
            f"between two others ({advice.squeezed_time:.2g} s, {advice.squeezed}), fewer than {FORCED} may break it"
        )
        yield Notice("coarse-time-step", reason, remedy)
    elif advice.turn > LARGEST_TURN:
        reason = f"a particle turns {advice.turn:.2g} rad in one time step, at most {LARGEST_TURN} are resolved"
        yield Notice("coarse-time-step", reason, remedy)


def _energy_source(
    particles: Particles, box: Box | None, gravity: tuple[float, float, float], walls: Sequence[Wall]
) -> str:
    """Source of the energy of the hardest impact, in words."""
    with np.errstate(over="ignore"):
        moving = 0.5 * float((particles.velocity**2).sum(1).max())
        falling = float(specific_fall_energy(particles, box, gravity, walls).max())
        wall = fastest_of(box, walls)
    if isinstance(box, Cell) and box.largest_rate:
        return f"a speed of {math.sqrt(2 * moving):.3g} m/s in a cell that deforms at {box.largest_rate:.3g} 1/s"
    if (2 * wall) ** 2 > 2 * max(moving, falling):  # what a wall hits leaves at twice its speed
        return f"a wall at {wall:.3g} m/s"
    if falling > moving:
        strength = math.hypot(*gravity)
        return f"falling {falling / strength:.3g} m under gravity of {strength:g} m/s2"
    return f"a speed of {math.sqrt(2 * moving):.3g} m/s"


def _rounded_steps(steps: float, than: int) -> str:
    """Number of steps in two digits, rounded down where rounding would show it as the limit `than`.

    Examples
    --------
    >>> _rounded_steps(19.5, 20), _rounded_steps(1.57, 20)
    ('19', '1.6')
    """
    shown = f"{steps:.2g}"
    return f"{rounded_down(steps):g}" if float(shown) >= than else shown
