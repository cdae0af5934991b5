"""Contacts of polyhedra at several places: a face on a face, edges, corners, and forces as gradients of one energy."""

import itertools

import h5py
import numpy as np
import pytest
from dem.kernels.compiler.jit import in_python
from dem.kernels.convex import polyhedra
from dem.kernels.convex.overlap import overlap, overlap_of_cores
from dem.kernels.convex.shape_registry import ConvexBody, PolyhedronKind, convex_kinds
from dem.kernels.numerics.columns import BLOCK
from dem.kernels.soft.contact.batch_kinematics import KINEMATICS_ROWS, PARTS
from scipy.spatial.transform import Rotation

import dem
from dem.model.shapes.polyhedron import MAX_VERTICES

KINDS = convex_kinds([PolyhedronKind])
DIE = dem.Polyhedron(vertices=list(itertools.product([0.0, 0.01], repeat=3)), rounding=0.001)
WEDGE = dem.Polyhedron(
    vertices=[(0, 0, 0), (0.012, 0, 0), (0, 0.008, 0), (0.012, 0.008, 0), (0.006, 0.001, 0.009), (0.006, 0.007, 0.009)],
    rounding=0.0008,
)
GOLDEN = 0.5 * (1 + 5**0.5)
BALL = dem.Polyhedron(  # an icosahedron, of more faces than are coded together
    vertices=[np.roll((0.0, 0.003 * y, 0.003 * GOLDEN * z), k) for k in range(3) for y in (-1, 1) for z in (-1, 1)],
    rounding=0.001,
)
SHAPES = {"die": DIE, "wedge": WEDGE}
UNTURNED = (1.0, 0.0, 0.0, 0.0)
DEEP = 2e-5


def contacts(a, b, r, q_a=UNTURNED, q_b=UNTURNED, lists=polyhedra.NO_LISTS):
    """Contacts of two polyhedra (K, COLUMNS), and the overlap of one point; lists: of `near_lists`."""
    bodies = [ConvexBody(KINDS, 0, np.array(shape.convex_numbers), 0, tuple(q)) for shape, q in ((a, q_a), (b, q_b))]
    r, scratch = tuple(map(float, r)), np.full(polyhedra.SCRATCH, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):  # as in kernels, where faces have no curvature
        deep, n, _, _, _, _ = in_python(overlap)(*bodies, r, (0.0, 0.0, 0.0), np.inf)
    count, _, _, _ = in_python(polyhedra.find_contacts)(*bodies, r, n, 0.0, lists, scratch)
    rows = scratch[polyhedra.FOUND_AT :][: count * polyhedra.COLUMNS]
    return rows.reshape(count, polyhedra.COLUMNS), deep


def near_lists(a, b, r, q_a, q_b, margin):
    """Lists of vertices and edges of two polyhedra that may touch once their points have approached by a margin."""
    bodies = [ConvexBody(KINDS, 0, np.array(shape.convex_numbers), 0, tuple(q)) for shape, q in ((a, q_a), (b, q_b))]
    r, scratch = tuple(map(float, r)), np.full(polyhedra.SCRATCH, np.nan)
    n = tuple(np.array(r) / np.linalg.norm(r))
    return in_python(polyhedra.find_contacts)(*bodies, r, n, margin, polyhedra.NO_LISTS, scratch)[2]


def energy_force_torque(rows):
    """Energy Σ w δ^(5/2)/(5/2), force on the first body and torque about its centre."""
    depth, weight = rows[:, polyhedra.DEPTH, None], rows[:, polyhedra.WEIGHT, None]
    n, x = rows[:, polyhedra.NORMAL : polyhedra.NORMAL + 3], rows[:, polyhedra.POINT : polyhedra.POINT + 3]
    by_place = rows[:, polyhedra.BY_POSITION : polyhedra.BY_POSITION + 3]
    by_turn = rows[:, polyhedra.BY_ROTATION : polyhedra.BY_ROTATION + 3]
    energy = depth**2.5 / 2.5
    force = -(weight * depth**1.5 * n + energy * by_place).sum(0)
    torque = -(weight * depth**1.5 * np.cross(x, n) + energy * by_turn).sum(0)
    return (weight * energy).sum(), force, torque


