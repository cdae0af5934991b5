"""Convex bodies at walls of many shapes: closed forms, spheres, and forces as gradients of one energy."""

import itertools
import math

import numpy as np
import pytest
from dem.kernels.soft.wall_contact.convex_at_walls import cosine_within
from scipy.spatial.transform import Rotation

import dem
from dem.model.shapes.convex import supports

pytestmark = pytest.mark.usefixtures("few_directions")

ELASTIC = dem.Material(young=5e6, poisson=0.3, density=1500.0)
MODULUS = 5e6 / (2 * (1 - 0.3**2))
FEW = {"gravity": (0, 0, 0), "time_step": 1e-6, "threads": 1}
GRAIN = dem.Ellipsoid(semi_axes=(0.004, 0.003, 0.002))
BRICK = dem.Superellipsoid(semi_axes=(0.003, 0.002, 0.002), exponents=(4, 3))
DEEP = 5e-5


def cylinder(start, end, radius, **more):
    """A closed drum, or a roll."""
    return dem.Cylinder(start, end, radius, material=ELASTIC, **({"ends": "both"} | more))


WALLS = {
    "ball": dem.Ball((0, 0, 0), 0.01, material=ELASTIC),
    "hollow": dem.Ball((0, 0, 0), 0.02, material=ELASTIC, inside=True),
    "block": dem.Block((-0.01, -0.01, -0.02), (0.01, 0.01, 0), material=ELASTIC),
    "rectangle": dem.Rectangle((0, 0, 0), (0.02, 0, 0), (0, 0.02, 0), material=ELASTIC),
    "capsule": dem.CapsuleWall((0, -0.01, -0.01), (0, 0.01, 0.01), 0.005, material=ELASTIC),
    "roll": cylinder((0, -0.01, -0.01), (0, 0.01, 0.01), 0.005, inside=False),
    "drum": cylinder((0, -0.02, -0.02), (0, 0.02, 0.02), 0.015),
    "pipe": cylinder((0, -0.01, -0.01), (0, 0.01, 0.01), 0.012, ends="none"),
    "bucket": cylinder((0, 0, -0.015), (0.002, 0, 0.015), 0.012, ends="start"),
    "cone": dem.Cone((0, 0, -0.015), (-0.003, 0, 0.015), 0.006, 0.015, material=ELASTIC),
    "hat": dem.Cone((0, 0, -0.015), (-0.003, 0, 0.015), 0.012, 0, material=ELASTIC),
    "torus": dem.Torus((0, 0, 0), (1, 2, 2), 0.012, 0.004, material=ELASTIC),
    "tube": dem.Torus((0, 0, 0), (1, 2, 2), 0.022, 0.009, material=ELASTIC, inside=True),
    "disc": dem.Disc((0, 0, 0), (1, 2, 2), 0.01, material=ELASTIC),
    "ring": dem.Disc((0, 0, 0), (1, 2, 2), 0.02, inner_radius=0.01, material=ELASTIC),
    "silo": dem.Revolution(
        [(0.006, -0.012), (0.006, -0.004), (0.016, 0.004), (0.016, 0.012), (0.006, 0.012)], axis=(-2, 1, 2),
        material=ELASTIC,
    ),
    "top": dem.Revolution([(0, -0.01), (0.012, 0), (0, 0.01)], axis=(1, 2, 2), material=ELASTIC),
}  # fmt: skip


def contacts(shape, wall, x, q=(1, 0, 0, 0)):
    """Contacts of one body with a wall."""
    body = dem.Particles(shape, ELASTIC, position=[x], orientation=[q])
    return dem.Simulation(body, walls=[wall], **FEW).contact_forces()


@pytest.mark.parametrize(
    ("wall", "x", "normal", "arm"),
    [
        ("ball", (0, 0.013 - DEEP, 0), (0, 1, 0), 0.003),
        ("hollow", (0, 0.017 + DEEP, 0), (0, -1, 0), 0.003),
        ("block", (0.004, -0.002, 0.002 - DEEP), (0, 0, 1), 0.002),
        ("block", (0.014 - DEEP, 0.001, -0.008), (1, 0, 0), 0.004),
        ("rectangle", (0.004, -0.002, 0.002 - DEEP), (0, 0, 1), 0.002),
        ("rectangle", (0.004, -0.002, DEEP - 0.002), (0, 0, -1), 0.002),
        ("capsule", (0.009 - DEEP, 0, 0), (1, 0, 0), 0.004),
        ("roll", (0.009 - DEEP, 0, 0), (1, 0, 0), 0.004),
        ("drum", (0.011 + DEEP, 0, 0), (-1, 0, 0), 0.004),
    ],
)
def test_symmetric_contacts_are_in_closed_form(wall, x, normal, arm):
    """An axis of the body along the normal of the wall: the overlap is that of a ball of this semi-axis."""
    found = contacts(GRAIN, WALLS[wall], x)
    # g is a difference of centimetres: 1e-16 of these; normals and places are as precise as roots of its derivative
    np.testing.assert_allclose(found.overlap, [DEEP], rtol=0, atol=1e-16)
    np.testing.assert_allclose(found.normal, [normal], rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.arm, [-(arm - DEEP / 2) * np.array(normal)], rtol=0, atol=1e-10)
    stiffness = 4 / 3 * MODULUS * math.sqrt(GRAIN.contact_radius)
    np.testing.assert_allclose(np.linalg.norm(found.force, axis=1), [stiffness * DEEP**1.5], rtol=1e-9)


