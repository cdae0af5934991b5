"""The loop over time steps, compiled as a whole.

The loop returns to Python only for a new neighbour list, for room for more pairs, for a frame, or because of an error:
in small systems a step takes less time than a call from Python.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels import fluid as fluids
from dem.kernels.compiler.jit import fast_call, inline, select
from dem.kernels.domain.periodic import begin_step, end_step, record_listing
from dem.kernels.numerics.energy import accumulate
from dem.kernels.numerics.quaternion import MAX_ROTATION_ANGLE
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds
from dem.kernels.soft.contact.convex_contacts import MAX_SOLVER_STEPS, SOLVER_COLUMNS
from dem.kernels.soft.contact.dissipated_heat import record_evaluation
from dem.kernels.soft.fluid import fluid_step
from dem.kernels.soft.integration import cell_stress, chunk_step, compiled_stages, passes
from dem.kernels.soft.neighbours.displacement import largest
from dem.kernels.soft.state import SOLVER, Kinds, StepContext
from dem.kernels.soft.wall_contact import wall_history, wall_loads
from dem.kernels.soft.wall_contact.near_wall_list import refresh_near_wall_list
from dem.kernels.soft.wall_contact.wall_arrays import move_walls, record_displacement

# commands of Python: steps, candidates picked for a new list, all spheres placed, a run started, its state shown
ADVANCE, BUILD_CANDIDATES, PLACE_SPHERES, START, WRITE_OUTPUT = range(5)

# why `execute` returned
DONE, LIST_STALE, NO_ROOM, NOT_FINITE, TURNS_TOO_FAST, TOO_FAST, TOO_DEEP, ACCELERATES_TOO_MUCH, FEW_SLOTS = range(9)

# a state whose forces are unknown; a complete step; predicted positions, at which forces are wanted next
NOT_STARTED, COMPLETE, PREDICTED = range(3)


class RunState(NamedTuple):
    """State that a run carries from call to call; arrays, so that kernels can write them.

    Sums over the run are floats, see `dem.kernels.numerics.energy.accumulate`.
    """

    step: np.ndarray  # (1,) int64, steps completed
    phase: np.ndarray  # (1,) int64, NOT_STARTED, COMPLETE or PREDICTED
    elastic: np.ndarray  # (1,) int64, elastic energy at the last step, in units
    spring_energy: np.ndarray  # (1,) int64, part of it that is not normal laws' or adhesion's
    dissipated: np.ndarray  # (2,) by contacts since the start, with what they store besides normal laws' [units]
    dissipated_half_step: np.ndarray  # (1,) the same in the half step after the last forces [units]
    wall_work: np.ndarray  # (2,) work of moving walls since the start [units]
    wall_work_half_step: np.ndarray  # (1,) the same in the half step after the last forces [units]
    energy_start: np.ndarray  # (1,) total energy at the start, less the energy of particles that have left [units]
    energy_drift: np.ndarray  # (1,) departure of the total energy at the last step from `energy_start` [units]
    energy_error: np.ndarray  # (1,) largest one at any step, whatever its sign [units]
    leaving: np.ndarray  # (1,) int64, 1 if a particle has left since the last step
    # (1,) bound of the displacement of any sphere since candidates were picked, and half of that of any wall [m]
    displacement_since_pick: np.ndarray
    largest_overlap: np.ndarray  # (1,) [m]
    acceleration: np.ndarray  # (1,) largest by contacts at the last step [m/s2]


class RunConstants(NamedTuple):
    """Constants of a run."""

    dt: float  # [s]
    gravity_x: float  # [m/s2]
    gravity_y: float
    gravity_z: float
    reference_potential: float  # g·x at zero potential [m2/s2]
    per_joule: float  # units of energy a joule
    list_skin: float  # [m]
    candidate_skin: float  # [m]
    range: float  # how far beyond touching contacts may live [m]
    max_displacement: float  # that a sphere may go in one step [m]
    max_overlap: float  # overlap beyond which the loop returns to Python [m]
    max_acceleration: float  # acceleration by contacts beyond which the loop returns to Python [m/s2]
    start_step: int  # at which the run started


class OutputState(NamedTuple):
    """Arrays for the whole-step state, in the user's numbering."""

    position: np.ndarray  # (3, N) [m]
    velocity: np.ndarray  # (3, N) [m/s]
    orientation: np.ndarray  # (4, N)
    angular_velocity: np.ndarray  # (3, N) world frame [rad/s]


