"""Support functions h(n), support points x(n) = ∇h(n), and curvatures ∇∇h(n) of convex shapes, in the body frame.

A shape is a row of numbers from ``numbers[at]`` on, see the docstring of each support function. All n are unit
vectors; h is then continued as a function homogeneous of degree one, and its second derivatives in the plane across n
are the radii of curvature of the surface at x(n). Curvatures are given as ∇∇h = k_1 w ⊗ w + k_2 v ⊗ v, with two vectors
across n of any length: (k_1, w, k_2, v).

Powers are those of `dem.kernels.numerics.elementary`, which have the same bits on every processor.
"""

import math

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.elementary import SMALLEST, cube_root, exponential, inverse_fourth_root, power
from dem.kernels.numerics.vector import across, add_scaled, cross, dot, scale, subtract

SHORTEST_CHORD = 1e-3  # of an end of a cylinder, over its radius, that is not one of its rim
ZERO_VECTOR = (0.0, 0.0, 0.0)
MIN_COMPONENT = 1e-17  # of normals, relative, where curvatures are infinite at 0: what rounding leaves of them
LOG_MIN_COMPONENT = math.log(MIN_COMPONENT)


@inline
def round_curvature(radius, n):
    """Curvature of a ball: its radius in all directions across n."""
    w, v = across(n)
    return radius, w, radius, v


@inline
def ball_support(numbers, at, n):
    """Ball: numbers are its radius."""
    radius = numbers[at]
    return radius, scale(radius, n)


@inline
def ball_curvature(numbers, at, n):
    """Curvature of a ball."""
    return round_curvature(numbers[at], n)


@inline
def ellipsoid_support(numbers, at, n):
    """Ellipsoid: numbers are its semi-axes a, b, c. h = |(a n_x, b n_y, c n_z)|, x = (a² n_x, b² n_y, c² n_z)/h."""
    a, b, c = numbers[at], numbers[at + 1], numbers[at + 2]
    u = (a * n[0], b * n[1], c * n[2])
    h = math.sqrt(dot(u, u))
    u = scale(1.0 / h, u)
    return h, (a * u[0], b * u[1], c * u[2])


@inline
def ellipsoid_curvature(numbers, at, n):
    """Curvature of an ellipsoid: ∇∇h = A (1 - u ⊗ u) A/h, with A = diag(a, b, c) and u = A n/h."""
    a, b, c = numbers[at], numbers[at + 1], numbers[at + 2]
    u = (a * n[0], b * n[1], c * n[2])
    per_h = 1.0 / math.sqrt(dot(u, u))
    w, v = across(scale(per_h, u))
    return per_h, (a * w[0], b * w[1], c * w[2]), per_h, (a * v[0], b * v[1], c * v[2])


@inline
def norm_of_two(x, y, n):
    """Norm h = (x^q + y^q)^(1/q), q = n/(n - 1), of x, y >= 0, and its derivatives (x/h)^(q - 1), (y/h)^(q - 1).

    The larger term is divided out before a power is taken, so that nothing overflows. Of r = y/x <= 1, say, r^q is
    r^(q - 1) r, and q - 1 = 1/(n - 1): no more than two powers are needed.
    """
    largest = max(x, y, SMALLEST)
    ratio = min(x, y) / largest
    slope = power(ratio, 1.0 / (n - 1.0))
    total = 1.0 + slope * ratio
    max_slope = power(total, -1.0 / n)
    min_slope = slope * max_slope
    first = x >= y
    return largest * (total * max_slope), max_slope if first else min_slope, min_slope if first else max_slope


@inline
def superellipsoid_norms(numbers, at, n):
    """Signed u = (a n_x, b n_y, c n_z), s = (|u_x|^q2 + |u_y|^q2)^(1/q2) and h = (s^q1 + |u_z|^q1)^(1/q1), and slopes.

    Returns u, s, h, ∂h/∂s, ∂h/∂|u_z|, ∂s/∂|u_x|, ∂s/∂|u_y|.
    """
    u = (numbers[at] * n[0], numbers[at + 1] * n[1], numbers[at + 2] * n[2])
    s, by_x, by_y = norm_of_two(abs(u[0]), abs(u[1]), numbers[at + 4])
    h, by_s, by_z = norm_of_two(s, abs(u[2]), numbers[at + 3])
    return u, s, h, by_s, by_z, by_x, by_y


