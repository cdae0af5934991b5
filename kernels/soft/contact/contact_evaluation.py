"""Evaluate the contact law: for one contact, and for a batch of contacts.

`contact_force` is the only place where a law is called that needs velocities. A batch is a column of numbers for each
contact (``batch_kinematics``), so that LLVM makes vector code of the loops. Single spheres have three loops: of mixed
types; of one type, some of which may have just begun; of one type, all ongoing, which spares the root and division of a
first step. All other contacts share the first of these.
"""

from dem.kernels import laws
from dem.kernels.compiler.jit import inline, select, vector_loop
from dem.kernels.laws import hertz
from dem.kernels.numerics.energy import as_fixed, as_words
from dem.kernels.numerics.float_bits import bits_of_float
from dem.kernels.numerics.vector import add, cross, scale, subtract
from dem.kernels.soft.contact.batch_kinematics import (
    ARM,
    MAY_BE_NEW,
    NORMAL,
    ONGOING,
    OVERLAP,
    POINT,
    STIFFNESS,
    Segments,
    SingleSpheres,
    SphereClusters,
    flat,
    get,
    put,
    touch_of,
    weight_of,
)
from dem.kernels.soft.contact.contact_detection import ON_I, ON_J, Sums, joined, no_energy, no_sums
from dem.kernels.soft.contact.result_sinks import ForceSink, ReportSink
from dem.kernels.soft.contact.shared_damping import of_mass

# rows of results: force on i, whether the contact persists, energy of a contact of capsules if it counted wholly [J],
# power that is lost (for reports only) [W]; the others are columns of `Neighbours.force_torque`: ON_I, ON_J
FORCE, LASTS, ENERGY, LOSS = 0, 3, 7, 8


@inline
def contact_force(law, i, j, touch, rate, history, half, time_sign):
    """Force of one contact by a law that needs velocities.

    i, j, touch, history: see `dem.kernels.laws.contact`.
    rate: ω² that contacts of two bodies share, see ``shared_damping`` [1/s²]; 0 for one that is alone, or whose
        kinematics have the mass that is damped.
    Returns `laws.ContactKinematics` with the mass that is damped, `laws.ContactForce`, history.
    """
    if laws.shares_damping(law) and rate > 0.0:
        touch = of_mass(touch, laws.secant(law, i, j, touch, history, half) / rate)
    outcome, history = laws.contact(law, i, j, touch, history, half, time_sign)
    return touch, outcome, history


@inline
def energies_of(outcome, overlap, weight, work, per_joule):
    """Energies of one contact.

    outcome, overlap: `laws.ContactForce`, overlap [m].
    weight: the share that the contact counts.
    work: of a wall that moves, in two words [units].
    per_joule: units a joule.
    Returns `Sums`.
    """
    return Sums(
        as_fixed(weight * outcome.elastic, per_joule), bits_of_float(max(overlap, 0.0)),
        as_fixed(weight * outcome.stored, per_joule), as_words(weight * outcome.loss, per_joule), work,
        as_words(weight * outcome.instantaneous_dissipation, per_joule),
    )  # fmt: skip


@inline
def torques_of(kinematics, t, force):
    """Torques of a contact's force about the centres of both bodies."""
    return cross(get(kinematics, POINT, t), force), cross(get(kinematics, ARM, t), scale(-1.0, force))


@inline
def put_torques(out, t, torque_i, torque_j, couple):
    """Write torques on both bodies, and the couple with them, of which one feels the opposite of the other."""
    put(out, ON_I, t, add(torque_i, couple))
    put(out, ON_J, t, subtract(torque_j, couple))


@inline
def turn_spheres(geometry, law, alike, kinematics, t, force, couple, out):
    """Write the torques on single spheres; where they are not alike but there are couples, that of the force on i.

    geometry, alike, kinematics, t: see `evaluate_column`.
    force, couple: of the contact, on i [N, N m].
    Writes out: row ON_I, and ON_J if both torques differ; the couple there, for `share_couples`, if they are not alike.
    """
    torque = cross(get(kinematics, POINT, t), force)
    if alike and laws.turns(law):
        put_torques(out, t, torque, torque, couple)
    else:
        put(out, ON_I, t, torque)
        if laws.turns(law):
            put(out, ON_J, t, couple)
        elif not alike:
            put(out, ON_J, t, cross(get(kinematics, ARM, t), scale(-1.0, force)))


