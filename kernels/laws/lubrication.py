"""Lubrication: resistance of a fluid film to the approach and separation of two surfaces.

For a gap h that is small against R* = R_i R_j/(R_i + R_j), at a wall R, the leading term of H. Brenner, Chem. Eng. Sci.
16 (1961) 242, and R. G. Cox, Int. J. Multiphase Flow 1 (1974) 343: F = -6π μ R*² v_n/h. With 1/h - 1/h_0 in place of
1/h it begins at zero at the gap h_0 (N.-Q. Nguyen, A. J. C. Ladd, Phys. Rev. E 66 (2002) 046708), because the drag
contains the resistance at larger gaps. Gaps below the roughness, and overlaps, count as the roughness. The force is
that of a dashpot: it has no history, and all of its work is dissipated.
"""

from typing import NamedTuple

import numpy as np
from dem.kernels.compiler.jit import inline, select
from dem.kernels.laws.interface import ContactForce, NoComponent
from dem.kernels.numerics.vector import add_scaled, dot


class Film(NamedTuple):
    """Numbers of the fluid film between surfaces."""

    drag: np.ndarray  # (A, A) 6π μ of two materials [Pa s]
    roughness: np.ndarray  # (A, A) smallest gap [m]
    reach: np.ndarray  # (A, A) largest one over R*
    farthest: float  # the largest gap of all [m]


@inline
def resistance(part, i, j, contact):
    """Force over velocity of parting [N s/m]."""
    end = part.reach[i, j] * contact.radius
    gap = max(-contact.overlap, part.roughness[i, j])
    return part.drag[i, j] * contact.radius * contact.radius * (1.0 / gap - 1.0 / end) if gap < end else 0.0


@inline
def add_film_force(part, i, j, contact, outcome, half):
    """Add the force of the lubrication film to that of a contact; half: half a time step [s]."""
    normal_velocity = dot(contact.velocity, contact.normal)
    film_force = resistance(part, i, j, contact) * normal_velocity
    return ContactForce(
        force=add_scaled(outcome.force, -film_force, contact.normal),
        couple=outcome.couple,
        elastic=outcome.elastic,
        spring_energy=outcome.spring_energy,
        loss=outcome.loss + half * film_force * normal_velocity,
        instantaneous_dissipation=outcome.instantaneous_dissipation,
        persists=outcome.persists,
        sliding_distance=outcome.sliding_distance,
    )


@inline
def before_touch(part):
    """Largest gap at which a lubrication film acts [m]."""
    return part.farthest


begin_of = select("part", {NoComponent: 0.0, Film: before_touch})
