"""Contacts of two rounded polyhedra at several places: a face rests on a face with its corners.

One point per pair, the minimum of g in `overlap`, cannot hold a face on a face: it jumps from corner to corner, and
there is no torque between. Here the energy of two rounded polyhedra A and B is a sum over places,

    U = Σ_v w_v E(R - d(v, B)) + Σ_u w_u E(R - d(u, A)) + Σ_ef w_ef E(R - d(e, f)),   R = R_A + R_B,

over the vertices v of the core of A and u of that of B, each with its distance from the other core, and over pairs of
edges e of A and f of B whose closest points lie inside of both. So the corners of the polygon in which two faces meet
are one contact each. E(δ) is the energy of the contact law, 0 without overlap.

Places that meet would count twice. With δ the overlap of a contact itself, the weights are

    w_ef = Π (1 - (δ_k/δ)²) over the overlaps δ_k of each end of e with f, and of each end of f with e,
    w_v = Π (1 - ½ (δ_vu/δ)²) over the overlaps δ_vu of v with each vertex u of B, and likewise w_u:

0 where the crossing of two edges reaches an end, which then counts itself, and one half for each of two vertices that
touch. Distances from convex bodies, and so all weights, have continuous first derivatives: U has them as well. Its
force is Σ w E'(δ) n at the places of contact, and the forces of the weights, of energy E ∇w.

A place moves with A by dx and turns by dθ: dδ = n · dx + (x × n) · dθ, n from A to B, x from the centre of A.
"""

import math

import numpy as np
from dem.kernels.compiler.jit import func, inline, vector_loop
from dem.kernels.convex.shape_registry import ZERO_VECTOR, rounding_of
from dem.kernels.numerics.distances import segment_distance_squared
from dem.kernels.numerics.quaternion import rotate, rotate_back
from dem.kernels.numerics.vector import add, add_scaled, cross, dot, scale, subtract
from dem.kernels.simd.bits import count_bits, lowest_bit

MAX_CONTACTS = 32  # of a pair; those beyond are left out, as are vertices and edges beyond these numbers
CONTACT_ROOM = MAX_CONTACTS + 1  # one more, which shows that a pair has more than these
MAX_VERTICES, MAX_EDGES = 32, 80  # of a body within reach of the other; prisms have two edges a vertex there
MAX_CORNERS = 400  # vertices of a body
MAX_BITS = 52  # vertices and edges of a body whose lists can be stored as the bits of one floating-point number
# columns of a contact: which pieces touch, above 0; overlap [m]; n; place from the centre of A [m]; w; ∇w, as force and
# torque about the centre of A [1/m, 1]
KEY, DEPTH, NORMAL, POINT, WEIGHT, BY_POSITION, BY_ROTATION, COLUMNS = 0, 1, 2, 5, 8, 9, 12, 15
WIDTH = 8  # edges and vertices are looked at in multiples of this number, so that none is left over by vectors
# scratch: numbers of vertices and edges within reach of each body; of edges that may cross one of the other; both ends
# of those of B, in columns; whether they cross one of A; contacts; all vertices of each body in columns of height or
# outcode, and place. Lists have more room than entries, as numbers are written before it is known whether they count.
# Numbers and outcodes are integers: `integers` is the scratch seen as such
CORNER_WIDTH = 4
VERTEX_ROOM, EDGE_ROOM = MAX_VERTICES + WIDTH, MAX_EDGES + WIDTH
EDGES_AT = 2 * VERTEX_ROOM
CROSSING_EDGES_AT = EDGES_AT + 2 * EDGE_ROOM
ENDS_AT = CROSSING_EDGES_AT + 2 * EDGE_ROOM
CROSSES_AT = ENDS_AT + 6 * EDGE_ROOM
FOUND_AT = CROSSES_AT + EDGE_ROOM
CORNERS_AT = FOUND_AT + CONTACT_ROOM * COLUMNS
SCRATCH = CORNERS_AT + 2 * CORNER_WIDTH * MAX_CORNERS  # numbers of scratch
# outcodes: bit of vertices that are far from the other's plane across n; faces that have a bit, and how many are looked
# at together
BELOW, MAX_CODED_FACES, TOGETHER = 1 << 60, 48, 6
PARALLEL = 1e-14  # sin² of the angle of edges, below which they have no crossing
NEARLY_PARALLEL = 1e-6  # sin² of the angle of edges, below which their distance has few digits
ABOUT = 1.0001  # slack of a distance, or of its square, that is compared again, exactly
MIN_DIVISOR = 1e-300
NO_LISTS = (0, 0, 0, 0)  # see `find_contacts`


