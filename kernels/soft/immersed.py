"""Bodies in a fluid: a step completed with its forces beside those of contacts and weight.

The fluid acts where the leap-frog kicks, with the velocity, angular velocity and pose at the forces, so that no list
and no prediction knows of it, and its own stiffness is followed exactly, see `kernels.fluid.stride`: each velocity
relaxes in the body frame held at the forces, each axis at its own rate. Unless all goes with the velocity, forces are
evaluated twice, first with that half a step back, then with the mean over the step thus found: second order, and for
drag up to the square of the velocity stable with any time step; an extrapolated one begins to swing at h rate > 1.

Angular velocities go by the rotational scheme. One that leaps is handed, in place of the sum of torques, the torque by
which it comes to where relaxation leads; any other one the sum, at the angular velocity that it foresees. Bodies follow
the strain of the fluid as they turn in it; how the gradient itself changes on their way is left out.

The fluid's work is its momentum times the mean velocity, half step by half step, hence all that it changes in kinetic
energy: added mass and lift included. Added mass goes with all accelerations, those by contacts too.
"""

import numpy as np

from kernels import fluid as fluids
from kernels import rotation
from kernels.base.energy import add_words, as_fixed, as_words, gravitational, in_units, translational
from kernels.base.jit import apart, formula, stage
from kernels.base.quaternion import load_quaternion
from kernels.base.vector import add, add_scaled, dot, load, scale, store, subtract
from kernels.box.periodic import unfold
from kernels.fluid.stride import drive, step_after
from kernels.soft.chunks import chunk_of
from kernels.soft.dragged import inwards, outwards, passage, pull, shares_along, work_of
from kernels.soft.motion import note_vector
from kernels.soft.travel import larger
from kernels.soft.whirled import foreseen, start_turning, turn_in


@apart
def correct(fluid, scheme, law, c, shift, dt, gravity, datum, per_joule, bodies, kinds, box):
    """The step of chunk c completed with its forces, that of body b in column b - shift.

    Parameters
    ----------
    fluid, scheme, law, c, shift, dt, gravity, datum, per_joule, kinds, box : see `kernels.soft.state`

    Writes
    ------
    bodies.velocity, bodies.velocity_ahead, bodies.memory_q : and the rest of the memory
    bodies.force : what takes the velocity at the forces to that half a step later, besides the weight [N]

    Returns
    -------
    energy of those present in units, bits of the largest squared spin [rad²/s²] and F/m [m²/s⁴], work of the fluid in
    the half steps before and after the forces, two words each, bits of the largest Reynolds number and of the
    rotational one, 1 if somebody is where the field is not known
    """
    low, high = chunk_of(c, bodies.kind.size)
    time = fluid.medium.clock[0]
    energy, fastest, briskest = np.int64(0), np.int64(0), np.int64(0)
    before, after = (np.int64(0), np.int64(0)), (np.int64(0), np.int64(0))
    quickest, whirling, outside = np.int64(0), np.int64(0), np.int64(0)
    for b in range(low, high):
        g, x = bodies.kind[b], load(bodies.position, b)
        flow = fluids.sample_of(fluid.field, time, x)
        own, drawn, squares, reynolds = move_in(
            fluid, scheme, law, b, shift, g, flow, dt, gravity, per_joule, bodies, kinds
        )
        if b < bodies.present[0]:
            height = gravitational(kinds.mass[g], gravity, unfold(box, x, bodies.image, b), datum)
            energy += as_fixed(own + height, per_joule)
            before = add_words(before, as_words(drawn[0], per_joule))
            after = add_words(after, as_words(drawn[1], per_joule))
            quickest, whirling = larger(quickest, reynolds[0]), larger(whirling, reynolds[1])
            outside = max(outside, np.int64(flow.outside))
        fastest, briskest = larger(fastest, squares[0]), larger(briskest, squares[1])
    return energy, fastest, briskest, before, after, quickest, whirling, outside


@stage
def clear(fluid, c, bodies, kinds):
    """Take what `correct` has left in the forces of chunk c out: only bodies near others are given forces anew."""
    if not kinds.round:
        low, high = chunk_of(c, bodies.kind.size)
        for b in range(low, high):
            store(bodies.force, b, (0.0, 0.0, 0.0))