@pytest.mark.parametrize("name", ["ellipsoid", "superellipsoid"])
def test_contacts_with_a_plane_are_in_closed_form(name):
    """Support functions: |(a n_x, b n_y, c n_z)|, and (|a n_x|^q2 + |b n_y|^q2)^(q1/q2) + |c n_z|^q1, to the 1/q1."""
    q = Rotation.random(rng=np.random.default_rng(3)).as_quat(scalar_first=True)
    axes, overlap = np.array([0.004, 0.003, 0.002]), DEEP
    turn = Rotation.from_quat(q, scalar_first=True)
    normal = np.array([0.0, 0.6, 0.8])
    u = axes * turn.inv().apply(-normal)
    h, shape, place = np.linalg.norm(u), GRAIN, axes * u / np.linalg.norm(u)
    if name == "superellipsoid":
        shape, q1, q2 = dem.Superellipsoid(semi_axes=axes, exponents=(4, 3)), 4 / 3, 3 / 2
        s = (abs(u[0]) ** q2 + abs(u[1]) ** q2) ** (1 / q2)
        h = (s**q1 + abs(u[2]) ** q1) ** (1 / q1)
        around = np.abs(u[:2] / s) ** (q2 - 1) * (s / h) ** (q1 - 1)
        place = axes * np.sign(u) * [*around, abs(u[2] / h) ** (q1 - 1)]
    found = contacts(shape, dem.Plane((0, 0, 0), normal, material=ELASTIC), (h - overlap) * normal, q)
    assert found.overlap == pytest.approx([overlap], abs=1e-16)
    # halfway between the surfaces
    np.testing.assert_allclose(found.arm[0], turn.apply(place) + overlap / 2 * normal, rtol=0, atol=1e-16)
    stiffness = 4 / 3 * MODULUS * np.sqrt(shape.contact_radius)
    np.testing.assert_allclose(found.force[0], stiffness * overlap**1.5 * normal, rtol=1e-9, atol=1e-15)


def test_the_ends_of_a_drum_are_planes():
    found = contacts(GRAIN, cylinder((0, 0, -1), (0, 0, 0), 0.05), (0.01, 0.02, DEEP - 0.002))
    np.testing.assert_allclose(found.overlap, [DEEP], rtol=0, atol=1e-15)
    np.testing.assert_allclose(found.normal, [(0, 0, -1)], rtol=0, atol=1e-15)


@pytest.mark.parametrize("spread", [0.05, 0.6, 0.999])
def test_no_start_near_a_maximum_is_left_out(spread):
    """The cosine that decides is below that of any two directions so near; the least of 4000 pairs comes near it."""
    rng, distance = np.random.default_rng(4), 0.25 * spread
    angle = rng.uniform(0, 2 * np.pi, 4000)
    first = spread * np.sqrt(rng.uniform(0.6, 1, 4000)) * np.array([np.cos(angle), np.sin(angle)])
    turn = angle + rng.uniform(-1, 1, 4000)
    second = first - distance * rng.uniform(0.9, 1, 4000) * np.array([np.cos(turn), np.sin(turn)])
    inside = (second**2).sum(0) < spread**2
    up = [np.sqrt(1 - (part**2).sum(0)[inside]) for part in (first, second)]
    cosine = (first * second).sum(0)[inside] + up[0] * up[1]
    bound = cosine_within(spread, distance)
    assert (cosine >= bound).all()
    assert 1 - cosine.min() > 0.7 * (1 - bound)


@pytest.mark.parametrize("name", ["pipe", "hollow ball"])
def test_a_body_across_a_pipe_touches_twice(name):
    """An ellipsoid that is longer than the hollow is wide is pressed at both ends."""
    pipe = cylinder((0, 0, -1), (0, 0, 1), 0.004 - DEEP)
    hollow = dem.Ball((0, 0, 0), 0.004 - DEEP, inside=True, material=ELASTIC)
    found = contacts(GRAIN, pipe if name == "pipe" else hollow, (1e-5, 0, 0))
    by_side = np.argsort(found.normal[:, 0])
    np.testing.assert_allclose(found.normal[by_side], [(-1, 0, 0), (1, 0, 0)], rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.overlap[by_side], [DEEP + 1e-5, DEEP - 1e-5], rtol=0, atol=1e-16)


ROUND_AND_FLAT = {
    "ellipsoid": GRAIN,
    "superellipsoid": dem.Superellipsoid(semi_axes=(0.003, 0.003, 0.002), exponents=(8, 8)),
    "tablet": dem.RoundedCylinder(diameter=0.006, length=0.003, rounding=0.0005),
}


