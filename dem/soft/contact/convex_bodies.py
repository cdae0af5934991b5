"""Convex bodies in Python: tables of their shapes for kernels, where pairs touch, and which walls they may meet."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dem.kernels.compiler.jit import in_python
from dem.kernels.compiler.kind_chain import KindChain
from dem.kernels.convex.polyhedra import tables_of
from dem.kernels.convex.shape_registry import CONVEX_KINDS, BallKind, CapsuleKind, convex_kinds
from dem.kernels.convex.support_samples import sample
from dem.kernels.soft.contact import convex_contacts
from dem.kernels.soft.contact.convex_bodies import ConvexBodyKinds, FacetedBodyKinds
from dem.kernels.soft.wall_contact.convex_at_walls import (
    FLAT,
    HOLLOW_BALL,
    HOLLOW_CYLINDER,
    HOLLOW_TORUS,
    OUTSIDE,
    PROFILE,
    SHELL,
    TORUS,
    TRIANGLES,
    ConvexMeshes,
    ConvexShells,
    ConvexWalls,
    NoConvexWalls,
)
from dem.model.shapes.capsule import half_length_of
from dem.model.shapes.convex import directions, is_convex
from dem.model.shapes.shape import kind_of_shape
from dem.model.walls.convex_walls import ConvexWall, convex_wall, refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dem.kernels.domain.faces import BoxFaces
    from dem.kernels.soft.state import Bodies, Kinds
    from dem.model.fluid.fluid import Fluid
    from dem.model.particles.particles import Particles
    from dem.model.shapes.shape import Shape
    from dem.model.walls.wall import Wall

DIRECTIONS = 1000  # in which `inverse_masses` looks for the largest value
STARTS, STARTS_AROUND = 160, 32  # of the search for contacts inside of hollows, where a body may touch all around
NO_CONTACT = ConvexWall("ball", [0.0], (0.0, 0.0, 0.0))  # in place of planes, which need no numbers


class ConvexParts(NamedTuple):
    """The convex pieces of a shape; all but clumps have one."""

    offsets: np.ndarray  # (S, 3) their centres in the body frame [m]
    radii: np.ndarray  # (S,) of their bounding spheres [m]
    contact_radii: np.ndarray  # (S,) in contact laws [m]
    kinds: list[type]  # S of `dem.kernels.convex.shape_registry.CONVEX_KINDS`
    numbers: list[Sequence[float]]  # S numbers of the shapes


def pieces_of(shape: Shape) -> ConvexParts:
    """Convex parts of a shape where some shapes are convex: itself, the segment of a capsule, the balls of a clump."""
    if is_convex(shape):
        numbers = [shape.convex_numbers]
        return ConvexParts(shape.offsets, shape.radii, np.array([shape.contact_radius]), [shape.convex_kind], numbers)
    half = half_length_of(shape)
    if half:
        radius = 0.5 * shape.diameter
        return ConvexParts(
            np.zeros((1, 3)), np.array([half + radius]), np.array([radius]), [CapsuleKind], [(half, radius)]
        )
    return ConvexParts(
        shape.offsets, shape.radii, shape.radii, [BallKind] * len(shape.radii), shape.radii[:, None].tolist()
    )


def touches_with_corners(shape: Shape) -> bool:
    """Whether a shape touches planes and its like with each of its corners, as polyhedra do."""
    return is_convex(shape) and CONVEX_KINDS[shape.convex_kind].has_facets


def may_have_several_contacts(shape: Shape) -> bool:
    """Whether a body may touch another at several places: several spheres, capsules, and the corners of polyhedra."""
    return len(shape.radii) > 1 or touches_with_corners(shape)


def bounding_radii(kinds: Kinds) -> np.ndarray:
    """Radii of the spheres that hold the pieces of all kinds (S,) [m]: their own, but of convex shapes."""
    return kinds.bound if isinstance(kinds, ConvexBodyKinds) else kinds.radius


def with_shapes(kinds: Kinds, pieces: Sequence[ConvexParts]) -> ConvexBodyKinds:
    """Tables of kinds with the convex shapes of their pieces."""
    every = [kind for each in pieces for kind in each.kinds]
    numbers = [row for each in pieces for row in each.numbers]
    present = sorted(set(every), key=lambda kind: f"{kind.__module__}.{kind.__qualname__}")
    made = FacetedBodyKinds if any(CONVEX_KINDS[kind].has_facets for kind in present) else ConvexBodyKinds
    return made(
        *kinds, convex_kinds(present),
        shape=np.array([present.index(kind) for kind in every]),
        first_number=np.cumsum([0, *(len(row) for row in numbers)])[:-1],
        numbers=np.concatenate([np.asarray(row, float) for row in numbers]),
        bound=np.concatenate([each.radii for each in pieces]),
        is_centred=all(len(each.kinds) == 1 and not each.offsets.any() for each in pieces),
        solver=np.zeros(convex_contacts.SOLVER_COLUMNS, np.int64),
    )  # fmt: skip


def check_compatible(particles: Particles, walls: Sequence[Wall], fluid: Fluid | None) -> None:
    """Refuse features that convex shapes do not support yet: some walls, and lubrication films."""
    convex = [shape for shape, _ in particles.variants if is_convex(shape)]
    if not convex:
        return
    what = kind_of_shape(convex[0])
    for k, wall in enumerate(walls):
        if why := refusal(wall):
            message = f"{what} cannot touch walls[{k}] ({wall.word}), which {why}"
            raise ValueError(message)
    if fluid is not None and fluid.lubrication is not None:
        message = f"lubrication is of spheres, and not known of {what}: leave it out, or take a dem.Clump"
        raise ValueError(message)


def convex_walls(kinds: Kinds, walls: Sequence[Wall]) -> NoConvexWalls | ConvexWalls:
    """Walls for contacts with convex bodies; `NoConvexWalls` without convex bodies."""
    if not isinstance(kinds, ConvexBodyKinds):
        return NoConvexWalls()
    hollow, outside = {"ball": HOLLOW_BALL, "cylinder": HOLLOW_CYLINDER}, {"triangle": TRIANGLES}
    swept = {"shell": SHELL, "torus": TORUS, "profile": PROFILE, "hollow torus": HOLLOW_TORUS}
    met = [convex_wall(wall) for wall in walls]
    rows = [row or NO_CONTACT for row in met]
    sides = [
        FLAT if row is None
        else swept[row.sweep] if row.sweep
        else hollow[row.shape] if row.inside
        else outside.get(row.shape, OUTSIDE)
        for row in met
    ]  # fmt: skip
    present = [kind for kind, row in CONVEX_KINDS.items() if row.name in {each.shape for each in rows}]
    names = [CONVEX_KINDS[kind].name for kind in present]
    turn = 2 * np.pi * (np.arange(STARTS_AROUND) + 0.5) / STARTS_AROUND
    made = ConvexShells if set(swept.values()) & set(sides) else ConvexMeshes if TRIANGLES in sides else ConvexWalls
    return made(
        side=np.array(sides),
        kinds=convex_kinds(present), shape=np.array([names.index(row.shape) for row in rows]),
        first_number=np.cumsum([0, *(len(row.numbers) for row in rows)])[:-1],
        numbers=np.concatenate([np.asarray(row.numbers, float) for row in rows]),
        centre=np.ascontiguousarray(np.array([row.centre for row in rows], float).T),
        turn=np.ascontiguousarray(np.array([row.turn for row in rows], float).T),
        radius=np.array([row.radius for row in rows]), half=np.array([row.half for row in rows]),
        circle=np.array([[f(one) for one in turn.tolist()] for f in (math.cos, math.sin)]),
        sphere=np.ascontiguousarray(directions(STARTS)),
    )  # fmt: skip


class SolverCounts(NamedTuple):
    """Work of the solver of convex shapes in a run, over all evaluations of forces between particles that touch.

    The numbers depend neither on threads, ranks nor on lists.
    """

    contacts: int  # evaluated
    steps: int  # taken: each evaluates both support functions
    most: int  # largest number of steps of one contact
    fallbacks: int  # contacts of smooth shapes that Newton's method did not find, but the search by shifts did
    unconverged_contacts: int  # whose search stopped at its largest number of steps
    truncated_pairs: int  # of polyhedra that may have had more contacts than the engine evaluates

    def describe(self) -> str:
        """In words."""
        if not self.contacts:
            return ""
        line = f"contacts of convex shapes found in {self.steps / self.contacts:.1f} steps, {self.most} at most"
        return line + (f", {self.fallbacks} of {self.contacts} by the slower search" if self.fallbacks else "")


def solver_counts(kinds: Kinds) -> SolverCounts | None:
    """Counts of the solver, or None in runs without convex shapes."""
    return SolverCounts(*kinds.solver.tolist()) if isinstance(kinds, ConvexBodyKinds) else None


class ConvexMeetings(NamedTuple):
    """Contacts of candidate pairs (K,) at one moment; overlaps of pairs that are apart are some negative numbers."""

    overlap: np.ndarray  # (K,) [m]
    normal: np.ndarray  # (3, K) from j to i
    arm_i: np.ndarray  # (3, K) to the contact from the centre of the body of i [m]
    arm_j: np.ndarray  # (3, K) the same of j


def convex_meetings(b: Bodies, kinds: ConvexBodyKinds, box: BoxFaces, i: np.ndarray, j: np.ndarray) -> ConvexMeetings:
    """Contacts of candidate pairs of pieces i and j, which have been placed."""
    found = ConvexMeetings(np.empty(i.size), *(np.empty((3, i.size)) for _ in range(3)))
    convex_contacts.measure_pairs(b, kinds, box, i.astype(np.int64), j.astype(np.int64), *found)
    return found


def face_overlaps(b: Bodies, kinds: ConvexBodyKinds, box: BoxFaces) -> np.ndarray:
    """Overlaps of all pieces, which have been placed, with the six faces of a box (6, M) [m]; negative if apart."""
    found = np.empty((6, b.owner.size))
    convex_contacts.measure_faces(b, kinds, box, found)
    return found


def lowest_arms(b: Bodies, kinds: ConvexBodyKinds, box: BoxFaces, sphere: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Points of pieces (T,) nearest to walls of these normals (3, T), from the centres of their bodies (3, T) [m]."""
    arm = np.empty((3, sphere.size))
    convex_contacts.measure_arms(b, kinds, box, sphere.astype(np.int64), np.ascontiguousarray(normal, float), arm)
    return arm


