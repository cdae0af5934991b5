"""Support functions h(n), support points x(n) = ∇h(n), and curvatures ∇∇h(n) of convex shapes, in the body frame.

A shape is a row of numbers from ``numbers[at]`` on, see the docstring of each support function. All n are unit
vectors; h is then continued as a function homogeneous of degree one, and its second derivatives in the plane across n
are the radii of curvature of the surface at x(n). Curvatures are products t_i · ∇∇h t_j for two vectors t_1, t_2
across n, as (11, 12, 22).

Powers are those of `dem.kernels.numerics.elementary`, which have the same bits on every processor.
"""

import math

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.elementary import power
from dem.kernels.numerics.vector import add_scaled, dot, scale, subtract

SHORTEST_CHORD = 1e-3  # of an end of a cylinder, over its radius, that is not one of its rim
NOWHERE = (0.0, 0.0, 0.0)
LEAST = 1e-17  # of components of normals, relative, where curvatures are infinite at 0: what rounding leaves of them


@inline
def round_curvature(radius, t_1, t_2):
    """Curvature of a ball: its radius in all directions."""
    return radius * dot(t_1, t_1), radius * dot(t_1, t_2), radius * dot(t_2, t_2)


@inline
def add_product(curvature, factor, u, t_1, t_2):
    """Curvature plus factor u ⊗ u."""
    u_1, u_2 = dot(u, t_1), dot(u, t_2)
    return curvature[0] + factor * u_1 * u_1, curvature[1] + factor * u_1 * u_2, curvature[2] + factor * u_2 * u_2


@inline
def ball_support(numbers, at, n):
    """Ball: numbers are its radius."""
    radius = numbers[at]
    return radius, scale(radius, n)


@inline
def ball_curvature(numbers, at, n, t_1, t_2):
    """Curvature of a ball."""
    return round_curvature(numbers[at], t_1, t_2)


@inline
def ellipsoid_support(numbers, at, n):
    """Ellipsoid: numbers are its semi-axes a, b, c. h = |(a n_x, b n_y, c n_z)|, x = (a² n_x, b² n_y, c² n_z)/h."""
    a, b, c = numbers[at], numbers[at + 1], numbers[at + 2]
    u = (a * n[0], b * n[1], c * n[2])
    h = math.sqrt(dot(u, u))
    return h, (a * (u[0] / h), b * (u[1] / h), c * (u[2] / h))


@inline
def ellipsoid_curvature(numbers, at, n, t_1, t_2):
    """Curvature of an ellipsoid: ∇∇h = (diag(a², b², c²) - x ⊗ x)/h."""
    a, b, c = numbers[at], numbers[at + 1], numbers[at + 2]
    h, x = ellipsoid_support(numbers, at, n)
    v_1, v_2 = (a * t_1[0], b * t_1[1], c * t_1[2]), (a * t_2[0], b * t_2[1], c * t_2[2])
    return add_product((dot(v_1, v_1) / h, dot(v_1, v_2) / h, dot(v_2, v_2) / h), -1.0 / h, x, t_1, t_2)


@inline
def superellipsoid_norms(numbers, at, n):
    """Signed u = (a n_x, b n_y, c n_z), s = (|u_x|^q2 + |u_y|^q2)^(1/q2) and h = (s^q1 + |u_z|^q1)^(1/q1).

    The larger term is divided out before a power is taken, so that nothing overflows.
    """
    q_1, q_2 = numbers[at + 5], numbers[at + 6]
    u = (numbers[at] * n[0], numbers[at + 1] * n[1], numbers[at + 2] * n[2])
    s = norm_of_two(abs(u[0]), abs(u[1]), q_2)
    return u, s, norm_of_two(s, abs(u[2]), q_1)


@inline
def norm_of_two(x, y, q):
    """(x^q + y^q)^(1/q) of x, y >= 0."""
    most = max(x, y)
    if most == 0.0:
        return 0.0
    return most * power(1.0 + power(min(x, y) / most, q), 1.0 / q)