@inline
def vertex(numbers, at, k):
    """Vertex k of the core of a polyhedron in its body frame [m]."""
    k = at + 2 + 3 * k
    return numbers[k], numbers[k + 1], numbers[k + 2]


@inline
def number_of_vertices(body):
    """Number of vertices of the core of a polyhedron, a ConvexBody."""
    return int(body.numbers[body.at + 1])


@inline
def vertex_of(body, k):
    """Vertex k of the core of a polyhedron, a ConvexBody, from its centre in the world frame [m]."""
    return rotate(body.q, vertex(body.numbers, body.at, k))


@inline
def tables_of(numbers, at):
    """Number of edges and number of faces of a polyhedron, and the offset of its table of edges.

    To be read once for a pair: two loads and two conversions from floats have to wait for each other.
    """
    k = at + 2 + 3 * int(numbers[at + 1])
    return int(numbers[k]), int(numbers[k + 1]), k + 2


@inline
def nearest_of_segment(x, p, q):
    """Place on a segment that is nearest to x."""
    e = subtract(q, p)
    share = dot(subtract(x, p), e) / max(dot(e, e), MIN_DIVISOR)
    return add_scaled(p, min(max(share, 0.0), 1.0), e)


@inline
def plane(numbers, f):
    """Normal and height of a face, whose numbers begin at f [m]."""
    return (numbers[f], numbers[f + 1], numbers[f + 2]), numbers[f + 3]


@inline
def is_over_face(numbers, planes, f, y):
    """Whether a place is over a face: inside of the planes on its edges.

    planes, f: where the numbers of all faces, and of this one, begin.
    """
    sides = planes + int(numbers[f + 4])
    for k in range(sides + 1, sides + 1 + 4 * int(numbers[sides]), 4):
        inwards, level = plane(numbers, k)
        if dot(inwards, y) < level:
            return False
    return True


@inline
def vertex_at(side, k):
    """Index in scratch of the number of vertex k within reach, of A or B: 0 or 1."""
    return side * VERTEX_ROOM + k


@inline
def edge_at(side, k):
    """Index in scratch of the number of edge k within reach, of A or B: 0 or 1."""
    return EDGES_AT + side * EDGE_ROOM + k


@inline
def crossing_edge_at(side, k):
    """Index in scratch of the number of the k-th edge that may cross one of the other body, of A or B: 0 or 1."""
    return CROSSING_EDGES_AT + side * EDGE_ROOM + k


@inline
def end_at(end, k):
    """Index in scratch of the first number of either end, 0 or 1, of the k-th edge of B that may cross one of A."""
    return ENDS_AT + 3 * end * EDGE_ROOM + k


@inline
def column_of(scratch, at, room):
    """The vector in a column of three rows of this room, from `at` on."""
    return scratch[at], scratch[at + room], scratch[at + 2 * room]


@inline
def write_vector_column(scratch, at, room, v):
    """Write a vector to a column of three rows of this room, from `at` on."""
    scratch[at], scratch[at + room], scratch[at + 2 * room] = v


@inline
def triple(rows, k):
    """The vector from element k on."""
    return rows[k], rows[k + 1], rows[k + 2]


@inline
def put(rows, k, v):
    """Write a vector from element k on."""
    rows[k], rows[k + 1], rows[k + 2] = v


@inline
def corner_at(side, r, k):
    """Index in scratch of number r of vertex k, of A or B: 0 or 1."""
    return CORNERS_AT + (side * CORNER_WIDTH + r) * MAX_CORNERS + k


@inline
def corner(scratch, side, k):
    """Place of vertex k, of A or B, from the centre of A."""
    return column_of(scratch, corner_at(side, 1, k), MAX_CORNERS)


