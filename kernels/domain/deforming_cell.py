"""A periodic cell that deforms: its edges, its velocity gradient, and its stress control.

The edges of the cell are the columns of H. A body at r is at the scaled place s = H⁻¹ r; image n ∈ Z³ of it is at
r + H n. With L = dH/dt H⁻¹, velocities v = H ds/dt are *peculiar*: in the laboratory a body moves at v + L r. After
M. Parrinello, A. Rahman, Polymorphic transitions in single crystals, J. Appl. Phys. 52 (1981) 7182-7190:

    dr/dt = v + L r        dv/dt = F/m - L v

A step with L constant in it is of second order, and symmetric in time:

    v += F dt/2m; v ← exp(-L dt/2) v; s += dt H(t + dt/2)⁻¹ v; H ← exp(L dt) H; v ← exp(-L dt/2) v; F; v += F dt/2m

The three in the middle are v ← exp(-L dt) v and then r ← exp(L dt) (r + dt v), as H(t + dt) H(t + dt/2)⁻¹ is
exp(L dt/2). Forces are those in the present cell, and bodies move on to the next one (`begin_step_deforming`) in the
same pass; then that is the present one (`end_step_deforming`). A skewed cell gets an equivalent basis by integers
(`reduce`), at a step that follows from the edges alone. The energy E of peculiar motion and contacts changes by
dE/dt = -V P : L, less what contacts dissipate:

    V P = Σ m v ⊗ v + Σ r_ij ⊗ F_ij        r_ij from j to i, F_ij on i

so that the work of the cell is booked as -∫ V P : L dt, by the trapezium rule from values at whole steps.

A stress P* is held by the rate (`choose_rates`), which follows from the stress one step before the step that it is for,
or by edges of the inertia M whose motion c damps, after Parrinello & Rahman (`accelerate_edges`):

    M d²H/dt² = V (P - P*) H⁻ᵀ - c dH/dt

With an isotropic P* = p* and c = 0 the sum E + M |dH/dt|²/2 + p* V is conserved. The energy that c
dissipates is supplied from outside: it is booked as dissipated and as work.
"""

import math
from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import func, inline, select, type_is, uncached_inline, vector_loop
from dem.kernels.compiler.selection import ancestors
from dem.kernels.domain import periodic
from dem.kernels.domain.periodic import PeriodicFaces, count_cells, nearest_along
from dem.kernels.numerics.energy import accumulate, in_units
from dem.kernels.numerics.vector import add, add_scaled, load, scale, store, subtract
from dem.kernels.simd.rounding import nearest

CONTACT, KINETIC = 0, 1  # parts of the virial
TERMS = 14  # of the exponential series: exact to rounding while |L dt| < LARGEST_STRAIN
LARGEST_STRAIN = 0.1  # of a step
SKEWED = 0.55  # share of an edge by which another one may lean over it before the basis is reduced; 0.5 would alternate
CONTACTS, BONDS, MOTION, COLUMNS = 0, 9, 27, 33  # of the parts that chunks contribute; of bonds, words and their rests
SYMMETRIC = 6  # components of the part of motion: xx, xy, xz, yy, yz, zz
CONTACT_BITS = 44  # of E* R³, of the order of F d at large overlaps, in the unit of the virial of contacts
BOND_BITS = 16  # by which the unit of the virial of bonds is larger than that of energies, as F d is larger than F δ
# forms of the matrices of a cell, by the components off the diagonal that are not zero: a sum of these
DIAGONAL, XY, XZ, YZ, LOWER = 0, 1, 2, 4, 8
MATRICES, SUMS = 0, 1  # forms of loops that apply matrices only, and of those that sum motion

