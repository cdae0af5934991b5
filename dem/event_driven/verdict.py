"""Verdict on a run of hard spheres."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dem.base.text import counted
from dem.system.system import Judgement

if TYPE_CHECKING:
    from dem.kernels.dsmc.steps import CollisionTally
    from dem.kernels.event_driven.events import ImpactTally

BUDGET = 1e-8  # of energy and of overlaps; both are rounding, some 1e-13 after 1e6 impacts


class Collisions(NamedTuple):
    """Numbers of impacts so far, between spheres and with walls.

    With fictitious partners each counts: of N particles that collide once there are N, of pairs N/2.
    """

    pair: int
    wall: int

    @classmethod
    def of(cls, tally: ImpactTally | CollisionTally) -> Collisions:
        """Numbers of impacts from the counters of kernels."""
        return cls(int(tally.pair[0]), int(tally.wall[0]))

    @property
    def total(self) -> int:
        """Number of impacts of both kinds."""
        return self.pair + self.wall


@dataclass(frozen=True)
class HardVerdict(Judgement):
    """Figures that show whether a run of hard spheres can be trusted.

    Attributes
    ----------
    collisions : Collisions
        Numbers of collisions (``pair``) and of impacts on walls (``wall``).
    time : float
        Simulated time [s].
    energy_error : float
        Departure of the energy, with what impacts have taken by their law, from that at the start, over the
        reference energy. What lifting resting spheres took is left out.
    energy_change : float
        Change of the energy itself, over the reference energy, likewise.
    energy_reference : str
        Which energy is the reference, in words: that at the start, or the largest kinetic energy, the larger of
        both.
    largest_overlap : float
        Largest overlap of two spheres over the sum of their radii.

    Examples
    --------
    >>> import dem
    >>> glass = dem.Material(young=5e6, poisson=0.3, density=2500.0)
    >>> places, speeds = [[0.03, 0.05, 0.05], [0.07, 0.05, 0.05]], [[1, 0, 0], [-1, 0, 0]]
    >>> balls = dem.Particles(dem.Sphere(diameter=0.01), glass, position=places, velocity=speeds)
    >>> verdict = dem.HardSpheres(balls, dem.Box((0, 0, 0), (0.1, 0.1, 0.1), glass)).run(0.02)
    >>> verdict.passed, verdict.collisions.pair, verdict.collisions.wall, verdict.failures
    (True, 1, 0, [])
    """

    collisions: Collisions
    time: float
    energy_error: float
    energy_change: float
    energy_reference: str
    largest_overlap: float

    @property
    def count(self) -> int:
        """Work done: number of collisions."""
        return self.collisions.total

    @property
    def failures(self) -> list[str]:
        """Reasons for FAIL: energy grew, or spheres overlapped, by more than rounding."""
        if self.largest_overlap > BUDGET:
            return [f"spheres overlap by more than rounding, {BUDGET:g}: the box may be too far from the origin"]
        if not max(self.energy_error, self.energy_change, self.largest_overlap) <= BUDGET:
            return [f"energy error above {BUDGET:g}: the run may be too long for its contact_time"]
        return []

    def __str__(self) -> str:
        """The verdict in one line."""
        c = self.collisions
        line = (
            f"{self.status}: {counted(c.pair, 'collision of spheres')} and {c.wall} with walls to "
            f"t = {self.time:.6g} s, energy changed by {self.energy_change:+.3g} of "
            f"{self.energy_reference}, {self.energy_error:.1e} unaccounted for, "
            f"largest overlap {self.largest_overlap:.1e} of the radii"
        )
        return "; ".join([line, *self.failures])
