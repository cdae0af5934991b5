"""Convex bodies at meshes: planes and spheres as oracles, and forces as gradients of one energy."""

import itertools
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dem

pytestmark = pytest.mark.usefixtures("few_directions")

ELASTIC = dem.Material(young=5e6, poisson=0.3, density=1500.0)
FEW = {"gravity": (0, 0, 0), "threads": 1}
DEEP = 5e-5
SHAPES = {
    "ellipsoid": dem.Ellipsoid(semi_axes=(0.004, 0.003, 0.002)),
    "superellipsoid": dem.Superellipsoid(semi_axes=(0.003, 0.002, 0.002), exponents=(4, 3)),
    "polyhedron": dem.Polyhedron(vertices=list(itertools.product([0.0, 0.005], repeat=3)), rounding=0.001),
    "cylinder": dem.RoundedCylinder(diameter=0.006, length=0.004, rounding=0.001),
}


def surface(height, cells=4, size=0.012):
    """Mesh of a height over x and y, from -size to size, cut into triangles."""
    ticks = np.linspace(-size, size, cells + 1)
    x, y = (each.ravel() for each in np.meshgrid(ticks, ticks, indexing="ij"))
    corner = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    a, b, c, d = corner[:-1, :-1].ravel(), corner[1:, :-1].ravel(), corner[1:, 1:].ravel(), corner[:-1, 1:].ravel()
    triangles = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    return dem.Mesh(np.column_stack([x, y, height(x, y)]), triangles, material=ELASTIC)


HEIGHTS = {
    "flat": lambda x, y: 0 * x,
    "ridge": lambda x, y: -0.3 * abs(x),
    "slight ridge": lambda x, y: -0.01 * abs(x),
    "shallow valley": lambda x, y: 0.02 * abs(x),  # whose sides are one contact
    "valley": lambda x, y: 0.5 * abs(x),
    "corner": lambda x, y: 0.4 * abs(x) + 0.3 * abs(y),
    "peak": lambda x, y: -0.4 * abs(x) - 0.3 * abs(y),
    "saddle": lambda x, y: 0.01 * abs(x) - 0.012 * abs(y),
}
MESHES = {name: surface(height) for name, height in HEIGHTS.items()}


def one(shape, wall, x, q, time_step=1e-6):
    body = dem.Particles(shape, ELASTIC, position=[x], orientation=[q])
    return dem.Simulation(body, walls=[wall], time_step=time_step, **FEW)


def lowered(shape, wall, x, y, q, deep=DEEP):
    """Height at which a body has about this overlap."""
    low, high = 0.0, 0.012
    while True:
        middle = 0.5 * (low + high)
        try:
            found = one(shape, wall, (x, y, middle), q).contact_forces().overlap.max(initial=0.0)
        except ValueError:  # too deep
            found = 1.0
        if deep < found < 2 * deep:
            return middle + found - deep
        low, high = (middle, high) if found > deep else (low, middle)


@pytest.mark.parametrize(
    "name", ["ellipsoid", pytest.param("superellipsoid", marks=pytest.mark.slow), "cylinder", "polyhedron"]
)
@pytest.mark.few(1, long=99)
def test_a_flat_mesh_is_a_plane(name):
    """Wherever its triangles meet: over an edge, a corner, and between."""
    shape, rng = SHAPES[name], np.random.default_rng(2)
    plane = dem.Plane((0, 0, 0), (0, 0, 1), material=ELASTIC)
    for x, y in [(0.0, 0.0), (0.002, 0.002), (0.003, 1e-4), *rng.uniform(-0.005, 0.005, (1, 2))]:
        q = Rotation.random(rng=rng).as_quat(scalar_first=True)
        z = lowered(shape, plane, x, y, q)
        on_plane, on_mesh = (one(shape, wall, (x, y, z), q).contact_forces() for wall in (plane, MESHES["flat"]))
        for column in ("overlap", "normal", "arm", "force"):
            expected = getattr(on_plane, column)
            np.testing.assert_allclose(
                getattr(on_mesh, column), expected, rtol=0, atol=1e-12 * max(1e-2, np.abs(expected).max())
            )