@inline
def turn_bodies(geometry, law, alike, kinematics, t, force, couple, out):
    """Write the torques on other bodies, or under other schemes.

    geometry, alike, kinematics, t, force, couple: see `turn_spheres`.
    Writes out: rows ON_I and ON_J.
    """
    if not laws.turns(law):
        couple = (0.0, 0.0, 0.0)
    torque_i, torque_j = torques_of(kinematics, t, force)
    put_torques(out, t, torque_i, torque_j, couple)


turn = select("geometry", {SingleSpheres: turn_spheres, SphereClusters: turn_bodies, Segments: turn_bodies})


@inline
def put_energy(geometry, out, t, energy):
    """Write the energy of a contact of capsules, by which their weights pull."""
    out[flat(ENERGY, t)] = energy


@inline
def no_energy_row(geometry, out, t, energy):
    """The energies of contacts of spheres are summed only."""
    return


keep_energy = select("geometry", {SingleSpheres: no_energy_row, SphereClusters: no_energy_row, Segments: put_energy})


@inline
def put_loss(sink, out, t, loss, half):
    """Write the power that a contact takes up, for its report."""
    out[flat(LOSS, t)] = loss / half


@inline
def no_loss_row(sink, out, t, loss, half):
    """The losses of a step are summed only."""
    return


keep_loss = select("sink", {ReportSink: put_loss, ForceSink: no_loss_row})


@inline
def evaluate_elastic_column(
    law, geometry, sink, alike, may_begin, i, j, t, time_sign, half, per_joule, kinematics, batch_history, out, sums
):
    """Hertz force of one contact, see `evaluate_composite_column`.

    geometry, sink, alike, may_begin, i, j, t: see `evaluate_composite_column`.
    kinematics, batch_history, sums: see `evaluate_composite_column`.
    Writes out: rows FORCE, ON_I and ON_J. Returns `Sums` with this contact's.
    """
    overlap, weight = max(kinematics[flat(OVERLAP, t)], 0.0), weight_of(geometry, kinematics, t)
    energy = hertz.energy(kinematics[flat(STIFFNESS, t)], overlap)
    force = scale(weight * hertz.force(kinematics[flat(STIFFNESS, t)], overlap), get(kinematics, NORMAL, t))
    put(out, FORCE, t, force)
    turn(geometry, law, alike, kinematics, t, force, (0.0, 0.0, 0.0), out)
    keep_energy(geometry, out, t, energy)
    keep_loss(sink, out, t, 0.0, half)
    return Sums(
        sums.elastic + as_fixed(weight * energy, per_joule), max(sums.overlap, bits_of_float(overlap)), sums.stored,
        sums.loss, sums.work, sums.jump,
    )  # fmt: skip


@inline
def evaluate_composite_column(
    law, geometry, sink, alike, may_begin, i, j, t, time_sign, half, per_joule, kinematics, batch_history, out, sums
):
    """Force and couple of one contact, and its history.

    geometry, sink: how bodies touch, see `batch_kinematics`; who takes the results, see ``result_sinks``.
    alike, may_begin: whether both are single spheres of one kind; whether it may have begun in the last step.
    i, j, t, kinematics, sums: the two materials, column, kinematics; sums so far.
    Writes batch_history: (R, BLOCK) history of the contacts, a column each.
    Writes out: rows FORCE, LASTS, ON_I and ON_J; ENERGY of capsules, LOSS for reports.
    Returns `Sums` with this contact's.
    """
    touch, weight = touch_of(kinematics, t, may_begin), weight_of(geometry, kinematics, t)
    history = laws.load(law, batch_history.T, t, 0)
    touch, outcome, history = contact_force(law, i, j, touch, 0.0, history, half, time_sign)
    laws.store(law, batch_history.T, t, 0, history)
    force = scale(weight, outcome.force)
    put(out, FORCE, t, force)
    turn(geometry, law, alike, kinematics, t, force, scale(weight, outcome.couple), out)
    out[flat(LASTS, t)] = 1.0 if outcome.persists else 0.0
    keep_energy(geometry, out, t, outcome.elastic + outcome.stored)
    keep_loss(sink, out, t, weight * outcome.loss, half)
    return joined(sums, energies_of(outcome, touch.overlap, weight, no_energy(), per_joule))


evaluate_column = select("law", {laws.Elastic: evaluate_elastic_column, laws.Composite: evaluate_composite_column})