@pytest.mark.parametrize(
    ("shift", "turn", "number"),
    [
        ((0.002, 0.003), 0.0, 4.0),  # two corners of each, and two crossings of edges; one corner each is not
        ((0.0, 0.0), 0.0, 4.0),  # corner on corner: half a contact of each
        ((0.0, 0.0), np.pi / 4, 8.0),  # crossings of edges only
        ((0.0, 0.0), 0.1, 8.0),
    ],
)
def test_a_face_rests_on_a_face_with_the_corners_of_their_intersection(shift, turn, number):
    r = (*shift, 0.01 - DEEP)
    rows, deep = contacts(DIE, DIE, r, q_b=(np.cos(turn / 2), 0, 0, np.sin(turn / 2)))
    assert deep == pytest.approx(DEEP, abs=1e-15)
    np.testing.assert_allclose(rows[:, polyhedra.DEPTH].max(), DEEP, rtol=0, atol=1e-15)
    assert (rows[:, polyhedra.WEIGHT] * (rows[:, polyhedra.DEPTH] / DEEP) ** 2.5).sum() == pytest.approx(
        number, rel=1e-9
    )
    energy, force, _ = energy_force_torque(rows)
    np.testing.assert_allclose(force[2], -2.5 * energy / DEEP, rtol=1e-9)


def test_aligned_dice_have_no_torque():
    _, force, torque = energy_force_torque(contacts(DIE, DIE, (0, 0, 0.01 - DEEP))[0])
    np.testing.assert_allclose(torque, 0, rtol=0, atol=1e-15 * 0.01)
    np.testing.assert_allclose(force[:2], 0, rtol=0, atol=1e-12 * abs(force[2]))


@pytest.mark.parametrize("case", ["corner on face", "edge on edge", "edge on face", "corner on corner"])
def test_lone_contacts_count_once(case):
    """Far from all other pieces U is that of one point; an edge that lies on a face has one at each end."""
    corner = Rotation.align_vectors([(0, 0, -1)], [(1, 1, 1)])[0].as_quat(scalar_first=True)
    edge = Rotation.from_euler("x", 45, degrees=True)
    across = (Rotation.from_euler("z", 60, degrees=True) * edge).as_quat(scalar_first=True)
    q_a, q_b = {
        "corner on face": (UNTURNED, corner),
        "edge on edge": (edge.as_quat(scalar_first=True), across),
        "edge on face": (UNTURNED, edge.as_quat(scalar_first=True)),
        "corner on corner": (Rotation.from_quat(corner, scalar_first=True).as_quat(scalar_first=True), corner),
    }[case]
    if case == "corner on corner":
        q_a = (Rotation.from_euler("x", 180, degrees=True) * Rotation.from_quat(corner, scalar_first=True)).as_quat(
            scalar_first=True
        )
    low, high = 0.0, 0.03
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if contacts(DIE, DIE, (0, 0, middle), q_a, q_b)[1] > DEEP else (low, middle)
    rows, deep = contacts(DIE, DIE, (0, 0, low), q_a, q_b)
    energy, _, _ = energy_force_torque(rows)
    assert energy == pytest.approx((2 if case == "edge on face" else 1) * deep**2.5 / 2.5, rel=1e-9)


def poses(names, number, rng):
    """Pairs of polyhedra that overlap by some 20 micrometres: random ones, and faces nearly flat on each other."""
    while number > 0:
        a, b = (SHAPES[name] for name in names)
        flat = number % 2 == 0
        q_a, q_b = Rotation.random(2, rng=rng).as_quat(scalar_first=True)
        way = rng.normal(size=3)
        if flat:  # a face of B about on one of A, turned and moved along it
            q_a = np.array(a.axes)
            tilt = Rotation.from_rotvec(2e-3 * rng.normal(size=3)) * Rotation.from_euler("z", rng.uniform(0, 6.3))
            q_b = (tilt * Rotation.from_quat(b.axes, scalar_first=True)).as_quat(scalar_first=True)
            way = np.array([0.4 * rng.normal(), 0.4 * rng.normal(), -1.0 if a is WEDGE else 1.0])
        way = way / np.linalg.norm(way)
        low, high = 0.0, 0.04
        for _ in range(40):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if contacts(a, b, middle * way, q_a, q_b)[1] > 2e-5 else (low, middle)
        number -= 1
        yield a, b, low * way, q_a, q_b


@pytest.mark.parametrize("names", [("die", "die"), ("die", "wedge"), ("wedge", "die")])
@pytest.mark.few(1, long=99)
def test_force_and_torque_are_the_gradient_of_one_energy(names):
    """By central differences of fourth order; 1e-7 of the force, and of the force times 5 mm."""
    rng, several = np.random.default_rng(3), 0
    steps, weights = np.array([-2, -1, 1, 2]), np.array([1, -8, 8, -1]) / 12
    for a, b, r, q_a, q_b in poses(names, 8, rng):
        rows, _ = contacts(a, b, r, q_a, q_b)
        _, force, torque = energy_force_torque(rows)
        several += len(rows) > 2
        size = np.linalg.norm(force)
        turn = Rotation.from_quat(q_a, scalar_first=True)
        for axis in np.eye(3):
            h = 2e-8
            moved = [energy_force_torque(contacts(a, b, r - k * h * axis, q_a, q_b)[0])[0] for k in steps]
            assert weights @ moved / h == pytest.approx(-force @ axis, abs=1e-7 * size)
            turned = [
                energy_force_torque(
                    contacts(
                        a, b, r, (Rotation.from_rotvec(k * h / 0.005 * axis) * turn).as_quat(scalar_first=True), q_b
                    )[0]
                )[0]
                for k in steps
            ]
            assert weights @ turned / (h / 0.005) == pytest.approx(-torque @ axis, abs=1e-7 * 0.005 * size)
    assert several >= 3


