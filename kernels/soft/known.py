"""What a contact law wants to know of a block of touching pairs: rows of numbers, see ``blocks``."""

import math

from kernels import rotation
from kernels.base.jit import formula, loop, part
from kernels.base.vector import add, cross, dot, load, scale, subtract
from kernels.box.periodic import gap
from kernels.laws import Touch
from kernels.soft.surfaces import rolling_inertia
from kernels.soft.touching import TINY, look_together

BLOCK = 64  # pairs

# rows of what is known of spheres: from j to i [m], velocities [m/s], spins [rad/s], radii [m], K [N m^-1.5], inverse
# masses [1/kg], what resists rolling [kg m²], centre of i [m]; and what these are of the two together
GAP, SPEED, SPIN_I, SPIN_J, RADIUS_I, RADIUS_J, HERTZ, LIGHT_I, LIGHT_J, HEAVY_I, HEAVY_J, CENTRE = (
    0, 3, 6, 9, 12, 13, 14, 15, 16, 17, 18, 19
)  # fmt: skip
BOTH_R, BOTH_M, BOTH_I = 22, 23, 24
# rows of what is known of contacts of other bodies: those of `Touch`, and where they are from the centres of both [m]
NORMAL, VELOCITY, TURNING, STIFFNESS, MASS, OVERLAP, TWIST, RADIUS, REDUCED, ROLLING, POINT, ARM = (
    0, 3, 6, 9, 10, 11, 12, 13, 14, 15, 16, 19
)  # fmt: skip
KNOWN, OUT = 25, 15  # rows of that, and of what comes out (``blocks``)


@formula
def flat(r, t):
    """Place of column t of row r: rows are one dimension, as LLVM keeps an address for each row of two."""
    return r * BLOCK + t


@formula
def put(rows, r, t, v):
    """Write a vector to rows from r on."""
    rows[flat(r, t)], rows[flat(r + 1, t)], rows[flat(r + 2, t)] = v


@formula
def get(rows, r, t):
    """The vector in rows from r on."""
    return rows[flat(r, t)], rows[flat(r + 1, t)], rows[flat(r + 2, t)]


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
        k = touching[first + t]
        i, j = sphere_i[k], sphere_j[k]
        x = load(position, i)
        put(known, GAP, t, gap(box, x, load(position, j)))
        put(known, SPEED, t, subtract(load(velocity, i), load(velocity, j)))
        put(known, CENTRE, t, x)
        if spin.shape[1] > 0:
            put(known, SPIN_I, t, load(spin, i))
            put(known, SPIN_J, t, load(spin, j))


@formula
def put_sphere(known, i_or_j, t, b, bodies, kinds):
    """Write what does not change of a sphere that is body b; 0 for i, 1 for j."""
    g = bodies.kind[b]
    known[flat(RADIUS_I + i_or_j, t)] = kinds.radius[kinds.first_offset[g]]
    known[flat(LIGHT_I + i_or_j, t)] = kinds.inverse_mass[g]
    known[flat(HEAVY_I + i_or_j, t)] = rolling_inertia(kinds.radius[kinds.first_offset[g]], b, bodies, kinds)


@loop
def join(number, known, both):
    """R*, m* and what resists rolling of the two spheres of each pair: the rows of `both`, from BOTH_R on."""
    for t in range(number):
        r_i, r_j = known[flat(RADIUS_I, t)], known[flat(RADIUS_J, t)]
        heavy_i, heavy_j = known[flat(HEAVY_I, t)], known[flat(HEAVY_J, t)]
        both[flat(BOTH_R - BOTH_R, t)] = r_i * r_j / (r_i + r_j)
        both[flat(BOTH_M - BOTH_R, t)] = 1.0 / (known[flat(LIGHT_I, t)] + known[flat(LIGHT_J, t)])
        both[flat(BOTH_I - BOTH_R, t)] = heavy_i * heavy_j / (heavy_i + heavy_j)