@formula
def move_in(fluid, scheme, law, b, shift, g, flow, dt, gravity, per_joule, bodies, kinds):
    """Body b moved on with its forces.

    Parameters
    ----------
    scheme, law, b, shift, dt, gravity, per_joule, kinds : see `correct`
    g, flow : its variant and `Sample`

    Writes
    ------
    bodies : as `correct`
    fluid.field, fluid.medium : momentum taken from a flow that is computed elsewhere

    Returns
    -------
    kinetic energy [J], work before and after the forces [J], squares of spin and F/m, two Reynolds numbers
    """
    m, q = kinds.mass[g], load_quaternion(bodies.orientation, b)
    v, contacts = load(bodies.velocity, b), load(bodies.force, b - shift)
    others = add_scaled(contacts, m, gravity)
    spin = load(bodies.memory_w, b)
    turning, of_spin, squared, spent_before, spent_after, whirl = bodies.torque.shape[1] > 0, 0.0, 0.0, 0.0, 0.0, 0.0
    if turning:
        i = load(kinds.inertia, g)
        memory = rotation.load_memory(scheme, bodies.memory_q, bodies.memory_w, bodies.memory_a, bodies.memory_more, b)
        spin = outwards(scheme, q, foreseen(scheme, memory, q, i, dt))
        of_spin, squared, spent_before, spent_after, whirl = turn_in(
            fluid, scheme, b, shift, g, q, flow, dt, per_joule, bodies, kinds
        )
    now, later, reynolds = passage(fluid, scheme, g, m, q, flow, gravity, spin, others, dt, v)
    fluids.take(fluid.field, bodies.identity[b], m, dt, others, v, now, later)
    store(bodies.velocity, b, later)
    note_vector(law, add_scaled(later, 0.5, subtract(later, v)), bodies.velocity_ahead, b)
    store(bodies.force, b - shift, scale(m, subtract(scale(2.0 / dt, subtract(later, now)), gravity)))
    drawn = work_of(m, dt, others, v, now) + spent_before, work_of(m, dt, others, now, later) + spent_after
    brisk = dot(contacts, contacts) / (m * m)
    return translational(m, now) + of_spin, drawn, (squared, brisk), (reynolds, whirl)


@apart
def start(fluid, scheme, law, dt, gravity, datum, per_joule, bodies, kinds, box):
    """From whole-step velocity, orientation and (in memory_w) world angular velocity to the half-step memory.

    Parameters
    ----------
    scheme, law, dt, gravity, datum, per_joule, kinds, box : see `kernels.soft.state`

    Writes
    ------
    bodies.velocity, bodies.velocity_ahead, bodies.force, bodies.memory_q : as `correct`
    fluid.medium : drawn and drawing, work so far and in the half step after the start; Reynolds numbers reached

    Returns
    -------
    energy that `correct` will report while it is conserved, in units
    """
    energy, drawn = np.int64(0), (np.int64(0), np.int64(0))
    for b in range(bodies.kind.size):
        g, x, v = bodies.kind[b], load(bodies.position, b), load(bodies.velocity, b)
        m, q, spin = kinds.mass[g], load_quaternion(bodies.orientation, b), load(bodies.memory_w, b)
        flow = fluids.sample_of(fluid.field, fluid.medium.clock[0], x)
        others = add_scaled(load(bodies.force, b), m, gravity)
        rate, push, slope, reynolds = pull(fluid, scheme, g, m, q, flow, gravity, spin, others, v)
        fluid.medium.reached[0] = max(fluid.medium.reached[0], reynolds)
        gap = inwards(scheme, q, subtract(flow.velocity, v))
        change = step_after(dt, shares_along(scheme, dt, rate), drive(rate, gap, push), slope)
        later = add(v, outwards(scheme, q, change))
        fluids.begin(fluid.field, bodies.identity[b], m, dt, others, v, later)
        store(bodies.velocity, b, later)
        note_vector(law, add(later, subtract(later, v)), bodies.velocity_ahead, b)
        store(bodies.force, b, scale(m, subtract(scale(2.0 / dt, subtract(later, v)), gravity)))
        height = gravitational(m, gravity, unfold(box, x, bodies.image, b), datum)
        energy += as_fixed(translational(m, v) + height, per_joule)
        work = work_of(m, dt, others, v, later)
        if bodies.torque.shape[1] > 0:
            turning, of_spin, whirl = start_turning(fluid, scheme, b, g, q, flow, dt, bodies, kinds)
            fluid.medium.reached[1] = max(fluid.medium.reached[1], whirl)
            energy += as_fixed(turning, per_joule)
            work += of_spin
        drawn = add_words(drawn, as_words(work, per_joule))
    fluid.medium.drawing[0] = in_units(drawn)
    fluid.medium.drawn[0], fluid.medium.drawn[1] = 0.0, 0.0
    return energy
