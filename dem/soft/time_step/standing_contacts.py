"""Frequencies of bodies among their present contacts, as in a packing that is compressed at the start.

Contacts c of body i have unit normals n and stiffnesses k = dF/dδ at their overlaps; at the arm a from its centre of
mass, a small motion (u, θ) of the body moves the contact by g·(u, θ) along n, with g = (n, a × n). The partner moves as
well, and k (w_i - w_j)² <= k (1 + m_i/m_j) w_i² + k (1 + m_j/m_i) w_j². So no oscillation of all bodies together is
quicker than the quickest of a single body that is held by

    Σ_c k (1 + m_i/m_j) g gᵀ,

whose ω² is the largest eigenvalue with regard to mass and moments of inertia. For two bodies without other contacts,
and for one between walls, that is the frequency itself. Friction adds springs across the normals, which are not
counted: the time step is small enough for these too.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.text import counted
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds
from dem.kernels.soft.wall_contact.wall_arrays import has_walls
from dem.soft.contact.convex_bodies import lowest_arms, most_corners
from dem.soft.contact.overlaps import face_depths, in_walls, kind_spheres, largest
from dem.soft.time_step.impacts import RESOLVED, rounded_down
from dem.soft.time_step.limits import lever_arms, normals_and_arms

if TYPE_CHECKING:
    from dem.soft.contact.overlaps import Overlaps
    from dem.soft.engine import Engine
    from dem.soft.time_step.advice import Advice


class StandingContacts(NamedTuple):
    """The body that oscillates quickest among its contacts."""

    time: float = math.inf  # half a period [s]
    particle: int = -1  # identity
    contacts: int = 0  # of this body

    @property
    def time_step(self) -> float:
        """Time step to take [s]: as for impacts of bodies that others squeeze, a half period has RESOLVED steps."""
        return rounded_down(self.time / RESOLVED) if self.time < math.inf else math.inf


class Hold(NamedTuple):
    """Contacts (T,), as they hold one of their bodies each."""

    sphere: np.ndarray  # (T,) of the body
    normal: np.ndarray  # (3, T)
    arm: np.ndarray  # (3, T) from the body's centre [m]
    stiffness: np.ndarray  # (T,) k (1 + m_i/m_j) [N/m]


def standing_contacts(engine: Engine) -> StandingContacts:
    """The quickest oscillation of a body among the contacts of the present state."""
    if engine.is_frozen or not engine.owned:
        return StandingContacts()
    o = engine.overlaps()
    if not o.count:
        return StandingContacts()
    b, kinds = engine.bodies, engine.kinds
    holds = [*_of_pairs(engine, o), _of_faces(engine, o)]
    if has_walls(engine.walls.faces):
        holds.append(_of_walls(engine, o))
    sphere, normal, arm, stiffness = (np.concatenate(columns, -1) for columns in zip(*holds, strict=True))
    moves = kinds.inverse_mass[b.kind[b.owner[sphere]]] > 0
    sphere, normal, arm, stiffness = sphere[moves], normal[:, moves], arm[:, moves], stiffness[moves]
    if not sphere.size:
        return StandingContacts()
    body, row, count = np.unique(b.owner[sphere], return_inverse=True, return_counts=True)
    g = normal * np.sqrt(kinds.inverse_mass[b.kind[b.owner[sphere]]])
    if not kinds.all_single_spheres:
        inertia = kinds.inertia[:, b.kind[b.owner[sphere]]]
        g = np.concatenate([g, lever_arms(engine, sphere, arm, normal) / np.sqrt(inertia)])
    form = np.zeros((body.size, len(g), len(g)))
    np.add.at(form, row, stiffness[:, None, None] * g.T[:, :, None] * g.T[:, None, :])
    squared = np.linalg.eigvalsh(form)[:, -1]
    k = largest(squared, b.identity[body])
    return StandingContacts(math.pi / math.sqrt(squared[k]), int(b.identity[body[k]]), int(count[k]))


def _corners(engine: Engine) -> np.ndarray:
    """Most contacts that each sphere (M,) may have with one partner: those of a face of a polyhedron."""
    b, kinds = engine.bodies, engine.kinds
    if not isinstance(kinds, ConvexBodyKinds):
        return np.ones(b.owner.size)
    return most_corners(kinds)[kind_spheres(b, kinds)]


def _of_pairs(engine: Engine, o: Overlaps) -> tuple[Hold, Hold]:
    """Contacts of pairs, as they hold either of the two."""
    b, kinds, corners = engine.bodies, engine.kinds, _corners(engine)
    touching = o.pair > 0
    i, j, overlap = o.i[touching], o.j[touching], o.pair[touching]
    arm = b.sphere_position - b.position[:, b.owner]
    normal, arm_i, arm_j = normals_and_arms(engine, b, i, j, arm)
    kind = b.kind[b.owner]
    material, mass, inverse = kinds.material[kind], kinds.mass[kind], kinds.inverse_mass[kind]
    spring = engine.springs.between(
        material[i], material[j], 1 / (1 / o.radius[i] + 1 / o.radius[j]), 1 / (1 / mass[i] + 1 / mass[j])
    )
    stiffness = spring.slope(overlap) * np.maximum(corners[i], corners[j])
    with np.errstate(divide="ignore", invalid="ignore"):
        share_i, share_j = 1 + inverse[j] / inverse[i], 1 + inverse[i] / inverse[j]  # of fixed ones nothing is used
    return Hold(i, normal, arm_i, stiffness * share_i), Hold(j, normal, arm_j, stiffness * share_j)


def _of_faces(engine: Engine, o: Overlaps) -> Hold:
    """Contacts with the faces of the box."""
    b, kinds = engine.bodies, engine.kinds
    deep = face_depths(b, kinds, engine.walls.faces)
    face, s = np.nonzero(deep > 0)
    number = np.ones(s.size)
    return _at_walls(engine, o, s, engine.springs.of_faces[face], deep[face, s], np.eye(3)[:, face // 2], number)


def _of_walls(engine: Engine, o: Overlaps) -> Hold:
    """Contacts with walls beside the box; all of a sphere are taken for as deep as the deepest, and in line with it."""
    deep, which, normal, number = in_walls(engine.bodies, engine.kinds, engine.walls.faces)
    s = np.flatnonzero(deep > 0)
    return _at_walls(engine, o, s, engine.springs.of_faces[6 + which[s]], deep[s], normal[:, s], number[s])


def _at_walls(
    engine: Engine, o: Overlaps, s: np.ndarray, rows: np.ndarray, overlap: np.ndarray, normal: np.ndarray,
    number: np.ndarray,
) -> Hold:  # fmt: skip
    """Contacts of spheres s with walls of these rows of the law's tables: a number of each, at least all corners."""
    b, kinds = engine.bodies, engine.kinds
    kind = b.kind[b.owner[s]]
    spring = engine.springs.between(kinds.material[kind], rows, o.radius[s], kinds.mass[kind])
    arm = b.sphere_position[:, s] - b.position[:, b.owner[s]]
    if isinstance(kinds, ConvexBodyKinds):
        arm = lowest_arms(b, kinds, engine.walls.faces, s, normal)
    return Hold(s, normal, arm, spring.slope(overlap) * np.maximum(number, _corners(engine)[s]))


def advised(advice: Advice, engine: Engine) -> Advice:
    """Advice on the time step with the contacts of the present state."""
    found = standing_contacts(engine)
    if found.time == math.inf:
        return advice
    text = (
        f"present contacts: half an oscillation takes {found.time:.3g} s or more, of particle {found.particle} in "
        f"{counted(found.contacts, 'contact')}: {found.time / advice.time_step:.3g} steps ({RESOLVED} are advised)"
    )
    return replace(advice, other_limits=(*advice.other_limits, text), advised=min(advice.advised, found.time_step))