DeformingFaces = NamedTuple(
    "DeformingFaces",
    [
        *PeriodicFaces.__annotations__.items(),  # of which `length` is the distance of opposite faces of the cell [m]
        ("edges", np.ndarray),  # (3, 3) H, edges of the cell in columns [m]
        ("to_scaled", np.ndarray),  # (3, 3) H⁻¹ [1/m]
        ("gradient", np.ndarray),  # (3, 3) L of the step that led to these edges [1/s]
        ("next_edges", np.ndarray),  # (3, 3) edges at the end of the step that begins [m]
        ("next_to_scaled", np.ndarray),  # (3, 3) inverse of these [1/m]
        ("next_gradient", np.ndarray),  # (3, 3) L of that step [1/s]
        ("place_map", np.ndarray),  # (3, 3) exp(L dt) of that step
        ("slow_map", np.ndarray),  # (3, 3) exp(-L dt)
        ("kick_map", np.ndarray),  # (3, 3) the same in a pass that completes a step and begins this one, else 1
        ("since_listing", np.ndarray),  # (3, 3) deformation gradient since bodies were listed
        ("reach", np.ndarray),  # (1,) distance of bodies up to which they are listed, and the skin once more [m]
        ("strain", np.ndarray),  # (3, 3) ∫ L dt since the start
        ("virial", np.ndarray),  # (2, 3, 3) V P of contacts and of motion at the whole step [J]
        ("needed", np.ndarray),  # (3, 3) int64, 1 for components of the stress that the present pass has to sum
        ("used", np.ndarray),  # (3, 3) int64, 1 for components that hold a stress or do work
        ("parts", np.ndarray),  # (C, COLUMNS) int64, what chunks contribute to that
        ("unit", np.ndarray),  # (3,) units a joule of those of contacts, bonds and motion
        ("held", np.ndarray),  # (3, 3) 1 where a component of the stress is held, 0 where one of L is prescribed
        ("target", np.ndarray),  # (3, 3) stress that is held, positive in compression [Pa]
        ("gain", np.ndarray),  # (1,) rate of strain over the excess of stress [1/(Pa s)]
        ("integral", np.ndarray),  # (3, 3) ∫ excess of the stress dt over `integral_time`, of those held [Pa]
        ("integral_time", np.ndarray),  # (1,) in which a lasting excess of stress doubles the rate that opposes it [s]
        ("integral_band", np.ndarray),  # (1,) excess of stress below which it counts in the integral [Pa]
        ("fastest", np.ndarray),  # (1,) largest rate of a component that holds a stress [1/s]
        ("inertia", np.ndarray),  # (2,) mass [kg] and damping [kg/s] of the edges; no mass: stress is held by the rate
        ("edge_speed", np.ndarray),  # (3, 3) velocities of the edges, by the components that hold a stress [m/s]
        ("times", np.ndarray),  # (K,) from when on each of the prescribed gradients holds, ascending from 0 [s]
        ("rates", np.ndarray),  # (K, 3, 3) prescribed velocity gradients [1/s]
        ("form", np.ndarray),  # (2,) int64, of the present and next cell in the present pass, see DIAGONAL and MATRICES
    ],
)
DeformingFaces.extends = (PeriodicFaces,)


def deforms(box):
    """Whether a domain is a cell that deforms; in Python."""
    return DeformingFaces in ancestors(type(box))


# Matrices as nine numbers, row by row


@inline
def load_matrix(m):
    """Nine numbers of an array (3, 3)."""
    return m[0, 0], m[0, 1], m[0, 2], m[1, 0], m[1, 1], m[1, 2], m[2, 0], m[2, 1], m[2, 2]


@inline
def store_matrix(m, a):
    """Write nine numbers to an array (3, 3)."""
    m[0, 0], m[0, 1], m[0, 2] = a[0], a[1], a[2]
    m[1, 0], m[1, 1], m[1, 2] = a[3], a[4], a[5]
    m[2, 0], m[2, 1], m[2, 2] = a[6], a[7], a[8]


@inline
def with_element(a, k, value):
    """Nine numbers, with element k replaced by a value."""
    return (
        value if k == 0 else a[0], value if k == 1 else a[1], value if k == 2 else a[2],
        value if k == 3 else a[3], value if k == 4 else a[4], value if k == 5 else a[5],
        value if k == 6 else a[6], value if k == 7 else a[7], value if k == 8 else a[8],
    )  # fmt: skip


@inline
def identity():
    """The unit matrix."""
    return 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0


