"""Convert particles and a box to arrays of the kernels."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.base.large_pages import copied, empty, full, zeros
from dem.kernels.compiler.jit import in_python
from dem.kernels.laws import hertz
from dem.kernels.numerics.columns import BLOCK
from dem.kernels.rotation.spherical_pcdm import OF_ONE_KIND, SphericalPCDM
from dem.kernels.soft.bonds.bond_types import NoBonds
from dem.kernels.soft.chunks import CHUNK
from dem.kernels.soft.contact.batch_kinematics import ID_ROWS, KINEMATICS_ROWS, PARTS, RESULT_ROWS
from dem.kernels.soft.contact.capsule_blending import SLOTS
from dem.kernels.soft.contact.capsules import Capsules, Mixed
from dem.kernels.soft.contact.contact_detection import LINE, SHARED
from dem.kernels.soft.contact.convex_bodies import LINES, ConvexBodyKinds, FacetedBodyKinds
from dem.kernels.soft.contact.convex_contacts import FOUND_WIDTH, NORMAL_COLUMNS
from dem.kernels.soft.contact.dissipated_heat import ContactHeat, NoHeat
from dem.kernels.soft.contact.polyhedron_contacts import SLOTS as FACET_SLOTS
from dem.kernels.soft.contact.sphere_motion import NO_LINES
from dem.kernels.soft.contact.sphere_motion import WIDTH as MOTION_WIDTH
from dem.kernels.soft.fixed_bodies import INERTIA
from dem.kernels.soft.neighbours.candidate_pairs import GROUP
from dem.kernels.soft.state import Bodies, Kinds, Neighbours
from dem.kernels.soft.wall_contact.box_contacts import FACE_SLOTS
from dem.model.domain.box_walls import fold
from dem.model.particles.kinds import is_fixed
from dem.model.shapes.capsule import half_length_of, has_capsules, has_clusters
from dem.model.shapes.convex import has_convex
from dem.soft.contact.capsules import with_poses
from dem.soft.contact.convex_bodies import most_vertices, pieces_of, with_shapes
from dem.soft.time_step.impacts import Springs
from dem.soft.walls import wall_arrays

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dem.model.domain.box import Box
    from dem.model.materials import Material
    from dem.model.particles.particles import Particles
    from dem.model.walls.wall import Wall
    from dem.rotation.integrators import Integrator

ROOM = 1.3  # arrays for pairs are made this much larger than wanted


def materials(particles: Particles) -> list[Material]:
    """Materials of the particles, in the order of the tables' rows."""
    return list(dict.fromkeys(m for _, m in particles.variants))