@fast_call
def execute(
    command, scheme, law, fluid, mode, constants, stop, bodies, kinds, neighbours, box, run_state, chunk_sums, view
):
    """Execute a command; returns DONE, or the code of the limit that stopped it.

    One function for all of them, because what they share is then compiled once, and the hundred arrays that Python
    hands over are unpacked by one piece of code.

    command: ADVANCE, BUILD_CANDIDATES, PLACE_SPHERES, START or WRITE_OUTPUT.
    stop: as of `advance`.
    Writes bodies, neighbours, box, run_state, chunk_sums: as the function does that the command calls for.
    Writes view: `OutputState`, if it is to be shown. Returns DONE, or one of the others of `advance`.
    """
    context = StepContext(scheme, law, fluid, constants, bodies, kinds, neighbours, box, chunk_sums)
    if command == PLACE_SPHERES:
        compiled_stages.place_all(bodies, kinds)
    elif command == START:
        run_state.energy_start[0] = run_state.elastic[0] + start(context)
    elif command == WRITE_OUTPUT:
        elapsed = (run_state.step[0] - constants.start_step) * constants.dt
        compiled_stages.synchronise(elapsed, compiled_stages.context_of_motion(context), view)
    else:
        return advance(command, stop, mode, context, run_state)
    return DONE


@inline
def advance(command, stop, mode, context, run_state):
    """Take steps until `stop` of them are complete; returns the reason to return.

    The state is left complete: the last step does not predict the next one.

    command: ADVANCE; or BUILD_CANDIDATES, to come back when candidates have been picked.
    stop: number of steps, counted from the start of the run.
    Writes context: the state after the last step; candidates picked as needed; `chunk_sums` is scratch.
    Writes run_state: `RunState`.
    Returns DONE, or why it came back: LIST_STALE to FEW_SLOTS.
    """
    while command == BUILD_CANDIDATES or run_state.step[0] < stop or run_state.phase[0] == NOT_STARTED:
        code = take_step(command, next_task(stop, context.box, run_state), mode, context, run_state)
        if code != DONE or command == BUILD_CANDIDATES:
            return code
    return DONE


@inline
def take_step(command, task, mode, context, run_state):
    """Take one time step, from predicted positions to those of the next step, or the part of it that a task needs.

    Stages, in order: walls and faces move to the time of the forces; lists are checked, and candidates picked; a cell
    that deforms gets the edges of the next positions; forces of pairs, bonds, walls and the fluid are evaluated,
    velocities corrected, and the next positions predicted, all of these chunk by chunk (`passes.step_chunks` calls
    `chunk_step.step_block` for each block, and that `step_half_block`); the ledger is kept; limits are checked.

    command: see `advance`.
    task: `chunk_step.FORCES`, PREDICT, STEP or LAST_STEP.
    Writes context, run_state: as `advance`. Returns what `advance` does.
    """
    if command == ADVANCE and task != chunk_step.PREDICT:
        move_boundaries(time_of(task, context.constants.dt, run_state), context, run_state)
    code = check_lists(command, mode, context, run_state)
    if code != DONE or command == BUILD_CANDIDATES:
        return code
    record_evaluation(context.neighbours.heat, chunk_step.ends(task), context.bodies)
    corrects, predicts = chunk_step.completes(task), chunk_step.begins(task)
    begin_step(context.box, corrects, predicts, context.constants, context.bodies, run_state)
    fluids.follow_cell(context.fluid, context.box, False)
    totals = passes.step_chunks(mode, task, context)  # forces, correct, predict
    if task != chunk_step.PREDICT:
        totals = passes.with_work_of_cell(context.box, task, context, totals)
    store_ledger(task, totals, context, context.chunk_sums, run_state)
    end_step(context.box, corrects, predicts, context.constants, run_state)
    return check_limits(task, totals, context, run_state)


