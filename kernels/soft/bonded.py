"""Bonds between bodies: evaluated before any body moves, summed by body in a fixed order, broken one at a time.

Each bond is evaluated once, in a loop without branches; then each body adds what its bonds do to it in the order of
their numbers. So neither threads nor the places of bodies in memory show in any bit.

A bond that is stressed beyond its strength still acts in that step, and no more in the next one: what it had half way
between the two is dissipated, the mean of its energies at both.
"""

from typing import NamedTuple

import numpy as np

from kernels.base.energy import add_words, as_fixed, as_words, in_units
from kernels.base.jit import by_type, for_type, formula, kernel, loop, part, spread
from kernels.base.quaternion import load_quaternion, product, rotate, rotate_back
from kernels.base.vector import add, cross, dot, load, scale, store, subtract
from kernels.bonds import beam
from kernels.box.periodic import gap
from kernels.soft import easing
from kernels.soft.chunks import chunk_of, unsigned_range
from kernels.soft.ties import NoBonds, free_or  # noqa: F401
from kernels.soft.touching import no_energy

BLOCK = 1024  # bonds that a thread works on at once
INTACT, BREAKING, BROKEN, GONE = range(4)  # the last: of bodies that have left for good
GROUND = -1  # in place of the second body

# rows of `Bonds.table`
LENGTH, ALONG, ACROSS, DRAG_ALONG, DRAG_ACROSS = 0, 1, 3, 5, 7
FRAME_ONE, FRAME_OTHER, ANCHOR_ONE, ANCHOR_OTHER, SECTION, STRENGTH, ROWS = 9, 13, 17, 20, 23, 26, 28
# columns of `Bonds.partial`: energy, what damping takes in half a step (two words), bits of the largest load
ELASTIC, LOSS, LOAD, COLUMNS = 0, 1, 3, 4


class Undamped(NamedTuple):
    """Bonds that lose nothing."""


class Damped(NamedTuple):
    """Bonds with dashpots."""


class Centred(NamedTuple):
    """Bonds from centre to centre."""


class Anchored(NamedTuple):
    """Bonds from anchors in the bodies."""


class Aligned(NamedTuple):
    """Bonds along the x axes of their bodies."""


class Framed(NamedTuple):
    """Bonds along any direction in them."""


class Lasting(NamedTuple):
    """Bonds that never break."""


class Brittle(NamedTuple):
    """Bonds of which some may."""


class Form(NamedTuple):
    """What bonds are like, by types, so that only what is wanted is compiled."""

    damped: tuple  # `Undamped` or `Damped`
    anchored: tuple  # `Centred` or `Anchored`
    framed: tuple  # `Aligned` or `Framed`
    brittle: tuple  # `Lasting` or `Brittle`


class Bonds(NamedTuple):
    """B bonds in the user's order, of K kinds; G of them are to the ground."""

    form: tuple  # `Form`
    table: (
        np.ndarray
    )  # (ROWS, K), see above: length [m]; stiffnesses along and across, of dashpots the same; frames and
    # anchors of both ends in the bodies' frames [m]; 1/A, β r/I, β r/J; one over both strengths
    kind: np.ndarray  # (B,) int32
    first: np.ndarray  # (B,) int32, index of the first body
    second: np.ndarray  # (B,) int32, of the second one, or again of the first one
    live: np.ndarray  # (B,) 1 for those that act, 0 for those that are broken or to the ground
    ground: np.ndarray  # (G,) int64, the bonds to the ground
    place: np.ndarray  # (7, G) position [m] and orientation of the ground there, as if it were a body
    state: np.ndarray  # (B,) int8, INTACT or one of the others
    when: np.ndarray  # (B,) int64, step at which it broke, -1 before
    load: np.ndarray  # (B,) stress over strength, if any may break
    pending: np.ndarray  # (B,) int64, those that are breaking
    before: np.ndarray  # (B,) energy that each of these had [J]
    count: np.ndarray  # (3,) int64: number of those, steps taken, broken bonds
    pull: np.ndarray  # (9, B) force on the first body [N], torque on the first and the second one [N m]
    incident_first: np.ndarray  # (N + 1,) int64, bonds of body number n are incident[incident_first[n]] and on
    incident: np.ndarray  # (2 B - G,) int64, twice the bond, and 1 more on the side of its second body
    partial: np.ndarray  # (blocks, COLUMNS) int64, what blocks of bonds report
    sums: np.ndarray  # (3,) of all: elastic energy, half a step's loss, energy of those that broke [units]
    eased: easing.Eased


