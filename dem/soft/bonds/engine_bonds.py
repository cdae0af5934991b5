"""Bonds of an engine: arrays of the kernels, pairs excluded from contact, state."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.large_pages import copied, full, zeros
from dem.base.quaternions import conjugate, rotate
from dem.kernels.compiler.jit import bind
from dem.kernels.soft.bonds import bond_arrays as rows
from dem.kernels.soft.bonds import bond_step, overlap_release
from dem.kernels.soft.bonds.bond_arrays import BROKEN, REMOVED
from dem.kernels.soft.bonds.overlap_release import FAR, ExcludedPairs
from dem.kernels.soft.chunks import CHUNK
from dem.model.bonds import dashpots, masses
from dem.model.shapes.capsule import chain

if TYPE_CHECKING:
    from dem.kernels.domain.faces import BoxFaces
    from dem.kernels.soft.state import Bodies, Neighbours
    from dem.model.bonds import Bonds
    from dem.model.particles.particles import Particles

STATE = ("state", "when", "count", "pending", "before", "pressed")  # of `bond_arrays.Bonds`: what a run has come to
LARGER = 1.001  # ratio beyond which a frequency squared is not the same but for rounding
AT_ONCE = 10**6  # pairs of spheres whose gap is found together
EASED = ("slack", "active", "count")  # of `overlap_release.ExcludedPairs`


def stable_steps(bonds: Bonds, particles: Particles) -> np.ndarray:
    """2/ω of the quickest oscillation of each bond (B,) [s]; the least is a bound from below of all bonds together.

    Each bond oscillates with its share of both bodies; no system of bonds is quicker than the quickest of them by
    itself (Irons & Treharne, 1971).
    """
    return 2 / np.sqrt(_largest_rates(bonds, particles, bonds.stiffness))


def stable_damped_steps(bonds: Bonds, particles: Particles) -> np.ndarray:
    """Longest stable steps Δt (B,) [s]: ω² Δt²/4 + ν Δt/2 < 1.

    This is the limit of central differences if dashpots lag behind the springs. ν is the largest rate at which the
    dashpots of a bond slow down its share of both bodies.
    """
    squared = _largest_rates(bonds, particles, bonds.stiffness)
    half = 0.5 * _largest_rates(bonds, particles, dashpots(bonds, particles))
    return 2 / (half + np.sqrt(half * half + squared))


def _largest_rates(bonds: Bonds, particles: Particles, coefficients: np.ndarray) -> np.ndarray:
    """Largest eigenvalue (B,) of M⁻¹ K of each bond with its share of both bodies, by its four stiffnesses (B, 4)."""
    mass, along, across = masses(bonds, particles, shared=True)
    stretch, twist, shear, bend = coefficients.T
    lever = 0.5 * bonds.geometry.length[:, None] + np.linalg.norm(bonds.anchors, axis=2)
    pulled = (mass + np.linalg.norm(bonds.anchors, axis=2) ** 2 * across).sum(1)
    sheared = shear * (mass + lever**2 * across).sum(1)
    bent = bend * across.sum(1)
    both = shear * bend * (lever * across * np.array([-1.0, 1.0])).sum(1) ** 2
    mixed = 0.5 * (sheared + bent) + np.sqrt(0.25 * (sheared - bent) ** 2 + both)
    squared = np.maximum.reduce([stretch * pulled, twist * along.sum(1), mixed])
    # of bodies that are round about the bond, which runs through their centres, this is all
    body, frames = np.maximum(bonds.pairs, 0), bonds.geometry.frames
    inertia = particles.inertia[body]
    is_round = (np.ptp(inertia, axis=2) == 0) | ((frames[..., 0] == 1) & (inertia[..., 1] == inertia[..., 2]))
    k = np.flatnonzero(~is_round.all(axis=1) | bonds.anchors.any(axis=(1, 2)))
    coupled = _largest_coupled_rates(bonds, particles, coefficients[k], mass * particles.mass[body], k)
    squared[k] = np.where(coupled > LARGER * squared[k], coupled, squared[k])
    return squared


def _largest_coupled_rates(
    bonds: Bonds, particles: Particles, coefficients: np.ndarray, share: np.ndarray, k: np.ndarray
) -> np.ndarray:
    """Largest eigenvalue of bonds k (K,), each with so many times the inverse mass of its bodies (B, 2).

    That of √k B M⁻¹ Bᵀ √k, of the stiffness k of the six strains and their derivatives B by the motion of both bodies:
    of d, with the vector c from the centre of mass to the middle of the bond, v and c × ω, and of ψ, ω.
    """
    matrix, half = np.zeros((len(k), 6, 6)), np.zeros((len(k), 3))
    half[:, 0] = 0.5 * bonds.geometry.length[k]
    for side in (0, 1):
        body = np.maximum(bonds.pairs[k, side], 0)
        axes = rotate(bonds.geometry.frames[k, side, None], np.eye(3))  # of the bond, in the frame of the body
        inverse = axes * (share[k, side, None] / particles.inertia[body])[:, None] @ axes.swapaxes(1, 2)
        centre = (axes * bonds.anchors[k, side, None]).sum(axis=-1) + (half if side == 0 else -half)
        turned = np.concatenate([np.cross(centre[:, None], np.eye(3)), np.tile(-np.eye(3), (len(k), 1, 1))], axis=2)
        matrix += turned.swapaxes(1, 2) @ inverse @ turned
        matrix[:, :3, :3] += (share[k, side] / particles.mass[body])[:, None, None] * np.eye(3)
    root = np.sqrt(coefficients[:, [0, 2, 2, 1, 3, 3]])
    return np.linalg.eigvalsh(root[:, :, None] * matrix * root[:, None])[:, -1]


def shortest_period(bonds: Bonds, particles: Particles) -> tuple[float, int]:
    """Least of `stable_steps` [s], and its bond."""
    limits = stable_steps(bonds, particles)
    k = int(limits.argmin())
    return float(limits[k]), k


def are_alone(bonds: Bonds) -> np.ndarray:
    """Whether both bodies of each bond (B,) have no other bond."""
    number = np.bincount(bonds.pairs[bonds.pairs >= 0])
    return np.where(bonds.pairs < 0, 1, number[bonds.pairs]).max(axis=1) == 1


def table(bonds: Bonds, particles: Particles) -> np.ndarray:
    """Rows of `bond_arrays.Bonds.table`, a column a bond."""
    values = np.zeros((rows.ROWS, len(bonds)))
    radius = 0.5 * bonds.diameter
    area = math.pi * radius**2
    share = bonds.moment_share * radius
    values[rows.LENGTH] = bonds.geometry.length
    values[rows.ALONG : rows.DRAG_ALONG] = bonds.stiffness.T
    values[rows.DRAG_ALONG : rows.FRAME_I] = dashpots(bonds, particles).T
    values[rows.FRAME_I : rows.FRAME_J] = bonds.geometry.frames[:, 0].T
    values[rows.FRAME_J : rows.ANCHOR_I] = bonds.geometry.frames[:, 1].T
    values[rows.ANCHOR_I : rows.ANCHOR_J] = bonds.anchors[:, 0].T
    values[rows.ANCHOR_J : rows.SECTION] = np.where(bonds.pairs[:, 1] < 0, 0.0, bonds.anchors[:, 1].T)
    moment = area * radius**2 / 4
    values[rows.SECTION : rows.STRENGTH] = 1 / area, share / moment, share / (2 * moment)
    values[rows.STRENGTH : rows.CLOSE] = 1 / bonds.strength, 1 / bonds.shear_strength
    values[rows.CLOSE :] = closest(bonds, particles)
    return values


def closest(bonds: Bonds, particles: Particles) -> np.ndarray:
    """Lengths below which bodies overlap more than at rest [m], and one over the smaller radius of both (2, B).

    Zeros for bonds to the ground, and for those whose bodies have contact.
    """
    found, pairs = np.zeros((2, len(bonds))), bonds.pairs
    hidden = np.flatnonzero((pairs[:, 1] >= 0) & ~bonds.contact)
    both = particles.variant[pairs[hidden]]
    for pair in np.unique(both, axis=0):
        (x, r_x), (y, r_y) = (chain(particles.variants[v][0]) for v in pair)
        of_pair = hidden[(both == pair).all(axis=1)]
        for k in np.array_split(of_pair, 1 + of_pair.size * r_x.size * r_y.size // AT_ONCE):
            end = np.column_stack([bonds.geometry.length[k], np.zeros((k.size, 2))])
            apart = (_in_bond_frame(y, bonds, k, 1) + end[:, None])[:, None] - _in_bond_frame(x, bonds, k, 0)[
                :, :, None
            ]
            gap = (np.linalg.norm(apart, axis=-1) - r_x[:, None] - r_y).min(axis=(1, 2))
            found[0, k] = bonds.geometry.length[k] - np.maximum(gap, 0.0)
            found[1, k] = 1 / min(r_x.min(), r_y.min())
    return found


def _in_bond_frame(centres: np.ndarray, bonds: Bonds, k: np.ndarray, side: int) -> np.ndarray:
    """Centres (S, 3) of a body's spheres in the frame of its end of bonds k, from its anchors (K, S, 3) [m]."""
    return rotate(conjugate(bonds.geometry.frames[k, side])[:, None], centres - bonds.anchors[k, side][:, None])


