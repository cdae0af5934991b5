"""Convex shapes in files, pictures, pages and exports: their surfaces, not the spheres about or inside of them."""

import base64
import itertools
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import gsd.hoomd
import h5py
import numpy as np
import pytest
from viewers import points, vtk_frames
from vtkmodules.util.numpy_support import vtk_to_numpy

import dem
from dem.model.shapes.convex import surface_of
from dem.plots import Camera, Light, render
from dem.plots.rendering.light import Shadows
from dem.plots.rendering.meshes import corner_normals
from dem.plots.rendering.render import Meshes

sys.path.insert(0, str(Path(__file__).parents[1] / "extensions"))
from rounded_box import RoundedBox

STUFF = dem.Material(young=5e6, poisson=0.3, density=2500.0)
GRAIN = dem.Ellipsoid(semi_axes=(0.004, 0.003, 0.002))
DIE = dem.Polyhedron(vertices=list(itertools.product([0, 0.006], repeat=3)), rounding=0.0005)
TABLET = dem.RoundedCylinder(diameter=0.008, length=0.004, rounding=0.001)
BRICK = RoundedBox((0.003, 0.002, 0.001), 0.0005)
FRONT = Camera((0, 0, 0), forward=(0, 1, 0), span=0.02)  # parallel, x to the right, z up
TURN = (0.5**0.5, 0.5**0.5, 0.0, 0.0)  # body y to world z


def fallen(path, *shapes, **more):
    """The file of a run of one particle of each shape, a centimetre apart."""
    groups = [
        dem.Particles(shape, STUFF, position=[[0.01 * k, 0, 0]], orientation=[TURN], velocity=[[k, 0, 0]])
        for k, shape in enumerate(shapes)
    ]
    sim = dem.Simulation(dem.Particles.concatenate(groups), time_step=1e-5, threads=1, **more)
    sim.run(2e-5, output=path, frames=2)
    return path


def volume_of(vertices, triangles):
    """Volume within a closed surface whose triangles are counterclockwise from outside."""
    return np.linalg.det(vertices[triangles]).sum() / 6


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    shapes = (GRAIN, GRAIN.scaled(0.5), DIE, TABLET, BRICK, dem.Sphere(diameter=0.006))
    return fallen(tmp_path_factory.mktemp("drawn") / "run.h5", *shapes)


def test_surfaces_are_in_the_file_and_scaled_copies_have_one_in_common(path):
    with dem.Trajectory(path) as run:
        grain, half, die, tablet, brick, ball = run.variants
        assert ball.surface is None
        np.testing.assert_array_equal(grain.surface.vertices, half.surface.vertices)
        assert half.surface.scale == pytest.approx(grain.surface.scale / 2, rel=1e-15)
        for shape, variant in zip((GRAIN, DIE, TABLET, BRICK), (grain, die, tablet, brick), strict=True):
            vertices, triangles = surface_of(shape)
            # stored in single precision, over the size
            np.testing.assert_allclose(variant.surface.scale * variant.surface.vertices, vertices, atol=1e-7 * 0.006)
            np.testing.assert_array_equal(variant.surface.triangles, triangles)
        placed = run[-1].surfaces()
        assert np.unique(placed.owner).tolist() == [0, 1, 2, 3, 4]
        first = placed.vertices[placed.triangles[placed.owner == 0].ravel()] - run[-1].position[0]
        # the cube that is projected has vertices in the middle of its faces and edges: on all axes
        np.testing.assert_allclose(np.abs(first).max(0), [0.004, 0.002, 0.003], rtol=1e-6)
        volumes = [volume_of(placed.vertices, placed.triangles[placed.owner == k]) for k in range(4)]
        true = [shape.volume for shape in (GRAIN, GRAIN.scaled(0.5), DIE, TABLET)]
        # chords of arcs: 32 around a body lack 0.6 % of its section
        np.testing.assert_allclose(volumes, true, rtol=0.02)
    with h5py.File(path) as file:
        assert len(file["parameters/variants/surface_first"]) == 5


@pytest.mark.parametrize("name", ["surface", "surface_triangles", "surface_first"])
def test_a_file_with_surfaces_that_make_no_sense_is_refused(path, tmp_path, name):
    wrong = tmp_path / "wrong.h5"
    wrong.write_bytes(path.read_bytes())
    with h5py.File(wrong, "r+") as file:
        file[f"parameters/variants/{name}"][0] = 99999
    with pytest.raises(ValueError, match=name), dem.Trajectory(wrong) as run:
        assert run.variants


@dataclass(frozen=True)
class Misdrawn(RoundedBox):
    """A shape whose mesh is none."""

    def surface_mesh(self, cells):
        del cells
        return np.zeros((4, 3)), np.array([[0, 1, 4]])


