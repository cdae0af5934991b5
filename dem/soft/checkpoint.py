"""Checkpoints of a simulation in time steps; its arrays are those of `dem.soft.per_body`.

Whether a state from a file fits an engine of the same input is checked: kernels trust it, so nothing may be out of
bounds.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dem.base import compilation
from dem.base.quaternions import UNIT_NORM
from dem.files.checkpoints.serialization import describe_particles, from_recipe, read_particles, recipe, write_particles
from dem.files.h5md.bonds import made_bonds
from dem.files.h5md.bonds import write_arrays as write_bonds
from dem.files.h5md.walls import made_walls, recipes, write_arrays
from dem.files.validation import hdf5_validation
from dem.files.validation.hdf5_validation import check_alike, check_finite, check_within, number, require
from dem.kernels.compiler.jit import in_python
from dem.kernels.soft.bonds.bond_arrays import REMOVED
from dem.kernels.soft.bonds.overlap_release import FAR
from dem.kernels.soft.contact.capsules import Capsules, Mixed
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds
from dem.kernels.soft.contact.convex_contacts import SOLVER_COLUMNS
from dem.kernels.soft.integration.time_loop import DONE, NOT_STARTED, PREDICTED
from dem.kernels.soft.wall_contact import wall_history
from dem.kernels.soft.wall_contact.wall_history import PIECE_BITS, SIDE
from dem.model.contact.contacts import STORED, Contacts, present_damping
from dem.model.energy import stored_energies
from dem.model.fluid.fluid import Fluid
from dem.model.insertion import Inserter, Outlet
from dem.model.materials import Material
from dem.run.simulation_base import SimulationBase
from dem.soft.checks import check_box
from dem.soft.contact.contact_history import ContactHistory
from dem.soft.insertion.inserter_in_run import NEVER
from dem.soft.per_body import BODIES, CONTACTS, PROGRESS, SOLVER, Snapshot, restored, stored
from dem.soft.simulation import Simulation
from dem.soft.time_step.limits import ShortestContact
from dem.soft.walls.wall_arrays import VELOCITY
from dem.system.energy_ledger import EnergyLedger, EnergySums
from dem.system.system import MAX_STEPS

if TYPE_CHECKING:
    import h5py

    from dem.soft.engine import Engine

# ruff: noqa: SLF001 (this is the other half of Simulation)

FLUID, FLOW = "fluid", "flow"  # groups: what a run has come to in a fluid, arrays of its velocity
WALLS, ARRAYS_OF_WALLS = "walls", "meshes"  # groups: what a run has come to at walls beside the box, their arrays
POPULATION = "traffic"  # group: particles that are there, and sums of those that came and went
CONTAINERS = "containers"  # numbers of the meshes that held most particles at the start of the run
SCALARS = "scalars"  # group: ledgers of heat and other scalars
BONDS, BOND_STATE = "bonds", "bond_state"  # groups: what they are, and what a run has come to
BY_NAME = "by name"  # how a file's entries of contacts tell materials apart; those of 0.2 do so by their numbers alone
START_MOMENTUM = "start_momentum"  # its components, and the sum of all |m v| [kg m/s]
# energies of engines before the present one: dissipated, work of walls and from outside, departure; first step, fluid
BOOKED, FIRST_STEP = "booked", 5  # place of the first step, counted from 1; without a fluid nothing comes after it


def describe(sim: Simulation) -> dict:
    """How to set it up again."""
    return {
        **describe_particles(sim.particles),
        "box": sim.box and recipe(sim.box),
        "contacts": {
            "rule": sim.contacts.rule,
            "damped": STORED[sim.contacts.damped],
            "materials": BY_NAME,
            "table": [[recipe(thing) for thing in row] for row in sim.contacts],
        },
        "gravity": sim.gravity,
        "time_step": sim.time_step,
        "integrator": sim.integrator.name,
        "deepest_overlap": sim._deepest,
        "description": sim.description,
        **({"fluid": recipe(sim.fluid)} if sim.fluid else {}),
        **({"walls": recipes([each.wall for each in sim.walls])} if sim.walls else {}),
        **({"inserters": [recipe(each.inserter) for each in sim.inserters]} if sim.population else {}),
        **({"heat": recipe(sim._heat)} if sim._heat else {}),
        **({"scalars": [recipe(law) for law in sim._extra_scalars]} if sim._extra_scalars else {}),
        **({"outlets": [recipe(each.outlet) for each in sim.outlets]} if sim.population else {}),
    }


def write(sim: Simulation, group: h5py.Group) -> None:
    """Write the state of a simulation to a group; raises BrokenRunError if it cannot go on from there."""
    if sim._engine.code != DONE:
        sim._check_run(sim._engine.code)
    write_particles(sim.particles, group)
    state, ledger = sim._engine.snapshot(), sim._ledger
    bodies, run_state = stored(BODIES, state.bodies), stored(PROGRESS, state.run_state)
    for part, arrays in ((BODIES, bodies), (CONTACTS, state.contacts._asdict()), (PROGRESS, run_state)):
        for name, values in arrays.items():
            group[f"{part}/{name}"] = values
    group["unit"] = state.energy_unit
    group["datum"] = state.reference_potential
    group["start_step"] = state.start_step
    group["watch"] = state.watch
    group["start_energy"] = np.array(
        ledger.start_energy[: stored_energies(fluid=bool(sim.fluid), insertion=bool(sim.population))]
    )
    group["largest_kinetic"] = ledger.largest_kinetic
    group[START_MOMENTUM] = np.array([*sim._start_momentum[0], sim._start_momentum[1]])
    before = ledger.earlier
    sums = before.dissipated, before.work, ledger.external_work, ledger.earlier_departure
    if any((*sums, before.fluid)) or ledger.first_step != state.start_step:
        group[BOOKED] = np.array([*sums, ledger.first_step, *([before.fluid] if sim.fluid else [])], float)
    if sim._containers:
        group[CONTAINERS] = np.array(sim._containers, np.int64)
    parts = ((WALLS, state.walls), (POPULATION, state.population), (SCALARS, state.scalars))
    named = {f"{part}/{name}": values for part, arrays in parts for name, values in arrays.items()}
    for name, values in (state.solver | named).items():
        group[name] = values
    if any(each.ARRAYS for each in sim.walls):
        write_arrays([each.wall for each in sim.walls], group.create_group(ARRAYS_OF_WALLS))
    if sim.bonds is not None:
        write_bonds(sim.bonds.made, group.create_group(BONDS))
        for name, values in state.bonds.items():
            group[f"{BOND_STATE}/{name}"] = values
    if sim.fluid:
        for name, values in state.fluid.items():
            group[f"{FLUID}/{name}"] = values
        for name in sim.fluid.velocity.ARRAYS:
            group[f"{FLOW}/{name}"] = getattr(sim.fluid.velocity, name)


def read(given: dict, group: h5py.Group, threads: int | None) -> Simulation:
    """Set it up again, in the state that was written; what it says must fit, see `check_fits`."""
    particles, box = read_particles(given, group), from_recipe(given["box"])
    walls = made_walls(given.get("walls", []), group.get(ARRAYS_OF_WALLS))
    own = [box.material] if box and box.material else []
    materials = list(dict.fromkeys([*(m for _, m in particles.variants), *own, *(wall.material for wall in walls)]))
    remembered = hdf5_validation.arrays(group, CONTACTS)
    state = Snapshot(
        bodies=restored(BODIES, hdf5_validation.arrays(group, BODIES)),
        contacts=ContactHistory(*(remembered[name] for name in ContactHistory._fields)),
        run_state=restored(PROGRESS, hdf5_validation.arrays(group, PROGRESS)),
        energy_unit=number(group, "unit", above=0),
        reference_potential=number(group, "datum"),
        start_step=int(hdf5_validation.numbers(group, "start_step", (), "iu")[()]),
        watch=hdf5_validation.numbers(group, "watch", (None,))[:] if "watch" in group else np.empty(0),
        fluid=hdf5_validation.arrays(group, FLUID) if FLUID in group else {},
        walls=hdf5_validation.arrays(group, WALLS) if WALLS in group else {},
        population=hdf5_validation.arrays(group, POPULATION) if POPULATION in group else {},
        bonds=hdf5_validation.arrays(group, BOND_STATE) if BOND_STATE in group else {},
        solver={SOLVER: hdf5_validation.numbers(group, SOLVER, (SOLVER_COLUMNS,), "iu")[:]} if SOLVER in group else {},
        scalars=hdf5_validation.arrays(group, SCALARS) if SCALARS in group else {},
    )  # fmt: skip
    ledger, containers = _ledger(group, state), _containers(group, len(walls))
    sim = Simulation.__new__(Simulation)
    SimulationBase.__init__(sim, particles, box, given["gravity"], given["description"])
    sim._set_up(
        time_step=given["time_step"], integrator=given["integrator"], threads=threads,
        deepest_overlap=given["deepest_overlap"], contacts=_contacts(given["contacts"], materials),
        fluid=_fluid(given.get("fluid"), group), walls=walls,
        bonds=made_bonds(group[BONDS], len(group["particles/kind"])) if BONDS in group else None,
        inserters=_gates(given, "inserters", Inserter), outlets=_gates(given, "outlets", Outlet),
        added="inserters" in given, heat=given.get("heat") and from_recipe(given["heat"]),
        scalars=[from_recipe(law) for law in given.get("scalars", [])],
    )  # fmt: skip
    with compilation.announced():
        engine = sim._engine = sim._new_engine()
        engine.population = sim._population
        check_box(box, engine)
        check_fits(state, engine)
        if state.population:
            engine.set_identities(state.population["identity"])
        engine.restore(state)
        if sim._population:
            sim._population.changed = False  # since the particles were written
        engine.advance(sim.step_count)
    sim._shown, sim._ledger, sim._containers = sim.step_count, ledger, containers
    sim._start_momentum = _start_momentum(sim, group)
    return sim


def _contacts(given: dict, materials: list[Material]) -> Contacts:
    """How pairs of the materials of a run meet; entries of 0.2 are for all materials whose numbers are equal."""
    require(isinstance(given, dict), "contacts are no table")
    by_name = given.get("materials") == BY_NAME
    same: dict[Material, Material] = {}  # a material of an entry is one object, and none of the run's
    table = {}
    for row in given["table"]:
        *pair, contact = (from_recipe(thing) for thing in row)
        require(len(pair) == 2 and all(isinstance(one, Material) for one in pair), "an entry of contacts is not of two")
        meant = [[one] if by_name else [m for m in materials if replace(m, name=one.name) == one] for one in pair]
        for both in itertools.product(*meant):
            table[tuple(same.setdefault(one, replace(one)) for one in both)] = contact
    return Contacts(table, rule=given["rule"], damped=present_damping(given.get("damped", "alone")))


def _fluid(given: dict | None, group: h5py.Group) -> Fluid | None:
    """The fluid, its flow with the arrays that stand apart."""
    if given is None:
        return None
    if FLOW in group:
        given["values"]["velocity"]["values"] |= hdf5_validation.arrays(group, FLOW)
    fluid = from_recipe(given)
    require(isinstance(fluid, Fluid), f"its fluid is {fluid!r}")
    return fluid


def _gates(given: dict, name: str, kind: type) -> list:
    """Inserters or outlets."""
    found = [from_recipe(each) for each in hdf5_validation.tables(given.get(name, []), name)]
    require(all(isinstance(each, kind) for each in found), f"its {name} are something else")
    return found


def _containers(group: h5py.Group, walls: int) -> tuple[int, ...]:
    """Numbers of the meshes that held most particles; none if the file does not say, as those of 0.2."""
    if CONTAINERS not in group:
        return ()
    found = hdf5_validation.numbers(group, CONTAINERS, (None,), "iu")[:].tolist()
    require(all(0 <= k < walls for k in found), "a container is none of its walls")
    return tuple(found)


def _ledger(group: h5py.Group, state: Snapshot) -> EnergyLedger:
    """The energy ledger."""
    ledger = EnergyLedger(
        state.reference_potential, hdf5_validation.energy(group, "start_energy"),
        number(group, "largest_kinetic", least=0), first_step=state.start_step,
    )  # fmt: skip
    if BOOKED not in group:
        return ledger
    values = hdf5_validation.finite(group, BOOKED, (None,)).tolist()
    require(len(values) in (FIRST_STEP, FIRST_STEP + 1), f"{BOOKED} is no ledger")
    dissipated, work, external, departure, first_step, *fluid = values
    return replace(
        ledger, external_work=external, earlier=EnergySums(dissipated=dissipated, work=work, fluid=sum(fluid)),
        earlier_departure=departure, first_step=int(first_step),
    )  # fmt: skip


def _start_momentum(sim: Simulation, group: h5py.Group) -> tuple[np.ndarray, float]:
    """Momentum at the start, and the sum of all |m v| then [kg m/s]; files of 0.2 have the present state alone."""
    if START_MOMENTUM in group:
        *momentum, size = hdf5_validation.finite(group, START_MOMENTUM, (4,)).tolist()
        return np.array(momentum), size
    now, size = sim._momentum(sim._state())
    return now - sim._population.totals.net_momentum if sim._population else now, size


LIGHTEST, HEAVIEST = 2.0**-1000, 2.0**1000  # units of energy a joule
FACES, MAX_COUNT = 6, 2**62
table_number = in_python(wall_history.table_number)
WATCHED = 4  # overlap, limits of overlap and acceleration, fewest steps; then when and who


def check_fits(state: Snapshot, engine: Engine) -> None:
    """Raise DamagedError, saying what does not fit, unless the engine can go on from the state."""
    own = {name: getattr(engine.bodies, name)[..., : engine.owned] for name in engine.state_arrays}
    bodies, run_state = stored(BODIES, state.bodies), stored(PROGRESS, state.run_state)
    check_alike(BODIES, bodies, stored(BODIES, own))
    check_finite(BODIES, bodies)
    off = np.abs(np.linalg.norm(state.bodies["orientation"], axis=0) - 1).max(initial=0.0)
    require(off <= UNIT_NORM, f"{BODIES}/orientation has a norm that is off by {off:.3g}")
    _check_contacts(state, engine)
    check_alike(PROGRESS, run_state, stored(PROGRESS, engine.run_state._asdict()))
    check_finite(PROGRESS, run_state)
    check_within("progress/step", run_state["step"], 0, MAX_STEPS)
    check_within("progress/phase", run_state["phase"], NOT_STARTED, PREDICTED)
    for name in ("travel", "largest_overlap"):
        check_within(f"progress/{name}", run_state[name], 0.0, np.finfo(np.float64).max)
    for name, values in (("progress/leaving", run_state["leaving"]), (f"{BODIES}/left", state.bodies["is_removed"])):
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
    own_walls = engine.walls.state
    if VELOCITY not in state.walls:  # files of version 0.2 do not have it
        own_walls.pop(VELOCITY, None)
    check_alike("walls", state.walls, own_walls)
    check_finite("walls", state.walls)
    check_alike(SCALARS, state.scalars, engine.scalar_state)
    check_finite(SCALARS, state.scalars)
    check_population(state.population, engine)
    check_bond_state(state.bonds, engine)
    _check_watch(state.watch, len(engine.walls.models))
    for name, values in state.solver.items():
        require(isinstance(engine.kinds, ConvexBodyKinds), f"{name} is there without convex shapes")
        check_within(name, values, 0, MAX_COUNT)
    check_within("start_step", np.array([state.start_step]), 0, state.step)
    check_within("unit", np.array([state.energy_unit]), LIGHTEST, HEAVIEST)
    require(np.isfinite(state.step * engine.dt), f"step {state.step} is at no time")


def _check_watch(watch: np.ndarray, walls: int) -> None:
    """Check saved fields of `dem.soft.time_step.limits.Limits`: lengths that may be infinite, then whole numbers."""
    if not watch.size:
        return  # files of version 0.1 have none
    own = {"watch": np.zeros(3 + len(ShortestContact._fields))}
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
        f"{CONTACTS}/j", table.j, table_number((len(engine.walls.models) + sides) << PIECE_BITS) + 1, spheres - 1
    )
    check_within(f"{CONTACTS}/wall_contacts", table.wall_contacts, 0, np.iinfo(np.int64).max)


def check_bond_state(state: dict[str, np.ndarray], engine: Engine) -> None:
    """Raise DamagedError unless the engine can go on from it: kernels trust its indices."""
    own = engine.bonds.state if engine.bonds else {}
    if own:
        state.setdefault("pressed", np.zeros(1))  # files of version 0.2 do not have it
    check_alike("bond_state", state, own)
    if not own:
        return
    check_finite("bond_state", state)
    bonds, eased = len(state["state"]), len(state["eased_slack"])
    check_within("bond_state/state", state["state"], 0, REMOVED)
    check_within("bond_state/when", state["when"], -1, MAX_STEPS)
    check_within("bond_state/pending", state["pending"], 0, bonds - 1)
    check_within("bond_state/count", state["count"], 0, MAX_STEPS)
    check_within("bond_state/pressed", state["pressed"], 0.0, math.inf)
    require(int(state["count"][0]) <= bonds, "bond_state has more bonds that break than there are")
    check_within("bond_state/eased_slack", state["eased_slack"], 0.0, FAR)
    check_within("bond_state/eased_active", state["eased_active"], 0, max(eased - 1, 0))
    check_within("bond_state/eased_count", state["eased_count"], 0, eased)


ANY = {"identity", "kind", "species", "waits", "who", "then"}  # arrays of any length


def check_population(given: dict[str, np.ndarray], engine: Engine) -> None:
    """Raise DamagedError, saying what does not fit, unless a run can go on from these arrays."""
    population, own = engine.population, engine.population_state()
    require(given.keys() == own.keys(), f"{POPULATION} is not of the inserters and outlets that there are")
    if population is None:
        return
    for name, values in own.items():
        there, length = given[name], name.rpartition("_")[2] in ANY
        alike = there.dtype == values.dtype and there.ndim == values.ndim and (length or there.shape == values.shape)
        require(alike, f"{POPULATION}/{name} is {there.dtype} of shape {there.shape}, expected {values.dtype}")
    check_finite(POPULATION, {name: values for name, values in given.items() if values.dtype.kind == "f"})
    born, _ = given["books_born"].tolist()
    identity = given["identity"]
    require(identity.size == engine.owned, f"{POPULATION}/identity is of {identity.size} particles")
    ascending = bool((np.diff(identity) > 0).all()) and (not identity.size or 0 <= identity[0] <= identity[-1] < born)
    require(ascending, f"{POPULATION}/identity does not ascend from 0 to {born - 1}")
    require(
        np.array_equal(given["kind"], engine.by_row(engine.bodies.kind)), f"{POPULATION}/kind is not that of particles"
    )
    require(given["species"].size == identity.size, f"{POPULATION}/species is not of these particles")
    check_within(f"{POPULATION}/species", given["species"], 0, len(population.kinds) - 1)
    for name, values in given.items():
        last = name.rpartition("_")[2]
        if last in ("numbers", "counts", "waits", "who", "born"):
            check_within(f"{POPULATION}/{name}", values, 0, NEVER)
    for k in range(len(population.outlets)):
        identities, positions = given[f"sink_{k}_who"], given[f"sink_{k}_then"]
        alike = positions.shape == (3, identities.size) and bool((np.diff(identities) > 0).all())
        require(alike, f"{POPULATION}/sink_{k}_then is of others")