@inline
def end_of_edge(body, side, first, e, end, scratch):
    """Place of either end, 0 or 1, of edge e, from the centre of A; first: offset of the table of edges."""
    return corner(scratch, side, int(body.numbers[first + 2 * e + end]))


@vector_loop
def place_corners(count, numbers, at, q, side, centre, n, scratch):
    """Write places of vertices from the centre of A, and heights along n about their own centre [m]; see `WIDTH`."""
    for k in range(count):
        x = rotate(q, vertex(numbers, at, k))
        scratch[corner_at(side, 0, k)] = dot(n, x)
        write_vector_column(scratch, corner_at(side, 1, k), MAX_CORNERS, add(centre, x))


@inline
def place_corners_of(body, side, centre, n, scratch):
    """Write all vertices of a body, see `place_corners`."""
    count = number_of_vertices(body)
    filled = (count + WIDTH - 1) // WIDTH * WIDTH  # those beyond are made of the numbers that follow, and not looked at
    place_corners(filled, body.numbers, body.at, body.q, side, centre, n, scratch)


@inline
def largest_height(body, side, scratch):
    """Largest height of the vertices of a body, see `place_corners` [m]."""
    most = -math.inf
    for k in range(corner_at(side, 0, 0), corner_at(side, 0, number_of_vertices(body))):
        most = max(most, scratch[k])
    return most


@vector_loop
def begin_outcodes(count, side, level, scratch, integers):
    """Begin the outcodes of vertices: `BELOW` if their heights are at or below a level [m]; see `WIDTH`."""
    for k in range(corner_at(side, 0, 0), corner_at(side, 0, count)):
        integers[k] = 0 if scratch[k] > level else BELOW


@inline
def coded_plane(numbers, f, stop, reach):
    """Normal of a face and the height beyond which all is out of reach [m]; infinite from the face `stop` on."""
    n, height = plane(numbers, min(f, stop - 5))
    return n, height + ABOUT * reach if f < stop else math.inf


@vector_loop
def add_outcodes(count, side, q, centre, f_0, f_1, f_2, f_3, f_4, f_5, bit, scratch, integers):
    """Add a bit to the outcodes of vertices for each of six planes of the other body beyond which they are.

    q, centre: orientation of the other body, its centre from that of A [m].
    f_0 to f_5, bit: `coded_plane`; bit of the first.
    Writes integers: the same memory as scratch.
    """
    for k in range(count):
        y = rotate_back(q, subtract(column_of(scratch, corner_at(side, 1, k), MAX_CORNERS), centre))
        code = bit if dot(f_0[0], y) > f_0[1] else 0
        code |= bit << 1 if dot(f_1[0], y) > f_1[1] else 0
        code |= bit << 2 if dot(f_2[0], y) > f_2[1] else 0
        code |= bit << 3 if dot(f_3[0], y) > f_3[1] else 0
        code |= bit << 4 if dot(f_4[0], y) > f_4[1] else 0
        code |= bit << 5 if dot(f_5[0], y) > f_5[1] else 0
        integers[corner_at(side, 0, k)] |= code


@inline
def write_outcodes(body, other, side, centre, level, reach, scratch, integers):
    """Write the outcodes of the vertices of a body: a bit for each plane beyond which they are out of reach.

    The distance from a convex body is not less than the height over the plane of any of its faces. So vertices with a
    bit are out of reach, and so are edges with both ends beyond the same plane.

    other, centre: the other body, its centre from that of A [m].
    body, side, level: ConvexBody; 0 or 1; see `begin_outcodes`.
    reach: R_A + R_B [m].
    Writes integers: outcodes in place of heights.
    """
    filled = (number_of_vertices(body) + WIDTH - 1) // WIDTH * WIDTH
    begin_outcodes(filled, side, level, scratch, integers)
    numbers, (edges, faces, first) = other.numbers, tables_of(other.numbers, other.at)
    planes, bit = first + 2 * edges, 1
    stop = planes + 5 * min(faces, MAX_CODED_FACES)
    for f in range(planes, stop, 5 * TOGETHER):
        add_outcodes(
            filled, side, other.q, centre, coded_plane(numbers, f, stop, reach),
            coded_plane(numbers, f + 5, stop, reach), coded_plane(numbers, f + 10, stop, reach),
            coded_plane(numbers, f + 15, stop, reach), coded_plane(numbers, f + 20, stop, reach),
            coded_plane(numbers, f + 25, stop, reach), bit, scratch, integers,
        )  # fmt: skip
        bit <<= TOGETHER


