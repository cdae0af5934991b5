"""Registration of convex shapes: one row of `CONVEX_KINDS` says all that kernels want to know of one.

A kind is a class, a NamedTuple without fields, with a row here. A kind of one's own needs no more than that:

    class EggKind(NamedTuple):
        "A ball whose upper half is an ellipsoid."

    CONVEX_KINDS[EggKind] = ConvexKind("egg", egg_support, egg_curvature, parameters=("radius", "height"))

Kernels find the rows by the classes when they are compiled, so that runs without a shape pay nothing for it. A chain
of `ConvexKinds`, one for each kind in a run, hands the classes on; it ends with `NoConvexKinds`. A body names its kind
by its place in the chain.
"""

from operator import attrgetter
from typing import NamedTuple

from dem.kernels.compiler.jit import inline, select, type_is
from dem.kernels.convex import supports
from dem.kernels.numerics.quaternion import rotate, rotate_back


class ConvexKind(NamedTuple):
    """Functions of a kind of convex shape, whose numbers begin at ``numbers[at]``; see `supports` for each.

    ``support`` is a formula of (numbers, at, n): the support function h(n) [m] of a unit vector n in the body frame,
    and the support point x(n) [m]. ``curvature`` is one of (numbers, at, n, t_1, t_2), the second derivatives of h
    along two vectors across n, [m]. ``rounding`` is one of (numbers, at): the radius of balls about every point of a
    core that make up the body [m]; it may be 0. ``is_smooth`` says whether the second derivatives exist almost
    everywhere and make up the first ones: not where x(n) jumps from vertex to vertex. ``normal`` is a formula of
    (numbers, at, x), the direction of the normal on the ray through x: for shapes that are so flat in places that x(n)
    is far from a linear function. ``line`` is a formula of (numbers, at, p, q), the directions of up to two straight
    lines on the surface of the core between two of its support points for nearly the same n, zeros where there are
    none: for edges and flat faces. ``parameters`` are the names of the numbers.
    """

    name: str
    support: object
    curvature: object
    rounding: object = supports.no_rounding
    is_smooth: bool = True
    normal: object = None
    line: object = supports.no_line
    parameters: tuple = ()


class BallKind(NamedTuple):
    """Balls."""


class EllipsoidKind(NamedTuple):
    """Ellipsoids of three semi-axes."""


class SuperellipsoidKind(NamedTuple):
    """Superellipsoids of three semi-axes and two exponents."""


class CapsuleKind(NamedTuple):
    """Capsules about body x."""


class PolyhedronKind(NamedTuple):
    """Convex polyhedra with rounded edges."""


class CylinderKind(NamedTuple):
    """Cylinders about body x with rounded edges."""


class TriangleKind(NamedTuple):
    """Triangles without thickness."""


CONVEX_KINDS: dict[type, ConvexKind] = {
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
    CapsuleKind: ConvexKind(
        "capsule", supports.capsule_support, supports.capsule_curvature, supports.rounding_second, is_smooth=False,
        line=supports.line_of_vertices, parameters=("half_length", "radius"),
    ),
    PolyhedronKind: ConvexKind(
        "polyhedron", supports.polyhedron_support, supports.polyhedron_curvature, supports.rounding_first,
        is_smooth=False, line=supports.line_of_vertices, parameters=("rounding", "count", "vertices"),
    ),
    CylinderKind: ConvexKind(
        "cylinder", supports.cylinder_support, supports.cylinder_curvature, supports.rounding_third, is_smooth=False,
        line=supports.line_of_cylinder, parameters=("core_radius", "core_half_length", "rounding"),
    ),
    TriangleKind: ConvexKind(
        "triangle", supports.triangle_support, supports.no_curvature, is_smooth=False, line=supports.line_of_vertices,
        parameters=("vertices",),
    ),
}  # fmt: skip


class NoConvexKinds(NamedTuple):
    """End of the chain of kinds of convex shapes."""


class ConvexKinds(NamedTuple):
    """A kind of convex shape, and the others."""

    kind: tuple  # an instance of its class
    others: tuple


class ConvexBody(NamedTuple):
    """A convex body as kernels take it: its shape, and how it is turned."""

    kinds: tuple  # chain of the kinds of a run
    number: int  # place of its kind in the chain
    numbers: object  # numbers of all shapes (S,)
    at: int  # where those of its shape begin
    q: tuple  # unit quaternion (w, x, y, z), body to world


def convex_kinds(kinds):
    """The chain of some classes, in Python; raises KeyError for one that has no row."""
    chain = NoConvexKinds()
    for kind in reversed(kinds):
        if kind not in CONVEX_KINDS:
            known = ", ".join(row.name for row in CONVEX_KINDS.values())
            message = f"no convex shape is registered for {kind!r}; those registered are {known}"
            raise KeyError(message)
        chain = ConvexKinds(kind(), chain)
    return chain


support_by_kind = select("kind", CONVEX_KINDS, attrgetter("support"), handed=False)
curvature_by_kind = select("kind", CONVEX_KINDS, attrgetter("curvature"), handed=False)
rounding_by_kind = select("kind", CONVEX_KINDS, attrgetter("rounding"), handed=False)
normal_by_kind = select("kind", CONVEX_KINDS, lambda row: row.normal or supports.no_normal, handed=False)
line_by_kind = select("kind", CONVEX_KINDS, attrgetter("line"), handed=False)
is_kind_smooth = type_is(lambda kind: CONVEX_KINDS[kind].is_smooth)
is_kind_flat = type_is(lambda kind: CONVEX_KINDS[kind].normal is not None)


