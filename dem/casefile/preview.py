"""Summary of a case before it runs: particle counts, masses, solid fraction, time step, memory, duration."""

from __future__ import annotations

import math
import statistics
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dem.base.text import counted
from dem.model.materials import Material
from dem.model.particles.kinds import MAX_KINDS_LISTED, further_kinds_note, labels
from dem.soft.verdict import Verdict
from dem.system.system import whole_steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.model.particles.grading import Grading
    from dem.model.particles.particles import Particles
    from dem.system.system import Judgement, System

PROBE = 0.5  # s of computing from which the speed is estimated


@dataclass(frozen=True)
class Outlook:
    """Properties of a run that are known before it starts.

    ``volume`` is that of the box [m³], None without one; ``advice`` is for the reader, names and texts; ``memory``
    counts the arrays of the engine and the user's [bytes]; ``pace`` is simulated time over computing time at the start
    of the run, compiling apart.
    """

    counts: dict[str, int]  # of particles by kind
    mass: float  # of all particles [kg]
    masses: tuple[float, float]  # of the lightest and the heaviest particle [kg]; zeros where there is none yet
    solid_volume: float  # [m³]
    volume: float | None
    gradings: tuple[tuple[str, Grading], ...]  # of kinds whose sizes differ
    advice: tuple[tuple[str, str], ...]
    memory: int
    pace: float

    @property
    def particles(self) -> int:
        """Number of particles."""
        return sum(self.counts.values())

    @property
    def solid_fraction(self) -> float | None:
        """Solid fraction: volume of the particles over that of the box."""
        return None if self.volume is None else self.solid_volume / self.volume


def measure_progress(sim: System, duration: float) -> Outlook:
    """Measure a simulation made for this purpose: its properties, and its speed in half a second of computing.

    Raises FloatingPointError if it breaks on the way, and ValueError for a duration without a time step.

    Examples
    --------
    >>> import dem
    >>> seen = measure_progress(dem.cases()["nine-fibres"]().simulation(), 1e-5)
    >>> seen.counts, round(seen.mass, 6), round(seen.solid_fraction, 9)
    ({'fibre': 9}, 0.019439, 1.7671e-05)
    """
    if sim.time_step:
        whole_steps(duration, sim.time_step)
    particles = sim.particles
    number = np.bincount(particles.variant, minlength=len(particles.variants)).tolist()
    volumes = [shape.mass_properties(material.density).volume for shape, material in particles.variants]
    mass, names = particles.mass, labels(kind.name for kind in particles.kinds)
    counts = np.bincount(particles.kind, minlength=len(names)).tolist()
    return Outlook(
        counts=dict(zip(names, counts, strict=True)),
        mass=float(mass.sum()),
        masses=(float(mass.min()), float(mass.max())) if mass.size else (0.0, 0.0),
        solid_volume=sum(n * volume for n, volume in zip(number, volumes, strict=True)),
        volume=None if sim.box is None else math.prod(sim.box.size),
        gradings=tuple(_gradings(particles, names, counts)),
        advice=tuple(_advice(sim)),
        memory=sim.memory,
        pace=_pace(sim, duration),
    )


def rows(sim: System, seen: Outlook, duration: float) -> Iterator[tuple[str, str]]:
    """Rows of the report of `dem check`: a name and a text each."""
    n, sources = seen.particles, sim.population.inserters if sim.population else []
    kinds = ", ".join([f"{count} x {kind}" for kind, count in seen.counts.items()][:MAX_KINDS_LISTED])
    yield "particles", f"{n}: {kinds}{further_kinds_note(len(seen.counts))}" if n else "none at the start"
    light, heavy = seen.masses
    each = f", {light:.6g} kg each" if light == heavy else f", {light:.4g} to {heavy:.4g} kg"
    if n:
        yield "mass", f"{seen.mass:.6g} kg{each * (n > 1)}"
        yield "density", ", ".join(_densities(sim.particles))
    for source in sources[:MAX_KINDS_LISTED]:
        yield "put in", f"{source.name}: {source.plan}"
    if seen.volume is not None:
        yield "box", " x ".join(f"{edge:g}" for edge in sim.box.size) + " m"
        yield "solid fraction", f"{seen.solid_fraction:.4g}"
    for kind, grading in seen.gradings[:MAX_KINDS_LISTED]:
        yield "sizes", f"{kind}: {grading}"
    yield from seen.advice
    share = f", {seen.memory / n:.0f} bytes a particle" if n else ""
    yield "memory", f"{seen.memory / 1e6:.3g} MB{share}{', more as particles come' if sources else ''}"
    steps = f" = {counted(whole_steps(duration, sim.time_step), 'step')}" if sim.time_step else ""
    yield "duration", f"{duration:g} s{steps}"
    pace = f"about {_span(duration / seen.pace)} at the pace of the start, once kernels are compiled"
    yield "computing", f"{pace}{'; longer as particles come' if sources else ''}"


