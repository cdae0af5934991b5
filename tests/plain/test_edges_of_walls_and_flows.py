"""Limits of walls and flows: many pieces at once, periodic faces, particles that leave cells, rotation."""

import numpy as np
import pytest

import dem

STEEL = dem.Material(young=2e8, poisson=0.3, density=2000.0)
BEAD = dem.Material(young=5e5, poisson=0.22, density=2500.0)
WATER = {"density": 1000, "viscosity": 1e-3}


def ball(x, diameter=0.02, material=STEEL, **state):
    return dem.Particles(dem.Sphere(diameter=diameter), material, position=np.atleast_2d(x), **state)


def test_a_sphere_feels_as_many_separate_pieces_as_are_in_reach():
    """144 triangles that share nothing push once each; so many had no room, and pushed not at all."""
    corners, triangles = [], []
    for x, y in np.ndindex(12, 12):
        triangles.append(tuple(range(len(corners), len(corners) + 3)))
        corners += [(x * 1e-4, y * 1e-4, 0), (x * 1e-4 + 5e-5, y * 1e-4, 0), (x * 1e-4, y * 1e-4 + 5e-5, 0)]
    sim = dem.Simulation(ball((6e-4, 6e-4, 0.00995)), walls=[dem.Mesh(corners, triangles, material=STEEL)],
                         time_step=1e-7)  # fmt: skip
    assert sim.walls[0].contacts == 144
    near = np.array([np.linalg.norm(np.array(c) - [6e-4, 6e-4, 0.00995]) for c in corners]).reshape(-1, 3)
    k = 4 / 3 * STEEL.effective_modulus(STEEL) * np.sqrt(0.01)
    assert -sim.walls[0].force[2] == pytest.approx((k * (0.01 - near.min(1)) ** 1.5).sum(), rel=0.05)  # or an edge