def direction(rng):
    n = rng.normal(size=3)
    return n / np.linalg.norm(n)


@pytest.mark.parametrize("names", [("die", "die"), ("die", "wedge"), ("wedge", "wedge")], ids="-".join)
def test_the_distance_of_cores_is_the_same_from_whatever_direction_it_is_sought(names, rng):
    """Polyhedra have several local overlaps, as many as directions in which they may be parted; cores one distance."""
    a, b = (SHAPES[name] for name in names)
    far = 0
    for q_a, q_b in Rotation.random(60, rng=rng).as_quat().reshape(30, 2, 4):
        bodies = [ConvexBody(KINDS, 0, np.array(s.convex_numbers), 0, tuple(q)) for s, q in ((a, q_a), (b, q_b))]
        r = tuple((rng.uniform(0.005, 0.014) * direction(rng)).tolist())
        least, _, _, apart = in_python(overlap_of_cores)(*bodies, r, (0.0, 0.0, 0.0), -np.inf)
        far += apart
        for _ in range(3):
            found, _, _, is_apart = in_python(overlap_of_cores)(*bodies, r, tuple(direction(rng).tolist()), -np.inf)
            assert is_apart == apart
            if apart:
                assert found == pytest.approx(least, rel=0, abs=1e-14)  # rounding of lengths of 1 cm
    assert 5 < far < 30


@pytest.mark.parametrize("pair", [(DIE, DIE), (DIE, WEDGE), (WEDGE, BALL), (BALL, DIE)], ids=range(4))
def test_outcodes_leave_out_no_contact(pair, monkeypatch, rng):
    """Contacts are to the bit those that are found if all vertices and edges are looked at."""
    codes = polyhedra.outcode, lambda integers, side, k: 0
    for q_a, q_b in Rotation.random(16, rng=rng).as_quat().reshape(8, 2, 4):
        way, length, deep = direction(rng), 0.025, -1e-4
        while deep < 0.0:  # how far they are apart
            length += deep - 1e-4
            _, deep = contacts(*pair, length * way, q_a, q_b)
        states = []
        for code in codes:
            monkeypatch.setattr(polyhedra, "outcode", code)
            rows, _ = contacts(*pair, length * way, q_a, q_b)
            states.append(rows.tobytes())
        assert len(rows) > 0
        assert states[0] == states[1]


@pytest.mark.parametrize("pair", [(DIE, DIE), (DIE, WEDGE), (WEDGE, BALL)])
def test_lists_hold_until_bodies_have_approached_by_their_margin(pair, rng):
    found = changed = fewer = 0
    margin = 2e-4
    while found < 30:
        way, (q_a, q_b) = direction(rng), Rotation.random(2, rng=rng).as_quat()
        deep = contacts(*pair, 0.012 * way, q_a, q_b)[1]
        r = (0.012 + deep + 0.9 * margin) * way  # apart by less than the margin
        before = near_lists(*pair, r, q_a, q_b, 0.0)
        lists, closer = near_lists(*pair, r, q_a, q_b, margin), r - 0.99 * margin * way
        rows, _ = contacts(*pair, closer, q_a, q_b)
        if len(rows) == 0 or 0 in lists[:2]:
            continue
        found += 1
        changed += before[:2] != lists[:2]
        fewer += bin(lists[2]).count("1") < bin(lists[0] >> len(pair[0].vertices)).count("1")
        assert contacts(*pair, closer, q_a, q_b, lists)[0].tobytes() == rows.tobytes()
    assert changed > 0  # the margin is needed
    assert 0 < fewer  # edges that cross none are left out


