"""Verdict on a run of stochastic spheres."""

from __future__ import annotations

from dataclasses import dataclass

from dem.base.text import counted
from dem.event_driven.verdict import Collisions
from dem.system.system import Judgement

BUDGET = 1e-8  # of energy and momentum; both are rounding
OFTEN, TOO_OFTEN = 0.2, 1.0  # collisions of a particle in a step: what splits flight from collisions, and what does not
RARE = 1e-3  # of all collisions
GIVEN = 0.1  # of the energy: what partners may give or take by chance
ENSKOG = 0.5  # solid fraction where spheres freeze (0.494): Enskog's factor is that of the fluid


@dataclass(frozen=True)
class StochasticVerdict(Judgement):
    """Figures that show whether a run of stochastic spheres can be trusted.

    Attributes
    ----------
    steps : int
        Time steps taken.
    time : float
        Simulated time [s].
    collisions : Collisions
        Numbers of collisions (``pair``) and of impacts on walls (``wall``).
    energy_error : float
        Energy that is unaccounted for, over the reference energy.
    energy_reference : str
        Which energy that is, in words.
    momentum_error : float or None
        Linear momentum that is unaccounted for over the sum of all |m v|, along the axes on which nothing acts from
        outside; None if there is no such axis.
    exchanged : float
        Energy that fictitious partners and the fluid have given, over the reference energy; of partners alone it is
        what the model does not conserve.
    collisions_per_step : float
        Collisions of a particle in a step, averaged over all particles, in the step with most of them.
    densest : float
        Largest solid fraction around a cell.
    occupancy : float
        Particles in a cell, on average.
    excess : int
        Collisions whose probability was above one.
    partners : bool
        Whether particles collide with fictitious partners.
    turbulent : bool
        Whether there is a turbulent fluid.
    resting : bool
        Whether particles rest on walls.

    Examples
    --------
    >>> import dem
    >>> verdict = dem.cases()["stochastic-cooling"](n=500).simulation().run(0.01)
    >>> verdict.passed, verdict.failures, bool(verdict.energy_error < 1e-12)
    (True, [], True)
    """

    steps: int
    time: float
    collisions: Collisions
    energy_error: float
    energy_reference: str
    momentum_error: float | None
    exchanged: float
    collisions_per_step: float
    densest: float
    occupancy: float
    excess: int
    partners: bool
    turbulent: bool
    resting: bool

    @property
    def failures(self) -> list[str]:
        """Reasons for FAIL, each with a remedy."""
        found = []
        if not self.energy_error <= BUDGET:
            found.append(f"energy error above {BUDGET:g}: speeds change by too many orders of magnitude")
        if self.momentum_error is not None and not self.momentum_error <= BUDGET:
            found.append(f"momentum error above {BUDGET:g}: something pushes that nothing pushes back")
        if self.collisions_per_step > TOO_OFTEN:
            factor = self.collisions_per_step / OFTEN
            found.append(
                f"{self.collisions_per_step:.2g} collisions of a particle in a step: lower time_step {factor:.0f} times"
            )
        return found

    @property
    def doubts(self) -> list[str]:
        """Reasons for WARN, each with a remedy."""
        found = []
        if OFTEN < self.collisions_per_step <= TOO_OFTEN:
            found.append(
                f"{self.collisions_per_step:.2g} collisions of a particle in a step, expected at most {OFTEN:g}: "
                "lower time_step"
            )
        if self.densest > ENSKOG:
            found.append(
                f"solid fraction of {self.densest:.2g} somewhere, beyond {ENSKOG:g} spheres freeze and Enskog's factor "
                "is not theirs: take dem.HardSpheres"
            )
        if self.excess > RARE * self.collisions.pair:
            found.append(f"{counted(self.excess, 'collision')} should have been more likely than sure: lower time_step")
        if self.partners and not self.turbulent and abs(self.exchanged) > GIVEN:
            found.append(
                f"fictitious partners gave {self.exchanged:+.0%} of the energy, by chance; its standard "
                'deviation is 0.94 √(collisions of a particle/particles): take more particles, or collisions="pairs"'
            )
        if self.resting:
            found.append("particles rest on a wall, through each other: take dem.HardSpheres or dem.Simulation")
        return found

    def __str__(self) -> str:
        """The verdict in one line."""
        c = self.collisions
        what = counted(c.pair, "collision") + (" with fictitious partners" if self.partners else " of pairs")
        line = (
            f"{self.status}: {counted(self.steps, 'step')} to t = {self.time:.6g} s, {what}, "
            f"{self.collisions_per_step:.2g} of a particle in a step at most, and {c.wall} with walls; "
            f"energy error {self.energy_error:.1e} of {self.energy_reference}"
        )
        if self.momentum_error is not None:
            line += f", momentum error {self.momentum_error:.1e}"
        if self.partners:
            givers = "partners and fluid" if self.turbulent else "partners"
            line += f", {givers} gave {self.exchanged:+.2e} of that energy"
        line += f"; {self.occupancy:.3g} particles a cell, solid fraction up to {self.densest:.2g}"
        return "; ".join([line, *self.failures, *self.doubts])
