"""Checks and advice for stochastic spheres: refused input, cells and time steps, progress of steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks
from dem.base.notices import Notice
from dem.dsmc.engine import PACKED, relaxation_times
from dem.dsmc.verdict import ENSKOG, OFTEN, TOO_OFTEN
from dem.event_driven.checks import ROUNDING, check_box, check_spheres
from dem.kernels.dsmc import steps
from dem.soft.time_step.impacts import rounded_down

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.dsmc.engine import StochasticEngine
    from dem.model.domain.box import Box
    from dem.model.fluid.turbulence import Turbulence
    from dem.model.particles.particles import Particles

# particles a cell that collisions need at least; keys: whether collisions are of "partners"
MIN_PARTICLES_PER_CELL = {False: 2, True: 5}
ENOUGH = {False: 10, True: 30}  # that are enough
FEW = {False: 5, True: 15}  # below which a notice is given
ADVISED = 0.1  # collisions of a particle in a step
CROSSED = 0.5  # of a cell in a step, at the root mean square speed
DENSE = 0.3  # solid fraction from which kinetic theory goes astray


@dataclass(frozen=True)
class GasAdvice:
    """Advice on the time step of stochastic spheres, and the figures from which it is derived.

    ``rate`` is that of collisions of a particle [1/s]; ``width`` that of the narrowest cells [m], infinite if there is
    but one along each axis, ``widest`` that of the widest; ``speed`` the root mean square speed, ``free_path`` the mean
    free path.
    """

    time_step: float
    rate: float
    speed: float
    width: float
    widest: float
    free_path: float
    occupancy: float

    @property
    def longest(self) -> float:
        """Time step in which a particle has `OFTEN` collisions, or crosses a cell, whichever is shorter [s]."""
        return min(OFTEN / self.rate if self.rate else math.inf, self.width / self.speed if self.speed else math.inf)

    @property
    def advised(self) -> float:
        """Recommended time step [s]; infinite if nothing moves."""
        collisions = ADVISED / self.rate if self.rate else math.inf
        crossing = CROSSED * self.width / self.speed if self.speed else math.inf
        found = min(collisions, crossing)
        return rounded_down(found) if math.isfinite(found) else found

    @property
    def lines(self) -> list[str]:
        """Lines of text with the advice."""
        return [
            f"collisions: {self.rate:.3g} of a particle a second, {self.rate * self.time_step:.2g} in a step "
            f"(at most {OFTEN})",
            f"cells: {self.occupancy:.3g} particles each, {self.widest / self.free_path:.2g} mean free paths of "
            f"{self.free_path:.3g} m wide; {self.speed * self.time_step / self.width:.2g} of one is crossed in a step",
            f"advised time step: {self.advised:.2g} s",
        ]


def advise(particles: Particles, box: Box, engine: StochasticEngine, time_step: float) -> GasAdvice:
    """Advice on the time step for the current state, or for the steady state in turbulence if that is faster."""
    _, rate = engine.measure_gas()
    cells = np.array(engine.rule.cells)
    width = min((w for w, n in zip(engine.space.width, cells, strict=True) if n > 1), default=math.inf)
    speed, path = float(np.sqrt((particles.velocity**2).sum(1).mean())), free_path(particles, box)
    if engine.rule.turbulence:
        carried = followed(particles, engine.rule.turbulence)
        rate, speed = max(rate, math.sqrt(8 * carried / math.pi) / path), max(speed, math.sqrt(3 * carried))
    return GasAdvice(
        time_step, rate, speed, width, max(engine.space.width), path, len(particles) / float(cells.prod())
    )  # fmt: skip


def followed(particles: Particles, fluid: Turbulence) -> float:
    """Steady variance of a velocity component [m²/s²] of the particles that follow the turbulence most closely."""
    return fluid.rms**2 / (1 + min(relaxation_times(particles, fluid)) / fluid.time_scale)


def solid_fraction(particles: Particles, box: Box) -> float:
    """Volume of the spheres over that of the box."""
    return float(math.pi / 6 * (diameters(particles) ** 3).sum() / math.prod(box.size))


def diameters(particles: Particles) -> np.ndarray:
    """Diameters of all spheres (N,) [m]."""
    return np.array([2 * shape.radii[0] for shape, _ in particles.variants])[particles.variant]


def free_path(particles: Particles, box: Box) -> float:
    """Mean free path 1/(√2 π n d² χ) [m]; of a mixture with the mean of d²."""
    phi, volume = solid_fraction(particles, box), math.prod(box.size)
    chi = (1 - phi / 2) / (1 - phi) ** 3
    return volume / (math.sqrt(2) * math.pi * chi * float((diameters(particles) ** 2).sum()))


def held_by(size: np.ndarray, cells: float) -> float:
    """Width [m] of cells of which a box (3,) has a given number; shorter axes have one cell."""
    short = np.zeros(3, bool)
    while True:
        width = float((size[~short].prod() / max(cells, 1.0)) ** (1 / np.count_nonzero(~short)))
        found = size < width
        if found.all() or not (found & ~short).any():
            return width
        short |= found


def cells_of(particles: Particles, box: Box, width: float | None, *, partners: bool) -> tuple[int, int, int]:
    """Number of cells along each axis for a width; not finer than λ/3, and with enough particles in each.

    Raises ValueError if they would be too few to draw collisions from.
    """
    groups = len(particles.variants) if partners else 1
    n, size = len(particles), np.array(box.size)
    if width is None:
        width = max(held_by(size, n / (ENOUGH[partners] * groups)), free_path(particles, box) / 3)
        cells = np.maximum(1, np.floor(size / width)).astype(int)
    else:
        width = checks.number("cell", width, above=0, unit="m")
        if (size / width > 1e6).any():
            message = f"cell is {width:g} m, so there would be more than a million along an axis: make it wider"
            raise ValueError(message)
        cells = np.maximum(1, np.round(size / width)).astype(int)
    each = n / groups / float(cells.prod())
    if each < MIN_PARTICLES_PER_CELL[partners]:
        of = f" of each of {groups} variants" if groups > 1 else ""
        wider = f"make them wider than {width * np.cbrt(MIN_PARTICLES_PER_CELL[partners] / each):.3g} m"
        remedy = wider if cells.prod() > 1 else "take more particles"
        message = (
            f"{' x '.join(map(str, cells))} cells hold {each:.3g} particles{of} each, expected at least "
            f"{MIN_PARTICLES_PER_CELL[partners]} to draw from: {remedy}" + ", or fewer sizes" * (groups > 1)
        )
        raise ValueError(message)
    x, y, z = cells.tolist()
    return x, y, z


def check_fraction(particles: Particles, box: Box) -> None:
    """Refuse solid fractions beyond the range of Enskog's factor."""
    phi = solid_fraction(particles, box)
    if phi > ENSKOG:
        message = (
            f"solid fraction of the box is {phi:.3g}, expected at most {ENSKOG:g}, up to which Enskog's factor is that "
            "of a fluid of spheres: take dem.HardSpheres, or a larger box"
        )
        raise ValueError(message)


