"""An engine whose bodies may come and go while it runs, see ``traffic``; and what one engine hands on to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from dem.kernels.soft.integration import time_loop as loop
from dem.soft.insertion import resize
from dem.soft.insertion.insertion_in_fluid import stand_still
from dem.soft.neighbours.engine_lists import EngineLists
from dem.soft.particle_ids import Numbering
from dem.soft.per_body import MOVING

if TYPE_CHECKING:
    from dem.model.domain.box import Box
    from dem.soft.snapshot import Snapshot
    from dem.soft.thread_count import Pace


class Events(Protocol):
    """What changes the number of particles, at whole steps: a `Population`, or something else that does."""

    def attend(self, engine: EnginePopulation) -> None:
        """Have what is due at the present step, once."""

    def following(self, step: int) -> int:
        """The first step after this one at which something may be due."""

    def check(self, engine: EnginePopulation) -> None:
        """Refuse what cannot be, before the first event."""

    def state(self) -> dict[str, np.ndarray]:
        """What a run goes on from."""

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Go on from there."""


class EnginePopulation(EngineLists):
    """Has events in between calls of the kernels, which know nothing of them; without any all of it is idle."""

    box: Box | None
    pace: Pace
    most_threads: int
    rotating: bool
    rows: dict[str, int | bool]
    code: int
    traffic: Events | None = None

    def attend(self) -> None:
        """Have those events that are due at the present step, if it is complete and they have not been had."""
        if self.traffic and self.progress.phase[0] == loop.COMPLETE and self.code == loop.DONE:
            self.traffic.attend(self)

    def next_event(self, step: int, stop: int) -> int:
        """The step up to which there is no event, at most `stop`."""
        return min(stop, self.traffic.following(step)) if self.traffic else stop

    def comings(self) -> dict[str, np.ndarray]:
        """Who is there, and what has come and gone, as a snapshot has it; empty where nobody comes or goes."""
        if not self.traffic:
            return {}
        return {"identity": self.numbering.identities.copy(), "kind": self._kind_by_row()} | self.traffic.state()

    def _kind_by_row(self) -> np.ndarray:
        return self.by_row(self.bodies.kind)

    def idle(self, order: int, stop: int) -> int:
        """Carry out an order where nobody is: time goes on, walls move, and the books are closed."""
        progress = self.progress
        if order == loop.START:
            progress.energy_start[0] = 0.0
        if order != loop.ADVANCE:
            return loop.DONE
        if progress.phase[0] == loop.FRESH:
            progress.phase[0] = loop.COMPLETE
        step = int(progress.step[0])
        if step >= stop:
            return loop.DONE
        for name, half in (("dissipated", "dissipated_half_step"), ("wall_work", "wall_work_half_step")):
            getattr(progress, name)[0] += getattr(progress, half)[0]
        for name in ("elastic", "stored", "dissipated_half_step", "wall_work_half_step", "acceleration"):
            getattr(progress, name)[:] = 0
        departure = float((progress.dissipated - progress.wall_work).sum() - progress.energy_start[0]) - stand_still(
            self
        )
        if progress.leaving[0]:
            progress.energy_start[0] += departure - progress.energy_drift[0]
            departure, progress.leaving[0] = float(progress.energy_drift[0]), 0
        progress.energy_drift[0] = departure
        progress.energy_error[0] = max(progress.energy_error[0], abs(departure))
        if self.wall_state:
            self.wall_state["felt"][:] = 0.0
        driven = any(wall.servo for wall in self.walls)  # which goes on step by step, however a run is cut
        for k in range(step + 1 if driven else stop, stop + 1):
            self.move_walls(k * self.dt)
        progress.step[0], progress.phase[0] = stop, loop.COMPLETE
        return loop.DONE

    def admit(self, traffic: Events | None) -> None:
        """Have these events from now on; refuses inserters whose region has no room, if they have not begun."""
        self.traffic = traffic
        if traffic:
            traffic.check(self)

    def renumber(self, identities: np.ndarray) -> None:
        """Call the bodies, which are in the order of the rows still, by these numbers."""
        self.bodies.identity[:] = identities
        self.numbering = Numbering(identities.copy())

    def become(self, snapshot: Snapshot) -> None:
        """Have the bodies of a snapshot, whose state is to be put in then, if those who are here are others."""
        if not snapshot.traffic:
            return
        identity, kind = snapshot.traffic["identity"], snapshot.traffic["kind"]
        if not np.array_equal(identity, self.numbering.identities):
            held = {name: self._room_for(name, snapshot.bodies, identity.size) for name in MOVING}
            resize.install(self, held | {"identity": identity.copy(), "kind": kind.astype(np.int32)})
        if self.traffic:
            self.traffic.restore(snapshot.traffic)

    def recall(self, snapshot: Snapshot) -> None:
        """Call bodies, which are in the order of the rows still, as a snapshot does."""
        if snapshot.traffic:
            self.renumber(snapshot.traffic["identity"])

    def _room_for(self, name: str, kept: dict[str, np.ndarray], bodies: int) -> np.ndarray:
        """An array of that name for as many bodies as one that was kept, or else so many."""
        values = getattr(self.bodies, name)
        number = kept[name].shape[-1] if name in kept else bodies
        return np.zeros((*values.shape[:-1], number), values.dtype)

    def keep_extremes(self, before: EnginePopulation) -> None:
        """Go on with what another engine has seen."""
        self.progress.largest_overlap[:] = before.progress.largest_overlap
        if self.wall_state:
            self.wall_state["impulse"][:] = before.wall_state["impulse"][..., self.walls_before]
        if self.fluid_state:
            self.fluid_state["reached"][:] = before.fluid_state["reached"]

    def follow(self, before: EnginePopulation | None) -> None:
        """Go on with the fluid of another engine, if there is one, and from where servos have moved walls."""
        if before and self.beds:
            self.beds.follow(self, before)
        if before and before.traffic:
            self.renumber(before.numbering.identities)
        if before and before.wall_state:
            self.keep_walls(before.wall_state)
