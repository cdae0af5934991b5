"""Particles that leave through open faces: one warning; those that cannot return are left out of contacts and ledger.

A particle has left if it is outside an open face, moves outwards, and gravity does not bring it back. While it falls it
becomes faster than all particles in the box. A single such particle would soon cause a rebuild of the lists at every
step and then stop the run as too fast, and its energy would exceed all energy errors. Therefore the engine releases it
once it is a diagonal of the box beyond the face, or too fast to be followed: it falls on, step by step, but has no
contacts and no limits, and the energy ledger leaves it out.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.notices import Notice, warn
from dem.kernels.soft.integration.time_loop import COMPLETE
from dem.model.domain.box import FACES
from dem.model.particles.particles import Particles
from dem.system.diagnosis import point

if TYPE_CHECKING:
    from collections.abc import Callable

    from dem.kernels.soft.integration.time_loop import RunState
    from dem.kernels.soft.state import Bodies
    from dem.model.domain.box import Box

CHECK_INTERVAL = 10_000  # steps between checks; their steps show in the result, so they depend on nothing else


class FirstEscape(NamedTuple):
    """The first particle that was found outside."""

    particle: int
    face: str
    step: int
    time: float  # [s]
    position: np.ndarray  # (3,) [m]
    speed: float  # [m/s]

    @property
    def notice(self) -> Notice:
        """Message that says which particle has left, through which face and when."""
        reason = (
            f"particle {self.particle} has left the box through its open face {self.face}: at step {self.step} "
            f"(t = {self.time:.6g} s) it is at {point(self.position)} m and moves at {self.speed:.3g} m/s"
        )
        return Notice(
            "left-the-box", reason, "the run goes on and reports no other one; close the face to keep them in"
        )


class OpenFaces:
    """Open faces through which no particle returns, since gravity [m/s²] does not point inwards there.

    If there are walls beside the box, particles outside may touch them, and none escapes. Of bodies (N,) that are to
    escape, `whole_aggregates` returns those that no bond connects to bodies that stay.
    """

    def __init__(
        self, box: Box | None, gravity: tuple[float, float, float], *, without_walls: bool = True,
        whole_aggregates: Callable[[np.ndarray], np.ndarray] | None = None,
    ) -> None:  # fmt: skip
        self.first: FirstEscape | None = None
        self.far = math.hypot(*box.size) if box and without_walls else math.inf
        self.box, self.whole_aggregates = box, whole_aggregates
        self.set_gravity(gravity)

    def set_gravity(self, gravity: tuple[float, float, float]) -> None:
        """Select the open faces through which gravity brings no particle back."""
        self.faces = []  # number, sign of the way out, position [m], acceleration outwards [m/s²]
        for k, face in enumerate(FACES if self.box else ()):
            wall = (self.box.upper if k % 2 else self.box.lower)[k // 2]
            outwards = (1 if k % 2 else -1) * gravity[k // 2]
            if face in self.box.open and outwards >= 0:
                self.faces.append((k, 1 if k % 2 else -1, wall, outwards))

    def due(self, run_state: RunState) -> bool:
        """Whether escaped particles are to be searched for now."""
        return bool(self.faces) and run_state.step[0] % CHECK_INTERVAL == 0 and run_state.phase[0] == COMPLETE

    def next_check(self, step: int, stop: int) -> int:
        """The step of the next check, at most `stop`."""
        return min(stop, step - step % CHECK_INTERVAL + CHECK_INTERVAL) if self.faces else stop

    def find_outside(self, b: Bodies, step: int, dt: float) -> tuple[np.ndarray, np.ndarray]:
        """Masks (N,): bodies outside, and those that fall and are farther than `far`; records the first one found."""
        face, far = np.full(b.kind.size, -1), np.zeros(b.kind.size, bool)
        for k, sign, wall, outwards in self.faces:
            beyond = sign * (b.position[k // 2] - wall)
            out = (beyond > 0) & (sign * b.velocity[k // 2] > 0)
            face[out] = k
            far |= out & (beyond > self.far) & (outwards > 0)
        outside = np.flatnonzero(face >= 0)
        if self.first is None and len(outside):
            n = outside[b.identity[outside].argmin()]
            x, speed = b.position[:, n].copy(), math.hypot(*b.velocity[:, n])
            self.first = FirstEscape(int(b.identity[n]), FACES[face[n]], step, step * dt, x, speed)
        return face >= 0, far

    def find_escaping(self, b: Bodies, step: int, dt: float, fastest: float) -> np.ndarray:
        """Which bodies escape now (N,): those far away that fall, and those outside faster than `fastest` [m/s]."""
        outside, far = self.find_outside(b, step, dt)
        with np.errstate(over="ignore"):
            fast = np.linalg.norm(b.velocity, axis=0) > fastest
        is_escaping = (far | (outside & fast)) & (b.is_removed[0] == 0)
        return self.whole_aggregates(is_escaping) if self.whole_aggregates else is_escaping

    def warn_once(self, *, warned: bool) -> bool:
        """Warn of the first particle that left, unless warned before; return whether a warning has been given."""
        if self.first and not warned:
            warn(self.first.notice)
        return warned or self.first is not None


def without_escaped(particles: Particles, escaped: np.ndarray) -> Particles:
    """Particles without the rows that have escaped; all of them if every one has."""
    if not 0 < len(escaped) < len(particles):
        return particles
    return particles.only(np.delete(np.arange(len(particles)), escaped))
