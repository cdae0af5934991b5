"""Forces of a bond on its two bodies, for the bonds of a chunk at once and for one bond."""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.bonds import beam
from dem.kernels.compiler.jit import inline, noinline, select, vector_loop
from dem.kernels.domain.periodic import image_velocity, nearest_image
from dem.kernels.numerics.energy import as_fixed, as_words
from dem.kernels.numerics.float_bits import bits_of_float
from dem.kernels.numerics.quaternion import load_quaternion, product, rotate
from dem.kernels.numerics.vector import add, cross, dot, load, subtract
from dem.kernels.simd.memory import prefetch
from dem.kernels.soft.bonds.bond_arrays import (
    ACROSS,  # fmt: skip
    ALONG,
    ANCHOR_I,
    ANCHOR_J,
    CLOSE,
    DRAG_ACROSS,
    DRAG_ALONG,
    ELASTIC,
    FRAME_I,
    FRAME_J,
    HEAT_ROW,
    LENGTH,
    LOAD,
    LOSS,
    PRESSED,
    SECTION,
    STRENGTH,
    Damped,
    Undamped,
    is_enabled,
    of_kind,
)

AHEAD = 128  # bonds whose bodies are asked for while as many are evaluated
FEW = 4  # chunks of bodies that a core's cache holds
LINE = 8  # numbers in a line of the cache


@inline
def motion(damped, velocity, spin, b):
    """Velocity and angular velocity of a body [m/s, rad/s]."""
    return load(velocity, b), load(spin, b)


motion_of = select("damped", {Undamped: ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), Damped: motion})


class End(NamedTuple):
    """A body at an end of a bond."""

    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float]
    velocity: tuple[float, float, float]
    spin: tuple[float, float, float]


class BondForce(NamedTuple):
    """Force and torques of a bond on its two ends, and its energies."""

    force: tuple[float, float, float]  # on the first body [N]
    torque_i: tuple[float, float, float]  # torque on the first body [N m]
    torque_j: tuple[float, float, float]  # on the second one [N m]
    energy: float  # [J]
    power: float  # that dashpots take [W]
    load: float  # stress over strength
    pressed: float  # overlap of bodies without contact beyond that at rest, over the smaller radius; or negative


@inline
def pair(form, table, row, g):
    """Two rows of the table."""
    return of_kind(form.kinds, table, row, g), of_kind(form.kinds, table, row + 1, g)


@inline
def triple(form, table, row, g):
    """Three rows of the table."""
    return (
        of_kind(form.kinds, table, row, g),
        of_kind(form.kinds, table, row + 1, g),
        of_kind(form.kinds, table, row + 2, g),
    )


@inline
def frame_of(form, table, row, g, q):
    """Frame of an end of a bond whose body has the orientation q."""
    return product(q, pair(form, table, row, g) + pair(form, table, row + 2, g))


@inline
def dashpots(form, s, g, table, end_i, end_j, drift, arm_i, arm_j):
    """Stresses of dashpots, and their power; bodies have a velocity at their anchors.

    form, g, table: of `Bonds`, the second of the bond's kind.
    s: its `beam.Strain`.
    end_i, end_j, drift: `End` of the bond, and the velocity of the image of the one that is nearest to the other [m/s].
    arm_i, arm_j: anchors from the centres of mass [m].
    Returns the force [N] and couple [N m] in the frame half way, power [W].
    """
    v = subtract(end_j.velocity, add(end_i.velocity, drift))
    if is_enabled(form.anchored):
        v = add(v, subtract(cross(end_j.spin, arm_j), cross(end_i.spin, arm_i)))
    w_i, w_j = beam.to_bond_frame(s.axes, end_i.spin), beam.to_bond_frame(s.axes, end_j.spin)
    rate, turning = beam.rates(s, beam.to_bond_frame(s.axes, v), w_i, w_j)
    along, across = pair(form, table, DRAG_ALONG, g), pair(form, table, DRAG_ACROSS, g)
    f, c = beam.dashpot_stress(along[0], across[0], rate), beam.dashpot_stress(along[1], across[1], turning)
    return f, c, dot(f, rate) + dot(c, turning)


