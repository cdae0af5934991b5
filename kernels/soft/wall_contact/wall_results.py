"""Results of contacts with faces and walls: forces on bodies, energies and work in a step, or the rows of a report.

`take_result` is where each contact that is evaluated one by one ends, and where the work of a wall is booked; that of
contacts in batches is booked by batch, in ``box_contacts`` and ``wall_batches``. Loads on walls are in ``wall_loads``.
"""

from dem.kernels import laws
from dem.kernels.compiler.jit import inline, select
from dem.kernels.numerics.energy import as_words
from dem.kernels.numerics.vector import add, cross, dot, load, scale, store, subtract
from dem.kernels.soft.contact.contact_detection import no_sums
from dem.kernels.soft.contact.contact_evaluation import energies_of
from dem.kernels.soft.contact.result_sinks import ReportSink, WallForceSink, write_row


@inline
def push(b, shift, force, arm, bodies):
    """Add a force on body b, and its torque if that matters."""
    store(bodies.force, b - shift, add(load(bodies.force, b - shift), force))
    if bodies.torque.shape[1] > 0:
        store(bodies.torque, b - shift, add(load(bodies.torque, b - shift), cross(arm, force)))


@inline
def elastic_outcome(force, energy):
    """`laws.ContactForce` of a contact without losses: force [N] and energy [J]."""
    return laws.ContactForce(
        force, (0.0, 0.0, 0.0), elastic=energy, stored=0.0, loss=0.0, instantaneous_dissipation=0.0, persists=False,
        slid=0.0,
    )  # fmt: skip


@inline
def with_pieces(outcome, couple, energy):
    """An outcome with another couple [N m], and with energy of several pieces of a wall added [J]."""
    return laws.ContactForce(
        outcome.force, couple, elastic=outcome.elastic + energy, stored=outcome.stored, loss=outcome.loss,
        instantaneous_dissipation=outcome.instantaneous_dissipation, persists=outcome.persists, slid=outcome.slid,
    )  # fmt: skip


@inline
def report(sink, b, of_b, partner, touch, point, arm, velocity, spin, outcome, turning, bodies):
    """Write a contact to the next row of a report; see `accumulate`."""
    from_centre = subtract(point, load(bodies.position, b))
    write_row(
        sink, bodies.identity[b], partner, of_b, 0, touch, outcome.force, outcome.loss / sink.half, from_centre,
        scale(-1.0, from_centre),
    )  # fmt: skip
    return no_sums()


@inline
def accumulate(sink, b, of_b, partner, touch, point, arm, velocity, spin, outcome, turning, bodies):
    """Add the force and couple of a contact to its body; its energies, and the work of the wall, are returned.

    Parameters
    ----------
    sink, b : see ``result_sinks``; body
    of_b, partner : number of the sphere in the body, number that stands for the wall
    touch, outcome : `laws.ContactKinematics`, `laws.ContactForce`
    point, arm : where the force acts [m], from the body's centre [m]
    velocity, spin : of the wall's surface there [m/s], of the wall [rad/s]
    turning : whether there is a couple

    Writes
    ------
    bodies.force, bodies.torque : column b - shift, added to [N, N m]

    Returns
    -------
    `Sums`
    """
    push(b, sink.shift, outcome.force, arm, bodies)
    power = dot(outcome.force, velocity)
    if turning:
        at = b - sink.shift
        store(bodies.torque, at, add(load(bodies.torque, at), outcome.couple))
        power += dot(outcome.couple, spin)
    work = as_words(sink.half * power, sink.per_joule)
    return energies_of(outcome, touch.overlap, 1.0, work, sink.per_joule)


take_result = select("sink", {ReportSink: report, WallForceSink: accumulate})
