"""Checkpoint of hard spheres: state of every particle at its own time, event queue, cells.

Events trust every index in it, so that a state from a file is checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base import compilation
from dem.base.quaternions import UNIT_NORM
from dem.event_driven.engine import MIN_CELLS, PARTS, HardState
from dem.event_driven.simulation import HardSpheres
from dem.files.checkpoints.serialization import describe_particles, from_recipe, read_particles, recipe, write_particles
from dem.files.validation import hdf5_validation
from dem.files.validation.hdf5_validation import check_alike, check_finite, check_within, number, require
from dem.kernels.event_driven.flight import CELL, FACE, NO_PARTNER, PARTNER, RADIUS, WALLED
from dem.model.energy import stored_energies
from dem.run.simulation_base import SimulationBase
from dem.system.energy_ledger import EnergyLedger

if TYPE_CHECKING:
    import h5py

    from dem.event_driven.engine import HardEngine

# ruff: noqa: SLF001 (this is the other half of HardSpheres)


def describe(sim: HardSpheres) -> dict:
    """Describe the input from which the simulation can be set up again."""
    laws = {name: value for name, value in sim.settings.items() if name not in {"method", "contact_time"}}
    return {
        **describe_particles(sim.particles),
        "box": sim.box and recipe(sim.box),
        "gravity": sim.gravity,
        "contact_time": sim._laws.contact_time,
        "laws": laws,
        "description": sim.description,
    }


def write(sim: HardSpheres, group: h5py.Group) -> None:
    """Write the state of a simulation."""
    write_particles(sim.particles, group)
    state = sim._engine.snapshot()
    for part in PARTS:
        for name, values in getattr(state, part).items():
            group[f"{part}/{name}"] = values
    group["time"] = state.time
    ledger = sim._ledger
    group["datum"] = ledger.reference_potential
    group["start_energy"] = np.array(ledger.start_energy[: stored_energies(fluid=False)])
    group["largest_kinetic"] = ledger.largest_kinetic
    if ledger.external_work:
        group["given"] = ledger.external_work


def read(given: dict, group: h5py.Group, threads: int | None) -> HardSpheres:
    """Set up the simulation from its input and restore its state, which must be consistent, see `check_fits`."""
    del threads
    parts = {part: hdf5_validation.arrays(group, part) for part in PARTS}
    state = HardState(**parts, time=number(group, "time"))
    ledger = EnergyLedger(
        number(group, "datum"), hdf5_validation.energy(group, "start_energy"),
        number(group, "largest_kinetic", least=0), number(group, "given") if "given" in group else 0.0,
    )  # fmt: skip
    sim = HardSpheres.__new__(HardSpheres)
    SimulationBase.__init__(
        sim, read_particles(given, group), from_recipe(given["box"]), given["gravity"], given["description"]
    )
    sim._set_up(contact_time=given["contact_time"], **given["laws"])
    with compilation.announced():
        sim._engine = sim._new_engine(0.0)
        sim._engine.advance(0.0, 0)
    check_fits(state, sim._engine)
    sim._engine.restore(state)
    sim._shown, sim._ledger = sim.time, ledger
    return sim


FARTHEST_CELL = 2**53  # from the first one; beyond, a plan cannot tell cells apart
# what may be infinite: times of what never happens, or never has
NEVER = {"spheres": ("plan", "last"), "agenda": ("time",)}


def check_fits(state: HardState, engine: HardEngine) -> None:
    """Raise DamagedError with the reason if the engine cannot continue from a state."""
    own = {part: getattr(engine, part)._asdict() for part in PARTS}
    cells = np.asarray(state.space.get("cells", 0))
    check_within("space/cells", cells, 1, np.iinfo(np.int32).max)
    own["space"]["head"] = np.empty(min(int(np.prod(cells, dtype=object)), np.iinfo(np.int32).max), np.int32)
    for part in PARTS:
        given = getattr(state, part)
        check_alike(part, given, own[part])
        check_finite(part, given, infinite=NEVER.get(part, ()))
    _check_spheres(state, own["spheres"])
    _check_cells(state, own["space"])
    _check_agenda(state.agenda)


def _check_spheres(state: HardState, own: dict[str, np.ndarray]) -> None:
    """Check that the spheres are those of the input, and that the planned events are possible."""
    given, space = state.spheres, state.space
    same = np.array_equal(given["row"][:, RADIUS], own["row"][:, RADIUS])
    require(
        same and all(np.array_equal(given[name], own[name]) for name in ("mass", "inertia")), "spheres have changed"
    )
    off = np.abs(np.linalg.norm(given["q"], axis=0) - 1).max()
    require(off <= UNIT_NORM, f"spheres/q has a norm that is off by {off:.3g}")
    for name in ("impacts", "wall_impacts"):
        check_within(f"spheres/{name}", given[name], 0, np.iinfo(np.int64).max)
    plan = given["plan"]
    whole = plan[:, [PARTNER, FACE, CELL, CELL + 1, CELL + 2]]
    require(
        bool((np.isfinite(whole) & (whole == np.floor(whole))).all()), "spheres/plan has parts of partners or cells"
    )
    check_within("spheres/plan, partners,", plan[:, PARTNER], NO_PARTNER, len(plan) - 1)
    check_within("spheres/plan, faces,", plan[:, FACE], 0, 5)
    for axis in range(3):
        walled = space["boundary"][axis] == WALLED
        bounds = (0, space["cells"][axis] - 1) if walled else (-FARTHEST_CELL, FARTHEST_CELL)
        check_within("spheres/plan, cells,", plan[:, CELL + axis], *bounds)


def _check_cells(state: HardState, own: dict[str, object]) -> None:
    """Check that the cells are those of the box and wide enough, and that each sphere is in the list of one of them."""
    space = state.space
    for name in ("boundary", "gravity", "period", "per_metre"):
        require(np.array_equal(space[name], np.array(own[name])), f"space/{name} is not that of the box")
    least = [MIN_CELLS[kind] for kind in space["boundary"].tolist()]
    widest = 2 * state.spheres["row"][:, RADIUS].max()
    fits = (
        (space["cells"] >= least).all() and (space["width"] >= widest).all() and (space["lower"] < space["upper"]).all()
    )
    require(bool(fits), "space/cells and space/width are no cells for these spheres")
    head, following, preceding = (space[name].astype(np.int64) for name in ("head", "following", "preceding"))
    end = len(preceding)  # follows the last sphere of a cell: no sphere
    for name, links, low, high in (
        ("head", head, 0, end), ("following", following, 0, end), ("preceding", preceding, -len(head), end - 1)
    ):  # fmt: skip
        check_within(f"space/{name}", links, low, high)
    first, after = np.flatnonzero(head < end), np.flatnonzero(following[:end] < end)
    linked = following[end] == end and np.array_equal(preceding[head[first]], -1 - first)
    linked = linked and np.array_equal(preceding[following[after]], after) and len(first) + len(after) == end
    require(bool(linked), "space has chains of spheres that are broken")
    met, at = 0, head[first]
    while at.size:  # chains that have a beginning, and in which each sphere follows one other, come to an end
        met, at = met + at.size, following[at]
        at = at[at < end]
    require(met == end, "space has chains of spheres that begin nowhere")


def _check_agenda(agenda: dict[str, np.ndarray]) -> None:
    """Check that each sphere is in the event queue once, and that the queue is a heap by time."""
    spheres = np.arange(len(agenda["slot"]))
    for name in ("particle", "slot"):
        check_within(f"agenda/{name}", agenda[name], 0, spheres.size - 1)
    require(np.array_equal(agenda["slot"][agenda["particle"]], spheres), "agenda has a sphere twice")
    time = agenda["time"]
    require(bool((time[(spheres[1:] - 1) // 4] <= time[1:]).all()), "agenda is not in order")
