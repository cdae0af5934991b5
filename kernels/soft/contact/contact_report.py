"""Report the contacts of the present moment, one row each, by the pipeline of the steps with another sink.

Forces are evaluated anew from the whole-step state and the history of the contacts; nothing is written but the rows.
All bodies are taken for carriers of spheres, as single spheres may turn by any scheme.
"""

from dem.kernels import rotation
from dem.kernels.compiler.jit import kernel
from dem.kernels.soft.contact.contact_batches import evaluate_touching
from dem.kernels.soft.wall_contact.wall_report import list_walls


@kernel
def list_contacts(law, bodies, kinds, neighbours, box, sink):
    """List all contacts of the present state.

    Parameters
    ----------
    law, kinds, neighbours, box : see `dem.kernels.soft.state`
    bodies : with all spheres placed, and whole-step velocities and spins in place of those ahead

    Writes
    ------
    neighbours : scratch of the pipeline, which has to be another than that of the steps, with one segment for all
        chunks: `batch_kinematics` to `batch_ids`, `force_at`, `contact_slot`, `overlap`, `touching`
    sink.who : (R, 4) int64: numbers of the two bodies, -1 - face for a wall, -7 - w for
        wall w of `Walls`; those of the spheres within them
    sink.what : (R, COLUMNS): overlap [m], unit normal from j to i, force on i [N], arm from the centre of i to the
        point of contact [m], branch from the centre of j, or the point at a wall, to that of i [m], energy that the
        contact takes up besides `elastic`, see `dem.kernels.laws` [W]
    sink.number : contacts

    Returns
    -------
    number of contacts, also of those for which there is no room
    """
    for c in range(neighbours.pairs.size):
        evaluate_touching(
            kinds, sink, law, rotation.Euler(), c, sink.time_sign, sink.half, 1.0, bodies, neighbours, box
        )
    list_walls(sink, law, bodies, kinds, neighbours, box)
    return sink.number[0]