def kinds(
    particles: Particles, box: Box | None, *, per_pair: bool = False
) -> Kinds | Capsules | Mixed | ConvexBodyKinds:
    """Tables of shapes and materials in the kernels' layout.

    `per_pair` if each pair is to have its contact distance and stiffness in lists, even where those of all are equal.
    """
    capsules, convex = has_capsules(particles.variants), has_convex(particles.variants)
    per_pair = per_pair or convex
    shapes = [shape for shape, _ in particles.variants]
    shapes = [pieces_of(shape) for shape in shapes] if convex else shapes
    found = materials(particles)
    properties = [shape.mass_properties(m.density) for shape, m in particles.variants]
    distance = [np.linalg.norm(shape.offsets, axis=1) for shape in shapes]
    radius = np.concatenate([s.contact_radii if convex else s.radii for s in shapes])
    fixed = np.array([is_fixed(each) for each in particles.variants], bool)
    alike = not per_pair and not fixed.any() and len(found) == 1 and bool((radius == radius[0]).all())
    modulus = found[0].effective_modulus(found[0])
    tables = Kinds(
        mass=np.array([p.mass for p in properties]),
        inverse_mass=np.where(fixed, 0.0, 1 / np.array([p.mass for p in properties])),
        inertia=np.ascontiguousarray(np.where(fixed[:, None], INERTIA, np.array([p.inertia for p in properties])).T),
        max_sphere_offset=np.array([d.max() for d in distance]),
        bounding_radius=np.array([(d + s.radii).max() for d, s in zip(distance, shapes, strict=True)]),
        all_single_spheres=not convex and all(len(s.radii) == 1 and not s.offsets.any() for s in shapes),
        fixed=bool(fixed.any()),
        is_collinear=np.array(
            [  # equal spheres on the body's x axis
                (s.radii == s.radii[0]).all() and (s.offsets[:, 1:] == 0).all() for s in shapes
            ],
            dtype=np.int8,
        ),
        first_offset=np.cumsum([0] + [len(s.radii) for s in shapes]).astype(np.int32),
        offset=np.ascontiguousarray(np.concatenate([s.offsets for s in shapes]).T),
        radius=radius,
        contact_distance=float(2 * radius[0]) if alike else 0.0,
        stiffness=float(in_python(hertz.stiffness)(modulus, radius[0] / 2)) if alike else 0.0,
        material=np.array([found.index(m) for _, m in particles.variants], dtype=np.int32),
        modulus=np.array([[a.effective_modulus(b) for b in found] for a in found]),
        wall_modulus=np.array([a.effective_modulus(box.material) if box and box.material else 0.0 for a in found]),
    )
    if convex:
        return with_shapes(tables, shapes)
    if not capsules:
        return tables
    half = np.array([half_length_of(shape) for shape in shapes])
    if has_clusters(particles.variants):
        return with_poses(Mixed(*tables, half, *[np.zeros(0)] * 3), particles.variant)
    return with_poses(Capsules(*tables, half, np.zeros(0)), particles.variant)


def scheme(integrator: Integrator, kinds: Kinds, *, rotating: bool, bonded: bool) -> tuple:
    """Rotational scheme; what does not turn takes the smallest, so that kernels are compiled once for all integrators.

    Spheres in bonds have an orientation, which the bonds use. Spheres of one kind have a form of their scheme that
    looks up no kinds.
    """
    spheres = kinds.all_single_spheres and not bonded
    chosen = integrator.scheme_for(kinds.inertia, spheres=spheres) if rotating else SphericalPCDM()
    return OF_ONE_KIND.get(type(chosen), chosen) if kinds.mass.size == 1 else chosen


def springs(particles: Particles, kinds: Kinds, law: tuple, walls: Sequence[Wall] = ()) -> Springs:
    """Springs of all contacts, those with walls beside the box among them."""
    found = materials(particles)
    return Springs(kinds, law, wall_arrays.modulus_of(walls, found), wall_arrays.rows_of(walls, len(found)))


def bodies(
    particles: Particles,
    kinds: Kinds,
    box: Box | None,
    *,
    rotating: bool,
    needs_velocity: bool,
    quaternion: int = 4,
    more: int = 0,
    fluid_rows: int = 0,
    heat_rows: int = 0,
    fields: Sequence[str] = (),
) -> Bodies:
    """Component-major copies of the state; spheres that no torque can reach get no room for rotation.

    Rows of arrays: `quaternion` and `more` of the scheme's memory, `fluid_rows` of `Bodies.fluid_cache`, `heat_rows` of
    `Bodies.dissipated`. `needs_velocity` if the contact law reads velocities at the time of the forces.
    """
    n = len(particles)
    turning = n if rotating else 0
    position, image = (copied(rows.T) for rows in fold(particles.position, box))
    spheres = np.diff(kinds.first_offset)[particles.variant]
    first_sphere = copied(np.concatenate([[0], np.cumsum(spheres)]).astype(np.int32))
    return Bodies(
        identity=copied(np.arange(n)),
        kind=copied(particles.variant),
        position=position,
        image=image,
        velocity=copied(particles.velocity.T),
        orientation=copied(particles.orientation.T),
        memory_q=zeros((quaternion, turning)),
        memory_w=copied(particles.angular_velocity.T),
        memory_a=zeros((3, turning)),
        memory_more=zeros((more, turning)),
        force=zeros((3, n)),
        torque=zeros((3, turning)),
        first_sphere=first_sphere,
        sphere_position=position if kinds.all_single_spheres else zeros((3, first_sphere[-1])),
        owner=copied(np.repeat(np.arange(n, dtype=np.int32), spheres)),
        velocity_predicted=copied(particles.velocity.T if needs_velocity else np.zeros((3, 0))),
        angular_velocity_predicted=copied(
            particles.angular_velocity.T if needs_velocity and rotating else np.zeros((3, 0))
        ),
        wall_contacts=zeros(n, np.int64),
        dissipated=zeros((heat_rows, n), np.int64),
        fluid_cache=zeros((fluid_rows, n)),
        is_removed=zeros((1, n), np.int8),
        n_active=np.array([n]),
        fields=copied(np.concatenate([np.zeros((n, 0)), *(particles.field(name) for name in fields)], axis=1).T),
    )


