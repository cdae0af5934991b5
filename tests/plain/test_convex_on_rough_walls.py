"""Convex bodies on rough walls and rough faces: as spheres where they are spheres, and without work of the planes."""

import itertools

import numpy as np
import pytest

import dem

ELASTIC = dem.Material(young=5e6, poisson=0.3, density=1000.0)
LOSSY = dem.Material(young=5e6, poisson=0.3, density=1000.0, restitution=0.8, friction=0.3)
SIGMA = {"roughness": 0.15, "seed": 5}
R, DT = 0.005, 2e-5
CORNERS = [(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0)]
DIE = list(itertools.product((-0.8 * R, 0.8 * R), repeat=3))
SHAPES = {
    "ellipsoid": dem.Ellipsoid(semi_axes=(1.4 * R, R, 0.7 * R)),
    "superellipsoid": dem.Superellipsoid(semi_axes=(1.2 * R, R, 0.8 * R), exponents=(4, 4)),
    "polyhedron": dem.Polyhedron(vertices=DIE, rounding=0.2 * R),
    "cylinder": dem.RoundedCylinder(diameter=2 * R, length=1.2 * R, rounding=0.2 * R),
}


def ground(kind, material):
    """A rough floor at z = 0: arguments of `dem.Simulation`."""
    if kind == "face":
        return {"box": dem.Box((-1, -1, 0), (1, 1, 1), material, open=["x-", "x+", "y-", "y+", "z+"], **SIGMA)}
    wall = {
        "plane": dem.Plane((0, 0, 0), (0, 0, 1), material=material, **SIGMA),
        "rectangle": dem.Rectangle((0, 0, 0), (1, 0, 0), (0, 1, 0), material=material, **SIGMA),
        "mesh": dem.Mesh(CORNERS, [(0, 1, 2), (0, 2, 3)], material=material, **SIGMA),
    }[kind]
    return {"walls": [wall]}


def thrown(shape, material, number=2):
    """Bodies that come down on z = 0, turning."""
    rng = np.random.default_rng(3)
    x = np.column_stack([0.03 * np.arange(number), rng.uniform(0, 0.1, number), np.full(number, 1.8 * R)])
    v = np.column_stack([rng.uniform(-0.5, 0.5, (number, 2)), np.full(number, -0.9)])
    q = rng.normal(size=(number, 4))
    return dem.Particles(
        shape, material, position=x, velocity=v, orientation=q / np.linalg.norm(q, axis=1)[:, None],
        angular_velocity=rng.normal(0, 20, (number, 3)),
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["face", "mesh", "plane", "rectangle"])
@pytest.mark.few(1, long=2)
def test_an_ellipsoid_of_equal_axes_sees_the_planes_that_a_sphere_does(kind):
    found = []
    for shape in (dem.Sphere(diameter=2 * R), dem.Ellipsoid(semi_axes=(R, R, R))):
        sim = dem.Simulation(
            thrown(shape, LOSSY), gravity=(0, 0, -9.81), time_step=DT, integrator="splitting", **ground(kind, LOSSY)
        )
        sim.step(450)
        assert (sim.particles.velocity[:, 2] > 0).all()  # all have bounced
        found.append(np.concatenate([sim.particles.velocity, R * sim.particles.angular_velocity]))
    assert np.abs(found[1] - found[0]).max() < 1e-10  # rounding of 450 steps, of about 1 m/s


@pytest.mark.parametrize("kind", ["plane", "face", "mesh"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.few(1, long=2)
def test_planes_of_a_rough_floor_do_no_work(shape, kind):
    """They rest while they are touched: the energy returns to the order of the scheme, the velocity does not.

    That is the first where the support point jumps from corner to corner, or along a straight side.
    """
    floors, slips = [ground(kind, ELASTIC)], []
    if kind == "face":  # once for each shape
        floors.append({"walls": [dem.Plane((0, 0, 0), (0, 0, 1), material=ELASTIC)]})
    for floor in floors:
        sim = dem.Simulation(thrown(SHAPES[shape], ELASTIC), gravity=(0, 0, 0), time_step=DT / 4, **floor)
        along = sim.particles.velocity[:, :2].copy()
        before = sim.energy().mechanical
        sim.step(1200)
        assert (sim.particles.velocity[:, 2] > 0).any()
        most = 2e-3 if shape in ("polyhedron", "cylinder") else 1e-3
        assert sim.energy().mechanical == pytest.approx(before, rel=most)
        slips.append(np.abs(sim.particles.velocity[:, :2] - along).max())
    assert slips[0] > 0.05
    assert max(slips[1:], default=0.0) < 1e-12  # a smooth floor without friction


@pytest.mark.slow
def test_cuts_and_skins_change_no_bit_of_grains_on_rough_walls(tmp_path):
    """In a drum that turns, where planes are kept in its frame, with a rough box around."""
    turning = dem.Motion(axis=(0, 1, 0), rate=3.0)
    drum = dem.Cylinder((0, -0.1, 0), (0, 0.1, 0), 0.06, ends="both", material=LOSSY, motion=turning, **SIGMA)
    found = []
    for skin in (None, (0.004, 0.001)):
        x = [[0.018 * k, 0, -0.035] for k in range(-2, 2)]
        grains = dem.Particles(list(SHAPES.values()), LOSSY, position=x, velocity=[[0, 0, -1]] * 4)
        sim = dem.Simulation(grains, walls=[drum], time_step=5e-5, **({"_skin": skin} if skin else {}))
        if skin:
            sim.step(173)
            sim.save(tmp_path / "cut.h5")
            sim = dem.Simulation.load(tmp_path / "cut.h5")
        sim.step(400 - sim.step_count)
        assert sim.walls[0].work != 0
        found.append((sim.particles.position.tobytes(), sim.particles.angular_velocity.tobytes()))
    assert found[0] == found[1]
