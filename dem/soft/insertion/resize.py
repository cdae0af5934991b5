"""Change the number of bodies of an engine, which keep their identities.

A change is made between two calls of the compiled loop, at a complete step. The bodies that stay keep all their state
to the bit: half-step velocities, forces, state of the scheme, contact history. New bodies come with the same arrays of
`dem.kernels.soft.state.Bodies`, from a state at a whole step (`new_bodies`). The user's rows ascend by
identity. An engine without bodies takes steps, too: time goes on, walls move, and the energy ledger is closed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dem.base.quaternions import rotate_back
from dem.kernels import rotation
from dem.kernels.fluid import Dry
from dem.kernels.soft.chunks import CHUNK, Threaded
from dem.kernels.soft.integration import chunk_step
from dem.kernels.soft.integration import time_loop as loop
from dem.soft import arrays
from dem.soft.contact.capsules import with_poses
from dem.soft.contact.contact_history import ContactHistory
from dem.soft.fluid.fluid_setup import STATE, with_fluid_scratch
from dem.soft.neighbour_lists import most_cells
from dem.soft.per_body import MOVING, Numbering
from dem.soft.thread_balance import ThreadChoice

if TYPE_CHECKING:
    from dem.kernels.soft.state import Bodies
    from dem.model.particles.particles import Particles
    from dem.soft.engine import Engine
    from dem.soft.per_body import Snapshot


def new_bodies(engine: Engine, particles: Particles, identities: np.ndarray) -> tuple[Bodies, float]:
    """Arrays of new bodies with the state of particles at the present step, and their energy [units].

    The particles are of the engine's variants, by number, and nothing acts on them but gravity.
    """
    new = arrays.bodies(particles, engine.kinds, engine.box, **engine.rows)._replace(identity=identities)
    if (
        not engine.rotating
    ):  # those turn by what has passed since the engine began, see `dem.kernels.soft.integration.particle_update`
        elapsed = (int(engine.run_state.step[0]) - engine.start_step) * engine.dt
        new.orientation[:] = _turned_back(new.orientation, elapsed * new.memory_w)
    energy, fluid = np.zeros(1), beginning(engine)
    run_state = engine.run_state._replace(energy_start=energy, elastic=np.zeros(1, np.int64))
    engine.execute(loop.START, bodies=new, run_state=run_state, fluid=fluid)
    begin(engine, fluid)
    return new, float(energy[0])


def _turned_back(q: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Quaternions (4, N) before turns by vectors (3, N) [rad]."""
    angle = np.linalg.norm(rotation, axis=0)
    w, x = np.cos(0.5 * angle), -0.5 * rotation * np.sinc(0.5 * angle / np.pi)
    return np.concatenate([[w * q[0] - (x * q[1:]).sum(0)], w * q[1:] + q[0] * x + np.cross(x, q[1:], axis=0)])


def change(engine: Engine, is_kept: np.ndarray, added: Bodies | None) -> None:
    """Keep the bodies where `is_kept` (N,) is true, and add those of `new_bodies`; at a complete step."""
    history, identity, first = engine.history(), engine.numbering.identities, engine.first_sphere_of_row
    index = np.flatnonzero(is_kept)
    index = index[np.argsort(engine.bodies.identity[index], kind="stable")]
    fastest = engine.chunk_sums[:, chunk_step.DISPLACEMENT].max()
    rows = {}
    for name in MOVING:
        values = getattr(engine.bodies, name)
        rows[name] = values.take(index, axis=-1) if values.shape[-1] else values.copy()
    if added is not None:
        for name in MOVING:
            rows[name] = np.ascontiguousarray(np.concatenate([rows[name], getattr(added, name)], axis=-1))
        order = np.argsort(rows["identity"], kind="stable")
        rows = {name: v.take(order, axis=-1) if v.shape[-1] else v for name, v in rows.items()}
        step = engine.dt * float(np.linalg.norm(added.velocity, axis=0).max(initial=0.0))
        fastest = max(fastest, np.float64(step).view(np.int64))
    install(engine, rows)
    engine.chunk_sums[:, chunk_step.DISPLACEMENT] = fastest
    engine.rebuild(_renumbered(history, identity, first, engine))


