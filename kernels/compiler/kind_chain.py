"""Chains of kinds: the kinds of shapes or walls in a run as a nested tuple type, so that kernels contain only these.

A kind is a class, a NamedTuple without fields, with a row in a table {class: row}. Kernels get the kinds of a run as a
chain, `KindChain(first(), KindChain(second(), NoKind()))`, and things name their kind by its place, from 0 on. So a
kind that a run does not have costs its kernels nothing:

    area_of_kind = select("kind", AREAS, attrgetter("area"), handed=False)  # function of (kind, size)
    area = by_place(area_of_kind, float("nan"))  # function of (chain, place, (size,))

    area(chain_of([Disc, Square]), 1, (0.5,))  # is AREAS[Square].area(0.5)
"""

from functools import cache
from typing import NamedTuple

from dem.kernels.compiler.disk_cache import set_sources
from dem.kernels.compiler.jit import select, type_is, uncached_inline
from dem.kernels.compiler.selection import is_function


class KindTable(dict):
    """Rows of kinds; code for a kind of another package is cached under the hash of that package's sources.

    Parameters
    ----------
    formulae : str
        Names of the fields of a row that kernels call.
    rows : dict
        Rows of the kinds of this package.
    """

    def __init__(self, *formulae, rows=()):
        super().__init__(rows)
        self.formulae = formulae

    def __setitem__(self, kind, row):
        """Add a kind, or replace its row."""
        if isinstance(kind, type):
            called = (getattr(row, name) for name in self.formulae)
            set_sources(kind, [one for one in called if is_function(one)])
        super().__setitem__(kind, row)


class NoKind(NamedTuple):
    """End of a chain of kinds."""


class KindChain(NamedTuple):
    """First kind of a chain, and the chain of the others."""

    kind: tuple  # an instance of its class
    others: tuple  # a `KindChain`, or `NoKind`


def chain_of(kinds):
    """Chain of some classes, in their order."""
    chain = NoKind()
    for kind in reversed(kinds):
        chain = KindChain(kind(), chain)
    return chain


is_end = type_is(lambda kind: kind is NoKind)


def by_place(function_of_kind, missing):
    """Function of (chain, place, arguments) that calls a function of (kind, *arguments) for the kind at a place.

    The last kind of a chain is taken without a look at the place: a chain of one kind puts no branch into a loop.

    Parameters
    ----------
    function_of_kind : function of `dem.kernels.compiler.jit.select` or `dem.kernels.compiler.jit.type_is`
    missing : value of the same type, for chains without a kind
    """

    @cache  # a function for each link: numba links none that calls itself with other types
    def of_link():
        others = by_place(function_of_kind, missing)

        @uncached_inline
        def first_or_others(chain, place, arguments):
            if is_end(chain.others) or place == 0:
                return function_of_kind(chain.kind, *arguments)
            return others(chain.others, place - 1, arguments)

        return first_or_others

    return select("chain", {NoKind: lambda: missing, KindChain: of_link}, entry=lambda make: make())
