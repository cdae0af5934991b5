"""Whether a state from a file fits an engine of the same input: kernels trust it, so nothing may be out of bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.files.validation.hdf5_validation import check_alike, check_finite, check_within, require
from dem.kernels.compiler.jit import in_python
from dem.kernels.soft.contact.capsules import Capsules, Mixed
from dem.kernels.soft.integration.time_loop import FRESH, PREDICTED
from dem.kernels.soft.wall_contact import wall_history_tables
from dem.kernels.soft.wall_contact.wall_history import PIECE_BITS, SIDE
from dem.model.particles.particles import UNIT_NORM
from dem.soft.bonds.bond_validation import check_tied
from dem.soft.insertion.insertion_validation import check_population
from dem.soft.per_body import BODIES, CONTACTS, PROGRESS, stored
from dem.soft.time_step.short_contacts import Brief
from dem.system.plan import MOST_STEPS

if TYPE_CHECKING:
    from dem.soft.engine import Engine
    from dem.soft.snapshot import Snapshot

LIGHTEST, HEAVIEST = 2.0**-1000, 2.0**1000  # units of energy a joule
FACES = 6
partner_of = in_python(wall_history_tables.partner_of)
WATCHED = 4  # overlap, limits of overlap and acceleration, fewest steps; then when and who


def check_fits(state: Snapshot, engine: Engine) -> None:
    """Raise DamagedError, saying what does not fit, unless the engine can go on from the state."""
    own = {name: getattr(engine.bodies, name)[..., : engine.owned] for name in engine.kept}
    bodies, progress = stored(BODIES, state.bodies), stored(PROGRESS, state.progress)
    check_alike(BODIES, bodies, stored(BODIES, own))
    check_finite(BODIES, bodies)
    off = np.abs(np.linalg.norm(state.bodies["orientation"], axis=0) - 1).max(initial=0.0)
    require(off <= UNIT_NORM, f"{BODIES}/orientation has a norm that is off by {off:.3g}")
    _check_contacts(state, engine)
    check_alike(PROGRESS, progress, stored(PROGRESS, engine.progress._asdict()))
    check_finite(PROGRESS, progress)
    check_within("progress/step", progress["step"], 0, MOST_STEPS)
    check_within("progress/phase", progress["phase"], FRESH, PREDICTED)
    for name in ("travel", "largest_overlap"):
        check_within(f"progress/{name}", progress[name], 0.0, np.finfo(np.float64).max)
    for name, values in (("progress/leaving", progress["leaving"]), (f"{BODIES}/left", state.bodies["is_removed"])):
        check_within(name, values, 0, 1)
    if engine.fluid.two_way:
        engine.fluid.two_way.fit_field(engine.fluid, state.fluid)
    check_alike("fluid", state.fluid, engine.fluid.state)
    check_finite("fluid", state.fluid)
    if engine.fluid.two_way:
        least, _, density, viscosity, step = state.fluid["seen"]
        for name, values in (("seen", np.array([density, viscosity])), ("properties", state.fluid.get("properties"))):
            if values is not None:
                check_within(f"fluid/{name}", values, np.finfo(np.float64).tiny, np.finfo(np.float64).max)
        require(least <= 1 and step in range(state.step + 1), "fluid/seen is no voidage, or of a step to come")
    check_alike("walls", state.walls, engine.walls.state)
    check_finite("walls", state.walls)
    check_population(state.traffic, engine)
    check_tied(state.bonds, engine)
    _check_watch(state.watch, len(engine.walls.models))
    check_within("start_step", np.array([state.start_step]), 0, state.step)
    check_within("unit", np.array([state.energy_unit]), LIGHTEST, HEAVIEST)
    require(np.isfinite(state.step * engine.dt), f"step {state.step} is at no time")


def _check_watch(watch: np.ndarray, walls: int) -> None:
    """What `soft.time_step.limits.Limits` keeps of it: lengths and such that may be infinite, then whole numbers."""
    if not watch.size:
        return  # files of version 0.1 have none
    own = {"watch": np.zeros(3 + len(Brief._fields))}
    check_alike("checkpoint", {"watch": watch}, own)
    check_within("watch", watch[:WATCHED], 0.0, np.inf)
    numbers = watch[WATCHED:]
    whole = np.isfinite(numbers) & (numbers == np.floor(numbers))
    require(bool(whole.all() and numbers[-1] >= -FACES - walls), "watch is not of steps, particles and walls")


def _check_contacts(state: Snapshot, engine: Engine) -> None:
    """Contacts are of spheres and walls that there are, and remember as much as the law needs."""
    table, width = state.contacts, engine.layout.table_width
    spheres = engine.bodies.owner.size
    rows = len(table.i)
    own = type(table)(
        i=np.zeros(rows, np.int64), j=np.zeros(rows, np.int64), history=np.zeros((rows, width)),
        wall_contacts=engine.bodies.wall_contacts[: engine.owned],
    )  # fmt: skip
    check_alike(CONTACTS, table._asdict(), own._asdict())
    check_finite(CONTACTS, table._asdict())
    require(width > 0 or not rows, f"{CONTACTS} remember what this contact law does not know")
    check_within(f"{CONTACTS}/i", table.i, 0, spheres - 1)
    sides = SIDE if isinstance(engine.kinds, Capsules | Mixed) else 0
    check_within(
        f"{CONTACTS}/j", table.j, partner_of((len(engine.walls.models) + sides) << PIECE_BITS) + 1, spheres - 1
    )
    check_within(f"{CONTACTS}/wall_contacts", table.wall_contacts, 0, np.iinfo(np.int64).max)
