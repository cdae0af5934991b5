"""Contact laws: the force of one contact, chosen by the type of the law.

Every law starts from Hertz (``kernels.hertz``). ``Elastic`` contacts need positions only and have a vectorised loop of
their own (``kernels.contact``); those below lose energy, and are evaluated for touching pairs only, with velocities
(``kernels.touching``, ``kernels.walls``). A law is a NamedTuple of tables by material, the wall's last, and a `Law` of

    contact(law, i, j, touch, memory, half, sense) -> force on i, memory, stored, loss
        i, j      rows of the law's tables, the materials in contact
        touch     a `Touch`: what the two surfaces do
        memory    what the contact remembers of the last step, `nothing` at first touch
        half      half a time step [s]
        sense     1 in a step; -1 when forces are wanted once more at the time for which `memory` knows them
        stored    elastic energy that the law holds beyond Hertz's [J]
        loss      energy that it takes up beyond Hertz's in half a step [J], what is stored included
    nothing()     memory of a contact that begins
    load(history, k, at), store(history, k, at, memory), width
        how it is kept: in row k of `history`, in so many columns from `at` on

To add one: a file like ``damped.py``, a row here, a line in ``dem.laws``.
"""

from typing import NamedTuple

from numba.extending import overload

from kernels.jit import CHOICE
from kernels.laws.damped import DAMPED, Damped
from kernels.laws.frictional import FRICTIONAL, Frictional
from kernels.laws.touch import Law, Touch  # noqa: F401


class Elastic(NamedTuple):
    """Hertz contacts without friction or losses."""


LAWS = {Damped: DAMPED, Frictional: FRICTIONAL}


def by_law(name):
    """Function of (law, *arguments) that calls the one of that name."""

    def call(law, *arguments):
        return getattr(LAWS[type(law)], name)(*arguments)

    @overload(call, jit_options=CHOICE)
    def compiled(law, *arguments):
        chosen = getattr(LAWS[law.instance_class], name)
        return lambda law, *arguments: chosen(*arguments)

    return call


def elastic_or(elastic, other):
    """Function of (law, *arguments): the first for elastic contacts, the second for all other laws."""

    def call(law, *arguments):
        return (elastic if isinstance(law, Elastic) else other)(law, *arguments)

    @overload(call, jit_options=CHOICE)
    def compiled(law, *arguments):
        chosen = elastic if law.instance_class is Elastic else other
        return lambda law, *arguments: chosen(law, *arguments)

    return call


load, store, nothing = by_law("load"), by_law("store"), by_law("nothing")


def contact(law, *arguments):
    """Force of one contact, see the package's docstring."""
    return LAWS[type(law)].contact(law, *arguments)


@overload(contact, jit_options=CHOICE)
def _contact(law, *arguments):
    chosen = LAWS[law.instance_class].contact
    return lambda law, *arguments: chosen(law, *arguments)
