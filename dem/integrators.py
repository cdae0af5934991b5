"""The table of integrators: what a user calls them, what they promise, and the kernels behind them."""

from __future__ import annotations

from typing import NamedTuple

from dem import checks
from kernels.rotation import PCDM, ImprovedPCDM


class Integrator(NamedTuple):
    """One row of the table."""

    name: str
    scheme: tuple
    order: int
    reference: str


INTEGRATORS = {
    row.name: row
    for row in (
        Integrator("improved-pcdm", ImprovedPCDM(), 2, "Seelen, Padding & Kuipers, Acta Mech. 227 (2016) 3565"),
        Integrator("pcdm", PCDM(), 1, "Zhao & van Wachem, Acta Mech. 224 (2013) 3091"),
    )
}
DEFAULT = "improved-pcdm"


def integrator(name: str) -> Integrator:
    """Look up an integrator by name; raises ValueError with the nearest name."""
    return INTEGRATORS[checks.one_of("integrator", name, INTEGRATORS)]
