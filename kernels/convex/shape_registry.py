"""Registry of convex shapes: a row of `CONVEX_KINDS` holds the functions and parameters of a shape.

A kind is a class, a NamedTuple without fields, with a row here. A kind of your own needs no more than this:

    class EggKind(NamedTuple):
        "A ball whose upper half is an ellipsoid."

    CONVEX_KINDS[EggKind] = ConvexKind("egg", egg_support, egg_curvature, parameters=("radius", "height"))

Kernels find the rows by the chain of the kinds in a run (`dem.kernels.compiler.kind_chain`). A body stores the place of
its kind in this chain.
"""

from operator import attrgetter
from typing import NamedTuple

from dem.kernels.compiler.jit import inline, select, type_is
from dem.kernels.compiler.kind_chain import KindTable, by_place, chain_of
from dem.kernels.convex import supports
from dem.kernels.numerics.quaternion import rotate, rotate_back
from dem.kernels.numerics.vector import dot


class ConvexKind(NamedTuple):
    """Functions of a kind of convex shape, whose numbers begin at ``numbers[at]``; see `supports` for each.

    ``support`` is a formula of (numbers, at, n): the support function h(n) [m] of a unit vector n in the body frame,
    and the support point x(n) [m]. ``curvature`` is one of (numbers, at, n): the second derivatives of h as
    ∇∇h = k_1 w ⊗ w + k_2 v ⊗ v with vectors across n of any length, (k_1, w, k_2, v); of a ball or of a rounding radius
    it is `supports.round_curvature`. ``rounding`` is one of (numbers, at): the radius of balls about every point of a
    core that make up the body [m]; it may be 0. ``is_smooth`` says whether the second derivatives exist almost
    everywhere and make up the first ones: not where x(n) jumps from vertex to vertex. ``normal`` is a formula of
    (numbers, at, x), the direction of the normal on the ray through x: for shapes that are so flat in places that x(n)
    is far from a linear function. ``line`` is a formula of (numbers, at, p, q), the directions of up to two straight
    lines on the surface of the core between two of its support points for nearly the same n, zeros where there are
    none: for edges and flat faces. ``has_facets`` says whether the numbers tell edges and faces, see `polyhedra`.
    ``parameters`` are the names of the numbers.
    """

    name: str
    support: object
    curvature: object
    rounding: object = supports.no_rounding
    is_smooth: bool = True
    normal: object = None
    line: object = supports.no_line
    has_facets: bool = False
    parameters: tuple = ()


class BallKind(NamedTuple):
    """Balls."""


class EllipsoidKind(NamedTuple):
    """Ellipsoids of three semi-axes."""


class SuperellipsoidKind(NamedTuple):
    """Superellipsoids of three semi-axes and two exponents."""


class EvenSuperellipsoidKind(NamedTuple):
    """Superellipsoids of three semi-axes whose two exponents are equal."""


class QuarticKind(NamedTuple):
    """Superellipsoids of three semi-axes and two exponents of 4; their powers are computed by roots."""


class CapsuleKind(NamedTuple):
    """Capsules about body x."""


class PolyhedronKind(NamedTuple):
    """Convex polyhedra with rounded edges."""


class CylinderKind(NamedTuple):
    """Cylinders about body x with rounded edges."""


class TriangleKind(NamedTuple):
    """Triangles without thickness."""


CONVEX_KINDS: dict[type, ConvexKind] = KindTable("support", "curvature", "rounding", "normal", "line", rows={
    BallKind: ConvexKind(
        "ball", supports.ball_support, supports.ball_curvature, supports.rounding_first, parameters=("radius",)
    ),
    EllipsoidKind: ConvexKind(
        "ellipsoid", supports.ellipsoid_support, supports.ellipsoid_curvature, parameters=("a", "b", "c")
    ),
    SuperellipsoidKind: ConvexKind(
        "superellipsoid", supports.superellipsoid_support, supports.superellipsoid_curvature,
        normal=supports.superellipsoid_normal,
        parameters=("a", "b", "c", "n1", "n2", "q1", "q2"),
    ),
    EvenSuperellipsoidKind: ConvexKind(
        "even superellipsoid", supports.even_support, supports.even_curvature, normal=supports.superellipsoid_normal,
        parameters=("a", "b", "c", "n1", "n2", "q1", "q2"),
    ),
    QuarticKind: ConvexKind(
        "quartic superellipsoid", supports.quartic_support, supports.quartic_curvature, normal=supports.quartic_normal,
        parameters=("a", "b", "c", "n1", "n2", "q1", "q2"),
    ),
    CapsuleKind: ConvexKind(
        "capsule", supports.capsule_support, supports.capsule_curvature, supports.rounding_second, is_smooth=False,
        line=supports.line_of_vertices, parameters=("half_length", "radius"),
    ),
    PolyhedronKind: ConvexKind(
        "polyhedron", supports.polyhedron_support, supports.polyhedron_curvature, supports.rounding_first,
        is_smooth=False, line=supports.line_of_vertices, has_facets=True,
        parameters=("rounding", "count", "vertices", "edge_count", "face_count", "edges", "faces"),
    ),
    CylinderKind: ConvexKind(
        "cylinder", supports.cylinder_support, supports.cylinder_curvature, supports.rounding_third, is_smooth=False,
        line=supports.line_of_cylinder, parameters=("core_radius", "core_half_length", "rounding"),
    ),
    TriangleKind: ConvexKind(
        "triangle", supports.triangle_support, supports.no_curvature, is_smooth=False, line=supports.line_of_vertices,
        parameters=("vertices",),
    ),
})  # fmt: skip


