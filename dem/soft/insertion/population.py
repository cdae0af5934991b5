"""Population of a run: inserters and outlets, their events at reproducible steps, and their sums.

Particles may be added between runs as well: a new engine then goes on from the state of the one before, to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from dem.base import checks, portable
from dem.base.text import counted
from dem.base.user_classes import frozen
from dem.kernels.numerics import energy as energy_kernels
from dem.model.domain.box import FACES
from dem.model.insertion import Inserter, Outlet
from dem.model.particles.fields import MOTION
from dem.model.particles.particles import Particles
from dem.soft.checks import check_outside_walls
from dem.soft.energy_sums import HEADROOM, fitting_unit
from dem.soft.insertion import resize
from dem.soft.insertion.inserter_in_run import NEVER, InserterInRun, SizeSampler
from dem.soft.insertion.outlet_in_run import OutletInRun, removed_energy
from dem.soft.walls.wall_arrays import face_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.fluid.fluid import Fluid
    from dem.model.materials import Material
    from dem.model.particles.kinds import Kind
    from dem.model.shapes.shape import Shape
    from dem.soft.engine import Engine
    from dem.soft.per_body import Snapshot

    Variants = list[tuple[Shape, Material]]

EVENT = np.dtype([
    ("step", "<i8"), ("time", "<f8"), ("particle", "<i8"), ("variant", "<i4"), ("gate", "<i4"),
    ("position", "<f8", 3), ("velocity", "<f8", 3),
])  # fmt: skip
SUMS = ("inserted", "removed", "mass_inserted", "mass_removed", "momentum_scale")  # [J], [J], [kg], [kg], [kg m/s]


@dataclass
class InsertionTotals:
    """Energy and momentum sums since `begin`, and numbers and masses since the start of the run."""

    identities_given: int = 0  # numbers given to particles so far
    number_removed: int = 0  # particles taken out
    inserted: float = 0.0  # energy that particles brought, since they were begun [J]
    removed: float = 0.0  # and took along [J]
    mass_inserted: float = 0.0  # [kg]
    mass_removed: float = 0.0  # mass taken out [kg]
    momentum_scale: float = 0.0  # sizes of the momenta that particles brought, since they were begun [kg m/s]
    net_momentum: np.ndarray = field(default_factory=lambda: np.zeros(3))  # momentum, in less out [kg m/s]
    keeps_events: bool = False  # whether records are wanted
    events: list[np.ndarray] = field(default_factory=list)  # of EVENT, not fetched yet

    def begin(self) -> None:
        """Begin the sums anew, with the energy ledger."""
        self.inserted = self.removed = self.momentum_scale = 0.0
        self.net_momentum = np.zeros(3)

    def record(
        self, step: int, time: float, particle: np.ndarray, variant: np.ndarray, gate: np.ndarray,
        position: np.ndarray, velocity: np.ndarray,
    ) -> None:  # fmt: skip
        """Record the particles inserted or removed at a step, (K,) and (K, 3) each, if records are wanted."""
        if self.keeps_events and particle.size:
            rows = np.empty(particle.size, EVENT)
            rows["step"], rows["time"] = step, time
            rows["particle"], rows["variant"], rows["gate"] = particle, variant, gate
            rows["position"], rows["velocity"] = position, velocity
            self.events.append(rows)

    def fetch(self) -> np.ndarray:
        """Records since the last call; the first call begins to keep them."""
        self.keeps_events = True
        found, self.events = self.events, []
        return np.concatenate([np.empty(0, EVENT), *found])

    def state(self) -> dict[str, np.ndarray]:
        """State from which a run continues."""
        sums = [getattr(self, name) for name in SUMS]
        return {
            "born": np.array([self.identities_given, self.number_removed], np.int64),
            "sums": np.array([*sums, *self.net_momentum]),
        }

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Continue from a state."""
        self.identities_given, self.number_removed = state["born"].tolist()
        *sums, x, y, z = state["sums"].tolist()
        for name, value in zip(SUMS, sums, strict=True):
            setattr(self, name, value)
        self.net_momentum, self.events = np.array([x, y, z]), []


