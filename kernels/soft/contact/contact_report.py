"""Report of the present contacts, one row each, by the pipeline of the steps with another sink.

Forces are evaluated again from the state at the whole step and the history of the contacts. Only the rows of the report
are written. All bodies are treated as bodies of several spheres, because single spheres may rotate by any scheme.
"""

from dem.kernels.compiler.jit import fast_call
from dem.kernels.soft.contact.body_placement import record_lines
from dem.kernels.soft.contact.contact_batches import evaluate_touching
from dem.kernels.soft.wall_contact.wall_report import list_walls


@fast_call
def list_contacts(context, sink):
    """List all contacts of the present state.

    context: a scheme of bodies, as single spheres may turn by any; a joule a unit.
    context.bodies: with all spheres placed, and whole-step velocities and spins in place of those ahead.
    Writes context.neighbours: scratch of the pipeline, which has to be another than that of the steps, with one segment
        for all chunks: `batch_kinematics` to `batch_ids`, `force_at`, `force_row`, `overlap`, `touching`,
        `lines`.
    Writes sink.ids: (R, 4) int64: numbers of the two bodies, -1 - face for a wall, -7 - w for wall w of `Walls`; those
        of the spheres within them.
    Writes sink.data: (R, COLUMNS): overlap [m], unit normal from j to i, force on i [N], arm from the centre of i to
        the point of contact [m], branch from the centre of j, or the point at a wall, to that of i [m], couple on i
        besides the torque of the force at that point [N m], energy that the contact takes up besides `elastic`, see
        `dem.kernels.laws` [W].
    Writes sink.number: contacts. Returns the number of contacts, also of those for which there is no room.
    """
    bodies, kinds, neighbours = context.bodies, context.kinds, context.neighbours
    record_lines(kinds, bodies, neighbours)
    for c in range(neighbours.pairs.size):
        evaluate_touching(sink, c, sink.time_sign, context)
    list_walls(sink, context.law, bodies, kinds, neighbours, context.box)
    return sink.number[0]
