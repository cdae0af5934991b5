"""What a sphere feels of walls of any shape: gradients, rule E against a plain reading of it, energy in flight."""

import itertools
import math

import numpy as np
import pytest
from dem.kernels.walls.contact_patches import edge_at, number_of_edges_at
from dem.kernels.walls.geometry import clearance, find_contacts, neighbours_of
from dem.kernels.walls.triangles import from_closest

from dem.model.walls import mesh_builders, wall_shapes
from dem.model.walls.surfaces import surface_of

RNG = np.random.default_rng(5)
HERTZ = 1.5


def felt(geometry, x, radius=1.0, power=HERTZ, rows=32):
    """Rows of trees, of wall 0."""
    trees, scratch = np.full((rows, 8), np.nan), np.full((int(geometry.room[0]), 12), np.nan)
    count = find_contacts(0, tuple(map(float, x)), radius, power, geometry, trees, scratch)
    assert count >= 0
    return trees[:count]


def total(geometry, x, radius=1.0, power=HERTZ):
    """Sum of the gradients (3,), and of the potentials."""
    trees = felt(geometry, x, radius, power)
    return trees[:, :3].sum(0), trees[:, 3].sum()


def of(shape, reach=1.0):
    return wall_shapes.geometry_of([shape], reach=reach)


def of_triangles(vertices, triangles, reach=1.0):
    return of(wall_shapes.mesh(surface_of(np.array(vertices, float), np.array(triangles))), reach)


def fan(n, tip=0.0, radius=3.0):
    """Triangles about a tip at height `tip`."""
    angle = 2 * np.pi * np.arange(n) / n
    rim = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(n)])
    return np.vstack([[0, 0, tip], rim]), [(0, 1 + k, 1 + (k + 1) % n) for k in range(n)]