@pytest.mark.parametrize("name", MESHES)
@pytest.mark.few(1, long=2)
def test_an_ellipsoid_of_equal_axes_touches_a_mesh_as_a_sphere(name):
    """Axes that differ by rounding are those of an ellipsoid still."""
    ball, grain = dem.Sphere(diameter=0.006), dem.Ellipsoid(semi_axes=(0.003, 0.003, 0.003 + 1e-18))
    rng = np.random.default_rng(1)
    q = (1, 0, 0, 0)
    for x, y in [(0.0, 0.0), *rng.uniform(-5e-4, 5e-4, (1, 2))]:
        z = lowered(ball, MESHES[name], x, y, q)
        of_ball, of_grain = (one(shape, MESHES[name], (x, y, z), q).contact_forces() for shape in (ball, grain))
        np.testing.assert_allclose(of_grain.overlap, of_ball.overlap, rtol=0, atol=1e-14)
        size = np.abs(of_ball.force).max()
        np.testing.assert_allclose(of_grain.force, of_ball.force, rtol=0, atol=1e-9 * size)  # 1e-14 m of 5e-5 m
        torque = np.cross(of_grain.arm, of_grain.force)
        np.testing.assert_allclose(torque, 0, rtol=0, atol=1e-9 * 0.003 * size)  # of normals


@pytest.mark.long
def test_an_ellipsoid_of_equal_axes_slides_and_rolls_on_walls_as_a_sphere():
    """With friction and damping, in a pipe on a mesh: with the same bytes, if bodies of one scheme of rotation are met.

    A clump far away has the sphere turn by the scheme of all bodies, in place of that of spheres alone.
    """
    stuff = dem.Material(young=5e6, poisson=0.3, density=1500.0, restitution=0.5, friction=0.3)
    walls = [
        MESHES[next(iter(MESHES))],
        dem.Cylinder((0, 0, -0.01), (0, 0, 0.05), 0.008, material=stuff),
    ]
    clump, paths = dem.Clump(offsets=[[0, 0, 0], [0.001, 0, 0]], radii=[0.001, 0.001]), []
    far = dem.Particles(clump, stuff, position=[[1.0, 0, 0]])
    for shape in (dem.Sphere(diameter=0.006), dem.Ellipsoid(semi_axes=(0.003,) * 3)):
        z = lowered(shape, walls[0], 0.0, 0.0, (1, 0, 0, 0))
        body = dem.Particles(
            shape,
            stuff,
            position=[[0.0046, 0, z + 2e-4]],
            velocity=[[0.8, 0.1, -0.9]],
            angular_velocity=[[50, -80, 30]],
        )
        sim = dem.Simulation(dem.Particles.concatenate([body, far]), walls=walls, time_step=5e-6, threads=1)
        sim.step(200)
        paths.append(sim.particles)
    for name in ("position", "velocity", "angular_velocity"):
        np.testing.assert_allclose(getattr(paths[1], name), getattr(paths[0], name), rtol=1e-12, atol=1e-15)


def energy(shape, wall, x, q):
    return one(shape, wall, x, q).energy().elastic


def force_and_torque(shape, wall, x, q):
    """By the motion from rest in a step so short that nothing moves."""
    sim = one(shape, wall, x, q, time_step=1e-9)
    sim.step(1)
    properties = shape.mass_properties(ELASTIC.density)
    turn = Rotation.from_quat(q, scalar_first=True)
    spin = turn.inv().apply(np.array(sim.particles.angular_velocity[0]))
    return properties.mass * sim.particles.velocity[0] / 1e-9, turn.apply(np.array(properties.inertia) * spin) / 1e-9


PLACES = {
    "ridge": (2e-4, 0.0), "shallow valley": (1e-4, 1e-4), "corner": (3e-4, -2e-4), "peak": (1e-4, -1e-4),
    "slight ridge": (9e-4, 1e-4), "saddle": (9e-4, -7e-4),
}  # fmt: skip


@pytest.mark.parametrize("name", ["flat", "slight ridge", "shallow valley", "saddle", "peak"])
@pytest.mark.few(3, long=2)
def test_contacts_of_corners_do_not_depend_on_how_a_surface_is_divided(name):
    """The energy with triangles of half and a quarter of the size, to the rounding of overlaps of 5e-5 m."""
    die, rng = SHAPES["polyhedron"], np.random.default_rng(5)
    for turn in (Rotation.identity(), nearly_flat(rng), nearly_flat(rng)):
        q, (x, y) = turn.as_quat(scalar_first=True), rng.uniform(-0.003, 0.003, 2)
        z = lowered(die, MESHES[name], x, y, q)
        found = [energy(die, surface(HEIGHTS[name], cells), (x, y, z), q) for cells in (4, 8, 16)]
        np.testing.assert_allclose(found, found[0], rtol=1e-11)