def foreseen(
    advice: GasAdvice, particles: Particles, box: Box, *, partners: bool
) -> Iterator[Notice]:  # fmt: skip
    """Notices to give before a run begins."""
    often, step = advice.rate * advice.time_step, advice.time_step
    if step > advice.longest:
        crossed = advice.speed * step / advice.width
        reason = f"time_step leaves {often:.3g} collisions of a particle a step (at most {OFTEN})"
        if often <= OFTEN:
            reason = f"particles cross {crossed:.3g} cells in a step (at most 1)"
        remedy = f"lower time_step to {advice.advised:g} s"
        yield Notice("coarse-time-step", reason, remedy, grave=often > TOO_OFTEN)
    groups = len(particles.variants) if partners else 1
    if advice.occupancy / groups < FEW[partners]:
        reason = f"cells hold {advice.occupancy / groups:.3g} particles each, so that the same pairs collide again"
        yield Notice("few-in-a-cell", reason, f"make cells wider, for {ENOUGH[partners]} of them")
    phi = solid_fraction(particles, box)
    if phi > DENSE:
        reason = f"solid fraction {phi:.3g} is beyond {DENSE:g}, where collisions of spheres are correlated"
        yield Notice("dense-gas", reason, "use dem.HardSpheres, which resolves positions")
    if advice.widest > advice.free_path / 3 and advice.occupancy / groups > 8 * ENOUGH[partners]:
        reason = (
            f"cells are {advice.widest / advice.free_path:.2g} mean free paths wide: gradients within a cell are lost"
        )
        yield Notice("wide-cells", reason, "make cells finer, or leave cell out")


