"""Evaluate the contact law, for one contact or a batch of contacts.

`contact_force` is the only place where a law is called that needs velocities. A batch is a column of numbers for each
contact (``batch_kinematics``), so that LLVM makes vector code of the loops. Single spheres have three loops: of mixed
types; of one type, some of which may have just begun; of one type, all ongoing, which spares the root and division of a
first step. All other contacts share the first of these, or the second if all bodies are of one material.
"""

from typing import NamedTuple

from dem.kernels import laws
from dem.kernels.compiler.jit import argument, inline, select, vector_loop
from dem.kernels.laws import hertz
from dem.kernels.numerics.columns import flat, get, put
from dem.kernels.numerics.energy import add_words, as_fixed, as_words
from dem.kernels.numerics.float_bits import bits_of_float
from dem.kernels.numerics.vector import add, cross, scale, subtract
from dem.kernels.soft.contact.batch_kinematics import (
    ARM_I,
    ARM_J,
    ELASTIC,
    ENERGY,
    FORCE,
    HALF_STEP_LOSS,
    LOSS,
    MAY_BE_NEW,
    NORMAL,
    ONGOING,
    OPEN_LOSS,
    OVERLAP,
    PERSISTS,
    SPRING_ENERGY,
    STIFFNESS,
    WEIGHT_RATE,
    Segments,
    SingleSpheres,
    SphereClusters,
    kinematics_in_column,
    weight_of,
)
from dem.kernels.soft.contact.contact_detection import ON_I, ON_J, Sums, add_sums, no_energy, no_sums
from dem.kernels.soft.contact.result_sinks import ForceSink, HeatSink, ReportSink
from dem.kernels.soft.contact.shared_damping import of_mass


class BatchSettings(NamedTuple):
    """Settings by which a batch of contacts is evaluated."""

    geometry: tuple  # how bodies touch, see `batch_kinematics`
    sink: tuple  # where results go, see ``result_sinks``
    law: tuple
    time_sign: float
    half: float  # half a time step [s]
    per_joule: float
    has_one_material: bool  # whether all bodies, of any kind, are of material 0


@inline
def contact_force(law, i, j, contact, rate, history, half, time_sign):
    """Force of one contact by a law that needs velocities.

    i, j, contact, history: see `dem.kernels.laws.contact`.
    rate: ω² that contacts of two bodies share, see ``shared_damping`` [1/s²]; 0 for one that is alone, or whose
        kinematics have the mass that is damped.
    Returns `dem.kernels.laws.ContactKinematics` with the mass that is damped, `dem.kernels.laws.ContactForce`, history.
    """
    if laws.shares_damping(law) and rate > 0.0:
        contact = of_mass(contact, laws.secant(law, i, j, contact, history, half) / rate)
    outcome, history = laws.contact(law, i, j, contact, history, half, time_sign)
    return contact, outcome, history


@inline
def energies_of(outcome, overlap, weight, loss, at_once, work, per_joule):
    """Energies of one contact.

    outcome, overlap: `dem.kernels.laws.ContactForce`, overlap [m].
    weight, loss, at_once: the share that the contact counts; see `loss_of`, `loss_at_once_of`.
    work: of a wall that moves, in two words [units].
    per_joule: units a joule.
    Returns `Sums`.
    """
    return Sums(
        as_fixed(weight * outcome.elastic, per_joule), bits_of_float(max(overlap, 0.0)),
        as_fixed(weight * outcome.spring_energy, per_joule), as_words(loss, per_joule), work,
        as_words(at_once, per_joule),
    )  # fmt: skip


@inline
def write_torques(out, t, torque_i, torque_j, couple):
    """Write the torques on both bodies, with the couple that acts on them in opposite directions."""
    put(out, ON_I, t, add(torque_i, couple))
    put(out, ON_J, t, subtract(torque_j, couple))