@formula
def _no():
    return False


@formula
def _yes():
    return True


is_yes = by_type(lambda kind: _yes if kind in (Damped, Anchored, Framed, Brittle) else _no)


@formula
def no_motion(damped, velocity, spin, b):
    """Nobody wants to know."""
    return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)


@formula
def motion(damped, velocity, spin, b):
    """Velocity and angular velocity of a body [m/s, rad/s]."""
    return load(velocity, b), load(spin, b)


motion_of = for_type(Undamped)(no_motion, motion)


class End(NamedTuple):
    """A body at an end of a bond."""

    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float]
    velocity: tuple[float, float, float]
    spin: tuple[float, float, float]


class Pull(NamedTuple):
    """What a bond does."""

    force: tuple[float, float, float]  # on the first body [N]
    one: tuple[float, float, float]  # torque on the first body [N m]
    other: tuple[float, float, float]  # on the second one [N m]
    energy: float  # [J]
    power: float  # that dashpots take [W]
    load: float  # stress over strength


@formula
def pair(table, row, g):
    """Two rows of the table."""
    return table[row, g], table[row + 1, g]


@formula
def triple(table, row, g):
    """Three rows of the table."""
    return table[row, g], table[row + 1, g], table[row + 2, g]


@formula
def frame_of(table, row, g, q):
    """Frame of an end whose body has the orientation q."""
    return product(q, (table[row, g], table[row + 1, g], table[row + 2, g], table[row + 3, g]))


@formula
def dashpots(anchored, s, g, table, one, other, arm_one, arm_other):
    """Stresses of dashpots, and their power; bodies have a velocity at their anchors."""
    v = subtract(other.velocity, one.velocity)
    if anchored:
        v = add(v, subtract(cross(other.spin, arm_other), cross(one.spin, arm_one)))
    w_one, w_other = rotate_back(s.frame, one.spin), rotate_back(s.frame, other.spin)
    rate, turning = beam.rates(s, rotate_back(s.frame, v), w_one, w_other)
    along, across = pair(table, DRAG_ALONG, g), pair(table, DRAG_ACROSS, g)
    f, c = beam.drag(along[0], across[0], rate), beam.drag(along[1], across[1], turning)
    return f, c, dot(f, rate) + dot(c, turning)


@formula
def pull_of(box, form, g, table, one, other):
    """What a bond of kind g between two ends does."""
    anchored = is_yes(form.anchored)
    r = gap(box, other.position, one.position)
    arm_one, arm_other = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if anchored:
        arm_one = rotate(one.orientation, triple(table, ANCHOR_ONE, g))
        arm_other = rotate(other.orientation, triple(table, ANCHOR_OTHER, g))
        r = add(r, subtract(arm_other, arm_one))
    q_one, q_other = one.orientation, other.orientation
    if is_yes(form.framed):
        q_one, q_other = frame_of(table, FRAME_ONE, g, q_one), frame_of(table, FRAME_OTHER, g, q_other)
    s = beam.strain(q_one, q_other, r)
    f, c = beam.stresses(s, table[LENGTH, g], pair(table, ALONG, g), pair(table, ACROSS, g))
    energy = beam.energy(s, table[LENGTH, g], f, c)
    t_one, t_other = beam.couples(s, f, c)
    load = 0.0
    if is_yes(form.brittle):
        load = beam.load_ratio(f, t_one, t_other, triple(table, SECTION, g), pair(table, STRENGTH, g))
    power = 0.0
    if is_yes(form.damped):
        f_d, c_d, power = dashpots(anchored, s, g, table, one, other, arm_one, arm_other)
        f = add(f, f_d)
        t_one, t_other = beam.couples(s, f, add(c, c_d))
    force, torque_one, torque_other = rotate(s.frame, f), rotate(s.frame, t_one), rotate(s.frame, t_other)
    if anchored:
        torque_one = add(torque_one, cross(arm_one, force))
        torque_other = subtract(torque_other, cross(arm_other, force))
    return Pull(force, torque_one, torque_other, energy, power, load)