@pytest.mark.parametrize("radius", [0.015, 0.3])
@pytest.mark.parametrize("name", ROUND_AND_FLAT)
def test_contacts_in_a_cylinder_are_all_maxima_of_the_overlap(name, radius, rng):
    """The overlap of all of 1501 directions; between two of them, a maximum is higher by less than 1e-8 m.

    A flat side that is turned by small angles touches along both of its edges.
    """
    shape, pipe = ROUND_AND_FLAT[name], cylinder((0, 0, -1), (0, 0, 1), radius)
    size = float(shape.radii[0])
    angle = np.linspace(-1, 1, 1501) * min(1.2, 3 * math.sqrt(size / radius))
    normals = np.array([np.cos(angle), np.sin(angle), 0 * angle])
    turns = [Rotation.from_rotvec((0, 0, angle)) for angle in (0, 1e-4, 2e-3, 4e-3)]
    for q in (*turns, *Rotation.random(4, rng=rng)):
        h, x = supports(shape, q.inv().as_matrix() @ normals)[0], radius - size
        while (deepest := (h + x * normals[0] - radius).max()) < DEEP:
            x += 0.5 * (DEEP - deepest) + 1e-9
        f = np.concatenate([[-1], h + x * normals[0] - radius, [-1]])
        maxima = f[1:-1][(f[1:-1] > f[:-2]) & (f[1:-1] >= f[2:]) & (f[1:-1] > 1e-7)]
        overlap = contacts(shape, pipe, (x, 0, 0), q.as_quat(scalar_first=True)).overlap
        overlap = overlap[overlap > 1e-7]  # others may be between two directions
        np.testing.assert_allclose(np.sort(overlap), np.sort(maxima), rtol=0, atol=1e-8)


CUBOID = dem.Polyhedron(
    vertices=list(itertools.product((-0.004, 0.004), (-0.003, 0.003), (-0.002, 0.002))), rounding=8e-4
)
CORE = np.array(list(itertools.product((-0.0032, 0.0032), (-0.0022, 0.0022), (-0.0012, 0.0012))))


@pytest.mark.parametrize("hollow", ["ball", "drum"])
def test_corners_of_a_polyhedron_inside_of_a_hollow_are_balls(hollow, rng):
    """Each that overlaps the side or an end is a contact; four of a face that is turned to the side."""
    radius, most = 0.015, 0
    wall = cylinder((0, 0, -1), (0, 0, 0.004), radius)
    if hollow == "ball":
        wall = dem.Ball((0, 0, 0), radius, inside=True, material=ELASTIC)
    for turn in (Rotation.identity(), Rotation.from_rotvec((1e-4, 0, 2e-3)), *Rotation.random(2, rng=rng)):
        arms = turn.apply(CORE)
        x = np.array([0.0105, 0.0, 0.004 - 8e-4 - arms[:, 2].max() + DEEP if hollow == "drum" else 0.0])
        while True:
            y = x + arms
            off = np.linalg.norm(y if hollow == "ball" else y[:, :2], axis=1)
            at_side = off + 8e-4 - radius
            if at_side.max() >= DEEP:
                break
            x[0] += DEEP - at_side.max() + 1e-6
        at_end = y[:, 2] + 8e-4 - 0.004 if hollow == "drum" else np.zeros(0)
        found = contacts(CUBOID, wall, x, turn.as_quat(scalar_first=True))
        expected = np.concatenate([at_side[at_side > 0], at_end[at_end > 0]])
        np.testing.assert_allclose(np.sort(found.overlap), np.sort(expected), rtol=0, atol=1e-15)
        at_ball = y[at_side > 0] * (1, 1, hollow == "ball")
        normals = found.normal[np.abs(found.normal[:, 2]) < 0.9 if hollow == "drum" else slice(None)]
        outwards = at_ball / off[at_side > 0, None]
        normals, outwards = (each[np.lexsort(np.round(each, 9).T)] for each in (-normals, outwards))
        np.testing.assert_allclose(normals, outwards, rtol=0, atol=1e-13)
        most = max(most, len(normals))
    assert most == 4


def test_a_face_on_a_large_ball_touches_between_its_corners_as_well():
    """In the middle it is deepest. That contact counts with three of the four corners, which are equally deep."""
    large, place = dem.Ball((0, 0, -0.5), 0.5, material=ELASTIC), np.array([0, 0, 0.002 - DEEP])
    corner = 0.5 + 8e-4 - np.linalg.norm((CORE + place - (0, 0, -0.5))[CORE[:, 2] < 0], axis=1)
    found = contacts(CUBOID, large, place)
    assert (corner > 0).all()
    np.testing.assert_allclose(found.overlap, [DEEP, *corner[1:]], rtol=0, atol=1e-15)
    np.testing.assert_allclose(found.normal[0], (0, 0, 1), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["roll", "capsule"])
def test_an_edge_along_a_round_wall_touches_with_both_of_its_corners(name):
    """All of its points are equally deep: the place that the search for the deepest one finds is not a third one."""
    turn = Rotation.from_rotvec((0, math.atan2(2.2, 1.2), 0))
    low = turn.apply(CORE)[:, 2].min()
    x = np.array([0.0, 0.0, 8e-4 - DEEP - low])
    x[0] = -turn.apply(CORE)[turn.apply(CORE)[:, 2].argmin(), 0]
    found = contacts(CUBOID, ROUND[name], x, turn.as_quat(scalar_first=True))
    np.testing.assert_allclose(found.overlap, [DEEP, DEEP], rtol=0, atol=1e-15)
    np.testing.assert_allclose(np.sort(found.point[:, 1]), [-0.0022, 0.0022], rtol=0, atol=1e-15)