@inline
def move_boundaries(time, context, run_state):
    """Move faces and walls to the time of the next forces [s]; a fluid gets the velocity gradient of a cell."""
    run_state.displacement_since_pick[0] += move_walls(context.box, time)
    fluids.set_time(context.fluid, time, run_state.step[0] + 1 - context.constants.start_step)


@inline
def check_lists(command, mode, context, run_state):
    """Rebuild candidates, or the list of bodies near walls, if bodies or walls have moved too far.

    command: see `advance`.
    Returns DONE, LIST_STALE or NO_ROOM.
    """
    predicted = run_state.phase[0] == PREDICTED
    if command == BUILD_CANDIDATES or (
        predicted and 2.0 * run_state.displacement_since_pick[0] > context.constants.candidate_skin
    ):
        return refresh_candidates(command, mode, context, run_state)
    if predicted:
        refresh_near_wall_list(mode, context, run_state)
    return DONE


@inline
def store_ledger(task, totals, context, chunk_sums, run_state):
    """Update the ledger after a pass: energies, extremes, steps, and the work of walls.

    task, totals: what the pass did, `passes.Totals`.
    chunk_sums: what chunks reported, those of all ranks.
    """
    update_run_state(context.fluid, task, totals, chunk_sums, run_state)
    if task != chunk_step.PREDICT:
        record_solver(context.kinds, chunk_sums)
        wall_loads.accumulate_wall_loads(context.box, context.constants, chunk_step.completes(task), run_state)


@inline
def check_limits(task, totals, context, run_state):
    """Limit that the totals of a pass exceed; FEW_SLOTS if walls need room for more contacts; else DONE.

    NaN exceeds any limit.
    """
    constants = context.constants
    if not run_state.displacement_since_pick[0] < np.inf:
        return NOT_FINITE
    if not totals.spin * constants.dt <= MAX_ROTATION_ANGLE:
        return TURNS_TOO_FAST
    predicted = chunk_step.begins(task)
    if predicted and totals.displacement > constants.max_displacement:
        return TOO_FAST
    # after a last step also at the next prediction, from whose state shares and short contacts are found
    overlap = run_state.largest_overlap[0] if task == chunk_step.PREDICT else totals.overlap
    if overlap > constants.max_overlap:
        return TOO_DEEP
    if predicted and run_state.acceleration[0] > constants.max_acceleration:
        return ACCELERATES_TOO_MUCH
    return FEW_SLOTS if task != chunk_step.PREDICT and wall_history.slots_nearly_full(context.box) else DONE


@inline
def next_task(stop, box, run_state):
    """Task of the next pass; in a deforming cell a step may have to be completed before the next one begins."""
    if run_state.phase[0] == NOT_STARTED:
        return chunk_step.FORCES
    if run_state.phase[0] == COMPLETE:
        return chunk_step.PREDICT
    is_last = cell_stress.completes_first(box) or run_state.step[0] + 1 >= stop
    return chunk_step.LAST_STEP if is_last else chunk_step.STEP


@inline
def time_of(task, dt, run_state):
    """Time of the forces that a task evaluates [s]."""
    return dt * (run_state.step[0] + (0 if task == chunk_step.FORCES else 1))


@inline
def refresh_candidates(command, mode, context, run_state):
    """Rebuild the candidate pairs from the neighbour list if it still covers them; returns DONE or the reason.

    command: ADVANCE; or BUILD_CANDIDATES, if the list is new.
    Writes context: as `dem.kernels.soft.integration.passes.rebuild_candidates_serial`.
    Writes run_state.displacement_since_pick: set back to 0.
    Returns DONE, LIST_STALE or NO_ROOM.
    """
    if command == ADVANCE:
        displacement = passes.displacement(mode, context)
        if not 2.0 * displacement + context.constants.candidate_skin <= context.constants.list_skin:
            return LIST_STALE
    else:
        record_listing(context.box)
    record_displacement(context.box, run_state.displacement_since_pick[0], 0.0)
    if not passes.rebuild_candidates(mode, context):
        return NO_ROOM
    run_state.displacement_since_pick[0] = 0.0
    return DONE