@inline
def write_torques_on_spheres(geometry, law, alike, kinematics, t, force, couple, out):
    """Write the torques on single spheres; on i alone where `write_couple_torques` follows.

    geometry, alike, kinematics, t: see `evaluate_column`.
    force, couple: of the contact, on i [N, N m].
    Writes out: row ON_I, and ON_J if both torques differ; the couple there, for `write_couple_torques`, if they
        are not alike.
    """
    torque = cross(get(kinematics, ARM_I, t), force)
    if alike and laws.transmits_couples(law):
        write_torques(out, t, torque, torque, couple)
    else:
        put(out, ON_I, t, torque)
        if laws.transmits_couples(law):
            put(out, ON_J, t, couple)
        elif not alike:
            put(out, ON_J, t, cross(get(kinematics, ARM_J, t), scale(-1.0, force)))


@inline
def write_torques_on_bodies(geometry, law, alike, kinematics, t, force, couple, out):
    """Write the torques on other bodies, or under other schemes.

    geometry, alike, kinematics, t, force, couple: see `write_torques_on_spheres`.
    Writes out: rows ON_I and ON_J.
    """
    if not laws.transmits_couples(law):
        couple = (0.0, 0.0, 0.0)
    torque_j = cross(get(kinematics, ARM_J, t), scale(-1.0, force))
    write_torques(out, t, cross(get(kinematics, ARM_I, t), force), torque_j, couple)


write_contact_torques = select(
    "geometry",
    {
        SingleSpheres: write_torques_on_spheres,
        SphereClusters: write_torques_on_bodies,
        Segments: write_torques_on_bodies,
    },
)


@inline
def weighted_loss(geometry, kinematics, t, weight, outcome, half):
    """Energy that a contact dissipates or stores in springs in half a step [J]."""
    return weight * outcome.loss


@inline
def loss_as_weight_changes(geometry, kinematics, t, weight, outcome, half):
    """That of a contact of capsules or polyhedra: the energy of its springs pulls by the gradient of its weight too."""
    return weight * outcome.loss + half * kinematics[flat(WEIGHT_RATE, t)] * outcome.spring_energy


@inline
def weighted_loss_at_once(geometry, kinematics, t, weight, outcome, half):
    """Energy that a contact has lost at once in the last step [J]."""
    return weight * outcome.instantaneous_dissipation


@inline
def loss_at_once_as_weight_changes(geometry, kinematics, t, weight, outcome, half):
    """That of a contact of capsules or polyhedra, by its weight in the middle of the step."""
    return (weight - half * kinematics[flat(WEIGHT_RATE, t)]) * outcome.instantaneous_dissipation


loss_of = select(
    "geometry",
    {SingleSpheres: weighted_loss, SphereClusters: weighted_loss, Segments: loss_as_weight_changes},
)
loss_at_once_of = select(
    "geometry",
    {
        SingleSpheres: weighted_loss_at_once, SphereClusters: weighted_loss_at_once,
        Segments: loss_at_once_as_weight_changes,
    },
)  # fmt: skip


@inline
def write_energy(geometry, out, t, energy):
    """Write the energy of a contact of capsules, by which their weights pull."""
    out[flat(ENERGY, t)] = energy


store_energy = select("geometry", {SingleSpheres: None, SphereClusters: None, Segments: write_energy})


@inline
def dissipated(loss, spring_energy, at_once, time_sign):
    """Energy dissipated by a contact in a step, 2 l + j, and the part still to come or stored in springs, l + s [J].

    The first evaluation of a run, with time_sign -1, counts for its second half step only.
    """
    kept = loss + spring_energy
    return kept if time_sign < 0.0 else 2.0 * loss + at_once, kept


@inline
def write_loss(sink, out, t, springs, loss, at_once, half, time_sign):
    """Write the power that a contact takes up, for its report."""
    out[flat(LOSS, t)] = loss / half


@inline
def write_heat(sink, out, t, springs, loss, at_once, half, time_sign):
    """Write the energy dissipated by a contact in a step, and the part still to come, see `dissipated_heat`."""
    out[flat(LOSS, t)], out[flat(OPEN_LOSS, t)] = dissipated(loss, springs, at_once, time_sign)


@inline
def write_no_loss(sink, out, t):
    """Write that an elastic contact takes up nothing, for its report."""
    out[flat(LOSS, t)] = 0.0


store_no_loss = select("sink", {ReportSink: write_no_loss, ForceSink: None})
store_loss = select("sink", {ReportSink: write_loss, ForceSink: None, HeatSink: write_heat})