@inline
def outcode(integers, side, k):
    """Outcode of vertex k, of A or B: 0 or 1."""
    return integers[corner_at(side, 0, k)]


@func
def list_within_reach(body, side, integers):
    """List vertices and edges that are not proven to be out of reach by their outcodes.

    body, side: ConvexBody, 0 or 1.
    Writes integers: numbers of vertices and edges of this side.
    Returns the number of vertices and the number of edges that are listed, and whether all are.
    """
    numbers, at, vertices, listed = body.numbers, body.at, 0, 0
    for k in range(int(numbers[at + 1])):
        integers[vertex_at(side, min(vertices, MAX_VERTICES))] = k
        vertices += 1 if outcode(integers, side, k) == 0 else 0
    edges, _, first = tables_of(numbers, at)
    for e in range(edges):
        i, j = int(numbers[first + 2 * e]), int(numbers[first + 2 * e + 1])
        integers[edge_at(side, min(listed, MAX_EDGES))] = e
        both = outcode(integers, side, i) & outcode(integers, side, j)
        listed += 1 if both == 0 else 0
    has_room = vertices <= MAX_VERTICES and listed <= MAX_EDGES
    return min(vertices, MAX_VERTICES), min(listed, MAX_EDGES), has_room


@inline
def bits_of_lists(body, side, vertices, listed, integers):
    """Bits of the vertices and edges that are listed, those of edges after those of vertices.

    Returns 0 for bodies of more than `MAX_BITS` vertices and edges.
    """
    count, bits = number_of_vertices(body), 0
    edges, _, _ = tables_of(body.numbers, body.at)
    for k in range(vertices if count + edges <= MAX_BITS else 0):
        bits |= 1 << integers[vertex_at(side, k)]
    for k in range(listed if count + edges <= MAX_BITS else 0):
        bits |= 1 << (count + integers[edge_at(side, k)])
    return bits


@inline
def write_set_bits(bits, integers, at):
    """Write the numbers of the bits that are set from element `at` on; returns how many they are.

    Four at a time, those beyond the last are not read: most lists are so short that the processor foresees the loop.
    """
    count, written = count_bits(bits), 0
    while True:
        for _ in range(4):
            integers[at + written] = lowest_bit(bits)
            bits &= bits - 1
            written += 1
        if written >= count:
            return count


@inline
def lists_of_bits(body, side, bits, integers):
    """List the vertices and edges whose bits are set; returns the number of each."""
    count = number_of_vertices(body)
    vertices = write_set_bits(bits & ((1 << count) - 1), integers, vertex_at(side, 0))
    return vertices, write_set_bits(bits >> count, integers, edge_at(side, 0))


@vector_loop
def record_near_edges(p, q, wide, edges, count, scratch, written):
    """Record which edges of B are nearer than a distance to an edge of A, from p to q, or nearly so.

    wide: the distance [m]. edges, count, scratch: see `record_crossings`.
    Writes written: the scratch itself, 1 for edges that are near. Returns the number of those.
    """
    number, square = 0, ABOUT * wide * wide
    for f in range(count):
        s, t = column_of(scratch, end_at(0, f), EDGE_ROOM), column_of(scratch, end_at(1, f), EDGE_ROOM)
        is_near = (segment_distance_squared(p, q, s, t) < square) & (f < edges)
        written[CROSSES_AT + f] = 1.0 if is_near else written[CROSSES_AT + f]
        number += 1 if is_near else 0
    return number


