"""Touching pairs in blocks: gather what a contact law wants to know, evaluate it in a loop without branches, scatter.

One by one, with bodies, velocities and memories all over the place, a frictional contact of spheres takes three times
as long: LLVM makes vector code of the loop in the middle, which has nothing but rows of numbers before it. A block is
few enough pairs for these to stay in the fastest cache.
"""

import math

import numpy as np

from kernels import laws, rotation
from kernels.base.energy import add_words, as_fixed, as_words
from kernels.base.jit import formula, loop, part
from kernels.base.vector import add, cross, dot, load, scale, subtract
from kernels.box.periodic import gap
from kernels.laws import Touch
from kernels.soft.chunks import first_candidate
from kernels.soft.sharing import of_mass
from kernels.soft.surfaces import rolling_inertia
from kernels.soft.touching import TINY, Sums, look, no_energy, rate_of_pair

BLOCK = 64  # pairs

# rows of what is known of spheres: from j to i [m], velocities [m/s], spins [rad/s], radii [m], K [N m^-1.5], inverse
# masses [1/kg], what resists rolling [kg m²], centre of i [m]
GAP, SPEED, SPIN_I, SPIN_J, RADIUS_I, RADIUS_J, HERTZ, LIGHT_I, LIGHT_J, HEAVY_I, HEAVY_J, CENTRE = (
    0, 3, 6, 9, 12, 13, 14, 15, 16, 17, 18, 19
)  # fmt: skip
# rows of what is known of contacts of other bodies: those of `Touch`, and the point
NORMAL, VELOCITY, TURNING, STIFFNESS, MASS, OVERLAP, TWIST, RADIUS, REDUCED, ROLLING, POINT = (
    0, 3, 6, 9, 10, 11, 12, 13, 14, 15, 16
)  # fmt: skip
KNOWN = 22
# rows of what comes out are columns of `Neighbours.wrench`, and whether the contact lasts
FORCE, LASTS, BELOW, COUPLE = 0, 3, 4, 8


@loop
def gather_spheres(box, first, touching, sphere_i, sphere_j, position, velocity, spin, known):
    """Where pairs of single spheres are and how they move, from `first` in the list on.

    Parameters
    ----------
    box : see `kernels.soft.state`
    first, touching : (T,) candidates that touch
    sphere_i, sphere_j : (K,) the spheres of each candidate
    position, velocity, spin : (3, N) [m, m/s, rad/s]; the last may be empty

    Writes
    ------
    known : rows GAP to SPIN_J, and CENTRE
    """
    for t in range(min(BLOCK, touching.size - first)):
        i, j = sphere_i[touching[first + t]], sphere_j[touching[first + t]]
        x = load(position, i)
        put(known, GAP, t, gap(box, x, load(position, j)))
        put(known, SPEED, t, subtract(load(velocity, i), load(velocity, j)))
        put(known, CENTRE, t, x)
        if spin.shape[1] > 0:
            put(known, SPIN_I, t, load(spin, i))
            put(known, SPIN_J, t, load(spin, j))


@formula
def put(rows, r, t, v):
    """Write a vector to rows from r on."""
    rows[r, t], rows[r + 1, t], rows[r + 2, t] = v


@formula
def get(rows, r, t):
    """The vector in rows from r on."""
    return rows[r, t], rows[r + 1, t], rows[r + 2, t]


@formula
def put_sphere(known, i_or_j, t, b, bodies, kinds):
    """Write what does not change of a sphere that is body b; 0 for i, 1 for j."""
    g = bodies.kind[b]
    known[RADIUS_I + i_or_j, t] = kinds.radius[kinds.first_offset[g]]
    known[LIGHT_I + i_or_j, t] = kinds.inverse_mass[g]
    known[HEAVY_I + i_or_j, t] = rolling_inertia(kinds.radius[kinds.first_offset[g]], b, bodies, kinds)


@part
def know_alike(bodies, kinds, neighbours, known, material_i, material_j):
    """What all pairs of a block have in common if all spheres are alike.

    Parameters
    ----------
    bodies, kinds, neighbours : see `kernels.soft.state`

    Writes
    ------
    known : rows RADIUS_I to HEAVY_J; SPIN_I to SPIN_J, for those that do not turn
    material_i, material_j : (BLOCK,)
    """
    for t in range(BLOCK):
        put_sphere(known, 0, t, 0, bodies, kinds)
        put_sphere(known, 1, t, 0, bodies, kinds)
        known[HERTZ, t] = kinds.stiffness
        put(known, SPIN_I, t, (0.0, 0.0, 0.0))
        put(known, SPIN_J, t, (0.0, 0.0, 0.0))
        material_i[t] = material_j[t] = kinds.material[bodies.kind[0]]


