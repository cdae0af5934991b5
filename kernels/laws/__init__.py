"""Contact laws: the force of one contact, chosen by the type of the law.

Every law starts from Hertz (``hertz.py``). ``Elastic`` contacts need positions only and have a vectorised loop of their
own (``kernels.soft.contact``); those below lose energy, and are evaluated for touching pairs only, with velocities
(``kernels.soft.touching``, ``kernels.soft.walls``). A law is a NamedTuple of tables by material, the wall's last, and a
`ContactLaw` of

    contact(law, i, j, touch, history, half, time_sign) -> force on i, history, stored, loss
        i, j      rows of the law's tables, the materials in contact
        touch     a `Touch`: what the two surfaces do
        history   what the contact remembers of the last step, `nothing` at first touch
        half      half a time step [s]
        time_sign 1 in a step; -1 when forces are wanted once more at the time for which `history` knows them
        stored    elastic energy that the law holds beyond Hertz's [J]
        loss      energy that it takes up beyond Hertz's in half a step [J], what is stored included
    nothing()     history of a contact that begins
    load(rows, k, at), store(rows, k, at, history), width
        how it is kept: in row k of `rows`, in so many columns from `at` on

To add one: a file like ``damped.py``, a row here, a line in ``law`` of ``dem.model.contacts``.
"""

from typing import NamedTuple

from kernels.base.jit import by_type, by_type_of_first
from kernels.laws.damped import DAMPED, Damped
from kernels.laws.frictional import FRICTIONAL, Frictional
from kernels.laws.touch import ContactLaw, Touch  # noqa: F401


class Elastic(NamedTuple):
    """Hertz contacts without friction or losses."""


LAWS = {Damped: DAMPED, Frictional: FRICTIONAL}


def elastic_or(elastic, other):
    """Function of (law, *arguments): the first for elastic contacts, the second for all other laws."""
    return by_type_of_first(lambda law: elastic if law is Elastic else other)


load, store, nothing = (
    by_type(lambda law, name=name: getattr(LAWS[law], name)) for name in ("load", "store", "nothing")
)
contact = by_type_of_first(lambda law: LAWS[law].contact)
