"""Rebuild the list of bodies near walls while candidate pairs remain valid.

Walls that move make this list stale sooner than spheres make the candidate pairs stale. A rebuild of this list alone is
cheap, since most bodies are known to be far from walls. So walls do not increase the number of times that candidate
pairs are picked.
"""

from dem.kernels.compiler.jit import inline, noinline, select
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.soft.chunks import Serial, Threaded
from dem.kernels.soft.integration import chunk_step, compiled_stages, passes
from dem.kernels.soft.wall_contact.wall_arrays import WalledFaces, record_displacement, walls_are_stale


@noinline
def list_serial(context):
    """Rebuild the list of bodies near walls, in one thread.

    Writes context.bodies: positions of the spheres; forces on those that are near no other.
    Writes context.neighbours, context.box: lists of the bodies near walls.
    """
    for c in range(context.neighbours.pairs.size):
        compiled_stages.place_before_pick(c, context.bodies, context.kinds)
        passes.do_list_part(c, passes.LIST_NEAR_WALLS, context)


@inline
def list_threaded(context):
    """Rebuild the list of bodies near walls, by threads; writes as `list_serial`."""
    for job in (passes.PLACE_SPHERES, passes.LIST_NEAR_WALLS):
        passes.do_by_threads(context.neighbours.pairs.size, job, chunk_step.PREDICT, context)


list_bodies = select("mode", {Serial: list_serial, Threaded: list_threaded}, handed=False)


@inline
def refresh_if_stale(mode, context, run_state):
    """Rebuild the list of bodies near walls if others may have come near; writes as `list_serial`."""
    displacement = run_state.displacement_since_pick[0]
    if walls_are_stale(context.box, displacement, context.constants.candidate_skin):
        record_displacement(context.box, displacement, displacement)
        list_bodies(mode, context)


refresh_near_wall_list = select("context.box", {BoxFaces: None, WalledFaces: refresh_if_stale})
