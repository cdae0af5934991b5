"""Bodies that are fixed: no force, torque or gravity moves them; they rest, or move at a constant velocity.

They are of separate kinds, whose inverse mass is zero and whose inertia is as large as a float allows (`INERTIA`). So
the reduced masses in contacts are right without any branch in the loops over contacts. Fixed bodies touch neither each
other nor walls (`neighbour_list.store_pairs`, `candidate_pairs.list_incident`), and are left out of the loops that
integrate the motion, which go over the stretches of bodies between them. Without fixed bodies there is one stretch, the
whole chunk: such runs keep their bytes and their speed.
"""

import numpy as np
from dem.kernels.compiler.jit import func, inline, vector_loop
from dem.kernels.numerics.energy import as_words
from dem.kernels.numerics.vector import dot, load

INERTIA = 1e300  # [kg m²] of a fixed body: its inverse changes no sum, and products with a spin of zero are zero


@inline
def is_fixed(b, kind, inverse_mass):
    """Whether body b is fixed."""
    return inverse_mass[kind[b]] == 0.0


@inline
def first_free(b, high, kind, kinds):
    """The first body from b on that is not fixed; high if there is none."""
    while kinds.fixed and b < high and is_fixed(b, kind, kinds.inverse_mass):
        b += 1
    return b


@inline
def end_of_free(b, high, kind, kinds):
    """The first body from b on that is fixed; high if there is none."""
    if not kinds.fixed:
        return high
    while b < high and not is_fixed(b, kind, kinds.inverse_mass):
        b += 1
    return b


@vector_loop
def leave_out_fixed(found, kind, inverse_mass, higher):
    """Keep those bodies found near a fixed one that are not fixed; return their number.

    found: number of bodies found.
    kind, inverse_mass: (N,), (G,) of `Bodies` and `Kinds`.
    Writes higher: the bodies found, without gaps.
    """
    n = 0
    for m in range(found):
        c = higher[m]
        higher[n] = c
        n += 0 if inverse_mass[kind[c]] == 0.0 else 1
    return n


@func
def work_of_fixed(low, high, first_body, half, per_joule, kind, inverse_mass, velocity, force):
    """Work that the fixed bodies from low to high do in half a step, -F·v dt/2, in two words.

    A force F on a body that keeps its velocity v is met by -F of what holds the body: that force does the work.

    kind, inverse_mass, velocity, force: (N,), (G,), (3, N), (3, N) of `Bodies` and `Kinds`.
    Returns whole units, and parts of a unit.
    """
    whole, subunits = np.int64(0), np.int64(0)
    for b in range(low, high):
        if is_fixed(b, kind, inverse_mass):
            words = as_words(-half * dot(load(force, b - first_body), load(velocity, b)), per_joule)
            whole, subunits = whole + words[0], subunits + words[1]
    return whole, subunits