def test_a_mesh_of_ones_own_that_is_none_is_refused_by_name():
    with pytest.raises(
        ValueError, match=r"surface_mesh of Misdrawn: expected \(F, 3\) whole numbers of its vertices, from 0 to 3"
    ):
        surface_of(Misdrawn(BRICK.half_edges, BRICK.radius))


def covered(picture):
    return (picture != 255).any(axis=2)


def meshed(vertices, triangles, ink=(1, 0, 0)):
    """A mesh for `render`."""
    bound = np.array([[0, 0, 0, np.linalg.norm(vertices, axis=1).max()]])
    inks = np.tile(np.array(ink, float), (len(triangles), 1))
    return Meshes(vertices[triangles], corner_normals(vertices, triangles), inks, bound)


def nothing():
    return np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3))


def test_silhouettes_are_those_of_the_bodies():
    pixel = 0.02 / 400
    picture = render(*nothing(), FRONT, (400, 400), meshes=meshed(*GRAIN.surface_mesh(24)), samples=1)
    # the ellipse of 4 and 2 mm; a polygon of 96 chords lacks 0.07 % of it, and its rim is some pixels more or less
    assert covered(picture).sum() == pytest.approx(np.pi * 0.004 * 0.002 / pixel**2, rel=2e-3, abs=60)
    picture = render(*nothing(), FRONT, (400, 400), meshes=meshed(*DIE.surface_mesh()), samples=1)
    square = 0.006**2 - (4 - np.pi) * 0.0005**2
    assert covered(picture).sum() == pytest.approx(square / pixel**2, rel=2e-3, abs=60)


@pytest.mark.parametrize(("distance", "y"), [(np.inf, 0.02), (0.1, 0.02), (np.inf, -0.02), (0.1, -0.02)])
def test_what_is_nearer_is_seen(distance, y):
    camera = Camera((0, 0, 0), forward=(0, 1, 0), span=0.02, distance=distance)
    mesh = meshed(*GRAIN.surface_mesh(), ink=(1, 0, 0))
    picture = render([[0, y, 0]], [0.003], [[0, 0, 1]], camera, (101, 101), meshes=mesh)
    red, _, blue = picture[50, 50].tolist()
    assert (red > blue) == (y > 0)


def test_brightness_is_that_of_the_smooth_body():
    """A sphere as a mesh, against the sphere itself: normals between vertices are those of the ball."""
    ball = dem.Ellipsoid(semi_axes=(0.008, 0.008, 0.008))
    smooth = render([[0, 0, 0]], [0.008], [[1, 0, 0]], FRONT, (200, 200))
    mesh = render(*nothing(), FRONT, (200, 200), meshes=meshed(*ball.surface_mesh(16)))
    both = covered(smooth) & covered(mesh)
    difference = np.abs(smooth.astype(int) - mesh).max(2)[both]
    # normals are off by the square of half a triangle's angle, 0.05, which is half a level; rims by a pixel
    assert np.median(difference) <= 2
    assert (difference > 20).mean() < 0.03


def test_a_shadow_is_that_of_the_body():
    """Light along the axis of a tablet: in the dark is what lies behind its disc, from rim to rim."""
    vertices, triangles = TABLET.surface_mesh()
    corners = vertices[:, [1, 2, 0]][triangles]  # its axis is z, along which the light comes
    bounds = np.array([[0, 0, 0, np.linalg.norm(vertices, axis=1).max()]])
    shadows = Shadows(np.zeros((0, 3)), np.zeros(0), Light(direction=(0, 0, -1)), 400, corners, bounds)
    x = np.linspace(-0.0042, 0.0042, 400)
    lit = shadows.light(np.column_stack([x, 0 * x, 0 * x + 0.01]).astype(np.float32), 0, 1)
    edge = shadows.softness + 2 * shadows.pitch
    assert edge < 0.0017
    assert (lit[np.abs(x) < 0.004 - edge] == 0).all()
    # a polygon of 48 corners lacks 0.29 % of the disc, and pixels on its rim are in or out
    assert np.isfinite(shadows.depth).sum() * shadows.pitch**2 == pytest.approx(0.9971 * np.pi * 0.004**2, rel=1e-3)
    outside = np.column_stack([x, 0 * x + 0.006, 0 * x + 0.01]).astype(np.float32)
    assert (shadows.light(outside, 0, 1) == 1).all()


def test_a_scene_shows_the_faces_of_a_die(tmp_path):
    path = fallen(tmp_path / "die.h5", DIE, gravity=(0, 0, 0))
    with dem.Trajectory(path) as run:
        figure = dem.plots.scene(run, camera=FRONT, size=(200, 200))
        shown = covered(np.asarray(figure.axes[0].images[0].get_array()))
    rows, columns = np.nonzero(shown)
    wide = 0.006 / 0.02 * 200
    assert abs(np.ptp(rows) + 1 - wide) <= 2
    assert abs(np.ptp(columns) + 1 - wide) <= 2
    assert shown.sum() > 0.97 * wide**2  # all of the square, to its corners; a ball about it is wider, in it smaller