@inline
def evaluate_elastic_column(settings, alike, may_begin, i, j, t, kinematics, batch_history, out, sums):
    """Hertz force of one contact, see `evaluate_composite_column`.

    Writes out: rows FORCE, ON_I and ON_J. Returns `Sums` with this contact's.
    """
    geometry, per_joule = settings.geometry, settings.per_joule
    overlap, weight = max(kinematics[flat(OVERLAP, t)], 0.0), weight_of(geometry, kinematics, t)
    energy = hertz.energy(kinematics[flat(STIFFNESS, t)], overlap)
    force = scale(weight * hertz.force(kinematics[flat(STIFFNESS, t)], overlap), get(kinematics, NORMAL, t))
    put(out, FORCE, t, force)
    write_contact_torques(geometry, settings.law, alike, kinematics, t, force, (0.0, 0.0, 0.0), out)
    store_energy(geometry, out, t, energy)
    store_no_loss(settings.sink, out, t)
    return Sums(
        sums.elastic + as_fixed(weight * energy, per_joule), max(sums.overlap, bits_of_float(overlap)),
        sums.spring_energy, sums.loss, sums.work, sums.instantaneous_dissipation,
    )  # fmt: skip


@inline
def evaluate_composite_column(settings, alike, may_begin, i, j, t, kinematics, batch_history, out, sums):
    """Force and couple of one contact, and its history.

    alike, may_begin: whether both are single spheres of one kind; whether it may have begun in the last step.
    i, j, t, kinematics, sums: the two materials, column, kinematics; sums so far.
    Writes batch_history: (R, BLOCK) history of the contacts, a column each.
    Writes out: rows FORCE, PERSISTS, ON_I and ON_J; ENERGY of capsules, LOSS for reports. Without couples, ELASTIC,
        SPRING_ENERGY and HALF_STEP_LOSS for `sum_energies`.
    Returns `Sums` with this contact's energies, or what `sum_energies` leaves of them.
    """
    geometry, law, half = settings.geometry, settings.law, settings.half
    contact = kinematics_in_column(kinematics, t, may_begin, laws.can_align_spring(law))
    weight = weight_of(geometry, kinematics, t)
    history = laws.load(law, batch_history.T, t, 0)
    contact, outcome, history = contact_force(law, i, j, contact, 0.0, history, half, settings.time_sign)
    laws.store(law, batch_history.T, t, 0, history)
    force = scale(weight, outcome.force)
    put(out, FORCE, t, force)
    write_contact_torques(geometry, law, alike, kinematics, t, force, scale(weight, outcome.couple), out)
    out[flat(PERSISTS, t)] = 1.0 if outcome.persists else 0.0
    store_energy(geometry, out, t, outcome.elastic + outcome.spring_energy)
    loss = loss_of(geometry, kinematics, t, weight, outcome, half)
    at_once = loss_at_once_of(geometry, kinematics, t, weight, outcome, half)
    store_loss(settings.sink, out, t, weight * outcome.spring_energy, loss, at_once, half, settings.time_sign)
    if laws.transmits_couples(law):  # so many more divisions that the loop waits for these alone
        energies = energies_of(outcome, contact.overlap, weight, loss, at_once, no_energy(), settings.per_joule)
        return add_sums(sums, energies)
    out[flat(ELASTIC, t)], out[flat(SPRING_ENERGY, t)] = weight * outcome.elastic, weight * outcome.spring_energy
    out[flat(HALF_STEP_LOSS, t)] = loss
    return Sums(
        sums.elastic, sums.overlap, sums.spring_energy, sums.loss, sums.work,
        add_words(sums.instantaneous_dissipation, as_words(at_once, settings.per_joule)),
    )  # fmt: skip


@vector_loop
def align_springs_of_batch(settings, count, kinematics, batch_history):
    """Turn the tangential springs of a batch of contacts into the present contact planes.

    In a loop of its own: the law is a long chain of operations that wait for each other. In one loop with it, the next
    contacts would lie outside the window in which a processor executes out of order. Writes batch_history.
    """
    law = settings.law
    for t in range(count if laws.can_align_spring(law) else 0):
        contact = kinematics_in_column(kinematics, t, True, False)
        history = laws.load(law, batch_history.T, t, 0)
        history = laws.align_spring(law, contact, history, settings.half, settings.time_sign)
        laws.store(law, batch_history.T, t, 0, history)