def _renumbered(history: ContactHistory, identity: np.ndarray, first: np.ndarray, engine: Engine) -> ContactHistory:
    """Contact history of the bodies that an engine has now, from that of the identities and first spheres before."""
    now, of_walls = engine.numbering.identities, history.j < 0
    rows = [np.searchsorted(first, history.i, side="right") - 1, np.searchsorted(first, history.j, side="right") - 1]
    rows[1][of_walls] = 0
    stays = np.isin(identity[rows[0]], now) & (of_walls | np.isin(identity[rows[1]], now))
    numbers = []
    for before, row in zip((history.i[stays], history.j[stays]), rows, strict=True):
        place = np.where(before < 0, 0, np.searchsorted(now, identity[row[stays]]))
        sphere = engine.first_sphere_of_row[place] + before - first[row[stays]]
        numbers.append(np.where(before < 0, before, sphere))
    return ContactHistory(*numbers, history.history[stays], engine.bodies.wall_contacts.copy())


def install(engine: Engine, rows: dict[str, np.ndarray]) -> None:
    """Install arrays of bodies, in the order of rows, and empty lists of their size in an engine."""
    kinds, before = engine.kinds, engine.lists.arrays
    n = rows["identity"].size
    chunks = max(1, -(-n // CHUNK))
    spheres = np.diff(kinds.first_offset)[rows["kind"]]
    first = np.concatenate([[0], np.cumsum(spheres)]).astype(np.int32)
    engine.bodies = engine.bodies._replace(
        **rows, first_sphere=first, owner=np.repeat(np.arange(n, dtype=np.int32), spheres), n_active=np.array([n]),
        sphere_position=rows["position"] if kinds.all_single_spheres else np.zeros((3, int(first[-1]))),
    )  # fmt: skip
    engine.kinds = with_poses(kinds, rows["kind"])
    engine.numbering, engine.owned = Numbering(rows["identity"].copy()), n
    engine.first_sphere_of_row = first[:-1].copy()
    blocks = min(engine.most_threads, chunks) if isinstance(engine.mode, Threaded) else 1
    if blocks != engine.thread_choice.max_threads:
        engine.thread_choice = ThreadChoice(blocks)
    engine.lists.arrays = _lists(before, arrays.lists(engine.bodies, chunks, blocks, engine.layout), engine.layout)
    engine.workspace = arrays.workspace(n, chunks, most_cells(n))
    engine.chunk_sums = np.zeros((chunks, chunk_step.COLUMNS), np.int64)
    engine.fluid.model = with_fluid_scratch(engine.fluid.model, chunks)
    engine.walls.resize(n, int(first[-1]), chunks)


def match_bodies(engine: Engine, snapshot: Snapshot) -> None:
    """Resize the particle set of an engine to that of a snapshot; the state is restored afterwards."""
    identity, kind = snapshot.population["identity"], snapshot.population["kind"]
    if not np.array_equal(identity, engine.numbering.identities):
        rows = {}
        for name in MOVING:  # empty arrays, as long as those of the snapshot
            values = getattr(engine.bodies, name)
            number = snapshot.bodies[name].shape[-1] if name in snapshot.bodies else identity.size
            rows[name] = np.zeros((*values.shape[:-1], number), values.dtype)
        install(engine, rows | {"identity": identity.copy(), "kind": kind.astype(np.int32)})


def _lists(before: arrays.Neighbours, new: arrays.Neighbours, layout: arrays.Layout) -> arrays.Neighbours:
    """New lists with as much room a chunk for pairs and candidates as there was."""
    chunks, old = new.pairs.size, before.pairs.size
    pairs, candidates = (before.lower.size - 1) // old, before.sphere_i.size // old
    if chunks == old:
        names = [*arrays.pair_arrays(0), *arrays.candidate_arrays(0, 0, layout), "pair_force", "overlap", "touching"]
        more = {name: getattr(before, name) for name in names}
    else:
        more = arrays.pair_arrays(chunks * pairs) | arrays.candidate_arrays(chunks, candidates, layout)
    entries = before.body_entries.size * chunks // old
    return new._replace(**more, **arrays.entry_arrays(entries, new.first.size, layout))


def execute_without_bodies(engine: Engine, command: int, stop: int) -> int:
    """Carry out a command of an engine without bodies, as kernels do otherwise; returns DONE."""
    run_state = engine.run_state
    if command == loop.START:
        run_state.energy_start[0] = 0.0
    if command != loop.ADVANCE:
        return loop.DONE
    if run_state.phase[0] == loop.NOT_STARTED:
        run_state.phase[0] = loop.COMPLETE
    step = int(run_state.step[0])
    if step >= stop:
        return loop.DONE
    for name, half in (("dissipated", "dissipated_half_step"), ("wall_work", "wall_work_half_step")):
        getattr(run_state, name)[0] += getattr(run_state, half)[0]
    for name in ("elastic", "spring_energy", "dissipated_half_step", "wall_work_half_step", "acceleration"):
        getattr(run_state, name)[:] = 0
    work = fluid_work_at_rest(engine)
    departure = float((run_state.dissipated - run_state.wall_work).sum() - run_state.energy_start[0]) - work
    if run_state.leaving[0]:
        run_state.energy_start[0] += departure - run_state.energy_drift[0]
        departure, run_state.leaving[0] = float(run_state.energy_drift[0]), 0
    run_state.energy_drift[0] = departure
    run_state.energy_error[0] = max(run_state.energy_error[0], abs(departure))
    walls = engine.walls
    if walls.beside_box:
        walls.state["felt"][:] = 0.0
    driven = any(wall.servo for wall in walls.models)  # these go on step by step, however a run is cut
    for k in range(step + 1 if driven else stop, stop + 1):
        walls.move(k * engine.dt)
    run_state.step[0], run_state.phase[0] = stop, loop.COMPLETE
    return loop.DONE


def beginning(engine: Engine) -> tuple:
    """Fluid of an engine at its present step, with zero work sums for inserted bodies."""
    if engine.fluid.is_dry:
        return engine.fluid.model
    medium = engine.fluid.model.medium
    own = {name: np.zeros_like(getattr(medium, name)) for name in STATE.values()}
    own["clock"][:] = int(engine.run_state.step[0]) * engine.dt  # also where the fluid has not been evaluated for long
    return engine.fluid.model._replace(medium=medium._replace(**own))


def begin(engine: Engine, fluid: tuple) -> None:
    """Add the sums of a fluid of `beginning`: its work in the half step that is under way."""
    if isinstance(fluid, Dry):
        return
    medium = engine.fluid.model.medium
    medium.work_half_step[:] += fluid.medium.work_half_step
    np.maximum(medium.extremes, fluid.medium.extremes, out=medium.extremes)


def subtract_fluid_work(engine: Engine, is_removed: np.ndarray, state: list[np.ndarray]) -> bool:
    """Subtract the fluid's work in the half step under way on removed bodies, of state (R, K) in the order of rows.

    Returns whether that is exact: for spheres without contacts, on which fluid and gravity act alone, by a rotational
    scheme with `half_step_velocity`.
    """
    if engine.fluid.is_dry:
        return True
    b, medium, dt = engine.bodies, engine.fluid.model.medium, engine.dt
    index = np.flatnonzero(is_removed)
    index = index[np.argsort(b.identity[index], kind="stable")]
    mass = engine.kinds.mass[b.kind[index]]
    now, later, weight = state[1], b.velocity[:, index], np.array(engine.gravity)[:, None]
    work = (0.5 * mass * (later - now - 0.5 * dt * weight) * (now + later)).sum()
    half_step_velocity = rotation.SCHEMES[type(engine.scheme)].half_step_velocity
    if engine.rotating and half_step_velocity:
        inertia, later = engine.kinds.inertia[:, b.kind[index]], b.memory_w[:, index]
        if half_step_velocity is not rotation.velocity_before_torque:
            # the memory is the angular momentum and the torque at the whole step
            later = (later + 0.5 * dt * b.memory_a[:, index]) / inertia
        now = rotate_back(state[2].T, state[3].T).T  # any frame, where the moments of inertia are equal
        work += (0.5 * inertia * (later**2 - now**2)).sum()
    medium.work_half_step[0] -= np.rint(work * engine.energy_unit)
    return bool(engine.kinds.all_single_spheres and (half_step_velocity or not engine.rotating))


def fluid_work_at_rest(engine: Engine) -> float:
    """Work of the fluid [units] since the start, with the half step under way, in an engine without bodies."""
    if engine.fluid.is_dry:
        return 0.0
    medium = engine.fluid.model.medium
    medium.work[0] += medium.work_half_step[0]
    medium.work_half_step[0] = 0.0
    return float(medium.work.sum())