@part
def know_spheres(
    scheme, law, start, first, stop, touching, half, bodies, kinds, neighbours, box, known, material_i, material_j
):
    """What the law wants to know of the pairs of single spheres from `first` to `stop` in the list.

    Parameters
    ----------
    scheme, law, half, bodies, kinds, neighbours, box : see `kernels.soft.state`
    start, first, stop, touching : first candidate of the chunk; pairs in the list of those that touch

    Writes
    ------
    known, material_i, material_j : as the two above
    """
    gather_spheres(
        box, first, touching, neighbours.sphere_i[start:], neighbours.sphere_j[start:], bodies.position,
        bodies.velocity_ahead, bodies.spin, known,
    )  # fmt: skip
    if kinds.reach == 0.0:
        for t in range(stop - first):
            k = start + touching[first + t]
            i, j = neighbours.sphere_i[k], neighbours.sphere_j[k]
            put_sphere(known, 0, t, i, bodies, kinds)
            put_sphere(known, 1, t, j, bodies, kinds)
            known[HERTZ, t] = neighbours.stiffness[k]
            material_i[t], material_j[t] = kinds.material[bodies.kind[i]], kinds.material[bodies.kind[j]]


@part
def know_bodies(
    scheme, law, start, first, stop, touching, half, bodies, kinds, neighbours, box, known, material_i, material_j
):
    """The same for bodies of several spheres, whose damping may be shared, see ``sharing``.

    Parameters
    ----------
    scheme, law, start, first, stop, touching, half, bodies, kinds, neighbours, box : see `know_spheres`

    Writes
    ------
    known : all rows
    material_i, material_j : (BLOCK,)
    """
    end, rate = first, 0.0
    for t in range(stop - first):
        k = start + touching[first + t]
        b, c = bodies.owner[neighbours.sphere_i[k]], bodies.owner[neighbours.sphere_j[k]]
        material_i[t], material_j[t] = kinds.material[bodies.kind[b]], kinds.material[bodies.kind[c]]
        touch, x, history = look(law, k, b, c, bodies, kinds, neighbours, box)
        if laws.shares_damping(law):
            if first + t == end:
                begin = first_of_pair(end, start, touching, bodies, neighbours)
                end, rate = rate_of_pair(law, begin, start, touching, half, bodies, kinds, neighbours, box)
            if rate > 0.0:
                touch = of_mass(touch, laws.secant(law, material_i[t], material_j[t], touch, history, half) / rate)
        put(known, NORMAL, t, touch.normal)
        put(known, VELOCITY, t, touch.velocity)
        put(known, TURNING, t, touch.turning)
        put(known, POINT, t, x)
        known[STIFFNESS, t], known[MASS, t] = touch.stiffness, touch.mass
        known[OVERLAP, t], known[TWIST, t] = touch.overlap, touch.twist
        known[RADIUS, t], known[REDUCED, t], known[ROLLING, t] = touch.radius, touch.reduced, touch.rolling


@formula
def first_of_pair(first, start, touching, bodies, neighbours):
    """The first in the list of the contacts of the same two bodies: a block may begin among them."""
    k = start + touching[first]
    b, c = bodies.owner[neighbours.sphere_i[k]], bodies.owner[neighbours.sphere_j[k]]
    while first > 0:
        k = start + touching[first - 1]
        if bodies.owner[neighbours.sphere_i[k]] != b or bodies.owner[neighbours.sphere_j[k]] != c:
            break
        first -= 1
    return first


know = rotation.spheres_or(know_spheres, know_bodies)


@formula
def touch_of_spheres(scheme, alike, known, t):
    """What two single spheres do to each other; the point of contact, or the arm to it if all are alike."""
    d, r_i, r_j = get(known, GAP, t), known[RADIUS_I, t], known[RADIUS_J, t]
    w_i, w_j = get(known, SPIN_I, t), get(known, SPIN_J, t)
    distance = math.sqrt(dot(d, d))
    normal = scale(1.0 / (distance + TINY), d)
    overlap = r_i + r_j - distance
    arm_i, arm_j = r_i - 0.5 * overlap, r_j - 0.5 * overlap
    around = add(scale(arm_i, w_i), scale(arm_j, w_j))
    mass = 1.0 / (known[LIGHT_I, t] + known[LIGHT_J, t])
    touch = Touch(
        known[HERTZ, t], mass, overlap, normal, subtract(get(known, SPEED, t), cross(around, normal)),
        0.5 * dot(add(w_i, w_j), normal), turning=subtract(w_i, w_j), radius=r_i * r_j / (r_i + r_j), reduced=mass,
        rolling=known[HEAVY_I, t] * known[HEAVY_J, t] / (known[HEAVY_I, t] + known[HEAVY_J, t]),
    )  # fmt: skip
    arm = scale(-arm_i, normal)
    return touch, arm if alike else add(get(known, CENTRE, t), arm)


@formula
def touch_of_bodies(scheme, alike, known, t):
    """The same of other bodies, which has been found out."""
    return Touch(
        known[STIFFNESS, t], known[MASS, t], known[OVERLAP, t], get(known, NORMAL, t), get(known, VELOCITY, t),
        known[TWIST, t], get(known, TURNING, t), known[RADIUS, t], known[REDUCED, t], known[ROLLING, t],
    ), get(known, POINT, t)  # fmt: skip


touch_of = rotation.spheres_or(touch_of_spheres, touch_of_bodies)


