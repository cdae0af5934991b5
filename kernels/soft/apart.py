"""Bodies that never meet, because bonds that last hold them together: they are left out of lists of neighbours.

Those whose bonds may break are listed, and do not meet as long as they hold; see ``easing``.
"""

from kernels.base.jit import by_type, formula, loop
from kernels.soft.ties import Lasting, free_or


@formula
def all_found(bonds, b, found, higher):
    """Where there are no bonds."""
    return found


@formula
def all_of_them(b, found, apart_first, apart, higher):
    """Where bonds may break."""
    return found


@loop
def without_bonded(b, found, apart_first, apart, higher):
    """Close the gaps that those leave whom body b never meets; returns the number of those left.

    Parameters
    ----------
    b, found : body, and how many were found near it
    apart_first, apart : of `Eased`

    Writes
    ------
    higher : those found
    """
    n = 0
    for m in range(found):
        c, meets = higher[m], 1
        for e in range(apart_first[b], apart_first[b + 1]):
            meets = 0 if apart[e] == c else meets
        higher[n] = c
        n += meets
    return n


lasting_or_not = by_type(lambda kind: without_bonded if kind is Lasting else all_of_them)


@formula
def those_who_meet(bonds, b, found, higher):
    """The same of bonds."""
    return lasting_or_not(bonds.form.brittle, b, found, bonds.eased.apart_first, bonds.eased.apart, higher)


leave_out = free_or(all_found, those_who_meet)