@pytest.mark.parametrize("turn", [45, 135, 225, 315])
def test_a_corner_on_an_edge_is_found_though_not_all_edges_have_room(turn, monkeypatch):
    downwards, _ = Rotation.align_vectors([[0, 0, -1]], [[1, 1, 1]])
    turns = [q.as_quat(scalar_first=True) for q in (Rotation.from_euler("x", turn, degrees=True), downwards)]
    r = (0.001, 0.0, 0.004 * (2**0.5 + 3**0.5) + 0.002 - DEEP)
    rows, _ = contacts(DIE, DIE, r, *turns)
    assert len(rows) == 1
    assert rows[0, polyhedra.DEPTH] == pytest.approx(DEEP, abs=1e-15)
    np.testing.assert_allclose(rows[0, polyhedra.NORMAL : polyhedra.NORMAL + 3], [0, 0, 1], rtol=0, atol=1e-12)
    monkeypatch.setattr(polyhedra, "outcode", lambda integers, side, k: 0)
    monkeypatch.setattr(polyhedra, "MAX_EDGES", 1)  # another edge but in one of these turns
    assert contacts(DIE, DIE, r, *turns)[0].tobytes() == rows.tobytes()


@pytest.mark.parametrize("angle", [1.0, 1e-2, 1e-4, 1e-6])
def test_edges_that_cross_nearby_are_noted(angle, rng):
    # across z with an angle between: the lines are apart by the difference of heights, and cross over the origin
    number, reach = polyhedra.WIDTH, 1e-3
    heights = reach * np.concatenate([rng.uniform(-0.999, 0.999, number // 2), rng.choice([-1.1, 1.1], number // 2)])
    first, last = rng.uniform(-1.0, -0.5, number), rng.uniform(0.5, 1.0, number)
    last[1::2] *= -1.0  # these end before they are above the other
    turn, scratch = Rotation.random(random_state=rng), np.full(polyhedra.SCRATCH, np.nan)
    along = np.array([np.cos(angle), np.sin(angle), 0.0])
    for k in range(number):
        for end, x in enumerate([first[k], last[k]]):
            place = tuple(turn.apply(x * along + [0.0, 0.0, heights[k]]))
            in_python(polyhedra.write_vector_column)(scratch, polyhedra.end_at(end, k), polyhedra.EDGE_ROOM, place)
    edge = [tuple(turn.apply([x, 0.0, 0.0])) for x in (-1.0, 1.0)]
    noted = in_python(polyhedra.record_crossings)(*edge, reach, number, number, scratch, scratch)
    marked = scratch[polyhedra.CROSSES_AT :][:number] == 1.0
    assert noted == marked.sum()
    half = number // 2  # those that fill the last vector are not marked
    assert in_python(polyhedra.record_crossings)(*edge, reach, half, number, scratch, scratch) == marked[:half].sum()
    crosses, is_near = last > 0.0, abs(heights) < reach
    assert marked[crosses & is_near].all()
    if angle > 1e-3:  # beyond `NEARLY_PARALLEL`; the others are looked at again
        assert not marked[~(crosses & is_near)].any()


def test_scratch_has_room_for_all_vertices_of_any_polyhedron():
    assert polyhedra.MAX_CORNERS == MAX_VERTICES
    assert polyhedra.MAX_CORNERS % polyhedra.WIDTH == 0
    assert polyhedra.SCRATCH <= (PARTS - 3) * KINEMATICS_ROWS * BLOCK


@pytest.mark.parametrize("rubbish", [0.5, 3.0, np.nan])
def test_history_at_faces_is_independent_of_what_its_memory_held_before(rubbish, tmp_path):
    """Rows of new contacts may have been those of other bodies: an ellipsoid and a die land on a floor."""
    tables, states = [], []
    for before in (0.0, rubbish):
        sand = dem.Material(young=5e6, poisson=0.3, density=2000.0, restitution=0.7, friction=0.5)
        grain = dem.Particles(dem.Ellipsoid(semi_axes=(0.005, 0.004, 0.003)), sand, position=[(0.02, 0.02, 0.00305)])
        die = dem.Particles(DIE, sand, position=[(0.05, 0.02, 0.00505)])
        bodies = dem.Particles.concatenate([grain, die])
        bodies.velocity = np.array([(0.3, 0.1, -1.0)] * 2)
        box = dem.Box((0, 0, 0), (0.1, 0.04, 0.1), sand)
        sim = dem.Simulation(bodies, box, time_step=2e-5, threads=1)
        sim._engine.lists.arrays.wall_history[:] = before
        sim.step(8)
        sim.save(tmp_path / "state.h5")
        with h5py.File(tmp_path / "state.h5") as file:
            name = next(name for name in ("contacts/history", "restart/latest/contacts/history") if name in file)
            tables.append(file[name][:])
        states.append((sim.particles.velocity.tobytes(), sim.particles.angular_velocity.tobytes()))
    assert len(tables[0]) == 2
    assert (tables[0] != 0).sum() > 6
    assert tables[0].tobytes() == tables[1].tobytes()
    assert states[0] == states[1]
