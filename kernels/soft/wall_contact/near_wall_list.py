"""Who is near walls, listed anew while candidate pairs last: walls that move use up those lists sooner than spheres do.

That costs little, as most bodies are known to be far away still, and pairs are picked no more often than without walls.
"""

from dem.kernels.compiler.jit import inline, noinline, select
from dem.kernels.domain.faces import BoxFaces
from dem.kernels.soft.chunks import Serial, Threaded
from dem.kernels.soft.integration import compiled_stages, passes, sweeps
from dem.kernels.soft.wall_contact.wall_arrays import WalledFaces, note_travel, walls_are_stale


@noinline
def look_serial(scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """List the bodies near walls anew, in one thread.

    Parameters
    ----------
    scheme, law, fluid, setting, kinds : see `dem.kernels.soft.state`
    partial : as of `dem.kernels.soft.integration.passes.pick_serial`

    Writes
    ------
    bodies : positions of the spheres; forces on those that are near nobody
    neighbours, box : who is near walls
    """
    skin = sweeps.reach_of(law, setting, partial)
    for c in range(neighbours.pairs.size):
        compiled_stages.place_off_line(c, bodies, kinds)
        compiled_stages.finish_candidates(c, False, skin, bodies, kinds, neighbours, box)


@inline
def look_threaded(scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial):
    """List the bodies near walls anew, by threads.

    Parameters
    ----------
    scheme, law, fluid, setting, kinds : see `dem.kernels.soft.state`
    partial : as of `dem.kernels.soft.integration.passes.pick_serial`

    Writes
    ------
    bodies, neighbours, box : as `look_serial`
    """
    for job in (passes.PLACE, passes.LOOK):
        passes.do_by_threads(
            neighbours.pairs.size, job, sweeps.PREDICT, scheme, law, fluid, setting, bodies, kinds, neighbours, box,
            partial,
        )  # fmt: skip


look = select("mode", {Serial: look_serial, Threaded: look_threaded}, handed=False)


@inline
def no_walls(box, mode, scheme, law, fluid, setting, bodies, kinds, neighbours, progress, partial):
    """List no bodies near walls: there are none.

    Parameters
    ----------
    box, mode, scheme, law, fluid, setting, bodies, kinds, neighbours, progress, partial : see `look_if_stale`

    Returns
    -------
    nothing
    """
    return


@inline
def look_if_stale(box, mode, scheme, law, fluid, setting, bodies, kinds, neighbours, progress, partial):
    """List the bodies near walls anew, if others may have come near.

    Parameters
    ----------
    mode, scheme, law, fluid, setting, kinds, progress : see `dem.kernels.soft.integration.time_loop`
    partial : as of `dem.kernels.soft.integration.passes.pick_serial`

    Writes
    ------
    bodies, neighbours, box : as `look_serial`
    """
    if walls_are_stale(box, progress.travel[0], setting.candidate_skin):
        note_travel(box, progress.travel[0], progress.travel[0])
        look(mode, scheme, law, fluid, setting, bodies, kinds, neighbours, box, partial)


look_again = select("box", {BoxFaces: no_walls, WalledFaces: look_if_stale})