class ConvexBody(NamedTuple):
    """A convex body as kernels take it: its shape, and how it is turned."""

    kinds: tuple  # chain of the kinds of a run
    number: int  # place of its kind in the chain
    numbers: object  # numbers of all shapes (S,)
    at: int  # where those of its shape begin
    q: tuple  # unit quaternion (w, x, y, z), body to world


def convex_kinds(kinds):
    """The chain of some classes, in Python; raises KeyError for one that has no row."""
    for kind in kinds:
        if kind not in CONVEX_KINDS:
            known = ", ".join(row.name for row in CONVEX_KINDS.values())
            message = f"no convex shape is registered for {kind!r}; those registered are {known}"
            raise KeyError(message)
    return chain_of(kinds)


def _by_place(function_of_row, missing):
    """Make a kernel function (chain, position, arguments) that calls a function of the shape at this position."""
    return by_place(select("kind", CONVEX_KINDS, function_of_row, handed=False), missing)


ZERO_VECTOR = (0.0, 0.0, 0.0)
support_at = _by_place(attrgetter("support"), (float("nan"), ZERO_VECTOR))
curvature_at = _by_place(attrgetter("curvature"), (float("nan"), ZERO_VECTOR, float("nan"), ZERO_VECTOR))
rounding_at = _by_place(attrgetter("rounding"), 0.0)
normal_at = _by_place(lambda row: row.normal or supports.no_normal, ZERO_VECTOR)
line_at = _by_place(attrgetter("line"), (ZERO_VECTOR, ZERO_VECTOR))
is_smooth_at = by_place(type_is(lambda kind: CONVEX_KINDS[kind].is_smooth), False)
is_flat_at = by_place(type_is(lambda kind: CONVEX_KINDS[kind].normal is not None), False)
is_faceted_at = by_place(type_is(lambda kind: CONVEX_KINDS[kind].has_facets), False)


@inline
def support_of(body, n):
    """Support function [m] of a body and its support point about its centre [m] for a unit vector; world frame."""
    h, x = support_at(body.kinds, body.number, (body.numbers, body.at, rotate_back(body.q, n)))
    return h, rotate(body.q, x)


@inline
def surface_of(body, n):
    """Results of `support_of`, and the curvature (k_1, w, k_2, v), see `ConvexKind`; world frame."""
    m = rotate_back(body.q, n)
    h, x = support_at(body.kinds, body.number, (body.numbers, body.at, m))
    k_1, w, k_2, v = curvature_at(body.kinds, body.number, (body.numbers, body.at, m))
    return h, rotate(body.q, x), (k_1, rotate(body.q, w), k_2, rotate(body.q, v))


@inline
def along_two(curvature, t_1, t_2):
    """Second derivatives of a support function along two vectors, as (11, 12, 22) [m]."""
    k_1, w, k_2, v = curvature
    w_1, w_2, v_1, v_2 = dot(w, t_1), dot(w, t_2), dot(v, t_1), dot(v, t_2)
    return k_1 * w_1 * w_1 + k_2 * v_1 * v_1, k_1 * w_1 * w_2 + k_2 * v_1 * v_2, k_1 * w_2 * w_2 + k_2 * v_2 * v_2


@inline
def rounding_of(body):
    """Radius of the balls about a core that a body consists of [m]; 0 for bodies without."""
    return rounding_at(body.kinds, body.number, (body.numbers, body.at))


@inline
def is_smooth(body):
    """Whether the second derivatives of a body's support function make up the first ones."""
    return is_smooth_at(body.kinds, body.number, ())


@inline
def has_facets(body):
    """Whether a body is a polyhedron whose numbers tell edges and faces."""
    return is_faceted_at(body.kinds, body.number, ())


@inline
def has_flat_places(body):
    """Whether a shape has flat faces, for which `normal_of` is defined."""
    return is_flat_at(body.kinds, body.number, ())


@inline
def normal_of(body, x):
    """Direction of a body's normal on the ray from its centre through x, of any length; world frame."""
    return rotate(body.q, normal_at(body.kinds, body.number, (body.numbers, body.at, rotate_back(body.q, x))))


@inline
def lines_of(body, p, q):
    """Directions of straight lines on the surface of a body's core between two support points, or zeros; world."""
    p, q = rotate_back(body.q, p), rotate_back(body.q, q)
    first, second = line_at(body.kinds, body.number, (body.numbers, body.at, p, q))
    return rotate(body.q, first), rotate(body.q, second)
