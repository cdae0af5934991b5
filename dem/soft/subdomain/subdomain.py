"""A rank's share of an engine: the bodies that it moves, ghosts of those of others that they may touch, and its steps.

All ranks do the same at the same time, and all know how the run as a whole is getting on (`Progress`): so all come to
the same decisions, and to those that one rank alone would come to.
"""

from __future__ import annotations

import math
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from dem.base.large_pages import empty
from dem.kernels.compiler.jit import FINGERPRINT, set_threads
from dem.kernels.numerics.float_bits import as_float
from dem.kernels.soft.integration import sweeps
from dem.kernels.soft.integration import time_loop as loop
from dem.kernels.soft.subdomain import subdomain_step
from dem.kernels.soft.subdomain.halo_exchange import MOST
from dem.kernels.soft.wall_contact.wall_arrays import has_walls
from dem.model.particles.fields import WIDTHS
from dem.ranks.consistency_check import Likeness, unlike
from dem.soft.subdomain.migration import BodyBatch, HistoryTable
from dem.soft.subdomain.subdomain_lists import TIMED, SubdomainLists, in_words
from dem.system.diagnosis import outside

if TYPE_CHECKING:
    from dem.ranks.communicator import Communicator
    from dem.soft.subdomain.subdomain_lists import Kit, LoadStatistics

PIECES = 1 << 19  # bodies that are told at a time, by all ranks together