@pytest.mark.parametrize("place", [(0.0007, 0.0014), (0.0002, -0.0003)])
def test_a_level_face_on_small_triangles_touches_them_with_its_corners(place):
    """The overlaps of triangles are equal to rounding, whether they are below a corner or the middle of the face."""
    x, q = (*place, 0.0025 - DEEP), (1, 0, 0, 0)
    found = one(SHAPES["polyhedron"], surface(HEIGHTS["flat"], 16), x, q).contact_forces()
    plane = one(SHAPES["polyhedron"], dem.Plane((0, 0, 0), (0, 0, 1), material=ELASTIC), x, q).contact_forces()
    np.testing.assert_allclose(found.overlap, plane.overlap, rtol=0, atol=1e-17)
    np.testing.assert_allclose(found.arm, plane.arm, rtol=0, atol=1e-16)


def test_a_tip_below_a_face_takes_the_place_of_the_deepest_corner():
    """A slight pyramid touches the face at its tip, and four corners of the core, 1.5 mm from the middle, its sides.

    The tip is deepest. It counts once, with three of the corners in place of four.
    """
    die, slope, z = SHAPES["polyhedron"], 0.005, 0.0025 - DEEP
    pyramid = surface(lambda x, y: -slope * (abs(x) + abs(y)))
    corner = 0.001 - (z - 0.0015 + slope * 0.003) / math.sqrt(1 + 2 * slope**2)
    stiffness = 4 / 3 * 5e6 / (2 * (1 - 0.3**2)) * math.sqrt(die.contact_radius)
    assert 0 < corner < DEEP
    expected = 0.4 * stiffness * (DEEP**2.5 + 3 * corner**2.5)
    assert energy(die, pyramid, (0, 0, z), (1, 0, 0, 0)) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("deep", [7e-5, 1e-4])
def test_a_corner_in_a_valley_between_ridges_counts_once(deep):
    """Its two edges go over the ridges, which are deeper, by δ: U = 2 φ(δ) - φ(δ_v), with δ_v at the bottom.

    The corner touches both sides of the valley at δ_s; its contact has 2 φ(δ_s) - φ(δ_v), and each ridge φ(δ) - φ(δ_s).
    """
    slope, rounding, ridge, height = 0.05, 1e-3, 5e-4, 2.75e-5
    rim = 0.004 * np.array([[1, 0, slope], [0, 1, slope], [-1, 0, slope], [0, -1, slope]])
    shape = dem.Polyhedron(vertices=[(0, 0, 0), *rim, *(rim + np.array([0, 0, 0.003]))], rounding=rounding)
    tip = max(abs(x) for x, y, z in np.array(shape.vertices) if abs(y) + abs(z) < 1e-9)  # below the centre
    x, y = [-0.012, -ridge, 0, ridge, 0.012], [-0.002, height, 0, height, -0.002]
    vertices = [(x[k], side, y[k]) for side in (-0.01, 0.01) for k in range(5)]
    triangles = [each for k in range(4) for each in ((k, k + 1, k + 6), (k, k + 6, k + 5))]
    wall = dem.Mesh(vertices, triangles, material=ELASTIC)
    core = rounding - deep  # height of the vertex of the core; its faces are at √2 of the slope of its edges
    at = (0, 0, core - rounding * math.sqrt(1 + 2 * slope**2) + tip)
    body = dem.Particles(shape, ELASTIC, position=[at])
    found = dem.Simulation(body, walls=[wall], time_step=1e-6, **FEW)
    at_ridge = rounding - (core + slope * ridge - height) / math.sqrt(1 + slope**2)
    stiffness = 4 / 3 * 5e6 / (2 * (1 - 0.3**2)) * math.sqrt(shape.contact_radius)
    assert at_ridge > deep
    expected = 0.4 * stiffness * (2 * at_ridge**2.5 - deep**2.5)
    assert found.energy().elastic == pytest.approx(expected, rel=1e-11)
    assert found.contact_count == 1