def inverse_masses(kinds: ConvexBodyKinds, kind: np.ndarray) -> np.ndarray:
    """Largest (x × n)·I⁻¹(x × n) over the surface of each piece (S,), of bodies of these kinds [1/kg].

    By directions that are 0.1 rad apart: the largest is missed by half a percent of it at most.
    """
    normals, found = directions(DIRECTIONS), np.empty(kind.size)
    h, x = np.empty(DIRECTIONS), np.empty((3, DIRECTIONS))
    for s, (shape, at) in enumerate(zip(kinds.shape, kinds.first_number, strict=True)):
        sample(kinds.shapes, shape, kinds.numbers, at, normals, h, x)
        lever = np.cross(kinds.offset[:, s, None] + x, normals, axis=0)
        found[s] = (lever**2 / kinds.inertia[:, kind[s], None]).sum(0).max()
    return found


def polyhedra(kinds: ConvexBodyKinds) -> Iterator[tuple[int, int]]:
    """Number of each piece that is a polyhedron, and where its numbers begin."""
    chain, faceted = kinds.shapes, []
    while isinstance(chain, KindChain):
        faceted.append(CONVEX_KINDS[type(chain.kind)].has_facets)
        chain = chain.others
    for s, (shape, at) in enumerate(zip(kinds.shape, kinds.first_number, strict=True)):
        if faceted[shape]:
            yield s, at


def most_vertices(kinds: ConvexBodyKinds) -> int:
    """Largest number of vertices of a polyhedron."""
    return max((int(kinds.numbers[at + 1]) for _, at in polyhedra(kinds)), default=0)


def most_corners(kinds: ConvexBodyKinds) -> np.ndarray:
    """Largest number of vertices of a face of each piece (S,): all touch if it lands flat. 1 for other shapes."""
    found = np.ones(len(kinds.shape))
    for s, at in polyhedra(kinds):
        edges, faces, first = in_python(tables_of)(kinds.numbers, at)
        planes = first + 2 * edges
        sides = planes + kinds.numbers[planes + 4 : planes + 5 * faces : 5].astype(int)
        found[s] = kinds.numbers[sides].max()
    return found
