"""Inserters and outlets of a run: their events, at steps that depend on nothing else, and their sums."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base import portable
from dem.base.text import counted
from dem.base.user_classes import frozen
from dem.kernels.numerics import energy as energy_kernels
from dem.model.particles.fields import MOTION
from dem.model.particles.particles import Particles
from dem.soft.insertion import insertion_in_fluid, resize
from dem.soft.insertion.inserter_in_run import NEVER, InserterInRun
from dem.soft.insertion.insertion_ledger import InsertionLedger
from dem.soft.insertion.outlet_in_run import OutletInRun
from dem.soft.insertion.removed_elastic_energy import removed_energy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.insertion import Inserter, Outlet
    from dem.model.materials import Material
    from dem.model.particles.kinds import Kind
    from dem.model.shapes.shape import Shape
    from dem.soft.engine import Engine

    Variants = list[tuple[Shape, Material]]


class Population:
    """Inserters and outlets of a run.

    Parameters
    ----------
    inserters, outlets : sequences of Inserter, Outlet
    dt : float
        Time step [s].
    gravity : (3,) floats
        [m/s²].
    """

    def __init__(
        self, inserters: Sequence[Inserter], outlets: Sequence[Outlet], dt: float, gravity: tuple[float, float, float]
    ) -> None:
        seeds = [each.seed for each in inserters]
        self.sources = [
            InserterInRun(each, seeds[:k].count(each.seed), dt, gravity) for k, each in enumerate(inserters)
        ]
        self.sinks = [OutletInRun(each, dt) for each in outlets]
        self.back = [self._source_of(each) for each in outlets]
        self.ledger = InsertionLedger()
        self.seen, self.first = -1, 0  # last step whose events were processed; particles at the start
        self.species = np.zeros(0, np.int32)  # number of the kind of each particle, by row
        self.changed = False  # whether particles came or went since they were shown last
        self.variants: Variants = []
        self.kinds: list[Kind] = []

    def _source_of(self, outlet: Outlet) -> InserterInRun | None:
        """Inserter that an outlet recycles to; raises ValueError if there is none of that name."""
        names = [source.name for source in self.sources]
        if not outlet.recycle:
            return None
        if names.count(outlet.recycle) != 1:
            message = (
                f"the {outlet.word} recycles to {outlet.recycle!r}, expected the name of one inserter, of "
                f"{', '.join(names) or 'which there are none'}"
            )
            raise ValueError(message)
        return self.sources[names.index(outlet.recycle)]

    def begin(self, every: Particles, own: int) -> None:
        """Take over the particles: the first `own` are there, the others are examples of those to be inserted."""
        self.variants, self.kinds = every.variants, every.kinds
        self.species, self.first, self.ledger.born = every.kind[:own].copy(), own, own
        k = own
        for source in self.sources:
            rows = slice(k, k + len(source.sampler.shapes))
            source.variant, source.species = every.variant[rows].astype(np.int64), every.kind[rows].astype(np.int64)
            k = rows.stop

    def expected(self, own: int) -> int:
        """About how many particles there may be at a time, from which threads and skins are chosen."""
        return min(1 << 20, own + sum(source.total for source in self.sources))

    def energy(self, engine: Engine) -> float:
        """About how much energy the particles to be inserted may have [J]."""
        return sum(source.energy(engine) for source in self.sources)

    def following(self, step: int) -> int:
        """The first step after this one at which an event may be due."""
        return min([each.following(step) for each in (*self.sources, *self.sinks)], default=NEVER)

    def check(self, engine: Engine) -> None:
        """Refuse inserters whose region has no room, before a run has begun; raises ValueError."""
        for source in self.sources if self.seen < 0 else ():
            source.check_place(engine)

    def process(self, engine: Engine) -> None:
        """Insert and remove the particles that are due at the present step of an engine, once."""
        step = int(engine.progress.step[0])
        if step <= self.seen or not any(each.happens(step) for each in (*self.sources, *self.sinks)):
            return
        self.seen = step
        self._take_out(engine, step)
        for number, source in enumerate(self.sources):
            if source.happens(step):
                self._put_in(engine, number, step)

    def _take_out(self, engine: Engine, step: int) -> None:
        """Remove the particles in outlets, but for fixed ones; where outlets overlap the first one counts them."""
        gate = np.full(engine.owned, -1)
        fixed = engine.kinds.inverse_mass[engine.bodies.kind[: engine.owned]] == 0
        for k, sink in enumerate(self.sinks):
            if sink.happens(step):
                gate[sink.going(engine) & (gate < 0) & ~fixed] = k
        going = gate >= 0
        if not going.any():
            return
        rows = np.sort(engine.numbering.rows(engine.bodies.identity[going]))
        gates = engine.by_row(gate)[rows]
        state = engine.state()
        mass, ledger = engine.kinds.mass, self.ledger
        kind = frozen(engine.by_row(engine.bodies.kind)[rows])  # as `SimulationBase` hands it to these kernels
        own = [np.ascontiguousarray(values[:, rows]) for values in state]
        contacts = removed_energy(engine, going, state)
        energies = energy_kernels.ledger(kind, mass, engine.kinds.inertia, engine.gravity, engine.datum, *own)
        energy, turning = sum(energies), 0.0 if engine.rotating else energies[1]  # energy that kernels leave out
        ledger.removed += energy + contacts.taken
        ledger.brought -= np.array(energy_kernels.momenta(kind, mass, engine.kinds.inertia, *own)[0])
        ledger.gone += float(mass[kind].sum())
        ledger.out += rows.size
        ledger.note(step, step * engine.dt, engine.numbering.identities[rows], kind, -1 - gates, own[0].T, own[1].T)
        for k, sink in enumerate(self.sinks):
            sink.take(mass[kind[gates == k]])
            if self.back[k]:
                self.back[k].recycled += int((gates == k).sum())
        alone = insertion_in_fluid.leave(engine, going, own)
        resize.change(engine, ~going, None)
        contacts.settle(engine, energy - turning, alone=alone)
        self.species, self.changed = np.delete(self.species, rows), True

    def _put_in(self, engine: Engine, number: int, step: int) -> None:
        """Insert the particles that are due at an inserter."""
        source = self.sources[number]
        come = source.come(engine, step)
        if come is None:
            return
        state = {
            "position": come.position, "velocity": come.velocity, "orientation": come.orientation,
            "angular_velocity": np.tile(source.inserter.angular_velocity, (come.variant.size, 1)),
        }  # fmt: skip
        self.put_in(engine, Particles.known(self.variants, come.variant, self.kinds, come.species, state), number)

    def put_in(self, engine: Engine, particles: Particles, number: int) -> None:
        """Insert particles of the engine's variants and kinds, which touch nothing, by the inserter `number`."""
        n, ledger, variant, spin = len(particles), self.ledger, particles.variant, particles.angular_velocity
        identities = ledger.born + np.arange(n)
        bodies, units = resize.begun(engine, particles, identities)
        mass = engine.kinds.mass[variant]
        ledger.born += n
        ledger.come += float(mass.sum())
        turning = np.zeros(n) if engine.rotating else 0.5 * (engine.kinds.inertia[:, variant].T * spin**2).sum(1)
        ledger.inserted += units / engine.energy_unit + float(turning.sum())  # kernels leave out what never changes
        ledger.brought += (mass[:, None] * particles.velocity).sum(0)
        ledger.stirred += portable.dot(mass, np.linalg.norm(particles.velocity, axis=1))
        step, gates = int(engine.progress.step[0]), np.full(n, number)
        ledger.note(step, step * engine.dt, identities, variant, gates, particles.position, particles.velocity)
        resize.change(engine, np.ones(engine.owned, bool), bodies)
        engine.progress.energy_start[0] += units
        self.species, self.changed = np.concatenate([self.species, particles.kind]).astype(np.int32), True

    def shown(self, particles: Particles, engine: Engine) -> None:
        """Show the present particles and their state in `particles`."""
        state = dict(zip(MOTION, engine.state(), strict=True))
        variant = engine.by_row(engine.bodies.kind)
        particles._become(variant, self.species, {name: rows.T for name, rows in state.items()} | engine.registered())  # noqa: SLF001
        self.changed = False

    def doubts(self, step: int) -> list[str]:
        """What inserters and outlets have not done, in words."""
        found = [words for source in self.sources if (words := source.shortfall(step))]
        unused = [sink.name for sink in self.sinks if not sink.number]
        found += [f"nothing has reached the outlet {name!r}: move it to where particles come" for name in unused]
        return found

    def describe(self, engine: Engine) -> str:
        """Numbers of particles inserted and removed, in words."""
        gone = f", {self.ledger.out} taken out" if self.sinks else ""
        there = counted(engine.owned, "particle")
        text = f"{self.first} at the start, {self.ledger.born - self.first} put in{gone}: {there}"
        return text + (", so that nothing moves" if not engine.owned else "")

    def balanced(self, engine: Engine) -> bool:
        """Whether the number of particles is that at the start, plus inserted, less removed."""
        return engine.owned == self.ledger.born - self.ledger.out

    def state(self) -> dict[str, np.ndarray]:
        """State from which a run continues."""
        own = {"species": self.species.copy(), "seen": np.array([self.seen, self.first], np.int64)}
        own |= {f"books_{name}": values for name, values in self.ledger.state().items()}
        for what, each in (("source", self.sources), ("sink", self.sinks)):
            for k, one in enumerate(each):
                own |= {f"{what}_{k}_{name}": values for name, values in one.state().items()}
        return own

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Continue from a state."""

        def part(prefix: str) -> dict[str, np.ndarray]:
            return {name.removeprefix(prefix): values for name, values in state.items() if name.startswith(prefix)}

        self.species, self.changed = state["species"].copy(), True
        self.seen, self.first = state["seen"].tolist()
        self.ledger.restore(part("books_"))
        for what, each in (("source", self.sources), ("sink", self.sinks)):
            for k, one in enumerate(each):
                one.restore(part(f"{what}_{k}_"))
