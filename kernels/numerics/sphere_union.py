"""Volume and moments of the union of spheres, in closed form but for integrals along arcs.

By Gauss's theorem they are integrals over the free part of each sphere, which no other sphere covers. With x = c + r n
on a sphere of centre c and radius r:

    V = 1/3 ∮ x·n dA      ∫ x dV = 1/2 ∮ |x|² n dA      ∫ x xᵀ dV = 1/5 ∮ x xᵀ (x·n) dA

So they need A = ∫ dΩ, N = ∫ n dΩ, M = ∫ n nᵀ dΩ and S = ∫ n nᵀ (n·c) dΩ over the directions n of the free part. These
are integrals along its boundary, with the normal ν to the boundary in the sphere, out of the free part:

    2 N = -∮ ν ds      3 M = A I - ∮ n νᵀ ds      4 S = c Nᵀ + N cᵀ - ∮ n nᵀ (ν·c) ds

The boundary consists of arcs. Another sphere covers the cap n·m > α, where m is the direction to its centre, and on the
circle of the cap ν ds = (m - α n) dt, with the angle t about m. A is the sum of the signed areas between the arcs and a
fixed direction, up to a multiple of 4π (areas of triangles: A. van Oosterom & J. Strackee, IEEE Trans. Biomed. Eng. 30
(1983) 125).
"""

import math

from dem.kernels.compiler.jit import func, inline, kernel
from dem.kernels.numerics.vector import across, add_scaled, cross, dot, load, scale, subtract

TWO_PI = 2.0 * math.pi
MOMENTS = 10  # volume; first moments x, y, z; second moments xx, yy, zz, xy, yz, zx
ROWS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))  # components of second moments
COLUMNS = 4  # of a cap: unit vector m, and α
ALIKE = 1e-12  # difference of angles or cosines, below which spheres or circles touch, or circles are one
POLE = (0.3713906763541037, 0.5570860145311556, 0.7427813527082074)  # direction to which areas reach


@kernel
def add_union(centres, radii, nodes, weights, caps, starts, ends, total):
    """Add volume and moments of a union of spheres.

    centres, radii: (K, 3), (K,) of the spheres [m].
    nodes, weights: (Q,) of Gauss quadrature on [-1, 1], which is exact for trigonometric polynomials of degree three.
    Writes caps, starts, ends: (K, COLUMNS), (2 K,), (2 K,) scratch.
    Writes total: (MOMENTS,) [m³ to m⁵], added to.
    """
    for i in range(radii.size):
        count = list_caps(i, centres, radii, caps)
        if count >= 0:
            add_sphere(load(centres.T, i), radii[i], count, caps, nodes, weights, starts, ends, total)


@func
def list_caps(i, centres, radii, caps):
    """List the caps of sphere i that other spheres cover, without those inside of others; -1 if they cover it whole.

    Writes caps: (count, 4) unit vector to the centre of the cap, cosine of its angular radius. Returns their number.
    """
    count = 0
    for j in range(radii.size):
        gap = subtract(load(centres.T, j), load(centres.T, i))
        d, r, other = math.sqrt(dot(gap, gap)), radii[i], radii[j]
        if j == i or d >= r + other or d + other < r or (d + other == r and (d > 0.0 or i < j)):
            continue
        if d + r <= other:  # of two equal spheres the first one counts
            return -1
        alpha = (d * d + (r - other) * (r + other)) / (2.0 * d * r)
        if alpha <= -1.0:
            return -1
        if alpha < 1.0 - ALIKE:  # else the spheres touch
            count = insert_cap(count, scale(1.0 / d, gap), alpha, caps)
            if count < 0:
                return -1
    return count


@inline
def height_over(m, alpha, other, of_other):
    """Least and largest n·m' - α' along the circle n·m = α: positive inside of the other cap."""
    sideways, middle = cross(m, other), alpha * dot(m, other) - of_other
    half = math.sqrt((1.0 - alpha * alpha) * dot(sideways, sideways))
    return middle - half, middle + half


@func
def insert_cap(count, m, alpha, caps):
    """Add a cap to others, unless it is inside of one of them, and drop those inside of it.

    Returns their number; -1 if two caps cover the whole sphere.
    """
    for k in range(count):
        least, largest = height_over(m, alpha, load(caps.T, k), caps[k, 3])
        least_of_other, _ = height_over(load(caps.T, k), caps[k, 3], m, alpha)
        if least >= -ALIKE:  # its circle is inside of the other cap
            is_same = dot(m, load(caps.T, k)) > 0.0 and largest < ALIKE
            return -1 if least_of_other >= -ALIKE and not is_same else count
    kept = 0
    for k in range(count):
        if height_over(load(caps.T, k), caps[k, 3], m, alpha)[0] < -ALIKE:
            for a in range(COLUMNS):
                caps[kept, a] = caps[k, a]
            kept += 1
    caps[kept, 0], caps[kept, 1], caps[kept, 2], caps[kept, 3] = m[0], m[1], m[2], alpha
    return kept + 1


@func
def covered_arcs(k, u, v, count, caps, starts, ends):
    """Intervals of angle in [0, 2π] at which other caps cover the circle of cap k, by start; -1 if it is covered whole.

    u, v: unit vectors across the axis of the cap, from which and towards which angles count.
    """
    n, m, alpha = 0, load(caps.T, k), caps[k, 3]
    beta = math.sqrt(1.0 - alpha * alpha)
    for j in range(count):
        if j == k:
            continue
        other = load(caps.T, j)
        x, y = dot(other, u), dot(other, v)
        reach, needed = beta * math.sqrt(x * x + y * y), caps[j, 3] - alpha * dot(other, m)
        if needed <= -reach:
            return -1
        if needed >= reach - ALIKE * math.sqrt(1.0 - caps[j, 3] * caps[j, 3]):  # caps that touch do not overlap
            continue
        half = math.acos(needed / reach)
        start = (math.atan2(y, x) - half) % TWO_PI
        n = insert(n, start, min(start + 2.0 * half, TWO_PI), starts, ends)
        if start + 2.0 * half > TWO_PI:
            n = insert(n, 0.0, start + 2.0 * half - TWO_PI, starts, ends)
    return n


