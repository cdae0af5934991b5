"""Bodies that never meet, because bonds that last hold them together: they are left out of lists of neighbours.

Those whose bonds may break are listed, and do not meet as long as they hold; see ``overlap_release``.
"""

from dem.kernels.compiler.jit import inline, select, vector_loop
from dem.kernels.soft.bonds.bond_types import Brittle, Lasting, NoBonds


@inline
def all_found(bonds, b, found, higher):
    """Keep all bodies found near body b: there are no bonds."""
    return found


@inline
def all_of_them(b, found, apart_first, apart, higher):
    """Keep all bodies found near body b: bonds may break, and their bodies meet then."""
    return found


@vector_loop
def without_bonded(b, found, apart_first, apart, higher):
    """Close the gaps that those leave whom body b never meets; returns the number of those left.

    b, found: body, and how many were found near it.
    apart_first, apart: of `Eased`.
    Writes higher: those found.
    """
    n = 0
    for m in range(found):
        c, meets = higher[m], 1
        for e in range(apart_first[b], apart_first[b + 1]):
            meets = 0 if apart[e] == c else meets
        higher[n] = c
        n += meets
    return n


lasting_or_not = select("brittle", {Lasting: without_bonded, Brittle: all_of_them}, handed=False)


@inline
def those_who_meet(bonds, b, found, higher):
    """Leave bonded bodies out of those found near body b; return the number of those left."""
    return lasting_or_not(bonds.form.brittle, b, found, bonds.eased.apart_first, bonds.eased.apart, higher)


leave_out = select("bonds", {NoBonds: all_found, object: those_who_meet})