@inline
def no_support(chain, number, numbers, at, n):
    """Bodies whose kind is not in the chain do not come here."""
    return float("nan"), (0.0, 0.0, 0.0)


@inline
def first_support(chain, number, numbers, at, n):
    """Support by the first kind of the chain, or by the others."""
    if number == 0:
        return support_by_kind(chain.kind, numbers, at, n)
    return support_in_chain(chain.others, number - 1, numbers, at, n)


support_in_chain = select("chain", {NoConvexKinds: no_support, ConvexKinds: first_support})


@inline
def no_curvature(chain, number, numbers, at, n, t_1, t_2):
    """Bodies whose kind is not in the chain do not come here."""
    return float("nan"), 0.0, 0.0


@inline
def first_curvature(chain, number, numbers, at, n, t_1, t_2):
    """Curvature by the first kind of the chain, or by the others."""
    if number == 0:
        return curvature_by_kind(chain.kind, numbers, at, n, t_1, t_2)
    return curvature_in_chain(chain.others, number - 1, numbers, at, n, t_1, t_2)


curvature_in_chain = select("chain", {NoConvexKinds: no_curvature, ConvexKinds: first_curvature})


@inline
def no_rounding(chain, number, numbers, at):
    """Bodies whose kind is not in the chain do not come here."""
    return 0.0


@inline
def first_rounding(chain, number, numbers, at):
    """Rounding radius by the first kind of the chain, or by the others."""
    if number == 0:
        return rounding_by_kind(chain.kind, numbers, at)
    return rounding_in_chain(chain.others, number - 1, numbers, at)


rounding_in_chain = select("chain", {NoConvexKinds: no_rounding, ConvexKinds: first_rounding})


@inline
def no_normal(chain, number, numbers, at, x):
    """Bodies whose kind is not in the chain do not come here."""
    return 0.0, 0.0, 0.0


@inline
def first_normal(chain, number, numbers, at, x):
    """Direction of the normal by the first kind of the chain, or by the others."""
    if number == 0:
        return normal_by_kind(chain.kind, numbers, at, x)
    return normal_in_chain(chain.others, number - 1, numbers, at, x)


normal_in_chain = select("chain", {NoConvexKinds: no_normal, ConvexKinds: first_normal})


@inline
def no_line(chain, number, numbers, at, p, q):
    """Bodies whose kind is not in the chain do not come here."""
    return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)


@inline
def first_line(chain, number, numbers, at, p, q):
    """Straight lines on the surface by the first kind of the chain, or by the others."""
    if number == 0:
        return line_by_kind(chain.kind, numbers, at, p, q)
    return line_in_chain(chain.others, number - 1, numbers, at, p, q)


line_in_chain = select("chain", {NoConvexKinds: no_line, ConvexKinds: first_line})


@inline
def never_flat(chain, number):
    """Bodies whose kind is not in the chain do not come here."""
    return False


@inline
def first_flat(chain, number):
    """Whether the first kind of the chain has flat places, or the one of the others."""
    if number == 0:
        return is_kind_flat(chain.kind)
    return flat_in_chain(chain.others, number - 1)


flat_in_chain = select("chain", {NoConvexKinds: never_flat, ConvexKinds: first_flat})


@inline
def never_smooth(chain, number):
    """Bodies whose kind is not in the chain do not come here."""
    return False


@inline
def first_smooth(chain, number):
    """Whether the first kind of the chain is smooth, or the one of the others."""
    if number == 0:
        return is_kind_smooth(chain.kind)
    return smooth_in_chain(chain.others, number - 1)


smooth_in_chain = select("chain", {NoConvexKinds: never_smooth, ConvexKinds: first_smooth})


@inline
def support_of(body, n):
    """Support function [m] of a body and its support point about its centre [m] for a unit vector; world frame."""
    h, x = support_in_chain(body.kinds, body.number, body.numbers, body.at, rotate_back(body.q, n))
    return h, rotate(body.q, x)


@inline
def curvature_of(body, n, t_1, t_2):
    """Second derivatives of the support function of a body along two vectors across n, [m]; world frame."""
    turned = rotate_back(body.q, n), rotate_back(body.q, t_1), rotate_back(body.q, t_2)
    return curvature_in_chain(body.kinds, body.number, body.numbers, body.at, turned[0], turned[1], turned[2])


@inline
def rounding_of(body):
    """Radius of the balls about a core that a body consists of [m]; 0 for bodies without."""
    return rounding_in_chain(body.kinds, body.number, body.numbers, body.at)


@inline
def is_smooth(body):
    """Whether the second derivatives of a body's support function make up the first ones."""
    return smooth_in_chain(body.kinds, body.number)


@inline
def has_flat_places(body):
    """Whether `normal_of` a body is of use."""
    return flat_in_chain(body.kinds, body.number)


@inline
def normal_of(body, x):
    """Direction of a body's normal on the ray from its centre through x, of any length; world frame."""
    return rotate(body.q, normal_in_chain(body.kinds, body.number, body.numbers, body.at, rotate_back(body.q, x)))


@inline
def lines_of(body, p, q):
    """Directions of straight lines on the surface of a body's core between two support points, or zeros; world."""
    p, q = rotate_back(body.q, p), rotate_back(body.q, q)
    first, second = line_in_chain(body.kinds, body.number, body.numbers, body.at, p, q)
    return rotate(body.q, first), rotate(body.q, second)