def evaluator_of(may_begin):
    """Make the loop over contacts of spheres of one type, any or none of which may have begun in the last step."""

    @vector_loop
    def evaluate_alike(geometry, sink, law, number, i, j, time_sign, half, per_joule, kinematics, batch_history, out):
        """Evaluate contacts, all of the same two materials: these are looked up once.

        geometry, sink, i, j, kinematics: see `evaluate_composite_column`.
        number: of contacts.
        Writes batch_history, out: as `evaluate_composite_column`. Returns `Sums`.
        """
        sums = no_sums()
        for t in range(number):
            sums = evaluate_column(
                law,
                geometry,
                sink,
                True,
                may_begin,
                i,
                j,
                t,
                time_sign,
                half,
                per_joule,
                kinematics,
                batch_history,
                out,
                sums,
            )
        return sums

    return evaluate_alike


evaluate_one_type, evaluate_ongoing = evaluator_of(True), evaluator_of(False)


@vector_loop
def evaluate_mixed_types(
    geometry, sink, law, number, time_sign, half, per_joule, kinematics, material_i, material_j, batch_history, out
):
    """Evaluate contacts of any bodies.

    geometry, sink, kinematics: see `evaluate_composite_column`.
    number: of contacts.
    material_i, material_j: (BLOCK,).
    Writes batch_history, out: as `evaluate_composite_column`. Returns `Sums`.
    """
    sums = no_sums()
    for t in range(number):
        i, j = material_i[t], material_j[t]
        sums = evaluate_column(
            law, geometry, sink, False, True, i, j, t, time_sign, half, per_joule, kinematics, batch_history, out, sums
        )
    return sums


@inline
def evaluate_new(
    geometry,
    sink,
    law,
    number,
    alike,
    time_sign,
    half,
    per_joule,
    kinematics,
    material_i,
    material_j,
    batch_history,
    out,
):
    """Evaluate contacts of single spheres, all of them alike or not, any of which may have just begun.

    geometry, sink, number, kinematics: see `evaluate_mixed_types`.
    material_i, material_j: see `evaluate_mixed_types`.
    alike: whether bodies and materials of all contacts are the same.
    Writes batch_history, out: as `evaluate_mixed_types`. Returns `Sums`.
    """
    if alike:
        i, j = material_i[0], material_j[0]
        return evaluate_one_type(
            geometry, sink, law, number, i, j, time_sign, half, per_joule, kinematics, batch_history, out
        )
    return evaluate_mixed_types(
        geometry, sink, law, number, time_sign, half, per_joule, kinematics, material_i, material_j, batch_history, out
    )


@inline
def evaluate_spheres(
    geometry, sink, law, number, way, time_sign, half, per_joule, kinematics, material_i, material_j, batch_history, out
):
    """Evaluate contacts of single spheres.

    geometry, sink, number, kinematics: see `evaluate_mixed_types`.
    material_i, material_j: see `evaluate_mixed_types`.
    way: MIXED_TYPES, MAY_BE_NEW or ONGOING.
    Writes batch_history, out: as `evaluate_mixed_types`. Returns `Sums`.
    """
    if way == ONGOING:
        i, j = material_i[0], material_j[0]
        return evaluate_ongoing(
            geometry, sink, law, number, i, j, time_sign, half, per_joule, kinematics, batch_history, out
        )
    alike = way == MAY_BE_NEW
    return evaluate_new(
        geometry,
        sink,
        law,
        number,
        alike,
        time_sign,
        half,
        per_joule,
        kinematics,
        material_i,
        material_j,
        batch_history,
        out,
    )


@inline
def evaluate_bodies(
    geometry, sink, law, number, way, time_sign, half, per_joule, kinematics, material_i, material_j, batch_history, out
):
    """Evaluate contacts of other bodies: one loop for all.

    geometry, sink, number, kinematics: see `evaluate_mixed_types`.
    material_i, material_j: see `evaluate_mixed_types`.
    way: MIXED_TYPES.
    Writes batch_history, out: as `evaluate_mixed_types`. Returns `Sums`.
    """
    return evaluate_mixed_types(
        geometry, sink, law, number, time_sign, half, per_joule, kinematics, material_i, material_j, batch_history, out
    )


evaluate_batch = select(
    "geometry", {SingleSpheres: evaluate_spheres, SphereClusters: evaluate_bodies, Segments: evaluate_bodies}
)