@inline
def force_between_ends(box, form, g, table, end_i, end_j):
    """Force and torques of a bond of kind g between two ends."""
    anchored = is_enabled(form.anchored)
    gap, image = nearest_image(box, end_j.position, end_i.position)
    r = gap
    arm_i, arm_j = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if anchored:
        arm_i = rotate(end_i.orientation, triple(form, table, ANCHOR_I, g))
        arm_j = rotate(end_j.orientation, triple(form, table, ANCHOR_J, g))
        r = add(r, subtract(arm_j, arm_i))
    q_i, q_j = end_i.orientation, end_j.orientation
    if is_enabled(form.framed):
        q_i, q_j = frame_of(form, table, FRAME_I, g, q_i), frame_of(form, table, FRAME_J, g, q_j)
    s = beam.strain(q_i, q_j, r)
    length, close = of_kind(form.kinds, table, LENGTH, g), pair(form, table, CLOSE, g)
    f, c = beam.stresses(s, length, pair(form, table, ALONG, g), pair(form, table, ACROSS, g))
    energy = beam.energy(s, length, f, c)
    t_i, t_j = beam.couples(s, f, c)
    load = 0.0
    if is_enabled(form.brittle):
        load = beam.load_ratio(f, t_i, t_j, triple(form, table, SECTION, g), pair(form, table, STRENGTH, g))
    power = 0.0
    if is_enabled(form.damped):
        f_d, c_d, power = dashpots(form, s, g, table, end_i, end_j, image_velocity(box, image, gap), arm_i, arm_j)
        f = add(f, f_d)
        t_i, _ = beam.couples(s, f, add(c, c_d))
    force, torque_i, torque_j = beam.end_loads(s, r, f, t_i)
    if anchored:
        torque_i = add(torque_i, cross(arm_i, force))
        torque_j = subtract(torque_j, cross(arm_j, force))
    return BondForce(force, torque_i, torque_j, energy, power, load, (close[0] - math.sqrt(dot(r, r))) * close[1])


@inline
def end_of(form, b, position, orientation, velocity, spin):
    """State of body b as one end of a bond."""
    v, w = motion_of(form.damped, velocity, spin, b)
    return End(load(position, b), load_quaternion(orientation, b), v, w)


@inline
def write_force(k, share, p, pull):
    """Write force and torques of a bond to column k, times a share."""
    for r in range(3):
        pull[r, k] = share * p.force[r]
        pull[3 + r, k] = share * p.torque_i[r]
        pull[6 + r, k] = share * p.torque_j[r]


@vector_loop
def evaluate_range(
    box, form, low, high, first_slot, half, per_joule, table, kind, first, second, live, position, orientation,
    velocity, spin, pull, load,
):  # fmt: skip
    """Evaluate the bonds in the slots low to high.

    form, table, kind, first, second, live: of `Bonds`.
    low, high, first_slot: slots; the slot whose column of `Bonds.forces` is the first.
    position, orientation, velocity, spin: of bodies, at the time of the forces.
    Writes pull, load: of `Bonds`.
    Returns the energy in units, power of dashpots times half a step in two words, bits of the largest load and
        `BondForce.pressed`.
    """
    elastic, whole, subunits = np.int64(0), np.int64(0), np.int64(0)
    largest, deepest = np.int64(0), np.int64(0)
    for k in range(low, high):
        end_i = end_of(form, first[k], position, orientation, velocity, spin)
        end_j = end_of(form, second[k], position, orientation, velocity, spin)
        p = force_between_ends(box, form, kind[k], table, end_i, end_j)
        share = live[k]
        write_force(k - first_slot, share, p, pull)
        elastic += as_fixed(share * p.energy, per_joule)
        if is_enabled(form.damped):
            lost = share * p.power * half
            words = as_words(lost, per_joule)
            if is_enabled(form.heats):
                pull[HEAT_ROW, k - first_slot] = lost
            whole += words[0]
            subunits += words[1]
        if is_enabled(form.brittle):
            strain = max(share * p.load, 0.0)
            load[k] = strain
            bits = bits_of_float(strain)
            largest = bits if bits > largest else largest
        pressed = bits_of_float(max(share * p.pressed, 0.0))
        deepest = pressed if pressed > deepest else deepest
    return elastic, whole, subunits, largest, deepest


@inline
def prefetch_rows(array, rows, b):
    """Prefetch some rows of column b."""
    for r in range(rows):
        prefetch(array, r * array.shape[1] + b)


