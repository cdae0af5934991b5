"""An inserter in a run: which particles are due, waiting and inserted."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import portable
from dem.base.text import counted
from dem.soft.energy_unit import energies_of_flow
from dem.soft.insertion import places
from dem.soft.insertion.size_sampler import SizeSampler

if TYPE_CHECKING:
    from dem.model.insertion import Inserter
    from dem.model.particles.grading import Grading
    from dem.soft.engine import Engine

FILLED, COVERED = 0.2, 0.3  # of the volume, or area, of a region by one round: random places run out at 0.38 and 0.55,
# and beyond half of that most tries are in vain
TRIES = 1024  # to see whether there is any place for the largest particle
PATIENT = 100  # steps between rounds where nothing leaves the region
NEVER = 1 << 62


class Round(NamedTuple):
    """Particles that have been inserted in one round."""

    variant: np.ndarray  # (K,)
    species: np.ndarray  # (K,) number of the kind
    position: np.ndarray  # (K, 3) [m]
    orientation: np.ndarray  # (K, 4)
    velocity: np.ndarray  # (K, 3) [m/s]


class InserterInRun:
    """Region in which particles are inserted, with their number and mass so far."""

    def __init__(self, inserter: Inserter, stream: int, dt: float, gravity: tuple[float, float, float]) -> None:
        self.inserter, self.region, self.sampler = inserter, inserter.place, SizeSampler(inserter, stream)
        self.placed, self.dropped, self.next, self.recycled, self.mass = 0, 0, 0, 0, 0.0
        self.behind = 0  # missing after the last round; those removed since then are due at the next one
        self.most = self._most()
        empties = self._empties(np.array(gravity))
        wanted = inserter.every or (empties if math.isfinite(empties) else PATIENT * dt)
        self.interval = max(1, round(wanted / dt))
        self.first = math.ceil(inserter.start / dt - 1e-9)
        self.last = NEVER if inserter.stop is None else math.floor(inserter.stop / dt + 1e-9)
        self.dt = dt
        self._check_rate(max(empties, self.interval * dt))
        self.variant = self.species = np.zeros(0, np.int64)  # of the deck's shapes, among the engine's
        self.waits = np.zeros(0, np.int64)
        self.counts = np.zeros(len(self.sampler.shapes), np.int64)

    @property
    def name(self) -> str:
        """Name of the inserter."""
        return self.inserter.word

    @property
    def number(self) -> int:
        """Particles inserted so far."""
        return self.placed

    @property
    def waiting(self) -> int:
        """Particles that were due at the last round and found no room."""
        return int(self.waits.size)

    @property
    def grading(self) -> Grading | None:
        """Sizes of what was put in, with D10, D50 and D90 by mass; None if nothing was."""
        return self.sampler.grading(self.counts)

    @property
    def plan(self) -> str:
        """How many are to come, how fast, and when, in words."""
        asked = self.inserter
        many = f"{asked.mass:g} kg" if asked.mass is not None else counted(self.total, "particle")
        parts = [many if asked.mass is not None or self.total < NEVER else "without end"]
        if asked.rate is not None or asked.mass_rate is not None:
            parts.append(f"{asked.rate:g} a second" if asked.rate is not None else f"{asked.mass_rate:g} kg a second")
        parts += [f"from {asked.start:g} s on"] * (asked.start > 0)
        parts += [] if asked.stop is None else [f"until {asked.stop:g} s"]
        return ", ".join(parts)

    def __repr__(self) -> str:
        """Numbers of particles inserted, waiting and left out."""
        return f"<{self.name}: {self.number} in, {self.waiting} waiting, {self.dropped} left out>"

    def _most(self) -> int:
        """How many may come in a round."""
        if self.region.flat:
            covered = math.pi / 4 * (2 * self.sampler.bound.mean()) ** 2
            area = 4 * self.region.half[0] * self.region.half[1]
            return max(1, int(COVERED * area / covered))
        return max(1, int(FILLED * self.region.volume / self.sampler.mean_volume))

    def _empties(self, gravity: np.ndarray) -> float:
        """How long particles take to leave the region by their velocity, or falling [s]; infinite if neither."""
        times, velocity = [math.inf], np.array(self.inserter.velocity)
        for vector, falls in ((velocity, False), (gravity, True)):
            size = portable.length(vector)
            if size > 0:
                way = max(self.region.extent(vector / size), 2 * float(self.sampler.bound.max()))
                times.append(math.sqrt(2 * way / size) if falls else way / size)
        return min(times)

    def _check_rate(self, round_lasts: float) -> None:
        """Refuse what the region cannot take; raises ValueError with what it can."""
        rate = self.inserter.rate
        if self.inserter.mass_rate is not None:
            rate = self.inserter.mass_rate / self.sampler.mean_mass
        if rate is not None and math.isfinite(round_lasts) and rate * round_lasts > max(self.most, 1) * (1 + 1e-9):
            message = (
                f"the {self.name} is to put in {rate:.4g} particles a second, but its region takes {self.most} in a "
                f"round of {round_lasts:.3g} s, {self.most / round_lasts:.4g} a second: enlarge the region, let them "
                "leave it faster, or lower the rate"
            )
            raise ValueError(message)
        total = self.total
        if not math.isfinite(round_lasts) and total > self.most:
            asked = f"{total} particles" if total < NEVER else "particles without end"
            message = (
                f"the {self.name} is to put in {asked}, and nothing makes them leave its region, which takes "
                f"{self.most}: enlarge it, or give a velocity or gravity"
            )
            raise ValueError(message)

    def check_place(self, engine: Engine) -> None:
        """Refuse a region without room for the largest particle, or inside walls; raises ValueError."""
        k = int(self.sampler.bound.argmax())
        inside, clear = places.fits_anywhere(engine, self.region, self.sampler, int(self.variant[k]), TRIES)
        if not inside:
            message = (
                f"the region of the {self.name} has no room for its largest particle, of size "
                f"{self.sampler.size[k]:.4g} "
                f"m: {TRIES} places were tried; enlarge the region, or take smaller particles"
            )
            raise ValueError(message)
        still = not (engine.walls.faces.moving or any(wall.motion or wall.servo for wall in engine.walls.models))
        if not clear and (still or self.first == 0):
            message = (
                f"the region of the {self.name} is inside walls, or outside of the box: in none of {inside} places "
                "there is room for its largest particle; move it"
            )
            raise ValueError(message)

    @property
    def total(self) -> int:
        """How many there are to be in all."""
        if self.inserter.number is not None:
            return self.inserter.number + self.recycled
        return NEVER if self.inserter.mass is None else self.sampler.number_of(self.inserter.mass) + self.recycled

    def due(self, step: int) -> int:
        """How many should have come by a step."""
        time = max(0.0, (min(step, self.last) - self.first) * self.dt)
        inserter, due = self.inserter, NEVER
        if inserter.rate is not None:
            due = math.floor(inserter.rate * time * (1 + 1e-12)) + self.recycled
        elif inserter.mass_rate is not None:
            due = self.sampler.number_of(inserter.mass_rate * time) + self.recycled
        return min(due, self.total)

    def following(self, step: int) -> int:
        """The first step after this one at which there is a round."""
        later = self.first + max(0, (step - self.first) // self.interval + 1) * self.interval
        done = self.placed + self.dropped >= self.total
        return NEVER if done or later > self.last else later

    def happens(self, step: int) -> bool:
        """Whether there is a round at a step."""
        return self.following(step - 1) == step

    def come(self, engine: Engine, step: int) -> Round | None:
        """Insert the particles of a round; None if there are none."""
        self.behind = max(0, self.due(step) - self.placed - self.dropped)
        wanted = min(self.behind, self.most)
        fresh = max(0, wanted - self.waits.size)
        numbers = np.concatenate([self.waits, self.next + np.arange(fresh)])
        if not numbers.size:
            return None
        sample = self.sampler.sampled(numbers)
        order = np.argsort(-self.sampler.volume[sample], kind="stable")
        numbers, sample, turn = numbers[order], sample[order], (step - self.first) // self.interval
        found = places.find(engine, self.region, self.sampler, self.variant[sample], numbers, turn)
        self.next += fresh
        left = np.sort(np.delete(numbers, found.who))
        self.waits = left if self.inserter.debt == "keep" else left[:0]
        self.dropped += 0 if self.inserter.debt == "keep" else left.size
        self.behind -= found.who.size + (0 if self.inserter.debt == "keep" else left.size)
        if not found.who.size:
            return None
        own = sample[found.who]
        self.placed += own.size
        self.mass += float(self.sampler.mass[own].sum())
        self.counts += np.bincount(own, minlength=self.counts.size)
        velocity = self.sampler.velocities(numbers[found.who])
        return Round(self.variant[own], self.species[own], found.position, found.orientation, velocity)

    def energy(self, engine: Engine) -> float:
        """About how much energy the particles to be inserted may have [J]."""
        number, gravity = min(self.total, 1000 * self.most), np.array(engine.gravity)
        middle = 0.5 * (self.region.lower + self.region.upper)
        speed = sum(v * v for v in self.inserter.velocity) + 3 * self.inserter.spread**2
        places = np.tile(middle[:, None], self.variant.size)
        fluid, faces = engine.fluid.model, engine.walls.faces
        flow = energies_of_flow(fluid, engine.kinds, self.variant, places, engine.gravity, faces)
        each = self.sampler.mean_mass * (0.5 * speed + abs(engine.datum - portable.dot(gravity, middle)))
        return number * (each + flow / self.variant.size)

    def shortfall(self, step: int) -> str:
        """What was asked for and is not in, in words; nothing if all is."""
        due = self.due(step)
        lacks = self.waiting + self.dropped
        if self.inserter.rate is not None or self.inserter.mass_rate is not None:
            lacks = max(lacks, self.behind + self.dropped)
        elif due < NEVER and self.last <= step:
            lacks = due - self.placed
        if lacks <= 0 or step < self.first:
            return ""
        return (
            f"the {self.name} has put in {self.placed} of {self.placed + lacks} particles ({self.mass:.4g} kg), "
            f"{lacks} found no place in its region, or no time: enlarge the region, let particles leave it faster, or "
            f"take more attempts than {self.inserter.attempts}"
        )

    def unfinished(self, step: int) -> str:
        """What is to come after a step, in words; nothing if all is in, or `shortfall` says what lacks."""
        if self.following(step) == NEVER or self.shortfall(step):
            return ""
        asked, there = self.total - self.recycled, self.placed + self.dropped
        if self.total < NEVER:  # those that come again are not waited for
            return f"the {self.name} has put in {self.placed} of {counted(asked, 'particle')}" if there < asked else ""
        if self.last < NEVER:
            return f"the {self.name} puts particles in until {self.inserter.stop:.6g} s"
        return f"the {self.name} begins to put particles in at {self.inserter.start:.6g} s" if self.first > step else ""

    def state(self) -> dict[str, np.ndarray]:
        """State from which a run continues."""
        whole = [self.placed, self.dropped, self.next, self.recycled, self.behind]
        return {"numbers": np.array(whole, np.int64), "mass": np.array([self.mass]), "waits": self.waits.copy(),
                "counts": self.counts.copy()}  # fmt: skip

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Continue from a state."""
        self.placed, self.dropped, self.next, self.recycled, self.behind = state["numbers"].tolist()
        self.mass, self.waits, self.counts = float(state["mass"][0]), state["waits"].copy(), state["counts"].copy()