@formula
def end_of(form, b, position, orientation, velocity, spin):
    """Body b."""
    v, w = motion_of(form.damped, velocity, spin, b)
    return End(load(position, b), load_quaternion(orientation, b), v, w)


@formula
def write_pull(k, share, p, pull):
    """Write what bond k does, times a share."""
    for r in range(3):
        pull[r, k] = share * p.force[r]
        pull[3 + r, k] = share * p.one[r]
        pull[6 + r, k] = share * p.other[r]


@loop
def evaluate_range(
    box, form, low, high, half, per_joule, table, kind, first, second, live, position, orientation, velocity, spin,
    pull, load,
):  # fmt: skip
    """Evaluate the bonds low to high.

    Parameters
    ----------
    box, half, per_joule : see `kernels.soft.state`
    form, table, kind, first, second, live : of `Bonds`
    low, high : bonds
    position, orientation, velocity, spin : of bodies, at the time of the forces

    Writes
    ------
    pull, load : of `Bonds`

    Returns
    -------
    energy in units, power of dashpots times half a step in two words, bits of the largest load
    """
    elastic, whole, rest = np.int64(0), np.int64(0), np.int64(0)
    largest = np.int64(0)
    for k in unsigned_range(low, high):
        one = end_of(form, first[k], position, orientation, velocity, spin)
        other = end_of(form, second[k], position, orientation, velocity, spin)
        p = pull_of(box, form, kind[k], table, one, other)
        share = live[k]
        write_pull(k, share, p, pull)
        elastic += as_fixed(share * p.energy, per_joule)
        if is_yes(form.damped):
            words = as_words(share * p.power * half, per_joule)
            whole += words[0]
            rest += words[1]
        if is_yes(form.brittle):
            strain = max(share * p.load, 0.0)
            load[k] = strain
            bits = np.float64(strain).view(np.int64)
            largest = bits if bits > largest else largest
    return elastic, whole, rest, largest


@part
def evaluate_block(c, half, per_joule, bonds, bodies, box):
    """Evaluate block c of the bonds.

    Parameters
    ----------
    c, half, per_joule, bodies, box : block; see `kernels.soft.state`

    Writes
    ------
    bonds.pull, bonds.load, bonds.partial : of the block
    """
    low, high = c * BLOCK, min((c + 1) * BLOCK, bonds.kind.size)
    found = evaluate_range(
        box, bonds.form, low, high, half, per_joule, bonds.table, bonds.kind, bonds.first, bonds.second, bonds.live,
        bodies.position, bodies.orientation, bodies.velocity_ahead, bodies.spin, bonds.pull, bonds.load,
    )  # fmt: skip
    for column in range(COLUMNS):
        bonds.partial[c, column] = found[column]


evaluate_by_threads = spread(evaluate_block)