@part
def know_alike(bodies, kinds, known, material_i, material_j):
    """What all pairs of all blocks have in common if all spheres are alike: written once.

    Parameters
    ----------
    bodies, kinds : see `kernels.soft.state`

    Writes
    ------
    known : rows RADIUS_I to HEAVY_J, BOTH_R to BOTH_I; SPIN_I to SPIN_J, for those that do not turn
    material_i, material_j : (BLOCK,)
    """
    for t in range(BLOCK):
        put_sphere(known, 0, t, 0, bodies, kinds)
        put_sphere(known, 1, t, 0, bodies, kinds)
        known[flat(HERTZ, t)] = kinds.stiffness
        put(known, SPIN_I, t, (0.0, 0.0, 0.0))
        put(known, SPIN_J, t, (0.0, 0.0, 0.0))
        material_i[t] = material_j[t] = kinds.material[bodies.kind[0]]
    join(BLOCK, known, known[BOTH_R * BLOCK :])


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
            known[flat(HERTZ, t)] = neighbours.stiffness[k]
            material_i[t], material_j[t] = kinds.material[bodies.kind[i]], kinds.material[bodies.kind[j]]
        join(stop - first, known, known[BOTH_R * BLOCK :])


@formula
def put_touch(t, touch, known):
    """Write `Touch` to column t."""
    put(known, NORMAL, t, touch.normal)
    put(known, VELOCITY, t, touch.velocity)
    put(known, TURNING, t, touch.turning)
    known[flat(STIFFNESS, t)], known[flat(MASS, t)] = touch.stiffness, touch.mass
    known[flat(OVERLAP, t)], known[flat(TWIST, t)] = touch.overlap, touch.twist
    known[flat(RADIUS, t)], known[flat(REDUCED, t)] = touch.radius, touch.reduced
    known[flat(ROLLING, t)] = touch.rolling


@part
def know_bodies(
    scheme, law, start, first, stop, touching, half, bodies, kinds, neighbours, box, known, material_i, material_j
):
    """The same for bodies of several spheres, whose damping may be shared, see ``sharing``, or under other schemes.

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
        touch, x, _, end, rate = look_together(
            law, first + t, start, end, rate, touching, half, bodies, kinds, neighbours, box
        )
        put_touch(t, touch, known)
        put(known, POINT, t, gap(box, x, load(bodies.position, b)))
        put(known, ARM, t, gap(box, x, load(bodies.position, c)))


know = rotation.spheres_or(know_spheres, know_bodies)


@formula
def touch_of_spheres(scheme, alike, known, t):
    """What two single spheres do to each other; the point of contact, or the arm to it if all are alike."""
    d, r_i, r_j = get(known, GAP, t), known[flat(RADIUS_I, t)], known[flat(RADIUS_J, t)]
    w_i, w_j = get(known, SPIN_I, t), get(known, SPIN_J, t)
    distance = math.sqrt(dot(d, d))
    normal = scale(1.0 / (distance + TINY), d)
    overlap = r_i + r_j - distance
    arm_i, arm_j = r_i - 0.5 * overlap, r_j - 0.5 * overlap
    around = add(scale(arm_i, w_i), scale(arm_j, w_j))
    touch = Touch(
        known[flat(HERTZ, t)], known[flat(BOTH_M, t)], overlap, normal,
        subtract(get(known, SPEED, t), cross(around, normal)), 0.5 * dot(add(w_i, w_j), normal),
        turning=subtract(w_i, w_j), radius=known[flat(BOTH_R, t)], reduced=known[flat(BOTH_M, t)],
        rolling=known[flat(BOTH_I, t)],
    )  # fmt: skip
    arm = scale(-arm_i, normal)
    return touch, arm if alike else add(get(known, CENTRE, t), arm)


@formula
def touch_of_bodies(scheme, alike, known, t):
    """The same of other bodies, or under other schemes: it has been found out."""
    return Touch(
        known[flat(STIFFNESS, t)], known[flat(MASS, t)], known[flat(OVERLAP, t)], get(known, NORMAL, t),
        get(known, VELOCITY, t), known[flat(TWIST, t)], get(known, TURNING, t), known[flat(RADIUS, t)],
        known[flat(REDUCED, t)], known[flat(ROLLING, t)],
    ), get(known, POINT, t)  # fmt: skip


touch_of = rotation.spheres_or(touch_of_spheres, touch_of_bodies)
