"""Energy ledger of a run: its energies at the start, the sums of its engines, and work from outside.

The ledger adds up `EnergySums` of an engine, which `dem.soft.energy_sums` reads from the arrays of the kernels. There
the work of walls is booked contact by contact: `dem.kernels.soft.wall_contact.wall_loads`.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dem.model.energy import Energy

if TYPE_CHECKING:
    from collections.abc import Iterator


class EnergySums(NamedTuple):
    """Energies that an engine sums over its steps or impacts [J]."""

    elastic: float = 0.0  # of contacts, at present
    dissipated: float = 0.0  # by contacts or impacts
    work: float = 0.0  # of walls, of fictitious partners
    fluid: float = 0.0  # its work
    lifted: float = 0.0  # work that lifts spheres which rest
    inserted: float = 0.0  # of particles that came
    removed: float = 0.0  # of particles that went


NO_ENERGY, NO_SUMS = Energy(0.0, 0.0, 0.0, 0.0), EnergySums()


@dataclass
class EnergyLedger:
    """Energy of a run besides the sums of its present engine, and the balance of both.

    Every simulation owns one. The engine sums what its steps or impacts do; the ledger has the energy at the start, the
    sums of engines before the present one, and the work of changes from outside. `Energy.total` is what is conserved.
    """

    reference_potential: float  # g·x where the potential energy is zero [m²/s²]
    start_energy: Energy = NO_ENERGY
    largest_kinetic: float = 0.0  # of the states that were evaluated [J]
    external_work: float = 0.0  # by changes of gravity, and by functions that a run called [J]
    earlier: EnergySums = NO_SUMS  # of the engines before the present one
    earlier_departure: float = 0.0  # largest one of the total energy while those ran [J]
    first_step: int = 0  # at which the ledger was begun

    def begin(self, step: int = 0) -> None:
        """Restart the ledger at a step; `start_energy` must then be evaluated."""
        self.largest_kinetic = self.external_work = self.earlier_departure = 0.0
        self.earlier, self.first_step = NO_SUMS, step

    @contextmanager
    def unrecorded(self) -> Iterator[None]:
        """Evaluate energies within the context without keeping the largest kinetic energy.

        For moments that depend on the clock or a signal, and for functions that look on: the same run has the same
        ledger without them.
        """
        largest = self.largest_kinetic
        try:
            yield
        finally:
            self.largest_kinetic = largest

    def energy(self, moving: tuple[float, float, float], sums: EnergySums) -> Energy:
        """Energies, from the translational, rotational and gravitational ones of particles and an engine's sums [J]."""
        before = self.earlier
        return Energy(
            *moving,
            elastic=sums.elastic,
            dissipated=before.dissipated + sums.dissipated,
            work=before.work + sums.work + self.external_work + sums.lifted,
            fluid=before.fluid + sums.fluid,
            inserted=sums.inserted,
            removed=sums.removed,
        )

    def carry_over(self, before: Energy, departure: float) -> None:
        """Keep the sums of an engine that is replaced by one with zero sums, given the energies with the old [J]."""
        work = before.work - self.external_work
        self.earlier = EnergySums(dissipated=before.dissipated, work=work, fluid=before.fluid)
        self.earlier_departure = departure

    def reference(self, others: dict[str, float]) -> tuple[str, float]:
        """Name and value [J] of the reference of an energy error: the largest of some energies and the ledger's own."""
        energies = {
            "the energy at the start": abs(self.start_energy.total),
            "the largest kinetic energy": self.largest_kinetic,
        }
        return max((energies | others).items(), key=lambda named: named[1])