@inline
def superellipsoid_support(numbers, at, n):
    """Superellipsoid (|x/a|^n2 + |y/b|^n2)^(n1/n2) + |z/c|^n1 = 1: numbers are a, b, c, n1, n2, q1, q2.

    q = n/(n - 1), and h = ((|a n_x|^q2 + |b n_y|^q2)^(q1/q2) + |c n_z|^q1)^(1/q1), the norm that is dual to the one
    whose unit ball the body is.
    """
    u, _, h, by_s, by_z, by_x, by_y = superellipsoid_norms(numbers, at, n)
    x, y = math.copysign(by_s * by_x, u[0]), math.copysign(by_s * by_y, u[1])
    return h, (numbers[at] * x, numbers[at + 1] * y, numbers[at + 2] * math.copysign(by_z, u[2]))


@inline
def superellipsoid_normal(numbers, at, x):
    """Direction of the normal of a superellipsoid at its surface on the ray through x, the inverse of x(n)."""
    q_1, q_2 = numbers[at + 5], numbers[at + 6]  # the norm of this body is dual to its support function
    u = (x[0] / numbers[at], x[1] / numbers[at + 1], x[2] / numbers[at + 2])
    s, by_x, by_y = norm_of_two(abs(u[0]), abs(u[1]), q_2)
    _, by_s, by_z = norm_of_two(s, abs(u[2]), q_1)
    x, y = math.copysign(by_s * by_x, u[0]), math.copysign(by_s * by_y, u[1])
    return x / numbers[at], y / numbers[at + 1], math.copysign(by_z, u[2]) / numbers[at + 2]


@inline
def least_power(q):
    """MIN_COMPONENT^(q - 1)."""
    return exponential((q - 1.0) * LOG_MIN_COMPONENT)


@inline
def mixed_derivative(x, y, by_x, by_y, q):
    """Factor (q - 1) (x y)^(q - 2) of the second derivatives of a norm of two numbers; x, y: these over the norm.

    by_x, by_y: x^(q - 1), y^(q - 1). Numbers below `MIN_COMPONENT`, at which curvatures may be infinite, are set to it.
    Returns the factor; x, y; x^(q - 1).
    """
    x, y, least = max(x, MIN_COMPONENT), max(y, MIN_COMPONENT), least_power(q)
    by_x, by_y = max(by_x, least), max(by_y, least)
    return (q - 1.0) * (by_x / x) * (by_y / y), x, y, by_x


@inline
def superellipsoid_curvature(numbers, at, n):
    """Curvature of a superellipsoid.

    Of a norm h of two numbers s, z, ∇∇h = (q - 1)/h (s z/h²)^(q - 2) (z, -s) ⊗ (z, -s)/h². By the chain rule that is
    k_1 w ⊗ w + ∂h/∂s k_2 v ⊗ v with w = (u_z ∇s - s e_z)/h and v = (u_y, -u_x, 0)/s.
    """
    a, b, c = numbers[at], numbers[at + 1], numbers[at + 2]
    u, s, h, by_s, by_z, by_x, by_y = superellipsoid_norms(numbers, at, n)
    k_1, s_, _, by_s = mixed_derivative(s / h, abs(u[2]) / h, by_s, by_z, numbers[at + 5])
    z = u[2] / h
    w = (a * (z * math.copysign(by_x, u[0])), b * (z * math.copysign(by_y, u[1])), -c * s_)
    s = max(s, SMALLEST)
    k_2, x, y, _ = mixed_derivative(abs(u[0]) / s, abs(u[1]) / s, by_x, by_y, numbers[at + 6])
    v = (a * math.copysign(y, u[1]), -b * math.copysign(x, u[0]), 0.0)
    return k_1 / h, w, k_2 * (by_s / s_) / h, v