@inline
def write_ends(b, first, edges, at, scratch, integers):
    """Write the ends of edges of B to columns.

    edges, at: their number, and where the list of these begins. Returns the number of columns with those that fill the
    last vector.
    """
    for f in range(edges):
        for end in range(2):
            place = end_of_edge(b, 1, first, integers[at + f], end, scratch)
            write_vector_column(scratch, end_at(end, f), EDGE_ROOM, place)
    return (edges + WIDTH - 1) // WIDTH * WIDTH


@func
def list_crossing_edges(a, b, first_a, first_b, edges_a, edges_b, wide, scratch, integers):
    """List the edges within reach of either body that are no farther than a distance from one of the other.

    edges_a, edges_b, wide: numbers of edges within reach; the distance [m].
    Writes integers: numbers of these edges. Returns the number of those of A and of B, and both as bits.
    """
    filled = write_ends(b, first_b, edges_b, edge_at(1, 0), scratch, integers)
    for f in range(filled):
        scratch[CROSSES_AT + f] = 0.0
    count_a, count_b, bits_a, bits_b = 0, 0, 0, 0
    for e in range(edges_a):
        edge = integers[edge_at(0, e)]
        p, q = end_of_edge(a, 0, first_a, edge, 0, scratch), end_of_edge(a, 0, first_a, edge, 1, scratch)
        integers[crossing_edge_at(0, count_a)] = edge
        if record_near_edges(p, q, wide, edges_b, filled, scratch, scratch) > 0:
            count_a, bits_a = count_a + 1, bits_a | 1 << edge
    for f in range(edges_b):
        edge = integers[edge_at(1, f)]
        integers[crossing_edge_at(1, count_b)] = edge
        if scratch[CROSSES_AT + f] > 0.0:
            count_b, bits_b = count_b + 1, bits_b | 1 << edge
    return count_a, count_b, bits_a, bits_b


@inline
def copy_edges(side, edges, integers):
    """List all edges within reach as those that may cross one of the other body; returns their number."""
    for e in range(edges):
        integers[crossing_edge_at(side, e)] = integers[edge_at(side, e)]
    return edges


@inline
def distance_of_point(body, side, tables, y, reach, listed, integers):
    """Distance of a place y from the core of a polyhedron, and the unit normal from it to y; in its body frame.

    Less than 0 inside, by the distance of the nearest face. Places that are farther than `reach` are only proven to be:
    the edge that is nearest to one within reach is within reach itself.

    body, side, tables, listed: the polyhedron, 0 or 1, `tables_of`, number of its edges within reach. Those that are
        left out for want of room may be the nearest; then all are looked at.
    """
    numbers, at = body.numbers, body.at
    edges, faces, first = tables
    planes, deepest, highest = first + 2 * edges, -math.inf, first
    stop = planes + 5 * faces
    for f in range(planes, stop, 5):
        n, level = plane(numbers, f)
        height = dot(n, y) - level
        highest = f if height > deepest else highest
        deepest = max(deepest, height)
    normal, _ = plane(numbers, highest)
    # a place over one face is over no other
    if deepest >= reach or deepest <= 0.0 or is_over_face(numbers, planes, highest, y):
        return deepest, normal
    for f in range(planes, stop, 5):
        n, level = plane(numbers, f)
        height = dot(n, y) - level
        if height > 0.0 and f != highest and is_over_face(numbers, planes, f, y):
            return height, n
    nearest, away, has_all = math.inf, normal, listed < MAX_EDGES
    for k in range(listed if has_all else edges):
        e = first + 2 * (integers[edge_at(side, k)] if has_all else k)
        p, q = vertex(numbers, at, int(numbers[e])), vertex(numbers, at, int(numbers[e + 1]))
        v = subtract(y, nearest_of_segment(y, p, q))
        square = dot(v, v)
        if square < nearest:
            nearest, away = square, v
    distance = math.sqrt(nearest)
    return distance, scale(1.0 / max(distance, MIN_DIVISOR), away)


@inline
def write_contact(scratch, count, key, depth, n, place):
    """Write a contact of the weight 1; returns the number of contacts."""
    if count >= CONTACT_ROOM:
        return count
    row, none = FOUND_AT + count * COLUMNS, (0.0, 0.0, 0.0)
    scratch[row + KEY], scratch[row + DEPTH], scratch[row + WEIGHT] = key, depth, 1.0
    put(scratch, row + NORMAL, n)
    put(scratch, row + POINT, place)
    put(scratch, row + BY_POSITION, none)
    put(scratch, row + BY_ROTATION, none)
    return count + 1