@inline
def account_fluid(fluid, task, totals, chunk_sums):
    """Book the work and the largest Reynolds numbers of a pass; returns the work since the start [units]."""
    medium = fluid.medium
    if chunk_step.completes(task):
        accumulate(medium.work, medium.work_half_step[0] + totals.fluid_work_before)
        medium.work_half_step[0] = totals.fluid_work_after
        medium.extremes[0] = max(medium.extremes[0], largest(chunk_sums, chunk_step.REYNOLDS))
        medium.extremes[1] = max(medium.extremes[1], largest(chunk_sums, chunk_step.ROTATIONAL_REYNOLDS))
        for c in range(chunk_sums.shape[0]):
            medium.extremes[2] = max(medium.extremes[2], float(chunk_sums[c, chunk_step.OUTSIDE]))
    return medium.work[0] + medium.work[1]


@inline
def start_dry(context):
    """Compute the half-step state of all bodies at the start of a run; returns their energy [units]."""
    return compiled_stages.start(compiled_stages.context_of_motion(context))


@inline
def start_in_fluid(context):
    """Compute the half-step state of bodies in a fluid at the start of a run; returns their energy [units]."""
    fluids.follow_cell(context.fluid, context.box, True)
    return fluid_step.start(compiled_stages.context_of_fluid(context))


start = select("context.fluid", {fluids.Dry: start_dry, fluids.Fluid: start_in_fluid})
fluid_work = select("fluid", {fluids.Dry: 0.0, fluids.Fluid: account_fluid})


@inline
def add_solver(kinds, chunk_sums):
    """Add counters of the solver of convex contacts in a pass to those of the run."""
    for c in range(chunk_sums.shape[0]):
        for k in range(SOLVER_COLUMNS):
            if k == MAX_SOLVER_STEPS:
                kinds.solver[k] = max(kinds.solver[k], chunk_sums[c, SOLVER + k])
            else:
                kinds.solver[k] += chunk_sums[c, SOLVER + k]


record_solver = select("kinds", {Kinds: None, ConvexBodyKinds: add_solver})


@inline
def update_run_state(fluid, task, totals, chunk_sums, run_state):
    """Update the run state after a pass: energy, extremes, steps, and displacement of the prediction."""
    work_of_fluid = fluid_work(fluid, task, totals, chunk_sums)
    if task != chunk_step.PREDICT:
        run_state.elastic[0] = totals.elastic + totals.spring_energy
        run_state.spring_energy[0] = totals.spring_energy
        run_state.largest_overlap[0] = max(run_state.largest_overlap[0], totals.overlap)
    if task == chunk_step.FORCES:
        run_state.dissipated[0], run_state.dissipated[1] = totals.spring_energy, 0.0
        run_state.wall_work[0], run_state.wall_work[1] = 0.0, 0.0
    if chunk_step.completes(task):
        accumulate(
            run_state.dissipated, run_state.dissipated_half_step[0] + totals.loss + totals.instantaneous_dissipation
        )
        accumulate(run_state.wall_work, run_state.wall_work_half_step[0] + totals.work)
        net_loss = (
            (run_state.dissipated[0] - run_state.wall_work[0])
            + (run_state.dissipated[1] - run_state.wall_work[1])
            - work_of_fluid
        )
        departure = totals.elastic + totals.body_energy - run_state.energy_start[0] + net_loss
        if run_state.leaving[0] == 1:
            run_state.energy_start[0] += departure - run_state.energy_drift[0]
            departure = run_state.energy_drift[0]
            run_state.leaving[0] = 0
        run_state.energy_drift[0] = departure
        run_state.energy_error[0] = max(run_state.energy_error[0], abs(departure))
        run_state.acceleration[0] = totals.acceleration
        run_state.step[0] += 1
    if task != chunk_step.PREDICT:
        run_state.dissipated_half_step[0], run_state.wall_work_half_step[0] = totals.loss, totals.work
    if chunk_step.begins(task):
        run_state.displacement_since_pick[0] += totals.displacement
        run_state.phase[0] = PREDICTED
    else:
        run_state.phase[0] = COMPLETE