@loop
def act(scheme, law, number, alike, time_sign, half, per_joule, known, material_i, material_j, kept, out):
    """Forces and couples of the contacts of a block, and what they remember.

    Parameters
    ----------
    scheme, law, time_sign, half, per_joule : see `kernels.soft.state`
    number, alike : of pairs; whether all bodies are spheres that are alike
    known, material_i, material_j : see `know_spheres`

    Writes
    ------
    kept : (R, BLOCK) what contacts remember, a column each
    out : rows as FORCE to COUPLE

    Returns
    -------
    `Sums`
    """
    elastic, stored, largest = np.int64(0), np.int64(0), np.int64(0)
    loss, jump = no_energy(), no_energy()
    for t in range(number):
        touch, point = touch_of(scheme, alike, known, t)
        history = laws.load(law, kept.T, t, 0)
        outcome, history = laws.contact(law, material_i[t], material_j[t], touch, history, half, time_sign)
        laws.store(law, kept.T, t, 0, history)
        put(out, FORCE, t, outcome.force)
        put(out, BELOW, t, cross(point, outcome.force) if alike else point)
        if laws.turns(law):
            put(out, COUPLE, t, outcome.couple)
        out[LASTS, t] = 1.0 if outcome.lasts else 0.0
        elastic += as_fixed(outcome.elastic, per_joule)
        stored += as_fixed(outcome.stored, per_joule)
        loss = add_words(loss, as_words(outcome.loss, per_joule))
        jump = add_words(jump, as_words(outcome.jump, per_joule))
        bits = np.float64(max(touch.overlap, 0.0)).view(np.int64)
        largest = bits if bits > largest else largest
    return Sums(elastic, largest, stored, loss, no_energy(), jump)


@loop
def recall(law, first, number, touching, history, has_history, kept):
    """Gather what contacts remember; those that begin, zeros."""
    for t in range(number):
        k = touching[first + t]
        for r in range(laws.columns(law)):
            kept[r, t] = history[k, r] if has_history[k] != 0 else 0.0


@loop
def keep(law, first, number, touching, kept, out, history, has_history):
    """Scatter what contacts remember."""
    for t in range(number):
        k = touching[first + t]
        for r in range(laws.columns(law)):
            history[k, r] = kept[r, t]
        has_history[k] = 1 if out[LASTS, t] > 0.0 else 0


@loop
def hand_out(law, first, number, touching, out, wrench):
    """Scatter forces, where they act, and couples."""
    for t in range(number):
        k = touching[first + t]
        wrench[k, 0], wrench[k, 1], wrench[k, 2] = get(out, FORCE, t)
        wrench[k, 4], wrench[k, 5], wrench[k, 6] = get(out, BELOW, t)
        if laws.turns(law):
            wrench[k, 8], wrench[k, 9], wrench[k, 10] = get(out, COUPLE, t)


@part
def evaluate_listed(scheme, law, c, touching, time_sign, half, per_joule, bodies, kinds, neighbours, box):
    """Force on sphere i of each touching pair of chunk c, at the point of contact; history and energies.

    Parameters
    ----------
    scheme, law, c, time_sign, half, per_joule, bodies, kinds, box : see `kernels.soft.state`
    touching : (T,) the touching candidates, counted from the chunk's first

    Writes
    ------
    neighbours.wrench, neighbours.history, neighbours.has_history : of those candidates
    neighbours.known, neighbours.kept, neighbours.out, neighbours.met : scratch

    Returns
    -------
    `Sums`
    """
    start, column, block = first_candidate(c, neighbours), neighbours.force_at[c], neighbours.block_of[c]
    known, kept, out = neighbours.known[block], neighbours.kept[block], neighbours.out[block]
    material_i, material_j = neighbours.met[block, 0], neighbours.met[block, 1]
    remembers = neighbours.has_history.size > 0
    alike = kinds.round and kinds.reach > 0.0
    if alike:
        know_alike(bodies, kinds, neighbours, known, material_i, material_j)
    sums = Sums(np.int64(0), np.int64(0), np.int64(0), no_energy(), no_energy(), no_energy())
    for first in range(0, touching.size, BLOCK):
        number = min(BLOCK, touching.size - first)
        know(
            scheme, law, start, first, first + number, touching, half, bodies, kinds, neighbours, box, known,
            material_i, material_j,
        )  # fmt: skip
        if remembers:
            recall(law, first, number, touching, neighbours.history[start:], neighbours.has_history[start:], kept)
        more = act(scheme, law, number, alike, time_sign, half, per_joule, known, material_i, material_j, kept, out)
        if remembers:
            keep(law, first, number, touching, kept, out, neighbours.history[start:], neighbours.has_history[start:])
        hand_out(law, first, number, touching, out, neighbours.wrench[column:])
        sums = Sums(
            sums.elastic + more.elastic, max(sums.overlap, more.overlap), sums.stored + more.stored,
            add_words(sums.loss, more.loss), no_energy(), add_words(sums.jump, more.jump),
        )  # fmt: skip
    return sums