@inline
def reduce_weight(scratch, row, share, reach, p, q):
    """Reduce the weight of a contact by its overlap δ_k with points p of A and q of B, so that no place counts twice.

    The weight is multiplied by 1 - share (δ_k/δ)², and its gradient follows.

    row, share: where the contact begins; see above.
    reach: R_A + R_B [m].
    p, q: places on the cores, from the centre of A [m].
    Writes scratch: WEIGHT, BY_POSITION and BY_ROTATION of the contact.
    """
    v = subtract(q, p)
    square = dot(v, v)
    if square >= ABOUT * reach * reach:
        return
    distance = math.sqrt(square)
    other = reach - distance
    if other <= 0.0:
        return
    depth, n, x = scratch[row + DEPTH], triple(scratch, row + NORMAL), triple(scratch, row + POINT)
    m, weight = scale(1.0 / max(distance, MIN_DIVISOR), v), scratch[row + WEIGHT]
    ratio = min(other / depth, 1.0)
    factor, slope = 1.0 - share * ratio * ratio, -2.0 * share * ratio / depth * weight
    by_position = add_scaled(m, -ratio, n)
    by_rotation = add_scaled(cross(p, m), -ratio, cross(x, n))
    put(scratch, row + BY_POSITION, add_scaled(scale(slope, by_position), factor, triple(scratch, row + BY_POSITION)))
    put(scratch, row + BY_ROTATION, add_scaled(scale(slope, by_rotation), factor, triple(scratch, row + BY_ROTATION)))
    scratch[row + WEIGHT] = factor * weight


@inline
def add_vertices(a, b, r, side, tables, own, others, edges, reach, count, scratch, integers):
    """Write the contacts of the vertices of one body with the other.

    a, b, r, reach: see `find_contacts`.
    side, own, others: 0 for vertices of A, 1 for those of B; numbers of those within reach, of this body and the other.
    tables, edges: `tables_of` of the other, number of its edges within reach.
    count: contacts so far.
    Writes scratch: contacts.
    Returns the number of contacts.
    """
    first_key = 1.0 + side * a.numbers[a.at + 1]
    for k in range(own):
        number = integers[vertex_at(side, k)]
        x = corner(scratch, side, number)
        if side == 0:
            d, m = distance_of_point(b, 1, tables, rotate_back(b.q, subtract(x, r)), reach, edges, integers)
            n, outside = scale(-1.0, rotate(b.q, m)), rounding_of(a)
        else:
            d, m = distance_of_point(a, 0, tables, rotate_back(a.q, x), reach, edges, integers)
            n, outside = rotate(a.q, m), rounding_of(a) - d
        if d < reach:
            place, at, before = add_scaled(x, outside - 0.5 * (reach - d), n), FOUND_AT + count * COLUMNS, count
            count = write_contact(scratch, count, first_key + number, reach - d, n, place)
            for other in range(others if count > before else 0):
                y = corner(scratch, 1 - side, integers[vertex_at(1 - side, other)])
                if side == 0:
                    reduce_weight(scratch, at, 0.5, reach, x, y)
                else:
                    reduce_weight(scratch, at, 0.5, reach, y, x)
    return count


@inline
def shares_of_crossing(u, v, w):
    """Parameters of the closest points of two lines along u and v, the second of which begins at w.

    Returns the area |u × v|², the places on u and on v as shares times the area, and whether both are within u and v.
    """
    uu, uv, vv, uw, vw = dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)
    area = uu * vv - uv * uv
    on_u, on_v = uw * vv - vw * uv, uw * uv - vw * uu
    is_inside = (area > PARALLEL * uu * vv) & (on_u > 0.0) & (on_u < area) & (on_v > 0.0) & (on_v < area)
    return area, on_u, on_v, is_inside