align_springs = select("settings.law", {laws.Elastic: None, laws.Composite: align_springs_of_batch})


@vector_loop
def sum_energies(settings, count, kinematics, out, sums):
    """Add the energies of a batch of contacts to its sums.

    In a loop of its own: the loop over the law fills the window in which a processor executes out of order, and each
    further instruction there would delay the next contacts.
    """
    for t in range(0 if laws.transmits_couples(settings.law) else count):
        per_joule = settings.per_joule
        energies = Sums(
            as_fixed(out[flat(ELASTIC, t)], per_joule), bits_of_float(max(kinematics[flat(OVERLAP, t)], 0.0)),
            as_fixed(out[flat(SPRING_ENERGY, t)], per_joule), as_words(out[flat(HALF_STEP_LOSS, t)], per_joule),
            no_energy(), no_energy(),
        )  # fmt: skip
        sums = add_sums(sums, energies)
    return sums


add_energies = select("settings.law", {laws.Elastic: argument("sums"), laws.Composite: sum_energies})
evaluate_column = select(
    "settings.law", {laws.Elastic: evaluate_elastic_column, laws.Composite: evaluate_composite_column}
)


def evaluator_of(may_begin):
    """Make the loop over contacts of one type, some or none of which may be new."""

    @vector_loop
    def evaluate_alike(settings, count, i, j, kinematics, batch_history, out):
        """Evaluate contacts of the materials i and j, which are looked up once; see `evaluate_mixed_types`."""
        sums = no_sums()
        align_springs(settings, count, kinematics, batch_history)
        for t in range(count):
            sums = evaluate_column(settings, True, may_begin, i, j, t, kinematics, batch_history, out, sums)
        return add_energies(settings, count, kinematics, out, sums)

    return evaluate_alike


evaluate_one_type, evaluate_ongoing = evaluator_of(True), evaluator_of(False)


@vector_loop
def evaluate_mixed_types(settings, count, batch_type, kinematics, material_i, material_j, batch_history, out):
    """Evaluate contacts of any bodies.

    count, batch_type: of contacts; MIXED_TYPES, MAY_BE_NEW or ONGOING.
    kinematics, material_i, material_j: see `evaluate_composite_column`; (BLOCK,) of each contact.
    Writes batch_history, out: as `evaluate_composite_column`. Returns `Sums`.
    """
    sums = no_sums()
    align_springs(settings, count, kinematics, batch_history)
    for t in range(count):
        i, j = material_i[t], material_j[t]
        sums = evaluate_column(settings, False, True, i, j, t, kinematics, batch_history, out, sums)
    return add_energies(settings, count, kinematics, out, sums)


@inline
def evaluate_new(settings, count, batch_type, kinematics, material_i, material_j, batch_history, out):
    """Evaluate contacts of single spheres, any of which may have just begun; see `evaluate_mixed_types`."""
    if batch_type == MAY_BE_NEW:
        i, j = material_i[0], material_j[0]
        return evaluate_one_type(settings, count, i, j, kinematics, batch_history, out)
    return evaluate_mixed_types(settings, count, batch_type, kinematics, material_i, material_j, batch_history, out)


@inline
def evaluate_spheres(settings, count, batch_type, kinematics, material_i, material_j, batch_history, out):
    """Evaluate contacts of single spheres, see `evaluate_mixed_types`."""
    if batch_type == ONGOING:
        return evaluate_ongoing(settings, count, material_i[0], material_j[0], kinematics, batch_history, out)
    return evaluate_new(settings, count, batch_type, kinematics, material_i, material_j, batch_history, out)


@inline
def evaluate_bodies(settings, count, batch_type, kinematics, material_i, material_j, batch_history, out):
    """Evaluate contacts of other bodies, see `evaluate_mixed_types`."""
    if settings.has_one_material:
        return evaluate_one_type(settings, count, 0, 0, kinematics, batch_history, out)
    return evaluate_mixed_types(settings, count, batch_type, kinematics, material_i, material_j, batch_history, out)


evaluate_batch = select(
    "settings.geometry",
    {SingleSpheres: evaluate_spheres, SphereClusters: evaluate_bodies, Segments: evaluate_bodies},
)