@inline
def insert(n, start, end, starts, ends):
    """Insert an interval into n sorted ones; returns their new number."""
    k = n
    while k > 0 and starts[k - 1] > start:
        starts[k], ends[k] = starts[k - 1], ends[k - 1]
        k -= 1
    starts[k], ends[k] = start, end
    return n + 1


@inline
def on_circle(m, alpha, u, v, t):
    """Unit vector at the angle t on the circle n·m = α."""
    beta = math.sqrt(1.0 - alpha * alpha)
    return add_scaled(add_scaled(scale(alpha, m), beta * math.cos(t), u), beta * math.sin(t), v)


@inline
def triangle(a, b, c):
    """Signed area of the spherical triangle of three unit vectors."""
    return 2.0 * math.atan2(dot(a, cross(b, c)), 1.0 + dot(a, b) + dot(b, c) + dot(c, a))


@func
def add_sphere(c, r, count, caps, nodes, weights, starts, ends, total):
    """Add the integrals over the free part of one sphere.

    c, r: its centre and radius [m].
    count, caps: that other spheres cover, see `list_caps`.
    nodes, weights: of Gauss quadrature.
    Writes starts, ends: scratch. Writes total: (MOMENTS,), added to.
    """
    area, largest, whole, arcs = 0.0, 0.0, 0.0, 0
    n0 = n1 = n2 = 0.0  # ∮ ν ds
    m0 = m1 = m2 = m3 = m4 = m5 = 0.0  # ∮ n νᵀ ds
    s0 = s1 = s2 = s3 = s4 = s5 = 0.0  # ∮ n nᵀ (ν·c) ds
    for k in range(count):
        m, alpha = load(caps.T, k), caps[k, 3]
        largest, whole = max(largest, TWO_PI * (1.0 - alpha)), whole + TWO_PI * (1.0 - alpha)
        (u, v), at = across(m), 0.0
        covered = covered_arcs(k, u, v, count, caps, starts, ends)
        for a in range(covered + 1):
            stop = starts[a] if a < covered else TWO_PI
            if stop > at:
                arcs += 1
                first, last, half = on_circle(m, alpha, u, v, at), on_circle(m, alpha, u, v, stop), 0.5 * (stop - at)
                area -= triangle(POLE, first, m) + (1.0 - alpha) * (stop - at) + triangle(POLE, m, last)
                for q in range(nodes.size):
                    n = on_circle(m, alpha, u, v, at + half * (1.0 + nodes[q]))
                    nu = scale(half * weights[q], add_scaled(m, -alpha, n))
                    out = dot(nu, c)
                    n0, n1, n2 = n0 + nu[0], n1 + nu[1], n2 + nu[2]
                    m0, m1, m2 = m0 + n[0] * nu[0], m1 + n[1] * nu[1], m2 + n[2] * nu[2]
                    m3, m4, m5 = m3 + n[0] * nu[1], m4 + n[1] * nu[2], m5 + n[2] * nu[0]
                    s0, s1, s2 = s0 + n[0] * n[0] * out, s1 + n[1] * n[1] * out, s2 + n[2] * n[2] * out
                    s3, s4, s5 = s3 + n[0] * n[1] * out, s4 + n[1] * n[2] * out, s5 + n[2] * n[0] * out
            if a < covered:
                at = max(at, ends[a])
    if count > 0 and arcs == 0:
        return
    middle = 0.5 * (max(2.0 * TWO_PI - whole, 0.0) + 2.0 * TWO_PI - largest)  # of the areas that are possible
    area += 2.0 * TWO_PI * math.floor((middle - area) / (2.0 * TWO_PI) + 0.5)
    first = (-0.5 * n0, -0.5 * n1, -0.5 * n2)
    second = ((area - m0) / 3.0, (area - m1) / 3.0, (area - m2) / 3.0, -m3 / 3.0, -m4 / 3.0, -m5 / 3.0)
    add_moments(c, r, area, first, second, (s0, s1, s2, s3, s4, s5), total)


@inline
def add_moments(c, r, area, first, second, third, total):
    """Add the moments that belong to the free part of a sphere.

    c, r: centre and radius [m].
    area, first, second, third: A, N, M, and ∮ n nᵀ (ν·c) ds, see the top; tensors by `ROWS`.
    Writes total: (MOMENTS,), added to.
    """
    xx, yy, zz, xy, yz, zx = second
    of_centre = (
        xx * c[0] + xy * c[1] + zx * c[2], xy * c[0] + yy * c[1] + yz * c[2], zx * c[0] + yz * c[1] + zz * c[2]
    )  # fmt: skip
    out, square = dot(c, first) + r * area, dot(c, c) + r * r
    total[0] += r * r * out / 3.0
    for a in range(3):
        total[1 + a] += 0.5 * r * r * (square * first[a] + 2.0 * r * of_centre[a])
    for k in range(6):
        a, b = ROWS[k]
        mixed = c[a] * first[b] + c[b] * first[a]
        s = 0.25 * (mixed - third[k])
        inner = c[a] * of_centre[b] + c[b] * of_centre[a] + r * mixed + r * (s + r * second[k])
        total[4 + k] += 0.2 * r * r * (c[a] * c[b] * out + r * inner)