def test_surfaces_are_exported_for_paraview(path, tmp_path):
    frames = vtk_frames(dem.export(path, "surfaces.vtkhdf", tmp_path / "run.vtkhdf"))
    with dem.Trajectory(path) as run:
        assert [time for time, _ in frames] == run.time.tolist()
        for frame, (_, shown) in zip(run, frames, strict=True):
            triangles = vtk_to_numpy(shown.GetPolys().GetConnectivityArray()).reshape(-1, 3)
            cells = {name: vtk_to_numpy(shown.GetCellData().GetArray(name)) for name in ("owner", "kind", "velocity")}
            own = frame.surfaces()
            of_grains = cells["owner"] < 5
            np.testing.assert_array_equal(
                points(shown)[triangles[of_grains]], own.vertices[own.triangles].astype(points(shown).dtype)
            )
            np.testing.assert_array_equal(cells["owner"][of_grains], own.owner)
            ball = np.linalg.norm(points(shown)[triangles[~of_grains]] - frame.position[5], axis=2)
            np.testing.assert_allclose(ball, 0.003, rtol=1e-9)
            np.testing.assert_array_equal(cells["velocity"], frame.velocity[cells["owner"]].astype(np.float32))
            np.testing.assert_array_equal(cells["kind"], frame.kind[cells["owner"]])


def test_surfaces_of_grains_that_come_and_go_are_exported(tmp_path):
    region, below = dem.Block((0, 0, 0), (0.03, 0.03, 0.012)), dem.Block((-1, -1, -1), (1, 1, -0.006))
    rain = dem.Inserter([GRAIN, DIE], STUFF, region=region, number=3, every=5e-4, start=6e-4, velocity=(0, 0, -4))
    sim = dem.Simulation(None, inserters=[rain], outlets=[dem.Outlet(below, every=5e-4)], time_step=7e-6, threads=1)
    sim.run(0.0056, output=tmp_path / "rain.h5", frames=10)
    with dem.Trajectory(tmp_path / "rain.h5") as run:
        frames = vtk_frames(dem.export(run, "surfaces.vtkhdf"))
        counts = [len(frame.position) for frame in run]
        assert counts[0] == counts[-1] == 0 < max(counts)
        for frame, (_, shown) in zip(run, frames, strict=True):
            own = frame.surfaces()
            assert shown.GetNumberOfPoints() == len(own.vertices)
            assert shown.GetNumberOfPolys() == len(own.triangles)
            if len(own.triangles):
                np.testing.assert_array_equal(points(shown), own.vertices)
                found = vtk_to_numpy(shown.GetPolys().GetConnectivityArray()).reshape(-1, 3)
                np.testing.assert_array_equal(found, own.triangles)
                owner = vtk_to_numpy(shown.GetCellData().GetArray("owner"))
                np.testing.assert_array_equal(owner, frame.identity[own.owner])


def test_gsd_has_the_meshes(path, tmp_path):
    target = dem.export(path, "gsd", tmp_path / "run.gsd")
    with gsd.hoomd.open(target) as file, dem.Trajectory(path) as run:
        shapes = file[0].particles.type_shapes
        assert [shape["type"] for shape in shapes] == ["Mesh"] * 5 + ["Sphere"]
        corners = run.variants[0].surface.scale * run.variants[0].surface.vertices
        np.testing.assert_allclose(shapes[0]["vertices"], corners, rtol=1e-15)


def given_to(page):
    """The constant part of a page."""
    return json.loads(re.search(r'id="what">(.*?)</script>', page, re.DOTALL)[1])


def test_the_page_has_each_surface_once(path):
    what = given_to(dem.view(path).html)
    assert len(what["surfaces"]) == 4
    grain, half, *_, ball = what["variants"]
    assert grain["surface"] == half["surface"] == 0
    assert "surface" not in ball
    assert grain["scale"] == 2 * half["scale"]
    read = [np.frombuffer(base64.b64decode(what["surfaces"][0][key][1]), kind) for key, kind in
            (("points", "<f4"), ("triangles", "<u4"))]  # fmt: skip
    with dem.Trajectory(path) as run:
        np.testing.assert_array_equal(read[0].reshape(-1, 3), run.variants[0].surface.vertices.astype("f4"))
        np.testing.assert_array_equal(read[1].reshape(-1, 3), run.variants[0].surface.triangles)
        assert len(given_to(dem.view(path).html)["turning"][1]) > 0