@inline
def shares_of_largest(numbers, at, n):
    """Signed u = (a n_x, b n_y, c n_z), the largest |u_i|, and all over it."""
    u = (numbers[at] * n[0], numbers[at + 1] * n[1], numbers[at + 2] * n[2])
    largest = max(abs(u[0]), abs(u[1]), abs(u[2]))
    return u, largest, scale(1.0 / largest, (abs(u[0]), abs(u[1]), abs(u[2])))


@inline
def even_norm(numbers, at, n):
    """Superellipsoid with n1 = n2: u = (a n_x, b n_y, c n_z), h = (Σ |u_i|^q)^(1/q), and (|u_i|/h)^(q - 1)."""
    u, largest, (x, y, z) = shares_of_largest(numbers, at, n)
    slope = numbers[at + 5] - 1.0
    by_x, by_y, by_z = power(x, slope), power(y, slope), power(z, slope)
    total = by_x * x + by_y * y + by_z * z
    max_slope = power(total, -1.0 / numbers[at + 3])
    return u, largest * (total * max_slope), (by_x * max_slope, by_y * max_slope, by_z * max_slope)


@inline
def quartic_norm(numbers, at, n):
    """Superellipsoid with n1 = n2 = 4: the results of `even_norm` by cube and fourth roots, as q - 1 = 1/3."""
    u, largest, (x, y, z) = shares_of_largest(numbers, at, n)
    by_x, by_y, by_z = cube_root(x), cube_root(y), cube_root(z)
    total = by_x * x + by_y * y + by_z * z
    max_slope = inverse_fourth_root(total)
    return u, largest * (total * max_slope), (by_x * max_slope, by_y * max_slope, by_z * max_slope)


@inline
def even_support(numbers, at, n):
    """Superellipsoid with n1 = n2, whose support function is a norm of three numbers; numbers as of the others."""
    return support_of_norm(numbers, at, even_norm(numbers, at, n))


@inline
def quartic_support(numbers, at, n):
    """Superellipsoid with n1 = n2 = 4; numbers as of the others."""
    return support_of_norm(numbers, at, quartic_norm(numbers, at, n))


@inline
def quartic_normal(numbers, at, x):
    """Direction of the normal of a superellipsoid with n1 = n2 = 4 at its surface on the ray through x."""
    a, b, c = numbers[at], numbers[at + 1], numbers[at + 2]
    u, v, w = x[0] / a, x[1] / b, x[2] / c
    return u * u * u / a, v * v * v / b, w * w * w / c


@inline
def support_of_norm(numbers, at, norm):
    """Support function and support point of a norm of three numbers, see `even_norm`."""
    u, h, by = norm
    x, y, z = math.copysign(by[0], u[0]), math.copysign(by[1], u[1]), math.copysign(by[2], u[2])
    return h, (numbers[at] * x, numbers[at + 1] * y, numbers[at + 2] * z)


@inline
def even_curvature(numbers, at, n):
    """Curvature of a superellipsoid with n1 = n2."""
    return curvature_of_norm(numbers, at, even_norm(numbers, at, n))


@inline
def quartic_curvature(numbers, at, n):
    """Curvature of a superellipsoid with n1 = n2 = 4."""
    return curvature_of_norm(numbers, at, quartic_norm(numbers, at, n))


@inline
def curvature_of_norm(numbers, at, norm):
    """Curvature of a norm of three numbers, see `even_norm`.

    With y = |u|/h, D = diag(y_i^(q - 2)) and A = diag(a, b, c), ∇∇h = (q - 1)/h A √D (1 - e ⊗ e) √D A, e_i =
    sign(u_i) √D_i y_i a unit vector. Of the two unit vectors across e one is across z.
    """
    q = numbers[at + 5]
    u, h, by = norm
    per_h, least = 1.0 / h, least_power(q)
    x, y, z = (
        max(abs(u[0]) * per_h, MIN_COMPONENT),
        max(abs(u[1]) * per_h, MIN_COMPONENT),
        max(abs(u[2]) * per_h, MIN_COMPONENT),
    )
    by_x, by_y, by_z = max(by[0], least), max(by[1], least), max(by[2], least)
    per_all = 1.0 / (x * y * z)  # one division in place of three
    d_x, d_y, d_z = (
        math.sqrt(by_x * y * z * per_all),
        math.sqrt(by_y * z * x * per_all),
        math.sqrt(by_z * x * y * per_all),
    )
    e_x, e_y, e_z = math.copysign(d_x * x, u[0]), math.copysign(d_y * y, u[1]), math.copysign(d_z * z, u[2])
    height = math.sqrt(e_x * e_x + e_y * e_y)
    per_height = 1.0 / height
    c, s = e_x * per_height, e_y * per_height
    a_x, a_y, a_z = numbers[at] * d_x, numbers[at + 1] * d_y, numbers[at + 2] * d_z
    k = (q - 1.0) * per_h
    return k, (a_x * (e_z * c), a_y * (e_z * s), -a_z * height), k, (-a_x * s, a_y * c, 0.0)


