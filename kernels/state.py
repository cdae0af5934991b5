"""The arrays that kernels share, grouped by owner. All float64, C-contiguous, component-major.

The tuples are only for passing many arrays at once and are taken apart before any loop: numba silently drops
writes to ``tuple.array[i]`` inside a prange, and flat arguments are what the loops may declare disjoint.

N bodies, M spheres, G kinds of body, S spheres in all kinds, E neighbour entries, K candidate pairs.
A *slot* is a body's present place in the arrays, its *identity* the user's number, which never changes.
"""

from typing import NamedTuple

import numpy as np


class Bodies(NamedTuple):
    """Rigid bodies in slot order, and the spheres they carry.

    ``velocity`` is half a step ahead of ``position``; the memory is that of ``kernels.rotation``.
    """

    identity: np.ndarray  # (N,) int64, the user's number of the body
    kind: np.ndarray  # (N,) int32, column of the Kinds arrays
    position: np.ndarray  # (3, N) centre of mass [m]
    velocity: np.ndarray  # (3, N) at the half step [m/s]
    orientation: np.ndarray  # (4, N) at the time of the forces
    memory_q: np.ndarray  # (4, N)
    memory_w: np.ndarray  # (3, N)
    memory_a: np.ndarray  # (3, N)
    force: np.ndarray  # (3, N) of contacts, without weight [N]
    torque: np.ndarray  # (3, N) of contacts, world frame, about the centre of mass [N m]
    first_sphere: np.ndarray  # (N + 1,) int32: spheres of slot b are first_sphere[b] to first_sphere[b + 1]
    sphere_position: np.ndarray  # (3, M) [m]; the very array `position` where every body is one sphere


class Kinds(NamedTuple):
    """What all bodies of one shape and material have in common."""

    mass: np.ndarray  # (G,) [kg]
    inertia: np.ndarray  # (3, G) principal moments [kg m2]
    tip: np.ndarray  # (G,) largest distance of a sphere's centre from the centre of mass [m]
    bound: np.ndarray  # (G,) radius of the sphere about the centre of mass that holds the body [m]
    on_line: np.ndarray  # (G,) int8: 1 if the spheres lie on the segment from the first to the last one
    first_offset: np.ndarray  # (G + 1,) int32: spheres of kind g are first_offset[g] to first_offset[g + 1]
    offset: np.ndarray  # (3, S) sphere centres in the body frame [m]
    radius: np.ndarray  # (S,) [m]
    material: np.ndarray  # (G,) int32, row of `modulus`
    modulus: np.ndarray  # (A, A) effective modulus E* of two materials [Pa]
    wall_modulus: np.ndarray  # (A,) effective modulus E* of a material and the wall [Pa]


class Neighbours(NamedTuple):
    """Who may meet whom: entries for a hundred steps or so, candidate pairs for about ten.

    Each body lists its neighbours in ascending identity; a pair belongs to the body of lower identity. So the
    order in which a body sums its contacts depends on nothing but identities.
    """

    first: np.ndarray  # (N,) int64: entries of slot b are first[b] to first[b] + count[b]
    count: np.ndarray  # (N,) int32
    owned: np.ndarray  # (N,) int32: its entries from owned[b] on have a higher identity
    partner: np.ndarray  # (E,) int32, slot of the other body
    twin: np.ndarray  # (E,) int32, the entry of the same pair at the other body
    packed: np.ndarray  # (E,) int64, candidate pairs of an entry: first pair, number (see candidates.pack)
    incident: np.ndarray  # (E,) int64: the packed entries with any pair, with the side the body is on
    incident_count: np.ndarray  # (N,) int32
    near_wall: np.ndarray  # (N,) int8
    sphere_i: np.ndarray  # (K,) int32, sphere of the owner
    sphere_j: np.ndarray  # (K,) int32
    reach: np.ndarray  # (K,) R_i + R_j [m]
    stiffness: np.ndarray  # (K,) [N m^-1.5]
    pair_force: np.ndarray  # (3, K) force on sphere i [N]


class Box(NamedTuple):
    """Six walls; without them the corners are infinite."""

    lower: np.ndarray  # (3,) [m]
    upper: np.ndarray  # (3,) [m]
