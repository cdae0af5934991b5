"""How walls wear: J. F. Archard, Contact and rubbing of flat surfaces, J. Appl. Phys. 24 (1953) 981, eq. (10).

The volume worn off is k N s/H, N the normal force, s the way of sliding, k a coefficient, H the hardness. Summed is the
sliding work ∫ N |v_t| dt, by piece of a wall: a triangle of a mesh, a segment of what a polyline sweeps, or all of it.
"""

import math

from kernels.base.energy import as_words
from kernels.base.jit import formula
from kernels.base.memory import add_to
from kernels.base.vector import add_scaled, dot


@formula
def wear(w, piece, force, touch, half, per_joule, walls):
    """Note how a contact has slid along a piece of wall w, which wears, in the step that its force completes.

    Parameters
    ----------
    w, piece : wall, its piece
    force, touch : on the sphere [N]; `kernels.laws.Touch`
    half, per_joule : see `kernels.soft.state`

    Writes
    ------
    walls : worn
    """
    n = touch.normal
    slip = add_scaled(touch.velocity, -dot(touch.velocity, n), n)
    work = 2.0 * half * max(dot(force, n), 0.0) * math.sqrt(dot(slip, slip))
    whole, rest = as_words(work, per_joule)
    at = walls.first_worn[w] + piece
    add_to(walls.worn, at, whole)
    add_to(walls.worn, walls.worn.shape[1] + at, rest)