@inline
def capsule_support(numbers, at, n):
    """Capsule about body x: numbers are half the length of its cylinder, and its radius."""
    half, radius = numbers[at], numbers[at + 1]
    return half * abs(n[0]) + radius, (math.copysign(half, n[0]) + radius * n[0], radius * n[1], radius * n[2])


@inline
def capsule_curvature(numbers, at, n):
    """Curvature of the ends of a capsule."""
    return round_curvature(numbers[at + 1], n)


@inline
def polyhedron_support(numbers, at, n):
    """Rounded polyhedron: numbers are its rounding radius, number of vertices, vertices x, y, z, and facets.

    The vertices are those of the core, the polyhedron that the balls are about. Of several that are equally far the
    first is taken. Facets are the numbers of edges and faces; two vertices of each edge; normal and height of each
    face, and where its sides are, counted from the first of these; the number of sides of a face, and for each side a
    vector in the face, perpendicular to the side, of its length and pointing inwards, and the product of this vector
    with a point of the side (`dem.kernels.convex.polyhedra`).
    """
    radius, count = numbers[at], int(numbers[at + 1])
    best, k = -math.inf, at + 2
    for i in range(at + 2, at + 2 + 3 * count, 3):
        h = numbers[i] * n[0] + numbers[i + 1] * n[1] + numbers[i + 2] * n[2]
        if h > best:
            best, k = h, i
    return best + radius, add_scaled((numbers[k], numbers[k + 1], numbers[k + 2]), radius, n)


@inline
def polyhedron_curvature(numbers, at, n):
    """Curvature of a rounded polyhedron at its vertices."""
    return round_curvature(numbers[at], n)


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
def cylinder_curvature(numbers, at, n):
    """Curvature of the rounded rim of a cylinder."""
    core, radius = numbers[at], numbers[at + 2]
    height = math.sqrt(n[1] * n[1] + n[2] * n[2])
    y, z = (n[1] / height, n[2] / height) if height > 0.0 else (1.0, 0.0)
    u = (0.0, -z, y)
    return radius + (core / max(height, MIN_COMPONENT) if height > 0.0 else 0.0), u, radius, cross(n, u)


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
    return subtract(q, p), ZERO_VECTOR


@inline
def line_of_cylinder(numbers, at, p, q):
    """Straight lines on a cylinder between two support points: along its side, two across its end, or none."""
    if abs(q[0] - p[0]) > numbers[at + 1]:
        return (q[0] - p[0], 0.0, 0.0), ZERO_VECTOR
    y, z, least = q[1] - p[1], q[2] - p[2], SHORTEST_CHORD * numbers[at]
    if y * y + z * z > least * least:
        return (0.0, y, z), (0.0, -z, y)
    return ZERO_VECTOR, ZERO_VECTOR


@inline
def no_line(numbers, at, p, q):
    """No straight lines, for shapes without any on their surface."""
    return ZERO_VECTOR, ZERO_VECTOR


@inline
def no_normal(numbers, at, x):
    """Zero vector, for shapes without `normal_of`."""
    return 0.0, 0.0, 0.0


@inline
def no_curvature(numbers, at, n):
    """Curvature of a vertex: none."""
    return 0.0, ZERO_VECTOR, 0.0, ZERO_VECTOR


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