def test_a_body_across_a_bent_tube_touches_twice():
    """At its top and bottom, where all planes through the axis have the same normal."""
    tube = dem.Torus((0, 0, 0), (0, 0, 1), 0.022, 0.004 - DEEP, inside=True, material=ELASTIC)
    upright = Rotation.from_rotvec((0, math.pi / 2, 0)).as_quat(scalar_first=True)
    found = contacts(GRAIN, tube, (0, 0.022, 1e-5), upright)
    order = np.argsort(found.normal[:, 2])
    np.testing.assert_allclose(found.normal[order], [(0, 0, -1), (0, 0, 1)], rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.overlap[order], [DEEP + 1e-5, DEEP - 1e-5], rtol=0, atol=1e-12)


def test_a_flat_side_in_a_bent_tube_touches_where_it_is_deepest():
    """Where it rolls, one maximum in a plane through the axis gives way to another: no contact is in between."""
    q = np.array([-0.23660483886, 0.63959829227, -0.02643321930, -0.73091275790])
    tube = dem.Torus((0, 0, 0), (0, 0, 1), 0.04, 0.015, inside=True, material=ELASTIC)
    found = contacts(BRICK, tube, (0.01373192037285, -0.03391168774992, -0.01160912966796), q / np.linalg.norm(q))
    assert len(found.overlap) == 1
    # its support point is as deep as it says, and the normal points to the centre line of the tube
    x = found.point[0] - 0.5 * found.overlap[0] * found.normal[0]
    ring = 0.04 * np.array([x[0], x[1], 0]) / np.hypot(x[0], x[1])
    np.testing.assert_allclose(x - ring, -(0.015 + found.overlap[0]) * found.normal[0], rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", ["cylinder", "polyhedron"])
def test_a_straight_edge_touches_the_inner_side_of_a_bent_tube_between_its_ends(name):
    """That side is round the axis, and the edge is across: the contact is where the edge is closest to the axis."""
    tube = dem.Torus((0, 0, 0), (0, 0, 1), 0.022, 0.009, inside=True, material=ELASTIC)
    shape, half, q = dem.RoundedCylinder(diameter=0.004, length=0.006, rounding=0.0005), 0.002, (1, 0, 0, 0)
    if name == "polyhedron":
        corners = list(itertools.product((-0.002, 0.002), (-0.0015, 0.0015), (-0.0015, 0.0015)))
        shape, half = dem.Polyhedron(vertices=corners, rounding=0.0005), 0.001 * math.sqrt(2) + 0.0005
        q = (math.cos(math.pi / 8), math.sin(math.pi / 8), 0, 0)
    for off in (0.0, 0.0007, -0.0004):
        found = contacts(shape, tube, (off, 0.013 + half - DEEP, 0), q)
        np.testing.assert_allclose(found.overlap, [DEEP], rtol=0, atol=1e-16)
        np.testing.assert_allclose(found.normal, [(0, 1, 0)], rtol=0, atol=1e-14)
        np.testing.assert_allclose(found.arm, [(-off, DEEP / 2 - half, 0)], rtol=0, atol=1e-15)


TOUCHING = 0.003 - DEEP  # distance of a ball of 3 mm that touches
ROOM, UP, SIDEWAYS = 0.009 - TOUCHING, np.array([1, 2, 2]) / 3, np.array([0, 1, -1]) / math.sqrt(2)
SILO_AXIS = np.array([-2, 1, 2]) / 3
PLACES = {
    "ball": (0.01 + TOUCHING) / 3 * np.array([1, 2, 2]),
    "hollow": (0.02 - TOUCHING) / 3 * np.array([1, 2, 2]),
    "block": np.array([0.01, 0.01, 0.0]) + TOUCHING / math.sqrt(3),  # its corner
    "rectangle": np.array([0.01, 0.002, 0.0]) + TOUCHING * np.array([0.6, 0, 0.8]),  # its edge
    "capsule": np.array([0, 0.01, 0.01]) + (0.005 + TOUCHING) * np.array([0.6, 0, 0.8]),  # its end
    "roll": np.array([0.005, 0.01, 0.01]) + TOUCHING * np.array([0.6, math.sqrt(0.32), math.sqrt(0.32)]),  # its rim
    "drum": (0.015 - TOUCHING) * np.array([0.6, math.sqrt(0.32), -math.sqrt(0.32)]),
    "pipe": np.array([0.012, 0.01, 0.01]) + TOUCHING * np.array([0.6, math.sqrt(0.32), math.sqrt(0.32)]),  # its rim
    "hat": np.array([-0.003, 0, 0.015]) + TOUCHING * np.array([-0.1, 0, 1.0]) / math.sqrt(1.01),  # its tip
    "tube": (0.022 - 0.6 * ROOM) * SIDEWAYS + 0.8 * ROOM * UP,
    "outside in a tube": (0.022 + 0.6 * ROOM) * SIDEWAYS - 0.8 * ROOM * UP,
    "bottom of a tube": 0.022 * SIDEWAYS - ROOM * UP,
    "torus": (0.008 - TOUCHING) * np.array([0, 1, -1]) / math.sqrt(2),  # in its hole
    "disc": (0.01 + 0.6 * TOUCHING) * np.array([0, 1, -1]) / math.sqrt(2) + 0.8 * TOUCHING * np.array([1, 2, 2]) / 3,
    "ring": (0.01 - 0.6 * TOUCHING) * np.array([0, 1, -1]) / math.sqrt(2) + 0.8 * TOUCHING * np.array([1, 2, 2]) / 3,
    # at the lip between outlet and hopper, from inside; at the edge of a top, and at its tip
    "silo": (0.006 - 0.8 * TOUCHING) * np.array([0, 2, -1]) / math.sqrt(5) + (0.6 * TOUCHING - 0.004) * SILO_AXIS,
    "top": (0.012 + TOUCHING) * np.array([0, 1, -1]) / math.sqrt(2),
    "tip of a top": (0.01 + TOUCHING) * np.array([1, 2, 2]) / 3,
    # on the side, from a place beyond the tip: the normal of the side is (5, 6)/√61 along r and z
    "beside the tip of a top": (0.0006 + TOUCHING * 5 / math.sqrt(61)) * SIDEWAYS
    + (0.0095 + TOUCHING * 6 / math.sqrt(61)) * UP,
    "roof of a silo": 0.011 * np.array([0, 2, -1]) / math.sqrt(5) + (0.012 - TOUCHING) * SILO_AXIS,
}


@pytest.mark.parametrize("name", PLACES)
def test_an_ellipsoid_of_equal_axes_touches_walls_as_a_sphere(name):
    """At edges, corners and ends as well."""
    shapes = (dem.Sphere(diameter=0.006), dem.Ellipsoid(semi_axes=(0.003, 0.003, 0.003 + 1e-18)))
    wall = WALLS[name.split()[-1]]
    ball, grain = (contacts(shape, wall, PLACES[name]) for shape in shapes)
    np.testing.assert_allclose(ball.overlap, [DEEP], rtol=0, atol=1e-16)
    np.testing.assert_allclose(grain.overlap, ball.overlap, rtol=0, atol=1e-16)
    # 1e-16 of centimetres, over the 3 mm of the radius
    np.testing.assert_allclose(grain.normal, ball.normal, rtol=0, atol=1e-14)
    np.testing.assert_allclose(grain.arm, ball.arm, rtol=0, atol=1e-16)


def energy_and_force(shape, wall, x, q):
    """Sum of 2/5 k δ^(5/2), force and torque of all contacts, and the largest overlap."""
    found = contacts(shape, wall, x, q)
    k = 4 / 3 * MODULUS * math.sqrt(shape.contact_radius)
    torque = np.cross(found.arm, found.force).sum(0)
    return 0.4 * k * (found.overlap**2.5).sum(), found.force.sum(0), torque, found.overlap.max(initial=0.0)


def at_wall(shape, wall, inside, q, way):
    """A place along a direction from the wall's middle at which a body of this orientation overlaps a little."""
    far, step = (0.0, 1.0) if inside else (0.05, -1.0)
    width = 0.01
    while width > 1e-5:
        x = np.array([0, 0, -0.01 if isinstance(wall, dem.Block) else 0.0]) + (far + step * width) * way
        try:
            deep = energy_and_force(shape, wall, x, q)[3]
        except ValueError:
            deep = 1.0
        if 3e-5 < deep < 1e-4:
            return x
        far, width = (far, width / 2) if deep > 3e-5 else (far + step * width, width)
    return None


OBLIQUE = np.array([0.48, -0.6, 0.64])  # a unit vector that no symmetry shares: all components show in a derivative


def slopes(shape, wall, x, q):
    """Derivatives of the energy by place and turn, and force and torque, over the force; lengths in 4 mm."""
    _, force, torque, deep = energy_and_force(shape, wall, x, q.as_quat(scalar_first=True))
    assert deep < 1.1e-4
    size, ends = np.linalg.norm(force), []
    for side in (1, -1):
        turned = (Rotation.from_rotvec(side * 3e-6 * OBLIQUE) * q).as_quat(scalar_first=True)
        moved = energy_and_force(shape, wall, x + side * 1e-8 * OBLIQUE, q.as_quat(scalar_first=True))[0]
        ends.append([moved, energy_and_force(shape, wall, x, turned)[0]])
    slope = (np.array(ends[0]) - ends[1]) / (2e-8, 6e-6 * 0.004) / size
    return slope, np.array([force, torque / 0.004]) @ OBLIQUE / size


TURN = (-0.46, -1.09, -0.44)
TOUCHED = {  # places at which a grain that is turned by TURN overlaps a wall by 0.03 to 0.1 mm
    "ball": (0.01002, 0.00494, -0.00594),
    "hollow": (0.01367, 0.00674, -0.00811),
    "block": (0.01268, 0.00625, -0.01752),
    "rectangle": (0.00619, 0.00305, -0.00367),
    "capsule": (0.00612, 0.00302, -0.00363),
    "roll": (0.00612, 0.00302, -0.00363),
    "pipe": (0.01169, 0.00576, -0.00693),
    "bucket": (-0.00718, -0.00354, 0.00426),
    "cone": (0.00947, 0.00467, -0.00561),
    "hat": (0.0107, 0.00528, -0.00635),
    "torus": (0.01432, 0.00706, -0.00849),
    "disc": (0.00947, 0.00467, -0.00561),
    "ring": (0.01237, 0.0061, -0.00734),
    "silo": (0.01002, 0.00494, -0.00594),
    "top": (0.01076, 0.00531, -0.00638),
}


@pytest.mark.parametrize(
    ("name", "shape", "x"),
    [
        *((name, GRAIN, np.array(x)) for name, x in TOUCHED.items()),
        *(
            pytest.param(*case, None, marks=pytest.mark.slow)
            for case in (("drum", GRAIN), ("block", BRICK), ("drum", BRICK))
        ),
    ],
)
@pytest.mark.few(8, long=99)
def test_force_and_torque_are_the_gradient_of_one_energy(name, shape, x):
    """By differences of 1e-8 m and 3e-6 rad, whose squares over those of the overlap are 1e-7."""
    wall, rng, q = WALLS[name], np.random.default_rng(1), Rotation.from_rotvec(TURN)
    for _ in range(8 if x is None else 0):
        q, way = Rotation.random(rng=rng), rng.normal(size=3)
        x = at_wall(shape, wall, name in ("hollow", "drum"), q.as_quat(scalar_first=True), way / np.linalg.norm(way))
        if x is not None:
            break
    slope, expected = slopes(shape, wall, x, q)
    np.testing.assert_allclose(slope, -expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    "flat",
    [
        WALLS["block"],
        WALLS["rectangle"],
        dem.Block((-10, -10, -10), (10, 10, 0), material=ELASTIC),
        dem.Block((-1, -1, -1e-12), (1, 1, 0), material=ELASTIC),
        dem.Disc((0, 0, 0), (0, 0, 1), 0.02, material=ELASTIC),
    ],
    ids=["block", "rectangle", "large block", "sheet", "disc"],
)
def test_a_face_rests_on_a_flat_wall_as_on_a_plane(flat):
    """Each of its four corners is a contact, also if the face is a little inclined."""
    place, q = (0.001, -0.002, 0.002 - DEEP), (1.0, 0.005, 0.003, 0.2) / np.linalg.norm((1.0, 0.005, 0.003, 0.2))
    plane = contacts(CUBOID, dem.Plane((0, 0, 0), (0, 0, 1), material=ELASTIC), place, q)
    found = contacts(CUBOID, flat, place, q)
    size = flat.upper[0] - flat.lower[0] if isinstance(flat, dem.Block) else 0.04
    order, other = np.lexsort(plane.arm.T), np.lexsort(found.arm.T)
    assert len(plane.overlap) == 4
    # rounding of places from the middle of the wall
    np.testing.assert_allclose(found.overlap[other], plane.overlap[order], rtol=0, atol=1e-15 * size)
    np.testing.assert_allclose(found.arm[other], plane.arm[order], rtol=0, atol=1e-15 * size)
    np.testing.assert_allclose(found.normal[other], plane.normal[order], rtol=0, atol=1e-14)


EDGES = [
    ((0.0095, 0.002, 0.00194), (0.004, 0.006, 0.3), 4),  # across an edge
    ((0.0098, 0.0103, 0.00192), (0.01, 0.008, 0.4), 4),  # across a corner
    ((0.007, 0.0019, 0.00193), (0.004, 0.006, 0.05), 6),  # with a corner near the edge
]
ROUND = {  # convex walls that rise to z = 0
    "disc": dem.Disc((0, 0, 0), (0, 0, 1), 0.0045, material=ELASTIC),
    "ball": dem.Ball((0, 0, -0.5), 0.5, material=ELASTIC),
    "roll": cylinder((0, -0.05, -0.3), (0, 0.05, -0.3), 0.3, inside=False),
    "capsule": dem.CapsuleWall((0, -0.05, -0.3), (0, 0.05, -0.3), 0.3, material=ELASTIC),
}


@pytest.mark.parametrize(
    ("wall", "x", "turn", "number"),
    [
        *((WALLS[name], *case) for name in ("block", "rectangle") for case in EDGES),
        (ROUND["disc"], (0.001, 0.001, 0.00196), (0.004, 0.006, 0.3), 3),  # two corners over it, and its rim
        *((ROUND[name], (0.0005, 0.0003, 0.00195), (0.004, 0.006, 0.3), 4) for name in ("ball", "roll", "capsule")),
    ],
)
def test_forces_of_a_polyhedron_at_an_edge_or_a_round_wall_are_gradients(wall, x, turn, number):
    """Corners, and places between them, of which some have a weight below 1; by differences as of other shapes."""
    x, q, energies = np.array(x), Rotation.from_rotvec(turn), []

    def touching(place, rotation):
        body = dem.Particles(CUBOID, ELASTIC, position=[place], orientation=[rotation.as_quat(scalar_first=True)])
        return dem.Simulation(body, walls=[wall], **FEW)

    found = touching(x, q).contact_forces()
    assert len(found.overlap) == number
    torque, size = (np.cross(found.arm, found.force) + found.couple).sum(0), np.linalg.norm(found.force, axis=1).sum()
    for side in (1, -1):
        turned = Rotation.from_rotvec(side * 3e-6 * OBLIQUE) * q
        energies.append([touching(x + side * 1e-8 * OBLIQUE, q).energy().elastic, touching(x, turned).energy().elastic])
    slope = (np.array(energies[0]) - energies[1]) / (2e-8, 6e-6 * 0.004) / size
    np.testing.assert_allclose(
        slope, -np.array([found.force.sum(0), torque / 0.004]) @ OBLIQUE / size, rtol=0, atol=1e-6
    )


SHELLS = {  # places and rotation vectors at which a grain touches one or two places of a shell by 0.04 to 0.1 mm
    "pipe": ((0.00961, 0.00104, 0.00139), (0.3, 1.2, 0.2)),
    "rim of a pipe": ((0.01241, 0.01209, 0.01188), (0.4, 0.3, -0.2)),
    "bucket": ((0.00312, 0.0158, 0.00104), (0.2, 0.1, 1.4)),
    "floor of a bucket": ((0.00098, -0.00127, -0.01282), (0.1, 0.4, 0.3)),
    "cone": ((-0.0167, 0.00118, 0.00235), (0.3, 0.2, 0.5)),
    "cone from inside": ((0.00465, 0.00089, -0.00018), (1.4, 0.3, 0.1)),
    "torus": ((0.0, 0.01307, -0.01296), (0.3, 0.4, 0.1)),
    "outside of a tube": ((0.0, 0.02026, -0.01982), (0.3, 0.4, 0.1)),
    "inside of a tube": ((-0.00091, 0.01051, -0.01114), (1.3, 0.2, 0.5)),
    "top of a tube": ((0.00197, 0.01742, -0.00993), (0.5, 0.3, 0.9)),
}


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        *((name, GRAIN) for name in SHELLS),
        *(pytest.param(name, BRICK, marks=pytest.mark.slow) for name in SHELLS),
    ],
)
@pytest.mark.few(5, long=99)
def test_forces_of_shells_are_gradients(name, shape):
    """By differences, as above; bricks are moved along the line from or to the axis until they touch."""
    wall, (x, turn) = WALLS[name.split()[-1 if " of a " in name else 0]], SHELLS[name]
    x, q = np.array(x), Rotation.from_rotvec(turn)
    way = x / np.linalg.norm(x)
    low, high = -0.006, 0.006
    grows = ("pipe", "floor of a bucket", "cone from inside", "outside of a tube", "top of a tube")
    inward = 1.0 if name in grows else -1.0  # which way overlaps grow
    for _ in range(14):
        middle = 0.5 * (low + high)
        try:
            deep = energy_and_force(shape, wall, x + inward * middle * way, q.as_quat(scalar_first=True))[3]
        except ValueError:
            deep = 1.0
        if 4e-5 < deep < 1e-4:
            break
        low, high = (middle, high) if deep < 4e-5 else (low, middle)
    slope, force = slopes(shape, wall, x + inward * middle * way, q)
    np.testing.assert_allclose(slope, -force, rtol=0, atol=1e-6)