class Workspace(NamedTuple):
    """Arrays for building neighbour lists, reused by the next one."""

    cell: np.ndarray  # (N,) int32
    order: np.ndarray  # (N,) int32
    cell_first: np.ndarray  # int32, one more than cells, and one for bodies that have left
    scratch: np.ndarray  # (N,)
    wanted: np.ndarray  # (C,) int64


def workspace(n: int, chunks: int, most_cells: int) -> Workspace:
    """Arrays for n bodies, without values yet."""
    return Workspace(
        cell=empty(n, np.int32),
        order=empty(n, np.int32),
        cell_first=empty(most_cells + 2, np.int32),
        scratch=empty(n),
        wanted=empty(chunks, np.int64),
    )


def enlarged(wanted: int) -> int:
    """New length of an array that was too short."""
    return int(ROOM * wanted) + 16


class Layout(NamedTuple):
    """Options that decide which arrays of the neighbour lists are allocated."""

    equal_spheres: bool  # of one radius and material, so that one contact distance holds
    needs_velocity: bool  # the contact law reads velocities
    width: int  # numbers in the history of a contact
    wall_width: int  # the same at a wall
    force_torque: int  # columns of `Neighbours.force_torque`
    all_single_spheres: bool  # all bodies are one sphere
    one_candidate_per_pair: bool  # pairs of bodies have one candidate at most
    capsules: bool = False  # bodies are capsules
    solver_columns: int = 0  # numbers that the solver of convex shapes finds of each candidate
    heats: bool = False  # dissipated energy becomes heat of the particles
    faceted: bool = False  # some bodies are polyhedra

    @classmethod
    def of(
        cls, kinds: Kinds | Capsules | Mixed | ConvexBodyKinds, *, needs_velocity: bool, width: int, wall_width: int,
        couples: bool, heats: bool,
    ) -> Layout:  # fmt: skip
        """Layout of the arrays for kinds of bodies and for what their contacts keep."""
        capsules, faceted = isinstance(kinds, Capsules | Mixed), isinstance(kinds, FacetedBodyKinds)
        if capsules:
            needs_velocity, width = True, SLOTS * width + 1 if width else 0
        if isinstance(kinds, ConvexBodyKinds):
            slots = FACET_SLOTS * (1 + width) if width and faceted else 0
            corners = max(FACE_SLOTS, most_vertices(kinds)) if wall_width and faceted else 0
            wall_width += corners * (1 + wall_width)
            needs_velocity, width = True, max(width, int(needs_velocity)) + NORMAL_COLUMNS + slots
        row = (LINE if kinds.contact_distance > 0 and not couples else SHARED) if kinds.all_single_spheres else 2 * LINE
        one_candidate_per_pair = kinds.all_single_spheres or isinstance(kinds, Capsules)
        return cls(
            kinds.contact_distance > 0,
            needs_velocity,
            width,
            wall_width,
            row,
            kinds.all_single_spheres,
            one_candidate_per_pair,
            capsules,
            FOUND_WIDTH if isinstance(kinds, ConvexBodyKinds) else 0,
            heats,
            faceted,
        )

    @property
    def padded_width(self) -> int:
        """Columns of the history of a pair in memory: `width`, or if more than half a cache line, whole cache lines."""
        return self.width if self.capsules or self.width <= LINE // 2 else -(-self.width // LINE) * LINE

    @property
    def table_width(self) -> int:
        """Largest number of values in the history of any contact."""
        return max(self.width, self.wall_width)