@formula
def pull_at(box, n, k, bonds, bodies):
    """What bond k does; n is its number among those to the ground, -1 for others."""
    one = end_of(bonds.form, bonds.first[k], bodies.position, bodies.orientation, bodies.velocity_ahead, bodies.spin)
    if n < 0:
        other = end_of(
            bonds.form, bonds.second[k], bodies.position, bodies.orientation, bodies.velocity_ahead, bodies.spin
        )
    else:
        q = (bonds.place[3, n], bonds.place[4, n], bonds.place[5, n], bonds.place[6, n])
        other = End(load(bonds.place, n), q, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    return pull_of(box, bonds.form, bonds.kind[k], bonds.table, one, other)


@formula
def number_on_ground(k, ground):
    """Number of bond k among those to the ground; -1 for others."""
    n = -1
    for m in range(ground.size):
        n = m if ground[m] == k else n
    return n


@part
def part_bonds(bonds, bodies, kinds, box):
    """Let go of the bonds that broke in the step before; returns the energy that they had half way [J]."""
    lost = 0.0
    for m in range(bonds.count[0]):
        k = bonds.pending[m]
        if bonds.state[k] == BREAKING:
            p = pull_at(box, number_on_ground(k, bonds.ground), k, bonds, bodies)
            lost += 0.5 * (bonds.before[m] + p.energy)
            bonds.live[k] = 0.0
            bonds.load[k] = 0.0
            write_pull(k, 0.0, p, bonds.pull)
            bonds.state[k] = BROKEN
            bonds.when[k] = bonds.count[1]
            bonds.count[2] += 1
            easing.let_go(k, bonds.eased, bodies, kinds, box)
    bonds.count[0] = 0
    return lost


@part
def evaluate_grounded(half, per_joule, bonds, bodies, box):
    """Evaluate the bonds to the ground; returns their energy in units, their loss in two words, the largest load."""
    elastic, loss, largest = np.int64(0), no_energy(), 0.0
    for n in range(bonds.ground.size):
        k = bonds.ground[n]
        if bonds.state[k] < BROKEN:
            p = pull_at(box, n, k, bonds, bodies)
            write_pull(k, 1.0, p, bonds.pull)
            elastic += as_fixed(p.energy, per_joule)
            loss = add_words(loss, as_words(p.power * half, per_joule))
            bonds.load[k] = p.load
            largest = max(largest, p.load)
    return elastic, loss, largest


@part
def find_breaking(bonds, bodies, box):
    """Note which bonds are stressed beyond their strength, and their energies."""
    for k in range(bonds.kind.size):
        if bonds.load[k] > 1.0 and bonds.state[k] == INTACT:
            p = pull_at(box, number_on_ground(k, bonds.ground), k, bonds, bodies)
            bonds.state[k] = BREAKING
            bonds.pending[bonds.count[0]] = k
            bonds.before[bonds.count[0]] = p.energy
            bonds.count[0] += 1


@formula
def nothing_before(bonds, steps, setting, bodies, kinds, neighbours, box):
    """Where there are no bonds."""
    return


@part
def before(bonds, steps, setting, bodies, kinds, neighbours, box):
    """What comes before the evaluation of all bonds, in a sweep that completes a step if `steps` says so."""
    bonds.sums[2] = 0.0
    if steps:
        bonds.count[1] += 1
        if bonds.count[0] > 0:
            bonds.sums[2] = part_bonds(bonds, bodies, kinds, box) * setting.per_joule
        easing.follow(bonds.eased, bodies, kinds, neighbours, box)


@formula
def nothing_after(bonds, steps, setting, bodies, box):
    """Where there are no bonds."""
    return


@part
def after(bonds, steps, setting, bodies, box):
    """What comes after it: sums, and who breaks."""
    elastic, loss, largest = evaluate_grounded(0.5 * setting.dt, setting.per_joule, bonds, bodies, box)
    for c in range(bonds.partial.shape[0]):
        elastic += bonds.partial[c, ELASTIC]
        loss = add_words(loss, (bonds.partial[c, LOSS], bonds.partial[c, LOSS + 1]))
        largest = max(largest, np.int64(bonds.partial[c, LOAD]).view(np.float64))
    bonds.sums[0], bonds.sums[1] = elastic, in_units(loss)
    if steps and is_yes(bonds.form.brittle) and largest > 1.0:
        find_breaking(bonds, bodies, box)


@formula
def nothing_serial(bonds, steps, setting, bodies, kinds, neighbours, box):
    """Where there are no bonds."""
    return


@part
def evaluate_serial(bonds, steps, setting, bodies, kinds, neighbours, box):
    """Evaluate all bonds.

    Parameters
    ----------
    steps : whether the sweep completes a step
    setting, bodies, kinds, box : see `kernels.soft.state`

    Writes
    ------
    bonds : what they do, what has become of them
    neighbours.reach : of bodies whose bonds broke
    """
    before(bonds, steps, setting, bodies, kinds, neighbours, box)
    for c in range(bonds.partial.shape[0]):
        evaluate_block(c, 0.5 * setting.dt, setting.per_joule, bonds, bodies, box)
    after(bonds, steps, setting, bodies, box)


@part
def evaluate_threaded(bonds, steps, setting, bodies, kinds, neighbours, box):
    """The same by threads.

    Parameters
    ----------
    steps, setting, bodies, kinds, box : see `evaluate_serial`

    Writes
    ------
    bonds, neighbours.reach : as `evaluate_serial`
    """
    before(bonds, steps, setting, bodies, kinds, neighbours, box)
    evaluate_by_threads(bonds.partial.shape[0], 0.5 * setting.dt, setting.per_joule, bonds, bodies, box)
    after(bonds, steps, setting, bodies, box)


@formula
def nothing_cleared(bonds, c, shift, bodies):
    """Where there are no bonds, forces on bodies that are near nobody stay zero."""
    return


@part
def clear_all(bonds, c, shift, bodies):
    """Forces of chunk c begin at zero: only bodies near others are given forces anew."""
    low, high = chunk_of(c, bodies.kind.size)
    for b in unsigned_range(low, high):
        store(bodies.force, b - np.uint64(shift), (0.0, 0.0, 0.0))
        store(bodies.torque, b - np.uint64(shift), (0.0, 0.0, 0.0))


@formula
def nothing_pulled(bonds, c, shift, bodies):
    """Where there are no bonds."""
    return


@loop
def add_pulls(low, high, shift, identity, incident_first, incident, pull, force, torque):
    """Add what bonds do to the bodies low to high.

    Parameters
    ----------
    low, high, shift : bodies, and how far before them their columns of force and torque are
    identity, incident_first, incident, pull : of `Bodies` and `Bonds`

    Writes
    ------
    force, torque : (3, N) world frame [N, N m]
    """
    for b in unsigned_range(low, high):
        f, t = load(force, b - np.uint64(shift)), load(torque, b - np.uint64(shift))
        for n in range(incident_first[identity[b]], incident_first[identity[b] + 1]):
            k, side = incident[n] >> 1, incident[n] & 1
            f = add(f, scale(1.0 - 2.0 * side, load(pull, k)))
            row = 3 + 3 * side
            t = add(t, (pull[row, k], pull[row + 1, k], pull[row + 2, k]))
        store(force, b - np.uint64(shift), f)
        store(torque, b - np.uint64(shift), t)


@part
def pull_all(bonds, c, shift, bodies):
    """Add what bonds do to the bodies of chunk c."""
    low, high = chunk_of(c, bodies.kind.size)
    add_pulls(
        low, high, shift, bodies.identity, bonds.incident_first, bonds.incident, bonds.pull, bodies.force, bodies.torque
    )


@formula
def nothing_suppressed(bonds, bodies, kinds, neighbours):
    """Where there are no bonds."""
    return


@part
def suppress_all(bonds, bodies, kinds, neighbours):
    """Have bodies that bonds hold together not meet, once candidates have been picked."""
    easing.apply(bonds.eased, bodies, kinds, neighbours)


@formula
def as_they_are(bonds, totals):
    """Where there are no bonds."""
    return totals


serial = free_or(nothing_serial, evaluate_serial)
threaded = free_or(nothing_serial, evaluate_threaded)
clear = free_or(nothing_cleared, clear_all)
pull = free_or(nothing_pulled, pull_all)
suppress = free_or(nothing_suppressed, suppress_all)


@kernel
def list_bonds(box, bonds, bodies, energy, load):
    """Elastic energy and load of each bond in the present state.

    Parameters
    ----------
    box, bodies : see `kernels.soft.state`
    bonds : `Bonds`

    Writes
    ------
    energy, load : (B,) [J], stress over strength; zero for those that are broken
    """
    n = 0
    for k in range(bonds.kind.size):
        grounded = n < bonds.ground.size and bonds.ground[n] == k
        p = pull_at(box, n if grounded else -1, k, bonds, bodies)
        n += 1 if grounded else 0
        holds = bonds.state[k] < BROKEN
        energy[k] = p.energy if holds else 0.0
        load[k] = p.load if holds else 0.0