@pytest.mark.parametrize("shape", [GRAIN, pytest.param(BRICK, marks=pytest.mark.slow)])
@pytest.mark.long
def test_a_cone_is_a_surface_of_revolution_of_one_segment(shape, rng):
    """Of either order of its points: the same contacts at the same places, to rounding."""
    axis = np.array([-0.003, 0, 0.03])
    half, number = 0.5 * np.linalg.norm(axis), 0
    middle, points = (-0.0015, 0, 0), [(0.006, -half), (0.015, half)]
    same = [
        dem.Revolution(points, middle, tuple(axis), material=ELASTIC),
        dem.Revolution([(r, -z) for r, z in points[::-1]], middle, tuple(-axis), material=ELASTIC),
    ]
    for turn in Rotation.random(12, rng=rng):
        x, q = rng.uniform(-0.016, 0.016, 3), turn.as_quat(scalar_first=True)
        try:
            cone = contacts(shape, WALLS["cone"], x, q)
        except ValueError:  # too deep
            continue
        for wall in same:
            found = contacts(shape, wall, x, q)
            np.testing.assert_allclose(found.overlap, cone.overlap, rtol=0, atol=1e-15)
            np.testing.assert_allclose(found.normal, cone.normal, rtol=0, atol=1e-9)
            np.testing.assert_allclose(found.point, cone.point, rtol=0, atol=1e-11)
        number += len(cone.overlap)
    assert number > 0


