"""Wear of walls against its closed form, in runs, files and ParaView's view of them."""

import dataclasses

import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy

import dem
from tests.viewers import vtk_frames

G, MU, V0, WEAR = 9.81, 0.4, 0.35, 2e-12
SAND = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.5, friction=MU)
LONG = np.linspace(-0.05, 0.05, 6)


def floor(kind):
    """z = 0: a plane, or strips of triangles across the way."""
    if kind == "plane":
        return dem.Plane((0, 0, 0), (0, 0, 1), material=SAND, wear=WEAR)
    vertices = [(x, y, 0.0) for x in LONG for y in (-0.05, 0.05)]
    triangles = [(2 * k + a, 2 * k + b, 2 * k + c) for k in range(len(LONG) - 1) for a, b, c in ((0, 1, 2), (1, 2, 3))]
    return dem.Mesh(vertices, triangles, material=SAND, wear=WEAR)


def sliding(kind, **options):
    """A fibre that lies on the floor and slides along its axis, y being off the diagonals."""
    fibre = dem.Fibre(diameter=0.01, aspect_ratio=2)
    body = dem.Particles(fibre, SAND, position=[[-0.02, 0.004, 0.005 - 3e-6]], velocity=[[V0, 0, 0]])
    return dem.Simulation(body, walls=[floor(kind)], gravity=(0, 0, -G), time_step=2e-5, **options)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plane", "mesh"])
def test_a_block_that_slides_to_rest_wears_by_its_energy(kind):
    """V = (k/H) N s, and friction takes μ N s, all of the kinetic energy: V = (k/H) m v²/2 μ, whatever N does.

    2 % for what the fibre keeps in pitching, and the spring in which it comes to rest.
    """
    sim = sliding(kind)
    mass = 2 * sim.energy().translational / V0**2
    sim.step(round(1.15 * V0 / (MU * G) / 2e-5))
    assert abs(sim.particles.velocity[0, 0]) < 0.02 * V0
    worn = sim.walls[0].worn
    assert worn.sum() == pytest.approx(WEAR * mass * V0**2 / (2 * MU), rel=0.02)
    if kind == "mesh":  # it is gone where the fibre was: from x = -0.03 to 0.026
        ends = floor(kind).vertices[floor(kind).triangles][..., 0]
        assert (worn[(ends.max(1) < -0.031) | (ends.min(1) > 0.032)] == 0).all()
        assert (worn > 0).sum() >= 4


RADIUS, OVERLAP, WEIGHT = 0.005, 2e-6, 1e-4  # of a sphere that is pressed on; its gravity is next to nothing


def pressed(material, spin=(0.0, 0.0, 0.0), **wall):
    """A sphere in equilibrium on a plane that wears, so heavy that friction hardly moves it; its normal force [N]."""
    load = 4 / 3 * material.young / (2 * (1 - material.poisson**2)) * np.sqrt(RADIUS) * OVERLAP**1.5
    heavy = dataclasses.replace(material, density=load / WEIGHT / (4 / 3 * np.pi * RADIUS**3))
    sphere = dem.Particles(
        dem.Sphere(diameter=2 * RADIUS), heavy, position=[[0, 0, RADIUS - OVERLAP]], angular_velocity=[spin]
    )
    plane = dem.Plane((0, 0, 0), (0, 0, 1), material=material, wear=WEAR, **wall)
    contacts = dem.Contacts({(heavy, material): dem.Contact(friction=MU)})
    return (sphere, plane, contacts), load


def simulated(parts, time_step):
    sphere, plane, contacts = parts
    return dem.Simulation(
        sphere, walls=[plane], gravity=(0, 0, -WEIGHT), time_step=time_step, contacts=contacts, threads=1
    )


def test_a_sphere_that_rocks_without_sliding_wears_nothing():
    """The spring of friction stretches to a tenth of its limit and back, and no surface slides."""
    parts, load = pressed(SAND)
    stiffness, sphere = stuck_spring(), parts[0]
    inertia = 1 / (1 / sphere.mass[0] + RADIUS**2 / sphere.inertia[0, 0])  # of slip by rotation and translation
    rate = np.sqrt(stiffness / inertia)
    sphere.angular_velocity = [[0, 0.1 * MU * load / stiffness * rate / RADIUS, 0]]
    sim = simulated(parts, 2 * np.pi / rate / 100)
    stretched = []
    for _ in range(20):
        sim.step(15)
        stretched.append(sim.energy().elastic)
    assert np.ptp(stretched) > 0.5 * (0.1 * MU * load) ** 2 / (2 * stiffness)
    assert sim.walls[0].worn.tolist() == [0.0]


def stuck_spring():
    """k_t = 8 G* sqrt(R δ) [N/m], of two equal materials."""
    return 8 * SAND.young / (4 * (1 + SAND.poisson) * (2 - SAND.poisson)) * np.sqrt(RADIUS * OVERLAP)