def lists(bodies: Bodies, chunks: int, blocks: int, layout: Layout) -> Neighbours:
    """Lists of these bodies, with no room for pairs yet."""
    n, block = bodies.kind.size, np.arange(blocks + 1) * chunks // blocks
    history_of_faces = zeros if layout.faceted else empty  # rows of polyhedra have slots, some of which stay unused
    own = np.searchsorted(block, np.arange(chunks), side="right") - 1
    return Neighbours(
        first=zeros(n, np.int64),
        count=zeros(n, np.int32),
        **pair_arrays(0),
        first_entry=zeros(n + 1, np.int64),
        entry_count=zeros(n, np.int32),
        **entry_arrays(0, n, layout),
        pairs_of_body_start=zeros(chunks, np.int64),
        pairs_of_body_count=zeros(chunks, np.int64),
        count_as_second=zeros(n, np.int32),
        count_as_first=zeros(n, np.int32),
        with_contacts=zeros(n, np.int32),
        with_contacts_count=zeros(chunks, np.int64),
        spheres_to_place=zeros((3, 0 if layout.one_candidate_per_pair else bodies.owner.size), np.int32),
        spheres_to_place_count=zeros(chunks, np.int64),
        near_wall=zeros(n, np.int32),
        near_wall_count=zeros(chunks, np.int64),
        block=block,
        block_of=own,
        evaluating_block=own.copy(),
        first_chunk_reached=zeros(chunks, np.int32),
        last_chunk_reached=zeros(chunks, np.int32),
        chunk_bandwidth=zeros(1, np.int64),
        listed_position=empty((3, n)),
        listed_orientation=empty((4, 0 if layout.all_single_spheres else n)),
        last_pose=empty((7, n if layout.solver_columns else 0)),
        travelled=empty(n if layout.solver_columns else 0),
        lines=empty((bodies.owner.size if layout.solver_columns else 0, LINES)),
        pairs=zeros(chunks, np.int64),
        **candidate_arrays(chunks, 0, layout),
        force_at=zeros(chunks, np.int64),
        pair_force=zeros((3, 0)),
        force_row=zeros(0, np.int32),
        force_torque=zeros((0, layout.force_torque)),
        **scratch(blocks, layout),
        overlap=zeros(0),
        found=zeros((0, layout.solver_columns)),
        motion=zeros((blocks, 0, MOTION_WIDTH)),
        motion_end=np.full(blocks, NO_LINES),
        touching_count=zeros(chunks, np.int64),
        touching=zeros(0, np.int32),
        wall_history=history_of_faces((6 * bodies.owner.size if layout.wall_width else 0, layout.wall_width)),
        wall_has_history=zeros(6 * bodies.owner.size if layout.wall_width else 0, np.int8),
        saved_count=full(chunks, -1, np.int64),
        bonds=NoBonds(),
        heat=ContactHeat(zeros(1, np.int64)) if layout.heats else NoHeat(),
    )


def scratch(blocks: int, layout: Layout) -> dict[str, np.ndarray]:
    """Scratch arrays of threads for touching pairs."""
    used = blocks if layout.needs_velocity else 0
    return {
        "batch_kinematics": zeros((used, PARTS * KINEMATICS_ROWS * BLOCK)),
        "batch_history": zeros((used, max(layout.padded_width, 1), BLOCK)),
        "batch_forces": zeros((used, RESULT_ROWS * BLOCK)),
        "batch_ids": zeros((used, ID_ROWS, BLOCK), np.int64),
    }


def pair_arrays(room: int) -> dict[str, np.ndarray]:
    """Arrays for that many pairs of bodies, and one that never has candidates."""
    return {
        "lower": zeros(room + 1, np.int32),
        "higher": zeros(room + 1, np.int32),
        "candidate_range": zeros(room + 1, np.int64),
    }


