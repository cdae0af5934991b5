"""Ellipsoids and superellipsoids for users: descriptions, advice, pictures."""

import numpy as np
import pytest

import dem
from dem.model.shapes.convex import directions, filling, supports
from dem.model.shapes.convex_hull import convex_hull

STUFF = dem.Material(young=5e6, poisson=0.3, density=2500.0)
GRAIN = dem.Ellipsoid(semi_axes=(0.004, 0.003, 0.002))
BLOCK = dem.Superellipsoid(semi_axes=(0.003, 0.003, 0.002), exponents=(4, 3))


def test_particles_are_described_with_their_semi_axes_and_exponents():
    both = [dem.Particles(shape, STUFF, position=[[x, 0, 0]]) for shape, x in ((GRAIN, 0.0), (BLOCK, 0.01))]
    words = repr(dem.Particles.concatenate(both))
    assert "(Ellipsoid, semi_axes (0.004, 0.003, 0.002), contact_radius 0.0028845)" in words
    assert "(Superellipsoid, semi_axes (0.003, 0.003, 0.002), exponents (4, 3), contact_radius" in words


@pytest.mark.parametrize(
    ("shape", "tip"),
    [
        (GRAIN, "an ellipsoid's tip"),
        (dem.RoundedCylinder(diameter=0.008, length=0.004, rounding=0.001), "a rounded cylinder's tip"),
    ],
)
def test_advice_names_shapes_in_english(shape, tip):
    two = dem.Particles(shape, STUFF, position=[[0, 0, 0], [0, 0, 0.02]], velocity=[[0, 0, 1], [0, 0, 0]])
    sim = dem.Simulation(two, gravity=(0, 0, 0), time_step=1e-5, threads=1)
    assert sim.advice().shortest == f"{tip} on {tip}"


def test_a_file_is_described_as_its_particles_are(tmp_path):
    one = dem.Particles(GRAIN, STUFF, position=[[0, 0, 0]])
    dem.Simulation(one, time_step=1e-5, threads=1).run(1e-5, output=tmp_path / "run.h5", frames=1)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert "(Ellipsoid, semi_axes (0.004, 0.003, 0.002), contact_radius 0.0028845)" in repr(run)


@pytest.mark.parametrize("shape", [GRAIN, BLOCK, dem.Superellipsoid(semi_axes=(0.003, 0.003, 0.002), exponents=(8, 8))])
@pytest.mark.few(2, long=99)
def test_balls_of_pictures_touch_the_surface_without_warts(shape):
    """Balls that stick out, or small ones on a smooth side, are seen; sizes are those of the shape by its largest."""
    centres, radii = filling(shape)
    normals = directions(1999)
    h, x = supports(shape, normals)
    # no ball leaves the shape by more than what normals in between, 3 degrees apart, leave open
    assert (centres @ normals + radii[:, None] - h).max() < 0.003 * h.max()
    # a ball at a place of a smooth side is as large as the shape's curvature there lets it be: no radius below c²/a
    if isinstance(shape, dem.Ellipsoid):
        a, _, c = shape.semi_axes
        assert radii.min() > 0.95 * c**2 / a
        gap = (np.linalg.norm(x.T[:, None] - centres, axis=2) - radii).min(1)
        assert gap.mean() < 0.01 * h.max()  # between places 20 degrees apart


FLAT = {
    "cube": dem.Polyhedron(vertices=np.array(np.meshgrid(*[[0, 0.01]] * 3)).reshape(3, -1).T, rounding=1e-4),
    "tablet": dem.RoundedCylinder(diameter=0.008, length=0.004, rounding=0.001),
    "rod": dem.RoundedCylinder(diameter=0.004, length=0.02, rounding=0.0003),
}


@pytest.mark.parametrize(("name", "inscribed", "share"), [
    ("cube", 0.005, 0.75), ("tablet", 0.002, 0.9), ("rod", 0.002, 0.75),
])  # fmt: skip
@pytest.mark.few(1, long=99)
def test_balls_fill_shapes_with_flat_sides(name, inscribed, share):
    """Not only at corners and edges, where support points are: of points inside, most are in a ball."""
    shape, rng = FLAT[name], np.random.default_rng(1)
    centres, radii = filling(shape)
    normals = directions(1999)
    h, _ = supports(shape, normals)
    assert (centres @ normals + radii[:, None] - h).max() < 0.003 * h.max()
    assert 0.9 * inscribed < radii.max() < (1 + 1e-6) * inscribed
    points = rng.uniform(-1, 1, (4000, 3)) * supports(shape, np.eye(3))[0]
    points = points[(points @ normals < h).all(axis=1)]
    assert (np.linalg.norm(points[:, None] - centres, axis=2) < radii).any(axis=1).mean() > share