@inline
def product(a, b):
    """Matrix product a b."""
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6], a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6], a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6], a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )  # fmt: skip


@inline
def scaled_matrix(s, a):
    """Matrix a times a number."""
    return s * a[0], s * a[1], s * a[2], s * a[3], s * a[4], s * a[5], s * a[6], s * a[7], s * a[8]


@inline
def exponential(a):
    """exp(a) by Horner's scheme of the series, for |a| < LARGEST_STRAIN."""
    e = identity()
    for k in range(TERMS, 0, -1):
        e = scaled_matrix(1.0 / k, product(a, e))
        e = 1.0 + e[0], e[1], e[2], e[3], 1.0 + e[4], e[5], e[6], e[7], 1.0 + e[8]
    return e


@inline
def inverse(a):
    """Inverse matrix, by cofactors."""
    c_0, c_1, c_2 = a[4] * a[8] - a[5] * a[7], a[5] * a[6] - a[3] * a[8], a[3] * a[7] - a[4] * a[6]
    f = 1.0 / (a[0] * c_0 + a[1] * c_1 + a[2] * c_2)
    return (
        f * c_0, f * (a[2] * a[7] - a[1] * a[8]), f * (a[1] * a[5] - a[2] * a[4]),
        f * c_1, f * (a[0] * a[8] - a[2] * a[6]), f * (a[2] * a[3] - a[0] * a[5]),
        f * c_2, f * (a[1] * a[6] - a[0] * a[7]), f * (a[0] * a[4] - a[1] * a[3]),
    )  # fmt: skip


@inline
def distance_from_identity(a):
    """Frobenius norm of a - 1, which the spectral norm does not exceed."""
    total = 0.0
    for k in range(9):
        d = a[k] - (1.0 if k % 4 == 0 else 0.0)
        total += d * d
    return math.sqrt(total)


@inline
def apply_whole(box, m, v):
    """Matrix (3, 3) times a vector."""
    return (
        m[0, 0] * v[0] + m[0, 1] * v[1] + m[0, 2] * v[2],
        m[1, 0] * v[0] + m[1, 1] * v[1] + m[1, 2] * v[2],
        m[2, 0] * v[0] + m[2, 1] * v[1] + m[2, 2] * v[2],
    )


apply = select("box", {DeformingFaces: apply_whole})


def sum_of_motion(*, xy, xz, yz):
    """Function that adds one more body to the part of motion in the virial, of these components off the diagonal."""

    @uncached_inline
    def add_body(box, moved, mass, v):
        """Sums xx, xy, xz, yy, yz and zz with one more body [units]."""
        p, none = scale(mass * box.unit[2], v), np.int64(0)
        return (
            moved[0] + nearest(p[0] * v[0]), moved[1] + nearest(p[0] * v[1]) if xy else none,
            moved[2] + nearest(p[0] * v[2]) if xz else none, moved[3] + nearest(p[1] * v[1]),
            moved[4] + nearest(p[1] * v[2]) if yz else none, moved[5] + nearest(p[2] * v[2]),
        )  # fmt: skip

    return add_body


with_motion = select("box", {DeformingFaces: sum_of_motion(xy=True, xz=True, yz=True)})


# Loops over particles and contacts are compiled for the usual forms: for a cell at right angles, and for one with a
# single component above the diagonal, as in simple shear. They take the matrices as nine numbers each, row by row,
# which stay in registers; numbers in arrays would be loaded again after each store. Zeros are left out of products,
# which changes no result. Loops that sum motion leave out components that are zero in the form, if the pass needs none.

CELL_FIELDS = ("edges", "to_scaled", "gradient", "next_edges", "next_to_scaled", "place_map", "kick_map", "unit")


