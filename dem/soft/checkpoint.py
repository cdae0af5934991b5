"""What a simulation in time steps needs to go on; its arrays are those of `dem.soft.snapshot`."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dem.files.checkpoints.serialization import describe_particles, made, read_particles, recipe, write_particles
from dem.files.h5md.bonds import write_arrays as write_bonds
from dem.files.reading.stored_bonds import made_bonds
from dem.files.reading.stored_walls import made_walls, recipes, write_arrays
from dem.files.validation import input_validation
from dem.files.validation.hdf5_validation import require
from dem.files.validation.input_validation import number
from dem.model.contact.contacts import STORED, Contacts, present_damping
from dem.model.energy import energies_kept
from dem.model.fluid.fluid import Fluid
from dem.model.insertion import Inserter, Outlet
from dem.model.materials import Material
from dem.soft.contact.contact_history import ContactHistory
from dem.soft.per_body import BODIES, CONTACTS, PROGRESS, restored, stored
from dem.soft.simulation import Simulation
from dem.soft.snapshot import Snapshot
from dem.system.energy_ledger import EnergyLedger, EnergySums

if TYPE_CHECKING:
    import h5py


# ruff: noqa: SLF001 (this is the other half of Simulation)

FLUID, FLOW = "fluid", "flow"  # groups: what a run has come to in a fluid, arrays of its velocity
WALLS, ARRAYS_OF_WALLS = "walls", "meshes"  # groups: what a run has come to at walls beside the box, their arrays
TRAFFIC = "traffic"  # group: who is there, and what has come and gone
CONTAINERS = "containers"  # numbers of the meshes that held most particles at the start of the run
BONDS, TIED = "bonds", "bond_state"  # groups: what they are, and what a run has come to
BY_NAME = "by name"  # how a file's entries of contacts tell materials apart; those of 0.2 do so by their numbers alone
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
        **({"inserters": [recipe(each.inserter) for each in sim.inserters]} if sim.traffic else {}),
        **({"outlets": [recipe(each.outlet) for each in sim.outlets]} if sim.traffic else {}),
    }


def write(sim: Simulation, group: h5py.Group) -> None:
    """Write the state of a simulation to a group."""
    write_particles(sim.particles, group)
    state, ledger = sim._engine.snapshot(), sim._ledger
    bodies, progress = stored(BODIES, state.bodies), stored(PROGRESS, state.progress)
    for part, arrays in ((BODIES, bodies), (CONTACTS, state.contacts._asdict()), (PROGRESS, progress)):
        for name, values in arrays.items():
            group[f"{part}/{name}"] = values
    group["unit"] = state.energy_unit
    group["datum"] = state.datum
    group["start_step"] = state.start_step
    group["watch"] = state.watch
    group["start_energy"] = np.array(
        ledger.start_energy[: energies_kept(fluid=bool(sim.fluid), traffic=bool(sim.traffic))]
    )
    group["largest_kinetic"] = ledger.largest_kinetic
    before = ledger.earlier
    sums = before.dissipated, before.work, ledger.external_work, ledger.earlier_departure
    if any((*sums, before.fluid)) or ledger.first_step != state.start_step:
        group[BOOKED] = np.array([*sums, ledger.first_step, *([before.fluid] if sim.fluid else [])], float)
    if sim._containers:
        group[CONTAINERS] = np.array(sim._containers, np.int64)
    for name, values in state.walls.items():
        group[f"{WALLS}/{name}"] = values
    for name, values in state.traffic.items():
        group[f"{TRAFFIC}/{name}"] = values
    if any(each.ARRAYS for each in sim.walls):
        write_arrays([each.wall for each in sim.walls], group.create_group(ARRAYS_OF_WALLS))
    if sim.bonds is not None:
        write_bonds(sim.bonds.made, group.create_group(BONDS))
        for name, values in state.bonds.items():
            group[f"{TIED}/{name}"] = values
    if sim.fluid:
        for name, values in state.fluid.items():
            group[f"{FLUID}/{name}"] = values
        for name in sim.fluid.velocity.ARRAYS:
            group[f"{FLOW}/{name}"] = getattr(sim.fluid.velocity, name)


def read(given: dict, group: h5py.Group, threads: int | None) -> Simulation:
    """Set it up again, in the state that was written; what it says must fit, see `dem.soft.checkpoint_validation`."""
    particles, box = read_particles(given, group), made(given["box"])
    walls = made_walls(given.get("walls", []), group.get(ARRAYS_OF_WALLS))
    own = [box.material] if box and box.material else []
    materials = list(dict.fromkeys([*(m for _, m in particles.variants), *own, *(wall.material for wall in walls)]))
    remembered = input_validation.arrays(group, CONTACTS)
    state = Snapshot(
        bodies=restored(BODIES, input_validation.arrays(group, BODIES)),
        contacts=ContactHistory(*(remembered[name] for name in ContactHistory._fields)),
        progress=restored(PROGRESS, input_validation.arrays(group, PROGRESS)),
        energy_unit=number(group, "unit", above=0),
        datum=number(group, "datum"), start_step=int(input_validation.numbers(group, "start_step", (), "iu")[()]),
        watch=input_validation.numbers(group, "watch", (None,))[:] if "watch" in group else np.empty(0),
        fluid=input_validation.arrays(group, FLUID) if FLUID in group else {},
        walls=input_validation.arrays(group, WALLS) if WALLS in group else {},
        traffic=input_validation.arrays(group, TRAFFIC) if TRAFFIC in group else {},
        bonds=input_validation.arrays(group, TIED) if TIED in group else {},
    )  # fmt: skip
    return Simulation._restored(
        particles, box, state,
        ledger=_ledger(group, state), containers=_containers(group, len(walls)),
        gravity=given["gravity"], description=given["description"], time_step=given["time_step"],
        integrator=given["integrator"], threads=threads, deepest_overlap=given["deepest_overlap"],
        contacts=_contacts(given["contacts"], materials),
        fluid=_fluid(given.get("fluid"), group),
        bonds=made_bonds(group[BONDS], len(group["particles/kind"])) if BONDS in group else None,
        walls=walls,
        inserters=_gates(given, "inserters", Inserter), outlets=_gates(given, "outlets", Outlet),
        added="inserters" in given,
    )  # fmt: skip


def _contacts(given: dict, materials: list[Material]) -> Contacts:
    """How pairs of the materials of a run meet; entries of 0.2 are for all materials whose numbers are equal."""
    require(isinstance(given, dict), "contacts are no table")
    by_name = given.get("materials") == BY_NAME
    same: dict[Material, Material] = {}  # a material of an entry is one object, and none of the run's
    table = {}
    for row in given["table"]:
        *pair, contact = (made(thing) for thing in row)
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
        given["values"]["velocity"]["values"] |= input_validation.arrays(group, FLOW)
    fluid = made(given)
    require(isinstance(fluid, Fluid), f"its fluid is {fluid!r}")
    return fluid


def _gates(given: dict, name: str, kind: type) -> list:
    """Inserters or outlets."""
    found = [made(each) for each in input_validation.tables(given.get(name, []), name)]
    require(all(isinstance(each, kind) for each in found), f"its {name} are something else")
    return found


def _containers(group: h5py.Group, walls: int) -> tuple[int, ...]:
    """Numbers of the meshes that held most particles; none if the file does not say, as those of 0.2."""
    if CONTAINERS not in group:
        return ()
    found = input_validation.numbers(group, CONTAINERS, (None,), "iu")[:].tolist()
    require(all(0 <= k < walls for k in found), "a container is none of its walls")
    return tuple(found)


def _ledger(group: h5py.Group, state: Snapshot) -> EnergyLedger:
    """The energy ledger."""
    ledger = EnergyLedger(
        state.datum, input_validation.energy(group, "start_energy"), number(group, "largest_kinetic", least=0),
        first_step=state.start_step,
    )  # fmt: skip
    if BOOKED not in group:
        return ledger
    values = input_validation.finite(group, BOOKED, (None,)).tolist()
    require(len(values) in (FIRST_STEP, FIRST_STEP + 1), f"{BOOKED} is no ledger")
    dissipated, work, external, departure, first_step, *fluid = values
    return replace(
        ledger, external_work=external, earlier=EnergySums(dissipated=dissipated, work=work, fluid=sum(fluid)),
        earlier_departure=departure, first_step=int(first_step),
    )  # fmt: skip
