"""Inserter in a run: which particles are due, which wait for room, and their shapes and sizes.

Shapes and sizes are a list by quota, in a new random order each time. All of them are known before a run begins, so
that tables of kinds, cells and time step need not change. The list has a thousand samples, or as many as will ever be
inserted; when it is used up it is shuffled anew. The sample of the k-th particle, and its velocity, follow from the
seed and k alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base import portable
from dem.base.text import counted
from dem.kernels.packing import insertion_round
from dem.model.particles.grading import Grading, grading, size_of
from dem.model.particles.sizes import largest_remainders
from dem.model.shapes.shape import AS_GIVEN, standing
from dem.soft.energy_sums import energies_of_flow
from dem.soft.insertion import places

if TYPE_CHECKING:
    from dem.model.insertion import Inserter
    from dem.model.materials import Material
    from dem.model.shapes.shape import Shape
    from dem.soft.engine import Engine

SAMPLES, MAX_SAMPLES = 1000, 4096  # of a list; of one that is used once only
# purposes of these random numbers among all of a seed: `dem.model.particles.sizes` has 5
SHUFFLING, PLACING, VELOCITY = 6, 7, 8


class SizeSampler:
    """Shapes and sizes of the particles of an inserter; `stream` distinguishes inserters of equal seeds."""

    def __init__(self, inserter: Inserter, stream: int) -> None:
        self.inserter, self._stream = inserter, stream
        counts = self._counts()
        samples: list[tuple[Shape, Material]] = []
        for shape, material, sizes, count in zip(
            inserter.shape, inserter.material, inserter.sizes, counts, strict=True
        ):
            if sizes is None:
                samples += [(shape, material)] * count
            elif count:
                drawn = sizes.draw(count, seed=inserter.seed).tolist()
                samples += [(shape.scaled(size / size_of(shape)), material) for size in drawn]
        distinct = dict.fromkeys(samples)
        self.shapes = list(distinct)
        number = {sample: k for k, sample in enumerate(distinct)}
        self._variant = np.array([number[sample] for sample in samples])
        properties = [shape.mass_properties(material.density) for shape, material in self.shapes]
        self.mass = np.array([each.mass for each in properties])
        self.volume = np.array([each.volume for each in properties])
        self.size = np.array([size_of(shape) for shape, _ in self.shapes])
        self.bound = np.array([
            (np.linalg.norm(shape.offsets, axis=1) + shape.radii).max() for shape, _ in self.shapes
        ])  # fmt: skip
        self._shuffled = -1, self._variant

    def _counts(self) -> list[int]:
        """Number of samples of each shape."""
        inserter = self.inserter
        mass = np.array([
            shape.mass_properties(material.density).mass * (sizes.mean_cube / size_of(shape) ** 3 if sizes else 1.0)
            for shape, material, sizes in zip(inserter.shape, inserter.material, inserter.sizes, strict=True)
        ])  # fmt: skip
        shares = np.array(inserter.shares) / (mass if inserter.by == "mass" else 1.0)
        if len(mass) == 1 and inserter.sizes[0] is None:
            return [1]
        few = inserter.number if inserter.number and inserter.number <= MAX_SAMPLES else SAMPLES
        return largest_remainders(shares / shares.sum(), few).tolist()

    @property
    def mean_mass(self) -> float:
        """Mean mass of a particle [kg]."""
        return float(self.mass[self._variant].mean())

    @property
    def mean_volume(self) -> float:
        """Mean volume of a particle [m³]."""
        return float(self.volume[self._variant].mean())

    def _order(self, cycle: int) -> np.ndarray:
        """The samples in their order in this cycle through the list."""
        if self._shuffled[0] != cycle:
            key = [self.inserter.seed, self._stream]
            words = np.random.Philox(counter=[0, cycle, SHUFFLING, 0], key=key).random_raw(self._variant.size)
            self._shuffled = cycle, self._variant[np.argsort(words, kind="stable")]
        return self._shuffled[1]

    def sampled(self, numbers: np.ndarray) -> np.ndarray:
        """Index into `shapes` of particles (K,), by their numbers from 0 on."""
        found, cycles = np.empty(numbers.size, np.int64), numbers // self._variant.size
        for cycle in np.unique(cycles):
            found[cycles == cycle] = self._order(int(cycle))[numbers[cycles == cycle] % self._variant.size]
        return found

    def number_of(self, mass: float) -> int:
        """Number of first particles whose total mass is closest to a given one [kg]."""
        whole = self.mass[self._variant].sum()
        cycle = math.floor(mass / whole)
        own = self.mass[self._order(cycle)]
        return cycle * self._variant.size + int(
            np.searchsorted(np.cumsum(own) - 0.5 * own, mass - cycle * whole, "right")
        )

    def grading(self, counts: np.ndarray) -> Grading | None:
        """Size distribution of a number of each of `shapes`; None if there are none."""
        if not counts.any():
            return None
        found = grading(
            np.repeat(self.size, np.minimum(counts, 1)), np.repeat(counts * self.mass, np.minimum(counts, 1))
        )
        return found._replace(number=int(counts.sum()))

    def uniforms(self, purpose: int, numbers: np.ndarray, event: int, draw: np.ndarray) -> np.ndarray:
        """Four numbers from 0 to 1 for each (K, 4), of these draws (K,) of these particles (K,) in an event."""
        out = np.empty((4, numbers.size))
        insertion_round.draw(purpose, self.inserter.seed, self._stream, event, numbers, draw.astype(np.int64), out)
        return out.T

    def offers(self, numbers: np.ndarray, event: int, first: int, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Places in the unit cube, and orientations, (K count, 3) and (K count, 4): tries from `first` on."""
        particle = np.repeat(numbers, count)
        tries = 2 * np.tile(np.arange(first, first + count), numbers.size)
        place = self.uniforms(PLACING, particle, event, tries)[:, :3]
        if self.inserter.orientation == AS_GIVEN:
            return place, np.array([standing(shape) for shape, _ in self.shapes])[self.sampled(particle)]
        if self.inserter.orientation is not None:
            return place, np.tile(self.inserter.orientation, (particle.size, 1))
        return place, uniform_orientations(self.uniforms(PLACING, particle, event, tries + 1))

    def velocities(self, numbers: np.ndarray) -> np.ndarray:
        """Initial velocities of these particles (K, 3) [m/s]."""
        mean, spread = np.array(self.inserter.velocity), self.inserter.spread
        if not spread:
            return np.tile(mean, (numbers.size, 1))
        u = self.uniforms(VELOCITY, numbers, 0, np.zeros(numbers.size))
        far = np.sqrt(-2 * portable.log(u[:, [0, 2]]))  # Box & Muller, see `dem.kernels.numerics.random`
        angle = 2 * math.pi * u[:, [1, 3]]
        return mean + spread * np.stack([far[:, 0] * np.cos(angle[:, 0]), far[:, 0] * np.sin(angle[:, 0]),
                                         far[:, 1] * np.cos(angle[:, 1])], axis=1)  # fmt: skip