def register_cell_form(name, form):
    """Add a form of a cell: its type, and its functions in the tables of `apply`, `nearest_image`, `with_motion`."""
    kind = NamedTuple(name, [(field, tuple) for field in CELL_FIELDS])
    kind.extends = (DeformingFaces,)
    xy, xz, yz = form == XY, form == XZ, form == YZ

    @uncached_inline
    def apply_form(box, m, v):
        x, y = m[0] * v[0], m[4] * v[1]
        x = x + m[1] * v[1] if xy else x
        x = x + m[2] * v[2] if xz else x
        y = y + m[5] * v[2] if yz else y
        return x, y, m[8] * v[2]

    @uncached_inline
    def nearest_image_form(box, u, v):
        d, h, g = subtract(u, v), box.edges, box.to_scaled
        d_2, n_2 = nearest_along(d[2], h[8], g[8])
        y = d[1] - h[5] * n_2 if yz else d[1]
        d_1, n_1 = nearest_along(y, h[4], g[4])
        x = d[0] - h[2] * n_2 if xz else d[0]
        x = x - h[1] * n_1 if xy else x
        d_0, n_0 = nearest_along(x, h[0], g[0])
        return (d_0, d_1, d_2), (n_0, n_1, n_2)

    apply.functions[kind] = apply_form
    periodic.nearest_image.functions[kind] = nearest_image_form
    with_motion.functions[kind] = sum_of_motion(xy=xy, xz=xz, yz=yz)
    return kind


DiagonalCell, CellXY, CellXZ, CellYZ = (
    register_cell_form(name, form)
    for name, form in (("DiagonalCell", DIAGONAL), ("CellXY", XY), ("CellXZ", XZ), ("CellYZ", YZ))
)


@inline
def form_of(m):
    """Form of a matrix (3, 3), see DIAGONAL."""
    upper = (XY if m[0, 1] != 0.0 else 0) + (XZ if m[0, 2] != 0.0 else 0) + (YZ if m[1, 2] != 0.0 else 0)
    return upper + (LOWER if m[1, 0] != 0.0 or m[2, 0] != 0.0 or m[2, 1] != 0.0 else 0)


@inline
def needed_form(m):
    """Form of the stress from motion, which is symmetric, for components needed of a stress, see DIAGONAL."""
    return (XY if m[0, 1] + m[1, 0] else 0) + (XZ if m[0, 2] + m[2, 0] else 0) + (YZ if m[1, 2] + m[2, 1] else 0)


@inline
def numbers_of(box):
    """Numbers of a cell that loops take, in the order of CELL_FIELDS."""
    return (
        load_matrix(box.edges), load_matrix(box.to_scaled), load_matrix(box.gradient), load_matrix(box.next_edges),
        load_matrix(box.next_to_scaled), load_matrix(box.place_map), load_matrix(box.kick_map),
        (box.unit[0], box.unit[1], box.unit[2]),
    )  # fmt: skip


is_extended = type_is(lambda kind: kind is not DeformingFaces)  # by a type with functions of its own


def by_form(loop, kind=MATRICES):
    """Function of (box, arguments) that runs a loop of (box, *arguments) compiled for the present form of the cell.

    kind: MATRICES or SUMS, by what the loop does.
    """

    @uncached_inline
    def run(box, arguments):
        form = LOWER if is_extended(box) else box.form[kind]
        if form == DIAGONAL:
            return loop(DiagonalCell(*numbers_of(box)), *arguments)
        if form == XY:
            return loop(CellXY(*numbers_of(box)), *arguments)
        if form == XZ:
            return loop(CellXZ(*numbers_of(box)), *arguments)
        if form == YZ:
            return loop(CellYZ(*numbers_of(box)), *arguments)
        return loop(box, *arguments)

    return run


# The domain: see `dem.kernels.domain.periodic`


@inline
def nearest_image_deforming(box, u, v):
    """Return u - v for the nearest image of v, and its number along each edge.

    For what is nearer than half the distance of opposite faces. Edges are subtracted one by one, the last one first, so
    that cells of all forms round alike.
    """
    d, h = subtract(u, v), box.edges
    s = apply(box, box.to_scaled, d)
    n_0, n_1, n_2 = np.floor(s[0] + 0.5), np.floor(s[1] + 0.5), np.floor(s[2] + 0.5)
    return (
        d[0] - h[0, 2] * n_2 - h[0, 1] * n_1 - h[0, 0] * n_0,
        d[1] - h[1, 2] * n_2 - h[1, 1] * n_1 - h[1, 0] * n_0,
        d[2] - h[2, 2] * n_2 - h[2, 1] * n_1 - h[2, 0] * n_0,
    ), (n_0, n_1, n_2)


