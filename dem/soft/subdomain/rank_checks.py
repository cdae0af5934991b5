"""Whether simulations are shared by several ranks, and whether that pays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dem.base.notices import Notice
from dem.base.text import counted
from dem.model.fluid.given_flows import FunctionFlow
from dem.ranks.job_server import JobServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dem.model.fluid.fluid import Fluid
    from dem.soft.subdomain.engine_subdomains import EngineSubdomains

WORTH = 10_000  # particles a rank from which ranks do four fifths of what their cores could, see docs/clusters.md


def subdomains(threads: int, fluid: Fluid | None, *, cells: bool) -> EngineSubdomains | None:
    """Subdomains for the ranks that share a simulation; None on a single rank.

    Raises ValueError for a fluid in cells, or with a velocity by a function, if there are several ranks.
    """
    if JobServer.current is None:
        return None
    if fluid is not None and isinstance(fluid.velocity, FunctionFlow):
        message = (
            "a fluid whose velocity is a function cannot be computed by several ranks yet: give it on a grid "
            "(dem.GriddedFlow), or run it without mpiexec, by as many threads as there are cores"
        )
        raise ValueError(message)
    if cells:
        message = (
            "a fluid in cells (a dense bed, a coupling) cannot be computed by several ranks yet: run it without "
            "mpiexec, by as many threads as there are cores"
        )
        raise ValueError(message)
    from dem.soft.subdomain.engine_subdomains import EngineSubdomains  # noqa: PLC0415, most runs are on one rank

    return EngineSubdomains(threads)


def startup_notices(number: int) -> Iterator[Notice]:
    """Notices before a run begins, if there are too few particles for the number of ranks."""
    if JobServer.current is None:
        return
    communicator = JobServer.current.communicator
    ranks, cores = communicator.ranks, communicator.cores
    if number < WORTH * ranks:
        worth = number // WORTH
        remedy = f"on {worth} ranks" if worth > 1 else "without mpiexec, and threads use all cores"
        reason = (
            f"{ranks} ranks share {counted(number, 'particle')}, {number / ranks:.3g} each, but ranks pay from "
            f"{WORTH} each on: below that they wait for messages longer than they compute"
        )
        yield Notice("few-per-rank", reason, f"start it {remedy}")
    if cores < 1 - 1e-9:
        reason = f"{ranks} ranks have no core each, but {cores:.2g} of one, and all wait for each other at every step"
        remedy = "start at most as many ranks as there are cores; if there are as many, do not bind ranks to one core"
        yield Notice("crowded-cores", reason, f"{remedy} (mpiexec --bind-to none)")
