"""An engine whose bodies are moved by several ranks: all that rank 0 knows of them.

It is an ordinary engine as well, with all bodies, and that is what it is when it is set going and whenever anybody
looks closer or changes anything. Steps are taken by the shares; what only they know by then is fetched when it is
asked for. So whatever an engine can do this one can, with the same bytes.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import numpy as np

from dem.kernels.soft.integration import sweeps
from dem.kernels.soft.integration import time_loop as loop
from dem.model.particles.fields import MOTION
from dem.ranks.job_server import JobServer
from dem.soft.contact.capsules import with_poses
from dem.soft.contact.contact_history import ContactHistory
from dem.soft.engine import Engine
from dem.soft.per_body import MOVING, sent_rows
from dem.soft.snapshot import Snapshot
from dem.soft.subdomain.migration import BodyBatch, HistoryTable
from dem.soft.subdomain.subdomain import PIECES, Subdomain
from dem.soft.subdomain.subdomain_lists import Kit

if TYPE_CHECKING:
    from typing import Any

    from dem.kernels.soft.state import Bodies, Neighbours
    from dem.model.domain.box import Box
    from dem.ranks.job_server import RemoteObject
    from dem.soft.subdomain.subdomain_bonds import Ties

SHARED = ("skin", "deepest", "walls", "expected")  # parameters of `Engine` beside the first ones that shares know of
SEVERAL = {"beds": "a fluid in cells (a dense bed, a coupling)"}  # what others are called
AT_ROOT, DISTRIBUTED, BOTH = "whole", "spread", "both"  # who has the state: this engine, the shares


class DistributedEngine(Engine):
    """An engine, and shares of it; parameters as of `Engine`."""

    _has_state = AT_ROOT
    _hand: RemoteObject | None = None

    def __init__(self, *given: Any, threads: int = 1, **more: Any) -> None:  # noqa: ANN401
        for name, thing in more.items():
            if thing and name not in SHARED:
                message = (
                    f"{SEVERAL.get(name, name)} cannot be computed by several ranks yet: run it without mpiexec, by as "
                    "many threads as there are cores"
                )
                raise ValueError(message)
        self.threads = threads
        super().__init__(*given, threads=threads, **more)

    @property
    def bodies(self) -> Bodies:
        """All bodies, which are fetched if need be."""
        self.fetch()
        return self._bodies

    @bodies.setter
    def bodies(self, bodies: Bodies) -> None:
        self._bodies = bodies

    @property
    def neighbours(self) -> Neighbours:
        """Lists of all of them, the same."""
        self.fetch()
        return self._neighbours

    @neighbours.setter
    def neighbours(self, neighbours: Neighbours) -> None:
        self._neighbours = neighbours

    def rebuild(self, history: ContactHistory | None = None) -> None:
        """As of `Engine`; where they have been changed all shares will hear of it."""
        if np.isfinite(self.bodies.position).all():
            super().rebuild(history)
        self._has_state = AT_ROOT

    def change_gravity(self, gravity: tuple[float, float, float], datum: float) -> None:
        """As of `Engine`."""
        super().change_gravity(gravity, datum)
        self._has_state = AT_ROOT

    def fetch(self) -> None:
        """Have all bodies here as well."""
        if self._has_state == DISTRIBUTED:
            code, travel, snapshot = self.code, float(self.progress.travel[0]), self.snapshot()
            self._has_state = AT_ROOT
            self.restore(snapshot._replace(traffic={}))  # they are those that have been here all along
            self.progress.travel[0] = travel  # of the shares, whose lists are older than those made here
            self.code, self._has_state = code, BOTH

    def spread(self) -> None:
        """Hand all bodies out to the shares."""
        if self._has_state != AT_ROOT:
            return
        if self._hand is None:
            self._hand = self._shares()
        self._hand.own.parts = self._parts()
        walls = self.wall_state
        if walls:  # those that are bodies may weigh other than before
            walls = walls | {
                "unit": self.faces.walls.unit,
                "acts": self.faces.walls.acts,
                "load": getattr(self.faces.walls.free, "load", None),
            }
        state = {"walls": walls, "fluid": self.fluid_state, "bonds": self._bonds_now()}
        self._hand.do("begin", self.progress, self.setting, state)
        self._has_state = BOTH

    def _shares(self) -> RemoteObject:
        crew = JobServer.current
        used = tuple(name for name in MOVING if getattr(self._bodies, name).size)
        kit = Kit(
            kinds=with_poses(self.kinds, np.zeros(0, np.int64)), faces=self.faces, law=self.law, fluid=self.fluid,
            scheme=self.scheme, layout=self.layout, skins=self.skins, range=self.range,
            threads=self.threads, owners=crew.owners(), used=used, sent_rows=sent_rows(self.fields), ties=self._ties(),
        )  # fmt: skip
        try:
            pickle.dumps(kit)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            message = f"this run cannot be handed to other ranks: {error}; run it without mpiexec"
            raise ValueError(message) from None
        hand = crew.make(Subdomain, kit)
        if hand.own.unlike:
            message = (
                f"{hand.own.unlike}: the result would not be that of one; install the same pcdm-dem, Python and numba "
                "at all nodes"
            )
            raise ValueError(message)
        return hand

    def _ties(self) -> Ties | None:
        """What all shares are to know of bonds, if there are any."""
        return None

    def _bonds_now(self) -> dict[str, np.ndarray]:
        """What they have come to."""
        return {}

    def _parts(self) -> list[list[BodyBatch]]:
        """Bodies for each rank, in pieces, as they lie in memory: who is to have whom is for the ranks to find out."""
        b, ranks = self._bodies, self._hand.crew.communicator.ranks
        n = b.kind.size
        numbers, table = self._first_numbers(), HistoryTable.of(self.history())
        rounds = max(1, -(-n // PIECES))
        edges = np.arange(rounds * ranks + 1) * n // (rounds * ranks)
        every = BodyBatch.of(b, numbers, table, np.arange(n))
        owner = np.searchsorted(edges, np.arange(n), side="right") - 1
        parcels = every.parcels(owner, rounds * ranks, self.kinds)
        return [parcels[k * ranks : (k + 1) * ranks] for k in range(rounds)]

    def _take_steps(self, stop: int) -> int:
        if not self.owned or self.progress.phase[0] == loop.FRESH or self.progress.step[0] >= stop:
            return super()._take_steps(stop)
        self.spread()
        self._has_state = DISTRIBUTED
        code = self._hand.do("advance", stop, self.setting)
        self.partial[:] = 0
        self.partial[0, sweeps.TRAVEL] = self._hand.own.partial[0, sweeps.TRAVEL]
        return code

    def state(self) -> list[np.ndarray]:
        """As of `Engine`, without lists being made."""
        if self._has_state == AT_ROOT:
            return super().state()
        parts = self._hand.do("show")
        return [self._rows_of(parts, k) for k, _ in enumerate(MOTION, 1)]

    def _field_rows(self) -> np.ndarray:
        """As of `Engine`, without lists being made."""
        if self._has_state == AT_ROOT:
            return super()._field_rows()
        return self._rows_of(self._hand.do("show_fields"), 1)

    def snapshot(self) -> Snapshot:
        """As of `Engine`, the same."""
        if self._has_state != DISTRIBUTED:
            return super().snapshot()
        names = [*self.kept, "wall_contacts"]
        parts, table = self._hand.do("give", names)
        arrays = {}
        for k, name in enumerate(names, 1):
            arrays[name] = self._rows_of(parts, k) if getattr(self._bodies, name).size else getattr(self._bodies, name)
        contacts = ContactHistory(*table, arrays.pop("wall_contacts"))
        return Snapshot(
            bodies=arrays, contacts=contacts,
            progress={name: values.copy() for name, values in self.progress._asdict().items()},
            energy_unit=self.energy_unit, datum=self.datum, start_step=self.start_step, watch=self.limits.watch,
            fluid={name: values.copy() for name, values in self.fluid_state.items()},
            walls={name: values.copy() for name, values in self.wall_state.items()},
            traffic=self.comings(),
        )  # fmt: skip

    def _rows_of(self, parts: list, k: int) -> np.ndarray:
        """Values (..., N) of all bodies in the order of the user's rows, from what ranks have told."""
        first = parts[0][k]
        result = np.empty((*first.shape[:-1], self.owned), first.dtype)
        for part in parts:
            result[..., self.numbering.rows(part[0])] = part[k]
        return result

    def _kind_by_row(self) -> np.ndarray:
        """As of `Engine`; who is there has not changed since all were here."""
        return self.numbering.by_row(self._bodies.identity, self._bodies.kind)

    def left(self) -> np.ndarray:
        """As of `Engine`; nobody has to be asked where nobody can leave."""
        return super().left() if self.exits.faces else np.zeros(0, np.int64)

    def is_sound(self, box: Box | None) -> bool:
        """Whether the shares find nothing wrong."""
        if self._has_state == AT_ROOT:
            return False
        inside = (self.faces.lower, self.faces.upper) if box else None
        return self._hand.do("is_sound", inside)