@inline
def crossing(p, q, s, t):
    """Closest points of the straight lines through two segments, p to q and s to t, which are inside of both."""
    u, v, w = subtract(q, p), subtract(t, s), subtract(s, p)
    area, on_u, on_v, _ = shares_of_crossing(u, v, w)
    return add_scaled(p, on_u / area, u), add_scaled(s, on_v / area, v)


@inline
def is_crossing(p, q, s, t, reach):
    """Whether an edge of B, from s to t, crosses one of A, from p to q, and is about as near to it as `reach` [m].

    Straight lines along u and v, one of which is w from the other, are |w · (u × v)|/|u × v| apart. Lines that are
    nearly parallel count as near, as this has few digits then: `crossing` decides.
    """
    u, v, w = subtract(q, p), subtract(t, s), subtract(s, p)
    area, _, _, is_inside = shares_of_crossing(u, v, w)
    apart = dot(w, cross(u, v))
    is_near = (apart * apart < ABOUT * reach * reach * area) | (area < NEARLY_PARALLEL * dot(u, u) * dot(v, v))
    return is_inside & is_near


@vector_loop
def record_crossings(p, q, reach, edges, count, scratch, written):
    """Write whether edges of B in columns cross an edge of A, from p to q, see `is_crossing`.

    reach: R_A + R_B [m]. written: the scratch itself.
    edges, count: of B in columns; as many and those that fill the last vector, which cross none.
    Returns the number of those that do.
    """
    number = 0
    for f in range(count):
        s, t = column_of(scratch, end_at(0, f), EDGE_ROOM), column_of(scratch, end_at(1, f), EDGE_ROOM)
        crosses = is_crossing(p, q, s, t, reach) & (f < edges)
        written[CROSSES_AT + f] = 1.0 if crosses else 0.0
        number += 1 if crosses else 0
    return number


@inline
def add_crossings(a, b, tables_a, tables_b, edges_a, edges_b, reach, count, scratch, integers):
    """Write the contacts of edges of A with edges of B.

    a, b, reach: see `find_contacts`.
    edges_a, edges_b: numbers of edges that may cross.
    count: contacts so far.
    Writes scratch: contacts.
    Returns the number of contacts.
    """
    rounding, first_key = rounding_of(a), 1.0 + a.numbers[a.at + 1] + b.numbers[b.at + 1]
    (_, _, first_a), (keys, _, first_b) = tables_a, tables_b
    is_single = edges_b == 1  # most often; it would wait for numbers that have just been written to columns
    in_columns = 0 if is_single or edges_a == 0 else edges_b
    filled = write_ends(b, first_b, in_columns, crossing_edge_at(1, 0), scratch, integers)
    for e in range(edges_a):
        number_a = integers[crossing_edge_at(0, e)]
        p, q = end_of_edge(a, 0, first_a, number_a, 0, scratch), end_of_edge(a, 0, first_a, number_a, 1, scratch)
        number = 1 if is_single else record_crossings(p, q, reach, edges_b, filled, scratch, scratch)
        for f in range(edges_b if number > 0 else 0):
            number_b = integers[crossing_edge_at(1, f)]
            s, t = end_of_edge(b, 1, first_b, number_b, 0, scratch), end_of_edge(b, 1, first_b, number_b, 1, scratch)
            if not (is_crossing(p, q, s, t, reach) if is_single else scratch[CROSSES_AT + f] > 0.0):
                continue
            x, y = crossing(p, q, s, t)
            away = subtract(y, x)
            d = math.sqrt(dot(away, away))
            if d >= reach or d == 0.0:
                continue
            n, before, row = scale(1.0 / d, away), count, FOUND_AT + count * COLUMNS
            place = add_scaled(x, rounding - 0.5 * (reach - d), n)
            key = first_key + number_a * keys + number_b
            count = write_contact(scratch, count, key, reach - d, n, place)
            if count > before:
                reduce_weight(scratch, row, 1.0, reach, p, nearest_of_segment(p, s, t))
                reduce_weight(scratch, row, 1.0, reach, q, nearest_of_segment(q, s, t))
                reduce_weight(scratch, row, 1.0, reach, nearest_of_segment(s, p, q), s)
                reduce_weight(scratch, row, 1.0, reach, nearest_of_segment(t, p, q), t)
                if not scratch[row + WEIGHT] > 0.0:
                    count = before
    return count


