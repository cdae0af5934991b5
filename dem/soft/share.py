"""A rank's share of an engine: the bodies that it moves, ghosts of those of others that they may touch, and its steps.

All ranks do the same at the same time, and all know how the run as a whole is getting on (`Progress`): so all come to
the same decisions, and to those that one rank alone would come to.
"""

from __future__ import annotations

import math
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from dem.ranks.likeness import Likeness, unlike
from dem.soft.share_lists import ShareLists, in_words
from dem.soft.share_rows import Rows, Table
from dem.soft.walled import is_walled
from dem.system.diagnosis import outside
from kernels.base.jit import FINGERPRINT, set_threads
from kernels.soft import advance as loop
from kernels.soft import shares, sweeps
from kernels.soft.travel import as_float

if TYPE_CHECKING:
    from dem.ranks.communicator import Communicator
    from dem.soft.share_lists import Kit, Told

PIECES = 1 << 19  # bodies that are told at a time, by all ranks together


class Share(ShareLists):
    """What one rank does of a run."""

    def __init__(self, communicator: Communicator, kit: Kit) -> None:
        super().__init__(communicator, kit)
        self.unlike = unlike(communicator.all_told(Likeness.here(FINGERPRINT)))
        self.dt = math.nan
        self.parts: list[list[Rows]] = []  # that rank 0 is to hand out

    def begin(self, progress: loop.Progress, setting: loop.Setting, state: dict[str, dict]) -> None:
        """Go on from how a run is getting on, with a part of the bodies each: rank 0 has them in `parts`."""
        self.progress, self.setting, self.dt = progress, setting, setting.dt
        for target, values in ((self.wall_state, state["walls"]), (self.fluid_state, state["fluid"])):
            for name, array in values.items():
                target[name][:] = array
        if is_walled(self.faces):
            self.faces.walls.unit[:] = state["unit"]
        self.move_walls(progress.step[0] * self.dt)
        travel = float(progress.travel[0])
        parts, self.parts = self.parts, []
        nobody = [None] * self.communicator.ranks
        rounds = self.communicator.all_told(len(parts))[0]
        self.rebuild(Rows.joined([self.communicator.deal(parts[k] if parts else nobody)[0] for k in range(rounds)]))
        progress.travel[0] = travel  # lists are younger than that, but so candidates are picked when they would be

    def advance(self, stop: int, setting: loop.Setting) -> int:
        """Take steps until `stop` are complete; returns DONE or which limit is passed, the same at all ranks."""
        self.setting, step = setting, self.progress.step
        set_threads(self.threads)
        code = loop.DONE
        while code == loop.DONE and step[0] < stop:
            if self.progress.phase[0] != loop.PREDICTED:
                task = sweeps.PREDICT
            else:
                task = sweeps.STEP if step[0] + 1 < stop else sweeps.LAST_STEP
            code = self._sweep(task)
        return code

    def _sweep(self, task: int) -> int:
        """Do a task, and tell the others."""
        began = perf_counter()
        if self._serve(shares.SWEEP, task) == loop.LIST_STALE:
            self._refresh()
            began = perf_counter()
            self._serve(shares.SWEEP, task)
        took = perf_counter() - began
        self.spent, self.steps = self.spent + took, self.steps + 1
        self.told = self.told._replace(seconds=self.told.seconds + took)
        self.channel.start()
        self._combine()
        code = self._serve(shares.NOTE, task)
        self.channel.finish()
        if code == loop.FEW_SLOTS:
            self._make_slots_for(int(self.faces.walls.fullest.max()))
            code = loop.DONE
        return code

    def _combine(self) -> None:
        """Put what all ranks report in place of what this one does."""
        border, walls = self.border, self.faces.walls if is_walled(self.faces) else None
        if walls is None:
            self.communicator.combine(border.sums, border.most)
            return
        sums = np.concatenate([border.sums.ravel(), walls.part[self.neighbours.block[0] :].sum(axis=0).ravel()])
        self.communicator.combine(sums, border.most)
        border.sums[...] = sums[: border.sums.size].reshape(border.sums.shape)
        walls.part[:] = 0
        walls.part[0] = sums[border.sums.size :].reshape(walls.part.shape[1:])

    def _refresh(self) -> None:
        """Pick candidates anew, or list neighbours anew if one of the ranks has to."""
        self._serve(shares.DISPLACED)
        self.communicator.combine(np.zeros(1, np.int64), self.border.most)
        displacement = float(as_float(self.border.most[sweeps.LISTED]))
        if 2.0 * displacement + self.setting.candidate_skin <= self.setting.list_skin:
            self._pick()
        else:
            self.rebuild()
            self.progress.travel[0] = 0.0

    def show(self) -> list[list] | None:
        """Who is where at the whole step: at rank 0 all that ranks have; in pieces."""
        b = self.bodies
        shown = loop.View(*(np.empty((rows, b.kind.size)) for rows in (3, 3, 4, 3)))
        self._serve(shares.SHOW, view=shown, bodies=b._replace(identity=np.arange(b.kind.size)))
        own = slice(self.low, None)
        return self._collect([b.identity[own], *(values[:, own] for values in shown)])

    def _collect(self, values: list[np.ndarray]) -> list[list] | None:
        """What ranks have of their bodies (..., n), at rank 0: so many bodies at a time that messages stay small."""
        n, piece = values[0].shape[-1], max(1024, PIECES // self.communicator.ranks)
        rounds = max(self.communicator.all_told(-(-n // piece)))
        found = [
            self.communicator.collect([each[..., k * piece : (k + 1) * piece] for each in values])
            for k in range(rounds)
        ]
        return [part for parts in found for part in parts] if self.communicator.rank == 0 else None

    def give(self, names: list[str]) -> tuple[list, Table] | None:
        """Arrays of bodies, identities first, and what contacts remember: at rank 0 all that ranks have."""
        b = self.bodies
        own = [getattr(b, name)[..., self.low :] for name in ("identity", *names)]
        tables = self.communicator.collect(self._table())
        found = self._collect(own)
        return (found, Table.joined(tables)) if self.communicator.rank == 0 else None

    def report(self) -> list[Told] | None:
        """How all have got on."""
        return self.communicator.collect(self.told)

    def described(self) -> str | None:
        """The same in words."""
        told = self.communicator.collect(self.told._replace(threads=self.threads))
        return in_words(told) if told else None

    def is_sound(self, inside: tuple[np.ndarray, np.ndarray] | None) -> bool:
        """Whether all bodies have finite states, and those who have not left are between these faces."""
        b = self.bodies
        shown = loop.View(*(np.empty((rows, b.kind.size)) for rows in (3, 3, 4, 3)))
        self._serve(shares.SHOW, view=shown, bodies=b._replace(identity=np.arange(b.kind.size)))
        sound = all(np.isfinite(values[:, self.low :]).all() for values in shown)
        if sound and inside:
            present = shown.position[:, self.low :][:, b.left[0, self.low :] == 0]
            sound = not len(outside(present.T, *inside))
        return all(self.communicator.all_told(bool(sound)))
