"""How walls wear: J. F. Archard, Contact and rubbing of flat surfaces, J. Appl. Phys. 24 (1953) 981, eq. (10).

The volume worn off is k N s/H, N the normal force, s the way of sliding, k a coefficient, H the hardness. Summed is N s
[J], by piece of a wall: a triangle of a mesh, a segment of what a polyline sweeps, or all of it. Only sliding counts: a
surface that sticks while the spring of friction stretches does not wear, see
`kernels.laws.friction.spring_dashpot_slider`.
"""

from dem.kernels.compiler.jit import inline
from dem.kernels.numerics.energy import as_words
from dem.kernels.numerics.vector import dot
from dem.kernels.simd.memory import atomic_add


@inline
def wear(w, piece, outcome, touch, per_joule, walls):
    """Add N s of a contact in the step that its force completes to a piece of wall w, which wears.

    Parameters
    ----------
    w, piece : wall, its piece
    outcome, touch : `dem.kernels.laws.Outcome` and `dem.kernels.laws.Touch` of the contact
    per_joule : see `dem.kernels.soft.state`

    Writes
    ------
    walls : worn
    """
    whole, rest = as_words(max(dot(outcome.force, touch.normal), 0.0) * outcome.slid, per_joule)
    at = walls.first_worn[w] + piece
    atomic_add(walls.worn, at, whole)
    atomic_add(walls.worn, walls.worn.shape[1] + at, rest)