@inline
def norm_slopes(u, s, h, q_1, q_2):
    """Derivatives of h = (s^q1 + |u_z|^q1)^(1/q1) by s, u_z, and of s = (|u_x|^q2 + |u_y|^q2)^(1/q2) by u_x, u_y."""
    by_s, by_z = power(s / h, q_1 - 1.0), math.copysign(power(abs(u[2]) / h, q_1 - 1.0), u[2])
    if s == 0.0:
        return by_s, by_z, 0.0, 0.0
    by_x, by_y = power(abs(u[0]) / s, q_2 - 1.0), power(abs(u[1]) / s, q_2 - 1.0)
    return by_s, by_z, math.copysign(by_x, u[0]), math.copysign(by_y, u[1])


@inline
def superellipsoid_support(numbers, at, n):
    """Superellipsoid (|x/a|^n2 + |y/b|^n2)^(n1/n2) + |z/c|^n1 = 1: numbers are a, b, c, n1, n2, q1, q2.

    q = n/(n - 1), and h = ((|a n_x|^q2 + |b n_y|^q2)^(q1/q2) + |c n_z|^q1)^(1/q1), the norm that is dual to the one
    whose unit ball the body is.
    """
    u, s, h = superellipsoid_norms(numbers, at, n)
    by_s, by_z, by_x, by_y = norm_slopes(u, s, h, numbers[at + 5], numbers[at + 6])
    return h, (numbers[at] * (by_s * by_x), numbers[at + 1] * (by_s * by_y), numbers[at + 2] * by_z)


@inline
def superellipsoid_normal(numbers, at, x):
    """Direction of the normal of a superellipsoid at its surface on the ray through x, the inverse of x(n)."""
    n_1, n_2 = numbers[at + 3], numbers[at + 4]
    u = (x[0] / numbers[at], x[1] / numbers[at + 1], x[2] / numbers[at + 2])
    s = norm_of_two(abs(u[0]), abs(u[1]), n_2)
    by_s, by_z, by_x, by_y = norm_slopes(u, s, norm_of_two(s, abs(u[2]), n_1), n_1, n_2)
    return by_s * by_x / numbers[at], by_s * by_y / numbers[at + 1], by_z / numbers[at + 2]


@inline
def superellipsoid_curvature(numbers, at, n, t_1, t_2):
    """Curvature of a superellipsoid.

    Of a norm h of two numbers s, z, ∇∇h = (q - 1)/h³ (s z/h²)^(q - 2) (z, -s) ⊗ (z, -s). By the chain rule that is
    k_1 w ⊗ w + ∂h/∂s k_2 v ⊗ v with w = u_z ∇s - s e_z and v = (u_y, -u_x, 0).
    """
    a, b, c, q_1, q_2 = numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 5], numbers[at + 6]
    u, s, h = superellipsoid_norms(numbers, at, n)
    by_s, _, by_x, by_y = norm_slopes(u, s, h, q_1, q_2)
    s_, z_ = max(s / h, LEAST), max(abs(u[2]) / h, LEAST)
    k_1 = (q_1 - 1.0) / h * power(s_ * z_, q_1 - 2.0)
    w = (a * (u[2] / h * by_x), b * (u[2] / h * by_y), -c * s_)
    total = add_product((0.0, 0.0, 0.0), k_1, w, t_1, t_2)
    if s == 0.0:
        return total
    x_, y_ = max(abs(u[0]) / s, LEAST), max(abs(u[1]) / s, LEAST)
    k_2 = by_s * (q_2 - 1.0) / s * power(x_ * y_, q_2 - 2.0)
    v = (a * math.copysign(y_, u[1]), -b * math.copysign(x_, u[0]), 0.0)
    return add_product(total, k_2, v, t_1, t_2)


@inline
def capsule_support(numbers, at, n):
    """Capsule about body x: numbers are half the length of its cylinder, and its radius."""
    half, radius = numbers[at], numbers[at + 1]
    return half * abs(n[0]) + radius, (math.copysign(half, n[0]) + radius * n[0], radius * n[1], radius * n[2])


@inline
def capsule_curvature(numbers, at, n, t_1, t_2):
    """Curvature of the ends of a capsule."""
    return round_curvature(numbers[at + 1], t_1, t_2)