@inline
def image_velocity_deforming(box, image, gap):
    """Velocity of the cell at an image, relative to that at a point: -L gap [m/s], gap = point - image [m]."""
    w = apply(box, box.gradient, gap)
    return -w[0], -w[1], -w[2]


@inline
def wrap_at(box, edges, to_scaled, x):
    """Position wrapped into the cell of these edges, and the number of cells subtracted along each edge."""
    s = apply(box, to_scaled, x)
    n = (np.floor(s[0]), np.floor(s[1]), np.floor(s[2]))
    return subtract(x, apply(box, edges, n)), n


@inline
def wrap_position_deforming(box, x, ahead):
    """Position wrapped into the cell at the end of the step, and the number of cells subtracted along each edge."""
    return wrap_at(box, box.next_edges, box.next_to_scaled, x)


@inline
def advance_position_deforming(box, x, v, dt):
    """Position exp(L dt) (x + dt v) after the step that has begun; v: velocity in the cell after it."""
    return apply(box, box.place_map, add_scaled(x, dt, v))


@inline
def map_velocity_deforming(box, v):
    """Velocity exp(-L dt) v of a body after a kick, if the pass begins the next step."""
    return apply(box, box.kick_map, v)


@vector_loop
def map_velocities_deforming(box, low, high, velocity, ahead):
    """Multiply the velocities of the bodies low to high, and those at the next forces, by exp(-L dt)."""
    for b in range(low, high):
        store(velocity, b, apply(box, box.slow_map, load(velocity, b)))
        if ahead.shape[1] > 0:
            store(ahead, b, apply(box, box.slow_map, load(ahead, b)))


@inline
def unwrap_position_deforming(box, x, image, b):
    """Position as if body b had never been wrapped."""
    return add(x, apply(box, box.edges, load(image, b)))


@inline
def potential_position_deforming(box, x, image, b):
    """Position for the potential energy, unchanged: in a deforming cell there is no gravity."""
    return x


@inline
def half_image_displacement_deforming(box):
    """Bound of half the displacement by the deformation of the cell since the list was built [m]."""
    return 0.5 * distance_from_identity(load_matrix(box.since_listing)) * box.reach[0]


@inline
def record_listing_deforming(box):
    """Reset the deformation since the neighbour list was built."""
    store_matrix(box.since_listing, identity())


@inline
def convected_position_deforming(box, x):
    """Position of a body when the list was built, moved with the deformation of the cell since then."""
    return apply(box, box.since_listing, x)


@inline
def position_in_grid_deforming(box, x):
    """Position in the grid of linked cells: along the edges, scaled to the distances between faces."""
    s = apply(box, box.to_scaled, x)
    return s[0] * box.length[0], s[1] * box.length[1], s[2] * box.length[2]


@inline
def position_in_image_deforming(box, x, image):
    """Position relative to an image of the cell: whole edges are subtracted."""
    return subtract(x, apply(box, box.edges, image))


# The step


@func
def measure_cell(box):
    """Compute the inverse of the edges, and the distances of opposite faces."""
    store_matrix(box.to_scaled, inverse(load_matrix(box.edges)))
    for k in range(3):
        g = load_row(box.to_scaled, k)
        box.inverse[k] = math.sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
        box.length[k] = 1.0 / box.inverse[k]


@inline
def load_row(m, k):
    """Row k of a matrix (3, 3)."""
    return m[k, 0], m[k, 1], m[k, 2]


@inline
def lean(box, a, b):
    """Scalar product of edges a and b, and the square of edge b [m²]."""
    along, square = 0.0, 0.0
    for i in range(3):
        along += box.edges[i, a] * box.edges[i, b]
        square += box.edges[i, b] * box.edges[i, b]
    return along, square


