"""Particles added between runs: a new engine goes on from the state of the one before, to the bit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dem.model.domain.box import FACES
from dem.soft.checks import check_within
from dem.soft.energy_unit import MORE, fitting_unit
from dem.soft.walls.wall_arrays import face_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.insertion import Inserter
    from dem.soft.engine import Engine
    from dem.soft.insertion.inserter_in_run import InserterInRun
    from dem.soft.insertion.population import Population
    from dem.soft.snapshot import Snapshot


def shifted(inserter: Inserter, start: float) -> Inserter:
    """Inserter whose times count from `start` [s]."""
    stop = None if inserter.stop is None else inserter.stop + start
    return replace(inserter, start=inserter.start + start, stop=stop)


def go_on(engine: Engine, before: Engine, state: Snapshot, population: Population) -> None:
    """Let an engine with more shapes and materials go on from the state of the one before.

    Raises
    ------
    ValueError
        If the contact histories of the two differ in kind.
    """
    if type(engine.kinds) is not type(before.kinds) or engine.layout.table_width != before.layout.table_width:
        message = (
            "contacts with the shapes and materials that are added remember other things than the contacts before: "
            "begin the run with a particle of each, or with an inserter that puts them in"
        )
        raise ValueError(message)
    engine.population = population
    n = before.owned
    here = {"identity": np.arange(n), "kind": before.by_row(before.bodies.kind)} | population.state() | state.traffic
    gates = (*before.population.sources, *before.population.sinks) if before.population else ()
    due = any(each.happens(state.step) for each in gates)  # their events of this step are over
    seen, first = here["seen"].tolist()
    here["seen"] = np.array([seen if due else min(seen, state.step - 1), first], np.int64)
    state = state._replace(traffic=here)
    engine.set_identities(state.traffic["identity"])
    engine.restore(state)


def check_added(engine: Engine, added: int, inserters: Sequence[InserterInRun]) -> None:
    """Refuse particles, the last `added` ones, where they touch something, and inserters without room.

    Raises
    ------
    ValueError
        Which particle touches what, or that the energies of the run leave no room for theirs.
    """
    if fitting_unit(engine) * MORE < engine.energy_unit:
        message = (
            f"what is added has more than {MORE:g} times the energy that the run was begun with, too much to be booked "
            "with it: begin another run with dem.Simulation(sim.particles, ...)"
        )
        raise ValueError(message)
    for inserter in inserters:
        inserter.check_place(engine)
    if not added:
        return
    check_within(engine)
    o, first = engine.overlaps(), engine.numbering.identities[-added]
    new = o.owner >= first
    pairs = np.flatnonzero((o.pair > 0) & (new[o.i] | new[o.j]))
    if pairs.size:
        one, other = sorted((int(o.owner[o.i[pairs[0]]]), int(o.owner[o.j[pairs[0]]])))
        met, by = f"particle {one}" if one < first else f"particle {one - first} of those added", o.pair[pairs[0]]
    else:
        walls = np.flatnonzero((o.wall > 0) & new)
        if not walls.size:
            return
        other, face, by = int(o.owner[walls[0]]), int(o.face[walls[0]]), o.wall[walls[0]]
        met = face_word(face, engine.walls.called) if face >= len(FACES) else "a wall of the box"
    message = (
        f"particle {other - first} of those added overlaps {met} by {by:.3g} m: move it, so that it touches nothing"
    )
    raise ValueError(message)