CASE = """
duration = 1e-4
time_step = 5e-6
materials.glass = { young = 5e6, poisson = 0.3, density = 2500 }
shapes.grain = { SHAPE }

[[particles]]
shape = "grain"
material = "glass"
position = [[0, 0, 0.01]]
"""
CUBE = [[0.01 * x, 0.01 * y, 0.01 * z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]


def in_case(folder, shape):
    """The shape, as a case file makes it."""
    (folder / "case.toml").write_text(CASE.replace("SHAPE", shape))
    return dem.load(folder / "case.toml").particles


def test_a_case_file_has_polyhedra_from_vertices_and_files_and_rounded_cylinders(tmp_path):
    rounded = f'type = "polyhedron", vertices = {CUBE}, rounding = "1 mm", contact_radius = 0.004'
    die = dem.Polyhedron(vertices=CUBE, rounding=1e-3, contact_radius=0.004)
    assert in_case(tmp_path, rounded).variants[0][0] == die
    hull = convex_hull(1000 * np.array(CUBE))
    triangles_to_stl(tmp_path / "cube.stl", hull.vertices, hull.triangles)
    made = in_case(tmp_path, 'type = "polyhedron", file = "cube.stl", scale = 0.001, rounding = 0.001')
    assert made.variants[0][0].volume == pytest.approx(die.volume, rel=1e-6)  # single precision of the file
    assert made.orientation[0].tolist() == pytest.approx(list(made.variants[0][0].axes))  # stands as given
    made = in_case(tmp_path, 'type = "rounded-cylinder", diameter = "8 mm", length = "4 mm", rounding = "1 mm"')
    assert made.variants[0][0] == dem.RoundedCylinder(diameter=0.008, length=0.004, rounding=0.001)


def triangles_to_stl(path, vertices, triangles):
    """Write an ASCII STL."""
    rows = ["solid grain"]
    for corners in np.asarray(vertices)[np.asarray(triangles)]:
        rows += ["facet normal 0 0 0", "outer loop", *(f"vertex {x} {y} {z}" for x, y, z in corners)]
        rows += ["endloop", "endfacet"]
    path.write_text("\n".join([*rows, "endsolid grain"]))


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ('type = "polyhedron", rounding = 0.001', "a polyhedron takes vertices"),
        ('type = "polyhedron", vertices = [[0, 0, 0]], file = "case.toml", rounding = 1', "or a file and its scale"),
        (f'type = "polyhedron", vertices = {CUBE}, scale = 2.0, rounding = 0.001', "or a file and its scale"),
        (f'type = "polyhedron", vertices = {CUBE}, rounding = 0.006', "no ball of this radius fits"),
        ('type = "polyhedron", file = "none.stl", rounding = 0.001', "no file"),
        ('type = "rounded-cylinder", diameter = 0.01, length = 0.01', "rounding"),
        ('type = "rounded-cylinder", diameter = 0.01, length = 0.01, rounding = 0.005', "less than half"),
        ('type = "ellipsoid", semi_axes = [1, 2, 3], rounding = 0.1', "takes semi_axes, contact_radius"),
    ],
)
def test_shapes_of_a_case_file_that_make_no_sense(tmp_path, shape, message):
    with pytest.raises(ValueError, match=message):
        in_case(tmp_path, shape)


def test_sizes_are_those_of_scaled_copies():
    box = dem.Box((0, 0, 0), (0.1, 0.1, 0.1), material=STUFF)
    sizes = dem.ListedSizes(diameters=(0.004, 0.008), shares=(0.5, 0.5), by="number")
    die = dem.Polyhedron(vertices=CUBE, rounding=1e-3)
    packed = dem.pack(die, STUFF, box, number=8, sizes=sizes, seed=3)
    volumes = sorted({shape.volume for shape, _ in packed.variants})
    assert volumes == pytest.approx([np.pi / 6 * d**3 for d in (0.004, 0.008)], rel=1e-12)
    for shape, _ in packed.variants:
        assert shape.rounding / shape.volume ** (1 / 3) == pytest.approx(
            die.rounding / die.volume ** (1 / 3), rel=1e-12
        )
    tablet = dem.RoundedCylinder(diameter=0.01, length=0.005, rounding=0.001)
    packed = dem.pack(tablet, STUFF, box, number=8, sizes=sizes, seed=3)  # by their diameter
    assert {shape.diameter for shape, _ in packed.variants} == {0.004, 0.008}