def test_across_a_periodic_face_the_torque_is_about_what_it_says():
    box = dem.Box((0, 0, 0), (0.2, 0.2, 0.2), STEEL, periodic=["x"])
    motion = dem.Motion(axis=(0, 1, 0), centre=(0.005, 0.1, 0.05), rate=1e-9)
    flat = dem.Rectangle((0.08, 0.1, 0.05), (0.15, 0, 0), (0, 0.1, 0), material=STEEL, motion=motion)
    sim = dem.Simulation(ball((0.15, 0.1, 0.0599)), box, walls=[flat], gravity=(0, 0, 0), time_step=1e-5)
    wall = sim.walls[0]
    arm = np.array([0.15, 0.1, 0.05]) - wall.about
    np.testing.assert_allclose(wall.torque, np.cross(arm, wall.force), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("wall", [
    dem.Rectangle((0.1, 0.1, 0.1), (0.4, 0, 0.16), (0, 0.1, 0), material=STEEL),
    dem.Plane((0.05, 0, 0), (1, 0, 0), material=STEEL),
], ids=["longer", "across"])  # fmt: skip
def test_walls_that_a_period_does_not_hold_are_refused(wall):
    box = dem.Box((0, 0, 0), (0.2, 0.2, 0.2), STEEL, periodic=["x"])
    with pytest.raises(ValueError, match="periodic axis x"):
        dem.Simulation(ball((0.1, 0.1, 0.15)), box, walls=[wall], gravity=(0, 0, 0), time_step=1e-5)


def test_fibres_that_stick_are_damped_at_a_plane_as_at_a_face():
    """To rounding of what is summed in another order, some hundred steps of it."""
    pair = dem.Contact(restitution=0.5, friction=0.3, adhesion=dem.JKR(work=0.05))
    soft = dem.Material(young=5e7, poisson=0.3, density=2000.0)
    fibre = dem.Particles(dem.Fibre(diameter=0.002, aspect_ratio=4, spheres=5), soft, position=[[0, 0, 0.00101]],
                          velocity=[[0, 0, -0.05]])  # fmt: skip
    ends = []
    for box, walls in (
        (dem.Box((-1, -1, 0), (1, 1, 1), soft), []),
        (None, [dem.Plane((0, 0, 0), (0, 0, 1), material=soft)]),
    ):
        sim = dem.Simulation(fibre, box, walls=walls, contacts=dem.Contacts({(soft, soft): pair}), time_step=1e-6)
        sim.step(300)
        ends.append((sim.particles.velocity[0, 2], sim.energy().dissipated))
    np.testing.assert_allclose(*ends, rtol=1e-9)


@pytest.mark.parametrize("motion", [None, dem.Motion(axis=(0, 1, 0), rate=1.0)], ids=["still", "turning"])
def test_nobody_starts_inside_a_roll(motion):
    roll = dem.Cylinder((0, -0.1, 0), (0, 0.1, 0), 0.1, inside=False, material=STEEL, motion=motion)
    with pytest.raises(ValueError, match="inside the wall cylinder"):
        dem.Simulation(ball((0, 0, 0)), walls=[roll], time_step=1e-5)


def test_walls_are_given_once_and_tell_of_what_was_assigned():
    floor = dem.Rectangle((0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), material=STEEL)
    with pytest.raises(ValueError, match="given twice"):
        dem.Simulation(ball((0, 0, 0.0099)), walls=[floor, floor], time_step=1e-6)
    sim = dem.Simulation(ball((0, 0, 0.0099)), walls=[floor], time_step=1e-6)
    before = sim.walls[0].force[2]
    sim.particles.position = [[0, 0, 0.0096]]  # four times as deep: eight times the force
    assert sim.walls[0].force[2] == pytest.approx(8 * before, rel=1e-9)


@pytest.mark.parametrize("along", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0, 0.8)])
@pytest.mark.parametrize("drag", ["hoelzer-sommerfeld", "rosendahl"])
def test_drag_of_spheres_is_the_same_in_all_directions(drag, along):
    """That of Hölzer's and Sommerfeld's formula, 8/Re + 16/Re + 3/√Re + 0.42, solved here with small steps."""
    bead = ball((0, 0, 0), 1e-3, BEAD, velocity=[np.array(along) * 0.1])
    sim = dem.Simulation(bead, gravity=(0, 0, 0), fluid=dem.Fluid(**WATER, drag=drag), time_step=1e-4)
    sim.step(20)
    mass, v = (2500 + 500) * np.pi / 6 * 1e-9, 0.1
    for _ in range(2000):
        middle = v
        for half in (0.5, 1.0):  # midpoint rule
            re = 1000 * middle * 1e-3 / 1e-3
            force = (24 / re + 3 / np.sqrt(re) + 0.42) * np.pi / 8 * 1000 * 1e-6 * middle**2
            middle = v - half * 1e-6 * force / mass
        v = middle
    np.testing.assert_allclose(sim.particles.velocity[0], np.array(along) * v, rtol=1e-5, atol=1e-12)


def test_what_floats_goes_on_floating_when_gravity_turns_between_two_exchanges():
    coupling = dem.Coupling(function=lambda exchange: dem.FlowState(velocity=(0, 0, 0)))
    fluid = dem.Fluid(**WATER, drag="beetstra", model="B", cells=dem.Cells(number=(2, 2, 2), every=100),
                      coupling=coupling)  # fmt: skip
    light = dem.Material(young=5e5, poisson=0.22, density=1000.0)
    sim = dem.Simulation(ball([0.005] * 3, 1e-3, light), dem.Box((0, 0, 0), (0.01,) * 3, BEAD), time_step=1e-4,
                         fluid=fluid)  # fmt: skip
    sim.step(30)
    sim.gravity = (9.81, 0, 0)
    sim.step(30)
    assert np.abs(sim.particles.velocity).max() < 1e-12  # g t is 0.03 m/s


def test_who_has_left_the_cells_fills_none():
    box = dem.Box((0, 0, 0), (0.0036, 0.0036, 0.0036), BEAD, open=["z+"])
    fluid = dem.Fluid(density=1.2, viscosity=1.8e-5, drag="beetstra", cells=dem.Cells(number=(1, 1, 1), every=5))
    bead = ball((0.0018, 0.0018, 0.003), 1e-3, BEAD, velocity=[[0, 0, 3.0]])
    sim = dem.Simulation(bead, box, gravity=(0, 0, 0), fluid=fluid, time_step=5e-5)
    assert sim.exchange().voidage.max() < 1
    sim.step(10)
    assert sim.exchange().voidage.tolist() == [[[1.0]]]