def entry_arrays(room: int, n: int, layout: Layout) -> dict[str, np.ndarray]:
    """Arrays for that many entries of n bodies."""
    incident = room + 2 * GROUP * n + GROUP  # see `candidate_pairs.first_incident`; a last group may be written beyond
    return {"body_entries": empty(room, np.int64)} | (
        {"pairs_of_body": empty(incident, np.int32)} if layout.one_candidate_per_pair else {}
    )


def candidate_arrays(chunks: int, room: int, layout: Layout) -> dict[str, np.ndarray]:
    """Arrays for that many candidate pairs in each chunk: what is read of them is written before."""
    incident = 2 * chunks * room + GROUP * CHUNK * chunks + GROUP  # see `candidate_pairs.first_incident`
    room *= chunks
    own, remembering = 0 if layout.equal_spheres else room, room if layout.width else 0
    return ({} if layout.one_candidate_per_pair else {"pairs_of_body": empty(incident, np.int32)}) | {
        "sphere_i": empty(room, np.int32),
        "sphere_j": empty(room, np.int32),
        "contact_distance": empty(own),
        "stiffness": empty(own),
        "clearance": empty(room if layout.solver_columns else 0),
        "listed_features": empty((room if layout.faceted else 0, 5)),
        "history": empty((remembering, layout.padded_width)),
        "has_history": zeros(remembering, np.int8),
        "saved_history": empty((remembering, layout.width)),
        "saved_pair": empty(remembering, np.int64),
        "saved_sphere_i": empty(remembering, np.int32),
        "saved_sphere_j": empty(remembering, np.int32),
    }


def pair_force(lists: Neighbours, layout: Layout) -> dict[str, np.ndarray]:
    """Arrays of the forces of candidates, and the first column of each chunk in them.

    The forces on bodies of several spheres are as many as the candidates. Those on single spheres are wanted only until
    the chunks that they reach have been gathered, so a block's chunks take turns in a few segments, which stay in the
    core's cache. Chunks that reach out of their block are evaluated before all others and keep theirs.
    """
    chunks = lists.pairs.size
    room = lists.sphere_i.size // chunks
    segment, used, lines = np.arange(chunks), chunks, 0
    if layout.all_single_spheres:
        used = int(lists.block[0])  # those before all blocks, of ghosts, keep theirs
        for first, stop in itertools.pairwise(lists.block):
            c = np.arange(first, stop)
            if not c.size:
                continue
            border = (lists.first_chunk_reached[c] < first) | (lists.last_chunk_reached[c] >= stop)
            alive = min(int((lists.last_chunk_reached[c] - c).max() + lists.chunk_bandwidth[0]) + 1, len(c))
            segment[c] = used + (c - first) % alive
            segment[c[border]] = used + alive + np.arange(border.sum())
            used += alive + border.sum()
            lines = max(lines, min(alive * CHUNK, len(lists.count)))
    size = used * room
    start = segment * room
    place = {"force_at": lists.force_at if np.array_equal(lists.force_at, start) else start}
    if not layout.needs_velocity:
        return place | {"pair_force": _at_least(lists.pair_force, (3, size + 1))}
    enough = lists.force_row.size > size  # and so is force_torque, which was made with it
    columns = layout.solver_columns
    return place | {
        "force_row": lists.force_row if enough else zeros(size + 1, np.int32),
        "force_torque": lists.force_torque if enough else zeros((size + 1, layout.force_torque)),
        "overlap": _at_least(lists.overlap, (size,)),
        "found": lists.found if len(lists.found) >= size else zeros((size if columns else 0, columns)),
        "touching": _at_least(lists.touching, (size,)),
        "motion": _motion_lines(lists, lines),
    }


def _motion_lines(lists: Neighbours, enough: int) -> np.ndarray:
    """Lines of each block, a power of two and at least `enough`; see `dem.kernels.soft.contact.sphere_motion`."""
    blocks, (kept, kept_lines, width) = len(lists.block) - 1, lists.motion.shape
    if kept >= blocks and kept_lines >= enough:
        return lists.motion
    return zeros((blocks, 1 << (enough - 1).bit_length(), width))


def _at_least(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The array, or a new one if it is too short."""
    return array if array.shape[-1] >= shape[-1] else zeros(shape, array.dtype)