class Subdomain(SubdomainLists):
    """What one rank does of a run."""

    def __init__(self, communicator: Communicator, kit: Kit) -> None:
        super().__init__(communicator, kit)
        self.unlike = unlike(communicator.allgather(Likeness.here(FINGERPRINT)))
        self.dt = math.nan
        self.parts: list[list[BodyBatch]] = []  # that rank 0 is to hand out

    def begin(self, progress: loop.RunState, setting: loop.RunConstants, state: dict[str, dict]) -> None:
        """Go on from how a run is getting on, with a part of the bodies each: rank 0 has them in `parts`."""
        self.progress, self.setting, self.dt = progress, setting, setting.dt
        for name, array in state["fluid"].items():
            self.fluid_state[name][:] = array
        self._take_walls(state["walls"])
        if self.bonds:
            self.bonds.begin(state["bonds"])
        self.move_walls(progress.step[0] * self.dt)
        travel = float(progress.travel[0])
        parts, self.parts = self.parts, []
        nobody = [None] * self.communicator.ranks
        rounds = self.communicator.allgather(len(parts))[0]
        self.rebuild(
            BodyBatch.joined([self.communicator.alltoall(parts[k] if parts else nobody)[0] for k in range(rounds)])
        )
        progress.travel[0] = travel  # lists are younger than that, but so candidates are picked when they would be

    def _take_walls(self, given: dict[str, np.ndarray]) -> None:
        """Go on with what walls have come to, loads and units; what is worn off is rank 0's, to which others add."""
        if not has_walls(self.faces):
            return
        for name, array in self.wall_state.items():
            array[:] = given[name]
        walls = self.faces.walls
        walls.unit[:], walls.acts[:] = given["unit"], given["acts"]
        if walls.free:
            walls.free.load[:] = given["load"]
        if self.communicator.rank > 0:
            walls.worn[:] = 0

    def _hand_in_wear(self) -> None:
        """Have what all have worn off walls, which are sums of integers, at rank 0."""
        worn = self.faces.walls.worn if has_walls(self.faces) else np.zeros((2, 0), np.int64)
        if worn.size:
            self.communicator.allreduce(worn, np.zeros(1, np.int64))
            if self.communicator.rank > 0:
                worn[:] = 0

    def advance(self, stop: int, setting: loop.RunConstants) -> int:
        """Take steps until `stop` are complete; returns DONE or which limit is passed, the same at all ranks."""
        self.setting, step = setting, self.progress.step
        set_threads(self.threads)
        code = self._take_steps(stop) if step[0] < stop else loop.DONE
        self._hand_in_wear()
        return code

    def _take_steps(self, stop: int) -> int:
        """Take steps, one at least; returns as `advance`."""
        progress = self.progress
        task = sweeps.PREDICT if progress.phase[0] != loop.PREDICTED else _step(progress.step[0], stop)
        code = self._begin(subdomain_step.BEGIN, task, task)
        while code == loop.DONE:
            code = (self._have_steps_taken if self.border.swap[0] else self._go_on)(task, stop)
            if progress.phase[0] == loop.COMPLETE:
                break
            task = _step(progress.step[0], stop)
        return code

    def _begin(self, order: int, task: int, after: int) -> int:
        """Note what all have come to in a task if that is the order, and do the next one for the border."""
        began = perf_counter()
        if self.bonds:
            self.bonds.begin_step()
        code = self._serve(order, task, after)
        self._count(perf_counter() - began)
        return self._begin_again(code, after)

    def _begin_again(self, code: int, task: int) -> int:
        """See to what kernels have come back for before they did a task for the border, and have them do it."""
        if code == loop.FEW_SLOTS:
            self._make_slots_for(int(self.faces.walls.fullest.max()))
            code = self._serve(subdomain_step.BEGIN, task, task)
        if code == loop.LIST_STALE:
            self._refresh()
            began = perf_counter()
            code = self._serve(subdomain_step.BEGIN, task, task)
            self._count(perf_counter() - began)
        return code

    def _have_steps_taken(self, task: int, stop: int) -> int:
        """As `_go_on`, and as many steps more as kernels take by themselves.

        Raises
        ------
        RuntimeError
            If they could not swap reports.
        """
        border, progress, before, began = self.border, self.progress, int(self.progress.step[0]), perf_counter()
        border.waited[0] = 0
        code = self._serve(subdomain_step.STEPS, task, stop=stop)
        self._count(perf_counter() - began - 1e-9 * border.waited[0])
        self._note_work(int(progress.step[0]) - before)
        if code == subdomain_step.UNHEARD:
            message = "what ranks report could not be handed on"
            raise RuntimeError(message)
        after = subdomain_step.STAY if progress.phase[0] == loop.COMPLETE else _step(progress.step[0], stop)
        return self._begin_again(code, after)

    def _go_on(self, task: int, stop: int) -> int:
        """Tell others of the border, do the task for all bodies further in meanwhile, and hear what others tell.

        Then note what all have come to, and begin with the next task; returns as `_begin`.
        """
        self.channel.start(int(self.border.side[0]))
        began = perf_counter()
        if self.hastens:
            self._serve(subdomain_step.FIRST_HALF, task)
            self.channel.hasten()
            self._serve(subdomain_step.SECOND_HALF, task)
        else:
            self._serve(subdomain_step.REST, task)
        self._count(perf_counter() - began)
        self._note_work(0 if task == sweeps.PREDICT else 1)
        self._swap_reports()
        if self.bonds and task != sweeps.PREDICT:
            self.bonds.end_step(self.setting.per_joule)
        self.channel.finish()
        after = (
            subdomain_step.STAY
            if task == sweeps.LAST_STEP
            else _step(self.progress.step[0] + (task == sweeps.STEP), stop)
        )
        return self._begin(subdomain_step.NOTE, task, after)

    def _count(self, seconds: float) -> None:
        """Add to the time that was spent computing."""
        self.spent += seconds
        self.told = self.told._replace(seconds=self.told.seconds + seconds)

    def _note_work(self, steps: int) -> None:
        """Note how long so many steps more have taken: whatever else the processor did then is no work of this rank."""
        self.steps += steps
        if self.steps >= TIMED:
            self.work, self.spent, self.steps = min(self.work, self.spent / self.steps), 0.0, 0

    def _refresh(self) -> None:
        """Pick candidates anew, or list neighbours anew if one of the ranks has to."""
        self._serve(subdomain_step.DISPLACED)
        self._swap_reports()
        displacement = float(as_float(self.border.reports[:, MOST + sweeps.LISTED].max()))
        if 2.0 * displacement + self.setting.candidate_skin <= self.setting.list_skin:
            self._pick()
        else:
            self.rebuild()
            self.progress.travel[0] = 0.0

    def show(self) -> list[list] | None:
        """Who is where at the whole step: at rank 0 all that ranks have; in pieces."""
        return self._collect([self.bodies.identity[self.low :], *self._shown()])

    def show_fields(self) -> list[list] | None:
        """Registered fields of all bodies: at rank 0 what all ranks have; in pieces."""
        return self._collect([self.bodies.identity[self.low :], self.bodies.fields[:, self.low :]])

    def _shown(self) -> list[np.ndarray]:
        """Position, velocity, orientation and angular velocity of the bodies here at the whole step."""
        b = self.bodies
        shown = loop.OutputState(*(empty((rows, b.kind.size)) for rows in WIDTHS))
        self._serve(subdomain_step.SHOW, view=shown, bodies=b._replace(identity=np.arange(b.kind.size)))
        return [values[:, self.low :] for values in shown]

    def _collect(self, values: list[np.ndarray]) -> list[list] | None:
        """What ranks have of their bodies (..., n), at rank 0: so many bodies at a time that messages stay small."""
        n, piece = values[0].shape[-1], max(1024, PIECES // self.communicator.ranks)
        rounds = max(self.communicator.allgather(-(-n // piece)))
        found = [
            self.communicator.gather([each[..., k * piece : (k + 1) * piece] for each in values]) for k in range(rounds)
        ]
        return [part for parts in found for part in parts] if self.communicator.rank == 0 else None

    def give(self, names: list[str]) -> tuple[list, HistoryTable] | None:
        """Arrays of bodies, identities first, and what contacts remember: at rank 0 all that ranks have."""
        b = self.bodies
        if self.bonds:
            self.bonds.agree()
        own = [getattr(b, name)[..., self.low :] for name in ("identity", *names)]
        tables = self.communicator.gather(self._table())
        found = self._collect(own)
        return (found, HistoryTable.joined(tables)) if self.communicator.rank == 0 else None

    def report(self) -> list[LoadStatistics] | None:
        """How all have got on."""
        return self.communicator.gather(self.told)

    def described(self) -> str | None:
        """The same in words."""
        told = self.communicator.gather(self.told._replace(threads=self.threads))
        return in_words(told) if told else None

    def is_sound(self, inside: tuple[np.ndarray, np.ndarray] | None) -> bool:
        """Whether all bodies have finite states, and those who have not left are between these faces."""
        shown, here = self._shown(), self.bodies.is_removed[0, self.low :] == 0
        sound = all(np.isfinite(values).all() for values in shown)
        if sound and inside:
            position = shown[0] if here.all() else shown[0][:, here]
            sound = not len(outside(position.T, *inside))
        return all(self.communicator.allgather(bool(sound)))


def _step(done: int, stop: int) -> int:
    """The task that completes another step, and begins the next one unless it is the last."""
    return sweeps.STEP if done + 1 < stop else sweeps.LAST_STEP
