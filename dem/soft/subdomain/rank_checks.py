"""Whether simulations are shared by several ranks, and whether that pays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dem.base.notices import Notice
from dem.base.text import counted
from dem.ranks.job_server import JobServer
from dem.soft.bonds.bonded_engine import BondedEngine
from dem.soft.engine import Engine

if TYPE_CHECKING:
    from collections.abc import Iterator

WORTH = 10_000  # particles a rank from which ranks do four fifths of what their cores could, see docs/clusters.md


def bonded_class() -> type[BondedEngine]:
    """The same of particles that bonds hold together."""
    if JobServer.current is None:
        return BondedEngine
    from dem.soft.subdomain.distributed_bonds import RankedBondedEngine  # noqa: PLC0415, the same

    return RankedBondedEngine


def engine_class() -> type[Engine]:
    """What moves the particles: an engine, or one with shares for several ranks."""
    if JobServer.current is None:
        return Engine
    from dem.soft.subdomain.distributed_engine import DistributedEngine  # noqa: PLC0415, most runs are on one rank

    return DistributedEngine


def foreseen(number: int) -> Iterator[Notice]:
    """What should be known, before a run begins, of ranks that share so many particles: when they do not pay."""
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