@inline
def extent(body, n):
    """Largest n · x of the core of a polyhedron about its centre, n in the world [m]."""
    n, most = rotate_back(body.q, n), -math.inf
    for k in range(number_of_vertices(body)):
        most = max(most, dot(n, vertex(body.numbers, body.at, k)))
    return most


@func
def find_contacts(a, b, r, n, margin, lists, scratch):
    """All contacts of two rounded polyhedra whose cores are apart.

    Which vertices and edges may be within reach is found once for several steps: the lists of an earlier call hold
    until points of the bodies have approached each other by its margin. Contacts do not depend on what else is listed.

    a, b: ConvexBody, of `dem.kernels.convex.shape_registry.PolyhedronKind`.
    r: from the centre of A to that of B [m].
    n: unit vector, about from A to B: pieces of either that are far from the other's plane across n are left out.
        The contacts that are found do not depend on it.
    margin: distance beyond R_A + R_B, up to which vertices and edges are listed [m].
    lists: of an earlier call that still hold, or `NO_LISTS`: bits of the vertices and edges of A and of B within reach;
        of the edges of A and of B that may cross one of the other.
    Writes scratch: (SCRATCH,) contacts from FOUND_AT on, COLUMNS numbers each.
    Returns the number of contacts, at most `MAX_CONTACTS`; whether some may be left out for want of room; the lists;
    with new ones, the distance of the cores along n [m], else 0.
    """
    bits_a, bits_b, cross_a, cross_b = lists
    reach, integers, gap = rounding_of(a) + rounding_of(b), scratch.view(np.int64), 0.0
    tables_a, tables_b = tables_of(a.numbers, a.at), tables_of(b.numbers, b.at)
    place_corners_of(a, 0, ZERO_VECTOR, n, scratch)
    place_corners_of(b, 1, r, scale(-1.0, n), scratch)
    has_room = True
    if bits_a != 0 and bits_b != 0:
        vertices_a, edges_a = lists_of_bits(a, 0, bits_a, integers)
        vertices_b, edges_b = lists_of_bits(b, 1, bits_b, integers)
        crossing_a = write_set_bits(cross_a, integers, crossing_edge_at(0, 0))
        crossing_b = write_set_bits(cross_b, integers, crossing_edge_at(1, 0))
    else:
        high_a, high_b = largest_height(a, 0, scratch), largest_height(b, 1, scratch)
        wide, gap = reach + margin, dot(n, r) - high_a - high_b
        if gap >= wide:
            return 0, False, NO_LISTS, gap
        write_outcodes(a, b, 0, r, high_a + gap - wide, wide, scratch, integers)
        write_outcodes(b, a, 1, ZERO_VECTOR, high_b + gap - wide, wide, scratch, integers)
        vertices_a, edges_a, has_room_a = list_within_reach(a, 0, integers)
        vertices_b, edges_b, has_room_b = list_within_reach(b, 1, integers)
        has_room = has_room_a and has_room_b
        bits_a = bits_of_lists(a, 0, vertices_a, edges_a, integers)
        bits_b = bits_of_lists(b, 1, vertices_b, edges_b, integers)
        if margin > 0.0 and bits_a != 0 and bits_b != 0:
            crossing_a, crossing_b, cross_a, cross_b = list_crossing_edges(
                a, b, tables_a[2], tables_b[2], edges_a, edges_b, wide, scratch, integers
            )
        else:
            crossing_a, crossing_b = copy_edges(0, edges_a, integers), copy_edges(1, edges_b, integers)
    count = add_vertices(a, b, r, 0, tables_b, vertices_a, vertices_b, edges_b, reach, 0, scratch, integers)
    count = add_vertices(a, b, r, 1, tables_a, vertices_b, vertices_a, edges_a, reach, count, scratch, integers)
    count = add_crossings(a, b, tables_a, tables_b, crossing_a, crossing_b, reach, count, scratch, integers)
    omits = count > MAX_CONTACTS or not has_room
    return min(count, MAX_CONTACTS), omits, (bits_a, bits_b, cross_a, cross_b), gap
