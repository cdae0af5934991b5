"""Subdomains of an engine on several ranks, as rank 0 has them.

The engine of rank 0 has all bodies when it is started, and whenever its state is read or changed. The subdomains take
the steps; rank 0 fetches their state when it is needed. So an engine on several ranks does what one on a single rank
does, with the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.domain.deforming_cell import deforms
from dem.kernels.soft.integration import chunk_step
from dem.model.particles.fields import MOTION
from dem.ranks.job_server import JobServer
from dem.soft.contact.capsules import with_poses
from dem.soft.contact.contact_history import ContactHistory
from dem.soft.per_body import MOVING, sent_rows
from dem.soft.subdomain.migration import BodyBatch, HistoryTable
from dem.soft.subdomain.subdomain import PIECES, SharedInput, Subdomain
from dem.soft.subdomain.subdomain_bonds import BondTable

if TYPE_CHECKING:
    from dem.kernels.domain.faces import BoxFaces
    from dem.ranks.job_server import RemoteObject
    from dem.soft.engine import Engine

AT_ROOT, DISTRIBUTED, BOTH = "whole", "spread", "both"  # where the state is: in the engine, in the subdomains, in both


class EngineSubdomains:
    """Subdomains, one on each rank with a number of threads, and the side that has the current state."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.remote: RemoteObject | None = None
        self._has_state = AT_ROOT

    @property
    def have_state(self) -> bool:
        """Whether the subdomains have the present state."""
        return self._has_state != AT_ROOT

    @property
    def have_newer_state(self) -> bool:
        """Whether the subdomains alone have the present state."""
        return self._has_state == DISTRIBUTED

    def forget(self) -> None:
        """Mark the state as changed by the engine: it is scattered before the next step."""
        self._has_state = AT_ROOT

    def fetch(self, engine: Engine) -> None:
        """Gather the state of all bodies in the engine."""
        if self._has_state == DISTRIBUTED:
            code, snapshot = engine.code, engine.snapshot()
            displacement = float(engine.run_state.displacement_since_pick[0])
            self._has_state = AT_ROOT
            # the particles present have not changed
            engine.restore(snapshot._replace(population={}), self.remote.own.walls)
            # that of the subdomains, whose lists are older than those made here
            engine.run_state.displacement_since_pick[0] = displacement
            engine.code, self._has_state = code, BOTH

    def take_steps(self, engine: Engine, stop: int) -> int:
        """Take steps until `stop` are complete; returns DONE or which limit is passed."""
        self._scatter(engine)
        self._has_state = DISTRIBUTED
        code = self.remote.do("advance", stop, engine.constants)
        engine.chunk_sums[:] = 0
        engine.chunk_sums[0, chunk_step.DISPLACEMENT] = self.remote.own.chunk_sums[0, chunk_step.DISPLACEMENT]
        return code

    def _scatter(self, engine: Engine) -> None:
        """Scatter all bodies to the subdomains, unless they have them."""
        if self._has_state != AT_ROOT:
            return
        if self.remote is None:
            self.remote = self._create_subdomains(engine)
        self.remote.own.parts = self._parts(engine)
        walls, faces = engine.walls.state, engine.walls.faces
        if deforms(faces):
            walls = walls | {"unit": faces.unit}
        elif walls:  # masses of walls that are rigid bodies may have changed
            free = faces.walls.free
            walls = walls | {"unit": faces.walls.unit, "acts": faces.walls.acts, "load": getattr(free, "load", None)}
        bonds = engine.bonds.snapshot() if engine.bonds else {}
        state = {"walls": walls, "fluid": engine.fluid.state, "bonds": bonds}
        self.remote.do("begin", engine.run_state, engine.constants, state)
        self._has_state = BOTH

    def _create_subdomains(self, engine: Engine) -> RemoteObject:
        """Create the subdomains, without bodies."""
        server = JobServer.current
        used = tuple(name for name in MOVING if getattr(engine.bodies, name).size)
        shared = SharedInput(
            kinds=with_poses(engine.kinds, np.zeros(0, np.int64)), faces=engine.walls.faces, law=engine.law,
            fluid=engine.fluid.model, scheme=engine.scheme, layout=engine.layout, skins=engine.skins,
            range=engine.range, threads=self.threads, owners=server.owners(), used=used,
            sent_rows=sent_rows(engine.fields), bonds=BondTable.of(engine) if engine.bonds else None,
        )  # fmt: skip
        remote = server.make(Subdomain, shared)
        if remote.own.difference:
            message = (
                f"{remote.own.difference}: the result would not be that of one; install the same pcdm-dem, Python and "
                "numba at all nodes"
            )
            raise ValueError(message)
        return remote

    def _parts(self, engine: Engine) -> list[list[BodyBatch]]:
        """Batches of bodies for each rank, in memory order; the ranks redistribute them by domain."""
        b, ranks = engine.bodies, self.remote.server.communicator.ranks
        n = b.kind.size
        numbers, table = engine.first_numbers(), HistoryTable.of(engine.history())
        rounds = max(1, -(-n // PIECES))
        edges = np.arange(rounds * ranks + 1) * n // (rounds * ranks)
        every = BodyBatch.of(b, numbers, table, np.arange(n))
        owner = np.searchsorted(edges, np.arange(n), side="right") - 1
        parcels = every.parcels(owner, rounds * ranks, engine.kinds)
        return [parcels[k * ranks : (k + 1) * ranks] for k in range(rounds)]

    def state(self, engine: Engine) -> list[np.ndarray]:
        """Position, velocity, orientation and angular velocity as `Engine.state`, without lists being made."""
        parts = self.remote.do("gather_motion")
        return [_rows_of(engine, parts, k) for k, _ in enumerate(MOTION, 1)]

    def field_rows(self, engine: Engine) -> np.ndarray:
        """Registered fields of all bodies (R, N) in the order of the user's rows, without lists being made."""
        return _rows_of(engine, self.remote.do("gather_fields"), 1)

    def snapshot(self, engine: Engine) -> tuple[dict[str, np.ndarray], ContactHistory, dict[str, np.ndarray]]:
        """Bodies, contacts and bonds of a snapshot, without lists being made."""
        names, kept = [*engine.state_arrays, "wall_contacts"], engine._bodies  # noqa: SLF001, arrays that are empty are so here
        parts, table = self.remote.do("gather_state", names)
        bodies = {}
        for k, name in enumerate(names, 1):
            bodies[name] = _rows_of(engine, parts, k) if getattr(kept, name).size else getattr(kept, name)
        contacts = ContactHistory(*table, bodies.pop("wall_contacts"))
        return bodies, contacts, self.remote.own.bonds.snapshot() if self.remote.own.bonds else {}

    def are_sound(self, faces: BoxFaces | None) -> bool:
        """Whether all bodies have finite states, and are between the faces of the box, if there is one."""
        return self.remote.do("is_sound", (faces.lower, faces.upper) if faces else None)


def _rows_of(engine: Engine, parts: list, k: int) -> np.ndarray:
    """Values (..., N) of all bodies in the order of the user's rows, from those of all ranks."""
    first = parts[0][k]
    result = np.empty((*first.shape[:-1], engine.owned), first.dtype)
    for part in parts:
        result[..., engine.numbering.rows(part[0])] = part[k]
    return result