def strewn(n=40, height=None, seed=1):
    """Triangles of a square of 12 x 12 with corners strewn over it, some of them slivers; its diagonals at random."""
    rng = np.random.default_rng(seed)
    steps = [np.sort(np.r_[-6, rng.uniform(-5, 5, n // 8), 6]) for _ in range(2)]
    x, y = np.meshgrid(*steps, indexing="ij")
    inner = np.zeros_like(x, dtype=bool)
    inner[1:-1, 1:-1] = True
    y = y + np.where(inner, rng.uniform(-0.05, 0.05, y.shape), 0)
    z = np.zeros_like(x) if height is None else height(x, y)
    return mesh_builders.sheet(np.stack([x, y, z], axis=-1))


def hills(x, y):
    return 0.5 * np.sin(1.7 * x) * np.cos(1.3 * y)


SHAPES = {
    "plane": wall_shapes.plane((0, 0, 0.2), (1, 2, 3)),
    "ball": wall_shapes.ball((0.1, 0, 0), 2.0),
    "hollow": wall_shapes.ball((0.1, 0, 0), 3.0, inside=True),
    "rectangle": wall_shapes.rectangle((0.1, 0, 0), (2, 0, 0), (0, 1, 1)),
    "block": wall_shapes.block((0.1, 0, 0), (2, 0, 0), (0, 1, 1), (0, -1, 1)),
    "capsule": wall_shapes.capsule((0, 0, 0), (1, 1, 1), 0.5),
    "torus": wall_shapes.torus((0, 0, 0.1), (0, 1, 1), 2.0, 0.5),
    "tube": wall_shapes.torus((0, 0, 0.1), (0, 1, 1), 2.5, 1.5, inside=True),
    "hopper": wall_shapes.revolution([(0.5, -1), (2, 0), (2, 2)]),
    "ring": wall_shapes.revolution([(1.2, -1), (2.5, -1), (2.5, 1), (1.2, 1), (1.2, -1)], axis=(1, 1, 0)),
    "cup": wall_shapes.revolution([(0, -1), (1.7, -1), (1.7, 1)], origin=(0.1, 0, 0), axis=(1, 0, 0)),
    "hills": wall_shapes.mesh(surface_of(*strewn(height=hills))),
}


@pytest.mark.parametrize("power", [HERTZ, 1.0])
@pytest.mark.parametrize("name", SHAPES)
def test_forces_are_gradients_of_the_potential(name, power):
    """Against central differences, at places that touch; their error is of order h², 1e-10, on edges of order h."""
    geometry, h, touched = of(SHAPES[name]), 1e-5, 0
    for x in RNG.uniform(-3, 3, (300, 3)):
        force, energy = total(geometry, x, power=power)
        if energy > 1e-3:
            touched += 1
            steps = [[total(geometry, x + sign * h * e, power=power)[1] for sign in (1, -1)] for e in np.eye(3)]
            assert force == pytest.approx([(low - high) / (2 * h) for high, low in steps], abs=3e-6)
        if touched == 25:
            break
    assert touched >= 10


def test_places_where_no_direction_is_nearer_than_others():
    """On an axis and in centres: along +x, or what is across the axis."""
    for name, x, along in (
        ("ball", (0.1, 0, 0), (1, 0, 0)), ("hollow", (0.1, 0, 0), (-1, 0, 0)), ("capsule", (0.5, 0.5, 0.5), (1, 0, 0)),
    ):  # fmt: skip
        gradient = felt(of(SHAPES[name]), x, radius=3.5)[0, :3]
        assert gradient / np.linalg.norm(gradient) == pytest.approx(along)
    tube = of(wall_shapes.revolution([(1, -5), (1, 5)]))
    assert felt(tube, (0, 0, 0), radius=1.1)[0, :3] == pytest.approx([-(0.1**1.5), 0, 0], rel=1e-12)


def nearest_on(corners, x):
    """Closest point of a triangle, or of a segment, by its corners: the best of all faces, edges and corners."""
    found = list(corners)
    for a, b in itertools.combinations(corners, 2):
        s = (x - a) @ (b - a) / ((b - a) @ (b - a))
        found += [a + s * (b - a)] if 0 < s < 1 else []
    if len(corners) == 3:
        a, b, c = corners
        coordinates = np.linalg.lstsq(np.column_stack([b - a, c - a]), x - a, rcond=None)[0]
        if coordinates.min() > 0 and coordinates.sum() < 1:
            found.append(a + np.column_stack([b - a, c - a]) @ coordinates)
    return min(found, key=lambda q: float((x - q) @ (x - q)))


def by_the_letter(vertices, triangles, x, radius):
    """Gradient, potential and number of contacts by rule E: all faces within reach, less Kruskal's forest of edges."""

    def term(corners):
        off = x - nearest_on([vertices[k] for k in corners], x)
        d = float(np.linalg.norm(off))
        overlap = max(radius - d, 0.0)
        return d, overlap**HERTZ * off / d, overlap ** (HERTZ + 1) / (HERTZ + 1)

    faces = {f: term(corners) for f, corners in enumerate(triangles.tolist())}
    faces = {f: each for f, each in faces.items() if each[0] < radius}
    shared = {}
    for f in faces:
        for k in range(3):
            shared.setdefault(frozenset((triangles[f, k], triangles[f, k - 1])), []).append(f)
    edges = sorted((term(edge)[0], sorted(edge), of) for edge, of in shared.items() if len(of) == 2)
    part, gradient, energy = {f: f for f in faces}, np.zeros(3), 0.0
    for _, g, u in faces.values():
        gradient, energy = gradient + g, energy + u
    for d, edge, (f, g) in edges:
        if d < radius and part[f] != part[g]:
            gone, kept = part[f], part[g]
            part = {h: kept if p == gone else p for h, p in part.items()}
            gradient, energy = gradient - term(edge)[1], energy - term(edge)[2]
    return gradient, energy, len(set(part.values()))


@pytest.mark.parametrize("radius", [0.4, 1.0, 2.0])
@pytest.mark.few(1)
def test_meshes_feel_as_rule_e_says(radius):
    """On hills, with spheres from smaller than a triangle to larger than a hill; sums of up to 30 terms."""
    surface = surface_of(*strewn(height=hills))
    geometry, several = of(wall_shapes.mesh(surface), reach=2.0), 0
    for x in RNG.uniform((-4, -4, -0.5), (4, 4, 1.5), (40, 3)):
        gradient, energy, contacts = by_the_letter(surface.vertices, surface.triangles, x, radius)
        trees = felt(geometry, x, radius)
        assert len(trees) == contacts
        assert trees[:, :3].sum(0) == pytest.approx(gradient, abs=1e-12)
        assert trees[:, 3].sum() == pytest.approx(energy, abs=1e-12)
        several += np.count_nonzero(trees[:, 7])
    assert several > 0


def test_a_plane_of_triangles_is_a_plane():
    """Obtuse ones and slivers too; to the bit, as what cancels is left out."""
    flat, plane = of_triangles(*strewn(80)), of(wall_shapes.plane((0, 0, 0), (0, 0, 1)))
    for x in RNG.uniform((-4, -4, 0.6), (4, 4, 1.0), (100, 3)):
        assert felt(flat, x)[:, :5].tolist() == felt(plane, x)[:, :5].tolist()
    turned = np.linalg.qr(RNG.normal(size=(3, 3)))[0]
    vertices, triangles = strewn(80)
    tilted = of_triangles(vertices @ turned.T, triangles)
    for x in RNG.uniform((-4, -4, 0.6), (4, 4, 1.0), (100, 3)):
        gradient, energy = total(plane, x)
        found, its = total(tilted, turned @ x)
        assert found == pytest.approx(turned @ gradient, abs=1e-12)  # rounding of 1e-16 and slivers of 1 : 1000
        assert its == pytest.approx(energy, rel=1e-12)


@pytest.mark.parametrize("tip", [0.0, 1.0])
def test_the_tip_of_a_fan_is_one_contact(tip):
    """Of 50 triangles, flat and conical."""
    geometry = of_triangles(*fan(50, tip))
    for overlap in (1e-6, 0.01, 0.3):
        (tree,) = felt(geometry, (0, 0, tip + 1 - overlap))
        assert tree[:5] == pytest.approx([0, 0, overlap**1.5, overlap**2.5 / 2.5, overlap], rel=1e-9, abs=1e-15)


def roof(angle, up):
    """Two rectangles that meet at the y axis; each falls by an angle to both sides, or rises."""
    c, s = 6 * math.cos(angle), 6 * math.sin(angle) * (1 if up else -1)
    points = [[(-c, y, s) for y in (-6, 6)], [(0, y, 0) for y in (-6, 6)], [(c, y, s) for y in (-6, 6)]]
    return of_triangles(*mesh_builders.sheet(np.array(points, float)))


def test_ridges_corners_and_valleys():
    """A ridge is one contact; a corner as many as it has walls; in a valley two go over into one."""
    ridge = roof(math.pi / 4, up=False)
    (tree,) = felt(ridge, (0.05, 0.3, 0.9))
    d = math.hypot(0.05, 0.9)
    assert tree[:4] == pytest.approx([*((1 - d) ** 1.5 * np.array([0.05, 0, 0.9]) / d), (1 - d) ** 2.5 / 2.5])
    corner = felt(roof(math.pi / 4, up=True), (0, 0.3, math.sqrt(2) * 0.95))
    assert len(corner) == 2
    assert corner[:, 4] == pytest.approx([0.05, 0.05])
    assert corner[:, 0] == pytest.approx([0.05**1.5 / math.sqrt(2), -(0.05**1.5) / math.sqrt(2)])
    theta = 0.02
    valley = roof(theta, up=True)
    for z in (0.9, 0.95):
        (tree,) = felt(valley, (0, 0.3, z))
        side, middle = 1 - z * math.cos(theta), 1 - z
        assert tree[2] == pytest.approx(2 * side**1.5 * math.cos(theta) - middle**1.5)
        assert tree[3] == pytest.approx((2 * side**2.5 - middle**2.5) / 2.5)


def test_more_contacts_than_rows():
    """The number that is needed is told."""
    geometry = roof(math.pi / 4, up=True)
    trees, scratch = np.zeros((1, 8)), np.zeros((int(geometry.room[0]), 12))
    assert find_contacts(0, (0.0, 0.3, 1.3), 1.0, HERTZ, geometry, trees, scratch) == -2


def divided(vertices, triangles):
    """Each triangle cut in four at the middles of its edges."""
    corners = vertices[triangles]
    ab, bc, ca = ((corners[:, k] + corners[:, (k + 1) % 3]) / 2 for k in range(3))
    a, b, c = (corners[:, k] for k in range(3))
    parts = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    return parts.reshape(-1, 3), np.arange(3 * len(parts)).reshape(-1, 3)


def test_what_is_felt_depends_on_the_surface_only():
    """Not on the order of triangles, nor on how they are cut."""
    vertices, triangles = strewn(height=hills)
    whole = of_triangles(vertices, triangles)
    shuffled = of_triangles(vertices, RNG.permutation(np.roll(triangles, 1, axis=1)))
    finer = of_triangles(*divided(vertices, triangles))
    for x in RNG.uniform((-4, -4, -0.5), (4, 4, 1.5), (60, 3)):
        gradient, energy = total(whole, x)
        for other in (shuffled, finer):
            found, its = total(other, x)
            assert found == pytest.approx(gradient, abs=1e-12)
            assert its == pytest.approx(energy, abs=1e-12)


def test_cells_miss_no_triangle():
    """Of sizes from 0.01 to 10; the distance is told where it is less than the reach, and never too large."""
    small, triangles = mesh_builders.sheet(
        np.stack([*np.meshgrid([0, 0.01, 0.02], [0, 0.01, 0.03]), np.eye(3) / 50], axis=-1)
    )
    large = np.array([(-5, -5, 0), (5, -5, 1), (0, 5, 0), (0.3, 0.3, 4)])
    joined = mesh_builders.joined((small, triangles), (large, np.array([(0, 1, 2), (1, 2, 3)])))
    surface = surface_of(*joined)
    geometry = of(wall_shapes.mesh(surface), reach=0.1)
    assert len(geometry.cells) > 100
    places = np.concatenate([RNG.uniform(-0.1, 0.1, (100, 3)), RNG.uniform(-6, 6, (100, 3))])
    for x in places:
        d = min(np.linalg.norm(x - nearest_on(list(surface.vertices[t]), x)) for t in surface.triangles)
        found = clearance(0, tuple(x), geometry)
        assert found == pytest.approx(d, rel=1e-9) if d < 0.1 else 0.1 - 1e-9 <= found <= d + 1e-9


def test_neighbours():
    """Triangles that share a corner, segments that share a point; of a ring the last and the first."""
    flat = of_triangles(*mesh_builders.sheet(np.stack([*np.meshgrid([0, 1, 2, 3], [0, 1]), np.zeros((2, 4))], axis=-1)))
    near = [[neighbours_of(0, f, g, flat) for g in range(6)] for f in range(6)]
    corners = flat.corner
    assert near == [[bool(set(a) & set(b)) for b in corners.tolist()] for a in corners.tolist()]
    assert not all(itertools.chain(*near))
    ring, cup = of(SHAPES["ring"]), of(SHAPES["cup"])
    assert [neighbours_of(0, 0, k, ring) for k in range(4)] == [True, True, False, True]
    assert [neighbours_of(0, 0, k, cup) for k in range(2)] == [True, True]


def test_a_mesh_of_a_cylinder_goes_over_into_the_cylinder():
    """Within, of twice as many segments, the potential comes four times as near."""
    smooth = of(SHAPES["cup"]._replace(numbers=wall_shapes.revolution([(4, -5), (4, 5)]).numbers))
    x = np.array([3.05, 0.3, 0.2])
    errors = [abs(total(of_triangles(*mesh_builders.turned([(4, -5), (4, 5)], segments=n)), x)[1] - total(smooth, x)[1])
              for n in (25, 50, 100)]  # fmt: skip
    assert errors[1] / errors[0] < 0.4
    assert errors[2] / errors[1] < 0.4


def flight(geometry, x, v, dt, steps, stiffness=1e3, radius=1.0, down=1.0):
    """Leap-frog of a sphere of mass 1; its places, and its energies."""
    x, v = np.array(x, float), np.array(v, float)
    places, energies, weight = [], [], np.array([0, 0, -down])
    for _ in range(steps):
        gradient, energy = total(geometry, x, radius)
        force = stiffness * gradient + weight
        v += 0.5 * dt * force
        energies.append(0.5 * v @ v + stiffness * energy - weight @ x)
        places.append(x.copy())
        v += 0.5 * dt * force
        x += dt * v
    return np.array(places), np.array(energies)


@pytest.mark.parametrize("wall", ["flat tip", "cone", "edge", "plane of triangles"])
@pytest.mark.few(1)
def test_an_impact_is_that_on_a_plane(wall):
    """On a tip or an edge along the line to it, or anywhere on a plane: time, force and rebound of one contact."""
    meshes = {"flat tip": fan(50), "cone": fan(50, 1.0), "plane of triangles": strewn(60)}
    geometry = roof(math.pi / 4, up=False) if wall == "edge" else of_triangles(*meshes[wall])
    top = 1.0 if wall == "cone" else 0.0
    places, _ = flight(geometry, (0, 0, top + 1.02), (0, 0, -1.0), 1e-3, 250, down=0)
    plane, _ = flight(
        of(wall_shapes.plane((0, 0, top), (0, 0, 1))), (0, 0, top + 1.02), (0, 0, -1.0), 1e-3, 250, down=0
    )
    assert plane[-1, 2] - top > 1.0 > plane[:, 2].min() - top + 0.03
    assert places == pytest.approx(plane, abs=1e-12)


@pytest.mark.parametrize(
    ("wall", "x", "v"),
    [
        ("valley", (0.4, 0.2, 1.2), (0, 0.1, 0)),
        ("drum", (1.5, 0.3, -2.4), (1.0, 0, 0.3)),
        ("box", (1.4, 1.2, 1.3), (0.9, -0.7, -0.4)),
        ("funnel", (0.5, 0.1, -1.6), (0.1, 0.2, 0)),
    ],
)
@pytest.mark.few(1)
def test_bouncing_keeps_the_energy_to_second_order(wall, x, v):
    """Facetted and elastic; halving the step quarters the largest error, within what the phase of impacts does."""
    vertices, triangles = mesh_builders.turned([(4, -4), (4, 4)], segments=40)
    walls = {
        "valley": lambda: roof(0.15, up=True), "drum": lambda: of_triangles(vertices[:, [0, 2, 1]], triangles),
        "box": lambda: of_triangles(*mesh_builders.box((0, 0, 0), (3, 3, 3))),
        "funnel": lambda: of_triangles(*fan(12, -3.0)),
    }  # fmt: skip
    geometry, errors = walls[wall](), []
    for dt in (0.008, 0.004, 0.002):
        _, energies = flight(geometry, x, v, dt, round(3.0 / dt))
        errors.append(np.abs(energies - energies[0]).max())
    assert errors[2] / errors[0] < 1 / 10  # 1/16 for the order two, 1/4 for one


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: wall_shapes.plane((0, 0, 0), (0, 0, 0)), r"normal is \(0.0, 0.0, 0.0\), expected a direction"),
        (lambda: wall_shapes.ball((0, 0, 0), -1), "radius is -1 m"),
        (lambda: wall_shapes.rectangle((0, 0, 0), (1, 0, 0), (1, 1, 0)), "meet at 45 degrees, expected right angles"),
        (lambda: wall_shapes.capsule((0, 0, 0), (0, 0, 0), 1), "take a ball"),
        (lambda: wall_shapes.torus((0, 0, 0), (0, 0, 1), 0.1, 0.2), "radius is 0.1 m, expected .* above 0.2"),
        (lambda: wall_shapes.revolution([(1, 0)]), r"points has shape \(1, 2\)"),
        (lambda: wall_shapes.revolution([(1, 0), (-1, 0)]), "point 1 of the polyline has r = -1 m"),
        (lambda: wall_shapes.revolution([(1, 0), (1, 0)]), "points 0 and 1 of the polyline are the same"),
        (lambda: wall_shapes.revolution([(0, 0), (0, 1)]), "both lie on the axis"),
    ],
)
def test_shapes_that_cannot_be(make, said):
    with pytest.raises(ValueError, match=said):
        make()


def test_closest_points_at_corners_are_on_the_two_edges_that_meet_there():
    """Edges AB, BC, CA are 0, 1, 2; a place beyond a corner in the plane of the triangle is nearest at that corner."""
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0.3, 0.8, 0]])
    rows = surface_of(corners, np.array([[0, 1, 2]])).rows
    for k, corner in enumerate(corners):
        _, region = from_closest(rows, 0, tuple(corner + 0.5 * (corner - corners.mean(0))))
        assert number_of_edges_at(region) == 2
        assert {edge_at(region, turn) for turn in range(2)} == {k, (k + 2) % 3}
        a, b = corner, corners[(k + 1) % 3]
        outward = np.cross(b - a, [0, 0, 1.0])
        _, region = from_closest(rows, 0, tuple(0.5 * (a + b) + 0.1 * outward))
        assert number_of_edges_at(region) == 1
        assert edge_at(region, 0) == k