@pytest.mark.parametrize("tilt", [0.0, 2e-3])
def test_a_die_slides_over_triangles_as_on_a_plane(tilt):
    """With friction of each corner, which goes with it from triangle to triangle."""
    stuff, paths = dem.Material(young=5e6, poisson=0.3, density=1500.0, restitution=0.5, friction=0.3), []
    flat = surface(HEIGHTS["flat"], 11)
    walls = [
        dem.Plane((0, 0, 0), (0, 0, 1), material=stuff), dem.Mesh(flat.vertices, flat.triangles, material=stuff)
    ]  # fmt: skip
    for wall in walls:
        q = Rotation.from_rotvec((tilt, -tilt, 0.2)).as_quat(scalar_first=True)
        body = dem.Particles(
            SHAPES["polyhedron"], stuff, position=[[-0.004, 1e-4, 0.0025 - 1e-5]], velocity=[[1.0, 0.2, 0]],
            angular_velocity=[[0, 0, 40]], orientation=[q],
        )  # fmt: skip
        sim = dem.Simulation(body, walls=[wall], time_step=1e-5, gravity=(0, 0, -300.0), threads=1)
        sim.step(400)
        paths.append(sim.particles)
    assert paths[0].position[0, 0] > -0.002
    for name, size in (("position", 1e-2), ("velocity", 1.0), ("angular_velocity", 100.0)):
        of_plane, of_mesh = (getattr(path, name) for path in paths)
        np.testing.assert_allclose(of_mesh, of_plane, rtol=0, atol=1e-9 * size)


@pytest.mark.long
def test_damping_between_corners_is_in_the_ledger_to_second_order():
    """A die falls on a bumpy mesh: the patch of two corners has a couple along its force, that of the spring alone."""
    stuff, errors = dem.Material(young=5e6, poisson=0.3, density=1500.0, restitution=0.6, friction=0.3), []
    die = dem.Polyhedron(vertices=list(itertools.product([0.0, 0.004], repeat=3)), rounding=0.0006)
    bumps = surface(lambda x, y: np.random.default_rng(2).uniform(0, 3e-4, x.shape), 8)
    wall = dem.Mesh(bumps.vertices, bumps.triangles, material=stuff)
    q = Rotation.from_rotvec((0.0229, -0.0028, -0.051)).as_quat(scalar_first=True)
    for time_step in (4e-6, 2e-6):
        body = dem.Particles(
            die, stuff, position=[[-0.001025, -0.00195, 0.002195]], velocity=[[-0.087, 0.018, -0.36]],
            orientation=[q], angular_velocity=[[23.5, -14.8, 19.4]],
        )  # fmt: skip
        sim = dem.Simulation(body, walls=[wall], time_step=time_step, threads=1)
        sim.step(round(5e-4 / time_step))
        errors.append(abs(sim.energy_error))
        assert sim.energy().dissipated > 0
    assert errors[1] < 5e-5
    assert 3.5 < errors[0] / errors[1] < 5


def nearly_flat(rng):
    """A rotation by which a face of a die that points down still overlaps a surface with several corners."""
    return Rotation.from_rotvec(rng.normal(size=3) * (8e-3, 8e-3, 1.0))


@pytest.mark.parametrize(
    ("name", "shape"),
    [("ridge", "polyhedron"), ("shallow valley", "ellipsoid"), ("peak", "cylinder"), ("slight ridge", "die"),
     ("shallow valley", "die"), ("saddle", "die"),
     pytest.param("corner", "superellipsoid", marks=pytest.mark.slow)],
)  # fmt: skip
@pytest.mark.few(4, long=2)
def test_force_and_torque_are_the_gradient_of_one_energy(name, shape):
    """By central differences of fourth order; of a die that touches with three or four corners, or between them."""
    wall, rng, h = MESHES[name], np.random.default_rng(4), 1e-7
    steps, weights = np.array([-2, -1, 1, 2]), np.array([1, -8, 8, -1]) / 12
    turn = nearly_flat(rng) if shape == "die" else Rotation.random(rng=rng)
    shape = SHAPES["polyhedron" if shape == "die" else shape]
    q = turn.as_quat(scalar_first=True)
    x = np.array([*PLACES[name], lowered(shape, wall, *PLACES[name], q)])
    force, torque = force_and_torque(shape, wall, x, q)
    size = np.linalg.norm(force)
    for axis in np.array([[0.48, -0.6, 0.64]]):  # a unit vector that no symmetry shares: all components show
        moved = [energy(shape, wall, x + k * h * axis, q) for k in steps]
        assert weights @ moved / h == pytest.approx(-force @ axis, abs=1e-7 * size)
        angle = h / 0.004
        turned = [
            energy(shape, wall, x, (Rotation.from_rotvec(k * angle * axis) * turn).as_quat(scalar_first=True))
            for k in steps
        ]
        assert weights @ turned / angle == pytest.approx(-torque @ axis, abs=1e-7 * 0.004 * size)