def _densities(particles: Particles) -> Iterator[str]:
    """Densities of the materials of particles, marked where they are defaults."""
    for k, material in enumerate(list(dict.fromkeys(m for _, m in particles.variants))[:MAX_KINDS_LISTED]):
        default = " (the default, if none was given)" if material.density == Material.density else ""
        yield f"{material.name or f'material {k}'} {material.density:g} kg/m3{default}"


def so_far(sim: System) -> Judgement:
    """Verdict on the first steps of a run, without doubts about walls and inserters that are still at work."""
    verdict = sim.verdict()
    if not isinstance(verdict, Verdict):
        return verdict
    early = sim.population.doubts(sim.step_count) if sim.population else ()
    others = tuple(doubt for doubt in verdict.other_doubts if doubt not in early)
    return replace(verdict, other_doubts=others, unfinished=())


def _gradings(particles: Particles, names: list[str], counts: list[int]) -> Iterator[tuple[str, Grading]]:
    """Size distribution of the particles of each kind, by name, if sizes differ."""
    for kind in np.flatnonzero(counts):
        grading = particles.grading(kind)
        if grading.smallest < grading.largest:
            yield names[kind], grading


def _advice(sim: System) -> Iterator[tuple[str, str]]:
    """Time step and integrator, and the lines of advice on the time step."""
    advice = sim.advice()
    if advice is not None:
        yield "time step", f"{sim.time_step:g} s, {sim.settings.get('integrator', sim.settings.get('collisions'))}"
        for line in advice.lines:
            name, _, text = line.partition(": ")
            yield name, text


def _pace(sim: System, duration: float) -> float:
    """Simulated time per computing time: the median of stretches, so that one in which kernels compile does not count.

    Stretches before the first particle do not count either, once it has come. Nor does a short rest of the duration,
    such as one step, whose time is that of a call.
    """
    stretch, rates, spent = sim.time_step or 1e-6 * duration, [], 0.0
    longest = 100 * stretch if sim.population else math.inf  # of a step before anybody has come nothing can be learnt
    _, rate = _timed_stretch(sim, stretch, duration)  # kernels compile
    while spent <= PROBE and sim.time < duration * (1 - 1e-9):
        if rates and duration - sim.time < 0.25 * stretch:
            break
        was_empty = not len(sim.particles)
        seconds, rate = _timed_stretch(sim, stretch, duration)
        if was_empty and len(sim.particles):
            rates, spent = [], 0.0
            continue
        if seconds < 0.1 * PROBE and stretch < longest:  # too short to be timed
            rates, stretch = [], min(4 * stretch, longest)
        rates.append(rate)
        spent += seconds
    return statistics.median(rates or [rate])


def _timed_stretch(sim: System, stretch: float, duration: float) -> tuple[float, float]:
    """Carry a simulation on by a stretch of time, within its duration; return seconds and simulated time over them."""
    start, at = time.perf_counter(), sim.time
    sim.carry_on(min(stretch, duration - at))
    seconds = time.perf_counter() - start
    return seconds, (sim.time - at) / seconds


def _span(seconds: float) -> str:
    """A duration in words."""
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds > 2 * length:
            return f"{seconds / length:.2g} {unit}"
    return f"{seconds:.2g} s"