def check_surroundings(particles: Particles, box: Box) -> None:
    """Refuse particles other than single spheres, and boxes with faces that this method does not support."""
    if len(particles) < 2:
        message = "there is 1 particle, expected at least two, which can collide: take dem.HardSpheres"
        raise ValueError(message)
    check_spheres(particles)
    check_box(box, particles)


def check_wall_overlaps(particles: Particles, box: Box) -> None:
    """Refuse spheres that overlap a wall by more than rounding."""
    lower, upper = box.bounds
    radius = 0.5 * diameters(particles)[:, None]
    overlap = 1 - np.minimum(particles.position - lower, upper - particles.position) / radius
    i = int(overlap.max(1).argmax())
    if overlap[i].max() > ROUNDING:
        message = (
            f"particle {i} overlaps a wall by {overlap[i].max():.3g} of its radius: move it inside or enlarge the box"
        )
        raise ValueError(message)


def check_not_packed(engine: StochasticEngine) -> None:
    """Refuse a local solid fraction beyond random close packing."""
    densest, _ = engine.measure_gas()
    if densest >= PACKED:
        message = (
            f"the solid fraction around one of the cells is {densest:.3g} at the start, spheres cannot be packed "
            f"beyond {PACKED}: spread them"
        )
        raise ValueError(message)


def check_going_on(code: int, engine: StochasticEngine) -> None:
    """Raise FloatingPointError if a step cannot be completed."""
    where = f"t = {(engine.step + 1) * engine.rule.time_step:.6g} s"
    if code == steps.DENSE:
        remedy = "what collides at random does not keep apart, take dem.HardSpheres, or give pressure"
        if engine.stress:
            remedy = f"pressure does not hold what weighs here: raise its scale, {engine.stress.scale:g} Pa"
        message = (
            f"{where}: the solid fraction somewhere has come to {float(engine.tally.densest[0]):.3g}, spheres cannot "
            f"be packed beyond {PACKED}: {remedy}"
        )
        raise FloatingPointError(message)
    if code == steps.FREQUENT:
        often = float(engine.tally.rate[0]) * engine.rule.time_step
        message = f"{where}: {often:.3g} collisions of a particle in a step, at most 0.2 are one after the other: "
        raise FloatingPointError(message + f"lower time_step, {engine.rule.time_step:g} s")
    if code == steps.STIFF:
        waves = float(engine.stress.waves[0])
        most = steps.MAX_COURANT * min(engine.space.width) / waves
        message = (
            f"{where}: waves of the solids' pressure go at {waves:.3g} m/s, and would cross more than "
            f"{steps.MAX_COURANT:g} of a cell in a step: lower time_step to {rounded_down(most):g} s, or raise softness"
        )
        raise FloatingPointError(message)
    if code == steps.STUCK:
        message = (
            f"{where}: particle {int(engine.tally.stuck[0])} hits walls again and again within one step: give it more "
            "room, or lower time_step"
        )
        raise FloatingPointError(message)