def test_a_grain_in_the_corner_of_a_silo_touches_both_of_its_walls():
    """Where hopper and bin meet, seen from inside: a joint that nothing touches."""
    way = np.array([0, 2, -1]) / math.sqrt(5)
    ball = dem.Ellipsoid(semi_axes=(0.002, 0.002, 0.002))
    slope = np.array([-0.008, 0.010]) / math.hypot(0.008, 0.010)  # inward normal of the hopper, (r, z)
    r = 0.016 - 0.002 + DEEP
    z = 0.004 + ((0.002 - DEEP) - slope[0] * (r - 0.016)) / slope[1]
    found = contacts(ball, WALLS["silo"], r * way + z * SILO_AXIS)
    np.testing.assert_allclose(found.overlap, [DEEP, DEEP], rtol=0, atol=1e-15)
    expected = sorted(([-1.0, 0.0], slope.tolist()))
    np.testing.assert_allclose(
        sorted(np.column_stack([found.normal @ way, found.normal @ SILO_AXIS]).tolist()), expected, atol=1e-12
    )


@pytest.mark.long
def test_a_rod_goes_over_the_rim_of_a_pipe_without_a_jump():
    """Pushed out of a pipe, along whose side it lies: the energy changes by the work, step by step.

    What is left is the error of the trapezoidal rule, which is a quarter at half the step.
    """
    q = Rotation.from_rotvec((0.3, 0.1, 0.2)).as_quat(scalar_first=True)
    along, out = np.array([0, 1, 1]) / math.sqrt(2), np.array([1.0, 0, 0])
    support = np.linalg.norm((0.004, 0.003, 0.002) * Rotation.from_quat(q, scalar_first=True).inv().apply(out))
    before, gone = None, []
    for step in range(34):
        x = (0.012 - support + 5e-5) * out + (0.0133 + 4e-5 * step) * along
        energy, force, _, _ = energy_and_force(GRAIN, WALLS["pipe"], x, q)
        if before:
            gone.append(energy - before[0] + 0.5 * 4e-5 * (force + before[1]) @ along)
        before = energy, force
    assert before[0] == 0
    most = 0.4 * 4 / 3 * MODULUS * math.sqrt(GRAIN.contact_radius) * 5e-5**2.5
    assert np.abs(gone).max() < 4e-3 * most