@inline
def polyhedron_support(numbers, at, n):
    """Rounded polyhedron: numbers are its rounding radius, number of vertices, vertices x, y, z, and facets.

    The vertices are those of the core, the polyhedron that the balls are about. Of several that are equally far the
    first is taken. Facets are the numbers of edges and faces; two vertices of each edge; and of each face the number of
    its vertices, its normal and height, and its vertices counterclockwise (`dem.kernels.convex.facets`).
    """
    radius, count = numbers[at], int(numbers[at + 1])
    best, k = -math.inf, at + 2
    for i in range(at + 2, at + 2 + 3 * count, 3):
        h = numbers[i] * n[0] + numbers[i + 1] * n[1] + numbers[i + 2] * n[2]
        if h > best:
            best, k = h, i
    return best + radius, add_scaled((numbers[k], numbers[k + 1], numbers[k + 2]), radius, n)


@inline
def polyhedron_curvature(numbers, at, n, t_1, t_2):
    """Curvature of a rounded polyhedron at its vertices."""
    return round_curvature(numbers[at], t_1, t_2)


@inline
def cylinder_support(numbers, at, n):
    """Rounded cylinder about body x: numbers are the radius and half the length of the core, and the rounding radius.

    The core is the cylinder that the balls are about: h = r √(n_y² + n_z²) + l |n_x| + R.
    """
    core, half, radius = numbers[at], numbers[at + 1], numbers[at + 2]
    across = math.sqrt(n[1] * n[1] + n[2] * n[2])
    y, z = (n[1] / across, n[2] / across) if across > 0.0 else (0.0, 0.0)
    x = (math.copysign(half, n[0]) + radius * n[0], core * y + radius * n[1], core * z + radius * n[2])
    return core * across + half * abs(n[0]) + radius, x


@inline
def cylinder_curvature(numbers, at, n, t_1, t_2):
    """Curvature of the rounded rim of a cylinder."""
    core, radius = numbers[at], numbers[at + 2]
    across = max(math.sqrt(n[1] * n[1] + n[2] * n[2]), LEAST)
    u = (0.0, -n[2] / across, n[1] / across)
    return add_product(round_curvature(radius, t_1, t_2), core / across, u, t_1, t_2)


@inline
def triangle_support(numbers, at, n):
    """Triangle without thickness: numbers are its vertices x, y, z. Of equally far vertices the first is taken."""
    best, k = -math.inf, at
    for i in range(at, at + 9, 3):
        h = numbers[i] * n[0] + numbers[i + 1] * n[1] + numbers[i + 2] * n[2]
        if h > best:
            best, k = h, i
    return best, (numbers[k], numbers[k + 1], numbers[k + 2])


@inline
def line_of_vertices(numbers, at, p, q):
    """The straight line on the surface of a polyhedron or capsule between two support points."""
    return subtract(q, p), NOWHERE


@inline
def line_of_cylinder(numbers, at, p, q):
    """Straight lines on a cylinder between two support points: along its side, two across its end, or none."""
    if abs(q[0] - p[0]) > numbers[at + 1]:
        return (q[0] - p[0], 0.0, 0.0), NOWHERE
    y, z, least = q[1] - p[1], q[2] - p[2], SHORTEST_CHORD * numbers[at]
    if y * y + z * z > least * least:
        return (0.0, y, z), (0.0, -z, y)
    return NOWHERE, NOWHERE


@inline
def no_line(numbers, at, p, q):
    """No straight lines, for shapes without any on their surface."""
    return NOWHERE, NOWHERE


@inline
def no_normal(numbers, at, x):
    """Zeros, for shapes whose normals are not asked for."""
    return 0.0, 0.0, 0.0


@inline
def no_curvature(numbers, at, n, t_1, t_2):
    """Curvature of a vertex: none."""
    return 0.0, 0.0, 0.0


@inline
def rounding_first(numbers, at):
    """Rounding radius that is the first number of a shape."""
    return numbers[at]


@inline
def rounding_second(numbers, at):
    """Rounding radius that is the second number of a shape."""
    return numbers[at + 1]


@inline
def rounding_third(numbers, at):
    """Rounding radius that is the third number of a shape."""
    return numbers[at + 2]


@inline
def no_rounding(numbers, at):
    """Rounding radius of shapes without a core."""
    return 0.0