def can_break(bonds: Bonds) -> bool:
    """Whether any bond has a finite strength."""
    return bool((np.minimum(bonds.strength, bonds.shear_strength) < math.inf).any())


def bond_properties(bonds: Bonds, kinds: int, *, heats: bool) -> rows.Form:
    """Types by which kernels are specialised for these bonds."""
    return rows.Form(
        rows.Damped() if bonds.damping.any() else rows.Undamped(),
        rows.Anchored() if bonds.anchors.any() else rows.Centred(),
        rows.Framed() if (bonds.geometry.frames[..., 0] != 1).any() else rows.Aligned(),
        rows.Brittle() if can_break(bonds) else rows.Lasting(),
        (rows.OneKind(), rows.TwoKinds(), rows.ManyKinds())[min(kinds, 3) - 1],
        rows.Heating() if heats else rows.Lossless(),
    )


def arrays_of(bonds: Bonds, particles: Particles, *, heats: bool = False) -> rows.Bonds:
    """Arrays of bonds for kernels, of particles that are at rest in some shape."""
    count, bodies = len(bonds), len(particles)
    chunks = -(-bodies // CHUNK)
    columns, kind = np.unique(table(bonds, particles), axis=1, return_inverse=True)
    grounded = np.flatnonzero(bonds.pairs[:, 1] < 0)
    pose = np.zeros((7, len(grounded)))
    pose[:3], pose[3] = bonds.ground.T, 1.0
    first, incident = incidence(bonds.pairs, bodies)
    form = bond_properties(bonds, columns.shape[1], heats=heats)
    return rows.Bonds(
        form=form,
        table=copied(columns),
        slot=copied(np.arange(count, dtype=np.int32)),
        bond=copied(np.arange(count, dtype=np.int32)),
        kind=copied(kind.reshape(-1).astype(np.int32)),
        first=zeros(count, np.int32),
        second=zeros(count, np.int32),
        live=copied((bonds.pairs[:, 1] >= 0).astype(float)),
        chunk_first=zeros(chunks + 1, np.int64),
        highest=zeros(chunks, np.int32),
        ground=grounded,
        grounded=np.arange(len(grounded)),
        ground_first=zeros(chunks + 1, np.int64),
        ground_pose=pose,
        state=zeros(count, np.int8),
        when=full(count, -1, np.int64),
        load=zeros(count),
        pending=zeros(count, np.int64),
        before=zeros(count),
        count=zeros(3, np.int64),
        pressed=zeros(1),
        forces=zeros((rows.rows_of_forces(form), count)),
        first_force=zeros(chunks, np.int64),
        incident_first=copied(first.astype(np.int32)),
        incident=copied(incident.astype(np.int32)),
        chunk_sums=zeros((chunks, rows.COLUMNS), np.int64),
        sums=zeros(3),
        excluded=excluded(bonds, bodies),
    )


def incidence(pairs: np.ndarray, bodies: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the bonds of each body are in a list (N + 1,), and that list: twice the bond, and 1 more for the second."""
    bond, side = np.divmod(np.flatnonzero(pairs.ravel() >= 0), 2)
    body = pairs[bond, side]
    order = np.lexsort((2 * bond + side, body))
    first = np.zeros(bodies + 1, np.int64)
    np.cumsum(np.bincount(body, minlength=bodies), out=first[1:])
    return first, (2 * bond + side)[order]


class ListedBonds(NamedTuple):
    """Bonds in the user's order, bodies by their numbers."""

    pairs: np.ndarray  # (B, 2)
    kind: np.ndarray  # (B,)
    first: np.ndarray  # (N + 1,), see `incidence`
    incident: np.ndarray  # (2 B - G,)


def bonds_of_bodies(arrays: rows.Bonds, pairs: np.ndarray) -> ListedBonds:
    """Arrays of bonds before they have slots."""
    return ListedBonds(
        pairs, arrays.kind.copy(), arrays.incident_first.astype(np.int64), arrays.incident.astype(np.int64)
    )


def fill_slots(arrays: rows.Bonds, given: ListedBonds, identity: np.ndarray, row_of: np.ndarray) -> None:
    """Assign slots to bonds in the order of bodies in memory, by the identity of each row (N,) and its inverse."""
    pairs, begin = given.pairs, given.first
    first = row_of[pairs[:, 0]]
    second = np.where(pairs[:, 1] < 0, first, row_of[pairs[:, 1]])
    order = np.argsort(np.minimum(first, second), kind="stable")
    arrays.slot[order], arrays.bond[:] = np.arange(order.size, dtype=np.int32), order
    arrays.first[:], arrays.second[:], arrays.kind[:] = first[order], second[order], given.kind[order]
    arrays.live[:] = acting(arrays, pairs)[order]
    arrays.chunk_first[:], arrays.highest[:] = by_chunk(arrays.first, arrays.second, arrays.highest.size)
    arrays.grounded[:] = np.argsort(arrays.slot[arrays.ground], kind="stable")
    arrays.ground_first[:] = np.searchsorted(arrays.slot[arrays.ground[arrays.grounded]], arrays.chunk_first)
    degree = np.diff(begin)[identity]
    np.cumsum(degree, out=arrays.incident_first[1:])
    entry = np.repeat(begin[identity] - arrays.incident_first[:-1], degree) + np.arange(given.incident.size)
    bond, side = np.divmod(given.incident[entry], 2)
    arrays.incident[:] = 2 * arrays.slot[bond] + side


def by_chunk(first: np.ndarray, second: np.ndarray, chunks: int) -> tuple[np.ndarray, np.ndarray]:
    """First bond of each chunk (C + 1,), and the last chunk that its bonds reach (C,); both bodies by slot."""
    lower, chunk = np.minimum(first, second), np.arange(chunks + 1)
    highest = chunk[:-1].astype(np.int32)
    np.maximum.at(highest, lower // CHUNK, np.maximum(first, second) // CHUNK)
    return np.searchsorted(lower, CHUNK * chunk), highest


def settled(state: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Copies of the state of bonds by name, with zeros for remains of earlier steps."""
    found = {name: values.copy() for name, values in state.items()}
    breaking, active = int(found["count"][0]), int(found["eased_count"][0])
    found["pending"][breaking:], found["before"][breaking:] = 0, 0.0
    found["eased_active"][:active].sort()
    found["eased_active"][active:] = 0
    return found


def reserve_room(arrays: rows.Bonds, block: np.ndarray, lag: int) -> rows.Bonds:
    """Allocate room for the bond forces of each chunk until they are summed, `lag` chunks later; once after slots.

    The chunks of a block take turns in a few segments, which stay in the core's cache, as in `arrays.pair_force`.
    Those that reach out of their block are evaluated before all others and keep theirs.
    """
    room = int(np.diff(arrays.chunk_first).max())
    used = int(block[0])  # chunks before all blocks, of ghosts, are evaluated first of all and keep theirs
    segment = np.arange(arrays.highest.size)
    for first, stop in itertools.pairwise(block):
        c = np.arange(first, stop)
        if c.size:
            beyond = arrays.highest[c] >= stop
            alive = min(int((arrays.highest[c] - c).max()) + lag + 1, c.size)
            segment[c] = used + (c - first) % alive
            segment[c[beyond]] = used + alive + np.arange(beyond.sum())
            used += alive + int(beyond.sum())
    chunk = np.repeat(np.arange(segment.size), np.diff(arrays.chunk_first))
    shift = segment * room - arrays.chunk_first[:-1]
    arrays.incident[:] += 2 * shift[chunk[arrays.incident // 2]].astype(np.int32)
    arrays.first_force[:] = segment * room
    number, have = arrays.forces.shape
    return arrays if have >= used * room else arrays._replace(forces=zeros((number, used * room)))


def list_bonded_exclusions(excluded: ExcludedPairs) -> None:
    """List for each body those that it never meets; pairs with a body on another rank are left out."""
    first, second = excluded.first[excluded.first >= 0], excluded.second[excluded.first >= 0]
    body, other = np.concatenate([first, second]), np.concatenate([second, first])
    excluded.apart[:] = other[np.argsort(body, kind="stable")]
    np.cumsum(np.bincount(body, minlength=excluded.apart_first.size - 1), out=excluded.apart_first[1:])


def acting(arrays: rows.Bonds, pairs: np.ndarray) -> np.ndarray:
    """Which bonds act as all others do (B,): those that hold, but for those to the ground."""
    return (arrays.state < rows.BROKEN) & (pairs[:, 1] >= 0)


def bonded_pairs(
    pairs: np.ndarray, bodies: int, apart: int, left_out: np.ndarray | bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of bodies up to a number of bonds apart (X, 2), and the bonds on a shortest path (X, apart), or -1.

    Bonds to the ground, and those to be left out, are no part of any path.

    Examples
    --------
    >>> bonded_pairs(np.array([(0, 1), (1, 2)]), 3, 2)[0].tolist()
    [[0, 1], [1, 2], [0, 2]]
    """
    bond = np.flatnonzero((pairs[:, 1] >= 0) & np.logical_not(left_out))
    both = np.concatenate([pairs[bond], pairs[bond, ::-1]])
    order = np.lexsort((both[:, 1], both[:, 0]))
    start, end, along = both[order, 0], both[order, 1], np.tile(bond, 2)[order]
    first = np.searchsorted(start, np.arange(bodies + 1))
    found, links = [pairs[bond]], [np.column_stack([bond, np.full((len(bond), apart - 1), -1)])]
    seen = {tuple(sorted(p)) for p in pairs[bond].tolist()} if apart > 1 else set()
    ends, path = np.column_stack([start, end]), along[:, None]
    for steps in range(2, apart + 1):
        degree = first[ends[:, 1] + 1] - first[ends[:, 1]]
        source = np.repeat(np.arange(len(ends)), degree)
        edge = first[ends[source, 1]] + np.arange(len(source)) - np.repeat(np.cumsum(degree) - degree, degree)
        ends, path = np.column_stack([ends[source, 0], end[edge]]), np.column_stack([path[source], along[edge]])
        kept = []
        for k, (a, b) in enumerate(ends.tolist()):
            if a < b and (a, b) not in seen:
                seen.add((a, b))
                kept.append(k)
        found.append(ends[kept])
        links.append(np.column_stack([path[kept], np.full((len(kept), apart - steps), -1)]))
    return np.concatenate(found), np.concatenate(links)


def excluded(bonds: Bonds, bodies: int) -> ExcludedPairs:
    """Pairs of bodies without contact as long as bonds hold, by their numbers, which are their rows at the start."""
    found, links = bonded_pairs(bonds.pairs, bodies, bonds.apart, bonds.contact)
    pair, step = np.nonzero(links >= 0)
    bond = links[pair, step]
    order = np.argsort(bond, kind="stable")
    first = np.searchsorted(bond[order], np.arange(len(bonds) + 1))
    number = len(found)
    return ExcludedPairs(
        first=found[:, 0].astype(np.int32), second=found[:, 1].astype(np.int32), row=np.full(number, -1),
        slack=np.full(number, FAR), over_first=first.astype(np.int64), over=pair[order].astype(np.int64),
        active=np.zeros(number, np.int64), count=np.zeros(1, np.int64),
        apart_first=np.zeros(bodies + 1, np.int64), apart=np.zeros(2 * number, np.int32),
    )  # fmt: skip


class EngineBonds:
    """Owns the arrays of bonds of a model, with their shape at rest, which kernels find in the neighbour lists."""

    def __init__(self, model: Bonds, particles: Particles, *, heats: bool = False) -> None:
        self.model, self._list = model, bind(bond_step.list_bonds)
        self.arrays: rows.Bonds = arrays_of(model, particles, heats=heats)
        self.dashpots, excluded = dashpots(model, particles), self.arrays.excluded
        self.by_body = bonds_of_bodies(self.arrays, model.pairs)
        self.apart = np.column_stack([excluded.first, excluded.second]).astype(np.int64)  # identities

    @property
    def are_grounded(self) -> bool:
        """Whether any bond connects a particle to the ground."""
        return bool(self.arrays.ground.size)

    @property
    def state(self) -> dict[str, np.ndarray]:
        """State from which a run continues, by name."""
        arrays = self.arrays
        return {name: getattr(arrays, name) for name in STATE} | {
            f"eased_{n}": getattr(arrays.excluded, n) for n in EASED
        }

    def snapshot(self) -> dict[str, np.ndarray]:
        """Copies of the state of the bonds."""
        return settled(self.state)

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Set the bonds to a state from `snapshot`."""
        for name, values in self.state.items():
            values[:] = state[name]
        self.arrays.live[self.arrays.slot] = acting(self.arrays, self.model.pairs)

    def inherit(self, before: EngineBonds) -> None:
        """Continue with the state of the bonds of another engine, but for the largest overlap."""
        self.restore(before.state | {"pressed": self.arrays.pressed})

    def follow_order(self, bodies: Bodies) -> None:
        """Update the rows of the pairs without contact after bodies have been reordered."""
        row_of, excluded = _rows_by_identity(bodies), self.arrays.excluded
        excluded.first[:], excluded.second[:] = row_of[self.apart[:, 0]], row_of[self.apart[:, 1]]
        list_bonded_exclusions(excluded)

    def locate_pairs(self, nb: Neighbours) -> None:
        """Find the pairs without contact in new neighbour lists."""
        excluded = self.arrays.excluded
        overlap_release.find_pair_rows(
            excluded.first, excluded.second, nb.lower, nb.higher, nb.first, nb.count, excluded.row
        )

    def assign_slots(self, nb: Neighbours, bodies: Bodies) -> Neighbours:
        """Sort bonds by the order of bodies in memory and allocate their forces; returns the lists with them."""
        fill_slots(self.arrays, self.by_body, bodies.identity, _rows_by_identity(bodies))
        self.arrays = reserve_room(self.arrays, nb.block, int(nb.chunk_bandwidth[0]))
        return nb._replace(bonds=self.arrays)

    def without_excluded(self, i: np.ndarray, j: np.ndarray, bodies: Bodies) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of spheres (K,), (K,) without those that bonds exclude from contact."""
        meet = self.have_contact(bodies.owner[i], bodies.owner[j], bodies.kind.size)
        return i[meet], j[meet]

    def have_contact(self, i: np.ndarray, j: np.ndarray, number: int) -> np.ndarray:
        """Whether bodies with indices i, j (K,) may touch, because no bond excludes their contact (K,)."""
        excluded = self.arrays.excluded
        apart = np.flatnonzero(excluded.slack > 0)
        low, high = (
            f(excluded.first[apart], excluded.second[apart]).astype(np.int64) for f in (np.minimum, np.maximum)
        )
        b, c = i.astype(np.int64), j.astype(np.int64)
        return ~np.isin(np.minimum(b, c) * number + np.maximum(b, c), low * number + high)

    def loads(self, faces: BoxFaces, bodies: Bodies) -> tuple[np.ndarray, np.ndarray]:
        """Elastic energy of each bond in the present state (B,) [J], and stress over strength (B,)."""
        energy, load = np.zeros((2, len(self.model)))
        self._list(faces, self.arrays, bodies, energy, load)
        return energy, load

    def remove_escaped(self, left: np.ndarray) -> None:
        """Remove the bonds of bodies that have left (N,)."""
        arrays = self.arrays
        leaving = (left[arrays.first[arrays.slot]] != 0) & (arrays.state < BROKEN)
        arrays.state[leaving], arrays.live[arrays.slot[leaving]] = REMOVED, 0.0

    def whole_aggregates(self, is_leaving: np.ndarray) -> np.ndarray:
        """Leaving bodies (N,) that leave together with all bodies bonded to them."""
        arrays = self.arrays
        holds = np.flatnonzero(arrays.state < BROKEN)
        first, second = arrays.first[arrays.slot[holds]], arrays.second[arrays.slot[holds]]
        stay = ~is_leaving
        grounded = first == second
        stay[first[grounded]] = True
        while (stay[first] != stay[second]).any():
            stay[first] |= stay[second]
            stay[second] |= stay[first]
        return ~stay


def _rows_by_identity(bodies: Bodies) -> np.ndarray:
    """Row of each body in memory, by its identity (N,)."""
    identity = bodies.identity
    row_of = np.empty(identity.size, np.int32)
    row_of[identity] = np.arange(identity.size, dtype=np.int32)
    return row_of