def uniform_orientations(u: np.ndarray) -> np.ndarray:
    """Unit quaternions (K, 4) of which all are equally likely, of uniform numbers (K, 3 or more).

    K. Shoemake, in D. Kirk (ed.), Graphics Gems III (1992) 124.
    """
    a, b = np.sqrt(1 - u[:, 0]), np.sqrt(u[:, 0])
    s, t = 2 * math.pi * u[:, 1], 2 * math.pi * u[:, 2]
    q = np.stack([b * np.cos(t), a * np.sin(s), a * np.cos(s), b * np.sin(t)], axis=1)
    return q / np.linalg.norm(q, axis=1)[:, None]


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
        self.overdue = 0  # missing after the last round; those removed since then are due at the next one
        self.max_per_round = self._max_per_round()
        time_to_leave = self._time_to_leave(np.array(gravity))
        wanted = inserter.every or (time_to_leave if math.isfinite(time_to_leave) else PATIENT * dt)
        self.interval = max(1, round(wanted / dt))
        self.first = math.ceil(inserter.start / dt - 1e-9)
        self.last = NEVER if inserter.stop is None else math.floor(inserter.stop / dt + 1e-9)
        self.dt = dt
        self._check_rate(max(time_to_leave, self.interval * dt))
        self.variant = self.species = np.zeros(0, np.int64)  # of the sampler's shapes, among the engine's
        self.waiting_numbers = np.zeros(0, np.int64)
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
        return int(self.waiting_numbers.size)

    @property
    def grading(self) -> Grading | None:
        """Sizes of inserted particles, with D10, D50 and D90 by mass; None if there are none."""
        return self.sampler.grading(self.counts)

    @property
    def plan(self) -> str:
        """Number, rate and times of insertion, in words."""
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

    def _max_per_round(self) -> int:
        """Largest number of particles inserted in a round."""
        if self.region.flat:
            covered = math.pi / 4 * (2 * self.sampler.bound.mean()) ** 2
            area = 4 * self.region.half[0] * self.region.half[1]
            return max(1, int(COVERED * area / covered))
        return max(1, int(FILLED * self.region.volume / self.sampler.mean_volume))

    def _time_to_leave(self, gravity: np.ndarray) -> float:
        """Time in which particles leave the region by their velocity or by falling [s]; infinite if neither."""
        times, velocity = [math.inf], np.array(self.inserter.velocity)
        for vector, falls in ((velocity, False), (gravity, True)):
            size = portable.length(vector)
            if size > 0:
                way = max(self.region.extent(vector / size), 2 * float(self.sampler.bound.max()))
                times.append(math.sqrt(2 * way / size) if falls else way / size)
        return min(times)

    def _check_rate(self, round_lasts: float) -> None:
        """Raise ValueError for a rate above the maximum of the region, with that maximum."""
        rate = self.inserter.rate
        if self.inserter.mass_rate is not None:
            rate = self.inserter.mass_rate / self.sampler.mean_mass
        if (
            rate is not None
            and math.isfinite(round_lasts)
            and rate * round_lasts > max(self.max_per_round, 1) * (1 + 1e-9)
        ):
            message = (
                f"the {self.name} is to put in {rate:.4g} particles a second, but its region takes "
                f"{self.max_per_round} in a round of {round_lasts:.3g} s, {self.max_per_round / round_lasts:.4g} a "
                "second: enlarge the region, let them leave it faster, or lower the rate"
            )
            raise ValueError(message)
        total = self.total
        if not math.isfinite(round_lasts) and total > self.max_per_round:
            asked = counted(total, "particle") if total < NEVER else "particles without end"
            message = (
                f"the {self.name} is to put in {asked}, and nothing makes them leave its region, which takes "
                f"{self.max_per_round}: enlarge it, or give a velocity or gravity"
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
        """Number of particles to insert in the whole run, recycled ones included."""
        if self.inserter.number is not None:
            return self.inserter.number + self.recycled
        return NEVER if self.inserter.mass is None else self.sampler.number_of(self.inserter.mass) + self.recycled

    def due(self, step: int) -> int:
        """Number of particles that should have been inserted by a step."""
        time = max(0.0, (min(step, self.last) - self.first) * self.dt)
        inserter, due = self.inserter, NEVER
        if inserter.rate is not None:
            due = math.floor(inserter.rate * time * (1 + 1e-12)) + self.recycled
        elif inserter.mass_rate is not None:
            due = self.sampler.number_of(inserter.mass_rate * time) + self.recycled
        return min(due, self.total)

    def next_event_step(self, step: int) -> int:
        """The first step after this one at which there is a round.

        With a rate there is a round at `stop` for what has become due since the last full interval.
        """
        later = self.first + max(0, (step - self.first) // self.interval + 1) * self.interval
        if later > self.last:
            has_rate = self.inserter.rate is not None or self.inserter.mass_rate is not None
            is_due = self.due(self.last) > self.placed + self.dropped
            later = self.last if has_rate and is_due and self.first <= step < self.last else NEVER
        return NEVER if self.placed + self.dropped >= self.total else later

    def is_event_step(self, step: int) -> bool:
        """Whether there is a round at a step."""
        return self.next_event_step(step - 1) == step

    def insert_round(self, engine: Engine, step: int) -> Round | None:
        """Insert the particles of a round; None if there are none."""
        self.overdue = max(0, self.due(step) - self.placed - self.dropped)
        wanted = min(self.overdue, self.max_per_round)
        fresh = max(0, wanted - self.waiting_numbers.size)
        numbers = np.concatenate([self.waiting_numbers, self.next + np.arange(fresh)])
        if not numbers.size:
            return None
        sample = self.sampler.sampled(numbers)
        order = np.argsort(-self.sampler.volume[sample], kind="stable")
        numbers, sample, turn = numbers[order], sample[order], -((self.first - step) // self.interval)
        found = places.find_positions(engine, self.region, self.sampler, self.variant[sample], numbers, turn)
        self.next += fresh
        left = np.sort(np.delete(numbers, found.particle))
        self.waiting_numbers = left if self.inserter.debt == "keep" else left[:0]
        self.dropped += 0 if self.inserter.debt == "keep" else left.size
        self.overdue -= found.particle.size + (0 if self.inserter.debt == "keep" else left.size)
        if not found.particle.size:
            return None
        own = sample[found.particle]
        self.placed += own.size
        self.mass += float(self.sampler.mass[own].sum())
        self.counts += np.bincount(own, minlength=self.counts.size)
        velocity = self.sampler.velocities(numbers[found.particle])
        return Round(self.variant[own], self.species[own], found.position, found.orientation, velocity)

    def energy(self, engine: Engine) -> float:
        """About how much energy the particles to be inserted may have [J]."""
        number, gravity = min(self.total, 1000 * self.max_per_round), np.array(engine.gravity)
        middle = 0.5 * (self.region.lower + self.region.upper)
        speed = sum(v * v for v in self.inserter.velocity) + 3 * self.inserter.spread**2
        places = np.tile(middle[:, None], self.variant.size)
        fluid, faces = engine.fluid.model, engine.walls.faces
        flow = energies_of_flow(fluid, engine.kinds, self.variant, places, engine.gravity, faces)
        each = self.sampler.mean_mass * (0.5 * speed + abs(engine.reference_potential - portable.dot(gravity, middle)))
        return number * (each + flow / self.variant.size)

    def shortfall(self, step: int) -> str:
        """Particles that were requested and not inserted, in words; empty if there are none."""
        due = self.due(step)
        unmet = self.waiting + self.dropped
        if self.inserter.rate is not None or self.inserter.mass_rate is not None:
            unmet = max(unmet, self.overdue + self.dropped)
        elif due < NEVER and self.last <= step:
            unmet = due - self.placed
        if unmet <= 0 or step < self.first:
            return ""
        return (
            f"the {self.name} has put in {self.placed} of {counted(self.placed + unmet, 'particle')} "
            f"({self.mass:.4g} kg), {unmet} found no place in its region, or no time: enlarge the region, let "
            f"particles leave it faster, or take more attempts than {self.inserter.attempts}"
        )

    def unfinished(self, step: int) -> str:
        """Particles still to be inserted after a step, in words; empty if none, or if `shortfall` names them."""
        if self.next_event_step(step) == NEVER or self.shortfall(step):
            return ""
        asked, there = self.total - self.recycled, self.placed + self.dropped
        if self.total < NEVER:  # those that come again are not waited for
            return f"the {self.name} has put in {self.placed} of {counted(asked, 'particle')}" if there < asked else ""
        if self.last < NEVER:
            return f"the {self.name} puts particles in until {self.inserter.stop:.6g} s"
        return f"the {self.name} begins to put particles in at {self.inserter.start:.6g} s" if self.first > step else ""

    def state(self) -> dict[str, np.ndarray]:
        """State from which a run continues."""
        whole = [self.placed, self.dropped, self.next, self.recycled, self.overdue]
        return {"numbers": np.array(whole, np.int64), "mass": np.array([self.mass]), "waits":
                self.waiting_numbers.copy(), "counts": self.counts.copy()}  # fmt: skip

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Continue from a state."""
        self.placed, self.dropped, self.next, self.recycled, self.overdue = state["numbers"].tolist()
        self.mass = float(state["mass"][0])
        self.waiting_numbers, self.counts = state["waits"].copy(), state["counts"].copy()