class Population:
    """Inserters and outlets of a run, with a time step dt [s] and gravity [m/s²]."""

    def __init__(
        self, inserters: Sequence[Inserter], outlets: Sequence[Outlet], dt: float, gravity: tuple[float, float, float]
    ) -> None:
        seeds = [each.seed for each in inserters]
        self.inserters = [
            InserterInRun(each, seeds[:k].count(each.seed), dt, gravity) for k, each in enumerate(inserters)
        ]
        self.outlets = [OutletInRun(each, dt) for each in outlets]
        self.recycles_to = [self._recycling_inserter(each) for each in outlets]
        self.totals = InsertionTotals()
        self.last_processed, self.first = -1, 0  # last step whose events were processed; particles at the start
        self.species = np.zeros(0, np.int32)  # number of the kind of each particle, by row
        self.changed = False  # whether particles came or went since they were shown last
        self.variants: Variants = []
        self.kinds: list[Kind] = []

    def _recycling_inserter(self, outlet: Outlet) -> InserterInRun | None:
        """Inserter that an outlet recycles to; raises ValueError if there is none of that name."""
        names = [inserter.name for inserter in self.inserters]
        if not outlet.recycle:
            return None
        if names.count(outlet.recycle) != 1:
            message = (
                f"the {outlet.word} recycles to {outlet.recycle!r}, expected the name of one inserter, of "
                f"{', '.join(names) or 'which there are none'}"
            )
            raise ValueError(message)
        return self.inserters[names.index(outlet.recycle)]

    def begin(self, every: Particles, own: int) -> None:
        """Set the particles of the start: the first `own`; the others are examples of those to be inserted."""
        self.variants, self.kinds = every.variants, every.kinds
        self.species, self.first, self.totals.identities_given = every.kind[:own].copy(), own, own
        k = own
        for inserter in self.inserters:
            rows = slice(k, k + len(inserter.sampler.shapes))
            inserter.variant, inserter.species = every.variant[rows].astype(np.int64), every.kind[rows].astype(np.int64)
            k = rows.stop

    def expected(self, own: int) -> int:
        """About how many particles there may be at a time, from which threads and skins are chosen."""
        return min(1 << 20, own + sum(inserter.total for inserter in self.inserters))

    def energy(self, engine: Engine) -> float:
        """About how much energy the particles to be inserted may have [J]."""
        return sum(inserter.energy(engine) for inserter in self.inserters)

    def next_event_step(self, step: int) -> int:
        """The first step after this one at which an event may be due."""
        return min([each.next_event_step(step) for each in (*self.inserters, *self.outlets)], default=NEVER)

    def check(self, engine: Engine) -> None:
        """Refuse inserters whose region has no room, before a run has begun; raises ValueError."""
        for inserter in self.inserters if self.last_processed < 0 else ():
            inserter.check_place(engine)

    def is_due(self, engine: Engine) -> bool:
        """Whether insertions or removals are due at the present step and have not been processed."""
        step = int(engine.run_state.step[0])
        return step > self.last_processed and any(each.is_event_step(step) for each in (*self.inserters, *self.outlets))

    def process(self, engine: Engine) -> None:
        """Insert and remove the particles that are due at the present step of an engine, once."""
        if not self.is_due(engine):
            return
        step = self.last_processed = int(engine.run_state.step[0])
        self._remove_in_outlets(engine, step)
        for number, inserter in enumerate(self.inserters):
            added = inserter.insert_round(engine, step) if inserter.is_event_step(step) else None
            if added:
                state = {
                    "position": added.position, "velocity": added.velocity, "orientation": added.orientation,
                    "angular_velocity": np.tile(inserter.inserter.angular_velocity, (added.variant.size, 1)),
                }  # fmt: skip
                for name, value in inserter.inserter.state().items():
                    state[name] = np.full((added.variant.size, 1), value)
                particles = Particles.from_checked(self.variants, added.variant, self.kinds, added.species, state)
                self.insert_particles(engine, particles, number)

    def _remove_in_outlets(self, engine: Engine, step: int) -> None:
        """Remove the particles in outlets, but for fixed ones; where outlets overlap the first one counts them."""
        gate = np.full(engine.owned, -1)
        fixed = engine.kinds.inverse_mass[engine.bodies.kind[: engine.owned]] == 0
        for k, outlet in enumerate(self.outlets):
            if outlet.is_event_step(step):
                gate[outlet.find_removed(engine) & (gate < 0) & ~fixed] = k
        is_removed = gate >= 0
        if not is_removed.any():
            return
        for stage in engine.scalars:
            stage.settle_removed(engine, is_removed)
        rows = np.sort(engine.numbering.rows(engine.bodies.identity[is_removed]))
        gates = engine.by_row(gate)[rows]
        state = engine.state()
        mass, totals = engine.kinds.mass, self.totals
        kind = frozen(engine.by_row(engine.bodies.kind)[rows])  # as `SimulationBase` hands it to these kernels
        own = [np.ascontiguousarray(values[:, rows]) for values in state]
        contacts = removed_energy(engine, is_removed, state)
        energies = energy_kernels.mechanical_energies(
            kind, mass, engine.kinds.inertia, engine.gravity, engine.reference_potential, *own
        )
        energy, turning = sum(energies), 0.0 if engine.rotating else energies[1]  # energy that kernels leave out
        totals.removed += energy + contacts.energy_removed
        totals.net_momentum -= np.array(energy_kernels.momenta(kind, mass, engine.kinds.inertia, *own)[0])
        totals.mass_removed += float(mass[kind].sum())
        totals.number_removed += rows.size
        totals.record(step, step * engine.dt, engine.numbering.identities[rows], kind, -1 - gates, own[0].T, own[1].T)
        for k, outlet in enumerate(self.outlets):
            outlet.count_removed(mass[kind[gates == k]])
            if self.recycles_to[k]:
                self.recycles_to[k].recycled += int((gates == k).sum())
        is_fluid_work_exact = resize.subtract_fluid_work(engine, is_removed, own)
        resize.change(engine, ~is_removed, None)
        contacts.correct_expected_energy(engine, energy - turning, is_fluid_work_exact=is_fluid_work_exact)
        self.species, self.changed = np.delete(self.species, rows), True

    def insert_particles(self, engine: Engine, particles: Particles, number: int) -> None:
        """Insert particles of the engine's variants and kinds, which touch nothing, by the inserter `number`."""
        n, totals, variant, spin = len(particles), self.totals, particles.variant, particles.angular_velocity
        identities = totals.identities_given + np.arange(n)
        bodies, units = resize.new_bodies(engine, particles, identities)
        mass = engine.kinds.mass[variant]
        totals.identities_given += n
        totals.mass_inserted += float(mass.sum())
        turning = np.zeros(n) if engine.rotating else 0.5 * (engine.kinds.inertia[:, variant].T * spin**2).sum(1)
        totals.inserted += units / engine.energy_unit + float(turning.sum())  # kernels leave out what never changes
        totals.net_momentum += (mass[:, None] * particles.velocity).sum(0)
        totals.momentum_scale += portable.dot(mass, np.linalg.norm(particles.velocity, axis=1))
        step, gates = int(engine.run_state.step[0]), np.full(n, number)
        totals.record(step, step * engine.dt, identities, variant, gates, particles.position, particles.velocity)
        resize.change(engine, np.ones(engine.owned, bool), bodies)
        engine.run_state.energy_start[0] += units
        self.species, self.changed = np.concatenate([self.species, particles.kind]).astype(np.int32), True

    def update_particles(self, particles: Particles, engine: Engine) -> None:
        """Show the present particles and their state in `particles`."""
        state = dict(zip(MOTION, engine.state(), strict=True))
        variant = engine.by_row(engine.bodies.kind)
        particles._renew(variant, self.species, {name: rows.T for name, rows in state.items()} | engine.field_values())  # noqa: SLF001
        self.changed = False

    def doubts(self, step: int) -> list[str]:
        """Insertions and removals that did not take place, in words."""
        found = [words for inserter in self.inserters if (words := inserter.shortfall(step))]
        unused = [outlet.name for outlet in self.outlets if not outlet.number]
        found += [f"nothing has reached the outlet {name!r}: move it to where particles come" for name in unused]
        return found

    def describe(self, engine: Engine) -> str:
        """Numbers of particles inserted and removed, in words."""
        removed = f", {self.totals.number_removed} taken out" if self.outlets else ""
        there = counted(engine.owned, "particle")
        text = f"{self.first} at the start, {self.totals.identities_given - self.first} put in{removed}: {there}"
        return text + (", so that nothing moves" if not engine.owned else "")

    def balanced(self, engine: Engine) -> bool:
        """Whether the number of particles is that at the start, plus inserted, less removed."""
        return engine.owned == self.totals.identities_given - self.totals.number_removed

    def state(self) -> dict[str, np.ndarray]:
        """State from which a run continues."""
        own = {"species": self.species.copy(), "seen": np.array([self.last_processed, self.first], np.int64)}
        own |= {f"books_{name}": values for name, values in self.totals.state().items()}
        for what, each in (("source", self.inserters), ("sink", self.outlets)):
            for k, one in enumerate(each):
                own |= {f"{what}_{k}_{name}": values for name, values in one.state().items()}
        return own

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Continue from a state."""

        def part(prefix: str) -> dict[str, np.ndarray]:
            return {name.removeprefix(prefix): values for name, values in state.items() if name.startswith(prefix)}

        self.species, self.changed = state["species"].copy(), True
        self.last_processed, self.first = state["seen"].tolist()
        self.totals.restore(part("books_"))
        for what, each in (("source", self.inserters), ("sink", self.outlets)):
            for k, one in enumerate(each):
                one.restore(part(f"{what}_{k}_"))


def with_room_for(
    particles: Particles | None, inserters: Sequence[Inserter], outlets: Sequence[Outlet], fluid: Fluid | None
) -> Particles:
    """Initial particles, with the shapes, materials and kinds of all that may be inserted.

    Raises TypeError or ValueError for objects that are no inserters or outlets, no particles without inserters, or a
    fluid that excludes both.
    """
    for name, given, kind in (("inserters", inserters, Inserter), ("outlets", outlets, Outlet)):
        for k, each in enumerate(given):
            if not isinstance(each, kind):
                message = f"{name}[{k}] is {each!r}, expected a dem.{kind.__name__}"
                raise TypeError(message)
    _check_fluid(fluid, inserters, outlets)
    if not inserters:
        if particles is None:
            message = "particles is None, and there are no inserters: give dem.Particles, or inserters"
            raise TypeError(message)
        return particles
    if particles is not None:
        checks.of_types(particles=(particles, Particles))
    own, every = 0 if particles is None else len(particles), with_examples(particles, inserters)
    state = {name: every.field(name)[:own] for name in every.fields}
    return Particles.from_checked(every.variants, every.variant[:own], every.kinds, every.kind[:own], state)


def _check_fluid(fluid: Fluid | None, inserters: Sequence[Inserter], outlets: Sequence[Outlet]) -> None:
    """Refuse fluids that do not allow insertion and removal; raises ValueError."""
    if fluid is None or not (inserters or outlets):
        return
    if fluid.coupling is not None:
        message = (
            "inserters and outlets do not go with a coupling, which gives and takes momentum particle by particle: "
            "leave one of them out, or take a flow that is known"
        )
        raise ValueError(message)
    if inserters and fluid.every not in ("auto", 1):
        message = (
            f"every is {fluid.every}, but inserted particles feel the fluid from their first step on: leave "
            "every out, or say 1"
        )
        raise ValueError(message)


def with_examples(particles: Particles | None, inserters: Sequence[Inserter]) -> Particles:
    """The particles, and then one of each shape and size to be inserted, in the middle of its region, at its speed."""
    if not inserters:
        return particles
    groups = [] if particles is None else [particles]
    for inserter in inserters:
        region, pace = inserter.place, np.array(inserter.velocity)
        middle = 0.5 * (region.lower + region.upper)
        fast = pace + 3 * inserter.spread * (pace / portable.length(pace) if pace.any() else np.array([0, 0, 1]))
        for shape, material in SizeSampler(inserter, 0).shapes:
            groups.append(Particles(
                shape, material, position=[middle], velocity=[fast], angular_velocity=[inserter.angular_velocity],
                name=inserter.name or None,
            ))  # fmt: skip
    return Particles.concatenate(groups)


def population_of(
    particles: Particles, inserters: Sequence[Inserter], outlets: Sequence[Outlet], dt: float,
    gravity: tuple[float, float, float], *, added: bool = False,
) -> Population | None:  # fmt: skip
    """Population of a run; None if there are neither inserters nor outlets, and nothing was added."""
    if not (inserters or outlets or added):
        return None
    population = Population(inserters, outlets, dt, gravity)
    population.begin(with_examples(particles, inserters), len(particles))
    return population


def starting_later(inserter: Inserter, start: float) -> Inserter:
    """Inserter whose times count from `start` [s]."""
    stop = None if inserter.stop is None else inserter.stop + start
    return replace(inserter, start=inserter.start + start, stop=stop)


def continue_from(engine: Engine, before: Engine, state: Snapshot, population: Population) -> None:
    """Let an engine with more shapes and materials continue from the state of another.

    Raises ValueError if the contact histories of the two differ in kind.
    """
    if type(engine.kinds) is not type(before.kinds) or engine.layout.table_width != before.layout.table_width:
        message = (
            "contacts with the shapes and materials that are added remember other things than the contacts before: "
            "begin the run with a particle of each, or with an inserter that puts them in"
        )
        raise ValueError(message)
    engine.population = population
    n = before.owned
    here = {"identity": np.arange(n), "kind": before.by_row(before.bodies.kind)} | population.state() | state.population
    gates = (*before.population.inserters, *before.population.outlets) if before.population else ()
    due = any(each.is_event_step(state.step) for each in gates)  # their events of this step are over
    seen, first = here["seen"].tolist()
    here["seen"] = np.array([seen if due else min(seen, state.step - 1), first], np.int64)
    state = state._replace(population=here)
    engine.set_identities(state.population["identity"])
    engine.restore(state)


def check_added(engine: Engine, added: int, inserters: Sequence[InserterInRun]) -> None:
    """Refuse particles, the last `added` ones, where they touch something, and inserters without room.

    Raises ValueError that says which particle touches what, or that the energies of the run leave no room for theirs.
    """
    if fitting_unit(engine, engine.overlaps()) * HEADROOM < engine.energy_unit:
        message = (
            f"what is added has more than {HEADROOM:g} times the energy that the run was begun with, too much to be "
            "booked with it: begin another run with dem.Simulation(sim.particles, ...)"
        )
        raise ValueError(message)
    for inserter in inserters:
        inserter.check_place(engine)
    if not added:
        return
    check_outside_walls(engine)
    o, first = engine.overlaps(), engine.numbering.identities[-added]
    new = o.owner >= first
    pairs = np.flatnonzero((o.pair > 0) & (new[o.i] | new[o.j]))
    if pairs.size:
        one, other = sorted((int(o.owner[o.i[pairs[0]]]), int(o.owner[o.j[pairs[0]]])))
        met, by = f"particle {one}" if one < first else f"particle {one - first} of those added", o.pair[pairs[0]]
    else:
        walls = np.flatnonzero((o.wall > 0) & new)
        if not walls.size:
            return
        other, face, by = int(o.owner[walls[0]]), int(o.face[walls[0]]), o.wall[walls[0]]
        met = face_name(face, engine.walls.names) if face >= len(FACES) else "a wall of the box"
    message = (
        f"particle {other - first} of those added overlaps {met} by {by:.3g} m: move it, so that it touches nothing"
    )
    raise ValueError(message)
