"""Registration of kinds of convex shapes: one row of `KINDS` says all that kernels need to know of one.

A kind is a class, a NamedTuple without fields, with a row here:

    class EllipsoidKind(NamedTuple):
        "Ellipsoid; parameters: its three semi-axes [m]."

    KINDS[EllipsoidKind] = ShapeKind("ellipsoid", support, 3)

Kernels find the row by the class when they are compiled, so a run compiles the kinds that it has and no others. The
kinds of a run are a chain of `ShapeKinds`, which ends with `NoShapeKinds`; bodies refer to them by their places in it.
"""

from typing import NamedTuple

from dem.kernels.compiler.jit import by_type, by_type_of_first, inline


class ShapeKind(NamedTuple):
    """What kernels know of a kind of shape.

    ``support`` is a function of (parameters, n), compiled by `dem.kernels.compiler.jit.inline`: it returns h(n) [m] and
    the support point (3,) [m], about the centre of mass in the body frame, for a unit vector n. ``parameters`` begins
    with the numbers of the shape, which may be followed by those of others.
    """

    name: str
    support: object
    count: int  # numbers of a shape; -1 if shapes of this kind may have different ones


KINDS: dict[type, ShapeKind] = {}


class NoShapeKinds(NamedTuple):
    """End of a chain of kinds of shapes."""


class ShapeKinds(NamedTuple):
    """A kind of shape, and the others of a run."""

    kind: tuple  # an instance of its class
    others: tuple


def chain_of(kinds):
    """The chain of some classes, in Python; raises KeyError for one that has no row."""
    chain = NoShapeKinds()
    for kind in reversed(kinds):
        _ = KINDS[kind]
        chain = ShapeKinds(kind(), chain)
    return chain


support_of_kind = by_type(lambda kind: KINDS[kind].support)


@inline
def support_of_none(chain, number, parameters, n):
    """Shapes whose kind is not in the chain do not come here: they are refused before a run."""
    return float("nan"), (0.0, 0.0, 0.0)


@inline
def support_of_first_or_others(chain, number, parameters, n):
    """Support by the first kind of the chain, if it is the one with this number, or by the others."""
    if number == 0:
        return support_of_kind(chain.kind, parameters, n)
    return support(chain.others, number - 1, parameters, n)


# function of (chain, number, parameters, n): h(n) [m] and the support point [m] of the kind with this number
support = by_type_of_first(lambda chain: support_of_none if chain is NoShapeKinds else support_of_first_or_others)