@func
def reduce(box, position, image):
    """Replace a strongly skewed basis of the cell by an equivalent one, by integers, and wrap all bodies into it.

    Edge a becomes a - k b; as H n does not change, image numbers along b grow by k times those along a.
    """
    changed = True
    for _ in range(100):
        if not changed:
            break
        changed = False
        for a in range(3):
            for b in range(3):
                along, square = lean(box, a, b)
                k = math.floor(along / square + 0.5)
                if a != b and abs(along) > SKEWED * square and k != 0.0:
                    changed = True
                    for i in range(3):
                        box.edges[i, a] -= k * box.edges[i, b]
                        box.edge_speed[i, a] -= k * box.edge_speed[i, b]
                    for n in range(image.shape[1]):
                        image[b, n] += k * image[a, n]
        if changed:
            measure_cell(box)
    for n in range(image.shape[1]):
        x, cells = wrap_at(box, box.edges, box.to_scaled, load(position, n))
        store(position, n, x)
        count_cells(box, cells, image, n)


@inline
def is_skewed(box):
    """Whether an edge is inclined to another by more than the fraction SKEWED of its length."""
    skewed = False
    for a in range(3):
        for b in range(3):
            along, square = lean(box, a, b)
            skewed = skewed or (a != b and abs(along) > SKEWED * square)
    return skewed


@inline
def volume_of(edges):
    """Volume of a cell [m³]."""
    a = load_matrix(edges)
    return abs(
        a[0] * (a[4] * a[8] - a[5] * a[7]) + a[1] * (a[5] * a[6] - a[3] * a[8]) + a[2] * (a[3] * a[7] - a[4] * a[6])
    )


@inline
def stress_excess(box, volume, a, b):
    """Excess of a stress component over its target [Pa]."""
    virial = (
        box.virial[CONTACT, a, b] + box.virial[KINETIC, a, b] + box.virial[CONTACT, b, a] + box.virial[KINETIC, b, a]
    )
    return 0.5 * virial / volume - box.target[a, b]


@inline
def limited_rate(box, rate):
    """Limited rate of a component under stress control [1/s]."""
    return max(-box.fastest[0], min(box.fastest[0], rate))


@func
def choose_rates(box, dt):
    """Set the components of the velocity gradient under stress control, in proportion to the excess stress.

    A stress is held by the rate g (e + ∫ e dt/τ) of its excess e, a controller of proportional and integral part, which
    leaves no excess where a lasting rate is needed. A large excess counts only where it makes the integral smaller, so
    that a packing which has been brought to its stress does not overshoot.
    """
    volume = volume_of(box.edges)
    for a in range(3):
        for b in range(3):
            if box.held[a, b] != 0.0:
                excess = stress_excess(box, volume, a, b)
                rate = box.gain[0] * (excess + box.integral[a, b])
                if abs(excess) < box.integral_band[0] or excess * box.integral[a, b] < 0.0:
                    box.integral[a, b] += excess * dt / box.integral_time[0]
                box.next_gradient[a, b] = limited_rate(box, rate)