@noinline
def evaluate_separately(
    box, form, low, high, first_slot, half, per_joule, table, kind, first, second, live, position, orientation,
    velocity, spin, pull, load,
):  # fmt: skip
    """Evaluate a range of bonds, see `evaluate_range`, in a function of its own.

    LLVM makes faster code of the loop here than inlined into a whole step.

    form, table, kind, first, second, live: see `evaluate_range`.
    position, orientation, velocity, spin: see `evaluate_range`.
    Writes pull, load: as `evaluate_range`. Returns what `evaluate_range` does.
    """
    return evaluate_range(
        box, form, low, high, first_slot, half, per_joule, table, kind, first, second, live, position, orientation,
        velocity, spin, pull, load,
    )  # fmt: skip


@inline
def farthest(low, high, bonds):
    """Highest index of the bodies of the bonds in the slots low to high."""
    highest = np.int32(-1)
    for k in range(low, high):
        highest = max(highest, bonds.first[k], bonds.second[k])
    return np.int64(highest)


@inline
def prefetch_bodies(damped, low, middle, high, bonds, bodies):
    """Prefetch the bodies that bonds in the slots middle to high reach beyond those of the slots low to middle.

    A processor's own prefetching does not follow so many rows; each cache line is prefetched about once.
    """
    for b in range(farthest(low, middle, bonds) + 1, farthest(middle, high, bonds) + LINE, LINE):
        prefetch_rows(bodies.position, 3, b)
        prefetch_rows(bodies.orientation, 4, b)
        prefetch_rows(bodies.velocity_predicted, 3, b)
        prefetch_rows(bodies.angular_velocity_predicted, 3, b)


prefetch_next_bodies = select("damped", {Undamped: None, Damped: prefetch_bodies})


@inline
def evaluate_chunk(c, half, per_joule, bonds, bodies, box):
    """Evaluate the bonds that begin in chunk c, but for those to the ground.

    c, half, per_joule, bodies, box: chunk; see `dem.kernels.soft.state`.
    Writes bonds.forces, bonds.load, bonds.chunk_sums: of the chunk.
    """
    low, stop = bonds.chunk_first[c], bonds.chunk_first[c + 1]
    first_slot = low - bonds.first_force[c]
    far = bonds.highest.size > FEW
    elastic, whole, subunits = np.int64(0), np.int64(0), np.int64(0)
    largest, deepest = np.int64(0), np.int64(0)
    while low < stop:
        high = min(low + AHEAD, stop) if far else stop
        prefetch_next_bodies(bonds.form.damped, low, high, min(high + AHEAD, stop), bonds, bodies)
        sums = evaluate_separately(
            box, bonds.form, low, high, first_slot, half, per_joule, bonds.table, bonds.kind, bonds.first, bonds.second,
            bonds.live, bodies.position, bodies.orientation, bodies.velocity_predicted,
            bodies.angular_velocity_predicted, bonds.forces, bonds.load,
        )  # fmt: skip
        elastic, whole, subunits = elastic + sums[0], whole + sums[1], subunits + sums[2]
        largest, deepest = max(largest, sums[3]), max(deepest, sums[4])
        low = high
    bonds.chunk_sums[c, ELASTIC], bonds.chunk_sums[c, LOAD], bonds.chunk_sums[c, PRESSED] = elastic, largest, deepest
    bonds.chunk_sums[c, LOSS], bonds.chunk_sums[c, LOSS + 1] = whole, subunits


@inline
def evaluate_bond(box, n, k, bonds, bodies):
    """Force and torques of bond k; n is its number among those to the ground, -1 for others."""
    m = bonds.slot[k]
    end_i = end_of(
        bonds.form, bonds.first[m], bodies.position, bodies.orientation, bodies.velocity_predicted,
        bodies.angular_velocity_predicted,
    )  # fmt: skip
    if n < 0:
        end_j = end_of(
            bonds.form, bonds.second[m], bodies.position, bodies.orientation, bodies.velocity_predicted,
            bodies.angular_velocity_predicted,
        )  # fmt: skip
    else:
        q = (bonds.ground_pose[3, n], bonds.ground_pose[4, n], bonds.ground_pose[5, n], bonds.ground_pose[6, n])
        end_j = End(load(bonds.ground_pose, n), q, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    return force_between_ends(box, bonds.form, bonds.kind[m], bonds.table, end_i, end_j)