@pytest.mark.parametrize("share", [0.5, 0.8])
def test_fretting_wears_by_what_slides(share):
    """A plane that goes to and fro by A takes a spring along by 2 μN/k_t at each turn, and slides for the rest.

    V = (k/H) N 4 (A - μN/k_t) a cycle, with A = μN/(k_t share); before the first turn A - μN/k_t. 1 % for the last
    step before the spring holds, which ends at any part of it, and for N, which the start leaves to oscillate.
    """
    parts, load = pressed(SAND)
    reach = MU * load / stuck_spring()
    amplitude, steps = reach / share, 400
    parts, load = pressed(SAND, motion=dem.Motion(amplitude=(amplitude, 0, 0), frequency=50.0))
    sim = simulated(parts, 1 / 50.0 / steps)
    sim.step(steps // 4)
    assert sim.walls[0].worn[0] == pytest.approx(WEAR * load * (amplitude - reach), rel=0.01)
    before = sim.walls[0].worn[0]
    sim.step(steps)
    assert sim.walls[0].worn[0] - before == pytest.approx(WEAR * load * 4 * (amplitude - reach), rel=0.01)


@pytest.mark.slow
def test_cuts_and_restarts_change_no_bit_of_it(tmp_path):
    whole, cut = sliding("mesh"), sliding("mesh", _skin=(0.004, 0.001))
    whole.step(700)
    cut.step(301)
    cut.save(tmp_path / "cut.h5")
    again = dem.Simulation.load(tmp_path / "cut.h5")
    again.step(399)
    assert whole.walls[0].worn.sum() > 0
    assert again.walls[0].worn.tobytes() == whole.walls[0].worn.tobytes()


@pytest.mark.slow
def test_files_and_views_tell_it(tmp_path):
    sim = sliding("mesh")
    sim.run(duration=0.004, output=tmp_path / "run.h5", frames=4, progress=False)
    with dem.Trajectory(tmp_path / "run.h5") as run:
        worn = run.walls[0].worn
    assert worn.shape == (5, 10)
    assert (np.diff(worn, axis=0) >= 0).all()
    assert worn[-1].tobytes() == sim.walls[0].worn.tobytes()
    for row, (_, shown) in zip(worn, vtk_frames(dem.export(tmp_path / "run.h5", "walls.vtkhdf")), strict=True):
        assert vtk_to_numpy(shown.GetCellData().GetArray("worn")).tolist() == row.tolist()


def test_who_does_not_wear_tells_nothing(tmp_path):
    sim = sliding("plane")
    still = dem.Simulation(
        sim.particles, walls=[dem.Plane((0, 0, 0), (0, 0, 1), material=SAND)], gravity=(0, 0, -G), time_step=2e-5
    )
    still.run(duration=1e-3, output=tmp_path / "run.h5", frames=1, progress=False)
    assert still.walls[0].worn.tolist() == [0.0]
    with dem.Trajectory(tmp_path / "run.h5") as run:
        assert run.walls[0].worn.shape == (2, 0)
    with pytest.raises(ValueError, match="wear"):
        dem.Plane((0, 0, 0), (0, 0, 1), material=SAND, wear=-1.0)


@pytest.mark.parametrize("second", [True, False])
def test_all_corners_of_a_cube_wear_the_plane_that_it_slides_on(second):
    """The plane loses V = (k/H) m g s without friction. The next wall, stored behind it, loses nothing."""
    slippery = dataclasses.replace(SAND, friction=0.0)
    edge, dt, steps = 0.006, 2e-5, 400
    corners = edge / 2 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    cube = dem.Polyhedron(vertices=corners, rounding=edge / 20)
    mass = cube.mass_properties(slippery.density).mass
    stiffness = 4 / 3 * slippery.young / (1 - slippery.poisson**2) / 2 * np.sqrt(cube.contact_radius)
    deep = (mass * G / 4 / stiffness) ** (2 / 3)  # of each corner at rest
    body = dem.Particles(cube, slippery, position=[[0, 0, edge / 2 - deep]], velocity=[[V0, 0, 0]])
    floor = dem.Plane((0, 0, 0), (0, 0, 1), material=slippery, wear=WEAR)
    walls = [floor, dem.Plane((0, 0, -1), (0, 0, 1), material=slippery, wear=WEAR)][: 1 + second]
    sim = dem.Simulation(body, walls=walls, gravity=(0, 0, -G), time_step=dt)
    sim.step(steps)
    assert sim.walls[0].contacts == 4
    assert sim.walls[0].worn == pytest.approx([WEAR * mass * G * V0 * steps * dt], rel=0.02)
    assert all(wall.worn == [0.0] for wall in sim.walls[1:])


HOLLOWS = {
    "ball": dem.Ball((0, 0, 0.05), 0.05, inside=True, material=SAND, wear=WEAR),
    "cylinder": dem.Cylinder((-0.1, 0, 0.05), (0.1, 0, 0.05), 0.05, material=SAND, wear=WEAR),
    "cone": dem.Cone((-0.1, 0, 0.05), (0.1, 0, 0.05), 0.049, 0.051, material=SAND, wear=WEAR),
    "ring": dem.Torus((0, 0, 0.1), (0, 1, 0), 0.08, 0.02, inside=True, material=SAND, wear=WEAR),
    "on a ring": dem.Torus((-0.05, 0, -0.02), (0, 0, 1), 0.05, 0.02, material=SAND, wear=WEAR),
}


@pytest.mark.parametrize("wall", HOLLOWS.values(), ids=HOLLOWS)
def test_ellipsoids_wear_walls_as_spheres_do(wall):
    """Walls that wear as a whole. The axes differ by 1e-4: contacts then have directions as their names, not pieces."""
    worn = []
    for shape in (dem.Sphere(diameter=0.006), dem.Ellipsoid(semi_axes=(0.0030003, 0.003, 0.003))):
        body = dem.Particles(shape, SAND, position=[[0, 0, 0.00299]], velocity=[[V0, 0.1, 0]])
        sim = dem.Simulation(body, walls=[wall], gravity=(0, 0, -G), time_step=1e-5, integrator="splitting")
        sim.step(200)
        worn.append(sim.walls[0].worn)
    assert worn[0] > 0
    assert worn[1] == pytest.approx(worn[0], rel=1e-2)