@func
def accelerate_edges(box, dt):
    """Set the components of the velocity gradient under stress control, by the motion of edges with inertia.

    The edges keep their velocities during the step, and L is that of its middle. Returns what damping takes [J].
    """
    volume, mass, damped = volume_of(box.edges), box.inertia[0], 0.5 * dt * box.inertia[1] / box.inertia[0]
    edges, before = load_matrix(box.edges), load_matrix(box.edge_speed)
    for a in range(3):
        for b in range(3):
            pull = 0.0
            for k in range(3):
                if box.held[a, k] != 0.0:
                    pull += volume * stress_excess(box, volume, a, k) * box.to_scaled[b, k]
            box.edge_speed[a, b] = ((1.0 - damped) * box.edge_speed[a, b] + dt / mass * pull) / (1.0 + damped)
    prescribed = product(load_matrix(box.next_gradient), edges)
    speed = load_matrix(box.edge_speed)
    middle = identity()
    for k in range(9):
        middle = with_element(middle, k, edges[k] + 0.5 * dt * (speed[k] + prescribed[k]))
    rates = product(speed, inverse(middle))
    gradient = scaled_matrix(0.0, rates)
    for k in range(9):
        if box.held[k // 3, k % 3] != 0.0:
            box.next_gradient[k // 3, k % 3] = limited_rate(box, rates[k])
            gradient = with_element(gradient, k, box.next_gradient[k // 3, k % 3])
    store_matrix(box.edge_speed, product(gradient, middle))
    damped_energy = 0.0
    for k in range(9):
        mean_speed = 0.5 * (before[k] + box.edge_speed[k // 3, k % 3])
        damped_energy += dt * box.inertia[1] * mean_speed * mean_speed
    return damped_energy


@inline
def has_inertia(box):
    """Whether the stress control is by edges with inertia."""
    return box.inertia[0] > 0.0


@func
def choose_gradient(box, step, dt):
    """Set the velocity gradient after a number of steps: as prescribed, or so that stresses approach their targets.

    Returns what damping of the edges takes during the step [J].
    """
    row = 0
    for k in range(box.times.size):
        row = k if step * dt >= box.times[k] else row
    for a in range(3):
        for b in range(3):
            box.next_gradient[a, b] = box.rates[row, a, b]
    if has_inertia(box):
        return accelerate_edges(box, dt)
    choose_rates(box, dt)
    return 0.0


@inline
def power(box, gradient):
    """Power of the cell, -V P : L [W]."""
    total = 0.0
    for a in range(3):
        for b in range(3):
            total -= (box.virial[CONTACT, a, b] + box.virial[KINETIC, a, b]) * gradient[b, a]
    return total


@func
def begin_step_deforming(box, corrects, predicts, constants, bodies, run_state):
    """Deform the cell by the step that a pass begins; bodies follow in `advance_position_deforming`.

    A rate that holds a stress is chosen before forces are evaluated, for the step after them.

    corrects, predicts: whether the pass completes a step, and begins one; a pass that does neither starts a run.
    Writes box: the cell at the end of the step, the maps of the step, and the components of the stress that are needed.
    Writes bodies.position, bodies.image: if the basis is reduced.
    Writes run_state.dissipated, run_state.wall_work: what damping of the edges takes, supplied from outside.
    """
    dt = constants.dt
    for k in range(9):
        box.needed[k // 3, k % 3] = box.used[k // 3, k % 3] if corrects and predicts else 1
    if predicts and not corrects and is_skewed(box):
        reduce(box, bodies.position, bodies.image)
    if predicts and not corrects and has_inertia(box):
        taken = constants.per_joule * choose_gradient(box, run_state.step[0], dt)
        accumulate(run_state.dissipated, taken)
        accumulate(run_state.wall_work, taken)
    if corrects and not has_inertia(box):
        choose_gradient(box, run_state.step[0] + 1, dt)
    if predicts:
        rate = load_matrix(box.next_gradient)
        whole = exponential(scaled_matrix(dt, rate))
        store_matrix(box.place_map, whole)
        slow = exponential(scaled_matrix(-dt, rate))
        store_matrix(box.slow_map, slow)
        store_matrix(box.kick_map, slow)
        edges = product(whole, load_matrix(box.edges))
        store_matrix(box.next_edges, edges)
        store_matrix(box.next_to_scaled, inverse(edges))
        cell = form_of(box.edges) | form_of(box.next_edges)
        box.form[MATRICES] = cell | form_of(box.gradient) | form_of(box.next_gradient)
    else:
        store_matrix(box.kick_map, identity())
    box.form[SUMS] = LOWER if needed_form(box.needed) & ~box.form[MATRICES] else box.form[MATRICES]


@func
def end_step_deforming(box, corrects, predicts, constants, run_state):
    """Set the cell, after a pass, to its state at the end of the step that has begun.

    corrects, predicts: see `begin_step_deforming`.
    Writes box: the present cell, its strain, and its deformation since bodies were listed.
    Writes run_state: displacement with that of images, and the work of the cell in the first half of the step [units].
    """
    if not (corrects or predicts or has_inertia(box)):
        choose_gradient(box, run_state.step[0], constants.dt)
    if not predicts:
        return
    run_state.wall_work_half_step[0] = 0.5 * constants.dt * constants.per_joule * power(box, box.next_gradient)
    whole = load_matrix(box.place_map)
    store_matrix(box.gradient, load_matrix(box.next_gradient))
    store_matrix(box.edges, load_matrix(box.next_edges))
    store_matrix(box.since_listing, product(whole, load_matrix(box.since_listing)))
    for a in range(3):
        for b in range(3):
            box.strain[a, b] += box.gradient[a, b] * constants.dt
    measure_cell(box)
    run_state.displacement_since_pick[0] += 0.5 * distance_from_identity(whole) * box.reach[0]


@inline
def completes_first(box):
    """Whether a step must be complete before the next one is predicted: edges have inertia, or the cell is skewed."""
    return has_inertia(box) or is_skewed(box)


# The virial, summed by integers, so that neither threads nor the order of bodies in memory show. One word is fine
# enough for contacts, as for energies: E* R³ is 2^44 of their unit. Bonds may be much stiffer, and have two words.


@inline
def no_virial():
    """Nine components of a virial, to add to."""
    zero = np.int64(0)
    return zero, zero, zero, zero, zero, zero, zero, zero, zero


@inline
def dyad(u, v):
    """Nine components of u ⊗ v, row by row."""
    return (
        u[0] * v[0], u[0] * v[1], u[0] * v[2], u[1] * v[0], u[1] * v[1], u[1] * v[2], u[2] * v[0], u[2] * v[1],
        u[2] * v[2],
    )  # fmt: skip


@inline
def add_dyad(total, u, v, unit):
    """Virial with the dyad u ⊗ v [J] added in units."""
    m = scaled_matrix(unit, dyad(u, v))
    return (
        total[0] + nearest(m[0]), total[1] + nearest(m[1]), total[2] + nearest(m[2]), total[3] + nearest(m[3]),
        total[4] + nearest(m[4]), total[5] + nearest(m[5]), total[6] + nearest(m[6]), total[7] + nearest(m[7]),
        total[8] + nearest(m[8]),
    )  # fmt: skip


@inline
def write_virial(box, c, column, total):
    """Write the contribution of chunk c to the virial, from a given column on."""
    for k in range(9):
        box.parts[c, column + k] = total[k]


@inline
def sum_column(box, column):
    """Sum of a column over all chunks [units]."""
    total = np.int64(0)
    for c in range(box.parts.shape[0]):
        total += box.parts[c, column]
    return total


@func
def sum_virial(box):
    """Sum the virial over the chunks."""
    for k in range(9):
        bonds = in_units((sum_column(box, BONDS + k), sum_column(box, BONDS + 9 + k)))
        box.virial[CONTACT, k // 3, k % 3] = sum_column(box, CONTACTS + k) / box.unit[0] + bonds / box.unit[1]
    column = MOTION
    for a in range(3):
        for b in range(a, 3):
            box.virial[KINETIC, a, b] = box.virial[KINETIC, b, a] = sum_column(box, column) / box.unit[2]
            column += 1


DOMAIN_FUNCTIONS = (  # tables of functions by domain, and what this one puts into them
    (periodic.nearest_image, nearest_image_deforming),
    (periodic.image_velocity, image_velocity_deforming),
    (periodic.wrap_position, wrap_position_deforming),
    (periodic.advance_position, advance_position_deforming),
    (periodic.map_velocity, map_velocity_deforming),
    (periodic.map_velocities, map_velocities_deforming),
    (periodic.unwrap_position, unwrap_position_deforming),
    (periodic.half_image_displacement, half_image_displacement_deforming),
    (periodic.record_listing, record_listing_deforming),
    (periodic.convected_position, convected_position_deforming),
    (periodic.position_in_grid, position_in_grid_deforming),
    (periodic.position_in_image, position_in_image_deforming),
    (periodic.begin_step, begin_step_deforming),
    (periodic.end_step, end_step_deforming),
    (periodic.potential_position, potential_position_deforming),
)
for table, function in DOMAIN_FUNCTIONS:
    table.functions[DeformingFaces] = function