ROUGH = {"material": dem.Material(young=5e6, poisson=0.3, density=1500.0, restitution=0.6, friction=0.4)}
BENT = {  # walls, a place beside them, and which way they are from there
    "tube": (dem.Torus((0, 0, 0), (0, 0, 1), 0.04, 0.015, inside=True, **ROUGH), (0.04, 0, -0.008), (0.6, 0, -0.8)),
    "inner side": (dem.Torus((0, 0, 0), (0, 0, 1), 0.04, 0.015, inside=True, **ROUGH), (0.032, 0, 0), (-0.96, 0, 0.28)),
    "silo": (dem.Revolution([(0.02, -0.03), (0.04, 0), (0.04, 0.04)], **ROUGH), (0.022, 0, -0.01), (0.8, 0, -0.6)),
    "rough": (dem.Plane((0, 0, 0), (0, 0, 1), roughness=0.15, seed=5, **ROUGH), (0, 0, 0.008), (0, 0, -1)),
}


@pytest.mark.parametrize(
    "shape", [pytest.param(GRAIN, marks=pytest.mark.long), pytest.param(BRICK, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", BENT)
def test_energy_of_an_impact_on_a_bent_or_rough_wall_is_kept_to_second_order(name, shape):
    """With friction and damping: what is dissipated, and what is left, are the energy that there was."""
    wall, x, way = BENT[name][0], *map(np.array, BENT[name][1:])
    smooth = dem.Plane((0, 0, 0), (0, 0, 1), material=ELASTIC) if name == "rough" else wall
    q = Rotation.from_rotvec((0.4, 0.5, 0.2)).as_quat(scalar_first=True)
    low, high = 0.0, 0.008
    for _ in range(8):  # the way until they touch
        middle = 0.5 * (low + high)
        try:
            touches = energy_and_force(shape, smooth, x + middle * way, q)[3] > 0
        except ValueError:  # too deep
            touches = True
        low, high = (low, middle) if touches else (middle, high)
    errors = []
    for halves in range(2):
        grain = dem.Particles(
            shape, ROUGH["material"], position=[x + low * way], orientation=[q],
            velocity=[way + np.array([0, 0.5, 0])], angular_velocity=[(20, -40, 30)],
        )  # fmt: skip
        sim = dem.Simulation(grain, walls=[wall], gravity=(0, 0, 0), time_step=1e-5 / 2**halves, threads=1)
        sim.step(90 * 2**halves)
        assert sim.energy().dissipated > 0.05 * sim.energy().kinetic
        assert (sim.particles.velocity[0] * way).sum() < 0
        errors.append(sim.energy_error)
    assert errors[0] < 1e-3
    assert errors[1] < 0.3 * errors[0]  # a quarter, and some room for terms of higher order


def test_what_convex_bodies_cannot_meet_is_refused_by_name():
    body = dem.Particles(GRAIN, ELASTIC, position=[[0, 0, 0]])
    for wall in (
        dem.Revolution([(0.1, 0), (0.1, 0.4), (0.2, 0.5)], material=ELASTIC, wear=1e-12),
        dem.Cone((0, 0, -0.1), (0, 0, 0.1), 0.1, 0.2, ends="end", material=ELASTIC, wear=1e-12),
    ):
        with pytest.raises(ValueError, match=r"an Ellipsoid cannot touch walls\[0\] \(.*\), which wears by segments"):
            dem.Simulation(body, walls=[wall], **FEW)
